"""The record of a release: canonical JSON, a closed list of fields, nothing that depends on data but the indices.

Every field is named in ALLOWED; `checked` refuses any other, so that a field cannot slip in unseen.
Nothing here depends on a private row count, on timing, or on a digest of data. Long blocks are named by the digest of
their side file. Guide: docs/guide/record.md.

A record says `format = 1`, and no other is read. It is never rewritten: the ledger's chain and people's copies hold the
text as it was. The independent checker of releases follows every change in the same commit.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Self

from snapdp.display.text import PUBLIC_TEXTS, one_line
from snapdp.errors import DataError, PremiseError
from snapdp.release.draw import Block, Drawn
from snapdp.release.request import LARGEST, MOST_EDGES, Request, check_lengths, relation_values
from snapdp.studies.categories import BOOLEAN, DATE
from snapdp.studies.columns import CATEGORY, INLINE, MAGNITUDE
from snapdp.studies.grouping.keys import KEY
from snapdp.studies.grouping.margins import HIERARCHY, MOST_NODES, Margin
from snapdp.studies.statistics.registry import KINDS
from snapdp.studies.statistics.statistic import Statistic
from snapdp.tables.engine_names import ENGINES
from snapdp.values import Facts, Value, Values

BlockKey = tuple[int, str]  # the number of the statistic, and the name of its part or of what is derived
RECORD_FORMAT = 1
VERSION = re.compile("[0-9][0-9A-Za-z.+-]{0,40}")  # of a library or an engine, as records have it
LIBRARIES = ("numpy", "gmpy2", "cryptography", "duckdb")
_COLUMN = {"name", "kind", "lower", "upper", "step", "missing", "missing_in_sums", "categories", "unknown", "null"}
_COLUMN |= {"from", "to", "each", "compare", "exponents"}  # of dates; how categories are compared; of magnitudes
_LIKE = {"person_columns": "columns"}  # fields whose tables are those of another one
_MARGIN = {"margin"}  # of a statistic with margins: the columns that tell the cells of this block apart
_NUMBERS = {"cell", "index", "value", "shown", "low", "high", "file"}
ALLOWED: dict[str, set[str]] = {
    "record": {
        "format", "dataset", "dataset_version", "relation", "unit", "n", "n_max", "person", "rows_per_person",
        "person_columns", "most_units", "unit_rows", "charged", "engine", "csv", "own", "versions",
        "statistics", "derived", "request", "previous", "date", "bounds_from", *PUBLIC_TEXTS,
    },
    "versions": {"snapdp", "python", *LIBRARIES, *(each.library for each in ENGINES.values())},
    "csv": {"delimiter", "quote", "decimal", "thousands", "encoding", "nulls"},
    "statistics": {  # and its details
        "kind", "title", "epsilon", "alpha", "columns", "by", "keys", "where", "parts",
    },
    "keys": {"count", "digest", "cell"},  # the last where they are few
    "columns": _COLUMN,
    "by": _COLUMN | {"edges", "outside", "parents"},  # of numbers that are grouped by bins; of a hierarchy
    "parents": {"level", "of"},
    "column": _COLUMN,
    "categories": {"count", "digest"},
    "where": {"column", "equals", "from", "below"},
    "parts": {
        "name", "epsilon", "cells", "moving", "sensitivity", "lower", "upper", "factor", "shift", "whole",
        "noise_scale", "grid", "clamp", *_MARGIN, *_NUMBERS,
    },
    "derived": {"name", "title", "statistic", "alpha", "cells", "deviation", *_MARGIN, *_NUMBERS},
    "file": {"name", "digest", "rows"},
}  # fmt: skip
REQUIRED: dict[str, set[str]] = {
    "record": ALLOWED["record"]
    - {"n", "n_max", "person", "rows_per_person", "person_columns", "unit_rows", "own", "csv", "bounds_from"}
    - {"most_units", *PUBLIC_TEXTS},
    "statistics": {"kind", "title", "epsilon", "alpha", "parts"},
    "where": {"column"},
    "parts": ALLOWED["parts"] - _MARGIN - _NUMBERS,
    "derived": ALLOWED["derived"] - _MARGIN - _NUMBERS - {"deviation"},
    "file": ALLOWED["file"],
    "categories": ALLOWED["categories"],
    "keys": {"count", "digest"},
    "parents": ALLOWED["parents"],
}
TABLES = {"versions", "csv", "by", "column", "file", "categories", "keys"}
ROWS = {"statistics", "derived", "parts", "columns", "person_columns", "where", "parents"}
TABLE_OR_ROWS = {"by"}  # a column, or several
LISTS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("cell", "edges", "clamp", "categories", "nulls", "margin", "shares", "of", "at"), (str,)),
    **dict.fromkeys(("index", "exponents"), (int,)),
    **dict.fromkeys(("value", "shown"), (int, float)),
    **dict.fromkeys(("low", "high"), (int, float, type(None))),
}
MOST = {"edges": MOST_EDGES, "of": MOST_NODES, "statistics": 10_000, "derived": 20_000}  # what is longer than INLINE
LONGEST_DIALECT = 1 << 13  # characters of how a CSV file is written
WHOLE_NUMBERS = {"format", "n", "n_max", "rows_per_person", "statistic", "cells", "moving", "count", "rows"}
WHOLE_NUMBERS |= {"unit_rows", "most_units", "groups_per_person", "branching"}
TRUTHS = {"whole", "complete", "correlation"}


class EngineUsed(Value):
    """What added up the rows: its name, its versions beside those of the libraries, and how CSV files are written."""

    name: str
    versions: Mapping[str, str] = {}
    csv: Mapping[str, Any] = {}


class SideFile(Value):
    """A file of released numbers, named by its digest."""

    name: str
    digest: str
    rows: int

    @classmethod
    def of(cls, *, digest: str, rows: int) -> Self:
        """Return the file of a digest: its name is the first half of it."""
        return cls(name=f"snapdp-{digest.removeprefix('sha256:')[:32]}.parquet", digest=digest, rows=rows)

    @property
    def stated(self) -> Values:
        """Return the file as records name it."""
        return {"name": self.name, "digest": self.digest, "rows": self.rows}


def record_values(
    request: Request,
    binding: Mapping[str, str],
    drawn: Sequence[Sequence[Drawn]],
    derived: Sequence[tuple[int, Block]],
    files: Mapping[BlockKey, SideFile],
    engine: EngineUsed,
    texts: Mapping[str, str] | None = None,
) -> Values:
    """Return the record of a release; `files` holds the side file of every long block, by `key_of`.

    texts   title, publisher and contact, as the study says them to readers of the report, and where bounds come from
    """
    statistics = [
        {
            **declared,
            "parts": [{**part_values(part), **_numbers(number, part.block, files)} for part in parts],
        }
        for number, (declared, parts) in enumerate(zip(request.declaration["statistics"], drawn, strict=True))
    ]
    return checked(
        {
            "format": RECORD_FORMAT,
            **(texts or {}),
            **relation_values(request.relation),
            **({} if request.own is None else {"own": request.own}),
            "engine": engine.name,
            **({"csv": dict(engine.csv)} if engine.csv else {}),
            "versions": {**library_versions(), **engine.versions},
            "statistics": statistics,
            "derived": [
                {
                    **derived_values(number, block, request.lines[number].statistic),
                    **_numbers(number, block, files),
                }
                for number, block in derived
            ],
            **binding,
        }
    )


def check_engine(engine: EngineUsed) -> None:
    """Refuse, before anything is spent, what a record could not say of an engine: its versions, how CSV is written."""
    versions = {**library_versions(), **engine.versions}
    _check("versions", versions)
    for name, version in versions.items():
        if not VERSION.fullmatch(version):
            raise PremiseError(f"the version of {name} is none that a record can state.", f"Install {name} anew.")
    _check("csv", engine.csv)
    if len(repr(dict(engine.csv))) > LONGEST_DIALECT:
        raise _refused("would hold a longer list of null texts than records do")


def part_values(drawn: Drawn) -> Values:
    """Return everything public about a part but its numbers."""
    part = drawn.part
    numerator, p = part.numerator, drawn.mechanism.parameters
    return {
        "name": numerator.name,
        **_margin(drawn.line.statistic, part.margin),
        "epsilon": str(drawn.line.epsilon * part.share),
        "moving": part.moving,
        "sensitivity": str(numerator.sensitivity),
        "lower": str(numerator.lower),
        "upper": str(numerator.upper),
        "factor": str(numerator.factor),
        "shift": str(numerator.shift),
        "whole": drawn.is_whole,
        "noise_scale": str(p.noise_scale),
        "grid": str(p.data_grid),
        "clamp": [str(p.data_value(p.low)), str(p.data_value(p.high))],
    }


def derived_values(number: int, block: Block, statistic: Statistic) -> Values:
    """Return what a derived block is, but its numbers."""
    return {
        "name": block.name,
        "title": block.statistic,
        "statistic": number,
        "alpha": str(block.alpha),
        **_margin(statistic, block.margin),
        **_deviation(block.deviation),
    }


def _deviation(found: float | tuple[float, ...] | None) -> Values:
    """Return the deviation of all numbers of a block, or of each; of those in a file, which has each, the largest."""
    if isinstance(found, tuple):
        return {"deviation": list(found) if len(found) <= INLINE else max(found)}
    return {} if found is None else {"deviation": found}


def _margin(statistic: Statistic, margin: Margin | None) -> Values:
    """Return the names of the columns of a margin, where the statistic has margins."""
    if margin is None or statistic.margins is None:
        return {}
    return {"margin": list(statistic.margins.names(margin))}


def _numbers(number: int, block: Block, files: Mapping[BlockKey, SideFile]) -> Values:
    if is_long(block):
        return {"cells": len(block.cells), "file": files[key_of(number, block)].stated}
    return block.listed


def file_names(record: Facts) -> list[str]:
    """Return the names of the side files that hold the long blocks of a record."""
    return [each["name"] for each in stated_files(record)]


def stated_files(record: Facts) -> list[Values]:
    """Return the side files as a record names them, with their digests."""
    parts = [part for statistic in record["statistics"] for part in statistic["parts"]]
    return [block["file"] for block in (*parts, *record["derived"]) if "file" in block]


def is_long(block: Block) -> bool:
    """Tell whether a block goes to a side file: a matter of its public number of cells."""
    return len(block.cells) > INLINE


def key_of(number: int, block: Block) -> BlockKey:
    """Return what tells blocks of one release apart; two statistics may have one title, with other bin edges."""
    return number, block.name


@lru_cache(maxsize=1)
def library_versions() -> dict[str, str]:
    """Return the versions of what computes a release; a tree that is not installed tells its own."""
    import platform

    own = str(sys.modules["snapdp"].__version__)  # of the code that runs, whatever is installed beside it
    return {"snapdp": own, "python": platform.python_version(), **{name: _version(name) for name in LIBRARIES}}


def _version(name: str) -> str:
    """Return the version of a library: as it was installed, or as it says itself."""
    from importlib import import_module, metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
    try:
        library = import_module(name)
    except ImportError:
        raise PremiseError(f"{name}, which releases need, is not installed.", f"pip install {name}") from None
    told = getattr(library, "__version__", None) or library.version()  # gmpy2 has a function
    return str(told)


def checked(record: Facts) -> Values:
    """Return a record whose every field is on the list and of its kind; refuse any other."""
    form = record.get("format") if isinstance(record, Mapping) else None
    if type(form) is not int or form != RECORD_FORMAT:
        raise DataError(
            f"this is no record with format = {RECORD_FORMAT}.", "Records of earlier versions of snapdp are not read."
        )
    _check("record", record)
    check_lengths(record["statistics"])
    return dict(record)


def _check(place: str, value: Facts) -> None:
    details = {key for kind in KINDS.values() for key in kind.details} if place == "statistics" else set()
    unknown = sorted(set(map(str, value)) - (ALLOWED.get(place, set()) | details))
    lacking = sorted(_required(place, value) - set(value))
    if unknown:
        raise _refused(f"has a field that records do not have: {place}.{one_line(unknown[0])}")
    if lacking:
        raise _refused(f"lacks a field that records have: {place}.{lacking[0]}")
    for key, each in value.items():
        tables = _tables(key, each)
        if tables is None:
            raise _refused(f"has a field of another kind than records have: {place}.{key}")
        for table in tables:
            _check(_LIKE.get(key, key), table)
    if place in ("parts", "derived") and "file" not in value:
        optional = ["index"] * (place == "parts")
        optional += ["deviation"] * isinstance(value.get("deviation"), list)  # else it is one for all
        lists = [value.get(key) for key in ("cell", "value", "shown", "low", "high", *optional)]
        if not all(isinstance(each, (list, tuple)) and len(each) == value["cells"] for each in lists):
            raise _refused(f"has numbers that do not belong together: {place}")


def _tables(key: str, value: Any) -> Sequence[Facts] | None:
    """Return the tables that a field holds; None where it holds something else than records do there."""
    if isinstance(value, (list, tuple)) and len(value) > MOST.get(key, INLINE):
        raise _refused(f"has a list that is longer than records have: {key}")
    if key in ROWS or (key in TABLE_OR_ROWS and not isinstance(value, Mapping)):
        return value if isinstance(value, (list, tuple)) and all(isinstance(row, Mapping) for row in value) else None
    if key in TABLES and isinstance(value, Mapping):
        return [value]
    return [] if (key not in TABLES or key in LISTS) and _is_plain(key, value) else None


def _required(place: str, value: Facts) -> set[str]:
    if place == "record":
        return REQUIRED[place] | {"n" if value.get("relation") == "change-one" else "n_max"}
    if place in ("columns", "by", "column"):
        rules = {"unknown", "null"}
        special = {BOOLEAN: rules, DATE: rules | {"from", "to", "each"}, CATEGORY: rules | {"categories"}, KEY: set()}
        special[MAGNITUDE] = {"exponents"}
        missing = "missing_in_sums" if "missing_in_sums" in value else "missing"
        numbers = {"lower", "upper", "step", missing} | ({"edges", "outside", "null"} if place == "by" else set())
        return {"name", "kind"} | special.get(str(value.get("kind")), numbers)
    return REQUIRED.get(place, set())


def _is_plain(key: str, value: Any) -> bool:
    """Tell whether a field that is no table holds what records hold there: whole numbers, lists, or text."""
    if key == "cell" and isinstance(value, (list, tuple)):  # named by one text each, or by several
        texts = [text for each in value for text in (each if isinstance(each, (list, tuple)) else (each,))]
        return all(type(text) is str and _is_sane(text) for text in texts)
    if key == "person" and isinstance(value, list):  # several columns name the person
        return len(value) > 1 and all(type(each) is str and _is_sane(each) for each in value)
    if key == "margins":
        listed = isinstance(value, (list, tuple)) and all(_is_plain("margin", each) for each in value)
        return listed or value == HIERARCHY
    if key == "deviation":
        return all(type(each) is float and _is_sane(each) for each in (value if isinstance(value, list) else [value]))
    if key in LISTS:
        return isinstance(value, (list, tuple)) and all(type(each) in LISTS[key] and _is_sane(each) for each in value)
    return _is_sane(value) and type(value) is (bool if key in TRUTHS else int if key in WHOLE_NUMBERS else str)


def _is_sane(value: Any) -> bool:
    """Tell whether a text is one (no half of a character, a lone surrogate) and a number is one that can be printed."""
    if isinstance(value, str):
        return value.isascii() or not any("\ud800" <= each <= "\udfff" for each in value)
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or abs(value) < LARGEST


def _refused(what: str) -> DataError:
    return DataError(
        f"the record {what}.", "Fields are never guessed: use the version of snapdp that wrote it, and its own record."
    )
