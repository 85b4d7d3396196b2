"""Where a released number may fall: bars of probability, the band of most releases, and the value that was guessed.

Room: display. Bars are single numbers or sums of neighbours; the ends of the clamp are bars of their own, in another
colour and with words beside them. A strip below shows where in the public range the picture stands, so that a guess
that moves is seen to move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from snapdp.display.html import Html
from snapdp.display.numbers import exact_amount
from snapdp.display.pictures.axis import Axis, Real, tick_text
from snapdp.display.pictures.frame import LOOKS, WHOLE, framed, inside, level, stretched, upright, written

TALL, LINE = 150, 18  # the bars; a line of words
FEW = 40  # bars: so many have room between them
GAP, NARROW_GAP = 0.3, 0.08  # of the width of a bar
CAP = 4


class Bar(NamedTuple):
    """One bar: from where to where it reaches, and its probability; `said` is written beside an end of the clamp."""

    low: Real
    high: Real
    probability: float
    is_end: bool = False
    said: str = ""


class LawPicture(NamedTuple):
    """Everything that is drawn of a law.

    band       the least and the largest number of the shaded releases, and how many these are: "95 of 100 releases"
    value      the guess, and as it is written
    range      of the statistic, and its ends as they are written
    each       what one bar is, in words
    """

    bars: Sequence[Bar]
    band: tuple[Real, Real, str]
    value: tuple[Real, str]
    range: tuple[Real, Real, str, str]
    each: str

    @property
    def top(self) -> float:
        """Return where the bars end above: words of the band, of the value, and of each end that is shown."""
        return LINE * (2 + sum(bar.is_end for bar in self.bars)) + 14

    @property
    def foot(self) -> float:
        return self.top + TALL

    @property
    def axis(self) -> Axis:
        """Return the axis: all of every bar."""
        return Axis.within([self.bars[0].low, self.bars[-1].high])

    def svg(self, *, title: str, said: str) -> Html:
        """Return the picture; `said` describes it in words."""
        x = self.axis
        heights = Axis.over([max(each.probability for each in self.bars)], from_zero=True, most=3)
        drawn = [
            *self._band(x),
            *self._heights(heights),
            stretched(self._columns(x, heights), top=self.top, height=TALL),
            *self._value(x),
            *self._ends(),
            *self._numbers(x),
            *self._strip(x, self.foot + 3.2 * LINE),
        ]
        return framed(drawn, title=title, said=said, height=self.foot + 4.5 * LINE)

    def _columns(self, x: Axis, y: Axis) -> Iterator[str]:
        """Yield the bars: one path for all that are alike."""
        gap = GAP if len(self.bars) <= FEW else NARROW_GAP
        for look, of_ends in (("first", False), ("second", True)):
            path = ""
            for bar in self.bars:
                if bar.is_end is of_ends:
                    left, right = (WHOLE * x.place(each) / 100 for each in (bar.low, bar.high))
                    side = (right - left) * gap / 2
                    top = WHOLE - WHOLE * y.place(bar.probability) / 100
                    path += f"M{left + side:.1f} {WHOLE}V{top:.1f}H{right - side:.1f}V{WHOLE}Z"
            if path:
                yield f'<path d="{path}" {LOOKS[look]}/>'  # type: ignore[index]

    def _band(self, x: Axis) -> Iterator[str]:
        """Yield the shaded band, with a bracket and words above it."""
        low, high, often = self.band
        left, right, y = x.place(low), x.place(high), self.top - 8
        size = f'x="{left:.2f}%" y="{y:g}" width="{max(right - left, 0.2):.2f}%" height="{TALL + 8:g}"'
        yield f"<rect {size} {LOOKS['band']}/>"
        yield level(y, start=left, end=right, look="interval")
        for each in (left, right):
            yield upright(each, top=y - CAP, foot=y + CAP, look="interval")
        middle = (left + right) / 2
        yield written(often, x=middle, y=13, anchor=inside(middle, reach=35))

    def _value(self, x: Axis) -> Iterator[str]:
        value, text = self.value
        at = x.place(value)
        yield upright(at, top=self.top - 8, foot=self.foot, look="cut")
        yield written(text, x=at, y=13 + LINE, anchor=inside(at, reach=35))

    def _ends(self) -> Iterator[str]:
        """Yield what is said of the ends of the clamp, each with the colour of its bar."""
        for number, bar in enumerate(each for each in self.bars if each.is_end):
            right, y = bar is not self.bars[0], 13 + LINE * (2 + number)
            mark = 'x="100%" transform="translate(-10 0)"' if right else 'x="0"'
            yield f'<rect {mark} y="{y - 9:g}" width="10" height="10" {LOOKS["second"]}/>'
            yield f'<g transform="translate({-14 if right else 14} 0)">'
            yield written(bar.said, x=100 if right else 0, y=y, anchor="end" if right else "start")
            yield "</g>"

    def _heights(self, y: Axis) -> Iterator[str]:
        for each in y.ticks[1:]:
            at = self.foot - TALL * y.place(each) / 100
            yield level(round(at, 1), look="grid")
            yield written(f"{exact_amount(100 * each)} %", x=0, y=round(at + 13, 1))

    def _numbers(self, x: Axis) -> Iterator[str]:
        foot = self.foot
        yield level(foot)
        for each in x.ticks:
            at = x.place(each)
            yield upright(at, top=foot, foot=foot + 5, look="axis")
            yield written(tick_text(each), x=at, y=foot + LINE, anchor=inside(at, reach=6))
        yield written(self.each, x=50, y=foot + 2 * LINE, anchor="middle")

    def _strip(self, x: Axis, y: float) -> Iterator[str]:
        """Yield the public range, and the part of it that the picture shows."""
        low, high, first, last = self.range
        whole = Axis.within([low, high])
        yield level(y, look="axis")
        for end in (0, 100):
            yield upright(end, top=y - CAP, foot=y + CAP, look="axis")
        left, right = whole.place(x.low), whole.place(x.high)
        place = f'x="{left:.2f}%" y="{y - 3:g}" width="{max(right - left, 0.6):.2f}%" height="6"'
        yield f"<rect {place} {LOOKS['first']}/>"
        yield written(first, x=0, y=y + 17)
        yield written(last, x=100, y=y + 17, anchor="end")
        yield written("the picture in the whole range", x=50, y=y + 17, anchor="middle")
