"""How far the numbers of a statistic may be off, before anything is paid: promised, or at a guess of the rows.

Room: studies. Holds no data. A number that is released itself has an error that holds for every table. One that is
computed from several has one that depends on how many rows there are, which is private: it is told at a guess, and
holds for every table with as many rows or more. Whether an error is small is asked beside the range of the number.
Theory: docs/theory/sensitivities.md, (15), (29), (31) and (32).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from snapdp.values import Value

USEFUL = Fraction(1, 10)  # of the range of a number: an error that is larger is told
AccuraciesAt = Callable[[int], Sequence[Fraction]]  # of the parts of a statistic, each of which may miss with alpha/k


class NumberError(Value):
    """How far one number of a statistic may be off, at the alpha of its line.

    name       of the number, where it is not the statistic itself: "standard deviation", "mean of age", "by region"
    error      in units of the number
    width      of the range that the number has: bounds of a mean, rows of a count; at the guess of rows
    rows       so many are thought to be in the table, or in each of its groups
    promised   the error holds for every table; else for those with so many rows or more
    in_rows    the error is a number of rows, by which a rank is misjudged
    spreads    deviations of the columns: the error holds where they are as large, or larger; none where it is not asked
    lines      of a plan from which it follows, where that is more than its own
    """

    name: str = ""
    error: Fraction
    width: Fraction
    rows: int
    promised: bool = True
    in_rows: bool = False
    spreads: tuple[Fraction, ...] = ()
    lines: int = 1

    @property
    def share(self) -> Fraction:
        """Return the error as a part of the range."""
        return self.error / self.width if self.width else Fraction(int(self.error > 0))

    @property
    def is_useful(self) -> bool:
        """Tell whether the error is at most a tenth of the range."""
        return self.error <= USEFUL * self.width

    @property
    def is_of_rows(self) -> bool:
        """Tell whether the range is that of a number of rows."""
        return self.in_rows or self.width == self.rows
