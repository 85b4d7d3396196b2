"""Correlations that follow from several lines of a plan: a covariance and both variances, where n is public.

Room: studies. It cannot see data. As in a release, each of the three may miss with a third of the covariance's alpha.
Theory: docs/theory/sensitivities.md, (32).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snapdp.studies.plans.lines import Line
from snapdp.studies.statistics.covariance import Covariance
from snapdp.studies.statistics.number_errors import NumberError
from snapdp.studies.statistics.variance import Variance
from snapdp.values import replaced

INPUTS = 3


def errors_in(lines: Sequence[Line], line: Line, if_rows: Any = None) -> tuple[NumberError, ...]:
    """Return how far the numbers of a line may be off, that too which follows from it and other lines."""
    return (*line.number_errors(if_rows), *_correlation(lines, line))


def _correlation(lines: Sequence[Line], line: Line) -> tuple[NumberError, ...]:
    covariance, alpha = line.statistic, line.alpha / INPUTS
    if not isinstance(covariance, Covariance) or covariance.count_share is not None:
        return ()
    alone = (each for each in lines if isinstance(each.statistic, Variance) and each.statistic.count_share is None)
    variances = {each.statistic.columns[0].name: each for each in alone}
    if not all(column.name in variances for column in covariance.pair):
        return ()
    x, y = (variances[column.name].accuracies_at(alpha)[0] for column in covariance.pair)
    (both,) = line.accuracies_at(alpha)
    rows = covariance.relation.rows
    found = covariance.correlation_at(of_covariance=both, of_variances=(x, y), rows=rows, promised=True)
    return (replaced(found, lines=INPUTS),)
