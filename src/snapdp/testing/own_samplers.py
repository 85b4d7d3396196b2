"""The samplers of snapdp with frozen noise: each number that they draw is logged with the scale that it has.

Room: testing. The bits are frozen already; what is added here is the law, which the library knows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from snapdp.mechanism import ScalarSampler, SnappingParameters
from snapdp.testing.noise import MOST_VALUES, FrozenNoise

KIND = "snapping"


def replacements(noise: FrozenNoise) -> Iterator[tuple[type, str, Callable[..., Any]]]:
    """Yield (class, name, method): what takes the place of the methods that draw."""
    yield ScalarSampler, "release", _one(noise, ScalarSampler.release, in_data_units)
    yield ScalarSampler, "index", _one(noise, ScalarSampler.index, in_steps)
    if "numpy" in sys.modules:
        from snapdp.mechanism import VectorSampler

        yield VectorSampler, "release", _many(noise, VectorSampler.release, in_data_units)
        yield VectorSampler, "index", _many(noise, VectorSampler.index, in_steps)


def into_zeros(key_stream: Callable[[], Callable[[Any], None]]) -> Callable[[], Callable[[Any], None]]:
    """Return the key stream as it is: snapdp adds it to whatever a buffer holds, which a replay cannot repeat."""

    def zeroed() -> Callable[[Any], None]:
        fill = key_stream()

        def into(buffer: Any) -> None:
            memoryview(buffer).cast("B")[:] = bytes(memoryview(buffer).nbytes)
            fill(buffer)

        return into

    return zeroed


def in_data_units(p: SnappingParameters) -> Any:
    """Return the scale of the noise in a released number."""
    return p.unit * p.noise_scale


def in_steps(p: SnappingParameters) -> Any:
    """Return the scale of the noise in an index of the grid."""
    return p.noise_scale / p.grid


def _one(noise: FrozenNoise, method: Callable[..., Any], scale: Callable[[Any], Any]) -> Callable[..., Any]:
    @wraps(method)
    def drawn(self: Any, *args: Any, **kwargs: Any) -> Any:
        with noise.one_draw():
            found = method(self, *args, **kwargs)
            noise.record(KIND, scale=(scale(self.parameters),), values=(found,))
        return found

    return drawn


def _many(noise: FrozenNoise, method: Callable[..., Any], scale: Callable[[Any], Any]) -> Callable[..., Any]:
    @wraps(method)
    def drawn(self: Any, values: Any, out: Any, *args: Any, **kwargs: Any) -> None:
        with noise.one_draw():
            method(self, values, out, *args, **kwargs)
            few = tuple(out.ravel().tolist()) if out.size <= MOST_VALUES else ()
            noise.record(KIND, size=int(out.size), scale=(scale(self.parameters),), values=few)

    return drawn
