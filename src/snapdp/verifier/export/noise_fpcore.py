"""The noise of a program as an FPCore: a question that other tools for floating-point error can be asked.

Room: verifier. The noise is the outermost product and quotient of ln(U), signs and constants. A sign changes no error
and is left out; constants stand as they are written, so that a reader's tool rounds them as the machine does.
"""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from snapdp.errors import ProgramError
from snapdp.exact import power_of_two
from snapdp.rounding import BINARY32, BINARY64
from snapdp.verifier.export.noise import NoiseWalk
from snapdp.verifier.language.syntax import (
    Binary,
    Clamping,
    Constant,
    ExactFunction,
    Expression,
    Logarithm,
    Negation,
    Program,
    QueryValue,
    Rounding,
    Variable,
)
from snapdp.verifier.machine.machine import Machine

_FORMATS = {53: ("binary64", BINARY64), 24: ("binary32", BINARY32)}


def fpcore(program: Program, machine: Machine) -> str:
    """Return the noise of a program as an FPCore 2.0.

    >>> from snapdp.verifier import load_program
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
    found = writer.outermost(writer.product)
    if found is None:
        raise ProgramError(
            f"{program.name} has no noise of the form ln(U) times constants.",
            "An FPCore is written of products and quotients of ln(U), the sign sample and constants.",
        )
    assert floats.least is not None
    smallest = machine.umin if machine.umin is not None else floats.least
    return (
        f"(FPCore ({found[1]})\n"
        f'  :name "{program.name}, noise"\n'
        f"  :precision {name}\n"
        f"  :pre (<= {_hex(power_of_two(smallest))} {found[1]} {_hex(1 - machine.eta)})\n"
        f"  {found[0]})\n"
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
            case Constant() | Variable() | QueryValue() | Binary() | Rounding() | Clamping() | ExactFunction():
                return None
            case _:
                assert_never(e)

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
            case QueryValue() | Logarithm() | Rounding() | Clamping() | ExactFunction():
                return None
            case _:
                assert_never(e)


def _joined(operator: str, a: str, b: str) -> str:
    """Return an operation; a factor that is a sign is left out, and so is a divisor."""
    if not b:
        return a
    if not a:
        return b if operator == "*" else f"(/ 1 {b})"
    return f"({operator} {a} {b})"


def _number(value: Fraction) -> str:
    from snapdp.display import exact_operand

    text = exact_operand(value)
    return str(value) if "/" in text else text.strip("()")
