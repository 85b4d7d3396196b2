"""Numbers under each other, each with a bar or a dot beside it: a column of a table, or a picture by itself.

Room: display. A track is an SVG as wide as its place, without a view box: marks stand at percentages of the width, so
text and lines keep their size on a telephone, and all tracks of a table share one axis. Lengths of bars are compared,
hence bars begin at zero; dots stand where their value is, on an axis that need not hold zero. The numbers themselves
are text beside the track. Every text is escaped; colours are those of `frame`, so no style sheet is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from snapdp.display.html import Html, escape
from snapdp.display.pictures.axis import Axis, Real, tick_text
from snapdp.display.pictures.frame import LOOKS, THINNEST, Look, title_of
from snapdp.display.text import one_line
from snapdp.values import Value

HEIGHT, BAR, CAP, DOT = 22, 13, 4, 4  # of a track, of a bar, half of the end of an interval, the radius of a dot
NAMES, NUMBERS, TRACK, GAP, LINE = 150, 190, 300, 12, 24  # widths of a picture by itself, and the height of a row
LONGEST_NAME = 24


class Mark(NamedTuple):
    """One number of a picture, with its interval where it has one; `said` is shown at the pointer.

    value   None where nothing is known of it but the interval
    look    of the bar or the dot
    """

    value: Real | None
    low: Real | None = None
    high: Real | None = None
    said: str = ""
    look: Look = "first"


class RowPicture(Value):
    """Numbers on one axis: bars from zero, for counts and sums, or dots, for anything else."""

    marks: tuple[Mark, ...]
    are_bars: bool

    @classmethod
    def of(cls, marks: Iterable[Mark], *, bars: bool) -> RowPicture:
        return cls(marks=tuple(marks), are_bars=bars)

    @cached_property
    def axis(self) -> Axis:
        """Return the axis that holds all numbers and all ends of intervals."""
        ends = (x for each in self.marks for x in (each.value, each.low, each.high) if x is not None)
        return Axis.over(ends, from_zero=self.are_bars)

    def track(self, mark: Mark, *, place: str = "") -> Html:
        """Return the track of one number; `place` says where it stands in a larger picture."""
        line = _interval(self.axis, mark)
        drawn = [*_grid(self.axis), *([self._bar(mark), line] if self.are_bars else [line, self._dot(mark)])]
        return _svg(drawn, mark.said, place)

    @property
    def scale(self) -> Html:
        """Return the axis with its numbers, for the head of the column."""
        return self.scale_at("")

    def scale_at(self, place: str) -> Html:
        """Return the same as a part of a larger picture."""
        axis, drawn = self.axis, list(_grid(self.axis, start=HEIGHT - 5))
        for number, each in enumerate(axis.ticks):
            x, is_end = axis.place(each), number in (0, len(axis.ticks) - 1)
            kind = "" if is_end else ' class="mid"'  # left out where there is no room
            drawn.append(f'<text x="{_percent(x)}" y="13" text-anchor="middle"{kind}>{escape(tick_text(each))}</text>')
        return _svg(drawn, f"axis {axis.in_words}", place)

    def _bar(self, mark: Mark) -> str:
        if mark.value is None:
            return ""
        left, right = sorted((self.axis.place(0), self.axis.place(mark.value)))
        size = f'width="{_percent(right - left)}"' if right - left >= 0.01 else f'width="{THINNEST}"'
        return f'<rect x="{_percent(left)}" y="{(HEIGHT - BAR) / 2:g}" {size} height="{BAR}" {LOOKS[mark.look]}/>'

    def _dot(self, mark: Mark) -> str:
        if mark.value is None:
            return ""
        return (
            f'<circle cx="{_percent(self.axis.place(mark.value))}" cy="{HEIGHT / 2:g}" r="{DOT}" {LOOKS[mark.look]}/>'
        )

    def svg(self, title: str, texts: Sequence[tuple[str, str]], *, longest: int = LONGEST_NAME) -> Html:
        """Return the picture by itself: a name and the numbers as text before every track.

        texts    of each mark: its name, and its number as it is printed
        longest  so many characters of a name are shown
        """
        names = NAMES * longest // LONGEST_NAME
        start, width, foot = names + NUMBERS + 2 * GAP, names + NUMBERS + TRACK + 4 * GAP, LINE * len(self.marks)
        drawn = [self.scale_at(f'x="{start}" y="0" width="{TRACK}"')]
        for number, (mark, (name, text)) in enumerate(zip(self.marks, texts, strict=True), start=1):
            shown, base = one_line(name, longest), LINE * number + 16
            drawn.append(Html(f'<text x="{names}" y="{base}" text-anchor="end">{escape(shown)}</text>'))
            drawn.append(Html(f'<text x="{names + NUMBERS}" y="{base}" text-anchor="end">{escape(text)}</text>'))
            drawn.append(self.track(mark, place=f'x="{start}" y="{LINE * number}" width="{TRACK}"'))
        font = 'font-family="system-ui, sans-serif" font-size="12" fill="currentColor"'
        size = f'viewBox="0 0 {width} {foot + LINE}" width="{width}" height="{foot + LINE}"'
        return Html(f'<svg role="img" {size} {font}>{title_of(title)}{"".join(drawn)}</svg>')


def _grid(axis: Axis, *, start: float = 0) -> Iterable[str]:
    lines = []
    for each in axis.ticks:
        x, weight = _percent(axis.place(each)), "" if each else ' stroke-opacity=".5"'  # zero is where bars begin
        lines.append(f'<line x1="{x}" x2="{x}" y1="{start:g}" y2="100%"{weight}/>')
    yield f"<g {LOOKS['grid']}>{''.join(lines)}</g>"


def _percent(place: float) -> str:
    return f"{round(place, 2):g}%"


def _interval(axis: Axis, mark: Mark) -> str:
    if mark.low is None or mark.high is None:
        return ""
    low, high = (_percent(axis.place(each)) for each in (mark.low, mark.high))
    middle, top, foot = f"{HEIGHT / 2:g}", f"{HEIGHT / 2 - CAP:g}", f"{HEIGHT / 2 + CAP:g}"
    lines = ((low, high, middle, middle), (low, low, top, foot), (high, high, top, foot))
    drawn = "".join(f'<line x1="{a}" x2="{b}" y1="{c}" y2="{d}"/>' for a, b, c, d in lines)
    return f"<g {LOOKS['interval']}>{drawn}</g>"


def _svg(drawn: Iterable[str], said: str, place: str) -> Html:
    """Return a track; whoever does not see it has the same numbers as text beside it."""
    where = place or 'width="100%" font-size="12" fill="currentColor"'
    start = f'<svg class="track" {where} height="{HEIGHT}" overflow="visible" aria-hidden="true">'
    return Html(f"{start}{title_of(said)}{''.join(drawn)}</svg>")
