"""How questions look: short lines that fit 80 columns, on any terminal and without colour.

Room: cli. Prints through the screen alone, to stderr: the conversation is no result. Text from outside is visible text.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence

import click

from snapdp.cli.screen import HALF_A_SCREEN, echo, fitted
from snapdp.cli.start.questions import Choice, Question
from snapdp.display import one_line, visible, without_secrets
from snapdp.errors import SnapdpError

WIDEST = 80
LONGEST_NAME = 32  # of a column, in a list
MOST_LISTED = 40  # columns, unless all are asked for
PROMPT = "> "
NONE = "-"  # typed where an answer of before is taken back, and none takes its place
KEYS = "? explains a question, < goes back to the one before, quit stops: answers are kept."


class Stopped(Exception):
    """Whoever answers has stopped: no more input, an interrupt, or the word quit."""


def paragraph(text: str, *, indent: str = "", first: str | None = None) -> None:
    """Print a text, broken between words; a word that is too long is broken too."""
    for line in fitted(without_secrets(text), err=True).split("\n"):
        echo(
            textwrap.fill(
                line,
                _width(),
                initial_indent=indent if first is None else first,
                subsequent_indent=indent,
                break_on_hyphens=False,
            ),
            err=True,
        )


def show_question(question: Question, default: str | None) -> None:
    """Print a question: what stands before it, its line, its choices, its hint, and what Enter says."""
    if question.before is not None:
        question.before()
    echo("", err=True)
    paragraph(question.text)
    show_choices(question.menu)
    if question.listing is not None:
        question.listing()
    none = f"; {NONE} for none" if question.default == "" else ""
    enter = f"(Enter: {name_of(default)}{none})" if default else ""
    together = f"{question.hint} {enter}".strip()
    for line in [together] if len(together) + 2 <= _width() else [question.hint, enter]:
        if line:
            paragraph(line, indent="  ", first="  ")


def show_again(question: Question) -> None:
    """Print a question with a menu in a few lines, where something was done that leaves it as it was."""
    echo("", err=True)
    flowing([f"{number} {each.word}" for number, each in enumerate(question.menu, start=1)], gap="  ")
    paragraph(question.text)


def show_choices(choices: Sequence[Choice]) -> None:
    """Print a menu: number, word, what it means."""
    widest = max((len(each.word) for each in choices), default=0)
    for number, each in enumerate(choices, start=1):
        head = f"  {number:>{len(str(len(choices)))}} {fitted(each.word, err=True):<{widest}}  "
        paragraph(each.means, indent=" " * len(head), first=head)


def show_problem(refusal: SnapdpError) -> None:
    """Print why an answer is not taken, and what to do."""
    problem, advice = (visible(text) for text in (refusal.problem, refusal.advice))
    paragraph(sentence(f"{problem} {advice}"), indent="  ", first="! ")


def sentence(text: str) -> str:
    """Return a text with a capital letter, unless it begins with a name that has none."""
    told = text.strip()
    return told[:1].upper() + told[1:] if told.split(" ")[0].isalpha() else told


def show_columns(names: Sequence[str]) -> None:
    """Print what is known of a table before the first question about it."""
    echo("", err=True)
    paragraph("The columns of the table, by name. No row is read.")
    show_names(names)


def show_names(names: Sequence[str], *, every: bool = False) -> None:
    """Print the columns of a table with their numbers; of very many the first."""
    shown = names if every else names[:MOST_LISTED]
    told = [f"{number} {fitted(name_of(name), err=True)}" for number, name in enumerate(shown, start=1)]
    left = len(names) - len(shown)
    flowing([*told, *([f"... and {left} more: ? lists all"] if left else [])])


def flowing(pieces: Sequence[str], *, gap: str = "   ") -> None:
    """Print short pieces, as many on a line as fit; none of them is broken."""
    line = ""
    for piece in pieces:
        if line and len(line) + len(gap) + len(piece) > _width():
            echo(line, err=True)
            line = ""
        line += f"{gap if line else '  '}{piece}"
    echo(line, err=True)


def _width() -> int:
    return max(HALF_A_SCREEN, min(WIDEST, shutil.get_terminal_size().columns) - 1)


def name_of(name: str) -> str:
    """Return a name from outside as a list may show it."""
    return one_line(name, LONGEST_NAME) if name.strip() else "(no name)"


def read_answer() -> str:
    """Return a line that somebody types, without blanks around it."""
    try:
        line: str = click.prompt("", default="", show_default=False, prompt_suffix=PROMPT, err=True)
    except click.Abort:
        echo("", err=True)
        raise Stopped from None
    if not sys.stdin.isatty():
        echo("", err=True)  # nobody typed the end of the line
    return line.strip()
