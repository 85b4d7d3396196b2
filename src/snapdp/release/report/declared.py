"""What is declared of columns, in words: plainly at the front of a report, in full in its annex.

Room: release. Every text of a record may be anybody's; the page escapes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from snapdp.errors import SnapdpError
from snapdp.exact import nearest_multiple, parameter, positive
from snapdp.studies import (
    AS_NUMBERS,
    BOOLEAN,
    DATE,
    DEFAULT_LEVELS,
    DROPPED,
    INTEGER,
    KEY,
    MAGNITUDE,
    PersonCount,
    readable_number,
    unit_noun,
)

MOST_EDGES = 20  # of bins that are named
MOST_CATEGORIES = 30  # that are named at the front; one more is named, too


def every_column(record: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Yield the declaration of every column that a statistic is about, is grouped by, or has a condition on."""
    for statistic in record["statistics"]:
        by = statistic.get("by", [])
        tested = (each["column"] for each in statistic.get("where", []))
        for column in (*statistic.get("columns", []), *([by] if isinstance(by, Mapping) else by), *tested):
            yield statistic, column


def person_columns(record: Mapping[str, Any]) -> Sequence[str]:
    """Return the columns that name persons; none where rows are protected."""
    person = record.get("person", [])
    return [person] if isinstance(person, str) else person


def naming(record: Mapping[str, Any], name: str) -> str:
    """Return what a column that names persons does, how many rows of each count where rows are counted, and its values.

    They are stated where the column is declared.
    """
    statistics = [each for each in record["statistics"] if each["kind"] != PersonCount.kind]
    most = sorted({each.get("rows_per_person", record.get("rows_per_person", 1)) for each in statistics})
    person = record["person"]
    what = "names persons" if isinstance(person, str) else f"part of the unit, {unit_noun(person)}"
    rows = f"; at most {' or '.join(map(str, most))} rows of each count" if most else ""
    declared = [each for each in record.get("person_columns", ()) if each["name"] == name and "unknown" in each]
    return "; ".join([f"{what}{rows}", *map(_shortly, declared)])


def _keyed(column: Mapping[str, Any], statistic: Mapping[str, Any]) -> str:
    """Return what is declared of a column of keys; nothing of any other."""
    if column["kind"] != KEY or "keys" not in statistic:
        return ""
    keys, compared = statistic["keys"], "numbers" if "compare" in column else "text"
    return f"one of {keys['count']} public keys, compared as {compared} ({keys['digest']}); others are left out"


def declared(column: Mapping[str, Any], statistic: Mapping[str, Any]) -> str:
    """Return all that is declared of a column, in the words of a study."""
    return _keyed(column, statistic) or _declared(column)


def _declared(column: Mapping[str, Any]) -> str:
    if column["kind"] == MAGNITUDE:
        least, most = column["exponents"]
        return f"numbers by powers of two, from 2^{least} to 2^{most} on both sides of zero; no bounds are declared"
    if "unknown" in column:
        return f"{_values_in_words(column)}; {_others(column)}"
    lower, upper, step = (readable_number(column[key]) for key in ("lower", "upper", "step"))
    return (
        f"{column['kind']} from {lower} to {upper} in steps of {step} "
        f"(rounding moves a cell, and a mean, by at most half a step); {_missing(column)}{_bins(column)}"
    )


def _bins(column: Mapping[str, Any]) -> str:
    """Return how a column of numbers is cut into bins, where groups are by it."""
    if "edges" not in column:
        return ""
    edges = column["edges"]
    shown = ", ".join(str(readable_number(each)) for each in edges[:MOST_EDGES])
    more = f" and {len(edges) - MOST_EDGES} more" if len(edges) > MOST_EDGES else ""
    return f"; grouped by bins between {shown}{more}; outside {column['outside']}, null {column['null']}"


def _missing(column: Mapping[str, Any]) -> str:
    """Return what a missing cell of a column of numbers counts as."""
    if column.get("missing") == DROPPED:
        return "rows without it are left out"
    number = column["missing_in_sums"]
    try:
        lower, upper = (parameter(column[key], name=key) for key in ("lower", "upper"))
        step = positive(column["step"], name="step")
        middle = " (middle)" if number == str(nearest_multiple((lower + upper) / 2, step)) else ""
    except SnapdpError:  # a record may be anybody's
        middle = ""
    return f"missing cells count as {readable_number(number)}{middle} in sums"


def _values_in_words(column: Mapping[str, Any]) -> str:
    if column["kind"] == DATE:
        return f"dates from {column['from']} to {column['to']}, by {column['each']}"
    if column["kind"] == BOOLEAN:
        return "true or false"
    listed = column["categories"]
    text = f"{listed['count']} categories" if isinstance(listed, dict) else ", ".join(listed)
    return f"{text}, compared as numbers" if column.get("compare") == AS_NUMBERS else text


def column_in_words(column: Mapping[str, Any], statistic: Mapping[str, Any]) -> str:
    """Return what of a column is counted, and what becomes of its missing cells, plainly.

    >>> age = {"name": "age", "kind": "integer", "lower": "0", "upper": "120", "step": "1", "missing": "dropped"}
    >>> column_in_words(age, {})
    'whole numbers between 0 and 120, others count as the nearest of these; rows without it are left out'

    A step as small as the one that a column has where none is declared is not worth a word here.
    """
    if column["kind"] == MAGNITUDE or (column["kind"] == KEY and "keys" in statistic):
        return declared(column, statistic)
    if "unknown" in column:
        return f"{_shortly(column)}; {_others(column)}"
    if not {"lower", "upper", "step"} <= {*column}:  # of keys
        return "names groups"
    lower, upper, step = (readable_number(column[key]) for key in ("lower", "upper", "step"))
    stepped = f"numbers in steps of {step}" if _is_coarse(column) else "numbers"
    kind = "whole numbers" if column["kind"] == INTEGER else stepped
    binned = "; " + _cut(column) if "edges" in column else ""
    return f"{kind} between {lower} and {upper}, others count as the nearest of these; {_rows_without(column)}{binned}"


def _is_coarse(column: Mapping[str, Any]) -> bool:
    """Tell whether a column of numbers has fewer levels than one without a declared step."""
    try:
        lower, upper, step = (parameter(column[key], name=key) for key in ("lower", "upper", "step"))
    except SnapdpError:  # a record may be anybody's
        return True
    return upper - lower < DEFAULT_LEVELS * step


def _rows_without(column: Mapping[str, Any]) -> str:
    """Return what a row without a value of a column of numbers counts as."""
    if column.get("missing") == DROPPED:
        return "rows without it are left out"
    return f"missing values count as {readable_number(column['missing_in_sums'])}"


def _shortly(column: Mapping[str, Any]) -> str:
    listed = column.get("categories")
    if not isinstance(listed, (list, tuple)) or len(listed) <= MOST_CATEGORIES + 1:
        return _values_in_words(column)
    return f"{', '.join(listed[:MOST_CATEGORIES])} and {len(listed) - MOST_CATEGORIES} other categories"


def _others(column: Mapping[str, Any]) -> str:
    """Return what becomes of rows that mean none of the categories, or have none."""
    unknown, null = ("left out" if column[key] == DROPPED else "counted by themselves" for key in ("unknown", "null"))
    if unknown == null:
        return f"rows with another value or none are {unknown}"
    return f"rows with another value are {unknown}, those without one are {null}"


def _cut(column: Mapping[str, Any]) -> str:
    edges = column["edges"]
    shown = ", ".join(str(readable_number(each)) for each in edges[:MOST_EDGES])
    more = f" and {len(edges) - MOST_EDGES} more" if len(edges) > MOST_EDGES else ""
    return f"groups are bins between {shown}{more}"
