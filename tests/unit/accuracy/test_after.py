"""What is said after a release holds for every value, is a function of the output, and what must not be said leaks."""

from __future__ import annotations

from fractions import Fraction

import pytest

import snapdp
from snapdp.accuracy.error import accuracy
from snapdp.accuracy.interval import noise_interval
from snapdp.accuracy.moments import bias
from snapdp.accuracy.summary import after_release
from snapdp.errors import ParameterError
from snapdp.mechanism.law.law import law_of
from snapdp.mechanism.parameters import Inner
from tests.unit.accuracy.brute import F, parameters, walk

MECHANISMS = [
    {"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 6, "grid": 1, "clamp": "range"},
    {"epsilon": "0.7", "sensitivity": 1, "lower": -3, "upper": 4, "grid": 2, "clamp": (-8, 6)},
    {"epsilon": 2, "sensitivity": 3, "lower": 500, "upper": 510, "grid": 2, "clamp": (496, 514)},
]
FINITE = {"epsilon": 1, "sensitivity": 2, "lower": 0, "upper": 12, "arithmetic": "proved", "bits": 53}
NARROW = {"epsilon": 5, "sensitivity": 1, "lower": 0, "upper": 20, "grid": 2}


def least_reached(p, told):
    """Return the least probability over a walk of values that the output lies within what is told after it."""
    found = []
    for f in walk(p, 35):
        law = law_of(Inner(f), p)
        within = [law.index_probability(k) for k in told if abs(p.inner_value(k) - f) <= told[k]]
        found.append(sum((each.lower for each in within), Fraction(0)))
    return min(found)


@pytest.mark.parametrize("case", [*MECHANISMS, FINITE], ids=str)
@pytest.mark.parametrize("alpha", [F(1, 20), F(1, 3)])
def test_the_accuracy_told_after_a_release_holds_for_every_value(case, alpha):
    p = parameters(**case)
    told = {k: after_release(p, index=k, alpha=alpha).accuracy / p.unit for k in range(p.low, p.high + 1)}
    assert least_reached(p, told) >= 1 - alpha
    assert least_reached(p, {k: a * F(3, 4) for k, a in told.items()}) < 1 - alpha  # three quarters are too little


@pytest.mark.parametrize("case", [*MECHANISMS, FINITE], ids=str)
def test_it_is_the_largest_accuracy_of_the_interval_and_never_more_than_that_of_the_range(case):
    p = parameters(**case)
    for k in (p.low, (p.low + p.high) // 2, p.high):
        found = after_release(p, index=k)
        assert found.interval == noise_interval(p, index=k)
        lower, upper = found.interval.lower, found.interval.upper
        inside = [lower + (upper - lower) * F(i, 16) for i in range(17)]
        assert max(accuracy(p, value=f) for f in inside) <= found.accuracy <= accuracy(p)
        for f in inside[::4]:
            at = bias(p, f)
            assert found.bias.lower <= at.upper
            assert at.lower <= found.bias.upper


def test_an_output_that_one_value_alone_explains_has_the_accuracy_at_that_value():
    p = parameters(**NARROW)
    found = after_release(p, index=p.low)
    assert (found.interval.lower, found.interval.upper) == (0, 0)
    assert found.accuracy == accuracy(p, value=0) == 0 < 1 < accuracy(p)
    assert [after_release(p, index=k).is_missed for k in range(p.low, 3)] == [True, True, True, False, False, False]


@pytest.mark.parametrize("case", [*MECHANISMS, FINITE, NARROW], ids=str)
def test_an_output_is_called_missed_only_where_it_lies_further_than_the_accuracy_from_every_value(case):
    """Together such outputs have a probability of at most alpha, whatever the value."""
    p = parameters(**case)
    told = {k: after_release(p, index=k) for k in range(p.low, p.high + 1)}
    missed = [k for k, found in told.items() if found.is_missed]
    for f in walk(p, 35):
        law = law_of(Inner(f), p)
        assert sum((law.index_probability(k).lower for k in missed), Fraction(0)) <= F(1, 20)
    assert not any(found.is_missed for found in told.values() if p.lower <= found.interval.output <= p.upper)


def test_the_bias_of_the_range_is_wider_than_that_after_an_output_far_from_its_ends():
    m = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=40, grid=1, clamp="range")
    middle = m.after(20)
    assert m.bias_range().lower < middle.bias.lower
    assert middle.bias.upper < m.bias_range().upper
    assert m.after(20) == m.after(index=20)
    with pytest.raises(ParameterError, match="no output here"):
        m.after("20.5")
    with pytest.raises(ParameterError, match="Give one of the two"):
        m.after()


def test_with_a_step_the_quantised_values_of_the_interval_are_counted():
    m = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=10, step="1/4", grid=1, clamp="range")
    found = m.after(7)
    inside = [F(i, 4) for i in range(41) if found.interval.lower <= F(i, 4) <= found.interval.upper]
    assert max(m.accuracy(value=f) for f in inside) <= found.accuracy <= m.accuracy()
    assert found.bias.lower <= min(m.bias(f).upper for f in inside)


@pytest.mark.parametrize("case", MECHANISMS, ids=str)
def test_the_accuracy_at_the_true_value_tells_the_value_modulo_the_grid(case):
    p = parameters(**case)
    for f in walk(p, 97):
        told = accuracy(p, value=f)
        assert (told - f) % p.grid == 0 or (told + f) % p.grid == 0


def test_neighbours_are_told_apart_by_the_accuracy_at_the_true_value_and_not_by_that_of_the_range():
    m = snapdp.Snapping(epsilon="0.01", sensitivity=1, lower=0, upper=10_000, grid="natural")
    one, other = F("400.3"), F("401.1")
    assert m.accuracy(value=one) != m.accuracy(value=other)
    assert m.bias(one).upper < m.bias(other).lower or m.bias(other).upper < m.bias(one).lower
    laws = m.law(one), m.law(other)
    for k in (0, 3, 50):  # while the released number itself tells at most epsilon
        log_ratio = laws[0].index_log_probability(k) - laws[1].index_log_probability(k)
        assert abs(log_ratio).lower <= m.parameters.epsilon
