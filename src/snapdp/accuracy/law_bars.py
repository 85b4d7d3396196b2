"""The bars behind a picture of a law: probabilities in doubles, of single outputs or of runs of neighbouring ones.

Room: accuracy. Where there are more outputs than a picture has room for, neighbours are summed: nothing is left out, so
that bars, what lies beyond the picture, and the two ends of the clamp always add up to 1. The ends of the clamp are
bars of their own: they hold everything that would have fallen further out. Doubles err by less than 1e-14 here, which
no picture shows; what is printed is asked of the law itself. In finite precision the bars are those of the real Laplace
law at the same noise scale and grid: p bits change a probability by far less than that.
Theory: docs/theory/exact-law.md, (3).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from snapdp.exact import to_float_nearest
from snapdp.mechanism import ExactLaw
from snapdp.values import Value

MOST_BARS = 96
BEYOND = Fraction(1, 2000)  # on each side: a picture ends where less than this is further out


class LawBar(Value):
    """A run of outputs, from one index to another, and the probability that one of them is released.

    is_end   it is an end of the clamp: the one output that holds everything beyond it as well
    """

    first: int
    last: int
    height: float
    is_end: bool = False


class LawBars(Value):
    """A law cut into bars, from the left.

    together       so many neighbouring outputs are one bar
    below, above   the probability of all outputs before the first bar, and after the last
    """

    bars: tuple[LawBar, ...]
    together: int
    below: float
    above: float

    @property
    def total(self) -> float:
        """Return the sum of everything: 1, but for the rounding of doubles."""
        return math.fsum([self.below, self.above, *(each.height for each in self.bars)])


def bars_of_law(law: ExactLaw, *, most: int = MOST_BARS) -> LawBars:
    """Return about so many bars at most around the value; all but a thousandth of the releases are in them."""
    first, last = law.quantile_index(BEYOND), law.quantile_index(1 - BEYOND)
    together = -(-(last - first + 1) // most)
    runs = list(_runs(law, first, last, together))
    ends = law.parameters.ends
    bars = (LawBar(first=i, last=j, height=law_mass(law, i, j), is_end=i == j and i in ends) for i, j in runs)
    return LawBars(
        bars=tuple(bars),
        together=together,
        below=law_mass(law, ends[0], runs[0][0] - 1),
        above=law_mass(law, runs[-1][1] + 1, ends[1]),
    )


def _runs(law: ExactLaw, first: int, last: int, together: int) -> Iterator[tuple[int, int]]:
    """Yield runs of so many indices, one of them around the value; an end of the clamp is a run of its own."""
    low, high = law.parameters.ends
    middle = law.centre - (together - 1) // 2
    for start in range(middle - together * -(-(middle - first) // together), last + 1, together):
        stop = start + together - 1
        if start <= low <= stop:
            yield low, low
        inside = max(start, low + 1), min(stop, high - 1)
        if inside[0] <= inside[1]:
            yield inside
        if start <= high <= stop and low < high:
            yield high, high


def law_mass(law: ExactLaw, first: int, last: int) -> float:
    """Return the probability of a run of indices as a double, for a picture: exact-law (3), without cancellation."""
    p = law.parameters
    if first > last:
        return 0.0
    left = None if first <= p.low else law.breakpoint(first) / p.noise_scale
    right = None if last >= p.high else law.breakpoint(last + 1) / p.noise_scale
    if (left is None or left < 0) and (right is None or right > 0):
        tails = (
            math.inf if left is None else -to_float_nearest(left),
            math.inf if right is None else to_float_nearest(right),
        )
        return math.fsum(-math.expm1(-each) for each in tails) / 2
    width = math.inf if left is None or right is None else to_float_nearest(right - left)
    nearest = min(abs(each) for each in (left, right) if each is not None)
    return math.exp(-to_float_nearest(nearest)) * -math.expm1(-width) / 2
