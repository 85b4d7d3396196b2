"""The usual way of doing it: noise of numpy's generator, in doubles.

Do not release anything by these functions. Every attack breaks one of them, except the one by an exact law.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from snapdp.lab.attacks.attack import OfNumber, Releases

if TYPE_CHECKING:
    from numpy.random import Generator

OfArray = Callable[[Any], float]


def laplace(generator: Generator, scale: float) -> OfNumber:
    """Return the Laplace mechanism of the textbook: a value, plus a draw, in doubles."""
    return lambda value: value + generator.laplace(0.0, scale)


def noise_on_grid(generator: Generator, scale: float, *, grid: float = 1.0) -> OfNumber:
    """Return noise rounded to a grid and added to a value: private for values on it, were there no sign of zero."""
    import numpy as np

    return lambda value: float(value + grid * np.rint(generator.laplace(0.0, scale) / grid))


def rounded_to_even(generator: Generator, scale: float) -> OfNumber:
    """Return whole noise added to a value that is rounded as Python does, halves to the even number."""
    release = noise_on_grid(generator, scale)
    return lambda value: release(round(value))


def cut_noise(generator: Generator, scale: float) -> OfNumber:
    """Return noise cut to a whole number, and added to a value."""
    return lambda value: value + int(generator.laplace(0.0, scale))


def by_counting(generator: Generator, scale: float) -> OfNumber:
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


def of_rows(generator: Generator, statistic: OfArray, scale: float) -> Releases:
    """Return releases of a statistic of rows: what is computed, plus Laplace noise."""
    import numpy as np

    return lambda rows, times: (statistic(np.array(rows)) + generator.laplace(0.0, scale, times)).tolist()


def computed(name: str, bounds: tuple[float, float] | None = None) -> OfArray:
    """Return what a function of numpy makes of an array, whose cells are clamped to bounds where there are any."""

    def statistic(cells: Any) -> float:
        import numpy as np

        return float(getattr(np, name)(cells if bounds is None else np.clip(cells, *bounds)))

    return statistic


def of_bins(generator: Generator, scale: float) -> Releases:
    """Return releases of the rows in bins: each count, plus Laplace noise."""
    return lambda rows, times: (generator.laplace(0.0, scale, (times, len(rows))) + rows).tolist()
