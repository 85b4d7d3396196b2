"""Error against epsilon, both in logarithms, with jumps drawn as jumps and the chosen point marked.

Room: display. Points are as given: two at one epsilon are the limits of a jump, and the line goes straight down there.
Of points that fall on one place of the picture one is kept. A height of zero, which has no logarithm, is the foot.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple, Self

from snapdp.display.html import Html
from snapdp.display.pictures.axis import FACTORS, Axis, tick_text
from snapdp.display.pictures.frame import LOOKS, SHARP, WHOLE, framed, inside, level, stretched, upright, written
from snapdp.exact import floor_log10, power_of_ten
from snapdp.values import Value

TOP, TALL, LINE, DOT = 26, 190, 18, 5
MOST_TICKS = 7
TINIEST, LEAST, LARGEST = 1e-307, 1e-300, 1e300  # of what is drawn


class LogAxis(Value):
    """A line between two positive numbers on which equal ratios are equally long.

    has_zero   zero stands at its foot, which no positive value reaches
    """

    low: float
    high: float
    has_zero: bool = False

    @classmethod
    def over(cls, values: Sequence[float]) -> Self:
        """Return the axis from the least to the largest of the values that are positive; a decade where it is one.

        >>> axis = LogAxis.over([0.0, 2.0, 8.0])
        >>> axis.low, axis.high, axis.has_zero
        (1.0, 8.0, True)
        """
        found = [min(max(each, LEAST), LARGEST) for each in values if each > 0] or [1.0]
        low, high, has_zero = min(found), max(found), any(each <= 0 for each in values)
        low = low if low < high else low / 10
        return cls(low=max(low / 2 if has_zero else low, TINIEST), high=high, has_zero=has_zero)

    def place(self, x: float) -> float:
        """Return where a value stands, in percent of the line; beyond an end, at that end."""
        if x <= self.low:
            return 0.0
        share = (math.log(min(x, self.high)) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return 100 * min(share, 1.0)

    @property
    def ticks(self) -> list[Fraction]:
        """Return round numbers between the ends: 1, 2 and 5 times powers of ten, or only powers, as many as fit."""
        low, high = Fraction(self.low), Fraction(self.high)
        decades = range(floor_log10(low), floor_log10(high) + 1)
        for factors, stride in ((FACTORS, 1), ((1,), 1), ((1,), 2), ((1,), 5), ((1,), 20), ((1,), 100)):
            powers = [each for each in decades if each % stride == 0]
            found = [factor * power_of_ten(each) for each in powers for factor in factors]
            kept = [each for each in found if low <= each <= high]
            if len(kept) <= MOST_TICKS:
                return kept
        return kept[:MOST_TICKS]


class Chosen(NamedTuple):
    """The point in question, and what is written beside it."""

    at: float
    height: float
    text: str


def curve_picture(
    points: Sequence[tuple[float, float]], chosen: Chosen, *, heights: str, title: str, said: str
) -> Html:
    """Return the curve; `heights` says what it shows, above it."""
    x = LogAxis.over([each for each, _ in points])
    y = LogAxis.over([*(each for _, each in points), chosen.height])
    foot = TOP + TALL
    path = f'<path d="{line_path(points, x, y)}" {LOOKS["curve"]} {SHARP}/>'
    drawn = [
        written(heights, x=0, y=13),
        *grid(x, y, foot, of="epsilon"),
        stretched([path], top=TOP, height=TALL),
        *_chosen(chosen, x, y),
    ]
    return framed(drawn, title=title, said=said, height=foot + 2 * LINE)


def line_path(points: Sequence[tuple[float, float]], x: Axis | LogAxis, y: Axis | LogAxis) -> str:
    """Return the line through all points, one of those that fall on one place."""
    places: list[str] = []
    for epsilon, height in points:
        place = f"{WHOLE * x.place(epsilon) / 100:.1f} {WHOLE - WHOLE * y.place(height) / 100:.1f}"
        if not places or place != places[-1]:
            places.append(place)
    return f"M{'L'.join(places)}"


def grid(x: Axis | LogAxis, y: Axis | LogAxis, foot: float, *, of: str) -> Iterator[str]:
    """Yield both axes with their numbers; `of` says what the lower one is about."""
    for each in y.ticks:
        at = down(y, float(each))
        yield level(at, look="grid")
        if at > TOP + LINE:  # above it the curve begins, and the words
            yield written(tick_text(each), x=0, y=at - 4)
    if isinstance(y, LogAxis) and y.has_zero:
        yield written("0", x=0, y=foot - 4)
    yield level(foot)
    for each in x.ticks:
        at = x.place(float(each))
        yield upright(at, top=TOP, foot=foot, look="grid")
        yield written(tick_text(each), x=at, y=foot + LINE - 2, anchor=inside(at, reach=5))
    yield written(of, x=50, y=foot + 2 * LINE - 4, anchor="middle")


def _chosen(chosen: Chosen, x: LogAxis, y: LogAxis) -> Iterator[str]:
    at, place = x.place(chosen.at), down(y, chosen.height)
    yield upright(at, top=place, foot=TOP + TALL, look="cut")
    yield f'<circle cx="{at:.2f}%" cy="{place:g}" r="{DOT}" {LOOKS["hit"]}/>'
    yield written(chosen.text, x=min(at + 3, 100), y=place - 8)


def down(y: Axis | LogAxis, height: float) -> float:
    """Return how far down a height stands."""
    return round(TOP + TALL - TALL * y.place(height) / 100, 1)
