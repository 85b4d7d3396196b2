"""One line is a study: the same request, charged to an account that says who is protected."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import snapdp
from snapdp.api.columns import category
from snapdp.errors import DataError, LedgerError, ParameterError, PremiseError

AGES = [31, 62, 7, 45]
FRAME = pd.DataFrame({"age": AGES, "pay": [512.5, 999.0, 700.0, 1200.0], "region": ["north", "south", "north", "?"]})
AGE = {"kind": "number", "lower": 0, "upper": 120, "missing": 50}
REGION = {"kind": "category", "categories": ["north", "south"]}
TWO = FRAME.assign(sex=["f", "m", "m", "m"])
TRUE = {"kind": "count", "where": [{"column": "condition", "equals": "true"}], "epsilon": 10**6}
BOUNDED = {"bounds": (0, 120), "missing": 50}


@pytest.fixture
def ledger(tmp_path):
    with snapdp.Ledger.create(tmp_path / "people.ledger") as book:
        book.create_account("people", cap=1000, relation="change-one", rows=4)
    return tmp_path / "people.ledger"


def add_remove_ledger(folder, *, unit="row", rows=10):
    book = snapdp.Ledger.create(folder / "other.ledger")
    book.create_account("people", cap=1000, relation="add-remove", rows=rows, unit=unit)
    return book


def by_study(ledger, data, *statistics, **columns):
    coarse = [each for each in statistics if each.get("column") == "step 4"]
    statistics = tuple({**each, "column": "age"} if each in coarse else each for each in statistics)
    columns |= {"age": {**AGE, "step": 4, "missing": 52}} if coarse else {}
    declared = {"age": AGE, "pay": {**AGE, "upper": 2000}, "region": REGION, **columns}
    relation = {"dataset": "people", "relation": "change-one", "n": 4}
    return snapdp.study(**relation, columns=declared, statistic=list(statistics)).release(data, ledger=ledger)


# The same request

REQUESTS = {
    "mean": (lambda **to: snapdp.mean(FRAME, column="age", **BOUNDED, **to), {"kind": "mean", "column": "age"}),
    "means": (
        lambda **to: snapdp.mean(FRAME, column=["age", "pay"], bounds=[(0, 120), (0, 2000)], missing=(50, "50"), **to),
        {"kind": "mean", "columns": ["age", "pay"]},
    ),
    "sum": (lambda **to: snapdp.sum(FRAME, column="age", **BOUNDED, **to), {"kind": "sum", "column": "age"}),
    "variance": (
        lambda **to: snapdp.variance(FRAME, column="age", **BOUNDED, **to),
        {"kind": "variance", "column": "age"},
    ),
    "covariance": (
        lambda **to: snapdp.covariance(
            FRAME, column=("age", "pay"), bounds=((0, 120), (0, 2000)), missing=(50, "50"), **to
        ),
        {"kind": "covariance", "columns": ["age", "pay"]},
    ),
    "variances": (
        lambda **to: snapdp.variance(FRAME, column="age", by="region", groups=("north", "south"), **BOUNDED, **to),
        {"kind": "variance", "column": "age", "by": "region"},
    ),
    "correlation": (
        lambda **to: snapdp.covariance(
            FRAME,
            column=("age", "pay"),
            bounds=((0, 120), (0, 2000)),
            missing=(50, "50"),
            correlation=True,
            where={"region": "north"},
            columns={"region": REGION},
            **to,
        ),
        {
            "kind": "covariance",
            "columns": ["age", "pay"],
            "correlation": True,
            "where": [{"column": "region", "equals": "north"}],
        },
    ),
    "histogram": (
        lambda **to: snapdp.histogram(FRAME, column="region", categories=["north", "south"], **to),
        {"kind": "histogram", "column": "region"},
    ),
    "count": (
        lambda **to: snapdp.count(FRAME, where={"region": "north"}, columns={"region": REGION}, **to),
        {"kind": "count", "where": [{"column": "region", "equals": "north"}]},
    ),
    "groups": (
        lambda **to: snapdp.mean(FRAME, column="age", by="region", groups=("north", "south"), **BOUNDED, **to),
        {"kind": "mean", "column": "age", "by": "region"},
    ),
    "quantiles": (
        lambda **to: snapdp.quantiles(FRAME, column="age", at=(0.1, Fraction(1, 2)), step=4, **BOUNDED, **to),
        {"kind": "quantiles", "column": "step 4", "at": ["1/10", "0.5"]},
    ),
    "median": (
        lambda **to: snapdp.median(
            FRAME, column="age", by="region", groups=("north", "south"), branching=5, step=4, **BOUNDED, **to
        ),
        {"kind": "quantiles", "column": "step 4", "by": "region", "branching": 5},
    ),
    "conditions": (
        lambda **to: snapdp.sum(FRAME, column="age", where={"age": (18, 65)}, **BOUNDED, **to),
        {"kind": "sum", "column": "age", "where": [{"column": "age", "from": 18, "below": 65}]},
    ),
}


def test_bins_of_a_line_are_those_of_a_study(ledger):
    """A histogram has its own rule for missing cells; a number that stands in for them is none of it."""
    asked = {"bounds": (0, 120), "edges": (0, 18, Fraction(65)), "missing": "binned", "outside": "binned"}
    first = snapdp.histogram(FRAME, column="age", **asked, epsilon=1, ledger=ledger)
    assert list(first.value) == ["[0, 18)", "[18, 65]", "above 65", "(missing)"]
    bins = {"kind": "histogram", "column": "age", "edges": [0, 18, 65], "missing": "binned", "outside": "binned"}
    assert by_study(ledger, FRAME, {**bins, "epsilon": 1}, age={**AGE, "missing": "dropped"}).free


def test_booleans_and_dates_are_declared_with_the_keys_of_a_study(rich):
    rows = pd.DataFrame({"old": AGES, "visit": ["2024-05-17", "2024-06-01", "2024-05-02", None]})
    rows["old"] = rows["old"] >= 40
    month = {"kind": "date", "from": "2024-05-01", "to": "2024-06-30", "each": "month"}
    asked = {"columns": {"old": {"kind": "boolean"}, "visit": month}, "epsilon": 10**6, "ledger": rich}
    assert snapdp.histogram(rows["old"], **asked).value == {"false": 2, "true": 2}
    assert snapdp.histogram(rows, column="visit", **asked).value == {"2024-05": 2, "2024-06": 1}


def test_what_a_missing_cell_counts_as_is_said_or_asked_for(ledger):
    with pytest.raises(ParameterError, match=r'(?s)missing cell.*"dropped".*"middle".*public number'):
        snapdp.mean(AGES, bounds=(0, 120), epsilon=1, ledger=ledger)


@pytest.mark.parametrize("name", REQUESTS)
def test_a_line_is_the_request_that_a_study_makes(name, ledger):
    line, statistic = REQUESTS[name]
    first = line(epsilon=Fraction(1, 2), alpha="0.1", ledger=ledger)
    again = by_study(ledger, FRAME, {**statistic, "epsilon": "0.5", "alpha": 0.1})
    assert (first.free, again.free) == (False, True)
    assert again.record == first.record
    assert by_study(ledger, FRAME, {**statistic, "epsilon": "0.6", "alpha": 0.1}).free is False


def test_conditions_in_another_order_are_the_same_request_and_free(ledger):
    where, declared = {"region": "north", "age": (18, 65)}, {"region": REGION, "age": AGE}
    first = snapdp.count(FRAME, where=where, columns=declared, epsilon=1, ledger=ledger)
    again = snapdp.count(FRAME, where=dict(reversed(where.items())), columns=declared, epsilon=1, ledger=ledger)
    assert (first.free, again.free) == (False, True)
    assert again.record == first.record
    assert not snapdp.count(FRAME, where={**where, "age": (18, 66)}, columns=declared, epsilon=1, ledger=ledger).free


# Columns of every kind

COLUMNS = {
    "pandas": FRAME["age"],
    "pandas Int64": FRAME["age"].astype("Int64"),
    "polars": pl.Series("age", AGES),
    "numpy": np.array(AGES),
    "list": AGES,
    "tuple": tuple(AGES),
    "arrow": pa.chunked_array([pa.array(AGES[:1]), pa.array(AGES[1:])]),
}
TABLES = {"pandas": FRAME, "polars": pl.from_pandas(FRAME), "lazy": pl.from_pandas(FRAME).lazy(), "dict": {"age": AGES}}


def sharp(**more):
    """Return what makes the noise of a test small: an epsilon that protects nobody."""
    return {**BOUNDED, "epsilon": 10**6, "integer": True, **more}


@pytest.fixture
def rich(tmp_path):
    with snapdp.Ledger.create(tmp_path / "rich.ledger") as book:
        book.create_account("people", cap=10**9, relation="change-one", rows=4)
        yield book


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_of_any_kind_is_read(name, rich):
    result = snapdp.mean(COLUMNS[name], **sharp(ledger=rich))
    assert float(result) == pytest.approx(sum(AGES) / 4, abs=0.01)
    title = result.record["statistics"][0]["title"]
    assert title == ("mean(age)" if name.startswith("p") else "mean(value)")
    assert snapdp.mean(COLUMNS[name], column="years", **sharp(ledger=rich)).values.keys() == {"mean(years)"}


@pytest.mark.parametrize("name", TABLES)
def test_a_column_of_a_table_is_named(name, rich):
    assert float(snapdp.sum(TABLES[name], column="age", **sharp(ledger=rich))) == pytest.approx(sum(AGES), abs=0.1)
    with pytest.raises(ParameterError, match="none is named"):
        snapdp.sum(TABLES[name], **sharp(ledger=rich))


def test_groups_are_a_column_or_a_name(rich):
    asked = sharp(ledger=rich, groups=["north", "south"])
    for found in (
        snapdp.sum(FRAME["age"], by=FRAME["region"], **asked),
        snapdp.sum(AGES, by=list(FRAME["region"]), **asked),
        snapdp.sum(FRAME, column="age", by="region", **asked),
        snapdp.sum(pl.Series("age", AGES), by=pl.Series("region", FRAME["region"].to_list()), **asked),
    ):
        assert found.value == pytest.approx({"north": 38, "south": 62}, abs=0.1)


BY_TWO = {("north", "f"): 1, ("north", "m"): 1, ("south", "f"): 0, ("south", "m"): 1}
LISTS = {"region": ["north", "south"], "sex": ["f", "m"]}


@pytest.mark.parametrize(
    "line",
    [
        lambda **to: snapdp.count(TWO, by=["region", "sex"], groups=LISTS, **to),
        lambda **to: snapdp.count(TWO, by=("region", "sex"), groups=list(LISTS.values()), **to),
        lambda **to: snapdp.count(
            TWO, by=["region", "sex"], groups={"sex": ["f", "m"]}, columns={"region": REGION}, **to
        ),
        lambda **to: snapdp.count(
            TWO,
            by=["region", "sex"],
            columns={"region": REGION, "sex": {"kind": "category", "categories": ["f", "m"]}},
            **to,
        ),
    ],
    ids=["by name", "in their order", "one in columns", "all in columns"],
)
def test_groups_by_several_columns_of_a_table(line, rich):
    found = line(epsilon=10**6, ledger=rich)
    assert found.record["statistics"][0]["title"] == "count by region, sex"
    assert found.value == BY_TWO


def test_groups_by_several_columns_that_are_given_themselves(rich):
    asked = sharp(ledger=rich)
    wanted = {("north", "f"): 31, ("north", "m"): 7, ("south", "f"): 0, ("south", "m"): 62}
    region, sex = TWO["region"], TWO["sex"]
    for ages, by, groups in (
        (TWO["age"], [region, sex], LISTS),
        (AGES, [list(region), list(sex)], list(LISTS.values())),
        (pl.Series("age", AGES), [pl.Series("region", region.to_list()), pl.Series("sex", sex.to_list())], LISTS),
    ):
        found = snapdp.sum(ages, by=by, groups=groups, **asked)
        assert found.value == pytest.approx(wanted, abs=0.1)
    alone = snapdp.sum(AGES, by=[list(region)], groups=["north", "south"], **asked)
    assert alone.value == pytest.approx({"north": 38, "south": 62}, abs=0.1)


def test_numbers_are_grouped_by_the_edges_that_columns_declare(rich):
    age = {**AGE, "missing": "dropped", "edges": [0, 18, 65]}
    asked = {"columns": {"age": age}, "epsilon": 10**6, "ledger": rich}
    found = snapdp.count(TWO, by=["region", "age"], groups={"region": ["north", "south"]}, **asked)
    assert found.value == {
        ("north", "[0, 18)"): 1, ("north", "[18, 65]"): 1, ("south", "[0, 18)"): 0, ("south", "[18, 65]"): 1,
    }  # fmt: skip
    assert list(snapdp.count(TWO, by="age", **asked).value) == ["[0, 18)", "[18, 65]"]
    assert list(snapdp.histogram(TWO, column="age", **asked).value) == ["[0, 18)", "[18, 65]"]
    assert by_study(rich, TWO, {"kind": "count", "by": ["region", "age"], "epsilon": 10**6}, age=age).free


def test_truth_values_are_counted(rich):
    old = FRAME["age"] >= 40
    for column in (old, old.astype("boolean"), old.to_numpy(), pl.Series(old.to_list()), pa.array(old.to_list())):
        result = snapdp.count(column, epsilon=10**6, ledger=rich)
        assert float(result) == 2
        assert result.record["statistics"][0]["title"] == "count where condition = true"
    again = by_study(rich, {"condition": old}, TRUE, condition={"kind": "boolean"})
    assert again.free  # the first of them: a Series under the same name
    by_region = snapdp.count(old, by=FRAME["region"], groups=["north", "south"], epsilon=10**6, ledger=rich)
    assert by_region.value == {"north": 0, "south": 1}


def test_two_columns_have_a_covariance(rich):
    result = snapdp.covariance(
        FRAME["age"], FRAME["pay"], bounds=((0, 120), (0, 2000)), missing=50, integer=True, epsilon=10**6, ledger=rich
    )
    assert result.value == pytest.approx(np.cov(AGES, [513, 999, 700, 1200])[0, 1], abs=1)


def test_numbers_may_be_of_any_kind_of_parameter(rich):
    ways = [(0, 120), ("0", "120"), (0.0, Fraction(120)), [np.int64(0), np.float32(120)]]
    found = [snapdp.mean(AGES, bounds=each, missing=50, epsilon=Fraction(1, 3), ledger=rich) for each in ways]
    assert [each.free for each in found] == [False, True, True, True]


# The account says who is protected


def test_rows_come_from_the_account_and_never_from_the_data(ledger, tmp_path):
    with pytest.raises(DataError, match="n = 4 rows"):
        snapdp.mean(AGES[:3], **BOUNDED, epsilon=1, ledger=ledger)
    with add_remove_ledger(tmp_path) as book:
        result = snapdp.mean(AGES, **BOUNDED, epsilon=1, ledger=book)
        assert (result.record["relation"], result.record["n_max"]) == ("add-remove", 10)


def test_persons_come_from_the_account(tmp_path):
    rows = pd.DataFrame({"id": ["a", "a", "b", "c"], "age": AGES})
    with add_remove_ledger(tmp_path, unit="person (id, at most 2 rows)") as book:
        result = snapdp.sum(rows, column="age", **BOUNDED, epsilon=1, ledger=book)
        assert (result.record["person"], result.record["rows_per_person"]) == ("id", 2)
        with pytest.raises(ParameterError, match="whose its rows are"):
            snapdp.sum(rows["age"], **BOUNDED, epsilon=1, ledger=book)


def test_a_unit_that_names_no_column_is_refused(tmp_path):
    with add_remove_ledger(tmp_path, unit="household") as book, pytest.raises(ParameterError, match="household"):
        snapdp.sum(AGES, **BOUNDED, epsilon=1, ledger=book)


def test_one_account_is_taken_and_one_of_several_is_named(ledger):
    with snapdp.Ledger.open(ledger) as book:
        book.create_account("staff", cap=5, relation="change-one", rows=4)
        with pytest.raises(LedgerError, match="has 2 accounts: 'people', 'staff'"):
            snapdp.mean(AGES, **BOUNDED, epsilon=1, ledger=book)
        assert snapdp.mean(AGES, **BOUNDED, epsilon=1, ledger=book, dataset="staff").record["dataset"] == "staff"
        assert book.account("people").spent == 0
        with pytest.raises(LedgerError, match="no account 'nobody'"):
            snapdp.mean(AGES, **BOUNDED, epsilon=1, ledger=book, dataset="nobody")


def test_a_ledger_without_an_account_is_refused(tmp_path):
    with snapdp.Ledger.create(tmp_path / "empty.ledger") as book, pytest.raises(LedgerError, match="no account yet"):
        snapdp.mean(AGES, **BOUNDED, epsilon=1, ledger=book)


@pytest.mark.parametrize("given", [None, "nowhere.ledger"])
def test_without_a_ledger_it_is_said_how_to_make_one(given):
    with pytest.raises(LedgerError, match=r"ledger.*\n.*snapdp\.Ledger\.create\(.*create_account\("):
        snapdp.mean(AGES, **BOUNDED, epsilon=1, ledger=given)


# Refusals

REFUSED = {
    "numbers are no truth values": (lambda to: snapdp.count(FRAME["age"], **to), "truth values"),
    "a list tells no type": (lambda to: snapdp.count([True, False, True, True], **to), "truth values"),
    "bounds of one number": (lambda to: snapdp.mean(AGES, bounds=5, missing=1, **to), "bounds = 5 is no pair"),
    "no bounds of one column": (
        lambda to: snapdp.covariance(AGES, AGES, bounds=(0, 1), **to),
        "bounds = 0 is no pair(.|\n)*a pair for each",
    ),
    "a mean without groups": (lambda to: snapdp.mean(AGES, by=AGES, **BOUNDED, **to), "groups are not said"),
    "a name for a column alone": (
        lambda to: snapdp.mean(AGES, by="region", groups=["a"], **BOUNDED, **to),
        "as the rows are",
    ),
    "several without groups": (lambda to: snapdp.count(FRAME, by=["region", "sex"], **to), "groups are not said"),
    "groups of another column": (
        lambda to: snapdp.count(FRAME, by=["region"], groups={"regoin": ["north"]}, **to),
        "groups speaks of 'regoin', which by does not name",
    ),
    "one list for two columns": (
        lambda to: snapdp.count(FRAME, by=["region", "sex"], groups=["north", "south"], **to),
        "groups does not have a list for each column of by",
    ),
    "a name among columns": (
        lambda to: snapdp.mean(AGES, by=[AGES, "region"], groups=["a"], **BOUNDED, **to),
        "same number of rows|no table|text",
    ),
    "a column among names": (
        lambda to: snapdp.count(FRAME, by=["region", FRAME["age"]], groups=[["a"], ["b"]], **to),
        "as the rows are",
    ),
    "a column of a table to count": (lambda to: snapdp.count(FRAME, column="age", **to), "not a column"),
    "bounds of categories": (
        lambda to: snapdp.histogram(FRAME["region"], categories=["north"], bounds=(0, 1), **to),
        "bounds belongs to a histogram with edges",
    ),
    "unknown numbers": (
        lambda to: snapdp.histogram(AGES, edges=[0, 9], bounds=(0, 9), unknown="binned", **to),
        "unknown belongs to a histogram with categories",
    ),
    "a single number": (lambda to: snapdp.mean(np.float64(3), column="x", **BOUNDED, **to), "no table"),
    "a square": (lambda to: snapdp.mean(np.zeros((4, 4)), **BOUNDED, **to), "one-dimensional"),
    "a histogram of nothing": (lambda to: snapdp.histogram(AGES, **to), "categories or edges"),
    "a covariance of one": (lambda to: snapdp.covariance(AGES, bounds=((0, 1), (0, 1)), **to), "two columns"),
    "two of one name": (
        lambda to: snapdp.covariance(FRAME["age"], FRAME["age"], bounds=((0, 1), (0, 1)), missing=1, **to),
        "two columns are named 'age'",
    ),
    "a range of three": (lambda to: snapdp.count(FRAME, where={"age": (1, 2, 3)}, **to), "no pair"),
    "a condition that is text": (lambda to: snapdp.count(FRAME, where="abc", **to), "where = 'abc' is not understood"),
    "a condition that is a list": (lambda to: snapdp.count(FRAME, where=[1], **to), "where = a list is not understood"),
    "a declaration that is a number": (
        lambda to: snapdp.count(FRAME, where={"x": "a"}, columns={"x": 3}, **to),
        "columns does not say for each column what it holds",
    ),
    "a declaration of the column itself": (
        lambda to: snapdp.mean(FRAME, column="age", columns={"age": {**AGE, "upper": 90}}, **BOUNDED, **to),
        "the column 'age' is declared twice",
    ),
    "a declaration of groups that are said": (
        lambda to: snapdp.mean(
            FRAME["age"], by=FRAME["region"], groups=["a"], columns={"region": REGION}, **BOUNDED, **to
        ),
        "the column 'region' is declared twice",
    ),
    "a declaration of truth values": (
        lambda to: snapdp.count(FRAME["age"] > 40, column="old", columns={"old": REGION}, **to),
        "the column 'old' is declared twice",
    ),
    "a word of categories": (lambda to: snapdp.histogram(AGES, categories="north", **to), "'north' is no list"),
    "categories without an order": (lambda to: snapdp.histogram(AGES, categories={"a", "b"}, **to), "a set is no list"),
    "text for yes": (lambda to: snapdp.mean(AGES, **BOUNDED, integer="no", **to), "neither True nor False"),
    "a number for a ledger": (lambda to: snapdp.mean(AGES, **BOUNDED, **{**to, "ledger": 1}), "no ledger 1"),
    "other indices": (
        lambda to: snapdp.mean(FRAME["age"], by=FRAME["region"][::-1], groups=["north"], **BOUNDED, **to),
        "indices differ",
    ),
    "other lengths": (
        lambda to: snapdp.mean(AGES, by=["north"], groups=["north"], **BOUNDED, **to),
        "same number of rows",
    ),
    "other lengths of Polars": (
        lambda to: snapdp.mean(pl.Series([1, 2]), by=pl.Series([1]), groups=["1"], **BOUNDED, **to),
        "no table",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_no_sense_is_refused_and_costs_nothing(name, ledger):
    line, told = REFUSED[name]
    with pytest.raises((ParameterError, DataError, PremiseError, LedgerError), match=told):
        line({"epsilon": 1, "ledger": ledger})
    with snapdp.Ledger.open(ledger) as book:
        assert book.account("people").spent == 0


def test_without_bounds_it_is_said_what_they_are_and_how_to_write_them(ledger):
    """Python's own words, a TypeError, named the argument and no more."""
    lines = [
        lambda to: snapdp.mean(AGES, **to),
        lambda to: snapdp.sum(AGES, **to),
        lambda to: snapdp.variance(AGES, **to),
        lambda to: snapdp.covariance(AGES, AGES, **to),
        lambda to: snapdp.histogram(AGES, edges=[0, 9], **to),
    ]
    for line in lines:
        with pytest.raises(
            ParameterError, match=r"bounds is missing: .*\n  Give bounds=\(.*A call has bounds="
        ) as refused:
            line({"epsilon": 1, "ledger": ledger})
        assert "Nothing was read or spent" in refused.value.advice
    with snapdp.Ledger.open(ledger) as book:
        assert book.account("people").spent == 0


def test_no_cell_is_told_by_a_refusal(ledger):
    """Canaries in every cell; lengths, names and types alone decide."""
    canary = ["8675309"] * 3
    for column in (canary, pd.Series(canary), pl.Series(canary), np.array(canary)):
        with pytest.raises((ParameterError, DataError)) as refused:
            snapdp.mean(column, **BOUNDED, epsilon=1, ledger=ledger)
        assert "8675309" not in str(refused.value)


@pytest.mark.parametrize("name", ["bounds", "column", "ledger", "where", "columns", "integer", "directory"])
def test_no_cell_is_told_where_a_column_landed_in_another_argument(name, ledger):
    asked = {**BOUNDED, "by": FRAME["region"], "groups": ["north"], "epsilon": 1, "ledger": ledger}
    for column in (["8675309"] * 3, pd.Series([8675309] * 3), np.array([8675309.0] * 3)):
        with pytest.raises((ParameterError, DataError, LedgerError)) as refused:
            snapdp.mean(FRAME["age"], **{**asked, name: column})
        assert "8675309" not in str(refused.value)


PAIRS = {
    "array": np.array([0, 120]),
    "list": [0, 120],
    "floats": np.array([0.0, 120.0]),
    "series": pd.Series([0, 120]),
    "arrow": pa.array([0, 120]),
}


@pytest.mark.parametrize("name", PAIRS)
def test_any_two_numbers_in_order_are_bounds(name, ledger):
    asked = {"missing": 50, "epsilon": 1, "ledger": ledger}
    assert not snapdp.mean(AGES, bounds=(0, 120), **asked).free
    assert snapdp.mean(AGES, bounds=PAIRS[name], **asked).free
    asked = {"column": ("age", "pay"), **asked}
    assert not snapdp.covariance(FRAME, bounds=((0, 120), (0, 120)), **asked).free
    assert snapdp.covariance(FRAME, bounds=(PAIRS[name], PAIRS[name]), **asked).free


def test_a_condition_on_a_column_of_which_nothing_is_said_is_refused_in_the_words_of_python(ledger):
    for test in ((30, None), 30, "north"):
        with pytest.raises(ParameterError, match=r"where speaks of the column 'age'(.|\n)*columns=\{'age': \{\"kind\""):
            snapdp.count(FRAME, where={"age": test}, epsilon=1, ledger=ledger)
    with pytest.raises(ParameterError, match=r"where=\{\"age\": \(18, 65\)\} in Python"):
        snapdp.count(FRAME, where={"age": 30}, columns={"age": AGE}, epsilon=1, ledger=ledger)


def test_groups_may_be_floats_as_frames_hold_them():
    assert category([0.0, 1.0, 2.5, np.float64(3)])["categories"] == ["0", "1", "2.5", "3"]
    assert category([float("nan")])["categories"] != ["nan"]


SEVERAL = {"column": ["age", "pay"], "bounds": [(0, 120), (0, 2000)], "missing": "dropped", "complete": True}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"column": ["age"]}, "lists 1 names; a list is for several"),
        ({"column": []}, "lists 0 names"),
        ({"column": {"age", "pay"}}, "no list"),
        ({"column": ["age", "age"]}, "named twice"),
        ({"column": ["age", 3]}, "column = 3 is no name"),
        ({"bounds": (0, 120)}, "is no pair"),
        ({"bounds": [(0, 120)]}, "bounds is for 1 columns, and 2 are named"),
        ({"missing": ["dropped"]}, "missing is for 1 columns"),
        ({"complete": False}, "not over the same rows"),
        ({"complete": "yes"}, "neither True nor False"),
        ({"missing": "middle"}, "leaves out no row"),
        ({"columns": {"age": AGE}}, "declared twice"),
    ],
)
def test_means_that_cannot_share_a_count_are_refused_before_anything_is_spent(ledger, changes, words):
    with pytest.raises(ParameterError, match=words):
        snapdp.mean(FRAME, **{**SEVERAL, **changes}, epsilon=1, ledger=ledger)
    with snapdp.Ledger.open(ledger) as book:
        assert book.only_account().spent == 0


def test_several_columns_are_named_in_a_table_and_not_in_one_column(ledger):
    with pytest.raises(ParameterError, match="one is given"):
        snapdp.mean(FRAME["age"], **SEVERAL, epsilon=1, ledger=ledger)
