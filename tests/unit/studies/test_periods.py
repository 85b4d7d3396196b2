"""Periods of dates: their labels are a tuple in every way in which one is used, and none is written out unasked."""

from __future__ import annotations

import pytest

from snapdp.studies.categories import date_column


@pytest.mark.parametrize("each", ["day", "week", "month", "year"])
def test_periods_are_a_tuple_of_labels_in_every_way_that_one_is_used(each):
    periods = date_column("d", start="2019-12-25", end="2021-01-10", each=each).categories
    labels = tuple(iter(periods))
    assert len(set(labels)) == len(labels) == len(periods)
    assert list(labels) == sorted(labels)
    assert periods == labels
    assert labels == periods
    assert periods != labels[1:]
    assert [periods.index(label) for label in labels] == list(range(len(labels)))
    assert [periods[place] for place in range(len(labels))] == list(labels)
    assert (periods[-1], periods[1:3], periods[::-1]) == (labels[-1], labels[1:3], labels[::-1])
    assert periods + labels == (*labels, *labels)
    assert ", ".join(periods) == ", ".join(labels)
    odd = [
        "",
        "x",
        "2020-1",
        "2020-001",
        "20200101",
        "2020-W1",
        "2020-W54",
        "2020-W011",
        "2018",
        "2021-02",
        " 2020",
        "2020 ",
    ]
    assert not any(each in periods for each in [*odd, None, 2020, "\u0662020", "2019-12-24", "2022-W01", "2020-02-30"])
    with pytest.raises(ValueError, match="no such period"):
        periods.index("x")
