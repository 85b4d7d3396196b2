"""Which lines say little, at which guess of rows, and what epsilon would help: exactly at a tenth, and truly."""

from __future__ import annotations

from fractions import Fraction

import pytest

import snapdp
from snapdp.errors import ParameterError
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.conditions import condition
from snapdp.studies.plans.advice import BEYOND, short_decimal_at, useful_epsilon, useless_lines
from snapdp.studies.plans.lines import Line, ask
from snapdp.studies.plans.plan import Plan, plan
from snapdp.studies.plans.text import useless_in_words
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.counts import count_query
from snapdp.studies.statistics.covariance import covariance_query
from snapdp.studies.statistics.histogram import histogram_query
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.parts import NumberError
from snapdp.studies.statistics.quantiles import quantiles_query
from snapdp.studies.statistics.sum import sum_query
from snapdp.studies.statistics.variance import variance_query
from snapdp.values import replaced

F = Fraction
AGE = integer_column("age", lower=0, upper=120, missing="middle")
PAY = number_column("pay", lower=500, upper=1000, step=1, missing="middle")
REGION = category_column("region", categories=["north", "south", "east", "west"])
ADD, ONE = add_remove(n_max=400), change_one(n=400)
WEAK = [
    mean_query(AGE, ADD, by=REGION),
    mean_query(AGE, ONE, by=REGION),
    mean_query([AGE, PAY], ADD),
    count_query(ADD, where=[condition(AGE, start=65)]),
    histogram_query(REGION, ONE),
    sum_query(PAY, ADD, by=REGION),
    variance_query(AGE, ONE),
    variance_query(AGE, ADD),
    covariance_query(AGE, PAY, add_remove(n_max=4000), correlation=True),
    quantiles_query(AGE, ADD, by=REGION),
    count_query(ADD, by=REGION, margins="all"),
]


def test_an_error_of_a_tenth_is_useful_and_the_least_more_is_not():
    exactly = NumberError(error=F(12), width=F(120), rows=5)
    assert exactly.is_useful
    assert not replaced(exactly, error=F(12) + F(1, 10**30)).is_useful
    assert not replaced(exactly, width=F(120) - F(1, 10**30)).is_useful


@pytest.mark.parametrize("query", WEAK, ids=lambda query: f"{query.relation.kind} {query.title}")
def test_the_epsilon_named_makes_a_line_useful_and_the_next_smaller_decimal_does_not(query):
    line = Line(statistic=query, epsilon=F(1, 50))
    assert not all(each.is_useful for each in line.number_errors())
    found = useful_epsilon(line)
    assert F(1, 50) < found < BEYOND
    place = next(i for i in range(-400, 100) if short_decimal_at(i) == found)

    def useful(epsilon):
        return all(each.is_useful for each in replaced(line, epsilon=epsilon).number_errors())

    assert useful(found)
    assert not useful(short_decimal_at(place - 1))
    (weak,) = useless_lines(Plan(lines=(line,)))
    assert useless_in_words(weak).endswith("would make it a tenth.")
    assert useless_lines(Plan(lines=(replaced(line, epsilon=found),))) == []


def test_decimals_of_two_digits_rise_without_a_gap():
    found = [short_decimal_at(place) for place in range(-200, 100)]
    assert found == sorted(set(found))
    assert {F(1, 10), F(11, 100), F(99, 1000), F(1), F(49, 10)} <= set(found)


def test_no_epsilon_is_named_where_none_below_five_is_enough():
    tiny = Line(statistic=mean_query(AGE, add_remove(n_max=8), by=REGION), epsilon=F(1))
    (weak,) = useless_lines(Plan(lines=(tiny,)))
    assert weak.epsilon is None
    assert useless_in_words(weak).endswith(
        "is 100 % of its range, and no epsilon below 5 would make it a tenth: it takes fewer groups or more rows."
    )
    much = Line(statistic=count_query(add_remove(n_max=3)), epsilon=F(6))
    assert useful_epsilon(much) is None


@pytest.mark.parametrize(
    ("rows", "at", "told"),
    [
        (1000, ["0.5"], "± 204.1 rows is 21 % of the 1,000 rows; epsilon 0.13 would make it a tenth."),
        (1000, ["0.1", "0.25"], "± 293.4 rows is 30 % of the 1,000 rows; epsilon"),
        (300, ["0.5"], "± 204.1 rows is 69 % of the 300 rows; epsilon"),
    ],
)
def test_a_weak_median_is_told_by_its_radius_and_nothing_of_the_rank_of_the_released_value(rows, at, told):
    pay = number_column("pay", lower=0, upper=120_000, step=1000, missing="dropped")
    (weak,) = plan([ask(quantiles_query(pay, add_remove(n_max=rows), at=at), epsilon="0.0625")]).useless
    assert useless_in_words(weak).startswith(told)


def test_a_correlation_of_three_lines_is_told_and_marks_none_of_them():
    few = change_one(n=400)
    queries = [covariance_query(AGE, PAY, few), variance_query(AGE, few), variance_query(PAY, few)]
    found = plan([ask(query, epsilon="0.9") for query in queries])
    correlation = found.errors[0][-1]
    assert (correlation.name, correlation.lines, correlation.is_useful) == ("correlation", 3, False)
    assert useless_lines(found) == []


def test_a_guess_of_rows_changes_no_request():
    columns = {"age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "dropped"}}
    asked = [{"kind": "mean", "column": "age", "epsilon": 1}]
    study = snapdp.study(dataset="d", relation="add-remove", n_max=400, columns=columns, statistic=asked)
    assert study.request(study.plan(if_rows=50)).declaration == study.request().declaration


def test_a_guess_changes_what_is_not_promised_and_what_errors_are_compared_with():
    grouped, count = mean_query(AGE, ADD, by=REGION), histogram_query(REGION, ADD)
    asked = [ask(each, epsilon=1) for each in (grouped, count)]
    for guess, share in ((2, 1), (200, 50), (399, 99)):  # of the table, and in each of its four groups
        (mean,), (counted,) = plan(asked, if_rows=guess).errors
        assert mean.error == Line(statistic=grouped, epsilon=F(1)).derived_accuracy(share)
        assert (mean.promised, mean.rows, mean.width) == (False, share, 120)
        assert (counted.promised, counted.rows, counted.width) == (True, share, share)
    known = plan([ask(mean_query(AGE, ONE), epsilon=1)], if_rows=7)
    ((mean,),) = known.errors
    assert (mean.rows, mean.promised) == (400, True)  # how many there are is public
    assert known.fit(2).if_rows == 7
    for wrong in (0, 401, "x"):
        with pytest.raises(ParameterError, match="rows"):
            plan(asked, if_rows=wrong)


def grouped_queries(relation):
    sex = category_column("sex", categories=["f", "m"])
    return [
        mean_query(AGE, relation, by=REGION),
        histogram_query(REGION, relation, by=sex),
        quantiles_query(AGE, relation, by=REGION, at=["0.5"]),
        count_query(relation, by=REGION, margins="all"),
    ]


@pytest.mark.parametrize("guess", [1, 3, 37, 399])
def test_a_guess_is_shared_out_as_the_rows_declared_are(guess):
    guessed = plan([ask(each, epsilon=1) for each in grouped_queries(ADD)], if_rows=guess)
    declared = plan([ask(each, epsilon=1) for each in grouped_queries(add_remove(n_max=guess))])
    rows, expected = ([[each.rows for each in line] for line in found.errors] for found in (guessed, declared))
    assert rows == expected


@pytest.mark.parametrize(
    ("query", "width"),
    [
        (mean_query(PAY, ONE), 500),
        (mean_query(PAY, ADD, by=REGION), 500),
        (sum_query(PAY, ONE), 400 * 500),
        (sum_query(PAY, ADD, by=REGION), 100 * 1000),
        (count_query(ADD, by=REGION), 100),
        (variance_query(AGE, change_one(n=4)), F(120**2, 3)),
        (variance_query(AGE, add_remove(n_max=4)), F(120**2, 3)),
        (covariance_query(AGE, PAY, add_remove(n_max=4)), F(2 * 120 * 500, 3)),
    ],
    ids=lambda each: getattr(each, "title", each),
)
def test_the_range_of_each_kind_is_what_its_number_can_be_at_the_guess(query, width):
    assert Line(statistic=query, epsilon=F(1)).number_errors()[0].width == width
