"""Whatever can be judged is given in the form it has: a program in any form, a function, a mechanism."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from snapdp import Snapping, lab
from snapdp.audits import check_program
from snapdp.errors import ParameterError, ProgramError
from snapdp.lab.language.parser import program_text

ON_A_MACHINE = f"// Machine: p=24,umin=-149\n{program_text('snap_half')}"
SNAPPING = Snapping(epsilon="0.9", sensitivity=1, lower=0, upper=4, arithmetic="proved")


@lab.audit(query=(-64, 64), epsilon=0.5)
def snap(f, u, s):
    return lab.clamp(lab.round_to(f + s * lab.ln(u) / 0.5, 2), 64)


def test_a_program_is_the_same_as_itself_as_text_as_a_file_and_by_its_name(tmp_path):
    path = tmp_path / "half.imp"
    path.write_text(program_text("snap_half"), encoding="utf-8")
    bundled = lab.program("snap_half")
    forms = (bundled.program, bundled, program_text("snap_half"), path, str(path))
    assert {lab.program(form) for form in forms} == {bundled}
    assert bundled.machine == lab.Machine()


def test_the_machine_is_the_one_given_else_the_one_that_the_text_states(tmp_path):
    path = tmp_path / "half.imp"
    path.write_text(ON_A_MACHINE, encoding="utf-8")
    for form in (ON_A_MACHINE, path):
        assert lab.program(form).machine == lab.Machine(p=24, umin=-149)
        assert lab.program(form, machine="p=53").machine == lab.Machine()
    assert lab.verify("snap_half", machine=lab.Machine(p=60)).machine.p == 60


def test_a_function_is_judged_by_its_own_claim_from_its_file_too(tmp_path):
    path = tmp_path / "mechanism.py"
    path.write_text("from tests.unit.lab.test_verification import snap\n", encoding="utf-8")
    assert lab.verify(snap) == lab.verify(f"{path}:snap") == snap.verify()
    assert lab.verify(snap, claim="0.4").kind == "REFUTED"
    assert lab.program(f"{path}:snap") == lab.program(snap)


def test_a_mechanism_is_judged_on_its_own_machine():
    verdict = lab.verify(SNAPPING)
    assert (verdict.kind, verdict.claim.value) == ("VERIFIED", Fraction(9, 10))
    assert lab.program(verdict).program == lab.program(SNAPPING).program
    for judge in (lab.program, lab.verify):
        with pytest.raises(ParameterError, match="its own program and machine"):
            judge(SNAPPING, machine="p=53")


def test_a_certificate_is_that_of_a_verdict_or_of_what_is_judged():
    verdict = lab.verify("snap_half")
    assert lab.certificate(verdict) == lab.certificate("snap_half")
    for subject in (verdict, SNAPPING):
        assert check_program.check(lab.certificate(subject)) is None
    assert json.loads(lab.certificate(SNAPPING))["machine"]["sum"] == "exact"


def test_a_name_that_is_no_program_is_refused():
    with pytest.raises(ProgramError, match="no bundled program"):
        lab.verify("snap_nothing")
