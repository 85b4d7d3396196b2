"""The names of cells in a side file: compared with those that a record declares, also where it declares a digest alone.

Room: audits. A file is anybody's bytes: names come a few at a time, and what is held of them is bounded.

- Cells of one column have their names in the column `cell`; where the record has the digest of a long list, the digest
  is compared. A histogram by such a column has names made of two texts, of which one is unknown: nothing is compared.
- Cells by keys have a column for each key, and no `cell`; the digest of all keys is compared, in the order of rows.
- Cells of several columns have a column for each of them as well. What each is named by is declared, or taken from its
  first turn in the file and compared with the digest; every row then follows.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from snapdp.release import FIELDS, TEXT, SideFileColumns, key_columns
from snapdp.studies import CategoryColumn, CrossedLabels, KeyLabels, Label, Margin, Statistic, Unlisted, label_columns

Wrong = tuple[str, str, str]  # what in a file does not follow: its name, what it says, what it should say
MOST_HELD = 1 << 30  # bytes of a column of names, of which those of one turn are held


class CellNames:
    """The names of a statistic's cells as they must stand in its file.

    columns   of the file, one for each column that names cells, where these are several
    """

    def __init__(self, statistic: Statistic, margin: Margin | None, file: SideFileColumns) -> None:
        self._statistic, self._margin, self._file = statistic, margin, file
        self.columns = key_columns(statistic.keys_of(margin), FIELDS)

    @property
    def are_known(self) -> bool:
        """Tell whether every name can be compared."""
        if isinstance(self._labels, KeyLabels):
            return True
        unlisted = {place: each for place, each in enumerate(self._name_columns()) if _is_unlisted(each)}
        if not self.columns:
            return all(each.cells == self._statistic.cells_of(self._margin) for each in unlisted.values())
        here = [self.columns[place] for place in unlisted if self._file.types.get(self.columns[place]) == TEXT]
        return all(self._file.bytes_of(name) <= MOST_HELD for name in here)

    def wrong(self) -> Wrong | None:
        """Return the first name that is not the declared one, or that the digest of the names is another."""
        if isinstance(self._labels, KeyLabels):
            return self._wrong_file_of_keys(self._labels)
        if not self.are_known:
            return None
        if self.columns:
            return self._wrong_keys()
        long = next(filter(_is_unlisted, self._name_columns()), None)
        if long is None:
            return self._another_name(label_columns(self._labels, 0), ["cell"])
        return _another_digest("cell", long, (name for page in self._file.names() for name in page))

    def _name_columns(self) -> list[Any]:
        """Return the columns that name cells, in their order: those of the groups, and a histogram's own."""
        return list(self._statistic.name_columns(self._margin))[: len(self.columns) or None]

    def _wrong_file_of_keys(self, labels: KeyLabels) -> Wrong | None:
        """Return what is wrong with names by keys: their digest is declared, and in each the cells of a histogram."""
        keys, own = labels.keys, labels.own
        if own and (other := self._file.other_turn(self.columns, own)) is not None:
            return f"{self.columns[-1]}[{other}]", "another name", f"one of {len(own)} cells in each key"
        digest = self._file.digest_of_columns(self.columns[: len(keys.names)], keys.names, every=len(own) or 1)
        return None if digest == keys.digest else ("keys", f"other keys: {digest}", keys.digest)

    @property
    def _labels(self) -> Sequence[Label]:
        return self._statistic.labels_of(self._margin)

    def _wrong_keys(self) -> Wrong | None:
        labels: Any = self._labels
        columns, lists = self._name_columns(), list(labels.lists)
        sizes = [each.cells if _is_unlisted(each) else len(listed) for each, listed in zip(columns, lists, strict=True)]
        for place, column in enumerate(columns):
            if _is_unlisted(column):
                turn = math.prod(sizes[place + 1 :])  # rows that follow each other have one name
                texts = (text for page in self._file.texts([self.columns[place]]) for (text,) in page)
                lists[place] = list(islice(texts, 0, turn * sizes[place], turn))
                if (wrong := _another_digest(self.columns[place], column, lists[place])) is not None:
                    return wrong
        found = CrossedLabels(tuple(lists))
        return self._another_name(label_columns(found, len(columns)), ["cell", *self.columns])

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
