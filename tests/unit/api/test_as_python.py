"""A study as a Python program: it runs, it makes an equal study, it charges in one place, which says so."""

from __future__ import annotations

import ast
import random

import pytest

import snapdp
from snapdp.api.outline import CHARGES, WIDTH, python_text
from snapdp.display.text import visible_lines
from snapdp.studies.study_file import load_study
from snapdp.tables.keys import read_keys
from tests.unit.api.test_study_values import KEPT, drawn
from tests.unit.audits.releases import random_study
from tests.unit.studies.test_writer import HOSTILE

AGES = {"age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"}}
MEAN = {"kind": "mean", "column": "age", "epsilon": "0.5"}


def small(**more):
    said = {"dataset": "people", "relation": "change-one", "n": 4, "columns": AGES, "statistic": [MEAN]}
    return snapdp.study({**said, **more}).declared


def declared_by(text):
    """Return the study that a program declares; nothing after that is run."""
    found: dict = {}
    before, _, _ = text.partition("\nprint(study.plan())")
    exec(compile(before, "program", "exec"), found)
    return found["study"].declared


def test_a_small_study_is_a_program_that_a_person_reads_at_once():
    assert python_text(small(), data="people.csv", ledger="people.ledger") == (
        "import snapdp\n"
        "\n"
        "study = snapdp.study(\n"
        "    format=1,\n"
        '    dataset="people",\n'
        '    relation="change-one",\n'
        "    n=4,\n"
        "    columns={\n"
        '        "age": {"kind": "integer", "lower": 0, "upper": 120, "step": 1, "missing": 60},\n'
        "    },\n"
        "    statistic=[\n"
        '        {"kind": "mean", "column": "age", "epsilon": "1/2"},\n'
        "    ],\n"
        ")\n"
        "print(study.plan())\n"
        "\n"
        "# What follows charges the ledger: the epsilon of the plan above.\n"
        "# The same request again is free.\n"
        'release = study.release("people.csv", ledger="people.ledger")\n'
        "print(release)\n"
    )


def test_the_program_releases_what_the_study_asks_for(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age\n31\n42\n53\n64\n", encoding="utf-8")
    with snapdp.Ledger.create("people.ledger") as ledger:
        ledger.create_account("people", cap=1, relation="change-one", rows=4)
    found: dict = {}
    exec(python_text(small(), data="people.csv", ledger="people.ledger"), found)
    assert "Plan: epsilon 0.5 in total" in capsys.readouterr().out
    assert found["release"].charged == "1/2"
    assert snapdp.Study(small()).release("people.csv", ledger="people.ledger").free  # it was this very request


def check(study):
    text = python_text(study, data="people.csv", ledger="people.ledger")
    assert declared_by(text) == study
    assert max(map(len, text.splitlines())) <= WIDTH
    assert visible_lines(text) == text
    lines = text.splitlines()
    charging = next(place for place, line in enumerate(lines) if line.startswith("release = study.release("))
    assert lines[charging - 2 : charging] == CHARGES.splitlines()


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_study_that_is_kept_is_made_again_by_its_program(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    check(load_study(path.name, read_keys=read_keys))


@pytest.mark.parametrize("seed", range(40))
def test_a_random_study_is_made_again_by_its_program(seed):
    check(random_study(random.Random(seed)).declared)


@pytest.mark.long
def test_many_random_studies_are_made_again_by_their_programs():
    for study in drawn(range(40, 1500)):
        check(study)


@pytest.mark.parametrize("name", [*HOSTILE, '")\nraise SystemExit  #', "{x}", "\\", "#", "'''", "=1+1", "-"], ids=ascii)
def test_no_name_becomes_code_or_hides_some(name):
    lists = {name: {"kind": "category", "categories": [name, "b"]}}
    count = {"kind": "histogram", "column": name, "epsilon": 1}
    study = small(dataset=name, columns=lists, statistic=[count])
    check(study)
    text = python_text(study, data=name, ledger=name, table=name)
    names = {each.id for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Name)}
    assert names == {"snapdp", "study", "print", "release"}


def test_long_names_and_lists_are_broken_into_lines():
    long = "a very long name, " * 20
    lists = {long: {"kind": "category", "categories": [long, *map(str, range(500))], "compare": "text"}}
    study = small(dataset=long, columns=lists, statistic=[{"kind": "histogram", "column": long, "epsilon": 1}])
    check(study)
    assert len(python_text(study).splitlines()) < 100  # many categories share a line
    for_table = python_text(small(), data=long, ledger=long, table=long)
    assert max(map(len, for_table.splitlines())) <= WIDTH
    ast.parse(for_table)


def test_without_a_ledger_or_a_table_the_program_charges_nothing():
    for said in ({}, {"data": "people.csv"}, {"ledger": "people.ledger"}):
        text = python_text(small(), **said)
        assert text.endswith("print(study.plan())\n")
        assert "release" not in text
    own = python_text(small(data="people.csv"), ledger="people.ledger")
    assert 'release = study.release(ledger="people.ledger")' in own


def test_no_password_stands_in_a_program():
    address = "postgresql://ann:s3cret@db/people?password=s3cret"
    text = python_text(small(data=address), data=address, ledger=address, table="people")
    assert "s3cret" not in text
    assert text.count("postgresql://ann@db/people") == 3
    assert 'table="people"' in text
