"""The table of cases for readers and for machines: constants as printed, certified and exact, side by side.

Room: verifier. Constants are C = (loss - eps)/(B eps eta), rounded to two places; a loss below eps is "< 0".
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from snapdp.display import exact_float
from snapdp.verifier.loss.cases import CaseConstants, Pair, case_constants
from snapdp.verifier.loss.verdict import Verdict
from snapdp.verifier.report.summary import shown_excess

WIDTH = 79
HEADS = ("case", "at output", "printed", "its rules", "certified", "exact")


def cases_text(verdict: Verdict, pairs: Sequence[Pair], *, width: int = WIDTH) -> str:
    """Return the table of cases at pairs, as text."""
    rows = [HEADS, *(_row(each, verdict) for each in case_constants(verdict, pairs))]
    wide = [max(len(row[column]) for row in rows) for column in range(len(HEADS))]
    lines = textwrap.wrap(f"Cases at {_pairs(pairs)}: C = (loss - eps)/(B eps eta).", width, subsequent_indent="  ")
    for row in rows:
        numbers = "  ".join(f"{cell:>{size}}" for cell, size in zip(row[1:], wide[1:], strict=True))
        lines.append(f"  {row[0]:<{wide[0]}}  {numbers}".rstrip())
    return "\n".join([*lines, *textwrap.wrap(_legend(verdict), width, break_on_hyphens=False), ""])


def _legend(verdict: Verdict) -> str:
    return (
        "printed: Liu's Theorem 2; its rules: what they give, evaluated outward; certified: the rounding of the sum as "
        "a fixed map; exact: the largest loss of an output tried, the program is run. For all pairs and outputs "
        f"C <= {shown_excess(verdict.upper, verdict)} is certified."
    )


def _pairs(pairs: Sequence[Pair]) -> str:
    if len(pairs) == 1:
        low, high = (exact_float(value) for value in sorted(pairs[0]))
        return f"f(a) = {low} and f(a') = {high}"
    return f"{len(pairs)} pairs, the largest in each case"


def _row(each: CaseConstants, verdict: Verdict) -> tuple[str, ...]:
    if each.certified is None and each.by_note_rules is None and each.exact is None:
        return each.case, "none", each.printed or "missing", "", "", ""
    found = (constant(loss, verdict) for loss in (each.by_note_rules, each.certified, each.exact))
    output = "" if each.output is None else exact_float(each.output)
    return each.case, output, each.printed or "missing", *found


def constant(loss: Fraction | None, verdict: Verdict) -> str:
    """Return C of a loss."""
    found = verdict.excess(loss)
    return "unknown" if found is None else "< 0" if found < 0 else shown_excess(loss, verdict)


def cases_values(verdict: Verdict, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return the table of cases as plain values."""
    return {
        "pairs": [[str(value) for value in pair] for pair in pairs],
        "rows": [
            {
                "case": each.case,
                "output": None if each.output is None else str(each.output),
                "printed": each.printed,
                "by_note_rules": _excess(each.by_note_rules, verdict),
                "certified": _excess(each.certified, verdict),
                "exact": _excess(each.exact, verdict),
            }
            for each in case_constants(verdict, pairs)
        ],
    }


def _excess(loss: Fraction | None, verdict: Verdict) -> str | None:
    return None if loss is None else constant(loss, verdict)
