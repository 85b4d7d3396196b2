"""What a statistic releases: integer numerators in cells, the mechanism of each, and how far its numbers may be off.

Holds no data.

    statistic = shift + factor * numerator,  the numerator an integer in [lower, upper]        theory (3)

Here are also the numerators that several statistics share, and the shape of what a release hands to a statistic after
the draw, so that what follows from it can be in the file of the statistic. A number that is released itself has an
error that holds for every table. One that is computed from several has one that depends on how many rows there are,
which is private: it is told at a guess, and holds for every table with as many rows or more. Theory:
docs/theory/sensitivities.md, (5), (7), (12), (13), (15), (17), (21), (29), (31) and (32).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

from snapdp.errors import BoundError, ParameterError
from snapdp.exact.dyadic import power_of_two_at_least
from snapdp.exact.numbers import parameter, positive, to_float_down, to_float_nearest, to_float_up
from snapdp.mechanism.mechanism import Mechanism, declared
from snapdp.mechanism.parameters import FINE, SnappingParameters, spacing_of_doubles
from snapdp.studies.aggregates import Count, Present, Sum
from snapdp.studies.columns import INTEGER, Column, NumberColumn
from snapdp.studies.grouping.groups import Groups
from snapdp.studies.grouping.margins import Margin
from snapdp.studies.relation import Relation, whole
from snapdp.values import Value

PRINTED_PARTS = 1 << 10  # doubles must be at least so many times as close as outputs are


class Numerator(Value):
    """An integer function of the rows: the number a mechanism acts on.

    sensitivity   the most it differs between neighbours
    lower, upper  its public range; both ends are attained by some table, unless `where` speaks of the column itself
    factor, shift statistic = shift + factor * numerator
    integers      the statistic is a whole number: outputs lie on a grid >= 1 and print as integers
    """

    name: str
    sensitivity: int
    lower: int
    upper: int
    factor: Fraction
    shift: Fraction = Fraction(0)
    integers: bool = False

    def statistic(self, numerator: Fraction | int) -> Fraction:
        """Return the statistic that a (released) numerator stands for."""
        return self.shift + self.factor * numerator

    @property
    def statistic_range(self) -> tuple[Fraction, Fraction]:
        """Return the public range in units of the statistic."""
        return self.statistic(self.lower), self.statistic(self.upper)

    @property
    def statistic_sensitivity(self) -> Fraction:
        """Return the sensitivity in units of the statistic."""
        return self.factor * self.sensitivity


class Part(Value):
    """One numerator, released once in each of `cells` cells (bins, groups), each cell by its own mechanism.

    moving   how many sensitivities the cells together move between neighbours, at most (their L1 distance)
    share    of the typed epsilon that the mechanism of each cell runs at
    margin   which columns of the groups tell its cells apart, where the statistic has margins: then its grid is at most
             one unit of the numerator, so that the noise has one law whatever the value is     adjusted-tables (12)
    finer    outputs are so many times closer than the natural grid: numbers of which many are added are hardly moved by
             it then; 0 where the default serves                                                       quantiles (9)
    """

    numerator: Numerator
    cells: int = 1
    moving: int = 1
    share: Fraction = Fraction(1)
    margin: Margin | None = None
    finer: int = 0


def mechanism(part: Part, epsilon: Any, *, title: str | None = None) -> Mechanism:
    """Return the mechanism of each cell of a part, when `epsilon` is what is typed for the whole statistic.

    Exact arithmetic on the numerator; the fine grid, or 1 where that is coarser and the statistic is whole; of margins
    1, or the fine grid where that is finer and the statistic is not whole. A refusal begins with the title of the
    statistic.
    """
    numerator, cell_epsilon = part.numerator, positive(epsilon, name="epsilon") * part.share
    parameters = _parameters(
        epsilon=cell_epsilon,
        sensitivity=numerator.sensitivity,
        lower=numerator.lower,
        upper=numerator.upper,
        grid=part_grid(part, numerator.sensitivity / cell_epsilon),
    )
    if not numerator.integers:
        ends = (numerator.statistic(parameters.data_value(k)) for k in parameters.ends)
        apart = numerator.factor * parameters.data_grid
        check_printable(title or numerator.name, furthest=max(map(abs, ends)), grid=apart)
    return Mechanism(parameters)


@lru_cache(maxsize=4096)  # whoever edits a plan asks for most of them again
def _parameters(**premises: Any) -> SnappingParameters:
    """Return the parameters of a mechanism: they alone are kept, since one that draws is nobody else's."""
    return declared(**premises).parameters


def check_printable(name: str, *, furthest: Fraction, grid: Fraction) -> None:
    """Refuse a statistic whose doubles are too far apart for its outputs.

    A printed number is the double nearest to the released one; it may be off by 1/2048 of the distance of two outputs,
    and no more: theory (16).
    """
    spacing = spacing_of_doubles(furthest)
    if spacing * PRINTED_PARTS > grid:
        raise BoundError(
            f"{name}: doubles near {to_float_nearest(furthest):.6g} are {to_float_nearest(spacing):.3g} apart, too far "
            f"for outputs that are {to_float_nearest(grid):.3g} apart: the printed number would miss what is promised.",
            "Count the column from a public number near its bounds (subtract it first), or ask for less accuracy.",
            furthest=furthest,
            grid=grid,
        )


def fine_grid(noise_scale: Fraction) -> Fraction:
    return power_of_two_at_least(noise_scale) / FINE


def part_grid(part: Part, noise_scale: Fraction) -> Fraction | None:
    """Return the grid of a part; None for the fine one."""
    if part.finer:
        return power_of_two_at_least(noise_scale) / part.finer
    if part.margin is not None:
        return Fraction(1) if part.numerator.integers else min(Fraction(1), fine_grid(noise_scale))
    # The grid of a whole statistic: the fine one, but at least 1.
    return max(Fraction(1), fine_grid(noise_scale)) if part.numerator.integers else None


# Counts, sums in groups, and the premises of columns and rows. Let q be steps above the lower bound of a column and R
# its levels.

WHOLE = Fraction(1)


def own_bound(relation: Relation, rows_per_person: Any) -> int | None:
    """Return how many rows of each person a statistic keeps, where it says so; None where that is what the study says.

    A statistic that repeats what the study says is the same request as one that does not.
    """
    if rows_per_person is None:
        return None
    most = whole(rows_per_person, name="rows_per_person")
    if relation.person is None:
        raise ParameterError(
            f"rows_per_person = {most} needs the column that names the person.",
            'Give person="id" under relation = "add-remove", or leave rows_per_person out.',
        )
    return None if most == relation.rows_per_person else most


def count_numerator(relation: Relation) -> Numerator:
    """Return a count: between 0 and n (or n_max), moved by one for each row a neighbour may add.        theory (5)"""
    return Numerator(
        name="count",
        sensitivity=relation.moved_rows,
        lower=0,
        upper=relation.rows,
        factor=Fraction(1),
        integers=True,
    )


def count_part(relation: Relation, cells: int, share: Fraction = WHOLE) -> Part:
    """Return the counts of disjoint cells; under change-one two of them move, where there are two.    theory (6)"""
    moving = min(2, cells) if relation.is_change_one else 1
    return Part(numerator=count_numerator(relation), cells=cells, moving=moving, share=share / moving)


def sum_above_lower(column: NumberColumn, relation: Relation, *, factor: Fraction, shift: Fraction) -> Numerator:
    """Return S, the steps above the lower bound summed over n public rows.                      theory (7)"""
    return Numerator(
        name="sum above lower",
        sensitivity=column.levels,
        lower=0,
        upper=relation.rows * column.levels,
        factor=factor,
        shift=shift,
        integers=column.kind == INTEGER and factor == column.step,
    )


def in_groups(numerator: Numerator, relation: Relation, groups: Groups | None, *, share: Fraction = WHOLE) -> Part:
    """Return a numerator for each group; under change-one a row may move between two of them.   theory (13)"""
    if groups is None:
        return Part(numerator=numerator, share=share)
    # Two also where there is one group only: a row that stays may go from one end of the bounds to the other.
    moving = 2 if relation.is_change_one else 1
    return Part(numerator=numerator, cells=groups.cells, moving=moving, share=share / moving)


def rows_that_count(total: Sum) -> Count:
    """Return the number of rows that a sum is over: those that meet its tests and have the cell, or a stand-in."""
    tests = (*total.where, Present(column=total.column)) if total.column.dropped else total.where
    return Count(where=tests, by=total.by, persons=total.persons)


def combined(first: int, one: Sequence[int], second: int, other: Sequence[int]) -> Sequence[int]:
    """Return first * one + second * other, cell by cell, in exact integers; of arrays an array.

    An array is of 64 bits where these hold every number on the way, else of integers of any length.
    """
    if not hasattr(one, "dtype") or not hasattr(other, "dtype"):
        return [first * x + second * y for x, y in zip(one, other, strict=True)]
    arrays: tuple[Any, Any] = (one, other)
    if abs(first) * furthest(one) + abs(second) * furthest(other) >= FITS_INT64:
        arrays = tuple(each.astype(object) for each in arrays)
    found: Any = arrays[0] * first + arrays[1] * second
    return found  # type: ignore[no-any-return]


def furthest(numbers: Any) -> int:
    """Return the largest distance from 0 in an array."""
    return max(abs(int(numbers.min())), abs(int(numbers.max())))


def numbers_of(column: Column, statistic: str) -> NumberColumn:
    if isinstance(column, NumberColumn):
        return column.plain
    raise ParameterError(
        f"column {column.name!r} holds categories and has no {statistic}.", "Ask for a histogram of it, or a count."
    )


def column_bounds(declared: Mapping[str, Any]) -> tuple[Fraction, Fraction]:
    """Return the bounds of the first column of a statistic, as a record declares it."""
    column = declared["columns"][0]
    return parameter(column["lower"], name="lower"), parameter(column["upper"], name="upper")


def check_two_rows(statistic: str, relation: Relation) -> None:
    """Refuse a variance or covariance of one row: it divides by one row less."""
    if relation.rows < 2:
        named = "n" if relation.is_change_one else "n_max"
        problem = f"a {statistic} needs at least two rows; {named} = {relation.rows}."
        raise ParameterError(problem, f"Declare {named} >= 2.")


# What follows: functions of released indices only

Printed = int | float
Row = tuple[Printed, Printed | None, Printed | None]  # a value and its interval
Columns = tuple[Sequence[Printed], Sequence[Printed | None], Sequence[Printed | None]]  # values, lows, highs
FITS_INT64 = 1 << 62  # what is below it may be added to its like, and is an int64 still
SHARE = "share"  # of each cell of a histogram in all of them
MEAN_OF = "mean of "  # and the name of a column, where means of several are one statistic


class CellColumns(Value):
    """Statistics and interval ends of many cells, times the denominator: arrays of integers, int64 or Python's."""

    denominator: int
    value: Any
    low: Any
    high: Any


class DrawnPart(Protocol):
    """One part after the draw: everything here follows from its indices and public parameters."""

    @property
    def part(self) -> Part:
        """Return what was drawn."""

    @property
    def mechanism(self) -> Mechanism:
        """Return the mechanism of each cell."""

    @property
    def alpha(self) -> Fraction:
        """Return alpha: an interval misses its truth with this probability at most."""

    @property
    def is_known(self) -> bool:
        """Tell whether its indices are known; from others nothing need be derived but what it would be."""

    @property
    def indices(self) -> Sequence[int]:
        """Return the released grid index of each cell."""

    def statistic(self, cell: int) -> Fraction:
        """Return the released statistic of a cell, exactly."""

    def possible(self, cell: int) -> Fraction:
        """Return the released statistic of a cell, moved into the public range."""

    def interval(self, cell: int, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """Return the noise interval of a cell at confidence 1 - alpha."""

    def columns(self, alpha: Fraction) -> CellColumns:
        """Return statistics and noise intervals of all cells."""


class Derived(Value):
    """Numbers that follow from released ones, one for each cell: free of charge.

    name       what they are, as records say it: SHARE, "mean", "standard deviation", ...
    shown      the values, each moved to what the statistic can be; None where they are possible as they are
    margin     which columns of the groups tell the cells apart, where the statistic has margins
    deviation  the standard deviation of each, rounded up: one for all of them, or for each; None where it is not known
    """

    name: str
    title: str
    columns: Columns
    shown: Sequence[Printed] | None = None
    margin: Margin | None = None
    deviation: float | tuple[float, ...] | None = None


def share_rows(part: DrawnPart, public_rows: int | None, *, beside: Fraction = Fraction(0)) -> list[Row]:
    """Return the share of each cell: of the public number of rows, with its interval; else of all released counts.

    public_rows   None where the number of rows is private: then the total is random as well, and no interval is given
    beside        another released count, which is part of such a total
    """
    counts = [part.statistic(cell) for cell in range(len(part.indices))]
    if public_rows is None:
        total = sum((max(Fraction(0), each) for each in (beside, *counts)), Fraction(0))
        return [(_share(count, total), None, None) for count in counts]
    n = Fraction(public_rows)
    ends = (part.interval(cell, part.alpha) for cell in range(len(counts)))
    return [
        (_share(count, n), to_float_down(low / n), to_float_up(high / n))
        for count, (low, high) in zip(counts, ends, strict=True)
    ]


def _share(count: Fraction, total: Fraction) -> float:
    return to_float_nearest(min(max(count, Fraction(0)) / total, Fraction(1))) + 0.0 if total > 0 else 0.0


def as_columns(rows: Sequence[Row]) -> Columns:
    values, lows, highs = zip(*rows, strict=True)
    return values, lows, highs


# Errors before anything is paid

USEFUL = Fraction(1, 10)  # of the range of a number: an error that is larger is told
AccuraciesAt = Callable[[int], Sequence[Fraction]]  # of the parts of a statistic, each of which may miss with alpha/k


class NumberError(Value):
    """How far one number of a statistic may be off, at the alpha of its line.

    name       of the number, where it is not the statistic itself: "standard deviation", "mean of age", "by region"
    error      in units of the number
    width      of the range that the number has: bounds of a mean, rows of a count; at the guess of rows
    rows       so many are thought to be in the table, or in each of its groups
    promised   the error holds for every table; else for those with so many rows or more
    in_rows    the error is a number of rows, by which a rank is misjudged
    spreads    deviations of the columns: the error holds where they are as large, or larger; none where it is not asked
    lines      of a plan from which it follows, where that is more than its own
    """

    name: str = ""
    error: Fraction
    width: Fraction
    rows: int
    promised: bool = True
    in_rows: bool = False
    spreads: tuple[Fraction, ...] = ()
    lines: int = 1

    @property
    def share(self) -> Fraction:
        """Return the error as a part of the range."""
        return self.error / self.width if self.width else Fraction(int(self.error > 0))

    @property
    def is_useful(self) -> bool:
        """Tell whether the error is at most a tenth of the range."""
        return self.error <= USEFUL * self.width

    @property
    def is_of_rows(self) -> bool:
        """Tell whether the range is that of a number of rows."""
        return self.in_rows or self.width == self.rows
