"""The noise of a measured number against the law of the mechanism itself, and its variance."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.accuracy.adjusted.noise import NoiseTerm, SnappedNoise, count_noise
from snapdp.errors import ParameterError
from snapdp.exact.enclosure import enclose
from snapdp.mechanism.law.law import law_of
from snapdp.mechanism.parameters import Inner, exact_parameters
from tests.unit.accuracy.brute import overlap

F = Fraction
# epsilon, grid, value on it
CASES = [("1/2", "1", 3), ("0.1", "1/4", F(-7, 4)), ("2", "1", 0), ("1", "1/16", F(5, 16)), ("0.03", "1", 41)]


def wide(epsilon, grid):
    """Return the mechanism with a clamp so far out that e^-400 of the mass lies beyond."""
    far = 500 / F(epsilon)
    return exact_parameters(epsilon=epsilon, sensitivity=1, lower=-50, upper=50, grid=grid, clamp=(-far, far))


@pytest.mark.parametrize(("epsilon", "grid", "value"), CASES)
def test_the_noise_of_a_value_on_the_grid_is_that_of_the_mechanism(epsilon, grid, value):
    p = wide(epsilon, grid)
    noise, law = SnappedNoise(noise_scale=p.noise_scale, grid=p.grid), law_of(Inner(F(value)), p)
    middle = int(value / p.grid)
    for k in (0, 1, -1, 2, -2, 7, -30, 100):
        mine, true = noise.probability(k), law.index_probability(middle + k)
        assert overlap(mine, true)
        assert mine.width <= mine.upper / 2**90
        assert not overlap(mine, law.index_probability(middle + k + 1) * 2 if k else enclose(0))


@pytest.mark.parametrize(("epsilon", "grid", "value"), CASES)
def test_the_variance_is_that_of_the_mechanism(epsilon, grid, value):
    p = wide(epsilon, grid)
    noise, law = SnappedNoise(noise_scale=p.noise_scale, grid=p.grid), law_of(Inner(F(value)), p)
    # beyond the clamp, at least 400 scales away, lies at most e^-400 (400^2 + 2*400 + 2) < 2**-500 scales^2
    gap = abs(noise.variance - law.variance)
    assert gap.lower <= p.noise_scale**2 / 2**500
    assert gap.upper <= noise.variance.upper / 2**60  # the law's variance is enclosed that narrowly


def test_probabilities_of_all_outputs_add_up_to_one():
    noise = SnappedNoise(noise_scale=F(3), grid=F(1))
    total = noise.probability(0)
    for k in range(1, 301):
        total = total + noise.probability(k) * 2
    assert 1 - total.upper < F(1, 2**100)
    assert total.lower <= 1


def test_the_variance_is_near_the_one_that_least_squares_reckon_with():
    for scale, grid in ((F(8), F(1)), (F(3), F(1, 4)), (F(1), F(1, 8))):
        noise = SnappedNoise(noise_scale=scale, grid=grid)
        gap = noise.weight - noise.variance  # 7/960 grid^2 x^2 and less: theory, below (15)
        assert 0 < gap.lower < gap.upper < F(7, 960) * grid**2 * noise.ratio**2
    off = SnappedNoise(noise_scale=F(3), grid=F(1), on_grid=False)
    assert off.variance == enclose(off.weight) == enclose(18 + F(1, 12))


@pytest.mark.parametrize(
    ("epsilon", "sensitivity", "scale", "grid"),
    [("0.1", 1, 10, 1), ("1", 1, 1, F(1, 16)), ("1/100", 2, 200, 1), ("4", 1, F(1, 4), F(1, 64)), ("1/9", 1, 9, 1)],
)
def test_counts_are_measured_on_a_grid_that_holds_them(epsilon, sensitivity, scale, grid):
    noise = count_noise(epsilon=epsilon, sensitivity=sensitivity)
    assert (noise.noise_scale, noise.grid, noise.on_grid) == (scale, grid, True)


def test_what_is_no_noise_is_refused():
    for wrong in ({"noise_scale": F(0), "grid": F(1)}, {"noise_scale": F(1), "grid": F(-1)}):
        with pytest.raises(ParameterError):
            SnappedNoise(**wrong)
    with pytest.raises(ParameterError, match="negative"):
        NoiseTerm(coefficient=F(1), noise=count_noise(epsilon=1), count=-1)
