"""Both evaluations of a program at one draw, for readers and for machines: bounds and values, in order, step by step.

Room: verifier. Lower bounds are rounded down, upper bounds up, and values between them to nearest, so that what is
printed holds; where nothing has rounded there is one number, in full where its digits are few. A line under the numbers
shows where the values lie between the bounds. Steps that only look up a name or a float are left out.
"""

from __future__ import annotations

import math
import textwrap
from fractions import Fraction
from typing import Any

from snapdp.display import decimal_down, decimal_nearest, decimal_up, exact_float
from snapdp.exact import floor_log10, power_of_ten
from snapdp.values import Value
from snapdp.verifier.language.printing import expression_text, names_of, printed, statement_text
from snapdp.verifier.machine.given import typed
from snapdp.verifier.machine.semantics import Bound
from snapdp.verifier.report.derivation import LOOKUPS, machine_text, notation_of
from snapdp.verifier.report.notation import Notation
from snapdp.verifier.rules.evaluation import EvaluatedLine, EvaluatedStep, Evaluation
from snapdp.verifier.rules.printed_rules import warning

WIDTH = 79
MOST_PARTS = 300  # of a bound that is written as a formula
MOST_DIGITS = 60
MOST_PLACES = 20  # of a float that is written in full
SCALE = 48  # places between the brackets of a picture
SMALLEST_PLAIN, LARGEST_PLAIN = -5, 15  # powers of ten that are written without an exponent


def evaluation_text(evaluation: Evaluation, *, width: int = WIDTH) -> str:
    """Return both evaluations as text, statement by statement."""
    derivation = evaluation.derivation
    names, notation = names_of(derivation.program), notation_of(derivation)
    said = [f"{derivation.program.name} on {machine_text(derivation.machine)}.", *rounded_values(evaluation)]
    said.append(f"At {', '.join(_at(evaluation))}." if evaluation.given.values else "It needs no values.")
    lines = [line for text in said for line in textwrap.wrap(text, width, subsequent_indent="  ")]
    if evaluation.rules != "sound":
        lines += ["", *textwrap.wrap(warning(evaluation.rules), width)]
    lines += ["", "Between the derived bounds [ ]: R the real value, F the float value, * both."]
    for line in evaluation.lines:
        lines += ["", *textwrap.wrap(f"{statement_text(line.statement, names)};", width, subsequent_indent="    ")]
        for step in _shown_steps(line):
            lines += _step_lines(step, evaluation, notation, width)
    return "\n".join([*lines, "", *textwrap.wrap(conclusion(evaluation), width), ""])


def _shown_steps(line: EvaluatedLine) -> list[EvaluatedStep]:
    return [step for step in line.steps if step is line.steps[-1] or step.inference.rule not in LOOKUPS]


def _at(evaluation: Evaluation) -> list[str]:
    program, p = evaluation.derivation.program, evaluation.derivation.machine.p
    queries = {query.name: f"{query.name}(D)" for query in program.queries}
    return [f"{queries.get(name, name)} = {in_full(x, p=p)}" for name, x in evaluation.given.values]


def rounded_values(evaluation: Evaluation) -> list[str]:
    """Return a sentence for each value that was rounded when it was given."""
    p = evaluation.derivation.machine.p
    return [
        f"{each.name} = {typed(each.asked)} is no number of this machine: the run takes the nearest one, "
        f"{in_full(each.used, p=p)}{hexadecimal(each.used)}."
        for each in evaluation.given.rounded
    ]


def conclusion(evaluation: Evaluation) -> str:
    """Return what was seen, in a sentence or two."""
    shown, result = [step for line in evaluation.lines for step in _shown_steps(line)], evaluation.result
    p, real = evaluation.derivation.machine.p, result.real
    if real.lower <= result.computed <= real.upper:
        returned = f"The machine returns {exact_float(result.computed)}; so does the program over the reals"
    else:
        over = decimals(result.computed, real.lower, p=p)[1]
        returned = f"The machine returns {_returned(result.computed, p)}; over the reals it is {over}"
    kind = "Theorem 1'" if evaluation.rules == "sound" else "by rules that are unsound"
    held = sum(step.holds for step in shown)
    return f"{returned}. The float value lies between its bounds in {held} of {len(shown)} steps ({kind})."


def _returned(x: Fraction, p: int) -> str:
    """Return a float beside which another number stands: with its digits, and as it is usually written."""
    usual, number = exact_float(x), in_full(x, p=p)
    if "^" in usual or usual == number:
        return usual
    return number if "/" in usual else f"{number}, which is written {usual}"


def _step_lines(step: EvaluatedStep, evaluation: Evaluation, notation: Notation, width: int) -> list[str]:
    names, p = notation.names, evaluation.derivation.machine.p
    head = f"{expression_text(step.inference.expression, names)}   ({step.inference.rule})"
    lines = textwrap.wrap(head, width, initial_indent="  ", subsequent_indent="    ")
    if step.is_exact:
        both = f"both   {in_full(step.computed, p=p)}, and so are the bounds"
        return [*lines, *_indented(both, width, 6)]
    bounds = step.inference.interval
    rows = [
        ("lower", step.lower.lower, _formula(bounds.lower, notation)),
        *sorted([("real", step.real.lower, ""), ("float", step.computed, "")], key=lambda row: row[1]),
        ("upper", step.upper.upper, _formula(bounds.upper, notation)),
    ]
    numbers = decimals(*(value for _, value, _ in rows), p=p, ends=True)
    wide = max(map(len, numbers))
    for (name, _, formula), number in zip(rows, numbers, strict=True):
        line = f"      {name:<5}  {number:<{wide}}   {formula}".rstrip()
        if len(line) <= width:
            lines.append(line)
        else:
            lines += [f"      {name:<5}  {number}", *_indented(f"= {formula}", width, 13)]
    return [*lines, f"      {picture(step)}"]


def _formula(bound: Bound, notation: Notation) -> str:
    """Return a bound as a formula; an empty text where writing it out would fill pages."""
    return notation.bound(bound) if parts_of(bound) <= MOST_PARTS else ""


def parts_of(bound: Bound) -> int:
    """Return how many parts a bound has when it is written out; parts that it shares count each time."""
    counted: dict[int, int] = {}

    def parts(node: object) -> int:
        if not isinstance(node, (Value, tuple)):
            return 0
        if id(node) not in counted:
            inner = node if isinstance(node, tuple) else vars(node).values()
            counted[id(node)] = 1 + sum(parts(part) for part in inner)
        return counted[id(node)]

    return parts(bound)


def _indented(text: str, width: int, by: int) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=" " * by, subsequent_indent=" " * (by + 2))


def picture(step: EvaluatedStep) -> str:
    """Return a line with the places of both values between the bounds, or beside the bracket they are beyond."""
    low, high = step.lower.lower, step.upper.upper
    inside, before, after = ["."] * SCALE, "", ""
    for mark, value in (("R", step.real.lower), ("F", step.computed)):
        if value < low:
            before += f"{mark} "
        elif value > high:
            after += f" {mark}"
        else:
            place = 0 if low == high else math.floor((value - low) / (high - low) * (SCALE - 1) + Fraction(1, 2))
            inside[place] = "*" if inside[place] == "R" else mark
    return f"{before}[{''.join(inside)}]{after}"


def decimals(*values: Fraction, p: int, ends: bool = False) -> list[str]:
    """Return numbers with as many digits as tell floats of p bits apart, to nearest; ends: first down and last up.

    >>> decimals(Fraction(1, 3), Fraction(2, 3), p=11), decimals(Fraction(1, 3), Fraction(1, 3), p=11, ends=True)
    (['0.33333333', '0.66666667'], ['0.33333333', '0.33333334'])
    >>> decimals(Fraction(10) ** 30 / 3, p=11)
    ['3.3333333e29']
    """
    digits = min(MOST_DIGITS, math.ceil(p * math.log10(2)) + 4)
    largest = max(abs(value) for value in values)
    size = floor_log10(largest) if largest else 0
    plain = SMALLEST_PLAIN <= size <= LARGEST_PLAIN
    unit, suffix = (Fraction(1), "") if plain else (power_of_ten(size), f"e{size}")
    places = max(0, digits - 1 - size) if plain else digits - 1
    sides = [decimal_nearest] * len(values)
    if ends:
        sides[0], sides[-1] = decimal_down, decimal_up
    texts = [rounded(x / unit, places) for rounded, x in zip(sides, values, strict=True)]
    return [text if text == "0" else text + suffix for text in texts]


def in_full(x: Fraction, *, p: int) -> str:
    """Return a float with all its digits where they are few, else as `decimals` has it.

    >>> in_full(Fraction(171, 512), p=8), in_full(Fraction(1, 2**30), p=8)
    ('0.333984375', '9.313226e-10')
    """
    whole = decimal_down(x, MOST_PLACES)
    short = x.denominator <= 2**MOST_PLACES and abs(x) < 10**LARGEST_PLAIN
    return whole if short and Fraction(whole) == x else decimals(x, p=p)[0]


def hexadecimal(x: Fraction) -> str:
    """Return a double as Python and C write it, in brackets; nothing where x is none."""
    try:
        return f" ({float(x).hex()})" if Fraction(float(x)) == x else ""
    except OverflowError:
        return ""


def evaluation_values(evaluation: Evaluation) -> dict[str, Any]:
    """Return both evaluations as plain values; floats exactly, other numbers as decimals rounded outward."""
    derivation, result = evaluation.derivation, evaluation.result
    names, notation, p = names_of(derivation.program), notation_of(derivation), derivation.machine.p
    return {
        "ok": True,
        "program": printed(derivation.program),
        "machine": derivation.machine.stated,
        "rules": evaluation.rules,
        "values": {name: str(value) for name, value in evaluation.given.values},
        "rounded": {each.name: {"asked": str(each.asked), "used": str(each.used)} for each in evaluation.given.rounded},
        "statements": [
            {
                "statement": statement_text(line.statement, names),
                "steps": [_step_values(step, notation, p) for step in line.steps],
            }
            for line in evaluation.lines
        ],
        "float": str(result.computed),
        "real": decimals(result.real.lower, result.real.upper, p=p, ends=True),
        "sound": evaluation.is_sound,
    }


def _step_values(step: EvaluatedStep, notation: Notation, p: int) -> dict[str, Any]:
    lower, upper = decimals(step.lower.lower, step.upper.upper, p=p, ends=True)
    bounds = step.inference.interval
    return {
        "expression": expression_text(step.inference.expression, notation.names),
        "rule": step.inference.rule,
        "float": str(step.computed),
        "real": decimals(step.real.lower, step.real.upper, p=p, ends=True),
        "lower": {"value": lower, "bound": _formula(bounds.lower, notation)},
        "upper": {"value": upper, "bound": _formula(bounds.upper, notation)},
        "exact": step.is_exact,
        "holds": step.holds,
    }
