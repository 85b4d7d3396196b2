"""Released numbers as files: CSV or Parquet, written whole or not at all.

Room: release. Public numbers and texts only. Side files are Parquet and named by their digest; the engine writes them
with one thread, so that equal numbers make equal bytes.
Files of values are tables as `release.tidy` makes them: one row a number, in columns of one type each; what does not
apply to a row is missing. In a CSV file numbers are plain decimals, without exponents and fractions, which a
spreadsheet would take for text or a date; whole numbers stay whole, what is missing is an empty cell, and a text that a
spreadsheet might run as a formula has a ' before it.
"""

from __future__ import annotations

import hashlib
import math
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from snapdp.display import plain_decimal
from snapdp.drafts import draft, finish, write_text as write_text
from snapdp.errors import ParameterError, SnapdpError
from snapdp.exact import parameter, to_float_down, to_float_nearest, to_float_up
from snapdp.release.draw import Block, PagedBlock
from snapdp.release.record import SideFile
from snapdp.release.tidy.value_table import NUMBER, TEXT as WORDS, TRUTH, ValueField, ValueTable, key_columns
from snapdp.studies import KeyLabels, label_columns

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
            _copy(block_columns(block), made, connection)
        with made.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        found = SideFile.of(digest=f"sha256:{digest}", rows=len(block.cells))
        finish(made, directory / found.name)
    return found


def block_columns(block: Block) -> dict[str, Any]:
    """Return the columns of a side file, as the arrays that are written."""
    return {**block_names(block), **block_numbers(block)}


def block_names(block: Block) -> dict[str, Any]:
    """Return what names the cells: one text each, and where several columns name them one column for each of these."""
    import numpy as np

    names, count = ["cell", *key_columns(block.keys, FIELDS)], len(block.cells)
    texts = zip(names, label_columns(block.cells, len(block.keys)), strict=True)
    return {name: np.fromiter(each, dtype=object, count=count) for name, each in texts}


def block_numbers(block: Block) -> dict[str, Any]:
    """Return the columns of numbers of a side file."""
    import numpy as np

    columns: dict[str, Any] = {} if block.indices is None else {"index": block.indices}
    columns |= {"value": block.values, "shown": block.shown, "low": block.lows, "high": block.highs}
    if isinstance(block.deviation, tuple):  # else it is one for all of them, and in the record
        columns["deviation"] = block.deviation
    return {name: _array(np, cells) for name, cells in columns.items()}


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
            _write_csv(table, made)
        else:
            with parquet_engine() as connection:
                _copy(typed_columns(table), made, connection)
        finish(made, path)


def typed_columns(table: ValueTable) -> dict[str, Any]:
    """Return every column as the array that Parquet files and frames have."""
    return {field.name: typed(field, table.columns[field.name]) for field in table.fields}


def typed(field: ValueField, cells: Sequence[Any]) -> Any:
    """Return a column in the one type it always has; ends of intervals that no double holds are moved outward."""
    import numpy as np

    if field.kind == TRUTH:
        return np.array(cells, dtype=bool)
    if field.kind == WORDS:
        return np.fromiter(cells, dtype=object, count=len(cells))
    exact = _rounding(field)
    known = (_amount(x) if isinstance(x, str) else x for x in cells)
    numbers = (math.nan if x is None else x if isinstance(x, float) else exact(Fraction(x)) for x in known)
    return np.fromiter(numbers, dtype=np.float64, count=len(cells))


def _rounding(field: ValueField) -> Callable[[Fraction], float]:
    return to_float_nearest if field.is_key else _DOUBLES[field.name]


def _write_csv(table: ValueTable, path: Path) -> None:
    columns = [table.columns[field.name] for field in table.fields]
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(_csv_line(csv_text(guarded(field.name)) for field in table.fields))
        for row in zip(*columns, strict=True):
            file.write(_csv_line(_csv_cell(field, each) for field, each in zip(table.fields, row, strict=True)))


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


def _copy(columns: Mapping[str, Any], path: Path, connection: Any) -> None:
    import duckdb
    import numpy as np

    arrays = {name: _array(np, cells) for name, cells in columns.items()}
    connection.register("released", arrays)
    quoted = _quoted(path)
    chosen = _numbers(arrays)
    try:
        connection.execute(f"COPY (SELECT {chosen} FROM released) TO '{quoted}' ({FORM})")
    except duckdb.Error:
        raise OSError(0, "the engine could not write") from None
    connection.unregister("released")


def _numbers(arrays: Mapping[str, Any]) -> str:
    """Return what is selected of arrays: NaN is no released number, but stands for a missing end of an interval."""
    named = [quoted_name(name) for name in _floats(arrays)]  # keys too, whose names are anybody's text
    doubles = ", ".join(f"nullif({name}, 'nan'::DOUBLE) AS {name}" for name in named)
    return f"* REPLACE ({doubles})" if doubles else "*"


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def quoted_name(column: str) -> str:
    """Return the name of a column, which is anybody's text, as the engine reads it."""
    return '"{}"'.format(column.replace('"', '""'))


def _floats(arrays: Mapping[str, Any]) -> list[str]:
    return [name for name, cells in arrays.items() if cells.dtype.kind == "f"]


def _array(np: Any, cells: Any) -> Any:
    """Return a column as the engine takes it: text, whole numbers that fit, or doubles with NaN for none."""
    if isinstance(cells, np.ndarray):
        return cells
    kinds = set(map(type, cells))
    if kinds == {str}:
        return np.fromiter(cells, dtype=object, count=len(cells))
    if kinds == {int} and max(map(abs, cells)) < 1 << 63:
        return np.array(cells, dtype=np.int64)
    return np.array(cells, dtype=np.float64)
