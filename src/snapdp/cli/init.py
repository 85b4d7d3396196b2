"""`snapdp init`: write a study file, from flags or from questions. It never looks at data.

Room: cli. The answers become the values of a study; the study reader checks them, and its writer writes them.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import click

from snapdp.cli.csv_flags import csv_options, csv_values
from snapdp.cli.flags import NO_COLUMN, given, statistic_options, study_values
from snapdp.cli.screen import echo_json, one_line, say
from snapdp.studies import KINDS, STUDY_VERSION

EXAMPLE = """\b
Examples:
  snapdp init study.toml
  snapdp init study.toml --dataset people --mean age --bounds 0,120 --missing dropped --n 5000 --epsilon 0.5
"""


@click.command("init", epilog=EXAMPLE)
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--dataset", metavar="NAME", help="The name of the dataset: its account in the ledger.")
@click.option("--data", help="Where the table is; it is not opened.")
@csv_options
@statistic_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def init_command(ctx: click.Context, /, path: Path, as_json: bool, **options: Any) -> None:
    """Write a study file: what is public about a dataset and what will be asked of it.

    Without flags it asks. Bounds, categories and row counts are what you declare, never taken from the data.
    """
    from snapdp.drafts import write_text
    from snapdp.studies import plan_of, study_from_values, study_to_toml

    ctx.meta["snapdp.json"] = as_json
    if path.suffix != ".toml":
        raise click.UsageError(f"A study file ends in .toml, not '{path.suffix}'.")
    if os.path.exists(path):
        raise click.UsageError(f"{path} exists; it is not overwritten.")
    if given(options):
        values = study_values(options, dataset=options["dataset"] or path.stem)
    else:
        values = _asked(options["dataset"])
    if options["data"]:
        values["data"] = options["data"]
    if said := csv_values(options):
        values["csv"] = said
    study = study_from_values(values)
    plan = plan_of(study)
    write_text(study_to_toml(study), path)
    if as_json:
        echo_json({"ok": True, "study": str(path), "total": str(plan.total)})
    else:
        from snapdp.cli.render import show

        show(plan)
        say(f"wrote {one_line(str(path))}; next: snapdp plan {one_line(shlex.quote(str(path)))}")


def _asked(dataset: str | None) -> dict[str, Any]:
    """Return the values of a study, question by question."""
    name = dataset or _ask("Name of the dataset")
    say("Who is a neighbour? 1: the number of rows is public, one row's values change (change-one).")
    say("                    2: it is private, one row comes or goes (add-remove).")
    public = _ask("1 or 2", choices=("1", "2")) == "1"
    rows = _ask("Public number of rows" if public else "At most how many rows (public bound)")
    relation = {"relation": "change-one", "n": rows} if public else {"relation": "add-remove", "n_max": rows}
    columns: dict[str, Any] = {}
    statistics: list[dict[str, Any]] = []
    while True:
        statistics.append(_statistic(columns))
        if not click.confirm("Another statistic?", default=False, err=True):
            break
    return {
        "version": STUDY_VERSION,
        "dataset": name,
        **relation,
        "columns": columns or NO_COLUMN,
        "statistic": statistics,
    }


def _statistic(columns: dict[str, Any]) -> dict[str, Any]:
    kinds = tuple(kind for kind, each in KINDS.items() if each.takes < 2)
    kind = _ask(f"Statistic ({', '.join(kinds)})", choices=kinds)
    found: dict[str, Any] = {"kind": kind}
    if KINDS[kind].takes:
        found["column"] = _column(columns)
    elif by := _ask("Counted for each category of which column? (empty: all rows)", empty=True):
        found["by"] = _column(columns, name=by, category=True)
    column = columns.get(found.get("column", ""), {})
    if "edges" in KINDS[kind].details and column.get("kind") in ("number", "integer"):
        found["edges"] = _list("Bin edges, increasing, with commas")
    found["epsilon"] = _ask("Epsilon it may cost")
    return found


def _column(columns: dict[str, Any], *, name: str | None = None, category: bool = False) -> str:
    name = name or _ask("Column")
    if name in columns:
        return name
    kinds = (*(() if category else ("number", "integer")), "category", "boolean", "date")
    kind = _ask(f"It holds ({', '.join(kinds)})", choices=kinds)
    if kind == "boolean":
        columns[name] = {"kind": kind}
    elif kind == "date":
        ends = {"from": _ask("First day (public), as 2020-01-31"), "to": _ask("Last day (public)")}
        each = _ask("Counted by (day, week, month, year)", choices=("day", "week", "month", "year"))
        columns[name] = {"kind": kind, **ends, "each": each}
    elif kind == "category":
        columns[name] = {"kind": kind, "categories": _list("All its categories, with commas")}
    else:
        bounds = {"lower": _ask("Lower bound (public)"), "upper": _ask("Upper bound (public)")}
        say("Where the cell is missing:  dropped: the row is left out, the statistic is of those who answered.")
        say("                            middle: the middle of the bounds stands in; or a public number does.")
        columns[name] = {"kind": kind, **bounds, "missing": _ask("dropped, middle, or a number")}
    return name


def _list(text: str) -> list[str]:
    return [each.strip() for each in _ask(text).split(",")]


def _ask(text: str, *, choices: tuple[str, ...] = (), empty: bool = False) -> str:
    kind = click.Choice(choices) if choices else None
    answer: str = click.prompt(
        text, type=kind, default="" if empty else None, show_default=False, show_choices=False, err=True
    )
    return answer.strip()
