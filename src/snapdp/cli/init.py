"""`snapdp init`: write a study file from flags. Of a table it reads the names of columns, no row.

What flags say becomes the values of a study, which the study reader checks and its writer writes. A table
that is not there yet, or that cannot be opened here, is not asked.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.flags.files import csv_options, csv_values, said_texts, text_options, to_declare
from snapdp.cli.flags.numbers import NUMBER
from snapdp.cli.flags.options import SectionedCommand, given, statistic_options
from snapdp.cli.flags.statistics import study_values
from snapdp.cli.groups import json_option
from snapdp.cli.screen import echo_json, say
from snapdp.display.text import is_address, one_line

if TYPE_CHECKING:
    from snapdp.studies.study_file import DeclaredStudy

EXAMPLE = """\b
Examples:
  snapdp init six.toml --data people.csv --count --mean age --mean income \\
      --median income --histogram region --sum income \\
      --bounds age=0,120 --bounds income=0,10000 --step income=1 \\
      --missing dropped --categories north,south,east,west \\
      --n-max 10000 --budget 1
  snapdp init ages.toml --dataset people --mean age --bounds 0,120 \\
      --missing dropped --n 5000 --epsilon 0.5
"""
NOTHING_ASKED = (
    "Give the statistics to publish, whom to protect and the budget, for example: snapdp init study.toml "
    "--data people.csv --mean age --bounds 0,120 --missing dropped --n-max 10000 --budget 1"
)


@click.command("init", cls=SectionedCommand, epilog=EXAMPLE)
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--dataset", metavar="NAME", help="The dataset: its account in the ledger.  [default: the name of --data, or PATH]"
)
@click.option(
    "--data", help="Where the table is, as seen from the study; of a CSV or Parquet file the names of columns are read."
)
@csv_options
@statistic_options
@click.option(
    "--budget",
    type=NUMBER,
    metavar="NUMBER",
    help="What may ever be spent on the dataset; without --epsilon the statistics share all of it.",
)
@text_options
@json_option()
@click.pass_context
def init_command(ctx: click.Context, /, path: Path, as_json: bool, **options: Any) -> None:
    """Write a study file: what is public about a dataset and what will be asked of it.

    Bounds, categories and row counts are what you declare, never taken from the data: of a CSV or Parquet file the
    names of columns are read, and no row. How a CSV file is written goes into the study, for all commands.
    """
    from snapdp.cli.plan_screen import show_plan
    from snapdp.drafts import write_new_text
    from snapdp.studies.study_file import keys_beside, plan_of, study_from_values, study_to_toml
    from snapdp.tables.keys import read_keys

    ctx.meta["snapdp.try"] = to_declare
    if path.suffix != ".toml":
        raise click.UsageError(f"A study file ends in .toml, not '{path.suffix}'.")
    if os.path.lexists(path):
        raise click.UsageError(
            f"{path} exists; it is not overwritten. Edit it; or remove it and write it again, as long as nothing was "
            "released with it."
        )
    if not given(options):
        raise click.UsageError(NOTHING_ASKED)
    if options["epsilon"] is None and options["accuracy"] is None:
        options["epsilon"] = options["budget"]
    table = _table(path, options["data"])
    values = study_values(options, dataset=options["dataset"] or _dataset(path, options["data"]))
    if options["budget"] is not None:
        values["budget"] = options["budget"]
    if options["data"]:
        values["data"] = options["data"]
    if said := {**values.get("csv", {}), **csv_values(options)}:
        values["csv"] = said
    values |= said_texts(options)
    study = study_from_values(values, read_keys=keys_beside(path, read_keys))  # relative to the study, as data are
    if table is not None:
        # Refuse columns that the table does not have, before a study with them is written.
        from snapdp.api.study import Study

        Study(study).check_names(table)
    plan = plan_of(study)
    write_new_text(study_to_toml(study), path)
    if as_json:
        echo_json({"ok": True, "study": str(path), "total": str(plan.total)})
        return
    show_plan(plan)
    if not study.relation.person_columns and study.relation.unit_rows == 1:
        say("One row is one person? If not: --person COLUMN, or --unit-rows N.")
    if _may_have_commas(study):
        say(f'Decimal commas in it? Then add to [csv] of {one_line(shlex.quote(str(path)))}: decimal = ","')
    first, *more = _next(path, study)
    say(f"wrote {one_line(str(path))}; {first}")
    for line in more:
        say(line)


def _may_have_commas(study: DeclaredStudy) -> bool:
    """Tell whether numbers may have decimal commas that nobody declared: something else stands between the cells."""
    from snapdp.studies.columns import NUMBER
    from snapdp.studies.csv_dialect import CsvDialect

    plain, said = CsvDialect(), study.csv or CsvDialect()
    is_plain = (said.decimal, said.thousands) == (plain.decimal, plain.thousands)
    return is_plain and said.separator != plain.separator and any(each.kind == NUMBER for each in study.columns)


def _next(path: Path, study: DeclaredStudy) -> list[str]:
    """Return what comes next, in lines: the account of the table is opened, or the one that it has is used."""
    from snapdp.cli.accounts import account_in, ledger_beside, ledgers_beside, to_share, with_account

    named = one_line(shlex.quote(str(path)))
    if study.budget is None:
        return [f"next: snapdp plan {named}"]
    data = study.data if study.data is None or is_address(study.data) else str(path.parent / study.data)
    ledger = ledger_beside(str(path), study.dataset, data)
    where = one_line(shlex.quote(ledger))
    if (account := account_in(ledger, study.dataset)) is not None:
        stands, lines = with_account(str(path), study, account, ledger)
        return [f"{one_line(ledger)} has the account of {one_line(study.dataset)}, {stands}", *lines]
    if os.path.exists(ledger) or not (others := ledgers_beside(ledger)):
        return [f"next: snapdp ledger create --from {named}"]
    create = f"snapdp ledger create {where} --from {named}"
    beside = ", ".join(one_line(each.name) for each in others)
    return [f"beside it: {beside}", *to_share(others, study=str(path), otherwise=create, data=data).split("\n")]


def _dataset(path: Path, data: str | None) -> str:
    """Return the name of the dataset where nobody gives one: that of the table, so that all its studies share it."""
    from snapdp.cli.accounts import table_name
    from snapdp.ledger.accounts import is_label

    name = "" if not data or is_address(data) else table_name(path.parent / data)
    return name if is_label(name) else path.stem


def _table(path: Path, data: str | None) -> Path | None:
    """Return the file of the table, which the study names as seen from itself; None where its names cannot be read."""
    from snapdp.tables.engines.opening import is_readable

    if not data or is_address(data):
        return None
    found = path.parent / data
    return found if is_readable(found) else None
