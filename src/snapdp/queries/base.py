"""What a statistic is, without data: its integer numerators, their sensitivity, range and public factor.

Room: queries. Imports mechanism; holds no data. The data room later adds the exact value of each numerator from the
aggregates of a table; everything a plan or a record needs is here.

    statistic = shift + factor * numerator,  the numerator an integer in [lower, upper]        theory (3)
    sum over parts of share * moving = 1: epsilon typed = epsilon charged                      theory (4)

Theory: docs/theory/sensitivities.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snapdp.data.schema import CategoryColumn, Column
from snapdp.display.text import shortened, visible
from snapdp.errors import BoundError, PremiseError
from snapdp.exact.dyadic import power_of_two_at_least
from snapdp.exact.numbers import positive, to_float_nearest
from snapdp.mechanism.parameters import FINE, spacing_of_doubles
from snapdp.mechanism.snapping import Snapping
from snapdp.queries.relation import Relation
from snapdp.values import Value

if TYPE_CHECKING:
    from snapdp.queries.counts import Condition

PRINTED_PARTS = 1 << 10  # doubles must be at least so many times as close as outputs are


class Numerator(Value):
    """An integer function of the rows: the number a mechanism acts on.

    sensitivity   the most it differs between neighbours
    lower, upper  its public range; both ends are attained by some table
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

    def printed(self, numerator: Fraction | int) -> int | float:
        """Return the number people see: an int for whole statistics, else the nearest double."""
        exact = self.statistic(numerator)
        if self.integers and exact.denominator == 1:
            return int(exact)
        return to_float_nearest(exact)

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
    """

    numerator: Numerator
    cells: int = 1
    moving: int = 1
    share: Fraction = Fraction(1)


class Query(Value):
    """A statistic, declared: everything about it that does not depend on data.

    by        a category column: the statistic is released for each of its cells
    where     the conditions a row must meet to be counted
    edges     public bin edges of a histogram over numbers; outside: what happens to values beyond them
    derived   how the statistic follows from the released parts, where it is not one of them
    """

    kind: str
    relation: Relation
    parts: tuple[Part, ...]
    columns: tuple[Column, ...] = ()
    by: CategoryColumn | None = None
    where: tuple[Condition, ...] = ()
    edges: tuple[Fraction, ...] = ()
    outside: str = "dropped"
    derived: str | None = None

    def _check(self) -> None:
        charged = sum(part.share * part.moving for part in self.parts)
        if charged != 1:  # the constructors of this room keep it; a hand-made query might not
            raise PremiseError(
                f"the parts of {self.shown} spend {charged} of the epsilon typed.",
                "The shares times the cells that move must add up to 1.",
                charged=charged,
            )

    @property
    def shown(self) -> str:
        """Return the title for messages: names of columns and categories are anybody's text."""
        return shortened(visible(self.title))

    @property
    def title(self) -> str:
        """Return the statistic as people write it: mean(age), count where region = north, sum(pay) by region."""
        text = f"{self.kind}({', '.join(column.name for column in self.columns)})" if self.columns else self.kind
        if self.where:
            text += " where " + " and ".join(condition.text for condition in self.where)
        return text if self.by is None else f"{text} by {self.by.name}"

    @property
    def cells(self) -> int:
        """Return how many cells each part has."""
        return self.parts[0].cells

    @property
    def mechanisms(self) -> int:
        """Return how many numbers are released."""
        return sum(part.cells for part in self.parts)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each cell, groups outermost; one empty name where there is one cell only."""
        bins = tuple(self._bins()) if self.kind == "histogram" else ("",)
        if self.by is None:
            return bins
        if self.kind != "histogram":
            return self.by.labels
        return tuple(f"{group} / {cell}" for group in self.by.labels for cell in bins)

    def _bins(self) -> Iterator[str]:
        column = self.columns[0]
        if isinstance(column, CategoryColumn):
            yield from column.labels
            return
        first, last = self.edges[0], self.edges[-1]
        if self.outside == "binned" and first > column.lower:
            yield f"below {first}"
        for low, high in itertools.pairwise(self.edges):
            yield f"[{low}, {high}{']' if high == last else ')'}"
        if self.outside == "binned" and last < column.upper:
            yield f"above {last}"


def mechanism(part: Part, epsilon: Any, *, title: str | None = None) -> Snapping:
    """Return the mechanism of each cell of a part, when `epsilon` is what is typed for the whole statistic.

    Exact arithmetic on the numerator; the fine grid, or 1 where that is coarser and the statistic is whole. A refusal
    begins with the title of the statistic.
    """
    cell_epsilon = positive(epsilon, name="epsilon") * part.share
    numerator = part.numerator
    snapping = Snapping(
        epsilon=cell_epsilon,
        sensitivity=numerator.sensitivity,
        lower=numerator.lower,
        upper=numerator.upper,
        grid=integer_grid(numerator.sensitivity / cell_epsilon) if numerator.integers else None,
    )
    if not numerator.integers:
        ends = (numerator.statistic(snapping.parameters.data_value(k)) for k in snapping.parameters.ends)
        grid = numerator.factor * snapping.parameters.grid
        check_printable(title or numerator.name, furthest=max(map(abs, ends)), grid=grid)
    return snapping


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


def integer_grid(noise_scale: Fraction) -> Fraction:
    """Return the grid of a whole statistic: the fine one, but at least 1."""
    return max(Fraction(1), power_of_two_at_least(noise_scale) / FINE)
