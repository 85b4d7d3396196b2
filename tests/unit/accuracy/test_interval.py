"""The noise interval: exact coverage of every value, the acceptance rule itself, near the clamp, both arithmetics."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

import snapdp
from snapdp.accuracy.error import accuracy, accuracy_at, unclamped_accuracy
from snapdp.accuracy.interval import noise_interval
from snapdp.errors import BoundError, ParameterError
from snapdp.mechanism.finite_precision import explicit_parameters
from snapdp.mechanism.law.law import law_of
from snapdp.mechanism.parameters import Inner, Precision
from tests.unit.accuracy.brute import F, parameters, walk

CASES = [
    {"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 10, "grid": "natural"},
    {"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 10, "grid": "natural", "clamp": "range"},
    {"epsilon": "0.8", "sensitivity": 1, "lower": 500, "upper": 503, "grid": "fine", "clamp": "range"},
    {"epsilon": "0.8", "sensitivity": 1, "lower": 500, "upper": "501.3", "grid": "fine", "gamma": "0.1"},
    {"epsilon": "0.7", "sensitivity": 1, "lower": "0.2", "upper": "9.7", "grid": 4, "clamp": (-4, 40)},
    {"epsilon": 3, "sensitivity": 1, "lower": "0.2", "upper": "0.9", "grid": 2, "clamp": "range"},
]


def all_intervals(p, alpha):
    return {k: noise_interval(p, index=k, alpha=alpha) for k in range(p.low, p.high + 1)}


def coverage(p, f, intervals):
    """Exact probability, rounded down, that the interval of the output holds an inner value: a sum over all outputs."""
    law = law_of(Inner(f), p)
    value = p.offset + p.unit * f
    missing = [k for k, interval in intervals.items() if not interval.lower <= value <= interval.upper]
    return 1 - sum(law.index_probability(k).upper for k in missing)


def ends(p, intervals):
    """The ends of the intervals and points just beside them, in inner units: where coverage is least."""
    lower, upper = p.inner(p.lower), p.inner(p.upper)
    places = {(e - p.offset) / p.unit for i in intervals.values() for e in (i.lower, i.upper)}
    return [f + s for f in places for s in (0, -p.grid / 2**40, p.grid / 2**40) if lower <= f + s <= upper]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("alpha", ["0.05", pytest.param("0.3", marks=pytest.mark.long), "0.7"])
def test_every_value_is_covered_with_at_least_one_minus_alpha(case, alpha):
    p = parameters(**case)
    intervals = all_intervals(p, alpha)
    for f in walk(p, 60) + ends(p, intervals):
        assert coverage(p, f, intervals) >= 1 - F(alpha)
    for interval in intervals.values():
        assert p.lower <= interval.lower <= interval.upper <= p.upper


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_interval_is_the_hull_of_the_values_that_accept_the_output(case):
    p, alpha = parameters(**case), F(1, 20)
    values = walk(p, 60)
    reach = {f: accuracy_at(p, f, alpha) for f in values}
    step = values[1] - values[0]
    for k, interval in all_intervals(p, alpha).items():
        accepted = [f for f in values if abs(p.inner_value(k) - f) <= reach[f]]
        if accepted:
            assert interval.lower <= min(accepted)
            assert max(accepted) <= interval.upper
        if interval.lower < interval.upper:  # and no wider: just inside an end that is no end of the range, f accepts
            inward = (interval.upper - interval.lower) / 10**9
            for f in (interval.lower + inward, interval.upper - inward):
                assert abs(p.inner_value(k) - f) <= accuracy_at(p, f, alpha)
        for f in (interval.lower - p.grid / 2**60, interval.upper + p.grid / 2**60):  # rounded outward, not inward
            assert not p.lower <= f <= p.upper or abs(p.inner_value(k) - f) > accuracy_at(p, f, alpha)
        if interval.lower == interval.upper and accepted:
            assert max(accepted) - min(accepted) <= step


@settings(max_examples=25, deadline=None)
@given(
    epsilon=st.fractions(min_value=F(1, 4), max_value=3, max_denominator=20),
    lower=st.fractions(min_value=-9, max_value=9, max_denominator=6),
    width=st.fractions(min_value=F(1, 3), max_value=6, max_denominator=6),
    exponent=st.integers(-1, 2),
    margin=st.integers(0, 6),
    alpha=st.fractions(min_value=F(1, 100), max_value=F(9, 10), max_denominator=100),
)
def test_any_mechanism_covers_every_value(epsilon, lower, width, exponent, margin, alpha):
    upper = lower + width
    p = parameters(
        epsilon=epsilon,
        sensitivity=1,
        lower=lower,
        upper=upper,
        grid=F(2) ** exponent,
        clamp=(lower - margin, upper + F(margin, 2)),
    )
    intervals = all_intervals(p, alpha)
    for f in walk(p, 12) + ends(p, intervals)[:40]:
        assert coverage(p, f, intervals) >= 1 - alpha


@pytest.mark.parametrize("bits", [24, 53])
def test_in_finite_precision_the_p_bit_law_covers_every_value(bits):
    p = explicit_parameters(noise_scale=F(5, 4), grid=F(1), bound=F(5), precision=Precision.of(bits))
    for alpha in (F(1, 20), F(1, 3)):
        intervals = all_intervals(p, alpha)
        for f in walk(p, 30) + ends(p, intervals):
            assert coverage(p, f, intervals) >= 1 - alpha


def test_an_end_of_the_clamp_off_the_grid_is_counted_where_it_is():
    p = explicit_parameters(noise_scale=F(1), grid=F(1), bound=F("2.7"), precision=None)
    for alpha in (F(1, 20), F(1, 3), F(3, 5)):
        intervals = all_intervals(p, alpha)
        for f in walk(p, 40) + ends(p, intervals):
            assert coverage(p, f, intervals) >= 1 - alpha


@pytest.mark.parametrize("grid", ["natural", "fine"])
def test_far_from_the_clamp_the_interval_is_the_output_plus_minus_the_tight_accuracy(grid):
    for epsilon in ("0.01", "0.3", "0.5", "0.7"):
        p = parameters(epsilon=epsilon, sensitivity=1, lower=-(2**14), upper=2**14, grid=grid)
        a = unclamped_accuracy(noise_scale=p.noise_scale, grid=p.grid, alpha=F(1, 20))
        assert a == accuracy(p)
        found = noise_interval(p, index=7)
        assert 2 * a * (1 - F(1, 1 << 50)) <= found.upper - found.lower <= 2 * a * (1 + F(1, 1 << 40))
        assert abs((found.lower + found.upper) / 2 - found.output) <= a / 2**40


def test_no_interval_is_wider_than_twice_the_tight_accuracy_without_a_clamp():
    for case in CASES:
        p = parameters(**case)
        a = unclamped_accuracy(noise_scale=p.noise_scale, grid=p.grid, alpha=F(1, 20))
        for interval in all_intervals(p, "0.05").values():
            assert interval.upper - interval.lower <= 2 * a * (1 + F(1, 1 << 40))


def test_equal_tailed_inversion_would_be_wider():
    p = parameters(epsilon="0.01", sensitivity=1, lower=-(2**14), upper=2**14, grid="natural")
    found = noise_interval(p, index=0)
    assert (found.lower, found.upper) == (-320, 320)
    # Equal tails accept f while P(output <= 0) > alpha/2 and P(output >= 0) > alpha/2: up to g/2 + lam ln(1/alpha).
    law = law_of(Inner(F("363.5")), p)
    assert law.lower_tail(1).lower > F(1, 40)
    assert law_of(Inner(F("363.6")), p).lower_tail(1).upper < F(1, 40)


def test_an_output_is_given_by_its_index_or_as_it_was_printed():
    m = snapdp.Snapping(epsilon="0.5", sensitivity="0.1", lower=0, upper=5, arithmetic=snapdp.FinitePrecision())
    p = m.parameters
    for index in (p.low, -3, 0, 11, p.high):
        expected = noise_interval(p, index=index)
        assert noise_interval(p, output=p.data_value(index)) == expected
        assert noise_interval(p, output=p.released(index)) == expected
        assert noise_interval(p, output=repr(p.released(index))) == expected
        assert expected.output == p.data_value(index)
    off = explicit_parameters(noise_scale=F(1), grid=F(1), bound=F("2.3"), precision=None)
    assert noise_interval(off, output="2.3").index == 3


@pytest.mark.parametrize("given", [{"index": 10**6}, {"index": 1.0}, {"index": True}, {"output": "0.3"}, {}])
def test_what_is_no_output_is_refused_with_what_outputs_are(given):
    p = parameters(epsilon=1, sensitivity=1, lower=0, upper=10, grid=1)
    with pytest.raises(ParameterError, match=r"no output here|one of the two"):
        noise_interval(p, **given)


def test_an_output_that_nothing_explains_gets_the_nearest_end_of_the_range():
    p = parameters(epsilon=1, sensitivity=1, lower=0, upper=10, grid=1)
    far = noise_interval(p, index=p.high)
    assert (far.lower, far.upper) == (10, 10)
    far = noise_interval(p, index=p.low)
    assert (far.lower, far.upper) == (0, 0)
    with pytest.raises(ParameterError, match="0 < alpha < 1"):
        noise_interval(p, index=0, alpha=0)


def test_an_interval_on_a_grid_of_two_to_the_fiftieth_steps_is_found_quickly():
    p = parameters(epsilon=1, sensitivity=1, lower=0, upper=2**20, grid=F(1, 2**29))
    found = noise_interval(p, output=1000)
    assert float(found.upper - 1000) == pytest.approx(float(accuracy(p)), rel=1e-9)


def test_with_a_step_the_interval_holds_the_statistic_before_quantising():
    m = snapdp.Snapping(epsilon=50, sensitivity=10, lower=0, upper=94, step=10)
    for value in (94, 85, 4):
        law = m.law(value)
        covered = sum(
            row.probability.lower
            for row in law.table(law.quantile_index("0.0001"), law.quantile_index("0.9999"))
            if (found := m.noise_interval(index=row.index)).lower <= value <= found.upper
        )
        assert covered >= F(95, 100), value


def test_a_level_of_one_half_is_decided_where_tails_are_too_small_to_store():
    m = snapdp.Snapping(epsilon=10**6, sensitivity=1, lower=0, upper=10, grid=1)
    assert F(1, 2) <= m.accuracy(alpha="0.5") <= F(1, 2) * (1 + F(1, 10**9))
    assert m.noise_interval(5, alpha="0.5").lower <= 5 <= m.noise_interval(5, alpha="0.5").upper
    assert m.law(F(1, 2)).quantile_index("0.5") == 0


OFF_THE_STEP = [
    {"epsilon": "0.05", "sensitivity": "1/3", "lower": "-1/30", "upper": "499/30", "clamp": "range", "step": "1/9"},
    {"epsilon": 1, "sensitivity": 3, "lower": "1.4", "upper": "10.6", "clamp": "range", "step": 3, "grid": "natural"},
    {"epsilon": 2, "sensitivity": 1, "lower": "-2.6", "upper": "2.6", "clamp": "range", "step": 1, "grid": "natural"},
    {"epsilon": 1, "sensitivity": 10, "lower": 6, "upper": 24, "clamp": (-64, 64), "step": 10, "grid": 8},
]


@pytest.mark.parametrize("case", OFF_THE_STEP, ids=str)
@pytest.mark.parametrize("alpha", ["0.05", "0.5"])
def test_with_bounds_off_the_step_the_statistic_is_covered_before_and_after_quantising(case, alpha):
    m = snapdp.Snapping(**case)
    p = m.parameters
    intervals = all_intervals(p, alpha)
    places = [p.lower + (p.upper - p.lower) * F(i, 24) for i in range(25)]
    for f in places:
        law = m.law(f)
        for number in (f, law.value):
            missing = (k for k, interval in intervals.items() if not interval.lower <= number <= interval.upper)
            assert 1 - sum(law.index_probability(k).upper for k in missing) >= 1 - F(alpha)


@pytest.mark.parametrize("case", OFF_THE_STEP, ids=str)
def test_the_quantised_value_of_a_statistic_is_a_guess_like_any_other(case):
    m = snapdp.Snapping(**case)
    p = m.parameters
    for f in (p.lower, p.upper, (p.lower + p.upper) / 2):
        law = m.law(f)
        assert m.law(law.value).value == law.value
        assert m.bias(law.value) == m.bias(f) == law.bias
        assert m.accuracy(value=law.value) == m.accuracy(value=f)
    with pytest.raises(BoundError, match="public range"):
        m.bias(p.upper + p.step + p.data_grid)
