"""Moments: sums over the law, the closed form without a clamp, and the range of the bias over every value."""

from __future__ import annotations

import mpmath
import pytest

import snapdp
from snapdp.accuracy.moments import bias, bias_range, expected_absolute_error, expected_bias, mse, variance
from snapdp.errors import BoundError, ParameterError
from snapdp.exact.enclosure import enclose
from snapdp.mechanism.finite_precision import explicit_parameters
from snapdp.mechanism.law.law import law_of
from snapdp.mechanism.parameters import Inner, Precision
from tests.tiers import one_in
from tests.unit.accuracy.brute import F, overlap, parameters, walk

CASES = [
    {"epsilon": 1, "sensitivity": 1, "lower": -10, "upper": 10, "grid": 1, "clamp": "range"},
    {"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 10, "grid": 2},
    {"epsilon": "0.7", "sensitivity": 1, "lower": 500, "upper": 520, "clamp": "range"},
    {"epsilon": 1, "sensitivity": 1, "lower": "0.3", "upper": "0.6", "grid": 16, "clamp": "range"},
    {"epsilon": "0.3", "sensitivity": "1/3", "lower": "-1/7", "upper": "5/3", "grid": "natural", "clamp": (-4, 2)},
]


def expectation(p, f, h):
    """Sum h over the table of the law at an inner value; inner units."""
    law = law_of(Inner(f), p)
    return sum((law.index_probability(k) * h(p.inner_value(k)) for k in law.support), enclose(0))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_moments_are_the_sums_over_the_law(case):
    p = parameters(**case)
    for f in walk(p, 5):
        assert overlap(bias(p, f), expectation(p, f, lambda v, f=f: v - f))
        assert overlap(mse(p, f), expectation(p, f, lambda v, f=f: (v - f) ** 2))
        absolute = expected_absolute_error(p, f)
        assert overlap(absolute, expectation(p, f, lambda v, f=f: abs(v - f)))
        assert absolute.width <= absolute.lower / 2**64
        size = abs(bias(p, f))
        assert overlap(variance(p, f) + size * size, mse(p, f))


def test_the_mean_absolute_error_counts_an_end_of_the_clamp_off_the_grid_where_it_is():
    for bound in ("2.7", "2.3"):
        p = explicit_parameters(noise_scale=F(1), grid=F(1), bound=F(bound), precision=None)
        for f in walk(p, 9):
            assert overlap(expected_absolute_error(p, f), expectation(p, f, lambda v, f=f: abs(v - f)))


@pytest.mark.parametrize("bits", [8, 53])
def test_in_finite_precision_the_mean_absolute_error_is_exact(bits):
    p = explicit_parameters(noise_scale=F(5, 4), grid=F(1), bound=F(7, 2), precision=Precision.of(bits))
    for f in walk(p, 6):
        assert expected_absolute_error(p, f) == expectation(p, f, lambda v, f=f: abs(v - f))


def test_a_wide_p_bit_mechanism_encloses_its_mean_absolute_error():
    p = parameters(
        epsilon=1,
        sensitivity=2,
        lower=-(2**20),
        upper=2**20,
        grid="1/16",
        arithmetic=snapdp.FinitePrecision(bits=160),
    )
    found = expected_absolute_error(p, 1000)
    assert float(found) == pytest.approx(2, rel=1e-3)  # lam (1 - x^2/24 + ...), x = 1/16
    assert found.width < F(1, 10**20)


def near(e, x):
    """Return whether x lies in an enclosure, up to what a clamp 199 noise scales away can do: 500**2 e^-199."""
    slack = mpmath.mpf(2) ** -190  # more than that, and than what 200 bits of mpmath lose
    lower, upper = (mpmath.mpf(end.numerator) / end.denominator for end in (e.lower, e.upper))
    return lower - slack <= x <= upper + slack


@pytest.mark.parametrize("grid", ["1/4", 1, 2])
def test_far_from_the_clamp_bias_and_mse_have_the_closed_forms_of_the_theory(grid):
    p = parameters(epsilon=1, sensitivity=1, lower=-200, upper=200, grid=grid)
    g = mpmath.mpf(F(grid).numerator) / F(grid).denominator
    with mpmath.workprec(200):
        for i in range(-4, 5):
            r = F(i, 8) * F(grid)
            s = mpmath.mpf(r.numerator) / r.denominator
            expected = g / 2 * mpmath.sinh(s) / mpmath.sinh(g / 2) - s
            square = (
                g**2 * mpmath.cosh(s) * mpmath.cosh(g / 2) / (2 * mpmath.sinh(g / 2) ** 2)
                - s * g * mpmath.sinh(s) / mpmath.sinh(g / 2)
                + s**2
            )
            assert near(bias(p, r), expected)
            assert near(mse(p, r), square)


@pytest.mark.parametrize("case", one_in(3, CASES), ids=str)
def test_the_range_of_the_bias_holds_for_every_value_and_is_attained(case):
    p = parameters(**case)
    found = bias_range(p)
    sampled = [bias(p, f) for f in walk(p, 400)]
    assert found.lower <= min(e.lower for e in sampled)
    assert max(e.upper for e in sampled) <= found.upper
    # Between neighbours of the walk the bias changes by at most its slope, |P z + Q/z|/lam + 1 <= coth(x/2) x/2 + 1,
    # times the step: coth(x/2) x/2 <= 1 + x/2.
    x = p.grid / p.noise_scale
    reach = (2 + x / 2) * (p.upper - p.lower) / 400
    assert min(e.upper for e in sampled) - reach <= found.lower
    assert max(e.lower for e in sampled) + reach >= found.upper


def test_the_extreme_bias_is_found_between_the_values_of_a_walk():
    p = parameters(epsilon=1, sensitivity=1, lower=0, upper=64, grid=2)
    with mpmath.workprec(150):
        # Without clamp: (g/2) sinh(r)/sinh(1) - r with g = 2 is least where cosh(r) = sinh(1).
        r = mpmath.acosh(mpmath.sinh(1))
        extreme = r - mpmath.sinh(r) / mpmath.sinh(1)
        found = bias_range(p)
        assert mpmath.mpf(float(found.upper)) == pytest.approx(extreme, rel=1e-9)
        assert mpmath.mpf(float(found.lower)) == pytest.approx(-extreme, rel=1e-9)


def test_the_range_of_the_bias_is_cheap_over_two_to_the_fiftieth_cells():
    p = parameters(epsilon=1, sensitivity=1, lower=0, upper=2**20, grid=F(1, 2**29))
    found = bias_range(p)
    assert p.high - p.low > 2**48
    # The wide clamp takes off e^(-40 ln 2)/2 noise scales at an end; the periodic part is smaller still.
    assert 0 < found.upper < F(1, 2**40)
    assert found.lower == -found.upper


def test_on_a_grid_far_above_the_noise_every_value_goes_to_the_nearest_output():
    p = parameters(epsilon=1, sensitivity=1, lower=0, upper=2**20, grid=2**30)
    found = bias_range(p)
    assert found.lower <= -(2**20) <= found.lower * (1 - F(1, 10**9))
    assert 0 <= found.upper < F(1, 2**60)


@pytest.mark.parametrize("bits", [53, 118])
def test_in_finite_precision_the_range_of_the_bias_covers_the_p_bit_law(bits):
    p = parameters(epsilon="0.5", sensitivity=2, lower=0, upper=9, grid=1, arithmetic=snapdp.FinitePrecision(bits=bits))
    found = bias_range(p)
    for f in walk(p, 40):
        at = bias(p, p.offset + p.unit * f)
        assert found.lower <= at.lower <= at.upper <= found.upper


def test_bias_at_the_clamp_is_what_the_theory_says_and_not_always_toward_zero():
    p = parameters(epsilon=1, sensitivity=1, lower=-10, upper=10, grid=1, clamp="range")
    assert float(bias(p, 10)) == pytest.approx(-0.480, abs=5e-4)
    assert bias(p, "0.6").lower > 0  # away from 0: rounding pulls to 1
    assert bias_range(p).lower == -bias_range(p).upper


def test_a_guess_outside_the_public_range_is_refused():
    p = parameters(**CASES[0])
    for moment in (bias, variance, mse, expected_absolute_error):
        with pytest.raises(BoundError, match="public range"):
            moment(p, 11)


def test_the_expected_bias_is_the_weighted_mean_of_the_biases():
    p = parameters(**CASES[0])
    at = {f: bias(p, f) for f in (-10, "0.6", 7, 10)}
    weighted = (at[-10] * 3 + at["0.6"] * F(1, 2) + at[7] * 0) / F(7, 2)
    assert overlap(expected_bias(p, {-10: 3, "0.6": "1/2", 7: 0}), weighted)
    assert not overlap(expected_bias(p, {-10: 3, "0.6": "1/2", 7: 1}), weighted)
    assert overlap(expected_bias(p, [-10, 7, 7]), (at[-10] + at[7] * 2) / 3)
    assert 0 in expected_bias(p, (-10, 10))
    assert expected_bias(p, iter(["0.6"])) == at["0.6"]


@pytest.mark.parametrize("guesses", [[], {}, {1: 0}, {1: 1, 2: -1}, {1: float("nan")}, "12", 5])
def test_guesses_without_weight_are_refused(guesses):
    with pytest.raises(ParameterError):
        expected_bias(parameters(**CASES[0]), guesses)
    with pytest.raises(BoundError, match="public range"):
        expected_bias(parameters(**CASES[0]), [0, 11])
