"""The quantiser: a cell to a level by exact, total operations, with widths proven from public declarations alone.

Holds no data and writes no SQL. A double c inside the bounds becomes

    q = floor((floor(c * 2**K) * times + shift) / divide)                                     theory (3)-(5)

which is floor((c - lower)/step + 1/2) in exact arithmetic. For a step that is a power of two and bounds within 2**51
steps of zero every operand is an integer below 2**53 and doubles do it; otherwise 64 or 128 bit integers.
Theory: docs/theory/exact-sums.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

from snapdp.errors import BoundError
from snapdp.exact.dyadic import exponent_at_least, floor_log2, power_of_two, power_of_two_at_least
from snapdp.exact.numbers import to_float_down, to_float_up
from snapdp.studies.columns import NumberColumn
from snapdp.values import Value

DOUBLE, NARROW, WIDE = "double", "narrow", "wide"
MOST_LEVELS = 1 << 31  # so a product of two levels is at most 2**62
DOUBLE_STEPS = 1 << 51  # bounds within this many steps of zero: the formula runs on doubles
NARROW_BELOW, WIDE_BELOW = 1 << 63, 1 << 126  # below 10**38 as well, for engines whose widest integer is DECIMAL(38, 0)
LARGEST_EXPONENT = 900  # of a step: every constant is then a normal double, with room for the scaling


class Quantiser(Value):
    """The public constants of the formula for one column. Build one with `quantiser`.

    low, high   the bounds as doubles, just outside where a bound is no double
    scale       2**K
    integers    "double", "narrow" or "wide": the numbers that can hold every intermediate value
    """

    column: NumberColumn
    low: float
    high: float
    scale: float
    times: int
    shift: int
    divide: int
    integers: str

    @property
    def missing(self) -> int | None:
        """Return the level that stands in for a missing cell; None where nothing does."""
        column = self.column
        return None if column.missing is None else int((column.missing - column.lower) / column.step)


def quantiser_of(column: NumberColumn) -> Quantiser:
    """Return the formula of a column; refuse declarations whose intermediate values could leave their type.

    Premises, checked here: at most 2**31 levels; every intermediate integer below 2**126.      theory (3)-(5)

    >>> from snapdp.studies.columns import number_column
    >>> quantiser_of(number_column("age", lower=0, upper=120, step="1/2", missing="middle")).integers
    'double'
    """
    step, far = column.step, max(abs(column.lowest), abs(column.highest))
    at_fault = "upper" if column.has_usual_step else "step"
    if column.levels > MOST_LEVELS:
        enough = power_of_two_at_least((column.upper - column.lower) / MOST_LEVELS)
        raise BoundError(
            f"column {column.name!r} has {column.levels} steps between its bounds, more than {MOST_LEVELS:,}.",
            f"Give a step of at least {_round(enough)}, or bounds nearer to each other.",
            levels=column.levels,
            key=at_fault,
        )
    if abs(floor_log2(step)) > LARGEST_EXPONENT:
        raise BoundError(
            f"the step of column {column.name!r} lies outside 2**-900 to 2**900.",
            "Give the column in another unit.",
            key=at_fault,
        )
    # e and the quotient of two odd numbers whose product with 2**e is the step.
    twos = (step.numerator & -step.numerator).bit_length() - (step.denominator & -step.denominator).bit_length()
    exponent, odd = twos, step / power_of_two(twos)
    if odd.denominator == 1:
        # Levels meet at odd multiples of step/2: a floor to multiples of 2**(exponent-1) crosses none of them.
        k, times, unit = 1 - exponent, 1, odd.numerator
    else:
        # Levels meet at least step/2 from zero: a double closer than step/4 is in the level of zero, and every other
        # one is a multiple of 2**-k.
        k = max(0, exponent_at_least(4 / step) + 52)
        times, unit = 2 * step.denominator, step.numerator << k
    low, high = to_float_down(column.lower), to_float_up(column.upper)
    divide, shift = 2 * unit, unit * (1 - 2 * column.lowest)
    common = math.gcd(times, shift, divide)
    times, shift, divide = times // common, shift // common, divide // common
    largest = (
        math.ceil(max(abs(Fraction(end)) for end in (low, high)) * power_of_two(k))
        if math.isfinite(high - low)
        else WIDE_BELOW
    )
    widest = max(largest + 1, (largest + 1) * times + abs(shift), divide)
    if widest >= WIDE_BELOW:
        raise BoundError(
            f"the bounds of column {column.name!r} are too many steps of {step} away from zero for exact integers.",
            f"Give a step that is a power of two, such as {power_of_two_at_least(step)}, or bounds nearer to zero.",
            step=step,
            key=at_fault,
        )
    on_doubles = odd == 1 and far <= DOUBLE_STEPS
    return Quantiser(
        column=column,
        low=low,
        high=high,
        scale=math.ldexp(1.0, k),
        times=times,
        shift=shift,
        divide=divide,
        integers=DOUBLE if on_doubles else NARROW if widest < NARROW_BELOW else WIDE,
    )


def _round(step: Fraction) -> str:
    """Return a step as people write it: of a huge one, the power of ten above it."""
    return f"1e{len(str(step.numerator))}" if step > MOST_LEVELS else str(step)


def first_level_from(column: NumberColumn, value: Fraction) -> int:
    """Return the first level that stands for a number >= value; levels + 1 where there is none.

    >>> from snapdp.studies.columns import number_column
    >>> first_level_from(number_column("x", lower=0, upper=2, step="1/2", missing="middle"), Fraction(4, 5))
    2
    """
    return min(max(math.ceil((value - column.lower) / column.step), 0), column.levels + 1)


def first_level_above(column: NumberColumn, value: Fraction) -> int:
    """Return the first level that stands for a number > value; levels + 1 where there is none."""
    return min(max(math.floor((value - column.lower) / column.step) + 1, 0), column.levels + 1)
