"""The rules: from a program and a machine to bounds on every value the machine computes, without regard to signs.

A derivation proves, for every draw and every query value, lower <= float value <= upper, where both
bounds are real expressions (Theorem 1' in docs/theory/verifier-rules.md). Each inexact operation contributes one
rd/ru around the exact image of its operands' bounds. Where ranges.py knows a sign, rd and ru are written as powers of
1 + eta and products take the one corner that matters; soundness does not need it, readers do.
A random sign is a case distinction: one derivation for S = 1 and one for S = -1, as in L20.
Exponents are unbounded on this machine, so products need no absolute term and nothing overflows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import assert_never

from snapdp.errors import ProgramError
from snapdp.exact.dyadic import exponent_of_power, power_of_two, round_nearest
from snapdp.lab.language.syntax import (
    Binary,
    Clamping,
    Constant,
    ExactFunction,
    Expression,
    Logarithm,
    Names,
    Negation,
    Program,
    QueryValue,
    Rounding,
    Sample,
    Statement,
    Unary,
    UnaryOperation,
    Variable,
    expression_text,
    names_of,
    statement_text,
)
from snapdp.lab.semantics import ranges
from snapdp.lab.semantics.floats import Down, Powered, Up
from snapdp.lab.semantics.intervals import (
    Interval,
    corners,
    image,
    magnitude,
    negated,
    op,
    scaled,
    within_a_factor_of_two,
)
from snapdp.lab.semantics.machine import FUNCTIONS, Machine
from snapdp.lab.semantics.ranges import Range, between
from snapdp.values import Value

_BINARY = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div"}


class Inference(Value):
    """One rule applied: its name, the expression it is about, what it concludes, and from what."""

    rule: str
    expression: Expression
    interval: Interval
    premises: tuple[Inference, ...] = ()


def steps(step: Inference) -> Iterator[Inference]:
    """Yield the steps of a tree, premises first."""
    for premise in step.premises:
        yield from steps(premise)
    yield step


class DerivedLine(Value):
    """One statement and the step that ends its derivation."""

    statement: Statement
    step: Inference


class Derivation(Value):
    """A derivation for every statement of a program; `sign` is the value of the sign sample, if there is one."""

    program: Program
    machine: Machine
    sign: int | None
    lines: tuple[DerivedLine, ...]

    @property
    def result(self) -> Interval:
        return next(x.step.interval for x in self.lines if x.statement.name == self.program.result)


def derivations(program: Program, machine: Machine) -> tuple[Derivation, ...]:
    """Return the derivations of a program: one, or one for each value of its random sign."""
    return tuple(derive(program, machine, sign=sign) for sign in signs_of(program))


def signs_of(program: Program) -> tuple[int | None, ...]:
    """Return the values of the random sign, each of which gets a derivation; None where there is no sign."""
    return (1, -1) if any(_is_sign(statement) for statement in program.statements) else (None,)


def derive(program: Program, machine: Machine, *, sign: int | None = None) -> Derivation:
    """Return the derivation of a program on a machine; a random sign has the value `sign`."""
    names = names_of(program)
    rules = _Rules(machine, {query.name: between(query.lower, query.upper) for query in program.queries}, names)
    lines = []
    for statement in program.statements:
        if isinstance(statement, Sample):
            step = Inference(
                rule="Sample", expression=Variable(name=statement.name), interval=sampled(statement, machine, sign)
            )
        else:
            rules.place = statement_text(statement, names)
            step = rules.step(statement.expression)
            if not rules._have_p_bits(statement.expression):
                rules.long.add(statement.name)
        rules.intervals[statement.name] = step.interval
        lines.append(DerivedLine(statement=statement, step=step))
    return Derivation(program=program, machine=machine, sign=sign, lines=tuple(lines))


def derive_expression(expression: Expression, machine: Machine, known: Mapping[str, Range]) -> Inference:
    """Return the derivation of one expression over floats that lie in known ranges."""
    rules = _Rules(machine, known, Names())
    rules.place = expression_text(expression)
    rules.intervals = {name: _symbol(name, found) for name, found in known.items()}
    return rules.step(expression)


def sampled(statement: Sample, machine: Machine, sign: int | None = None) -> Interval:
    """Return the interval of a sample: a symbol that ranges over what the sampler can draw."""
    if statement.distribution == "sign" and sign is not None:
        value = Fraction(sign)
        return Interval(lower=Constant(value=value), upper=Constant(value=value), range=between(value, value))
    match statement.distribution:
        case "unif":
            least = {"grid53": Fraction(1, 1 << 53)}.get(machine.sampler, Fraction(0))
            if machine.umin is not None:
                least = max(least, power_of_two(machine.umin))
            most = 1 - power_of_two(-machine.p) if machine.sampler == "ulp" else Fraction(1)
            found = between(least, most, nonzero=True)
        case "sign":
            found = between(Fraction(-1), Fraction(1), nonzero=True)
        case "bernoulli":
            found = between(Fraction(0), Fraction(1))
        case _:
            found = between(None, None)
    return _symbol(statement.name, found)


def _symbol(name: str, found: Range) -> Interval:
    return Interval(lower=Variable(name=name), upper=Variable(name=name), range=found)


def _is_sign(statement: Statement) -> bool:
    return isinstance(statement, Sample) and statement.distribution == "sign"


class _Rules:
    """The rules on one machine; `intervals` is the environment Theta, `place` the statement that refusals name."""

    def __init__(self, machine: Machine, queries: Mapping[str, Range], names: Names) -> None:
        self.machine = machine
        self.queries = queries
        self.names = names
        self.intervals: dict[str, Interval] = {}
        self.long: set[str] = set()  # names of values that may have more than p bits
        self.place = ""

    def step(self, e: Expression) -> Inference:
        match e:
            case Constant(value=r):
                rule, interval = self._constant(r)
                return Inference(rule=rule, expression=e, interval=interval)
            case Variable(name=name):
                return Inference(rule="Var", expression=e, interval=self.intervals[name])
            case QueryValue(name=name):
                return Inference(
                    rule="F(D)", expression=e, interval=Interval(lower=e, upper=e, range=self.queries[name])
                )
            case Binary(operator=operator, left=left, right=right):
                a, b = self.step(left), self.step(right)
                rule, interval = self._binary(operator, a.interval, b.interval, e)
                return Inference(rule=rule, expression=e, interval=interval, premises=(a, b))
            case UnaryOperation():
                premise = self.step(e.operand)
                rule, interval = self._unary(e, premise.interval)
                return Inference(rule=rule, expression=e, interval=interval, premises=(premise,))
            case _:
                assert_never(e)

    def _rounds(self, rule: str, exact: Interval, roundings: int = 1) -> tuple[str, Interval]:
        """Return rd of the lower and ru of the upper bound, as powers where the sign of both is known."""
        widened = ranges.widened(exact.range, roundings, self.machine.eta)
        if exact.range.nonnegative or exact.range.nonpositive:
            power = roundings if exact.range.nonnegative else -roundings
            lower, upper = Powered(operand=exact.lower, power=-power), Powered(operand=exact.upper, power=power)
            suffix = "" if exact.range.nonnegative else "-Neg"
            return rule + suffix, Interval(lower=lower, upper=upper, range=widened)
        down, up = Down(operand=exact.lower, roundings=roundings), Up(operand=exact.upper, roundings=roundings)
        return f"{rule}-Mix", Interval(lower=down, upper=up, range=widened)

    def _constant(self, r: Fraction) -> tuple[str, Interval]:
        exact = Interval(lower=Constant(value=r), upper=Constant(value=r), range=between(r, r))
        return ("Const-F", exact) if round_nearest(r, self.machine.p) == r else self._rounds("Const", exact)

    def _unary(self, e: Unary, a: Interval) -> tuple[str, Interval]:
        match e:
            case Negation():
                return "Neg", negated(a)
            case Logarithm():
                if not a.range.positive:
                    self._refuse(f"ln needs an argument above 0; {self._shown(e.operand)} may lie in {a.range}.")
                return self._rounds("Ln", image(e, a, ranges.logarithm(a.range)), self.machine.ln_roundings)
            case Rounding(grid=grid):
                exact = image(e, a, ranges.rounded(a.range, grid))
                # A p-bit float rounded to a multiple of 2**i is a p-bit float; for other grids the product rounds.
                return ("Round", exact) if exponent_of_power(grid) is not None else self._rounds("Round", exact)
            case Clamping(lower=low, upper=high):
                exact = image(e, a, ranges.clamped(a.range, low, high))
                held = all(round_nearest(end, self.machine.p) == end for end in (low, high))
                return ("Clamp", exact) if held else self._rounds("Clamp", exact)
            case ExactFunction(name="abs"):
                return "Abs", magnitude(a)
            case ExactFunction(name=name):
                return name.capitalize(), image(e, a, ranges.monotone(a.range, FUNCTIONS[name]))
            case _:
                assert_never(e)

    def _binary(self, operator: str, a: Interval, b: Interval, e: Binary) -> tuple[str, Interval]:
        if operator == "/" and not b.range.excludes_zero:
            self._refuse(f"a divisor must keep away from 0; {self._shown(e.right)} may lie in {b.range}.")
        found = ranges.image(operator, a.range, b.range)
        match operator:
            case "+":
                exact = Interval(lower=op("+", a.lower, b.lower), upper=op("+", a.upper, b.upper), range=found)
            case "-":
                exact = Interval(lower=op("-", a.lower, b.upper), upper=op("-", a.upper, b.lower), range=found)
                if within_a_factor_of_two(a.range, b.range):
                    return "Sub by Sterbenz, exact", exact
            case _:
                if (product := scaled(operator, a, b, found)) is not None and self._have_p_bits(e.left, e.right):
                    return f"{_BINARY[operator]} by +-2^k, exact", product
                exact = corners(operator, a, b, found)
        if operator in "+-" and self.machine.adds_exactly:
            return f"{_BINARY[operator]}, exact", exact
        return self._rounds(_BINARY[operator], exact)

    def _have_p_bits(self, *operands: Expression) -> bool:
        """Return whether values are floats: all are, but for sums that do not round, and what is added to them."""
        return not self.machine.adds_exactly or not any(self._may_be_long(e) for e in operands)

    def _may_be_long(self, e: Expression) -> bool:
        match e:
            case QueryValue():
                return True
            case Variable(name=name):
                return name in self.long
            case Binary(operator=operator):
                return operator in "+-"
            case Negation(operand=operand) | Rounding(operand=operand) | Clamping(operand=operand):
                return self._may_be_long(operand)
            case ExactFunction(name=name, operand=operand):
                return name != "sign" and self._may_be_long(operand)
            case Constant() | Logarithm():
                return False
            case _:
                assert_never(e)

    def _shown(self, e: Expression) -> str:
        return expression_text(e, self.names)

    def _refuse(self, why: str) -> None:
        raise ProgramError(f"no derivation for '{self.place}': {why}", "Declare a range, or clamp first.")
