"""Our releases of one number, as a user calls them, beside those of others; tables are in `attacks/statistics.py`.

Everything goes through the public names of the package.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import snapdp
from snapdp.lab.attacks import peers
from snapdp.lab.attacks.attack import AttackOutcome, Run

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


def runs_against_numbers(
    measure: Callable[[Callable[[float], float], int], AttackOutcome],
    of_textbook: Callable[[Any, float], Callable[[float], float]],
    claimed: Fraction,
) -> dict[str, Run]:
    """Return the runs of an attack against releases of one number, of all targets."""
    return {
        "numpy": lambda trials: measure(of_textbook(trials.generator(), float(1 / claimed)), trials.count),
        "snapdp": lambda trials: measure(number(epsilon=claimed), trials.count),
        "diffprivlib": lambda trials: measure(peers.diffprivlib_laplace(claimed), trials.count),
        "opendp": lambda trials: measure(peers.opendp_laplace(claimed), trials.count),
        "python-dp": lambda trials: measure(peers.python_dp_laplace(claimed), trials.count),
    }
