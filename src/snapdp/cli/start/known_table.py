"""What ledgers know of a table before it is charged: its account, an answer that is free, a budget that it has already.

Room: cli. Reads ledgers, and writes nothing: whoever is refused here has opened no account.
"""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snapdp.cli.accounts.places import ledgers_beside
from snapdp.cli.start.going_on import near
from snapdp.cli.start.pages import paragraph
from snapdp.cli.start.place import Place
from snapdp.display import is_address, one_line
from snapdp.errors import BudgetError, LedgerError, SnapdpError

if TYPE_CHECKING:
    from snapdp.api.study import Study
    from snapdp.ledger import Account
    from snapdp.tables import Engine


def existing_account(path: str, dataset: str) -> Account | None:
    """Return the account of a dataset, where a ledger is there and has one; refuse one that never gives a number."""
    from snapdp.ledger import Ledger

    if not is_address(path) and not os.path.exists(path):
        return None
    with Ledger.open(path) as ledger:
        found = next((each for each in ledger.accounts() if each.name == dataset), None)
    if found is not None and found.amendment is not None and found.closed and not found.spent:
        raise BudgetError(
            f"the account {dataset!r} was closed on {found.amendment.time[:10]}: {found.amendment.reason}.",
            "It takes no charge, and nothing was released from it. Nothing was spent.",
        )
    return found


def is_free(study: Study, table: Engine, place: Place) -> bool:
    """Tell whether the ledger has the answer; refuse, before anything is opened, what it would refuse to charge."""
    from snapdp.ledger import Ledger, payable, too_much

    if not place.has_ledger:
        payable(study.request().epsilon)
        _refuse_known_beside(table, place)
        return False
    request, fingerprint = study.request(), table.fingerprint()
    with Ledger.open(place.ledger) as ledger:
        known = ledger.known_as(fingerprint)
        if known not in (None, study.dataset):
            raise LedgerError(
                f"this data is known under the account {known!r}, not {study.dataset!r}.",
                f"Type quit, and start with --dataset {known}: two accounts would spend more than either shows.",
            )
        account = next((each for each in ledger.accounts() if each.name == study.dataset), None)
        asked: dict[str, Any] = {"epsilon": request.epsilon, "request": request.declaration}
        if account is not None and ledger.answered(account.name, fingerprint=fingerprint, **asked) is not None:
            return True
    if account is not None and request.epsilon > account.left:
        raise too_much(account, request.epsilon)
    payable(request.epsilon)
    return False


def _refuse_known_beside(table: Engine, place: Place) -> None:
    """Look into the ledgers where a new one would be opened: content that one of them knows has a budget already."""
    from snapdp.ledger import Ledger

    fingerprint = table.fingerprint()
    for path in ledgers_beside(Path(place.ledger).absolute()):
        known = None
        with suppress(SnapdpError), Ledger.open(path) as ledger:
            known = ledger.known_as(fingerprint)
        if known is None:
            continue
        told = f"{one_line(near(path))} knows this data already, under the account {known!r}"
        if not place.is_named:
            raise LedgerError(
                f"{told}.", f"Type quit, and start with --ledger {shlex.quote(near(path))} --dataset {known}."
            )
        paragraph(f"{told}: what both ledgers spend adds up, and neither shows it.")
