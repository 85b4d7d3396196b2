"""What an audit replaces in the process while noise is frozen, and that all of it is put back; one audit at a time.

Functions and classes that draw are found in all modules by identity (`from random import gauss` is the
same object), and generators that are held in modules, closures, defaults and attributes that the release can reach.
Not reached: generators of C extensions, of other processes, and names bound inside objects that nothing of the release
leads to.

An alarm, or Ctrl-C, may raise at any line, also while things are put back. Therefore an undo is noted before its
change, every undo can be taken twice, all of them are taken whatever is raised meanwhile, and only then the exception
goes on.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, MutableMapping
from functools import partial
from random import Random  # as it is before any audit
from threading import get_ident
from types import FunctionType, MethodType, ModuleType
from typing import Any, TypeVar
from weakref import WeakSet

from snapdp.errors import PremiseError
from snapdp.randomness.bits import SystemBits
from snapdp.testing.frozen_noise import FrozenNoise, freeze_copy, replace_generators, replace_samplers, zero_first

LONGEST_WAIT = 600.0  # seconds, for another audit to end
MOST_OBJECTS, DEEPEST = 5_000, 5  # that are looked through for generators
# names of temporary files, and what runs the test itself, go on as ever
_LEFT_ALONE = ("tempfile", "hypothesis", "_hypothesis_pytestplugin", "_pytest", "pytest", "xdist", "snapdp.testing")
_PACKAGE = __name__.rpartition(".")[0]
_MISSING = object()
_OF_AUDITS: WeakSet[type] = WeakSet()  # classes of generators that audits made; somebody may have kept one
_RUNNING: dict[str, int] = {}  # the thread of the audit that runs; a lock of threading does not tell whose it is

T = TypeVar("T")


def with_frozen_noise(noise: FrozenNoise, release: Callable[..., Any], block: Callable[[], T]) -> T:
    """Run a block while every generator that is found draws from the frozen noise; one such block at a time."""

    def freeze(patches: Patches) -> T:
        patches.undo_by(noise.end)
        noise.is_over = False
        swap = Swap(noise, patches)
        patches.undo_by(partial(swap.put_back_in_new_modules, frozenset(sys.modules)))
        swap.replace_in_modules()
        swap.replace_below(release)
        bits = vars(sys.modules[SystemBits.__module__])  # nothing else lets the bits of snapdp be replaced
        patches.set(bits, "urandom", noise.urandom)
        patches.set(bits, "key_stream", zero_first(bits["key_stream"]))
        for sampler, name, method in replace_samplers(noise):
            patches.set_attribute(sampler, name, method)
        return block()

    if _RUNNING.get("thread") == get_ident():
        raise PremiseError(
            "this audit was begun within another one, and what an audit replaces is of the whole process.",
            "Audit a function that does not audit. Nothing was run.",
        )
    try:
        try:
            _wait_for_turn()
            return with_patches(freeze)
        finally:
            _end_turn()
    finally:  # once more: an exception may have come before the first line of the other
        _end_turn()


def _wait_for_turn() -> None:
    """Wait until no other audit runs. To look and to take is one step, so that no other thread comes between."""
    end = time.monotonic() + LONGEST_WAIT
    while _RUNNING.setdefault("thread", get_ident()) != get_ident():
        if time.monotonic() >= end:
            raise PremiseError(
                f"another audit of this process did not end in {LONGEST_WAIT:g} seconds, and one runs at a time.",
                "Audit in one thread, or in processes of their own. Nothing was run.",
            )
        time.sleep(0.01)


def _end_turn() -> None:
    if _RUNNING.get("thread") == get_ident():
        _RUNNING.pop("thread", None)


class Patches:
    """Names that have another value for a while."""

    def __init__(self) -> None:
        self._undos: list[Callable[[], object]] = []

    def set(self, holder: MutableMapping[str, Any], name: Any, value: Any) -> None:
        """Replace what a mapping holds."""
        before = holder[name]

        def put_back() -> None:
            if _is_still_ours(holder.get(name, _MISSING), value):
                holder[name] = before

        self.undo_by(put_back)
        holder[name] = value

    def set_attribute(self, holder: Any, name: str, value: Any) -> None:
        """Replace an attribute."""
        before = getattr(holder, name)

        def put_back() -> None:
            try:
                now = getattr(holder, name)
            except (AttributeError, ValueError):  # deleted meanwhile, also from a cell
                now = _MISSING
            if _is_still_ours(now, value):
                setattr(holder, name, before)

        self.undo_by(put_back)
        setattr(holder, name, value)

    def keep(self, holder: Any, *names: str) -> None:
        """Let attributes be what they are now when all is put back, whatever changes them."""
        for name in names:
            self.undo_by(partial(setattr, holder, name, getattr(holder, name)))

    def undo_by(self, step: Callable[[], object]) -> None:
        """Note what puts something back, before it is changed. It may be called twice."""
        self._undos.append(step)

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
        self._undos.clear()

    def _take_steps(self, raised: list[BaseException]) -> None:
        for step in reversed(self._undos):
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


def _is_still_ours(now: Any, value: Any) -> bool:
    """Say whether a name has what an audit put there, another thing that draws frozen noise, or nothing."""
    if now is value or now is _MISSING:
        return True
    owner = now.__self__ if isinstance(now, MethodType) else now
    kind = owner if isinstance(owner, (type, FunctionType)) else type(owner)
    return str(kind.__module__).startswith(f"{_PACKAGE}.")


class Swap:
    """Finds what draws, and puts frozen generators in its place."""

    def __init__(self, noise: FrozenNoise, patches: Patches) -> None:
        self._noise, self._patches = noise, patches
        self._new = replace_generators(noise)
        numpy = sys.modules.get("numpy")
        kinds = (Random, *((numpy.random.Generator, numpy.random.RandomState) if numpy else ()))
        self._frozen_kinds = tuple(self._new[id(kind)] for kind in kinds)
        self._kinds = {*kinds, *_OF_AUDITS}
        self._copies: dict[int, Any] = {}
        self._old: dict[int, Any] = {}
        self._seen: set[int] = set()
        _OF_AUDITS.update(self._frozen_kinds)

    def replacement(self, value: Any) -> Any:
        """Return what takes the place of a function, class or generator that draws, and None for anything else."""
        if (new := self._new.get(id(value))) is not None:
            self._old[id(new)] = value
            return new
        if type(value) not in self._kinds:
            return None
        if id(value) not in self._copies:  # the old one is kept, or its id could come again
            self._copies[id(value)] = (freeze_copy(value, self._noise, self._frozen_kinds), value)
        return self._copies[id(value)][0]

    def replace_in_modules(self) -> None:
        for name, module in list(sys.modules.items()):
            if isinstance(module, ModuleType) and not _is_left_alone(name):
                self._replace_in(vars(module))

    def put_back_in_new_modules(self, before: frozenset[str]) -> None:
        """Give modules that were imported meanwhile what they would have imported at another time."""
        for name in [name for name in list(sys.modules) if name not in before]:
            names = getattr(sys.modules.get(name), "__dict__", {})
            for each, value in list(names.items()):
                if id(value) in self._old:
                    names[each] = self._old[id(value)]

    def _replace_in(self, names: MutableMapping[str, Any]) -> None:
        new, kinds = self._new, self._kinds
        for name, value in [(n, v) for n, v in names.items() if id(v) in new or type(v) in kinds]:
            self._patches.set(names, name, self.replacement(value))

    def replace_below(self, value: Any, depth: int = 0) -> None:
        """Replace the generators that a function or an object can reach."""
        if depth > DEEPEST or id(value) in self._seen or len(self._seen) > MOST_OBJECTS:
            return
        self._seen.add(id(value))
        if isinstance(value, partial):
            self.replace_below(value.func, depth)
            for each in (*value.args, *value.keywords.values()):
                self.replace_below(each, depth + 1)
            self._replace_in(value.keywords)
        elif isinstance(value, MethodType):
            self.replace_below(value.__func__, depth)
            self.replace_below(value.__self__, depth + 1)
        elif isinstance(value, FunctionType):
            self._replace_in_function(value, depth)
        elif not isinstance(value, (type, ModuleType, str, bytes, int, float)):
            self._replace_in_object(value, depth)

    def _replace_in_function(self, value: FunctionType, depth: int) -> None:
        for cell in value.__closure__ or ():
            try:
                content = cell.cell_contents
            except ValueError:  # a name that is bound later
                continue
            if (new := self.replacement(content)) is not None:
                self._patches.set_attribute(cell, "cell_contents", new)
            else:
                self.replace_below(content, depth + 1)
        if any(self.replacement(each) is not None for each in value.__defaults__ or ()):
            defaults = tuple(self.replacement(each) or each for each in value.__defaults__ or ())
            self._patches.set_attribute(value, "__defaults__", defaults)
        if value.__kwdefaults__:
            self._replace_in(value.__kwdefaults__)
        if not _is_left_alone(str(value.__globals__.get("__name__"))):
            self._replace_in(value.__globals__)  # those of exec, too, which are of no module
        for name in value.__code__.co_names:
            if name in value.__globals__:
                self.replace_below(value.__globals__[name], depth + 1)
        if (wrapped := value.__dict__.get("__wrapped__")) is not None:
            self.replace_below(wrapped, depth)

    def _replace_in_object(self, value: Any, depth: int) -> None:
        if isinstance(value, dict):
            self._replace_in(value)
            inside = list(value.values())
        elif isinstance(value, (list, tuple)):
            inside = list(value)
        else:
            own = getattr(value, "__dict__", None)
            if not isinstance(own, dict):
                return
            self._replace_in(own)
            inside = [*own.values(), vars(type(value)).get("__call__")]
        for each in inside[:MOST_OBJECTS]:
            self.replace_below(each, depth + 1)


def _is_left_alone(name: str) -> bool:
    return name in _LEFT_ALONE or any(name.startswith(f"{each}.") for each in _LEFT_ALONE)
