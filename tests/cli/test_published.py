"""`snapdp lab published`: what it prints, what it refuses, exit codes."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from snapdp.accuracy.published.beside import CLAIMS
from snapdp.cli.app import main


def run(*arguments):
    return CliRunner().invoke(main, ["lab", "published", *arguments], env={"COLUMNS": "80"})


EXAMPLE = ("--epsilon", "5/3", "--bound", "4", "--if-value", "4")


def test_it_prints_each_formula_beside_the_exact_answer():
    done = run(*EXAMPLE)
    assert done.exit_code == 0
    assert "Algorithm 1 says 0.686; missed with probability 0.217; exact 1\n" in done.output
    assert "not what snapdp uses" in done.output
    assert max(map(len, done.output.splitlines())) <= 80
    assert done.output.count("\n  Invalid: ") == 12
    assert done.output.count("\n  Valid: ") == 20


def test_json_has_the_same_claims():
    found = json.loads(run(*EXAMPLE, "--json").output)
    first = found["claims"][0]
    assert (first["name"], first["valid"], first["says"]["shown"]) == ("Algorithm 1", False, "0.686")
    assert first["measured"].pop("value") == pytest.approx(0.2173, abs=5e-5)
    assert first["measured"] == {"what": "missed with probability", "shown": "0.217"}
    assert first["exact"] == {"shown": "1", "value": 1.0, "exact": "1"}
    assert found["mechanism"]["bits"] == 118
    assert found["left_out"] == []
    assert [claim["name"] for claim in found["claims"]] == list(CLAIMS)
    assert all(claim["why"].endswith(".") for claim in found["claims"])


def test_in_exact_arithmetic_the_claims_about_bits_are_left_out():
    names = ("Algorithm 1", "eps' of section 5", "Mironov's bound", "Liu's bound")
    exact = (*EXAMPLE, "--arithmetic", "exact", "--n", "4", "--bounds", "0,1", "--accuracy", "2")
    done = run(*names, *exact)
    assert done.exit_code == 0
    assert "Mironov's bound: left out" in done.output
    found = json.loads(run(*names, *exact, "--json").output)
    assert tuple(each["name"] for each in found["left_out"]) == names[1:]


def test_formulas_can_be_named():
    found = json.loads(run(*EXAMPLE, "(6.4)", "P_U-", "--json").output)
    assert [claim["name"] for claim in found["claims"]] == ["(6.4)", "P_U-"]
    assert run(*EXAMPLE, "P_M").exit_code == 1


def test_what_it_cannot_take_is_refused():
    assert run("--epsilon", "1", "--bound", "4").exit_code == 2
    assert run(*EXAMPLE, "--bounds", "1").exit_code == 2
    assert run(*EXAMPLE, "--bounds", "a,b").exit_code == 2
    outside = run("--epsilon", "1", "--bound", "4", "--if-value", "5", "--json")
    assert outside.exit_code == 1
    assert json.loads(outside.output)["ok"] is False


def test_numbers_beyond_doubles_are_shown():
    done = run("(4.1)", "P_L", "--epsilon", "1e-400", "--bound", "1", "--if-value", "0", "--json")
    assert done.exit_code == 0
    shown = {claim["name"]: claim["exact"] for claim in json.loads(done.output)["claims"]}
    assert shown["(4.1)"]["value"] is None
    assert shown["(4.1)"]["shown"].endswith("e+400")
