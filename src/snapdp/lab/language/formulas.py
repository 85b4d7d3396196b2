"""Formulas and ranges as people write them, f + ln(U)/0.1 and U=exp(-40),0.999, and as FPCore 2.0.

Python's own parser reads the text, and only numbers, names, + - * /, a power with a whole exponent of a number, and the
functions below are taken from what it makes. A number is the rational it prints as, however long. Of FPCore
straight-line cores are read, with a box as precondition; a core that holds anything else (branches, loops, arrays,
other functions, casts, other precisions) is refused by name and line.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from snapdp.errors import ProgramError
from snapdp.exact.enclosure import Enclosure
from snapdp.exact.numbers import LARGEST_DECIMAL_EXPONENT, parameter, shown
from snapdp.lab.rounding.formula import (
    BINARY32,
    BINARY64,
    CONSTANTS,
    OPERATIONS,
    PRECISION,
    Applied,
    Builder,
    Format,
    Formula,
    Operation,
    real_value,
)
from snapdp.values import Value

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


# FPCore. A precondition is a conjunction; its comparisons of one input with numbers give the box, and other conjuncts
# are left out, which only makes the box larger: `left_out` says how many.

LONGEST_CORES = 1 << 18

_TOKEN = re.compile(r'\s+|;[^\n]*|(?P<token>[()\[\]]|"(?:[^"\\]|\\.)*"|[^\s()\[\]";]+)')
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_RATIONAL = re.compile(r"[+-]?\d+/\d*[1-9]\d*")
_HEX = re.compile(r"([+-]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)([pP][+-]?\d+)?")
_PRECISIONS = {"binary64": BINARY64, "binary32": BINARY32}
_SYMBOLS: dict[str, Applied] = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "log": "ln",
    "sqrt": "sqrt",
    "exp": "exp",
    "fma": "fma",
}
_COMPARISONS = {"<=", "<", ">=", ">"}


class Core(Value):
    """A core: its formula, its box (inputs that the formula uses) and its floats."""

    name: str
    formula: Formula
    box: tuple[tuple[str, Fraction, Fraction], ...]
    floats: Format
    left_out: int = 0  # conjuncts of the precondition that are no part of a box


class Atom(NamedTuple):
    text: str
    line: int


class Group(NamedTuple):
    items: tuple[Any, ...]
    line: int


def read_cores(text: str, *, name: str = "core") -> Iterator[Core | ProgramError]:
    """Yield each core of a text, or the refusal of a core that is not supported; text that is no FPCore is refused.

    >>> core, = read_cores('(FPCore (x) :name "inverse" :pre (<= 1 x 2) (/ 1 x))')
    >>> core.name, str(core.formula), core.box
    ('inverse', '1 / x', (('x', Fraction(1, 1), Fraction(2, 1)),))
    """
    for group in _groups(text, name):
        try:
            yield _CoreReader(name).core(group)
        except ProgramError as refusal:
            yield refusal


def _refuse(name: str, line: int, problem: str, advice: str = "") -> Any:
    raise ProgramError(f"{name}, line {line}: {problem}", advice, line=line)


# Text to nested groups


def _groups(text: str, name: str) -> list[Group]:
    if len(text) > LONGEST_CORES:
        _refuse(name, 1, f"the text is longer than {LONGEST_CORES} characters.")
    stack: list[tuple[list[Any], int, str]] = [([], 1, "")]
    line, place = 1, 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            return list(_refuse(name, line, "a text in quotes has no end."))
        token = found["token"]
        if token is not None:
            _place_token(stack, token, line, name)
        line += found[0].count("\n")
        place = found.end()
    if len(stack) > 1:
        _refuse(name, stack[-1][1], "a bracket is not closed.")
    groups = stack[0][0]
    for each in groups:
        if not isinstance(each, Group) or not each.items or getattr(each.items[0], "text", "") != "FPCore":
            _refuse(name, each.line, "this is no FPCore.", "A core is (FPCore (inputs) ... expression).")
    if not groups:
        _refuse(name, 1, "there is no core in this text.")
    return groups


def _place_token(stack: list[tuple[list[Any], int, str]], token: str, line: int, name: str) -> None:
    if token in "([":
        if len(stack) > DEEPEST:
            _refuse(name, line, f"brackets are nested more than {DEEPEST} deep.")
        stack.append(([], line, token))
    elif token in ")]":
        items, begin, opened = stack.pop()
        if not stack or "()[]".find(opened + token) not in (0, 2):
            _refuse(name, line, f"{token!r} closes no bracket.")
        stack[-1][0].append(Group(tuple(items), begin))
    else:
        stack[-1][0].append(Atom(token, line))


# Numbers


def number(text: str) -> Fraction | None:
    """Return the rational that a token writes (decimal, quotient or hexadecimal float), None where it is no number.

    >>> number("-1.5e1"), number("3/4"), number("0x1.8p-1"), number("x")
    (Fraction(-15, 1), Fraction(3, 4), Fraction(3, 4), None)
    """
    if len(text) > LARGEST_DECIMAL_EXPONENT:
        return None
    if _RATIONAL.fullmatch(text):
        return Fraction(text)
    if found := _DECIMAL.fullmatch(text):
        return Fraction(text) if abs(int((found[3] or "e0")[1:])) <= LARGEST_DECIMAL_EXPONENT else None
    if (found := _HEX.fullmatch(text)) and (found[2] or found[3]):
        sign, whole, rest, power = found.groups()
        exponent = int((power or "p0")[1:]) - 4 * len(rest)
        if abs(exponent) <= 1 << 14:
            return Fraction(int(whole + rest, 16) * (-1 if sign == "-" else 1)) * Fraction(2) ** exponent
    return None


# Groups to formulas


class _CoreReader:
    def __init__(self, source: str) -> None:
        self.source = source
        self.builder = Builder()

    def refuse(self, place: Atom | Group, problem: str, advice: str = "") -> Any:
        return _refuse(self.source, place.line, problem, advice)

    def core(self, group: Group) -> Core:
        items = list(group.items[1:])
        title = self.source
        if items and isinstance(items[0], Atom):
            title = items.pop(0).text
        if not items or not isinstance(items[0], Group):
            self.refuse(group, "a core needs a list of inputs.")
        inputs = [self._input(each) for each in items.pop(0).items]
        properties: dict[str, Any] = {}
        while len(items) >= 2 and isinstance(items[0], Atom) and items[0].text.startswith(":"):
            key, value, *items = items
            properties[key.text] = value
        if len(items) != 1:
            self.refuse(group, "a core has one expression at its end.")
        if isinstance(properties.get(":name"), Atom):
            title = properties[":name"].text.strip('"')
        floats = self._format(properties)
        result = self._expression(items[0], {each: self.builder.input(each) for each in inputs})
        formula = self.builder.formula(result)
        box, left_out = self._box(properties.get(":pre"), formula.inputs, group)
        return Core(name=title, formula=formula, box=box, floats=floats, left_out=left_out)

    def _input(self, item: Atom | Group) -> str:
        if isinstance(item, Atom):
            return item.text
        advice = "Inputs are plain names."
        return str(self.refuse(item, "an input with properties or dimensions is not supported.", advice))

    def _format(self, properties: dict[str, Any]) -> Format:
        for key in (":precision", ":type"):  # the second is what the first was called before version 1.2
            said = getattr(properties.get(key), "text", "an expression")
            if key in properties and said not in _PRECISIONS:
                self.refuse(properties[key], f"precision {said} is not supported.", "Give binary64 or binary32.")
        if ":round" in properties and getattr(properties[":round"], "text", "") != "nearestEven":
            self.refuse(properties[":round"], "only rounding to nearestEven is supported.")
        chosen = properties.get(":precision", properties.get(":type"))
        return BINARY64 if chosen is None else _PRECISIONS[chosen.text]

    def _expression(self, item: Any, scope: dict[str, int]) -> int:
        if isinstance(item, Atom):
            return self._atom(item, scope)
        if not item.items or not isinstance(item.items[0], Atom):
            self.refuse(item, "this is no expression.")
        head, parts = item.items[0].text, item.items[1:]
        if head in ("let", "let*"):
            return self._let(item, scope, in_order=head == "let*")
        operation = "neg" if head == "-" and len(parts) == 1 else _SYMBOLS.get(head)
        if operation is None:
            supported = ", ".join([*_SYMBOLS, "let", "let*"])
            return int(self.refuse(item, f"{shown(head)} is not supported.", f"Supported are {supported}."))
        if len(parts) != OPERATIONS[operation]:
            self.refuse(item, f"{head} with {len(parts)} arguments is not supported.")
        return self.builder.apply(operation, *(self._expression(part, scope) for part in parts))

    def _let(self, item: Group, scope: dict[str, int], *, in_order: bool) -> int:
        if len(item.items) != 3 or not isinstance(item.items[1], Group):
            self.refuse(item, "a let is (let ([name expression] ...) expression).")
        inner = dict(scope)
        for binding in item.items[1].items:
            if not isinstance(binding, Group) or len(binding.items) != 2 or not isinstance(binding.items[0], Atom):
                self.refuse(binding, "a binding is [name expression].")
            name, value = binding.items
            inner[name.text] = self._expression(value, inner if in_order else scope)
        return self._expression(item.items[2], inner)

    def _atom(self, atom: Atom, scope: dict[str, int]) -> int:
        if atom.text in scope:
            return scope[atom.text]
        if (value := number(atom.text)) is not None:
            return self.builder.number(value)
        if atom.text in CONSTANTS:
            return self.builder.add(Operation(operation="constant", name=atom.text))
        return int(self.refuse(atom, f"{shown(atom.text)} is no input, number or constant."))

    # Preconditions

    def _box(
        self, condition: Any, inputs: tuple[str, ...], core: Group
    ) -> tuple[tuple[tuple[str, Fraction, Fraction], ...], int]:
        lower: dict[str, Fraction] = {}
        upper: dict[str, Fraction] = {}
        left_out = 0
        for each in _conjuncts(condition) if condition is not None else ():
            left_out += not self._narrow(each, lower, upper)
        for name in inputs:
            if name not in lower or name not in upper:
                advice = "A precondition gives both: :pre (<= lower name upper)."
                self.refuse(core, f"input {name} has no lower and upper bound.", advice)
            if lower[name] > upper[name]:
                self.refuse(core, f"input {name} has no value: {lower[name]} is above {upper[name]}.")
        return tuple((name, lower[name], upper[name]) for name in inputs), left_out

    def _narrow(self, condition: Any, lower: dict[str, Fraction], upper: dict[str, Fraction]) -> bool:
        """Take bounds of single inputs from a comparison; return whether it was only that."""
        head = condition.items[0].text if isinstance(condition, Group) and condition.items else ""
        if head not in _COMPARISONS or not all(isinstance(part, Atom) for part in condition.items):
            return False
        parts = [part.text for part in condition.items[1:]]
        if head in (">=", ">"):
            parts.reverse()
        values = [number(part) for part in parts]
        complete = True
        for place, name in enumerate(parts):
            if values[place] is not None:
                continue
            before = [value for value in values[:place] if value is not None]
            after = [value for value in values[place + 1 :] if value is not None]
            complete &= len(before) + len(after) == len(parts) - 1  # else inputs are compared with each other
            lower.update({name: max([*before, *([lower[name]] if name in lower else [])])} if before else {})
            upper.update({name: min([*after, *([upper[name]] if name in upper else [])])} if after else {})
        return complete


def _conjuncts(condition: Any) -> Iterator[Any]:
    if isinstance(condition, Group) and condition.items and getattr(condition.items[0], "text", "") == "and":
        for each in condition.items[1:]:
            yield from _conjuncts(each)
    else:
        yield condition
