"""Statistics that add up over groups, and so have margins: counts and sums, and persons where each has one group.

Room: studies. One table is asked of the data, that by all columns of the groups; every margin is a sum of its cells, in
exact integers. So a row that has no cell in one column is in no margin, the total included. Each margin is a part of
its own, and what is derived are the same tables adjusted, so that they add up.
Theory: docs/theory/sensitivities.md (22).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from snapdp.studies.grouping.margins import Margin, Margins
from snapdp.studies.statistics.adjusted import adjusted_blocks
from snapdp.studies.statistics.details import Detail, MarginsDetail, NumbersDetail, WholeDetail
from snapdp.studies.statistics.drawn import Derived, DrawnPart
from snapdp.studies.statistics.parts import Part
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import replaced


class Tabulated(Statistic):
    """A statistic whose table by several columns may be released with margins."""

    adds_up = True
    details: ClassVar[Mapping[str, Detail]] = {
        "rows_per_person": WholeDetail(),
        "margins": MarginsDetail(),
        "shares": NumbersDetail(),
    }

    @property
    def stated(self) -> dict[str, Any]:
        chosen = {} if self.margins is None else {"margins": self.margins, "shares": self.margins.shares}
        return {**super().stated, **chosen}

    def derived(
        self,
        parts: Sequence[DrawnPart],
        study: Sequence[tuple[Statistic, Sequence[DrawnPart]]],  # noqa: ARG002
    ) -> Iterator[Derived]:
        """Yield the margins adjusted."""
        if self.margins is not None:
            yield from adjusted_blocks(self, parts)


def margin_parts(margins: Margins, part_of: Callable[[Margin, Fraction], Part]) -> tuple[Part, ...]:
    """Return the parts of measured margins: each with its share of epsilon, and named by its columns.

    part_of   of a margin and the part of epsilon that neighbours may lose in it
    """
    pairs = zip(margins.measured, margins.shares, strict=True)
    return tuple(_named(part_of(margin, share), margins, margin) for margin, share in pairs)


def _named(part: Part, margins: Margins, margin: Margin) -> Part:
    name = f"{part.numerator.name} {margins.text(margin)}"
    return replaced(part, margin=margin, numerator=replaced(part.numerator, name=name))
