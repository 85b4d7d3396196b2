"""How often the outer clamp changes an output, and how wide a clamp must be so that it rarely does.

"Binding" means that the rounded value lies beyond an end of the clamp and is moved to it; that the
output *is* an end point is more frequent and is the law's `clamp_mass`.
Theory: docs/theory/planning.md, (18)-(21).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from snapdp.accuracy.error import (
    ENOUGH_BITS,
    Event,
    chance,
    confidence,
    guess,
    laplace_tail,
    public_range,
    ratio_to_exact,
)
from snapdp.errors import ParameterError, PremiseError
from snapdp.exact.dyadic import HALF, round_down
from snapdp.exact.enclosure import Enclosure, decided_floor, refined
from snapdp.exact.functions import NARROW_BITS, exp_enclosure, ln_enclosure, ln_of, rounded_up
from snapdp.mechanism.parameters import DataUnits, Inner, SnappingParameters
from snapdp.values import Value, replaced

NOTES_BOUND_TIMES_ETA = Fraction(1, 1 << 52)  # the notes choose the precision so that B eta is at most this
NOTES_ETA = Fraction(1, 1 << 118)
_GAMMA_BITS = 256


class Clamp(Value):
    """A clamp for a binding probability gamma.

    bound                  half width of the clamp before it is rounded outward to the grid, rounded up, in data units
    in_sensitivities       the same as `bound=` of a mechanism in finite precision counts it
    low, high              its indices; end_lower, end_upper the released numbers there
    binding                the largest probability over the public range that it changes an output, rounded up
    """

    gamma: Fraction
    method: str
    bound: DataUnits
    low: int
    high: int
    end_lower: DataUnits
    end_upper: DataUnits
    binding: Fraction
    in_sensitivities: Fraction


def binding_probability(p: SnappingParameters, value: Any) -> Enclosure:
    """Return the probability that the outer clamp changes the rounded value, for a guessed value: planning (18)."""
    return binding_at(p, guess(p, value))


def binding_at(p: SnappingParameters, f: Inner) -> Enclosure:
    """Return the binding probability of a clamped inner value, from the law of a clamp that is wider by one."""
    # The least index above the clamp and the greatest below; an end may lie between multiples of the grid.
    above, below = math.floor(p.end_upper / p.grid) + 1, math.ceil(p.end_lower / p.grid) - 1
    wide = replaced(p, low=below, high=above, end_lower=below * p.grid, end_upper=above * p.grid)
    return refined(chance(wide, Event(f, above, below)), relative_bits=NARROW_BITS)


def bound_for(p: SnappingParameters, *, gamma: Any, method: str = "tight") -> Clamp:
    """Return a clamp that changes an output with probability at most gamma, whatever the value in the public range.

    method  "tight": the least margin beyond the range; "notes": B = B' + (k/2)(1 + 2 ln(1/gamma)) sensitivities
    Noise scale, grid and range are those of p; the clamp of p itself plays no part.
    """
    level = confidence(gamma, name="gamma", sure=True)
    if method not in ("tight", "notes"):
        raise ParameterError(f"method = {method!r} is unknown.", 'Give "tight" or "notes".')
    low, high, half_width = (_tight_ends if method == "tight" else _notes_ends)(p, level)
    ratio = _ratio_upper(p, half_width + p.grid)
    bound = DataUnits(rounded_up(p.unit * half_width))
    return Clamp(
        gamma=level,
        method=method,
        bound=bound,
        in_sensitivities=bound / p.sensitivity,
        low=low,
        high=high,
        end_lower=DataUnits(p.offset + p.unit * p.grid * low),
        end_upper=DataUnits(p.offset + p.unit * p.grid * high),
        binding=rounded_up(worst_binding(p, low=low, high=high) * ratio),
    )


def _tight_ends(p: SnappingParameters, gamma: Fraction) -> tuple[int, int, Fraction]:
    """Return the indices of the tight clamp, and its half width before it is rounded outward to the grid."""
    lower, upper = public_range(p)
    half_width = (upper - lower) / 2
    ratio = _ratio_upper(p, half_width + tight_margin(p, gamma)(ENOUGH_BITS).upper + p.noise_scale + p.grid)
    margin = tight_margin(p, round_down(gamma / ratio, _GAMMA_BITS))
    widened = half_width + max(Fraction(0), margin(ENOUGH_BITS).upper - p.grid / 2)
    return -_clamp_index(p, -lower, margin), _clamp_index(p, upper, margin), widened


def _notes_ends(p: SnappingParameters, gamma: Fraction) -> tuple[int, int, Fraction]:
    """Return the same for the clamp of the notes."""
    lower, upper = public_range(p)
    # (k/2)(1 + 2 ln(1/gamma)) sensitivities, k = (2 + 24 2^-52)/(eps - 2^-117), rounded up: planning (21).
    # The notes print it without the factor Delta; it belongs there whenever the range is in data units.
    k = notes_k(p.epsilon)
    margin = rounded_up(p.sensitivity / p.unit * k / 2 * (1 + 2 * ln_enclosure(1 / gamma, ENOUGH_BITS).upper))
    low, high = math.floor((lower - margin) / p.grid), math.ceil((upper + margin) / p.grid)
    return low, high, (upper - lower) / 2 + margin


def tight_margin(p: SnappingParameters, gamma: Fraction) -> Callable[[int], Enclosure]:
    """Return what encloses the distance of the first changed value from the range: planning (20), inner units.

    M = lam ln((1 + e^(-w/lam))/(2 gamma)),  w the width of the public range
    """
    lower, upper = public_range(p)

    def compute(bits: int) -> Enclosure:
        both = exp_enclosure(-(upper - lower) / p.noise_scale, bits) + 1
        return ln_of(both / (2 * gamma), bits) * p.noise_scale

    return compute


def _clamp_index(p: SnappingParameters, end: Fraction, margin: Callable[[int], Enclosure]) -> int:
    """Return the least index k with (k + 1/2) grid >= end + margin and k grid >= end: planning (20).

    The margin is irrational (Lindemann-Weierstrass), so the ceiling is decided: it is one above the floor.
    """
    return max(decided_floor(lambda bits: (margin(bits) + end) / p.grid - HALF) + 1, math.ceil(end / p.grid))


def notes_k(epsilon: Fraction) -> Fraction:
    """Return the k of the notes, at least the grid of their mechanism: planning (21)."""
    if epsilon <= 2 * NOTES_ETA:
        raise PremiseError("the notes' clamp needs epsilon > 2**-117.", 'Take method="tight".', epsilon=epsilon)
    return (2 + 24 * NOTES_BOUND_TIMES_ETA) / (epsilon - 2 * NOTES_ETA)


def worst_binding(p: SnappingParameters, *, low: int, high: int) -> Fraction:
    """Return the largest probability over the range that a clamp to low, high changes an output, rounded up.

    In exact arithmetic,

        P(f) = (e^(-((high + 1/2) grid - f)/lam) + e^(-(f - (low - 1/2) grid)/lam))/2        planning (19)

    convex in f between the ends of the clamp, so largest at an end of the range.
    """

    def at(f: Fraction) -> Fraction:
        up, down = (high + HALF) * p.grid - f, f - (low - HALF) * p.grid

        def compute(bits: int) -> Enclosure:
            return laplace_tail(up, p.noise_scale, bits) + laplace_tail(down, p.noise_scale, bits)

        return refined(compute, relative_bits=NARROW_BITS).upper

    return rounded_up(max(at(f) for f in public_range(p)))


def _ratio_upper(p: SnappingParameters, bound: Fraction) -> Fraction:
    """Return the most that rounding multiplies a probability by, for a clamp of that half width: planning (4).

    The tight clamp is asked for with one noise scale to spare, which a ratio of at most e > 2 cannot use up.
    """
    if p.precision is None:
        return Fraction(1)
    ratio = ratio_to_exact(replaced(p, bound=max(bound, p.value_upper))).upper
    if ratio > 2:
        raise PremiseError("the precision is too small to choose a clamp with it.", "Give more bits.")
    return ratio
