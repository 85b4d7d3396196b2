"""All checks in their order, and how they are run: none may stop the others.

Room: selftest. A new check is one function and one line of CHECKS.
"""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Callable, Iterable
from importlib import import_module

from snapdp.errors import ParameterError, SnapdpError
from snapdp.selftest.check import BROKE, Check, Checked, Effort
from snapdp.selftest.versions import checked_versions
from snapdp.values import Value

ROOM = "snapdp.selftest"
_LINES = (  # name, file and function, what is compared with what
    ("known-logarithms", "logarithms:compare_tables", "tables of known logarithms with integers"),
    ("machine-logarithms", "logarithms:compare_machine", "Python's and numpy's logarithm with integers"),
    ("mpfr", "logarithms:compare_mpfr", "MPFR's rounding at 2 to 200 bits with integers"),
    ("constants", "constants:compare_constants", "noise scale, grid and clamp with what was declared"),
    ("law", "laws:compare_laws", "stated probabilities with every string of bits"),
    ("scalar", "same_bits:compare_scalars", "single releases with the second definition"),
    ("vector", "same_bits:compare_vectors", "arrays with the second definition"),
    ("long-vector", "same_bits:compare_long_vectors", "arrays drawn by half words with the same"),
    ("aes", "entropy:compare_cipher", "the key stream with AES in plain Python"),
    ("entropy", "entropy:compare_entropy", "bits of the system: repeats, counts"),
    ("fork", "entropy:compare_forks", "words that forked processes draw"),
    ("sums-duckdb", "sums.engines:compare_duckdb", "sums of DuckDB with Python's integers"),
    ("sums-spark", "sums.engines:compare_spark", "sums of Spark with Python's integers"),
    ("sums-postgresql", "sums.engines:compare_postgresql", "sums of PostgreSQL with Python's integers"),
    ("ledger-settings", "ledgers:compare_settings", "what SQLite is set to with what a ledger needs"),
    ("ledger-crash", "ledgers:compare_crashes", "a ledger with what killed processes were told"),
)


class SelfTest(Value):
    """What all checks have found.

    seed      the same seed compares the same things again; the system's bits and the moments of kills are always new
    found     each check with its result, in the order in which they ran
    versions  of what was checked
    """

    seed: int
    quick: bool
    found: tuple[tuple[Check, Checked], ...]
    versions: dict[str, str]

    @property
    def is_sound(self) -> bool:
        """Tell whether something was compared, and nothing differs."""
        return self.comparisons > 0 and not self.differing

    @property
    def differing(self) -> tuple[str, ...]:
        """Return the names of the checks that found a difference."""
        return tuple(check.name for check, found in self.found if found.verdict == "DIFFERENT")

    @property
    def comparisons(self) -> int:
        return sum(found.comparisons for _, found in self.found)


def _called(where: str) -> Callable[[Effort], Checked]:
    """Return a check that is loaded when it runs."""
    file, name = where.split(":")

    def run(effort: Effort) -> Checked:
        found: Checked = getattr(import_module(f"{ROOM}.{file}"), name)(effort)
        return found

    return run


CHECKS = {name: Check(name=name, about=about, run=_called(where)) for name, where, about in _LINES}


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
    return SelfTest(seed=effort.seed, quick=quick, found=tuple(found), versions=checked_versions())


def _guarded(check: Check, effort: Effort) -> Checked:
    """Run a check; one that breaks has found something, and says what broke. Nothing here is private."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a filter that is switched off says so; its answers are compared anyway
            return check.run(effort)
    except Exception as broken:
        said = broken.problem if isinstance(broken, SnapdpError) else broken
        return Checked(differences=(f"{BROKE} ({type(broken).__name__}): {said}",))
