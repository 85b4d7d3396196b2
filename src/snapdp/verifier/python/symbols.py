"""Symbols: numbers of a traced function that write down every operation instead of doing it.

Room: verifier. Where a number of the function meets a symbol it becomes a double there, as it does in Python: correctly
rounded, or too large. What no program can say is refused with its line: a comparison, a branch, a conversion to a
number, a function that is not ours; and what Python computes otherwise on floats than by the operations it asks of
symbols (sum, math.sumprod). What may be an integer in Python says so (integers.py), and does only what is the same on
doubles.
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
from snapdp.exact import parameter, shown, to_float_nearest
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
from snapdp.verifier.python import integers as whole_numbers, numpy_calls
from snapdp.verifier.python.integers import ROUNDED, Integers
from snapdp.verifier.python.trace import ADVICE, Trace, named

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
        from snapdp.verifier.language.printing import expression_text

        return f"<symbol {expression_text(self.expression)}>"

    def binary(self, operator: str, other: Any, *, swapped: bool = False) -> Traced:
        """Return the operation of this value and another one, or a number, on the right; swapped: on the left."""
        integers = whole_numbers.of_operation(self, operator, other)
        a, b = (self.lifted(other), self) if swapped else (self, self.lifted(other))
        tree = Binary(operator=operator, left=a.expression, right=b.expression)
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
        return value.integers is None if isinstance(value, Traced) else whole_numbers.is_float(value)

    def lifted(self, value: Any) -> Traced:
        """Return a number of the function as a constant of the program: what it prints, which is rounded to a double.

        That is what Python does where a float meets an int, a float, a Fraction or a number of numpy: the conversion
        is correctly rounded, or refused where it overflows. Other kinds (Decimal, text) do not mix with floats.
        """
        if isinstance(value, Traced):
            return value
        kind = type(value)
        if kind not in (int, float, Fraction) and not (kind.__module__ == "numpy" and whole_numbers.is_number(value)):
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
        integers = whole_numbers.of_negation(self)
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
        return Traced(ExactFunction(name=name, operand=self.expression), self.trace, self, integers=integers)

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
        is_plain = type(end) is float or (type(end) is int and (whole_numbers.is_small(end) or not is_returned))
        if not is_plain and (not whole_numbers.is_number(end) or (is_returned and not isinstance(end, float))):
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
