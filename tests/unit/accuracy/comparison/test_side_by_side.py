"""Mechanisms side by side: each figure is the one that the mechanism's own law gives."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.accuracy import bias_by_guess, clamp_by_gamma, contenders, distance_tails, mean_errors
from snapdp.errors import BoundError, ParameterError
from snapdp.mechanism import EXACT_GAMMA, ZERO, law_of

DECLARED = {"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 10}
CLAMPED = 2  # the contender whose clamp is the range: few outputs, so its law can be summed here


def expected(p, value, of):
    """Return the expectation of a function of the output, summed over every index."""
    law, total = law_of(p.inner(value), p), ZERO
    for k in range(p.low, p.high + 1):
        total = total + law.index_probability(k) * of(p.data_value(k))
    return total


def agree(one, other):
    """Return whether two enclosures may be of one number, and would tell if it were moved by a billionth."""
    hair = Fraction(1, 10**9)
    return _meet(one, other) and not _meet(one, other + hair) and not _meet(one, other - hair)


def _meet(one, other):
    return one.lower <= other.upper and other.lower <= one.upper


def test_bias_is_that_of_the_law_and_its_mean_that_over_the_guesses():
    found = bias_by_guess(guesses=[0, 1, "9/2"], **DECLARED)
    p = contenders(**DECLARED)[CLAMPED]
    for row in found.rows:
        assert agree(row.figures[CLAMPED], expected(p, row.at[0], lambda output: output) - row.at[0])
    for place, mean in enumerate(found.mean):
        assert agree(mean, sum((row.figures[place] for row in found.rows), start=ZERO) / 3)


def test_without_guesses_the_range_is_divided_into_ten_and_the_bias_is_odd():
    found = bias_by_guess(**DECLARED)
    assert [row.at for row in found.rows] == [(Fraction(i),) for i in range(11)]
    for low, high in zip(found.rows, reversed(found.rows), strict=True):
        assert agree(low.figures[CLAMPED], high.figures[CLAMPED] * -1)


def test_tails_of_the_distance_fall_from_one_and_a_wide_clamp_leaves_half_a_step():
    found = distance_tails(if_value=9, **DECLARED)
    assert all(figure.lower == figure.upper == 1 for figure in found.rows[0].figures)
    for first, second in zip(found.rows, found.rows[1:], strict=False):
        assert all(b.upper <= a.upper for a, b in zip(first.figures, second.figures, strict=True))
    tails = {row.at[0]: row.figures for row in found.rows}
    # Grid 1: half a step is 1/2, and further off it is only where the clamp binds.
    assert tails[Fraction(1, 2)][1].upper <= EXACT_GAMMA < tails[Fraction(1, 4)][1].lower
    given = distance_tails(if_value=9, distances=["1/3"], **DECLARED)
    assert [row.at for row in given.rows] == [(Fraction(1, 3),)]


def test_no_clamp_binds_more_often_than_gamma_and_the_tight_one_is_narrower():
    for row in clamp_by_gamma(**DECLARED).rows:
        tight, binds, notes, notes_bind = (figure.upper for figure in row.figures)
        assert tight < notes
        assert notes_bind < binds <= row.at[0]


def test_mean_errors_are_those_of_the_law_at_the_mean_of_the_first_rows():
    ages = [3, 8, 200, 5]
    found = mean_errors(ages, lower=0, upper=10, epsilons=[1, "0.5"], rows=[3])
    assert [row.at for row in found.rows] == [(3, 1), (3, Fraction(1, 2))]
    mean, scale = Fraction(3 + 8 + 10, 3), Fraction(10, 3)  # 200 is clamped to 10
    p = contenders(epsilon=1, sensitivity=scale, lower=0, upper=10)[CLAMPED]
    assert agree(found.rows[0].figures[CLAMPED], expected(p, mean, lambda output: abs(output - mean)) / scale)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ParameterError, match="rows"):
        mean_errors([1], lower=0, upper=2, epsilons=[1], rows=[2])
    with pytest.raises(BoundError):
        bias_by_guess(guesses=[11], **DECLARED)
    with pytest.raises(ParameterError):
        distance_tails(if_value=1, distances=[-1], **DECLARED)
