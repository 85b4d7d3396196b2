"""A declared mechanism: it releases numbers, tells its parameters, and states its exact law.

Checks its input completely before it draws a bit; never returns noise; takes no seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from snapdp.errors import BoundError, PremiseError
from snapdp.exact.numbers import parameter, positive, shown, to_float_nearest
from snapdp.mechanism.parameters import DataUnits, FinitePrecision, SnappingParameters, arithmetic_of, exact_parameters
from snapdp.mechanism.sampling.filter import ScalarSampler
from snapdp.mechanism.sampling.scalar import checked_scalar, in_kind, is_array_like
from snapdp.randomness.bits import BitSource, SystemBits
from snapdp.values import replaced

if TYPE_CHECKING:
    from snapdp.mechanism.law.law import Law
    from snapdp.mechanism.sampling.vectors import VectorSampler

_SYSTEM = SystemBits()
_VECTOR_FROM = 32  # fewer values go one by one
_FITS_INT64 = 1 << 62


class Mechanism:
    """A declared mechanism with its sampler.

    nan   a public replacement for NaN, in the public range; without it NaN is an error

    >>> m = declared(epsilon="0.5", sensitivity=1, lower=0, upper=1000)
    >>> m.parameters.noise_scale, m.parameters.grid
    (Fraction(2, 1), Fraction(1, 8))
    """

    def __init__(self, parameters: SnappingParameters, *, nan: Any = None) -> None:
        self._parameters = parameters
        self._nan = None if nan is None else _replacement(nan, parameters)

    @property
    def parameters(self) -> SnappingParameters:
        """Return everything public about the mechanism, in exact rationals."""
        return self._parameters

    def release(self, value: Any, out: Any = None) -> Any:
        """Return the released number of one value, or those of an array, list or Series."""
        if out is None and (type(value) is int or (type(value) is float and value == value)):
            return self._scalar.release(value, _SYSTEM)
        found = release_with_bits(self, value, _SYSTEM, out=out)
        return found if out is not None else in_kind(found, value)

    def release_index(self, value: Any, *, out: Any = None) -> Any:
        """Return the grid index behind a released number, or those of an array, list or Series."""
        found = index_with_bits(self, value, _SYSTEM, out=out)
        return found if out is not None else in_kind(found, value)

    def law(self, value: Any) -> Law:
        """Return the exact law of the output for one value: a double is the number that it stores."""
        from snapdp.mechanism.law.law import law_of

        exact = parameter(value, name="value") if isinstance(value, str) else checked_scalar(value, nan=self._nan)
        return law_of(self._parameters.inner(exact), self._parameters)

    @cached_property
    def _scalar(self) -> ScalarSampler:
        return ScalarSampler(self._parameters)  # made when it is first asked: plans have many mechanisms, and draw none

    @cached_property
    def _vector(self) -> VectorSampler:
        from snapdp.mechanism.sampling.vectors import VectorSampler

        return VectorSampler(self._parameters)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mechanism) and (self._parameters, self._nan) == (other._parameters, other._nan)

    def __hash__(self) -> int:
        return hash((self._parameters, self._nan))

    def __repr__(self) -> str:
        p = self._parameters
        said = {"epsilon": p.epsilon, "sensitivity": p.sensitivity, "lower": p.lower, "upper": p.upper, "grid": p.grid}
        numbers = ", ".join(f"{name}={shown(number)}" for name, number in said.items())
        if p.precision is None:
            return f"Mechanism({numbers}, arithmetic={p.arithmetic})"
        arithmetic = f"arithmetic={p.rule or 'declared'}, bits={p.precision.uniform}"
        return f"Mechanism({numbers} sensitivities, {arithmetic})"


def declared(
    *,
    epsilon: Any,
    sensitivity: Any,
    lower: Any,
    upper: Any,
    grid: Any = None,
    clamp: Any = None,
    bound: Any = None,
    gamma: Any = None,
    step: Any = None,
    nan: Any = None,
    arithmetic: str | FinitePrecision | None = None,
    bits: int | None = None,
) -> Mechanism:
    """Return the mechanism that `snapdp.Snapping` declares with the same words."""
    premises = {"epsilon": epsilon, "sensitivity": sensitivity, "lower": lower, "upper": upper}
    finite = arithmetic_of(arithmetic, bits)
    if finite is None:
        if bound is not None:
            raise BoundError("bound belongs to finite precision.", "In exact arithmetic give clamp=(low, high).")
        p = exact_parameters(**premises, grid=grid, clamp="wide" if clamp is None else clamp, gamma=gamma)
    else:
        if clamp is not None:
            raise BoundError("clamp belongs to exact arithmetic.", "In finite precision give bound.")
        from snapdp.mechanism.finite_precision import finite_parameters

        p = finite_parameters(**premises, arithmetic=finite, grid=grid, bound=bound, gamma=gamma)
    if step is not None:
        p = replaced(p, step=dividing_step(step, p))
    return Mechanism(p, nan=nan)


@lru_cache(maxsize=1)
def _arrays() -> ModuleType:
    """Return the module that takes arrays; it imports numpy, once."""
    from snapdp.mechanism.sampling import arrays

    return arrays


def load_array_path(numbers: int) -> None:
    """Load what drawing that many numbers needs, so that nothing can turn out to be missing after a charge."""
    if numbers >= _VECTOR_FROM:
        from snapdp.randomness.bits import key_stream

        _arrays()
        key_stream()


def release_with_bits(m: Mechanism, value: Any, bits: BitSource, *, out: Any = None) -> Any:
    """Release with given bits: for the release engine, replay and tests. A public caller has `snapdp.Snapping`."""
    if out is None and not is_array_like(value):
        return m._scalar.release(checked_scalar(value, nan=m._nan), bits)
    return _draw_array(m, value, bits, out, indices=False)


def index_with_bits(m: Mechanism, value: Any, bits: BitSource, *, out: Any = None) -> Any:
    """Return indices with given bits; see `release_with_bits`."""
    if out is None and not is_array_like(value):
        return m._scalar.index(checked_scalar(value, nan=m._nan), bits)
    return _draw_array(m, value, bits, out, indices=True)


def _draw_array(m: Mechanism, values: Any, bits: BitSource, out: Any, *, indices: bool) -> Any:
    sampler = {"scalar": m._scalar, "vector": m._vector}
    return _arrays().draw_array(values, **sampler, out=out, nan=m._nan, source=bits, indices=indices)


def integer_indices(m: Mechanism, values: Sequence[int], bits: BitSource) -> Sequence[int]:
    """Return the indices of exact integers inside the public range, for the release engine.

    Which path they take depends on their number and on the public range, never on a value.
    """
    p = m.parameters
    if len(values) < _VECTOR_FROM or max(abs(p.lower), abs(p.upper)) >= _FITS_INT64:
        return [m._scalar.index(int(value), bits, place) for place, value in enumerate(values)]
    import numpy as np

    indices: Sequence[int] = index_with_bits(m, np.asarray(values, dtype=np.int64), bits)
    return indices


def dividing_step(step: Any, p: SnappingParameters) -> DataUnits:
    """Return a step that divides the sensitivity; then quantised values differ by no more than it."""
    width = positive(step, name="step")
    if (p.sensitivity / width).denominator != 1:
        raise PremiseError(
            f"step = {shown(width)} does not divide the sensitivity {shown(p.sensitivity)}.",
            "Rounding to it could move neighbours further apart than the sensitivity. Give a step that divides it.",
            step=width,
        )
    return DataUnits(width)


def _replacement(nan: Any, p: SnappingParameters) -> float:
    """Return the double that stands for NaN; it must lie in the public range."""
    exact = parameter(nan, name="nan")
    if not p.lower <= exact <= p.upper:
        raise BoundError(
            f"nan = {shown(exact)} lies outside the public range {shown(p.lower)} to {shown(p.upper)}.",
            "Give a value inside the range.",
        )
    return to_float_nearest(exact)
