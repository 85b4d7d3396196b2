"""Noise that two or three numbers share: it cancels in their sum, their difference, or a multiple of one less another.

Room: testing. Theory: docs/theory/replay-audit.md, (5), (10) and (11).
A combination in which noise cancels varies less than each of its terms. Those that do, in the runs that choose, are
tried on a threshold as single numbers are: on a grid, or rounded one by one, as well as in doubles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

from snapdp.testing.claims import Claims
from snapdp.testing.judges.events import sided
from snapdp.testing.judges.numbers import MOST_COMPARED, NumberSeries
from snapdp.testing.violations import Violation

MOST_OF_THREE = 12  # numbers whose sums of three are tried
LARGEST_DENOMINATOR = 10  # of a ratio of two noises

Terms = Sequence[tuple[Fraction, NumberSeries]]


def cancelling(numbers: Sequence[NumberSeries], claims: Claims) -> Iterator[Violation]:
    """Yield combinations of numbers in which noise cancels, and which tell the inputs apart."""
    moving = [each for each in numbers if each.varies and each.choosing]
    found: list[frozenset[str]] = []
    for terms in _combinations(moving):
        names = frozenset(each.path for _, each in terms)
        if any(known <= names for known in found) or not _varies_less(terms):
            continue
        told_apart = sided(
            combined(terms, [each.first for _, each in terms]),
            combined(terms, [each.second for _, each in terms]),
            combined(terms, [each.choosing for _, each in terms]),
            claims,
        )
        if told_apart is not None:
            found.append(names)
            yield Violation(
                kind="shared-noise",
                sentence=f"noise cancels in {_written(terms)}, which tells the two inputs apart in {told_apart}",
                evidence=(("combination", _written(terms)), ("separated", str(told_apart))),
            )


def _combinations(moving: Sequence[NumberSeries]) -> Iterator[Terms]:
    """Yield sums and differences of two, the multiple that the runs that choose suggest, sums of three."""
    one = Fraction(1)
    for a, b in combinations(moving[:MOST_COMPARED], 2):
        yield ((one, a), (-one, b))
        yield ((one, a), (one, b))
        yield from _multiples(a, b)
    for three in combinations(moving[:MOST_OF_THREE], 3):
        for signs in product((one, -one), repeat=2):
            yield tuple(zip((one, *signs), three, strict=True))


def _multiples(a: NumberSeries, b: NumberSeries) -> Iterator[Terms]:
    """Yield the larger less the multiple of the smaller that two runs suggest, rounded to a simple fraction."""
    wide, narrow = (a, b) if _spread(a.choosing) >= _spread(b.choosing) else (b, a)
    lowest, highest = (pick(range(len(wide.choosing)), key=lambda i: wide.choosing[i]) for pick in (min, max))
    run = narrow.choosing[highest] - narrow.choosing[lowest]
    if not run:
        return
    ratio = (wide.choosing[highest] - wide.choosing[lowest]) / run
    simple = ratio.limit_denominator(LARGEST_DENOMINATOR)
    if abs(simple) > 1:
        yield ((Fraction(1), wide), (-simple, narrow))


def combined(terms: Terms, series: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """Return what a combination is, run by run."""
    factors = [factor for factor, _ in terms]
    return [
        sum((c * value for c, value in zip(factors, each, strict=True)), Fraction(0))
        for each in zip(*series, strict=True)
    ]


def _varies_less(terms: Terms) -> bool:
    """Say whether a combination varies less than each of its terms, in the runs that choose."""
    least = min(abs(factor) * _spread(each.choosing) for factor, each in terms)
    return _spread(combined(terms, [each.choosing for _, each in terms])) < least


def _spread(values: Sequence[Fraction]) -> Fraction:
    return max(values) - min(values)


def _written(terms: Terms) -> str:
    """Return a combination as it is written: "output[1] - 2 output[0]"."""
    (_, first), *others = terms
    told = first.path
    for factor, each in others:
        times = "" if abs(factor) == 1 else f"{abs(factor)} "
        told += f" {'-' if factor < 0 else '+'} {times}{each.path}"
    return told
