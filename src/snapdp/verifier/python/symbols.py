"""Symbols: numbers of a traced function that write down every operation instead of doing it.

Room: verifier. Where a number of the function meets a symbol it becomes a double there, as it does in Python: correctly
rounded, or too large. What no program can say is refused with its line: a comparison, a branch, a conversion to a
number, a function that is not ours; and what Python computes otherwise on floats than by the operations it asks of
symbols (sum, math.sumprod). round(x) and math.floor(x) are whole numbers of Python, which it adds and multiplies
without rounding: with them a symbol does only what is the same on doubles.
"""

from __future__ import annotations

import dis
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from types import FrameType
from typing import Any

from snapdp.errors import ParameterError
from snapdp.exact import exponent_of_power, parameter, shown, to_float_nearest
from snapdp.verifier.language.grammar import DEEPEST
from snapdp.verifier.language.parser import LARGEST_EXPANSION
from snapdp.verifier.language.syntax import (
    Binary,
    Clamping,
    Constant,
    ExactFunction,
    Expression,
    Logarithm,
    Negation,
    Rounding,
)
from snapdp.verifier.python import numpy_calls
from snapdp.verifier.python.trace import ADVICE, Trace, named

LEAST_DOUBLE = 2.0**-1022  # the least normal one
LARGEST_DOUBLE = sys.float_info.max
LARGEST_WHOLE = 1 << 53  # up to which whole numbers are doubles


def _is_written(frame: FrameType) -> bool:
    """Return whether a frame is at an operation of the source, not in a function of C that asks for one."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] == "BINARY_OP"


class Traced:
    """A symbolic number: an expression that grows with every operation; `whole`: one of Python's own, not a double."""

    __slots__ = ("depth", "expression", "nodes", "open_clamp", "trace", "whole")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, expression: Expression, trace: Trace, *parts: Traced, whole: bool = False) -> None:
        self.expression = expression
        self.trace = trace
        self.whole = whole
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
        whole = self._meets_whole(operator, other)
        a, b = (self.lifted(other), self) if swapped else (self, self.lifted(other))
        return Traced(Binary(operator=operator, left=a.expression, right=b.expression), self.trace, a, b, whole=whole)

    def _meets_whole(self, operator: str, other: Any) -> bool:
        """Return whether an operation of whole numbers gives one; refused where it does what doubles do not.

        With doubles a whole number becomes one first, and that is exact: it was made of one. With whole numbers Python
        is exact, and so are doubles only where they multiply by a power of two; quotients are rounded once by both.
        """
        if not self.whole or self.is_double(other):
            return False
        is_int = type(other) is int and abs(other) <= LARGEST_WHOLE
        if operator == "/" and (is_int or isinstance(other, Traced)):
            return False
        if operator == "*" and is_int and exponent_of_power(Fraction(abs(other))) is not None:
            return True
        problem = f"whole numbers of Python are exact in a {operator} b, and doubles are not."
        return self.trace.refuse(problem, "Use numpy.floor or numpy.rint, or make the other number a float: 3.0.")

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
        if isinstance(value, Traced):
            return not value.whole
        return type(value) is float or (isinstance(value, float) and numpy_calls.is_number(value))

    def lifted(self, value: Any) -> Traced:
        """Return a number of the function as a constant of the program: what it prints, which is rounded to a double.

        That is what Python does where a float meets an int, a float, a Fraction or a number of numpy: the conversion
        is correctly rounded, or refused where it overflows. Other kinds (Decimal, text) do not mix with floats.
        """
        if isinstance(value, Traced):
            return value
        kind = type(value)
        if kind not in (int, float, Fraction) and not (kind.__module__ == "numpy" and numpy_calls.is_number(value)):
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
        return Traced(Negation(operand=self.expression), self.trace, self, whole=self.whole)

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Traced:
        return self.applied("abs", whole=self.whole)

    def __floor__(self) -> Traced:
        return self.applied("floor", whole=True)

    def __round__(self, digits: Any = None) -> Traced:
        if digits is not None:
            self.trace.refuse("round(x, digits) rounds to decimals.", "Round to whole numbers: g * round(x / g).")
        return self.applied("rint", whole=True)

    def applied(self, name: str, *, whole: bool = False) -> Traced:
        """Return a function that rounds nothing, of this value."""
        return Traced(ExactFunction(name=name, operand=self.expression), self.trace, self, whole=whole)

    def ln(self) -> Traced:
        return Traced(Logarithm(operand=self.expression), self.trace, self)

    def rounded(self, grid: Any) -> Traced:
        exact = self._exact(grid, "the grid")
        if exact <= 0:
            self.trace.refuse(f"a grid of {exact} is not positive.")
        return Traced(Rounding(grid=exact, operand=self.expression), self.trace, self)

    def clamped(self, lower: Any, upper: Any, *, whole: bool = False) -> Traced:
        low, high = self._exact(lower, "the lower bound"), self._exact(upper, "the upper bound")
        if low > high:
            self.trace.refuse(f"the clamp's lower end {low} is above its upper end {high}.")
        return Traced(Clamping(lower=low, upper=high, operand=self.expression), self.trace, self, whole=whole)

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
        if not is_plain and (not numpy_calls.is_number(end) or (is_returned and not isinstance(end, float))):
            kind = named(type(end))
            self.trace.refuse(f"{function} with a {kind} such as {shown(end)} may return no double.", "Use a float.")
        if end == 0 and math.copysign(1, end) < 0:
            self.trace.refuse(f"{function} with -0.0 gives what is not told from 0.0 here.", "Use 0.0.")

    def _clamped_at(self, lower: Any, upper: Any) -> Traced:
        low, high = -LARGEST_DOUBLE if lower is None else lower, LARGEST_DOUBLE if upper is None else upper
        made = self.clamped(low, high, whole=self.whole)
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
        return numpy_calls.of_ufunc(self, ufunc.__name__, method, inputs, settings)

    def __array_function__(self, function: Any, types: Any, arguments: tuple[Any, ...], settings: Any) -> Any:
        return numpy_calls.of_function(self, function.__name__, arguments, settings)


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
        _refused(_NUMBER, "math's functions do that: use ln of snapdp.verifier."),
    )
for _name in ("trunc", "ceil"):
    setattr(Traced, f"__{_name}__", _refused(f"{_name}() is not a mechanism's rounding.", "Use round_to(x, grid)."))
for _name in ("pow", "rpow", "mod", "rmod", "floordiv", "rfloordiv", "divmod", "rdivmod", "matmul", "rmatmul"):
    setattr(Traced, f"__{_name}__", _refused(f"{_name} is not supported here."))
