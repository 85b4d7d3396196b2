"""Pictures as SVG text: scales, bars, points, lines and labels.

Room: display. Inline, no script, nothing fetched. Lines and labels have the colour of the text around them, the rest
has colours that show on light, on dark and on paper; they stand in the picture, which needs no style sheet. Only the
place of a mark on the paper is rounded. Every text is escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from snapdp.display.html import Html, escape

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
_RING = f'stroke="{_RED}" stroke-width="2"'
_STROKE = 4  # half the height of the ends of an interval
THINNEST = 0.5  # a bar of nothing is still seen


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


class Chart:
    """One picture in the making; y grows downward. `said` is read aloud and shown at the pointer.

    >>> chart = Chart(width=100, height=20)
    >>> chart.label(3, 14, "a < b", anchor="end")
    >>> "".join(chart.parts)
    '<text x="3.0" y="14.0" text-anchor="end">a &lt; b</text>'
    """

    def __init__(self, *, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.parts: list[str] = []

    def label(self, x: float, y: float, text: str, *, anchor: Anchor = "middle") -> None:
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>')

    def label_inside(self, x: float, y: float, text: str, *, reach: float) -> None:
        """Write a text of at most twice that reach where it stays in the picture."""
        self.label(x, y, text, anchor="end" if x > self.width - reach else "start" if x < reach else "middle")

    def rectangle(
        self, *, x: float, y: float, width: float, height: float, look: Look, said: str = "", ringed: bool = False
    ) -> None:
        """Draw a bar or a cell; a ring marks the one in question."""
        drawn = LOOKS[look].partition(" stroke=")[0] + f" {_RING}" if ringed else LOOKS[look]
        place = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, THINNEST):.1f}" height="{height:.1f}"'
        self.parts.append(f"<rect {place} {drawn}>{title_of(said)}</rect>")

    def bar(self, first: float, second: float, *, y: float, height: float, look: Look, said: str = "") -> None:
        """Draw a bar between two places on a line, in either order."""
        left, right = sorted((first, second))
        self.rectangle(x=left, y=y, width=right - left, height=height, look=look, said=said)

    def point(self, x: float, y: float, *, look: Look, said: str = "") -> None:
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" {LOOKS[look]}>{title_of(said)}</circle>')

    def horizontal(self, y: float, *, start: float, end: float, look: Look = "axis") -> None:
        self.parts.append(f'<path d="M{start:.1f} {y:.1f}H{end:.1f}" {LOOKS[look]}/>')

    def vertical(self, x: float, *, start: float, end: float, look: Look = "axis") -> None:
        self.parts.append(f'<path d="M{x:.1f} {start:.1f}V{end:.1f}" {LOOKS[look]}/>')

    def interval(self, low: float, high: float, *, y: float) -> None:
        """Draw a line between two places with a stroke across each end."""
        ends = f"M{low:.1f} {y - _STROKE:.1f}v{2 * _STROKE}M{high:.1f} {y - _STROKE:.1f}v{2 * _STROKE}"
        self.parts.append(f'<path d="{ends}M{low:.1f} {y:.1f}H{high:.1f}" {LOOKS["interval"]}/>')

    def steps(self, points: Sequence[tuple[float, float]], *, look: Look = "curve") -> None:
        """Draw a curve that stays at the height of a point until the next one.

        >>> chart = Chart(width=9, height=9)
        >>> chart.steps([(0, 5), (2, 3), (4, 3)])
        >>> chart.parts[0].partition('"')[2].partition('"')[0]
        'M0.0 5.0H2.0V3.0H4.0V3.0'
        """
        self.parts.append(f'<path d="{_stepped(points)}" {LOOKS[look]}/>')

    def band(self, points: Sequence[tuple[float, float, float]]) -> None:
        """Fill what is between two such curves: x, and the heights of both."""
        there = [(x, first) for x, first, _ in points]
        back = "".join(f"V{y:.1f}H{x:.1f}" for x, _, y in reversed(points))  # at each height until the point before it
        self.parts.append(f'<path d="{_stepped(there)}{back}Z" {LOOKS["band"]}/>')

    @contextmanager
    def together(self, said: str) -> Iterator[None]:
        """Say one thing of all marks that are drawn inside."""
        self.parts.append(f"<g>{title_of(said)}")
        yield
        self.parts.append("</g>")

    def svg(self, title: str) -> Html:
        """Return the picture; its title says in words what it shows, for readers who do not see it."""
        size = f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}"'
        font = 'font-family="system-ui, sans-serif" font-size="12" fill="currentColor"'
        return Html(f'<svg role="img" {size} {font}>{title_of(title)}{"".join(self.parts)}</svg>')

    def figure(self, title: str) -> Html:
        """Return the picture with its title below it."""
        return Html(f"<figure>{self.svg(title)}<figcaption>{escape(title)}</figcaption></figure>")


def _stepped(points: Sequence[tuple[float, float]]) -> str:
    (x, y), *others = points
    return f"M{x:.1f} {y:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in others)


def title_of(said: str) -> str:
    """Return what is said of a mark, where anything is."""
    return f"<title>{escape(said)}</title>" if said else ""
