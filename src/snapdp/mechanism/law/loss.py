"""Exact privacy loss: of a pair of values, of the worst pair a search finds, and its bracket with the proved bound.

The loss of a pair is max over outputs of |ln P(k | value)/P(k | other)|, computed from the law.
Exact arithmetic: the likelihood ratio of two Laplace laws is monotone, so the largest loss sits at an end of the clamp.
Finite precision: rounding wobbles the ratio, so outputs are tried: all of them where they are few, else those where the
loss is known to peak, and pairs of values at which rounding errors add up (`unlucky_values`, `moved`). A search gives a
lower bound of the supremum; the proved bound is the upper one.
Theory: docs/theory/exact-law.md, (8)-(12).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from operator import mul
from typing import NamedTuple

from snapdp.errors import ParameterError, PremiseError
from snapdp.exact.dyadic import floor_log2, nearest_index, power_of_two, round_nearest, round_up
from snapdp.exact.enclosure import Enclosure, enclose
from snapdp.mechanism.law.exact import ExactLaw
from snapdp.mechanism.law.finite import FiniteLaw, exp_up, proved_loss
from snapdp.mechanism.law.law import Law, law_of
from snapdp.mechanism.parameters import Inner, SnappingParameters
from snapdp.values import Value

EXHAUSTIVE = 4096  # outputs up to this many are all tried for one pair
QUICK = 256  # and up to this many for each pair of a search
WINDOW = 8  # outputs tried around each place where the loss peaks
QUICK_WINDOW = 1  # and for each pair of a search


class PairLoss(Value):
    """The largest loss found between two values, and the output where it occurs.

    loss  None where that output is possible for one of the two values only: then no finite loss holds
    """

    value: Inner
    other: Inner
    index: int
    loss: Enclosure | None


def pair_loss(law: Law, other: Law, indices: Iterable[int] | None = None) -> PairLoss:
    """Return the loss of a pair of laws over the given outputs, by default over all that can matter.

    Outputs that neither value can have are passed over.
    """
    if law.parameters != other.parameters:
        raise ParameterError("the two laws belong to different mechanisms.", "Take both from one Snapping.")
    p = law.parameters
    chosen = suspects(law, other) if indices is None else [k for k in indices if p.low <= k <= p.high]
    found = [_loss_at(law, other, k) for k in chosen]
    possible = [each for each in found if each is not None]
    if not possible:
        raise ParameterError("none of these outputs is possible for either value.", "Give other indices.")
    return max(possible, key=_size)


def _size(found: PairLoss) -> tuple[bool, Fraction]:
    return (True, Fraction(0)) if found.loss is None else (False, found.loss.lower)


def _loss_at(law: Law, other: Law, index: int) -> PairLoss | None:
    """Return |ln P(index | value)/P(index | other)|; None where neither value can have the output."""
    a, b = law.index_log_probability(index), other.index_log_probability(index)
    if a is None and b is None:
        return None
    loss = None if a is None or b is None else _exactly_known(law, other, index) or abs(a - b)
    return PairLoss(value=law.inner_value, other=other.inner_value, index=index, loss=loss)


def _exactly_known(law: Law, other: Law, index: int) -> Enclosure | None:
    """Return the loss where both tails at an end of the clamp are real exponentials: their ratio is e^(distance/scale).

    Everywhere else it is None.
    """
    p = law.parameters
    if not isinstance(law, ExactLaw) or index not in (p.low, p.high):
        return None
    a_side, b_side = law.inner_value, other.inner_value
    edge = (index + Fraction(1, 2)) * p.grid if index == p.low else (index - Fraction(1, 2)) * p.grid
    one_sided = edge <= min(a_side, b_side) if index == p.low else edge >= max(a_side, b_side)
    return enclose(abs(a_side - b_side) / p.noise_scale) if one_sided else None


def suspects(law: Law, other: Law, *, exhaustive: int = EXHAUSTIVE, window: int = WINDOW) -> list[int]:
    """Return the outputs among which the largest loss is sought."""
    p = law.parameters
    if isinstance(law, ExactLaw):
        return [p.low, p.high]
    if p.high - p.low < exhaustive:
        return list(range(p.low, p.high + 1))
    places = {p.low, p.high, law.centre, other.centre}
    # Where |ln U| crosses a power of two the rounding of the logarithm jumps.
    for centre in (law.centre, other.centre):
        for exponent in range(-8, math.frexp(float((p.high - p.low) * p.grid / p.noise_scale))[1] + 1):
            offset = round(p.noise_scale * power_of_two(exponent) / p.grid)
            places |= {centre + offset, centre - offset}
    near = {k + d for k in places for d in range(-window, window + 1)}
    return sorted(k for k in near if p.low <= k <= p.high)


def worst_pair(
    parameters: SnappingParameters, *, distance: Fraction | None = None, values: Iterable[Fraction] | None = None
) -> PairLoss:
    """Search for neighbouring values with the largest loss; a lower bound of the supremum.

    distance  of the two values in inner units; default one sensitivity
    values    the first values to try (inner); default: the ends of the range and 10 phases of the grid near them, and
              in finite precision those at which rounding errors add up
    """
    p = parameters
    apart = p.sensitivity / p.unit if distance is None else distance
    found = _searched(p, apart, _starting_values(p, apart) if values is None else values)
    if values is not None or p.precision is None:
        return found
    return max([found, *_unlucky_losses(p, apart)], key=_size)


def _unlucky_losses(p: SnappingParameters, apart: Fraction) -> list[PairLoss]:
    """Return losses where rounding errors and draw add up: the largest near the best pairs, and of all its outputs.

    What a pair promises is known to first order; the loss is computed.
    """
    tried = [near for found in unlucky_values(p, apart) for near in moved(p, found)]
    if not tried:
        return []
    best = max(tried, key=lambda each: _size(_unlucky_loss(p, each)))
    return [_unlucky_loss(p, best), pair_loss(law_of(Inner(best.value), p), law_of(Inner(best.neighbour), p))]


def _unlucky_loss(p: SnappingParameters, pair: Unlucky) -> PairLoss:
    return pair_loss(law_of(Inner(pair.value), p), law_of(Inner(pair.neighbour), p), [pair.output])


def _searched(p: SnappingParameters, apart: Fraction, starts: Iterable[Fraction]) -> PairLoss:
    """Return the largest loss of the values given and their neighbours on both sides."""
    pairs = [
        (p.clamped(Inner(Fraction(start))), p.clamped(Inner(Fraction(start) + shift)))
        for start in starts
        for shift in (apart, -apart)
        if p.value_lower <= start + shift <= p.value_upper
    ]
    if not pairs:
        raise ParameterError("no two values of the range are that far apart.", "Give a smaller distance.")
    laws = [(law_of(a, p), law_of(b, p)) for a, b in pairs]
    quick = [pair_loss(a, b, suspects(a, b, exhaustive=QUICK, window=QUICK_WINDOW)) for a, b in laws]
    best = max(range(len(laws)), key=lambda i: _size(quick[i]))
    return max(quick[best], pair_loss(*laws[best]), key=_size)


def _starting_values(p: SnappingParameters, apart: Fraction) -> list[Fraction]:
    """Return values at both ends of the range and just inside them, at 10 phases relative to the grid.

    If the phases were multiples of a power of two, rounding errors of the logarithm would mostly cancel; so sevenths.
    """
    phases = [Fraction(i, 7) * p.grid / 3 for i in (0, 1, 4, 8, 11)]
    ends = [*(p.value_lower + x for x in phases), *(p.value_upper - x for x in phases)]
    inside = [x for x in ends if p.value_lower <= x <= p.value_upper]
    return inside or [Fraction(p.value_lower), Fraction(p.value_upper) - apart]


def loss_bracket(parameters: SnappingParameters) -> Enclosure:
    """Return [largest loss found, proved bound] for neighbouring values one sensitivity apart."""
    p = parameters
    found = worst_pair(p).loss
    if found is None:
        raise PremiseError("the loss has no bound: an output is possible for one value only.", "Use more bits.")
    if p.precision is None:
        return Enclosure(found.lower, max(found.upper, p.sensitivity / p.unit / p.noise_scale))
    proved = proved_loss(noise_scale=p.noise_scale, grid=p.grid, bound=p.bound or p.end_upper, precision=p.precision)
    if proved is None:
        raise ParameterError("the proved bound does not exist for these parameters.", "Use more bits.")
    return Enclosure(found.lower, proved)


# Values at which p-bit rounding errors add up
#
# Far from the value the loss of an output is distance/scale plus the rounding errors of four thresholds, each of which
# is known without an exponential: |Y| >= t iff |ln U*| exceeds a threshold m(t), and the error t/lam - m(t) jumps at
# every float. One of the four is made as large as it can be by choosing the value; the others are tried at many values
# near the end of the range, where the noise is largest and its floats are furthest apart. The draw has floats of its
# own, furthest apart just above a power of two, which add something between nothing and a most that is known. Such
# pairs promise most. docs/theory/exact-law.md, (10)

TRIES = 2400  # values whose errors are added up, for all outputs together
KEPT = 3  # pairs that are handed on
BINADES = 2  # powers of two that are looked at, from the largest
NEAR = 2  # outputs on each side of a place that are looked at
_SPREAD = Fraction(0x9E3779B97F4A7C15F39CC0605CEDC835, 1 << 128)  # the golden section: multiples of it fill evenly


class Unlucky(NamedTuple):
    """A value, its neighbour nearer to the output, the output, and by how much it loses more than distance/scale.

    errors  of the four thresholds        draw  what its floats add, at most or as it is guessed; in 2**-product bits
    """

    value: Fraction
    neighbour: Fraction
    output: int
    errors: float
    draw: float

    @property
    def promised(self) -> float:
        return self.errors + self.draw


class Breakpoint(NamedTuple):
    """How far a breakpoint of an output lies from a value, and the weight of ln P(|Y| >= distance) in the loss."""

    distance: Fraction
    weight: float


def unlucky_values(p: SnappingParameters, apart: Fraction) -> list[Unlucky]:
    """Return the pairs of values, `apart` from each other, and their outputs that promise most."""
    outputs = _outputs(p, apart)
    found = [each for k in outputs for each in _tried(p, k, apart, TRIES // len(outputs))]
    return sorted(found, key=lambda each: -each.promised)[:KEPT]


def breakpoints(p: SnappingParameters, value: Fraction, neighbour: Fraction, k: int) -> list[Breakpoint]:
    """Return the breakpoints of output k beyond a value and its neighbour, with their weights in (10)."""
    inner = (k - Fraction(1, 2)) * p.grid
    if k == p.high:
        return [Breakpoint(inner - neighbour, 1.0), Breakpoint(inner - value, -1.0)]
    q = math.exp(-float(p.grid / p.noise_scale))
    own, other = 1 / (1 - q), q / (1 - q)
    outer = inner + p.grid
    return [
        Breakpoint(inner - neighbour, own),
        Breakpoint(outer - neighbour, -other),
        Breakpoint(inner - value, -own),
        Breakpoint(outer - value, other),
    ]


def _outputs(p: SnappingParameters, apart: Fraction) -> list[int]:
    """Return the outermost outputs, and those near which noise or logarithm crosses one of the largest powers of two.

    Between two powers of two the floats are evenly spaced, so errors of breakpoints that are a fixed distance apart
    are tied to each other; where some lie beyond a power of two and some before, they are free.
    """
    most = p.end_upper - p.value_lower
    places = {most}
    for unit in (Fraction(1), p.noise_scale):
        top = floor_log2(most / unit)
        places |= {unit * power_of_two(top - i) for i in range(BINADES)}
    near = {nearest_index(p.value_lower + t, p.grid) + i for t in places for i in range(-NEAR, NEAR + 1)}
    return sorted(k for k in near if k <= p.high and _farthest(p, k, apart) > 0)


def _farthest(p: SnappingParameters, k: int, apart: Fraction) -> Fraction:
    """Return the distance of output k's lower breakpoint from the neighbour of the lowest value."""
    return (k - Fraction(1, 2)) * p.grid - (p.value_lower + apart)


def _tried(p: SnappingParameters, k: int, apart: Fraction, tries: int) -> Iterator[Unlucky]:
    """Yield values near the lower end, such that one of the four breakpoints lies at a jump of its error.

    The neighbour's error at the inner breakpoint and the value's at the outer one add to the loss, and are largest at a
    product; the other two take from it, and are least just after one.
    """
    assert p.precision is not None
    law = FiniteLaw(Inner(Fraction(0)), p)
    edge, farthest = (k - Fraction(1, 2)) * p.grid, _farthest(p, k, apart)
    window = min(p.grid, farthest / 2, p.value_upper - p.value_lower - apart)
    after = power_of_two(-p.precision.product - 16)
    jumps = ((Fraction(0), 1), (apart, 1 + after), (apart + p.grid, 1), (p.grid, 1 + after))
    for i in range(tries):
        beyond, hair = jumps[i % len(jumps)]
        target = farthest - window * (i * _SPREAD % 1) + beyond
        logarithm = round_up(target / p.noise_scale, p.precision.logarithm)
        product = round_nearest(p.noise_scale * logarithm, p.precision.product)
        neighbour = edge + beyond - product * hair
        if p.value_lower + apart <= neighbour <= p.value_upper:
            # A pair with what errors add to ln P(k | neighbour)/P(k | value), to first order, and the draw at most.
            value = neighbour - apart
            points = breakpoints(law.parameters, value, neighbour, k)
            errors = sum(weight * _error(law, distance) for distance, weight in points)
            draw = sum(weight * _granule(law.parameters, distance) for distance, weight in points if weight > 0)
            yield Unlucky(value, neighbour, k, errors, draw)


def _granule(p: SnappingParameters, t: Fraction) -> float:
    """Return the spacing of the draw's floats near e^(-t/lam), relative to it, in units of 2**-product bits: (12)."""
    assert p.precision is not None
    halvings = float(t / p.noise_scale) / math.log(2)
    return math.ldexp(2 ** (halvings - math.ceil(halvings)), p.precision.product - p.precision.uniform + 1)


def _error(law: FiniteLaw, t: Fraction) -> float:
    """Return t/lam - m(t) in units of 2**-product bits, from whole numbers: a Fraction would be cancelled each time."""
    scale, precision = law.parameters.noise_scale, law.parameters.precision
    assert precision is not None
    significand, exponent = law.threshold(t, strict=False)
    whole, part = t.numerator * scale.denominator, t.denominator * scale.numerator
    shift = max(-exponent, 0)
    gap = (whole << shift) - part * (significand << exponent + shift)
    return (gap << precision.product) / (part << shift)


# Pairs near an unlucky one: rounding errors as large, and a draw whose own floats add most to the loss
#
# Between two powers of two floats are evenly spaced. So when a pair is moved by floats of the noise, its thresholds
# follow by one division each, and e^-threshold moves among the floats of the draw by steps that are known once it is
# computed for the pair itself. A place costs a hundredth of its exact loss, and tens of thousands are looked at. What
# they promise is only a guess, beyond a power of two even a wrong one: the caller computes the loss exactly.
# docs/theory/exact-law.md, (11), (12)

MOVES = 12_000  # floats of the noise that a pair is moved by, on both sides; fewer of more than 128 bits
UNLUCKY_DRAWS_KEPT = 8  # pairs that are handed on
_GUARD = 64  # bits by which e^-threshold is known beyond the floats of the draw


class _Threshold(NamedTuple):
    """The threshold of one breakpoint and the draw at it, as functions of the number of moves.

    weight    of ln P(|Y| >= breakpoint) in the loss
    distance  of the breakpoint, in moves, rounded up; a float of the noise is 2**coarser of them
    ratio     (a, b): half a float of the noise, divided by the scale, is a/b floats of the logarithm
    spacing   of the logarithm's floats, a pure number         cost     the same in units of 2**-product bits
    beyond    e^-threshold, in floats of the draw, less the whole number below it
    fall      of e^-threshold with the next float of the logarithm, in floats of the draw, to first order
    granule   a float of the draw, relative to e^-threshold, in units of 2**-product bits
    """

    weight: float
    distance: int
    coarser: int
    ratio: tuple[int, int]
    spacing: float
    cost: float
    beyond: float
    fall: float
    granule: float

    def steps(self, moves: range) -> list[int]:
        """Return by how many floats of the logarithm the threshold is further away after each of the moves: (11)."""
        (a, b), shift, distance = self.ratio, self.coarser, self.distance
        products = [-(-(distance + i) >> shift) for i in (0, *moves)]
        first, *others = [((2 * k - 1) * a - 1 + k % 2) // b for k in products]  # the least float, or the one beyond
        return [each - first for each in others]

    def rounded_up(self, steps: int) -> float:
        """Return by how much the draw exceeds e^-threshold after so many steps, in units of 2**-product bits: (12)."""
        x = steps * self.spacing
        fallen = -math.expm1(-x) / x if x else 1.0
        return (self.fall * fallen * steps - self.beyond) % 1 * self.granule


def moved(p: SnappingParameters, found: Unlucky) -> list[Unlucky]:
    """Return the pairs that promise most among those near one, moved by whole floats of the noise, or not at all."""
    assert p.precision is not None
    points = breakpoints(p, found.value, found.neighbour, found.output)
    finest = floor_log2(min(point.distance for point in points)) + 1 - p.precision.product
    thresholds = [_threshold(p, *point, finest) for point in points]
    move = power_of_two(finest)
    # The moves outward and inward that leave both values in the range.
    # Of many bits they are fewer, since each costs as much as its digits, and of few bits too, lest most of them cross
    # a power of two.
    assert p.precision is not None
    bits = p.precision.product
    most = min(MOVES * 128 // max(bits, 128), 1 << max(bits - 4, 0))
    inward = min(most, math.floor((p.value_upper - found.neighbour) / move))
    outward = min(most, math.floor((found.value - p.value_lower) / move))
    moves = range(-inward, outward + 1)
    costs = [-each.weight * each.cost for each in thresholds]
    places = list(zip(*(each.steps(moves) for each in thresholds), strict=True))
    gains = [sum(map(mul, costs, place)) for place in places]
    enough = max(gains) - found.draw  # what is less is not made up for by any draw
    guesses = [
        (gain + _draw(thresholds, place), i, gain)
        for gain, i, place in zip(gains, moves, places, strict=True)
        if gain >= enough
    ]
    return [
        Unlucky(found.value - i * move, found.neighbour - i * move, found.output, found.errors + gain, both - gain)
        for both, i, gain in heapq.nlargest(UNLUCKY_DRAWS_KEPT, guesses)
    ]


def _draw(thresholds: list[_Threshold], steps: tuple[int, ...]) -> float:
    """Return what the granularity of the draw adds to the loss, in units of 2**-product bits."""
    return sum(each.weight * each.rounded_up(step) for each, step in zip(thresholds, steps, strict=True))


def _threshold(p: SnappingParameters, distance: Fraction, weight: float, finest: int) -> _Threshold:
    """Return the threshold of a breakpoint for moves of 2**finest."""
    assert p.precision is not None
    bits = p.precision
    noise_exponent = floor_log2(distance) + 1 - bits.product
    significand, exponent = FiniteLaw(Inner(Fraction(0)), p).threshold(distance, strict=False)
    spacing = power_of_two(significand.bit_length() + exponent - bits.logarithm)
    reached = exp_up(significand, exponent, bits.uniform + _GUARD).significand
    draw = reached << bits.uniform + _GUARD - reached.bit_length()
    return _Threshold(
        weight=weight,
        distance=math.ceil(distance / power_of_two(finest)),
        coarser=noise_exponent - finest,
        ratio=(power_of_two(noise_exponent - 1) / (p.noise_scale * spacing)).as_integer_ratio(),
        spacing=float(spacing),
        cost=float(spacing * power_of_two(bits.product)),
        beyond=draw % (1 << _GUARD) / (1 << _GUARD),
        fall=float(draw * spacing / (1 << _GUARD)),
        granule=float((1 << bits.product + _GUARD) / Fraction(draw)),
    )
