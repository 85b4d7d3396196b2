"""Magnitudes: how many rows lie in each power of two, and how many have no number. A first look that is charged.

A release has the counts of a tree over the places of a column of magnitudes, and next to it the counts of values that
are not numbers and of missing ones. Every row is in one of all places: one node of each depth of the tree, or one of
the two others. So what neighbours lose is the larger of what both parts cost, not their sum. Derived, free of
charge: bounds that leave at most a declared share of the numbers outside, quartiles, and the two shares of rows.
Theory: docs/theory/exploring.md; docs/theory/quantiles.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

from snapdp.errors import ParameterError
from snapdp.exact.numbers import parameter, shown, to_float_nearest
from snapdp.studies.aggregates import Aggregate, Categories
from snapdp.studies.columns import MAGNITUDE, Column, End, MagnitudeColumn, span_name
from snapdp.studies.conditions import Condition, joined
from snapdp.studies.grouping.groups import By
from snapdp.studies.grouping.margins import Margin
from snapdp.studies.labels import Label
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.parts import (
    SHARE,
    AccuraciesAt,
    Derived,
    DrawnPart,
    NumberError,
    Part,
    Row,
    as_columns,
    count_part,
    own_bound,
    share_rows,
)
from snapdp.studies.statistics.quantiles import QUARTILES
from snapdp.studies.statistics.statistic import Detail, DrawnStudy, NumberDetail, WholeDetail
from snapdp.studies.statistics.trees import (
    FINER,
    DrawnTree,
    TreeStatistic,
    checked_branching,
    depth_parts,
    depth_sums,
    radii_in_grids,
)
from snapdp.values import replaced

if TYPE_CHECKING:
    from snapdp.accuracy.quantiles import LevelTree, RankedCell

OUTSIDE, LEAST_OUTSIDE, MOST_OUTSIDE = Fraction(1, 20), Fraction(1, 10**6), Fraction(1, 2)
LONGEST = 10**12  # of a share, below the line
QUARTERS = tuple(map(Fraction, QUARTILES))
BOUNDS = "bounds"  # of what is derived: a lower and an upper bound, and the quartiles between them
LOWER, UPPER = "lower", "upper"
WITHOUT = "count without a number"
_OTHERS: Margin = (-2,)  # tells the two cells of rows without a number from those of the tree


class Magnitudes(TreeStatistic):
    """The number of rows in each place of a column of magnitudes; bounds and quartiles follow.

    outside    the bounds leave at most this share of the numbers outside, half of it on each side
    branching  of the tree of places: chosen from public numbers where it is not said
    """

    kind = "magnitudes"
    takes = 1
    details: ClassVar[Mapping[str, Detail]] = {
        "outside": NumberDetail(),
        "branching": WholeDetail(),
        "rows_per_person": WholeDetail(),
    }
    flag = "A first look at a column of which nothing is known: bounds and quartiles, by powers of two."
    numbers = False
    column_kind = MAGNITUDE

    outside: Fraction = OUTSIDE
    branching: int = 2

    @classmethod
    def of(
        cls,
        column: Column,
        relation: Relation,
        by: By = None,
        where: Sequence[Condition] = (),
        outside: Any = OUTSIDE,
        branching: Any = None,
        rows_per_person: Any = None,
    ) -> Self:
        if by is not None:
            raise ParameterError("magnitudes by groups are not defined here.", "Ask for them without by.")
        if not isinstance(column, MagnitudeColumn):
            raise ParameterError(
                f"column {column.name!r} is declared as {column.kind}: what its cells can be is known.",
                f'Ask for quantiles or a histogram of it; or declare it with kind = "{MAGNITUDE}".',
            )
        share = _share(outside)
        chosen = best_branching(column.zero, share)
        if branching is not None:
            chosen = checked_branching(branching, column.places, "places")
        return cls(
            columns=(column,),
            relation=relation,
            where=joined(where),
            outside=share,
            branching=chosen,
            rows_per_person=own_bound(relation, rows_per_person),
        )

    @property
    def column(self) -> MagnitudeColumn:
        found = self.columns[0]
        assert isinstance(found, MagnitudeColumn)
        return found

    @cached_property
    def tree(self) -> LevelTree:
        from snapdp.accuracy.quantiles import LevelTree

        return LevelTree(cells=self.column.places, branching=self.branching)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        others = count_part(self.neighbours, 2)
        others = replaced(others, margin=_OTHERS, numerator=replaced(others.numerator, name=WITHOUT))
        return (*depth_parts(self.tree, self.neighbours, 1), others)

    @property
    def charged(self) -> Fraction:
        """Return what neighbours lose: a row is in the tree or in none of it.                          theory (2)"""
        *depths, others = (part.share * part.moving for part in self.parts)
        return max(sum(depths, Fraction(0)), others)

    @property
    def split(self) -> str:
        return f"epsilon split over {self.tree.depth} depths" if self.tree.depth > 1 else "one histogram"

    @property
    def aggregates(self) -> list[Aggregate]:
        return [Categories(column=self.column, where=self.tests, persons=self.persons)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        (counts,) = answers
        places = self.column.places
        return (*depth_sums(self.tree, counts[:places], 1), tuple(counts[places:]))

    @property
    def stated(self) -> dict[str, Any]:
        return {"outside": self.outside, "branching": self.branching, **super().stated}

    @property
    def following(self) -> tuple[Margin | None, ...]:
        return None, _OTHERS

    @property
    def derivation(self) -> str:
        return "read off the released counts of its magnitudes"

    def number_errors(self, accuracies: AccuraciesAt, rows: int) -> Iterator[NumberError]:  # noqa: ARG002
        """Yield nothing: how far bounds and quartiles are off depends on the rows alone. See `rows_for_bounds`."""
        yield from ()

    def rows_for_bounds(self, epsilon: Fraction, alpha: Fraction) -> int:
        """Return about how many numbers a column takes for bounds to be found: a figure for plans.     theory (5)"""
        part, tail, zero = self.parts[0], self.outside / 2, self.column.zero
        scale = part.numerator.sensitivity / (epsilon * part.share)
        cells = tuple(range(zero - 1, self.column.places - 1))
        furthest = max(map(float, radii_in_grids(self.tree, 1 - tail, FINER * scale, alpha, cells))) / FINER
        rows = math.ceil(furthest / float(tail))
        rounded = int("1" + "0" * max(0, len(str(rows)) - 2))
        return -(-rows // rounded) * rounded

    # Names

    @property
    def cells(self) -> int:
        return len(self.labels)

    @cached_property
    def labels(self) -> Sequence[Label]:
        return (LOWER, *map(str, QUARTERS), UPPER)

    def labels_of(self, margin: Margin | None) -> Sequence[Label]:
        if margin is None:
            return self.labels
        column = self.column
        if margin == _OTHERS:
            return column.labels[column.places :]
        width, ends = self.tree.widths[margin[0]], {"lowest": column.lowest, "highest": column.highest}
        firsts = range(0, column.places, width)
        return tuple(span_name(each, min(each + width, column.places) - 1, **ends) for each in firsts)

    def cells_of(self, margin: Margin | None) -> int:
        return len(self.labels_of(margin))

    def name_columns(self, margin: Margin | None) -> tuple[Column, ...]:  # noqa: ARG002
        return ()

    # What follows

    def derived(
        self,
        parts: Sequence[DrawnPart],
        study: DrawnStudy,  # noqa: ARG002
    ) -> Iterator[Derived]:
        """Yield bounds and quartiles, and the shares of rows without a number."""
        drawn = DrawnTree(tree=self.tree, parts=tuple(parts[:-1]), rows=self.relation.rows)
        found = drawn.prefixes(0)
        ranks = drawn.ranked(found, self.shares)
        yield Derived(name=BOUNDS, title=self.title, columns=as_columns(self._bounds(ranks)))
        numbers = drawn.grid * Fraction(found.total, found.denominator)
        of_n = self.relation.is_change_one and not self.where
        shares = as_columns(share_rows(parts[-1], self.relation.rows if of_n else None, beside=numbers))
        yield Derived(name=SHARE, title=f"shares without a number of {self.title}", columns=shares, margin=_OTHERS)

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """Return the shares at which quantiles are taken: those of both bounds, and the quarters between them."""
        return (self.outside / 2, *QUARTERS, 1 - self.outside / 2)

    def _bounds(self, ranks: Sequence[RankedCell]) -> list[Row]:
        """Return the bounds, each with its one-sided interval, and the quartiles between them.         theory (3)

        An end is None where the place is open: nothing is known of it then.
        """
        lower, *quarters, upper = ranks
        least, most = self.column.ends(lower.low), self.column.ends(upper.high)
        rows: list[Row] = [(_double(least[0] if least[0] is not None else least[1]), _end(least[0]), None)]
        for each in quarters:
            low, high = self.column.ends(each.low)[0], self.column.ends(each.high)[1]
            rows.append((_double(self.column.middle(each.cell)), _end(low), _end(high)))
        return [*rows, (_double(most[1] if most[1] is not None else most[0]), None, _end(most[1]))]


# A first look at a column of magnitudes: bounds that hold all but a share of its numbers, and quartiles.
magnitudes_query = Magnitudes.of


@lru_cache(maxsize=256)
def best_branching(zero: int, outside: Fraction) -> int:
    """Return the branching whose bounds err least, for columns that are mostly not negative.           theory (4)

    zero   the place of zero, as many as there are below it and above

    The lower bound of such a column lies at zero, its upper bound anywhere above: one depth, or two in which a node
    begins at zero.
    """
    import numpy as np

    from snapdp.accuracy.quantiles import LevelTree

    places = 2 * zero
    tail, below, above = outside / 2, np.array([zero - 1]), np.arange(zero, places - 1)

    def error(branching: int) -> float:
        tree = LevelTree(cells=places, branching=branching)
        lower, upper = tree.sums(tail, below).squares, tree.sums(1 - tail, above).squares
        return float(tree.depth * (np.sqrt(lower).mean() + np.sqrt(upper).mean()))

    widths = [each for each in range(2, zero + 1) if zero % each == 0 and places <= each**2]
    return min([places, *reversed(widths)], key=error)


def _share(given: Any) -> Fraction:
    """Return the share of numbers that bounds may leave outside; refuse one that no bounds could be found for."""
    share = parameter(given, name="outside")
    if not LEAST_OUTSIDE <= share <= MOST_OUTSIDE or share.denominator > LONGEST:
        raise ParameterError(
            f"outside = {shown(given)} is no share that bounds may leave outside.",
            f"Give a number from {float(LEAST_OUTSIDE)} to {MOST_OUTSIDE}, such as 0.05 or 0.01.",
            outside=share,
        )
    return share


def _double(number: End) -> float:
    assert number is not None, "a place is open on one side at most"
    return to_float_nearest(number) + 0.0  # powers of two, and middles of two of them: doubles


def _end(number: End) -> float | None:
    return None if number is None else _double(number)
