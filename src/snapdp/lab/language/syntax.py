"""The one syntax of the verifier: expressions, statements and programs, whatever language they were written in.

The parser, the tracer and the certificate all make these trees; rules, execution and loss read them. Parameters and
exact right-hand sides are already folded into rationals here: a `Constant` is a real number r, and the machine uses
fl(r). Grids and clamp bounds are exact rationals; whether the machine can hold them is a premise.
Trees are immutable and compare by structure; `as_lists` and `from_lists` are the form that certificates carry, and
`printed` is text that reads back to the same tree. A new kind of expression is a class and a line in `Node`: mypy then
names every `match` that has to know it; other matches end by refusing what they do not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Generic, TypeVar, assert_never

from snapdp.display.numbers import exact_operand
from snapdp.values import Value, replaced

Part = TypeVar("Part", covariant=True)  # what the operands are: expressions here, bounds in floats.py


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


class UnaryOperation(Generic[Part], Value):
    """What is done to one operand."""

    operand: Part


class Negation(UnaryOperation[Part]):
    pass


class Logarithm(UnaryOperation[Part]):
    pass


class Binary(Generic[Part], Value):
    """left (operator) right, one rounding; operator is one of + - * /."""

    operator: str
    left: Part
    right: Part


class Rounding(UnaryOperation[Part]):
    """The multiple of `grid` nearest to the operand, ties toward +infinity."""

    grid: Fraction


class Clamping(UnaryOperation[Part]):
    lower: Fraction
    upper: Fraction


class ExactFunction(UnaryOperation[Part]):
    """A function that rounds nothing: floor, rint (the nearest whole number, ties to even), abs or sign (-1, 0, 1)."""

    name: str


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


def children(tree: Expression) -> list[Expression]:
    """Return the operands of an expression."""
    if isinstance(tree, Binary):
        return [tree.left, tree.right]
    return [tree.operand] if isinstance(tree, UnaryOperation) else []


def walk(tree: Expression) -> Iterator[Expression]:
    """Yield an expression and all of its parts, each before its own."""
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += reversed(children(part))


def with_operands(tree: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return an expression with each of its operands changed."""
    if isinstance(tree, Binary):
        return replaced(tree, left=change(tree.left), right=change(tree.right))
    return replaced(tree, operand=change(tree.operand)) if isinstance(tree, UnaryOperation) else tree


# Trees as nested lists

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


# Trees as text. A number is printed by a parameter's name where it has one that fits the place, else in decimals.
# Numbers that no decimal can write and no parameter names (a tracer may make them) get parameters of their own.

_BINDING = {"+": 1, "-": 1, "*": 2, "/": 2}
_TIGHT = 3


class Names:
    """The parameters' names, by value; which of them fits depends on the place."""

    def __init__(self, parameters: tuple[tuple[str, Fraction], ...] = ()) -> None:
        self.parameters = parameters

    def of(self, value: Fraction, *preferred: str) -> str | None:
        names = [name for name, known in self.parameters if known == value]
        return next((name for name in preferred if name in names), names[0] if names else None)

    def constant(self, value: Fraction, *, divides: bool) -> str:
        """Return a constant of a statement; a whole number is itself, unless it divides and is called eps."""
        name = self.of(value, "eps", "epsilon")
        if value.denominator == 1 and value >= 0 and not (divides and name in ("eps", "epsilon")):
            return exact_operand(value)
        return name or exact_operand(value)

    def exact(self, value: Fraction, *preferred: str) -> str:
        """Return an exact number of a grid, a bound or a declaration, as text."""
        if value < 0 and (name := self.of(-value, *preferred)):
            return f"-{name}"
        return self.of(value, *preferred) or str(value)


def expression_text(expression: Expression, names: Names | None = None) -> str:
    """Return an expression as it is written.

    >>> from snapdp.lab.language.parser import parse
    >>> tree = parse("program p { query f; y = f(D) - (1 - -2) * 3; return y; }")
    >>> expression_text(tree.statements[0].expression)
    'f(D) - (1 - -2) * 3'
    """
    return _text(expression, names or Names(), 0, divides=False)


def _text(expression: Expression, names: Names, context: int, *, divides: bool = False) -> str:
    match expression:
        case Constant(value=value):
            return names.constant(value, divides=divides)
        case Variable(name=name):
            return name
        case QueryValue(name=name):
            return f"{name}(D)"
        case Negation(operand=operand):
            return f"-{_text(operand, names, _TIGHT)}"
        case Logarithm(operand=operand):
            return f"ln({_text(operand, names, 0)})"
        case Binary(operator=operator, left=left, right=right):
            binding = _BINDING[operator]
            second = _text(right, names, binding + 1, divides=operator == "/")
            text = f"{_text(left, names, binding)} {operator} {second}"
            return f"({text})" if binding < context else text
        case Rounding(grid=grid, operand=operand):
            return f"round[{names.exact(grid, 'Lambda')}]({_text(operand, names, 0)})"
        case Clamping(lower=lower, upper=upper, operand=operand):
            ends = "" if lower == -upper else f"{names.exact(lower)}, "
            return f"clamp[{ends}{names.exact(upper, 'B', 'V')}]({_text(operand, names, 0)})"
        case ExactFunction(name=name, operand=operand):
            return f"{name}({_text(operand, names, 0)})"
        case _:
            assert_never(expression)


def statement_text(statement: Statement, names: Names) -> str:
    """Return a statement as it is written, without its semicolon."""
    match statement:
        case Assignment(name=name, expression=expression):
            return f"{name} = {expression_text(expression, names)}"
        case Sample(name=name, distribution=distribution, argument=argument):
            short = "{-1,1}" if distribution == "sign" else distribution
            return f"{name} <-$ {short}" + (f"({names.exact(argument)})" if argument is not None else "")
        case _:
            assert_never(statement)


def names_of(program: Program) -> Names:
    """Return the names that print a program: its parameters, and new ones for numbers only a parameter can hold."""
    known = [*program.parameters]
    taken = {name for name, _ in known} | {q.name for q in program.queries} | {s.name for s in program.statements}
    for statement in program.statements:
        parts = walk(statement.expression) if isinstance(statement, Assignment) else ()
        for value in (part.value for part in parts if isinstance(part, Constant)):
            if Names(tuple(known)).of(value) is None and (value < 0 or "/" in exact_operand(value)):
                name = next(name for number in range(len(taken) + 1) if (name := f"c{number}") not in taken)
                taken.add(name)
                known.append((name, value))
    return Names(tuple(known))


def printed(program: Program) -> str:
    """Return a program as text; `parse` of it is the program again."""
    names = names_of(program)
    lines = [f"param {name} = {value};" for name, value in names.parameters]
    lines += [_query_text(query, names) for query in program.queries]
    lines += [f"{statement_text(statement, names)};" for statement in program.statements]
    lines.append(f"return {program.result};")
    if program.claim is not None:
        lines.append(f"claim loss <= {expression_text(program.claim)};")
    return "\n".join([f"program {program.name} {{", *(f"  {line}" for line in lines), "}\n"])


def _query_text(query: Query, names: Names) -> str:
    interval = ""
    if query.lower is not None and query.upper is not None:
        interval = f" in [{names.exact(query.lower, 'B')}, {names.exact(query.upper, 'B')}]"
    return f"query {query.name}{interval} sensitivity {query.sensitivity};"
