"""Our releases of one number, as a user calls them; those of a table are in `attacks/statistics.py`.

Everything goes through the public names of the package.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import snapdp

LARGEST = 1000  # end of the public range of a number
IN_ARRAY = 100


def number(*, epsilon: Fraction, sensitivity: int = 1, grid: int | None = None) -> Callable[[float], float]:
    """Return the release of one number between 0 and 1,000."""
    return snapdp.Snapping(epsilon=epsilon, sensitivity=sensitivity, lower=0, upper=LARGEST, grid=grid).release


def number_in_arrays(*, epsilon: Fraction) -> Callable[[float], float]:
    """Return the same, taken from arrays of a hundred equal numbers: other code draws them."""
    release = snapdp.Snapping(epsilon=epsilon, sensitivity=1, lower=0, upper=LARGEST).release
    waiting: dict[str, list[float]] = {}

    def one(value: float) -> float:
        import numpy as np

        drawn = waiting.setdefault(repr(value), [])  # by its spelling: -0.0 is not 0.0
        if not drawn:
            drawn += release(np.full(IN_ARRAY, value)).tolist()
        return drawn.pop()

    return one
