"""The ledger: accounts with a cap, charged before anything random happens, never beyond the cap.

It never sees a row of data. The order is reserve -> draw -> record -> commit. A reservation is durable before `reserve`
returns, so a crash at any later point leaves it spent. Amounts are exact rationals kept as text, added and compared
here, inside the only writing transaction, and written only if the account still stands where it was read
(compare-and-swap). The same request on the same version of a dataset is drawn once: later askers get the stored record
free of charge, concurrent ones wait for the first. A reservation whose process died is an orphan: it is spent, and a
retry pays again. Reading is in book.py; storage makes a commit durable. Theory: docs/theory/ledger.md.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snapdp.display.text import is_address
from snapdp.errors import UNKNOWN, LedgerError, ParameterError
from snapdp.exact.numbers import Parameter, positive, shown
from snapdp.ledger import chain
from snapdp.ledger.accounts import (
    COMMITTED,
    Account,
    Answer,
    Declared,
    InProgressError,
    Reservation,
    Verification,
    account_from,
    agree,
    closed_before,
    given_reason,
    label,
    other_account,
    payable,
    reservation_from,
    terms_of,
    too_much,
    unit_of,
    unknown_reservation,
    unknown_version,
)
from snapdp.ledger.book import Book
from snapdp.ledger.chain import ABANDON, AMEND, CLOSE, COMMIT, DATASET, OPEN, RESERVE, amount_text, canonical
from snapdp.ledger.rules import SESSION, TIME, Terms, commit_fault, identical, reserve_fault
from snapdp.ledger.storage.sqlite import SqliteStorage
from snapdp.ledger.storage.storage import Dataset, Entry, Identity, Standing, Storage
from snapdp.studies.relation import ADD_REMOVE, CHANGE_ONE, relation_of_account, whole

if TYPE_CHECKING:
    from snapdp.ledger.storage.postgres import PostgresStorage

AnyPath = str | os.PathLike[str]
PATIENCE = 30.0  # seconds to wait for other writers
WAIT = 60.0  # seconds to wait for a twin that is being drawn
GLANCE = 0.05  # seconds between two looks at it


def utc_now() -> str:
    """Return the time of a reservation, in whole seconds. Commits carry none: they would tell how long a scan took."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class Ledger(Book):
    """Budgets in a file, or in a PostgreSQL database. For one thread; each opens its own. Use it in a `with` block."""

    def __init__(
        self,
        storage: Storage,
        *,
        clock: Callable[[], str] = utc_now,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._clock = clock
        self._entropy = entropy
        self._session: str | None = None
        super().__init__(storage)

    @classmethod
    def create(
        cls,
        path: AnyPath,
        *,
        patience: float = PATIENCE,
        clock: Callable[[], str] = utc_now,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> Ledger:
        """Make a new ledger in a file, or in the database of a postgresql:// address; what exists is never touched."""
        name, key = entropy(8).hex(), entropy(32)
        identity = Identity(name=name, key=key, seal=chain.identity_seal(key, name=name))
        if is_address(path):
            from snapdp.ledger.storage.postgres import PostgresStorage

            return TeamLedger._on(PostgresStorage.create(str(path), identity, patience=patience), clock, entropy)
        return cls._on(SqliteStorage.create(resolved(path), identity, patience=patience), clock, entropy)

    @classmethod
    def open(
        cls,
        path: AnyPath,
        *,
        patience: float = PATIENCE,
        clock: Callable[[], str] = utc_now,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> Ledger:
        """Open a ledger; `patience` is how many seconds to wait for other writers."""
        if is_address(path):
            from snapdp.ledger.storage.postgres import PostgresStorage

            return TeamLedger._on(PostgresStorage(str(path), patience=patience), clock, entropy)
        return cls._on(SqliteStorage(resolved(path), patience=patience), clock, entropy)

    @classmethod
    def _on(
        cls,
        storage: Storage,
        clock: Callable[[], str] = utc_now,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> Ledger:
        try:
            return cls(storage, clock=clock, entropy=entropy)
        except BaseException:
            storage.close()
            raise

    # Accounts

    def create_account(
        self,
        name: str,
        *,
        cap: Parameter,
        relation: str,
        rows: Parameter,
        unit: str = "row",
        person: str | Sequence[str] | None = None,
        rows_per_person: Parameter | None = None,
        unit_rows: Parameter | None = None,
    ) -> Account:
        """Open an account. Relation, unit and rows are fixed for good; the cap can only be raised, by `amend`.

        person            the column that names whose row it is, or several that do so together, where persons are
                          protected; it makes the unit
        rows_per_person   fixes for all that is ever asked how many rows of each person are kept; left out, each
                          statistic says it
        unit_rows         where no column names persons: so many rows are protected together. Nothing enforces that
                          nobody has more
        """
        whom = label(unit_of(unit, person=person, rows_per_person=rows_per_person, unit_rows=unit_rows), name="unit")
        title = label(name, name="account")
        if relation not in (CHANGE_ONE, ADD_REMOVE):
            raise ParameterError(
                f"relation = {shown(relation)} is unknown.",
                f'Give "{CHANGE_ONE}" (with n) or "{ADD_REMOVE}" (with n_max).',
            )
        if whom.startswith("person") or whom.endswith(" rows"):
            relation_of_account(kind=relation, rows=whole(rows, name="rows"), unit=whom)  # refused now, not when asked
        fixed = {
            "cap": amount_text(positive(cap, name="cap")),
            "relation": relation,
            "rows": whole(rows, name="rows"),
            "unit": whom,
        }
        with self._transaction(writing=True):
            if self._storage.standing(title) is not None:
                raise LedgerError(
                    f"the account {title!r} exists already.",
                    "Whom an account protects is fixed when it is opened, and its cap is raised by amending it only. "
                    "Use it as it is; another table has a name and an account of its own. Nothing was changed.",
                    existing=title,
                )
            fields = {**fixed, "ledger": self._identity.name, "time": self._now()}
            entry, standing = chain.link(chain.nothing(title), OPEN, spent="0", **fields)
            self._storage.append(entry)
            self._storage.add_standing(standing)
            return account_from(standing, fields)

    def create_account_for(self, study: Declared, *, cap: Parameter | None = None) -> Account:
        """Open the account of a study: everything but the cap is as the study declares it.

        cap   what may ever be spent on its dataset, by this study and by others; the study's budget where left out
        """
        return self.create_account(**terms_of(study, cap=cap))

    def amend(self, account: str, *, cap: Parameter, reason: str) -> Account:
        """Raise the cap of an account. The old cap, the new one, the time and the reason are an entry of its chain.

        Whoever verifies the ledger sees it. It weakens what was promised when the account was opened; a cap is never
        lowered, and a raised one stays. On a team ledger the keeper alone may do so.
        """
        wanted, why = positive(cap, name="cap"), given_reason(reason)
        text = amount_text(wanted)
        with self._transaction(writing=True):
            holder, standing = self._amendable(account)
            if wanted <= holder.cap:
                how = (
                    "is the cap already" if wanted == holder.cap else f"is below the cap, which is {shown(holder.cap)}"
                )
                raise LedgerError(
                    f"cap = {shown(wanted)} {how}: a cap is raised, never lowered.",
                    "Where no more is to be spent on the dataset, close the account. Nothing was changed.",
                    account=holder.name,
                )
            before = str(holder.cap)
            self._append(standing, AMEND, spent=standing.spent, before=before, cap=text, reason=why, time=self._now())
            return self._stands(account)[0]

    def close_account(self, account: str, *, reason: str) -> Account:
        """Close an account for good: no further charge is accepted, what was answered before stays free.

        A charge that is being drawn at this moment was paid before, and may still be committed.
        """
        why = given_reason(reason)
        with self._transaction(writing=True):
            holder, standing = self._amendable(account)
            self._append(standing, CLOSE, spent=standing.spent, cap=str(holder.cap), reason=why, time=self._now())
            return self._stands(account)[0]

    def dataset_version(self, account: str, fingerprint: bytes) -> str:
        """Return the random version id of a table's content, new if the content is new to the account.

        The fingerprint (a digest of the content) is kept only keyed with the ledger's own random key: who has the
        records but not the ledger cannot test a guess of the rows. Content known under another account is refused,
        because its budgets would add up unseen.
        """
        with self._transaction(writing=True):
            _, standing = self._stands(account)
            row = self._known(account, fingerprint)
            if row is not None:
                return row.version
            known, version = self._keyed(fingerprint), self._entropy(8).hex()
            seal = chain.dataset_seal(self._identity.key, keyed_digest=known, account=account, version=version)
            self._append(standing, DATASET, spent=standing.spent, version=version)
            self._storage.add_dataset(Dataset(keyed=known, account=account, version=version, seal=seal))
            return version

    # Charges

    def reserve(
        self,
        account: str,
        *,
        epsilon: Any,
        request: Mapping[str, Any],
        version: str,
        relation: str,
        rows: int,
        unit: str = "row",
        wait: float = WAIT,
    ) -> Reservation | Answer:
        """Charge epsilon durably, or return the answer that the same request got before, free of charge.

        A LedgerError whose `numbers["spent"]` is "unknown" leaves open whether the charge was made: look at `history`
        before the request is repeated. After any other nothing was charged.

        request   the public request, as JSON; with epsilon it is what makes two requests the same
        version   from `dataset_version`
        relation, rows, unit   what the request was planned under; refused unless the account says the same
        wait      seconds to wait for a twin that somebody else is drawing; then InProgressError
        """
        amount = positive(epsilon, name="epsilon")
        asked = dict(request)
        if not isinstance(version, str) or not version.isascii():
            raise ParameterError("version is no text.", "Take the version from dataset_version. Nothing was spent.")
        same, terms = identical(amount, asked), Terms(relation, rows, unit)
        fault = reserve_fault({"asked": asked, "epsilon": str(amount), "request": same}, terms, self.role)
        if fault is not None:
            raise LedgerError(f"the request {fault}.", "No audit would accept its reservation. Nothing was spent.")
        deadline = time.monotonic() + wait
        while True:
            twin = self._attempt(account, amount, version=version, request=same, asked=asked, terms=terms)
            if not isinstance(twin, str):
                return twin
            if twin == self._session or time.monotonic() >= deadline:
                raise InProgressError(
                    f"the same request to the account {account!r} is being drawn at this moment.",
                    "Ask again when it is done: its answer will be free. Nothing was spent.",
                )
            time.sleep(min(GLANCE, max(0.0, deadline - time.monotonic())))

    def answered(
        self, account: str, *, fingerprint: bytes, epsilon: Fraction, request: Mapping[str, Any]
    ) -> Answer | None:
        """Return the answer that the same request to the same content got before; None if it would be charged.

        Reads only: a request that costs nothing, or that cannot be paid, need not scan a table.
        """
        same = identical(epsilon, request)
        with self._transaction(writing=False):
            holder, _ = self._stands(account)
            row = self._known(account, fingerprint)
            twin = None if row is None else self._twin(holder, row.version, same)
            return twin if isinstance(twin, Answer) else None

    def commit(self, reservation: Reservation, record: Mapping[str, Any]) -> str:
        """Store the record of a reservation durably and return the head of the chain. Publish only after this returns.

        The record must hold the fields of `reservation.binding`.
        """
        kept = dict(record)
        wrong = sorted(name for name, value in reservation.binding.items() if kept.get(name) != value)
        if wrong:
            raise LedgerError(
                f"the record does not belong to its reservation: {', '.join(wrong)}.",
                "Take these fields from the reservation's binding. The reservation stays spent.",
            )
        canonical(kept, name="record")
        return self._close(reservation, COMMIT, record=kept)

    def abandon(self, reservation: Reservation) -> str:
        """Give a reservation up: it stays spent, and the same request pays again."""
        return self._close(reservation, ABANDON)

    # Inside; all of it within a transaction

    def _amendable(self, account: str) -> tuple[Account, Standing]:
        holder, standing = self._stands(account, held=True)
        if holder.closed:
            raise LedgerError(
                f"the account {holder.name!r} was closed.",
                "It stays closed: its cap cannot be raised, and what it answered before is free as ever. Nothing was "
                "changed.",
                account=holder.name,
            )
        return holder, standing

    def _keyed(self, fingerprint: bytes) -> str:
        return chain.keyed(self._identity.key, "content", bytes(fingerprint).hex())

    def _known(self, account: str, fingerprint: bytes) -> Dataset | None:
        """Return the version row of a content; refuse content that another account has."""
        row = self._storage.dataset(self._keyed(fingerprint))
        if row is not None and row.account != account:
            raise other_account(row.account, account)
        return row

    def _attempt(
        self, account: str, amount: Fraction, *, version: str, request: str, asked: dict[str, Any], terms: Terms
    ) -> Reservation | Answer | str:
        """Return the answer a request has, its new reservation, or the session that is drawing it."""
        charged = None
        try:
            with self._transaction(writing=True):
                holder, standing = self._stands(account)
                agree(holder, **terms._asdict())
                twin = self._twin(holder, version, request)
                if twin is None:
                    payable(amount)
                    row = self._storage.dataset_of(version)
                    if row is None or row.account != holder.name:
                        raise unknown_version(holder)
                    if amount > holder.left:
                        raise too_much(holder, amount)
                    entry = self._append(
                        standing,
                        RESERVE,
                        spent=amount_text(holder.spent + amount),
                        asked=asked,
                        epsilon=str(amount),
                        request=request,
                        session=self._own_session(),
                        time=self._now(),
                        version=version,
                    )
                    charged = reservation_from(entry, amount)
        except LedgerError as problem:
            if charged is not None:  # the commit failed: the entry may have reached the disk
                problem.numbers["spent"] = UNKNOWN
            raise
        return twin or charged or ""

    def _close(self, reservation: Reservation, kind: str, **more: Any) -> str:
        with self._transaction(writing=True):
            _, standing = self._stands(reservation.account)
            entry = self._storage.entry(reservation.account, reservation.number)
            if entry is None or entry.digest != reservation.head or entry.kind != RESERVE:
                raise unknown_reservation()
            twins = self._storage.twins(reservation.account, reservation.version, reservation.request)
            if self._storage.closing(reservation.account, reservation.number) is not None or any(
                twin.kind == COMMIT for twin in twins
            ):
                raise closed_before()
            fault = commit_fault(more, chain.read(entry), entry.digest) if kind == COMMIT else None
            if fault is not None:
                raise LedgerError(f"the entry {fault}.", "No audit would accept it. The reservation stays spent.")
            fields = {"request": reservation.request, "reserve": reservation.number, "version": reservation.version}
            return self._append(standing, kind, spent=standing.spent, **fields, **more).digest

    def _append(self, standing: Standing, kind: str, *, spent: str, **fields: Any) -> Entry:
        entry, after = chain.link(standing, kind, spent=spent, **fields)
        self._storage.append(entry)
        if not self._storage.swap_standing(standing, after):
            # Impossible while the transaction has the only pen; with a storage that breaks that promise, refused.
            raise LedgerError("the account changed while it was being charged.", "Try again; nothing was spent.")
        return entry

    def _now(self) -> str:
        """Return the time; one that verify would not accept is not written."""
        moment = self._clock()
        if TIME.fullmatch(moment) is None:
            raise LedgerError("the clock tells no time as ledgers write it.", "Give one like 2026-01-31T12:00:00Z.")
        return moment

    def _own_session(self) -> str:
        if self._session is None:
            token = self._entropy(16).hex()
            if SESSION.fullmatch(token) is None:
                raise LedgerError("the entropy gives fewer bytes than were asked for.", "Nothing was spent.")
            self._storage.start_session(token)
            self._session = token
        return self._session


def resolved(path: AnyPath) -> Path:
    try:
        return Path(path).resolve()
    except (OSError, ValueError, RuntimeError):  # a name too long, a null character, a loop of links
        raise LedgerError("the path of the ledger cannot be used.", "Give the name of a file.") from None


class TeamLedger(Ledger):
    """Budgets in a PostgreSQL database. For one thread; each opens its own. Use it in a `with` block.

    The server looks, checks and appends in one step (storage/postgres.sql), and analysts hold neither lock nor key. The
    entries that it wrote are read again here. It also recognises content; if you ask for content that is not known, it
    is registered in the chain, where everybody sees it. Theory: docs/theory/ledger.md, (6)-(9).
    """

    _storage: PostgresStorage

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


# Backups: copies that can be read and verified, but not charged, and the way back from one
#
# A plain copy of the file is refused when it is charged: two copies would each spend the whole cap. Restoring a backup
# forgets whatever was spent since it was made. Only a newer record can show that, so `restore` asks for one.


def back_up(ledger: AnyPath, file: AnyPath, *, patience: float = PATIENCE) -> Verification:
    """Copy a ledger, if it is sound, into a new file that can be read and verified, but not charged."""
    target, storage = _file(file), _storage(ledger, patience)
    with Ledger._on(storage) as book:
        found = book.verify()
        storage.copy_to(target, to_be_charged=False)
    return found


def restore(
    backup: AnyPath,
    ledger: AnyPath,
    *,
    against: Mapping[str, Any] | str | None,
    none_was_published: bool = False,
    patience: float = PATIENCE,
) -> Verification:
    """Make a new ledger, which can be charged, of a backup or copy that is sound and holds the newest record.

    against   the newest record published from the ledger, or the newest head
    none_was_published   there is no record: the copy holds some, yet all of them are older than the copy or unpublished
    """
    target, storage = _file(ledger), _storage(backup, patience)
    with Ledger._on(storage) as book:
        found = book.verify(against)
        if against is None and not none_was_published and _has_answers(book):
            raise LedgerError(
                "a copy of a ledger that has answered is restored against the newest record.",
                "Give the newest record that was published: what was spent after the copy was made is forgotten.",
            )
        storage.copy_to(target, to_be_charged=True)
    return found


def _has_answers(book: Ledger) -> bool:
    return any(charge.state == COMMITTED for each in book.accounts() for charge in book.history(each.name))


def _storage(path: AnyPath, patience: float) -> SqliteStorage:
    return SqliteStorage(_file(path), patience=patience)


def _file(path: AnyPath) -> Path:
    """Return the full path of a ledger in a file; refuse the address of a server, to copy from or to."""
    if is_address(path):
        raise LedgerError(
            "this ledger is kept by a server.", "Its administrator backs the database up, with the server's own tools."
        )
    return resolved(path)


READ_BACK = ("journal_mode", "synchronous", "fullfsync", "checkpoint_fullfsync", "trusted_schema", "wal_autocheckpoint")


def settings_in_force(ledger: Ledger) -> dict[str, int | str]:
    """Return the settings of a ledger in a file as SQLite tells them within a writing transaction.

    A setting that is asked for may be refused without a word, or be compiled otherwise, so they are read back. A server
    is asked when a team ledger is opened.
    """
    storage = ledger._storage
    assert isinstance(storage, SqliteStorage), "a server has no pragmas"
    return storage.settings(READ_BACK)
