"""One released number of a line: its law at a guess, what it is compared with, and its curve."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import snapdp
from snapdp.accuracy.curve import Curve
from snapdp.studies.plans.lines import RankCurve, ReleasedPart, shown_parts

F = Fraction
COLUMNS = {
    "age": {"kind": "number", "lower": 10, "upper": 24, "step": 7, "missing": 10},
    "pay": {"kind": "number", "lower": 0, "upper": 100, "step": 1, "missing": "dropped"},
}


def plan_of(*asked):
    statistic = [{"epsilon": "0.5", **each} for each in asked]
    study = snapdp.study(format=1, dataset="p", relation="change-one", n=3, columns=COLUMNS, statistic=statistic)
    return study.plan()


MEAN = ReleasedPart(line=plan_of({"kind": "mean", "column": "age"}).lines[0])


def test_a_guess_becomes_the_nearest_number_that_the_statistic_can_be():
    """Three rows of 7, 14, 21 or 28 (bounds are widened to steps): means are multiples of 7/3."""
    low, high = MEAN.range
    assert (low, high) == (7, 28)
    for guess in (F(7), F(10), F(12), F(27), F(28), F(99), F(-1)):
        found = MEAN.possible(guess)
        assert (found / F(7, 3)).denominator == 1
        assert low <= found <= high
        assert abs(found - min(max(guess, low), high)) <= F(7, 6)


def test_the_law_stands_at_the_guess_in_units_of_the_statistic():
    for guess in (F(7), F(14), F(28)):
        law = MEAN.law(guess)
        assert MEAN.part.numerator.statistic(law.value) == guess
        middle = MEAN.statistic(law.centre)
        assert abs(middle - guess) <= MEAN.part.numerator.factor * law.parameters.data_grid / 2
    assert MEAN.part.numerator.statistic(MEAN.law().value) == F(35, 2)


def test_the_pure_laplace_mechanism_errs_by_its_scale_times_a_logarithm():
    scale = MEAN.part.numerator.statistic_sensitivity / MEAN.line.epsilon
    assert float(MEAN.laplace_accuracy) == pytest.approx(float(scale) * math.log(20), rel=1e-9)
    assert MEAN.laplace_accuracy >= F(math.log(20)) * scale * (1 - F(1, 10**12))


def test_the_natural_grid_is_that_of_a_mechanism_with_it():
    mechanism = snapdp.Snapping(epsilon="0.5", sensitivity=3, lower=0, upper=9, grid="natural")
    expected = F(mechanism.accuracy(alpha=MEAN.line.alpha))
    assert MEAN.part.numerator.sensitivity == 3
    assert MEAN.natural_accuracy <= MEAN.part.numerator.factor * expected  # of whole numbers: no more than of all
    count = ReleasedPart(
        line=plan_of({"kind": "count", "where": [{"column": "age", "below": 14}], "epsilon": "8"}).lines[0]
    )
    assert count.natural_accuracy.denominator == 1  # a natural grid below one would not print whole numbers


def test_names_of_parts_are_those_that_people_read():
    mean, derived = plan_of({"kind": "mean", "column": "age"}, {"kind": "mean", "column": "pay"}).lines
    assert shown_parts(mean.statistic) == ["mean(age)"]
    assert shown_parts(derived.statistic) == ["sum of distances from 50", "count"]


def test_the_curve_goes_through_the_chosen_point_and_that_of_quantiles_is_in_rows():
    mean, quantiles = plan_of(
        {"kind": "mean", "column": "age", "epsilon": "40"}, {"kind": "quantiles", "column": "pay", "epsilon": "9"}
    ).lines
    part = ReleasedPart(line=mean)
    assert isinstance(part.curve, Curve)
    epsilon, error = part.here
    assert float(error) == pytest.approx(part.curve.at(epsilon), rel=1e-6)
    ranks = ReleasedPart(line=quantiles)
    assert isinstance(ranks.curve, RankCurve)
    assert ranks.here == (9, quantiles.ranks.radius)
    heights = [height for _, height in ranks.curve.points(F(9, 10), F(90))]
    assert heights == sorted(heights, reverse=True)
    assert heights[20] == pytest.approx(float(quantiles.ranks.radius), rel=1e-6)
