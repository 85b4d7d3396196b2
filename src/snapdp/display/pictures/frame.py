"""The frame of a picture that is as wide as its place: what it shows in words, and a part of it that is stretched.

Room: display. Marks stand at percentages of the width and text keeps its size, so that one picture serves a telephone
and a wide screen. Only curves and bars without text are stretched, and their lines are not. No style sheet, no script,
nothing fetched. Lines and labels have the colour of the text around them, the rest has colours that show on light, on
dark and on paper. The title is the name of the picture for readers who do not see it, the description what
it says. Every text is escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from snapdp.display.html import Html, escape
from snapdp.display.text import one_line

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


def written(text: str, *, x: float, y: float, anchor: Anchor = "start", said: str = "") -> str:
    """Return a text at a percentage of the width, on one line."""
    shown = escape(one_line(text, LONGEST))
    return f'<text x="{x:.2f}%" y="{y:g}" text-anchor="{anchor}">{title_of(said)}{shown}</text>'


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
