"""The kinds of statistics: one line for each.

A new statistic is one new file and one line here; whatever reads, writes, plans, releases or audits statistics finds
its class by its kind. The independent checker of releases keeps a table of its own.
"""

from __future__ import annotations

from snapdp.errors import ParameterError
from snapdp.studies.statistics.counts import PersonCount, RowCount
from snapdp.studies.statistics.covariance import Covariance
from snapdp.studies.statistics.histogram import Histogram
from snapdp.studies.statistics.magnitudes import Magnitudes
from snapdp.studies.statistics.mean import Mean
from snapdp.studies.statistics.quantiles import Quantiles
from snapdp.studies.statistics.statistic import Statistic
from snapdp.studies.statistics.sum import ColumnSum
from snapdp.studies.statistics.variance import Variance

_CLASSES: tuple[type[Statistic], ...] = (
    RowCount, PersonCount, Mean, ColumnSum, Variance, Covariance, Histogram, Quantiles,
    Magnitudes,
)  # fmt: skip
KINDS: dict[str, type[Statistic]] = {each.kind: each for each in _CLASSES}
assert len(KINDS) == len(_CLASSES), "two statistics have one kind"


def statistic_class(kind: str | None) -> type[Statistic]:
    """Return the class of a kind; refuse an unknown one."""
    if kind not in KINDS:
        raise ParameterError(f"kind = {kind!r} is not known.", f"The kinds are {', '.join(sorted(KINDS))}.")
    return KINDS[kind]
