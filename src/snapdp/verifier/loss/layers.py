"""An expression as layers around its innermost sum: each one is a function of the next, and of constants only.

Room: verifier. What is computed from a released number costs nothing, whatever it is; so the theorem is about the
innermost layers, and what lies outside of the snap (snap.py) is post-processing. A layer may use the next one more than
once. Theory: docs/theory/verifier-loss.md, (34).
"""

from __future__ import annotations

from typing import Any, assert_never

from snapdp.values import replaced
from snapdp.verifier.language import syntax
from snapdp.verifier.machine.folding import children

SNAPPED = "snapped"  # no name of a program is compared with it: no other variable is left where it stands
MOST_PARTS = 64


def layers(tree: syntax.Expression) -> tuple[syntax.Expression, ...]:
    """Return the expressions on which all that is drawn or private in a tree depends, from the tree itself inward.

    The largest part is opened first: a part can stand inside of a larger one only. Among more than MOST_PARTS nothing
    is looked for.
    """
    found: list[syntax.Expression] = []
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

    def size(self, tree: syntax.Expression) -> int:
        return self.sizes[self.number(tree)]

    def number(self, tree: syntax.Expression) -> int:
        if id(tree) not in self._numbers:
            below = children(tree)
            numbers = tuple(self.number(child) for child in below)
            key = type(tree), _own(tree), numbers
            if key not in self._known:
                self._known[key] = len(self.sizes)
                inside = sum(self.sizes[number] for number in numbers)
                is_name = isinstance(tree, (syntax.Variable, syntax.QueryValue))
                self.sizes.append(inside + 1 if inside or is_name else 0)
            self._numbers[id(tree)] = self._known[key]
        return self._numbers[id(tree)]


def _own(tree: syntax.Expression) -> Any:
    """Return what a node says beside its operands."""
    match tree:
        case syntax.Constant(value=value):
            return value
        case syntax.Variable(name=name) | syntax.QueryValue(name=name) | syntax.ExactFunction(name=name):
            return name
        case syntax.Binary(operator=operator):
            return operator
        case syntax.Rounding(grid=grid):
            return grid
        case syntax.Clamping(lower=lower, upper=upper):
            return lower, upper
        case syntax.Negation() | syntax.Logarithm():
            return None
        case _:
            assert_never(tree)


def substituted(tree: syntax.Expression, part: syntax.Expression) -> syntax.Expression:
    """Return a tree in which a part is named SNAPPED, wherever it stands."""
    if tree == part:
        return syntax.Variable(name=SNAPPED)
    if isinstance(tree, syntax.Binary):
        return replaced(tree, left=substituted(tree.left, part), right=substituted(tree.right, part))
    if isinstance(tree, (syntax.Negation, syntax.Logarithm, syntax.Rounding, syntax.Clamping, syntax.ExactFunction)):
        return replaced(tree, operand=substituted(tree.operand, part))
    return tree
