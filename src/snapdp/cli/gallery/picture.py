"""The picture of `snapdp attack` as an SVG file: claimed against shown loss, a bar for each row.

Room: cli.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from snapdp.attacks import AttackRow
from snapdp.display import Look, Mark, RowPicture, sheet
from snapdp.drafts import write_text
from snapdp.exact import to_float_down, to_float_up

TITLE = "Privacy loss, at least; red: more than was claimed"
LONGEST_NAME, WIDTH = 32, 760


def write_rows(found: Sequence[AttackRow], path: Path) -> None:
    """Write a bar as long as the loss that was shown, with a stroke at the claim; absent targets have none."""
    marks, texts = [], []
    for row in found:
        if row.outcome is not None:
            claimed, shown = to_float_up(row.outcome.claimed), to_float_down(row.outcome.lower_bound)
            look: Look = "hit" if row.verdict == "refuted" else "first"
            marks.append(Mark(shown, claimed, claimed, look=look))
            texts.append((f"{row.attack.name}: {row.target}", f"shown {shown:.3g}, claimed {claimed:.3g}"))
    picture = RowPicture.of(marks, bars=True).svg(TITLE, texts, longest=LONGEST_NAME)
    write_text(sheet([[(TITLE, picture)]], title=TITLE, width=WIDTH, tall=24 * len(marks) + 24), path)
