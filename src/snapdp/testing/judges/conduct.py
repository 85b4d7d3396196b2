"""How a release behaves, whatever its numbers are: that it ends, keeps nothing, changes nothing, and draws afresh.

Room: testing.
"""

from __future__ import annotations

from collections.abc import Iterator

from snapdp.testing.judges.telling import bits, separated
from snapdp.testing.observation import RETURNED, Observation
from snapdp.testing.replays import Replays
from snapdp.testing.violations import Violation


def misconduct(replays: Replays) -> Iterator[Violation]:
    """Yield limits that were reached, what both inputs fail with, state, seeds, threads and changed inputs."""
    yield from _unfinished(replays)
    yield from _kept_state(replays)
    yield from _fixed_seeds(replays)
    runs = [*replays.all, replays.cold]
    if any(run.in_threads for run in runs):
        yield Violation(kind="threads", sentence="noise is drawn, or work goes on, in a thread beside the call")
    if any(run.input_changed for run in runs):
        yield Violation(kind="input-changed", sentence="the input is not as it was before the call")


def _unfinished(replays: Replays) -> Iterator[Violation]:
    reached = [run for run in (replays.cold, *replays.all) if run.limit]
    if reached:
        yield Violation(kind="limit", sentence=f"the call was stopped: {reached[0].limit}", where=reached[0].where)
        return
    failed = [run for run in replays.all if run.ended != RETURNED]
    if len(failed) == 2 * replays.count and len({run.ended for run in failed}) == 1:
        sentence = f"{failed[0].ended} is raised for both inputs, always: no output was audited"
        kind = "unaudited" if fails_alike(replays) else "exception"
        yield Violation(kind=kind, sentence=sentence, where=failed[0].where)
    elif failed and not drawn(replays) and not _ended_apart(replays):
        sentence = f"{failed[0].ended} is raised in {len(failed):,} of {2 * replays.count:,} runs"
        yield Violation(kind="exception", sentence=sentence, where=failed[0].where)


def drawn(replays: Replays) -> bool:
    """Say whether any noise was drawn."""
    return any(run.draws for run in replays.all)


def _ended_apart(replays: Replays) -> bool:
    return separated([run.ended for run in replays.first], [run.ended for run in replays.second])


def now_and_then_raised(replays: Replays) -> Iterator[str]:
    """Yield that an exception varies with the noise: a noisy threshold may raise it, which is post-processing."""
    failed = [run for run in replays.all if run.ended != RETURNED and not run.limit]
    if drawn(replays) and failed and len({run.ended for run in replays.all}) > 1 and not _ended_apart(replays):
        yield (
            f"{failed[0].ended} is raised in {len(failed):,} of {2 * replays.count:,} runs, as the noise will have it: "
            "whether it tells the inputs apart was not judged, nor were numbers that it left out"
        )


def fails_alike(replays: Replays) -> bool:
    """Say whether every run raises the same, with the same text: then it does not depend on the data."""
    shown = {(run.ended, tuple(map(bits, run.leaves.values()))) for run in replays.all}
    return len(shown) == 1 and replays.first[0].problem is not None


def _kept_state(replays: Replays) -> Iterator[Violation]:
    first, again = replays.first[0], replays.again
    said = None
    if _looks(first) != _looks(again) or _drew(first) != _drew(again):
        said = "the same input and the same noise gave another answer when they were asked again"
    elif not replays.warmed and (_looks(replays.cold) != _looks(first) or _drew(replays.cold) != _drew(first)):
        said = "the first call of all gave another answer than the second, with the same input and the same noise"
    if said is None or first.limit or again.limit:
        return
    varies = len({_looks(run) for run in replays.first}) > 1
    if not drawn(replays) and varies:
        sentence = "outputs vary although no noise was drawn that an audit knows, or something is kept between calls"
        yield Violation(kind="unknown-noise", sentence=sentence)
    else:
        yield Violation(kind="state", sentence=said)


def _looks(run: Observation) -> tuple[object, ...]:
    """Return what a caller sees; texts of exceptions change with how deep the call was."""
    return (run.ended, *((path, bits(leaf)) for path, leaf in run.leaves.items() if run.has_returned))


def _drew(run: Observation) -> tuple[object, ...]:
    """Return what was drawn; of bytes, whether there were any: names of files are drawn as the clock will have it."""
    return (bool(run.asked), *(each for each in run.asked if each[0] != "bytes"))


def _fixed_seeds(replays: Replays) -> Iterator[Violation]:
    """Yield seeds that are the same in replays whose fresh bits differ."""
    if replays.count < 2:
        return
    for one, other in zip(replays.first[0].seeds, replays.first[1].seeds, strict=False):
        if one[:2] == other[:2]:
            yield Violation(
                kind="fixed-seed", sentence="a generator is seeded with the same number in every call", where=one[2]
            )
