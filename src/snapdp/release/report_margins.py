"""Margins in a report: of every margin the adjusted numbers beside the measured ones, and of two columns a cross table.

Room: release. Made from the numbers of the record alone; every text passes through the escape of the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from snapdp.display import Html, escape, folded, four_digits_up, html_table
from snapdp.release.numbers import Number, NumberBlock, shown_interval, shown_value
from snapdp.studies import readable_title

MOST_OPEN, MOST_ACROSS, LONGEST = 20, 12, 1000  # rows of an open table; columns of a cross table; characters of a text
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
    deviation = block.deviation
    said = "" if deviation is None else f"; standard deviation of the adjusted: {four_digits_up(Fraction(deviation))}"
    table = html_table((*heads, *HEADS), rows)
    name = block.readable_title.removeprefix("adjusted ")
    listed = folded("table", table, is_open=len(names) <= MOST_OPEN)
    return f'<h3>{_text(name)}</h3><p class="dim">{_text(f"{len(names)} cells{said}")}</p>{listed}'


def _cross_table(adjusted: dict[tuple[str, ...], NumberBlock]) -> str:
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
