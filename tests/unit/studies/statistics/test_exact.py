"""Exact numerators from tables: equal to the definition, and between neighbours never farther than declared."""

from __future__ import annotations

import math
from fractions import Fraction

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from snapdp.errors import DataError, ParameterError
from snapdp.exact.dyadic import nearest_multiple
from snapdp.release.release import exact_values
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.conditions import condition
from snapdp.studies.grouping.groups import binned
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.counts import count_query
from snapdp.studies.statistics.covariance import covariance_query
from snapdp.studies.statistics.histogram import histogram_query
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.quantiles import quantiles_query
from snapdp.studies.statistics.statistic import aggregates_of, numerators
from snapdp.studies.statistics.sum import sum_query
from snapdp.studies.statistics.variance import variance_query
from snapdp.tables.engines.opening import open_table
from tests.tiers import first_of
from tests.unit.studies.statistics.enumeration import numerators as numerators_by_definition

F = Fraction
PROPERTY = settings(deadline=None, max_examples=40)
COLUMNS = [
    number_column("x", lower=500, upper=1000, missing="middle"),
    number_column("x", lower=-1, upper=1, step="1/10", missing=1),
    integer_column("x", lower=-3, upper=4, missing=-3),
    number_column("x", lower=2**52, upper=2**52 + 1, missing="middle"),
    number_column("x", lower="-0.3", upper="1.2", step="1/2", missing="middle"),
    number_column("x", lower=0, upper=2**31, step=1, missing=0),
    number_column("x", lower=500, upper=1000, missing="dropped"),
    number_column("x", lower="-0.3", upper="1.2", step="1/10", missing="dropped"),
    integer_column("x", lower=-3, upper=4, missing=4),
]
Y = number_column("y", lower=-4, upper=4, step="1/8", missing="middle")
G = category_column("g", categories=["a", "A", "", "e\u0301"], unknown="binned", null="binned")
H = category_column("g", categories=["A", "a"])
SECOND = category_column("h", categories=["u", "", ","], null="binned")
SPECIAL = [None, math.nan, math.inf, -math.inf, -0.0, 5e-324, -5e-324, 1.7976931348623157e308, 2.0**52, 2.0**52 + 1]


def end_near(column, value):
    """Return an end of a range: a multiple of the step."""
    return nearest_multiple(value, column.step)


def queries_of(column, relation):
    """Return every kind of query that is defined under a relation, groups too."""
    middle = end_near(column, column.middle)
    asked = [
        sum_query(column, relation),
        sum_query(column, relation, by=G),
        sum_query(column, relation, by=H),
        mean_query(column, relation),
        mean_query(column, relation, by=G),
        count_query(relation, where=[condition(column, start=middle)]),
        count_query(relation, where=[condition(column, below=middle), condition(G, equals="A")]),
        count_query(relation, by=G),
        histogram_query(column, relation, edges=[column.lower, middle, column.upper]),
        histogram_query(
            column, relation, edges=[middle, end_near(column, (middle + column.upper) / 2)], outside="binned"
        ),
        histogram_query(column, relation, edges=[middle, column.upper], by=H),
        histogram_query(G, relation),
        histogram_query(H, relation),
    ]
    known, where = [condition(G, equals="a")], [condition(column, start=middle), condition(G, equals="A")]
    asked += [
        sum_query(column, relation, where=known),
        mean_query(column, relation, where=where),
        mean_query(column, relation, where=known, by=H),
        histogram_query(column, relation, edges=[column.lower, middle, column.upper], by=G, where=where),
    ]
    asked += [
        count_query(relation, by=[G, SECOND]),
        sum_query(column, relation, by=[SECOND, H], where=where[:1]),
        histogram_query(column, relation, edges=[column.lower, middle, column.upper], by=[SECOND, G]),
    ]
    cut = binned(column, edges=[middle, column.upper], outside="binned", null="binned")
    asked += [mean_query(column, relation, by=[G, cut, SECOND]), count_query(relation, by=cut)]
    asked.append(histogram_query(column, relation, edges=[middle, column.upper], missing="binned", by=H))
    if column.levels < 500:
        asked += [
            quantiles_query(column, relation, branching=branching)
            for branching in (2, 3, column.levels + 1)[: column.levels]
        ]
        asked.append(quantiles_query(column, relation, at=["1/4", "3/4"], by=[SECOND, G], where=where))
    if relation.is_change_one and relation.rows > 1 and not column.dropped:
        asked += [variance_query(column, relation), covariance_query(column, Y, relation)]
    elif relation.rows > 1:
        asked += [variance_query(column, relation), covariance_query(column, Y, relation, correlation=True)]
    if relation.rows > 1:
        asked += [variance_query(column, relation, by=H), covariance_query(column, Y, relation, where=where, by=G)]
    return asked if relation.is_change_one else [*asked, count_query(relation)]


def quantised(column, cell) -> Fraction | None:
    """Return what a cell stands for, in rationals; None where it is missing."""
    if cell is None or math.isnan(cell):
        return None
    inside = (column.upper if cell > 0 else column.lower) if math.isinf(cell) else F(cell)
    inside = min(max(inside, column.lower), column.upper)
    return column.lower + column.step * math.floor((inside - column.lower) / column.step + F(1, 2))


def as_rows(column, table):
    """Return rows as the enumeration of the sensitivities writes them; "?" is any unknown text."""
    known = {*G.categories, None}
    return tuple((quantised(column, x), quantised(Y, y), g if g in known else "?", h) for x, y, g, h in table)


def as_table(table):
    x, y, g, h = ([row[i] for row in table] for i in range(4))
    return open_table({"x": np.array([math.nan if c is None else c for c in x], dtype=float), "y": y, "g": g, "h": h})


def assert_close(query, here, there):
    """One neighbour moves no cell by more than the sensitivity, nor all cells together by more than is charged.

    Return the loss, in units of the epsilon that is charged.
    """
    loss = F(0)
    for part, near, far in zip(query.parts, here, there, strict=True):
        moves = [abs(a - b) for a, b in zip(near, far, strict=True)]
        assert sum(moves) <= part.moving * part.numerator.sensitivity
        assert part.moving > 1 or max(moves) <= part.numerator.sensitivity
        assert all(part.numerator.lower <= value <= part.numerator.upper for value in (*near, *far))
        loss += part.share * F(sum(moves), part.numerator.sensitivity)
    assert loss <= 1
    return loss


def cells(column):
    low, high = float(column.lower), float(column.upper)
    return st.one_of(st.sampled_from([*SPECIAL, low, high, (low + high) / 2]), st.floats(low, high), st.floats())


@st.composite
def neighbouring_tables(draw):
    column = draw(st.sampled_from(COLUMNS))
    texts = st.sampled_from([*G.categories, None, "?", "a ", "é", "B"]), st.sampled_from(["u", "", ",", None, "?"])
    row = st.tuples(cells(column), cells(Y), *texts)
    table = draw(st.lists(row, min_size=1, max_size=5))
    place = draw(st.integers(0, len(table) - 1))
    if draw(st.booleans()):
        return column, change_one(n=len(table)), table, [*table[:place], draw(row), *table[place + 1 :]]
    n_max = draw(st.integers(1, len(table) + 1))  # also fewer than there are: clamped, and nobody learns it
    return column, add_remove(n_max=n_max), table, [*table[:place], *table[place + 1 :]]


@PROPERTY
@given(neighbouring_tables())
def test_numerators_equal_their_definition_and_neighbours_move_them_no_farther_than_declared(case):
    column, relation, table, other = case
    queries = queries_of(column, relation)
    here, there = exact_values(queries, as_table(table)), exact_values(queries, as_table(other))
    for query, near, far in zip(queries, here, there, strict=True):
        for rows, found in ((table, near), (other, far)):
            ends = [(part.numerator.lower, part.numerator.upper) for part in query.parts]
            plain = numerators_by_definition(query, as_rows(column, rows))
            clamped = [[min(max(v, low), high) for v in part] for part, (low, high) in zip(plain, ends, strict=True)]
            assert [list(part) for part in found] == clamped
        assert_close(query, near, far)


# Tables that break sums in floating point


def columns_of(values):
    count = len(values)
    texts = {name: np.array([text] * count + [None], dtype=object)[:-1] for name, text in (("g", "a"), ("h", "u"))}
    return open_table({"x": values, "y": np.zeros(count), **texts})


def assert_neighbours(column, values, changed):
    """Change the row at index 0, under both relations, over all statistics."""
    relation = change_one(n=len(values))
    for asked, other in ((relation, changed), (add_remove(n_max=len(values)), values[1:])):
        queries = queries_of(column, asked)
        here, there = exact_values(queries, columns_of(values)), exact_values(queries, columns_of(other))
        for query, near, far in zip(queries, here, there, strict=True):
            assert_close(query, near, far)
    return exact_values([sum_query(column, relation)], columns_of(values))[0][0][0]


def with_first(values, first):
    changed = values.copy()
    changed[0] = first
    return changed


def test_eight_rows_between_2_to_the_52_and_the_next_double():
    """In doubles the sum of these eight moves by 8 when one row moves by 1 (the partial sums are even)."""
    column = COLUMNS[3]
    values = np.array([2.0**52 + 1] * 8)
    total = assert_neighbours(column, values, with_first(values, 2.0**52))
    assert total == 8 * column.levels
    assert exact_values([sum_query(column, change_one(n=8))], columns_of(with_first(values, 2.0**52))) == [
        ((7 * column.levels,),)
    ]


def test_a_million_tiny_rows_with_a_one_first_or_last():
    """In doubles 1 + 2**-53 + 2**-53 + ... is 1, and 2**-53 + ... + 1 is not: the order decides by 10**6 * 2**-53."""
    column = number_column("x", lower=0, upper=1, step=F(1, 2**31), missing="middle")
    values = np.full(1_000_000, 2.0**-53)
    first, last = with_first(values, 1.0), with_first(values, 1.0)[::-1]
    query = sum_query(column, change_one(n=len(values)))
    (one,), (two,), (none,) = (exact_values([query], open_table({"x": each})) for each in (first, last, values))
    assert one == two == ((column.levels,),)
    assert none == ((0,),)
    tiny = number_column("x", lower=0, upper=F(1, 2**33), step=F(1, 2**53), missing=0)
    (sums,) = exact_values([sum_query(tiny, change_one(n=len(values)))], open_table({"x": first}))
    assert sums == ((999_999 + tiny.levels,),)


def test_2_to_the_25_ones_stored_as_float32(tmp_path):
    """In float32 such a sum stops at 2**24."""
    path, count = tmp_path / "ones.duckdb", 2**25
    column = number_column("x", lower=0, upper=1, step="1/2", missing="middle")
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE ones AS SELECT CAST(1 AS FLOAT) AS x FROM range({count})")
    relation = change_one(n=count)
    total, variance = exact_values(
        [sum_query(column, relation), variance_query(column, relation)], open_table(path, table="ones")
    )
    assert total == ((2 * count,),)
    assert variance == ((0,),)
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE ones SET x = 0 WHERE rowid = 5")
    moved, spread = exact_values(
        [sum_query(column, relation), variance_query(column, relation)], open_table(path, table="ones")
    )
    assert moved == ((2 * count - 2,),)
    assert spread[0][0] == (count - 1) * 4 == variance_query(column, relation).parts[0].numerator.sensitivity


@pytest.mark.parametrize("cell", first_of(SPECIAL[1:], 3), ids=str)
def test_one_strange_cell_moves_nothing_farther_than_declared(cell):
    values = np.array([cell] + [750.0] * 30)
    for other in (500.0, 1000.0, math.nan):
        assert_neighbours(COLUMNS[0], values, with_first(values, other))


def test_999_of_1000_cells_missing():
    values = np.array([500.0] + [math.nan] * 999)
    total = assert_neighbours(COLUMNS[0], values, with_first(values, 1000.0))
    column = COLUMNS[0]
    assert total == 999 * int((column.missing - column.lower) / column.step)


# Refusals


def test_a_wrong_declared_n_is_refused_without_telling_the_right_one():
    column = integer_column("x", lower=0, upper=10, missing="middle")
    table = open_table({"x": [1] * 4321})
    with pytest.raises(DataError, match="declared n = 5000 rows") as refused:
        exact_values([mean_query(column, change_one(n=5000))], table)
    assert "4321" not in str(refused.value) + str(refused.value.numbers)


def test_more_rows_than_n_max_look_like_n_max():
    column = integer_column("x", lower=0, upper=10, missing="middle")
    relation = add_remove(n_max=3)
    queries = [count_query(relation), sum_query(column, relation), mean_query(column, relation)]
    found = exact_values(queries, open_table({"x": [10] * 5}))
    assert found == [((3,),), ((30,),), ((30,), (3,))]


def test_an_answer_about_rows_is_never_taken_for_one_about_persons():
    column, by_row = integer_column("x", lower=0, upper=10, missing="middle"), add_remove(n_max=10)
    by_person = add_remove(n_max=10, person="id", rows_per_person=3)
    table = open_table({"x": [1, 2], "id": ["a", "a"]})
    about_rows = table.aggregates(aggregates_of([sum_query(column, by_row)]))
    with pytest.raises(KeyError):
        numerators(sum_query(column, by_person), about_rows)
    with pytest.raises(ParameterError, match="one unit"):
        table.aggregates(aggregates_of([sum_query(column, by_row), sum_query(column, by_person)]))


def test_queries_share_what_they_ask_for():
    column = integer_column("x", lower=0, upper=10, missing="middle")
    relation = change_one(n=2)
    queries = [mean_query(column, relation), sum_query(column, relation), variance_query(column, relation)]
    asked = aggregates_of(queries)
    assert len(asked) == 3
    found = open_table({"x": [3, 5]}).aggregates(asked)
    assert [numerators(query, found) for query in queries] == [((8,),), ((8,),), ((4,),)]
