"""Formulas and ranges as people write them: f + ln(U)/0.1, and U=exp(-40),0.999.

Room: rounding. Python's own parser reads the text, and only numbers, names, + - * /, a power with a whole exponent of a
number, and the functions below are taken from what it makes. A number is the rational it prints as, however long.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from fractions import Fraction

from snapdp.errors import ProgramError
from snapdp.exact import LARGEST_DECIMAL_EXPONENT, Enclosure, parameter, shown
from snapdp.rounding.constants import PRECISION, real_value
from snapdp.rounding.formula import OPERATIONS, Applied, Builder, Formula

LONGEST_FORMULA = 10_000
DEEPEST = 150
FUNCTIONS: dict[str, Applied] = {"ln": "ln", "log": "ln", "exp": "exp", "sqrt": "sqrt", "fma": "fma"}
_OPERATORS: dict[type[ast.operator], Applied] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read_formula(text: str) -> Formula:
    """Return the formula of a text.

    >>> read_formula("f + ln(U)/0.1").inputs
    ('f', 'U')
    """
    builder = Builder()
    return builder.formula(_FormulaReader(text, builder).expression(_parsed(text)))


def read_ranges(texts: Iterable[str]) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the ranges of texts NAME=LOWER,UPPER; an end without a finite decimal is moved outward by a hair.

    >>> read_ranges(["f=-2**10,1/2"])
    {'f': (Fraction(-1024, 1), Fraction(1, 2))}
    """
    box: dict[str, tuple[Fraction, Fraction]] = {}
    for text in texts:
        name, equals, ends = (part.strip() for part in text.partition("="))
        parts = ends.split(",")
        if not equals or not _NAME.fullmatch(name) or len(parts) != 2:
            raise ProgramError(f"{shown(text)} is no range.", "A range is NAME=LOWER,UPPER, e.g. U=exp(-40),0.999.")
        if name in box:
            raise ProgramError(f"the range of {name} is given twice.", "Give each range once.")
        lower, upper = _value(parts[0]).lower, _value(parts[1]).upper
        if lower > upper:
            raise ProgramError(f"the lower end of {name} is above the upper end.", "A range is NAME=LOWER,UPPER.")
        box[name] = lower, upper
    return box


def _value(text: str) -> Enclosure:
    formula = read_formula(text)
    if formula.inputs:
        raise ProgramError(f"{shown(text.strip())} is no number.", "The ends of a range are numbers.")
    return real_value(formula, PRECISION)


def _parsed(text: str) -> ast.expr:
    if len(text) > LONGEST_FORMULA:
        raise ProgramError(f"the formula is longer than {LONGEST_FORMULA} characters.", "Bound parts of it.")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ProgramError(f"{shown(text)} is no formula.", "A formula is e.g. f + ln(U)/0.1.") from None


class _FormulaReader:
    def __init__(self, text: str, builder: Builder) -> None:
        self.text = text.strip()
        self.builder = builder
        self.depth = 0

    def expression(self, node: ast.expr) -> int:
        if self.depth > DEEPEST:
            raise ProgramError(f"the formula is nested more than {DEEPEST} deep.", "Bound parts of it.")
        self.depth += 1
        place = self._expression(node)
        self.depth -= 1
        return place

    def _expression(self, node: ast.expr) -> int:
        match node:
            case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
                return self.builder.number(self._number(node))
            case ast.Name(id=name):
                return self.builder.input(name)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as inner):
                return self.builder.number(-self._number(inner))
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return self.builder.apply("neg", self.expression(inner))
            case ast.BinOp(op=ast.Pow(), left=ast.Constant() as base, right=exponent):
                return self.builder.number(self._power(base, exponent))
            case ast.BinOp(op=operator, left=left, right=right) if type(operator) in _OPERATORS:
                first = self.expression(left)
                return self.builder.apply(_OPERATORS[type(operator)], first, self.expression(right))
            case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if name in FUNCTIONS:
                if len(parts) == OPERATIONS[FUNCTIONS[name]]:
                    return self.builder.apply(FUNCTIONS[name], *(self.expression(part) for part in parts))
        written = shown(self._source(node))
        advice = f"Formulas use numbers, names, + - * / and {', '.join(FUNCTIONS)}; powers of numbers only."
        raise ProgramError(f"{written} is not supported.", advice)

    def _source(self, node: ast.expr) -> str:
        return ast.get_source_segment(self.text, node) or self.text

    def _number(self, node: ast.Constant) -> Fraction:
        text = self._source(node)
        if not re.fullmatch(r"[0-9.]+([eE][+-]?[0-9]+)?", text):
            raise ProgramError(f"{shown(text)} is no number.", "Numbers are decimals such as 0.1 or 1e-3.")
        return parameter(text, name="the number")

    def _power(self, base: ast.Constant, exponent: ast.expr) -> Fraction:
        sign, inner = (-1, exponent.operand) if isinstance(exponent, ast.UnaryOp) else (1, exponent)
        whole = inner.value if isinstance(inner, ast.Constant) and type(inner.value) is int else None
        if whole is None or whole > LARGEST_DECIMAL_EXPONENT:
            raise ProgramError(f"the power {shown(self._source(exponent))} is no small whole number.", "E.g. 2**20.")
        number = self._number(base)
        if number == 0 and sign < 0:
            raise ProgramError("zero has no negative powers.")
        return Fraction(number ** (sign * whole))
