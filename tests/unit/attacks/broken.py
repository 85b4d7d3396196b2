"""Mechanisms like ours with one thing done wrong, in doubles, with noise that a name decides."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

GRID = 0.125
SCALE = 2.0


def noise(pick: Random, scale: float = SCALE) -> float:
    """Return Laplace noise by the logarithm of a double: a sign and a uniform of 52 bits."""
    size = scale * math.log((pick.getrandbits(52) + 1) * 2.0**-52)
    return size if pick.getrandbits(1) else -size


def snapped(x: float, grid: float = GRID) -> float:
    """Return the nearest multiple, ties toward +infinity, and one zero: as it should be."""
    return grid * math.floor(x / grid + 0.5)


def without_snapping(pick: Random) -> Callable[[float], float]:
    return lambda value: value + noise(pick)


def that_keeps_negative_zero(pick: Random) -> Callable[[float], float]:
    """Grid steps of value and noise are added as signed doubles."""

    def release(value: float) -> float:
        steps = noise(pick) / GRID
        return (value / GRID + math.copysign(round(steps), steps)) * GRID

    return release


def that_returns_noise(pick: Random) -> Callable[[float], float]:
    """The noise is on the grid, and its user adds it."""
    return lambda value: value + snapped(noise(pick))


def that_truncates(pick: Random) -> Callable[[float], float]:
    """On a grid of 1, what is behind the point of the noise is cut off."""
    return lambda value: value + math.trunc(noise(pick))


def with_ties_to_even(pick: Random) -> Callable[[float], float]:
    """The value is rounded before the noise, and halves go to the even number."""
    return lambda value: round(value) + snapped(noise(pick), 1.0)


def as_it_should_be(pick: Random, grid: float = GRID) -> Callable[[float], float]:
    """The sum is rounded: in doubles, which none of these attacks sees."""
    return lambda value: snapped(value + noise(pick), grid)
