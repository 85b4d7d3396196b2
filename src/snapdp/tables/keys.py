"""Files of keys: the declared cells of groups, one row a cell, read before anything is asked of private rows.

The file is public, so a refusal names the row, by its number, and the key. It is read once, by DuckDB:
its texts go to a copy of our own, and everything later comes from there, whatever happens to the file meanwhile.
Duplicates are found among hashes of 64 bits, in 16 bytes a key; only keys whose hashes are equal are compared
themselves.
Definitions: studies/grouping/keys.py. Guide: docs/guide/tables.md.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from snapdp.display.text import one_line
from snapdp.errors import BoundError, DataError, ParameterError, SnapdpError
from snapdp.studies.columns import AS_NUMBERS, AS_TEXT, INLINE, PersonColumn, storable
from snapdp.studies.grouping.keys import KEY_NUMBER, LONGEST_KEY, MOST_KEYS, Keys, key_line, keys_of
from snapdp.studies.labels import key_text
from snapdp.tables.sources.csv import CsvSource
from snapdp.tables.sources.opening import open_source
from snapdp.tables.sources.source import changed_file, path_literal
from snapdp.tables.sources.stored import ParquetSource
from snapdp.tables.sql.dialects import literal
from snapdp.tables.sql.stored import LABEL, TEXT, WHOLE, Rows

SPENT = "Nothing was spent."
AT_ONCE = 10_000
_DIGESTED = "FORMAT CSV, HEADER false, FORCE_QUOTE *, DELIMITER ',', QUOTE '\"', ESCAPE '\"', COMPRESSION 'none'"
_SETTINGS = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


class CopiedKeys:
    """The copy of a file of keys: Parquet in a directory of our own, which goes when nobody has the keys any more."""

    def __init__(self, given: str) -> None:
        self.given, self.copy = given, ""
        directory = tempfile.mkdtemp(prefix="snapdp-keys-")
        weakref.finalize(self, shutil.rmtree, directory, ignore_errors=True)
        self.directory = Path(directory)

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the keys in order, a few at a time."""
        with _engine() as connection:
            found = connection.execute(f"SELECT * FROM {_parquet(self.copy)}")
            while page := found.fetchmany(AT_ONCE):
                yield from page


def read_keys(path: str | os.PathLike[str], names: Sequence[str]) -> Keys:
    """Return the keys in a CSV or Parquet file: its columns of these names, each row one key, in the order of rows.

    Whole numbers are the text they print. Refused are a column that is absent or holds something else, a missing cell,
    a text that is very long or that engines cannot store, a key that stands twice, no key, and too many of them.
    """
    shown = one_line(os.path.basename(os.fspath(path)))
    if not names or len({*names}) != len(names):
        raise ParameterError(
            "the columns of keys are not said, or one of them twice.", 'Give by = ["page", "country"].'
        )
    for name in names:
        storable(name, "the name of a column")
    file = CopiedKeys(os.fspath(path))
    try:
        with _engine() as connection:
            return _read(connection, path, names, shown, file)
    except SnapdpError as problem:
        failure = type(problem)(f"keys: {problem.problem}", _free(problem.advice), **problem.numbers)
    except Exception:  # of the engine: a file that breaks off, a disk that is full
        failure = DataError(f"keys: {shown!r} cannot be read to its end.", f"Is it complete, and readable? {SPENT}")
    raise failure


def _free(advice: str) -> str:
    return advice if SPENT in advice else f"{advice} {SPENT}".strip()


def _read(connection: Any, path: Any, names: Sequence[str], shown: str, file: CopiedKeys) -> Keys:
    source = open_source(os.fspath(path))
    if not isinstance(source, (CsvSource, ParquetSource)):
        raise DataError(f"{shown!r} is neither CSV nor Parquet.", "Write the keys to a .csv or .parquet file.")
    state = source.state()
    source.prepare(connection)
    rows = source.open(connection, [PersonColumn(name=name) for name in names])
    texts = ", ".join(f"{_text(rows, name)} AS k{i}" for i, name in enumerate(names))
    count = _count(connection, rows, shown)
    file.copy = str(file.directory / "keys.parquet")
    connection.execute(f"COPY (SELECT {texts} FROM {rows.origin}) TO {literal(file.copy)} (FORMAT PARQUET)")
    if source.state() != state:
        raise changed_file()
    origin = _parquet(file.copy, numbered=True)
    # Refuse keys that lack a text, or have one that no engine stores, or that is very long.
    rules = {
        "k{0} IS NULL": "is missing",
        "contains(k{0}, chr(0))": "holds the null character",
        f"strlen(k{{0}}) > {LONGEST_KEY}": f"is longer than {LONGEST_KEY} bytes",
    }
    tests = [(name, what, rule.format(i)) for i, name in enumerate(names) for rule, what in rules.items()]
    chosen = ", ".join(f"min(file_row_number) FILTER (WHERE {test})" for _, _, test in tests)
    (found,) = connection.execute(f"SELECT {chosen} FROM {origin}").fetchall()
    wrong = [(row, name, what) for row, (name, what, _) in zip(found, tests, strict=True) if row is not None]
    if wrong:
        row, name, what = min(wrong)
        raise DataError(
            f"the {one_line(name)} of row {row + 1} of {shown!r} {what}.",
            "Every key has a text for each column, and rows of a table without one are in no cell.",
            row=row + 1,
        )
    _check_distinct(connection, origin, len(names), shown)
    listed = list(file.rows()) if count <= INLINE else []
    # How each column is compared: as numbers where all its keys are whole numbers, as people write them.
    columns = len(names)
    found = []
    for i in range(columns):
        odd = f"SELECT 1 FROM {origin} WHERE NOT regexp_full_match(k{i}, {literal(KEY_NUMBER)}) LIMIT 1"
        found.append(AS_TEXT if connection.execute(odd).fetchall() else AS_NUMBERS)
    return keys_of(
        names,
        count=count,
        digest=digest_of_selected(connection, f"SELECT * FROM {_parquet(file.copy)}", names),
        listed=listed,
        compare=found,
        file=file,
    )


def _text(rows: Rows, name: str) -> str:
    """Return the text of a key as SQL: that of a text, or of a whole number."""
    field = next((each for each in rows.fields if each.name == name), None)
    if field is not None and field.kind not in (TEXT, LABEL, WHOLE):
        raise DataError(
            f"column {one_line(name)!r} is stored as {field.stored}.", "Write keys as text or whole numbers."
        )
    return f"CAST({rows.field(PersonColumn(name=name)).reads} AS VARCHAR)"  # which says what is there, if it is absent


def _count(connection: Any, rows: Rows, shown: str) -> int:
    ((count,),) = connection.execute(f"SELECT COUNT(*) FROM {rows.origin}").fetchall()
    if not count:
        raise DataError(f"there is no key in {shown!r}.", "Write one row for each cell.")
    if count > MOST_KEYS:
        raise BoundError(
            f"there are {count} keys in {shown!r}, and at most {MOST_KEYS} are taken.",
            "Keep those that are asked for, or ask in several requests.",
            cells=count,
        )
    return int(count)


def _check_distinct(connection: Any, origin: str, columns: int, shown: str) -> None:
    """Refuse keys that are not distinct: a row would be in two cells."""
    import numpy as np

    names = ", ".join(f"k{i}" for i in range(columns))
    hashes = connection.execute(f"SELECT hash({names}) AS h FROM {origin}").fetchnumpy()["h"]
    hashes.sort()
    alike = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
    del hashes
    if not len(alike):
        return
    connection.register("snapdp_alike", {"h": alike})
    twice = connection.execute(
        f"SELECT {names}, min(file_row_number), list_sort(list(file_row_number))[2] AS second FROM {origin} "
        f"WHERE hash({names}) IN (SELECT h FROM snapdp_alike) GROUP BY {names} HAVING COUNT(*) > 1 "
        "ORDER BY second LIMIT 1"
    ).fetchall()
    connection.unregister("snapdp_alike")
    for *texts, first, second in twice:
        key = one_line(", ".join(map(key_text, texts)))
        raise DataError(
            f"the key {key} stands twice in {shown!r}, in rows {first + 1} and {second + 1}.",
            "Keys are distinct: every row of a table counts in one cell at most. Leave one of them out.",
            rows=(first + 1, second + 1),
        )


def digest_of_selected(connection: Any, chosen: str, names: Sequence[str]) -> str:
    """Return the digest of the keys that a SELECT of DuckDB has in order: of the CSV file that they are.

    The engine writes it, many times as fast as Python would, and it is gone again.
    """
    digest = hashlib.sha256(key_line(names))
    with tempfile.TemporaryDirectory(prefix="snapdp-keys-") as directory:
        written = Path(directory) / "keys.csv"
        connection.execute(f"COPY ({chosen}) TO {literal(str(written))} ({_DIGESTED})")
        with written.open("rb") as lines:
            while block := lines.read(1 << 20):
                digest.update(block)
    return f"sha256:{digest.hexdigest()}"


def _parquet(copy: str, *, numbered: bool = False) -> str:
    """Return where the keys of a copy are read, with the number of each row from 0 on if asked for.

    The directory of the copy may have any name, a pattern too.
    """
    return f"read_parquet({path_literal(Path(copy))}{', file_row_number = true' if numbered else ''})"


def load_keys(connection: Any, name: str, keys: Keys) -> None:
    """Make the table (k0, k1, ..., code) of keys on a connection of DuckDB: public text, numbered in order."""
    names = [f"k{i}" for i in range(len(keys.names))]
    if keys.file is None:
        load_texts(connection, name, dict(zip(names, zip(*keys.rows(), strict=True), strict=True)))
        return
    origin = _parquet(keys.file.copy, numbered=True)
    connection.execute(f"CREATE TEMP VIEW {name} AS SELECT {', '.join(names)}, file_row_number AS code FROM {origin}")


def load_texts(connection: Any, name: str, columns: Mapping[str, Sequence[str]]) -> None:
    """Make a table of public texts, numbered in order, as `code`."""
    (count,) = {len(texts) for texts in columns.values()}
    texts = ", ".join(f"unnest(?::VARCHAR[]) AS {column}" for column in columns)
    numbered = f"SELECT {texts}, unnest(range({count})) AS code"
    connection.execute(f"CREATE TEMP TABLE {name} AS {numbered}", [list(each) for each in columns.values()])


@contextmanager
def _engine() -> Iterator[Any]:
    import duckdb

    connection = duckdb.connect(":memory:", config=dict(_SETTINGS))
    try:
        yield connection
    finally:
        connection.close()
