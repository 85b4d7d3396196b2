"""What `snapdp lab compare` shows but accuracies: bias, distance, clamp and errors, as tables and JSON.

One library call for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import click

from snapdp.accuracy.comparison import (
    CONTENDERS,
    AccuracyLine,
    SideBySide,
    bias_by_guess,
    clamp_by_gamma,
    contenders,
    distance_tails,
    errors_of_means,
)
from snapdp.cli.demo import people
from snapdp.cli.flags.files import csv_dialect
from snapdp.cli.screen import note, table
from snapdp.display.numbers import exact_amount, figure, scientific_up
from snapdp.display.pictures import Axis, LogAxis, Series, lines_height, lines_picture, sheet
from snapdp.display.text import is_address, one_line
from snapdp.drafts import write_text
from snapdp.exact.enclosure import Enclosure
from snapdp.exact.numbers import to_float_down, to_float_up

SMALLEST = Fraction(1, 10**30)  # what is below it is not told apart: rounding at 118 bits, or less


FOUR = ("fine", "natural", "to range", "notes")
GRIDS_AND_CLAMPS = (
    "fine, natural: exact arithmetic on these grids, with its wide clamp. to range: the natural grid, clamped to the "
    "range. notes: the notes' rule, with its clamp from gamma = 0.05."
)


class View(NamedTuple):
    """A comparison and how it is told.

    at      heads of the columns that say what a row is about    drawn   columns of the picture, with their names
    of      what the rows are about                              scale   of the picture's second axis
    figure  what the figures are                                 heads   of the columns of figures
    notice  what must be known before the figures are shown to others
    """

    show: str
    found: SideBySide
    title: str
    at: tuple[str, ...]
    of: str
    figure: str
    remark: str
    heads: tuple[str, ...] = FOUR
    drawn: tuple[tuple[int, str], ...] = tuple(enumerate(CONTENDERS))
    scale: str = "linear"
    notice: str = ""


def view(show: str, given: dict[str, Any]) -> View:
    """Return what is to be shown, from the flags that were given."""
    return {"bias": _bias, "distance": _distance, "clamp": _clamp, "errors": _errors}[show](given)


def _declared(given: dict[str, Any]) -> dict[str, Any]:
    bounds = given.get("bounds", ("0", "10"))
    if len(bounds) != 2:
        raise click.UsageError("--bounds takes LOWER,UPPER.")
    return {
        "epsilon": given.get("epsilon", "1"),
        "sensitivity": given.get("sensitivity", "1"),
        "lower": bounds[0],
        "upper": bounds[1],
    }


def _bias(given: dict[str, Any]) -> View:
    declared = _declared(given)
    found = bias_by_guess(guesses=given.get("if_value"), **declared)
    remark = f"mean: over the guesses, each with the same weight. {GRIDS_AND_CLAMPS}"
    return View(
        "bias", found, f"Bias at a guess, {_said(declared)}", ("guess",), "guess of the statistic", "bias", remark
    )


def _distance(given: dict[str, Any]) -> View:
    declared = _declared(given)
    guess = given.get("if_value", (declared["upper"],))
    if len(guess) != 1:
        raise click.UsageError("--show distance takes one --if-value.")
    found = distance_tails(if_value=guess[0], **declared)
    title = f"P(distance to Laplace > z) if the value is {one_line(guess[0])}, {_said(declared)}"
    remark = f"Both mechanisms use the same draw. {_inner_clamps(declared)} {GRIDS_AND_CLAMPS}"
    return View("distance", found, title, ("z",), "z", "P(distance > z)", remark, scale="log")


def _inner_clamps(declared: dict[str, Any]) -> str:
    """Return where values are clamped first, where that is not the range itself but wider, on a coarse grid."""
    mechanisms = dict(zip(FOUR, contenders(**declared), strict=True))
    wider = [(name, p.value_clamp) for name, p in mechanisms.items() if p.value_clamp != (p.lower, p.upper)]
    ends = ", ".join(f"{name} {_exactly(low)} to {_exactly(high)}" for name, (low, high) in wider)
    return "Values are clamped to the range first" + (f"; widened to the grid, {ends}." if wider else ".")


def _clamp(given: dict[str, Any]) -> View:
    declared = _declared(given)
    found = clamp_by_gamma(**declared, **({"gammas": given["gammas"]} if "gammas" in given else {}))
    title = f"Clamp that changes an output with probability gamma at most, {_said(declared)}"
    heads = ("tight: half width", "binds", "notes: half width", "binds")
    remark = (
        "Half widths around the middle of the range, before they are rounded outward to the grid. binds: the largest "
        "probability over the range. Exact arithmetic, natural grid."
    )
    drawn = ((0, "tight"), (2, "notes' formula"))
    return View("clamp", found, title, ("gamma",), "gamma", "half width", remark, heads=heads, drawn=drawn)


def _errors(given: dict[str, Any]) -> View:
    table = studied(given)
    epsilons = given.get("epsilons", EPSILONS)
    found = errors_of_means(table.means, lower=table.lower, upper=table.upper, epsilons=epsilons)
    title = f"Mean absolute error of the mean {table.of}, relative to Laplace"
    remark = (
        "What releasing it many times shows in the long run. It depends on where the mean lies on the grid, so "
        f"a coarse grid may be lucky. Cells are within {_exactly(table.lower)} and {_exactly(table.upper)}. "
        f"{GRIDS_AND_CLAMPS}"
    )
    at, of, figure = ("n", "epsilon"), "rows of the table, in turn", "mean error / that of Laplace"
    return View("errors", found, title, at, of, figure, remark, notice=table.notice)


def _said(declared: dict[str, Any]) -> str:
    return one_line(f"epsilon {declared['epsilon']}, range {declared['lower']} to {declared['upper']}")


def show(view: View) -> None:
    """Print the table, and what its columns mean."""
    rows = [(*map(_exactly, row.at), *map(_figure, row.figures)) for row in view.found.rows]
    if view.found.mean is not None:
        rows.append(("mean", *map(_figure, view.found.mean)))
    heads = (*view.at, *view.heads)
    if view.notice:
        note(view.notice, style="bold red")
    table(heads, rows, numbers=range(len(view.at), len(heads)), title=view.title)
    note(view.remark)


def document(view: View) -> dict[str, Any]:
    """Return the same for machines: [lower, upper] of each figure, as doubles rounded outward."""
    rows = [
        {**dict(zip(view.at, map(str, row.at), strict=True)), "figures": [_ends(each) for each in row.figures]}
        for row in view.found.rows
    ]
    mean = None if view.found.mean is None else [_ends(each) for each in view.found.mean]
    told = {"notice": view.notice} if view.notice else {}
    return {"ok": True, "show": view.show, **told, "columns": list(view.found.names), "rows": rows, "mean": mean}


def _exactly(x: Any) -> str:
    return one_line(exact_amount(x))


def _figure(e: Enclosure) -> str:
    if max(abs(e.lower), abs(e.upper)) < SMALLEST:
        return "0" if e.lower <= 0 <= e.upper else "< 1e-30" if e.lower > 0 else "> -1e-30"
    middle = (e.lower + e.upper) / 2
    return scientific_up(middle, 3) if abs(middle) < 1e-4 else figure(e)


def _ends(e: Enclosure) -> list[float]:
    return [to_float_down(e.lower), to_float_up(e.upper)]


# The table of `snapdp lab compare --show errors`: made-up people, or a table that is public.
#
# Errors at the mean of a table tell that mean modulo the grid: they are NOT private, and no epsilon covers
# them. So the flag of the table says what it must be, and what is shown says what it is.

EPSILONS, ROWS = ("0.1", "0.5", "1"), ("100", "1000", "5000")
OLDEST = Fraction(120)
OF_A_TABLE = ("bounds", "column", "missing", "delimiter", "quote", "decimal", "thousands", "encoding", "null")
NOT_PRIVATE = (
    "NOT PRIVATE: computed from the cells without noise and without a budget; such errors tell the mean modulo the "
    "grid. For public tables only."
)


class Studied(NamedTuple):
    """Means by their number of rows, with their sensitivities, the public range, and what they are of."""

    means: dict[int, tuple[Fraction, Fraction]]
    lower: Fraction
    upper: Fraction
    of: str
    notice: str


def studied(given: dict[str, Any]) -> Studied:
    """Return the means of the table that the flags name."""
    rows = given.get("rows")
    if rows is not None and not all(n.isascii() and n.isdigit() and len(n) < 10 for n in rows):
        raise click.UsageError("--rows takes whole numbers with commas between them.")
    if "public_table" in given:
        return _public(given, None if rows is None else [int(n) for n in rows])
    if strays := [f"--{name}" for name in OF_A_TABLE if name in given]:
        raise click.UsageError(f"{', '.join(strays)} belongs to --public-table: give both.")
    return _made_up([int(n) for n in rows or ROWS])


def _made_up(rows: list[int]) -> Studied:
    from snapdp.accuracy.comparison import means_of_first

    ages = [age for age, _, _ in people()]
    means = means_of_first(ages, lower=0, upper=OLDEST, rows=rows)
    return Studied(means, Fraction(0), OLDEST, "age of n made-up people", "")


def _public(given: dict[str, Any], rows: list[int] | None) -> Studied:
    from snapdp.studies.columns import number_column
    from snapdp.tables.engines.opening import open_table
    from snapdp.tables.means import public_means

    if "column" not in given or len(given.get("bounds", ())) != 2:
        raise click.UsageError("--public-table needs --column NAME and --bounds LOWER,UPPER of it.")
    if is_address(given["public_table"]) or given["public_table"].lower().endswith("db"):
        raise click.UsageError("--public-table takes a CSV or Parquet file: rows elsewhere have no order.")
    lower, upper = given["bounds"]
    column = number_column(given["column"], lower=lower, upper=upper, missing=given.get("missing", "middle"))
    options = {name: given.get(name) for name in OF_A_TABLE}
    table = open_table(given["public_table"], dialect=csv_dialect(options, None))
    means = public_means(table, column, rows=rows)
    return Studied(means, column.lower, column.upper, f"{one_line(given['column'])} of the first n rows", NOT_PRIVATE)


# Pictures of `snapdp lab compare`, as SVG files.

WIDTH = 640


def write_accuracy(lines: Sequence[AccuracyLine], path: Path, *, alpha: Fraction) -> None:
    """Write accuracies relative to Laplace over epsilon."""
    points = [point for line in lines for piece in line.pieces for point in piece]
    _write(
        [Series(line.name, line.pieces, dots=line.taken_points) for line in lines],
        path,
        LogAxis.over([x for x, _ in points]),
        Axis.within([y for _, y in points]),
        of="epsilon",
        heights="accuracy / accuracy of Laplace",
        title=f"accuracy relative to the Laplace mechanism, alpha = {exact_amount(alpha)}",
    )


def write_points(view: View, path: Path) -> None:
    """Write the figures of a view as points: between them nothing is claimed."""
    series = [Series(name, points=points_of(view, column)) for column, name in view.drawn]
    heights = [y for each in series for _, y in each.points]
    _write(
        series,
        path,
        Axis.within([x for each in series for x, _ in each.points]),
        LogAxis.over(heights) if view.scale == "log" else Axis.over(heights),
        of=view.of,
        heights=view.figure,
        title="NOT PRIVATE. " * bool(view.notice) + view.title,
    )


def _write(
    series: Sequence[Series], path: Path, x: Axis | LogAxis, y: Axis | LogAxis, *, of: str, heights: str, title: str
) -> None:
    drawn = lines_picture(series, x=x, y=y, of=of, heights=heights, title=title, said=f"{heights}, by {of}")
    write_text(sheet([[(title, drawn)]], title=title, width=WIDTH, tall=lines_height(len(series))), path)


def points_of(view: View, column: int) -> list[tuple[float, float]]:
    """Return the points of one mechanism. Rows of two numbers stand in turn."""
    places = [float(row.at[0]) if len(row.at) == 1 else float(i) for i, row in enumerate(view.found.rows, 1)]
    return [(x, to_float_up(row.figures[column].upper)) for x, row in zip(places, view.found.rows, strict=True)]
