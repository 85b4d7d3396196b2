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
from collections.abc import Callable, Iterable, Iterator
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


Release = Callable[[Any], Any]


class Leaf(NamedTuple):
    """One number or one fact. `bits` is the precision of a number that is a float, 0 of one that is exact."""

    path: str
    sort: str  # "number", "printed" (a number inside a text) or "fact"
    value: Any
    bits: int = 0
    where: str = ""  # a line was logged, a warning given

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

    function: Release
    released: Release | None
    ignored: tuple[str, ...]

    def ignores(self, path: str) -> list[str]:
        """Return which of the ignored paths a path is, or is a part of."""
        return [name for name in self.ignored if path == name or path.startswith((f"{name}[", f"{name}.", f"{name}<"))]


class AuditedInput:
    """An input, and its leaves as they were before any run."""

    def __init__(self, data: Any) -> None:
        self.data, unread = data, dict[str, str]()
        self.looks = _read_looks(data, unread)
        self.is_whole = not unread


def are_equal(first: AuditedInput, second: AuditedInput) -> bool:
    """Say whether two inputs are the same, as far as all of them can be read."""
    return first.looks == second.looks and first.is_whole and second.is_whole


def _read_looks(data: Any, unread: dict[str, str]) -> list[tuple[str, tuple[str, str]]]:
    return [(leaf.path, leaf.looks) for leaf in read_leaves(data, "input", unread)]


def observe(release: AuditedRelease, data: AuditedInput, noise: FrozenNoise, replay: int) -> Observation:
    """Run a release once, on a copy of the data, with the noise of a replay."""
    try:
        given, is_copy = copy.deepcopy(data.data), True
    except Exception:  # what cannot be copied is handed over as it is
        given, is_copy = data.data, False
    threads = set(threading.enumerate())
    noise.start(replay)
    ending, texts = _overhear(lambda: _call(release, given))
    leaves = [*ending.leaves, *texts]
    is_left = any(thread.is_alive() for thread in set(threading.enumerate()) - threads)
    return Observation(
        leaves={leaf.path: leaf for leaf in leaves if not release.ignores(leaf.path)},
        released=tuple(path for path in ending.released if not release.ignores(path)),
        ended=ending.ended,
        where=ending.where,
        problem=ending.problem,
        draws=tuple(noise.draws),
        seeds=tuple(noise.seeds),
        input_changed=is_copy and data.looks != _read_looks(given, {}),
        in_threads=noise.drawn_elsewhere or is_left,
        unread=ending.unread,
        ignored=frozenset(name for leaf in leaves for name in release.ignores(leaf.path)),
    )


class _Ending(NamedTuple):
    """How a call ended, and the leaves of its output, or of the text of what it raised."""

    ended: str
    leaves: list[Leaf]
    unread: dict[str, str]
    released: tuple[str, ...] = ()
    where: str = ""
    problem: BaseException | None = None


def _call(release: AuditedRelease, given: Any) -> _Ending:
    """Call a release and read its output, whatever it raises.

    What is not an `Exception` goes on, except that of sys.exit: an interrupt by the user, or the time limit of a test
    runner, is not the release's.
    """
    of, unread = "", dict[str, str]()
    try:
        output = release.function(given)
        of = " of released="
        leaves = read_leaves(output, "output", unread)
        chosen = [] if release.released is None else read_leaves(release.released(output), "released", unread)
    except (Exception, SystemExit) as raised:
        frames = traceback.extract_tb(raised.__traceback__)
        places = [format_place(at.filename, at.lineno or 0) for at in frames if not is_of_a_library(at.filename)]
        traceback.clear_frames(raised.__traceback__)  # they hold a copy of the input
        ended, where = f"{type(raised).__qualname__}{of}", places[-1] if places else ""
        return _Ending(ended, read_text(_text_of(raised), "exception"), unread, (), where, raised)
    candidates = leaves if release.released is None else chosen
    sorts = {leaf.sort for leaf in candidates} - {"fact"}
    if release.released is None and "number" in sorts:
        sorts = {"number"}
    return _Ending(RETURNED, leaves + chosen, unread, tuple(leaf.path for leaf in candidates if leaf.sort in sorts))


def _text_of(raised: BaseException) -> str:
    try:
        return str(raised)
    except Exception:
        return "a text that cannot be read"


# What a call writes


class _Listener(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[tuple[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = record.getMessage()
        except Exception:
            text = "a message that cannot be formatted"
        self.lines.append((f"{record.levelname} {text}", format_place(record.pathname, record.lineno)))


def _overhear(block: Callable[[], _Ending]) -> tuple[_Ending, list[Leaf]]:
    """Run a block, and return the leaves of what is printed, logged and warned, instead of showing it."""
    out, err, listener = io.StringIO(), io.StringIO(), _Listener()

    def listen(patches: Patches) -> tuple[_Ending, list[warnings.WarningMessage]]:
        root = logging.getLogger()
        patches.undo_by(partial(logging.disable, root.manager.disable))  # it clears what loggers remember of levels
        for owner, name, value in (
            (root, "handlers", [listener]),
            (root, "level", 1),
            (sys, "stdout", out),
            (sys, "stderr", err),
            (warnings, "filters", warnings.filters),  # what comes below replaces them
            (warnings, "showwarning", warnings.showwarning),
        ):
            patches.set(vars(owner), name, value)
        logging.disable(logging.NOTSET)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            ending = block()
            gc.collect()  # what the call itself left says what it has to say in every run, not in one of them
        return ending, warned or []

    ending, warned = with_patches(listen)
    texts = {
        **{name: [(text, "")] for name, text in (("stdout", out.getvalue()), ("stderr", err.getvalue())) if text},
        "log": listener.lines,
        "warning": [(f"{w.category.__name__} {w.message}", format_place(w.filename, w.lineno)) for w in warned],
    }
    return ending, [
        leaf
        for name, lines in texts.items()
        for i, (text, where) in enumerate(lines)
        for leaf in read_text(text[:LONGEST_TEXT], f"{name}[{i}]", where)
    ]


# Leaves


def read_leaves(value: Any, path: str, unread: dict[str, str]) -> list[Leaf]:
    """Return the leaves of a value, in order; note in `unread` the paths and classes of what cannot be compared."""
    leaves = list(islice(_walk(value, path, 0, unread), MOST_LEAVES + 1))
    if len(leaves) > MOST_LEAVES:
        unread[path] = f"more than {MOST_LEAVES:,} numbers and facts"
    return leaves


def _walk(value: Any, path: str, depth: int, unread: dict[str, str]) -> Iterator[Leaf]:
    kind = type(value)
    parts: Iterable[tuple[str, Any]] = ()  # they are walked through afterwards
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
        dtype, shape = value.dtype, value.shape
        yield Leaf(path if shape else f"{path}.dtype", "fact", (kind.__name__, str(dtype), shape))
        bits = _FLOAT_BITS.get(str(dtype), DOUBLE_BITS if dtype.kind == "f" else 0)
        cells = ((f"{path}[{place}]" if shape else path, cell) for place, cell in enumerate(value.ravel().tolist()))
        if dtype.kind in "iuf":
            yield from (Leaf(at, "number", cell, bits) for at, cell in cells)
        else:
            parts = cells
    elif (table := _as_columns(value)) is not None:
        yield Leaf(f"{path}.columns", "fact", table[0])
        yield from _walk(table[1], path, depth, unread)
    elif isinstance(value, dict):
        yield Leaf(path, "fact", (kind.__name__, tuple(map(_key, value))))
        parts = ((f"{path}{_spelled(key, place)}", cell) for place, (key, cell) in enumerate(value.items()))
    elif isinstance(value, (list, tuple)):
        yield Leaf(path, "fact", (kind.__name__, len(value)))
        names = getattr(kind, "_fields", None)
        parts = ((f"{path}.{names[i]}" if names else f"{path}[{i}]", cell) for i, cell in enumerate(value))
    else:  # what an object stores; dataclasses may do so in slots
        stored = dict.fromkeys((*getattr(value, "__dict__", ()), *getattr(kind, "__dataclass_fields__", ())))
        if not stored:
            unread[path] = f"an object of class {kind.__qualname__}"
        yield Leaf(path, "fact", ("object", kind.__module__, kind.__qualname__, tuple(stored)))
        parts = ((f"{path}.{name}", getattr(value, name, None)) for name in stored)
    for at, part in parts:
        yield from _walk(part, at, depth + 1, unread)


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


def read_text(text: str, path: str, where: str = "") -> list[Leaf]:
    """Return the words of a text as one fact, and its numbers.

    >>> [leaf.value for leaf in read_text("mean 3.5 of 12 rows", "output")]
    ['mean # of # rows', Fraction(7, 2), Fraction(12, 1)]
    """
    numbers = PRINTED_NUMBER.findall(text)
    leaves = [Leaf(f"{path}<{i}>", "printed", _printed(number), 0, where) for i, number in enumerate(numbers)]
    return [Leaf(path, "fact", PRINTED_NUMBER.sub("#", text), 0, where), *leaves]


def _printed(number: str) -> Fraction | str:
    exponent = re.split("[eE]", number)[1:]
    return number if (exponent and abs(int(exponent[0])) > 400) or len(number) > 400 else Fraction(number)


def _key(key: Any) -> Any:
    kind = type(key)
    return (kind.__name__, key if kind in (str, int, float, bytes, bool) else None)


def _spelled(key: Any, place: int) -> str:
    """Return how a key is told: words as they are, anything else by its place."""
    return f"[{key!r}]" if type(key) is str and PLAIN_KEY.fullmatch(key) else f"[key {place}]"
