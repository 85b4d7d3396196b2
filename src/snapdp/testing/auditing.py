"""The audit of one's own release: two neighbouring inputs, the same noise, and everything that must not differ.

Room: testing. It refutes, and never proves. Source: Cebere et al. 2026 (arXiv 2602.17454).
"""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Unpack

from snapdp.errors import ParameterError
from snapdp.testing.callables import check_callable, name_of, own_files
from snapdp.testing.claims import Claims, claims_of, several
from snapdp.testing.flow import why_no_alarm
from snapdp.testing.frozen.freezing import frozen
from snapdp.testing.frozen.noise import FrozenNoise
from snapdp.testing.judges.conduct import fails_alike
from snapdp.testing.judging import judged
from snapdp.testing.kinds import KINDS
from snapdp.testing.limits import Limits, LimitWords, limits_of
from snapdp.testing.observation import AuditedInput, AuditedRelease, Observation, are_equal
from snapdp.testing.replays import Replays, first_call, replayed, replays_needed
from snapdp.testing.violations import AuditReport, RaisedError

MOST_PATHS = 3  # that a note names
PATH = re.compile(r"""\b(?:output|released)(?:\[(?:'[^']*'|"[^"]*"|[^]]*)\]|\.\w+|<[^>]*>)+""")


def audit(
    release: Callable[[Any], Any],
    first: Any,
    second: Any,
    *,
    epsilon: object = None,
    sensitivity: object = None,
    delta: object = None,
    norm: str = "l1",
    grid: object = None,
    released: Callable[[Any], Any] | None = None,
    allow: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    watch: str | Iterable[str] = (),
    lines: bool = True,
    **limits: Unpack[LimitWords],
) -> AuditReport:
    """Replay a release on two neighbouring inputs with the same noise, and report what tells them apart.

    release        a function of one input; it is called some 150 times, each time with a copy of an input
    first, second  two inputs that differ as neighbours do
    epsilon        the loss that is claimed of one call; the smaller, the fewer replays tell. Without it nothing that
                   differs in every replay is excused by the noise
    sensitivity    how far the released numbers move together, in the `norm` "l1", "l2" or "max"; leave it out where
                   the output is no value + noise, such as a quotient of two noisy numbers
    delta          where Gaussian noise is meant
    grid           the step outputs are rounded to after the noise; 0: they are not. By default as it looks
    released       takes the released numbers out of an output; by default they are all its numbers
    allow          kinds that are expected: they are reported apart, and do not refute
    ignore         paths of the output that are not compared, such as "output['time']"
    watch          files, directories or modules whose lines are followed too; that of the function always is
    lines          whether lines are followed at all
    replays        how many pairs of runs; by default as many as epsilon needs
    draws, seconds   limits of one call: 1,000,000 and 30
    whole_seconds    for all calls: 300

    >>> report = audit(lambda rows: sum(rows), [1, 2, 3], [1, 2, 4])
    >>> sorted(report.kinds)
    ['no-noise']
    """
    check_callable(release)
    allowed, watched = _known_kinds(several(allow, name="allow")), several(watch, name="watch")
    bounds = limits_of(limits)
    claims = claims_of(epsilon=epsilon, delta=delta, sensitivity=sensitivity, norm=norm, grid=grid)
    audited = AuditedRelease(
        function=release,
        released=released,
        is_own=own_files(release, watched),
        watched=lines,
        seconds=bounds.seconds,
        ignored=several(ignore, name="ignore"),
    )
    found = _replays(audited, (AuditedInput(first), AuditedInput(second)), claims, bounds)
    said = judged(found, claims, same=are_equal(first, second))
    notes = [*_folded(said.notes), *_unguarded(bounds), *_unmatched(found, audited.ignored), *_unknown_files(watched)]
    return AuditReport(
        name=name_of(release),
        replays=found.count,
        violations=tuple(each for each in said.violations if each.kind not in allowed),
        allowed=tuple(each for each in said.violations if each.kind in allowed),
        notes=tuple(dict.fromkeys(notes)),
        width_is_judged=said.width_is_judged,
        cause=_cause(found),
    )


def _replays(
    audited: AuditedRelease, inputs: tuple[AuditedInput, AuditedInput], claims: Claims, limits: Limits
) -> Replays:
    """Run the release as often as it takes, with all noise frozen meanwhile."""
    needed = 1 if claims.epsilon is None else replays_needed(claims.epsilon, claims.delta)
    noise = FrozenNoise(draws=limits.draws, is_own=audited.is_own)

    def begun() -> tuple[tuple[Observation, bool], Replays | None]:
        cold = first_call(audited, inputs[0], noise)
        return cold, None if cold[1] else replayed(audited, inputs, noise, cold=cold, limits=limits, needed=needed)

    cold, found = frozen(noise, audited.function, begun)
    if found is not None:
        return found
    # once more: what the first call imported, numpy too, is frozen now
    run = functools.partial(replayed, audited, inputs, noise, cold=cold, limits=limits, needed=needed)
    return frozen(noise, audited.function, run)


def _unguarded(limits: Limits) -> Iterator[str]:
    if reason := why_no_alarm():
        yield (
            f"no alarm could be set, since {reason}: a call that waits, and runs no line meanwhile, is not stopped "
            f"after {limits.seconds:g} seconds"
        )


def _folded(notes: Iterable[str]) -> Iterator[str]:
    """Yield notes, those that say the same of several paths as one."""
    paths: dict[str, list[str]] = {}
    for note in notes:
        found = PATH.search(note)
        alike = paths.setdefault(note.replace(found[0], "\0", 1) if found else note, [])
        alike += [found[0]] if found and found[0] not in alike else []
    for note, each in paths.items():
        more = f" and {len(each) - MOST_PATHS:,} more" if len(each) > MOST_PATHS else ""
        yield note.replace("\0", ", ".join(each[:MOST_PATHS]) + more, 1) if each else note


def _cause(replays: Replays) -> RaisedError | None:
    """Return what the release raises for both inputs alike."""
    problem = replays.first[0].problem
    return RaisedError(problem) if problem is not None and fails_alike(replays) else None


def _unmatched(replays: Replays, ignored: Iterable[str]) -> Iterator[str]:
    there = frozenset[str]().union(*(run.ignored for run in replays.all))
    for each in ignored:
        if each not in there:
            yield f"ignore names {each!r}, and there is no such path: they are written as in \"output['time']\""


def _unknown_files(watched: Iterable[str]) -> Iterator[str]:
    for each in watched:
        if each not in sys.modules and not os.path.exists(each):
            yield f"watch names {each!r}, which is no file, no directory, and no module that is loaded"


def _known_kinds(kinds: Iterable[str]) -> frozenset[str]:
    asked = frozenset(kinds)
    if unknown := sorted(asked - KINDS.keys()):
        raise ParameterError(f"allow names {', '.join(map(repr, unknown))}.", f"Kinds are {', '.join(KINDS)}.")
    return asked
