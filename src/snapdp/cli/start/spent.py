"""A ledger that has nothing left for a table: what was released of it, and how that is had again, free.

Room: cli. Reads the ledger, and which reports and studies are there. Who has the study of a release is asked nothing:
one command gives its numbers.
"""

from __future__ import annotations

import glob
import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from snapdp.cli.accounts.standing import amend_command
from snapdp.cli.screen import echo
from snapdp.cli.start.going_on import near
from snapdp.cli.start.interview import Back, asked_once
from snapdp.cli.start.pages import paragraph
from snapdp.cli.start.place import Place
from snapdp.cli.start.questions import Question, yes_or_no
from snapdp.display import exact_amount, one_line, shown_address
from snapdp.errors import SnapdpError

if TYPE_CHECKING:
    from snapdp.ledger import Account, Charge

MOST_SHOWN = 5  # releases, the newest, and reports
MOST_READ = 200  # studies beside the table
RAISING = "Who answers for the data decides on it: it weakens what the people in the table were promised."
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


def is_wanted_again(account: Account, place: Place, *, table: str | None) -> bool:
    """Show what was released from an account that has nothing left, and the commands that give it again.

    Returns whether the questions are to be answered as they were then: asked only where a release has no study here.
    """
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
    studies = _studies(found, place)
    if studies:
        paragraph("To have the numbers again, free while the table is as it was:")
    for path in list(studies.values())[-MOST_SHOWN:]:
        words = [near(path), "--ledger", near(place.ledger), *([] if table is None else ["--table", table])]
        echo(f"  snapdp release {one_line(shlex.join(words))}", err=True)
    if not account.closed:
        paragraph(f"For something new, a higher cap. {RAISING}")
        echo(f"  {amend_command(near(place.ledger), account.name)}", err=True)
    if len(studies) == len(found):
        return False
    paragraph("One that has no study here: the snapdp release command of then gives it again, free.")
    try:
        return bool(asked_once(AGAIN))
    except Back:
        return False


def _studies(found: Sequence[Charge], place: Place) -> dict[int, Path]:
    """Return which releases were made by a study that is beside the table, or in a directory of releases there.

    The request of a study is compared with those that the ledger has answered: no row is read.
    """
    from snapdp.api.study import study
    from snapdp.ledger import earlier_releases

    home, beside = place.data.parent, glob.escape(str(place.data.parent / f"{place.stem}-release"))
    released = earlier_releases(found)
    there: dict[int, Path] = {}
    for path in [*sorted(home.glob("*.toml")), *map(Path, sorted(glob.glob(f"{beside}*/*.toml")))][:MOST_READ]:
        with suppress(SnapdpError, OSError):
            asked = study(path)
            if asked.data is not None and os.path.realpath(asked.data) == os.path.realpath(place.data):
                request = asked.request()
                same = released.of(request.epsilon, request.declaration).same
                if same is not None:
                    there[same] = path
    return dict(sorted(there.items()))


def _reports(place: Place) -> list[str]:
    """Return the newest reports that were written beside the table."""
    beside = glob.escape(str(place.data.parent / f"{place.stem}-release"))
    return [one_line(near(each)) for each in sorted(glob.glob(f"{beside}*/report.html"))[-MOST_SHOWN:]]
