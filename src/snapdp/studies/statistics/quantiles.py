"""Quantiles of a column, and its whole distribution: from a tree of counts of its levels.

Holds no data. The quantile at a share q of n rows is the least level j with N(<= j) >= q n, of the clamped and
quantised values. All of them follow from one tree of counts, so many quantiles cost as much as one, and the
distribution itself is free.

    released: counts of the nodes of a tree, each depth at an equal share of epsilon
    derived:  the quantiles, each with an interval in units of the column; the rows up to every so many levels

Under change-one, where every row counts, n is public and the tree's root is known. A row that is left out (its cell
is missing, it meets no condition) and groups make the number of rows private under both relations.
Theory: docs/theory/quantiles.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self

from snapdp.display.numbers import exact_amount
from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.exact.dyadic import HALF
from snapdp.exact.numbers import parameter, to_float_down, to_float_nearest, to_float_up
from snapdp.studies.aggregates import Aggregate, LevelCounts
from snapdp.studies.columns import DEFAULT_LEVELS, Column, NumberColumn
from snapdp.studies.conditions import Condition, joined
from snapdp.studies.grouping.groups import By, groups_of
from snapdp.studies.grouping.keys import KeyedGroups
from snapdp.studies.grouping.margins import Margin
from snapdp.studies.labels import Label
from snapdp.studies.relation import Relation, whole
from snapdp.studies.statistics.parts import (
    Derived,
    DrawnPart,
    Part,
    Printed,
    Row,
    as_columns,
    column_bounds,
    numbers_of,
    own_bound,
)
from snapdp.studies.statistics.statistic import Detail, DrawnStudy, NumbersDetail, WholeDetail
from snapdp.studies.statistics.trees import (
    DrawnTree,
    LikelyQuantile,
    RankFigures,
    TreeStatistic,
    cells_if_like,
    check_nodes,
    check_work,
    checked_branching,
    depth_parts,
    depth_sums,
    rank_figures,
)
from snapdp.values import Facts, Values, replaced

if TYPE_CHECKING:
    from snapdp.accuracy.quantiles import LevelTree

Interval = tuple[float, float, float]  # a number and its ends

QUANTILE, DISTRIBUTION = "quantile", "distribution"
MEDIAN = Fraction(1, 2)
QUARTILES = ("0.25", "0.5", "0.75")  # as they are typed
MOST_SHARES = 100
MOST_POINTS = 256  # at which the distribution is listed
_POINTS: Margin = (-1,)  # tells the cells of the distribution from those of the quantiles, and of a depth


class Quantiles(TreeStatistic):
    """Quantiles of a column at public shares, also in each group.

    at         the shares, rising
    branching  of the tree of levels: chosen from public numbers where it is not said
    """

    kind = "quantiles"
    moves_singly = True
    takes = 1
    details: ClassVar[Mapping[str, Detail]] = {
        "at": NumbersDetail("Give shares such as 0.25, 0.5 and 0.75, or leave the key out: then it is the median."),
        "branching": WholeDetail(),
        "rows_per_person": WholeDetail(),
    }
    flag = "Quantiles of a column at the shares --at, and its distribution."

    at: tuple[Fraction, ...] = (MEDIAN,)
    branching: int = 2

    @classmethod
    def of(
        cls,
        column: Column,
        relation: Relation,
        by: By = None,
        where: Sequence[Condition] = (),
        at: Iterable[Any] = (MEDIAN,),
        branching: Any = None,
        rows_per_person: Any = None,
    ) -> Self:
        numbers = numbers_of(column, cls.kind)
        groups = groups_of(by)
        if isinstance(groups, KeyedGroups):
            raise PremiseError(
                "quantiles by the keys of a file are not released: each key would have a tree of its own.",
                "Declare the groups as categories, or ask for counts, sums, means or a histogram by keys.",
            )
        # Refuse a column of very many levels, as one has without a step: ranks would err more, and take long.
        if numbers.levels < 1:
            raise ParameterError(f"column {numbers.name!r} has one level only.", "Give bounds that differ.")
        if numbers.levels >= DEFAULT_LEVELS:
            raise BoundError(
                f"quantiles of {numbers.name!r} would be read off counts of {numbers.levels + 1} levels, and at most "
                f"{DEFAULT_LEVELS} are counted: where no step is declared it is very small.",
                f'Declare one as wide as you would print the number: step = "{exact_amount(_round_step(numbers))}", or '
                "whole numbers (by flags --step, or --integer). The fewer levels, the less ranks err. Nothing was read "
                "and nothing spent.",
                levels=numbers.levels + 1,
                declares=numbers.name,
                key="step",
            )
        if groups is not None and numbers.name in groups.names:
            raise ParameterError(
                f"quantiles of {numbers.name!r} by itself are asked for.", f"Leave {numbers.name!r} out of by."
            )
        levels = numbers.levels + 1
        found = cls(
            columns=(numbers,),
            relation=relation,
            by=groups,
            where=joined(where),
            at=_checked_shares(at),
            rows_per_person=own_bound(relation, rows_per_person),
            branching=levels if branching is None else checked_branching(branching, levels, "levels"),
        )
        if branching is not None:
            return found
        from snapdp.accuracy.quantiles import best_tree

        tree = best_tree(levels, found.at, known_total=found.size_is_public)
        return replaced(found, branching=tree.branching)

    def _check(self) -> None:
        step = f"Declare a wider step of {self.column.name}, or fewer groups."
        check_nodes(self.shown, self.tree, self.groups, step)
        check_work(self.shown, self.tree, self.groups * (1 + len(self.at)))
        super()._check()

    @property
    def column(self) -> NumberColumn:
        return numbers_of(self.columns[0], self.kind)

    @cached_property
    def tree(self) -> LevelTree:
        from snapdp.accuracy.quantiles import LevelTree

        return LevelTree(cells=self.column.levels + 1, branching=self.branching, known_total=self.size_is_public)

    @property
    def groups(self) -> int:
        return self.divisions

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return depth_parts(self.tree, self.neighbours, self.groups)

    @property
    def aggregates(self) -> list[Aggregate]:
        return [LevelCounts(column=self.column, where=self.tests, by=self.by, persons=self.persons)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        (counts,) = answers
        return depth_sums(self.tree, counts, self.groups)

    @property
    def stated(self) -> Values:
        return {"at": self.at, "branching": self.branching, **super().stated}

    @property
    def following(self) -> tuple[Margin | None, ...]:
        return None, _POINTS

    @property
    def derivation(self) -> str:
        return "read off the released counts of its levels"

    @property
    def missing_in_words(self) -> tuple[str, ...]:
        first, *others = super().missing_in_words
        dropped = f"rows without {self.column.name} are left out, and how many count is private"
        return (dropped if self.column.dropped else first, *others)

    @classmethod
    def derived_range(cls, declared: Facts, name: str) -> tuple[Fraction, Fraction] | None:
        return column_bounds(declared) if name == QUANTILE else None

    # What it will be worth

    def ranks(self, epsilon: Fraction, alpha: Fraction) -> RankFigures:
        rows = self.relation.rows
        return rank_figures(self.tree, self.parts[0], self.at, epsilon=epsilon, alpha=alpha, rows=rows)

    def public_counts(self, values: Iterable[Any]) -> list[int]:
        """Return how many of some public values are at each level; missing ones by the rule of the column."""
        column, counts = self.column, [0] * self.tree.cells
        for each in values:
            known = column.missing if each is None or each != each else parameter(each, name="a value")
            if known is not None:
                inside = min(max(known, column.lower), column.upper)
                counts[math.floor((inside - column.lower) / column.step + HALF)] += 1
        return counts

    def if_counted(
        self, counts: Sequence[int], *, epsilon: Fraction, alpha: Fraction, rows: Any = None
    ) -> tuple[LikelyQuantile, ...]:
        """Return the quantiles of a public distribution, each with the values that would be within reach.

        counts   of every level
        rows     so many of the table, or of one group, are distributed like these; a share of n or n_max unless told
        """
        many = self.rows_guessed() if rows is None else whole(rows, name="rows")
        said: Values = {"epsilon": epsilon, "alpha": alpha, "rows": many}
        found = cells_if_like(self.tree, self.parts[0], self.at, counts, **said)
        levels = (tuple(self.column.lower + cell * self.column.step for cell in cells) for cells in found)
        return tuple(
            LikelyQuantile(share=share, rows=many, value=value, low=low, high=high)
            for share, (value, low, high) in zip(self.at, levels, strict=True)
        )

    # Names

    def _about(self, conditions: Iterable[str]) -> str:
        where = " and ".join(conditions)
        name = self.kind if len(self.at) > 1 else f"{QUANTILE} {exact_amount(self.at[0])}"
        name = "median" if self.at == (MEDIAN,) else name
        return f"{name}({self.column.name})" + (f" where {where}" if where else "")

    @property
    def cells(self) -> int:
        return self.groups * len(self.at)

    @cached_property
    def labels(self) -> Sequence[Label]:
        return self.labels_of(None)

    def labels_of(self, margin: Margin | None) -> Sequence[Label]:
        if margin not in self._named:
            own = self._own_labels(margin)
            if own is None:
                self._named[margin] = ("",) if self.by is None else self.by.labels
            else:
                self._named[margin] = own if self.by is None else self.by.beside(own)
        return self._named[margin]

    @cached_property
    def _named(self) -> dict[Margin | None, Sequence[Label]]:
        return {}  # of every margin that was asked for: there may be very many names

    def keys_of(self, margin: Margin | None) -> tuple[str, ...]:
        if not super().keys:
            return ()
        return super().keys if self._is_one(margin) else (*super().keys, KEY_NAMES.get(margin, self.column.name))

    def cells_of(self, margin: Margin | None) -> int:
        if margin is None:
            return self.cells
        return self.groups * (len(self.points) if margin == _POINTS else self.tree.nodes[margin[0]])

    def _is_one(self, margin: Margin | None) -> bool:
        return margin is None and len(self.at) == 1

    def _own_labels(self, margin: Margin | None) -> tuple[str, ...] | None:
        """Return the names of the cells of one group; None where there is one without a name."""
        if margin is None:
            return None if self._is_one(margin) else tuple(map(exact_amount, self.at))
        if margin == _POINTS:
            return tuple(self._texts(self.points))
        width, cells = self.tree.widths[margin[0]], self.tree.cells
        if width == 1:
            return tuple(self._texts(range(cells)))
        firsts, lasts = range(0, cells, width), (*range(width - 1, cells - 1, width), cells - 1)
        ends = zip(self._texts(firsts), self._texts(lasts), strict=True)
        return tuple(f"{first} to {last}" for first, last in ends)

    def _texts(self, cells: Iterable[int]) -> Iterator[str]:
        """Return the numbers that levels stand for, as texts: whole ones need no fractions."""
        lower, step = self.column.lower, self.column.step
        if lower.denominator == step.denominator == 1:
            first, apart = int(lower), int(step)
            return (str(first + apart * cell) for cell in cells)
        return (exact_amount(lower + step * cell) for cell in cells)

    @cached_property
    def points(self) -> tuple[int, ...]:
        """Return the levels up to which rows are counted in the distribution: all, or so many equally far apart."""
        every = -(-self.tree.cells // MOST_POINTS)
        return tuple(sorted({*range(every - 1, self.tree.cells, every), self.tree.cells - 1}))

    # What follows

    def derived(
        self,
        parts: Sequence[DrawnPart],
        study: DrawnStudy,  # noqa: ARG002
    ) -> Iterator[Derived]:
        """Yield the quantiles, and the rows up to some levels, whose ends and shown heights rise.

        Of parts that are not known, one number stands for those of all cells.
        """
        if not all(part.is_known for part in parts):
            # What is derived with one number each, which is no released one.
            lower = self._at(0)
            yield Derived(name=QUANTILE, title=self.title, columns=as_columns([(lower, lower, lower)]))
            yield self._points([(0.0, 0.0, 0.0)], [0.0])
            return
        from snapdp.accuracy.quantiles import RisingLine, ranked

        drawn = DrawnTree(tree=self.tree, parts=tuple(parts), rows=self.relation.rows)
        reaches = [drawn.radii(share) for share in self.at]
        radii = [drawn.grid * Fraction(each) for each in drawn.radii(Fraction(0), self.points).tolist()]
        quantiles = []
        points = []
        shown: list[float] = []
        for group in range(self.groups):
            found = drawn.prefixes(group)
            line = RisingLine(found.numerators)
            ranks = ranked(found, self.at, reaches, line)
            quantiles += [(self._at(each.cell), self._at(each.low, -1), self._at(each.high, 1)) for each in ranks]
            rows = [drawn.grid * Fraction(found.numerators[cell], found.denominator) for cell in self.points]
            points += risen([self._rows_up_to(*each) for each in zip(rows, radii, strict=True)])
            heights = (drawn.grid * line.height(cell) / found.denominator for cell in self.points)
            shown += (to_float_nearest(self._possible(each)) for each in heights)
        yield Derived(name=QUANTILE, title=self.title, columns=as_columns(quantiles))
        yield self._points(points, shown)

    def _points(self, rows: Sequence[Row], shown: Sequence[Printed]) -> Derived:
        title = f"{DISTRIBUTION} of {self.title}"
        return Derived(name=DISTRIBUTION, title=title, columns=as_columns(rows), shown=shown, margin=_POINTS)

    def _at(self, cell: int, way: int = 0) -> Printed:
        """Return the number that a level stands for; as a double, rounded outward at the ends of an interval."""
        found = self.column.lower + cell * self.column.step
        if self.column.lower.denominator == self.column.step.denominator == 1:
            return int(found)
        return {0: to_float_nearest, -1: to_float_down, 1: to_float_up}[way](found) + 0.0

    def _rows_up_to(self, rows: Fraction, radius: Fraction) -> Interval:
        """Return the rows up to a level, and the interval of their number.        theory (14)"""
        low, high = self._possible(rows - radius), self._possible(rows + radius)
        return to_float_nearest(rows) + 0.0, to_float_down(low), to_float_up(high)

    def _possible(self, rows: Fraction) -> Fraction:
        return min(max(rows, Fraction(0)), Fraction(self.relation.rows))


OWN_KEYS = {QUANTILE: QUANTILE, DISTRIBUTION: "up to"}  # what names a cell of each beside its group
KEY_NAMES = {None: OWN_KEYS[QUANTILE], _POINTS: OWN_KEYS[DISTRIBUTION]}


# The quantiles of a column at shares between 0 and 1: the median, unless told.
quantiles_query = Quantiles.of


def _round_step(column: NumberColumn) -> Fraction:
    """Return a power of ten of which there are 100 to 1,000 between the bounds."""
    step = Fraction(1)
    while (column.upper - column.lower) / step > 1000:
        step *= 10
    while (column.upper - column.lower) / step < 100:
        step /= 10
    return step


def _checked_shares(at: Iterable[Any]) -> tuple[Fraction, ...]:
    shares = tuple(parameter(each, name="at") for each in at)
    if not shares or len(shares) > MOST_SHARES:
        raise ParameterError(f"at has {len(shares)} shares.", f"Give at least one, and at most {MOST_SHARES}.")
    if not all(0 < share < 1 for share in shares):
        wrong = next(share for share in shares if not 0 < share < 1)
        raise ParameterError(
            f"at = {exact_amount(wrong)} is no share between 0 and 1.",
            "Give 0.5 for the median, 0.25 and 0.75 for the quartiles; the ends themselves would be single rows.",
        )
    if any(later <= before for before, later in pairwise(shares)):
        raise ParameterError("the shares of at do not rise.", "Give each once, the smallest first: 0.25, 0.5, 0.75.")
    return shares


def risen(rows: Sequence[Interval]) -> list[Interval]:
    """Return numbers with intervals whose ends rise, as those of rows up to a level do: they are enlarged only.

    >>> risen([(4.0, 1.0, 7.0), (2.0, 0.0, 5.0)])
    [(4.0, 0.0, 7.0), (2.0, 0.0, 7.0)]
    """
    lows = list(accumulate((low for _, low, _ in reversed(rows)), min))[::-1]
    highs = accumulate((high for _, _, high in rows), max)
    return [(value, low, high) for (value, _, _), low, high in zip(rows, lows, highs, strict=True)]
