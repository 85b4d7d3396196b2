"""Frozen noise: every generator of Python, numpy and snapdp draws what the number of the replay decides.

Two runs with the same number draw the same noise, call by call; runs with other numbers draw other
noise. Each place of the code that asks for bytes has a stream of its own, so that file names and keys that are drawn
now and then do not shift the noise. The bytes are those of SHAKE-256, for replays only: when an audit ends, whatever is
left of it draws from the operating system again. `freezing` puts these generators in place.
"""

from __future__ import annotations

import functools
import gc
import os
import random
import sys
import sysconfig
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from hashlib import shake_256
from os import urandom as urandom_of_the_system  # no audit replaces names of this package
from random import Random  # as it is before any audit
from threading import get_ident
from typing import Any, NamedTuple

from snapdp.mechanism.sampling.filter import ScalarSampler

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_LIBRARIES = (os.path.dirname(os.path.dirname(_HERE)) + os.sep, sysconfig.get_paths()["stdlib"] + os.sep)
_SKIPPED = ("random.py", "secrets.py", "contextlib.py", "uuid.py")  # they ask for bytes on behalf of somebody else

# The positional parameters of methods that have a scale, up to the scale, which is the last one.
UP_TO_THE_SCALE = {
    **dict.fromkeys(("laplace", "normal", "gumbel", "logistic"), ("loc", "scale")),
    **dict.fromkeys(("exponential", "rayleigh"), ("scale",)),
    "lognormal": ("mean", "sigma"),
    "gamma": ("shape", "scale"),
    "geometric": ("p",),
    "poisson": ("lam",),
    **dict.fromkeys(("gauss", "normalvariate", "lognormvariate"), ("mu", "sigma")),
    "expovariate": ("lambd",),
    **dict.fromkeys(("gammavariate", "weibullvariate"), ("alpha", "beta")),
}
OF_RANDOM: tuple[str, ...] = (
    "random",
    "getrandbits",
    "randbytes",
    "betavariate",
    "choice",
    "choices",
    "randint",
    "randrange",
    "sample",
)
OF_RANDOM += ("gauss", "normalvariate", "lognormvariate", "expovariate", "uniform", "gammavariate", "paretovariate")
OF_RANDOM += ("weibullvariate", "shuffle", "triangular", "vonmisesvariate")
_NOT_DRAWS = {"bit_generator", "spawn", "get_state", "set_state", "seed"}


class NoiseDraw(NamedTuple):
    """One call of a generator: its method, how many numbers it drew, the scale it was given, and where it was asked."""

    kind: str
    size: int
    scale: tuple[Any, ...]
    where: str


class FrozenNoise:
    """What all replaced generators of an audit draw from, and the log of it."""

    def __init__(self) -> None:
        self._reseeded: list[Callable[[int], None]] = []
        self._made: dict[int, tuple[weakref.ref[Any], Callable[[Any, int], object]]] = {}
        self._kept: set[int] = set()
        self._depth = 0
        self.is_over = False
        self.start(0)

    def start(self, replay: int) -> None:
        """Begin a run: every generator starts anew, from what the number of the replay decides."""
        self._replay, self._place = replay, 0
        self._calls: Counter[str] = Counter()
        self.draws: list[NoiseDraw] = []
        self.seeds: list[tuple[str, Any, str]] = []
        self._thread, self.drawn_elsewhere = get_ident(), False
        for place, reseed in enumerate(self._reseeded):
            reseed(self._number(f"generator {place}"))
        self._kept = self._outliving()
        for place in self._kept:
            self._reseed_made(place, self._number(f"seed {place}"))

    def end(self) -> None:
        """Let everything that was made, and may be kept somewhere, draw from the operating system."""
        self.is_over = True
        for reseed in self._reseeded:
            reseed(_fresh_number())
        for place in self._made:
            self._reseed_made(place, _fresh_number())

    def reseed_at_start(self, reseed: Callable[[int], None]) -> None:
        """Let a generator that lives longer than a run be seeded at the start of each."""
        self._reseeded.append(reseed)
        reseed(self._number(f"generator {len(self._reseeded) - 1}"))

    def seed_made(self, generator: Any, reseed: Callable[[Any, int], object]) -> None:
        """Seed a generator that is made without a seed. One that outlives its run has the same place in all runs.

        Places are counted in each run, but for those that are taken: a generator that the first call made and kept
        draws what it would draw if each call made it, and so do those that are made beside it.
        """
        if self.is_over:
            reseed(generator, _fresh_number())
            return
        self._place += 1
        while self._place in self._kept:
            self._place += 1
        self._made[self._place] = weakref.ref(generator), reseed
        self._reseed_made(self._place, self._number(f"seed {self._place}"))

    @property
    def keeps(self) -> bool:
        """Whether a generator that an earlier run made is still there."""
        return bool(self._kept)

    def entropy(self) -> int:
        """Return a fresh number for a generator that is seeded again without one."""
        if self.is_over:
            return _fresh_number()
        self._calls["seed"] += 1
        return self._number(f"seeded again {self._calls['seed']}")

    def urandom(self, size: int, flags: int = 0) -> bytes:
        """Take the place of os.urandom and os.getrandom."""
        del flags
        if self.is_over:
            return urandom_of_the_system(size)
        self.record("bytes", size=size)
        site = self._site()
        self._calls[site] += 1
        return shake_256(f"{self._replay} {site} {self._calls[site]}".encode()).digest(size)

    @contextmanager
    def one_draw(self) -> Iterator[None]:
        """Count what is drawn within a draw as a part of it."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def record(self, kind: str, *, size: int = 1, scale: tuple[Any, ...] = ()) -> None:
        """Log a draw, unless it is a part of another one."""
        if self._depth <= 1 and not self.is_over:
            self.drawn_elsewhere |= get_ident() != self._thread
            self.draws.append(NoiseDraw(kind, size, scale, self._asked_in()))

    def record_seed(self, kind: str, seed: Any) -> None:
        """Log a seed that was given, not drawn."""
        if not self.is_over:
            self.seeds.append((kind, _plain_seed(seed), self._asked_in()))

    def _number(self, name: str) -> int:
        return int.from_bytes(shake_256(f"{self._replay} {name}".encode()).digest(16), "big")

    def _reseed_made(self, place: int, number: int) -> None:
        reference, reseed = self._made[place]
        if (generator := reference()) is not None:
            reseed(generator, number)

    def _outliving(self) -> set[int]:
        """Return the places of generators that somebody keeps, and not only a cycle that is not collected yet."""
        for generation in (1, 2):  # what is young goes first: to look through everything takes long
            if self._living() - self._kept:
                gc.collect(generation)
        return self._living()

    def _living(self) -> set[int]:
        return {place for place, (reference, _) in self._made.items() if reference() is not None}

    def _asked_in(self) -> str:
        """Return the file and line that asked: the innermost that is not of a library, or the nearest other."""
        frame, nearest = sys._getframe(1), ""
        while frame is not None:
            file = frame.f_code.co_filename
            if not is_of_a_library(file):
                return format_place(file, frame.f_lineno)
            if not nearest and _is_a_site(file):
                nearest = format_place(file, frame.f_lineno)
            frame = frame.f_back  # type: ignore[assignment]
        return nearest

    def _site(self) -> str:
        """Return the nearest code that asked for bytes."""
        frame = sys._getframe(2)
        while frame.f_back is not None and not _is_a_site(frame.f_code.co_filename):
            frame = frame.f_back
        return f"{os.path.basename(frame.f_code.co_filename)} {frame.f_code.co_name} {frame.f_lineno}"


def _fresh_number() -> int:
    return int.from_bytes(urandom_of_the_system(16), "big")


def _is_a_site(file: str) -> bool:
    return not file.startswith(_HERE) and os.path.basename(file) not in _SKIPPED


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


def _plain_seed(seed: Any) -> Any:
    if type(seed) in (int, str, bytes, float):
        return seed
    if isinstance(seed, (list, tuple)):
        return tuple(map(_plain_seed, seed))
    return _plain_seed(seed.tolist()) if hasattr(seed, "tolist") else type(seed).__qualname__


# The generators


def replace_generators(noise: FrozenNoise) -> dict[int, Any]:
    """Return what takes the place of functions and classes that draw, by the id of what was there.

    `secrets` and SystemRandom ask the system through the module random; numpy takes its entropy from there.
    """
    kind = recording_random(noise)
    common = kind.__new__(kind)
    noise.reseed_at_start(lambda number: Random.seed(common, number))
    names = [name for name in (*OF_RANDOM, "seed") if hasattr(random, name)]
    replacements: dict[int, Any] = {id(getattr(random, name)): getattr(common, name) for name in names}
    replacements[id(Random)] = kind
    replacements[id(os.urandom)] = noise.urandom
    if hasattr(os, "getrandom"):
        replacements[id(os.getrandom)] = noise.urandom
    return replacements | (_replace_numpy(noise) if "numpy" in sys.modules else {})


def recording_random(noise: FrozenNoise) -> type[Random]:
    """Return the class that takes the place of Random."""

    def seed(self: Random, a: Any = None, version: int = 2) -> None:
        if a is not None:
            noise.record_seed("random", a)
        Random.seed(self, noise.entropy() if a is None else a, version)

    def init(self: Random, x: Any = None) -> None:
        if x is None:
            noise.seed_made(self, Random.seed)
        else:
            seed(self, x)

    own = {name: _recording(noise, Random, name) for name in OF_RANDOM if hasattr(Random, name)}
    return type("Random", (Random,), {"__init__": init, "seed": seed, **own})


def _recording(noise: FrozenNoise, base: type, name: str) -> Callable[..., Any]:
    """Return a method that draws as that of a class does, and logs it."""
    method, parameters = getattr(base, name), UP_TO_THE_SCALE.get(name, ())

    @wraps(method)
    def draw(self: Any, *args: Any, **kwargs: Any) -> Any:
        with noise.one_draw():
            drawn = method(self, *args, **kwargs)
            given = {**dict(zip(parameters, args, strict=False)), **kwargs}
            scale = given.get(parameters[-1]) if parameters else None
            noise.record(name, size=_size(drawn), scale=() if scale is None else _flat(scale))
        return drawn

    return draw


def _size(drawn: Any) -> int:
    return len(drawn) if isinstance(drawn, (list, bytes)) else int(getattr(drawn, "size", 1))


def _flat(parameter: Any) -> tuple[Any, ...]:
    """Return a parameter as a tuple of numbers, and the name of its type where it is not made of numbers."""
    if type(parameter) in (int, float):
        return (parameter,)
    array = sys.modules["numpy"].asarray(parameter) if "numpy" in sys.modules else None
    is_number = array is not None and array.dtype.kind in "biuf"
    return tuple(array.ravel().tolist()) if array is not None and is_number else (type(parameter).__qualname__,)


def _replace_numpy(noise: FrozenNoise) -> dict[int, Any]:
    """Return the same for numpy.random. The classes are below those of numpy: who checks for a Generator gets one."""
    import numpy as np

    modern, legacy = recording_numpy(noise)
    generator, state, bit_generator = np.random.Generator, np.random.RandomState, np.random.BitGenerator
    fresh, original = np.random.PCG64, np.random.default_rng
    common = legacy(0)
    noise.reseed_at_start(lambda number: state.seed(common, number % 2**32))
    names = [name for name in dir(np.random) if name in legacy.__dict__ and not name.startswith("_")]

    def default_rng(seed: Any = None) -> Any:
        if isinstance(seed, modern):
            return seed
        if isinstance(seed, bit_generator):
            return modern(seed)
        if isinstance(seed, (generator, state)):
            return modern(original(seed).bit_generator)
        if seed is not None:
            return modern(fresh(seed))
        made: Any = generator.__new__(modern)
        noise.seed_made(made, lambda each, number: generator.__init__(each, fresh(number)))
        return made

    replacements = {id(getattr(np.random, name)): getattr(common, name) for name in names}
    return replacements | {id(original): default_rng, id(generator): modern, id(state): legacy}


def recording_numpy(noise: FrozenNoise) -> tuple[type, type]:
    """Return the classes that take the place of Generator and RandomState."""
    import numpy as np

    generator, state, bits = np.random.Generator, np.random.RandomState, np.random.BitGenerator  # before they change

    def init(self: Any, bit_generator: Any) -> None:
        generator.__init__(self, bit_generator)
        entropy = getattr(getattr(bit_generator, "seed_seq", None), "entropy", None)
        if entropy is not None:
            noise.record_seed("numpy", entropy)

    def init_legacy(self: Any, seed: Any = None) -> None:
        if seed is None:
            noise.seed_made(self, lambda made, number: state.__init__(made, number % 2**32))
            return
        state.__init__(self, seed)
        if not isinstance(seed, bits):
            noise.record_seed("numpy", seed)

    def seed_legacy(self: Any, seed: Any = None) -> None:
        if seed is not None:
            noise.record_seed("numpy", seed)
        state.seed(self, seed)

    def methods(base: type) -> dict[str, Callable[..., Any]]:
        names = [name for name in dir(base) if not name.startswith("_") and name not in _NOT_DRAWS]
        return {name: _recording(noise, base, name) for name in names if callable(getattr(base, name))}

    modern = {**methods(generator), "__init__": init}
    legacy = {**methods(state), "__init__": init_legacy, "seed": seed_legacy}
    return type("Generator", (generator,), modern), type("RandomState", (state,), legacy)


def freeze_copy(generator: Any, noise: FrozenNoise, kinds: tuple[Any, ...]) -> Any:
    """Return what takes the place of a generator that somebody holds.

    kinds   the classes that take the place of Random and, where numpy is loaded, of Generator and RandomState
    """
    if isinstance(generator, Random):
        copied = kinds[0].__new__(kinds[0])
        noise.reseed_at_start(lambda number: Random.seed(copied, number))
        return copied
    import numpy as np

    _, modern, legacy = kinds
    state, fresh = legacy.__mro__[1], np.random.PCG64
    if isinstance(generator, state):
        old = legacy(0)
        noise.reseed_at_start(lambda number: state.seed(old, number % 2**32))
        return old
    new = modern(fresh(0))

    def reseed(number: int) -> None:
        new.bit_generator.state = fresh(number).state

    noise.reseed_at_start(reseed)
    return new


# snapdp itself: its bits are frozen already, and a number that a sampler draws is logged as one draw with its scale


def replace_samplers(noise: FrozenNoise) -> Iterator[tuple[type, str, Callable[..., Any]]]:
    """Yield (class, name, method): what takes the place of the methods of snapdp that draw."""
    samplers: list[type] = [ScalarSampler]
    if "numpy" in sys.modules:
        from snapdp.mechanism.sampling.vectors import VectorSampler

        samplers.append(VectorSampler)
    for sampler in samplers:
        for name in ("release", "index"):
            yield sampler, name, _recording_sampler(noise, getattr(sampler, name))


def _recording_sampler(noise: FrozenNoise, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def draw(self: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        with noise.one_draw():
            drawn = method(self, value, *args, **kwargs)
            scale = self.parameters.unit * self.parameters.noise_scale
            noise.record("snapping", size=int(getattr(value, "size", 1)), scale=(scale,))
        return drawn

    return draw


def zero_first(key_stream: Callable[[], Callable[[Any], None]]) -> Callable[[], Callable[[Any], None]]:
    """Return the key stream as it is: snapdp adds it to whatever a buffer holds, which a replay cannot repeat."""

    def zeroed() -> Callable[[Any], None]:
        fill = key_stream()

        def fill_zeros(buffer: Any) -> None:
            memoryview(buffer).cast("B")[:] = bytes(memoryview(buffer).nbytes)
            fill(buffer)

        return fill_zeros

    return zeroed
