"""Stand-ins for functions of Python that cannot see a symbol: min, max and math.log, while a function is traced.

Room: verifier. Python's min and max compare, and math.log converts; on a symbol both would have to be refused. While a
function is traced its module sees these instead, under whatever name it has them; on numbers they do what they did.
The module's own dictionary is changed and changed back, so that a function that keeps state there is found out.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from snapdp.verifier.python.integers import of_one_end
from snapdp.verifier.python.symbols import Traced


def _least(*values: Any, **settings: Any) -> Any:
    return _one_end("min", values, settings)


def _greatest(*values: Any, **settings: Any) -> Any:
    return _one_end("max", values, settings)


def _one_end(name: str, values: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return min or max; of a symbol and a number, the symbol clamped at one end."""
    symbols = [value for value in values if isinstance(value, Traced)]
    if not symbols:
        return getattr(builtins, name)(*values, **settings)
    if len(values) != 2 or len(symbols) != 1 or settings:
        symbols[0].trace.refuse(
            f"{name} decides between symbols.", f"Of a symbol and one number: {name}(x, 64); or use clamp."
        )
    [number] = [value for value in values if not isinstance(value, Traced)]
    symbol = symbols[0]
    symbol.refuse_end(number, name, is_returned=True)
    made = symbol.clamped_at_most(number) if name == "min" else symbol.clamped_at_least(number)
    made.integers = of_one_end(symbol, number, made.ends)
    return made


def _log(x: Any, *base: Any) -> Any:
    if not isinstance(x, Traced):
        return math.log(x, *base)
    return x.trace.refuse("math.log has a base.", "Divide by the logarithm of the base.") if base else x.ln()


class _Math:
    """The module math, but for its logarithm."""

    log = staticmethod(_log)

    def __getattr__(self, name: str) -> Any:
        return getattr(math, name)


_MATH = _Math()
_IN_PLACE_OF: list[tuple[Any, Any]] = [(builtins.min, _least), (builtins.max, _greatest), (math.log, _log)]
_IN_PLACE_OF.append((math, _MATH))
_BUILT_IN: dict[str, Callable[..., Any]] = {"min": _least, "max": _greatest}


@contextmanager
def stand_ins(function: FunctionType) -> Iterator[None]:
    """Let the module of a function see stand-ins for as long as it is traced."""
    names = function.__globals__
    changed = {name: value for name, value in list(names.items()) if any(value is known for known, _ in _IN_PLACE_OF)}
    added = [name for name in _BUILT_IN if name not in names]
    names |= {name: next(other for known, other in _IN_PLACE_OF if value is known) for name, value in changed.items()}
    names |= {name: _BUILT_IN[name] for name in added}
    try:
        yield
    finally:
        for name in added:
            if names.get(name) is _BUILT_IN[name]:
                del names[name]
        for name, value in changed.items():
            if any(names.get(name) is other for _, other in _IN_PLACE_OF):
                names[name] = value
