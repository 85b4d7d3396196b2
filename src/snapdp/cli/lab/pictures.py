"""Pictures of `snapdp lab compare`.

Room: cli. matplotlib is imported when a picture is asked for; no window is opened. A line is drawn from point to point
of one piece and never across a jump; where pieces meet, a dot marks the value that is taken.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from snapdp.accuracy import AccuracyLine
from snapdp.cli.lab.views import View
from snapdp.cli.plots import library, plain, save
from snapdp.display import exact_amount
from snapdp.exact import to_float_up

LOOKS: tuple[dict[str, Any], ...] = (
    {"color": "#333333", "linewidth": 1.0},
    {"color": "#2f6f9f", "linewidth": 1.4},
    {"color": "#2e8b57", "linewidth": 2.6, "alpha": 0.7},
    {"color": "#c0392b", "linewidth": 1.2, "linestyle": "--"},
    {"color": "#c07a1e", "linewidth": 1.2, "linestyle": "-."},
    {"color": "#7d5ba6", "linewidth": 1.2, "linestyle": ":"},
)
TAKEN = {2: 0, 3: -1}  # of the natural grid a piece has its start, of the notes' rule its end


def write_accuracy(lines: Sequence[AccuracyLine], path: Path, *, alpha: Fraction) -> None:
    """Write accuracies relative to Laplace over epsilon; the suffix of the path chooses the format."""
    figure = library()(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    for place, (line, look) in enumerate(zip(lines, LOOKS, strict=True)):
        for number, piece in enumerate(line.pieces):
            epsilons, ratios = zip(*piece, strict=True)
            axes.plot(epsilons, ratios, label=line.name if number == 0 else None, **look)
        if place in TAKEN and len(line.pieces) > 1:
            ends = [piece[TAKEN[place]] for piece in line.pieces]
            axes.plot(*zip(*ends, strict=True), "o", color=look["color"], markersize=4)
    axes.set_xscale("log", base=2)
    axes.set(xlabel="epsilon", ylabel="accuracy / accuracy of Laplace")
    axes.set_title(f"accuracy relative to the Laplace mechanism, alpha = {exact_amount(alpha)}", fontsize=10)
    axes.grid(True, linewidth=0.3)
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    _save(figure, path, [(line.name, line.pieces) for line in lines])


def write_points(view: View, path: Path) -> None:
    """Write the figures of a view as points: between them nothing is claimed."""
    figure = library()(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    drawn = [(name, points_of(view, column)) for column, name in view.drawn]
    for (name, points), look, marker in zip(drawn, LOOKS[1:], "osD^", strict=False):
        axes.plot(*zip(*points, strict=True), marker, color=look["color"], markersize=5, alpha=0.8, label=name)
    axes.set_yscale(view.scale)
    axes.set(xlabel=view.of, ylabel=view.figure)
    axes.set_title(plain("NOT PRIVATE. " * bool(view.notice) + view.title), fontsize=10)
    axes.grid(True, linewidth=0.3)
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    _save(figure, path, drawn)


def points_of(view: View, column: int) -> list[tuple[float, float]]:
    """Return the points of one mechanism. Rows of two numbers stand in turn."""
    places = [float(row.at[0]) if len(row.at) == 1 else float(i) for i, row in enumerate(view.found.rows, 1)]
    return [(x, to_float_up(row.figures[column].upper)) for x, row in zip(places, view.found.rows, strict=True)]


def _save(figure: Any, path: Path, drawn: Any) -> None:
    """Save with texts as texts and names that stay the same, so that an SVG is small; it tells what is drawn in it."""
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "snapdp"}):
        save(figure, path, described=f"points sha256 {digest(drawn)}")


def digest(drawn: Any) -> str:
    """Return a digest of what is drawn, to nine digits: two pictures with the same one show the same."""
    return hashlib.sha256(json.dumps(_nine_digits(drawn)).encode()).hexdigest()


def _nine_digits(drawn: Any) -> Any:
    if isinstance(drawn, float):
        return f"{drawn:.9g}"
    return [_nine_digits(each) for each in drawn] if isinstance(drawn, (list, tuple)) else drawn
