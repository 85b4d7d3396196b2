"""Flags that say how a CSV file is written, translated to the table [csv] of a study.

Room: cli. One set of flags for every command that takes a table. With a study that has a table [csv] they may repeat
it, not change it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from snapdp.errors import SnapdpError
    from snapdp.studies import CsvDialect

_OPTIONS = {
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
CSV_FLAGS = tuple(_OPTIONS)
NUMBERS_TOO = '# and decimal = "," or thousands = ".", where numbers are written so'


def csv_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the flags that say how a CSV file is written."""
    for name, (metavar, told) in reversed(_OPTIONS.items()):
        command = click.option(f"--{name}", metavar=metavar, help=told)(command)
    return command


def csv_values(options: dict[str, Any]) -> dict[str, Any]:
    """Return what flags say about CSV files, as the table [csv] of a study says it."""
    said = {name: options[name] for name in _OPTIONS if options[name] is not None}
    if "null" in said:
        said["null"] = [each.strip() for each in said["null"].split(",")]
    return said


def csv_dialect(options: dict[str, Any], declared: CsvDialect | None) -> CsvDialect | None:
    """Return the dialect of flags, or of a study; refuse flags that say something else than the study does."""
    from snapdp.studies import dialect_from

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
