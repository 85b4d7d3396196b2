"""The search for a pair of neighbours and an output that tell them apart by more than a claim.

It begins with outputs that one neighbour cannot give at all: at the ends of a bounded sampler, and in the holes that
noise without a snap leaves. Then it looks for large finite losses where they are known to be: inputs at an end of the
range, on many phases of the grid, and outputs where the noise or its logarithm crosses a power of two. Pairs are
floats, neighbours, and inside the declared range: `Neighbours.allows` has the conditions under which the checker of
certificates takes a pair, and no other pair is tried.
A search gives a lower bound only; it is deterministic. Theory: docs/theory/verifier-loss.md, (20)-(21) and below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from random import Random

from snapdp.errors import PremiseError
from snapdp.exact.dyadic import floor_log2, power_of_two, round_down, round_nearest, round_up
from snapdp.lab.language.syntax import Expression, Query
from snapdp.lab.loss.exact_loss import ExactLoss, ProgramLaw, exact_loss
from snapdp.lab.loss.pointwise import Outputs, held_output
from snapdp.lab.loss.query_path import affine_steps, value_on
from snapdp.lab.loss.shape import Shape
from snapdp.lab.loss.snap import released_value
from snapdp.lab.semantics.execution import Execution
from snapdp.lab.semantics.floats import finite
from snapdp.lab.semantics.machine import Machine, fraction_of

FEW = 160  # outputs up to this many are all tried for one pair
WINDOW = 1  # outputs tried around each place where the loss is known to peak
LAWLESS = 16  # pairs without a number for every draw, after which no other is tried
DEPTHS, DEEPEST = 12, 64  # draws far from 1 that are tried where nothing tells where to look, in binades


class Search:
    """A program, its shape, and where its neighbours may lie: what the program itself declares about its query."""

    def __init__(self, execution: Execution, query: Query, shape: Shape) -> None:
        self.execution, self.shape, self.p = execution, shape, execution.machine.p
        self.neighbours = Neighbours(query, shape, execution.machine)
        self._laws: dict[Fraction, ProgramLaw | None] = {}
        self._snapped: dict[Fraction, Fraction] | None = None if shape.snap.released is None else {}
        self._outputs: dict[int, Fraction | None] = {}

    def law(self, f: Fraction) -> ProgramLaw | None:
        """Return the law of one input; None where the program has no value for it, or for some draw."""
        if f not in self._laws:
            if len(self._laws) > 64:
                self._laws.clear()
            try:
                self._laws[f] = ProgramLaw(self.execution, f, self.shape, self._snapped)
            except PremiseError:
                self._laws[f] = None
        return self._laws[f]

    def loss(self, f: Fraction, other: Fraction, output: Fraction, above: Fraction | None = None) -> ExactLoss | None:
        """Return the loss of one output for two neighbours, where both laws are known; above: only if it is more."""
        law, law_prime = self.law(f), self.law(other)
        if law is None or law_prime is None:
            return None
        return exact_loss(law, law_prime, output, above=above)

    # Outputs that one neighbour cannot give

    def impossible(self) -> ExactLoss | None:
        """Return an output that one neighbour gives and the other never does, where a few tries find one."""
        ends, holes = self.neighbours.at_the_ends(), self.neighbours.in_the_middle()
        first, last = self.execution.draw.first, self.execution.draw.nearest_zero
        tries: list[tuple[list[Pair], list[int]]] = [(ends, [first, first + 1]), (holes, [last, last - 1, last - 2])]
        tries.append((holes + ends, self._scattered()))
        tries.append((self.neighbours.with_low_bits(), self._deep()))
        for pairs, ordinals in tries:
            for pair in pairs:
                for f, other in (pair, pair[::-1]):
                    found = self._unreachable(f, other, ordinals)
                    if found is not None:
                        return found
        return None

    def _unreachable(self, f: Fraction, other: Fraction, ordinals: Iterable[int]) -> ExactLoss | None:
        for sign in self.execution.signs:
            for ordinal in ordinals:
                output = self._output(f, sign, ordinal)
                if output is None or self._reaches(other, output):
                    continue
                found = self.loss(f, other, output)
                if found is not None and found.is_infinite:
                    return found
        return None

    def _reaches(self, f: Fraction, output: Fraction) -> bool:
        """Return whether some draw gives the output, or nothing is known."""
        law = self.law(f)
        return law is None or any(each.start < each.stop for _, each in law.preimages(output))

    def _output(self, f: Fraction, sign: int, ordinal: int) -> Fraction | None:
        law = self.law(f)
        output = None if law is None else law.output(sign, ordinal)
        return fraction_of(output) if output is not None and finite(output) else None

    def _scattered(self) -> list[int]:
        """Return draws near 1, at random distances."""
        draw, random = self.execution.draw, Random(1)
        near_one = [draw.nearest_zero - random.getrandbits(bits) for bits in range(2, self.p + 2, 5)]
        return [o for o in near_one if o > draw.first]

    def _deep(self) -> list[int]:
        """Return draws far from 1, more and more binades away."""
        draw = self.execution.draw
        binades = min(DEEPEST, (draw.nearest_zero - draw.first) >> (self.p - 1))
        depths = sorted({round(binades ** (k / DEPTHS)) for k in range(1, DEPTHS + 1)}) if binades > 1 else []
        return [o for depth in depths if (o := draw.nearest_zero - (depth << (self.p - 1))) > draw.first]

    # Large finite losses

    def largest(self, evaluations: int) -> ExactLoss | None:
        """Return the largest loss met in that many evaluations of one output."""
        best: ExactLoss | None = None
        above: Fraction | None = None
        if any(part is None for part in (self.shape.grid, self.shape.clamp_lower, self.shape.noise)):
            tries: Iterator[tuple[Pair, Fraction]] = self._outputs_of_draws()
        else:
            tries = self._suspects()
        for (f, other), output in tries:
            found = self.loss(f, other, output, above)
            if found is not None:
                best = found
                if found.is_infinite:
                    return found
                above = found.probability.lower / found.probability_prime.upper
            evaluations -= 1
            if evaluations <= 0:
                break
        return best

    def _suspects(self) -> Iterator[tuple[Pair, Fraction]]:
        outputs = Outputs(self.shape)
        for pair in self.neighbours.all():
            for index in self._indices(outputs, self._added(pair)):
                if index not in self._outputs:
                    self._outputs[index] = self._released(outputs, index)
                output = self._outputs[index]
                if output is not None:
                    yield pair, output

    def _added(self, pair: Pair) -> Pair:
        """Return what the noise is added to, for both private values."""
        path, machine = self.shape.path, self.execution.machine
        return pair if path is None else (value_on(path, pair[0], machine), value_on(path, pair[1], machine))

    def _released(self, outputs: Outputs, index: int) -> Fraction | None:
        if self._snapped is None:
            return held_output(self.shape, self.execution.machine, outputs.at(index))
        output = released_value(self.shape.snap, self.execution.machine, index * outputs.grid)
        if output is not None:
            self._snapped[output] = index * outputs.grid
        return output

    def _indices(self, outputs: Outputs, pair: Pair) -> list[int]:
        if outputs.last - outputs.first < FEW:
            return list(range(outputs.first, outputs.last + 1))
        places = {outputs.first, outputs.last, *(outputs.nearest(value) for value in pair)}
        inputs = (self.shape.lower, self.shape.upper)
        known = [end for end in inputs if end is not None] or [self.neighbours.lower, self.neighbours.upper]
        size = max(abs(end) for end in (outputs.lower, outputs.upper, *known))
        for exponent in range((2 * size).numerator.bit_length() + 1, -6, -1):
            for length in {power_of_two(exponent), power_of_two(exponent) / self.shape.epsilon}:
                for value in pair:
                    for place in (value - length, value + length):
                        if outputs.lower <= place <= outputs.upper:
                            places.add(outputs.nearest(place))
        near = {k + d for k in places for d in range(-WINDOW, WINDOW + 1)}
        return sorted(k for k in near if outputs.first <= k <= outputs.last)

    def _outputs_of_draws(self) -> Iterator[tuple[Pair, Fraction]]:
        ordinals = self._deep() + self._scattered()
        without = 0
        for pair in self.neighbours.all():
            without += self.law(pair[0]) is None
            if without == LAWLESS:
                return
            for sign in self.execution.signs:
                for ordinal in ordinals:
                    output = self._output(pair[0], sign, ordinal)
                    if output is not None:
                        yield pair, output


# Pairs. Where the query's range is narrower than its sensitivity, neighbours are as far apart as the range is wide.

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

    def _crossings(self, path: Expression) -> list[Fraction]:
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
