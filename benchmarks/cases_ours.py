"""snapdp itself: vectors, scalars, and the sampler without the public interface."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import bare
import snapdp
from case import LOWER, SCALAR_FLOAT, SCALAR_INT, SEED, SENSITIVITY, UPPER, Case, Step, calls

SCALAR_CALLS = 2_000
MILLION = 10**6


def mechanism(grid: str | None = None) -> snapdp.Snapping:
    """Return the mechanism of all cases; no `grid` means snapdp's own choice, the fine one."""
    chosen: dict[str, Any] = {} if grid is None else {"grid": grid}
    return snapdp.Snapping(epsilon="0.5", sensitivity=int(SENSITIVITY), lower=LOWER, upper=UPPER, **chosen)


def inputs(count: int) -> NDArray[np.float64]:
    """Return `count` touched float64 values in [LOWER, UPPER), made without temporaries."""
    values = np.empty(count)
    np.random.default_rng(SEED).random(out=values)
    values *= UPPER - LOWER
    values += LOWER
    return values


def fresh(count: int, grid: str | None = None) -> Step:
    """A release whose result is newly allocated at each call."""
    m, values = mechanism(grid), inputs(count)
    return lambda: m.release(values)


def reused(count: int, grid: str | None = None) -> Step:
    """A release into memory that is touched before and reused."""
    m, values, out = mechanism(grid), inputs(count), np.zeros(count)
    return lambda: m.release(values, out=out)


def integers(count: int) -> Step:
    """A release of int64 input, natural grid."""
    m, values = mechanism("natural"), inputs(count).astype(np.int64)
    return lambda: m.release(values)


def small_vector() -> Step:
    """Vectors of 1,000, twenty to a step."""
    return calls(fresh(1_000, "natural"), 20)


def scalar(value: float) -> Step:
    """Single values through the public interface."""
    m = mechanism()
    return calls(lambda: m.release(value), SCALAR_CALLS)


def bare_vector() -> Step:
    """The vector sampler alone, natural grid."""
    values, out = inputs(MILLION), np.zeros(MILLION)
    draw = bare.bare_vector(mechanism("natural"))
    return lambda: draw(values, out)


def bare_scalar() -> Step:
    """The scalar sampler alone."""
    draw = bare.bare_scalar(mechanism())
    return calls(lambda: draw(SCALAR_FLOAT), SCALAR_CALLS)


CASES = [
    Case("snapdp vector 1e6, natural grid", "vector", MILLION, lambda: fresh(MILLION, "natural")),
    Case("snapdp vector 1e6, fine grid", "vector", MILLION, lambda: fresh(MILLION)),
    Case("snapdp vector 1e6, natural grid, out=", "vector", MILLION, lambda: reused(MILLION, "natural")),
    Case("snapdp vector 1e7, natural grid, out=", "vector", 10 * MILLION, lambda: reused(10 * MILLION, "natural")),
    Case("snapdp vector 1e6, int64 input", "vector", MILLION, lambda: integers(MILLION)),
    Case("snapdp vector 1e3, natural grid", "vector", 20 * 1_000, small_vector),
    Case("snapdp bare sampler, vector 1e6", "vector", MILLION, bare_vector),
    Case("snapdp scalar float", "scalar", SCALAR_CALLS, lambda: scalar(SCALAR_FLOAT)),
    Case("snapdp scalar int", "scalar", SCALAR_CALLS, lambda: scalar(SCALAR_INT)),
    Case("snapdp bare sampler, scalar", "scalar", SCALAR_CALLS, bare_scalar),
]
