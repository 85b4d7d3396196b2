"""The draws that lead to one output, for readers and for machines.

Room: verifier. Ends over the reals are rounded to nearest, and floats too, with hexadecimal doubles beside them.
"""

from __future__ import annotations

import textwrap
from typing import Any

from snapdp.display import exact_float
from snapdp.verifier.loss.output_draws import DrawsOfSign, OutputDraws, letter
from snapdp.verifier.loss.pointwise import cell_ends
from snapdp.verifier.machine.given import typed
from snapdp.verifier.report.derivation import machine_text
from snapdp.verifier.report.evaluation import decimals, hexadecimal, in_full

WIDTH = 79


def output_draws_text(found: OutputDraws, *, width: int = WIDTH) -> str:
    """Return the set {U : z = x} as text, for each sign."""
    about = f"{found.program.name} on {machine_text(found.machine)}."
    values = f"f = f(D) = {exact_float(found.f)}, " + (
        _cell(found) if found.lacking is None else _without_formula(found)
    )
    lines = [line for text in (about, values) for line in textwrap.wrap(text, width, subsequent_indent="  ")]
    for each in found.signs:
        lines += ["", *_sign_lines(each, found)]
    return "\n".join([*lines, ""])


def _cell(found: OutputDraws) -> str:
    """Return the values in the formula, and which sums give the output."""
    shape, added = found.shape, found.added
    assert shape.noise_epsilon is not None
    assert added is not None
    low, high = (None if end is None else exact_float(end) for end in cell_ends(shape, found.output))
    cell = f"y < {high}" if low is None else f"{low} <= y" if high is None else f"{low} <= y < {high}"
    before = f"g = {exact_float(added)} (what the noise is added to), " if letter(shape) == "g" else ""
    return (
        f"{before}x = {exact_float(found.output)}, Lambda = {shape.grid}, eps = {typed(shape.noise_epsilon)}: "
        f"the output is x where {cell}."
    )


def _without_formula(found: OutputDraws) -> str:
    return f"x = {exact_float(found.output)}. There is no formula: {found.lacking}. The floats are found by running it."


def _sign_lines(each: DrawsOfSign, found: OutputDraws) -> list[str]:
    p, head = found.machine.p, f"S = {each.sign:+d}" if len(found.signs) > 1 else "all draws"
    lines = [head] if found.lacking is not None else [f"{head}: {each.condition or 'no U, over the reals'}"]
    if (reals := _reals(each, p)) is not None:
        lines.append(f"  reals   {reals[0]} ... {reals[1]}")
    if each.last is None:
        return [*lines, "  floats  none"]
    first = "all above 0" if each.first is None else f"{in_full(each.first, p=p)}{hexadecimal(each.first)}"
    return [*lines, f"  floats  {first}", f"  ... to  {in_full(each.last, p=p)}{hexadecimal(each.last)}"]


def _reals(each: DrawsOfSign, p: int) -> list[str] | None:
    if each.condition is None or each.lower is None or each.upper is None:
        return None
    return decimals(each.lower.lower, each.upper.lower, p=p)


def output_draws_values(found: OutputDraws) -> dict[str, Any]:
    """Return the set {U : z = x} as plain values: floats exactly, ends over the reals as decimals."""
    p = found.machine.p
    return {
        "ok": True,
        "program": found.program.name,
        "machine": found.machine.stated,
        "f": str(found.f),
        "output": str(found.output),
        "added": None if found.added is None else str(found.added),
        "noise_epsilon": None if found.shape.noise_epsilon is None else str(found.shape.noise_epsilon),
        "grid": None if found.shape.grid is None else str(found.shape.grid),
        "no_formula": found.lacking,
        "signs": [
            {
                "sign": each.sign,
                "condition": each.condition,
                "reals": _reals(each, p),
                "first": None if each.first is None else str(each.first),
                "last": None if each.last is None else str(each.last),
            }
            for each in found.signs
        ],
    }
