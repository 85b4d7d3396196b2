"""One line of a plan: a statistic at an epsilon, and what it will be worth. No data, no ledger.

Room: studies. It cannot see data. Accuracies are in units of the statistic, factor * accuracy of the numerator; they
compare a release with the statistic of the clamped and quantised values.

    numerators are whole: an accuracy is the least that holds for every whole number of the range   theory (14)

Theory: docs/theory/sensitivities.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from snapdp.errors import BoundError, ParameterError
from snapdp.exact import positive, probability
from snapdp.mechanism import Mechanism
from snapdp.studies.grouping.margins import Margins
from snapdp.studies.plans.asked import DEFAULT_ALPHA, Asked
from snapdp.studies.plans.part_worth import epsilon_needed, numerator_accuracy
from snapdp.studies.ranks.quantiles import Quantiles
from snapdp.studies.ranks.rank_figures import LikelyQuantile, RankFigures
from snapdp.studies.statistics.adjusted import check_margins
from snapdp.studies.statistics.margin_figures import MarginFigures, margin_figures
from snapdp.studies.statistics.number_errors import NumberError
from snapdp.studies.statistics.parts import mechanism
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import Value

SMALLEST_ALPHA = Fraction(1, 1 << 940)  # 10**-283: thirds of it are decided by 2,048 bits, as the checker has them


class Line(Value):
    """One line of a plan: the statistic, the epsilon it is charged, and the accuracy that was asked for, if any."""

    statistic: Statistic
    epsilon: Fraction
    alpha: Fraction = DEFAULT_ALPHA
    lock: bool = False
    target: Fraction | None = None

    def _check(self) -> None:
        positive(self.epsilon, name="epsilon")
        probability(self.alpha, name="alpha")
        if not (isinstance(self.epsilon, Fraction) and isinstance(self.alpha, Fraction)):
            raise ParameterError("epsilon and alpha of a line are no fractions.", "Make lines with `ask` and `plan`.")
        if self.alpha < SMALLEST_ALPHA:
            told = f"alpha of {self.statistic.shown} is below 2**-940."
            raise BoundError(told, "Give a larger one, such as 1e-280.", key="alpha")
        self.statistic.check_epsilon(self.epsilon)
        self.statistic.check_alpha(self.alpha)
        if self.statistic.margins is not None:
            check_margins(self.statistic, self.epsilon, self.alpha)

    @cached_property
    def margins(self) -> tuple[MarginFigures, ...]:
        """Return what every margin is worth, measured and adjusted; nothing where the statistic has none."""
        return () if self.statistic.margins is None else margin_figures(self.statistic, self.epsilon, self.alpha)

    @cached_property
    def ranks(self) -> RankFigures | None:
        """Return how far ranks may be misjudged, where the statistic is read off ranks; None where it is not."""
        return self.statistic.ranks(self.epsilon, self.alpha)

    def error_if_like(self, values: Iterable[Any], rows: Any = None) -> tuple[LikelyQuantile, ...]:
        """Return how far quantiles would be off, in units of the column, if its rows were distributed like these.

        values   public ones: of an earlier table, say, or of a made-up one; never those of the table itself
        rows     so many of the table, or of one group, are distributed like them; an equal share of n, or of the bound
                 on it, unless told
        """
        return self.error_if_counted(_quantiles(self.statistic).public_counts(values), rows)

    def error_if_counted(self, counts: Sequence[int], rows: Any = None) -> tuple[LikelyQuantile, ...]:
        """Return the same from how many public values there are at each level of the column."""
        return _quantiles(self.statistic).if_counted(counts, epsilon=self.epsilon, alpha=self.alpha, rows=rows)

    @cached_property
    def accuracies(self) -> tuple[Fraction, ...]:
        """Return for each part the a with P(|released - true| > a) <= alpha, for every table, in each cell."""
        return self.accuracies_at(self.alpha)

    def accuracies_at(self, alpha: Fraction) -> tuple[Fraction, ...]:
        """Return the same at another alpha."""
        parts = zip(self.statistic.parts, self.mechanisms, strict=True)
        return tuple(part.numerator.factor * numerator_accuracy(m.parameters, alpha) for part, m in parts)

    @cached_property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """Return for each part the mechanism of its cells."""
        return tuple(mechanism(part, self.epsilon, title=self.statistic.title) for part in self.statistic.parts)

    @property
    def accuracy(self) -> Fraction | None:
        """Return the accuracy of the statistic; None where it has, or follows from, several parts: see `accuracies`."""
        several = self.statistic.derivation is not None or len(self.statistic.parts) > 1 or self.statistic.margins
        return None if several else self.accuracies[0]

    @property
    def meets_target(self) -> bool:
        """Tell whether the accuracy asked for is reached; True where none was asked for."""
        return self.target is None or (self.accuracy is not None and self.accuracy <= self.target)

    @property
    def remarks(self) -> str:
        """Return what a reader should know beside the figures; empty where there is nothing."""
        from snapdp.studies.plans.remarks import remarks_of

        return "; ".join(remarks_of(self))

    def number_errors(self, if_rows: Any = None) -> tuple[NumberError, ...]:
        """Return how far each of its numbers may be off, those too that are computed from what is released.

        if_rows   so many rows are thought to be in the table, and in each group an equal share of them: n, or the bound
                  on it, unless told. Only errors that no table is promised depend on it, and what all are compared with
        """
        statistic, margins = self.statistic, self.statistic.margins
        if margins is not None:
            return tuple(self._margin_error(each, margins, if_rows) for each in self.margins)
        rows = statistic.rows_guessed(if_rows)
        if self.ranks is not None:
            return (NumberError(error=self.ranks.radius, width=Fraction(rows), rows=rows, in_rows=True),)
        return tuple(statistic.number_errors(lambda k: self.accuracies_at(self.alpha / k), rows))

    def _margin_error(self, figures: MarginFigures, margins: Margins, if_rows: Any) -> NumberError:
        rows = self.statistic.rows_guessed(if_rows, divisions=margins.cells(figures.margin))
        width = self.statistic.width(self.statistic.parts[0].numerator, rows)
        return NumberError(name=figures.text, error=figures.adjusted.accuracy, width=width, rows=rows)

    def derived_accuracy(self, rows: Any) -> Fraction:
        """Return the accuracy at alpha of a mean, variance or covariance that follows from sums and a count, if the
        table (or group) has that many rows.

        Each of its k parts may fail with alpha/k. The number of rows is private: this answers a guess, and promises
        nothing for a smaller table.                                                                theory (15), (29)
        """
        return self.statistic.derived_accuracy(self.accuracies_at(self.alpha / self.statistic.inputs), rows)

    def derived_accuracies(self, rows: Any) -> tuple[Fraction, ...]:
        """Return the same for each of several means that share a count; each holds by itself."""
        return self.statistic.derived_accuracies(self.accuracies_at(self.alpha / self.statistic.inputs), rows)


def planned(asked: Asked) -> Line:
    """Return what is asked as a line of a plan."""
    if asked.accuracy is None:
        assert asked.epsilon is not None
        epsilon = asked.epsilon
    else:
        epsilon = epsilon_needed(asked.statistic, asked.accuracy, asked.alpha)
    return Line(
        statistic=asked.statistic,
        epsilon=epsilon,
        alpha=asked.alpha,
        lock=asked.lock,
        target=asked.accuracy,
    )


def _quantiles(statistic: Statistic) -> Quantiles:
    if not isinstance(statistic, Quantiles):
        raise ParameterError(f"{statistic.shown} is no quantile.", "Read its accuracy: it holds for every table.")
    return statistic
