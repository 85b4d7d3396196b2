"""python-dp: the Laplace mechanism of Google's C++ library, one value at a time; same purpose, no snapping."""

from __future__ import annotations

from pydp.algorithms.numerical_mechanisms import LaplaceMechanism
from pydp.distributions import LaplaceDistribution

from case import EPSILON, SCALAR_FLOAT, SCALAR_INT, SENSITIVITY, Case, Step, calls

CALLS = 2_000


def add_noise(value: float) -> Step:
    """The mechanism, on a float or an integer."""
    mechanism = LaplaceMechanism(epsilon=EPSILON, sensitivity=SENSITIVITY)
    return calls(lambda: mechanism.add_noise(value), CALLS)


def sample() -> Step:
    """The noise distribution alone."""
    distribution = LaplaceDistribution(epsilon=EPSILON, sensitivity=SENSITIVITY)
    return calls(distribution.sample, CALLS)


CASES = [
    Case("python-dp Laplace float", "scalar", CALLS, lambda: add_noise(SCALAR_FLOAT)),
    Case("python-dp Laplace int", "scalar", CALLS, lambda: add_noise(SCALAR_INT)),
    Case("python-dp Laplace noise alone", "scalar", CALLS, sample),
]
