"""`snapdp sql`: the statement that a release of a study will run. Opens no data unless a table is named.

Room: cli.
"""

from __future__ import annotations

import click

from snapdp.cli.screen import echo, echo_json


@click.command("sql", epilog="\b\nExample:\n  snapdp sql study.toml")
@click.argument("study", type=click.Path(exists=True, dir_okay=False))
@click.option("--data", help="Show it for this table: the types it is stored in decide how cells are read.")
@click.option("--table", metavar="NAME", help="The table in a DuckDB file or on a PostgreSQL server.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def sql_command(ctx: click.Context, /, study: str, data: str | None, table: str | None, as_json: bool) -> None:
    """Show the SQL text that computes the exact integers of a study."""
    from snapdp.api.study import study as load
    from snapdp.tables import open_table

    ctx.meta["snapdp.json"] = as_json
    if table is not None and data is None:
        raise click.UsageError("--table names a table in --data: give both.")
    text = load(study).sql(None if data is None else open_table(data, table=table))
    if as_json:
        echo_json({"ok": True, "sql": text})
    else:
        echo(text)
