"""The first level of the vector path: the filter for noise computed in single precision from half a first word.

Room: mechanism. Most values of a long vector are settled by a sign and 31 digits of U: half the random bits, and a
logarithm at less than half the price. Where the outputs are a few thousand grid points at most, value and sum are
singles too; elsewhere they are the doubles of the second level. What is in doubt (at most one value in 100 or so) gets
the second half of its word and goes to the filter of `filter`.
Proof: docs/theory/fast-path.md, (14)-(20).
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.exact import LN2, exponent_at_least, to_float_down, to_float_nearest
from snapdp.mechanism.parameters import SnappingParameters
from snapdp.mechanism.sampling.filter import DOUBLE_ROUNDING, Coordinates, Filter, error_bound
from snapdp.randomness import HALF_DIGITS

SINGLE_ROUNDING = Fraction(1, 1 << 23)
SINGLE_LOG_ERROR = Fraction(1, 1 << 18)  # assumed, relative to the largest |ln u|; numpy promises 2**-21
KNOWN_SINGLE_LOG_TOLERANCE = 2.0**-20
SINGLE_EXPONENTS = range(-60, 61)  # grids and noise scales inside these neither overflow nor underflow a single
MOST_DIGITS = 24  # a u below 2**(24 - 31) has at most 24 digits and is a single exactly
WIDEST_SINGLE_BETA = Fraction(1, 256)  # theory (20)


class SingleFilter(Filter):
    """Constants of the first level; `single_sums` says whether value and sum are singles, too."""

    single_sums: bool


def build_single_filter(
    parameters: SnappingParameters, where: Coordinates, *, span: int, value_error: Fraction
) -> SingleFilter | None:
    """Return the first level's filter, or None where the noise spans too many grid steps for it."""
    steps = where.noise_scale / where.grid
    if not {where.exponent, exponent_at_least(where.noise_scale)} <= set(SINGLE_EXPONENTS):
        return None
    digits = min(max(16 + exponent_at_least(steps) // 2, 1), MOST_DIGITS)  # theory (18)
    loads_plainly = where.on_lattice and parameters.step is None and span == where.span  # theory (19)
    for single_sums in (True, False) if loads_plainly else (False,):
        beta = error_bound(
            steps=steps,
            unread=Fraction(1, 1 << digits) + 2 * SINGLE_ROUNDING,
            log_reach=(HALF_DIGITS - digits) * LN2.upper,
            log_error=SINGLE_LOG_ERROR,
            rounding=SINGLE_ROUNDING,
            sum_rounding=SINGLE_ROUNDING if single_sums else DOUBLE_ROUNDING,
            span=span,
            parameters=parameters,
            value_error=value_error,
        )
        if beta <= WIDEST_SINGLE_BETA:
            return SingleFilter(
                noise_scale=to_float_nearest(where.noise_scale),
                grid=float(where.grid),
                smallest=2.0 ** (digits - HALF_DIGITS),
                threshold=to_float_down(where.grid * (Fraction(1, 2) - beta)),
                single_sums=single_sums,
            )
    return None
