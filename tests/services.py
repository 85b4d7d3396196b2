"""Spark, PostgreSQL, Gappa and Chromium for tests: one session, one server, and what to do where they are missing.

`bin/services`, which bin/test runs under, starts a server, names it in SNAPDP_POSTGRES and sets
SNAPDP_REQUIRE=spark,postgres,gappa,chromium: a missing component then fails. Without it such tests are skipped, and say
what is not covered. Other Pythons, which tests/packaging installs into, are required the same way, by whoever has them:
SNAPDP_REQUIRE=python3.12,python3.13.
"""

from __future__ import annotations

import os
import shutil
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

REQUIRED = [each for each in os.environ.get("SNAPDP_REQUIRE", "").split(",") if each]
SERVER = os.environ.get("SNAPDP_POSTGRES", "")
on_spark = pytest.mark.xdist_group("spark")  # one worker, one session


def missing(component: str, why: str, *, covered: str = "bin/test covers it") -> None:
    """Say what is not covered, and what would cover it; fail where the component is required."""
    if component in REQUIRED:
        pytest.fail(f"{component} is required by SNAPDP_REQUIRE, but {why}")
    pytest.skip(f"not covered here: {component}, because {why} ({covered})")


def spark_session() -> Any:
    """Return the one session of this process: one core, little memory, no page, no log, quickly compiled."""
    if shutil.which("java") is None:
        missing("spark", "there is no Java")
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        missing("spark", "pyspark is not installed")
    settings = {
        "spark.driver.memory": "1500m",
        # Jobs of a few rows end before code that is compiled with more care would pay: half of the processor's time.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "OFF",
    }
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # its workers must be of this Python, whatever PATH has
    builder = SparkSession.builder.master("local[1]").appName("snapdp tests")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def postgres_server() -> str:
    """Return the address of the server, as its superuser."""
    if not SERVER:
        missing("postgres", "SNAPDP_POSTGRES names no server")
    try:
        import psycopg  # noqa: F401
    except ImportError:
        missing("postgres", "psycopg is not installed")
    return SERVER


def gappa_program() -> str:
    """Return where Gappa is, which proves bounds of rounding errors."""
    found = shutil.which("gappa")
    if found is None:
        missing("gappa", "there is no such program")
    return str(found)


def address(server: str, *, database: str | None = None, role: str = "postgres", password: str = "") -> str:
    """Return the address of another database of the server, or as another role."""
    from psycopg.conninfo import conninfo_to_dict

    parts = conninfo_to_dict(server)
    secret = f":{password}" if password else ""
    return f"postgresql://{role}{secret}@/{database or parts['dbname']}?host={parts['host']}"


@contextmanager
def new_database(server: str) -> Iterator[str]:
    """Make a database of its own and drop it at the end; yields its address."""
    import psycopg

    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
    try:
        yield address(server, database=name)
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
