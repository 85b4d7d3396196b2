"""A Python function run on symbols: what it computes becomes a program of the verifier's language.

Room: verifier. The private value and the draws are `Traced` values (symbols.py) that write down every operation instead
of doing it; all other numbers stay what they are, and Python computes with them as it does when the function runs.
Local variables give the statements their names: they are read after each line of the function, from its frame.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any

from snapdp.display import one_line
from snapdp.errors import ProgramError
from snapdp.verifier.python.symbols import Traced
from snapdp.verifier.python.trace import ADVICE, Trace, named


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

    from snapdp.verifier.python.stand_ins import stand_ins

    before = sys.gettrace()
    with stand_ins(function):
        sys.settrace(every)
        try:
            return function(*arguments.values(), **parameters)
        finally:
            sys.settrace(before)
