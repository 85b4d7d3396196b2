"""`snapdp ledger composed` and `snapdp registry`: what people see, and what they never charge."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from snapdp import Ledger
from tests.cli.running import run

RECORD = Path(__file__).parents[1] / "vectors" / "releases" / "record.json"


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "people.ledger"
    with Ledger.create(path) as found:
        found.create_account("people", cap=20, relation="change-one", rows=5)
        found.create_account("empty", cap=1, relation="change-one", rows=5)
        version = found.dataset_version("people", b"\0" * 32)
        for number in range(20):
            terms = {"relation": "change-one", "rows": 5, "version": version, "epsilon": "1/10"}
            found.abandon(found.reserve("people", request={"number": number}, **terms))
    return path


def test_the_sum_is_said_first_and_the_rest_is_shown_and_never_charged(ledger):
    done = run("ledger composed", ledger)
    said = " ".join(done.stdout.split())
    assert "people: epsilon 2 spent. The sum is what counts." in said
    assert "with delta 0.000001; or zCDP with rho 0.1" in said
    assert "Shown, never charged." in said
    assert "snapdp help delta" in said
    assert "empty: epsilon 0 spent." in said
    assert max(map(len, done.stdout.splitlines())) <= 80
    with Ledger.open(ledger) as found:
        assert found.account("people").spent == 2


def test_where_nothing_is_gained_one_sentence_says_so(ledger):
    assert "as good" not in run("ledger composed", ledger, "--delta", "0.01").stdout
    said = " ".join(run("ledger composed", ledger, "--delta", "1e-30").stdout.split())
    assert "epsilon 2.0000 with delta" in said
    assert "Nothing to speak of is gained here: the sum is as good." in said


def test_two_opinions_have_the_same_places(ledger, monkeypatch):
    monkeypatch.setattr("snapdp.interop.dp_accounting.epsilon_by_package", lambda _, delta: float(delta) + 1.23356)
    said = " ".join(run("ledger composed", ledger, "--delta", "0.001", "--second-opinion").stdout.split())
    ours, theirs = re.findall(r"epsilon ([0-9]+\.[0-9]+) with", said)
    assert theirs == "1.2346"
    assert len(ours) == len(theirs)


def test_an_account_that_is_not_there_is_refused_with_those_that_are(ledger):
    done = run("ledger composed", ledger, "--dataset", "nobody", code=1)
    said = " ".join(done.stderr.split())
    assert "Refused: the ledger has no account 'nobody'. It has: empty, people." in said


def test_json_has_exact_amounts_and_the_events(ledger):
    done = run("ledger composed", ledger, "--delta", "1e-3", "--dataset", "people", "--json")
    (found,) = json.loads(done.stdout)["accounts"]
    assert (found["spent"], found["delta"], found["rho"], found["spends"]) == ("2", "1/1000", "1/10", 20)
    assert 1 < float(found["epsilon"]) < 2
    assert found["events"] == [
        {"event": "DiscreteLaplaceDpEvent", "noise_parameter": 0.1, "sensitivity": 1, "count": 20}
    ]


def test_a_second_opinion_needs_the_package_and_says_how_to_get_it(ledger, monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    done = run("ledger composed", ledger, "--second-opinion", code=1)
    assert "Refused: dp-accounting is not installed." in done.stderr
    assert "pip install 'dp-accounting>=" in done.stderr


@pytest.mark.parametrize("delta", ["0", "1", "-1", "2"])
def test_a_delta_that_is_none_is_refused(ledger, delta):
    done = run("ledger composed", ledger, f"--delta={delta}", code=1)
    assert "no probability" in done.stderr


def test_a_sheet_is_printed_or_written_to_a_new_file(tmp_path):
    printed = run("registry", RECORD)
    assert 'variant_name: "Pure DP"' in printed.stdout
    where = tmp_path / "sheet.yaml"
    written = run("registry", RECORD, "--output", where)
    assert written.stdout == ""
    assert where.read_text(encoding="utf-8") == printed.stdout
    again = run("registry", RECORD, "--output", where, code=1)
    assert "not overwritten" in again.stderr


def test_the_sheet_as_json_has_the_same_keys():
    found = json.loads(run("registry", RECORD, "--json").stdout)
    assert found["sheet"]["deployment"]["privacy_loss"]["privacy_parameters"] == {"epsilon": 1.5}


def test_what_is_no_record_has_no_sheet(tmp_path):
    (tmp_path / "x.json").write_text('{"a": 1}', encoding="utf-8")
    done = run("registry", tmp_path / "x.json", code=1)
    assert "x.json is no record of a release." in " ".join(done.stderr.split())


@pytest.mark.parametrize("wrong", ["abc", "1e99999999", "-1"])
def test_a_record_whose_charge_is_no_number_is_refused_in_words(tmp_path, wrong):
    found = {**json.loads(RECORD.read_text(encoding="utf-8")), "charged": wrong}
    (tmp_path / "x.json").write_text(json.dumps(found), encoding="utf-8")
    done = run("registry", tmp_path / "x.json", code=1)
    assert f"Refused: charged = '{wrong}' in the record is no number" in done.stderr
