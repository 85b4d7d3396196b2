"""How DuckDB names what columns are stored as, and the field that each is to a statement.

Room: tables. Asks a connection for the schema of a query, and reads no row.
"""

from __future__ import annotations

import re
from typing import Any

from snapdp.tables.sql.categories import epoch_day
from snapdp.tables.sql.dialects import DUCKDB, identifier
from snapdp.tables.sql.stored import CALENDAR, EMPTY, LABEL, NUMERIC, OTHER, TRUTH, WHOLE, Field

_WHOLE_TYPES = {f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG", "HUGE")} | {
    "INTEGER",
    "UINTEGER",
}
_DECIMAL = re.compile(r"DECIMAL\(([0-9]+),[0-9]+\)")
_MICROS, _NANOS = (
    "(DATE '1970-01-01' + CAST(" + epoch_day(count, per_day=per_day, dialect=DUCKDB) + " AS INTEGER))"
    for count, per_day in (("epoch_us({0})", 86_400 * 10**6), ("epoch_ns({0})", 86_400 * 10**9))
)
_DAYS = {  # the date of a stored date or time, that of an instant in UTC; DuckDB's casts round nanoseconds up
    "DATE": "{0}",
    "TIMESTAMP": "CAST({0} AS DATE)",
    "TIMESTAMP_S": "TRY_CAST({0} AS DATE)",
    "TIMESTAMP_MS": "TRY_CAST({0} AS DATE)",
    "TIMESTAMP_NS": _NANOS,
    "TIMESTAMP WITH TIME ZONE": _MICROS,
    "TIMESTAMPTZ_NS": _NANOS,
}


def described(connection: Any, query: str) -> tuple[Field, ...]:
    """Return the columns of a query as fields: by its schema alone."""
    lines = connection.execute(f"DESCRIBE {query}").fetchall()
    kinds = [(name, str(stored)) for name, stored, *_ in lines]
    return tuple(_field(n, identifier(n), t) for n, t in kinds)


def _field(name: str, reads: str, stored: str) -> Field:
    return Field(
        name=name,
        reads=reads,
        stored=stored,
        kind=_kind(stored),
        wide=_is_wide(stored),
        single=stored == "FLOAT",
        decimal=reads if _DECIMAL.fullmatch(stored) else "",
        day=_DAYS[stored].format(reads) if stored in _DAYS else "",
    )


def _is_wide(stored: str) -> bool:
    """Tell whether DuckDB casts to a double by more than one rounding: more than 15 digits do not fit exactly."""
    found = _DECIMAL.fullmatch(stored)
    return stored in ("HUGEINT", "UHUGEINT") or (found is not None and int(found[1]) > 15)


def _kind(stored: str) -> str:
    if stored in _WHOLE_TYPES:
        return WHOLE
    if stored in ("FLOAT", "DOUBLE") or stored.startswith("DECIMAL("):
        return NUMERIC
    if stored in ("VARCHAR", "UUID") or stored.startswith("ENUM("):
        return LABEL
    if stored == '"NULL"':  # a column without a single cell: all of it is missing, whatever it is declared as
        return EMPTY
    return TRUTH if stored == "BOOLEAN" else CALENDAR if stored in _DAYS else OTHER
