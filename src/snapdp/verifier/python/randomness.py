"""Randomness a function would draw by itself, found in its compiled code before it is traced.

Room: verifier. A tracer sees a drawn number as a constant, so a function that draws is refused, by the line that does.
Read are the names that a function and the functions it calls load from globals, closures and modules; what they stand
for is looked at, not called. This finds what is written plainly; whoever hides a generator deceives himself only.
"""

from __future__ import annotations

import builtins
import dis
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, GeneratorType, ModuleType
from typing import Any

from snapdp.errors import ProgramError
from snapdp.verifier.python.trace import named

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
                place = f"{Path(current.__code__.co_filename).name}, line {line}"
                raise ProgramError(
                    f"{place}: {name} is {what}: {named(function)} draws by itself.",
                    "Pass what is drawn in, as arguments: def mechanism(f, U, S).",
                    line=line,
                )
            inner = getattr(value, "__func__", value)
            if isinstance(inner, FunctionType) and inner.__code__ not in seen and _is_read(inner):
                seen.add(inner.__code__)
                waiting.append(inner)


def _is_read(function: FunctionType) -> bool:
    return str(function.__module__).split(".")[0] not in _READ_NO_FURTHER


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
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            name = str(instruction.argval)
            value = function.__globals__.get(name, getattr(builtins, name, None))
        elif (
            instruction.opname in ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")
            and instruction.argval in closed_over
        ):
            name, value = str(instruction.argval), _content(closed_over[instruction.argval])
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM") and isinstance(value, ModuleType):
            name = f"{name}.{instruction.argval}"
            value = getattr(value, str(instruction.argval), None)
        elif instruction.opname == "IMPORT_NAME":
            name = str(instruction.argval)
            value = sys.modules.get(name) or (ModuleType(name) if _draws(name) else None)
        elif instruction.opname in ("CACHE", "NOP", "PUSH_NULL"):
            continue
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
