"""Groups by several columns on the command line: flags, questions, what is shown, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from snapdp.studies.study_file import load_study
from tests.cli.running import run

SEX, REGION = ("--categories", "sex=f,m"), ("--categories", "region=north,south")
AGE = ["--edges", "age=0,18,65", "--bounds", "age=0,120", "--missing", "dropped"]
REST = ("--n", "5", "--epsilon", "1")
ROWS = "region,sex,age\nnorth,f,3\nsouth,m,64\nnorth,x,70\n,f,\nnorth,f,17\n"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Path("people.csv").write_text(ROWS, encoding="utf-8")
    run("ledger create people.ledger --dataset people --cap 9 --relation change-one --n 5")
    return tmp_path


def declared(*flags: str) -> Any:
    path = Path(f"{abs(hash(flags))}.toml")
    run("init", str(path), "--dataset", "people", *flags, *REST)
    return load_study(path)


def refused(*flags: str) -> str:
    done = run("plan", *flags, *REST, code=None)
    assert done.exit_code in (1, 2)
    return " ".join(done.stderr.split())


def test_columns_with_commas_are_flags_one_after_the_other():
    """The last one once won, without a word."""
    joined = declared("--count", "--by", "region,sex", *SEX, *REGION)
    apart = declared("--count", "--by", "region", "--by", "sex", *SEX, *REGION)
    assert joined.asked == apart.asked
    assert joined.asked[0].statistic.title == "count by region, sex"
    assert declared("--count", "--by", " region , sex", *SEX, *REGION).asked == apart.asked


def test_a_column_of_numbers_is_grouped_by_bins_between_its_edges():
    study = declared("--count", "--by", "sex,age", *SEX, *AGE)
    assert study.column("age").edges == (0, 18, 65)
    assert list(study.asked[0].statistic.labels)[:2] == [("f", "[0, 18)"), ("f", "[18, 65]")]
    alone = declared("--count", "--by", "age", "--edges", "0,18,65", "--bounds", "0,120", "--missing", "dropped")
    assert alone.asked[0].statistic.labels == ("[0, 18)", "[18, 65]")
    other = declared("--count", "--by", "sex,age", *SEX, "--edges", "0,18,65", *AGE[2:])  # sex has categories
    assert other.asked == study.asked
    whole = declared("--count", "--by", "age", *AGE, "--integer")
    assert (whole.column("age").kind, whole.column("age").step) == ("integer", 1)


def test_edges_without_a_name_are_for_the_histogram_as_they_were():
    bounds = ("--bounds", "pay=0,9", "--missing", "dropped")
    study = declared("--histogram", "pay", "--by", "sex", *SEX, "--edges", "0,5,9", *bounds)
    assert study.asked[0].statistic.edges == (0, 5, 9)
    both = declared(
        "--histogram", "pay", "--by", "age", "--edges", "0,5,9", "--edges", "age=0,18", "--bounds", "age=0,120", *bounds
    )  # fmt: skip
    assert both.asked[0].statistic.edges == (0, 5, 9)
    assert both.asked[0].statistic.labels[0] == "[0, 18] / [0, 5)"


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (("--count", "--by", "region,region", *REGION), "by names column 'region' twice"),
        (("--histogram", "sex", "--by", "region,sex", *SEX, *REGION), "a histogram of 'sex' by itself"),
        (
            ("--count", "--by", "region,age", *REGION),
            "If age holds numbers, give --edges E1,E2,... (and --bounds) for age",
        ),
        (
            ("--count", "--by", "sex,age", *AGE[:2], "--missing", "dropped", *SEX),
            "Give --bounds LOWER,UPPER for each of: age",
        ),
        (("--count", "--by", "age", *AGE[:4]), "What does a missing cell count as, in age?"),
        (["--count", "--where", "age>=3", "--edges", "0,9"], "--edges belongs to --histogram or --by"),
        (["--count", "--by", "age,sex", "--edges", "0,9"], "Which --edges is whose? Several columns could be meant"),
        (("--count", "--by", "sex", *SEX, "--edges", "pay=0,9"), '--edges "pay=0,9" belongs to no column'),
        (("--count", "--by", "age", "--edges", "age=0,200", *AGE[2:]), "leave the bounds 0 to 120"),
        (("--variance", "age", *AGE[2:4], "--missing", "0", "--correlation"), "--correlation belongs to --covariance"),
    ],
)
def test_what_makes_no_sense_is_refused_in_the_words_of_flags(flags, problem):
    assert problem in refused(*flags)


def test_the_statement_of_a_study_has_one_code_for_all_columns():
    study = declared("--count", "--by", "region,sex", *SEX, *REGION)
    assert study.asked
    path = next(Path().glob("*.toml"))
    text = run("plan", str(path), "--sql").stdout
    assert "FROM range(4) AS declared(code)" in text
    assert "SELECT CAST(q0 AS BIGINT) * 2 + q1 AS code" in text


def test_a_look_is_at_every_column_of_the_groups():
    done = run("inspect people.csv --count --by region,age", *REGION, *AGE[:4])
    assert all(name in done.stdout for name in ("region", "age"))
    assert "sex" not in done.stdout
