"""Whether a first line may be one of cells: a name of a column hardly looks like a number, a date or an address.

Room: tables. Nothing is loaded for it: shells ask while somebody types.
"""

from __future__ import annotations

import re
import unicodedata

MANY_DIGITS = re.compile(r"\d\D{0,3}\d{4}|\d{6}")  # a day with its year, a telephone number, an identifier


def may_be_cell(name: str) -> bool:
    """Tell whether a name looks like a number, an amount of money, a share, a date, a card number or an address.

    >>> [may_be_cell(each) for each in ("age", "2020-01-01", "$12", "ann@example.org", "5 May", "May 5, 2020", "q1")]
    [False, True, True, True, True, True, False]
    """
    first = name.strip(" '\"\t")[:1]
    signs = first.isnumeric() or first in tuple("+-.,(#") or unicodedata.category(first or "a") == "Sc"
    return signs or "@" in name or "%" in name or MANY_DIGITS.search(name) is not None
