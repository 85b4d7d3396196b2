"""Mechanisms side by side: every figure is the one that the mechanism's own law gives, and jumps have two sides."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from snapdp.accuracy.error import accuracy
from snapdp.accuracy.price import price_table
from snapdp.errors import BoundError, ParameterError
from snapdp.exact.functions import ln_enclosure
from snapdp.lab.claims.comparison import (
    CONTENDERS,
    MECHANISMS,
    accuracy_by_epsilon,
    accuracy_for_picture,
    bias_by_guess,
    bound_and_bits,
    clamp_by_gamma,
    contenders,
    distance_tails,
    errors_of_means,
)
from snapdp.lab.claims.formulas import get_accuracy2
from snapdp.lab.claims.mechanism import printed_mechanism
from snapdp.mechanism.finite_precision import finite_parameters
from snapdp.mechanism.law.law import ZERO, law_of
from snapdp.mechanism.parameters import EXACT_GAMMA, FinitePrecision, exact_parameters

DECLARED = {"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 10}
NATURAL, NOTES = "exact, natural grid", "notes' rule"
CLAMPED = "clamped to the range"  # the contender whose clamp is the range: few outputs, so its law can be summed here
LN_20 = ln_enclosure(Fraction(20), 128)
CLOSE = Fraction(1, 1 << 29)  # accuracies and ratios are rounded up within 1e-9


def ratios(row):
    return [row[name] for name in MECHANISMS]


def own_ratio(epsilon, **how):
    """Return accuracy over that of Laplace, asked of a mechanism with a range of its own."""
    make = finite_parameters if "arithmetic" in how else exact_parameters
    p = make(epsilon=epsilon, sensitivity=1, lower=-300, upper=300, **how)
    return accuracy(p, alpha="0.05") * Fraction(epsilon) / LN_20.lower


def test_each_ratio_is_that_of_the_mechanism_it_names():
    (row,) = accuracy_by_epsilon(epsilons=["0.9"])
    notes = FinitePrecision(rule="notes", bits=118)
    expected = [1, own_ratio("0.9"), own_ratio("0.9", grid="natural"), own_ratio("0.9", arithmetic=notes)]
    assert all(abs(found - known) < CLOSE for found, known in zip(ratios(row), expected, strict=False))
    m = printed_mechanism(epsilon="0.9", bound=1024, bits=118)
    assert row["GetAccuracy2"] >= get_accuracy2(m).enclosure.lower * Fraction("0.9") / LN_20.upper
    assert abs(row["simple bound"] - (1 + 1 / LN_20.lower)) < CLOSE
    assert row["side"] == "at"


def test_for_a_small_epsilon_the_bound_of_the_notes_grows_with_the_noise():
    """No accuracy meets it: where it did, the mechanism would look better than without a clamp."""
    (row,) = accuracy_by_epsilon(epsilons=["0.003"])
    bound, _ = bound_and_bits(least=Fraction("0.003"), alpha=Fraction(1, 20))
    assert bound == 4096 > 2 * row["laplace_accuracy"] * row["simple bound"]
    assert abs(row[NOTES] - row[NATURAL]) < CLOSE


def test_a_power_of_two_has_both_limits_and_the_notes_still_have_the_wide_grid_at_it():
    rows = accuracy_by_epsilon(epsilons=[1])
    wide, narrow = (price_table(epsilons=[1], grids=[grid])[0].accuracy_ratio for grid in (2, 1))
    assert [row[NATURAL] for row in rows] == [wide, narrow, narrow]
    assert all(
        0 <= found - known < CLOSE
        for found, known in zip([row[NOTES] for row in rows], [wide, wide, narrow], strict=True)
    )


def test_the_limit_from_below_is_what_epsilons_just_below_come_near():
    below = accuracy_by_epsilon(epsilons=[1])[0]
    (near,) = accuracy_by_epsilon(epsilons=[1 - Fraction(1, 1 << 40)])
    assert all(abs(limit - found) < CLOSE for limit, found in zip(ratios(below), ratios(near), strict=True))


def test_no_formula_is_below_the_accuracy_that_it_bounds():
    for row in accuracy_by_epsilon(epsilons=["0.3", "0.5", "0.9"], alpha="0.01"):
        laplace, fine, natural, notes, formula, simple = ratios(row)
        assert laplace == 1 < fine < natural <= notes <= formula <= simple


@pytest.mark.parametrize("first", ["0.99", 1])
def test_rows_for_a_picture_have_both_sides_of_each_jump_and_neither_outside(first):
    rows = accuracy_for_picture(first=first, last="1.01")
    sides = [row["side"] for row in rows if row["epsilon"] == 1]
    assert sides == (["below", "at", "above"] if first == "0.99" else ["at", "above"])
    assert all(left["epsilon"] <= right["epsilon"] for left, right in pairwise(rows))
    assert (rows[0]["epsilon"], rows[-1]["epsilon"]) == (Fraction(first), Fraction("1.01"))
    at, above = (row for row in rows if row["epsilon"] == 1 and row["side"] != "below")
    assert at[NOTES] > above[NOTES] + Fraction(1, 10)  # it still has the wide grid at 1
    assert at[NATURAL] == above[NATURAL]


def test_a_jump_at_the_end_of_a_picture_has_its_second_point():
    below, at = accuracy_for_picture(first="0.999", last=1)[-2:]
    assert (below["side"], at["side"]) == ("below", "at")
    assert below[NATURAL] > at[NATURAL] + Fraction(1, 10)


def test_no_point_between_those_of_a_picture_lies_above_its_lines_by_more_than_is_seen():
    rows = [row for row in accuracy_for_picture(first="0.6", last="0.9") if row["side"] == "at"]
    for left, right in list(pairwise(rows))[::7]:
        (between,) = accuracy_by_epsilon(epsilons=[(left["epsilon"] + right["epsilon"]) / 2], bits=118)
        for name in MECHANISMS[2:]:
            assert between[name] <= max(left[name], right[name]) + Fraction(1, 1000)


def test_nothing_to_compare_and_lines_without_length_are_refused():
    with pytest.raises(ParameterError, match="no epsilon"):
        accuracy_by_epsilon(epsilons=[])
    with pytest.raises(ParameterError, match="two epsilons"):
        accuracy_for_picture(first=1, last=1)


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
    *rows, mean = bias_by_guess(guesses=[0, 1, "9/2"], **DECLARED)
    p = contenders(**DECLARED)[CLAMPED]
    for row in rows:
        assert agree(row[CLAMPED], expected(p, row["guess"], lambda output: output) - row["guess"])
    for name in CONTENDERS:
        assert agree(mean[name], sum((row[name] for row in rows), start=ZERO) / 3)


def test_without_guesses_the_range_is_divided_into_ten_and_the_bias_is_odd():
    *rows, _ = bias_by_guess(**DECLARED)
    assert [row["guess"] for row in rows] == [*range(11)]
    for low, high in zip(rows, reversed(rows), strict=True):
        assert agree(low[CLAMPED], high[CLAMPED] * -1)


def test_tails_of_the_distance_fall_from_one_and_a_wide_clamp_leaves_half_a_step():
    rows = distance_tails(if_value=9, **DECLARED)
    assert all(rows[0][name].lower == rows[0][name].upper == 1 for name in CONTENDERS)
    for first, second in pairwise(rows):
        assert all(second[name].upper <= first[name].upper for name in CONTENDERS)
    tails = {row["z"]: row[NATURAL] for row in rows}
    # Grid 1: half a step is 1/2, and further off it is only where the clamp binds.
    assert tails[Fraction(1, 2)].upper <= EXACT_GAMMA < tails[Fraction(1, 4)].lower
    (given,) = distance_tails(if_value=9, distances=["1/3"], **DECLARED)
    assert given["z"] == Fraction(1, 3)


def test_no_clamp_binds_more_often_than_gamma_and_the_tight_one_is_narrower():
    for gamma, *figures in (row.values() for row in clamp_by_gamma(**DECLARED)):
        tight, binds, notes, notes_bind = (figure.upper for figure in figures)
        assert tight < notes
        assert notes_bind < binds <= gamma


def test_errors_of_means_are_those_of_the_law_at_the_mean():
    mean, scale = Fraction(3 + 8 + 10, 3), Fraction(10, 3)
    rows = errors_of_means({3: (mean, scale)}, lower=0, upper=10, epsilons=[1, "0.5"])
    assert [(row["n"], row["epsilon"]) for row in rows] == [(3, 1), (3, Fraction(1, 2))]
    p = contenders(epsilon=1, sensitivity=scale, lower=0, upper=10)[CLAMPED]
    assert agree(rows[0][CLAMPED], expected(p, mean, lambda output: abs(output - mean)) / scale)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(BoundError):
        bias_by_guess(guesses=[11], **DECLARED)
    with pytest.raises(ParameterError):
        distance_tails(if_value=1, distances=[-1], **DECLARED)
