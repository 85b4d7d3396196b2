"""min, max, math.log and numpy's ends and choices in a traced function: what is accepted, and what is refused."""

# ruff: noqa: N803, N806, ARG001

from __future__ import annotations

import builtins
import math
from fractions import Fraction
from math import log

import numpy as np
import pytest

from snapdp.errors import ProgramError
from snapdp.lab.language.audited import audit
from snapdp.lab.language.text import printed
from snapdp.lab.language.tracing import round_to

QUERY = {"query": (-64, 64), "epsilon": 0.5}
counter = 0


@audit(**QUERY)
def written_out(f, U, S, *, eps=0.5, B=64):
    Lambda = 2.0 ** math.ceil(math.log2(1 / eps))
    y = f + S * math.log(U) / eps
    return min(max(round_to(y, Lambda), -B), B)


@audit(**QUERY)
def with_numpy(f, U, S, *, eps=0.5, B=64):
    y = f + S * log(U) / eps
    low = np.maximum(-B, round_to(y, 2))
    high = np.minimum(low, B)
    return np.where(eps > 0.1, high, 0.0)


@pytest.mark.parametrize("function", [written_out, with_numpy])
def test_the_mechanism_as_people_write_it_is_verified(function):
    verdict = function.verify()
    assert verdict.kind == "VERIFIED"
    assert f"{float(verdict.excess(verdict.upper)):.2f}" == "8.82"
    assert verdict.shape.grid == 2
    assert (verdict.shape.clamp_lower, verdict.shape.clamp_upper) == (-64, 64)


def test_what_is_traced_is_what_runs():
    assert written_out(10.0, 0.25, -1) == 12.0
    assert written_out(60.0, 1e-9, -1) == 64
    assert float(with_numpy(10.0, 0.25, 1)) == 8.0


def test_ends_at_one_side_stay_at_one_side():
    @audit(**QUERY)
    def half(f, U, S):
        return min(round_to(f + S * log(U) / 0.5, 2), 10)

    assert "result = clamp[-17976931348623157" in printed(half.program)
    assert ", 10](round[2]" in printed(half.program)


def test_the_module_sees_its_own_functions_again():
    assert with_numpy.program
    assert min is builtins.min
    assert "min" not in globals()
    assert globals()["math"] is math
    assert globals()["log"] is math.log


def test_state_that_is_kept_in_the_module_is_still_found_out():
    @audit(**QUERY)
    def counting(f, U, S):
        global counter
        counter += 1
        return f * counter

    with pytest.raises(ProgramError, match="two different programs"):
        _ = counting.program


REFUSED = {
    "min of two symbols": (lambda f, U: min(f, U), "min decides between symbols"),
    "max by a key": (lambda f: max(f, 1, key=abs), "max decides between symbols"),
    "a base": (lambda f, U: f + math.log(U, 2), "math.log has a base"),
    "numpy.ceil": (lambda f: np.ceil(f), "numpy.ceil is not supported"),
    "numpy.round to tens": (lambda f: np.round(f, decimals=-1), "not supported here"),
    "numpy.where on data": (lambda f: np.where(f > 0, f, 0), "a branch, loop or comparison"),
    "numpy.where on an array": (lambda f: np.where(np.array([True, False]), f, 0), "no single condition"),
    "min with half the bits": (lambda f: min(f, np.float32(0.1)), "min with a float32 .* may return no double"),
    "min with a fraction": (lambda f: 49 * min(f, Fraction(1, 49)), "min with a Fraction .* may return no double"),
    "max with a whole number of numpy": (lambda f: max(f, np.int64(1)), "max with a int64 .* may return no double"),
    "max with a large whole number": (lambda f: max(f, 2**53 + 1), "max with a int .* may return no double"),
    "numpy.minimum with half the bits": (lambda f: np.minimum(f, np.float32(64)), "may return no double"),
    "numpy.clip with half the bits": (lambda f: np.clip(f, np.float32(0.1), 1), "may return no double"),
    "numpy.where with half the bits": (lambda f: np.where(True, f, np.float32(1)), "a float32 is no number"),
    "numpy.maximum of two symbols": (lambda f, U: np.maximum(f, U), "decides between symbols"),
}


@pytest.mark.parametrize(("function", "problem"), REFUSED.values(), ids=REFUSED)
def test_what_no_program_can_say_is_refused_with_its_line(function, problem):
    with pytest.raises(ProgramError, match=problem) as refused:
        _ = audit(**QUERY)(function).program
    assert "test_stand_ins.py, line " in str(refused.value)
