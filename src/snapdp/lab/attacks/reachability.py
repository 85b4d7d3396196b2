"""Mironov's attack: an output that no draw of the generator makes of the neighbour tells which input it was.

numpy's noise is the logarithm of one of 2**53 numbers: it leaves gaps between doubles, and other gaps
around another value. Whether a double is reached is decided by trying the few draws that could give it.
Source: Mironov 2012, section 4.2 (porous distributions).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from snapdp.lab.attacks import ours, textbook
from snapdp.lab.attacks.attack import Attack, Distinguisher

UNIT = 2.0**-53
HALF = 1 << 52  # of the draws: below it the noise is negative
LARGEST = 40.0  # in scales: beyond -ln(2**-52)
FLAT = 1e-12  # so near zero both sides are tried
MOST_TRIED = 400  # draws; the attacks here need fewer than 300


def noise_of_draw(draw: int, scale: float) -> float:
    """Return the noise that numpy makes of a uniform draw * 2**-53, as its code computes it, in doubles.

    2 - U rounds to a multiple of 2**-52 before U is subtracted again: the two sides are not mirror images.
    """
    u = draw * UNIT
    return scale * math.log(u + u) if draw < HALF else -(scale * math.log(2.0 - u - u))


def is_reachable(output: float, value: float, scale: float) -> bool:
    """Tell whether value + noise can be this very double, for any draw.

    It is decided exactly where at most MOST_TRIED draws could give it. Where more could, so many doubles of noise round
    to one output that it is taken for one that can be: an attack then finds less, and never more, than there is.

    >>> noise = noise_of_draw(3 << 50, 2.0)
    >>> is_reachable(noise, 0.0, 2.0), is_reachable(1.0 + noise, 1.0, 2.0), is_reachable(noise, 1.0, 2.0)
    (True, True, False)
    """
    gap = math.ulp(output)
    low, high = (output - value - gap) / scale, (output - value + gap) / scale
    return any(_one_draw_gives(output, value, scale, draws) for draws in _candidates(low, high))


def _candidates(low: float, high: float) -> Iterator[range]:
    """Yield all draws whose noise may lie between two ends, in scales: a few more on either side, and no other sign.

    The noise is ln(2U) below 1/2 and -ln(2 - 2U) above. Between the ends there is room for every double that rounds to
    the output; what rounding does to the ends x and to exp is less than (|x| + 2) exp(-|x|) draws, so less than four.
    """
    if low <= FLAT and high >= -LARGEST:
        first, last = (HALF * math.exp(min(end, 0.0)) for end in (low, high))
        yield range(max(math.floor(first) - 4, 1), min(math.ceil(last) + 5, HALF))
    if high >= -FLAT and low <= LARGEST:
        first, last = (HALF * (2.0 - math.exp(-max(end, 0.0))) for end in (low, high))
        yield range(max(math.floor(first) - 4, HALF), min(math.ceil(last) + 5, 2 * HALF))


def _one_draw_gives(output: float, value: float, scale: float, draws: range) -> bool:
    return len(draws) > MOST_TRIED or any(value + noise_of_draw(draw, scale) == output for draw in draws)


def _attack(name: str, title: str, values: tuple[int, int], epsilon: str, trials: int) -> Attack:
    value, other = values
    claimed = Fraction(epsilon)
    scale = float(1 / claimed)
    identified = Distinguisher(
        event=lambda output: not is_reachable(output, other, scale),
        neighbours=(float(value), float(other)),
        inputs=(f"for {value}", f"for {other}"),
        claimed=claimed,
    )
    return Attack(
        name=name,
        title=title,
        source="Mironov 2012",
        assumes="The attacker sees one output with all its digits, and knows how the noise is computed.",
        event=(
            f"No draw of numpy's Laplace noise of scale {int(1 / claimed):,} makes this output of {other}. More "
            f"likely for {value}. Fixed before the sample; each output is decided exactly."
        ),
        neighbours=f"The number {value}, and the number {other}: sensitivity 1.",
        against=ours.against_numbers(identified, textbook.laplace),
        trials=trials,
        claimed=claimed,
    )


ATTACKS = (
    _attack("reachability", "outputs out of reach", (0, 1), "1/2", 5_000),
    _attack("reachability-far", "the same far from zero", (412, 413), "1/2", 15_000),
    _attack("reachability-small", "the same in much noise", (0, 1), "1/1000000", 5_000),
)
