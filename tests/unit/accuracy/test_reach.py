"""One reach for all outputs of a mechanism: no noise interval is longer than it says."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from snapdp.accuracy.interval import noise_interval
from snapdp.accuracy.reach import reach_of
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
