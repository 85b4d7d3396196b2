"""Parents of categories: public levels above a column, each coarser than the one below: municipality, county, country.

Room: studies. Holds no data. Every category is in one node of the first level, every node of a level in one of the
next. Names tell nodes of one level apart; a town, its county and its country may have one name.

    [columns.municipality.parents]      county = {NRW = ["Aachen", "Bonn"], RLP = ["Mainz"]}, country = {...}

Nodes are kept in the order of their first category, whatever order they are typed in: two orders are one request.
Cells behind the categories, of other texts and of nothing, are their own parents at every level.
Theory: docs/theory/sensitivities.md (22).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from snapdp.display import one_line
from snapdp.errors import BoundError, ParameterError
from snapdp.studies.columns import CategoryColumn, storable
from snapdp.values import Value, replaced

MOST_LEVELS = 16  # above the categories
ADVICE = (
    'Give each level by its name, from the categories up: parents = {county = {Kent = ["Dover", "Deal"], ...}, '
    'country = {England = ["Kent", ...], ...}}. Nothing was read and nothing spent.'
)
_ONE_CELL = "Every row counts in one cell of each level. Nothing was read and nothing spent."


class ParentLevel(Value):
    """One level above the categories of a column.

    name    what the level is called, as a column would be
    nodes   the names of its cells, in the order of their first category
    above   of each cell below, a category or a node, the place of its parent among the nodes
    """

    name: str
    nodes: tuple[str, ...]
    above: tuple[int, ...]


def with_parents(column: CategoryColumn, given: Any) -> CategoryColumn:
    """Return a column with its parents: {level: {node: names of the cells below it}}, from the categories up.

    >>> from snapdp.studies import category_column
    >>> town = category_column("town", categories=["Aachen", "Mainz", "Bonn"])
    >>> found = with_parents(town, {"county": {"RLP": ["Mainz"], "NRW": ["Bonn", "Aachen"]}})
    >>> found.parents[0].nodes, found.parents[0].above
    (('NRW', 'RLP'), (0, 1, 0))
    """
    if not isinstance(given, Mapping) or not given:
        raise ParameterError(f"the parents of column {column.name!r} are no table of levels.", ADVICE)
    if len(given) > MOST_LEVELS:
        raise BoundError(f"column {column.name!r} has {len(given)} levels of parents.", f"Give at most {MOST_LEVELS}.")
    below: Sequence[str] = column.categories
    levels = []
    for name, nodes in given.items():
        levels.append(_level(name, _parents_by_cell(column, name, nodes, below)))
        below = levels[-1].nodes
    return _checked(column, levels)


def parents_from(column: CategoryColumn, stated: Sequence[Mapping[str, Any]]) -> CategoryColumn:
    """Return a column with the parents that a record states."""
    levels = [_level(each["level"], list(each["of"])) for each in stated]
    return _checked(column, levels)


def parents_values(column: CategoryColumn) -> list[dict[str, Any]]:
    """Return the parents as records state them: of every level its name, and the parent of each cell below."""
    return [{"level": each.name, "of": [each.nodes[place] for place in each.above]} for each in column.parents]


def parents_table(column: CategoryColumn) -> dict[str, dict[str, list[str]]]:
    """Return the parents as study files state them."""
    found: dict[str, dict[str, list[str]]] = {}
    below: Sequence[str] = column.categories
    for level in column.parents:
        nodes: dict[str, list[str]] = {node: [] for node in level.nodes}
        for cell, place in zip(below, level.above, strict=True):
            nodes[level.nodes[place]].append(cell)
        found[level.name], below = nodes, level.nodes
    return found


def level_columns(column: CategoryColumn) -> tuple[CategoryColumn, ...]:
    """Return the column and its levels, each as the column that it would be, from the categories up."""
    above = (
        CategoryColumn(name=each.name, categories=each.nodes, unknown=column.unknown, null=column.null)
        for each in column.parents
    )
    return (column, *above)


def parent_places(column: CategoryColumn) -> list[list[int]]:
    """Return for each level, from the categories up, the place of every cell's parent; not of the last one's."""
    found = []
    for level, (below, above) in zip(column.parents, pairwise(level_columns(column)), strict=True):
        special = above.cells - len(level.nodes)
        assert below.cells == len(level.above) + special
        found.append([*level.above, *range(len(level.nodes), above.cells)])
    return found


def _parents_by_cell(column: CategoryColumn, level: Any, nodes: Any, below: Sequence[str]) -> list[str]:
    """Return the name of the parent of each cell below, in their order; each has one."""
    if not isinstance(level, str) or not isinstance(nodes, Mapping) or not nodes:
        raise ParameterError(f"level {_named(level)} of column {column.name!r} is no table of parents.", ADVICE)
    at, known = f"level {_named(level)} of column {column.name!r}", frozenset(below)
    found: dict[str, str] = {}
    for node, cells in nodes.items():
        listed = isinstance(cells, Sequence) and not isinstance(cells, str) and all(isinstance(c, str) for c in cells)
        if not isinstance(node, str) or not listed or not cells:
            raise ParameterError(f"{_named(node)} at {at} is no parent with a list of names.", ADVICE)
        for cell in cells:
            if cell in found:
                raise ParameterError(_twice(cell, found[cell], node, at), f"Name it once. {_ONE_CELL}")
            if cell not in known:
                raise ParameterError(
                    f"{_named(node)} at {at} is said to be the parent of {_named(cell)}, which is not below it.",
                    f"Below it are {_several(below)}. {ADVICE}",
                )
            found[cell] = node
    lacking = [cell for cell in below if cell not in found]
    if lacking:
        raise ParameterError(
            f"{_several(lacking)} {'has' if len(lacking) == 1 else 'have'} no parent at {at}.",
            f"Name a parent for each. {_ONE_CELL}",
        )
    return [found[cell] for cell in below]


def _level(name: Any, parents: Sequence[str]) -> ParentLevel:
    """Return a level by the name of each parent, of the cells below in their order."""
    places = {node: place for place, node in enumerate(dict.fromkeys(parents))}
    return ParentLevel(name=name, nodes=tuple(places), above=tuple(places[node] for node in parents))


def _checked(column: CategoryColumn, levels: Sequence[ParentLevel]) -> CategoryColumn:
    """Return the column with these levels; refuse names that cannot be told apart, or stored, and parents of others."""
    found = replaced(column, parents=tuple(levels))
    names = [each.name for each in level_columns(found)]
    if len({*names}) != len(names):
        raise ParameterError(
            f"two levels of column {column.name!r} have one name, or that of the column.", "Give each its own."
        )
    cells = len(column.categories)
    for level, as_column in zip(levels, level_columns(found)[1:], strict=True):
        if len(level.above) != cells:
            raise ParameterError(f"level {_named(level.name)} has parents of other cells.", ADVICE)
        if not level.name.strip():
            raise ParameterError(f"a level of column {column.name!r} has no name.", ADVICE)
        for text in (level.name, *level.nodes):
            storable(text, f"level {_named(level.name)} of column {column.name!r}")
        if len({*as_column.labels}) != as_column.cells:
            raise ParameterError(
                f"a node of level {_named(level.name)} has the name of a cell for other texts, or for nothing.",
                "Rename it: released numbers are told apart by these names.",
            )
        cells = len(level.nodes)
    return found


def _twice(cell: str, one: str, other: str, at: str) -> str:
    if one == other:
        return f"{_named(cell)} stands twice below {_named(one)} at {at}."
    return f"{_named(cell)} is in two parents at {at}: {_named(one)} and {_named(other)}."


def _several(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(map(_named, names[:3])) + more


def _named(text: Any) -> str:
    return repr(one_line(text)) if isinstance(text, str) else "a name that is no text"
