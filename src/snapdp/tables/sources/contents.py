"""Digests of contents: how the ledger recognises data that it has seen. Private: they leave only keyed.

Room: tables. Reads bytes it is given. A digest says "the same bytes", no more: the same rows in another file format, or
in another order, are other bytes, and the ledger takes them for another version of the same account.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from snapdp.errors import DataError
from snapdp.tables.sources.cells import cell_digest, type_name, unpacked


def file_digest(paths: Iterable[Path], *more: bytes) -> bytes:
    """Return a digest of the contents of files, in order, and of what else says which table is meant."""
    whole = hashlib.sha256()
    try:
        for path in paths:
            with path.open("rb") as file:
                whole.update(hashlib.file_digest(file, "sha256").digest())
    except OSError:
        raise DataError("a file of the table cannot be read.", "Check that it is there and readable.") from None
    for each in more:
        whole.update(hashlib.sha256(each).digest())
    return whole.digest()


def columns_digest(columns: Mapping[Any, Any]) -> bytes:
    """Return a digest of columns in memory: names, types, and what their cells are read as."""
    import numpy as np

    whole = hashlib.sha256()
    for name in columns:
        given = columns[name]
        cells = unpacked(given)
        if isinstance(cells, np.ma.MaskedArray):
            array = np.ma.filled(cells)
        elif hasattr(cells, "dtype"):
            array = np.asarray(cells)
        else:  # a list: each object as it is, for numpy would make one kind of 1 and True, and refuse a list in a list
            array = np.fromiter(cells, dtype=object, count=len(cells))
        what = repr((str(name), type_name(given), str(array.dtype), array.shape))
        whole.update(what.encode("utf-8", "surrogatepass"))
        if isinstance(cells, np.ma.MaskedArray):
            whole.update(np.ma.getmaskarray(cells).tobytes())
        if array.dtype.kind in "OUST":
            for cell in array.ravel().tolist():
                read = cell_digest(cell)
                whole.update(len(read).to_bytes(8, "little") + read)
        else:
            whole.update(_array_bytes(np.ascontiguousarray(array)))
    return whole.digest()


def _array_bytes(array: Any) -> bytes:
    """Return the bytes of the numbers in an array, without those between them: long doubles of 80 bits have some."""
    import numpy as np

    if array.dtype.kind == "f" and np.finfo(array.dtype).nmant == 63:
        return bytes(array.reshape(-1, 1).view(np.uint8)[:, :10].tobytes())
    return bytes(array.tobytes())


def arrow_digest(table: Any) -> bytes:
    """Return a digest of an Arrow table, whatever its chunks."""
    import pyarrow as pa

    whole = hashlib.sha256()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table.combine_chunks())
    whole.update(sink.getvalue())
    return whole.digest()
