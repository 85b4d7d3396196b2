"""Counts of persons: sensitivity and range, proven over all small tables of persons; and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations, product

import pytest

from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.studies.aggregates import Aggregates, People, Persons
from snapdp.studies.columns import category_column, integer_column
from snapdp.studies.conditions import condition
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.counts import count_query, persons_query
from snapdp.studies.statistics.statistic import numerators

F = Fraction
GROUPS = ("a", "b", "c")
BY = category_column("g", categories=GROUPS)
X = integer_column("x", lower=0, upper=1, missing="dropped")
RELATION = add_remove(n_max=3, person="id")
Row = tuple[str | None, int]  # its group, or none, and its x
Table = dict[str, frozenset[Row]]  # the rows of each person; equal ones count once in any case
ROWS = [(group, x) for group in (*GROUPS, None) for x in (0, 1)]
BAGS = [frozenset(rows) for size in range(4) for rows in combinations(ROWS, size)]
ORDERS = list(permutations(GROUPS))


def counted(rows: frozenset[Row], k: int, order: tuple[str, ...], where: bool) -> set[str]:
    """Return the groups in which a person counts: those of the rows that meet the condition, the first k of them."""
    meets = {group for group, x in rows if x == 1 or not where}
    return set([group for group in order if group in meets][:k])


def counts(table: Table, k: int, orders: dict[str, tuple[str, ...]], where: bool) -> list[int]:
    kept = [counted(rows, k, orders[person], where) for person, rows in table.items()]
    return [sum(group in each for each in kept) for group in GROUPS]


def every_table(persons: int) -> Iterator[tuple[Table, dict[str, tuple[str, ...]]]]:
    """Yield tables of so many persons with up to three different rows each, under several orders of their groups."""
    names = [f"p{i}" for i in range(persons)]
    for bags in product(BAGS, repeat=persons) if persons < 2 else product(BAGS[::5], BAGS[::3]):
        for place in range(0, len(ORDERS), 1 if persons < 2 else 4):
            orders = {name: ORDERS[(place + i) % len(ORDERS)] for i, name in enumerate(names)}
            yield dict(zip(names, bags, strict=True)), orders


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("where", [False, True])
def test_a_person_moves_each_of_k_groups_by_one_and_nobody_else_moves_any(k, where):
    query = persons_query(RELATION, by=BY, groups_per_person=k, where=[condition(X, start=1)] if where else [])
    (part,) = query.parts
    largest, furthest = 0, 0
    for table, orders in (each for persons in (1, 2) for each in every_table(persons)):
        here = counts(table, k, orders, where)
        for gone in table:
            there = counts({name: rows for name, rows in table.items() if name != gone}, k, orders, where)
            moves = [abs(a - b) for a, b in zip(here, there, strict=True)]
            largest, furthest = max(largest, *moves), max(furthest, sum(moves))
        assert all(part.numerator.lower <= cell <= part.numerator.upper for cell in here)
    assert (largest, furthest) == (part.numerator.sensitivity, part.moving) == (1, k)
    assert furthest * part.share == query.charged == 1
    if k > 1:  # the twin: what would be charged if k - 1 were believed to move
        fewer = persons_query(RELATION, by=BY, groups_per_person=k - 1).parts[0]
        assert furthest * fewer.share == F(k, k - 1) > 1


def test_a_person_of_many_rows_counts_once_where_their_rows_count_often():
    table = {"p0": frozenset({("a", 0), ("a", 1)}), "p1": frozenset({("a", 1)})}
    assert counts(table, 1, dict.fromkeys(table, GROUPS), where=False) == [2, 0, 0]
    rows = count_query(add_remove(n_max=3, person="id", rows_per_person=2), by=BY)
    people = persons_query(add_remove(n_max=3, person="id", rows_per_person=2), by=BY, groups_per_person=1)
    assert rows.parts[0].numerator.sensitivity == 2
    assert people.parts[0].numerator.sensitivity == 1  # how many rows are kept elsewhere plays no part


def test_without_groups_it_is_the_number_of_persons():
    query = persons_query(RELATION)
    (part,) = query.parts
    assert (part.numerator.sensitivity, part.moving, part.share, part.cells) == (1, 1, 1, 1)
    assert (part.numerator.lower, part.numerator.upper, part.numerator.integers) == (0, 3, True)
    assert (query.title, query.stated, query.labels) == ("persons", {}, ("",))


def test_it_asks_for_people_whatever_the_study_keeps_of_their_rows():
    for most in (1, 7):
        relation = add_remove(n_max=3, person=["user", "land"], rows_per_person=most)
        query = persons_query(relation, by=BY, groups_per_person=2, where=[condition(X, start=1)])
        (asked,) = query.aggregates
        assert asked == People(persons=Persons(columns=("user", "land"), most=1), groups=2, by=BY, where=query.tests)
        assert query.title == "persons where 1 <= x by g"


@pytest.mark.parametrize("relation", [add_remove(n_max=3), add_remove(n_max=3, unit_rows=5), change_one(n=3)])
def test_persons_without_a_column_that_names_them_are_refused(relation):
    with pytest.raises(PremiseError, match="no column names them") as refused:
        persons_query(relation)
    assert "person" in refused.value.advice


@pytest.mark.parametrize("k", [0, -1, "1/2", 1.5, True, "many"])
def test_a_number_of_groups_that_is_none_is_refused(k):
    with pytest.raises(ParameterError, match="groups_per_person = "):
        persons_query(RELATION, by=BY, groups_per_person=k)


def test_the_number_of_groups_is_said_where_there_are_groups_and_only_there():
    with pytest.raises(ParameterError, match="is not said") as refused:
        persons_query(RELATION, by=BY)
    assert "up to 3" in refused.value.advice
    for k in (1, 2):
        with pytest.raises(ParameterError, match="there are no groups"):
            persons_query(RELATION, groups_per_person=k)
    with pytest.raises(BoundError, match="groups_per_person = 4 is more than there are groups: 3"):
        persons_query(RELATION, by=BY, groups_per_person=4)
    with pytest.raises(ParameterError, match="cannot name groups"):
        persons_query(RELATION, by=X, groups_per_person=1)


# Margins: every person has one cell of the whole table, and counts there in all of them


H = category_column("h", categories=["u", "v"])
SIDES = (("a", "b"), ("u", "v"))
PAIR = [category_column("g", categories=SIDES[0]), H]
CELLS = list(product(*SIDES))
PLACES = [*product((*SIDES[0], "?"), (*SIDES[1], None))]  # of a row: in a cell, or in none for want of one column
HOMES = [frozenset(rows) for size in range(4) for rows in combinations(PLACES, size)]
CHOICES = list(permutations(CELLS))
Home = frozenset[tuple[str, str | None]]
ALL_MARGINS = [(), (0,), (1,), (0, 1)]


def home(rows: Home, order: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """Return the one cell of a person: the first of those in which a row is; none where no row is in any."""
    return [cell for cell in order if cell in rows][:1]


def margins_by(chosen: dict[tuple[int, ...], list[list[tuple[str, str]]]]) -> list[list[int]]:
    """Return every margin, from the cells that persons have in it: they count where these lie."""
    found = []
    for margin, cells in chosen.items():
        keys = [tuple(cell[i] for i in margin) for each in cells for cell in each]
        found.append([keys.count(key) for key in product(*(SIDES[i] for i in margin))])
    return found


def persons_margins(people: list[tuple[Home, tuple[tuple[str, str], ...]]]) -> list[list[int]]:
    cells = [home(rows, order) for rows, order in people]
    return margins_by(dict.fromkeys(ALL_MARGINS, cells))


def small_tables() -> Iterator[list[tuple[Home, tuple[tuple[str, str], ...]]]]:
    """Yield tables of one person, of every kind, and of two and of three persons."""
    yield from ([(rows, order)] for rows in HOMES for order in CHOICES[::5])
    few = [*zip(HOMES[::7], [*CHOICES, *CHOICES], strict=False)]
    yield from (list(each) for size in (2, 3) for each in combinations(few[::2], size))


@pytest.mark.parametrize("shares", [None, ["1/2", "1/4", "1/8", "1/8"]])
def test_a_person_moves_one_cell_of_every_margin_by_one_and_all_of_them_lose_the_epsilon_typed(shares):
    query = persons_query(RELATION, by=PAIR, groups_per_person=1, margins="all", shares=shares)
    assert query.margins.measured == tuple(ALL_MARGINS)
    largest, together, highest = [0] * 4, set(), [0] * 4
    for people in small_tables():
        here = persons_margins(people)
        highest = [max(most, *cells) for most, cells in zip(highest, here, strict=True)]
        for gone in range(len(people)):
            there = persons_margins(people[:gone] + people[gone + 1 :])
            moves = [[abs(a - b) for a, b in zip(*each, strict=True)] for each in zip(here, there, strict=True)]
            largest = [max(most, *cells) for most, cells in zip(largest, moves, strict=True)]
            together.add(tuple(map(sum, moves)))
    assert together == {(0, 0, 0, 0), (1, 1, 1, 1)}  # nobody who has no cell is in any margin, the total included
    assert largest == [part.numerator.sensitivity for part in query.parts] == [1] * 4
    assert highest == [3] * 4 == [part.numerator.upper for part in query.parts]
    assert {(part.moving, part.numerator.lower) for part in query.parts} == {(1, 0)}
    assert [part.share for part in query.parts] == list(map(F, shares or ["1/4"] * 4))
    lost = [sum(part.share * moved for part, moved in zip(query.parts, each, strict=True)) for each in together]
    assert max(lost) == query.charged == 1


def test_the_margins_of_persons_are_sums_of_cells_of_one_answer_whatever_rows_the_study_keeps():
    for most in (1, 7):
        relation = add_remove(n_max=100, person="id", rows_per_person=most)
        query = persons_query(relation, by=PAIR, groups_per_person=1, margins="all", where=[condition(X, start=1)])
        (asked,) = query.aggregates
        assert asked == People(persons=Persons(columns=("id",), most=1), groups=1, by=query.by, where=query.tests)
        found = numerators(query, Aggregates(rows=90, answers={asked: (1, 20, 30, 4)}))
        assert found == ((55,), (21, 34), (31, 24), (1, 20, 30, 4))
        assert query.title == "persons where 1 <= x by g, h with margins"
        assert [part.numerator.name for part in query.parts] == [
            "persons in total", "persons by g", "persons by h", "persons by g, h"
        ]  # fmt: skip
        assert {part.numerator.sensitivity for part in query.parts} == {1}
        assert {*query.stated} == {"groups_per_person", "margins", "shares"}


@pytest.mark.parametrize("k", [2, 3, 4])
def test_persons_in_several_cells_have_no_margins_and_it_is_said_what_to_ask_for(k):
    with pytest.raises(PremiseError, match="would not add up") as refused:
        persons_query(RELATION, by=PAIR, groups_per_person=k, margins="all")
    assert refused.value.numbers == {"groups_per_person": k}
    assert "a statistic of its own" in refused.value.advice
    assert "nothing spent" in refused.value.advice
    assert "which do not add up" in persons_query(RELATION, by=PAIR, groups_per_person=k).persons_in_words
