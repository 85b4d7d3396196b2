"""How far a sum of independent noises goes: the radius of an adjusted number, and by which method it was found.

Which method serves is decided by public parameters alone: one noise has its exact law; a sum with up to
4096 laws is inverted from its characteristic function, within about two percent of the shortest; beyond that a bound
from four numbers of the sum serves, which is wider, and the answer says so. A clamp changes a number with a small
probability, which is taken off alpha once for every number that enters.
Theory: docs/theory/adjusted-tables.md, (14), (16), (18)-(31).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from operator import mul
from typing import Any, NamedTuple

from snapdp.accuracy.adjusted.noise import (
    NoiseTerm,
    SnappedNoise,
    Summand,
    exponent_reaching,
    hyperbolic_cosine,
    spacing_of,
    summands_of,
    tail_numbers,
)
from snapdp.accuracy.error import confidence
from snapdp.errors import ParameterError
from snapdp.exact.dyadic import HALF, floor_log2, least_above, power_of_two, round_up
from snapdp.exact.enclosure import Enclosure, decided_ceil
from snapdp.exact.functions import ln_enclosure
from snapdp.exact.integers import exp_scaled, floor_cos, floor_scaled, pi_scaled
from snapdp.exact.numbers import over_common, probability
from snapdp.mechanism.parameters import EXACT_GAMMA
from snapdp.values import Value

# The characteristic function of a sum of noises at the frequencies of a circle, in integers with a proved error
#
# Laid on a circle of circumference `period`, the law of a sum is given by its Fourier coefficients, and those of a sum
# are products: no table of the law is made, and a million equal noises cost twenty squarings. Every number here is an
# integer in units of 2**-width; what rounds does so by floors that are written down, so that repeating the steps gives
# the same integers. Frequencies that cannot matter are dropped from the top and accounted for.
#
#     E e^(i w step K) = 1 - cosh(x/2) sin^2(w step/2)/(sinh^2(x/2) + sin^2(w step/2))
#     E e^(i w Y) = 1/(1 + (scale w)^2)                                               theory (14), (20)-(26)

SIDE = 1024
FREQUENCIES = 2 * SIDE - 2  # the kernel has no others
_SQUARED = 22  # FREQUENCIES^2 < 2**22
EXACT_BITS = 128  # a product of all factors misses by at most 2**-EXACT_BITS
SPARE = 64  # a 64th of the level pays for the frequencies that are dropped


class CircleLaw(NamedTuple):
    """The law of S + V on a circle: kappa_n phi_n/n for the frequencies n = 1, 2, ... that are kept; theory (24).

    dropped  an upper bound of the sum of all others        width  both in units of 2**-width
    """

    kept: list[int]
    dropped: int
    width: int


@cache
def kernel() -> list[int]:
    """Return K_0, K_1, ...: the weights of Jackson's kernel, the square of Fejer's.        theory (21)"""
    return [math.comb(2 * SIDE + 1 - n, 3) - 4 * math.comb(max(SIDE + 1 - n, 0), 3) for n in range(FREQUENCIES + 1)]


def width_for(summands: Sequence[Summand]) -> int:
    """Return a width at which the product of all factors misses by at most 2**-128.        theory (23)"""
    return EXACT_BITS + sum(each.times * (_units_lost(each) + 1) for each in summands).bit_length()


def _units_lost(summand: Summand) -> int:
    """Return by how many units of 2**-width a factor may miss.        theory (22)"""
    y = summand.half_ratio
    steep = math.ceil((1 + y) / y**2) if y else 1
    return (steep << _SQUARED) + 2


def circle_law(summands: Sequence[Summand], *, period: Fraction, level: Fraction) -> CircleLaw:
    """Return the coefficients of the law on a circle, without those at the top that add up to a 64th of the level."""
    width = width_for(summands)
    one, weights = 1 << width, kernel()
    budget = math.floor(level * 3 / (2 * SPARE) * one)
    error = one >> EXACT_BITS
    products, dropped = [one] * FREQUENCIES, 0
    for each in summands:
        factors = _on_grid if each.half_ratio else _laplace
        products = _multiplied(products, factors(each, period, width, len(products)), each.times, width)
        while products:
            top = len(products)
            largest = weights[top] * (products[-1] + error) // (weights[0] * top) + 1
            if dropped + largest > budget:
                break
            dropped += largest
            products.pop()
    kept = [weights[n] * product // (weights[0] * n) for n, product in enumerate(products, 1)]
    return CircleLaw(kept, dropped, width)


def _multiplied(products: list[int], factors: list[int], times: int, width: int) -> list[int]:
    """Return product * factor^times for each pair; powers from the leading digit of times on, every product floored."""
    powers = factors
    for digit in bin(times)[3:]:
        powers = [power * power >> width for power in powers]
        if digit == "1":
            powers = [power * factor >> width for power, factor in zip(powers, factors, strict=True)]
    return [product * power >> width for product, power in zip(products, powers, strict=True)]


def _on_grid(summand: Summand, period: Fraction, width: int, frequencies: int) -> list[int]:
    """Return the factors of step K; cos(n t) = 2 cos(t) cos((n-1) t) - cos((n-2) t).        theory (22)"""
    one, shift = 1 << width, width - 1
    cosh, twice = hyperbolic_cosine(summand.half_ratio, width), 2 * _sinh_squared(summand.half_ratio, width)
    cosine = floor_cos(summand.step / period, width)
    before, now = one, cosine
    found = []
    for _ in range(frequencies):
        sine = one - now if now < one else 0  # 2 sin^2(n t/2)
        found.append(max(0, one - cosh * sine // (twice + sine)))
        before, now = now, (cosine * now >> shift) - before
    return found


def _laplace(summand: Summand, period: Fraction, width: int, frequencies: int) -> list[int]:
    """Return the factors of a Laplace variable.        theory (22)"""
    turns = (2 * summand.scale / period) ** 2

    def enclosed(bits: int) -> tuple[int, int]:
        low, high = pi_scaled(bits)
        return math.floor(low * low * turns) >> bits, -(math.floor(-high * high * turns) >> bits)

    square, one = floor_scaled(enclosed, width), 1 << width
    return [(one << width) // (one + square * n * n) for n in range(1, frequencies + 1)]


@lru_cache(maxsize=256)
def _sinh_squared(y: Fraction, bits: int) -> int:
    """Return the floor of 2**bits * sinh(y)^2 = 2**bits * (cosh(2y) - 1)/2."""

    def enclosed(width: int) -> tuple[int, int]:
        grown, shrunk, two = exp_scaled(2 * y, width), exp_scaled(-2 * y, width), 2 << width
        return (grown[0] + shrunk[0] - two) >> 2, -(-(grown[1] + shrunk[1] - two) >> 2)

    return floor_scaled(enclosed, bits)


# A radius from the characteristic function
#
# To the sum S an independent variable V is added, on a circle: its density is Jackson's kernel, with finitely many
# frequencies, so that the law of S + V is a finite sum, exactly. V is short, and where S lies further out than h and V
# is within its reach t, the sum of both lies further out than h - t:
#
#     P(|S| > h) <= P(S + V further out than h - t)/P(|V| <= t) + P(|S| >= period/2)        theory (20)
#
# The radius is one of 2**14 places on the circle, found by bisection, plus t; where all values of S are multiples of a
# number that is not smaller than the distance of two places, it is rounded down to one of them, which loses nothing.
# theory (20)-(28)

PLACES = 1 << 14  # on the circle
SMEAR = 13  # places that V moves S by at most, with probability >= KEPT
KEPT = Fraction(255, 256)
FAR = 256  # the sum leaves its circle with at most this part of the level
PERIOD_BITS = 8  # of the circumference: radii are short dyadic numbers
_UNCERTAIN = power_of_two(-100)  # all errors of rounding together: theory (25)
QUARTER = Fraction(1, 4)


@lru_cache(maxsize=1024)
def inverted_radius(summands: tuple[Summand, ...], *, level: Fraction) -> Fraction:
    """Return h with P(|S| > h) <= level, near the least one. Premise: 2**-64 <= level < 1."""
    period = period_of(summands, level=level)
    found = circle_law(summands, period=period, level=level)
    # the whole circle lies within its half
    high = least_above(-1, PLACES // 2, lambda k: holds(found, k, level=level))
    place = period / PLACES
    radius = min(high + SMEAR, PLACES // 2) * place
    spacing = spacing_of(summands)
    return spacing * math.floor(radius / spacing) if spacing >= place else radius


def period_of(summands: Sequence[Summand], *, level: Fraction) -> Fraction:
    """Return the circumference, rounded up to 8 bits: |S| reaches half of it with probability <= level/256."""
    width = width_for(summands)
    needed = 2 * tail_numbers(summands, width).reach(level / FAR)
    unit = power_of_two(floor_log2(needed) + 1 - PERIOD_BITS)
    return unit * math.ceil(needed / unit)


def holds(found: CircleLaw, place: int, *, level: Fraction) -> bool:
    """Tell whether P(S + V further out than a place) <= 255/256 of KEPT of the level is proved.        theory (26)"""
    outside = 1 - inside(found, place) + _UNCERTAIN + Fraction(2 * found.dropped, 3 << found.width)
    return outside <= KEPT * (1 - Fraction(1, FAR)) * level


def inside(found: CircleLaw, place: int) -> Fraction:
    """Return P(S + V within a place of 0), by the frequencies that are kept.        theory (24)

    2 j/J + (2/pi) sum over n of kappa_n phi(n)/n sin(2 pi n j/J),   j = place, J = PLACES
    """
    width = found.width
    cosine, now = floor_cos(Fraction(place, PLACES), width), floor_cos(Fraction(place, PLACES) - QUARTER, width)
    before = total = 0
    for coefficient in found.kept:
        total += coefficient * now
        before, now = now, (cosine * now >> (width - 1)) - before
    return Fraction(2 * place, PLACES) + Fraction(2 * _inverse_pi(width) * total, 1 << (3 * width))


@lru_cache(maxsize=64)
def _inverse_pi(bits: int) -> int:
    """Return the floor of 2**bits/pi."""

    def enclosed(width: int) -> tuple[int, int]:
        low, high = pi_scaled(width)
        return (1 << 2 * width) // high, -(-(1 << 2 * width) // low)

    return floor_scaled(enclosed, bits)


# A radius from four numbers of a sum: wider than need be, and found at once whatever the sum is made of
#
# The noise with the largest scale is taken out: by itself it decides how far the sum goes where it is much larger than
# the others, and its tail is known. All others enter by their variance and their largest scale. Any exponent gives a
# bound that holds; the best of 48 is taken, in rationals, and rounded up. theory (16), (18), (19)

COSH_BITS = 64
RATIO_BITS = 32
RADIUS_BITS = 24
LN_2 = Fraction(9, 13)  # below ln 2: e^9 < 2^13
EXPONENTS = [Fraction(k, 8) * power_of_two(-i) for i in range(12) for k in (8, 7, 6, 5)]  # in units of 1/scale


class SumNumbers(NamedTuple):
    """What the wide bound needs of a sum of noises.

    scale, half_ratio  of the noise with the largest scale, one of them        second  the largest scale of the others
    rest               2 sum of times cosh(x/2) scale^2 of the others, cosh rounded up
    """

    scale: Fraction
    half_ratio: Fraction
    second: Fraction
    rest: Fraction


def cosh_up(half_ratio: Fraction) -> Fraction:
    """Return cosh(x/2), rounded up at 2**-64."""
    grown = hyperbolic_cosine(half_ratio, COSH_BITS) + (1 if half_ratio else 0)
    return Fraction(grown, 1 << COSH_BITS)


def sum_numbers(summands: Sequence[Summand]) -> SumNumbers:
    """Return the four numbers of a sum."""
    scales = sorted(((s.scale, s.half_ratio) for s in summands for _ in range(min(s.times, 2))), reverse=True)
    scale, half_ratio = scales[0]
    total = sum((2 * s.times * cosh_up(s.half_ratio) * s.scale**2 for s in summands), Fraction(0))
    rest = total - 2 * cosh_up(half_ratio) * scale**2
    return SumNumbers(scale, half_ratio, scales[1][0] if len(scales) > 1 else Fraction(0), rest)


def wide_radius(numbers: SumNumbers, *, level: Fraction) -> Fraction:
    """Return h with P(|S| >= h) <= level.        theory (19)

    h = b (y - 9/13 + min over a of L/a + w a g((r a)^2)/2),   w = rest/b^2 and r = second/b rounded up to 32 bits
    """
    scale = numbers.scale
    reached = exponent_reaching(2 / level)
    width, ratio = (_rounded_up(each) for each in (numbers.rest / scale**2, numbers.second / scale))
    least = None
    for a in (each for each in EXPONENTS if ratio * each < 1):
        found = reached / a + width * a * growth((ratio * a) ** 2) / 2
        if least is not None and found >= least:
            break  # it is convex in a: nothing smaller follows
        least = found
    assert least is not None, "the first noise is the largest"
    return round_up(scale * (numbers.half_ratio - LN_2 + least), RADIUS_BITS)


def growth(q: Fraction) -> Fraction:
    """Return g >= -ln(1 - q)/q, 0 <= q < 1: 1/(4 (1 - q)) + 3/(4 (1 - q/3)).        theory (19)"""
    return (6 - 5 * q) / ((1 - q) * (6 - 2 * q))


def _rounded_up(x: Fraction) -> Fraction:
    return round_up(x, RATIO_BITS) if x else x


MOST_LAWS = 4096
LEAST_LEVEL = power_of_two(-63)
_LOG_UNITS = 1 << 20


class Radius(Value):
    """P(|sum| > radius) <= alpha.

    method  "exact": the law of one noise; "inverted": near the least; "bounded": valid and wider than need be
    """

    radius: Fraction
    alpha: Fraction
    method: str


def radius_of(terms: Iterable[NoiseTerm], *, alpha: Any, gamma: Any = EXACT_GAMMA) -> Radius:
    """Return a radius that the sum of terms exceeds with probability at most alpha, clamps included.

    gamma  probability with which the clamp changes one number: the default is that of releases
    A sum of noises is symmetric: each of its two sides exceeds the radius with probability at most alpha/2.

    >>> from snapdp.accuracy.adjusted.noise import count_noise
    >>> mean = NoiseTerm(coefficient=Fraction(1, 2), noise=count_noise(epsilon="0.1"), count=2)
    >>> found = radius_of([mean], alpha="0.05")
    >>> float(found.radius), found.method
    (20.5, 'inverted')
    """
    given = [each for each in terms if each.coefficient and each.count]
    asked = confidence(alpha)
    level = level_for(asked, sum(each.count for each in given), probability(gamma, name="gamma"))
    method, radius = _radius(tuple(summands_of(given)), level)
    # a value off the grid: its Laplace variable is moved by at most half a grid, theory (31)
    moved = sum((abs(t.coefficient) * t.count * t.noise.grid * HALF for t in given if not t.noise.on_grid), Fraction(0))
    return Radius(radius=radius + moved, alpha=asked, method=method)


def bounded_radius(numbers: SumNumbers | None, *, entering: int, alpha: Any) -> Radius:
    """Return a radius from four numbers of a sum into which so many measured numbers enter, clamps included.

    numbers  None where nothing is random
    """
    asked = confidence(alpha)
    if numbers is None:
        return Radius(radius=Fraction(0), alpha=asked, method="exact")
    level = level_for(asked, entering, EXACT_GAMMA)
    return Radius(radius=wide_radius(numbers, level=level), alpha=asked, method="bounded")


def variance_of(terms: Iterable[NoiseTerm]) -> Enclosure:
    """Return the variance of a sum of terms, added up in integers over one denominator."""
    listed = list(terms)
    numerators, common = over_common(term.coefficient for term in listed)
    squares: Counter[SnappedNoise] = Counter()
    for term, numerator in zip(listed, numerators, strict=True):
        squares[term.noise] += term.count * numerator**2

    def added(ends: Iterable[Fraction]) -> Fraction:
        each, unit = over_common(ends)
        return Fraction(sum(map(mul, squares.values(), each)), unit * common**2)

    return Enclosure(added(n.variance.lower for n in squares), added(n.variance.upper for n in squares))


def level_for(alpha: Fraction, numbers: int, gamma: Fraction) -> Fraction:
    """Return what is left of alpha for the noise once every clamp has its share: theory (30)."""
    level = alpha - numbers * gamma
    least = max(2 * numbers * gamma, LEAST_LEVEL)
    if alpha < least:
        raise ParameterError(
            f"alpha = {alpha} is too small for a sum of {numbers} measured numbers.",
            f"Their clamps alone may take {numbers} times {gamma}: give alpha >= {least}.",
            alpha=alpha,
        )
    return level


def _radius(summands: tuple[Summand, ...], level: Fraction) -> tuple[str, Fraction]:
    if not summands:
        return "exact", Fraction(0)
    if len(summands) == 1 and summands[0].times == 1:
        return "exact", _exact_radius(summands[0], level)
    if none_moves(summands, level=level):
        return "inverted", Fraction(0)
    if len(summands) <= MOST_LAWS:
        return "inverted", inverted_radius(summands, level=level)
    return "bounded", wide_radius(sum_numbers(summands), level=level)


def none_moves(summands: Sequence[Summand], *, level: Fraction) -> bool:
    """Tell whether all noises are 0 but with probability level: where noise is that short no circle resolves it.

    P(K /= 0) = e^-y <= 2^-y, for each of M noises; decided in whole numbers.        theory (28a)
    """
    numbers = sum(each.times for each in summands)
    least = math.ceil(numbers / level).bit_length()
    return all(each.half_ratio >= least for each in summands)


def _exact_radius(summand: Summand, level: Fraction) -> Fraction:
    """Return the least radius of one noise: P(|K| >= k) = e^(-(k - 1/2) x), P(|Y| > h) = e^(-h/scale).   theory (28)

    ln of a rational below 1 is irrational, so the ceilings are decided. A Laplace radius is rounded up.
    """
    if summand.half_ratio:
        x = 2 * summand.half_ratio
        first = decided_ceil(lambda bits: ln_enclosure(1 / level, bits) / x + HALF)  # that is rare enough
        return summand.step * (max(first, 1) - 1)
    units = decided_ceil(lambda bits: ln_enclosure(1 / level, bits) * _LOG_UNITS)
    return summand.scale * Fraction(units, _LOG_UNITS)
