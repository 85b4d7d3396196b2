"""Each protection sentence, and its percentage against the exact loss of the mechanism on small tables."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

import pyarrow as pa
import pytest

from snapdp.mechanism.law.loss import pair_loss
from snapdp.release.release import exact_values
from snapdp.studies.categories import date_column
from snapdp.studies.columns import integer_column
from snapdp.studies.protection import (
    describe_chance,
    describe_protected,
    describe_rise,
    explain_other_unit,
    explain_protection,
    explain_several_units,
    unit_in_words,
    unit_noun,
)
from snapdp.studies.relation import Relation, add_remove, change_one, with_identifiers
from snapdp.studies.statistics.parts import mechanism
from snapdp.studies.statistics.sum import sum_query
from snapdp.tables.engines.opening import open_table
from tests.tiers import first_of

Row = tuple[str, str, int]  # user, day, and a number between the bounds
Tables = tuple[tuple[Row, ...], tuple[Row, ...]]

DAYS = ("2026-01-01", "2026-01-02", "2026-01-03")
DAY = date_column("day", start=DAYS[0], end=DAYS[-1], each="day")
UNIT = ["user", "day"]
ROW, VALUE = add_remove(n_max=9), change_one(n=2)
ROWS = add_remove(n_max=9, unit_rows=2)
PERSON = add_remove(n_max=9, person="user", rows_per_person=2)
USER_DAY = add_remove(n_max=9, person=UNIT)
DATED = with_identifiers(USER_DAY, [DAY])
RELATIONS = [VALUE, ROW, ROWS, PERSON, USER_DAY, DATED]
EPSILONS = ["1/3", "1", "6"]
NUMBER = integer_column("number", lower=-1, upper=1, missing="dropped")
NUMBERS = (-1, 0, 1)


@cache
def numerator(relation: Relation, rows: tuple[Row, ...]) -> int:
    """Return the exact sum of a table, as a release computes it."""
    names = {"user": pa.string(), "day": pa.string(), "number": pa.int64()}
    columns = {name: pa.array([row[i] for row in rows], kind) for i, (name, kind) in enumerate(names.items())}
    (((total,),),) = (
        [part[:1] for part in found] for found in exact_values([query(relation)], open_table(pa.table(columns)))
    )
    return int(total)


def query(relation: Relation) -> object:
    return sum_query(NUMBER, relation)


def worst_chance(relation: Relation, pairs: Iterable[Tables], epsilon: str) -> int:
    """Return the largest percentage, rounded up, that an output gives one of two equally likely tables."""
    (part,) = sum_query(NUMBER, relation).parts
    law = mechanism(part, epsilon).law
    moves = {(numerator(relation, a), numerator(relation, b)) for a, b in pairs}
    losses = [pair_loss(law(a), law(b)).loss for a, b in moves]
    worst = max(float(each.upper) for each in losses if each is not None)
    chance = 100 / (1 + math.exp(-worst))
    assert worst == 0 or chance > 99 or abs(chance - round(chance)) > 1e-6  # rounding up is decided
    return math.ceil(chance)


def stated(sentence: str) -> int:
    """Return the percentage that a sentence names; 100 where someone could be right every time."""
    found = re.findall(r"at most (\d+)%", sentence)
    assert ("could be right every time" in sentence) == (not found)
    return int(found[0]) if found else 100


def bags(rows: Iterable[Row], most: int) -> Iterator[tuple[Row, ...]]:
    """Yield all bags of at most so many rows."""
    every = list(rows)
    for many in range(most + 1):
        yield from combinations_with_replacement(every, many)


OTHERS: list[tuple[Row, ...]] = [(), (("bob", DAYS[0], 1), ("eve", DAYS[1], 1))]


def neighbours(relation: Relation) -> Iterator[Tables]:
    """Yield the pairs of tables that the first sentence of a relation speaks of."""
    mine = [("ann", DAYS[0], number) for number in NUMBERS]
    if relation.is_change_one:
        for other, one, two in product(NUMBERS, repeat=3):
            rest = ("bob", DAYS[0], other)
            yield (rest, ("ann", DAYS[0], one)), (rest, ("ann", DAYS[0], two))
        return
    most = {ROW: 1, ROWS: 2, PERSON: 3, USER_DAY: 2, DATED: 2}[relation]
    for others, rows in product(OTHERS, bags(mine, most)):
        yield others, (*others, *rows)


def on_days(many: int) -> Iterator[Tables]:
    """Yield tables in which the same user is present on none and on so many days."""
    for others, numbers in product(OTHERS, product((-1, 1), repeat=many)):
        yield others, (*others, *(("ann", day, number) for day, number in zip(DAYS, numbers, strict=False)))


@pytest.mark.parametrize("epsilon", first_of(EPSILONS, 2))
@pytest.mark.parametrize(
    "relation", RELATIONS, ids=lambda each: each.unit_in_full + each.kind[0] * bool(each.identifiers)
)
def test_the_percentage_of_every_sentence_is_that_of_the_worst_output_on_all_small_tables(relation, epsilon):
    sentence, _, _ = explain_protection(relation, Fraction(epsilon)).partition(". ")
    assert stated(sentence) == worst_chance(relation, neighbours(relation), epsilon)
    assert ("from 50%" in sentence) == (stated(sentence) < 100)  # never without the even odds
    assert "equally likely" in sentence


@pytest.mark.parametrize("epsilon", ["1/3", "1/2", "6"])
def test_someone_on_all_declared_days_has_the_chance_that_is_stated_and_more_than_one_day_has(epsilon):
    told = explain_several_units(DATED, Fraction(epsilon))
    assert DATED.most_units == 3
    assert stated(told.partition(". ")[2]) == worst_chance(DATED, on_days(3), epsilon)
    if epsilon != "6":
        assert worst_chance(DATED, on_days(3), epsilon) > worst_chance(DATED, on_days(1), epsilon)


@pytest.mark.parametrize("many", [1, 2, 3])
@pytest.mark.parametrize("relation", [USER_DAY, DATED])
def test_someone_in_k_units_has_k_times_epsilon(relation, many):
    once = change_one(n=2)  # whose sentence states the chance of an epsilon
    assert "k times this epsilon" in explain_protection(relation, Fraction(1, 2))
    assert worst_chance(relation, on_days(many), "1/2") == stated(explain_protection(once, Fraction(many, 2)))


def test_two_values_of_a_row_are_two_steps_apart_under_add_remove_so_no_sentence_there_speaks_of_values():
    for relation in (ROW, PERSON, USER_DAY, DATED):
        values = [tuple((("ann", DAYS[0], number),) * relation.rows_per_person for number in (-1, 1))]
        sentence = explain_protection(relation, Fraction(1))
        assert worst_chance(relation, values, "1") > stated(sentence.partition(". ")[0])
        assert not re.search(r"\bvalue|what it says|what their rows say", sentence + describe_protected(relation))


def test_presence_is_not_protected_under_change_one_so_no_sentence_there_speaks_of_it():
    told = explain_protection(VALUE, Fraction(1)) + describe_protected(VALUE)
    assert not re.search(r"in the table|presence|whether", told)
    assert "the number of rows, 2, is public" in told


SENTENCES = [
    (
        VALUE,
        "Protects the values in any one row; the number of rows, 2, is public.",
        "Suppose someone knows every other row and thinks two values for this one equally likely: the results raise "
        "their chance of picking the right one from 50% to at most 74%.",
    ),
    (
        ROW,
        "Protects the presence of any one row; the number of rows is private, at most 9 are counted.",
        "Suppose someone knows every other row and thinks it equally likely that this row is in the table or not: the "
        "results raise their chance of telling which from 50% to at most 74%.",
    ),
    (
        ROWS,
        "Protects the presence of any 2 rows together; the number of rows is private, at most 9 are counted. snapdp "
        "cannot check that nobody has more than 2 rows.",
        "Suppose someone knows every other row and thinks it equally likely that these 2 rows are in the table or not: "
        "the results raise their chance of telling which from 50% to at most 74%.",
    ),
    (
        PERSON,
        "Protects the presence of any one person (user), with all rows of that person; the number of rows is private, "
        "at most 9 are counted.",
        "Suppose someone knows everyone else's rows and thinks it equally likely that this person is in the table or "
        "not: the results raise their chance of telling which from 50% to at most 74%.",
    ),
    (
        USER_DAY,
        "Protects the presence of any one user and day, with all rows of that user and day; the number of rows is "
        "private, at most 9 are counted.",
        "Suppose someone knows all rows but those of one user and day and thinks it equally likely that these are in "
        "the table or not: the results raise their chance of telling which from 50% to at most 74%. Someone who "
        "appears in k combinations of user and day has k times this epsilon.",
    ),
    (
        DATED,
        "Protects the presence of any one user and day, with all rows of that user and day; the number of rows is "
        "private, at most 9 are counted.",
        "Suppose someone knows all rows but those of one user and day and thinks it equally likely that these are in "
        "the table or not: the results raise their chance of telling which from 50% to at most 74%. Any user present "
        "on k days has k times this epsilon: up to 3, for all 3 days declared. Someone who thinks it equally likely "
        "that the same user is present on all of them or on none has a chance of at most 96% of telling which, up "
        "from 50%.",
    ),
]


@pytest.mark.parametrize(("relation", "protects", "explains"), SENTENCES)
def test_every_relation_and_unit_has_its_sentence(relation, protects, explains):
    assert describe_protected(relation) == protects
    assert explain_protection(relation, Fraction(1)) == explains


def test_other_periods_and_other_columns_are_named():
    months = date_column("when", start="2026-01-15", end="2026-04-02", each="month")
    relation = with_identifiers(add_remove(n_max=9, person=["user", "app", "when"]), [months, NUMBER])
    assert (relation.identifiers, relation.most_units) == ((months,), 4)
    assert explain_several_units(relation, Fraction(1, 100)) == (
        "Any user and app present in k months has k times this epsilon: up to 0.04, for all 4 months declared. Someone "
        "who thinks it equally likely that the same user and app is present in all of them or in none has a chance of "
        "at most 51% of telling which, up from 50%."
    )
    one = date_column("day", start="2026-01-01", end="2026-01-01", each="day")
    assert explain_several_units(with_identifiers(USER_DAY, [one]), Fraction(1)) == ""
    two = [date_column(name, start="2026-01-01", end="2026-01-02", each="day") for name in ("from", "to")]
    between = with_identifiers(add_remove(n_max=9, person=["user", "from", "to"]), two)
    assert between.most_units is None
    assert "k combinations of user, from and to has k times" in explain_several_units(between, Fraction(1))


def test_names_that_are_long_or_hostile_cut_no_sentence_and_break_no_line():
    relation = add_remove(n_max=9, person=["a" * 5000, "b\n\u202e"])
    for told in (explain_protection(relation, Fraction(1)), describe_protected(relation)):
        assert told.isprintable()
        assert "from 50% to at most 74%." in told or "at most 9 are counted." in told


def test_an_account_of_another_unit_promises_nothing_of_presence_under_change_one():
    for is_change_one in (True, False):
        told = explain_other_unit("household", is_change_one=is_change_one, epsilon=Fraction(1))
        assert ("in the table" in told) == (not is_change_one)
        assert "from 50% to at most 74%" in told


def test_short_forms_have_the_even_odds_or_say_every_time():
    assert describe_chance(Fraction(1)) == "their chance rises from 50% to at most 74%"
    assert describe_rise(Fraction(1)) == "from 50% to at most 74%"
    assert describe_chance(Fraction(6)) == "they could be right every time"
    assert "could be right every time" in describe_rise(Fraction(6))


def test_a_unit_has_a_noun():
    assert [unit_noun(each) for each in (None, "id", ["user", "day"])] == ["row", "person", "user and day"]
    assert unit_in_words('person (["user","day"])') == "user and day"
