"""Margins in a report: of every margin the adjusted numbers beside the measured ones, and of two columns a cross table.

Room: release. Made from the numbers of the record alone; every text passes through the escape of the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from snapdp.display import Html, escape, folded, four_digits_up, html_table, noise_digits
from snapdp.release.numbers import Number, NumberBlock, half_width, shown_interval, shown_value
from snapdp.studies import DROPPED, readable_title

MOST_OPEN, MOST_ACROSS, LONGEST = 20, 12, 1000  # rows of an open table; columns of a cross table; characters of a text
NO_CELL = ("unknown", "null", "outside")  # what a column says of rows that mean none of its cells
NARROW = 6  # so many cells stand side by side before the longer of two columns goes down the page
HEADS = ("adjusted", "interval", "measured", "interval")
ROUNDED = "Sums of printed numbers agree up to the rounding of printing."
MOVED = (
    "Noise takes some of them beyond what is possible: the tables with intervals show the nearest possible number "
    "instead, and so do not add up as they are printed"
)


def margins_section(blocks: Sequence[NumberBlock]) -> str:
    """Return the section of one statistic with margins: measured and adjusted blocks, as the record has them."""
    measured = {_columns(block): block for block in blocks if not block.derived}
    adjusted = {_columns(block): block for block in blocks if block.derived}
    first = blocks[0]
    title = _text(readable_title(first.statistic, first.declared))
    crossed = _cross_table(adjusted)
    margins = dict.fromkeys([*adjusted, *measured])
    tables = (_margin(adjusted.get(each), measured.get(each)) for each in sorted(margins, key=len, reverse=True))
    about = " ".join(filter(None, (_about(first), _added_up(adjusted, bool(crossed)), _left_out(blocks))))
    return f'<h2>{title}</h2><p class="dim">{_text(about)}</p>{crossed}{"".join(tables)}'


def _about(first: NumberBlock) -> str:
    return f"epsilon {first.cost}. The adjusted tables add up; they follow from the measured ones, free of charge."


def _added_up(adjusted: Mapping[tuple[str, ...], NumberBlock], is_crossed: bool) -> str:
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
    return f"A row without a cell of {' or '.join(names)} is in none of them, nor in the total." if names else ""


def _margin(adjusted: NumberBlock | None, measured: NumberBlock | None) -> str:
    """Return one margin as a table; a side may be in a file."""
    block = adjusted or measured
    assert block is not None
    left, right = (() if each is None else each.readable for each in (adjusted, measured))
    names = [tuple(map(_text, each.label)) or (Html("all cells"),) for each in block.readable]
    heads = tuple(_text(name) for name, _ in block.numbers[0].keys) or (Html("cell"),)
    rows = ((*name, *_shown(left, place), *_shown(right, place)) for place, name in enumerate(names))
    deviation = block.deviation
    said = "" if deviation is None else f"; standard deviation of the adjusted: {four_digits_up(Fraction(deviation))}"
    table = html_table((*heads, *HEADS), rows)
    name = block.readable_title.removeprefix("adjusted ")
    listed = folded("table", table, is_open=len(names) <= MOST_OPEN)
    return f'<h3>{_text(name)}</h3><p class="dim">{_text(f"{counted(len(names))}{said}")}</p>{listed}'


def _cross_table(adjusted: Mapping[tuple[str, ...], NumberBlock]) -> str:
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

    heads = (_text(f"{pair[0]} / {pair[1]}"), *(_text(each.cell) for each in across), "in total")
    body = [(_text(each.cell), *map(printed, row), printed(each)) for each, row in zip(down, rows, strict=True)]
    return str(html_table(heads, [*body, ("in total", *map(printed, across), printed(total[0]))]))


def _finest(blocks: Iterable[NumberBlock]) -> Decimal:
    """Return half the length of an interval in the most accurate of some tables; one cut at what is possible is no
    measure of it, hence the longest of each.
    """
    longest = (max(map(half_width, block.numbers)) for block in blocks)
    return min(filter(None, longest), default=Decimal(0))


def counted(cells: int) -> str:
    """Return a number of cells in words."""
    return "one cell" if cells == 1 else f"{cells} cells"


def _columns(block: NumberBlock) -> tuple[str, ...]:
    return tuple(name for name, _ in block.numbers[0].keys)


def _shown(numbers: Sequence[Number], place: int) -> tuple[str, str]:
    if place >= len(numbers):
        return ("known", "") if not numbers else ("", "")
    return shown_value(numbers[place]), shown_interval(numbers[place])


def _text(text: str) -> Html:
    return escape(text, LONGEST)
