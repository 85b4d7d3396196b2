"""How far a sum of independent noises goes: the radius of an adjusted number, and by which method it was found.

Room: accuracy. Which method serves is decided by public parameters alone: one noise has its exact law; a sum with up to
4096 laws is inverted from its characteristic function, within about two percent of the shortest; beyond that a bound
serves, which is wider, and the answer says so. A clamp changes a number with a small probability, which is taken off
alpha once for every number that enters.
Theory: docs/theory/adjusted-tables.md, (19), (27)-(31).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

from snapdp.accuracy.adjusted.inversion import inverted_radius
from snapdp.accuracy.adjusted.noise import NoiseTerm, SnappedNoise
from snapdp.accuracy.adjusted.summands import Summand, summands_of
from snapdp.accuracy.adjusted.wide import SumNumbers, sum_numbers, wide_radius
from snapdp.accuracy.tails import confidence
from snapdp.errors import ParameterError
from snapdp.exact import HALF, Enclosure, decided_ceil, ln_enclosure, over_common, power_of_two, probability
from snapdp.mechanism import EXACT_GAMMA
from snapdp.values import Value

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

    >>> from snapdp.accuracy import count_noise
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
