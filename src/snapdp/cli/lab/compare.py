"""`snapdp lab compare`: mechanisms and formulas side by side, as a table and as a picture.

Parse, one library call, print.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.flags.files import csv_options, picture_option, to_declare, writing_picture
from snapdp.cli.flags.numbers import NUMBER, NUMBERS, WHOLE
from snapdp.cli.lab.views import OF_A_TABLE
from snapdp.cli.screen import echo_json, note, say, table, watched
from snapdp.display.numbers import decimal_up, exact_amount, four_digits_up
from snapdp.display.text import one_line
from snapdp.exact.numbers import to_float_up

if TYPE_CHECKING:
    from snapdp.accuracy.comparison import AccuracyByEpsilon

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
HEADS = ("epsilon", "Laplace", "fine", "natural", "notes", "GetAccuracy2", "simple")
LIMITS = {"below": "< ", "at": "", "above": "> "}


DECLARED = {"epsilon", "sensitivity", "bounds"}
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
    if show != "accuracy":
        _side_by_side(show, given, plot, as_json)
    else:
        _accuracy(given, plot, as_json)
    if plot is not None:
        say(f"picture: {one_line(str(plot))}")


def _side_by_side(show: str, given: dict[str, Any], plot: Path | None, as_json: bool) -> None:
    from snapdp.cli.lab import views

    with watched("computing"):
        view = views.view(show, given)
    if plot is not None:
        from snapdp.cli.lab import views as pictures

        with writing_picture(plot):
            pictures.write_points(view, plot)
    if as_json:
        echo_json(views.document(view), indent=2)
    else:
        views.show(view)


def _accuracy(given: dict[str, Any], plot: Path | None, as_json: bool) -> None:
    from snapdp.accuracy.comparison import accuracy_by_epsilon

    found = accuracy_by_epsilon(**given)
    if plot is not None:
        _draw(found, plot)
    if as_json:
        echo_json(_document(found), indent=2)
    else:
        _print(found)


def _print(found: AccuracyByEpsilon) -> None:
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
    note(
        "Laplace: its accuracy in sensitivities; the others are multiples of it, rounded up. fine, natural: exact "
        "arithmetic on these grids. notes: the notes' rule, whose accuracy GetAccuracy2 and the simple bound bound; "
        f"{found.bits} bits, bound {exact_amount(found.bound)}.{_of_limits(found)}"
    )


def _of_limits(found: AccuracyByEpsilon) -> str:
    """Return what the rows at a power of two are; empty where none is there."""
    at = next((exact_amount(row.epsilon) for row in found.rows if LIMITS[row.side].strip()), None)
    if at is None:
        return ""
    return (
        f" Grids halve at powers of two: < {at} and > {at} are the limits there. The notes' noise scale lies a hair "
        f"above 1/epsilon, so at {at} itself their grid is the wide one."
    )


def _document(found: AccuracyByEpsilon) -> dict[str, Any]:
    from snapdp.accuracy.comparison import MECHANISMS

    return {
        "ok": True,
        "show": "accuracy",
        "alpha": str(found.alpha),
        "bits": found.bits,
        "bound": str(found.bound),
        "rows": [
            {
                "epsilon": str(row.epsilon),
                "side": row.side,
                "laplace_accuracy": to_float_up(row.laplace),
                "relative": dict(zip(MECHANISMS, map(to_float_up, row.ratios), strict=True)),
            }
            for row in found.rows
        ],
    }


def _draw(found: AccuracyByEpsilon, plot: Path) -> None:
    from snapdp.accuracy.comparison import accuracy_lines
    from snapdp.cli.lab import views as pictures

    first, last = found.rows[0].epsilon, found.rows[-1].epsilon
    if first == last:
        raise click.UsageError("A picture needs two --epsilons at least: it is drawn from the least to the greatest.")
    with watched("computing"):
        lines = accuracy_lines(first=first, last=last, alpha=found.alpha, bits=found.bits)
    with writing_picture(plot):
        pictures.write_accuracy(lines, plot, alpha=found.alpha)
