"""What adjusted tables will be worth, before anything is paid: deviation and radius of every margin, or kind of node.

From the noise of every measurement alone; no data. The deviation is that of the noise as it is, not the
number that least squares reckon with; the radius holds with probability 1 - alpha for one cell, not for all at once.
Theory: docs/theory/adjusted-tables.md, (29), (30), (34).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from snapdp.accuracy.adjusted.margins import Contribution, Margin, margin_family
from snapdp.accuracy.adjusted.noise import NoiseTerm, SnappedNoise
from snapdp.accuracy.adjusted.radius import Radius, bounded_radius, radius_of, variance_of
from snapdp.accuracy.adjusted.trees import CountTree, TreeNumbers
from snapdp.exact.enclosure import Enclosure, enclose
from snapdp.exact.functions import sqrt_of
from snapdp.values import Value

_ROOT_BITS = 128  # beyond those to which the variance is enclosed


class NumberWorth(Value):
    """What one number is worth: the standard deviation of its noise, and its radius at 1 - alpha."""

    deviation: Enclosure
    radius: Radius


class MarginWorth(Value):
    """What a cell of a margin is worth as it is measured (None where it is not) and as it is adjusted."""

    margin: Margin
    cells: int
    measured: NumberWorth | None
    adjusted: NumberWorth


class NodeWorth(Value):
    """What a node of a tree is worth as it is measured (None where it is not) and as it is adjusted.

    node  the first one of its kind        nodes  how many there are of it
    """

    node: int
    nodes: int
    measured: NumberWorth | None
    adjusted: NumberWorth


def terms_of(coefficients: Iterable[Contribution], noises: Mapping[Any, SnappedNoise]) -> list[NoiseTerm]:
    """Return the noise of an adjusted number: its coefficients, each with the noise of its source."""
    return [NoiseTerm(coefficient=c.coefficient, noise=noises[c.source], count=c.count) for c in coefficients]


def worth_of_terms(terms: Iterable[NoiseTerm], *, alpha: Any) -> NumberWorth:
    """Return what a sum of noises is worth."""
    listed = list(terms)
    return NumberWorth(deviation=sqrt_of(variance_of(listed), _ROOT_BITS), radius=radius_of(listed, alpha=alpha))


def margins_worth(
    sizes: Iterable[int],
    noises: Mapping[Margin, SnappedNoise],
    *,
    alpha: Any = "0.05",
    known_total: bool = False,
    margins: Iterable[Margin] = (),
) -> list[MarginWorth]:
    """Return what every margin of a table that can be adjusted will be worth, or the margins asked for.

    >>> from snapdp.accuracy.adjusted.noise import count_noise
    >>> share = count_noise(epsilon="1/4")
    >>> for each in margins_worth([6, 5], {(): share, (0,): share, (1,): share, (0, 1): share}):
    ...     print(each.margin, f"{float(each.measured.deviation):.2f} {float(each.adjusted.deviation):.2f}")
    () 5.66 4.78
    (0,) 5.66 4.78
    (1,) 5.66 4.78
    (0, 1) 5.66 4.78
    """
    family = margin_family(sizes, {key: noise.weight for key, noise in noises.items()}, known_total=known_total)
    alone = {key: _alone(noise, alpha) for key, noise in noises.items()}
    return [
        MarginWorth(
            margin=margin,
            cells=family.cells(margin),
            measured=alone.get(margin),
            adjusted=worth_of_terms(terms_of(family.coefficients(margin), noises), alpha=alpha),
        )
        for margin in tuple(margins) or family.margins
    ]


def worth_of_kinds(tree: CountTree, noises: Mapping[Any, SnappedNoise], *, alpha: Any) -> list[NodeWorth]:
    """Return what every kind of node of a tree will be worth, in their order, from the noise of every source.

    Where the weights of the tree are rounded radii are bounds, wider than need be, and no coefficients are listed.
    """
    alone = {source: _alone(noise, alpha) for source, noise in noises.items()}
    found = Counter(tree.kinds)
    if tree.short:
        adjusted = _bounded(tree, noises, alpha)
    else:
        every = (terms_of(tree.coefficients({node: 1}), noises) for node in tree.examples)
        adjusted = [worth_of_terms(terms, alpha=alpha) for terms in every]
    return [
        NodeWorth(node=node, nodes=found[tree.kinds[node]], measured=alone.get(tree.sources[node]), adjusted=worth)
        for node, worth in zip(tree.examples, adjusted, strict=True)
    ]


def _bounded(tree: CountTree, noises: Mapping[Any, SnappedNoise], alpha: Any) -> list[NumberWorth]:
    """Return the worth of every kind from sums of squares; every measured number counts as one that enters."""
    numbers = TreeNumbers(tree, noises)
    variances = {source: noise.variance for source, noise in noises.items()}
    entering = sum(source in variances for source in tree.sources)
    found = []
    for kind, spread in enumerate(numbers.spreads):
        variance = enclose(0)
        for source, square in spread.squares.items():
            variance = variance + variances[source] * square
        radius = bounded_radius(numbers.numbers(kind), entering=entering, alpha=alpha)
        found.append(NumberWorth(deviation=sqrt_of(variance, _ROOT_BITS), radius=radius))
    return found


def _alone(noise: SnappedNoise, alpha: Any) -> NumberWorth:
    return worth_of_terms([NoiseTerm(coefficient=Fraction(1), noise=noise)], alpha=alpha)
