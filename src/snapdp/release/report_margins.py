"""Margins in a report: of every margin the adjusted numbers beside the measured ones, and of two columns a cross table.

The levels of a hierarchy are one table, every parent above what it holds.
Room: release. Made from the numbers of the record alone; every text passes through the escape of the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from snapdp.display import Html, escape, folded, four_digits_up, html_table
from snapdp.errors import SnapdpError
from snapdp.release.numbers import Number, NumberBlock, shown_interval, shown_value
from snapdp.studies import HIERARCHY, Hierarchy, groups_from, hierarchy_of, readable_title

MOST_OPEN, MOST_ACROSS, LONGEST = 20, 12, 1000  # rows of an open table; columns of a cross table; characters of a text
INDENT = "&emsp;"
Blocks = dict[tuple[str, ...], NumberBlock]  # by the columns that tell their cells apart
HEADS = ("adjusted", "interval", "measured", "interval")


def margins_section(blocks: Sequence[NumberBlock]) -> str:
    """Return the section of one statistic with margins: measured and adjusted blocks, as the record has them."""
    measured = {_columns(block): block for block in blocks if not block.derived}
    adjusted = {_columns(block): block for block in blocks if block.derived}
    first = blocks[0]
    title = _text(readable_title(str(first.declared["title"]), first.declared))
    about = (
        f'<p class="dim">epsilon {_text(first.cost)}. The adjusted tables add up; they follow from the measured ones, '
        "free of charge. Sums of printed numbers agree up to the rounding of printing.</p>"
    )
    if (nested := _nested(adjusted, measured)) is not None:
        return f"<h2>{title}</h2>{about}{nested}"
    margins = dict.fromkeys([*adjusted, *measured])
    tables = (_margin(adjusted.get(each), measured.get(each)) for each in sorted(margins, key=len, reverse=True))
    return f"<h2>{title}</h2>{about}{_cross_table(adjusted)}{''.join(tables)}"


def _margin(adjusted: NumberBlock | None, measured: NumberBlock | None) -> str:
    """Return one margin as a table; a side may be in a file."""
    block = adjusted or measured
    assert block is not None
    left, right = (() if each is None else each.readable for each in (adjusted, measured))
    names = [tuple(map(_text, each.label)) or (Html("in total"),) for each in block.readable]
    heads = tuple(_text(name) for name, _ in block.numbers[0].keys) or (Html("cell"),)
    rows = ((*name, *_shown(left, place), *_shown(right, place)) for place, name in enumerate(names))
    said = f"; standard deviation of the adjusted: {_deviation(block)}" if block.deviation is not None else ""
    table = html_table((*heads, *HEADS), rows)
    name = block.readable_title.removeprefix("adjusted ")
    listed = folded("table", table, is_open=len(names) <= MOST_OPEN)
    return f'<h3>{_text(name)}</h3><p class="dim">{_text(f"{len(names)} cells{said}")}</p>{listed}'


def _cross_table(adjusted: Blocks) -> str:
    """Return the adjusted table by two columns with its totals at the sides; nothing where one of them is not there."""
    pair = next((columns for columns in adjusted if len(columns) == 2), None)
    if pair is None or set(adjusted) != {(), (pair[0],), (pair[1],), pair}:
        return ""
    total, down, across, cells = (adjusted[each].readable for each in ((), (pair[0],), (pair[1],), pair))
    if len(across) > MOST_ACROSS or len(down) > 5 * MOST_ACROSS:
        return ""
    width = len(across)
    heads = (_text(f"{pair[0]} / {pair[1]}"), *(_text(each.cell) for each in across), "in total")
    rows = [
        (_text(each.cell), *map(shown_value, cells[place * width : (place + 1) * width]), shown_value(each))
        for place, each in enumerate(down)
    ]
    return str(html_table(heads, [*rows, ("in total", *map(shown_value, across), shown_value(total[0]))]))


def _nested(adjusted: Blocks, measured: Blocks) -> str | None:
    """Return all levels of a hierarchy as one table; None where there is none, or not all of it is in the record."""
    tree = _tree(adjusted)
    if tree is None:
        return None
    every = [row for level, block in adjusted.items() for row in _level_rows(level, block, measured.get(level))]
    if len(every) != len(tree.node_parents):
        return None
    rows = ((Html(INDENT * depth + every[node][0]), *every[node][1:]) for node, depth in _from_the_root(tree))
    table = html_table(("cell", "level", "adjusted", "interval", "deviation", "measured", "interval"), rows)
    return str(folded("table", table, is_open=len(every) <= 5 * MOST_OPEN))


def _tree(adjusted: Blocks) -> Hierarchy | None:
    """Return the hierarchy of blocks, which the block of the categories declares."""
    declared = [block.declared for block in adjusted.values() if "parents" in block.declared.get("by", ())]
    if not declared or declared[0]["margins"] != HIERARCHY:
        return None
    try:
        return hierarchy_of(groups_from(declared[0]["by"]), None, known_total=False)
    except SnapdpError:  # a record may be anybody's
        return None


def _level_rows(level: tuple[str, ...], block: NumberBlock, measured: NumberBlock | None) -> Iterator[tuple[str, ...]]:
    """Yield what is shown of every cell of a level: its name, and its numbers."""
    left, right = block.readable, () if measured is None else measured.readable
    for place, number in enumerate(left):
        figures = (*_shown(left, place), _deviation(block, place), *_shown(right, place))
        yield _text(number.cell if level else "in total"), _text(", ".join(level)), *figures


def _from_the_root(tree: Hierarchy) -> Iterator[tuple[int, int]]:
    """Yield the nodes of a hierarchy and how deep they are, every parent before what it holds."""
    below: list[list[int]] = [[] for _ in tree.node_parents]
    for node, parent in enumerate(tree.node_parents[1:], 1):
        below[parent].append(node)
    waiting = [(0, 0)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        waiting += ((child, depth + 1) for child in reversed(below[node]))


def _deviation(block: NumberBlock, place: int | None = None) -> str:
    """Return the deviation of a cell; without one of all cells, the largest where they differ."""
    found = block.deviation
    if found is None or isinstance(found, float):
        return "" if found is None else four_digits_up(Fraction(found))
    largest = four_digits_up(Fraction(max(found)))
    return f"at most {largest}" if place is None else four_digits_up(Fraction(found[place]))


def counted(cells: int) -> str:
    return "one cell" if cells == 1 else f"{cells} cells"


def _columns(block: NumberBlock) -> tuple[str, ...]:
    return tuple(name for name, _ in block.numbers[0].keys)


def _shown(numbers: Sequence[Number], place: int) -> tuple[str, str]:
    if place >= len(numbers):
        return ("known", "") if not numbers else ("", "")
    return shown_value(numbers[place]), shown_interval(numbers[place])


def _text(text: str) -> Html:
    return escape(text, LONGEST)
