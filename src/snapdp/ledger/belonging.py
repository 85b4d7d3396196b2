"""What belongs together: a reservation and what was asked, a record and its reservation, a request and its account.

Room: ledger. Opens nothing. The equalities of docs/theory/ledger.md, (8)-(9): verify demands them of every entry, the
ledger of every stored answer before it is handed out, the server of a team ledger of what it is given
(storage/postgres.sql says the same in SQL). They prove payment and bookkeeping.
That the indices of a record were drawn at random no equality can show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from snapdp.ledger.chain import LONGEST_FRACTION, amount_from, amount_text, canonical, day_of
from snapdp.ledger.storage.storage import Entry
from snapdp.studies import CHANGE_ONE, bounded_unit, digest, person_unit, rows_unit

WHO = ("relation", "unit", "n", "n_max", "person", "rows_per_person", "unit_rows", "own")
DECLARED = (*WHO, "person_columns", "most_units")
REQUEST_VERSION = 1
PERSONS = "persons"  # the kind of statistic that counts them


class Terms(NamedTuple):
    """What an account was opened with: relation, rows, and whom epsilon protects."""

    relation: str
    rows: int
    unit: str


def identical(epsilon: Fraction, request: Mapping[str, Any]) -> str:
    """Return what makes two requests the same."""
    return digest(canonical({"epsilon": amount_text(epsilon), "request": dict(request)}, name="request"))


def declaration_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request as the record's own texts declare it."""
    statistics = [{key: each[key] for key in each if key != "parts"} for each in record["statistics"]]
    relation = {key: record[key] for key in DECLARED if key in record}
    return {"snapdp_request": REQUEST_VERSION, **relation, "statistics": statistics}


def reserve_fault(body: Mapping[str, Any], terms: Terms, author: str | None = None) -> str | None:
    """Return what a reservation says that cannot be, as the end of a sentence."""
    asked, epsilon = body["asked"], body["epsilon"]
    if body["request"] != digest(canonical({"epsilon": epsilon, "request": asked})):
        return "reserves another request than the one it names"
    if "snapdp_request" not in asked:  # asked by somebody else's program: taken as it is
        return None
    try:
        total = _total(asked["statistics"])
        rows = asked["n" if terms.relation == CHANGE_ONE else "n_max"]
        if str(total) != epsilon:
            return "is charged another epsilon than its statistics say"
        if (asked["relation"], rows, type(rows)) != (terms.relation, terms.rows, int):
            return "was asked under other terms than those of its account"
        if terms.unit not in units_of(asked):
            return "was asked under other terms than those of its account"
    except (KeyError, TypeError, ValueError, ArithmeticError):
        return "asks what cannot be read"
    if author is not None and asked.get("own", author) != author:
        return "was reserved for another role"
    return None


def _total(statistics: Sequence[Mapping[str, Any]]) -> Fraction:
    """Return what statistics cost together; ValueError where the sum runs away, as no sum of a ledger does."""
    total = Fraction(0)
    for each in statistics:
        total += amount_from(each["epsilon"])
        if total.denominator >= 10**LONGEST_FRACTION:
            raise ValueError
    return total


def units_of(asked: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the units of the accounts that a request may be charged to, first that of one opened for it today.

    An account that fixes how many rows of each person are kept takes what it took when all accounts did so: statistics
    that all keep so many rows, of persons whom one column names.                                       theory (8)
    """
    if "unit_rows" in asked:
        rows = asked["unit_rows"]
        if "person" in asked or type(rows) is not int or rows < 2:
            raise ValueError
        return (rows_unit(rows),)
    if "person" not in asked:
        if asked["unit"] != "row":
            raise ValueError
        return ("row",)
    person, most = asked["person"], asked["rows_per_person"]
    several = tuple(person) if isinstance(person, (list, tuple)) else ()
    named = type(person) is str or (len(several) > 1 and {*map(type, several)} == {str})
    if not named or type(most) is not int or most < 1:
        raise ValueError
    declared = asked.get("person_columns", ())
    if declared:  # an account that fixes the rows of each person tells persons apart as they are stored
        return (person_unit(several or person, declared),)
    free = person_unit(several or person)
    own = any("rows_per_person" in each or each.get("kind") == PERSONS for each in asked["statistics"])
    return (free,) if several or own else (free, bounded_unit(person, most))


def commit_fault(body: Mapping[str, Any], reserved: Mapping[str, Any], head: str) -> str | None:
    """Return what a record says that is not its reservation's, which has the digest `head`."""
    record = body["record"]
    binding = {
        "dataset": reserved["account"],
        "dataset_version": reserved["version"],
        "charged": reserved["epsilon"],
        "request": reserved["request"],
        "previous": head,
        "date": day_of(reserved["time"]),
    }
    wrong = [name for name, value in binding.items() if record.get(name) != value]
    if wrong:
        return f"holds a record that does not belong to its reservation: {', '.join(wrong)}"
    if "snapdp_request" not in reserved["asked"]:
        return "holds a record whose request was not reserved" if "statistics" in record else None
    try:
        fits = canonical(declaration_of(record)) == canonical(reserved["asked"])
    except (KeyError, TypeError, AttributeError):
        fits = False
    return None if fits else "holds a record that declares another request than the one reserved"


def answer_fault(commit: Mapping[str, Any], reserve: Entry | None, reserved: Mapping[str, Any]) -> str | None:
    """Return what keeps a stored record from being an answer."""
    if reserve is None or (reserved["version"], reserved["request"]) != (commit["version"], commit["request"]):
        return "closes a reservation that is not there"
    return commit_fault(commit, reserved, reserve.digest)
