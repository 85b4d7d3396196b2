"""What a plan says: one line a number at 80 columns whatever names there are, what to cut, and no jargon."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import snapdp
from snapdp.studies.columns import category_column, integer_column
from snapdp.studies.conditions import condition
from snapdp.studies.plans.advice import other_way
from snapdp.studies.plans.lines import Line, ask
from snapdp.studies.plans.plan import Plan, excess_of, plan
from snapdp.studies.plans.text import columns_of, details_of, heads_of, lines_of, plan_words, rows_of
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.counts import count_query
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.variance import variance_query
from snapdp.values import replaced

F = Fraction
ADD, ONE = add_remove(n_max=5000), change_one(n=5000)
AGE = integer_column("age", lower=0, upper=120, missing="middle")
REGION = category_column("region", categories=["north", "south", "east", "west"])
NAMES = ["x", "n" * 70, "n" * 5000, "東京" * 30, "a b " * 20, "\u202eage", "e\u0301" * 90, "=1+1", "a\nb"]


def random_plan(dice: random.Random) -> Plan:
    """Return a plan of statistics of hostile names, at wild epsilons."""
    first, second, group = (f"{dice.choice(NAMES)} {k}" for k in range(3))
    columns = {
        first: {"kind": "integer", "lower": 0, "upper": dice.choice([1, 120, 10**9]), "missing": "middle"},
        second: {"kind": "integer", "lower": -7, "upper": 9, "missing": "dropped"},
        group: {"kind": "category", "categories": ["a", "b", "c"]},
    }
    kinds = [
        {"kind": "mean", "column": first},
        {"kind": "mean", "columns": [first, second], "complete": True},
        {"kind": "variance", "column": second},
        {"kind": "covariance", "columns": [first, second], "correlation": True},
        {"kind": "histogram", "column": group},
        {"kind": "count", "by": group, "margins": "all"},
        {"kind": "quantiles", "column": second},
        {"kind": "count", "where": [{"column": group, "equals": "a"}, {"column": second, "from": 3}]},
    ]
    groups = [{}, {"by": group}]
    asked = []
    for each in dice.sample(kinds, dice.randint(1, 5)):
        found = dict(each)
        if found["kind"] in ("mean", "variance", "quantiles"):
            found |= dice.choice(groups)
        asked.append({**found, "epsilon": str(F(dice.randint(1, 400), dice.randint(1, 997)))})
    rows = {"relation": "add-remove", "n_max": dice.choice([50, 10**6])}
    study = snapdp.study(dataset="d", columns=columns, statistic=asked, budget="1", **rows)
    return study.plan()


@pytest.mark.parametrize("seed", range(25))
def test_no_line_of_any_plan_is_wider_than_asked(seed):
    found = random_plan(random.Random(seed))
    rows = rows_of(found, [0])
    for width in (60, 80, 132):
        lines = lines_of(heads_of(found), rows, width)
        assert max(map(columns_of, lines)) <= width
        assert all("\n" not in line and "\u202e" not in line for line in lines)
    assert max(map(columns_of, lines_of(heads_of(found), rows, 80))) <= 80


def test_a_statistic_is_one_line_and_a_long_title_stands_above_its_figures():
    few = plan([ask(mean_query(AGE, ADD, by=REGION), epsilon="0.4"), ask(count_query(ADD), epsilon="0.1")])
    assert plan_words(few).lines == (
        "  statistic            epsilon  share  ± error (95 %)",
        "  mean(age) by region      0.4  ████▊  ± 1.786 if a group has 1,250 rows",
        "  count                    0.1  █▎     ± 30",
    )
    wide = integer_column(
        "the years since somebody was born, in whole ones, as they said", lower=0, upper=120, missing="middle"
    )
    lines = plan_words(plan([ask(mean_query(wide, ADD), epsilon="0.4"), ask(count_query(ADD), epsilon="0.1")])).lines
    assert lines[1:] == (
        "  mean(the years since somebody was born, in whole ones, as they said)",
        "                 0.4  ████▊  ± 0.4416 if 5,000 rows count",
        "  count          0.1  █▎     ± 30",
    )


def test_where_n_is_private_errors_are_said_to_be_for_the_most_rows_allowed():
    private, public = (plan_words(plan([ask(mean_query(AGE, each), epsilon=1)])).legend for each in (ADD, ONE))
    assert 'Errors with "if" are for the most rows allowed, 5,000: fewer rows, larger errors' in private[0]
    assert "the most rows" not in " ".join(public)
    guessed = plan_words(plan([ask(mean_query(AGE, ADD), epsilon=1)], if_rows=500)).legend
    assert guessed[0].startswith('Errors with "if" hold for so many rows or more, a guess. Another: ')


def test_a_plan_over_its_budget_says_what_to_cut():
    asked = [("0.5", True), ("0.3", False), ("0.1", False)]
    over = plan([ask(count_query(ADD), epsilon=each, lock=lock) for each, lock in asked], budget="0.8")
    found = excess_of(over)
    assert (found.over, found.enough) == (F(1, 10), (2, 1, 0))
    assert found.fitted == over.fit()
    for place in found.enough:
        rest = [line for number, line in enumerate(over.lines) if number != place]
        assert Plan(lines=tuple(rest)).total <= over.budget
    told = plan_words(over).advice
    assert told[0].startswith(
        "Too much. plan.fit() makes every epsilon 75 % of what it is, the locked ones as they are"
    )
    assert told[1].startswith("Or leave out count")
    exactly = replaced(over, budget=F(9, 10))
    assert excess_of(exactly) is None
    assert all("Too much" not in each for each in plan_words(exactly).advice)


def test_a_plan_whose_locked_lines_are_too_much_says_so():
    locked = plan([ask(count_query(ADD), epsilon="0.5", lock=True) for _ in range(3)], budget="0.4")
    assert (excess_of(locked).fitted, excess_of(locked).enough) == (None, ())
    assert plan_words(locked).advice == (
        "Too much: the locked lines alone cost 1.5. Unlock one, or leave one out.",
        "No single statistic left out would make the others fit.",
    )


def test_lines_of_different_confidence_say_their_own():
    both = plan([ask(count_query(ADD), epsilon="0.5", alpha=each) for each in ("0.05", "0.01")])
    lines = plan_words(both).lines
    assert lines[0].endswith("± error")
    assert lines[1].endswith("± 6 (95 %)")
    assert lines[2].endswith("(99 %)")
    odd = plan([ask(count_query(ADD), epsilon="0.5", alpha="0.001")])
    assert "± x: in 999 of 1000 releases the number is within" in repr(odd)


def test_a_terminal_shows_every_line_and_python_the_first_fifty():
    asked = [ask(count_query(ADD, where=[condition(AGE, start=k)]), epsilon="0.5") for k in range(1, 61)]
    many = plan(asked)
    assert plan_words(many).lines[-1] == "  ... and 10 more"
    assert len(plan_words(many, most=60).lines) == 61


# The other way to a variance


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
def test_squares_and_a_sum_would_err_less_near_the_middle_alone(epsilon):
    found = other_way(Line(statistic=variance_query(AGE, ONE), epsilon=F(epsilon)))
    assert found.middle == 60
    assert 0 < found.within < F(120, 8)  # of the first order it is an eighth of the width: theory (30)
    assert F(1, 4) < found.better < F(3, 4)
    assert "and more elsewhere; that way is not offered" in found.in_words
    assert f"{int(100 * found.better)} % less" in found.in_words


def test_other_statistics_and_variances_of_private_rows_have_no_other_way():
    for query in (mean_query(AGE, ONE), variance_query(AGE, ADD), variance_query(AGE, ONE, by=REGION)):
        assert other_way(Line(statistic=query, epsilon=F(1))) is None
    details = " ".join(details_of(plan([ask(variance_query(AGE, ONE), epsilon=1)])))
    assert "within" in details
    assert "within" not in repr(plan([ask(variance_query(AGE, ONE), epsilon=1)])).replace("is within ± x", "")
