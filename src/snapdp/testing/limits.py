"""How much an audit may do: pairs of runs, draws and seconds of a call, seconds of all calls.

Room: testing.
"""

from __future__ import annotations

from typing import TypedDict

from snapdp.errors import ParameterError
from snapdp.exact import positive
from snapdp.values import Value

WITHOUT_CLAIM = 32
FEWEST = 32
MOST = 700  # enough for epsilon up to 3.5


class LimitWords(TypedDict, total=False):
    """The limits that an audit takes by name; those of `Limits`."""

    replays: int | None
    draws: int
    seconds: float
    whole_seconds: float


class Limits(Value):
    """Limits of an audit, or a refusal of what is none.

    replays         how many pairs of runs; None: as many as the claimed epsilon needs
    draws, seconds  of one call; seconds pass on the clock at the wall, whether or not the call works meanwhile
    whole_seconds   of all calls, on the same clock
    """

    replays: int | None = None
    draws: int = 1_000_000
    seconds: float = 30.0
    whole_seconds: float = 300.0

    def _check(self) -> None:
        for name, times in (("replays", self.replays), ("draws", self.draws)):
            if times is not None and (isinstance(times, bool) or not isinstance(times, int) or times < 1):
                raise ParameterError(
                    f"{name} = {times!r} is no number of times.", f"Give {name} >= 1, or leave it out."
                )
        positive(self.seconds, name="seconds")
        positive(self.whole_seconds, name="whole_seconds")

    def pairs(self, needed: int) -> int:
        """Return how many pairs of runs there are at most; needed is 1 where no epsilon is claimed."""
        usual = WITHOUT_CLAIM if needed == 1 else min(max(needed, FEWEST), MOST)
        return self.replays or usual


def limits_of(given: LimitWords) -> Limits:
    """Return the limits that were given by name to an audit."""
    if unknown := sorted(given.keys() - LimitWords.__annotations__.keys()):
        raise TypeError(f"audit() got an unexpected keyword argument {unknown[0]!r}")
    return Limits(**given)
