"""What follows from released numbers, free of charge: mean, standard deviation, correlation, shares, adjusted margins.

Room: release. A function of released indices and public parameters only, so it costs nothing; every block says that it
is derived, and from what. Each statistic says itself what follows from it. Intervals are combined: if each of k inputs
misses its truth with probability alpha/k at most, the result misses with probability alpha at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

from snapdp.release.draw import Block, Drawn, PagedBlock, is_paged
from snapdp.studies import INLINE, Derived, Label, Printed, Statistic


def derived_blocks(drawn: Sequence[Sequence[Drawn]]) -> Iterator[tuple[int, Block]]:
    """Yield everything that follows from the released parts, with the number of the statistic it belongs to."""
    study = [(parts[0].line.statistic, parts) for parts in drawn]
    for number, (statistic, parts) in enumerate(study):
        if is_paged(statistic.labels):
            yield from ((number, block) for block in _paged(statistic, parts))
            continue
        for found in statistic.derived(parts, study):
            yield number, _block(found, parts[0].alpha, statistic.labels_of(found.margin), statistic)


def _block(found: Derived, alpha: Fraction, cells: Sequence[Label], statistic: Statistic) -> Block:
    values, lows, highs = found.columns
    return Block(
        name=found.name,
        statistic=found.title,
        alpha=alpha,
        cells=cells,
        values=values,
        shown=_inside(values if found.shown is None else found.shown, lows, highs),
        lows=lows,
        highs=highs,
        keys=statistic.keys_of(found.margin),
        margin=found.margin,
        deviation=found.deviation,
    )


def _paged(statistic: Statistic, parts: Sequence[Drawn]) -> Iterator[Block]:
    """Yield what follows from parts of very many cells, by pages: in each cell from this cell of the parts alone.

    What follows is known by its first page; no kind derives anything by keys from other statistics of a study.
    """
    alpha = parts[0].alpha

    def page(name: str, start: int, stop: int) -> Block:
        some = [each.some(start, stop) for each in parts]
        found = next(each for each in statistic.derived(some, [(statistic, some)]) if each.name == name)
        return _block(found, alpha, (), statistic)

    first = [each.some(0, INLINE + 1) for each in parts]
    for found in statistic.derived(first, [(statistic, first)]):
        yield PagedBlock(
            name=found.name,
            statistic=found.title,
            alpha=alpha,
            cells=statistic.labels,
            keys=statistic.keys,
            page=partial(page, found.name),
        )


def _inside(
    values: Sequence[Printed], lows: Sequence[Printed | None], highs: Sequence[Printed | None]
) -> Sequence[Printed]:
    """Return the values, each moved into its interval where it has one.

    A value is made of parts as they were drawn, its interval of parts as they can be: a count beyond n, say, divides.
    """
    rows = zip(values, lows, highs, strict=False)  # a record that is audited may lack some: its parts say so
    return [each if low is None or high is None else min(max(each, low), high) for each, low, high in rows]
