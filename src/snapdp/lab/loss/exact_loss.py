"""The exact loss of one output for two inputs, and the search for an output that tells neighbours apart: no bounds.

The program is run. A law holds the preimages of the outputs for one input; the probability of an output is the sum over
the signs of the mass of its preimage, exact for every sampler but the ideal one. The loss is infinite where one input
cannot give the output. A program that takes magnitudes has one preimage for each piece on which it is monotone.

A search begins with outputs that one neighbour cannot give at all: at the ends of a bounded sampler, and in the holes
that noise without a snap leaves. Then it looks for large finite losses where they are known to be: inputs at an end of
the range, on many phases of the grid, and outputs where the noise or its logarithm crosses a power of two. Pairs are
floats, neighbours, and inside the declared range: `Neighbours.allows` has the conditions under which the checker of
certificates takes a pair, and no other pair is tried. It gives a lower bound only, and is deterministic.
Theory: docs/theory/verifier-loss.md, (20)-(21) and below.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache, lru_cache, partial
from random import Random
from typing import Any

from snapdp.errors import PremiseError
from snapdp.exact.dyadic import HALF, floor_log2, power_of_two, round_down, round_nearest, round_up
from snapdp.exact.enclosure import Enclosure
from snapdp.exact.functions import ln_of, mpfr_context
from snapdp.lab.language.syntax import Query
from snapdp.lab.loss.normal_form import NormalForm, affine_steps, released_value, value_on
from snapdp.lab.semantics.execution import NOT_MONOTONE, Execution, Piece, Preimage, joined
from snapdp.lab.semantics.floats import as_mpfr, as_number, finite, is_nan
from snapdp.lab.semantics.machine import Machine, fraction_of, rational_of
from snapdp.values import Value

LOG_BITS = 256


Preimages = tuple[tuple[int, Preimage], ...]  # each with its sign


class ExactLoss(Value):
    """What one output tells f and f_prime apart; the probability from f is the larger one. loss None: infinite."""

    f: Fraction
    f_prime: Fraction
    output: Fraction
    preimages: Preimages  # from f
    preimages_prime: Preimages
    probability: Enclosure
    probability_prime: Enclosure
    loss: Enclosure | None

    @property
    def is_infinite(self) -> bool:
        return self.loss is None

    def exceeds(self, claim: Fraction | None) -> bool:
        return self.loss is None or (claim is not None and self.loss.lower > claim)


class ProgramLaw:
    """The preimages and probabilities of one input; the shape, where known, says where to look first.

    An input for which some draw gives no number is refused.
    snapped  for outputs that are computed from snapped values: from which
    """

    def __init__(
        self,
        execution: Execution,
        f: Fraction,
        shape: NormalForm | None = None,
        snapped: Mapping[Fraction, Fraction] | None = None,
    ) -> None:
        self.execution, self.f, self._snapped = execution, f, snapped
        self._runs = {sign: execution.function(f, sign) for sign in execution.signs}
        pieces = {sign: execution.pieces(f, sign) for sign in execution.signs}
        # An operand of ln that is not negative at both ends of a piece is not negative between them; nothing divides
        # by 0. Where ln of 0 is taken for a draw like any other, a clamp may hide it: so one is looked at step by step.
        for sign, row in pieces.items():
            if any(is_nan(self.output(sign, end)) for piece in row for end in (piece.start, piece.stop - 1)):
                raise PremiseError("the program has no value for some draws.")
        for sign in pieces:
            execution.require_numbers(f, sign)
        self.pieces = {sign: joined(pieces[sign], partial(self.output, sign)) for sign in execution.signs}
        self._guesses: _Guesses | None = None
        if shape is not None and shape.noise is not None and shape.grid is not None:
            self._guesses = _Guesses(execution, f, shape)
        self._found: dict[Fraction, Preimages] = {}
        self._near: dict[tuple[int, Piece], int] = {}  # where the last end was: the next one is often beside it

    def output(self, sign: int, ordinal: int) -> Any:
        """Return the output of one draw, an mpfr."""
        return self._runs[sign](self.execution.draw.number(ordinal))

    def preimage(self, sign: int, output: Fraction) -> Preimage:
        """Return the draws that give the output under one sign, of a program that is monotone in its draw."""
        if len(self.pieces[sign]) > 1:
            raise PremiseError(NOT_MONOTONE)
        return self._on(sign, self.pieces[sign][0], output)

    def preimages(self, output: Fraction) -> Preimages:
        """Return the draws that give the output: for each sign, on each piece on which the program is monotone.

        Those of which one ends where the next begins are made one; empty ones stay what they are.
        """
        if output not in self._found:
            found = list[tuple[int, Preimage]]()
            for sign in self.execution.signs:
                row: list[Preimage] = []
                for piece in self.pieces[sign]:
                    preimage = self._on(sign, piece, output)
                    if row and row[-1].start < row[-1].stop == preimage.start < preimage.stop:
                        preimage = Preimage(row.pop().start, preimage.stop)
                    row.append(preimage)
                found += [(sign, preimage) for preimage in row]
            self._found[output] = tuple(found)
        return self._found[output]

    def _on(self, sign: int, piece: Piece, output: Fraction) -> Preimage:
        """Return the draws of a piece that give an output: from the first at it to the first beyond it."""
        run, number, x = self._runs[sign], self.execution.draw.number, as_number(output)
        snapped = output if self._snapped is None else self._snapped.get(output)  # what a guess can be made from
        at, past = (operator.ge, operator.gt) if piece.rises else (operator.le, operator.lt)

        def first(compare: Callable[[Any, Any], bool], *, upper: bool) -> int:
            guess = self._near.get((sign, piece))
            if snapped is not None and self._guesses is not None:
                guess = self._guesses.near(piece, as_number(snapped), upper=upper)
            ordinal = self.execution.first_where(lambda o: compare(run(number(o)), x), guess, piece)
            self._near[sign, piece] = ordinal
            return ordinal

        start = first(at, upper=not piece.rises)
        return Preimage(start, first(past, upper=piece.rises))

    def probability(self, output: Fraction) -> Enclosure:
        return Enclosure(*map(fraction_of, self.mass_ends(self.preimages(output))))

    def mass_ends(self, preimages: Preimages) -> tuple[Any, Any]:
        """Return the ends of the probability of preimages, two mpq."""
        below, lower, upper = self.execution.draw.ends_below, rational_of(Fraction(0)), rational_of(Fraction(0))
        for _, preimage in preimages:
            if preimage.start < preimage.stop:
                start, stop = below(preimage.start), below(preimage.stop)
                lower, upper = lower + stop[0] - start[1], upper + stop[1] - start[0]
        return lower / len(self.execution.signs), upper / len(self.execution.signs)


class _Guesses:
    """Where a preimage should end if the sum and the logarithm round as the machine does: bisection starts there."""

    def __init__(self, execution: Execution, f: Fraction, shape: NormalForm) -> None:
        assert shape.grid is not None
        assert shape.noise is not None
        self.machine, self.draw, self.folded = execution.machine, execution.draw, shape.folds_its_draw
        machine = self.machine
        bits = machine.p + 8
        scale = Fraction(1) if execution.laplace else abs(shape.noise.coefficient)
        middle = shape.added(f, machine) - shape.snap.offset
        self.context, self.up = mpfr_context(bits, "nearest"), mpfr_context(machine.p, "up")
        self.f, self.half = (as_mpfr(round_nearest(x, bits)) for x in (middle, shape.grid / 2))
        self.scales = {way: as_mpfr(round_nearest(scale * way, bits)) for way in (1, -1)}
        self.draws_logarithm = execution.laplace or machine.sampler == "ideal"

    def near(self, piece: Piece, x: Any, *, upper: bool) -> int:
        """Return the number of a draw near the upper or lower end of the preimage of x."""
        c = self.context
        end = c.add(x, self.half) if upper else c.sub(x, self.half)
        noise = c.sub(end if self.machine.adds_exactly else self._rounding_to(end), self.f)
        # The direction says whether S and the coefficient together are positive: the noise is then c ln U < 0.
        scale = self.scales[piece.direction or 1]
        if self.folded:  # |noise| = -c ln w, w = 2 U below one half and 2 (1 - U) above
            logarithm = c.div(noise, scale)
            half = c.div_2exp(c.exp(c.minus(logarithm) if logarithm > 0 else logarithm), 1)
            return self.draw.ordinal(c.sub(1, half) if logarithm > 0 else half)
        logarithm = c.div(self._rounding_to(noise), scale)
        if logarithm >= 0:
            return self.draw.last
        if self.draws_logarithm:
            return self.draw.ordinal(logarithm)
        if scale > 0:
            return self.draw.ordinal(c.exp(self._rounding_to(logarithm)))
        return self.draw.ordinal(c.exp(c.minus(self._rounding_to(c.minus(logarithm)))))

    def _rounding_to(self, x: Any) -> Any:
        """Return from where on numbers round to the first float at or above x."""
        above = self.up.plus(x)
        return self.context.div(self.context.add(above, self.up.next_below(above)), 2)


def exact_loss(
    law: ProgramLaw, law_prime: ProgramLaw, output: Fraction, *, above: Fraction | None = None
) -> ExactLoss | None:
    """Return the loss of one output for two laws; None where neither can give it, or a preimage ends too deep to tell.

    above  a ratio of probabilities: None also where this output's is known to exceed it nowhere; saves the logarithm
    """
    sides = [(side, preimages := side.preimages(output), side.mass_ends(preimages)) for side in (law, law_prime)]
    sides.sort(key=lambda side: side[2][0], reverse=True)
    (more, preimages, p_ends), (less, preimages_prime, q_ends) = sides
    too_deep = any(law.execution.draw.too_deep in preimage for _, preimage in (*preimages, *preimages_prime))
    if p_ends[1] == 0 or too_deep or q_ends[0] <= 0 < q_ends[1]:
        return None
    if q_ends[0] > 0 and above is not None and p_ends[0] <= q_ends[1] * rational_of(above):
        return None
    p, q = Enclosure(*map(fraction_of, p_ends)), Enclosure(*map(fraction_of, q_ends))
    return ExactLoss(
        f=more.f,
        f_prime=less.f,
        output=output,
        preimages=preimages,
        preimages_prime=preimages_prime,
        probability=p,
        probability_prime=q,
        loss=abs(ln_of(p / q, LOG_BITS)) if q.lower > 0 else None,
    )


class Outputs:
    """All outputs of a shape in order: the ends of the clamp and the multiples of the grid between them."""

    def __init__(self, shape: NormalForm) -> None:
        self.grid, self.lower, self.upper = shape.grid_and_clamp
        self.first, self.last = math.floor(self.lower / self.grid), math.ceil(self.upper / self.grid)
        self.offset = shape.snap.offset

    def __len__(self) -> int:
        return self.last - self.first + 1

    def at(self, index: int) -> Fraction:
        """Return the output with the index round(output/grid)."""
        if index <= self.first:
            return self.lower
        return self.upper if index >= self.last else index * self.grid

    def nearest(self, value: Fraction) -> int:
        return max(self.first, min(self.last, math.floor((value - self.offset) / self.grid + HALF)))

    def near(self, places: Iterable[int], distance: int) -> list[int]:
        """Return the indices of outputs at most so many steps from one of these places."""
        indices = {place + d for place in places for d in range(-distance, distance + 1)}
        return sorted(index for index in indices if self.first <= index <= self.last)


def held_output(shape: NormalForm, machine: Machine, output: Fraction) -> Fraction:
    """Return an output as the machine holds it: a multiple of 1/10 is no float, nor need an end of the clamp be one."""
    grid, lower, upper = shape.grid_and_clamp
    return machine.snapped(output, grid) if lower < output < upper else machine.constant(output)


# The search

FEW = 160  # outputs up to this many are all tried for one pair
WINDOW = 1  # outputs tried around each place where the loss is known to peak
LAWLESS = 16  # pairs without a number for every draw, after which no other is tried
DEPTHS, DEEPEST = 12, 64  # draws far from 1 that are tried where nothing tells where to look, in binades


class Search:
    """A program, its shape, and where its neighbours may lie: what the program itself declares about its query."""

    def __init__(self, execution: Execution, query: Query, shape: NormalForm) -> None:
        self.execution, self.shape, self.p = execution, shape, execution.machine.p
        self.neighbours = Neighbours(query, shape, execution.machine)
        self.law = lru_cache(maxsize=64)(self._law)
        self._snapped: dict[Fraction, Fraction] | None = None if shape.snap.released is None else {}

    def _law(self, f: Fraction) -> ProgramLaw | None:
        """Return the law of one input; None where the program has no value for it, or for some draw."""
        try:
            return ProgramLaw(self.execution, f, self.shape, self._snapped)
        except PremiseError:
            return None

    def loss(self, f: Fraction, other: Fraction, output: Fraction, above: Fraction | None = None) -> ExactLoss | None:
        """Return the loss of one output for two neighbours, where both laws are known; above: only if it is more."""
        law, law_prime = self.law(f), self.law(other)
        return None if law is None or law_prime is None else exact_loss(law, law_prime, output, above=above)

    def _output(self, f: Fraction, sign: int, ordinal: int) -> Fraction | None:
        law = self.law(f)
        output = None if law is None else law.output(sign, ordinal)
        return fraction_of(output) if output is not None and finite(output) else None

    def impossible(self) -> ExactLoss | None:
        """Return an output that one neighbour gives and the other never does, where a few tries find one."""
        upper, lower = self.neighbours.at_each_end()
        ends, holes = list(dict.fromkeys(upper + lower)), self.neighbours.in_the_middle()
        first, last = self.execution.draw.first, self.execution.draw.nearest_zero
        tries: list[tuple[list[Pair], list[int]]] = [(ends, [first, first + 1]), (holes, [last, last - 1, last - 2])]
        tries.append((holes + ends, self._scattered()))
        tries.append((self.neighbours.with_low_bits(), self._deep()))
        for pairs, ordinals in tries:
            for f, other in (way for pair in pairs for way in (pair, pair[::-1])):
                for sign in self.execution.signs:
                    for ordinal in ordinals:
                        output, law = self._output(f, sign, ordinal), self.law(other)
                        if output is None or law is None:
                            continue
                        if any(preimage.start < preimage.stop for _, preimage in law.preimages(output)):
                            continue
                        loss = self.loss(f, other, output)
                        if loss is not None and loss.is_infinite:
                            return loss
        return None

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

    def largest(self, evaluations: int) -> ExactLoss | None:
        """Return the largest loss met in that many evaluations of one output."""
        best: ExactLoss | None = None
        above: Fraction | None = None
        known = None not in (self.shape.grid, self.shape.clamp_lower, self.shape.noise)
        for (f, other), output in self._suspects() if known else self._outputs_of_draws():
            loss = self.loss(f, other, output, above)
            if loss is not None:
                best = loss
                if loss.is_infinite:
                    return loss
                above = loss.probability.lower / loss.probability_prime.upper
            evaluations -= 1
            if evaluations <= 0:
                break
        return best

    def _suspects(self) -> Iterator[tuple[Pair, Fraction]]:
        outputs, machine, snap = Outputs(self.shape), self.execution.machine, self.shape.snap

        @cache
        def output_at(index: int) -> Fraction | None:
            if self._snapped is None:
                return held_output(self.shape, machine, outputs.at(index))
            return released_value(snap, machine, index * outputs.grid)

        few = outputs.last - outputs.first < FEW
        for pair in self.neighbours.all():
            for index in range(outputs.first, outputs.last + 1) if few else self._places(outputs, pair):
                output = output_at(index)
                if output is not None:
                    if self._snapped is not None:
                        self._snapped[output] = index * outputs.grid
                    yield pair, output

    def _places(self, outputs: Outputs, pair: Pair) -> list[int]:
        """Return the outputs at the ends, near what the noise is added to, and powers of two or of e away from it."""
        added = [self.shape.added(f, self.execution.machine) for f in pair]
        places = {outputs.first, outputs.last, *(outputs.nearest(value) for value in added)}
        inputs = (self.shape.lower, self.shape.upper)
        known = [end for end in inputs if end is not None] or [self.neighbours.lower, self.neighbours.upper]
        size = max(abs(end) for end in (outputs.lower, outputs.upper, *known))
        for exponent in range((2 * size).numerator.bit_length() + 1, -6, -1):
            for length in {power_of_two(exponent), power_of_two(exponent) / self.shape.epsilon}:
                around = (value + way * length for value in added for way in (-1, 1))
                places |= {outputs.nearest(place) for place in around if outputs.lower <= place <= outputs.upper}
        return outputs.near(places, WINDOW)

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


class Neighbours:
    """Where the private values of a program may lie, and pairs of them in the order in which they are tried."""

    def __init__(self, query: Query, shape: NormalForm, machine: Machine) -> None:
        self.query, self.shape, self.machine, self.p = query, shape, machine, machine.p
        # Private values are of magnitude 2**-e to 2**(e+1), or 0, e that of binary64; of binary128 for more bits.
        self.largest_exponent = 1022 if machine.p <= 53 else 16382
        self.lower, self.upper = self._range()
        slope = Fraction(1) if shape.reach is None else shape.reach.ideal / query.sensitivity
        self.grid = (shape.grid or Fraction(1)) / slope
        self.distance = max(Fraction(0), min(query.sensitivity, self.upper - self.lower))

    def _range(self) -> Pair:
        """Return the interval to try: what the query reaches after an inner clamp, else its own, else a guess."""
        low, high = self.query.lower, self.query.upper
        first, last = self.shape.private
        if first is not None and last is not None and first < last:
            low, high = first, last
        ends = [abs(end) for end in self.shape.snap.ends or ()]
        size = max(*ends, 4 * self.query.sensitivity, Fraction(1))
        if low is None:
            low = -size if high is None else min(-size, high - 2 * size)
        high = max(size, low + 2 * size) if high is None else high
        largest = power_of_two(self.largest_exponent)
        return max(low, -largest), min(high, largest)

    def allows(self, f: Fraction, f_prime: Fraction) -> bool:
        """Return whether two private values are floats inside the declared range and at most the sensitivity apart."""
        low, high = self.query.lower, self.query.upper
        for value in (f, f_prime):
            inside = (low is None or low <= value) and (high is None or value <= high)
            small = value == 0 or abs(floor_log2(abs(value))) <= self.largest_exponent
            if not (inside and small and round_nearest(value, self.p) == value):
                return False
        return 0 < abs(f - f_prime) <= self.query.sensitivity

    def at_each_end(self) -> tuple[list[Pair], list[Pair]]:
        """Return pairs at the upper end of the range, and at the lower one."""
        d = self.distance
        steps = (Fraction(0), d, d / 2, 2 * d)
        upper = self._allowed([(self.upper - d - s, self.upper - s) for s in steps])
        return upper, self._allowed([(self.lower + s, self.lower + d + s) for s in steps])

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
        path, reach = self.shape.path, self.shape.reach
        if path is None or reach is None or not reach.rounded:
            return []
        places = []  # below those where a step of the way crosses a power of two: roundings differ there
        for slope, offset in affine_steps(path):
            size = max(abs(slope * end + offset) for end in (self.lower, self.upper))
            top = floor_log2(size) if size else 0
            for power in (sign * power_of_two(e) for e in range(top, top - BINADES, -1) for sign in (1, -1)):
                middle = (power - offset) / slope
                if self.lower <= middle <= self.upper:
                    steps = (self.distance * Fraction(i, 2 * PLACES) for i in range(2 * PLACES + 1))
                    places += [middle - step * (1 + Fraction(i, 997)) for i, step in enumerate(steps)]
        moves = dict[Pair, Fraction]()
        for place in places:
            for f, other in self._from(round_nearest(place, self.p)):
                moves[f, other] = abs(value_on(path, other, self.machine) - value_on(path, f, self.machine))
        apart = [pair for pair, moved in moves.items() if moved > reach.ideal]
        return sorted(apart, key=lambda pair: (-moves[pair], pair))

    def _allowed(self, pairs: list[Pair]) -> list[Pair]:
        """Return each pair, or the floats just inside it, where it may be tried."""
        return list(dict.fromkeys(pair for each in pairs for pair in self._first(each, self._inside(*each))))

    def _first(self, *pairs: Pair) -> list[Pair]:
        """Return the first of several pairs that may be tried, if there is one."""
        return [pair for pair in pairs if self.allows(*pair)][:1]

    def _inside(self, one: Fraction, other: Fraction) -> Pair:
        low, high = float_at_least(min(one, other), self.p), float_at_most(max(one, other), self.p)
        return (low, high) if one < other else (high, low)

    def all(self) -> Iterator[Pair]:
        """Yield pairs that a scaled query moves furthest, pairs at the ends, then on phases of the grid near both ends
        and around zero, then at random.
        """
        d, grid, (upper, lower) = self.distance, self.grid, self.at_each_end()
        yield from self.furthest_apart()[:2]
        yield from (*upper[:1], *self.in_the_middle()[:1], *lower[:1])
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

    def _from(self, f: Fraction) -> list[Pair]:
        """Return f and f + distance, moved so that both are floats; the distance stays what it is where it can."""
        other = round_nearest(f + self.distance, self.p)
        return self._first((f, other), (other - self.distance, other), self._inside(f, f + self.distance))
