"""The verdict on a program: VERIFIED, REFUTED, UNBOUNDED or INCONCLUSIVE, always with the bracket of the loss.

Room: verifier. VERIFIED rests on the universal bound, REFUTED on one output that was computed exactly; neither on
the other. The bracket is [largest exact loss found, certified upper bound].
Theory: docs/theory/verifier-loss.md, "Verdicts".
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from snapdp.display import one_line
from snapdp.errors import PremiseError
from snapdp.exact import exp_enclosure, power_of_two
from snapdp.values import Value, replaced
from snapdp.verifier.language.syntax import Program
from snapdp.verifier.loss.claims import Claim, Scale, claim_of, claim_of_epsilon, scale_of
from snapdp.verifier.loss.exact_loss import ExactLoss
from snapdp.verifier.loss.shape import FAILED, Shape, TheoremPremise, recognise
from snapdp.verifier.loss.universal_bound import (
    UniversalBound,
    excess,
    sampler_premise,
    smallest_exponent,
    universal_bound,
)
from snapdp.verifier.loss.witness import Search
from snapdp.verifier.machine.execution import Execution
from snapdp.verifier.machine.folding import folded, operations_in
from snapdp.verifier.machine.machine import Machine

VERIFIED, REFUTED, UNBOUNDED, INCONCLUSIVE = "VERIFIED", "REFUTED", "UNBOUNDED", "INCONCLUSIVE"
NEEDED_FOR_ANY_BOUND = {"query confined", "clamp present"}
BRACKET_EVALUATIONS = 400  # for the lower end of a verified bracket
SEARCH_EVALUATIONS = 2000  # where a claim is to be refuted
MOST_PIECES = 4  # of the draws of a program that takes magnitudes, in each of which an output is looked for
USUAL_BITS, USUAL_OPERATIONS = 512, 200  # with more a search computes fewer outputs, because each costs more


class Approximate(Value):
    """(epsilon, delta) that holds although no pure epsilon does."""

    epsilon: Fraction
    delta: Fraction


class Verdict(Value):
    """What is known about the loss of a program on a machine, against a claim."""

    program: Program
    machine: Machine
    kind: str
    claim: Claim
    shape: Shape
    premises: tuple[TheoremPremise, ...]
    universal: UniversalBound | None
    execution: Execution | None
    evidence: ExactLoss | None
    approximate: Approximate | None
    remarks: tuple[str, ...]

    @property
    def upper(self) -> Fraction | None:
        """Return the certified upper bound of the loss."""
        return None if self.universal is None else self.universal.loss_upper

    @property
    def lower(self) -> Fraction | None:
        """Return a lower bound of the largest loss: that of the evidence. None: nothing found, or infinite."""
        return None if self.evidence is None or self.evidence.loss is None else self.evidence.loss.lower

    @property
    def is_infinite(self) -> bool:
        """Tell whether the evidence is an output that one of two neighbours cannot have."""
        return self.evidence is not None and self.evidence.is_infinite

    @property
    def failed(self) -> tuple[TheoremPremise, ...]:
        """Return the premises of the theorem that do not hold."""
        return tuple(premise for premise in self.premises if premise.status == FAILED)

    @property
    def scale(self) -> Scale:
        return scale_of(self.program, self.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Verdict) and self._said == other._said

    def __hash__(self) -> int:
        return hash(self._said)

    @property
    def _said(self) -> tuple[Any, ...]:
        """Return what a verdict says, without the machinery that ran the program."""
        return self.program, self.machine, self.kind, self.claim, self.universal, self.evidence, self.remarks

    def __repr__(self) -> str:
        from snapdp.verifier.report.summary import headline

        return f"Verdict({self.kind}: {one_line(headline(self))})"

    def _repr_html_(self) -> str:
        from snapdp.verifier.report.page import verdict_card

        return verdict_card(self)

    def excess(self, loss: Fraction | None) -> Fraction | None:
        """Return C of a loss, or None where eps and B are unknown."""
        scale = self.scale
        if loss is None or not scale.epsilon or not scale.bound:
            return None
        return excess(loss, epsilon=scale.epsilon, bound=scale.bound, machine=self.machine)


def verify(
    program: Program,
    machine: Machine | None = None,
    *,
    claim: str | Fraction | None = None,
    epsilon: Fraction | None = None,
    evaluations: int | None = None,
) -> Verdict:
    """Return the verdict on a program.

    claim        a number (the total loss), "note", "mironov" or "tight"; default the file's own, else "note"
    epsilon      instead of a claim: epsilon, and what the roundings of the machine are certified to add
    evaluations  how many outputs the search for a witness may compute
    """
    machine = machine or Machine()
    shape = recognise(folded(program, machine), program, machine)
    premises = (*shape.premises, sampler_premise(shape, machine))
    universal = universal_bound(shape, machine)
    if epsilon is not None and claim is None:
        asked = claim_of_epsilon(epsilon, shape=shape, machine=machine, universal=universal)
    else:
        asked = claim_of(claim, program=program, shape=shape, machine=machine, universal=universal)
    if universal is not None and asked.value is not None and universal.proved <= asked.value < universal.loss_upper:
        universal = replaced(universal, loss_upper=asked.value)  # the decimal above the proof must not miss the claim
    verified = universal is not None and asked.value is not None and universal.loss_upper <= asked.value
    remarks = []
    execution = evidence = None
    try:
        execution = Execution(program, machine)
    except PremiseError as problem:
        remarks.append(f"No exact execution: {problem.problem}")
    else:
        usual = _evaluations(execution, verified=verified)
        if execution.in_pieces and (shape.noise is None or not shape.noise.folded):
            usual //= MOST_PIECES  # each has ends that nothing tells beforehand
        tries = usual if evaluations is None else evaluations
        evidence = _evidence(execution, shape, universal, tries)
    if machine.ln_roundings > 1:
        remarks.append("Witnesses are run with a correctly rounded ln, one of those the machine allows.")
    if universal is None and not any(premise.status == FAILED for premise in premises):
        remarks.append("No bound: the cells are too narrow for the rounding errors at their ends.")
    kind = _kind(verified, asked, evidence, premises)
    return Verdict(
        program=program,
        machine=machine,
        kind=kind,
        claim=asked,
        shape=shape,
        premises=premises,
        universal=universal,
        execution=execution,
        evidence=evidence,
        approximate=_approximate(shape, machine) if kind == REFUTED else None,
        remarks=tuple(remarks),
    )


def _evaluations(execution: Execution, *, verified: bool) -> int:
    """Return how many outputs a search may compute, so that its work is bounded at every precision and length."""
    usual = BRACKET_EVALUATIONS if verified else SEARCH_EVALUATIONS
    bits, operations = execution.machine.p, operations_in(execution.folded)
    by_bits = usual * USUAL_BITS // max(bits, USUAL_BITS)
    return max(1, by_bits * USUAL_OPERATIONS // max(operations, USUAL_OPERATIONS))


def _evidence(
    execution: Execution, shape: Shape, universal: UniversalBound | None, evaluations: int
) -> ExactLoss | None:
    """Return the largest loss that a search finds, between inputs that the program's own query can have."""
    query = next((query for query in execution.program.queries if query.name == execution.query), None)
    if query is None:
        return None  # the output does not depend on any query
    search = Search(execution, query, shape)
    found = search.impossible() if universal is None else None  # a bounded loss has no impossible output
    found = search.largest(evaluations) if found is None else found
    assert found is None or search.neighbours.allows(found.f, found.f_prime)
    return found


def _kind(verified: bool, claim: Claim, evidence: ExactLoss | None, premises: tuple[TheoremPremise, ...]) -> str:
    if verified:
        return VERIFIED
    if evidence is not None and (evidence.is_infinite or (claim.value is not None and evidence.exceeds(claim.value))):
        return REFUTED
    failed = {premise.name for premise in premises if premise.status == FAILED}
    if failed & NEEDED_FOR_ANY_BOUND and "shape" not in failed:
        return UNBOUNDED
    return INCONCLUSIVE


def _approximate(shape: Shape, machine: Machine) -> Approximate | None:
    """Return (eps, delta) of a sampler with bounded exponents: it differs from the unbounded one only below 2**m.

    P(E) <= e^eps P'(E) + (1 + e^eps) 2**m                                       theory (25)
    """
    exponent = smallest_exponent(machine)
    if exponent is None or machine.sampler == "grid53":
        return None
    unbounded = universal_bound(shape, replaced(machine, umin=None))
    if unbounded is None:
        return None
    factor = 1 + exp_enclosure(unbounded.loss_upper, 64).upper
    return Approximate(epsilon=unbounded.loss_upper, delta=factor * power_of_two(exponent))
