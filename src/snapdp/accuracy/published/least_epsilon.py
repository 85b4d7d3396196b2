"""The least epsilon at which the mechanism of the notes has an accuracy: in its arithmetic, on its grid, at its bound.

Room: accuracy. The exact answer beside (6.4) and (6.5). Every value within the bound counts, and the clamp lies at the
bound: not the mechanism that `plan` would make of the same range, which puts the clamp further out. The search is that
of docs/theory/planning.md, (36) and (37), band by band; where it begins is derived here.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from snapdp.accuracy.epsilon import laplace_epsilon, least_in_bands
from snapdp.accuracy.error import published_bound
from snapdp.accuracy.four_digits import decimal, index_down
from snapdp.accuracy.published.claim import Setting
from snapdp.accuracy.published.printed_mechanism import PrintedMechanism
from snapdp.accuracy.tails import exceeds, worst_exceeds
from snapdp.errors import PremiseError
from snapdp.exact import HALF, ln_enclosure

_BITS = 128


def has_accuracy(s: Setting, m: PrintedMechanism) -> bool:
    """Return whether a mechanism has the target accuracy at every value within its bound: by its exact law."""
    return not worst_exceeds(m.parameters, s.target, s.alpha)


def least_epsilon(s: Setting) -> Fraction:
    """Return the least epsilon of four digits that has the target accuracy; 0 where every epsilon has it."""
    m = s.mechanism
    if s.target >= 2 * m.bound:
        return Fraction(0)  # no error is larger
    return _searched(s, _floor(s), lambda each: has_accuracy(s, each))


def least_epsilon_promised(s: Setting) -> Fraction:
    """Return the least epsilon of four digits for which lambda' ln(1/alpha) + Lambda'/2 is at most the target."""

    def promised(m: PrintedMechanism) -> bool:
        # The logarithm of a rational other than 1 is irrational: decided.
        shape = {"noise_scale": m.noise_scale, "grid": m.grid}
        return not exceeds(lambda bits: published_bound("notes", ln_enclosure(1 / s.alpha, bits), **shape), s.target)

    return _searched(s, laplace_epsilon(s.target, s.alpha, Fraction(1)), promised)


def _searched(s: Setting, start: Fraction, meets: Callable[[PrintedMechanism], bool]) -> Fraction:
    m = s.mechanism
    if m.grid_given and 2 * s.target <= m.grid:
        raise PremiseError("no epsilon may have that accuracy on the grid given.", "Ask for more than half of it.")
    first = index_down(start)
    if m.eta:
        first = max(first, index_down(2 * m.eta) + 1)  # eps' needs epsilon > 2 eta
    return least_in_bands(lambda n: meets(m.at(epsilon=decimal(n))), first, m.epsilon_at)


def _floor(s: Setting) -> Fraction:
    """Return an epsilon below which none has the target accuracy a < 2 B.

    At f = B an output is below B - a, too far, wherever the noise is below -a - Lambda'/2, and the clamp at -B does not
    hinder it: P(|output - f| > a) >= e^(-(a + Lambda'/2)/lambda')/2, where Lambda' <= 2 lambda' or as given. For a < B
    and Lambda' >= 2 B, which is so for eps' <= 1/(2 B), half of all draws give 0 or less.
    """
    m, scales = s.mechanism, ln_enclosure(1 / (2 * s.alpha), _BITS).lower
    if m.grid_given and scales > 0:
        return scales / (s.target + m.grid / 2)
    if not m.grid_given and scales > 1:
        return (scales - 1) / s.target
    if not m.grid_given and s.target < m.bound and s.alpha < HALF:
        return 1 / (2 * m.bound)
    raise PremiseError("at an alpha this large an epsilon as small as one likes may do.", "Give a smaller alpha.")
