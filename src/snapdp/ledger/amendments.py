"""Amendments: how the cap of an account is raised and how an account is closed, each an entry of its chain.

Room: ledger. Opens nothing. A cap is never lowered and a closed account never opened again: so the cap in force is the
largest there ever was. What an amendment says is public, its reason too. Theory: docs/theory/ledger.md, (12)-(14).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from snapdp.errors import LedgerError, ParameterError
from snapdp.exact import shown
from snapdp.ledger.chain import AMEND, CLOSE, altered, amount_from, read
from snapdp.ledger.storage.storage import Entry, Signed, Standing
from snapdp.values import Value

LONGEST_REASON = 500
# What no reason holds for ever, whatever a version of Unicode calls printable: control characters, breaks of lines and
# paragraphs, what turns the direction of a text, halves of pairs. The server of a team ledger says the same.
FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class Amendment(Value):
    """A cap that was raised, or an account that was closed: when, from what to what, and why.

    closes   the account takes no further charge; its cap stays as it was
    author   the role that did so, on a team ledger
    """

    account: str
    number: int
    time: str
    before: Fraction
    cap: Fraction
    reason: str
    closes: bool
    author: str | None = None


def amendment_from(entry: Entry) -> Amendment:
    """Return what an entry amends; LedgerError where it was altered."""
    if entry.kind not in (AMEND, CLOSE):
        raise altered(entry.account, entry.number)
    body = read(entry)
    cap = amount_from(body["cap"])
    return Amendment(
        account=entry.account,
        number=entry.number,
        time=body["time"],
        before=amount_from(body["before"]) if entry.kind == AMEND else cap,
        cap=cap,
        reason=body["reason"],
        closes=entry.kind == CLOSE,
        author=entry.author if isinstance(entry, Signed) else None,
    )


def in_force(entry: Entry | None, standing: Standing, opening: Mapping[str, Any]) -> Amendment | None:
    """Return the newest amendment of an account, if it is an entry of its chain and lowers nothing."""
    if entry is None:
        return None
    found = amendment_from(entry)
    if not 0 < found.number < standing.entries or found.cap < max(found.before, amount_from(opening["cap"])):
        raise altered(standing.account, found.number)
    return found


def amend_fault(body: Mapping[str, Any], cap: Fraction, *, closed: bool) -> str | None:
    """Return what an amendment says that cannot be, beside a cap in force, as the end of a sentence.  theory (12)"""
    if closed:
        return "amends an account that was closed"
    if not is_reason(body["reason"]):
        return "gives no reason that this library would write"
    if body["kind"] == CLOSE:
        return None if amount_from(body["cap"]) == cap else "closes the account under another cap than its own"
    if amount_from(body["before"]) != cap:
        return "raises another cap than the one in force"
    return None if amount_from(body["cap"]) > cap else "does not raise the cap"


def is_reason(text: Any) -> bool:
    is_short = type(text) is str and len(text) <= LONGEST_REASON
    return is_short and bool(text.strip(" ")) and not FORBIDDEN.search(text)


def given_reason(reason: Any) -> str:
    """Return why an account is amended; refuse what is none, or could not be shown as it is."""
    told = reason.strip() if isinstance(reason, str) else ""
    if not told:
        raise ParameterError(
            "an account is amended for a reason, and none is given.",
            "Say it in one line: who verifies the ledger reads it, beside the old cap and the new one.",
        )
    if not is_reason(told) or not told.isprintable():
        raise ParameterError(
            f"reason = {shown(told)} cannot be kept.",
            f"Give one line of at most {LONGEST_REASON} printable characters. Nothing was changed.",
        )
    return told


def not_raised(name: str, *, cap: Fraction, wanted: Fraction) -> LedgerError:
    how = "is the cap already" if wanted == cap else f"is below the cap, which is {shown(cap)}"
    return LedgerError(
        f"cap = {shown(wanted)} {how}: a cap is raised, never lowered.",
        "Where no more is to be spent on the dataset, close the account. Nothing was changed.",
        account=name,
    )


def closed_for_good(name: str) -> LedgerError:
    return LedgerError(
        f"the account {name!r} was closed.",
        "It stays closed: its cap cannot be raised, and what it answered before is free as ever. Nothing was changed.",
        account=name,
    )
