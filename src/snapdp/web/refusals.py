"""One shape of errors: what is wrong, what to do, at which field, and what it has cost.

Room: web. The words are the library's. A field is named as a JSON pointer into the study: "/statistic/1/epsilon",
"/columns/age/lower"; empty where the study as a whole is meant, null where nothing of it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from snapdp.display import one_line
from snapdp.errors import BudgetError, LedgerError, SnapdpError

STATISTIC = re.compile(r"statistic (\d+)(?: \([a-z]+\))?(?:, ([a-z]+))?")
UNKNOWN = "unknown"  # what a defect has cost
OF_STUDY, OF_CSV = "study", "csv"
OF_FILE = ("delimiter", "encoding")  # how a file may be written that was read otherwise
WORD = re.compile(r"[a-z_]+")
ORDINARY = ("at", "by", "to", "from", "each", "where", "complete", "null")  # words of any sentence, but its first
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\([^)]*\)")  # names, which may be those of fields
STUDY_FIELDS = (
    "dataset", "title", "publisher", "contact", "relation", "n", "n_max", "person", "rows_per_person", "unit_rows",
    "budget", "arithmetic", "bits", "columns", "statistic",
)  # fmt: skip
COLUMN_FIELDS = (
    "kind", "lower", "upper", "step", "missing", "edges", "outside", "null", "categories", "unknown", "compare",
    "parents", "from", "to", "each", "exponents",
)  # fmt: skip
LINE_FIELDS = (
    "kind", "column", "columns", "epsilon", "accuracy", "alpha", "lock", "by", "where", "at", "edges", "outside",
    "missing", "margins", "shares", "count_share", "complete", "correlation", "rows_per_person", "groups_per_person",
    "keys", "branching",
)  # fmt: skip


def refusal_values(error: str, advice: str, *, field: str | None = None, spent: str = "0") -> dict[str, Any]:
    """Return a refusal as every answer has it."""
    return {"ok": False, "error": error, "advice": advice, "field": field, "spent": spent}


def told(refusal: SnapdpError) -> dict[str, Any]:
    """Return a refusal of the library."""
    spent = str(refusal.numbers.get("spent", "0"))
    return refusal_values(refusal.problem, refusal.advice, field=field_of(refusal), spent=spent)


def shape_problem(found: Mapping[str, Any]) -> str:
    """Return what is wrong with the shape of a request, from what its reader found first.

    >>> shape_problem({"type": "missing", "loc": ("body", "study")})
    'the request is not of the shape that is asked for: study.'
    >>> shape_problem({"type": "json_invalid", "loc": ("body", 1)})
    'the request is not JSON.'
    """
    if found["type"] == "json_invalid":
        return "the request is not JSON."
    where = ".".join(str(each) for each in found["loc"] if each != "body")
    return f"the request is not of the shape that is asked for{where and f': {one_line(where)}'}."


def status_of(refusal: SnapdpError) -> int:
    """Return the status of a refusal: of the ledger's, that something stands against it; of others, what was sent."""
    return 409 if isinstance(refusal, (BudgetError, LedgerError)) else 400


def field_of(refusal: SnapdpError) -> str | None:
    """Return the field that caused a refusal, as far as it says where it belongs.

    >>> from snapdp.errors import ParameterError
    >>> field_of(ParameterError("statistic 2 (mean): epsilon = -1 is not positive.", "", place="statistic 2 (mean)"))
    '/statistic/1/epsilon'
    """
    place = str(refusal.numbers.get("place", ""))
    text = refusal.problem.removeprefix(place)
    key = refusal.numbers.get("key")
    if isinstance(column := refusal.numbers.get("declares"), str):  # also where a statistic cannot take it so
        return f"/columns/{pointer(column)}" + _below(key, text, COLUMN_FIELDS)
    if found := STATISTIC.match(place):
        inner = found[2]  # a list of the statistic, such as its conditions
        return f"/statistic/{int(found[1]) - 1}" + (f"/{inner}" if inner else _below(key, text, LINE_FIELDS))
    if place == OF_CSV:
        return "/csv"
    if written := next((each for each in OF_FILE if each in refusal.numbers), None):
        return f"/csv/{written}"
    return _below(key, text, STUDY_FIELDS) if place == OF_STUDY else None


def pointer(name: str) -> str:
    """Return a name as a part of a JSON pointer.

    >>> pointer("a/b~c")
    'a~1b~0c'
    """
    return name.replace("~", "~0").replace("/", "~1")


def _below(key: object, text: str, fields: tuple[str, ...]) -> str:
    """Return the field of a table that a refusal names, or is about: the first of its words that is one."""
    if isinstance(key, str) and key in fields:
        return f"/{key}"
    words = WORD.findall(QUOTED.sub("", text))
    told = [*words[:1], *(word for word in words[1:] if word not in ORDINARY)]
    named = next((word for word in told if word in fields), None)
    return "" if named is None else f"/{named}"
