"""Frozen noise: while an audit lasts, Python, numpy and snapdp draw what the number of the replay decides.

Two runs with the same number draw the same noise, call by call; runs with other numbers draw other noise.
`with_frozen_noise` puts frozen functions and generators in the place of those that modules hold, found by identity
(`from random import gauss` is the same object), and in the attributes of an object whose method is audited. Generators
that are held anywhere else, those of C extensions and those of other processes are not frozen. The bytes are those of
SHAKE-256, for replays only: what is left of an audit draws from the operating system, until the next audit.

An alarm, or Ctrl-C, may raise at any line, also while things are put back. Therefore an undo is noted before its
change, every undo can be taken twice, and all of them are.
"""

from __future__ import annotations

import functools
import gc
import operator
import os
import random
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial, wraps
from hashlib import shake_256
from itertools import count, product
from os import urandom as urandom_of_the_system  # no audit replaces names of this package
from random import Random  # as it is before any audit
from threading import get_ident
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

import snapdp
from snapdp.errors import PremiseError
from snapdp.mechanism.sampling.filter import ScalarSampler
from snapdp.randomness import bits

LONGEST_WAIT = 600.0  # seconds, for another audit to end
# names of temporary files, and what runs the test itself, go on as ever
_LEFT_ALONE = ("tempfile", "hypothesis", "_hypothesis_pytestplugin", "_pytest", "pytest", "xdist", "snapdp.lab.testing")
_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_LIBRARIES = (os.path.dirname(snapdp.__file__) + os.sep, sysconfig.get_paths()["stdlib"] + os.sep)
_SKIPPED = ("random.py", "secrets.py", "contextlib.py", "uuid.py")  # they ask for bytes on behalf of another function
_NOT_DRAWS = {"bit_generator", "spawn", "get_state", "set_state", "getstate", "setstate", "seed"}
_RUNNING: dict[str, FrozenNoise] = {}  # the noise of the audit that runs; a lock does not tell whose it is
_NUMBERS = count()  # of generators that were made

T = TypeVar("T")


class NoiseDraw(NamedTuple):
    """One call of a generator: its method, how many numbers it drew, and where it was asked."""

    kind: str
    size: int
    where: str


class FrozenNoise:
    """What all frozen generators draw from while an audit runs, and the log of it.

    keeps   whether a run drew from a generator that an earlier run made
    held    numbers of the generators that were found
    run     an object for each run: a generator that saw another one is seeded anew before it draws
    """

    def __init__(self) -> None:
        self.thread, self.held = get_ident(), count(1)
        self.keeps = self.is_drawing = False
        self.start(0)

    def start(self, replay: int) -> None:
        """Begin a run: every generator starts anew, from what the number of the replay decides."""
        self.run, self._replay = object(), replay
        self._calls: Counter[str] = Counter()
        self.draws: list[NoiseDraw] = []
        self.seeds: list[tuple[str, str, str]] = []

    def derive_bytes(self, name: str, size: int = 16) -> bytes:
        """Return the bytes that a name has in this run."""
        return shake_256(f"{self._replay} {name}".encode()).digest(size)

    def derive_next(self, name: str, size: int = 16) -> bytes:
        """Return the next bytes of a stream."""
        self._calls[name] += 1
        return self.derive_bytes(f"{name} {self._calls[name]}", size)

    def draw_bytes(self, size: int) -> bytes:
        """Return bytes. Each place of the code has a stream of its own.

        File names and keys that are drawn now and then do not shift the noise.
        """
        if not self.is_drawing:
            self.record("bytes", size)
        return self.derive_next(_find_callers()[0], size)

    def record(self, kind: str, size: int) -> None:
        """Log a draw."""
        self.draws.append(NoiseDraw(kind, size, _find_callers()[1]))


def _running_noise() -> FrozenNoise | None:
    """Return the noise of the audit that this thread runs.

    Other threads draw from the operating system: in which order they would draw frozen noise is not fixed.
    """
    noise = _RUNNING.get("audit")
    return noise if noise and noise.thread == get_ident() else None


def _find_callers() -> tuple[str, str]:
    """Return the nearest code that asks for noise, and the nearest that is not of a library, if there is any."""
    site, frame = "", sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not site and not file.startswith(_HERE) and os.path.basename(file) not in _SKIPPED:
            site = format_place(file, frame.f_lineno)
        if not is_of_a_library(file):
            return site, format_place(file, frame.f_lineno)
        frame = frame.f_back  # type: ignore[assignment]
    return site, site


@functools.cache
def is_of_a_library(file: str) -> bool:
    """Say whether a file is of Python, of an installed package, or of snapdp."""
    path = os.path.abspath(file)
    return file.startswith("<") or path.startswith(_LIBRARIES) or "site-packages" in path


def format_place(file: str, line: int) -> str:
    """Return a file and a line as people write them: relative to where they are, or the name alone.

    >>> format_place("/elsewhere/release.py", 12)
    'release.py:12'
    """
    is_here = os.path.abspath(file).startswith(os.getcwd() + os.sep)
    return f"{os.path.relpath(file) if is_here else os.path.basename(file)}:{line}"


# Putting frozen noise in place


def with_frozen_noise(noise: FrozenNoise, release: Any, block: Callable[[Callable[[], None]], T]) -> T:
    """Run a block while every generator that is found draws from the frozen noise; one such block at a time.

    The block is given a function that freezes what was imported meanwhile.
    """

    def freeze(patches: Patches) -> T:
        patches.undo_by(partial(_end_turn, noise))
        _wait_for_turn(noise)
        patches.undo_by(gc.unfreeze)
        gc.freeze()  # what others left to be collected is not of a call that happens to be running

        def replace() -> None:
            for owner, name, replacement in _find_generators(release, noise):
                patches.set(owner, name, replacement)

        replace()
        return block(replace)

    if _running_noise():
        raise PremiseError(
            "this audit was begun within another one, and what an audit replaces is of the whole process.",
            "Audit a function that does not audit. Nothing was run.",
        )
    return with_patches(freeze)


def _wait_for_turn(noise: FrozenNoise) -> None:
    """Wait until no other audit runs. To look and to take is one step, so that no other thread comes between."""
    end = time.monotonic() + LONGEST_WAIT
    while _RUNNING.setdefault("audit", noise) is not noise:
        if time.monotonic() >= end:
            raise PremiseError(
                f"another audit of this process did not end in {LONGEST_WAIT:g} seconds, and one runs at a time.",
                "Audit in one thread, or in processes of their own. Nothing was run.",
            )
        time.sleep(0.01)


def _end_turn(noise: FrozenNoise) -> None:
    if _RUNNING.get("audit") is noise:
        _RUNNING.pop("audit", None)


class Patches:
    """Names that have another value for a while, in what has names: mappings, and classes."""

    def __init__(self) -> None:
        self._undos: list[Callable[[], object]] = []

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Replace what a name of an owner holds."""
        put = partial(setattr if isinstance(owner, type) else operator.setitem, owner, name)
        self.undo_by(partial(put, vars(owner)[name] if isinstance(owner, type) else owner[name]))
        put(value)

    def undo_by(self, step: Callable[[], object]) -> None:
        """Note what puts something back, before it is changed. It may be called twice."""
        self._undos.append(step)

    def undo(self) -> None:
        """Put everything back, the last change first."""
        for step in reversed(self._undos):
            step()


def with_patches(block: Callable[[Patches], T]) -> T:
    """Run a block that replaces things, and put them back."""
    patches = Patches()
    try:
        try:
            return block(patches)
        finally:
            patches.undo()
    finally:  # once more: an exception may have come before the other was through
        patches.undo()


def _find_generators(release: Any, noise: FrozenNoise) -> Iterator[tuple[Any, str, Any]]:
    """Yield (owner, name, replacement) of all that draws.

    It is found in all modules, and in the attributes of an object that the release is, or is a method of.
    """
    functions, kinds = _freeze_random()
    samplers: list[type] = [ScalarSampler]
    if "numpy" in sys.modules:
        from snapdp.mechanism.sampling.vectors import VectorSampler

        samplers.append(VectorSampler)
        functions, kinds = functions | _freeze_numpy()[0], kinds | _freeze_numpy()[1]
    copies: dict[int, Any] = {}
    owners = [
        vars(module)
        for name, module in list(sys.modules.items())
        if isinstance(module, ModuleType) and not f"{name}.".startswith(tuple(f"{each}." for each in _LEFT_ALONE))
    ]
    for owner in [*owners, getattr(getattr(release, "__self__", release), "__dict__", {})]:
        for name, value in list(owner.items()):
            if type(value) in kinds and id(value) not in copies:
                copies[id(value)] = kinds[type(value)]()
                copies[id(value)].snapdp_name = f"held {next(noise.held)}"
            if id(value) in functions or id(value) in copies:
                yield owner, name, functions.get(id(value)) or copies[id(value)]
    yield vars(bits), "urandom", _urandom  # a test may have put something else there
    yield vars(bits), "key_stream", _key_stream
    for sampler, name in product(samplers, ("release", "index")):
        yield sampler, name, _recording("snapping", getattr(sampler, name))


def _key_stream() -> Callable[[Any], None]:
    """Take the place of the key stream of long arrays, which adds to whatever a buffer holds."""

    def fill(buffer: Any) -> None:
        buffer[:] = _urandom(len(buffer))

    return fill


# Generators. Their classes are below those of Python and numpy: what checks for a Random or a Generator gets one.


def _note_seed(generator: Any, kind: str, seed: Any) -> None:
    """Log a seed that a generator was given; seed it anew where it was given none.

    A seed lasts for this run, and longer where the generator was made with it.
    """
    noise = _running_noise()
    generator.snapdp_run = noise and noise.run
    if seed is None:
        generator.snapdp_name = f"made {next(_NUMBERS)}"
        generator.reseed(_number(noise.derive_next("seed") if noise else urandom_of_the_system(16)))
    elif noise:
        noise.seeds.append((kind, repr(seed), _find_callers()[1]))


def _follow_run(generator: Any, noise: FrozenNoise | None) -> None:
    """Seed a generator without a seed of its own anew, where another run began or the audit ended since it drew."""
    run, name = noise and noise.run, getattr(generator, "snapdp_name", None)
    if name is not None and generator.snapdp_run is not run:
        generator.snapdp_run = run
        generator.reseed(_number(noise.derive_bytes(name) if noise else urandom_of_the_system(16)))
        if noise and name.startswith("made"):
            noise.keeps = True


def _number(seed: bytes) -> int:
    return int.from_bytes(seed, "big")


def _recording(kind: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that draws as another one does, and logs it; what is drawn within a draw is a part of it."""

    @wraps(method)
    def draw(self: Any, *args: Any, **kwargs: Any) -> Any:
        noise = _running_noise()
        _follow_run(self, noise)
        if noise is None or noise.is_drawing:
            return method(self, *args, **kwargs)
        noise.is_drawing = True
        try:
            drawn = method(self, *args, **kwargs)
        finally:
            noise.is_drawing = False
        numbers = args[0] if kind == "snapping" else drawn  # an array of ours is filled, not returned
        noise.record(kind, len(numbers) if isinstance(numbers, (list, bytes)) else int(getattr(numbers, "size", 1)))
        return drawn

    return draw


def _seed_random(self: Any, a: Any = None, version: int = 2) -> None:
    if a is not None:
        Random.seed(self, a, version)
    _note_seed(self, "random", a)


def _urandom(size: int, flags: int = 0) -> bytes:
    """Take the place of os.urandom and os.getrandom; secrets, SystemRandom and numpy's entropy come from there."""
    del flags
    noise = _running_noise()
    return noise.draw_bytes(size) if noise else urandom_of_the_system(size)


def _freeze_class(base: type, **own: Any) -> Any:
    """Return a class below another one, whose methods log what they draw."""
    names = [name for name in dir(base) if not name.startswith("_") and name not in _NOT_DRAWS]
    methods = {name: getattr(base, name) for name in names if callable(getattr(base, name))}
    return type(base.__name__, (base,), {name: _recording(name, methods[name]) for name in methods} | own)


def _share_generator(frozen: Any, module: ModuleType) -> dict[int, Any]:
    """Return the methods of one generator in place of the functions of a module, by their ids."""
    shared = frozen()
    shared.snapdp_name = module.__name__
    names = [name for name in dir(module) if hasattr(frozen, name) and not name.startswith("_")]
    return {id(getattr(module, name)): getattr(shared, name) for name in names}


@functools.cache
def _freeze_random() -> tuple[dict[int, Any], dict[type, Any]]:
    """Return what takes the place of functions and classes that draw, by the id of what was there, and of objects."""
    frozen = _freeze_class(Random, seed=_seed_random, reseed=Random.seed)
    of_system = {id(getattr(os, name)): _urandom for name in ("urandom", "getrandom") if hasattr(os, name)}
    return {**_share_generator(frozen, random), **of_system, id(Random): frozen}, {Random: frozen}


@functools.cache
def _freeze_numpy() -> tuple[dict[int, Any], dict[type, Any]]:
    """Return the same of numpy.random."""
    import numpy as np

    generator, state, source = np.random.Generator, np.random.RandomState, np.random.BitGenerator  # before they change
    fresh, original = np.random.PCG64, np.random.default_rng

    def init(self: Any, bit_generator: Any = None) -> None:
        generator.__init__(self, fresh(0) if bit_generator is None else bit_generator)
        entropy = getattr(getattr(bit_generator, "seed_seq", None), "entropy", None)
        if bit_generator is None or entropy is not None:
            _note_seed(self, "numpy", entropy)

    def reseed(self: Any, number: int) -> None:
        self.bit_generator.state = fresh(number).state

    def seed_legacy(self: Any, seed: Any = None) -> None:
        if seed is not None:
            state.seed(self, seed)
        _note_seed(self, "numpy", seed)

    def init_legacy(self: Any, seed: Any = None) -> None:
        state.__init__(self, seed if isinstance(seed, source) else 0)
        if not isinstance(seed, source):
            seed_legacy(self, seed)

    def reseed_legacy(self: Any, number: int) -> None:
        state.seed(self, number % 2**32)

    modern = _freeze_class(generator, __init__=init, reseed=reseed)
    legacy = _freeze_class(state, __init__=init_legacy, seed=seed_legacy, reseed=reseed_legacy)

    def default_rng(seed: Any = None) -> Any:
        if isinstance(seed, modern):
            return seed
        return modern() if seed is None else modern(original(seed).bit_generator)

    functions = {id(original): default_rng, id(generator): modern, id(state): legacy}
    return _share_generator(legacy, np.random) | functions, {generator: modern, state: legacy}
