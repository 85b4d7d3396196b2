"""The universal bound: what any output can tell about the query, proved for every pair of neighbours at once.

The sum, the snap and the clamp are one fixed function of the real number f + noise; so only the tail of
the noise is perturbed, by the factors e^(-shortfall) to e^(surplus), and cells are at least `width` wide. Where sums do
not round the formula is the one by which the mechanism chooses its noise (mechanism/law/finite.py), so that what the
mechanism charges is never judged by less.
All numbers are enclosed outward; the bound is reported as a decimal rounded up.
Theory: docs/theory/verifier-loss.md, (4)-(13), (27)-(30) and (40).
"""

from __future__ import annotations

import math
from fractions import Fraction

from snapdp.display.numbers import general
from snapdp.exact.dyadic import power_of_two, round_places_up
from snapdp.exact.enclosure import maximum
from snapdp.exact.functions import exp_enclosure, expm1_enclosure, ln_enclosure
from snapdp.lab.loss.shape import FAILED, PROVED, Shape, TheoremPremise
from snapdp.lab.semantics.machine import GRID_BITS, Machine
from snapdp.mechanism.law.finite import overhead_of, ratio_of_masses
from snapdp.values import Value

HOPELESS = -2  # in the place of ln of what is not positive: an error above 1 has no bound
Deviations = tuple[Fraction, Fraction, Fraction]  # above, below, and both together


class UniversalBound(Value):
    """The bound and the numbers it is made of; every number rounded to the unfavourable side."""

    loss_upper: Fraction
    proved: Fraction  # the same before it was rounded to a decimal
    base: Fraction  # epsilon_eff * D, the loss if the noise were not rounded
    furthest: Fraction  # tau, the largest noise that matters
    width: Fraction  # w, the least width of a cell
    shortfall: Fraction  # delta-
    surplus: Fraction  # delta+
    above: Fraction  # ln of computed over ideal probability, at most
    below: Fraction  # ln of ideal over computed probability, at most


def working_bits(machine: Machine) -> int:
    return 192 + 2 * machine.p


def stretch_of(shape: Shape, machine: Machine) -> Fraction:
    """Return K = (1 + eta)**j: rounding moves the noise by a factor of at most K either way; theory (4)."""
    assert shape.noise is not None
    return (1 + machine.eta) ** shape.noise.roundings


def furthest_boundary(shape: Shape) -> Fraction:
    """Return tau, the largest distance between a query value and a boundary of the real sum; theory (8), (45)."""
    assert shape.reach is not None
    low, high = shape.boundaries
    return max(shape.reach.upper - low, high - shape.reach.lower) + max(shape.snap.below, shape.snap.above)


def around_the_value(shape: Shape) -> Fraction:
    """Return rho, the largest distance from a query value to an end of the cell that holds it; theory (28)."""
    assert shape.reach is not None
    (low, high), (grid, *_) = shape.boundaries, shape.grid_and_clamp
    return max(grid, shape.reach.upper - high, low - shape.reach.lower)


def tail_errors(distance: Fraction, shape: Shape, machine: Machine) -> tuple[Fraction, Fraction]:
    """Return (shortfall, surplus), rounded up: e^(-eps d - shortfall) <= P(noise beyond d) <= e^(-eps d + surplus).

    Theory (5)-(7); the sampler pays ln(1 + 2 eta) for truncation, ln((1 + eta)/(1 - eta)) in two halves for rounding to
    nearest, nothing for a real draw, and for a grid what a whole step adds at the far end. A draw that is folded about
    1/2 has steps of one size: they cost what a step is worth at the far end, either way; theory (52).
    """
    epsilon, bits = shape.epsilon, working_bits(machine)
    assert shape.noise is not None
    stretch, eta = stretch_of(shape, machine), machine.eta
    shortfall, surplus = epsilon * distance * (stretch - 1), epsilon * distance * (1 - 1 / stretch)
    sampler = "ideal" if shape.noise.laplace else machine.sampler
    if shape.noise.folded:
        step = folded_step(machine)
        near, far = (
            exp_enclosure(shorter(-epsilon * distance * k, bits, up=False), bits) for k in (1 / stretch, stretch)
        )
        surplus += ln_enclosure(shorter(1 + step / near.lower, bits, up=True), bits).upper
        left = shorter(1 - step / far.lower, bits, up=False)
        shortfall -= ln_enclosure(left, bits).lower if left > 0 else HOPELESS
    elif sampler == "ulp":
        surplus += ln_enclosure(1 + 2 * eta, bits).upper
    elif sampler == "nearest":
        surplus += ln_enclosure(1 + eta, bits).upper
        shortfall -= ln_enclosure(1 - eta, bits).lower
    elif sampler == "grid53":
        smallest = exp_enclosure(shorter(-epsilon * distance / stretch, bits, up=False), bits).lower
        surplus += ln_enclosure(shorter(1 + power_of_two(-GRID_BITS) / smallest, bits, up=True), bits).upper
    return shorter(shortfall, bits, up=True), shorter(surplus, bits, up=True)


def folded_step(machine: Machine) -> Fraction:
    """Return g: twice the probability of w <= t on one side of 1/2 lies within g of t, for every sampler; theory (51).

    w = 1 - 2 |U - 1/2| is a multiple of 2**-p, or of 2**-52 for a sampler on the grid of 2**-53.
    """
    return 2 * (power_of_two(-GRID_BITS) if machine.sampler == "grid53" else machine.eta)


def shorter(x: Fraction, bits: int, *, up: bool) -> Fraction:
    """Return a dyadic number near x on the named side: short rationals keep the functions quick."""
    return Fraction((math.ceil if up else math.floor)(x * (1 << bits)), 1 << bits)


def sampler_premise(shape: Shape, machine: Machine) -> TheoremPremise:
    """Judge whether every noise that matters can be drawn: e^(-eps tau K) is at least the smallest U; theory (6)."""
    if shape.noise is not None and shape.noise.laplace:
        return _judged(PROVED, "the Laplace draw is real, rounded once")
    if shape.noise is not None and shape.noise.folded:
        return _folded_premise(shape, machine)
    if machine.sampler == "ideal":
        return _judged(PROVED, "U is real")
    exponent = smallest_exponent(machine)
    if exponent is None:
        return _judged(PROVED, "the exponent of U is unbounded")
    if shape.failed:
        return _judged(FAILED, "U has a least value, and nothing bounds the noise that matters")
    needed = shape.epsilon * furthest_boundary(shape) * stretch_of(shape, machine)
    available = -exponent * ln_enclosure(Fraction(2), 64).lower
    return _compared(needed, available, f"that U from 2**{exponent} on gives")


def _judged(status: str, detail: str) -> TheoremPremise:
    return TheoremPremise(name="sampler range", status=status, detail=detail)


def _compared(needed: Fraction, available: Fraction, source: str) -> TheoremPremise:
    status, relation = (PROVED, "at most") if needed <= available else (FAILED, "above")
    given = f"the {general(available, 6)}/eps {source}"
    return _judged(status, f"noise up to {general(needed, 6)}/eps is needed, {relation} {given}")


def _folded_premise(shape: Shape, machine: Machine) -> TheoremPremise:
    """Judge whether U - 1/2 keeps enough of U for every noise that matters: e^(-eps tau K) is above g; theory (53)."""
    if machine.adds_exactly or machine.sampler == "ideal":
        what = "exact sums" if machine.adds_exactly else "a real U"
        return _judged(FAILED, f"what U - 1/2 keeps of U is not known for {what}")
    smallest = smallest_exponent(machine)
    if machine.sampler != "grid53" and smallest is not None and smallest > -machine.p - 2:
        return _judged(FAILED, f"U has p bits from 2**{smallest} on only, and {machine.p} bits are folded")
    if shape.failed:
        return _judged(FAILED, "U - 1/2 loses the low bits of U, and nothing bounds the noise that matters")
    needed = shape.epsilon * furthest_boundary(shape) * stretch_of(shape, machine)
    available = -ln_enclosure(folded_step(machine), 64).upper
    return _compared(needed, available, "that the steps of U - 1/2 allow")


def smallest_exponent(machine: Machine) -> int | None:
    """Return an exponent down to which U surely has p bits, subnormal floats or not; None where U has no least one."""
    if machine.sampler == "grid53":
        return -GRID_BITS
    if machine.umin is None or machine.sampler == "ideal":
        return None
    return machine.umin + machine.p - 1


def universal_bound(shape: Shape, machine: Machine) -> UniversalBound | None:
    """Return the bound of Theorem 2', or None where a premise fails or cells are too narrow for the errors.

    loss <= eps D + above + below, D the distance of the float query                                   theory (13), (40)
    """
    if shape.failed or sampler_premise(shape, machine).status == FAILED:
        return None
    epsilon = shape.epsilon
    assert shape.reach is not None
    furthest = furthest_boundary(shape)
    width = shape.snap.width
    shortfall, surplus = tail_errors(furthest, shape, machine)
    if shortfall > 1 or surplus > 1:  # the bound would be larger than any epsilon in use
        return None
    if machine.adds_exactly:
        deviations = _deviations_of_an_exact_sum(shape, machine, furthest)
    else:
        deviations = cell_deviations(epsilon * width, shortfall, surplus, working_bits(machine))
    if deviations is None:
        return None
    above, below, overhead = deviations
    base = epsilon * shape.reach.distance
    return UniversalBound(
        loss_upper=round_places_up(base + overhead, decimal_places(machine)),
        proved=base + overhead,
        base=base,
        furthest=furthest,
        width=width,
        shortfall=shortfall,
        surplus=surplus,
        above=above,
        below=below,
    )


def cell_deviations(width: Fraction, shortfall: Fraction, surplus: Fraction, bits: int) -> Deviations | None:
    """Bound ln(computed/ideal) and ln(ideal/computed) of a cell of that many noise scales; theory (10)-(12)."""
    q = exp_enclosure(shorter(-width, bits, up=True), bits)
    q = q.hull(exp_enclosure(shorter(-width, bits, up=False), bits))
    rest = -expm1_enclosure(shorter(-width, bits, up=True), bits)
    rest = rest.hull(-expm1_enclosure(shorter(-width, bits, up=False), bits))
    if rest.lower <= 0:  # narrower than any precision in use
        return None
    # Everything is written with expm1, so that 1 - q and the errors do not cancel.
    loss, gain = -expm1_enclosure(-shortfall, bits), expm1_enclosure(surplus, bits)
    more = maximum((gain + q * loss) / rest, (q + 1) * loss / rest)  # computed/ideal - 1: tail cell, cell that holds f
    less = maximum((loss + q * gain) / rest, (q + 1) * gain / rest)  # 1 - computed/ideal
    if less.upper >= 1:
        return None
    above = max(_ln_up(1 + more.upper, bits), surplus)
    below = max(-_ln_down(1 - less.upper, bits), shortfall)
    return above, below, above + below


def _deviations_of_an_exact_sum(shape: Shape, machine: Machine, furthest: Fraction) -> Deviations | None:
    """Bound the same where boundaries stay where they are, so that each cell is judged by what it can meet.

    Theory (27)-(30), with the mechanism's own formula.
    """
    epsilon, bits = shape.epsilon, working_bits(machine)
    grid, *_ = shape.grid_and_clamp
    more, less = _granularity(epsilon * furthest, shape, machine)
    ratio = ratio_of_masses(
        cell=epsilon * grid,
        largest=epsilon * furthest,
        around=epsilon * around_the_value(shape),
        stretch=stretch_of(shape, machine),
        granularity=more,
        missing=less,
        working=bits,
    )
    if ratio is None:
        return None
    return _ln_up(ratio.upper, bits), -_ln_down(ratio.lower, bits), overhead_of(ratio, bits)


def _granularity(furthest: Fraction, shape: Shape, machine: Machine) -> tuple[Fraction, Fraction]:
    """Return (more, less): P(U <= v) lies between v (1 - less) and v (1 + more), for noise up to `furthest` scales."""
    assert shape.noise is not None
    if shape.noise.laplace or machine.sampler == "ideal":
        return Fraction(0), Fraction(0)
    if machine.sampler == "grid53":
        bits = working_bits(machine)
        smallest = exp_enclosure(shorter(-furthest / stretch_of(shape, machine), bits, up=False), bits).lower
        return shorter(power_of_two(-GRID_BITS) / smallest, bits, up=True), Fraction(0)
    return (2 * machine.eta, Fraction(0)) if machine.sampler == "ulp" else (machine.eta, machine.eta)


def _ln_up(x: Fraction, bits: int) -> Fraction:
    return ln_enclosure(shorter(x, bits, up=True), bits).upper


def _ln_down(x: Fraction, bits: int) -> Fraction:
    short = shorter(x, bits, up=False)
    return ln_enclosure(short if short > 0 else x, bits).lower


def decimal_places(machine: Machine) -> int:
    """Return how many places a loss is rounded to: four more than eta needs."""
    return math.ceil(machine.p * math.log10(2)) + 4


def excess(loss: Fraction, *, epsilon: Fraction, bound: Fraction, machine: Machine) -> Fraction:
    """Return C = (loss - eps)/(B eps eta), the excess in the unit of the published bounds; theory (14)."""
    return (loss - epsilon) / (bound * epsilon * machine.eta)
