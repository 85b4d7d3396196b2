"""The frame of a picture that is as wide as its place: what it shows in words, and a part of it that is stretched.

Room: display. Marks stand at percentages of the width and text keeps its size, so that one picture serves a telephone
and a wide screen. Only curves and bars without text are stretched, and their lines are not. No style sheet, no script;
colours are those of `charts`. The title is the name of the picture for readers who do not see it, the description what
it says. Every text is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable

from snapdp.display.charts import LOOKS, Anchor, Look, title_of
from snapdp.display.html import Html, escape
from snapdp.display.text import one_line, visible

WHOLE = 1000  # a stretched part's own coordinates, on both sides
FONT = 'font-family="system-ui, sans-serif" font-size="12" fill="currentColor"'
SHARP = 'vector-effect="non-scaling-stroke"'
LONGEST = 60  # characters of a text on one line


def framed(drawn: Iterable[str], *, title: str, said: str, height: float) -> Html:
    """Return the picture; `said` describes in words what it shows."""
    size = f'class="fluid" role="img" width="100%" height="{height:g}" overflow="visible"'
    told = f"<title>{escape(visible(title))}</title><desc>{escape(visible(said))}</desc>"
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
    return f'<line x1="{x:.2f}%" x2="{x:.2f}%" y1="{top:g}" y2="{foot:g}" {LOOKS[look]}/>'


def level(y: float, *, start: float = 0, end: float = 100, look: Look = "axis") -> str:
    return f'<line x1="{start:.2f}%" x2="{end:.2f}%" y1="{y:g}" y2="{y:g}" {LOOKS[look]}/>'
