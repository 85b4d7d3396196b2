"""Accounts on a screen: how much is spent, what that means, how each was amended.

Room: cli. Everything here is public. Lines fit the terminal: a paragraph is broken between words.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from snapdp.cli.screen import console, echo, table
from snapdp.display import exact_amount, one_line
from snapdp.ledger import BECAME, amended_in_words, moment, protected_by, spent_in_words, titles_of

if TYPE_CHECKING:
    from snapdp.ledger import Account, Amendment

BAR = 40  # marks
INDENT = "  "


def show_account(account: Account, amendments: Sequence[Amendment]) -> None:
    """Print how an account stands: what is spent and left, whom it protects, what that means, how it was amended."""
    state = "closed, " if account.closed else ""
    left = f"{exact_amount(account.left)} left" if account.left else "nothing left"
    echo(f"{one_line(account.name)}: {state}{exact_amount(account.spent)} of {exact_amount(account.cap)} spent, {left}")
    echo(f"{INDENT}[{bar(account.spent, account.cap)}]")
    paragraph(protected_by(account))
    paragraph(spent_in_words(account))
    for each in amendments:
        paragraph(amended_in_words(each))


def bar(spent: Fraction, cap: Fraction) -> str:
    """Return a bar that is empty only where nothing is spent, and full only where all is.

    >>> bar(Fraction(1, 4), Fraction(1)), bar(Fraction(1, 10**9), Fraction(1))[:3], bar(Fraction(1), Fraction(1))[-1]
    ('##########..............................', '#..', '#')
    """
    marks = BAR * spent // cap
    filled = BAR if spent == cap else max(min(marks, BAR - 1), int(spent > 0))
    return "#" * filled + "." * (BAR - filled)


def show_history(name: str, charges: Sequence[Any], amendments: Sequence[Amendment]) -> None:
    """Print what happened to an account, in order."""
    rows = [(each.number, _charge_row(each)) for each in charges]
    rows += [(each.number, (moment(each.time), "", amended_in_words(each, timed=False))) for each in amendments]
    heads = ("when (UTC)", "epsilon", "what")
    table(heads, [row for _, row in sorted(rows)], numbers=(1,), title=one_line(name), unbroken=0)


def _charge_row(charge: Any) -> tuple[str, str, str]:
    titles = titles_of(charge.asked)
    return moment(charge.time), exact_amount(charge.epsilon), f"{BECAME[charge.state]}{f': {titles}' if titles else ''}"


def paragraph(text: str, *, err: bool = False) -> None:
    """Print a text below a heading, broken between words to the width of the terminal."""
    width = console(err=err).width
    indents = {"initial_indent": INDENT, "subsequent_indent": INDENT}
    echo(textwrap.fill(text, width, break_on_hyphens=False, **indents), err=err)  # type: ignore[arg-type]
