"""Words, keys, truth values, bytes and printed lines that vary with the noise: how often they are what they are.

Room: testing. Theory: docs/theory/replay-audit.md, (10), (11) and (13).
A fact is judged as a number is: an event is chosen by the first pair and the runs that choose, and counted in the other
pairs. What no event refutes is named in one note: a little too sharp is not seen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from snapdp.testing.claims import Claims
from snapdp.testing.judges.events import Counted, Separation, separated_by, sided, told_by_counts
from snapdp.testing.judges.telling import KIND_OF, bits, series
from snapdp.testing.judges.varying import NAMES, named, source_of
from snapdp.testing.leaves import Leaf
from snapdp.testing.replays import Replays
from snapdp.testing.violations import Violation
from snapdp.values import Value

MOST_FACTS = 300  # of one output
MOST_WRITTEN = 8  # numbers within one fact
LONGEST_READ = 2_000  # characters of a fact in which numbers are looked for
WRITTEN = re.compile(r"-?[0-9]{1,300}(?:\.[0-9]{1,300})?")


class JudgedFacts(Value):
    """What is said of the facts that vary: violations, and the note that names the rest."""

    violations: tuple[Violation, ...] = ()
    notes: tuple[str, ...] = ()


def judged_facts(replays: Replays, claims: Claims, paths: Sequence[str]) -> JudgedFacts:
    """Judge facts that vary by events, where there are runs that choose them; name those that are not refuted."""
    found: dict[str, Violation] = {}
    for path in paths[:MOST_FACTS] if replays.choosing else ():
        told = _told(replays, claims, path)
        if told is not None:
            found[path] = _violation(path, told)
    rest = [path for path in paths if path not in found]
    return JudgedFacts(violations=tuple(found.values()), notes=tuple(_note(rest)))


def _note(rest: Sequence[str]) -> Iterator[str]:
    if rest:
        yield (
            "varies with the noise and is not always a number; told apart only if (almost) always, or with more "
            f"replays: {named(rest)}"
        )


def _violation(path: str, told: Separation | Counted) -> Violation:
    kind = KIND_OF.get(source_of(path), "written")
    what = NAMES.get(source_of(path), path)
    return Violation(
        kind=kind,
        sentence=f"{what} varies with the noise, and still tells the two inputs apart: an event holds in {told}",
        evidence=(("path", path), ("separated", str(told))),
    )


def _told(replays: Replays, claims: Claims, path: str) -> Separation | Counted | None:
    """Return what refutes the claim: one value, one of several, or the numbers that are written in the fact."""
    first, second = series(replays.first, path), series(replays.second, path)
    chosen = [*series(replays.choosing, path), first[0]]
    for event in _events(chosen, second[0]):
        if told := refuted_by(first[1:], second[1:], claims, event=event):
            return told
    return _by_what_is_written(replays, claims, path)


def refuted_by(
    first: Sequence[Any], second: Sequence[Any], claims: Claims, *, event: Callable[[Any], bool]
) -> Separation | Counted | None:
    """Say whether an event refutes the claim, pair by pair (theory (10)) or by how often it holds (13)."""
    return separated_by(first, second, claims, event=event) or told_by_counts(first, second, claims, event=event)


def _events(chosen: Sequence[Any], other: Any) -> Iterator[Callable[[Any], bool]]:
    """Yield "the most frequent value of the first input", and "one of its values, but not what the other showed"."""
    usual = Counter(chosen).most_common(1)[0][0]
    several = frozenset(chosen) - {other}
    yield lambda shown: shown == usual
    if several and several != {usual}:
        yield lambda shown: shown in several


def _by_what_is_written(replays: Replays, claims: Claims, path: str) -> Separation | None:
    """Say whether a threshold on a number within the fact tells the inputs apart (theory (11))."""
    first, second, choosing = (
        [_written(run.leaves.get(path)) for run in runs] for runs in (replays.first, replays.second, replays.choosing)
    )
    for place in range(min(len(first[0]), MOST_WRITTEN)):
        one, other, chosen = ([_at(numbers, place) for numbers in runs] for runs in (first, second, choosing))
        told = sided(one, other, [value for value in chosen if value is not None], claims)
        if told is not None:
            return told
    return None


def _at(numbers: Sequence[Fraction], place: int) -> Fraction | None:
    return numbers[place] if place < len(numbers) else None


def _written(leaf: Leaf | None) -> list[Fraction]:
    """Return the numbers in a fact as it is written; of bytes, the bytes.

    >>> _written(Leaf("output", "fact", "x12y3.5"))
    [Fraction(12, 1), Fraction(7, 2)]
    """
    if leaf is None:
        return []
    value = leaf.value
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], bytes):
        return [Fraction(byte) for byte in value[1][:MOST_WRITTEN]]
    text = (bits(leaf) or ("", ""))[1]
    return [Fraction(each) for each in WRITTEN.findall(text[:LONGEST_READ])]
