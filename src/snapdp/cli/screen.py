"""The only module that writes to a terminal, so that no text from outside reaches it raw.

rich and click print only what `display.text` has made visible, in the encoding of the stream, and never read markup.
Passwords of addresses are left out. tests/cli/test_screens.py holds the other modules to it. A stream that cannot be
written raises OutputError. A pipe whose reader goes away (`snapdp verify record.json | head -1`) does not end the
command: the exit code is still the verdict, and a release that was charged is finished. rich is loaded for styles and
for what does not fit; lines for files and pipes are broken as rich breaks them.
"""

from __future__ import annotations

import errno
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.process import STOPPED as STOPPED
from snapdp.display.text import ESCAPED, encodable, one_line, shortened, visible, visible_lines, without_secrets

if TYPE_CHECKING:
    import threading

    from rich.console import Console

LONGEST_MESSAGE = 2000
HALF_A_SCREEN = 40
PATIENCE = 0.5  # seconds before a bar appears
GLANCE = 0.1
WORD = re.compile(r"\s*\S+\s*")
NARROW = re.compile(r"[ -~\xb0-\u02ff\u2500-\u25ff]*")  # characters that surely take one place each
FRAME = ("┏━┳┓", "┃ ┃┃", "┡━╇┩", "│ ││", "└─┴┘")
FILE_WIDTH = 80
SHELL_WORD = re.compile(r"""(?:'[^']*'|"[^"]*"|\\.|\S)+""")


class OutputError(click.ClickException):
    """A stream cannot be written: a full disk, or nobody who reads on."""

    exit_code = 74  # not 1, which is a verdict of some commands

    def __init__(self, message: str, *, unread: bool) -> None:
        super().__init__(message)
        self.unread = unread


def prepare() -> None:
    """Make the streams write any text: what their encoding lacks is written out, and what nobody reads is let go."""
    outlive_readers()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=ESCAPED)


def echo(text: str = "", *, err: bool = False, nl: bool = True, colour: str | None = None) -> None:
    """Print lines; a colour is for terminals, and for the first word alone."""
    shown = fitted(text, err=err)
    if colour is not None and _coloured():
        word = re.match(r"\w*", shown, re.ASCII)
        shown = click.style(word[0], fg=colour, bold=True) + shown[word.end() :] if word else shown
    with _writing():
        click.echo(shown, err=err, nl=nl)


def say(text: str) -> None:
    """Print a part of the conversation: to stderr, without the passwords of addresses."""
    echo(wrapped(without_secrets(text)), err=True)


def wrapped(text: str, *, first: str = "") -> str:
    """Return lines for stderr, broken between words where a terminal is narrower; files and pipes get them whole.

    first   what will stand before the text on its first line
    """
    if not is_read_by_people():
        return text
    width = max(HALF_A_SCREEN, _terminal_width() - 1)
    return "\n".join(_fill(line, width, "  ") for line in f"{first}{text}".split("\n")).removeprefix(first)


def to_copy(line: str) -> str:
    """Return a line for stderr that may hold a command, broken between its words where a terminal is narrower.

    A command goes on behind a backslash, so that it is one command when it is copied; what stands in quotes is one
    word, and a comment stays one line. Files and pipes get all of it whole.
    """
    width = max(HALF_A_SCREEN, _terminal_width() - 1)
    indent = " " * (len(line) - len(line.lstrip()))
    if not is_read_by_people() or len(line) <= width or line.lstrip().startswith("#"):
        return line
    command = re.search(r"(?<!\S)snapdp ", line)
    begins = len(line) if command is None else command.start()
    lines, shown = [], indent
    for word in SHELL_WORD.finditer(line):
        goes_on = " \\" if begins < word.start() else ""
        if shown.strip() and len(shown) + 1 + len(word[0]) + len(" \\") > width:
            lines.append(shown + goes_on)
            shown = indent + "  "
        shown += f" {word[0]}" if shown.strip() else word[0]
    return "\n".join([*lines, shown])


def folded(text: str, *, until: str | None = None, as_tables: bool = False) -> str:
    """Return lines for stdout, those longer than a terminal broken at blanks; files and pipes get them whole.

    until       the line from which on none is broken: a program to be copied stands below it
    as_tables   the text stands beside a table, which is no wider in a file than on a terminal: neither is the text
    """
    if not as_tables and not is_read_by_people(err=False):
        return text
    width = max(HALF_A_SCREEN, line_width() if as_tables else _terminal_width())
    before, line, program = text.partition(until) if until else (text, "", "")
    return "\n".join(_broken(each, width) for each in before.split("\n")) + line + program


def _broken(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    return _fill(line, width, " " * (len(line) - len(line.lstrip()) + 4))


def _fill(line: str, width: int, indent: str) -> str:
    import textwrap

    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _terminal_width() -> int:
    import shutil

    return shutil.get_terminal_size().columns


def echo_json(values: Any, *, indent: int | None = None) -> None:
    """Print values for machines: ASCII, so that any encoding can write it."""
    echo_json_text(json.dumps(values, indent=indent))


def echo_json_text(text: str) -> None:
    """Print JSON that is ASCII already; of all control characters JSON leaves only this one as it is."""
    with _writing():
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
    plain = not (_encoding(err) or "").lower().startswith("utf")
    heads = [fitted(visible(head), err=err) for head in heads]
    body = [[fitted(text, err=err) for text in row] for row in rows]
    drawn = None if title is not None or _is_styled(err) else _plain_table(heads, body, numbers, plain, line_width())
    if drawn is not None:
        with _writing():
            click.echo(drawn, err=err)
        return
    from rich import box
    from rich.table import Table

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
        shown.add_column(head, justify=justify, overflow="fold", style=style)  # type: ignore[arg-type]
    if unbroken is not None and all(len(each) <= HALF_A_SCREEN for row in body for each in row[unbroken].split("\n")):
        shown.columns[unbroken].no_wrap = True
    for row in body:
        shown.add_row(*row)
    with _writing():
        console(err=err).print(shown)


def _plain_table(
    heads: Sequence[str], body: Sequence[Sequence[str]], numbers: Sequence[int], plain: bool, width: int
) -> str | None:
    """Return a table without styles as rich draws it, which takes 40 ms to load; None where it takes rich to fit it."""
    columns = [*zip(heads, *body, strict=True)]
    widths = [max(map(len, column)) for column in columns]
    is_narrow = all(NARROW.fullmatch(text) for column in columns for text in column)
    if not (body and any(heads) and is_narrow) or sum(widths) + 3 * len(widths) + 1 > width:
        return None
    top, head, below, row, bottom = ("+--+", "| ||", "|-+|", "| ||", "+--+") if plain else FRAME

    def line(frame: str, texts: Iterable[str]) -> str:
        return frame[0] + frame[2].join(f"{frame[1]}{text}{frame[1]}" for text in texts) + frame[3]

    def fill(texts: Sequence[str]) -> Iterator[str]:
        for place, (text, size) in enumerate(zip(texts, widths, strict=True)):
            yield text.rstrip().rjust(size) if place in numbers else text.ljust(size)

    above, between, under = (line(frame, (frame[1] * size for size in widths)) for frame in (top, below, bottom))
    return "\n".join([above, line(head, fill(heads)), between, *(line(row, fill(texts)) for texts in body), under])


def line_width(*, err: bool = False) -> int:
    """Return how many characters a line of a stream has, as rich counts them."""
    if _is_styled(err):
        return console(err=err).width
    if (columns := os.environ.get("COLUMNS", "")).isdigit():
        return int(columns)
    for stream in range(3):
        with suppress(OSError):
            return os.get_terminal_size(stream).columns or FILE_WIDTH
    return FILE_WIDTH


def _is_styled(err: bool) -> bool:
    """Tell whether rich may show a style: on a terminal, or where the environment takes the stream for one."""
    return is_read_by_people(err=err) or any(name in os.environ for name in ("FORCE_COLOR", "TTY_COMPATIBLE"))


def note(text: str, *, err: bool = False, style: str = "dim") -> None:
    """Print a remark under a table, wrapped to the width of the terminal."""
    shown, width = fitted(text, err=err), line_width(err=err)
    lines = None if _is_styled(err) else _broken_between_words(shown, width)
    with _writing():
        if lines is None:
            console(err=err).print(shown, style=style)
        else:
            click.echo("\n".join(lines), err=err)


def _broken_between_words(text: str, width: int) -> list[str] | None:
    """Return lines without styles as rich breaks them, blanks kept behind words; None where it takes rich to do it."""
    lines = []
    for line in text.split("\n"):
        start = 0
        for word in WORD.finditer(line):
            end = word.start() + len(word[0].rstrip())
            if end - word.start() > width:
                return None
            if end - start > width:
                lines.append(line[start : word.start()])
                start = word.start()
        lines.append(line[start:])
    if not all(map(NARROW.fullmatch, lines)):
        return None
    return [line[:width] + line[width:].rstrip() for line in lines]


def console(*, err: bool = False) -> Console:
    """Return a console that takes no text for markup."""
    from rich.console import Console

    made = Console(stderr=err, markup=False, emoji=False, highlight=False)
    vars(made)["on_broken_pipe"] = _unread  # its own way is to end the process without a word
    return made


def is_read_by_people(*, err: bool = True) -> bool:
    """Tell whether messages, or results, go to a terminal, and not to a file or another program."""
    return (sys.stderr if err else sys.stdout).isatty()


def is_conversation() -> bool:
    """Tell whether somebody can be asked, and reads what is said: nothing of it goes to a file."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def confirm(question: str, *, default: bool = False) -> bool:
    """Ask once; no answer at all is no, and so is anything but yes, unless a mere return is to be yes."""
    try:
        return click.confirm(fitted(question, err=True), default=default, err=True)
    except click.Abort:
        say("")  # the cursor stands behind the question
        return False


def silence() -> None:
    """Let the streams take what they could not write: Python would try again, and complain, when it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def watched(text: str) -> Iterator[Callable[[str], None] | None]:
    """Show a text while something is computed, on a terminal only; what is yielded adds how far it is."""
    if not sys.stderr.isatty():
        yield None
        return
    shown = fitted(one_line(text), err=True)
    with console(err=True).status(shown) as status:
        yield lambda progress: status.update(f"{shown}: {progress}")


@contextmanager
def stepping(text: str, total: int) -> Iterator[Callable[[str], None]]:
    """Yield what names one of so many steps: in a line that changes on a terminal, in a line of its own elsewhere."""
    begun = 0
    with watched(text) as status:

        def tell(step: str) -> None:
            nonlocal begun
            begun += 1
            line = f"{step}, {begun} of {total}"
            say(line) if status is None else status(line)

        yield tell


@contextmanager
def watch(connection: Any) -> Iterator[None]:
    """Show how far the connection's scan is, until the block ends: on a terminal only, and nothing found in it."""
    if not sys.stderr.isatty() or not hasattr(connection, "query_progress"):  # other engines do not tell
        yield
        return
    import threading

    done = threading.Event()
    shown = threading.Thread(target=_show_progress, args=(connection, done), daemon=True)
    shown.start()
    try:
        yield
    finally:
        done.set()
        shown.join()


def _show_progress(connection: Any, done: threading.Event) -> None:
    if done.wait(PATIENCE):
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("reading"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(err=True), transient=True) as bar:
        task = bar.add_task("reading", total=100.0)
        while not done.wait(GLANCE):
            bar.update(task, completed=max(0.0, float(connection.query_progress())))


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


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        reason = os.strerror(problem.errno or errno.EIO).lower()
        raise OutputError(f"Cannot write the output: {reason}.", unread=problem.errno == errno.EPIPE) from None


def _unread() -> None:
    raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def _coloured() -> bool:
    """Tell whether colours are wanted, as far as the environment says; click leaves them out of files and pipes."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _encoding(err: bool) -> str | None:
    return getattr(sys.stderr if err else sys.stdout, "encoding", None) or "utf-8"  # a text buffer takes anything


# Streams that outlive their readers; terminals and files stay as they are, because a full disk is a failure


class UnreadPipe(io.FileIO):
    """A file whose reader may go away."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return len(data)


def outlive_readers() -> None:
    """Put streams that outlive their readers in the place of standard output and error where these are no terminals."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and stream is getattr(sys, f"__{name}__") and not stream.isatty():
            setattr(sys, name, _outliving(stream))


def _outliving(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(UnreadPipe(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
