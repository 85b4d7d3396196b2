"""Accuracy against epsilon as a line, hints about an epsilon nearby, and the bars behind a picture of a law.

The worst-case accuracy without a clamp never grows with epsilon, but it has corners (planning (6)) and,
where the grid follows epsilon, jumps (planning (32)). A line through a few exact points would be too good between them.
So each grid is a piece of its own, from jump to jump; in a piece every corner is a point of the line; and everything is
computed in doubles with margins far above their errors and far below what a picture shows, on the safe side. Between
two corners the true curve bends upward (in both logarithms; checked, not proved), so a straight line lies above it. A
whole statistic is a staircase: it keeps the value of a point until the next one.
Theory: docs/theory/planning.md, (6), (31), (32), (34); of the bars docs/theory/exact-law.md, (3).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from snapdp.accuracy.epsilon import (
    DIGITS,
    Constants,
    Family,
    constants_of,
    exact_grid,
    grid_choice,
    laplace_epsilon,
    least_epsilon,
    natural_grid,
    next_four_digits,
    unclamped_family,
)
from snapdp.accuracy.error import confidence, exact_level
from snapdp.errors import SnapdpError
from snapdp.exact.dyadic import power_of_two_at_least, round_digits_up
from snapdp.exact.numbers import to_float_nearest, to_float_up
from snapdp.mechanism.law.exact import ExactLaw
from snapdp.mechanism.parameters import DataUnits, SnappingParameters, spacing_of_doubles
from snapdp.values import Value

Point = tuple[float, float]
MARGIN = 1e-12  # relative; doubles err by less than 1e-14 here
HAIR = 1 + 2.0**-18
POINTS_PER_DECADE = 48
MOST_CORNERS = 400  # the corners of planning (6) with more half steps than this are a quarter of a percent apart


def curve_of(p: SnappingParameters, alpha: Fraction) -> Curve:
    """Return the curve of a mechanism: its grid follows epsilon as it does there.

    In finite precision the noise scale is at most 1 + 2**-20 times that of exact arithmetic, and the level is lowered
    by no more: the line is that of exact arithmetic, moved by a hair to the right. What rounding of a printed number
    adds is taken for outputs up to twice as far from zero as those of p; of clamps that noise makes wider than that it
    is less than the margin of the line.
    """
    if p.precision is None:
        return Curve(sensitivity=p.sensitivity, alpha=alpha, grid=grid_choice(p))
    level = exact_level(p, alpha)
    printing = spacing_of_doubles(p.furthest) / p.unit
    inner = {"sensitivity": Fraction(1), "alpha": level, "grid": grid_choice(p), "printing": printing}
    return Curve(**inner, factor=p.unit, shift=HAIR)


class Curve(Value):
    """Accuracy (data units) against epsilon for one sensitivity, level and way of choosing the grid.

    grid      "natural", "fine" or a number; one that follows epsilon is never below `finest`
    factor    by which accuracies are multiplied
    whole     accuracies are first rounded down to whole numbers
    shift     by which epsilons are multiplied at the end
    printing  what rounding of printed numbers adds to accuracies, before the factor
    """

    sensitivity: Fraction
    alpha: Fraction
    grid: Any
    finest: Fraction = Fraction(0)
    factor: Fraction = Fraction(1)
    whole: bool = False
    shift: float = 1.0
    printing: Fraction = Fraction(0)

    def grid_at(self, epsilon: Fraction) -> Fraction:
        return exact_grid(self.grid, self.sensitivity / epsilon, self.finest)

    def at(self, epsilon: Fraction) -> float:
        """Return the height of the line at one epsilon, on the safe side: where it jumps, the lower one."""
        unshifted = epsilon / Fraction(self.shift)
        log_alpha = -math.log(to_float_nearest(self.alpha))
        noise_scale, grid = (to_float_up(each) for each in (self.sensitivity / unshifted, self.grid_at(unshifted)))
        return self._value(accuracy_above(noise_scale, grid, log_alpha))

    def jumps(self, first: Fraction, last: Fraction) -> list[Fraction]:
        """Return the epsilons in (first, last] from which on the grid is half as wide, in order."""
        found, grid = [], self.grid_at(first)
        natural = power_of_two_at_least(self.sensitivity / first)
        while (jump := self.sensitivity / (natural / 2)) <= last:
            if self.grid_at(jump) < grid:
                found.append(jump)
                grid = self.grid_at(jump)
            natural /= 2
        return found

    def points(self, first: Fraction, last: Fraction) -> list[Point]:
        """Return the line from first to last; two points at one epsilon are the limits of a jump."""
        ends = [first, *self.jumps(first, last), last]
        found = [
            point
            for start, stop in pairwise(ends)
            if start < stop
            for point in self._piece(self.grid_at(start), to_float_up(start), to_float_up(stop))
        ]
        shifted = [(epsilon * self.shift, value) for epsilon, value in found]
        return list(_stairs(shifted)) if self.whole else shifted

    def _piece(self, grid: Fraction, first: float, last: float) -> Iterator[Point]:
        """Yield the points of one grid: both ends, and all corners between them with some points after each.

        Where corners are too close together to be seen, the bound planning (7) is drawn, which has none.
        """
        delta, g, log_alpha = float(self.sensitivity), float(grid), -math.log(to_float_nearest(self.alpha))
        dense = min(max(2 * log_alpha * delta / (g * MOST_CORNERS), first), last)
        for epsilon in _spread(first, dense) if first < dense else ():
            yield epsilon, self._value(delta / epsilon * log_alpha + g / 2)
        if dense < last:
            for epsilon in sorted({*_spread(dense, last), *_around_corners(2 * log_alpha * delta / g, dense, last)}):
                yield epsilon, self._value(accuracy_above(delta / epsilon, g, log_alpha))

    def _value(self, accuracy: float) -> float:
        number = math.floor(accuracy) if self.whole else accuracy
        return (number + float(self.printing)) * float(self.factor) * (1 + MARGIN)


def _spread(first: float, last: float) -> list[float]:
    """Return both ends and points between them, evenly in logarithms."""
    count = max(2, math.ceil(math.log10(last / first) * POINTS_PER_DECADE))
    return [first, *(first * (last / first) ** (i / count) for i in range(1, count)), last]


def _around_corners(first_corner: float, first: float, last: float) -> Iterator[float]:
    """Yield the corners first_corner/m between two epsilons, and points after each, where the curve falls steeply."""
    for m in range(max(math.floor(first_corner / last), 1), math.ceil(first_corner / first) + 1):
        corner, following = first_corner / m, first_corner / max(m - 1, 0.5)
        some = max(3, min(16, 48 // m))
        for i in range(some):
            place = corner * (following / corner) ** ((i / some) ** 2) * (1 + MARGIN / 4)
            if first < place < last:
                yield place


def accuracy_above(noise_scale: float, grid: float, log_alpha: float) -> float:
    """Return planning (6) in doubles, a little above the true one; log_alpha = ln(1/alpha)."""
    half = grid / (2 * noise_scale)
    m = max(math.ceil(log_alpha / half), 1)
    w = max(m * half - log_alpha * (1 + MARGIN), 0.0)
    falling = (m + 1) * grid / 2 - noise_scale * (w + math.log1p(math.sqrt(-math.expm1(-2 * w))))
    return max(falling, m * grid / 2) * (1 + MARGIN)


def _stairs(points: Sequence[Point]) -> Iterator[Point]:
    """Yield the points of a falling staircase: each value holds until the next point."""
    yield points[0]
    for (_, before), (epsilon, value) in pairwise(points):
        yield epsilon, before
        yield epsilon, value


# Hints

NEAR = Fraction(11, 10)  # at most a tenth more epsilon is suggested
WORTH_SAYING = Fraction(99, 100)  # a gain of less than one percent is not mentioned


class Hint(Value):
    """A better epsilon than the one asked for, with both accuracies (worst case without a clamp, data units).

    kind  "cheaper": less epsilon, the same accuracy or better;
          "sharper": at most a tenth more epsilon, and the error shrinks by more than that
    """

    kind: str
    alpha: Fraction
    epsilon: Fraction
    accuracy: DataUnits
    better_epsilon: Fraction
    better_accuracy: DataUnits


def cliff_hint(p: SnappingParameters, *, alpha: Any = "0.05") -> tuple[Hint, ...]:
    """Return what a slightly different epsilon would buy: no hint, one, or one of each kind.

    A grid that follows epsilon halves at sensitivity/epsilon = a power of two: just below such an epsilon the
    worst-case accuracy jumps. And where accuracy sits at a multiple of half the grid it does not change with epsilon at
    all: a smaller epsilon then gives the same.
    The grid is taken to follow epsilon as it does in p: natural, fine (a sixteenth of it), or fixed.
    """
    level = confidence(alpha)
    family = unclamped_family(p)
    if family is None:
        return ()
    now = constants_of(p, level).accuracy
    found = []
    for kind, epsilon in (("cheaper", _cheaper(p, family, now, level)), ("sharper", _sharper(p, family, now, level))):
        if epsilon is not None and (better := _constants(family, epsilon, level)) is not None:
            hint = Hint(
                kind=kind,
                alpha=level,
                epsilon=p.epsilon,
                accuracy=now,
                better_epsilon=epsilon,
                better_accuracy=better.accuracy,
            )
            found.append(hint)
    return tuple(found)


def _constants(family: Family, epsilon: Fraction, alpha: Fraction) -> Constants | None:
    """Return the constants of another epsilon than the one asked for; None where it is refused: no hint is an error."""
    try:
        return family.constants(epsilon, alpha)
    except SnapdpError:
        return None


def _cheaper(p: SnappingParameters, family: Family, now: Fraction, alpha: Fraction) -> Fraction | None:
    """Return the least epsilon with the accuracy of p, where it saves a percent: planning (31).

    In finite precision a smaller epsilon may need more bits than p has: then nothing is said.
    """

    def meets(epsilon: Fraction) -> bool:
        return family.constants(epsilon, alpha).meets(now)

    try:
        found = least_epsilon(meets, start=laplace_epsilon(now, alpha, p.sensitivity))
    except SnapdpError:
        return None
    return found if found <= p.epsilon * WORTH_SAYING else None


def _sharper(p: SnappingParameters, family: Family, now: Fraction, alpha: Fraction) -> Fraction | None:
    """Return an epsilon just above the next cliff, if near, where the error shrinks by more than it adds.

    planning (32).
    In finite precision the noise scale lies a little above sensitivity/epsilon; so the cliff lies a little above the
    power of two, and the next decimal is tried too.
    """
    if family.follows is None:
        return None
    # From this epsilon on the grid is half as wide.
    edge = round_digits_up(p.sensitivity / p.unit / (natural_grid(p) / 2), DIGITS)
    for epsilon in (edge, next_four_digits(edge)):
        near = p.epsilon < epsilon <= NEAR * p.epsilon
        then = _constants(family, epsilon, alpha) if near else None
        if then is not None and then.grid < p.grid:
            # The Laplace mechanism has the same product of epsilon and accuracy everywhere.
            gain = then.accuracy * epsilon / (now * p.epsilon)
            return epsilon if gain <= WORTH_SAYING else None
    return None


# Bars of a law

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
    """A law cut into bars, from the left. Nothing is left out: bars, ends and what lies beyond add up to 1.

    Doubles err by less than 1e-14 here, which no picture shows; what is printed is asked of the law itself. In finite
    precision the bars are those of the real Laplace law at the same noise scale and grid: p bits change a probability
    by far less than that.

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
