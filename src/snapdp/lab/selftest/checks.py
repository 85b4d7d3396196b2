"""Checks of what a release rests on and nobody here has written: logarithms, a cipher, engines, file locks.

Answers are compared with published and known ones, and with integers. The samplers have a file of
their own.
"""

from __future__ import annotations

import math
import os
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from snapdp.exact.functions import ln_enclosure
from snapdp.exact.integers import ln_scaled
from snapdp.lab.selftest.suite import Checked, Comparison, Effort
from snapdp.ledger.ledger import Ledger, settings_in_force
from snapdp.mechanism.sampling.filter import FINE_LOG_ERROR, KNOWN_LOGARITHMS, SINGLE_LOG_ERROR
from snapdp.randomness.bits import key_stream
from snapdp.tables.engines.opening import open_table

# Logarithms

KNOWN = 64  # entries of the table that the filters ask the machine for
BITS = 140  # after the binary point of logarithms in integers


def compare_logarithms(effort: Effort) -> Checked:
    """Compare logarithms with those in integers: every entry of the table, and as the filters assume of the machine.

    MPFR's are asked for as enclosures, which hold the logarithm at every precision.
    """
    import numpy as np

    comparison, dice = Comparison(), effort.dice("logarithms")
    comparison.same(len(KNOWN_LOGARITHMS), KNOWN, "number of known logarithms:")
    for x, known in KNOWN_LOGARITHMS:
        nearest = _ln(x) if x < 1 else Fraction(0)
        comparison.same(known, nearest.numerator / nearest.denominator, f"known logarithm of {x!r}:")
    count = effort.size(12_000, 1_500)
    doubles = [_point(dice, 52) for _ in range(count)]
    singles = [_single(_point(dice, 31)) for _ in range(count)]
    ln_2 = -_ln(0.5)
    allowed = 52 * ln_2 * FINE_LOG_ERROR
    for name, logs in (("math.log", map(math.log, doubles)), ("numpy.log of doubles", np.log(doubles).tolist())):
        for x, log in zip(doubles, logs, strict=True):
            comparison.holds(abs(Fraction(log) - _ln(x)) <= allowed, f"{name}({x!r}) = {log!r} is too far off")
    logs = np.log(np.array(singles, np.float32)).astype(float).tolist()
    for x, log in zip(singles, logs, strict=True):
        true = _ln(x)
        near = max(7 * ln_2, -true) * SINGLE_LOG_ERROR  # 7 ln 2: the least reach of a first level
        comparison.holds(abs(Fraction(log) - true) <= near, f"numpy.log of the single {x!r} = {log!r} is too far off")
    for x in doubles[: effort.size(1_000, 200)]:
        precision = dice.choice([8, 24, 53, 100])
        found, true = ln_enclosure(Fraction(x), precision), _ln(x)
        is_around = found.lower <= true + Fraction(1, 1 << BITS) and true <= found.upper
        comparison.holds(is_around, f"MPFR's enclosure of ln({x!r}) at {precision} bits does not hold it")
    return comparison.checked()


def _ln(x: float) -> Fraction:
    """Return the logarithm of a double below 1, rounded down to multiples of 2**-BITS."""
    numerator, denominator = x.as_integer_ratio()
    lower, _ = ln_scaled(numerator, denominator.bit_length() - 1, BITS)
    return Fraction(lower, 1 << BITS)


def _point(dice: Random, digits: int) -> float:
    """Return a number of so many digits between 0 and 1: of any size, or next to 1, 1/2 or 15/16."""
    if dice.randrange(4):
        return (dice.getrandbits(digits) >> dice.randrange(digits - 8) or 1) / (1 << digits)
    centre = dice.choice([1.0, 0.5, 0.9375])
    return centre - ((1 + dice.getrandbits(digits - 8) >> dice.randrange(digits - 8)) or 1) / (1 << digits)


def _single(x: float) -> float:
    """Return a number rounded to single precision, and not to 1."""
    return float(min(*struct.unpack("<f", struct.pack("<f", x)), 1 - 2.0**-24))


# The cipher that noise is drawn with

BLOCK = 16
BLOCKS_PER_KEY = 1 << 19
# (44 bytes of key and nonce, place of a block, the block). The first is published: McGrew and Viega, GCM, test case 14.
# The others were computed in plain Python; a test computes them again.
KNOWN_BLOCKS = (
    (bytes(44), 0, "cea7403d4d606b6e074ec5d3baf39d18"),
    (bytes(range(44)), 0, "d23aa6706c981a0e1a7c42cec118f4f9"),
    (bytes(range(44)), 1, "d049ec9c878063ee6cf66c12498a5e09"),
    (bytes(range(44)), 1 << 16, "122f59052e69dc4d92284199b2552c8e"),
    (bytes(range(44)), BLOCKS_PER_KEY - 1, "4843bd78e449f3da6d7bceee6607e803"),
)
NEXT_KEY, NEXT_BLOCK = bytes(range(44, 88)), "19e92caa9afb472d91089dcd5b840120"


def compare_cipher(effort: Effort) -> Checked:
    """Compare blocks of the key stream with known ones, up to the last of a key and the first of the next.

    No block of a key may come twice; the stream is drawn in pieces, and added to what a buffer holds.
    """
    comparison, dice = Comparison(), effort.dice("cipher")
    for entropy in dict.fromkeys(entropy for entropy, _, _ in KNOWN_BLOCKS):
        keys = iter([entropy, NEXT_KEY])
        fill, held = key_stream(lambda _, keys=keys: next(keys)), dice.randbytes(BLOCK * BLOCKS_PER_KEY)  # type: ignore[misc]
        stream, place = bytearray(held), 0
        while place < len(stream):
            size = min(len(stream) - place, BLOCK * dice.randrange(1, 1 << 16))
            fill(memoryview(stream)[place : place + size])
            place += size
        more = bytearray(BLOCK)
        fill(more)
        number = int.from_bytes(stream, "big") ^ int.from_bytes(held, "big")
        found = number.to_bytes(len(stream), "big")
        for _, place, known in (each for each in KNOWN_BLOCKS if each[0] == entropy):
            block = found[BLOCK * place : BLOCK * (place + 1)].hex()
            comparison.same(block, known, f"block {place} of key {entropy[:4].hex()}...:")
        blocks = len({found[i : i + BLOCK] for i in range(0, len(found), BLOCK)})
        comparison.same(blocks, BLOCKS_PER_KEY, "different blocks of one key:")
        comparison.same(more.hex(), NEXT_BLOCK, "first block of the next key:")
    return comparison.checked()


# The engines that add

SERVER = "SNAPDP_POSTGRES"  # the variable that names a server, which is only read


def compare_engines(_: Effort) -> Checked:
    """Let DuckDB, and the PostgreSQL server that a variable names, answer the known rows, as before every table.

    An engine that gives other integers refuses the table: that is the difference which is told.
    """
    comparison = Comparison()
    tables = {"DuckDB": open_table({"x": [1.0, 2.0]})}
    if os.environ.get(SERVER) and find_spec("psycopg") is not None:
        tables["PostgreSQL"] = open_table(os.environ[SERVER], table="none")
    for name, table in tables.items():
        comparison.holds(table.ask(lambda _: True), f"{name} does not answer")
    return comparison.checked()


# The file of a ledger

FULL = 2  # PRAGMA synchronous: a commit is on the disk when it returns; EXTRA is 3
EXPECTED = {
    "journal_mode": "wal",
    "fullfsync": 1,
    "checkpoint_fullfsync": 1,
    "trusted_schema": 0,
    "wal_autocheckpoint": 0,
}
ASK_FOR_THE_LOCKS = """
import contextlib, sqlite3, sys
held = []
with contextlib.suppress(ImportError), open(sys.argv[1], "r+b") as file:
    import fcntl
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        held.append("flock")
try:
    sqlite3.connect(sys.argv[2], timeout=0, isolation_level=None).execute("BEGIN IMMEDIATE")
except sqlite3.OperationalError:
    held.append("SQLite")
print(*held)
"""


def compare_ledger(_: Effort) -> Checked:
    """Read back what a ledger asks of SQLite, and let another process ask for locks that this one has, and then not.

    In a temporary directory, which should be on the kind of disk that ledgers are kept on: TMPDIR chooses it.
    """
    comparison = Comparison()
    with TemporaryDirectory(prefix="snapdp-selftest-") as directory:
        path = Path(directory) / "throw-away.ledger"
        for moment in ("new", "opened again"):
            with Ledger.create(path) if moment == "new" else Ledger.open(path) as ledger:
                found = settings_in_force(ledger)
            synchronous = found.pop("synchronous")
            told = f"a ledger, {moment}: synchronous is {synchronous}, should be {FULL} (FULL) or more"
            comparison.holds(int(synchronous) >= FULL, told)
            comparison.same(found, EXPECTED, f"settings of a ledger, {moment}:")
        files = [Path(directory) / name for name in ("locked", "locked.sqlite")]
        with _locked(*files) as held:
            comparison.same(_held_elsewhere(files), held, "locks of this process that another one meets:")
        comparison.same(_held_elsewhere(files), [], "locks that another process meets when they were given back:")
    return comparison.checked()


@contextmanager
def _locked(plain: Path, database: Path) -> Iterator[list[str]]:
    """Hold a lock of the file system and a writing transaction of SQLite; return their names."""
    connection = sqlite3.connect(database, isolation_level=None)
    with plain.open("wb") as file:
        held = []
        with suppress(ImportError):
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
            held.append("flock")
        try:
            connection.execute("PRAGMA journal_mode = wal")
            connection.execute("BEGIN IMMEDIATE")
            yield [*held, "SQLite"]
        finally:
            connection.close()


def _held_elsewhere(files: list[Path]) -> list[str]:
    # -P and the directory: what lies where a self-test is called is not a part of the installation
    command = [sys.executable, "-P", "-c", ASK_FOR_THE_LOCKS, *map(str, files)]
    run = subprocess.run(command, cwd=files[0].parent, capture_output=True, text=True, check=True, timeout=60)
    return run.stdout.split()
