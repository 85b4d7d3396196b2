"""How a plan looks on a terminal: a table, and under it what to change, what it means and what is protected.

Prints through the screen alone. The words are those of `studies`, as Python and notebooks show them too.
Figures are rounded to the safe side (up).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snapdp.api.plan_values import Likes
from snapdp.cli.screen import line_width, note, table
from snapdp.display.numbers import exact_amount, short_decimal
from snapdp.display.text import one_line
from snapdp.ledger.statements import together_in_words
from snapdp.studies.plans.text import IN_PYTHON, details_of, plan_words
from snapdp.values import replaced

if TYPE_CHECKING:
    from snapdp.ledger.accounts import Account
    from snapdp.studies.plans.plan import Plan

BY_FLAGS = replaced(IN_PYTHON, fit="--fit", if_rows="--if-rows N")


def show_plan(
    plan: Plan,
    likes: Likes | None = None,
    *,
    account: Account | None = None,
    details: bool = False,
    to_stderr: bool = False,
) -> None:
    """Print a plan.

    account   of a ledger: what everything charged before means, together with the plan, is said as well
    likes     what lines of quantiles would be worth if the rows were like public ones, by their numbers
    details   what numbers are made of, what more epsilon buys, what was declared
    """
    said = plan_words(plan, width=line_width(err=to_stderr), most=len(plan.lines), spelling=BY_FLAGS)
    note(said.title, err=to_stderr, style="bold")
    heads, *lines = said.lines
    note(heads, err=to_stderr, style="bold")
    for line in lines:
        note(line, err=to_stderr, style="")
    for place, found in (likes or {}).items():
        of_group = plan.lines[place].statistic.by is not None
        # Print which values have a rank within the radius of a quantile's, if rows are like public ones.
        title = plan.titles[place]
        rows_like = f"{found[0].rows:,} rows{' of a group' if of_group else ''}"
        note(
            f"{one_line(title)}, if {rows_like} were distributed like the public ones: the quantile there, and the "
            "values whose rank is within ± rows of its own. An interval will be about as long; this is no bound on "
            "its error.",
            err=to_stderr,
        )
        rows = [[exact_amount(each.share), *map(short_decimal, (each.value, each.low, each.high))] for each in found]
        table(("quantile", "value", "from", "to"), rows, numbers=(0, 1, 2, 3), err=to_stderr)
    for text in said.advice:
        note(text, err=to_stderr, style="yellow")
    before = [told] if account is not None and (told := together_in_words(plan.total, account)) else []
    for text in (*said.legend, *filter(None, [said.bounds]), *said.promise, *before, *said.reading):
        note(text, err=to_stderr)
    for text in details_of(plan) if details else ():
        note(text, err=to_stderr)
    if said.warning:
        note(said.warning, err=to_stderr, style="bold red")


def weak_lines(plan: Plan) -> str:
    """Return how many lines of a plan are marked because they say little, as a sentence; empty where none is."""
    many, marked = len(plan.lines), len(plan.useless)
    if not marked:
        return ""
    if many == 1:
        return "Its one line says little (marked !)."
    return f"{marked} of {many} lines {'says' if marked == 1 else 'say'} little (marked !)."
