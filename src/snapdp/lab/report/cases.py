"""Three tables for readers and for machines: cases, the draws of an output, and both evaluations of a program.

Constants of cases are C = (loss - eps)/(B eps eta), as printed, certified and exact, rounded to two places; a loss
below eps is "< 0". The cases of a mechanism are told in data units; its program counts sensitivities from the middle of
the range. Ends of draws over the reals are rounded to nearest, and floats too, with hexadecimal doubles beside them.
Bounds of an evaluation are rounded outward and values between them to nearest, so that what is printed holds; where
nothing has rounded there is one number, in full where its digits are few.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from snapdp.display.numbers import decimal_down, decimal_nearest, decimal_up, exact_amount, exact_float
from snapdp.exact.dyadic import floor_log10, power_of_ten
from snapdp.lab.language.syntax import Expression, Parts
from snapdp.lab.language.text import expression_text, printed, statement_text
from snapdp.lab.loss.certificate import optional_text
from snapdp.lab.loss.exact_loss import Pair
from snapdp.lab.loss.pointwise import DrawsOfSign, OutputDraws, cell_ends, letter
from snapdp.lab.loss.verdict import Verdict, case_constants
from snapdp.lab.report.derivation import LOOKUPS, Notation, machine_text
from snapdp.lab.report.verdict import measure_of
from snapdp.lab.semantics.machine import typed
from snapdp.lab.semantics.printed import warning
from snapdp.lab.semantics.reals import EvaluatedLine, EvaluatedStep, Evaluation
from snapdp.mechanism.parameters import SnappingParameters

WIDTH = 79
HEADS = ("case", "printed", "rules", "certified", "at", "exact", "at")
LONGEST, PLACES = 20, 9  # of a number in a table, and its places where it is longer


def cases_text(
    verdict: Verdict, pairs: Sequence[Pair], *, parameters: SnappingParameters | None = None, width: int = WIDTH
) -> str:
    """Return the table of cases at pairs, as text; parameters are those of a mechanism, whose data units are shown."""
    measure = measure_of(verdict)
    rows = [HEADS, *case_rows(verdict, pairs, parameters)]
    wide = [max(len(row[column]) for row in rows) for column in range(len(HEADS))]
    title = f"Cases at {pairs_text(pairs, parameters)}: C = {measure.formula}."
    lines = textwrap.wrap(title, width, subsequent_indent="  ", break_on_hyphens=False)
    for row in rows:
        numbers = "  ".join(f"{cell:>{size}}" for cell, size in zip(row[1:], wide[1:], strict=True))
        lines.append(f"  {row[0]:<{wide[0]}}  {numbers}".rstrip())
    legend = cases_legend(verdict, parameters)
    return "\n".join([*lines, *textwrap.wrap(legend, width, break_on_hyphens=False), ""])


def cases_legend(verdict: Verdict, parameters: SnappingParameters | None = None) -> str:
    """Return what the columns of the table are."""
    measure, shifted = measure_of(verdict), parameters is not None and parameters.offset
    noise = " eps' is the epsilon of the noise alone." if measure.symbol == "eps'" else ""
    middle = " In the cases x and y count from the middle of the range." if shifted else ""
    output = "output" if verdict.shape.snap.released is None else "snapped value"
    certified = "the sum does not round" if verdict.machine.adds_exactly else "the rounding of the sum as a fixed map"
    return (
        f"printed: Liu's Theorem 2; rules: what those of the note give, rounded outward; certified: {certified}; "
        f"exact: the largest loss of an output tried, the program is run; at: the {output} where the loss "
        "before it is largest. For all pairs and outputs "
        f"C <= {measure.shown(verdict.upper)} is certified.{noise}{middle}"
    )


def in_data_units(x: Fraction, parameters: SnappingParameters | None) -> Fraction:
    """Return a number of a program in data units, where it is that of a mechanism."""
    return x if parameters is None else parameters.offset + parameters.unit * x


def readable(x: Fraction) -> str:
    """Return a number for a sentence or a table: exactly where that is short, else rounded down, with dots.

    >>> readable(Fraction(5, 2)), readable(Fraction(1, 3)), readable(Fraction(2, 3) + Fraction(1, 2**100))
    ('2.5', '1/3', '0.666666666...')
    """
    text = min(exact_amount(x), exact_float(x), key=len)
    return text if len(text) <= LONGEST else f"{decimal_down(x, PLACES)}..."


def pairs_text(pairs: Sequence[Pair], parameters: SnappingParameters | None) -> str:
    """Return at which pairs a table of cases is, for its title."""
    if len(pairs) == 1:
        low, high = (readable(in_data_units(value, parameters)) for value in sorted(pairs[0]))
        return f"f(a) = {low} and f(a') = {high}"
    return f"{len(pairs)} pairs, the largest in each case"


def case_rows(
    verdict: Verdict, pairs: Sequence[Pair], parameters: SnappingParameters | None = None
) -> list[tuple[str, ...]]:
    """Return the rows of the table under HEADS."""
    measure = measure_of(verdict)
    rows: list[tuple[str, ...]] = []
    for constants in case_constants(verdict, pairs):
        case, losses = constants.case, (constants.by_note_rules, constants.certified, constants.exact)
        printed_constant = constants.printed or "missing"
        if losses == (None, None, None):
            rows.append((case, printed_constant, "", "", "none", "", ""))
            continue
        rules, certified, exact = map(measure.shown, losses)
        at, exact_at = (
            "" if output is None else readable(in_data_units(output, parameters))
            for output in (constants.output, constants.exact_output)
        )
        rows.append((case, printed_constant, rules, certified, at, exact, exact_at))
    return rows


def cases_values(
    verdict: Verdict, pairs: Sequence[Pair], *, parameters: SnappingParameters | None = None
) -> dict[str, Any]:
    """Return the table of cases as plain values."""
    measure = measure_of(verdict)

    def shown(x: Fraction | None) -> str | None:
        return None if x is None else str(in_data_units(x, parameters))

    rows = []
    for constants in case_constants(verdict, pairs):
        losses = {name: getattr(constants, name) for name in ("by_note_rules", "certified", "exact")}
        rows.append(
            {
                "case": constants.case,
                "output": shown(constants.output),
                "printed": constants.printed,
                **{name: None if loss is None else measure.shown(loss) for name, loss in losses.items()},
                "exact_output": shown(constants.exact_output),
            }
        )
    return {"pairs": [[shown(value) for value in pair] for pair in pairs], "C": measure.formula, "rows": rows}


# Draws of an output


def output_draws_text(found: OutputDraws, *, width: int = WIDTH) -> str:
    """Return the set {U : z = x} as text, for each sign."""
    p, f, x = found.machine.p, exact_float(found.f), exact_float(found.output)
    if found.lacking is not None:
        about = f"x = {x}. There is no formula: {found.lacking}. The floats are found by running it."
    else:
        assert found.added is not None
        low, high = (None if end is None else exact_float(end) for end in cell_ends(found.shape, found.output))
        cell = f"y < {high}" if low is None else f"{low} <= y" if high is None else f"{low} <= y < {high}"
        about = (
            f"x = {x}, Lambda = {found.shape.grid}, eps = {typed(found.shape.epsilon)}: the output is x where {cell}."
        )
        if letter(found.shape) == "g":
            about = f"g = {exact_float(found.added)} (what the noise is added to), {about}"
    lines = _paragraphs(
        f"{found.program.name} on {machine_text(found.machine)}.", f"f = f(D) = {f}, {about}", width=width
    )
    for draws in found.signs:
        head = f"S = {draws.sign:+d}" if len(found.signs) > 1 else "all draws"
        lines += ["", head if found.lacking is not None else f"{head}: {draws.condition or 'no U, over the reals'}"]
        if (reals := _reals(draws, p)) is not None:
            lines.append(f"  reals   {reals[0]} ... {reals[1]}")
        if draws.last is None:
            lines.append("  floats  none")
        else:
            lines.append(f"  floats  {'all above 0' if draws.first is None else in_both(draws.first, p=p)}")
            lines.append(f"  ... to  {in_both(draws.last, p=p)}")
    return "\n".join([*lines, ""])


def _paragraphs(*texts: str, width: int) -> list[str]:
    return [line for text in texts for line in textwrap.wrap(text, width, subsequent_indent="  ")]


def _reals(draws: DrawsOfSign, p: int) -> list[str] | None:
    if draws.condition is None or draws.lower is None or draws.upper is None:
        return None
    return decimals(draws.lower.lower, draws.upper.lower, p=p)


def output_draws_values(found: OutputDraws) -> dict[str, Any]:
    """Return the set {U : z = x} as plain values: floats exactly, ends over the reals as decimals."""
    p = found.machine.p
    return {
        "ok": True,
        "program": found.program.name,
        "machine": found.machine.stated,
        "f": str(found.f),
        "output": str(found.output),
        "added": optional_text(found.added),
        "noise_epsilon": optional_text(found.shape.noise_epsilon),
        "grid": optional_text(found.shape.grid),
        "no_formula": found.lacking,
        "signs": [
            {
                "sign": each.sign,
                "condition": each.condition,
                "reals": _reals(each, p),
                "first": optional_text(each.first),
                "last": optional_text(each.last),
            }
            for each in found.signs
        ],
    }


# Evaluations. A line under the numbers shows where the values lie between the bounds. Steps that only look up a name or
# a float are left out.

MOST_PARTS = 300  # of a bound that is written as a formula
MOST_DIGITS = 60
MOST_PLACES = 20  # of a float that is written in full
SCALE = 48  # places between the brackets of a picture
SMALLEST_PLAIN, LARGEST_PLAIN = -5, 15  # powers of ten that are written without an exponent


def evaluation_text(evaluation: Evaluation, *, width: int = WIDTH) -> str:
    """Return both evaluations as text, statement by statement."""
    derivation, p = evaluation.derivation, evaluation.derivation.machine.p
    notation, names = Notation(derivation), {query.name: f"{query.name}(D)" for query in derivation.program.queries}
    rounded = [
        f"{value.name} = {typed(value.asked)} is no number of this machine: the run takes the nearest one, "
        f"{in_both(value.used, p=p)}."
        for value in evaluation.given.rounded
    ]
    values = ", ".join(f"{names.get(name, name)} = {in_full(x, p=p)}" for name, x in evaluation.given.values)
    about = f"{derivation.program.name} on {machine_text(derivation.machine)}."
    lines = _paragraphs(about, *rounded, f"At {values}." if values else "It needs no values.", width=width)
    if evaluation.rules != "sound":
        lines += ["", *textwrap.wrap(warning(evaluation.rules), width)]
    lines += ["", "Between the derived bounds [ ]: R the real value, F the float value, * both."]
    for line in evaluation.lines:
        lines += ["", *textwrap.wrap(f"{statement_text(line.statement)};", width, subsequent_indent="    ")]
        for step in _shown_steps(line):
            lines += _step_lines(step, p, notation, width)
    return "\n".join([*lines, "", *textwrap.wrap(conclusion(evaluation), width), ""])


def _shown_steps(line: EvaluatedLine) -> list[EvaluatedStep]:
    return [step for step in line.steps if step is line.steps[-1] or step.inference.rule not in LOOKUPS]


def conclusion(evaluation: Evaluation) -> str:
    """Return what was seen, in a sentence or two."""
    holds = [step.holds for line in evaluation.lines for step in _shown_steps(line)]
    p, real, computed = evaluation.derivation.machine.p, evaluation.result.real, evaluation.result.computed
    returned, number = exact_float(computed), in_full(computed, p=p)
    if real.lower <= computed <= real.upper:
        returned += "; so does the program over the reals"
    else:
        if "^" not in returned and returned != number:  # its digits, and as it is usually written
            returned = number if "/" in returned else f"{number}, which is written {returned}"
        returned += f"; over the reals it is {decimals(computed, real.lower, p=p)[1]}"
    kind = "Theorem 1'" if evaluation.rules == "sound" else "by rules that are unsound"
    between = f"The float value lies between its bounds in {sum(holds)} of {len(holds)} steps ({kind})."
    return f"The machine returns {returned}. {between}"


def _step_lines(step: EvaluatedStep, p: int, notation: Notation, width: int) -> list[str]:
    head = f"{expression_text(step.inference.expression)}   ({step.inference.rule})"
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


def _formula(bound: Expression, notation: Notation) -> str:
    """Return a bound as a formula; an empty text where writing it out would fill pages."""
    return notation.bound(bound) if written_size(bound) <= MOST_PARTS else ""


def written_size(bound: Expression) -> int:
    """Return how many operations a bound has when it is written out; parts that it shares count each time."""
    sizes: list[int] = []
    for operands in Parts(bound).operands:
        sizes.append(1 + sum(sizes[place] for place in operands))
    return sizes[-1]


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


def in_both(x: Fraction, *, p: int) -> str:
    """Return a float as `in_full` has it and, if it is a double, in brackets as Python and C write it."""
    try:
        return in_full(x, p=p) + (f" ({float(x).hex()})" if Fraction(float(x)) == x else "")
    except OverflowError:
        return in_full(x, p=p)


def evaluation_values(evaluation: Evaluation) -> dict[str, Any]:
    """Return both evaluations as plain values; floats exactly, other numbers as decimals rounded outward."""
    derivation, result = evaluation.derivation, evaluation.result
    notation, p = Notation(derivation), derivation.machine.p
    return {
        "ok": True,
        "program": printed(derivation.program),
        "machine": derivation.machine.stated,
        "rules": evaluation.rules,
        "values": {name: str(value) for name, value in evaluation.given.values},
        "rounded": {each.name: {"asked": str(each.asked), "used": str(each.used)} for each in evaluation.given.rounded},
        "statements": [
            {
                "statement": statement_text(line.statement),
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
        "expression": expression_text(step.inference.expression),
        "rule": step.inference.rule,
        "float": str(step.computed),
        "real": decimals(step.real.lower, step.real.upper, p=p, ends=True),
        "lower": {"value": lower, "bound": _formula(bounds.lower, notation)},
        "upper": {"value": upper, "bound": _formula(bounds.upper, notation)},
        "exact": step.is_exact,
        "holds": step.holds,
    }
