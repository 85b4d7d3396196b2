"""The figures of the explanations, computed again: who holds a table reads these pages, and they show no Python."""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil, exp
from statistics import NormalDist, mean

import pytest

import snapdp
from snapdp.display.numbers import four_digits_up
from snapdp.display.text import guessed_right
from snapdp.interop.composition import composed, spend
from tests import ROOT

DOCS = ROOT / "docs"
COUNT = snapdp.Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000)
INCOMES = [round(2500 * exp(0.7 * NormalDist().inv_cdf((each + 0.5) / 5000))) for each in range(5000)]  # nobody's


def text_of(name: str) -> str:
    return (DOCS / "explanation" / f"{name}.md").read_text(encoding="utf-8")


def prose_of(name: str) -> str:
    return " ".join(text_of(name).split())


def rows_of(name: str, first: str) -> list[list[str]]:
    """Return the rows of the table of a page whose first column has this head."""
    table = re.search(rf"^\| {re.escape(first)} \|.*\n\|[-|: ]+\n((?:\|.*\n)+)", text_of(name), re.MULTILINE)
    return [[cell.strip() for cell in line.strip("| \n").split(" | ")] for line in table[1].splitlines()]


def planned(*, column: dict | None = None, if_rows: int | None = None, statistic: dict, **relation):
    """Return the plan of one statistic at an epsilon, of ages unless told."""
    age = {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle", **(column or {})}
    columns = {"age": age, "region": {"kind": "category", "categories": ["north", "south"]}}
    study = snapdp.study(dataset="people", columns=columns, statistic=[{"epsilon": "0.5", **statistic}], **relation)
    return study.plan(if_rows=if_rows) if if_rows else study.plan()


def plus_minus_of_a_mean(rows: int, epsilon: str, **column) -> str:
    asked = {"kind": "mean", "column": "age", "epsilon": epsilon}
    return four_digits_up(planned(column=column, statistic=asked, relation="change-one", n=rows).lines[0].accuracy)


# What epsilon means, in odds


def believed_after(before: float, epsilon: float) -> float:
    """Return the most that somebody can believe afterwards, of what they believed with a probability before."""
    odds = before / (1 - before) * exp(epsilon)
    return odds / (1 + odds)


def found_at_most(accused_wrongly: float, epsilon: float) -> float:
    return min(exp(epsilon) * accused_wrongly, 1 - exp(-epsilon) * (1 - accused_wrongly))


def test_the_picture_of_won_bets_shows_what_every_screen_says():
    drawn = re.findall(r"^ +(\d+) \| +\*$", text_of("epsilon-in-odds"), re.MULTILINE)
    assert [*map(int, drawn)] == [guessed_right(Fraction(each)) for each in ("5", "4", "3", "2", "1", "0.5", "0.1")]
    assert all(guessed_right(Fraction(each)) >= 100 / (1 + exp(-each)) for each in range(1, 5))
    assert "With epsilon 0.5 they win at most 63 of 100" in prose_of("epsilon-in-odds")


def test_odds_after_a_release_are_those_of_the_table():
    for before, *after in rows_of("epsilon-in-odds", "before"):
        share = int(before.removesuffix(" of 1,000")) / 1000
        most = [ceil(10_000 * believed_after(share, epsilon)) / 10 for epsilon in (0.5, 1, 3, 7)]
        assert [*map(float, after)] == most, before


def test_a_test_finds_as_few_as_the_page_says():
    found = [ceil(1000 * found_at_most(0.05, each)) / 10 for each in (0.5, 1, 3)]
    assert "8.3 at epsilon 0.5, 13.6 at epsilon 1" in prose_of("epsilon-in-odds")
    assert "too certain either: 95.3 at epsilon 3" in prose_of("epsilon-in-odds")
    assert found == [8.3, 13.6, 95.3]


# Choosing epsilon, bounds and n_max


def test_the_errors_beside_each_epsilon_are_those_of_plans():
    rows = rows_of("choosing-epsilon", "epsilon")
    assert [epsilon for epsilon, *_ in rows] == ["0.1", "0.5", "1", "3"]
    for epsilon, won, *errors in rows:
        assert int(won.split()[0]) == guessed_right(Fraction(epsilon))
        assert errors == [plus_minus_of_a_mean(people, epsilon) for people in (500, 5000, 50000)]


@pytest.mark.parametrize("row", rows_of("choosing-bounds-and-n-max", "upper bound"), ids=lambda row: row[0])
def test_what_a_bound_cuts_off_and_what_it_costs_is_so(row):
    upper = int(row[0].replace(",", ""))
    too_low = mean(INCOMES) - mean(min(each, upper) for each in INCOMES)
    beyond = sum(each > upper for each in INCOMES)
    assert row[1:] == [str(beyond), f"{too_low:.1f}", plus_minus_of_a_mean(5000, "0.5", upper=upper)]


def test_the_mean_of_the_incomes_is_the_one_that_the_page_says():
    assert f"5,000 made-up incomes whose mean is {round(mean(INCOMES)):,}" in prose_of("choosing-bounds-and-n-max")


@pytest.mark.parametrize("kind", ["mean", "sum", "variance", "count"])
def test_a_generous_n_max_costs_no_noise(kind):
    asked = {"kind": kind} if kind == "count" else {"kind": kind, "column": "age"}
    few, many = (
        planned(
            statistic=asked, column={"missing": "dropped"}, relation="add-remove", n_max=n_max, if_rows=5000
        ).errors[0][0]
        for n_max in (5000, 10**8)
    )
    assert few.error == many.error
    assert kind != "count" or few.error == 6
    assert "± 6 with an n_max of 5,000, and ± 6 with" in prose_of("choosing-bounds-and-n-max")


# Neighbours, clamps, intervals, composition


@pytest.mark.parametrize(
    ("first", "asked"),
    [
        ("a histogram, or counts by groups", {"kind": "histogram", "column": "region"}),
        ("a mean of all rows", {"kind": "mean", "column": "age"}),
    ],
)
def test_what_the_relation_does_to_errors_is_so(first, asked):
    (row,) = [each for each in rows_of("who-is-a-neighbour", "at the same epsilon") if each[0] == first]
    plans = [
        planned(statistic=asked, relation="change-one", n=5000, if_rows=5000),
        planned(statistic=asked, relation="add-remove", n_max=10_000, if_rows=5000),
    ]
    errors = [round(float(each.errors[0][0].error), 3) for each in plans]
    assert [float(cell.rpartition("± ")[2]) for cell in row[1:]] == errors


def test_bias_and_error_of_both_clamps_are_those_of_the_table():
    declared = {"epsilon": "0.5", "sensitivity": 1, "lower": 0, "upper": 100}
    wide, tight = snapdp.Snapping(**declared), snapdp.Snapping(**declared, clamp="range")
    for value, *cells in rows_of("clamping-and-bias", "true value"):
        found = [figure for each in (tight, wide) for figure in (each.bias(value), float(each.mse(value)) ** 0.5)]
        assert [float(cell) for cell in cells] == [round(float(figure), 3) for figure in found]
    assert max(abs(float(wide.bias(f"50.{each:02}"))) for each in range(13)) < 5e-6 * wide.parameters.noise_scale
    coarse = snapdp.Snapping(**{**declared, "epsilon": "0.999"})  # the grid is nearly as coarse as it can be
    assert max(abs(float(coarse.bias(f"50.{each:02}"))) for each in range(13)) / coarse.parameters.noise_scale > 15e-6
    assert max(abs(float(coarse.bias(f"50.{each:03}"))) for each in range(125)) < 16e-6 * coarse.parameters.noise_scale


def coverage(truth: Fraction) -> Fraction:
    """Return with which probability a release of this value has an interval that holds it, at least."""
    outputs = [Fraction(index, 8) for index in range(8 * 405, 8 * 420)]  # multiples of the grid, 1/8
    intervals = [(each, COUNT.noise_interval(each)) for each in outputs]
    holding = [each for each, interval in intervals if interval.lower <= truth <= interval.upper]
    assert len(holding) == (holding[-1] - holding[0]) * 8 + 1  # one stretch, without a gap
    return COUNT.law(truth).probability(holding[0], holding[-1]).lower


def test_intervals_hold_as_often_as_the_page_says():
    told = "it is {:.4f} if the truth is 412, and {:.4f} for a value of 412.3".format(
        *(float(coverage(Fraction(each))) for each in ("412", "412.3"))
    )
    assert told in prose_of("noise-intervals")


def test_an_interval_far_below_zero_is_zero_alone_and_sampling_errs_by_as_much_as_is_said():
    far_below = COUNT.noise_interval(-30)
    assert (far_below.lower, far_below.upper) == (0, 0)
    assert f"to spread by 25 years: sampling alone is ± {1.96 * 25 / 5000**0.5:.2f}" in prose_of("noise-intervals")


def test_noise_averages_out_as_fast_as_the_page_says():
    spread = float(COUNT.law(412).variance) ** 0.5
    told = f"a standard deviation of {spread:.2f}, the mean of a hundred such counts one of {spread / 10:.2f}"
    assert told in prose_of("composition")


def test_a_hundred_counts_with_a_delta_are_what_the_page_says():
    ten, hundred = (composed([spend("laplace", epsilon="0.1", times=each)]) for each in (10, 100))
    assert (ten.pure, hundred.pure) == (1, 10)
    assert 0.99 < ten.epsilon("1e-6") < 1
    assert 4.69 < hundred.epsilon("1e-6") < 4.70
    assert "a hundred counts at 0.1 are 10 by the sum, and 4.70 with a delta" in prose_of("composition")
