"""An expression as layers around its innermost sum: each one is a function of the next, and of constants only.

Room: verifier. What is computed from a released number costs nothing, whatever it is; so the theorem is about the
innermost layers, and what lies outside of the snap (snap.py) is post-processing. A layer may use the next one more than
once. Theory: docs/theory/verifier-loss.md, (34).
"""

from __future__ import annotations

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


def substituted(tree: syntax.Expression, part: syntax.Expression) -> syntax.Expression:
    """Return a tree in which a part is named SNAPPED, wherever it stands."""
    if tree == part:
        return syntax.Variable(name=SNAPPED)
    if isinstance(tree, syntax.Binary):
        return replaced(tree, left=substituted(tree.left, part), right=substituted(tree.right, part))
    if isinstance(tree, (syntax.Negation, syntax.Logarithm, syntax.Rounding, syntax.Clamping, syntax.ExactFunction)):
        return replaced(tree, operand=substituted(tree.operand, part))
    return tree
