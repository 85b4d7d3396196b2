"""Accuracy over epsilon: every figure is that of the mechanism itself, and jumps have two sides."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from snapdp.accuracy import (
    MECHANISMS,
    accuracy,
    accuracy_by_epsilon,
    accuracy_lines,
    get_accuracy2,
    price_table,
    printed_mechanism,
)
from snapdp.errors import ParameterError
from snapdp.exact import ln_enclosure
from snapdp.mechanism import exact_parameters, finite_parameters
from snapdp.mechanism.arithmetic import FinitePrecision

LN_20 = ln_enclosure(Fraction(20), 128)
CLOSE = Fraction(1, 1 << 29)  # accuracies and ratios are rounded up within 1e-9


def own_ratio(epsilon, **how):
    """Return accuracy over that of Laplace, asked of a mechanism with a range of its own."""
    make = finite_parameters if "arithmetic" in how else exact_parameters
    p = make(epsilon=epsilon, sensitivity=1, lower=-300, upper=300, **how)
    return accuracy(p, alpha="0.05") * Fraction(epsilon) / LN_20.lower


def test_each_ratio_is_that_of_the_mechanism_it_names():
    (row,) = accuracy_by_epsilon(epsilons=["0.9"]).rows
    notes = FinitePrecision(rule="notes", bits=118)
    expected = [1, own_ratio("0.9"), own_ratio("0.9", grid="natural"), own_ratio("0.9", arithmetic=notes)]
    assert all(abs(found - known) < CLOSE for found, known in zip(row.ratios, expected, strict=False))
    m = printed_mechanism(epsilon="0.9", bound=1024, bits=118)
    assert row.ratios[4] >= get_accuracy2(m).enclosure.lower * Fraction("0.9") / LN_20.upper
    assert abs(row.ratios[5] - (1 + 1 / LN_20.lower)) < CLOSE
    assert row.side == "at"


def test_for_a_small_epsilon_the_bound_of_the_notes_grows_with_the_noise():
    """No accuracy meets it: where it did, the mechanism would look better than without a clamp."""
    found = accuracy_by_epsilon(epsilons=["0.003"])
    (row,) = found.rows
    assert found.bound == 4096 > 2 * row.laplace * row.ratios[5]
    natural, notes = MECHANISMS.index("exact, natural grid"), MECHANISMS.index("notes' rule")
    assert abs(row.ratios[notes] - row.ratios[natural]) < CLOSE


def test_a_power_of_two_has_both_limits_and_the_notes_still_have_the_wide_grid_at_it():
    below, at, above = accuracy_by_epsilon(epsilons=[1]).rows
    natural, notes = MECHANISMS.index("exact, natural grid"), MECHANISMS.index("notes' rule")
    wide, narrow = (price_table(epsilons=[1], grids=[grid])[0].accuracy_ratio for grid in (2, 1))
    assert [row.ratios[natural] for row in (below, at, above)] == [wide, narrow, narrow]
    assert all(
        0 <= found - known < CLOSE
        for found, known in zip([row.ratios[notes] for row in (below, at, above)], [wide, wide, narrow], strict=True)
    )


def test_the_limit_from_below_is_what_epsilons_just_below_come_near():
    below = accuracy_by_epsilon(epsilons=[1]).rows[0]
    (near,) = accuracy_by_epsilon(epsilons=[1 - Fraction(1, 1 << 40)]).rows
    assert all(abs(limit - found) < CLOSE for limit, found in zip(below.ratios, near.ratios, strict=True))


def test_no_formula_is_below_the_accuracy_that_it_bounds():
    for row in accuracy_by_epsilon(epsilons=["0.3", "0.5", "0.9"], alpha="0.01").rows:
        laplace, fine, natural, notes, formula, simple = row.ratios
        assert laplace == 1 < fine < natural <= notes <= formula <= simple


@pytest.mark.parametrize("first", ["0.99", 1])
def test_no_piece_of_a_line_crosses_a_jump(first):
    lines = {line.name: line.pieces for line in accuracy_lines(first=first, last="1.01")}
    assert list(lines) == list(MECHANISMS)
    assert len(lines["Laplace"]) == len(lines["simple bound"]) == 1
    pieces = lines["notes' rule"]
    assert len(pieces) == 2
    assert pieces[0][-1][0] == 1 < pieces[1][0][0]
    assert pieces[0][-1][1] > pieces[1][0][1] + 0.1
    natural = lines["exact, natural grid"]
    assert len(natural) == (2 if first == "0.99" else 1)
    assert natural[-1][0][0] == 1
    for every in lines.values():
        for piece in every:
            assert all(left[0] < right[0] for left, right in pairwise(piece))


def test_a_jump_at_the_end_of_a_line_has_its_second_point():
    natural = {line.name: line.pieces for line in accuracy_lines(first="0.999", last=1)}["exact, natural grid"]
    assert [piece[-1][0] for piece in natural] == [1, 1]
    assert natural[0][-1][1] > natural[1][0][1] + 0.1


def test_points_that_are_computed_are_counted():
    told = []
    accuracy_lines(first="0.999", last=1, progress=lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == list(range(1, told[0][1] + 1))


def test_nothing_to_compare_and_lines_without_length_are_refused():
    with pytest.raises(ParameterError, match="no epsilon"):
        accuracy_by_epsilon(epsilons=[])
    with pytest.raises(ParameterError, match="two epsilons"):
        accuracy_lines(first=1, last=1)
