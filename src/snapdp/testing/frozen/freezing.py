"""Noise frozen: while it lasts, whoever draws draws from the frozen noise, also under names imported long before.

Room: testing. Functions and classes that draw are found in all modules by identity (`from random import gauss` is the
same object), generators that somebody holds in modules, closures, defaults and attributes that the release can reach.
Everything is put back at the end. Not reached: generators of C extensions, of other processes, and names bound inside
objects that nothing of the release leads to.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, MutableMapping
from functools import partial
from random import Random  # as it is before any audit
from types import FunctionType, MethodType, ModuleType
from typing import Any, TypeVar
from weakref import WeakSet

from snapdp.testing.frozen import numpy_generators, own_samplers, python_generators
from snapdp.testing.frozen.noise import FrozenNoise
from snapdp.testing.patches import Patches, alone, with_patches

MOST_OBJECTS, DEEPEST = 5_000, 5
# names of temporary files, and what runs the test itself, go on as ever
_LEFT_ALONE = ("tempfile", "hypothesis", "_hypothesis_pytestplugin", "_pytest", "pytest", "xdist", "snapdp.testing")

_OF_AUDITS: WeakSet[type] = WeakSet()  # classes of generators that audits made; somebody may have kept one

T = TypeVar("T")


def frozen(noise: FrozenNoise, release: Callable[..., Any], block: Callable[[], T]) -> T:
    """Replace every generator that is found by the frozen noise, as long as the block lasts; one such at a time."""

    def freezing(patches: Patches) -> T:
        patches.later(noise.end)
        noise.again()
        swap = Swap(noise, patches)
        patches.later(partial(swap.put_back_in_new_modules, frozenset(sys.modules)))
        swap.modules()
        swap.held_by(release)
        bits = vars(python_generators.bits_of_snapdp())
        patches.set(bits, "urandom", noise.urandom)
        patches.set(bits, "key_stream", own_samplers.into_zeros(bits["key_stream"]))
        for sampler, name, method in own_samplers.replacements(noise):
            patches.set_attribute(sampler, name, method)
        return block()

    return alone(lambda: with_patches(freezing))


class Swap:
    """Finds what draws, and puts frozen generators in its place."""

    def __init__(self, noise: FrozenNoise, patches: Patches) -> None:
        self._noise, self._patches = noise, patches
        self._new = {**python_generators.replacements(noise), **numpy_generators.replacements(noise)}
        self._random: type[Random] = self._new[id(Random)]
        self._copies: dict[int, Any] = {}
        self._seen: set[int] = set()
        numpy = sys.modules.get("numpy")
        self._numpy_kinds = (numpy.random.Generator, numpy.random.RandomState) if numpy else ()
        self._kinds = {Random, *self._numpy_kinds, *_OF_AUDITS}
        self._numpy_new = tuple(self._new[id(kind)] for kind in self._numpy_kinds)
        self._old: dict[int, Any] = {}
        _OF_AUDITS.update((self._random, *self._numpy_new))

    def replacement(self, value: Any) -> Any:
        """Return what takes the place of a function, class or generator that draws, and None for anything else."""
        if (found := self._new.get(id(value))) is not None:
            self._old[id(found)] = value
            return found
        kind = type(value)
        if kind not in self._kinds:
            return None
        if id(value) not in self._copies:
            copied = (
                python_generators.frozen_copy(value, self._noise, self._random)
                if issubclass(kind, Random)
                else numpy_generators.frozen_copy(value, self._noise, *self._numpy_new)
            )
            self._copies[id(value)] = (copied, value)  # the old one is kept, or its id could come again
        return self._copies[id(value)][0]

    def modules(self) -> None:
        for name, module in list(sys.modules.items()):
            if isinstance(module, ModuleType) and not _is_left_alone(name):
                self._mapping(vars(module))

    def put_back_in_new_modules(self, before: frozenset[str]) -> None:
        """Give modules that were imported meanwhile what they would have imported at another time."""
        for name in [name for name in list(sys.modules) if name not in before]:
            held = getattr(sys.modules.get(name), "__dict__", {})
            for each, value in list(held.items()):
                if id(value) in self._old:
                    held[each] = self._old[id(value)]

    def _mapping(self, names: MutableMapping[str, Any]) -> None:
        new, kinds = self._new, self._kinds
        found = [(name, value) for name, value in names.items() if id(value) in new or type(value) in kinds]
        for name, value in found:
            self._patches.set(names, name, self.replacement(value))

    def held_by(self, value: Any, depth: int = 0) -> None:
        """Replace the generators that a function or an object can reach."""
        if depth > DEEPEST or id(value) in self._seen or len(self._seen) > MOST_OBJECTS:
            return
        self._seen.add(id(value))
        if isinstance(value, partial):
            self._partial(value, depth)
        elif isinstance(value, MethodType):
            self.held_by(value.__func__, depth)
            self.held_by(value.__self__, depth + 1)
        elif isinstance(value, FunctionType):
            self._function(value, depth)
        elif not isinstance(value, (type, ModuleType, str, bytes, int, float)):
            self._object(value, depth)

    def _partial(self, value: Any, depth: int) -> None:
        self.held_by(value.func, depth)
        for each in (*value.args, *value.keywords.values()):
            self.held_by(each, depth + 1)
        self._mapping(value.keywords)

    def _function(self, value: FunctionType, depth: int) -> None:
        for cell in value.__closure__ or ():
            try:
                content = cell.cell_contents
            except ValueError:  # a name that is bound later
                continue
            if (new := self.replacement(content)) is not None:
                self._patches.set_attribute(cell, "cell_contents", new)
            else:
                self.held_by(content, depth + 1)
        if any(self.replacement(each) is not None for each in value.__defaults__ or ()):
            kept = tuple(self.replacement(each) or each for each in value.__defaults__ or ())
            self._patches.set_attribute(value, "__defaults__", kept)
        if value.__kwdefaults__:
            self._mapping(value.__kwdefaults__)
        if not _is_left_alone(str(value.__globals__.get("__name__"))):
            self._mapping(value.__globals__)  # that of exec, too, which is no module's
        for name in value.__code__.co_names:
            if name in value.__globals__:
                self.held_by(value.__globals__[name], depth + 1)
        if (wrapped := value.__dict__.get("__wrapped__")) is not None:
            self.held_by(wrapped, depth)

    def _object(self, value: Any, depth: int) -> None:
        if isinstance(value, dict):
            self._mapping(value)
            inside = list(value.values())
        elif isinstance(value, (list, tuple)):
            inside = list(value)
        else:
            own = getattr(value, "__dict__", None)
            if not isinstance(own, dict):
                return
            self._mapping(own)
            inside = [*own.values(), vars(type(value)).get("__call__")]
        for each in inside[:MOST_OBJECTS]:
            self.held_by(each, depth + 1)


def _is_left_alone(name: str) -> bool:
    return name in _LEFT_ALONE or any(name.startswith(f"{each}.") for each in _LEFT_ALONE)
