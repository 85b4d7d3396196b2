"""The samplers of snapdp with frozen noise: each number that they draw is logged with the scale that it has.

Room: testing. The bits are frozen already; what is added here is the law, which the library knows, and the noise
without the value that it was added to: that value may be a noisy number itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import wraps
from typing import Any

from snapdp.mechanism import ScalarSampler, SnappingParameters
from snapdp.testing.frozen.noise import MOST_VALUES, FrozenNoise

KIND = "snapping"


def replacements(noise: FrozenNoise) -> Iterator[tuple[type, str, Callable[..., Any]]]:
    """Yield (class, name, method): what takes the place of the methods that draw."""
    yield ScalarSampler, "release", _one(noise, ScalarSampler.release, InDataUnits)
    yield ScalarSampler, "index", _one(noise, ScalarSampler.index, InSteps)
    if "numpy" in sys.modules:
        from snapdp.mechanism import VectorSampler

        yield VectorSampler, "release", _many(noise, VectorSampler.release, InDataUnits)
        yield VectorSampler, "index", _many(noise, VectorSampler.index, InSteps)


def into_zeros(key_stream: Callable[[], Callable[[Any], None]]) -> Callable[[], Callable[[Any], None]]:
    """Return the key stream as it is: snapdp adds it to whatever a buffer holds, which a replay cannot repeat."""

    def zeroed() -> Callable[[Any], None]:
        fill = key_stream()

        def into(buffer: Any) -> None:
            memoryview(buffer).cast("B")[:] = bytes(memoryview(buffer).nbytes)
            fill(buffer)

        return into

    return zeroed


class InDataUnits:
    """A released number."""

    @staticmethod
    def scale(p: SnappingParameters) -> Fraction:
        """Return the scale of the noise in it."""
        return p.unit * p.noise_scale

    @staticmethod
    def location(p: SnappingParameters, value: Any) -> Fraction:
        """Return the clamped value that the noise was added to."""
        return p.offset + p.unit * p.inner(value)


class InSteps:
    """An index of the grid."""

    @staticmethod
    def scale(p: SnappingParameters) -> Fraction:
        """Return the scale of the noise in it."""
        return p.noise_scale / p.grid

    @staticmethod
    def location(p: SnappingParameters, value: Any) -> Fraction:
        """Return the clamped value that the noise was added to."""
        return p.inner(value) / p.grid


Unit = type[InDataUnits] | type[InSteps]


def _one(noise: FrozenNoise, method: Callable[..., Any], unit: Unit) -> Callable[..., Any]:
    @wraps(method)
    def drawn(self: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        with noise.one_draw() as is_asked_for:
            found = method(self, value, *args, **kwargs)
            if is_asked_for:
                p = self.parameters
                noise.record(KIND, location=(unit.location(p, value),), scale=(unit.scale(p),), values=(found,))
        return found

    return drawn


def _many(noise: FrozenNoise, method: Callable[..., Any], unit: Unit) -> Callable[..., Any]:
    @wraps(method)
    def drawn(self: Any, values: Any, out: Any, *args: Any, nan: float | None = None, **kwargs: Any) -> None:
        with noise.one_draw():
            method(self, values, out, *args, nan=nan, **kwargs)
            p, few = self.parameters, out.size <= MOST_VALUES
            around = (nan if value != value else value for value in values.ravel().tolist()) if few else ()
            noise.record(
                KIND,
                size=int(out.size),
                location=tuple(unit.location(p, value) for value in around),
                scale=(unit.scale(p),),
                values=tuple(out.ravel().tolist()) if few else (),
            )

    return drawn
