"""The rules as L20 prints them, kept to show where they fail. Nothing is judged by them.

Figure 1 of L20, read literally (lower bound from the maximum, upper from the minimum; unary operations
all taken as increasing), or repaired in these two points. Both choose the factor by the sign of the *real* value of the
expression, and that is unsound where the bounds of one value have different signs: (0.75 * 6 + 0.5) - 5 at p = 3 is 0
over the reals, -1 in floats, and the repaired rules derive [-8/9, 1449/1024]. Sound rules: rules.py.
"""

from __future__ import annotations

from typing import assert_never

from snapdp.errors import ParameterError
from snapdp.exact.dyadic import round_nearest
from snapdp.exact.numbers import shown
from snapdp.lab.language.syntax import (
    BINARY,
    Binary,
    Constant,
    Expression,
    Negation,
    Program,
    QueryValue,
    Sample,
    UnaryOperation,
    Variable,
)
from snapdp.lab.semantics.bounds import Derivation, DerivedLine, Inference, derive, signs_of
from snapdp.lab.semantics.floats import Bound, BySign, Greatest, Least, Powered
from snapdp.lab.semantics.folding import written_out
from snapdp.lab.semantics.intervals import Interval, applied
from snapdp.lab.semantics.machine import Machine
from snapdp.values import replaced

Pair = tuple[Bound, Bound]
RULES = ("sound", "printed", "repaired")
NAMES = {  # each rule of L20, and what it is here: beginnings of the names that rules.py gives to steps
    "VAL": ("Const",),
    "VAL-NEG": ("Const",),
    "VAL-EQ": ("Const-F",),
    "VAR": ("Var",),
    "F(D)": ("F(D)",),
    "SAMPLE": ("Sample",),
    "BOP": ("Add", "Sub", "Mul", "Div"),
    "BOP-NEG": ("Add", "Sub", "Mul", "Div"),
    "UOP": ("Ln", "Neg", "Round", "Clamp"),
    "UOP-NEG": ("Ln", "Neg", "Round", "Clamp"),
}
FORMS = {"printed": "as printed", "repaired": "with max, min and unary minus put right"}


def derive_as_printed(expression: Expression, machine: Machine, *, repaired: bool) -> Pair:
    """Return the bounds (lower, upper) that the printed rules derive; VAL-EQ is preferred to VAL where both apply."""
    match expression:
        case Constant(value=r):
            return (
                (expression, expression)
                if round_nearest(r, machine.p) == r
                else _by_sign(expression, expression, expression)
            )
        case Variable() | QueryValue():
            return expression, expression
        case Binary(operator=operator, left=left, right=right):
            a = derive_as_printed(left, machine, repaired=repaired)
            b = derive_as_printed(right, machine, repaired=repaired)
            corners = tuple(BINARY[operator](left=x, right=y) for x in a for y in b)
            least, greatest = Least(choices=corners), Greatest(choices=corners)
            return _by_sign(expression, *((least, greatest) if repaired else (greatest, least)))
        case UnaryOperation(operand=operand):
            low, high = (applied(expression, end) for end in derive_as_printed(operand, machine, repaired=repaired))
            swapped = repaired and isinstance(expression, Negation)
            return (high, low) if swapped else _by_sign(expression, low, high)
        case _:
            assert_never(expression)


def _by_sign(real: Expression, low: Bound, high: Bound) -> Pair:
    """BOP, UOP, VAL where the real value is at least 0, their -NEG forms where it is below."""
    return (
        BySign(premise=real, nonnegative=Powered(operand=low, power=-1), negative=Powered(operand=low, power=1)),
        BySign(premise=real, nonnegative=Powered(operand=high, power=1), negative=Powered(operand=high, power=-1)),
    )


# Derivations by these rules, step by step


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
    walk = _PrintedRules(repaired=rules == "repaired")
    lines = []
    for line in sound.lines:
        step = walk.step(line.step)
        walk.intervals[line.statement.name] = step.interval
        if not isinstance(line.statement, Sample):
            walk.written[line.statement.name] = written_out(line.statement.expression, walk.written)
        lines.append(DerivedLine(statement=line.statement, step=step))
    return replaced(sound, lines=tuple(lines))


class _PrintedRules:
    """The printed rules, on the steps of a sound derivation: it tells where the sign of a real value is known."""

    def __init__(self, *, repaired: bool) -> None:
        self.repaired = repaired
        self.intervals: dict[str, Interval] = {}
        self.written: dict[str, Expression] = {}

    def step(self, sound: Inference) -> Inference:
        e, a = sound.expression, [self.step(premise) for premise in sound.premises]
        match e:
            case Variable(name=name):
                is_sample = sound.rule == "Sample"
                rule, interval = ("SAMPLE", sound.interval) if is_sample else ("VAR", self.intervals[name])
            case QueryValue():
                rule, interval = "F(D)", sound.interval
            case Constant():
                exact = sound.rule == "Const-F"
                rule, interval = ("VAL-EQ", sound.interval) if exact else self._by_sign("VAL", sound, (e, e))
            case Binary(operator=operator):
                ends = (_ends(premise.interval) for premise in a)
                left, right = next(ends), next(ends)
                corners = tuple(BINARY[operator](left=x, right=y) for x in left for y in right)
                least: Bound = corners[0] if len(corners) == 1 else Least(choices=corners)
                greatest: Bound = corners[0] if len(corners) == 1 else Greatest(choices=corners)
                pair = (least, greatest) if self.repaired else (greatest, least)
                rule, interval = self._by_sign("BOP", sound, pair)
            case UnaryOperation():
                low, high = (applied(e, end) for end in (a[0].interval.lower, a[0].interval.upper))
                swapped = self.repaired and isinstance(e, Negation)
                pair = (high, low) if swapped else (low, high)
                rule, interval = ("UOP", _interval(pair, sound)) if swapped else self._by_sign("UOP", sound, pair)
            case _:
                assert_never(e)
        return Inference(rule=rule, expression=e, interval=interval, premises=tuple(a))

    def _by_sign(self, rule: str, sound: Inference, pair: Pair) -> tuple[str, Interval]:
        found = sound.interval.range
        if found.nonnegative or (found.nonpositive and found.excludes_zero):
            power = 1 if found.nonnegative else -1
            bounds = Powered(operand=pair[0], power=-power), Powered(operand=pair[1], power=power)
            return rule if found.nonnegative else f"{rule}-NEG", _interval(bounds, sound)
        real = written_out(sound.expression, self.written)
        return f"{rule} or {rule}-NEG", _interval(_by_sign(real, *pair), sound)


def _ends(interval: Interval) -> tuple[Bound, ...]:
    return (
        (interval.lower,)
        if interval.lower is interval.upper or interval.constant is not None
        else (interval.lower, interval.upper)
    )


def _interval(pair: Pair, sound: Inference) -> Interval:
    return Interval(lower=pair[0], upper=pair[1], range=sound.interval.range)
