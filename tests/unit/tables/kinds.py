"""Cells of text that try every rule of categories, and the codes that an engine gives to each of them."""

from __future__ import annotations

import random
from collections.abc import Sequence

from snapdp.studies.categories import boolean_column, compared, date_column
from snapdp.studies.columns import CategoryColumn, category_column, integer_column
from snapdp.tables.engines.engine import Engine
from snapdp.tables.sql.dialects import DUCKDB
from snapdp.tables.sql.generator import _names, _StatementWriter
from snapdp.tables.sql.persons import person_text

RULES = {"unknown": "binned", "null": "binned"}
PLACE = integer_column("place", lower=0, upper=1_000_000, missing="middle")
MANY = [str(i) for i in range(-40, 40)] + ["0.5", "1.25", "-0.125", "999999999999999", "0.00000000000001"]


def number_categories(name: str, categories: Sequence[str]) -> CategoryColumn:
    return compared(category_column(name, categories=categories, **RULES), "numbers")


COLUMNS = [
    boolean_column("cell", **RULES),
    number_categories("cell", ["0", "1", "2.50", "-3"]),
    number_categories("cell", MANY),
    category_column("cell", categories=["0", "1", "true", "2024-02-29"], **RULES),
    *(date_column("cell", start="2024-01-31", end="2024-03-15", each=each, **RULES) for each in ("day", "week")),
    *(date_column("cell", start="1582-10-04", end="2100-03-01", each=each, **RULES) for each in ("month", "year")),
    date_column("cell", start="0001-01-01", end="0004-12-31", each="week", **RULES),
    date_column("cell", start="9998-02-28", end="9999-12-31", each="day", **RULES),
    date_column("cell", start="0001-01-01", end="9999-12-31", each="year"),
]

HAND_MADE = [
    None, "", " ", "0", "1", "-0", "+1", "01", "1.0", "0.0", " 1.00 ", "1.", ".0", "-.0", ".", "+", "2.5", "2.500",
    "-3", "-3.0", "3", "1e0", "1E2", "1e999", "inf", "NaN", "nan", "Infinity", "0x1", "1,0", "1 0", "1\n", "\n1",
    "1\t", "1\r", "\u0661", "\uff11", "\u00b2", "1\u00a0", "\u2007" + "1", "1\u0660", "1;", "1#", "#", "1_000", "--1",
    "999999999999999", "999999999999999.0", "1000000000000000", "0" * 14 + "1", "0" * 15 + "1", "0." + "0" * 15,
    "0." + "0" * 16, "1." + "0" * 300, "0.00000000000001", "0.000000000000010", "9" * 400, "0.5", ".5", "1.25",
    "-0.125", "-0.1250000000000001", "true", "TRUE", "True", "tRuE", "t", "T", "yes", "Yes", "y", "Y", "false",
    "FALSE", "f", "no", "NO", "n", "N", " yes ", "truee", "tru", "yess", "ye", "noo", "fals", "on", "off", "ja",
    "t rue", "tru\u00e9", "\u0131", "TRU\u0130", "f\u0430lse", "2024-02-29", "2024-02-30", "2023-02-29", "1900-02-29",
    "2000-02-29", "2100-02-29", "2100-03-01", "2024-01-31", "2024-01-30", "2024-03-15", "2024-03-16", "2024-00-10",
    "2024-13-10", "2024-02-00", "2024-04-31", "2024-02-32", "2024-99-99", "0000-00-00", "0000-01-01", "0001-01-01",
    "0004-12-31", "0004-02-29", "9999-12-31", "9998-02-28", "10000-01-01", "99999-01-01", "-0044-03-15", "-2024-02-10",
    "+2024-02-10", "2024-2-10", "2024-02-1", "20240210", "2024/02/10", "10.02.2024", "2024-02", "2024", "2024-W06",
    "2024-W06-1", "24-02-10", "2024-02-10T12:00", "2024-02-10 12:00:00", "2024-02-10T12:00:00.123456789",
    "2024-02-10T12:00:00,5Z", "2024-02-10 12:00:00+05:30", "2024-02-10 23:59:59 -0800", "2024-02-10 12:00:00 UTC",
    "2024-02-10T99:99", "2024-02-10T", "2024-02-10x", "2024-02-10 to 2024-02-12", "2024-02-10 ", "  2024-02-10  ",
    "2024-02-10\n", "\n2024-02-10", "2024-02-10\t", "2024-02-10T12", "2024-02-10T12:00:00.1234567890",
    "2024-02-10T12:00:00 Europe/Berlin", "2024\u201302\u201310", "\u0662\u0660\u0662\u0664-02-10", "2024-02-1\u0660",
    "2024-02-10#", "infinity", "-infinity", "epoch", "today", "now", "NaT", "1582-10-04", "1582-10-10", "1582-10-15",
    "2024-02-29T00:00:00Z", "2024-12-30", "2024-12-31", "2025-01-01", "it's", 'a"b', "\\", "$", "${x}", "%s",
    "\U0001f71a", "a" * 5000,
]  # fmt: skip


def cells(seed: int, count: int) -> list[str | None]:
    """Return the hand-made cells, and others near them."""
    dice = random.Random(f"cells {seed}")
    alphabet = "0123456789-+. :TZtrueyesfalno\n#\u0661"
    texts = [each for each in HAND_MADE if each is not None and len(each) < 40]
    found: list[str | None] = list(HAND_MADE)
    while len(found) < count:
        kind = dice.randrange(4)
        if kind == 0:
            found.append(f"{dice.randint(0, 9999):04}-{dice.randint(0, 13):02}-{dice.randint(0, 32):02}")
        elif kind == 1:
            found.append(f"2024-{dice.randint(1, 3):02}-{dice.randint(1, 31):02}{dice.choice(['', ' 10:00', 'T1'])}")
        elif kind == 2:
            found.append(f"{dice.choice(['', '-', '+'])}{dice.randint(0, 45)}{dice.choice(['', '.0', '.5', '.250'])}")
        else:
            text = list(dice.choice(texts))
            text.insert(dice.randint(0, len(text)), dice.choice(alphabet))
            if len(text) > 1 and dice.random() < 0.5:
                del text[dice.randrange(len(text))]
            found.append("".join(text))
    return found


def codes(engine: Engine, column: CategoryColumn) -> list[int | None]:
    """Return the code of every row, in the order of `place`; None where a row is in no cell."""

    def read(connection):
        engine.source.prepare(connection)
        rows = engine.source.open(connection, [PLACE, column])
        levels = level_rows([PLACE, column], rows, dialect=engine.dialect)
        return engine._select(connection, [f"SELECT q0, COALESCE(q1, -1) FROM ({levels}) AS l ORDER BY 1"])[0]

    found = engine._guarded(read)
    assert [place for place, _ in found] == list(range(len(found)))
    return [None if code == -1 else code for _, code in found]


def level_rows(columns, rows, *, dialect=DUCKDB, persons=None, salt=""):
    """Return a SELECT of the levels of every row: what all counts and sums are taken over.

    With persons: of every row that is kept, and the text of the person last.
    """
    names = _names(columns)
    writer = _StatementWriter(rows, dialect, {}, persons.person_columns if persons else (), names, salt)
    person = [f"{person_text(writer.persons, dialect)} AS person"] if persons else []
    over = writer.levels(names, persons.most if persons else 0)
    return f"SELECT {', '.join([*names.values(), *person])}\nFROM {over}"
