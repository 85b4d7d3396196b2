"""Every engine gives a cell the magnitude that its number has by definition, and no cell stops one."""

from __future__ import annotations

import datetime
import math
import random
import re
import sys
import uuid
from decimal import Decimal, localcontext

import numpy as np
import pandas as pd
import polars as pl
import pytest

from snapdp.errors import DataError
from snapdp.studies.aggregates import Categories
from snapdp.studies.columns import magnitude_column
from snapdp.studies.csv_dialect import CsvDialect
from snapdp.tables.engines.opening import open_table
from snapdp.tables.sources.csv_form import plain_number
from tests.services import on_spark
from tests.unit.tables.everywhere import on_duckdb
from tests.unit.tables.kinds import cells, codes
from tests.unit.tables.tables import csv_text

COLUMNS = [
    magnitude_column("cell"),
    magnitude_column("cell", exponents=(0, 0)),
    magnitude_column("cell", exponents=(3, 5)),
    magnitude_column("cell", exponents=(-1022, -1000)),
    magnitude_column("cell", exponents=(1000, 1023)),
]
EDGE_POWERS = (-1074, -1022, -1021, -60, -11, -10, -9, -1, 0, 1, 3, 5, 6, 39, 40, 41, 1022, 1023)
EDGES = [math.ldexp(1.0, k) for k in EDGE_POWERS]
PLAIN = CsvDialect()
HOSTILE = [
    0.0, -0.0, 5e-324, 2.2250738585072009e-308, 1e-300, 1e300, 1e308, sys.float_info.max, math.inf, -math.inf, math.nan,
    None, 0.1, 1 / 3, 99.99, 1e15, 2.0**53 + 2,
]  # fmt: skip


def doubles(seed: int, count: int) -> list[float | None]:
    """Return edges, their neighbours on both sides, their negatives, what is hostile, and numbers of any size."""
    dice = random.Random(f"doubles {seed}")
    near = [math.nextafter(each, end) for each in EDGES for end in (-math.inf, each, math.inf)]
    sizes = [math.ldexp(dice.random(), dice.randint(-1080, 1023)) for _ in range(count)]
    return [*HOSTILE, *(sign * each for each in (*near, *sizes) for sign in (1, -1))]


def by_definition(column, cell):
    if cell is None or cell != cell:
        return column.places + 1
    return column.place(cell)


def by_text(column, text, dialect=PLAIN):
    """Return the place of a text: a number in the form of its file, NaN, which is missing, or no number."""
    if text is None or re.fullmatch(" *[+-]?nan *", text, re.IGNORECASE | re.ASCII):
        return column.places + 1
    plain = plain_number(text, dialect)
    return column.places if plain is None else column.place(float(plain))


def agree(table, given, definition):
    for column in COLUMNS:
        assert dict(zip(map(repr, given), codes(table, column), strict=True)) == {
            repr(each): definition(column, each) for each in given
        }, column


def stored(given, kind="double"):
    return {"place": ("bigint", list(range(len(given)))), "cell": (kind, given)}


def test_every_double_gets_the_place_that_it_has_by_definition(open_typed):
    given = doubles(1, 200)
    agree(open_typed(stored(given)), given, by_definition)


WHOLE = [None, 0, 1, -1, 7, 8, -8, 9, 2**53 + 1, 2**62, -(2**63), 2**63 - 1]
FINE = [None, Decimal("0.0625"), Decimal("-8.0001"), Decimal("7.9999"), Decimal("99999999999999.9999")]


def rounded_first(column, cell):
    return by_definition(column, None if cell is None else float(cell))


@pytest.mark.parametrize(("kind", "given"), [("bigint", WHOLE), ("decimal", FINE)])
def test_whole_numbers_and_decimals_count_by_the_double_nearest_to_them(kind, given, open_typed):
    agree(open_typed(stored(given, kind)), given, rounded_first)


HALF_THE_LEAST = f"{5**1075}e-1075"  # 2**-1075, a tie between zero and the least double
ANY_SIZE = [
    None, "NaN", "Infinity", "-Infinity", "0", "-0", "1e400", "-1e400", "1e-400", "-1e-400", "1e-305", "-1e-305",
    "9.9e-301", "-1e-300", "1e-310", "-1e-310", "5e-324", "-5e-324", "3e-324", "2.4e-324", "-2.4e-324", "1.8e308",
    "-1.8e308", "1.79769313486231575e308", HALF_THE_LEAST, f"-{HALF_THE_LEAST}", HALF_THE_LEAST.replace("e", "1e"),
    f"-{HALF_THE_LEAST.replace('e', '1e')}", f"{5**1075}1e-1076", f"-{5**1075}1e-1076",
]  # fmt: skip


def near_powers():
    """Return powers of two as decimals, and what is nearest to them or to the doubles beside them."""
    powers = [f"{2**k}" if k >= 0 else f"{5**-k}e{k}" for k in EDGE_POWERS]
    with localcontext(prec=1200):
        nearly = [1 + Decimal(sign) / 2**bits for sign in (1, -1) for bits in (53, 55)]
        near = [Decimal(each) * times for each in powers for times in nearly]
    return [*powers, *(f"-{each}" for each in powers), *map(str, near), *(str(each.copy_negate()) for each in near)]


def test_decimals_of_any_size_count_by_the_double_nearest_to_them_on_postgresql(database):
    import psycopg

    given, name = [*ANY_SIZE, *near_powers()], f"t{uuid.uuid4().hex}"
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE {name} (place BIGINT, cell NUMERIC)")
        with connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
            for row in enumerate(given):
                copy.write_row(row)
    agree(open_table(database, table=name), given, rounded_first)


TEXTS = ["1e-400", "1e400", "-1e400", "nan", " NaN ", "-nan", "n/a", "12 kg", "1e", "8.0", "+8", " 8 ", "-.5", "5."]


def readable(texts):
    """Leave out what a CSV file does not hold as it stands: line ends inside a cell, and cells that are no text."""
    return [None if each == "" else each for each in texts if each is None or not {*each} & {*"\r\n\0"}]


def test_text_of_a_file_counts_by_the_number_that_it_is_and_by_itself_where_it_is_none(tmp_path):
    given = [*readable(cells(5, 500)), *TEXTS, *map(repr, doubles(4, 60))]
    path = tmp_path / "cells.csv"
    path.write_text(csv_text({"place": list(range(len(given))), "cell": given}), encoding="utf-8", newline="")
    agree(open_table(path), given, by_text)


@on_spark
def test_so_it_does_on_spark(spark, tmp_path):
    given = [*readable(cells(6, 300)), *TEXTS, *map(repr, doubles(5, 20))]
    path = tmp_path / "cells.csv"
    path.write_text(csv_text({"place": list(range(len(given))), "cell": given}), encoding="utf-8", newline="")
    agree(open_table(path, spark=spark), given, by_text)


def test_text_is_read_by_the_signs_that_its_file_declares(tmp_path):
    given = ["1.234,5", "-1.234", "1,5", "1.5", "12,", "NaN", None, "1 000"]
    dialect = CsvDialect(delimiter=";", decimal=",", thousands=".")
    path = tmp_path / "cells.csv"
    path.write_text("place;cell\n" + "".join(f"{i};{each or ''}\n" for i, each in enumerate(given)), encoding="utf-8")
    agree(open_table(path, dialect=dialect), given, lambda column, text: by_text(column, text, dialect))


def test_objects_are_read_as_those_of_any_column_of_numbers():
    """What is no number and no text has no text to be read: it is missing, as it is for a mean."""
    given = [
        1,
        8.5,
        -0.0,
        "12",
        "x",
        None,
        True,
        math.nan,
        Decimal("9.5"),
        datetime.date(2024, 1, 1),
        10**400,
        object(),
    ]
    column = magnitude_column("cell", exponents=(0, 4))
    table = open_table({"place": list(range(len(given))), "cell": given})
    numbers = [1.0, 8.5, 0.0, 12.0, "unreadable", None, None, None, 9.5, None, math.inf, None]
    expected = [column.places if each == "unreadable" else by_definition(column, each) for each in numbers]
    assert codes(table, column) == expected


def test_frames_count_alike_whatever_they_are_made_of():
    given = [1.0, 8.5, math.nan, -3.0, math.inf]
    column = magnitude_column("cell", exponents=(0, 4))
    place = list(range(len(given)))
    expected = [by_definition(column, each) for each in given]
    frames = [
        {"place": place, "cell": np.array(given)},
        {"place": place, "cell": np.array(given, dtype=np.float32)},
        pd.DataFrame({"place": place, "cell": given}),
        pd.DataFrame({"place": place, "cell": pd.array([None if each != each else each for each in given], "Float64")}),
        pl.DataFrame({"place": place, "cell": [None if each != each else each for each in given]}),
    ]
    assert [codes(open_table(each), column) for each in frames] == [expected] * len(frames)


@pytest.mark.parametrize(
    "cell",
    [np.array([True, False]), np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[D]"), pl.Series(["a", "b"])],
)
def test_booleans_dates_and_text_by_their_schema_are_refused_as_for_any_column_of_numbers(cell):
    with pytest.raises(DataError, match="declared as magnitude but stored as"):
        codes(open_table({"place": [0, 1], "cell": cell}), COLUMNS[0])


def test_counts_of_all_places_add_up_to_the_rows(tmp_path):
    given = doubles(6, 300)
    table = on_duckdb(stored(given), tmp_path)
    for column in COLUMNS:
        asked = Categories(column=column)
        counts = table.aggregates([asked])[asked]
        places = [by_definition(column, each) for each in given]
        assert list(counts) == [places.count(place) for place in range(column.cells)]
        assert sum(counts) == len(given)


def test_a_look_tells_missing_cells_from_those_that_are_no_number(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text("cell\n1\nx\n\nNaN\n5\n")
    (line,) = open_table(path).inspect([COLUMNS[0]]).lines
    assert line == ("cell", "magnitude", "more", "more", "", '"a"')
