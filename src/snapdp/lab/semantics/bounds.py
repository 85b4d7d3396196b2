"""The rules: from a program and a machine to bounds on every value the machine computes.

They replace Figures 1, 2 and 5 of Liu's note (L20), which are unsound as printed (printed.py). A derivation proves, for
every draw and every query value, lower <= float value <= upper, where both bounds are real expressions (Theorem 1' in
docs/theory/verifier-rules.md). Each inexact operation rounds the exact image of its operands' bounds outward once (rd,
ru), which is sound for every sign. Where the sign is known, the same bounds are written more simply, as powers of
1 + eta; this is for readers only. `derive` is Figure 2: each assignment is one line (ASG), derived under the lines
before it (CONSQ); `sampled` is SAMPLE, and the environment Theta is `Rules.intervals`.
A random sign is a case distinction: one derivation for S = 1 and one for S = -1, as in L20.
Exponents are unbounded on this machine, so products need no absolute term and nothing overflows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NoReturn

from snapdp.errors import ProgramError
from snapdp.exact.dyadic import exponent_of_power, nearest_multiple, power_of_two, round_nearest
from snapdp.lab.language import syntax
from snapdp.lab.language.syntax import PROGRAMS, Assignment, Expression, Program, Sample, Semantics, Statement, Variable
from snapdp.lab.language.text import expression_text, statement_text
from snapdp.lab.semantics.intervals import Interval, Range, between, corners, scaled, within_a_factor_of_two
from snapdp.lab.semantics.machine import FUNCTIONS, Machine
from snapdp.values import Value


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
    return (1, -1) if any(s.distribution == "sign" for s in program.samples.values()) else (None,)


def derive(program: Program, machine: Machine, *, sign: int | None = None) -> Derivation:
    """Return the derivation of a program on a machine; a random sign has the value `sign`."""
    rules = Sound(machine, {query.name: between(query.lower, query.upper) for query in program.queries})
    lines = []
    for statement in program.statements:
        if isinstance(statement, Sample):
            interval = sampled(statement, machine, sign)
            step = Inference(rule="Sample", expression=Variable(name=statement.name), interval=interval)
        elif isinstance(statement, Assignment):
            rules.place = statement
            step = rules.of(statement.expression)
            if not rules.have_p_bits(statement.expression):
                rules.long.add(statement.name)
        rules.intervals[statement.name] = step.interval
        lines.append(DerivedLine(statement=statement, step=step))
    return Derivation(program=program, machine=machine, sign=sign, lines=tuple(lines))


def sampled(statement: Sample, machine: Machine, sign: int | None = None) -> Interval:
    """Return the interval of a sample: a symbol that ranges over what the sampler can draw."""
    match statement.distribution:
        case "unif":
            least = {"grid53": Fraction(1, 1 << 53)}.get(machine.sampler, Fraction(0))
            if machine.umin is not None:
                least = max(least, power_of_two(machine.umin))
            most = 1 - power_of_two(-machine.p) if machine.sampler == "ulp" else Fraction(1)
            drawn = between(least, most, nonzero=True)
        case "sign":
            if sign is not None:
                x = syntax.Constant(value=Fraction(sign))
                return Interval(lower=x, upper=x, range=between(x.value, x.value))
            drawn = between(Fraction(-1), Fraction(1), nonzero=True)
        case "bernoulli":
            drawn = between(Fraction(0), Fraction(1))
        case _:
            drawn = between(None, None)
    return Interval(lower=Variable(name=statement.name), upper=Variable(name=statement.name), range=drawn)


Conclusion = tuple[str, Interval]  # a rule's name, and what it concludes


class Rules(Semantics[Inference]):
    """Rules give each operation a name and an interval, from the intervals of its operands.

    `intervals` is the environment Theta.
    """

    def __init__(self) -> None:
        super().__init__()
        self.intervals: dict[str, Interval] = {}

    def of(self, e: Expression) -> Inference:
        if id(e) not in self.known:
            premises = tuple(map(self.of, e.operands))
            rule, interval = getattr(self, e.word)(e, *(premise.interval for premise in premises))
            self.known[id(e)] = Inference(rule=rule, expression=e, interval=interval, premises=premises)
        return self.known[id(e)]


class Sound(Rules, language=PROGRAMS):
    """The rules on one machine; `place` is the statement that refusals name."""

    def __init__(self, machine: Machine, queries: Mapping[str, Range]) -> None:
        super().__init__()
        self.machine, self.queries = machine, queries
        self.long: set[str] = set()  # names of values that may have more than p bits
        self.place: Statement

    def const(self, e: Any) -> Conclusion:
        exact = Interval(lower=e, upper=e, range=between(e.value, e.value))
        return ("Const-F", exact) if self._holds(e.value) else self._rounds("Const", exact)

    def var(self, e: Any) -> Conclusion:
        return "Var", self.intervals[e.name]

    def query(self, e: Any) -> Conclusion:
        return "F(D)", Interval(lower=e, upper=e, range=self.queries[e.name])

    def neg(self, _: Any, a: Interval) -> Conclusion:
        return "Neg", -a

    def ln(self, e: Any, a: Interval) -> Conclusion:
        if not a.range.positive:
            self._refuse("ln needs an argument above 0", e.operand, a)
        return self._rounds("Ln", a.image(e, a.range.logarithm()), self.machine.ln_roundings)

    def round(self, e: Any, a: Interval) -> Conclusion:
        exact = a.image(e, a.range.image(lambda x: nearest_multiple(x, e.grid)))
        # A p-bit float rounded to a multiple of 2**i is a p-bit float; for other grids the product rounds.
        return ("Round", exact) if exponent_of_power(e.grid) is not None else self._rounds("Round", exact)

    def clamp(self, e: Any, a: Interval) -> Conclusion:
        exact = a.image(e, a.range.clamped(e.lower, e.upper))
        return ("Clamp", exact) if self._holds(e.lower, e.upper) else self._rounds("Clamp", exact)

    def floor(self, e: Any, a: Interval) -> Conclusion:
        return e.word.capitalize(), a.image(e, a.range.image(FUNCTIONS[e.word]))

    rint = sign = floor

    def abs(self, _: Any, a: Interval) -> Conclusion:
        return "Abs", abs(a)

    def add(self, _: Any, a: Interval, b: Interval) -> Conclusion:
        return self._summed("Add", a + b)

    def sub(self, _: Any, a: Interval, b: Interval) -> Conclusion:
        exact = a - b
        if within_a_factor_of_two(a.range, b.range):
            return "Sub by Sterbenz, exact", exact
        return self._summed("Sub", exact)

    def mul(self, e: Any, a: Interval, b: Interval) -> Conclusion:
        rule, product = e.word.capitalize(), scaled(type(e), a, b)
        if product is not None and self.have_p_bits(e.left, e.right):
            return f"{rule} by +-2^k, exact", product
        return self._rounds(rule, corners(type(e), a, b))

    def div(self, e: Any, a: Interval, b: Interval) -> Conclusion:
        if not b.range.excludes_zero:
            self._refuse("a divisor must keep away from 0", e.right, b)
        return self.mul(e, a, b)

    def _summed(self, rule: str, exact: Interval) -> Conclusion:
        return (f"{rule}, exact", exact) if self.machine.adds_exactly else self._rounds(rule, exact)

    def _rounds(self, rule: str, exact: Interval, roundings: int = 1) -> Conclusion:
        """Return rd of the lower and ru of the upper bound, as powers where the sign of both is known."""
        widened = exact.range.widened(roundings, self.machine.eta)
        if exact.range.nonnegative or exact.range.nonpositive:
            power, suffix = (roundings, "") if exact.range.nonnegative else (-roundings, "-Neg")
            lower: Expression = syntax.Powered(operand=exact.lower, power=-power)
            upper: Expression = syntax.Powered(operand=exact.upper, power=power)
        else:
            suffix = "-Mix"
            lower = syntax.Down(operand=exact.lower, roundings=roundings)
            upper = syntax.Up(operand=exact.upper, roundings=roundings)
        return rule + suffix, Interval(lower=lower, upper=upper, range=widened)

    def _holds(self, *numbers: Fraction) -> bool:
        """Return whether numbers are floats of the machine."""
        return all(round_nearest(x, self.machine.p) == x for x in numbers)

    def have_p_bits(self, *operands: Expression) -> bool:
        """Return whether values are floats: all are, but for sums that do not round, and what is made of them."""
        return not self.machine.adds_exactly or not any(self._may_be_long(e) for e in operands)

    def _may_be_long(self, e: Expression) -> bool:
        if isinstance(e, Variable):
            return e.name in self.long
        if e.word in ("mul", "div", "ln", "sign"):  # these round to p bits; any other operation may keep more
            return False
        return e.word in ("query", "add", "sub") or any(map(self._may_be_long, e.operands))

    def _refuse(self, need: str, operand: Expression, a: Interval) -> NoReturn:
        place, what = statement_text(self.place), expression_text(operand)
        raise ProgramError(
            f"no derivation for '{place}': {need}; {what} may lie in {a.range}.",
            "Declare a range, or clamp first.",
        )
