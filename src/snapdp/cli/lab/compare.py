"""`snapdp lab compare` and `snapdp lab bits`: mechanisms, formulas and precisions side by side.

Each comparison is one library call, whose rows are shown as a table, as JSON and as a picture.
Public numbers only, but for `--show errors --public-table`: errors at the mean of a table tell that mean modulo the
grid. They are NOT private, and no epsilon covers them. So the flag of the table says what it must be, and what is shown
says what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_CEILING
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from snapdp.accuracy.error import confidence
from snapdp.accuracy.price import what_bits_cost
from snapdp.cli.demo import people
from snapdp.cli.flags.files import csv_dialect, csv_options, picture_option, to_declare, writing_picture
from snapdp.cli.flags.numbers import NUMBERS
from snapdp.cli.groups import json_option
from snapdp.cli.lab.claims import alpha_option, epsilon_option, number_option
from snapdp.cli.screen import echo_json, note, say, table, watched
from snapdp.display.numbers import decimal_up, exact_amount, figure, four_digits_up, scientific_up, two_digits
from snapdp.display.pictures import Axis, LogAxis, Point, Series, lines_height, lines_picture, sheet
from snapdp.display.text import is_address, one_line
from snapdp.drafts import write_text
from snapdp.exact.enclosure import Enclosure
from snapdp.exact.numbers import to_float_down, to_float_up
from snapdp.lab.claims.comparison import (
    GAMMAS,
    MECHANISMS,
    Row,
    accuracy_by_epsilon,
    accuracy_for_picture,
    bias_by_guess,
    bound_and_bits,
    clamp_by_gamma,
    contenders,
    distance_tails,
    errors_of_means,
)
from snapdp.mechanism.parameters import exact_parameters
from snapdp.studies.columns import NumberColumn, number_column

EXAMPLE = """\b
Examples:
  snapdp lab compare
  snapdp lab compare --epsilons 0.9,1,1.1 --alpha 0.01 --json
  snapdp lab compare --epsilons 0.5,2 --plot compare.svg
  snapdp lab compare --show bias --epsilon 1 --bounds 0,10 --if-value 0,5,10
  snapdp lab compare --show distance --if-value 9
  snapdp lab compare --show clamp --gammas 0.05,0.01
  snapdp lab compare --show errors --public-table people.csv --column age \\
    --bounds 0,120
  snapdp lab compare --show errors --epsilons 0.5 --rows 100,1000
"""
DECLARED = {"epsilon": "1", "sensitivity": "1", "bounds": ("0", "10")}
OF_A_TABLE = ("bounds", "column", "missing", "delimiter", "quote", "decimal", "thousands", "encoding", "null")
READ = {
    "accuracy": {"epsilons", "alpha"},
    "bias": {*DECLARED, "if_value"},
    "distance": {*DECLARED, "if_value"},
    "clamp": {*DECLARED, "gammas"},
    "errors": {"epsilons", "rows", "public_table", *OF_A_TABLE},
}


@click.command("compare", epilog=EXAMPLE)
@click.option("--show", type=click.Choice(list(READ)), default="accuracy", show_default=True, help="What to compare.")
@click.option("--epsilons", type=NUMBERS, metavar="NUMBER,...", help="Of accuracy and errors: where to compare.")
@number_option("--alpha", help="Of accuracy: how often to miss.  [default: 0.05]")
@number_option("--epsilon", help="Of bias, distance, clamp.  [default: 1]")
@number_option("--sensitivity", help="Of the same.  [default: 1]")
@click.option("--bounds", type=NUMBERS, metavar="LOWER,UPPER", help="Of the same: the public range.  [default: 0,10]")
@click.option("--if-value", type=NUMBERS, metavar="NUMBER,...", help="Guesses of the statistic; distance takes one.")
@click.option("--gammas", type=NUMBERS, metavar="NUMBER,...", help="Of clamp: how often it may change an output.")
@click.option("--rows", type=NUMBERS, metavar="N,...", help="Of errors: sizes of a table.  [default: 100,1000,5000]")
@click.option(
    "--public-table",
    metavar="FILE",
    help="Of errors: a CSV or Parquet file that is public; the answer is not private.  [default: made-up people]",
)
@click.option("--column", metavar="NAME", help="Of that table: take the mean of this column, within --bounds.")
@click.option("--missing", metavar="RULE", help="Of that table: what a missing number counts as.  [default: middle]")
@csv_options
@picture_option
@json_option()
@click.pass_context
def compare_command(ctx: click.Context, /, show: str, plot: Path | None, as_json: bool, **options: Any) -> None:
    """Compare mechanisms and formulas with the Laplace mechanism. No data is opened but by --public-table.

    accuracy: relative to Laplace, over epsilon, of exact arithmetic on the fine and on the natural grid, of the notes'
    rule, and by their formulas for it. bias: at guesses of the statistic. distance: how probable it is that snapping
    and Laplace differ by more, on the same draw. clamp: how wide it must be to bind rarely. errors: mean absolute error
    of the mean age of made-up people, relative to Laplace, or of the mean of a column of a public table: its errors
    tell that mean, so they are as public as the table is.
    """
    ctx.meta["snapdp.try"] = to_declare
    given = {name: value for name, value in options.items() if value is not None}
    if strays := [f"--{name.replace('_', '-')}" for name in given if name not in READ[show]]:
        instead = ", ".join(f"--{name.replace('_', '-')}" for name in sorted(READ[show]))
        raise click.UsageError(f"{', '.join(strays)} is not read together with --show {show}, which reads {instead}.")
    with watched("computing"):
        view = VIEWS[show](given)
        picture = "" if plot is None else _picture_text(view)
    if plot is not None:
        with writing_picture(plot):
            write_text(picture, plot)
    if as_json:
        notice = {"notice": view.notice} if view.notice else {}
        rows = [{key: _json_value(x) for key, x in row.items()} for row in view.rows]
        echo_json({"ok": True, **notice, "show": show, **view.constants, "rows": rows}, indent=2)
    else:
        if view.notice:
            note(view.notice, style="bold red")
        cells = view.cells or [[_cell(x) for x in row.values()] for row in view.rows]
        table(view.heads, cells, numbers=range(view.labels, len(view.heads)), title=view.title)
        note(view.remark)
    if plot is not None:
        say(f"picture: {one_line(str(plot))}")


class View(NamedTuple):
    """Rows and how they are shown.

    labels    how many of the first values of a row say what it is about; the others are figures
    cells     the rows in words, where they are not made of the values one by one
    of        what is below the picture; `heights` is what is above it
    constants what holds for all rows, for machines
    notice    what must be known before the figures are shown to others
    series    the lines or points of the picture
    """

    title: str
    rows: list[Row]
    heads: Sequence[str]
    remark: str
    of: str
    heights: str
    labels: int = 1
    cells: list[list[str]] | None = None
    constants: Mapping[str, Any] = {}
    notice: str = ""
    series: Callable[[list[Row]], list[Series]] | None = None
    x: Callable[[list[float]], Axis | LogAxis] = Axis.within
    y: Callable[[list[float]], Axis | LogAxis] = Axis.over


def _json_value(x: Any) -> Any:
    """Return [lower, upper] of a figure, as doubles rounded outward; exact numbers are texts."""
    if isinstance(x, Enclosure):
        return [to_float_down(x.lower), to_float_up(x.upper)]
    return str(x) if isinstance(x, Fraction) else x


def _cell(x: Any) -> str:
    if not isinstance(x, Enclosure):
        return x if isinstance(x, str) else _exactly(x)
    if max(abs(x.lower), abs(x.upper)) < SMALLEST:
        return "0" if x.lower <= 0 <= x.upper else "< 1e-30" if x.lower > 0 else "> -1e-30"
    middle = (x.lower + x.upper) / 2
    return scientific_up(middle, 3) if abs(middle) < 1e-4 else figure(x)


def _exactly(x: Any) -> str:
    return one_line(exact_amount(x))


def _picture_text(view: View) -> str:
    title = "NOT PRIVATE. " * bool(view.notice) + view.title
    series = _points(view) if view.series is None else view.series(view.rows)
    points = [point for line in series for piece in (*line.pieces, line.points) for point in piece]
    x, y = view.x([x for x, _ in points]), view.y([y for _, y in points])
    said = f"{view.heights}, by {view.of}"
    drawn = lines_picture(series, x=x, y=y, title=title, of=view.of, heights=view.heights, said=said)
    return sheet([[(title, drawn)]], title=title, width=640, tall=lines_height(len(series)))


def _points(view: View) -> list[Series]:
    """Return figures as points: between them nothing is claimed. Rows that are about two numbers are drawn in turn."""
    first, *names = view.rows[0]
    rows = [row for row in view.rows if isinstance(row[first], Fraction)]  # the last one may be a mean
    places = [float(row[first]) if view.labels == 1 else float(i) for i, row in enumerate(rows, 1)]
    return [
        Series(name, points=[(x, to_float_up(row[name].upper)) for x, row in zip(places, rows, strict=True)])
        for name in names[view.labels - 1 :]
        if not name.endswith("binds")
    ]


# Accuracy over epsilon

DOTTED = ("exact, natural grid", "notes' rule")  # those whose jumps can be seen
LIMITS = {"below": "< ", "at": "", "above": "> "}


def _view_accuracy(given: dict[str, Any]) -> View:
    rows = accuracy_by_epsilon(**given)
    alpha = confidence(given.get("alpha", "0.05"))
    bound, bits = bound_and_bits(least=rows[0]["epsilon"], alpha=alpha)
    limits = ""
    if at := next((exact_amount(row["epsilon"]) for row in rows if row["side"] != "at"), None):
        limits = (
            f" Grids halve at powers of two: < {at} and > {at} are the limits there. The notes' noise scale lies a "
            f"hair above 1/epsilon, so at {at} itself their grid is the wide one."
        )
    return View(
        title=f"Accuracy at alpha = {exact_amount(alpha)}, relative to Laplace",
        rows=[{**row, **{name: to_float_up(row[name]) for name in ("laplace_accuracy", *MECHANISMS)}} for row in rows],
        cells=[
            [
                LIMITS[row["side"]] + _exactly(row["epsilon"]),
                f"± {four_digits_up(row['laplace_accuracy'])}",
                *(f"{float(decimal_up(row[name], 3)):.3f}" for name in MECHANISMS[1:]),
            ]
            for row in rows
        ],
        heads=("epsilon", "Laplace", "fine", "natural", "notes", "GetAccuracy2", "simple"),
        remark=(
            "Laplace: its accuracy in sensitivities; the others are multiples of it, rounded up. fine, natural: exact "
            "arithmetic on these grids. notes: the notes' rule, whose accuracy GetAccuracy2 and the simple bound bound;"
            f" {bits} bits, bound {exact_amount(bound)}.{limits}"
        ),
        constants={"alpha": str(alpha), "bits": bits, "bound": str(bound)},
        series=partial(_accuracy_lines, alpha=alpha),
        x=LogAxis.over,
        y=Axis.within,
        of="epsilon",
        heights="accuracy / accuracy of Laplace",
    )


def _accuracy_lines(shown: list[Row], *, alpha: Fraction) -> list[Series]:
    """Return lines that are cut at powers of two; where a line jumps, a dot is the mechanism's own value."""
    first, last = shown[0]["epsilon"], shown[-1]["epsilon"]
    if first == last:
        raise click.UsageError("A picture needs two --epsilons at least: it is drawn from the least to the greatest.")
    rows = accuracy_for_picture(first=first, last=last, alpha=alpha)
    at_powers = {row["epsilon"] for row in rows if row["side"] != "at"}
    series = []
    for name in MECHANISMS:
        pieces: list[list[Point]] = [[]]
        dots = []
        for row in rows:
            point = to_float_up(row["epsilon"]), to_float_up(row[name])
            if row["side"] == "at" and row["epsilon"] in at_powers:
                dots.append(point)
                continue
            if row["side"] == "above" and pieces[-1]:
                pieces.append([])
            pieces[-1].append(point)
        series.append(Series(name, pieces, dots=dots if name in DOTTED else ()))
    return series


# Bias, distance, clamp and errors

SMALLEST = Fraction(1, 10**30)  # smaller figures are not told apart: rounding at 118 bits, or less
FOUR = ("fine", "natural", "to range", "notes")
GRIDS_AND_CLAMPS = (
    "fine, natural: exact arithmetic on these grids, with its wide clamp. to range: the natural grid, clamped to the "
    "range. notes: the notes' rule, with its clamp from gamma = 0.05."
)


def _declared(given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the declaration of the mechanisms, and the same in words."""
    declared = {name: given.get(name, default) for name, default in DECLARED.items()}
    ends = _ends(declared.pop("bounds"))
    return {**declared, **ends}, "epsilon {epsilon}, range {lower} to {upper}".format(**declared, **ends)


def _ends(bounds: tuple[str, ...]) -> dict[str, str]:
    if len(bounds) != 2:
        raise click.UsageError("--bounds takes LOWER,UPPER.")
    return dict(zip(("lower", "upper"), bounds, strict=True))


def _view_bias(given: dict[str, Any]) -> View:
    declared, words = _declared(given)
    return View(
        title=f"Bias at a guess, {words}",
        rows=bias_by_guess(guesses=given.get("if_value"), **declared),
        heads=("guess", *FOUR),
        remark=f"mean: over the guesses, each with the same weight. {GRIDS_AND_CLAMPS}",
        of="guess of the statistic",
        heights="bias",
    )


def _view_distance(given: dict[str, Any]) -> View:
    declared, words = _declared(given)
    guess = given.get("if_value", (declared["upper"],))
    if len(guess) != 1:
        raise click.UsageError("--show distance takes one --if-value.")
    widened = ", ".join(
        f"{name} {' to '.join(map(_exactly, p.value_clamp))}"
        for name, p in zip(FOUR, contenders(**declared).values(), strict=True)
        if p.value_clamp != (p.lower, p.upper)
    )
    clamps = f"Values are clamped to the range first{widened and f'; widened to the grid, {widened}'}."
    return View(
        title=f"P(distance to Laplace > z) if the value is {guess[0]}, {words}",
        rows=distance_tails(if_value=guess[0], **declared),
        heads=("z", *FOUR),
        remark=f"Both mechanisms use the same draw. {clamps} {GRIDS_AND_CLAMPS}",
        of="z",
        heights="P(distance > z)",
        y=LogAxis.over,
    )


def _view_clamp(given: dict[str, Any]) -> View:
    declared, words = _declared(given)
    return View(
        title=f"Clamp that changes an output with probability gamma at most, {words}",
        rows=clamp_by_gamma(gammas=given.get("gammas", GAMMAS), **declared),
        heads=("gamma", "tight: half width", "binds", "notes: half width", "binds"),
        remark=(
            "Half widths around the middle of the range, before they are rounded outward to the grid. binds: the "
            "largest probability over the range. Exact arithmetic, natural grid."
        ),
        of="gamma",
        heights="half width",
    )


def _view_errors(given: dict[str, Any]) -> View:
    means, column, of, notice = _read_means(given)
    lower, upper = column.lower, column.upper
    return View(
        title=f"Mean absolute error of the mean {of}, relative to Laplace",
        rows=errors_of_means(means, lower=lower, upper=upper, epsilons=given.get("epsilons", ("0.1", "0.5", "1"))),
        heads=("n", "epsilon", *FOUR),
        labels=2,
        remark=(
            "What releasing it many times shows in the long run. It depends on where the mean lies on the grid, so "
            f"a coarse grid may be lucky. Cells are within {_exactly(lower)} and {_exactly(upper)}. {GRIDS_AND_CLAMPS}"
        ),
        notice=notice,
        of="rows of the table, in turn",
        heights="mean error / that of Laplace",
    )


VIEWS = {
    "accuracy": _view_accuracy,
    "bias": _view_bias,
    "distance": _view_distance,
    "clamp": _view_clamp,
    "errors": _view_errors,
}

# The table of errors: made-up people, or a table that is public

NOT_PRIVATE = (
    "NOT PRIVATE: computed from the cells without noise and without a budget; such errors tell the mean modulo the "
    "grid. For public tables only."
)
Means = dict[int, tuple[Fraction, Fraction]]


def _read_means(given: dict[str, Any]) -> tuple[Means, NumberColumn, str, str]:
    """Return {rows: (mean, sensitivity)} of the table that the flags name, its column, what it is of, and a notice."""
    from snapdp.tables.engines.opening import open_table
    from snapdp.tables.means import public_means

    sizes = whole_numbers(given["rows"], "--rows", digits=9) if "rows" in given else None
    if "public_table" not in given:
        if strays := [f"--{name}" for name in OF_A_TABLE if name in given]:
            raise click.UsageError(f"{', '.join(strays)} belongs to --public-table: give both.")
        made_up = open_table({"age": [age for age, _, _ in people()]})
        age = number_column("age", lower=0, upper=120, missing="middle")
        return public_means(made_up, age, rows=sizes or [100, 1000, 5000]), age, "age of n made-up people", ""
    if "column" not in given or len(given.get("bounds", ())) != 2:
        raise click.UsageError("--public-table needs --column NAME and --bounds LOWER,UPPER of it.")
    if is_address(given["public_table"]) or given["public_table"].lower().endswith("db"):
        raise click.UsageError("--public-table takes a CSV or Parquet file: rows elsewhere have no order.")
    name, lost = given["column"], given.get("missing", "middle")
    column = number_column(name, **_ends(given["bounds"]), missing=lost)
    source = open_table(given["public_table"], dialect=csv_dialect({key: given.get(key) for key in OF_A_TABLE}, None))
    return public_means(source, column, rows=sizes), column, f"{one_line(name)} of the first n rows", NOT_PRIVATE


def whole_numbers(texts: Sequence[str], option: str, *, digits: int) -> list[int]:
    if not all(n.isascii() and n.isdigit() and len(n) <= digits for n in texts):
        raise click.UsageError(f"{option} takes whole numbers with commas between them.")
    return [int(n) for n in texts]


# `snapdp lab bits`: what p-bit arithmetic takes off epsilon and adds to the error

BITS_EXAMPLE = """\b
Examples:
  snapdp lab bits --epsilon 0.5 --sensitivity 1 --bounds 0,1000
  snapdp lab bits --epsilon 0.5 --sensitivity 1 --bounds 0,1000 --bits 40,53
  snapdp lab bits --epsilon 0.5 --sensitivity 1 --bounds 0,1000 --json
"""


@click.command("bits", epilog=BITS_EXAMPLE)
@epsilon_option
@number_option("--sensitivity", required=True, help="Of the statistic.")
@click.option("--bounds", type=NUMBERS, metavar="LOWER,UPPER", required=True, help="Its public range.")
@click.option("--bits", type=NUMBERS, metavar="P,...", help="Precisions.  [default: 24,32,40,53,64,118]")
@alpha_option
@json_option()
def bits_command(bounds: tuple[str, ...], alpha: str, as_json: bool, **options: Any) -> None:
    """Show what bits cost. No data is opened.

    How much of epsilon p-bit arithmetic sets aside for what rounding might give away, and its accuracy beside that of
    exact arithmetic on the natural grid, which sets nothing aside.
    """
    bits = options.pop("bits")
    chosen = None if bits is None else whole_numbers(bits, "--bits", digits=5)
    p = exact_parameters(**options, **_ends(bounds))
    rules = ("proved", "notes")
    costs = [cost for rule in rules for cost in what_bits_cost(p, bits=chosen, arithmetic=rule, alpha=alpha)]
    rows, cells = [], []
    for cost in costs:
        row = {name: _json_value(getattr(cost, name)) for name in ("bits", "arithmetic", "lost", "accuracy", "refused")}
        row["accuracy_ratio"] = cost.accuracy_ratio and to_float_up(cost.accuracy_ratio)
        figures = ["refused", "", ""]
        if cost.lost is not None and cost.accuracy is not None and cost.accuracy_ratio is not None:
            lost, ratio = two_digits(cost.lost, ROUND_CEILING), decimal_up(cost.accuracy_ratio, 4)
            figures = [lost, f"± {four_digits_up(cost.accuracy)}", ratio]
        rows.append(row)
        cells.append([str(cost.bits), cost.arithmetic, *figures])
    if as_json:
        echo_json({"ok": True, "lines": rows}, indent=2)
        return
    heads = ("bits", "rule", "lost of epsilon", "accuracy", "to exact")
    table(heads, cells, numbers=(0, 2, 3, 4), title=f"What bits cost at epsilon = {options['epsilon']}")
    for refusal in dict.fromkeys(cost.refused for cost in costs if cost.refused):
        note(f"refused: {one_line(refusal)}")
    note(
        "lost: what is set aside for rounding; the noise gets the rest. to exact: by the accuracy of exact arithmetic "
        "on the natural grid, rounded up. The notes' noise scale lies a hair above sensitivity/epsilon, so their grid "
        "is twice as coarse where that is a power of two."
    )
