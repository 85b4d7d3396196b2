"""What engines spell differently: types, division, counting, quoting, hashing. One value for each engine.

Room: data. Imports errors and values; runs nothing. The generator (`sql`) writes one text for all engines and asks a
dialect for these words. Whatever an engine does not do exactly or not totally is spelled around here, with the reason.
Theory: docs/theory/exact-sums.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from snapdp.errors import ParameterError
from snapdp.values import Value

MANY_CELLS = 64  # more cells than this are counted by GROUP BY, more categories than this are looked up in a table


def literal(text: str) -> str:
    """Return text as SQL reads it back, whatever it holds.

    >>> print(literal("it's"))
    'it''s'
    """
    return "'" + storable(text, "a text").replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Return a name as SQL reads it back, whatever it holds.

    >>> print(identifier('a "b" c'))
    "a ""b"" c"
    """
    return '"' + storable(name, "a name").replace('"', '""') + '"'


def storable(text: str, what: str) -> str:
    if "\x00" in text or any("\ud800" <= each <= "\udfff" for each in text):
        raise ParameterError(f"{what} holds a character that engines cannot store: {text!r}.", "Leave it out.")
    return text


class Dialect(Value):
    """What engines spell differently. Templates take their operands as {0}, {1}.

    exact_text   text that is compared byte by byte, whatever collation the column was created with
    wide_floor   the floor of a double as an integer of the wide type, exact where the engine's own cast is not
    lot          a whole number of 60 bits from a text: the first 15 hexadecimal digits of its SHA-256
    quoted       text as a literal
    labels       declared categories as a table (label, code) inside the statement; None where the engine loads one
    many_cells   more cells than this are counted by GROUP BY
    limbs        sums of products in two 31-bit halves, for engines that do not widen a sum of 64-bit integers
    """

    name: str
    double: str
    narrow: str
    wide: str
    text: str
    exact_text: str
    wide_floor: str
    quotient: str
    count_if: str
    series: str
    number_from_text: str
    lot: str
    quoted: Callable[[str], str]
    labels: Callable[[Sequence[str]], str] | None = None
    many_cells: int = MANY_CELLS
    limbs: bool = False


DUCKDB = Dialect(
    name="duckdb",
    double="DOUBLE",
    narrow="BIGINT",
    wide="HUGEINT",
    text="VARCHAR",
    exact_text="CAST({0} AS VARCHAR) COLLATE C",
    wide_floor="CAST(FLOOR({0}) AS HUGEINT)",
    quotient="({0} // {1})",
    count_if="COUNT_IF({0})",
    series="range({0})",
    number_from_text="CASE WHEN regexp_full_match({0}, {1}) THEN TRY_CAST({0} AS DOUBLE) END",
    lot="CAST('0x' || substr(sha256({0}), 1, 15) AS BIGINT)",
    quoted=literal,
)
