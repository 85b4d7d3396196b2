"""Files of every kind that earlier versions wrote are read for ever: tests/vectors/golden."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import shutil
import sqlite3
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

import snapdp
from snapdp.cli.app import main
from snapdp.release.audit import audit
from snapdp.release.ledger import Ledger
from snapdp.release.result import shown_number, shown_value
from tests.services import SERVER, address, new_database, postgres_server

V1 = Path(__file__).parents[2] / "vectors" / "golden" / "v1"
STUDIES = {"change-one.toml": "record.json", "add-remove.toml": "record-with-files.json"}
RECORDS = [*STUDIES.values(), "record-team.json"]
ANALYST = "golden_analyst"


def restored(folder: Path) -> Path:
    """Return the ledger of version 1 as the file it was."""
    path = folder / "people.ledger"
    with sqlite3.connect(path) as connection:
        connection.executescript((V1 / "people.ledger.sql").read_text())
    connection.close()
    path.chmod(0o600)
    return path


def in_its_place(folder: Path, study: str) -> Path:
    """Return a study in a folder of its own, with its table."""
    for name in (study, "people.csv", "visits.csv"):
        shutil.copy(V1 / name, folder / name)
    return folder / study


@pytest.mark.parametrize(("study", "record"), STUDIES.items())
def test_a_study_still_asks_what_it_asked(study, record):
    kept = json.loads((V1 / record).read_text())
    request = snapdp.study(V1 / study).request()
    assert request.epsilon == Fraction(kept["charged"])
    titles = [each["title"] for each in kept["statistics"]]
    assert [each["title"] for each in request.declaration["statistics"]] == titles


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_is_read_and_audited_as_sound(name):
    record = json.loads((V1 / name).read_text())
    assert snapdp.load_release(V1 / name).record == record
    assert audit(record).findings == ()


def test_a_record_still_holds_the_numbers_that_were_published():
    with (V1 / "values.csv").open(newline="", encoding="utf-8") as file:
        published = [(row["statistic"], row["cell"], float(row["value"])) for row in csv.DictReader(file)]
    numbers = snapdp.load_release(V1 / "record.json").numbers()
    assert [(each.statistic, each.cell, float(each.value)) for each in numbers] == published


def test_a_side_file_is_the_one_its_record_names():
    block = json.loads((V1 / "record-with-files.json").read_text())["statistics"][0]["parts"][0]["file"]
    content = base64.b64decode((V1 / f"{block['name']}.base64").read_text())
    assert block["digest"] == "sha256:" + hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("name", ["report.html", "report-with-files.html"])
def test_a_report_of_a_record_still_shows_its_numbers(name):
    page, release = (
        (V1 / name).read_text(),
        snapdp.load_release(V1 / name.replace("report", "record").replace("html", "json")),
    )
    for number in release.numbers():
        assert f">{shown_number(number.value)}<" in page
        assert f">{shown_value(number)}<" in release.to_html()


@pytest.mark.parametrize(
    "name", [*sorted(each.name for each in V1.glob("*certificate*.json")), "program-refutation.json"]
)
def test_a_certificate_is_still_accepted(name):
    found = CliRunner().invoke(main, ["check", str(V1 / name)])
    assert (found.exit_code, found.output.split("\n")[0]) == (0, "ACCEPTED")


def test_a_ledger_is_opened_verified_and_goes_on(tmp_path):
    with Ledger.open(restored(tmp_path)) as ledger:
        for name in STUDIES.values():
            ledger.verify(json.loads((V1 / name).read_text()))
        states = [charge.state for charge in ledger.history("people")]
        assert states == ["committed", "abandoned", "orphaned"]
        spent = ledger.account("people").spent
        version = ledger.dataset_version("people", b"other content")
        terms = {"version": version, "relation": "change-one", "rows": 60}
        ledger.abandon(ledger.reserve("people", epsilon="1/4", request={"more": 1}, **terms))
        assert ledger.account("people").spent == spent + Fraction(1, 4)
        ledger.verify(json.loads((V1 / "record.json").read_text()))


@pytest.mark.parametrize(("study", "record"), STUDIES.items())
def test_what_was_answered_before_is_still_free(tmp_path, study, record):
    with Ledger.open(restored(tmp_path)) as ledger:
        found = snapdp.study(in_its_place(tmp_path, study)).release(ledger=ledger, directory=tmp_path)
    assert found.free
    assert found.record == json.loads((V1 / record).read_text())


def test_a_team_ledger_is_migrated_verified_and_goes_on(tmp_path):
    import psycopg

    from snapdp.release.postgres import migrate

    record = json.loads((V1 / "record-team.json").read_text())
    with new_database(postgres_server()) as where:
        with psycopg.connect(where, autocommit=True) as connection:
            if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ANALYST,)).fetchall():
                connection.execute(f"CREATE ROLE {ANALYST} LOGIN")
            connection.execute((V1 / "team.ledger.sql").read_text())
        migrate(where)
        with Ledger.open(where) as ledger:
            ledger.verify(record)
            spent = ledger.account("people").spent
        database = psycopg.conninfo.conninfo_to_dict(where)["dbname"]
        with Ledger.open(address(SERVER, database=database, role=ANALYST)) as ledger:
            found = snapdp.study(in_its_place(tmp_path, "change-one.toml")).release(ledger=ledger, directory=tmp_path)
            assert found.free
            assert found.record == record
            version = ledger.dataset_version("people", b"other content")
            terms = {"version": version, "relation": "change-one", "rows": 60}
            ledger.abandon(ledger.reserve("people", epsilon="1/4", request={"more": 1}, **terms))
            assert ledger.account("people").spent == spent + Fraction(1, 4)
        with Ledger.open(where) as ledger:
            ledger.verify(record)
