"""What an audit replaces in the process, and that all of it is put back; one audit at a time.

Room: testing. An alarm of somebody, or Ctrl-C, may raise at any line, also while things are put back. Therefore an undo
is noted before its change, every step of it can be taken twice, all of them are taken whatever is raised meanwhile, and
only then the exception goes on. Blocks are functions here: a context manager can be left between its lines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, MutableMapping
from functools import partial
from threading import get_ident
from types import FunctionType, MethodType
from typing import Any, TypeVar

from snapdp.errors import PremiseError

LONGEST_WAIT = 600.0  # seconds, for another audit to end; twice what all calls of one take by default
_ROOM = __name__.rpartition(".")[0]
_MISSING = object()
_ALONE: dict[str, int] = {}  # the thread of the audit that runs; a lock of threading does not tell whose it is

T = TypeVar("T")


class Patches:
    """Names that have another value for a while."""

    def __init__(self) -> None:
        self._steps: list[Callable[[], object]] = []

    def set(self, holder: MutableMapping[str, Any], name: Any, value: Any) -> None:
        """Replace what a mapping holds."""
        before = holder[name]

        def put_back() -> None:
            if _is_still_ours(holder.get(name, _MISSING), value):
                holder[name] = before

        self.later(put_back)
        holder[name] = value

    def set_attribute(self, holder: Any, name: str, value: Any) -> None:
        """Replace an attribute."""
        before = getattr(holder, name)

        def put_back() -> None:
            if _is_still_ours(_attribute(holder, name), value):
                setattr(holder, name, before)

        self.later(put_back)
        setattr(holder, name, value)

    def keep(self, holder: Any, *names: str) -> None:
        """Let attributes be what they are now when all is put back, whoever changes them."""
        for name in names:
            self.later(partial(setattr, holder, name, getattr(holder, name)))

    def later(self, step: Callable[[], object]) -> None:
        """Note what puts something back, before it is changed. It may be called twice."""
        self._steps.append(step)

    def undo(self) -> None:
        """Put everything back, the last change first, and then raise what was raised meanwhile."""
        raised: list[BaseException] = []
        try:
            self._take_steps(raised)
        except BaseException as problem:  # between two steps
            raised.append(problem)
        if raised:
            self._take_steps([])
            raise raised[0]
        self._steps.clear()

    def _take_steps(self, raised: list[BaseException]) -> None:
        for step in reversed(self._steps):
            try:
                step()
            except BaseException as problem:
                raised.append(problem)


def with_patches(block: Callable[[Patches], T]) -> T:
    """Run a block that replaces things, and put them back."""
    patches = Patches()
    try:
        try:
            return block(patches)
        finally:
            patches.undo()
    finally:  # once more: an exception may have come before the first line of the other
        patches.undo()


def alone(block: Callable[[], T], *, seconds: float = LONGEST_WAIT) -> T:
    """Run a block when no other audit of the process runs; refuse it within another one, which would wait for ever."""
    if _is_mine():
        raise PremiseError(
            "this audit was begun within another one, and what an audit replaces is of the whole process.",
            "Audit a function that does not audit. Nothing was run.",
        )
    try:
        try:
            if not _is_had_within(seconds):
                raise PremiseError(
                    f"another audit of this process did not end in {seconds:g} seconds, and one runs at a time.",
                    "Audit in one thread, or in processes of their own. Nothing was run.",
                )
            return block()
        finally:
            _let_go()
    finally:  # once more, as above
        _let_go()


def _is_had_within(seconds: float) -> bool:
    """Wait for the turn of this thread. To look and to take is one step, so that no other thread comes between."""
    end = time.monotonic() + seconds
    while _ALONE.setdefault("thread", get_ident()) != get_ident():
        if time.monotonic() >= end:
            return False
        time.sleep(0.01)
    return True


def _is_mine() -> bool:
    return _ALONE.get("thread") == get_ident()


def _let_go() -> None:
    if _is_mine():
        _ALONE.pop("thread", None)


def _attribute(holder: Any, name: str) -> Any:
    try:
        return getattr(holder, name)
    except (AttributeError, ValueError):  # deleted meanwhile, also from a cell
        return _MISSING


def _is_still_ours(now: Any, value: Any) -> bool:
    """Say whether a name has what an audit put there, another thing that draws frozen noise, or nothing."""
    return now is value or now is _MISSING or _is_frozen(now)


def _is_frozen(value: Any) -> bool:
    owner = value.__self__ if isinstance(value, MethodType) else value
    kind = owner if isinstance(owner, (type, FunctionType)) else type(owner)
    return str(kind.__module__).startswith(f"{_ROOM}.")
