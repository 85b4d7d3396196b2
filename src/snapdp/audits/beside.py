"""The side files of a record: those that lie beside it are read, and every number in them derived again.

Room: audits. A long block names its file; the name follows from the digest and the number of rows from the declaration,
so a file is looked for only where one belongs. Bytes first, then shape, then names, then numbers. What is not there, or
was not asked for, is listed: of those numbers an audit says nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, cast

from snapdp.audits.findings import Finding, differences
from snapdp.errors import DataError
from snapdp.release import (
    Block,
    Drawn,
    SideFile,
    SideFileColumns,
    block_columns,
    digest_of,
    side_file,
)
from snapdp.studies import CategoryColumn, CellColumns, Statistic, Unlisted
from snapdp.values import replaced

SHA256 = re.compile("sha256:[0-9a-f]{64}")
NUMBERS = ("BIGINT", "DOUBLE")
COLUMNS = {"cell": ("VARCHAR",), "value": NUMBERS, "low": NUMBERS, "high": NUMBERS}
INDEX, LATER = (
    {"index": ("BIGINT",)},
    {"shown"},
)  # a column of parts only, and one that the first side files do not have
Wrong = tuple[str, str, str]  # what in a file does not follow: its name, what it says, what it should say
Found = TypeVar("Found")


class Unseen(Drawn):
    """A part whose numbers were not looked at: it has as many cells as it has, and nothing is known of them."""

    def columns(self, alpha: Fraction) -> CellColumns:  # noqa: ARG002
        import numpy as np

        nothing = np.zeros(1, dtype=np.int64)
        return CellColumns(denominator=1, value=nothing, low=nothing, high=nothing)


def unseen(drawn: Drawn) -> Unseen:
    """Return a part without numbers."""
    indices = range(drawn.part.cells)
    return Unseen(line=drawn.line, part=drawn.part, mechanism=drawn.mechanism, indices=indices)


class FilesBeside:
    """The side files in the directory of a record; none is looked for where there is no directory."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self.seen: list[str] = []
        self.unseen: list[str] = []  # of which something was not looked at

    def part(
        self, field: str, stated: Mapping[str, Any], drawn: Drawn, values: Mapping[str, Any]
    ) -> Generator[Finding, None, Drawn]:
        """Yield what is wrong with a long part, in the record and in its file; return it with the file's indices."""
        path = yield from self._named(field, stated, values, drawn.part.cells)
        if path is None:
            return unseen(drawn)
        self._note(path, drawn)
        found = yield from _looked(field, path, lambda file: _of_part(file, drawn))
        return unseen(drawn) if found is None else found

    def derived(
        self, field: str, stated: Mapping[str, Any], values: Mapping[str, Any], parts: Sequence[Drawn], block: Block
    ) -> Generator[Finding, None, None]:
        """Yield what is wrong with a long derived block; its numbers follow from parts that were looked at."""
        path = yield from self._named(field, stated, values, parts[0].part.cells)
        if path is not None and any(isinstance(part, Unseen) for part in parts):
            self.unseen.append(path.name)
        elif path is not None:
            self._note(path, parts[0])
            yield from _looked(field, path, lambda file: _of_block(file, parts[0], block))

    def _note(self, path: Path, drawn: Drawn) -> None:
        statistic = drawn.line.statistic
        (self.seen if _has_known_names(statistic, drawn.part.cells) else self.unseen).append(path.name)

    def _named(
        self, field: str, stated: Mapping[str, Any], values: Mapping[str, Any], cells: int
    ) -> Generator[Finding, None, Path | None]:
        """Yield what a record says of a long block that does not follow; return its file, if it is there and whole."""
        digest = stated["file"]["digest"] if "file" in stated else ""
        if not SHA256.fullmatch(digest):
            digest = "sha256: and 64 digits"
        file = SideFile.of(digest=digest, rows=cells)
        wrong = list(differences(field, stated, {**values, "cells": cells, "file": file.stated}))
        yield from wrong
        path = None if self._directory is None else self._directory / file.name
        if wrong or path is None or not os.path.isfile(path):
            self.unseen.append(file.name)
            return None
        found = digest_of(path)
        if found != digest:
            says = f"{file.name} with {found or 'what cannot be read'}"
            yield Finding(field=f"{field}.file", says=says, should=digest, about=file.name)
            return None
        return path


def _looked(
    field: str, path: Path, look: Callable[[SideFileColumns], Generator[Wrong, None, Found]]
) -> Generator[Finding, None, Found | None]:
    """Yield what is wrong with an open file; what cannot be read to its end is wrong as well."""
    try:
        with side_file(path) as file:
            return (yield from _placed(field, path.name, look(file)))
    except DataError as problem:
        should = f"another file: {problem.problem}"
        yield Finding(field=f"{field}.file", says=path.name, should=should, about=path.name)
        return None


def _placed(field: str, file: str, wrong: Generator[Wrong, None, Found]) -> Generator[Finding, None, Found]:
    while True:
        try:
            name, says, should = next(wrong)
        except StopIteration as end:
            return cast("Found", end.value)
        yield Finding(field=f"{field}.{name}", says=says, should=should, about=file)


def _of_part(file: SideFileColumns, drawn: Drawn) -> Generator[Wrong, None, Drawn | None]:
    if (wrong := _wrong_shape(file, drawn, INDEX)) is not None:
        yield wrong
        return None
    numbers, p = file.numbers(), drawn.mechanism.parameters
    outside = (numbers["index"] < p.low) | (numbers["index"] > p.high)
    if outside.any():
        place = int(outside.argmax())
        yield f"index[{place}]", str(numbers["index"][place]), f"{p.low} to {p.high}"
        return None
    found = replaced(drawn, indices=numbers["index"])
    yield from _wrong_numbers(numbers, found.block)
    return found


def _of_block(file: SideFileColumns, drawn: Drawn, block: Block) -> Generator[Wrong, None, None]:
    if (wrong := _wrong_shape(file, drawn, {})) is not None:
        yield wrong
    else:
        yield from _wrong_numbers(file.numbers(), block)


def _wrong_shape(file: SideFileColumns, drawn: Drawn, more: Mapping[str, tuple[str, ...]]) -> Wrong | None:
    """Return what is wrong with rows, columns or names of a file, before any number is fetched."""
    cells, later = drawn.part.cells, dict.fromkeys(LATER & {*file.types}, NUMBERS)
    columns = {**COLUMNS, **more, **later}
    if file.rows != cells:
        return "file", f"{file.rows} rows", f"{cells} rows"
    if any(file.types.get(name) not in kinds for name, kinds in columns.items()):
        return "file", "other columns", ", ".join(columns)
    if others := {*file.types} - {*columns}:
        return "file", f"a column more: {min(others)}", ", ".join(columns)
    return _wrong_names(file, drawn.line.statistic, cells)


def _wrong_numbers(stated: Mapping[str, Any], block: Block) -> Iterator[Wrong]:
    """Yield the first number of every column that does not follow; its type and its sign count."""
    import numpy as np

    for name, should in block_columns(block).items():
        if name == "cell" or (name in LATER and name not in stated):
            continue
        found = stated[name]
        if found.dtype != should.dtype:
            yield "file", f"{name} as {found.dtype}", f"{name} as {should.dtype}"
            continue
        differs = found.view(np.int64) != should.view(np.int64)
        differs &= ~(np.isnan(found) & np.isnan(should))
        if differs.any():
            place = int(differs.argmax())
            yield f"{name}[{place}]", str(found[place]), str(should[place])


def _wrong_names(file: SideFileColumns, statistic: Statistic, cells: int) -> Wrong | None:
    """Return the first name of a cell that is not the declared one, or that the digest of the names is another."""
    if not (unlisted := _unlisted(statistic)):
        return _another_name(file.names(), iter(statistic.labels))
    if not _has_known_names(statistic, cells):
        return None
    return _another_digest(file, unlisted[0].categories, unlisted[0].labels[1:])  # the first stands for all


def _has_known_names(statistic: Statistic, cells: int) -> bool:
    """Tell whether names can be compared: not of groups by bins where one list of the two is named by its digest."""
    unlisted = _unlisted(statistic)
    return not unlisted or cells == len(unlisted[0].categories) + len(unlisted[0].labels) - 1


def _unlisted(statistic: Statistic) -> list[CategoryColumn]:
    columns = (each for each in (statistic.by, *statistic.columns) if isinstance(each, CategoryColumn))
    return [each for each in columns if isinstance(each.categories, Unlisted)]


def _another_name(pages: Iterator[list[str | None]], labels: Iterator[str]) -> Wrong | None:
    start = 0
    for page in pages:
        for place, (says, should) in enumerate(zip(page, islice(labels, len(page)), strict=False)):
            if says != should:
                return f"cell[{start + place}]", str(says), should
        start += len(page)
    return None


def _another_digest(file: SideFileColumns, listed: Any, special: tuple[str, ...]) -> Wrong | None:
    """Return what is wrong with names whose declaration is a digest: that of the JSON of their list."""
    digest, left, last = hashlib.sha256(b"["), len(listed), []
    for page in file.names():
        text = json.dumps(page[:left])[1:-1]
        digest.update((", " * (left < len(listed) and text != "") + text).encode())
        last += page[left:]
        left = max(0, left - len(page))
    digest.update(b"]")
    if f"sha256:{digest.hexdigest()}" != listed.digest:
        return "cell", "other names", listed.digest
    return None if last == [*special] else ("cell", str(last), str([*special]))
