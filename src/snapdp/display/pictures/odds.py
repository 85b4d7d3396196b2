"""What somebody learns: in how many of 100 cases a guess is right that would be right in 50 without a release.

Room: display. Bars begin at 50, where nothing is learnt. Words and numbers stand above each bar, so that a narrow
screen has them whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from snapdp.display.html import Html
from snapdp.display.odds import CASES
from snapdp.display.pictures.frame import LOOKS, THINNEST, framed, level, upright, written

EVEN = CASES // 2
ROW, BAR = 46, 14
TICKS = (50, 60, 70, 80, 90, 100)


class Odds(NamedTuple):
    """One bar: what is seen, how many of 100 guesses are right then at most, and that as it is written."""

    name: str
    right: int
    text: str


def odds_picture(rows: Sequence[Odds], *, title: str, said: str) -> Html:
    """Return the bars under each other, on one axis from 50 to 100."""
    foot = ROW * len(rows) + 4
    drawn = [piece for number, each in enumerate(rows) for piece in _row(each, ROW * number)]
    return framed([*drawn, *_axis(foot)], title=title, said=said, height=foot + 42)


def _row(row: Odds, top: float) -> Iterator[str]:
    at = 100 * (row.right - EVEN) / EVEN
    yield written(row.name, x=0, y=top + 14)
    yield written(row.text, x=100, y=top + 14, anchor="end")
    box = f'y="{top + 21:g}" height="{BAR}"'
    yield f'<rect x="0" width="100%" {box} {LOOKS["grid"]}/>'
    width = f"{at:g}%" if at else f"{THINNEST}"
    yield f'<rect x="0" width="{width}" {box} {LOOKS["first"]}/>'


def _axis(foot: float) -> Iterator[str]:
    yield level(foot)
    for each in TICKS:
        at = 100 * (each - EVEN) / EVEN
        yield upright(at, top=foot, foot=foot + 5, look="axis")
        yield written(
            str(each), x=at, y=foot + 18, anchor="start" if each == EVEN else "end" if at == 100 else "middle"
        )
    yield written("a coin", x=0, y=foot + 34)
    yield written("always right", x=100, y=foot + 34, anchor="end")
