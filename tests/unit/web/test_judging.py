"""The verify page: verdicts on programs, audits of records, and the end of what takes too long."""

from __future__ import annotations

import json
import os
import time

import pytest

from snapdp.errors import PremiseError
from snapdp.lab.language.parser import program_names, program_text
from snapdp.web.apart import answered_apart
from snapdp.web.verification import CLAIMS, KEPT, Reports
from snapdp.web.work import judge_program
from tests.unit.web.books_client import Reader, released, workplace

NO_PROGRAM = {"name": None, "text": None, "machine": "", "claim": None}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return Reader(workplace(tmp_path_factory.mktemp("judging")))


@pytest.fixture(scope="module")
def record(page):
    return json.dumps(released(page.place))


# Programs


def test_every_program_of_the_library_is_offered_with_its_text(page):
    found = page.get("/api/programs").json()
    assert [each["name"] for each in found["programs"]] == list(program_names())
    half = next(each for each in found["programs"] if each["name"] == "snap_half")
    assert half["text"] == program_text("snap_half")
    assert half["about"].startswith("The snapping mechanism at eps = 1/2 ")
    assert all(each["about"] and "--" not in each["about"] for each in found["programs"])


def test_a_program_is_judged_in_a_process_of_its_own_and_its_report_can_do_nothing(page):
    page = Reader(page.place, apart=True)
    found = page.post("/api/verify", {"name": "snap_half"}).json()
    assert (found["ok"], found["verdict"]) == (True, "VERIFIED")
    assert found["headline"].startswith("snap_half: the loss is at most 0.5000000000000")
    assert found["loss"]["lower"] < found["loss"]["upper"] < found["claimed"]
    assert "page" not in found
    report = page.get("/verdict", id=found["report"])
    assert report.headers["content-type"].startswith("text/html")
    policy = report.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy.split("; ")
    assert "script-src" not in policy
    assert "<svg" in report.text


def test_the_textbook_mechanism_is_refuted(page):
    found = page.post("/api/verify", {"name": "naive_laplace"}).json()
    assert (found["verdict"], found["loss"]) == ("REFUTED", {"lower": "infinity", "upper": None})


@pytest.mark.parametrize("claim", [*CLAIMS, "0.51"])
def test_every_claim_that_is_offered_can_be_judged(claim):
    assert judge_program(**{**NO_PROGRAM, "name": "snap_half", "claim": claim})["verdict"] == "VERIFIED"


def test_a_pasted_program_runs_on_the_machine_that_it_names_unless_another_is_given():
    text = "// Machine: p=24\n" + program_text("naive_laplace")
    assert judge_program(**{**NO_PROGRAM, "text": text})["machine"]["p"] == 24
    assert judge_program(**{**NO_PROGRAM, "text": text, "machine": "p=53"})["machine"]["p"] == 53


@pytest.mark.parametrize(
    "name", ["../x.imp", "/etc/passwd", "x.py:f", "snap_half.imp", "programs/snap_half", "", "<b>", "snap_half\x00"]
)
def test_a_name_that_is_not_the_library_s_is_refused_and_no_file_is_read(name, page, tmp_path, monkeypatch):
    (tmp_path / "x.imp").write_text(program_text("snap_half"), encoding="utf-8")
    (tmp_path / "x.py").write_text("raise SystemExit('run')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    refused = page.refusal("/api/verify", {"name": name})
    assert refused["error"].startswith("no bundled program is called")
    assert "snap_half" in refused["advice"]


def test_a_file_of_the_same_name_is_not_read_instead(page, tmp_path, monkeypatch):
    (tmp_path / "snap_half").write_text(program_text("naive_laplace"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert page.post("/api/verify", {"name": "snap_half"}).json()["verdict"] == "VERIFIED"


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({}, "one of them"),
        ({"name": "snap_half", "text": "program a {}"}, "one of them"),
        ({"text": "import os"}, "the program, line 1"),
        ({"text": "\ud800"}, "not of the shape"),
        ({"name": "snap_half", "machine": "p=minus"}, "p"),
        ({"name": "snap_half", "claim": "<script>"}, "claim"),
    ],
)
def test_what_cannot_be_judged_is_refused_in_words(body, word, page):
    assert word in page.refusal("/api/verify", body)["error"]


def test_the_last_reports_are_kept_and_no_others(page):
    reports = Reports()
    names = [reports.keep(str(each)) for each in range(KEPT + 2)]
    assert [reports.page(name) for name in names[2:]] == [str(each) for each in range(2, KEPT + 2)]
    answer = page.get("/verdict", id=names[0])
    assert (answer.status_code, answer.json()["error"]) == (400, "this report is not kept any longer.")


# Work with an end


def test_a_program_that_takes_too_long_is_stopped_and_refused_in_words(page):
    page = Reader(page.place, apart=True)
    for bench in page.benches:
        bench.seconds = 0.05
    refused = page.refusal("/api/verify", {"name": "snap_half"})
    assert refused["error"] == "this took longer than 0.05 s, and was stopped."
    assert refused["advice"] == "On the command line snapdp lab verify has no such limit. Nothing was spent."


def test_the_process_of_endless_work_is_gone_when_it_is_refused(tmp_path, monkeypatch):
    mark = tmp_path / "endless.py"
    mark.write_text("import os, sys, time\nopen(sys.argv[1], 'w').write(str(os.getpid()))\ntime.sleep(600)\n")
    told = tmp_path / "pid"
    monkeypatch.setattr("snapdp.web.apart.COMMAND", (str(mark), str(told)))
    with pytest.raises(PremiseError, match="took longer than 3 s"):
        answered_apart("judge_program", NO_PROGRAM, seconds=3, instead="snapdp lab verify")
    _wait_for(told)
    with pytest.raises(ProcessLookupError):
        os.kill(int(told.read_text()), 0)


def test_a_process_that_dies_is_a_refusal_and_no_defect(monkeypatch):
    monkeypatch.setattr("snapdp.web.apart.COMMAND", ("-c", "import os; os.abort()"))
    with pytest.raises(PremiseError, match="more memory or time than the page gives it"):
        answered_apart("judge_program", NO_PROGRAM, instead="snapdp lab verify")


def test_a_process_that_breaks_is_a_defect_and_tells_nothing_more(page, monkeypatch):
    monkeypatch.setattr("snapdp.web.apart.COMMAND", ("-c", "raise ValueError('secret')"))
    answer = Reader(page.place, apart=True).post("/api/verify", {"name": "snap_half"})
    assert (answer.status_code, answer.json()["error"]) == (500, "snapdp broke; this is a defect.")
    assert "secret" not in answer.text


def test_where_many_wait_one_more_is_refused(page, monkeypatch):
    monkeypatch.setattr("snapdp.web.apart.MOST_WAITING", -1)
    busy = Reader(page.place)
    assert busy.refusal("/api/verify", {"name": "snap_half"})["error"] == "too much is being asked at once."


def test_nothing_is_loaded_from_the_directory_in_which_the_page_was_started(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit(3)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = answered_apart("judge_program", {**NO_PROGRAM, "name": "naive_laplace"})
    assert (found.status, found.values["verdict"]) == (200, "REFUTED")


def _wait_for(path):
    end = time.monotonic() + 5
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.01)


# Records


def test_a_record_of_the_ledger_is_sound_and_the_ledger_holds_it(page, record):
    found = page.post("/api/audit", {"record": record}).json()
    assert (found["ok"], found["verdict"], found["in_ledger"]) == (True, "SOUND", True)
    assert found["says"] == "SOUND: this record follows from what it declares, and its ledger holds it."
    assert found["claim"].endswith("is 3/10-differentially private, if these hold:")
    assert {each["status"] for each in found["premises"]} == {"proved", "tested", "assumed"}


def test_a_record_is_read_as_its_file_has_it(page, record):
    """A number that a browser would write anew, 26.0 as 26, is another number to an audit."""
    part = json.loads(record)["statistics"][0]["parts"][0]
    index = part["index"][0]
    edited = record.replace(f'"index": [{index}]', f'"index": [{index}.0]', 1)
    assert edited != record
    answer = page.post("/api/audit", {"record": edited, "alone": True}).json()
    assert answer.get("verdict") != "SOUND"


def test_hostile_texts_of_a_record_are_shown_and_obeyed_by_nothing(page, record):
    forged = json.loads(record)
    forged["statistics"][0]["title"] = "<script>\u202e\ud800"
    answer = page.post("/api/audit", {"record": json.dumps(forged), "alone": True})
    assert answer.status_code in (200, 400)
    assert "\u202e" not in answer.text
    assert "\\ud800" not in answer.text.replace("\\\\ud800", "")


def test_a_certificate_is_not_taken_for_a_record(page):
    text = json.dumps({"format": 1, "record": {}})
    assert "this is a certificate" in page.refusal("/api/audit", {"record": text})["error"]


def test_a_forged_record_is_altered_and_its_fields_are_named(page, record):
    forged = json.loads(record)
    forged["statistics"][0]["epsilon"] = "1/50"
    answer = page.post("/api/audit", {"record": json.dumps(forged), "alone": True})
    found = answer.json()
    assert (answer.status_code, found["ok"], found["verdict"], found["sound"]) == (200, True, "ALTERED", False)
    assert any("epsilon" in each["field"] for each in found["findings"])
    assert found["says"].startswith("ALTERED: ")
