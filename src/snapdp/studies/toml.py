"""TOML tables of a study file, read strictly: every key is known, every value has its type, every error has a place.

The file is public: messages may repeat what it says.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from snapdp.display.text import visible
from snapdp.errors import ParameterError, SnapdpError
from snapdp.exact.numbers import shown
from snapdp.studies.columns import Column

NUMBERS = (int, Decimal, float, str)  # a float means what it prints, as everywhere
LONGEST_WORD = 100  # of which the nearest one is looked for
_TYPES = {bool: "true or false", str: "text", list: "a list", dict: "a table", int: "a number"}


class TomlTable:
    """One TOML table of the file: its values, where it stands, and the keys it may have."""

    def __init__(self, values: Any, *, place: str, keys: Collection[str]) -> None:
        if not isinstance(values, dict):
            raise ParameterError(
                f"{place} is {_kind(values)}, not a table.", f"It has the keys {_listed(keys)}.", place=place
            )
        if set(map(type, values)) - {str}:
            raise ParameterError(f"{place}: a key is no text.", f"It has the keys {_listed(keys)}.", place=place)
        self.place = place
        self._values: dict[str, Any] = values
        self.restrict(keys)

    def restrict(self, keys: Collection[str], *, because: str = "") -> None:
        """Refuse every key that is not among these, and name the nearest."""
        for key in self._values:
            if key not in keys:
                nearest = nearest_of(key, keys)
                raise ParameterError(
                    f"{self.place}: the key {key!r} is not known{because}.",
                    f"Did you mean {nearest!r}? The keys are {_listed(keys)}.",
                    key=key,
                    nearest=nearest,
                    place=self.place,
                )

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def get(self, key: str) -> Any:
        """Return a value as it stands, None where the key is absent."""
        return self._values.get(key)

    def need(self, *keys: str) -> None:
        """Refuse the table where one of the keys is absent."""
        for key in keys:
            if key not in self._values:
                raise ParameterError(
                    f"{self.place}: the key {key!r} is missing.", f"Add a line {key} = ...", key=key, place=self.place
                )

    def text(self, key: str) -> str | None:
        found: str | None = self._typed(key, str)
        return found

    def choice(self, key: str, default: str) -> str:
        found = self.text(key)
        return default if found is None else found

    def flag(self, key: str) -> bool:
        return bool(self._typed(key, bool))

    def texts(self, key: str) -> list[str] | None:
        return self._list(key, (str,), "text")

    def number(self, key: str) -> Any:
        """Return a number as written, also as text, to be parsed exactly."""
        value = self._values.get(key)
        if value is not None and not _is_number(value):
            raise self._wrong(key, value, "a number, or text that is one")
        return value

    def end(self, key: str) -> Any:
        """Return an end of a range: a number as written, or the text of a date."""
        value = self._values.get(key)
        return value.isoformat() if type(value) is datetime.date else self.number(key)

    def word(self, key: str) -> Any:
        """Return what a category is named by: text, or the text of true, of false, of a date and of a whole number."""
        value = self._values.get(key)
        if type(value) in (bool, int):
            return shown(value).lower()
        return value.isoformat() if type(value) is datetime.date else self.text(key)

    def numbers(self, key: str) -> list[Any] | None:
        values = self._list(key, NUMBERS, "numbers")
        if values is not None and not all(_is_number(value) for value in values):
            raise self._wrong(key, values, "a list of numbers")
        return values

    def tables(self, key: str) -> list[Any]:
        return self._list(key, (dict,), "tables") or []

    def _list(self, key: str, types: tuple[type, ...], what: str) -> list[Any] | None:
        values: list[Any] | None = self._typed(key, list)
        if values is not None and not all(issubclass(kind, types) for kind in set(map(type, values))):
            raise self._wrong(key, values, f"a list of {what}")
        return values

    def _typed(self, key: str, kind: type) -> Any:
        value = self._values.get(key)
        if value is not None and not isinstance(value, kind):
            raise self._wrong(key, value, _TYPES[kind])
        return value

    def _wrong(self, key: str, value: object, wanted: str) -> ParameterError:
        return ParameterError(f"{self.place}: {key} is {_kind(value)}.", f"Give {wanted}.", key=key, place=self.place)


def nearest_of(word: str, words: Collection[str]) -> str:
    """Return the one that looks most like a word."""
    import difflib

    return difflib.get_close_matches(word[:LONGEST_WORD].lower(), words, n=1, cutoff=0)[0]


@contextmanager
def placed(place: str) -> Iterator[None]:
    """Say where in the file a refusal of the library belongs, unless it says so itself."""
    try:
        with about(place=place):
            yield
    except SnapdpError as refusal:
        if refusal.problem.startswith(place):
            raise
        raise type(refusal)(f"{place}: {refusal.problem}", refusal.advice, **refusal.numbers) from None


@contextmanager
def about(**where: str) -> Iterator[None]:
    """Keep more of where a refusal belongs, unless it says so itself.

    place    the table of the file, as messages name it
    key      of that table
    declares the column that the table declares, by its whole name: a message may show less of it
    """
    try:
        yield
    except SnapdpError as refusal:
        refusal.numbers = {**where, **refusal.numbers}
        raise


def _is_number(value: object) -> bool:
    return isinstance(value, NUMBERS) and not isinstance(value, bool)


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "a list of other things" if value else "an empty list"
    if isinstance(value, (Decimal, float)):
        return "a number"
    if isinstance(value, (datetime.date, datetime.time)):
        return "a date or time"
    return _TYPES.get(type(value), f"a value of type {type(value).__name__}")  # in Python it may be anything


def _listed(keys: Collection[str]) -> str:
    return ", ".join(sorted(keys))


def named(columns: Mapping[str, Column], name: str | None) -> Column:
    """Return a declared column; refuse another name and tell the nearest."""
    if name is not None and name in columns:
        return columns[name]
    several = [each.strip() for each in str(name).split(",")]
    if len(several) > 1 and all(each in columns for each in several):
        listed = ", ".join(f'"{each}"' for each in several)
        raise ParameterError(f"column {name!r} is not declared.", f"Several columns are a list: [{listed}].")
    nearest = f"Did you mean {nearest_of(str(name), columns)!r}? " if columns else ""
    raise ParameterError(f"column {name!r} is not declared.", f"{nearest}Declare [columns.{visible(str(name))}].")
