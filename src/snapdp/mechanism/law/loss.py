"""Exact privacy loss: of a pair of values, of the worst pair a search finds, and its bracket with the proved bound.

Room: mechanism. The loss of a pair is max over outputs of |ln P(k | value)/P(k | other)|, computed from the law.
Exact arithmetic: the likelihood ratio of two Laplace laws is monotone, so the largest loss sits at an end of the clamp.
Finite precision: rounding wobbles the ratio, so outputs are tried: all of them where they are few, else those where the
loss is known to peak. A search gives a lower bound of the supremum; the proved bound is the upper one.
Theory: docs/theory/exact-law.md, (8)-(12).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from snapdp.errors import ParameterError, PremiseError
from snapdp.exact import Enclosure, enclose, power_of_two
from snapdp.mechanism.law.bounds import proved_loss
from snapdp.mechanism.law.exact import ExactLaw
from snapdp.mechanism.law.law import Law, law_of
from snapdp.mechanism.law.unlucky_draws import moved
from snapdp.mechanism.law.unlucky_values import Unlucky, unlucky_values
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
