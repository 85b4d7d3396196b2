"""The generator: the quantiser against rationals, its widths, quoting, and the shape of statements."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import duckdb
import numpy as np
import pytest

from snapdp.errors import BoundError, DataError, ParameterError
from snapdp.studies.aggregates import Bins, Categories, Count, Products, Sum
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.quantiser import quantiser_of
from snapdp.tables.engines.engine import check_columns, statement
from snapdp.tables.engines.opening import open_table
from snapdp.tables.sql.dialects import DUCKDB, identifier, literal
from snapdp.tables.sql.generator import declared_rows, script
from snapdp.tables.sql.stored import NUMERIC, TEXT, Field, Rows
from snapdp.values import replaced
from tests.tiers import first_of
from tests.unit.tables.kinds import level_rows

F = Fraction
LARGEST = math.nextafter(math.inf, 0)
NAN, MINUS_NAN = object(), object()  # a double has both; Python compares neither
EVERYWHERE = [None, NAN, MINUS_NAN, math.inf, -math.inf, 0.0, -0.0, 5e-324, -5e-324, 2.0**-1022, -(2.0**-1022) * 0.75]
EVERYWHERE += [LARGEST, -LARGEST, 1.8e308, 2.0**53, -(2.0**53), 0.49999999999999994, 0.5, 1.0, -1.0, 2.0**-53]


def expected(column, x) -> int | None:
    """Return the level of a cell, in rationals, straight from the definition; None where it is missing."""
    if x is None or x is NAN or x is MINUS_NAN:
        return None
    if math.isinf(x):
        inside = column.upper if x > 0 else column.lower
    else:
        inside = min(max(F(x), column.lower), column.upper)
    return math.floor((inside - column.lower) / column.step + F(1, 2))


def around(x: Fraction) -> list[float]:
    """Return the doubles next to a rational: two on each side, and the nearest."""
    try:
        near = float(x)
    except OverflowError:
        return []
    up, down = math.nextafter(near, math.inf), math.nextafter(near, -math.inf)
    return [near, up, down, math.nextafter(up, math.inf), math.nextafter(down, -math.inf)]


def adversarial(column, draw: random.Random, count: int) -> list:
    """Return cells that would break a quantiser: at bounds, at ties, next to them, and anywhere."""
    values = [*EVERYWHERE, *around(column.lower), *around(column.upper), *around(column.step / 2)]
    values += [sign * float(column.step) * 2.0**-i for i in (1, 2, 3, 40) for sign in (1, -1)]
    while len(values) < count:
        at = draw.randrange(column.levels + 1)
        values += draw.choice(
            (
                around(column.lower + (at + F(1, 2)) * column.step),
                around(column.lower + at * column.step),
                [float(column.lower + (column.upper - column.lower) * F(draw.random()))],
                [draw.choice((1, -1)) * math.ldexp(draw.random(), draw.randrange(-1074, 1024))],
            )
        )
    return values[:count]


def levels_on_duckdb(column, values) -> list[int]:
    """Return what the generated expression makes of doubles, NULL and both NaNs."""
    code = {id(None): 1, id(NAN): 2, id(MINUS_NAN): 3}
    codes = np.array([code.get(id(x), 0) for x in values], dtype=np.int8)
    doubles = np.array([0.0 if c else x for x, c in zip(values, codes, strict=True)])
    with duckdb.connect() as connection:
        connection.register("given", {"x": doubles, "code": codes})
        origin = (
            "(SELECT CASE code WHEN 1 THEN NULL WHEN 2 THEN 'nan'::DOUBLE WHEN 3 THEN -('nan'::DOUBLE) ELSE x END AS x "
            "FROM given) AS given"
        )
        rows = Rows(origin=origin, fields=(Field(name=column.name, reads="x", stored="DOUBLE", kind=NUMERIC),))
        return [q for (q,) in connection.execute(level_rows([column], rows)).fetchall()]


def random_column(draw: random.Random):
    """Return a column on a random grid; every third one has a step that is no power of two."""
    exponent = draw.randrange(-44, 41)
    step = F(2) ** exponent
    if draw.randrange(3) == 0:
        step *= F(draw.choice((3, 5, 7, 250, 1000)), draw.choice((1, 1, 3, 10, 25, 1000)))
    levels = draw.choice((1, 2, 3, 10, 1000, 2**20, 2**31 - 1, 2**31))
    far = draw.choice((0, 1, 10, 2**20, 2**40, 2**50, 2**51 - 2**31))
    lowest = draw.choice((-levels // 2, 0, far, -far - levels, -1))
    return number_column("x", lower=lowest * step, upper=(lowest + levels) * step, step=step, missing="middle")


@pytest.mark.parametrize("cells", first_of([6_000, 120_000]))
def test_levels_equal_rationals_on_random_grids_and_adversarial_cells(cells):
    draw = random.Random(20261115)
    checked, kinds = 0, set()
    while checked < cells:
        column = random_column(draw)
        values = adversarial(column, draw, 400)
        kinds.add(quantiser_of(column).integers)
        assert levels_on_duckdb(column, values) == [expected(column, x) for x in values], column
        checked += len(values)
    assert kinds == {"double", "narrow", "wide"}


@pytest.mark.long
def test_levels_equal_rationals_on_many_grids():
    draw = random.Random(4)
    for _ in range(2500):
        column = random_column(draw)
        values = adversarial(column, draw, 800)
        assert levels_on_duckdb(column, values) == [expected(column, x) for x in values], column


@pytest.mark.parametrize(
    "column",
    [
        number_column("x", lower=2**52, upper=2**52 + 1, missing="middle"),  # the default step: 2**72 steps from zero
        number_column("x", lower=2**52, upper=2**52 + 1, step=1, missing="middle"),
        number_column(
            "x", lower=F(2**53 + 1), upper=F(2**53 + 7), step=1, missing="middle"
        ),  # a bound that is no double
        number_column("x", lower=-(2**60) - 1, upper=-(2**60) + 1025, step=1, missing="middle"),
        number_column("x", lower="-0.3", upper="0.7", step="1/10", missing="middle"),
        number_column("x", lower="0.1", upper="0.7", step="0.3", missing="middle"),
        number_column("x", lower=0, upper="1e-200", missing="middle"),
        number_column("x", lower="-1e200", upper="1e200", missing="middle"),
        number_column("x", lower=-10, upper=30, step=4, missing=-10),
        number_column("x", lower=-(2**40), upper=2**40, step=2**30, missing="middle"),
        integer_column("x", lower=0, upper=1000, step=7, missing="middle"),
    ],
    ids=lambda c: f"{float(c.lower):g}..{float(c.upper):g} by {float(c.step):g}",
)
def test_levels_equal_rationals_where_bounds_or_steps_are_awkward(column):
    values = adversarial(column, random.Random(7), 2000)
    assert levels_on_duckdb(column, values) == [expected(column, x) for x in values]


def test_the_test_of_levels_would_see_a_rounding_quantiser():
    """Teeth: floor(x + 0.5) in doubles is wrong next to a tie, and the values above hold one."""
    column = number_column("x", lower=0, upper=8, step=1, missing="middle")
    values = [x for x in adversarial(column, random.Random(1), 300) if isinstance(x, float)]
    naive = [math.floor(min(max(x, 0.0), 8.0) + 0.5) for x in values]
    assert naive != [expected(column, x) for x in values]


def test_whole_numbers_of_every_stored_type_become_the_level_of_the_nearest_double():
    column = integer_column("x", lower=-100, upper=100, missing="middle")
    ends = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}
    with duckdb.connect() as connection:
        for stored, bits in ends.items():
            low, high = -(2 ** (bits - 1)) + 1, 2 ** (bits - 1) - 1
            for x in (low, -101, -100, -1, 0, 1, 99, 100, 101, high):
                rows = Rows(
                    origin=f"(SELECT CAST('{x}' AS {stored}) AS x)",
                    fields=(Field(name="x", reads="x", stored=stored, kind=NUMERIC),),
                )
                got = connection.execute(level_rows([column], rows)).fetchall()
                assert got == [(min(max(x, -100), 100) + 100,)]


TEXTS = {
    "12": 12, "+12": 12, "-3": 0, "1e1": 10, "1E+1": 10, ".5": 1, "5.": 5, " 7 ": 7, "1e999": 16, "-1e999": 0,
    "1e-999": 0,    "inf": 16, "-Infinity": 0, "INF": 16, "9" * 400: 16, "0." + "0" * 400 + "9": 0,
    "4.4999999999999999999999999999999": 5,
}  # fmt: skip
NO_NUMBERS = [
    "",
    " ",
    "nan",
    "NaN",
    "1_000",
    "1,5",
    "0x10",
    "1e",
    "e5",
    ".",
    "+",
    "--1",
    "1 2",
    "NULL",
    "abc",
    "1\n",
    "\uff11",
]
NO_NUMBERS += ["True", "1.5.2", "1d", "infinit", "1e5e5", "'; DROP TABLE x; --", "🙂", "1\x00"]


def test_text_is_a_number_by_one_pattern_and_missing_otherwise():
    column = number_column("x", lower=0, upper=16, step=1, missing=3)
    texts = [*TEXTS, *NO_NUMBERS]
    with duckdb.connect() as connection:
        connection.execute("SET pandas_analyze_sample = 0")
        connection.register("given", {"x": np.array(texts, dtype=object)})
        rows = Rows(origin="given", fields=(Field(name="x", reads="x", stored="text", kind=TEXT),))
        got = [q for (q,) in connection.execute(level_rows([column], rows)).fetchall()]
    assert dict(zip(texts, got, strict=True)) == {**TEXTS, **dict.fromkeys(NO_NUMBERS)}


def test_doubles_written_as_text_have_the_levels_of_the_doubles():
    draw = random.Random(11)
    column = number_column("x", lower="-0.3", upper="0.7", step="1/10", missing="middle")
    values = [x for x in adversarial(column, draw, 5000) if isinstance(x, float)]
    with duckdb.connect() as connection:
        connection.execute("SET pandas_analyze_sample = 0")
        connection.register("given", {"x": np.array([repr(x) for x in values], dtype=object)})
        rows = Rows(origin="given", fields=(Field(name="x", reads="x", stored="text", kind=TEXT),))
        got = [q for (q,) in connection.execute(level_rows([column], rows)).fetchall()]
    assert got == [expected(column, x) for x in values]


# Widths


def test_more_than_two_to_the_31_levels_are_refused_and_a_step_that_is_enough_is_named():
    assert quantiser_of(number_column("x", lower=0, upper=2**31, step=1, missing="middle")).integers == "double"
    with pytest.raises(BoundError, match=r"more than 2,147,483,648\.") as refused:
        check_columns([number_column("x", lower=0, upper=2**31 + 1, step=1, missing="middle")])
    assert "at least 2" in refused.value.advice


def test_bounds_up_to_2_to_the_51_steps_from_zero_stay_in_doubles_and_farther_ones_in_integers():
    near, far = F(2**51), F(2**51 + 1)
    assert quantiser_of(number_column("x", lower=near - 8, upper=near, step=1, missing="middle")).integers == "double"
    assert quantiser_of(number_column("x", lower=far - 8, upper=far, step=1, missing="middle")).integers == "narrow"
    assert quantiser_of(number_column("x", lower=-far, upper=8 - far, step=1, missing="middle")).integers == "narrow"
    assert (
        quantiser_of(number_column("x", lower=2**70, upper=2**70 + 2**20, step=1, missing="middle")).integers == "wide"
    )


@pytest.mark.parametrize(
    ("lower", "upper", "step"),
    [
        (2**130, 2**130 + 8, 1),
        ("1e30", "1000000000000000000000000000001", "0.1"),
        ("1e20", "100000000000000000001", "1/1000003"),
        (0, "1e300", None),
    ],
)
def test_declarations_whose_integers_could_leave_128_bits_are_refused_before_anything_runs(lower, upper, step):
    column = number_column("x", lower=lower, upper=upper, step=step, missing="middle")
    with pytest.raises(BoundError):
        statement([Sum(column=column)])


def test_every_intermediate_integer_stays_inside_its_type_at_both_bounds():
    draw = random.Random(3)
    for _ in range(2000):
        column = random_column(draw)
        formula = quantiser_of(column)
        for end in (formula.low, formula.high):
            scaled = math.floor(F(end) * F(formula.scale))
            largest = max(abs(scaled), abs(scaled * formula.times), abs(scaled * formula.times + formula.shift))
            assert largest < {"double": 2**53, "narrow": 2**63, "wide": 2**126}[formula.integers]
            assert scaled * formula.times + formula.shift >= 0 or F(end) < column.lower


def test_the_largest_levels_squared_and_summed_do_not_overflow():
    column = number_column("x", lower=0, upper=2**31, step=1, missing="middle")
    table = open_table({"x": np.full(100_000, np.inf)})
    square = Products(first=column, second=column)
    tables = [table]
    for limb in (31, 21, 16, 5):
        tables.append(open_table({"x": np.full(100_000, np.inf)}))
        tables[-1].dialect = replaced(DUCKDB, limb=limb)
    for each in tables:
        found = each.aggregates([square, Sum(column=column)])
        assert found[square] == (100_000 * 2**62,)
        assert found[Sum(column=column)] == (100_000 * 2**31,)


def test_sums_in_limbs_are_refused_where_they_could_overflow():
    for limb, rows in ((31, 2**32), (21, 2**42)):
        todo = script([], declared_rows([]), dialect=replaced(DUCKDB, limb=limb))
        assert todo.read([[(rows - 1,)]]).rows == rows - 1
        with pytest.raises(DataError, match=f"2\\*\\*{63 - limb} rows"):
            todo.read([[(rows,)]])


@pytest.mark.parametrize("levels", [2**20, 2**21 - 1, 2**21, 2**21 + 1, 2**31])
def test_every_piece_of_a_sum_stays_below_64_bits_for_all_rows_that_are_allowed(levels):
    """The pieces of the largest term, in the text that Spark runs: each below 2**21, so 2**42 of them below 2**63."""
    column = number_column("x", lower=0, upper=levels, step=1, missing="middle")
    square = Products(first=column, second=column)
    table = open_table({"x": [np.inf]})
    table.dialect = replaced(DUCKDB, limb=21)
    ((line,),) = (lines for lines in table._guarded(lambda c: table._select(c, [
        each.text for each in table._script(c, [Sum(column=column), square], "").statements])))  # fmt: skip
    assert max(line) < 2**21
    found = table.aggregates([Sum(column=column), square])
    assert (found[Sum(column=column)], found[square]) == ((levels,), (levels**2,))


# Text


def test_a_name_does_not_leave_its_comment():
    many = category_column("x\nDROP TABLE people; --\u2028y", categories=[str(i) for i in range(2000)])
    lines = script([Categories(column=many)], declared_rows([many])).text.split("\n")
    (note,) = (line for line in lines if line.startswith("-- "))
    assert "x\\nDROP TABLE people; --\\u2028y" in note


@pytest.mark.parametrize("name", ['a "b" c', "x'; --", "select", "é", "e\u0301", "a\nb", "🙂", " ", "A"])
def test_names_and_categories_are_read_back_as_they_are(name):
    with duckdb.connect() as connection:
        (found,) = connection.execute(f"SELECT {literal(name)} AS {identifier(name)}").fetchall()
        assert found == (name,)
        assert connection.description[0][0] == name


@pytest.mark.parametrize("name", ["a\x00b", "\ud800"])
def test_characters_that_engines_cannot_store_are_refused(name):
    for quoted in (identifier, literal):
        with pytest.raises(ParameterError, match="cannot store"):
            quoted(name)


def test_the_same_requests_give_the_same_text_and_one_scan_serves_all_ungrouped_statistics():
    x, y = (
        integer_column("x", lower=0, upper=9, missing="middle"),
        number_column("y", lower=0, upper=1, missing="middle"),
    )
    group = category_column("g", categories=["a", "b"])
    asked = [
        Sum(column=x), Sum(column=y), Products(first=x, second=y), Bins(column=x, cuts=(0, 5, 10)),
        Categories(column=group), Count(by=group), Sum(column=x, by=group),
    ]  # fmt: skip
    text = statement(asked)
    assert text == statement(asked)
    assert text.count('FROM "data"') == text.count(";") == 2


def test_many_categories_are_looked_up_in_a_table_that_the_text_announces():
    big = category_column("key", categories=[f"k{i}" for i in range(100)])
    text = statement([Categories(column=big)])
    assert text.startswith('-- snapdp_keys_0 (label, code): the 100 declared categories of column "key"')
    assert "LEFT JOIN snapdp_keys_0" in text
