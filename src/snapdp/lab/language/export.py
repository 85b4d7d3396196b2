"""Programs for other tools: the noise lemma as a script for Gappa, and the noise as an FPCore.

The lemma says that the noise, computed with j inexact roundings from l = fl(ln U), differs from the noise over the
reals by a factor between (1 + eta)**-j and (1 + eta)**j. Gappa knows no logarithm, so L = ln U is a real variable and l
its rounding (or, for a ln with more than one rounding, any number that near). In the script constants are folded as the
machine computes them, because they are the same in both runs and no part of the error. In the FPCore they remain as
they are written, so that a reader's tool rounds them as the machine does, and a sign, which changes no error, is left
out.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from snapdp.errors import ProgramError
from snapdp.exact.dyadic import exponent_of_power, power_of_two, round_up
from snapdp.lab.language.syntax import (
    BINARY,
    Assignment,
    Binary,
    Constant,
    Expression,
    Held,
    Logarithm,
    Negation,
    Program,
    Sample,
    Variable,
    children,
)
from snapdp.lab.rounding.formula import BINARY32, BINARY64
from snapdp.lab.semantics.floats import evaluate_float
from snapdp.lab.semantics.machine import Machine

# The noise of a program: the outermost product around ln(U), with assigned names written out

R = TypeVar("R")


class NoiseWalk:
    """A program on the way to its noise: its samples, and what its names stand for."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.samples = {s.name: s.distribution for s in program.statements if isinstance(s, Sample)}
        self._assigned = {s.name: s.expression for s in program.statements if isinstance(s, Assignment)}

    def inlined(self, e: Expression) -> Expression:
        """Return what a name stands for; anything else as it is."""
        while isinstance(e, Variable) and e.name in self._assigned:
            e = self._assigned[e.name]
        return e

    def is_uniform(self, e: Expression) -> bool:
        """Tell whether an expression is a draw of U itself."""
        return isinstance(e, Variable) and self.samples.get(e.name) == "unif"

    def outermost(self, product: Callable[[Expression], R | None], advice: str) -> R:
        """Return the first answer of `product`, asked of the result and then of its parts, outermost first."""
        found = self._outermost(Variable(name=self.program.result), product)
        if found is None:
            raise ProgramError(f"{self.program.name} has no noise of the form ln(U) times constants.", advice)
        return found

    def _outermost(self, e: Expression, product: Callable[[Expression], R | None]) -> R | None:
        e = self.inlined(e)
        if (found := product(e)) is not None:
            return found
        answers = (self._outermost(child, product) for child in children(e))
        return next((each for each in answers if each is not None), None)


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
        advice = "The noise lemma is about products and quotients of ln(U), the sign sample and constants."
        return self.outermost(self._product, advice)

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
            case _:
                return None

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
                return evaluate_float(BINARY[operator](left=Held(value=a), right=Held(value=b)), {}, self.machine)
            case _:
                return None


# FPCore

_FORMATS = {53: ("binary64", BINARY64), 24: ("binary32", BINARY32)}


def fpcore(program: Program, machine: Machine) -> str:
    """Return the noise of a program as an FPCore 2.0.

    >>> from snapdp.lab.language.programs import load_program
    >>> print(fpcore(load_program("snap_tenth"), Machine(umin=-64)), end="")
    (FPCore (U)
      :name "snap_tenth, noise"
      :precision binary64
      :pre (<= 0x1p-64 U 0x1fffffffffffffp-53)
      (/ (log U) 0.1))
    """
    if machine.p not in _FORMATS:
        raise ProgramError(f"FPCore has no name for floats of {machine.p} bits.", "There are p = 53 and p = 24.")
    name, floats = _FORMATS[machine.p]
    writer = _CoreWriter(program)
    advice = "An FPCore is written of products and quotients of ln(U), the sign sample and constants."
    text, uniform = writer.outermost(writer.product, advice)
    assert floats.least is not None
    smallest = machine.umin if machine.umin is not None else floats.least
    return (
        f"(FPCore ({uniform})\n"
        f'  :name "{program.name}, noise"\n'
        f"  :precision {name}\n"
        f"  :pre (<= {_hex(power_of_two(smallest))} {uniform} {_hex(1 - machine.eta)})\n"
        f"  {text})\n"
    )


def _hex(x: Fraction) -> str:
    """Return a dyadic rational as a hexadecimal float."""
    return f"{x.numerator:#x}p-{x.denominator.bit_length() - 1}"


class _CoreWriter(NoiseWalk):
    """Writes the product, and the name of U."""

    def product(self, e: Expression) -> tuple[str, str] | None:
        e = self.inlined(e)
        match e:
            case Logarithm(operand=operand):
                argument = self.inlined(operand)
                if isinstance(argument, Variable) and self.is_uniform(argument):
                    return f"(log {argument.name})", argument.name
                return None
            case Negation(operand=operand):
                inner = self.product(operand)
                return None if inner is None else (f"(- {inner[0]})", inner[1])
            case Binary(operator="/", left=left, right=right):
                inner, divisor = self.product(left), self._constant(right)
                return None if inner is None or divisor is None else (_joined("/", inner[0], divisor), inner[1])
            case Binary(operator="*", left=left, right=right):
                for part, other in ((left, right), (right, left)):
                    inner, factor = self.product(part), self._constant(other)
                    if inner is not None and factor is not None:
                        first, second = (inner[0], factor) if part is left else (factor, inner[0])
                        return _joined("*", first, second), inner[1]
                return None
            case _:
                return None

    def _constant(self, e: Expression) -> str | None:
        """Return a part without U as text; "" is a sign."""
        e = self.inlined(e)
        match e:
            case Constant(value=value):
                return _number(value)
            case Variable(name=name):
                return "" if self.samples.get(name) == "sign" else None
            case Negation(operand=operand):
                inner = self._constant(operand)
                return f"(- {inner})" if inner else inner
            case Binary(operator=operator, left=left, right=right):
                a, b = self._constant(left), self._constant(right)
                signs_alone = operator in "*/" or (a and b)
                return None if a is None or b is None or not signs_alone else _joined(operator, a, b)
            case _:
                return None


def _joined(operator: str, a: str, b: str) -> str:
    """Return an operation; a factor that is a sign is left out, and so is a divisor."""
    if not b:
        return a
    if not a:
        return b if operator == "*" else f"(/ 1 {b})"
    return f"({operator} {a} {b})"


def _number(value: Fraction) -> str:
    from snapdp.display.numbers import exact_operand

    text = exact_operand(value)
    return str(value) if "/" in text else text.strip("()")
