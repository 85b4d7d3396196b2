"""Numbers in text: one pattern for every engine, compared with a definition that has none, over all short texts."""

from __future__ import annotations

import itertools
import math
import re

import pytest

from snapdp.studies.aggregates import Categories
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.csv_dialect import CsvDialect
from snapdp.tables.engines.opening import open_table
from snapdp.tables.sources.csv import number_format
from snapdp.tables.sources.csv_form import plain_number
from snapdp.values import replaced
from tests.services import on_spark
from tests.tiers import first_of
from tests.unit.tables.kinds import level_rows

GERMAN = CsvDialect(delimiter=";", decimal=",", thousands=".")
FORMATS = {
    "plain": CsvDialect(),
    "german": GERMAN,
    "english": CsvDialect(thousands=","),
    "swiss": CsvDialect(thousands="'"),
    "french": CsvDialect(delimiter=";", decimal=",", thousands="\u202f"),
    "blank": CsvDialect(decimal=",", thousands=" "),
    "no-break": CsvDialect(thousands="\u00a0"),
    "underscore": CsvDialect(thousands="_"),
    "comma": CsvDialect(delimiter=";", decimal=","),
}
PARTS = ("", "1", "0", "12", "123", "000", ".", ",", "-", "e3", " ", "T")  # T is the separator of the format
X = number_column("x", lower=-100_000, upper=100_000, step="1/1024", missing="dropped")
ID = integer_column("id", lower=0, upper=1 << 20, missing="middle")
READ = {  # the texts of the issue and their like: what a person means, or nothing
    "german": {"1.234.567,8": 1234567.8, "1234,5": 1234.5, "1.23": None, "12.5": None, "0.123": None, ",5": 0.5,
               "-1.000": -1000, " 7 ": 7, "1.234,5e2": None, "1234,5e2": 123450, "inf": math.inf, "1,2,3": None,
               "1.2345": None, "1234.567": None, "1.234.56": None, "1..234": None, ".123": None, "12,": 12},
    "english": {"45,000": 45000, "45,00": None, "45": 45, "1,234.5": 1234.5, "1,234,": None, "4,5000": None},
    "plain": {"45,000": None, "45000": 45000, "1 234": None, "1'234": None, "1_234": None, "12.5": 12.5},
    "comma": {"12.5": None, "12,5": 12.5, "1.234": None, "1.234,5": None},
    "swiss": {"1'234.50": 1234.5, "1'23": None, "1\u2019234": None},
    "french": {"1\u202f234,5": 1234.5, "1 234,5": None, "1\u00a0234": None},
    "blank": {"1 234": 1234, " 1 234 ": 1234, "1  234": None, "1 23": None, "+ 123": None, "- 1 234": None},
}  # fmt: skip


def texts(most: int, dialect: CsvDialect) -> list[str]:
    """Return all texts of so many parts, each once."""
    sign = dialect.thousands or "."
    every = ("".join(parts).replace("T", sign) for parts in itertools.product(PARTS, repeat=most))
    return list(dict.fromkeys(every))


@pytest.mark.parametrize("name", READ)
def test_a_number_is_what_the_declared_format_says_or_missing(name):
    for text, meant in READ[name].items():
        found = plain_number(text, FORMATS[name])
        assert (None if found is None else float(found)) == meant, text


@pytest.mark.parametrize("name", FORMATS)
def test_the_pattern_is_the_definition_on_all_short_texts(name):
    dialect, known = FORMATS[name], set()
    pattern = re.compile(number_format(dialect).pattern)
    for text in texts(4, dialect):
        number = plain_number(text, dialect)
        assert (pattern.fullmatch(text) is not None) == (number is not None), text
        known.add(number is None)
    assert known == {True, False}


@pytest.mark.parametrize("twin", ["[0-9]+,[0-9]+", " *[+-]?[0-9]{1,3}([.][0-9]{3})*(,[0-9]*)? *"])
def test_another_pattern_would_be_found(twin):
    found = [
        text for text in texts(4, GERMAN) if bool(re.fullmatch(twin, text)) != (plain_number(text, GERMAN) is not None)
    ]
    assert found


def levels(table, cells):
    """Return the level that an engine gives each cell, by its number."""

    def select(connection):
        table.source.prepare(connection)
        rows = table.source.open(connection, [ID, X])
        text = level_rows([ID, X], rows, dialect=table.dialect)
        found = table._select(connection, [f"SELECT q0, COALESCE(q1, -1) AS q1 FROM ({text}) AS levels"])[0]
        return {int(number): None if level == -1 else int(level) for number, level in found}

    found = table._guarded(select)
    assert len(found) == len(cells)
    return found


def agree(folder, dialect, cells, **where):
    """Compare an engine with the definition on every cell; all of them stand in quotes."""
    cut, quote = dialect.separator, dialect.quote
    lines = [f"id{cut}x", *(f"{i}{cut}{quote}{cell.replace(quote, quote * 2)}{quote}" for i, cell in enumerate(cells))]
    path = folder / "t.csv"
    path.write_text("\n".join(lines), encoding="utf-8", newline="")
    found = levels(open_table(path, dialect=dialect, **where), cells)
    for i, cell in enumerate(cells):
        number = plain_number(cell, dialect)
        value = None if number is None else min(max(float(number), -100_000.0), 100_000.0)
        assert found[i] == (None if value is None else math.floor((value + 100_000) * 1024 + 0.5)), cell


@pytest.mark.parametrize("name", FORMATS)
def test_duckdb_reads_numbers_as_the_definition_says(name, tmp_path):
    agree(tmp_path, FORMATS[name], [*texts(3, FORMATS[name]), *(each for one in READ.values() for each in one)])


@on_spark
@pytest.mark.parametrize("name", first_of(["german", *(each for each in FORMATS if each != "german")]))
def test_spark_reads_numbers_as_the_definition_says(name, spark, tmp_path):
    long = "1" + "".join(f"{FORMATS[name].thousands}234" for _ in range(100_000))  # costs its length and no stack
    cells = [*texts(3, FORMATS[name]), *(each for one in READ.values() for each in one), long, long + "x"]
    agree(tmp_path, FORMATS[name], cells, spark=spark)


AS_TEXT = category_column("g", categories=["1,0", "1.5"], unknown="binned")
G = replaced(
    category_column("g", categories=["1", "1.5", "-3", "1000"], unknown="binned", null="binned"), compare="numbers"
)


def compared(folder, **where):
    """Compare what an engine says of categories that are numbers, in a file with decimal commas."""
    cells = ["1", "1,0", "01,00", "1.0", "1,5", "1.5", "-3", " -3,0 ", "1.000", "1000,0", "1.00", "NA", "x", ""]
    path = folder / "g.csv"
    path.write_text("g;y\n" + "".join(f"{each};1\n" for each in cells), encoding="utf-8")
    dialect = CsvDialect(delimiter=";", decimal=",", thousands=".", null=["NA"])
    asked = [Categories(column=G), Categories(column=AS_TEXT)]
    found = open_table(path, dialect=dialect, **where).aggregates(asked)
    assert found[asked[0]] == (3, 1, 2, 2, 4, 2)  # 1.0, 1.5, 1.00 and x are none of them
    assert found[asked[1]] == (1, 1, 10)  # text is text, in every format


def test_categories_that_are_numbers_are_read_in_the_format_of_the_file_on_duckdb(tmp_path):
    compared(tmp_path)


@on_spark
def test_categories_that_are_numbers_are_read_in_the_format_of_the_file_on_spark(spark, tmp_path):
    compared(tmp_path, spark=spark)


@pytest.mark.long
@pytest.mark.parametrize("name", FORMATS)
def test_duckdb_reads_all_longer_texts_as_the_definition_says(name, tmp_path):
    agree(tmp_path, FORMATS[name], texts(5, FORMATS[name]))
