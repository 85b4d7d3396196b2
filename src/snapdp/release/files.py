"""Released numbers as files: CSV or Parquet, written whole or not at all.

Room: release. Holds released numbers only. Side files are Parquet and named by their digest; the engine writes them
with one thread, so that equal numbers make equal bytes.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from snapdp.errors import DataError, ParameterError
from snapdp.release.drawing import Block
from snapdp.release.record import SideFile

FORMATS = {".csv": "CSV, HEADER", ".parquet": "PARQUET"}


def write_block(block: Block, directory: Path) -> SideFile:
    """Write a long block to a Parquet file named by its digest, durably."""
    columns: dict[str, Any] = {"cell": block.cells}
    if block.indices is not None:
        columns["index"] = block.indices
    columns |= {"value": block.values, "low": block.lows, "high": block.highs}
    with _draft(directory, ".parquet") as draft:
        _copy(columns, draft)
        digest = hashlib.sha256(draft.read_bytes()).hexdigest()
        name = f"snapdp-{digest[:32]}.parquet"
        _finish(draft, directory / name)
    return SideFile(name=name, digest=f"sha256:{digest}", rows=len(block.cells))


def check_place(directory: Path) -> None:
    """Refuse a directory in which no file can be made."""
    with _draft(directory, ".parquet"):
        pass


def write_values(columns: Mapping[str, list[Any]], path: Path) -> None:
    """Write columns of released numbers to a CSV or Parquet file."""
    if path.suffix not in FORMATS:
        raise ParameterError(f"values cannot be written to {path.name!r}.", f"Name a {' or '.join(FORMATS)} file.")
    with _draft(path.parent, path.suffix) as draft:
        _copy(columns, draft)
        _finish(draft, path)


def write_text(text: str, path: Path) -> None:
    """Write a text file, whole or not at all."""
    with _draft(path.parent, path.suffix) as draft:
        draft.write_text(text, encoding="utf-8")
        _finish(draft, path)


@contextmanager
def _draft(directory: Path, suffix: str) -> Iterator[Path]:
    try:
        handle, name = tempfile.mkstemp(prefix=".snapdp-", suffix=suffix, dir=directory)
    except OSError as problem:
        raise _unwritable(directory, problem) from None
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
    except OSError as problem:
        raise _unwritable(directory, problem) from None
    finally:
        draft.unlink(missing_ok=True)


def _finish(draft: Path, target: Path) -> None:
    """Make a draft durable under its final name."""
    handle = os.open(draft, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    mask = os.umask(0)
    os.umask(mask)
    draft.chmod(0o666 & ~mask)
    os.replace(draft, target)


def _unwritable(directory: Path, problem: OSError) -> DataError:
    return DataError(f"a file cannot be written to {str(directory)!r}: {problem.strerror}.", "Choose another place.")


def _copy(columns: Mapping[str, Any], path: Path) -> None:
    import duckdb
    import numpy as np

    connection = duckdb.connect(":memory:", config={"threads": "1", "autoload_known_extensions": "false"})
    try:
        arrays = {name: _array(np, cells) for name, cells in columns.items()}
        connection.register("released", arrays)
        quoted = str(path).replace("'", "''")
        # The path is a draft already. A draft of the engine's own would stay behind where the disk is full.
        form = f"FORMAT {FORMATS[path.suffix]}, USE_TMP_FILE false"
        connection.execute(f"COPY (SELECT * FROM released) TO '{quoted}' ({form})")
    except duckdb.Error:
        raise OSError(0, "the engine could not write") from None
    finally:
        connection.close()


def _array(np: Any, cells: Any) -> Any:
    """Return a column as the engine takes it: text, whole numbers that fit, or doubles."""
    if isinstance(cells, np.ndarray):
        return cells
    kinds = set(map(type, cells))
    if kinds == {str}:
        return np.fromiter(cells, dtype=object, count=len(cells))
    if str in kinds or type(None) in kinds:
        return np.fromiter((None if cell is None else str(cell) for cell in cells), dtype=object, count=len(cells))
    if kinds == {bool}:
        return np.array(cells)
    if kinds == {int} and max(map(abs, cells)) < 1 << 63:
        return np.array(cells, dtype=np.int64)
    return np.array(cells, dtype=np.float64)
