"""A process that draws, forks twice, and draws in all three: prints every word and number. Run with -m.

Room: selftest. Sources of bits, what they have handed out, and a mechanism are made, and used, before the fork, as in a
server that forks its workers; all three processes then draw from these same objects. Released numbers have a noise of
2**45 steps of their grid, so that two of them are hardly ever equal by chance. Theory:
docs/theory/second-arithmetic.md, (7), (8).
"""

from __future__ import annotations

import os
from typing import Any

from snapdp import Snapping
from snapdp.selftest.entropy import EACH, Drawers

STEPS = 1 << 45
LONG = 1 << 15  # from so many values on words are taken by halves


def main() -> None:
    made = Drawers(), Snapping(epsilon=1, sensitivity=STEPS, lower=0, upper=STEPS, grid=1)
    drawn(*made)
    for _ in range(2):
        child = os.fork()
        if child == 0:
            tell(drawn(*made))
            os._exit(0)
        os.waitpid(child, 0)
    tell(drawn(*made))


def drawn(drawers: Drawers, mechanism: Snapping) -> list[Any]:
    """Return words of every kind, and numbers that were released one by one, in a short array and in a long one."""
    import numpy as np

    words: list[Any] = [word for kind in drawers.drawn(EACH).values() for word in kind]
    numbers = [mechanism.release(0) for _ in range(EACH)]
    numbers += mechanism.release(np.zeros(40))[:EACH].tolist()
    numbers += mechanism.release(np.zeros(LONG))[:EACH].tolist()
    return words + numbers


def tell(every: list[Any]) -> None:
    os.write(1, (" ".join(map(str, every)) + "\n").encode())


if __name__ == "__main__":
    main()
