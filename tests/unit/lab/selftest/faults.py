"""Faults to plant: each is a machine, a library or a program that is a little wrong, as it might be somewhere."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from snapdp.exact import functions
from snapdp.exact.functions import exact_mpfr
from snapdp.lab.selftest import checks
from snapdp.ledger.storage import sqlite_connection as sqlite_link
from snapdp.mechanism import finite_precision, parameters
from snapdp.mechanism.law.finite import FiniteLaw
from snapdp.mechanism.sampling import filter, filter as known_logarithms, vectors
from snapdp.randomness import bits
from snapdp.tables.engines.duckdb import DuckdbEngine
from snapdp.tables.engines.postgres import PostgresEngine

LOW_PRECISION = 16


class OneUlpOff:
    """A context of MPFR whose logarithm is one unit in the last place too small."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def log(self, x: Any) -> Any:
        mantissa, exponent = (int(part) for part in self._context.log(x).as_mantissa_exp())
        short = self._context.precision - abs(mantissa).bit_length()
        return exact_mpfr((mantissa << short) - 1, exponent - short)


@contextmanager
def logarithm_off_at_low_precision(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let gmpy2's logarithm be off by one ulp at up to 16 bits; what the library asks of it before use is not."""
    plain = functions._unchecked_context

    def off(precision: int, direction: str) -> Any:
        found = plain(precision, direction)
        return OneUlpOff(found) if precision <= LOW_PRECISION else found

    patch.setattr(functions, "_unchecked_context", off)
    functions.mpfr_context.cache_clear()
    functions.require_directed_rounding.cache_clear()
    try:
        yield
    finally:
        patch.undo()
        functions.mpfr_context.cache_clear()


@contextmanager
def changed_known_logarithm(patch: pytest.MonkeyPatch, place: int = 41) -> Iterator[None]:
    """Let one entry of the table be off in its last digit, for everybody who reads it."""
    known = list(known_logarithms.KNOWN_LOGARITHMS)
    x, logarithm = known[place]
    known[place] = x, logarithm * (1 + 2.0**-52)
    for reader in (known_logarithms, filter, vectors, checks):
        patch.setattr(reader, "KNOWN_LOGARITHMS", tuple(known))
    yield


def _is_near_fifteen_sixteenths(x: Any) -> Any:
    return (x > 0.93) & (x < 0.9375)  # no known logarithm lies there


@contextmanager
def logarithm_of_python_off(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let math.log be off by 2**-30 in one short interval."""
    plain = math.log
    patch.setattr(math, "log", lambda x: plain(x) + 2.0**-30 * bool(_is_near_fifteen_sixteenths(x)))
    yield
    patch.undo()


@contextmanager
def logarithm_of_numpy_off(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Do the same to that of numpy."""
    plain = np.log
    patch.setattr(np, "log", lambda x: plain(x) + np.asarray(_is_near_fifteen_sixteenths(np.asarray(x)) * 2.0**-30))
    yield
    patch.undo()


# The mechanism


@contextmanager
def clamp_too_near(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the wide clamp of exact arithmetic stand one step nearer than it may."""
    plain = parameters.binding_index
    patch.setattr(parameters, "binding_index", lambda *given, **named: plain(*given, **named) - 1)
    yield


@contextmanager
def overhead_forgotten(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the noise scale of proved arithmetic be 1/epsilon, as if nothing were rounded."""

    def forgetful(epsilon: Fraction, _bound: Any, precision: Any, _grid: Any) -> tuple[Fraction, Fraction]:
        scale = finite_precision.round_up(1 / epsilon, precision.product)
        return 1 / scale, scale

    patch.setattr(finite_precision, "_proved", forgetful)
    yield


@contextmanager
def law_beside_the_tie(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the stated law of finite precision take "at least" for "more than"."""
    plain = FiniteLaw.threshold
    patch.setattr(FiniteLaw, "threshold", lambda self, t, *, strict: plain(self, t, strict=not strict))
    yield


@contextmanager
def filter_without_doubt(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the filter of single values believe that doubles make no error."""
    patch.setattr(filter, "error_bound", lambda **_: Fraction(1, 1 << 60))
    yield


def _reusing(level: str, words: str) -> Any:
    plain = getattr(vectors.Level, level)

    def reusing(self: Any, scratch: Any) -> None:
        drawn = getattr(scratch, words)
        drawn[21:22] = drawn[20:21]
        plain(self, scratch)

    return reusing


@contextmanager
def reused_word(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the words of a block be used as they are, but for one that is used for two values."""
    patch.setattr(vectors.Level, "double_noise", _reusing("double_noise", "words"))
    yield


@contextmanager
def reused_half(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Do the same to the halves of words that long vectors take."""
    patch.setattr(vectors.Level, "single_noise", _reusing("single_noise", "halves"))
    yield


@contextmanager
def sums_in_doubles(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the engine add doubles up, and hand the total over as an integer."""
    plain = DuckdbEngine._rows

    def in_doubles(self: Any, connection: Any, statement: str) -> Any:
        changed = re.sub(r"SUM\(([^()]*)\)", r"CAST(SUM(CAST(\1 AS DOUBLE)) AS HUGEINT)", statement)
        return plain(self, connection, changed)

    patch.setattr(DuckdbEngine, "_rows", in_doubles)
    yield


@contextmanager
def groups_in_another_order(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the engine hand groups over from the last to the first."""
    plain = DuckdbEngine._rows

    def turned(self: Any, connection: Any, statement: str) -> Any:
        changed = type(statement)(statement.replace("ORDER BY declared.code", "ORDER BY declared.code DESC"))
        return plain(self, connection, changed)

    patch.setattr(DuckdbEngine, "_rows", turned)
    yield


@contextmanager
def server_that_adds_doubles(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a server of PostgreSQL add doubles up."""
    plain = PostgresEngine._connected

    class InDoubles:
        def __init__(self, connection: Any) -> None:
            self._connection = connection

        def execute(self, text: str, **options: Any) -> Any:
            changed = re.sub(r"SUM\(([^()]*)\)", r"CAST(SUM(CAST(\1 AS DOUBLE PRECISION)) AS NUMERIC)", text)
            return self._connection.execute(changed, **options)

    @contextmanager
    def connected(self: Any) -> Iterator[Any]:
        with plain(self) as connection:
            yield InDoubles(connection)

    patch.setattr(PostgresEngine, "_connected", connected)
    yield


@contextmanager
def synchronous_off(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a ledger acknowledge what is not on the disk yet."""
    others = [each for each in sqlite_link.SETTINGS if not each.startswith("synchronous")]
    patch.setattr(sqlite_link, "SETTINGS", ("synchronous = OFF", *others))
    yield


# Faults of bits


class StartsAgain:
    """A cipher in counter mode whose counter has sixteen bits."""

    LENGTH = 16 << 16

    def __init__(self, *given: Any) -> None:
        self._given, self._used = given, self.LENGTH

    def encryptor(self) -> StartsAgain:
        return self

    def update_into(self, buffer: Any, _: Any) -> None:
        left = memoryview(buffer)
        while left:
            if self._used == self.LENGTH:
                self._update, self._used = Cipher(*self._given).encryptor().update_into, 0
            piece = left[: self.LENGTH - self._used]
            self._update(piece, piece)
            self._used, left = self._used + len(piece), left[len(piece) :]


@contextmanager
def stream_that_starts_again(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the key stream begin anew after 2**16 blocks of a key."""
    patch.setattr(bits, "_ciphers", lambda: (StartsAgain, algorithms.AES, modes.GCM))
    yield


@contextmanager
def repeated_blocks(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the key stream of a vector begin anew with every block."""

    class Anew(StartsAgain):
        LENGTH = 1 << 12

    patch.setattr(bits, "_ciphers", lambda: (Anew, algorithms.AES, modes.GCM))
    yield


# Faults of files


@contextmanager
def locks_without_effect(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the file system give every process the lock that it asks for, as some network shares do."""
    patch.setattr(checks, "ASK_FOR_THE_LOCKS", "print('SQLite')")
    yield
