"""The cases of L20's Theorem 2 with three constants each: as printed, certified, and exact, at pairs of inputs.

Room: verifier. The published case analysis has a constant C for every case, the loss being eps + C B eps eta. Beside it
stand what the note's own rules give when they are evaluated outward, what is certified here, and the largest exact
loss of an output of the case: the program is run. The last three are those of the given pairs, not of all.
Theory: docs/theory/verifier-loss.md, (15)-(21).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from snapdp.errors import ParameterError, PremiseError
from snapdp.exact import parameter
from snapdp.values import Value
from snapdp.verifier.loss.exact_loss import ProgramLaw, exact_loss
from snapdp.verifier.loss.pointwise import CASES, FORMS, Pointwise, case_of, case_table, held_output, tried_outputs
from snapdp.verifier.loss.query_path import value_on
from snapdp.verifier.loss.verdict import Verdict
from snapdp.verifier.machine.given import query_value, typed

Pair = tuple[Fraction, Fraction]
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
    if verdict.universal is None or verdict.shape.failed:
        raise PremiseError(
            f"{verdict.program.name} has no table of cases: no bound of its loss is known.",
            "Cases are those of clamp(round(query + noise)), with every premise of the theorem.",
        )
    losses: dict[str, dict[str, tuple[Fraction, Fraction]]] = {case: {} for case in CASES}
    for pair in pairs:
        low, high = sorted(pair, key=lambda value: noised(value, verdict))
        for kind, case, loss, output in _losses(verdict, low, high):
            if kind not in losses[case] or loss > losses[case][kind][0]:
                losses[case][kind] = loss, output
    nothing = (None, None)
    return tuple(
        CaseConstants(
            case=case,
            printed=PRINTED[case],
            by_note_rules=found.get("note", nothing)[0],
            certified=found.get("post", nothing)[0],
            output=found.get("post", nothing)[1],
            exact=found.get("exact", nothing)[0],
            exact_output=found.get("exact", nothing)[1],
        )
        for case, found in losses.items()
    )


def _losses(verdict: Verdict, low: Fraction, high: Fraction) -> Iterable[tuple[str, str, Fraction, Fraction]]:
    """Yield kind, case, loss and output for one pair."""
    shape, machine = verdict.shape, verdict.machine
    f, f_prime = noised(low, verdict), noised(high, verdict)
    folded = shape.noise is not None and shape.noise.folded
    for form in (
        FORMS if shape.snap.is_plain and not folded else FORMS[:1]
    ):  # the note knows its own snap and noise only
        for case, found in case_table(shape, machine, f=f, f_prime=f_prime, form=form):
            if isinstance(found, Pointwise) and found.loss_upper is not None:
                yield form, case, found.loss_upper, found.output
    if verdict.execution is None or shape.snap.released is not None:
        return
    laws = [ProgramLaw(verdict.execution, value, shape) for value in (low, high)]
    for output in tried_outputs(shape, f=f, f_prime=f_prime):
        exact = exact_loss(laws[0], laws[1], held_output(shape, machine, output))
        if exact is not None and exact.loss is not None:
            yield "exact", case_of(shape, f=f, f_prime=f_prime, output=output), exact.loss.lower, output


def noised(value: Fraction, verdict: Verdict) -> Fraction:
    """Return what the noise is added to, for a private value."""
    path = verdict.shape.path
    return value if path is None else value_on(path, value, verdict.machine)


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
