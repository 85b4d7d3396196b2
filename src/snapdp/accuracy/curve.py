"""The line behind a picture: accuracy against epsilon, never below the true one, with both limits at every jump.

Room: accuracy. The worst-case accuracy without a clamp never grows with epsilon, but it has corners (planning (6)) and,
where the grid follows epsilon, jumps (planning (32)). A line through a few exact points would be too good between them.
So each grid is a piece of its own, from jump to jump; in a piece every corner is a point of the line; and everything is
computed in doubles with margins far above their errors and far below what a picture shows, on the safe side. Between
two corners the true curve bends upward (in both logarithms; checked, not proved), so a straight line lies above it. A
whole statistic is a staircase: it keeps the value of a point until the next one.
Theory: docs/theory/planning.md, (6), (32), (34).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from snapdp.accuracy.family import grid_choice
from snapdp.accuracy.tails import exact_level
from snapdp.exact import power_of_two_at_least, to_float_nearest, to_float_up
from snapdp.mechanism import SnappingParameters, chosen_grid, spacing_of_doubles
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
        found = chosen_grid(self.grid, noise_scale=self.sensitivity / epsilon, default="fine")
        return max(Fraction(found), self.finest)

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

        Where corners are so close together that nobody could see them, the bound planning (7) is drawn, which has none.
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
