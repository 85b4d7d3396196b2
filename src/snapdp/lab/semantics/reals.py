"""What a program or a bound is over the reals, enclosed (Liu's note, L20, Figures 4 and 7), beside the float values.

Rationals stay exact, only ln is rounded, outward, by MPFR: an expression without ln has a single point. Bounds have
operations that programs lack, such as rd and ru; they come after those of programs. `evaluate` shows at one draw what
Theorem 1' says of every draw: the float value and the real value lie between the derived bounds.
Theory: docs/theory/verifier-rules.md, (1)-(4).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from snapdp.errors import PremiseError
from snapdp.exact.dyadic import nearest_multiple
from snapdp.exact.enclosure import Enclosure, maximum
from snapdp.exact.functions import ln_of
from snapdp.lab.language.syntax import BOUNDS, Assignment, Expression, Held, Program, Semantics, Statement
from snapdp.lab.semantics.bounds import Derivation, Inference, steps
from snapdp.lab.semantics.floats import Environment, evaluate_float, folded, run_float, written_out
from snapdp.lab.semantics.machine import FUNCTIONS, Given, Machine, fraction_of, given, rational_of
from snapdp.lab.semantics.printed import derive_by
from snapdp.values import Value

PRECISION = 256


def on_operands(function: Callable[..., Enclosure]) -> Callable[..., Enclosure]:
    """Return a function of operands as a method, which also gets the expression."""
    return lambda _semantics, _expression, *operands: function(*operands)


class Real(Semantics[Enclosure], language=BOUNDS | {Held}):
    """An enclosure of the real value of an expression or bound, its ends mpq; the environment has those of names."""

    def __init__(self, machine: Machine, environment: Environment, precision: int) -> None:
        super().__init__()
        self.precision = precision
        self.factor = rational_of(1 + machine.eta)
        self.environment = {name: _point(value) for name, value in environment.items()}

    def const(self, e: Any) -> Enclosure:
        return _point(e.value)

    held = const

    def var(self, e: Any) -> Enclosure:
        return self.environment[e.name]

    query = var

    neg = on_operands(operator.neg)
    abs = on_operands(operator.abs)
    add = on_operands(operator.add)
    sub = on_operands(operator.sub)
    mul = on_operands(operator.mul)
    greatest = on_operands(maximum)

    def ln(self, _: Any, a: Enclosure) -> Enclosure:
        if a.lower <= 0:
            raise PremiseError("ln of a bound that is not positive is not defined.")
        return _ln(_image(fraction_of, a), self.precision)

    def round(self, e: Any, a: Enclosure) -> Enclosure:
        return _image(lambda x: rational_of(nearest_multiple(fraction_of(x), e.grid)), a)

    def clamp(self, e: Any, a: Enclosure) -> Enclosure:
        lower, upper = rational_of(e.lower), rational_of(e.upper)
        return _image(lambda x: min(max(x, lower), upper), a)

    def floor(self, e: Any, a: Enclosure) -> Enclosure:
        return _image(lambda x: rational_of(FUNCTIONS[e.word](fraction_of(x))), a)

    rint = sign = floor

    def div(self, _: Any, a: Enclosure, b: Enclosure) -> Enclosure:
        if b.lower <= 0 <= b.upper:
            raise PremiseError("a division by a bound that may be zero has no value.")
        return a / b

    def powered(self, e: Any, a: Enclosure) -> Enclosure:
        return a * Enclosure(self.factor**e.power, self.factor**e.power)

    def down(self, e: Any, a: Enclosure) -> Enclosure:
        return _image(lambda x: x / self.factor**e.roundings if x >= 0 else x * self.factor**e.roundings, a)

    def up(self, e: Any, a: Enclosure) -> Enclosure:
        return _image(lambda x: x * self.factor**e.roundings if x >= 0 else x / self.factor**e.roundings, a)

    def least(self, _: Any, *choices: Enclosure) -> Enclosure:
        return -maximum(*(-choice for choice in choices))

    def by_sign(self, _: Any, premise: Enclosure, nonnegative: Enclosure, negative: Enclosure) -> Enclosure:
        if premise.lower < 0 <= premise.upper:
            raise PremiseError("the sign of a premise is not decided at this precision.")
        return nonnegative if premise.lower >= 0 else negative


def evaluate_real(
    bound: Expression, environment: Environment, machine: Machine, *, precision: int = PRECISION
) -> Enclosure:
    """Return an enclosure of the real value of a bound; a single point where no ln is met.

    >>> from snapdp.lab.language.syntax import Constant, Powered
    >>> float(evaluate_real(Powered(operand=Constant(value=Fraction(1)), power=-1), {}, Machine(p=3)))
    0.8888888888888888
    """
    return _image(fraction_of, Real(machine, environment, precision).of(bound))


def _image(rising: Callable[[Any], Any], a: Enclosure) -> Enclosure:
    return Enclosure(rising(a.lower), rising(a.upper))


def _point(x: Fraction) -> Enclosure:
    return Enclosure(rational_of(x), rational_of(x))


@lru_cache(maxsize=1024)
def _ln(x: Enclosure, precision: int) -> Enclosure:
    return _image(rational_of, ln_of(x, precision))


# A program evaluated twice at one draw, in floats and over the reals, with the derived bounds around both. What
# Theorem 1' says for every draw is seen at one: at each step the float value lies between the bounds that the rules
# derive, and so does the real value, because every rule only moves bounds outward.
# Theory: docs/theory/verifier-rules.md, (4).


class EvaluatedStep(Value):
    """One step of a derivation at one draw: what the machine computes, the real value, and both bounds."""

    inference: Inference
    computed: Fraction
    real: Enclosure
    lower: Enclosure
    upper: Enclosure

    @property
    def holds(self) -> bool:
        """Tell whether the float value lies between the bounds, whatever their enclosures leave open."""
        return self.lower.upper <= self.computed <= self.upper.lower

    @property
    def is_exact(self) -> bool:
        """Tell whether there is one value only: nothing has rounded so far, and no bound moved."""
        return self.lower == self.upper == self.real and self.lower.is_exact and self.lower.lower == self.computed


class EvaluatedLine(Value):
    """One statement, with the steps of its derivation, premises first."""

    statement: Statement
    steps: tuple[EvaluatedStep, ...]


class Evaluation(Value):
    """Both evaluations of a program at one draw, statement by statement."""

    derivation: Derivation
    given: Given
    lines: tuple[EvaluatedLine, ...]
    rules: str = "sound"

    @property
    def steps(self) -> tuple[EvaluatedStep, ...]:
        return tuple(step for line in self.lines for step in line.steps)

    @property
    def result(self) -> EvaluatedStep:
        """Return the step whose value the program returns."""
        return next(x.steps[-1] for x in self.lines if x.statement.name == self.derivation.program.result)

    @property
    def is_sound(self) -> bool:
        return all(step.holds for step in self.steps)


def evaluate(program: Program, machine: Machine, values: Mapping[str, object], *, rules: str = "sound") -> Evaluation:
    """Return both evaluations of a program and the derived bounds; `values` has its queries and samples, by name.

    rules   "sound", or the unsound ones of L20: "printed" as they stand, "repaired" with max, min and minus put right

    >>> from snapdp.lab.language.parser import load_program
    >>> from snapdp.lab.semantics.machine import Machine
    >>> found = evaluate(load_program("snap_half"), Machine(), {"f": 3, "U": "0.3", "S": -1})
    >>> found.is_sound, found.result.computed, found.result.is_exact
    (True, Fraction(6, 1), True)
    """
    draws, bits = given(program, machine, values), max(PRECISION, 2 * machine.p + 64)
    folded(program, machine)  # refuses a program whose numbers grow without end
    # Bounds are derived for each value of a sign, where there is one sign.
    sign = next((int(draws.environment[s.name]) for s in program.samples.values() if s.distribution == "sign"), None)
    derivation = derive_by(rules, program, machine, sign=sign)
    computed, written = run_float(program, draws.environment, machine), dict[str, Expression]()

    def real(bound: Expression) -> Enclosure:
        return evaluate_real(bound, draws.environment, machine, precision=bits)

    lines = []
    for line in derivation.lines:
        evaluated = tuple(
            EvaluatedStep(
                inference=step,
                computed=evaluate_float(step.expression, computed, machine),
                real=real(written_out(step.expression, written)),
                lower=real(step.interval.lower),
                upper=real(step.interval.upper),
            )
            for step in steps(line.step)
        )
        if isinstance(line.statement, Assignment):
            written[line.statement.name] = written_out(line.statement.expression, written)
        lines.append(EvaluatedLine(statement=line.statement, steps=evaluated))
    return Evaluation(derivation=derivation, given=draws, lines=tuple(lines), rules=rules)
