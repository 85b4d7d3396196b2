"""From exact numerators to released blocks: the one place where private integers meet random bits.

A block is a column of released numbers: cell, index, value, what is shown of it, and noise interval.
Everything in it but the index is a function of the index and of public parameters.

    value = shift + factor * grid * index;  interval = value +- factor * reach, inside the public range
    shown = value, inside the public range                                    theory: docs/theory/planning.md (33)

A value is what was drawn and errs to both sides alike: sums, averages and margins are made of values. Shown is what
some table may have: a count is not negative. Both are published. Which path a part takes (vector or scalar, inline or
side file) depends on its public range and number of cells only.

What follows from released numbers (means, standard deviations, correlations, shares, adjusted margins) is a function of
released indices and public parameters, so it costs nothing; every such block says that it is derived, and from what.
Intervals are combined: if each of k inputs misses its truth with probability alpha/k at most, the result misses with
probability alpha at most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

from snapdp.accuracy.interval import reach_of
from snapdp.exact.dyadic import nearest_index
from snapdp.exact.numbers import ratio_down, ratio_nearest, ratio_up
from snapdp.mechanism.mechanism import Mechanism, integer_indices
from snapdp.randomness.bits import BitSource
from snapdp.release.request import Request
from snapdp.studies.columns import INLINE
from snapdp.studies.grouping.keys import KeyLabels
from snapdp.studies.grouping.margins import Margin
from snapdp.studies.labels import Label
from snapdp.studies.plans.lines import Line
from snapdp.studies.statistics.parts import FITS_INT64, CellColumns, Derived, Part, Printed
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import Value, Values, replaced

LARGEST_INTEGER = 1 << 53  # whole numbers below it are doubles
PAGE = 1 << 20  # cells whose numbers are made at one time, of a statistic by keys
Bits = Callable[[int, int], BitSource]  # of a statistic and a part, by their numbers


class Block(Value):
    """A column of numbers to publish, one for each cell. `indices` is None where the block is derived.

    statistic    the title of what the numbers are
    cells        the name of each cell: a text, or one text for each of `keys`
    keys         the columns that cells are named by, where these are several
    shown        the values, each moved to the nearest one that the statistic can have
    lows, highs  noise intervals at confidence 1 - alpha; None where there is none
    margin       the columns that tell cells apart, of a statistic with margins: the places of those that groups are by
    deviation    the standard deviation of each number, where it is known: one for all, or for each
    """

    name: str
    statistic: str
    alpha: Fraction
    cells: Sequence[Label]
    values: Sequence[Printed]
    shown: Sequence[Printed]
    lows: Sequence[Printed | None]
    highs: Sequence[Printed | None]
    indices: Sequence[int] | None = None
    keys: tuple[str, ...] = ()
    margin: Margin | None = None
    deviation: float | tuple[float, ...] | None = None

    @property
    def listed(self) -> Values:
        """Return the numbers as records list them."""
        cells = [list(each) for each in self.cells] if self.keys else list(self.cells)
        found: Values = {"cells": len(cells), "cell": cells}
        if self.indices is not None:
            found["index"] = list(self.indices)
        numbers = {"value": self.values, "shown": self.shown, "low": self.lows, "high": self.highs}
        return {**found, **{name: list(column) for name, column in numbers.items()}}


class PagedBlock(Block):
    """A block of very many cells by keys, whose numbers are made a page at a time: it holds none of them itself.

    page   of the first cell and the one behind the last: the block of these, without names
    """

    values: Sequence[Printed] = ()
    shown: Sequence[Printed] = ()
    lows: Sequence[Printed | None] = ()
    highs: Sequence[Printed | None] = ()
    page: Callable[[int, int], Block]

    @property
    def page_count(self) -> int:
        return -(-len(self.cells) // PAGE)

    def pages(self) -> Iterator[Block]:
        """Yield its numbers in order."""
        for start in range(0, len(self.cells), PAGE):
            yield self.page(start, min(start + PAGE, len(self.cells)))


def is_paged(cells: Sequence[Label]) -> bool:
    """Tell whether the numbers of cells are made by pages: a matter of their public number, and of keys."""
    return isinstance(cells, KeyLabels) and len(cells) > INLINE


class CellNumbers(Value):
    """What turns an index into a statistic and its noise interval, in integers over one public denominator.

    statistic = (slope * index + shift)/denominator, interval = statistic +- reach/denominator inside low to high
    """

    denominator: int
    slope: int
    shift: int
    reach: int
    low: int
    high: int

    def of(self, index: int) -> tuple[int, int, int]:
        """Return statistic and interval of an index, times the denominator."""
        middle, low, high = self.slope * index + self.shift, self.low, self.high
        return middle, min(max(middle - self.reach, low), high), max(min(middle + self.reach, high), low)

    def possible(self, index: int) -> int:
        """Return the statistic nearest to that of an index which some table may have, times the denominator."""
        return min(max(self.slope * index + self.shift, self.low), self.high)

    def columns(self, indices: Sequence[int]) -> CellColumns:
        """Return the same of many indices, as arrays of integers: of 64 bits where these hold them all, else of any."""
        import numpy as np

        far = max(map(abs, (int(min(indices)), int(max(indices)))))
        most = abs(self.slope) * far + abs(self.shift) + self.reach + max(abs(self.low), abs(self.high))
        middle = np.array(indices, dtype=np.int64 if most < FITS_INT64 else object) * self.slope + self.shift
        low, high = (np.clip(middle + way * self.reach, self.low, self.high) for way in (-1, 1))
        return CellColumns(denominator=self.denominator, value=middle, low=low, high=high)


class Drawn(Value):
    """One part after the draw: its indices, and everything public that turns them into numbers."""

    line: Line
    part: Part
    mechanism: Mechanism
    indices: Sequence[int]

    @property
    def alpha(self) -> Fraction:
        """Return the alpha of its intervals."""
        return self.line.alpha

    @property
    def is_known(self) -> bool:
        """Tell whether its indices are those that were drawn; an audit may not have looked at them."""
        return True

    def numerator(self, index: int) -> Fraction:
        """Return the released numerator that an index stands for."""
        return self.mechanism.parameters.data_value(int(index))

    def statistic(self, cell: int) -> Fraction:
        """Return the released statistic of a cell, exactly."""
        return self.part.numerator.statistic(self.numerator(self.indices[cell]))

    def possible(self, cell: int) -> Fraction:
        """Return the released statistic of a cell, moved into the public range."""
        return Fraction(self._published.possible(int(self.indices[cell])), self._published.denominator)

    def interval(self, cell: int, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """Return the noise interval of a cell at confidence 1 - alpha, in units of the statistic."""
        numbers = self.cell_numbers(alpha)
        _, low, high = numbers.of(int(self.indices[cell]))
        return Fraction(low, numbers.denominator), Fraction(high, numbers.denominator)

    def columns(self, alpha: Fraction) -> CellColumns:
        """Return statistics and noise intervals of all cells."""
        return self.cell_numbers(alpha).columns(self.indices)

    def cell_numbers(self, alpha: Fraction) -> CellNumbers:
        """Return statistic and noise interval at confidence 1 - alpha as functions of the index."""
        numerator, p = self.part.numerator, self.mechanism.parameters
        assert (p.end_lower, p.end_upper) == (p.low * p.grid, p.high * p.grid)  # the ends are outputs like others
        names = ("slope", "shift", "reach", "low", "high")
        slope, shift = numerator.factor * p.data_grid, numerator.shift
        rationals = (slope, shift, numerator.factor * reach_of(p, alpha=alpha), *numerator.statistic_range)
        common = math.lcm(*(x.denominator for x in rationals))
        return CellNumbers(
            denominator=common, **{name: int(x * common) for name, x in zip(names, rationals, strict=True)}
        )

    @property
    def is_whole(self) -> bool:
        """Tell whether all outputs are whole numbers."""
        return is_whole(self.part, self.mechanism)

    @cached_property
    def _published(self) -> CellNumbers:
        return self.cell_numbers(self.line.alpha)

    def _printed(self, index: int) -> tuple[Printed, Printed, Printed]:
        """Return value and interval of an index, as they print.

        Whole statistics as integers, the interval inward to those that the truth is among; others as doubles, outward.
        """
        value, low, high = self._published.of(index)
        common = self._published.denominator
        if self.is_whole:
            return self._number(value), -(-low // common), high // common
        return self._number(value), ratio_down(low, common), ratio_up(high, common)

    def _shown(self, index: int) -> Printed:
        """Return what is shown of an index: its value, moved to what the statistic can be."""
        return self._number(self._published.possible(index))

    def _number(self, scaled: int) -> Printed:
        """Return a statistic as it prints, from its integer over the common denominator."""
        common = self._published.denominator
        if self.is_whole and scaled % common == 0:
            return scaled // common
        return ratio_nearest(scaled, common)

    def index_printed_as(self, numbers: tuple[Printed | None, ...]) -> int | None:
        """Return the index whose value and interval print as these; None where there is none."""
        p, numerator = self.mechanism.parameters, self.part.numerator
        if not isinstance(numbers[0], (int, float)):
            return None
        near = nearest_index((Fraction(numbers[0]) - numerator.shift) / numerator.factor, p.data_grid)
        candidates = range(max(near - 1, p.low), min(near + 1, p.high) + 1)
        return next((index for index in candidates if self._printed(index) == numbers), None)

    @cached_property
    def block(self) -> Block:
        """Return the numbers as they are published."""
        cells = self.line.statistic.labels_of(self.part.margin)
        if is_paged(cells):
            return PagedBlock(
                name=self.part.numerator.name,
                statistic=self.line.statistic.title,
                alpha=self.line.alpha,
                cells=cells,
                keys=self.line.statistic.keys,
                page=self._page,
            )
        return self._block(cells)

    def _page(self, start: int, stop: int) -> Block:
        return self.some(start, stop)._block(())

    def some(self, start: int, stop: int) -> Drawn:
        """Return some of the cells that follow each other, as a part of their own."""
        chosen = self.indices[start:stop]
        return replaced(self, indices=[int(each) for each in chosen] if len(chosen) <= INLINE else chosen)

    def _block(self, cells: Sequence[Label]) -> Block:
        values, shown, lows, highs = self._columns()
        return Block(
            name=self.part.numerator.name,
            statistic=self.line.statistic.title,
            alpha=self.line.alpha,
            cells=cells,
            values=values,
            shown=shown,
            lows=lows,
            highs=highs,
            indices=self.indices,
            keys=self.line.statistic.keys_of(self.part.margin),
            margin=self.part.margin,
        )

    def _row(self, index: int) -> tuple[Printed, Printed, Printed, Printed]:
        value, low, high = self._printed(index)
        return value, self._shown(index), low, high

    def _columns(self) -> tuple[Sequence[Printed], Sequence[Printed], Sequence[Printed], Sequence[Printed]]:
        if len(self.indices) <= INLINE:
            values, shown, lows, highs = zip(*map(self._row, self.indices), strict=True)
            return values, shown, lows, highs
        if self._fits_doubles:
            return self._exact_columns()
        import numpy as np

        # Many cells share an index: each distinct one is printed once.
        distinct, place = _distinct(np.asarray(self.indices))
        columns = zip(*map(self._row, distinct.tolist()), strict=True)
        found: Any = tuple(np.array(column)[place] for column in columns)
        return found  # type: ignore[no-any-return]

    @property
    def _fits_doubles(self) -> bool:
        """Tell whether every number that can be drawn is a double: below 2^53 over a power of two. Public."""
        numbers, p = self._published, self.mechanism.parameters
        if self.is_whole or numbers.denominator & (numbers.denominator - 1) or numbers.denominator > LARGEST_INTEGER:
            return False
        far = abs(numbers.slope) * max(abs(p.low), abs(p.high)) + abs(numbers.shift) + numbers.reach
        return max(far, abs(numbers.low), abs(numbers.high)) < LARGEST_INTEGER

    def _exact_columns(self) -> tuple[Any, Any, Any, Any]:
        """Return what `_row` prints of each index, all cells at once: then neither conversion nor division rounds."""
        import numpy as np

        numbers = self._published
        found = numbers.columns(self.indices)
        possible = np.clip(found.value, numbers.low, numbers.high)
        value, shown, low, high = (
            each.astype(np.float64) / float(numbers.denominator)
            for each in (found.value, possible, found.low, found.high)
        )
        return value, shown, low, high


def _distinct(indices: Any) -> tuple[Any, Any]:
    """Return the distinct indices, increasing, and the place of each among them: as `numpy.unique` does.

    Where they lie close together they are counted, which takes no sorting.
    """
    import numpy as np

    low, span = int(indices.min()), int(indices.max()) - int(indices.min())
    if indices.dtype != np.int64 or span > 4 * len(indices):
        return np.unique(indices, return_inverse=True)
    above = indices - low
    is_there = np.zeros(span + 1, dtype=bool)
    is_there[above] = True
    return np.flatnonzero(is_there) + low, (np.cumsum(is_there) - 1)[above]


def is_whole(part: Part, m: Mechanism) -> bool:
    """Tell whether all outputs are whole numbers: of counts and sums of integers, on a grid of whole numbers."""
    return part.numerator.integers and m.parameters.data_grid.denominator == 1


def draw(request: Request, exact: Sequence[Sequence[Sequence[int]]], bits: Bits) -> list[list[Drawn]]:
    """Return the released indices of every part of every statistic. The only function that draws."""
    return [
        [
            Drawn(line=line, part=part, mechanism=m, indices=_indices(m, values, bits(i, j)))
            for j, (part, m, values) in enumerate(zip(line.statistic.parts, mechanisms, numerators, strict=True))
        ]
        for i, (line, mechanisms, numerators) in enumerate(zip(request.lines, request.mechanisms, exact, strict=True))
    ]


def _indices(m: Mechanism, values: Sequence[int], bits: BitSource) -> Sequence[int]:
    found = integer_indices(m, values, bits)
    return list(map(int, found)) if len(found) <= INLINE else found


# Derived blocks: each statistic says itself what follows from it.


def derived_blocks(drawn: Sequence[Sequence[Drawn]]) -> Iterator[tuple[int, Block]]:
    """Yield everything that follows from the released parts, with the number of the statistic it belongs to."""
    study = [(parts[0].line.statistic, parts) for parts in drawn]
    for number, (statistic, parts) in enumerate(study):
        if is_paged(statistic.labels):
            yield from ((number, block) for block in _paged(statistic, parts))
            continue
        for found in statistic.derived(parts, study):
            yield number, _block(found, parts[0].alpha, statistic.labels_of(found.margin), statistic)


def _block(found: Derived, alpha: Fraction, cells: Sequence[Label], statistic: Statistic) -> Block:
    values, lows, highs = found.columns
    return Block(
        name=found.name,
        statistic=found.title,
        alpha=alpha,
        cells=cells,
        values=values,
        shown=_inside(values if found.shown is None else found.shown, lows, highs),
        lows=lows,
        highs=highs,
        keys=statistic.keys_of(found.margin),
        margin=found.margin,
        deviation=found.deviation,
    )


def _paged(statistic: Statistic, parts: Sequence[Drawn]) -> Iterator[Block]:
    """Yield what follows from parts of very many cells, by pages: in each cell from this cell of the parts alone.

    What follows is known by its first page; no kind derives anything by keys from other statistics of a study.
    """
    alpha = parts[0].alpha

    def page(name: str, start: int, stop: int) -> Block:
        some = [each.some(start, stop) for each in parts]
        found = next(each for each in statistic.derived(some, [(statistic, some)]) if each.name == name)
        return _block(found, alpha, (), statistic)

    first = [each.some(0, INLINE + 1) for each in parts]
    for found in statistic.derived(first, [(statistic, first)]):
        yield PagedBlock(
            name=found.name,
            statistic=found.title,
            alpha=alpha,
            cells=statistic.labels,
            keys=statistic.keys,
            page=partial(page, found.name),
        )


def _inside(
    values: Sequence[Printed], lows: Sequence[Printed | None], highs: Sequence[Printed | None]
) -> Sequence[Printed]:
    """Return the values, each moved into its interval where it has one.

    A value is made of parts as they were drawn, its interval of parts as they can be: a count beyond n, say, divides.
    """
    rows = zip(values, lows, highs, strict=False)  # a record that is audited may lack some: its parts say so
    return [each if low is None or high is None else min(max(each, low), high) for each, low, high in rows]
