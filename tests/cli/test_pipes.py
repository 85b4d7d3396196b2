"""A reader that goes away changes no exit code, and is no defect of the command."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from random import Random

import pytest

from snapdp.cli.screen import UnreadPipe
from tests.unit.audits.releases import random_record


def unread(*words: str, both: bool = False) -> tuple[int, str]:
    """Run a command whose output nobody reads; return its exit code, and what it says."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-m", "snapdp", *words]
        streams = {"stdout": writing, "stderr": writing if both else subprocess.PIPE}
        done = subprocess.run(command, check=False, text=True, **streams)
    finally:
        os.close(writing)
    return done.returncode, done.stderr or ""


@pytest.fixture
def records(tmp_path):
    record = random_record(Random(3))
    altered = copy.deepcopy(record)
    altered["charged"] = "1/7919"
    for name, each in {"sound": record, "altered": altered}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(each), encoding="utf-8")
    return tmp_path


def test_the_verdict_is_the_exit_code_whoever_reads_on(records):
    assert unread("verify", str(records / "sound.json")) == (0, "")
    assert unread("verify", str(records / "altered.json")) == (1, "")
    assert unread("verify", str(records / "none.json"), both=True)[0] == 2


@pytest.mark.parametrize("words", [["--help"], ["ledger", "--help"]])
def test_a_page_of_help_that_nobody_reads_is_no_defect(words):
    assert unread(*words) == (0, "")


def test_a_failure_that_is_no_absent_reader_is_still_one():
    with open("/dev/full", "wb") as full, pytest.raises(OSError, match="No space left"):
        UnreadPipe(full.fileno(), "w", closefd=False).write(b"x")
