"""Side files read again: the columns of a long block, as the engine wrote them.

Room: release. A file is anybody's bytes, as a record is: rows and types are known before a column is fetched, numbers
come as arrays, names of cells a few at a time.
"""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from snapdp.drafts import open_regular
from snapdp.errors import DataError
from snapdp.release.files import parquet_engine, quoted_name
from snapdp.tables import digest_of_selected

NAMES_AT_ONCE, BYTES_AT_ONCE = 10_000, 1 << 24
TEXT, NUMBERS = "VARCHAR", ("BIGINT", "DOUBLE")


class SideFileColumns:
    """The columns of one side file. `types` says what the engine has for each of them."""

    def __init__(self, connection: Any, path: Path) -> None:
        self._connection = connection
        quoted = glob.escape(str(path)).replace("'", "''")
        self._origin = f"read_parquet('{quoted}', hive_partitioning = false)"
        self._numbered = f"read_parquet('{quoted}', hive_partitioning = false, file_row_number = true)"
        ((self.rows,),) = connection.execute(f"SELECT count(*) FROM {self._origin}").fetchall()
        described = connection.execute(f"DESCRIBE SELECT * FROM {self._origin}").fetchall()
        self.types: dict[str, str] = {name: kind for name, kind, *_ in described}

    def numbers(self) -> dict[str, Any]:
        """Return every column of numbers as an array; NaN where a number is missing."""
        import numpy as np

        names = [name for name, kind in self.types.items() if kind in NUMBERS]
        chosen = ", ".join(map(quoted_name, names))
        found = self._connection.execute(f"SELECT {chosen} FROM {self._origin}").fetchnumpy()
        return {name: np.ma.filled(found[name].astype(_kind(found[name])), np.nan) for name in names}

    def names(self) -> Iterator[list[str | None]]:
        """Yield the names of cells in order, a few at a time."""
        for page in self.texts(["cell"]):
            yield [name for (name,) in page]

    def texts(self, columns: Sequence[str]) -> Iterator[list[tuple[str | None, ...]]]:
        """Yield the texts of some columns in the order of rows, a few rows at a time."""
        # A name of a megabyte takes next to nothing in a file, however often it stands there.
        at_once = max(1, min(NAMES_AT_ONCE, BYTES_AT_ONCE // (sum(map(self.longest, columns)) or 1)))
        found = self._connection.execute(f"SELECT {', '.join(map(quoted_name, columns))} FROM {self._origin}")
        while page := found.fetchmany(at_once):
            yield page

    def digest_of_columns(self, columns: Sequence[str], names: Sequence[str], *, every: int) -> str:
        """Return the digest of keys, whose texts stand in these columns: as that of a file of keys of these names.

        every   so many rows that follow each other have one key
        """
        chosen = ", ".join(map(quoted_name, columns))
        where = f" WHERE file_row_number % {every} = 0" if every > 1 else ""
        return digest_of_selected(self._connection, f"SELECT {chosen} FROM {self._numbered}{where}", names)

    def other_turn(self, columns: Sequence[str], own: Sequence[str]) -> int | None:
        """Return the first row whose last column is not the next of its own cells, or whose others are not as before.

        own   the cells of a histogram, which follow each other in every key
        """
        import numpy as np

        self._connection.register("own", {"cell": np.array(own, dtype=object), "place": np.arange(len(own))})
        *keys, last = map(quoted_name, columns)
        before = " OR ".join(f"file.{key} IS DISTINCT FROM lag(file.{key}) OVER turn" for key in keys)
        wrong = f"file.{last} IS DISTINCT FROM own.cell OR (own.place > 0 AND ({before}))"
        text = (
            f"SELECT min(row) FROM (SELECT file_row_number AS row, {wrong} AS wrong FROM {self._numbered} AS file "
            f"JOIN own ON own.place = file_row_number % {len(own)} WINDOW turn AS (ORDER BY file_row_number)) "
            "WHERE wrong"
        )
        ((found,),) = self._connection.execute(text).fetchall()
        self._connection.unregister("own")
        return None if found is None else int(found)

    def longest(self, column: str) -> int:
        """Return the bytes of the longest text of a column."""
        return self._lengths("max", column)

    def bytes_of(self, column: str) -> int:
        """Return the bytes of all texts of a column."""
        return self._lengths("sum", column)

    def _lengths(self, what: str, column: str) -> int:
        ((found,),) = self._connection.execute(
            f"SELECT {what}(strlen({quoted_name(column)})) FROM {self._origin}"
        ).fetchall()
        return int(found or 0)


def _kind(column: Any) -> Any:
    """Return the type of an array in which a missing number has a place."""
    import numpy as np

    return np.float64 if np.ma.is_masked(column) else column.dtype


@contextmanager
def side_file(path: Path) -> Iterator[SideFileColumns]:
    """Open a side file; DataError where it is no Parquet, or breaks off."""
    import duckdb

    with parquet_engine() as connection:
        try:
            yield SideFileColumns(connection, path)
        except (duckdb.Error, UnicodeError):
            raise DataError("it is no Parquet file that can be read.", "Get the file of this name again.") from None


def digest_of(path: Path, *, most: int) -> str | None:
    """Return the digest of a file, as records have it; None where it cannot be read, or has more bytes than `most`.

    A file is anybody's, and a long one costs nothing to make: none is read that is longer than it may be.
    """
    try:
        with open_regular(path) as file:
            if os.fstat(file.fileno()).st_size > most:
                return None
            return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def bytes_with(path: Path, *, digest: str) -> bytes:
    """Return the bytes of a file that has a digest; refuse any other, and what is no file."""
    try:
        with open_regular(path) as file:
            if "sha256:" + hashlib.file_digest(file, "sha256").hexdigest() == digest:
                file.seek(0)
                return file.read()
    except OSError:
        raise DataError(
            "the file cannot be read here.", "It lies beside the record, where that was written first."
        ) from None
    raise DataError("the file is not the one that was released: it was altered.", "Get it from a copy.")
