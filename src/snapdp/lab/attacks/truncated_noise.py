"""Noise cut to a whole number: int(noise) sends everything between -1 and 1 to 0, twice as much as to any other.

Rounding to the nearest whole number gives 0 its fair share. Cutting doubles it, so the true count is
more likely than any other by a factor of 2 beyond e^epsilon: the loss is epsilon + ln 2.
Source: docs/theory/attacks.md, equation (5).
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.lab.attacks import ours, peers, textbook
from snapdp.lab.attacks.attack import Attack, Distinguisher


def is_about_zero(output: float) -> bool:
    """Tell whether 0 is the nearest whole number."""
    return abs(output) < 0.5


ABOUT_ZERO = Distinguisher(
    event=is_about_zero, neighbours=(0.0, 1.0), inputs=("for 0", "for 1"), claimed=Fraction(1, 2)
)

ATTACKS = (
    Attack(
        name="truncated-noise",
        title="noise cut to a whole number",
        source="folklore",
        assumes="The attacker sees one output; the digits do not matter.",
        event="The output is nearer to 0 than to any other whole number. More likely for 0. Fixed before the sample.",
        neighbours="The count 0, and the count 1: sensitivity 1.",
        against=ours.against_numbers(ABOUT_ZERO, textbook.cut_noise, with_peers=True),
        fewer={"opendp": peers.OPENDP_TRIALS},
        claimed=ABOUT_ZERO.claimed,
    ),
)
