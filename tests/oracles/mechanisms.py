"""Mechanisms with awkward constants, for whoever compares two ways of computing the same thing.

Fine and natural grids from 2**-1000 to 2**950, noise far below the grid and of 2**29 steps of it,
clamps within reach of the noise and out of it, ranges of 2**52 steps and away from zero, finite precision on a lattice
and off it, values quantised by steps that no double can say. The tests of the same bits take them from here.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from snapdp.mechanism.finite_precision import explicit_parameters, finite_parameters
from snapdp.mechanism.parameters import DataUnits, FinitePrecision, Precision, SnappingParameters, exact_parameters
from snapdp.values import replaced


def exact(
    epsilon: Any, sensitivity: Any, lower: Any, upper: Any, grid: Any = "fine", clamp: Any = "wide"
) -> SnappingParameters:
    return exact_parameters(
        epsilon=epsilon, sensitivity=sensitivity, lower=lower, upper=upper, grid=grid, clamp=clamp, gamma=None
    )


def finite(epsilon: Any, sensitivity: Any, lower: Any, upper: Any, rule: str, **options: Any) -> SnappingParameters:
    arithmetic = FinitePrecision(bits=options.pop("bits", None), rule=rule)
    return finite_parameters(
        epsilon=epsilon, sensitivity=sensitivity, lower=lower, upper=upper, arithmetic=arithmetic, **options
    )


def explicit(noise_scale: Any, grid: Any, bound: Any, precision: Precision | None) -> SnappingParameters:
    scale, step, end = Fraction(noise_scale), Fraction(grid), Fraction(bound)
    return explicit_parameters(noise_scale=scale, grid=step, bound=end, precision=precision)


def with_step(parameters: SnappingParameters, step: Any) -> SnappingParameters:
    return replaced(parameters, step=DataUnits(Fraction(step)))


MIXED = Precision(uniform=53, logarithm=53, product=118)
COARSE_LOG = Precision(uniform=118, logarithm=24, product=30)

CATALOGUE: dict[str, Callable[[], SnappingParameters]] = {
    # exact arithmetic: fine and natural grids, sensitivities, ranges away from zero
    "count, fine": lambda: exact("0.5", 1, 0, 1000),
    "count, natural": lambda: exact("0.5", 1, 0, 1000, "natural"),
    "sensitivity 1/10, -10..30": lambda: exact(1, "1/10", -10, 30),
    "sensitivity 1/10, -10..30, natural": lambda: exact(1, "0.1", -10, 30, "natural"),
    "sensitivity 72/1000, 500..1000": lambda: exact("0.3", "72/1000", 500, 1000),
    "sensitivity 72/1000, 500..1000, natural": lambda: exact("0.3", "0.072", 500, 1000, "natural"),
    "sensitivity 10**6": lambda: exact("0.01", 10**6, -(10**9), 10**9),
    "sensitivity 10**6, natural": lambda: exact("7/3", 10**6, 10**8, 10**9, "natural"),
    "clamped to 500..1000": lambda: exact("0.1", 1, 500, 1000, "natural", "range"),
    "clamped to -1000..-500": lambda: exact("0.1", 1, -1000, -500, "fine", "range"),
    "clamped to 0..100": lambda: exact("0.5", 1, 0, 100, "natural", "range"),
    "clamped to -100..0": lambda: exact("0.5", 1, -100, 0, "fine", "range"),
    "two outputs": lambda: exact("0.1", 1, 0, 1, 1, "range"),
    "an own clamp": lambda: exact("0.2", 3, -7, 50, "1/4", (-20, "66.6")),
    "clamp at 12 noise scales": lambda: exact(1, 1, 0, 100, 1, (-12, 112)),
    "clamp just within reach of the noise": lambda: exact(1, 1, 0, 100, 1, (-20, 120)),  # 28 ln 2 + 1 is 20.4
    "clamp just out of reach of the noise": lambda: exact(1, 1, 0, 100, 1, (-21, 121)),
    "noise far below the grid": lambda: exact(1000, 1, -50, 50, 1),
    "noise of 16 grid steps": lambda: exact(1, 16, 0, 5000, 1),
    "noise of just more than 16 grid steps": lambda: exact(1, "16.001", 0, 5000, 1),
    # grids from 2**-29 to 2**52, clamps up to 2**51 steps and beyond what the filter takes
    "grid 2**-29, noise of 2**29 steps": lambda: exact(1, 1, -10, 30, Fraction(1, 1 << 29)),
    "grid 2**-29, natural": lambda: exact(1, Fraction(1, 1 << 29), -10, 30, "natural"),
    "grid 2**52": lambda: exact(1, 3 << 50, -(1 << 70), 1 << 70, 1 << 52),
    "grid 2**52, 2**51 steps": lambda: exact(1, 3 << 50, -(1 << 103), 1 << 103, 1 << 52, "range"),
    "2**26 steps": lambda: exact(1, 1, -(1 << 26), 1 << 26, 1, "range"),
    "2**26 + 1 steps": lambda: exact(1, 1, 0, (1 << 26) + 1, 1, "range"),
    "2**51 steps": lambda: exact("0.37", 1, -(1 << 51), 1 << 51, 1, "range"),
    "2**51 steps of 2**-29": lambda: exact(2, Fraction(1, 1 << 30), 0, 1 << 22, Fraction(1, 1 << 29), "range"),
    "2**51 + 1 steps": lambda: exact(1, 1, 0, (1 << 51) + 1, 1, "range"),
    "2**52 steps": lambda: exact(1, 1, -(1 << 52), 1 << 52, 1, "range"),
    "integers beyond 2**53, split": lambda: exact(1, 1 << 12, -(1 << 60), 1 << 60, "natural", "range"),
    "grid 2**-1000": lambda: exact(1, Fraction(1, 1 << 1000), 0, Fraction(1, 1 << 960), "natural", "range"),
    "grid 2**950": lambda: exact(1, 1 << 950, -(1 << 990), 1 << 990, "natural", "range"),
    "no power of two": lambda: explicit("7/5", "3/10", 40, None),
    # finite precision, on a lattice and off it
    "notes, count": lambda: finite("0.5", 1, 0, 1000, "notes"),
    "notes, 500..1000": lambda: finite("0.25", 2, 500, 1000, "notes"),
    "notes, sensitivity 1/10": lambda: finite(1, "1/10", -10, 30, "notes"),
    "notes, midpoint off the grid": lambda: finite("0.3", 1, 0, 1001, "notes"),
    "proved, count, fine": lambda: finite("0.5", 1, 0, 1000, "proved", grid="fine"),
    "proved, sensitivity 72/1000, 500..1000": lambda: finite("0.3", "72/1000", 500, 1000, "proved"),
    "proved, sensitivity 10**6, fine": lambda: finite("0.01", 10**6, -(10**9), 10**9, "proved", grid="fine"),
    "proved, 200 bits": lambda: finite("0.7", "1/3", -10, 30, "proved", bits=200, grid="1/16"),
    "proved, off the lattice, far from zero": lambda: finite(
        1, "1/10", Fraction(3 * 10**12 + 1, 3), 10**12 + 999, "proved"
    ),
    "proved, grid 2**-29": lambda: finite(1, 1, -10, 30, "proved", grid=Fraction(1, 1 << 29)),
    "53 bits": lambda: explicit(Fraction(5004131788810445, 1 << 52), 2, 1000, Precision.of(53)),
    "53 bits, grid below the noise": lambda: explicit(
        Fraction(5004131788810445, 1 << 52), "1/8", 100, Precision.of(53)
    ),
    "53-bit logarithm, 118-bit product": lambda: explicit(Fraction(5004131788810445, 1 << 52), 2, 4096, MIXED),
    "24-bit logarithm, 30-bit product": lambda: explicit("9/8", 1, "100.25", COARSE_LOG),
    "16 bits": lambda: explicit("9/8", 1, 300, Precision.of(16)),
    "4 bits": lambda: explicit("9/8", 1, 50, Precision.of(4)),
    # quantised values
    "step 1/4": lambda: with_step(exact("0.5", 1, 0, 1000), "1/4"),
    "step 2**20": lambda: with_step(exact(1, 1 << 22, 0, 1 << 40), 1 << 20),
    "step 1/10": lambda: with_step(exact(1, "1/10", -10, 30), "1/10"),
    "step 1/10, natural": lambda: with_step(exact("0.3", "0.3", 500, 1000, "natural"), "1/10"),
    "step 1/10, far from zero": lambda: with_step(exact(1, "1/10", 10**10, 10**10 + 1000, "natural"), "1/10"),
    "step 1/10, off the lattice": lambda: with_step(finite(1, "1/10", -10, 30, "proved"), "1/10"),
    "step 3/7, notes": lambda: with_step(finite("0.5", "3/7", -10, 30, "notes"), "3/7"),
}
