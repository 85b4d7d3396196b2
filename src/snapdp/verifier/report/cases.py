"""The table of cases for readers and for machines: constants as printed, certified and exact, side by side.

Room: verifier. Constants are C = (loss - eps)/(B eps eta), rounded to two places; a loss below eps is "< 0". The cases
of a mechanism are told in data units; its program counts sensitivities from the middle of the range.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from snapdp.display import decimal_down, exact_amount, exact_float
from snapdp.mechanism import SnappingParameters
from snapdp.verifier.loss.cases import CaseConstants, Pair, case_constants
from snapdp.verifier.loss.verdict import Verdict
from snapdp.verifier.report.measure import Measure, measure_of

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
    certified = "the sum does not round" if verdict.machine.adds_exactly else "the rounding of the sum as a fixed map"
    return (
        f"printed: Liu's Theorem 2; rules: what those of the note give, rounded outward; certified: {certified}; "
        f"exact: the largest loss of an output tried, the program is run; at: the {_outputs(verdict)} where the loss "
        "before it is largest. For all pairs and outputs "
        f"C <= {measure.shown(verdict.upper)} is certified.{noise}{middle}"
    )


def _outputs(verdict: Verdict) -> str:
    return "output" if verdict.shape.snap.released is None else "snapped value"


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


def _row(each: CaseConstants, measure: Measure, parameters: SnappingParameters | None) -> tuple[str, ...]:
    if each.certified is None and each.by_note_rules is None and each.exact is None:
        return each.case, each.printed or "missing", "", "", "none", "", ""
    rules, certified, exact = (measure.shown(loss) for loss in (each.by_note_rules, each.certified, each.exact))
    at, exact_at = (
        "" if output is None else readable(in_data_units(output, parameters))
        for output in (each.output, each.exact_output)
    )
    return each.case, each.printed or "missing", rules, certified, at, exact, exact_at


def case_rows(
    verdict: Verdict, pairs: Sequence[Pair], parameters: SnappingParameters | None = None
) -> list[tuple[str, ...]]:
    """Return the rows of the table under HEADS."""
    measure = measure_of(verdict)
    return [_row(each, measure, parameters) for each in case_constants(verdict, pairs)]


def cases_values(
    verdict: Verdict, pairs: Sequence[Pair], *, parameters: SnappingParameters | None = None
) -> dict[str, Any]:
    """Return the table of cases as plain values."""
    measure = measure_of(verdict)

    def shown(x: Fraction | None) -> str | None:
        return None if x is None else str(in_data_units(x, parameters))

    def constant(loss: Fraction | None) -> str | None:
        return None if loss is None else measure.shown(loss)

    return {
        "pairs": [[shown(value) for value in pair] for pair in pairs],
        "C": measure.formula,
        "rows": [
            {
                "case": each.case,
                "output": shown(each.output),
                "printed": each.printed,
                "by_note_rules": constant(each.by_note_rules),
                "certified": constant(each.certified),
                "exact": constant(each.exact),
                "exact_output": shown(each.exact_output),
            }
            for each in case_constants(verdict, pairs)
        ],
    }
