"""Accounts in words (what one protects, what spending means, how it was amended) and as plain values for JSON.

Everything here is public. The same sentences serve the command line and the page. Keys stay what they were; new ones
are added, and amounts are exact fractions.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from snapdp.display.numbers import exact_amount
from snapdp.display.text import guessed_right, hides_nothing, one_line, visible
from snapdp.values import Values

if TYPE_CHECKING:
    from snapdp.ledger.accounts import Account, Amendment, Charge, Verification
    from snapdp.studies.relation import Relation

SO_FAR, OF_CAP = "all results so far, taken together,", "results that spend all of the cap"
BECAME = {
    "committed": "released",
    "in progress": "being drawn",
    "abandoned": "given up, and spent all the same",
    "orphaned": "interrupted, and spent all the same",
}


def protected_by(account: Account) -> str:
    """Return what an account protects, as a sentence."""
    from snapdp.studies.protection import describe_protected, unit_in_words
    from snapdp.studies.relation import bounded_in

    relation, bounded = _relation(account), bounded_in(account.unit)
    if relation is None:
        return one_line(f"Protects a {unit_in_words(account.unit)}.")
    fixed = "" if bounded is None else f" Every request uses at most {bounded[1]} rows of each person."
    return describe_protected(relation) + fixed


def _relation(account: Account) -> Relation | None:
    """Return the relation of an account; None where its unit is somebody else's word."""
    from snapdp.errors import ParameterError
    from snapdp.studies.relation import relation_of_account

    try:
        return relation_of_account(kind=account.relation, rows=account.rows, unit=account.unit)
    except ParameterError:
        return None


def spent_in_words(account: Account) -> str:
    """Return what everything that was charged so far means together, and what it may come to."""
    from snapdp.studies.protection import describe_chance

    if not account.spent:
        return f"Nothing was charged so far. {explain_spending(account.cap, account, results=OF_CAP)}"
    told = explain_spending(account.spent, account)
    if account.left and guessed_right(account.cap) != guessed_right(account.spent):
        told += f" When all of the cap is spent, {describe_chance(account.cap)}."
    return f"{told} {hides_nothing(account.spent)}".rstrip()


def explain_spending(epsilon: Fraction, account: Account, *, results: str = SO_FAR) -> str:
    """Return the protection sentence of an account for results that spend so much of it together."""
    from snapdp.studies.protection import explain_other_unit, explain_protection

    relation, change_one = _relation(account), account.relation == "change-one"
    if relation is None:
        return explain_other_unit(account.unit, is_change_one=change_one, epsilon=epsilon, results=results)
    return explain_protection(relation, epsilon, results=results)


def together_in_words(epsilon: Fraction, account: Account) -> str:
    """Return what everything that was charged before means together with so much more; empty where nothing was."""
    from snapdp.studies.protection import describe_chance

    if not account.spent:
        return ""
    total = account.spent + epsilon
    return (
        f"With everything charged to {one_line(account.name)} before, epsilon {exact_amount(total)} together, "
        f"{describe_chance(total)}."
    )


def later_in_words(epsilon: Fraction, left: Fraction) -> str:
    """Return that a charge takes all that is left; empty where it does not.

    >>> later_in_words(Fraction(1), Fraction(1)), later_in_words(Fraction(1, 2), Fraction(1))
    ('After it nothing is left for later releases of this table.', '')
    """
    return "After it nothing is left for later releases of this table." if epsilon == left else ""


def amended_in_words(amendment: Amendment, *, timed: bool = True) -> str:
    """Return what was amended: from what to what, when, by whom and why."""
    when = f" on {moment(amendment.time)} UTC" if timed else ""
    role = "" if amendment.author is None else f" by {one_line(amendment.author)}"
    what = "Closed" if amendment.closes else f"Cap raised from {_amount(amendment.before)} to {_amount(amendment.cap)}"
    return f"{what}{when}{role}: {visible(amendment.reason)}"


def moment(time: str) -> str:
    """Return the time of an entry to the minute.

    >>> moment("2026-01-31T12:34:56Z")
    '2026-01-31 12:34'
    """
    return one_line(time[:16].replace("T", " "))


def titles_of(asked: str) -> str:
    """Return the statistics of a request, as far as this version of the library knows how to read it."""
    known = json.loads(asked)
    statistics = known.get("statistics") if isinstance(known, dict) else None
    listed = statistics if isinstance(statistics, list) else []
    return ", ".join(one_line(str(each.get("title", "?"))) for each in listed if isinstance(each, dict))


def extent_in_words(found: Verification) -> str:
    """Return how much was found sound.

    >>> from snapdp.ledger.accounts import Verification
    >>> extent_in_words(Verification(accounts=1, entries=3))
    '1 account, 3 entries'
    """
    accounts, entries = found.accounts, found.entries
    return f"{accounts} account{'s' * (accounts != 1)}, {entries} entr{'y' if entries == 1 else 'ies'}"


def _amount(amount: Fraction) -> str:
    return one_line(exact_amount(amount))


# Plain values, for --json and for the page


def account_values(account: Account, amendments: Sequence[Amendment] = ()) -> Values:
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


def amendment_values(amendment: Amendment) -> Values:
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


def charge_values(name: str, charge: Charge) -> Values:
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
