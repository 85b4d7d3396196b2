"""Bounds and expressions as readers know them: powers of 1 + eta gathered into one factor, in text or in LaTeX.

Room: verifier. For display only: rules and certificates use the trees. A sample U is written u in bounds, because there
it is one real number and no longer a step of the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import ClassVar, NamedTuple, assert_never

from snapdp.display import exact_operand
from snapdp.verifier.language.printing import Names
from snapdp.verifier.language.syntax import (
    Binary,
    Clamping,
    Constant,
    ExactFunction,
    Logarithm,
    Negation,
    QueryValue,
    Rounding,
    Variable,
)
from snapdp.verifier.machine.semantics import Bound, BySign, Down, Greatest, Least, Powered, Up

SUM, PRODUCT, ATOM = range(3)


class Shown(NamedTuple):
    """Text, how tightly it binds, and the power of 1 + eta that multiplies it."""

    text: str
    binds: int
    power: int = 0


class Notation:
    """Plain text."""

    eta = "eta"

    def __init__(self, names: Names, taken: Iterable[str] = ()) -> None:
        self.names = names
        self.taken = set(taken)

    # What LaTeX writes in another way

    def name(self, name: str) -> str:
        return name

    def quotient(self, a: str, b: str) -> Shown:
        return Shown(f"{a}/{b}", PRODUCT)

    def product(self, a: str, b: str) -> Shown:
        return Shown(f"{a}*{b}", PRODUCT)

    def function(self, name: str, argument: str) -> str:
        return f"{name}({argument})"

    def repeated(self, name: str, times: int) -> str:
        return name if times == 1 else f"{name}^{times}"

    def rounding(self, grid: str, argument: str) -> str:
        return f"round[{grid}]({argument})"

    def clamping(self, ends: str, argument: str) -> str:
        return f"clamp[{ends}]({argument})"

    def scaled(self, text: str, power: int) -> str:
        exponent = "" if abs(power) == 1 else f"^{abs(power)}"
        return f"{text}{'/' if power < 0 else ''}(1+{self.eta}){exponent}"

    # What both share

    def symbol(self, name: str) -> str:
        """Return how a variable is written in a bound: U as u, unless u means something else."""
        small = name.lower()
        return self.name(small if len(name) == 1 and small not in self.taken else name)

    def number(self, value: Fraction, *preferred: str) -> str:
        name = self.names.of(abs(value), *preferred)
        if name is None or (value.denominator == 1 and not preferred):
            return exact_operand(value)
        return ("-" if value < 0 else "") + self.name(name)

    def bound(self, bound: Bound) -> str:
        """Return a bound, its factor 1 + eta at the end."""
        return self._complete(self._shown(bound)).text

    def interval(self, lower: Bound, upper: Bound) -> str:
        return f"[{self.bound(lower)} , {self.bound(upper)}]"

    def _complete(self, part: Shown) -> Shown:
        if part.power == 0:
            return part
        core = part.text if part.binds == ATOM else f"({part.text})"
        return Shown(self.scaled(core, part.power), PRODUCT)

    def _bracketed(self, part: Shown, at_least: int) -> str:
        return part.text if part.binds >= at_least else f"({part.text})"

    def _shown(self, bound: Bound) -> Shown:
        match bound:
            case Constant(value=value):
                return Shown(self.number(value, "eps") if value.denominator != 1 else str(value), ATOM)
            case Variable(name=name):
                return Shown(self.symbol(name), ATOM)
            case QueryValue(name=name):
                return Shown(self.function(self.name(name), "D"), ATOM)
            case Powered(operand=operand, power=power):
                part = self._shown(operand)
                return part._replace(power=part.power + power)
            case Negation(operand=operand):
                part = self._shown(operand)
                return Shown(f"-{self._bracketed(part, ATOM)}", PRODUCT, part.power)
            case Logarithm(operand=operand):
                return Shown(self.function("ln", self.bound(operand)), ATOM)
            case Binary(operator=("+" | "-") as operator, left=left, right=right):
                first, second = self._complete(self._shown(left)), self._complete(self._shown(right))
                if operator == "+" and second.text.startswith("-"):
                    return Shown(f"{first.text} - {second.text[1:]}", SUM)
                return Shown(f"{first.text} {operator} {self._bracketed(second, PRODUCT)}", SUM)
            case Binary(operator=operator, left=left, right=right):
                return self._factors(operator, self._shown(left), self._shown(right))
            case Down(operand=operand, roundings=k):
                return Shown(self.function(self.repeated("rd", k), self.bound(operand)), ATOM)
            case Up(operand=operand, roundings=k):
                return Shown(self.function(self.repeated("ru", k), self.bound(operand)), ATOM)
            case Least(operands=operands):
                return Shown(self.function("min", ", ".join(self.bound(operand) for operand in operands)), ATOM)
            case Greatest(operands=operands):
                return Shown(self.function("max", ", ".join(self.bound(operand) for operand in operands)), ATOM)
            case Rounding(grid=grid, operand=operand):
                return Shown(self.rounding(self.number(grid, "Lambda"), self.bound(operand)), ATOM)
            case Clamping(lower=lower, upper=upper, operand=operand):
                ends = "" if lower == -upper else f"{self.number(lower, 'B')}, "
                return Shown(self.clamping(ends + self.number(upper, "B"), self.bound(operand)), ATOM)
            case ExactFunction(name=name, operand=operand):
                return Shown(self.function(name, self.bound(operand)), ATOM)
            case BySign(nonnegative=Powered(operand=operand, power=power), negative=Powered(operand=same)) if (
                operand is same
            ):
                core = self._bracketed(self._complete(self._shown(operand)), ATOM)
                return Shown(f"{core}{'/' if power < 0 else ''}(1+{self.eta})^s", PRODUCT)
            case BySign(nonnegative=nonnegative, negative=negative):
                return Shown(f"{self.bound(nonnegative)} or {self.bound(negative)}", SUM)
            case _:
                assert_never(bound)

    def _factors(self, operator: str, left: Shown, right: Shown) -> Shown:
        combine = self.product if operator == "*" else self.quotient
        part = combine(self._bracketed(left, PRODUCT), self._bracketed(right, ATOM))
        return part._replace(power=left.power + (right.power if operator == "*" else -right.power))


class Latex(Notation):
    """LaTeX in math mode."""

    eta = r"\eta"
    _GREEK = re.compile(r"^(eps|epsilon|Lambda|lambda|Delta|delta|eta|alpha|beta|gamma|sigma|mu)$")
    _FENCES: ClassVar = {"abs": ("|", "|"), "floor": (r"\lfloor", r"\rfloor")}

    def name(self, name: str) -> str:
        if self._GREEK.match(name):
            return r"\epsilon" if name == "eps" else f"\\{name}"
        return name if len(name) == 1 else f"\\mathit{{{name}}}".replace("_", r"\_")

    def quotient(self, a: str, b: str) -> Shown:
        return Shown(rf"\frac{{{a}}}{{{b}}}", ATOM)

    def product(self, a: str, b: str) -> Shown:
        return Shown(rf"{a} \times {b}", PRODUCT)

    def function(self, name: str, argument: str) -> str:
        if name in self._FENCES:
            left, right = self._FENCES[name]
            return rf"\left{left} {argument} \right{right}"
        words = {"ln": r"\ln", "min": r"\min", "max": r"\max"}
        upright = name.startswith(("rd", "ru")) or name in ("rint", "sign")
        written = words.get(name) or (rf"\mathrm{{{name}}}" if upright else name)
        return rf"{written}\left({argument}\right)"

    def rounding(self, grid: str, argument: str) -> str:
        return rf"\left\lfloor {argument} \right\rceil_{{{grid}}}"

    def clamping(self, ends: str, argument: str) -> str:
        return rf"\mathrm{{clamp}}_{{{ends}}}\left({argument}\right)"

    def scaled(self, text: str, power: int) -> str:
        factor = rf"(1+{self.eta})" + ("" if abs(power) == 1 else f"^{{{abs(power)}}}")
        return rf"\frac{{{text}}}{{{factor}}}" if power < 0 else rf"{text}\,{factor}"

    def interval(self, lower: Bound, upper: Bound) -> str:
        return rf"\left[{self.bound(lower)},\; {self.bound(upper)}\right]"
