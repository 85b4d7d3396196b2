"""What is traced is what runs: the program of a function, executed exactly, gives the floats that Python computes."""

# ruff: noqa: ARG001, N803
from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import snapdp
from snapdp.errors import PremiseError, ProgramError
from snapdp.lab.language.syntax import QueryValue, Variable
from snapdp.lab.language.tracing import Trace, Traced, clamp, ln, round_to, run
from snapdp.lab.loss.verdict import verify
from snapdp.lab.semantics.floats import run_float
from snapdp.lab.semantics.machine import Machine

# The pinned example: exact integers, 6 apart, that doubles cannot tell from 8.


@snapdp.lab.audit(query=(-64, 64), claim="1/7")
def differing(f, U, S, *, n=2**54 + 6, m=2**54):
    return clamp(round_to(f + (n - m) * S * ln(U), 8), 64)


@snapdp.lab.audit(query=(-64, 64), claim="1/7")
def six(f, U, S, *, scale=6):
    return clamp(round_to(f + scale * S * ln(U), 8), 64)


def test_integers_are_as_exact_as_they_are_in_python():
    assert differing.program.statements == six.program.statements
    for mechanism in (differing, six):
        verdict = verify(mechanism.program, evaluations=60)
        assert verdict.kind == "REFUTED"
        assert Fraction(1, 6) < verdict.lower < Fraction(1, 6) + Fraction(1, 10**12)


# The class: whatever functions do with their parameters, the program does

NUMBERS: tuple[Any, ...] = (
    *(2**53 + 1, 2**54 + 6, 2**54, -(2**60 + 77), 3**40, 10**19 + 7, 2**70 + 12345, 6, -1, 7, 1000),
    *(0.1, 0.3, -2.5, 1e16, 1 / 3, 123456.789, Fraction(1, 3), Fraction(2**60 + 1, 7), Fraction(-22, 7)),
    *(np.int64(2**55 + 3), np.int64(12), np.float64(0.7)),
)
OPERATORS = "+-*/"


def plain(rng: Random, depth: int) -> str:
    """Return an expression of parameters and numbers alone."""
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(["a", "b", "c", "d", "3", "0.7", "-2"])
    operator = rng.choice("+-*/" if rng.random() < 0.9 else ["//", "%"])
    return f"({plain(rng, depth - 1)} {operator} {plain(rng, depth - 1)})"


def symbolic(rng: Random, depth: int) -> str:
    """Return an expression that a symbol enters somewhere."""
    if depth == 0:
        return rng.choice(["f", "U", "S", "ln(U)", "np.log(0.5) * f"])
    if rng.random() < 0.12:
        return f"-{symbolic(rng, depth - 1)}"
    if rng.random() < 0.1:
        return f"round_to({symbolic(rng, depth - 1)}, {rng.choice(['2', '0.25', '3', 'g', '0.1'])})"
    if rng.random() < 0.1:
        return f"clamp({symbolic(rng, depth - 1)}, {rng.choice(['1000', '0.1', '2**53 + 1', 'Fraction(100, 3)'])})"
    if rng.random() < 0.1:
        name = rng.choice(["abs", "np.abs", "np.sign", "np.floor", "np.rint", "np.round", "round", "math.floor"])
        return f"{name}({symbolic(rng, depth - 1)})"
    if rng.random() < 0.05:
        return f"np.clip({symbolic(rng, depth - 1)}, -7, 2**53 + 1)"
    if rng.random() < 0.15:
        name, end = rng.choice(["min", "max", "np.minimum"]), rng.choice(["7", "-3", "0", "2.0", "2**53", "0.25"])
        return f"{name}({symbolic(rng, depth - 1)}, {end})"
    parts = [symbolic(rng, depth - 1), rng.choice([plain, symbolic])(rng, depth - 1)]
    rng.shuffle(parts)
    operator = rng.choice(OPERATORS)
    if rng.random() < 0.1:
        return f"np.{ {'+': 'add', '-': 'subtract', '*': 'multiply', '/': 'divide'}[operator] }({', '.join(parts)})"
    return f"({parts[0]} {operator} {parts[1]})"


def function_of(rng: Random) -> tuple[str, dict[str, Any]]:
    parameters = {name: rng.choice(NUMBERS) for name in "abcd"}
    lines = [
        "def mechanism(f, U, S, *, a=P['a'], b=P['b'], c=P['c'], d=P['d'], g=Q):",
        f"    a = {plain(rng, 2)}",
        f"    y = {symbolic(rng, rng.randint(1, 3))}",
        f"    b = {plain(rng, 1)}",
        f"    z = y + {symbolic(rng, 1)}",
        f"    return z {rng.choice(OPERATORS)} {plain(rng, 2)}",
    ]
    return "\n".join(lines), parameters


def made(source: str, parameters: dict[str, Any]) -> Any:
    scope: dict[str, Any] = {"P": parameters, "Q": Decimal("0.5"), "np": np, "math": math, "Fraction": Fraction}
    scope |= {"clamp": clamp, "ln": ln, "round_to": round_to}
    exec(source, scope)
    return snapdp.lab.audit(query=(-64, 64))(scope["mechanism"])


def executed(program: Any, point: dict[str, float]) -> Fraction:
    """Return the result of a program on doubles, each operation done on rationals and rounded once."""
    return run_float(program, {name: Fraction(x) for name, x in point.items()}, Machine())[program.result]


def traced_alone(audited: Any) -> Any:
    """Return the statements of a function, traced once: without the text of a program, its parser and a second run."""
    trace = Trace(set("fUSabcdg"))
    arguments = {"f": Traced(QueryValue(name="f"), trace)} | {n: Traced(Variable(name=n), trace) for n in "US"}
    result = run(audited.__wrapped__, arguments, audited.__wrapped__.__kwdefaults__)
    trace.bind("result", result)
    return SimpleNamespace(statements=trace.statements, result=result.expression.name)


def compared(seed: int, program_of: Any = lambda audited: audited.program) -> str:
    """Return what became of one generated function: refused, failing, or the same number three times."""
    rng = Random(seed)
    source, parameters = function_of(rng)
    audited = made(source, parameters)
    points = [(rng.uniform(-64, 64), 1 - rng.random(), rng.choice([1.0, -1.0])) for _ in range(3)]
    with np.errstate(all="ignore"):
        try:
            ran = [float(audited(*point)) for point in points]
        except ArithmeticError:
            return "failing"  # and so does the tracer, or the machine: division by zero, a number too large
        if not all(1e-290 < abs(x) < 1e290 or x == 0 for x in ran):
            return "failing"
        try:
            program = program_of(audited)
        except ProgramError:
            return "refused"
    try:
        exact = [executed(program, dict(zip("fUS", point, strict=True))) for point in points]
    except PremiseError:
        return "failing"  # a division by zero, where numpy goes on with an infinity
    assert exact == [Fraction(x) for x in ran], f"{source}\n{parameters}\n{points}"
    return "the same"


def test_what_is_traced_is_what_runs():
    became = [compared(seed) for seed in range(400)]
    assert became.count("the same") > 300


@pytest.mark.long
def test_what_is_traced_is_what_runs_for_many_functions():
    became = [compared(seed, traced_alone) for seed in range(1000, 41_000)]
    assert became.count("the same") > 30_000


# Parameters of every kind


@pytest.mark.parametrize("number", [Decimal("0.1"), "0.1", np.float32(0.1)])
def test_a_number_that_does_not_mix_with_doubles_is_refused_where_it_meets_a_symbol(number):
    def mechanism(f, U, *, n=number):
        return f + n * U

    with pytest.raises(ProgramError, match=r"is no number of a mechanism|failed with TypeError"):
        _ = snapdp.lab.audit()(mechanism).program


@pytest.mark.parametrize("number", [None, True, "much", [1], 1j, float("nan"), float("inf")])
def test_what_is_no_number_is_no_parameter(number):
    def mechanism(f, U, *, n=number):
        return f + U

    with pytest.raises(snapdp.SnapdpError, match="n = "):
        _ = snapdp.lab.audit()(mechanism).program


# What is given for symbols is a double when the function runs, as it was when it was judged


@pytest.mark.parametrize("kind", [int, Fraction, np.int64, np.float32, np.longdouble, float, np.float64])
def test_a_called_function_computes_with_doubles(kind):
    def mechanism(f, U, S, *, n=2**54 + 6, m=2**54):
        return (f + n) - m + U

    audited = snapdp.lab.audit()(mechanism)
    assert audited(kind(1), 0.5, S=kind(1)) == mechanism(1.0, 0.5, 1.0) == 8.5
    assert mechanism(1, 0.5, 1) == 7.5  # on integers Python is exact, and no program says so


def test_an_array_of_values_is_one_of_doubles():
    def mechanism(f, U):
        return f * 0.1 + U

    values = np.arange(3, dtype=np.float32)
    assert (snapdp.lab.audit()(mechanism)(values, U=0.5) == np.arange(3.0) * 0.1 + 0.5).all()
