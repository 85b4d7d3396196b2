"""The side files of a record: those that lie beside it are read, and every number in them derived again.

A long block names its file; the name follows from the digest and the number of rows from the declaration, so a file is
looked for only where one belongs. Bytes first, then shape, then names, then numbers. What is not there, or was not
asked for, is listed: of those numbers an audit says nothing.

A file is anybody's bytes: names come a few at a time, and what is held of them is bounded. They are compared with those
that a record declares, also where it declares a digest alone (`CellNames`).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, cast

from snapdp.audits.findings import Finding, differences
from snapdp.errors import DataError
from snapdp.release.draw import Block, Drawn, PagedBlock
from snapdp.release.files import FIELDS, TEXT, SideFileColumns, block_numbers, digest_of, side_file
from snapdp.release.record import SideFile
from snapdp.release.value_table import key_columns
from snapdp.studies.columns import CategoryColumn, Column
from snapdp.studies.declarations import Unlisted
from snapdp.studies.grouping.groups import CrossedLabels, label_columns
from snapdp.studies.grouping.keys import KeyColumn, KeyLabels
from snapdp.studies.grouping.margins import Margin
from snapdp.studies.labels import Label
from snapdp.studies.statistics.parts import CellColumns
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import Facts, Value, replaced

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

    def part(self, field: str, stated: Facts, drawn: Drawn, values: Facts) -> Generator[Finding, None, Drawn]:
        """Yield what is wrong with a long part, in the record and in its file; return it with the file's indices."""
        place = _Place(statistic=drawn.line.statistic, margin=drawn.part.margin)
        path = yield from self._named(field, stated, values, place)
        if path is None:
            return unseen(drawn)
        found = yield from self._looked(field, path, place, lambda file: _of_part(file, drawn, place))
        return unseen(drawn) if found is None else found

    def derived(
        self, field: str, stated: Facts, values: Facts, parts: Sequence[Drawn], block: Block
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
                is_known = CellNames(place, file).are_known
                return (yield from _placed(field, path.name, look(file)))
        except DataError as problem:
            should = f"another file: {problem.problem}"
            yield Finding(field=f"{field}.file", says=path.name, should=should, about=path.name)
            return None
        finally:
            (self.seen if is_known else self.unseen).append(path.name)

    def _named(self, field: str, stated: Facts, values: Facts, place: _Place) -> Generator[Finding, None, Path | None]:
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
    cells, names = place.cells, CellNames(place, file)
    named = {} if isinstance(place.labels, KeyLabels) else CELL  # keys have a column each
    columns = {**named, **NUMBER_COLUMNS, **more, **dict.fromkeys(names.columns, ("VARCHAR",))}
    if file.rows != cells:
        return "file", f"{file.rows} rows", f"{cells} rows"
    if any(file.types.get(name) not in kinds for name, kinds in columns.items()):
        return "file", "other columns", ", ".join(columns)
    if others := {*file.types} - {*columns}:
        return "file", f"a column more: {min(others)}", ", ".join(columns)
    return names.wrong()


def _wrong_numbers(stated: Facts, block: Block, start: int = 0) -> Iterator[Wrong]:
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


# Names of cells

Wrong = tuple[str, str, str]  # what in a file does not follow: its name, what it says, what it should say
MOST_HELD = 1 << 30  # bytes of a column of names, of which those of one turn are held


class CellNames:
    """The names of a statistic's cells as they must stand in its file.

    Cells of one column have their names in the column `cell`; where the record has the digest of a long list, the
    digest is compared. A histogram by such a column has names made of two texts, of which one is unknown: nothing is
    compared. Cells by keys have a column for each key, and no `cell`; the digest of all keys is compared, in the order
    of rows. Cells of several columns have a column for each of them as well: what each is named by is declared, or
    taken from its first turn in the file and compared with the digest; every row then follows.

    columns   of the file, one for each column that names cells, where these are several
    """

    def __init__(self, place: _Place, file: SideFileColumns) -> None:
        self._place, self._labels, self._file = place, place.labels, file
        self.columns = key_columns(place.statistic.keys_of(place.margin), FIELDS)

    @property
    def are_known(self) -> bool:
        """Tell whether every name can be compared."""
        if isinstance(self._labels, KeyLabels):
            return True
        unlisted = {place: each for place, each in enumerate(self._name_columns()) if _is_unlisted(each)}
        if not self.columns:
            return all(each.cells == self._place.cells for each in unlisted.values())
        here = [self.columns[place] for place in unlisted if self._file.types.get(self.columns[place]) == TEXT]
        return all(self._file.byte_count(name) <= MOST_HELD for name in here)

    def wrong(self) -> Wrong | None:
        """Return the first name that is not the declared one, or that the digest of the names is another."""
        if isinstance(self._labels, KeyLabels):
            # What is wrong with names by keys: their digest is declared, and in each the cells of a histogram.
            keys, own = self._labels.keys, self._labels.own
            if own and (other := self._file.other_turn(self.columns, own)) is not None:
                return f"{self.columns[-1]}[{other}]", "another name", f"one of {len(own)} cells in each key"
            digest = self._file.digest_of_columns(self.columns[: len(keys.names)], keys.names, every=len(own) or 1)
            return None if digest == keys.digest else ("keys", f"other keys: {digest}", keys.digest)
        if not self.are_known:
            return None
        if self.columns:
            labels: Any = self._labels
            columns, lists = self._name_columns(), list(labels.lists)
            sizes = [
                each.cells if _is_unlisted(each) else len(listed) for each, listed in zip(columns, lists, strict=True)
            ]
            for place, column in enumerate(columns):
                if _is_unlisted(column):
                    turn = math.prod(sizes[place + 1 :])  # rows that follow each other have one name
                    texts = (text for page in self._file.texts([self.columns[place]]) for (text,) in page)
                    lists[place] = list(islice(texts, 0, turn * sizes[place], turn))
                    if (wrong := _another_digest(self.columns[place], column, lists[place])) is not None:
                        return wrong
            found = CrossedLabels(tuple(lists))
            return self._another_name(label_columns(found, len(columns)), ["cell", *self.columns])
        long = next(filter(_is_unlisted, self._name_columns()), None)
        if long is None:
            return self._another_name(label_columns(self._labels, 0), ["cell"])
        return _another_digest("cell", long, (name for page in self._file.texts(["cell"]) for (name,) in page))

    def _name_columns(self) -> list[Any]:
        """Return the columns that name cells, in their order: those of the groups, and a histogram's own."""
        return list(self._place.statistic.name_columns(self._place.margin))[: len(self.columns) or None]

    def _another_name(self, declared: Sequence[Iterator[str]], columns: Sequence[str]) -> Wrong | None:
        start, rows = 0, zip(*declared, strict=True)
        for page in self._file.texts(columns):
            for place, (says, should) in enumerate(zip(page, islice(rows, len(page)), strict=False)):
                if says != should:
                    other = next(i for i in range(len(columns)) if says[i] != should[i])
                    return f"{columns[other]}[{start + place}]", str(says[other]), should[other]
            start += len(page)
        return None


def _is_unlisted(column: Any) -> bool:
    return isinstance(column, CategoryColumn) and isinstance(column.categories, Unlisted)


def _another_digest(name: str, column: CategoryColumn, texts: Iterable[str | None]) -> Wrong | None:
    """Return what is wrong with names whose declaration is a digest: that of the JSON of their list."""
    listed: Any = column.categories
    special = list(column.labels[1:])  # the first stands for all categories
    digest, every = hashlib.sha256(b"["), iter(texts)
    for place, text in enumerate(islice(every, len(listed))):
        digest.update((", " * (place > 0) + json.dumps(text)).encode())
    digest.update(b"]")
    if f"sha256:{digest.hexdigest()}" != listed.digest:
        return name, "other names", listed.digest
    last = list(islice(every, len(special) + 1))
    return None if last == special else (name, str(last), str(special))
