"""What a benchmark case is: something prepared once, then stepped through until enough CPU time has passed.

Shared by the worker and every `cases_*.py` module. Standard library only, because it is imported in every peer's
environment. All cases release numbers between LOWER and UPPER with the same noise scale SENSITIVITY / EPSILON.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

EPSILON = 0.5
SENSITIVITY = 1.0
NOISE_SCALE = SENSITIVITY / EPSILON
LOWER, UPPER = 0, 1000
SCALAR_FLOAT, SCALAR_INT = 412.25, 412
SEED = 20121016

Step = Callable[[], object]
Kind = Literal["vector", "scalar", "limit", "growth"]


@dataclass(frozen=True)
class Case:
    """A named piece of work; one step of it handles `values_per_step` values."""

    name: str
    kind: Kind
    values_per_step: int
    prepare: Callable[[], Step]


@dataclass(frozen=True)
class Sample:
    """CPU time of this process (all threads) for a number of values."""

    cpu_seconds: float
    values: int


def measure(step: Step, *, values_per_step: int, min_cpu_seconds: float) -> Sample:
    """Repeat the step until it has used `min_cpu_seconds`, at least once."""
    steps = 0
    start = time.process_time()
    while True:
        step()
        steps += 1
        cpu_seconds = time.process_time() - start
        if cpu_seconds >= min_cpu_seconds:
            return Sample(cpu_seconds, steps * values_per_step)


def calls(function: Callable[[], object], count: int) -> Step:
    """Return a step that makes `count` calls, so that reading the clock costs nothing beside them."""

    def step() -> None:
        for _ in range(count):
            function()

    return step
