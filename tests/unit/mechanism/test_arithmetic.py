"""The arithmetics by name: one spelling, one place that reads it, and what is refused."""

from __future__ import annotations

import pytest

from snapdp import FinitePrecision, ParameterError, Snapping
from snapdp.mechanism.parameters import arithmetic_of

DECLARED = {"epsilon": "0.5", "sensitivity": 1, "lower": 0, "upper": 1000}


@pytest.mark.parametrize("word", [None, "exact"])
def test_exact_arithmetic_is_none(word):
    assert arithmetic_of(word, None) is None
    assert Snapping(**DECLARED, arithmetic=word) == Snapping(**DECLARED)


@pytest.mark.parametrize("rule", ["proved", "notes"])
@pytest.mark.parametrize("bits", [None, 53, 118])
def test_a_rule_by_name_is_the_finite_precision_of_that_rule(rule, bits):
    assert arithmetic_of(rule, bits) == FinitePrecision(bits=bits, rule=rule)
    by_hand = Snapping(**DECLARED, arithmetic=FinitePrecision(bits=bits, rule=rule))
    assert Snapping(**DECLARED, arithmetic=rule, bits=bits) == by_hand


def test_a_finite_precision_stays_what_it_is():
    asked = FinitePrecision(bits=160)
    assert arithmetic_of(asked, None) is asked


@pytest.mark.parametrize(
    ("arithmetic", "bits", "said"),
    [
        (FinitePrecision(bits=118), 118, "bits is given twice"),
        (None, 118, "bits belongs to finite precision"),
        ("exact", 118, "bits belongs to finite precision"),
        ("finite", None, "arithmetic = 'finite' is unknown"),
        ("Notes", None, "arithmetic = 'Notes' is unknown"),
        ("", None, "arithmetic = '' is unknown"),
        (118, None, "arithmetic = 118 is unknown"),
        (["notes"], None, "is unknown"),
        ("notes", 1, "a precision of 1 bits"),
        ("proved", True, "a precision of True bits"),
        ("proved", "118", "a precision of '118' bits"),
        ("proved", 1 << 20, "a precision of 1048576 bits"),
    ],
)
def test_what_names_no_arithmetic_is_refused(arithmetic, bits, said):
    with pytest.raises(ParameterError, match=said):
        arithmetic_of(arithmetic, bits)
    with pytest.raises(ParameterError, match=said):
        Snapping(**DECLARED, arithmetic=arithmetic, bits=bits)


def test_the_mechanism_of_the_notes_is_said_in_one_line():
    """At epsilon 1/2 the effective epsilon lies just below it, so the notes' grid is 4 and not 2."""
    m = Snapping(**DECLARED, arithmetic="notes", bits=118, gamma="0.01")
    assert (m.parameters.grid, m.parameters.rule, m.parameters.precision.product) == (4, "notes", 118)
    assert m.parameters.bound > Snapping(**DECLARED, arithmetic="notes", bits=118).parameters.bound
