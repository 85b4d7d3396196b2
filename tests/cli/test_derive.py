"""`snapdp lab derive`: what it prints, what it refuses, exit codes."""

from __future__ import annotations

import json
from functools import partial

import pytest
from click.testing import CliRunner

from snapdp.cli.app import main
from snapdp.lab.language.fpcore import gappa
from snapdp.lab.language.parser import load_program
from snapdp.lab.report.derivation import derivation_text
from snapdp.lab.semantics.bounds import derivations
from snapdp.lab.semantics.machine import Machine
from tests.cli.running import run as run_command

run = partial(run_command, "lab", "derive")


def test_it_prints_the_derivations_of_both_signs():
    done = run("snap_tenth")
    found = derivations(load_program("snap_tenth"), Machine())
    assert done.output == "\n".join(derivation_text(each) for each in found)
    assert done.output.count("(Add-Mix)") == 2


@pytest.mark.parametrize(("style", "start"), [("latex", r"\documentclass"), ("html", "<!doctype html>")])
def test_it_prints_documents(style, start):
    done = run("snap_half", "--format", style)
    assert done.output.startswith(start)


def test_it_reads_a_file_and_a_machine(tmp_path):
    path = tmp_path / "mine.imp"
    path.write_text("program mine { query f in [0, 1]; return f(D) * 0.5 + 0.1; }", encoding="utf-8")
    done = run(str(path), "--machine", "p=24", "--json")
    values = json.loads(done.output)
    assert values["machine"]["p"] == 24
    assert values["derivations"][0]["statements"][0]["steps"][-1]["rule"] == "Add"


def test_it_prints_the_gappa_script():
    done = run("snap_mul", "--gappa")
    assert done.output == gappa(load_program("snap_mul"), Machine())


def test_a_program_that_cannot_be_read_or_judged_exits_with_2(tmp_path):
    bad, unjudged = tmp_path / "bad.imp", tmp_path / "unjudged.imp"
    bad.write_text("program p {\n  y = 1 + ;\n}", encoding="utf-8")
    unjudged.write_text("program p { query f; return 1 / f(D); }", encoding="utf-8")
    done = run(str(bad), code=2)
    assert "bad.imp, line 2, column 11" in done.stderr
    done = run(str(unjudged), "--json", code=2)
    assert json.loads(done.output)["ok"] is False
    run("snap_nothing", code=2)


def test_a_machine_that_cannot_be_is_refused():
    done = run("snap_half", "--machine", "p=zero", code=1)
    assert "no whole number" in done.stderr


def test_two_forms_at_once_are_wrong_usage():
    done = run("snap_half", "--json", "--gappa", code=2)
    assert "one of" in json.loads(done.stdout)["error"]


def test_the_lab_has_its_own_commands_only() -> None:
    assert CliRunner().invoke(main, ["lab", "release"]).exit_code == 2


def test_the_rules_of_the_note_come_with_their_warning():
    done = run("snap_half", "--rules", "printed")
    assert done.stdout.startswith("The rules of Liu's note, as printed, are unsound")
    assert "unsound" in json.loads(run("snap_half", "--rules", "repaired", "--json").stdout)["warning"]
    run("snap_half", "--rules", "printed", "--format", "latex", code=2)
    run("snap_half", "--rules", "printed", "--gappa", code=2)
