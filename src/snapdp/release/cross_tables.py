"""Groups by two columns as a cross table: one column down, the other across.

Room: release. Everything here is read from the record.
"""

from __future__ import annotations

from snapdp.release.numbers import NumberBlock
from snapdp.studies import BOUNDS
from snapdp.values import Value

MOST_ACROSS, MOST_DOWN, NARROW = 12, 60, 6  # of a cross table; so many stand side by side before it is turned


class Crossed(Value):
    """Which number of a block stands where.

    down, across   the names of the two columns
    rows, heads    what names a row, and a column
    places         of the numbers in the block, row by row
    """

    down: str
    across: str
    rows: tuple[str, ...]
    heads: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]


def crossed(block: NumberBlock) -> Crossed | None:
    """Return how the numbers of a block stand in a cross table; None where they are no such table, or a large one."""
    numbers = block.readable
    if {len(each.label) for each in numbers} != {2} or block.name == BOUNDS:
        return None
    down, across = (tuple(dict.fromkeys(each.label[place] for each in numbers)) for place in (0, 1))
    if [each.label for each in numbers] != [(a, b) for a in down for b in across]:
        return None
    first, second = (name for name, _ in numbers[0].keys)
    wide = len(across)
    places = tuple(tuple(range(row * wide, (row + 1) * wide)) for row in range(len(down)))
    if wide > max(NARROW, len(down)):
        first, second, down, across, places = second, first, across, down, tuple(zip(*places, strict=True))
    if not 1 < len(across) <= MOST_ACROSS or not 1 < len(down) <= MOST_DOWN:
        return None
    return Crossed(down=first, across=second, rows=down, heads=across, places=places)
