"""One reach for all outputs of a mechanism: no noise interval is longer than it says."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from snapdp.accuracy.error import worst_exceeds
from snapdp.accuracy.interval import noise_interval, reach_of
from snapdp.audits import check_release
from snapdp.mechanism.parameters import exact_parameters

F = Fraction
EPSILONS = ["0.03", "0.1", "0.49", "1", "3"]
ALPHAS = ["0.001", "0.01", "0.05", "0.5", "0.9"]
GRIDS = [None, "natural", "1", "1/8", "64"]


@st.composite
def mechanisms(draw):
    n = draw(st.sampled_from([3, 10, 100, 5000]))
    return exact_parameters(
        epsilon=draw(st.sampled_from(EPSILONS)),
        sensitivity=draw(st.sampled_from([1, 3, "7/2"])),
        lower=draw(st.sampled_from([0, -n])),
        upper=n,
        grid=draw(st.sampled_from(GRIDS)),
    )


@given(p=mechanisms(), alpha=st.sampled_from(ALPHAS), where=st.integers(0, 10**9))
def test_every_noise_interval_lies_within_reach_of_its_output_and_in_the_public_range(p, alpha, where):
    half = reach_of(p, alpha=alpha)
    for index in {p.low, p.low + 1, p.high - 1, p.high, p.low + where % (p.high - p.low + 1)}:
        found, value = noise_interval(p, index=index, alpha=alpha), p.data_value(index)
        assert min(max(value - half, p.lower), p.upper) <= found.lower
        assert found.upper <= max(min(value + half, p.upper), p.lower)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_reach_is_attained_far_from_all_ends(alpha):
    p = exact_parameters(epsilon="1/2", sensitivity=1, lower=-(10**6), upper=10**6)
    found = noise_interval(p, index=0, alpha=alpha)
    assert reach_of(p, alpha=alpha) == max(found.upper, -found.lower)


@pytest.mark.parametrize("alpha", ["1e-300", "1/1000000007", "0.999999999", F(2**70 - 1, 2**70)])
def test_extreme_levels_have_a_reach_too(alpha):
    p = exact_parameters(epsilon="1/2", sensitivity=1, lower=0, upper=100)
    assert reach_of(p, alpha=alpha) > 0


TINY = [F(k, 10**e) for k, e in [(1, 12), (5, 13), (1, 24), (1, 25), (7, 26), (1, 27), (1, 30), (3, 60), (1, 100)]]
WIDE = exact_parameters(epsilon=1, sensitivity=1, lower=-(10**6), upper=10**6)
GRIDS_OF_RELEASES = [("1", 1, None), ("0.3", 7, 1), ("3", 1, 1), ("1/1000", 1, 4), ("0.7", 10**9 + 7, None)]


@pytest.mark.parametrize("level", TINY)
@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_the_truth_is_missed_with_probability_alpha_at_most_however_small_alpha_is(level, inputs):
    """Exactly, for every value of the range; derived numbers take the intervals of their inputs at alpha/2, alpha/3."""
    alpha = level / inputs
    half = reach_of(WIDE, alpha=alpha)
    assert not worst_exceeds(WIDE, half, alpha)
    assert worst_exceeds(WIDE, half - WIDE.grid, alpha)  # one step less would be missed too often


def test_a_reach_that_a_narrow_clamp_cut_off_would_be_too_short():
    narrow = exact_parameters(epsilon=1, sensitivity=1, lower=-102, upper=102)  # 2 * 69 is beyond its clamp
    cut = noise_interval(narrow, index=0, alpha="1e-30").upper
    assert cut < reach_of(narrow, alpha="1e-30")
    assert worst_exceeds(WIDE, cut, F(1, 10**30))


def agrees(epsilon, sensitivity, grid, alpha):
    p = exact_parameters(epsilon=epsilon, sensitivity=sensitivity, lower=0, upper=10**6, grid=grid)
    return reach_of(p, alpha=alpha) == p.grid * check_release.reach(p.grid / p.noise_scale, F(alpha))


@pytest.mark.parametrize("alpha", ["0.9", "0.05", *(each / 3 for each in TINY[2:8:2]), F(1, 10**280)])
@pytest.mark.parametrize(("epsilon", "sensitivity", "grid"), GRIDS_OF_RELEASES)
def test_the_independent_checker_finds_the_same_reach(epsilon, sensitivity, grid, alpha):
    assert agrees(epsilon, sensitivity, grid, alpha)


@pytest.mark.long
@pytest.mark.parametrize("exponent", range(1, 280))
def test_the_independent_checker_finds_the_same_reach_at_every_power_of_ten(exponent):
    for epsilon, sensitivity, grid in GRIDS_OF_RELEASES:
        for alpha in (F(k, 10**exponent) for k in (1, 2, 3, 9)):
            assert agrees(epsilon, sensitivity, grid, alpha / 3)
            assert agrees(epsilon, sensitivity, grid, alpha)


def test_a_noise_scale_near_the_end_of_the_doubles_has_a_reach():
    p = exact_parameters(epsilon=1, sensitivity=F(2) ** 1000, lower=0, upper=1)
    assert reach_of(p, alpha="1e-300") > 690 * p.noise_scale
