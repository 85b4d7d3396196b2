"""What varies with the noise, field by field: numbers that every run shows, and everything else.

Room: testing. A field is told by its path only where runs of both inputs have it: a key may be data.
"""

from __future__ import annotations

from collections.abc import Sequence

from snapdp.testing.judges.numbers import is_number
from snapdp.testing.judges.telling import WHAT, separated, series
from snapdp.testing.replays import Replays
from snapdp.values import Value

MOST_TOLD = 8  # fields that one note names
NAMES = {**WHAT, "warning": "a warning", "exception": "the text of an exception"}


class Varying(Value):
    """The paths that vary: of numbers that every run has, and of facts and numbers that some runs have."""

    numbers: tuple[str, ...]
    others: tuple[str, ...]


def varying(replays: Replays) -> Varying:
    """Return what varies with the noise and does not tell the inputs apart in every replay, once each."""
    numbers: list[str] = []
    others: list[str] = []
    seen: set[tuple[object, ...]] = set()
    for path in _of_both(replays):
        shown = series(replays.first, path), series(replays.second, path)
        both = (*shown[0], *shown[1])
        if both in seen or len({*both}) == 1 or separated(*shown):
            continue
        seen.add(both)
        leaves = [run.leaves.get(path) for run in replays.all]
        (numbers if all(leaf is not None and is_number(leaf) for leaf in leaves) else others).append(path)
    return Varying(numbers=tuple(numbers), others=tuple(others))


def _of_both(replays: Replays) -> list[str]:
    """Return the paths that runs of both inputs have, and those of printed lines, warnings and exceptions."""
    sides = [dict.fromkeys(path for run in runs for path in run.leaves) for runs in (replays.first, replays.second)]
    return [path for path in sides[0] | sides[1] if source_of(path) in NAMES or (path in sides[0] and path in sides[1])]


def source_of(path: str) -> str:
    """Return where a path begins: "output", "stdout", "warning".

    >>> source_of("stdout[0]<1>"), source_of("output.total")
    ('stdout', 'output')
    """
    return path.split("[")[0].split(".")[0].split("<")[0]


def named(paths: Sequence[str]) -> str:
    """Return how fields are told in a note, folded.

    >>> named(["output['word']", "stdout[0]", "stdout[0]<0>"])
    "output['word'], what is printed"
    """
    names = list(dict.fromkeys(NAMES.get(source_of(path), path) for path in paths))
    more = f" and {len(names) - MOST_TOLD:,} more" if len(names) > MOST_TOLD else ""
    return ", ".join(names[:MOST_TOLD]) + more
