"""Groups by one column and by several: their cells, names, codes, limits, and how they are declared."""

from __future__ import annotations

import itertools
import json

import pytest

from snapdp.errors import BoundError, DataError, ParameterError
from snapdp.studies.categories import Periods, boolean_column, date_column
from snapdp.studies.columns import CategoryColumn, category_column, integer_column, number_column
from snapdp.studies.conditions import condition
from snapdp.studies.declarations import Unlisted, column_values, groups_from, groups_values
from snapdp.studies.grouping.groups import MOST_CELLS, MOST_COLUMNS, CrossedLabels, binned, groups_of, label_columns
from snapdp.studies.labels import label_text, readable_cell, readable_keys
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.counts import count_query
from snapdp.studies.statistics.histogram import Histogram, histogram_query
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.registry import statistic_class
from snapdp.studies.statistics.sum import sum_query

REGION = category_column("region", categories=["north", "south"])
SEX = category_column("sex", categories=["f", "m"], unknown="binned", null="binned")
VISIT = date_column("visit", start="2024-05-01", end="2024-06-30", each="month", null="binned")
AGE = integer_column("age", lower=0, upper=120, missing="dropped")
AGES = binned(AGE, edges=[0, 18, 65], outside="binned", null="binned")
HOSTILE = ["", ",", " / ", '"', "a, b", "\x1b[31m", "'", "[0, 18)", " x", "null"]
N = add_remove(n_max=100)


def test_cells_of_several_columns_are_all_combinations_the_first_outermost():
    groups = groups_of([REGION, SEX, VISIT])
    assert (groups.cells, groups.names, groups.title) == (2 * 4 * 3, ("region", "sex", "visit"), "region, sex, visit")
    assert list(groups.labels) == list(itertools.product(REGION.labels, SEX.labels, VISIT.labels))
    assert groups.labels[0] == ("north", "f", "2024-05")
    assert groups.labels[-1] == ("south", "(null)", "(null)")
    assert groups.labels[2:4] == (("north", "f", "(null)"), ("north", "m", "2024-05"))


def test_one_column_is_named_by_text_as_it_was():
    for by in (REGION, [REGION], groups_of(REGION)):
        query = count_query(N, by=by)
        assert query.labels == ("north", "south")
        assert (query.title, query.keys) == ("count by region", ())
        assert query.declaration()["by"] == column_values(REGION)
        assert dict(query.toml())["by"] == "region"
    assert count_query(N, by=AGES).labels == ("[0, 18)", "[18, 65]", "above 65", "(missing)")
    assert histogram_query(REGION, N, by=AGES).labels[:3] == ("[0, 18) / north", "[0, 18) / south", "[18, 65] / north")


@pytest.mark.parametrize(
    "query",
    [
        count_query(N, by=[REGION, SEX]),
        count_query(N, by=AGES),
        sum_query(AGE, change_one(n=9), by=[SEX, AGES]),
        mean_query(AGE, N, by=[boolean_column("sick"), VISIT], count_share="1/3"),
        histogram_query(SEX, N, by=[AGES, REGION]),
        histogram_query(AGE, N, edges=[0, 60, 120], by=[REGION, SEX]),
    ],
    ids=lambda query: query.title,
)
def test_what_a_record_declares_is_read_back(query):
    declared = json.loads(json.dumps(query.declaration()))
    again = statistic_class(query.kind).from_declaration(declared, query.relation)
    assert again == query
    assert again.labels == query.labels
    assert again.declaration() == query.declaration()
    assert isinstance(declared["by"], list) == (len(query.by.columns) > 1)


def test_bins_are_declared_with_the_groups_and_not_with_what_is_summed():
    """The mean of a column is the same request whether or not the column has edges."""
    declared = mean_query(AGES, N, by=[REGION, AGES]).declaration()
    assert declared["columns"] == [column_values(AGE)] == mean_query(AGE, N).declaration()["columns"]
    assert declared["by"][1] == {
        **column_values(AGE), "edges": ["0", "18", "65"], "outside": "binned", "null": "binned",
    }  # fmt: skip
    assert mean_query(AGES, N) == mean_query(AGE, N)
    assert count_query(N, where=[condition(AGES, start=18)]) == count_query(N, where=[condition(AGE, start=18)])


def test_edges_of_a_column_are_those_of_its_histogram_unless_it_has_its_own():
    assert histogram_query(AGES, N) == histogram_query(AGE, N, edges=[0, 18, 65], outside="binned", missing="binned")
    own = histogram_query(AGES, N, edges=[0, 60])
    assert own == histogram_query(AGE, N, edges=[0, 60])
    assert (own.outside, own.missing) == ("dropped", "dropped")
    assert histogram_query(AGES, N, outside="dropped").labels == ("[0, 18)", "[18, 65]", "(missing)")


def test_a_list_of_one_column_in_a_record_is_none_that_was_written():
    with pytest.raises(DataError, match="fewer than two"):
        groups_from([column_values(REGION)])
    assert groups_from(groups_values(groups_of([REGION, SEX]))) == groups_of([REGION, SEX])


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: groups_of([REGION, SEX, REGION]), "by names column 'region' twice"),
        (lambda: groups_of([REGION, category_column("region", categories=["x"])]), "'region' twice"),
        (lambda: groups_of([]), "by names 0 columns"),
        (lambda: groups_of([REGION, AGE]), "'age' holds numbers and cannot name groups without bin edges"),
        (lambda: groups_of([REGION, "sex"]), "no column"),
        (lambda: histogram_query(SEX, N, by=[REGION, SEX]), "histogram of 'sex' by itself"),
        (lambda: histogram_query(AGE, N, edges=[0, 9], by=[REGION, AGES]), "histogram of 'age' by itself"),
        (
            lambda: groups_of([boolean_column(f"b{i}") for i in range(MOST_COLUMNS + 1)]),
            f"by names {MOST_COLUMNS + 1} columns",
        ),
    ],
)
def test_groups_that_make_no_sense_are_refused(make, problem):
    with pytest.raises(ParameterError, match=problem):
        make()


def test_too_many_cells_are_refused_with_their_number_before_anything_is_opened():
    """Of several columns, and of a histogram by groups; exactly as many as are allowed are taken."""
    wide = category_column("wide", categories=[str(i) for i in range(MOST_CELLS // 1000)])
    narrow = category_column("narrow", categories=[str(i) for i in range(1000)])
    more = category_column("more", categories=[str(i) for i in range(1000)], null="binned")
    assert groups_of([wide, narrow]).cells == MOST_CELLS
    assert histogram_query(wide, N, by=narrow).cells == MOST_CELLS
    too_many = MOST_CELLS + MOST_CELLS // 1000
    with pytest.raises(BoundError, match=rf"groups by wide, more: there are {too_many} cells, more than {MOST_CELLS}"):
        groups_of([wide, more])
    with pytest.raises(BoundError, match=rf"histogram\(wide\) by more: there are {too_many} cells.*\n.*nothing spent"):
        histogram_query(wide, N, by=more)


def test_names_are_made_when_they_are_asked_for():
    """Ten million names take no room; a long list that a record has the digest of has a length."""
    long = Periods(begin=0, stop=5_000_000, each="day")
    labels = CrossedLabels((long, ("f", "m")))
    assert len(labels) == 10_000_000
    assert labels.place(9_999_999) == (4_999_999, 1)
    unlisted = Unlisted(size=5000, digest="sha256:" + "0" * 64)
    assert groups_of([CategoryColumn(name="g", categories=unlisted), SEX]).cells == 5000 * 4


def test_names_by_columns_are_those_of_the_cells():
    labels = groups_of([REGION, SEX, AGES]).labels
    texts, *keys = ([*each] for each in label_columns(labels, 3))
    assert texts == [label_text(each) for each in labels]
    assert [*zip(*keys, strict=True)] == [*labels]
    plain = tuple(labels)  # groups that are no product have such names
    assert [[*each] for each in label_columns(plain, 3)] == [texts, *keys]
    assert labels == plain
    assert labels == CrossedLabels(labels.lists)
    assert hash(labels) == hash(CrossedLabels(labels.lists))
    assert labels != CrossedLabels(labels.lists[::-1])
    assert repr(labels) == "<the names of 32 cells>"


def test_names_as_one_text_are_never_ambiguous():
    """Whatever categories are called: no two cells have one text."""
    names = [*HOSTILE, "[a", "b)", "[c, d)", "[c", "d)", "[a, b)", '"a"', "a", "b", "[", "[]", "(x)"]
    for columns in (2, 3):
        cells = list(itertools.product(names, repeat=columns))
        assert len({label_text(each) for each in cells}) == len(cells)
    assert label_text(("north", "f", "[0, 18)")) == "north, f, [0, 18)"
    assert label_text(("", "a, b")) == '"", "a, b"'


def test_bins_are_read_with_short_decimals_and_categories_are_left_alone():
    half = binned(number_column("x", lower=0, upper=2, step="1/2", missing="dropped"), edges=["1/2", "3/2"])
    many = count_query(N, by=[category_column("c", categories=["1/2"]), half])
    assert [readable_keys(each, many.declaration()) for each in many.labels] == [("1/2", "[0.5, 1.5]")]
    one = histogram_query(category_column("c", categories=["1/2"]), N, by=half)
    assert isinstance(one, Histogram)
    assert readable_keys(["[1/2, 3/2]", "1/2"], one.declaration()) == ("[0.5, 1.5]", "1/2")
    assert readable_cell("1/2", count_query(N, by=REGION).declaration()) == "1/2"


def test_what_happens_to_rows_outside_is_said_in_words():
    query = mean_query(AGE, N, by=[REGION, binned(AGE, edges=[18, "65"])])
    assert "rows without age are in no bin" in query.missing_in_words
    assert "rows whose age lies outside of its edges, 18 to 65, are left out" in query.others_in_words
    query = count_query(N, by=AGES)
    assert query.missing_in_words == ("rows without age have a bin of their own",)
    assert query.others_in_words == ("rows whose age lies outside of its edges, 0 to 65, have bins of their own",)
    assert count_query(N, by=binned(AGE, edges=[0, 120])).others_in_words == ()
