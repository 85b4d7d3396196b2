"""Adjusted tables: the normal equations' values, exact sums in every direction, and integers that have room."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from snapdp.accuracy.adjusted.margins import adjusted_tables, exact_table, margin_family, subsets
from snapdp.errors import ParameterError
from tests.unit.accuracy.adjusted.brute import least_squares_of_margin, margin_rows, measured_cells
from tests.unit.accuracy.adjusted.families import FAMILIES

F = Fraction
every_family = pytest.mark.parametrize(
    "family", FAMILIES, ids=lambda f: f"{f.sizes}-{list(f.measured)}-{f.known_total}"
)
PROPERTY = settings(deadline=None, max_examples=40)


def shape(family, margin):
    return [family.sizes[i] for i in margin]


def tables_of(family, cells):
    """Return measured tables from a function of (margin, number of the cell)."""
    return {
        margin: exact_table([cells(margin, i) for i in range(family.cells(margin))], shape(family, margin))
        for margin in family.measured
    }


def noisy(seed):
    chance = random.Random(seed)
    return lambda _margin, _cell: F(chance.randrange(-40, 400), 4)


def adds_up(found):
    """Tell whether every table is every larger one summed."""
    for margin, table in found.items():
        for larger in (each for each in found if set(margin) < set(each)):
            if found[larger].summed([axis for axis, i in enumerate(larger) if i not in margin]) != table:
                return False
    return True


@every_family
def test_values_are_those_of_the_normal_equations(family):
    tables, total = tables_of(family, noisy(1)), F(401, 3) if family.known_total else None
    found = adjusted_tables(family, tables, total=total)
    measured = [tables[margin].fractions() for margin in family.measured]
    flat = [each for table in measured for each in table]
    assert len(flat) == len(measured_cells(family))
    assert set(found) == set(family.margins)
    for margin, table in found.items():
        assert table.fractions() == least_squares_of_margin(family, margin).values(flat, total or F(0))


@every_family
def test_adjusted_margins_add_up_exactly_in_every_direction(family):
    total = 100 if family.known_total else None
    found = adjusted_tables(family, tables_of(family, noisy(2)), total=total)
    assert adds_up(found)
    if family.known_total:
        assert found[()].fractions() == [100]


def test_tables_as_they_were_measured_do_not_add_up():
    family = FAMILIES[2]
    assert not adds_up(tables_of(family, noisy(2)))


@every_family
def test_tables_that_add_up_already_are_left_as_they_are(family):
    chance = random.Random(3)
    whole = [F(chance.randrange(50)) for _ in range(family.cells(range(len(family.sizes))))]
    true = {
        margin: [sum(a * b for a, b in zip(row, whole, strict=True)) for row in margin_rows(family, margin)]
        for margin in family.margins
    }
    tables = {margin: exact_table(true[margin], shape(family, margin)) for margin in family.measured}
    found = adjusted_tables(family, tables, total=sum(whole) if family.known_total else None)
    assert {margin: table.fractions() for margin, table in found.items()} == true


@pytest.mark.parametrize("swapped", [False, True])
def test_swapped_weights_give_other_tables(swapped):
    """A twin: the estimate with the variances of two margins exchanged is not that of the normal equations."""
    right = margin_family([2, 3], {(0,): 1, (1,): 5, (0, 1): F(7, 3)})
    used = margin_family([2, 3], {(0,): 5, (1,): 1, (0, 1): F(7, 3)}) if swapped else right
    tables = tables_of(right, noisy(4))
    flat = [each for margin in right.measured for each in tables[margin].fractions()]
    expected = least_squares_of_margin(right, (0, 1)).values(flat)
    assert (adjusted_tables(used, tables)[0, 1].fractions() == expected) is not swapped


@PROPERTY
@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    seed=st.integers(0, 10**6),
    huge=st.sampled_from([1, 10**17, 10**30]),
)
def test_any_family_adds_up_and_wide_integers_change_nothing_but_room(sizes, seed, huge):
    chance = random.Random(seed)
    margins = list(subsets(tuple(range(len(sizes)))))
    chosen = chance.sample(margins, chance.randrange(1, len(margins) + 1))
    family = margin_family(sizes, {margin: F(chance.randrange(1, 50), chance.randrange(1, 9)) for margin in chosen})
    tables = tables_of(family, noisy(seed))
    found = adjusted_tables(family, tables)
    assert adds_up(found)
    larger = {m: exact_table([cell * huge for cell in t.fractions()], shape(family, m)) for m, t in tables.items()}
    for margin, table in adjusted_tables(family, larger).items():
        assert table.fractions() == [each * huge for each in found[margin].fractions()]


def test_small_integers_stay_in_64_bits_and_large_ones_do_not():
    family = margin_family([2, 3], dict.fromkeys(subsets((0, 1)), 2))
    for largest, kind in ((10**6, np.int64), (2**62, object)):
        tables = {m: exact_table(np.full(family.cells(m), largest), shape(family, m)) for m in family.measured}
        found = adjusted_tables(family, tables)
        assert found[0, 1].numerators.dtype == kind
        assert adds_up(found)
        expected = least_squares_of_margin(family, (0, 1)).values([F(largest)] * len(measured_cells(family)))
        assert found[0, 1].fractions() == expected


def test_factors_beyond_64_bits_have_room_where_every_cell_is_zero():
    variances = {margin: F(10**20 + 7 * i, 10**9 + 9) for i, margin in enumerate(subsets((0, 1)))}
    family = margin_family([2, 3], variances)
    tables = {m: exact_table(np.zeros(family.cells(m), dtype=np.int64), shape(family, m)) for m in family.measured}
    assert {each for table in adjusted_tables(family, tables).values() for each in table.fractions()} == {0}


def test_the_least_64_bit_integer_and_unsigned_ones_are_taken_as_they_are():
    family = margin_family([2], {(0,): 1, (): 1})
    for cells in (np.array([-(2**63), 1]), np.array([2**64 - 1, 1], dtype=np.uint64)):
        tables = {(0,): exact_table(cells, [2]), (): exact_table([0], [])}
        exact = {(0,): exact_table([F(int(each)) for each in cells], [2]), (): exact_table([F(0)], [])}
        assert adjusted_tables(family, tables) == adjusted_tables(family, exact)


def test_indices_of_a_grid_become_multiples_of_it():
    table = exact_table(np.array([[1, -2], [3, 4]]), [2, 2], unit="3/8")
    assert table.fractions() == [F(3, 8), F(-3, 4), F(9, 8), F(3, 2)]
    assert table == exact_table([F(3, 8), F(-3, 4), F(9, 8), F(3, 2)], [2, 2])
    assert table != exact_table([1, 2, 3, 4], [2, 2])
    assert table != exact_table([1, 2, 3, 4], [4])
    assert repr(table) == "ExactTable(shape=(2, 2), denominator=8)"


def test_only_the_margins_asked_for_are_made():
    family = FAMILIES[2]
    found = adjusted_tables(family, tables_of(family, noisy(5)), margins=[(0,)])
    assert list(found) == [(0,)]
    assert found[0,] == adjusted_tables(family, tables_of(family, noisy(5)))[0,]


def test_floats_and_tables_of_another_shape_are_refused():
    with pytest.raises(ParameterError, match="do not make a table"):
        exact_table([0.5, 1.0], [2])
    with pytest.raises(ParameterError, match="do not make a table"):
        exact_table([1, 2, 3], [2])
    family = FAMILIES[0]
    good = tables_of(family, noisy(1))
    with pytest.raises(ParameterError, match="Give those of"):
        adjusted_tables(family, {(0,): good[0,]})
    with pytest.raises(ParameterError, match="has shape"):
        adjusted_tables(family, {**good, (): exact_table([1, 2], [2])})
    with pytest.raises(ParameterError, match="if and only if it is known"):
        adjusted_tables(family, good, total=5)
    with pytest.raises(ParameterError, match="if and only if it is known"):
        adjusted_tables(FAMILIES[1], tables_of(FAMILIES[1], noisy(1)))
