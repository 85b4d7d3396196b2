"""Events of dp-accounting: none loses less than was charged. The package itself is tried in tests/interop."""

from __future__ import annotations

import sys
from fractions import Fraction
from types import SimpleNamespace

import pytest

from snapdp.errors import ParameterError, PremiseError
from snapdp.interop.composition import Spend, spend
from snapdp.interop.dp_accounting import (
    accountant,
    delta_by_package,
    epsilon_by_package,
    event,
    event_values,
    noise_multiplier,
)

EPSILONS = [Fraction(k, n) for n in (1, 3, 7, 10, 1000, 10**9 + 7) for k in (1, 2, 3, 29, 101)]


@pytest.fixture
def package(monkeypatch):
    """A stand-in that keeps what it is given: the classes of events, a relation and an accountant."""

    def named(name):
        return lambda *given, **more: (name, *given, *sorted(more.items()))

    class Accountant:
        def __init__(self, relation, *, value_discretization_interval):
            self.relation, self.interval, self.composed = relation, value_discretization_interval, []

        def compose(self, each):
            self.composed.append(each)

        def get_epsilon(self, delta):
            return ("epsilon at", delta)

    names = ("LaplaceDpEvent", "DiscreteLaplaceDpEvent", "SelfComposedDpEvent", "ComposedDpEvent")
    relation = SimpleNamespace(ADD_OR_REMOVE_ONE="add or remove one")
    stand_in = SimpleNamespace(
        dp_event=SimpleNamespace(**{name: named(name) for name in names}),
        NeighboringRelation=relation,
        pld=SimpleNamespace(PLDAccountant=Accountant),
    )
    monkeypatch.setitem(sys.modules, "dp_accounting", stand_in)
    monkeypatch.setitem(sys.modules, "dp_accounting.dp_event", stand_in.dp_event)
    return stand_in


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_a_laplace_event_loses_at_least_epsilon_and_hardly_more(epsilon):
    found = noise_multiplier(epsilon)
    assert Fraction(1 / found) >= epsilon  # in doubles, as the package computes it
    assert 1 / Fraction(found) >= epsilon
    assert Fraction(1 / found) <= epsilon * (1 + Fraction(1, 2**51))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_a_pure_event_loses_at_least_epsilon_and_at_most_an_ulp_more(epsilon):
    (found,) = event_values([Spend(law="pure", epsilon=epsilon)])
    assert found["event"] == "DiscreteLaplaceDpEvent"
    assert found["sensitivity"] == 1
    assert epsilon <= Fraction(found["noise_parameter"]) <= epsilon * (1 + Fraction(1, 2**52))


def test_events_of_one_kind_are_composed_with_themselves(package):
    assert package
    spends = [spend("laplace", epsilon="1/2", times=3), spend("pure", epsilon=1), spend("laplace", epsilon="1/2")]
    assert event(spends) == (
        "ComposedDpEvent",
        [
            ("SelfComposedDpEvent", ("LaplaceDpEvent", ("noise_multiplier", 2.0)), 4),
            ("SelfComposedDpEvent", ("DiscreteLaplaceDpEvent", ("noise_parameter", 1.0), ("sensitivity", 1)), 1),
        ],
    )


def test_the_accountant_has_the_relation_that_composes_laplace_events_and_a_grid_of_bounded_size(package):
    assert package
    few, many = (accountant([spend("laplace", epsilon=1, times=times)]) for times in (1, 10_000))
    assert few.relation == "add or remove one"
    assert len(few.composed) == 1
    assert few.interval == 1e-4
    assert 20_000 / many.interval <= 1 << 17
    with pytest.raises(TypeError):  # what the stand-in answers is no number
        epsilon_by_package([spend("pure", epsilon=1)], delta="1e-6")


def test_without_the_package_a_refusal_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    for asked in (event, accountant, lambda each: epsilon_by_package(each, delta="1e-6")):
        with pytest.raises(PremiseError, match="pip install 'dp-accounting>="):
            asked([spend("pure", epsilon=1)])
    with pytest.raises(PremiseError, match="not installed"):
        delta_by_package([spend("pure", epsilon=1)], epsilon=1)


@pytest.mark.parametrize("law", ["laplace", "pure"])
def test_an_epsilon_beyond_doubles_is_no_event(law):
    with pytest.raises(ParameterError, match="none that dp-accounting can take"):
        event_values([spend(law, epsilon="1e309")])
