"""What is asked of a plan: a statistic with an epsilon, or with the accuracy that it is to have.

Room: studies. It cannot see data. Where no accuracy can be promised before the rows are read, none can be asked for.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from snapdp.errors import ParameterError, PremiseError
from snapdp.exact import positive, probability
from snapdp.studies.ranks.quantiles import Quantiles
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import Value

DEFAULT_ALPHA = Fraction(1, 20)
PAIR = 2  # a sum and a count


class Asked(Value):
    """One line as it is asked for: a statistic with an epsilon or a target accuracy (in its own units) at alpha."""

    statistic: Statistic
    epsilon: Fraction | None = None
    accuracy: Fraction | None = None
    alpha: Fraction = DEFAULT_ALPHA
    lock: bool = False

    def _check(self) -> None:
        if (self.epsilon is None) == (self.accuracy is None):
            raise ParameterError(
                f"{self.statistic.shown} needs an epsilon or a target accuracy, one of the two.",
                'Give epsilon = "0.3", or accuracy = "1.5" with alpha = "0.05".',
                key="epsilon",
            )
        if self.accuracy is not None and isinstance(self.statistic, Quantiles):
            raise PremiseError(
                f"{self.statistic.shown}: how far a quantile is off in units of its column depends on the rows, and no "
                "accuracy can be promised before they are read.",
                "Give an epsilon; the plan shows how well the rank of a given value is known, and with a public file "
                "like the table which values that cannot tell apart. Nothing was read and nothing spent.",
                key="accuracy",
            )
        if self.accuracy is not None and self.statistic.derivation is not None:
            raise PremiseError(
                f"{self.statistic.shown} is computed from {_made_of(self.statistic)}: how far it is off depends on how "
                "many rows count. That is private, so no accuracy can be promised before.",
                "Give an epsilon: the plan says how far it is off if so many rows count; if_rows (--if-rows N) says "
                "for how many. Nothing was read and nothing spent.",
                key="accuracy",
            )
        if self.accuracy is not None and self.statistic.margins is None and len(self.statistic.parts) > 1:
            raise PremiseError(
                f"{self.statistic.shown} is several numbers, each of its own accuracy.",
                "Give an epsilon; the plan shows the accuracy of each. Or ask for each by itself.",
                key="accuracy",
            )
        if self.accuracy is not None and self.statistic.margins is not None:
            raise PremiseError(
                f"{self.statistic.shown} has several tables, each of its own accuracy.",
                "Give an epsilon; the plan shows the accuracy of every margin.",
                key="accuracy",
            )


def _made_of(statistic: Statistic) -> str:
    return "a sum and a count" if statistic.inputs == PAIR else "sums and a count"


def ask(
    statistic: Statistic,
    *,
    epsilon: Any = None,
    accuracy: Any = None,
    alpha: Any = DEFAULT_ALPHA,
    lock: bool = False,
) -> Asked:
    """Return a validated statistic with its cost."""
    return Asked(
        statistic=statistic,
        epsilon=None if epsilon is None else positive(epsilon, name="epsilon"),
        accuracy=None if accuracy is None else positive(accuracy, name="accuracy"),
        alpha=probability(alpha, name="alpha"),
        lock=lock,
    )
