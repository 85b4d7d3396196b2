"""A short tour in the terminal: parameters, a release, and the exact law of a small example.

Room: cli. Prints only; everything it shows is one library call.
"""

from __future__ import annotations

from fractions import Fraction

import click

from snapdp import Snapping
from snapdp.cli.screen import echo
from snapdp.mechanism import Law, SnappingParameters, pair_loss

BAR_WIDTH = 40


@click.command("tour", epilog="\b\nExample:\n  snapdp tour")
def tour_command() -> None:
    """Take a short tour: parameters, a release, an exact law."""
    echo("1. A mechanism: epsilon = 1/2, one person changes the count by 1, and the count\n   lies in 0 ... 1000.\n")
    m = Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000)
    echo(_parameters(m.parameters))
    echo(
        "\n2. Five releases of the count 412. Each is a multiple of the grid, and each\n   would cost epsilon = 1/2.\n"
    )
    echo("   " + "   ".join(f"{m.release(412):g}" for _ in range(5)))
    echo("\n3. The exact law of a small one: epsilon = 1, values 0 ... 6, the true value 2.\n   No sampling.\n")
    small = Snapping(epsilon=1, sensitivity=1, lower=0, upper=6, grid=1, clamp="range")
    law, neighbour = small.law(2), small.law(3)
    echo(_bars(law))
    echo(f"\n   mean {float(law.mean):.4f}, standard deviation {float(law.variance) ** 0.5:.4f}")
    worst = pair_loss(law, neighbour)
    assert worst.loss is not None  # every output of exact arithmetic is possible for every value
    echo("\n4. What can one person change? Had the value been 3, the largest |ln ratio| of")
    at = f"{small.parameters.released(worst.index):g}"
    echo(f"   probabilities over all outputs is {worst.loss.upper}, at output {at}: epsilon, exactly.")


def _parameters(p: SnappingParameters) -> str:
    clamp = f"{p.released(p.low):g} ... {p.released(p.high):g}"
    rows = [("noise scale", p.noise_scale), ("grid of the outputs", p.grid), ("outputs are clamped to", clamp)]
    return "\n".join(f"   {name:<24}{value}" for name, value in rows)


def _bars(law: Law) -> str:
    rows = law.table()
    largest = max(row.probability.upper for row in rows)
    lines = []
    for row in rows:
        bar = "█" * round(Fraction(BAR_WIDTH) * row.probability.upper / largest)
        lines.append(f"   {float(row.value):4g}  {float(row.probability):.9f}  {bar}")
    return "\n".join(lines)
