"""Programs and expressions as text that reads back to the same tree.

Room: verifier. A tree holds numbers where the text had parameters; a number is printed by a parameter's name where it
has one that fits the place, else in decimals. Numbers that no decimal can write and no parameter names (a tracer may
make them) get parameters of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import assert_never

from snapdp.display import exact_operand
from snapdp.verifier.language.syntax import (
    Assignment,
    Binary,
    Clamping,
    Constant,
    ExactFunction,
    Expression,
    Logarithm,
    Negation,
    Program,
    Query,
    QueryValue,
    Rounding,
    Sample,
    Statement,
    Variable,
)

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

    >>> from snapdp.verifier import parse
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
        for value in _constants(statement.expression) if isinstance(statement, Assignment) else ():
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


def _constants(expression: Expression) -> Iterator[Fraction]:
    match expression:
        case Constant(value=value):
            yield value
        case Binary(left=left, right=right):
            yield from _constants(left)
            yield from _constants(right)
        case Negation(operand=operand) | Logarithm(operand=operand):
            yield from _constants(operand)
        case Rounding(operand=operand) | Clamping(operand=operand) | ExactFunction(operand=operand):
            yield from _constants(operand)
        case Variable() | QueryValue():
            pass
        case _:
            assert_never(expression)
