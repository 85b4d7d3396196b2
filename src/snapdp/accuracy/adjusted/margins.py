"""Least squares for margins of one table, in closed form, and measured margins made into tables that add up.

A table with attributes 0..k-1 of d_i categories; a margin is the set of attributes that its cells tell
apart. The space of tables falls apart into one orthogonal part for every set T of attributes, what T adds to its
subsets, and in each part the measured margins that hold T are averaged with weights. No system of equations is solved,
and all margins made from the parts add up exactly.
Theory: docs/theory/adjusted-tables.md, (1)-(7).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from operator import mul
from typing import Any

from snapdp.errors import ParameterError
from snapdp.exact.numbers import over_common, parameter, positive
from snapdp.values import Value

Margin = tuple[int, ...]  # attributes by their number, in increasing order
TOTAL: Margin = ()


class Contribution(Value):
    """With which coefficient `count` numbers of one source (a margin, a level) enter an adjusted number."""

    source: Any
    coefficient: Fraction
    count: int


class MarginFamily(Value):
    """Which margins of a table are measured, and the variance of a cell of each.

    sizes        categories of each attribute        known_total  the number of rows is known exactly, not measured
    variances    (margin, variance) of every measured margin, as `margin_family` sorts them
    """

    sizes: tuple[int, ...]
    variances: tuple[tuple[Margin, Fraction], ...]
    known_total: bool = False

    @cached_property
    def measured(self) -> dict[Margin, Fraction]:
        return dict(self.variances)

    @cached_property
    def margins(self) -> tuple[Margin, ...]:
        """Return every margin that can be adjusted: those inside a measured one, and a known total."""
        inside = {part for margin in self.measured for part in subsets(margin)}
        return tuple(sorted(inside | ({TOTAL} if self.known_total else set()), key=lambda m: (len(m), m)))

    def cells(self, margin: Iterable[int]) -> int:
        """Return d(margin): how many cells it has."""
        return math.prod(self.sizes[i] for i in margin)

    def cells_but_one(self, margin: Iterable[int]) -> int:
        """Return the product of d_i - 1: in how many ways a cell can differ in all of these attributes."""
        return math.prod(self.sizes[i] - 1 for i in margin)

    def holding(self, part: Margin) -> Iterator[Margin]:
        """Yield the measured margins that hold all attributes of a part."""
        return (margin for margin in self.measured if set(part) <= set(margin))

    def weight(self, margin: Margin, part: Margin) -> Fraction:
        """Return w = 1/(v_S d(S without T)): how much a measured margin S says about a part T.        theory (2)"""
        return 1 / (self.measured[margin] * self.cells(set(margin) - set(part)))

    def weights(self, part: Margin) -> dict[Margin, Fraction]:
        """Return w/W of the measured margins that hold a part: what each contributes to its mean.        theory (3)"""
        if part not in self._weights:
            holding = list(self.holding(part))
            numerators, _ = over_common(self.weight(margin, part) for margin in holding)
            total = sum(numerators)
            self._weights[part] = {m: Fraction(own, total) for m, own in zip(holding, numerators, strict=True)}
        return self._weights[part]

    @cached_property
    def _weights(self) -> dict[Margin, dict[Margin, Fraction]]:
        return {}

    def parts(self, margin: Margin) -> Iterator[Margin]:
        """Yield the parts of an adjusted margin that carry noise: all of its subsets, but not a known total."""
        self.check_adjustable(margin)
        return (part for part in subsets(margin) if part or not self.known_total)

    def variance(self, margin: Margin) -> Fraction:
        """Return the variance of a cell of an adjusted margin.

        sum over T in A of prod_{i in T} (1 - 1/d_i)/(d(A without T)^2 W_T)        theory (5)
        """
        found = Fraction(0)
        for part in self.parts(margin):
            freedom = Fraction(self.cells_but_one(part), self.cells(part))
            total = sum(self.weight(each, part) for each in self.holding(part))
            found += freedom / (self.cells(set(margin) - set(part)) ** 2 * total)
        return found

    def coefficients(self, margin: Margin) -> tuple[Contribution, ...]:
        """Return with which coefficients the cells of every measured margin enter a cell of an adjusted one.

        They depend only on which attributes the two cells agree in: at most 2^k for each measured margin. theory (6)
        """
        parts = list(self.parts(margin))
        cells = self.cells(margin)  # of the margin without a part times those of the part, whatever the part
        found: Counter[tuple[Margin, Fraction]] = Counter()
        for source in self.measured:
            common = tuple(i for i in source if i in margin)
            inside = [part for part in parts if set(part) <= set(common)]
            shares, unit = over_common(self.weights(part)[source] for part in inside)
            for agreeing in subsets(common):
                signs = (math.prod((i in agreeing) * self.sizes[i] - 1 for i in part) for part in inside)
                value = Fraction(sum(map(mul, shares, signs)), unit * cells)
                differing = self.cells_but_one(i for i in common if i not in agreeing)
                found[source, value] += differing * self.cells(set(source) - set(common))
        return tuple(
            Contribution(source=source, coefficient=value, count=count)
            for (source, value), count in found.items()
            if value and count
        )

    def check_adjustable(self, margin: Margin) -> None:
        if margin not in self.margins:
            raise ParameterError(
                f"margin {list(margin)} lies inside no measured margin.",
                f"Margins that can be adjusted: {', '.join(str(list(each)) for each in self.margins)}.",
            )


def margin_family(sizes: Iterable[int], variances: Mapping[Any, Any], *, known_total: bool = False) -> MarginFamily:
    """Return a family of measured margins: {attributes of a margin: variance of its cells}.

    >>> family = margin_family([2, 3], {(0, 1): 2, (0,): 2, (1,): 2})
    >>> family.variance((0, 1)), family.margins
    (Fraction(37, 36), ((), (0,), (1,), (0, 1)))
    """
    counts = tuple(sizes)
    if not all(type(each) is int and each >= 1 for each in counts):
        raise ParameterError("an attribute has no categories.", "Give how many each has, one or more.")
    found = {_margin(key, len(counts)): positive(value, name="variance") for key, value in variances.items()}
    if len(found) != len(variances):
        raise ParameterError("a margin is given twice.", "Give each set of attributes once.")
    if known_total and TOTAL in found:
        raise ParameterError("the total is known and measured.", "A known total is not measured: leave one out.")
    if not found:
        raise ParameterError("no margin is measured.", "Give at least one.")
    listed = sorted(found.items(), key=lambda pair: (len(pair[0]), pair[0]))
    return MarginFamily(sizes=counts, variances=tuple(listed), known_total=known_total)


def _margin(attributes: Any, count: int) -> Margin:
    listed = sorted(attributes)
    if len(set(listed)) != len(listed) or not all(type(i) is int and 0 <= i < count for i in listed):
        raise ParameterError(f"{attributes} is no set of attributes.", f"Attributes are 0 to {count - 1}, each once.")
    return tuple(listed)


def subsets(margin: Margin) -> Iterator[Margin]:
    """Yield all subsets, small ones first."""
    return (part for size in range(len(margin) + 1) for part in combinations(margin, size))


# Tables that add up: exact rationals as integers over one denominator. Arrays are summed over axes; they hold int64
# where no sum can leave it, which is proved from the largest number given before anything is added, and Python's
# integers elsewhere. Nothing rounds. What comes in has been released: time depends on public numbers only.
# theory (3), (4), (7)

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
        mean = 0
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
        found = 0
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
