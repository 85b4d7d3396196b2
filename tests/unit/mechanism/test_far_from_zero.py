"""Ranges far from zero and very wide ones: what is printed keeps what is promised, or is refused."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from hypothesis import example, given, settings, strategies as st

import snapdp
from snapdp.accuracy.interval import _index
from snapdp.errors import BoundError, ParameterError, SnapdpError
from snapdp.exact.enclosure import TINY_EXPONENT
from snapdp.mechanism.finite_precision import explicit_parameters
from snapdp.mechanism.law import finite as rounded
from snapdp.mechanism.law.law import law_of
from snapdp.mechanism.law.loss import pair_loss
from snapdp.mechanism.parameters import Precision
from snapdp.release.draw import Drawn
from snapdp.studies.columns import number_column
from snapdp.studies.plans.lines import ask, planned
from snapdp.studies.relation import change_one
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.parts import mechanism

F = Fraction
PROPERTY = settings(deadline=None, max_examples=40)
FINITE = snapdp.FinitePrecision()
ALPHA = F(1, 20)


def probability_of_missing(m, value, distance):
    """Return P(|printed - value| > distance), from the exact law of the doubles that are printed."""
    p, law = m.parameters, law_of(m.parameters.inner(value), m.parameters)

    def first(reached):  # the least index for which it holds; printed numbers grow with the index
        low, high = p.low, p.high + 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if reached(F(p.released(middle))) else (middle + 1, high)
        return low

    above = first(lambda x: x - value > distance)
    not_below = first(lambda x: value - x <= distance)
    return (law.upper_tail(above) + law.lower_tail(not_below)).upper


far = st.integers(0, 60).flatmap(lambda e: st.integers(-(1 << e), 1 << e))
widths = st.builds(F, st.integers(1, 2000), st.sampled_from([1, 2, 3, 10, 64]))
sensitivities = st.builds(F, st.integers(1, 50), st.sampled_from([1, 3, 8, 10]))
epsilons = st.sampled_from([F(1, 50), F(1, 3), F(1, 2), F(1), F(7, 2)])
arithmetics = st.sampled_from([FINITE, snapdp.FinitePrecision(rule="notes"), None])


@PROPERTY
@given(far, widths, sensitivities, epsilons, arithmetics, st.integers(0, 2**32))
@example(10**15, F(1), F(1, 3), F(1), FINITE, 0)
@example(10**13, F(100), F(1, 10), F(1), FINITE, 0)
@example((1 << 51) - 7, F(3), F(1), F(1), FINITE, 0)
def test_printed_numbers_keep_the_accuracy_or_the_range_is_refused(
    lower, width, sensitivity, epsilon, arithmetic, seed
):
    try:
        m = snapdp.Snapping(
            epsilon=epsilon, sensitivity=sensitivity, lower=lower, upper=lower + width, arithmetic=arithmetic
        )
    except SnapdpError:
        return
    p, pick = m.parameters, random.Random(seed)
    promised = m.accuracy(alpha=ALPHA)
    ends = [p.lower, p.upper]
    edges = [p.data_value(k) - promised for k in (p.low, p.high, (p.low + p.high) // 2, pick.randint(p.low, p.high))]
    inside = [p.lower + F(pick.randrange(1 << 30), 1 << 30) * width for _ in range(4)]
    for value in ends + inside + [f for f in edges if p.lower <= f <= p.upper]:
        assert probability_of_missing(m, value, promised) <= ALPHA
        guessed = m.accuracy(alpha=ALPHA, value=value)
        assert probability_of_missing(m, value, guessed) <= ALPHA
    for k in {p.low, p.high, pick.randint(p.low, p.high)}:
        assert m.noise_interval(p.released(k), alpha=ALPHA).index == k


def test_finite_precision_far_from_zero_is_refused_like_exact_arithmetic():
    declared = {"epsilon": 1, "sensitivity": 1, "lower": 10**17, "upper": 10**17 + 100}
    for arithmetic in (None, FINITE):
        with pytest.raises(BoundError, match=r"grid steps from zero; at most 2\*\*52"):
            snapdp.Snapping(**declared, arithmetic=arithmetic)


def test_an_output_that_several_indices_print_as_is_no_answer():
    p = explicit_parameters(noise_scale=F(1), grid=F(1, 4), bound=F(8), precision=Precision.of(53))
    with pytest.raises(ParameterError, match="several outputs print as 1"):
        _index(AllAlike(p), None, 1)


class AllAlike:
    """Parameters of which every output prints as 1."""

    def __init__(self, parameters):
        self._parameters = parameters

    def __getattr__(self, name):
        return getattr(self._parameters, name)

    def released(self, _index):
        return 1.0


def lines(lower, upper, rows, epsilon):
    column = number_column("x", lower=lower, upper=upper, missing="middle")
    return planned(ask(mean_query(column, change_one(n=rows)), epsilon=epsilon))


def test_a_mean_that_doubles_cannot_tell_apart_is_refused():
    with pytest.raises(BoundError, match=r"^mean\(x\): doubles near 1e\+15 are 0\.125 apart, too far for outputs"):
        lines(10**15, 10**15 + 1, 5000, 1).accuracies  # noqa: B018


@PROPERTY
@given(far, st.integers(1, 1000), st.integers(1, 10**6), epsilons, st.integers(0, 2**32))
def test_a_printed_mean_is_within_a_small_part_of_the_grid_of_the_released_one(lower, width, rows, epsilon, seed):
    try:
        line = lines(lower, lower + width, rows, epsilon)
        m = mechanism(line.statistic.parts[0], epsilon)
    except SnapdpError:
        return
    part, p = line.statistic.parts[0], m.parameters
    for k in (p.low, p.high, random.Random(seed).randint(p.low, p.high)):
        drawn = Drawn(line=line, part=part, mechanism=m, indices=(k,))
        (printed,) = drawn.block.values
        assert abs(F(printed) - drawn.statistic(0)) * 2048 <= part.numerator.factor * p.grid


# Wide ranges: nothing depends on how far a tail is


@pytest.mark.parametrize("width", [10**9, 10**10, 10**14])
def test_far_tails_of_finite_precision_are_enclosed_and_not_spelled_out(width):
    m = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=width, arithmetic=FINITE)
    p, law = m.parameters, m.law(0)
    tiny = F(1, 1 << -TINY_EXPONENT)
    for index in (p.high, p.high - 1, p.high // 2):
        assert law.index_probability(index).lower == 0
        assert law.index_probability(index).upper <= tiny
        assert law.upper_tail(index).upper <= tiny
        assert law.index_cdf(index).lower >= 1 - tiny
        assert float(law.index_log_probability(index)) == pytest.approx(float(-law.breakpoint(index)), rel=1e-6)
    assert law.index_cdf(p.high) == law.upper_tail(p.low)
    assert law.quantile_index(1) == p.high
    assert law.quantile_index("0.5") == law.centre
    assert 0 < law.mse.lower <= law.mse.upper < 8
    assert m.accuracy(value=0) <= m.accuracy() < 4
    assert m.binding_probability(0).upper < 1
    assert pair_loss(law, m.law(1)).loss.upper <= 1


def test_a_grid_of_a_million_noise_scales_has_a_law():
    m = snapdp.Snapping(epsilon=1000, sensitivity=1, lower=0, upper=1 << 30, grid=1 << 20, arithmetic=FINITE)
    law = m.law(5)
    assert law.index_probability(law.centre).upper == 1
    assert law.index_probability(law.centre + 1).lower == 0
    assert law.mse.lower > 0


@pytest.mark.parametrize("bits", [5, 53, 118])
def test_exponentials_beyond_the_exponents_of_mpfr_are_those_of_a_reduced_argument(bits, monkeypatch):
    for t in (3, 1000, 2**20 + 1, 3**17):
        directly = rounded.exp_up(t, -1, bits)
        monkeypatch.setattr(rounded, "_DIRECT_BITS", -1)
        assert rounded.exp_up(t, -1, bits) == directly
        monkeypatch.undo()
    near, far = (rounded.exp_up(t, 0, bits) for t in (10**12, 10**12 + 1))
    assert float(near.ln_minus(far) + 10**12) == pytest.approx(
        math.log(1 - math.exp(-1)), abs=2.0 ** (2 - min(bits, 50))
    )


# Moments in integers


@pytest.mark.parametrize("bits", [6, 24, 53, 118])
@pytest.mark.parametrize(
    ("scale", "grid", "bound"), [(F(5, 4), F(1), F(40)), (F(5, 4), F(1, 2), F(61, 7)), (F(3), F(2), F(9))]
)
@pytest.mark.parametrize("value", [F(0), F(17, 3), F(-8)])
def test_moments_equal_the_plain_sums_over_all_indices(bits, scale, grid, bound, value):
    p = explicit_parameters(noise_scale=scale, grid=grid, bound=bound, precision=Precision.of(bits))
    law = law_of(p.clamped(value), p)
    row = {k: law.index_probability(k) for k in law.support}
    assert all(chance.is_exact for chance in row.values())
    assert sum(chance.lower for chance in row.values()) == 1
    mean = sum(chance.lower * p.inner_value(k) for k, chance in row.items())
    square = sum(chance.lower * (p.inner_value(k) - law.inner_value) ** 2 for k, chance in row.items())
    assert law.bias.lower == law.bias.upper == mean - law.inner_value
    assert law.mse.lower == law.mse.upper == square


# Outputs of probability 0


def test_the_loss_passes_over_impossible_outputs_and_sees_one_sided_ones():
    p = explicit_parameters(noise_scale=F(1), grid=F(1, 64), bound=F(2), precision=Precision.of(4))
    a, b = law_of(p.clamped(F(0)), p), law_of(p.clamped(F(1)), p)
    impossible = [k for k in a.support if a.index_log_probability(k) is None and b.index_log_probability(k) is None]
    one_sided = [k for k in a.support if (a.index_log_probability(k) is None) != (b.index_log_probability(k) is None)]
    assert impossible
    assert one_sided
    for k in a.support:
        assert (a.index_log_probability(k) is None) == (a.index_probability(k).upper == 0)
    assert pair_loss(a, b).loss is None
    assert pair_loss(a, b, one_sided[:1]).index == one_sided[0]
    both = [k for k in a.support if k not in impossible and k not in one_sided]
    assert pair_loss(a, b, both + impossible).loss.upper < 10
    with pytest.raises(ParameterError, match="none of these outputs is possible"):
        pair_loss(a, b, impossible)


def test_far_outputs_of_exact_arithmetic_lose_what_near_ones_do():
    m = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=10**7)
    found = pair_loss(m.law(0), m.law(1), [m.parameters.high - 5]).loss
    assert found.lower <= 1 <= found.upper
    assert found.width < F(1, 1 << 200)
    exact = pair_loss(m.law(3), m.law(4), [m.parameters.high - 5, m.parameters.high]).loss
    assert exact.upper >= 1
