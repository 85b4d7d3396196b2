"""Who comes from 0.1 finds every step true: commands that were taken are refused, and what to say instead works."""

from __future__ import annotations

import importlib
import re
import shlex

import pytest
from click.testing import CliRunner

from snapdp.cli.app import main
from tests import ROOT
from tests.docs.test_examples import follow, make_tables

PAGE = ROOT / "docs" / "from-0.1-to-0.2.md"
TEXT = PAGE.read_text(encoding="utf-8")
SAID = re.findall(r"^\| `(snapdp [^`]+)` \| `(snapdp [^`]+)` \|", TEXT, re.MULTILINE)
MOVED = re.findall(r"^\| `(snapdp\.[\w.]+)`[^|]* \| `(snapdp\.[\w.]+)` \|$", TEXT, re.MULTILINE)


def done(line: str):
    return CliRunner().invoke(main, shlex.split(line)[1:])


def test_the_page_can_be_followed_by_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_tables(PAGE)
    follow(PAGE)
    assert '"ok": true' in done("snapdp ledger verify survey.ledger --json").stdout


def test_a_study_of_version_1_and_the_same_of_version_2_are_two_requests(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_tables(PAGE)
    import snapdp

    old = (tmp_path / "survey-of-0.1.toml").read_text(encoding="utf-8")
    new = old.replace("version = 1", "version = 2").replace("upper = 120", 'upper = 120\nmissing = "middle"')
    (tmp_path / "survey-2.toml").write_text(new, encoding="utf-8")
    first, second = (snapdp.study(name).request().declaration for name in ("survey-of-0.1.toml", "survey-2.toml"))
    assert first != second


@pytest.mark.parametrize(("before", "now"), SAID)
def test_what_0_1_took_is_refused_and_what_to_say_instead_works(before, now):
    assert done(before).exit_code == 2
    assert done(now).exit_code == 0


def test_the_tables_of_the_page_are_read():
    assert len(SAID) == 5
    assert len(MOVED) == 6


@pytest.mark.parametrize(("before", "now"), MOVED)
def test_modules_that_moved_are_gone_and_their_doors_open(before, now):
    importlib.import_module(now)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(before)


def test_the_former_door_of_studies_has_the_names_that_it_had():
    import snapdp.queries

    had = (
        "Column Condition Query Relation add_remove category_column change_one condition count_query covariance_query "
    )
    had += "derived_mean histogram_query integer_column mean_query mechanism number_column sum_query variance_query"
    assert [name for name in had.split() if not hasattr(snapdp.queries, name)] == []


def test_names_of_before_say_their_new_ones():
    assert "lab derive` now" in done("snapdp derive snap_half").stderr
    assert "lab bound` now" in done('snapdp bound "x+1" --range x=0,1').stderr
