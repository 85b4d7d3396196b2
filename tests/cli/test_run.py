"""`snapdp lab run`: what it prints, what it refuses, exit codes."""

from __future__ import annotations

import json
from functools import partial

import pytest
from click.testing import CliRunner

from snapdp.cli.app import main
from snapdp.lab.language.parser import load_program
from snapdp.lab.report.cases import evaluation_text
from snapdp.lab.semantics.machine import parse_machine
from snapdp.lab.semantics.reals import evaluate
from tests.cli.running import run as run_command

HALF = ["snap_half", "--f", "3", "--U", "0.3", "--S", "-1"]


run = partial(run_command, "lab", "run")


def test_it_prints_both_evaluations_at_80_columns():
    done = run(*HALF)
    found = evaluate(load_program("snap_half"), parse_machine(""), {"f": 3, "U": "0.3", "S": -1})
    assert done.stdout == evaluation_text(found)
    assert max(map(len, done.stdout.splitlines())) < 80


def test_flags_mean_the_only_query_draw_and_sign_whatever_they_are_called(tmp_path):
    path = tmp_path / "mine.imp"
    path.write_text(
        "program mine { query g in [0, 9]; V <-$ unif; T <-$ {-1,1}; return g(D) + T * ln(V); }", encoding="utf-8"
    )
    done = run(str(path), "--f", "3", "--U", "1/2", "--S", "1", "--machine", "p=8", "--json")
    values = json.loads(done.stdout)
    assert (values["values"], values["rounded"]) == ({"g": "3", "V": "1/2", "T": "1"}, {})
    assert (values["machine"]["p"], values["sound"]) == (8, True)
    assert run(str(path), "--set", "g=3", "--set", "V=1/2", "--set", "T=1", "--machine", "p=8", "--json").stdout == (
        done.stdout
    )


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["snap_half", "--f", "3", "--U", "0.3"], 1, "needs a value for S"),
        (["snap_half", "--f", "3", "--U", "2", "--S", "1"], 1, "U = 2 is never drawn"),
        (["snap_half", "--f", "99", "--U", "0.3", "--S", "1"], 1, "outside the declared range"),
        (["snap_half", "--f", "x", "--U", "0.3", "--S", "1"], 2, "is no number"),
        (["naive_primitive", "--f", "1", "--U", "1", "--S", "1"], 2, "--S is a sign; naive_primitive has none"),
        ((*HALF, "--set", "S=1"), 2, "S is given twice"),
        ((*HALF[:-2], "--set", "S"), 2, "--set takes NAME=NUMBER"),
        ((*HALF[:-2], "--set", "S=1", "--set", "S=1"), 2, "S is given twice"),
        ((*HALF, "--set", "W=1"), 1, "'W' is no query or sample"),
        (("snap_nothing",), 2, "snap_nothing"),
    ],
)
def test_it_refuses_in_the_words_of_the_command(words, code, said):
    done = run(*words, code=code)
    assert done.stdout == ""
    assert said in done.stderr


def test_the_rules_of_the_note_miss_a_value():
    done = run(*HALF, "--rules", "printed")
    assert "are unsound" in done.stdout
    assert json.loads(run(*HALF, "--rules", "printed", "--json").stdout)["sound"] is False


def test_an_output_is_answered_with_the_draws_that_lead_to_it():
    done = run("snap_half", "--f", "3", "--output", "6")
    assert "S = -1: exp((f - x - Lambda/2) eps) < U <= exp((f - x + Lambda/2) eps)\n" in done.stdout
    assert max(map(len, done.stdout.splitlines())) < 80
    values = json.loads(run("snap_half", "--f", "3", "--output", "6", "--json").stdout)
    assert [each["condition"] is None for each in values["signs"]] == [True, False]
    run(*HALF, "--output", "6", code=2)
    run("snap_half", "--f", "3", "--output", "5", code=1)


def test_an_audited_function_of_a_file_is_run_and_derived(tmp_path):
    path = tmp_path / "mechanism.py"
    lines = ["import snapdp", "from snapdp.lab.language.tracing import clamp, ln, round_to", "", ""]
    lines += ["@snapdp.lab.audit(query=(-64, 64), epsilon=0.5)", "def snap(f, U, S):"]
    path.write_text("\n".join([*lines, "    return clamp(round_to(f + S * ln(U) / 0.5, 2), 64)", ""]), encoding="utf-8")
    done = CliRunner().invoke(main, ["lab", "run", f"{path}:snap", "--f", "3", "--U", "0.3", "--S", "-1"])
    assert done.exit_code == 0
    assert "clamp" in done.stdout
    derived = CliRunner().invoke(main, ["lab", "derive", f"{path}:snap"])
    assert (derived.exit_code, "round" in derived.stdout) == (0, True)
