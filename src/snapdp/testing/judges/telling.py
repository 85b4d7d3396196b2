"""What tells the inputs apart without doubt: it is one thing for the one in all replays, another for the other.

Room: testing. Theory: docs/theory/replay-audit.md, (1)-(2).
Facts, texts, numbers without noise, exceptions, draws and lines are judged alike. What varies with the noise may be
made of the noisy numbers: facts.py and events.py judge how often it is what it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from snapdp.testing.frozen.noise import place
from snapdp.testing.leaves import Leaf
from snapdp.testing.observation import RETURNED, Observation
from snapdp.testing.replays import Replays
from snapdp.testing.violations import Violation

KIND_OF = {"output": "metadata", "released": "metadata", "exception": "exception", "warning": "warning"}
WHAT = {"stdout": "what is printed", "stderr": "what is printed to stderr", "log": "what is logged"}


def separated(first: Sequence[Any], second: Sequence[Any]) -> bool:
    """Say whether all of the one are one thing, and all of the other another."""
    return len({*first}) == len({*second}) == 1 and first[0] != second[0]


def bits(leaf: Leaf | None) -> tuple[str, str] | None:
    """Return a leaf so that two are the same iff they look the same: -0.0 is not 0.0, 1 not 1.0, NaN is itself."""
    return None if leaf is None else (type(leaf.value).__name__, repr(leaf.value))


def series(runs: Sequence[Observation], path: str) -> list[tuple[str, str] | None]:
    """Return what a path was in each run; None where it was not there."""
    return [bits(run.leaves.get(path)) for run in runs]


def told_apart(replays: Replays) -> Iterator[Violation]:
    """Yield what tells the inputs apart: how runs ended, what was drawn, which lines ran, and every leaf."""
    yield from _draws(replays)
    yield from _lines(replays)
    if separated([run.ended for run in replays.first], [run.ended for run in replays.second]):
        yield _ended(replays)
        return
    yield from _leaves(replays)


def separated_numbers(replays: Replays) -> set[str]:
    """Return the paths of numbers that show no noise and tell the inputs apart."""
    runs, others = replays.first, replays.second
    return {path for path in _paths(replays) if separated(series(runs, path), series(others, path))}


def _paths(replays: Replays) -> dict[str, None]:
    return dict.fromkeys(path for run in replays.all for path in run.leaves)


def _ended(replays: Replays) -> Violation:
    ends = [run.ended for run in (replays.first[0], replays.second[0])]
    where = replays.first[0].where or replays.second[0].where
    if RETURNED in ends:
        other = next(each for each in ends if each != RETURNED)
        sentence = f"{other} is raised for one of the two inputs, and the other gets an answer"
    else:
        sentence = f"{ends[0]} is raised for the one input, {ends[1]} for the other"
    return Violation(kind="exception", sentence=sentence, where=where, evidence=(("replays", str(replays.count)),))


def _draws(replays: Replays) -> Iterator[Violation]:
    pairs = list(zip(replays.first, replays.second, strict=True))
    if not all(run.has_returned for pair in pairs for run in pair):
        return  # an exception, or a limit, ends the draws too
    one, other = pairs[0]
    if _asked_apart(replays):
        counts = tuple(sum(size for _, size in run.asked) for run in (one, other))
        told = "another number of draws" if counts[0] != counts[1] else "other kinds of draws"
        place_of = next((a.where for a, b in zip(one.draws, other.draws, strict=False) if a[:2] != b[:2]), None)
        longer = max(one.draws, other.draws, key=len)
        where = place_of or longer[min(len(one.draws), len(other.draws))].where
        evidence = (("draws", f"{counts[0]:,} and {counts[1]:,}"), ("replays", str(replays.count)))
        yield Violation(
            kind="draws",
            sentence=f"the two inputs ask for {told} in each replay: {counts[0]:,} and {counts[1]:,}",
            where=where,
            evidence=evidence,
        )
    seeds = [[[each[:2] for each in run.seeds] for run in runs] for runs in (replays.first, replays.second)]
    if all(each == seeds[0][0] for each in seeds[0]) and seeds[0][0] not in seeds[1]:
        where = next((each[2] for run in (one, other) for each in run.seeds), "")
        yield Violation(kind="draws", sentence="a generator is seeded differently for the two inputs", where=where)


def _asked_apart(replays: Replays) -> bool:
    """Say whether every pair is told apart by one event on the draws that the first pair chose (theory (2)).

    The draws are some that x asked for in its first run or in the runs that choose; or they are more, or fewer, than
    half-way between those of the first pair. As many draws as a noisy number says are neither.
    """
    seen = {run.asked for run in (replays.first[0], *replays.choosing)}
    if all(run.asked in seen for run in replays.first) and all(run.asked not in seen for run in replays.second):
        return True
    counts = [[sum(size for _, size in run.asked) for run in runs] for runs in (replays.first, replays.second)]
    fewer, more = sorted(counts, key=lambda each: each[0])
    twice_half_way = fewer[0] + more[0]
    return all(2 * count < twice_half_way for count in fewer) and all(2 * count > twice_half_way for count in more)


def _lines(replays: Replays) -> Iterator[Violation]:
    if any(run.ended != RETURNED for run in replays.all):
        return
    always = [frozenset.intersection(*(run.steps for run in runs)) for runs in (replays.first, replays.second)]
    ever = [frozenset[Any]().union(*(run.steps for run in runs)) for runs in (replays.first, replays.second)]
    told = sorted((file, line, before) for file, before, line in (always[0] - ever[1]) | (always[1] - ever[0]))
    if told:
        file, line, _ = told[0]
        lines = len({(file, line) for file, line, _ in told})
        yield Violation(
            kind="branches",
            sentence=f"line {line} is come to in another way for the one input than for the other, in every replay",
            where=place(file, line),
            evidence=(("lines", str(lines)), ("replays", str(replays.count))),
        )


def _leaves(replays: Replays) -> Iterator[Violation]:
    told: list[str] = []
    for path in sorted(_paths(replays), key=len):
        if any(path.startswith(parent) for parent in told):
            continue
        if separated(series(replays.first, path), series(replays.second, path)):
            told.append(path)
            if path.startswith("released"):
                continue  # the same is told of the output
            yield _told(replays, path)


def _told(replays: Replays, path: str) -> Violation:
    source = path.split("[")[0].split(".")[0].split("<")[0]
    ends = [
        next((run.leaves[path] for run in runs if path in run.leaves), None) for runs in (replays.first, replays.second)
    ]
    sorts = {leaf.sort for leaf in ends if leaf is not None}
    runs = [next((run for run in runs if path in run.leaves), None) for runs in (replays.first, replays.second)]
    where = next((run.places.get(path.split("<")[0], "") or run.where for run in runs if run is not None), "")
    evidence = (("path", path), ("replays", str(replays.count)))
    if source in WHAT:
        said = f"{WHAT[source]} differs for the two inputs"
        return Violation(kind="written", sentence=f"{said}, in every replay", where=where, evidence=evidence)
    if source == "warning":
        said = "is given for one input only" if None in ends else "has another text for each input"
        return Violation(kind="warning", sentence=f"a warning {said}, in every replay", where=where, evidence=evidence)
    if source == "exception":
        sentence = "the text of an exception differs for the two inputs"
        return Violation(kind="exception", sentence=sentence, where=where, evidence=evidence)
    if "fact" in sorts:
        sentence = f"{path} differs beyond the released numbers: its form, keys, order, type or text"
        return Violation(kind="metadata", sentence=f"{sentence}, in every replay", evidence=evidence)
    return _number(replays, path, evidence)


def _number(replays: Replays, path: str, evidence: tuple[tuple[str, str], ...]) -> Violation:
    """Return what is said of a number without noise: the release itself, or a field beside it."""
    others = [each for each in replays.first[0].released if each != path and not each.startswith("released")]
    noisy = any(len({*series(replays.first, each)}) > 1 for each in others)
    if noisy or path not in replays.first[0].released:
        sentence = f"the number {path} has no noise, and differs for the two inputs"
        return Violation(kind="metadata", sentence=sentence, evidence=evidence)
    drawn = "though noise is drawn" if replays.first[0].draws else "and no noise is drawn"
    sentence = f"{path} is the same in all {replays.count} replays of one input, {drawn}, and another for the other"
    return Violation(kind="no-noise", sentence=sentence, evidence=evidence)
