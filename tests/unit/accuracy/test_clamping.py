"""The clamp: how often it changes an output, and the narrowest one for a binding probability."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings, strategies as st

import snapdp
from snapdp.accuracy.clamping import binding_probability, bound_for, worst_binding
from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.exact.enclosure import enclose
from snapdp.mechanism.finite_precision import explicit_parameters
from snapdp.mechanism.law.law import law_of
from snapdp.mechanism.parameters import Inner, Precision
from tests.unit.accuracy.brute import F, overlap, parameters, walk


def beyond_the_clamp(p, f, wide):
    """P(rounded value outside the clamp of p), from the law of the same mechanism with a far wider clamp."""
    law = law_of(Inner(f), wide)
    rounded = (k for k in law.support if not p.end_lower <= k * p.grid <= p.end_upper)
    return sum((law.index_probability(k) for k in rounded), enclose(0))


@pytest.mark.parametrize("precision", [None, Precision.of(24)])
@pytest.mark.parametrize("bound", [F(3), F("2.7"), F("2.3")])
def test_binding_is_that_the_rounded_value_lies_beyond_the_clamp(precision, bound):
    shape = {"noise_scale": F(3, 4), "grid": F(1), "precision": precision}
    p = explicit_parameters(**shape, bound=bound)
    wide = explicit_parameters(**shape, bound=F(90))
    for f in walk(p, 8):
        found = binding_probability(p, f)
        assert overlap(found, beyond_the_clamp(p, f, wide))
        assert found.upper <= law_of(Inner(f), p).clamp_mass.upper  # being an end point is more frequent


def test_binding_in_a_range_of_two_to_the_fortieth_is_tiny_and_can_still_be_asked():
    for arithmetic in (None, snapdp.FinitePrecision()):
        p = parameters(epsilon=1, sensitivity=1, lower=0, upper=2**40, arithmetic=arithmetic)
        found = binding_probability(p, 2**39)
        assert 0 <= found.lower <= found.upper < F(1, 2**60000)


# (epsilon, sensitivity, lower, upper, grid)
RANGES = [
    (1, 1, -10, 10, "natural"),
    (1, 100, -1000, 1000, "natural"),
    ("0.001", "0.012", -200, 200, "natural"),
    ("0.001", "0.012", -200, 200, "fine"),
    ("0.7", 1, 500, "520.3", "fine"),
    (2, 1, "0.1", "0.2", 1),
]


@pytest.mark.parametrize(("epsilon", "sensitivity", "lower", "upper", "grid"), RANGES)
@pytest.mark.parametrize("gamma", ["0.05", "0.3", "0.001"])
def test_the_tight_clamp_keeps_gamma_for_every_value_and_one_grid_step_less_does_not(
    epsilon, sensitivity, lower, upper, grid, gamma
):
    declared = {"epsilon": epsilon, "sensitivity": sensitivity, "lower": lower, "upper": upper, "grid": grid}
    clamp = bound_for(parameters(**declared), gamma=gamma)
    assert clamp.binding <= F(gamma)
    p = parameters(**declared, clamp=(clamp.end_lower, clamp.end_upper))
    assert (p.low, p.high) == (clamp.low, clamp.high)
    for f in walk(p, 20):
        assert binding_probability(p, f).upper <= F(gamma)
    ends = (binding_probability(p, p.lower), binding_probability(p, p.upper))
    assert max(e.upper for e in ends) <= clamp.binding <= max(e.upper for e in ends) * (1 + F(1, 1 << 50))
    inside = (math.floor(p.lower / p.grid), math.ceil(p.upper / p.grid))
    if (clamp.low, clamp.high) != inside:
        assert worst_binding(p, low=min(clamp.low + 1, inside[0]), high=max(clamp.high - 1, inside[1])) > F(gamma)
    notes = bound_for(p, gamma=gamma, method="notes")
    assert clamp.bound <= notes.bound
    assert notes.binding <= F(gamma)


@pytest.mark.parametrize(("epsilon", "sensitivity", "lower", "upper", "grid"), RANGES[1:3])
def test_one_step_less_at_either_end_alone_already_fails_on_a_wide_range(epsilon, sensitivity, lower, upper, grid):
    p = parameters(epsilon=epsilon, sensitivity=sensitivity, lower=lower, upper=upper, grid=grid)
    clamp = bound_for(p, gamma="0.05")
    assert worst_binding(p, low=clamp.low + 1, high=clamp.high) > F("0.05")
    assert worst_binding(p, low=clamp.low, high=clamp.high - 1) > F("0.05")


@settings(max_examples=50, deadline=None)
@given(
    epsilon=st.fractions(min_value=F(1, 20), max_value=5, max_denominator=40),
    lower=st.fractions(min_value=-30, max_value=30, max_denominator=10),
    width=st.fractions(min_value=F(1, 10), max_value=30, max_denominator=10),
    exponent=st.integers(-4, 4),
    gamma=st.fractions(min_value=F(1, 10**6), max_value=F(9, 10)),
)
def test_any_tight_clamp_keeps_gamma_and_is_narrowest_with_its_margin(epsilon, lower, width, exponent, gamma):
    p = parameters(epsilon=epsilon, sensitivity=1, lower=lower, upper=lower + width, grid=F(2) ** exponent)
    clamp = bound_for(p, gamma=gamma)
    # worst_binding and the record round up twice to 53 bits.
    assert worst_binding(p, low=clamp.low, high=clamp.high) <= gamma * (1 + F(1, 1 << 51))
    inside = (math.floor(p.lower / p.grid), math.ceil(p.upper / p.grid))
    if clamp.low < inside[0] and clamp.high > inside[1]:
        assert worst_binding(p, low=clamp.low + 1, high=clamp.high - 1) > gamma


def test_the_figures_of_the_theory():
    p = parameters(epsilon=1, sensitivity=1, lower=-10, upper=10, grid="natural")
    tight, notes = bound_for(p, gamma="0.05"), bound_for(p, gamma="0.05", method="notes")
    assert (tight.low, tight.high) == (-12, 12)
    assert float(notes.bound) == pytest.approx(16.99, abs=5e-3)
    as_printed = explicit_parameters(noise_scale=F(1), grid=F(1), bound=F("16.99"), precision=None)
    assert float(binding_probability(as_printed, 10)) == pytest.approx(0.00075, abs=5e-6)


def test_in_finite_precision_the_clamp_is_symmetric_and_keeps_gamma_in_the_p_bit_law():
    declared = {"epsilon": "0.5", "sensitivity": 3, "lower": 20, "upper": 30}
    p = parameters(**declared, arithmetic=snapdp.FinitePrecision(bits=53), grid=1)
    clamp = bound_for(p, gamma="0.05")
    assert clamp.low == -clamp.high
    assert clamp.end_upper - 25 == 25 - clamp.end_lower == 3 * clamp.high
    chosen = parameters(**declared, arithmetic=snapdp.FinitePrecision(bits=53), grid=1, bound=clamp.high)
    for value in (20, "22.2", 25, 30):
        assert binding_probability(chosen, value).upper <= F("0.05")


@pytest.mark.parametrize("arithmetic", ["exact", "proved", "notes"])
def test_a_gamma_of_one_allows_every_output_to_be_changed_and_asks_for_the_range_alone(arithmetic):
    """The notes allow it: gamma in (0, 1]. At 1/2 the margin is above 0 by less than any enclosure shows."""
    p = parameters(epsilon=1, sensitivity=1, lower=0, upper=10**6, arithmetic=arithmetic, gamma=1)
    surely = bound_for(p, gamma=1)
    assert (surely.bound, surely.gamma) == (500_000, 1)
    assert float(bound_for(p, gamma=1, method="notes").bound) == pytest.approx(500_001)
    assert p.data_value(p.high) - 10**6 in (0, p.data_grid)
    half = bound_for(p, gamma="1/2")
    assert half.binding <= F(1, 2)
    assert half.end_upper - surely.end_upper in (0, p.data_grid)


def test_a_bound_is_told_in_data_units_and_as_a_mechanism_takes_it():
    for sensitivity in (100, "0.1"):
        declared = {"epsilon": 1, "sensitivity": sensitivity, "lower": -1000, "upper": 1000, "arithmetic": "notes"}
        least = bound_for(parameters(**declared), gamma="0.05")
        assert least.in_sensitivities * F(sensitivity) == least.bound
        chosen = parameters(**declared, bound=least.in_sensitivities)
        assert chosen.data_value(chosen.high) == least.end_upper


def test_bad_questions_are_refused():
    p = parameters(epsilon=1, sensitivity=1, lower=0, upper=10)
    for gamma in (0, "1.001", "2"):
        with pytest.raises(ParameterError, match=r"Give 0 < gamma <= 1"):
            bound_for(p, gamma=gamma)
    with pytest.raises(ParameterError, match='"tight" or "notes"'):
        bound_for(p, gamma="0.05", method="simple")
    with pytest.raises(BoundError, match="public range"):
        binding_probability(p, 11)
    tiny = parameters(epsilon=F(1, 1 << 118), sensitivity=1, lower=0, upper=10)
    with pytest.raises(PremiseError, match="epsilon > 2"):
        bound_for(tiny, gamma="0.05", method="notes")
    assert bound_for(tiny, gamma="0.05").binding <= F("0.05")


@pytest.mark.parametrize("gamma", ["0.9", "0.05", "0.01"])
@pytest.mark.parametrize("arithmetic", ["notes", "proved"])
def test_an_output_stands_at_an_end_of_the_own_clamp_of_finite_precision_with_probability_gamma_at_most(
    gamma, arithmetic
):
    for epsilon, width in (("0.9", 2000), (1, 10), ("1/3", 7)):
        p = snapdp.Snapping(
            epsilon=epsilon, sensitivity=1, lower=0, upper=width, arithmetic=arithmetic, gamma=gamma
        ).parameters
        own = [law_of(p.inner(end), p).clamp_mass.upper for end in (0, width)]
        assert max(own) <= F(gamma)
        assert binding_probability(p, width).upper <= bound_for(p, gamma=gamma).binding
        assert bound_for(p, gamma=gamma).high in (p.high, p.high - 1)


def test_one_step_less_than_the_own_clamp_lets_outputs_stand_at_its_end_more_often():
    declared = {"epsilon": "0.9", "sensitivity": 1, "lower": -1000, "upper": 1000, "arithmetic": "notes"}
    own = snapdp.Snapping(**declared, gamma="0.01")
    narrower = snapdp.Snapping(**declared, bound=own.parameters.bound - own.parameters.grid)
    assert own.law(1000).clamp_mass.upper <= F("0.01") < narrower.law(1000).clamp_mass.lower
