"""The functions of a mechanism, for Python code: on symbols they are traced, on numbers they compute.

Room: verifier. On numbers they do what the verifier's machine with p = 53 does: ln is correctly rounded, a multiple of
a grid is exact where it is a double, ties go toward +infinity.
"""

from __future__ import annotations

from typing import Any

from snapdp.errors import ParameterError
from snapdp.exact import datum, ln_nearest, nearest_multiple, parameter, to_float_nearest
from snapdp.verifier.python.symbols import Traced

_BITS = 53


def ln(x: Any) -> Any:
    """Return the natural logarithm.

    >>> ln(0.5)
    -0.6931471805599453
    """
    return x.ln() if isinstance(x, Traced) else to_float_nearest(ln_nearest(datum(x), _BITS))


def round_to(x: Any, grid: Any) -> Any:
    """Return the multiple of a grid that is nearest to x, a tie toward +infinity.

    >>> round_to(-3.0, 2), round_to(3.0, 2)
    (-2.0, 4.0)
    """
    if isinstance(x, Traced):
        return x.rounded(grid)
    return to_float_nearest(nearest_multiple(datum(x), parameter(grid, name="grid")))


def clamp(x: Any, lower: Any, upper: Any = None) -> Any:
    """Return x moved into [lower, upper]; with one bound B, into [-B, B].

    >>> clamp(99.5, 64), clamp(-3.0, 0, 10)
    (64.0, 0.0)
    """
    if isinstance(x, Traced):
        return x.clamped_within(lower, upper)
    high = parameter(lower if upper is None else upper, name="upper")
    low = -high if upper is None else parameter(lower, name="lower")  # exact: -x of a whole number of numpy may be x
    if low > high:
        raise ParameterError(f"lower = {low} is above upper = {high}.", "Give the lower end first.")
    return to_float_nearest(min(max(datum(x), low), high))
