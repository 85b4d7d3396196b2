"""Parameters of the mechanism in p-bit arithmetic, in the order that breaks the circle between bound and noise.

The bound depends on the noise scale, the noise scale on the effective epsilon, and that on the bound.
The order: bound from a noise scale that is surely large enough, then the precision, then the effective epsilon, then
the noise scale rounded up; at the end it is checked that the first assumption held.
Theory: docs/theory/finite-precision.md, (10)-(14).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.exact.dyadic import (
    exponent_at_least,
    exponent_of_power,
    next_above,
    power_of_two_at_least,
    round_digits_up,
    round_up,
)
from snapdp.exact.enclosure import Enclosure, decided_floor
from snapdp.exact.functions import exp_enclosure, ln_enclosure, require_directed_rounding
from snapdp.exact.numbers import positive, probability, shown, to_float_nearest
from snapdp.mechanism.law.finite import proved_loss
from snapdp.mechanism.parameters import (
    FINITE_GAMMA,
    DataUnits,
    Declaration,
    FinitePrecision,
    Inner,
    Precision,
    SnappingParameters,
    chosen_grid,
)

SLACK = 1 + Fraction(1, 1 << 20)  # the noise scale is at most this times sensitivity/epsilon, or the request is refused
SMALLEST_BITS = 118


def finite_parameters(
    *,
    epsilon: Any,
    sensitivity: Any,
    lower: Any,
    upper: Any,
    arithmetic: FinitePrecision,
    grid: Any = None,
    bound: Any = None,
    gamma: Any = None,
) -> SnappingParameters:
    """Return the parameters of the mechanism in p-bit arithmetic; inner = (data - midpoint)/sensitivity."""
    require_directed_rounding()  # now: no draw may be the first to import MPFR
    declared = Declaration.parse(epsilon=epsilon, sensitivity=sensitivity, lower=lower, upper=upper)
    half_width = (declared.upper - declared.lower) / (2 * declared.sensitivity)
    # A noise scale, in sensitivities, that the one chosen later does not exceed.
    # With a slack it is 1/epsilon rounded up to the bits, which may be few.
    rounded = round_up(1 / declared.epsilon, arithmetic.bits) if arithmetic.slack and arithmetic.bits else Fraction(0)
    widest_scale = max(SLACK / declared.epsilon, rounded)
    # The notes' grid comes from the noise scale, which is just above 1/epsilon; the proved rule needs no such thing.
    grid_scale = widest_scale if arithmetic.rule == "notes" else 1 / declared.epsilon
    widest_grid = chosen_grid(grid, noise_scale=grid_scale, default="natural")
    clamp = _bound(bound, gamma, half_width=half_width, noise_scale=widest_scale, grid=widest_grid)
    bits = arithmetic.bits or required_bits(epsilon=declared.epsilon, bound=clamp)
    precision = Precision.of(bits)
    if arithmetic.rule == "notes":
        effective, scale, chosen = _by_the_notes(declared.epsilon, clamp, precision, grid, widest_scale)
    else:
        solved = (
            _with_slack(declared.epsilon, arithmetic.slack, clamp, precision, widest_grid)
            if arithmetic.slack
            else _proved(declared.epsilon, clamp, precision, widest_grid)
        )
        effective, scale, chosen = *solved, widest_grid
    if scale > widest_scale:
        raise _too_few_bits(declared.epsilon, bits)
    edge = math.ceil(half_width / chosen)
    return SnappingParameters(
        declared=declared,
        offset=DataUnits((declared.lower + declared.upper) / 2),
        unit=declared.sensitivity,
        noise_scale=Inner(scale),
        grid=chosen,
        value_lower=Inner(-edge * chosen),
        value_upper=Inner(edge * chosen),
        low=-int(clamp / chosen),
        high=int(clamp / chosen),
        end_lower=Inner(-clamp),
        end_upper=clamp,
        precision=precision,
        effective_epsilon=effective,
        bound=clamp,
        rule=arithmetic.rule,
        slack=arithmetic.slack,
    )


def explicit_parameters(
    *,
    noise_scale: Fraction,
    grid: Fraction,
    bound: Fraction,
    precision: Precision | None,
    epsilon: Fraction | None = None,
) -> SnappingParameters:
    """Return parameters from inner constants as they stand, for enumeration, counterexamples and the verifier.

    Nothing ties them to an epsilon: the caller asks `law` and `loss` what they are worth. bound need not be a multiple
    of the grid: the end indices then stand for -bound and bound.
    """
    if precision is not None and exponent_of_power(Fraction(noise_scale.denominator)) is None:
        raise ParameterError("the noise scale of p-bit arithmetic must be a binary float.", "Round it up to p bits.")
    highest = math.ceil(bound / grid)
    return SnappingParameters(
        declared=Declaration.parse(
            epsilon=1 / noise_scale if epsilon is None else epsilon, sensitivity=1, lower=-bound, upper=bound
        ),
        offset=DataUnits(Fraction(0)),
        unit=DataUnits(Fraction(1)),
        noise_scale=Inner(noise_scale),
        grid=Inner(grid),
        value_lower=Inner(-bound),
        value_upper=Inner(bound),
        low=-highest,
        high=highest,
        end_lower=Inner(-bound),
        end_upper=Inner(bound),
        precision=precision,
        effective_epsilon=1 / noise_scale,
        bound=Inner(bound),
    )


def required_bits(*, epsilon: Fraction, bound: Fraction) -> int:
    """Return the notes' precision: p >= 118, p >= m + 2 with 2**-m >= epsilon, p >= 52 + log2(bound)."""
    return max(SMALLEST_BITS, bits_above(epsilon), 52 + exponent_at_least(bound))


def bits_above(epsilon: Fraction) -> int:
    """Return m + 2, 2**-m the least power of two >= epsilon: the fewest bits with epsilon > 2 eta."""
    return -exponent_at_least(epsilon) + 2


def sufficient_bound(*, half_width: Fraction, noise_scale: Fraction, grid: Fraction, gamma: Fraction) -> Inner:
    """Return the least multiple of the grid at which an output stands, changed or not, with probability gamma at most.

        B >= B' + Lam/2 + lam ln((1 + e^(-2B'/lam))/(2 gamma)),  B >= B'        theory (10)

    The logarithm is irrational (Lindemann-Weierstrass: theory, below (10)), so the ceiling is decided: it is one above
    the floor, which is decided also where gamma is 1/2 and the logarithm is above 0 by less than any enclosure shows.
    """

    def grid_steps(bits: int) -> Enclosure:
        inside = (exp_enclosure(-2 * half_width / noise_scale, bits) + 1) / (2 * gamma)
        logarithm = Enclosure(ln_enclosure(inside.lower, bits).lower, ln_enclosure(inside.upper, bits).upper)
        return (logarithm * noise_scale + half_width + grid / 2) / grid

    return Inner(max(decided_floor(grid_steps) + 1, math.ceil(half_width / grid)) * grid)


def _bound(asked: Any, gamma: Any, *, half_width: Fraction, noise_scale: Fraction, grid: Fraction) -> Inner:
    allowed = FINITE_GAMMA if gamma is None else probability(gamma, name="gamma", sure=True)
    if gamma is not None and asked is not None:
        raise ParameterError(
            f"gamma chooses a bound, and bound = {shown(asked)} is given.", "Give gamma or a bound, one of the two."
        )
    if asked is None:
        return sufficient_bound(half_width=half_width, noise_scale=noise_scale, grid=grid, gamma=allowed)
    bound = positive(asked, name="bound")
    if bound < half_width:
        raise BoundError(
            f"bound = {shown(bound)} is below the half width of the range, {shown(half_width)} sensitivities.",
            f"Give bound >= {shown(half_width)}, in units of the sensitivity, or leave it out.",
            bound=bound,
            half_width=half_width,
        )
    return Inner(math.ceil(bound / grid) * grid)


def _by_the_notes(
    epsilon: Fraction, bound: Inner, precision: Precision, asked_grid: Any, widest_scale: Fraction
) -> tuple[Fraction, Fraction, Inner]:
    effective = notes_effective_epsilon(epsilon=epsilon, bound=bound, eta=precision.eta)
    if effective <= 0 or (scale := round_up(1 / effective, precision.uniform)) > widest_scale:
        raise _too_few_bits(epsilon, precision.uniform)  # before what such a noise scale breaks as well
    grid = chosen_grid(asked_grid, noise_scale=scale, default="natural")
    if grid < scale:
        raise PremiseError(
            f"the notes' constants need a grid of at least the noise scale, {_about(scale)} sensitivities; "
            f"{shown(grid)} is below it.",
            f"Take {shown(power_of_two_at_least(scale))} sensitivities or more, or "
            'arithmetic="proved", which holds for every grid.',
            grid=grid,
        )
    if bound <= scale:
        raise PremiseError(
            f"the notes' constants need a bound above the noise scale, {_about(scale)} sensitivities; "
            f"bound = {shown(bound)} is not.",
            'Widen the range or the bound, or take arithmetic="proved", which holds for every bound.',
            bound=bound,
        )
    return effective, scale, grid


def _about(scale: Fraction) -> str:
    from snapdp.display.numbers import four_digits  # in refusals only

    return four_digits(scale)


def notes_effective_epsilon(*, epsilon: Fraction, bound: Fraction, eta: Fraction) -> Fraction:
    """Return the parameter of the inner noise under the notes' constants; bound in sensitivities.

        eps' = (eps - 2 eta)/(1 + 12 B eta)        theory (11)

    >>> notes_effective_epsilon(epsilon=Fraction(1), bound=Fraction(1024), eta=Fraction(1, 2**53))
    Fraction(900719925474099, 900719925475328)
    """
    return (epsilon - 2 * eta) / (1 + 12 * bound * eta)


def _proved(epsilon: Fraction, bound: Inner, precision: Precision, grid: Inner) -> tuple[Fraction, Fraction]:
    """Return (effective epsilon, noise scale) such that the proved bound at that scale is at most epsilon.

    The overhead barely depends on the noise scale, so setting aside what a try exceeded meets the target; and a try
    is at least one float above the last.
    """
    scale = round_up(1 / epsilon, precision.product)
    for _ in range(16):
        loss = proved_loss(noise_scale=scale, grid=grid, bound=bound, precision=precision)
        if loss is None or loss - 1 / scale >= epsilon:
            break
        if loss <= epsilon:
            return 1 / scale, scale
        needed = round_up(1 / (epsilon - (loss - 1 / scale)), precision.product)
        scale = max(needed, next_above(scale, precision.product))
    raise _too_few_bits(epsilon, precision.uniform)


def _with_slack(
    epsilon: Fraction, slack: Fraction, bound: Inner, precision: Precision, grid: Inner
) -> tuple[Fraction, Fraction]:
    """Return (effective epsilon, noise scale): 1/epsilon rounded up, if the proved loss is at most epsilon + slack."""
    scale = round_up(1 / epsilon, precision.product)
    loss = proved_loss(noise_scale=scale, grid=grid, bound=bound, precision=precision)
    if loss is None or loss > epsilon + slack:
        known = (
            ""
            if loss is None
            else f" It is proved to be at most {to_float_nearest(round_digits_up(loss - epsilon, 2))} above it."
        )
        raise PremiseError(
            f"with {precision.uniform} bits the loss may exceed epsilon by more than slack = {shown(slack)}.{known}",
            "Declare a larger slack, or give more bits, a narrower range or a coarser grid.",
            slack=slack,
            bits=precision.uniform,
        )
    return 1 / scale, scale


def _too_few_bits(epsilon: Fraction, bits: int) -> PremiseError:
    return PremiseError(
        f"{bits} bits are too few for epsilon = {shown(epsilon)} and this range: rounding would use up a visible part.",
        "Give more bits (or leave bits out to have them chosen), a coarser grid, or a larger epsilon. "
        'To study few bits, declare in Python what they lose beyond it: FinitePrecision(bits=24, slack="0.01").',
        epsilon=epsilon,
        bits=bits,
    )
