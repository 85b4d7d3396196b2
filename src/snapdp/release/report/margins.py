"""Margins in a report: of every margin the adjusted numbers beside the measured ones, and of two columns a cross table.

The levels of a hierarchy are one table, every parent above what it holds.
Room: release. Made from the numbers of the record alone; every text passes through the escape of the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from snapdp.display import (
    Html,
    Mark,
    RowPicture,
    data_table,
    four_digits_up,
    noise_digits,
    one_line,
)
from snapdp.errors import SnapdpError
from snapdp.release.digits import half_width, shown_interval, shown_value
from snapdp.release.numbers import Number, NumberBlock
from snapdp.release.report.words import (
    LONG_TABLE,
    LONGEST,
    cost_in_words,
    cut_note,
    heading,
    level,
    named_rows,
    over,
    sentences,
    text,
)
from snapdp.studies import DROPPED, HIERARCHY, Hierarchy, groups_from, hierarchy_of, readable_title

MOST_ACROSS = 12  # columns of a cross table
NO_CELL = ("unknown", "null", "outside")  # what a column says of rows that mean none of its cells
NARROW = 6  # so many cells stand side by side before the longer of two columns goes down the page
INDENT = "&emsp;"
HEADS = ("adjusted", "measured")
BARS = "; the bars are those of the adjusted numbers"
Blocks = dict[tuple[str, ...], NumberBlock]  # by the columns that tell their cells apart
ROUNDED = "Sums of printed numbers agree up to the rounding of printing."
MOVED = (
    "Noise takes some of them beyond what is possible: the tables with intervals show the nearest possible number "
    "instead, and so do not add up as they are printed"
)


def margins_section(blocks: Sequence[NumberBlock], clauses: Sequence[str] = ()) -> str:
    """Return the section of one statistic with margins: measured and adjusted blocks, as the record has them."""
    measured = {_columns(block): block for block in blocks if not block.derived}
    adjusted = {_columns(block): block for block in blocks if block.derived}
    first = blocks[0]
    title = text(_heading(first))
    nested = _nested(adjusted, measured)
    crossed = "" if nested else _cross_table(adjusted)
    about = " ".join(filter(None, (_about(first, clauses), _added_up(adjusted, bool(crossed)), _left_out(blocks))))
    start = f'<h3>{title}</h3><p class="dim">{text(about)}</p>'
    if nested is not None:
        return f"{start}{nested}"
    margins = dict.fromkeys([*adjusted, *measured])
    tables = (_margin(adjusted.get(each), measured.get(each)) for each in sorted(margins, key=len, reverse=True))
    return f"{start}{crossed}{''.join(tables)}"


def _heading(first: NumberBlock) -> str:
    """Return what the tables are of, which the block of a margin does not say in full."""
    return heading(
        readable_title(first.statistic, first.declared), first.declared, are_kept=first.are_kept, units=first.units
    )


def _about(first: NumberBlock, clauses: Sequence[str]) -> str:
    follow = "they are computed from the measured ones, at no extra cost"
    return sentences(cost_in_words(first), *clauses, f"adjusted numbers add up: {follow}")


def _added_up(adjusted: Blocks, is_crossed: bool) -> str:
    """Return which printed numbers add up: not those that are shown as the nearest possible ones."""
    if not any(each.moved for block in adjusted.values() for each in block.numbers):
        return ROUNDED
    where = "the table with totals does, up to the rounding of printing" if is_crossed else "files of values do"
    return f"{MOVED}; {where}."


def _left_out(blocks: Sequence[NumberBlock]) -> str:
    """Return which rows are in none of the tables, where the columns leave any out: readers take totals for all."""
    by = [block.declared.get("by", ()) for block in blocks]
    columns = [column for each in by for column in ([each] if isinstance(each, Mapping) else each)]
    names = dict.fromkeys(str(each["name"]) for each in columns if DROPPED in (each.get(rule) for rule in NO_CELL))
    return f"A row without a group of {' or '.join(names)} is in none of them, nor in the total." if names else ""


def _margin(adjusted: NumberBlock | None, measured: NumberBlock | None) -> str:
    """Return one margin as a table; a side may be in a file."""
    block = adjusted or measured
    assert block is not None
    left, right = (() if each is None else each.readable for each in (adjusted, measured))
    heads, names = named_rows(block) if block.numbers[0].keys else ((Html(""),), [(Html("in total"),)])
    picture = rows_of(block.readable)
    rows = [
        (*name, _shown(left, place), _shown(right, place), picture.track(picture.marks[place]))
        for place, name in enumerate(names)
    ]
    said = f"; standard deviation of the adjusted: {_deviation(block)}" if block.deviation is not None else ""
    cut = cut_note((*left, *right))
    table = data_table(
        text(
            f"{counted(len(names))}, each above its {level(block.numbers[0].alpha)} interval{said}{BARS * bool(left)}"
            f"{'.' * bool(cut)}{cut}"
        ),
        (*heads, *HEADS, picture.scale),
        rows,
        (*[""] * len(heads), "r sum", "r", "t"),
        names=len(heads),
        is_long=len(rows) > LONG_TABLE,
    )
    name = heading(
        block.readable_title.removeprefix("adjusted "), block.declared, are_kept=block.are_kept, units=block.units
    )
    return f"<h4>{text(name)}</h4>{table}"


def rows_of(numbers: Sequence[Number]) -> RowPicture:
    """Return the bars of numbers that add up."""
    return RowPicture.of((Mark(each.printed, each.low, each.high, _said(each)) for each in numbers), bars=True)


def _said(number: Number) -> str:
    shown = ", ".join(filter(None, (shown_value(number), shown_interval(number))))
    return f"{one_line(number.cell, LONGEST) or 'in total'}: {shown}"


def _cross_table(adjusted: Blocks) -> str:
    """Return the adjusted table by two columns with its totals at the sides; nothing where one of them is not there.

    Its numbers are those that add up, whatever is possible, all with the same digits.
    """
    pair = next((columns for columns in adjusted if len(columns) == 2), None)
    if pair is None or set(adjusted) != {(), (pair[0],), (pair[1],), pair}:
        return ""
    total, down, across, cells = (adjusted[each].readable for each in ((), (pair[0],), (pair[1],), pair))
    rows = [cells[place * len(across) :][: len(across)] for place in range(len(down))]
    if len(across) > max(NARROW, len(down)):
        pair, down, across, rows = (pair[1], pair[0]), across, down, list(zip(*rows, strict=True))
    if len(across) > MOST_ACROSS or len(down) > 5 * MOST_ACROSS:
        return ""
    finest = _finest(adjusted.values())

    def printed(number: Number) -> str:
        return noise_digits(number.value, half_width=finest)

    heads = (text(f"{pair[0]} / {pair[1]}"), *(text(each.cell) for each in across), "in total")
    body = [(text(each.cell), *map(printed, row), printed(each)) for each, row in zip(down, rows, strict=True)]
    rows_of_text = [*body, ("in total", *map(printed, across), printed(total[0]))]
    caption = text("Adjusted numbers, with totals.")
    return str(data_table(caption, heads, rows_of_text, ("", *"r" * len(across), "r sum")))


def _finest(blocks: Iterable[NumberBlock]) -> Decimal:
    """Return half the length of an interval in the most accurate of some tables; one cut at what is possible is no
    measure of it, hence the longest of each.
    """
    longest = (max(map(half_width, block.numbers)) for block in blocks)
    return min(filter(None, longest), default=Decimal(0))


def _nested(adjusted: Blocks, measured: Blocks) -> str | None:
    """Return all levels of a hierarchy as one table; None where there is none, or not all of it is in the record."""
    tree = _tree(adjusted)
    if tree is None:
        return None
    every = [row for level, block in adjusted.items() for row in _level_rows(level, block, measured.get(level))]
    if len(every) != len(tree.node_parents):
        return None
    rows = [(Html(INDENT * depth + every[node][0]), *every[node][1:]) for node, depth in _from_the_root(tree)]
    heads = ("", "level", "adjusted", "standard deviation", "measured")
    kinds = ("c", "", "r sum", "r", "r")
    sure = level(next(iter(adjusted.values())).numbers[0].alpha)
    said = f"Every group above what it holds, every number above its {sure} interval; the deviation is that of the"
    cut = cut_note(each for block in (*adjusted.values(), *measured.values()) for each in block.numbers)
    caption = text(f"{said} adjusted number.{cut}")
    return str(data_table(caption, heads, rows, kinds, is_long=len(rows) > LONG_TABLE))


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
        figures = (_shown(left, place), _deviation(block, place), _shown(right, place))
        yield text(number.cell if level else "in total"), text(", ".join(level)), *figures


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
    """Return a number of groups in words."""
    return "one number" if cells == 1 else f"{cells} groups"


def _columns(block: NumberBlock) -> tuple[str, ...]:
    return tuple(name for name, _ in block.numbers[0].keys)


def _shown(numbers: Sequence[Number], place: int) -> str:
    """Return a number above its interval; a side that is not there is known."""
    if place >= len(numbers):
        return "" if numbers else "known"
    return over(shown_value(numbers[place]), shown_interval(numbers[place]))
