"""`snapdp demo`: a made-up table, a study, a ledger, a release and its report, in a few seconds.

The table is generated here from a fixed recipe: nobody's data. So the demo may show what a release hides.
"""

from __future__ import annotations

import os
import random
import shlex
import webbrowser
from pathlib import Path

import click

from snapdp.cli.screen import echo
from snapdp.display.text import one_line

ROWS = 5000
REGIONS = ("north", "south", "east", "west")
STUDY = """format = 1
dataset = "people"
relation = "change-one"
n = 5000
budget = "1"
data = "people.csv"

[columns.age]
kind = "integer"
lower = 0
upper = 120
missing = "middle"

[columns.income]
kind = "number"
lower = 0
upper = 10000
step = "1/100"
missing = "dropped"

[columns.region]
kind = "category"
categories = ["north", "south", "east", "west"]

[[statistic]]
kind = "mean"
column = "age"
epsilon = "0.2"

[[statistic]]
kind = "quantiles"
column = "age"
at = ["0.25", "0.5", "0.75"]
epsilon = "0.2"

[[statistic]]
kind = "histogram"
column = "region"
epsilon = "0.1"

[[statistic]]
kind = "mean"
column = "income"
by = "region"
epsilon = "0.4"

[[statistic]]
kind = "count"
where = [{column = "age", from = 65}]
epsilon = "0.1"
"""


FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command("demo", epilog="\b\nExample:\n  snapdp demo demo")
@click.argument("place", metavar="[DIRECTORY]", required=False, type=FOLDER)
@click.option("--directory", default="snapdp-demo", type=FOLDER, show_default=True, help="The same, by a flag.")
@click.option("--open", "open_report", is_flag=True, help="Open the report in a browser.")
@click.option("--page", is_flag=True, help="Release nothing: open the page on table, study and ledger.")
@click.option("--no-browser", is_flag=True, help="With --page: print its address only.")
def demo_command(place: Path | None, directory: Path, open_report: bool, page: bool, no_browser: bool) -> None:
    """Make a table of 5,000 made-up people, plan a study of it, release it, and write the report, all in DIRECTORY."""
    from snapdp.api.study import study
    from snapdp.cli.plan_screen import show_plan
    from snapdp.cli.release_screen import show_release
    from snapdp.drafts import write_text
    from snapdp.ledger.ledger import Ledger

    directory = place or directory
    if os.path.exists(directory / "people.csv"):
        raise click.UsageError(f"{directory} holds a demo already; name another directory or remove it.")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise click.UsageError(f"{directory} cannot be made: {problem.strerror}.") from None
    rows = people()
    write_text(table_text(rows), directory / "people.csv")
    write_text(STUDY, directory / "study.toml")
    asked = study(directory / "study.toml")
    with Ledger.create(directory / "people.ledger") as ledger:
        ledger.create_account("people", cap=1, relation="change-one", rows=ROWS)
    if page:
        from snapdp.cli.serve import serve_command

        words = [str(directory / "study.toml"), *(["--no-browser"] if no_browser else [])]
        serve_command.main(words, standalone_mode=False)
        return
    with Ledger.open(directory / "people.ledger") as ledger:
        result = asked.release(ledger=ledger)
        left = ledger.account("people").left
    for name in ("record.json", "report.html", "values.csv"):
        result.save(directory / name)
    echo(f"1. A table of {ROWS} made-up people and a study of it: its worth, and its cost.\n")
    show_plan(asked.plan())
    echo("\n2. A ledger with a budget of epsilon 1 for it, and the release that spends it.\n")
    show_release(result, left=left)
    mean, older = sum(age for age, _, _ in rows) / ROWS, sum(age >= 65 for age, _, _ in rows)
    median = sorted(age for age, _, _ in rows)[ROWS // 2 - 1]
    echo("\n   Nobody is in this table, so we may look:")
    echo(f"   the mean age is {mean:g}, the median {median}, and {older} are 65 or older.")
    shown = one_line(str(directory))
    echo(f"\n3. Written to {shown}:")
    echo("   people.csv, study.toml, people.ledger, record.json, report.html, values.csv,")
    echo("   and datapackage.json, which says what the columns of values.csv mean")
    table, ledger_path, record = (
        one_line(shlex.quote(str(directory / name))) for name in ("study.toml", "people.ledger", "record.json")
    )
    echo("\n   The same again is free, anything new is refused: the budget is spent. Try")
    echo(f"     snapdp release {table} --ledger {ledger_path} --yes")
    echo(f"     snapdp release {table} --ledger {ledger_path} --fit --budget 1/2 --yes")
    echo(f"     snapdp ledger verify {ledger_path} --against {record}")
    if open_report:
        webbrowser.open((directory / "report.html").absolute().as_uri())


def people() -> list[tuple[int, float, str]]:
    """Return the made-up people: age, income, region. The same ones every time."""
    recipe = random.Random(20260101)  # a recipe for a table, not noise: releases never have a seed
    found = []
    for _ in range(ROWS):
        age = min(97, int(recipe.triangular(0, 98, 38)))
        region = recipe.choices(REGIONS, weights=(35, 30, 20, 15))[0]
        income = 0.0 if age < 16 else round(min(9999.0, recipe.lognormvariate(7.9, 0.45)), 2)
        found.append((age, income, region))
    return found


def table_text(rows: list[tuple[int, float, str]]) -> str:
    return "age,income,region\n" + "".join(f"{age},{income:.2f},{region}\n" for age, income, region in rows)
