"""PostgreSQL as a source: what is read, what is refused, and that nothing is told."""

from __future__ import annotations

import uuid
from decimal import Decimal

import pytest

from snapdp.errors import DataError, ParameterError
from snapdp.studies.aggregates import Categories, Count, Persons, Sum
from snapdp.studies.categories import date_column
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.tables.engines.opening import open_table
from snapdp.tables.engines.postgres import PostgresSource
from snapdp.values import replaced
from tests.services import address, postgres_server

try:
    import psycopg
except ImportError:  # the fixture `database` says that nothing here is covered, or fails
    psycopg = None
X = number_column("x", lower=-8, upper=8, step="1/2", missing=1)
G = category_column("g", categories=["a", "b"], unknown="binned", null="binned")


@pytest.fixture
def run(database):
    """Return a function that runs statements as the superuser."""

    def run(*statements):
        with psycopg.connect(database, autocommit=True) as connection:
            for each in statements:
                connection.execute(each)

    return run


@pytest.fixture
def name():
    return f"t{uuid.uuid4().hex}"


def sum_of(address, table, column=X):
    return open_table(address, table=table).aggregates([Sum(column=column)])[Sum(column=column)][0]


def test_numbers_beyond_the_doubles_are_bounded_before_they_are_cast(database, run, name):
    """A plain cast of each of these fails, and a failure that depends on a cell is a disclosure."""
    cells = {
        "1e400": 32,
        "-1e400": 0,
        "1e-400": 16,
        "-1e-400": 16,
        "NaN": 18,
        "Infinity": 32,
        "-Infinity": 0,
        "7.75": 32,
    }
    run(f"CREATE TABLE {name} (x NUMERIC)")
    for cell, level in cells.items():
        run(f"TRUNCATE {name}", f"INSERT INTO {name} VALUES ('{cell}')")
        assert sum_of(database, name) == level, cell


def test_a_plain_cast_would_fail_for_them(database):
    with psycopg.connect(database) as connection, pytest.raises(psycopg.errors.NumericValueOutOfRange):
        connection.execute("SELECT CAST(CAST('1e400' AS NUMERIC) AS DOUBLE PRECISION)")


def test_decimals_are_read_as_their_nearest_double(database, run, name):
    column = number_column("x", lower=0, upper=1, step="1/1048576", missing="middle")
    cells = [Decimal(i) / Decimal(10**20) for i in range(0, 10**20, 10**20 // 997)]
    run(f"CREATE TABLE {name} (x NUMERIC)", f"INSERT INTO {name} VALUES {', '.join(f'({each})' for each in cells)}")
    plain = open_table({"x": [float(each) for each in cells]}).aggregates([Sum(column=column)])
    assert sum_of(database, name, column) == plain[Sum(column=column)][0]


@pytest.mark.parametrize("kind", ["TEXT", "DATE", "MONEY", "BOOLEAN", "BYTEA", "DOUBLE PRECISION[]", "JSONB", "UUID"])
def test_what_is_no_number_is_refused_as_one(database, run, name, kind):
    run(f"CREATE TABLE {name} (x {kind})")
    with pytest.raises(DataError, match="declared as number but stored as"):
        sum_of(database, name)


def test_text_enums_uuids_domains_and_whole_numbers_are_categories(database, run, name):
    types = f"CREATE TYPE \"{name}e\" AS ENUM ('a', 'b')", f"CREATE DOMAIN {name}d AS TEXT"
    run(*types)
    for kind in ("TEXT", "VARCHAR(5)", "CHAR(5)", f'"{name}e"', f"{name}d"):
        run(f"DROP TABLE IF EXISTS {name}", f"CREATE TABLE {name} (g {kind})")
        run(f"INSERT INTO {name} VALUES ('a'), ('b'), ('b'), (NULL)")
        found = open_table(database, table=name).aggregates([Categories(column=G)])
        assert found[Categories(column=G)] == (1, 2, 0, 1), kind
    run(
        f"DROP TABLE {name}",
        f"CREATE TABLE {name} (g UUID)",
        f"INSERT INTO {name} SELECT gen_random_uuid() FROM generate_series(1, 9)",
    )
    persons = Persons(columns=("g",), most=1)
    assert open_table(database, table=name).aggregates([Count(persons=persons)]).rows == 9


def test_many_categories_and_names_that_need_quotes(database, run):
    keys = category_column("a \"b\" 'c'", categories=[f"k'{i}" for i in range(100)])
    table = 'it\'s a "table"'
    run(
        'CREATE TABLE "it\'s a ""table""" ("a ""b"" \'c\'" TEXT)', 'INSERT INTO "it\'s a ""table""" VALUES (\'k\'\'7\')'
    )
    found = open_table(database, table=table).aggregates([Categories(column=keys)])
    assert found[Categories(column=keys)] == (0,) * 7 + (1,) + (0,) * 92


def test_only_stored_tables_are_read_and_a_name_must_be_one_table(database, run, name):
    run(f"CREATE TABLE {name} (x INT)", f"INSERT INTO {name} VALUES (3)", f"CREATE SCHEMA s{name}")
    assert sum_of(database, name) == sum_of(database, f"public.{name}") == 22
    run(f"CREATE VIEW v{name} AS SELECT * FROM {name} WHERE x > 5", f"CREATE TABLE s{name}.{name} (x INT)")
    for table in (f"v{name}", "nothing", "pg_class"):
        with pytest.raises(DataError, match="no stored table"):
            sum_of(database, table)
    with pytest.raises(DataError, match="several tables"):
        sum_of(database, name)
    assert sum_of(database, f"s{name}.{name}") == 0


def test_a_policy_that_hides_rows_is_refused_and_not_obeyed(database, run, name):
    run(
        f"CREATE TABLE {name} (x INT)", f"INSERT INTO {name} VALUES (1), (6)",
        f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY", f"CREATE POLICY few ON {name} USING (x > 5)",
        f"CREATE ROLE r{name} LOGIN", f"GRANT SELECT ON {name} TO r{name}",
    )  # fmt: skip
    database_name = psycopg.conninfo.conninfo_to_dict(database)["dbname"]
    try:
        with pytest.raises(DataError, match="could not read the table"):
            sum_of(address(postgres_server(), database=database_name, role=f"r{name}"), name)
    finally:
        run(f"DROP OWNED BY r{name}", f"DROP ROLE r{name}")


def test_statements_run_read_only_and_see_one_state(database, run, name):
    run(f"CREATE TABLE {name} (x INT)")
    with PostgresSource(database, name).connected() as connection:
        assert connection.execute("SHOW transaction_read_only").fetchone() == ("on",)
        assert connection.execute("SHOW transaction_isolation").fetchone() == ("repeatable read",)
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            connection.execute(f"INSERT INTO public.{name} VALUES (1)")


def test_settings_of_the_role_change_nothing(database, run, name):
    category = category_column("g", categories=["a\\b", "a"])
    run(
        f"CREATE TABLE {name} (g TEXT)",
        f"INSERT INTO {name} VALUES (E'a\\\\b')",
        f"CREATE ROLE r{name} LOGIN SUPERUSER",
    )
    run(f"ALTER ROLE r{name} SET standard_conforming_strings = off", f"ALTER ROLE r{name} SET search_path = nowhere")
    database_name = psycopg.conninfo.conninfo_to_dict(database)["dbname"]
    try:
        table = open_table(address(postgres_server(), database=database_name, role=f"r{name}"), table=name)
        assert table.aggregates([Categories(column=category)])[Categories(column=category)] == (1, 0)
    finally:
        run(f"DROP ROLE r{name}")


def test_the_password_and_the_cells_are_in_no_error(database, run, name):
    run(f"CREATE TABLE {name} (x TEXT)", f"INSERT INTO {name} VALUES ('7654-03-21')")
    wrong = "postgresql://somebody:hunter2@127.0.0.1:1/nowhere"
    table = open_table(wrong, table=name)
    with pytest.raises(DataError, match="cannot be reached") as refused:
        table.aggregates([Count()])
    assert refused.value.__context__ is None
    for text in (str(refused.value), repr(table.source), repr(vars(refused.value))):
        assert "hunter2" not in text
        assert "somebody" not in text
    broken = open_table(database, table=name)
    broken.dialect = replaced(broken.dialect, whole_number="CAST({0} || ' is no number' AS BIGINT)")
    with pytest.raises(DataError, match="could not read the table") as failed:
        broken.aggregates([Categories(column=date_column("x", start="2000-01-01", end="2001-01-01", each="year"))])
    assert failed.value.__context__ is None
    assert "7654" not in str(failed.value)


def test_a_server_that_is_given_other_arguments_is_refused():
    for more in ({}, {"table": "t", "spark": "local"}):
        with pytest.raises(ParameterError, match="needs the name of a table"):
            open_table("postgresql://nowhere/db", **more)


def test_the_fingerprint_is_of_the_rows_not_their_order(database, run, name):
    run(f"CREATE TABLE {name} (x INT, g TEXT)", f"INSERT INTO {name} VALUES (1, 'a'), (2, NULL)")
    source = PostgresSource(database, name)
    first = source.fingerprint()
    run(f"TRUNCATE {name}", f"INSERT INTO {name} VALUES (2, NULL), (1, 'a')")
    assert source.fingerprint() == first
    run(f"UPDATE {name} SET x = 3 WHERE x = 2")
    assert source.fingerprint() != first


def test_whole_numbers_name_persons_as_text_does(database, run, name):
    run(
        f"CREATE TABLE {name} (x INT, id BIGINT)",
        f"INSERT INTO {name} SELECT i, i % 5 FROM generate_series(1, 50) AS i",
    )
    column = integer_column("x", lower=0, upper=50, missing="middle")
    asked = [Sum(column=column, persons=Persons(columns=("id",), most=3))]
    plain = open_table({"x": list(range(1, 51)), "id": [str(i % 5) for i in range(1, 51)]})
    assert open_table(database, table=name).aggregates(asked) == plain.aggregates(asked)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_is_not_in_utf8_is_refused(database, encoding):
    """In SQL_ASCII bytes have no meaning: two spellings of a name may be one text, or none."""
    import psycopg

    with psycopg.connect(database, autocommit=True) as connection:
        other = f"{connection.info.dbname}_other"
        connection.execute(f"CREATE DATABASE {other} TEMPLATE template0 ENCODING '{encoding}' LOCALE 'C'")
        try:
            where = database.replace(connection.info.dbname, other, 1)
            with psycopg.connect(where, autocommit=True) as there:
                there.execute("CREATE TABLE t (x INTEGER)")
            for action in (lambda t: t.aggregates([Count()]), lambda t: t.fingerprint()):
                with pytest.raises(DataError, match="does not store text in UTF-8"):
                    action(open_table(where, table="t"))
        finally:
            connection.execute(f"DROP DATABASE {other} WITH (FORCE)")
