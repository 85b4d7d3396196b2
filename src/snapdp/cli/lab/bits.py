"""`snapdp lab bits`: what p-bit arithmetic takes off epsilon and adds to the error, for several p.

Room: cli. Parse, one library call, print.
"""

from __future__ import annotations

from decimal import ROUND_CEILING
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.flags.arguments import NUMBER, NUMBERS
from snapdp.cli.screen import echo_json, note, table
from snapdp.display import decimal_up, four_digits_up, one_line, two_digits
from snapdp.exact import to_float_up

if TYPE_CHECKING:
    from snapdp.accuracy import CostOfBits

EXAMPLE = """\b
Examples:
  snapdp lab bits --epsilon 0.5 --sensitivity 1 --bounds 0,1000
  snapdp lab bits --epsilon 0.5 --sensitivity 1 --bounds 0,1000 --bits 40,53
  snapdp lab bits --epsilon 0.5 --sensitivity 1 --bounds 0,1000 --json
"""
RULES = ("proved", "notes")


@click.command("bits", epilog=EXAMPLE)
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
    from snapdp.accuracy import what_bits_cost
    from snapdp.mechanism import exact_parameters

    ctx.meta["snapdp.json"] = as_json
    if len(bounds) != 2:
        raise click.UsageError("--bounds takes LOWER,UPPER.")
    if bits is not None and not all(p.isascii() and p.isdigit() and len(p) < 6 for p in bits):
        raise click.UsageError("--bits takes whole numbers with commas between them.")
    p = exact_parameters(epsilon=epsilon, sensitivity=sensitivity, lower=bounds[0], upper=bounds[1])
    asked = None if bits is None else [int(each) for each in bits]
    rules = RULES if arithmetic is None else (arithmetic,)
    found = [line for rule in rules for line in what_bits_cost(p, bits=asked, arithmetic=rule, alpha=alpha)]
    if as_json:
        echo_json({"ok": True, "lines": [_values(line) for line in found]}, indent=2)
    else:
        _print(found, epsilon)


def _print(found: list[CostOfBits], epsilon: str) -> None:
    heads = ("bits", "rule", "lost of epsilon", "accuracy", "to exact")
    table(heads, [_row(line) for line in found], numbers=(0, 2, 3, 4), title=f"What bits cost at epsilon = {epsilon}")
    for refused in dict.fromkeys(line.refused for line in found if line.refused):
        note(f"refused: {one_line(refused)}")
    note(
        "lost: what is set aside for rounding; the noise gets the rest. to exact: by the accuracy of exact arithmetic "
        "on the natural grid, rounded up. The notes' noise scale lies a hair above sensitivity/epsilon, so their grid "
        "is twice as coarse where that is a power of two."
    )


def _row(line: CostOfBits) -> tuple[str, ...]:
    said = (str(line.bits), line.arithmetic)
    if line.lost is None or line.accuracy is None or line.accuracy_ratio is None:
        return (*said, "refused", "", "")
    ratio = decimal_up(line.accuracy_ratio, 4)
    return (*said, two_digits(line.lost, ROUND_CEILING), f"± {four_digits_up(line.accuracy)}", ratio)


def _values(line: CostOfBits) -> dict[str, Any]:
    ratio = None if line.accuracy_ratio is None else to_float_up(line.accuracy_ratio)
    return {
        "bits": line.bits,
        "arithmetic": line.arithmetic,
        "lost": None if line.lost is None else str(line.lost),
        "accuracy": None if line.accuracy is None else str(line.accuracy),
        "accuracy_ratio": ratio,
        "refused": line.refused,
    }
