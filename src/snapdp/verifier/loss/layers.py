"""An expression as layers around its innermost sum: each one is a function of the next, and of constants only.

Room: verifier. What is computed from a released number costs nothing, whatever it is; so the theorem is about the
innermost layers, and what lies outside of the snap is post-processing. A layer may use the next one more than once.
Theory: docs/theory/verifier-loss.md, (34)-(36).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from snapdp.errors import PremiseError
from snapdp.exact import exponent_of_power, nearest_multiple
from snapdp.values import Value, replaced
from snapdp.verifier.language import syntax
from snapdp.verifier.loss.query_path import constant_operation
from snapdp.verifier.machine.execution import direction
from snapdp.verifier.machine.folding import children
from snapdp.verifier.machine.machine import Machine
from snapdp.verifier.machine.semantics import evaluate_float

SNAPPED = "snapped"  # no name of a program is compared with it: no other variable is left where it stands
MOST_PARTS = 64
Ends = tuple[Fraction, Fraction]


def layers(tree: syntax.Expression) -> tuple[syntax.Expression, ...]:
    """Return the expressions on which all that is drawn or private in a tree depends, from the tree itself inward.

    The largest part is opened first: a part can stand inside of a larger one only. Among more than MOST_PARTS nothing
    is looked for.
    """
    found: list[syntax.Expression] = []
    sizes: dict[int, int] = {}
    parts = [tree] if _sized(tree, sizes) else []
    while 0 < len(parts) <= MOST_PARTS:
        if len(parts) == 1:
            found.append(parts[0])
        widest = max(parts, key=lambda part: sizes[id(part)])
        inside = [child for child in children(widest) if sizes[id(child)]]
        if not inside:
            break
        parts = [part for part in parts if part is not widest]
        for child in inside:
            if not any(sizes[id(child)] == sizes[id(part)] and child == part for part in parts):
                parts.append(child)
    return tuple(found)


def _sized(tree: syntax.Expression, sizes: dict[int, int]) -> int:
    """Note the size of every part of a tree, 0 for one without a name."""
    below = sum(_sized(child, sizes) for child in children(tree))
    is_name = isinstance(tree, (syntax.Variable, syntax.QueryValue))
    sizes[id(tree)] = below + 1 if below or is_name else 0
    return sizes[id(tree)]


class Snap(Value):
    """How the innermost sum becomes an output: the grid, the ends between which outputs lie, and what is released.

    `released` is the output as an expression of the snapped value, named SNAPPED; None where that is the output itself,
    moved between the ends. `unit` is the power of two by which the sum is multiplied before it is snapped.
    """

    grid: Fraction | None = None
    ends: Ends | None = None
    released: syntax.Expression | None = None
    unit: Fraction = Fraction(1)


def snap_of(found: tuple[syntax.Expression, ...], machine: Machine) -> Snap:
    """Return the snap in the layers of a program: the first rounding outside of the sum, and a clamp in or around it.

    round(clamp(y)) = clamp'(round(y)), clamp' between the rounded ends; clamp(g(x)) for an increasing g bounds the
    multiples of the grid that differ in it; theory (35) and (36).
    """
    unit, inner = Fraction(1), None
    for place in reversed(range(len(found) - 1)):
        layer = found[place]
        if isinstance(layer, syntax.Rounding):
            grid = layer.grid / unit
            ends = None if inner is None else (nearest_multiple(inner[0], grid), nearest_multiple(inner[1], grid))
            snap = Snap(grid=grid, ends=ends, unit=unit)
            return _with_outside(snap, found[: place + 1], machine)
        if isinstance(layer, syntax.Clamping):
            inner = _composed(inner, _held(layer, machine, unit))
        elif not machine.adds_exactly and (factor := _power_of_two_factor(layer)) is not None:
            unit *= factor
        else:
            break
    return Snap(ends=inner)


def _held(layer: syntax.Clamping[syntax.Expression], machine: Machine, unit: Fraction) -> Ends:
    return machine.constant(layer.lower) / unit, machine.constant(layer.upper) / unit


def _composed(inner: Ends | None, outer: Ends) -> Ends:
    """Return the clamp that is one clamp after another."""
    if inner is None:
        return outer
    low, high = (min(max(end, outer[0]), outer[1]) for end in inner)
    return low, high


def _power_of_two_factor(layer: syntax.Expression) -> Fraction | None:
    """Return c > 0 where a layer multiplies by a power of two, which rounds nothing."""
    operation = constant_operation(layer)
    if operation is None or operation.operator not in "*/" or exponent_of_power(operation.constant) is None:
        return None
    return operation.constant if operation.operator == "*" else 1 / operation.constant


def _with_outside(snap: Snap, outside: tuple[syntax.Expression, ...], machine: Machine) -> Snap:
    """Add what lies outside of the rounding, the last of these layers: the first clamp, and what is released."""
    *outer, rounding = outside
    ends, plain = snap.ends, not outer
    for place in reversed(range(len(outer))):
        layer = outer[place]
        if not isinstance(layer, syntax.Clamping):
            continue
        if place == len(outer) - 1 and snap.unit == 1:
            ends, plain = _composed(ends, (layer.lower, layer.upper)), place == 0
        else:
            reached = _reached(substituted(layer.operand, rounding), layer, snap, machine)
            ends = ends if reached is None else _composed(ends, reached)
        break
    released = None if plain and snap.unit == 1 else substituted(outside[0], rounding)
    return replaced(snap, ends=ends, released=released)


def substituted(tree: syntax.Expression, part: syntax.Expression) -> syntax.Expression:
    """Return a tree in which a part is named SNAPPED, wherever it stands."""
    if tree == part:
        return syntax.Variable(name=SNAPPED)
    if isinstance(tree, syntax.Binary):
        return replaced(tree, left=substituted(tree.left, part), right=substituted(tree.right, part))
    if isinstance(tree, (syntax.Negation, syntax.Logarithm, syntax.Rounding, syntax.Clamping)):
        return replaced(tree, operand=substituted(tree.operand, part))
    return tree


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


def _reached(
    inside: syntax.Expression, clamp: syntax.Clamping[syntax.Expression], snap: Snap, machine: Machine
) -> Ends | None:
    """Return the multiples of the grid from which on a clamp of a monotone function of them changes nothing more.

    They are compared with the ends that the machine holds: a sum that is exact may lie between such an end and the
    number that the program states; theory (36).
    """
    trend = direction(inside, SNAPPED, 1)
    if not trend or snap.grid is None or _has_a_logarithm(inside):
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


def _has_a_logarithm(tree: syntax.Expression) -> bool:
    """Return whether a logarithm is taken, which gives no number far from the clamp: that is one more output."""
    return isinstance(tree, syntax.Logarithm) or any(map(_has_a_logarithm, children(tree)))


def first_index(holds: Callable[[int], bool], low: int, high: int) -> int | None:
    """Return the least whole number from low to high for which a monotone condition holds; None: it holds for none."""
    if not holds(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
