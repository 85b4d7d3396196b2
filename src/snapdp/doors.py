"""Doors: what a room offers to other rooms and to users, loaded when it is first asked for.

Room: below all others, beside errors. A room's `__init__` names everything that may be imported from outside, and the
file of the room that has it. A scalar release imports a handful of files although its rooms have a hundred.
Type checkers read the same names from an import beside it; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def door(room: str, offered: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and `__dir__` of a room.

    offered   for each file of the room (dotted, below it) the names that it offers, separated by blanks
    """
    files = {name: file for file, names in offered.items() for name in names.split()}

    def offer(name: str) -> Any:
        if name == "__all__":  # for `from room import *` and pydoc
            return sorted(files)
        if name not in files:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        return getattr(__import__(f"{room}.{files[name]}", fromlist=(name,)), name)  # importlib would cost more

    return offer, lambda: sorted(files)
