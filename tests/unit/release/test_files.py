"""Files of values: one schema whatever was released, numbers that stay numbers, text that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
import os
import re
from decimal import Decimal
from fractions import Fraction

import duckdb
import pytest
from hypothesis import given, strategies as st

from snapdp.release.files import csv_text, guarded, write_values
from snapdp.release.numbers import Number, NumberBlock
from snapdp.release.result import load_release
from snapdp.release.value_table import value_table
from tests.unit.release.guards import unguarded
from tests.unit.release.people import MEAN, released

SCHEMA = [
    ("statistic", "VARCHAR"),
    ("measure", "VARCHAR"),
    ("column", "VARCHAR"),
    ("value", "DOUBLE"),
    ("shown", "DOUBLE"),
    ("low", "DOUBLE"),
    ("high", "DOUBLE"),
    ("alpha", "DOUBLE"),
    ("epsilon", "DOUBLE"),
    ("charged", "DOUBLE"),
    ("source", "VARCHAR"),
    ("asked", "BOOLEAN"),
    ("share_of", "VARCHAR"),
    ("deviation", "DOUBLE"),
]
REGIONS = {"kind": "histogram", "column": "region", "epsilon": 1}
SUM = {"kind": "sum", "column": "age", "epsilon": 1}


def only(row):
    """Return the table of one number."""
    declared = {"kind": "sum", "title": "s", "epsilon": row.epsilon, "parts": [{"name": "sum"}]}
    block = NumberBlock(
        place=0, name="sum", title="s", statistic="s", declared=declared, parts=("sum",), derived=False,
        epsilon=row.epsilon, is_replaced=False, numbers=(row,),
    )  # fmt: skip
    return value_table([block])


def schema_of(path):
    return [(name, kind) for name, kind, *_ in duckdb.execute(f"DESCRIBE SELECT * FROM '{path}'").fetchall()]


@pytest.mark.parametrize("relation", ["change-one", "add-remove"])
@pytest.mark.parametrize("asked", [[MEAN], [REGIONS], [SUM], [MEAN, REGIONS, SUM]])
def test_a_parquet_file_has_one_schema_whatever_is_missing(tmp_path, relation, asked):
    """Shares under add-remove have no interval: low and high were once written as text then."""
    result = released(tmp_path, *asked, relation=relation)
    result.save(tmp_path / "v.parquet")
    keys = [("region", "VARCHAR")] if REGIONS in asked else []
    assert schema_of(tmp_path / "v.parquet") == [*SCHEMA[:3], *keys, *SCHEMA[3:]]
    rows = duckdb.execute(f"SELECT value, low, high FROM '{tmp_path / 'v.parquet'}'").fetchall()
    table = value_table(result.blocks()).columns
    assert rows == list(zip(map(float, table["value"]), table["low"], table["high"], strict=True))


def test_ends_that_no_double_holds_are_moved_outward(tmp_path):
    big = 2**60 + 1
    row = Number("s", "", "", big, big, big, big, "1/20", "1", False)
    write_values(only(row), tmp_path / "v.parquet")
    ((value, low, high),) = duckdb.execute(f"SELECT value, low, high FROM '{tmp_path / 'v.parquet'}'").fetchall()
    assert (value, low) == (2**60, 2**60)
    assert high == 2**60 + 256
    write_values(only(row), tmp_path / "v.csv")
    assert str(big) in (tmp_path / "v.csv").read_text()  # there it is exact


def test_a_csv_file_keeps_numbers_as_they_are_and_missing_ends_empty(tmp_path):
    released(tmp_path, REGIONS, relation="add-remove").save(tmp_path / "r.json")
    result = load_release(tmp_path / "r.json")
    result.save(tmp_path / "v.csv")
    with open(tmp_path / "v.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for number, row in zip(result.numbers(), rows, strict=True):  # counts first, and then their shares
        assert row["value"] == repr(number.value)
        assert row["shown"] in ("", repr(number.shown))  # of four rows nothing may be known
        assert row["low"] == ("" if number.low is None else repr(number.low))
        assert row["source"] == ("derived" if number.derived else "measured")
        assert row["asked"] == ("false" if number.derived else "true")  # shares come with counts
    assert {row["low"] for row in rows if row["source"] == "derived"} == {""}


def saved(row, path):
    write_values(only(row), path)
    with open(path, newline="", encoding="utf-8") as file:
        (found,) = csv.DictReader(file)
    return found


@pytest.mark.parametrize(
    ("alpha", "epsilon", "texts"),
    [
        ("1/20", "3/10", ("0.05", "0.3")),
        ("1/1000000000000", "7", ("0.000000000001", "7")),
        ("1/3", "2/3", ("0.33333333333333334", "0.66666666666666667")),  # 17 digits, up
        ("1/20", f"1/{2**60}", ("0.05", f"{Decimal(2.0**-60):f}")),
    ],
)
def test_numbers_in_a_csv_file_are_plain_decimals_exact_or_rounded_up(tmp_path, alpha, epsilon, texts):
    """1/20 becomes a date in a spreadsheet, and 1e-05 is a text to some."""
    row = Number("s", "", "", 1e-05, 0.0, -1e-05, 2.5e20, alpha, epsilon, False)
    found = saved(row, tmp_path / "v.csv")
    assert (found["alpha"], found["epsilon"]) == texts
    assert all(Fraction(text) >= Fraction(exact) for text, exact in zip(texts, (alpha, epsilon), strict=True))
    assert [found[name] for name in ("value", "shown", "low", "high")] == [
        "0.00001", "0.0", "-0.00001", "250000000000000000000",
    ]  # fmt: skip


def test_an_epsilon_that_is_no_number_stays_the_text_it_is(tmp_path):
    """A record may be anybody's."""
    row = Number("s", "", "", 1.0, 1.0, None, None, "=1+1", "often", False)
    found = saved(row, tmp_path / "v.csv")
    assert (found["alpha"], found["epsilon"], found["low"]) == ("'=1+1", "often", "")
    write_values(only(row), tmp_path / "v.parquet")
    assert schema_of(tmp_path / "v.parquet") == SCHEMA
    assert duckdb.execute(f"SELECT alpha, epsilon FROM '{tmp_path / 'v.parquet'}'").fetchall() == [(None, None)]


@given(st.text(st.characters(codec="utf-8"), max_size=8))
def test_no_text_begins_like_a_formula_and_every_one_can_be_read_back(text):
    safe = guarded(text)
    assert not safe.lstrip().startswith(("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"))
    assert not safe.startswith(("\t", "\r", "\n"))
    assert unguarded(safe) == text
    for piece in re.split("[;,|\t\r\n]", safe)[1:]:
        assert not piece.lstrip().startswith(("=", "+", "-", "@")), safe


def test_a_formula_behind_a_separator_is_guarded_too():
    """A spreadsheet that cuts there would run it."""
    for text in ("north;=HYPERLINK(1)", "x\t=1+1", "a, @b", "a|+1", "a\n-1", 'a;"=1"', "';=1", "'\t'", "a;'b"):
        assert guarded(text) != text
        assert unguarded(guarded(text)) == text
    assert guarded("north;=HYPERLINK(1)") == "north;'=HYPERLINK(1)"


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
@pytest.mark.parametrize("before", ["", " ", "   ", "\u00a0", "\u3000", " \t", "\n", "\x0b"])
def test_every_sign_of_a_formula_is_guarded_also_behind_blanks(sign, before):
    text = f"{before}{sign}1+1"
    assert not re.search(f"(?:^|[;,|\t\r\n])\\s*{re.escape(sign)}", guarded(text))
    assert unguarded(guarded(text)) == text


@pytest.mark.parametrize("blank", ["\t", "\r", "\n"])
def test_a_control_character_at_the_start_is_guarded(blank):
    assert guarded(f"{blank}north") == f"'{blank}north"


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o027, 0o000])
@pytest.mark.parametrize("ending", ["json", "html", "csv", "parquet"])
def test_a_released_file_has_the_rights_that_the_umask_leaves(tmp_path, mask, ending):
    result = released(tmp_path, MEAN)
    before = os.umask(mask)
    try:
        result.save(tmp_path / f"values.{ending}")
        assert os.umask(mask) == mask  # asking for the mask leaves it as it was
    finally:
        os.umask(before)
    assert (tmp_path / f"values.{ending}").stat().st_mode & 0o777 == 0o666 & ~mask


def test_ordinary_text_is_left_alone():
    assert [guarded(each) for each in ("north", "a / [-5, -3)", "mean(age)", "1/20", "")] == [
        "north", "a / [-5, -3)", "mean(age)", "1/20", "",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["a\rb", "a\nb", "a\r\nb", "\r", 'a"\r', "a,b"])
def test_a_cell_of_a_values_file_is_one_cell_whatever_line_ends_it_holds(text, tmp_path):
    row = Number("s", "", "", 1.0, 1.0, None, None, "1/20", "1", False, share_of=text)
    write_values(only(row), tmp_path / "v.csv")
    content = (tmp_path / "v.csv").read_bytes().decode()
    (found,) = csv.DictReader(io.StringIO(content, newline=""))
    assert unguarded(found["share_of"]) == text
    assert content.endswith(f"{csv_text(guarded(text))},\n")
