"""Canonical JSON and the chain of an account: every entry holds the digest of the one before.

Opens nothing. An entry's body is canonical JSON and its digest is the SHA-256 of that text, so the digest
of the last entry, the head, stands for the whole history. A record carries the digest of its reservation: a ledger that
does not know it is an older copy, or another one. What a body holds is public: no digest of data is ever in it, so that
a head says nothing about the rows. Theory: docs/theory/ledger.md, (1)-(5).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from fractions import Fraction
from typing import Any

from snapdp.errors import LedgerError, ParameterError
from snapdp.ledger.storage.storage import FORMAT, Entry, Identity, Standing
from snapdp.studies.declarations import digest

OPEN, DATASET, RESERVE, COMMIT, ABANDON = "open", "dataset", "reserve", "commit", "abandon"
AMEND, CLOSE = "amend", "close"  # of an account
COMMON = {"account", "kind", "number", "previous", "spent"}
FIELDS = {
    OPEN: {"cap", "ledger", "relation", "rows", "time", "unit"},
    DATASET: {"version"},
    RESERVE: {"asked", "epsilon", "request", "session", "time", "version"},
    COMMIT: {"record", "request", "reserve", "version"},
    ABANDON: {"request", "reserve", "version"},
    AMEND: {"before", "cap", "reason", "time"},
    CLOSE: {"cap", "reason", "time"},
}
NUMBERS, TABLES = {"number", "reserve", "rows"}, {"asked", "record"}  # all other fields are text
DEEPEST = 50
LONGEST_FRACTION = 1000  # digits of a denominator or numerator; Python itself prints at most 4300


def canonical(value: Any, *, name: str = "value") -> str:
    """Return the one text of a JSON value: sorted keys, no spaces, ASCII, floats as they print.

    >>> canonical({"b": [1, 0.1, None], "a": "é"})
    '{"a":"\\\\u00e9","b":[1,0.1,null]}'
    """
    fault = _fault(value, DEEPEST)
    if fault is None:
        try:
            return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
        except ValueError:
            fault = "a number of thousands of digits"
    raise ParameterError(
        f"the {name} holds {fault}, which cannot be written down.",
        "Give text, whole numbers, finite floats, true, false, null, and lists or tables of these; fractions as text.",
    )


def _fault(value: Any, depth: int) -> str | None:
    """Return what in a value is no JSON, without repeating it."""
    if depth == 0:
        return "tables nested too deeply"
    if value is None or type(value) in (str, int, bool):
        return None
    if type(value) is float:
        return None if math.isfinite(value) else "a number that is not finite"
    if isinstance(value, dict):
        if any(type(key) is not str for key in value):
            return "a key that is no text"
        return next(filter(None, (_fault(part, depth - 1) for part in value.values())), None)
    if type(value) in (list, tuple):
        return next(filter(None, (_fault(part, depth - 1) for part in value)), None)
    return f"a {type(value).__name__}"


def keyed(key: bytes, *parts: str) -> str:
    """Return a digest that tells nothing to those without the key."""
    return hmac.new(key, canonical(list(parts)).encode(), hashlib.sha256).hexdigest()


def identity_seal(key: bytes, *, name: str) -> str:
    return keyed(key, "ledger", str(FORMAT), name)


def checked(identity: Identity) -> Identity:
    """Return the identity of a ledger if its seal is right."""
    if identity.seal != identity_seal(identity.key, name=identity.name):
        raise LedgerError("the key of the ledger was altered.", "Restore the newest copy and verify it.")
    return identity


def dataset_seal(key: bytes, *, keyed_digest: str, account: str, version: str) -> str:
    return keyed(key, "dataset", keyed_digest, account, version)


def amount_text(amount: Fraction) -> str:
    """Return an amount as the ledger writes it; a sum whose digits run away is refused."""
    if max(abs(amount.numerator), amount.denominator) >= 10**LONGEST_FRACTION:
        raise ParameterError(
            f"the amount has more than {LONGEST_FRACTION} digits, or makes the sum spent so long.",
            "Give epsilon as a short decimal or fraction, such as 0.25 or 1/3. Nothing was reserved.",
        )
    return str(amount)


def amount_from(text: Any) -> Fraction:
    """Return an amount that the ledger wrote; ValueError if it never writes it so."""
    if type(text) is not str or len(text) > 2 * LONGEST_FRACTION + 1:
        raise ValueError
    amount = Fraction(text)
    if str(amount) != text or amount < 0:
        raise ValueError
    return amount


def link(standing: Standing, kind: str, *, spent: str, **more: Any) -> tuple[Entry, Standing]:
    """Return the next entry of an account, and the account's standing after it."""
    fields = {
        "account": standing.account, "kind": kind, "number": standing.entries, "previous": standing.head, "spent": spent
    }  # fmt: skip
    assert set(more) == FIELDS[kind]
    body = canonical({**fields, **more}, name="entry")
    entry = Entry(
        account=standing.account,
        number=standing.entries,
        kind=kind,
        version=more.get("version"),
        request=more.get("request"),
        reserve=more.get("reserve"),
        body=body,
        digest=digest(body),
    )
    return entry, Standing(account=standing.account, entries=standing.entries + 1, spent=spent, head=entry.digest)


def nothing(account: str) -> Standing:
    """Return the standing before the first entry."""
    return Standing(account=account, entries=0, spent="0", head="")


def read(entry: Entry) -> dict[str, Any]:
    """Return what an entry says, if body, digest and columns agree; LedgerError otherwise."""
    try:
        body = json.loads(entry.body)
        sound = (
            digest(entry.body) == entry.digest
            and canonical(body) == entry.body
            and set(body) == COMMON | FIELDS[entry.kind]
            and all(type(value) is _kind_of(name) for name, value in body.items())
            and (body["account"], body["number"], body["kind"]) == (entry.account, entry.number, entry.kind)
            and (body.get("version"), body.get("request"), body.get("reserve"))
            == (entry.version, entry.request, entry.reserve)
        )
        amounts = [body[name] for name in ("spent", "before", "cap", "epsilon") if name in body]
        sound = sound and all(amount_from(text) >= 0 for text in amounts)
    except (ValueError, ArithmeticError, KeyError, TypeError, AttributeError, RecursionError):
        sound = False
    if not sound:
        raise altered(entry.account, entry.number)
    return dict(body)


def _kind_of(field: str) -> type:
    return int if field in NUMBERS else dict if field in TABLES else str


def altered(account: str, number: int) -> LedgerError:
    return LedgerError(
        f"entry {number} of the account {account!r} was altered.",
        "The ledger cannot be trusted: keep the file, restore the newest copy and verify it. No release was made.",
        account=account,
        number=number,
    )


def day_of(time: str) -> str:
    """Return the day, in universal time, of an entry: records state no hour, which might tell how long a scan took.

    >>> day_of("2026-01-31T12:00:00Z")
    '2026-01-31'
    """
    return time.partition("T")[0]
