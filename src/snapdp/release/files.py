"""Released numbers as files: CSV or Parquet, written whole or not at all.

Public numbers and texts only. Side files are Parquet and named by their digest; the engine writes them with one thread,
so that equal numbers make equal bytes. Files of values, and frames of pandas and Polars, have the rows and columns of
`value_table`: one row for each number, in columns of one type each; what does not apply to a row is missing. In a CSV
file numbers are plain decimals, without exponents and fractions, which a spreadsheet would take for text or a date;
whole numbers stay whole, what is missing is an empty cell, and a text that a spreadsheet might run as a formula has a '
before it.

A side file that is read again is anybody's bytes, as a record is: rows and types are known before a column is fetched,
numbers come as arrays, and names of cells a few at a time.
"""

from __future__ import annotations

import glob
import hashlib
import math
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snapdp.display.numbers import plain_decimal
from snapdp.drafts import draft, finish, open_regular, write_text as write_text
from snapdp.errors import DataError, ParameterError, PremiseError, SnapdpError
from snapdp.exact.numbers import parameter, to_float_down, to_float_nearest, to_float_up
from snapdp.release.draw import Block, PagedBlock
from snapdp.release.record import SideFile
from snapdp.release.value_table import NUMBER, TEXT as WORDS, TRUTH, ValueField, ValueTable, key_columns, value_table
from snapdp.studies.grouping.groups import label_columns
from snapdp.studies.grouping.keys import KeyLabels
from snapdp.tables.keys import digest_of_selected
from snapdp.values import Facts, Values

if TYPE_CHECKING:
    from snapdp.release.result import Release

ENDINGS = (".csv", ".parquet")
FIELDS = ("cell", "index", "value", "shown", "low", "high")  # of side files
# The path is a draft already. A draft of the engine's own would stay behind where the disk is full.
FORM = "FORMAT PARQUET, USE_TMP_FILE false"
FORMULAS = tuple("=+-@\uff1d\uff0b\uff0d\uff20")  # and the wide signs, which some spreadsheets take for these
_QUOTED = ',"\r\n'  # cells with one of these are in quotes
_SEPARATORS = re.compile(r"[;,|\t\r\n]")
_BIN_STARTS, _BIN_ENDS = re.compile(r"\[-?[0-9]+(/[0-9]+)?\Z"), re.compile(r" -[0-9]+(/[0-9]+)?[)\]]")  # [-5, -3)
_SETTINGS = {
    "threads": "1",
    "autoload_known_extensions": "false",
    "pandas_analyze_sample": "0",  # objects are text, also where the first of them are missing
}
_DOUBLES = {
    "value": to_float_nearest,
    "shown": to_float_nearest,
    "low": to_float_down,
    "high": to_float_up,
    "alpha": to_float_up,
    "epsilon": to_float_up,
    "charged": to_float_up,
    "deviation": to_float_up,
}


def write_blocks(blocks: Iterable[Block], directory: Path) -> list[SideFile]:
    """Write long blocks to Parquet files named by their digests, durably."""
    with parquet_engine() as connection:
        return [_write_block(block, directory, connection) for block in blocks]


def _write_block(block: Block, directory: Path, connection: Any) -> SideFile:
    with draft(directory, ".parquet") as made:
        if isinstance(block, PagedBlock):
            write_pages(block, made, connection)
        else:
            # What names the cells: one text each, and where several columns name them one column for each of these.
            import numpy as np

            names, count = ["cell", *key_columns(block.keys, FIELDS)], len(block.cells)
            texts = zip(names, label_columns(block.cells, len(block.keys)), strict=True)
            _copy(
                {
                    **{name: np.fromiter(each, dtype=object, count=count) for name, each in texts},
                    **block_numbers(block),
                },
                made,
                connection,
            )
        with made.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        found = SideFile.of(digest=f"sha256:{digest}", rows=len(block.cells))
        finish(made, directory / found.name)
    return found


def block_numbers(block: Block) -> Values:
    """Return the columns of numbers of a side file, as the arrays that are written."""
    columns: Values = {} if block.indices is None else {"index": block.indices}
    columns |= {"value": block.values, "shown": block.shown, "low": block.lows, "high": block.highs}
    if isinstance(block.deviation, tuple):  # else it is one for all of them, and in the record
        columns["deviation"] = block.deviation
    return {name: _array(cells) for name, cells in columns.items()}


def check_place(directory: Path) -> None:
    """Refuse a directory in which no file can be made."""
    with draft(directory, ".parquet"):
        pass


def write_values(table: ValueTable, path: Path) -> None:
    """Write a table of released numbers to a CSV or Parquet file."""
    if path.suffix not in ENDINGS:
        raise ParameterError(f"values cannot be written to {path.name!r}.", f"Name a {' or '.join(ENDINGS)} file.")
    with draft(path.parent, path.suffix) as made:
        if path.suffix == ".csv":
            columns = [table.columns[field.name] for field in table.fields]
            with made.open("w", encoding="utf-8", newline="") as file:
                file.write(_csv_line(csv_text(guarded(field.name)) for field in table.fields))
                for row in zip(*columns, strict=True):
                    file.write(_csv_line(_csv_cell(field, each) for field, each in zip(table.fields, row, strict=True)))
        else:
            with parquet_engine() as connection:
                _copy(typed_columns(table), made, connection)
        finish(made, path)


def typed_columns(table: ValueTable) -> Values:
    """Return every column as the array that Parquet files and frames have."""
    return {field.name: typed(field, table.columns[field.name]) for field in table.fields}


def typed(field: ValueField, cells: Sequence[Any]) -> Any:
    """Return a column in the one type it always has; ends of intervals that no double holds are moved outward."""
    import numpy as np

    if field.kind == TRUTH:
        return np.array(cells, dtype=bool)
    if field.kind == WORDS:
        return np.fromiter(cells, dtype=object, count=len(cells))
    exact = to_float_nearest if field.is_key else _DOUBLES[field.name]
    known = (_amount(x) if isinstance(x, str) else x for x in cells)
    numbers = (math.nan if x is None else x if isinstance(x, float) else exact(Fraction(x)) for x in known)
    return np.fromiter(numbers, dtype=np.float64, count=len(cells))


def _csv_line(cells: Iterable[str]) -> str:
    return ",".join(cells) + "\n"


def csv_text(text: str) -> str:
    """Return a text as a cell of a CSV file: in quotes where it needs them, and where it is empty, for none is missing.

    >>> csv_text("north"), csv_text("a, b"), csv_text("")
    ('north', '"a, b"', '""')
    """
    plain = text and not any(mark in text for mark in _QUOTED)
    return text if plain else '"{}"'.format(text.replace('"', '""'))


def _csv_cell(field: ValueField, value: Any) -> str:
    """Return a cell of a CSV file; nothing at all where it is missing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):  # of a key, as a Parquet file has it; of an end of an interval, as it is
        value = value.numerator if value.denominator == 1 else to_float_nearest(value)
    if isinstance(value, float):
        return f"{Decimal(repr(value)):f}"
    if not isinstance(value, str):
        return str(value)
    amount = _amount(value) if field.kind == NUMBER else None
    return csv_text(guarded(value)) if amount is None else plain_decimal(amount)


def _amount(text: str) -> Fraction | None:
    """Return an exact number of a record; None where a record, which may be anybody's, has something else there."""
    try:
        return parameter(text, name="amount")
    except SnapdpError:
        return None


def guarded(text: str) -> str:
    """Return a text that no spreadsheet runs: what begins like a formula, or with a ', has one more ' before it.

    So has every piece behind a separator: a spreadsheet may cut there.

    >>> guarded("=1+1"), guarded("north"), guarded("'quoted'"), guarded(" -2"), guarded("a;=1+1"), guarded("[-5, -3)")
    ("'=1+1", 'north', "''quoted'", "' -2", "a;'=1+1", '[-5, -3)')
    """
    pieces, between = _SEPARATORS.split(text), [*_SEPARATORS.findall(text), ""]
    safe = [f"'{each}" if _is_risky(each, before) else each for before, each in pairwise(["", *pieces])]
    blank = "'" if text.startswith(("\t", "\r", "\n")) else ""
    return blank + "".join(piece + cut for piece, cut in zip(safe, between, strict=True))


def _is_risky(piece: str, before: str) -> bool:
    if _BIN_ENDS.fullmatch(piece) and _BIN_STARTS.search(before):
        return False
    return piece.lstrip().lstrip('"').lstrip().startswith(FORMULAS) or piece.startswith("'")


@contextmanager
def parquet_engine() -> Iterator[Any]:
    """Open the engine that writes Parquet, and reads it: one thread, so that equal numbers make equal bytes."""
    import duckdb

    connection = duckdb.connect(":memory:", config=dict(_SETTINGS))
    try:
        yield connection
    finally:
        connection.close()


def write_pages(block: PagedBlock, path: Path, connection: Any) -> None:
    """Write a block by pages: first the numbers of each to a file beside it, then names and numbers together.

    Never more than a page of them is held. A file of keys has a column for each of them, and no `cell`: a text that
    names several would only repeat them.
    """
    import duckdb

    assert isinstance(block.cells, KeyLabels)
    with tempfile.TemporaryDirectory(prefix=f"{path.name}-", dir=path.parent) as beside:
        parts = [str(Path(beside) / f"{place}.parquet") for place in range(block.page_count)]
        try:
            for part, page in zip(parts, block.pages(), strict=True):
                _copy(block_numbers(page), Path(part), connection)
            texts = _keys_in_order(block.cells, key_columns(block.keys, FIELDS), connection)
            listed = ", ".join(f"'{_quoted(Path(part))}'" for part in parts)
            chosen = f"SELECT * FROM ({texts}) AS named POSITIONAL JOIN read_parquet([{listed}])"
            connection.execute(f"COPY ({chosen}) TO '{_quoted(path)}' ({FORM})")
        except duckdb.Error:
            raise OSError(0, "the engine could not write") from None


def _keys_in_order(labels: KeyLabels, columns: Sequence[str], connection: Any) -> str:
    """Return a SELECT of the names of cells, in their order: of each key, and of a histogram's own cells in it."""
    import numpy as np

    *_, last = named = [quoted_name(each) for each in columns]
    keys = labels.keys
    texts = ", ".join(f"k{i} AS {name}" for i, name in enumerate(named[: len(keys.names)]))
    if labels.own:
        connection.register("own", {"cells": np.array(labels.own, dtype=object)})
        connection.execute("CREATE OR REPLACE TEMP TABLE own_cells AS SELECT list(cells) AS listed FROM own")
        texts += f", unnest((SELECT listed FROM own_cells)) AS {last}"
    if keys.file is not None and keys.file.copy:
        return f"SELECT {texts} FROM read_parquet('{_quoted(Path(keys.file.copy))}')"
    given = {f"k{i}": np.array(each, dtype=object) for i, each in enumerate(zip(*keys.rows(), strict=True))}
    connection.register("keys", given)
    return f"SELECT {texts} FROM keys"


def _copy(arrays: Facts, path: Path, connection: Any) -> None:
    import duckdb

    connection.register("released", arrays)
    try:
        connection.execute(f"COPY (SELECT {_numbers(arrays)} FROM released) TO '{_quoted(path)}' ({FORM})")
    except duckdb.Error:
        raise OSError(0, "the engine could not write") from None
    connection.unregister("released")


def _numbers(arrays: Facts) -> str:
    """Return what is selected of arrays: NaN is no released number, but stands for a missing end of an interval."""
    # Names of keys are anybody's text.
    named = [quoted_name(name) for name, cells in arrays.items() if cells.dtype.kind == "f"]
    doubles = ", ".join(f"nullif({name}, 'nan'::DOUBLE) AS {name}" for name in named)
    return f"* REPLACE ({doubles})" if doubles else "*"


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def quoted_name(column: str) -> str:
    """Return the name of a column, which is anybody's text, as the engine reads it."""
    return '"{}"'.format(column.replace('"', '""'))


def _array(cells: Any) -> Any:
    """Return a column of numbers as the engine takes it: whole numbers that fit, or doubles with NaN for none."""
    import numpy as np

    if isinstance(cells, np.ndarray):
        return cells
    is_whole = set(map(type, cells)) == {int} and max(map(abs, cells)) < 1 << 63
    return np.array(cells, dtype=np.int64 if is_whole else np.float64)


# Side files that are read again

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

    def numbers(self) -> Values:
        """Return every column of numbers as an array; NaN where a number is missing."""
        import numpy as np

        names = [name for name, kind in self.types.items() if kind in NUMBERS]
        chosen = ", ".join(map(quoted_name, names))
        found = self._connection.execute(f"SELECT {chosen} FROM {self._origin}").fetchnumpy()
        return {name: np.ma.filled(found[name].astype(_kind(found[name])), np.nan) for name in names}

    def texts(self, columns: Sequence[str]) -> Iterator[list[tuple[str | None, ...]]]:
        """Yield the texts of some columns in the order of rows, a few rows at a time."""
        # A name of a megabyte takes next to nothing in a file, however often it stands there.
        at_once = max(
            1, min(NAMES_AT_ONCE, BYTES_AT_ONCE // (sum(self.byte_count(each, "max") for each in columns) or 1))
        )
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

    def byte_count(self, column: str, of: str = "sum") -> int:
        """Return the bytes of all texts of a column; with of = "max" those of the longest."""
        text = f"SELECT {of}(strlen({quoted_name(column)})) FROM {self._origin}"
        ((found,),) = self._connection.execute(text).fetchall()
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


# Frames. What is in side files is not in a frame: those files are Parquet, and pandas and Polars read them.


def pandas_frame(release: Release) -> Any:
    """Return the numbers of a release as a pandas frame."""
    return _library("pandas").DataFrame(_columns(release))


def polars_frame(release: Release) -> Any:
    """Return the numbers of a release as a Polars frame; an end that an interval does not have is null."""
    polars, columns = _library("polars"), _columns(release)
    kinds = {"b": polars.Boolean, "f": polars.Float64, "O": polars.String}
    schema = {name: kinds[column.dtype.kind] for name, column in columns.items()}
    return polars.DataFrame({name: column.tolist() for name, column in columns.items()}, schema=schema).fill_nan(None)


def _columns(release: Release) -> Values:
    return typed_columns(value_table(release.blocks()))


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        advice = f"pip install {name}; or take release.numbers(), or save the values as CSV or Parquet."
        raise PremiseError(f"{name} is not installed.", advice) from None
