"""Intervals under each other on one axis, each with its name and its number above it.

Room: display. Tracks are those of `rows`: marks stand at percentages, text keeps its size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from snapdp.display.html import Html
from snapdp.display.pictures.axis import Axis, Real, tick_text
from snapdp.display.pictures.frame import framed, inside, level, upright, written
from snapdp.display.pictures.rows import HEIGHT, Mark, RowPicture

ROW = HEIGHT + 20


class Compared(NamedTuple):
    """One interval around the same number; a point where its ends are that number."""

    name: str
    text: str
    low: Real
    high: Real


def interval_picture(rows: Sequence[Compared], *, value: Real, title: str, said: str) -> Html:
    """Return the intervals, the number that all of them are around as a dot in each."""
    picture = RowPicture.of([Mark(value, each.low, each.high) for each in rows], bars=False)
    drawn: list[str] = []
    for number, (row, mark) in enumerate(zip(rows, picture.marks, strict=True)):
        drawn.append(written(row.name, x=0, y=ROW * number + 13))
        drawn.append(written(row.text, x=100, y=ROW * number + 13, anchor="end"))
        drawn.append(picture.track(mark, place=f'x="0" y="{ROW * number + 18}" width="100%"'))
    foot = ROW * len(rows)
    return framed([*drawn, *_numbers(picture.axis, foot)], title=title, said=said, height=foot + HEIGHT)


def _numbers(axis: Axis, foot: float) -> Iterator[str]:
    """Yield the numbers of the axis; those at its ends stay inside the picture."""
    yield level(foot)
    for each in axis.ticks:
        at = axis.place(each)
        yield upright(at, top=foot, foot=foot + 5, look="axis")
        yield written(tick_text(each), x=at, y=foot + 18, anchor=inside(at, reach=6))
