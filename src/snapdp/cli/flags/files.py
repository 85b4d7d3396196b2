"""The files that commands read and write: SOURCE, the CSV format, `--plot`, and the texts of a report.

SOURCE is a study, whose table may be given beside it, or the table itself; a flag that would be ignored beside that
SOURCE is refused. With a study that has a table [csv], the flags of the CSV format may repeat it, not change it. The
study reader checks title, publisher and contact. Nothing is drawn here.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdp.display.text import PUBLIC_TEXTS, one_line
from snapdp.errors import SnapdpError
from snapdp.values import Values

if TYPE_CHECKING:
    from snapdp.accuracy.summary import Worth
    from snapdp.studies.csv_dialect import CsvDialect
    from snapdp.studies.plans.plan import Plan

# CSV format

_CSV_DIALECT_OPTIONS = {
    "delimiter": ("CHARACTER", 'Of a CSV file: what stands between cells, such as ";" or tab.  [default: ,]'),
    "quote": ("CHARACTER", 'Of a CSV file: what stands around cells that hold a delimiter.  [default: "]'),
    "decimal": ("CHARACTER", 'Of a CSV file: the decimal sign of numbers, . or ","  [default: .]'),
    "thousands": (
        "CHARACTER",
        "Of a CSV file: what stands between groups of digits: . , ' _ or space.  [default: none]",
    ),
    "encoding": ("NAME", "Of a CSV file: utf-8 or latin-1.  [default: utf-8]"),
    "null": ("TEXT,...", "Of a CSV file: missing cells look like this, or are empty: NA,."),
}
CSV_FLAGS = tuple(_CSV_DIALECT_OPTIONS)
NUMBERS_TOO = '# and decimal = "," or thousands = ".", where numbers are written so'


def csv_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the flags that say how a CSV file is written."""
    for name, (metavar, told) in reversed(_CSV_DIALECT_OPTIONS.items()):
        command = click.option(f"--{name}", metavar=metavar, help=told)(command)
    return command


def csv_values(options: Values) -> Values:
    """Return what flags say about CSV files, as the table [csv] of a study says it."""
    said = {name: options[name] for name in _CSV_DIALECT_OPTIONS if options[name] is not None}
    if "null" in said:
        said["null"] = [each.strip() for each in said["null"].split(",")]
    return said


def csv_dialect(options: Values, declared: CsvDialect | None) -> CsvDialect | None:
    """Return the dialect of flags, or of a study; refuse flags that say something else than the study does."""
    from snapdp.studies.csv_dialect import dialect_from

    said = csv_values(options)
    if not said:
        return declared
    found = dialect_from(said)
    for name in said:
        if declared is not None and getattr(found, name) != getattr(declared, name):
            raise click.UsageError(f"--{name} is not what the table [csv] of the study says: change one of the two.")
    return declared or found


def to_declare(refusal: SnapdpError, *, look: Sequence[str] = (), study: str | None = None) -> str | None:
    """Return what helps where a CSV file is not written as it was read: flags, or lines of a study.

    look    the words of `inspect` for this table: whoever declares half of it would pay for numbers that mean nothing
    study   the file of the study, where one was given: what it says holds for all commands
    """
    keys = [key for key in ("delimiter", "encoding") if key in refusal.numbers]
    said = {key: "tab" if refusal.numbers[key] == "\t" else str(refusal.numbers[key]) for key in keys}
    if not said:
        return None
    if study is not None:
        where = f"in {shlex.quote(study)}, a table [csv] at its end, or these lines in the one it has:"
        lines = ["[csv]", *(f'{key} = "{value}"' for key, value in said.items()), NUMBERS_TOO]
        then = [f"then look, before any release: {shlex.join(['snapdp', 'inspect', *look])}"] if look else []
        return "\n".join((where, *lines, *then))
    flags = [word for key, value in said.items() for word in (f"--{key}", value)]
    told = f"the same command with {shlex.join(flags)} (--decimal and --thousands where numbers need them)"
    return f"{told}\nbut first look: {shlex.join(['snapdp', 'inspect', *look, *flags])}" if look else told


_OPTIONS = (
    click.option("--data", help="The table, where SOURCE is a study: a CSV or Parquet file, a glob, a DuckDB file."),
    click.option("--table", metavar="NAME", help="The table in a DuckDB file or on a PostgreSQL server."),
    click.option("--spark", metavar="URL", help="Let Spark with this master read the files."),
    csv_options,
)


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the argument SOURCE, and the flags that say which table it is and how that is read."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return click.argument("source", type=str)(command)


def is_study(options: Values) -> bool:
    """Tell whether SOURCE is a study, by its name."""
    return bool(options["source"].lower().endswith(".toml"))


def to_look(options: Values) -> list[str]:
    """Return the words behind `snapdp inspect` that look at the same table."""
    kept = ("data", "table", "spark", *CSV_FLAGS)
    named = [word for key in kept if options.get(key) for word in (f"--{key}", options[key])]
    return [options["source"], *named]


def refuse_strays(options: Values, strays: Sequence[str]) -> None:
    """Refuse what SOURCE leaves unread: `strays`, the flags that say what a study says; beside a table, another one."""
    if is_study(options) and strays:
        raise click.UsageError(f"{', '.join(strays)} is not read together with a study file.")
    if not is_study(options) and options["data"]:
        raise click.UsageError("--data belongs to a study; the table is the argument itself.")


# Pictures


def _known(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and path.suffix != ".svg":
        raise click.UsageError(f"--plot writes SVG, to a name that ends in .svg, not in '{path.suffix}'.")
    return path


picture_option = click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=_known,
    help="Write a picture, FILE.svg.",
)


@contextmanager
def writing_picture(path: Path) -> Iterator[None]:
    """Say in the words of commands that a file cannot be written; other refusals pass."""
    try:
        yield
    except (SnapdpError, ValueError) as problem:
        if isinstance(problem, SnapdpError) and "reason" not in problem.numbers:  # not about the file
            raise
        why = problem.numbers["reason"] if isinstance(problem, SnapdpError) else "no such name can be used"
        raise click.UsageError(f"--plot {path} cannot be written: {why}.") from None


def write_picture(worth: Plan | Worth, path: Path) -> str:
    """Write the picture of a plan or of one mechanism; return what is to be said about it."""
    from snapdp.cli import plots

    with writing_picture(path):
        left_out = plots.write(worth, path)
    more = f" (the first {plots.MOST_ROWS} rows; {left_out} more have no room)" if left_out else ""
    return f"picture: {one_line(str(path))}{more}"


# Texts of a report

_TEXTS_OPTIONS = (
    click.option("--title", metavar="TEXT", help="The title of the report."),
    click.option("--publisher", metavar="TEXT", help="Who publishes it."),
    click.option("--contact", metavar="TEXT", help="Whom readers may ask, such as an address."),
)


def text_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the flags of the public texts."""
    for option in reversed(_TEXTS_OPTIONS):
        command = option(command)
    return command


def said_texts(options: Values) -> dict[str, str]:
    """Return the texts that were given, by the keys of a study."""
    return {key: options[key] for key in PUBLIC_TEXTS if options.get(key) is not None}
