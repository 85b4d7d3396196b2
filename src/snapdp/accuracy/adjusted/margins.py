"""Least squares for margins of one table: variances and coefficients of every adjusted cell, in closed form.

Room: accuracy. A table with attributes 0..k-1 of d_i categories; a margin is the set of attributes that its cells tell
apart. The space of tables falls apart into one orthogonal part for every set T of attributes, what T adds to its
subsets, and in each part the measured margins that hold T are averaged with weights. No system of equations is solved,
and all margins made from the parts add up exactly.
Theory: docs/theory/adjusted-tables.md, (1)-(6).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from operator import mul
from typing import Any

from snapdp.errors import ParameterError
from snapdp.exact import over_common, positive
from snapdp.values import Value

Margin = tuple[int, ...]  # attributes by their number, in increasing order
TOTAL: Margin = ()


class Contribution(Value):
    """With which coefficient `count` numbers of one source (a margin, a level) enter an adjusted number."""

    source: Any
    coefficient: Fraction
    count: int


class MarginFamily(Value):
    """Which margins of a table are measured, and the variance of a cell of each.

    sizes        categories of each attribute        known_total  the number of rows is known exactly, not measured
    variances    (margin, variance) of every measured margin, as `margin_family` sorts them
    """

    sizes: tuple[int, ...]
    variances: tuple[tuple[Margin, Fraction], ...]
    known_total: bool = False

    @cached_property
    def measured(self) -> dict[Margin, Fraction]:
        return dict(self.variances)

    @cached_property
    def margins(self) -> tuple[Margin, ...]:
        """Return every margin that can be adjusted: those inside a measured one, and a known total."""
        inside = {part for margin in self.measured for part in subsets(margin)}
        return tuple(sorted(inside | ({TOTAL} if self.known_total else set()), key=lambda m: (len(m), m)))

    def cells(self, margin: Iterable[int]) -> int:
        """Return d(margin): how many cells it has."""
        return math.prod(self.sizes[i] for i in margin)

    def cells_but_one(self, margin: Iterable[int]) -> int:
        """Return the product of d_i - 1: in how many ways a cell can differ in all of these attributes."""
        return math.prod(self.sizes[i] - 1 for i in margin)

    def holding(self, part: Margin) -> Iterator[Margin]:
        """Yield the measured margins that hold all attributes of a part."""
        return (margin for margin in self.measured if set(part) <= set(margin))

    def weight(self, margin: Margin, part: Margin) -> Fraction:
        """Return w = 1/(v_S d(S without T)): how much a measured margin S says about a part T.        theory (2)"""
        return 1 / (self.measured[margin] * self.cells(set(margin) - set(part)))

    def weights(self, part: Margin) -> dict[Margin, Fraction]:
        """Return w/W of the measured margins that hold a part: what each contributes to its mean.        theory (3)"""
        if part not in self._weights:
            holding = list(self.holding(part))
            numerators, _ = over_common(self.weight(margin, part) for margin in holding)
            total = sum(numerators)
            self._weights[part] = {m: Fraction(own, total) for m, own in zip(holding, numerators, strict=True)}
        return self._weights[part]

    @cached_property
    def _weights(self) -> dict[Margin, dict[Margin, Fraction]]:
        return {}

    def parts(self, margin: Margin) -> Iterator[Margin]:
        """Yield the parts of an adjusted margin that carry noise: all of its subsets, but not a known total."""
        self.check_adjustable(margin)
        return (part for part in subsets(margin) if part or not self.known_total)

    def variance(self, margin: Margin) -> Fraction:
        """Return the variance of a cell of an adjusted margin.

        sum over T in A of prod_{i in T} (1 - 1/d_i)/(d(A without T)^2 W_T)        theory (5)
        """
        found = Fraction(0)
        for part in self.parts(margin):
            freedom = Fraction(self.cells_but_one(part), self.cells(part))
            total = sum(self.weight(each, part) for each in self.holding(part))
            found += freedom / (self.cells(set(margin) - set(part)) ** 2 * total)
        return found

    def coefficients(self, margin: Margin) -> tuple[Contribution, ...]:
        """Return with which coefficients the cells of every measured margin enter a cell of an adjusted one.

        They depend only on which attributes the two cells agree in: at most 2^k for each measured margin. theory (6)
        """
        parts = list(self.parts(margin))
        cells = self.cells(margin)  # of the margin without a part times those of the part, whatever the part
        found: Counter[tuple[Margin, Fraction]] = Counter()
        for source in self.measured:
            common = tuple(i for i in source if i in margin)
            inside = [part for part in parts if set(part) <= set(common)]
            shares, unit = over_common(self.weights(part)[source] for part in inside)
            for agreeing in subsets(common):
                signs = (math.prod((i in agreeing) * self.sizes[i] - 1 for i in part) for part in inside)
                value = Fraction(sum(map(mul, shares, signs)), unit * cells)
                differing = self.cells_but_one(i for i in common if i not in agreeing)
                found[source, value] += differing * self.cells(set(source) - set(common))
        return tuple(
            Contribution(source=source, coefficient=value, count=count)
            for (source, value), count in found.items()
            if value and count
        )

    def check_adjustable(self, margin: Margin) -> None:
        if margin not in self.margins:
            raise ParameterError(
                f"margin {list(margin)} lies inside no measured margin.",
                f"Margins that can be adjusted: {', '.join(str(list(each)) for each in self.margins)}.",
            )


def margin_family(sizes: Iterable[int], variances: Mapping[Any, Any], *, known_total: bool = False) -> MarginFamily:
    """Return a family of measured margins: {attributes of a margin: variance of its cells}.

    >>> family = margin_family([2, 3], {(0, 1): 2, (0,): 2, (1,): 2})
    >>> family.variance((0, 1)), family.margins
    (Fraction(37, 36), ((), (0,), (1,), (0, 1)))
    """
    counts = tuple(sizes)
    if not all(type(each) is int and each >= 1 for each in counts):
        raise ParameterError("an attribute has no categories.", "Give how many each has, one or more.")
    found = {_margin(key, len(counts)): positive(value, name="variance") for key, value in variances.items()}
    if len(found) != len(variances):
        raise ParameterError("a margin is given twice.", "Give each set of attributes once.")
    if known_total and TOTAL in found:
        raise ParameterError("the total is known and measured.", "A known total is not measured: leave one out.")
    if not found:
        raise ParameterError("no margin is measured.", "Give at least one.")
    listed = sorted(found.items(), key=lambda pair: (len(pair[0]), pair[0]))
    return MarginFamily(sizes=counts, variances=tuple(listed), known_total=known_total)


def _margin(attributes: Any, count: int) -> Margin:
    listed = sorted(attributes)
    if len(set(listed)) != len(listed) or not all(type(i) is int and 0 <= i < count for i in listed):
        raise ParameterError(f"{attributes} is no set of attributes.", f"Attributes are 0 to {count - 1}, each once.")
    return tuple(listed)


def subsets(margin: Margin) -> Iterator[Margin]:
    """Yield all subsets, small ones first."""
    return (part for size in range(len(margin) + 1) for part in combinations(margin, size))
