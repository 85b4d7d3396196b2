"""The values of a ledger: accounts, reservations, answers, charges, amendments, and the refusals that speak of them.

Nothing is opened here, and everything is public: a message names accounts and amounts, as exact fractions, and says
what was spent. An amendment raises the cap of an account or closes it, and is an entry of its chain, with a reason that
everybody may read. A cap is never lowered and a closed account is never opened again, so the cap in force is the
largest there ever was. Theory: docs/theory/ledger.md, (12)-(14).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

from snapdp.errors import BudgetError, LedgerError, ParameterError, PremiseError
from snapdp.exact.numbers import Parameter, positive, shown
from snapdp.ledger.chain import AMEND, CLOSE, altered, amount_from, day_of, read
from snapdp.ledger.storage.storage import Entry, Signed, Standing
from snapdp.studies.protection import unit_in_words
from snapdp.studies.relation import (
    CHANGE_ONE,
    Relation,
    bounded_in,
    bounded_unit,
    named_person,
    person_in,
    person_names,
    person_unit,
    relation_of_account,
    rows_unit,
    stated_person,
    whole,
)
from snapdp.values import Facts, Value, Values

LONGEST_NAME = 100
# What the denominator of a charge divides: of 1/1 to 1/1000, of decimals with 30 places, and so of all their sums.
COMMON_DENOMINATOR = math.lcm(10**30, *range(1, 1001))
COMMITTED, ABANDONED, IN_PROGRESS, ORPHANED = "committed", "abandoned", "in progress", "orphaned"


class InProgressError(LedgerError):
    """The same request is being drawn by somebody else: ask again later, the answer will be free."""


class Account(Value):
    """A dataset's budget. Relation, unit and rows were fixed when the account was opened; its cap can only be raised.

    cap              the one in force
    relation, unit   who counts as a neighbour, and whom epsilon protects
    rows             n under change-one, n_max under add-remove
    head             the digest of the last entry, which stands for the whole history
    amendment        what raised the cap last, or closed the account; None where it is as it was opened
    """

    name: str
    cap: Fraction
    relation: str
    unit: str
    rows: int
    opened: str
    spent: Fraction
    entries: int
    head: str
    amendment: Amendment | None = None

    @property
    def closed(self) -> bool:
        """Tell whether the account takes no further charge."""
        return self.amendment is not None and self.amendment.closes

    @property
    def left(self) -> Fraction:
        """Return what may still be spent: nothing of an account that was closed."""
        return Fraction(0) if self.closed else self.cap - self.spent


class Reservation(Value):
    """A charge that is on the disk: now, and only now, bits may be drawn for it."""

    account: str
    version: str
    request: str
    epsilon: Fraction
    number: int
    head: str
    date: str

    @property
    def binding(self) -> dict[str, str]:
        """Return the fields that tie a record to this reservation; `commit` insists on them."""
        return {
            "dataset": self.account,
            "dataset_version": self.version,
            "charged": str(self.epsilon),
            "request": self.request,
            "previous": self.head,
            "date": self.date,
        }


class Answer(Value):
    """A record that was committed before: the same request gets it again, free of charge.

    author   the role that committed it, on a team ledger: the ledger proves that it was paid, not how it was drawn
    """

    account: str
    version: str
    request: str
    number: int
    head: str
    text: str
    author: str | None = None

    @property
    def record(self) -> Values:
        """Return the record as it was committed."""
        return dict(json.loads(self.text))


class Charge(Value):
    """One line of an account's history: what was asked (as JSON) and charged, and what became of it.

    state   committed, abandoned, in progress, or orphaned: the process that reserved is gone. All of them are spent.
    """

    number: int
    time: str
    epsilon: Fraction
    version: str
    request: str
    asked: str
    state: str
    answer: Answer | None


class Verification(Value):
    """What `verify` looked at and found sound; every amendment among it."""

    accounts: int
    entries: int
    amendments: tuple[Amendment, ...] = ()


def account_from(standing: Standing, opening: Facts, amendment: Amendment | None = None) -> Account:
    return Account(
        name=standing.account,
        cap=amount_from(opening["cap"]) if amendment is None else amendment.cap,
        relation=opening["relation"],
        unit=opening["unit"],
        rows=opening["rows"],
        opened=opening["time"],
        spent=amount_from(standing.spent),
        entries=standing.entries,
        head=standing.head,
        amendment=amendment,
    )


def reservation_from(entry: Entry, epsilon: Fraction) -> Reservation:
    return Reservation(
        account=entry.account,
        version=str(entry.version),
        request=str(entry.request),
        epsilon=epsilon,
        number=entry.number,
        head=entry.digest,
        date=day_of(read(entry)["time"]),
    )


def label(value: Any, *, name: str) -> str:
    """Return a short printable name."""
    if not is_label(value):
        raise ParameterError(
            f"{name} = {shown(value)} is no name.", f"Give 1 to {LONGEST_NAME} printable characters, not only spaces."
        )
    return str(value)


def is_label(value: Any) -> bool:
    """Tell whether a value can name an account or a unit: one line of text that is not too long."""
    return isinstance(value, str) and bool(value.strip()) and len(value) <= LONGEST_NAME and value.isprintable()


def unit_for(holder: Account, units: Sequence[str]) -> str:
    """Return the unit under which a request asks an account, of those that it may be charged to.

    Where none is the account's, the one that is nearest to it: a bound is compared with a bound.
    """
    if holder.unit in units:
        return holder.unit
    return units[0 if bounded_in(holder.unit) is None else -1]


def agree(holder: Account, *, relation: str, rows: int, unit: str) -> None:
    """Refuse a request planned under anything else than the account promises: epsilons would not add up."""
    for name, given, kept in (
        ("relation", relation, holder.relation),
        ("n" if holder.relation == CHANGE_ONE else "n_max", rows, holder.rows),
        ("unit", unit, holder.unit),
    ):
        if given != kept:
            is_unit = name == "unit"
            asked, opened = (shown(unit_in_words(str(each)) if is_unit else each) for each in (given, kept))
            why = _why_other(unit, holder.unit) if is_unit else ""
            raise PremiseError(
                f"the request has {name} = {asked}; the account {holder.name!r} was opened with {opened}.",
                f"{why}Epsilons add up only under one neighbour relation, unit and row count: ask as the account "
                f"says, or open another account for another dataset.{_anew(holder)} Nothing was spent.",
                differs=name,
            )


def _anew(holder: Account) -> str:
    """Return how an account that was opened by mistake is opened again, as long as nothing was charged to it."""
    if holder.spent:
        return ""
    return " Nothing was charged to it yet: if its ledger has no other account, remove that file and open it as meant."


def _why_other(given: str, kept: str) -> str:
    """Return what may be behind a unit that is not the account's."""
    bounded, persons = bounded_in(kept), [person_in(given), person_in(kept)]
    if bounded is not None:
        return (
            f"This account fixes rows_per_person = {bounded[1]}: no statistic says another bound, or counts persons. "
        )
    if None not in persons and persons[0] == persons[1]:
        return (
            "What is declared of the columns that name a person is part of the unit. `snapdp ledger create --from "
            "STUDY` opens an account with the declarations of a study. "
        )
    if None not in persons and len({frozenset(person_names(each)) for each in persons if each}) == 1:
        return "Columns that name a person have an order: name them in that of the account. "
    return ""


def payable(amount: Fraction) -> Fraction:
    """Return an amount that may be charged anew; refuse one that would make the sums of an account ever longer."""
    if COMMON_DENOMINATOR % amount.denominator:
        raise ParameterError(
            f"epsilon = {shown(amount)} has a denominator that would make the account's sums ever longer.",
            "Give epsilon as a decimal with at most 30 places, or as a fraction whose denominator is at most 1000; "
            "sums of such are fine. Nothing was spent.",
        )
    return amount


def other_account(known: str, account: str) -> LedgerError:
    return LedgerError(
        f"this data is known under the account {known!r}, not {account!r}.",
        f"Charge it there, as the dataset {known!r}: two accounts for the same rows would spend more than either "
        "shows. Nothing was spent.",
        known=known,
    )


def unknown_version(holder: Account) -> LedgerError:
    return LedgerError(
        f"the account {holder.name!r} has no such version of its dataset.",
        "Take the version from dataset_version. Nothing was spent.",
    )


def unknown_reservation() -> LedgerError:
    return LedgerError(
        "the ledger does not know this reservation.",
        "It is another ledger, or an older copy was put back. Publish nothing.",
    )


def closed_before() -> LedgerError:
    return LedgerError(
        "the reservation was closed before, or its request was answered by somebody else.",
        "The stored answer stands: reserve again to get it, free of charge. Do not publish this one.",
    )


def too_much(holder: Account, amount: Fraction) -> BudgetError:
    """Return the refusal of a charge that an account cannot pay."""
    facts = {"needed": amount, "left": holder.left, "cap": holder.cap, "account": holder.name}
    if holder.closed:
        return BudgetError(
            f"the account {holder.name!r} was closed: it takes no further charge.",
            "Requests answered before are repeated free of charge. Nothing was spent.",
            **facts,
            closed=True,
        )
    if holder.left:
        advice = f"Ask for epsilon <= {shown(holder.left)}, or plan again within that. Nothing was spent."
    else:
        advice = (
            "Nothing is left for new requests; those answered before are repeated free of charge. Who answers for the "
            "data can raise the cap, for a reason that everybody who verifies the ledger reads; it weakens what the "
            "people in the table were promised. Nothing was spent."
        )
    return BudgetError(
        f"this release needs epsilon = {shown(amount)}; "
        f"the account {holder.name!r} has {shown(holder.left)} left of {shown(holder.cap)}.",
        advice,
        **facts,
    )


# Amendments

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


def in_force(entry: Entry | None, standing: Standing, opening: Facts) -> Amendment | None:
    """Return the newest amendment of an account, if it is an entry of its chain and lowers nothing."""
    if entry is None:
        return None
    found = amendment_from(entry)
    if not 0 < found.number < standing.entries or found.cap < max(found.before, amount_from(opening["cap"])):
        raise altered(standing.account, found.number)
    return found


def amend_fault(body: Facts, cap: Fraction, *, closed: bool) -> str | None:
    """Return what an amendment says that cannot be, beside a cap in force, as the end of a sentence.  ledger (12)"""
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


# The terms of an account: from what you type, or from what a study declares


class Declared(Protocol):
    """What a study says about its account."""

    @property
    def dataset(self) -> str: ...
    @property
    def relation(self) -> Relation: ...
    @property
    def budget(self) -> Fraction | None: ...


def terms_of(study: Declared, *, cap: Parameter | None = None) -> Values:
    """Return what the account of a study is opened with: its own words, and as cap its budget or a higher one."""
    most = study.budget if cap is None else positive(cap, name="cap")
    if most is None:
        raise ParameterError(
            f"the study of {study.dataset!r} has no budget that could be the cap of its account.",
            "Give a cap: what may ever be spent on this dataset. Nothing was changed.",
            lacking="cap",
        )
    if study.budget is not None and most < study.budget:
        raise ParameterError(
            f"cap = {shown(most)} is below the study's budget of {shown(study.budget)}.",
            "The study could not be released from such an account: give a cap that holds its budget, or change the "
            "budget. Nothing was changed.",
        )
    relation = study.relation
    terms = {"relation": relation.kind, "rows": relation.rows, "unit": relation.unit_in_full}
    return {"name": study.dataset, "cap": most, **terms}


def declared_terms(account: Account) -> Values:
    """Return what a study says that asks an account, by the keys of a study file: what was fixed when it was opened.

    How many rows of each person count stands there only where the account fixes it. Nothing stands there where its unit
    is a word of somebody else's.
    """
    try:
        relation = relation_of_account(kind=account.relation, rows=account.rows, unit=account.unit)
    except ParameterError:
        return {}
    found = {"relation": relation.kind, "n" if relation.is_change_one else "n_max": relation.rows}
    if relation.person is not None:
        found["person"] = stated_person(relation.person)
    if bounded_in(account.unit) is not None:
        found["rows_per_person"] = relation.rows_per_person
    return found if relation.unit_rows == 1 else {**found, "unit_rows": relation.unit_rows}


def unit_of(
    unit: str, *, person: str | Sequence[str] | None, rows_per_person: Parameter | None, unit_rows: Parameter | None
) -> str:
    """Return the unit of an account: as it is given, a person by the columns of names, or several rows."""
    most = None if rows_per_person is None else whole(rows_per_person, name="rows_per_person")
    together = None if unit_rows is None else whole(unit_rows, name="unit_rows")
    if unit != "row" and (person is not None or together is not None):
        raise ParameterError(
            "the unit is given, and what makes it as well.", "Give person or unit_rows alone: they make the unit."
        )
    named = named_person(person)
    if named is None:
        if most is not None:
            raise ParameterError("rows_per_person is given, and no person.", 'Give person="id", the column of names.')
        return unit if together is None or together == 1 else rows_unit(together)
    if together is not None:
        raise ParameterError("person and unit_rows are both given.", "Give one: the unit is a person, or several rows.")
    for each in person_names(named):
        label(each, name="person")
    if most is None:
        return person_unit(named)
    if not isinstance(named, str):
        raise ParameterError(
            "an account fixes the rows of persons whom one column names only.",
            "Leave rows_per_person out: each statistic says how many rows of each person it keeps.",
        )
    return bounded_unit(named, most)
