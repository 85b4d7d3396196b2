"""An open ledger, to read: how its accounts stand, what they were charged and answered, and whether all of it fits.

It never sees a row of data and writes nothing; ledger.py adds the writing. Every method is one transaction. An account
is shown if its first and last entry agree with its standing, and an answer is handed out if it belongs to its
reservation; `verify` checks everything. Theory: docs/theory/ledger.md, "What verify shows".
The end of the file finds what a request repeats: the very same request is free, the same statistic is charged again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from types import TracebackType
from typing import Any, Self

from snapdp.display.numbers import exact_amount
from snapdp.errors import LedgerError
from snapdp.exact.numbers import shown
from snapdp.ledger import chain
from snapdp.ledger.accounts import (
    ABANDONED,
    COMMITTED,
    IN_PROGRESS,
    ORPHANED,
    Account,
    Amendment,
    Answer,
    Charge,
    Verification,
    account_from,
    amendment_from,
    in_force,
)
from snapdp.ledger.chain import COMMIT, OPEN, RESERVE, amount_from, canonical
from snapdp.ledger.rules import DECLARED, Terms, answer_fault, identical, missing, replayed, reserve_fault, walk
from snapdp.ledger.storage.sqlite_connection import is_failure
from snapdp.ledger.storage.storage import Entry, Identity, Signed, Standing, Storage
from snapdp.studies.declarations import digest
from snapdp.values import Facts, Value, Values

MOST_NAMES = 10  # of accounts, in a refusal
RECENT = 500  # entries of an account that `recent` reads: what a release does takes no longer as the history grows


class Book:
    """What a ledger's storage holds, for one thread. Use it in a `with` block."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._openings: dict[str, tuple[Entry, Values]] = {}
        storage.begin(writing=False)
        try:
            self._identity = self._identified(storage.identity())
        finally:
            storage.rollback()

    @property
    def identity(self) -> str:
        """Return the name that the ledger was given when it was made: random digits, which no other ledger has."""
        return self._identity.name

    def close(self) -> None:
        """Close the ledger; reservations not committed are orphans from now on."""
        self._storage.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # Accounts

    def accounts(self) -> tuple[Account, ...]:
        """Return all accounts whose first and last entry are sound, by name; `unsound` tells of the others."""
        with self._transaction(writing=False):
            return tuple(each for each in self._surveyed() if isinstance(each, Account))

    def unsound(self) -> tuple[LedgerError, ...]:
        """Return what is wrong with accounts that cannot be used; the others can."""
        with self._transaction(writing=False):
            return tuple(each for each in self._surveyed() if isinstance(each, LedgerError))

    def __reduce_ex__(self, protocol: Any) -> Any:  # what copy, deepcopy and pickle ask
        raise LedgerError("a ledger cannot be copied or pickled.", "Open it again, where it is: Ledger.open(path).")

    @property
    def role(self) -> str | None:
        """Return who is at work here, on a team ledger; a file knows nobody."""
        return None

    def account(self, name: str) -> Account:
        """Return an account as it stands."""
        with self._transaction(writing=False):
            return self._stands(name)[0]

    def only_account(self) -> Account:
        """Return the only account; refuse where there are several, unsound ones among them, or none."""
        found = self.accounts()
        names = [each.name for each in found] + [str(each.numbers["account"]) for each in self.unsound()]
        if not names:
            advice = "Open one: ledger.create_account(NAME, cap=1, relation=..., rows=...). Nothing was spent."
            raise LedgerError("the ledger has no account yet.", advice, lacking="account")
        if len(names) > 1:
            raise LedgerError(
                f"the ledger has {len(names)} accounts: {_listed(names)}.", "Name the one to charge. Nothing was spent."
            )
        return found[0] if found else self.account(names[0])

    def history(self, account: str) -> tuple[Charge, ...]:
        """Return every charge of an account, oldest first."""
        return self._charges(account, last=None)

    def recent(self, account: str) -> tuple[Charge, ...]:
        """Return the newest charges of an account, oldest first: those that its last 500 entries have."""
        return self._charges(account, last=RECENT)

    def charge(self, account: str, number: int) -> Charge | None:
        """Return one charge of an account by the number of its entry; None where that is no charge."""
        with self._transaction(writing=False):
            holder, _ = self._stands(account)
            entry = self._storage.entry(account, number)
            if entry is None or entry.kind != RESERVE:
                return None
            return self._charge(holder, entry, self._storage.closing(account, number))

    def charge_of(self, record: Facts) -> Charge | None:
        """Return the charge that was answered with a record; None if there is none."""
        account = record["dataset"]
        with self._transaction(writing=False):
            holder, _ = self._stands(account)
            twins = self._storage.twins(account, record["dataset_version"], record["request"])
            if [entry.kind for entry in twins] != [RESERVE, COMMIT]:
                return None
            return self._charge(holder, *twins)

    def holds(self, account: str, record: str) -> bool:
        """Return whether an account was charged for the record that has this digest; it stops at the first one."""
        with self._transaction(writing=False):
            holder, _ = self._stands(account)
            for entry in walk(self._storage, account):
                if entry.kind == COMMIT and digest(canonical(chain.read(entry)["record"])) == record:
                    self._answer(holder, entry, self._storage.entry(account, entry.reserve or 0))
                    return True
        return False

    def amendments(self, account: str) -> tuple[Amendment, ...]:
        """Return how an account was amended since it was opened, oldest first: caps raised, and that it was closed."""
        with self._transaction(writing=False):
            self._stands(account)
            return self._amendments(account)

    # Trust

    def verify(self, against: Facts | str | None = None) -> Verification:
        """Recompute every digest, sum and seal; LedgerError with all `problems` if anything does not fit.

        against   a published record, or a head returned by `commit`: refused if this ledger does not hold it, which
                  is how an older copy of the file put back in its place is found. Use the newest you have.
        """
        problems = []
        amended: list[Amendment] = []
        seen = [0, 0]
        with self._transaction(writing=False):  # a ledger that cannot be looked at just now is not an unsound one
            try:
                problems += self._storage.damage()
                if self._storage.identity() != self._identity:
                    problems.append("the key of the ledger was altered.")
                for standing in self._storage.standings():
                    seen[0] += 1
                    seen[1] += standing.entries
                    problems += replayed(self._storage, self._identity, standing)
                    amended += () if problems else self._amendments(standing.account)
                if against is not None and not problems:
                    problems += missing(self._storage, against)
            except LedgerError as error:
                if is_failure(error):
                    raise
                problems.append(error.problem)
        if problems:
            others = f" And {len(problems) - 1} more." if len(problems) > 1 else ""
            raise LedgerError(
                f"the ledger is not sound: {problems[0]}{others}",
                "Release nothing from it. Keep the file, restore the newest copy, verify it against the newest record.",
                problems=tuple(problems),
            )
        return Verification(accounts=seen[0], entries=seen[1], amendments=tuple(amended))

    def record_of(self, record: Facts) -> Values | None:
        """Return the committed record of the same charge as a given one, to compare the two; None if there is none."""
        with self._transaction(writing=False):
            for account in (each for each in self._surveyed() if isinstance(each, Account)):
                for entry in walk(self._storage, account.name):
                    if entry.kind == COMMIT and chain.read(entry)["record"].get("previous") == record["previous"]:
                        reserve = self._storage.entry(entry.account, entry.reserve or 0)
                        return self._answer(account, entry, reserve).record
        return None

    # Inside; all of it within a transaction

    def _charges(self, account: str, *, last: int | None) -> tuple[Charge, ...]:
        reserves = {}
        closings = {}
        with self._transaction(writing=False):
            holder, standing = self._stands(account)
            start = 0 if last is None else max(0, standing.entries - last)
            for entry in walk(self._storage, account, start=start):
                if entry.kind == RESERVE:
                    reserves[entry.number] = entry
                elif entry.reserve in reserves:
                    closings[entry.reserve] = entry
            return tuple(self._charge(holder, entry, closings.get(number)) for number, entry in reserves.items())

    def _charge(self, holder: Account, reserve: Entry, closing: Entry | None) -> Charge:
        """Return the charge that a reservation made, and what became of it."""
        body, answer = chain.read(reserve), None
        if closing is None:
            state = IN_PROGRESS if self._storage.session_lives(str(body["session"])) else ORPHANED
        elif closing.kind == COMMIT:
            state, answer = COMMITTED, self._answer(holder, closing, reserve)
        else:
            state = ABANDONED
        # The charge that a reservation made, and what became of it.
        return Charge(
            number=body["number"],
            time=body["time"],
            epsilon=amount_from(body["epsilon"]),
            version=body["version"],
            request=body["request"],
            asked=canonical(body["asked"]),
            state=state,
            answer=answer,
        )

    @contextmanager
    def _transaction(self, *, writing: bool) -> Iterator[None]:
        self._storage.begin(writing=writing)
        try:
            yield
            self._storage.commit()
        except BaseException:
            self._storage.rollback()
            raise

    def _stands(self, name: str, *, held: bool = False) -> tuple[Account, Standing]:
        look = self._storage.held if held else self._storage.standing
        standing = look(name) if isinstance(name, str) and name.isprintable() else None
        if standing is None:
            # The refusal of a name that no account has; it names those that whoever asks may see.
            names = []
            with suppress(LedgerError):  # a standing that cannot be read is told by `verify`
                names = [each.account for each in self._storage.standings()]
            advice = "Open it first; nothing was spent."
            if names:
                advice = (
                    f"It has: {_listed(names)}. If this is the same table, charge it there; for another one open an "
                    "account first. Nothing was spent."
                )
            told = f"the ledger has no account {shown(name)}."
            raise LedgerError(told, advice, lacking="account", accounts=tuple(names[:MOST_NAMES]))
        return self._checked(standing), standing

    def _checked(self, standing: Standing) -> Account:
        """Return an account whose first and last entry are sound and say what its standing says."""
        first = self._storage.entry(standing.account, 0)
        last = self._storage.entry(standing.account, standing.entries - 1)
        if first is None or last is None or last.digest != standing.head:
            raise chain.altered(standing.account, standing.entries - 1)
        if self._openings.get(standing.account, (None,))[0] != first:  # the same row says the same
            self._openings[standing.account] = (first, chain.read(first))
        opening, latest = self._openings[standing.account][1], chain.read(last)
        if first.kind != OPEN or latest["spent"] != standing.spent:
            raise chain.altered(standing.account, standing.entries - 1)
        return self._as_amended(standing, opening)

    def _as_amended(self, standing: Standing, opening: Facts) -> Account:
        """Return an account with the cap in force: that of its newest amendment, or the one it was opened with."""
        newest = self._storage.newest_amendment(standing.account)
        return account_from(standing, opening, in_force(newest, standing, opening))

    def _amendments(self, account: str) -> tuple[Amendment, ...]:
        return tuple(map(amendment_from, self._storage.amendments(account)))

    def _surveyed(self) -> list[Account | LedgerError]:
        """Return every account, or what keeps it from being one: a bad one does not stop the others."""
        found: list[Account | LedgerError] = []
        for standing in self._storage.standings():
            try:
                found.append(self._checked(standing))
            except LedgerError as error:
                if "account" not in error.numbers:  # the database itself
                    raise
                found.append(error)
        return found

    def _answer(self, holder: Account, commit: Entry, reserve: Entry | None) -> Answer:
        """Return a stored answer, if it belongs to its reservation and this to its account."""
        body, reserved = chain.read(commit), {} if reserve is None else chain.read(reserve)
        answer = Answer(
            account=commit.account,
            version=body["version"],
            request=body["request"],
            number=commit.number,
            head=commit.digest,
            text=canonical(body["record"]),
            author=commit.author if isinstance(commit, Signed) else None,
        )
        terms = Terms(holder.relation, holder.rows, holder.unit)
        fault = answer_fault(body, reserve, reserved) or reserve_fault(reserved, terms, answer.author)
        if fault is not None:
            raise LedgerError(
                f"entry {answer.number} of the account {answer.account!r} {fault}.",
                "It is no answer and is not handed out: verify the ledger. No release was made and nothing was spent.",
                account=answer.account,
                number=answer.number,
            )
        return answer

    def _twin(self, holder: Account, version: str, request: str) -> Answer | str | None:
        """Return the answer a request has, the session that is drawing it, or None."""
        twins = {entry.kind: entry for entry in self._storage.twins(holder.name, version, request)}
        reserve = twins.get(RESERVE)
        if COMMIT in twins:
            return self._answer(holder, twins[COMMIT], reserve)
        session = None if reserve is None else str(chain.read(reserve)["session"])
        return session if session is not None and self._storage.session_lives(session) else None

    def _identified(self, identity: Identity) -> Identity:
        return chain.checked(identity)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(shown, names[:MOST_NAMES])) + ", ..." * (len(names) > MOST_NAMES)


# Repeats: a request is compared as a whole, and each statistic by all that it declares but its cost

COST = ("epsilon", "alpha")  # with others a statistic is the same, and its number another


class Earlier(Value):
    """A statistic that was released before.

    number    of the charge in the chain of the ledger
    epsilon   what the statistic cost there
    """

    number: int
    epsilon: Fraction

    @property
    def in_words(self) -> str:
        """Return what whoever asks again is to know.

        >>> Earlier(number=2, epsilon=Fraction(1, 2)).in_words
        'released in entry 2 with epsilon 0.5; it would be charged again'
        """
        return f"released in entry {self.number} with epsilon {exact_amount(self.epsilon)}; it would be charged again"


class Repeats(Value):
    """What of a request was released before.

    same    the number of the charge that answered the very same: it is free, while the table is the same
    lines   for each statistic, where it was released with the most epsilon; None where it was not, or all is the same
    """

    same: int | None
    lines: tuple[Earlier | None, ...]


class EarlierReleases(Value):
    """What an account has released: requests and statistics, by digests of what they declare."""

    requests: dict[str, int]
    statistics: dict[str, Earlier]

    def of(self, epsilon: Fraction, declaration: Facts) -> Repeats:
        """Return what of a request was released before."""
        statistics = declaration["statistics"]
        same = self.requests.get(identical(epsilon, declaration))
        if same is not None:
            return Repeats(same=same, lines=(None,) * len(statistics))
        return Repeats(same=None, lines=tuple(self.statistics.get(_key(declaration, each)) for each in statistics))


def earlier_releases(history: Iterable[Charge]) -> EarlierReleases:
    """Return what the charges of an account were answered with; those without an answer released nothing."""
    requests = {}
    statistics: dict[str, Earlier] = {}
    for charge in history:
        if charge.answer is None:
            continue
        requests[charge.request] = charge.number
        for key, found in _statistics(charge):
            if key not in statistics or statistics[key].epsilon < found.epsilon:
                statistics[key] = found
    return EarlierReleases(requests=requests, statistics=statistics)


def _statistics(charge: Charge) -> list[tuple[str, Earlier]]:
    """Return the statistics of a charge; none where somebody else's program asked, in words of its own."""
    asked = json.loads(charge.asked)
    try:
        found = [(_key(asked, each), amount_from(each["epsilon"])) for each in asked["statistics"]]
    except (KeyError, TypeError, AttributeError, ValueError, ArithmeticError):
        return []
    return [(key, Earlier(number=charge.number, epsilon=epsilon)) for key, epsilon in found]


def _key(request: Facts, statistic: Facts) -> str:
    """Return what makes two statistics the same: all that they declare but their cost, of the same neighbours."""
    own = {name: value for name, value in statistic.items() if name not in COST}
    terms = {name: request[name] for name in DECLARED if name in request and name not in ("own", *own)}
    return digest(canonical({"terms": terms, "statistic": own}))
