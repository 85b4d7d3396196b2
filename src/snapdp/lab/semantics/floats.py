"""What a program computes: in floating point, where every inexact step rounds, and over the reals, where none does.

`evaluate_float` is the definition that rules and faster executions are tested against: each operation is done on
rationals and rounded once, to nearest, ties to even (a sum only where the machine rounds sums); exponents are
unbounded: no over- or underflow. `evaluate_real` encloses the real value of a bound: rationals stay exact, only ln is
rounded, outward, by MPFR. Bounds are expressions of syntax.py and the nodes below. Where sums do not round a number of
a run is an mpfr if it has a finite binary expansion, else an mpq; both are exact, and they can be compared with each
other.
Theory: docs/theory/verifier-rules.md, (1)-(4).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, assert_never

from snapdp.errors import PremiseError
from snapdp.exact.dyadic import exponent_of_power, nearest_multiple, round_nearest
from snapdp.exact.enclosure import Enclosure
from snapdp.exact.functions import exact_mpfr, ln_enclosure, ln_nearest, mpfr_context
from snapdp.lab.language.syntax import (
    Assignment,
    Binary,
    BySign,
    Clamping,
    Constant,
    Down,
    ExactFunction,
    Expression,
    Greatest,
    Held,
    Least,
    Logarithm,
    Negation,
    Powered,
    Program,
    QueryValue,
    Rounding,
    Up,
    Variable,
)
from snapdp.lab.semantics.machine import FUNCTIONS, Machine

PRECISION = 256

Environment = Mapping[str, Fraction]


Bound = Expression


# In floating point


def evaluate_float(
    expression: Expression,
    environment: Environment,
    machine: Machine,
    *,
    logarithm: Callable[[Fraction, int], Fraction] = ln_nearest,
) -> Fraction:
    """Return what the machine computes for an expression; the environment holds floats, by name.

    `logarithm(x, p)` is the machine's ln; it is correctly rounded unless another one is given.
    """

    def value(e: Expression) -> Fraction:
        match e:
            case Held(value=r):
                return r
            case Constant(value=r):
                return machine.constant(r)
            case Variable(name=name) | QueryValue(name=name):
                return environment[name]
            case Negation(operand=operand):
                return -value(operand)
            case Logarithm(operand=operand):
                x = value(operand)
                if x <= 0:
                    raise PremiseError(f"ln of {x} is not defined.")
                return logarithm(x, machine.p)
            case Binary(operator=operator, left=left, right=right):
                exact = _exact(operator, value(left), value(right))
                return machine.summed(exact) if operator in "+-" else round_nearest(exact, machine.p)
            case Rounding(grid=grid, operand=operand):
                return machine.snapped(value(operand), grid)
            case Clamping(lower=lower, upper=upper, operand=operand):
                return machine.clamped(value(operand), lower, upper)
            case ExactFunction(name=name, operand=operand):
                return FUNCTIONS[name](value(operand))
            case _:
                assert_never(e)

    return value(expression)


def run_float(program: Program, draws: Environment, machine: Machine) -> dict[str, Fraction]:
    """Return the value of every name of a program; `draws` holds the samples and the queries' values."""
    values = dict(draws)
    for statement in program.statements:
        if isinstance(statement, Assignment):
            values[statement.name] = evaluate_float(statement.expression, values, machine)
    return values


def _exact(operator: str, a: Any, b: Any) -> Any:
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
    if b == 0:
        raise PremiseError("a division by zero has no value.")
    return a / b


# Over the reals


def evaluate_real(bound: Bound, environment: Environment, machine: Machine, *, precision: int = PRECISION) -> Enclosure:
    """Return an enclosure of the real value of a bound; a single point where no ln is met.

    >>> float(evaluate_real(Powered(operand=Constant(value=Fraction(1)), power=-1), {}, Machine(p=3)))
    0.8888888888888888
    """
    import gmpy2

    rational = gmpy2.mpq
    factor = 1 + rational(1, 1 << machine.p)

    def exact(x: Fraction) -> Any:
        return rational(x.numerator, x.denominator)

    def moved(end: Any, roundings: int) -> Any:
        return end * factor ** (roundings if end >= 0 else -roundings)

    seen: dict[int, tuple[Any, Any]] = {}  # bounds share parts: without it a product of n factors takes 2**n steps

    known = {name: exact(value) for name, value in environment.items()}

    def ends(e: Bound) -> tuple[Any, Any]:  # a closed interval of rationals that contains the value
        if (found := seen.get(id(e))) is None:
            found = seen[id(e)] = met_first(e)
        return found

    def met_first(e: Bound) -> tuple[Any, Any]:
        match e:
            case Constant(value=r):
                return exact(r), exact(r)
            case Variable(name=name) | QueryValue(name=name):
                return known[name], known[name]
            case Negation(operand=operand):
                low, high = ends(operand)
                return -high, -low
            case Binary(operator=operator, left=left, right=right):
                return _image(operator, ends(left), ends(right))
            case Powered(operand=operand, power=power):
                low, high = ends(operand)
                return low * factor**power, high * factor**power
            case Down(operand=operand, roundings=k):
                low, high = ends(operand)
                return moved(low, -k), moved(high, -k)
            case Up(operand=operand, roundings=k):
                low, high = ends(operand)
                return moved(low, k), moved(high, k)
            case Least(choices=operands):
                lows, highs = zip(*map(ends, operands), strict=True)
                return min(lows), min(highs)
            case Greatest(choices=operands):
                lows, highs = zip(*map(ends, operands), strict=True)
                return max(lows), max(highs)
            case Logarithm(operand=operand):
                low, high = ends(operand)
                if low <= 0:
                    raise PremiseError("ln of a bound that is not positive is not defined.")
                return _ln(_fraction(low), precision)[0], _ln(_fraction(high), precision)[1]
            case Rounding(grid=grid, operand=operand):
                low, high = (exact(nearest_multiple(_fraction(end), grid)) for end in ends(operand))
                return low, high
            case Clamping(lower=lower, upper=upper, operand=operand):
                lowest, highest = exact(lower), exact(upper)
                low, high = ends(operand)
                return min(max(low, lowest), highest), min(max(high, lowest), highest)
            case ExactFunction(name=name, operand=operand):
                low, high = (exact(FUNCTIONS[name](_fraction(end))) for end in _sorted_for(name, ends(operand)))
                return low, high
            case BySign(premise=premise, nonnegative=nonnegative, negative=negative):
                low, high = ends(premise)
                if low < 0 <= high:
                    raise PremiseError("the sign of a premise is not decided at this precision.")
                return ends(nonnegative if low >= 0 else negative)
            case _:
                assert_never(e)

    lower, upper = ends(bound)
    return Enclosure(_fraction(lower), _fraction(upper))


def _sorted_for(name: str, ends: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return where in an interval a function is least and where it is greatest: all rise but abs."""
    low, high = ends
    if name != "abs" or low >= 0:
        return low, high
    return (high, low) if high <= 0 else (low * 0, max(-low, high))


def _image(operator: str, a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return the exact image of two intervals."""
    if operator == "+":
        return a[0] + b[0], a[1] + b[1]
    if operator == "-":
        return a[0] - b[1], a[1] - b[0]
    if operator == "/" and b[0] <= 0 <= b[1]:
        raise PremiseError("a division by a bound that may be zero has no value.")
    if a[0] == a[1] and b[0] == b[1]:
        point = _exact(operator, a[0], b[0])
        return point, point
    corners = [_exact(operator, x, y) for x in a for y in b]
    return min(corners), max(corners)


@lru_cache(maxsize=1024)
def _ln(x: Fraction, precision: int) -> tuple[Any, Any]:
    import gmpy2

    found = ln_enclosure(x, precision)
    return tuple(gmpy2.mpq(end.numerator, end.denominator) for end in (found.lower, found.upper))


def _fraction(x: Any) -> Fraction:
    return Fraction(int(x.numerator), int(x.denominator))


# Numbers of a run. What is done with an mpq is done on rationals, and rounded where the machine rounds.
# Theory: docs/theory/verifier-loss.md, (20)-(21).

Operation = Callable[..., Any]


def as_mpfr(x: Fraction) -> Any:
    """Return a binary fraction as an mpfr; no other number is one."""
    exponent = exponent_of_power(Fraction(x.denominator))
    if exponent is None:
        raise ArithmeticError("a number that is no binary fraction would be rounded")
    return exact_mpfr(x.numerator, -exponent)


def as_number(x: Fraction) -> Any:
    """Return a rational as it is: an mpfr where it is a binary fraction, else an mpq."""
    import gmpy2

    is_binary = x.denominator & (x.denominator - 1) == 0
    return as_mpfr(x) if is_binary else gmpy2.mpq(x.numerator, x.denominator)


def is_ratio(x: Any) -> bool:
    """Return whether a number of a run is an mpq."""
    import gmpy2

    return isinstance(x, gmpy2.mpq)


def finite(x: Any) -> bool:
    return is_ratio(x) or bool(x.is_finite())


def is_nan(x: Any) -> bool:
    return not is_ratio(x) and bool(x.is_nan())


def fraction_of(x: Any) -> Fraction:
    """Return a finite number of a run as a rational."""
    numerator, denominator = (x.numerator, x.denominator) if is_ratio(x) else x.as_integer_ratio()
    return Fraction(int(numerator), int(denominator))


def of_rationals(usual: Operation, exact: Callable[..., Fraction | None], p: int) -> Operation:
    """Return an operation on numbers of a run: the usual one on mpfr; where an mpq is among them, the one on rationals.

    Beside an infinity only the sign of an mpq counts, which rounding keeps, and so it is where rationals have no value.
    """
    nearest = mpfr_context(p, "nearest")

    def operation(*numbers: Any) -> Any:
        if not any(is_ratio(each) for each in numbers):
            return usual(*numbers)
        found = exact(*(fraction_of(each) for each in numbers)) if all(finite(each) for each in numbers) else None
        if found is not None:
            return as_number(found)
        return usual(*(_nearest(each, nearest) if is_ratio(each) else each for each in numbers))

    return operation


def _nearest(x: Any, context: Any) -> Any:
    return context.div(exact_mpfr(int(x.numerator)), exact_mpfr(int(x.denominator)))
