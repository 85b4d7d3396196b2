"""Upper bounds on the privacy loss of the mechanism in p-bit arithmetic: the proved one, and two published ones.

Room: mechanism. Functions of public numbers only. `proved_loss` is what rule="proved" charges, by a formula that the
verifier asks for every machine whose sum is exact; `mironov_loss` and `liu_loss` are claims of the literature, each
refused where its premises fail (they are false there).
Theory: docs/theory/finite-precision.md, (3)-(9).
"""

from __future__ import annotations

import math
from fractions import Fraction

from snapdp.errors import PremiseError
from snapdp.exact import Enclosure, exp_enclosure, expm1_enclosure, ln_enclosure, maximum
from snapdp.mechanism.arithmetic import Precision
from snapdp.mechanism.parameters import SnappingParameters


def proved_loss(
    *, noise_scale: Fraction, grid: Fraction, bound: Fraction, precision: Precision, distance: Fraction = Fraction(1)
) -> Fraction | None:
    """Return a proven upper bound on the loss of two inputs `distance` apart; None where the proof gives none.

    loss <= d/lam + ln((1 + Ru)/(1 - Rd)),   holds for every grid > 0 and bound > 0        theory (3)-(6)
    """
    overhead = proved_overhead(noise_scale=noise_scale, grid=grid, bound=bound, precision=precision)
    return None if overhead is None else distance / noise_scale + overhead


def proved_overhead(*, noise_scale: Fraction, grid: Fraction, bound: Fraction, precision: Precision) -> Fraction | None:
    """Return ln((1 + Ru)/(1 - Rd)), rounded up: the price of p-bit arithmetic, paid once for each differing output."""
    ratio = mass_ratio(noise_scale=noise_scale, grid=grid, bound=bound, precision=precision)
    if ratio is None:
        return None
    return overhead_of(ratio, _working_bits(precision))


def overhead_of(ratio: Enclosure, bits: int) -> Fraction:
    """Return ln(upper/lower) of the ratios of masses, rounded up: what two values differ by beyond the exact law."""
    return ln_enclosure(_shortened_up(ratio.upper / ratio.lower, bits), bits).upper


def mass_ratio(*, noise_scale: Fraction, grid: Fraction, bound: Fraction, precision: Precision) -> Enclosure | None:
    """Return [1 - Rd, 1 + Ru]: finite over exact probability of every output, for every value within the bound.

    None where the proof gives no positive lower end. Theory (4)-(6); q = e^(-grid/noise_scale), T the largest noise.
    """
    largest = (math.ceil(bound / grid) - Fraction(1, 2)) * grid + bound
    return ratio_of_masses(
        cell=grid / noise_scale,
        largest=largest / noise_scale,
        around=grid / noise_scale,
        stretch=(1 + Fraction(1, 1 << precision.logarithm)) * (1 + Fraction(1, 1 << precision.product)),
        granularity=Fraction(2, 1 << precision.uniform),
        working=_working_bits(precision),
    )


def ratio_of_masses(
    *,
    cell: Fraction,
    largest: Fraction,
    around: Fraction,
    stretch: Fraction,
    granularity: Fraction,
    working: int,
    missing: Fraction = Fraction(0),
) -> Enclosure | None:
    """Return [1 - Rd, 1 + Ru] of theory (4), (5) in noise scales, for this room and for the verifier alike.

    cell         width of an output's cell                     largest  T, the largest noise that matters
    around       from a value to the ends of the cell it is in  stretch  H, by which roundings move the noise
    granularity  P(U <= v) is at most v (1 + granularity) and at least v (1 - missing)
    """
    if largest * (stretch - 1) > 1:  # the bound would be larger than any epsilon in use
        return None

    def deficit(t: Fraction) -> Enclosure:  # kd(t)
        shrunk = -expm1_enclosure(-t * (stretch - 1), working)
        return shrunk + missing * exp_enclosure(-t * (stretch - 1), working) if missing else shrunk

    def surplus(t: Fraction) -> Enclosure:  # ku(t)
        growth = t * (1 - 1 / stretch)
        return expm1_enclosure(growth, working) + granularity * exp_enclosure(growth, working)

    q = exp_enclosure(-cell, working)
    one_minus_q = -expm1_enclosure(-cell, working)
    near = (q + 1) / one_minus_q
    above = maximum((surplus(largest) + q * deficit(largest)) / one_minus_q, deficit(around) * near)
    below = maximum((deficit(largest) + q * surplus(largest)) / one_minus_q, surplus(around) * near)
    return None if below.upper >= 1 else Enclosure(1 - below.upper, 1 + above.upper)


def _working_bits(precision: Precision) -> int:
    return 192 + 2 * max(precision.uniform, precision.logarithm, precision.product)


def _shortened_up(x: Fraction, bits: int) -> Fraction:
    """Return a dyadic number >= x with that many bits after the point: short rationals keep the logarithm quick."""
    return Fraction(math.ceil(x * (1 << bits)), 1 << bits)


def mironov_loss(parameters: SnappingParameters) -> Fraction:
    """Return eps'(1 + 12 B eta) + 2 eta, Mironov's bound as the notes quote it, for inputs one sensitivity apart.

    Premises: one precision in every step, B > noise scale, grid >= noise scale. Tested, not proved.
    """
    eta, bound = _published_premises(parameters, "Mironov's bound")
    return mironov_formula(effective_epsilon=1 / parameters.noise_scale, bound=bound, eta=eta)


def mironov_formula(*, effective_epsilon: Fraction, bound: Fraction, eta: Fraction) -> Fraction:
    """Return eps'(1 + 12 B eta) + 2 eta, whatever the premises; bound in sensitivities."""
    return effective_epsilon * (1 + 12 * bound * eta) + 2 * eta


def liu_loss(parameters: SnappingParameters) -> Fraction:
    """Return eps'(1 + 23 B eta), Liu's bound, for inputs one sensitivity apart.

    Premises: those of Mironov's bound, and B eps' eta <= 2**-11.
    """
    eta, bound = _published_premises(parameters, "Liu's bound")
    if bound * eta / parameters.noise_scale > Fraction(1, 1 << 11):
        raise PremiseError("Liu's bound needs bound * epsilon * eta <= 2**-11.", "Use the proved bound instead.")
    return liu_formula(effective_epsilon=1 / parameters.noise_scale, bound=bound, eta=eta)


def liu_formula(*, effective_epsilon: Fraction, bound: Fraction, eta: Fraction) -> Fraction:
    """Return eps + 23 B eps eta, whatever the premises; bound in sensitivities."""
    return effective_epsilon * (1 + 23 * bound * eta)


def _published_premises(parameters: SnappingParameters, claim: str) -> tuple[Fraction, Fraction]:
    precision, bound = parameters.precision, parameters.bound
    if precision is None or bound is None:
        raise PremiseError(f"{claim} is about finite precision.", "In exact arithmetic the loss is epsilon itself.")
    if not precision.uniform == precision.logarithm == precision.product:
        raise PremiseError(f"{claim} needs one precision in every step, the uniform too.", "Use the proved bound.")
    if bound <= parameters.noise_scale:
        raise PremiseError(f"{claim} needs bound > noise scale.", "Widen the bound, or use the proved bound.")
    if parameters.grid < parameters.noise_scale:
        raise PremiseError(f"{claim} needs grid >= noise scale.", "Coarsen the grid, or use the proved bound.")
    return precision.eta, bound
