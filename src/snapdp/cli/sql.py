"""`snapdp sql`: the statement that a release of a study will run. Opens no data unless a table is named.

Room: cli.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import click

from snapdp.cli.flags.arguments import StudyFile
from snapdp.cli.flags.csv_dialect import csv_dialect, csv_options, csv_values, to_declare
from snapdp.cli.screen import echo, echo_json, folded
from snapdp.tables import ENGINES

QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|^--.*$""", re.MULTILINE)
HELD = "\0"  # which no statement holds: names and texts with it are refused
EXAMPLE = """\b
Examples:
  snapdp sql study.toml
  snapdp sql study.toml --dialect postgresql
"""


@click.command("sql", epilog=EXAMPLE)
@click.argument("study", type=StudyFile(exists=True, dir_okay=False))
@click.option("--data", help="Show it for this table: the types it is stored in decide how cells are read.")
@click.option("--table", metavar="NAME", help="The table in a DuckDB file or on a PostgreSQL server.")
@click.option(
    "--dialect",
    type=click.Choice(tuple(ENGINES)),
    help="Show it as this engine reads it, for a table of natural types.  [default: duckdb, or the engine of --data]",
)
@csv_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def sql_command(
    ctx: click.Context,
    /,
    study: str,
    data: str | None,
    table: str | None,
    dialect: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Show the SQL text that computes the exact integers of a study."""
    from snapdp.api.study import study as load
    from snapdp.tables import open_table

    ctx.meta["snapdp.json"], ctx.meta["snapdp.study"] = as_json, True
    if table is not None and data is None:
        raise click.UsageError("--table names a table in --data: give both.")
    if dialect is not None and data is not None:
        raise click.UsageError("--dialect is for a table that is not there yet; that of --data is its engine's.")
    if data is None and csv_values(options):
        raise click.UsageError("How a CSV file is written belongs to --data: give both.")
    ctx.meta["snapdp.try"] = partial(to_declare, study=study)
    found = load(study)
    if data is None:
        text = found.sql(dialect=dialect or "")
    else:
        text = found.sql(open_table(data, table=table, dialect=csv_dialect(options, found.csv)))
    if as_json:
        echo_json({"ok": True, "sql": text})
    else:
        echo(_in_lines(text))


def _in_lines(text: str) -> str:
    """Return a statement as a terminal shows it: broken at blanks that are in no quotes and no comment."""
    held = QUOTED.sub(lambda found: found[0].replace(" ", HELD), text)
    return folded(held).replace(HELD, " ")
