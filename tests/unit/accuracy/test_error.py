"""Accuracy: true for every value, attained, never above the published bounds; the table; both arithmetics."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

import snapdp
from snapdp.accuracy.error import SMALLEST_LEVEL, TOLERANCE, accuracy, alpha_for, unclamped_accuracy
from snapdp.accuracy.price import distance, price_table
from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.exact.numbers import parameter
from snapdp.mechanism.finite_precision import explicit_parameters
from snapdp.mechanism.parameters import Precision, SnappingParameters
from tests.tiers import one_in
from tests.unit.accuracy.brute import F, accuracy_by_enumeration, near_jumps, outputs, parameters, tail, walk

# As docs/theory/planning.md, and more: alpha = 0.05, units of the sensitivity, Lam the least power of two >= 1/eps.
TABLE = [
    ("0.01", "299.57", "320.00", "363.57", "399.57", "300.00"),
    ("0.05", "59.91", "66.78", "75.91", "79.91", "60.00"),
    ("0.1", "29.96", "33.39", "37.96", "39.96", "30.00"),
    ("0.25", "11.98", "13.63", "13.98", "15.98", "12.00"),
    ("0.3", "9.986", "11.69", "11.99", "13.32", "10.00"),
    ("0.5", "5.991", "6.815", "6.991", "7.991", "6.000"),
    ("0.7", "4.280", "5.000", "5.280", "5.708", "4.313"),
    ("0.9", "3.329", "4.000", "4.329", "4.440", "3.375"),
    ("1", "2.996", "3.408", "3.496", "3.996", "3.000"),
    ("1.5", "1.997", "2.438", "2.497", "2.664", "2.000"),
    ("2", "1.498", "1.704", "1.748", "1.998", "1.500"),
    ("2.5", "1.198", "1.292", "1.448", "1.598", "1.203"),
    ("4", "0.749", "0.852", "0.874", "0.999", "0.750"),
]


def prints_as(x: Fraction, printed: str) -> bool:
    unit = F(1, 10 ** len(printed.partition(".")[2]))
    return abs(x - F(printed)) <= unit / 2


@pytest.mark.parametrize(("epsilon", "laplace", "tight", "notes", "simple", "fine"), TABLE, ids=str)
def test_the_table_of_the_theory_is_reproduced_to_the_printed_digits(epsilon, laplace, tight, notes, simple, fine):
    declared = {"epsilon": epsilon, "sensitivity": 1, "lower": -1000, "upper": 1000}
    natural = parameters(**declared, grid="natural")
    assert prints_as(price_table(epsilons=[epsilon], grids=["natural"])[0].laplace_accuracy, laplace)
    assert prints_as(accuracy(natural), tight)
    assert prints_as(accuracy(natural, method="notes"), notes)
    assert prints_as(accuracy(natural, method="simple"), simple)
    assert prints_as(accuracy(parameters(**declared, grid="fine")), fine)


CASES = [
    {"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 10, "grid": "natural", "clamp": "range"},
    {"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 10, "grid": "natural"},
    {"epsilon": "0.7", "sensitivity": 1, "lower": 500, "upper": 520, "clamp": "range"},
    {"epsilon": "0.3", "sensitivity": "1/3", "lower": "-1/7", "upper": "5/3", "grid": "natural", "clamp": "range"},
    {"epsilon": 2, "sensitivity": 1, "lower": "3.1", "upper": "5.7", "grid": 2, "clamp": "range"},
    {"epsilon": "0.9", "sensitivity": 1, "lower": 0, "upper": 1, "grid": 2, "clamp": (-2, 4)},
    {"epsilon": 1, "sensitivity": 1, "lower": "0.3", "upper": "0.6", "grid": 16, "clamp": "range"},
    {"epsilon": "0.5", "sensitivity": 1, "lower": -3, "upper": 3, "grid": "1/4", "clamp": (-3, 20)},
]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("alpha", one_in(2, ["0.05", "0.01", "0.6", "0.3"]))
def test_the_tight_accuracy_is_true_for_every_value_and_a_little_less_is_not(case, alpha):
    check_valid_and_attained(parameters(**case), F(alpha))


@settings(max_examples=40, deadline=None)
@given(
    epsilon=st.fractions(min_value=F(1, 10), max_value=4, max_denominator=50),
    exponent=st.integers(-2, 3),
    lower=st.fractions(min_value=-20, max_value=20, max_denominator=12),
    width=st.fractions(min_value=F(1, 5), max_value=12, max_denominator=12),
    margin=st.fractions(min_value=0, max_value=9, max_denominator=4),
    alpha=st.fractions(min_value=F(1, 100), max_value=F(95, 100), max_denominator=100),
)
def test_any_mechanism_has_a_tight_accuracy_that_is_true_and_attained(epsilon, exponent, lower, width, margin, alpha):
    p = parameters(
        epsilon=epsilon,
        sensitivity=1,
        lower=lower,
        upper=lower + width,
        grid=F(2) ** exponent,
        clamp=(lower - margin / 3, lower + width + margin),
    )
    check_valid_and_attained(p, alpha)


def check_valid_and_attained(p: SnappingParameters, alpha: Fraction) -> None:
    a = accuracy(p, alpha=alpha) / p.unit
    values = outputs(p)
    gap = a * TOLERANCE / 8
    for f in walk(p, 37) + near_jumps(p, a, gap):
        assert tail(p, f, a, values).upper <= alpha
    less = a * (1 - 2 * TOLERANCE)  # a* lies within TOLERANCE below a
    assert a == 0 or any(tail(p, f, less, values).lower > alpha for f in walk(p, 37) + near_jumps(p, less, gap))
    assert a <= accuracy(p, alpha=alpha, method="notes") / p.unit


def test_an_accuracy_at_a_jump_is_the_rational_itself():
    short = parameters(epsilon="6/5", sensitivity=1, lower=0, upper="1/3", grid=4, clamp=(-5, 5))
    assert accuracy(short, alpha="0.48") == F(1, 3)  # the output 0 is near enough to every value
    beside = parameters(epsilon="1/5", sensitivity=1, lower="1/3", upper="5/3", grid=1, clamp=("-14/3", "8/3"))
    assert accuracy(beside, alpha="0.39") == F(8, 3)  # the upper end of the clamp, seen from 1/3


def test_an_end_of_the_clamp_off_the_grid_is_counted_where_it_is():
    p = explicit_parameters(noise_scale=F(3, 4), grid=F(1), bound=F("2.7"), precision=None)
    for alpha in (F(1, 20), F(1, 4), F(2, 3)):
        check_valid_and_attained(p, alpha)


@pytest.mark.parametrize("case", CASES[:6], ids=str)
@pytest.mark.parametrize("alpha", one_in(2, [F(1, 50), F(1, 20), F(1, 2), F(9, 10)]))
def test_the_accuracy_at_a_guessed_value_is_the_distance_to_an_output_found_by_trying_all(case, alpha):
    p = parameters(**case)
    for f in walk(p, 12):
        guessed = p.offset + p.unit * f
        found = accuracy(p, alpha=alpha, value=guessed)
        assert found == p.unit * accuracy_by_enumeration(p, f, alpha)
        assert found <= accuracy(p, alpha=alpha)


@pytest.mark.parametrize("bits", [24, 53])
def test_in_finite_precision_guessed_values_use_the_p_bit_law_and_the_worst_case_covers_them(bits):
    p = explicit_parameters(noise_scale=F(5, 4), grid=F(1), bound=F(6), precision=Precision.of(bits))
    for alpha in (F(1, 20), F(1, 3)):
        worst = accuracy(p, alpha=alpha)
        values = outputs(p)
        for f in walk(p, 23) + near_jumps(p, worst, F(1, 1 << 60)):
            assert tail(p, f, worst, values).upper <= alpha
        for f in walk(p, 11):
            found = accuracy(p, alpha=alpha, value=f)
            assert found == accuracy_by_enumeration(p, f, alpha) <= worst


def test_in_finite_precision_accuracies_are_in_data_units_of_a_scaled_mechanism():
    declared = {"epsilon": "0.5", "sensitivity": "1/10", "lower": 20, "upper": 30}
    p = parameters(**declared, arithmetic=snapdp.FinitePrecision())
    assert float(accuracy(p)) == pytest.approx(0.6815093514172485, rel=1e-12)
    distances = {abs(p.data_value(k) - 25) for k in range(p.low, p.high + 1)}
    assert accuracy(p, value=25) - p.printing_error in distances


def test_too_few_bits_for_the_range_are_refused_for_the_worst_case_only():
    p = explicit_parameters(noise_scale=F(5, 4), grid=F(1, 16), bound=F(100), precision=Precision.of(8))
    with pytest.raises(PremiseError, match="precision is too small"):
        accuracy(p)
    assert accuracy(p, value=3) == accuracy_by_enumeration(p, F(3), F(1, 20))


def test_at_a_guessed_value_accuracy_is_not_monotone_in_epsilon():
    at = {e: parameters(epsilon=e, sensitivity=1, lower=-64, upper=64, grid="natural") for e in ("0.4995", "0.5")}
    assert accuracy(at["0.4995"], value=0) == 4
    assert accuracy(at["0.5"], value=0) == 6


@settings(max_examples=60, deadline=None)
@given(
    scale=st.fractions(min_value=F(1, 50), max_value=50),
    exponent=st.integers(-6, 6),
    alpha=st.fractions(min_value=F(1, 10**6), max_value=F(999, 1000)),
)
@example(scale=F(1), exponent=40, alpha=F(1, 20))  # a grid far above the noise: e^(x/2) is beyond storing
@example(scale=F(1), exponent=-40, alpha=F(1, 20))
def test_without_a_clamp_half_the_grid_is_never_undercut_and_the_notes_never_exceeded(scale, exponent, alpha):
    grid = F(2) ** exponent
    a = unclamped_accuracy(noise_scale=scale, grid=grid, alpha=alpha)
    assert a >= grid / 2
    wide = explicit_parameters(noise_scale=scale, grid=grid, bound=max(a, scale) * 2**10, precision=None)
    assert a <= accuracy(wide, alpha=alpha, method="notes")


def test_alpha_and_accuracy_are_inverse_to_each_other():
    for case in CASES:
        p = parameters(**case)
        for alpha in ("0.05", "0.4"):
            a = accuracy(p, alpha=alpha)
            # The tail at a is <= alpha; its enclosure (2**-64) is rounded up to 53 bits (2**-52).
            assert alpha_for(p, accuracy=a) <= F(alpha) * (1 + F(1, 1 << 51))
            less = a * (1 - 2 * TOLERANCE)
            assert less == 0 or alpha_for(p, accuracy=less) > F(alpha)
            middle = (p.lower + p.upper) / 2
            assert alpha_for(p, accuracy=a, value=middle) <= alpha_for(p, accuracy=a)
        assert alpha_for(p, accuracy=10**6) == 0
        assert alpha_for(p, accuracy=0) <= 1


def test_alpha_at_a_guessed_value_is_the_tail_there():
    p = parameters(**CASES[0])
    found, exact = alpha_for(p, accuracy="1.5", value="2.2"), tail(p, F("2.2"), F("1.5"))
    assert exact.lower <= found <= exact.upper * (1 + F(1, 1 << 50))


def test_published_bounds_are_capped_by_the_largest_error_the_clamp_leaves():
    p = parameters(epsilon=1, sensitivity=1, lower=0, upper=1, grid=1, clamp="range")
    assert accuracy(p, method="notes") == accuracy(p, method="simple") == accuracy(p) == 1
    assert accuracy(p, method="notes", value="0.7") == F("0.7")


def test_the_simple_formula_is_refused_on_a_grid_above_two_noise_scales():
    p = parameters(epsilon=1, sensitivity=1, lower=0, upper=100, grid=4)
    with pytest.raises(PremiseError, match="grid <= 2 noise scales"):
        accuracy(p, method="simple")
    assert accuracy(p) <= accuracy(p, method="notes")


@pytest.mark.parametrize("alpha", [0, 1, "1.5", -1])
def test_a_level_that_is_no_probability_is_refused(alpha):
    p = parameters(**CASES[0])
    with pytest.raises(ParameterError, match=r"Give 0 < alpha < 1"):
        accuracy(p, alpha=alpha)


def test_other_bad_questions_are_refused_with_what_is_allowed():
    p = parameters(**CASES[0])
    with pytest.raises(ParameterError, match="larger alpha"):
        accuracy(p, alpha=SMALLEST_LEVEL / 2)
    with pytest.raises(BoundError, match="outside the public range 0 to 10"):
        accuracy(p, value=11)
    with pytest.raises(ParameterError, match='"tight", "notes" or "simple"'):
        accuracy(p, method="best")
    with pytest.raises(ParameterError, match="accuracy >= 0"):
        alpha_for(p, accuracy=-1)


def test_a_quantised_statistic_is_judged_at_its_quantised_value():
    p = parameters(epsilon=1, sensitivity=3, lower=0, upper="10.6", grid=1, step=3)
    assert p.inner(F("10.6")) == 11  # 12, clamped to the range outward to the grid
    assert accuracy(p, value="10.6") == accuracy_by_enumeration(p, F(11), F(1, 20))
    assert accuracy(p) >= accuracy(p, value="10.6")


# Round trips, and what a guess means


ALPHAS = ["0.05", "0.01", "1/3", "0.5", "0.9", "1e-9", F(1, 7), "0.0123456789", F(1, 3**40)]


@pytest.mark.parametrize("alpha", one_in(4, ALPHAS))
@pytest.mark.parametrize("arithmetic", [None, snapdp.FinitePrecision(), snapdp.FinitePrecision(rule="notes")])
@pytest.mark.parametrize("declared", [{"sensitivity": 1, "upper": 1000}, {"sensitivity": "1/3", "upper": 7}])
def test_the_alpha_of_an_accuracy_is_never_above_the_alpha_it_was_made_for(declared, arithmetic, alpha):
    for epsilon in ("0.5", "1/3", "1"):
        m = snapdp.Snapping(epsilon=epsilon, lower=0, arithmetic=arithmetic, **declared)
        level = parameter(alpha, name="alpha")
        for value in (None, 0, "7/2", 5.1):
            assert m.alpha(accuracy=m.accuracy(alpha=alpha, value=value), value=value) <= level
        for method in ("notes", "simple"):
            if method == "notes" or m.parameters.grid <= 2 * m.parameters.noise_scale:
                assert m.alpha(accuracy=m.accuracy(alpha=alpha, method=method)) <= level


def test_a_guess_is_the_same_number_in_every_method():
    m = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=10)
    single = np.float32(0.1)
    spellings = {0.3: F(0.3), "0.3": F(3, 10), Decimal("0.3"): F(3, 10), single: F(float(single))}
    for spelled, exact in spellings.items():
        assert m.law(spelled).inner_value == exact
        assert m.law(spelled).value == m.law(exact).value
        for method in (m.bias, m.mse, m.variance, m.expected_absolute_error, m.binding_probability):
            assert method(spelled) == method(exact)
        assert m.accuracy(value=spelled) == m.accuracy(value=exact)
        assert m.alpha(accuracy=1, value=spelled) == m.alpha(accuracy=1, value=exact)
        assert distance(m.parameters, spelled).value == exact
        assert m.bias(spelled) == m.law(spelled).bias
    assert m.bias(0.3) != m.bias("0.3")


def test_an_end_of_the_range_may_be_guessed_as_it_is_written():
    m = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0.3, upper=0.7)
    for end in (0.3, "0.3", 0.7, "0.7"):
        assert m.accuracy(value=end) > 0
    with pytest.raises(BoundError, match="outside the public range"):
        m.accuracy(value=0.29999)
