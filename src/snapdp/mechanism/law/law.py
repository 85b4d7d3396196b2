"""Exact law of the mechanism: the probability of every output index for one value, without sampling.

It cannot see data.
Everything is evaluated when asked for, because an index range may be 2**52 wide. Results are enclosures; in finite
precision single probabilities above 2**-65536 are exact rationals, that is enclosures of one point.
Both arithmetics share one shape: P(index >= j) is a tail of the noise at b_j - value, b_j = (j - 1/2) grid, and moments
are sums of tails taken outward from the value, where nothing cancels. `exact` has the tails of a real Laplace draw in
closed form, `finite` those of the p-bit program.
Theory: docs/theory/exact-law.md, (1)-(9).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snapdp.errors import ParameterError
from snapdp.exact.dyadic import HALF, nearest_index
from snapdp.exact.enclosure import Enclosure, enclose, refine, refined
from snapdp.exact.numbers import datum, parameter, shown
from snapdp.mechanism.definition import clamped_index
from snapdp.mechanism.parameters import DataUnits, Inner, SnappingParameters
from snapdp.values import Value

if TYPE_CHECKING:
    from snapdp.exact.numbers import Parameter

Point = Fraction | float  # of the data axis: exact, or an infinity
MOMENT_BITS = 80  # moments are enclosed to 2**-80 of the grid (bias) or of themselves


class Row(Value):
    """One line of a law's table."""

    index: int
    value: DataUnits
    probability: Enclosure


class Law(ABC):
    """The law of the output for one clamped inner value."""

    def __init__(self, value: Inner, parameters: SnappingParameters) -> None:
        self.inner_value = value
        self.parameters = parameters

    @property
    def value(self) -> DataUnits:
        """Return the value whose output this is the law of, in data units, after step and clamp."""
        return DataUnits(self.parameters.offset + self.parameters.unit * self.inner_value)

    @property
    def support(self) -> range:
        """Return all indices. Each has a positive probability, except some far ones in arithmetic of few bits."""
        return range(self.parameters.low, self.parameters.high + 1)

    # In data units

    def probability(self, lower: Parameter, upper: Parameter | None = None) -> Enclosure:
        """Return P(lower <= output <= upper), or P(output = lower) where there is no upper.

        Ends are what they are, as in `release`: a double the number that it stores, text ("0.3", "1/3") what it says.
        An output counts at an end that is its exact number or the double it prints as.

        >>> from snapdp import Snapping
        >>> law = Snapping(epsilon=1, sensitivity=1, lower=0, upper=6, grid=1, clamp="range").law(2)
        >>> [f"{float(p):.4f}" for p in (law.probability(2), law.probability(1, 3), law.probability("2.5"))]
        ['0.3935', '0.7769', '0.0000']
        """
        start = _position(lower, name="lower")
        end = start if upper is None else _position(upper, name="upper")
        if start > end:
            raise ParameterError("lower is above upper.", "Give lower <= upper; were the two swapped?")
        # The least index of an output at or above x; one beyond the last where there is none.
        p = self.parameters
        index = min(max(_near(start, p) - 2, p.low), p.high)
        while index <= p.high and _printed(index, p)[1] < start:
            index += 1
        return self._mass(index, _last_to(end, self.parameters))

    def cdf(self, x: Parameter) -> Enclosure:
        """Return P(output <= x)."""
        return self.index_cdf(_last_to(_position(x, name="x"), self.parameters))

    def quantile(self, q: Parameter) -> DataUnits:
        """Return the least output that is reached with probability q: the least x with cdf(x) >= q."""
        return self.parameters.data_value(self.quantile_index(q))

    def _mass(self, first: int, last: int) -> Enclosure:
        """Return the probability of a run of indices, from tails on the side where they are small."""
        if first >= last:
            return self.index_probability(first) if first == last else ZERO
        if first > self.centre:
            found = self.upper_tail(first) - self.upper_tail(last + 1)
        elif last < self.centre:
            found = self.lower_tail(last + 1) - self.lower_tail(first)
        else:
            found = ONE - self.lower_tail(first) - self.upper_tail(last + 1)
        return Enclosure(max(found.lower, Fraction(0)), min(found.upper, Fraction(1)))

    # By index

    @abstractmethod
    def upper_tail(self, j: int) -> Enclosure:
        """Return P(index >= j) without cancellation when it is small."""

    @abstractmethod
    def lower_tail(self, j: int) -> Enclosure:
        """Return P(index < j) without cancellation when it is small."""

    @abstractmethod
    def index_probability(self, index: int) -> Enclosure:
        """Return P(index)."""

    @abstractmethod
    def index_log_probability(self, index: int) -> Enclosure | None:
        """Return ln P(index), however small that is; None where the output is impossible."""

    def index_cdf(self, index: int) -> Enclosure:
        """Return P(output index <= index)."""
        return self.lower_tail(index + 1)

    def quantile_index(self, q: Parameter) -> int:
        """Return the least index whose cdf is at least q."""
        least = parameter(q, name="q")
        if not 0 <= least <= 1:
            raise ParameterError(f"q = {least} is no probability.", "Give 0 <= q <= 1.")
        low, high = self.parameters.low, self.parameters.high
        while low < high:
            middle = (low + high) // 2
            if self._cdf_reaches(middle, least):
                high = middle
            else:
                low = middle + 1
        return low

    @abstractmethod
    def _cdf_reaches(self, index: int, least: Fraction) -> bool: ...

    @cached_property
    def clamp_mass(self) -> Enclosure:
        """Return the probability that the output is one of the two ends of the clamp."""
        return self.index_probability(self.parameters.low) + self.index_probability(self.parameters.high)

    @cached_property
    def mean(self) -> Enclosure:
        """Return E out, in data units."""
        return self.bias + self.value

    @cached_property
    def bias(self) -> Enclosure:
        """Return E out - value, in data units."""
        inner = self._expectation(lambda v: v - self.inner_value, absolute=True)
        return inner * self.parameters.unit

    @cached_property
    def mse(self) -> Enclosure:
        """Return E (out - value)**2, in squared data units."""
        inner = self._expectation(lambda v: (v - self.inner_value) ** 2, absolute=False)
        return inner * self.parameters.unit**2

    @cached_property
    def variance(self) -> Enclosure:
        """Return E (out - E out)**2, in squared data units."""
        size = abs(self.bias)
        square = size * size
        return Enclosure(max(Fraction(0), self.mse.lower - square.upper), self.mse.upper - square.lower)

    @abstractmethod
    def _expectation(self, h: Callable[[Fraction], Fraction], *, absolute: bool) -> Enclosure:
        """Return E h(out) in inner units, for a polynomial h of degree one or two."""

    def table(self, first: int | None = None, last: int | None = None) -> list[Row]:
        """Return the probabilities of a window of indices; the whole support where it is given no ends.

        A window of more than 100,000 rows is refused: ask for a part.
        """
        p = self.parameters
        start = p.low if first is None else max(first, p.low)
        stop = p.high if last is None else min(last, p.high)
        if stop - start >= 100_000:
            raise ParameterError(
                f"the window has {stop - start + 1} indices.", "Give first and last, at most 100000 indices apart."
            )
        return [
            Row(index=k, value=p.data_value(k), probability=self.index_probability(k)) for k in range(start, stop + 1)
        ]

    def breakpoint(self, j: int) -> Fraction:
        """Return b_j - value, in inner units: the noise from which the index is at least j."""
        return (j - HALF) * self.parameters.grid - self.inner_value

    @cached_property
    def centre(self) -> int:
        """Return the index nearest to the value: tails are summed outward from here."""
        return clamped_index(nearest_index(self.inner_value, self.parameters.grid), self.parameters)

    def step_up(self, h: Callable[[Fraction], Fraction], j: int) -> Fraction:
        """Return h(v_j) - h(v_(j-1))."""
        return h(self.parameters.inner_value(j)) - h(self.parameters.inner_value(j - 1))

    def full_rise(self, h: Callable[[Fraction], Fraction], j: int) -> Fraction:
        """Return by how much h rises over step j of the grid, j - 1 to j, if no clamp cuts the step short."""
        grid = self.parameters.grid
        return h(j * grid) - h((j - 1) * grid)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Law) and self._said == other._said

    def __hash__(self) -> int:
        return hash(self._said)

    @property
    def _said(self) -> tuple[Inner, SnappingParameters]:
        return self.inner_value, self.parameters

    def __repr__(self) -> str:
        p = self.parameters
        outputs = f"{shown(p.data_value(p.low))} to {shown(p.data_value(p.high))} in steps of {shown(p.data_grid)}"
        return f"Law(value={shown(self.value)}, outputs {outputs}, {p.arithmetic})"

    def _repr_html_(self) -> str:
        from snapdp.display.html import html_card

        p = self.parameters
        middle = (shown(self.quantile(q)) for q in ("0.025", "0.975"))
        rows = [
            ("value", shown(self.value)),
            ("19 of 20 outputs", " to ".join(middle)),
            ("all outputs", f"{shown(p.data_value(p.low))} to {shown(p.data_value(p.high))}"),
            ("distance of outputs", shown(p.data_grid)),
            ("arithmetic", p.arithmetic),
        ]
        return html_card("law of a released number", [(("", ""), rows)])


def law_of(value: Inner, parameters: SnappingParameters) -> Law:
    """Return the law of the output for a clamped inner value."""
    if parameters.precision is None:
        from snapdp.mechanism.law.exact import ExactLaw

        return ExactLaw(value, parameters)
    from snapdp.mechanism.law.finite import FiniteLaw

    return FiniteLaw(value, parameters)


def _position(value: Any, *, name: str) -> Point:
    """Return a point of the data axis exactly; an infinity stays one, beyond every output."""
    if isinstance(value, str):
        return parameter(value, name=name)
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            raise ParameterError(f"{name} is not a number.", "Give a number in the units of the data.")
        return value
    return datum(value)


def _printed(index: int, p: SnappingParameters) -> tuple[Fraction, Fraction]:
    """Return the exact number of an output and the double it prints as, the smaller one first."""
    exact, printed = Fraction(p.data_value(index)), Fraction(p.released(index))
    return min(exact, printed), max(exact, printed)


def _near(x: Point, p: SnappingParameters) -> int:
    """Return an index within two of the first and the last output on either side of a point."""
    if isinstance(x, float) or abs(x) > p.furthest:
        return p.high if x > 0 else p.low
    return nearest_index((x - p.offset) / p.unit, p.grid)


def _last_to(x: Point, p: SnappingParameters) -> int:
    """Return the greatest index of an output at or below x; one before the first where there is none."""
    index = max(min(_near(x, p) + 2, p.high), p.low)
    while index >= p.low and _printed(index, p)[0] > x:
        index -= 1
    return index


def narrow_enough(compute: Callable[[int], Enclosure], *, absolute: Fraction | None) -> Enclosure:
    """Return compute(precision) once it is as narrow as moments must be."""
    if absolute is None:
        return refined(compute, relative_bits=MOMENT_BITS)
    return refine(compute, until=lambda e: e.width <= absolute / (1 << MOMENT_BITS))


ZERO, ONE = enclose(0), enclose(1)
