"""The engine of a conversation: it asks what is not answered yet, keeps every answer, and goes back without losing any.

Room: cli. A conversation is a generator that yields questions and is sent what their answers mean. The engine runs it
from the start with the answers it has: one that is kept is not asked again, so going back, going on later and changing
one answer are the same thing. An answer that no longer fits, because another was changed, is asked for again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from snapdp.cli.screen import one_line
from snapdp.cli.start.pages import KEYS, Stopped, paragraph, read_answer, show_problem, show_question
from snapdp.cli.start.questions import Flow, Key, Question
from snapdp.errors import ParameterError, SnapdpError

T = TypeVar("T")
BACK, HELP, QUIT = ("<", "back"), ("?", "help"), ("quit", "exit")
LONGEST_ANSWER = 100_000
PLAN, ADDED = "plan", "added"  # in keys: of the menu of the plan, and of a statistic that was added there
NOTHING = ParameterError("Something must be typed here.", "? explains the question, < goes back.")


class Again(Exception):
    """The conversation starts anew, with one question open that was answered before."""


class Interview:
    """A conversation in progress.

    answers   what was typed, by the keys of questions, in their order
    save      is called with the answers after each of them
    """

    def __init__(self, answers: dict[Key, str], save: Callable[[dict[Key, str]], None]) -> None:
        self.answers, self._save = dict(answers), save
        self.visited: list[Question] = []
        self._open: Key | None = None
        self.shown = ""  # what was shown last, so that it is not shown again

    def run(self, flow: Callable[[], Flow[T]]) -> T:
        """Ask until the conversation has an end; return it."""
        while True:
            try:
                return self._pass(flow())
            except Again:
                continue

    def reopen(self, key: Key) -> None:
        """Ask a question again that was answered; all other answers are kept."""
        self._open = key
        raise Again

    def choose_again(self) -> None:
        """Ask which of the questions is to be answered again."""
        asked = [each for each in self.visited if each.key[0] != PLAN or ADDED in each.key]
        for number, each in enumerate(asked, start=1):
            paragraph(
                f"{one_line(each.text)} {one_line(self.answers[each.key])}", indent="     ", first=f"{number:>3}. "
            )
        paragraph("Which one? Enter: none of them.")
        text = read_answer()
        if text.isascii() and text.isdigit() and 0 < int(text[:9]) <= len(asked):
            self.reopen(asked[int(text) - 1].key)

    def forget(self, key: Key) -> None:
        """Leave a question open: what it led to is done, or was refused."""
        self.answers.pop(key, None)

    def _pass(self, flow: Flow[T]) -> T:
        self.visited = []
        try:
            question = next(flow)
            while True:
                meaning = self._kept(question)
                self.visited.append(question)
                question = flow.send(meaning)
        except StopIteration as end:
            found: T = end.value
            return found

    def _kept(self, question: Question) -> Any:
        """Return what the answer to a question means: the one that is kept, or a new one."""
        kept = self.answers.get(question.key)
        if kept is None:
            return self._asked(question, question.default)
        if question.key == self._open:
            return self._asked(question, kept)
        try:
            meaning = question.check(kept)
        except SnapdpError as refusal:
            show_problem(refusal)
            return self._asked(question, question.default)
        return self._asked(question, question.default) if meaning in question.ends else meaning

    def _asked(self, question: Question, default: str | None) -> Any:
        show_question(question, default)
        while True:
            text = read_answer()
            if text.lower() in QUIT:
                raise Stopped
            if text.lower() in BACK:
                self._back()
                continue
            if text.lower() in HELP:
                paragraph(question.more or question.hint or "There is no more to say about it.", indent="  ")
                paragraph(KEYS, indent="  ")
                continue
            try:
                said = self._said(text, default)
                meaning = question.check(said)
                self._act(question, meaning)
            except SnapdpError as refusal:
                show_problem(refusal)
                nearest = refusal.numbers.get("nearest")
                default = str(nearest) if nearest is not None else default
            else:
                self._keep(question, said, meaning)
                return meaning

    def _said(self, text: str, default: str | None) -> str:
        if not text and default is None:
            raise NOTHING
        said = text or str(default)
        if len(said) > LONGEST_ANSWER:
            raise ParameterError("this answer is too long to be meant.", "Write such a study by hand: snapdp init.")
        if any("\ud800" <= each <= "\udfff" for each in said):
            raise ParameterError("this is no text in UTF-8.", "Type it again.")
        return said

    def _act(self, question: Question, meaning: Any) -> None:
        """Do what an answer says, where it says that something is to be done; the question stays open."""
        if isinstance(meaning, str) and meaning in question.acts:
            question.acts[meaning]()
            raise Again

    def _keep(self, question: Question, text: str, meaning: Any) -> None:
        """Keep an answer; where it is another one than before, those to questions that it led to are let go."""
        if self.answers.get(question.key, text) != text:
            led = [key for key in self.answers if key[: len(question.key)] == question.key and key != question.key]
            for key in led:
                del self.answers[key]
        if meaning in question.ends:
            self.answers.pop(question.key, None)
        else:
            self.answers[question.key] = text
        self._open = None
        self._save(self.answers)
        if question.after is not None and (said := question.after(meaning)):
            paragraph(said, indent="  ")

    def _back(self) -> None:
        if not self.visited:
            paragraph("This is the first question.", indent="  ")
            return
        self.reopen(self.visited[-1].key)
