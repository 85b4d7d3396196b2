"""A Python function run on symbols: what it computes becomes a program of the verifier's language.

The private value and the draws are `Traced` values (symbols.py) that write down every operation instead of doing it;
all other numbers stay what they are, and Python computes with them as it does when the function runs. Local variables
give the statements their names: they are read after each line of the function, from its frame. Python's min and max
compare, and math.log converts, so while a function is traced its module sees stand-ins for them, which do the same on
numbers. A tracer sees a drawn number as a constant, so a function that draws by itself is found in its compiled code
and refused.
"""

from __future__ import annotations

import builtins
import dis
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType, FunctionType, GeneratorType, ModuleType
from typing import Any

from snapdp.display.text import one_line
from snapdp.errors import ProgramError
from snapdp.lab.language.symbols import ADVICE, Trace, Traced, named, of_one_end


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
            trace.refusal = ProgramError(f"{place}, line {line}: {what}", ADVICE, line=line)
        raise trace.refusal from None
    if trace.refusal is not None:
        raise trace.refusal
    if not isinstance(result, Traced):
        kind = named(type(result))
        raise ProgramError(f"{named(function)} returns a {kind}, which does not depend on its arguments.", ADVICE)
    return result


def _said(problem: BaseException) -> str:
    """Return the text of an error of the function: anybody's, so one line, visible, and cut where it is long."""
    try:
        text = str(problem)
    except Exception:  # somebody's own class
        return ""
    return f": {one_line(text)}" if text else ""


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

    before = sys.gettrace()
    with stand_ins(function):
        sys.settrace(every)
        try:
            return function(*arguments.values(), **parameters)
        finally:
            sys.settrace(before)


# Stand-ins, under whatever name the module has the functions. The module's own dictionary is changed and changed back,
# so that a function that keeps state there is found out.


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
