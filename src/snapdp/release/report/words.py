"""Words of a report: headings that people read, what numbers cost, what parts are, names that stay text.

Room: release. Every text of a record passes through `text`: names are the data holder's, and a record may be anybody's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from snapdp.display import Html, confidence, escape
from snapdp.errors import SnapdpError
from snapdp.exact import parameter
from snapdp.release.digits import CUT_MARK
from snapdp.release.numbers import FREE, Number, NumberBlock, part_in_words as plain_part, shown_amount
from snapdp.studies import BOUNDS, COUNTED, KINDS, LOWER, UPPER, readable_number

LONGEST = 1000  # characters of one text on the page; the record holds it whole
LONG_TABLE = 60  # rows from which a table scrolls by itself
UNKNOWN = "-"  # in place of a number of which nothing is known
NO_EXTRA_COST = "computed from the numbers above, at no extra cost"
CUT_NOTE = f"{CUT_MARK} The noise went beyond what the number can be: no certainty, see how to read this."
COUNT = "count"  # the name of a part
ROWS, PERSONS = "rows", "persons"
HEADS = {  # others are "mean of", "variance of"
    "histogram": "rows by",
    "shares of histogram": "shares of rows by",
    "magnitudes": "first look at",
    "shares without a number of magnitudes": "missing and unreadable values of",
}
LOOKED_AT = {LOWER: "lower bound", UPPER: "upper bound"}  # others are quartiles
CENTRED = (
    ("centred squares of ", "sum of squared distances from {middle}, of "),
    ("centred squares", "sum of squared distances from {middle}"),
    ("centred products", "sum of products of distances from the middles"),
    ("centred sum of ", "sum of distances from {middle}, of "),
    ("centred sum", "sum of distances from {middle}"),
    ("sum above lower", "sum of distances from the lower bound"),
    ("variance numerator", "sum that the variance follows from"),
    ("covariance numerator", "sum that the covariance follows from"),
)


def text(given: str) -> Html:
    """Return a text of the record as the page shows it."""
    return escape(given, LONGEST)


def adds_up(declared: Mapping[str, Any]) -> bool:
    """Tell whether numbers of a statistic add up: bars of these begin at zero; of a kind that is none, they do not."""
    kind = KINDS.get(str(declared.get("kind")))
    return kind is not None and kind.adds_up


def of_what(declared: Mapping[str, Any], units: str = PERSONS) -> str:
    """Return what a statistic counts, rows or privacy units; empty where it is no count."""
    kind = KINDS.get(str(declared.get("kind")))
    return "" if kind is None else kind.of_what.replace(PERSONS, units)


def heading(title: str, declared: Mapping[str, Any], *, are_kept: bool = False, units: str = PERSONS) -> str:
    """Return the title of a statistic, or of what is computed from it, as a heading.

    are_kept   not all rows of the table count: no more than so many of each person
    units      what a count of persons counts

    >>> heading("mean(pay) by sex", {"kind": "mean", "columns": [{"name": "pay"}]}), heading("count", {"kind": "count"})
    ('Mean of pay by sex', 'Number of rows')
    >>> heading("shares of histogram(sex)", {"kind": "histogram", "columns": [{"name": "sex"}]})
    'Shares of rows by sex'
    >>> heading("count", {"kind": "count"}, are_kept=True)
    'Number of rows that count'
    >>> heading("persons by sex", {"kind": "persons"}, units="combinations of user and day")
    'Number of combinations of user and day by sex'
    """
    names = [str(each.get("name", "")) for each in declared.get("columns", ())]
    head, found, tail = title.partition(f"({', '.join(names)})") if names else ("", "", "")
    kind, rows = str(declared.get("kind")), COUNTED if are_kept else ROWS
    if found:
        if head in HEADS and tail.startswith(" by "):
            tail = f" and {tail.removeprefix(' by ')}"
        said = f"{HEADS.get(head, f'{head} of').replace(ROWS, rows)} {' and '.join(names)}{tail}"
    elif (counted := of_what(declared, units).replace(ROWS, rows)) and title.startswith(kind):
        said = f"number of {counted}{title.removeprefix(kind)}"
    else:
        return title
    said = said.replace("<=", "\u2264") if "where" in declared else said
    return said[:1].upper() + said[1:]


def part_in_words(name: str, declared: Mapping[str, Any]) -> str:
    """Return what a part of a statistic is.

    >>> part_in_words("centred sum", {"columns": [{"name": "pay", "lower": "0", "upper": "100"}]})
    'sum of distances from 50'
    >>> part_in_words("count of each 361 levels", {})
    'rows in each 361 steps'
    """
    columns = declared.get("columns", ())
    for former, words in CENTRED:
        if name.startswith(former):
            of = name.removeprefix(former)
            column: Mapping[str, Any] = next((each for each in columns if not of or each.get("name") == of), {})
            return words.format(middle=_middle(column)) + of
    return plain_part(name)


def _middle(column: Mapping[str, Any]) -> str:
    try:
        lower, upper = (parameter(column[key], name=key) for key in ("lower", "upper"))
    except (SnapdpError, KeyError):  # a record may be anybody's
        return "the middle of the bounds"
    return str(readable_number((lower + upper) / 2))


def over(value: str, interval: str) -> Html:
    """Return a number above its interval."""
    return Html(f'{text(value)}<span class="under">{text(interval)}</span>' if interval else text(value))


def cost_in_words(block: NumberBlock) -> str:
    """Return what the numbers of a block cost, all groups and parts together."""
    if block.epsilon == FREE:
        return NO_EXTRA_COST
    together = ""
    if block.is_margin and len(block.parts) > 1:
        together = " for all margins together"
    elif block.mean_of is not None:
        together = " for all means together"
    elif len(block.parts) > 1 and COUNT in block.parts:
        sums = len(block.parts) - 1
        together = f", spent on {'a sum' if sums == 1 else f'{sums} sums'} and a count"
    return f"cost: epsilon {shown_amount(block.epsilon)}{together}"


def sentences(*clauses: str) -> str:
    """Return clauses as a line of sentences.

    >>> sentences("cost: epsilon 1", "rows without pay are left out")
    'Cost: epsilon 1. Rows without pay are left out.'
    """
    return " ".join(f"{each[:1].upper()}{each[1:]}." for each in clauses if each)


def cut_note(numbers: Iterable[Number]) -> str:
    """Return what the mark at intervals means, for the caption of their table; empty where none has it."""
    return f" {CUT_NOTE}" if any(each.is_cut for each in numbers) else ""


def level(alpha: str) -> str:
    """Return the probability with which an interval holds, of an alpha of the record."""
    try:
        return confidence(parameter(alpha, name="alpha"))
    except SnapdpError:  # a record may be anybody's
        return f"1 - {alpha}"


def interval_head(block: NumberBlock) -> Html:
    return text(f"{level(block.numbers[0].alpha)} interval")


def named_rows(block: NumberBlock) -> tuple[tuple[Html, ...], list[tuple[Html, ...]]]:
    """Return the heads of what names the numbers of a block, and the names of each: a text for each of its columns.

    One column names all of them where theirs are not alike, as in a record of somebody.
    """
    numbers = block.readable
    keys = tuple(name for name, _ in numbers[0].keys)
    if keys and all(tuple(name for name, _ in each.keys) == keys for each in numbers):
        return tuple(map(text, keys)), [tuple(map(text, each.label)) for each in numbers]
    columns = block.declared.get("columns", ())
    if block.name == BOUNDS:
        return (text(""),), [(text(LOOKED_AT.get(each.cell, f"quartile {each.cell}")),) for each in numbers]
    is_counted = len(columns) == 1 and bool(of_what(block.declared))
    head = str(columns[0].get("name", "")) if is_counted else block.own_key or "group"
    return (text(head),), [(text(each.cell),) for each in numbers]
