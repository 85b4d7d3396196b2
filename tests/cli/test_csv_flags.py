"""CSV files as they come: flags and study files, the numbers people meant, refusals that name the flag."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from snapdp.studies.csv_dialect import CsvDialect
from snapdp.studies.study_file import load_study
from tests.cli.running import run

N = 400
DRAW = random.Random(7)
PAY = [DRAW.randrange(8_000, 90_000) for _ in range(N)]  # the truth about an income column
YEARS = [DRAW.randrange(16, 40) / 2 for _ in range(N)]  # ... and of education in half years
STUDY = """
format = 1
dataset = "people"
relation = "change-one"
n = 400
data = "t.csv"
{csv}
[columns.pay]
kind = "integer"
lower = 0
upper = 200000
missing = 199000

[columns.years]
kind = "number"
lower = 0
upper = 20
step = "1/2"
missing = 10

[[statistic]]
kind = "mean"
column = "{column}"
epsilon = 8
"""
SPREADSHEET = '[csv]\ndelimiter = ";"\ndecimal = ","\nthousands = "."\nencoding = "latin-1"\n'
FLAGS = ["--delimiter", ";", "--decimal", ",", "--thousands", ".", "--encoding", "latin-1"]
COUNT = ["--histogram", "Ort", "--categories", "Köln,Zürich", "--n", "400", "--epsilon", "1", "--ledger", "l", "--yes"]


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("ledger create l --dataset people --cap 99 --relation change-one --n 400")


def german() -> None:
    """Write the same table as a spreadsheet saves it in German."""
    rows = [f"{p:,};{y};".translate(str.maketrans(",.", ".,")) for p, y in zip(PAY, YEARS, strict=True)]
    text = "pay;years;Ort\r\n" + "".join(f"{row}{'Köln' if i % 4 else 'Zürich'}\r\n" for i, row in enumerate(rows))
    Path("t.csv").write_bytes(text.encode("latin-1"))


def mean(csv: str, column: str) -> tuple[float, float]:
    """Return the interval of a mean that a study publishes."""
    Path("s.toml").write_text(STUDY.format(csv=csv, column=column))
    done = run("release s.toml --ledger l --yes --json")
    (part,) = json.loads(done.stdout)["statistics"][0]["parts"]
    return part["low"][0], part["high"][0]


def test_flags_declare_a_file_and_the_record_states_it():
    german()
    done = run("release t.csv", *FLAGS, "--null", "NA,.", *COUNT, "--json")
    record = json.loads(done.stdout)
    assert record["csv"] == {
        "delimiter": ";", "decimal": ",", "thousands": ".", "encoding": "latin-1", "nulls": ["", ".", "NA"]
    }  # fmt: skip
    assert abs(record["statistics"][0]["parts"][0]["value"][1] - 100) < 60
    again = run("release t.csv", *FLAGS, "--null", ".,NA", *COUNT)
    assert "answered before" in again.stderr


@pytest.mark.parametrize(
    "flags", [["--delimiter", "tab"], ["--decimal", "."], ["--null", "NA"], ["--encoding", "utf-8"]]
)
def test_flags_that_contradict_the_study_are_refused(flags):
    german()
    Path("s.toml").write_text(STUDY.format(csv=SPREADSHEET, column="pay"))
    command = ["release", "s.toml", "--ledger", "l", "--yes"]
    done = run(*command, *flags, code=2)
    assert f"{flags[0]} is not what the table [csv] of the study says" in done.stderr
    run(*command, *FLAGS)  # flags that repeat it are taken


def test_flags_declare_the_file_of_a_study_that_has_no_such_table():
    german()
    Path("s.toml").write_text(STUDY.format(csv="", column="pay"))
    run("release s.toml", *FLAGS, "--ledger", "l", "--yes")


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ([], "--delimiter ';'"),  # names of columns are compared before any cell is read
        (["--delimiter", ";"], "--encoding latin-1"),
        (["--encoding", "latin-1"], "--delimiter ';'"),
    ],
)
def test_a_refusal_names_the_flag_that_helps_on(flags, told):
    german()
    done = run("release t.csv", *flags, *COUNT, code=1)
    assert f"Try: the same command with {told}" in done.stderr


def test_a_file_with_tabs_or_bars_is_told_by_its_header():
    for mark, flag in (("\t", "tab"), ("|", "'|'")):
        Path("t.csv").write_text(f"Ort{mark}pay\n" + f"Köln{mark}1\n" * N, encoding="utf-8")
        assert f"with --delimiter {flag}" in run("release t.csv", *COUNT, code=1).stderr
    run("release t.csv --delimiter |", *COUNT)


def test_a_dialect_for_a_table_that_is_no_csv_file_is_refused_and_nothing_is_charged():
    import duckdb

    duckdb.sql("COPY (SELECT 'Köln' AS Ort FROM range(400)) TO 't.parquet' (FORMAT parquet)")
    done = run("release t.parquet --decimal ,", *COUNT, code=1)
    assert "'t.parquet' is no CSV file and has no dialect" in done.stderr
    run("release t.parquet", *COUNT)


def test_init_writes_the_table_of_the_flags():
    run("init s.toml --data t.csv", *FLAGS, "--null", "NA", *COUNT[:-3])
    wanted = CsvDialect(delimiter=";", decimal=",", thousands=".", encoding="latin-1", null=["NA"])
    assert load_study("s.toml").csv == wanted


def test_init_compares_names_with_the_file_and_writes_nothing_where_one_is_not_there():
    german()
    words = ["init", "s.toml", "--data", "t.csv", *COUNT[:-3]]
    first = run(*words, code=1)
    assert "Refused: 't.csv' seems to have a semicolon between its cells." in first.stderr
    assert "Try: the same command with --delimiter ';' (--decimal and --thousands" in first.stderr
    slip = run("init s.toml --data t.csv --histogram Or", *COUNT[2:-3], *FLAGS, code=1)
    assert "It has 3 columns: 'pay', 'years', 'Ort'.\n  Did you mean 'Ort'?" in slip.stderr
    assert not Path("s.toml").exists()
    run(*words, *FLAGS)
    run("inspect s.toml")  # with no flag: the study says how the file is written


def test_a_row_with_too_many_cells_is_told_with_the_sign_that_its_first_line_shows():
    Path("commas.csv").write_text("place;size\nA;1,8\nB;1,7\n", encoding="utf-8")
    assert "Try: the same command with --delimiter ';'" in run("inspect commas.csv", code=1).stderr


def test_the_look_that_is_proposed_keeps_what_was_declared():
    german()
    done = run("release t.csv --encoding latin-1", *COUNT, code=1)
    assert "but first look: snapdp inspect t.csv --encoding latin-1 --delimiter ';'\n" in done.stderr


@pytest.mark.parametrize(
    ("flags", "is_told"),
    [
        (["--mean", "size"], True),
        (["--mean", "size", "--decimal", ","], False),
        (["--mean", "size", "--integer"], False),
        (["--count"], False),
    ],
)
def test_init_reminds_of_decimal_commas_where_numbers_are_used(flags, is_told):
    Path("commas.csv").write_text("place;size\n", encoding="utf-8")
    bounds = [] if "--count" in flags else ["--bounds", "0,3", "--missing", "dropped"]
    words = ["--data", "commas.csv", "--delimiter", ";", "--n-max", "2", "--budget", "1"]
    done = run("init commas.toml", *words, *flags, *bounds)
    assert ('Decimal commas in it? Then add to [csv] of commas.toml: decimal = ","\n' in done.stderr) == is_told
