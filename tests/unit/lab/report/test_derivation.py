"""Derivations as readers see them: golden files, rule names, refusals; and the Gappa script of the noise lemma."""

from __future__ import annotations

import subprocess
from fractions import Fraction

import pytest

from snapdp.errors import ParameterError, ProgramError
from snapdp.lab.language.fpcore import gappa
from snapdp.lab.language.parser import load_program, parse, program_names
from snapdp.lab.report.derivation import (
    derivation_latex,
    derivation_page,
    derivation_text,
    derivation_values,
    steps,
)
from snapdp.lab.semantics.bounds import derivations, derive
from snapdp.lab.semantics.machine import Machine, parse_machine
from tests import VECTORS
from tests.services import gappa_program

GOLDEN = {
    "snap_tenth.derivation.txt": lambda found: "\n".join(derivation_text(each) for each in found),
    "snap_tenth.derivation.tex": derivation_latex,
    "snap_tenth.derivation.html": derivation_page,
}


def snap_tenth():
    return derivations(load_program("snap_tenth"), Machine())


def rules_of(text, machine=None, declarations="query f in [1, 4];"):
    program = parse(f"program p {{ {declarations} U <-$ unif; S <-$ {{-1,1}}; y = {text}; return y; }}")
    found = derive(program, machine or Machine(), sign=1)
    return [step.rule for step in steps(found.lines[-1].step)]


@pytest.mark.parametrize("name", GOLDEN)
def test_a_derivation_prints_as_it_did(name):
    """Written by this package and read by eye, once."""
    assert GOLDEN[name](snap_tenth()) == (VECTORS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("0.1", "Const"),
        ("0.5", "Const-F"),
        ("f(D)", "F(D)"),
        ("U", "Var"),
        ("-U", "Neg"),
        ("ln(U)", "Ln-Neg"),
        ("ln(f(D))", "Ln"),
        ("ln(f(D) / 3 + U)", "Ln-Mix"),
        ("f(D) + U", "Add"),
        ("ln(U) + -1", "Add-Neg"),
        ("f(D) + ln(U)", "Add-Mix"),
        ("f(D) - U", "Sub"),
        ("f(D) - 5", "Sub-Neg"),
        ("f(D) * f(D)", "Mul"),
        ("f(D) * ln(U)", "Mul-Neg"),
        ("(f(D) - 2) * (f(D) - 2)", "Mul-Mix"),
        ("f(D) / 3", "Div"),
        ("ln(U) / f(D)", "Div-Neg"),
        ("f(D) * S", "Mul by +-2^k, exact"),
        ("f(D) * -0.25", "Mul by +-2^k, exact"),
        ("f(D) / 8", "Div by +-2^k, exact"),
        ("8 / f(D)", "Div"),
        ("round[1/4](f(D))", "Round"),
        ("round[3](f(D))", "Round"),
        ("clamp[2](ln(U))", "Clamp"),
        ("clamp[0.1, 2](f(D))", "Clamp"),
    ],
)
def test_rules_have_the_names_readers_know(text, rule):
    assert rules_of(text)[-1] == rule


def test_neighbours_within_a_factor_of_two_subtract_exactly():
    assert rules_of("f(D) - 1.5", declarations="query f in [1, 3];")[-1] == "Sub by Sterbenz, exact"
    assert rules_of("f(D) - 1.5", declarations="query f in [1, 3.0001];")[-1] == "Sub-Mix"
    assert rules_of("f(D) - 1.5", declarations="query f in [0.7, 3];")[-1] == "Sub-Mix"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 / f(D)", r"'y = 1 / f\(D\)'.*divisor.*f\(D\) may lie in \[-inf, inf\]"),
        ("ln(f(D))", r"'y = ln\(f\(D\)\)'.*above 0"),
        ("ln(U - 1)", r"ln needs an argument above 0; U - 1 may lie in \[-1, "),
        ("1 / (U - 0.5)", "divisor must keep away from 0"),
        ("1 / round[1](U)", "divisor must keep away from 0"),
    ],
)
def test_a_premise_that_fails_is_named_with_its_statement(text, words):
    with pytest.raises(ProgramError, match=words):
        rules_of(text, declarations="query f;")


@pytest.mark.parametrize("name", program_names())
def test_every_bundled_program_has_a_derivation_in_every_form(name):
    found = derivations(load_program(name), Machine())
    assert derivation_values(found)["derivations"][0]["statements"][-1]["steps"][-1]["rule"]
    assert derivation_text(found[0]).count("\n") > len(found[0].lines)
    page = derivation_latex(found)
    assert page.count("{") == page.count("}")
    assert page.count(r"\left") == page.count(r"\right")


# Gappa


def test_the_noise_lemma_prints_as_it_did():
    assert gappa(load_program("snap_mul"), Machine()) == (VECTORS / "snap_mul.g").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "machine", "counted"),
    [
        ("snap_half", "", "one inexact rounding,"),
        ("snap_tenth", "", "2 inexact roundings,"),
        ("snap_mul", "ln=2", "3 inexact roundings,"),
        ("snap_minus", "ln=2", "2 inexact roundings,"),
    ],
)
def test_the_noise_lemma_counts_inexact_roundings_only(name, machine, counted):
    assert counted in gappa(load_program(name), parse_machine(machine))


def test_noise_of_another_form_has_no_lemma():
    with pytest.raises(ProgramError, match="no noise of the form"):
        gappa(load_program("naive_primitive"), Machine())


@pytest.mark.parametrize("name", ["snap_half", "snap_tenth", "snap_mul", "snap_minus"])
@pytest.mark.parametrize("machine", ["", "umin=-1074,ln=2", "p=24"])
def test_gappa_proves_the_lemma(name, machine):
    script = gappa(load_program(name), parse_machine(machine))
    done = subprocess.run([gappa_program()], input=script, text=True, capture_output=True, timeout=20)
    assert (done.returncode, done.stderr) == (0, "")


# The machine


def test_a_machine_is_read_from_text():
    assert parse_machine("") == Machine()
    assert parse_machine("p=24") == Machine(p=24)
    assert parse_machine(" sampler = grid53 , umin=-1074,ln=2") == Machine(sampler="grid53", umin=-1074, ln_roundings=2)
    assert parse_machine("umin=none").umin is None
    assert parse_machine("p=3").eta == Fraction(1, 8)


@pytest.mark.parametrize(
    "text",
    [
        "q=3",
        "p",
        "p=",
        "p=x",
        "p=1",
        "p=3,p=4",
        "ln=0",
        "sampler=dice",
        "umin=5",
        "p=1e3",
        "sum=maybe",
        "sum=",
        "sum=exact,sum=exact",
        "add=exact",
    ],
)
def test_what_describes_no_machine_is_refused(text):
    with pytest.raises(ParameterError):
        parse_machine(text)
