"""Bias, variance, mean squared and mean absolute error of the output for a guessed value, and the range of the bias.

Everything is an enclosure in data units, from the law's tails summed outward from the value, where
nothing cancels. The range of the bias over the public range needs no walk over its cells: the bias is a periodic part
plus a part that falls with the value, so it is largest within one grid step of the lower end and least within one of
the upper end. There it is A + P z - Q/z - r, z = e^(r/lam), in each cell, with stationary points P z^2 - lam z + Q = 0.
Theory: docs/theory/planning.md, (12)-(17).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from snapdp.accuracy.error import Event, chance, guess, mirrored, public_range, ratio_to_exact
from snapdp.errors import ParameterError
from snapdp.exact.dyadic import HALF, nearest_index
from snapdp.exact.enclosure import Enclosure, enclose, maximum, refine, refined
from snapdp.exact.functions import NARROW_BITS, exp_enclosure, exp_of, expm1_enclosure, ln_of, sqrt_of
from snapdp.exact.numbers import parameter
from snapdp.mechanism.definition import clamped_index
from snapdp.mechanism.law.law import ZERO, law_of
from snapdp.mechanism.parameters import Inner, SnappingParameters

_NEGLIGIBLE = Fraction(1, 1 << 256)  # of the grid: a bias of exactly 0 is enclosed to this


def bias(p: SnappingParameters, value: Any) -> Enclosure:
    """Return E output - value for a guessed value, in data units."""
    return law_of(guess(p, value), p).bias


def expected_bias(p: SnappingParameters, guesses: Mapping[Any, Any] | Iterable[Any]) -> Enclosure:
    """Return the bias averaged over guesses: {guess: weight}, or a collection of guesses that weigh the same.

    Weights need not add up to 1.        docs/theory/utility.md, (4)
    """
    return weighted_mean((bias(p, value), weight) for value, weight in weighed(guesses))


def weighed(guesses: Mapping[Any, Any] | Iterable[Any]) -> list[tuple[Any, Fraction]]:
    """Return guesses with their weights, in their order; a text and a number are one guess, which `bias` takes."""
    if isinstance(guesses, (str, bytes)) or not isinstance(guesses, Iterable):
        raise ParameterError("guesses are not a collection.", "Give a list of guesses, or {guess: weight}.")
    given = guesses.items() if isinstance(guesses, Mapping) else [(guess, 1) for guess in guesses]
    known = [(value, parameter(weight, name="weight")) for value, weight in given]
    if any(weight < 0 for _, weight in known) or not any(weight for _, weight in known):
        raise ParameterError("guesses need weights that are not negative and not all 0.", "Give {guess: weight}.")
    return known


def weighted_mean(figures: Iterable[tuple[Enclosure, Fraction]]) -> Enclosure:
    """Return the mean of figures by their weights, of which one is positive."""
    total, sum_of_weights = ZERO, Fraction(0)
    for figure, weight in figures:
        total, sum_of_weights = total + figure * weight, sum_of_weights + weight
    return total / sum_of_weights


def variance(p: SnappingParameters, value: Any) -> Enclosure:
    """Return E (output - E output)**2 for a guessed value, in squared data units."""
    return law_of(guess(p, value), p).variance


def mse(p: SnappingParameters, value: Any) -> Enclosure:
    """Return E (output - value)**2 for a guessed value, in squared data units."""
    return law_of(guess(p, value), p).mse


def expected_absolute_error(p: SnappingParameters, value: Any) -> Enclosure:
    """Return E |output - value| for a guessed value, in data units.

        E|output - f| = up + down + |v_c - f| (1 - 2 P(index on the other side of f than v_c))        planning (13)

    up, down  sums over the outputs above and below the nearest output v_c of rises times tails, planning (12)
    """
    f = guess(p, value)
    c = _centre(p, f)
    gap = p.inner_value(c) - f
    across = Event(f, p.high + 1, c - 1) if gap >= 0 else Event(f, c + 1, p.low - 1)

    def compute(bits: int) -> Enclosure:
        return _spread(p, f, c, bits) + (1 - chance(p, across)(bits) * 2) * abs(gap)

    if p.precision is None:
        return refined(compute, relative_bits=NARROW_BITS) * p.unit
    return compute(4 * p.precision.product) * p.unit


def _centre(p: SnappingParameters, f: Fraction) -> int:
    return clamped_index(nearest_index(f, p.grid), p)


def _spread(p: SnappingParameters, f: Fraction, c: int, bits: int) -> Enclosure:
    """Return up + down of planning (12), as the mechanism computes it."""
    if p.precision is not None:
        from snapdp.mechanism.law.finite import FiniteLaw, is_summable  # a release in exact arithmetic never needs it

        if is_summable(p):
            law = FiniteLaw(Inner(f), p)
            return enclose(law.tail_sum(lambda v: v, 1) + law.tail_sum(lambda v: v, -1))
    exact = _up(p, f, c, bits) + _up(mirrored(p), -f, -c, bits)
    return exact * ratio_to_exact(p)


def _up(p: SnappingParameters, f: Fraction, c: int, bits: int) -> Enclosure:
    """Return the sum over j > c of (v_j - v_(j-1)) P(Y >= b_j - f), f <= b_(c+1), exact: planning (12).

    A geometric sum of full steps; an end of the clamp that is no multiple of the grid shortens the step next to it.
    """
    if c >= p.high:
        return ZERO
    x = p.grid / p.noise_scale

    def tail(j: int) -> Enclosure:
        return exp_enclosure(-((j - HALF) * p.grid - f) / p.noise_scale, bits) * HALF

    count = p.high - c
    total = tail(c + 1) * expm1_enclosure(-x * count, bits) / expm1_enclosure(-x, bits) * p.grid
    total = total + tail(p.high) * (p.end_upper - p.high * p.grid)
    return total - tail(p.low + 1) * (p.end_lower - p.low * p.grid) if c == p.low else total


def bias_range(p: SnappingParameters) -> Enclosure:
    """Return [least, greatest] bias over the public range, in data units, each rounded outward within 1e-9.

    In finite precision each tail differs from the exact one by at most a factor, and all of them add up to at most
    noise_scale + grid/2: planning (17).
    """
    lower, upper = public_range(p)
    mirror = mirrored(p)
    greatest = _greatest_bias(p, lower, min(lower + p.grid, upper)).upper
    least = -_greatest_bias(mirror, -upper, min(-upper + p.grid, -lower)).upper
    ratio = ratio_to_exact(p)
    blur = max(ratio.upper - 1, 1 - ratio.lower) * (p.noise_scale + p.grid / 2)
    return Enclosure(least - blur, greatest + blur) * p.unit


def _greatest_bias(p: SnappingParameters, start: Fraction, stop: Fraction) -> Enclosure:
    """Return the greatest inner bias of the values from start to stop, in exact arithmetic."""

    def narrow(e: Enclosure) -> bool:
        size = max(abs(e.lower), abs(e.upper))
        return e.width <= max(size * Fraction(1, 1 << NARROW_BITS), p.grid * _NEGLIGIBLE)

    return refine(lambda bits: maximum(*_suspects(p, start, stop, bits)), until=narrow)


def _suspects(p: SnappingParameters, start: Fraction, stop: Fraction, bits: int) -> Iterator[Enclosure]:
    for c in range(_centre(p, start), _centre(p, stop) + 1):
        left = start if c == p.low else max(start, (c - HALF) * p.grid)
        right = stop if c == p.high else min(stop, (c + HALF) * p.grid)
        yield _bias_at(p, c, left, bits)
        yield _bias_at(p, c, right, bits)
        yield from _local_maximum(p, c, left, right, bits)


def _bias_at(p: SnappingParameters, c: int, f: Fraction, bits: int) -> Enclosure:
    """Return the bias at f in cell c, b_c <= f <= b_(c+1): planning (14)."""
    return _up(p, f, c, bits) - _up(mirrored(p), -f, -c, bits) + (p.inner_value(c) - f)


def _local_maximum(p: SnappingParameters, c: int, left: Fraction, right: Fraction, bits: int) -> Iterator[Enclosure]:
    """Yield the bias at the stationary point of cell c that is a maximum, where it may lie in [left, right].

        z = 2Q/(lam + sqrt(lam^2 - 4PQ)),  z = e^((f - left)/lam)        planning (15)

    P, Q are taken at `left`: there nothing overflows. Where it is not yet clear whether the point lies in the cell,
    the enclosure of the place reaches to the end it is near: then it holds a value that is taken, and the greatest.
    """
    scale = p.noise_scale
    rising, falling = _up(p, left, c, bits), _up(mirrored(p), -left, -c, bits)
    if falling.upper <= 0:
        return
    z = falling * 2 / (sqrt_of(scale * scale - rising * falling * 4, bits) + scale)
    if z.lower <= 0:
        return
    place = ln_of(z, bits) * scale + left  # of the stationary point
    if place.upper < left or place.lower > right:
        return
    inside = Enclosure(max(min(place.lower, right), left), min(max(place.upper, left), right))
    growth = exp_of((inside - left) / scale, bits)
    yield rising * growth - falling / growth + (p.inner_value(c) - inside)
