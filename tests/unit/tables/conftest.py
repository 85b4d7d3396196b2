"""Where tables are: a session of Spark and a database of PostgreSQL, once for each process that runs tests."""

from __future__ import annotations

import pytest

from tests.services import new_database, postgres_server, spark_session


@pytest.fixture(scope="session")
def spark():
    return spark_session()


@pytest.fixture(scope="session")
def database():
    with new_database(postgres_server()) as address:
        yield address
