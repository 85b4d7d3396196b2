"""`snapdp lab compare` and `snapdp lab bits`: mechanisms, formulas and precisions side by side.

Each comparison is one library call whose rows become a `View`, which is shown as a table, as JSON and as a picture.
Public numbers only, but for `--show errors --public-table`: errors at the mean of a table tell that mean modulo the
grid. They are NOT private, and no epsilon covers them. So the flag of the table says what it must be, and what is shown
says what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import ROUND_CEILING
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from snapdp.accuracy.price import CostOfBits, what_bits_cost
from snapdp.cli.demo import people
from snapdp.cli.flags.files import csv_dialect, csv_options, picture_option, to_declare, writing_picture
from snapdp.cli.flags.numbers import NUMBER, NUMBERS, WHOLE
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
    AccuracyByEpsilon,
    SideBySide,
    accuracy_by_epsilon,
    accuracy_for_picture,
    bias_by_guess,
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
    with watched("computing"):
        view = VIEWS[show](given)
        picture = "" if plot is None else _picture_text(view)
    if plot is not None:
        with writing_picture(plot):
            write_text(picture, plot)
    _show_view(view, as_json)
    if plot is not None:
        say(f"picture: {one_line(str(plot))}")


# What a comparison is shown as


class View(NamedTuple):
    """A comparison as it is shown.

    cells     the rows of the table; the first `labels` columns say what a row is about, the others hold numbers
    document  the same for machines
    series    what computes the lines or points of the picture, on axes x and y; `of` says what is below the picture,
              `heights` what is above it
    notice    what must be known before the figures are shown to others
    """

    title: str
    heads: tuple[str, ...]
    cells: list[tuple[str, ...]]
    remarks: list[str]
    document: dict[str, Any]
    labels: tuple[int, ...] = (0,)
    series: Callable[[], list[Series]] = list
    x: Callable[[list[float]], Axis | LogAxis] = Axis.within
    y: Callable[[list[float]], Axis | LogAxis] = Axis.over
    of: str = ""
    heights: str = ""
    notice: str = ""


def _show_view(view: View, as_json: bool) -> None:
    if as_json:
        notice = {"notice": view.notice} if view.notice else {}
        echo_json({"ok": True, **notice, **view.document}, indent=2)
        return
    if view.notice:
        note(view.notice, style="bold red")
    numbers = [column for column in range(len(view.heads)) if column not in view.labels]
    table(view.heads, view.cells, numbers=numbers, title=view.title)
    for remark in view.remarks:
        note(remark)


def _picture_text(view: View) -> str:
    series, title = view.series(), "NOT PRIVATE. " * bool(view.notice) + view.title
    points = [point for line in series for piece in (*line.pieces, line.points) for point in piece]
    x, y = view.x([x for x, _ in points]), view.y([y for _, y in points])
    words = {"of": view.of, "heights": view.heights, "said": f"{view.heights}, by {view.of}"}
    drawn = lines_picture(series, x=x, y=y, title=title, **words)
    return sheet([[(title, drawn)]], title=title, width=640, tall=lines_height(len(series)))


# Accuracy over epsilon

HEADS = ("epsilon", "Laplace", "fine", "natural", "notes", "GetAccuracy2", "simple")
DOTTED = ("exact, natural grid", "notes' rule")  # those whose jumps can be seen
LIMITS = {"below": "< ", "at": "", "above": "> "}


def _view_accuracy(given: dict[str, Any]) -> View:
    found = accuracy_by_epsilon(**given)
    cells, rows = [], []
    for row in found.rows:
        ratios = [f"{float(decimal_up(ratio, 3)):.3f}" for ratio in row.ratios[1:]]
        cells.append((LIMITS[row.side] + _exactly(row.epsilon), f"± {four_digits_up(row.laplace)}", *ratios))
        relative = dict(zip(MECHANISMS, map(to_float_up, row.ratios), strict=True))
        laplace = to_float_up(row.laplace)
        rows.append({"epsilon": str(row.epsilon), "side": row.side, "laplace_accuracy": laplace, "relative": relative})
    limits = ""
    if at := next((exact_amount(row.epsilon) for row in found.rows if row.side != "at"), None):
        limits = (
            f" Grids halve at powers of two: < {at} and > {at} are the limits there. The notes' noise scale lies a "
            f"hair above 1/epsilon, so at {at} itself their grid is the wide one."
        )
    remark = (
        "Laplace: its accuracy in sensitivities; the others are multiples of it, rounded up. fine, natural: exact "
        "arithmetic on these grids. notes: the notes' rule, whose accuracy GetAccuracy2 and the simple bound bound; "
        f"{found.bits} bits, bound {exact_amount(found.bound)}.{limits}"
    )
    constants = {"alpha": str(found.alpha), "bits": found.bits, "bound": str(found.bound)}
    return View(
        title=f"Accuracy at alpha = {exact_amount(found.alpha)}, relative to Laplace",
        heads=HEADS,
        cells=cells,
        remarks=[remark],
        document={"show": "accuracy", **constants, "rows": rows},
        series=partial(_accuracy_lines, found),
        x=LogAxis.over,
        y=Axis.within,
        of="epsilon",
        heights="accuracy / accuracy of Laplace",
    )


def _accuracy_lines(found: AccuracyByEpsilon) -> list[Series]:
    """Return lines that are cut at powers of two; where a line jumps, a dot is the mechanism's own value."""
    first, last = found.rows[0].epsilon, found.rows[-1].epsilon
    if first == last:
        raise click.UsageError("A picture needs two --epsilons at least: it is drawn from the least to the greatest.")
    rows = accuracy_for_picture(first=first, last=last, alpha=found.alpha, bits=found.bits).rows
    at_powers = {row.epsilon for row in rows if row.side != "at"}
    series = []
    for column, name in enumerate(MECHANISMS):
        piece: list[Point] = []
        pieces, dots = [piece], []
        for row in rows:
            point = to_float_up(row.epsilon), to_float_up(row.ratios[column])
            if row.side == "at" and row.epsilon in at_powers:
                dots.append(point)
                continue
            if row.side == "above":
                piece = []
                pieces.append(piece)
            piece.append(point)
        drawn = [piece for piece in pieces if piece]
        series.append(Series(name, drawn, dots=dots if name in DOTTED else ()))
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
    if len(declared["bounds"]) != 2:
        raise click.UsageError("--bounds takes LOWER,UPPER.")
    lower, upper = declared.pop("bounds")
    words = one_line(f"epsilon {declared['epsilon']}, range {lower} to {upper}")
    return {**declared, "lower": lower, "upper": upper}, words


def _view_bias(given: dict[str, Any]) -> View:
    declared, words = _declared(given)
    found = bias_by_guess(guesses=given.get("if_value"), **declared)
    remark = f"mean: over the guesses, each with the same weight. {GRIDS_AND_CLAMPS}"
    view = _view_figures("bias", found, f"Bias at a guess, {words}", at=("guess",), remark=remark)
    return view._replace(of="guess of the statistic", heights="bias")


def _view_distance(given: dict[str, Any]) -> View:
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
    view = _view_figures("distance", found, title, at=("z",), remark=remark)
    return view._replace(of="z", heights="P(distance > z)", y=LogAxis.over)


def _view_clamp(given: dict[str, Any]) -> View:
    declared, words = _declared(given)
    found = clamp_by_gamma(gammas=given.get("gammas", GAMMAS), **declared)
    title = f"Clamp that changes an output with probability gamma at most, {words}"
    heads = ("tight: half width", "binds", "notes: half width", "binds")
    remark = (
        "Half widths around the middle of the range, before they are rounded outward to the grid. binds: the largest "
        "probability over the range. Exact arithmetic, natural grid."
    )
    view = _view_figures("clamp", found, title, at=("gamma",), heads=heads, remark=remark)
    widths = partial(_figure_points, found, {0: "tight", 2: "notes' formula"})
    return view._replace(of="gamma", heights="half width", series=widths)


def _view_errors(given: dict[str, Any]) -> View:
    means, column, of, notice = _read_means(given)
    lower, upper = column.lower, column.upper
    found = errors_of_means(means, lower=lower, upper=upper, epsilons=given.get("epsilons", EPSILONS))
    title = f"Mean absolute error of the mean {of}, relative to Laplace"
    remark = (
        "What releasing it many times shows in the long run. It depends on where the mean lies on the grid, so "
        f"a coarse grid may be lucky. Cells are within {_exactly(lower)} and {_exactly(upper)}. "
        f"{GRIDS_AND_CLAMPS}"
    )
    view = _view_figures("errors", found, title, at=("n", "epsilon"), remark=remark)
    return view._replace(of="rows of the table, in turn", heights="mean error / that of Laplace", notice=notice)


VIEWS = {
    "accuracy": _view_accuracy,
    "bias": _view_bias,
    "distance": _view_distance,
    "clamp": _view_clamp,
    "errors": _view_errors,
}


def _view_figures(
    show: str, found: SideBySide, title: str, *, at: tuple[str, ...], remark: str, heads: tuple[str, ...] = FOUR
) -> View:
    """Return the view of figures; in JSON [lower, upper] of each, as doubles rounded outward."""
    cells: list[tuple[str, ...]] = [(*map(_exactly, row.at), *map(_figure, row.figures)) for row in found.rows]
    if found.mean is not None:
        cells.append(("mean", *map(_figure, found.mean)))
    rows = [{**dict(zip(at, map(str, row.at), strict=True)), "figures": _ends(row.figures)} for row in found.rows]
    mean = None if found.mean is None else _ends(found.mean)
    document = {"show": show, "columns": list(found.names), "rows": rows, "mean": mean}
    points = partial(_figure_points, found, dict(enumerate(found.names)))
    return View(title, (*at, *heads), cells, [remark], document, labels=tuple(range(len(at))), series=points)


def _exactly(x: Any) -> str:
    return one_line(exact_amount(x))


def _figure(e: Enclosure) -> str:
    if max(abs(e.lower), abs(e.upper)) < SMALLEST:
        return "0" if e.lower <= 0 <= e.upper else "< 1e-30" if e.lower > 0 else "> -1e-30"
    middle = (e.lower + e.upper) / 2
    return scientific_up(middle, 3) if abs(middle) < 1e-4 else figure(e)


def _ends(figures: Iterable[Enclosure]) -> list[list[float]]:
    return [[to_float_down(e.lower), to_float_up(e.upper)] for e in figures]


def _figure_points(found: SideBySide, columns: dict[int, str]) -> list[Series]:
    """Return figures as points: between them nothing is claimed. Rows that are about two numbers are drawn in turn."""
    rows = found.rows
    places = [float(row.at[0]) if len(row.at) == 1 else float(i) for i, row in enumerate(rows, 1)]
    heights = {name: [to_float_up(row.figures[column].upper) for row in rows] for column, name in columns.items()}
    return [Series(name, points=list(zip(places, heights[name], strict=True))) for name in heights]


# The table of errors: made-up people, or a table that is public

EPSILONS, ROWS = ("0.1", "0.5", "1"), ("100", "1000", "5000")
OLDEST = 120
NOT_PRIVATE = (
    "NOT PRIVATE: computed from the cells without noise and without a budget; such errors tell the mean modulo the "
    "grid. For public tables only."
)
Means = dict[int, tuple[Fraction, Fraction]]


def _read_means(given: dict[str, Any]) -> tuple[Means, NumberColumn, str, str]:
    """Return {rows: (mean, sensitivity)} of the table that the flags name, its column, what it is of, and a notice."""
    from snapdp.tables.engines.opening import open_table
    from snapdp.tables.means import public_means

    is_public, rows = "public_table" in given, given.get("rows")
    if rows is not None and not all(n.isascii() and n.isdigit() and len(n) < 10 for n in rows):
        raise click.UsageError("--rows takes whole numbers with commas between them.")
    if not is_public and (strays := [f"--{name}" for name in OF_A_TABLE if name in given]):
        raise click.UsageError(f"{', '.join(strays)} belongs to --public-table: give both.")
    if not is_public:
        made_up = open_table({"age": [age for age, _, _ in people()]})
        age = number_column("age", lower=0, upper=OLDEST, missing="middle")
        return public_means(made_up, age, rows=[int(n) for n in rows or ROWS]), age, "age of n made-up people", ""
    if "column" not in given or len(given.get("bounds", ())) != 2:
        raise click.UsageError("--public-table needs --column NAME and --bounds LOWER,UPPER of it.")
    if is_address(given["public_table"]) or given["public_table"].lower().endswith("db"):
        raise click.UsageError("--public-table takes a CSV or Parquet file: rows elsewhere have no order.")
    lower, upper = given["bounds"]
    column = number_column(given["column"], lower=lower, upper=upper, missing=given.get("missing", "middle"))
    dialect = csv_dialect({name: given.get(name) for name in OF_A_TABLE}, None)
    source = open_table(given["public_table"], dialect=dialect)
    means = public_means(source, column, rows=None if rows is None else [int(n) for n in rows])
    return means, column, f"{one_line(given['column'])} of the first n rows", NOT_PRIVATE


# `snapdp lab bits`: what p-bit arithmetic takes off epsilon and adds to the error

BITS_EXAMPLE = """\b
Examples:
  snapdp lab bits --epsilon 0.5 --sensitivity 1 --bounds 0,1000
  snapdp lab bits --epsilon 0.5 --sensitivity 1 --bounds 0,1000 --bits 40,53
  snapdp lab bits --epsilon 0.5 --sensitivity 1 --bounds 0,1000 --json
"""
RULES = ("proved", "notes")


@click.command("bits", epilog=BITS_EXAMPLE)
@click.option("--epsilon", type=NUMBER, metavar="NUMBER", required=True, help="Privacy loss of one release.")
@click.option("--sensitivity", type=NUMBER, metavar="NUMBER", required=True, help="Of the statistic.")
@click.option("--bounds", type=NUMBERS, metavar="LOWER,UPPER", required=True, help="Its public range.")
@click.option("--bits", type=NUMBERS, metavar="P,...", help="Precisions.  [default: 24,32,40,53,64,118]")
@click.option("--arithmetic", type=click.Choice(RULES), help="The rule by which eps' is chosen.  [default: both]")
@click.option("--alpha", type=NUMBER, metavar="NUMBER", default="0.05", show_default=True, help="How often to miss.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def bits_command(
    ctx: click.Context,
    /,
    epsilon: str,
    sensitivity: str,
    bounds: tuple[str, ...],
    bits: tuple[str, ...] | None,
    arithmetic: str | None,
    alpha: str,
    as_json: bool,
) -> None:
    """Show what bits cost. No data is opened.

    How much of epsilon p-bit arithmetic sets aside for what rounding might give away, and its accuracy beside that of
    exact arithmetic on the natural grid, which sets nothing aside.
    """
    ctx.meta["snapdp.json"] = as_json
    if len(bounds) != 2:
        raise click.UsageError("--bounds takes LOWER,UPPER.")
    if bits is not None and not all(p.isascii() and p.isdigit() and len(p) < 6 for p in bits):
        raise click.UsageError("--bits takes whole numbers with commas between them.")
    p = exact_parameters(epsilon=epsilon, sensitivity=sensitivity, lower=bounds[0], upper=bounds[1])
    chosen = None if bits is None else [int(p_bits) for p_bits in bits]
    rules = RULES if arithmetic is None else (arithmetic,)
    costs = [cost for rule in rules for cost in what_bits_cost(p, bits=chosen, arithmetic=rule, alpha=alpha)]
    refusals = dict.fromkeys(cost.refused for cost in costs if cost.refused)
    remark = (
        "lost: what is set aside for rounding; the noise gets the rest. to exact: by the accuracy of exact arithmetic "
        "on the natural grid, rounded up. The notes' noise scale lies a hair above sensitivity/epsilon, so their grid "
        "is twice as coarse where that is a power of two."
    )
    view = View(
        title=f"What bits cost at epsilon = {epsilon}",
        heads=("bits", "rule", "lost of epsilon", "accuracy", "to exact"),
        cells=[_cost_row(cost) for cost in costs],
        remarks=[*(f"refused: {one_line(refusal)}" for refusal in refusals), remark],
        document={"lines": [_cost_document(cost) for cost in costs]},
        labels=(1,),
    )
    _show_view(view, as_json)


def _cost_row(line: CostOfBits) -> tuple[str, ...]:
    figures = "refused", "", ""
    if line.lost is not None and line.accuracy is not None and line.accuracy_ratio is not None:
        lost, ratio = two_digits(line.lost, ROUND_CEILING), decimal_up(line.accuracy_ratio, 4)
        figures = lost, f"± {four_digits_up(line.accuracy)}", ratio
    return str(line.bits), line.arithmetic, *figures


def _cost_document(line: CostOfBits) -> dict[str, Any]:
    return {
        "bits": line.bits,
        "arithmetic": line.arithmetic,
        "lost": None if line.lost is None else str(line.lost),
        "accuracy": None if line.accuracy is None else str(line.accuracy),
        "accuracy_ratio": None if line.accuracy_ratio is None else to_float_up(line.accuracy_ratio),
        "refused": line.refused,
    }
