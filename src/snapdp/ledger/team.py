"""A team's ledger: the server looks, checks and appends in one step, and analysts hold neither lock nor key.

Room: ledger. What differs from a file: entries are written by the server (storage/postgres.sql) and read
again here; content is recognised there, and who asks for content that is not known registers it, in the chain, for
everybody to see. Theory: docs/theory/ledger.md, (6)-(9).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from snapdp.errors import UNKNOWN, LedgerError
from snapdp.ledger import chain
from snapdp.ledger.accounts import (
    Account,
    Answer,
    Reservation,
    agree,
    closed_before,
    other_account,
    payable,
    reservation_from,
    too_much,
    unknown_reservation,
    unknown_version,
)  # fmt: skip
from snapdp.ledger.belonging import Terms, identical
from snapdp.ledger.chain import COMMIT, OPEN, RESERVE, canonical
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.storage.postgres import PostgresStorage
from snapdp.ledger.storage.storage import Entry, Identity, Standing


class TeamLedger(Ledger):
    """Budgets in a PostgreSQL database. For one thread; each opens its own. Use it in a `with` block."""

    _storage: PostgresStorage

    @classmethod
    def create_team(
        cls,
        address: str,
        identity: Identity,
        *,
        patience: float,
        clock: Callable[[], str],
        entropy: Callable[[int], bytes],
    ) -> Ledger:
        return cls._on(PostgresStorage.create(address, identity, patience=patience), clock, entropy)

    @classmethod
    def open_team(
        cls, address: str, *, patience: float, clock: Callable[[], str], entropy: Callable[[int], bytes]
    ) -> Ledger:
        return cls._on(PostgresStorage(address, patience=patience), clock, entropy)

    @property
    def role(self) -> str | None:
        return self._storage.role

    def dataset_version(self, account: str, fingerprint: bytes) -> str:
        """Return the random version id of a table's content; the server recognises it, or registers it as new."""
        with self._transaction(writing=False):
            self._stands(account)
        holder, version = self._storage.register(account, bytes(fingerprint), self._entropy(8).hex())
        if holder != account:
            raise other_account(holder, account)
        return version

    def answered(
        self, account: str, *, fingerprint: bytes, epsilon: Fraction, request: Mapping[str, Any]
    ) -> Answer | None:
        """Return the answer that the same request to the same content got before; None if it would be charged.

        Content that the ledger does not know is registered: who asks whether it is known leaves an entry.
        """
        same, version = identical(epsilon, request), self.dataset_version(account, fingerprint)
        with self._transaction(writing=False):
            twin = self._twin(self._stands(account)[0], version, same)
            return twin if isinstance(twin, Answer) else None

    # Inside

    def _checked(self, standing: Standing) -> Account:
        """Return an account that stands where its last entry says; an analyst, who may not see it, asks the server."""
        if self._storage.is_keeper:
            return super()._checked(standing)
        first = self._storage.entry(standing.account, 0)
        if first is None or first.kind != OPEN or not self._storage.stands(standing.account):
            raise chain.altered(standing.account, standing.entries - 1)
        return self._as_amended(standing, chain.read(first))

    def _identified(self, identity: Identity) -> Identity:
        return chain.checked(identity) if self._storage.is_keeper else identity  # analysts do not have the key

    def _attempt(
        self, account: str, amount: Fraction, *, version: str, request: str, asked: dict[str, Any], terms: Terms
    ) -> Reservation | Answer | str:
        with self._transaction(writing=False):
            holder, _ = self._stands(account)
            agree(holder, **terms._asdict())
            twin = self._twin(holder, version, request)
        if twin is not None:
            return twin
        fields = (account, version, str(payable(amount)), canonical(asked, name="request"))
        session, outcome, more = self._own_session(), "", list[str]()
        try:
            outcome, *more = self._storage.reserve(*fields, session, self._now())
            if outcome == "done":
                entry = self._appended(account, RESERVE, more, version=version, request=request)
                return reservation_from(entry, amount)
        except LedgerError as problem:  # any other refusal of the server undid the step
            if outcome == "done" or "lost" in problem.numbers:
                problem.numbers["spent"] = UNKNOWN
            raise
        if outcome == "unknown":
            raise unknown_version(holder)
        if outcome == "pending":
            return str(more[0])
        with self._transaction(writing=False):  # somebody was quicker: the answer is there, or the budget gone
            holder, _ = self._stands(account)
            if outcome == "over":
                raise too_much(holder, amount)
            return self._twin(holder, version, request) or ""

    def _close(self, reservation: Reservation, kind: str, **more: Any) -> str:
        record = canonical(more["record"], name="record") if kind == COMMIT else None
        outcome, *rest = self._storage.finish(reservation.account, kind, reservation.number, reservation.head, record)
        if outcome == "unknown":
            raise unknown_reservation()
        if outcome == "answered":
            raise closed_before()
        about = {"version": reservation.version, "request": reservation.request, "reserve": reservation.number}
        return self._appended(reservation.account, kind, rest, **about).digest

    def _appended(self, account: str, kind: str, told: list[str], **columns: Any) -> Entry:
        """Return the entry that the server wrote, read as every other."""
        number, body, digest = told
        blank = {"version": None, "request": None, "reserve": None}
        entry = Entry(account=account, number=int(number), kind=kind, body=body, digest=digest, **{**blank, **columns})
        try:
            chain.read(entry)
        except LedgerError:
            raise LedgerError(
                "the server wrote another entry than it was asked to.", "Verify the ledger. Publish nothing."
            ) from None
        return entry
