"""The checker against the prover: they share no code, they count the same roundings, and accept each other's word."""

from __future__ import annotations

import ast
import random
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from snapdp.audits import check_program as check
from snapdp.errors import PremiseError, ProgramError
from snapdp.lab.language.parser import load_program, parse, program_names
from snapdp.lab.language.syntax import Program, Query
from snapdp.lab.language.text import as_lists, from_lists
from snapdp.lab.loss.certificate import _made, certificate_of
from snapdp.lab.loss.universal_bound import recognise
from snapdp.lab.loss.verdict import verify
from snapdp.lab.semantics.machine import Machine, parse_machine
from snapdp.values import replaced
from tests.test_architecture import dotted_name, every_module, imports, tree_of
from tests.unit.lab import corpus
from tests.unit.lab.loss.certificates import laplace, snapping

SOURCE = Path(check.__file__).parents[1]
PROGRAMS = 1500
ASKING = ("lab/loss/certificate.py", "audits/certificates.py", "cli/verify.py")


# No shared code


def test_the_checker_imports_the_standard_library_only():
    asked = imports(tree_of(Path(check.__file__)), "snapdp.audits.check_program", is_package=False)
    assert asked
    assert {name.split(".")[0] for name in asked} <= set(sys.stdlib_module_names)


def test_the_checker_opens_no_back_door_to_other_code():
    names = {node.id for node in ast.walk(TREE) if isinstance(node, ast.Name)}
    assert not names & {"exec", "eval", "compile", "__import__", "importlib", "getattr", "globals", "vars"}


TREE = tree_of(Path(check.__file__))


@every_module
def test_only_what_writes_and_checks_certificates_asks_the_checker(path):
    asked = imports(tree_of(path), dotted_name(path), is_package=path.name == "__init__.py")
    named = {alias.name for node in ast.walk(tree_of(path)) if isinstance(node, ast.ImportFrom) for alias in node.names}
    if str(path.relative_to(SOURCE)) not in ASKING:
        assert "snapdp.audits.check_program" not in asked
    assert "check_program" not in named


# The same numbers


def generated() -> list[tuple[list[Any], dict[str, Any]]]:
    rng = random.Random(2020)
    return [(corpus.program(rng), corpus.machine(rng)) for _ in range(PROGRAMS)]


def of_the_prover(statements: list[Any], machine: dict[str, Any]) -> tuple[Fraction, int] | None:
    query = Query(name="f", lower=Fraction(-8), upper=Fraction(8), sensitivity=Fraction(1))
    program = Program(
        name="generated",
        parameters=(),
        queries=(query,),
        statements=tuple(from_lists(statement) for statement in statements),
        result="result",
    )
    made = Machine(**machine)
    try:
        noise = recognise(program, made).noise
    except (ArithmeticError, ValueError):
        return None
    if noise is None or not (noise.signed and noise.drawn) or not noise.coefficient:
        return None
    return 1 / abs(noise.coefficient), noise.roundings


def of_the_checker(statements: list[Any], machine: dict[str, Any]) -> tuple[Fraction, int] | None:
    queries = {"f": (Fraction(-8), Fraction(8), Fraction(1))}
    try:
        tree = check.read_program(statements, "result", queries)
        _, _, _, (_, _, (_, left, right)) = tree
        noise = right if check.leaves(left, "query") else left
        c, signs, logs, roundings = check.monomial(noise, check.read_machine(machine))
    except check.Refusal:
        return None
    return (1 / abs(c), roundings) if signs == logs == 1 and c else None


def test_prover_and_checker_agree_on_roundings_and_noise_for_a_generated_corpus():
    same = refused = 0
    only_prover, only_checker, different = [], [], []
    for statements, machine in generated():
        one, other = of_the_prover(statements, machine), of_the_checker(statements, machine)
        if one is not None and other is not None:
            same += one == other
            different += [(statements, machine, one, other)] * (one != other)
        elif one is None and other is None:
            refused += 1
        else:
            (only_prover if other is None else only_checker).append((statements, machine))
    assert different == []
    assert only_checker == []
    assert only_prover == []
    assert same >= 1000
    assert refused >= 100


# The same verdicts

MACHINES = ("", "umin=-1022", "umin=-1074", "ln=2", "sampler=nearest", "sampler=grid53", "p=24")


def verdict_on(statements: list[Any], machine: dict[str, Any], query: Query, **claim: Any) -> Any:
    program = Program(
        name="generated",
        parameters=(),
        queries=(query,),
        statements=tuple(from_lists(statement) for statement in statements),
        result=statements[-1][1],
    )
    return verify(program, Machine(**machine), evaluations=0, **claim)


def confined(rng: random.Random) -> Query:
    """Return a query inside every clamp of the corpus, often not symmetric."""
    half = 8 * Fraction(1, rng.choice((1, 1, 2, 8)))
    shift = rng.choice((0, 0, 1)) * (8 - half)
    sensitivity = Fraction(rng.choice(("1", "1", "1/3", "2")))
    return Query(name="f", lower=shift - half, upper=shift + half, sensitivity=sensitivity)


@pytest.mark.parametrize("count", [30, pytest.param(600, marks=pytest.mark.long)])
def test_the_checker_accepts_every_bound_that_the_prover_certifies_as_tight(count):
    """The claim `tight` is the prover's own bound, so that the checker's must not be larger by anything."""
    rng = random.Random(count)
    accepted = 0
    for _ in range(count):
        statements, machine = corpus.program(rng), corpus.machine(rng)
        try:
            verdict = verdict_on(statements, machine, confined(rng), claim="tight")
        except ProgramError:
            continue
        if verdict.kind == "VERIFIED":
            assert check.check(certificate_of(verdict)) is None, (statements, machine)
            accepted += 1
    assert accepted >= count / 3


@pytest.mark.parametrize("ends", [(-64, 32), (0, 64), (-10, 100), (16, 64), (-64, -16), (1, 3)])
def test_both_bound_clamps_that_are_not_symmetric(ends):
    statements = snapping(laplace("1/2"), grid=2, bound=64)
    statements[3][2][1:3] = map(str, ends)
    query = Query(name="f", lower=Fraction(ends[0]), upper=Fraction(ends[1]), sensitivity=Fraction(1))
    verdict = verdict_on(statements, {"p": 53}, query, claim="tight")
    assert verdict.kind == "VERIFIED"
    assert check.check(certificate_of(verdict)) is None


QUICK = ("snap_half", "snap_let", "snap_mul", "snap_nosign", "snap_halfscale", "naive_laplace")
BUNDLED = [
    pytest.param(name, machine, marks=() if machine == "" and name in QUICK else pytest.mark.long)
    for name in program_names()
    for machine in MACHINES
]


@pytest.mark.parametrize(("name", "machine"), BUNDLED)
def test_certificates_of_the_bundled_programs_are_accepted(name, machine):
    verdict = verify(load_program(name), parse_machine(machine))
    if verdict.kind in ("VERIFIED", "REFUTED"):
        assert check.check(certificate_of(verdict)) is None


# What the checker does not know


FUNCTIONS = {
    "floor(y + 0.5)": "VERIFIED",
    "rint(y)": "VERIFIED",
    "abs(y)": "REFUTED",
    "y + 0 * sign(y)": "REFUTED",
}


@pytest.mark.parametrize("snap", FUNCTIONS)
def test_a_verdict_on_functions_that_the_checker_does_not_know_has_no_certificate(snap):
    text = f"""program p {{ query f in [-8, 8]; U <-$ unif; S <-$ {{-1,1}}; y = f(D) + S*ln(U);
        z = clamp[8]({snap}); return z; }}"""
    verdict = verify(parse(text), claim="1.0001", evaluations=40)
    assert verdict.kind == FUNCTIONS[snap]
    with pytest.raises(PremiseError, match="certificates do not cover programs with floor, rint, abs, sign"):
        certificate_of(verdict)
    forged = _made(replaced(verdict, program=parse(text.replace(snap, "round[1](y)"))))
    assert FUNCTIONS[snap] == "REFUTED" or check.check(forged) is None
    forged["program"] = [as_lists(statement) for statement in verdict.program.statements]
    assert "no known form" in check.check(forged)
