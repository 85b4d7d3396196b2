"""Anything that a release returns or writes, taken apart into leaves: numbers, and facts about what is around them.

Room: testing. What is returned may be hostile: no method of it is called, no __eq__, __repr__ or __iter__; known types
are read by the methods of the type itself, others by their attributes. What cannot be read is told, not guessed.
A text is its words, which are a fact, and its numbers, which are leaves of their own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NamedTuple

MOST_LEAVES = 20_000
DEEPEST = 12
PRINTED_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
PLAIN_KEY = re.compile(r"[A-Za-z_][\w ]{0,30}")
DOUBLE_BITS = 53
_FLOAT_BITS = {"float16": 11, "float32": 24, "float64": DOUBLE_BITS}


class Leaf(NamedTuple):
    """One number or one fact. `bits` is the precision of a number that is a float, 0 of one that is exact."""

    path: str
    sort: str  # "number", "printed" (a number inside a text) or "fact"
    value: Any
    bits: int = 0


class TooManyLeaves(Exception):
    """More than an audit compares."""


class Reader:
    """Takes values apart; `unread` has the paths and classes of what it could not read."""

    def __init__(self) -> None:
        self.unread: dict[str, str] = {}
        self._left = MOST_LEAVES
        self._inside: set[int] = set()

    def leaves(self, value: Any, path: str) -> list[Leaf]:
        """Return the leaves of a value, in order."""
        found: list[Leaf] = []
        try:
            for leaf in self._walk(value, path, 0):
                found.append(leaf)
                self._left -= 1
                if self._left < 0:
                    raise TooManyLeaves
        except TooManyLeaves:
            self.unread[path] = f"more than {MOST_LEAVES:,} numbers and facts"
        return found

    def _walk(self, value: Any, path: str, depth: int) -> Iterator[Leaf]:
        kind = type(value)
        simple = _simple(value, path)
        if simple is not None:
            yield from simple
            return
        if depth > DEEPEST or id(value) in self._inside:
            yield Leaf(path, "fact", ("again", kind.__name__))
            return
        self._inside.add(id(value))
        try:
            yield from self._composed(value, path, depth + 1)
        finally:
            self._inside.discard(id(value))

    def _composed(self, value: Any, path: str, depth: int) -> Iterator[Leaf]:
        kind = type(value)
        table = _as_columns(value)
        if table is not None:
            yield Leaf(f"{path}.columns", "fact", table[0])
            yield from self._walk(table[1], path, depth)
        elif isinstance(value, dict):
            keys = list(dict.keys(value))
            yield Leaf(path, "fact", (kind.__name__, tuple(_key(key) for key in keys)))
            for place, key in enumerate(keys):
                yield from self._walk(dict.__getitem__(value, key), f"{path}{_spelled(key, place)}", depth)
        elif isinstance(value, (list, tuple)):
            base: Any = list if isinstance(value, list) else tuple
            yield Leaf(path, "fact", (kind.__name__, base.__len__(value)))
            names = getattr(kind, "_fields", None) if base is tuple else None
            for place, each in enumerate(base.__iter__(value)):
                name = f".{names[place]}" if isinstance(names, tuple) and place < len(names) else f"[{place}]"
                yield from self._walk(each, path + name, depth)
        elif isinstance(value, (set, frozenset)):
            base_set: Any = set if isinstance(value, set) else frozenset
            yield Leaf(path, "fact", (kind.__name__, tuple(sorted(map(repr, map(_key, base_set.__iter__(value)))))))
        else:
            yield from self._attributes(value, path, depth)

    def _attributes(self, value: Any, path: str, depth: int) -> Iterator[Leaf]:
        kind = type(value)
        yield Leaf(path, "fact", ("object", kind.__module__, kind.__qualname__))
        found = _attributes_of(value)
        if not found:
            self.unread[path] = f"an object of class {kind.__qualname__}"
        yield Leaf(f"{path}.", "fact", tuple(found))
        for name, each in found.items():
            yield from self._walk(each, f"{path}.{name}", depth)


def _simple(value: Any, path: str) -> list[Leaf] | None:
    """Return the leaves of what has no parts, and None for anything else."""
    kind = type(value)
    if kind is float:
        return [Leaf(path, "number", value, DOUBLE_BITS)]
    if kind is int or kind is Fraction:
        return [Leaf(path, "number", value)]
    if kind is Decimal:
        number = Fraction(value) if value.is_finite() else float(value)
        return [Leaf(path, "number", number)]
    if kind is str:
        return text_leaves(value, path)
    if value is None or kind in (bool, bytes, bytearray, complex, date, time, timedelta, type, range, slice):
        return [Leaf(path, "fact", (kind.__name__, bytes(value) if kind is bytearray else value))]
    if isinstance(value, Enum):
        return [Leaf(path, "fact", ("enum", kind.__qualname__, value._name_))]
    if isinstance(value, datetime):
        return [Leaf(path, "fact", (kind.__name__, datetime.isoformat(value)))]
    if isinstance(value, (FunctionType, BuiltinFunctionType, ModuleType)):
        return [Leaf(path, "fact", ("function", kind.__qualname__))]
    return _of_numpy(value, path)


def _of_numpy(value: Any, path: str) -> list[Leaf] | None:
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(value, (numpy.generic, numpy.ndarray)):
        return None
    array = numpy.asarray(value)
    form = ("array" if isinstance(value, numpy.ndarray) else "scalar", str(array.dtype), array.shape)
    found = [Leaf(path if array.shape else f"{path}.dtype", "fact", form)]
    bits = _FLOAT_BITS.get(str(array.dtype), DOUBLE_BITS if array.dtype.kind == "f" else 0)
    for place, each in enumerate(array.ravel().tolist()):
        at = path if not array.shape else f"{path}[{place}]"
        if array.dtype.kind in "iuf":
            found.append(Leaf(at, "number", each, bits))
        else:
            found += _simple(each, at) or [Leaf(at, "fact", ("element", type(each).__qualname__))]
        if len(found) > MOST_LEAVES:
            raise TooManyLeaves
    return found


def _as_columns(value: Any) -> tuple[Any, Any] | None:
    """Return (facts, columns) of a data frame of pandas, polars or Arrow."""
    room = type(value).__module__.split(".")[0]
    name = type(value).__name__
    if room == "pandas" and name == "DataFrame":
        facts = (name, tuple(map(str, value.columns)), tuple(map(str, value.dtypes)), value.shape)
        return facts, [value.index.tolist(), *(value.iloc[:, i].tolist() for i in range(value.shape[1]))]
    if room == "pandas" and name in ("Series", "Index"):
        return (name, str(value.dtype), str(value.name)), [value.tolist(), getattr(value, "index", value).tolist()]
    if room == "polars" and name == "DataFrame":
        return (name, tuple(value.columns), tuple(map(str, value.dtypes))), list(
            value.to_dict(as_series=False).values()
        )
    if room == "polars" and name == "Series":
        return (name, value.name, str(value.dtype)), value.to_list()
    if room == "pyarrow" and name == "Table":
        return (name, str(value.schema)), list(value.to_pydict().values())
    return None


def text_leaves(text: str, path: str) -> list[Leaf]:
    """Return the words of a text as one fact, and its numbers.

    >>> [leaf.value for leaf in text_leaves("mean 3.5 of 12 rows", "output")]
    ['mean # of # rows', Fraction(7, 2), Fraction(12, 1)]
    """
    numbers = PRINTED_NUMBER.findall(text)
    words = Leaf(path, "fact", PRINTED_NUMBER.sub("#", text))
    return [words, *(Leaf(f"{path}<{i}>", "printed", _printed(each)) for i, each in enumerate(numbers))]


def _printed(number: str) -> Fraction | str:
    exponent = re.split("[eE]", number)[1:]
    return number if (exponent and abs(int(exponent[0])) > 400) or len(number) > 400 else Fraction(number)


def _attributes_of(value: Any) -> dict[str, Any]:
    """Return the attributes that an object stores, without asking the object."""
    found: dict[str, Any] = {}
    for base in reversed(type(value).__mro__):
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            try:
                found[name] = object.__getattribute__(value, name)
            except AttributeError:
                continue
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        own = {}
    return {**found, **(dict(own) if isinstance(own, dict) else {})}


def _key(key: Any) -> Any:
    kind = type(key)
    return (kind.__name__, key if kind in (str, int, float, bytes, bool) else None)


def _spelled(key: Any, place: int) -> str:
    """Return how a key is told: words as they are, anything else by its place."""
    return f"[{key!r}]" if type(key) is str and PLAIN_KEY.fullmatch(key) else f"[key {place}]"
