"""`snapdp explore`: a first look at a table that nobody has documented. Charged and recorded like every release.

Parse, one library call, render.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.flags.columns import declared_by_name
from snapdp.cli.flags.files import csv_options, csv_values, is_study, said_texts, text_options
from snapdp.cli.flags.lists import as_item, items, name_before
from snapdp.cli.flags.numbers import NUMBER, WHOLE
from snapdp.cli.flags.options import SectionedCommand
from snapdp.cli.flags.statistics import by_flags, stated_relation
from snapdp.cli.groups import json_option
from snapdp.cli.release import (
    FILE,
    account_named,
    charged_release,
    ledger_to_give,
    output_files,
    output_options,
    saved,
    say_texts_kept,
    say_written,
    to_try,
)
from snapdp.cli.screen import echo_json_text, note, say, table
from snapdp.display.numbers import exact_amount, two_digits
from snapdp.display.text import confidence, is_address, one_line, percent
from snapdp.exact.numbers import parameter
from snapdp.values import Values

if TYPE_CHECKING:
    from snapdp.api.exploration import Exploration, ExploredNumbers
    from snapdp.api.study import Study
    from snapdp.ledger.accounts import Account
    from snapdp.ledger.ledger import Ledger
    from snapdp.release.numbers import Number
    from snapdp.release.result import Release

EXAMPLE = """\b
Examples:
  snapdp explore people.csv --columns age,region \\
      --categories region=north,south --epsilon 0.1 --n 5000 \\
      --ledger people.ledger --yes
  snapdp explore people.csv --columns age,income --epsilon 0.2 --n 5000 \\
      --ledger people.ledger --study look.toml --yes
"""
NOTHING = "-"  # where nothing is known
PARTS = ("bounds", "quartiles", "missing")
UNUSED = {"data": None, "fit": False, "budget": None, "own": False, "no_inspect": True}  # what release has beside it


def _look_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give the command the flags that say what is looked at, and what it may cost."""
    options = (
        click.option("--columns", multiple=True, metavar="A,B,...", help="The columns to look at.  [required]"),
        click.option(
            "--categories",
            multiple=True,
            metavar="NAME=A,B,...",
            help="Public categories of one of the columns: their counts are released.",
        ),
        click.option("--only", type=click.Choice(PARTS), help="Show this alone; the release is the same."),
        click.option(
            "--outside",
            type=NUMBER,
            metavar="SHARE",
            help="Bounds may leave so much of the numbers of a column outside.  [default: 0.05]",
        ),
        click.option(
            "--exponents",
            type=WHOLE,
            nargs=2,
            metavar="LEAST LARGEST",
            help="Powers of two to count by, on both sides of zero.  [default: -10 40]",
        ),
        click.option("--epsilon", type=NUMBER, metavar="NUMBER", help="What it may cost, shared equally.  [required]"),
        click.option(
            "--alpha",
            type=NUMBER,
            metavar="NUMBER",
            help="Found wrongly in this share of looks: 0.05 is 95 %.  [default: 0.05]",
        ),
        click.option("--n", type=WHOLE, help="The number of rows is public, and this (change-one)."),
        click.option("--n-max", type=WHOLE, help="It is private, and at most this (add-remove)."),
        click.option(
            "--person",
            multiple=True,
            metavar="COLUMN,...",
            help="Protect persons, or what several name together.",
        ),
        click.option("--rows-per-person", type=WHOLE, help="At most so many rows of a person are kept.  [default: 1]"),
        click.option("--unit-rows", type=WHOLE, help="Protect so many rows together, which nothing enforces."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command("explore", cls=SectionedCommand, epilog=EXAMPLE)
@click.argument("source", type=str)
@click.option("--table", metavar="NAME", help="The table in a DuckDB file or on a PostgreSQL server.")
@click.option("--spark", metavar="URL", help="Let Spark with this master read the files.")
@csv_options
@_look_options
@text_options
@click.option("--ledger", "ledger_path", metavar="PATH", help="The ledger that is charged.  [required]")
@click.option("--dataset", metavar="NAME", help="The ledger's account, where it has several.")
@click.option("--yes", is_flag=True, help="Do not ask before the ledger is charged.")
@click.option("--study", "study_path", type=FILE, help="Write a study to edit, with the bounds found: FILE.toml.")
@output_options
@json_option("Print the record as JSON.")
@click.pass_context
def explore_command(ctx: click.Context, /, as_json: bool, ledger_path: str | None, yes: bool, **options: Any) -> None:
    """Charged: take a first look at a table: bounds, quartiles, what is missing.

    For a table of which nothing is documented. Numbers are counted by powers of two within a public range; bounds that
    hold nearly all of a column, its quartiles and the share of missing cells follow from the counts. They were paid
    for, so they are public: --study writes them into a study file to edit. The same look again is free.

    A look that costs nothing, for whoever may read the table, and whose answers are not public: snapdp inspect.
    """
    from snapdp.api.exploration import Exploration
    from snapdp.ledger.ledger import Ledger

    ctx.meta["snapdp.charges"] = True
    options |= UNUSED | {"directory": None}
    if is_study(options):
        raise click.UsageError("A look takes the table itself, not a study: what a study declares is known already.")
    if ledger_path is None:
        raise click.UsageError(f"Which ledger is charged? {ledger_to_give(options)}")
    ctx.meta["snapdp.try"] = lambda refusal: to_try(refusal, options, ledger_path)
    outputs = output_files(options)
    _check_study_file(options["study_path"])
    with Ledger.open(ledger_path) as ledger:
        looked = _study(options, ledger)
        if not as_json:
            _say_cost(looked, ledger.account(looked.dataset))
        result = charged_release(looked, ledger, options, yes=yes, quiet=True)
        left = ledger.account(looked.dataset).left
    found = Exploration(looked, result)
    unwritten = [problem for path in outputs if (problem := saved(result, path)) is not None]
    if options["study_path"] is not None:
        unwritten += _write_study(found, options)
        outputs = [*outputs, options["study_path"]]
    if as_json:
        echo_json_text(result.to_json())
        ctx.meta["snapdp.json"] = False  # one result is printed, whatever follows
    else:
        _show(found, options["only"])
        paid = "answered before: nothing was charged" if result.free else f"charged: epsilon {_cost(result)}"
        note(f"{paid}; left: {exact_amount(left)}", err=True)
    say_written([path for path in outputs if not any(each.filename == str(path) for each in unwritten)])
    say_texts_kept(result, looked)
    if unwritten:
        raise unwritten[0]


def _say_cost(looked: Study, account: Account) -> None:
    """Say what the look costs and means, and about how many rows its bounds take at that: public numbers."""
    from snapdp.ledger.statements import together_in_words
    from snapdp.studies.protection import explain_protection
    from snapdp.studies.statistics.magnitudes import Magnitudes

    plan = looked.plan()
    lines, total, share = plan.lines, exact_amount(plan.total), exact_amount(plan.lines[0].epsilon)
    say(f"epsilon {total} in total" + (f", {share} for each of {len(lines)} columns" if len(lines) > 1 else ""))
    say(explain_protection(plan.relation, plan.total))
    if told := together_in_words(plan.total, account):
        say(told)
    for line in lines:
        if isinstance(line.statistic, Magnitudes):
            rows = line.statistic.rows_for_bounds(line.epsilon, line.alpha)
            note(
                f"Bounds are found for columns of about {rows} numbers or more at this epsilon; quartiles for fewer.",
                err=True,
            )
            return


def _cost(result: Release) -> str:
    return exact_amount(parameter(result.charged, name="charged"))


def _study(options: Values, ledger: Ledger) -> Study:
    """Return the study of a look, as the flags declare it."""
    from snapdp.api.exploration import exploring_values
    from snapdp.api.study import study

    columns = [name for text in options["columns"] for name in items(text) if name]
    if not columns:
        raise click.UsageError("Which columns are looked at? Give --columns A,B,...")
    if options["epsilon"] is None:
        raise click.UsageError("What may it cost? Give --epsilon NUMBER: all columns share it equally.")
    for text in options["categories"]:
        if "=" not in text or name_before(text) not in columns:
            names = ", ".join(f"{as_item(name)}=A,B,..." for name in columns)
            raise click.UsageError(f'--categories "{text}" belongs to no column: give it as one of {names}.')
    categories = {name: items(text) for name, text in declared_by_name(options, "categories", columns).items()}
    csv = {"csv": said} if (said := csv_values(options)) else {}
    unit = stated_relation(options)
    with by_flags():
        values = exploring_values(
            columns,
            categories,
            epsilon=options["epsilon"],
            alpha=options["alpha"],
            outside=options["outside"],
            exponents=options["exponents"],
        )
        return study(dataset=account_named(options["dataset"], ledger), **unit, **csv, **said_texts(options), **values)


def _check_study_file(path: Path | None) -> None:
    """Refuse, before anything is charged, a study file that could not be written."""
    if path is None:
        return
    if path.suffix != ".toml":
        raise click.UsageError(f"--study writes .toml, not '{path.suffix}'.")
    if os.path.lexists(path):
        raise click.UsageError(f"--study {path} exists; it is not overwritten.")
    if not os.path.isdir(path.absolute().parent):
        raise click.UsageError(f"--study {path}: there is no such directory.")


def _write_study(found: Exploration, options: Values) -> list[click.FileError]:
    """Write the study to edit; return why it could not be written, where it could not: the release was made."""
    from snapdp.drafts import write_new_text
    from snapdp.errors import SnapdpError

    source, path = options["source"], options["study_path"]
    is_file = not is_address(source) and os.path.isfile(source)
    data = os.path.relpath(source, path.absolute().parent) if is_file else None  # relative to the study
    try:
        write_new_text(found.study_text(data=data, csv=found.looked.csv), path)
    except SnapdpError as problem:
        return [click.FileError(str(path), f"{problem.problem} The release was made; asking again is free.")]
    return []


# What is shown


def _show(found: Exploration, only: str | None) -> None:
    from snapdp.release.remarks import cut_line

    shown = {
        "bounds": ("bounds", _bounds),
        "quartiles": ("quartiles", _quartiles),
        "missing": ("without a number", _without),
    }
    parts = [shown[each] for each in PARTS if only in (None, each)]
    if found.numbers:
        rows = [(one_line(each.name), *(text(each) for _, text in parts)) for each in found.numbers]
        table(("column", *(head for head, _ in parts)), rows)
        _explain(found.numbers, only)
    if found.categories and only is None:
        counted = [(each.name, number) for each in found.categories for number in each.readable]
        table(("column", "category", "rows", "interval"), _counts(counted), numbers=(2,))
        if line := cut_line(number for _, number in counted):
            note(line, err=True)


def _explain(numbers: tuple[ExploredNumbers, ...], only: str | None) -> None:
    """Say what bounds and quartiles hold, and what helps where there are none."""
    first = numbers[0]
    outside, sure = percent(first.outside), confidence(first.alpha)
    if only in (None, "bounds"):
        note(f"bounds: at most {outside} of the numbers of the column lie outside, with confidence {sure}", err=True)
    if only in (None, "quartiles"):
        note(f"quartiles: roughly, by powers of two; each interval holds with confidence {sure}", err=True)
    if only in (None, "missing"):
        note(f"without a number: so many rows, in an interval that holds with confidence {sure}", err=True)
    words = [one_line(each.name) for each in numbers if each.is_text]
    if words:
        note(
            f"{', '.join(words)}: most cells are no numbers, and no epsilon helps. Declare categories (--categories), "
            "or how the file is written (--decimal, --thousands, --null); snapdp inspect tells how cells are read.",
            err=True,
        )
    if only in (None, "bounds") and any(each.bounds is None and not each.is_text for each in numbers):
        helps = "a larger one, or --outside, may help; snapdp inspect tells how cells are read"
        note(f"not found: too few numbers for this epsilon; {helps}", err=True)


def _bounds(found: ExploredNumbers) -> str:
    if found.lower is None and found.upper is None:
        return "not found"
    low = "not found" if found.lower is None else _outward(found.lower, ROUND_FLOOR)
    high = "not found" if found.upper is None else _outward(found.upper, ROUND_CEILING)
    return f"from {low}\nto {high}"


def _quartiles(found: ExploredNumbers) -> str:
    return "\n".join(f"{each.cell}: {_interval(each)}" for each in found.quartiles)


def _interval(number: Number) -> str:
    ends = (("from ", number.low, ROUND_FLOOR), ("to ", number.high, ROUND_CEILING))
    said = " ".join(f"{word}{_outward(end, rounding)}" for word, end, rounding in ends if end is not None)
    return said or NOTHING


def _outward(end: float, rounding: str) -> str:
    """Return the end of an interval: whole numbers whole, others with two digits, outward."""
    exact = Fraction(end)
    return str(exact) if exact.denominator == 1 else two_digits(exact, rounding)


def _without(found: ExploredNumbers) -> str:
    pairs = (
        ("missing", found.missing, found.missing_rows),
        ("unreadable", found.unreadable, found.unreadable_rows),
    )
    return "\n".join(f"{name} {_rows(share, rows)}" for name, share, rows in pairs)


def _rows(share: Number, rows: Number) -> str:
    """Return a share with the interval of its rows; where there may be none, only how many there are at most."""
    from snapdp.release.numbers import shown_row

    _, _, ends = shown_row(rows)
    if rows.low is not None and rows.high is not None and rows.low <= 0:
        return f"none, or up to {ends.rpartition(' to ')[2]} rows" if rows.high > 0 else "none found"
    return f"{100 * share.printed:.3g} % ({ends} rows)"


def _counts(counted: list[tuple[str, Number]]) -> list[tuple[str, ...]]:
    from snapdp.release.numbers import shown_row

    rows: list[tuple[str, ...]] = []
    before = None
    for name, number in counted:
        _, value, ends = shown_row(number)
        rows.append(("" if name == before else one_line(name), one_line(number.cell), value, ends))
        before = name
    return rows
