"""Several lines, or points, on two axes, each with its name below.

Room: display. A line is drawn from point to point of one piece and never across a jump; where pieces meet, a dot marks
the value that is taken. Single points are signs, told apart without colours as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from snapdp.display.html import Html
from snapdp.display.pictures.axis import Axis
from snapdp.display.pictures.curve import DOT, LINE, TALL, TOP, LogAxis, down, grid, line_path
from snapdp.display.pictures.frame import SHARP, framed, stretched, written

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
