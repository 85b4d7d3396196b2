"""A program evaluated twice at one draw, in floats and over the reals, with the derived bounds around both.

What Theorem 1' says for every draw is seen at one: at each step the float value lies between the bounds
that the rules derive, and so does the real value, because every rule only moves bounds outward.
Theory: docs/theory/verifier-rules.md, (4).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from snapdp.exact.enclosure import Enclosure
from snapdp.lab.language.syntax import Assignment, Expression, Program, Statement
from snapdp.lab.semantics.bounds import Derivation, Inference, steps
from snapdp.lab.semantics.floats import evaluate_float, folded, run_float, written_out
from snapdp.lab.semantics.machine import Given, Machine, given
from snapdp.lab.semantics.printed import derive_by
from snapdp.lab.semantics.reals import PRECISION, evaluate_real
from snapdp.values import Value


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

    >>> from snapdp.lab.language.programs import load_program
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
