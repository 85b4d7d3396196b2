"""Keys: the cells of groups as a public list, one row a cell, in the order of a file.

Holds no data and opens no file: `tables.keys` reads one. A row of a table is in a cell iff the texts of its columns are
those of one key, all of them; keys are distinct, so it is in one cell at most, and rows that have no key are in none.
They need not be a product. Everything that holds of groups follows: sensitivities (6), (13) and (13a).

    digest = SHA-256 of the keys as CSV: a line of names, then a line for each key, in order; every text in quotes, each
             quote in it doubled; commas between them, LF behind every line; in UTF-8

Short lists are in a request as they are; longer ones as their number and their digest. Labels are tuples with one text
for each column, also of one column. Theory: docs/theory/sensitivities.md, (13a).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import Any, Protocol, overload

from snapdp.errors import BoundError, DataError, ParameterError
from snapdp.studies.columns import AS_NUMBERS, AS_TEXT, DIGEST, INLINE, CategoryColumn, Column, storable
from snapdp.studies.grouping.groups import MOST_COLUMNS, Groups, groups_of
from snapdp.studies.toml import TomlTable, named
from snapdp.values import Value

KEY = "key"
MOST_KEYS = 50_000_000
LONGEST_KEY = 4096  # bytes of one text: what an audit takes the longest names for
KEY_NUMBER = "0|-?[1-9][0-9]{0,14}"  # keys that are numbers; two of them are one number iff they are one text


class KeyFile(Protocol):
    """Where many keys are: public rows that can be read again and again, in their order.

    given   the path as it was typed, for a study file
    copy    where an engine reads them, where they are many: Parquet with the columns k0, k1, ..., numbered from 0
    """

    given: str
    copy: str

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the keys in order."""


class Keys(Value):
    """A public list of keys. Build one with `keys_of`; `tables.keys.read_keys` reads a file of them.

    names    of the columns, in the order of by
    digest   see above
    listed   the keys where there are at most INLINE; else nothing
    compare  how cells of each column are compared with keys: as text, or as numbers
    """

    names: tuple[str, ...]
    count: int
    digest: str
    listed: tuple[tuple[str, ...], ...]
    compare: tuple[str, ...]
    _file: KeyFile | None = None  # where they were read from: two files of the same keys are one list

    def _check(self) -> None:
        if not 1 <= self.count <= MOST_KEYS:
            raise BoundError(
                f"there are {self.count} keys, and at most {MOST_KEYS} are taken.",
                "Keep those that are asked for. Nothing was spent.",
                cells=self.count,
            )
        if not 1 <= len(self.names) == len(self.compare) <= MOST_COLUMNS or not {*self.compare} <= {
            AS_TEXT,
            AS_NUMBERS,
        }:
            raise DataError("keys have other columns than they can have.", "The record was altered.")
        if not DIGEST.fullmatch(self.digest) or len(self.listed) != (self.count if self.count <= INLINE else 0):
            raise DataError("the keys are not those of their number and digest.", "The record was altered.")
        for text in chain.from_iterable(self.listed):  # first: of half a character there is no digest
            if len(storable(text, "a key").encode()) > LONGEST_KEY:
                raise DataError("a key is longer than keys are.", "The record was altered.")
        if self.listed and tuple(map(natural_keys, zip(*self.listed, strict=True))) != self.compare:
            raise DataError("keys are compared in another way than such keys are.", "The record was altered.")
        if self.listed and digest_of_keys(self.names, self.listed) != self.digest:
            raise DataError("the digest of the keys is another one.", "The record was altered.")
        if len({*self.listed}) != len(self.listed):
            raise DataError("one key stands twice.", "The record was altered.")

    @property
    def file(self) -> KeyFile | None:
        """Return where the keys are, where they were read from a file."""
        return self._file

    @property
    def given(self) -> str:
        """Return the path of their file as it was typed; empty where there was none."""
        return "" if self._file is None else self._file.given

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the keys in order; refuse where only their digest is known."""
        if self.listed:
            return iter(self.listed)
        if self._file is None:
            raise DataError("the keys are known by their digest alone.", "Read the file of keys.")
        return self._file.rows()


KeyReader = Callable[[str, Sequence[str]], Keys]  # of a path as it is typed, and the names of columns


def keys_of(
    names: Sequence[str],
    *,
    count: int,
    digest: str,
    listed: Iterable[Sequence[str]] = (),
    compare: Sequence[str],
    file: KeyFile | None = None,
) -> Keys:
    """Return keys; `file` has them where they are many."""
    rows = tuple(tuple(row) for row in listed)
    found = Keys(names=tuple(names), count=count, digest=digest, listed=rows, compare=tuple(compare))
    object.__setattr__(found, "_file", file)
    return found


def digest_of_keys(names: Sequence[str], rows: Iterable[Sequence[str | None]]) -> str:
    """Return the digest of keys, from their texts.

    >>> digest_of_keys(["page"], [["a"], ['say "b"']])
    'sha256:d203f8af40a916ac164b3fc02cfb3a24a0fadf85e6709aa8013eae8c140d7a1c'
    """
    digest = hashlib.sha256(key_line(names))
    every = iter(rows)
    while page := list(islice(every, 10_000)):
        digest.update(b"".join(map(key_line, page)))
    return f"sha256:{digest.hexdigest()}"


def key_line(texts: Sequence[str | None]) -> bytes:
    """Return a line of what is digested: the texts of a key, or the names of its columns."""
    return (",".join('"{}"'.format((text or "").replace('"', '""')) for text in texts) + "\n").encode()


def natural_keys(texts: Iterable[str]) -> str:
    """Return how keys of one column are compared with cells: as numbers if all of them are whole numbers."""
    return AS_NUMBERS if all(re.fullmatch(KEY_NUMBER, text) for text in texts) else AS_TEXT


class KeyColumn(CategoryColumn):
    """A column of groups by keys. Its cells are no list of its own: the keys of all columns together are."""

    kind = KEY
    listed = False
    categories: tuple[str, ...] = ()
    keys: Keys
    place: int  # among the columns of the keys

    @property
    def others_in_words(self) -> str:
        """Return what happens to rows that have no key, as a clause for people; once for all columns."""
        return "" if self.place else f"rows whose {', '.join(self.keys.names)} is none of the keys are left out"


class KeyedGroups(Groups):
    """Groups by keys. Build them with `keyed_groups`."""

    keys: Keys

    @property
    def is_crossed(self) -> bool:
        """Tell that labels are tuples, also of one column."""
        return True

    @cached_property
    def cells(self) -> int:
        return self.keys.count

    @property
    def keep_every_row(self) -> bool:
        return False

    @cached_property
    def labels(self) -> Sequence[tuple[str, ...]]:
        return KeyLabels(self.keys)

    def beside(self, cells: Sequence[str]) -> Sequence[tuple[str, ...]]:
        return KeyLabels(self.keys, tuple(cells))

    @property
    def most_cells(self) -> int:
        return MOST_KEYS

    def _check_cells(self) -> None:
        """Leave the number of cells to the keys."""


def keyed_groups(keys: Keys) -> KeyedGroups:
    """Return the groups that keys are."""
    pairs = enumerate(zip(keys.names, keys.compare, strict=True))
    columns = (KeyColumn(name=name, compare=compare, keys=keys, place=place) for place, (name, compare) in pairs)
    return KeyedGroups(columns=tuple(columns), keys=keys)


class KeyLabels(Sequence[tuple[str, ...]]):
    """The names of cells by keys, a histogram's own cells innermost; many of them are read when they are asked for."""

    def __init__(self, keys: Keys, own: tuple[str, ...] = ()) -> None:
        self.keys, self.own = keys, own

    def __len__(self) -> int:
        return self.keys.count * (len(self.own) or 1)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        if not self.own:
            return iter(self.keys.rows())
        return ((*row, cell) for row in self.keys.rows() for cell in self.own)

    @overload
    def __getitem__(self, cell: int) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, cell: slice) -> tuple[tuple[str, ...], ...]: ...
    def __getitem__(self, cell: int | slice) -> Any:
        chosen = range(len(self))[cell]
        if isinstance(chosen, range):
            return tuple(self)[cell]
        return next(islice(iter(self), chosen, None))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeyLabels) and (self.keys, self.own) == (other.keys, other.own)

    def __hash__(self) -> int:
        return hash((self.keys, self.own))

    def __repr__(self) -> str:
        return f"<the names of {len(self)} cells by keys>"


# In study files


def groups_in(table: TomlTable, columns: Mapping[str, Column], read_keys: KeyReader | None) -> Groups | None:
    """Return the groups that the table of a statistic names: by = "region", or a list, perhaps with a file of keys."""
    if "keys" in table:
        # The groups by the keys of a file: by = ["page"] and keys = "pages.parquet".
        path = str(table.text("keys"))
        if "by" not in table:
            raise ParameterError(
                "keys belong to groups, and there are none.", 'Say which columns they are of: by = "page".'
            )
        declared = next((name for name in _names_in(table) if name in columns), None)
        if declared is not None:
            raise ParameterError(
                f"column {declared!r} is declared, and a file of keys names its cells.",
                "Leave its declaration out, or keys: only one of the two says which cells there are. Nothing was "
                "spent.",
            )
        if read_keys is None:
            raise ParameterError("a file of keys is not read here.", "Load the study by snapdp.study.")
        return keyed_groups(read_keys(path, _names_in(table)))
    return groups_of([named(columns, name) for name in _names_in(table)]) if "by" in table else None


def _names_in(table: TomlTable) -> list[str]:
    return (table.texts("by") or []) if isinstance(table.get("by"), list) else [str(table.text("by"))]
