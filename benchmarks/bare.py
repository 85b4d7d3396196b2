"""The sampler without the public interface: no argument checks, no conversion, no dispatch.

Compared with the same release through `Snapping.release` to see what the interface costs. The only file of the
benchmarks that may reach below snapdp's public names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from snapdp.mechanism.sampling.filter import ScalarSampler
from snapdp.mechanism.sampling.vectors import VectorSampler
from snapdp.randomness.bits import SystemBits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    import snapdp


def bare_vector(m: snapdp.Snapping) -> Callable[[NDArray[np.float64], NDArray[np.float64]], object]:
    """Return draw(values, out): snapped noise for float64 values, written to `out`."""
    sampler, bits = VectorSampler(m.parameters), SystemBits()
    return lambda values, out: sampler.release(values, out, bits)


def bare_scalar(m: snapdp.Snapping) -> Callable[[float], object]:
    """Return draw(value): the output index of one value."""
    sampler, bits = ScalarSampler(m.parameters), SystemBits()
    return lambda value: sampler.index(value, bits)
