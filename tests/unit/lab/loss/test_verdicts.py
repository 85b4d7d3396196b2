"""The acceptance table: programs, machines, verdicts and numbers; certificates, and scripts that reproduce them."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from functools import lru_cache

import pytest

from snapdp.errors import ParameterError, PremiseError
from snapdp.lab.language.parser import load_program, parse
from snapdp.lab.loss.certificate import certificate_of, certificate_text
from snapdp.lab.loss.verdict import verify
from snapdp.lab.report.verdict import headline, python_lines, verdict_values
from snapdp.lab.semantics.machine import Machine, parse_machine
from tests.unit.lab.snaps import snap


@lru_cache(maxsize=64)
def judged(name, machine="", claim=None, evaluations=None):
    return verify(load_program(name), parse_machine(machine), claim=claim, evaluations=evaluations)


VERIFIED = [
    # program, machine, claim, upper bound at most, C to two digits
    ("snap_half", "", None, "0.50000000000003134385", "8.82"),
    ("snap_half", "ln=2", None, None, "17.41"),
    ("snap_half", "umin=-1022", None, "0.50000000000003134385", "8.82"),
    ("snap_let", "", None, "0.50000000000003134385", "8.82"),
    ("snap_minus", "", None, "0.50000000000003134385", "8.82"),
    ("snap_inner_clamp", "", None, "0.50000000000003134385", "8.82"),
    ("snap_tenth", "", None, "0.10000000000013437257", "12.10"),
    ("snap_mironov_claim", "", None, None, "8.82"),
    ("snap_mul", "", None, None, "14.93"),
    ("snap_bigB", "", None, None, "8.66"),
]


@pytest.mark.parametrize(("name", "machine", "claim", "upper", "c"), VERIFIED)
def test_mechanisms_that_keep_their_claim_are_verified(name, machine, claim, upper, c):
    verdict = judged(name, machine, claim, 60)
    assert verdict.kind == "VERIFIED"
    assert verdict.upper <= verdict.claim.value
    assert f"{float(verdict.excess(verdict.upper)):.2f}" == c
    assert verdict.lower < verdict.upper
    assert not verdict.failed
    if upper is not None:
        assert Fraction(0) <= Fraction(upper) - verdict.upper < Fraction(1, 10**18)


INFINITE = [
    # program, machine, f, f', output
    ("snap_bigB", "umin=-1074", 999, 1000, 255),
    ("snap_noclamp", "umin=-1022", 63, 64, -1354),
    ("naive_laplace", "", 0, 1, -Fraction(1, 2**52)),
    ("naive_clamped", "", 0, 1, -Fraction(1, 2**52)),
    ("snap_half", "sampler=grid53", 62, 63, -12),
    ("naive_primitive", "", 0, 1, -Fraction(1, 2**53)),
    ("snap_tiny_lambda", "", 0, 1, -Fraction(1, 2**52)),
    ("snap_nosign", "", 0, -1, 0),
]


@pytest.mark.parametrize(("name", "machine", "f", "f_prime", "output"), INFINITE)
def test_an_output_that_one_neighbour_cannot_give_refutes_every_claim(name, machine, f, f_prime, output):
    verdict = judged(name, machine)
    evidence = verdict.evidence
    assert verdict.kind == "REFUTED"
    assert verdict.is_infinite
    assert (evidence.f, evidence.f_prime, evidence.output) == (f, f_prime, output)
    assert evidence.probability.lower > 0
    assert evidence.probability_prime.upper == 0


FINITE = [
    # program, machine, claim, exact loss at least
    ("snap_halfscale", "", None, "1.0000000000000004"),
    ("snap_small_lambda", "", None, "1.00000020687690"),
    ("snap_wrong_sensitivity", "", None, "1.000000000000001"),
    ("snap_half", "", "0.4999", "0.5"),
    ("snap_half", "sampler=nearest", "0.4999", "0.5"),
]


@pytest.mark.parametrize(("name", "machine", "claim", "least"), FINITE)
def test_a_loss_above_the_claim_refutes_it(name, machine, claim, least):
    verdict = judged(name, machine, claim, 400)
    assert verdict.kind == "REFUTED"
    assert Fraction(least) < verdict.lower < verdict.upper
    assert verdict.lower > verdict.claim.value


@pytest.mark.parametrize(
    ("name", "missing"), [("snap_noclamp", "clamp present"), ("snap_noquerybound", "query confined")]
)
def test_without_clamp_or_confined_query_no_bound_is_possible(name, missing):
    verdict = judged(name, "", None, 60)
    assert verdict.kind == "UNBOUNDED"
    assert missing in {premise.name for premise in verdict.failed}
    assert verdict.upper is None


def test_what_is_neither_proved_nor_refuted_is_inconclusive():
    published = judged("snap_mironov_claim2", "", None, 600)
    assert published.kind == "INCONCLUSIVE"
    assert f"{float(published.excess(published.upper)):.2f}" == "16.48"
    assert f"{float(published.excess(published.claim.value)):.2f}" == "12.02"
    assert 1 < published.excess(published.lower) < 12
    snapped = judged("snap_lambda3", "", None, 60)
    assert snapped.kind == "INCONCLUSIVE"
    assert {premise.name for premise in snapped.failed} == {"grid power of two"}


def test_a_program_that_claims_nothing_gets_its_bound_and_is_judged_by_no_claim():
    bounded, judged_by_note = (verify(snap("1/2", 2, 64), claim=claim, evaluations=4) for claim in (None, "note"))
    assert (bounded.kind, bounded.claim.value, bounded.upper) == ("BOUNDED", None, judged_by_note.upper)
    assert headline(bounded) == "snap: the loss is at most 0.50000000000003134315; nothing is claimed"
    with pytest.raises(PremiseError, match="nothing is claimed"):
        certificate_of(bounded)
    others = {"y": "UNBOUNDED", "round[2](y)": "UNBOUNDED", "clamp[64](round[3](y))": "INCONCLUSIVE"}
    kinds = {output: verify(snap("1/2", 2, 64, output=output), evaluations=4).kind for output in others}
    assert kinds == others


def test_two_roundings_keep_the_smaller_published_bound_from_a_coarse_grid_on():
    fine, coarse = (verify(snap(eps, 1, 100), claim="mironov", evaluations=20) for eps in ("1.59", "1.63"))
    assert (fine.kind, coarse.kind) == ("INCONCLUSIVE", "VERIFIED")
    assert coarse.shape.noise.roundings == 2


def test_a_bounded_sampler_keeps_epsilon_with_a_tiny_delta():
    holds = judged("snap_bigB", "umin=-1074").approximate
    assert holds.epsilon == judged("snap_bigB", "", None, 60).upper
    assert Fraction(3, 2**1022) < holds.delta < Fraction(4, 2**1022)  # (1 + e) 2**-1022
    assert judged("snap_halfscale", "", None, 400).approximate is None


@pytest.mark.parametrize("sampler", ["nearest", "ideal"])
def test_other_samplers_cost_less_than_truncation(sampler):
    other, ulp = judged("snap_half", f"sampler={sampler}", None, 30), judged("snap_half", "", None, 60)
    assert other.kind == "VERIFIED"
    assert other.upper < ulp.upper


def test_multiples_of_the_grid_have_a_bound_while_they_are_fine_enough():
    verdict = verify(snap("1/2", 2, 8), Machine(sampler="grid53"), claim="tight", evaluations=60)
    assert verdict.kind == "VERIFIED"
    assert verdict.lower <= verdict.upper < Fraction(1, 2) + Fraction(1, 10**10)


def test_named_claims_and_numbers():
    program = load_program("snap_half")
    eta, b = Fraction(1, 2**53), 64
    values = {name: verify(program, claim=name, evaluations=2).claim.value for name in ("note", "mironov")}
    assert values["note"] == Fraction(1, 2) + 23 * b * eta / 2
    assert values["mironov"] == Fraction(1, 2) + 12 * b * eta / 2 + 2 * eta
    tight = verify(program, claim="tight", evaluations=2)
    assert (tight.kind, tight.claim.value) == ("VERIFIED", tight.upper)
    assert verify(program, claim="0.51", evaluations=2).claim.value == Fraction(51, 100)
    assert verify(program, evaluations=2).claim.name == "file"


def test_a_published_bound_says_where_the_program_leaves_its_range():
    inside = verify(snap("1/2", 2, 64), claim="note", evaluations=2).claim
    outside = verify(snap("1/2", 1, 64), claim="note", evaluations=2).claim
    assert {p.status for p in inside.range} == {"proved"}
    assert [p.name for p in outside.range if p.status == "failed"] == ["grid"]


@pytest.mark.parametrize("claim", ["-1", "nonsense", "1/0", "nan", ""])
def test_a_claim_that_is_no_loss_is_refused(claim):
    with pytest.raises(ParameterError, match="claim"):
        verify(load_program("snap_half"), claim=claim, evaluations=2)


def test_a_published_claim_needs_eps_and_b():
    bare = parse("program p { query f; U <-$ unif; y = f(D) * U; return y; }")
    with pytest.raises(ParameterError, match="eps and B"):
        verify(bare, claim="note", evaluations=2)


@pytest.mark.parametrize(
    "body",
    [
        "y = f(D);",
        "U <-$ unif; y = U;",
        "U <-$ unif; y = f(D) + U;",
        "U <-$ unif; S <-$ {-1,1}; y = S * ln(U) - f(D);",
        "U <-$ unif; y = f(D) + U * (1 - U);",
        "X <-$ laplace(2); y = clamp[8](round[2](f(D) + X));",
        "X <-$ laplace(2); y = round[2](f(D) + X);",
        "b <-$ bernoulli(1/3); y = f(D) + b;",
    ],
)
@pytest.mark.parametrize(
    "query", ["query f;", "query f in [-8, 8] sensitivity 1;", "query f in [0, 8] sensitivity 1/3;"]
)
def test_any_straight_line_program_gets_a_verdict(body, query):
    program = parse(f"program p {{ {query} {body} return y; }}")
    verdict = verify(program, claim="1", evaluations=20)
    assert verdict.kind in ("VERIFIED", "REFUTED", "UNBOUNDED", "INCONCLUSIVE")
    assert headline(verdict)
    assert verdict_values(verdict)["verdict"] == verdict.kind


def test_a_snapped_laplace_draw_is_verified():
    source = "query f in [-8, 8] sensitivity 1; X <-$ laplace(2); y = clamp[8](round[2](f(D) + X));"
    verdict = verify(parse(f"program p {{ {source} return y; }}"), claim="0.5001", evaluations=20)
    assert verdict.kind == "VERIFIED"
    assert verdict.lower < verdict.upper


# Reproduction


@pytest.mark.parametrize(("name", "machine"), [row[:2] for row in INFINITE])
def test_an_impossible_output_is_reproduced_by_plain_python(name, machine):
    script = python_lines(judged(name, machine))
    assert sum(line.startswith("assert") for line in script) >= 2
    subprocess.run([sys.executable, "-I", "-c", "\n".join(script)], check=True, capture_output=True)


@pytest.mark.parametrize(("name", "machine", "claim"), [row[:3] for row in FINITE])
def test_a_finite_loss_is_reproduced_by_plain_python(name, machine, claim):
    verdict = judged(name, machine, claim, 400)
    script = python_lines(verdict)
    done = subprocess.run([sys.executable, "-I", "-c", "\n".join(script)], check=True, capture_output=True, text=True)
    assert abs(Fraction(done.stdout.strip()) - verdict.lower) < Fraction(1, 10**40)


def test_a_script_with_a_wrong_line_fails():
    script = python_lines(judged("naive_laplace"))
    wrong = [line.replace("run(1.0", "run(0.0") for line in script]
    done = subprocess.run([sys.executable, "-I", "-c", "\n".join(wrong)], capture_output=True, check=False)
    assert done.returncode == 1
    assert b"AssertionError" in done.stderr


def test_other_precisions_have_no_script():
    verdict = verify(load_program("naive_laplace"), Machine(p=24))
    assert verdict.kind == "REFUTED"
    assert python_lines(verdict) == []


# Certificates


def test_a_certificate_is_canonical_text():
    one, two = (certificate_text(verify(load_program("snap_half"), evaluations=20)) for _ in range(2))
    assert one == two
    assert one == json.dumps(json.loads(one), sort_keys=True, separators=(",", ":")) + "\n"


def test_no_certificate_without_a_decision_or_an_exact_number():
    with pytest.raises(PremiseError, match="nothing to certify"):
        certificate_of(judged("snap_lambda3", "", None, 60))
    with pytest.raises(PremiseError, match="real draw"):
        certificate_of(verify(load_program("snap_half"), Machine(sampler="ideal"), claim="0.4", evaluations=60))
    with pytest.raises(PremiseError, match="no number"):
        certificate_of(verify(load_program("naive_laplace"), claim="tight"))


@pytest.mark.parametrize(
    ("body", "machine"),
    [
        ("X <-$ laplace(2); y = clamp[8](round[2](f(D) + X));", ""),
        ("U <-$ unif; S <-$ {-1,1}; y = round[2](clamp[8](f(D) + 2 * S * ln(U)));", ""),
        ("U <-$ unif; S <-$ {-1,1}; y = clamp[8](round[2](f(D) + 2 * S * ln(U)));", "sampler=grid53"),
        ("U <-$ unif; S <-$ {-1,1}; y = clamp[6](round[2](f(D) + 2 * S * ln(U)));", ""),
        ("y = f(D);", ""),
    ],
)
def test_what_the_checker_does_not_cover_has_a_verdict_but_no_certificate(body, machine):
    program = parse(f"program p {{ query f in [-8, 8] sensitivity 1; {body} return y; }}")
    verdict = verify(program, parse_machine(machine), claim="0.6", evaluations=20)
    assert verdict.kind in ("VERIFIED", "REFUTED")
    with pytest.raises(PremiseError, match="do not cover"):
        certificate_of(verdict)
