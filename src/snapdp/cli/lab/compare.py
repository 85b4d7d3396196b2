"""`snapdp lab compare`: mechanisms and formulas side by side, as a table and as a picture.

Room: cli. Parse, one library call, print.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.flags.arguments import NUMBER
from snapdp.cli.flags.picture import picture_option, writing_picture
from snapdp.cli.screen import console, echo_json, note, one_line, say, table
from snapdp.display import decimal_up, exact_amount, four_digits_up
from snapdp.exact import to_float_up

if TYPE_CHECKING:
    from snapdp.accuracy import AccuracyByEpsilon, Progress

EXAMPLE = """\b
Examples:
  snapdp lab compare
  snapdp lab compare --epsilons 0.9,1,1.1 --alpha 0.01 --json
  snapdp lab compare --epsilons 0.5,2 --plot compare.svg
"""
HEADS = ("epsilon", "Laplace", "fine", "natural", "notes", "GetAccuracy2", "simple")
LIMITS = {"below": "< ", "at": "", "above": "> "}


class Numbers(click.types.StringParamType):
    """Several numbers with commas between them."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return tuple(NUMBER.convert(each.strip(), param, ctx) for each in str(value).split(","))


@click.command("compare", epilog=EXAMPLE)
@click.option(
    "--epsilons", type=Numbers(), metavar="NUMBER,...", help="Where to compare.  [default: 13 from 0.01 to 4]"
)
@click.option("--alpha", type=NUMBER, metavar="NUMBER", default="0.05", show_default=True, help="How often to miss.")
@click.option("--bits", type=int, metavar="BITS", help="Of the notes' arithmetic.  [default: as they choose, >= 118]")
@picture_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def compare_command(
    ctx: click.Context,
    /,
    epsilons: tuple[str, ...] | None,
    alpha: str,
    bits: int | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Compare mechanisms and formulas with the Laplace mechanism. No data is opened.

    Accuracy relative to that of the Laplace mechanism, over epsilon: exact arithmetic on the fine and on the natural
    grid, the notes' rule, and their formulas for it.
    """
    from snapdp.accuracy import TABLE_EPSILONS, accuracy_by_epsilon

    ctx.meta["snapdp.json"] = as_json
    found = accuracy_by_epsilon(epsilons=epsilons or TABLE_EPSILONS, alpha=alpha, bits=bits)
    if plot is not None:
        _draw(found, plot)
    if as_json:
        echo_json(_document(found), indent=2)
    else:
        _print(found)
    if plot is not None:
        say(f"picture: {one_line(str(plot))}")


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
        f"{found.bits} bits, bound {exact_amount(found.bound)}. Grids halve at powers of two: < 1 and > 1 are the "
        "limits there. The notes' noise scale lies a hair above 1/epsilon, so at 1 itself their grid is the wide one."
    )


def _document(found: AccuracyByEpsilon) -> dict[str, Any]:
    from snapdp.accuracy import MECHANISMS

    return {
        "ok": True,
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
    from snapdp.accuracy import accuracy_lines
    from snapdp.cli.lab import pictures
    from snapdp.cli.plots import library

    library()  # where it is missing, that is said before the work
    first, last = found.rows[0].epsilon, found.rows[-1].epsilon
    if first == last:
        raise click.UsageError("A picture needs two --epsilons at least: it is drawn from the least to the greatest.")
    with _progress() as progress:
        lines = accuracy_lines(first=first, last=last, alpha=found.alpha, bits=found.bits, progress=progress)
    with writing_picture(plot):
        pictures.write_accuracy(lines, plot, alpha=found.alpha)


@contextmanager
def _progress() -> Iterator[Progress | None]:
    """Show how many points of the picture are computed, on a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    with console(err=True).status("drawing") as status:
        yield lambda done, total: status.update(f"drawing: {done} of {total} points")
