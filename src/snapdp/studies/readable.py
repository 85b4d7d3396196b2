"""Names of statistics and cells as people read them: 30.5 <= age, where records write 61/2 <= age.

Room: studies. Records, requests and files of values keep the name that makes a request what it is; screens and pages
show this one. What is no fraction, or no short decimal, stays as it is; so do names of columns and categories, which
are anybody's text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from snapdp.display import exact_amount
from snapdp.errors import SnapdpError
from snapdp.exact import parameter

BETWEEN = " / "  # a group and its bin
_FRACTION = re.compile("-?[0-9]+/[0-9]+")


def readable_number(number: Fraction | str | None) -> str | None:
    """Return a number of a record as a short decimal where it is one; any other text, and nothing, as it is.

    >>> [readable_number(each) for each in ("61/2", "1/3", Fraction(61, 2), "2024-01", None)]
    ['30.5', '1/3', '30.5', '2024-01', None]
    """
    if number is None or "/" not in str(number):
        return None if number is None else str(number)
    try:
        return exact_amount(parameter(number, name="number"))
    except SnapdpError:  # a record may be anybody's
        return str(number)


def range_text(name: str, start: Fraction | str | None, below: Fraction | str | None) -> str:
    """Return a range as text; an end that is no limit is left out."""
    low = "" if start is None else f"{start} <= "
    return low + name + ("" if below is None else f" < {below}")


def readable_title(title: str, declared: Mapping[str, Any]) -> str:
    """Return the title of a statistic that a record declares, or of what is derived from it.

    >>> declared = {"where": [{"column": {"name": "age"}, "from": "61/2"}]}
    >>> readable_title("shares of histogram(pay) where 61/2 <= age", declared)
    'shares of histogram(pay) where 30.5 <= age'
    """
    for each in declared.get("where", []):
        name, ends = each["column"].get("name", ""), (each.get("from"), each.get("below"))
        if "equals" not in each:
            title = title.replace(range_text(name, *ends), range_text(name, *map(readable_number, ends)))
    return title


def readable_bin(label: str) -> str:
    """Return the name of a bin, perhaps behind that of its group, with short decimals.

    >>> readable_bin("[61/2, 40)"), readable_bin("1/2 / below 1/2")
    ('[30.5, 40)', '1/2 / below 0.5')
    """
    group, between, edges = label.rpartition(BETWEEN)
    return group + between + _FRACTION.sub(lambda found: readable_number(found[0]) or "", edges)


def readable_cell(label: str, declared: Mapping[str, Any]) -> str:
    """Return the name of a cell of a statistic that a record declares."""
    return readable_bin(label) if "edges" in declared else label
