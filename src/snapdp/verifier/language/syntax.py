"""The one syntax of the verifier: expressions, statements and programs, whatever language they were written in.

Room: verifier. The parser, the tracer and the certificate all make these trees; rules, execution and loss read them.
Parameters and exact right-hand sides are already folded into rationals here: a `Constant` is a real number r, and the
machine uses fl(r). Grids and clamp bounds are exact rationals; whether the machine can hold them is a premise.
Trees are immutable and compare by structure; `as_lists` and `from_lists` are the form that certificates carry.
A new kind of expression is a class and a line in `Node`: mypy then names every `match` that has to know it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Generic, TypeVar, assert_never

from snapdp.values import Value

Part = TypeVar("Part", covariant=True)  # what the operands are: expressions here, bounds in machine/semantics.py


class Constant(Value):
    """A real constant r; a float program computes with fl(r)."""

    value: Fraction


class Held(Constant):
    """A constant that a machine has evaluated: a number that it holds, used as it is and never rounded again.

    It may have more than p bits where sums are exact.
    """


class Variable(Value):
    """A name bound by a sample or by an assignment before."""

    name: str


class QueryValue(Value):
    """f(D): the private value, a float of the machine."""

    name: str


class Negation(Generic[Part], Value):
    operand: Part


class Logarithm(Generic[Part], Value):
    operand: Part


class Binary(Generic[Part], Value):
    """left (operator) right, one rounding; operator is one of + - * /."""

    operator: str
    left: Part
    right: Part


class Rounding(Generic[Part], Value):
    """The multiple of `grid` nearest to the operand, ties toward +infinity."""

    grid: Fraction
    operand: Part


class Clamping(Generic[Part], Value):
    lower: Fraction
    upper: Fraction
    operand: Part


class ExactFunction(Generic[Part], Value):
    """A function that rounds nothing: floor, rint (the nearest whole number, ties to even), abs or sign (-1, 0, 1)."""

    name: str
    operand: Part


Unary = Negation[Part] | Logarithm[Part] | Rounding[Part] | Clamping[Part] | ExactFunction[Part]
Node = Constant | Variable | QueryValue | Binary[Part] | Unary[Part]
Expression = Node["Expression"]


class Sample(Value):
    """name <-$ distribution: "unif", "sign" ({-1,1}), "laplace" (scale) or "bernoulli" (probability)."""

    name: str
    distribution: str
    argument: Fraction | None = None


class Assignment(Value):
    name: str
    expression: Expression


Statement = Sample | Assignment


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
    statements: tuple[Statement, ...]
    result: str
    claim: Expression | None = None  # an exact expression over the parameters, numbers and eta, or None


FUNCTIONS = ("floor", "rint", "abs", "sign")  # of ExactFunction
STEPS = ("floor", "rint")  # those that give whole numbers, and rise
_WORDS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
_OPERATORS = {word: operator for operator, word in _WORDS.items()}


def as_lists(tree: Expression | Statement) -> list[Any]:
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
        case ExactFunction(name=name, operand=operand):
            return ["apply", name, as_lists(operand)]
        case Sample(name=name, distribution=distribution, argument=argument):
            return ["sample", name, distribution, *([] if argument is None else [str(argument)])]
        case Assignment(name=name, expression=expression):
            return ["assign", name, as_lists(expression)]
        case _:
            assert_never(tree)


def from_lists(lists: list[Any]) -> Expression | Statement:
    """Return the tree of `as_lists`."""
    match lists:
        case ["sample", name, distribution, *argument]:
            return Sample(name=name, distribution=distribution, argument=Fraction(argument[0]) if argument else None)
        case ["assign", name, expression]:
            return Assignment(name=name, expression=_expression(expression))
        case _:
            return _expression(lists)


def _expression(lists: list[Any]) -> Expression:
    match lists:
        case ["const", value]:
            return Constant(value=Fraction(value))
        case ["var", name]:
            return Variable(name=name)
        case ["query", name]:
            return QueryValue(name=name)
        case ["neg", operand]:
            return Negation(operand=_expression(operand))
        case ["ln", operand]:
            return Logarithm(operand=_expression(operand))
        case ["round", grid, operand]:
            return Rounding(grid=Fraction(grid), operand=_expression(operand))
        case ["clamp", lower, upper, operand]:
            return Clamping(lower=Fraction(lower), upper=Fraction(upper), operand=_expression(operand))
        case ["apply", name, operand] if name in FUNCTIONS:
            return ExactFunction(name=name, operand=_expression(operand))
        case [word, left, right] if word in _OPERATORS:
            return Binary(operator=_OPERATORS[word], left=_expression(left), right=_expression(right))
    raise ValueError("no tree in this list")
