"""`snapdp plan`: what a release is worth before it is paid for. Opens no data.

Parse, one library call, render.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.flags.account import account_options, planned_charge, show_charge
from snapdp.cli.flags.files import picture_option, write_picture
from snapdp.cli.flags.numbers import NUMBER, WHOLE, StudyFile
from snapdp.cli.flags.options import SectionedCommand, statistic_options
from snapdp.cli.groups import json_option
from snapdp.cli.screen import echo, echo_json, folded, say
from snapdp.tables.engine_names import ENGINES
from snapdp.values import Values

if TYPE_CHECKING:
    from snapdp.studies.plans.plan import Plan
    from snapdp.studies.statistics.trees import LikelyQuantile

    Likes = tuple[LikelyQuantile, ...]

OF_A_PLAN = {"fit", "budget", "if_like", "if_rows", "details"}
QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|^--.*$""", re.MULTILINE)
HELD = "\0"  # which no statement holds: names and texts with it are refused
EXAMPLE = """\b
Examples:
  snapdp plan --mean age --bounds 0,120 --missing middle --n 5000 \\
      --epsilon 0.5
  snapdp plan --histogram region --categories north,south,east,west \\
      --n-max 10000 --accuracy 30
  snapdp plan --median age --bounds 0,120 --integer --missing dropped \\
      --n-max 10000 --epsilon 0.5
  snapdp plan study.toml --fit
  snapdp plan study.toml --if-rows 2000 --details
  snapdp plan study.toml --ledger people.ledger
  snapdp plan study.toml --sql --dialect postgresql
"""


@click.command("plan", cls=SectionedCommand, epilog=EXAMPLE)
@click.argument("study", required=False, type=StudyFile(exists=True, dir_okay=False, path_type=Path))
@statistic_options
@click.option(
    "--if-like",
    metavar="FILE",
    help="Of quantiles: show about how long intervals will be, in units of the column, if its rows are like those of "
    "FILE, which has a column of that name. FILE is public: an earlier table, a made-up one, never the table itself.",
)
@click.option(
    "--if-rows",
    type=WHOLE,
    metavar="N",
    help="Errors that depend on how many rows there are: show them for N rows in the table, and an equal share "
    "of these in each group.  [default: n or n_max]",
)
@click.option("--fit", is_flag=True, help="Rescale unlocked lines so that the total meets the budget.")
@click.option("--budget", type=NUMBER, metavar="NUMBER", help="The budget to fit to, instead of the study's.")
@click.option("--details", is_flag=True, help="Say what numbers are made of, what more epsilon buys, what is declared.")
@account_options
@click.option("--sql", is_flag=True, help="Show the SQL text that a release of STUDY will run, and nothing else.")
@click.option(
    "--dialect",
    type=click.Choice(tuple(ENGINES)),
    metavar="NAME",
    help="With --sql: as this engine reads a table of natural types: duckdb, spark or postgresql.  [default: duckdb]",
)
@json_option()
@picture_option
@click.pass_context
def plan_command(
    ctx: click.Context,
    /,
    as_json: bool,
    plot: Path | None,
    ledger_path: str | None,
    dataset: str | None,
    **options: Any,
) -> None:
    """Show what a release will cost and be worth. No data is opened.

    Give a STUDY file, or statistics by flags. A bare mechanism is planned by `snapdp lab plan`.
    """
    ctx.meta["snapdp.json"], ctx.meta["snapdp.study"] = as_json, options["study"] is not None
    if options["sql"]:
        refuse_strays({**options, "plot": plot, "ledger": ledger_path, "dataset": dataset})
        # Print the statement that computes the exact integers of a study.
        from snapdp.api.study import study

        text = study(options["study"]).sql(dialect=options["dialect"] or "")
        if as_json:
            echo_json({"ok": True, "sql": text})
        else:
            # A statement as a terminal shows it: broken at blanks that are in no quotes and no comment.
            held = QUOTED.sub(lambda found: found[0].replace(" ", HELD), text)
            echo(folded(held).replace(HELD, " "))
        return
    refuse_strays(options)
    plan = asked_plan(options)
    likes = _likes(plan, options)
    charge = None if ledger_path is None else planned_charge(plan, ledger_path, dataset, study=options["study"])
    drawn = None if plot is None else write_picture(plan, plot)
    if as_json:
        from snapdp.api.plan_values import plan_values

        account = {} if charge is None else {"account": charge.values}
        echo_json({**plan_values(plan, likes), **account}, indent=2)
    else:
        from snapdp.cli import plan_screen

        plan_screen.show_plan(plan, likes, details=options["details"])
        if charge is not None:
            show_charge(charge)
    if drawn is not None:
        say(drawn)


def _show_sql(options: dict[str, Any], *, as_json: bool) -> None:
    """Print the statement that computes the exact integers of a study."""
    from snapdp.api.study import study

    text = study(options["study"]).sql(dialect=options["dialect"] or "")
    if as_json:
        echo_json({"ok": True, "sql": text})
    else:
        echo(_in_lines(text))


def _in_lines(text: str) -> str:
    """Return a statement as a terminal shows it: broken at blanks that are in no quotes and no comment."""
    held = QUOTED.sub(lambda found: found[0].replace(" ", HELD), text)
    return folded(held).replace(HELD, " ")


def refuse_strays(options: dict[str, Any]) -> None:
    """Refuse flags that would not be read: a budget tool must not ignore what it is told."""
    if options["dialect"] is not None and not options["sql"]:
        raise click.UsageError("--dialect belongs to --sql.")
    if options["sql"]:
        if options["study"] is None:
            raise click.UsageError("--sql shows the statement of a study: give the study file.")
        allowed, form = {"study", "sql", "dialect"}, "--sql"
    elif options["study"] is not None:
        allowed, form = {"study", *OF_A_PLAN}, "a study file"
    else:
        return
    strays = [name for name, value in options.items() if value not in (None, False, ()) and name not in allowed]
    if strays:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in strays)
        raise click.UsageError(f"{flags} is not read together with {form}.")


def asked_plan(options: Values) -> Plan:
    """Return the plan that is asked for, by a study or by flags."""
    from snapdp.cli.flags.statistics import by_flags, declared_by_flags
    from snapdp.studies.study_file import load_study, plan_of
    from snapdp.tables.keys import read_keys

    rows = options["if_rows"]
    if options["study"] is not None:
        plan = plan_of(load_study(options["study"], read_keys=read_keys), if_rows=rows)
    else:
        with by_flags():
            plan = plan_of(declared_by_flags(options), if_rows=rows)
    if options["fit"] and options["budget"] is None and plan.budget is None:
        raise click.UsageError("--fit needs --budget NUMBER, or a budget in the study.")
    return plan.fit(options["budget"]) if options["fit"] or options["budget"] is not None else plan


def _likes(plan: Plan, options: dict[str, Any]) -> dict[int, Likes]:
    """Return for lines of quantiles, by their numbers, what they would be worth if rows were like a public file."""
    if options["if_like"] is None:
        return {}
    from snapdp.studies.aggregates import LevelCounts
    from snapdp.studies.statistics.quantiles import Quantiles
    from snapdp.tables.engines.opening import open_table

    found: dict[int, Any] = {
        place: line.statistic for place, line in enumerate(plan.lines) if isinstance(line.statistic, Quantiles)
    }
    if not found:
        raise click.UsageError("--if-like is for quantiles and medians: other accuracies hold for every table.")
    asked = {place: LevelCounts(column=each.column, where=each.tests) for place, each in found.items()}
    counts = open_table(options["if_like"]).aggregates(dict.fromkeys(asked.values()))
    lines = plan.lines
    rows = {place: each.rows_guessed(options["if_rows"]) for place, each in found.items()}
    return {place: lines[place].error_if_counted(counts[each], rows[place]) for place, each in asked.items()}
