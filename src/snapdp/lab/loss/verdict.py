"""The verdict on a program: VERIFIED, REFUTED, BOUNDED, UNBOUNDED or INCONCLUSIVE, with the bracket of the loss.

VERIFIED rests on the universal bound, REFUTED on one output that was computed exactly; the two are independent. The
bracket is [largest exact loss found, certified upper bound]. A claim is a number, the file's own, or a published bound
by name; published bounds are compared with what is certified here, and the verdict says, premise by premise, whether
the program lies in the range their authors state. With `epsilon` instead of a claim, the claim is epsilon plus the
certified cost of rounding. Without a claim, the verdict is BOUNDED if a bound is certified, otherwise UNBOUNDED or
INCONCLUSIVE. `case_constants` has the constants of Theorem 2 of Liu's note (L20), as printed and as they are.
Theory: docs/theory/verifier-loss.md, "Verdicts".
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from snapdp.display.numbers import general
from snapdp.display.text import one_line
from snapdp.errors import ParameterError, PremiseError
from snapdp.exact.dyadic import power_of_two, round_places_up
from snapdp.exact.functions import exp_enclosure
from snapdp.exact.numbers import parameter, shown
from snapdp.lab.language.parser import claim_value
from snapdp.lab.language.syntax import Program, walk
from snapdp.lab.loss.exact_loss import ExactLoss, Pair, ProgramLaw, Search, exact_loss, held_output
from snapdp.lab.loss.pointwise import CASES, FORMS, case_of, case_table, tried_outputs
from snapdp.lab.loss.universal_bound import (
    FAILED,
    Shape,
    TheoremPremise,
    UniversalBound,
    decimal_places,
    excess,
    judge,
    recognise,
    sampler_premise,
    smallest_exponent,
    universal_bound,
)
from snapdp.lab.semantics.execution import Execution
from snapdp.lab.semantics.machine import Machine, query_value, typed
from snapdp.values import Value, replaced

VERIFIED, REFUTED, BOUNDED = "VERIFIED", "REFUTED", "BOUNDED"
UNBOUNDED, INCONCLUSIVE = "UNBOUNDED", "INCONCLUSIVE"
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
    _beside = ("shape", "premises", "execution", "approximate")  # which follow from the others

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

    def __repr__(self) -> str:
        from snapdp.lab.report.verdict import headline

        return f"Verdict({self.kind}: {one_line(headline(self))})"

    def _repr_html_(self) -> str:
        from snapdp.lab.report.page import verdict_card

        return verdict_card(self)

    def excess(self, loss: Fraction | None) -> Fraction | None:
        """Return C of a loss, or None where eps and B are unknown."""
        epsilon, bound = self.scale
        if loss is None or not epsilon or not bound:
            return None
        return excess(loss, epsilon=epsilon, bound=bound, machine=self.machine)


def verify(
    program: Program,
    machine: Machine | None = None,
    *,
    claim: str | Fraction | None = None,
    epsilon: Fraction | None = None,
    evaluations: int | None = None,
) -> Verdict:
    """Return the verdict on a program.

    claim        a number (the total loss), "note", "mironov" or "tight"; default the file's own, if it has one
    epsilon      instead of a claim: epsilon, and what the roundings of the machine are certified to add
    evaluations  how many outputs the search for a witness may compute
    """
    machine = machine or Machine()
    shape = recognise(program, machine)
    premises = (*shape.premises, sampler_premise(shape, machine))
    universal = universal_bound(shape, machine)
    if epsilon is not None and claim is None:
        judged = claim_of_epsilon(epsilon, shape=shape, machine=machine, universal=universal)
    else:
        judged = claim_of(claim, program=program, shape=shape, machine=machine, universal=universal)
    verified = False
    if universal is not None and judged.value is not None and universal.proved <= judged.value:
        verified = True
        if judged.value < universal.loss_upper:  # the decimal above the proof must not miss the claim
            universal = replaced(universal, loss_upper=judged.value)
    remarks = []
    execution = evidence = None
    try:
        execution = Execution(program, machine)
    except PremiseError as problem:
        remarks.append(f"No exact execution: {problem.problem}")
    else:
        tries = evaluations
        if tries is None:
            proved = verified or (universal is not None and judged.name == NO_CLAIM)
            tries = _evaluations(execution, verified=proved)
            if execution.in_pieces and not shape.folds_its_draw:
                tries //= MOST_PIECES  # each has ends that nothing tells beforehand
        query = next((query for query in program.queries if query.name == execution.query), None)
        if query is not None:  # else the output does not depend on any
            search = Search(execution, query, shape)
            evidence = search.impossible() if universal is None else None  # a bounded loss has no impossible output
            evidence = search.largest(tries) if evidence is None else evidence
            assert evidence is None or search.neighbours.allows(evidence.f, evidence.f_prime)
    if machine.ln_roundings > 1:
        remarks.append("Witnesses are run with a correctly rounded ln, one of those the machine allows.")
    failed = {premise.name for premise in premises if premise.status == FAILED}
    if universal is None and not failed:
        remarks.append("No bound: the rounding errors are too large for these cells.")
    refuted = evidence is not None and evidence.exceeds(judged.value)
    if judged.name == NO_CLAIM:
        kind = BOUNDED if universal is not None else UNBOUNDED if refuted else INCONCLUSIVE
    else:
        kind = VERIFIED if verified else REFUTED if refuted else INCONCLUSIVE
    if kind == INCONCLUSIVE and failed & NEEDED_FOR_ANY_BOUND and "shape" not in failed:
        kind = UNBOUNDED
    return Verdict(
        program=program,
        machine=machine,
        kind=kind,
        claim=judged,
        shape=shape,
        premises=premises,
        universal=universal,
        execution=execution,
        evidence=evidence,
        approximate=_approximate(shape, machine) if refuted and not verified else None,
        remarks=tuple(remarks),
    )


def _evaluations(execution: Execution, *, verified: bool) -> int:
    """Return how many outputs a search may compute, so that its work is bounded at every precision and length."""
    usual = BRACKET_EVALUATIONS if verified else SEARCH_EVALUATIONS
    bits, operations = execution.machine.p, sum(1 for _ in walk(execution.folded))
    by_bits = usual * USUAL_BITS // max(bits, USUAL_BITS)
    return max(1, by_bits * USUAL_OPERATIONS // max(operations, USUAL_OPERATIONS))


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


# Claims. Theory: docs/theory/verifier-loss.md, (14), (23)-(26) and (41).

NAMED = ("note", "mironov", "tight")
NO_CLAIM = "none"
LOST_SHARE = Fraction(1, 100)  # of epsilon, which is read to two digits: more is no rounding
CONSTANT_ROUNDINGS = 4  # by which a scale that the machine computed may miss the one that epsilon asks for


class Claim(Value):
    """A claimed total loss; None: no claim, or `tight` where no bound exists. `range` holds its authors' premises."""

    name: str
    value: Fraction | None
    range: tuple[TheoremPremise, ...] = ()


class Scale(NamedTuple):
    """The numbers that claims speak of: nominal epsilon and B, where the file or the shape gives them."""

    epsilon: Fraction | None
    bound: Fraction | None


def scale_of(program: Program, shape: Shape) -> Scale:
    """Return epsilon and B: the parameters `eps` and `B` where the file has them, else what the shape shows."""
    parameters = dict(program.parameters)
    epsilon, bound = parameters.get("eps"), parameters.get("B")
    if epsilon is None and shape.noise_epsilon is not None and shape.query is not None:
        moves = shape.query.sensitivity if shape.reach is None else shape.reach.ideal
        epsilon = shape.noise_epsilon * moves
    return Scale(epsilon, scale_of_clamp(shape) if bound is None else bound)


def scale_of_clamp(shape: Shape) -> Fraction | None:
    """Return the larger end of the clamp, None where there is none."""
    return None if shape.snap.ends is None else max(map(abs, shape.snap.ends))


def claim_of(
    stated: str | Fraction | None,
    *,
    program: Program,
    shape: Shape,
    machine: Machine,
    universal: UniversalBound | None,
) -> Claim:
    """Return the claim that is stated, a number or a name, else the file's, else none."""
    if stated is None:
        value = claim_value(program, machine.eta)
        return Claim(name=NO_CLAIM, value=None) if value is None else Claim(name="file", value=_loss(value))
    if stated == "tight":
        return Claim(name="tight", value=None if universal is None else universal.loss_upper)
    if stated in ("note", "mironov"):
        return _published(str(stated), program, shape, machine)
    return Claim(name="number", value=_loss(parameter(stated, name="claim")))


def _loss(value: Fraction) -> Fraction:
    if value < 0:
        raise ParameterError(
            f"the claim {shown(value)} is negative.", f"Give a loss >= 0, or one of {', '.join(NAMED)}."
        )
    return value


def claim_of_epsilon(epsilon: Fraction, *, shape: Shape, machine: Machine, universal: UniversalBound | None) -> Claim:
    """Return the claim that a program keeps epsilon but for the roundings of the machine.

    eps + above + below + x,  x = base - eps where 0 < base - eps <= ((1 + eta)**4 - 1 + 2 r B eta) eps, else 0
                                                                                              theory (26), (41)
    base is the loss of the noise if nothing rounded: constants such as 1/eps are rounded, so it may miss eps by a few
    units; and r roundings of a scaled query, of numbers up to B. Where no bound exists the claim is epsilon itself, and
    so it is where the bits that a folded draw has lost add more than a hundredth of it; theory (54).
    """
    epsilon = _loss(epsilon)
    if universal is None:
        return Claim(name=f"epsilon {shown(epsilon)}", value=epsilon)
    missed, bound, reach, stretch = universal.base - epsilon, scale_of_clamp(shape), shape.reach, 1 + machine.eta
    assert reach is not None
    assert bound is not None
    roundings = 2 * reach.rounded * bound * machine.eta
    near = 0 < missed <= (stretch**CONSTANT_ROUNDINGS - 1 + roundings) * epsilon
    if reach.distance:  # do only roundings make the loss larger than epsilon: of constants, and of steps of the query?
        constants = stretch ** (CONSTANT_ROUNDINGS + reach.rounded)
        near = near and universal.base * reach.ideal <= constants * epsilon * reach.distance
    added = universal.above + universal.below
    if shape.folds_its_draw and added > LOST_SHARE * epsilon:
        return Claim(name=f"epsilon {shown(epsilon)}", value=epsilon)
    value = round_places_up(epsilon + added + (missed if near else 0), decimal_places(machine))
    what = "roundings and lost bits of U" if shape.folds_its_draw else "roundings"
    return Claim(name=f"epsilon {shown(epsilon)} and {general(value - epsilon, 2)} for {what}", value=value)


def _published(name: str, program: Program, shape: Shape, machine: Machine) -> Claim:
    (epsilon, bound), eta, grid = scale_of(program, shape), machine.eta, shape.grid
    if epsilon is None or bound is None or epsilon <= 0 or bound <= 0:
        raise ParameterError(
            f"the claim {name} speaks of eps and B, which the program does not have.",
            "Write `param eps` and `param B` into the program, or claim a number.",
        )
    product = bound * epsilon
    premises = [judge("grid", grid is not None and grid * epsilon >= 1, "Lambda >= 1/eps")]
    premises.append(judge("bound", product > 1, "B > 1/eps"))
    value = epsilon + 12 * product * eta + 2 * eta
    if name == "note":
        premises.append(judge("precision", product * eta <= Fraction(1, 1 << 11), "B eps eta <= 2**-11"))
        value = epsilon + 23 * product * eta
    return Claim(name=name, value=value, range=tuple(premises))


# Cases of L20's Theorem 2, with a constant C for each, the loss being eps + C B eps eta: as printed; what the note's
# own rules give when they are evaluated outward; what is certified here; and the largest exact loss of an output of the
# case, for which the program is run. The last three are those of the given pairs, not of all.
# Theory: docs/theory/verifier-loss.md, (15)-(21).

PRINTED = dict(zip(CASES, ("10.1", "23", "12", "14", "12", "23", "12", "14", "23", "16", "6", None), strict=True))


class CaseConstants(Value):
    """One case: the printed constant (None: the note has no such case) and losses, each the largest of its kind."""

    case: str
    printed: str | None
    by_note_rules: Fraction | None = None
    certified: Fraction | None = None
    output: Fraction | None = None  # where the certified loss is largest
    exact: Fraction | None = None  # None also where outputs are processed, or too deep to tell
    exact_output: Fraction | None = None  # where the exact loss is largest, another one as a rule


def case_constants(verdict: Verdict, pairs: Iterable[Pair]) -> tuple[CaseConstants, ...]:
    """Return every case with its constants, the largest over the pairs; losses of None: no output falls into it."""
    require_cases(verdict)
    largest: dict[tuple[str, str], tuple[Fraction, Fraction]] = {}
    for pair in pairs:
        low, high = sorted(pair, key=lambda value: noised(value, verdict))
        for kind, case, loss, output in _losses(verdict, low, high):
            if (case, kind) not in largest or loss > largest[case, kind][0]:
                largest[case, kind] = loss, output
    constants = []
    for case in CASES:
        note, certified, exact = (largest.get((case, kind), (None, None)) for kind in ("note", "post", "exact"))
        constants.append(
            CaseConstants(
                case=case,
                printed=PRINTED[case],
                by_note_rules=note[0],
                certified=certified[0],
                output=certified[1],
                exact=exact[0],
                exact_output=exact[1],
            )
        )
    return tuple(constants)


def require_cases(verdict: Verdict) -> None:
    """Refuse a verdict that has no table of cases: on a program that is not what the theorem is about."""
    if verdict.universal is None or verdict.shape.failed:
        raise PremiseError(
            f"{verdict.program.name} has no table of cases: no bound of its loss is known.",
            "Cases are those of clamp(round(query + noise)), with every premise of the theorem.",
        )


def _losses(verdict: Verdict, low: Fraction, high: Fraction) -> Iterable[tuple[str, str, Fraction, Fraction]]:
    """Yield kind, case, loss and output for one pair."""
    shape, machine = verdict.shape, verdict.machine
    f, f_prime = noised(low, verdict), noised(high, verdict)
    plain = shape.snap.is_plain and not shape.folds_its_draw  # the note knows its own snap and noise only
    for form in FORMS if plain else FORMS[:1]:
        for case, worst in case_table(shape, machine, f=f, f_prime=f_prime, form=form):
            if worst is not None and worst.loss_upper is not None:
                yield form, case, worst.loss_upper, worst.output
    if verdict.execution is None or shape.snap.released is not None:
        return
    law, law_prime = (ProgramLaw(verdict.execution, value, shape) for value in (low, high))
    for output in tried_outputs(shape, f=f, f_prime=f_prime):
        exact = exact_loss(law, law_prime, held_output(shape, machine, output))
        if exact is not None and exact.loss is not None:
            yield "exact", case_of(shape, f=f, f_prime=f_prime, output=output), exact.loss.lower, output


def noised(value: Fraction, verdict: Verdict) -> Fraction:
    """Return what the noise is added to, for a private value."""
    return verdict.shape.added(value, verdict.machine)


def asked_pair(verdict: Verdict, f: object, f_prime: object) -> Pair:
    """Return two private values as the machine holds them; refused where they are no neighbours."""
    query = verdict.shape.query
    if query is None:
        raise PremiseError(f"{verdict.program.name} has no query that noise is added to.", "There are no neighbours.")
    one, other = (
        query_value(query, parameter(value, name="a value of the pair"), verdict.machine) for value in (f, f_prime)
    )
    if abs(one - other) > query.sensitivity:
        raise ParameterError(
            f"the pair is {typed(abs(one - other))} apart, as the machine holds it.",
            f"Neighbours are at most {query.sensitivity} apart.",
        )
    return one, other


def telling_pairs(verdict: Verdict) -> tuple[Pair, ...]:
    """Return pairs that together reach every case: at both ends, around zero, and where the loss was found largest."""
    query, (low, high) = verdict.shape.query, verdict.shape.private
    if query is None or low is None or high is None:
        raise PremiseError(f"nothing confines the query of {verdict.program.name}.", "Declare its range.")
    step, middle = min(query.sensitivity, high - low), (low + high) / 2
    starts = (low, high - step, middle - step, middle - step / 2, middle)
    wanted = [(start, start + step) for start in starts if low <= start and start + step <= high]
    if verdict.evidence is not None:
        wanted.append((verdict.evidence.f, verdict.evidence.f_prime))
    held = {tuple(query_value(query, value, verdict.machine) for value in pair): None for pair in wanted}
    return tuple((a, b) for a, b in held if abs(a - b) <= query.sensitivity)
