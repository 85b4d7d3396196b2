"""Everything public about one snapping mechanism, in exact rationals; the two coordinate systems; and the arithmetics.

A SnappingParameters is all that the decision, the filter and the law need; it holds no data.
Inner coordinates are (data - offset)/unit: data units themselves in exact arithmetic (offset 0, unit 1), sensitivities
counted from the middle of the range in finite precision. Only this module converts between the two.

    index = clamp(floor((clamp(value) + Y)/grid + 1/2), low, high),  Y ~ Laplace(noise_scale)        theory (1)
    released number = offset + unit * grid * index                                                  theory (2)

Which arithmetic is asked for has one spelling everywhere, as flag, study key and Python keyword: `arithmetic` =
"exact", "proved" or "notes", and `bits`; `arithmetic_of` is the one place that reads them.
Theory: docs/theory/mechanism.md; of p-bit arithmetic docs/theory/finite-precision.md.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from functools import cached_property
from typing import Any, NewType

from snapdp.errors import BoundError, ParameterError
from snapdp.exact.dyadic import exponent_of_power, floor_log2, nearest_multiple, power_of_two, power_of_two_at_least
from snapdp.exact.enclosure import decided_ceil
from snapdp.exact.functions import ln_enclosure
from snapdp.exact.numbers import datum, parameter, positive, probability, shown, to_float_nearest
from snapdp.values import Value

DataUnits = NewType("DataUnits", Fraction)
Inner = NewType("Inner", Fraction)

LARGEST_INDEX = 1 << 52  # then every multiple of the grid inside the clamp is a double
LARGEST_DOUBLE, SMALLEST_DOUBLE = Fraction(sys.float_info.max), Fraction(1, 1 << 1074)
FINE = 16  # the default grid of exact arithmetic is the natural one divided by this
EXACT_GAMMA = Fraction(1, 1 << 40)  # the clamp changes an output with at most this probability; wide costs nothing
FINITE_GAMMA = Fraction(1, 20)  # the same of finite precision, where a wide clamp takes bits


class Declaration(Value):
    """What the user declares, validated: the public facts both arithmetics start from."""

    epsilon: Fraction
    sensitivity: DataUnits
    lower: DataUnits
    upper: DataUnits

    @classmethod
    def parse(cls, *, epsilon: Any, sensitivity: Any, lower: Any, upper: Any) -> Declaration:
        low, high = parameter(lower, name="lower"), parameter(upper, name="upper")
        if low >= high:
            raise BoundError(
                f"lower = {shown(lower)} is not below upper = {shown(upper)}.",
                "The public range of the statistic needs lower < upper; were the two swapped?",
                lower=low,
                upper=high,
            )
        if parameter(sensitivity, name="sensitivity") == 0:
            raise ParameterError(
                "sensitivity = 0 would publish the exact value.",
                "Give the most that one person can change the statistic; it is positive.",
            )
        return cls(
            epsilon=positive(epsilon, name="epsilon"),
            sensitivity=DataUnits(positive(sensitivity, name="sensitivity")),
            lower=DataUnits(low),
            upper=DataUnits(high),
        )


class SnappingParameters(Value):
    """All public constants of one mechanism, immutable.

    declared                  epsilon, sensitivity, lower, upper as the user means them (data units)
    offset, unit              data = offset + unit * inner
    noise_scale, grid         of the Laplace noise and of the outputs (inner)
    value_lower, value_upper  a value is clamped to these first: the public range, outward to the grid (inner)
    low, high                 the output index is clamped to these; end_lower, end_upper are their numbers (inner)
    precision, effective_epsilon, bound, rule    of finite precision; None in exact arithmetic
    slack                     what finite precision of few bits may lose beyond epsilon, declared
    step                      values are first rounded to multiples of this (data units)
    """

    declared: Declaration
    offset: DataUnits
    unit: DataUnits
    noise_scale: Inner
    grid: Inner
    value_lower: Inner
    value_upper: Inner
    low: int
    high: int
    end_lower: Inner
    end_upper: Inner
    precision: Precision | None = None
    effective_epsilon: Fraction | None = None
    bound: Inner | None = None
    rule: str | None = None
    step: DataUnits | None = None
    slack: Fraction = Fraction(0)

    def _check(self) -> None:
        largest = max(abs(self.low), abs(self.high), math.ceil(self.furthest / self.data_grid))
        if largest > LARGEST_INDEX:  # beyond it doubles are further apart than outputs: theory (9)
            raise BoundError(
                f"the outputs reach {shown(largest)} grid steps from zero; at most 2**52 on each side are allowed.",
                "Take a coarser grid, a smaller epsilon, or a range nearer to zero.",
                low=self.low,
                high=self.high,
            )
        if self.furthest > LARGEST_DOUBLE or self.data_grid < SMALLEST_DOUBLE:
            raise BoundError("the outputs leave the range of doubles.", "Use other units for the statistic.")

    @property
    def epsilon(self) -> Fraction:
        """Return the privacy loss of one release."""
        return self.declared.epsilon

    @property
    def charge(self) -> Fraction:
        """Return what a release costs: epsilon, and the slack where one is declared."""
        return self.epsilon + self.slack

    @property
    def sensitivity(self) -> DataUnits:
        """Return the most that neighbours differ, in units of the data."""
        return self.declared.sensitivity

    @property
    def lower(self) -> DataUnits:
        """Return the lower end of the public range, in units of the data."""
        return self.declared.lower

    @property
    def upper(self) -> DataUnits:
        """Return the upper end of the public range, in units of the data."""
        return self.declared.upper

    @property
    def arithmetic(self) -> str:
        """Return "exact" or "finite precision"."""
        return "exact" if self.precision is None else "finite precision"

    @property
    def eta(self) -> Fraction | None:
        """Return the relative rounding error of finite precision; None in exact arithmetic."""
        return None if self.precision is None else self.precision.eta

    @cached_property
    def data_grid(self) -> DataUnits:
        """Return the distance of two neighbouring outputs."""
        return DataUnits(self.unit * self.grid)

    @property
    def ends(self) -> tuple[int, int]:
        """Return the least and the greatest index."""
        return self.low, self.high

    @cached_property
    def furthest(self) -> DataUnits:
        """Return the largest distance of an output from zero."""
        return DataUnits(max(abs(self.data_value(k)) for k in self.ends))

    @cached_property
    def printing_error(self) -> DataUnits:
        """Return the most by which a printed double differs from the exact number of its index: theory (9).

        Half the spacing of doubles at the output furthest from zero; nothing where every output is a double.
        """
        return DataUnits(Fraction(0) if self._prints_exactly else spacing_of_doubles(self.furthest) / 2)

    @property
    def _prints_exactly(self) -> bool:
        """Return whether all outputs are doubles: on a lattice, or as few multiples of another power of two."""
        if self.lattice is not None:
            return True
        numbers = (self.offset, self.data_grid, *(self.data_value(k) for k in self.ends))
        step = Fraction(1, max(number.denominator for number in numbers))
        return exponent_of_power(step) is not None and step >= SMALLEST_DOUBLE and self.furthest <= step * 2**53

    @cached_property
    def lattice(self) -> tuple[int, int] | None:
        """Return (exponent, origin) where outputs are (index + origin) * 2**exponent, else None.

        On a lattice a double or an integer is divided by the grid without rounding.
        """
        exponent = exponent_of_power(self.data_grid)
        origin = self.offset / self.data_grid
        if exponent is None or origin.denominator != 1:
            return None
        furthest = max(abs(self.low + origin), abs(self.high + origin))
        ends_on_grid = self.end_upper == self.high * self.grid and self.end_lower == self.low * self.grid
        return (exponent, int(origin)) if furthest <= LARGEST_INDEX and ends_on_grid else None

    @cached_property
    def value_clamp(self) -> tuple[DataUnits, DataUnits]:
        """Return the ends of the clamp on values, in data units."""
        lower, upper = self.offset + self.unit * self.value_lower, self.offset + self.unit * self.value_upper
        return DataUnits(lower), DataUnits(upper)

    def inner(self, value: Any) -> Inner:
        """Return a data value (int, float, Fraction, Decimal, numpy scalar) in inner coordinates, clamped."""
        if isinstance(value, float) and math.isinf(value):
            return self.value_upper if value > 0 else self.value_lower
        exact = datum(value) if self.step is None else nearest_multiple(datum(value), self.step)
        return self.clamped(Inner((exact - self.offset) / self.unit))

    def clamped(self, value: Inner) -> Inner:
        """Return a value moved inside the range, in inner units."""
        return min(max(value, self.value_lower), self.value_upper)

    def inner_value(self, index: int) -> Inner:
        """Return the inner coordinate of an output index."""
        if index == self.low:
            return self.end_lower
        return self.end_upper if index == self.high else Inner(index * self.grid)

    def data_value(self, index: int) -> DataUnits:
        """Return the exact released number of an output index."""
        return DataUnits(self.offset + self.unit * self.inner_value(index))

    def released(self, index: int) -> float:
        """Return the double that is printed: the exact number of the index, correctly rounded."""
        if self.lattice is not None:
            return math.ldexp(index + self.lattice[1], self.lattice[0])
        return to_float_nearest(self.data_value(index)) + 0.0  # a tiny negative number must not print as -0.0


def spacing_of_doubles(x: Fraction) -> Fraction:
    """Return the distance of neighbouring doubles around x >= 0; at a power of two, that of the ones above."""
    return max(power_of_two(floor_log2(x) - 52), SMALLEST_DOUBLE) if x else SMALLEST_DOUBLE


def chosen_grid(asked: Any, *, noise_scale: Fraction, default: str) -> Inner:
    """Return the grid asked for: "natural", "fine", or a power of two in inner units."""
    choice = default if asked is None else asked
    if isinstance(choice, str) and choice in ("natural", "fine"):
        natural = power_of_two_at_least(noise_scale)
        return Inner(natural if choice == "natural" else natural / FINE)
    grid = parameter(choice, name="grid")
    if exponent_of_power(grid) is None:
        raise BoundError(
            f"grid = {shown(choice)} is not a power of two.",
            'Give "natural", "fine", or a power of two such as "1/8" or 4.',
            grid=grid,
        )
    return Inner(grid)


def exact_parameters(
    *, epsilon: Any, sensitivity: Any, lower: Any, upper: Any, grid: Any = None, clamp: Any = "wide", gamma: Any = None
) -> SnappingParameters:
    """Return the parameters of the mechanism in exact arithmetic, where inner = data.

    noise_scale = Delta/eps; no condition ties grid and clamp to it (theory (3)). clamp="wide" widens the public range
    so that it changes an output with probability at most gamma; clamp="range" is the public range; or (low, high).
    """
    declared = Declaration.parse(epsilon=epsilon, sensitivity=sensitivity, lower=lower, upper=upper)
    noise_scale = Inner(declared.sensitivity / declared.epsilon)
    chosen = chosen_grid(grid, noise_scale=noise_scale, default="fine")
    range_low, range_high = math.floor(declared.lower / chosen), math.ceil(declared.upper / chosen)
    low, high = _clamp_indices(
        clamp, gamma, noise_scale=noise_scale, grid=chosen, declared=declared, inside=(range_low, range_high)
    )
    return SnappingParameters(
        declared=declared,
        offset=DataUnits(Fraction(0)),
        unit=DataUnits(Fraction(1)),
        noise_scale=noise_scale,
        grid=chosen,
        value_lower=Inner(range_low * chosen),
        value_upper=Inner(range_high * chosen),
        low=low,
        high=high,
        end_lower=Inner(low * chosen),
        end_upper=Inner(high * chosen),
    )


def _clamp_indices(
    clamp: Any, gamma: Any, *, noise_scale: Inner, grid: Inner, declared: Declaration, inside: tuple[int, int]
) -> tuple[int, int]:
    allowed = EXACT_GAMMA if gamma is None else probability(gamma, name="gamma", sure=True)
    is_named = isinstance(clamp, str) and clamp in ("wide", "range")
    if gamma is not None and not (is_named and clamp == "wide"):
        raise ParameterError(
            f"gamma chooses a clamp, and clamp = {shown(clamp)} is given.", "Give gamma or a clamp, one of the two."
        )
    if is_named:
        if clamp == "range":
            return inside
        above = binding_index(declared.upper / grid, scale=noise_scale / grid, gamma=allowed)
        below = binding_index(-declared.lower / grid, scale=noise_scale / grid, gamma=allowed)
        return min(inside[0], -below), max(inside[1], above)
    if not isinstance(clamp, (tuple, list)) or len(clamp) != 2:
        raise BoundError(f"clamp = {shown(clamp)} is unknown.", 'Give "wide", "range", or a pair (low, high).')
    lowest, highest = (parameter(end, name="clamp") for end in clamp)
    if lowest > declared.lower or highest < declared.upper:
        raise BoundError(
            f"clamp = ({shown(lowest)}, {shown(highest)}) does not contain the public range "
            f"{shown(declared.lower)} to {shown(declared.upper)}.",
            'Widen the clamp, or give clamp="range".',
            clamp=(lowest, highest),
        )
    return math.floor(lowest / grid), math.ceil(highest / grid)


def binding_index(end: Fraction, *, scale: Fraction, gamma: Fraction) -> int:
    """Return the least index at which an upper clamp changes an output with probability <= gamma/2, f <= end.

        (high + 1/2) >= end + scale * ln(1/gamma)        theory (4); end and scale in grid steps

    ln of a rational below 1 is irrational, so the ceiling is decided at some precision.
    """
    return decided_ceil(lambda bits: ln_enclosure(1 / gamma, bits) * scale + (end - Fraction(1, 2)))


# Arithmetics

ARITHMETICS = ("exact", "proved", "notes")
RULES = ("proved", "notes")
LARGEST_PRECISION = 1 << 12


class Precision(Value):
    """Bits of the uniform draw, the logarithm and the product; the sum is exact."""

    uniform: int
    logarithm: int
    product: int

    @classmethod
    def of(cls, bits: int) -> Precision:
        """Return one precision for every step."""
        return cls(uniform=bits, logarithm=bits, product=bits)

    def _check(self) -> None:
        for bits in (self.uniform, self.logarithm, self.product):
            if isinstance(bits, bool) or not isinstance(bits, int) or not 2 <= bits <= LARGEST_PRECISION:
                raise ParameterError(
                    f"a precision of {shown(bits)} bits is not usable.",
                    f"Give an integer from 2 to {LARGEST_PRECISION}.",
                )

    @property
    def eta(self) -> Fraction:
        """Return the largest unit roundoff of the three."""
        return Fraction(1, 1 << min(self.uniform, self.logarithm, self.product))


class FinitePrecision(Value):
    """Ask for the mechanism in p-bit arithmetic; bits=None takes the smallest p the rules allow, at least 118.

    rule="proved" charges the bound proved in docs/theory/finite-precision.md (any grid); rule="notes" the published
    constants (grid >= noise scale, bound > noise scale).
    slack, for few bits (24 is single precision): the noise scale is that of epsilon, the proved loss may exceed epsilon
    by this much, and epsilon + slack is what a release costs. For study; tables are never released with one.
    """

    bits: int | None = None
    rule: str = "proved"
    slack: Fraction = Fraction(0)

    def __init__(self, *, bits: int | None = None, rule: str = "proved", slack: Any = 0) -> None:
        super().__init__(bits=bits, rule=rule, slack=parameter(slack, name="slack"))

    def _check(self) -> None:
        if self.bits is not None:
            Precision.of(self.bits)
        if self.rule not in RULES:
            raise ParameterError(f"rule = {shown(self.rule)} is unknown.", 'Give rule="proved" or rule="notes".')
        if self.slack < 0:
            raise ParameterError(f"slack = {shown(self.slack)} is negative.", "Give slack > 0, or leave it out.")
        if self.slack and (self.bits is None or self.rule != "proved"):
            raise ParameterError(
                "slack is for a declared number of bits under the rule proved.",
                'Give bits, such as FinitePrecision(bits=24, slack="0.01"), or leave slack out.',
            )

    def __repr__(self) -> str:
        slack = f", slack={self.slack}" if self.slack else ""
        return f"FinitePrecision(bits={self.bits}, rule={self.rule!r}{slack})"


def arithmetic_of(arithmetic: object = None, bits: int | None = None) -> FinitePrecision | None:
    """Return the p-bit arithmetic that is asked for; None is exact arithmetic.

    arithmetic  "exact" (the same as None), "proved" or "notes"; or a FinitePrecision, which has its own bits
    bits        of every step of finite precision; None takes the smallest number the rules allow

    >>> arithmetic_of("notes", 118)
    FinitePrecision(bits=118, rule='notes')
    """
    if isinstance(arithmetic, FinitePrecision):
        if bits is not None:
            raise ParameterError("bits is given twice.", "FinitePrecision has its own bits: give them there alone.")
        return arithmetic
    if arithmetic is None or arithmetic == "exact":
        if bits is not None:
            raise ParameterError(
                "bits belongs to finite precision.",
                'Give arithmetic="proved" or arithmetic="notes" with it, or leave bits out.',
            )
        return None
    if not isinstance(arithmetic, str) or arithmetic not in RULES:
        raise ParameterError(f"arithmetic = {shown(arithmetic)} is unknown.", f"Give one of {', '.join(ARITHMETICS)}.")
    return FinitePrecision(bits=bits, rule=arithmetic)
