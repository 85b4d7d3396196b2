"""One shape of errors: what is wrong, what to do, at which field, and what it has cost.

The words are the library's. A field is named as a JSON pointer into the study: "/statistic/1/epsilon",
"/columns/age/lower"; empty where the study as a whole is meant, null where nothing of it is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from snapdp.display.text import one_line
from snapdp.errors import BudgetError, LedgerError, SnapdpError
from snapdp.values import Facts, Values

MOST_BYTES = 1 << 25  # of a body: a record is at most so large


class PageRefusal(NamedTuple):
    """What the page itself refuses, whatever the library would say: the status, what is wrong and what to do."""

    status: int
    error: str
    advice: str


REFUSED = {  # on the page of errors too
    "not this machine": PageRefusal(
        400, "this page is served to this machine only.", "Use the address that the terminal printed."
    ),
    "unreadable": PageRefusal(400, "the request cannot be read.", "Send JSON, less deep and with shorter numbers."),
    "not yours": PageRefusal(
        403,
        "this page is open to whoever opened its last address.",
        "Press Enter in the terminal in which it runs, and open the address that it prints.",
    ),
    "another page": PageRefusal(403, "the request comes from another page.", "Use the page itself."),
    "no such page": PageRefusal(404, "there is no such page.", "Go back to the plan."),
    "no such request": PageRefusal(405, "there is no such request.", "See /openapi.json."),
    "too large": PageRefusal(413, f"the request is larger than {MOST_BYTES >> 20} MiB.", "Send a smaller one."),
    "no JSON": PageRefusal(415, "the request is not JSON.", "Send application/json."),
    "another shape": PageRefusal(422, "the request is not of the shape that is asked for.", "See /openapi.json."),
    "busy": PageRefusal(429, "too much is being asked at once.", "Ask again in a moment. Nothing was spent."),
    "defect": PageRefusal(
        500, "snapdp broke; this is a defect.", "The ledger shows what was charged, if anything was."
    ),
}
STATISTIC = re.compile(r"statistic (\d+)(?: \([a-z]+\))?(?:, ([a-z]+))?")
OF_STUDY, OF_CSV = "study", "csv"
OF_FILE = ("delimiter", "encoding")  # how a file may be written that was read otherwise
WORD = re.compile(r"[a-z_]+")
ORDINARY = ("at", "by", "to", "from", "each", "where", "complete", "null")  # words of any sentence, but its first
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\([^)]*\)")  # names, which may be those of fields
STUDY_FIELDS = (
    "dataset", "title", "publisher", "contact", "relation", "n", "n_max", "person", "rows_per_person", "unit_rows",
    "budget", "columns", "statistic",
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


def refusal_values(error: str, advice: str, *, field: str | None = None, spent: str = "0") -> Values:
    """Return a refusal as every answer has it."""
    return {"ok": False, "error": error, "advice": advice, "field": field, "spent": spent}


def told(refusal: SnapdpError) -> Values:
    """Return a refusal of the library."""
    spent = str(refusal.numbers.get("spent", "0"))
    return refusal_values(refusal.problem, refusal.advice, field=field_of(refusal), spent=spent)


def shape_problem(found: Facts) -> str:
    """Return what is wrong with the shape of a request, from what its reader found first.

    >>> shape_problem({"type": "missing", "loc": ("body", "study")})
    'the request is not of the shape that is asked for: study.'
    >>> shape_problem({"type": "json_invalid", "loc": ("body", 1)})
    'the request is not JSON.'
    """
    if found["type"] == "json_invalid":
        return REFUSED["no JSON"].error
    where = ".".join(str(each) for each in found["loc"] if each != "body")
    told = REFUSED["another shape"].error
    return f"{told.removesuffix('.')}: {one_line(where)}." if where else told


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
