"""The snapping mechanism as a measurement of OpenDP: its domain, its metric, and a privacy map that rounds up.

OpenDP is imported when it is asked for; nothing else needs it.

    map(d_in) = the smallest double >= epsilon * d_in/sensitivity                                     theory (12)

In exact arithmetic a release is post-processing of an exact Laplace draw, hence the loss is linear in the distance of
two values, also beyond the sensitivity, and for a vector in its L1 distance. Finite precision pays for rounding once
for each step of distance and is refused; so is a step, which rounds two values apart.
OpenDP takes a measurement that is written outside its library only where the features "contrib" and
"honest-but-curious" are enabled: `dp.enable_features("contrib", "honest-but-curious")`. Who enables the second says
that this file is believed: docs/theory/shown-composition.md (12) is why, and no proof of OpenDP's covers it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from snapdp.errors import ParameterError, PremiseError
from snapdp.exact.numbers import shown, to_float_up

if TYPE_CHECKING:
    from snapdp import Snapping

NEEDED = "pip install 'opendp>=0.14'"
TYPES = ("f32", "f64", "i8", "i16", "i32", "i64", "u32", "u64")


def measurement(mechanism: Snapping, *, T: Any = float) -> Any:  # noqa: N803
    """Return the mechanism as a measurement of OpenDP, for one number under the absolute distance.

    T   the type of the number, as OpenDP names it: float, int, "i64", ... It must be that of the transformation before
        it; a float is never NaN
    """
    dp = _prelude()
    return dp.m.make_user_measurement(
        _atom(dp, T),
        dp.absolute_distance(T=T),
        dp.max_divergence(),
        mechanism.release,
        privacy_map(mechanism),
        TO="f64",
    )


def vector_measurement(mechanism: Snapping, *, T: Any = float, size: int | None = None) -> Any:  # noqa: N803
    """Return the mechanism as a measurement of OpenDP, for each number of a vector, under the L1 distance.

    size   of the vectors, where the transformation before it says so. The number of entries is always public
    """
    dp = _prelude()

    def released(values: Any) -> list[float]:
        return [mechanism.release(each) for each in values]

    sized = {} if size is None else {"size": size}
    return dp.m.make_user_measurement(
        dp.vector_domain(_atom(dp, T), **sized),
        dp.l1_distance(T=T),
        dp.max_divergence(),
        released,
        privacy_map(mechanism),
        TO="Vec<f64>",
    )


def privacy_map(mechanism: Snapping) -> Callable[[Any], float]:
    """Return the map from a distance of two inputs to the loss of their releases, rounded up.             theory (12)

    >>> from snapdp import Snapping
    >>> loss = privacy_map(Snapping(epsilon="0.3", sensitivity=1, lower=0, upper=100))
    >>> loss(1), float(Fraction(3, 10))  # the double nearest to 3/10 is below it
    (0.30000000000000004, 0.3)
    """
    p = mechanism.parameters
    if p.precision is not None:
        raise PremiseError(
            "a mechanism in finite precision loses more than its distance says: rounding is paid for as well.",
            "Leave the arithmetic out. Nothing was released.",
        )
    if p.step is not None:
        raise PremiseError(
            f"the mechanism rounds its values to steps of {shown(p.step)}: values that differ by less may then differ "
            "by a step.",
            "Leave step out, and give it values whose distances obey the metric. Nothing was released.",
        )
    rate = p.epsilon / p.sensitivity

    def loss_up(d_in: Any) -> float:
        if not isinstance(d_in, (int, float)) or isinstance(d_in, bool) or not d_in >= 0:
            raise ParameterError(f"d_in = {shown(d_in)} is no distance.", "Give a number that is 0 or more.")
        return math.inf if d_in == math.inf else to_float_up(Fraction(d_in) * rate)

    return loss_up


def _atom(dp: Any, T: Any) -> Any:  # noqa: N803
    """Return the domain of one number: a float is never NaN, an integer cannot be."""
    named = {float: "f64", int: "i32"}.get(T, str(T))
    if named not in TYPES:
        raise ParameterError(f"T = {shown(named)} is no type of numbers.", f"Give float, int, or {', '.join(TYPES)}.")
    return dp.atom_domain(T=T, nan=False) if named.startswith("f") else dp.atom_domain(T=T)


def _prelude() -> Any:
    try:
        import opendp.prelude as dp
    except ImportError:
        raise PremiseError("OpenDP is not installed.", NEEDED) from None
    return dp
