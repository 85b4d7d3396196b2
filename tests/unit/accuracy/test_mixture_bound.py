"""The bound on sums of Laplace variables: its constants are proved, and it holds against laws in closed form."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from snapdp.accuracy.quantiles import EXPONENTS, radii, rounded_up, spread_factor
from snapdp.errors import ParameterError
from tests.tiers import one_in

LEVELS = [Fraction(1, 2), Fraction(1, 20), Fraction(1, 1000), Fraction(1, 10**9)]


def log_height(low, high, tau):
    """Return an upper bound of ln(erfc(1/sqrt(2u)) e^(-tau u)) where low <= u <= high: one rises, one falls."""
    return (1 / (2 * arb(high)).sqrt()).erfc().log() - arb(tau) * arb(low)


def is_proved(tau, bound):
    """Tell whether the bound holds for every u > 0, by a subdivision."""
    far = -bound / tau + 1  # erfc < 1 there, and tau u > -bound
    todo = [(0.0, far)]
    for low, high in todo:
        if bool(log_height(low, high, tau) <= arb(bound)):
            continue
        if high - low < 1e-9 * far:
            return False
        middle = (low + high) / 2
        todo += [(low, middle), (middle, high)]
        if len(todo) > 200_000:
            return False
    return True


@pytest.mark.parametrize(("tau", "bound"), one_in(4, EXPONENTS))
def test_every_constant_bounds_the_supremum(tau, bound):
    assert is_proved(tau, bound)


@pytest.mark.parametrize(("tau", "bound"), EXPONENTS)
def test_a_constant_that_is_a_little_smaller_is_no_bound(tau, bound):
    heights = (log_height(u, u, tau) for u in (k / 100 / math.sqrt(2 * tau) for k in range(20, 200)))
    assert any(bool(each > arb(bound - 0.003)) for each in heights)


def tail_of_equals(n, r):
    """Return P(|S| > r) of n standard Laplace variables, by partial fractions."""
    total = arb(0)
    for i in range(n):
        gamma = sum((arb(r) ** k / math.factorial(k) for k in range(n - i)), arb(0)) * (-arb(r)).exp()
        total += arb(math.comb(n - 1 + i, i)) / arb(2) ** (n + i) * gamma
    return 2 * total


def tail_of_different(scales, r):
    """Return P(|S| > r) of Laplace variables of different scales."""
    total = arb(0)
    for b in scales:
        others = (arb(b) ** 2 / (arb(b) ** 2 - arb(c) ** 2) for c in scales if c != b)
        total += math.prod(others, start=arb(1)) * (-arb(r) / arb(b)).exp()
    return total


def radius(scales, level):
    squares = sum(b**2 for b in scales)
    parts = (squares, sum(b**4 for b in scales), max(b**2 for b in scales))
    return float(radii(*(np.array([float(each)]) for each in parts), level=level)[0])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 20, 60])
def test_a_sum_of_equals_exceeds_its_radius_that_rarely(n, level):
    assert bool(tail_of_equals(n, radius([1] * n, level)) <= arb(level.numerator) / level.denominator)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("scales", [[1, 2], [1, 10], [3, 4, 5], [1, 2, 3, 4, 5, 6, 7, 8], [100, 1, 2, 3]])
def test_a_sum_of_different_ones_exceeds_its_radius_that_rarely(scales, level):
    assert bool(tail_of_different(scales, radius(scales, level)) <= arb(level.numerator) / level.denominator)


@pytest.mark.parametrize(("n", "most"), [(5, 1.09), (20, 1.03), (60, 1.02)])
def test_the_radius_is_near_the_shortest(n, most):
    level = Fraction(1, 20)
    shorter = radius([1] * n, level) / most
    assert bool(tail_of_equals(n, shorter) > arb(1) / 20)


def test_the_factor_grows_with_what_it_is_rounded_up_in():
    level = Fraction(1, 20)
    grown = [spread_factor(k, m, level) for k, m in [(0.01, 0.02), (0.02, 0.02), (0.02, 0.5), (0.5, 0.5), (1.0, 1.0)]]
    assert grown == sorted(grown)
    assert grown[0] > 1.95996  # of the normal law


def test_numbers_are_rounded_up_to_five_bits():
    given = np.array([1.0, 0.5, 0.3, 2.0**-30 * 1.01])
    assert rounded_up(given).tolist() == [1.0, 0.5, 0.3125, 2.0**-30 * (1 + 1 / 16)]


def test_a_level_beyond_the_list_is_refused():
    with pytest.raises(ParameterError, match="too small for an interval"):
        spread_factor(1.0, 1.0, Fraction(1, 1 << 300))
