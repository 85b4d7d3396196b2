"""Where tables are: a session of Spark and a database of PostgreSQL, once for each process that runs tests."""

from __future__ import annotations

import pytest

from tests.services import new_database, on_spark, postgres_server, spark_session
from tests.unit.tables import everywhere


@pytest.fixture(scope="session")
def spark():
    return spark_session()


@pytest.fixture(scope="session")
def database():
    with new_database(postgres_server()) as address:
        yield address


@pytest.fixture(params=["duckdb", "postgresql", pytest.param("spark", marks=on_spark)])
def open_typed(request, tmp_path):
    """Return what puts a typed table on an engine; a test that asks for it runs on each of them."""
    if request.param == "duckdb":
        return lambda columns: everywhere.on_duckdb(columns, tmp_path)
    if request.param == "postgresql":
        database = request.getfixturevalue("database")
        return lambda columns: everywhere.on_postgres(columns, database)
    session = request.getfixturevalue("spark")
    return lambda columns: everywhere.on_spark(columns, session)
