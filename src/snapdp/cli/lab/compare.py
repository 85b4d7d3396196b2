"""`snapdp lab compare`: mechanisms and formulas side by side, as a table, as JSON and as a picture.

Each comparison is one library call. Public numbers only, but for `--show errors --public-table`: errors at the mean of
a table tell that mean modulo the grid. They are NOT private, and no epsilon covers them. So the flag of the table says
what it must be, and what is shown says what it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from snapdp.cli.flags.files import csv_dialect, csv_options, picture_option, to_declare, writing_picture
from snapdp.cli.flags.numbers import NUMBER, NUMBERS, WHOLE
from snapdp.cli.screen import echo_json, note, say, table, watched
from snapdp.display.numbers import decimal_up, exact_amount, figure, four_digits_up, scientific_up
from snapdp.display.text import is_address, one_line
from snapdp.exact.numbers import to_float_down, to_float_up

if TYPE_CHECKING:
    from snapdp.display.pictures import Axis, LogAxis, Series
    from snapdp.exact.enclosure import Enclosure
    from snapdp.lab.claims.comparison import AccuracyByEpsilon, SideBySide

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
    "accuracy": {"epsilons", "alpha", "bits"},
    "bias": {*DECLARED, "if_value"},
    "distance": {*DECLARED, "if_value"},
    "clamp": {*DECLARED, "gammas"},
    "errors": {"epsilons", "rows", "public_table", *OF_A_TABLE},
}


@click.command("compare", epilog=EXAMPLE)
@click.option("--show", type=click.Choice(list(READ)), default="accuracy", show_default=True, help="What to compare.")
@click.option("--epsilons", type=NUMBERS, metavar="NUMBER,...", help="Of accuracy and errors: where to compare.")
@click.option("--alpha", type=NUMBER, metavar="NUMBER", help="Of accuracy: how often to miss.  [default: 0.05]")
@click.option("--bits", type=WHOLE, metavar="BITS", help="Of accuracy: the notes' arithmetic.  [default: 118 or more]")
@click.option("--epsilon", type=NUMBER, metavar="NUMBER", help="Of bias, distance, clamp.  [default: 1]")
@click.option("--sensitivity", type=NUMBER, metavar="NUMBER", help="Of the same.  [default: 1]")
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
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def compare_command(ctx: click.Context, /, show: str, plot: Path | None, as_json: bool, **options: Any) -> None:
    """Compare mechanisms and formulas with the Laplace mechanism. No data is opened but by --public-table.

    accuracy: relative to Laplace, over epsilon, of exact arithmetic on the fine and on the natural grid, of the notes'
    rule, and by their formulas for it. bias: at guesses of the statistic. distance: how probable it is that snapping
    and Laplace differ by more, on the same draw. clamp: how wide it must be to bind rarely. errors: mean absolute error
    of the mean age of made-up people, relative to Laplace, or of the mean of a column of a public table: its errors
    tell that mean, so they are as public as the table is.
    """
    ctx.meta["snapdp.json"] = as_json
    ctx.meta["snapdp.try"] = to_declare
    given = {name: value for name, value in options.items() if value is not None}
    if strays := [f"--{name.replace('_', '-')}" for name in given if name not in READ[show]]:
        instead = ", ".join(f"--{name.replace('_', '-')}" for name in sorted(READ[show]))
        raise click.UsageError(f"{', '.join(strays)} is not read together with --show {show}, which reads {instead}.")
    if show == "accuracy":
        _compare_accuracy(given, plot, as_json)
    else:
        with watched("computing"):
            view = VIEWS[show](given)
        if plot is not None:
            with writing_picture(plot):
                _draw_points(view, plot)
        if as_json:
            echo_json(_view_document(view), indent=2)
        else:
            _print_view(view)
    if plot is not None:
        say(f"picture: {one_line(str(plot))}")


# Accuracy over epsilon

HEADS = ("epsilon", "Laplace", "fine", "natural", "notes", "GetAccuracy2", "simple")
LIMITS = {"below": "< ", "at": "", "above": "> "}


def _compare_accuracy(given: dict[str, Any], plot: Path | None, as_json: bool) -> None:
    from snapdp.lab.claims.comparison import MECHANISMS, accuracy_by_epsilon

    found = accuracy_by_epsilon(**given)
    if plot is not None:
        _draw_accuracy(found, plot)
    if not as_json:
        _print_accuracy(found)
        return
    rows = [
        {
            "epsilon": str(row.epsilon),
            "side": row.side,
            "laplace_accuracy": to_float_up(row.laplace),
            "relative": dict(zip(MECHANISMS, map(to_float_up, row.ratios), strict=True)),
        }
        for row in found.rows
    ]
    constants = {"alpha": str(found.alpha), "bits": found.bits, "bound": str(found.bound)}
    echo_json({"ok": True, "show": "accuracy", **constants, "rows": rows}, indent=2)


def _print_accuracy(found: AccuracyByEpsilon) -> None:
    rows = [
        (
            LIMITS[row.side] + one_line(exact_amount(row.epsilon)),
            f"± {four_digits_up(row.laplace)}",
            *(f"{float(decimal_up(ratio, 3)):.3f}" for ratio in row.ratios[1:]),
        )
        for row in found.rows
    ]
    level = exact_amount(found.alpha)
    table(HEADS, rows, numbers=range(1, len(HEADS)), title=f"Accuracy at alpha = {level}, relative to Laplace")
    limits = ""
    if at := next((exact_amount(row.epsilon) for row in found.rows if row.side != "at"), None):
        limits = (
            f" Grids halve at powers of two: < {at} and > {at} are the limits there. The notes' noise scale lies a "
            f"hair above 1/epsilon, so at {at} itself their grid is the wide one."
        )
    note(
        "Laplace: its accuracy in sensitivities; the others are multiples of it, rounded up. fine, natural: exact "
        "arithmetic on these grids. notes: the notes' rule, whose accuracy GetAccuracy2 and the simple bound bound; "
        f"{found.bits} bits, bound {exact_amount(found.bound)}.{limits}"
    )


def _draw_accuracy(found: AccuracyByEpsilon, plot: Path) -> None:
    from snapdp.display.pictures import Axis, LogAxis, Series
    from snapdp.lab.claims.comparison import accuracy_lines

    first, last = found.rows[0].epsilon, found.rows[-1].epsilon
    if first == last:
        raise click.UsageError("A picture needs two --epsilons at least: it is drawn from the least to the greatest.")
    with watched("computing"):
        lines = accuracy_lines(first=first, last=last, alpha=found.alpha, bits=found.bits)
    points = [point for line in lines for piece in line.pieces for point in piece]
    with writing_picture(plot):
        _write_picture(
            [Series(line.name, line.pieces, dots=line.taken_points) for line in lines],
            plot,
            LogAxis.over([x for x, _ in points]),
            Axis.within([y for _, y in points]),
            of="epsilon",
            heights="accuracy / accuracy of Laplace",
            title=f"accuracy relative to the Laplace mechanism, alpha = {exact_amount(found.alpha)}",
        )


def _write_picture(
    series: Sequence[Series], path: Path, x: Axis | LogAxis, y: Axis | LogAxis, *, of: str, heights: str, title: str
) -> None:
    from snapdp.display.pictures import lines_height, lines_picture, sheet
    from snapdp.drafts import write_text

    drawn = lines_picture(series, x=x, y=y, of=of, heights=heights, title=title, said=f"{heights}, by {of}")
    write_text(sheet([[(title, drawn)]], title=title, width=640, tall=lines_height(len(series))), path)


# Bias, distance, clamp and errors

SMALLEST = Fraction(1, 10**30)  # smaller figures are not told apart: rounding at 118 bits, or less
FOUR = ("fine", "natural", "to range", "notes")
GRIDS_AND_CLAMPS = (
    "fine, natural: exact arithmetic on these grids, with its wide clamp. to range: the natural grid, clamped to the "
    "range. notes: the notes' rule, with its clamp from gamma = 0.05."
)


class View(NamedTuple):
    """A comparison and its presentation.

    at       heads of the columns that say what a row is about, and `of` what that is
    figure   what the figures are; `heads` are those of their columns
    drawn    columns of the picture, all where it is empty; is_log is about its second axis
    notice   what must be known before the figures are shown to others
    """

    show: str
    found: SideBySide
    title: str
    at: tuple[str, ...]
    of: str
    figure: str
    remark: str
    heads: tuple[str, ...] = FOUR
    drawn: tuple[tuple[int, str], ...] = ()
    is_log: bool = False
    notice: str = ""


def _declared(given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the declaration of the mechanisms, and the same in words."""
    declared = {name: given.get(name, default) for name, default in DECLARED.items()}
    if len(declared["bounds"]) != 2:
        raise click.UsageError("--bounds takes LOWER,UPPER.")
    lower, upper = declared.pop("bounds")
    words = one_line(f"epsilon {declared['epsilon']}, range {lower} to {upper}")
    return {**declared, "lower": lower, "upper": upper}, words


def _view_bias(given: dict[str, Any]) -> View:
    from snapdp.lab.claims.comparison import bias_by_guess

    declared, words = _declared(given)
    found = bias_by_guess(guesses=given.get("if_value"), **declared)
    remark = f"mean: over the guesses, each with the same weight. {GRIDS_AND_CLAMPS}"
    return View("bias", found, f"Bias at a guess, {words}", ("guess",), "guess of the statistic", "bias", remark)


def _view_distance(given: dict[str, Any]) -> View:
    from snapdp.lab.claims.comparison import contenders, distance_tails

    declared, words = _declared(given)
    guess = given.get("if_value", (declared["upper"],))
    if len(guess) != 1:
        raise click.UsageError("--show distance takes one --if-value.")
    found = distance_tails(if_value=guess[0], **declared)
    mechanisms = zip(FOUR, contenders(**declared), strict=True)
    wider = [(name, *p.value_clamp) for name, p in mechanisms if p.value_clamp != (p.lower, p.upper)]
    ends = ", ".join(f"{name} {_exactly(low)} to {_exactly(high)}" for name, low, high in wider)
    clamps = "Values are clamped to the range first" + (f"; widened to the grid, {ends}." if wider else ".")
    title = f"P(distance to Laplace > z) if the value is {one_line(guess[0])}, {words}"
    remark = f"Both mechanisms use the same draw. {clamps} {GRIDS_AND_CLAMPS}"
    return View("distance", found, title, ("z",), "z", "P(distance > z)", remark, is_log=True)


def _view_clamp(given: dict[str, Any]) -> View:
    from snapdp.lab.claims.comparison import GAMMAS, clamp_by_gamma

    declared, words = _declared(given)
    found = clamp_by_gamma(gammas=given.get("gammas", GAMMAS), **declared)
    title = f"Clamp that changes an output with probability gamma at most, {words}"
    heads = ("tight: half width", "binds", "notes: half width", "binds")
    remark = (
        "Half widths around the middle of the range, before they are rounded outward to the grid. binds: the largest "
        "probability over the range. Exact arithmetic, natural grid."
    )
    drawn = ((0, "tight"), (2, "notes' formula"))
    return View("clamp", found, title, ("gamma",), "gamma", "half width", remark, heads=heads, drawn=drawn)


def _view_errors(given: dict[str, Any]) -> View:
    from snapdp.lab.claims.comparison import errors_of_means

    means, lower, upper, of, notice = _means_of_table(given)
    found = errors_of_means(means, lower=lower, upper=upper, epsilons=given.get("epsilons", EPSILONS))
    title = f"Mean absolute error of the mean {of}, relative to Laplace"
    remark = (
        "What releasing it many times shows in the long run. It depends on where the mean lies on the grid, so "
        f"a coarse grid may be lucky. Cells are within {_exactly(lower)} and {_exactly(upper)}. "
        f"{GRIDS_AND_CLAMPS}"
    )
    what, figure = "rows of the table, in turn", "mean error / that of Laplace"
    return View("errors", found, title, ("n", "epsilon"), what, figure, remark, notice=notice)


VIEWS = {"bias": _view_bias, "distance": _view_distance, "clamp": _view_clamp, "errors": _view_errors}


def _print_view(view: View) -> None:
    rows = [(*map(_exactly, row.at), *map(_figure, row.figures)) for row in view.found.rows]
    if view.found.mean is not None:
        rows.append(("mean", *map(_figure, view.found.mean)))
    heads = (*view.at, *view.heads)
    if view.notice:
        note(view.notice, style="bold red")
    table(heads, rows, numbers=range(len(view.at), len(heads)), title=view.title)
    note(view.remark)


def _view_document(view: View) -> dict[str, Any]:
    """Return the same for machines: [lower, upper] of each figure, as doubles rounded outward."""
    rows = [
        {**dict(zip(view.at, map(str, row.at), strict=True)), "figures": _ends(row.figures)} for row in view.found.rows
    ]
    mean = None if view.found.mean is None else _ends(view.found.mean)
    notice = {"notice": view.notice} if view.notice else {}
    return {"ok": True, "show": view.show, **notice, "columns": list(view.found.names), "rows": rows, "mean": mean}


def _exactly(x: Any) -> str:
    return one_line(exact_amount(x))


def _figure(e: Enclosure) -> str:
    if max(abs(e.lower), abs(e.upper)) < SMALLEST:
        return "0" if e.lower <= 0 <= e.upper else "< 1e-30" if e.lower > 0 else "> -1e-30"
    middle = (e.lower + e.upper) / 2
    return scientific_up(middle, 3) if abs(middle) < 1e-4 else figure(e)


def _ends(figures: Sequence[Enclosure]) -> list[list[float]]:
    return [[to_float_down(e.lower), to_float_up(e.upper)] for e in figures]


def _draw_points(view: View, path: Path) -> None:
    """Write the figures of a view as points: between them nothing is claimed. Rows of two numbers stand in turn."""
    from snapdp.display.pictures import Axis, LogAxis, Series

    rows = view.found.rows
    places = [float(row.at[0]) if len(row.at) == 1 else float(i) for i, row in enumerate(rows, 1)]
    series, heights = [], []
    for column, name in view.drawn or enumerate(view.found.names):
        column_heights = [to_float_up(row.figures[column].upper) for row in rows]
        heights += column_heights
        series.append(Series(name, points=list(zip(places, column_heights, strict=True))))
    _write_picture(
        series,
        path,
        Axis.within(places),
        LogAxis.over(heights) if view.is_log else Axis.over(heights),
        of=view.of,
        heights=view.figure,
        title="NOT PRIVATE. " * bool(view.notice) + view.title,
    )


# The table of errors: made-up people, or a table that is public

EPSILONS, ROWS = ("0.1", "0.5", "1"), ("100", "1000", "5000")
OLDEST = Fraction(120)
NOT_PRIVATE = (
    "NOT PRIVATE: computed from the cells without noise and without a budget; such errors tell the mean modulo the "
    "grid. For public tables only."
)
Means = dict[int, tuple[Fraction, Fraction]]


def _means_of_table(given: dict[str, Any]) -> tuple[Means, Fraction, Fraction, str, str]:
    """Return {rows: (mean, sensitivity)} of the table that the flags name, its range, what it is of, and a notice."""
    from snapdp.cli.demo import people
    from snapdp.lab.claims.comparison import means_of_first

    rows = given.get("rows")
    if rows is not None and not all(n.isascii() and n.isdigit() and len(n) < 10 for n in rows):
        raise click.UsageError("--rows takes whole numbers with commas between them.")
    if "public_table" in given:
        return _means_of_public_table(given, None if rows is None else [int(n) for n in rows])
    if strays := [f"--{name}" for name in OF_A_TABLE if name in given]:
        raise click.UsageError(f"{', '.join(strays)} belongs to --public-table: give both.")
    ages = [age for age, _, _ in people()]
    means = means_of_first(ages, lower=0, upper=OLDEST, rows=[int(n) for n in rows or ROWS])
    return means, Fraction(0), OLDEST, "age of n made-up people", ""


def _means_of_public_table(given: dict[str, Any], rows: list[int] | None) -> tuple[Means, Fraction, Fraction, str, str]:
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
    return means, column.lower, column.upper, f"{one_line(given['column'])} of the first n rows", NOT_PRIVATE
