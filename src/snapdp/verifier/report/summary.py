"""A verdict for readers and for machines: text with the verdict first, and plain values.

Room: verifier. Losses are shown as decimals rounded outward, so that a printed bracket holds; C is shown to two digits.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from snapdp.display import decimal_down, decimal_up, exact_amount, exact_float, general, scientific_up
from snapdp.errors import SnapdpError
from snapdp.verifier.certificate.certificate import shown_sign, witness
from snapdp.verifier.loss.exact_loss import ExactLoss
from snapdp.verifier.loss.universal_bound import decimal_places
from snapdp.verifier.loss.verdict import REFUTED, Verdict
from snapdp.verifier.report.derivation import derivation_text, machine_text
from snapdp.verifier.report.reproduction import python_lines
from snapdp.verifier.rules.rules import Derivation, derivations

REPRODUCTION = "Reproduction (plain Python)"  # above a program to be copied
LONGEST_FRACTION = 24  # that is shown as it is


def amount(loss: Fraction | None, verdict: Verdict, *, up: bool, infinite: bool = False) -> str:
    if infinite:
        return "infinity"
    if loss is None:
        return "none"
    if up and loss == verdict.claim.value and _is_short(loss):  # a decimal above it would seem to miss the claim
        return exact_amount(loss)
    return (decimal_up if up else decimal_down)(loss, decimal_places(verdict.machine))


def _is_short(x: Fraction) -> bool:
    return len(str(x)) <= LONGEST_FRACTION


def headline(verdict: Verdict) -> str:
    """Return the verdict in one line."""
    name, claim = verdict.program.name, amount(verdict.claim.value, verdict, up=False)
    whose = "the program's own" if verdict.claim.name == "file" else verdict.claim.name
    claimed = f"the claim {claim} ({whose})"
    if verdict.kind == "VERIFIED":
        return f"{name}: the loss is at most {amount(verdict.upper, verdict, up=True)}, within {claimed}"
    if verdict.kind == REFUTED:
        lost = amount(verdict.lower, verdict, up=False, infinite=verdict.is_infinite)
        return f"{name}: one output has the loss {lost}, above {claimed}"
    if verdict.kind == "UNBOUNDED":
        missing = "; ".join(premise.detail for premise in verdict.failed)
        found = amount(verdict.lower or Fraction(0), verdict, up=False)
        return f"{name}: no bound of the loss is known, because {missing}; the largest loss found is {found}"
    return f"{name}: neither {claimed} nor its contrary is proved"


def shown_excess(loss: Fraction | None, verdict: Verdict) -> str:
    c = verdict.excess(loss)
    if c is None or c < -(10**6):
        return "none" if c is None else "< 0"
    return f"{float(c):.2f}" if c < 10**6 else general(c, 3)


def verdict_text(verdict: Verdict) -> str:
    """Return everything that is known about a program, the verdict first."""
    infinite = verdict.is_infinite
    lower, upper = amount(verdict.lower, verdict, up=False, infinite=infinite), amount(verdict.upper, verdict, up=True)
    lines = [f"{verdict.kind}  {headline(verdict)}", ""]
    lines.append(f"loss      [{lower}, {upper}]   exact at one output, certified for all")
    if not infinite:
        ends = (shown_excess(end, verdict) for end in (verdict.lower, verdict.upper))
        lines.append(f"C         [{', '.join(ends)}]   (loss - eps)/(B eps eta)")
    if verdict.evidence is not None:
        lines.append(f"at        {_place(verdict.evidence)}")
    if verdict.shape.noise is not None:
        epsilon = verdict.shape.noise_epsilon
        assert epsilon is not None
        count = verdict.shape.noise.roundings
        lines.append(f"noise     epsilon {_epsilon(epsilon)}, {count} rounding{'s' if count > 1 else ''}")
    lines.append(f"machine   {machine_text(verdict.machine)}")
    if verdict.approximate is not None:
        both = verdict.approximate
        epsilon_shown = decimal_up(both.epsilon, decimal_places(verdict.machine))
        lines.append(
            f"holds     (epsilon, delta) with epsilon = {epsilon_shown} and delta = {scientific_up(both.delta, 3)}"
        )
    lines += ["", "Premises"]
    lines += [f"  {premise.status:<8} {premise.name:<25} {premise.detail}" for premise in verdict.premises]
    if verdict.claim.range:
        lines += ["", f"Range in which the bound `{verdict.claim.name}` was published"]
        held = {"proved": "inside", "failed": "outside"}
        lines += [f"  {held[premise.status]:<8} {premise.detail}" for premise in verdict.claim.range]
    lines += _derivation(verdict)
    script = python_lines(verdict)
    if script:
        lines += ["", REPRODUCTION, *(f"  {line}" for line in script)]
    if verdict.remarks:
        lines += ["", *verdict.remarks]
    return "\n".join(lines) + "\n"


def _epsilon(epsilon: Fraction) -> str:
    short = str(epsilon)
    return short if len(short) <= 12 else decimal_up(epsilon, 20)


def _place(evidence: ExactLoss) -> str:
    x, f, f_prime = (exact_float(v) for v in (evidence.output, evidence.f, evidence.f_prime))
    if evidence.is_infinite:
        return f"output {x}: possible from f(D) = {f}, impossible from f(D') = {f_prime}"
    return f"output {x}: f(D) = {f} against f(D') = {f_prime}"


def found_derivations(verdict: Verdict) -> tuple[Derivation, ...] | str:
    """Return the derivations of a program, or why there are none."""
    try:
        return derivations(verdict.program, verdict.machine)
    except SnapdpError as problem:
        return problem.problem


def _derivation(verdict: Verdict) -> list[str]:
    found = found_derivations(verdict)
    if isinstance(found, str):
        return ["", f"No derivation: {found}"]
    body = derivation_text(found[0]).split("\n\n", 1)[1].rsplit("\n\nAssumed", 1)[0]
    case = "" if found[0].sign is None else " (for the sign +1; for -1 the bounds are mirrored)"
    return ["", f"Derivation{case}", *(f"  {line}".rstrip() for line in body.splitlines())]


def verdict_values(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as plain values: rationals as text, losses as decimals rounded outward."""
    evidence, execution = verdict.evidence, verdict.execution
    machine = verdict.machine
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
        "claim": {"name": verdict.claim.name, "loss": _text(verdict.claim.value)},
        "loss": {
            "lower": amount(verdict.lower, verdict, up=False, infinite=verdict.is_infinite),
            "upper": None if verdict.upper is None else amount(verdict.upper, verdict, up=True),
        },
        "excess": {"lower": shown_excess(verdict.lower, verdict), "upper": shown_excess(verdict.upper, verdict)},
        "noise_epsilon": _text(verdict.shape.noise_epsilon),
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


def _text(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


def _bound(verdict: Verdict) -> dict[str, str] | None:
    if verdict.universal is None:
        return None
    places = 2 * decimal_places(verdict.machine)
    b = verdict.universal
    exact = {"base": b.base, "reach": b.furthest, "width": b.width}
    errors = {"shortfall": b.shortfall, "surplus": b.surplus, "above": b.above, "below": b.below}
    return {
        **{name: str(value) for name, value in exact.items()},
        **{name: decimal_up(value, places) for name, value in errors.items()},
    }


def _witness(evidence: ExactLoss, verdict: Verdict) -> dict[str, Any]:
    assert verdict.execution is not None
    if evidence.is_infinite or evidence.probability.is_exact:
        return witness(evidence, verdict.execution)
    signs = [shown_sign(sign, verdict.execution) for sign, _ in evidence.preimages]
    return {"f": str(evidence.f), "f_prime": str(evidence.f_prime), "output": str(evidence.output), "signs": signs}
