"""What numpy is asked to do with a symbol: the functions that mean the same on a double and in a program.

Room: verifier. numpy hands its functions over to a symbol among their arguments. Taken are those that are one operation
of the language; ends and conditions must be known. Everything else is refused with its line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from snapdp.verifier.python import integers
from snapdp.verifier.python.trace import ADVICE

if TYPE_CHECKING:
    from snapdp.verifier.python.symbols import Traced

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
        integers.refuse(symbol, name, inputs)
    return OPERATIONS[name](*(symbol.lifted(each) for each in inputs))


def of_function(symbol: Traced, name: str, arguments: tuple[Any, ...], settings: Mapping[str, Any]) -> Traced:
    """Return what another function of numpy makes of a symbol."""
    if name == "clip" and len(arguments) == 3 and not settings and isinstance(arguments[0], type(symbol)):
        for end in arguments[1:]:
            symbol.refuse_end(end, "numpy.clip")
        whole = integers.of_numpy(arguments[0], name, arguments[1:])
        return arguments[0].clamped(*arguments[1:], integers=whole)
    if name == "where" and len(arguments) == 3 and not settings:
        return _chosen(symbol, *arguments)
    if (
        name in ROUND
        and len(arguments) == 1
        and settings.get("decimals", 0) == 0
        and not settings.keys() - {"decimals"}
    ):
        integers.refuse(symbol, name, arguments)
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
    made.integers = integers.of_numpy(symbol, name, numbers)
    return made


def _chosen(symbol: Traced, condition: Any, one: Any, other: Any) -> Traced:
    """Return what numpy.where chooses by a condition that is known."""
    if not (isinstance(condition, bool) or str(getattr(condition, "dtype", "")) == "bool") or is_array(condition):
        symbol.trace.refuse("numpy.where chooses by no single condition that is known.", ADVICE)
    integers.refuse(symbol, "where", (one, other))
    first, second = symbol.lifted(one), symbol.lifted(other)  # both: the kind of the result is that of both
    return first if condition else second
