"""Accounts on a screen: how much is spent, what that means, how each was amended; and the same as JSON.

Room: cli. Everything here is public. Lines fit the terminal: a paragraph is broken between words.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from snapdp.cli.screen import console, echo, one_line, table
from snapdp.display import exact_amount, guessed_right, hides_nothing, odds_in_words, right_in, visible

if TYPE_CHECKING:
    from snapdp.ledger import Account, Amendment
    from snapdp.studies import Relation

BAR = 40  # marks
INDENT = "  "
BECAME = {
    "committed": "released",
    "in progress": "being drawn",
    "abandoned": "given up, and spent all the same",
    "orphaned": "interrupted, and spent all the same",
}


def show_account(account: Account, amendments: Sequence[Amendment]) -> None:
    """Print how an account stands: what is spent and left, whom it protects, what that means, how it was amended."""
    state = "closed, " if account.closed else ""
    left = f"{exact_amount(account.left)} left" if account.left else "nothing left"
    echo(f"{one_line(account.name)}: {state}{exact_amount(account.spent)} of {exact_amount(account.cap)} spent, {left}")
    echo(f"{INDENT}[{bar(account.spent, account.cap)}]")
    paragraph(f"What is protected: {protected(account)}")
    paragraph(meaning(account))
    for each in amendments:
        paragraph(in_words(each))


def bar(spent: Fraction, cap: Fraction) -> str:
    """Return a bar that is empty only where nothing is spent, and full only where all is.

    >>> bar(Fraction(1, 4), Fraction(1)), bar(Fraction(1, 10**9), Fraction(1))[:3], bar(Fraction(1), Fraction(1))[-1]
    ('##########..............................', '#..', '#')
    """
    marks = BAR * spent // cap
    filled = BAR if spent == cap else max(min(marks, BAR - 1), int(spent > 0))
    return "#" * filled + "." * (BAR - filled)


def protected(account: Account) -> str:
    """Return whom an account protects, in words."""
    from snapdp.studies import bounded_in, unit_in_words

    relation, bounded = _relation(account), bounded_in(account.unit)
    fixed = "" if bounded is None else f" Every request keeps at most {bounded[1]} rows of each person."
    return (
        f"a {one_line(unit_in_words(account.unit))}." if relation is None else f"{one_line(relation.protected)}{fixed}"
    )


def secret(account: Account) -> str:
    """Return what an account protects, as an indirect question."""
    relation = _relation(account)
    return f"whether this {one_line(account.unit)} is in the table" if relation is None else relation.secret


def _relation(account: Account) -> Relation | None:
    """Return the relation of an account; None where its unit is somebody else's word."""
    from snapdp.errors import ParameterError
    from snapdp.studies import relation_of_account

    try:
        return relation_of_account(kind=account.relation, rows=account.rows, unit=account.unit)
    except ParameterError:
        return None


def meaning(account: Account) -> str:
    """Return what all that was charged so far means together, and what it may come to."""
    if not account.spent:
        return f"Nothing was charged so far. When all of the cap is spent: {odds(account.cap, account)}"
    told = f"All that was charged so far, taken together: {odds(account.spent, account)}"
    if account.left and guessed_right(account.cap) != guessed_right(account.spent):
        told += f" When all of the cap is spent: in {right_in(account.cap)}."
    return f"{told} {hides_nothing(account.spent)}".rstrip()


def odds(epsilon: Fraction, account: Account) -> str:
    """Return what so much epsilon means for those whom an account protects, as the end of a sentence."""
    told = odds_in_words(epsilon, secret(account))
    return told[0].lower() + told[1:]


def in_words(amendment: Amendment, *, timed: bool = True) -> str:
    """Return what was amended: from what to what, when, by whom and why."""
    when = f" on {moment(amendment.time)} UTC" if timed else ""
    role = "" if amendment.author is None else f" by {one_line(amendment.author)}"
    what = "Closed" if amendment.closes else f"Cap raised from {_amount(amendment.before)} to {_amount(amendment.cap)}"
    return f"{what}{when}{role}: {visible(amendment.reason)}"


def _amount(amount: Fraction) -> str:
    return one_line(exact_amount(amount))


def moment(time: str) -> str:
    """Return the time of an entry to the minute.

    >>> moment("2026-01-31T12:34:56Z")
    '2026-01-31 12:34'
    """
    return one_line(time[:16].replace("T", " "))


def show_history(name: str, charges: Sequence[Any], amendments: Sequence[Amendment]) -> None:
    """Print what happened to an account, in order."""
    rows = [(each.number, _charge_row(each)) for each in charges]
    rows += [(each.number, (moment(each.time), "", in_words(each, timed=False))) for each in amendments]
    heads = ("when (UTC)", "epsilon", "what")
    table(heads, [row for _, row in sorted(rows)], numbers=(1,), title=one_line(name), unbroken=0)


def _charge_row(charge: Any) -> tuple[str, str, str]:
    titles = _titles(charge.asked)
    return moment(charge.time), exact_amount(charge.epsilon), f"{BECAME[charge.state]}{f': {titles}' if titles else ''}"


def _titles(asked: str) -> str:
    """Return the statistics of a request, as far as this version of the library knows how to read it."""
    known = json.loads(asked)
    statistics = known.get("statistics") if isinstance(known, dict) else None
    listed = statistics if isinstance(statistics, list) else []
    return ", ".join(one_line(str(each.get("title", "?"))) for each in listed if isinstance(each, dict))


def paragraph(text: str, *, err: bool = False) -> None:
    """Print a text below a heading, broken between words to the width of the terminal."""
    width = console(err=err).width
    indents = {"initial_indent": INDENT, "subsequent_indent": INDENT}
    echo(textwrap.fill(text, width, break_on_hyphens=False, **indents), err=err)  # type: ignore[arg-type]


# JSON


def account_values(account: Account, amendments: Sequence[Amendment] = ()) -> dict[str, Any]:
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


def charge_values(name: str, charge: Any) -> dict[str, Any]:
    return {
        "dataset": name,
        "time": charge.time,
        "epsilon": str(charge.epsilon),
        "state": charge.state,
        "version": charge.version,
        "request": charge.request,
        "asked": json.loads(charge.asked),
    }
