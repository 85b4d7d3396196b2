"""The noise lemma as a script for Gappa: another tool's opinion on the relative error of the computed noise.

Room: verifier. The lemma: the noise, computed with j inexact roundings from l = fl(ln U), differs from the noise over
the reals by a factor between (1 + eta)**-j and (1 + eta)**j. Gappa knows no logarithm, so L = ln U is a real variable
and l its rounding (or, for a ln with more than one rounding, any number that near). Constants are folded as the machine
computes them: they are the same in both runs and no part of the error.
"""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from snapdp.errors import ProgramError
from snapdp.exact import exponent_of_power, round_up
from snapdp.verifier.export.noise import NoiseWalk
from snapdp.verifier.language.syntax import (
    Binary,
    Clamping,
    Constant,
    ExactFunction,
    Expression,
    Held,
    Logarithm,
    Negation,
    Program,
    QueryValue,
    Rounding,
    Variable,
)
from snapdp.verifier.machine.machine import Machine
from snapdp.verifier.machine.semantics import evaluate_float

_LARGEST_LN = 1 << 20  # where U is unbounded below, the lemma is stated for ln U >= -2**20
_LEAST_EXPONENT = -16_000  # far below every number here: no rounding is subnormal; Gappa reads no larger numbers
_BITS = 50  # of the bound, rounded up: Gappa itself computes with 60


def gappa(program: Program, machine: Machine) -> str:
    """Return the script; `gappa < script` proves it or says what it cannot."""
    script = _Script(program, machine)
    computed, real = script.noise()
    roundings = script.roundings
    bound = round_up((1 + machine.eta) ** roundings - 1, _BITS)
    largest = _LARGEST_LN if machine.umin is None else -machine.umin
    hypotheses = [f"L in [-{largest}, -{_dyadic(machine.eta)}]"]
    logarithm = "l = rnd(L);"
    if machine.ln_roundings > 1:
        near = (1 + machine.eta) ** machine.ln_roundings - 1
        hypotheses.append(f"|l -/ L| <= {_dyadic(near)}")
        logarithm = "# l: any number within the roundings of this machine's ln"
    counted = "one inexact rounding" if roundings == 1 else f"{roundings} inexact roundings"
    premises = " /\\ ".join(hypotheses)
    return "\n".join(
        [
            f"# Noise lemma of {program.name}: {counted}, p = {machine.p}.",
            "# L is ln U, l what the machine makes of it; n is the computed noise, N the noise over the reals.",
            f"@rnd = float<{machine.p}, {_LEAST_EXPONENT}, ne>;",
            logarithm,
            f"n = {computed};",
            f"N = {real};",
            f"{{ {premises} -> |n -/ N| <= {_dyadic(bound)} }}",
            "",
        ]
    )


def _dyadic(x: Fraction) -> str:
    """Return a dyadic rational as Gappa writes it: 3b-5 is 3 * 2**-5."""
    exponent = exponent_of_power(Fraction(x.denominator))
    assert exponent is not None
    return f"{x.numerator}b{-exponent}" if exponent else str(x.numerator)


class _Script(NoiseWalk):
    """Follows the noise from ln U outward; counts the inexact roundings on the way."""

    def __init__(self, program: Program, machine: Machine) -> None:
        super().__init__(program)
        self.machine = machine
        self.roundings = 0

    def noise(self) -> tuple[str, str]:
        found = self.outermost(self._product)
        if found is None:
            raise ProgramError(
                f"{self.program.name} has no noise of the form ln(U) times constants.",
                "The noise lemma is about products and quotients of ln(U), the sign sample and constants.",
            )
        return found

    def _product(self, e: Expression) -> tuple[str, str] | None:
        """Return the product around ln(U), computed and real; its roundings are counted from zero."""
        self.roundings = 0
        return self._factor(e)

    def _factor(self, e: Expression) -> tuple[str, str] | None:
        """Return a product of ln(U), signs and constants as Gappa text, or None where e is something else."""
        e = self.inlined(e)
        match e:
            case Logarithm(operand=operand):
                if not self.is_uniform(self.inlined(operand)):
                    return None
                self.roundings += self.machine.ln_roundings
                return "l", "L"
            case Negation(operand=operand):
                inner = self._factor(operand)
                return None if inner is None else (f"-({inner[0]})", f"-({inner[1]})")
            case Binary(operator=("*" | "/") as operator, left=left, right=right):
                for inside, outside, flipped in ((left, right, False), (right, left, True)):
                    if (value := self._value(outside)) is not None and not (flipped and operator == "/"):
                        inner = self._factor(inside)
                        return None if inner is None else self._scaled(operator, inner, value)
                return None
            case Constant() | Variable() | QueryValue() | Binary() | Rounding() | Clamping() | ExactFunction():
                return None
            case _:
                assert_never(e)

    def _scaled(self, operator: str, inner: tuple[str, str], value: Fraction) -> tuple[str, str]:
        computed, real = (f"({part} {operator} {_dyadic(value)})" for part in inner)
        if exponent_of_power(abs(value)) is None:
            self.roundings += 1
            computed = f"rnd{computed}"
        return computed, real

    def _value(self, e: Expression) -> Fraction | None:
        """Return what a constant sub-expression is on the machine; a sign counts as 1: it changes no relative error."""
        e = self.inlined(e)
        match e:
            case Constant():
                return evaluate_float(e, {}, self.machine)
            case Variable(name=name):
                return Fraction(1) if self.samples.get(name) == "sign" else None
            case Negation(operand=operand):
                inner = self._value(operand)
                return None if inner is None else -inner
            case Binary(operator=operator, left=left, right=right):
                a, b = self._value(left), self._value(right)
                if a is None or b is None:
                    return None
                return evaluate_float(
                    Binary(operator=operator, left=Held(value=a), right=Held(value=b)), {}, self.machine
                )
            case QueryValue() | Logarithm() | Rounding() | Clamping() | ExactFunction():
                return None
            case _:
                assert_never(e)
