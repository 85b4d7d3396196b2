"""Columns whose cells hardly mean what is declared of them: what a look concludes, as a question, and never a cell.

Room: tables. It sees classes, never a count: whether many cells failed, and whether nearly none was read. A column of
which most cells are missing is none of these. What is said here is said of many columns at once, and names no word that
comes from the table.
"""

from __future__ import annotations

from collections.abc import Iterable

from snapdp.studies import BOOLEAN_WORDS, BooleanColumn, CategoryColumn, Column, DateColumn, PersonColumn

OTHER_WORDS = f"Read are {BOOLEAN_WORDS}, in any capitals."
NO_TRUTHS = "nearly no cell reads as true or false. Is it two categories, such as ja and nein? " + OTHER_WORDS
FEW_TRUTHS = (
    "more than 10 % of the cells read as neither true nor false. Is it two categories, such as j and n? " + OTHER_WORDS
)
NO_NUMBERS = "nearly no cell reads as a number. Is it a column of categories, or another column than was meant?"
NO_DATES = (
    "nearly no cell reads as a date. Dates are written as 2024-05-17; others are put right where the file is made."
)
NO_CATEGORIES = (
    "nearly no cell is in a category. Are the categories written as in the file, such as m and not male? They may be "
    "put right to what was known before."
)


def conclusion(column: Column, *, is_hardly_read: bool) -> str:
    """Return what is concluded of a column of which many cells failed; empty where that may well be so.

    is_hardly_read   nearly none of its cells was read
    """
    if isinstance(column, BooleanColumn):
        return NO_TRUTHS if is_hardly_read else FEW_TRUTHS
    if not is_hardly_read or isinstance(column, PersonColumn):
        return ""
    if isinstance(column, DateColumn):
        return NO_DATES
    if isinstance(column, CategoryColumn) and column.listed:
        return NO_CATEGORIES
    return NO_NUMBERS


def in_notes(found: Iterable[tuple[str, str]]) -> list[str]:
    """Return notes of (name, conclusion), one for all columns of which the same is concluded.

    >>> in_notes([("pay", "few."), ("seen", ""), ("age", "few.")])
    ['pay, age: few.']
    """
    names: dict[str, list[str]] = {}
    for name, told in found:
        names.setdefault(told, []).append(name)
    return [f"{', '.join(columns)}: {told}" for told, columns in names.items() if told]
