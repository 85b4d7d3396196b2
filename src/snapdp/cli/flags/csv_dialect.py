"""Flags that say how a CSV file is written, translated to the table [csv] of a study.

Room: cli. One set of flags for every command that takes a table. With a study that has a table [csv] they may repeat
it, not change it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
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


def to_declare(refusal: SnapdpError) -> str | None:
    """Return the flag that helps where a CSV file is not written as it was read."""
    flags = {key: refusal.numbers[key] for key in ("delimiter", "encoding") if key in refusal.numbers}
    told = " ".join(f"--{key} {shlex.quote('tab' if value == chr(9) else str(value))}" for key, value in flags.items())
    return f"the same command with {told} (--decimal and --thousands where numbers need them)" if told else None
