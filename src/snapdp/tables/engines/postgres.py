"""Tables of a PostgreSQL server: the statements run there, inside one read-only transaction, and integers come back.

psycopg is loaded when a table is opened. Only stored tables: a view may filter
or join, and a policy that hides rows from the role is refused by the server (row_security = off) instead of obeyed.
A cast of NUMERIC to a double fails beyond the doubles, at both ends: cells are bounded by comparisons first. No cast
of text is total, so text is never read as a number.
Nothing of the server's own words and nothing of the address, which may hold a password, is ever repeated.
Theory: docs/theory/exact-sums.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from snapdp.errors import DataError, PremiseError
from snapdp.studies.columns import Column
from snapdp.tables.engine_names import POSTGRESQL
from snapdp.tables.engines.engine import INSTALL, Engine, version_text
from snapdp.tables.sources.source import Source
from snapdp.tables.sql.dialects import POSTGRES, identifier
from snapdp.tables.sql.stored import CALENDAR, LABEL, NUMERIC, OTHER, TRUTH, WHOLE, Field, Rows

_KINDS = {
    **dict.fromkeys(("smallint", "integer", "bigint"), WHOLE),
    **dict.fromkeys(("real", "double precision", "numeric"), NUMERIC),
    **dict.fromkeys(("text", "character varying", "character", "uuid", "citext", "name"), LABEL),
    "boolean": TRUTH,
}
_DAYS = {  # the date of a stored date or time, that of an instant in UTC
    "date": "{0}",
    "timestamp without time zone": "CAST({0} AS DATE)",
    "timestamp with time zone": "CAST({0} AT TIME ZONE 'UTC' AS DATE)",
}
_SETTINGS = (
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "SET LOCAL search_path = pg_catalog",  # nobody's function or operator stands in for the server's own
    "SET LOCAL standard_conforming_strings = on",
    "SET LOCAL row_security = off",
    "SET LOCAL extra_float_digits = 1",
)
_TABLES = """
SELECT c.oid, n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  AND (c.relname = %s OR n.nspname || '.' || c.relname = %s)
"""
_COLUMNS = """
SELECT a.attname, format_type(COALESCE(NULLIF(t.typbasetype, 0), t.oid), NULL), t.typtype
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
_LARGEST = "1.7976931348623157e308"  # what is beyond is no less than all bounds and powers of two are
_NO_DOUBLE = f"{5**1075}e-1075"  # 2**-1075: up to it, zero is the nearest double, and the server's cast fails


class PostgresSource(Source):
    """A stored table of a server, named as "table" or "schema.table"."""

    def __init__(self, address: str, table: str) -> None:
        self._address, self.table = address, table

    def __repr__(self) -> str:
        return f"<table {self.table!r} of a PostgreSQL server>"

    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:  # noqa: ARG002
        found = connection.execute(_TABLES, (self.table, self.table)).fetchall()
        if len(found) != 1:
            raise DataError(
                f"the server has {'no stored table' if not found else 'several tables'} named {self.table!r}.",
                "Name a stored table, with its schema. A view may filter or join, which changes who a row is.",
            )
        oid, schema, name = found[0]
        fields = [_field(*each) for each in connection.execute(_COLUMNS, (oid,)).fetchall()]
        return Rows(origin=f"{identifier(schema)}.{identifier(name)}", fields=tuple(fields))

    def fingerprint(self) -> bytes:
        """Return a digest of the content, whatever the order of its rows. Private."""
        return PostgresEngine(self)._guarded(self._digest)

    def _digest(self, connection: Any) -> bytes:
        rows = self.open(connection, [])
        hashed = f"SELECT encode(sha256(convert_to(CAST(t AS TEXT), 'UTF8')), 'hex') AS h FROM {rows.origin} AS t"
        words = ", ".join(f"SUM(CAST(CAST('x' || substr(h, {i}, 16) AS BIT(64)) AS BIGINT))" for i in (1, 17, 33, 49))
        sums = connection.execute(f"SELECT COUNT(*), {words} FROM ({hashed}) AS hashed").fetchone()
        kinds = [(each.name, each.stored) for each in rows.fields]
        return hashlib.sha256(repr((kinds, [str(each) for each in sums])).encode()).digest()

    @contextmanager
    def connected(self) -> Iterator[Any]:
        """Open a read-only transaction with one state of the database; it is rolled back at the end."""
        connection = _connection(self._address)
        try:
            if connection.info.parameter_status("server_encoding") != "UTF8":
                raise DataError("the database does not store text in UTF-8.", "Categories are compared in UTF-8 only.")
            for each in _SETTINGS:
                connection.execute(each)
            yield connection
        finally:
            connection.close()


class PostgresEngine(Engine):
    """A table of a server, answered by that server."""

    source: PostgresSource
    dialect = POSTGRES
    name = dialect.name

    def engine_versions(self) -> dict[str, str]:
        return self._guarded(lambda connection: {POSTGRESQL.library: self.version(connection)})

    def version(self, connection: Any) -> str:
        return version_text(connection.info.parameter_status("server_version"))

    def check_scope(self, connection: Any) -> object:
        """Return the connection: the server behind the next one may be another."""
        return connection

    def _connected(self) -> AbstractContextManager[Any]:
        return self.source.connected()

    def _rows(self, connection: Any, statement: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = connection.execute(statement, prepare=False).fetchall()
        return found


def _connection(address: str) -> Any:
    try:
        import psycopg
    except ImportError:
        raise PremiseError("psycopg, which speaks to PostgreSQL, is not installed.", INSTALL["psycopg"]) from None
    connection = None
    try:
        connection = psycopg.connect(address, autocommit=True, connect_timeout=10, client_encoding="UTF8")
    except Exception:  # the original quotes the address
        connection = None
    if connection is None:
        raise DataError(
            "the PostgreSQL server cannot be reached, or refuses this role.",
            "Check the address, the role and its password.",
        )
    return connection


def _field(name: str, stored: str, family: str) -> Field:
    reads = identifier(name)
    kind = LABEL if family == "e" else CALENDAR if stored in _DAYS else _KINDS.get(stored, OTHER)
    decimal = f"NULLIF({reads}, 'NaN')" if stored == "numeric" else ""
    day = _DAYS[stored].format(reads) if stored in _DAYS else ""
    if stored == "numeric":
        double = POSTGRES.double
        reads = (
            f"CASE WHEN {reads} = 'NaN' THEN NULL WHEN {reads} > {_LARGEST} THEN CAST('Infinity' AS {double}) "
            f"WHEN {reads} < -{_LARGEST} THEN CAST('-Infinity' AS {double}) "
            f"WHEN ABS({reads}) <= {_NO_DOUBLE} THEN 0 ELSE CAST({reads} AS {double}) END"
        )
    single = stored == "real"
    return Field(name=name, reads=reads, stored=stored, kind=kind, single=single, decimal=decimal, day=day)
