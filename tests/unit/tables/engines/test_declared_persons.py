"""Persons that are told apart by declared values, on PostgreSQL and Spark as on DuckDB."""

from __future__ import annotations

import pytest

from tests.properties.test_declared_persons import DECLARED, TEXTS, answered, rows_kept, value_of


@pytest.mark.parametrize("name", ["postgres", "spark"])
@pytest.mark.parametrize("kind", DECLARED)
def test_persons_are_told_apart_by_declared_values_on_every_engine(name, kind, request):
    column = DECLARED[kind]
    rows = [(user, cell) for user in ("ann", "bob", None) for cell in (None, *TEXTS) for _ in range(2)]
    if kind in ("integer", "number"):
        rows = [(user, cell) for user, cell in rows if value_of(column, cell) is not None]
    stored = "DOUBLE PRECISION" if kind in ("integer", "number") else "TEXT"
    want = rows_kept(rows, column, 1)
    if name == "postgres":
        import psycopg

        address = request.getfixturevalue("database")
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f'CREATE TABLE declared_{kind} ("user" TEXT, part {stored})')
            with connection.cursor() as cursor:
                cursor.executemany(f"INSERT INTO declared_{kind} VALUES (%s, CAST(%s AS {stored}))", rows)
        assert answered(address, column, 1, table=f"declared_{kind}") == want
    else:
        session = request.getfixturevalue("spark")
        frame = session.createDataFrame(rows, "user STRING, part STRING")
        if stored != "TEXT":
            frame = frame.selectExpr("user", "CAST(part AS DOUBLE) AS part")
        assert answered(frame, column, 1) == want
