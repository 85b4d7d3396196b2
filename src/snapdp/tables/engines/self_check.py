"""Check of an engine before it sees a table: the statement of a release over known cells, with its integers pinned.

Infinity, NaN, products beyond 64 bits, floors at half steps, quotes in text: an engine that treats one of
them in another way than `generator` relies on gives wrong sums without an error, and the guarantee is about the right
ones. So every engine answers the real statement, in its own dialect, over fourteen public rows before its first table.

An engine that reads Parquet reads these rows from a file. Its column x is NaN but for one cell. Parquet writers leave
NaN out of the least and the greatest value, so that the file says of x that it is 11 throughout; of persons it says
that none is missing, where two are. What a file says of its cells decides nothing: an engine that believes it is
refused. Theory: docs/theory/exact-sums.md.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from snapdp.errors import PremiseError, SnapdpError
from snapdp.studies.aggregates import Aggregate, Count, Persons, Present, Products, Sum
from snapdp.studies.columns import BINNED, DROPPED, category_column, integer_column, number_column
from snapdp.studies.grouping.groups import groups_of
from snapdp.tables.sql.dialects import Dialect
from snapdp.tables.sql.generator import Script, SqlStatement, script
from snapdp.tables.sql.stored import LABEL, NUMERIC, TEXT, Field, Rows

if TYPE_CHECKING:
    from snapdp.tables.engines.engine import Engine

Cell = float | str | None
NAMES = ("x", "number", "label", "person")
ROWS: Sequence[tuple[Cell, ...]] = (
    (math.nan, math.inf, "1e400", "a"),
    (math.nan, 32.0, " 3.2e1 ", "a"),  # scaled to 2**63, where a cast to 64 bits ends
    (math.nan, 1000000.35, "1000000.35", "a"),  # a product of 2**80.3
    (math.nan, 1e300, "1e300", "b"),
    (math.nan, 0.35, "+.35", "A"),  # below 7/20, a half step that no double is
    (11.0, 2.0**-30, "it's", "b"),  # half a step, up
    (math.nan, -(2.0**-30), "it's", "b"),  # half a step, up too
    (math.nan, 2.0**-30 - 2.0**-83, "IT'S", None),  # the double below half a step
    (math.nan, 5e-324, '\\"$1', "a "),
    (math.nan, -0.0, "\u00e9", "a"),
    (math.nan, -math.inf, "e\u0301", None),
    (math.nan, math.nan, "it's ", "c"),
    (math.nan, None, "0x32", "c"),
    (math.nan, 0.0, None, "d"),
)
PARQUET = bytes.fromhex(  # ROWS, as pyarrow writes them; then the number of missing persons was set to 0
    "50415231150015ec0115ec012c151c1500150615061c18080000000000002640180800000000000026401600280800000000000026401808"
    "00000000000026401111000000020000001c01000000000000f87f000000000000f87f000000000000f87f000000000000f87f0000000000"
    "00f87f0000000000002640000000000000f87f000000000000f87f000000000000f87f000000000000f87f000000000000f87f0000000000"
    "00f87f000000000000f87f000000000000f87f150015e00115e0012c151c1500150615061c0000000400000018010302000000000000f07f"
    "0000000000004040333333b380842e419c7500883ce4377e666666666666d63f000000000000103e00000000000010beffffffffffff0f3e"
    "01000000000000000000000000000080000000000000f0ff000000000000f87f0000000000000000150015f20115f2012c151c1500150615"
    "061c000000040000001a0102000500000031653430300700000020332e326531200a000000313030303030302e3335050000003165333030"
    "040000002b2e3335040000006974277304000000697427730400000049542753040000005c22243102000000c3a90300000065cc81050000"
    "006974277320040000003078333215001588011588012c151c1500150615061c3600280164180141111100000003000000057f3b01000000"
    "6101000000610100000061010000006201000000410100000062010000006202000000612001000000610100000063010000006301000000"
    "641504195c35001806736368656d61150800150a250218017800150a250218066e756d62657200150c250218056c6162656c25004c1c0000"
    "00150c25021806706572736f6e25004c1c000000161c191c194c26001c150a19250600191801781500161c16ee0216ee0226083c18080000"
    "0000000026401808000000000000264016002808000000000000264018080000000000002640111100191c150015001502003c2906192600"
    "1c00000026001c150a192506001918066e756d6265721500161c168a02168a0226f602491c150015001502003c29061926021a0000002600"
    "1c150c192506001918056c6162656c1500161c169c02169c02268005491c150015001502003c167a19061926021a00000026001c150c1925"
    "0600191806706572736f6e1500161c16c60116c601269c073c3600280164180141111100191c150015001502003c161a1906192604180000"
    "0016da08161c260816da08002820706172717565742d6370702d6172726f772076657273696f6e2032362e302e31194c1c00001c00001c00"
    "001c0000008c01000050415231"
)

_ORIGIN = "snapdp_known_rows"
_CHECKED: WeakKeyDictionary[object, Dialect] = WeakKeyDictionary()


def check_engine(engine: Engine, connection: Any) -> None:
    """Refuse an engine that does not give the pinned integers; ask it once for whatever it calls its scope."""
    scope = engine.check_scope(connection)
    if _CHECKED.get(scope) is engine.dialect:
        return
    fault = ""
    try:
        with engine.known_rows(connection) as origin:
            # Whether an engine gives the pinned integers over the known rows.
            todo = _known_statements(engine.dialect)
            results = engine._select(connection, [each.text.replace(_ORIGIN, origin) for each in todo])
            found = Script(keys=(), statements=todo, dialect=engine.dialect).read(results)
            if not all(
                found[asked] == right for known in known_answers(engine.dialect) for asked, right in known.items()
            ):
                fault = "gives wrong results for a small table whose results are known"
    except SnapdpError:
        raise
    except Exception as error:
        fault = f"does not read a small table whose results are known ({type(error).__name__})"
    if fault:
        version = ""
        with suppress(Exception):
            version = engine.version(connection)
        raise PremiseError(
            f"{f'{engine.name} {version}'.strip()} {fault}, so snapdp does not trust it with yours.",
            "Install another version of the engine, and please report this one. Nothing was spent.",
        )
    _CHECKED[scope] = engine.dialect


@cache
def _known_statements(dialect: Dialect) -> tuple[SqlStatement, ...]:
    # The known rows as a statement sees them; numbers in text are those of the labels.
    numbers = [Field(name=each, reads=each, stored=dialect.double, kind=NUMERIC) for each in NAMES[:2]]
    texts = [Field(name=each, reads=each, stored=dialect.text, kind=LABEL) for each in NAMES[2:]]
    digits = Field(name="digits", reads="label", stored=dialect.text, kind=TEXT)
    rows = Rows(origin=_ORIGIN, fields=(*numbers, *texts, digits))
    scripts = [script(known, rows, dialect=dialect) for known in known_answers(dialect)]
    return tuple(each for todo in scripts for each in todo.statements if each.asked)


@cache
def known_answers(dialect: Dialect) -> list[Mapping[Aggregate, tuple[int, ...]]]:
    """Return aggregates of the known rows with their integers: those of rows, and one of persons."""
    by = groups_of(category_column("label", categories=["it's", '\\"$1', "\u00e9"], unknown=BINNED, null=BINNED))
    x = integer_column("x", lower=0, upper=10, missing=DROPPED)
    fine = number_column("number", lower=-2, upper=2, step=f"1/{2**29}", missing=DROPPED)  # computed in doubles
    name = "number" if dialect.number_from_text is None else "digits"  # the same integers either way
    tenths = number_column(name, lower="1/10", upper=2**21, step="1/10", missing=DROPPED)  # computed in 128 bits
    top, half = 2**31, 2**30  # the levels of 2 and of 0
    unknown = 4 * top**2 + (half + 187904819) ** 2 + half**2  # more than 64 bits
    grouped: dict[Aggregate, tuple[int, ...]] = {
        Count(where=(Present(column=fine),), by=by): (2, 1, 1, 7, 1),
        Sum(column=x, by=by): (10, 0, 0, 0, 0),
        Products(first=fine, second=fine, by=by): ((half + 1) ** 2 + half**2, half**2, half**2, unknown, half**2),
        Sum(column=tenths, by=by): (0, 0, 0, 2 * 20971519 + 319 + 10000002 + 2, 0),
    }
    kept = Count(persons=Persons(columns=("person",), most=2))
    return [grouped, {kept: (9,)}]  # two of a, b and c each, one of A, "a " and d each


def literal_rows(dialect: Dialect) -> str:
    """Return the known rows as constants of a statement."""

    def literal(cell: Cell, place: int) -> str:
        if cell is None:
            return f"CAST(NULL AS {dialect.double if place < 2 else dialect.text})"
        if isinstance(cell, str):
            return dialect.quoted(cell)
        if math.isfinite(cell):
            return f"CAST('{cell!r}' AS {dialect.double})"
        return dialect.nan if math.isnan(cell) else dialect.infinity if cell > 0 else f"-{dialect.infinity}"

    lines = (", ".join(f"{literal(cell, i)} AS {NAMES[i]}" for i, cell in enumerate(row)) for row in ROWS)
    return f"({' UNION ALL '.join(f'SELECT {line}' for line in lines)}) AS known"


@contextmanager
def parquet_rows() -> Iterator[Path]:
    """Write the known rows to a private file that is removed afterwards, and return its path."""
    with ExitStack() as opened:
        try:
            file = opened.enter_context(tempfile.NamedTemporaryFile(prefix="snapdp-", suffix=".parquet", buffering=0))
            is_whole = file.write(PARQUET) == len(PARQUET)
        except OSError:
            is_whole = False
        if not is_whole:
            raise PremiseError(
                "there is no place for a temporary file of 1 KB, which the engine must read before it reads a table.",
                "Let the environment variable TMPDIR name a directory that can be written to. Nothing was spent.",
            )
        yield Path(file.name).resolve()
