"""CSV files as they come: flags and study files, the numbers people meant, refusals that name the flag."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from snapdp.cli.app import main
from snapdp.studies.csv_dialect import CsvDialect
from snapdp.studies.reader import load_study

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


def run(*arguments: str):
    done = CliRunner().invoke(main, list(arguments))
    assert "broke" not in done.stderr
    return done


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = run("ledger", "create", "l", "--dataset", "people", "--cap", "99", "--relation", "change-one", "--n", "400")
    assert made.exit_code == 0


def english() -> None:
    """Write the incomes as 45,000, in quotes, as programs do where a comma is the delimiter."""
    Path("t.csv").write_text("pay,years\n" + "".join(f'"{p:,}",{y}\n' for p, y in zip(PAY, YEARS, strict=True)))


def german() -> None:
    """Write the same table as a spreadsheet saves it in German."""
    rows = [f"{p:,};{y};".translate(str.maketrans(",.", ".,")) for p, y in zip(PAY, YEARS, strict=True)]
    text = "pay;years;Ort\r\n" + "".join(f"{row}{'Köln' if i % 4 else 'Zürich'}\r\n" for i, row in enumerate(rows))
    Path("t.csv").write_bytes(text.encode("latin-1"))


def mean(csv: str, column: str) -> tuple[float, float]:
    """Return the interval of a mean that a study publishes."""
    Path("s.toml").write_text(STUDY.format(csv=csv, column=column))
    done = run("release", "s.toml", "--ledger", "l", "--yes", "--json")
    assert done.exit_code == 0, done.stderr
    (part,) = json.loads(done.stdout)["statistics"][0]["parts"]
    return part["low"][0], part["high"][0]


def holds(interval: tuple[float, float], truth: float) -> bool:
    """Tell whether an interval holds the truth, with room for noise that one release in a million exceeds."""
    middle, half = sum(interval) / 2, (interval[1] - interval[0]) / 2
    return abs(middle - truth) <= 5 * half  # 95 % within one half; each further one has a twentieth left


def test_an_income_column_written_with_thousands_is_read_where_they_are_declared():
    english()
    truth = sum(PAY) / N
    assert holds(mean('[csv]\nthousands = ","\n', "pay"), truth)
    assert not holds(mean("", "pay"), truth)  # all cells are missing: 199,000, as declared, and never 45
    assert holds(mean("", "pay"), 199_000)


def test_semicolons_and_decimal_commas_are_read_where_they_are_declared():
    german()
    assert holds(mean(SPREADSHEET, "years"), sum(YEARS) / N)
    assert holds(mean(SPREADSHEET, "pay"), sum(PAY) / N)
    points = SPREADSHEET.replace('decimal = ","\nthousands = "."', 'decimal = "."')
    assert holds(mean(points, "years"), 10)  # 12,5 is no number there; it is missing, and never 125


def test_flags_declare_a_file_and_the_record_states_it():
    german()
    done = run("release", "t.csv", *FLAGS, "--null", "NA,.", *COUNT, "--json")
    assert done.exit_code == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["csv"] == {
        "delimiter": ";", "decimal": ",", "thousands": ".", "encoding": "latin-1", "nulls": ["", ".", "NA"]
    }  # fmt: skip
    assert abs(record["statistics"][0]["parts"][0]["value"][1] - 100) < 60
    again = run("release", "t.csv", *FLAGS, "--null", ".,NA", *COUNT)
    assert "answered before" in again.stderr


def test_a_plain_file_states_nothing_and_one_named_tsv_its_tab():
    Path("t.csv").write_text("Ort\n" + "Köln\n" * N, encoding="utf-8")
    Path("t.tsv").write_text("Ort\ty\n" + "Köln\t1,5\n" * N, encoding="utf-8")
    plain, tabs = (json.loads(run("release", name, *COUNT, "--json").stdout) for name in ("t.csv", "t.tsv"))
    assert "csv" not in plain
    assert tabs["csv"] == {"delimiter": "\t"}
    both = run("release", "t.tsv", "--decimal", ",", *COUNT, "--json")
    assert json.loads(both.stdout)["csv"] == {"delimiter": "\t", "decimal": ","}


@pytest.mark.parametrize(
    "flags", [["--delimiter", "tab"], ["--decimal", "."], ["--null", "NA"], ["--encoding", "utf-8"]]
)
def test_flags_that_contradict_the_study_are_refused(flags):
    german()
    Path("s.toml").write_text(STUDY.format(csv=SPREADSHEET, column="pay"))
    for command in (["release", "s.toml", "--ledger", "l", "--yes"], ["sql", "s.toml", "--data", "t.csv"]):
        done = run(*command, *flags)
        assert done.exit_code == 2
        assert f"{flags[0]} is not what the table [csv] of the study says" in done.stderr
        assert run(*command, *FLAGS).exit_code == 0  # flags that repeat it are taken


def test_flags_declare_the_file_of_a_study_that_has_no_such_table():
    german()
    Path("s.toml").write_text(STUDY.format(csv="", column="pay"))
    done = run("sql", "s.toml", "--data", "t.csv", *FLAGS)
    assert "encoding = 'latin-1'" in done.stdout
    assert "replace(" in done.stdout
    assert run("release", "s.toml", *FLAGS, "--ledger", "l", "--yes").exit_code == 0
    assert run("sql", "s.toml", *FLAGS).exit_code == 2  # nothing that is said goes unread


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ([], "--delimiter ';' --encoding latin-1"),
        (["--encoding", "latin-1"], "--delimiter ';'"),
    ],
)
def test_a_refusal_names_the_flag_that_helps_on(flags, told):
    german()
    done = run("release", "t.csv", *flags, *COUNT)
    assert done.exit_code == 1
    assert f"Try: the same command with {told}" in done.stderr


def test_a_file_with_tabs_or_bars_is_told_by_its_header():
    for mark, flag in (("\t", "tab"), ("|", "'|'")):
        Path("t.csv").write_text(f"Ort{mark}pay\n" + f"Köln{mark}1\n" * N, encoding="utf-8")
        assert f"with --delimiter {flag}" in run("release", "t.csv", *COUNT).stderr
    assert run("release", "t.csv", "--delimiter", "|", *COUNT).exit_code == 0


def test_a_dialect_for_a_table_that_is_no_csv_file_is_refused_and_nothing_is_charged():
    import duckdb

    duckdb.sql("COPY (SELECT 'Köln' AS Ort FROM range(400)) TO 't.parquet' (FORMAT parquet)")
    done = run("release", "t.parquet", "--decimal", ",", *COUNT)
    assert done.exit_code == 1
    assert "'t.parquet' is no CSV file and has no dialect" in done.stderr
    assert run("release", "t.parquet", *COUNT).exit_code == 0


@pytest.mark.parametrize("flags", [["--decimal", "x"], ["--thousands", "."], ["--encoding", "ebcdic"], ["--null", '"']])
def test_a_dialect_that_cannot_be_is_refused(flags):
    german()
    done = run("release", "t.csv", *flags, *COUNT)
    assert done.exit_code == 1
    assert "Refused:" in done.stderr


def test_init_writes_the_table_of_the_flags():
    done = run("init", "s.toml", "--data", "t.csv", *FLAGS, "--null", "NA", *COUNT[:-3])
    assert done.exit_code == 0, done.stderr
    wanted = CsvDialect(delimiter=";", decimal=",", thousands=".", encoding="latin-1", null=["NA"])
    assert load_study("s.toml").csv == wanted


def test_init_compares_names_with_the_file_and_writes_nothing_where_one_is_not_there():
    german()
    words = ["init", "s.toml", "--data", "t.csv", *COUNT[:-3]]
    first = run(*words)
    assert "Refused: 't.csv' seems to have a semicolon between its cells." in first.stderr
    assert "Try: the same command with --delimiter ';' (--decimal and --thousands" in first.stderr
    slip = run("init", "s.toml", "--data", "t.csv", "--histogram", "Or", *COUNT[2:-3], *FLAGS)
    assert "It has 3 columns: 'pay', 'years', 'Ort'.\n  Did you mean 'Ort'?" in slip.stderr
    assert [done.exit_code for done in (first, slip)] == [1, 1]
    assert not Path("s.toml").exists()
    assert run(*words, *FLAGS).exit_code == 0
    assert run("inspect", "s.toml").exit_code == 0  # with no flag: the study says how the file is written


def test_init_looks_for_the_table_where_the_study_says_that_it_is():
    Path("studies").mkdir()
    Path("t.csv").write_text("Stadt\n", encoding="utf-8")
    assert run("init", "studies/a.toml", "--data", "../t.csv", *COUNT[:-3]).exit_code == 1
    assert run("init", "studies/a.toml", "--data", "t.csv", *COUNT[:-3]).exit_code == 0  # not there yet


def test_init_asks_about_the_file_and_its_columns_where_it_asks():
    german()
    about = ["y", "3", "", "n", "y", "400", "1"]
    done = CliRunner().invoke(main, ["init", "s.toml", "--data", "t.csv"], input="\n".join([*about, "average pey", ""]))
    assert 'Did you mean "pay"? Enter takes it.' in done.stderr
    assert "  snapdp init s.toml --data=t.csv\n" in done.stderr
    lines = ["1", "average 1", "0 to 90000", "1", "1", "", "", "save"]
    done = CliRunner().invoke(main, ["init", "s.toml", "--data", "t.csv"], input="\n".join(lines))
    assert done.exit_code == 0, done.stderr
    wanted = CsvDialect(delimiter=";", decimal=",", thousands=".")
    assert (load_study("s.toml").csv, load_study("s.toml").data) == (wanted, "t.csv")


def test_a_study_is_told_the_lines_that_last_and_the_look_before_a_release():
    Path("t.csv").write_text("pay;years\n" + "1.200,5;2\n" * N)
    Path("s.toml").write_text(STUDY.format(csv="", column="pay"))
    done = run("release", "s.toml", "--ledger", "l", "--yes")
    assert done.exit_code == 1
    tried = done.stderr.partition("  Try: in s.toml, a table [csv] at its end, or these lines in the one it has:\n")[2]
    *lines, look = (line.strip() for line in tried.strip().splitlines())
    assert lines[:2] == ["[csv]", 'delimiter = ";"']
    assert look == "then look, before any release: snapdp inspect s.toml"
    Path("s.toml").write_text(Path("s.toml").read_text() + "\n".join(lines))  # as it is printed
    assert run("inspect", "s.toml").exit_code == 0
    told = run("release", "s.toml", "--ledger", "l", "--yes", "--data", "gone.csv")
    assert "[csv]" not in told.stderr


def test_a_table_without_a_study_is_told_to_be_looked_at_first():
    Path("t.csv").write_text("Ort;pay\n" + "Köln;1,5\n" * N, encoding="utf-8")
    done = run("release", "t.csv", *COUNT)
    assert "\n    but first look: snapdp inspect t.csv --delimiter ';'\n" in done.stderr
    assert "first look" not in run("inspect", "t.csv", *COUNT[:4]).stderr
    assert json.loads(run("release", "t.csv", *COUNT, "--json").stdout)["try"].count("\n") == 1


def test_a_row_with_too_many_cells_is_told_with_the_sign_that_its_first_line_shows():
    Path("commas.csv").write_text("place;size\nA;1,8\nB;1,7\n", encoding="utf-8")
    assert "Try: the same command with --delimiter ';'" in run("inspect", "commas.csv").stderr


def test_the_look_that_is_proposed_keeps_what_was_declared():
    german()
    done = run("release", "t.csv", "--encoding", "latin-1", *COUNT)
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
    done = run("init", "commas.toml", *words, *flags, *bounds)
    assert done.exit_code == 0, done.stderr
    assert ('Decimal commas in it? Then add to [csv] of commas.toml: decimal = ","\n' in done.stderr) == is_told
