"""The filter that answers most draws in doubles, and the scalar sampler built on it.

Room: mechanism. A filter never decides anything wrong: it accepts a double answer only where a rigorous error bound
leaves no doubt, and hands everything else to `definition.decide` with the same bits. It needs just two things: the
answer is a multiple of the grid, and |computed sum - true sum| < beta * grid. Rounding mode, FTZ or the SIMD variant of
a logarithm can make it hand over more, never answer something else.
Coordinates: data units where outputs lie on a power-of-two lattice (so the split by the grid is exact), else inner.
Proof: docs/theory/fast-path.md, equations (1)-(9). Needs neither numpy nor, in exact
arithmetic, gmpy2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from math import floor, ldexp
from typing import Any

from snapdp.exact import (
    LN2,
    exponent_at_least,
    nearest_index,
    nearest_index_of_double,
    power_of_two,
    to_float_down,
    to_float_nearest,
)
from snapdp.mechanism.definition import decide
from snapdp.mechanism.parameters import SnappingParameters
from snapdp.mechanism.sampling.known_logarithms import KNOWN_LOGARITHMS
from snapdp.randomness import DOUBLE_DIGITS, DOUBLE_MASK, BitSource, LazyUniform
from snapdp.values import Value

DOUBLE_ROUNDING = Fraction(1, 1 << 52)
LOG_REACH = DOUBLE_DIGITS * LN2.upper  # |ln u| <= 52 ln 2 for every u > 0 made of 52 digits
COARSE_LOG_ERROR = Fraction(1, 1 << 31)  # assumed of the logarithm, relative, where the noise spans few grid steps
FINE_LOG_ERROR = Fraction(1, 1 << 40)  # assumed where it spans many; any real logarithm is below 2**-51
KNOWN_LOG_TOLERANCE = 2.0**-40
FEW_STEPS = 16
UNSPLIT_SPAN = 1 << 26  # up to this index the value need not be split into grid multiple and remainder
FILTER_SPAN = 1 << 51  # beyond this index the rounding by a magic number leaves its binade
WIDEST_BETA = Fraction(1, 4)
_DIGIT_UNIT = 2.0**-DOUBLE_DIGITS
EXPONENTS = range(-900, 900)  # grids and scales inside these never overflow or underflow a double


class Coordinates(Value):
    """Where the filter works: `origin` is added to an index to count multiples of 2**exponent from zero."""

    on_lattice: bool
    exponent: int
    origin: int
    noise_scale: Fraction
    value_lower: Fraction
    value_upper: Fraction
    low: int
    high: int

    @cached_property
    def grid(self) -> Fraction:
        return power_of_two(self.exponent)

    @property
    def span(self) -> int:
        return max(abs(self.low), abs(self.high))


class Filter(Value):
    """Constants of the accepting test, in the units of the coordinates."""

    noise_scale: float
    grid: float
    smallest: float  # only u of at least this is accepted
    threshold: float  # accepted iff |sum - multiple of the grid| < threshold = (1/2 - beta) grid


def coordinates(parameters: SnappingParameters) -> Coordinates | None:
    """Return the filter's coordinates, or None where the constants leave the range of doubles."""
    p = parameters
    lattice = p.lattice
    scale, offset, noise_scale = Fraction(1), Fraction(0), Fraction(p.noise_scale)
    if lattice is not None:
        exponent, origin = lattice
        scale, offset, noise_scale = p.unit, p.offset, p.unit * p.noise_scale
    else:
        exponent, origin = exponent_at_least(p.grid), 0
        if power_of_two(exponent) != p.grid:
            return None
    lower, upper = offset + scale * p.value_lower, offset + scale * p.value_upper
    sizes = [power_of_two(exponent), noise_scale, p.unit, abs(p.offset) or 1, p.step or 1]
    if not all(exponent_at_least(Fraction(size)) in EXPONENTS for size in sizes):
        return None
    if not (_is_double(lower) and _is_double(upper)):
        return None
    return Coordinates(
        on_lattice=lattice is not None,
        exponent=exponent,
        origin=origin,
        noise_scale=noise_scale,
        value_lower=lower,
        value_upper=upper,
        low=p.low + origin,
        high=p.high + origin,
    )


def _is_double(x: Fraction) -> bool:
    nearest = to_float_nearest(x)
    return math.isfinite(nearest) and Fraction(nearest) == x


def error_bound(
    *,
    steps: Fraction,
    unread: Fraction,
    log_reach: Fraction,
    log_error: Fraction,
    rounding: Fraction,
    sum_rounding: Fraction,
    span: int,
    parameters: SnappingParameters,
    value_error: Fraction,
) -> Fraction:
    """Return beta, a bound on |computed sum - true sum| in grid steps.

    steps        rho = noise_scale/grid                        unread       |ln U - ln u| for every accepted u
    log_reach    |ln u| for every accepted u                   log_error    error of the logarithm relative to it
    rounding     of one operation on the noise                 sum_rounding of one operation on value and sum
    span         largest index that enters the sum             value_error  of the value before the sum, in grid steps
    Terms in the order of theory (2)-(8); 2**-52 covers one operation on doubles in every rounding mode.
    """
    logarithm = log_reach * log_error
    scaling = log_reach * 3 * rounding
    finite = Fraction(0)
    if (precision := parameters.precision) is not None:
        stretch = (1 + Fraction(1, 1 << precision.logarithm)) * (1 + Fraction(1, 1 << precision.product))
        finite = Fraction(4, 1 << precision.uniform) + log_reach * (stretch - 1)
    noise = steps * (unread + logarithm + scaling + finite)
    return noise + (2 * span + 1 + steps * log_reach) * sum_rounding + value_error + 4 * sum_rounding


def build_filter(
    parameters: SnappingParameters, where: Coordinates, *, span: int, value_error: Fraction = Fraction(0)
) -> Filter | None:
    """Return the filter, or None where its bound would be too wide to accept anything worth while."""
    if where.span > FILTER_SPAN:
        return None
    steps = where.noise_scale / where.grid
    digits = min(50, 24 + max(0, exponent_at_least(steps)))
    beta = error_bound(
        steps=steps,
        unread=Fraction(1, 1 << digits),
        log_reach=LOG_REACH,
        log_error=COARSE_LOG_ERROR if steps <= FEW_STEPS else FINE_LOG_ERROR,
        rounding=DOUBLE_ROUNDING,
        sum_rounding=DOUBLE_ROUNDING,
        span=span,
        parameters=parameters,
        value_error=value_error,
    )
    if beta > WIDEST_BETA:
        return None
    return Filter(
        noise_scale=to_float_nearest(where.noise_scale),
        grid=float(where.grid),
        smallest=2.0 ** (digits - DOUBLE_DIGITS),
        threshold=to_float_down(where.grid * (Fraction(1, 2) - beta)),
    )


def logarithm_is_trusted(log: Callable[[float], float]) -> bool:
    """Return whether a logarithm agrees with the table; otherwise everything goes the exact way."""
    return all(abs(log(x) - known) <= KNOWN_LOG_TOLERANCE * -known for x, known in KNOWN_LOGARITHMS)


class ScalarSampler:
    """Index of one value at a time: filter first, definition where the filter is in doubt."""

    def __init__(
        self,
        parameters: SnappingParameters,
        *,
        filter: Filter | None = None,
        log: Callable[[float], float] = math.log,
    ) -> None:
        self.parameters = parameters
        self._where = where = coordinates(parameters)
        self._log = log
        self.filter = filter
        self._exponent: int | None = None
        if where is None:
            return
        self._unsplit = where.span <= UNSPLIT_SPAN
        if filter is None and logarithm_is_trusted(log):
            self.filter = build_filter(parameters, where, span=where.span if self._unsplit else 1)
        if where.on_lattice:
            self._exponent = where.exponent
        ends = (where.value_lower / where.grid, where.value_upper / where.grid)
        self._plain = where.on_lattice and parameters.step is None and all(end.denominator == 1 for end in ends)
        self._ends = (int(ends[0]), int(ends[1]))
        self._lower, self._upper = float(where.value_lower), float(where.value_upper)
        self._origin, self._low, self._high = where.origin, where.low, where.high

    def index(self, value: Any, source: BitSource, position: int = 0) -> int:
        """Return the output index of a data value; NaN must have been handled."""
        word = source.first_word(position)
        f = self.filter
        if f is not None:
            u = (word & DOUBLE_MASK) * _DIGIT_UNIT
            if u >= f.smallest:
                whole, total = self._split(value)
                noise = self._log(u) * f.noise_scale
                total = total + noise if word >= 0 else total - noise
                grid, threshold = f.grid, f.threshold
                near = floor(total / grid + 0.5)
                if -threshold < total - near * grid < threshold:
                    index = whole + near
                    low, high = self._low, self._high
                    return (low if index < low else high if index > high else index) - self._origin
        p = self.parameters
        return decide(p.inner(value), p, LazyUniform(word, source.extension(position)))

    def release(self, value: Any, source: BitSource, position: int = 0) -> float:
        """Return the released number of a data value."""
        index = self.index(value, source, position)
        if self._exponent is None:
            return self.parameters.released(index)
        return ldexp(index + self._origin, self._exponent)

    def _split(self, value: Any) -> tuple[int, float]:
        """Return a multiple of the grid and the remainder, exact (or within 2**-54 grid for a fraction).

        Where all indices are small the multiple may be 0: the sum is then still accurate enough.
        """
        if self._plain:
            lower, upper = self._lower, self._upper
            if type(value) is float:
                value = lower if value < lower else upper if value > upper else value
                if self._unsplit:
                    return 0, value
                whole = nearest_index_of_double(value, self._exponent or 0)
                return whole, value - ldexp(whole, self._exponent or 0)
            if type(value) is int:
                if value < lower:
                    return self._ends[0], 0.0
                if value > upper:
                    return self._ends[1], 0.0
                exponent = self._exponent or 0
                if exponent <= 0:
                    return value << -exponent, 0.0
                whole = (value + (1 << exponent - 1)) >> exponent
                return whole, float(value - (whole << exponent))
        p, where = self.parameters, self._where
        assert where is not None
        inner = p.inner(value)
        exact = p.offset + p.unit * inner if where.on_lattice else inner
        whole = nearest_index(exact, where.grid)
        return whole, to_float_nearest(exact - whole * where.grid)
