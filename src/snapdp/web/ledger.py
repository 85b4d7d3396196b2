"""The ledger page: what was spent, on what, whether anything was altered, and the numbers of earlier releases.

Each answer is one call of the library. Everything here is public. Every charge is spent, whatever became of
it: those that were interrupted or given up too.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import partial

from fastapi import FastAPI
from fastapi.responses import Response

from snapdp.audits.certificates import accepted_certificate, examine_certificate
from snapdp.display.numbers import exact_amount
from snapdp.errors import LedgerError
from snapdp.ledger.accounts import Account, Amendment, Charge
from snapdp.ledger.book import RECENT
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.statements import (
    BECAME,
    account_values,
    amended_in_words,
    moment,
    protected_by,
    spent_in_words,
    titles_of,
)
from snapdp.ledger.storage.sqlite_connection import is_failure
from snapdp.release.result import Release
from snapdp.values import Values
from snapdp.web.apart import Bench
from snapdp.web.queues import Desk
from snapdp.web.releases import Dataset, EntryNumber, found_charge, release_values
from snapdp.web.schema import AgainstRecord, OfAccount
from snapdp.web.work import to_line
from snapdp.web.workplace import Workplace

MOST_ENTRIES = 200  # of an account on the page, the newest; the command line has all
PARTS = 1000  # of a bar


def add_to(app: FastAPI, place: Workplace, desk: Desk) -> None:
    """Add its requests to the application."""
    app.state.books = bench = Bench()

    @app.get("/api/ledger")
    async def ledger() -> Values:
        """Every account: what is spent and left, what that means, and its charges, newest first."""
        return await desk.quick(partial(ledger_answer, place))

    @app.post("/api/ledger/verify")
    async def verify(body: AgainstRecord) -> Response:
        """Whether anything in the ledger was altered; with a record, whether it is there."""
        given = {"ledger": await desk.quick(partial(_ledger, place)), "record": body.record}
        return (await bench.answer("verify_ledger", given, instead="snapdp ledger verify")).response

    @app.get("/api/ledger/release")
    async def release(dataset: Dataset, number: EntryNumber) -> Values:
        """What a charge asked for, and the numbers that it was answered with."""
        return await desk.quick(partial(charge_answer, place, dataset, number))

    @app.post("/api/ledger/certificate")
    async def certificate(body: OfAccount) -> Values:
        """The certificate of a release, made anew, and what its independent checker says."""
        return await bench.thread(partial(certificate_answer, place, body))


def _ledger(place: Workplace) -> str | None:
    """Return where the ledger is; refused where there is none."""
    with place.opened_ledger():
        return place.ledger


def ledger_answer(place: Workplace) -> Values:
    """Return every account as the page shows it; what is wrong with those that cannot be used."""
    if not place.has_ledger:
        return {"ok": True, "is_there": False, "path": place.ledger_shown, "accounts": [], "unsound": []}
    with place.opened_ledger() as ledger:
        unsound = [each.problem for each in ledger.unsound()]
        accounts = []
        for account in ledger.accounts():
            try:
                accounts.append(_account(ledger, account))
            except LedgerError as refusal:
                if is_failure(refusal):
                    raise
                unsound.append(refusal.problem)
    told = [f"{to_line(each)} Verify the ledger." for each in unsound]
    return {"ok": True, "is_there": True, "path": place.ledger_shown, "accounts": accounts, "unsound": told}


def _account(ledger: Ledger, account: Account) -> Values:
    charges, amendments = ledger.recent(account.name), ledger.amendments(account.name)
    shown = charges[::-1][:MOST_ENTRIES]
    return {
        **account_values(account, amendments),
        "name": to_line(account.name),
        "cap_shown": exact_amount(account.cap),
        "spent_shown": exact_amount(account.spent),
        "left_shown": exact_amount(account.left),
        "says": _stands(account),
        "parts": filled(account.spent, account.cap),
        "of_parts": PARTS,
        "protected": protected_by(account),
        "means": spent_in_words(account),
        "amended": [_amended(each) for each in amendments],
        "entries": [_entry(each) for each in shown],
        "more": len(charges) > len(shown) or account.entries > RECENT,
    }


def _stands(account: Account) -> str:
    """Return how an account stands, in a line."""
    state = "closed, " if account.closed else ""
    left = f"{exact_amount(account.left)} left" if account.left else "nothing left"
    return f"{state}{exact_amount(account.spent)} of {exact_amount(account.cap)} spent, {left}"


def filled(spent: Fraction, cap: Fraction) -> int:
    """Return how many of PARTS of a bar are filled: none only where nothing is spent, all only where all is.

    >>> filled(Fraction(0), Fraction(1)), filled(Fraction(1, 10**9), Fraction(1)), filled(Fraction(1), Fraction(1))
    (0, 1, 1000)
    """
    return PARTS if spent == cap else max(min(PARTS * spent // cap, PARTS - 1), int(spent > 0))


def _entry(charge: Charge) -> Values:
    return {
        "number": charge.number,
        "time": moment(charge.time),
        "epsilon": str(charge.epsilon),
        "epsilon_shown": exact_amount(charge.epsilon),
        "state": charge.state,
        "became": BECAME[charge.state],
        "titles": titles_of(charge.asked),
        "request": charge.request,
        "has_record": charge.answer is not None,
    }


def _amended(amendment: Amendment) -> Values:
    return {"number": amendment.number, "time": moment(amendment.time), "says": amended_in_words(amendment)}


def charge_answer(place: Workplace, dataset: str, number: int) -> Values:
    """Return what a charge asked for and, where it was answered, its numbers and files."""
    with place.opened_ledger() as ledger:
        found = ledger.charge(dataset, number)
    if found is None:
        raise LedgerError("the ledger has no such charge.", "Choose one of its list.")
    asked = {"asked": json.loads(found.asked), "became": BECAME[found.state]}
    if found.answer is None:
        spent = {"charged": str(found.epsilon), "charged_shown": exact_amount(found.epsilon)}
        nothing = {"blocks": [], "remarks": [], "files": [], "beside": [], "keeps_texts": False}
        return {"ok": True, "dataset": dataset, "number": number, **spent, **nothing, **asked}
    return {**release_values(Release(found.answer.record), None, found), **asked}


def certificate_answer(place: Workplace, body: OfAccount) -> Values:
    """Return what the independent checker says of the certificate of a release."""
    _, result = found_charge(place, body.dataset, body.number)
    made = json.dumps(accepted_certificate(result.record), sort_keys=True, separators=(",", ":"))
    found = examine_certificate(made.encode())
    return {
        "ok": True,
        "accepted": found.accepted,
        "says": found.verdict if found.accepted else f"{found.verdict}: {to_line(found.reason or '')}",
        "proved": [{"topic": topic, "lines": lines} for topic, lines in (found.proved or {}).items()],
    }
