"""Programs whose numbers grow without end are refused before they cost anything; others are judged as before."""

from __future__ import annotations

import pytest

from snapdp.errors import ProgramError
from snapdp.lab.language.parser import parse
from snapdp.lab.loss.verdict import BRACKET_EVALUATIONS, SEARCH_EVALUATIONS, _evaluations, verify
from snapdp.lab.report.verdict import headline
from snapdp.lab.semantics.execution import Execution
from snapdp.lab.semantics.floats import folded
from snapdp.lab.semantics.machine import Machine
from snapdp.lab.semantics.reals import evaluate

FRAME = "program r {{ query f in [-8,8] sensitivity 1; U <-$ unif; S <-$ {{-1,1}}; {} }}"
SNAP = "clamp[8](round[2](f(D) + S * ln(U) * 2))"
FAR = "*1e900*1e900*1e900*1e900*1e900"
SQUARES = "x0 = 1e1000; " + "".join(f"x{i + 1} = x{i} * x{i}; " for i in range(11))
SQUARED = "x0 = 1 + f(D) * 1e60; " + "".join(f"x{i + 1} = x{i} * x{i}; " for i in range(7))
HOSTILE = {
    "noise": f"return clamp[8](round[2](f(D) + S*ln(U){FAR}));",
    "query": f"return clamp[8](round[2](f(D){FAR} + S*ln(U)*2));",
    "after the snap": f"return {SNAP}{FAR};",
    "quotients": f"return {SNAP}{FAR.replace('*', '/')};",
    "squares of constants": f"{SQUARES} return clamp[8](round[2](f(D)*x11/x11 + S*ln(U)*2));",
    "constants that are not used": f"{SQUARES} return {SNAP};",
    "squares of the query": f"{SQUARED} return clamp[8](round[2](x7 + S*ln(U)*2));",
    "squares that are not used": f"{SQUARED} return {SNAP};",
    "squares of a difference": "x = f(D) - 1e-300; y = x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x; return y + S*ln(U);",
}


@pytest.mark.parametrize("machine", [Machine(), Machine(p=118), Machine(p=118, sum="exact")], ids=["53", "118", "sum"])
@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_numbers_that_leave_every_range_are_refused(body, machine):
    program = parse(FRAME.format(body))
    with pytest.raises(ProgramError, match=r"beyond 2\^[0-9]+ or below 2\^-"):
        verify(program, machine, claim="1/100")
    with pytest.raises(ProgramError, match=r"beyond 2\^"):
        evaluate(program, machine, {"f": 1, "U": "0.3", "S": 1})


def test_the_range_of_constants_is_that_of_floats():
    for number, machine in (("1e307", Machine()), ("1e-307", Machine(p=5)), ("1e999", Machine(p=118))):
        assert folded(parse(FRAME.format(f"return {SNAP} * {number};")), machine)
    for number, machine in (("1e309", Machine()), ("1e-309", Machine(p=5))):
        with pytest.raises(ProgramError, match=r"a constant of the program is beyond 2\^1022"):
            folded(parse(FRAME.format(f"return {SNAP} * {number};")), machine)


def test_numbers_beyond_the_doubles_are_told():
    """What the noise is added to moves by 1e1200: a double of it would be no number."""
    text = FRAME.format("return clamp[8](round[2](f(D)*1e300*1e300*1e300*1e300 + S*ln(U)*2));")
    verdict = verify(parse(text), claim="note", evaluations=1)
    assert "e+1200" in next(line.detail for line in verdict.premises if line.name == "query scaled")
    assert headline(verdict).startswith("r: neither the claim")


# A long program of one snapped value costs no more than a short one


def terms(many: int, long: int) -> str:
    """Return many long terms of one snapped value, added two by two: no two of them are alike."""
    lines, names = [f"z = {SNAP};"], [f"t{i}" for i in range(many)]
    lines += [f"{name} = {'(' * long}z * {i + 1}{' + 1)' * long};" for i, name in enumerate(names)]
    while len(names) > 1:
        added = [f"{a}_{b}" for a, b in zip(names[::2], names[1::2], strict=True)]
        lines += [f"{c} = {a} + {b};" for c, a, b in zip(added, names[::2], names[1::2], strict=True)]
        names = added
    return FRAME.format(" ".join([*lines, f"return {names[0]};"]))


def test_a_long_program_is_judged_by_fewer_runs():
    program = parse(terms(16, 40))
    execution = Execution(program, Machine())
    few, usual = (_evaluations(each, verified=True) for each in (execution, Execution(parse(terms(1, 1)), Machine())))
    assert usual == BRACKET_EVALUATIONS
    assert few < BRACKET_EVALUATIONS // 5
    assert few < _evaluations(execution, verified=False) < SEARCH_EVALUATIONS // 5
    assert verify(program, claim="tight", evaluations=2).kind == "VERIFIED"
