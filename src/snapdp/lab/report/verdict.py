"""A verdict for readers and for machines: text with the verdict first, plain values, and a script that reproduces it.

Losses are shown as decimals rounded outward, so that a printed bracket holds; C = (loss - eps)/(B eps eta), the unit in
which losses are compared with published constants, is shown to two digits. A refutation is reproduced by a few lines of
plain Python, so that no reader has to trust the verifier: they hold the program, the two inputs and the draws as
hexadecimal floats, and assert what was found, by the standard library only.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from contextlib import suppress
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import Any

from snapdp.display.numbers import (
    decimal_down,
    decimal_up,
    exact_amount,
    exact_float,
    four_digits,
    general,
    scientific_up,
    two_digits,
)
from snapdp.errors import PremiseError, SnapdpError
from snapdp.exact.dyadic import round_nearest
from snapdp.exact.numbers import to_float_nearest
from snapdp.lab.language.syntax import (
    FOLDED,
    Binary,
    Clamping,
    Constant,
    Negation,
    QueryValue,
    Rounding,
    Semantics,
    UnaryOperation,
    Variable,
)
from snapdp.lab.loss.certificate import (
    gaps,
    optional_text,
    producing_draw,
    shown_sign,
    skipping_pieces,
    witness,
)
from snapdp.lab.loss.exact_loss import ExactLoss
from snapdp.lab.loss.universal_bound import TheoremPremise, decimal_places, excess
from snapdp.lab.loss.verdict import NO_CLAIM, REFUTED, VERIFIED, Approximate, Verdict
from snapdp.lab.report.derivation import derivation_text, machine_text
from snapdp.lab.semantics.bounds import Derivation, derivations
from snapdp.lab.semantics.execution import Execution
from snapdp.lab.semantics.machine import Machine
from snapdp.lab.verification import program_of_mechanism
from snapdp.mechanism.parameters import SnappingParameters
from snapdp.values import Value, replaced

REPRODUCTION = "Reproduction (plain Python)"  # above a program to be copied
LONGEST_FRACTION = 24  # that is shown as it is


def amount(loss: Fraction | None, verdict: Verdict, *, up: bool) -> str:
    if loss is None:
        return "none"
    if up and loss == verdict.claim.value and len(str(loss)) <= LONGEST_FRACTION:
        return exact_amount(loss)  # a decimal above it would seem to miss the claim
    return (decimal_up if up else decimal_down)(loss, decimal_places(verdict.machine))


def bracket(verdict: Verdict) -> tuple[str, str]:
    """Return both ends of the loss as they are shown: exact at one output, certified for all."""
    lower = "infinity" if verdict.is_infinite else amount(verdict.lower, verdict, up=False)
    return lower, amount(verdict.upper, verdict, up=True)


def headline(verdict: Verdict) -> str:
    """Return the verdict in one line."""
    return f"{verdict.program.name}: {_sentence(verdict)}"


def _sentence(verdict: Verdict) -> str:
    lower, upper = bracket(verdict)
    whose = "the program's own" if verdict.claim.name == "file" else verdict.claim.name
    claimed = f"the claim {amount(verdict.claim.value, verdict, up=False)} ({whose})"
    if verdict.kind == VERIFIED:
        return f"the loss is at most {upper}, within {claimed}"
    if verdict.kind == REFUTED:
        return f"one output has the loss {lower}, above {claimed}"
    if verdict.kind == "BOUNDED":
        return f"the loss is at most {upper}; nothing is claimed"
    if verdict.kind == "UNBOUNDED" and verdict.is_infinite:
        return "one output has the loss infinity; nothing is claimed"
    if verdict.kind == "UNBOUNDED":
        missing = "; ".join(premise.detail for premise in verdict.failed)
        found = amount(verdict.lower or Fraction(0), verdict, up=False)
        return f"no bound of the loss is known, because {missing}; the largest loss found is {found}"
    if verdict.claim.name == NO_CLAIM:
        return "no bound of the loss is proved; nothing is claimed"
    return f"neither {claimed} nor its contrary is proved"


def verdict_text(verdict: Verdict) -> str:
    """Return everything that is known about a program, the verdict first."""
    shape, evidence = verdict.shape, verdict.evidence
    lines = [f"{verdict.kind}  {headline(verdict)}", ""]
    lines.append(f"loss      [{', '.join(bracket(verdict))}]   exact at one output, certified for all")
    if not verdict.is_infinite:
        measure = measure_of(verdict)
        ends = (measure.signed(end) for end in (verdict.lower, verdict.upper))
        lines.append(f"C         [{', '.join(ends)}]   {measure.formula}")
    if evidence is not None:
        x, f, f_prime = (exact_float(value) for value in (evidence.output, evidence.f, evidence.f_prime))
        against = f"f(D) = {f} against f(D') = {f_prime}"
        if evidence.is_infinite:
            against = f"possible from f(D) = {f}, impossible from f(D') = {f_prime}"
        lines.append(f"at        output {x}: {against}")
    if shape.noise is not None:
        count, epsilon = shape.noise.roundings, str(shape.epsilon)
        epsilon = epsilon if len(epsilon) <= 12 else decimal_up(shape.epsilon, 20)
        lines.append(f"noise     epsilon {epsilon}, {count} rounding{'s' if count > 1 else ''}")
    lines.append(f"machine   {machine_text(verdict.machine)}")
    if verdict.approximate is not None:
        epsilon, delta = approximate_ends(verdict, verdict.approximate)
        lines.append(f"holds     (epsilon, delta) with epsilon = {epsilon} and delta = {delta}")
    lines += ["", "Premises"]
    lines += [f"  {premise.status:<8} {premise.name:<25} {premise.detail}" for premise in verdict.premises]
    if verdict.claim.range:
        lines += ["", f"Range in which the bound `{verdict.claim.name}` was published"]
        held = {"proved": "inside", "failed": "outside"}
        lines += [f"  {held[premise.status]:<8} {premise.detail}" for premise in verdict.claim.range]
    derived = found_derivations(verdict)
    if isinstance(derived, str):
        lines += ["", f"No derivation: {derived}"]
    else:
        body = derivation_text(derived[0]).split("\n\n", 1)[1].rsplit("\n\nAssumed", 1)[0]
        case = "" if derived[0].sign is None else " (for the sign +1; for -1 the bounds are mirrored)"
        lines += ["", f"Derivation{case}", *(f"  {line}".rstrip() for line in body.splitlines())]
    script = python_lines(verdict)
    if script:
        lines += ["", REPRODUCTION, *(f"  {line}" for line in script)]
    if verdict.remarks:
        lines += ["", *verdict.remarks]
    return "\n".join(lines) + "\n"


def approximate_ends(verdict: Verdict, holds: Approximate) -> tuple[str, str]:
    """Return an epsilon and a delta that hold, rounded up."""
    return decimal_up(holds.epsilon, decimal_places(verdict.machine)), scientific_up(holds.delta, 3)


def found_derivations(verdict: Verdict) -> tuple[Derivation, ...] | str:
    """Return the derivations of a program, or why there are none."""
    try:
        return derivations(verdict.program, verdict.machine)
    except SnapdpError as problem:
        return problem.problem


def verdict_values(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as plain values: rationals as text, losses as decimals rounded outward."""
    evidence, execution = verdict.evidence, verdict.execution
    machine, measure, (lower, upper) = verdict.machine, measure_of(verdict), bracket(verdict)
    return {
        "ok": True,
        "verdict": verdict.kind,
        "program": verdict.program.name,
        "machine": {
            "p": machine.p,
            "ln": machine.ln_roundings,
            "sampler": machine.sampler,
            "umin": machine.umin,
            **machine.stated_sum,
        },
        "claim": {"name": verdict.claim.name, "loss": optional_text(verdict.claim.value)},
        "loss": {"lower": lower, "upper": None if verdict.upper is None else upper},
        "excess": {"lower": measure.signed(verdict.lower), "upper": measure.signed(verdict.upper)},
        "noise_epsilon": optional_text(verdict.shape.noise_epsilon),
        "roundings": None if verdict.shape.noise is None else verdict.shape.noise.roundings,
        "bound": _bound(verdict),
        "approximate": None
        if verdict.approximate is None
        else {"epsilon": str(verdict.approximate.epsilon), "delta": str(verdict.approximate.delta)},
        "premises": [{"name": p.name, "status": p.status, "detail": p.detail} for p in verdict.premises],
        "published_range": [{"detail": p.detail, "inside": p.status == "proved"} for p in verdict.claim.range],
        "evidence": _witness(evidence, verdict) if evidence is not None and execution is not None else None,
        "reproduction": python_lines(verdict),
        "remarks": list(verdict.remarks),
    }


def _bound(verdict: Verdict) -> dict[str, str] | None:
    if verdict.universal is None:
        return None
    b, places = verdict.universal, 2 * decimal_places(verdict.machine)
    exact = {"base": str(b.base), "reach": str(b.furthest), "width": str(b.width)}
    errors = ("shortfall", "surplus", "above", "below")
    return {**exact, **{name: decimal_up(getattr(b, name), places) for name in errors}}


def _witness(evidence: ExactLoss, verdict: Verdict) -> dict[str, Any]:
    assert verdict.execution is not None
    if evidence.is_infinite or evidence.probability.is_exact:
        with suppress(PremiseError):  # of numbers that are too long to be written
            return witness(evidence, verdict.execution)
    signs = [shown_sign(sign, verdict.execution) for sign, _ in evidence.preimages]
    return {"f": str(evidence.f), "f_prime": str(evidence.f_prime), "output": str(evidence.output), "signs": signs}


# Constants C. Most programs draw noise for the epsilon that they name. A mechanism that sets something aside for its
# roundings draws wider noise, of eps' < eps: every loss is then below eps, and constants are measured from eps'.

FAR = 10**6  # constants beyond it are told by their size


class Measure(Value):
    """The epsilon that losses are measured from, and its symbol; None where the program has none, or no B."""

    epsilon: Fraction | None
    bound: Fraction | None
    machine: Machine
    symbol: str

    @property
    def formula(self) -> str:
        return f"(loss - {self.symbol})/(B {self.symbol} eta)"

    def constant(self, loss: Fraction | None) -> Fraction | None:
        """Return C of a loss."""
        if loss is None or not self.epsilon or not self.bound:
            return None
        return excess(loss, epsilon=self.epsilon, bound=self.bound, machine=self.machine)

    def shown(self, loss: Fraction | None) -> str:
        """Return C of a loss, to two places; below zero only that it is."""
        c = self.constant(loss)
        return "< 0" if c is not None and c < 0 else self.signed(loss)

    def signed(self, loss: Fraction | None) -> str:
        """Return C of a loss, to two places, with its sign."""
        c = self.constant(loss)
        if c is None:
            return "none" if loss is None else "unknown"
        return f"{float(c):.2f}" if abs(c) < FAR else general(c, 3) if c > 0 else "< 0"


def measure_of(verdict: Verdict) -> Measure:
    """Return the measure of a verdict: eps where the noise is of eps, eps' where it is wider."""
    named, shape = verdict.scale, verdict.shape
    epsilon, symbol = named.epsilon, "eps"
    if epsilon is not None and shape.noise_epsilon is not None and shape.query is not None:
        moves = shape.query.sensitivity if shape.reach is None else shape.reach.ideal
        if shape.noise_epsilon * moves < epsilon:
            epsilon, symbol = shape.noise_epsilon * moves, "eps'"
    return Measure(epsilon=epsilon, bound=named.bound, machine=verdict.machine, symbol=symbol)


# Mechanisms, beside their parameters. Losses are told as distances from epsilon, rounded outward, because the forty
# digits that they share with it say nothing. Exact numbers are in the values for machines, and in the report.

WIDTH = 79
LABEL = 20


def mechanism_text(parameters: SnappingParameters, verdict: Verdict) -> str:
    """Return the verdict, the parameters it is about, and what it rests on."""
    lines = [*_row(f"{verdict.kind}  ", mechanism_headline(parameters, verdict), indent=2), ""]
    for label, text in mechanism_rows(parameters, verdict):
        lines += _row(f"{label:<{LABEL}}", text)
    lines += ["", "It rests on"]
    for premise in mechanism_premises(parameters, verdict):
        lines += _row(f"  {premise.status:<9}", f"{premise.name}: {premise.detail}", indent=11)
    lines += [line for remark in verdict.remarks for line in ("", *_row("", remark, indent=0))]
    return "\n".join(lines) + "\n"


def _row(label: str, text: str, *, indent: int = LABEL) -> list[str]:
    """Return a label and its text, broken between words."""
    return textwrap.wrap(
        label + text, WIDTH, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )


def mechanism_premises(parameters: SnappingParameters, verdict: Verdict) -> tuple[TheoremPremise, ...]:
    """Return what the verdict rests on, in data units; the sensitivity is what somebody declared of the statistic."""
    shape, ends = verdict.shape, []
    for end in (shape.lower, shape.upper, shape.clamp_lower, shape.clamp_upper):
        assert end is not None
        ends.append(exact_amount(parameters.offset + parameters.unit * end))
    low, high, lowest, highest = ends
    details = {
        "query confined": f"{low} <= statistic <= {high}, by an inner clamp",
        "sensitivity": f"statistics of neighbours differ by at most {exact_amount(parameters.sensitivity)}, "
        "as was declared",
        "clamp present": f"outputs stay in [{lowest}, {highest}]",
        "grid power of two": _measure(parameters.grid, parameters, exact_amount),
    }
    assert {*details} <= {premise.name for premise in verdict.premises}
    return tuple(replaced(each, detail=details.get(each.name, each.detail)) for each in verdict.premises)


def mechanism_headline(parameters: SnappingParameters, verdict: Verdict) -> str:
    """Return the verdict in one line, as people say it of a mechanism."""
    against = _claimed(parameters, verdict)
    if verdict.kind == VERIFIED:
        return f"no output tells neighbours apart by more than {against}"
    if verdict.kind == REFUTED:
        return f"one output tells neighbours apart by more than {against}"
    return f"neither that {against} is kept nor that it is not is proved"


def _claimed(parameters: SnappingParameters, verdict: Verdict) -> str:
    claim, epsilon = verdict.claim, parameters.epsilon
    if claim.name == "file":
        slack = f" + slack = {exact_amount(parameters.charge)}" if parameters.slack else f" = {exact_amount(epsilon)}"
        return f"epsilon{slack}"
    if claim.name == "number" and claim.value is not None:
        return f"the claim {exact_amount(claim.value)}"
    value = "" if claim.value is None else f", {from_epsilon(claim.value, epsilon, up=False)}"
    return f"the claim {claim.name}{value}"


def from_epsilon(loss: Fraction, epsilon: Fraction, *, up: bool) -> str:
    """Return a loss by its distance from epsilon, rounded to the side that is told.

    >>> from_epsilon(Fraction(899, 1000), Fraction(9, 10), up=True), from_epsilon(Fraction(1), Fraction(1), up=True)
    ('epsilon - 0.001', 'epsilon')
    """
    if loss == epsilon:
        return "epsilon"
    away = ROUND_CEILING if up == (loss > epsilon) else ROUND_FLOOR
    return f"epsilon {'+' if loss > epsilon else '-'} {two_digits(abs(loss - epsilon), away)}"


def mechanism_rows(parameters: SnappingParameters, verdict: Verdict) -> Iterator[tuple[str, str]]:
    """Yield what the mechanism was chosen to be, and the bracket of its loss."""
    epsilon, bound = parameters.epsilon, parameters.bound
    assert bound is not None
    assert parameters.precision is not None
    yield "epsilon", f"{exact_amount(epsilon)}{', what a release costs' if not parameters.slack else ''}"
    if parameters.slack:
        yield "slack", f"{exact_amount(parameters.slack)}; both together are what a release costs"
    if parameters.effective_epsilon is not None:
        yield (
            "effective epsilon",
            f"{from_epsilon(parameters.effective_epsilon, epsilon, up=False)}, of the noise alone",
        )
    yield "noise scale", _measure(parameters.noise_scale, parameters, four_digits)
    yield "grid", _measure(parameters.grid, parameters, exact_amount)
    yield "bound", _measure(bound, parameters, exact_amount)
    yield "arithmetic", f"{parameters.rule or 'declared'}, {parameters.precision.uniform} bits"
    if verdict.upper is not None:
        yield "loss, at most", f"{from_epsilon(verdict.upper, epsilon, up=True)}, proved for every output"
    if verdict.is_infinite:
        yield "loss, at least", "infinity: one output of one value is impossible from its neighbour"
    elif verdict.lower is not None:
        yield "loss, at least", f"{from_epsilon(verdict.lower, epsilon, up=False)}, computed exactly at one output"


def _measure(x: Fraction, parameters: SnappingParameters, shown: Any) -> str:
    if parameters.unit == 1:
        return f"{shown(x)} data units"
    return f"{shown(x)} sensitivities, {shown(x * parameters.unit)} data units"


def mechanism_values(parameters: SnappingParameters, verdict: Verdict) -> dict[str, Any]:
    """Return the verdict as plain values, with the mechanism and its program; rationals as text."""
    assert parameters.precision is not None
    names = ("epsilon", "effective_epsilon", "sensitivity", "lower", "upper", "noise_scale", "grid", "bound")
    mechanism = {name: optional_text(getattr(parameters, name)) for name in names}
    facts = {"arithmetic": parameters.rule, "bits": parameters.precision.uniform}
    text = program_of_mechanism(parameters).text
    return {**verdict_values(verdict), "mechanism": {**mechanism, **facts, "program": text}}


# Reproduction, for p = 53 and draws that are doubles; ln is rounded correctly by way of 60 decimal digits

PREAMBLE = (
    "from decimal import Decimal, getcontext",
    "from fractions import Fraction as Q",
    "from math import floor, inf",
    "getcontext().prec = 60",
    "def ln(u): return float(Decimal(u).ln()) if u else -inf",
    "def snap(y, grid): return float(grid * floor(Q(y) / grid + Q(1, 2))) if abs(y) < inf else y",
    "def clamp(y, low, high): return min(max(y, low), high)",
)
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
        arguments = ", ".join(name for name in ("f", execution.drawn or "U", execution.sign_name) if name)
        definition = f"def run({arguments}): return {_Python().of(execution.folded)}"
        used = [line for name, line in DEFINITIONS.items() if f"{name}(" in definition]
        return [*PREAMBLE, *used, definition, *checks]
    except _NotADouble:
        return []


class _Python(Semantics[str], language=FOLDED):
    """A folded program as an expression of Python; functions of Python give whole numbers, and take no infinity."""

    def const(self, e: Constant) -> str:
        return _float(e.value)

    held = const

    def var(self, e: Variable) -> str:
        return e.name

    def query(self, _: QueryValue) -> str:
        return "f"

    def neg(self, _: Negation, operand: str) -> str:
        return f"-({operand})"

    def ln(self, e: UnaryOperation, operand: str) -> str:
        return f"{e.word}({operand})"

    rint = abs = sign = ln

    def floor(self, _: UnaryOperation, operand: str) -> str:
        return f"whole({operand})"

    def round(self, e: Rounding, operand: str) -> str:
        return f"snap({operand}, Q({e.grid.numerator}, {e.grid.denominator}))"

    def clamp(self, e: Clamping, operand: str) -> str:
        low, high = (_float(round_nearest(end, 53)) for end in (e.lower, e.upper))  # as the machine holds them
        return f"clamp({operand}, {low}, {high})"

    def add(self, e: Binary, left: str, right: str) -> str:
        return f"({left} {e.symbol} {right})"

    sub = mul = div = add


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
    sides = (("f", evidence.f, evidence.preimages), ("f'", evidence.f_prime, evidence.preimages_prime))
    for name, value, (sign, preimage) in ((name, value, cell) for name, value, cells in sides for cell in cells):
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
