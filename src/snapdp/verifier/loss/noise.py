"""The noise of a program: a multiple of S ln U, or of sign(U - 1/2) ln(1 - 2 |U - 1/2|), and how often it rounds.

Room: verifier. A factor that is a power of two or a sign rounds nothing; constants multiplied by the sign are constants
up to the sign, so the machine's product of them is folded too. The second kind is the inverse of the distribution
function: sign and magnitude come from one draw, whose two halves are folded into w = 1 - 2 |U - 1/2|. It counts as such
only where both are taken of the same centred draw, by powers of two alone: then w is exact (theory (49)).
Theory: docs/theory/verifier-loss.md, (2), (22) and (48)-(51).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import assert_never

from snapdp.exact import HALF, exponent_of_power
from snapdp.values import Value, replaced
from snapdp.verifier.language import syntax
from snapdp.verifier.loss.query_path import constant_operation
from snapdp.verifier.machine.folding import rounded_operation
from snapdp.verifier.machine.machine import Machine

Samples = dict[str, syntax.Sample]
Multiple = tuple[str, Fraction]  # a draw, and the power of two by which something made of it is multiplied


class Noise(Value):
    """coefficient * S**signed * (ln U)**drawn, rounded that many times.

    sign_of    the draw whose sign about 1/2 is the sign, where that is no sample of its own
    folded_of  the draw that is folded, ln(1 - 2 |U - 1/2|) in the place of ln U
    """

    coefficient: Fraction
    signed: bool = False
    drawn: bool = False
    roundings: int = 0
    laplace: bool = False
    sign_of: str | None = None
    folded_of: str | None = None

    @property
    def is_exact_factor(self) -> bool:
        return not self.drawn and exponent_of_power(abs(self.coefficient)) is not None

    @property
    def folded(self) -> bool:
        """Return whether this is the inverse of the distribution function at one draw."""
        return self.folded_of is not None

    @property
    def is_one(self) -> bool:
        """Return whether sign and logarithm belong together: a folded draw has its own sign, and no other has one."""
        return self.drawn and bool(self.coefficient) and self.sign_of == self.folded_of

    def is_never_zero(self, machine: Machine) -> bool:
        """Return whether no draw gives the noise 0: U = 1/2 does where it is folded, and U = 1 where that is drawn."""
        return not self.folded and (self.laplace or machine.sampler != "nearest")


def noise_of(tree: syntax.Expression, kinds: Samples, machine: Machine) -> Noise | None:
    """Return an expression as a multiple of S and ln U, with every inexact rounding counted; None if it is none."""
    match tree:
        case syntax.Constant(value=value):
            return Noise(coefficient=value)
        case syntax.Variable(name=name) if name in kinds:
            sample = kinds[name]
            if sample.distribution == "sign":
                return Noise(coefficient=Fraction(1), signed=True)
            if sample.distribution == "laplace":  # a real Laplace draw, rounded once to a float
                scale = sample.argument or Fraction(1)
                return Noise(coefficient=scale, signed=True, drawn=True, roundings=1, laplace=True)
            return None
        case syntax.Logarithm(operand=operand):
            return _logarithm(operand, kinds, machine)
        case syntax.ExactFunction(name="sign", operand=operand):
            centred = _multiple(operand, _centred, kinds)
            return None if centred is None else Noise(coefficient=_sign(centred[1]), signed=True, sign_of=centred[0])
        case syntax.Negation(operand=operand):
            inner = noise_of(operand, kinds, machine)
            return None if inner is None else replaced(inner, coefficient=-inner.coefficient)
        case syntax.Binary(operator="*" | "/", left=left, right=right):
            a, b = noise_of(left, kinds, machine), noise_of(right, kinds, machine)
            return None if a is None or b is None else _combined(tree.operator, a, b, machine)
        case syntax.Variable() | syntax.QueryValue() | syntax.Binary():
            return None
        case syntax.Rounding() | syntax.Clamping() | syntax.ExactFunction():
            return None
        case _:
            assert_never(tree)


def _logarithm(operand: syntax.Expression, kinds: Samples, machine: Machine) -> Noise | None:
    """Return ln U, or ln of the folded draw itself: a multiple of that would shift the noise."""
    drawn = Noise(coefficient=Fraction(1), drawn=True, roundings=machine.ln_roundings)
    if _uniform(operand, kinds) is not None:
        return drawn
    folded = _multiple(operand, _folded, kinds)
    return replaced(drawn, folded_of=folded[0]) if folded is not None and folded[1] == 1 else None


def _combined(operator: str, a: Noise, b: Noise, machine: Machine) -> Noise | None:
    if (a.drawn and b.drawn) or (a.signed and b.signed) or (operator == "/" and (b.drawn or not b.coefficient)):
        return None
    if operator == "/" and b.sign_of is not None:  # which is zero at U = 1/2
        return None
    signed, sign_of = a.signed or b.signed, a.sign_of or b.sign_of
    if not a.drawn and not b.drawn:  # a constant up to the sign: the machine's product, the same in both runs
        product = rounded_operation(operator, a.coefficient, b.coefficient, machine)
        return Noise(coefficient=product, signed=signed, sign_of=sign_of)
    coefficient = a.coefficient * b.coefficient if operator == "*" else a.coefficient / b.coefficient
    drawn, factor = (a, b) if a.drawn else (b, a)
    roundings = drawn.roundings + (0 if factor.is_exact_factor else 1)
    return replaced(drawn, coefficient=coefficient, signed=signed, sign_of=sign_of, roundings=roundings)


# The folded draw: every step but U - 1/2 is exact, and the form says so


def _multiple(
    tree: syntax.Expression, part: Callable[[syntax.Expression, Samples], Multiple | None], kinds: Samples
) -> Multiple | None:
    """Return a part times a power of two, or minus one: exact products of it."""
    found = part(tree, kinds)
    if found is not None:
        return found
    if isinstance(tree, syntax.Negation):
        inner = _multiple(tree.operand, part, kinds)
        return None if inner is None else (inner[0], -inner[1])
    step = constant_operation(tree)
    if step is None or step.operator not in "*/" or exponent_of_power(abs(step.constant)) is None:
        return None
    inner = _multiple(step.operand, part, kinds)
    if inner is None:
        return None
    return inner[0], inner[1] * step.constant if step.operator == "*" else inner[1] / step.constant


def _uniform(tree: syntax.Expression, kinds: Samples) -> Multiple | None:
    drawn = isinstance(tree, syntax.Variable) and tree.name in kinds and kinds[tree.name].distribution == "unif"
    return (tree.name, Fraction(1)) if drawn and isinstance(tree, syntax.Variable) else None


def _plus(
    tree: syntax.Expression, part: Callable[[syntax.Expression, Samples], Multiple | None], kinds: Samples
) -> tuple[str, Fraction, Fraction] | None:
    """Return (draw, k, c) where an expression is k times a part, plus c, in any order and with any signs."""
    step = constant_operation(tree)
    inner = None if step is None or step.operator not in "+-" else _multiple(step.operand, part, kinds)
    if step is None or inner is None:
        return None
    name, factor = inner
    if step.operator == "+":
        return name, factor, step.constant
    return (name, -factor, step.constant) if step.constant_first else (name, factor, -step.constant)


def _centred(tree: syntax.Expression, kinds: Samples) -> Multiple | None:
    """Return (draw, k) for k (U - 1/2), computed with one rounding: k U is exact."""
    found = _plus(tree, _uniform, kinds)
    return (found[0], found[1]) if found is not None and found[2] == -found[1] * HALF else None


def _magnitude(tree: syntax.Expression, kinds: Samples) -> Multiple | None:
    if not (isinstance(tree, syntax.ExactFunction) and tree.name == "abs"):
        return None
    found = _multiple(tree.operand, _centred, kinds)
    return None if found is None else (found[0], abs(found[1]))


def _folded(tree: syntax.Expression, kinds: Samples) -> Multiple | None:
    """Return (draw, k) for k (1 - 2 |u|), u = U - 1/2 as the machine has it, k > 0 a power of two."""
    found = _plus(tree, _magnitude, kinds)
    return (found[0], found[2]) if found is not None and found[1] == -2 * found[2] and found[2] > 0 else None


def _sign(x: Fraction) -> Fraction:
    return Fraction((x > 0) - (x < 0))
