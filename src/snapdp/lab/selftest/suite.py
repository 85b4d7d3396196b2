"""The self-test: a few checks of the machine at hand, how they are run, and what they found. None may stop the others.

All inputs are made up, so a difference is printed in full. Whatever a check draws for itself comes
from one printed seed: the same seed compares the same things again. The checks are in `checks` and `sampler`; a new one
is one function and one line of CHECKS.
"""

from __future__ import annotations

import platform
import secrets
import sqlite3
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from operator import attrgetter
from random import Random
from typing import Any

from snapdp.errors import ParameterError, SnapdpError
from snapdp.values import Value

BROKE = "it broke"  # how the sentence begins where a check has broken
MOST_TOLD = 3  # differences that are told one by one; the others are counted


class Effort(Value):
    """How much is compared, and the seed that chooses it."""

    seed: int
    quick: bool = False

    def dice(self, *about: object) -> Random:
        """Return numbers that seed and names decide. They choose what is compared; nothing is released with them."""
        return Random(" ".join(map(str, (self.seed, *about))))

    def size(self, whole: int, quick: int) -> int:
        return quick if self.quick else whole


class Checked(Value):
    """What a check has found: how many comparisons, and sentences about differences."""

    comparisons: int = 0
    differences: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """Return "same" or "DIFFERENT"; a check that compared nothing is not the same."""
        return "DIFFERENT" if self.differences or not self.comparisons else "same"

    @property
    def broke(self) -> bool:
        """Tell whether the check itself broke, so that it compared nothing, or not all."""
        return any(each.startswith(BROKE) for each in self.differences)


class Check(Value):
    """One check; `about` says what is compared with what."""

    name: str
    about: str
    run: Callable[[Effort], Checked]


class Comparison:
    """Counts comparisons and keeps what differs."""

    def __init__(self) -> None:
        self._count = self._different = 0
        self._told: list[str] = []

    def same(self, found: object, expected: object, *about: object) -> None:
        """Compare one answer; `about` are the words that tell which it was."""
        self.holds(found == expected, *about, f"{found!r}, should be {expected!r}")

    def holds(self, is_so: bool, *about: object) -> None:
        """Note whether a statement is true; `about` are the words that tell what is not."""
        self._count += 1
        if not is_so:
            self._different += 1
            if len(self._told) < MOST_TOLD:
                self._told.append(" ".join(map(str, about)))

    def all_same(self, found: Sequence[Any], expected: Sequence[Any], about: Callable[[int], str]) -> None:
        """Compare answers one by one; `about` tells which one it was, by its place."""
        self.holds(len(found) == len(expected), f"{len(found)} answers, should be {len(expected)}")
        for place, (one, other) in enumerate(zip(found, expected, strict=False)):
            if one == other:
                self._count += 1
            else:
                self.same(one, other, about(place))

    def checked(self) -> Checked:
        more = self._different - len(self._told)
        told = [*self._told, *([f"and {more:,} more"] if more else [])]
        return Checked(comparisons=self._count, differences=tuple(told))


_LINES = (  # name, module and function, what is compared with what
    ("logarithms", "checks:compare_logarithms", "known logarithms, Python's, numpy's and MPFR's with integers"),
    ("cipher", "checks:compare_cipher", "the key stream of noise with published and known answers"),
    ("sampler", "sampler:compare_sampler", "single releases and arrays with the definition"),
    ("engine", "checks:compare_engines", "the integers of a small table with known ones"),
    ("ledger", "checks:compare_ledger", "file locks, and SQLite's settings, with what a ledger needs"),
)


class SelfTest(Value):
    """What all checks have found.

    seed      the same seed compares the same things again
    found     each check with its result, in the order in which they ran
    versions  of what was checked
    """

    seed: int
    quick: bool
    found: tuple[tuple[Check, Checked], ...]
    versions: dict[str, str]

    @property
    def is_sound(self) -> bool:
        """Tell whether nothing differs."""
        return not self.differing

    @property
    def differing(self) -> tuple[str, ...]:
        """Return the names of the checks that found a difference."""
        return tuple(check.name for check, found in self.found if found.verdict == "DIFFERENT")

    @property
    def comparisons(self) -> int:
        return sum(found.comparisons for _, found in self.found)


def _load_and_run(where: str, effort: Effort) -> Checked:
    file, name = where.split(":")
    found: Checked = getattr(import_module(f"snapdp.lab.selftest.{file}"), name)(effort)
    return found


CHECKS = {name: Check(name=name, about=about, run=partial(_load_and_run, where)) for name, where, about in _LINES}


def chosen(names: Iterable[str]) -> tuple[Check, ...]:
    """Return the checks of these names, in their order; all where none is named."""
    wanted = set(names)
    if unknown := sorted(wanted - CHECKS.keys()):
        raise ParameterError(f"there is no check {unknown[0]!r}.", f"Give one of {', '.join(CHECKS)}.")
    return tuple(check for name, check in CHECKS.items() if not wanted or name in wanted)


def run_selftest(
    *,
    only: Iterable[str] = (),
    quick: bool = False,
    seed: int | None = None,
    tell: Callable[[Check], None] = lambda _: None,
) -> SelfTest:
    """Run checks one after the other; `tell` is given each before it runs."""
    effort = Effort(seed=secrets.randbelow(1 << 32) if seed is None else seed, quick=quick)
    found = []
    for check in chosen(only):
        tell(check)
        found.append((check, _guarded(check, effort)))
    return SelfTest(seed=effort.seed, quick=quick, found=tuple(found), versions=read_versions())


def _guarded(check: Check, effort: Effort) -> Checked:
    """Run a check; one that breaks has found something, and says what broke. Nothing here is private."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a filter that is switched off says so; its answers are compared anyway
            return check.run(effort)
    except Exception as broken:
        said = broken.problem if isinstance(broken, SnapdpError) else broken
        return Checked(differences=(f"{BROKE} ({type(broken).__name__}): {said}",))


def read_versions() -> dict[str, str]:
    """Return the names and versions of what the guarantee rests on; what is not there is "absent"."""
    openssl = _version("cryptography.hazmat.backends.openssl", "backend.openssl_version_text")
    return {
        "snapdp": str(sys.modules["snapdp"].__version__),
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "gmpy2": _version("gmpy2", "version"),
        "MPFR": _version("gmpy2", "mpfr_version").removeprefix("MPFR "),
        "GMP": _version("gmpy2", "mp_version").removeprefix("GMP "),
        "numpy": _version("numpy", "__version__"),
        "DuckDB": _version("duckdb", "__version__"),
        "SQLite": sqlite3.sqlite_version,
        # the OpenSSL inside cryptography draws the noise; that of Python itself may be another
        "OpenSSL": (openssl.removeprefix("OpenSSL ").split() or ["unknown"])[0],
        "cryptography": _version("cryptography", "__version__"),
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
    }


def _version(module: str, name: str) -> str:
    """Return what a module says of its version, by an attribute or a function."""
    try:
        version = attrgetter(name)(import_module(module))
    except ImportError:
        return "absent"
    return str(version() if callable(version) else version)
