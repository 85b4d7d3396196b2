"""DuckDB, Spark and PostgreSQL give equal integers: adversarial cells, random tables, groups, persons, neighbours."""

from __future__ import annotations

import math
import random
from decimal import Decimal

import pytest

from snapdp.release.release import exact_values
from snapdp.studies.aggregates import Bins, Categories, Count, LevelCounts, Persons, Products, Sum
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.grouping.groups import binned
from snapdp.studies.quantiser import quantiser_of
from snapdp.studies.relation import add_remove
from snapdp.studies.statistics.counts import count_query
from snapdp.studies.statistics.histogram import histogram_query
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.sum import sum_query
from tests.services import on_spark as spark_group
from tests.tiers import first_of
from tests.unit.studies import test_aggregates
from tests.unit.tables.everywhere import on_duckdb, on_postgres, on_spark
from tests.unit.tables.kept import by_order, kept
from tests.unit.tables.kinds import level_rows
from tests.unit.tables.sql.test_generator import LARGEST, MINUS_NAN, NAN, adversarial, expected, random_column

MOST = Decimal("99999999999999.9999")
on_spark_in_the_long_suite = pytest.mark.parametrize("elsewhere", first_of(["postgres", "spark"]), indirect=True)
SETTINGS = [pytest.param("true", "UTC", marks=pytest.mark.long), ("false", "Asia/Kathmandu")]  # ANSI mode, time zone


@pytest.fixture(params=["postgres", pytest.param("spark", marks=spark_group)])
def elsewhere(request):
    """Return what puts a table on an engine other than DuckDB."""
    if request.param == "postgres":
        database = request.getfixturevalue("database")
        return lambda columns: on_postgres(columns, database)
    session = request.getfixturevalue("spark")
    return lambda columns: on_spark(columns, session)


def levels_on(table, columns, *, persons=None, salt=""):
    """Return the levels of all rows, or of those that persons keep."""

    def rows(connection):
        asked = [*columns, *(persons.person_columns if persons else ())]
        opened = table.source.open(connection, asked)
        text = level_rows(columns, opened, dialect=table.dialect, persons=persons, salt=salt)
        if table.dialect.name == "spark":
            return [tuple(row) for row in connection.session.sql(text).collect()]
        return [tuple(row) for row in connection.execute(text).fetchall()]

    return table._guarded(rows)


# The quantiser


@on_spark_in_the_long_suite
def test_levels_equal_rationals_on_random_grids(elsewhere):
    """Each grid is a column; a row number keeps the cells apart, as engines may change the order."""
    draw = random.Random(6)
    grids, kinds = [], {"double": 0, "narrow": 0, "wide": 0}
    while len(grids) < 24:
        column = random_column(draw)
        kind = quantiser_of(column).integers
        if kinds[kind] < 8:
            kinds[kind] += 1
            grids.append(column)
    assert kinds == {"double": 8, "narrow": 8, "wide": 8}
    cells = [[math.nan if x in (NAN, MINUS_NAN) else x for x in adversarial(c, draw, 400)] for c in grids]
    named = [
        number_column(f"x{i}", lower=c.lower, upper=c.upper, step=c.step, missing=c.missing)
        for i, c in enumerate(grids)
    ]
    row = integer_column("row", lower=0, upper=400, missing="middle")
    table = elsewhere(
        {"row": ("bigint", list(range(400))), **{c.name: ("double", x) for c, x in zip(named, cells, strict=True)}}
    )
    found = sorted(levels_on(table, [row, *named]))
    plain = [[None if x is None or math.isnan(x) else x for x in column] for column in cells]
    wanted = [(i, *(expected(c, x[i]) for c, x in zip(named, plain, strict=True))) for i in range(400)]
    assert found == wanted


def hard_numbers() -> dict[str, tuple[str, list[Decimal]]]:
    """Return numbers of more than 53 bits next to the midst between two doubles, and next to that of two levels."""
    draw = random.Random(8)
    huge = [2**120 + draw.randrange(2**16) * 2**68 + 2**67 + draw.choice((-1, 0, 1)) for _ in range(300)]
    huge = [each - 2**72 if each % 3 else each + draw.randrange(2**67) for each in huge]
    fine = [Decimal(draw.randrange(999)) + Decimal("0.5") + Decimal(draw.randrange(-99, 99)) / 10**18 for _ in huge]
    return {"row": ("bigint", list(range(300))), "huge": ("huge", [*map(Decimal, huge)]),
            "long": ("long", [*map(Decimal, huge)]), "fine": ("fine", fine)}  # fmt: skip


def check_hard_numbers(place):
    cells = hard_numbers()
    top = {"lower": 2**120 - 2**73, "upper": 2**120 + 2**85, "step": 2**68, "missing": "middle"}
    columns = [
        integer_column("row", lower=0, upper=300, missing="middle"),
        number_column("huge", **top),
        number_column("long", **top),
    ]
    columns.append(number_column("fine", lower=0, upper=1000, step=1, missing="middle"))
    doubles = [[float(each) for each in cells[c.name][1]] for c in columns]  # Python's: the nearest
    wanted = [tuple(expected(c, x[i]) for c, x in zip(columns, doubles, strict=True)) for i in range(300)]
    assert sorted(levels_on(place(cells), columns)) == wanted


def test_numbers_of_128_bits_are_read_as_their_nearest_double(elsewhere):
    check_hard_numbers(elsewhere)


def test_numbers_of_128_bits_are_read_as_their_nearest_double_on_duckdb(tmp_path):
    check_hard_numbers(lambda columns: on_duckdb(columns, tmp_path))


AWKWARD = ["a", "A", "", "a ", "é", "e\u0301", "it's", '"', "🙂", "back\\slash", "%s"]
LABELS = category_column("label", categories=AWKWARD, unknown="binned", null="binned")
U = number_column("u", lower="-1.5", upper=2, step="1/8", missing="middle")
V = number_column("v", lower=0, upper=2**31, step=1, missing="middle")
W = integer_column("w", lower=-1000, upper=1000, missing=7)
D = number_column("d", lower="-0.3", upper="99.9", step="1/10", missing="middle")
NUMBERS = [U, V, W, D]
CUTS = [  # groups by bins: of doubles next to edges, and of decimals
    binned(number_column("u", lower="-1.5", upper=2, step="1/8", missing="dropped"), edges=[-1, 0, "1/8", 1],
           outside="binned", null="binned"),
    binned(number_column("d", lower="-0.3", upper="99.9", step="1/10", missing=0), edges=["0.1", 50, "99.9"]),
]  # fmt: skip
ADVERSARIAL = [
    Count(),
    *(Sum(column=c) for c in NUMBERS),
    *(Products(first=a, second=b) for i, a in enumerate(NUMBERS) for b in NUMBERS[i:]),
    Bins(column=U, cuts=(0, 3, 11, 20, 29)),
    Categories(column=LABELS),
    *(Sum(column=c, by=LABELS) for c in NUMBERS),
    Products(first=V, second=V, by=LABELS),
    Bins(column=D, cuts=tuple(range(0, 1003, 10)), by=LABELS),
    *(Count(by=[LABELS, each]) for each in CUTS),
    Sum(column=V, by=[*CUTS, LABELS]),
    Products(first=U, second=V, by=[LABELS, CUTS[0]]),
    Bins(column=D, cuts=tuple(range(0, 1003, 10)), by=[CUTS[1], LABELS]),
    Categories(column=LABELS, by=CUTS),
    LevelCounts(column=U),
    LevelCounts(column=D),
    LevelCounts(column=W, by=LABELS),
]


def adversarial_table(draw, count):
    doubles = [None, math.nan, math.inf, -math.inf, -0.0, 5e-324, LARGEST, -LARGEST, 0.0625, math.nextafter(0.0625, 0)]
    whole = [None, 2**63 - 1, -(2**63), 2**53 + 1]
    cells = {
        "u": ("double", lambda: draw.choice([*doubles, draw.uniform(-2, 3)])),
        "v": ("double", lambda: draw.choice([*doubles, 2.0**31 - 0.5, 2.0**31, draw.uniform(0, 2**31)])),
        "w": ("bigint", lambda: draw.choice([*whole, draw.randrange(-1100, 1100)])),
        "d": ("decimal", lambda: draw.choice([None, MOST, Decimal(draw.randrange(-9999, 1999999)) / 10000])),
        "label": ("text", lambda: draw.choice([*AWKWARD, None, "other", "A "])),
    }
    return {name: (kind, [cell() for _ in range(count)]) for name, (kind, cell) in cells.items()}


def test_the_adversarial_table_has_equal_integers_on_every_engine(elsewhere, tmp_path):
    columns = adversarial_table(random.Random(1), 1500)
    reference = on_duckdb(columns, tmp_path).aggregates(ADVERSARIAL)
    assert elsewhere(columns).aggregates(ADVERSARIAL) == reference


@spark_group
@pytest.mark.parametrize(("ansi", "zone"), SETTINGS)
def test_no_setting_of_the_session_changes_an_integer(spark, tmp_path, ansi, zone):
    columns = adversarial_table(random.Random(2), 300)
    asked = [each for each in ADVERSARIAL if each.by is None]
    before = [(name, spark.conf.get(name)) for name in ("spark.sql.ansi.enabled", "spark.sql.session.timeZone")]
    try:
        spark.conf.set("spark.sql.ansi.enabled", ansi)
        spark.conf.set("spark.sql.session.timeZone", zone)
        found = on_spark(columns, spark).aggregates(asked)
    finally:
        for name, value in before:
            spark.conf.set(name, value)
    assert found == on_duckdb(columns, tmp_path).aggregates(asked)


def test_every_kind_of_request_is_answered_as_plain_python_does(elsewhere):
    columns, levels = test_aggregates.random_table(700)
    kinds = {"x": "bigint", "y": "double", "few": "text", "many": "text"}
    found = elsewhere({name: (kinds[name], cells) for name, cells in columns.items()}).aggregates(test_aggregates.ASKED)
    assert found.rows == 700
    for asked in test_aggregates.ASKED:
        assert found[asked] == test_aggregates.plain(asked, levels), asked
        assert all(type(each) is int for each in found[asked])


@on_spark_in_the_long_suite
def test_groups_by_several_columns_are_those_of_plain_python(elsewhere):
    columns, levels = test_aggregates.random_table(700)
    kinds = {"x": "bigint", "y": "double", "few": "text", "many": "text"}
    every = test_aggregates.SEVERAL
    found = elsewhere({name: (kinds[name], cells) for name, cells in columns.items()}).aggregates(every)
    for asked in every:
        assert found[asked] == test_aggregates.plain(asked, levels), asked
        assert all(type(each) is int for each in found[asked])


def test_a_table_without_rows_has_its_cells(elsewhere):
    asked = [Count(), Sum(column=U), Products(first=U, second=V), Sum(column=U, by=LABELS), Categories(column=LABELS)]
    asked.append(Count(by=[LABELS, CUTS[0]]))
    empty = elsewhere({"u": ("double", []), "v": ("double", []), "label": ("text", [])}).aggregates(asked)
    cells = LABELS.cells
    assert [empty[each] for each in asked] == [(0,), (0,), (0,), (0,) * cells, (0,) * cells, (0,) * (6 * cells)]


def test_the_largest_products_summed_do_not_overflow(elsewhere):
    table = elsewhere({"v": ("double", [math.inf] * 5000)})
    asked = [Sum(column=V), Products(first=V, second=V)]
    found = table.aggregates(asked)
    assert [found[each] for each in asked] == [(5000 * 2**31,), (5000 * 2**62,)]


# Many tables in one frame


TABLES = 40
T = category_column("table", categories=[f"t{i}" for i in range(2 * TABLES)])
X = integer_column("x", lower=-3, upper=9, missing=4)
G = category_column("g", categories=["a", "b"])
AGES = binned(integer_column("x", lower=-3, upper=9, missing="dropped"), edges=[0, 5], outside="binned", null="binned")


def random_rows(draw):
    """Return rows (table, x, g, person) of many small tables; a person is in one of them only."""
    rows = []
    for i in range(TABLES):
        people = [f"{i}:{each}" for each in ("p", "q", "it's", "é")]
        cells = [None, -1000, 1000, *range(-3, 10)], ["a", "b", "c", None], [*people, None]
        rows += [(f"t{i}", *(draw.choice(each) for each in cells)) for _ in range(draw.randrange(14))]
    return rows


def frame_of(rows):
    kinds = ("table", "text"), ("x", "bigint"), ("g", "text"), ("id", "text")
    return {name: (kind, [row[i] for row in rows]) for i, (name, kind) in enumerate(kinds)}


@pytest.mark.parametrize(("columns", "most"), [(("id",), 1), (("id",), 3), (("g", "x", "id"), 2)])
def test_the_rows_that_persons_keep_are_the_same_everywhere(elsewhere, tmp_path, columns, most):
    rows = random_rows(random.Random(most))
    who = Persons(columns=columns, most=most)
    level = {"a": 0, "b": 1}
    levels = [(int(t[1:]), None if x is None else min(max(x, -3), 9) + 3, level.get(g)) for t, x, g, _ in rows]
    persons = [(g, None if x is None else str(x), p) if len(columns) > 1 else p for _, x, g, p in rows]
    plain = list(zip(levels, persons, strict=True))
    wanted = kept(plain, most=most, salt="it's")
    for table in (on_duckdb(frame_of(rows), tmp_path), elsewhere(frame_of(rows))):
        found = levels_on(table, [T, X, G], persons=who, salt="it's")
        assert by_order((tuple(row[:-1]), row[-1]) for row in found) == wanted


@on_spark_in_the_long_suite
def test_one_person_less_moves_no_numerator_farther_than_declared(elsewhere, tmp_path):
    """In the second frame every table lacks one person: 40 pairs of neighbours in two frames."""
    rows = random_rows(random.Random(11))
    fewer = [row for row in rows if row[3] is None or not row[3].endswith(":p")]
    relation = add_remove(n_max=100, person="id", rows_per_person=2)
    queries = [
        count_query(relation, by=T), sum_query(X, relation, by=T), mean_query(X, relation, by=T),
        histogram_query(G, relation, by=T), histogram_query(X, relation, edges=[-3, 0, 9], by=T),
        count_query(relation, by=[T, G, AGES]), sum_query(AGES, relation, by=[T, G]),
    ]  # fmt: skip
    here, there = (exact_values(queries, elsewhere(frame_of(each))) for each in (rows, fewer))
    assert here == exact_values(queries, on_duckdb(frame_of(rows), tmp_path))
    for query, near, far in zip(queries, here, there, strict=True):
        for part, mine, other in zip(query.parts, near, far, strict=True):
            size = len(mine) // T.cells
            moves = [abs(a - b) for a, b in zip(mine, other, strict=True)]
            tables = [sum(moves[i * size : i * size + size]) for i in range(T.cells)]
            assert 0 < max(tables) <= part.numerator.sensitivity


def test_one_row_more_or_changed_moves_no_sum_farther_than_declared(elsewhere):
    """Rows as the unit: table 2i + 1 is table 2i with one row changed (even i) or without it (odd i)."""
    draw = random.Random(12)
    rows, sizes = [], []
    strange = [None, math.nan, math.inf, -math.inf, 2.0**52 + 1, LARGEST, 5e-324]
    for i in range(TABLES):
        mine = [draw.choice([*strange, draw.uniform(-2, 3)]) for _ in range(draw.randrange(1, 9))]
        other = [draw.choice(strange), *mine[1:]] if i % 2 == 0 else mine[1:]
        sizes.append(len(mine))
        rows += [(f"t{2 * i}", x) for x in mine] + [(f"t{2 * i + 1}", x) for x in other]
    table = elsewhere({"table": ("text", [t for t, _ in rows]), "u": ("double", [x for _, x in rows])})
    asked = [Count(by=T), Sum(column=U, by=T), Products(first=U, second=U, by=T)]
    found = table.aggregates(asked)
    counts, sums, squares = (found[each] for each in asked)
    for i, n in enumerate(sizes):
        here, there = 2 * i, 2 * i + 1
        assert abs(sums[here] - sums[there]) <= U.levels
        if i % 2 == 0:
            assert counts[here] == counts[there] == n
            spread = [n * squares[j] - sums[j] ** 2 for j in (here, there)]
            assert abs(spread[0] - spread[1]) <= (n - 1) * U.levels**2
        else:
            assert counts[here] - counts[there] == 1
