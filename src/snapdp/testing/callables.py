"""The callable that is audited: what it is made of, where its code is, and how it is called.

Room: testing.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from snapdp.errors import ParameterError


def check_callable(release: Any) -> None:
    """Refuse what cannot be called with an input and give its answer."""
    if not callable(release):
        raise ParameterError(
            f"an audit takes a function, and this is of type {type(release).__name__}.",
            "Give the function first, then the two inputs: audit(release, first, second).",
        )
    if any(inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each) for each in functions(release)):
        raise ParameterError(
            "this function is a coroutine: calling it runs nothing.",
            "Audit a function that runs it: lambda rows: asyncio.run(release(rows)).",
        )


def functions(release: Any) -> Iterator[Any]:
    """Yield the functions that a callable is made of: partials, methods, wrappers and objects undone."""
    while isinstance(release, functools.partial):
        release = release.func
    if not inspect.isroutine(release) and not isinstance(release, type):
        release = type(release).__call__
    yield release
    yield inspect.unwrap(release)


def own_files(release: Any, watch: Iterable[str]) -> Callable[[str], bool]:
    """Return what says of a file whether it is code of the release."""
    codes = [getattr(getattr(each, "__func__", each), "__code__", None) for each in functions(release)]
    files = {code.co_filename for code in codes if code is not None}
    below: list[str] = []
    for each in watch:
        module = sys.modules.get(each)
        file = getattr(module, "__file__", None) or each
        below.append(
            os.path.dirname(file) + os.sep if os.path.basename(file) == "__init__.py" else os.path.abspath(file)
        )

    @functools.cache
    def is_own(file: str) -> bool:
        return file in files or bool(below and os.path.abspath(file).startswith(tuple(below)))

    return is_own


def name_of(release: Any) -> str:
    """Return what a callable is called in a report."""
    for each in functions(release):
        if name := getattr(each, "__qualname__", ""):
            own = type(release).__qualname__ if name.endswith("__call__") else name
            return str(own).replace("<locals>.", "").split(".")[-1] if "<lambda>" not in own else "a lambda"
    return "the release"
