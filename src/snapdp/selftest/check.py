"""What a check is: a name, what is compared with what, and a function that compares and counts.

Room: selftest. All inputs are made up here, so a difference is told in full. Whatever a check draws for itself comes
from one printed seed: the same seed compares the same things again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from snapdp.values import Value

BROKE = "it broke"  # how the sentence begins where a check has broken
MOST_TOLD = 3  # differences that are told one by one; the others are counted


class Effort(Value):
    """How much is compared, and the seed that chooses it."""

    seed: int
    quick: bool = False

    def dice(self, *about: object) -> Random:
        """Return numbers that seed and names decide. They choose what is compared; nothing is released with them."""
        return Random(" ".join(map(str, (self.seed, *about))))

    def size(self, whole: int, quick: int) -> int:
        return quick if self.quick else whole


class Checked(Value):
    """What a check has found: how many comparisons, sentences about differences, and why it was not made."""

    comparisons: int = 0
    differences: tuple[str, ...] = ()
    absent: str = ""

    @property
    def verdict(self) -> str:
        """Return "same", "DIFFERENT" or "absent"."""
        if self.absent:
            return "absent"
        return "DIFFERENT" if self.differences or not self.comparisons else "same"

    @property
    def broke(self) -> bool:
        """Tell whether the check itself broke, so that it compared nothing, or not all."""
        return any(each.startswith(BROKE) for each in self.differences)


class Check(Value):
    """One check; `about` says what is compared with what."""

    name: str
    about: str
    run: Callable[[Effort], Checked]


class Comparison:
    """Counts comparisons and keeps what differs."""

    def __init__(self) -> None:
        self._count = self._different = 0
        self._told: list[str] = []

    def same(self, found: object, expected: object, *about: object) -> None:
        """Compare one answer; `about` are the words that tell which it was."""
        self.holds(found == expected, *about, f"{found!r}, should be {expected!r}")

    def holds(self, is_so: bool, *about: object) -> None:
        """Note whether a statement is true; `about` are the words that tell what is not."""
        self._count += 1
        if not is_so:
            self._different += 1
            if len(self._told) < MOST_TOLD:
                self._told.append(" ".join(map(str, about)))

    def all_same(self, found: Sequence[Any], expected: Sequence[Any], about: Callable[[int], str]) -> None:
        """Compare answers one by one; `about` tells which one it was, by its place."""
        self.holds(len(found) == len(expected), f"{len(found)} answers, should be {len(expected)}")
        for place, (one, other) in enumerate(zip(found, expected, strict=False)):
            if one == other:
                self._count += 1
            else:
                self.same(one, other, about(place))

    def checked(self) -> Checked:
        more = self._different - len(self._told)
        told = [*self._told, *([f"and {more:,} more"] if more else [])]
        return Checked(comparisons=self._count, differences=tuple(told))
