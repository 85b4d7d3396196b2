"""No sound program is refuted: witnesses are neighbours that the program declares, and their losses are counted."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from random import Random

import pytest

from snapdp.audits.check_program import check
from snapdp.errors import ParameterError, PremiseError, SnapdpError
from snapdp.lab.language.parser import load_program, parse
from snapdp.lab.language.syntax import Program
from snapdp.lab.language.text import from_lists
from snapdp.lab.loss.certificate import certificate_text
from snapdp.lab.loss.exact_loss import Neighbours
from snapdp.lab.loss.verdict import verify
from snapdp.lab.report.verdict import headline, python_lines, verdict_values
from snapdp.lab.semantics.machine import Machine, parse_machine
from snapdp.values import replaced
from tests.unit.lab import shapes
from tests.unit.lab.loss.mutation import mutants
from tests.unit.lab.snaps import shape_of, snap

CLAIMS = ("0", "0.1", "1/2", "1", "2", "5")
DRAWN = "U <-$ unif; S <-$ {-1,1};"


def judged(body, *, query="query f in [-8, 8];", claim="1", machine="", evaluations=60):
    program = parse(f"program p {{ {query} {body} return z; }}")
    return verify(program, parse_machine(machine), claim=claim, evaluations=evaluations)


# The pinned examples


def test_the_structure_of_the_notes_is_not_refuted():
    """Scaled by the sensitivity, snapped, scaled back: scaling by a power of two and post-processing cost nothing."""
    body = f"{DRAWN} y = f(D)/0.125 + S*ln(U)/1; z = 0.125*clamp[8](round[1](y));"
    verdict = judged(body, query="query f in [-1, 1] sensitivity 1/8;", claim="2")
    assert verdict.kind == "VERIFIED"
    assert 1 < verdict.lower < verdict.upper < Fraction("1.0000001")
    assert judged(body, query="query f in [-1, 1] sensitivity 1/8;", claim="0.5").kind == "REFUTED"


def test_a_constant_of_a_confined_query_is_not_refuted():
    verdict = judged("z = clamp[2, 8](f(D));", query="query f in [0, 1];")
    assert verdict.kind == "INCONCLUSIVE"
    assert verdict.lower == 0


def test_a_sensitivity_above_the_width_of_the_query_leaves_the_ends_of_its_range():
    verdict = judged(f"{DRAWN} z = clamp[8](round[2](f(D) + 2*S*ln(U)));", query="query f in [0, 0.9];", claim="0.1")
    assert verdict.kind == "REFUTED"
    assert Fraction("0.45") < verdict.lower < Fraction("0.4500000001")
    assert {verdict.evidence.f, verdict.evidence.f_prime} == {0, Fraction(math.nextafter(0.9, 0))}


COVERED = {
    "truncated noise": "z = clamp[8](round[1](f(D) + clamp[4](2*S*ln(U))));",
    "half a draw": "z = clamp[8](round[1](f(D) + S*ln(U/2)));",
    "the other side of a draw": "z = clamp[8](round[1](f(D) + S*ln(1 - U)));",
    "a grid and ends that are no floats": "z = clamp[0.3, 7.7](round[0.1](f(D) + S*ln(U)));",
    "more than a draw": "z = clamp[8](round[1](f(D) + S*ln(U + 1)));",
}


@pytest.mark.parametrize("body", COVERED.values(), ids=COVERED)
@pytest.mark.parametrize("machine", ["", "umin=-1022"])
def test_refutations_of_these_shapes_are_certified(body, machine):
    verdict = judged(f"{DRAWN} {body}", claim="0.6", machine=machine, evaluations=4)
    assert verdict.kind == "REFUTED"
    assert check(certificate_text(verdict)) is None
    script = "\n".join(python_lines(verdict))
    assert script.count("assert") >= 2
    exec(script, {})  # what was found, by the standard library alone


def test_what_the_checker_does_not_follow_is_withheld_and_the_verdict_stands():
    verdict = judged(f"{DRAWN} z = round[1](f(D) + S*U*0.5);", claim="0.6", machine="umin=-1074")
    assert verdict.kind == "REFUTED"
    with pytest.raises(PremiseError, match="the checker does not follow this proof: a number leaves") as withheld:
        certificate_text(verdict)
    assert "The verdict stands" in withheld.value.advice


def test_a_program_without_a_number_for_some_draws_is_not_refuted():
    assert judged("U <-$ unif; z = f(D) + ln(U - 0.5);").evidence is None
    assert judged("U <-$ unif; z = U / f(D);", query="query f in [0, 0];").evidence is None
    assert judged("U <-$ unif; z = U;", claim="0").kind == "INCONCLUSIVE"


@pytest.mark.parametrize("query", ["query f;", "query f in [100, 200];"])
def test_a_missing_bound_is_said_to_be_unknown_not_impossible(query):
    body = f"{DRAWN} z = {'clamp[8]' if query == 'query f;' else ''}(round[2](f(D) + 2*S*ln(U)));"
    verdict = judged(body, query=query)
    assert verdict.kind == "UNBOUNDED"
    assert "no bound of the loss is known, because " in headline(verdict)
    assert "the largest loss found is 0.5" in headline(verdict)


@pytest.mark.parametrize(
    "query",
    [
        "query f in [0, 18014398509481985] sensitivity 3;",
        "query f in [18014398509481985, 18014398509481985];",
        "query f in [-1e900, 1e900] sensitivity 1e900;",
        "query f in [1e-900, 2e-900];",
        "query f in [1/3, 1/3] sensitivity 1e-300;",
        "query f in [9007199254740993, 9007199254740995];",
    ],
)
@pytest.mark.parametrize("claim", ["0", "1e-1000", "1e900"])
def test_ranges_beyond_the_floats_get_a_verdict(query, claim):
    verdict = judged(f"{DRAWN} z = clamp[8](round[2](f(D) + 2*S*ln(U)));", query=query, claim=claim, evaluations=5)
    if verdict.kind == "REFUTED":
        assert shapes.are_neighbours(verdict.program, verdict.machine, verdict.evidence.f, verdict.evidence.f_prime)
        assert check(certificate_text(verdict)) is None
    else:
        assert verdict.kind in ("VERIFIED", "INCONCLUSIVE", "UNBOUNDED")


def test_a_file_cannot_claim_less_than_nothing():
    program = parse("program p { query f in [0, 1]; U <-$ unif; z = f(D) + U; return z; claim loss <= 1 - 2; }")
    with pytest.raises(ParameterError, match="the claim -1 is negative"):
        verify(program)


# The class: generated programs, losses counted draw by draw


def counted(seed: int) -> str:
    """Judge a generated program on a small machine; return what became of it."""
    rng = Random(seed)
    program = shapes.program(rng)
    machine = Machine(p=rng.choice((4, 5)), umin=rng.choice((-8, -12)), sampler=rng.choice(("ulp", "nearest")))
    claim = rng.choice(CLAIMS)
    try:
        verdict = verify(program, machine, claim=claim, evaluations=12)
    except SnapdpError:
        return "no verdict"
    if verdict.kind == "REFUTED":
        e = verdict.evidence
        assert shapes.are_neighbours(program, machine, e.f, e.f_prime), seed
        loss = shapes.loss_of(program, machine, f=e.f, f_prime=e.f_prime, output=e.output)
        assert loss == (math.inf if e.is_infinite else pytest.approx(float(verdict.lower), abs=1e-12)), seed
        assert loss > float(Fraction(claim)) - 1e-12, seed
    return withheld_or_accepted(verdict) if verdict.kind in ("VERIFIED", "REFUTED") else verdict.kind


def withheld_or_accepted(verdict) -> str:
    try:
        text = certificate_text(verdict)
    except PremiseError:
        return "withheld"
    assert check(text) is None
    assert json.loads(text)["verdict"] == verdict.kind
    return "certified"


def certified(seed: int) -> str:
    """Judge a generated program in doubles, and have its certificate checked."""
    rng = Random(seed)
    machine = Machine(sampler=rng.choice(("ulp", "nearest", "grid53")), umin=rng.choice((None, -1074, -1022)))
    verdict = verify(shapes.program(rng), machine, claim=rng.choice(CLAIMS), evaluations=4)
    if verdict.kind == "REFUTED":
        e = verdict.evidence
        assert shapes.are_neighbours(verdict.program, machine, e.f, e.f_prime), seed
    return withheld_or_accepted(verdict) if verdict.kind in ("VERIFIED", "REFUTED") else verdict.kind


def test_generated_refutations_are_true():
    became = Counter(counted(seed) for seed in range(50))
    assert became["certified"] > 15


def test_generated_certificates_are_accepted():
    became = Counter(certified(seed) for seed in range(24))
    assert became["certified"] >= 8
    assert became["withheld"] < became["certified"] / 4


@pytest.mark.long
def test_generated_refutations_are_true_for_many_programs():
    became = Counter(counted(seed) for seed in range(1000, 5000))
    assert became["certified"] > 1000


@pytest.mark.long
def test_generated_certificates_are_accepted_for_many_programs():
    became = Counter(certified(seed) for seed in range(1000, 4000))
    assert became["certified"] > 1000


# Sound programs of the theorem's shape, and the same ones with a scaled output


@pytest.mark.parametrize("scale", ["1", "0.25"])
@pytest.mark.parametrize("p", [8, 11])
def test_sound_programs_are_not_refuted_at_their_certified_bound(scale, p):
    program = snap("1/2", 2, 16, output=f"{scale} * clamp[B](round[Lambda](y))")
    bound = verify(snap("1/2", 2, 16), Machine(p=p), claim="tight", evaluations=2).upper
    verdict = verify(program, Machine(p=p), claim=bound, evaluations=200)
    assert verdict.kind == "VERIFIED"
    assert verdict.upper == bound
    assert Fraction(1, 2) < verdict.lower <= bound


# Forged certificates of these shapes


def is_true(forged, machine) -> bool:
    """Return whether a witness holds, by counting on a machine whose draws go deep enough."""
    statements = tuple(from_lists(statement) for statement in forged["program"])
    program = Program(name="p", parameters=(), queries=(), statements=statements, result=forged["result"])
    witness = forged["witness"]
    values = {key: Fraction(witness[key]) for key in ("f", "f_prime", "output")}
    loss = shapes.loss_of(program, machine, **values)
    return loss == math.inf if witness["kind"] == "impossible" else loss > float(Fraction(forged["claim"])) - 1e-12


@pytest.mark.long
@pytest.mark.parametrize("body", COVERED.values(), ids=COVERED)
def test_every_mutant_that_the_checker_accepts_is_true(body):
    program = parse(f"program p {{ query f in [-8, 8]; {DRAWN} {body} return z; }}")
    made = json.loads(certificate_text(verify(program, Machine(p=5), claim="0.3", evaluations=20)))
    accepted = [mutant for _, _, mutant in mutants(made) if check(mutant) is None]
    same_machine = [mutant for mutant in accepted if mutant["machine"] == made["machine"]]
    assert same_machine
    assert all(is_true(mutant, Machine(p=5, umin=-16)) for mutant in same_machine)


# What is tried, and what is certified


@pytest.mark.parametrize(("low", "high"), [(20, 30), (-30, -20), (8, 9)])
def test_an_inner_clamp_that_no_query_reaches_leaves_the_range_of_the_query(low, high):
    program = snap("1/2", 2, 8)
    clamped = snap("1/2", 2, 8, query=(low, high), private="clamp[-8, 7](f(D))")
    tried = Neighbours(clamped.queries[0], shape_of(clamped, Machine()), Machine())
    assert (tried.lower, tried.upper) == (low, high)
    inner = replaced(shape_of(program, Machine()), private=(Fraction(-3), Fraction(8)))
    tried = Neighbours(program.queries[0], inner, Machine())
    assert (tried.lower, tried.upper) == (-3, 8)


def test_no_bound_is_certified_for_a_sampler_on_a_fixed_grid():
    verdict = verify(snap("1/2", 2, 64), Machine(), claim="note", evaluations=2)
    assert verdict.kind == "VERIFIED"
    assert check(certificate_text(verdict)) is None
    with pytest.raises(PremiseError, match="do not cover a bound for a sampler on a fixed grid"):
        certificate_text(replaced(verdict, machine=replaced(verdict.machine, sampler="grid53")))


def test_a_witness_whose_numbers_are_too_long_has_no_certificate_and_still_a_verdict():
    verdict = verify(load_program("naive_laplace"), parse_machine("p=113,umin=-16382"))
    assert verdict.kind == "REFUTED"
    with pytest.raises(PremiseError, match="more than 4,000 digits"):
        certificate_text(verdict)
    assert verdict_values(verdict)["evidence"]["output"] == str(verdict.evidence.output)
