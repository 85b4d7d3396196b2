"""Parquet files on Spark: each file says its own columns, and those that are declared must be the same in all.

Room: tables. Takes a reader and the files behind some paths. Spark alone gives a file that lacks a column nothing but
missing cells, and whether `Age` is read as `age` is a setting of the session. So declared columns are compared file by
file, by exact names, as DuckDB's are; a name that differs from a declared one in capitals only is refused. What is read
then has the declared columns alone, and no setting decides which they are.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from snapdp.errors import DataError, PremiseError
from snapdp.tables.sources.paths import refuse_twins, several_schemas

_NO_TYPE, _MILLIS = "UNKNOWN", "TIMESTAMP(MILLIS,"  # as parquet-java names them
AT_ONCE = 8  # footers that are asked for at the same time; each is a job of Spark


def schemas(reader: Any, paths: Sequence[str]) -> list[Any]:
    """Return the schema of each file."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda path: reader.parquet(escaped(path)).schema, paths))


def footer_types(session: Any, paths: Sequence[str]) -> list[dict[str, str]]:
    """Return for each file what its footer says of the types of its columns, which Spark's own schema leaves out."""
    jvm = getattr(session, "_jvm", None)
    if jvm is None:
        raise PremiseError(
            "through Spark Connect the types in Parquet files cannot be checked.",
            "Give a SparkSession of its own, or the name of a stored table. Nothing was spent.",
        )
    parquet, settings = jvm.org.apache.parquet.hadoop, session._jsc.hadoopConfiguration()

    def of_file(path: str) -> dict[str, str]:
        given = parquet.util.HadoopInputFile.fromPath(jvm.org.apache.hadoop.fs.Path(path), settings)
        footer = parquet.ParquetFileReader.open(given)
        try:
            fields = footer.getFileMetaData().getSchema().getFields()
            every = (fields.get(place) for place in range(fields.size()))
            return {str(each.getName()): str(each.getLogicalTypeAnnotation()) for each in every}
        finally:
            footer.close()

    return list(map(of_file, paths))


def declared_frame(
    reader: Any, paths: Sequence[str], files: Sequence[Any], said: Sequence[dict[str, str]], names: set[str]
) -> Any:
    """Return the declared columns as every file stores them; refuse files that do not agree.

    A column without a cell, which a writer gives no type, is one of missing cells, of the type that other files have.
    Times in milliseconds are refused, whatever cells there are: Spark fails at one that leaves its microseconds.
    """
    from pyspark.sql.functions import lit
    from pyspark.sql.types import NullType, StructField, StructType

    typed: dict[str, Any] = {}
    groups: dict[frozenset[str], list[str]] = {}
    for path, schema, types in zip(paths, files, said, strict=True):
        refuse_twins(schema.fieldNames(), names)
        if names & {*schema.fieldNames()} != names & {*files[0].fieldNames()}:
            raise several_schemas()
        untyped = frozenset(name for name in names if types.get(name) == _NO_TYPE)
        groups.setdefault(untyped, []).append(path)
        for field in schema.fields:
            if field.name not in names - untyped:
                continue
            if types.get(field.name, "").startswith(_MILLIS):
                raise DataError(
                    f"column {field.name!r} is stored as times in milliseconds (TIMESTAMP_MILLIS).",
                    "Store it as dates, or as times in microseconds: Spark fails at some times in milliseconds.",
                )
            if typed.setdefault(field.name, field).dataType != field.dataType:
                raise several_schemas()
    order = [each for each in files[0].fieldNames() if each in names]
    fields = [typed.get(name) or StructField(name, NullType()) for name in order]
    frames = []
    for untyped, group in groups.items():
        found = reader.schema(StructType([each for each in fields if each.name not in untyped])).parquet(
            *map(escaped, group)
        )
        for each in fields:
            if each.name in untyped:
                found = found.withColumn(each.name, lit(None).cast(each.dataType))
        frames.append(found)
    return functools.reduce(lambda one, other: one.unionByName(other), frames)


def escaped(path: str) -> str:
    """Return a path of which Spark takes no character for a pattern."""
    return "".join(f"\\{each}" if each in "{}[]*?\\" else each for each in path)
