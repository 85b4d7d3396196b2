"""The float program run exactly at any precision, and the preimage of one output: the draws that lead to it.

Runs the folded expression: one query, at most one sign and one draw. For a fixed sign it is monotone in the draw
whenever every step is, so the draws that give one output are consecutive: a preimage, found by bisection on the numbers
of the floats. Magnitudes and signs break the row of draws into pieces, on each of which what they are taken of is
negative, zero or positive throughout, so that a sign is a constant there and a magnitude its operand or minus that.
Trusts: MPFR rounds + - * / and ln correctly (to nearest, ties to even); exponents of results are unbounded.
Theory: docs/theory/verifier-loss.md, (20)-(21).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple, assert_never

from snapdp.errors import PremiseError
from snapdp.exact.dyadic import HALF, exponent_of_power
from snapdp.exact.functions import exact_mpfr, mpfr_context
from snapdp.lab.language.syntax import (
    Binary,
    Clamping,
    Constant,
    ExactFunction,
    Expression,
    Logarithm,
    Negation,
    Program,
    QueryValue,
    Rounding,
    Sample,
    Variable,
    with_operands,
)
from snapdp.lab.semantics.draws import Draw, RoundedLogarithm, uniform_draw
from snapdp.lab.semantics.floats import Operation, as_mpfr, as_number, evaluate_float, finite, of_rationals
from snapdp.lab.semantics.folding import folded, names_in, rounded_operation, rounded_unary, takes_functions
from snapdp.lab.semantics.machine import Machine

_METHODS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}


# From one expression to a function of the draw

Run = Callable[[Any], Any]


def _compiled(tree: Expression, names: dict[str, Any], machine: Machine) -> Any:
    """Return a function of the draw, or an mpfr where the draw does not occur."""
    p, context = machine.p, mpfr_context(machine.p, "nearest")

    def unary(usual: Run, operand: Expression) -> Any:
        return _applied(_exactly(usual, partial(_of_one, tree, machine), machine), _compiled(operand, names, machine))

    match tree:
        case Constant(value=value):
            return as_mpfr(value)
        case Variable(name=name) | QueryValue(name=name):
            return names[name]
        case Binary(operator=operator, left=left, right=right):
            exact = machine.adds_exactly and operator in "+-"
            operation = _exact_sum(operator, p) if exact else getattr(context, _METHODS[operator])
            a, b = _compiled(left, names, machine), _compiled(right, names, machine)
            if operator == "/" and (callable(b) or b == 0):
                raise PremiseError("the program divides by zero, or by what may be zero.")
            return _applied2(_exactly(operation, partial(_of_two, operator, machine), machine), a, b)
        case Negation(operand=operand):
            minus = _negated if machine.adds_exactly else context.minus
            return unary(minus, operand)
        case Logarithm(operand=operand):
            return unary(context.log, operand)
        case Rounding(grid=grid, operand=operand):
            return unary(_rounding(grid, p, machine.adds_exactly), operand)
        case Clamping(lower=lower, upper=upper, operand=operand):
            low, high = (as_mpfr(machine.constant(end)) for end in (lower, upper))
            return unary(lambda x: low if x < low else high if x > high else x, operand)
        case ExactFunction(name=name, operand=operand):
            return unary(_function(name, p, machine.adds_exactly), operand)
        case _:
            assert_never(tree)


def _exactly(usual: Operation, exact: Callable[..., Fraction | None], machine: Machine) -> Operation:
    """Return an operation that takes every number of the machine: without rounded sums, any rational."""
    return of_rationals(usual, exact, machine.p) if machine.adds_exactly else usual


def _of_two(operator: str, machine: Machine, a: Fraction, b: Fraction) -> Fraction:
    return rounded_operation(operator, a, b, machine)


def _of_one(tree: Expression, machine: Machine, x: Fraction) -> Fraction | None:
    assert not isinstance(tree, (Constant, Variable, QueryValue, Binary))
    return None if isinstance(tree, Logarithm) and x <= 0 else rounded_unary(tree, x, machine)


def _applied(function: Run, operand: Any) -> Any:
    return (lambda u: function(operand(u))) if callable(operand) else function(operand)


def _applied2(operation: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    if callable(a):
        return (lambda u: operation(a(u), b(u))) if callable(b) else (lambda u: operation(a(u), b))
    return (lambda u: operation(a, b(u))) if callable(b) else operation(a, b)


@lru_cache(maxsize=64)
def _rounding(grid: Fraction, p: int, exact_sum: bool) -> Run:
    """Return the map to the nearest multiple of the grid, ties up; exact where the grid is a power of two."""
    context, down = mpfr_context(p, "nearest"), mpfr_context(p + 2, "down")
    exponent = exponent_of_power(grid)
    if exponent is None:
        return _other_rounding(grid, p)
    half = as_mpfr(HALF)
    if exact_sum:
        return lambda x: _exact_multiple(x, exponent, half)
    # Rounding the sum down at p + 2 bits cannot cross an integer, so its floor is floor(x/grid + 1/2).
    return lambda x: context.mul_2exp(down.rint_floor(down.add(context.div_2exp(x, exponent), half)), exponent)


@lru_cache(maxsize=64)
def _function(name: str, p: int, exact_sum: bool) -> Run:
    """Return a function that rounds nothing; where sums are exact numbers have the bits that they have."""
    if name in ("floor", "rint"):
        method = {"floor": "rint_floor", "rint": "rint"}[name]  # to nearest, MPFR's rint sends ties to even
        usual = getattr(mpfr_context(p, "nearest"), method)
        return (lambda x: getattr(mpfr_context(x.precision, "nearest"), method)(x)) if exact_sum else usual
    if name == "abs":
        return lambda x: _negated(x) if x < 0 else x
    below, nothing, above = (as_mpfr(Fraction(sign)) for sign in (-1, 0, 1))
    return lambda x: below if x < 0 else above if x > 0 else nothing if x == 0 else x


# Sums that do not round: results have as many bits as they need


@lru_cache(maxsize=16)
def _exact_sum(operator: str, p: int) -> Callable[[Any, Any], Any]:
    method, usual = _METHODS[operator], 4 * p + 64
    operation = getattr(mpfr_context(usual, "nearest"), method)

    def added(a: Any, b: Any) -> Any:
        found, bits = operation(a, b), usual
        while found.rc:  # MPFR says that it rounded
            bits *= 2
            found = getattr(mpfr_context(bits, "nearest"), method)(a, b)
        return found

    return added


def _negated(x: Any) -> Any:
    return mpfr_context(x.precision, "nearest").minus(x)


def _exact_multiple(x: Any, exponent: int, half: Any) -> Any:
    """Return floor(x/2**exponent + 1/2) 2**exponent: two bits more than x has hold every whole number in between."""
    down = mpfr_context(x.precision + 2, "down")
    return down.mul_2exp(down.rint_floor(down.add(down.div_2exp(x, exponent), half)), exponent)


def _other_rounding(grid: Fraction, p: int) -> Run:
    """Return the map to the nearest multiple of a grid n/d that is no power of two: k n/d, rounded once to p bits."""
    import gmpy2

    context, mpfr, n, d = mpfr_context(p, "nearest"), gmpy2.mpfr, grid.numerator, grid.denominator
    divisor = exact_mpfr(d)

    def rounded(x: Any) -> Any:
        if not finite(x):
            return x
        significand, shift = x.as_mantissa_exp()
        up, down = max(shift, 0), max(-shift, 0)
        k = ((significand * d << up + 1) + (n << down)) // (n << down + 1)  # floor(x d/n + 1/2)
        whole = k * n
        return mpfr(whole, p) if d == 1 and whole.bit_length() <= p else context.div(exact_mpfr(int(whole)), divisor)

    return rounded


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
        samples = {s.name: s for s in program.statements if isinstance(s, Sample)}
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
        if self.in_pieces and not takes_functions(self.expression, ("abs", "sign")):
            raise PremiseError(NOT_MONOTONE)
        if machine.sampler == "ideal" and not self.laplace:
            self.expression = _with_drawn_logarithm(self.expression, self.drawn)
        if self.in_pieces:  # refused now, not when a value is tried
            for sign in self.signs:
                self.pieces(HALF, sign)

    def pieces(self, f: Fraction, sign: int) -> tuple[Piece, ...]:
        """Return pieces of the row of draws on each of which the program, and every part of it, is monotone."""
        row = (self.draw.first, self.draw.last + 1)
        if not self.in_pieces:
            return (Piece(*row, self.directions[sign] or 0),)
        names, runs = self._names(f, sign), dict[Expression, Any]()

        def value(tree: Expression, ordinal: int) -> Any:
            if tree not in runs:
                runs[tree] = _compiled(tree, names, self.machine)
            run = runs[tree]
            return run(self.draw.number(ordinal)) if callable(run) else run

        return Pieces(row, (self.drawn, sign if self.laplace else 1), value).of(self.expression)

    def function(self, f: Fraction, sign: int) -> Run:
        """Return the output as a function of the draw (an mpfr), for one value of the query and one sign."""
        run = _compiled(self.expression, self._names(f, sign), self.machine)
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
            usual = self.draw.value(self.draw.ordinal(as_mpfr(self._usual_draw)))
            names[self.drawn] = sign * usual if self.laplace else usual
        evaluate_float(self.expression, names, self.machine)

    @property
    def _usual_draw(self) -> Fraction:
        """Return about 3/8 for U; for what is drawn as a logarithm, about that of it."""
        return Fraction(-1) if self.laplace or self.machine.sampler == "ideal" else Fraction(3, 8)

    def output(self, f: Fraction, sign: int, ordinal: int) -> Any:
        return self.function(f, sign)(self.draw.number(ordinal))

    def first_where(self, holds: Callable[[int], bool], guess: int | None = None, within: Piece | None = None) -> int:
        """Return the least number of a draw (of a piece) for which a monotone condition holds; else one past the last.

        Steps away from the guess grow twofold while they are short. Who is still on the way then looks at the end of
        the row first, where the outputs at a clamp begin, and squares: the row has 2**p numbers, and a step costs p.
        """
        first, last = (self.draw.first, self.draw.last) if within is None else (within.start, within.stop - 1)
        here, stride = max(first, min(last, last if guess is None else guess)), 1
        if holds(here):
            high = here
            while True:
                if high == first:
                    return first
                if stride == FAR and holds(first + 1):
                    return first if holds(first) else first + 1
                low = max(first, high - stride)
                if not holds(low):
                    break
                high, stride = low, _longer(stride)
        else:
            low = here
            while True:
                if low == last:
                    return last + 1
                if stride == FAR and not holds(last):
                    return last + 1
                high = min(last, low + stride)
                if holds(high):
                    break
                low, stride = high, _longer(stride)
        while high - low > 1:  # not at low, but at high
            middle = (low + high) // 2
            if holds(middle):
                high = middle
            else:
                low = middle
        return high


FAR = 1 << 8  # a guess that knows the shape is nearer than this, or the condition changes at an end


def _longer(stride: int) -> int:
    return 2 * stride if stride < FAR else stride * stride


_DRAWN = ("unif", "sign", "laplace", "bernoulli")


def _with_drawn_logarithm(tree: Expression, drawn: str | None) -> Expression:
    """Return the expression with ln(U) replaced by the draw: the ideal sampler draws the rounded ln U itself."""
    if isinstance(tree, Logarithm) and isinstance(tree.operand, Variable) and tree.operand.name == drawn:
        return tree.operand
    if isinstance(tree, Variable) and tree.name == drawn:
        raise PremiseError("the ideal sampler needs a program that uses U only in ln(U).")
    return with_operands(tree, lambda part: _with_drawn_logarithm(part, drawn))


# Where a program rises and where it falls with its draw; bisection finds where a piece ends.
# Theory: docs/theory/verifier-loss.md, (20)-(21) and (55).

NOT_MONOTONE = "exact execution needs a program that is monotone in its draw."


def direction(tree: Expression, drawn: str | None, sign: int) -> int | None:
    """Return 1 (increasing in the draw), -1, 0 (the draw does not occur), or None where no step decides it."""
    match tree:
        case Variable(name=name):
            return 1 if name == drawn else 0
        case Binary(operator=operator, left=left, right=right):
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
        case Negation(operand=operand):
            inner = direction(operand, drawn, sign)
            return None if inner is None else -inner
        case Logarithm(operand=operand) | Rounding(operand=operand) | Clamping(operand=operand):
            return direction(operand, drawn, sign)
        case ExactFunction(name=name, operand=operand):
            inner = direction(operand, drawn, sign)
            return None if name == "abs" and inner else inner
        case Constant() | QueryValue():
            return 0
        case _:
            assert_never(tree)


def _sign_of(tree: Expression, sign: int) -> int | None:
    """Return the sign of a factor made of constants and the sign sample; None where a query decides it."""
    match tree:
        case Constant(value=value):
            return (value > 0) - (value < 0)
        case Variable():
            return sign
        case Negation(operand=operand):
            inner = _sign_of(operand, sign)
            return None if inner is None else -inner
        case Binary(operator="*" | "/", left=left, right=right):
            a, b = _sign_of(left, sign), _sign_of(right, sign)
            return None if a is None or b is None else a * b
        case _:
            return None


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
        value: Callable[[Expression, int], Any],
    ) -> None:
        self.row, self.drawn, self.value = row, drawn, value
        self._known: dict[Expression, tuple[Piece, ...]] = {}

    def of(self, tree: Expression) -> tuple[Piece, ...]:
        """Return consecutive pieces that hold the row; every part of the expression is monotone on each of them."""
        if tree not in self._known:
            self._known[tree] = tuple(self._found(tree))
        return self._known[tree]

    def _found(self, tree: Expression) -> Iterable[Piece]:
        match tree:
            case Variable(name=name) if name == self.drawn[0]:
                return [Piece(*self.row, self.drawn[1])]
            case Constant() | QueryValue() | Variable():
                return [Piece(*self.row, 0)]
            case Negation(operand=operand):
                return [piece._replace(direction=-piece.direction) for piece in self.of(operand)]
            case Logarithm() | Rounding() | Clamping():
                return self.of(tree.operand)
            case ExactFunction(name=name, operand=operand):
                return self.of(operand) if name in ("floor", "rint") else self._by_sign(name, operand)
            case Binary(operator=operator, left=left, right=right):
                return self._combined(operator, left, right)
            case _:
                assert_never(tree)

    def _by_sign(self, name: str, operand: Expression) -> Iterable[Piece]:
        """Yield the pieces of a magnitude or sign: those of the operand, cut where its sign changes."""
        for piece in self.of(operand):
            before = -1 if piece.rises else 1  # the sign that the operand has first, if it changes
            ends = (piece.start, *(self._first_beyond(operand, piece, sign) for sign in (before, 0)), piece.stop)
            for (start, stop), sign in zip(pairwise(ends), (before, 0, -before), strict=True):
                if start < stop:
                    yield Piece(start, stop, 0 if name == "sign" else sign * piece.direction)

    def _first_beyond(self, operand: Expression, piece: Piece, sign: int) -> int:
        """Return the first draw of a piece where the operand has a later sign than this one, or its end."""
        low, high, way = piece.start, piece.stop, 1 if piece.rises else -1
        while low < high:
            middle = (low + high) // 2
            value = self.value(operand, middle)
            reached = way * ((value > 0) - (value < 0)) > way * sign
            low, high = (low, middle) if reached else (middle + 1, high)
        return low

    def _combined(self, operator: str, left: Expression, right: Expression) -> Iterable[Piece]:
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
