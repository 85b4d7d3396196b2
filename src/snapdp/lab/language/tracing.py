"""A Python function run on symbols: what it computes becomes a program of the verifier's language.

The private value and the draws are `Traced` values that write down every operation instead of doing it; all other
numbers stay what they are, and Python computes with them as it does when the function runs. Where a number meets a
symbol it becomes a double there, as it does in Python: correctly rounded, or too large. What no program can say is
refused with its line: a comparison, a branch, a conversion to a number, a function that is not ours; and what Python
computes otherwise on floats than by the operations it asks of symbols (sum, math.sumprod). Local variables give the
statements their names: they are read after each line of the function, from its frame. Python's min and max compare, and
math.log converts, so while a function is traced its module sees stand-ins for them, which do the same on numbers. A
tracer sees a drawn number as a constant, so a function that draws by itself is found in its compiled code and refused.
`ln`, `round_to` and `clamp` are traced on symbols; on numbers they do what the verifier's machine with p = 53 does.
"""

from __future__ import annotations

import builtins
import dis
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from types import CodeType, FrameType, FunctionType, GeneratorType, ModuleType
from typing import Any, NamedTuple, NoReturn

from snapdp.display.text import one_line
from snapdp.errors import ParameterError, ProgramError
from snapdp.exact.dyadic import exponent_of_power, nearest_multiple
from snapdp.exact.functions import ln_nearest
from snapdp.exact.numbers import datum, parameter, shown, to_float_nearest
from snapdp.lab.language.parser import DEEPEST, LARGEST_EXPANSION, RESERVED
from snapdp.lab.language.syntax import (
    BINARY,
    Addition,
    Assignment,
    Binary,
    Clamping,
    Constant,
    Division,
    Expression,
    Floor,
    Logarithm,
    Magnitude,
    Multiplication,
    NearestInteger,
    Negation,
    Rounding,
    Sign,
    Subtraction,
    UnaryOperation,
    Variable,
)
from snapdp.lab.language.text import expression_text, unused_name

ADVICE = "A mechanism is a straight line of + - * /, ln, abs, sign, rounding and clamps on its arguments."
LONGEST_NAME = 60  # letters of a name that a message repeats


def named(thing: Any) -> str:
    """Return the name of a function or a type of somebody's file as one short line: a name can be set to any text."""
    return one_line(str(thing.__name__), LONGEST_NAME)


def refusal_at(file: str, line: int, problem: str, advice: str = ADVICE) -> ProgramError:
    """Return the refusal of what a line of a file does."""
    return ProgramError(f"{Path(file).name}, line {line}: {problem}", advice, line=line)


class Trace:
    """The statements that a function makes, in order. The first refusal is kept, so that a function that catches it is
    refused all the same."""

    def __init__(self, taken: set[str]) -> None:
        self.statements: list[Assignment] = []
        self.taken = set(taken)
        self.refusal: ProgramError | None = None

    def refuse(self, problem: str, advice: str = ADVICE) -> NoReturn:
        """Refuse what the nearest line outside of this package and of numpy does."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and str(frame.f_globals.get("__name__", "")).split(".")[0] in ("snapdp", "numpy"):
            frame = frame.f_back
        place, line = ("the function", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
        refusal = refusal_at(place, line, problem, advice)
        self.refusal = self.refusal or refusal
        raise refusal

    def bind(self, name: str, value: Traced) -> None:
        """Give a computed value a name; from now on it is that variable."""
        if isinstance(value.expression, Variable):
            return  # another name for what has one
        stem = name if name.isascii() and name not in RESERVED else "value"
        fresh = unused_name(stem, self.taken)
        self.taken.add(fresh)
        self.statements.append(Assignment(name=fresh, expression=value.expression))
        value.expression = Variable(name=fresh)


# Symbols

LEAST_DOUBLE = 2.0**-1022  # the least normal one
LARGEST_DOUBLE = sys.float_info.max


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
        return f"<symbol {expression_text(self.expression)}>"

    def binary(self, operator: str, other: Any, *, swapped: bool = False) -> Traced:
        """Return the operation of this value and another one, or a number, on the right; swapped: on the left."""
        integers = _integers_of_operation(self, operator, other)
        a, b = (self.lifted(other), self) if swapped else (self, self.lifted(other))
        tree = BINARY[operator](left=a.expression, right=b.expression)
        return Traced(tree, self.trace, a, b, integers=integers)

    def lifted(self, value: Any) -> Traced:
        """Return a number of the function as a constant of the program: what it prints, which is rounded to a double.

        That is what Python does where a float meets an int, a float, a Fraction or a number of numpy: the conversion
        is correctly rounded, or refused where it overflows. Other kinds (Decimal, text) do not mix with floats.
        """
        if isinstance(value, Traced):
            return value
        kind = type(value)
        if kind not in (int, float, Fraction) and not (kind.__module__ == "numpy" and _is_number(value)):
            self.trace.refuse(f"a {named(kind)} is no number of a mechanism.", "Use int, float or Fraction.")
        number = self._exact(value, "the constant")
        double = abs(to_float_nearest(number))
        if number and not LEAST_DOUBLE <= double < float("inf"):
            self.trace.refuse(f"{shown(value)} is beyond the range of (normal) doubles.")
        constant = Traced(Constant(value=abs(number)), self.trace)
        return -constant if number < 0 else constant  # a program has no negative numbers, only minus

    def __neg__(self) -> Traced:
        if self.integers is not None and not self.integers.always:
            _refuse_integers(self, "-a", "and a zero keeps its sign.")
        return self.applied(Negation, integers=self.integers)

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Traced:
        return self.applied(Magnitude, integers=self.integers)

    def __floor__(self) -> Traced:
        return self.applied(Floor, integers=ROUNDED)

    def __round__(self, digits: Any = None) -> Traced:
        if digits is not None:
            self.trace.refuse("round(x, digits) rounds to decimals.", "Round to whole numbers: g * round(x / g).")
        return self.applied(NearestInteger, integers=ROUNDED)

    def applied(self, operation: type[UnaryOperation], *, integers: Integers | None = None, **own: Fraction) -> Traced:
        """Return an operation on this value; `own` is what else it says."""
        return Traced(operation(operand=self.expression, **own), self.trace, self, integers=integers)

    def rounded(self, grid: Any) -> Traced:
        exact = self._exact(grid, "the grid")
        if exact <= 0:
            self.trace.refuse(f"a grid of {exact} is not positive.")
        return self.applied(Rounding, grid=exact)

    def clamped(self, lower: Any, upper: Any = None, *, integers: Integers | None = None) -> Traced:
        """Return this value clamped to [lower, upper]; without an upper end, to [-lower, lower]."""
        if upper is None:
            lower, upper = -self._exact(lower, "the bound"), lower
        low, high = self._exact(lower, "the lower bound"), self._exact(upper, "the upper bound")
        if low > high:
            self.trace.refuse(f"the clamp's lower end {low} is above its upper end {high}.")
        return self.applied(Clamping, lower=low, upper=high, integers=integers)

    def clamped_at(self, end: Any, *, is_upper: bool) -> Traced:
        """Return the smaller of this value and an upper end, or the larger of it and a lower one; both make a clamp."""
        base, lower, upper = self.open_clamp or (self, None, None)
        if (upper if is_upper else lower) is not None:
            base, lower, upper = self, None, None
        lower, upper = (lower, end) if is_upper else (end, upper)
        clamp = base.clamped(-LARGEST_DOUBLE if lower is None else lower, LARGEST_DOUBLE if upper is None else upper)
        if lower is None or upper is None:
            clamp.open_clamp = base, lower, upper
        return clamp

    def refuse_end(self, end: Any, function: str, *, is_returned: bool = False) -> None:
        """Refuse an end that makes the result no double; is_returned: that is the result itself, as of min."""
        is_plain = type(end) is float or (type(end) is int and (_is_small(end) or not is_returned))
        if not is_plain and (not _is_number(end) or (is_returned and not isinstance(end, float))):
            kind = named(type(end))
            self.trace.refuse(f"{function} with a {kind} such as {shown(end)} may return no double.", "Use a float.")
        if end == 0 and math.copysign(1, end) < 0:
            self.trace.refuse(f"{function} with -0.0 gives what is not told from 0.0 here.", "Use 0.0.")

    def _exact(self, value: Any, what: str) -> Fraction:
        """Return the rational that a number prints as; a grid or a bound may be text or a Decimal too."""
        if isinstance(value, Traced):
            self.trace.refuse(f"{what} depends on a symbol.", "Grids and bounds are known numbers.")
        try:
            return parameter(value, name=what)
        except ParameterError as problem:
            self.trace.refuse(problem.problem)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **settings: Any) -> Any:
        return _of_ufunc(self, ufunc.__name__, inputs, is_plain=method == "__call__" and not settings)

    def __array_function__(self, function: Any, types: Any, arguments: tuple[Any, ...], settings: Any) -> Any:
        return _of_function(self, function.__name__, arguments, settings)


def _operation(operator: str, *, swapped: bool) -> Callable[..., Any]:
    def method(self: Traced, other: Any) -> Traced:
        if getattr(other, "shape", ()) != ():
            return NotImplemented  # type: ignore[no-any-return]  # an array does the operation entry by entry
        frame = sys._getframe(1)
        if dis.opname[frame.f_code.co_code[frame.f_lasti]] != "BINARY_OP":  # a function of C asks, not the source
            # From 3.12 on sum adds floats with a correction, math.sumprod multiplies in twice the precision.
            problem = "a function asks for this operation; on floats it may compute otherwise (sum does)."
            self.trace.refuse(problem, f"Write the operation itself: a {operator} b.")
        return self.binary(operator, other, swapped=swapped)

    return method


def _refused(problem: str, advice: str = ADVICE) -> Callable[..., Any]:
    def method(self: Traced, *_: Any, **__: Any) -> Any:
        self.trace.refuse(problem, advice)

    return method


for _operator, _name in (("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "truediv")):
    setattr(Traced, f"__{_name}__", _operation(_operator, swapped=False))
    setattr(Traced, f"__r{_name}__", _operation(_operator, swapped=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "bool", "iter", "len", "contains", "getitem", "reversed", "next"):
    setattr(Traced, f"__{_name}__", _refused("a branch, loop or comparison depends on a symbol."))
for _name in ("float", "int", "index", "complex", "array", "format", "str"):
    _method = _refused("a symbol is converted to a number.", "math's functions do that: use ln of snapdp.lab.")
    setattr(Traced, f"__{_name}__", _method)
for _name in ("trunc", "ceil"):
    setattr(Traced, f"__{_name}__", _refused(f"{_name}() is not a mechanism's rounding.", "Use round_to(x, grid)."))
for _name in ("pow", "rpow", "mod", "rmod", "floordiv", "rfloordiv", "divmod", "rdivmod", "matmul", "rmatmul"):
    setattr(Traced, f"__{_name}__", _refused(f"{_name} is not supported here."))


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


def _is_small(value: Any) -> bool:
    """Tell whether a number is an int of Python that is a double, too."""
    return type(value) is int and abs(value) <= LARGEST_WHOLE


def _is_number(value: Any) -> bool:
    """Tell whether a value is a number of numpy that mixes with doubles: whole, or a double itself."""
    dtype = getattr(value, "dtype", None)
    return getattr(value, "shape", None) == () and (getattr(dtype, "kind", "") in "iu" or str(dtype) == "float64")


def _is_float(value: Any) -> bool:
    """Tell whether a number is a double, of Python or of numpy."""
    return type(value) is float or (isinstance(value, float) and _is_number(value))


def _refuse_integers(symbol: Traced, what: str, advice: str) -> NoReturn:
    if symbol.integers is not None and symbol.integers.always:
        problem = f"round and floor give whole numbers of Python, with which {what} is not what it is with doubles."
        symbol.trace.refuse(problem, f"Use numpy.floor or numpy.rint, {advice}")
    problem = f"at its end this is a whole number, with which {what} is not what it is with doubles."
    symbol.trace.refuse(problem, f"Write the ends of min, max and clip as floats, 64.0, {advice}")


def _integers_of_operation(symbol: Traced, operator: str, other: Any) -> Integers | None:
    """Return what integers a value and another one, or a number, give; None: a double; refused where doubles differ.

    Quotients are rounded once by integers and by doubles. Products by powers of two do not round in either, nor does
    anything that stays below 2^53.
    """
    mine = symbol.integers
    if mine is None or _is_float(other):
        return None
    if isinstance(other, Traced):
        theirs = other.integers
        if theirs is None or (operator == "/" and mine.always and theirs.always):
            return None
    elif _is_small(other):
        if operator == "/":
            return None
        if operator == "*" and mine.always and exponent_of_power(Fraction(abs(other))) is not None:
            return Integers(always=True, largest=None if mine.largest is None else mine.largest * abs(other))
        if mine.largest is not None and (operator != "*" or mine.always or other > 0):
            largest = mine.largest * abs(other) if operator == "*" else mine.largest + abs(other)
            if largest <= LARGEST_WHOLE:
                return Integers(always=mine.always, largest=largest)
    _refuse_integers(symbol, f"a {operator} b", "or make the other number a float: 3.0.")


def _integers_of_end(symbol: Traced, end: Any, clamp: Traced) -> Integers | None:
    """Return what integers min or max of a value and an end give, of which Python has made a clamp."""
    mine, is_int = symbol.integers, type(end) is int
    if mine is None:
        return Integers(always=False, largest=abs(end)) if is_int else None
    assert isinstance(clamp.expression, Clamping)
    ends = clamp.open_clamp[1:] if clamp.open_clamp else (clamp.expression.lower, clamp.expression.upper)
    sizes = [abs(known) for known in ends if known is not None]
    if len(sizes) < 2 and mine.largest is None:
        return Integers(always=mine.always and is_int, largest=None)
    largest = max(sizes) if len(sizes) == 2 else max(mine.largest or 0, *sizes)
    return Integers(always=mine.always and is_int, largest=largest)


def _integers_of_numpy(symbol: Traced, name: str, ends: Sequence[Any]) -> Integers | None:
    """Return what integers numpy makes of a value between ends: of 64 bits, unless an end is a double."""
    mine = symbol.integers
    if mine is None:
        return None
    if not all(_is_small(end) or _is_float(end) for end in ends):
        _refuse_integers(symbol, f"numpy.{name}", "or make its ends floats.")
    if len(ends) < 2 and (mine.largest is None or mine.largest > LARGEST_WHOLE):  # beyond 64 bits it fails
        _refuse_integers(symbol, f"numpy.{name}", "or clamp it at both ends.")
    if all(_is_float(end) for end in ends):
        return None
    largest = max(abs(end) for end in ends)
    return Integers(always=False, largest=largest if len(ends) == 2 else max(largest, mine.largest or 0))


# numpy, which hands its functions over to a symbol among their arguments; ends and conditions must be known. Those
# taken are one operation of the language.

NUMPY: dict[str, type[Binary] | type[UnaryOperation] | None] = {
    "add": Addition,
    "subtract": Subtraction,
    "multiply": Multiplication,
    "divide": Division,
    "true_divide": Division,
    "negative": Negation,
    "positive": None,
    "log": Logarithm,
    "absolute": Magnitude,
    "fabs": Magnitude,
    "sign": Sign,
    "floor": Floor,
    "rint": NearestInteger,
}
ENDS = ("minimum", "maximum")


def _refuse_integers_in_numpy(name: str, values: Sequence[Any]) -> None:
    """Refuse integers where numpy would compute with them: it makes integers of 64 bits of them, where they fit."""
    for value in values:
        if isinstance(value, Traced) and value.integers is not None:
            _refuse_integers(value, f"numpy.{name}", "or make a double of it first.")


def _of_ufunc(symbol: Traced, name: str, inputs: tuple[Any, ...], *, is_plain: bool) -> Traced:
    """Return what a function that works entry by entry makes of a symbol."""
    if name in ENDS and is_plain:
        numbers = [value for value in inputs if not isinstance(value, Traced)]
        if len(numbers) != 1:
            symbol.trace.refuse(f"numpy.{name} decides between symbols.", "Use clamp.")
        symbol.refuse_end(numbers[0], f"numpy.{name}")
        clamp = symbol.clamped_at(numbers[0], is_upper=name == "minimum")
        clamp.integers = _integers_of_numpy(symbol, name, numbers)
        return clamp
    if not is_plain or name not in NUMPY:
        supported = f"Of numpy: {', '.join((*NUMPY, *ENDS))}, clip, round, where."
        symbol.trace.refuse(f"numpy.{name} is not supported here.", supported)
    is_double = any(v.integers is None if isinstance(v, Traced) else _is_float(v) for v in inputs)
    if len(inputs) == 1 or not is_double:
        _refuse_integers_in_numpy(name, inputs)
    first, *others = map(symbol.lifted, inputs)
    operation = NUMPY[name]
    if operation is None:
        return first
    return first.binary(operation.symbol, *others) if issubclass(operation, Binary) else first.applied(operation)


def _of_function(symbol: Traced, name: str, arguments: tuple[Any, ...], settings: Mapping[str, Any]) -> Traced:
    """Return what another function of numpy makes of a symbol."""
    if name == "clip" and len(arguments) == 3 and not settings and isinstance(arguments[0], Traced):
        value: Traced = arguments[0]
        ends = arguments[1:]
        for end in ends:
            symbol.refuse_end(end, "numpy.clip")
        return value.clamped(*ends, integers=_integers_of_numpy(value, name, ends))
    if name == "where" and len(arguments) == 3 and not settings:
        condition, *values = arguments
        is_bool = isinstance(condition, bool) or str(getattr(condition, "dtype", "")) == "bool"
        if not is_bool or getattr(condition, "shape", ()) != ():
            symbol.trace.refuse("numpy.where chooses by no single condition that is known.", ADVICE)
        _refuse_integers_in_numpy(name, values)
        first, second = map(symbol.lifted, values)  # both: the kind of the result is that of both
        return first if condition else second
    if name in ("round", "around"):
        if len(arguments) == 1 and settings in ({}, {"decimals": 0}):
            _refuse_integers_in_numpy(name, arguments)
            return symbol.applied(NearestInteger)
        symbol.trace.refuse(f"numpy.{name} is not supported here.", "Round to whole numbers: g * numpy.round(x / g).")
    return symbol.trace.refuse(f"numpy.{name} is not supported here.")


# Functions of a mechanism

_BITS = 53


def ln(x: Any) -> Any:
    """Return the natural logarithm, -infinity of zero.

    >>> ln(0.5)
    -0.6931471805599453
    """
    if isinstance(x, Traced):
        return x.applied(Logarithm)
    if not 0 <= x < math.inf:
        raise ParameterError("ln needs a finite number that is not negative.")
    return to_float_nearest(ln_nearest(datum(x), _BITS)) if x else -math.inf


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
        return x.clamped(lower, upper)
    high = parameter(lower if upper is None else upper, name="upper")
    low = -high if upper is None else parameter(lower, name="lower")  # exact: -x of a whole number of numpy may be x
    if low > high:
        raise ParameterError(f"lower = {low} is above upper = {high}.", "Give the lower end first.")
    return to_float_nearest(min(max(datum(x), low), high))


# Running a function on symbols


def run(function: FunctionType, arguments: Mapping[str, Traced], parameters: Mapping[str, Any]) -> Traced:
    """Return what a function makes of symbols; its assignments are in the trace of its arguments."""
    trace = next(iter(arguments.values())).trace
    try:
        result = _watched(function, arguments, parameters, trace)
    except ProgramError as problem:
        raise trace.refusal or problem from None
    except KeyboardInterrupt:
        raise
    except BaseException as problem:  # a SystemExit too: an exit code of 0 would say that the claim is kept
        raise trace.refusal or _failure(function, problem) from None
    if trace.refusal is not None:
        raise trace.refusal
    if not isinstance(result, Traced):
        kind = named(type(result))
        raise ProgramError(f"{named(function)} returns a {kind}, which does not depend on its arguments.", ADVICE)
    return result


def _failure(function: FunctionType, problem: BaseException) -> ProgramError:
    """Return the refusal of a function that stopped; its error's text is anybody's, so one line, visible, and short."""
    try:
        text = str(problem)
    except Exception:  # somebody's own class
        text = ""
    code, frame = function.__code__, problem.__traceback__
    line = code.co_firstlineno
    while frame is not None:
        line = frame.tb_lineno if frame.tb_frame.f_code is code else line
        frame = frame.tb_next
    what = f"{named(function)} failed with {named(type(problem))}" + (f": {one_line(text)}" if text else "")
    return refusal_at(code.co_filename, line, what)


def _watched(
    function: FunctionType, arguments: Mapping[str, Traced], parameters: Mapping[str, Any], trace: Trace
) -> Any:
    """Call the function; after each of its lines, name the values that its local variables got."""
    named_values = dict(arguments)  # by the name of the variable; kept, so that identities stay unique

    def local(frame: FrameType, event: str, _: Any) -> Callable[..., Any]:
        if event in ("line", "return"):
            for name, value in list(frame.f_locals.items()):
                if isinstance(value, Traced) and named_values.get(name) is not value:
                    named_values[name] = value
                    trace.bind(name, value)
        return local

    def every(frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        return local if event == "call" and frame.f_code is function.__code__ else None

    before = sys.gettrace()
    with _stand_ins(function):
        sys.settrace(every)
        try:
            return function(*arguments.values(), **parameters)
        finally:
            sys.settrace(before)


# Stand-ins, under whatever name the module has the functions. The module's own dictionary is changed and changed back,
# so that a function that keeps state there is found out.


def _one_end(name: str) -> Callable[..., Any]:
    """Return min or max; of a symbol and a number, the symbol clamped at one end."""

    def stand_in(*values: Any, **settings: Any) -> Any:
        symbols = [value for value in values if isinstance(value, Traced)]
        if not symbols:
            return getattr(builtins, name)(*values, **settings)
        symbol = symbols[0]
        if len(values) != 2 or len(symbols) != 1 or settings:
            advice = f"Of a symbol and one number: {name}(x, 64); or use clamp."
            symbol.trace.refuse(f"{name} decides between symbols.", advice)
        [number] = [value for value in values if not isinstance(value, Traced)]
        symbol.refuse_end(number, name, is_returned=True)
        clamp = symbol.clamped_at(number, is_upper=name == "min")
        clamp.integers = _integers_of_end(symbol, number, clamp)
        return clamp

    return stand_in


def _log(x: Any, *base: Any) -> Any:
    if not isinstance(x, Traced):
        return math.log(x, *base)
    return x.trace.refuse("math.log has a base.", "Divide by the logarithm of the base.") if base else ln(x)


class _Math:
    """The module math, but for its logarithm."""

    log = staticmethod(_log)

    def __getattr__(self, name: str) -> Any:
        return getattr(math, name)


_BUILT_IN = {"min": _one_end("min"), "max": _one_end("max")}
_IN_PLACE_OF = [(builtins.min, _BUILT_IN["min"]), (builtins.max, _BUILT_IN["max"]), (math.log, _log), (math, _Math())]


@contextmanager
def _stand_ins(function: FunctionType) -> Iterator[None]:
    """Let the module of a function see stand-ins for as long as it is traced."""
    names = function.__globals__
    before = dict(names)
    changed = {n: other for n, value in before.items() for original, other in _IN_PLACE_OF if value is original}
    changed |= {name: other for name, other in _BUILT_IN.items() if name not in names}
    names |= changed
    try:
        yield
    finally:
        for name in changed:
            if not any(names.get(name) is other for _, other in _IN_PLACE_OF):
                continue  # the function has set it
            if name in before:
                names[name] = before[name]
            else:
                del names[name]


# Randomness. The names that a function and the functions it calls load from globals, closures and modules are read;
# what they stand for is looked at, not called. This finds what is written plainly; a hidden generator deceives its
# author only.

_MODULES = ("random", "secrets", "numpy.random", "snapdp.randomness")
_FUNCTIONS = {("posix", "urandom"), ("posix", "getrandom"), ("nt", "urandom"), ("uuid", "uuid1"), ("uuid", "uuid4")}
_KINDS = {"Generator", "RandomState", "BitGenerator"}
_READ_NO_FURTHER = ("numpy", "math", "snapdp", "builtins", "operator", "functools")  # nothing there draws unasked


def refuse_chance(function: FunctionType) -> None:
    """Refuse a function that draws random numbers, or that calls one that does."""
    waiting, seen = [function], {function.__code__}
    while waiting:
        current = waiting.pop()
        for value, name, line in _loaded(current, current.__code__):
            if (what := _chance(value)) is not None:
                problem = f"{name} is {what}: {named(function)} draws by itself."
                advice = "Pass what is drawn in, as arguments: def mechanism(f, U, S)."
                raise refusal_at(current.__code__.co_filename, line, problem, advice)
            inner = getattr(value, "__func__", value)
            if not isinstance(inner, FunctionType) or inner.__code__ in seen:
                continue
            if str(inner.__module__).split(".")[0] not in _READ_NO_FURTHER:
                seen.add(inner.__code__)
                waiting.append(inner)


def _chance(value: Any) -> str | None:
    """Return what kind of source a value is, or None."""
    if isinstance(value, GeneratorType):
        return "a generator"
    if isinstance(value, ModuleType):
        return f"the module {value.__name__}" if _draws(value.__name__) else None
    kind = value if isinstance(value, type) else type(value)
    if _draws(kind.__module__) or any(_draws(base.__module__) for base in kind.__mro__):
        return f"a source of random numbers ({kind.__name__})"
    if kind.__name__ in _KINDS:
        return f"a {kind.__name__}"
    owner = getattr(value, "__self__", None)
    if owner is not None and not isinstance(owner, ModuleType) and owner is not value and _chance(owner) is not None:
        return "a method of a source of random numbers"
    place = str(getattr(value, "__module__", "")), str(getattr(value, "__name__", ""))
    return "a function that draws" if callable(value) and (_draws(place[0]) or place in _FUNCTIONS) else None


def _draws(module: str) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in _MODULES)


def _loaded(function: FunctionType, code: CodeType) -> Iterator[tuple[Any, str, int]]:
    """Yield what a code object loads by name from outside: value, name as written, line."""
    closed_over = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
    line, value, name = code.co_firstlineno, None, ""
    for instruction in dis.get_instructions(code):
        line = (instruction.positions.lineno if instruction.positions else None) or line
        operation, argument = instruction.opname, str(instruction.argval)
        if operation in ("CACHE", "NOP", "PUSH_NULL"):
            continue
        if operation in ("LOAD_GLOBAL", "LOAD_NAME"):
            name, value = argument, function.__globals__.get(argument, getattr(builtins, argument, None))
        elif (
            operation in ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")
            and instruction.argval in closed_over
        ):
            name, value = argument, _content(closed_over[argument])
        elif operation in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM") and isinstance(value, ModuleType):
            name, value = f"{name}.{argument}", getattr(value, argument, None)
        elif operation == "IMPORT_NAME":
            name, value = argument, sys.modules.get(argument) or (ModuleType(argument) if _draws(argument) else None)
        else:
            value = None
        if value is not None:
            yield value, name, line
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _loaded(function, constant)


def _content(closed: Any) -> Any:
    try:
        return closed.cell_contents
    except ValueError:  # one that is filled later
        return None
