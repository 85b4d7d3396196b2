"""Going on with a conversation that was stopped: the answers of its draft, if they are wanted, and what they are about.

Room: cli. Answers are about a table, a ledger and an account. What the command line named of these holds for whoever
goes on: it need not be named again, and answers are not taken to another ledger unseen.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from snapdp.cli.flags.csv_dialect import CSV_FLAGS
from snapdp.cli.start.draft_file import DraftFile
from snapdp.cli.start.interview import Interview
from snapdp.cli.start.pages import paragraph, show_problem
from snapdp.cli.start.questions import Choice, Flow, Key, Question, one_of
from snapdp.display import is_address, one_line, shown_address
from snapdp.errors import DataError, SnapdpError

GO_ON = Choice(word="go on", means="where it stopped", others=("on", "go"))
OVER = Choice(word="start over", means="with the first question; these answers are lost", others=("over", "start"))
ABOUT_DRAFTS = (
    "A draft holds what you typed, and nothing from a row. Whoever goes on is asked what is open; in the menu of the "
    "plan every answer can be changed. Nothing was charged."
)
LEDGER = "ledger"
OPTIONS = {LEDGER: "ledger_path", **{flag: flag for flag in ("dataset", "table", *CSV_FLAGS)}}  # by their flags


def answers_of(draft: DraftFile) -> dict[Key, str]:
    """Return the answers of a draft, if there is one and somebody wants to go on with them."""
    if not draft.exists:
        return {}
    menu: tuple[Choice, ...] = (GO_ON, OVER)
    try:
        answers = draft.read()
        _refuse_others(draft)
    except SnapdpError as refusal:
        show_problem(refusal)
        answers, menu = {}, (OVER,)
    many = f"{one_line(draft.path.name)} has {len(answers)} answer{'s' * (len(answers) != 1)} of before."
    said = many if GO_ON in menu else "Start over?"

    def asked() -> Flow[str]:
        word: str = yield Question(key=("draft",), text=said, menu=menu, more=ABOUT_DRAFTS, check=one_of(menu))
        return word

    chosen = Interview({}, lambda _: None).run(asked)
    if chosen == OVER.word:
        draft.kept, draft.names = {}, None
        return {}
    _say_named(draft)
    draft.named = {**draft.kept, **draft.named}
    return answers


def about_columns(answers: dict[Key, str], names: list[str] | None, draft: DraftFile) -> dict[Key, str]:
    """Return the answers that hold for columns of these names: of others some may name a column by its number."""
    before, draft.names = draft.names, names
    if before in (None, names) or not answers:
        return answers
    paragraph("The file has other columns than before: the questions begin anew.")
    return {key: text for key, text in answers.items() if key[0] in ("file", "dataset")}


def _refuse_others(draft: DraftFile) -> None:
    """Refuse to take answers to another table, ledger or account than the one that was named for them."""
    other = next((flag for flag, text in draft.named.items() if draft.kept.get(flag, text) != text), None)
    if other is not None:
        then, now = (_flag(draft.path.parent, other, values) for values in (draft.kept, draft.named))
        raise DataError(
            f"the answers in {one_line(draft.path.name)} were given for {then}, not for {now}.",
            f"Start over, or type quit and name what they are about: {then}.",
        )


def _say_named(draft: DraftFile) -> None:
    """Say what still holds of the first command line, and what is named now and was not then."""
    home = draft.path.parent
    if kept := " ".join(_flag(home, flag, draft.kept) for flag in draft.kept if flag not in draft.named):
        paragraph(f"As before: {kept}")
    if new := " ".join(_flag(home, flag, draft.named) for flag in draft.named if flag not in draft.kept):
        paragraph(f"These answers were given without {new}. It holds from now on.")


def named_in(options: Mapping[str, Any], home: Path) -> dict[str, str]:
    """Return what a command line names, as a draft keeps it: the ledger as seen from there, and without a password."""
    found = {flag: str(options[name]) for flag, name in OPTIONS.items() if options[name] is not None}
    if LEDGER in found:
        path = found[LEDGER]
        beside = not is_address(path)
        found[LEDGER] = (
            os.path.relpath(os.path.realpath(path), os.path.realpath(home)) if beside else shown_address(path)
        )
    return found


def with_named(options: Mapping[str, Any], draft: DraftFile) -> dict[str, Any]:
    """Return the options of a command line with what was named before; what is named now stays as it was typed."""
    home = draft.path.parent
    before = {name: _value(home, flag, draft.named) for flag, name in OPTIONS.items() if flag in draft.named}
    return {**options, **{name: text for name, text in before.items() if options[name] is None}}


def command_to_go_on(file: Path, directory: Path | None, draft: DraftFile) -> str:
    """Return the command that goes on with a draft, with all that was named."""
    typed, home = str(file), draft.path.parent
    words = ["snapdp start", shlex.quote(f"./{typed}" if typed.startswith("-") else typed)]
    named = {**draft.named, **draft.kept}
    words += [_flag(home, flag, named) for flag in named]
    words += [] if directory is None else [f"--directory {shlex.quote(str(directory))}"]
    return " ".join(words)


def _flag(home: Path, flag: str, named: Mapping[str, str]) -> str:
    """Return a flag as it is typed."""
    value = _value(home, flag, named)
    return one_line(f"--{flag}{'=' if value.startswith('-') else ' '}{shlex.quote(value)}")


def _value(home: Path, flag: str, named: Mapping[str, str]) -> str:
    value = named[flag]
    return value if flag != LEDGER or is_address(value) else near(home / value)


def near(path: str | Path) -> str:
    """Return a path as it is shortest from here, an address without its password."""
    if is_address(str(path)):
        return shown_address(str(path))
    beside = os.path.relpath(path)
    return os.path.abspath(path) if beside.startswith("..") else beside
