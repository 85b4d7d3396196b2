"""Columns of magnitudes: places by their definition, names, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import example, given, strategies as st

from snapdp.errors import BoundError, ParameterError
from snapdp.studies.columns import magnitude_column, span_name
from snapdp.studies.declarations import column_from, column_values
from snapdp.studies.study_file import study_from_toml, study_from_values, study_to_toml

EXPONENTS = st.tuples(st.integers(-1022, 1023), st.integers(0, 40)).map(lambda p: (p[0], min(p[0] + p[1], 1023)))


@given(x=st.floats(allow_nan=False), exponents=EXPONENTS)
@example(x=-0.0, exponents=(-10, 40))
@example(x=-5e-324, exponents=(-1022, -1022))
@example(x=math.inf, exponents=(1023, 1023))
@example(x=-(2.0**40), exponents=(-10, 40))
def test_a_number_lies_between_the_ends_of_its_place_and_of_no_other(x, exponents):
    column = magnitude_column("x", exponents=exponents)
    place = column.place(x)
    low, high = column.ends(place)
    if math.isfinite(x):
        number = Fraction(x)
        below = low is None or (low < number if number < 0 else low <= number)
        above = high is None or (number <= high if high < 0 else number < high)
        assert below
        assert above
    else:
        assert place == (column.places - 1 if x > 0 else 0)


@given(exponents=EXPONENTS)
@example(exponents=(0, 0))
def test_places_are_in_order_and_leave_nothing_out(exponents):
    column = magnitude_column("x", exponents=exponents)
    ends = [column.ends(place) for place in range(column.places)]
    assert ends[0][0] is None
    assert ends[-1][1] is None
    assert [high for _, high in ends[:-1]] == [low for low, _ in ends[1:]]
    assert ends[column.zero][0] == 0
    assert [column.place(float(column.middle(each))) for each in range(column.places)] == list(range(column.places))
    assert len(set(column.labels)) == column.cells == column.places + 2


def test_places_are_named_by_their_ends_and_long_powers_by_their_exponent():
    assert magnitude_column("x", exponents=(-1, 1)).labels == (
        "to -2", "(-2, -1]", "(-1, -1/2]", "(-1/2, 0)", "[0, 1/2)", "[1/2, 1)", "[1, 2)", "from 2",
        "(unreadable)", "(missing)",
    )  # fmt: skip
    assert magnitude_column("x", exponents=(-61, -60)).labels[3:5] == ("[0, 2^-61)", "[2^-61, 1/1152921504606846976)")
    spans = [span_name(*each, lowest=0, highest=2) for each in ((0, 7), (0, 3), (0, 5), (1, 2), (2, 7), (5, 7))]
    assert spans == ["all", "below 0", "below 2", "(-4, -1]", "above -2", "from 1"]


@pytest.mark.parametrize(
    ("exponents", "error", "message"),
    [
        ((5, 4), BoundError, "exponent 5 is above 4"),
        ((-1023, 0), BoundError, "leave those of doubles"),
        ((0, 1024), BoundError, "leave those of doubles"),
        ((-200, 56), BoundError, "257 powers of two, more than 256"),
        ((0,), ParameterError, "not two whole numbers"),
        ((0, 1, 2), ParameterError, "not two whole numbers"),
        ((0, "1/2"), ParameterError, "not two whole numbers"),
        ("12", ParameterError, "not two whole numbers"),
        ((0, "x"), ParameterError, "an exponent of column"),
    ],
)
def test_exponents_that_make_no_sense_are_refused(exponents, error, message):
    with pytest.raises(error, match=message):
        magnitude_column("x", exponents=exponents)


def study(**column):
    return {
        "format": 1,
        "dataset": "d",
        "relation": "add-remove",
        "n_max": 9,
        "columns": {"x": {"kind": "magnitude", **column}, "y": {"kind": "boolean"}},
        "statistic": [{"kind": "magnitudes", "column": "x", "outside": "0.01", "epsilon": 1}],
    }


def test_a_study_declares_them_and_is_written_back():
    found = study_from_values(study(exponents=[-3, "7"]))
    assert found.column("x") == magnitude_column("x", exponents=(-3, 7))
    assert study_from_toml(study_to_toml(found)) == found
    assert study_from_values(study()).column("x") == magnitude_column("x")


def test_a_record_declares_them_and_is_read_back():
    column = magnitude_column("x", exponents=(-3, 7))
    assert column_values(column) == {"name": "x", "kind": "magnitude", "exponents": [-3, 7]}
    assert column_from(column_values(column)) == column


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ({"exponents": 5}, "columns.x: exponents is"),
        ({"exponents": []}, "not two whole numbers"),
        ({"exponents": [3, 1]}, "exponent 3 is above 1"),
        ({"lower": 0}, "lower"),
        ({"missing": "dropped"}, "missing"),
        ({"unknown": "dropped"}, "unknown"),
    ],
)
def test_keys_of_other_kinds_and_nonsense_are_refused_in_a_study(column, message):
    with pytest.raises(ParameterError, match=message):
        study_from_values(study(**column))


@pytest.mark.parametrize(
    "statistic",
    [
        {"kind": "mean", "column": "x"},
        {"kind": "quantiles", "column": "x"},
        {"kind": "histogram", "column": "x"},
        {"kind": "count", "by": "x"},
        {"kind": "count", "by": ["x", "y"]},
        {"kind": "count", "where": [{"column": "x", "equals": "[1, 2)"}]},
        {"kind": "count", "where": [{"column": "x", "from": 3}]},
        {"kind": "magnitudes", "column": "y"},
        {"kind": "magnitudes", "column": "x", "by": "y"},
    ],
)
def test_no_other_statistic_speaks_of_them_and_they_of_no_other_column(statistic):
    with pytest.raises(ParameterError):
        study_from_values({**study(), "statistic": [{**statistic, "epsilon": 1}]})
