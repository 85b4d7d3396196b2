"""Numbers that vary and are not among the released ones: in other fields, in texts, in what is printed.

Room: testing. Theory: docs/theory/replay-audit.md, (8) and (9).
The claimed sensitivity is about the released numbers; what all numbers lose together is bounded by epsilon.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snapdp.testing.claims import Claims
from snapdp.testing.judges.attribution import attributed
from snapdp.testing.judges.laws import JudgedWidth, judged_width, unjudged
from snapdp.testing.judges.numbers import MOST_COMPARED, NumberSeries, number_series
from snapdp.testing.judges.varying import named
from snapdp.testing.replays import Replays
from snapdp.values import replaced


def width_beside(
    replays: Replays, released: Sequence[NumberSeries], claims: Claims, paths: Sequence[str]
) -> JudgedWidth:
    """Say what numbers beside the released ones lose together with them; those that no draw explains are named.

    A number that is the same for both inputs in every replay moves by nothing, and loses nothing.
    """
    known = {*(each.path for each in released), *replays.first[0].released}
    others = [path for path in paths if path not in known]
    together = number_series(replays, claims, [*(each.path for each in released), *others])
    moving = [each for each in together if each.path in known or each.first != each.second]
    beside = [each.path for each in moving if each.path not in known]
    if not beside:
        return JudgedWidth()
    width = judged_width(replays, attributed(moving, replays), replaced(claims, sensitivity=None))
    unknown = [] if width.violations else [path for path in beside if path not in width.known]
    said = [f"{unjudged(named(unknown))}: beside the released numbers, and of no law that is judged"] if unknown else []
    return replaced(width, notes=tuple(said))


def of_no_judged_law(released: Sequence[NumberSeries], width: JudgedWidth) -> Iterator[str]:
    """Yield the released numbers that vary, and of whose width nothing was said: noise that begins somewhere."""
    rest = [each.path for each in released if each.varies and each.path not in width.known]
    quiet = [path for path in rest if not any(note.startswith(unjudged(path)) for note in width.notes)]
    if quiet and not width.violations and len(rest) <= MOST_COMPARED:
        yield f"{unjudged(named(quiet))}: it begins somewhere, and these two inputs do not show it"
