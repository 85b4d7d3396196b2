"""Laplace beside snapping: the four cases draw by draw, exact tails against a sum over cells, and the price."""

from __future__ import annotations

import math

import mpmath
import pytest

import snapdp
from snapdp.accuracy.error import accuracy
from snapdp.accuracy.price import distance, distance_tail, phase_average_mse, price_of_snapping, price_table
from snapdp.errors import ParameterError
from snapdp.exact.dyadic import HALF
from snapdp.exact.enclosure import Enclosure
from snapdp.mechanism.finite_precision import explicit_parameters
from tests.tiers import one_in
from tests.unit.accuracy.brute import F, parameters

MECHANISMS = [
    {"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 10, "grid": 1, "clamp": "range"},
    {"epsilon": "0.7", "sensitivity": 1, "lower": -3, "upper": 4, "grid": 2, "clamp": (-9, 6)},
    {"epsilon": 2, "sensitivity": 1, "lower": "0.3", "upper": "2.2", "grid": "1/4", "clamp": (0, 4)},
]
VALUES = ["-1.3", 0, "0.3", "1.25", 2, "3.99", 10, "12.5"]  # inside and outside the public ranges


def mpf(x):
    return mpmath.mpf(x.numerator) / x.denominator


def contains(e: Enclosure, x) -> bool:
    slack = mpmath.mpf(2) ** -180  # mpmath works with 200 bits
    return mpf(e.lower) - slack <= x <= mpf(e.upper) + slack


def cdf(t, scale):
    e = mpmath.exp(-abs(mpf(t)) / mpf(scale)) / 2
    return e if t < 0 else 1 - e


def tail_over_cells(p, f, z):
    """P(|f + Y - snapped| > z): in each cell of c + Y, c the clamped value, the draws that leave more than z."""
    c = p.clamped(f)
    total = mpmath.mpf(0)
    for k in range(p.low, p.high + 1):
        left = F(-(10**6)) if k == p.low else (k - HALF) * p.grid
        right = F(10**6) if k == p.high else (k + HALF) * p.grid
        near_left, near_right = (p.inner_value(k) - (f - c) + s * z for s in (-1, 1))
        for a, b in ((left, min(right, near_left)), (max(left, near_right), right)):
            if a < b:
                total += cdf(b - c, p.noise_scale) - cdf(a - c, p.noise_scale)
    return total


@pytest.mark.parametrize("case", MECHANISMS, ids=str)
@pytest.mark.parametrize("value", VALUES)
def test_tails_of_the_distance_equal_the_sum_over_all_cells(case, value):
    p = parameters(**case)
    with mpmath.workprec(200):
        for z in (F(0), F(1, 16), F(1, 3), F(1, 2), F(1), F("2.6"), F(7)):
            assert contains(distance_tail(p, value, distance=z), tail_over_cells(p, F(value), z))


def test_an_end_of_the_clamp_off_the_grid_is_counted_where_it_is():
    p = explicit_parameters(noise_scale=F(1), grid=F(1), bound=F("2.3"), precision=None)
    with mpmath.workprec(200):
        for value in ("-2.3", "0.4", 2):
            for z in (F(1, 3), F(1, 2), F(3)):
                assert contains(distance_tail(p, value, distance=z), tail_over_cells(p, F(value), z))


@pytest.mark.parametrize("case", MECHANISMS, ids=str)
@pytest.mark.parametrize("value", VALUES)
def test_draw_by_draw_the_distance_obeys_its_case(case, value):
    p, f = parameters(**case), F(value)
    found = distance(p, value)
    c = p.clamped(f)
    assert [case.number for case in found.cases] == ([1, 3] if c == f else [2, 4])
    assert found.cases[0].bound == found.bound == abs(f - c) + p.grid / 2
    assert found.cases[1].bound is None
    for i in range(-300, 301):
        y = F(i, 23)
        rounded = math.floor((c + y) / p.grid + HALF) * p.grid
        snapped = min(max(rounded, p.end_lower), p.end_upper)
        if rounded == snapped:
            assert abs(f + y - snapped) <= found.bound


@pytest.mark.parametrize("case", MECHANISMS, ids=str)
@pytest.mark.parametrize("value", one_in(3, VALUES))
def test_the_probability_that_the_outer_clamp_binds_and_the_excess_it_causes(case, value):
    p = parameters(**case)
    found = distance(p, value)
    c = p.clamped(F(value))
    with mpmath.workprec(200):
        outside = 1 - cdf((p.high + HALF) * p.grid - c, p.noise_scale) + cdf((p.low - HALF) * p.grid - c, p.noise_scale)
        assert contains(found.cases[1].probability, outside)
        assert contains(found.cases[0].probability, 1 - outside)
    with mpmath.workprec(64):
        integral = mpmath.quad(
            lambda z: tail_over_cells(p, F(value), F(str(z))), [mpf(found.bound), mpf(found.bound) + 5, 60]
        )
        assert integral == pytest.approx(mpf(found.excess.lower), rel=1e-12)  # the rest beyond 60 is below e^-32 of it


def test_the_closed_forms_of_the_theory_for_a_symmetric_clamp():
    lam, grid, bound = F(3, 2), F(2), F(6)
    p = explicit_parameters(noise_scale=lam, grid=grid, bound=bound, precision=None)
    with mpmath.workprec(200):
        for f in (F(0), F("2.2"), F(-6)):
            for z in (grid / 2, F(4)):
                expected = mpmath.exp(-mpf(bound + z) / mpf(lam)) * mpmath.cosh(mpf(f) / mpf(lam))
                assert contains(distance_tail(p, f, distance=z), expected)
            excess = mpf(lam) * mpmath.exp(-mpf(bound + grid / 2) / mpf(lam)) * mpmath.cosh(mpf(f) / mpf(lam))
            assert contains(distance(p, f).excess, excess)


def test_a_distance_over_two_to_the_fiftieth_cells_needs_no_walk():
    p = parameters(epsilon=1, sensitivity=1, lower=0, upper=2**20, grid=F(1, 2**29))
    found = distance_tail(p, 1000, distance=F(1, 2**31))
    assert float(found) == pytest.approx(0.5, rel=1e-6)  # half of each cell lies within a quarter step of its middle
    with pytest.raises(ParameterError, match="distance >= 0"):
        distance_tail(p, 1000, distance=-1)


def test_the_price_of_a_fine_grid_is_at_most_one_and_a_half_percent_and_of_a_natural_one_seven_and_more():
    natural, fine = price_table()[::2], price_table()[1::2]
    assert max(row.accuracy_ratio for row in fine) < F("1.014")
    assert max(row.rmse_ratio for row in fine) < F("1.0003")
    assert F("1.06") < min(row.accuracy_ratio for row in natural)
    assert max(row.accuracy_ratio for row in natural) < F("1.23")
    assert F("1.02") < min(row.rmse_ratio for row in natural)
    assert max(row.rmse_ratio for row in natural) < F("1.07")


def test_the_price_is_the_ratio_of_the_errors_of_two_mechanisms():
    p = parameters(epsilon="0.5", sensitivity=3, lower=0, upper=1000, grid="natural")
    price = price_of_snapping(p)
    assert price == price_table(sensitivity=3, epsilons=["0.5"], grids=["natural"])[0]
    assert price.accuracy == accuracy(p)
    assert float(price.laplace_accuracy) == pytest.approx(6 * math.log(20), rel=1e-14)
    assert float(price.accuracy_ratio) == pytest.approx(float(price.accuracy / price.laplace_accuracy), rel=1e-14)
    assert float(price.laplace_rmse) == pytest.approx(6 * math.sqrt(2), rel=1e-14)
    assert phase_average_mse(noise_scale=F(6), grid=F(8)) == 72 + F(16, 3)
    assert float(price.rmse) == pytest.approx(math.sqrt(72 + 16 / 3), rel=1e-14)


def test_in_finite_precision_the_price_is_counted_against_the_epsilon_typed():
    declared = {"epsilon": "0.5", "sensitivity": 3, "lower": 0, "upper": 1000}
    exact = price_of_snapping(parameters(**declared, grid="natural"))
    finite = price_of_snapping(parameters(**declared, arithmetic=snapdp.FinitePrecision()))
    notes = price_of_snapping(parameters(**declared, arithmetic=snapdp.FinitePrecision(rule="notes")))
    assert finite.grid == 6  # 2 sensitivities; in exact arithmetic a power of two in data units, 8
    assert exact.grid == 8
    assert notes.grid == 12  # the noise scale is just above 2, so the notes' grid is 4
    assert finite.laplace_accuracy == exact.laplace_accuracy == notes.laplace_accuracy
    assert float(notes.accuracy / finite.accuracy) == pytest.approx(1.147, abs=5e-4)
    assert float((notes.rmse / finite.rmse) ** 2) == pytest.approx(1.12, abs=5e-3)
