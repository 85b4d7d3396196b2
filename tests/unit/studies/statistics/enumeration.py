"""Textbook definitions of the statistics and all small tables: what sensitivities and ranges are proven against.

A row is a tuple (x, y, group, ...); None stands for a missing cell. Groups are by the columns "g", "h" and "x", the
third, fourth and first of a row. Nothing here uses the formulas under test: statistics
are computed from the rows, in fractions, and turned into numerators by the public factor and shift alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, pairwise, product

from snapdp.lab.language.syntax import Query
from snapdp.studies.categories import parents_table
from snapdp.studies.columns import CategoryColumn, NumberColumn
from snapdp.studies.grouping.groups import BinnedColumn
from snapdp.studies.grouping.keys import KeyedGroups
from snapdp.studies.relation import Relation

Row = tuple
Table = tuple


def grid_values(column: NumberColumn) -> list[Fraction]:
    """Return every value a quantised cell may take."""
    return [column.lower + k * column.step for k in range(int((column.upper - column.lower) / column.step) + 1)]


def tables(rows: list[Row], relation: Relation) -> Iterator[Table]:
    """Yield every table up to the order of rows: n of them, or 0 to n_max of them."""
    for size in [relation.rows] if relation.is_change_one else range(relation.rows + 1):
        yield from combinations_with_replacement(rows, size)


def neighbours(table: Table, rows: list[Row], relation: Relation) -> Iterator[Table]:
    """Yield the neighbours of a table: one row replaced, or up to m rows of one person, or of one unit, taken away."""
    if relation.is_change_one:
        for i in range(len(table)):
            for row in rows:
                yield _sorted((*table[:i], row, *table[i + 1 :]), rows)
        return
    for gone in range(1, min(relation.moved_rows, len(table)) + 1):
        for kept in combinations(range(len(table)), len(table) - gone):
            yield tuple(table[i] for i in kept)


def _sorted(table: Table, rows: list[Row]) -> Table:
    return tuple(sorted(table, key=rows.index))


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def covariance(pairs: list[tuple[Fraction, Fraction]]) -> Fraction:
    mx, my = mean([x for x, _ in pairs]), mean([y for _, y in pairs])
    return sum(((x - mx) * (y - my) for x, y in pairs), Fraction(0)) / (len(pairs) - 1)


def part_statistics(query: Query, table: Table) -> list[list[Fraction]]:
    """Return, for each part, the released statistic of every cell, straight from its definition."""
    table = tuple(row for row in table if all(_meets(each, row) for each in query.where))
    if query.margins is not None:
        return margin_statistics(query, table)
    groups = (
        [table]
        if query.by is None
        else [[row for row in table if (row[2], row[3]) == key] for key in query.by.labels]  # of the columns "g", "h"
        if isinstance(query.by, KeyedGroups)
        else [
            [row for row in table if all(is_in(row) for is_in in cell)]
            for cell in product(*(tests_of_cells(column) for column in query.by.columns))
        ]
    )
    if query.kind == "histogram":
        return [[count for group in groups for count in _histogram(query, list(group))]]
    if query.kind == "quantiles":
        return [[count for group in groups for count in _nodes(query, list(group), width)] for width in _widths(query)]
    return [list(cells) for cells in zip(*(_of_group(query, list(group)) for group in groups), strict=True)]


def margin_statistics(query: Query, table: Table) -> list[list[Fraction]]:
    """Return every measured margin by itself: of the rows to which every column of the table gives a cell."""
    if query.margins.stated == "hierarchy":
        return level_statistics(query, table)
    tests = [tests_of_cells(column) for column in query.by.columns]
    counting = [row for row in table if all(any(is_in(row) for is_in in cells) for cells in tests)]
    return [
        [
            _of_group(query, [row for row in counting if all(is_in(row) for is_in in cell)])[0]
            for cell in product(*(tests[i] for i in margin))
        ]
        for margin in query.margins.measured
    ]


def level_statistics(query: Query, table: Table) -> list[list[Fraction]]:
    """Return every measured level of a hierarchy by itself: of the rows whose parent there has the name of the cell."""
    (column,) = query.by.columns
    named = {value: value for value in group_values(column)}  # what each value is called at a level
    levels = [dict(named)]
    for nodes in parents_table(column).values():
        parents = {cell: node for node, cells in nodes.items() for cell in cells}
        named = {value: parents.get(name, name) for value, name in named.items()}
        levels.append(dict(named))
    found = []
    for margin in query.margins.measured:
        cells = list(dict.fromkeys(levels[margin[0]].values())) if margin else [None]
        held = levels[margin[0]] if margin else dict.fromkeys(named)
        rows = [row for row in table if row[2] in held]
        found.append([_of_group(query, [row for row in rows if held[row[2]] == cell])[0] for cell in cells])
    return found


def tests_of_cells(column: CategoryColumn | BinnedColumn) -> list[Callable]:
    """Return, for each cell of a column in order, whether a row is in it."""
    if isinstance(column, CategoryColumn):
        place = {"h": 3}.get(column.name, 2)
        return [lambda row, value=value: row[place] == value for value in group_values(column)]
    edges, x = column.edges, {"x": 0, "y": 1}[column.name]

    def between(low, high):
        return lambda row: row[x] is not None and (low <= row[x] < high or row[x] == high == edges[-1])

    found = [between(low, high) for low, high in pairwise(edges)]
    if column.outside == "binned":
        below = [lambda row: row[x] is not None and row[x] < edges[0]] if edges[0] > column.lower else []
        above = [lambda row: row[x] is not None and row[x] > edges[-1]] if edges[-1] < column.upper else []
        found = [*below, *found, *above]
    return [*found, *([lambda row: row[x] is None] if column.null == "binned" else [])]


def group_values(column: CategoryColumn) -> list[str | None]:
    """Return what a row holds in each cell; "?" stands for any unknown text."""
    return [
        *column.categories,
        *(["?"] if column.unknown == "binned" else []),
        *([None] if column.null == "binned" else []),
    ]


def _of_group(query: Query, rows: list[Row]) -> list[Fraction]:
    if query.kind == "count":
        return [Fraction(len(rows))]
    if query.kind in ("variance", "covariance") and query.count_share is not None:
        return _centred(query, rows)
    xs = _answered(query.columns[0], rows)
    if query.kind == "sum":
        return [sum(xs, Fraction(0))]
    if query.kind == "mean" and len(query.parts) == 1:
        return [mean(xs)]
    if query.kind == "mean":
        middle = (query.columns[0].lower + query.columns[0].upper) / 2
        return [sum((x - middle for x in xs), Fraction(0)), Fraction(len(xs))]
    if query.kind == "variance":
        return [covariance([(x, x) for x in xs])]
    ys = [query.columns[1].missing if row[1] is None else row[1] for row in rows]
    return [covariance(list(zip(xs, ys, strict=True)))]


def _centred(query: Query, rows: list[Row]) -> list[Fraction]:
    """Return sums of distances from the middles, of their products, and of squares from half the largest; and rows."""
    places = {"x": 0, "y": 1}
    rows = [row for row in rows if all(row[places[c.name]] is not None for c in query.columns if c.dropped)]
    found = {}
    for column in query.columns:
        cells = [column.missing if row[places[column.name]] is None else row[places[column.name]] for row in rows]
        found[column.name] = [cell - (column.lower + column.upper) / 2 for cell in cells]
    halves = {c.name: ((c.upper - c.lower) / 2) ** 2 / 2 for c in query.columns}
    sums = [sum(each, Fraction(0)) for each in found.values()]
    squares = [sum((d * d - halves[name] for d in each), Fraction(0)) for name, each in found.items()]
    if query.kind == "variance":
        return [*sums, *squares, Fraction(len(rows))]
    product_sum = sum((d * e for d, e in zip(*found.values(), strict=True)), Fraction(0))
    return [*sums, product_sum, *(squares if query.correlation else ()), Fraction(len(rows))]


def _answered(column: NumberColumn, rows: list[Row]) -> list[Fraction]:
    """Return the numbers of those who answered, and what stands in for the others, if anything does."""
    if column.missing is None:
        return [row[0] for row in rows if row[0] is not None]
    return [column.missing if row[0] is None else row[0] for row in rows]


def _meets(condition, row: Row) -> bool:
    if condition.equals is not None:
        return row[2] == condition.equals
    if row[0] is None:
        return False
    return (condition.start is None or row[0] >= condition.start) and (
        condition.below is None or row[0] < condition.below
    )


def _histogram(query: Query, rows: list[Row]) -> list[Fraction]:
    column = query.columns[0]
    if isinstance(column, CategoryColumn):
        return [Fraction(sum(row[2] == each for row in rows)) for each in group_values(column)]
    xs, edges = [row[0] for row in rows if row[0] is not None], query.edges
    cells = [sum(low <= x < high for x in xs) for low, high in pairwise(edges)]
    cells[-1] += sum(x == edges[-1] for x in xs)
    if query.outside == "binned":
        below = [sum(x < edges[0] for x in xs)] if edges[0] > column.lower else []
        above = [sum(x > edges[-1] for x in xs)] if edges[-1] < column.upper else []
        cells = [*below, *cells, *above]
    if query.missing == "binned":
        cells.append(sum(row[0] is None for row in rows))
    return [Fraction(count) for count in cells]


def _widths(query: Query) -> list[int]:
    """Return how many levels a node of each measured depth is over, the highest first."""
    cells, widths = len(grid_values(query.columns[0])), [1]
    while -(-cells // widths[-1]) > query.branching:
        widths.append(widths[-1] * query.branching)
    return widths[::-1]


def _nodes(query: Query, rows: list[Row], width: int) -> list[Fraction]:
    """Return the rows in each node of a depth."""
    values, xs = grid_values(query.columns[0]), _answered(query.columns[0], rows)
    nodes = [values[first : first + width] for first in range(0, len(values), width)]
    return [Fraction(sum(x in node for x in xs)) for node in nodes]


def numerators(query: Query, table: Table) -> list[list[Fraction]]:
    """Return the numerator of every cell of every part."""
    return [
        [(statistic - part.numerator.shift) / part.numerator.factor for statistic in cells]
        for part, cells in zip(query.parts, part_statistics(query, table), strict=True)
    ]


class Extremes:
    """What all tables and all neighbours together show about a query.

    moves   how far the parts move together, each in its sensitivities, its cells added up: every such vector
    """

    def __init__(
        self, query: Query, rows: list[Row], value: Callable = numerators, relation: Relation | None = None
    ) -> None:
        relation = relation or query.neighbours
        known = {table: value(query, table) for table in tables(rows, relation)}
        parts = range(len(query.parts))
        self.all_integers = all(x.denominator == 1 for found in known.values() for cells in found for x in cells)
        self.cells = [{len(found[p]) for found in known.values()} for p in parts]
        self.lowest = [min(min(found[p]) for found in known.values()) for p in parts]
        self.highest = [max(max(found[p]) for found in known.values()) for p in parts]
        self.largest_move = [Fraction(0) for _ in parts]
        self.moves: set[tuple[Fraction, ...]] = {tuple(Fraction(0) for _ in parts)}
        for table, here in known.items():
            for other in set(neighbours(table, rows, relation)):
                there, together = known[other], []
                for p in parts:
                    moves = [abs(a - b) for a, b in zip(here[p], there[p], strict=True)]
                    self.largest_move[p] = max(self.largest_move[p], *moves)
                    together.append(sum(moves) / query.parts[p].numerator.sensitivity)
                self.moves.add(tuple(together))
        self.largest_loss = self.loss(*(part.share for part in query.parts))

    def loss(self, *shares: Fraction) -> Fraction:
        """Return the most that neighbours lose, in units of the epsilon typed, for scales sensitivity/(share * eps)."""
        return max(sum((s * moved for s, moved in zip(shares, each, strict=True)), Fraction(0)) for each in self.moves)


def proven(
    query: Query, rows: list[Row], value: Callable = numerators, *, whole_epsilon: bool = True, ends: bool = True
) -> Extremes:
    """Check a query against all tables: integers, both ends of the range, the sensitivity and the epsilon charged."""
    found = Extremes(query, rows, value)
    assert found.all_integers
    for p, part in enumerate(query.parts):
        assert found.cells[p] == {part.cells}
        assert found.largest_move[p] <= part.numerator.sensitivity or part.moving > 1
        if ends:
            assert (found.lowest[p], found.highest[p]) == (part.numerator.lower, part.numerator.upper)
        if ends and part.moving == 1:
            assert found.largest_move[p] == part.numerator.sensitivity
    assert found.largest_loss <= 1
    if whole_epsilon:
        assert found.largest_loss == 1
    assert len(list(query.labels)) == query.cells
    return found
