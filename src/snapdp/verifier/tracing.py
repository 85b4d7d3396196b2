"""A Python function run on symbols: what it computes becomes a program of the verifier's language.

Room: verifier. The arguments are `Traced` values that write down every operation instead of doing it. What no program
can say is refused with its line: a comparison, a branch, a conversion to a number, a function that is not ours.
A refusal is kept, so that a function that catches it is refused all the same.
Local variables give the statements their names: they are read after each line of the function, from its frame.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any, NoReturn

from snapdp.errors import ParameterError, ProgramError
from snapdp.exact.numbers import parameter
from snapdp.verifier.grammar import DEEPEST, RESERVED
from snapdp.verifier.language import LARGEST_EXPANSION
from snapdp.verifier.syntax import (
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


def run(function: FunctionType, arguments: Mapping[str, Traced], parameters: Mapping[str, Traced]) -> Traced:
    """Return what a function makes of symbols; its assignments are in the trace of its arguments."""
    trace = next(iter(arguments.values())).trace
    try:
        result = _watched(function, arguments, parameters, trace)
    except ProgramError as problem:
        raise trace.refusal or problem from None
    except Exception as problem:
        if trace.refusal is None:
            place, line = _last_line(problem, function)
            what = f"{function.__name__} failed with {type(problem).__name__}: {problem}"
            trace.refusal = ProgramError(f"{place}, line {line}: {what}", _ADVICE, line=line)
        raise trace.refusal from None
    if trace.refusal is not None:
        raise trace.refusal
    if not isinstance(result, Traced):
        kind = type(result).__name__
        raise ProgramError(f"{function.__name__} returns a {kind}, which does not depend on its arguments.", _ADVICE)
    return result


def _last_line(problem: Exception, function: FunctionType) -> tuple[str, int]:
    step, line = problem.__traceback__, function.__code__.co_firstlineno
    while step is not None:
        if step.tb_frame.f_code is function.__code__:
            line = step.tb_lineno
        step = step.tb_next
    return Path(function.__code__.co_filename).name, line


def _watched(
    function: FunctionType, arguments: Mapping[str, Traced], parameters: Mapping[str, Traced], trace: Trace
) -> Any:
    """Call the function; after each of its lines, name the values that its local variables got."""
    known = {name: id(value) for name, value in (*arguments.items(), *parameters.items())}
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

    before = sys.gettrace()
    sys.settrace(every)
    try:
        return function(*arguments.values(), **parameters)
    finally:
        sys.settrace(before)


class Traced:
    """A symbolic number: an expression that grows with every operation."""

    __slots__ = ("depth", "expression", "nodes", "trace")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, expression: Expression, trace: Trace, *parts: Traced) -> None:
        self.expression = expression
        self.trace = trace
        self.nodes: int = 1 + sum(part.nodes for part in parts)
        self.depth: int = 1 + max((part.depth for part in parts), default=0)
        if self.nodes > LARGEST_EXPANSION or self.depth > DEEPEST:
            trace.refuse(f"the expression has {self.nodes} operations, {self.depth} deep.", "Make it shorter.")

    def __repr__(self) -> str:
        from snapdp.verifier.printing import expression_text

        return f"<symbol {expression_text(self.expression)}>"

    def _binary(self, operator: str, other: Any, *, swapped: bool = False) -> Traced:
        if getattr(other, "shape", ()) != ():
            return NotImplemented  # type: ignore[no-any-return]  # an array does the operation entry by entry
        a, b = (self.lifted(other), self) if swapped else (self, self.lifted(other))
        return Traced(Binary(operator=operator, left=a.expression, right=b.expression), self.trace, a, b)

    def lifted(self, value: Any) -> Traced:
        """Return a number of the function as a constant of the program: what it prints."""
        if isinstance(value, Traced):
            return value
        kind = type(value)
        if kind not in (int, float, Fraction) and not (kind.__module__ == "numpy" and _is_number(value)):
            self.trace.refuse(f"a {kind.__name__} is no number of a mechanism.", "Use int, float or Fraction.")
        try:
            number = parameter(value, name="the constant")
        except ParameterError as problem:
            self.trace.refuse(problem.problem)
        constant = Traced(Constant(value=abs(number)), self.trace)
        return -constant if number < 0 else constant  # a program has no negative numbers, only minus

    def __add__(self, other: Any) -> Traced:
        return self._binary("+", other)

    def __radd__(self, other: Any) -> Traced:
        return self._binary("+", other, swapped=True)

    def __sub__(self, other: Any) -> Traced:
        return self._binary("-", other)

    def __rsub__(self, other: Any) -> Traced:
        return self._binary("-", other, swapped=True)

    def __mul__(self, other: Any) -> Traced:
        return self._binary("*", other)

    def __rmul__(self, other: Any) -> Traced:
        return self._binary("*", other, swapped=True)

    def __truediv__(self, other: Any) -> Traced:
        return self._binary("/", other)

    def __rtruediv__(self, other: Any) -> Traced:
        return self._binary("/", other, swapped=True)

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

    def _exact(self, value: Any, what: str) -> Fraction:
        number = _constant(self.lifted(value).expression)
        if number is None:
            self.trace.refuse(f"{what} depends on a symbol or has no value.", "Grids and bounds are known numbers.")
        return number

    # numpy

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **settings: Any) -> Any:
        operations: dict[str, Callable[..., Traced]] = {
            "add": lambda a, b: a + b,
            "subtract": lambda a, b: a - b,
            "multiply": lambda a, b: a * b,
            "divide": lambda a, b: a / b,
            "true_divide": lambda a, b: a / b,
            "negative": lambda a: -a,
            "positive": lambda a: a,
            "log": lambda a: a.ln(),
        }
        name = ufunc.__name__
        if method != "__call__" or settings or name not in operations:
            self.trace.refuse(f"numpy.{name} is not supported here.", f"Of numpy: {', '.join(operations)}, clip.")
        return operations[name](*(self.lifted(each) for each in inputs))

    def __array_function__(self, function: Any, types: Any, arguments: tuple[Any, ...], settings: Any) -> Any:
        name = function.__name__
        if name == "clip" and len(arguments) == 3 and not settings and isinstance(arguments[0], Traced):
            return arguments[0].clamped(*arguments[1:])
        advice = "numpy rounds ties to even; round_to sends them up." if name in ("round", "around") else _ADVICE
        return self.trace.refuse(f"numpy.{name} is not supported here.", advice)


def _is_number(value: Any) -> bool:
    dtype = getattr(value, "dtype", None)
    return getattr(value, "shape", None) == () and (getattr(dtype, "kind", "") in "iu" or str(dtype) == "float64")


def _constant(expression: Expression) -> Fraction | None:
    """Return the exact value of an expression of numbers, None where it holds something else or has no value."""
    match expression:
        case Constant(value=value):
            return value
        case Negation(operand=operand):
            inner = _constant(operand)
            return None if inner is None else -inner
        case Binary(operator=operator, left=left, right=right):
            a, b = _constant(left), _constant(right)
            if a is None or b is None or (operator == "/" and b == 0):
                return None
            return {"+": a.__add__, "-": a.__sub__, "*": a.__mul__, "/": a.__truediv__}[operator](b)
    return None


def _refused(what: str, advice: str = _ADVICE) -> Callable[..., Any]:
    def method(self: Traced, *_: Any, **__: Any) -> Any:
        self.trace.refuse(what, advice)

    return method


_BRANCH = "a branch, loop or comparison depends on a symbol."
_NUMBER = "a symbol is converted to a number."
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "bool", "iter", "len", "contains", "getitem", "reversed", "next"):
    setattr(Traced, f"__{_name}__", _refused(_BRANCH))
for _name in ("float", "int", "index", "complex", "array", "format", "str"):
    setattr(Traced, f"__{_name}__", _refused(_NUMBER, "math's functions do that: use ln of snapdp.verifier.functions."))
for _name in ("round", "trunc", "floor", "ceil"):
    setattr(Traced, f"__{_name}__", _refused(f"{_name}() is not a mechanism's rounding.", "Use round_to(x, grid)."))
for _name in ("abs", "pow", "rpow", "mod", "rmod", "floordiv", "rfloordiv", "divmod", "rdivmod", "matmul", "rmatmul"):
    setattr(Traced, f"__{_name}__", _refused(f"{_name} is not supported here."))
