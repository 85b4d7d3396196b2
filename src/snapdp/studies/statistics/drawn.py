"""What statistics are told about a release of theirs, and what they answer: functions of released indices only.

Room: studies. The release room draws; here is only the shape of what it then hands over, so that what follows from a
statistic can stand in its own file.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from snapdp.mechanism import Mechanism
from snapdp.studies.grouping.margins import Margin
from snapdp.values import Value

if TYPE_CHECKING:
    from snapdp.studies.statistics.parts import Part

Printed = int | float
Row = tuple[Printed, Printed | None, Printed | None]  # a value and its interval
Columns = tuple[Sequence[Printed], Sequence[Printed | None], Sequence[Printed | None]]  # values, lows, highs
FITS_INT64 = 1 << 62  # what is below it may be added to its like, and is an int64 still
SHARE = "share"  # of each cell of a histogram in all of them
MEAN_OF = "mean of "  # and the name of a column, where means of several are one statistic


class CellColumns(Value):
    """Statistics and interval ends of many cells, times the denominator: arrays of integers, int64 or Python's."""

    denominator: int
    value: Any
    low: Any
    high: Any


class DrawnPart(Protocol):
    """One part after the draw: everything here follows from its indices and public parameters."""

    @property
    def part(self) -> Part:
        """Return what was drawn."""

    @property
    def mechanism(self) -> Mechanism:
        """Return the mechanism of each cell."""

    @property
    def alpha(self) -> Fraction:
        """Return alpha: an interval misses its truth with this probability at most."""

    @property
    def is_known(self) -> bool:
        """Tell whether its indices are known; from others nothing need be derived but what it would be."""

    @property
    def indices(self) -> Sequence[int]:
        """Return the released grid index of each cell."""

    def statistic(self, cell: int) -> Fraction:
        """Return the released statistic of a cell, exactly."""

    def possible(self, cell: int) -> Fraction:
        """Return the released statistic of a cell, moved into the public range."""

    def interval(self, cell: int, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """Return the noise interval of a cell at confidence 1 - alpha."""

    def columns(self, alpha: Fraction) -> CellColumns:
        """Return statistics and noise intervals of all cells."""


class Derived(Value):
    """Numbers that follow from released ones, one for each cell: free of charge.

    name       what they are, as records say it: SHARE, "mean", "standard deviation", ...
    shown      the values, each moved to what the statistic can be; None where they are possible as they are
    margin     which columns of the groups tell the cells apart, where the statistic has margins
    deviation  the standard deviation of each, rounded up: one for all of them, or for each; None where it is not known
    """

    name: str
    title: str
    columns: Columns
    shown: Sequence[Printed] | None = None
    margin: Margin | None = None
    deviation: float | tuple[float, ...] | None = None


def as_columns(rows: Sequence[Row]) -> Columns:
    values, lows, highs = zip(*rows, strict=True)
    return values, lows, highs
