"""Forgeries that are consistent: something is declared that nobody could, and all that follows from it is made to fit.

Whoever forges a record can compute titles, parts, numbers and digests as well as a library can. So a change of what is
declared is completed in both ways that exist: as the independent checker derives the rest, and as the library does.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from snapdp.audits import check_release
from snapdp.audits.release_audit import rebuilt
from snapdp.errors import SnapdpError
from tests.unit.audits.mutations import FILE, Path, at, places, with_value, without
from tests.unit.audits.releases import request_record

MOST_DRAWN = 30_000  # cells of a record that is made
FOLLOWS = {"title", "parts", "derived", "charged", "request"}  # from what is declared
FREE = (  # what follows from nothing
    *("format", "dataset", "dataset_version", "previous", "engine", "csv", "versions"),
    *("date", "title", "publisher", "contact", "bounds_from"),
)
LIBRARY = {"spark": {"pyspark": "4.1.0"}, "postgresql": {"postgresql": "17.2"}}
NAMES = ("", "\0", "a\0b", "\ud800", "x", "age", "region", "id", "(null)", " ")
NUMBERS = (
    "0", "1", "-1", "1/2", "1/3", "7", "65/2", "121", "1e3", "0.5", "2/4", "-0", "9" * 1001, f"1/{'7' * 990}",
    *(str(1 << bits) for bits in (52, 63, 900, 901, 1000, 1100)),
    *(f"1/{1 << bits}" for bits in (20, 31, 940, 941, 1074)),
    str(10**300), f"1/{10**300}", f"{10**300 + 1}/3",
)  # fmt: skip
CHOICES = ("dropped", "binned", "middle", "numbers", "text", "day", "week", "month", "year", "true", "2024-01-01")
WORDS = (
    "count",
    "persons",
    "sum",
    "mean",
    "variance",
    "covariance",
    "histogram",
    "quantiles",
    "number",
    "integer",
    "category",
    "boolean",
    "date",
)
DIALECTS: list[dict[str, Any]] = [
    {"encoding": "latin-1", "nulls": ["", "\u20ac"]},
    {"encoding": "latin-1", "nulls": ["", "\x80"]},
    {"encoding": "latin-1", "nulls": ["", "\xe4"]},
    {"nulls": ["", "\ud800"]},
    {"nulls": ["\x80"]},
    {"nulls": ["\0"]},
    {"nulls": []},
    {"delimiter": "\t", "nulls": ["", "\t"]},
    {"delimiter": ";", "quote": "'", "thousands": "."},
]
COLUMNS: list[dict[str, Any]] = [
    {"name": "age", "kind": "integer", "lower": "0", "upper": "120", "step": "1", "missing": "60"},
    {"name": "age", "kind": "integer", "lower": "0", "upper": "120", "step": "5", "missing": "dropped"},
    {"name": "v", "kind": "number", "lower": "0", "upper": "3", "step": "1", "missing_in_sums": "2"},
    {"name": "v", "kind": "number", "lower": "0", "upper": "1", "step": "1/1048576", "missing_in_sums": "0"},
    {
        "name": "w",
        "kind": "number",
        "lower": str(10**30),
        "upper": str(10**30 + 7),
        "step": "1/3",
        "missing": "dropped",
    },
    {"name": "region", "kind": "category", "categories": ["north", "south"], "unknown": "binned", "null": "dropped"},
    {
        "name": "c",
        "kind": "category",
        "categories": ["0", "1"],
        "unknown": "dropped",
        "null": "binned",
        "compare": "numbers",
    },
    {"name": "b", "kind": "boolean", "unknown": "dropped", "null": "dropped"},
    {
        "name": "d",
        "kind": "date",
        "from": "2024-01-03",
        "to": "2024-04-01",
        "each": "month",
        "unknown": "dropped",
        "null": "dropped",
    },
]
ENDS: list[dict[str, Any]] = [
    {"from": "1/2"}, {"below": "1"}, {"from": "1/3", "below": "2/3"}, {"from": "5", "below": "10"},
    {"from": "11/2", "below": "23/4"}, {"from": "10", "below": "5"}, {"below": "0"}, {},
]  # fmt: skip
NAMED = [
    (5, "north"), (5, "(unknown)"), (6, "1"), (6, "1.0"), (6, "(null)"), (7, "true"), (7, "yes"), (8, "2024-01"),
    (8, "2024-01-04"), (8, "(unknown)"),
]  # fmt: skip
CONDITIONS: list[dict[str, Any]] = [
    *({"column": column, **ends} for column in COLUMNS[:4] for ends in ENDS),
    *({"column": COLUMNS[place], "equals": text} for place, text in NAMED),
    {"column": COLUMNS[8], "from": "2024-02"},
    {"column": COLUMNS[8], "from": "2024-01"},
    {"column": COLUMNS[8], "from": "2024-02", "below": "2024-02"},
]
EDGES = [
    ["0", "1"],
    ["0", "1/2", "1"],
    ["1/3", "2/3"],
    ["0", "1", "1"],
    ["1", "0"],
    ["0"],
    [],
    ["0", "18", "65"],
    ["5/2", "3"],
]
BINS = {"edges": ["0", "1"], "outside": "dropped", "null": "dropped"}
BINNED: list[dict[str, Any]] = [  # columns of numbers that groups may be by
    *({**column, **BINS} for column in COLUMNS[:4]),
    {**COLUMNS[2], **BINS, "edges": ["1", "2"], "outside": "binned", "null": "binned"},
    {**COLUMNS[2], **BINS, "edges": ["1/2", "2"]},
    {**COLUMNS[2], **BINS, "edges": ["0", "4"]},
    {**COLUMNS[2], **BINS, "null": "kept"},
    {**COLUMNS[2], "edges": ["0", "1"]},
]
PARENTS: list[Any] = [  # of two categories, or of none
    [{"level": "half", "of": ["all", "all"]}],
    [{"level": "half", "of": ["a", "b"]}],
    [{"level": "half", "of": ["a", "b"]}, {"level": "all", "of": ["x", "x"]}],
    [{"level": "region", "of": ["a", "b"]}],
    [{"level": "", "of": ["a", "b"]}],
    [{"level": "half", "of": ["a"]}],
    [{"level": "half", "of": ["(null)", "(unknown)"]}],
    [{"level": "half"}],
    [],
    {},
]
FINE = [str(Fraction(i, 102)) for i in range(1, 101)]  # as many shares as there may be
MORE: dict[str, list[Any]] = {  # what a statistic may say as well
    "where": [[each] for each in CONDITIONS] + [[CONDITIONS[0], CONDITIONS[1]], [CONDITIONS[-1], CONDITIONS[-3]], []],
    "edges": EDGES,
    "columns": [[each] for each in COLUMNS] + [COLUMNS[:1] * 2, [COLUMNS[0], COLUMNS[2]], []],
    "by": [
        *COLUMNS,
        *BINNED,
        [COLUMNS[5], COLUMNS[7]],
        [COLUMNS[5], BINNED[0]],
        [COLUMNS[5]] * 2,
        [COLUMNS[5]],
        [],
        [COLUMNS[5], COLUMNS[0]],
        [BINNED[2], COLUMNS[6]],
        *({**COLUMNS[5], "parents": each} for each in PARENTS),
        [{**COLUMNS[5], "parents": PARENTS[0]}, COLUMNS[7]],
    ],
    "outside": ["dropped", "binned"],
    "missing": ["dropped", "binned"],
    "count_share": ["1/2", "1/4", "3/4", "1", "0"],
    "rows_per_person": [1, 2, 3, 0, -1, True, "2", 10**400],
    "groups_per_person": [1, 2, 3, 9, 0, -1, True, "1", 10**400],
    "margins": [
        [[]],
        [[], ["region"]],
        [["region"], []],
        [["region"], ["sick"]],
        [["region", "sick"]],
        [["region"], ["region"]],
        [["age"]],
        [["region", "region"]],
        ["region"],
        "all",
        "hierarchy",
        [],
    ],
    "shares": [["1"], ["1/2", "1/2"], ["1/3", "2/3"], ["1/4", "1/4", "1/4", "1/4"], ["1/2"], ["0", "1"], []],
    "at": [
        ["1/2"],
        ["1/4", "3/4"],
        ["3/4", "1/4"],
        ["1/2", "1/2"],
        ["0"],
        ["1"],
        ["0.5"],
        [],
        FINE,
        [*FINE, "101/102"],
    ],
    "branching": [2, 3, 4, 7, 8, 121, 1, 0, -1, True, "2", 10**400],
    "epsilon": [*NUMBERS],
    "alpha": [*NUMBERS],
}
TOP: dict[str, list[Any]] = {
    "csv": DIALECTS,
    "own": ["ann", "", "\0", "\ud800"],
    "person": [*NAMES, ["id", "x"], ["x", "id"], ["id"], ["id", "id"], [], ["id", 1], ["id", "\0"], [["id"], "x"]],
    "rows_per_person": [1, 2, 0, -1, True, 10**400],
    "unit_rows": [1, 2, 30, 0, -1, True, "2", 10**400],
    "n": [1, 2, 0, 10**12, 1 << 62, 10**290, 10**400],
    "n_max": [1, 2, 10**12, 1 << 62, 10**290, 10**400],
    "engine": ["duckdb", "spark", "postgresql", ""],
    "format": [1, 2, 3],
    "dataset": [*NAMES],
    "dataset_version": ["0" * 16, "\uff10" * 16],
}


def others(value: Any, key: Any) -> Iterator[Any]:
    """Yield what may stand in place of something declared."""
    if key in MORE or key in TOP:
        yield from {**TOP, **MORE}[key]
    if key == "column":
        yield from COLUMNS
    if isinstance(value, str):
        yield from (*NAMES, *NUMBERS, *CHOICES, *WORDS)
    if isinstance(value, list) and value:
        yield from (value[:-1], [*value, value[-1]], value[::-1], [value[0], *value])


def declared_places(record: dict[str, Any]) -> list[Path]:
    """Return the ways to everything that is declared: all but what follows from it."""
    return [path for path in places(record) if not FOLLOWS & {*path} and path[0] != "versions"]


def spoilt(record: dict[str, Any], dice: random.Random) -> tuple[Path, dict[str, Any]]:
    """Return a record in which something else is declared, once or twice, and where."""
    path: Path = ()
    for _ in range(dice.choice([1, 1, 2])):
        path = dice.choice(declared_places(record))
        choices = list(others(at(record, path), path[-1]))
        how = dice.random()
        if how < 0.6 and choices:
            record = with_value(record, path, copy.deepcopy(dice.choice(choices)))
        elif how < 0.75:
            key = dice.choice(list(MORE))
            path = ("statistics", 0, key)
            record = with_value(record, path, copy.deepcopy(dice.choice(MORE[key]))) if record["statistics"] else record
        elif how < 0.9:
            key = dice.choice(list(TOP))
            path = (key,)
            record = with_value(record, path, copy.deepcopy(dice.choice(TOP[key])))
        else:
            record = without(record, path)
        if not record.get("statistics"):
            break
    return path, fitting(record)


def fitting(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record whose versions are those of its engine, and which has one where its version names it."""
    own = LIBRARY.get(str(record.get("engine")), {})
    shared = {key: each for key, each in record["versions"].items() if key not in ("pyspark", "postgresql")}
    return {**record, "versions": {**shared, **own}}


class Mending(check_release.At):
    """A place that takes what follows from the declarations, instead of comparing with it."""

    slot: tuple[Any, Any]

    def at(self, key: str) -> Any:
        found = super().at(key)
        found.slot = (self.value, key)
        return found

    def rows(self, most: int = check_release.INLINE) -> Any:
        found = super().rows(most)
        for place, each in enumerate(found):
            each.slot = (self.value, place)
        return found

    def same(self, derived: Any) -> None:
        table, key = self.slot
        table[key] = self.value = copy.deepcopy(derived)


def as_the_checker_derives(record: dict[str, Any]) -> dict[str, Any] | None:
    """Return the record of the same declarations with whatever the checker derives from them; None where it refuses."""
    made = copy.deepcopy(record)
    made |= {"charged": "", "request": "", "unit": "", "derived": []}
    parts: list[Any] = []
    shown: dict[str, Any] = {"shown": []}

    def read_statistic(stated: Any, relation: Any) -> Any:
        nonlocal parts
        parts = []
        if type(stated.value) is dict:
            stated.value |= {"title": "", "parts": parts}
        return kept["read_statistic"](stated, relation)

    def parts_of(*given: Any) -> list[Any]:
        found = list(kept["parts_of"](*given))
        parts.extend({} for _ in found)
        return found

    def check_part(stated: Any, part: Any, statistic: Any) -> Any:
        cells, _ = statistic.cells_of(part.margin)
        index = {"index": [0] * cells} if cells <= check_release.INLINE else {"file": FILE}
        stated.value.update({**index, **shown})
        return kept["check_part"](stated, part, statistic)

    def derived_blocks(*given: Any) -> list[Any]:
        found = list(kept["derived_blocks"](*given))
        made["derived"].extend({**shown, "file": FILE} for _ in found)
        return found

    patched = {each.__name__: each for each in (read_statistic, parts_of, check_part, derived_blocks)}
    kept = {name: getattr(check_release, name) for name in patched}
    with pytest.MonkeyPatch.context() as patch:
        for name, each in {**patched, "At": Mending}.items():
            patch.setattr(check_release, name, each)
        try:
            check_release.check_record(Mending(made, "record"))
        except (check_release.Refused, ArithmeticError, LookupError, TypeError, ValueError):
            return None
    return made


def as_the_library_derives(record: dict[str, Any], dice: random.Random) -> dict[str, Any] | None:
    """Return the record that the library would make of the same declarations; None where it refuses them."""
    try:
        request = rebuilt(record)
        if sum(part.cells for line in request.lines for part in line.statistic.parts) > MOST_DRAWN:
            return None
        made = request_record(request, dice)
    except (SnapdpError, LookupError, TypeError):
        return None
    kept = {key: record[key] for key in FREE if key in record}
    return {**made, **kept}
