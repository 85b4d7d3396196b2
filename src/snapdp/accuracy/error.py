"""Accuracy: the smallest a with P(|output - f| > a) <= alpha, for a guessed value or for every value of the range.

There are three methods: "tight" gives the smallest true a; "notes" and "simple" are the published bounds. Every tail is
an *event*, "index >= above, or index <= below" for one value, and its probability is decided exactly. Without the clamp
the tight accuracy has a closed form; the clamp can only lower it, and whether it does is asked of at most six events.
At a guessed value the answer is the distance to some output, found by bisection. In finite precision the worst case is
taken at a level lowered by what rounding can add to a probability. A statistic that has only the values of a lattice
is asked there, and its accuracy is the distance of a value and an output.
Theory: docs/theory/planning.md, (1)-(8), (35).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.exact.dyadic import HALF, least_above, power_of_two, round_down
from snapdp.exact.enclosure import Enclosure, decided_ceil, enclose, refine, refined
from snapdp.exact.functions import NARROW_BITS, arcosh_of_exp, exp_enclosure, ln_enclosure, rounded_up
from snapdp.exact.numbers import datum, parameter, probability
from snapdp.mechanism.law.law import ONE, ZERO
from snapdp.mechanism.parameters import DataUnits, Inner, SnappingParameters
from snapdp.values import replaced

TOLERANCE = Fraction(1, 1 << 31)  # relative: 4.7e-10
METHODS = ("tight", "notes", "simple")


def accuracy(p: SnappingParameters, *, alpha: Any = "0.05", method: str = "tight", value: Any = None) -> DataUnits:
    """Return the smallest a with P(|output - f| > a) <= alpha, in data units, rounded up within 1e-9.

    alpha   the probability with which the error may be larger
    method  "tight"; or "notes", lam ln(1/alpha) + grid/2; or "simple", lam (1 + ln(1/alpha))
    value   a guess of the statistic; without it the answer holds for every value of the public range
    With a step the error is that of the quantised value. An accuracy at the true value would leak it: guess.
    Where outputs are no doubles (finite precision off a lattice) it counts the rounding of the printed number, too.
    """
    level = confidence(alpha)
    f = None if value is None else guess(p, value)
    if method == "tight":
        inner = worst_accuracy(p, level) if f is None else accuracy_at(p, f, level)
    else:
        formula = published_accuracy(method, noise_scale=p.noise_scale, grid=p.grid, alpha=exact_level(p, level))
        inner = min(formula, furthest_error(p, f))
    return DataUnits(p.unit * inner + p.printing_error)


def alpha_for(p: SnappingParameters, *, accuracy: Any, value: Any = None) -> Fraction:
    """Return the smallest alpha with P(|output - f| > accuracy) <= alpha; accuracy in data units.

    Exact where it is rational, else rounded up to so many bits that alpha_for(accuracy(alpha)) <= alpha: planning (8a).
    """
    asked = parameter(accuracy, name="accuracy")
    if asked < 0:
        raise ParameterError(f"accuracy = {asked} is negative.", "Give accuracy >= 0.", accuracy=asked)
    f = None if value is None else guess(p, value)
    distance = (asked - p.printing_error) / p.unit
    if distance < 0:
        return Fraction(1)
    found = worst_chance(p, distance) * ratio_to_exact(p).upper if f is None else value_chance(p, f, distance)
    level = found.upper if found.is_exact else rounded_up(found.upper, LEVEL_BITS)
    return min(level, Fraction(1))


def published_accuracy(method: str, *, noise_scale: Fraction, grid: Fraction, alpha: Fraction) -> Fraction:
    """Return the bound of the notes by its name, without a clamp, rounded up: planning (7), (8)."""
    if method not in METHODS[1:]:
        raise ParameterError(f"method = {method!r} is unknown.", 'Give "tight", "notes" or "simple".')
    if method == "simple" and grid > 2 * noise_scale:
        raise PremiseError(
            f"the simple formula needs grid <= 2 noise scales; grid = {grid}, noise scale = {noise_scale}.",
            'Take a finer grid, or method="tight" or "notes", which hold for every grid.',
            grid=grid,
            noise_scale=noise_scale,
        )
    logarithm = refined(lambda b: ln_enclosure(1 / alpha, b), relative_bits=NARROW_BITS)
    # The formula itself, given ln(1/alpha): planning (7), (8).
    return rounded_up((logarithm * noise_scale + (grid / 2 if method == "notes" else noise_scale)).upper)


def unclamped_chance(*, distance: Fraction, noise_scale: Fraction, grid: Fraction) -> Callable[[int], Enclosure]:
    """Return what encloses G(a), the sup over all f of P(|output - f| > a) without a clamp, for a >= grid/2.

        G(a) = e^(-m x/2) cosh((grid/2 - t)/lam),  m = floor(2a/grid), t = a - m grid/2, x = grid/lam      planning (5)

    written as the half sum of two exponentials, neither of which overflows.
    """
    halves = math.floor(2 * distance / grid)
    near, far = distance - grid / 2, (halves + HALF) * grid - distance

    def compute(bits: int) -> Enclosure:
        return (exp_enclosure(-near / noise_scale, bits) + exp_enclosure(-far / noise_scale, bits)) * HALF

    return compute


def unclamped_accuracy(*, noise_scale: Fraction, grid: Fraction, alpha: Fraction) -> Fraction:
    """Return the tight accuracy for any f without a clamp, in inner units, rounded up where it is irrational."""
    found = unclamped_enclosure(noise_scale=noise_scale, grid=grid, alpha=alpha)
    return found.upper if found.is_exact else rounded_up(found.upper)


def unclamped_enclosure(*, noise_scale: Fraction, grid: Fraction, alpha: Fraction) -> Enclosure:
    """Return the inverse of G, between two near numbers where it is irrational.

        a* = m grid/2 if G(m grid/2) <= alpha, else (m + 1) grid/2 - lam arcosh(alpha e^(m x/2))        planning (6)

    m >= 1 is the least with e^(-m x/2) <= alpha; 2 ln(1/alpha)/x is irrational, so its ceiling is decided.
    """
    x = grid / noise_scale
    halves = decided_ceil(lambda bits: ln_enclosure(1 / alpha, bits) * (2 / x))
    corner = halves * grid / 2
    if not exceeds(unclamped_chance(distance=corner, noise_scale=noise_scale, grid=grid), alpha):
        return enclose(corner)

    def solution(bits: int) -> Enclosure:
        w = halves * x / 2 - ln_enclosure(1 / alpha, bits)
        return corner + grid / 2 - arcosh_of_exp(w, bits) * noise_scale

    return refined(solution, relative_bits=NARROW_BITS)


def worst_accuracy(p: SnappingParameters, alpha: Fraction) -> Fraction:
    """Return the smallest inner a that holds for every f of the range, clamp included."""
    level = exact_level(p, alpha)
    values = values_of(p)
    if values is not None:
        return _accuracy_of_values(p, level, values)
    free = unclamped_accuracy(noise_scale=p.noise_scale, grid=p.grid, alpha=level)
    high = min(free, furthest_error(p))
    below = high * (1 - TOLERANCE)
    if worst_exceeds(p, below, level):
        return high  # the clamp changes nothing
    if not worst_exceeds(p, Fraction(0), level):
        return Fraction(0)
    low, high = Fraction(0), below
    while high - low > TOLERANCE * high:
        middle = (low + high) / 2
        low, high = (middle, high) if worst_exceeds(p, middle, level) else (low, middle)
    jumps = sorted(a for a in _jumps_after(p, low) if a <= high)
    return next((a for a in jumps if not worst_exceeds(p, a, level)), rounded_up(high))


def _accuracy_of_values(p: SnappingParameters, level: Fraction, values: ValueLattice) -> Fraction:
    """Return the smallest inner a for the values of a lattice, exactly: planning (35).

    It is the distance of a value and an output: a multiple of the finer of the two spacings, counted from a phase.
    """
    unit = min(values.spacing, p.grid)
    free = unclamped_accuracy(noise_scale=p.noise_scale, grid=p.grid, alpha=level)
    most = min(free, furthest_error(p))  # holds for every value, and is not far off

    def least(phase: Fraction) -> Fraction:
        high, stride = max(math.ceil((most - phase) / unit), 0), 1
        while high >= stride and not worst_exceeds(p, phase + (high - stride) * unit, level):
            high, stride = high - stride, 2 * stride
        low = max(high - stride, -1)
        return phase + unit * least_above(low, high, lambda k: not worst_exceeds(p, phase + k * unit, level))

    return min(least(phase) for phase in {values.origin % unit, -values.origin % unit})


def _jumps_after(p: SnappingParameters, low: Fraction) -> list[Fraction]:
    """Return, of each family of distances at which the worst case may jump, the first above `low`: planning (3)."""
    ends = [*public_range(p), p.end_lower, p.end_upper]
    pairs = [abs(a - b) for a in ends for b in ends] + [(p.end_upper - p.end_lower) / 2]
    families = [*ends, *(-end for end in ends), Fraction(0)]  # distances to outputs; and half distances between them
    half = p.grid / 2
    return [a for a in pairs if a > low] + [
        offset + spacing * (math.floor((low - offset) / spacing) + 1)
        for offset, spacing in [(offset, p.grid) for offset in families] + [(offset / 2, half) for offset in families]
    ]


def accuracy_at(p: SnappingParameters, value: Fraction, alpha: Fraction) -> Fraction:
    """Return the smallest inner a for one inner value, exactly: the distance to some output. planning (3)."""

    def valid(index: int) -> bool:
        return not exceeds(chance(p, beyond(p, value, abs(p.inner_value(index) - value))), alpha)

    up = _nearest_valid(valid, first=first_above(p, value, closed=True), last=p.high)
    down = _nearest_valid(valid, first=last_below(p, value, closed=True), last=p.low)
    # The output furthest from the value is always valid, so at least one side has an answer.
    return min(abs(p.inner_value(k) - value) for k in (up, down) if k is not None)


def _nearest_valid(valid: Callable[[int], bool], *, first: int, last: int) -> int | None:
    """Return the index nearest to first, on the way to last, from which on `valid` holds; None where it never does."""
    direction = 1 if last >= first else -1
    count = abs(last - first)
    low, high = -1, 0
    while high < count and not valid(first + direction * high):  # doubling steps: far tails are not even evaluated
        low, high = high, min(count, 2 * high + 1)
    if high == count and not valid(last):
        return None
    return first + direction * least_above(low, high, lambda k: valid(first + direction * k))


# Events and their probabilities

SMALLEST_LEVEL = power_of_two(-12_000)  # a parameter has 13,000 bits; enclosures tell far smaller ones from 0
ENOUGH_BITS = 128  # of a number that need only be near, because nothing is decided by it
LEVEL_BITS = 320  # a level that must round does so in the 320th bit: an accuracy in the 53rd, or by a level's 256th
LOWERED_BITS = 256  # of a level that is lowered to what an exact probability may be


class ValueLattice(NamedTuple):
    """The values that the statistic can have: origin + whole multiples of spacing, inner units."""

    origin: Fraction
    spacing: Fraction

    def last_before(self, x: Fraction) -> Fraction:
        """Return the greatest value < x."""
        return self.origin + self.spacing * (math.ceil((x - self.origin) / self.spacing) - 1)

    def first_after(self, x: Fraction) -> Fraction:
        """Return the least value > x."""
        return self.origin + self.spacing * (math.floor((x - self.origin) / self.spacing) + 1)


class Event(NamedTuple):
    """The output index is at least `above` or at most `below`, for one inner value.

    Its probability is a sum of at most two exponentials in exact arithmetic, an exact rational in finite precision.
    """

    value: Fraction
    above: int
    below: int


def confidence(alpha: Any, *, name: str = "alpha", sure: bool = False) -> Fraction:
    """Return a level strictly between 0 and 1, as the user means it; or 1, where what is sure is allowed."""
    level = probability(alpha, name=name, sure=sure)
    if level < SMALLEST_LEVEL:
        raise ParameterError(f"{name} is below 2**-12000.", f"Give a larger {name}.", **{name: level})
    return level


def guessed(value: Any) -> Fraction:
    """Return a guess as a release takes it: a double is the number that it stores, text the number that it says."""
    said = parameter(value, name="value")
    return said if isinstance(value, str) else datum(value)


def guess(p: SnappingParameters, value: Any) -> Inner:
    """Return a guessed value of the statistic in inner coordinates; it must lie in the public range.

    0.3 is a little below 3/10; it still belongs to a range from "0.3" on.
    """
    said, exact = parameter(value, name="value"), guessed(value)
    lower, upper = widened_range(p)
    if not any(lower <= number <= upper for number in (said, exact)):
        raise BoundError(
            f"value = {said} lies outside the public range {lower} to {upper}.",
            "Guess a value inside the range: the statistic is never outside.",
            value=said,
        )
    return p.inner(exact)


def public_range(p: SnappingParameters) -> tuple[Inner, Inner]:
    """Return the ends of the range of the statistic, in inner coordinates, after quantising where there is a step."""
    return p.inner(p.lower), p.inner(p.upper)


def widened_range(p: SnappingParameters) -> tuple[DataUnits, DataUnits]:
    """Return the public range in data units, widened to hold its quantised ends: bounds may lie off the step."""
    lower, upper = (DataUnits(p.offset + p.unit * end) for end in public_range(p))
    return (p.lower, p.upper) if p.step is None else (min(p.lower, lower), max(p.upper, upper))


def values_of(p: SnappingParameters) -> ValueLattice | None:
    """Return the lattice of the values where there is a step and the proof of (35) applies; None: all of the range.

    One of step and grid must be a multiple of the other, the ends of the clamp must be multiples of the grid, and the
    ends of the range must be values.
    """
    if p.step is None:
        return None
    spacing = p.step / p.unit
    origin = -p.offset / p.unit
    wholes = [(end - origin) / spacing for end in public_range(p)]
    wholes += [p.end_lower / p.grid, p.end_upper / p.grid, max(spacing / p.grid, p.grid / spacing)]
    return ValueLattice(origin % spacing, spacing) if all(each.denominator == 1 for each in wholes) else None


def furthest_error(p: SnappingParameters, value: Fraction | None = None) -> Fraction:
    """Return the largest |output - value| that the clamp leaves possible, for one value or for the whole range."""
    lower, upper = public_range(p) if value is None else (value, value)
    return max(p.end_upper - lower, upper - p.end_lower)


@lru_cache(maxsize=16)
def mirrored(p: SnappingParameters) -> SnappingParameters:
    """Return the mechanism seen in a mirror at 0: ties have probability 0, so its exact law is mirrored too."""
    d = p.declared
    return replaced(
        p,
        declared=replaced(d, lower=-d.upper, upper=-d.lower),
        offset=-p.offset,
        value_lower=-p.value_upper,
        value_upper=-p.value_lower,
        low=-p.high,
        high=-p.low,
        end_lower=-p.end_upper,
        end_upper=-p.end_lower,
    )


def ratio_to_exact(p: SnappingParameters) -> Enclosure:
    """Return an enclosure of finite over exact probability, of every set of outputs and value: planning (4)."""
    if p.precision is None:
        return ONE
    from snapdp.mechanism.law.finite import mass_ratio

    ratio = mass_ratio(noise_scale=p.noise_scale, grid=p.grid, bound=p.bound or p.end_upper, precision=p.precision)
    if ratio is None:
        raise PremiseError(
            "the precision is too small for this range to say what rounding does to the error.",
            "Give more bits, a coarser grid, or a guessed value.",
        )
    return ratio


def exact_level(p: SnappingParameters, alpha: Fraction) -> Fraction:
    """Return the level that makes an exact probability <= it a finite one <= alpha: planning (4)."""
    return alpha if p.precision is None else round_down(alpha / ratio_to_exact(p).upper, LOWERED_BITS)


def first_above(p: SnappingParameters, x: Fraction, *, closed: bool) -> int:
    """Return the least index whose value is > x (>= x where closed); high + 1 where there is none."""

    def reaches(value: Fraction) -> bool:
        return value >= x if closed else value > x

    if reaches(p.end_lower):
        return p.low
    if not reaches(p.end_upper):
        return p.high + 1
    index = math.ceil(x / p.grid) if closed else math.floor(x / p.grid) + 1
    return min(max(index, p.low + 1), p.high)


def last_below(p: SnappingParameters, x: Fraction, *, closed: bool) -> int:
    """Return the greatest index whose value is < x (<= x where closed); low - 1 where there is none."""
    return first_above(p, x, closed=not closed) - 1


def beyond(p: SnappingParameters, value: Fraction, distance: Fraction) -> Event:
    """Return the event |output - value| > distance."""
    return Event(value, first_above(p, value + distance, closed=False), last_below(p, value - distance, closed=False))


def worst_events(p: SnappingParameters, distance: Fraction) -> Iterator[Event]:
    """Yield events among whose probabilities is sup over the range of P(|output - f| > distance): planning (3).

    No search is needed: between the places where `above` or `below` jumps the probability falls and then rises, so only
    one-sided limits at those places and the ends of the range matter, and of each family of limits only the last or
    first one that lies in the range: at most six events. Of a lattice of values the points next to those places count.
    """
    lower, upper = public_range(p)
    yield beyond(p, lower, distance)
    yield beyond(p, upper, distance)
    values = values_of(p)
    if values is not None:
        yield from _worst_of_values(p, distance, values)
        return
    for k in {min(last_below(p, upper + distance, closed=True), p.high - 1), p.high}:
        f = p.inner_value(k) - distance  # from the left: the output k is still too far
        if lower < f <= upper:
            yield Event(f, k, last_below(p, f - distance, closed=False))
    for k in {max(first_above(p, lower - distance, closed=True), p.low + 1), p.low}:
        f = p.inner_value(k) + distance  # from the right
        if lower <= f < upper:
            yield Event(f, first_above(p, f + distance, closed=False), k)


def _worst_of_values(p: SnappingParameters, distance: Fraction, values: ValueLattice) -> Iterator[Event]:
    """Yield the events of the values next to the places where an event jumps: planning (35)."""
    lower, upper = public_range(p)
    last = {min(last_below(p, upper + distance, closed=True), p.high - 1), p.high}
    first = {max(first_above(p, lower - distance, closed=True), p.low + 1), p.low}
    places = {values.last_before(p.inner_value(k) - distance) for k in last}
    places |= {values.first_after(p.inner_value(k) + distance) for k in first}
    for f in sorted(places):
        if lower <= f <= upper:
            yield beyond(p, f, distance)


def laplace_tail(t: Fraction, noise_scale: Fraction, bits: int) -> Enclosure:
    """Return P(Y >= t) = P(Y <= -t) of a Laplace variable."""
    half = exp_enclosure(-abs(t) / noise_scale, bits) * HALF
    return half if t >= 0 else 1 - half


def exact_chance(p: SnappingParameters, event: Event) -> Callable[[int], Enclosure]:
    """Return a function of the precision that encloses an event's probability in exact arithmetic: planning (1)."""
    if event.above <= event.below + 1:
        return lambda _: ONE

    def up(bits: int) -> Enclosure:
        if not p.low < event.above <= p.high:
            return ZERO if event.above > p.high else ONE
        return laplace_tail((event.above - HALF) * p.grid - event.value, p.noise_scale, bits)

    def down(bits: int) -> Enclosure:
        if not p.low <= event.below < p.high:
            return ZERO if event.below < p.low else ONE
        return laplace_tail(event.value - (event.below + HALF) * p.grid, p.noise_scale, bits)

    return lambda bits: up(bits) + down(bits)


def chance(p: SnappingParameters, event: Event) -> Callable[[int], Enclosure]:
    """Return a function of the precision that encloses the probability of an event as the mechanism computes it."""
    if p.precision is None:
        return exact_chance(p, event)
    from snapdp.mechanism.law.finite import FiniteLaw

    law = FiniteLaw(Inner(event.value), p)
    every = event.above <= event.below + 1
    total = ONE if every else law.upper_tail(event.above) + law.lower_tail(event.below + 1)
    return lambda _: total


def exceeds(compute: Callable[[int], Enclosure], level: Fraction) -> bool:
    """Return whether an enclosed probability is > level.

    Decided at some precision: a sum of exponentials with rational exponents, not all 0, is irrational
    (Lindemann-Weierstrass), and where all are 0 the enclosure is a point: planning (2). Where a term is too small to
    store and the level lies inside what is left, the answer is the safe one: yes.
    """
    decided = refine(compute, until=lambda e: e.lower > level or e.upper <= level or e.is_tiny)
    return decided.upper > level


def worst_exceeds(p: SnappingParameters, distance: Fraction, level: Fraction) -> bool:
    """Return whether P(|output - f| > distance) > level for some f of the range, in exact arithmetic."""
    return any(exceeds(exact_chance(p, event), level) for event in worst_events(p, distance))


def worst_chance(p: SnappingParameters, distance: Fraction) -> Enclosure:
    """Return sup over the range of P(|output - f| > distance), in exact arithmetic."""
    found = [refined(exact_chance(p, event), relative_bits=LEVEL_BITS) for event in worst_events(p, distance)]
    return Enclosure(max(e.lower for e in found), max(e.upper for e in found))


def value_chance(p: SnappingParameters, value: Fraction, distance: Fraction) -> Enclosure:
    """Return P(|output - value| > distance) as the mechanism computes it."""
    return refined(chance(p, beyond(p, value, distance)), relative_bits=LEVEL_BITS)
