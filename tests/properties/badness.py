"""Bad studies, bad tables and bad commands, from a seed. A canary is planted in the cells: it may turn up nowhere.

Each case starts from something sound and is spoilt in one to three places, so that most get far before they are
refused; some are not refused at all, which is as good: then nothing of the cells may be seen either.
"""

from __future__ import annotations

import copy
import datetime
import gzip
import json
import random
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas
import polars
import pyarrow

from snapdp.randomness.bits import BitSource

WORD, NUMBER = "kanarienvogel", 867530986753098  # a text and a number that stand in cells and nowhere else
TRACES = (WORD, WORD.upper(), "86753098675309")  # how the number prints: whole, with a point somewhere, as a power

SOUND: dict[str, Any] = {
    "format": 1,
    "dataset": "people",
    "relation": "change-one",
    "n": 6,
    "budget": "9",
    "columns": {
        "x": {"kind": "number", "lower": 500, "upper": 1000, "step": "1/4", "missing": 700},
        "k": {"kind": "integer", "lower": -3, "upper": 40, "missing": "middle"},
        "g": {"kind": "category", "categories": ["a", "b", "c"], "unknown": "binned", "null": "dropped"},
    },
    "statistic": [
        {"kind": "mean", "column": "x", "epsilon": "1/3", "alpha": "1/20"},
        {"kind": "sum", "column": "k", "by": "g", "epsilon": "0.25"},
        {"kind": "count", "where": [{"column": "x", "from": 600, "below": 900}], "epsilon": 1, "lock": True},
        {"kind": "count", "where": [{"column": "g", "equals": "a"}], "by": "g", "epsilon": 1},
        {"kind": "variance", "column": "x", "epsilon": 1},
        {"kind": "covariance", "columns": ["x", "k"], "epsilon": 1},
        {"kind": "variance", "column": "k", "by": "g", "epsilon": 1},
        {"kind": "histogram", "column": "g", "accuracy": "3", "alpha": "0.1"},
        {"kind": "histogram", "column": "x", "edges": [500, 600, 1000], "outside": "binned", "by": "g", "epsilon": 1},
    ],
}
CELLS: dict[str, list[Any]] = {
    "x": [512.5, float(NUMBER), None, 700.0, -float(NUMBER), 999.0],
    "k": [1.0, float(NUMBER), 3.0, None, 5.0, 40.0],
    "g": ["a", WORD, None, "b", WORD.upper(), "a"],
}
WRONG: list[Any] = [
    None, True, False, 0, 1, -1, 7, 10**30, -(10**400), 0.5, 1e308, float("nan"), float("inf"), Decimal("1e-400"),
    "", " ", "0", "-1", "1/0", "1/3", "nan", "inf", "1e400", "1e999999", "0.1.2", "1_000", "\u0661", "x", "g", "k", "a",
    "change-one", "add-remove", "number", "integer", "category", "mean", "count", "persons", "histogram", "dropped",
    "binned", "quantiles",
    "\x00", "\ud800", "a\nb", "[/b]", "[red]", "'; DROP TABLE x; --", '"', "é" * 200, "=1+1", "../../etc/passwd", [],
    {}, [1], ["x"], ["x", "x"], ["a", "a"], [None], [[1]], [1000, 500], [500, 500.0001], {"column": "x"},
    [{"column": "x", "from": 600}], [{}], {"x": 1}, datetime.date(2026, 1, 1), "1e-300", "0.999999999999", 2**1000,
    "2**3", [0] * 50, "n_max", {"kind": "number", "lower": 0, "upper": 1, "missing": "middle"}, b"bytes", object,
]  # fmt: skip
KEYS = [
    "n", "n_max", "person", "rows_per_person", "groups_per_person", "unit_rows", "budget", "lower", "upper",
    "step", "missing", "categories", "unknown",
    "null", "epsilon", "accuracy", "alpha", "lock", "column", "columns", "by", "where", "edges", "outside",
    "count_share", "correlation", "kind", "colour", "", "\x00", "relation",
]  # fmt: skip


class SeededBits:
    """Bits from a seed: a failure is found again."""

    def __init__(self, seed: object) -> None:
        self.dice = random.Random(str(seed))

    def first_word(self, position: int = 0) -> int:  # noqa: ARG002
        return self.dice.getrandbits(64) - (1 << 63)

    def first_words(self) -> Any:
        def fill(buffer: Any) -> None:
            buffer[:] = self.dice.randbytes(len(buffer))

        return fill

    def extension(self, position: int = 0) -> Iterator[int]:  # noqa: ARG002
        while True:
            yield self.dice.getrandbits(64)


def seeded(statistic: int, part: int) -> BitSource:
    return SeededBits((statistic, part))


# Studies -------------------------------------------------------------------------------------------------------------


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of everything in a study."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, each in inside for place in places(each, (*path, key)))]


def bad_study(dice: random.Random) -> dict[Any, Any]:
    """Return a study spoilt in one to three places."""
    values = copy.deepcopy(SOUND)
    values["statistic"] = dice.sample(values["statistic"], dice.randint(1, 3))
    if dice.random() < 0.4:
        values["relation"], values["n_max"] = "add-remove", values.pop("n")
    for _ in range(dice.randint(1, 3)):
        _spoil(values, dice)
    return values


def _spoil(values: dict[str, Any], dice: random.Random) -> None:
    path = dice.choice(places(values)[1:] or [("format",)])
    at: Any = values
    for step in path[:-1]:
        at = at[step]
    how = dice.random()
    if how < 0.55:
        at[path[-1]] = copy.deepcopy(dice.choice(WRONG))
    elif how < 0.7:
        del at[path[-1]]
    elif how < 0.85 and isinstance(at, dict):
        at[dice.choice(KEYS)] = copy.deepcopy(dice.choice(WRONG))
    elif isinstance(at, list):
        at.append(copy.deepcopy(dice.choice([*WRONG, *at])))
    else:
        at[f"{path[-1]} "] = at.pop(path[-1])


def toml(value: Any) -> str:
    """Return a value as TOML writes it, where it has a way; some of these texts are no TOML, which is bad as well."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value) if isinstance(value, (str, bool, int)) else str(value)


def toml_file(values: dict[Any, Any]) -> str:
    return "".join(f"{json.dumps(str(key))} = {toml(value)}\n" for key, value in values.items())


# Tables --------------------------------------------------------------------------------------------------------------


def sound_csv() -> str:
    rows = zip(*CELLS.values(), strict=True)
    return "x,k,g\n" + "".join(",".join("" if c is None else str(c) for c in row) + "\n" for row in rows)


def bad_bytes(content: bytes, dice: random.Random) -> bytes:
    """Return a file with something torn out of it, doubled, put into it or changed."""
    place = dice.randrange(len(content) + 1)
    stray = dice.choice(
        [b'"', b"\n", b",", b"\x00", b"\xff\xfe", b"\r", b'""', b"a,b,c,d\n", b"\xef\xbb\xbf", b"'", b"\xed\xa0\x80"]
    )
    return dice.choice(
        [
            content[:place],
            content[place:],
            content[:place] + stray + content[place:],
            content[:place] + dice.randbytes(dice.randint(1, 9)) + content[place + 4 :],
            content + content[: dice.randrange(len(content) + 1)],
            b"",
        ]
    )


def bad_table(dice: random.Random, folder: Path) -> tuple[Any, dict[str, Any]]:
    """Return some data and the options to open them with."""
    kind = dice.choice(["csv", "csv", "csv", "gzip", "parquet", "types", "database", "columns", "frame", "nothing"])
    if kind in ("csv", "gzip"):
        path = folder / ("people.csv" if kind == "csv" else "people.csv.gz")
        content = sound_csv().encode()
        if kind == "gzip":
            content = gzip.compress(content)
        path.write_bytes(bad_bytes(content, dice))
        return path, {}
    if kind in ("parquet", "types"):
        path = folder / "people.parquet"
        with duckdb.connect() as connection:
            connection.execute(
                f"COPY ({stored(dice) if kind == 'types' else stored(None)}) TO '{path}' (FORMAT parquet)"
            )
        if kind == "parquet":
            path.write_bytes(bad_bytes(path.read_bytes(), dice))
        return path, {}
    if kind == "database":
        path = folder / "people.duckdb"
        path.unlink(missing_ok=True)
        with duckdb.connect(str(path)) as connection:
            connection.execute(f"CREATE {dice.choice(['TABLE', 'VIEW'])} people AS {stored(dice)}")
        if dice.random() < 0.3:
            path.write_bytes(bad_bytes(path.read_bytes(), dice))
        return path, {"table": dice.choice(["people", "people", "PEOPLE", "other", "", "\x00", 'a"b'])}
    if kind == "columns":
        return _spoilt_columns(dice), {}
    if kind == "frame":
        return _frame(dice), {}
    strange = [None, 3, "absent.csv", "people.xlsx", folder, b"x", [], {}, set(), [1], "", "\x00.csv", "*.parquet"]
    return dice.choice([*strange, object()]), {}


def stored(dice: random.Random | None) -> str:
    """Return a SELECT of the cells; some of them in types that are none of the declared ones."""
    kinds = ["DOUBLE", "DOUBLE", "VARCHAR"]
    if dice is not None:
        other = ["VARCHAR", "BIGINT", "HUGEINT", "TIMESTAMP", "DATE", "BLOB", "DOUBLE[]", "DECIMAL(38, 3)", "BOOLEAN",
                 "STRUCT(a DOUBLE)", "UUID", "FLOAT", "BIT", "INTERVAL", "JSON"]  # fmt: skip
        kinds = [dice.choice([kind, dice.choice(other)]) for kind in kinds]
    names = ["x", "k", "g"] if dice is None or dice.random() < 0.8 else dice.choice([["X", "k", "g"], ["x", "k", "h"]])
    rows = ", ".join(
        "(" + ", ".join("NULL" if c is None else f"'{c}'" for c in row) + ")"
        for row in zip(*CELLS.values(), strict=True)
    )
    cast = ", ".join(
        f'TRY_CAST(c{i} AS {kind}) AS "{name}"' for i, (kind, name) in enumerate(zip(kinds, names, strict=True))
    )
    return f"SELECT {cast} FROM (VALUES {rows}) AS v(c0, c1, c2)"


def _spoilt_columns(dice: random.Random) -> Any:
    columns: dict[Any, Any] = {name: list(cells) for name, cells in CELLS.items()}
    name = dice.choice(list(columns))
    cells = columns[name]
    strange = [
        lambda: cells[:-1],
        lambda: [*cells, NUMBER],
        lambda: np.array([[NUMBER, 2], [3, 4]]),
        lambda: np.array(NUMBER),
        lambda: WORD,
        lambda: {WORD: NUMBER},
        lambda: NUMBER,
        lambda: None,
        lambda: [
            *cells[:-1],
            dice.choice([[WORD], {WORD: 1}, object(), b"x", 1j, 10**5000, "\ud800", WORD + "\x00", Odd()]),
        ],
        lambda: np.array([1j * NUMBER] * 6),
        lambda: np.array(["2026-01-01"] * 6, dtype="datetime64[D]"),
        lambda: np.array([(NUMBER, 2.0)] * 6, dtype=[("a", "i8"), ("b", "f8")]),
        lambda: np.array([NUMBER] * 6, dtype=np.longdouble),
        lambda: tuple(cells),
        lambda: iter(cells),
        lambda: range(6),
        lambda: np.array([True] * 6),
        lambda: np.ma.masked_array([NUMBER] * 6, mask=[1, 0, 1, 0, 1, 0]),
    ]
    columns[name] = dice.choice(strange)()
    if dice.random() < 0.2:
        columns[dice.choice([1, None, "other", ("x",)])] = cells
    return columns


class Odd:
    """An object that cannot even be printed."""

    def __repr__(self) -> str:
        raise RuntimeError(WORD)

    __str__ = __repr__


def _frame(dice: random.Random) -> Any:
    name = dice.choice(["x", "k", "g"])
    cells = dice.choice(
        [
            [None] * 6,
            [datetime.datetime(2026, 1, 1)] * 6,
            [b"bytes"] * 6,
            [[NUMBER]] * 6,
            [{"a": NUMBER}] * 6,
            [Decimal(NUMBER)] * 6,
            [True, False] * 3,
            [NUMBER] * 6,
            [WORD] * 6,
            [datetime.timedelta(days=NUMBER % 1000)] * 6,
        ]
    )
    columns = {**CELLS, name: cells}
    kind = dice.choice(["pandas", "polars", "arrow", "twice", "pandas types"])
    if kind == "polars":
        return polars.DataFrame(columns, strict=False)
    if kind == "arrow":
        return pyarrow.table(columns)
    frame = pandas.DataFrame(columns)
    if kind == "twice":
        return pandas.concat([frame, frame[[name]]], axis=1)
    if kind == "pandas types" and not isinstance(cells[0], (list, dict)):  # pandas itself refuses these
        frame[name] = frame[name].astype(dice.choice(["object", "string", "category"]))
    return frame


# Commands ------------------------------------------------------------------------------------------------------------

WORDS = [
    "", " ", "-1", "0", "1", "6", "nan", "1/0", "1e999999", "0,120", "120,0", "0,0", "a,b", "a,a", "x=0,1", "x", "k",
    "g", "x,k", "k,k", "x>=600", "x<9", "g=a", "g=?", "x>=a", "<<", "in/people.csv", "in/study.toml", "absent.toml",
    "change-one.ledger", "absent.ledger", "in", "out", ".", "out/r.html", "out/r.xml", "out/absent/r.json", "--yes",
    "--json", "\ud800", "é", "[/red]", "9" * 400, "people", "other", "add-remove", "--help", "--fit", "1/2", "\x07",
]  # fmt: skip
FLAGS = [
    "--mean", "--sum", "--count", "--variance", "--covariance", "--histogram", "--where", "--by", "--bounds",
    "--missing", "--integer", "--step", "--categories", "--edges", "--n", "--n-max", "--person", "--rows-per-person",
    "--persons", "--groups-per-person", "--unit-rows",
    "--epsilon", "--accuracy", "--alpha", "--ledger", "--dataset", "--budget", "--report", "--record", "--values",
    "--directory", "--data", "--table", "--cap", "--relation", "--against", "--colour",
]  # fmt: skip
COMMANDS = [
    "release in/people.csv --mean x --bounds 500,1000 --missing 700 --n 6 --epsilon 1 --ledger change-one.ledger --yes",
    "release in/people.csv --histogram g --categories a,b --n-max 6 --epsilon 0.5 --ledger add-remove.ledger --yes",
    "release in/study.toml --data in/people.csv --ledger change-one.ledger --yes --report out/r.html --json",
    "release in/people.csv --count --where x>=600 --where g=a --bounds 500,1000 --missing dropped "
    "--categories a,b --n 6 --epsilon 1 --ledger change-one.ledger --yes --record out/r.json --values out/v.csv",
    "plan in/study.toml --json",
    "plan --mean x --bounds 0,120 --missing middle --n 5000 --epsilon 0.5",
    "plan --persons --by g --categories a,b --groups-per-person 2 --n-max 6 --person k,x --epsilon 0.5",
    "ledger create out/more.ledger --dataset people --cap 1 --relation add-remove --n-max 6 --unit-rows 2",
    "plan in/study.toml --sql",
    "inspect in/people.csv --mean x --bounds 500,1000",
    "inspect in/study.toml --data in/people.csv",
    "init out/new.toml --dataset people --mean x --bounds 500,1000 --missing 700 --n 6 --epsilon 1",
    "ledger create out/new.ledger --dataset people --cap 1 --relation change-one --n 6",
    "ledger create out/from.ledger --from in/study.toml --cap 9",
    "ledger amend out/new.ledger --dataset people --cap 2 --reason more",
    "ledger amend out/more.ledger --close --reason done",
    "ledger show change-one.ledger",
    "ledger history change-one.ledger --json",
    "ledger verify change-one.ledger --against out/r.json",
]


def bad_command(dice: random.Random) -> list[str]:
    """Return a command with some of its words left out, doubled, changed or put in."""
    words = dice.choice(COMMANDS).split()
    for _ in range(dice.randint(0, 3)):
        place = dice.randrange(1, len(words)) if len(words) > 1 else 0
        how = dice.random()
        if how < 0.2:
            del words[place : place + dice.randint(1, 2)]
        elif how < 0.6 and len(words) > place:
            words[place] = dice.choice(WORDS)
        else:
            words[place:place] = [dice.choice(FLAGS), dice.choice(WORDS)]
    return words or ["release"]
