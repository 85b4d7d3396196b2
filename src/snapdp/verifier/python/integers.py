"""Which values of a traced function may be integers instead of doubles, and what they may meet.

Room: verifier. round(x) and math.floor(x) are integers of Python, always; min(x, 64) is one where the end binds, and
numpy.clip makes integers of 64 bits of integers. Every one of them is a number that a double can be, so where it meets
a double it becomes that double, and nothing differs. Among themselves integers do not round, wrap around (numpy's) or
become Fractions: there only what gives the same number as doubles do is taken, and everything else is refused.
A zero of integers has no sign: 0 * -3 is 0, and 0.0 * -3 is -0.0. Where rounding makes the zeros, all of them are
integers, and two outputs of the program are one; at an end only some are, so that signs are refused to change there.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from snapdp.exact import exponent_of_power

if TYPE_CHECKING:
    from snapdp.verifier.python.symbols import Traced

LARGEST_WHOLE = 1 << 53  # up to which whole numbers are doubles


class Integers(NamedTuple):
    """always: an integer of Python in every run; largest: no integer is beyond it in size, None where any may be."""

    always: bool
    largest: float | None


ROUNDED = Integers(always=True, largest=None)  # what round and math.floor return


def is_small(value: Any) -> bool:
    """Return whether a number is an int of Python that is a double, too."""
    return type(value) is int and abs(value) <= LARGEST_WHOLE


def is_number(value: Any) -> bool:
    """Return whether a value is a number of numpy that mixes with doubles: whole, or a double itself."""
    dtype = getattr(value, "dtype", None)
    return getattr(value, "shape", None) == () and (getattr(dtype, "kind", "") in "iu" or str(dtype) == "float64")


def is_float(value: Any) -> bool:
    """Return whether a number is a double, of Python or of numpy."""
    return type(value) is float or (isinstance(value, float) and is_number(value))


def of_operation(symbol: Traced, operator: str, other: Any) -> Integers | None:
    """Return what integers a value and another one, or a number, give; None: a double; refused where doubles differ.

    Quotients are rounded once by integers and by doubles. Products by powers of two do not round in either, nor does
    anything that stays below 2^53.
    """
    from snapdp.verifier.python.symbols import Traced

    mine = symbol.integers
    if mine is None or is_float(other):
        return None
    if isinstance(other, Traced):
        theirs = other.integers
        if theirs is None or (operator == "/" and mine.always and theirs.always):
            return None
    elif is_small(other):
        if operator == "/":
            return None
        if operator == "*" and mine.always and exponent_of_power(Fraction(abs(other))) is not None:
            return Integers(always=True, largest=None if mine.largest is None else mine.largest * abs(other))
        if mine.largest is not None and (operator != "*" or mine.always or other > 0):
            largest = mine.largest * abs(other) if operator == "*" else mine.largest + abs(other)
            if largest <= LARGEST_WHOLE:
                return Integers(always=mine.always, largest=largest)
    return _refuse(symbol, mine, f"a {operator} b", "or make the other number a float: 3.0.")


def of_negation(symbol: Traced) -> Integers | None:
    if symbol.integers is not None and not symbol.integers.always:
        _refuse(symbol, symbol.integers, "-a", "and a zero keeps its sign.")
    return symbol.integers


def of_one_end(symbol: Traced, end: Any, ends: tuple[Any, Any]) -> Integers | None:
    """Return what integers min or max of a value and an end give; ends: both that it has now, None where it has one."""
    mine, is_int = symbol.integers, type(end) is int
    if mine is None:
        return Integers(always=False, largest=abs(end)) if is_int else None
    sizes = [abs(each) for each in ends if each is not None]
    if len(sizes) < 2 and mine.largest is None:
        return Integers(always=mine.always and is_int, largest=None)
    largest = max(sizes) if len(sizes) == 2 else max(mine.largest or 0, *sizes)
    return Integers(always=mine.always and is_int, largest=largest)


def of_numpy(symbol: Traced, name: str, ends: Sequence[Any]) -> Integers | None:
    """Return what integers numpy makes of a value between ends: of 64 bits, unless an end is a double."""
    mine = symbol.integers
    if mine is None:
        return None
    if not all(is_small(end) or is_float(end) for end in ends):
        _refuse(symbol, mine, f"numpy.{name}", "or make its ends floats.")
    if len(ends) < 2 and (mine.largest is None or mine.largest > LARGEST_WHOLE):  # beyond 64 bits it fails
        _refuse(symbol, mine, f"numpy.{name}", "or clamp it at both ends.")
    if all(is_float(end) for end in ends):
        return None
    largest = max(abs(end) for end in ends)
    return Integers(always=False, largest=largest if len(ends) == 2 else max(largest, mine.largest or 0))


def refuse(symbol: Traced, name: str, values: Sequence[Any]) -> None:
    """Refuse integers where numpy would compute with them: it makes integers of 64 bits of them, where they fit."""
    from snapdp.verifier.python.symbols import Traced

    for each in values:
        if isinstance(each, Traced) and each.integers is not None:
            _refuse(symbol, each.integers, f"numpy.{name}", "or make a double of it first.")


def _refuse(symbol: Traced, mine: Integers, what: str, advice: str) -> NoReturn:
    if mine.always:
        problem = f"round and floor give whole numbers of Python, with which {what} is not what it is with doubles."
        symbol.trace.refuse(problem, f"Use numpy.floor or numpy.rint, {advice}")
    problem = f"at its end this is a whole number, with which {what} is not what it is with doubles."
    symbol.trace.refuse(problem, f"Write the ends of min, max and clip as floats, 64.0, {advice}")
