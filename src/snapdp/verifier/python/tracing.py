"""A Python function run on symbols: what it computes becomes a program of the verifier's language.

Room: verifier. The private value and the draws are `Traced` values that write down every operation instead of doing it;
all other numbers stay what they are, and Python computes with them as it does when the function runs. Where one of them
meets a symbol it becomes a double there, as it does in Python: correctly rounded, or too large.
What no program can say is refused with its line: a comparison, a branch, a conversion to a number, a function that is
not ours; and what Python computes otherwise on floats than by the operations it asks of symbols (sum, math.sumprod).
A refusal is kept, so that a function that catches it is refused all the same.
Local variables give the statements their names: they are read after each line of the function, from its frame.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any, NoReturn

from snapdp.display import shortened, visible
from snapdp.errors import ParameterError, ProgramError
from snapdp.exact import parameter, shown, to_float_nearest
from snapdp.verifier.language.grammar import DEEPEST, RESERVED
from snapdp.verifier.language.parser import LARGEST_EXPANSION
from snapdp.verifier.language.syntax import (
    Assignment,
    Binary,
    Clamping,
    Constant,
    Expression,
    Logarithm,
    Negation,
    Rounding,
    Variable,
)

_ADVICE = "A mechanism is a straight line of + - * /, ln, round_to and clamp on its arguments."
LEAST_DOUBLE = 2.0**-1022  # the least normal one
LARGEST_DOUBLE = sys.float_info.max
LONGEST_NAME = 60  # letters of a name that a message repeats
LARGEST_WHOLE = 1 << 53  # up to which whole numbers are doubles
_INVERSE = (
    "A random sign is an argument, S. The inverse of the distribution function, sign(U - 1/2) ln(1 - 2 |U - 1/2|), "
    "loses the low bits of U: in doubles its noise ends at 37 scales, and outputs beyond give it away: use S * ln(U)."
)
_NOT_NUMPYS = {
    "sign": _INVERSE,
    "absolute": _INVERSE,
    "floor": "floor(x + 0.5) makes 1 of 0.49999999999999994: use round_to(x, grid), which is exact; ties go up.",
    "rint": "numpy rounds ties to even; round_to sends them up.",
}


class Trace:
    """One run: the statements so far, and the first refusal."""

    def __init__(self, taken: set[str]) -> None:
        self.statements: list[Assignment] = []
        self.taken = set(taken)
        self.refusal: ProgramError | None = None

    def refuse(self, problem: str, advice: str = _ADVICE) -> NoReturn:
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


def _is_written(frame: FrameType) -> bool:
    """Return whether a frame is at an operation of the source, not in a function of C that asks for one."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] == "BINARY_OP"


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
        if trace.refusal is None:
            place, line = _last_line(problem, function)
            what = f"{named(function)} failed with {named(type(problem))}{_said(problem)}"
            trace.refusal = ProgramError(f"{place}, line {line}: {what}", _ADVICE, line=line)
        raise trace.refusal from None
    if trace.refusal is not None:
        raise trace.refusal
    if not isinstance(result, Traced):
        kind = named(type(result))
        raise ProgramError(f"{named(function)} returns a {kind}, which does not depend on its arguments.", _ADVICE)
    return result


def named(thing: Any) -> str:
    """Return the name of a function or a type of somebody's file as one short line: a name can be set to any text."""
    return shortened(visible(str(thing.__name__)), LONGEST_NAME)


def _said(problem: BaseException) -> str:
    """Return the text of an error of the function: anybody's, so one line, visible, and cut where it is long."""
    try:
        text = str(problem)
    except Exception:  # somebody's own class
        return ""
    return f": {shortened(visible(text))}" if text else ""


def _last_line(problem: BaseException, function: FunctionType) -> tuple[str, int]:
    frame, line = problem.__traceback__, function.__code__.co_firstlineno
    while frame is not None:
        if frame.tb_frame.f_code is function.__code__:
            line = frame.tb_lineno
        frame = frame.tb_next
    return Path(function.__code__.co_filename).name, line


def _watched(
    function: FunctionType, arguments: Mapping[str, Traced], parameters: Mapping[str, Any], trace: Trace
) -> Any:
    """Call the function; after each of its lines, name the values that its local variables got."""
    known = {name: id(value) for name, value in arguments.items()}
    kept: list[Any] = []  # keeps identities unique

    def local(frame: FrameType, event: str, _: Any) -> Callable[..., Any]:
        if event in ("line", "return"):
            for name, value in list(frame.f_locals.items()):
                if isinstance(value, Traced) and known.get(name) != id(value):
                    known[name] = id(value)
                    kept.append(value)
                    trace.bind(name, value)
        return local

    def every(frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        return local if event == "call" and frame.f_code is function.__code__ else None

    from snapdp.verifier.python.stand_ins import stand_ins

    before = sys.gettrace()
    with stand_ins(function):
        sys.settrace(every)
        try:
            return function(*arguments.values(), **parameters)
        finally:
            sys.settrace(before)


class Traced:
    """A symbolic number: an expression that grows with every operation."""

    __slots__ = ("depth", "expression", "nodes", "open_clamp", "trace")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, expression: Expression, trace: Trace, *parts: Traced) -> None:
        self.expression = expression
        self.trace = trace
        self.open_clamp: tuple[Traced, Any, Any] | None = None  # what was clamped at one end only, and its ends
        self.nodes: int = 1 + sum(part.nodes for part in parts)
        self.depth: int = 1 + max((part.depth for part in parts), default=0)
        if self.nodes > LARGEST_EXPANSION or self.depth > DEEPEST:
            trace.refuse(f"the expression has {self.nodes} operations, {self.depth} deep.", "Make it shorter.")

    def __repr__(self) -> str:
        from snapdp.verifier.language.printing import expression_text

        return f"<symbol {expression_text(self.expression)}>"

    def binary(self, operator: str, other: Any, *, swapped: bool = False) -> Traced:
        """Return the operation of this value and another one, or a number, on the right; swapped: on the left."""
        a, b = (self.lifted(other), self) if swapped else (self, self.lifted(other))
        return Traced(Binary(operator=operator, left=a.expression, right=b.expression), self.trace, a, b)

    def _written(self, operator: str, other: Any, *, swapped: bool = False) -> Traced:
        if getattr(other, "shape", ()) != ():
            return NotImplemented  # type: ignore[no-any-return]  # an array does the operation entry by entry
        if not _is_written(sys._getframe(2)):
            # From 3.12 on sum adds floats with a correction, math.sumprod multiplies in twice the precision.
            problem = "a function asks for this operation; on floats it may compute otherwise (sum does)."
            self.trace.refuse(problem, f"Write the operation itself: a {operator} b.")
        return self.binary(operator, other, swapped=swapped)

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

    def __add__(self, other: Any) -> Traced:
        return self._written("+", other)

    def __radd__(self, other: Any) -> Traced:
        return self._written("+", other, swapped=True)

    def __sub__(self, other: Any) -> Traced:
        return self._written("-", other)

    def __rsub__(self, other: Any) -> Traced:
        return self._written("-", other, swapped=True)

    def __mul__(self, other: Any) -> Traced:
        return self._written("*", other)

    def __rmul__(self, other: Any) -> Traced:
        return self._written("*", other, swapped=True)

    def __truediv__(self, other: Any) -> Traced:
        return self._written("/", other)

    def __rtruediv__(self, other: Any) -> Traced:
        return self._written("/", other, swapped=True)

    def __neg__(self) -> Traced:
        return Traced(Negation(operand=self.expression), self.trace, self)

    def __pos__(self) -> Traced:
        return self

    def ln(self) -> Traced:
        return Traced(Logarithm(operand=self.expression), self.trace, self)

    def rounded(self, grid: Any) -> Traced:
        exact = self._exact(grid, "the grid")
        if exact <= 0:
            self.trace.refuse(f"a grid of {exact} is not positive.")
        return Traced(Rounding(grid=exact, operand=self.expression), self.trace, self)

    def clamped(self, lower: Any, upper: Any) -> Traced:
        low, high = self._exact(lower, "the lower bound"), self._exact(upper, "the upper bound")
        if low > high:
            self.trace.refuse(f"the clamp's lower end {low} is above its upper end {high}.")
        return Traced(Clamping(lower=low, upper=high, operand=self.expression), self.trace, self)

    def clamped_at_most(self, upper: Any) -> Traced:
        """Return the smaller of this value and a number: with a larger one at least a number, a clamp."""
        base, lower, end = self.open_clamp or (self, None, None)
        return base._clamped_at(lower, upper) if end is None else self._clamped_at(None, upper)

    def clamped_at_least(self, lower: Any) -> Traced:
        base, end, upper = self.open_clamp or (self, None, None)
        return base._clamped_at(lower, upper) if end is None else self._clamped_at(lower, None)

    def refuse_end(self, end: Any, function: str, *, is_returned: bool = False) -> None:
        """Refuse an end that makes the result no double; is_returned: that is the result itself, as of min."""
        is_plain = type(end) is float or (type(end) is int and (abs(end) <= LARGEST_WHOLE or not is_returned))
        if not is_plain and (not _is_number(end) or (is_returned and not isinstance(end, float))):
            kind = named(type(end))
            self.trace.refuse(f"{function} with a {kind} such as {shown(end)} may return no double.", "Use a float.")

    def _clamped_at(self, lower: Any, upper: Any) -> Traced:
        made = self.clamped(-LARGEST_DOUBLE if lower is None else lower, LARGEST_DOUBLE if upper is None else upper)
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
        operations: dict[str, Callable[..., Traced]] = {
            "add": lambda a, b: a.binary("+", b),
            "subtract": lambda a, b: a.binary("-", b),
            "multiply": lambda a, b: a.binary("*", b),
            "divide": lambda a, b: a.binary("/", b),
            "true_divide": lambda a, b: a.binary("/", b),
            "negative": lambda a: -a,
            "positive": lambda a: a,
            "log": lambda a: a.ln(),
        }
        name = ufunc.__name__
        if name in ("minimum", "maximum") and method == "__call__" and not settings:
            return self._numpy_end(name, inputs)
        if method != "__call__" or settings or name not in operations:
            known = f"Of numpy: {', '.join(operations)}, minimum, maximum, clip, where."
            self.trace.refuse(f"numpy.{name} is not supported here.", _NOT_NUMPYS.get(name, known))
        return operations[name](*(self.lifted(each) for each in inputs))

    def _numpy_end(self, name: str, inputs: tuple[Any, ...]) -> Traced:
        numbers = [each for each in inputs if not isinstance(each, Traced)]
        if len(numbers) != 1:
            self.trace.refuse(f"numpy.{name} decides between symbols.", "Use clamp.")
        self.refuse_end(numbers[0], f"numpy.{name}")
        return self.clamped_at_most(numbers[0]) if name == "minimum" else self.clamped_at_least(numbers[0])

    def __array_function__(self, function: Any, types: Any, arguments: tuple[Any, ...], settings: Any) -> Any:
        name = function.__name__
        if name == "clip" and len(arguments) == 3 and not settings and isinstance(arguments[0], Traced):
            for end in arguments[1:]:
                self.refuse_end(end, "numpy.clip")
            return arguments[0].clamped(*arguments[1:])
        if name == "where" and len(arguments) == 3 and not settings:
            return self._chosen(*arguments)
        advice = _NOT_NUMPYS["rint"] if name in ("round", "around") else _ADVICE
        return self.trace.refuse(f"numpy.{name} is not supported here.", advice)

    def _chosen(self, condition: Any, one: Any, other: Any) -> Traced:
        """Return what numpy.where chooses by a condition that is known."""
        if not (isinstance(condition, bool) or str(getattr(condition, "dtype", "")) == "bool") or _is_array(condition):
            self.trace.refuse("numpy.where chooses by no single condition that is known.", _ADVICE)
        first, second = self.lifted(one), self.lifted(other)  # both: the kind of the result is that of both
        return first if condition else second


def _is_array(value: Any) -> bool:
    return getattr(value, "shape", ()) != ()


def _is_number(value: Any) -> bool:
    dtype = getattr(value, "dtype", None)
    return getattr(value, "shape", None) == () and (getattr(dtype, "kind", "") in "iu" or str(dtype) == "float64")


def _refused(what: str, advice: str = _ADVICE) -> Callable[..., Any]:
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
        _refused(_NUMBER, "math's functions do that: use ln of snapdp.verifier."),
    )
for _name in ("round", "trunc", "floor", "ceil"):
    setattr(Traced, f"__{_name}__", _refused(f"{_name}() is not a mechanism's rounding.", "Use round_to(x, grid)."))
for _name in ("abs", "pow", "rpow", "mod", "rmod", "floordiv", "rfloordiv", "divmod", "rdivmod", "matmul", "rmatmul"):
    setattr(Traced, f"__{_name}__", _refused(f"{_name} is not supported here."))
