"""Pictures as a file: some beside and below each other, each under its heading, in a size of their own.

Room: display. The pictures in it are those of pages. Text is dark unless a program that shows it says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

from snapdp.display.html import Html, escape
from snapdp.display.pictures.frame import FONT, title_of
from snapdp.display.text import one_line

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
