"""The rules as Liu's note (L20) prints them, kept to show where they fail. Nothing is judged by them.

Figures 1 and 2, read literally (lower bound from the maximum, upper from the minimum; unary operations all taken as
increasing), or repaired in these two points. Figure 5 differs in BOP and SAMPLE (errata E13 and E14), which are not
implemented. Both forms choose the factor by the sign of the *real* value of the
expression, and that is unsound where the bounds of one value have different signs: (0.75 * 6 + 0.5) - 5 at p = 3 is 0
over the reals, -1 in floats, and the repaired rules derive [-8/9, 1449/1024]. Sound rules: bounds.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from snapdp.errors import ParameterError
from snapdp.exact.dyadic import round_nearest
from snapdp.exact.numbers import shown
from snapdp.lab.language.syntax import PROGRAMS, Assignment, BySign, Expression, Powered, Program
from snapdp.lab.semantics.bounds import Conclusion, Derivation, DerivedLine, Rules, derive, signs_of, steps
from snapdp.lab.semantics.floats import written_out
from snapdp.lab.semantics.intervals import Bound, Interval, Range, between, greatest, least
from snapdp.lab.semantics.machine import Machine
from snapdp.values import replaced

Pair = tuple[Bound, Bound]

RULES = ("sound", "printed", "repaired")
FORMS = {"printed": "as printed", "repaired": "with max, min and unary minus put right"}


def warning(rules: str) -> str:
    """Return what has to be said wherever these rules are shown."""
    return (
        f"The rules of Liu's note, {FORMS[rules]}, are unsound: a float value may lie outside of its bounds. Nothing "
        "is judged by them. s is 1 where the real value of the expression is at least 0, else -1."
    )


def derivations_by(rules: str, program: Program, machine: Machine) -> tuple[Derivation, ...]:
    """Return the derivations of a program by the rules named: one, or one for each value of its random sign."""
    return tuple(derive_by(rules, program, machine, sign=sign) for sign in signs_of(program))


def derive_by(rules: str, program: Program, machine: Machine, *, sign: int | None = None) -> Derivation:
    """Return the derivation of a program by rules named in RULES: only those called sound are."""
    if rules not in RULES:
        raise ParameterError(f"rules = {shown(rules)} are unknown.", f"Give one of {', '.join(RULES)}.")
    sound = derive(program, machine, sign=sign)
    if rules == "sound":
        return sound
    # The ranges of the sound derivation tell where the sign of a real value is known.
    ranges = {id(step.expression): step.interval.range for line in sound.lines for step in steps(line.step)}
    printed = Printed(machine, lambda e: ranges[id(e)], repaired=rules == "repaired")
    lines = []
    for line in sound.lines:
        step = replaced(line.step, rule="SAMPLE")
        if isinstance(line.statement, Assignment):
            step = printed.of(line.statement.expression)
            printed.written[line.statement.name] = written_out(line.statement.expression, printed.written)
        printed.intervals[line.statement.name] = step.interval
        lines.append(DerivedLine(statement=line.statement, step=step))
    return replaced(sound, lines=tuple(lines))


def derive_as_printed(expression: Expression, machine: Machine, *, repaired: bool) -> Pair:
    """Return the bounds (lower, upper) that the printed rules derive of an expression when no sign is known."""
    printed = Printed(machine, lambda _: between(None, None), repaired=repaired)
    interval = printed.of(expression).interval
    return interval.lower, interval.upper


class Printed(Rules, language=PROGRAMS):
    """The printed rules; VAL-EQ is preferred to VAL where both apply. `written` has the real values of names."""

    def __init__(self, machine: Machine, range_of: Callable[[Expression], Range], *, repaired: bool) -> None:
        super().__init__()
        self.machine, self.range_of, self.repaired = machine, range_of, repaired
        self.written: dict[str, Expression] = {}

    def const(self, e: Any) -> Conclusion:
        if round_nearest(e.value, self.machine.p) == e.value:
            return "VAL-EQ", self._at(e)
        return self._by_sign("VAL", e, (e, e))

    def var(self, e: Any) -> Conclusion:
        return "VAR", self.intervals[e.name] if e.name in self.intervals else self._at(e)

    def query(self, e: Any) -> Conclusion:
        return "F(D)", self._at(e)

    def neg(self, e: Any, a: Interval) -> Conclusion:
        if not self.repaired:
            return self.ln(e, a)
        lower, upper = replaced(e, operand=a.upper), replaced(e, operand=a.lower)
        return "UOP", Interval(lower=lower, upper=upper, range=self.range_of(e))

    def ln(self, e: Any, a: Interval) -> Conclusion:
        return self._by_sign("UOP", e, (replaced(e, operand=a.lower), replaced(e, operand=a.upper)))

    round = clamp = floor = rint = sign = abs = ln

    def add(self, e: Any, a: Interval, b: Interval) -> Conclusion:
        corners = tuple(type(e)(left=x, right=y) for x in _ends(a) for y in _ends(b))
        pair = least(corners), greatest(corners)
        return self._by_sign("BOP", e, pair if self.repaired else pair[::-1])

    sub = mul = div = add

    def _at(self, e: Expression) -> Interval:
        return Interval(lower=e, upper=e, range=self.range_of(e))

    def _by_sign(self, rule: str, e: Expression, pair: Pair) -> Conclusion:
        """BOP, UOP, VAL where the real value is at least 0, their -NEG forms where it is below."""
        lies = self.range_of(e)
        over, under = (tuple(Powered(operand=end, power=power) for end in pair) for power in (1, -1))
        if lies.nonnegative:
            return rule, Interval(lower=under[0], upper=over[1], range=lies)
        if lies.nonpositive and lies.excludes_zero:
            return f"{rule}-NEG", Interval(lower=over[0], upper=under[1], range=lies)
        real = written_out(e, self.written)
        lower = BySign(premise=real, nonnegative=under[0], negative=over[0])
        upper = BySign(premise=real, nonnegative=over[1], negative=under[1])
        return f"{rule} or {rule}-NEG", Interval(lower=lower, upper=upper, range=lies)


def _ends(interval: Interval) -> tuple[Bound, ...]:
    one = interval.lower is interval.upper or interval.constant is not None
    return (interval.lower,) if one else (interval.lower, interval.upper)
