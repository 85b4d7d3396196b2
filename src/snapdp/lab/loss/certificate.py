"""The certificate of a verdict: everything an independent checker needs to come to the same conclusion, as JSON.

Format 1: a closed list of keys, rationals as text, the program as nested lists. Keys are sorted and nothing is optional
but what the verdict decides, so a verdict has exactly one certificate. The checker shares no code with the
other modules of this package; docs/guide/verify.md shows both. It knows less than the verifier: a certificate is made
only if the checker accepts it, otherwise the verdict stands without one.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from snapdp.errors import PremiseError
from snapdp.lab.language.syntax import FUNCTIONS, ExactFunction, Program, Rounding, walk
from snapdp.lab.language.text import as_lists
from snapdp.lab.loss.exact_loss import ExactLoss, ProgramLaw
from snapdp.lab.loss.verdict import BOUNDED, REFUTED, VERIFIED, Verdict
from snapdp.lab.semantics.execution import Execution, Piece, Preimage
from snapdp.lab.semantics.floats import folded
from snapdp.lab.semantics.machine import Machine

FORMAT = 1


def certificate_text(verdict: Verdict) -> str:
    """Return the certificate as canonical JSON: sorted keys, no spaces, one line."""
    return json.dumps(certificate_of(verdict), sort_keys=True, separators=(",", ":"), ensure_ascii=True) + "\n"


def certificate_of(verdict: Verdict) -> dict[str, Any]:
    """Return the certificate of a VERIFIED or REFUTED verdict, which the checker has accepted."""
    from snapdp.audits.check_program import check

    made = _made(verdict)
    reason = check(made)
    if reason is not None:
        raise PremiseError(
            f"the checker does not follow this proof: {reason}.", "The verdict stands; it has no certificate."
        )
    return made


def _made(verdict: Verdict) -> dict[str, Any]:
    if verdict.kind == BOUNDED:
        raise PremiseError("nothing is claimed.", "Claim a loss: in the program, or with --claim tight.")
    if verdict.kind not in (VERIFIED, REFUTED):
        raise PremiseError(
            f"the verdict is {verdict.kind}: there is nothing to certify.",
            "Only VERIFIED and REFUTED have a certificate.",
        )
    reason = _uncovered(verdict)
    if reason is not None:
        raise PremiseError(f"certificates do not cover {reason}.", "The verdict stands; it has no certificate.")
    claim, shape = verdict.claim.value, verdict.shape
    if claim is None:
        raise PremiseError("the claim `tight` has no number here.", "Claim a number to have its refutation certified.")
    common = {"format": FORMAT, **what_is_judged(verdict.program, verdict.machine, claim), "verdict": verdict.kind}
    if verdict.kind == REFUTED:
        assert verdict.evidence is not None
        assert verdict.execution is not None
        return {**common, "witness": witness(verdict.evidence, verdict.execution)}
    assert verdict.universal is not None
    assert shape.noise is not None
    bound, epsilon = verdict.universal.loss_upper, shape.noise_epsilon
    return {**common, "bound": str(bound), "noise_epsilon": str(epsilon), "roundings": shape.noise.roundings}


def what_is_judged(program: Program, machine: Machine, claim: Fraction) -> dict[str, Any]:
    """Return what a certificate is about: program, machine and claim, as it states them."""
    return {
        "queries": [
            [q.name, optional_text(q.lower), optional_text(q.upper), str(q.sensitivity)] for q in program.queries
        ],
        "program": [as_lists(statement) for statement in program.statements],
        "result": program.result,
        "machine": machine.stated,
        "claim": str(claim),
    }


def optional_text(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


def _uncovered(verdict: Verdict) -> str | None:
    """Return what the format leaves to the verifier alone: a checker that can be read in one sitting knows less."""
    shape, execution, machine = verdict.shape, verdict.execution, verdict.machine
    if any(isinstance(part, ExactFunction) for part in walk(folded(verdict.program, machine))):
        return f"programs with {', '.join(FUNCTIONS)}"
    if verdict.kind == VERIFIED:
        assert shape.noise is not None
        if shape.noise.laplace:
            return "a snapped Laplace draw"
        if machine.sampler == "grid53":
            return "a bound for a sampler on a fixed grid"
        if execution is not None and isinstance(execution.folded, Rounding):
            return "a clamp inside the rounding"
        ends = [end for end in (shape.clamp_lower, shape.lower, shape.upper, shape.clamp_upper) if end is not None]
        return None if len(ends) == 4 and ends == sorted(ends) else "a query that leaves the clamp"
    if execution is not None and execution.drawn is None:
        return "a program without a random draw"
    return "a refutation for a real draw, which has no floats to name" if machine.sampler == "ideal" else None


def witness(evidence: ExactLoss, execution: Execution) -> dict[str, Any]:
    """Return the witness of a refutation: an impossible output, or two exact probabilities with their cells."""
    try:
        return _witness(evidence, execution)
    except ValueError:  # Python writes no longer integers as text, and the checker reads no longer ones
        raise PremiseError(
            "a number of the witness has more than 4,000 digits.", "The verdict stands; it has no certificate."
        ) from None


def _witness(evidence: ExactLoss, execution: Execution) -> dict[str, Any]:
    where = {"f": str(evidence.f), "f_prime": str(evidence.f_prime), "output": str(evidence.output)}
    if evidence.is_infinite:
        sign, draw = producing_draw(evidence, execution)
        return {"kind": "impossible", **where, "U": str(draw), "S": sign, "gaps": gaps(evidence, execution)}
    p, q = evidence.probability, evidence.probability_prime
    if not (p.is_exact and q.is_exact):
        raise PremiseError(
            "probabilities of a real draw are irrational: this refutation has no exact certificate.",
            "Take the sampler ulp, nearest or grid53, or claim less.",
        )
    cells = [
        {"S": shown_sign(sign, execution), "from": name, **_ends(preimage, execution)}
        for name, side in (("f", evidence.preimages), ("f_prime", evidence.preimages_prime))
        for sign, preimage in side
    ]
    probabilities = {"probability": str(p.lower), "probability_prime": str(q.lower)}
    return {"kind": "ratio", **where, "cells": cells, **probabilities}


def shown_sign(sign: int, execution: Execution) -> int | None:
    return None if execution.sign_name is None else sign


def producing_draw(evidence: ExactLoss, execution: Execution) -> tuple[int | None, Fraction]:
    """Return a sign and a draw that lead from f to the output."""
    draw = execution.draw
    for sign, preimage in evidence.preimages:
        if preimage.start < preimage.stop:
            inside = preimage.start if preimage.start > draw.first or draw.too_deep is None else preimage.stop - 1
            return shown_sign(sign, execution), execution.drawn_value(sign, inside)
    raise AssertionError("the output comes from f")


def gaps(evidence: ExactLoss, execution: Execution) -> list[dict[str, Any]]:
    """Return, for each sign (and piece), the neighbouring draws between which f_prime skips the output."""
    draw, found = execution.draw, []
    for (sign, preimage), piece in zip(evidence.preimages_prime, skipping_pieces(evidence, execution), strict=True):
        values = [
            execution.drawn_value(sign, o) if draw.is_float(o) and piece.start <= o < piece.stop else None
            for o in (preimage.start - 1, preimage.start)
        ]
        if preimage.start == draw.first and draw.too_deep is not None and not execution.laplace:
            values = [None, Fraction(0)]  # before all draws, of which there is no smallest
        if execution.laplace:
            if None in values:
                continue  # the draw runs through both signs: one gap says all
            values.sort(key=lambda value: value or Fraction(0))
        found.append(
            {"S": shown_sign(sign, execution), "below": optional_text(values[0]), "above": optional_text(values[1])}
        )
    return found


def skipping_pieces(evidence: ExactLoss, execution: Execution) -> list[Piece]:
    """Return the pieces of draws on which f_prime skips the output, in the order of its preimages."""
    pieces = ProgramLaw(execution, evidence.f_prime).pieces
    return [piece for sign in execution.signs for piece in pieces[sign]]


def _ends(preimage: Preimage, execution: Execution) -> dict[str, str]:
    """Return the ends of a preimage: 0 is before all draws; an empty one before a smallest draw ends at that one."""
    draw = execution.draw
    named = preimage.start == preimage.stop and draw.too_deep is None
    low, high = (Fraction(0) if end == draw.first and not named else draw.value(end) for end in preimage)
    return {"low": str(low), "high": str(high)}
