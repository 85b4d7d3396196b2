"""diffprivlib: its snapping mechanism and its Laplace mechanism; both take one value at a time."""

from __future__ import annotations

from diffprivlib.mechanisms import Laplace, Snapping

from case import EPSILON, LOWER, SCALAR_FLOAT, SENSITIVITY, UPPER, Case, Step, calls

CALLS = 2_000


def snapping() -> Step:
    """The mechanism of the same name. Without the optional crlibm package it uses numpy's logarithm."""
    mechanism = Snapping(epsilon=EPSILON, sensitivity=SENSITIVITY, lower=LOWER, upper=UPPER)
    return calls(lambda: mechanism.randomise(SCALAR_FLOAT), CALLS)


def laplace() -> Step:
    """Laplace noise from several uniforms, without snapping."""
    mechanism = Laplace(epsilon=EPSILON, sensitivity=SENSITIVITY)
    return calls(lambda: mechanism.randomise(SCALAR_FLOAT), CALLS)


CASES = [
    Case("diffprivlib Snapping", "scalar", CALLS, snapping),
    Case("diffprivlib Laplace", "scalar", CALLS, laplace),
]
