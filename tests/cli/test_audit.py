"""`snapdp verify RECORD` and its files, and what it says of numbers that it did not look at."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from snapdp.cli.app import main
from tests.unit.release.people import LONG, MEAN, released

MEANS = {"kind": "mean", "column": "age", "by": "many", "epsilon": 1}


def run(*arguments: str | Path):
    return CliRunner().invoke(main, [*map(str, arguments)])


@pytest.fixture
def record(tmp_path: Path) -> Path:
    result = released(tmp_path, LONG, MEANS, MEAN, relation="add-remove")
    result.save(tmp_path / "record.json")
    return tmp_path / "record.json"


def files(record: Path) -> list[Path]:
    return sorted(record.parent.glob("snapdp-*.parquet"))


def test_verify_reads_the_files_beside_a_record_and_says_so(record):
    done = run("verify", record, "--ledger", record.parent / "people.ledger")
    assert done.exit_code == 0
    assert " ".join(done.stdout.split()).startswith(f"SOUND: {record} with the 4 files beside it follows from")
    told = json.loads(run("verify", record, "--json").stdout)["files"]
    assert (sorted(told["seen"]), told["unseen"]) == ([file.name for file in files(record)], [])


def test_verify_prints_the_digest_that_the_report_states(record):
    from snapdp.release.result import load_release

    stated = re.findall(r"Digest of the record: <code>([^<]*)</code>", load_release(record).to_html())
    assert stated[0] in run("verify", record).stdout
    assert json.loads(run("verify", record, "--json").stdout)["digest"] == stated[0]


@pytest.fixture
def published(tmp_path, monkeypatch) -> None:
    """Make the directory of a release, with record and report, the one to work in."""
    monkeypatch.chdir(tmp_path)
    result = released(tmp_path, MEAN)
    result.save("record.json")
    result.save("report.html")


@pytest.mark.usefixtures("published")
def test_the_report_of_a_record_is_accepted_and_not_written():
    before = Path("report.html").read_bytes()
    done = run("verify", "record.json", "--report", "report.html")
    assert done.exit_code == 0
    assert done.stdout.startswith(
        "ACCEPTED: report.html is byte for byte what snapdp writes from this record.\nSOUND: "
    )
    told = json.loads(run("verify", "record.json", "--report", "report.html", "--json").stdout)
    assert (told["ok"], told["verdict"], told["report"]) == (True, "SOUND", {"verdict": "ACCEPTED", "reason": None})
    assert json.loads(run("verify", "record.json", "--json").stdout)["report"] is None
    assert Path("report.html").read_bytes() == before


@pytest.mark.usefixtures("published")
def test_an_edited_report_is_refused_with_the_line():
    text = Path("report.html").read_text()
    place = text.index("</td>") - 1
    Path("report.html").write_text(text[:place] + ("1" if text[place] != "1" else "2") + text[place + 1 :])
    done = run("verify", "record.json", "--report", "report.html")
    assert done.exit_code == 1
    assert done.stdout.startswith("REFUSED: report.html is not what snapdp ")
    assert f"from line {text.count(chr(10), 0, place) + 1} on" in " ".join(done.stdout.split())
    told = json.loads(run("verify", "record.json", "--report", "report.html", "--json").stdout)
    assert (told["ok"], told["verdict"], told["report"]["verdict"]) == (False, "SOUND", "REFUSED")


@pytest.mark.usefixtures("published")
def test_a_report_that_is_not_there_is_wrong_usage_and_none_is_written():
    done = run("verify", "record.json", "--report", "other.html")
    assert done.exit_code == 2
    assert "there is no such file" in " ".join(done.stderr.split())
    assert not Path("other.html").exists()


@pytest.mark.parametrize("fault", [MemoryError, OverflowError, KeyError, RecursionError])
@pytest.mark.usefixtures("published")
def test_an_audit_that_fails_accuses_nobody(monkeypatch, fault):
    def fail(*_: object, **__: object) -> None:
        raise fault("injected")

    monkeypatch.setattr("snapdp.audits.release_audit.rebuilt", fail)
    done = run("verify", "record.json")
    assert (done.exit_code, done.stdout[:17]) == (3, "COULD NOT CHECK: ")
    assert fault.__name__ in done.stdout
    told = json.loads(run("verify", "record.json", "--json").stdout)
    assert (told["ok"], told["verdict"]) == (False, "COULD NOT CHECK")


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000, "<!doctype html>"])
@pytest.mark.usefixtures("published")
def test_a_record_that_cannot_be_read_could_not_be_checked(content):
    Path("record.json").write_text(content)
    done = run("verify", "record.json")
    assert (done.exit_code, done.stdout[:17]) == (3, "COULD NOT CHECK: ")


def test_a_report_alone_is_told_how_it_is_compared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for text in ("<!doctype html>\n<html></html>", "\ufeff \n<HTML><body>", "<!DOCTYPE HTML>"):
        Path("report.html").write_text(text, encoding="utf-8")
        done = run("verify", "report.html")
        assert (done.exit_code, done.stdout) == (2, "")
        said = " ".join(done.stderr.split())
        assert "report.html is a page of HTML, not a record" in said
        assert "snapdp verify record.json --report report.html" in said


@pytest.mark.parametrize(
    "name", ["people.csv", "people.toml", "people.ledger", "people.parquet", "people", "data.json"]
)
def test_of_anything_else_the_command_says_what_it_takes(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    contents = {"people.parquet": b"PAR1\x00\xff\xfe", "people.ledger": b"SQLite format 3\x00\xff", "data.json": b"{}"}
    if name == "people":
        Path(name).mkdir()
    else:
        Path(name).write_bytes(contents.get(name, b"age = 31\n"))
    done = run("verify", name)
    assert (done.exit_code, done.stdout) == (2, "")
    said = " ".join(done.stderr.split())
    assert "takes the record of a release, or certificates (.json)" in said
    assert "snapdp ledger verify" in said


@pytest.mark.parametrize("name", ["pipe.json", "pipe.html", "pipe"])
def test_a_pipe_is_not_waited_for(name, tmp_path):
    os.mkfifo(tmp_path / name)
    command = [sys.executable, "-m", "snapdp", "verify", str(tmp_path / name)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == (3 if name == "pipe.json" else 2)
    assert "it is not a regular file" in " ".join((done.stdout + done.stderr).split())
