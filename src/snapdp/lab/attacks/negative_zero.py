"""The sign of zero: -0.0 prints as a number of its own, and only some inputs can give it.

Rounding -0.3 gives -0.0, which stays -0.0 when noise of -0.0 is added; 1 and noise of -1 give 0.0. Whole
noise added to whole values would keep its claim, were there one zero. Comparisons do not see it: 0.0 == -0.0. What
prints the output does, and so does every file of it.
Source: IEEE 754, section 6.3 (the sign of a sum).
"""

from __future__ import annotations

import math
from fractions import Fraction

from snapdp.lab.attacks import ours, textbook
from snapdp.lab.attacks.attack import Attack, AttackOutcome, Distinguisher, Trials, one_by_one


def is_negative_zero(output: float) -> bool:
    """Tell -0.0 from 0.0.

    >>> is_negative_zero(-0.0), is_negative_zero(0.0), is_negative_zero(-1.0)
    (True, False, False)
    """
    return output == 0 and math.copysign(1.0, output) < 0


SIGNED = Distinguisher(
    event=is_negative_zero,
    neighbours=(-0.0, 1.0),  # -0.3, rounded, and 1
    inputs=("for -0.3, rounded", "for 1"),
    claimed=Fraction(1, 2),
)


def _run_ours(trials: Trials) -> AttackOutcome:
    """Numbers one by one, and as arrays: the two are drawn by different code."""
    ways = (ours.number, ours.number_in_arrays)
    outcomes = [SIGNED.run(one_by_one(way(epsilon=SIGNED.claimed)), trials.count) for way in ways]
    return max(outcomes, key=lambda outcome: outcome.lower_bound)


ATTACKS = (
    Attack(
        name="negative-zero",
        title="the sign of zero",
        source="IEEE 754",
        assumes="The attacker sees one output as it is printed or stored.",
        event="The output is -0.0. More likely for -0.0. Fixed before the sample.",
        neighbours="The number -0.3, rounded to a whole number, which is -0.0, and the number 1: sensitivity 1.",
        against=ours.against_numbers(SIGNED, textbook.noise_on_grid) | {"snapdp": _run_ours},
        claimed=SIGNED.claimed,
    ),
)
