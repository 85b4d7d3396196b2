"""Measured margins made into tables that add up: exact rationals as integers over one denominator.

Room: accuracy. Integer arrays are summed over axes; they hold int64 where no sum can leave it, which is proved from the
largest number given before anything is added, and Python's integers elsewhere. Nothing rounds. What comes in has been
released: how long this takes depends on public numbers only.
Theory: docs/theory/adjusted-tables.md, (3), (4), (7).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from snapdp.accuracy.adjusted.margins import TOTAL, Margin, MarginFamily, subsets
from snapdp.errors import ParameterError
from snapdp.exact import parameter

_LARGEST = (1 << 63) - 1


class ExactTable:
    """A table of exact rationals: integers, one axis for each attribute, over one positive denominator."""

    __slots__ = ("denominator", "numerators")

    def __init__(self, numerators: Any, denominator: int) -> None:
        self.numerators = numerators
        self.denominator = denominator

    def fractions(self) -> list[Fraction]:
        """Return all cells, the last attribute running fastest."""
        return [Fraction(int(each), self.denominator) for each in self.numerators.ravel()]

    def summed(self, axes: Iterable[int]) -> ExactTable:
        """Return the table summed over some of its axes."""
        return ExactTable(summed(self.numerators, tuple(axes)), self.denominator)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExactTable) or self.numerators.shape != other.numerators.shape:
            return False
        mine, theirs = (_integers(each.numerators).ravel() for each in (self, other))
        return bool((mine * other.denominator == theirs * self.denominator).all())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ExactTable(shape={self.numerators.shape}, denominator={self.denominator})"


def exact_table(cells: Any, sizes: Iterable[int], *, unit: Any = 1) -> ExactTable:
    """Return a table from its cells, the last attribute running fastest: whole numbers of a unit, or rationals.

    >>> exact_table([1, 2, 3, 4, 5, 6], [2, 3], unit="1/4")
    ExactTable(shape=(2, 3), denominator=4)
    """
    import numpy as np

    shape, factor = tuple(sizes), parameter(unit, name="unit")
    listed = np.asarray(cells)
    if listed.dtype.kind not in "iuO" or listed.size != math.prod(shape):
        raise ParameterError(
            f"{listed.size} cells of type {listed.dtype} do not make a table of {math.prod(shape)} cells.",
            "Give whole numbers or Fractions, one for each cell.",
        )
    denominator = 1
    if listed.dtype.kind == "O":
        exact = [parameter(each, name="cell") for each in listed.ravel()]
        denominator = math.lcm(*(each.denominator for each in exact))
        listed = np.array([each.numerator * (denominator // each.denominator) for each in exact], dtype=object)
    scaled = _integers(listed) * factor.numerator if factor.numerator != 1 else listed
    return ExactTable(scaled.reshape(shape), denominator * factor.denominator)


def adjusted_tables(
    family: MarginFamily, tables: Mapping[Margin, ExactTable], *, total: Any = None, margins: Iterable[Margin] = ()
) -> dict[Margin, ExactTable]:
    """Return the adjusted table of every margin inside a measured one, or of the margins asked for.

    tables  the measured ones, all of them        total  the number of rows, where the family knows it
    """
    wanted = tuple(margins) or family.margins
    for margin in wanted:
        family.check_adjustable(margin)
    known = _checked(family, tables, total)
    parts = sorted({part for margin in wanted for part in subsets(margin)}, key=len)
    work = _Work(family, tables, known, wanted, parts)
    return {margin: work.table(margin) for margin in wanted}


def _checked(family: MarginFamily, tables: Mapping[Margin, ExactTable], total: Any) -> Fraction | None:
    """Return a known total; refuse tables that are not those of the family."""
    if set(tables) != set(family.measured):
        raise ParameterError(
            f"tables of margins {sorted(tables)} are given.", f"Give those of {sorted(family.measured)}."
        )
    for margin, table in tables.items():
        shape = tuple(family.sizes[i] for i in margin)
        if table.numerators.shape != shape:
            raise ParameterError(
                f"the table of margin {list(margin)} has shape {table.numerators.shape}.", f"Its shape is {shape}."
            )
    if (total is not None) != family.known_total:
        raise ParameterError("a total is given if and only if it is known.", "It is measured, or it is known.")
    return None if total is None else parameter(total, name="total")


class _Work:
    """The parts c_T as integers over unit * scale_T * d(T); unit is the common denominator of all tables."""

    def __init__(
        self,
        family: MarginFamily,
        tables: Mapping[Margin, ExactTable],
        total: Fraction | None,
        wanted: Iterable[Margin],
        parts: Iterable[Margin],
    ) -> None:
        import numpy as np

        self.family, self.total = family, total
        given = [table.denominator for table in tables.values()]
        self.unit = math.lcm(*given, 1 if total is None else total.denominator)
        self.shares = {part: self._share(part) for part in parts}
        self.scales = {part: math.lcm(*(r.denominator for r in each.values())) for part, each in self.shares.items()}
        bounds = {part: self._bound(part, tables) for part in self.shares}
        largest = max(sum(self._factor(m, part) * bounds[part] for part in subsets(m)) for m in wanted)
        self.dtype = np.dtype(np.int64 if largest <= _LARGEST else object)
        self.parts = {part: self._part(part, tables) for part in self.shares}

    def _array(self, integers: Any) -> Any:
        """Return integers as an array: numpy makes plain ones of objects without an axis."""
        import numpy as np

        return np.asarray(integers, dtype=self.dtype)

    def _share(self, part: Margin) -> dict[Margin, Fraction]:
        return {} if self.total is not None and part == TOTAL else self.family.weights(part)

    def _factor(self, margin: Margin, part: Margin) -> int:
        """Return the scale of a margin over that of one of its parts."""
        return math.lcm(*(self.scales[each] for each in subsets(margin))) // self.scales[part]

    def _bound(self, part: Margin, tables: Mapping[Margin, ExactTable]) -> int:
        """Return a number that no integer exceeds on the way to a part: centring an axis at most doubles d_i of it.

        Cells count as 1 at least: the factors must have room where every cell is 0.
        """
        if self.total is not None and part == TOTAL:
            return max(1, math.ceil(abs(self.total) * self.unit))
        found = 0
        for margin, share in self.shares[part].items():
            table, summed = tables[margin], set(margin) - set(part)
            size = max(1, largest_size(table.numerators)) * (self.unit // table.denominator)
            found += size * self.family.cells(summed) * max(1, int(share * self.scales[part]))
        return found * math.prod(2 * self.family.sizes[i] for i in part)

    def _part(self, part: Margin, tables: Mapping[Margin, ExactTable]) -> Any:
        """Return c_T: the weighted mean of what the measured margins say, then centred over each axis. theory (3)"""
        if self.total is not None and part == TOTAL:
            return self._array(int(self.total * self.unit))
        mean: Any = 0
        for margin, share in self.shares[part].items():
            axes = tuple(axis for axis, i in enumerate(margin) if i not in part)
            factor = int(share * self.scales[part]) * (self.unit // tables[margin].denominator)
            mean = mean + self._array(summed(tables[margin].numerators, axes)) * factor
        centred = self._array(mean)
        for axis, i in enumerate(part):
            centred = centred * self.family.sizes[i] - centred.sum(axis=axis, keepdims=True)
        return centred

    def table(self, margin: Margin) -> ExactTable:
        """Return x_A = sum over T in A of c_T/d(A without T), over unit * scale * d(A).        theory (4), (7)"""
        shape = tuple(self.family.sizes[i] for i in margin)
        found: Any = 0
        for part in sorted(subsets(margin), key=lambda part: part[::-1]):  # small sums before large ones
            spread = tuple(size if i in part else 1 for i, size in zip(margin, shape, strict=True))
            found = found + self.parts[part].reshape(spread) * self._factor(margin, part)
        scale = self._factor(margin, TOTAL) * self.scales[TOTAL]
        return ExactTable(self._array(found), self.unit * scale * self.family.cells(margin))


def largest_size(numerators: Any) -> int:
    """Return the largest absolute value; abs of the least int64 is none."""
    return max(abs(int(numerators.max())), abs(int(numerators.min())))


def summed(numerators: Any, axes: tuple[int, ...]) -> Any:
    """Return the sums over some axes, in int64 where none can leave it."""
    import numpy as np

    fits = numerators.dtype.kind == "i" and largest_size(numerators) * numerators.size <= _LARGEST
    kind = np.dtype(np.int64 if fits else object)
    return np.asarray(numerators.astype(kind).sum(axis=axes), dtype=kind)


def _integers(numerators: Any) -> Any:
    """Return the same integers as Python's, which have room for everything."""
    return numerators.astype(object)
