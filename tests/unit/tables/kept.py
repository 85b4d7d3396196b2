"""Which rows persons keep and in which cells they count, in plain Python: the definitions of docs/theory/persons.md."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

Row = tuple[int | None, ...]
Person = str | None | tuple[str | None, ...]


def text_of(person: Person) -> str | None:
    """Return the text of a person; of several columns each part behind its length in bytes; None for nobody."""
    if not isinstance(person, tuple):
        return person
    if None in person:
        return None
    return person[0] if len(person) == 1 else "".join(f"{len(part.encode())}:{part}" for part in person)


def hashed(*words: str) -> int:
    """Return 60 bits of a hash of words."""
    return int(hashlib.sha256(":".join(words).encode()).hexdigest()[:15], 16)


def lot(salt: str, row: Row, copy: int, person: str) -> int:
    """Return the lot of a row."""
    return hashed(salt, *("" if level is None else str(level) for level in row), str(copy), person)


def kept(rows: Iterable[tuple[Row, Person]], *, most: int, salt: str = "") -> list[tuple[Row, str]]:
    """Return the rows (levels, person) that are kept, sorted."""
    copies: Counter[tuple[Row, str]] = Counter()
    lots: dict[str, list[tuple[int, Row, int, Row]]] = {}
    for row, who in rows:
        person = text_of(who)
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


def counted_in(cells: Iterable[tuple[int | None, Person]], *, most: int, salt: str = "") -> dict[str, list[int]]:
    """Return the cells in which each person counts, from (cell, person) of the rows that meet all tests."""
    found: dict[str, set[int]] = {}
    for cell, who in cells:
        person = text_of(who)
        if person is not None and cell is not None:
            found.setdefault(person, set()).add(cell)
    return {
        person: sorted(mine, key=lambda cell: (hashed(salt, str(cell), person), cell))[:most]
        for person, mine in found.items()
    }


def people(cells: Iterable[tuple[int | None, Person]], *, count: int, most: int, salt: str = "") -> tuple[int, ...]:
    """Return how many persons count in each of so many cells."""
    chosen = Counter(cell for mine in counted_in(cells, most=most, salt=salt).values() for cell in mine)
    return tuple(chosen[cell] for cell in range(count))
