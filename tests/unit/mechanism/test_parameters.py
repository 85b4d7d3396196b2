"""Parameters of exact arithmetic: noise scale, grid, clamp and conversions, in exact rationals."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from snapdp import FinitePrecision, Snapping
from snapdp.exact.numbers import to_float_nearest
from snapdp.mechanism.parameters import EXACT_GAMMA, FINE, SnappingParameters, binding_index, exact_parameters
from snapdp.values import replaced
from tests.unit import arb, arb_ends

PROPERTY = settings(deadline=None, max_examples=80)

epsilons = st.fractions(min_value=Fraction(1, 1000), max_value=50, max_denominator=1000).filter(bool)
sensitivities = st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=1000).filter(bool)
gammas = st.fractions(min_value=Fraction(1, 10**9), max_value=Fraction(99, 100), max_denominator=10**9)


@st.composite
def ranges(draw):
    lower = draw(st.fractions(min_value=-1000, max_value=1000, max_denominator=97))
    return lower, lower + draw(st.fractions(min_value=Fraction(1, 97), max_value=2000, max_denominator=97))


def binding_probability(p: SnappingParameters, *, high: int) -> tuple[Fraction, Fraction]:
    """Enclose the probability that an upper clamp at `high` changes the output, at the value where it is largest.

    P(round(f + Y) > high) = P(Y >= (high + 1/2) grid - f) = e^(-t/lam)/2, t = (high + 1/2) grid - upper >= 0
    (mechanism (4)). The lower clamp is the mirror image.
    """
    t = (high + Fraction(1, 2)) * p.grid - p.upper
    assert t >= 0
    return arb_ends(lambda: (-arb(t / p.noise_scale)).exp() / 2)


def mirrored(p: SnappingParameters) -> SnappingParameters:
    return exact_parameters(
        epsilon=p.epsilon, sensitivity=p.sensitivity, lower=-p.upper, upper=-p.lower, grid=p.grid, clamp="range"
    )


# Noise scale and grid


@pytest.mark.parametrize(
    ("epsilon", "sensitivity", "scale", "natural"),
    [
        (1, 1, 1, 1),
        ("0.5", 1, 2, 2),
        (0.1, 1, 10, 16),
        (Decimal("0.3"), 1, Fraction(10, 3), 4),
        ("1/3", "1/7", Fraction(3, 7), Fraction(1, 2)),
        (np.float32(0.1), np.int16(120), 1200, 2048),
        (4, 1, Fraction(1, 4), Fraction(1, 4)),
        ("0.999999999999999999999", 1, Fraction(10**21, 10**21 - 1), 2),
    ],
)
def test_noise_scale_and_grid_are_exact(epsilon, sensitivity, scale, natural):
    m = Snapping(epsilon=epsilon, sensitivity=sensitivity, lower=0, upper=1000)
    assert m.parameters.noise_scale == scale
    assert m.parameters.grid == Fraction(natural) / 16
    wide = Snapping(epsilon=epsilon, sensitivity=sensitivity, lower=0, upper=1000, grid="natural")
    assert wide.parameters.grid == natural


@PROPERTY
@given(epsilon=epsilons, sensitivity=sensitivities)
def test_the_natural_grid_is_the_smallest_power_of_two_that_reaches_the_noise_scale(epsilon, sensitivity):
    shared = {"epsilon": epsilon, "sensitivity": sensitivity, "lower": 0, "upper": 10}
    natural = exact_parameters(**shared, grid="natural")
    assert natural.noise_scale == sensitivity / epsilon
    assert natural.grid / 2 < natural.noise_scale <= natural.grid
    assert exact_parameters(**shared, grid="fine").grid == exact_parameters(**shared).grid == natural.grid / FINE


@pytest.mark.parametrize("grid", [4, "1/8", 0.25, Decimal("0.5"), Fraction(1, 1024), 2.0**-20])
def test_a_power_of_two_can_be_asked_for(grid):
    assert Snapping(epsilon=1, sensitivity=1, lower=0, upper=10, grid=grid).parameters.grid == Fraction(grid)


def test_exact_arithmetic_works_in_data_units():
    p = Snapping(epsilon="1/3", sensitivity=7, lower=500, upper=1000).parameters
    assert (p.offset, p.unit) == (0, 1)
    assert p.arithmetic == "exact"
    assert (p.precision, p.eta, p.effective_epsilon, p.bound, p.rule) == (None,) * 5
    assert (p.epsilon, p.sensitivity, p.lower, p.upper) == (Fraction(1, 3), 7, 500, 1000)


# The clamp


@PROPERTY
@given(epsilon=epsilons, sensitivity=sensitivities, span=ranges(), gamma=gammas)
@example(epsilon=Fraction(1), sensitivity=Fraction(1), span=(Fraction(500), Fraction(1000)), gamma=Fraction(1, 20))
@example(epsilon=Fraction(1), sensitivity=Fraction(1), span=(Fraction(-10), Fraction(30)), gamma=Fraction(1, 20))
@example(epsilon=Fraction(1, 2), sensitivity=Fraction(1), span=(Fraction(-1000), Fraction(-500)), gamma=Fraction(1, 2))
def test_the_wide_clamp_is_the_narrowest_that_keeps_gamma(epsilon, sensitivity, span, gamma):
    lower, upper = span
    p = exact_parameters(epsilon=epsilon, sensitivity=sensitivity, lower=lower, upper=upper, gamma=gamma)
    for side, high in ((p, p.high), (mirrored(p), -p.low)):
        assert binding_probability(side, high=high)[1] <= gamma / 2
        if high * p.grid >= side.upper + p.grid:  # one step less still contains the range
            assert binding_probability(side, high=high - 1)[0] > gamma / 2


@pytest.mark.parametrize(("lower", "upper"), [(500, 1000), (-10, 30), (0, "0.3"), ("-1/3", "1/3"), (-1000, -999)])
@pytest.mark.parametrize("epsilon", ["0.01", "0.3", 1, 7])
def test_the_default_clamp_changes_an_output_with_probability_at_most_two_to_the_minus_forty(epsilon, lower, upper):
    p = Snapping(epsilon=epsilon, sensitivity=1, lower=lower, upper=upper).parameters
    assert Fraction(1, 2**40) == EXACT_GAMMA
    for side, high in ((p, p.high), (mirrored(p), -p.low)):
        assert binding_probability(side, high=high)[1] <= EXACT_GAMMA / 2
        assert binding_probability(side, high=high - 1)[0] > EXACT_GAMMA / 2


@PROPERTY
@given(end=st.fractions(-1000, 1000, max_denominator=64), scale=sensitivities, gamma=gammas)
def test_the_binding_index_is_the_least_that_satisfies_its_inequality(end, scale, gamma):
    index = binding_index(end, scale=scale, gamma=gamma)
    low, high = arb_ends(lambda: arb(end) + arb(scale) * arb(1 / gamma).log())
    assert index + Fraction(1, 2) >= high
    assert index - Fraction(1, 2) < low


@PROPERTY
@given(epsilon=epsilons, sensitivity=sensitivities, span=ranges(), grid=st.sampled_from(["natural", "fine"]))
def test_the_range_clamp_is_the_public_range_outward_to_the_grid(epsilon, sensitivity, span, grid):
    lower, upper = span
    p = exact_parameters(epsilon=epsilon, sensitivity=sensitivity, lower=lower, upper=upper, grid=grid, clamp="range")
    assert p.low * p.grid <= lower < (p.low + 1) * p.grid
    assert (p.high - 1) * p.grid < upper <= p.high * p.grid
    assert (p.value_lower, p.value_upper) == (p.end_lower, p.end_upper) == (p.low * p.grid, p.high * p.grid)


@pytest.mark.parametrize("clamp", [(0, 100), ("-0.01", 100.3), [-5, Fraction(1001, 10)]])
def test_a_pair_is_widened_outward_to_the_grid(clamp):
    p = Snapping(epsilon=1, sensitivity=1, lower=0, upper=100, grid=8, clamp=clamp).parameters
    low, high = (Fraction(str(end)) for end in clamp)
    assert p.low * 8 <= low < p.low * 8 + 8
    assert p.high * 8 - 8 < high <= p.high * 8
    assert (p.value_lower, p.value_upper) == (0, 104)  # the value itself is clamped to the range


def test_the_wide_clamp_contains_the_range_also_where_gamma_asks_for_less():
    p = Snapping(epsilon=100, sensitivity=1, lower=0, upper=10, grid=1, gamma="0.99").parameters
    assert (p.low, p.high) == (0, 10)


def test_a_clamp_far_from_zero_uses_indices_far_from_zero():
    p = Snapping(epsilon=1, sensitivity=1, lower=500, upper=1000).parameters
    assert 16 * 400 < p.low < 16 * 500 < 16 * 1000 < p.high < 16 * 1100


# Conversions


@pytest.mark.parametrize(
    ("value", "inner"),
    [
        (500, 500),
        (733.25, Fraction("733.25")),
        (0.1, 500),
        (10**40, 1000),
        (math.inf, 1000),
        (-math.inf, 500),
        (Fraction(2001, 3), 667),
        (Decimal("700.1"), Fraction("700.1")),
        (np.int16(600), 600),
        (np.float32(600.1), Fraction(float(np.float32(600.1)))),
    ],
)
def test_a_value_is_taken_exactly_and_clamped_to_the_range(value, inner):
    p = Snapping(epsilon=1, sensitivity=1, lower=500, upper=1000).parameters
    assert p.inner(value) == inner


@pytest.mark.parametrize(
    ("value", "quantised"), [(0.04, 0), (0.05, "0.1"), (0.15, "0.1"), (-0.05, "-0.1"), (Fraction(-1, 20), 0)]
)
def test_a_step_rounds_the_stored_value_and_ties_go_up(value, quantised):
    # 0.05 is stored a little above 1/20 and 0.15 a little below 3/20; only the fraction is a tie.
    p = Snapping(epsilon=1, sensitivity=1, lower=-1, upper=1, step="0.1").parameters
    assert p.step == Fraction(1, 10)
    assert p.inner(value) == Fraction(quantised)


@PROPERTY
@given(
    x=st.fractions(-50, 50, max_denominator=1000),
    apart=st.fractions(0, 1, max_denominator=1000),
    steps=st.sampled_from([1, 2, 10]),
)
def test_a_step_that_divides_the_sensitivity_keeps_it(x, apart, steps):
    p = Snapping(epsilon=1, sensitivity=1, lower=-100, upper=100, step=Fraction(1, steps)).parameters
    assert 0 <= p.inner(x + apart) - p.inner(x) <= 1


@PROPERTY
@given(epsilon=epsilons, span=ranges(), part=st.fractions(0, 1, max_denominator=50))
def test_the_released_number_is_the_multiple_of_the_grid_itself(epsilon, span, part):
    p = exact_parameters(epsilon=epsilon, sensitivity=1, lower=span[0], upper=span[1])
    index = p.low + math.floor((p.high - p.low) * part)
    assert p.data_value(index) == index * p.grid
    assert Fraction(p.released(index)) == index * p.grid
    assert p.lattice == (int(math.log2(p.grid)), 0)
    assert p.data_grid == p.grid


def test_off_the_lattice_the_released_number_is_correctly_rounded():
    m = Snapping(epsilon=1, sensitivity="1/3", lower=0, upper=10, arithmetic=FinitePrecision())
    p = m.parameters
    assert p.lattice is None
    for index in range(p.low, p.high + 1):
        assert p.data_value(index) == 5 + Fraction(1, 3) * p.grid * index
        assert p.released(index) == to_float_nearest(p.data_value(index))


@pytest.mark.parametrize(
    ("declared", "exact"),
    [
        ({"sensitivity": 1, "lower": 0, "upper": 100}, True),  # 50 + 4 k: no lattice, yet doubles
        ({"sensitivity": 3, "lower": 0, "upper": 90}, True),
        ({"sensitivity": "1/3", "lower": 0, "upper": 10}, False),
        ({"sensitivity": "0.1", "lower": "1000000000.05", "upper": "1000000100"}, False),
        ({"sensitivity": 1, "lower": 2**53 + 1, "upper": 2**53 + 64, "grid": 4}, False),
    ],
)
def test_a_printed_number_is_off_by_the_printing_error_at_most_which_is_nothing_where_outputs_are_doubles(
    declared, exact
):
    p = Snapping(epsilon="0.3", arithmetic="proved", **declared).parameters
    off = {abs(Fraction(p.released(index)) - p.data_value(index)) for index in range(p.low, p.high + 1)}
    assert max(off) <= p.printing_error
    assert (p.printing_error == 0) == exact == (max(off) == 0)


def test_outputs_on_a_coarse_lattice_print_exactly_however_far_they_reach():
    p = Snapping(epsilon=1, sensitivity=2**60, lower=0, upper=2**70).parameters
    assert p.furthest > 2**53
    assert p.printing_error == 0


def test_zero_is_released_without_a_sign():
    p = Snapping(epsilon=1, sensitivity=1, lower=-10, upper=10).parameters
    assert math.copysign(1.0, p.released(0)) == 1.0


def test_a_changed_copy_is_checked_again():
    p = Snapping(epsilon=1, sensitivity=1, lower=-10, upper=10).parameters
    assert replaced(p, step=Fraction(1, 2)).step == Fraction(1, 2)
    with pytest.raises(ValueError, match=r"2\*\*52"):
        replaced(p, high=2**53)


def test_a_number_too_small_for_a_double_is_released_as_positive_zero():
    m = Snapping(
        epsilon=1,
        sensitivity=1,
        lower=Fraction(-2) - Fraction(2, 10**400),
        upper=2,
        arithmetic=FinitePrecision(),
    )
    assert math.copysign(1, m.parameters.released(0)) == 1
