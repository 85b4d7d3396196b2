"""The filters that answer most draws in floating point, and the scalar sampler built on the one in doubles.

A filter never decides anything wrong: it accepts a floating-point answer only where a rigorous error bound leaves no
doubt, and hands everything else to `definition.decide` with the same bits. It needs just two things: the answer is a
multiple of the grid, and |computed sum - true sum| < beta * grid. Rounding mode, FTZ or the SIMD variant of a logarithm
can make it hand over more, never answer something else. A platform's logarithm is checked against known ones first.
The single-precision filter is the first level of the vector path: most values of a long vector are settled by a sign
and 31 digits of U, at half the random bits and less than half the price of a logarithm.
Coordinates: data units where outputs lie on a power-of-two lattice (so the split by the grid is exact), else inner.
Proof: docs/theory/fast-path.md, equations (1)-(9), and (14)-(20) of the filter in singles. Needs neither numpy nor, in
exact arithmetic, gmpy2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from math import floor, ldexp
from typing import Any

from snapdp.exact.dyadic import exponent_at_least, nearest_index, nearest_index_of_double, power_of_two
from snapdp.exact.functions import LN2
from snapdp.exact.numbers import to_float_down, to_float_nearest
from snapdp.mechanism.definition import decide
from snapdp.mechanism.parameters import SnappingParameters
from snapdp.randomness.bits import BitSource
from snapdp.randomness.uniform import DOUBLE_DIGITS, DOUBLE_MASK, HALF_DIGITS, LazyUniform
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


# The filter in singles. Where the outputs are a few thousand grid points at most, value and sum are singles too;
# elsewhere they are the doubles of the second level. What is in doubt (at most one value in 100 or so) gets the second
# half of its word and goes to the filter in doubles.

SINGLE_ROUNDING = Fraction(1, 1 << 23)
SINGLE_LOG_ERROR = Fraction(1, 1 << 18)  # assumed, relative to the largest |ln u|; numpy promises 2**-21
KNOWN_SINGLE_LOG_TOLERANCE = 2.0**-20
SINGLE_EXPONENTS = range(-60, 61)  # grids and noise scales inside these neither overflow nor underflow a single
MOST_DIGITS = 24  # a u below 2**(24 - 31) has at most 24 digits and is a single exactly
WIDEST_SINGLE_BETA = Fraction(1, 256)  # theory (20)


class SingleFilter(Filter):
    """Constants of the first level; `single_sums` says whether value and sum are singles, too."""

    single_sums: bool


def build_single_filter(
    parameters: SnappingParameters, where: Coordinates, *, span: int, value_error: Fraction
) -> SingleFilter | None:
    """Return the first level's filter, or None where the noise spans too many grid steps for it."""
    steps = where.noise_scale / where.grid
    if not {where.exponent, exponent_at_least(where.noise_scale)} <= set(SINGLE_EXPONENTS):
        return None
    digits = min(max(16 + exponent_at_least(steps) // 2, 1), MOST_DIGITS)  # theory (18)
    loads_plainly = where.on_lattice and parameters.step is None and span == where.span  # theory (19)
    for single_sums in (True, False) if loads_plainly else (False,):
        beta = error_bound(
            steps=steps,
            unread=Fraction(1, 1 << digits) + 2 * SINGLE_ROUNDING,
            log_reach=(HALF_DIGITS - digits) * LN2.upper,
            log_error=SINGLE_LOG_ERROR,
            rounding=SINGLE_ROUNDING,
            sum_rounding=SINGLE_ROUNDING if single_sums else DOUBLE_ROUNDING,
            span=span,
            parameters=parameters,
            value_error=value_error,
        )
        if beta <= WIDEST_SINGLE_BETA:
            return SingleFilter(
                noise_scale=to_float_nearest(where.noise_scale),
                grid=float(where.grid),
                smallest=2.0 ** (digits - HALF_DIGITS),
                threshold=to_float_down(where.grid * (Fraction(1, 2) - beta)),
                single_sums=single_sums,
            )
    return None


# Known logarithms: points k * 2**-52 of (0, 1), where the filter evaluates the logarithm. Both ends, binades, the
# switch of common implementations near 15/16, and a spread over all magnitudes. Values are the nearest doubles of ln;
# a test recomputes them with MPFR.

KNOWN_LOGARITHMS: tuple[tuple[float, float], ...] = (
    (2.220446049250313e-16, -36.04365338911715),
    (4.440892098500626e-16, -35.35050620855721),
    (8.881784197001252e-16, -34.657359027997266),
    (1.5543122344752192e-15, -34.097743240061845),
    (3.552713678800501e-15, -33.27106466687737),
    (1.2212453270876722e-14, -32.036320203884685),
    (2.6423307986078726e-14, -31.264529896005627),
    (4.263256414560601e-14, -30.786158017089374),
    (9.192646643896296e-14, -30.017787415291842),
    (1.978417429882029e-13, -29.251308961646348),
    (3.1796787425264483e-13, -28.776826041596564),
    (6.850076061937216e-13, -28.009346452777667),
    (2.3709922913894843e-12, -26.767712560057024),
    (5.106803868670795e-12, -26.000447373411944),
    (8.204992241189757e-12, -25.526278337006715),
    (1.7672086016773392e-11, -24.759034782418016),
    (6.115463691003242e-11, -23.51761542821505),
    (1.3171508328468917e-10, -22.75037998613885),
    (2.1162538388352914e-10, -22.276203461496838),
    (4.5579895413538907e-10, -21.50896929368873),
    (9.816998325362647e-10, -20.741735523815535),
    (1.577287855880627e-09, -20.267559011773308),
    (3.3971627733109244e-09, -19.50032523213321),
    (3.725290298461914e-09, -19.408121055678468),
    (3.725290520506519e-09, -19.408120996073826),
    (1.1755848738914665e-08, -18.25891495518614),
    (2.5319746965735135e-08, -17.49168123317475),
    (4.0680998569797566e-08, -17.01750471912048),
    (5.960464477539063e-08, -16.635532333438686),
    (8.761873471208048e-08, -16.250270995294),
    (1.8871323059777012e-07, -15.483037272574219),
    (3.032037683148303e-07, -15.008860754776435),
    (6.530402747451092e-07, -14.241627033086278),
    (2.2598394329165217e-06, -13.000216794586134),
    (4.867242158868024e-06, -12.232983073087093),
    (7.820152081006171e-06, -11.75880655589716),
    (1.6843043510350597e-05, -10.991572834461532),
    (5.828518603001598e-05, -9.750162595867007),
    (0.00012553463336018034, -8.982928874433902),
    (0.00020169531168545696, -8.50875235727298),
    (0.00043441136123134605, -7.741518635839073),
    (0.0009356351875005053, -6.974284914405566),
    (0.0015032762331439464, -6.500108397244627),
    (0.001953125, -6.238324625039508),
    (0.003237756342918452, -5.732874675811164),
    (0.011204223907091748, -4.491464437216689),
    (0.024131657391265104, -3.724230715783324),
    (0.03877210638002704, -3.2500541986222515),
    (0.08350736251426816, -2.48282047718884),
    (0.179858156937309, -1.715586755755493),
    (0.25, -1.3862943611198906),
    (0.28897640477081876, -1.2414102385944201),
    (0.4999999999999998, -0.6931471805599457),
    (0.5, -0.6931471805599453),
    (0.5000000000000002, -0.6931471805599448),
    (0.6223973790523218, -0.4741765171610089),
    (0.75, -0.2876820724517809),
    (0.9374999999999998, -0.06453852113757141),
    (0.9375, -0.06453852113757118),
    (0.9375000000000002, -0.06453852113757093),
    (0.9999999850988388, -1.490116130486996e-08),
    (0.9999999999999996, -4.440892098500627e-16),
    (0.9999999999999998, -2.2204460492503136e-16),
    (1.0, 0.0),
)
