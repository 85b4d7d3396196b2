"""The verdict on a mechanism beside its parameters: what it was chosen to be, and what is proved of it.

For a terminal of 80 columns: losses are told as distances from epsilon, rounded outward, because the
forty digits that they share with it say nothing. Exact numbers are in the values for machines, and in the report.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import Any

from snapdp.display.numbers import exact_amount, four_digits, two_digits
from snapdp.lab.loss.certificate import optional_text
from snapdp.lab.loss.shape import TheoremPremise
from snapdp.lab.loss.verdict import REFUTED, VERIFIED, Verdict
from snapdp.lab.mechanism import program_of_mechanism
from snapdp.lab.report.verdict import verdict_values
from snapdp.mechanism.parameters import SnappingParameters
from snapdp.values import replaced

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
    shape = verdict.shape
    low, high = (_in_words(end, parameters) for end in (shape.lower, shape.upper))
    lowest, highest = (_in_words(end, parameters) for end in (shape.clamp_lower, shape.clamp_upper))
    apart = f"statistics of neighbours differ by at most {exact_amount(parameters.sensitivity)}"
    said = {
        "query confined": f"{low} <= statistic <= {high}, by an inner clamp",
        "sensitivity": f"{apart}, as was declared",
        "clamp present": f"outputs stay in [{lowest}, {highest}]",
        "grid power of two": _measure(parameters.grid, parameters, exact_amount),
    }
    assert {*said} <= {each.name for each in verdict.premises}
    return tuple(replaced(each, detail=said.get(each.name, each.detail)) for each in verdict.premises)


def _in_words(end: Fraction | None, parameters: SnappingParameters) -> str:
    assert end is not None
    return exact_amount(parameters.offset + parameters.unit * end)


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
