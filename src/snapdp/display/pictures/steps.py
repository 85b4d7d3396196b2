"""How many there are up to each value: a step curve with its band, and marked values on it.

Room: display. As wide as its place: the curve is stretched, text and lines keep their size. Both axes have numbers;
those of the heights stand on their lines, so that the curve has all of the width.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from snapdp.display.html import Html, escape
from snapdp.display.pictures.axis import Axis, Real, tick_text
from snapdp.display.pictures.frame import LOOKS, title_of

TOP, FOOT, TALL, SMALL = 18, 22, 240, 150  # above and below the curve; heights of a picture, and of one among several
WHOLE = 1000  # the curve's own coordinates, on both sides
CAP, DOT = 4, 4
INSIDE = 4  # percent: a number so near an end of the axis stands inside of it


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
    height = SMALL if small else TALL
    foot = height - FOOT

    def down(value: Real) -> float:
        return foot - (foot - TOP) * y.place(value) / 100

    drawn = [*_heights(y, down), _curve(steps, x, y, height), *_values(x, foot)]
    for each in marked:
        drawn.append(f"<g>{title_of(each.said)}{_marked(each, x, down(each.height))}</g>")
    font = 'font-family="system-ui, sans-serif" font-size="12" fill="currentColor"'
    size = f'class="fluid" role="img" width="100%" height="{height}" overflow="visible"'
    picture = f"<svg {size} {font}>{title_of(title)}{''.join(drawn)}</svg>"
    return Html(f"<figure>{picture}<figcaption>{escape(title)}</figcaption></figure>")


def _curve(steps: Sequence[Step], x: Axis, y: Axis, height: int) -> str:
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
    place = f'x="0" y="{TOP}" width="100%" height="{height - FOOT - TOP}" preserveAspectRatio="none"'
    sharp = 'vector-effect="non-scaling-stroke"'
    return (
        f'<svg {place} viewBox="0 0 {WHOLE} {WHOLE}"><path d="{there}{back}Z" {LOOKS["band"]}/>'
        f'<path d="{line}" {LOOKS["curve"]} {sharp}/></svg>'
    )


def _heights(y: Axis, down: Callable[[Real], float]) -> Iterable[str]:
    for each in y.ticks:
        at = down(each)
        yield f'<line x1="0" x2="100%" y1="{at:.1f}" y2="{at:.1f}" {LOOKS["grid"]}/>'
        if each:
            yield f'<text x="0" y="{at - 4:.1f}">{escape(tick_text(each))}</text>'


def _values(x: Axis, foot: float) -> Iterable[str]:
    yield f'<line x1="0" x2="100%" y1="{foot:g}" y2="{foot:g}" {LOOKS["axis"]}/>'
    for each in x.ticks:
        place = x.place(each)
        anchor = "start" if place < INSIDE else "end" if place > 100 - INSIDE else "middle"
        yield f'<line x1="{place:.2f}%" x2="{place:.2f}%" y1="{foot:g}" y2="{foot + 5:g}" {LOOKS["axis"]}/>'
        yield f'<text x="{place:.2f}%" y="{foot + 18:g}" text-anchor="{anchor}">{escape(tick_text(each))}</text>'


def _marked(each: Marked, x: Axis, y: float) -> str:
    dot = f'<circle cx="{x.place(each.at):.2f}%" cy="{y:.1f}" r="{DOT}" {LOOKS["second"]}/>'
    if each.low is None or each.high is None:
        return dot
    low, high = (f"{x.place(end):.2f}%" for end in (each.low, each.high))
    lines = ((low, high, y, y), (low, low, y - CAP, y + CAP), (high, high, y - CAP, y + CAP))
    drawn = "".join(f'<line x1="{a}" x2="{b}" y1="{c:.1f}" y2="{d:.1f}"/>' for a, b, c, d in lines)
    return f"<g {LOOKS['interval']}>{drawn}</g>{dot}"
