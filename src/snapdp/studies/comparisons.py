"""How the cells of a category column are compared: as text, or as numbers, so that 1.0 is 1.

Room: studies. It reads nothing itself. A study need not say it where the categories do: all of them plain numbers, or
none of them anything like a number. Where it is in doubt it has to be said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from snapdp.display import one_line
from snapdp.errors import ParameterError
from snapdp.studies.columns import AS_NUMBERS, AS_TEXT, CategoryColumn
from snapdp.values import replaced

MOST_DIGITS = 15  # of a category that is a number: two such numbers are never the same double
_SOME_NUMBER = re.compile("[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?")
_CANONICAL = re.compile("-?(0|[1-9][0-9]*)([.][0-9]+)?")


def compared(column: CategoryColumn, compare: str) -> CategoryColumn:
    """Return a category column that compares its cells as text or as numbers.

    >>> from snapdp.studies import category_column
    >>> compared(category_column("smokes", categories=["0", "1"]), "numbers").compare
    'numbers'
    """
    if compare not in (AS_TEXT, AS_NUMBERS):
        raise ParameterError(
            f"compare = {compare!r} of column {column.name!r} is not known.", 'Give compare = "text" or "numbers".'
        )
    if compare == AS_NUMBERS:
        odd = next((each for each in column.categories if not is_plain(each)), None)
        if odd is not None:
            raise ParameterError(
                f"category {one_line(odd)!r} of column {column.name!r} is no plain number.",
                f'Give numbers such as -3, 0 or 1.5, of at most {MOST_DIGITS} digits, or compare = "text".',
            )
        _refuse_equals(column)
    return replaced(column, compare=compare)


def natural_comparison(categories: Sequence[str]) -> str | None:
    """Return how categories are compared where a study does not say: as numbers if all of them are plain ones.

    None where it has to say: next to a number that is not plain, or to a blank at an end, text is easily not meant.

    >>> [natural_comparison(each) for each in (["0", "1"], ["no", "yes"], ["0", "1", "2+"])]
    ['numbers', 'text', None]
    """
    if all(map(is_plain, categories)):
        return AS_NUMBERS
    return None if any(map(_doubtful, categories)) else AS_TEXT


def _doubtful(category: str) -> bool:
    return category != category.strip(" \t") or _SOME_NUMBER.fullmatch(category) is not None


def naturally_compared(column: CategoryColumn) -> CategoryColumn:
    """Return a column of which a study does not say how it compares; refuse one where that is not clear."""
    found = natural_comparison(column.categories)
    if found is not None:
        return compared(column, found)
    odd = next(each for each in column.categories if not is_plain(each))
    blank = next((each for each in column.categories if each != each.strip(" \t")), None)
    if blank is not None:
        raise ParameterError(
            f"category {one_line(blank)!r} of column {column.name!r} begins or ends with a blank.",
            'Leave the blank out; where cells have it too, give compare = "text".',
        )
    raise ParameterError(
        f"some categories of column {column.name!r} are numbers, but {one_line(odd)!r} is no plain one: as "
        "text a cell 1.0 would not be 1.",
        'Give compare = "text" (--compare text) if that is meant; otherwise plain numbers alone, such as 0, 1, 2.',
    )


def is_plain(category: str) -> bool:
    """Tell whether a category is a number as people write it: -3, 0, 12, 1.5, not 007, 1e3 or +1."""
    return _CANONICAL.fullmatch(category) is not None and sum(map(str.isdigit, category)) <= MOST_DIGITS


def _refuse_equals(column: CategoryColumn) -> None:
    seen: dict[Fraction, str] = {}
    for each in column.categories:
        same = seen.setdefault(Fraction(each), each)
        if same != each:
            raise ParameterError(
                f"categories {same!r} and {each!r} of column {column.name!r} are the same number.",
                'Keep one of them, or give compare = "text" if they are different.',
            )
