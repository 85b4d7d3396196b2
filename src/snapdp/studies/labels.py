"""Names of statistics and cells as people read them: 30.5 <= age, where records write 61/2 <= age.

Records, requests and files of values keep the name that makes a request what it is; screens and pages show this one.
What is no fraction, or no short decimal, stays as it is; so do names of columns and categories, which
are anybody's text. The two names that a column of categories has beside its own say what they hold: (null) is
(empty), (unknown) is (other), unless a category has that name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from snapdp.display.numbers import exact_amount
from snapdp.errors import SnapdpError
from snapdp.exact.numbers import parameter
from snapdp.values import Facts

BETWEEN = " / "  # a group and its bin, where one text names both
Label = str | tuple[str, ...]  # of a cell: of one column, or of several
_BIN = re.compile(r"\[[^,\[\]()\"]*, [^,\[\]()\"]*[)\]]")  # its comma is seen to be its own
SPECIAL = {"(null)": ("null", "(empty)"), "(unknown)": ("unknown", "(other)")}  # the rule that makes it; for people
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


def readable_title(title: str, declared: Facts) -> str:
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


def told_apart(titles: Iterable[str]) -> list[str]:
    """Return the titles of several statistics so that none is that of another: a later one of a name has its number.

    Statistics differ in more than a title says: in the rows of a person that count, or in bin edges.

    >>> told_apart(["count by ward", "persons", "count by ward"])
    ['count by ward', 'persons', 'count by ward (3)']
    """
    found: dict[str, None] = {}
    for number, title in enumerate(titles, start=1):
        while title in found:
            title = f"{title} ({number})"
        found[title] = None
    return list(found)


def label_text(label: Label) -> str:
    """Return the name of a cell as one text; a name that could be taken for several, or for none, in quotes.

    >>> label_text(("north", "[0, 18)")), label_text(("", "a, b")), label_text("a, b")
    ('north, [0, 18)', '"", "a, b"', 'a, b')
    """
    return label if isinstance(label, str) else ", ".join(map(key_text, label))


def key_text(key: str) -> str:
    """Return one of several texts that name a cell: as it is, or in quotes.

    What is not in quotes begins with a bracket only where it is a bin, and has a comma only there: each text ends where
    it is seen to end.
    """
    plain = key.strip() == key != "" and '"' not in key and "," not in key and not key.startswith("[")
    plain = plain or _BIN.fullmatch(key) is not None
    return key if plain else json.dumps(key, ensure_ascii=False)


def readable_bin(label: str) -> str:
    """Return the name of a bin with short decimals.

    >>> readable_bin("[61/2, 40)"), readable_bin("below 1/2"), readable_bin("above 1/3")
    ('[30.5, 40)', 'below 0.5', 'above 1/3')
    """
    return _FRACTION.sub(lambda found: readable_number(found[0]) or "", label)


def readable_keys(texts: Sequence[str], declared: Facts) -> tuple[str, ...]:
    """Return the texts that name a cell of a statistic which a record declares, groups first: bins as people read them.

    >>> readable_keys(["1/2", "[0, 1/2)"], {"by": [{"name": "g"}, {"name": "x", "edges": ["0", "1/2"]}]})
    ('1/2', '[0, 0.5)')
    """
    by = declared.get("by", ())
    columns = [by] if isinstance(by, Mapping) else by
    own = [each if "edges" not in declared else declared for each in declared.get("columns", ())[:1]]
    every = [*columns, *own, *[{}] * len(texts)]
    return tuple(
        readable_bin(text) if "edges" in column else readable_category(text, column)
        for text, column in zip(texts, every, strict=False)
    )


def readable_category(text: str, column: Facts) -> str:
    """Return a category of a column that a record declares; what holds empty cells, or all other ones, is named so.

    >>> sex = {"name": "sex", "categories": ["f", "m"], "unknown": "dropped", "null": "binned"}
    >>> readable_category("(null)", sex), readable_category("(unknown)", sex), readable_category("f", sex)
    ('(empty)', '(unknown)', 'f')
    """
    rule, words = SPECIAL.get(text, ("", ""))
    listed = column.get("categories", ())
    is_special = bool(rule) and column.get(rule) == "binned" and isinstance(listed, (list, tuple))
    return words if is_special and not {text, words} & {*listed} else text


def readable_cell(label: str, declared: Facts) -> str:
    """Return the name of a cell that is one text.

    >>> readable_cell("1/2 / below 1/2", {"by": {"name": "g"}, "edges": ["1/2", "1"]})
    '1/2 / below 0.5'
    """
    group, between, cell = label.rpartition(BETWEEN)
    if "edges" in declared:
        return group + between + readable_bin(cell)
    columns = declared.get("columns", ())
    return readable_category(label, columns[0]) if columns and "by" not in declared else label
