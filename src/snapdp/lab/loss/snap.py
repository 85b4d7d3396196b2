"""The snap of a program: how its innermost sum becomes multiples of a grid, between ends, and what is released of them.

Between the sum and the step that makes multiples (round, floor, rint) there may be clamps, and operations that rise,
such as y / 3 and y + 0.5; outside of it one clamp is looked for, and everything else is post-processing. An operation
that rises rounds once, so that a cell still begins at one place of the real sum, the same for every private value; it
lies near where it would without roundings, and `slack` says how near.
Theory: docs/theory/verifier-loss.md, (34)-(36) and (42)-(47).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from snapdp.errors import PremiseError
from snapdp.exact.dyadic import HALF, exponent_of_power, floor_log2, nearest_multiple, power_of_two, round_nearest
from snapdp.lab.language.syntax import (
    Clamping,
    ExactFunction,
    Expression,
    Logarithm,
    Rounding,
    walk,
)
from snapdp.lab.loss.query_path import SNAPPED, constant_operation, substituted
from snapdp.lab.semantics.execution import direction
from snapdp.lab.semantics.floats import evaluate_float
from snapdp.lab.semantics.machine import FUNCTIONS, Machine
from snapdp.values import Value, replaced

ROUND = "round"
Step = Rounding | ExactFunction


class Snap(Value):
    """How the innermost sum becomes an output: the grid, the ends between which outputs lie, and what is released.

    `released` is the output as an expression of the snapped value, named SNAPPED; None where that is the output itself,
    moved between the ends. `unit` is what the sum is multiplied by before it is snapped. The cell of k begins at
    (k - 1/2) grid + offset in the real sum, or up to `below` under or `above` over that.
    """

    grid: Fraction | None = None
    ends: Ends | None = None
    released: Expression | None = None
    unit: Fraction = Fraction(1)
    step: str = ROUND  # what makes multiples of the sum: round, floor or rint
    exact: bool = False  # the step rounds nothing: its own grid is a power of two
    rounded_steps: tuple[RisingStep, ...] = ()  # between the sum and the step, where one of them rounds
    offset: Fraction = Fraction(0)
    below: Fraction = Fraction(0)
    above: Fraction = Fraction(0)
    splits_zero: bool = False  # -0.0 is an output beside 0.0
    needs_nonzero_noise: bool = False  # without it a sum of -0.0 could be told from 0.0

    @property
    def is_plain(self) -> bool:
        """Return whether this is the snap of the theorem: to a grid, ties up, of the sum times a power of two."""
        return self.step == ROUND and not self.rounded_steps

    @property
    def width(self) -> Fraction:
        """Return the least width of a cell; theory (10) and (45)."""
        assert self.grid is not None
        return (self.grid / 2 if self.splits_zero else self.grid) - self.below - self.above


def snap_of(found: tuple[Expression, ...], machine: Machine) -> Snap:
    """Return the snap in the layers of a program: the first rounding outside of the sum, and a clamp in or around it.

    round(clamp(y)) = clamp'(round(y)), clamp' between the rounded ends; clamp(g(x)) for an increasing g bounds the
    multiples of the grid that differ in it; theory (35) and (36). Scaling by a power of two is exact; other steps that
    rise round, and move where cells begin (snap.py).
    """
    between = _Between(machine)
    for place in reversed(range(len(found) - 1)):
        layer = found[place]
        if (makes_multiples := _as_step(layer)) is not None:
            snap = _with_outside(between.snap(makes_multiples), found[: place + 1], machine)
            return _with_cuts(snap, makes_multiples, between)
        if isinstance(layer, Clamping):
            between.clamp(layer)
        elif not machine.adds_exactly and (step := rising_step(layer)) is not None:
            between.add(step)
        else:
            break
    return Snap(ends=between.unsnapped)


def _as_step(layer: Expression) -> Step | None:
    """Return a layer that makes multiples of what is inside of it."""
    if isinstance(layer, Rounding):
        return layer
    return layer if isinstance(layer, ExactFunction) and layer.name in ("floor", "rint") else None


class _Between:
    """What stands between the sum and its snap, met from the sum outward.

    ends       of clamps, as the machine carries them through the steps
    unsnapped  the same in the unit of the sum, as long as nothing rounds: all there is where nothing snaps
    signed     may -0.0 be met here?
    tangled    was it met by a clamp that ends at 0? Then -0.0 is a number that only a private value of -0.0 gives
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.steps: tuple[RisingStep, ...] = ()
        self.ends: Ends | None = None
        self.unsnapped: Ends | None = None
        self.signed, self.tangled = True, False

    @property
    def rounds(self) -> bool:
        return any(step.rounds for step in self.steps)

    def clamp(self, layer: Clamping) -> None:
        ends = self.machine.constant(layer.lower), self.machine.constant(layer.upper)
        self.ends = _composed(self.ends, ends)
        self.tangled = self.tangled or (self.signed and 0 in ends)
        if not self.rounds:
            unit, _ = affine(self.steps)
            self.unsnapped = self.ends[0] / unit, self.ends[1] / unit

    def add(self, step: RisingStep) -> None:
        self.steps += (step,)
        if self.ends is not None:
            low, high = (round_nearest(step.factor * end + step.shift, self.machine.p) for end in self.ends)
            self.ends = low, high
        if step.shift:  # a sum with a number that is not zero is never -0.0
            self.signed = self.tangled = False

    def snap(self, layer: Step) -> Snap:
        """Return the snap of a step after these, with the ends of clamps between them and the sum."""
        (unit, _), own = affine(self.steps), _grid_of(layer)
        step = ROUND if isinstance(layer, Rounding) else layer.name

        def snapped(end: Fraction) -> Fraction:
            return nearest_multiple(end, own) if step == ROUND else FUNCTIONS[step](end)

        return Snap(
            grid=own / unit,
            ends=None if self.ends is None else (snapped(self.ends[0]) / unit, snapped(self.ends[1]) / unit),
            unit=unit,
            step=step,
            exact=exponent_of_power(own) is not None,
            rounded_steps=self.steps if self.rounds else (),
            needs_nonzero_noise={ROUND: False, "floor": self.signed, "rint": self.tangled}[step],
        )


def _grid_of(layer: Step) -> Fraction:
    """Return the grid of a step itself: floor and rint give whole numbers."""
    return layer.grid if isinstance(layer, Rounding) else Fraction(1)


def _composed(inner: Ends | None, outer: Ends) -> Ends:
    """Return the clamp that is one clamp after another."""
    if inner is None:
        return outer
    low, high = (min(max(end, outer[0]), outer[1]) for end in inner)
    return low, high


def _with_outside(snap: Snap, outside: tuple[Expression, ...], machine: Machine) -> Snap:
    """Add what lies outside of the rounding, the last of these layers: the first clamp, and what is released."""
    *outer, rounding = outside
    ends, plain = snap.ends, not outer
    is_plain = snap.is_plain and snap.unit == 1
    for place in reversed(range(len(outer))):
        layer = outer[place]
        if not isinstance(layer, Clamping):
            continue
        if place == len(outer) - 1 and is_plain:
            ends, plain = _composed(ends, (layer.lower, layer.upper)), place == 0
        else:
            reached = _reached(substituted(layer.operand, rounding), layer, snap, machine)
            ends = ends if reached is None else _composed(ends, reached)
        break
    released = None if plain and is_plain else substituted(outside[0], rounding)
    return replaced(snap, ends=ends, released=released)


def _with_cuts(snap: Snap, layer: Step, between: _Between) -> Snap:
    """Add where the cells begin; theory (43)-(46)."""
    grid, machine = snap.grid, between.machine
    assert grid is not None
    slope, shift = affine(between.steps)
    offset = (grid / 2 if snap.step == "floor" else Fraction(0)) - shift / slope
    snap = replaced(snap, offset=offset)
    if snap.ends is None or machine.adds_exactly:
        return snap
    low, high = snap.ends
    if snap.step == "rint" and low <= 0 <= high:  # -0.0 lies between -1 and 0.0: all three are told apart
        snap = replaced(snap, ends=(min(low, -grid), max(high, grid)), splits_zero=True)
    first, last = cell_indices(snap)
    cuts = [(k - (0 if snap.step == "floor" else HALF)) * _grid_of(layer) for k in (first + 1, last)]
    held = all(round_nearest(cut, machine.p) == cut for cut in cuts)
    at_floats = held and snap.step != "rint" and max(map(abs, (first + 1, last))) <= 1 << machine.p
    below, above = slack((min(cuts), max(cuts)), between.steps, at_floats=at_floats, p=machine.p)
    return replaced(snap, below=below, above=above)


def cell_indices(snap: Snap) -> tuple[int, int]:
    """Return the numbers of the first and the last cell, those of the ends."""
    assert snap.grid is not None
    assert snap.ends is not None
    return math.floor(snap.ends[0] / snap.grid), math.ceil(snap.ends[1] / snap.grid)


def released_value(snap: Snap, machine: Machine, multiple: Fraction) -> Fraction | None:
    """Return what is released where the sum, in its own unit, was snapped to a multiple of the grid; None: no number.

    The ends are not applied where the snapped value itself is released: they are no part of what was peeled off.
    """
    if snap.released is None:
        return multiple
    try:
        return evaluate_float(snap.released, {SNAPPED: multiple * snap.unit}, machine)
    except PremiseError:
        return None


def _reached(inside: Expression, clamp: Clamping, snap: Snap, machine: Machine) -> Ends | None:
    """Return the multiples of the grid from which on a clamp of a monotone function of them changes nothing more.

    They are compared with the ends that the machine holds: a sum that is exact may lie between such an end and the
    number that the program states; theory (36).
    """
    trend = direction(inside, SNAPPED, 1)
    # A logarithm gives no number far from the clamp: that is one more output.
    if not trend or snap.grid is None or any(isinstance(part, Logarithm) for part in walk(inside)):
        return None
    grid, most = snap.grid, 1 << machine.p

    def value(k: int) -> Fraction:
        return trend * evaluate_float(inside, {SNAPPED: k * grid * snap.unit}, machine)

    low, high = sorted(trend * machine.constant(end) for end in (clamp.lower, clamp.upper))
    try:
        first = first_index(lambda k: value(k) > low, -most, most)
        last = first_index(lambda k: value(k) >= high, -most, most)
    except PremiseError:
        return None
    return None if first is None or last is None or first <= -most else ((first - 1) * grid, last * grid)


def first_index(holds: Callable[[int], bool], low: int, high: int) -> int | None:
    """Return the least whole number from low to high for which a monotone condition holds; None: it holds for none."""
    if not holds(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


# Where cells begin. Theory: docs/theory/verifier-loss.md, (42)-(45).

Ends = tuple[Fraction, Fraction]


class RisingStep(Value):
    """x -> factor x + shift, rounded once where `rounds`; the factor is positive, and one of the two does nothing."""

    factor: Fraction
    shift: Fraction
    rounds: bool


def rising_step(layer: Expression) -> RisingStep | None:
    """Return the step that an expression is: its operand times, over, plus or minus a constant; None: it is none."""
    operation = constant_operation(layer)
    if operation is None or operation.factor < 0:  # which falls
        return None
    rounds = operation.operator in "+-" or exponent_of_power(operation.factor) is None
    return RisingStep(factor=operation.factor, shift=operation.shift, rounds=rounds)


def affine(steps: tuple[RisingStep, ...]) -> tuple[Fraction, Fraction]:
    """Return slope and offset of all steps, the first of them nearest to the sum, as if nothing rounded."""
    slope, offset = Fraction(1), Fraction(0)
    for step in steps:
        slope, offset = step.factor * slope, step.factor * offset + step.shift
    return slope, offset


def slack(cuts: Ends, steps: tuple[RisingStep, ...], *, at_floats: bool, p: int) -> Ends:
    """Return how far below and above its place in the real sum a cell may begin.

    cuts       the least and greatest value, after all steps, at which a cell begins
    at_floats  a cell begins at such a value and not after it, and the value is a float: rounding moves it down only

    Each rounding, the sum's too, moves a cut by at most half the gap of floats at the largest of them; theory (44).
    """
    (low, high), below, above = cuts, Fraction(0), Fraction(0)
    for step in (*reversed(steps), RisingStep(factor=Fraction(1), shift=Fraction(0), rounds=True)):
        if step.rounds:
            moved = half_gap(max(abs(low), abs(high)) + max(below, above), p)
            below, above, at_floats = below + moved, above + (0 if at_floats else moved), False
        low, high = ((end - step.shift) / step.factor for end in (low, high))
        below, above = below / step.factor, above / step.factor
    return below, above


def half_gap(size: Fraction, p: int) -> Fraction:
    """Return half the distance of neighbouring floats from a size on; nothing at zero, where they are dense."""
    return power_of_two(floor_log2(size) - p) if size else Fraction(0)
