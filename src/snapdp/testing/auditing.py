"""The audit of one's own release: two neighbouring inputs, the same noise, and everything that must not differ.

Room: testing. It refutes, and never proves. Source: Cebere et al. 2026 (arXiv 2602.17454).
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from snapdp.errors import ParameterError
from snapdp.exact import positive
from snapdp.testing.claims import Claims, claims_of, several, whole_positive
from snapdp.testing.freezing import frozen
from snapdp.testing.judges.conduct import fails_alike, misconduct
from snapdp.testing.judges.floats import float_faults
from snapdp.testing.judges.laws import JudgedWidth, changed_scales, judged_width
from snapdp.testing.judges.movement import located_too_far, shared_noise, too_far
from snapdp.testing.judges.numbers import number_series
from snapdp.testing.judges.telling import told_apart
from snapdp.testing.kinds import KINDS
from snapdp.testing.noise import FrozenNoise
from snapdp.testing.observation import AuditedRelease, are_equal
from snapdp.testing.replays import FEWEST, MOST, WITHOUT_CLAIM, Replays, replayed, replays_needed, warmed
from snapdp.testing.violations import AuditReport, RaisedError, Violation, one_of_each

MOST_DRAWS, SECONDS, WHOLE_SECONDS = 1_000_000, 30.0, 60.0
TELL_BY_NOISE = {"metadata", "written", "warning", "exception", "no-noise", "branches"}  # need enough replays
SPOILED_BY = {"state", "unknown-noise", "limit"}  # then runs with the same noise say nothing about numbers


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
    replays: int | None = None,
    draws: int = MOST_DRAWS,
    seconds: float = SECONDS,
    whole_seconds: float = WHOLE_SECONDS,
) -> AuditReport:
    """Replay a release on two neighbouring inputs with the same noise, and report what tells them apart.

    release        a function of one input; it is called some 140 times, each time with a copy of an input
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
    draws, seconds   limits of one call
    whole_seconds    of processor time, for all calls

    >>> report = audit(lambda rows: sum(rows), [1, 2, 3], [1, 2, 4])
    >>> sorted(report.kinds)
    ['no-noise']
    """
    _check_callable(release)
    allowed, watched = _known_kinds(several(allow, name="allow")), several(watch, name="watch")
    for name, limit in (("seconds", seconds), ("whole_seconds", whole_seconds)):
        positive(limit, name=name)
    claims = claims_of(epsilon=epsilon, delta=delta, sensitivity=sensitivity, norm=norm, grid=grid)
    needed = 1 if claims.epsilon is None else replays_needed(claims.epsilon)
    count = whole_positive(replays, name="replays") or (
        WITHOUT_CLAIM if claims.epsilon is None else min(max(needed, FEWEST), MOST)
    )
    audited = AuditedRelease(
        function=release,
        released=released,
        is_own=_own_files(release, watched),
        watched=lines,
        seconds=seconds,
        ignored=several(ignore, name="ignore"),
    )
    whole_positive(draws, name="draws")
    found = _replays(audited, (first, second), draws=draws, count=count, needed=needed, whole_seconds=whole_seconds)
    violations, notes, is_judged = _judged(found, claims, same=are_equal(first, second))
    notes += [*_unmatched(found, audited.ignored), *_unknown_files(watched)]
    return AuditReport(
        name=_name(release),
        replays=found.count,
        violations=tuple(each for each in violations if each.kind not in allowed),
        allowed=tuple(each for each in violations if each.kind in allowed),
        notes=tuple(dict.fromkeys(notes)),
        width_is_judged=is_judged,
        cause=_cause(found),
    )


def _replays(
    audited: AuditedRelease, inputs: tuple[Any, Any], *, draws: int, count: int, needed: int, whole_seconds: float
) -> Replays:
    noise = FrozenNoise(draws=draws, is_own=audited.is_own)
    with frozen(noise, audited.function):
        cold = warmed(audited, inputs[0], noise)
        run = functools.partial(
            replayed,
            audited,
            inputs,
            cold=cold,
            count=1 if cold[0].limit else count,
            needed=needed,
            whole_seconds=whole_seconds,
        )
        if not cold[1]:
            return run(noise)
    noise = FrozenNoise(draws=draws, is_own=audited.is_own)
    with frozen(noise, audited.function):  # once more: what the first call imported, numpy too, is frozen now
        return run(noise)


def _judged(replays: Replays, claims: Claims, *, same: bool) -> tuple[tuple[Violation, ...], list[str], bool]:
    """Return what was found, what could not be seen, and whether the width of the noise was judged."""
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
    found += float_faults(replays, claims)
    if SPOILED_BY & {each.kind for each in found}:
        notes.append("numbers were not judged: runs with the same noise do not give the same")
        return one_of_each(found), notes, False
    numbers = number_series(replays, claims)
    scaled = list(changed_scales(replays, numbers))
    found += scaled
    found += list(located_too_far(replays, claims)) or too_far(replays, numbers, claims, scaled=bool(scaled))
    found += shared_noise(numbers)
    width = JudgedWidth(is_judged=False) if scaled else judged_width(replays, numbers, claims)
    found += width.violations
    found += [] if found else _vacuous(replays, claims)
    return one_of_each(found), [*notes, *width.notes], width.is_judged


def _vacuous(replays: Replays, claims: Claims) -> Iterator[Violation]:
    """Yield that nothing was audited, where nothing was found because there was nothing to find."""
    if not any(run.released or run.draws for run in replays.all):
        yield Violation(kind="unaudited", sentence="no number is released, and no noise is drawn")
    elif claims.epsilon is None and claims.sensitivity is None:
        yield Violation(kind="unaudited", sentence="nothing is claimed: give epsilon=, and sensitivity=")


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


def _check_callable(release: Any) -> None:
    """Refuse what cannot be called with an input and give its answer."""
    if not callable(release):
        raise ParameterError(
            f"an audit takes a function, and this is of type {type(release).__name__}.",
            "Give the function first, then the two inputs: audit(release, first, second).",
        )
    if any(inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each) for each in _functions(release)):
        raise ParameterError(
            "this function is a coroutine: calling it runs nothing.",
            "Audit a function that runs it: lambda rows: asyncio.run(release(rows)).",
        )


def _notes(replays: Replays) -> Iterator[str]:
    if not replays.enough:
        yield (
            f"at this epsilon it takes {replays.needed:,} replays to tell what differs from chance, and there were "
            f"{replays.count:,}: other texts, keys and lines were not judged; audit with a smaller epsilon"
        )
    for path, what in {path: what for run in replays.all for path, what in run.unread.items()}.items():
        yield f"not compared: {path}, {what}"
    if not any(run.draws for run in replays.all) and all(run.has_returned for run in replays.all):
        yield "no draw of noise was seen: of random, secrets, os.urandom, numpy or snapdp"


def _known_kinds(kinds: Iterable[str]) -> frozenset[str]:
    asked = frozenset(kinds)
    if unknown := sorted(asked - KINDS.keys()):
        raise ParameterError(f"allow names {', '.join(map(repr, unknown))}.", f"Kinds are {', '.join(KINDS)}.")
    return asked


def _functions(release: Any) -> Iterator[Any]:
    """Yield the functions that a callable is made of: partials, methods, wrappers and objects undone."""
    while isinstance(release, functools.partial):
        release = release.func
    if not inspect.isroutine(release) and not isinstance(release, type):
        release = type(release).__call__
    yield release
    yield inspect.unwrap(release)


def _own_files(release: Any, watch: Iterable[str]) -> Callable[[str], bool]:
    """Return what says of a file whether it is code of the release."""
    codes = [getattr(getattr(each, "__func__", each), "__code__", None) for each in _functions(release)]
    files = {code.co_filename for code in codes if code is not None}
    below: list[str] = []
    for each in watch:
        module = sys.modules.get(each)
        file = getattr(module, "__file__", None) or each
        below.append(
            os.path.dirname(file) + os.sep if os.path.basename(file) == "__init__.py" else os.path.abspath(file)
        )

    @functools.cache
    def is_own(file: str) -> bool:
        return file in files or bool(below and os.path.abspath(file).startswith(tuple(below)))

    return is_own


def _name(release: Any) -> str:
    for each in _functions(release):
        if name := getattr(each, "__qualname__", ""):
            own = type(release).__qualname__ if name.endswith("__call__") else name
            return str(own).replace("<locals>.", "").split(".")[-1] if "<lambda>" not in own else "a lambda"
    return "the release"
