"""One run of a release with frozen noise, and everything about it that can be seen, taken apart into leaves.

Seen are the returned value, what is printed, logged and warned, an exception and its text, the draws,
the seeds, changes of the input, and threads that are left. Nothing of a run reaches the caller.

What is returned may be hostile: no method of it is called, no __eq__, __repr__ or __iter__; known types are read by the
methods of the type itself, others by their attributes. What cannot be read is named, not guessed.
"""

from __future__ import annotations

import copy
import functools
import gc
import io
import logging
import math
import re
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import partial
from itertools import islice
from types import BuiltinFunctionType, FunctionType, GeneratorType, ModuleType
from typing import Any, NamedTuple

from snapdp.testing.freezing import Patches, with_patches
from snapdp.testing.frozen_noise import FrozenNoise, NoiseDraw, format_place, is_of_a_library
from snapdp.values import Value

MOST_LEAVES = 20_000
DEEPEST = 12
LONGEST_TEXT = 200_000
DOUBLE_BITS = 53
RETURNED = "returned"
PRINTED_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
PLAIN_KEY = re.compile(r"[A-Za-z_][\w ]{0,30}")
_FLOAT_BITS = {"float16": 11, "float32": 24, "float64": DOUBLE_BITS}


class Leaf(NamedTuple):
    """One number or one fact. `bits` is the precision of a number that is a float, 0 of one that is exact."""

    path: str
    sort: str  # "number", "printed" (a number inside a text) or "fact"
    value: Any
    bits: int = 0

    @property
    def looks(self) -> tuple[str, str]:
        """What is the same for two leaves iff they look the same: -0.0 is not 0.0, 1 is not 1.0, NaN is itself."""
        return type(self.value).__name__, repr(self.value)

    @property
    def is_number(self) -> bool:
        """Whether it is a number, and a real one. What is printed with too many digits stays a text."""
        if self.sort == "fact" or isinstance(self.value, str):
            return False
        return not isinstance(self.value, float) or math.isfinite(self.value)


class Observation(Value):
    """What one run showed. `leaves` by their paths; `released` are the paths of the released numbers.

    ended     "returned", or the class of what was raised, at `where`; `problem` is what was raised
    unread    paths that could not be read, and their classes
    places    where lines were logged and warnings given, by their paths
    ignored   those of the ignored paths that were there
    """

    leaves: dict[str, Leaf]
    released: tuple[str, ...]
    ended: str
    where: str
    problem: BaseException | None
    draws: tuple[NoiseDraw, ...]
    seeds: tuple[tuple[str, Any, str], ...]
    input_changed: bool
    in_threads: bool
    unread: dict[str, str]
    places: dict[str, str]
    ignored: frozenset[str]

    @property
    def has_returned(self) -> bool:
        """Whether there is an output."""
        return self.ended == RETURNED

    @property
    def asked(self) -> tuple[tuple[str, int], ...]:
        """The kinds and sizes of the draws, in order."""
        return tuple((draw.kind, draw.size) for draw in self.draws)


class AuditedRelease(Value):
    """What is audited: a function, which numbers of its output are released, and paths that are not compared."""

    function: Callable[[Any], Any]
    released: Callable[[Any], Any] | None
    ignored: tuple[str, ...]

    def ignores(self, path: str) -> list[str]:
        """Return which of the ignored paths a path is, or is a part of."""
        return [each for each in self.ignored if path == each or path.startswith((f"{each}[", f"{each}.", f"{each}<"))]


class AuditedInput:
    """An input, and its leaves as they were before any run."""

    def __init__(self, data: Any) -> None:
        self.data = data

    @functools.cached_property
    def looks(self) -> list[tuple[str, tuple[str, str]]]:
        """What the input holds, read once."""
        return _looks(self.data)


def observe(release: AuditedRelease, data: AuditedInput, noise: FrozenNoise, replay: int) -> Observation:
    """Run a release once, on a copy of the data, with the noise of a replay."""
    given, is_copy = _copied(data.data)
    before = data.looks if is_copy else None
    threads = set(threading.enumerate())
    reader = Reader()
    noise.start(replay)
    call, overheard = _overhear(lambda: _call(release, given, reader))
    texts, places = _leaves_of_texts(overheard)
    leaves = [*call.leaves, *texts]
    left = any(each.is_alive() for each in set(threading.enumerate()) - threads)
    return Observation(
        leaves={leaf.path: leaf for leaf in leaves if not release.ignores(leaf.path)},
        released=tuple(path for path in call.released if not release.ignores(path)),
        ended=call.ended,
        where=call.where,
        problem=call.problem,
        draws=tuple(noise.draws),
        seeds=tuple(noise.seeds),
        input_changed=is_copy and before != _looks(given),
        in_threads=noise.drawn_elsewhere or left,
        unread=reader.unread,
        places=places,
        ignored=frozenset(each for leaf in leaves for each in release.ignores(leaf.path)),
    )


class _Call(NamedTuple):
    """How a call ended, and the leaves of its output, or of the text of what it raised."""

    ended: str
    leaves: list[Leaf]
    released: tuple[str, ...] = ()
    where: str = ""
    problem: BaseException | None = None


def _call(release: AuditedRelease, given: Any, reader: Reader) -> _Call:
    """Call a release and read its output, whatever it raises.

    What is not an `Exception` goes on, except that of sys.exit and of generators: an interrupt by the user, or the time
    limit of a test runner, is not the release's.
    """
    of = ""
    try:
        output = release.function(given)
        output = list(islice(output, MOST_LEAVES)) if isinstance(output, GeneratorType) else output
        of = " of released="
        leaves, released = _read_output(release, output, reader)
    except (Exception, SystemExit, GeneratorExit) as raised:
        frames = traceback.extract_tb(raised.__traceback__)
        own = [frame for frame in frames if not is_of_a_library(frame.filename)]
        where = format_place(own[-1].filename, own[-1].lineno or 0) if own else ""
        _forget_locals(raised)
        return _Call(f"{type(raised).__qualname__}{of}", read_text(_text_of(raised), "exception"), (), where, raised)
    return _Call(RETURNED, leaves, released)


def _read_output(release: AuditedRelease, output: Any, reader: Reader) -> tuple[list[Leaf], tuple[str, ...]]:
    """Return all leaves of an output, and the paths of the numbers that are released."""
    leaves = reader.read(output, "output")
    if release.released is None:
        numbers = [leaf.path for leaf in leaves if leaf.sort == "number"]
        return leaves, tuple(numbers or [leaf.path for leaf in leaves if leaf.sort == "printed"])
    chosen = reader.read(release.released(output), "released")
    return leaves + chosen, tuple(leaf.path for leaf in chosen if leaf.sort in ("number", "printed"))


def are_equal(first: Any, second: Any) -> bool:
    """Say whether two inputs are the same, as far as all of them can be read."""
    one, other = Reader(), Reader()
    looks = [
        [(leaf.path, leaf.looks) for leaf in reader.read(data, "input")]
        for reader, data in ((one, first), (other, second))
    ]
    return looks[0] == looks[1] and not one.unread and not other.unread


def _copied(data: Any) -> tuple[Any, bool]:
    try:
        return copy.deepcopy(data), True
    except Exception:  # what cannot be copied is handed over as it is
        return data, False


def _looks(data: Any) -> list[tuple[str, tuple[str, str]]]:
    return [(leaf.path, leaf.looks) for leaf in Reader().read(data, "input")]


def _text_of(problem: BaseException) -> str:
    try:
        return str(problem)
    except Exception:
        return "a text that cannot be read"


def _forget_locals(problem: BaseException | None) -> None:
    """Let frames that an exception holds go on without what the call made: a generator among it would look kept."""
    seen: set[int] = set()
    while problem is not None and id(problem) not in seen:
        seen.add(id(problem))
        traceback.clear_frames(problem.__traceback__)
        problem = problem.__cause__ or problem.__context__


# What a call writes


class _Listener(logging.Handler):
    def __init__(self, heard: list[tuple[str, str]]) -> None:
        super().__init__(logging.NOTSET)
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = record.getMessage()
        except Exception:
            text = "a message that cannot be formatted"
        self._heard.append((f"{record.levelname} {text}", format_place(record.pathname, record.lineno)))


def _overhear(block: Callable[[], _Call]) -> tuple[_Call, dict[str, list[tuple[str, str]]]]:
    """Run a block, and collect what is printed, logged and warned, as (text, where), instead of showing it."""
    heard: dict[str, list[tuple[str, str]]] = {"stdout": [], "stderr": [], "log": [], "warning": []}
    out, err = io.StringIO(), io.StringIO()

    def listen(patches: Patches) -> tuple[_Call, list[warnings.WarningMessage] | None]:
        patches.undo_by(gc.unfreeze)
        gc.freeze()  # what others left to be collected is not of this call, whenever it is
        patches.keep(sys, "unraisablehook", "stdout", "stderr")
        patches.keep(warnings, "filters", "showwarning")
        root = logging.getLogger()
        patches.undo_by(partial(_log_as_before, root.handlers[:], root.level, root.manager.disable))
        root.handlers[:] = [_Listener(heard["log"])]
        root.setLevel(1)
        logging.disable(logging.NOTSET)
        sys.stdout, sys.stderr = out, err
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            call = block()
            gc.collect()  # what the call itself left says what it has to say in every run, not in one of them
            return call, warned

    call, warned = with_patches(listen)
    for name, stream in (("stdout", out), ("stderr", err)):
        if text := stream.getvalue():
            heard[name].append((text, ""))
    for each in warned or ():
        heard["warning"].append((f"{each.category.__name__} {each.message}", format_place(each.filename, each.lineno)))
    return call, heard


def _log_as_before(handlers: list[logging.Handler], level: int, disabled: int) -> None:
    root = logging.getLogger()
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.disable(disabled)


def _leaves_of_texts(overheard: dict[str, list[tuple[str, str]]]) -> tuple[list[Leaf], dict[str, str]]:
    """Return the leaves of what was printed, logged and warned, and where it was."""
    leaves: list[Leaf] = []
    places: dict[str, str] = {}
    for name, texts in overheard.items():
        for number, (text, place) in enumerate(texts):
            path = f"{name}[{number}]"
            places[path] = place
            leaves += read_text(text[:LONGEST_TEXT], path)
    return leaves, places


# Leaves


class TooManyLeaves(Exception):
    """More than an audit compares."""


class Reader:
    """Takes values apart; `unread` has the paths and classes of what it could not read."""

    def __init__(self) -> None:
        self.unread: dict[str, str] = {}
        self._left = MOST_LEAVES
        self._inside: set[int] = set()

    def read(self, value: Any, path: str) -> list[Leaf]:
        """Return the leaves of a value, in order."""
        leaves: list[Leaf] = []
        try:
            for leaf in self._walk(value, path, 0):
                leaves.append(leaf)
                self._left -= 1
                if self._left < 0:
                    raise TooManyLeaves
        except TooManyLeaves:
            self.unread[path] = f"more than {MOST_LEAVES:,} numbers and facts"
        return leaves

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
        return read_text(value, path)
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
    library = type(value).__module__.split(".")[0]
    name = type(value).__name__
    if library == "pandas" and name == "DataFrame":
        facts = (name, tuple(map(str, value.columns)), tuple(map(str, value.dtypes)), value.shape)
        return facts, [value.index.tolist(), *(value.iloc[:, i].tolist() for i in range(value.shape[1]))]
    if library == "pandas" and name in ("Series", "Index"):
        return (name, str(value.dtype), str(value.name)), [value.tolist(), getattr(value, "index", value).tolist()]
    if library == "polars" and name == "DataFrame":
        return (name, tuple(value.columns), tuple(map(str, value.dtypes))), list(
            value.to_dict(as_series=False).values()
        )
    if library == "polars" and name == "Series":
        return (name, value.name, str(value.dtype)), value.to_list()
    if library == "pyarrow" and name == "Table":
        return (name, str(value.schema)), list(value.to_pydict().values())
    return None


def read_text(text: str, path: str) -> list[Leaf]:
    """Return the words of a text as one fact, and its numbers.

    >>> [leaf.value for leaf in read_text("mean 3.5 of 12 rows", "output")]
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
