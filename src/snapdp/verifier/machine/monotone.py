"""Where a program rises and where it falls with its draw: read off its operations, and off signs where it takes them.

Room: verifier. An expression whose every step is monotone is monotone in the draw; its preimages are then consecutive
draws. Magnitudes and signs break the row of draws into pieces: on each of them what they are taken of is negative, zero
or positive throughout, so that a sign is a constant there and a magnitude its operand or minus that. Where a piece ends
is found by bisection, the program is run.
Theory: docs/theory/verifier-loss.md, (20)-(21) and (55).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, NamedTuple, assert_never

from snapdp.errors import PremiseError
from snapdp.verifier.language import syntax

NOT_MONOTONE = "exact execution needs a program that is monotone in its draw."


def direction(tree: syntax.Expression, drawn: str | None, sign: int) -> int | None:
    """Return 1 (increasing in the draw), -1, 0 (the draw does not occur), or None where no step decides it."""
    match tree:
        case syntax.Variable(name=name):
            return 1 if name == drawn else 0
        case syntax.Binary(operator=operator, left=left, right=right):
            a, b = direction(left, drawn, sign), direction(right, drawn, sign)
            if a is None or b is None:
                return None
            if operator in "+-":
                second = b if operator == "+" else -b
                return a or second if a * second >= 0 else None
            if (a and b) or (operator == "/" and b):
                return None
            factor = _sign_of(right if a else left, sign)
            return 0 if not a and not b else None if factor is None else (a or b) * factor
        case syntax.Negation(operand=operand):
            inner = direction(operand, drawn, sign)
            return None if inner is None else -inner
        case syntax.Logarithm(operand=operand) | syntax.Rounding(operand=operand) | syntax.Clamping(operand=operand):
            return direction(operand, drawn, sign)
        case syntax.ExactFunction(name=name, operand=operand):
            inner = direction(operand, drawn, sign)
            return None if name == "abs" and inner else inner
        case syntax.Constant() | syntax.QueryValue():
            return 0
        case _:
            assert_never(tree)


def _sign_of(tree: syntax.Expression, sign: int) -> int | None:
    """Return the sign of a factor made of constants and the sign sample; None where a query decides it."""
    match tree:
        case syntax.Constant(value=value):
            return (value > 0) - (value < 0)
        case syntax.Variable():
            return sign
        case syntax.Negation(operand=operand):
            inner = _sign_of(operand, sign)
            return None if inner is None else -inner
        case syntax.Binary(operator="*" | "/", left=left, right=right):
            a, b = _sign_of(left, sign), _sign_of(right, sign)
            return None if a is None or b is None else a * b
        case syntax.QueryValue() | syntax.Binary() | syntax.Logarithm() | syntax.Rounding() | syntax.Clamping():
            return None
        case syntax.ExactFunction():
            return None
        case _:
            assert_never(tree)


# Pieces: with signs and magnitudes of what is drawn


class Piece(NamedTuple):
    """The draws numbered start, ..., stop - 1: an expression rises with them (1), falls (-1) or stays the same (0)."""

    start: int
    stop: int
    direction: int

    @property
    def rises(self) -> bool:
        return self.direction >= 0


class Pieces:
    """The pieces of expressions for one private value and one sign.

    drawn    the name of the draw, and in which direction that itself goes with the numbers of the row
    value    the value of an expression at a draw, an mpfr
    """

    def __init__(
        self,
        row: tuple[int, int],
        drawn: tuple[str | None, int],
        value: Callable[[syntax.Expression, int], Any],
    ) -> None:
        self.row, self.drawn, self.value = row, drawn, value
        self._known: dict[syntax.Expression, tuple[Piece, ...]] = {}

    def of(self, tree: syntax.Expression) -> tuple[Piece, ...]:
        """Return consecutive pieces that hold the row; every part of the expression is monotone on each of them."""
        if tree not in self._known:
            self._known[tree] = tuple(self._found(tree))
        return self._known[tree]

    def _found(self, tree: syntax.Expression) -> Iterable[Piece]:
        match tree:
            case syntax.Variable(name=name) if name == self.drawn[0]:
                return [Piece(*self.row, self.drawn[1])]
            case syntax.Constant() | syntax.QueryValue() | syntax.Variable():
                return [Piece(*self.row, 0)]
            case syntax.Negation(operand=operand):
                return [piece._replace(direction=-piece.direction) for piece in self.of(operand)]
            case syntax.Logarithm() | syntax.Rounding() | syntax.Clamping():
                return self.of(tree.operand)
            case syntax.ExactFunction(name=name, operand=operand):
                return self.of(operand) if name in syntax.STEPS else self._by_sign(name, operand)
            case syntax.Binary(operator=operator, left=left, right=right):
                return self._combined(operator, left, right)
            case _:
                assert_never(tree)

    def _by_sign(self, name: str, operand: syntax.Expression) -> Iterable[Piece]:
        """Yield the pieces of a magnitude or sign: those of the operand, cut where its sign changes."""
        for piece in self.of(operand):
            before = -1 if piece.rises else 1  # the sign that the operand has first, if it changes
            ends = (piece.start, *(self._first_beyond(operand, piece, sign) for sign in (before, 0)), piece.stop)
            for (start, stop), sign in zip(pairwise(ends), (before, 0, -before), strict=True):
                if start < stop:
                    yield Piece(start, stop, 0 if name == "sign" else sign * piece.direction)

    def _first_beyond(self, operand: syntax.Expression, piece: Piece, sign: int) -> int:
        """Return the first draw of a piece where the operand has a later sign than this one, or its end."""
        low, high, way = piece.start, piece.stop, 1 if piece.rises else -1
        while low < high:
            middle = (low + high) // 2
            value = self.value(operand, middle)
            reached = way * ((value > 0) - (value < 0)) > way * sign
            low, high = (low, middle) if reached else (middle + 1, high)
        return low

    def _combined(self, operator: str, left: syntax.Expression, right: syntax.Expression) -> Iterable[Piece]:
        for start, stop, a, b in _common(self.of(left), self.of(right)):
            if operator in "+-":
                second = b if operator == "+" else -b
                if a * second < 0:
                    raise PremiseError(NOT_MONOTONE)
                yield Piece(start, stop, a or second)
            elif (a and b) or (operator == "/" and b):
                raise PremiseError(NOT_MONOTONE)
            elif not a and not b:
                yield Piece(start, stop, 0)
            else:  # the other factor is one number here
                factor = self.value(right if a else left, start)
                yield Piece(start, stop, (a or b) * ((factor > 0) - (factor < 0)))


def _common(one: tuple[Piece, ...], other: tuple[Piece, ...]) -> Iterable[tuple[int, int, int, int]]:
    """Yield start and stop of the pieces on which both are monotone, and both directions."""
    ends = sorted({piece.start for piece in (*one, *other)} | {one[-1].stop})
    for start, stop in pairwise(ends):
        a, b = (next(piece for piece in pieces if piece.start <= start < piece.stop) for pieces in (one, other))
        yield start, stop, a.direction, b.direction


def joined(pieces: tuple[Piece, ...], value: Callable[[int], Any]) -> tuple[Piece, ...]:
    """Return fewer pieces: neighbours that go in one direction are one where the step between them goes there too."""
    found = [pieces[0]]
    for piece in pieces[1:]:
        last = found[-1]
        before, after = value(last.stop - 1), value(piece.start)
        step = (after > before) - (after < before)
        ways = {way for way in (last.direction, step, piece.direction) if way}
        if len(ways) <= 1:
            found[-1] = Piece(last.start, piece.stop, next(iter(ways), 0))
        else:
            found.append(piece)
    return tuple(found)
