"""One half-length for all noise intervals of a mechanism: released number +- reach, inside the public range.

Room: accuracy. The interval of `interval.py` depends on how near an output is to the ends of range and clamp; a release
of a million cells wants one number. Where neither end is near, the interval is the output +- reach. Elsewhere the clamp
only takes probability away from far outputs and the range only takes values away, so the interval lies inside
[output - reach, output + reach] and the public range: every value is still covered with probability >= 1 - alpha.
Theory: docs/theory/planning.md, (33).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from snapdp.accuracy.interval import noise_interval
from snapdp.accuracy.tails import confidence, exact_level
from snapdp.exact import floor_log2
from snapdp.mechanism import SnappingParameters, exact_parameters


def reach_of(p: SnappingParameters, *, alpha: Any) -> Fraction:
    """Return the half-length of the noise intervals of a mechanism, in data units.

    In finite precision it is the one of the exact law at a level that makes a finite probability at most alpha.

    >>> from snapdp.mechanism import exact_parameters
    >>> f"{float(reach_of(exact_parameters(epsilon='0.5', sensitivity=1, lower=0, upper=1000), alpha='0.05')):.3f}"
    '6.000'
    """
    return p.data_grid * _reach(p.noise_scale / p.grid, exact_level(p, confidence(alpha)))


@lru_cache(maxsize=4096)
def _reach(noise_scale: Fraction, alpha: Fraction) -> Fraction:
    """Return the reach of a mechanism whose outputs are the whole numbers: in units of the grid all are of this kind.

    P(|Y| > t scales) = e**-t < 2**-t: with two binades to spare, no value beyond `far` is compatible with index 0. The
    outputs that are as far from such a value on its other side reach to 2 far: the clamp must lie beyond them, as the
    default one does not where alpha is below its gamma.
    """
    far = noise_scale * (2 - floor_log2(alpha)) + 4
    wide = exact_parameters(
        epsilon=1, sensitivity=noise_scale, lower=-far, upper=far, grid=1, clamp=(-2 * far, 2 * far)
    )
    found = noise_interval(wide, index=0, alpha=alpha)
    assert -far < found.lower
    assert found.upper < far
    return max(-found.lower, found.upper)
