"""Trees as text that reads back to the same tree, and as the nested lists of certificates.

A number is printed as the program writes it (`Written`), else in decimals. A number that neither a decimal nor a name
can write, as a tracer may make it, gets a parameter of its own.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any, NamedTuple

from snapdp.display.numbers import exact_operand
from snapdp.lab.language.syntax import (
    FORMULAS,
    PROGRAMS,
    Assignment,
    Binary,
    Clamping,
    Constant,
    Expression,
    FusedMultiplyAdd,
    Held,
    NamedConstant,
    Negation,
    Program,
    QueryValue,
    Rounding,
    Sample,
    Semantics,
    Statement,
    UnaryOperation,
    Variable,
    Written,
)
from snapdp.values import replaced

LONGEST = 400  # of the text of a formula; a longer one is cut in the middle
SUM, PRODUCT, TIGHT = 1, 2, 3
BINDS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT}


class Bracketed(NamedTuple):
    """A text, how tightly its outermost operation binds, and the power of 1 + eta that multiplies it (of a bound)."""

    text: str
    binds: int = TIGHT
    power: int = 0

    def within(self, at_least: int) -> str:
        return self.text if self.binds >= at_least else f"({self.text})"


def number_text(x: Fraction) -> str:
    """Return a number as the program writes it, else as an operand: a decimal, or a fraction in brackets."""
    return x.text if isinstance(x, Written) else exact_operand(x)


def exact_text(x: Fraction) -> str:
    """Return an exact number of a grid, a bound or a declaration as the program writes it, else as a rational."""
    return x.text if isinstance(x, Written) else str(x)


class ProgramText(Semantics[Bracketed], language=PROGRAMS):
    """How programs are written; the first methods are what another notation may write in its own way."""

    def complete(self, part: Bracketed) -> Bracketed:
        """Return a part with the factor that multiplies it."""
        return part

    def name(self, name: str) -> str:
        return name

    def number(self, x: Fraction) -> str:
        return number_text(x)

    def exact(self, x: Fraction) -> str:
        return exact_text(x)

    def function(self, name: str, argument: str) -> str:
        return f"{name}({argument})"

    def rounding(self, grid: str, argument: str) -> str:
        return f"round[{grid}]({argument})"

    def clamping(self, ends: str, argument: str) -> str:
        return f"clamp[{ends}]({argument})"

    # One method for each operation

    def const(self, e: Constant) -> Bracketed:
        return Bracketed(self.number(e.value))

    def var(self, e: Variable | NamedConstant) -> Bracketed:
        return Bracketed(self.name(e.name))

    def query(self, e: QueryValue) -> Bracketed:
        return Bracketed(self.function(self.name(e.name), "D"))

    def neg(self, _: Negation, operand: Bracketed) -> Bracketed:
        return Bracketed(f"-{operand.within(TIGHT)}", PRODUCT, operand.power)

    def ln(self, e: UnaryOperation, operand: Bracketed) -> Bracketed:
        return Bracketed(self.function(e.word, self.complete(operand).text))

    floor = rint = abs = sign = ln

    def round(self, e: Rounding, operand: Bracketed) -> Bracketed:
        return Bracketed(self.rounding(self.exact(e.grid), self.complete(operand).text))

    def clamp(self, e: Clamping, operand: Bracketed) -> Bracketed:
        ends = "" if e.lower == -e.upper else f"{self.exact(e.lower)}, "  # one number where they are -B and B
        return Bracketed(self.clamping(ends + self.exact(e.upper), self.complete(operand).text))

    def add(self, e: Binary, left: Bracketed, right: Bracketed) -> Bracketed:
        binds = BINDS[e.symbol]
        return Bracketed(f"{left.within(binds)} {e.symbol} {right.within(binds + 1)}", binds)

    sub = mul = div = add


class _Cut(ProgramText, language=PROGRAMS | FORMULAS | {Held}):
    """The text of programs and formulas; of each part only so much as is asked for."""

    def __init__(self, longest: int | None) -> None:
        super().__init__()
        self.longest = longest

    def of(self, e: Expression) -> Bracketed:
        """Return the text of an expression, without recursion: a formula may share parts and be deep."""
        waiting = [e]
        while waiting:
            part = waiting[-1]
            missing = [operand for operand in part.operands if id(operand) not in self.known]
            waiting += reversed(missing)
            if missing:
                continue
            waiting.pop()
            written = getattr(self, part.word)(part, *(self.known[id(operand)] for operand in part.operands))
            if self.longest is not None and len(written.text) > self.longest:
                shortened = f"{written.text[: self.longest // 2]} ... {written.text[-self.longest // 4 :]}"
                written = written._replace(text=shortened)
            self.known[id(part)] = written
        return self.known[id(e)]

    held, named = ProgramText.const, ProgramText.var
    exp = sqrt = ProgramText.ln

    def fma(self, e: FusedMultiplyAdd, *parts: Bracketed) -> Bracketed:
        return Bracketed(self.function(e.word, ", ".join(part.text for part in parts)))


def expression_text(expression: Expression, *, longest: int | None = None) -> str:
    """Return an expression as it is written; cut in the middle where it is longer than `longest`.

    >>> from snapdp.lab.language.parser import parse
    >>> tree = parse("program p { query f; y = f(D) - (1 - -2) * 3; return y; }")
    >>> expression_text(tree.statements[0].expression)
    'f(D) - (1 - -2) * 3'
    """
    return _Cut(longest).of(expression).text


def statement_text(statement: Statement) -> str:
    """Return a statement as it is written, without its semicolon."""
    if isinstance(statement, Assignment):
        return f"{statement.name} = {expression_text(statement.expression)}"
    assert isinstance(statement, Sample)
    drawn = "{-1,1}" if statement.distribution == "sign" else statement.distribution
    return f"{statement.name} <-$ {drawn}" + (
        "" if statement.argument is None else f"({exact_text(statement.argument)})"
    )


def printed(program: Program) -> str:
    """Return a program as text; `parse` of it is the program again."""
    program = with_numbers_named(program)
    lines = [f"param {name} = {Fraction(value)};" for name, value in program.parameters]
    for query in program.queries:
        interval = ""
        if query.lower is not None and query.upper is not None:
            interval = f" in [{exact_text(query.lower)}, {exact_text(query.upper)}]"
        lines.append(f"query {query.name}{interval} sensitivity {exact_text(query.sensitivity)};")
    lines += [f"{statement_text(statement)};" for statement in program.statements]
    lines.append(f"return {program.result};")
    if program.claim is not None:
        lines.append(f"claim loss <= {expression_text(program.claim)};")
    return "\n".join([f"program {program.name} {{", *(f"  {line}" for line in lines), "}\n"])


def with_numbers_named(program: Program) -> Program:
    """Return a program in which numbers that the language cannot write are parameters: c0, c1, ...

    A statement writes decimals; a negative number or a quotient would read back as an operation.
    """
    parameters = dict(program.parameters)
    names = {value: name for name, value in reversed(program.parameters)}
    taken = {*parameters, *(query.name for query in program.queries), *(s.name for s in program.statements)}

    def named(e: Expression) -> Expression:
        if not isinstance(e, Constant) or isinstance(e.value, Written):
            return e.with_operands(named)
        if e.value >= 0 and "/" not in exact_operand(e.value):
            return e
        if e.value not in names:
            name = next(name for number in range(len(taken) + 1) if (name := f"c{number}") not in taken)
            taken.add(name)
            names[e.value], parameters[name] = name, e.value
        return Constant(value=Written(e.value, names[e.value]))

    statements = tuple(
        replaced(s, expression=named(s.expression)) if isinstance(s, Assignment) else s for s in program.statements
    )
    return replaced(program, statements=statements, parameters=tuple(parameters.items()))


def unused_name(stem: str, taken: Collection[str]) -> str:
    """Return a name that is not taken: the stem itself, else with a number."""
    candidates = (f"{stem}_{number}" if number else stem for number in range(len(taken) + 1))
    return next(candidate for candidate in candidates if candidate not in taken)


# Nested lists: [word, what it says, operands]


def as_lists(tree: Expression | Statement) -> list[Any]:
    """Return an expression or statement as nested lists of text, the form certificates carry."""
    if isinstance(tree, Assignment):
        return ["assign", tree.name, as_lists(tree.expression)]
    if isinstance(tree, Sample):
        return ["sample", tree.name, tree.distribution, *([] if tree.argument is None else [str(tree.argument)])]
    assert isinstance(tree, Expression)
    return [tree.word, *map(str, tree.own), *map(as_lists, tree.operands)]


def from_lists(lists: list[Any]) -> Statement | Expression:
    """Return the statement or the expression of `as_lists`.

    >>> from_lists(["neg", ["query", "f"]])
    Negation(operand=QueryValue(name='f'))
    """
    word, *values = lists
    if word == "sample":
        name, distribution, *argument = values
        return Sample(name=name, distribution=distribution, argument=Fraction(argument[0]) if argument else None)
    if word == "assign":
        return Assignment(name=values[0], expression=_expression_from_lists(values[1]))
    return _expression_from_lists(lists)


def _expression_from_lists(lists: list[Any]) -> Expression:
    word, *values = lists
    kind = next((kind for kind in PROGRAMS if kind.word == word), None)
    if kind is None or len(values) != len(kind._fields):
        raise ValueError("no expression in this list")
    own = [field for field in kind._fields if field not in kind._parts]
    fields: dict[str, Any] = {f: v if f == "name" else Fraction(v) for f, v in zip(own, values, strict=False)}
    parts = zip(kind._parts, values[len(own) :], strict=True)
    return kind(**fields, **{part: _expression_from_lists(value) for part, value in parts})
