"""Noise that is returned, for the caller to add: the sum of a private double and noise on a grid is not on the grid.

However well noise on a grid is drawn, adding it to 0.1 gives numbers whose distance to the grid is that
of 0.1: the output tells the digits below the grid. Values must be on the grid before, or the sum must be rounded to it
afterwards, which is what a mechanism does and a source of noise cannot.
Source: Mironov 2012, section 5 (why the sum is rounded); Google's differential privacy team 2020, secure noise.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from snapdp.lab.attacks import ours, textbook
from snapdp.lab.attacks.attack import Attack, Distinguisher

GRID = 0.125
VALUES = (0.1, 0.7)  # not a whole number of grid steps apart
NEAR = 2.0**-40  # the sum of 0.1 and a double below 1000 is off by less


def is_beside_the_grid_as_the_first(output: float) -> bool:
    """Tell whether an output is as far from the grid as 0.1 is.

    >>> is_beside_the_grid_as_the_first(0.1 - 3 * GRID), is_beside_the_grid_as_the_first(0.7 - 3 * GRID)
    (True, False)
    """
    steps = (output - VALUES[0]) / GRID
    return abs(steps - round(steps)) * GRID < NEAR


BESIDE_THE_GRID = Distinguisher(
    event=is_beside_the_grid_as_the_first,
    neighbours=VALUES,
    inputs=("for 0.1", "for 0.7"),
    claimed=Fraction(1, 2),
)

ATTACKS = (
    Attack(
        name="returned-noise",
        title="noise that the caller adds",
        source="Mironov 2012",
        assumes="The attacker sees one output with all its digits, and knows the grid of the noise, 1/8.",
        event="The output is a multiple of 1/8, plus 0.1. More likely for 0.1. Fixed before the sample.",
        neighbours="The number 0.1, and the number 0.7: nearer than the sensitivity, which is 1.",
        against=ours.against_numbers(BESIDE_THE_GRID, partial(textbook.noise_on_grid, grid=GRID)),
        trials=5_000,
        claimed=BESIDE_THE_GRID.claimed,
    ),
)
