"""The sign of zero: -0.0 prints as a number of its own, and only some inputs can give it.

Rounding -0.3 gives -0.0, which stays -0.0 when noise of -0.0 is added; 1 and noise of -1 give 0.0. Whole
noise added to whole values would keep its claim, were there one zero. Comparisons do not see it: 0.0 == -0.0. What
prints the output does, and so does every file of it.
Source: IEEE 754, section 6.3 (the sign of a sum).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from snapdp.lab.attacks import ours, textbook
from snapdp.lab.attacks.attack import Attack, AttackOutcome, Trials, counted

CLAIMED = Fraction(1, 2)
ROUNDED = (-0.0, 1.0)  # -0.3, rounded, and 1


def is_negative_zero(output: float) -> bool:
    """Tell -0.0 from 0.0.

    >>> is_negative_zero(-0.0), is_negative_zero(0.0), is_negative_zero(-1.0)
    (True, False, False)
    """
    return output == 0 and math.copysign(1.0, output) < 0


def signed(release: Callable[[float], float], trials: int) -> AttackOutcome:
    """Return how often outputs for -0.0 and for 1 are -0.0."""
    return counted(
        release,
        is_negative_zero,
        neighbours=ROUNDED,
        inputs=("for -0.3, rounded", "for 1"),
        claimed=CLAIMED,
        trials=trials,
    )


def _of_textbook(trials: Trials) -> AttackOutcome:
    return signed(textbook.noise_on_grid(trials.generator(), float(1 / CLAIMED)), trials.count)


def _of_ours(trials: Trials) -> AttackOutcome:
    """Numbers one by one, and as arrays: the two are drawn by different code."""
    alone = ours.number(epsilon=CLAIMED)
    in_arrays = ours.number_in_arrays(epsilon=CLAIMED)
    both = [signed(alone, trials.count), signed(in_arrays, trials.count)]
    return max(both, key=lambda outcome: outcome.lower_bound)


ATTACKS = (
    Attack(
        name="negative-zero",
        title="the sign of zero",
        source="IEEE 754",
        assumes="The attacker sees one output as it is printed or stored.",
        event="The output is -0.0. More likely for -0.0. Fixed before the sample.",
        neighbours="The number -0.3, rounded to a whole number, which is -0.0, and the number 1: sensitivity 1.",
        against={"numpy": _of_textbook, "snapdp": _of_ours},
        claimed=CLAIMED,
    ),
)
