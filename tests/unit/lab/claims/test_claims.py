"""Where the notes are wrong, with their numbers, each beside a form that is right: the printed one must fail.

Provenance: Covington, Snapping Mechanism Notes, August 2019 and August 2020; Liu, March 2020. The items are those of
the errata. Every formula is that of `snapdp.lab.claims`, and nothing else uses it.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from itertools import product

import mpmath
import pytest

from snapdp.accuracy.clamping import binding_probability, bound_for
from snapdp.accuracy.epsilon import DIGITS, epsilon_for
from snapdp.accuracy.error import METHODS, accuracy
from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.exact.dyadic import nearest_multiple, round_digits_up, round_up
from snapdp.exact.functions import exponential
from snapdp.lab import claims
from snapdp.lab.claims.formulas import f_z
from snapdp.mechanism.finite_precision import explicit_parameters
from snapdp.mechanism.law.law import law_of
from snapdp.mechanism.parameters import Inner
from tests.unit.accuracy.brute import F, parameters, tail

CLASSIC = {"epsilon": 1, "bound": 10, "arithmetic": "exact"}  # noise scale and grid 1


def beside(name, **setting):
    return claims.beside_exact(name, **setting).claims[name]


def beside_each(*names, **setting):
    return claims.beside_exact(*names, **setting).claims


def test_item_1_the_shift_of_a_range_is_not_its_middle():
    shift, bound = claims.shift_and_bound(lower=-10, upper=30)
    assert (shift, bound) == (20, 10)
    assert not -bound <= -10 - shift <= bound  # printed
    assert -20 <= -10 - F(10) <= 20  # the middle, and half the width
    assert beside("B = upper - s", **CLASSIC, if_value=0, bounds=(0, 30)).valid
    assert not beside("B = upper - s", **CLASSIC, if_value=0, bounds=(-10, 30)).valid


@pytest.mark.parametrize("rows", [2, 3, 4, 5, 6, 7])
def test_item_2_the_largest_variance_of_an_odd_number_of_rows_is_larger_than_printed(rows):
    """All data sets of zeros and ones; a variance is convex in each row, so its maximum is among them."""
    largest = max(F(rows * sum(data) - sum(data) ** 2, rows * (rows - 1)) for data in product((0, 1), repeat=rows))
    printed = claims.largest_variance(lower=0, upper=1, rows=rows)
    assert printed == claims.largest_covariance((0, 1), (0, 1), rows=rows)
    assert (printed == largest) == (rows % 2 == 0)
    found = beside("B' of a variance", **CLASSIC, if_value=0, bounds=(0, 1), rows=rows)
    assert found.exact.lower == largest
    assert found.valid == (rows % 2 == 0) == (printed >= largest)
    assert (claims.largest_mean(lower=-3, upper=2), claims.largest_count(rows=rows)) == (3, rows)


@pytest.mark.parametrize(
    ("x", "printed", "meant"),
    [
        ("-2.5", -3, -2),  # away from zero
        ("-0.5", -1, 0),
        ("3.5", 2, 4),  # a carry that the cases do not foresee
        ("1.5", 1, 2),
        ("2.5", 3, 3),
        ("-2.25", -2, -2),
        ("0.25", 0, 0),
        (0, 0, 0),
        (2 - F(1, 2**52), 2, 2),  # every bit is 1: the case that is foreseen
        (2**60 + F(1, 2), 2**60 + F(1, 2), 2**60 + 1),  # "only integers" is true of doubles alone
    ],
)
def test_item_3_the_rounding_rule_by_bits(x, printed, meant):
    for grid in (F(1), F(1, 8), F(4)):
        assert claims.rounded_4_2(F(x) * grid, grid) == printed * grid
        assert nearest_multiple(F(x) * grid, grid) == meant * grid


def test_item_3_the_rule_is_for_powers_of_two_and_agrees_wherever_it_needs_no_carry_and_no_tie():
    with pytest.raises(ParameterError, match="power of two"):
        claims.rounded_4_2(F(1), F(3))
    for i in range(-400, 400):
        x = F(i, 16)
        down = abs(x) % 1 < F(1, 2)
        if down:
            assert claims.rounded_4_2(x, F(1)) == nearest_multiple(x, F(1))


def test_item_4_a_uniform_draw_of_53_bits_loses_more_than_epsilon_and_one_of_as_many_bits_as_eta_does_not():
    found = beside_each("eps' of section 5", "Mironov's bound", epsilon="0.9", bound=4, if_value=0)
    mixed, one_precision = found["eps' of section 5"], found["Mironov's bound"]
    assert mixed.valid is False
    assert mixed.misses_by.lower > F(1, 2**54)
    assert one_precision.valid is not False
    assert one_precision.exact.upper <= one_precision.says.lower


def test_item_6_mironovs_bound_needs_a_bound_above_the_noise_scale_and_a_grid_of_at_least_it():
    names, setting = ("Mironov's bound", "Liu's bound"), {"epsilon": "0.9", "bound": 2, "if_value": 0, "bits": 12}
    coarse, fine = beside_each(*names, **setting), beside_each(*names, **setting, grid="1/8")
    for name in names:
        assert coarse[name].valid is not False
        assert fine[name].valid is False
        assert fine[name].exact.lower > fine[name].says.upper


def test_a_bound_on_the_loss_that_is_neither_exceeded_nor_proved_is_not_called_valid():
    names = ("eps' of section 5", "Mironov's bound", "Liu's bound")
    found = beside_each(*names, epsilon="0.5", bound=2, if_value=0, bits=12)
    assert [found[name].valid for name in names] == [None, None, True]
    assert all(found[name].exact.upper <= found[name].says.lower for name in names)


def test_item_7_the_grid_by_bits_is_half_of_what_is_meant_just_above_a_power_of_two():
    found = beside("(4.1)", epsilon="0.5", bound=10, if_value=0)
    assert (found.says.lower, found.exact.lower, found.valid) == (2, 4, False)
    assert beside("(4.1)", epsilon="0.5", bound=10, if_value=0, arithmetic="exact").valid
    assert claims.grid_4_1(F(3)) == 4


def test_item_8_the_probability_at_the_lower_clamp_is_an_equality_only_where_the_grid_divides_the_bound():
    assert beside("P_L", **CLASSIC, if_value=5).valid
    off = beside("P_L", epsilon=1, bound="10.5", arithmetic="exact", if_value=5)
    assert not off.valid
    assert off.exact.upper < off.says.lower  # as an upper bound it holds, and so 2020 prints it in 6.2


def test_item_9_the_lower_bound_on_the_upper_clamp_mass_has_its_inequality_reversed():
    m = claims.printed_mechanism(**CLASSIC)
    true = law_of(Inner(F(5)), m.parameters).index_probability(m.parameters.high)
    claimed = claims.p_upper_minus(m, if_value=5).enclosure()
    assert float(true) == pytest.approx(0.00555, abs=5e-6)
    assert float(claimed) == pytest.approx(0.00916, abs=5e-6)
    assert true.upper < claimed.lower
    assert not beside("P_U-", **CLASSIC, if_value=5).valid
    mended = (1 - laplace(F(10 - 5) - m.grid / 2)).enclosure()  # with half the grid it is the mass itself
    assert mended.lower <= true.upper
    assert true.lower <= mended.upper


def laplace(x):
    half = exponential(-abs(x)) * F(1, 2)
    return half if x < 0 else 1 - half


def test_item_9_the_first_upper_bound_on_it_is_reversed_too():
    found = beside("P_U+", epsilon="5/3", bound=4, if_value=4)
    assert found.valid is False
    assert found.says.upper < found.exact.lower
    assert found.date == "26 August 2019"
    m = claims.printed_mechanism(epsilon="5/3", bound=4)
    mended = (1 - laplace(-m.grid / 2 / m.noise_scale)).enclosure()  # with half the grid, at B - f = 0: the mass itself
    assert mended.lower <= found.exact.upper
    assert found.exact.lower <= mended.upper


def test_item_9_the_claimed_lower_bound_on_a_distribution_function_exceeds_one():
    m = claims.printed_mechanism(**CLASSIC)
    claimed = claims.f_n_sub_minus(m, F(15), if_value=5)
    assert float(claimed) == pytest.approx(1.00195, abs=5e-6)
    assert (claimed - 1).sign() > 0
    assert beside("F_Nsub-", **CLASSIC, if_value=5).valid is False
    once = claimed - claims.p_upper_minus(m, if_value=5)  # the mass at the clamp counted once, inside F_Z
    assert (once - 1).sign() < 0
    assert float(claims.f_n_sub_minus(m, F(2), if_value=5)) == float(claims.f_z_minus(m, F(2)))


def test_the_upper_bound_on_z_is_negative_below_half_a_noise_scale():
    """Not in the list of errata before: at f = B the printed upper bound on a probability is 1 - e^(1/2)."""
    m = claims.printed_mechanism(**CLASSIC)
    assert (claims.f_z_plus(m, F(0)) - f_z(m, F(0))).sign() < 0
    assert f_z(m, F(0)).sign() == 0  # so 0 in the place of what is negative bounds it
    assert (claims.f_z_plus(m, F(1, 2)) - f_z(m, F(1, 2))).sign() == 0
    assert (claims.f_z_plus(m, F(3)) - f_z(m, F(3))).sign() == 0  # the grid is the noise scale
    for z in (F(0), F(1, 2), F(3)):
        assert (f_z(m, z) - claims.f_z_minus(m, z)).sign() > 0


def test_item_10_case_four_of_the_accuracy_algorithm_is_invalid():
    """lam = 0.6, Lam = 1, B = f = 5, alpha = 0.05: returns 0.686, but P(N > 0.686) = 0.217."""
    setting = {"epsilon": "5/3", "bound": 5, "arithmetic": "exact"}
    m = claims.printed_mechanism(**setting)
    found = claims.get_accuracy(m, if_value=5)
    assert found.case == 4
    assert float(found.accuracy) == pytest.approx(0.686, abs=5e-4)
    missed = tail(m.parameters, F(5), found.accuracy.enclosure.upper)
    assert float(missed) == pytest.approx(0.217, abs=5e-4)
    right = accuracy(m.parameters, value=5)
    assert right == 1
    assert tail(m.parameters, F(5), right).upper <= F(1, 20) < missed.lower
    for a in (F(0), F("0.686"), F("1.5"), F(3)):  # right for a >= B - f: P(N > a) <= e^(-(a - Lam/2)/lam)/2
        assert (
            tail(m.parameters, F(5), a).lower
            <= (exponential((F(1, 2) - a) / m.noise_scale) * F(1, 2)).enclosure().upper
        )
    claim = beside("Algorithm 1", **setting, if_value=-5)  # the mechanism is symmetric
    assert (claim.valid, claim.exact.lower) == (False, 1)
    assert claim.misses_by.lower <= missed.upper - F(1, 20)
    assert missed.lower - F(1, 20) <= claim.misses_by.upper


def test_item_10_case_four_misses_20_times_too_often_at_a_small_alpha():
    found = beside("Algorithm 1", epsilon="5/3", bound=5, if_value=5, alpha="0.01", arithmetic="exact")
    assert found.valid is False
    assert found.misses_by.lower > F("0.01") * 19


@pytest.mark.parametrize(("f", "case"), [("0.1", 1), (0, 1), (1, 2), (25, 2), (28, 3), (30, 4)])
def test_item_10_cases_one_to_three_hold_and_each_case_is_reached(f, case):
    setting = {"epsilon": "5/3", "bound": "1.5" if case == 1 else 30, "arithmetic": "exact"}
    m = claims.printed_mechanism(**setting)
    assert claims.get_accuracy(m, if_value=f).case == case
    assert beside("Algorithm 1", **setting, if_value=f).valid is (case != 4)


@pytest.mark.parametrize("epsilon", ["0.01", "0.3", "0.5", "1", "2.5"])
def test_item_11_the_second_algorithm_holds_and_its_cap_is_twice_the_bound(epsilon):
    for bound in (F(1, 2), F(40), F(1000)):
        names = ("GetAccuracy2", "(1 + ln(1/alpha))/eps'")
        found = beside_each(*names, epsilon=epsilon, bound=bound, if_value=0)
        assert all(claim.valid for claim in found.values())
        assert found["GetAccuracy2"].exact.upper <= found["GetAccuracy2"].says.upper <= 2 * bound
    coarse = beside("(1 + ln(1/alpha))/eps'", epsilon=1, bound=100, if_value=0, grid=16)
    assert coarse.valid is False


def test_item_12_the_last_inequality_of_6_5_is_reversed():
    setting = {"epsilon": "0.5", "bound": 100, "if_value": 0, "accuracy": 10}
    found = beside("(6.5), last step", **setting)
    assert found.valid is False
    assert found.misses_by.lower > 0  # the line before is larger
    assert found.misses_by.upper < 24 * 100 * F(1, 2**118)
    assert beside("(6.5), last step", **setting, arithmetic="exact").valid


def test_item_12_no_search_is_needed_and_a_limit_of_one_over_the_target_excludes_every_solution():
    for target in (F("0.3"), F(10), F(250)):
        found = {
            method: epsilon_for(accuracy=target, sensitivity=1, lower=0, upper=1, grid="natural", method=method).epsilon
            for method in METHODS
        }
        m = claims.printed_mechanism(epsilon=1, bound=1, arithmetic="exact")
        solved = claims.epsilon_6_5(m, accuracy=target).enclosure
        assert solved.lower > 1 / target
        assert float(solved) == pytest.approx(float((1 + mpmath.log(20)) / mpmath.mpf(float(target))), rel=1e-14)
        assert found["simple"] == round_digits_up(solved.upper, DIGITS)


def test_item_12_both_formulas_give_an_epsilon_that_has_the_accuracy_unless_the_grid_put_in_is_too_fine():
    found = beside_each("(6.4)", "(6.5)", epsilon="0.5", bound=100, if_value=0, accuracy=9)
    assert found["(6.4)"].valid
    assert found["(6.5)"].valid
    assert found["(6.4)"].exact.upper <= found["(6.4)"].says.upper < found["(6.5)"].says.lower
    wrong = beside("(6.4)", epsilon=1, bound=100, if_value=0, accuracy=9, arithmetic="exact")  # a grid of 1
    assert wrong.valid is False
    with pytest.raises(ParameterError, match="above half the grid"):
        claims.epsilon_6_4(claims.printed_mechanism(epsilon=1, bound=10), accuracy=1)
    names = ("(6.4)", "(6.5), last step")
    left_out = claims.beside_exact(*names, epsilon=1, bound=10, if_value=0, accuracy=1).left_out
    assert tuple(left_out) == names


@pytest.mark.parametrize("f", ["0", "0.2", "3.7", "9.9", "10"])
def test_item_13_the_closed_form_of_the_integral_is_the_integral(f):
    m = claims.printed_mechanism(epsilon="0.7", bound=10, arithmetic="exact")
    scale, grid, value = (float(x) for x in (m.noise_scale, m.grid, F(f)))

    def clamped(y):
        return min(max(y, -10 - value), 10 - value) * mpmath.exp(-abs(y + grid / 2) / scale) / (2 * scale)

    corners = sorted({-200, -10 - value, -grid / 2, 10 - value, 200})
    assert float(claims.bias_plus(m, if_value=f, factor=False)) == pytest.approx(
        float(mpmath.quad(clamped, corners)), abs=1e-12
    )


def test_item_13_on_a_fine_grid_the_printed_bound_is_no_bound():
    found = beside("Bias+", **CLASSIC, if_value=10, grid="1/16")
    assert found.valid is False
    assert float(found.exact) == pytest.approx(-0.5, abs=1e-3)
    assert found.says.lower > found.exact.upper  # about half of it
    m = claims.printed_mechanism(**CLASSIC, grid="1/16")
    assert claims.bias_plus(m, if_value=10, factor=False).enclosure().upper < found.exact.lower
    assert beside("Bias+", **CLASSIC, if_value=10).valid


def test_item_14_the_clamp_formula_needs_the_factor_delta_at_a_large_sensitivity():
    """Delta = 100, B' = 1000, eps = 1, gamma = 0.05: printed 1007 binds with probability 0.303; correct 1699."""
    found = beside("B from gamma", epsilon=1, bound=1000, sensitivity=100, if_value=0, arithmetic="exact")
    assert found.valid is False
    assert float(found.says) == pytest.approx(1007, abs=0.5)
    assert float(found.misses_by) == pytest.approx(0.253, abs=5e-4)
    in_sensitivities = explicit_parameters(noise_scale=F(1), grid=F(1), bound=F("10.07"), precision=None)
    assert float(binding_probability(in_sensitivities, 10)) == pytest.approx(0.303, abs=5e-4)
    p = parameters(epsilon=1, sensitivity=100, lower=-1000, upper=1000, grid="natural")
    assert float(bound_for(p, gamma="0.05", method="notes").bound) == pytest.approx(1699, abs=0.5)
    assert bound_for(p, gamma="0.05", method="notes").binding <= F("0.05")  # with the factor the formula holds
    assert bound_for(p, gamma="0.05").bound < F(1200)
    assert beside("B from gamma", epsilon=1, bound=10, if_value=0).valid  # in sensitivities it holds


def test_item_14_one_shift_for_both_tails_is_no_bound_for_the_lower_one():
    """6.5.1 shifts the noise by +Lam/2 for both tails; the lower tail needs -Lam/2."""
    p = explicit_parameters(noise_scale=F(1), grid=F(1), bound=F("2.01"), precision=None)
    lower = (binding_probability(p, 0) * F(1, 2)).lower  # by symmetry each side takes half
    assert lower > laplace(F("-2.01") - F(1, 2)).enclosure().upper
    assert lower <= laplace(F("-2.01") + F(1, 2)).enclosure().upper
    assert bound_for(p, gamma="0.05").binding <= F("0.05")


def test_item_14_the_sum_of_both_tails_in_6_6_is_no_bound_and_6_7_and_6_8_are():
    setting = {"epsilon": 1, "bound": "1/2", "if_value": 0, "arithmetic": "exact"}
    found = beside_each("(6.6)", "(6.7)", "(6.8)", **setting, gamma="0.36788")  # B just below 2
    assert [claim.valid for claim in found.values()] == [False, True, True]
    assert found["(6.6)"].says.upper < found["(6.6)"].exact.lower
    true = explicit_parameters(noise_scale=F(1), grid=F(1), bound=F("1.99999"), precision=None)
    assert float(found["(6.6)"].exact) == pytest.approx(float(binding_probability(true, "0.5")), rel=1e-12)
    assert beside("(6.6)", **setting, gamma="0.36787").valid  # B just above 2: a grid step more
    for epsilon, bound, gamma in product(("0.3", 1, "1.9"), ("1/2", 7), ("0.9", "0.05", "1e-9")):
        names = ("(6.7)", "(6.8)")
        chain = beside_each(*names, epsilon=epsilon, bound=bound, if_value=0, gamma=gamma)
        assert all(claim.valid for claim in chain.values())
    assert beside("(6.8)", **setting, gamma="0.05", grid="1/16").valid is False


def test_alpha_from_an_accuracy_is_valid_and_the_law_has_less():
    for epsilon, accuracy_asked in product(("0.3", 1, "1.9"), ("0.1", 1, 3, 30)):
        found = beside("alpha from a", epsilon=epsilon, bound=7, if_value=0, accuracy=accuracy_asked)
        assert found.valid
        assert found.exact.upper <= found.says.upper
    m = claims.printed_mechanism(**CLASSIC)
    assert claims.alpha_of_accuracy(m, accuracy=F(1, 2)).enclosure().lower == 1
    assert float(claims.alpha_of_accuracy(m, accuracy="0.1")) > 1  # below half a grid step it says nothing
    back = claims.alpha_of_accuracy(m, accuracy=claims.get_accuracy2(m).enclosure.upper)
    assert float(back) == pytest.approx(0.05, rel=1e-12)


def test_k_is_at_least_the_grid_from_an_epsilon_and_from_an_accuracy():
    for epsilon in ("0.01", "0.3", "1", "4"):
        names = ("k from epsilon", "k from an accuracy")
        for setting in ({"bound": 50}, {"bound": 1000, "accuracy": 7}):
            found = beside_each(*names, epsilon=epsilon, if_value=0, **setting)
            assert all(claim.valid for claim in found.values())
    assert beside("k from epsilon", epsilon=1, bound=50, if_value=0, grid=4).valid is False
    with pytest.raises(PremiseError, match=r"2\*\*-117"):
        claims.k_of_epsilon(F(1, 2**120))


@pytest.mark.parametrize(
    ("epsilon", "fewest"), [(1, 2), ("1.001", 1), (2, 1), ("0.5", 3), ("0.3", 3), ("0.25", 4), (F(1, 2**90), 92)]
)
def test_item_15_m_plus_2_is_the_fewest_bits_with_a_positive_effective_epsilon(epsilon, fewest):
    assert [2 * F(1, 2**bits) < F(epsilon) for bits in (fewest - 1, fewest)] == [fewest == 1 and F(epsilon) > 2, True]
    found = beside("p = m + 2", epsilon=epsilon, bound=8, if_value=0)
    assert (found.says.lower, found.exact.lower, found.valid) == (fewest, fewest, True)


def test_item_15_m_plus_2_is_no_number_of_bits_where_epsilon_is_above_2():
    found = beside("p = m + 2", epsilon="2.5", bound=8, if_value=0)
    assert (found.says.lower, found.exact.lower, found.valid) == (0, 1, False)


def test_item_4_the_uniform_draw_of_section_5_has_as_many_bits_as_the_rest_but_at_most_53():
    for bits, is_one_precision in ((24, True), (60, False)):
        setting = {"epsilon": 1, "bound": 8, "bits": bits}
        found = beside_each("eps' of section 5", "Mironov's bound", **setting, if_value=0)
        scale = round_up(claims.printed_mechanism(**setting).noise_scale, bits)
        in_one_precision = found["Mironov's bound"].exact + 1 / scale
        assert (found["eps' of section 5"].exact == in_one_precision) is is_one_precision


def test_item_14_on_a_grid_coarser_than_k_the_clamp_may_bind_too_often():
    coarse = beside("B from gamma", epsilon=1, bound=10, if_value=0, grid="7.2", gamma="0.2")  # B < two steps
    assert coarse.valid is False
    assert beside("B from gamma", epsilon=1, bound=10, if_value=0, grid=16).valid


def test_every_formula_is_the_one_that_is_printed_eta_included():
    """Typed in again from the notes, at 8 bits, where eta is visible."""
    eps, bound, f, eta, alpha, a = (mpmath.mpf(x) for x in ("0.7", 9, 6, "0.00390625", "0.05", 8))
    m = claims.printed_mechanism(epsilon="0.7", bound=9, bits=8)
    inner = (eps - 2 * eta) / (1 + 12 * bound * eta)
    lam, grid, c = 1 / inner, mpmath.mpf(4), (1 + 12 * bound * eta) * mpmath.log(1 / alpha)

    def cdf(x):
        return mpmath.exp(x * inner) / 2 if x < 0 else 1 - mpmath.exp(-x * inner) / 2

    solved = mpmath.mpf(float(claims.epsilon_6_5(m, accuracy=8)))
    before, after = claims.last_step_of_6_5(m, accuracy=8)
    k = (2 + 24 * mpmath.mpf(2) ** -52) / (eps - mpmath.mpf(2) ** -117)
    printed = [
        (claims.p_lower_plus(m, if_value=6), cdf(-bound - f + lam)),
        (claims.p_lower(m, if_value=6), cdf(-bound - f + grid / 2)),
        (claims.p_upper_minus(m, if_value=6), 1 - cdf(bound - f - lam)),
        (claims.p_upper_plus(m, if_value=6), 1 - cdf(bound - f - lam / 2)),
        (claims.f_z_minus(m, F(3)), 1 - mpmath.exp(-inner * 3 + 1)),
        (claims.f_z_plus(m, F(3)), 1 - mpmath.exp(-inner * 3 + 0.5)),
        (claims.get_accuracy2(m), lam * mpmath.log(20) + grid / 2),
        (claims.simple_accuracy(m), lam * (1 + mpmath.log(20))),
        (claims.laplace_accuracy(m), mpmath.log(20) / eps),
        (claims.epsilon_6_4(m, accuracy=8), c / (a - grid / 2) + 2 * eta),
        ((solved - 2 * eta) * (a - 1 / solved), c),
        (before, c / (a - (1 + 12 * bound * eta) / (eps - 2 * eta)) + 2 * eta),
        (after, c / (a - 1 / eps) + 2 * eta),
        (claims.k_of_epsilon("0.7"), k),
        (claims.bound_from_gamma(largest=5, k=claims.k_of_epsilon("0.7")), 5 + k / 2 * (1 + 2 * mpmath.log(20))),
        (claims.alpha_of_accuracy(m, accuracy=8), mpmath.exp(-inner * (a - grid / 2))),
        (claims.p_lower_stars(m, largest=5), cdf(-bound - 5 - grid / 2)),
        (claims.p_upper_stars(m, largest=5), 1 - cdf(bound - 5 - grid / 2)),
        (
            claims.binding_6_6(m, largest=5),
            (mpmath.exp(inner * (-10 - grid * mpmath.log(20) - grid)) + mpmath.exp(-inner * grid * mpmath.log(20))) / 2,
        ),
        (claims.binding_6_7(m), mpmath.mpf("0.05") ** (inner * grid)),
        (
            claims.mironov_formula(effective_epsilon=F(1, 2), bound=F(9), eta=F(1, 256)),
            0.5 * (1 + 108 / 256) + 2 / 256,
        ),
        (claims.liu_formula(effective_epsilon=F(1, 2), bound=F(9), eta=F(1, 256)), 0.5 + 23 * 9 * 0.5 / 256),
    ]
    assert m.grid == 4
    for found, expected in printed:
        assert float(found) == pytest.approx(float(expected), rel=1e-13)


def test_what_makes_no_sense_is_refused():
    asked = {"epsilon": 1, "bound": 4, "if_value": 1}
    for error, match, changes in (
        (BoundError, "outside the bound", {"if_value": 5}),
        (ParameterError, "not in the notes", {"arithmetic": "proved"}),
        (ParameterError, "belongs to the notes' arithmetic", {"arithmetic": "exact", "bits": 53}),
        (PremiseError, "epsilon > 2 eta", {"epsilon": "0.001", "bits": 8}),
        (BoundError, "no range", {"bounds": (3, 3)}),
        (BoundError, "grid steps from zero", {"epsilon": 10**300}),
        *((ParameterError, "no variance", {"rows": rows}) for rows in (1, True, 2.5)),
    ):
        with pytest.raises(error, match=match):
            claims.beside_exact(**{**asked, **changes})
    with pytest.raises(ParameterError, match="no printed formula"):
        claims.beside_exact("P_M", **asked)


def test_no_plan_and_no_release_loads_a_printed_formula():
    program = (
        "import sys, snapdp; m = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=9); m.release(3); "
        "m.accuracy(); m.bias(3); m.bound_for('0.05'); m.noise_interval(3); "
        "from snapdp.accuracy.summary import worth_of_mechanism; "
        "worth_of_mechanism(epsilon=1, sensitivity=1, lower=0, upper=9); "
        "import snapdp.release, snapdp.audits, snapdp.cli.app; "
        "print([name for name in sys.modules if name.startswith('snapdp.lab.claims')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.long
def test_item_10_no_violation_of_cases_one_to_three_in_random_settings_and_many_of_case_four():
    seen = {case: Counter() for case in (1, 2, 3, 4)}
    draw = random.Random(20200826)
    for _ in range(4000):
        epsilon, bound = F(draw.randint(20, 900), 300), F(draw.randint(1, 400), 20)
        setting = {"epsilon": epsilon, "bound": bound, "if_value": bound * F(draw.randint(0, 100), 100)}
        alpha = F(draw.choice([1, 5, 20]), 100)
        found = beside("Algorithm 1", **setting, alpha=alpha, arithmetic="exact")
        m = claims.printed_mechanism(epsilon=epsilon, bound=bound, arithmetic="exact")
        seen[claims.get_accuracy(m, if_value=setting["if_value"], alpha=alpha).case][found.valid] += 1
    assert [seen[case][False] for case in (1, 2, 3)] == [0, 0, 0]
    assert all(seen[case][True] for case in (1, 2, 3))
    assert seen[4][False] > 10


def test_an_accuracy_that_is_missed_a_little_more_often_than_promised_is_not_valid():
    found = beside("Algorithm 1", **CLASSIC, if_value=10, alpha="0.1")
    assert F("0.01") < found.misses_by.lower < F("0.02")
    assert found.valid is False
