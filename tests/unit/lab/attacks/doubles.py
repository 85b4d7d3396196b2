"""Noise in doubles that a name decides, and its rounding to a grid: for attacks that need no mechanism of ours."""

from __future__ import annotations

import math
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
