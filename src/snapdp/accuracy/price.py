"""The price of snapping: its error relative to the pure Laplace mechanism with the same epsilon.

Room: accuracy. Accuracy is the tight one for any value; the mean squared error is averaged over the phase of the value
relative to the grid, which is exactly 2 lam^2 + grid^2/12. Neither knows a clamp, which only makes errors smaller.
Theory: docs/theory/planning.md, (29)-(30).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from snapdp.accuracy.family import Constants, constants_of
from snapdp.accuracy.tails import confidence, ratio_to_exact
from snapdp.exact import Enclosure, ln_enclosure, positive, rounded_up, sqrt_enclosure
from snapdp.mechanism import DataUnits, SnappingParameters, chosen_grid
from snapdp.values import Value

TABLE_EPSILONS = ("0.01", "0.05", "0.1", "0.25", "0.3", "0.5", "0.7", "0.9", "1", "1.5", "2", "2.5", "4")
_BITS = 128


class Price(Value):
    """Errors of snapping and of the pure Laplace mechanism, in data units, rounded up, and their ratios, rounded up."""

    epsilon: Fraction
    alpha: Fraction
    noise_scale: DataUnits
    grid: DataUnits
    accuracy: DataUnits
    laplace_accuracy: DataUnits
    accuracy_ratio: Fraction
    rmse: DataUnits
    laplace_rmse: DataUnits
    rmse_ratio: Fraction


def price_of_snapping(p: SnappingParameters, *, alpha: Any = "0.05") -> Price:
    """Return what rounding to the grid of p costs, against f + Y with Y ~ Laplace(sensitivity/epsilon)."""
    level = confidence(alpha)
    return _price(
        epsilon=p.epsilon,
        alpha=level,
        laplace_scale=p.sensitivity / p.epsilon,
        own=constants_of(p, level),
        ratio=ratio_to_exact(p).upper,
    )


def price_table(
    *,
    sensitivity: Any = 1,
    alpha: Any = "0.05",
    epsilons: Iterable[Any] = TABLE_EPSILONS,
    grids: Iterable[Any] = ("natural", "fine"),
) -> list[Price]:
    """Return the price of snapping for each epsilon and grid, in exact arithmetic."""
    level, delta = confidence(alpha), positive(sensitivity, name="sensitivity")
    choices = tuple(grids)
    rows = []
    for epsilon in (positive(e, name="epsilon") for e in epsilons):
        scale = delta / epsilon
        for choice in choices:
            grid = chosen_grid(choice, noise_scale=scale, default="fine")
            own = Constants(noise_scale=scale, grid=grid, alpha=level)
            rows.append(_price(epsilon=epsilon, alpha=level, laplace_scale=scale, own=own))
    return rows


def _price(
    *,
    epsilon: Fraction,
    alpha: Fraction,
    laplace_scale: Fraction,
    own: Constants,
    ratio: Fraction = Fraction(1),
) -> Price:
    """Return the record; `ratio` is the most that rounding multiplies a probability by, 1 in exact arithmetic.

    A printed number is off by so little at most, and so is a root of a mean square (Minkowski): it is added to both.
    """
    noise_scale, grid, accuracy = own.unit * own.noise_scale, own.unit * own.grid, own.accuracy
    laplace, laplace_rmse = ln_enclosure(1 / alpha, _BITS) * laplace_scale, _root(2 * laplace_scale**2)
    rmse = _root(phase_average_mse(noise_scale=noise_scale, grid=grid) * ratio) + own.printing_error
    return Price(
        epsilon=epsilon,
        alpha=alpha,
        noise_scale=DataUnits(noise_scale),
        grid=DataUnits(grid),
        accuracy=accuracy,
        laplace_accuracy=DataUnits(rounded_up(laplace.upper)),
        accuracy_ratio=rounded_up(accuracy / laplace.lower),
        rmse=DataUnits(rounded_up(rmse.upper)),
        laplace_rmse=DataUnits(rounded_up(laplace_rmse.upper)),
        rmse_ratio=rounded_up(rmse.upper / laplace_rmse.lower),
    )


def phase_average_mse(*, noise_scale: Fraction, grid: Fraction) -> Fraction:
    """Return the mean squared error averaged over the phase of the value: 2 lam^2 + grid^2/12. planning (30)"""
    return 2 * noise_scale**2 + grid**2 / 12


def _root(x: Fraction) -> Enclosure:
    return sqrt_enclosure(x, _BITS)
