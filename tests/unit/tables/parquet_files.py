"""Parquet files by every writer, and the same files with false statistics: what their writer says of the cells.

A file keeps its schema, its pages and its number of rows, and lies about everything that may be left out of it: minima,
maxima, counts of missing and of distinct cells, in its footer, in the index of its pages and in the heads of its pages.
The footer is Thrift's compact protocol, which is small enough to be read and written here in full.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet

# Writers


def _pyarrow(table: pyarrow.Table, path: Path, rows: int) -> None:
    pyarrow.parquet.write_table(table, path, row_group_size=rows, write_page_index=rows == 3)  # else in heads of pages


def _polars(table: pyarrow.Table, path: Path, rows: int) -> None:
    polars.from_arrow(table).write_parquet(path, row_group_size=rows, statistics="full")  # type: ignore[union-attr]


def _pandas(table: pyarrow.Table, path: Path, rows: int) -> None:
    table.to_pandas(types_mapper=pandas.ArrowDtype).to_parquet(path, engine="pyarrow", row_group_size=rows)


def _duckdb(table: pyarrow.Table, path: Path, rows: int) -> None:
    """Hand it pieces, and it begins a row group with each: of a whole table it puts 2,048 rows at least into one."""
    with duckdb.connect(config={"threads": "1", "preserve_insertion_order": "false"}) as connection:
        connection.register("given", table.to_reader(max_chunksize=rows))
        connection.execute(f"COPY (SELECT * FROM given) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE {rows})")


def _fastparquet(table: pyarrow.Table, path: Path, rows: int) -> None:
    """Write from numpy, as its users do: a missing double is NaN, a date is a time, and it has no decimals."""
    import fastparquet  # type: ignore[import-untyped]

    plain = {pyarrow.types.is_decimal: pyarrow.float64(), pyarrow.types.is_date: pyarrow.timestamp("us")}
    types = [next((to for is_of, to in plain.items() if is_of(field.type)), field.type) for field in table.schema]
    table = table.cast(pyarrow.schema(list(zip(table.column_names, types, strict=True))))
    nullable = {pyarrow.int64(): pandas.Int64Dtype(), pyarrow.bool_(): pandas.BooleanDtype()}
    frame = table.to_pandas(types_mapper=nullable.get)
    texts = [field.name for field in table.schema if pyarrow.types.is_string(field.type)]
    for name in texts:
        frame[name] = pandas.Series(table.column(name).to_pylist(), dtype=object)
    fastparquet.write(
        str(path),
        frame,
        row_group_offsets=list(range(0, len(frame), rows)) or [0],
        stats=True,
        object_encoding=dict.fromkeys(texts, "utf8")
        or "infer",  # by itself it writes texts that are all missing as bytes
    )


WRITERS: Mapping[str, Callable[[pyarrow.Table, Path, int], None]] = {
    "pyarrow": _pyarrow,
    "polars": _polars,
    "pandas": _pandas,
    "duckdb": _duckdb,
    "fastparquet": _fastparquet,
}


def parquet_file(
    folder: Path, cells: Mapping[str, pyarrow.Array], writer: str, rows: int, lie: Mapping[str, Any] | None
) -> Path:
    """Write another file into a folder, in row groups of so many rows; its statistics are true, or a lie."""
    path = folder / f"{len(list(folder.iterdir()))}.parquet"
    WRITERS[writer](pyarrow.table(cells), path, rows)
    if lie is not None:
        falsify(path, **lie)
    return path


# Lies

LIES: list[dict[str, Any] | None] = [
    None,
    *({"extreme": extreme, "nulls": nulls} for nulls in ("none", "most") for extreme in (0, 0x7F, 0xFF)),
]
ALL_MISSING = {"extreme": 0, "nulls": "all"}  # DuckDB's reader itself believes it from version 2.0 on: theory (14)
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)  # types of Thrift
Struct = dict[int, tuple[int, Any]]  # fields by their number in parquet.thrift: type and value; a list has a type too
# Numbers of fields
ROW_GROUPS, CHUNKS = 4, 1
METADATA, INDEX_PLACE, INDEX_SIZE = 3, 6, 7  # of a chunk
PHYSICAL, VALUES, FIRST_PAGE, STATISTICS = 1, 5, 9, 12  # of its metadata
OLD_MAX, OLD_MIN, NULLS, DISTINCT, MAX, MIN, MAX_EXACT, MIN_EXACT = range(1, 9)  # of statistics
COMPRESSED_SIZE, PAGES = 3, {5: 5, 8: 8}  # of the head of a page: its two versions, and their statistics
IN_PAGE = 1
LEAST, GREATEST, INDEX_NULLS = 2, 3, 5  # of the index of pages
WIDTHS = {0: 1, 1: 4, 2: 8, 4: 4, 5: 8, 6: 1}  # bytes of an extreme, by the physical type of a column


def falsify(path: Path, *, extreme: int, nulls: str) -> None:
    """Make a Parquet file say of every column, in every row group, that all of its cells are one and the same.

    extreme   the byte that both extremes consist of
    nulls     how many cells are said to be missing: "none", "most" (all but one) or "all"
    """

    def count(cells: int) -> int:
        return {"none": 0, "most": max(cells - 1, 0), "all": cells}[nulls]

    content = bytearray(path.read_bytes())
    size = int.from_bytes(content[-8:-4], "little")
    footer = _struct_at(content, len(content) - 8 - size)[0]
    del content[-8 - size :]
    for group in footer[ROW_GROUPS][1][1]:
        for chunk in group[CHUNKS][1][1]:
            about: Struct = chunk[METADATA][1]
            cells = about[VALUES][1]
            true = about[STATISTICS][1] if STATISTICS in about else {}
            width = next(
                (len(true[each][1]) for each in (MAX, OLD_MAX) if each in true), WIDTHS.get(about[PHYSICAL][1])
            )
            false: Struct = {
                NULLS: (I64, count(cells)),
                DISTINCT: (I64, 1),
                MAX_EXACT: (TRUE, True),
                MIN_EXACT: (TRUE, True),
            }
            if width is not None:
                false |= dict.fromkeys((OLD_MAX, OLD_MIN, MAX, MIN), (BINARY, bytes([extreme]) * width))
            about[STATISTICS] = STRUCT, false
            place = about[FIRST_PAGE][1]
            while cells > 0:  # a head is changed where the lie is as long as the truth: pages stay where they are
                head, length = _struct_at(content, place)
                for page, told in ((head[each][1], statistics) for each, statistics in PAGES.items() if each in head):
                    cells -= page[IN_PAGE][1]
                    _falsify_bounds(page[told][1] if told in page else {}, extreme, count(page[IN_PAGE][1]))
                if len(text := _struct_bytes(head)) == length:
                    content[place : place + length] = text
                place += length + head[COMPRESSED_SIZE][1]
            if INDEX_PLACE in chunk:  # the lie goes to the end, and the footer names that place
                index, _ = _struct_at(content, chunk[INDEX_PLACE][1])
                for bound in (LEAST, GREATEST):
                    index[bound] = LIST, (BINARY, [bytes([extreme]) * len(each) for each in index[bound][1][1]])
                if INDEX_NULLS in index:
                    index[INDEX_NULLS] = LIST, (I64, [count(1) for _ in index[INDEX_NULLS][1][1]])
                text = _struct_bytes(index)
                chunk[INDEX_PLACE], chunk[INDEX_SIZE] = (I64, len(content)), (I32, len(text))
                content += text
    text = _struct_bytes(footer)
    path.write_bytes(bytes(content) + text + len(text).to_bytes(4, "little") + b"PAR1")


def _falsify_bounds(told: Struct, extreme: int, nulls: int) -> None:
    for bound in {OLD_MAX, OLD_MIN, MAX, MIN} & told.keys():
        told[bound] = BINARY, bytes([extreme]) * len(told[bound][1])
    if NULLS in told:
        told[NULLS] = I64, nulls


# The compact protocol of Thrift


def _struct_at(content: bytes | bytearray, place: int) -> tuple[Struct, int]:
    """Return the structure at a place, and its length."""
    reader = io.BytesIO(memoryview(content)[place:])
    return _read(reader, STRUCT), reader.tell()


def _read(reader: io.BytesIO, kind: int) -> Any:
    if kind in (TRUE, FALSE):
        return kind == TRUE
    if kind == BYTE:
        return reader.read(1)
    if kind in (I16, I32, I64):
        number = _read_number(reader)
        return (number >> 1) ^ -(number & 1)
    if kind == DOUBLE:
        return reader.read(8)
    if kind == BINARY:
        return reader.read(_read_number(reader))
    if kind == LIST:
        (head,) = reader.read(1)
        count, of = head >> 4 if head >> 4 < 15 else _read_number(reader), head & 15
        return of, [reader.read(1) if of in (TRUE, FALSE) else _read(reader, of) for _ in range(count)]
    assert kind == STRUCT, kind
    struct, place = {}, 0
    while head := reader.read(1)[0]:
        place = place + (head >> 4) if head >> 4 else _read(reader, I16)
        struct[place] = head & 15, _read(reader, head & 15)
    return struct


def _read_number(reader: io.BytesIO) -> int:
    number = shift = 0
    while True:
        (byte,) = reader.read(1)
        number |= (byte & 127) << shift
        if byte < 128:
            return number
        shift += 7


def _struct_bytes(struct: Struct) -> bytes:
    text, last = b"", 0
    for place, (kind, value) in sorted(struct.items()):
        text += bytes([(place - last) << 4 | kind]) if place - last < 16 else bytes([kind]) + _bytes_of(I16, place)
        text, last = text + (b"" if kind in (TRUE, FALSE) else _bytes_of(kind, value)), place
    return text + b"\0"


def _bytes_of(kind: int, value: Any) -> bytes:
    if kind in (I16, I32, I64):
        return _number_bytes(value << 1 if value >= 0 else (-value << 1) - 1)
    if kind == BINARY:
        return _number_bytes(len(value)) + value
    if kind == LIST:
        of, items = value
        head = bytes([len(items) << 4 | of]) if len(items) < 15 else bytes([0xF0 | of]) + _number_bytes(len(items))
        return head + b"".join(each if of in (TRUE, FALSE) else _bytes_of(of, each) for each in items)
    return _struct_bytes(value) if kind == STRUCT else value


def _number_bytes(number: int) -> bytes:
    text = b""
    while number >= 128:
        text, number = text + bytes([number & 127 | 128]), number >> 7
    return text + bytes([number])
