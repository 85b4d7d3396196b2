"""From exact numerators to released blocks: the one place where private integers meet random bits.

Room: release. Imports mechanism, planner and request. A block is a column of released numbers: cell, index, value and
noise interval. Everything in it but the index is a function of the index and of public parameters.

    value = shift + factor * grid * index;  interval = value +- factor * reach, inside the public range
    theory: docs/theory/planning.md (33)

Which path a part takes (vector or scalar, inline or side file) depends on its public range and number of cells only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property

from snapdp.exact.numbers import to_float_down, to_float_nearest, to_float_up
from snapdp.mechanism.snapping import Snapping, integer_indices
from snapdp.planner.plan import Line
from snapdp.planner.reach import reach
from snapdp.queries.base import Part
from snapdp.randomness.bits import BitSource
from snapdp.release.request import Request
from snapdp.values import Value

Bits = Callable[[int, int], BitSource]  # of a statistic and a part, by their numbers
Printed = int | float


class Block(Value):
    """A column of numbers to publish, one for each cell. `indices` is empty where the block is derived.

    statistic    the title of what the numbers are
    lows, highs  noise intervals at level 1 - alpha; None where there is none
    """

    name: str
    statistic: str
    alpha: Fraction
    cells: tuple[str, ...]
    values: tuple[Printed, ...]
    lows: tuple[Printed | None, ...]
    highs: tuple[Printed | None, ...]
    indices: tuple[int, ...] = ()


class Drawn(Value):
    """One part after the draw: its indices, and everything public that turns them into numbers."""

    line: Line
    part: Part
    mechanism: Snapping
    indices: tuple[int, ...]

    def numerator(self, cell: int) -> Fraction:
        """Return the released numerator of a cell."""
        return self.mechanism.parameters.data_value(self.indices[cell])

    def statistic(self, cell: int) -> Fraction:
        """Return the released statistic of a cell, exactly."""
        return self.part.numerator.statistic(self.numerator(cell))

    def interval(self, cell: int, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """Return the noise interval of a cell at level 1 - alpha, in units of the statistic."""
        numerator, half = self.part.numerator, reach(self.mechanism.parameters, alpha=alpha)
        low, high = numerator.statistic_range
        middle, reached = self.statistic(cell), numerator.factor * half
        return min(max(middle - reached, low), high), max(min(middle + reached, high), low)

    @cached_property
    def block(self) -> Block:
        """Return the numbers as they are published."""
        numerator, alpha = self.part.numerator, self.line.alpha
        seen: dict[int, tuple[Printed, Printed, Printed]] = {}
        rows = []
        for cell, index in enumerate(self.indices):
            if index not in seen:  # many cells share an index: counts are small numbers
                low, high = self.interval(cell, alpha)
                value = numerator.printed(self.numerator(cell))
                seen[index] = (value, *printed_interval(low, high, whole=numerator.integers))
            rows.append(seen[index])
        values, lows, highs = zip(*rows, strict=True)
        return Block(
            name=numerator.name,
            statistic=self.line.query.title,
            alpha=alpha,
            cells=tuple(self.line.query.labels()),
            values=values,
            lows=lows,
            highs=highs,
            indices=self.indices,
        )


def draw(request: Request, exact: Sequence[Sequence[Sequence[int]]], bits: Bits) -> list[list[Drawn]]:
    """Return the released indices of every part of every statistic. The only function that draws."""
    return [
        [
            Drawn(line=line, part=part, mechanism=m, indices=tuple(map(int, integer_indices(m, values, bits(i, j)))))
            for j, (part, m, values) in enumerate(zip(line.query.parts, mechanisms, numerators, strict=True))
        ]
        for i, (line, mechanisms, numerators) in enumerate(zip(request.lines, request.mechanisms, exact, strict=True))
    ]


def printed_interval(low: Fraction, high: Fraction, *, whole: bool) -> tuple[Printed, Printed]:
    """Return the ends as they print: rounded outward, or inward to the whole numbers that the truth is among."""
    if whole:
        return math.ceil(low), math.floor(high)
    return to_float_down(low), to_float_up(high)


def printed_value(x: Fraction) -> float:
    return to_float_nearest(x) + 0.0
