"""A refutation as a few lines of plain Python, so that nobody has to trust the verifier.

Room: verifier. The lines hold the program, the two inputs and the draws as hexadecimal floats, and assert what was
found. They use the standard library only; ln is rounded correctly by way of 60 decimal digits. For p = 53 and draws
that are doubles.
"""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from snapdp.exact import round_nearest, to_float_nearest
from snapdp.verifier.certificate.certificate import gaps, producing_draw, skipping_pieces
from snapdp.verifier.language import syntax
from snapdp.verifier.loss.exact_loss import ExactLoss
from snapdp.verifier.loss.verdict import REFUTED, Verdict
from snapdp.verifier.machine.execution import Execution

PREAMBLE = (
    "from decimal import Decimal, getcontext",
    "from fractions import Fraction as Q",
    "from math import floor, inf",
    "getcontext().prec = 60",
    "def ln(u): return float(Decimal(u).ln()) if u else -inf",
    "def snap(y, grid): return float(grid * floor(Q(y) / grid + Q(1, 2))) if abs(y) < inf else y",
    "def clamp(y, low, high): return min(max(y, low), high)",
)
_CALLED = {"floor": "whole"}  # functions of Python give whole numbers of Python, and take no infinity
DEFINITIONS = {
    "whole": "def whole(y): return float(floor(y)) if abs(y) < inf else y",
    "rint": "def rint(y): return float(round(y)) if abs(y) < inf else y",
    "sign": "def sign(y): return float((y > 0) - (y < 0))",
}


class _NotADouble(Exception):
    pass


def python_lines(verdict: Verdict) -> list[str]:
    """Return a script that reproduces a refutation; empty where doubles cannot (another p, or draws beyond them)."""
    execution, evidence = verdict.execution, verdict.evidence
    if verdict.kind != REFUTED or execution is None or evidence is None:
        return []
    if verdict.machine.p != 53 or verdict.machine.adds_exactly:  # doubles have 53 bits, and round their sums
        return []
    try:
        checks = _impossible(evidence, execution) if evidence.is_infinite else _ratio(evidence, execution)
        definition = _definition(execution)
        used = [line for name, line in DEFINITIONS.items() if f"{name}(" in definition]
        return [*PREAMBLE, *used, definition, *checks]
    except _NotADouble:
        return []


def _definition(execution: Execution) -> str:
    arguments = ", ".join(n for n in ("f", execution.drawn or "U", execution.sign_name) if n)
    return f"def run({arguments}): return {_python(execution.folded)}"


def _python(tree: syntax.Expression) -> str:
    match tree:
        case syntax.Constant(value=value):
            return _float(value)
        case syntax.Variable(name=name):
            return name
        case syntax.QueryValue():
            return "f"
        case syntax.Negation(operand=operand):
            return f"-({_python(operand)})"
        case syntax.Logarithm(operand=operand):
            return f"ln({_python(operand)})"
        case syntax.Binary(operator=operator, left=left, right=right):
            return f"({_python(left)} {operator} {_python(right)})"
        case syntax.Rounding(grid=grid, operand=operand):
            return f"snap({_python(operand)}, Q({grid.numerator}, {grid.denominator}))"
        case syntax.Clamping(lower=lower, upper=upper, operand=operand):
            low, high = (_float(round_nearest(end, 53)) for end in (lower, upper))  # as the machine holds them
            return f"clamp({_python(operand)}, {low}, {high})"
        case syntax.ExactFunction(name=name, operand=operand):
            return f"{_CALLED.get(name, name)}({_python(operand)})"
        case _:
            assert_never(tree)


def _float(value: Fraction) -> str:
    number = to_float_nearest(value)
    if not abs(number) < float("inf") or Fraction(number) != value:
        raise _NotADouble
    plain = repr(number)
    return plain if len(plain) < 8 and "e" not in plain else f"float.fromhex({number.hex()!r})"


def _call(f: Fraction, draw: Fraction, sign: int | None) -> str:
    arguments = [_float(f), _float(draw), *([str(sign)] if sign is not None else [])]
    return f"run({', '.join(arguments)})"


def _impossible(evidence: ExactLoss, execution: Execution) -> list[str]:
    sign, draw = producing_draw(evidence, execution)
    x = _float(evidence.output)
    lines = [f"assert {_call(evidence.f, draw, sign)} == {x}  # from f = {evidence.f}"]
    skipped = gaps(evidence, execution)
    pieces = [None] * len(skipped) if execution.laplace else skipping_pieces(evidence, execution)
    for gap, piece in zip(skipped, pieces, strict=True):
        ends = [None if gap[end] is None else Fraction(gap[end]) for end in ("below", "above")]
        calls = [None if end is None else _call(evidence.f_prime, end, gap["S"]) for end in ends]
        # A program that falls in the draw skips the output from above.
        rising = piece is None or piece.rises
        if calls == [None, None]:  # every draw gives more, or every draw less
            lines.append(f"assert {_call(evidence.f_prime, Fraction(1, 2), gap['S'])} != {x}")
            continue
        between = [*calls[:1], x, *calls[1:]] if rising else [*calls[1:], x, *calls[:1]]
        lines.append(f"assert {' < '.join(part for part in between if part)}  # never from f' = {evidence.f_prime}")
    return lines


def _ratio(evidence: ExactLoss, execution: Execution) -> list[str]:
    draw, x = execution.draw, _float(evidence.output)
    lines = []
    for name, value, side in (
        ("f", evidence.f, evidence.preimages),
        ("f'", evidence.f_prime, evidence.preimages_prime),
    ):
        for sign, preimage in side:
            if preimage.start >= preimage.stop:
                continue
            shown = sign if execution.sign_name else None
            inside = [o for o in (preimage.start, preimage.stop - 1) if o > draw.first]
            outside = [o for o in (preimage.start - 1, preimage.stop) if draw.first < o <= draw.last]
            calls = [_call(value, draw.value(o), shown) for o in inside]
            lines.append(f"assert {' == '.join([*calls, x])}  # the first and last U of the cell from {name} = {value}")
            lines += [f"assert {_call(value, draw.value(o), shown)} != {x}" for o in outside]
    p, q = evidence.probability, evidence.probability_prime
    if p.is_exact and q.is_exact:
        lines.append(f"P, P_prime = Q('{p.lower}'), Q('{q.lower}')  # the masses of these cells, halved for the sign")
        lines.append(
            "print(Decimal(P.numerator * P_prime.denominator).ln() - Decimal(P.denominator * P_prime.numerator).ln())"
        )
    return lines
