"""The one syntax of the verifier: expressions, statements and programs, whatever language they were written in.

Room: verifier. The parser, the tracer and the certificate all make these trees; rules, execution and loss read them.
Parameters and exact right-hand sides are already folded into rationals here: a `Constant` is a real number r, and the
machine uses fl(r). Grids and clamp bounds are exact rationals; whether the machine can hold them is a premise.
Trees are immutable and compare by structure; `as_lists` and `from_lists` are the form that certificates carry.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from snapdp.values import Value


class Constant(Value):
    """A real constant r; a float program computes with fl(r)."""

    value: Fraction


class Variable(Value):
    """A name bound by a sample or by an assignment before."""

    name: str


class QueryValue(Value):
    """f(D): the private value, a float of the machine."""

    name: str


class Negation(Value):
    operand: Any


class Logarithm(Value):
    operand: Any


class Binary(Value):
    """left (operator) right, one rounding; operator is one of + - * /."""

    operator: str
    left: Any
    right: Any


class Rounding(Value):
    """The multiple of `grid` nearest to the operand, ties toward +infinity."""

    grid: Fraction
    operand: Any


class Clamping(Value):
    lower: Fraction
    upper: Fraction
    operand: Any


Expression = Constant | Variable | QueryValue | Negation | Logarithm | Binary | Rounding | Clamping


class Sample(Value):
    """name <-$ distribution: "unif", "sign" ({-1,1}), "laplace" (scale) or "bernoulli" (probability)."""

    name: str
    distribution: str
    argument: Fraction | None = None


class Assignment(Value):
    name: str
    expression: Any


class Query(Value):
    """A private value: its declared interval (None: not confined) and how far neighbours may be apart."""

    name: str
    lower: Fraction | None
    upper: Fraction | None
    sensitivity: Fraction


class Program(Value):
    """A straight-line program. `parameters` keeps names for display and for claims; the trees hold none of them."""

    name: str
    parameters: tuple[tuple[str, Fraction], ...]
    queries: tuple[Query, ...]
    statements: tuple[Any, ...]
    result: str
    claim: Any = None  # an exact expression over the parameters, numbers and eta, or None


_WORDS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
_OPERATORS = {word: operator for operator, word in _WORDS.items()}


def as_lists(tree: Any) -> list[Any]:
    """Return an expression or statement as nested lists of text, the form certificates carry."""
    match tree:
        case Constant(value=value):
            return ["const", str(value)]
        case Variable(name=name):
            return ["var", name]
        case QueryValue(name=name):
            return ["query", name]
        case Negation(operand=operand):
            return ["neg", as_lists(operand)]
        case Logarithm(operand=operand):
            return ["ln", as_lists(operand)]
        case Binary(operator=operator, left=left, right=right):
            return [_WORDS[operator], as_lists(left), as_lists(right)]
        case Rounding(grid=grid, operand=operand):
            return ["round", str(grid), as_lists(operand)]
        case Clamping(lower=lower, upper=upper, operand=operand):
            return ["clamp", str(lower), str(upper), as_lists(operand)]
        case Sample(name=name, distribution=distribution, argument=argument):
            return ["sample", name, distribution, *([] if argument is None else [str(argument)])]
        case Assignment(name=name, expression=expression):
            return ["assign", name, as_lists(expression)]
    raise TypeError(f"no tree: {type(tree).__name__}")


def from_lists(lists: list[Any]) -> Any:
    """Return the tree of `as_lists`."""
    match lists:
        case ["const", value]:
            return Constant(value=Fraction(value))
        case ["var", name]:
            return Variable(name=name)
        case ["query", name]:
            return QueryValue(name=name)
        case ["neg", operand]:
            return Negation(operand=from_lists(operand))
        case ["ln", operand]:
            return Logarithm(operand=from_lists(operand))
        case ["round", grid, operand]:
            return Rounding(grid=Fraction(grid), operand=from_lists(operand))
        case ["clamp", lower, upper, operand]:
            return Clamping(lower=Fraction(lower), upper=Fraction(upper), operand=from_lists(operand))
        case ["sample", name, distribution, *argument]:
            return Sample(name=name, distribution=distribution, argument=Fraction(argument[0]) if argument else None)
        case ["assign", name, expression]:
            return Assignment(name=name, expression=from_lists(expression))
        case [word, left, right] if word in _OPERATORS:
            return Binary(operator=_OPERATORS[word], left=from_lists(left), right=from_lists(right))
    raise ValueError("no tree in this list")
