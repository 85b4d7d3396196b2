"""What follows from released numbers, free of charge: mean, standard deviation, correlation, shares, adjusted margins.

Room: release. A function of released indices and public parameters only, so it costs nothing; every block says that it
is derived, and from what. Each statistic says itself what follows from it. Intervals are combined: if each of k inputs
misses its truth with probability alpha/k at most, the result misses with probability alpha at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snapdp.release.draw import Block, Drawn
from snapdp.studies import Printed


def derived_blocks(drawn: Sequence[Sequence[Drawn]]) -> Iterator[tuple[int, Block]]:
    """Yield everything that follows from the released parts, with the number of the statistic it belongs to."""
    study = [(parts[0].line.statistic, parts) for parts in drawn]
    for number, (statistic, parts) in enumerate(study):
        for found in statistic.derived(parts, study):
            values, lows, highs = found.columns
            yield (
                number,
                Block(
                    name=found.name,
                    statistic=found.title,
                    alpha=parts[0].alpha,
                    cells=statistic.labels_of(found.margin),
                    values=values,
                    shown=_inside(values if found.shown is None else found.shown, lows, highs),
                    lows=lows,
                    highs=highs,
                    keys=statistic.keys_of(found.margin),
                    margin=found.margin,
                    deviation=found.deviation,
                ),
            )


def _inside(
    values: Sequence[Printed], lows: Sequence[Printed | None], highs: Sequence[Printed | None]
) -> Sequence[Printed]:
    """Return the values, each moved into its interval where it has one.

    A value is made of parts as they were drawn, its interval of parts as they can be: a count beyond n, say, divides.
    """
    rows = zip(values, lows, highs, strict=False)  # a record that is audited may lack some: its parts say so
    return [each if low is None or high is None else min(max(each, low), high) for each, low, high in rows]
