"""Bins of columns of numbers: one mechanism for histograms and for groups, compared with the definition."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from snapdp.errors import BoundError, ParameterError
from snapdp.studies.columns import NumberColumn, integer_column, number_column
from snapdp.studies.grouping.groups import BinnedColumn, binned
from snapdp.studies.relation import add_remove
from snapdp.studies.statistics.histogram import histogram_query

AGE = integer_column("age", lower=0, upper=120, missing="dropped")
HALVES = number_column("x", lower=-2, upper=3, step="1/2", missing=0)
CASES = [
    (AGE, [0, 18, 65, 120], {}),
    (AGE, [18, 65], {"outside": "binned"}),
    (AGE, [0, 65], {"outside": "binned", "null": "binned"}),
    (AGE, [5, 6, 120], {"null": "binned"}),
    (HALVES, [-2, "-1/2", 3], {"outside": "binned"}),
    (HALVES, ["-3/2", 0, "5/2"], {"outside": "binned", "null": "binned"}),
]


@pytest.mark.parametrize(("column", "edges", "rules"), CASES)
def test_every_level_is_in_the_bin_that_its_number_is_in(column, edges, rules):
    found = binned(column, edges=edges, **rules)
    labels = list(found.labels)
    assert len(labels) == len({*labels}) == found.cells
    ends = [Fraction(each) for each in edges]
    for level in range(column.levels + 1):
        x = column.lower + level * column.step
        inside = [low <= x < high or x == high == ends[-1] for low, high in pairwise(ends)]
        names = [f"[{low}, {high}" for low, high in pairwise(ends)]
        name = names[inside.index(True)] if any(inside) else ""
        if not name and rules.get("outside") == "binned":
            name = f"below {ends[0]}" if x < ends[0] else f"above {ends[-1]}"
        place = [low <= level < high for low, high in pairwise(found.cuts)]
        assert sum(place) == (name != "")
        assert not name or labels[place.index(True)].startswith(name)
    assert ("(missing)" in labels) == (rules.get("null") == "binned") == (len(found.cuts) == found.cells)


@pytest.mark.parametrize(("column", "edges", "rules"), CASES)
def test_a_histogram_and_groups_have_the_same_bins(column, edges, rules):
    found = binned(column, edges=edges, **rules)
    named = {{"null": "missing"}.get(key, key): rule for key, rule in rules.items()}
    histogram = histogram_query(column, add_remove(n_max=9), edges=edges, **named)
    assert histogram.labels == found.labels
    assert (histogram.aggregates[0].cuts, histogram.aggregates[0].missing) == (found.cuts, "(missing)" in found.labels)


def test_a_column_with_edges_is_the_column_where_it_is_summed_or_tested():
    found = binned(AGE, edges=[0, 18])
    assert isinstance(found, BinnedColumn)
    assert isinstance(found, NumberColumn)
    assert found.plain == AGE != found
    assert type(found.plain) is NumberColumn
    assert AGE.plain is AGE
    assert binned(found, edges=[0, 60]) == binned(AGE, edges=[0, 60])


@pytest.mark.parametrize(
    ("column", "given", "kind", "problem"),
    [
        (AGE, {"edges": [0]}, ParameterError, "needs public bin edges"),
        (AGE, {"edges": "12"}, ParameterError, "needs public bin edges"),
        (AGE, {"edges": [0, 9, 9]}, BoundError, "do not increase"),
        (AGE, {"edges": [-1, 9]}, BoundError, "leave the bounds"),
        (AGE, {"edges": [0, 121]}, BoundError, "leave the bounds"),
        (AGE, {"edges": [0, "1/2", 9]}, BoundError, "no multiple of its step"),
        (AGE, {"edges": [0, 9], "outside": "kept"}, ParameterError, "outside = 'kept' of column 'age' is not known"),
        (AGE, {"edges": [0, 9], "null": "kept"}, ParameterError, "null = 'kept' of column 'age' is not known"),
    ],
)
def test_bins_that_make_no_sense_are_refused(column, given, kind, problem):
    with pytest.raises(kind, match=problem):
        binned(column, **given)
