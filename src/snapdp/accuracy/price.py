"""Snapping compared with the pure Laplace mechanism, and p-bit arithmetic with exact arithmetic. Public numbers only.

`price_of_snapping` compares errors: the accuracy is the tight one for any value; the mean squared error is averaged
over the phase of the value relative to the grid, which is exactly 2 lam^2 + grid^2/12. Neither knows a clamp, which
only makes errors smaller. `distance` compares outputs on the same draw: the Laplace mechanism publishes f + Y; snapping
clamps f, adds the same Y, rounds and clamps. `what_bits_cost` compares arithmetics, both on the natural grid.
Theory: docs/theory/planning.md, (26)-(30), and docs/theory/utility.md, (5).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from snapdp.accuracy.clamping import binding_at
from snapdp.accuracy.epsilon import Constants, constants_of
from snapdp.accuracy.error import ENOUGH_BITS, confidence, guessed, laplace_tail, ratio_to_exact, unclamped_enclosure
from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.exact.dyadic import HALF, power_of_two_at_least
from snapdp.exact.enclosure import Enclosure, refined
from snapdp.exact.functions import NARROW_BITS, exp_enclosure, expm1_enclosure, ln_enclosure, rounded_up, sqrt_enclosure
from snapdp.exact.numbers import parameter, positive
from snapdp.mechanism.finite_precision import finite_parameters
from snapdp.mechanism.law.law import ZERO
from snapdp.mechanism.parameters import DataUnits, SnappingParameters, arithmetic_of, chosen_grid
from snapdp.values import Value, replaced

TABLE_EPSILONS = ("0.01", "0.05", "0.1", "0.25", "0.3", "0.5", "0.7", "0.9", "1", "1.5", "2", "2.5", "4")


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
    laplace, laplace_rmse = ln_enclosure(1 / alpha, ENOUGH_BITS) * laplace_scale, _root(2 * laplace_scale**2)
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
    return sqrt_enclosure(x, ENOUGH_BITS)


# The distance of the two mechanisms on the same draw


class DistanceCase(Value):
    """One of the four cases: which clamps bind, how probable that is, and the bound on the distance there, if any."""

    number: int
    inner_binds: bool
    outer_binds: bool
    probability: Enclosure
    bound: DataUnits | None


class Distance(Value):
    """Distance of the Laplace and the snapping mechanism for one value and the same draw, in data units.

    Four cases: neither clamp binds, the inner one, the outer one, both. Where the outer clamp does not bind, the
    distance is at most half a grid step and what the inner clamp took off; where it does, the tail and its expectation
    are closed forms. The draw is a real Laplace variable of the mechanism's own scale, in finite precision too.

    cases   the two of the four cases that this value can meet
    bound   the distance where the outer clamp does not bind, at most: grid/2 plus what the inner clamp takes off
    excess  E (distance - bound)^+, all of it from the outer clamp
    """

    value: Fraction
    cases: tuple[DistanceCase, DistanceCase]
    bound: DataUnits
    excess: Enclosure


def distance(p: SnappingParameters, value: Any) -> Distance:
    """Return the cases of the distance for a guessed value, which may lie outside the public range."""
    asked = guessed(value)
    shift = _split(p, asked)[1]
    inner = shift != 0
    bound = DataUnits(p.unit * (abs(shift) + p.grid / 2))
    outer = binding_at(replaced(p, precision=None), p.inner(asked))
    quiet = DistanceCase(number=1 + inner, inner_binds=inner, outer_binds=False, probability=1 - outer, bound=bound)
    loud = DistanceCase(number=3 + inner, inner_binds=inner, outer_binds=True, probability=outer, bound=None)
    excess = distance_excess(p, value, distance=bound)
    return Distance(value=asked, cases=(quiet, loud), bound=bound, excess=excess)


def distance_excess(p: SnappingParameters, value: Any, *, distance: Any) -> Enclosure:
    """Return E (|Laplace - snapping| - distance)^+ on the same draw, for a distance that only the outer clamp exceeds.

    That is one of at least grid/2 and what the inner clamp takes off, `Distance.bound`.        planning (27)
    """
    z = parameter(distance, name="distance") / p.unit
    f, shift = _split(p, guessed(value))
    if z < abs(shift) + p.grid / 2:
        raise ParameterError("distance is below what rounding and the inner clamp reach.", "Give bound, or more.")
    return refined(lambda bits: _outer_tail(p, f, z, bits), relative_bits=NARROW_BITS) * (p.noise_scale * p.unit)


def distance_tail(p: SnappingParameters, value: Any, *, distance: Any) -> Enclosure:
    """Return P(|Laplace - snapping| > distance) on the same draw; distance >= 0 in data units."""
    z = parameter(distance, name="distance") / p.unit
    if z < 0:
        raise ParameterError("distance is negative.", "Give distance >= 0.")
    f, shift = _split(p, guessed(value))
    if z >= abs(shift) + p.grid / 2:
        return refined(lambda bits: _outer_tail(p, f, z, bits), relative_bits=NARROW_BITS)
    return refined(lambda bits: 1 - _near(p, f - shift, shift, z, bits), relative_bits=NARROW_BITS)


def _split(p: SnappingParameters, value: Fraction) -> tuple[Fraction, Fraction]:
    """Return the inner value, and how much of it the inner clamp (and a step) takes off."""
    f = (value - p.offset) / p.unit
    return f, f - p.inner(value)


def _outer_tail(p: SnappingParameters, f: Fraction, z: Fraction, bits: int) -> Enclosure:
    """Return P(distance > z) for z >= |shift| + grid/2, f as it was before the inner clamp.

    (e^(-(end_upper - f + z)/lam) + e^(-(f - end_lower + z)/lam))/2        planning (27)
    """
    up, down = p.end_upper - f + z, f - p.end_lower + z
    return laplace_tail(up, p.noise_scale, bits) + laplace_tail(down, p.noise_scale, bits)


def _near(p: SnappingParameters, c: Fraction, shift: Fraction, z: Fraction, bits: int) -> Enclosure:
    """Return P(distance <= z): in each cell the draws that leave c + Y within z of v_k - shift. planning (28)."""
    left, right = -shift - z, z - shift
    lowest, highest = (p.low + HALF) * p.grid, (p.high - HALF) * p.grid
    ends = [
        (p.end_lower + left, min(p.end_lower + right, lowest)),
        (max(p.end_upper + left, highest), p.end_upper + right),
    ]
    total = _cells(p, c, max(left, -p.grid / 2), min(right, p.grid / 2), bits)
    for start, stop in ends:
        total = total + _between(start - c, stop - c, p.noise_scale, bits)
    return total


def _between(start: Fraction, stop: Fraction, scale: Fraction, bits: int) -> Enclosure:
    """Return P(start <= Y <= stop)."""
    if start >= stop:
        return ZERO
    if start < 0 < stop:
        return (expm1_enclosure(start / scale, bits) + expm1_enclosure(-stop / scale, bits)) * -HALF
    nearest = min(abs(start), abs(stop))
    return exp_enclosure(-nearest / scale, bits) * expm1_enclosure(-(stop - start) / scale, bits) * -HALF


def _cells(p: SnappingParameters, c: Fraction, left: Fraction, right: Fraction, bits: int) -> Enclosure:
    """Return the sum of P(k grid + left <= c + Y <= k grid + right) over the cells low < k < high: geometric sums."""
    if left >= right:
        return ZERO
    g, first, last = p.grid, p.low + 1, p.high - 1
    above = max(first, math.ceil((c - left) / g))  # from here on all draws are positive
    below = min(last, math.floor((c - right) / g))
    total = _run(p, above * g + left - c, right - left, last - above + 1, bits)
    total = total + _run(p, c - below * g - right, right - left, below - first + 1, bits)
    for k in range(max(first, below + 1), min(last, above - 1) + 1):  # the cell of c
        total = total + _between(k * g + left - c, k * g + right - c, p.noise_scale, bits)
    return total


def _run(p: SnappingParameters, nearest: Fraction, width: Fraction, count: int, bits: int) -> Enclosure:
    """Return the mass of `count` intervals of one width, a grid step apart, the nearest at a distance from 0."""
    if count <= 0:
        return ZERO
    x = p.grid / p.noise_scale
    first = _between(nearest, nearest + width, p.noise_scale, bits)
    return first * expm1_enclosure(-x * count, bits) / expm1_enclosure(-x, bits)


# What bits cost. Both mechanisms are on the natural grid, so that the arithmetic alone differs: the notes' own grid
# follows their noise scale, which is just above 1/epsilon, and doubles where epsilon is a power of two.

BITS = (24, 32, 40, 53, 64, 118)


class CostOfBits(Value):
    """One precision and what it leaves; None where the rule refuses so few bits, `refused` says why.

    lost            epsilon that the noise does not get: what rounding may give away is set aside
    accuracy        of what is printed, at level alpha, for every value and without a clamp, in data units
    accuracy_ratio  to exact arithmetic on the natural grid, rounded up
    """

    arithmetic: str
    bits: int
    lost: Fraction | None = None
    accuracy: DataUnits | None = None
    accuracy_ratio: Fraction | None = None
    refused: str | None = None


def what_bits_cost(
    p: SnappingParameters, *, bits: int | Iterable[int] | None = None, arithmetic: str = "proved", alpha: Any = "0.05"
) -> tuple[CostOfBits, ...]:
    """Return what each precision costs a mechanism with the epsilon, sensitivity and range of p.

    arithmetic  "proved" or "notes": the rule by which the effective epsilon is chosen
    """
    level = confidence(alpha)
    if arithmetic_of(arithmetic) is None:
        raise ParameterError("exact arithmetic has no bits, and loses nothing.", 'Give "proved" or "notes".')
    chosen = BITS if bits is None else (bits,) if isinstance(bits, int) else bits
    return tuple(_cost(p, arithmetic, each, level) for each in chosen)


def _cost(p: SnappingParameters, arithmetic: str, bits: int, alpha: Fraction) -> CostOfBits:
    asked, d = arithmetic_of(arithmetic, bits), p.declared
    assert asked is not None
    declared = {"epsilon": d.epsilon, "sensitivity": d.sensitivity, "lower": d.lower, "upper": d.upper}
    try:
        finite = finite_parameters(**declared, arithmetic=asked)
    except (BoundError, PremiseError) as refusal:
        return CostOfBits(arithmetic=arithmetic, bits=bits, refused=refusal.problem)
    scale = 1 / d.epsilon
    exact = unclamped_enclosure(noise_scale=scale, grid=power_of_two_at_least(scale), alpha=alpha)
    found = constants_of(finite, alpha).accuracy
    return CostOfBits(
        arithmetic=arithmetic,
        bits=bits,
        lost=d.epsilon - 1 / finite.noise_scale,
        accuracy=found,
        accuracy_ratio=rounded_up(found / (d.sensitivity * exact.lower)),
    )
