"""Outputs that stand at an end: one that is data tells the input, however wide the noise is.

Room: testing. Theory: docs/theory/replay-audit.md, (10) and (13).
The runs that choose have a least and a greatest output, and a most frequent one. Each that was shown more than once
makes an event, which the pairs count. Ends that differ and refute nothing are told in a note.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from snapdp.testing.claims import Claims
from snapdp.testing.judges.events import MOST_NUMBERS
from snapdp.testing.judges.facts import refuted_by
from snapdp.testing.judges.numbers import finite_values
from snapdp.testing.judges.varying import named
from snapdp.testing.replays import Replays
from snapdp.testing.violations import Violation
from snapdp.values import Value

FEWEST_AT_AN_END = 5  # runs
SHARE_AT_AN_END = Fraction(1, 10)  # of the runs


class JudgedEnds(Value):
    """What is said of ends: violations, and the note of those that differ and refute nothing."""

    violations: tuple[Violation, ...] = ()
    notes: tuple[str, ...] = ()


def judged_ends(replays: Replays, claims: Claims, paths: Sequence[str]) -> JudgedEnds:
    """Judge the ends and the most frequent outputs of numbers that vary."""
    found: dict[str, Violation] = {}
    differ: list[str] = []
    for path in paths[:MOST_NUMBERS]:
        first, second = finite_values(replays.first, path), finite_values(replays.second, path)
        chosen = finite_values(replays.choosing, path)
        for event in _events([*chosen, first[0]]) if chosen else ():
            if told := refuted_by(first[1:], second[1:], claims, event=event):
                evidence = (("path", path), ("separated", str(told)))
                said = f"{path} stands at one value, or stays within an end, too often for one input: in {told}"
                found[path] = Violation(kind="noise-too-small", sentence=said, evidence=evidence)
                break
        if path not in found and _differ(first, second):
            differ.append(path)
    note = (
        f"outputs stand at an end that is another for each input; by how much it tells was not judged: {named(differ)}"
    )
    return JudgedEnds(violations=tuple(found.values()), notes=(note,) if differ else ())


def _events(chosen: Sequence[Fraction]) -> Iterator[Callable[[Fraction], bool]]:
    """Yield "is the most frequent output", "is not beyond the greatest", "is not below the least"; each seen twice."""
    (usual, times), *_ = Counter(chosen).most_common(1)
    least, greatest = min(chosen), max(chosen)
    if times > 1:
        yield lambda output: output == usual
    if chosen.count(greatest) > 1:
        yield lambda output: output <= greatest
    if chosen.count(least) > 1:
        yield lambda output: output >= least


def _differ(first: Sequence[Fraction], second: Sequence[Fraction]) -> bool:
    """Say whether one input has an end at which many of its outputs stand, and the other ends elsewhere."""
    return any(
        end(first) != end(second) and (_is_stood_at(first, end(first)) or _is_stood_at(second, end(second)))
        for end in (_least, _greatest)
    )


def _least(outputs: Sequence[Fraction]) -> Fraction:
    return min(outputs)


def _greatest(outputs: Sequence[Fraction]) -> Fraction:
    return max(outputs)


def _is_stood_at(outputs: Sequence[Fraction], end: Fraction) -> bool:
    """Say whether an end is where outputs pile up: no less often shown than the output next to it."""
    times = outputs.count(end)
    inner = [output for output in outputs if output != end]
    if not inner or times < FEWEST_AT_AN_END or times < SHARE_AT_AN_END * len(outputs):
        return False
    nearest = min(inner, key=lambda output: abs(output - end))
    return times >= inner.count(nearest)
