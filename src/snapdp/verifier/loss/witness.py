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

from snapdp.errors import PremiseError
from snapdp.exact import power_of_two
from snapdp.verifier.language.syntax import Query
from snapdp.verifier.loss.exact_loss import ExactLoss, ProgramLaw, exact_loss
from snapdp.verifier.loss.neighbours import Neighbours, Pair
from snapdp.verifier.loss.pointwise import Outputs, held_output
from snapdp.verifier.loss.query_path import value_on
from snapdp.verifier.loss.shape import Shape
from snapdp.verifier.loss.snap import released_value
from snapdp.verifier.machine.execution import Execution
from snapdp.verifier.machine.rationals import finite, fraction_of

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
                output = self._released(outputs, index)
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
        epsilon = self.shape.noise_epsilon
        assert epsilon is not None
        places = {outputs.first, outputs.last, *(outputs.nearest(value) for value in pair)}
        inputs = (self.shape.lower, self.shape.upper)
        known = [end for end in inputs if end is not None] or [self.neighbours.lower, self.neighbours.upper]
        size = max(abs(end) for end in (outputs.lower, outputs.upper, *known))
        for exponent in range((2 * size).numerator.bit_length() + 1, -6, -1):
            for length in {power_of_two(exponent), power_of_two(exponent) / epsilon}:
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
