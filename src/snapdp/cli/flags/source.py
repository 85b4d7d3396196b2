"""The table that a command reads: SOURCE is a study, whose table may be named beside it, or the table itself.

Room: cli. One set of flags for release and inspect. What would not be read beside the SOURCE that is given is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from snapdp.cli.flags.csv_dialect import CSV_FLAGS, csv_options

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


def is_study(options: dict[str, Any]) -> bool:
    """Tell whether SOURCE is a study, by its name."""
    return bool(options["source"].lower().endswith(".toml"))


def to_look(options: dict[str, Any]) -> list[str]:
    """Return the words behind `snapdp inspect` that look at the same table."""
    kept = ("data", "table", "spark", *CSV_FLAGS)
    named = [word for key in kept if options.get(key) for word in (f"--{key}", options[key])]
    return [options["source"], *named]


def refuse_strays(options: dict[str, Any], strays: Sequence[str]) -> None:
    """Refuse what SOURCE leaves unread: `strays`, the flags that say what a study says; beside a table, another one."""
    if is_study(options) and strays:
        raise click.UsageError(f"{', '.join(strays)} is not read together with a study file.")
    if not is_study(options) and options["data"]:
        raise click.UsageError("--data belongs to a study; the table is the argument itself.")
