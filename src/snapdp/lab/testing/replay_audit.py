"""The audit of a release: two neighbouring inputs, the same noise, and everything that must not differ.

It refutes, and never proves: what varies with the noise is left to `counting`. A report repeats no cell
and no text of an input or an output, and a key only where both outputs have it.
Source: Cebere et al. 2026 (arXiv 2602.17454). Theory: docs/theory/replay-audit.md.
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from textwrap import fill
from typing import TYPE_CHECKING, Any, Self

from snapdp.errors import ParameterError
from snapdp.exact.functions import exp_enclosure, ln_enclosure
from snapdp.exact.numbers import positive, probability
from snapdp.lab.testing.findings import (
    KINDS,
    SOURCES,
    Replays,
    Violation,
    find_float_faults,
    find_misconduct,
    find_movement,
    find_separations,
    source_of,
    varying_paths,
)
from snapdp.lab.testing.frozen_noise import FrozenNoise, with_frozen_noise
from snapdp.lab.testing.observation import AuditedRelease, Release, are_equal, observe
from snapdp.values import Value

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

RELATIONS = ("change-one", "add-remove")
NORMS = ("l1", "l2", "max")
FALSE_ALARM = Fraction(1, 10**9)
WITHOUT_CLAIM = 32  # pairs of runs where no epsilon is claimed, and the fewest otherwise
MOST = 700  # pairs of runs, enough for epsilon up to 3.5
EXCUSED_BY_NOISE = {"metadata", "written", "warning", "no-noise", "draws"}  # in too few replays it may be chance
SPOILED_BY = {"state", "unknown-noise"}  # then runs with the same noise say nothing about numbers
COUNTING = "snapdp.lab.testing.counted"
MOST_NAMED = 8  # paths, in one note
WIDTH = 78
_BITS = 64


def audit(
    release: Release,
    first: Any,
    second: Any,
    *,
    epsilon: object = None,
    delta: object = None,
    sensitivity: object = None,
    norm: str = "l1",
    released: Release | None = None,
    allow: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    replays: int | None = None,
) -> AuditReport:
    """Replay a release on two neighbouring inputs with the same noise, and report what tells them apart.

    release        a function of one input; it is called some 150 times, each time with a copy of an input
    first, second  two inputs that differ as neighbours do
    epsilon        the loss that is claimed of one call; the smaller, the fewer replays tell. Without it nothing that
                   differs in every replay is excused by the noise
    delta          a delta that is claimed besides
    sensitivity    how far the released numbers move together, in the `norm` "l1", "l2" or "max"; leave it out where
                   the output is not a value + noise, such as a quotient of two noisy numbers
    released       takes the numbers that the sensitivity is about out of an output; by default they are all its numbers
    allow          kinds that are expected: they are reported apart, and do not refute
    ignore         paths of the output that are not compared, such as "output['time']"
    replays        how many pairs of runs; by default as many as epsilon needs

    >>> report = audit(lambda rows: sum(rows), [1, 2, 3], [1, 2, 4])
    >>> sorted(report.kinds)
    ['no-noise']
    """
    name = require_callable(release)
    if norm not in NORMS:
        advice = "Laplace noise is for l1, Gaussian noise for l2."
        raise ParameterError(f"norm = {norm!r} is none of {', '.join(NORMS)}.", advice)
    if replays is not None and (isinstance(replays, bool) or not isinstance(replays, int) or replays < 1):
        raise ParameterError(f"replays = {replays!r} is no number of times.", "Give replays >= 1, or leave it out.")
    allowed, ignored = _texts(allow, name="allow"), _texts(ignore, name="ignore")
    if unknown := sorted(set(allowed) - KINDS.keys()):
        raise ParameterError(f"allow names {', '.join(map(repr, unknown))}.", f"Kinds are {', '.join(KINDS)}.")
    claimed = None if sensitivity is None else positive(sensitivity, name="sensitivity")
    loss = None if epsilon is None else positive(epsilon, name="epsilon")
    rest = None if delta is None else probability(delta, name="delta")
    needed = 1 if loss is None else replays_needed(loss, rest)
    usual = WITHOUT_CLAIM if needed == 1 else min(max(needed, WITHOUT_CLAIM), MOST)
    audited = AuditedRelease(function=release, released=released, ignored=ignored)
    equal = Violation("unaudited", "the two inputs are equal: give two that differ")
    violations = [equal] if are_equal(first, second) else []
    runs = _replay(audited, first, second, pairs=replays or usual, needed=needed)
    notes = list(_notes(runs))
    violations += find_misconduct(runs)
    for violation in find_separations(runs):
        if violation.kind in EXCUSED_BY_NOISE and runs.have_drawn and runs.count < needed:
            notes.append(f"{violation.sentence}: it may be chance, see the first note")
        else:
            violations.append(violation)
    violations += find_float_faults(runs, is_additive=claimed is not None)
    if SPOILED_BY & {violation.kind for violation in violations}:
        notes.append("numbers were not judged: runs with the same noise do not give the same. Use " + COUNTING)
    else:
        if claimed is not None:
            violations += find_movement(runs, sensitivity=claimed, norm=norm)
        if paths := varying_paths(runs):
            notes.append(f"{_join_names(paths)}: how much the noise hides was not judged. Use {COUNTING}")
        if not violations:
            violations += _find_nothing_audited(runs, is_claimed=claimed is not None or loss is not None)
    unique = {(violation.kind, violation.where, violation.sentence): violation for violation in violations}.values()
    return AuditReport(
        name=name,
        replays=runs.count,
        violations=tuple(violation for violation in unique if violation.kind not in allowed),
        allowed=tuple(violation for violation in unique if violation.kind in allowed),
        notes=tuple(dict.fromkeys(notes)),
    )


def replays_needed(epsilon: Fraction, delta: Fraction | None = None) -> int:
    """Return in how many pairs of runs an event must tell two inputs apart to refute epsilon, or epsilon and delta.

        N = 1 + ln(1 / alpha) / ln(1 / p), rounded up        theory (2), alpha = 10^-9
        p = (e^epsilon + delta) / (1 + e^epsilon)            theory (1), rounded up

    >>> replays_needed(Fraction(1)), replays_needed(Fraction(1, 10)), replays_needed(Fraction(1), Fraction(1, 2))
    (68, 34, 145)
    """
    never = 1 << 40  # more than anybody runs
    if epsilon > 20:
        return never
    chance = 1 - (1 - (delta or 0)) / (1 + exp_enclosure(epsilon, 2 * _BITS).upper)
    chance = Fraction(math.ceil(chance * (1 << _BITS)), 1 << _BITS)
    growth = ln_enclosure(1 / chance, _BITS).lower if chance < 1 else Fraction(0)
    return 1 + math.ceil(ln_enclosure(1 / FALSE_ALARM, _BITS).upper / growth) if growth > 0 else never


def _replay(audited: AuditedRelease, first: Any, second: Any, *, pairs: int, needed: int) -> Replays:
    """Run the release as often as it takes, with all noise frozen meanwhile."""
    noise = FrozenNoise()

    def run_pairs(freeze_imported: Callable[[], None]) -> Replays:
        modules = len(sys.modules)
        cold = observe(audited, first, noise, 0)
        if has_imported := len(sys.modules) != modules:
            freeze_imported()  # numpy, too
        runs = []
        for i in range(pairs):
            runs.append((observe(audited, first, noise, i), observe(audited, second, noise, i)))
            if i == 0:
                again = observe(audited, first, noise, 0)
        warmed = has_imported or noise.keeps
        one, other = zip(*runs, strict=True)
        return Replays(first=one, second=other, again=again, cold=cold, warmed=warmed, needed=needed)

    return with_frozen_noise(noise, audited.function, run_pairs)


def _notes(replays: Replays) -> Iterator[str]:
    """Yield what was not seen, apart from what varies."""
    failed, everything = replays.failed, len(replays.all)
    if replays.count < replays.needed:
        yield (
            f"at this epsilon it takes {replays.needed:,} replays to tell what differs from chance, and there were "
            f"{replays.count:,}: audit with a smaller epsilon"
        )
    endings = {run.ended for run in replays.all}
    if replays.have_drawn and len(endings) > 1 and not replays.separates(lambda run: run.ended):
        yield (
            f"{failed[0].ended} is raised in {len(failed):,} of {everything:,} runs, as the noise will have it: "
            "whether it tells the inputs apart was not judged, nor were numbers that it left out"
        )
    unread = {path: what for run in replays.all for path, what in run.unread.items()}
    if unread:
        yield f"not compared: {_join_names([f'{path} ({what})' for path, what in unread.items()])}"
    if not replays.have_drawn and not failed:
        yield "no draw of noise was seen: of random, secrets, os.urandom, numpy or snapdp"


def _find_nothing_audited(replays: Replays, *, is_claimed: bool) -> Iterator[Violation]:
    """Yield why nothing was audited, where nothing was found because there was nothing to find."""
    run = replays.first[0]
    if len(replays.failed) == len(replays.all):
        yield Violation("unaudited", f"{run.ended} is raised for both inputs, always: no output was audited", run.where)
    elif not any(run.released or run.draws for run in replays.all):
        yield Violation("unaudited", "no number is released, and no noise is drawn")
    elif not is_claimed:
        yield Violation("unaudited", "nothing is claimed: give epsilon=, and sensitivity=")


def _join_names(paths: list[str]) -> str:
    """Return paths as a note has them; those of texts in words.

    >>> _join_names(["output['word']", "stdout[0]", "stdout[0]<0>"])
    "output['word'], what is printed"
    """
    names = list(dict.fromkeys(SOURCES.get(source_of(path), ("", path))[1] for path in paths))
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _texts(texts: str | Iterable[str], *, name: str) -> tuple[str, ...]:
    """Return one text, or several, as a tuple."""
    found = (texts,) if isinstance(texts, str) else tuple(texts)
    if not all(isinstance(each, str) and each for each in found):
        raise ParameterError(f"{name} takes a text or several.", f"Give {name}=[...] with a text for each.")
    return found


def require_callable(release: Any) -> str:
    """Return what a release is called in a report; refuse what cannot be called with an input and give its answer."""
    function = release
    while isinstance(function, partial):
        function = function.func
    if not callable(function):
        raise ParameterError(
            f"an audit takes a function, and this is of type {type(release).__name__}.",
            "Give the function first, then the two inputs.",
        )
    if inspect.iscoroutinefunction(inspect.unwrap(function)) or inspect.isasyncgenfunction(function):
        raise ParameterError(
            "this function is a coroutine: calling it runs nothing.",
            "Give a function that runs it: lambda rows: asyncio.run(release(rows)).",
        )
    name = getattr(function, "__name__", type(function).__name__)
    return "a lambda" if name == "<lambda>" else name


# The report


class AuditFailure(AssertionError):
    """A release that an audit or a count refuted; `report` has the evidence."""

    def __init__(self, report: Any) -> None:
        self.report = report
        super().__init__(str(report))


AuditFailure.__module__ = "snapdp.lab.testing"  # as it is imported, and short in the summary of a test run


class Report(Value):
    """What an audit or a count says of a release."""

    name: str

    @property
    def is_refuted(self) -> bool:
        """Whether the release is refuted."""
        raise NotImplementedError

    def check(self) -> Self:
        """Return the report if the release was not refuted, and fail as a test does otherwise."""
        __tracebackhide__ = True
        if self.is_refuted:
            raise AuditFailure(self)
        return self

    def __bool__(self) -> bool:
        raise TypeError("whether a report is true could mean both: ask .is_refuted, or call .check()")


class AuditReport(Report):
    """What an audit found: `violations` refute the release, `allowed` were expected, `notes` say what was not judged.

    An empty report is not a proof: nothing was found, with these two inputs, in so many replays.
    """

    replays: int
    violations: tuple[Violation, ...]
    allowed: tuple[Violation, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_refuted(self) -> bool:
        """Whether anything was found that was not allowed."""
        return self.violations != ()

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of what was found."""
        return frozenset(each.kind for each in self.violations)

    def __str__(self) -> str:
        count = len(self.violations)
        kinds = f"{', '.join(sorted(self.kinds))}: " if count else ""
        many = f"{count} violation{'s' if count > 1 else ''}" if count else "nothing was found"
        lines = [fill(f"{kinds}{self.name}: {many} in {self.replays:,} replays of two neighbouring inputs", WIDTH)]
        fill_part = partial(fill, width=WIDTH, subsequent_indent="  ")
        for violation in self.violations:
            place = f" ({violation.where})" if violation.where else ""
            lines.append(fill_part(f"{violation.kind}: {violation.sentence}{place}", break_long_words=False))
            lines.append(fill_part(violation.advice, initial_indent="  -> ", subsequent_indent="     "))
        lines += [fill_part(f"allowed: {violation.kind}: {violation.sentence}") for violation in self.allowed]
        return "\n".join([*lines, *(fill_part(f"note: {note}") for note in self.notes)])


# Neighbours made by hypothesis, which is imported where it is used: an audit does not need it


def neighbouring_lists(
    rows: SearchStrategy[Any], *, relation: str, min_size: int = 1, max_size: int = 8
) -> SearchStrategy[tuple[list[Any], list[Any]]]:
    """Return a strategy of pairs of lists: one row has another value ("change-one") or is missing ("add-remove")."""
    from hypothesis import strategies as st

    if relation not in RELATIONS:
        raise ParameterError(f"relation = {relation!r} is none of {', '.join(RELATIONS)}.", "Say who is a neighbour.")

    @st.composite
    def pairs(draw: Callable[[Any], Any]) -> tuple[list[Any], list[Any]]:
        first = draw(st.lists(rows, min_size=max(1, min_size), max_size=max_size))
        place = draw(st.integers(0, len(first) - 1))
        other = [draw(rows)] if relation == "change-one" else []
        return first, [*first[:place], *other, *first[place + 1 :]]

    return pairs()


def audit_neighbours(
    release: Release, pairs: SearchStrategy[tuple[Any, Any]], *, examples: int = 20, **claims: Any
) -> AuditReport:
    """Audit a release with neighbours that a strategy makes; return the report of the simplest pair that refutes it.

    Where no pair does, the report of the last one is returned. `claims` are the keywords of `audit`.
    """
    from hypothesis import HealthCheck, given, settings

    reports: list[AuditReport] = []

    @settings(
        max_examples=examples,
        database=None,
        derandomize=True,
        deadline=None,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(pairs)
    def refutes(pair: tuple[Any, Any]) -> None:
        if are_equal(*pair):
            return  # a row that was changed into itself
        reports.append(audit(release, *pair, **claims))
        reports[-1].check()

    try:
        refutes()
    except AssertionError:
        return reports[-1]
    if not reports:
        raise ParameterError("the strategy made no two inputs that differ.", "Let rows have several values.")
    return reports[-1]
