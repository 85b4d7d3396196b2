"""Canonical JSON and the chain of an account: every entry holds the digest of the one before.

Room: release. Imports errors and storage's rows; opens nothing. An entry's body is canonical JSON and its digest is the
SHA-256 of that text, so the digest of the last entry, the head, stands for the whole history. A record carries the
digest of its reservation: a ledger that does not know it is an older copy, or another one.
What a body holds is public: no digest of data is ever in it, so that a head says nothing about the rows.
Theory: docs/theory/ledger.md, (1)-(5).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from snapdp.errors import LedgerError, ParameterError
from snapdp.release.storage import FORMAT, READABLE, Dataset, Entry, Identity, Standing

OPEN, DATASET, RESERVE, COMMIT, ABANDON = "open", "dataset", "reserve", "commit", "abandon"
COMMON = {"account", "kind", "number", "previous", "spent"}
FIELDS = {
    OPEN: {"cap", "ledger", "relation", "rows", "time", "unit"},
    DATASET: {"version"},
    RESERVE: {"asked", "epsilon", "request", "session", "time", "version"},
    COMMIT: {"record", "request", "reserve", "version"},
    ABANDON: {"request", "reserve", "version"},
}
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


def digest(text: str) -> str:
    """Return the digest of a text, with the name of its function."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def keyed(key: bytes, *parts: str) -> str:
    """Return a digest that tells nothing to those without the key."""
    return hmac.new(key, canonical(list(parts)).encode(), hashlib.sha256).hexdigest()


def identity_seal(key: bytes, *, version: int, name: str) -> str:
    return keyed(key, "ledger", str(version), name)


def checked(identity: Identity) -> Identity:
    """Return the identity of a ledger if this version can read it and its seal is right."""
    if identity.format not in READABLE:
        raise LedgerError(
            f"the ledger has format {identity.format}; this version of snapdp reads formats up to {FORMAT}.",
            "Use the version of snapdp that wrote it.",
        )
    if identity.seal != identity_seal(identity.key, version=identity.format, name=identity.name):
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
            and (body["account"], body["number"], body["kind"]) == (entry.account, entry.number, entry.kind)
            and (body.get("version"), body.get("request"), body.get("reserve"))
            == (entry.version, entry.request, entry.reserve)
        )
        amounts = [body[name] for name in ("spent", "cap", "epsilon") if name in body]
        sound = sound and all(amount_from(text) >= 0 for text in amounts)
    except (ValueError, ArithmeticError, KeyError, TypeError, AttributeError, RecursionError):
        sound = False
    if not sound:
        raise altered(entry.account, entry.number)
    return dict(body)


def altered(account: str, number: int) -> LedgerError:
    return LedgerError(
        f"entry {number} of the account {account!r} was altered.",
        "The ledger cannot be trusted: keep the file, restore the newest copy and verify it. No release was made.",
        account=account,
        number=number,
    )


# What verify looks for


class Replay:
    """Walks one account's chain from its first entry and says what does not fit."""

    def __init__(self, identity: Identity, standing: Standing, datasets: Iterable[Dataset]) -> None:
        self._identity = identity
        self._standing = standing
        self._sealed = {row.version: row for row in datasets}
        self._reached = nothing(standing.account)
        self._cap = Fraction(0)
        self._spent = Fraction(0)
        self._versions: set[str] = set()
        self._pending: dict[int, tuple[str, str]] = {}
        self._answered: set[tuple[str, str]] = set()

    def problems(self, entries: Iterable[Entry]) -> Iterator[str]:
        """Yield what is wrong, as sentences; nothing if the account is sound."""
        for entry in entries:
            try:
                body = read(entry)
            except LedgerError as error:
                yield error.problem
                return
            if (entry.number, body["previous"]) != (self._reached.entries, self._reached.head):
                yield f"entry {entry.number} of the account {entry.account!r} does not follow the one before it."
                return
            fault = self._step(entry, body)
            if fault:
                yield f"entry {entry.number} of the account {entry.account!r} {fault}."
            self._reached = Standing(
                account=entry.account, entries=entry.number + 1, spent=body["spent"], head=entry.digest
            )
        if self._reached != self._standing:
            yield f"the standing of the account {self._standing.account!r} is not that of its last entry."
        if self._versions != set(self._sealed) or not all(map(self._is_sealed, self._sealed.values())):
            yield f"the dataset versions of the account {self._standing.account!r} were altered."

    def _step(self, entry: Entry, body: dict[str, Any]) -> str | None:
        if (entry.kind == OPEN) != (entry.number == 0):
            return "is no entry for this place"
        about = (body.get("version"), body.get("request"))
        if entry.kind == OPEN:
            self._cap = amount_from(body["cap"])
            if body["ledger"] != self._identity.name:
                return "belongs to another ledger"
        elif entry.kind == DATASET:
            self._versions.add(body["version"])
        elif entry.kind == RESERVE:
            self._spent += amount_from(body["epsilon"])
            if about in self._answered or body["version"] not in self._versions:
                return "reserves what needs no reservation"
            self._pending[entry.number] = about  # type: ignore[assignment]
        else:
            if self._pending.pop(body["reserve"], None) != about or about in self._answered:
                return "closes a reservation that is not open"
            if entry.kind == COMMIT:
                self._answered.add(about)
        if body["spent"] != str(self._spent) or self._spent > self._cap:
            return "does not add up, or passes the cap"
        return None

    def _is_sealed(self, row: Dataset) -> bool:
        seal = dataset_seal(self._identity.key, keyed_digest=row.keyed, account=row.account, version=row.version)
        return seal == row.seal and row.account == self._standing.account
