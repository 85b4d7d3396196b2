"""Parquet files on Spark: each file says its own columns, and those that are declared must be the same in all.

Room: tables. Takes a reader and the files behind some paths. Spark alone gives a file that lacks a column nothing but
missing cells, and whether `Age` is read as `age` is a setting of the session. So declared columns are compared file by
file, by exact names, as DuckDB's are; a name that differs from a declared one in capitals only is refused. What is read
then has the declared columns alone, and no setting decides which they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from snapdp.tables.sources.paths import refuse_twins, several_schemas

AT_ONCE = 8  # footers that are asked for at the same time; each is a job of Spark


def schemas(reader: Any, paths: Sequence[str]) -> list[Any]:
    """Return the schema of each file."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda path: reader.parquet(escaped(path)).schema, paths))


def declared_schema(files: Sequence[Any], names: set[str]) -> Any:
    """Return the declared columns as every file stores them; refuse files that do not agree."""
    for each in files:
        refuse_twins(each.fieldNames(), names)
    seen = {frozenset((f.name, f.dataType.simpleString()) for f in each.fields if f.name in names) for each in files}
    if len(seen) > 1:
        raise several_schemas()
    return type(files[0])([field for field in files[0].fields if field.name in names])


def escaped(path: str) -> str:
    """Return a path of which Spark takes no character for a pattern."""
    return "".join(f"\\{each}" if each in "{}[]*?\\" else each for each in path)
