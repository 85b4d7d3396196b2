"""Deviations and correlations at guessed spreads: the bounds hold for every table, and are attained."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import example, given, settings, strategies as st

from snapdp.studies.columns import integer_column
from snapdp.studies.plans.lines import ask
from snapdp.studies.plans.plan import plan
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.centred import correlation_error, deviation_error, guessed_deviation
from snapdp.studies.statistics.covariance import covariance_query
from snapdp.studies.statistics.variance import variance_query

F = Fraction
PROPERTY = settings(deadline=None, max_examples=100)
HAIR = 1e-9  # of doubles in the test; the bounds themselves are exact
positive = st.fractions(min_value=F(1, 50), max_value=50, max_denominator=50)
signed = st.fractions(min_value=-1, max_value=1, max_denominator=60)
X, Y = (
    integer_column("x", lower=0, upper=120, missing="middle"),
    integer_column("y", lower=0, upper=40, missing="middle"),
)


@PROPERTY
@given(guess=positive, more=positive, error=positive, side=signed)
@example(guess=F(2), more=F(1, 50), error=F(4), side=F(-1))
def test_a_deviation_is_off_by_no_more_than_its_variance_and_the_guess_allow(guess, more, error, side):
    for deviation in (guess, guess + more):
        variance = deviation**2
        released = math.sqrt(max(F(0), variance + side * error))
        assert abs(released - float(deviation)) <= deviation_error(error, guess) + HAIR


def test_the_bound_of_a_deviation_is_attained_and_a_smaller_one_would_fail():
    for guess, error in ((F(4), F(7)), (F(5), F(9)), (F(1), F(4))):
        bound = deviation_error(error, guess)
        truth = guess if error <= guess**2 else F(math.isqrt(int(error)))
        assert truth - F(math.isqrt(int(max(F(0), truth**2 - error)))) == bound


@PROPERTY
@given(
    guesses=st.tuples(positive, positive), more=st.tuples(positive, positive), r=signed,
    errors=st.tuples(positive, positive, positive), sides=st.tuples(signed, signed, signed),
)  # fmt: skip
def test_a_correlation_is_off_by_no_more_than_its_inputs_and_the_guesses_allow(guesses, more, r, errors, sides):
    of_covariance, *of_variances = errors
    bound = correlation_error(of_covariance=of_covariance, of_variances=tuple(of_variances), deviations=guesses)
    for wider in (False, True):
        x, y = (guess + each * wider for guess, each in zip(guesses, more, strict=True))
        covariance = r * x * y + sides[0] * of_covariance
        variances = [d**2 + side * a for d, side, a in zip((x, y), sides[1:], of_variances, strict=True)]
        if min(variances) <= 0:
            assert bound == 2
            continue
        found = min(1.0, max(-1.0, float(covariance) / math.sqrt(variances[0] * variances[1])))
        assert abs(found - float(r)) <= bound + HAIR


def test_the_bound_of_a_correlation_is_attained_but_for_moving_it_inside():
    """Corners of the inputs: the worst of them, before it is moved between -1 and 1, is the bound itself."""
    said = {"of_variances": (F(7, 16), F(0)), "deviations": (F(1), F(1))}
    bound = correlation_error(of_covariance=F(1, 100), **said)
    worst = max(
        abs(float(r + side / F(100)) / math.sqrt(1 + square * F(7, 16)) - r)
        for r, side, square in product((-1, 0, 1), (-1, 1), (-1, 1))
    )
    assert worst == pytest.approx(float(bound), abs=1e-12)


def test_a_plan_tells_deviations_and_correlations_at_a_quarter_of_the_width():
    private = add_remove(n_max=10**6)
    variance, deviation = plan([ask(variance_query(X, private), epsilon=1)]).errors[0]
    assert deviation.spreads == (guessed_deviation(X),) == (30,)
    assert deviation.error == deviation_error(variance.error, F(30)) < variance.error / 30
    covariance, correlation = plan([ask(covariance_query(X, Y, private, correlation=True), epsilon=1)]).errors[0]
    assert (correlation.spreads, correlation.width, correlation.promised) == ((30, 10), 2, False)
    assert covariance.error / 300 < correlation.error < 1
    (alone,) = plan([ask(covariance_query(X, Y, private), epsilon=1)]).errors[0]
    assert alone.error < covariance.error  # five sums share what three have here


def test_a_correlation_that_follows_from_three_lines_is_told_with_the_covariance():
    public = change_one(n=5000)
    asked = [ask(each, epsilon=1) for each in (covariance_query(X, Y, public), variance_query(X, public))]
    assert [len(each) for each in plan(asked).errors] == [1, 2]
    (both, correlation), (x, _), (y, _) = plan([*asked, ask(variance_query(Y, public), epsilon=1)]).errors
    assert (correlation.name, correlation.promised) == ("correlation", True)
    at_alpha = correlation_error(of_covariance=both.error, of_variances=(x.error, y.error), deviations=(F(30), F(10)))
    assert at_alpha < correlation.error < 2 * at_alpha  # each input may miss with a third of alpha
