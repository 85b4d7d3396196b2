"""Pictures of `snapdp lab compare`, as SVG files.

Room: cli.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from snapdp.accuracy import AccuracyLine
from snapdp.cli.lab.views import View
from snapdp.display import Axis, LogAxis, Series, exact_amount, lines_height, lines_picture, sheet
from snapdp.drafts import write_text
from snapdp.exact import to_float_up

WIDTH = 640


def write_accuracy(lines: Sequence[AccuracyLine], path: Path, *, alpha: Fraction) -> None:
    """Write accuracies relative to Laplace over epsilon."""
    points = [point for line in lines for piece in line.pieces for point in piece]
    _write(
        [Series(line.name, line.pieces, dots=line.taken_points) for line in lines],
        path,
        LogAxis.over([x for x, _ in points]),
        Axis.within([y for _, y in points]),
        of="epsilon",
        heights="accuracy / accuracy of Laplace",
        title=f"accuracy relative to the Laplace mechanism, alpha = {exact_amount(alpha)}",
    )


def write_points(view: View, path: Path) -> None:
    """Write the figures of a view as points: between them nothing is claimed."""
    series = [Series(name, points=points_of(view, column)) for column, name in view.drawn]
    heights = [y for each in series for _, y in each.points]
    _write(
        series,
        path,
        Axis.within([x for each in series for x, _ in each.points]),
        LogAxis.over(heights) if view.scale == "log" else Axis.over(heights),
        of=view.of,
        heights=view.figure,
        title="NOT PRIVATE. " * bool(view.notice) + view.title,
    )


def _write(
    series: Sequence[Series], path: Path, x: Axis | LogAxis, y: Axis | LogAxis, *, of: str, heights: str, title: str
) -> None:
    drawn = lines_picture(series, x=x, y=y, of=of, heights=heights, title=title, said=f"{heights}, by {of}")
    write_text(sheet([[(title, drawn)]], title=title, width=WIDTH, tall=lines_height(len(series))), path)


def points_of(view: View, column: int) -> list[tuple[float, float]]:
    """Return the points of one mechanism. Rows of two numbers stand in turn."""
    places = [float(row.at[0]) if len(row.at) == 1 else float(i) for i, row in enumerate(view.found.rows, 1)]
    return [(x, to_float_up(row.figures[column].upper)) for x, row in zip(places, view.found.rows, strict=True)]
