"""The law: enumeration of every draw at small p, brute-force sums, an independent second opinion, and its own rules."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import example, given, settings, strategies as st

import snapdp
from snapdp.errors import ParameterError
from snapdp.exact.dyadic import HALF, round_up
from snapdp.exact.enclosure import Enclosure, enclose
from snapdp.mechanism.finite_precision import explicit_parameters
from snapdp.mechanism.law.exact import ExactLaw
from snapdp.mechanism.law.law import law_of
from snapdp.mechanism.parameters import Inner, Precision
from tests.oracles.enumeration import enumerated_law

F = Fraction


PRECISIONS = [Precision.of(p) for p in (4, 5, 6, 7, 8)] + [
    Precision(uniform=4, logarithm=6, product=8),
    Precision(uniform=8, logarithm=4, product=5),
    Precision(uniform=2, logarithm=2, product=2),
]
SHAPES = [(F(10, 9), F(2), F(8)), (F(3, 4), F(1), F(3)), (F(5), F(1, 2), F(7, 2)), (F(1), F(1), F(5, 2))]


@pytest.mark.parametrize("precision", PRECISIONS, ids=str)
@pytest.mark.parametrize(("scale", "grid", "bound"), SHAPES, ids=str)
def test_the_law_of_the_p_bit_program_equals_enumeration_of_every_draw(precision, scale, grid, bound):
    p = explicit_parameters(noise_scale=round_up(scale, precision.product), grid=grid, bound=bound, precision=precision)
    for value in (F(0), bound, -bound, F(3, 7), F(-5, 4), grid / 2):
        law = law_of(p.clamped(Inner(value)), p)
        expected = enumerated_law(law.inner_value, p)
        found = {k: law.index_probability(k) for k in law.support}
        assert all(mass.is_exact for mass in found.values())
        assert {k: mass.lower for k, mass in found.items() if mass.lower} == expected
        assert sum(mass.lower for mass in found.values()) == 1
        for k in law.support:
            assert law.index_cdf(k).lower == sum(found[i].lower for i in law.support if i <= k)


@pytest.mark.parametrize("bits", [4, 8])
def test_moments_of_the_p_bit_law_are_the_sums_over_its_probabilities(bits):
    p = explicit_parameters(noise_scale=F(5, 4), grid=F(1), bound=F(7, 2), precision=Precision.of(bits))
    law = law_of(Inner(F(3, 7)), p)
    rows = law.table()
    mean = sum(row.probability.lower * row.value for row in rows)
    mse = sum(row.probability.lower * (row.value - law.value) ** 2 for row in rows)
    assert law.mean == enclose(mean)
    assert law.bias == enclose(mean - law.value)
    assert law.mse == enclose(mse)
    assert law.variance == enclose(mse - (mean - law.value) ** 2)


EXACT_CASES = [
    {"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 10, "grid": "natural", "clamp": "range"},
    {"epsilon": "0.5", "sensitivity": 1, "lower": 500, "upper": 520, "clamp": "range"},
    {"epsilon": "0.7", "sensitivity": "72/1000", "lower": -10, "upper": 30, "grid": 1},
    {"epsilon": 2, "sensitivity": 10, "lower": "-1/3", "upper": "1/7", "grid": "1/8", "clamp": "range"},
]


@pytest.mark.parametrize("case", EXACT_CASES, ids=str)
@pytest.mark.parametrize("where", [F(0), F(1, 3), F(1, 2), F(1)])
def test_the_exact_law_agrees_with_mpmath_and_with_brute_force_sums(case, where):
    m = snapdp.Snapping(**case)
    p = m.parameters
    law = m.law(p.lower + where * (p.upper - p.lower))
    rows = law.table()
    total = sum((row.probability for row in rows), enclose(0))
    assert 1 in total
    assert total.width < F(1, 10**25)
    mean = sum((row.probability * row.value for row in rows), enclose(0))
    mse = sum((row.probability * (row.value - law.value) ** 2 for row in rows), enclose(0))
    assert overlap(mean, law.mean)
    assert overlap(mse, law.mse)
    assert overlap(mse - (mean - law.value) * (mean - law.value), law.variance)
    with mpmath.workprec(300):
        for row in rows[:: max(1, len(rows) // 40)]:
            reference = _reference_mass(law, row.index)
            assert contains_real(row.probability, reference), row.index
            assert row.probability.width <= row.probability.lower / 2**90


def _reference_mass(law, k):
    """The mass of a cell from the Laplace distribution function, at 300 bits."""

    def cdf(x):
        e = mpmath.exp(-abs(x)) / 2
        return e if x < 0 else 1 - e

    p, f = law.parameters, law.inner_value

    def at(j):
        b = ((j - HALF) * p.grid - f) / p.noise_scale
        return cdf(mpmath.mpf(b.numerator) / b.denominator)

    upper = mpmath.mpf(1) if k == p.high else at(k + 1)
    return upper - (0 if k == p.low else at(k))


def contains_real(e: Enclosure, x) -> bool:
    slack = mpmath.mpf(2) ** -280
    lower, upper = (mpmath.mpf(end.numerator) / end.denominator for end in (e.lower, e.upper))
    return lower - slack <= x <= upper + slack


def overlap(a: Enclosure, b: Enclosure) -> bool:
    return a.lower <= b.upper and b.lower <= a.upper


def test_the_average_mse_over_the_phase_of_the_grid_is_two_lambda_squared_plus_a_twelfth_of_the_grid_squared():
    m = snapdp.Snapping(epsilon=1, sensitivity=1, lower=-64, upper=64, grid=1)
    phases = 256
    # The midpoint rule on a smooth periodic function converges at second order at least; the rest is below 1/phases**2.
    total = sum((m.law(F(2 * i + 1, 2 * phases) - HALF).mse for i in range(phases)), enclose(0)) / phases
    assert abs(total.lower - (2 + F(1, 12))) < F(1, phases**2)


@pytest.mark.parametrize("bound", ["2.7", "2.2", "0.4", "3"])
@pytest.mark.parametrize("value", ["0", "2.6", "-2.7", "2.2", "0.3"])
def test_moments_are_right_where_the_clamp_cuts_a_step(bound, value):
    p = explicit_parameters(noise_scale=F(1), grid=F(1), bound=F(bound), precision=None)
    law = law_of(p.clamped(Inner(F(value))), p)
    mean = sum((row.probability * row.value for row in law.table()), enclose(0))
    mse = sum((row.probability * (row.value - law.value) ** 2 for row in law.table()), enclose(0))
    assert overlap(mean, law.mean)
    assert overlap(mse, law.mse)
    assert law.mean.width < F(1, 10**20)


def test_bias_at_the_clamp_is_what_the_published_example_says():
    m = snapdp.Snapping(epsilon=1, sensitivity=1, lower=-10, upper=10, grid=1, clamp="range")
    assert float(m.law(10).bias) == pytest.approx(-0.480, abs=5e-4)
    assert m.law(0).bias.lower <= 0 <= m.law(0).bias.upper


@settings(max_examples=60, deadline=None)
@given(value=st.fractions(min_value=-10, max_value=30), q=st.fractions(min_value=0, max_value=1))
@example(value=F(1, 2), q=F(1, 2))
@example(value=F(0), q=F(0))
@example(value=F(0), q=F(1))
def test_a_quantile_is_the_least_index_whose_cdf_reaches_the_level(value, q):
    m = snapdp.Snapping(epsilon="0.7", sensitivity=1, lower=-10, upper=30, grid=1)
    law = m.law(value)
    k = law.quantile_index(q)
    assert law.index_cdf(k).upper >= q
    assert k == m.parameters.low or law.index_cdf(k - 1).lower < q


def test_a_tie_at_the_median_is_decided_exactly():
    m = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=10, grid=1)
    law = m.law(HALF)  # the breakpoint between 0 and 1: P(index <= 0) is exactly one half
    assert law.index_cdf(0) == enclose(HALF)
    assert law.quantile_index(HALF) == 0


def test_a_law_over_two_to_the_fifty_indices_is_lazy():
    m = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=2**20, grid=F(1, 2**29))
    law = m.law(2**19 + F(1, 3))
    assert len(law.support) > 2**48
    assert float(law.mse) == pytest.approx(2, rel=1e-9)
    assert float(law.quantile("0.975") - law.quantile("0.025")) == pytest.approx(2 * math.log(20), rel=1e-6)
    assert law.index_probability(law.quantile_index("0.5")).lower > 0
    with pytest.raises(ParameterError, match="window"):
        law.table()


def test_a_wide_p_bit_law_encloses_its_moments_near_the_exact_ones():
    fine = snapdp.FinitePrecision(bits=160)
    m = snapdp.Snapping(epsilon=1, sensitivity=1, lower=-(2**20), upper=2**20, grid="1/16", arithmetic=fine)
    law, exact = m.law(1000), ExactLaw(m.parameters.inner(1000), m.parameters)
    assert not law.mse.is_exact
    assert overlap(law.mse, exact.mse)
    assert law.mse.width < F(1, 10**25)
    assert law.bias.width < F(1, 10**20)


def test_the_law_quantises_and_clamps_like_the_release():
    m = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=10, step="1/10", grid=1)
    assert m.law(0.30000000000000004).value == F(3, 10)
    assert m.law(1e300).value == 10
    assert m.law(-math.inf).value == 0


def test_levels_outside_zero_to_one_are_refused():
    law = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=10).law(5)
    for q in (-1, "1.5"):
        with pytest.raises(ParameterError, match="q ="):
            law.quantile_index(q)


# In data units


@pytest.mark.parametrize("arithmetic", [None, snapdp.FinitePrecision(bits=53)], ids=["exact", "finite"])
def test_data_units_and_indices_say_the_same_of_every_output(arithmetic):
    m = snapdp.Snapping(epsilon=1, sensitivity="0.3", lower=500, upper="501.7", grid="1/4", arithmetic=arithmetic)
    p, law = m.parameters, m.law("500.9")
    for k in range(max(p.low, law.centre - 40), min(p.high, law.centre + 40) + 1):
        for x in (p.data_value(k), p.released(k)):
            assert law.probability(x) == law.index_probability(k)
            assert law.cdf(x) == law.index_cdf(k)
            assert law.probability(x, x) == law.probability(x)
        between = p.data_value(k) + p.data_grid / 3
        assert law.probability(between).upper == 0
        assert law.cdf(between) == law.index_cdf(k)
        q = law.index_cdf(k).upper
        assert law.quantile(q) == p.data_value(law.quantile_index(q))
    assert law.cdf(-math.inf).upper == 0 == law.probability(10**9, math.inf).upper
    assert law.cdf(math.inf) == law.probability(-math.inf, math.inf) == enclose(1)


@settings(max_examples=60, deadline=None)
@given(ends=st.tuples(st.fractions(-3, 9), st.fractions(-3, 9)), value=st.fractions(0, 6))
@example(ends=(F(0), F(6)), value=F(0))
@example(ends=(F(1, 2), F(2)), value=F(6))
def test_the_probability_of_an_interval_is_the_sum_over_its_outputs(ends, value):
    lower, upper = sorted(ends)
    law = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=6, grid="1/2", clamp=(-2, 8)).law(value)
    inside = [row.probability for row in law.table() if lower <= row.value <= upper]
    assert overlap(law.probability(lower, upper), sum(inside, enclose(0)))
    assert law.probability(lower, upper).width < F(1, 10**20)


def test_a_double_is_the_number_it_stores_and_a_text_what_it_says():
    law = snapdp.Snapping(epsilon=100, sensitivity=1, lower=0, upper=F(1, 8), grid=F(1, 2**55), clamp="range").law(
        "0.1"
    )
    stored = 0.1  # a multiple of 2**-55, and no tenth
    assert law.cdf(stored) != law.cdf(stored - 2.0**-55)
    assert law.probability(stored, stored).upper > 0 == law.probability("0.1").upper


def test_ends_that_make_no_sense_are_refused():
    law = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=10).law(5)
    with pytest.raises(ParameterError, match="lower is above upper"):
        law.probability(3, 2)
    with pytest.raises(ParameterError, match="x is not a number"):
        law.cdf(math.nan)
    with pytest.raises(ParameterError, match="q ="):
        law.quantile(2)


def test_laws_of_one_value_are_equal():
    m = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=10)
    assert m.law(5) == m.law("5")
    assert hash(m.law(5)) == hash(m.law(5.0))
    assert m.law(5) != m.law(6)
    assert m.law(5) != snapdp.Snapping(epsilon=2, sensitivity=1, lower=0, upper=10).law(5)
    assert repr(m.law(5)) == "Law(value=5, outputs -111/4 to 151/4 in steps of 1/16, exact)"
