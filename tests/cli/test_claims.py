"""`snapdp lab claims`: what it prints, what it refuses, exit codes."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import partial

import pytest

from snapdp.lab.claims.judges import CLAIMS
from tests.cli.running import run as run_command

run = partial(run_command, "lab", "claims")


EXAMPLE = ["--epsilon", "5/3", "--bound", "4", "--if-value", "4"]


def test_it_prints_each_formula_beside_the_exact_answer():
    done = run(*EXAMPLE)
    assert "Algorithm 1 says 0.686; missed with probability 0.217; case 4; exact 1\n" in done.output
    assert "not what snapdp uses" in done.output
    assert max(map(len, done.output.splitlines())) <= 80
    assert done.output.count("\n  Invalid by ") == 12
    assert done.output.count("\n  Valid.\n") + done.output.endswith("\n  Valid.") == 20


def test_it_begins_with_the_constants_in_the_notes_notation():
    lines = [line.split("│")[1:3] for line in run("P_L", *EXAMPLE).output.splitlines() if line.startswith("│")]
    shown = {name.strip(): number.strip() for name, number in lines}
    assert list(shown) == ["epsilon'", "lambda'", "Lambda'", "eta", "p", "B", "B'", "a", "gamma", "k", "B of B'"]
    assert [shown[name] for name in ("lambda'", "Lambda'", "p", "B", "gamma")] == ["0.6", "1", "118", "4", "0.05"]
    found = json.loads(run("P_L", *EXAMPLE, "--json").output)["notation"]
    assert found["eta"]["exact"] == str(Fraction(1, 2**118))
    assert {name: number["shown"] for name, number in found.items()} == shown
    exact = json.loads(run("P_L", *EXAMPLE, "--arithmetic", "exact", "--json").output)["notation"]
    assert set(found) - set(exact) == {"eta", "p"}
    assert Fraction(exact["lambda'"]["exact"]) == Fraction(3, 5)
    tiny = json.loads(run("P_L", "--epsilon", "1e-40", "--bound", "1", "--if-value", "0", "--json").output)["notation"]
    assert "k" not in tiny  # its formula needs an epsilon above 2^-117


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
    assert all(claim["why"].endswith(".") for claim in found["claims"] if not claim["valid"])
    assert first["misses_by"]["value"] == pytest.approx(0.1673, abs=5e-5)
    assert all((claim["misses_by"] is not None) == (claim["valid"] is False) for claim in found["claims"])


def test_in_exact_arithmetic_the_claims_about_bits_are_left_out():
    names = ("Algorithm 1", "eps' of section 5", "Mironov's bound", "Liu's bound")
    exact = (*EXAMPLE, "--arithmetic", "exact", "--n", "4", "--bounds", "0,1", "--accuracy", "2")
    done = run(*names, *exact)
    assert "Mironov's bound: left out" in done.output
    found = json.loads(run(*names, *exact, "--json").output)
    assert tuple(each["name"] for each in found["left_out"]) == names[1:]


def test_formulas_can_be_named():
    found = json.loads(run(*EXAMPLE, "(6.4)", "P_U-", "--json").output)
    assert [claim["name"] for claim in found["claims"]] == ["(6.4)", "P_U-"]
    run(*EXAMPLE, "P_M", code=1)


def test_what_it_cannot_take_is_refused():
    run("--epsilon", "1", "--bound", "4", code=2)
    run(*EXAMPLE, "--bounds", "1", code=2)
    run(*EXAMPLE, "--bounds", "a,b", code=2)
    outside = run("--epsilon", "1", "--bound", "4", "--if-value", "5", "--json", code=1)
    assert json.loads(outside.output)["ok"] is False


def test_numbers_beyond_doubles_are_shown():
    done = run("(4.1)", "P_L", "--epsilon", "1e-400", "--bound", "1", "--if-value", "0", "--json")
    shown = {claim["name"]: claim["exact"] for claim in json.loads(done.output)["claims"]}
    assert shown["(4.1)"]["value"] is None
    assert shown["(4.1)"]["shown"].endswith("e+400")
