"""Pictures as SVG: axes with round ticks, the marks of a picture, and each kind of picture. No style sheet, no script.

A picture is as wide as its place: marks stand at percentages of the width and text keeps its size, so that one picture
serves a telephone and a wide screen. Only curves and bars without text are stretched, and their lines are not. Nothing
is fetched; lines and labels have the colour of the text around them, the rest has colours that show on light, on dark
and on paper. The title is the name of the picture for readers who do not see it, the description what it says. Every
text is escaped. Ticks and places are rationals, so a tick is the number that stands beside it; values may be any finite
doubles or whole numbers, because a record may come from anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple, Self

from snapdp.display.html import Html, escape
from snapdp.display.numbers import exact_amount
from snapdp.display.text import CASES, one_line
from snapdp.exact.dyadic import floor_log10, power_of_ten
from snapdp.values import Value

MOST_TICKS = 4  # between the least and the largest value; the ends of the axis may add one on each side
LONGEST_PLAIN = 7  # digits before the point
FACTORS = (1, 2, 5)
Real = int | float | Fraction


def tick_step(low: Fraction, high: Fraction, most: int = MOST_TICKS) -> Fraction:
    """Return the finest step of 1, 2 or 5 times a power of ten of which at most so many multiples lie in a range.

    >>> tick_step(Fraction(0), Fraction(23), 6), tick_step(Fraction(0), Fraction(1, 3), 4)
    (Fraction(5, 1), Fraction(1, 10))
    """
    assert low < high
    assert most >= 2
    least = floor_log10((high - low) / most)
    steps = (factor * power_of_ten(exponent) for exponent in range(least, least + 3) for factor in FACTORS)
    return next(step for step in steps if len(_multiples(low, high, step)) <= most)


def ticks(low: Real, high: Real, most: int = MOST_TICKS) -> list[Fraction]:
    """Return at most so many round numbers between two, at equal distances; none where these are one number.

    >>> [str(each) for each in ticks(-2601.6, -2538.2, 4)], ticks(3, 3)
    (['-2600', '-2580', '-2560', '-2540'], [])
    """
    first, last = Fraction(low), Fraction(high)
    if not first < last:
        return []
    step = tick_step(first, last, most)
    return [step * each for each in _multiples(first, last, step)]


def tick_text(x: Fraction) -> str:
    """Return a tick as it is printed: exactly, and briefly where it is far from 1.

    >>> [tick_text(Fraction(each)) for each in ("0", "-0.25", "50000", "20000000", "-1.5e12", "2e-9")]
    ['0', '-0.25', '50000', '2e7', '-1.5e12', '2e-9']
    """
    if x == 0 or abs(x) < 10**LONGEST_PLAIN:
        return exact_amount(x)
    exponent = floor_log10(abs(x))
    return f"{exact_amount(x / power_of_ten(exponent))}e{exponent}"


class Axis(Value):
    """A line from one round number to another, with ticks between them."""

    low: Fraction
    high: Fraction
    ticks: tuple[Fraction, ...]

    @classmethod
    def over(cls, values: Iterable[Real], *, from_zero: bool = False, most: int = MOST_TICKS) -> Self:
        """Return the axis that holds all values, and zero where lengths are compared: for bars.

        >>> [str(each) for each in Axis.over([2330, 3090]).ticks], str(Axis.over([700], from_zero=True).low)
        (['2200', '2400', '2600', '2800', '3000', '3200'], '0')
        """
        ends = [*(Fraction(each) for each in values), *[Fraction(0)] * from_zero] or [Fraction(0)]
        low, high = min(ends), max(ends)
        if low == high:  # one value: between it and zero, or between 0 and 1
            low, high = (min(low, Fraction(0)), max(high, Fraction(0))) if low else (Fraction(0), Fraction(1))
        step = tick_step(low, high, most)
        first, last = math.floor(low / step), math.ceil(high / step)
        found = tuple(step * each for each in range(first, last + 1))
        return cls(low=found[0], high=found[-1], ticks=found)

    @classmethod
    def within(cls, values: Iterable[Real], *, most: int = MOST_TICKS + 2) -> Self:
        """Return the axis from the least to the largest of some values, with ticks between them: for curves.

        >>> axis = Axis.within([0, 121])
        >>> str(axis.high), [str(each) for each in axis.ticks]
        ('121', ['0', '50', '100'])
        """
        ends = [Fraction(each) for each in values]
        low, high = min(ends), max(ends)
        high = high if low < high else low + 1
        return cls(low=low, high=high, ticks=tuple(ticks(low, high, most)))

    def place(self, x: Real) -> float:
        """Return where a value stands, in percent of the line; beyond an end, at that end."""
        share = (Fraction(x) - self.low) / (self.high - self.low)
        return 100 * float(min(max(share, Fraction(0)), Fraction(1)))

    @property
    def in_words(self) -> str:
        return f"from {tick_text(self.low)} to {tick_text(self.high)}"


def _multiples(low: Fraction, high: Fraction, step: Fraction) -> range:
    return range(math.ceil(low / step), math.floor(high / step) + 1)


# The frame of a picture, and its marks

Look = Literal["first", "second", "hit", "cell", "axis", "grid", "interval", "cut", "curve", "band"]
Anchor = Literal["start", "middle", "end"]
_BLUE, _ORANGE, _RED, _GREY = "#3f83bd", "#c07a1e", "#d0483a", "#888"
LOOKS: dict[Look, str] = {
    "first": f'fill="{_BLUE}"',
    "second": f'fill="{_ORANGE}"',
    "hit": f'fill="{_RED}"',
    "cell": f'fill="none" stroke="{_GREY}"',
    "axis": 'fill="none" stroke="currentColor" opacity=".6"',
    "grid": 'fill="none" stroke="currentColor" stroke-opacity=".25"',
    "interval": 'fill="none" stroke="currentColor" stroke-width="1.4"',
    "curve": f'fill="none" stroke="{_BLUE}" stroke-width="1.6"',
    "band": f'fill="{_BLUE}" fill-opacity=".25"',
    "cut": f'fill="none" stroke="{_RED}" stroke-dasharray="3 3"',
}
RING = f'stroke="{_RED}" stroke-width="2"'
THINNEST, LEAST_WIDTH = 0.5, 0.01  # a bar of nothing is still seen
WHOLE = 1000  # a stretched part's own coordinates, on both sides
FONT = 'font-family="system-ui, sans-serif" font-size="12" fill="currentColor"'
SHARP = 'vector-effect="non-scaling-stroke"'
LONGEST = 60  # characters of a text on one line


def scale(low: float, high: float, *, start: float, end: float) -> Callable[[float], float]:
    """Return the map that takes low to start and high to end; where both are one value, it goes to start.

    >>> x = scale(-1.0, 3.0, start=100, end=500)
    >>> x(-1.0), x(0.0), x(3.0)
    (100.0, 200.0, 500.0)
    """
    half = high / 2 - low / 2  # halves first: the ends may be the largest doubles

    def place(value: float) -> float:
        return start + (value / 2 - low / 2) / half * (end - start) if half else float(start)

    return place


def framed(drawn: Iterable[str], *, title: str, said: str = "", height: float, width: int | None = None) -> Html:
    """Return the picture; `said` describes in words what it shows.

    width   in pixels, of a picture whose labels would meet in a narrower one; else it is as wide as its place
    """
    fixed = f'role="img" viewBox="0 0 {width} {height:g}" width="{width}"'
    wide = 'class="fluid" role="img" width="100%"' if width is None else fixed
    size = f'{wide} height="{height:g}" overflow="visible"'
    told = title_of(title) + (f"<desc>{escape(said)}</desc>" if said else "")
    return Html(f"<svg {size} {FONT}>{told}{''.join(drawn)}</svg>")


def stretched(drawn: Iterable[str], *, top: float, height: float) -> str:
    """Return a part that is as wide as the picture, in coordinates of its own from 0 to 1000."""
    place = f'x="0" y="{top:g}" width="100%" height="{height:g}" preserveAspectRatio="none"'
    return f'<svg {place} viewBox="0 0 {WHOLE} {WHOLE}">{"".join(drawn)}</svg>'


def written(text: str, *, x: float, y: float, anchor: Anchor = "start") -> str:
    """Return a text at a percentage of the width, on one line."""
    shown = escape(one_line(text, LONGEST))
    return f'<text x="{x:.2f}%" y="{y:g}" text-anchor="{anchor}">{shown}</text>'


def inside(x: float, *, reach: float = 25) -> Anchor:
    """Return how a text hangs at a percentage of the width so that it stays inside: its reach is half its length.

    >>> inside(3), inside(50), inside(99)
    ('start', 'middle', 'end')
    """
    return "start" if x < reach else "end" if x > 100 - reach else "middle"


def upright(x: float, *, top: float, foot: float, look: Look) -> str:
    """Return a line at a percentage of the width, from a height down to another."""
    return f'<line x1="{x:.2f}%" x2="{x:.2f}%" y1="{top:g}" y2="{foot:g}" {LOOKS[look]}/>'


def level(y: float, *, start: float = 0, end: float = 100, look: Look = "axis") -> str:
    """Return a line at a height, between two percentages of the width."""
    return f'<line x1="{start:.2f}%" x2="{end:.2f}%" y1="{y:g}" y2="{y:g}" {LOOKS[look]}/>'


def box(*, x: float, y: float, width: float, height: float, look: Look, said: str = "", ringed: bool = False) -> str:
    """Return a bar or a cell, x and width in percent; a ring marks the one in question."""
    drawn = LOOKS[look].partition(" stroke=")[0] + f" {RING}" if ringed else LOOKS[look]
    wide = f"{width:.2f}%" if width >= LEAST_WIDTH else f"{THINNEST}"
    return f'<rect x="{x:.2f}%" y="{y:.1f}" width="{wide}" height="{height:.1f}" {drawn}>{title_of(said)}</rect>'


def dot(x: float, y: float, *, look: Look, said: str = "") -> str:
    """Return a point at a percentage of the width."""
    return f'<circle cx="{x:.2f}%" cy="{y:.1f}" r="5" {LOOKS[look]}>{title_of(said)}</circle>'


def together(drawn: Iterable[str], said: str) -> str:
    """Return marks of which one thing is said."""
    return f"<g>{title_of(said)}{''.join(drawn)}</g>"


def figure_of(picture: str, title: str) -> Html:
    """Return a picture with its title below it."""
    return Html(f"<figure>{picture}<figcaption>{escape(title)}</figcaption></figure>")


def title_of(said: str) -> str:
    """Return what is said of a mark, where anything is."""
    return f"<title>{escape(said)}</title>" if said else ""


# Error against epsilon, both in logarithms. Points are as given: two at one epsilon are the limits of a jump, and the
# line goes straight down there. Of points that fall on one place of the picture one is kept.

TOP, TALL, LINE, DOT = 26, 190, 18, 5
CURVE_MOST_TICKS = 7
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
            if len(kept) <= CURVE_MOST_TICKS:
                return kept
        return kept[:CURVE_MOST_TICKS]


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


# How many there are up to each value: a step curve with its band, and marked values on it

STEPS_TOP, FOOT = 18, 22  # above and below the curve
STEPS_TALL, SMALL = 240, 150  # heights of a picture, and of one among several
CAP, SMALL_DOT = 4, 4  # half of the end of an interval; the radius of a dot


class Step(NamedTuple):
    """A value, and how many there are up to it, with the ends of their interval."""

    at: Real
    height: Real
    low: Real
    high: Real


class Marked(NamedTuple):
    """A value on the curve, with its interval, at the height that it stands for."""

    at: Real
    height: Real
    low: Real | None
    high: Real | None
    said: str


def step_figure(
    steps: Sequence[Step], marked: Iterable[Marked], title: str, *, x: Axis, y: Axis, small: bool = False
) -> Html:
    """Return the picture with its title below it; several that share their axes can be compared."""
    height = SMALL if small else STEPS_TALL
    foot = height - FOOT

    def down(value: Real) -> float:
        return round(foot - (foot - STEPS_TOP) * y.place(value) / 100, 1)

    drawn = []
    for each in y.ticks:
        at = down(each)
        drawn.append(level(at, look="grid"))
        if each:
            drawn.append(written(tick_text(each), x=0, y=at - 4))
    drawn += [stretched(_curve(steps, x, y), top=STEPS_TOP, height=foot - STEPS_TOP), *_numbers(x, foot)]
    for point in marked:
        at = down(point.height)
        dot = f'<circle cx="{x.place(point.at):.2f}%" cy="{at:g}" r="{SMALL_DOT}" {LOOKS["second"]}/>'
        drawn.append(together([_interval(x, point.low, point.high, at), dot], point.said))
    return figure_of(framed(drawn, title=title, height=height), title)


def _curve(steps: Sequence[Step], x: Axis, y: Axis) -> list[str]:
    """Return the band and the line, in coordinates of their own."""

    def across(value: Real) -> str:
        return f"{WHOLE * x.place(value) / 100:.1f}"

    def down(value: Real) -> str:
        return f"{WHOLE - WHOLE * y.place(value) / 100:.1f}"

    first, *others = steps
    line = f"M{across(first.at)} {down(first.height)}"
    line += "".join(f"H{across(each.at)}V{down(each.height)}" for each in others)
    there = f"M{across(first.at)} {down(first.low)}"
    there += "".join(f"H{across(each.at)}V{down(each.low)}" for each in others)
    back = "".join(f"V{down(each.high)}H{across(each.at)}" for each in reversed(steps))  # until the point before it
    band, curve = f'd="{there}{back}Z" {LOOKS["band"]}', f'd="{line}" {LOOKS["curve"]} {SHARP}'
    return [f"<path {band}/>", f"<path {curve}/>"]


def _interval(x: Axis, low: Real | None, high: Real | None, y: float) -> str:
    """Return a line between the ends of an interval with a cap at each, at a height; nothing where there is none."""
    if low is None or high is None:
        return ""
    left, right = (_percent(x.place(end)) for end in (low, high))
    lines = ((left, right, y, y), (left, left, y - CAP, y + CAP), (right, right, y - CAP, y + CAP))
    drawn = "".join(f'<line x1="{a}" x2="{b}" y1="{c:g}" y2="{d:g}"/>' for a, b, c, d in lines)
    return f"<g {LOOKS['interval']}>{drawn}</g>"


def _percent(place: float) -> str:
    return f"{round(place, 2):g}%"


def _numbers(axis: Axis, foot: float) -> Iterator[str]:
    """Yield an axis with its numbers below it."""
    return _numbered(((axis.place(each), tick_text(each)) for each in axis.ticks), foot)


def _numbered(marks: Iterable[tuple[float, str]], foot: float) -> Iterator[str]:
    """Yield a line with a text below each of its marks; those near its ends stay inside the picture."""
    yield level(foot)
    for at, text in marks:
        yield upright(at, top=foot, foot=foot + 5, look="axis")
        yield written(text, x=at, y=foot + LINE, anchor=inside(at, reach=6))


# Where a released number may fall. The ends of the clamp are bars of their own, in another colour and with words beside
# them. A strip below shows where in the public range the picture stands, so that a guess that moves is seen to move.

LAW_TALL = 150  # the bars
FEW = 40  # bars: so many have room between them
GAP, NARROW_GAP = 0.3, 0.08  # of the width of a bar


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
        return self.top + LAW_TALL

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
            stretched(self._columns(x, heights), top=self.top, height=LAW_TALL),
            *self._value(x),
            *self._ends(),
            *_numbers(x, self.foot),
            written(self.each, x=50, y=self.foot + 2 * LINE, anchor="middle"),
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
        size = f'x="{left:.2f}%" y="{y:g}" width="{max(right - left, 0.2):.2f}%" height="{LAW_TALL + 8:g}"'
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
            at = self.foot - LAW_TALL * y.place(each) / 100
            yield level(round(at, 1), look="grid")
            yield written(f"{exact_amount(100 * each)} %", x=0, y=round(at + 13, 1))

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


# Numbers under each other, each with a bar or a dot beside it: a column of a table, or a picture by itself. A track is
# an SVG without a view box, and all tracks of a table share one axis. Lengths of bars are compared, hence bars begin at
# zero; dots stand where their value is, on an axis that need not hold zero.

HEIGHT, BAR = 22, 13  # of a track, of a bar
NAMES, NUMBERS, TRACK, ROWS_GAP = 150, 190, 300, 12  # widths of a picture by itself
ROWS_LINE = 24  # the height of a row of it
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
        line = _interval(self.axis, mark.low, mark.high, HEIGHT / 2)
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
        place = _percent(self.axis.place(mark.value))
        return f'<circle cx="{place}" cy="{HEIGHT / 2:g}" r="{SMALL_DOT}" {LOOKS[mark.look]}/>'

    def svg(self, title: str, texts: Sequence[tuple[str, str]], *, longest: int = LONGEST_NAME) -> Html:
        """Return the picture by itself: a name and the numbers as text before every track.

        texts    of each mark: its name, and its number as it is printed
        longest  so many characters of a name are shown
        """
        names = NAMES * longest // LONGEST_NAME
        start, width = names + NUMBERS + 2 * ROWS_GAP, names + NUMBERS + TRACK + 4 * ROWS_GAP
        height = ROWS_LINE * (len(self.marks) + 1)
        drawn = [self.scale_at(f'x="{start}" y="0" width="{TRACK}"')]
        for number, (mark, (name, text)) in enumerate(zip(self.marks, texts, strict=True), start=1):
            shown, base = one_line(name, longest), ROWS_LINE * number + 16
            drawn.append(Html(f'<text x="{names}" y="{base}" text-anchor="end">{escape(shown)}</text>'))
            drawn.append(Html(f'<text x="{names + NUMBERS}" y="{base}" text-anchor="end">{escape(text)}</text>'))
            drawn.append(self.track(mark, place=f'x="{start}" y="{ROWS_LINE * number}" width="{TRACK}"'))
        size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        return Html(f'<svg role="img" {size} {FONT}>{title_of(title)}{"".join(drawn)}</svg>')


def _grid(axis: Axis, *, start: float = 0) -> Iterable[str]:
    lines = []
    for each in axis.ticks:
        x, weight = _percent(axis.place(each)), "" if each else ' stroke-opacity=".5"'  # zero is where bars begin
        lines.append(f'<line x1="{x}" x2="{x}" y1="{start:g}" y2="100%"{weight}/>')
    yield f"<g {LOOKS['grid']}>{''.join(lines)}</g>"


def _svg(drawn: Iterable[str], said: str, place: str) -> Html:
    """Return a track; readers who do not see it have the same numbers as text beside it."""
    where = place or 'width="100%" font-size="12" fill="currentColor"'
    start = f'<svg class="track" {where} height="{HEIGHT}" overflow="visible" aria-hidden="true">'
    return Html(f"{start}{title_of(said)}{''.join(drawn)}</svg>")


# Intervals under each other on one axis, each with its name and its number above it

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
    drawn = []
    for number, (row, mark) in enumerate(zip(rows, picture.marks, strict=True)):
        drawn.append(written(row.name, x=0, y=ROW * number + 13))
        drawn.append(written(row.text, x=100, y=ROW * number + 13, anchor="end"))
        drawn.append(picture.track(mark, place=f'x="0" y="{ROW * number + 18}" width="100%"'))
    foot = ROW * len(rows)
    return framed([*drawn, *_numbers(picture.axis, foot)], title=title, said=said, height=foot + HEIGHT)


# In how many of 100 cases a guess is right that would be right in 50 without a release. Bars begin at 50, where nothing
# is learnt. Words and numbers stand above each bar, so that a narrow screen has them whole.

EVEN = CASES // 2
ODDS_ROW, ODDS_BAR = 46, 14
TICKS = (50, 60, 70, 80, 90, 100)


class Odds(NamedTuple):
    """One bar: what is seen, how many of 100 guesses are right then at most, and that as it is written."""

    name: str
    right: int
    text: str


def odds_picture(rows: Sequence[Odds], *, title: str, said: str) -> Html:
    """Return the bars under each other, on one axis from 50 to 100."""
    foot = ODDS_ROW * len(rows) + 4
    drawn = []
    for number, row in enumerate(rows):
        at, top = _odds_place(row.right), ODDS_ROW * number
        place = f'y="{top + 21:g}" height="{ODDS_BAR}"'
        width = f"{at:g}%" if at else f"{THINNEST}"
        drawn += [
            written(row.name, x=0, y=top + 14),
            written(row.text, x=100, y=top + 14, anchor="end"),
            f'<rect x="0" width="100%" {place} {LOOKS["grid"]}/>',
            f'<rect x="0" width="{width}" {place} {LOOKS["first"]}/>',
        ]
    drawn += _numbered(((_odds_place(each), str(each)) for each in TICKS), foot)
    drawn.append(written("a coin", x=0, y=foot + 34))
    drawn.append(written("always right", x=100, y=foot + 34, anchor="end"))
    return framed(drawn, title=title, said=said, height=foot + 42)


def _odds_place(right: int) -> float:
    return 100 * (right - EVEN) / EVEN


# Lines, or points, on two axes, each with its name below. A line is drawn from point to point of one piece and never
# across a jump; where pieces meet, a dot marks the value that is taken. Signs are told apart without colours as well.

Point = tuple[float, float]
COLOURS = ("#888", "#3f83bd", "#2e8b57", "#d0483a", "#c07a1e", "#8a63b3")
DASHES = ("", "", "", "6 3", "6 3 1 3", "2 3")
WIDTHS = (1.0, 1.4, 2.6, 1.2, 1.2, 1.2)  # a thin line shows on a thick one
SIGNS = "●■◆▲"
SWATCH = 28


class Series(NamedTuple):
    """One line in pieces, or points between which nothing is claimed.

    dots   points of the line that are marked
    """

    name: str
    pieces: Sequence[Sequence[Point]] = ()
    dots: Sequence[Point] = ()
    points: Sequence[Point] = ()


def lines_height(many: int) -> float:
    """Return how tall a picture of so many lines is."""
    return TOP + TALL + LINE * (3 + many)


def lines_picture(
    series: Sequence[Series], *, x: Axis | LogAxis, y: Axis | LogAxis, of: str, heights: str, title: str, said: str
) -> Html:
    """Return the lines; `of` says what is below the axis, `heights` what is above it."""
    foot = TOP + TALL
    drawn = [written(heights, x=0, y=13), *grid(x, y, foot, of=of)]
    for number, each in enumerate(series):
        drawn += [*_drawn(number, each, x, y), *_named(number, each, foot + LINE * (number + 3))]
    return framed(drawn, title=title, said=said, height=lines_height(len(series)))


def _drawn(number: int, each: Series, x: Axis | LogAxis, y: Axis | LogAxis) -> Iterator[str]:
    colour = COLOURS[number]
    if each.pieces:
        path = "".join(line_path(piece, x, y) for piece in each.pieces)
        yield stretched([f'<path d="{path}" {_stroke(number)} {SHARP}/>'], top=TOP, height=TALL)
    for at, height in each.dots:
        yield f'<circle cx="{x.place(at):.2f}%" cy="{down(y, height):g}" r="{DOT}" fill="{colour}"/>'
    for at, height in each.points:
        sign = written(SIGNS[number % len(SIGNS)], x=x.place(at), y=down(y, height) + 4, anchor="middle")
        yield f'<g fill="{colour}" fill-opacity=".8">{sign}</g>'


def _named(number: int, each: Series, y: float) -> Iterator[str]:
    if each.pieces:
        yield f'<line x1="0" x2="{SWATCH}" y1="{y - 4:g}" y2="{y - 4:g}" {_stroke(number)}/>'
    else:
        yield f'<g fill="{COLOURS[number]}">{written(SIGNS[number % len(SIGNS)], x=0, y=y)}</g>'
    yield f'<g transform="translate({SWATCH + 8} 0)">{written(each.name, x=0, y=y)}</g>'


def _stroke(number: int) -> str:
    dashes = f' stroke-dasharray="{DASHES[number]}"' if DASHES[number] else ""
    return f'fill="none" stroke="{COLOURS[number]}" stroke-width="{WIDTHS[number]:g}"{dashes}'


# Pictures as a file, beside and below each other, each under its heading

MARGIN, HEADING, LETTER = 24, 30, 7


def sheet(rows: Sequence[Sequence[tuple[str, str]]], *, title: str, width: int, tall: float) -> str:
    """Return the text of an SVG file.

    rows    of each picture its heading and itself
    width   of each picture, and how tall a row of them is
    """
    drawn = []
    for number, row in enumerate(rows):
        for place, (heading, picture) in enumerate(row):
            at = f'x="{MARGIN + place * (width + 2 * MARGIN)}" y="{MARGIN + number * (tall + HEADING + MARGIN):g}"'
            text = f'<g font-weight="bold"><text y="13">{escape(one_line(heading, width // LETTER))}</text></g>'
            body = f'<svg y="{HEADING}" width="{width}" height="{tall:g}" overflow="visible">{picture}</svg>'
            drawn.append(f'<svg {at} width="{width}" height="{tall + HEADING:g}" overflow="visible">{text}{body}</svg>')
    wide = max(map(len, rows)) * (width + 2 * MARGIN)
    high = MARGIN + len(rows) * (tall + HEADING + MARGIN)
    size = f'viewBox="0 0 {wide} {high:g}" width="{wide}" height="{high:g}"'
    xmlns = 'xmlns="http://www.w3.org/2000/svg"'
    return Html(f'<svg {xmlns} role="img" {size} {FONT}>{title_of(title)}{"".join(drawn)}</svg>\n')
