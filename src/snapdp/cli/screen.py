"""The one door to a terminal: whatever is printed goes through here, so that no text from outside reaches it raw.

Room: cli. rich and click only print what `display.text` has made visible, in the encoding of the stream, and never
read markup. Passwords of addresses are left out of everything that is said. tests/cli/test_screens.py holds the other
modules to it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from snapdp.display import ESCAPED, encodable, shortened, visible, visible_lines, without_secrets

if TYPE_CHECKING:
    from rich.console import Console

LONGEST_MESSAGE = 2000
HALF_A_SCREEN = 40


def prepare() -> None:
    """Make the streams write any text: what their encoding lacks is written out."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=ESCAPED)


def echo(text: str = "", *, err: bool = False, nl: bool = True, colour: str | None = None) -> None:
    """Print lines; a colour is for terminals, and for the first word alone."""
    shown = fitted(text, err=err)
    if colour is not None:
        word = re.match(r"\w*", shown, re.ASCII)
        shown = click.style(word[0], fg=colour, bold=True) + shown[word.end() :] if word else shown
    click.echo(shown, err=err, nl=nl)


def say(text: str) -> None:
    """Print a part of the conversation: to stderr, without the passwords of addresses."""
    echo(without_secrets(text), err=True)


def echo_json(values: Any, *, indent: int | None = None) -> None:
    """Print values for machines: ASCII, so that any encoding can write it."""
    echo_json_text(json.dumps(values, indent=indent))


def echo_json_text(text: str) -> None:
    """Print JSON that is ASCII already; of all control characters JSON leaves only this one as it is."""
    click.echo(text.replace("\x7f", "\\u007f"))


def fitted(text: str, *, err: bool = False) -> str:
    """Return lines of text as a stream can show them."""
    return encodable(visible_lines(text), _encoding(err))


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[int] = (), dim: Sequence[int] = (),
    title: str | None = None, unbroken: int | None = None, err: bool = False,
) -> None:  # fmt: skip
    """Print a table; each cell is text from outside until shown otherwise. Line ends in cells are ours.

    unbroken   a column that is not wrapped, as long as it leaves half of a narrow terminal to the others
    """
    from rich import box
    from rich.table import Table

    plain = not (_encoding(err) or "").lower().startswith("utf")
    shown = Table(
        title=None if title is None else fitted(title, err=err),
        title_justify="left",
        header_style="bold",
        box=box.ASCII if plain else box.HEAVY_HEAD,
        show_header=any(heads),
    )
    for place, head in enumerate(heads):
        style = "dim" if place in dim else ""
        justify = "right" if place in numbers else "left"
        shown.add_column(fitted(visible(head), err=err), justify=justify, overflow="fold", style=style)  # type: ignore[arg-type]
    body = [[fitted(text, err=err) for text in row] for row in rows]
    if unbroken is not None and all(len(row[unbroken]) <= HALF_A_SCREEN for row in body):
        shown.columns[unbroken].no_wrap = True
    for row in body:
        shown.add_row(*row)
    console(err=err).print(shown)


def one_line(text: str) -> str:
    """Return a text from outside as it may be shown: one line, cut where it is very long."""
    return shortened(visible(text))


def note(text: str, *, err: bool = False, style: str = "dim") -> None:
    """Print a remark under a table, wrapped to the width of the terminal."""
    console(err=err).print(fitted(text, err=err), style=style)


def console(*, err: bool = False) -> Console:
    """Return a console that takes no text for markup."""
    from rich.console import Console

    return Console(stderr=err, markup=False, emoji=False, highlight=False)


def confirm(question: str) -> None:
    """Ask once; anything but yes ends the command."""
    click.confirm(fitted(question, err=True), abort=True, err=True)


@contextmanager
def polite() -> Iterator[None]:
    """Make what click says about wrong usage fit to be shown: it quotes words of the command."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError as asked:  # our own text, of many lines
        vars(asked)["message"] = fitted(asked.message, err=True)
        raise
    except click.ClickException as misuse:
        for name in {"message", "ui_filename"} & vars(misuse).keys():
            told = visible(without_secrets(str(vars(misuse)[name])))
            vars(misuse)[name] = fitted(shortened(told, LONGEST_MESSAGE), err=True)
        raise


def _encoding(err: bool) -> str | None:
    return getattr(sys.stderr if err else sys.stdout, "encoding", None) or "utf-8"  # a text buffer takes anything
