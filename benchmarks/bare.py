"""The sampler without the public interface: no argument checks, no conversion, no dispatch.

Compared with the same release through `Snapping.release` to see what the interface costs. The only file of the
benchmarks that may reach below snapdp's public names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import snapdp
    from numpy.typing import NDArray


def bare_vector(m: snapdp.Snapping) -> Callable[[NDArray[np.float64], NDArray[np.float64]], object]:
    """Return draw(values, out): snapped noise for float64 values, written to `out`."""
    raise NotImplementedError("bare_vector: not connected to the sampler yet")


def bare_scalar(m: snapdp.Snapping) -> Callable[[float], object]:
    """Return draw(value): one snapped value."""
    raise NotImplementedError("bare_scalar: not connected to the sampler yet")
