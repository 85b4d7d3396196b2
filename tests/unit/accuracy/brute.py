"""Brute force for the planner's tests: tails by looking at every output, values by walking the range."""

from __future__ import annotations

from fractions import Fraction

import snapdp
from snapdp.exact.enclosure import Enclosure
from snapdp.mechanism.law.law import ONE, law_of
from snapdp.mechanism.parameters import Inner, SnappingParameters

F = Fraction


def parameters(**declared) -> SnappingParameters:
    return snapdp.Snapping(**declared).parameters


def outputs(p: SnappingParameters) -> list[Fraction]:
    """Return the inner values of all outputs, low to high."""
    return [p.inner_value(k) for k in range(p.low, p.high + 1)]


def tail(p: SnappingParameters, f: Fraction, a: Fraction, values: list[Fraction] | None = None) -> Enclosure:
    """Return P(|output - f| > a) from the law, the outputs being looked at one by one; inner units."""
    law = law_of(Inner(f), p)
    near = [p.low + i for i, v in enumerate(values or outputs(p)) if abs(v - f) <= a]
    if not near:
        return ONE
    return law.upper_tail(max(near) + 1) + law.lower_tail(min(near))


def accuracy_by_enumeration(p: SnappingParameters, f: Fraction, alpha: Fraction) -> Fraction:
    """Return the smallest |v_k - f| whose tail is at most alpha, trying all of them in order; inner units."""
    values = outputs(p)
    for distance in sorted({abs(v - f) for v in values}):
        found = tail(p, f, distance, values)
        assert found.upper <= alpha or found.lower > alpha
        if found.upper <= alpha:
            return distance
    raise AssertionError("the furthest output is always near enough")


def walk(p: SnappingParameters, count: int) -> list[Fraction]:
    """Return inner values of the range: `count` steps that meet the grid at many phases, and both ends."""
    lower, upper = p.inner(p.lower), p.inner(p.upper)
    return [lower + (upper - lower) * F(i, count) for i in range(count + 1)]


def near_jumps(p: SnappingParameters, a: Fraction, gap: Fraction) -> list[Fraction]:
    """Return values of the range just beside those at which an output comes within a, on both sides of each."""
    lower, upper = p.inner(p.lower), p.inner(p.upper)
    places = [v + sign * (a + side * gap) for v in outputs(p) for sign in (1, -1) for side in (1, 0, -1)]
    return [f for f in places if lower <= f <= upper]


def overlap(a: Enclosure, b: Enclosure) -> bool:
    return a.lower <= b.upper and b.lower <= a.upper
