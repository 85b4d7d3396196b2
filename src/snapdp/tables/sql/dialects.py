"""What engines spell differently: types, division, counting, quoting, hashing. One value for each engine.

Runs nothing. `generator` writes one text for all engines and asks a dialect for these words.
Whatever an engine does not do exactly or not totally is spelled around here, with the reason. Theory:
docs/theory/exact-sums.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from snapdp.studies.columns import storable
from snapdp.tables import engine_names
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


class Dialect(Value):
    """What engines spell differently. Templates take their operands as {0}, {1}.

    exact_text   text that is compared byte by byte, whatever collation the column was created with
    wide_floor   the floor of a double as an integer of the wide type, exact where the engine's own cast is not
    infinity, nan   these doubles as constants; every comparison is written for a NaN that is above infinity
    series       a table declared(code) of the whole numbers from 0 to below {0}
    number_from_text   a double from text {0} that matches the pattern {1}, read from {2}: the same as a plain number;
                 None where no source of the engine has text for numbers
    lot          a whole number of 60 bits from a text: the first 15 hexadecimal digits of its SHA-256
    octets       the number of bytes of a text
    once         makes a named subquery that is read several times be computed once; None where the engine computes it
                 again each time, and might find other rows
    bucket       one of 2^20 numbers for keys, equal for equal ones; None where the engine has none that is cheap
    matches      whether all of a text matches a pattern of ASCII classes; both are operands
    replaced     a text {0} with {2} for each match of the pattern {1}
    capital      a pattern of capitals of any script, as far as the engine knows them
    letter       a pattern of all other letters, where A stands for capitals already
    lowered      a text {0} in small letters, as far as the engine knows them
    plain_number, whole_number   casts of text that is known to match: a decimal, digits
    decimal      a type that holds every decimal of 15 digits on both sides of the point, and more to the left
    same_decimal a cell of the decimal type {1} as that type, NULL where it would be rounded or does not fit
    whole_quotient   of integers of the narrow type, rounded toward zero
    quoted       text as a literal
    named        a name, whatever it holds
    labels       declared categories as a table (label, code) inside the statement; None where the engine loads one
    many_cells   more cells than this are counted by GROUP BY
    stack        makes {0} rows of each row, with one code each: all such counts in one scan; None: a scan for each
    limb         bits of the pieces in which levels and products are summed, for engines whose sum of 64-bit integers
                 stays in 64 bits: exact for fewer than 2**(63 - limb) rows; None where a sum grows beyond them

    Nothing but `many_cells`, which is a matter of speed, has a default: a new engine says everything.
    """

    name: str
    double: str
    infinity: str
    nan: str
    narrow: str
    wide: str
    text: str
    exact_text: str
    wide_floor: str
    quotient: str
    count_if: str
    series: str
    number_from_text: str | None
    lot: str
    octets: str
    once: str | None
    bucket: str | None
    matches: str
    replaced: str
    capital: str
    letter: str
    lowered: str
    plain_number: str
    whole_number: str
    decimal: str
    same_decimal: str
    whole_quotient: str
    quoted: Callable[[str], str]
    named: Callable[[str], str]
    labels: Callable[[Sequence[str]], str] | None
    stack: str | None
    limb: int | None
    many_cells: int = MANY_CELLS


_DECIMAL = "DECIMAL(38, 15)"
_SAME_DECIMAL = (
    f"CASE WHEN TRY_CAST(TRY_CAST({{0}} AS {_DECIMAL}) AS {{1}}) = {{0}} THEN TRY_CAST({{0}} AS {_DECIMAL}) END"
)
DUCKDB = Dialect(
    name=engine_names.DUCKDB.recorded,
    double="DOUBLE",
    infinity="CAST('Infinity' AS DOUBLE)",
    nan="CAST('NaN' AS DOUBLE)",
    narrow="BIGINT",
    wide="HUGEINT",
    text="VARCHAR",
    exact_text="CAST({0} AS VARCHAR) COLLATE C",
    wide_floor="CAST(FLOOR({0}) AS HUGEINT)",
    quotient="({0} // {1})",
    count_if="COUNT_IF({0})",
    series="range({0}) AS declared(code)",
    number_from_text="CASE WHEN regexp_full_match({0}, {1}) THEN TRY_CAST({2} AS DOUBLE) END",
    lot="CAST('0x' || substr(sha256({0}), 1, 15) AS BIGINT)",
    octets="strlen({0})",
    once="AS MATERIALIZED",
    bucket="(hash({0}) & 1048575)",
    matches="regexp_full_match({0}, {1})",
    replaced="regexp_replace({0}, {1}, {2}, 'g')",
    capital=r"[\p{Lu}\p{Lt}]",
    letter=r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]",
    lowered="lower({0})",
    plain_number=f"TRY_CAST(TRIM({{0}}) AS {_DECIMAL})",
    whole_number="TRY_CAST({0} AS BIGINT)",
    decimal=_DECIMAL,
    same_decimal=_SAME_DECIMAL,
    whole_quotient="({0} // {1})",
    quoted=literal,
    named=identifier,
    labels=None,
    stack=None,
    limb=None,  # its sum of BIGINT is a HUGEINT
)


# PostgreSQL

_TWO_63 = 1 << 63


def _in_two_words(whole: str, *, double: str, narrow: str, wide: str) -> str:
    """Return a whole double below 2**126 as a wide integer, by two words of 63 bits.

    PostgreSQL casts a double to NUMERIC by its first 15 digits, Spark to DECIMAL by its shortest ones: both are wrong
    beyond 2**53. Splitting the magnitude at a power of two is exact, and so is the cast of each word.
    """
    size, unit = f"ABS({whole})", f"CAST('{float(_TWO_63)!r}' AS {double})"
    high = f"FLOOR({size} * CAST('{1 / _TWO_63!r}' AS {double}))"
    low = f"({size} - {high} * {unit})"
    words = [f"CAST(CAST({each} AS {narrow}) AS {wide})" for each in (high, low)]
    sign = f"CAST(CAST(SIGN({whole}) AS {narrow}) AS {wide})"
    return f"({sign} * ({words[0]} * CAST('{_TWO_63}' AS {wide}) + {words[1]}))"


def _postgres_labels(labels: Sequence[str]) -> str:
    listed = ", ".join(map(literal, labels))
    return f"(SELECT label, place - 1 AS code FROM unnest(ARRAY[{listed}]) WITH ORDINALITY AS given(label, place))"


POSTGRES = Dialect(
    name=engine_names.POSTGRESQL.recorded,
    double="DOUBLE PRECISION",
    infinity="CAST('Infinity' AS DOUBLE PRECISION)",
    nan="CAST('NaN' AS DOUBLE PRECISION)",
    narrow="BIGINT",
    wide="NUMERIC",
    text="TEXT",
    exact_text='CAST({0} AS TEXT) COLLATE "C"',
    wide_floor=_in_two_words("FLOOR({0})", double="DOUBLE PRECISION", narrow="BIGINT", wide="NUMERIC"),
    quotient="div({0}, {1})",
    count_if="COUNT(*) FILTER (WHERE {0})",
    series="generate_series(0, {0} - 1) AS declared(code)",
    number_from_text=None,  # its source refuses text for numbers: no cast of text is total
    matches="({0} ~ ('^(' || {1} || ')$'))",  # $ is the very end there, never a line end before it
    # In the collation C, which cells are compared in, no letter beyond ASCII is one.
    replaced="regexp_replace(({0}) COLLATE pg_catalog.\"default\", {1}, {2}, 'g')",
    capital="[[:upper:]]",
    letter="(?!A)[[:alpha:]]",
    lowered='lower(({0}) COLLATE pg_catalog."default")',
    plain_number="CAST(TRIM({0}) AS NUMERIC)",
    whole_number="CAST({0} AS BIGINT)",
    decimal="NUMERIC",
    same_decimal="{0}",
    whole_quotient="({0} / {1})",
    lot="CAST(CAST('x0' || substr(encode(sha256(convert_to({0}, 'UTF8')), 'hex'), 1, 15) AS BIT(64)) AS BIGINT)",
    octets="octet_length({0})",
    once="AS MATERIALIZED",
    bucket=None,
    quoted=literal,
    named=identifier,
    labels=_postgres_labels,
    stack=None,
    limb=None,  # its sum of BIGINT is a NUMERIC
)


# Spark


def _spark_literal(text: str) -> str:
    """Return text as bytes where it holds a quote, a backslash or a $: what they mean depends on settings of Spark.

    ${name} is replaced by a setting or by a variable of the environment, inside literals too.
    """
    if any(each in storable(text, "a text") for each in "'\\$"):
        return f"CAST(X'{text.encode().hex()}' AS STRING)"
    return f"'{text}'"


def _spark_identifier(name: str) -> str:
    """Return a name in the quotes of Spark, which reads text in double quotes as a literal.

    For showing: a release reads columns by their numbers, since Spark might replace a ${name} even here.

    >>> print(_spark_identifier("a `b` c"))
    `a ``b`` c`
    """
    return "`" + storable(name, "a name").replace("`", "``") + "`"


def _spark_labels(labels: Sequence[str]) -> str:
    joined = "\x00".join(storable(label, "a category") for label in labels).encode().hex()
    split = f"split(CAST(X'{joined}' AS STRING), CAST(X'00' AS STRING))"
    return f"(SELECT label, code FROM (SELECT posexplode({split}) AS (code, label)) AS given)"


# FLOOR gives BIGINT in Spark and fails or saturates beyond it; a double from 2**53 on is whole already.
_SPARK_FLOOR = (
    "CASE WHEN {0} > CAST('-9007199254740992' AS DOUBLE) AND {0} < CAST('9007199254740992' AS DOUBLE) "
    "THEN CAST(FLOOR({0}) AS DOUBLE) ELSE {0} END"
)
# The # is behind the last character, where $ would also match before a line end; so it is in number_from_text.
_SPARK_MATCHES = "(({0} || '#') RLIKE ('^(' || {1} || ')#$'))"
SPARK = Dialect(
    name=engine_names.SPARK.recorded,
    double="DOUBLE",
    infinity="CAST('Infinity' AS DOUBLE)",
    nan="CAST('NaN' AS DOUBLE)",
    narrow="BIGINT",
    wide="DECIMAL(38, 0)",
    text="STRING",
    exact_text="CAST({0} AS STRING) COLLATE UTF8_BINARY",
    wide_floor=_in_two_words(f"({_SPARK_FLOOR})", double="DOUBLE", narrow="BIGINT", wide="DECIMAL(38, 0)"),
    quotient="({0} div {1})",
    count_if="COUNT_IF({0})",
    series="range({0}) AS declared(code)",
    number_from_text="CASE WHEN ({0} || '#') RLIKE ('^' || {1} || '#$') THEN TRY_CAST({2} AS DOUBLE) END",
    matches=_SPARK_MATCHES,
    replaced="regexp_replace({0}, {1}, {2})",
    capital=r"[\p{Lu}\p{Lt}]",
    letter=r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]",
    lowered="lower({0})",
    plain_number=f"TRY_CAST(TRIM({{0}}) AS {_DECIMAL})",
    whole_number="TRY_CAST({0} AS BIGINT)",
    decimal=_DECIMAL,
    same_decimal=_SAME_DECIMAL,
    whole_quotient="({0} div {1})",
    lot="CAST(conv(substr(sha2({0}, 256), 1, 15), 16, 10) AS BIGINT)",
    octets="octet_length({0})",
    once=None,
    bucket=None,
    quoted=_spark_literal,
    named=_spark_identifier,
    labels=_spark_labels,
    many_cells=8,
    stack="stack({0}, {1})",
    limb=21,
)


DIALECTS = {each.name: each for each in (DUCKDB, SPARK, POSTGRES)}
