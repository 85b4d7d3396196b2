"""The least epsilon for a target accuracy, with four significant digits, checked rather than solved.

Room: accuracy. Both arithmetics. On one grid a larger epsilon never makes any value of the range worse; between grids
it may, where the range is narrow. So the decimals of four digits are taken band by band, a band having one grid: each
is asked at its last decimal, and in the first that meets the target bisection ends at the least decimal of all that do.
The search begins at an epsilon below which none meets it. The published formulas are solved for any value.
Theory: docs/theory/planning.md, (9)-(11), (36), (37).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from snapdp.accuracy.error import METHODS, accuracy as accuracy_of, published_accuracy
from snapdp.accuracy.family import Family
from snapdp.accuracy.four_digits import DECADE, decimal, index_down, index_up
from snapdp.accuracy.tails import ENOUGH_BITS, Event, confidence, exact_level, exceeds, worst_events, worst_exceeds
from snapdp.errors import ParameterError, PremiseError
from snapdp.exact import HALF, ln_enclosure, positive, shown
from snapdp.mechanism import DataUnits, SnappingParameters, arithmetic_of
from snapdp.values import Value

Meets = Callable[[Fraction], bool]
_PATIENCE = 4 * DECADE  # an arithmetic that refuses all epsilons so far up refuses the request


class EpsilonNeeded(Value):
    """The least epsilon with four digits that meets a target, and what it gives.

    accuracy          by the method asked for, at most the target; a published formula knows no clamp
    clamped_accuracy  the tight one of the mechanism with its range and clamp: at most `accuracy`
    arithmetic        "exact", "proved" or "notes"
    """

    epsilon: Fraction
    target: DataUnits
    alpha: Fraction
    method: str
    noise_scale: DataUnits
    grid: DataUnits
    accuracy: DataUnits
    clamped_accuracy: DataUnits
    arithmetic: str = "exact"


def epsilon_for(
    *,
    accuracy: Any,
    alpha: Any = "0.05",
    sensitivity: Any,
    lower: Any,
    upper: Any,
    grid: Any = None,
    method: str = "tight",
    arithmetic: Any = None,
    bits: int | None = None,
    gamma: Any = None,
    step: Any = None,
    finest: Fraction = Fraction(0),
) -> EpsilonNeeded:
    """Return the least epsilon, four significant digits, at which every value of the range has an accuracy.

    accuracy    the error that may be exceeded with probability alpha, data units
    grid        "fine" or "natural", which follow epsilon, or a power of two; finest is the least that follows
    method      "tight", the true minimum; "notes" and "simple" are what the published formulas would spend
    arithmetic, bits, gamma, step    as in Snapping
    """
    target = DataUnits(positive(accuracy, name="accuracy"))
    level = confidence(alpha)
    if method not in METHODS:
        raise ParameterError(f"method = {method!r} is unknown.", 'Give "tight", "notes" or "simple".')
    family = Family(
        sensitivity=positive(sensitivity, name="sensitivity"),
        lower=lower,
        upper=upper,
        grid=grid,
        finest=finest,
        step=step,
        arithmetic=arithmetic_of(arithmetic, bits),
        gamma=gamma,
    )
    epsilon = (_over_the_range if method == "tight" else _by_a_formula)(family, target, level, method)
    return _needed(family, epsilon, target, level, method)


def _needed(family: Family, epsilon: Fraction, target: DataUnits, alpha: Fraction, method: str) -> EpsilonNeeded:
    p = family.at(epsilon)
    tight = accuracy_of(p, alpha=alpha)
    formula = method if method != "tight" else None
    return EpsilonNeeded(
        epsilon=epsilon,
        target=target,
        alpha=alpha,
        method=method,
        noise_scale=DataUnits(p.unit * p.noise_scale),
        grid=p.data_grid,
        accuracy=tight if formula is None else _published(formula, p, alpha),
        clamped_accuracy=tight,
        arithmetic=p.rule or "exact",
    )


def _published(method: str, p: SnappingParameters, alpha: Fraction) -> DataUnits:
    inner = published_accuracy(method, noise_scale=p.noise_scale, grid=p.grid, alpha=exact_level(p, alpha))
    return DataUnits(p.unit * inner + p.printing_error)


# Every value of the range, clamp included


def _over_the_range(family: Family, target: Fraction, alpha: Fraction, _: str) -> Fraction:
    """Return the least decimal that meets the target: planning (36), (37)."""
    start = floor_epsilon(family, target, alpha)
    _check_reachable(family, start, target, alpha)

    def meets(epsilon: Fraction) -> bool:
        p = family.at(epsilon)
        distance = (target - p.printing_error) / p.unit
        return distance >= 0 and not worst_exceeds(p, distance, exact_level(p, alpha))

    patient, first = _patiently(meets, start, target), index_down(start)
    return least_in_bands(lambda n: patient(decimal(n)), first, lambda grid: family.sensitivity / grid)


def _patiently(meets: Meets, start: Fraction, target: Fraction) -> Meets:
    """Return the same question, no for an epsilon that is refused; all so far up refused, the target is."""
    last = decimal(index_down(start) + _PATIENCE)

    def asked(epsilon: Fraction) -> bool:
        try:
            return meets(epsilon)
        except PremiseError as refusal:
            if epsilon > last:
                raise _refused_everywhere(target, refusal) from None
            return False  # too few bits for so small an epsilon

    return asked


def _refused_everywhere(target: Fraction, refusal: PremiseError) -> PremiseError:
    """Return the refusal of a target, by what was asked for: the epsilon that was refused last nobody asked for."""
    bits, slack = refusal.numbers.get("bits"), refusal.numbers.get("slack")
    few = "this arithmetic is refused" if bits is None else f"{bits} bits are too few"
    lost = "use up a visible part of it" if slack is None else f"lose more than slack = {shown(slack)} beyond it"
    return PremiseError(
        f"{few} for accuracy = {shown(target)} on this range, whatever epsilon is tried: rounding would {lost}.",
        "Give more bits (or leave bits out to have them chosen), or a narrower range.",
        accuracy=target,
        bits=bits,
    )


def least_in_bands(meets: Callable[[int], bool], first: int, halves_at: Callable[[Fraction], Fraction]) -> Fraction:
    """Return the least decimal from the one numbered first that meets a target, as all after it on the same grid do.

    halves_at  the epsilon at which the noise scale is a power of two, and the grid that follows it halves
    """
    last, stride = first, 1
    while not meets(last):
        last, stride = last + stride, 2 * stride
    for low, high in _bands(first, last, halves_at):
        if high == last or meets(high):
            return decimal(_least(meets, low, high))
    raise AssertionError("the last decimal meets the target")


def _least(meets: Callable[[int], bool], low: int, high: int) -> int:
    """Return the least number from low to high that meets a target, if high does and all after one that does."""
    low -= 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high


def _bands(first: int, last: int, halves_at: Callable[[Fraction], Fraction]) -> Iterator[tuple[int, int]]:
    """Yield runs of decimals with one grid each, upward.

    A grid that follows epsilon halves where the noise scale is a power of two, or, where that is a little larger than
    it is taken for, at the next decimal; a run that is cut once too often does no harm.
    """
    cut, power = first, Fraction(1)
    while halves_at(power) > decimal(first):
        power *= 2
    while cut <= last:
        power /= 2
        edge = index_up(halves_at(power))
        for end in (edge - 1, edge):
            if cut <= end:
                yield cut, min(end, last)
                cut = end + 1
            if cut > last:
                return


def floor_epsilon(family: Family, target: Fraction, alpha: Fraction) -> Fraction:
    """Return an epsilon below which none meets the target: planning (37).

    P(|output - f| > a) >= e^(-(a + grid/2)/lam)/2 unless the clamp leaves no such output, which takes as many noise
    scales. Where alpha is so large that this says nothing, the epsilon of the Laplace mechanism.
    """
    scales = min(ln_enclosure(1 / (2 * alpha), ENOUGH_BITS).lower, family.clamp_scales())
    follows, fixed = family.follows, family.fixed_grid
    if scales <= (follows or 0):
        return laplace_epsilon(target, alpha, family.sensitivity)
    found = [] if follows is None else [(scales - follows) / target]
    if fixed:
        found.append(scales / (target + fixed / 2))
    return family.sensitivity * min(found)


def _check_reachable(family: Family, epsilon: Fraction, target: Fraction, alpha: Fraction) -> None:
    """Refuse a target that no epsilon meets because the grid is fixed and too coarse for it."""
    if family.follows is not None:
        return
    p = family.at(epsilon)
    limit = max(_without_noise(p, event) for event in worst_events(p, target / p.unit))
    if limit and limit >= alpha:
        raise _unreachable(target, p.data_grid)


def _without_noise(p: SnappingParameters, event: Event) -> Fraction:
    """Return what the probability of an event tends to as epsilon grows without bound."""
    if event.above <= event.below + 1:
        return Fraction(1)
    tied = 0
    if p.low < event.above <= p.high:
        tied += (event.above - HALF) * p.grid == event.value
    if p.low <= event.below < p.high:
        tied += (event.below + HALF) * p.grid == event.value
    return HALF * tied


def _unreachable(target: Fraction, grid: Fraction) -> ParameterError:
    return ParameterError(
        f"accuracy = {target} is met by no epsilon on a grid of {grid}: rounding alone can err by {grid / 2}.",
        f"Ask for an accuracy above {grid / 2}, take a grid below {2 * target}, or leave the grid out.",
        accuracy=target,
        grid=grid,
    )


# Any value, without a clamp


def _by_a_formula(family: Family, target: Fraction, alpha: Fraction, method: str) -> Fraction:
    """Return the least epsilon at which a published formula promises the target."""
    if family.follows is None and target <= family.fixed_grid / 2:
        raise _unreachable(target, family.fixed_grid)

    def meets(epsilon: Fraction) -> bool:
        c = family.constants(epsilon, alpha)
        left = (target - c.printing_error) / c.unit - (c.grid / 2 if method == "notes" else c.noise_scale)
        # lam ln(1/alpha) <= left; the logarithm of a rational other than 1 is irrational: decided.
        return exceeds(lambda bits: -ln_enclosure(1 / c.alpha, bits), -left / c.noise_scale)

    start = laplace_epsilon(target, alpha, family.sensitivity)
    return least_epsilon(_patiently(meets, start, target), start=start)


def laplace_epsilon(target: Fraction, alpha: Fraction, sensitivity: Fraction) -> Fraction:
    """Return an epsilon that Laplace noise cannot undercut for any value, up to rounding: planning (11)."""
    return ln_enclosure(1 / alpha, ENOUGH_BITS).lower * sensitivity / target


def least_epsilon(meets: Meets, *, start: Fraction) -> Fraction:
    """Return the least decimal of four significant digits that meets a target, which all after it do.

    start > 0 is a lower bound.
    """
    first = index_down(start)
    last, stride = first, 1
    while not meets(decimal(last)):
        last, stride = last + stride, 2 * stride
    return decimal(_least(lambda n: meets(decimal(n)), first, last))
