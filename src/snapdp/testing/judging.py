"""What all judges say of the replays together, in their order: conduct, what tells apart, floats, numbers, width.

Room: testing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snapdp.testing.claims import Claims
from snapdp.testing.judges.attribution import attributed
from snapdp.testing.judges.beside import of_no_judged_law, width_beside
from snapdp.testing.judges.cancelling import cancelling
from snapdp.testing.judges.conduct import misconduct, now_and_then_raised
from snapdp.testing.judges.ends import judged_ends
from snapdp.testing.judges.events import hidden_digits, left_out, too_narrow
from snapdp.testing.judges.facts import judged_facts
from snapdp.testing.judges.floats import float_faults
from snapdp.testing.judges.laws import JudgedWidth, changed_scales, judged_width, unjudged
from snapdp.testing.judges.movement import shared_noise, too_far
from snapdp.testing.judges.numbers import number_series
from snapdp.testing.judges.telling import told_apart
from snapdp.testing.judges.varying import varying
from snapdp.testing.replays import Replays
from snapdp.testing.violations import Violation, one_of_each
from snapdp.values import Value, replaced

TELL_BY_NOISE = {"metadata", "written", "warning", "exception", "no-noise", "branches", "draws"}  # need enough replays
SPOILED_BY = {"state", "unknown-noise", "limit"}  # then runs with the same noise say nothing about numbers


class Judgement(Value):
    """What was found, what could not be seen, and whether anything was concluded about the width of the noise."""

    violations: tuple[Violation, ...]
    notes: tuple[str, ...]
    width_is_judged: bool


def judged(replays: Replays, claims: Claims, *, same: bool) -> Judgement:
    """Return what the judges say; `same`: whether the two inputs are equal."""
    notes = list(_notes(replays))
    found = list(misconduct(replays))
    if same:
        found.append(Violation(kind="unaudited", sentence="the two inputs are equal: give two that differ"))
    drawn = any(run.draws for run in replays.all)
    for each in told_apart(replays):
        if each.kind in TELL_BY_NOISE and drawn and not replays.enough and each.kind != "exception":
            notes.append(f"{each.sentence}: it may be chance, see the first note")
        else:
            found.append(each)
    floats = float_faults(replays, claims)
    found += floats.violations
    notes += floats.notes
    if SPOILED_BY & {each.kind for each in found}:
        notes.append("numbers were not judged: runs with the same noise do not give the same")
        return Judgement(violations=one_of_each(found), notes=tuple(notes), width_is_judged=False)
    moving = varying(replays)
    facts = judged_facts(replays, claims, moving.others)
    found += facts.violations
    notes += facts.notes
    width = _of_numbers(replays, claims, moving.numbers)
    found += width.violations
    found += [] if found else _vacuous(replays, claims)
    return Judgement(violations=one_of_each(found), notes=(*notes, *width.notes), width_is_judged=width.is_judged)


def _of_numbers(replays: Replays, claims: Claims, varying_paths: Sequence[str]) -> JudgedWidth:
    """Return what is said of numbers: how they move, whether they share noise, how wide it is, and where they end."""
    known = attributed(number_series(replays, claims), replays)
    numbers = [number for number, _ in known]
    scaled = list(changed_scales(replays, known, claims))
    moved = too_far(replays, known, claims, scaled=bool(scaled))
    found = [*scaled, *moved.violations]
    found += [] if replays.choosing else shared_noise(numbers)
    width = JudgedWidth(is_judged=False) if scaled else judged_width(replays, known, claims)
    width = replaced(width, notes=(*moved.notes, *width.notes))
    found += width.violations
    if not scaled and not width.violations and claims.epsilon is not None:
        beside = width_beside(replays, numbers, claims, varying_paths)
        found += beside.violations
        notes = (*width.notes, *of_no_judged_law(numbers, width), *beside.notes)
        width = replaced(width, notes=notes, known=width.known | beside.known)
    if not replays.choosing:
        return replaced(width, violations=tuple(found))
    narrow = list(too_narrow(replays, claims, known=width.known))
    narrow_paths = [dict(each.evidence)["path"] for each in narrow]
    told = tuple(map(unjudged, narrow_paths))
    ends = judged_ends(replays, claims, [path for path in varying_paths if path not in narrow_paths])
    return JudgedWidth(
        violations=(*found, *narrow, *ends.violations, *hidden_digits(replays, claims), *cancelling(numbers, claims)),
        notes=(*(note for note in width.notes if not note.startswith(told)), *ends.notes, *left_out(replays)),
        is_judged=(width.is_judged or bool(narrow)) and not ends.notes,
    )


def _vacuous(replays: Replays, claims: Claims) -> Iterator[Violation]:
    """Yield that nothing was audited, where nothing was found because there was nothing to find."""
    if not any(run.released or run.draws for run in replays.all):
        yield Violation(kind="unaudited", sentence="no number is released, and no noise is drawn")
    elif claims.epsilon is None and claims.sensitivity is None:
        yield Violation(kind="unaudited", sentence="nothing is claimed: give epsilon=, and sensitivity=")


def _notes(replays: Replays) -> Iterator[str]:
    yield from now_and_then_raised(replays)
    if not replays.enough:
        yield (
            f"at this epsilon it takes {replays.needed:,} replays to tell what differs from chance, and there were "
            f"{replays.count:,}: other texts, keys and lines, thresholds and digits were not judged; audit with a "
            "smaller epsilon"
        )
    for path, what in {path: what for run in replays.all for path, what in run.unread.items()}.items():
        yield f"not compared: {path}, {what}"
    if not any(run.draws for run in replays.all) and all(run.has_returned for run in replays.all):
        yield "no draw of noise was seen: of random, secrets, os.urandom, numpy or snapdp"
