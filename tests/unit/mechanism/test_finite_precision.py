"""Parameters of p-bit arithmetic: the circle of bound, precision, effective epsilon and noise scale, in that order."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, reject, settings, strategies as st

from snapdp import FinitePrecision, ParameterError, PremiseError, Snapping, lab
from snapdp.audits.check_program import check
from snapdp.exact.dyadic import next_below, round_up
from snapdp.mechanism.finite_precision import (
    SLACK,
    explicit_parameters,
    finite_parameters,
    notes_effective_epsilon,
    required_bits,
    sufficient_bound,
)
from snapdp.mechanism.law.finite import liu_loss, mironov_loss, proved_loss
from snapdp.mechanism.law.loss import worst_pair
from snapdp.mechanism.parameters import FINITE_GAMMA, Precision, SnappingParameters
from snapdp.values import replaced
from tests.unit import arb, arb_ends

HALF = Fraction(1, 2)
PROPERTY = settings(deadline=None, max_examples=60)

epsilons = st.fractions(min_value=Fraction(1, 1000), max_value=20, max_denominator=1000).filter(bool)
sensitivities = st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=1000).filter(bool)
rules = st.sampled_from(["proved", "notes"])
precisions = st.sampled_from([None, 64, 118, 200])


@st.composite
def requests(draw) -> dict[str, Any]:
    lower = draw(st.fractions(min_value=-1000, max_value=1000, max_denominator=64))
    return {
        "epsilon": draw(epsilons),
        "sensitivity": draw(sensitivities),
        "lower": lower,
        "upper": lower + draw(st.fractions(min_value=Fraction(1, 64), max_value=2000, max_denominator=64)),
        "arithmetic": FinitePrecision(bits=draw(precisions), rule=draw(rules)),
    }


def finite(*, rule: str = "proved", bits: int | None = None, **declared: Any) -> SnappingParameters:
    return Snapping(**declared, arithmetic=FinitePrecision(bits=bits, rule=rule)).parameters


def accepted(request: dict[str, Any], *, rule: str | None = None) -> SnappingParameters:
    """Return the parameters of a request; one that is refused says nothing here (acceptance has its own test)."""
    arithmetic = request["arithmetic"]
    try:
        return finite_parameters(**{**request, "arithmetic": replaced(arithmetic, rule=rule or arithmetic.rule)})
    except PremiseError:
        reject()


def half_width(p: SnappingParameters) -> Fraction:
    return (p.upper - p.lower) / (2 * p.sensitivity)


def binding_probability(p: SnappingParameters, *, bound: Fraction, scale: Fraction) -> tuple[Fraction, Fraction]:
    """Enclose P(|out| = B) at the end of the range, for Laplace noise and a bound that is a multiple of the grid.

    The output is B iff f + Y >= B - grid/2, and -B iff f + Y < -B + grid/2, B >= B' + grid/2.
    """
    f, edge = half_width(p), bound - p.grid / 2
    assert edge >= f
    return arb_ends(lambda: ((-arb((edge - f) / scale)).exp() + (-arb((edge + f) / scale)).exp()) / 2)


def arb_proved_loss(p: SnappingParameters) -> tuple[Fraction, Fraction]:
    """Enclose the bound of docs/theory/finite-precision.md, (3)-(6), written out again in ball arithmetic."""
    lam, grid, bound, precision = p.noise_scale, p.grid, p.bound, p.precision
    stretch = (1 + Fraction(1, 2**precision.logarithm)) * (1 + Fraction(1, 2**precision.product))
    reach = (math.ceil(bound / grid) - Fraction(1, 2)) * grid + bound

    def loss() -> Any:
        q = (-arb(grid / lam)).exp()

        def kd(t: Fraction) -> Any:
            return 1 - (-arb(t / lam * (stretch - 1))).exp()

        def ku(t: Fraction) -> Any:
            return arb(1 + Fraction(2, 2**precision.uniform)) * arb(t / lam * (1 - 1 / stretch)).exp() - 1

        near = (1 + q) / (1 - q)
        above = ((ku(reach) + q * kd(reach)) / (1 - q)).max(kd(grid) * near)
        below = ((kd(reach) + q * ku(reach)) / (1 - q)).max(ku(grid) * near)
        return arb(1 / lam) + ((1 + above) / (1 - below)).log()

    return arb_ends(loss, bits=4 * max(precision.uniform, precision.logarithm, precision.product))


# Coordinates


def test_inner_coordinates_are_sensitivities_from_the_middle_of_the_range():
    p = finite(epsilon=1, sensitivity=4, lower=-10, upper=30)
    assert (p.offset, p.unit) == (10, 4)
    assert p.inner(30) == 5
    assert p.inner(-10) == -5
    assert p.inner(10) == 0
    assert p.inner(31) == p.inner(math.inf) == p.value_upper == 5
    assert p.data_value(1) == 10 + 4 * p.grid


def test_a_range_away_from_zero_is_centred():
    p = finite(epsilon=1, sensitivity=1, lower=500, upper=1000)
    assert p.offset == 750
    assert p.value_upper == 250
    assert (p.low, p.high) == (-p.bound / p.grid, p.bound / p.grid)
    assert p.data_value(0) == 750


# The circle


@pytest.mark.parametrize("rule", ["notes", "proved"])
def test_every_ordinary_request_is_accepted_at_the_default_precision(rule):
    refused = []
    for hundredths in range(5, 505, 5):
        try:
            finite(rule=rule, epsilon=Fraction(hundredths, 100), sensitivity=1, lower=0, upper=10)
        except PremiseError:
            refused.append(hundredths)
    assert refused == []


@PROPERTY
@given(request=requests())
def test_the_noise_scale_stays_below_the_one_the_bound_was_computed_with(request):
    p = accepted(request)
    assert 1 / p.epsilon < p.noise_scale <= SLACK / p.epsilon
    assert p.effective_epsilon < p.epsilon
    assert p.precision == Precision.of(request["arithmetic"].bits or required_bits(epsilon=p.epsilon, bound=p.bound))


@PROPERTY
@given(request=requests())
@example(
    request={"epsilon": 1, "sensitivity": 1, "lower": 500, "upper": 1000, "arithmetic": FinitePrecision(rule="notes")}
)
def test_the_bound_is_the_least_multiple_of_the_grid_that_keeps_gamma(request):
    p = accepted(request)
    assert (p.bound / p.grid).denominator == 1
    assert p.bound >= half_width(p)
    assert (p.end_lower, p.end_upper) == (-p.bound, p.bound)
    scale = SLACK / p.epsilon
    assert binding_probability(p, bound=p.bound, scale=scale)[1] <= FINITE_GAMMA
    assert binding_probability(p, bound=p.bound, scale=p.noise_scale)[1] <= FINITE_GAMMA
    if p.bound - p.grid - p.grid / 2 >= half_width(p):
        assert binding_probability(p, bound=p.bound - p.grid, scale=scale)[0] > FINITE_GAMMA


@PROPERTY
@given(request=requests())
def test_values_are_clamped_to_the_range_outward_to_the_grid_inside_the_bound(request):
    p = accepted(request)
    assert half_width(p) <= p.value_upper < half_width(p) + p.grid
    assert p.value_lower == -p.value_upper
    assert p.value_upper <= p.bound


@PROPERTY
@given(request=requests())
def test_the_notes_rule_is_the_formula_of_the_notes(request):
    p = accepted(request, rule="notes")
    bits = p.precision.uniform
    eta = Fraction(1, 2**bits)
    assert p.eta == eta
    assert p.effective_epsilon == (p.epsilon - 2 * eta) / (1 + 12 * p.bound * eta)
    assert p.effective_epsilon == notes_effective_epsilon(epsilon=p.epsilon, bound=p.bound, eta=eta)
    assert next_below(p.noise_scale, bits) < 1 / p.effective_epsilon <= p.noise_scale  # rounded up to p bits
    assert p.grid / 2 < p.noise_scale <= p.grid
    assert p.bound > p.noise_scale
    assert mironov_loss(p) <= p.epsilon


@PROPERTY
@given(request=requests())
@example(request={"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 10, "arithmetic": FinitePrecision(bits=40)})
def test_the_proved_rule_never_exceeds_epsilon(request):
    p = accepted(request, rule="proved")
    assert p.rule == "proved"
    low, high = arb_proved_loss(p)
    assert high <= p.epsilon
    ours = proved_loss(noise_scale=p.noise_scale, grid=p.grid, bound=p.bound, precision=p.precision)
    assert high <= ours <= p.epsilon
    # Rounded up with 192 bits beyond twice the precision, a handful of operations: 2**-100 of the overhead is generous.
    assert ours - low <= (ours - 1 / p.noise_scale) / 2**100


@pytest.mark.parametrize("grid", ["natural", "fine", 1, "1/4096", 64])
@pytest.mark.parametrize("bits", [53, 118])
def test_the_proved_rule_holds_for_any_grid(grid, bits):
    m = Snapping(epsilon="0.3", sensitivity=1, lower=-10, upper=30, grid=grid, arithmetic=FinitePrecision(bits=bits))
    assert arb_proved_loss(m.parameters)[1] <= Fraction(3, 10)


def test_the_proved_rule_would_not_hold_at_the_noise_scale_of_exact_arithmetic():
    p = finite(epsilon="0.5", sensitivity=1, lower=0, upper=20, bits=30)
    loss = proved_loss(noise_scale=1 / p.epsilon, grid=p.grid, bound=p.bound, precision=p.precision)
    assert loss > p.epsilon


def test_the_proof_says_nothing_where_precision_is_far_too_low():
    assert (
        proved_loss(noise_scale=Fraction(1), grid=Fraction(1), bound=Fraction(1000), precision=Precision.of(4)) is None
    )


# Grid


def test_at_a_half_the_notes_double_the_grid_and_the_proved_rule_does_not():
    shared = {"epsilon": "0.5", "sensitivity": 1, "lower": 0, "upper": 20, "bits": 118}
    notes, proved = finite(rule="notes", **shared), finite(rule="proved", **shared)
    assert notes.noise_scale > 2
    assert notes.noise_scale - 2 < Fraction(1, 10**30)
    assert notes.grid == 4
    assert proved.noise_scale > 2
    assert proved.grid == 2


@pytest.mark.parametrize("epsilon", ["0.3", "0.7", 3])
def test_away_from_powers_of_two_both_rules_take_the_natural_grid(epsilon):
    shared = {"epsilon": epsilon, "sensitivity": 1, "lower": 0, "upper": 20}
    assert finite(rule="notes", **shared).grid == finite(rule="proved", **shared).grid


# Units of the bound


@pytest.mark.parametrize("rule", ["notes", "proved"])
@pytest.mark.parametrize(
    ("epsilon", "sensitivity", "reach", "printed", "corrected"),
    [
        (1, 100, 1000, 1007, 1699),  # printed without the factor Delta, it binds with 0.303: docs/errata.md, 14
        ("0.001", "0.012", 200, 7191, "283.9"),
    ],
)
def test_the_bound_counts_sensitivities(rule, epsilon, sensitivity, reach, printed, corrected):
    p = finite(rule=rule, epsilon=epsilon, sensitivity=sensitivity, lower=-reach, upper=reach)
    in_data_units = p.bound * p.sensitivity
    assert reach < in_data_units <= Fraction(corrected)  # the notes' corrected formula is sufficient, ours is tight
    assert p.data_value(p.high) == in_data_units
    assert binding_probability(p, bound=p.bound, scale=p.noise_scale)[1] <= Fraction(1, 20)
    assert in_data_units != printed


@PROPERTY
@given(request=requests(), factor=st.sampled_from([2, 10, Fraction(1, 3), 1000]))
def test_the_bound_scales_with_the_units_of_the_data(request, factor):
    p = accepted(request)
    scaled = {key: request[key] * factor for key in ("sensitivity", "lower", "upper")}
    q = finite_parameters(**{**request, **scaled})
    assert (q.bound, q.noise_scale, q.grid, q.precision) == (p.bound, p.noise_scale, p.grid, p.precision)
    assert q.data_value(q.high) == factor * p.data_value(p.high)


def test_a_bound_can_be_asked_for_and_is_rounded_up_to_the_grid():
    m = Snapping(epsilon=1, sensitivity=2, lower=0, upper=20, bound="7.5", grid=2, arithmetic=FinitePrecision())
    assert m.parameters.bound == 8
    assert m.parameters.high == 4


@PROPERTY
@given(
    half=st.fractions(Fraction(1, 100), 1000, max_denominator=100),
    scale=sensitivities,
    gamma=st.fractions(Fraction(1, 10**6), Fraction(99, 100), max_denominator=10**6),
)
def test_the_sufficient_bound_is_the_least_multiple_above_the_formula(half, scale, gamma):
    bound = sufficient_bound(half_width=half, noise_scale=scale, grid=Fraction(2), gamma=gamma)
    low, high = arb_ends(
        lambda: arb(half + 1) + arb(scale) * ((1 + (-arb(2 * half / scale)).exp()) / arb(2 * gamma)).log()
    )
    assert bound >= max(high, half)
    assert bound - 2 < max(low, half)


def test_at_a_gamma_of_a_half_the_bound_is_decided_although_its_logarithm_is_next_to_nothing():
    """ln(1 + e^-x) > 0 is below 2^-65536 here: no precision tells the formula from the whole number below it."""
    bound = sufficient_bound(half_width=Fraction(10**6 + 1), noise_scale=Fraction(1), grid=Fraction(2), gamma=HALF)
    assert bound == 10**6 + 4  # the least even number above 10^6 + 2
    near = sufficient_bound(half_width=Fraction(3), noise_scale=Fraction(1), grid=Fraction(2), gamma=HALF)
    assert near == 6


def test_a_gamma_beside_a_bound_is_refused_and_not_ignored():
    said = {"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 10}
    for more in ({"arithmetic": "notes", "bound": 20}, {"clamp": "range"}, {"clamp": (-5, 20)}):
        with pytest.raises(ParameterError, match="gamma chooses a"):
            Snapping(**said, gamma="0.01", **more)
    assert Snapping(**said, gamma="0.01", clamp="wide").parameters == Snapping(**said, gamma="0.01").parameters


def test_bits_that_are_too_few_are_named_before_what_their_noise_breaks():
    """With 32 bits the notes' noise at 1e-9 would be five times too wide, and wider than the bound: that follows."""
    with pytest.raises(PremiseError, match="32 bits are too few for epsilon = 1/1000000000"):
        Snapping(epsilon="1e-9", sensitivity=1, lower=0, upper=1000, arithmetic="notes", bits=32)
    with pytest.raises(PremiseError, match=r"at least the noise scale, 3\.000 sensitivities; 1 is below it"):
        Snapping(epsilon="1/3", sensitivity=1, lower=0, upper=1000, arithmetic="notes", grid=1)


# Precision


@pytest.mark.parametrize(
    ("epsilon", "bound", "bits"),
    [
        (Fraction(1), Fraction(10), 118),
        (Fraction(1, 2**116), Fraction(10), 118),
        (Fraction(1, 2**117), Fraction(10), 119),
        (Fraction(1, 2**119) * (1 + Fraction(1, 2**30)), Fraction(10), 120),  # docs/errata.md, 15
        (Fraction(1), Fraction(2**66), 118),
        (Fraction(1), Fraction(2**66 + 1), 119),
        (Fraction(1), Fraction(2**100), 152),
        (Fraction(1, 2**200), Fraction(2**100), 202),
    ],
)
def test_the_required_precision_follows_the_three_rules(epsilon, bound, bits):
    assert required_bits(epsilon=epsilon, bound=bound) == bits


def test_precision_is_chosen_where_none_is_given_and_kept_where_it_is():
    assert finite(epsilon=1, sensitivity=1, lower=0, upper=10).precision == Precision.of(118)
    assert finite(epsilon=1, sensitivity=1, lower=0, upper=10, bits=64).precision == Precision.of(64)
    tiny = finite(epsilon=Fraction(1, 2**150), sensitivity=1, lower=0, upper=10, rule="proved")
    assert tiny.precision.uniform > 150


def test_eta_is_that_of_the_coarsest_step():
    precision = Precision(uniform=53, logarithm=118, product=60)
    assert precision.eta == Fraction(1, 2**53)


# Explicit constants and published bounds


def test_explicit_constants_are_taken_as_they_stand():
    p = explicit_parameters(
        noise_scale=Fraction(10, 8), grid=Fraction(1, 8), bound=Fraction(121, 100), precision=Precision.of(8)
    )
    assert (p.noise_scale, p.grid, p.bound) == (Fraction(5, 4), Fraction(1, 8), Fraction(121, 100))
    assert (p.low, p.high) == (-10, 10)
    assert p.inner_value(10) == Fraction(121, 100)
    assert p.inner_value(9) == Fraction(9, 8)


def test_a_noise_scale_that_is_no_binary_float_is_refused_in_p_bit_arithmetic():
    with pytest.raises(ParameterError, match="noise scale"):
        explicit_parameters(noise_scale=Fraction(1, 3), grid=Fraction(1), bound=Fraction(9), precision=Precision.of(8))


@pytest.mark.parametrize("claim", [mironov_loss, liu_loss])
def test_published_bounds_are_refused_where_their_premises_fail(claim):
    one, grid = Fraction(1), Fraction(1)

    def constants(*, bound: Fraction, grid: Fraction = grid, precision: Precision | None = None) -> SnappingParameters:
        return explicit_parameters(noise_scale=one, grid=grid, bound=bound, precision=precision or Precision.of(53))

    assert claim(constants(bound=Fraction(10))) > 1
    with pytest.raises(PremiseError, match="bound"):
        claim(constants(bound=one))
    with pytest.raises(PremiseError, match="grid"):
        claim(constants(bound=Fraction(10), grid=Fraction(1, 2)))
    with pytest.raises(PremiseError, match="precision"):
        claim(constants(bound=Fraction(10), precision=Precision(uniform=53, logarithm=118, product=118)))
    with pytest.raises(PremiseError, match="finite precision"):
        claim(Snapping(epsilon=1, sensitivity=1, lower=0, upper=10).parameters)


def test_lius_bound_needs_a_small_product_of_bound_and_eta():
    coarse = explicit_parameters(
        noise_scale=Fraction(1), grid=Fraction(1), bound=Fraction(10), precision=Precision.of(14)
    )
    with pytest.raises(PremiseError, match="eta"):
        liu_loss(coarse)
    assert mironov_loss(coarse) == 1 + Fraction(120, 2**14) + Fraction(2, 2**14)


@pytest.mark.parametrize(("upper", "rule", "least"), [(10, "proved", 28), (1000, "proved", 34), (1000, "notes", 33)])
def test_the_least_number_of_bits_depends_on_the_range(upper, rule, least):
    declared = {"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": upper}
    Snapping(**declared, arithmetic=FinitePrecision(bits=least, rule=rule))
    for bits in (least - 1, 24):
        with pytest.raises(PremiseError, match="bits are too few for"):
            Snapping(**declared, arithmetic=FinitePrecision(bits=bits, rule=rule))


# Few bits with a declared slack


def single(slack, *, bits=24, half_width=100, **more) -> Snapping:
    declared = {"epsilon": "0.9", "sensitivity": 1, "lower": -half_width, "upper": half_width, **more}
    return Snapping(**declared, arithmetic=FinitePrecision(bits=bits, slack=slack))


@pytest.mark.parametrize(("bits", "slack"), [(24, "0.01"), (11, "0.9")])
def test_few_bits_run_with_a_slack_that_is_charged_and_proved(bits, slack):
    p = single(slack, bits=bits, half_width=20).parameters
    assert p.charge == p.epsilon + Fraction(slack) > p.epsilon == Fraction(9, 10)
    assert p.noise_scale == round_up(Fraction(10, 9), bits) > Fraction(10, 9)
    assert proved_loss(noise_scale=p.noise_scale, grid=p.grid, bound=p.bound, precision=p.precision) <= p.charge
    with pytest.raises(PremiseError, match=f"{bits} bits(.|\n)*slack="):
        single(0, bits=bits, half_width=20)


def test_the_loss_of_single_precision_is_seen_to_exceed_epsilon():
    """Without the slack the claim would be false: a pair is found that loses more than epsilon."""
    p = single("0.01").parameters
    found = worst_pair(p).loss
    assert found is not None
    assert p.epsilon < found.lower <= p.charge


def test_single_precision_has_a_certificate_for_its_charge():
    text = lab.certificate(single("0.01", half_width=20))
    assert check(text) is None
    assert json.loads(text)["claim"] == "91/100"


@pytest.mark.long
def test_single_precision_is_verified_for_its_charge_and_refuted_for_epsilon():
    m = single("0.01", half_width=20)
    assert lab.verify(m).kind == "VERIFIED"
    assert lab.verify(m, claim=m.parameters.epsilon).kind == "REFUTED"


def test_a_slack_below_the_proved_loss_is_refused_with_the_figure():
    with pytest.raises(PremiseError, match=r"more than slack = 1/1000000\.(.|\n)*proved to be at most 6\.3e-05 above"):
        single("0.000001")
    with pytest.raises(PremiseError, match="larger slack"):
        single("0.01", bits=4)


@pytest.mark.parametrize(
    "asked",
    [
        {"slack": "0.01"},
        {"slack": "0.01", "bits": 24, "rule": "notes"},
        {"slack": -1, "bits": 24},
        {"slack": "much", "bits": 24},
        {"slack": float("nan"), "bits": 24},
    ],
    ids=str,
)
def test_a_slack_that_means_nothing_is_refused(asked):
    with pytest.raises(ParameterError, match="slack"):
        FinitePrecision(**asked)


def test_exact_arithmetic_and_ordinary_bits_charge_epsilon_itself():
    declared = {"epsilon": "0.3", "sensitivity": 1, "lower": 0, "upper": 9}
    for arithmetic in (None, "proved", "notes"):
        assert Snapping(**declared, arithmetic=arithmetic).parameters.charge == Fraction(3, 10)


def test_single_precision_releases_outputs_of_its_law():
    m = single("0.01", half_width=5)
    law = m.law(2)
    assert all(law.index_probability(m.release_index(2)).lower > 0 for _ in range(20))
