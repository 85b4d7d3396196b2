"""The verdict on every bundled program, pinned: none changes unless it was wrong."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import pytest

from snapdp import Snapping
from snapdp.audits.check_program import check
from snapdp.lab.language.parser import load_program, program_names
from snapdp.lab.loss.certificate import certificate_text
from snapdp.lab.loss.verdict import Verdict, verify
from snapdp.lab.semantics.machine import parse_machine

VERDICTS = {
    **dict.fromkeys(("diffprivlib", "notes_scaled", "notes_scaled_tenth", "snapdp_proved"), "VERIFIED"),
    **dict.fromkeys(("cc_snap", "cc_snap_noise", "diffprivlib_far", "notes_scaled_far"), "REFUTED"),
    **dict.fromkeys(("snap_bigB", "snap_half", "snap_inner_clamp", "snap_let", "snap_minus"), "VERIFIED"),
    **dict.fromkeys(("snap_mironov_claim", "snap_mul", "snap_tenth"), "VERIFIED"),
    **dict.fromkeys(("naive_clamped", "naive_laplace", "naive_primitive", "snap_halfscale", "snap_nosign"), "REFUTED"),
    **dict.fromkeys(("snap_small_lambda", "snap_tiny_lambda", "snap_wrong_sensitivity"), "REFUTED"),
    **dict.fromkeys(("snap_noclamp", "snap_noquerybound"), "UNBOUNDED"),
    **dict.fromkeys(("snap_lambda3", "snap_mironov_claim2"), "INCONCLUSIVE"),
}


@lru_cache(maxsize=64)
def judged(name: str, machine: str = "") -> Verdict:
    return verify(load_program(name), parse_machine(machine), evaluations=60)


@pytest.mark.parametrize("name", program_names())
def test_the_verdict_of_a_bundled_program_is_the_one_it_had(name):
    assert judged(name).kind == VERDICTS[name]


JUDGED = ["cc_snap", "cc_snap_noise", "diffprivlib", "diffprivlib_far", "notes_scaled", "notes_scaled_tenth"]


@pytest.mark.parametrize("name", [*JUDGED, "notes_scaled_far", "snapdp_proved"])
def test_verdicts_on_implementations_have_certificates(name):
    assert check(certificate_text(judged(name))) is None


def test_no_premise_of_diffprivlib_fails():
    assert judged("diffprivlib").failed == ()
    assert judged("diffprivlib_far").failed == ()


def test_the_program_of_our_own_mechanism_has_its_numbers():
    mechanism = Snapping(epsilon="1/2", sensitivity=1, lower=-64, upper=64, arithmetic="proved", bits=53).parameters
    program = load_program("snapdp_proved")
    numbers = dict(program.parameters)
    assert numbers["lambda"] == mechanism.noise_scale
    assert (numbers["Lambda"], numbers["B"], numbers["V"]) == (mechanism.grid, mechanism.bound, 64)
    assert judged("snapdp_proved", "sum=exact").upper <= Fraction(1, 2)
