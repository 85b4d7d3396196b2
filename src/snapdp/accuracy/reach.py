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
from snapdp.accuracy.tails import confidence
from snapdp.exact import floor_log2
from snapdp.mechanism import SnappingParameters, exact_parameters


def reach_of(p: SnappingParameters, *, alpha: Any) -> Fraction:
    """Return the half-length of the noise intervals of an exact mechanism, in data units.

    >>> from snapdp.mechanism import exact_parameters
    >>> f"{float(reach_of(exact_parameters(epsilon='0.5', sensitivity=1, lower=0, upper=1000), alpha='0.05')):.3f}"
    '6.000'
    """
    assert p.precision is None
    return _reach(p.epsilon, p.sensitivity, p.grid, confidence(alpha))


@lru_cache(maxsize=256)
def _reach(epsilon: Fraction, sensitivity: Fraction, grid: Fraction, alpha: Fraction) -> Fraction:
    # P(|Y| > t scales) = e**-t < 2**-t: with two binades to spare, no end of the wide range is compatible with index 0.
    far = sensitivity / epsilon * (2 - floor_log2(alpha)) + 4 * grid
    wide = exact_parameters(epsilon=epsilon, sensitivity=sensitivity, lower=-far, upper=far, grid=grid)
    found = noise_interval(wide, index=0, alpha=alpha)
    assert -far < found.lower
    assert found.upper < far
    return max(-found.lower, found.upper)
