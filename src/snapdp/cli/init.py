"""`snapdp init`: write a study file, from flags or from questions. It never looks at data.

Room: cli. The answers become the values of a study; the study reader checks them, and its writer writes them.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from snapdp.cli.flags.columns import NO_COLUMN
from snapdp.cli.flags.csv_dialect import csv_options, csv_values
from snapdp.cli.flags.options import given, statistic_options
from snapdp.cli.flags.statistics import study_values
from snapdp.cli.flags.texts import said_texts, text_options
from snapdp.cli.screen import echo_json, one_line, say
from snapdp.errors import ParameterError, SnapdpError
from snapdp.exact import parameter, positive, probability
from snapdp.studies import (
    EACH,
    INTEGER,
    KIND_KEYS,
    KINDS,
    MAGNITUDE,
    NUMBER,
    STUDY_VERSION,
    PersonCount,
    named_person,
    whole,
)

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
@text_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def init_command(ctx: click.Context, /, path: Path, as_json: bool, **options: Any) -> None:
    """Write a study file: what is public about a dataset and what will be asked of it.

    Without flags it asks. Bounds, categories and row counts are what you declare, never taken from the data.
    """
    from snapdp.drafts import write_text
    from snapdp.studies import keys_beside, plan_of, study_from_values, study_to_toml
    from snapdp.tables import read_keys

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
    values |= said_texts(options)
    study = study_from_values(values, read_keys=keys_beside(path, read_keys))  # relative to the study, as data are
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
    from snapdp.ledger import label

    name = dataset or _ask("Name of the dataset", check=lambda text: label(text, name="dataset"))
    say("Who is a neighbour? 1: the number of rows is public, one row's values change (change-one).")
    say("                    2: it is private, one row comes or goes (add-remove).")
    public = _ask("1 or 2", choices=("1", "2")) == "1"
    how_many = "Public number of rows" if public else "At most how many rows (public bound)"
    rows = _ask(how_many, check=lambda text: whole(text, name="the number of rows"))
    relation = (
        {"relation": "change-one", "n": rows} if public else {"relation": "add-remove", "n_max": rows, **_persons()}
    )
    columns: dict[str, Any] = {}
    statistics: list[dict[str, Any]] = []
    while True:
        known = dict(columns)
        asked = _statistic(known, persons="person" in relation)
        values = {**relation, "columns": known or NO_COLUMN, "statistic": [*statistics, asked]}
        refused = _refused(values)
        if refused is None:
            columns, statistics = known, [*statistics, asked]
        else:
            say(f"{refused} It is left out; the answers before it are kept.")
        if statistics and not click.confirm("Another statistic?", default=False, err=True):
            break
    return {
        "version": STUDY_VERSION,
        "dataset": name,
        **relation,
        "columns": columns or NO_COLUMN,
        "statistic": statistics,
    }


def _refused(values: dict[str, Any]) -> str | None:
    """Return why these values are no study that can be planned; None where they are."""
    from snapdp.studies import plan_of, study_from_values

    try:
        plan_of(study_from_values({"version": STUDY_VERSION, "dataset": "asked", **values}))
    except SnapdpError as refusal:
        return refusal.problem
    return None


def _check_column(name: str, column: dict[str, Any]) -> None:
    """Refuse a declaration that no study could have."""
    count = {"kind": "count", "epsilon": 1}
    refused = _refused({"relation": "add-remove", "n_max": 1, "columns": {name: column}, "statistic": [count]})
    if refused is not None:
        raise ParameterError(refused)


def _persons() -> dict[str, Any]:
    """Return the columns that name persons, and how many rows of each count; nothing where every row is a unit."""
    question = "Column that says whose row it is, or several with commas (empty: every row stands for itself)"
    names = _ask(question, empty=True, check=lambda text: text and named_person(_split(text)))
    if not names:
        return {}
    most = _ask("At most how many rows of each count", check=lambda text: whole(text, name="rows_per_person"))
    return {"person": _split(names), "rows_per_person": most}


def _statistic(columns: dict[str, Any], *, persons: bool) -> dict[str, Any]:
    kinds = tuple(kind for kind, each in KINDS.items() if each.takes < 2 and (persons or each is not PersonCount))
    kind = _ask(f"Statistic ({', '.join(kinds)})", choices=kinds)
    found: dict[str, Any] = {"kind": kind}
    if KINDS[kind].takes:
        found["column"] = _column(columns, kind=KINDS[kind].column_kind)
    elif by := _split(
        _ask("Counted for each cell of which column, or columns with commas? (empty: all rows)", empty=True)
    ):
        names = [_column(columns, name=name, grouped=True) for name in by]
        found["by"] = names if len(names) > 1 else names[0]
    if "by" in found and "groups_per_person" in KINDS[kind].details:
        many = "At most how many groups each person counts in"
        found["groups_per_person"] = _ask(many, check=lambda text: whole(text, name="groups_per_person"))
    if "at" in KINDS[kind].details:
        found |= _shares(columns, found["column"])
    column = columns.get(found.get("column", ""), {})
    if "edges" in KINDS[kind].details and column.get("kind") in (NUMBER, INTEGER) and "edges" not in column:
        found["edges"] = _list("Bin edges, increasing, with commas", check=_check_edges)
    found["epsilon"] = _ask("Epsilon it may cost", check=lambda text: positive(text, name="epsilon"))
    return found


def _shares(columns: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the shares of quantiles; a column of numbers without a step is asked for one, which makes them good."""
    column = columns[name]
    if column["kind"] == NUMBER and "step" not in column:
        question = "Values are rounded to multiples of (empty: the finest step; quantiles over fewer values err less)"
        step = _ask(question, empty=True, check=lambda text: _check_column(name, _stepped(column, text)))
        columns[name] = _stepped(column, step)
    question = "At shares of the rows, rising, with commas (empty: 0.5, the median)"
    shares = _ask(question, empty=True, check=_check_shares)
    return {"at": _split(shares)} if shares else {}


def _stepped(column: dict[str, Any], step: str) -> dict[str, Any]:
    return {**column, "step": step} if step else column


def _check_shares(text: str) -> None:
    numbers = [probability(each, name="a share") for each in _split(text)]
    if any(a >= b for a, b in pairwise(numbers)):
        raise ParameterError("these shares do not rise.")


def _column(columns: dict[str, Any], *, name: str | None = None, grouped: bool = False, kind: str | None = None) -> str:
    """Return the name of a column, which is declared where it is not yet; one of numbers has bins to be grouped by.

    kind   what it is declared as, where the statistic leaves no choice: nothing is asked then
    """
    name = name or _ask("Column")
    if name not in columns and kind is not None:
        columns[name] = {"kind": kind}
    if name not in columns:
        others = tuple(each for each in KIND_KEYS if each != MAGNITUDE)
        kinds = (*others, NUMBER, INTEGER) if grouped else (NUMBER, INTEGER, *others)
        who = one_line(name) if grouped else "It"
        kind = _ask(f"{who} holds ({', '.join(kinds)})", choices=kinds)
        columns[name] = _details(name, {"kind": kind})
    column = columns[name]
    if grouped and column["kind"] in (NUMBER, INTEGER) and "edges" not in column:
        listed = _list(
            f"Bin edges of {one_line(name)}, increasing, with commas",
            check=lambda edges: _check_column(name, {**column, "edges": edges}),
        )
        columns[name] = {**column, "edges": listed}
    return name


def _details(name: str, column: dict[str, Any]) -> dict[str, Any]:
    """Return the declaration of a column whose kind is known; each answer must make one with those before it."""
    if column["kind"] == "date":
        first = _detail(
            name, column, "from", "First day (public), as 2020-01-31", lambda day: {"to": day, "each": "year"}
        )
        last = _detail(name, first, "to", "Last day (public)", lambda _: {"each": "year"})
        each = _ask(f"Counted by ({', '.join(EACH)})", choices=EACH)
        return {**last, "each": each}
    if column["kind"] == "category":
        listed = _list(
            "All its categories, with commas", check=lambda x: _check_column(name, {**column, "categories": x})
        )
        return {**column, "categories": listed}
    if column["kind"] == "boolean":
        return column
    assert column["kind"] in (NUMBER, INTEGER), "a new kind says here what it asks"
    lower = _ask("Lower bound (public)", check=lambda text: parameter(text, name="the lower bound"))
    bounds = _detail(name, {**column, "lower": lower}, "upper", "Upper bound (public)", lambda _: {"missing": "middle"})
    say("Where the cell is missing:  dropped: the row is left out, the statistic is of those who answered.")
    say("                            middle: the middle of the bounds stands in; or a public number does.")
    return _detail(name, bounds, "missing", "dropped, middle, or a number", lambda _: {})


def _detail(
    name: str, column: dict[str, Any], key: str, question: str, rest: Callable[[str], dict[str, Any]]
) -> dict[str, Any]:
    """Return a declaration with one more key; `rest` is what it needs beside an answer to be judged."""
    answer = _ask(question, check=lambda text: _check_column(name, {**column, key: text, **rest(text)}))
    return {**column, key: answer}


def _check_edges(edges: list[str]) -> None:
    numbers = [parameter(each, name="an edge") for each in edges]
    if len(numbers) < 2 or any(a >= b for a, b in pairwise(numbers)):
        raise ParameterError("these are not two or more edges in increasing order.")


def _split(text: str) -> list[str]:
    return [each.strip() for each in text.split(",")] if text else []


def _list(text: str, *, check: Callable[[list[str]], object]) -> list[str]:
    return _split(_ask(text, check=lambda answer: check(_split(answer))))


def _ask(
    text: str, *, choices: tuple[str, ...] = (), empty: bool = False, check: Callable[[str], object] | None = None
) -> str:
    """Ask until the answer is one that the library takes; only that answer is asked for again."""

    def taken(answer: str) -> str:
        try:
            if check is not None:
                check(answer.strip())
        except SnapdpError as refusal:
            raise click.UsageError(one_line(refusal.problem)) from None
        return answer.strip()

    kind = click.Choice(choices) if choices else None
    settings: dict[str, Any] = {"type": kind} if choices else {"value_proc": taken}
    answer: str = click.prompt(
        text, default="" if empty else None, show_default=False, show_choices=False, err=True, **settings
    )
    return answer.strip()
