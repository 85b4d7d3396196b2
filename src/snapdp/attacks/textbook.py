"""The usual way of doing it: noise of numpy's generator, in doubles.

Room: attacks. Nobody should release anything by these functions; every attack of the gallery breaks one of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.random import Generator


def laplace(generator: Generator, scale: float) -> Callable[[float], float]:
    """Return the Laplace mechanism of the textbook: a value, plus a draw, in doubles."""
    return lambda value: value + generator.laplace(0.0, scale)


def rounded_laplace(generator: Generator, scale: float) -> Callable[[float], float]:
    """Return whole noise added to a value: private for whole values, were there no sign of zero."""
    import numpy as np

    return lambda value: float(value + np.rint(generator.laplace(0.0, scale)))


def sum_of_rows(generator: Generator, scale: float, bounds: tuple[float, float]) -> Callable[[Sequence[float]], float]:
    """Return the sum of clamped rows, with Laplace noise."""
    import numpy as np

    return lambda rows: float(np.sum(np.clip(rows, *bounds)) + generator.laplace(0.0, scale))


def mean_of_rows(generator: Generator, scale: float, bounds: tuple[float, float]) -> Callable[[Sequence[float]], float]:
    """Return the mean of clamped rows, with Laplace noise."""
    import numpy as np

    return lambda rows: float(np.mean(np.clip(rows, *bounds)) + generator.laplace(0.0, scale))


def by_counting(generator: Generator, scale: float) -> Callable[[float], float]:
    """Return discrete Laplace noise by the definition: coins are thrown until one falls, and the throws are counted."""
    goes_on = math.exp(-1 / scale)

    def release(value: float) -> float:
        while True:
            sign = 1 if generator.random() < 0.5 else -1
            steps = 0
            while generator.random() < goes_on:
                steps += 1
            if steps or sign > 0:  # zero has one sign
                return value + sign * steps

    return release
