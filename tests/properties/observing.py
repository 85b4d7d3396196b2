"""Everything that can be observed of a release, with bits chosen so that a given table gives given indices.

A release is a function of (public request, private numerators, bits). For two tables each gets its own bits: for a
numerator f and a wanted index k the digits of U are written out from

    U = exp(-|k grid - f|/noise_scale),  the sign that carries f toward k

which lies inside the cell of k, so that f + Y = k grid within 2**-250 of a scale. Then whatever is observed may not
differ, byte for byte, apart from the two digests of the ledger that are keyed with its own random key.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import logging
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import gmpy2

import snapdp
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.storage import sqlite_file
from snapdp.ledger.storage.sqlite_connection import Inode
from snapdp.mechanism.parameters import SnappingParameters
from snapdp.randomness.bits import RecordedBits
from snapdp.release import release as engine
from snapdp.release.release import exact_values
from snapdp.release.request import Request
from snapdp.tables.engines.engine import Engine

WORDS = 7  # after the first: 511 digits of U, for noise up to 300 scales
DIGITS = 63 + 64 * WORDS
Targets = list[list[list[int]]]  # an index for each statistic, part and cell
Seen = dict[str, bytes]

KEYED = "SELECT keyed, seal FROM dataset"  # the two columns that may differ: digests of content under the ledger's key


# Bits ----------------------------------------------------------------------------------------------------------------


def string_for(p: SnappingParameters, *, value: int, index: int) -> tuple[int, list[int]]:
    """Return the first word and the extension words whose draw carries a value to an index."""
    distance = index * p.grid - value
    with gmpy2.context(gmpy2.get_context(), precision=2 * DIGITS):
        far = gmpy2.exp(-gmpy2.mpfr(gmpy2.mpq(abs(distance) / p.noise_scale)))
        digits = min(int(gmpy2.floor(gmpy2.mul_2exp(far, DIGITS))), (1 << DIGITS) - 1)
    assert digits >> (DIGITS - 450), "the index is too many scales away"
    first, rest = digits >> (64 * WORDS), digits & ((1 << (64 * WORDS)) - 1)
    word = (first >> 11) | (first & ((1 << 11) - 1)) << 52  # the packing of randomness/uniform.py
    words = [rest >> (64 * i) & ((1 << 64) - 1) for i in reversed(range(WORDS))]
    return (word - (1 << 63) if distance > 0 else word), words  # Y = S noise_scale ln U, and ln U < 0


def bits_for(request: Request, exact: Sequence[Any], targets: Targets) -> engine.Bits:
    """Return bits by which these numerators come out as these indices."""

    def bits(statistic: int, part: int) -> RecordedBits:
        p = request.mechanisms[statistic][part].parameters
        values, wanted = exact[statistic][part], targets[statistic][part]
        strings = [string_for(p, value=f, index=k) for f, k in zip(values, wanted, strict=True)]
        return RecordedBits([word for word, _ in strings], {i: more for i, (_, more) in enumerate(strings)})

    return bits


def exact_numerators(request: Request, table: Engine) -> list[Any]:
    return exact_values([line.statistic for line in request.lines], table, salt=request.dataset)


def chosen_targets(request: Request, exact: Sequence[Any], salt: str = "") -> Targets:
    """Return an index near each numerator: up to three scales away, now and then at an end of the clamp."""
    dice = itertools.count()

    def near(p: SnappingParameters, f: int) -> int:
        drawn = hashlib.sha256(f"{salt} {next(dice)}".encode()).digest()
        away = Fraction(int.from_bytes(drawn[:4], "big"), 1 << 31) * 3 - 3
        index = round((f + away * p.noise_scale) / p.grid)
        if drawn[4] == 0 and (p.high - p.low) * p.grid <= 300 * p.noise_scale:
            index = p.low if drawn[5] % 2 else p.high
        return min(max(index, p.low), p.high)

    return [
        [[near(m.parameters, f) for f in cells] for m, cells in zip(mechanisms, parts, strict=True)]
        for mechanisms, parts in zip(request.mechanisms, exact, strict=True)
    ]


# Worlds --------------------------------------------------------------------------------------------------------------


def counted_entropy() -> Callable[[int], bytes]:
    """Return entropy that is the same in every run: hashes of how often it was asked."""
    calls = itertools.count()

    def entropy(size: int) -> bytes:
        return hashlib.shake_128(b"entropy %d" % next(calls)).digest(size)

    return entropy


def stopped_clock() -> str:
    return "2026-01-01T00:00:00Z"


@contextlib.contextmanager
def fixed_world(bits: engine.Bits | None = None) -> Iterator[None]:
    """Fix everything that is neither request nor data: bits, clock and entropy, also where nobody hands them in.

    Of a ledger's file, also its number on the disk and the random marks in it.
    """
    replaced = {"clock": stopped_clock, "entropy": counted_entropy()}
    kept = [(way.__func__, dict(way.__func__.__kwdefaults__)) for way in (Ledger.open, Ledger.create)]
    system, made, token = engine.system_bits, Inode.__init__, sqlite_file._token
    marks = itertools.count(1)

    def numbered(inode: Inode, path: Path) -> None:
        made(inode, path)
        inode.number = 1

    Inode.__init__ = numbered  # type: ignore[method-assign]
    sqlite_file._token = lambda *, odd: 2 * next(marks) + odd
    for way, _ in kept:
        way.__kwdefaults__.update(replaced)
    if bits is not None:
        engine.system_bits = bits
    try:
        yield
    finally:
        engine.system_bits, sqlite_file._token = system, token
        Inode.__init__ = made  # type: ignore[method-assign]
        for way, defaults in kept:
            way.__kwdefaults__.update(defaults)


def request_of(values: Mapping[str, Any]) -> Request:
    return snapdp.study(dict(values)).request()


def open_account(path: Path, study: Any, cap: Any = 1000) -> None:
    with Ledger.create(path) as ledger:
        relation = study.relation
        unit = relation.unit_in_full
        ledger.create_account(study.dataset, cap=cap, relation=relation.kind, rows=relation.rows, unit=unit)


# A session of Spark in the same process tells its other side which objects were collected, whenever that happens:
# numbers of objects, no answers.
COLLECTED = re.compile(r"py4j\.\w+ DEBUG (?:Command to send: m\nd\no\d+\ne\n|Answer received: !yv) \(\)")


class Listener(logging.Handler):
    """Keeps every line that anything logs at any level, but for the bridge's notes of collected objects."""

    def __init__(self) -> None:
        super().__init__(0)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        line = f"{record.name} {record.levelname} {record.getMessage()} {record.args}"
        if not COLLECTED.fullmatch(line):
            self.lines.append(line)


@contextlib.contextmanager
def listening() -> Iterator[Listener]:
    ear, root = Listener(), logging.getLogger()
    level = root.level
    root.addHandler(ear)
    root.setLevel(0)
    try:
        yield ear
    finally:
        root.setLevel(level)
        root.removeHandler(ear)


# What is seen --------------------------------------------------------------------------------------------------------


def observed(
    values: Mapping[str, Any],
    write: Callable[[Path], Engine],
    home: Path,
    targets: Targets,
    capture: Any,
    *,
    act: Callable[[Any, Engine, Path], Seen] | None = None,
) -> Seen:
    """Release a study from a table in an empty directory, with bits that give the targets; return all there is to see.

    write    puts the table into the directory `in` and opens it; what it writes is the data holder's, and not compared
    act      what is done, by default the five lines of Python; it returns what it saw itself
    """
    shutil.rmtree(home, ignore_errors=True)
    (home / "in").mkdir(parents=True)
    (home / "out").mkdir()
    study = snapdp.study(dict(values))
    table = write(home / "in")
    request = study.request()
    bits = bits_for(request, exact_numerators(request, table), targets)
    capture.readouterr()
    with fixed_world(bits), listening() as ear:
        open_account(home / "book.ledger", study)
        seen = (act or in_python)(study, table, home)
    said = capture.readouterr()
    seen |= {"stdout": _bytes(said.out), "stderr": _bytes(said.err), "log": "\n".join(ear.lines).encode()}
    seen |= files_below(home, leaving_out="in")
    return seen


def in_python(study: Any, table: Engine, home: Path) -> Seen:
    """Release by the public calls, print and save the result in every way, ask again, and look at the ledger."""
    result = study.release(table, ledger=home / "book.ledger", directory=home / "out")
    print(result)
    for ending in ("json", "html", "csv", "parquet"):
        result.save(home / "out" / f"result.{ending}")
    again = study.release(table, ledger=home / "book.ledger", directory=home / "out")
    with Ledger.open(home / "book.ledger") as ledger:
        checked = ledger.verify(against=result.record)
        story = ledger.history(study.dataset), ledger.account(study.dataset), checked
    return {
        "record": result.to_json().encode(),
        "values": repr(result.values).encode(),
        "notebook": result._repr_html_().encode(),
        "again": repr((again.to_json(), again.free, again)).encode(),
        "told": repr(story).encode(),
    }


def files_below(home: Path, *, leaving_out: str) -> Seen:
    """Return every file by name; a ledger both as its tables and as its bytes, with the keyed digests masked."""
    seen: Seen = {}
    for path in sorted(home.rglob("*")):
        name = str(path.relative_to(home))
        if name.split("/")[0] == leaving_out:
            continue
        seen[f"file {name}"] = path.read_bytes() if path.is_file() else b"directory"
        if path.is_file() and path.suffix == ".ledger":
            seen[f"file {name}"], seen[f"tables of {name}"] = masked_ledger(path)
    return seen


def masked_ledger(path: Path) -> tuple[bytes, bytes]:
    content = path.read_bytes()
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        for keyed, seal in connection.execute(KEYED).fetchall():
            # The row and the index of its version: nowhere else in the file.
            assert (content.count(keyed.encode()), content.count(seal.encode())) == (2, 1)
            content = content.replace(keyed.encode(), b"#" * len(keyed)).replace(seal.encode(), b"#" * len(seal))
        tables = []
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"):
            columns = "account, version" if name == "dataset" else "*"
            tables.append((name, connection.execute(f"SELECT {columns} FROM {name} ORDER BY 1, 2").fetchall()))
    finally:
        connection.close()
    return content, repr(tables).encode()


def differences(one: Seen, two: Seen) -> dict[str, tuple[bytes, bytes]]:
    """Return what tells two runs apart, cut to the first place where it does."""
    found = {}
    for name in sorted({*one, *two}):
        a, b = one.get(name, b"(absent)"), two.get(name, b"(absent)")
        if a != b:
            place = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
            found[name] = (a[max(0, place - 60) : place + 60], b[max(0, place - 60) : place + 60])
    return found


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()
