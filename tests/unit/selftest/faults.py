"""Faults to plant: each is a machine, a library or a program that is a little wrong, as it might be somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from snapdp.exact import functions
from snapdp.exact.functions import exact_mpfr
from snapdp.ledger.storage import sqlite_link
from snapdp.mechanism.sampling import filter, known_logarithms, vectors
from snapdp.randomness import bits
from snapdp.selftest import logarithms
from snapdp.tables.engines.duckdb import DuckdbEngine

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
    for reader in (known_logarithms, filter, vectors, logarithms):
        patch.setattr(reader, "KNOWN_LOGARITHMS", tuple(known))
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
def synchronous_off(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a ledger acknowledge what is not on the disk yet."""
    others = [each for each in sqlite_link.SETTINGS if not each.startswith("synchronous")]
    patch.setattr(sqlite_link, "SETTINGS", ("synchronous = OFF", *others))
    yield


# Faults of bits


@contextmanager
def repeated_blocks(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the key stream of a vector begin anew with every block."""
    plain = bits.key_stream

    def key_stream(entropy_of: Any = None) -> Any:
        entropy = (entropy_of or bits.urandom)(44)
        return lambda buffer: plain(lambda _: entropy)(buffer)

    patch.setattr(bits, "key_stream", key_stream)
    yield


@contextmanager
def constant_system(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the operating system hand out the same bytes always."""
    patch.setattr(bits, "urandom", lambda count: bytes(range(7, 7 + count)))
    yield


@contextmanager
def one_bit_stuck(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let one bit of every eight bytes be 0."""
    plain = bits.urandom

    def stuck(count: int) -> bytes:
        return bytes(each & 0xEF if place % 8 == 3 else each for place, each in enumerate(plain(count)))

    patch.setattr(bits, "urandom", stuck)
    yield
