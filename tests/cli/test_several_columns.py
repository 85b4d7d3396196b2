"""Names with commas behind a flag that takes one column: read as one, and where refused, answered with several."""

from __future__ import annotations

import shlex

import pytest

from tests.cli.running import run

REST = ("--n-max", "50", "--epsilon", "1")
NUMBERS = ["--bounds", "a=0,9", "--bounds", "b=0,8", "--missing", "dropped"]
LISTS = ("--categories", "club=x,y", "--categories", "active=yes,no")
BY = '"club,active" is taken for one column. If it is several: --count --by club,active --categories club=...'


def told(*words: str, code: int = 2) -> str:
    return " ".join(run(*words, *REST, code=code).stderr.split())


@pytest.mark.parametrize("declared", [(), LISTS, ("--categories", "club=x,y", "--boolean", "active")])
def test_a_histogram_by_several_columns_is_a_count_by_them(declared):
    said = told("plan", "--histogram", "club,active", *declared)
    assert f"{BY} --categories active=... (or --date, --boolean, --edges with --bounds)." in said
    assert "--count --by sex,club,active " in told("plan", "--histogram", "club,active", "--by", "sex", *declared)
    told("plan", "--count", "--by", "club,active", *LISTS, code=0)


@pytest.mark.parametrize(
    ("flag", "instead"),
    [
        ("--mean", "--means a,b"),
        ("--sum", "--sum a --sum b"),
        ("--variance", "--variance a --variance b"),
        ("--median", "--median a --median b"),
        ("--quantiles", "--quantiles a --quantiles b"),
    ],
)
def test_statistics_of_several_columns_have_a_flag_for_each_and_means_share_a_count(flag, instead):
    for declared in (NUMBERS, NUMBERS[-2:]):
        said = told("plan", flag, "a,b", *declared)
        assert said.endswith(f'"a,b" is taken for one column. If it is several: {instead}.')
    told("plan", *shlex.split(instead), *NUMBERS[:4], "--missing", "middle", "--integer", code=0)


def test_a_column_whose_name_has_a_comma_is_one_and_nothing_else_is_said_where_it_is_declared():
    assert "taken for one" not in told("plan", "--mean", "a,b", "--bounds", "0,9", "--missing", "dropped", code=0)
    assert "taken for one" not in told("plan", "--histogram", "a,b", "--categories", "x,y", code=0)
    assert "taken for one" not in told("plan", "--mean", "a,b", "--bounds", '"a,b"=0,9')  # no --missing
    assert "taken for one" not in told("plan", "--mean", "a,b", "--bounds", "0,9", "--correlation")


def test_names_with_blanks_are_quoted_as_a_shell_reads_them():
    assert "--means 'net pay,age'." in told("plan", "--mean", "net pay, age")


def test_a_table_without_a_column_of_that_name_is_answered_so_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("club,active\nx,yes\n", encoding="utf-8")
    asked = ["--histogram", "club,active", "--categories", "x,y"]
    run("ledger create t.ledger --cap 1 --relation add-remove --n-max 50 --dataset t")  # fmt: skip
    release = told("release", "t.csv", *asked, "--ledger", "t.ledger", "--yes", "--no-inspect", code=1)
    assert "has no column named 'club,active'" in release
    assert BY in release
    assert release.endswith("Nothing was spent.")
    absent = told("release", "t.csv", "--histogram", "clubs", "--categories", "x,y", "--ledger", "t.ledger",
                  "--yes", "--no-inspect", code=1)  # fmt: skip
    assert "taken for one" not in absent
