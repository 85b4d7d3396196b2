"""Our releases of one number, as a user calls them, beside those of others; tables are in `attacks/statistics.py`.

Everything goes through what a user calls.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from snapdp.api.snapping import Snapping
from snapdp.lab.attacks import peers
from snapdp.lab.attacks.attack import Distinguisher, OfNumber, Run, one_by_one

LARGEST = 1000  # end of the public range of a number
IN_ARRAY = 100


def number(*, epsilon: Fraction, sensitivity: int = 1, grid: int | None = None) -> OfNumber:
    """Return the release of one number between 0 and 1,000."""
    return Snapping(epsilon=epsilon, sensitivity=sensitivity, lower=0, upper=LARGEST, grid=grid).release


def number_in_arrays(*, epsilon: Fraction) -> OfNumber:
    """Return the same, taken from arrays of a hundred equal numbers: other code draws them."""
    release = Snapping(epsilon=epsilon, sensitivity=1, lower=0, upper=LARGEST).release
    waiting: dict[str, list[float]] = {}

    def one(value: float) -> float:
        import numpy as np

        drawn = waiting.setdefault(repr(value), [])  # by its spelling: -0.0 is not 0.0
        if not drawn:
            drawn += release(np.full(IN_ARRAY, value)).tolist()
        return drawn.pop()

    return one


def against_numbers(
    distinguisher: Distinguisher,
    of_textbook: Callable[[Any, float], OfNumber],
    *,
    grid: int | None = None,
    with_peers: bool = False,
) -> dict[str, Run]:
    """Return the runs against releases of one number of sensitivity 1: of the textbook, ours, and those of peers."""
    epsilon = distinguisher.claimed
    of_peers: dict[str, Callable[[Fraction], OfNumber]] = {
        "diffprivlib": peers.diffprivlib_laplace,
        "opendp": peers.opendp_laplace,
        "python_dp": peers.python_dp_laplace,
    }
    return distinguisher.against(
        numpy=lambda trials: one_by_one(of_textbook(trials.generator(), float(1 / epsilon))),
        snapdp=lambda _: one_by_one(number(epsilon=epsilon, grid=grid)),
        **{name: lambda _, make=make: one_by_one(make(epsilon)) for name, make in of_peers.items() if with_peers},
    )
