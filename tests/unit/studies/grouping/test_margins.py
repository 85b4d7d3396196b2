"""Margins as they are declared: their order, shares, what is refused, and study files that say the same again."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.studies.columns import category_column
from snapdp.studies.grouping.groups import groups_of
from snapdp.studies.grouping.margins import margins_of
from snapdp.studies.study_file import plan_of, study_from_toml, study_from_values, study_to_toml

F = Fraction
REGION = {"kind": "category", "categories": ["north", "south", "east"]}
SEX = {"kind": "category", "categories": ["f", "m"]}
EVERY = {"unknown": "binned", "null": "binned"}
PAY = {"kind": "number", "lower": 0, "upper": 100, "step": 1, "missing": "dropped"}
COLUMNS = {"region": REGION, "sex": SEX, "pay": PAY}
GROUPS = groups_of([category_column(name, categories=["x", "y"]) for name in "abc"])


def study_of(*, columns=COLUMNS, relation=None, top=None, **statistic):
    asked = {"kind": "count", "by": ["region", "sex"], "epsilon": 1, **statistic}
    rows = relation or {"relation": "add-remove", "n_max": 1000}
    given = {"format": 1, "dataset": "d", **rows, **(top or {}), "columns": columns}
    return study_from_values({**given, "statistic": [{k: v for k, v in asked.items() if v is not None}]})


def statistic_of(**said):
    (asked,) = study_of(**said).asked
    return asked.statistic


def test_all_margins_come_in_one_order_the_total_first_and_the_table_last():
    found = margins_of(GROUPS, "all", None, known_total=False)
    assert found.asked == ((), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))
    assert found.shares == (F(1, 8),) * 8
    assert found.typed == "all"


def test_two_orders_of_margins_columns_and_their_shares_are_one_request():
    one = statistic_of(margins=[["region"], ["region", "sex"], []], shares=["1/2", "1/4", "1/4"])
    other = statistic_of(margins=[[], ["sex", "region"], ["region"]], shares=["1/4", 0.25, "0.5"])
    assert one == other
    assert one.declaration() == other.declaration()
    assert one.declaration()["margins"] == [[], ["region"], ["region", "sex"]]
    assert one.declaration()["shares"] == ["1/4", "1/2", "1/4"]
    assert one != statistic_of(margins=[["region"], ["region", "sex"], []])


def test_all_is_the_list_of_all_and_equal_shares_are_those_left_out():
    listed = [["sex", "region"], ["sex"], [], ["region"]]
    assert statistic_of(margins="all") == statistic_of(margins=listed, shares=["1/4"] * 4)


@pytest.mark.parametrize("margins", ["all", [["region"]], [[], ["region", "sex"]], [["region"], ["sex"]]])
@pytest.mark.parametrize("kind", [{"kind": "count"}, {"kind": "sum", "column": "pay"}], ids=["count", "sum"])
def test_a_study_with_margins_is_written_and_read_back(margins, kind):
    study = study_of(margins=margins, **kind)
    text = study_to_toml(study)
    assert study_from_toml(text) == study
    assert ('margins = "all"' in text) == (margins == "all")


def test_all_margins_of_two_of_three_columns_are_not_written_as_all():
    columns = {**COLUMNS, "old": {"kind": "boolean"}}
    asked = [[], ["region"], ["sex"], ["region", "sex"]]
    study = study_of(columns=columns, by=["region", "sex", "old"], margins=asked)
    assert study_from_toml(study_to_toml(study)) == study


def test_a_table_by_one_column_has_margins_too():
    statistic = statistic_of(by="region", margins="all")
    assert [part.cells for part in statistic.parts] == [1, 3]
    assert statistic == statistic_of(by=["region"], margins=[["region"], []])


@pytest.mark.parametrize(
    ("said", "problem", "advice"),
    [
        ({"by": None, "margins": "all"}, "there is none", "by which columns"),
        ({"margins": "some"}, "'some' is not known", "[] is the total"),
        ({"margins": []}, "empty", "all"),
        ({"margins": [["region"], "sex"]}, "no list of columns", "[] is the total"),
        ({"margins": [["region"], ["age"]]}, "'age', which is not in by", "by region, sex"),
        ({"margins": [["regoin"]]}, "'regoin', which is not in by", "Did you mean 'region'? The table is by"),
        ({"margins": "ALL"}, "margins = 'ALL' is not known", "Did you mean 'all'? Give margins ="),
        ({"margins": [["region", "region"]]}, "a column twice", "once"),
        ({"margins": [["region", "sex"], ["sex", "region"]]}, "asked for twice", "once"),
        ({"margins": "all", "shares": ["1/2", "1/2"]}, "2 shares for 4 margins", "one for each"),
        (
            {"margins": "all", "shares": ["1/2", "1/4", "1/8", "1/16"]},
            "parts of 1: they add up to 15/16",
            "add up to 1",
        ),
        ({"margins": "all", "shares": ["1/2", "1/2", 0, "1/2"]}, "share", ""),
        ({"margins": "all", "shares": ["1/2", "1", "-1/4", "-1/4"]}, "share", ""),
        ({"shares": ["1"]}, "shares belong to margins", "leave shares out"),
        ({"kind": "mean", "column": "pay", "margins": "all"}, "a mean has no margins", "a sum and for a count"),
        (
            {"kind": "histogram", "column": "sex", "by": "region", "margins": "all"},
            "a histogram has no margins",
            "a count instead",
        ),
        ({"kind": "variance", "column": "pay", "by": None, "margins": "all"}, "a variance has no margins", "Leave"),
        ({"margins": "all", "epsilon": None, "accuracy": 10}, "several tables", "Give an epsilon"),
    ],
)
def test_what_is_no_margin_is_refused_with_what_to_do(said, problem, advice):
    with pytest.raises((ParameterError, PremiseError)) as refusal:
        plan_of(study_of(**said))
    assert problem in refusal.value.problem
    assert advice in refusal.value.advice


def test_a_known_total_has_no_share():
    columns = {"region": {**REGION, **EVERY}, "sex": {**SEX, **EVERY}}
    rows = {"relation": "change-one", "n": 100}
    statistic = statistic_of(columns=columns, relation=rows, margins="all", shares=["1/2", "1/4", "1/4"])
    assert statistic.margins.known_total
    assert statistic.margins.measured == ((0,), (1,), (0, 1))
    with pytest.raises(ParameterError, match="4 shares for 3 margins") as refusal:
        statistic_of(columns=columns, relation=rows, margins="all", shares=["1/4"] * 4)
    assert "it has no share" in refusal.value.advice
    with pytest.raises(ParameterError, match="no margin is measured"):
        statistic_of(columns=columns, relation=rows, margins=[[]])


def test_too_many_cells_margins_or_columns_are_refused_before_anything_is_planned():
    wide = {"kind": "category", "categories": [str(i) for i in range(3000)]}
    columns = {"a": wide, "b": wide, "c": {"kind": "boolean"}}
    with pytest.raises(BoundError, match="cells"):
        study_of(columns=columns, by=["a", "b", "c"], margins="all")  # the table itself
    listed = wide["categories"]
    small = {"a": {**wide, "categories": listed[:1000]}, "b": {**wide, "categories": listed[:1500]}}
    columns = {**small, "c": {"kind": "boolean", "unknown": "binned"}}
    with pytest.raises(BoundError, match="more than 1000000"):
        study_of(columns=columns, by=["a", "b", "c"], margins=[["a", "b"], ["c"]])
    assert study_of(columns=columns, by=["a", "b", "c"], margins=[["a"], ["b", "c"]])
    six = {name: {"kind": "boolean"} for name in "abcdef"}
    with pytest.raises(BoundError, match="too much work"):
        study_of(columns=six, by=list(six), margins="all")
    assert study_of(columns=six, by=list(six)[:5], margins="all")
    nine = {name: {"kind": "boolean"} for name in "abcdefghi"}
    for margins in ("all", [["a"]]):
        with pytest.raises(BoundError, match="too many margins"):
            study_of(columns=nine, by=list(nine), margins=margins)
