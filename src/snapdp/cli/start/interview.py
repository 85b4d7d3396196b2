"""The engine of a conversation: it asks what is not answered yet, keeps every answer, and goes back without losing any.

Room: cli. A conversation is a generator that yields questions and is sent what their answers mean. The engine runs it
from the start with the answers it has: one that is kept is not asked again unless its question is open, so going back,
going on later and changing one answer are the same thing. Whoever goes back over several questions is asked all of them
again, and Enter keeps each answer. One that no longer fits, because another was changed, is asked for again as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from snapdp.cli.start.pages import KEYS, NONE, Stopped, paragraph, read_answer, show_again, show_problem, show_question
from snapdp.cli.start.questions import Flow, Key, Question
from snapdp.display import one_line
from snapdp.errors import ParameterError, SnapdpError

T = TypeVar("T")
BACK, HELP, QUIT = ("<", "back"), ("?", "help"), ("quit", "exit")
LONGEST_ANSWER = 100_000
PLAN, ADDED = "plan", "added"  # in keys: of the menu of the plan, and of a statistic that was added there
NOTHING = ParameterError("Something must be typed here.", "? explains the question, < goes back.")


def _takes_back(text: str, question: Question) -> bool:
    """Tell whether an answer is that there is none, where Enter would keep the one of before."""
    return text == NONE and question.default == ""


def _shows(question: Question, meaning: Any) -> bool:
    """Show what an answer asks to see, where it does; tell whether it did."""
    shows = question.shows.get(meaning) if isinstance(meaning, str) else None
    if shows is not None:
        shows()
    return shows is not None


class Again(Exception):
    """The conversation starts anew, with one question open that was answered before."""


class Back(Exception):
    """Whoever answers goes back behind the first question of a short conversation within another."""


class Interview:
    """A conversation in progress.

    answers   what was typed, by the keys of questions, in their order
    save      is called with the answers after each of them
    within    it is part of another: going back behind its first question leaves it
    """

    def __init__(
        self, answers: dict[Key, str], save: Callable[[dict[Key, str]], None], *, within: bool = False
    ) -> None:
        self.answers, self._save, self._within = dict(answers), save, within
        self.visited: list[Question] = []
        self._open: set[Key] = set()  # questions that are asked although they were answered
        self.shown = ""  # what was shown last, so that it is not shown again
        self._numbers: dict[Key, int] = {}  # of questions in the list of `choose_again`

    def run(self, flow: Callable[[], Flow[T]]) -> T:
        """Ask until the conversation has an end; return it."""
        while True:
            try:
                return self._pass(flow())
            except Again:
                continue

    def reopen(self, key: Key) -> None:
        """Ask a question again that was answered; all other answers are kept."""
        self._open.add(key)
        raise Again

    def choose_again(self) -> None:
        """Ask which of the questions is to be answered again."""
        asked = self._numbered()
        for number, each in asked.items():
            paragraph(
                f"{one_line(each.text)} {one_line(self.answers[each.key])}", indent="     ", first=f"{number:>3}. "
            )
        which = Question(
            key=("which",),
            text="Which one?",
            hint="Its number; the others stay as they are. Enter: none of them.",
            more="The question is asked again, and Enter gives the same answer. Of the others those are asked again "
            "whose answers no longer fit it.",
            default="",
            check=lambda text: _one_of(asked, text),
        )
        _, chosen = self._read(which, which.default, self._anew)
        if chosen is not None:
            self.reopen(chosen.key)

    def place_of(self, key: Key) -> int | None:
        """Return the number under which `choose_again` lists a question; None where it was not asked."""
        return next((number for number, each in self._numbered().items() if each.key == key), None)

    def _numbered(self) -> dict[int, Question]:
        """Return the questions by their numbers. A number once given stays: who remembers it gets the same question."""
        listed = [each for each in self.visited if each.key[0] != PLAN or ADDED in each.key]
        return {self._numbers.setdefault(each.key, len(self._numbers) + 1): each for each in listed}

    def _anew(self) -> None:
        raise Again

    def forget(self, key: Key) -> None:
        """Leave a question open, and those that it led to: what it led to is done, or was refused."""
        self._let_go(key)
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
        if question.key in self._open:  # in a menu of actions what was done before is no answer to be kept
            return self._asked(question, question.default if question.ends else kept)
        try:
            meaning = question.check(kept)
        except SnapdpError as refusal:
            show_problem(refusal)
            return self._asked(question, question.default)
        return self._asked(question, question.default) if meaning in question.ends else meaning

    def _asked(self, question: Question, default: str | None) -> Any:
        said, meaning = self._read(question, default, lambda: self._back(question))
        self._keep(question, said, meaning)
        return meaning

    def _read(self, question: Question, default: str | None, back: Callable[[], None]) -> tuple[str, Any]:
        """Ask until an answer can be used; return it, and what it means. What may be meant is offered for one answer.

        back   what < does
        """
        show_question(question, default)
        offered = default
        while True:
            text = read_answer()
            if text.lower() in QUIT:
                raise Stopped
            if text.lower() in BACK:
                back()
                continue
            if text.lower() in HELP:
                paragraph(question.more, indent="  ")
                paragraph(KEYS, indent="  ")
                continue
            try:
                said = "" if _takes_back(text, question) else self._said(text, offered)
                meaning = question.check(said)
                self._act(question, meaning)
                if _shows(question, meaning):
                    show_again(question)
                    continue
            except SnapdpError as refusal:
                show_problem(refusal)
                nearest = refusal.numbers.get("nearest")
                offered = str(nearest) if nearest is not None else default
            else:
                return said, meaning

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
            self._let_go(question.key)
        if meaning in question.ends:
            self.answers.pop(question.key, None)
        else:
            self.answers[question.key] = text
        self._open.discard(question.key)
        self._save(self.answers)
        if question.after is not None and (said := question.after(meaning)):
            paragraph(said, indent="  ")

    def _let_go(self, key: Key) -> None:
        """Let the answers go that an answer led to."""
        for led in [each for each in self.answers if each[: len(key)] == key and each != key]:
            del self.answers[led]

    def _back(self, question: Question) -> None:
        """Ask the question before again; the one that is left stays open, also where it was answered before."""
        if not self.visited and self._within:
            raise Back
        if not self.visited:
            paragraph("This is the first question.", indent="  ")
            return
        self._open.add(question.key)
        self.reopen(self.visited[-1].key)


def _one_of(asked: Mapping[int, Question], text: str) -> Question | None:
    """Return the question whose number was typed; None where none is."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and int(text[:9]) in asked):
        raise ParameterError(f'"{one_line(text)}" is the number of no question.', "Type one of the list, or Enter.")
    return asked[int(text[:9])]


def asked_once(question: Question) -> Any:
    """Ask one question within a conversation; return what its answer means. Going back is an exception, `Back`."""

    def flow() -> Flow[Any]:
        return (yield question)

    return Interview({}, lambda _: None, within=True).run(flow)
