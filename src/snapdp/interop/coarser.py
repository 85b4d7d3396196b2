"""Spends that dominate given ones and are few enough to be composed in seconds, whatever a ledger holds.

Room: interop. It cannot see data. Each step replaces a pair of laws by one that dominates it, so that what is composed
afterwards stays an upper bound; a usual ledger is below all limits and is composed as it is.

    many kinds      epsilons rounded up to fewer significant bits, the very small ones to a common one
    many releases   k of one kind as one release of which only k * epsilon is known

Theory: docs/theory/shown-composition.md, (13).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from snapdp.exact import floor_log2
from snapdp.interop.losses import PURE, Spend, merged

MOST_KINDS = 200  # different laws and epsilons
MOST_RELEASES = 20_000
MOST_BITS = 12  # of an epsilon that is rounded up
LEAST_SHARE = Fraction(1, 2**40)  # of the sum: an epsilon below is taken for one of this size


def coarser(spends: Iterable[Spend]) -> tuple[Spend, ...]:
    """Return spends that dominate the given ones, of few kinds and not too many.                       theory (13)"""
    return _fewer_releases(_fewer_kinds(merged(spends)))


def _fewer_kinds(every: tuple[Spend, ...]) -> tuple[Spend, ...]:
    least = sum((each.total for each in every), Fraction(0)) * LEAST_SHARE
    found, bits = every, MOST_BITS
    while len(found) > MOST_KINDS and bits > 0:  # with one bit there are 42 powers of two at most, of each law
        found = merged(
            Spend(law=each.law, epsilon=rounded_up(max(each.epsilon, least), bits), times=each.times) for each in every
        )
        bits -= 1
    return found


def rounded_up(x: Fraction, bits: int) -> Fraction:
    """Return the least number >= x > 0 of so many significant bits.

    >>> rounded_up(Fraction(9, 16), 3), rounded_up(Fraction(5), 1)
    (Fraction(5, 8), Fraction(8, 1))
    """
    unit = Fraction(2) ** (floor_log2(x) - bits + 1)
    return -(-x // unit) * unit


def _fewer_releases(every: tuple[Spend, ...]) -> tuple[Spend, ...]:
    together = -(-sum(each.times for each in every) // MOST_RELEASES)
    return every if together <= 1 else merged(one for each in every for one in _joined(each, together))


def _joined(each: Spend, together: int) -> Iterator[Spend]:
    """Yield so many releases together as one, and what is left over as another."""
    whole, rest = divmod(each.times, together)
    if whole:
        yield Spend(law=PURE, epsilon=together * each.epsilon, times=whole)
    if rest:
        yield Spend(law=PURE if rest > 1 else each.law, epsilon=rest * each.epsilon)
