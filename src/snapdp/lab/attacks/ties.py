"""Ties: rounding halves to the even number sends 0.5 to 0 and 1.5 to 2, so what differs by 1 then differs by 2.

The noise was chosen for a sensitivity of 1; the loss is up to twice the claim. Ties toward +infinity
send 0.5 to 1 and 1.5 to 2. Ours rounds the noisy sum, and never the value alone.
Source: Mironov 2012, section 5.2 (ties of the snap); docs/theory/attacks.md, equation (6).
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.lab.attacks import ours, textbook
from snapdp.lab.attacks.attack import Attack, Distinguisher

LOW = Distinguisher(
    event=lambda output: output <= 1,
    neighbours=(0.5, 1.5),
    inputs=("for 1/2", "for 3/2"),
    claimed=Fraction(1, 2),
)

ATTACKS = (
    Attack(
        name="ties",
        title="halves rounded to even",
        source="Mironov 2012",
        assumes="The attacker sees one output; the digits do not matter.",
        event="The output is at most 1. More likely for 1/2. Fixed before the sample.",
        neighbours="The number 1/2, and the number 3/2, rounded to whole numbers: sensitivity 1.",
        # ours on a grid of 1, where both values are ties
        against=ours.against_numbers(LOW, textbook.rounded_to_even, grid=1),
        claimed=LOW.claimed,
    ),
)
