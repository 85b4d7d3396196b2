"""Keywords of before: they work, and say what they are called now.

Room: api. One spelling for flag, study key and keyword: the account of a ledger is that of a dataset.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from warnings import warn

from snapdp.errors import ParameterError

FORMER = {"account": "dataset"}

_P = ParamSpec("_P")
_R = TypeVar("_R")


def former_keywords(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function take its keywords of before as well."""

    @wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        given: Any = kwargs
        for former, now in FORMER.items():
            if former not in given:
                continue
            if now in given:
                raise ParameterError(f"{former} and {now} are both given; they are one thing.", f"Give {now} alone.")
            warn(f"{former}= is called {now}= now; both work.", DeprecationWarning, stacklevel=2)
            given[now] = given.pop(former)
        return function(*args, **kwargs)

    return called
