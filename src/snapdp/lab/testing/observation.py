"""One run of a release with frozen noise, and everything about it that can be seen, taken apart into leaves.

Seen are the returned value, what is printed, logged and warned, an exception and its text, the draws, the seeds,
changes of the input, and threads that are left. Nothing of a run reaches the caller.

Numbers, texts, lists, dicts, tables of pandas, polars and Arrow, arrays of numpy and the stored attributes of other
objects are compared. What cannot be compared is named, not guessed.
"""

from __future__ import annotations

import copy
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
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from snapdp.lab.testing.frozen_noise import FrozenNoise, NoiseDraw, Patches, format_place, is_of_a_library, with_patches
from snapdp.values import Value

MOST_LEAVES = 20_000
DEEPEST = 12
LONGEST_TEXT = 200_000
DOUBLE_BITS = 53
RETURNED = "returned"
PRINTED_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
PLAIN_KEY = re.compile(r"[A-Za-z_][\w ]{0,30}")
_FLOAT_BITS = {"float16": 11, "float32": 24, "float64": DOUBLE_BITS}
_FACTS = (bool, bytes, complex, date, time, timedelta, type(None))


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
        self.looks, self.is_whole = _read_looks(data)


def are_equal(first: AuditedInput, second: AuditedInput) -> bool:
    """Say whether two inputs are the same, as far as all of them can be read."""
    return first.looks == second.looks and first.is_whole and second.is_whole


def _read_looks(data: Any) -> tuple[list[tuple[str, tuple[str, str]]], bool]:
    reader = Reader()
    return [(leaf.path, leaf.looks) for leaf in reader.read(data, "input")], not reader.unread


def observe(release: AuditedRelease, data: AuditedInput, noise: FrozenNoise, replay: int) -> Observation:
    """Run a release once, on a copy of the data, with the noise of a replay."""
    try:
        given, is_copy = copy.deepcopy(data.data), True
    except Exception:  # what cannot be copied is handed over as it is
        given, is_copy = data.data, False
    threads = set(threading.enumerate())
    reader = Reader()
    noise.start(replay)
    call, heard = _overhear(lambda: _call(release, given, reader))
    places = {f"{name}[{i}]": place for name, texts in heard.items() for i, (_, place) in enumerate(texts)}
    texts = [text[:LONGEST_TEXT] for texts in heard.values() for text, _ in texts]
    leaves = [*call.leaves]
    for path, text in zip(places, texts, strict=True):
        leaves += read_text(text, path)
    left = any(each.is_alive() for each in set(threading.enumerate()) - threads)
    return Observation(
        leaves={leaf.path: leaf for leaf in leaves if not release.ignores(leaf.path)},
        released=tuple(path for path in call.released if not release.ignores(path)),
        ended=call.ended,
        where=call.where,
        problem=call.problem,
        draws=tuple(noise.draws),
        seeds=tuple(noise.seeds),
        input_changed=is_copy and data.looks != _read_looks(given)[0],
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

    What is not an `Exception` goes on, except that of sys.exit: an interrupt by the user, or the time limit of a test
    runner, is not the release's.
    """
    of = ""
    try:
        output = release.function(given)
        of = " of released="
        leaves = reader.read(output, "output")
        chosen = [] if release.released is None else reader.read(release.released(output), "released")
    except (Exception, SystemExit) as raised:
        frames = traceback.extract_tb(raised.__traceback__)
        own = [frame for frame in frames if not is_of_a_library(frame.filename)]
        where = format_place(own[-1].filename, own[-1].lineno or 0) if own else ""
        traceback.clear_frames(raised.__traceback__)  # they hold a copy of the input
        try:
            text = str(raised)
        except Exception:
            text = "a text that cannot be read"
        return _Call(f"{type(raised).__qualname__}{of}", read_text(text, "exception"), (), where, raised)
    candidates = leaves if release.released is None else chosen
    released = [leaf for leaf in candidates if leaf.sort != "fact"]
    if release.released is None and any(leaf.sort == "number" for leaf in released):
        released = [leaf for leaf in released if leaf.sort == "number"]
    return _Call(RETURNED, leaves + chosen, tuple(leaf.path for leaf in released))


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
    out, err, logged = io.StringIO(), io.StringIO(), list[tuple[str, str]]()

    def listen(patches: Patches) -> tuple[_Call, list[warnings.WarningMessage]]:
        root = logging.getLogger()
        patches.undo_by(partial(logging.disable, root.manager.disable))  # it clears what loggers remember of levels
        patches.set(vars(root), "handlers", [_Listener(logged)])
        patches.set(vars(root), "level", 1)
        patches.set(vars(sys), "stdout", out)
        patches.set(vars(sys), "stderr", err)
        patches.set(vars(warnings), "filters", warnings.filters)  # what comes below replaces them
        patches.set(vars(warnings), "showwarning", warnings.showwarning)
        logging.disable(logging.NOTSET)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            call = block()
            gc.collect()  # what the call itself left says what it has to say in every run, not in one of them
        return call, warned or []

    call, warned = with_patches(listen)
    return call, {
        "stdout": [(out.getvalue(), "")] if out.getvalue() else [],
        "stderr": [(err.getvalue(), "")] if err.getvalue() else [],
        "log": logged,
        "warning": [(f"{w.category.__name__} {w.message}", format_place(w.filename, w.lineno)) for w in warned],
    }


# Leaves


class Reader:
    """Takes values apart; `unread` has the paths and classes of what cannot be compared."""

    def __init__(self) -> None:
        self.unread: dict[str, str] = {}

    def read(self, value: Any, path: str) -> list[Leaf]:
        """Return the leaves of a value, in order."""
        leaves = list(islice(self._walk(value, path, 0), MOST_LEAVES + 1))
        if len(leaves) > MOST_LEAVES:
            self.unread[path] = f"more than {MOST_LEAVES:,} numbers and facts"
        return leaves

    def _walk(self, value: Any, path: str, depth: int) -> Iterator[Leaf]:
        kind = type(value)
        if kind in (int, float, Fraction):
            yield Leaf(path, "number", value, DOUBLE_BITS if kind is float else 0)
        elif kind is Decimal:
            yield Leaf(path, "number", Fraction(value) if value.is_finite() else float(value))
        elif kind is str:
            yield from read_text(value, path)
        elif kind in _FACTS or isinstance(value, datetime):
            yield Leaf(path, "fact", (kind.__name__, value))
        elif depth > DEEPEST:  # as what holds itself
            yield Leaf(path, "fact", ("again", kind.__name__))
        elif "numpy" in sys.modules and isinstance(value, (sys.modules["numpy"].generic, sys.modules["numpy"].ndarray)):
            yield from self._walk_array(value, path, depth)
        elif (table := _as_columns(value)) is not None:
            yield Leaf(f"{path}.columns", "fact", table[0])
            yield from self._walk(table[1], path, depth)
        elif isinstance(value, dict):
            yield Leaf(path, "fact", (kind.__name__, tuple(map(_key, value))))
            for place, (key, each) in enumerate(value.items()):
                yield from self._walk(each, f"{path}{_spelled(key, place)}", depth + 1)
        elif isinstance(value, (list, tuple)):
            yield Leaf(path, "fact", (kind.__name__, len(value)))
            names = getattr(kind, "_fields", None)
            for place, each in enumerate(value):
                yield from self._walk(each, f"{path}.{names[place]}" if names else f"{path}[{place}]", depth + 1)
        else:
            yield from self._walk_object(value, path, depth)

    def _walk_array(self, value: Any, path: str, depth: int) -> Iterator[Leaf]:
        kind, dtype, shape = type(value).__name__, value.dtype, value.shape
        yield Leaf(path if shape else f"{path}.dtype", "fact", (kind, str(dtype), shape))
        bits = _FLOAT_BITS.get(str(dtype), DOUBLE_BITS if dtype.kind == "f" else 0)
        for place, each in enumerate(value.ravel().tolist()):
            at = f"{path}[{place}]" if shape else path
            if dtype.kind in "iuf":
                yield Leaf(at, "number", each, bits)
            else:
                yield from self._walk(each, at, depth + 1)

    def _walk_object(self, value: Any, path: str, depth: int) -> Iterator[Leaf]:
        """Yield the leaves of what an object stores; dataclasses may do so in slots."""
        kind = type(value)
        names = (*getattr(value, "__dict__", ()), *getattr(kind, "__dataclass_fields__", ()))
        names = tuple(dict.fromkeys(names))
        if not names:
            self.unread[path] = f"an object of class {kind.__qualname__}"
        yield Leaf(path, "fact", ("object", kind.__module__, kind.__qualname__, names))
        for name in names:
            yield from self._walk(getattr(value, name, None), f"{path}.{name}", depth + 1)


def _as_columns(value: Any) -> tuple[Any, Any] | None:
    """Return (facts, columns) of a table, or a column, of pandas, polars or Arrow."""
    library, name = type(value).__module__.split(".")[0], type(value).__name__
    if library == "pyarrow" and name == "Table":
        return (name, str(value.schema)), list(value.to_pydict().values())
    if library == "pandas" and name == "DataFrame":
        columns = [value.index, *(column for _, column in value.items())]
    elif library == "pandas" and name in ("Series", "Index"):
        columns = [value, getattr(value, "index", value)]
    elif library == "polars" and name in ("DataFrame", "Series"):
        columns = value.get_columns() if name == "DataFrame" else [value]
    else:
        return None
    return (name, *((str(each.name), str(each.dtype)) for each in columns)), [each.to_list() for each in columns]


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


def _key(key: Any) -> Any:
    kind = type(key)
    return (kind.__name__, key if kind in (str, int, float, bytes, bool) else None)


def _spelled(key: Any, place: int) -> str:
    """Return how a key is told: words as they are, anything else by its place."""
    return f"[{key!r}]" if type(key) is str and PLAIN_KEY.fullmatch(key) else f"[key {place}]"
