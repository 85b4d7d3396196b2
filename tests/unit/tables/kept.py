"""Which rows persons keep, in plain Python: the definition of docs/theory/persons.md."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

Row = tuple[int | None, ...]


def lot(salt: str, row: Row, copy: int, person: str) -> int:
    """Return the lot of a row: 60 bits of a hash."""
    words = [salt, *("" if level is None else str(level) for level in row), str(copy), person]
    return int(hashlib.sha256(":".join(words).encode()).hexdigest()[:15], 16)


def kept(rows: Iterable[tuple[Row, str | None]], *, most: int, salt: str = "") -> list[tuple[Row, str]]:
    """Return the rows (levels, person) that are kept, sorted."""
    copies: Counter[tuple[Row, str]] = Counter()
    lots: dict[str, list[tuple[int, Row, int, Row]]] = {}
    for row, person in rows:
        if person is None:
            continue
        copies[row, person] += 1
        copy = copies[row, person]
        order = tuple(-1 if level is None else level for level in row)
        lots.setdefault(person, []).append((lot(salt, row, copy, person), order, copy, row))
    found = [(entry[3], person) for person, mine in lots.items() for entry in sorted(mine, key=lambda e: e[:3])[:most]]
    return by_order(found)


def by_order(rows: Iterable[tuple[Row, str]]) -> list[tuple[Row, str]]:
    return sorted(rows, key=lambda each: (each[1], [-1 if level is None else level for level in each[0]]))
