"""The pairs of private values that a search for a witness tries: floats, inside the declared range, neighbours.

Room: verifier. What a program declares about its query decides what a pair is: `allows` are the conditions under which
the checker of certificates takes a pair, and no pair that fails them is ever tried. Where the query's range is narrower
than its sensitivity, neighbours are as far apart as the range is wide.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

from snapdp.exact import floor_log2, power_of_two, round_down, round_nearest, round_up
from snapdp.verifier.language import syntax
from snapdp.verifier.language.syntax import Query
from snapdp.verifier.loss.query_path import affine_steps, value_on
from snapdp.verifier.loss.shape import Shape
from snapdp.verifier.machine.machine import Machine

PHASES = 21
RANDOM_PAIRS = 2000
BINADES, PLACES = 6, 16  # where a scaled query is looked at: powers of two, and private values around each
Pair = tuple[Fraction, Fraction]


def float_at_most(x: Fraction, p: int) -> Fraction:
    """Return the largest p-bit float that is not above x."""
    return x if x == 0 else round_down(x, p) if x > 0 else -round_up(-x, p)


def float_at_least(x: Fraction, p: int) -> Fraction:
    return -float_at_most(-x, p)


def largest_exponent(machine: Machine) -> int:
    """Return e such that private values are of magnitude 2**-e to 2**(e+1), or 0: binary64, binary128 for more bits."""
    return 1022 if machine.p <= 53 else 16382


class Neighbours:
    """Where the private values of a program may lie, and pairs of them in the order in which they are tried."""

    def __init__(self, query: Query, shape: Shape, machine: Machine) -> None:
        self.query, self.machine, self.p = query, machine, machine.p
        self.lower, self.upper = self._range(shape)
        self.path, self.reach = shape.path, shape.reach
        slope = Fraction(1) if self.reach is None else self.reach.ideal / query.sensitivity
        self.grid = (shape.grid or Fraction(1)) / slope
        self.distance = max(Fraction(0), min(query.sensitivity, self.upper - self.lower))

    def _range(self, shape: Shape) -> Pair:
        """Return the interval to try: what the query reaches after an inner clamp, else its own, else a guess."""
        low, high = self.query.lower, self.query.upper
        first, last = shape.private
        if first is not None and last is not None and first < last:
            low, high = first, last
        ends = [abs(end) for end in (shape.clamp_lower, shape.clamp_upper) if end is not None]
        size = max(*ends, 4 * self.query.sensitivity, Fraction(1))
        if low is None:
            low = -size if high is None else min(-size, high - 2 * size)
        high = max(size, low + 2 * size) if high is None else high
        largest = power_of_two(largest_exponent(self.machine))
        return max(low, -largest), min(high, largest)

    def allows(self, f: Fraction, f_prime: Fraction) -> bool:
        """Return whether two private values are floats inside the declared range and at most the sensitivity apart."""
        return all(self._may_be(value) for value in (f, f_prime)) and 0 < abs(f - f_prime) <= self.query.sensitivity

    def _may_be(self, value: Fraction) -> bool:
        low, high = self.query.lower, self.query.upper
        inside = (low is None or low <= value) and (high is None or value <= high)
        small = value == 0 or abs(floor_log2(abs(value))) <= largest_exponent(self.machine)
        return inside and small and round_nearest(value, self.p) == value

    def at_the_ends(self) -> list[Pair]:
        """Return pairs at the upper end of the range, then at the lower one."""
        return list(dict.fromkeys([*self.at_the_upper_end(), *self.at_the_lower_end()]))

    def at_the_upper_end(self) -> list[Pair]:
        return self._allowed([(self.upper - self.distance - s, self.upper - s) for s in self._steps()])

    def at_the_lower_end(self) -> list[Pair]:
        return self._allowed([(self.lower + s, self.lower + self.distance + s) for s in self._steps()])

    def _steps(self) -> tuple[Fraction, ...]:
        d = self.distance
        return Fraction(0), d, d / 2, 2 * d

    def in_the_middle(self) -> list[Pair]:
        d, zero = self.distance, Fraction(0)
        return self._allowed([(zero, d), (zero, -d), (d, 2 * d), (-d, -2 * d), (d / 2, -d / 2)])

    def with_low_bits(self) -> list[Pair]:
        """Return a few pairs of which no bits are zero: a program that uses the query twice may give them away."""
        width = self.upper - self.lower
        places = (round_nearest(self.lower + width * Fraction(i, PHASES), self.p) for i in (13, 8, 11))
        return [pair for place in places for pair in self._from(place)]

    def furthest_apart(self) -> list[Pair]:
        """Return pairs whose values, as the noise is added to them, are further apart than without roundings."""
        path, reach = self.path, self.reach
        if path is None or reach is None or not reach.rounded:
            return []
        pairs = {pair for place in self._crossings(path) for pair in self._from(round_nearest(place, self.p))}
        moves = {
            pair: abs(value_on(path, pair[1], self.machine) - value_on(path, pair[0], self.machine)) for pair in pairs
        }
        found = [pair for pair, moved in moves.items() if moved > reach.ideal]
        return sorted(found, key=lambda pair: (-moves[pair], pair))

    def _crossings(self, path: syntax.Expression) -> list[Fraction]:
        """Return private values below those where a step of the way crosses a power of two: roundings differ there."""
        places = []
        for slope, offset in affine_steps(path):
            size = max(abs(slope * end + offset) for end in (self.lower, self.upper))
            top = floor_log2(size) if size else 0
            for power in (sign * power_of_two(e) for e in range(top, top - BINADES, -1) for sign in (1, -1)):
                middle = (power - offset) / slope
                if self.lower <= middle <= self.upper:
                    steps = (self.distance * Fraction(i, 2 * PLACES) for i in range(2 * PLACES + 1))
                    places += [middle - step * (1 + Fraction(i, 997)) for i, step in enumerate(steps)]
        return places

    def _allowed(self, wanted: list[Pair]) -> list[Pair]:
        """Return each pair, or the floats just inside it, where it may be tried."""
        pairs: list[Pair] = []
        for one, other in wanted:
            inside = self._inside(one, other)
            pairs += [pair for pair in ((one, other), inside) if self.allows(*pair)][:1]
        return list(dict.fromkeys(pairs))

    def _inside(self, one: Fraction, other: Fraction) -> Pair:
        low, high = float_at_least(min(one, other), self.p), float_at_most(max(one, other), self.p)
        return (low, high) if one < other else (high, low)

    def all(self) -> Iterator[Pair]:
        """Yield pairs that a scaled query moves furthest, pairs at the ends, then on phases of the grid near both ends
        and around zero, then at random.
        """
        d, grid = self.distance, self.grid
        yield from self.furthest_apart()[:2]
        yield from self.at_the_upper_end()[:1]
        yield from self.in_the_middle()[:1]
        yield from self.at_the_lower_end()[:1]
        # Not multiples of a power of two: on those the roundings of the logarithm mostly cancel. So twenty-firsts.
        for i in range(1, PHASES):
            for start in (self.lower + i * grid / PHASES, self.upper - d - i * grid / PHASES, -d * i / PHASES):
                yield from self._from(round_nearest(start, self.p))
        random = Random(2)
        span = self.upper - self.lower - d
        for _ in range(RANDOM_PAIRS if span > 0 else 0):
            share = Fraction(random.getrandbits(32), 1 << 32) ** random.choice((1, 4, 16))
            start = self.lower + span * share if random.random() < 0.5 else self.upper - d - span * share
            yield from self._from(round_nearest(start, self.p))

    def _from(self, f: Fraction) -> Iterator[Pair]:
        """Yield f and f + distance, moved so that both are floats; the distance stays what it is where it can."""
        other = round_nearest(f + self.distance, self.p)
        for pair in ((f, other), (other - self.distance, other), self._inside(f, f + self.distance)):
            if self.allows(*pair):
                yield pair
                return
