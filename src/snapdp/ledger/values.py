"""Accounts as plain values: amounts as exact fractions. For --json and for the page.

Room: ledger. Everything here is public; keys stay what they were, new ones are added.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from snapdp.display import guessed_right

if TYPE_CHECKING:
    from snapdp.ledger.accounts import Account, Charge
    from snapdp.ledger.amendments import Amendment


def account_values(account: Account, amendments: Sequence[Amendment] = ()) -> dict[str, Any]:
    """Return how an account stands."""
    return {
        "dataset": account.name,
        "cap": str(account.cap),
        "spent": str(account.spent),
        "left": str(account.left),
        "relation": account.relation,
        "rows": account.rows,
        "unit": account.unit,
        "opened": account.opened,
        "head": account.head,
        "closed": account.closed,
        "amendments": [amendment_values(each) for each in amendments],
        "guessed_right": guessed_right(account.spent),
    }


def amendment_values(amendment: Amendment) -> dict[str, Any]:
    """Return one amendment."""
    role = {} if amendment.author is None else {"author": amendment.author}
    return {
        "dataset": amendment.account,
        "time": amendment.time,
        "closes": amendment.closes,
        "before": str(amendment.before),
        "cap": str(amendment.cap),
        "reason": amendment.reason,
        **role,
    }


def charge_values(name: str, charge: Charge) -> dict[str, Any]:
    """Return one charge of an account."""
    return {
        "dataset": name,
        "time": charge.time,
        "epsilon": str(charge.epsilon),
        "state": charge.state,
        "version": charge.version,
        "request": charge.request,
        "asked": json.loads(charge.asked),
    }
