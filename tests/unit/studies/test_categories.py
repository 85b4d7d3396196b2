"""Kinds of category columns: what is declared, how it stands in study files and requests, and what a cell means."""

from __future__ import annotations

import datetime
import json
import re

import pytest

from snapdp.errors import BoundError, ParameterError
from snapdp.studies.aggregates import Levels, Member
from snapdp.studies.categories import (
    BOOLEAN_WORDS,
    MOST_PERIODS,
    boolean_column,
    compared,
    date_column,
    is_plain,
    natural_comparison,
    place_of,
)
from snapdp.studies.columns import category_column
from snapdp.studies.conditions import condition, tested as asked_of_a_table
from snapdp.studies.declarations import column_from, column_values, condition_from, condition_values
from snapdp.studies.study_file import study_from_toml, study_to_toml

RULES = {"unknown": "binned", "null": "binned"}
MONTHS = date_column("visit", start="2023-11-20", end="2024-02-03", each="month")
SMOKES = boolean_column("smokes")
CODES = compared(category_column("code", categories=["0", "1.0", "2.5"]), "numbers")


def test_periods_are_labelled_in_order_by_day_week_month_and_year():
    def labels(each):
        return date_column("d", start="2024-12-29", end="2025-01-07", each=each).categories

    assert labels("day") == (
        "2024-12-29", "2024-12-30", "2024-12-31", "2025-01-01", "2025-01-02", "2025-01-03", "2025-01-04", "2025-01-05",
        "2025-01-06", "2025-01-07",
    )  # fmt: skip
    assert labels("week") == ("2024-W52", "2025-W01", "2025-W02")
    assert labels("month") == ("2024-12", "2025-01")
    assert labels("year") == ("2024", "2025")
    assert date_column("d", start="0001-01-01", end="0001-01-08", each="week").categories == ("0001-W01", "0001-W02")


def test_a_week_of_a_day_is_the_one_that_the_calendar_of_iso_says():
    column = date_column("d", start="2019-12-25", end="2027-01-10", each="week")
    day = column.first
    while day <= column.last:
        year, week, _ = day.isocalendar()
        assert column.categories[place_of(column, day.isoformat())] == f"{year}-W{week:02}"
        day += datetime.timedelta(days=1)


def test_the_words_of_a_boolean_that_people_are_told_are_those_that_are_read():
    true, false = (re.split(", ", half) for half in BOOLEAN_WORDS.split(" and "))
    assert [place_of(SMOKES, each) for each in (*true, *false)] == [1] * 5 + [0] * 5
    assert not any(place_of(SMOKES, each) for each in ("ja", "nein", "oui", "non", "j", "o", "vrai", "faux", "si"))


def test_labels_of_the_special_cells_follow_the_periods():
    column = date_column("d", start="2024-01-01", end="2024-01-02", each="day", **RULES)
    assert column.labels == ("2024-01-01", "2024-01-02", "(unknown)", "(null)")
    assert [place_of(column, cell) for cell in ("2024-01-02", "2024-01-03", "x", None)] == [1, 2, 2, 3]
    assert [place_of(MONTHS, cell) for cell in ("2023-11-19", "2023-11-20", None)] == [None, 0, None]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"start": "2024-02-01", "end": "2024-01-01", "each": "day"}, "from = 2024-02-01 is after to = 2024-01-01"),
        ({"start": "2024-02-30", "end": "2024-03-01", "each": "day"}, "from of column 'd' is no date: 2024-02-30"),
        ({"start": "2024-1-1", "end": "2024-03-01", "each": "day"}, "from of column 'd' is no date"),
        ({"start": 20240101, "end": "2024-03-01", "each": "day"}, "from of column 'd' is no date"),
        ({"start": "2024-01-01T00:00", "end": "2024-03-01", "each": "day"}, "is no date"),
        ({"start": "2024-01-01", "end": "2024-03-01", "each": "quarter"}, "each = 'quarter'"),
        ({"start": "0001-01-01", "end": "9999-12-31", "each": "day"}, f"more than {MOST_PERIODS}"),
        ({"start": "2024-01-01", "end": "2024-03-01", "each": "day", "null": "kept"}, "null = 'kept'"),
    ],
)
def test_dates_that_make_no_sense_are_refused(values, problem):
    with pytest.raises((ParameterError, BoundError), match=problem):
        date_column("d", **values)


def test_the_most_periods_are_taken_and_one_more_is_refused():
    last = datetime.date.fromordinal(MOST_PERIODS)
    assert date_column("d", start="0001-01-01", end=last, each="day").cells == MOST_PERIODS
    with pytest.raises(BoundError, match=f"has {MOST_PERIODS + 1} periods"):
        date_column("d", start="0001-01-01", end=last + datetime.timedelta(days=1), each="day")


def test_plain_numbers_are_written_as_people_write_them():
    assert all(map(is_plain, ["0", "-0", "12", "-3", "1.5", "0.0", "1.0", "999999999999999", "0.00000000000001"]))
    odd = ["", "007", "+1", "1e3", "1.", ".5", " 1", "1_0", "1/2", "1,5", "nan", "--1", "\u0661", "1000000000000000"]
    assert not any(map(is_plain, odd))
    assert natural_comparison(["0", "1", "9.5"]) == "numbers"
    assert natural_comparison(["north", "south 2"]) == "text"
    unclear = (["0", "1", "09"], ["00", "01"], ["0", "1", "2", "3+"], ["0", "1,5"], ["1e3"], ["a", " b"], ["1 "])
    unclear += tuple([each, "south"] for each in (" north", "north ", "\tnorth", "north\t"))
    assert [natural_comparison(each) for each in unclear] == [None] * len(unclear)


def test_categories_that_are_the_same_number_are_refused():
    with pytest.raises(ParameterError, match=r"'1' and '1\.0' of column 'code' are the same number"):
        compared(category_column("code", categories=["1", "2", "1.0"]), "numbers")
    with pytest.raises(ParameterError, match="'007' of column 'code' is no plain number"):
        compared(category_column("code", categories=["1", "007"]), "numbers")
    with pytest.raises(ParameterError, match="compare = 'roughly'"):
        compared(category_column("code", categories=["1"]), "roughly")


STUDY = """format = 1
dataset = "people"
relation = "change-one"
n = 90

[columns.smokes]
kind = "boolean"
null = "binned"

[columns.visit]
kind = "date"
from = 2023-11-20
to = "2024-02-03"
each = "month"

[columns.code]
kind = "category"
categories = ["0", "1.0", "2.5"]

[columns.version]
kind = "category"
categories = ["1.1", "1.10"]
compare = "text"

[[statistic]]
kind = "histogram"
column = "visit"
by = "smokes"
epsilon = 1

[[statistic]]
kind = "histogram"
column = "code"
epsilon = 1

[[statistic]]
kind = "count"
where = [{column = "visit", from = 2023-12-01, below = "2024-02"}, {column = "smokes", equals = true}]
epsilon = 1

[[statistic]]
kind = "count"
where = [{column = "code", equals = 1}, {column = "version", equals = "1.10"}, {column = "visit", equals = 2024-01-09}]
epsilon = 1
"""


def test_a_study_file_declares_the_new_kinds_and_is_written_back():
    study = study_from_toml(STUDY)
    assert study.column("smokes") == boolean_column("smokes", null="binned")
    assert study.column("visit") == MONTHS
    assert study.column("code") == CODES
    assert study.column("version").compare == "text"
    assert study.asked[2].statistic.title == "count where smokes = true and 2023-12 <= visit < 2024-02"
    assert study.asked[3].statistic.title == "count where code = 1.0 and version = 1.10 and visit = 2024-01"
    written = study_to_toml(study)
    assert study_from_toml(written) == study
    assert written.count("compare") == 1


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            'kind = "boolean"\nnull = "binned"',
            'kind = "boolean"\ncategories = ["a"]',
            "'categories' is not known for a",
        ),
        ('each = "month"', "", "columns.visit: the key 'each' is missing"),
        ('each = "month"', 'each = "month"\nlower = 1', "the key 'lower' is not known for a column of kind date"),
        ("from = 2023-11-20", "from = 2023-11-20T10:00:00", "columns.visit: from of column 'visit' is no date"),
        ('categories = ["0", "1.0", "2.5"]', 'categories = ["0", "1.0", "1"]', "are the same number"),
        ("from = 2023-12-01, below", "from = 2023-12-02, below", "is not the start of a month"),
        ("from = 2023-12-01, below", "from = 2023-11-20, below", "is where column 'visit' begins"),
        ('below = "2024-02"}', 'below = "2023-12"}', "from = 2023-12-01 is not before 2023-12"),
        ("equals = true", 'equals = "maybe"', "'maybe' is no declared category"),
        ("equals = true", "from = 1", "holds categories: a condition on it names one of them"),
        ("equals = 1}", "equals = 7}", "'7' is no declared category"),
    ],
)
def test_what_a_study_cannot_mean_is_refused(old, new, problem):
    assert old in STUDY
    with pytest.raises((ParameterError, BoundError), match=f"(?s){problem}"):
        study_from_toml(STUDY.replace(old, new))


def test_declarations_of_every_kind_are_read_back_from_json():
    many = compared(category_column("many", categories=[str(i) for i in range(1200)]), "numbers")
    for column in (
        SMOKES,
        MONTHS,
        CODES,
        boolean_column("b", **RULES),
        date_column("d", start="2024-01-01", end="2024-12-31", each="week", **RULES),
    ):
        assert column_from(json.loads(json.dumps(column_values(column)))) == column
    assert column_values(SMOKES) == {"name": "smokes", "kind": "boolean", "unknown": "dropped", "null": "dropped"}
    assert column_values(MONTHS) == {
        "name": "visit", "kind": "date", "from": "2023-11-20", "to": "2024-02-03", "each": "month",
        "unknown": "dropped", "null": "dropped",
    }  # fmt: skip
    read = column_from(column_values(many))
    assert (read.compare, len(read.categories), column_values(read)) == ("numbers", 1200, column_values(many))
    for given in (
        condition(MONTHS, start="2023-12", below=datetime.date(2024, 2, 1)),
        condition(MONTHS, start="2024-01-01"),
        condition(MONTHS, equals="2024-01-15"),
        condition(SMOKES, equals="Yes"),
        condition(CODES, equals="1"),
    ):
        assert condition_from(json.loads(json.dumps(condition_values(given)))) == given


def test_conditions_become_tests_of_positions():
    assert asked_of_a_table(condition(MONTHS, start="2023-12", below="2024-02")) == Levels(
        column=MONTHS, start=1, below=3
    )
    assert asked_of_a_table(condition(MONTHS, start="2024-01")) == Levels(column=MONTHS, start=2, below=4)
    assert asked_of_a_table(condition(MONTHS, below="2024-01")) == Levels(column=MONTHS, start=0, below=2)
    assert asked_of_a_table(condition(MONTHS, equals="2024-01-15")) == Member(column=MONTHS, category="2024-01")
    assert asked_of_a_table(condition(SMOKES, equals="n")) == Member(column=SMOKES, category="false")
    assert asked_of_a_table(condition(CODES, equals="1")) == Member(column=CODES, category="1.0")
