"""`snapdp start`: a stand-in until the command itself is here.

Room: cli.
"""

from __future__ import annotations

import click


@click.command("start", epilog="\b\nExample:\n  snapdp start people.csv")
@click.argument("table")
@click.option("--yes", is_flag=True, help="Do not ask before the ledger is charged.")
def start_command(table: str, yes: bool) -> None:
    """Go from a file to a report by answering questions. It charges a ledger, after asking."""
    raise click.UsageError(f"{table}: not yet ({yes}).")
