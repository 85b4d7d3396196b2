"""The draws that lead to one output, for readers and for machines.

Room: verifier. Ends over the reals are rounded to nearest, and floats too, with hexadecimal doubles beside them.
"""

from __future__ import annotations

import textwrap
from typing import Any

from snapdp.display import exact_float
from snapdp.verifier.loss.output_draws import DrawsOfSign, OutputDraws
from snapdp.verifier.loss.pointwise import cell_ends
from snapdp.verifier.machine.given import typed
from snapdp.verifier.report.derivation import machine_text
from snapdp.verifier.report.evaluation import decimals, hexadecimal, in_full

WIDTH = 79


def output_draws_text(found: OutputDraws, *, width: int = WIDTH) -> str:
    """Return the set {U : z = x} as text, for each sign."""
    low, high = (None if end is None else exact_float(end) for end in cell_ends(found.shape, found.output))
    cell = f"y < {high}" if low is None else f"{low} <= y" if high is None else f"{low} <= y < {high}"
    epsilon = found.shape.noise_epsilon
    assert epsilon is not None
    about = f"{found.program.name} on {machine_text(found.machine)}."
    values = (
        f"f = f(D) = {exact_float(found.f)}, x = {exact_float(found.output)}, Lambda = {found.shape.grid}, "
        f"eps = {typed(epsilon)}: the output is x where {cell}."
    )
    lines = [line for text in (about, values) for line in textwrap.wrap(text, width, subsequent_indent="  ")]
    for each in found.signs:
        lines += ["", *_sign_lines(each, found)]
    return "\n".join([*lines, ""])


def _sign_lines(each: DrawsOfSign, found: OutputDraws) -> list[str]:
    p, head = found.machine.p, f"S = {each.sign:+d}" if len(found.signs) > 1 else "all draws"
    lines = [f"{head}: {each.condition or 'no U, over the reals'}"]
    if each.condition is not None:
        low, high = decimals(each.lower.lower, each.upper.lower, p=p)
        lines.append(f"  reals   {low} ... {high}")
    if each.last is None:
        return [*lines, "  floats  none"]
    first = "all above 0" if each.first is None else f"{in_full(each.first, p=p)}{hexadecimal(each.first)}"
    return [*lines, f"  floats  {first}", f"  ... to  {in_full(each.last, p=p)}{hexadecimal(each.last)}"]


def output_draws_values(found: OutputDraws) -> dict[str, Any]:
    """Return the set {U : z = x} as plain values: floats exactly, ends over the reals as decimals."""
    p = found.machine.p
    return {
        "ok": True,
        "program": found.program.name,
        "machine": found.machine.stated,
        "f": str(found.f),
        "output": str(found.output),
        "noise_epsilon": str(found.shape.noise_epsilon),
        "grid": str(found.shape.grid),
        "signs": [
            {
                "sign": each.sign,
                "condition": each.condition,
                "reals": None if each.condition is None else decimals(each.lower.lower, each.upper.lower, p=p),
                "first": None if each.first is None else str(each.first),
                "last": None if each.last is None else str(each.last),
            }
            for each in found.signs
        ],
    }
