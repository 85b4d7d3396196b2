"""Where the notes of 2020 are wrong, with their numbers, and what the planner says instead.

Provenance: Covington, Snapping Mechanism Notes, August 2020, sections 6.3-6.5; the items of MATH.md, part 14, named at
each test. The formulas are typed in here as printed; nothing of them is used outside this file.
"""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

import snapdp
from snapdp.accuracy.clamping import binding_probability, bound_for
from snapdp.accuracy.epsilon import DIGITS, epsilon_for
from snapdp.accuracy.error import METHODS, accuracy
from snapdp.accuracy.moments import bias
from snapdp.exact.decimals import round_digits_up
from snapdp.mechanism.finite_precision import explicit_parameters
from snapdp.mechanism.law.law import law_of
from tests.unit.accuracy.brute import F, parameters, tail


def laplace_cdf(x, scale=1.0, centre=0.0):
    e = mpmath.exp(-abs(x - centre) / scale) / 2
    return e if x < centre else 1 - e


def mechanism(*, scale, grid, bound):
    return explicit_parameters(noise_scale=F(scale), grid=F(grid), bound=F(bound), precision=None)


def test_item_9_the_lower_bound_on_the_upper_clamp_mass_has_its_inequality_reversed():
    """6.3: P_U >= 1 - F(B - f - lam') with lam = Lam = 1, B = 10, f = 5."""
    p = mechanism(scale=1, grid=1, bound=10)
    true = law_of(p.inner(5), p).index_probability(p.high)
    claimed = 1 - laplace_cdf(10 - 5 - 1)
    assert float(true) == pytest.approx(0.00555, abs=5e-6)
    assert float(claimed) == pytest.approx(0.00916, abs=5e-6)
    assert true.upper < F(float(claimed))


def test_item_9_the_claimed_lower_bound_on_a_distribution_function_exceeds_one():
    """6.3: F^-_Nsub(x) = F^-_Z(m) + P_U^- + F^-_Z(n) - F^+_Z(B - f), the same values, x = 15."""
    bound, f, x = 10, 5, 15

    def lower(z):
        return 1 - mpmath.exp(-z + 1)

    def upper(z):
        return 1 - mpmath.exp(-z + mpmath.mpf(1) / 2)

    p_u = 1 - laplace_cdf(bound - f - 1)
    claimed = lower(min(bound - f, x)) + p_u + lower(min(bound + f, x)) - upper(bound - f)
    assert float(claimed) == pytest.approx(1.00195, abs=5e-6)


def get_accuracy(f, *, bound, scale, alpha):
    """Algorithm 1 of 6.3, with the case that was taken."""
    p_l = laplace_cdf(-bound - f + scale, scale)
    p_u = 1 - laplace_cdf(bound - f - scale, scale)
    at_clamp = 1 - mpmath.exp(-(bound - f) / scale + 1)
    if p_l >= alpha:
        return 1, bound + f
    if at_clamp >= 1 + p_l - alpha:
        return 2, (1 - mpmath.log(alpha - p_l)) * scale
    if at_clamp + p_u >= 1 + p_l - alpha:
        return 3, bound - f
    return 4, (1 - mpmath.log(alpha - p_l + p_u)) * scale


def test_item_10_case_four_of_the_accuracy_algorithm_is_invalid():
    """lam = 0.6, Lam = 1, B = f = 5, alpha = 0.05: returns 0.686, but P(N > 0.686) = 0.217."""
    case, a = get_accuracy(5.0, bound=5.0, scale=0.6, alpha=0.05)
    assert case == 4
    assert float(a) == pytest.approx(0.686, abs=5e-4)
    p = mechanism(scale="0.6", grid=1, bound=5)
    missed = tail(p, F(5), F(float(a)))
    assert float(missed) == pytest.approx(0.217, abs=5e-4)
    right = accuracy(p, value=5)
    assert right == 1
    assert tail(p, F(5), right).upper <= F(1, 20)
    for a in (F(0), F("0.686"), F("1.5"), F(3)):  # right for a >= B - f: P(N > a) <= e^(-(a - Lam/2)/lam)/2
        assert tail(p, F(5), a).lower <= F(float(mpmath.exp(-(float(a) - 0.5) / 0.6) / 2))


def test_item_10_case_two_is_worse_than_the_simpler_formula():
    case, a = get_accuracy(1.0, bound=30.0, scale=0.6, alpha=0.05)
    assert case == 2
    p = mechanism(scale="0.6", grid=1, bound=30)
    assert accuracy(p, value=1) <= accuracy(p) <= accuracy(p, method="notes") < F(float(a))


def test_item_12_the_last_inequality_of_6_5_is_reversed():
    """(6.5) replaces 1/eps' by 1/eps in a - 1/eps' and claims a larger bound; but 1/eps' > 1/eps."""
    p = parameters(epsilon="0.5", sensitivity=1, lower=-100, upper=100, arithmetic=snapdp.FinitePrecision(rule="notes"))
    assert p.noise_scale > 1 / p.epsilon
    target = F(10)
    assert 1 / (target - p.noise_scale) > 1 / (target - 1 / p.epsilon)  # so the chain goes up, then down


def test_item_12_no_search_is_needed_and_a_limit_of_one_over_the_target_excludes_every_solution():
    for target in (F("0.3"), F(10), F(250)):
        found = {
            method: epsilon_for(accuracy=target, sensitivity=1, lower=0, upper=1, grid="natural", method=method).epsilon
            for method in METHODS
        }
        assert all(epsilon > 1 / target for epsilon in found.values())
        solved = (1 + mpmath.log(20)) / mpmath.mpf(float(target))  # eps = ln(1/alpha)/(a - 1/eps), solved for eps
        assert found["simple"] == round_digits_up(F(float(solved)), DIGITS)


def printed_bias(f, *, bound, scale, grid, factor):
    """Bias+ of 6.4: p_L (-B - f) + p_U (B - f) + [1 - p_L - p_U] * integral of y over the noise that does not clamp."""
    below, above = -bound - f, bound - f
    p_l = laplace_cdf(below, scale, -grid / 2)
    p_u = 1 - laplace_cdf(above, scale, -grid / 2)
    density = lambda y: y * mpmath.exp(-abs(y + grid / 2) / scale) / (2 * scale)  # noqa: E731
    integral = mpmath.quad(density, [below, -grid / 2, above])
    return p_l * below + p_u * above + ((1 - p_l - p_u) if factor else 1) * integral


def test_item_13_the_factor_in_the_bias_bound_is_wrong():
    """6.4 with lam = Lam = 1, B = f = 10: -0.560 printed, -0.803 correct, exact bias -0.480."""
    shape = {"bound": 10, "scale": 1, "grid": 1.0}
    p = mechanism(scale=1, grid=1, bound=10)
    assert float(printed_bias(10, **shape, factor=True)) == pytest.approx(-0.560, abs=5e-4)
    assert float(printed_bias(10, **shape, factor=False)) == pytest.approx(-0.803, abs=5e-4)
    assert float(bias(p, 10)) == pytest.approx(-0.480, abs=5e-4)


def test_item_13_on_a_fine_grid_the_printed_bound_is_no_bound():
    shape = {"bound": 10, "scale": 1, "grid": 1 / 16}
    p = mechanism(scale=1, grid=F(1, 16), bound=10)
    exact = float(bias(p, 10))
    assert exact == pytest.approx(-0.5, abs=1e-3)
    assert printed_bias(10, **shape, factor=True) > exact  # about half of it
    assert printed_bias(10, **shape, factor=False) <= exact


def printed_bound(*, half_width: Fraction, epsilon: Fraction, gamma: float) -> float:
    """6.5.1: B = B' + (k/2)(1 + 2 ln(1/gamma)), as printed: without the factor Delta."""
    k = (2 + 24 * F(1, 1 << 52)) / (epsilon - F(1, 1 << 117))
    return float(half_width) + float(k) / 2 * (1 + 2 * float(mpmath.log(1 / mpmath.mpf(gamma))))


def test_item_14_the_clamp_formula_needs_the_factor_delta_at_a_large_sensitivity():
    """Delta = 100, B' = 1000, eps = 1, gamma = 0.05: printed 1007 binds with probability 0.303; correct 1699."""
    printed = printed_bound(half_width=F(1000), epsilon=F(1), gamma=0.05)
    assert printed == pytest.approx(1007, abs=0.5)
    in_sensitivities = mechanism(scale=1, grid=1, bound=F("10.07"))
    assert float(binding_probability(in_sensitivities, 10)) == pytest.approx(0.303, abs=5e-4)
    p = parameters(epsilon=1, sensitivity=100, lower=-1000, upper=1000, grid="natural")
    assert float(bound_for(p, gamma="0.05", method="notes").bound) == pytest.approx(1699, abs=0.5)
    assert bound_for(p, gamma="0.05").bound < F(1200)


def test_item_14_the_clamp_formula_needs_the_factor_delta_at_a_small_sensitivity():
    """Delta = 0.012, eps = 0.001: printed 7191, correct 283.9."""
    printed = printed_bound(half_width=F(200), epsilon=F(1, 1000), gamma=0.05)
    assert printed == pytest.approx(7191, abs=0.6)
    p = parameters(epsilon="0.001", sensitivity="0.012", lower=-200, upper=200, grid="natural")
    assert float(bound_for(p, gamma="0.05", method="notes").bound) == pytest.approx(283.9, abs=0.05)


def test_item_14_one_shift_for_both_tails_is_no_bound_for_the_lower_one():
    """6.5.1 shifts the noise by +Lam/2 for both tails; the lower tail needs -Lam/2."""
    p = mechanism(scale=1, grid=1, bound=F("2.01"))
    lower = (binding_probability(p, 0) * F(1, 2)).lower  # by symmetry each side takes half
    claimed = laplace_cdf(mpmath.mpf("-2.01"), 1, mpmath.mpf(1) / 2)
    assert lower > F(float(claimed))
    assert bound_for(p, gamma="0.05").binding <= F("0.05")
