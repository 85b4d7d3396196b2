"""The search for a pair of neighbours and an output that tell them apart by more than a claim.

Room: verifier. First for outputs that one neighbour cannot give at all: at the ends of a bounded sampler, and in the
holes that noise without a snap leaves. Then for large finite losses, where they are known to sit: inputs at an end of
the range, on many phases of the grid, and outputs where the noise or its logarithm crosses a power of two.
A search gives a lower bound only; it is deterministic. Theory: docs/theory/verifier-loss.md, (20)-(21) and below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

from snapdp.exact.dyadic import power_of_two
from snapdp.verifier.exact_loss import ExactLaw, ExactLoss, exact_loss
from snapdp.verifier.execution import Execution, finite
from snapdp.verifier.folding import nearest_float
from snapdp.verifier.pointwise import Outputs
from snapdp.verifier.shape import Shape

FEW = 160  # outputs up to this many are all tried for one pair
WINDOW = 1  # outputs tried around each place where the loss is known to peak
PHASES = 21
RANDOM_PAIRS = 2000
Pair = tuple[Fraction, Fraction]


class Search:
    """A program, its shape, and where its neighbours may lie."""

    def __init__(self, execution: Execution, shape: Shape) -> None:
        self.execution, self.shape, self.p = execution, shape, execution.machine.p
        self.distance = shape.query.sensitivity if shape.query is not None else Fraction(1)
        self.lower, self.upper = self._range()
        self._laws: dict[Fraction, ExactLaw] = {}

    def _range(self) -> Pair:
        """Return the interval of inputs to try: what confines the query, else the clamp and what noise can cross."""
        shape, query = self.shape, self.shape.query
        low, high = shape.lower, shape.upper
        if low is None and query is not None:
            low = query.lower
        if high is None and query is not None:
            high = query.upper
        ends = [abs(end) for end in (shape.clamp_lower, shape.clamp_upper) if end is not None]
        clamp = max(*ends, 4 * self.distance, Fraction(1))
        return (-clamp if low is None else low), (clamp if high is None else high)

    def law(self, f: Fraction) -> ExactLaw:
        if f not in self._laws:
            if len(self._laws) > 64:
                self._laws.clear()
            self._laws[f] = ExactLaw(self.execution, f, self.shape)
        return self._laws[f]

    def is_pair(self, f: Fraction, f_prime: Fraction) -> bool:
        inside = all(self.lower <= v <= self.upper and nearest_float(v, self.p) == v for v in (f, f_prime))
        return inside and 0 < abs(f - f_prime) <= self.distance

    # Outputs that one neighbour cannot give

    def impossible(self) -> ExactLoss | None:
        """Return an output that one neighbour gives and the other never does, where a few tries find one."""
        ends, holes = self._end_pairs(), self._middle_pairs()
        first, last = self.execution.draw.first, self.execution.draw.nearest_zero
        tries: list[tuple[list[Pair], list[int]]] = [(ends, [first, first + 1]), (holes, [last, last - 1, last - 2])]
        tries.append((holes + ends, self._scattered()))
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
                output = self.execution.output(f, sign, ordinal)
                if not finite(output):
                    continue
                found = exact_loss(self.law(f), self.law(other), _rational(output))
                if found is not None and found.is_infinite:
                    return found
        return None

    def _end_pairs(self) -> list[Pair]:
        d = self.distance
        steps = (0, d, d / 2, 2 * d)
        pairs = [(self.upper - d - s, self.upper - s) for s in steps]
        pairs += [(self.lower + s, self.lower + d + s) for s in steps]
        return [pair for pair in pairs if self.is_pair(*pair)]

    def _middle_pairs(self) -> list[Pair]:
        d, zero = self.distance, Fraction(0)
        pairs = [(zero, d), (zero, -d), (d, 2 * d), (-d, -2 * d), (d / 2, -d / 2)]
        return [pair for pair in pairs if self.is_pair(*pair)]

    def _scattered(self) -> list[int]:
        draw, random = self.execution.draw, Random(1)
        near_one = [draw.nearest_zero - random.getrandbits(bits) for bits in range(2, self.p + 2, 5)]
        return [o for o in near_one if o > draw.first]

    # Large finite losses

    def largest(self, evaluations: int) -> ExactLoss | None:
        """Return the largest loss met in that many evaluations of one output."""
        best: ExactLoss | None = None
        if any(part is None for part in (self.shape.grid, self.shape.clamp_lower, self.shape.noise)):
            tries: Iterator[tuple[Pair, Fraction]] = self._outputs_of_draws()
        else:
            tries = self._suspects()
        for (f, other), output in tries:
            found = exact_loss(self.law(f), self.law(other), output)
            if found is not None and (best is None or found.at_least > best.at_least or _more(found, best)):
                best = found
                if found.is_infinite:
                    return found
            evaluations -= 1
            if evaluations <= 0:
                break
        return best

    def _suspects(self) -> Iterator[tuple[Pair, Fraction]]:
        outputs = Outputs(self.shape)
        for pair in self._pairs():
            for index in self._indices(outputs, pair):
                yield pair, outputs.at(index)

    def _pairs(self) -> Iterator[Pair]:
        """Yield pairs at the ends, then on phases of the grid near both ends and around zero, then at random."""
        d, grid = self.distance, self.shape.grid or Fraction(1)
        ends = self._end_pairs()
        yield from ends[:1]
        yield from self._middle_pairs()[:1]
        yield from ends[4:5]
        # Not multiples of a power of two: on those the roundings of the logarithm mostly cancel. So sevenths.
        for i in range(1, PHASES):
            for start in (self.lower + i * grid / PHASES, self.upper - d - i * grid / PHASES, -d * i / PHASES):
                f = nearest_float(start, self.p)
                yield from self._made_float(f)
        random = Random(2)
        span = self.upper - self.lower - d
        for _ in range(RANDOM_PAIRS if span > 0 else 0):
            share = Fraction(random.getrandbits(32), 1 << 32) ** random.choice((1, 4, 16))
            start = self.lower + span * share if random.random() < 0.5 else self.upper - d - span * share
            yield from self._made_float(nearest_float(start, self.p))

    def _made_float(self, f: Fraction) -> Iterator[Pair]:
        """Yield f and f + distance with f moved so that both are floats."""
        other = nearest_float(f + self.distance, self.p)
        for pair in ((f, other), (other - self.distance, other)):
            if self.is_pair(*pair):
                yield pair
                return

    def _indices(self, outputs: Outputs, pair: Pair) -> list[int]:
        if outputs.last - outputs.first < FEW:
            return list(range(outputs.first, outputs.last + 1))
        epsilon = self.shape.noise_epsilon
        assert epsilon is not None
        places = {outputs.first, outputs.last, *(outputs.nearest(value) for value in pair)}
        size = max(abs(outputs.lower), abs(outputs.upper), abs(self.lower), abs(self.upper))
        for exponent in range((2 * size).numerator.bit_length() + 1, -6, -1):
            for length in {power_of_two(exponent), power_of_two(exponent) / epsilon}:
                for value in pair:
                    for place in (value - length, value + length):
                        if outputs.lower <= place <= outputs.upper:
                            places.add(outputs.nearest(place))
        near = {k + d for k in places for d in range(-WINDOW, WINDOW + 1)}
        return sorted(k for k in near if outputs.first <= k <= outputs.last)

    def _outputs_of_draws(self) -> Iterator[tuple[Pair, Fraction]]:
        for pair in self._pairs():
            for sign in self.execution.signs:
                for ordinal in self._scattered():
                    output = self.execution.output(pair[0], sign, ordinal)
                    if finite(output):
                        yield pair, _rational(output)


def _more(found: ExactLoss, best: ExactLoss) -> bool:
    return found.loss is not None and best.loss is not None and found.loss.lower > best.loss.lower


def _rational(x: Any) -> Fraction:
    numerator, denominator = x.as_integer_ratio()
    return Fraction(int(numerator), int(denominator))
