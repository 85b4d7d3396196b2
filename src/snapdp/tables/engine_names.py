"""The engines by name: the one place where a name of records, a name for people and a library's name are written.

Dialects, engines, records and audits derive theirs from here. The independent checker of releases shares
no code and keeps a list of its own; a test compares the two.
"""

from __future__ import annotations

from typing import NamedTuple


class EngineName(NamedTuple):
    """What an engine is called in records, before people, and among the versions that a record states.

    files   it reads files, CSV files among them; otherwise tables of a server alone
    """

    recorded: str
    shown: str
    library: str
    files: bool = True


DUCKDB = EngineName(recorded="duckdb", shown="DuckDB", library="duckdb")
SPARK = EngineName(recorded="spark", shown="Spark", library="pyspark")
POSTGRESQL = EngineName(recorded="postgresql", shown="PostgreSQL", library="postgresql", files=False)
ENGINES = {each.recorded: each for each in (DUCKDB, SPARK, POSTGRESQL)}
