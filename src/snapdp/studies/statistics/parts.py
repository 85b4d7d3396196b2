"""What a statistic releases: integer numerators in cells, and the mechanism of each.

Room: studies. Holds no data.

    statistic = shift + factor * numerator,  the numerator an integer in [lower, upper]        theory (3)

Theory: docs/theory/sensitivities.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from snapdp.errors import BoundError
from snapdp.exact import positive, power_of_two_at_least, to_float_nearest
from snapdp.mechanism import FINE, Mechanism, SnappingParameters, declared, spacing_of_doubles
from snapdp.studies.grouping.margins import Margin
from snapdp.values import Value

PRINTED_PARTS = 1 << 10  # doubles must be at least so many times as close as outputs are


class Numerator(Value):
    """An integer function of the rows: the number a mechanism acts on.

    sensitivity   the most it differs between neighbours
    lower, upper  its public range; both ends are attained by some table, unless `where` speaks of the column itself
    factor, shift statistic = shift + factor * numerator
    integers      the statistic is a whole number: outputs lie on a grid >= 1 and print as integers
    """

    name: str
    sensitivity: int
    lower: int
    upper: int
    factor: Fraction
    shift: Fraction = Fraction(0)
    integers: bool = False

    def statistic(self, numerator: Fraction | int) -> Fraction:
        """Return the statistic that a (released) numerator stands for."""
        return self.shift + self.factor * numerator

    @property
    def statistic_range(self) -> tuple[Fraction, Fraction]:
        """Return the public range in units of the statistic."""
        return self.statistic(self.lower), self.statistic(self.upper)

    @property
    def statistic_sensitivity(self) -> Fraction:
        """Return the sensitivity in units of the statistic."""
        return self.factor * self.sensitivity


class Part(Value):
    """One numerator, released once in each of `cells` cells (bins, groups), each cell by its own mechanism.

    moving   how many sensitivities the cells together move between neighbours, at most (their L1 distance)
    share    of the typed epsilon that the mechanism of each cell runs at
    margin   which columns of the groups tell its cells apart, where the statistic has margins: then its grid is at most
             one unit of the numerator, so that the noise has one law whatever the value is     adjusted-tables (12)
    finer    outputs are so many times closer than the natural grid: numbers of which many are added are hardly moved by
             it then; 0 where the default serves                                                       quantiles (9)
    """

    numerator: Numerator
    cells: int = 1
    moving: int = 1
    share: Fraction = Fraction(1)
    margin: Margin | None = None
    finer: int = 0


def mechanism(part: Part, epsilon: Any, *, title: str | None = None) -> Mechanism:
    """Return the mechanism of each cell of a part, when `epsilon` is what is typed for the whole statistic.

    Exact arithmetic on the numerator; the fine grid, or 1 where that is coarser and the statistic is whole; of margins
    1, or the fine grid where that is finer and the statistic is not whole. A refusal begins with the title of the
    statistic.
    """
    numerator, cell_epsilon = part.numerator, positive(epsilon, name="epsilon") * part.share
    parameters = _parameters(
        epsilon=cell_epsilon,
        sensitivity=numerator.sensitivity,
        lower=numerator.lower,
        upper=numerator.upper,
        grid=part_grid(part, numerator.sensitivity / cell_epsilon),
    )
    if not numerator.integers:
        ends = (numerator.statistic(parameters.data_value(k)) for k in parameters.ends)
        apart = numerator.factor * parameters.data_grid
        check_printable(title or numerator.name, furthest=max(map(abs, ends)), grid=apart)
    return Mechanism(parameters)


@lru_cache(maxsize=4096)  # whoever edits a plan asks for most of them again
def _parameters(**premises: Any) -> SnappingParameters:
    """Return the parameters of a mechanism: they alone are kept, since one that draws is nobody else's."""
    return declared(**premises).parameters


def check_printable(name: str, *, furthest: Fraction, grid: Fraction) -> None:
    """Refuse a statistic whose doubles are too far apart for its outputs.

    A printed number is the double nearest to the released one; it may be off by 1/2048 of the distance of two outputs,
    and no more: theory (16).
    """
    spacing = spacing_of_doubles(furthest)
    if spacing * PRINTED_PARTS > grid:
        raise BoundError(
            f"{name}: doubles near {to_float_nearest(furthest):.6g} are {to_float_nearest(spacing):.3g} apart, too far "
            f"for outputs that are {to_float_nearest(grid):.3g} apart: the printed number would miss what is promised.",
            "Count the column from a public number near its bounds (subtract it first), or ask for less accuracy.",
            furthest=furthest,
            grid=grid,
        )


def integer_grid(noise_scale: Fraction) -> Fraction:
    """Return the grid of a whole statistic: the fine one, but at least 1."""
    return max(Fraction(1), fine_grid(noise_scale))


def fine_grid(noise_scale: Fraction) -> Fraction:
    return power_of_two_at_least(noise_scale) / FINE


def part_grid(part: Part, noise_scale: Fraction) -> Fraction | None:
    """Return the grid of a part; None for the fine one."""
    if part.finer:
        return power_of_two_at_least(noise_scale) / part.finer
    if part.margin is not None:
        return Fraction(1) if part.numerator.integers else min(Fraction(1), fine_grid(noise_scale))
    return integer_grid(noise_scale) if part.numerator.integers else None
