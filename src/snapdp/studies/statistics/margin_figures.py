"""What the margins of a table will be worth, before anything is paid: measured, adjusted, and without any margin.

Room: studies. It cannot see data. Of every margin: accuracy at alpha and standard deviation of a cell as it is
measured, as it is adjusted, and as the sum of cells of the whole table, were that released alone at the same epsilon.
The last tells what margins cost, and what they bring. Cells of a level of a hierarchy differ: the figures are those of
the cell that errs most. All in units of the statistic.
Theory: docs/theory/adjusted-tables.md (13), (27)-(30).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from snapdp.display import four_digits_up
from snapdp.errors import ParameterError
from snapdp.studies.grouping.margins import Margin
from snapdp.studies.statistics.adjusted import TableWorth, noise_of, published_deviation, worth_of_margins
from snapdp.studies.statistics.parts import Part, mechanism
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import Value, replaced

if TYPE_CHECKING:
    from snapdp.accuracy import NumberWorth


class CellError(Value):
    """How far a cell is from the truth: more than `accuracy` with probability alpha at most; its standard deviation."""

    accuracy: Fraction
    deviation: float

    @property
    def text(self) -> str:
        """Return both in short."""
        return f"± {four_digits_up(self.accuracy)} (standard deviation {four_digits_up(Fraction(self.deviation))})"


class MarginFigures(Value):
    """One margin of a line of a plan.

    epsilon    that neighbours may lose in it; 0 where it is known
    measured   None where it is known, and not measured
    alone      as a sum of cells of the whole table, at the epsilon of the line; None where alpha is too small for it
    """

    margin: Margin
    text: str
    cells: int
    epsilon: Fraction
    measured: CellError | None
    adjusted: CellError
    alone: CellError | None


def margin_figures(statistic: Statistic, epsilon: Fraction, alpha: Fraction) -> tuple[MarginFigures, ...]:
    """Return the figures of every margin that is asked for, in order."""
    assert statistic.margins is not None
    parts = {part.margin: part for part in statistic.parts}
    title = statistic.title
    noises = tuple(noise_of(mechanism(part, epsilon, title=title).parameters) for part in statistic.parts)
    worths = worth_of_margins(statistic.margins, noises, alpha)
    return tuple(_figures(statistic, worth, parts.get(worth.margin), epsilon, alpha) for worth in worths)


def _figures(
    statistic: Statistic, worth: TableWorth, part: Part | None, epsilon: Fraction, alpha: Fraction
) -> MarginFigures:
    margins = statistic.margins
    assert margins is not None
    factor = statistic.parts[0].numerator.factor
    return MarginFigures(
        margin=worth.margin,
        text=margins.text(worth.margin),
        cells=worth.cells,
        epsilon=Fraction(0) if part is None else epsilon * part.share * part.moving,
        measured=None if worth.measured is None else _error(worth.measured, factor),
        adjusted=CellError(accuracy=factor * worth.radius, deviation=max(worth.deviations(factor))),
        alone=None if part is None else _alone(statistic, margins.cells_within(worth.margin), epsilon, alpha),
    )


def _error(worth: NumberWorth, factor: Fraction) -> CellError:
    deviation = published_deviation(worth.deviation, factor)
    return CellError(accuracy=factor * worth.radius.radius, deviation=deviation)


def _alone(statistic: Statistic, cells: int, epsilon: Fraction, alpha: Fraction) -> CellError | None:
    """Return the error of a sum of so many cells of the whole table, if that were all that is released."""
    from snapdp.accuracy import NoiseTerm, worth_of_terms

    (table,) = replaced(statistic, margins=None).parts
    places = tuple(range(len(statistic.margins.sizes))) if statistic.margins is not None else ()
    noise = noise_of(mechanism(replaced(table, margin=places), epsilon, title=statistic.title).parameters)
    term = NoiseTerm(coefficient=Fraction(1), noise=noise, count=cells)
    try:
        return _error(worth_of_terms([term], alpha=alpha), table.numerator.factor)
    except ParameterError:  # the clamps of so many cells take up alpha
        return None
