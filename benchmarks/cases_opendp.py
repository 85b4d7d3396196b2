"""OpenDP: discrete Laplace noise on a grid of floats or on integers. Same purpose as snapping, other mechanism.

Vectors go in as numpy arrays, the cheapest input OpenDP takes; they come back as lists.
"""

from __future__ import annotations

import numpy as np
import opendp.prelude as dp
from numpy.typing import NDArray

from case import LOWER, NOISE_SCALE, SCALAR_FLOAT, SCALAR_INT, SEED, UPPER, Case, Step, calls

VECTOR_VALUES = 10_000
SCALAR_CALLS = 50
COARSE_GRID_EXPONENT = -20

dp.enable_features("contrib")


def inputs() -> NDArray[np.float64]:
    """Return values between the bounds."""
    return np.random.default_rng(SEED).uniform(LOWER, UPPER, VECTOR_VALUES)


def float_vector() -> Step:
    """The default grid, as fine as floats allow."""
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    release, values = dp.m.make_laplace(domain, dp.l1_distance(T=float), scale=NOISE_SCALE), inputs()
    return lambda: release(values)


def coarse_float_vector() -> Step:
    """A coarser grid, which needs the size of the vector to be known."""
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=VECTOR_VALUES)
    metric, values = dp.l1_distance(T=float), inputs()
    release = dp.m.make_laplace(domain, metric, scale=NOISE_SCALE, k=COARSE_GRID_EXPONENT)
    return lambda: release(values)


def int_vector() -> Step:
    """Integers; OpenDP's default integer has 32 bits."""
    domain = dp.vector_domain(dp.atom_domain(T=int))
    release = dp.m.make_laplace(domain, dp.l1_distance(T=int), scale=NOISE_SCALE)
    values = inputs().astype(np.int32)
    return lambda: release(values)


def float_scalar() -> Step:
    """One float at a time."""
    domain, metric = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    release = dp.m.make_laplace(domain, metric, scale=NOISE_SCALE)
    return calls(lambda: release(SCALAR_FLOAT), SCALAR_CALLS)


def int_scalar() -> Step:
    """One integer at a time."""
    domain, metric = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    release = dp.m.make_laplace(domain, metric, scale=NOISE_SCALE)
    return calls(lambda: release(SCALAR_INT), SCALAR_CALLS)


CASES = [
    Case("OpenDP float vector, default grid", "vector", VECTOR_VALUES, float_vector),
    Case("OpenDP float vector, grid 2^-20, size known", "vector", VECTOR_VALUES, coarse_float_vector),
    Case("OpenDP int vector", "vector", VECTOR_VALUES, int_vector),
    Case("OpenDP scalar float", "scalar", SCALAR_CALLS, float_scalar),
    Case("OpenDP scalar int", "scalar", SCALAR_CALLS, int_scalar),
]
