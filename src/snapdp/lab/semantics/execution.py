"""The float program run exactly at any precision, and the preimage of one output: the draws that lead to it.

Runs the folded expression: one query, at most one sign and one draw. For a fixed sign it is monotone in the draw
whenever every step is, so the draws that give one output are consecutive: a preimage, found by bisection on the numbers
of the floats. Magnitudes and signs split the draws into pieces. On each piece their operand keeps one sign, so that a
sign is a constant there, and a magnitude is its operand or minus that.
Trusts: MPFR rounds + - * / and ln correctly (to nearest, ties to even); exponents of results are unbounded.
Theory: docs/theory/verifier-loss.md, (20)-(21).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from snapdp.errors import PremiseError
from snapdp.exact.dyadic import HALF, exponent_of_power
from snapdp.exact.functions import mpfr_context
from snapdp.lab.language.syntax import (
    FOLDED,
    Constant,
    Expression,
    Logarithm,
    Magnitude,
    Program,
    Semantics,
    Sign,
    Variable,
    walk,
)
from snapdp.lab.semantics.floats import (
    Float,
    as_mpfr,
    as_number,
    evaluate_float,
    finite,
    folded,
    is_ratio,
    names_in,
)
from snapdp.lab.semantics.machine import (
    Draw,
    Machine,
    RoundedLogarithm,
    fraction_of,
    power_as_mpfr,
    rational_of,
    uniform_draw,
)

# From one expression to a function of the draw

METHODS = {"neg": "minus", "ln": "log", "floor": "rint_floor", "rint": "rint"}  # of MPFR, whose rint sends ties to even
METHODS |= {word: word for word in ("add", "sub", "mul", "div")}
if (
    missing := {e.word for e in FOLDED}
    - METHODS.keys()
    - {"const", "held", "var", "query", "round", "clamp", "abs", "sign"}
):
    raise TypeError(f"no way to run {', '.join(sorted(missing))}")
Run = Callable[[Any], Any]
Operation = Callable[..., Any]


class Compiled(Semantics[Any], language=FOLDED):
    """An expression as a function of the draw, or an mpfr where the draw does not occur.

    Where sums do not round, numbers may be any rationals: an mpq is computed with by `Float`.
    """

    def __init__(self, machine: Machine, names: dict[str, Any]) -> None:
        super().__init__()
        self.machine, self.names, self.float = machine, names, Float(machine)
        self.context = mpfr_context(machine.p, "nearest")

    def const(self, e: Any) -> Any:
        return as_mpfr(e.value)

    held = const

    def var(self, e: Any) -> Any:
        return self.names[e.name]

    query = var

    def neg(self, e: Expression, *operands: Any) -> Any:
        """Return an operation on numbers, or on functions of the draw."""
        usual = self._operation(e)
        operation = self._of_rationals(e, usual) if self.machine.adds_exactly else usual
        if not any(map(callable, operands)):
            return operation(*operands)
        if len(operands) == 1:
            (x,) = operands
            return lambda u: operation(x(u))
        a, b = operands
        if not callable(b):
            return lambda u: operation(a(u), b)
        return (lambda u: operation(a(u), b(u))) if callable(a) else lambda u: operation(a, b(u))

    ln = round = clamp = floor = rint = abs = sign = add = sub = mul = neg

    def div(self, e: Expression, a: Any, b: Any) -> Any:
        if callable(b) or b == 0:
            raise PremiseError("the program divides by zero, or by what may be zero.")
        return self.neg(e, a, b)

    def _operation(self, e: Any) -> Operation:
        """Return an operation on mpfr; where sums do not round, results have the bits that they need."""
        machine, exactly = self.machine, self.machine.adds_exactly
        match e.word:
            case "neg" if exactly:
                return _negated
            case "round":
                return _rounding(e.grid, machine.p, exactly)
            case "clamp":
                low, high = as_mpfr(machine.constant(e.lower)), as_mpfr(machine.constant(e.upper))
                return lambda x: low if x < low else high if x > high else x
            case "floor" | "rint" if exactly:
                return lambda x: getattr(mpfr_context(x.precision, "nearest"), METHODS[e.word])(x)
            case "abs":
                return lambda x: _negated(x) if x < 0 else x
            case "sign":
                below, zero, above = (as_mpfr(Fraction(sign)) for sign in (-1, 0, 1))
                return lambda x: below if x < 0 else above if x > 0 else zero if x == 0 else x
            case "add" | "sub" if exactly:
                return _exact_sum(e.word, machine.p)
        operation: Operation = getattr(self.context, METHODS[e.word])
        return operation

    def _of_rationals(self, e: Expression, usual: Operation) -> Operation:
        """Return an operation that is the usual one on mpfr; where an mpq is among the numbers, the one on rationals.

        Beside an infinity only the sign of an mpq counts, which rounding keeps, and so it is where rationals have no
        value.
        """
        exact, nearest, one = getattr(self.float, e.word), self.context.mul, power_as_mpfr(0)

        def operation(*numbers: Any) -> Any:
            if not any(is_ratio(x) for x in numbers):
                return usual(*numbers)
            if all(finite(x) for x in numbers) and not (e.word == "ln" and numbers[0] <= 0):
                return as_number(exact(e, *(fraction_of(x) for x in numbers)))
            return usual(*(nearest(one, x) if is_ratio(x) else x for x in numbers))

        return operation


@lru_cache(maxsize=64)
def _rounding(grid: Fraction, p: int, exact_sum: bool) -> Run:
    """Return the map to the nearest multiple of the grid, ties up; exact where the grid is a power of two."""
    exponent, half = exponent_of_power(grid), as_mpfr(HALF)
    if exponent is None:
        ratio, middle, one = rational_of(grid), rational_of(HALF), power_as_mpfr(0)
        nearest = mpfr_context(p, "nearest").mul  # a product with an mpq is rounded once

        def rounded(x: Any) -> Any:
            if not finite(x):
                return x
            return nearest(one, math.floor(rational_of(x) / ratio + middle) * ratio)

        return rounded
    step, steps = power_as_mpfr(exponent), power_as_mpfr(-exponent)

    def exact_multiple(x: Any) -> Any:
        down = mpfr_context(x.precision + 2, "down")  # two bits more than x has hold every whole number in between
        return down.mul(down.rint_floor(down.add(down.mul(x, steps), half)), step)

    if exact_sum:
        return exact_multiple
    # Rounding the sum down at p + 2 bits cannot cross an integer, so its floor is floor(x/grid + 1/2).
    down, context = mpfr_context(p + 2, "down"), mpfr_context(p, "nearest")
    scaled, add, floor, multiple = down.mul, down.add, down.rint_floor, context.mul
    return lambda x: multiple(floor(add(scaled(x, steps), half)), step)


# Sums that do not round: results have as many bits as they need


@lru_cache(maxsize=16)
def _exact_sum(method: str, p: int) -> Callable[[Any, Any], Any]:
    usual = 4 * p + 64
    operation = getattr(mpfr_context(usual, "nearest"), method)

    def added(a: Any, b: Any) -> Any:
        total, bits = operation(a, b), usual
        while total.rc:  # MPFR says that it rounded
            bits *= 2
            total = getattr(mpfr_context(bits, "nearest"), method)(a, b)
        return total

    return added


def _negated(x: Any) -> Any:
    return mpfr_context(x.precision, "nearest").minus(x)


# A program with one query, one draw and at most one sign


class Preimage(NamedTuple):
    """The draws numbered start, ..., stop - 1."""

    start: int
    stop: int


class Execution:
    """A monotone program on a machine: outputs, preimages and probabilities, for any value of the query."""

    def __init__(self, program: Program, machine: Machine) -> None:
        self.program, self.machine = program, machine
        self.folded = self.expression = folded(program, machine)
        samples = program.samples
        used = names_in(self.expression)
        kinds = {kind: [s for n, s in samples.items() if s.distribution == kind and n in used] for kind in _DRAWN}
        drawn = kinds["unif"] + kinds["laplace"]
        if len(drawn) > 1 or kinds["bernoulli"] or len(kinds["sign"]) > 1 or (kinds["laplace"] and kinds["sign"]):
            raise PremiseError("exact execution needs one uniform or Laplace draw and at most one sign.")
        if len(queries := {n for n in used if n not in samples}) > 1:
            raise PremiseError(f"exact execution needs one query; the program uses {len(queries)}.")
        self.query = next(iter(queries), None)
        self.drawn = drawn[0].name if drawn else None  # a program without a draw is a constant function of any
        self.laplace = bool(kinds["laplace"])
        self.sign_name = kinds["sign"][0].name if kinds["sign"] else None
        self.signs: tuple[int, ...] = (1, -1) if self.sign_name or self.laplace else (1,)
        self.draw: Draw = (
            RoundedLogarithm(machine.p, drawn[0].argument or Fraction(1)) if self.laplace else uniform_draw(machine)
        )
        self.directions = {s: direction(self.expression, self.drawn, s) for s in self.signs}
        if self.laplace:  # the draw is sign * (scale ln U)
            self.directions = {s: None if d is None else d * s for s, d in self.directions.items()}
        self.in_pieces = any(d is None for d in self.directions.values())
        if self.in_pieces and not any(isinstance(part, (Magnitude, Sign)) for part in walk(self.expression)):
            raise PremiseError(NOT_MONOTONE)
        if machine.sampler == "ideal" and not self.laplace:
            self.expression = _with_drawn_logarithm(self.expression, self.drawn)
        if self.in_pieces:  # refused now, not when a value is tried
            for sign in self.signs:
                self.pieces(HALF, sign)

    def pieces(self, f: Fraction, sign: int) -> Row:
        """Return pieces of the row of draws on each of which the program, and every part of it, is monotone."""
        row = (self.draw.first, self.draw.last + 1)
        if not self.in_pieces:
            return (Piece(*row, self.directions[sign] or 0),)
        compiled = Compiled(self.machine, self._names(f, sign))

        def value(tree: Expression, ordinal: int) -> Any:
            run = compiled.of(tree)
            return run(self.draw.number(ordinal)) if callable(run) else run

        return Pieces(row, (self.drawn, sign if self.laplace else 1), value).of(self.expression)

    def function(self, f: Fraction, sign: int) -> Run:
        """Return the output as a function of the draw (an mpfr), for one value of the query and one sign."""
        run = Compiled(self.machine, self._names(f, sign)).of(self.expression)
        return run if callable(run) else lambda _: run

    def _names(self, f: Fraction, sign: int) -> dict[str, Any]:
        names: dict[str, Any] = {} if self.drawn is None else {self.drawn: lambda u: u}
        if self.query is not None:
            names[self.query] = as_number(f) if self.machine.adds_exactly else as_mpfr(f)
        if self.sign_name is not None:
            names[self.sign_name] = as_mpfr(Fraction(sign))
        if self.laplace and self.drawn is not None and sign < 0:
            names[self.drawn] = mpfr_context(self.machine.p, "nearest").minus
        return names

    def require_numbers(self, f: Fraction, sign: int) -> None:
        """Refuse a value of the query for which some step gives no number at a draw that is far from every limit.

        There an infinity is none of the draw, and a clamp further out must not make a number of it.
        """
        names = {} if self.query is None else {self.query: f}
        if self.sign_name is not None:
            names[self.sign_name] = Fraction(sign)
        if self.drawn is not None:
            # About 3/8 for U; for what is drawn as a logarithm, about that of it.
            usual = Fraction(-1) if self.laplace or self.machine.sampler == "ideal" else Fraction(3, 8)
            names[self.drawn] = self.drawn_value(sign, self.draw.ordinal(as_mpfr(usual)))
        evaluate_float(self.expression, names, self.machine)

    def drawn_value(self, sign: int, ordinal: int) -> Fraction:
        """Return a draw as the program meets it: the floats of a Laplace draw are numbered without the sign."""
        value = self.draw.value(ordinal)
        return sign * value if self.laplace else value

    def output(self, f: Fraction, sign: int, ordinal: int) -> Any:
        return self.function(f, sign)(self.draw.number(ordinal))

    def first_where(self, holds: Callable[[int], bool], guess: int | None = None, within: Piece | None = None) -> int:
        """Return the least number of a draw (of a piece) for which a monotone condition holds; else one past the last.

        Steps away from the guess grow twofold while they are short. Who is still on the way then looks at the end of
        the row first, where the outputs at a clamp begin, and squares: the row has 2**p numbers, and a step costs p.
        """
        first, last = (self.draw.first, self.draw.last) if within is None else (within.start, within.stop - 1)
        near, stride = max(first, min(last, last if guess is None else guess)), 1
        way = -1 if holds(near) else 1  # where the condition changes
        while True:
            if near == (first if way < 0 else last):
                return first if way < 0 else last + 1
            if stride == FAR and way < 0 and holds(first + 1):
                return first if holds(first) else first + 1
            if stride == FAR and way > 0 and not holds(last):
                return last + 1
            far = max(first, min(last, near + way * stride))
            if holds(far) == (way > 0):
                break
            near, stride = far, 2 * stride if stride < FAR else stride * stride
        return first_index(holds, min(near, far) + 1, max(near, far))


def first_index(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the least whole number from low on for which a monotone condition holds, high at the latest."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


FAR = 1 << 8  # a guess that knows the shape is nearer than this, or the condition changes at an end


_DRAWN = ("unif", "sign", "laplace", "bernoulli")


def _with_drawn_logarithm(tree: Expression, drawn: str | None) -> Expression:
    """Return the expression with ln(U) replaced by the draw: the ideal sampler draws the rounded ln U itself."""
    if isinstance(tree, Logarithm) and isinstance(tree.operand, Variable) and tree.operand.name == drawn:
        return tree.operand
    if isinstance(tree, Variable) and tree.name == drawn:
        raise PremiseError("the ideal sampler needs a program that uses U only in ln(U).")
    return tree.with_operands(lambda part: _with_drawn_logarithm(part, drawn))


# Where a program rises and where it falls with its draw: in one piece, or with signs and magnitudes of what is drawn in
# several, whose ends bisection finds. Theory: docs/theory/verifier-loss.md, (20)-(21) and (55).


NOT_MONOTONE = "exact execution needs a program that is monotone in its draw."


class Piece(NamedTuple):
    """The draws numbered start, ..., stop - 1: an expression rises with them (1), falls (-1) or stays the same (0)."""

    start: int
    stop: int
    direction: int

    @property
    def rises(self) -> bool:
        return self.direction >= 0


Row = tuple[Piece, ...]  # consecutive pieces that hold the row of draws


class Pieces(Semantics[Row], language=FOLDED):
    """Every part of an expression is monotone on each of its own pieces, for one private value and one sign.

    drawn    the name of the draw, and in which direction that itself goes with the numbers of the row
    value    the value of an expression at a draw, an mpfr
    """

    def __init__(
        self, row: tuple[int, int], drawn: tuple[str | None, int], value: Callable[[Expression, int], Any]
    ) -> None:
        super().__init__()
        self.row, self.drawn, self.value = row, drawn, value

    def const(self, _: Any) -> Row:
        return (Piece(*self.row, 0),)

    held = query = const

    def var(self, e: Any) -> Row:
        name, way = self.drawn
        return (Piece(*self.row, way if e.name == name else 0),)

    def neg(self, _: Any, pieces: Row) -> Row:
        return tuple(piece._replace(direction=-piece.direction) for piece in pieces)

    def ln(self, _: Any, pieces: Row) -> Row:
        return pieces

    round = clamp = floor = rint = ln

    def abs(self, e: Any, pieces: Row) -> Row:
        return tuple(piece._replace(direction=sign * piece.direction) for piece, sign in self._by_sign(e, pieces))

    def sign(self, e: Any, pieces: Row) -> Row:
        return tuple(piece._replace(direction=0) for piece, _ in self._by_sign(e, pieces))

    def add(self, e: Any, left: Row, right: Row) -> Row:
        return tuple(self._combined(e, left, right))

    sub = mul = div = add

    def _by_sign(self, e: Any, pieces: Row) -> Iterable[tuple[Piece, int]]:
        """Yield the pieces of an operand, cut where its sign changes, each with that sign."""
        for piece in pieces:
            before = -1 if piece.rises else 1  # the sign that the operand has first, if it changes
            ends = (piece.start, *(self._first_beyond(e.operand, piece, sign) for sign in (before, 0)), piece.stop)
            for (start, stop), sign in zip(pairwise(ends), (before, 0, -before), strict=True):
                if start < stop:
                    yield Piece(start, stop, piece.direction), sign

    def _first_beyond(self, operand: Expression, piece: Piece, sign: int) -> int:
        """Return the first draw of a piece where the operand has a later sign than this one, or its end."""
        way = 1 if piece.rises else -1

        def is_later(ordinal: int) -> bool:
            value = self.value(operand, ordinal)
            return bool(way * ((value > 0) - (value < 0)) > way * sign)

        return first_index(is_later, piece.start, piece.stop)

    def _combined(self, e: Any, left: Row, right: Row) -> Iterable[Piece]:
        ends = sorted({piece.start for piece in (*left, *right)} | {left[-1].stop})
        for start, stop in pairwise(ends):
            a, b = (next(p.direction for p in row if p.start <= start < p.stop) for row in (left, right))
            if e.word in ("add", "sub"):
                second = b if e.word == "add" else -b
                if a * second < 0:
                    raise PremiseError(NOT_MONOTONE)
                yield Piece(start, stop, a or second)
            elif (a and b) or (e.word == "div" and b):
                raise PremiseError(NOT_MONOTONE)
            elif not a and not b:
                yield Piece(start, stop, 0)
            else:  # the other factor is one number here
                factor = self.value(e.right if a else e.left, start)
                yield Piece(start, stop, (a or b) * ((factor > 0) - (factor < 0)))


def direction(tree: Expression, drawn: str | None, sign: int) -> int | None:
    """Return 1 (increasing in the draw), -1, 0 (the draw does not occur), or None where no step decides it."""
    try:
        (piece,) = _OnePiece((0, 1), (drawn, 1), lambda factor, _: _sign_of(factor, sign)).of(tree)
    except PremiseError:
        return None
    return piece.direction


class _OnePiece(Pieces, language=FOLDED):
    """The one piece of an expression that is monotone on every row of draws."""

    def sign(self, _: Any, pieces: Row) -> Row:
        return pieces

    def abs(self, _: Any, pieces: Row) -> Row:
        if pieces[0].direction:
            raise PremiseError(NOT_MONOTONE)
        return pieces


def _sign_of(factor: Expression, sign: int) -> int:
    """Return the sign of a factor made of constants and the sign sample; a query decides none."""
    if isinstance(factor, Constant):
        return (factor.value > 0) - (factor.value < 0)
    if isinstance(factor, Variable):
        return sign
    if factor.word not in ("neg", "mul", "div"):
        raise PremiseError(NOT_MONOTONE)
    return math.prod(_sign_of(part, sign) for part in factor.operands) * (-1 if factor.word == "neg" else 1)


def joined(pieces: Row, value: Callable[[int], Any]) -> Row:
    """Return fewer pieces: neighbours that go in one direction are one where the step between them goes there too."""
    longer = [pieces[0]]
    for piece in pieces[1:]:
        last = longer[-1]
        before, after = value(last.stop - 1), value(piece.start)
        step = (after > before) - (after < before)
        ways = {way for way in (last.direction, step, piece.direction) if way}
        if len(ways) <= 1:
            longer[-1] = Piece(last.start, piece.stop, next(iter(ways), 0))
        else:
            longer.append(piece)
    return tuple(longer)
