"""What an audit found, as values: violations, the report of all of them, and the failure of a test.

Room: testing. A violation says what was seen, where, and counts and distances as evidence. It repeats no cell and
no text of an input or an output, and a key only where both outputs have it: a test's are made up, the next may not be.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from textwrap import fill
from typing import Any

from snapdp.testing.kinds import KINDS
from snapdp.values import Value

WIDTH = 78
NOT_JUDGED = "HOW WIDE THE NOISE IS WAS NOT JUDGED, and nothing else was found,"


class Violation(Value):
    """One way in which a release told its two inputs apart, or broke what is claimed of it.

    kind       one of `snapdp.testing.KINDS`
    sentence   what was seen
    where      the file and line that did it, as far as known: "release.py:12"
    evidence   numbers that show it: names and counts, distances or scales, as they are printed
    """

    kind: str
    sentence: str
    where: str = ""
    evidence: tuple[tuple[str, str], ...] = ()

    @property
    def advice(self) -> str:
        """What this kind means, and what to do."""
        return KINDS[self.kind]

    def __str__(self) -> str:
        place = f" ({self.where})" if self.where else ""
        lines = fill(f"{self.kind}: {self.sentence}{place}", WIDTH, subsequent_indent="  ", break_long_words=False)
        return f"{lines}\n{fill(self.advice, WIDTH, initial_indent='  -> ', subsequent_indent='     ')}"


class RaisedError:
    """An exception of the release. What represents a report does not repeat its text."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __repr__(self) -> str:
        return type(self.error).__name__


class AuditFailure(AssertionError):
    """A release that an audit refuted; `report` has the violations."""

    def __init__(self, report: AuditReport) -> None:
        self.report = report
        super().__init__(str(report))


AuditFailure.__module__ = "snapdp.testing"  # as it is imported, and short in the summary of a test run


class AuditReport(Value):
    """What an audit found: `violations` refute the release, `allowed` were expected, `notes` say what was not seen.

    An empty report is no proof: nothing was found, with these two inputs, in so many replays.

    width_is_judged   whether anything was concluded about how wide the noise is
    cause             what the release raised, where it did so for both inputs alike
    """

    name: str
    replays: int
    violations: tuple[Violation, ...]
    allowed: tuple[Violation, ...] = ()
    notes: tuple[str, ...] = ()
    width_is_judged: bool = True
    cause: RaisedError | None = None

    @property
    def is_refuted(self) -> bool:
        """Whether anything was found that was not allowed."""
        return bool(self.violations)

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of what was found."""
        return frozenset(each.kind for each in self.violations)

    def check(self) -> AuditReport:
        """Return the report if nothing was found, and fail as a test does otherwise."""
        __tracebackhide__ = True
        if self.violations:
            raise AuditFailure(self) from (self.cause.error if self.cause else None)
        return self

    def __bool__(self) -> bool:
        raise TypeError("whether a report is true could mean both: ask .is_refuted, or call .check()")

    def __str__(self) -> str:
        found = len(self.violations)
        nothing = "nothing was found" if self.width_is_judged else NOT_JUDGED
        many = {0: nothing, 1: "1 violation"}.get(found, f"{found} violations")
        kinds = f"{', '.join(sorted(self.kinds))}: " if found else ""
        told = [fill(f"{kinds}{self.name}: {many} in {self.replays:,} replays of two neighbouring inputs", WIDTH)]
        told += [str(each) for each in self.violations]
        told += [fill(f"allowed: {each.kind}: {each.sentence}", WIDTH, subsequent_indent="  ") for each in self.allowed]
        told += [fill(f"note: {each}", WIDTH, subsequent_indent="  ") for each in self.notes]
        return "\n".join(told)

    def to_json(self) -> str:
        """Return the report as JSON, with the fields of this class and `refuted`."""
        values = {
            "name": self.name,
            "refuted": self.is_refuted,
            "replays": self.replays,
            "violations": [_values(each) for each in self.violations],
            "allowed": [_values(each) for each in self.allowed],
            "width_is_judged": self.width_is_judged,
            "notes": list(self.notes),
        }
        return json.dumps(values, indent=2, ensure_ascii=False)


def _values(violation: Violation) -> dict[str, Any]:
    return {
        "kind": violation.kind,
        "sentence": violation.sentence,
        "where": violation.where or None,
        "evidence": dict(violation.evidence),
    }


def one_of_each(found: Iterable[Violation]) -> tuple[Violation, ...]:
    """Return violations without those that say the same of the same place: the first of a kind and a place stays."""
    kept: dict[tuple[str, str, str], Violation] = {}
    for each in found:
        kept.setdefault((each.kind, each.where, each.sentence), each)
    return tuple(kept.values())
