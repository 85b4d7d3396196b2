"""Symbols: numbers of a traced function that write down every operation instead of doing it.

Where a number of the function meets a symbol it becomes a double there, as it does in Python: correctly rounded, or too
large. What no program can say is refused with its line: a comparison, a branch, a conversion to a number, a function
that is not ours; and what Python computes otherwise on floats than by the operations it asks of symbols (sum,
math.sumprod). A value that may be an integer in Python says so, and does only what is the same on doubles. Of numpy the
functions are taken that are one operation of the language. `ln`, `round_to` and `clamp` are traced on symbols; on
numbers they do what the verifier's machine with p = 53 does.
"""

from __future__ import annotations

import dis
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, NoReturn

from snapdp.display.text import one_line
from snapdp.errors import ParameterError, ProgramError
from snapdp.exact.dyadic import exponent_of_power, nearest_multiple
from snapdp.exact.functions import ln_nearest
from snapdp.exact.numbers import datum, parameter, shown, to_float_nearest
from snapdp.lab.language.parser import DEEPEST, LARGEST_EXPANSION, RESERVED
from snapdp.lab.language.syntax import (
    BINARY,
    FUNCTIONS,
    Assignment,
    Clamping,
    Constant,
    Expression,
    Logarithm,
    Negation,
    Rounding,
    Variable,
)

# A trace. The first refusal is kept, so that a function that catches it is refused all the same.

ADVICE = "A mechanism is a straight line of + - * /, ln, abs, sign, rounding and clamps on its arguments."
LONGEST_NAME = 60  # letters of a name that a message repeats


class Trace:
    """The statements that a function makes, in order."""

    def __init__(self, taken: set[str]) -> None:
        self.statements: list[Assignment] = []
        self.taken = set(taken)
        self.refusal: ProgramError | None = None

    def refuse(self, problem: str, advice: str = ADVICE) -> NoReturn:
        """Refuse what the nearest line outside of this package and of numpy does."""
        place, line = _caller()
        refusal = ProgramError(f"{place}, line {line}: {problem}", advice, line=line)
        self.refusal = self.refusal or refusal
        raise refusal

    def bind(self, name: str, value: Traced) -> None:
        """Give a computed value a name; from now on it is that variable."""
        if isinstance(value.expression, Variable):
            return  # another name for what has one
        fresh = self._fresh(name)
        self.statements.append(Assignment(name=fresh, expression=value.expression))
        value.expression = Variable(name=fresh)

    def _fresh(self, name: str) -> str:
        stem = name if name.isascii() and name not in RESERVED else "value"
        candidates = (f"{stem}_{number}" if number else stem for number in range(len(self.taken) + 1))
        fresh = next(candidate for candidate in candidates if candidate not in self.taken)
        self.taken.add(fresh)
        return fresh


def _caller() -> tuple[str, int]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__", "")).split(".")[0] in ("snapdp", "numpy"):
        frame = frame.f_back
    return (Path(frame.f_code.co_filename).name, frame.f_lineno) if frame is not None else ("the function", 0)


def named(thing: Any) -> str:
    """Return the name of a function or a type of somebody's file as one short line: a name can be set to any text."""
    return one_line(str(thing.__name__), LONGEST_NAME)


# Integers. round(x) and math.floor(x) are integers of Python, always; min(x, 64) is one where the end binds, and
# numpy.clip makes integers of 64 bits of integers. Each of them is a number that a double can be, so where it meets a
# double it becomes that double, and nothing differs. Among themselves integers do not round, wrap around (numpy's) or
# become Fractions: there only what gives the same number as doubles do is taken, and everything else is refused. A zero
# of integers has no sign: 0 * -3 is 0, and 0.0 * -3 is -0.0. Where rounding makes the zeros, all of them are integers,
# and two outputs of the program are one; at an end only some are, so that signs are refused to change there.

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

    for each in values:
        if isinstance(each, Traced) and each.integers is not None:
            _refuse(symbol, each.integers, f"numpy.{name}", "or make a double of it first.")


def _refuse(symbol: Traced, mine: Integers, what: str, advice: str) -> NoReturn:
    if mine.always:
        problem = f"round and floor give whole numbers of Python, with which {what} is not what it is with doubles."
        symbol.trace.refuse(problem, f"Use numpy.floor or numpy.rint, {advice}")
    problem = f"at its end this is a whole number, with which {what} is not what it is with doubles."
    symbol.trace.refuse(problem, f"Write the ends of min, max and clip as floats, 64.0, {advice}")


# numpy, which hands its functions over to a symbol among their arguments; ends and conditions must be known

OPERATIONS: dict[str, Callable[..., Traced]] = {
    "add": lambda a, b: a.binary("+", b),
    "subtract": lambda a, b: a.binary("-", b),
    "multiply": lambda a, b: a.binary("*", b),
    "divide": lambda a, b: a.binary("/", b),
    "true_divide": lambda a, b: a.binary("/", b),
    "negative": lambda a: -a,
    "positive": lambda a: a,
    "log": lambda a: a.ln(),
    "absolute": lambda a: a.applied("abs"),
    "fabs": lambda a: a.applied("abs"),
    "sign": lambda a: a.applied("sign"),
    "floor": lambda a: a.applied("floor"),
    "rint": lambda a: a.applied("rint"),
}
ENDS = ("minimum", "maximum")
ROUND = ("round", "around")


def of_ufunc(symbol: Traced, name: str, method: str, inputs: tuple[Any, ...], settings: Mapping[str, Any]) -> Traced:
    """Return what a function that works entry by entry makes of a symbol."""
    plain = method == "__call__" and not settings
    if name in ENDS and plain:
        return _end(symbol, name, inputs)
    if not plain or name not in OPERATIONS:
        known = f"Of numpy: {', '.join((*OPERATIONS, *ENDS))}, clip, round, where."
        symbol.trace.refuse(f"numpy.{name} is not supported here.", known)
    if len(inputs) == 1 or not any(symbol.is_double(each) for each in inputs):
        refuse(symbol, name, inputs)
    return OPERATIONS[name](*(symbol.lifted(each) for each in inputs))


def of_function(symbol: Traced, name: str, arguments: tuple[Any, ...], settings: Mapping[str, Any]) -> Traced:
    """Return what another function of numpy makes of a symbol."""
    if name == "clip" and len(arguments) == 3 and not settings and isinstance(arguments[0], type(symbol)):
        for end in arguments[1:]:
            symbol.refuse_end(end, "numpy.clip")
        whole = of_numpy(arguments[0], name, arguments[1:])
        return arguments[0].clamped(*arguments[1:], integers=whole)
    if name == "where" and len(arguments) == 3 and not settings:
        return _chosen(symbol, *arguments)
    if (
        name in ROUND
        and len(arguments) == 1
        and settings.get("decimals", 0) == 0
        and not settings.keys() - {"decimals"}
    ):
        refuse(symbol, name, arguments)
        return symbol.applied("rint")
    advice = "Round to whole numbers: g * numpy.round(x / g)." if name in ROUND else ADVICE
    return symbol.trace.refuse(f"numpy.{name} is not supported here.", advice)


def is_array(value: Any) -> bool:
    return getattr(value, "shape", ()) != ()


def _end(symbol: Traced, name: str, inputs: tuple[Any, ...]) -> Traced:
    numbers = [each for each in inputs if not isinstance(each, type(symbol))]
    if len(numbers) != 1:
        symbol.trace.refuse(f"numpy.{name} decides between symbols.", "Use clamp.")
    symbol.refuse_end(numbers[0], f"numpy.{name}")
    made = symbol.clamped_at_most(numbers[0]) if name == "minimum" else symbol.clamped_at_least(numbers[0])
    made.integers = of_numpy(symbol, name, numbers)
    return made


def _chosen(symbol: Traced, condition: Any, one: Any, other: Any) -> Traced:
    """Return what numpy.where chooses by a condition that is known."""
    if not (isinstance(condition, bool) or str(getattr(condition, "dtype", "")) == "bool") or is_array(condition):
        symbol.trace.refuse("numpy.where chooses by no single condition that is known.", ADVICE)
    refuse(symbol, "where", (one, other))
    first, second = symbol.lifted(one), symbol.lifted(other)  # both: the kind of the result is that of both
    return first if condition else second


LEAST_DOUBLE = 2.0**-1022  # the least normal one
LARGEST_DOUBLE = sys.float_info.max


def _is_written(frame: FrameType) -> bool:
    """Return whether a frame is at an operation of the source, not in a function of C that asks for one."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] == "BINARY_OP"


class Traced:
    """A symbolic number: an expression that grows with every operation; a double, unless it may be an integer."""

    __slots__ = ("depth", "expression", "integers", "nodes", "open_clamp", "trace")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, expression: Expression, trace: Trace, *parts: Traced, integers: Integers | None = None) -> None:
        self.expression = expression
        self.trace = trace
        self.integers = integers
        self.open_clamp: tuple[Traced, Any, Any] | None = None  # what was clamped at one end only, and its ends
        self.nodes: int = 1 + sum(part.nodes for part in parts)
        self.depth: int = 1 + max((part.depth for part in parts), default=0)
        if self.nodes > LARGEST_EXPANSION or self.depth > DEEPEST:
            trace.refuse(f"the expression has {self.nodes} operations, {self.depth} deep.", "Make it shorter.")

    def __repr__(self) -> str:
        from snapdp.lab.language.syntax import expression_text

        return f"<symbol {expression_text(self.expression)}>"

    def binary(self, operator: str, other: Any, *, swapped: bool = False) -> Traced:
        """Return the operation of this value and another one, or a number, on the right; swapped: on the left."""
        integers = of_operation(self, operator, other)
        a, b = (self.lifted(other), self) if swapped else (self, self.lifted(other))
        tree = BINARY[operator](left=a.expression, right=b.expression)
        return Traced(tree, self.trace, a, b, integers=integers)

    def _written(self, operator: str, other: Any, *, swapped: bool = False) -> Traced:
        if getattr(other, "shape", ()) != ():
            return NotImplemented  # type: ignore[no-any-return]  # an array does the operation entry by entry
        if not _is_written(sys._getframe(2)):
            # From 3.12 on sum adds floats with a correction, math.sumprod multiplies in twice the precision.
            problem = "a function asks for this operation; on floats it may compute otherwise (sum does)."
            self.trace.refuse(problem, f"Write the operation itself: a {operator} b.")
        return self.binary(operator, other, swapped=swapped)

    @staticmethod
    def is_double(value: Any) -> bool:
        """Return whether a number is a double, of Python or numpy, or a symbol that stands for one."""
        return value.integers is None if isinstance(value, Traced) else is_float(value)

    def lifted(self, value: Any) -> Traced:
        """Return a number of the function as a constant of the program: what it prints, which is rounded to a double.

        That is what Python does where a float meets an int, a float, a Fraction or a number of numpy: the conversion
        is correctly rounded, or refused where it overflows. Other kinds (Decimal, text) do not mix with floats.
        """
        if isinstance(value, Traced):
            return value
        kind = type(value)
        if kind not in (int, float, Fraction) and not (kind.__module__ == "numpy" and is_number(value)):
            self.trace.refuse(f"a {named(kind)} is no number of a mechanism.", "Use int, float or Fraction.")
        number = self._exact(value, "the constant")
        double = abs(to_float_nearest(number))
        if number and not LEAST_DOUBLE <= double < float("inf"):
            self.trace.refuse(f"{shown(value)} is beyond the range of (normal) doubles.")
        constant = Traced(Constant(value=abs(number)), self.trace)
        return -constant if number < 0 else constant  # a program has no negative numbers, only minus

    def __neg__(self) -> Traced:
        integers = of_negation(self)
        return Traced(Negation(operand=self.expression), self.trace, self, integers=integers)

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Traced:
        return self.applied("abs", integers=self.integers)

    def __floor__(self) -> Traced:
        return self.applied("floor", integers=ROUNDED)

    def __round__(self, digits: Any = None) -> Traced:
        if digits is not None:
            self.trace.refuse("round(x, digits) rounds to decimals.", "Round to whole numbers: g * round(x / g).")
        return self.applied("rint", integers=ROUNDED)

    def applied(self, name: str, *, integers: Integers | None = None) -> Traced:
        """Return a function that rounds nothing, of this value."""
        return Traced(FUNCTIONS[name](operand=self.expression), self.trace, self, integers=integers)

    def ln(self) -> Traced:
        return Traced(Logarithm(operand=self.expression), self.trace, self)

    def rounded(self, grid: Any) -> Traced:
        exact = self._exact(grid, "the grid")
        if exact <= 0:
            self.trace.refuse(f"a grid of {exact} is not positive.")
        return Traced(Rounding(grid=exact, operand=self.expression), self.trace, self)

    def clamped_within(self, lower: Any, upper: Any) -> Traced:
        """Return this value clamped to [lower, upper]; without an upper end, to [-lower, lower]."""
        return self.clamped(-self._exact(lower, "the bound"), lower) if upper is None else self.clamped(lower, upper)

    def clamped(self, lower: Any, upper: Any, *, integers: Integers | None = None) -> Traced:
        low, high = self._exact(lower, "the lower bound"), self._exact(upper, "the upper bound")
        if low > high:
            self.trace.refuse(f"the clamp's lower end {low} is above its upper end {high}.")
        return Traced(Clamping(lower=low, upper=high, operand=self.expression), self.trace, self, integers=integers)

    def clamped_at_most(self, upper: Any) -> Traced:
        """Return the smaller of this value and a number: with a larger one at least a number, a clamp; a double."""
        base, lower, end = self.open_clamp or (self, None, None)
        return base._clamped_at(lower, upper) if end is None else self._clamped_at(None, upper)

    def clamped_at_least(self, lower: Any) -> Traced:
        base, end, upper = self.open_clamp or (self, None, None)
        return base._clamped_at(lower, upper) if end is None else self._clamped_at(lower, None)

    @property
    def ends(self) -> tuple[Any, Any]:
        """Return the ends of a clamp, None where it has none."""
        assert isinstance(self.expression, Clamping)
        return self.open_clamp[1:] if self.open_clamp else (self.expression.lower, self.expression.upper)

    def refuse_end(self, end: Any, function: str, *, is_returned: bool = False) -> None:
        """Refuse an end that makes the result no double; is_returned: that is the result itself, as of min."""
        is_plain = type(end) is float or (type(end) is int and (is_small(end) or not is_returned))
        if not is_plain and (not is_number(end) or (is_returned and not isinstance(end, float))):
            kind = named(type(end))
            self.trace.refuse(f"{function} with a {kind} such as {shown(end)} may return no double.", "Use a float.")
        if end == 0 and math.copysign(1, end) < 0:
            self.trace.refuse(f"{function} with -0.0 gives what is not told from 0.0 here.", "Use 0.0.")

    def _clamped_at(self, lower: Any, upper: Any) -> Traced:
        low, high = -LARGEST_DOUBLE if lower is None else lower, LARGEST_DOUBLE if upper is None else upper
        made = self.clamped(low, high)
        if lower is None or upper is None:
            made.open_clamp = self, lower, upper
        return made

    def _exact(self, value: Any, what: str) -> Fraction:
        """Return the rational that a number prints as; a grid or a bound may be text or a Decimal too."""
        if isinstance(value, Traced):
            self.trace.refuse(f"{what} depends on a symbol.", "Grids and bounds are known numbers.")
        try:
            return parameter(value, name=what)
        except ParameterError as problem:
            self.trace.refuse(problem.problem)

    # numpy

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **settings: Any) -> Any:
        return of_ufunc(self, ufunc.__name__, method, inputs, settings)

    def __array_function__(self, function: Any, types: Any, arguments: tuple[Any, ...], settings: Any) -> Any:
        return of_function(self, function.__name__, arguments, settings)


def _operation(operator: str, *, swapped: bool) -> Callable[..., Any]:
    def method(self: Traced, other: Any) -> Traced:
        return self._written(operator, other, swapped=swapped)

    return method


for _operator, _name in (("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "truediv")):
    setattr(Traced, f"__{_name}__", _operation(_operator, swapped=False))
    setattr(Traced, f"__r{_name}__", _operation(_operator, swapped=True))


def _refused(what: str, advice: str = ADVICE) -> Callable[..., Any]:
    def method(self: Traced, *_: Any, **__: Any) -> Any:
        self.trace.refuse(what, advice)

    return method


_BRANCH = "a branch, loop or comparison depends on a symbol."
_NUMBER = "a symbol is converted to a number."
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "bool", "iter", "len", "contains", "getitem", "reversed", "next"):
    setattr(Traced, f"__{_name}__", _refused(_BRANCH))
for _name in ("float", "int", "index", "complex", "array", "format", "str"):
    setattr(
        Traced,
        f"__{_name}__",
        _refused(_NUMBER, "math's functions do that: use ln of snapdp.lab."),
    )
for _name in ("trunc", "ceil"):
    setattr(Traced, f"__{_name}__", _refused(f"{_name}() is not a mechanism's rounding.", "Use round_to(x, grid)."))
for _name in ("pow", "rpow", "mod", "rmod", "floordiv", "rfloordiv", "divmod", "rdivmod", "matmul", "rmatmul"):
    setattr(Traced, f"__{_name}__", _refused(f"{_name} is not supported here."))

# Functions of a mechanism

_BITS = 53


def ln(x: Any) -> Any:
    """Return the natural logarithm.

    >>> ln(0.5)
    -0.6931471805599453
    """
    return x.ln() if isinstance(x, Traced) else to_float_nearest(ln_nearest(datum(x), _BITS))


def round_to(x: Any, grid: Any) -> Any:
    """Return the multiple of a grid that is nearest to x, a tie toward +infinity.

    >>> round_to(-3.0, 2), round_to(3.0, 2)
    (-2.0, 4.0)
    """
    if isinstance(x, Traced):
        return x.rounded(grid)
    return to_float_nearest(nearest_multiple(datum(x), parameter(grid, name="grid")))


def clamp(x: Any, lower: Any, upper: Any = None) -> Any:
    """Return x moved into [lower, upper]; with one bound B, into [-B, B].

    >>> clamp(99.5, 64), clamp(-3.0, 0, 10)
    (64.0, 0.0)
    """
    if isinstance(x, Traced):
        return x.clamped_within(lower, upper)
    high = parameter(lower if upper is None else upper, name="upper")
    low = -high if upper is None else parameter(lower, name="lower")  # exact: -x of a whole number of numpy may be x
    if low > high:
        raise ParameterError(f"lower = {low} is above upper = {high}.", "Give the lower end first.")
    return to_float_nearest(min(max(datum(x), low), high))
