"""floor, round, abs and sign in traced functions: the program gives the doubles that Python gives, bit for bit."""

# ruff: noqa: N803

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import snapdp
from snapdp.errors import ParameterError, ProgramError
from snapdp.lab.language.text import printed
from snapdp.lab.language.tracing import clamp, round_to
from snapdp.lab.report.verdict import python_lines
from snapdp.lab.semantics.execution import Execution
from snapdp.lab.semantics.floats import as_mpfr, run_float
from snapdp.lab.semantics.machine import Machine

QUERY = {"query": (-64, 64), "epsilon": 0.5}
ALMOST_HALF = 0.49999999999999994
NUMBERS = [
    *(0.5, 1.5, 2.5, -0.5, -1.5, -2.5, ALMOST_HALF, -ALMOST_HALF, 0.0, -0.0, 0.1, -0.1, 3.0, -7.0, 1e-300, -1e-300),
    *(2.0**52 - 0.5, 2.0**52 + 1, -(2.0**52) + 0.5, 2.0**53 + 2, -(2.0**53), 1e300, -1e300, 63.99999999999999, 1 / 3),
]

WRITTEN = {
    "numpy.sign": lambda f: np.sign(f),
    "numpy.abs": lambda f: np.abs(f),
    "abs": lambda f: abs(f),
    "numpy.floor": lambda f: np.floor(f),
    "math.floor": lambda f: math.floor(f),
    "math.floor, half up": lambda f: 0.25 * math.floor(4 * f + 0.5),
    "numpy.rint": lambda f: np.rint(f),
    "numpy.round": lambda f: np.round(f),
    "round": lambda f: round(f),
    "round to a grid": lambda f: round(f / 3) * 3.0,
    "round, whole numbers": lambda f: abs(-round(f / 4) * 8) / 7,
    "round in a clamp": lambda f: min(max(2 * round(f / 2), -64), 64) * 0.1,
    "round in numpy.clip": lambda f: np.clip(round(f), -10, 10) * 0.3,
    "round and a double of numpy": lambda f: np.float64(0.7) * round(f) + np.float64(1) * math.floor(f),
    "ends of min and max": lambda f: 0.1 * (3 * min(max(f, -10), 10) + 1) / 7,
    "an end of max, a magnitude": lambda f: 5 - abs(max(f, -10)),
    "an end of max, a double of numpy": lambda f: max(f, 0) * np.float64(-0.3),
    "ends of numpy": lambda f: np.minimum(max(f, -10), 10) * 3,
    "ends of a whole number": lambda f: 3 * np.clip(round(f), -10, 10) + 1,
}


@pytest.mark.parametrize("function", WRITTEN.values(), ids=WRITTEN)
def test_a_program_computes_what_python_computes(function):
    audited = snapdp.lab.audit(**QUERY)(function)
    program = audited.program
    for x in NUMBERS:
        assert run_float(program, {"f": Fraction(x)}, Machine())[program.result] == Fraction(float(audited(x)))


@snapdp.lab.audit(**QUERY)
def textbook(f, U):
    u = U - 0.5
    return f - 2 * np.sign(u) * np.log(1 - 2 * np.abs(u))


@snapdp.lab.audit(**QUERY)
def snapped(f, U, *, B=64):
    u = U - 0.5
    y = f - 2 * np.sign(u) * np.log(1 - 2 * np.abs(u))
    return np.clip(2 * np.round(y / 2), -B, B)


DRAWS = [2.0**-54, 2.0**-55, 3 * 2.0**-55, 2.0**-53, 1e-300, 2.0**-1074, 0.25, 0.5, 0.75, 1 - 2.0**-53, 1 - 2.0**-52]
DRAWS += [math.nextafter(x, y) for x in (0.25, 0.5, 0.75) for y in (0, 1)]
DRAWS += [float(x) for x in np.random.default_rng(4).random(200)]


@pytest.mark.parametrize("function", [textbook, snapped])
def test_the_inverse_of_the_distribution_function_gives_the_same_doubles(function):
    """Also where 1 - 2 |U - 1/2| is 0 and the noise infinite. The logarithm of numpy is that of the machine, or next to
    it; so it is compared at the draws where the two agree."""
    execution, agreed = Execution(function.program, Machine()), 0
    ln = Execution(snapdp.lab.audit()(lambda f, U: f * 0 + np.log(1 - 2 * np.abs(U - 0.5))).program, Machine())
    for f in (0.0, 10.5, -64.0, 1 / 3):
        run, logarithm = execution.function(Fraction(f), 1), ln.function(Fraction(0), 1)
        for u in DRAWS:
            with np.errstate(divide="ignore"):
                if float(logarithm(as_mpfr(Fraction(u)))) == float(np.log(1 - 2 * abs(u - 0.5))):
                    assert float(run(as_mpfr(Fraction(u)))) == float(function(f, u))
                    agreed += 1
    assert agreed > 0.9 * 4 * len(DRAWS)
    with np.errstate(divide="ignore"):
        assert textbook(1.0, 2.0**-55) == -math.inf
    assert textbook(1.0, 0.5) == 1


# Whole numbers of Python are exact, and doubles are not


EXACT = {
    "round + 1": lambda f: round(f) + 1,
    "round * a fraction": lambda f: round(f) * Fraction(1, 3),
    "a large power of two": lambda f: round(f) * 2**60,
    "numpy.sign": lambda f: np.sign(round(f)),
    "numpy.where": lambda f: np.where(True, round(f), 0.0),
    "numpy.minimum": lambda f: np.minimum(round(f), 3),
    "numpy.clip, integers of 8 bits": lambda f: np.clip(round(f), np.int8(-9), np.int8(9)),
    "numpy.clip, then integers": lambda f: np.clip(round(f), -10, 10) * 2**53,
    "an end of min": lambda f: min(f, 64) * np.int8(2),
    "an end of min, a large int": lambda f: min(f, 3) * (2**60 + 3),
    "an end of min, a fraction": lambda f: Fraction(-1, 3) + min(f, 3),
    "an end of max, a sign": lambda f: -max(f, 0),
    "an end of max, numpy.log": lambda f: np.log(max(f, 1)),
    "two ends": lambda f: min(f, 3) * max(f, 4),
    "an end of a whole number": lambda f: min(round(f), 64.0) + 1,
}


@pytest.mark.parametrize("function", EXACT.values(), ids=EXACT)
def test_arithmetic_of_whole_numbers_is_refused_where_doubles_would_round(function):
    with pytest.raises(ProgramError, match=r"test_exact_functions.py, line \d+: .*whole number"):
        _ = snapdp.lab.audit(**QUERY)(function).program


def test_an_end_that_is_an_integer_is_not_multiplied_with_integers():
    """The int 64 times an int8 of 2 is -128: with f above 64 the outputs are those of -64."""
    two = np.int8(2)

    def scaled(f, U, S, *, k=two):
        x = min(max(f, -64), 64)
        y = x * k / 2.0 + S * math.log(U) / 0.5
        return clamp(round_to(y, 2), 64)

    with pytest.raises(ProgramError, match="at its end this is a whole number"):
        _ = snapdp.lab.audit(query=(-100, 100), epsilon=0.5)(scaled).program


def test_what_an_audited_function_returns_is_the_double_that_was_judged():
    """The int 64 beside the double 64.0 would tell whether the end was met or passed."""
    for function in (lambda f: min(f, 64), lambda f: round(f), lambda f: np.clip(round(f), -64, 64)):
        for f in (63.0, 64.0, 65.0):
            assert type(snapdp.lab.audit(**QUERY)(function)(f)) is float
    assert type(min(65.0, 64)) is int


def test_a_clamp_has_its_ends_in_order():
    assert clamp(-300.0, np.int8(-128), 1) == -128
    assert clamp(-3.0, np.uint8(5)) == -3  # the negative of a uint8 of 5 is 251
    with pytest.raises(ParameterError, match="lower = 3 is above upper = 2"):
        clamp(1.0, 3, 2)


def test_an_end_of_minus_zero_is_refused():
    for function in (lambda f: np.clip(f, -0.0, 1.0), lambda f: max(f, -0.0), lambda f: np.minimum(f, -0.0)):
        with pytest.raises(ProgramError, match=r"-0.0 gives what is not told from 0.0"):
            _ = snapdp.lab.audit(**QUERY)(function).program
    assert snapdp.lab.audit(**QUERY)(lambda f: np.clip(f, 0.0, 1.0)).program


def test_a_private_value_has_no_name_of_a_function():
    with pytest.raises(ProgramError, match="abs is a function of programs"):
        _ = snapdp.lab.audit(**QUERY)(lambda abs, U: abs + U).program
    assert snapdp.lab.audit(**QUERY)(lambda f, sign, U: f + sign * np.log(U)).program


# Verdicts


@snapdp.lab.audit(**QUERY)
def to_even(f, U, S, *, eps=0.5, B=64):
    y = f + S * np.log(U) / eps
    return np.clip(2 * np.round(y / 2), -B, B)


@snapdp.lab.audit(**QUERY)
def half_up(f, U, S, *, eps=0.5, B=64):
    y = f + S * math.log(U) / eps
    return min(max(2.0 * math.floor(y / 2 + 0.5), -B), B)


@snapdp.lab.audit(**QUERY)
def ours(f, U, S, *, eps=0.5, B=64):
    return clamp(round_to(f + S * np.log(U) / eps, 2), B)


def test_the_mechanism_is_verified_however_it_rounds():
    bounds = {each.__name__: each.verify(machine="p=53") for each in (ours, half_up, to_even)}
    assert {verdict.kind for verdict in bounds.values()} == {"VERIFIED"}
    added = {name: float(verdict.upper) - 0.5 for name, verdict in bounds.items()}
    assert added["ours"] == added["half_up"] < added["to_even"] < 2 * added["ours"] < 1e-13


@pytest.mark.parametrize("function", [textbook, snapped])
def test_the_noise_of_the_textbook_is_refuted_by_a_script_that_runs(function):
    verdict = function.verify()
    assert verdict.kind == "REFUTED"
    assert verdict.is_infinite
    exec("\n".join(python_lines(verdict)), {})
    draw, output = verdict.evidence.preimages[0][1].start, float(verdict.evidence.output)
    u = float(verdict.execution.draw.value(draw))
    assert function(float(verdict.evidence.f), u) == output  # the function itself, with numpy


def test_a_count_with_the_noise_of_the_textbook_is_verified_near_its_clamp():
    @snapdp.lab.audit(query=(0, 30), epsilon=0.5)
    def count(f, U):
        u = U - 0.5
        return np.clip(np.round(f - 2 * np.sign(u) * np.log(1 - 2 * np.abs(u))), 0, 30)

    verdict = count.verify(machine="sampler=grid53")
    assert verdict.kind == "VERIFIED"
    assert 1e-9 < float(verdict.upper) - 0.5 < 1e-7
    assert "rint(f(D) - 2 * sign(u) * ln(1 - 2 * abs(u)))" in printed(count.program)


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda f, U, S: np.abs(f + 2 * S * np.log(U)), "REFUTED"),
        (lambda f, U, S: np.abs(clamp(round_to(f + 2 * S * np.log(U), 2), 64)), "VERIFIED"),
        (lambda f, U: clamp(round_to(f + 2 * np.sign(U - 0.5) * np.log(U), 2), 64), "REFUTED"),
        (lambda f, U, S: clamp(round_to(np.abs(f) + 2 * S * np.log(U), 2), 64) * U * S, "INCONCLUSIVE"),
    ],
)
def test_magnitudes_and_signs_in_other_places_are_run_and_no_bound_is_claimed_for_them(function, kind):
    verdict = snapdp.lab.audit(query=(-64, 64), claim="0.500001")(function).verify()
    assert verdict.kind == kind
    assert (verdict.universal is None) == (kind != "VERIFIED")
