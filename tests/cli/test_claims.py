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
    assert "\nAlgorithm 1 says 0.686; exact 1. Invalid by 0.167.\n" in done.output
    assert "not what snapdp uses" in done.output
    assert max(map(len, done.output.splitlines())) <= 80
    assert done.output.count(" Invalid by ") == 11
    assert done.output.count(" Valid.\n") == 20


def test_it_begins_with_the_constants_in_the_notes_notation():
    shown = " ".join(run("P_L", *EXAMPLE).output.split())
    assert (
        "epsilon' = 1.667, lambda' = 0.6, Lambda' = 1, B = 4, B' = 4, a = 2.297, gamma = 0.05, k = 1.2, p = 118, eta"
        in shown
    )
    found = json.loads(run("P_L", *EXAMPLE, "--json").output)["notation"]
    assert found["eta"]["exact"] == str(Fraction(1, 2**118))
    exact = json.loads(run("P_L", *EXAMPLE, "--arithmetic", "exact", "--json").output)["notation"]
    assert set(found) - set(exact) == {"eta", "p"}
    assert Fraction(exact["lambda'"]["exact"]) == Fraction(3, 5)


def test_json_has_the_same_claims():
    found = json.loads(run(*EXAMPLE, "--json").output)
    first = found["claims"][0]
    assert (first["name"], first["valid"], first["says"]["shown"]) == ("Algorithm 1", False, "0.686")
    assert first["exact"] == {"shown": "1", "value": 1.0, "exact": "1"}
    assert found["left_out"] == []
    assert [claim["name"] for claim in found["claims"]] == list(CLAIMS)
    assert first["misses_by"]["value"] == pytest.approx(0.1673, abs=5e-5)
    assert all((claim["misses_by"] is not None) == (claim["valid"] is False) for claim in found["claims"])


def test_in_exact_arithmetic_the_claims_about_bits_are_left_out():
    names = ("Algorithm 1", "eps' of section 5", "Mironov's bound", "Liu's bound")
    exact = (*EXAMPLE, "--arithmetic", "exact")
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
    run(*EXAMPLE, "--bits", "a", code=2)
    outside = run("--epsilon", "1", "--bound", "4", "--if-value", "5", "--json", code=1)
    assert json.loads(outside.output)["ok"] is False


def test_numbers_beyond_doubles_are_shown():
    done = run("(4.1)", "P_L", "--epsilon", "1e-400", "--bound", "1", "--if-value", "0", "--json")
    shown = {claim["name"]: claim["exact"] for claim in json.loads(done.output)["claims"]}
    assert shown["(4.1)"]["value"] is None
    assert shown["(4.1)"]["shown"].endswith("e+400")
