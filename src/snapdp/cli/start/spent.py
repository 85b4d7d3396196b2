"""A ledger that has nothing left for a table: what was released of it, and whether some of that is wanted again, free.

Room: cli. Reads the ledger, and which reports are there; whoever wants nothing again has nothing to answer.
"""

from __future__ import annotations

import glob
import shlex
from typing import TYPE_CHECKING

from snapdp.cli.screen import echo
from snapdp.cli.start.going_on import near
from snapdp.cli.start.interview import Back, asked_once
from snapdp.cli.start.pages import paragraph
from snapdp.cli.start.place import Place
from snapdp.cli.start.questions import Question, yes_or_no
from snapdp.display import exact_amount, one_line, shown_address

if TYPE_CHECKING:
    from snapdp.ledger import Account

MOST_SHOWN = 5  # releases, the newest, and reports
AGAIN = Question(
    key=("again",),
    text="Do you want one of them again?",
    hint="y: answer as then, and it is free. n: stop here.",
    more="The ledger keeps what it has answered. Whoever answers the questions as they were answered then gets the "
    "same numbers, and nothing is charged. Anything else is refused at the end: the budget of this table is used up. "
    "The report and the record of before, where you have them, are as good.",
    default="n",
    check=yes_or_no,
)


def is_wanted_again(account: Account, place: Place) -> bool:
    """Show what was released from an account that has nothing left; ask whether some of it is wanted again."""
    from snapdp.ledger import Ledger, moment, titles_of

    with Ledger.open(place.ledger) as ledger:
        found = [each for each in ledger.history(account.name) if each.answer is not None]
    if found:
        paragraph("Released before (UTC):")
    for each in found[-MOST_SHOWN:]:
        told = f"{moment(each.time)}, epsilon {exact_amount(each.epsilon)}: {titles_of(each.asked)}"
        paragraph(told, indent="    ", first="  ")
    if len(found) > MOST_SHOWN:
        paragraph(f"and {len(found) - MOST_SHOWN} before. All of them:")
        echo(f"  snapdp ledger history {one_line(shlex.quote(shown_address(near(place.ledger))))}", err=True)
    if reports := _reports(place):
        paragraph(f"Reports that are here: {', '.join(reports)}")
    try:
        return bool(found) and bool(asked_once(AGAIN))
    except Back:
        return False


def _reports(place: Place) -> list[str]:
    """Return the newest reports that were written beside the table."""
    beside = glob.escape(str(place.data.parent / f"{place.stem}-release"))
    return [one_line(near(each)) for each in sorted(glob.glob(f"{beside}*/report.html"))[-MOST_SHOWN:]]
