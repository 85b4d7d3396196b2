"""Accuracy: the smallest a with P(|output - f| > a) <= alpha, for a guessed value or for every value of the range.

Room: accuracy. Three ways, by name: "tight" is the smallest that is true; "notes" and "simple" are the published
bounds. Without the clamp the tight one has a closed form; the clamp can only lower it, and whether it does is asked of
the at most six events of `tails`. At a guessed value the answer is the distance to some output, found by bisection. In
finite precision the worst case is taken at a level lowered by what rounding can add to a probability. A statistic that
has only the values of a lattice is asked there, and its accuracy is the distance of a value and an output.
Theory: docs/theory/planning.md, (3)-(8), (35).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from snapdp.accuracy.tails import (
    LEVEL_BITS,
    ValueLattice,
    beyond,
    chance,
    confidence,
    exact_level,
    exceeds,
    first_above,
    furthest_error,
    guess,
    last_below,
    public_range,
    ratio_to_exact,
    value_chance,
    values_of,
    worst_chance,
    worst_exceeds,
)
from snapdp.errors import ParameterError, PremiseError
from snapdp.exact import (
    HALF,
    NARROW_BITS,
    Enclosure,
    arcosh_of_exp,
    decided_ceil,
    enclose,
    exp_enclosure,
    ln_enclosure,
    parameter,
    refined,
    rounded_up,
)
from snapdp.mechanism import DataUnits, SnappingParameters

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
    return rounded_up(published_bound(method, logarithm, noise_scale=noise_scale, grid=grid).upper)


def published_bound(method: str, logarithm: Enclosure, *, noise_scale: Fraction, grid: Fraction) -> Enclosure:
    """Return the formula itself, given ln(1/alpha): planning (7), (8)."""
    return logarithm * noise_scale + (grid / 2 if method == "notes" else noise_scale)


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
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if worst_exceeds(p, phase + middle * unit, level) else (low, middle)
        return phase + high * unit

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
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if valid(first + direction * middle) else (middle, high)
    return first + direction * high
