"""Signs of numbers, told by shapes: in which decimal sign and thousands cells could be read that were not.

Room: tables. It sees shapes, never a cell: 9 stands for a digit. A way of writing numbers is one of `NumberFormat`, and
suits a column iff it reads every shape in it that could be a number. Where two ways do, as of "9,999", nothing is said:
whoever knows the file knows which it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from snapdp.tables.sql.number_format import PLAIN, NumberFormat

LIKE_A_NUMBER = re.compile(r" *[+-]?9[9.,'_ ]*[.,'_ ][9.,'_ ]*9 *")
THOUSANDS = {"": "", ".": "points", ",": "commas", "'": "apostrophes", "_": "underscores", " ": "spaces"}
WAYS = [NumberFormat(decimal=d, thousands=t) for t in THOUSANDS for d in ".," if d != t]
IF_SO = "If the file is written so, declare it"


def written_so(columns: Iterable[tuple[str, Sequence[str]]]) -> tuple[dict[str, str], str]:
    """Return the signs in which unread numbers could be read, as keys of a table [csv], and a sentence about them;
    nothing where no column shows them, or two columns show different ones.

    columns   names, and shapes of the cells that were not read

    >>> written_so([("pay", ["9.999,99", "aa"])])[0], written_so([("pay", ["9,999"])])
    ({'decimal': ',', 'thousands': '.'}, ({}, ''))
    """
    found = {name: way for name, shapes in columns if (way := only_way(_like_numbers(shapes))) is not None}
    decimals = {way.decimal for way in found.values()}
    thousands = {way.thousands for way in found.values()} - {""}
    if len(decimals) != 1 or len(thousands) > 1:
        return {}, ""
    way = NumberFormat(decimal=decimals.pop(), thousands="".join(thousands))
    comma = "a decimal comma" if way.decimal == "," else ""
    between = f"{THOUSANDS[way.thousands]} between thousands" if way.thousands else ""
    written = " and ".join(filter(None, (comma, between)))
    return _keys(way), f"{', '.join(found)}: some shapes look like numbers with {written}. {IF_SO}."


def only_way(shapes: Sequence[str]) -> NumberFormat | None:
    """Return the one way of writing numbers that reads all shapes and has no sign that is not needed; else None.

    >>> [only_way(each) for each in (["9,999"], ["99-99"], [])]
    [None, None, None]
    >>> only_way(["9,9", "9,999"]), only_way(["9,999,999"]).thousands
    (NumberFormat(decimal=',', thousands=''), ',')
    """
    suits = [way for way in WAYS if all(re.fullmatch(way.pattern, each) for each in shapes)]
    needed = [way for way in suits if not way.thousands or NumberFormat(decimal=way.decimal) not in suits]
    if not any("," in each for each in shapes):  # a decimal sign that no cell has is not said
        needed = [way for way in needed if way.decimal == "."] or needed
    return needed[0] if shapes and len(needed) == 1 and needed[0] != PLAIN else None


def _like_numbers(shapes: Iterable[str]) -> list[str]:
    return [each for each in shapes if LIKE_A_NUMBER.fullmatch(each)]


def _keys(way: NumberFormat) -> dict[str, str]:
    said = {"decimal": way.decimal, "thousands": "space" if way.thousands == " " else way.thousands}
    return {key: value for key, value in said.items() if value and value != PLAIN.decimal * (key == "decimal")}
