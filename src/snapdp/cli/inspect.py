"""`snapdp inspect`: how the cells of a table are read, before anything is asked of it. Writes nothing.

Parse, one library call, render. It has no --json: what it says is for whoever may read the table.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.accounts import account_in, affordable_command, ledger_beside
from snapdp.cli.flags.files import csv_dialect, is_study, refuse_strays, source_options, to_declare, to_look
from snapdp.cli.flags.lists import as_item, named_columns
from snapdp.cli.flags.options import SectionedCommand, given, statistic_options
from snapdp.cli.flags.statistics import column_values
from snapdp.cli.screen import echo, note, say, table, watch
from snapdp.display.text import one_line
from snapdp.values import Values

if TYPE_CHECKING:
    from snapdp.tables.inspection import Look

QUOTE = "'"  # a sign stands in quotes: it is hard to see without
EXAMPLE = """\b
Examples:
  snapdp inspect people.csv
  snapdp inspect people.csv --mean age --bounds 0,99
  snapdp inspect study.toml
"""


@click.command("inspect", cls=SectionedCommand, epilog=EXAMPLE)
@source_options
@statistic_options
@click.pass_context
def inspect_command(ctx: click.Context, /, **options: Any) -> None:
    """Look at how the cells of a table are read, before a release.

    SOURCE is a study (.toml) or a table; with the flags of a release it is read as that release would read it, without
    them it is said what each column could be read as. For each column: how many cells are missing, cannot be read, or
    are outside of what is declared, in classes, and the shapes of what was not read. No cell is shown.

    For whoever may read the table: it costs nothing, and no epsilon covers it. Nothing is written: no ledger entry,
    record, log or cache. There is no --json: its answers are not to be kept, passed on, or built into a request.
    """
    study = options["source"] if is_study(options) else None
    ctx.meta["snapdp.try"], ctx.meta["snapdp.study"] = partial(to_declare, study=study), study is not None
    look = _look(options)
    show_look(look)
    for told in what_to_type(look, study):
        note(told, style="")
    if study is not None and look.lines and not look.signs and not look.neither:
        _say_next(study, options)


def _look(options: Values) -> Look:
    from snapdp.api.study import study
    from snapdp.studies.columns import PersonColumn
    from snapdp.tables.engines.opening import open_table

    where = {"table": options["table"], "spark": options["spark"]}
    refuse_strays(options, given(options))
    if is_study(options):
        found = study(options["source"])
        data = options["data"] or found.data
        dialect = csv_dialect(options, found.csv)
        return found.inspect(None if data is None else open_table(data, **where, dialect=dialect), watch=watch)
    opened = open_table(options["source"], **where, dialect=csv_dialect(options, None))
    columns = column_values(options) if given(options) else {}
    if not columns:
        return opened.inspect(watch=watch)
    declared = study(
        dataset="inspected",
        relation="add-remove",
        n_max=1,
        columns=columns,
        statistic=[{"kind": "count", "epsilon": 1}],
    )
    persons = [PersonColumn(name=name) for name in named_columns(options["person"])]
    return opened.inspect([*declared.columns, *persons], watch=watch)


def _say_next(path: str, options: Values) -> None:
    """Say how a study is released without another look, where its ledger is beside it and can pay."""
    from snapdp.api.study import study

    found = study(path)
    ledger = ledger_beside(path, found.dataset, options["data"] or found.data)
    if (account := account_in(ledger, found.dataset)) is None:
        return
    typed = [*to_look(options)[1:], "--no-inspect"]
    if command := affordable_command(path, found.declared, account, ledger, typed):
        say("Read as it should be? Then, without another look:")
        echo(f"  {command}", err=True)


def show_look(look: Look, *, to_stderr: bool = False) -> None:
    """Print a look: its table, and what may be made of it."""
    if not look.lines:
        note("No statistic here reads a cell.", err=to_stderr)
        return
    table(look.heads, look.lines, unbroken=len(look.heads) - 1, err=to_stderr)
    for each in look.notes:
        note(each, err=to_stderr)


def what_to_type(look: Look, study: str | None) -> Iterator[str]:
    """Yield what to type where numbers are written with other signs, and where a column is none of booleans."""
    if look.signs:
        yield _signs(dict(look.signs), study)
    for name in look.neither:
        # How two words of another language are declared; they are an example, never taken from the table.
        shown = one_line(name)
        if study is None:
            of = shlex.quote(as_item(shown))
            said = f"the same command with --categories {of}=ja,nein in place of --boolean {shlex.quote(shown)}"
        else:
            said = f'in {shlex.quote(study)}, for the column {shown}: kind = "category" and categories = ["ja", "nein"]'
        yield f"Try: {said}, with its own words."


def _signs(signs: dict[str, str], study: str | None) -> str:
    """Return what to type where numbers are written with other signs: flags, or lines of the study."""
    if study is None:
        flags = (
            f"--{key} {shlex.quote(value) if value == QUOTE else f'{QUOTE}{value}{QUOTE}'}"
            for key, value in signs.items()
        )
        return f"Try: the same command with {' '.join(flags)}"
    lines = " and ".join(f'{key} = "{value}"' for key, value in signs.items())
    return f"Try: change [csv] of {shlex.quote(study)} to: {lines}"
