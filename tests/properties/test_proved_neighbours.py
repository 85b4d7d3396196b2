"""What neighbours lose in proved arithmetic, by the exact law of few bits: rounding is paid for with every step.

A person with k rows may move k cells by one row each. The mechanism of a cell is that of one row at epsilon/k. Were it
that of k rows at epsilon, with the price of rounding taken off once, k cells would lose more than epsilon: the twin.
Theory: docs/theory/finite-precision.md, (19), (20).
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.errors import PremiseError
from snapdp.mechanism import FinitePrecision, declared, law_of, pair_loss
from snapdp.studies import category_column, histogram_query, mean_query, persons_query
from snapdp.studies.columns import integer_column
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.parts import mechanism
from snapdp.values import replaced

F = Fraction
ROWS, MOST, BITS = 8, 64, FinitePrecision(bits=30)


def loss(p, value, other):
    return pair_loss(law_of(p.inner(value), p), law_of(p.inner(other), p)).loss


def persons_histogram():
    relation = add_remove(n_max=MOST, person="id", rows_per_person=ROWS)
    return histogram_query(category_column("c", categories=[str(i) for i in range(ROWS)]), relation).parts[0]


def test_a_person_whose_rows_lie_in_as_many_cells_loses_no_more_than_epsilon():
    p = mechanism(persons_histogram(), 1, arithmetic=BITS).parameters
    assert (p.epsilon, p.sensitivity) == (F(1, ROWS), 1)
    assert max(ROWS * loss(p, value, value + 1).upper for value in (*range(0, 60, 10), 62, 63)) <= 1


@pytest.mark.long
def test_no_move_of_a_persons_rows_between_cells_loses_more_than_epsilon():
    p = mechanism(persons_histogram(), 1, arithmetic=BITS).parameters
    laws = [law_of(p.inner(value), p) for value in range(MOST + 1)]
    for rows in range(1, ROWS + 1):  # of the person in one cell; the others are in others
        worst = max(pair_loss(laws[value], laws[value + rows]).loss.upper for value in range(MOST + 1 - rows))
        assert worst <= F(rows, ROWS)


def test_charged_once_the_same_person_would_lose_more():
    """The twin: the mechanism of all rows of a person at epsilon, as if rounding were paid for once."""
    once = mechanism(replaced(persons_histogram(), steps=1), 1, arithmetic=BITS).parameters
    assert loss(once, 62, 62 + ROWS - 6).upper <= 1  # one cell that moves by less
    assert ROWS * loss(once, 62, 63).lower > 1


def counted_persons():
    groups = category_column("c", categories=[str(i) for i in range(ROWS)])
    return persons_query(add_remove(n_max=MOST, person="id"), by=groups, groups_per_person=ROWS).parts[0]


def test_a_person_who_counts_in_as_many_groups_loses_no_more_than_epsilon():
    part = counted_persons()
    p = mechanism(part, 1, arithmetic=BITS).parameters
    assert (p.epsilon, p.sensitivity, part.moving) == (F(1, ROWS), 1, ROWS)
    assert max(part.moving * loss(p, value, value + 1).upper for value in (0, 30, 62, 63)) <= 1
    wider = replaced(part.numerator, sensitivity=ROWS)  # the other form: k sensitivities in one cell, in k steps
    other = replaced(part, numerator=wider, moving=1, share=F(1), steps=ROWS)
    assert mechanism(other, 1, arithmetic=BITS).parameters == p
    assert mechanism(other, 1).parameters.noise_scale == mechanism(part, 1).parameters.noise_scale
    once = mechanism(replaced(other, steps=1), 1, arithmetic=BITS).parameters  # the twin
    assert ROWS * loss(once, 62, 63).lower > 1


def test_a_unit_of_several_rows_pays_for_rounding_as_a_person_with_so_many_does():
    together = add_remove(n_max=MOST, unit_rows=ROWS)
    groups = category_column("c", categories=[str(i) for i in range(ROWS)])
    assert histogram_query(groups, together).parts[0] == persons_histogram()


def some_rows_mean():
    column = integer_column("x", lower=0, upper=3, missing="dropped")
    return mean_query(column, change_one(n=40)).parts


def test_a_row_that_starts_to_count_loses_half_of_the_sum_and_the_count():
    """Half of epsilon for the count is free: the sum moves by one of its two steps where the count moves."""
    centred, count = (mechanism(part, 1, arithmetic=BITS).parameters for part in some_rows_mean())
    assert (centred.epsilon, count.epsilon) == (F(1, 2), F(1, 2))
    starts = max(loss(centred, value, value + 3).upper for value in (-60, -3, 0, 57))
    stays = max(loss(centred, value, value + 6).upper for value in (-60, -3, 0, 54))
    assert starts + max(loss(count, value, value + 1).upper for value in (0, 20, 39)) <= 1
    assert stays <= 1


def test_with_the_sum_in_one_step_half_of_epsilon_is_not_what_is_proved_of_half_a_move():
    """The twin: what is proved for half a sensitivity is more than half of what is proved for one."""
    (part, _), bits = some_rows_mean(), 30
    once = mechanism(replaced(part, steps=1), 1, arithmetic=FinitePrecision(bits=bits)).parameters
    overhead = once.epsilon - once.effective_epsilon
    assert once.effective_epsilon / 2 + overhead > F(1, 2)


def test_a_kind_that_does_not_say_its_steps_has_no_finite_precision():
    with pytest.raises(PremiseError, match="does not say how often neighbours pay for rounding"):
        mechanism(replaced(persons_histogram(), steps=None), 1, title="median(x)", arithmetic=BITS)
    assert mechanism(replaced(persons_histogram(), steps=None), 1) == mechanism(persons_histogram(), 1)


def test_the_mechanism_of_a_step_is_that_of_a_row():
    p = mechanism(persons_histogram(), 1, arithmetic=BITS).parameters
    row = declared(epsilon=F(1, ROWS), sensitivity=1, lower=0, upper=MOST, arithmetic=BITS).parameters
    assert p == row
