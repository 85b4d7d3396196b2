"""The picture of `snapdp attack`: claimed against shown loss, a bar for each row.

Room: cli. matplotlib is imported when a picture is asked for; no window is opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from snapdp.attacks import AttackRow
from snapdp.cli.plots import library, save
from snapdp.exact import to_float_down, to_float_up

COLOURS = {"refuted": "#c0392b", "not refuted": "#2f6f9f"}


def write_rows(found: Sequence[AttackRow], path: Path) -> None:
    """Write a bar as long as the loss that was shown, with a stroke at the claim; absent targets have none."""
    drawn = [
        (f"{row.attack.name}: {row.target}", to_float_up(row.outcome.claimed), to_float_down(row.outcome.lower_bound))
        for row in found
        if row.outcome is not None
    ]
    verdicts = [row.verdict for row in found if row.outcome is not None]
    figure = library()(figsize=(8, 1.2 + 0.24 * len(drawn)), layout="constrained")
    axes = figure.subplots()
    places = range(len(drawn))
    axes.barh(places, [shown for _, _, shown in drawn], color=[COLOURS[each] for each in verdicts], height=0.7)
    axes.plot([claimed for _, claimed, _ in drawn], list(places), "|", color="#333333", markersize=10, label="claimed")
    axes.set_yticks(places, [name for name, _, _ in drawn], fontsize=8)
    axes.invert_yaxis()
    axes.set(xlabel="privacy loss, at least", xlim=(0, None))
    axes.set_title("red: an attack shows more than was claimed", fontsize=10)
    axes.grid(True, axis="x", linewidth=0.3)
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    save(figure, path, drawn)
