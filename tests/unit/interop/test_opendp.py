"""A measurement of OpenDP: its map rounds up, and what it is made of. The library itself is tried in tests/interop."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from types import SimpleNamespace

import pytest
from hypothesis import given, strategies as st

from snapdp import Snapping
from snapdp.errors import ParameterError, PremiseError
from snapdp.interop.opendp import measurement, privacy_map, vector_measurement


def mechanism(epsilon="0.3", sensitivity=1, **more):
    return Snapping(epsilon=epsilon, sensitivity=sensitivity, lower=0, upper=1000, **more)


@pytest.fixture
def library(monkeypatch):
    """A stand-in for opendp.prelude that keeps what it is given."""

    def named(name):
        return lambda *given, **more: (name, *given, *sorted(more.items()))

    prelude = SimpleNamespace(
        **{name: named(name) for name in ("atom_domain", "vector_domain", "absolute_distance", "l1_distance")},
        max_divergence=named("max_divergence"),
        m=SimpleNamespace(make_user_measurement=lambda *given, **more: SimpleNamespace(given=given, **more)),
    )
    monkeypatch.setitem(sys.modules, "opendp", SimpleNamespace(prelude=prelude))
    monkeypatch.setitem(sys.modules, "opendp.prelude", prelude)


@given(
    epsilon=st.fractions(min_value=Fraction(1, 10**6), max_value=10, max_denominator=10**9),
    sensitivity=st.fractions(min_value=Fraction(1, 100), max_value=100, max_denominator=1000),
    d_in=st.one_of(st.integers(0, 10**6), st.floats(0, 1e9)),
)
def test_the_map_is_at_least_the_exact_charge_and_at_most_an_ulp_more(epsilon, sensitivity, d_in):
    found = privacy_map(mechanism(epsilon, sensitivity))(d_in)
    exact = epsilon * Fraction(d_in) / sensitivity
    assert Fraction(found) >= exact
    assert found == 0 or Fraction(math.nextafter(found, 0)) < exact


def test_three_tenths_are_reported_above_three_tenths():
    found = privacy_map(mechanism("0.3"))(1)
    assert Fraction(found) > Fraction(3, 10) > Fraction(0.3)
    assert found == math.nextafter(0.3, 1)


def test_the_map_is_linear_beyond_the_sensitivity():
    loss = privacy_map(mechanism("1/2", 4))
    assert [loss(each) for each in (0, 1, 4, 8, 40, 0.5)] == [0, 0.125, 0.5, 1, 5, 0.0625]
    assert loss(math.inf) == math.inf


@pytest.mark.parametrize("d_in", [-1, -0.5, math.nan, "1", None, True])
def test_what_is_no_distance_is_refused(d_in):
    with pytest.raises(ParameterError, match="no distance"):
        privacy_map(mechanism())(d_in)


@pytest.mark.parametrize("make", [privacy_map, measurement, vector_measurement])
@pytest.mark.parametrize(
    ("more", "why"), [({"arithmetic": "proved"}, "finite precision"), ({"step": "1/2"}, "steps of 1/2")]
)
def test_what_loses_more_than_its_distance_says_is_refused(library, make, more, why):  # noqa: ARG001
    with pytest.raises(PremiseError, match=why):
        make(mechanism(**more))


def test_one_number_has_an_atom_domain_without_nan_and_the_absolute_distance(library):  # noqa: ARG001
    ours = mechanism()
    found = measurement(ours)
    domain, metric, measure, function, loss = found.given
    assert domain == ("atom_domain", ("T", float), ("nan", False))
    assert metric == ("absolute_distance", ("T", float))
    assert measure == ("max_divergence",)
    assert isinstance(function(3.0), float)
    assert loss(1) == privacy_map(ours)(1)
    assert found.TO == "f64"


def test_integers_have_no_nan_to_exclude(library):  # noqa: ARG001
    assert measurement(mechanism(), T="i64").given[0] == ("atom_domain", ("T", "i64"))
    assert measurement(mechanism(), T=int).given[1] == ("absolute_distance", ("T", int))
    with pytest.raises(ParameterError, match="no type of numbers"):
        measurement(mechanism(), T=str)


def test_a_vector_has_the_l1_distance_and_one_release_for_each_entry(library):  # noqa: ARG001
    found = vector_measurement(mechanism(), T=int, size=3)
    domain, metric, _, function, loss = found.given
    assert domain == ("vector_domain", ("atom_domain", ("T", int)), ("size", 3))
    assert metric == ("l1_distance", ("T", int))
    assert [type(each) for each in function([1, 2, 3])] == [float] * 3
    assert Fraction(loss(2)) >= Fraction(6, 10)
    assert found.TO == "Vec<f64>"


def test_without_the_library_a_refusal_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp", None)
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    for make in (measurement, vector_measurement):
        with pytest.raises(PremiseError, match="pip install 'opendp>="):
            make(mechanism())
