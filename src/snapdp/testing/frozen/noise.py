"""Frozen noise: the bytes that every generator draws in one run, decided by a number, and the log of what was drawn.

Room: testing. Two runs with the same number draw the same noise, call by call; runs with other numbers draw other
noise. Every place of the code that asks for bytes has a stream of its own: names of files and keys that are drawn now
and then do not shift the noise. The bytes are those of SHAKE-256, for replays only; nothing is released with them: when
an audit ends, whatever is kept of it draws from the operating system again.
"""

from __future__ import annotations

import functools
import gc
import os
import sys
import sysconfig
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from hashlib import shake_256
from itertools import cycle
from os import urandom as urandom_of_the_system  # no audit replaces names of this room
from threading import get_ident
from typing import Any, NamedTuple

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep  # the room testing
_LIBRARIES = (os.path.dirname(os.path.dirname(_HERE)) + os.sep, sysconfig.get_paths()["stdlib"] + os.sep)
MOST_VALUES = 64  # of one call, that are kept
_SKIPPED = ("random.py", "secrets.py", "contextlib.py", "uuid.py")


class LimitReached(BaseException):
    """A run took too long, or drew too often; no `except Exception` of the release keeps it. A bare `except:` does."""


class NoiseDraw(NamedTuple):
    """One call of a generator. Parameters are tuples of numbers.

    values   what was drawn, of calls that draw few: the noise alone, without the location that it was drawn around
    """

    kind: str
    size: int
    scale: tuple[Any, ...]
    chances: tuple[float, ...]
    where: str
    values: tuple[Any, ...] = ()


Reseed = Callable[[Any, int], object]


class FrozenNoise:
    """What all replaced generators of an audit draw from."""

    def __init__(self, *, draws: int, is_own: Callable[[str], bool]) -> None:
        self._most, self._is_own = draws, is_own
        self._reseeded: list[Callable[[int], None]] = []
        self._made: dict[int, tuple[weakref.ref[Any], Reseed]] = {}
        self._kept: set[int] = set()
        self._depth = 0
        self.is_over = False
        self.start(0)

    def start(self, replay: int) -> None:
        """Begin a run: every generator starts anew, from what this number decides."""
        self._replay, self._drawn, self._place = replay, 0, 0
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

    def again(self) -> None:
        """Take the end back: what is frozen is frozen once more."""
        self.is_over = False

    def starts(self, reseed: Callable[[int], None]) -> None:
        """Let a generator that lives longer than a run be seeded at the start of each."""
        self._reseeded.append(reseed)
        reseed(self._number(f"generator {len(self._reseeded) - 1}"))

    def _number(self, name: str) -> int:
        return int.from_bytes(shake_256(f"{self._replay} {name}".encode()).digest(16), "big")

    def entropy(self) -> int:
        """Return a fresh number for a generator that is seeded again without one."""
        if self.is_over:
            return _fresh_number()
        self._calls["seed"] += 1
        return self._number(f"seeded again {self._calls['seed']}")

    def made(self, generator: Any, reseed: Reseed) -> None:
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

    def _reseed_made(self, place: int, number: int) -> None:
        found, reseed = self._made[place]
        if (generator := found()) is not None:
            reseed(generator, number)

    def _outliving(self) -> set[int]:
        """Return the places of generators that somebody keeps, and not only a cycle that is not collected yet."""
        for generation in (1, 2):  # what is young goes first: to look through everything takes long
            if self._living() - self._kept:
                gc.collect(generation)
        return self._living()

    def _living(self) -> set[int]:
        return {place for place, (found, _) in self._made.items() if found() is not None}

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
    def one_draw(self) -> Iterator[bool]:
        """Say whether a draw is what the release asked for, and not one that another draw is made of."""
        self._depth += 1
        try:
            yield self._depth == 1
        finally:
            self._depth -= 1

    def record(
        self,
        kind: str,
        *,
        size: int = 1,
        location: tuple[Any, ...] = (),
        scale: tuple[Any, ...] = (),
        chances: tuple[float, ...] = (),
        values: tuple[Any, ...] = (),
    ) -> None:
        """Log a draw, and stop a run that draws without end."""
        if self._depth > 1 or self.is_over:
            return
        self.drawn_elsewhere |= get_ident() != self._thread
        self._drawn += max(1, size if kind != "bytes" else 1)
        if self._drawn > self._most:
            raise LimitReached(f"more than {self._most:,} draws in one call")
        drawn = _around_zero(values, location)
        self.draws.append(NoiseDraw(kind, size, scale, chances, self._asked_in(), drawn))

    def seeded(self, kind: str, seed: Any) -> None:
        """Log a seed that was given, not drawn."""
        if not self.is_over:
            self.seeds.append((kind, _plain(seed), self._asked_in()))

    def _asked_in(self) -> str:
        """Return the file and line that asked for it: the innermost that is no library's, or of the nearest other."""
        frame, nearest = sys._getframe(1), ""
        while frame is not None:
            file = frame.f_code.co_filename
            if self._is_own(file) or not _is_of_a_library(file):
                return place(file, frame.f_lineno)
            if not nearest and _is_a_site(file):
                nearest = place(file, frame.f_lineno)
            frame = frame.f_back  # type: ignore[assignment]
        return nearest

    def _site(self) -> str:
        """Return the nearest code that asked for bytes."""
        frame = sys._getframe(2)
        while frame.f_back is not None and not _is_a_site(frame.f_code.co_filename):
            frame = frame.f_back
        return f"{os.path.basename(frame.f_code.co_filename)} {frame.f_code.co_name} {frame.f_lineno}"


def _around_zero(values: tuple[Any, ...], location: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what was drawn without its location, exactly; nothing where a location is no number."""
    if not any(location):
        return values
    try:
        return tuple(Fraction(value) - Fraction(around) for value, around in zip(values, cycle(location), strict=False))
    except (TypeError, ValueError, OverflowError):
        return ()


def _fresh_number() -> int:
    return int.from_bytes(urandom_of_the_system(16), "big")


def _is_a_site(file: str) -> bool:
    return not file.startswith(_HERE) and os.path.basename(file) not in _SKIPPED


@functools.cache
def _is_of_a_library(file: str) -> bool:
    """Say whether a file is of Python, of an installed package, or of snapdp."""
    found = os.path.abspath(file)
    return file.startswith("<") or found.startswith(_LIBRARIES) or "site-packages" in found


def place(file: str, line: int) -> str:
    """Return a file and a line as people write them: relative to where they are, or the name alone.

    >>> place("/elsewhere/release.py", 12)
    'release.py:12'
    """
    return f"{_shown(file, os.getcwd())}:{line}"


@functools.cache
def _shown(file: str, folder: str) -> str:
    inside = os.path.abspath(file).startswith(folder + os.sep)
    return os.path.relpath(file) if inside else os.path.basename(file)


def _plain(seed: Any) -> Any:
    if type(seed) in (int, str, bytes, float):
        return seed
    if isinstance(seed, (list, tuple)):
        return tuple(map(_plain, seed))
    return _plain(seed.tolist()) if hasattr(seed, "tolist") else type(seed).__qualname__
