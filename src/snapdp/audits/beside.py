"""The side files of a record: those that lie beside it are read, and every number in them derived again.

Room: audits. A long block names its file; the name follows from the digest and the number of rows from the declaration,
so a file is looked for only where one belongs. Bytes first, then shape, then names, then numbers. What is not there, or
was not asked for, is listed: of those numbers an audit says nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar, cast

from snapdp.audits.cell_names import CellNames, Wrong
from snapdp.audits.findings import Finding, differences
from snapdp.errors import DataError
from snapdp.release import (
    Block,
    Drawn,
    PagedBlock,
    SideFile,
    SideFileColumns,
    block_numbers,
    digest_of,
    side_file,
)
from snapdp.studies import CategoryColumn, CellColumns, Column, KeyColumn, KeyLabels, Label, Margin, Statistic, Unlisted
from snapdp.values import Value, replaced

SHA256 = re.compile("sha256:[0-9a-f]{64}")
NUMBERS = ("BIGINT", "DOUBLE")
CELL, NUMBER_COLUMNS = {"cell": ("VARCHAR",)}, dict.fromkeys(("value", "shown", "low", "high"), NUMBERS)
INDEX = {"index": ("BIGINT",)}  # a column of parts only
FRAME_BYTES, ROW_BYTES, LONG_NAME = 1 << 20, 128, 1 << 12  # of a side file: a row has at most six numbers of 8 bytes
Found = TypeVar("Found")


class Unseen(Drawn):
    """A part whose numbers were not looked at: it has as many cells as it has, and nothing is known of them."""

    @property
    def is_known(self) -> bool:
        return False

    def columns(self, alpha: Fraction) -> CellColumns:  # noqa: ARG002
        import numpy as np

        nothing = np.zeros(1, dtype=np.int64)
        return CellColumns(denominator=1, value=nothing, low=nothing, high=nothing)


class _Place(Value):
    """Whose cells a file holds: those of a statistic, or of one of its margins."""

    statistic: Statistic
    margin: Margin | None

    @property
    def cells(self) -> int:
        return self.statistic.cells_of(self.margin)

    @property
    def labels(self) -> Sequence[Label]:
        return self.statistic.labels_of(self.margin)

    def names(self, file: SideFileColumns) -> CellNames:
        return CellNames(self.statistic, self.margin, file)


def are_unseen(parts: Sequence[Drawn]) -> bool:
    """Tell whether the numbers of a part were not looked at: then nothing that follows from them can be."""
    return not all(part.is_known for part in parts)


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
        place = _Place(statistic=drawn.line.statistic, margin=drawn.part.margin)
        path = yield from self._named(field, stated, values, place)
        if path is None:
            return unseen(drawn)
        found = yield from self._looked(field, path, place, lambda file: _of_part(file, drawn, place))
        return unseen(drawn) if found is None else found

    def derived(
        self, field: str, stated: Mapping[str, Any], values: Mapping[str, Any], parts: Sequence[Drawn], block: Block
    ) -> Generator[Finding, None, None]:
        """Yield what is wrong with a long derived block; its numbers follow from parts that were looked at."""
        place = _Place(statistic=parts[0].line.statistic, margin=block.margin)
        path = yield from self._named(field, stated, values, place)
        if path is not None and are_unseen(parts):
            self.unseen.append(path.name)
        elif path is not None:
            yield from self._looked(field, path, place, lambda file: _of_block(file, place, block))

    def _looked(
        self, field: str, path: Path, place: _Place, look: Callable[[SideFileColumns], Generator[Wrong, None, Found]]
    ) -> Generator[Finding, None, Found | None]:
        """Yield what is wrong with an open file; what cannot be read to its end is wrong as well."""
        is_known = True
        try:
            with side_file(path) as file:
                is_known = place.names(file).are_known
                return (yield from _placed(field, path.name, look(file)))
        except DataError as problem:
            should = f"another file: {problem.problem}"
            yield Finding(field=f"{field}.file", says=path.name, should=should, about=path.name)
            return None
        finally:
            (self.seen if is_known else self.unseen).append(path.name)

    def _named(
        self, field: str, stated: Mapping[str, Any], values: Mapping[str, Any], place: _Place
    ) -> Generator[Finding, None, Path | None]:
        """Yield what a record says of a long block that does not follow; return its file, if it is there and whole."""
        digest = stated["file"]["digest"] if "file" in stated else ""
        if not SHA256.fullmatch(digest):
            digest = "sha256: and 64 digits"
        cells = place.cells
        file = SideFile.of(digest=digest, rows=cells)
        wrong = list(differences(field, stated, {**values, "cells": cells, "file": file.stated}))
        yield from wrong
        path = None if self._directory is None else self._directory / file.name
        if wrong or path is None or not os.path.isfile(path):
            self.unseen.append(file.name)
            return None
        found = digest_of(path, most=most_bytes(place))
        if found != digest:
            says = f"{file.name} with {found or 'what cannot be read, or is too long for its rows'}"
            yield Finding(field=f"{field}.file", says=says, should=digest, about=file.name)
            return None
        return path


def most_bytes(place: _Place) -> int:
    """Return more bytes than a side file can have: what its rows and the names of its cells take, which stand twice.

    Names that the record does not list, but names by their digest, are taken to have LONG_NAME bytes each.
    """
    longest = sum(_longest_name(each) for each in place.statistic.name_columns(place.margin))
    return FRAME_BYTES + place.cells * (ROW_BYTES + 4 * longest)


def _longest_name(column: Column) -> int:
    """Return the most bytes of the name of a cell of a column; bins have two numbers in theirs."""
    if not isinstance(column, CategoryColumn) or isinstance(column, KeyColumn):
        return LONG_NAME
    if isinstance(column.categories, Unlisted):
        return LONG_NAME
    return max(len(label.encode()) for label in column.labels) + 4  # and what stands between names


def _placed(field: str, file: str, wrong: Generator[Wrong, None, Found]) -> Generator[Finding, None, Found]:
    while True:
        try:
            name, says, should = next(wrong)
        except StopIteration as end:
            return cast("Found", end.value)
        yield Finding(field=f"{field}.{name}", says=says, should=should, about=file)


def _of_part(file: SideFileColumns, drawn: Drawn, place: _Place) -> Generator[Wrong, None, Drawn | None]:
    if (wrong := _wrong_shape(file, place, INDEX)) is not None:
        yield wrong
        return None
    numbers, p = file.numbers(), drawn.mechanism.parameters
    outside = (numbers["index"] < p.low) | (numbers["index"] > p.high)
    if outside.any():
        cell = int(outside.argmax())
        yield f"index[{cell}]", str(numbers["index"][cell]), f"{p.low} to {p.high}"
        return None
    found = replaced(drawn, indices=numbers["index"])
    yield from _wrong_numbers(numbers, found.block)
    return found


def _of_block(file: SideFileColumns, place: _Place, block: Block) -> Generator[Wrong, None, None]:
    each = {"deviation": ("DOUBLE",)} if isinstance(block.deviation, tuple) else {}
    if (wrong := _wrong_shape(file, place, each)) is not None:
        yield wrong
    else:
        yield from _wrong_numbers(file.numbers(), block)


def _wrong_shape(file: SideFileColumns, place: _Place, more: Mapping[str, tuple[str, ...]]) -> Wrong | None:
    """Return what is wrong with rows, columns or names of a file, before any number is fetched."""
    cells, names = place.cells, place.names(file)
    named = {} if isinstance(place.labels, KeyLabels) else CELL  # keys have a column each
    columns = {**named, **NUMBER_COLUMNS, **more, **dict.fromkeys(names.columns, ("VARCHAR",))}
    if file.rows != cells:
        return "file", f"{file.rows} rows", f"{cells} rows"
    if any(file.types.get(name) not in kinds for name, kinds in columns.items()):
        return "file", "other columns", ", ".join(columns)
    if others := {*file.types} - {*columns}:
        return "file", f"a column more: {min(others)}", ", ".join(columns)
    return names.wrong()


def _wrong_numbers(stated: Mapping[str, Any], block: Block, start: int = 0) -> Iterator[Wrong]:
    """Yield the first number of every column that does not follow; its type and its sign count."""
    import numpy as np

    if isinstance(block, PagedBlock):
        start = 0
        for page in block.pages():
            stop = start + len(page.values)
            found = list(_wrong_numbers({name: each[start:stop] for name, each in stated.items()}, page, start))
            yield from found
            if found:  # the first page that is wrong tells enough
                return
            start = stop
        return
    for name, should in block_numbers(block).items():
        found = stated[name]
        if found.dtype != should.dtype:
            yield "file", f"{name} as {found.dtype}", f"{name} as {should.dtype}"
            continue
        differs = found.view(np.int64) != should.view(np.int64)
        differs &= ~(np.isnan(found) & np.isnan(should))
        if differs.any():
            place = int(differs.argmax())
            yield f"{name}[{start + place}]", str(found[place]), str(should[place])
