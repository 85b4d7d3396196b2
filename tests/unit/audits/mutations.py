"""Every single change of a record: a value, a type, a field or entry more or less, numbers moved to a file and back."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Path = tuple[Any, ...]
NUMBERS = ("cell", "index", "value", "shown", "low", "high")
FILE = {"name": f"snapdp-{'0' * 32}.parquet", "digest": f"sha256:{'0' * 64}", "rows": 1}


def at(tree: Any, path: Path) -> Any:
    for step in path:
        tree = tree[step]
    return tree


def with_value(tree: Any, path: Path, value: Any) -> Any:
    """Return a tree in which another value stands at a path; what is beside the path is shared with the tree."""
    if not path:
        return value
    changed = copy.copy(tree)
    changed[path[0]] = with_value(tree[path[0]] if path[1:] else None, path[1:], value)
    return changed


def without(tree: Any, path: Path) -> Any:
    inner = copy.copy(at(tree, path[:-1]))
    del inner[path[-1]]
    return with_value(tree, path[:-1], inner)


def places(tree: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the way to every value, table and list of a record, but to the record itself."""
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, each in inner:
        yield (*path, key)
        yield from places(each, (*path, key))


def others(value: Any) -> list[tuple[str, Any]]:
    """Return what might stand in place of a value: another one, or the same in another type."""
    if isinstance(value, bool) or value is None:
        return [("changed", not value), ("type", 0 if value is None else int(value)), ("type", str(value))]
    if isinstance(value, int):
        return [("changed", value + 1), ("changed", -value or 7), ("type", float(value)), ("type", str(value))]
    if isinstance(value, float):
        whole = [("type", int(value))] if value.is_integer() else []
        return [("changed", value * 1.25 + 1), ("changed", -value), ("type", str(value)), ("type", None), *whole]
    if isinstance(value, str):
        last = value[:-1] + ("1" if value[-1:] != "1" else "2")
        first = ("1" if value[:1] != "1" else "2") + value[1:]
        return [("changed", last), ("changed", first), ("changed", f"{value} "), ("changed", ""), ("type", [value])]
    if isinstance(value, list):
        swapped = [value[-1], *value[1:-1], value[0]] if len(value) > 1 else []
        found = [("removed", value[:-1]), ("removed", []), ("added", [*value, *value[-1:]]), ("changed", swapped)]
        return [*found, ("type", {}), ("type", None)]
    return [("added", {**value, "more": 1}), ("removed", {}), ("type", [value]), ("type", None)]


def blocks(record: dict[str, Any]) -> Iterator[Path]:
    for number, statistic in enumerate(record["statistics"]):
        yield from (("statistics", number, "parts", place) for place in range(len(statistic["parts"])))
    yield from (("derived", place) for place in range(len(record["derived"])))


def moved(record: dict[str, Any]) -> Iterator[tuple[str, Path, Any]]:
    """Yield records in which a block hides its numbers in a file, or has numbers where a file belongs."""
    for path in blocks(record):
        block = at(record, path)
        rest = {key: each for key, each in block.items() if key not in (*NUMBERS, "file")}
        if "file" in block:
            one = {"cell": [""], "index": [0], "value": [0], "low": [0], "high": [0]}
            lists = {key: each for key, each in one.items() if key != "index" or path[0] == "statistics"}
            yield "inline", path, with_value(record, path, {**rest, **lists, "cells": 1})
            yield "inline", path, with_value(record, path, {**block, **lists})
            yield "inline", path, with_value(record, path, {**rest, **lists, "cells": 1, "file": block["file"]})
        else:
            yield "file", path, with_value(record, path, {**rest, "file": {**FILE, "rows": block["cells"]}})
            yield "file", path, with_value(record, path, {**block, "file": {**FILE, "rows": block["cells"]}})
            yield "file", path, with_value(record, path, {**rest, "cells": 1001, "file": {**FILE, "rows": 1001}})


def restructured(record: dict[str, Any]) -> Iterator[tuple[str, Path, Any]]:
    """Yield records with a block or a statistic more: twice the same, of a statistic that is not there, or made up."""
    made_up = {"name": "x", "title": "mean(pay) of Bob", "alpha": "1/20", "cells": 1, "cell": [""], "value": [1]}
    made_up |= {"low": [1], "high": [1]}
    for statistic in (0, 99, -1):
        yield (
            "added",
            ("derived",),
            with_value(record, ("derived",), [*record["derived"], made_up | {"statistic": statistic}]),
        )
    hidden = {key: each for key, each in made_up.items() if key not in NUMBERS} | {"statistic": 0, "file": FILE}
    yield "added", ("derived",), with_value(record, ("derived",), [*record["derived"], hidden])
    numbers = ("n", "n_max", "rows_per_person", "unit_rows")
    for key in ("own", "person", "engine", *numbers):
        if key not in record:
            yield "added", (key,), {**record, key: 1 if key in numbers else "duckdb"}


def mutants(record: dict[str, Any]) -> Iterator[tuple[str, Path, Any]]:
    """Yield how a record was changed, where, and the changed record."""
    for path in places(record):
        value = at(record, path)
        for how, other in others(value):
            if repr(other) != repr(value):
                yield how, path, with_value(record, path, other)
        yield "removed", path, without(record, path)
    yield from moved(record)
    yield from restructured(record)
