"""The way from the query to what the noise is added to, and the layers of an expression around its innermost sum.

On the way the query is scaled, shifted, negated or clamped, and each step rounds once. A step with a power of two
rounds nothing; others move the two values of neighbours by half a unit each, so that the float query can move by more
than the sensitivity says: 0.4/0.1 - 0.3/0.1 > 1. What a clamp on the way cuts off need not be counted. What is computed
from a released number costs nothing, so the theorem is about the innermost layers, and what lies outside of the snap
(snap.py) is post-processing.
Theory: docs/theory/verifier-loss.md, (34) and (37)-(39).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, assert_never

from snapdp.exact.dyadic import exponent_of_power, floor_log2, power_of_two, round_nearest
from snapdp.lab.language.syntax import (
    Binary,
    Clamping,
    Constant,
    ExactFunction,
    Expression,
    Logarithm,
    Negation,
    QueryValue,
    Rounding,
    Variable,
    children,
    with_operands,
)
from snapdp.lab.semantics.floats import evaluate_float
from snapdp.lab.semantics.machine import Machine
from snapdp.values import Value, replaced

TRIES = 200  # steps outward, each twice as long, from where a clamp should begin to where it does
Range = tuple[Fraction | None, Fraction | None]


class Reach(Value):
    """Where the values of one step lie, and how far apart those of neighbours may be."""

    lower: Fraction
    upper: Fraction
    distance: Fraction  # of the machine's values
    ideal: Fraction  # of the real ones: the sensitivity, scaled
    rounded: int = 0  # how many steps round


class ConstantStep(Value):
    """One operation with a constant, which is on the left where `constant_first`."""

    operator: str
    constant: Fraction
    constant_first: bool
    operand: Expression

    @property
    def factor(self) -> Fraction:
        """Return f where the operation is x -> f x + shift."""
        if self.operator in "*/":
            return self.constant if self.operator == "*" else 1 / self.constant
        return Fraction(-1 if self.operator == "-" and self.constant_first else 1)

    @property
    def shift(self) -> Fraction:
        if self.operator in "*/":
            return Fraction(0)
        return -self.constant if self.operator == "-" and not self.constant_first else self.constant


def constant_operation(tree: Expression) -> ConstantStep | None:
    """Return the operation with a constant that an expression is: x + c, c + x, x - c, c - x, x * c, c * x, x / c."""
    if not isinstance(tree, Binary):
        return None
    left, right, operator = tree.left, tree.right, tree.operator
    if isinstance(right, Constant):
        constant, first, operand = right.value, False, left
    elif isinstance(left, Constant) and operator != "/":
        constant, first, operand = left.value, True, right
    else:
        return None
    if not constant and operator in "*/":
        return None
    return ConstantStep(operator=operator, constant=constant, constant_first=first, operand=operand)


def is_path(tree: Expression) -> bool:
    """Return whether an expression is one query that was scaled, shifted, negated or clamped by constants."""
    return isinstance(_way(tree)[-1], QueryValue)


def _step(tree: Expression) -> Expression | None:
    """Return what one step of the way is made of, None where it is no step."""
    if isinstance(tree, Negation | Clamping):
        return tree.operand
    operation = constant_operation(tree)
    return None if operation is None else operation.operand


def _way(path: Expression) -> list[Expression]:
    """Return a path and what each of its steps is made of, from the outermost one to the query."""
    way = [path]
    while (inner := _step(way[-1])) is not None:
        way.append(inner)
    return way


def query_of(path: Expression) -> str:
    query = _way(path)[-1]
    assert isinstance(query, QueryValue)
    return query.name


def value_on(path: Expression, f: Fraction, machine: Machine) -> Fraction:
    """Return what the noise is added to, for one private value."""
    return evaluate_float(path, {query_of(path): f}, machine)


def confined(path: Expression, ends: Range, machine: Machine) -> Range:
    """Return an interval of private values beyond which a clamp on the way makes them all alike; theory (38)."""
    low, high = ends
    for tree in _way(path):
        if isinstance(tree, Clamping):
            first, last = _cut(tree, machine)
            low = first if low is None else low if first is None else max(low, first)
            high = last if high is None else high if last is None else min(high, last)
    if low is None or high is None or low <= high:
        return low, high
    kept = next((end for end in ends if end is not None), low)  # the clamp makes all of the declared interval alike
    return kept, kept


def _cut(clamp: Clamping, machine: Machine) -> Range:
    """Return private values at or below the lower end of a clamp, and at or above its upper one."""
    slope, offset = _affine(clamp.operand)
    lower, upper = (machine.constant(end) for end in (clamp.lower, clamp.upper))
    if slope < 0:
        lower, upper = upper, lower

    def beyond(end: Fraction, outward: int) -> Fraction | None:
        x = start = (end - offset) / slope
        step = max(abs(start), Fraction(1)) * machine.eta
        for _ in range(TRIES):
            f = round_nearest(x, machine.p)
            if (value_on(clamp.operand, f, machine) - end) * (outward if slope > 0 else -outward) >= 0:
                return f
            x, step = x + outward * step, 2 * step
        return None

    return beyond(lower, -1), beyond(upper, 1)


def _affine(path: Expression) -> tuple[Fraction, Fraction]:
    """Return slope and offset of the real function, as if nothing rounded and nothing were clamped."""
    operand = _step(path)
    if operand is None:
        return Fraction(1), Fraction(0)
    slope, offset = _affine(operand)
    factor, shift = _factor_and_shift(path)
    return factor * slope, factor * offset + shift


def _factor_and_shift(path: Expression) -> tuple[Fraction, Fraction]:
    """Return the last step of a path as x -> factor x + shift."""
    if isinstance(path, Negation):
        return Fraction(-1), Fraction(0)
    operation = constant_operation(path)
    if operation is None:
        return Fraction(1), Fraction(0)  # a clamp
    return operation.factor, operation.shift


def affine_steps(path: Expression) -> list[tuple[Fraction, Fraction]]:
    """Return slope and offset after each step of a path that may round."""
    return [_affine(tree) for tree in _way(path) if isinstance(tree, Binary)]


def reach_of(path: Expression, *, lower: Fraction, upper: Fraction, sensitivity: Fraction, machine: Machine) -> Reach:
    """Return where the end of a path lies and how far neighbours may be apart there; theory (37).

    lower, upper    between which the private values lie that are not alike        sensitivity  how far apart
    """
    if isinstance(path, QueryValue):
        return Reach(lower=lower, upper=upper, distance=sensitivity, ideal=sensitivity)
    operand = _step(path)
    assert operand is not None
    before = reach_of(operand, lower=lower, upper=upper, sensitivity=sensitivity, machine=machine)
    if isinstance(path, Clamping):
        low, high = (machine.constant(end) for end in (path.lower, path.upper))
        return replaced(before, lower=min(max(before.lower, low), high), upper=min(max(before.upper, low), high))
    operation = constant_operation(path)
    is_product = operation is not None and operation.operator in "*/"
    return _after(before, *_factor_and_shift(path), is_product, machine)


def _after(x: Reach, factor: Fraction, shift: Fraction, is_product: bool, machine: Machine) -> Reach:
    """Return the reach after x -> factor x + shift: the distance is scaled, and a rounding adds a unit.

    Where sums are exact, their results are no floats, and every product rounds, also one with a power of two.
    """
    one, other, p = *sorted((factor * x.lower, factor * x.upper)), machine.p
    if machine.adds_exactly:
        exact = not is_product
    else:
        exact = exponent_of_power(abs(factor)) is not None and (shift == 0 or _cancels(one, other, shift))
    low, high = one + shift, other + shift
    scaled = replaced(x, lower=low, upper=high, distance=abs(factor) * x.distance, ideal=abs(factor) * x.ideal)
    if exact:
        return scaled
    most = max(abs(low), abs(high))
    unit = power_of_two(floor_log2(most) - p + 1) if most else Fraction(0)
    ends = {"lower": round_nearest(low, p), "upper": round_nearest(high, p)}
    return replaced(scaled, **ends, distance=scaled.distance + unit, rounded=x.rounded + 1)


def _cancels(one: Fraction, other: Fraction, shift: Fraction) -> bool:
    """Return whether a sum with a float of the other sign is exact: between half and twice as large (Sterbenz)."""
    small, large = sorted((abs(one), abs(other)))
    opposite = one * shift < 0 and other * shift < 0
    return opposite and abs(shift) / 2 <= small and large <= 2 * abs(shift)


# Layers: each one is a function of the next, which it may use more than once, and of constants only

SNAPPED = "snapped"  # no name of a program is compared with it: no other variable is left where it stands
MOST_PARTS = 64


def layers(tree: Expression) -> tuple[Expression, ...]:
    """Return the expressions on which all that is drawn or private in a tree depends, from the tree itself inward.

    The largest part is opened first: a part can stand inside of a larger one only. Among more than MOST_PARTS nothing
    is looked for.
    """
    found: list[Expression] = []
    known = _Parts()
    parts = {known.number(tree): tree} if known.size(tree) else {}
    while 0 < len(parts) <= MOST_PARTS:
        if len(parts) == 1:
            found.extend(parts.values())
        widest = max(parts, key=lambda number: known.sizes[number])
        inside = [child for child in children(parts.pop(widest)) if known.size(child)]
        if not inside:
            break
        parts |= {number: child for child in inside if (number := known.number(child)) not in parts}
    return tuple(found)


class _Parts:
    """The parts of a tree, numbered: equal parts have one number, and no two trees are ever compared part by part."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}  # by identity: the tree is held by who asks
        self._known: dict[Any, int] = {}
        self.sizes: list[int] = []  # 0 for a part without a name

    def size(self, tree: Expression) -> int:
        return self.sizes[self.number(tree)]

    def number(self, tree: Expression) -> int:
        if id(tree) not in self._numbers:
            below = children(tree)
            numbers = tuple(self.number(child) for child in below)
            key = type(tree), _own(tree), numbers
            if key not in self._known:
                self._known[key] = len(self.sizes)
                inside = sum(self.sizes[number] for number in numbers)
                is_name = isinstance(tree, (Variable, QueryValue))
                self.sizes.append(inside + 1 if inside or is_name else 0)
            self._numbers[id(tree)] = self._known[key]
        return self._numbers[id(tree)]


def _own(tree: Expression) -> Any:
    """Return what a node says beside its operands."""
    match tree:
        case Constant(value=value):
            return value
        case Variable(name=name) | QueryValue(name=name) | ExactFunction(name=name):
            return name
        case Binary(operator=operator):
            return operator
        case Rounding(grid=grid):
            return grid
        case Clamping(lower=lower, upper=upper):
            return lower, upper
        case Negation() | Logarithm():
            return None
        case _:
            assert_never(tree)


def substituted(tree: Expression, part: Expression) -> Expression:
    """Return a tree in which a part is named SNAPPED, wherever it stands."""
    if tree == part:
        return Variable(name=SNAPPED)
    return with_operands(tree, lambda operand: substituted(operand, part))
