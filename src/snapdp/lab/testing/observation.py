"""One run of a release with frozen noise, and everything about it that can be seen, taken apart into leaves.

Seen are the returned value, what is printed, logged and warned, an exception and its text, the draws and the seeds.
Nothing of a run reaches the caller. Numbers, texts, lists, dicts, tables, arrays of numpy and the stored attributes of
other objects are compared. What cannot be compared is named, not guessed.
"""

from __future__ import annotations

import copy
import gc
import io
import logging
import math
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
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
RETURNED = "an answer"
PRINTED_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
PLAIN_KEY = re.compile(r"[A-Za-z_][\w ]{0,30}")
_FLOAT_BITS = {"float16": 11, "float32": 24, "float64": DOUBLE_BITS}
_KEYS = (str, int, float, bytes, bool)
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

    ended     RETURNED, or the class of what was raised, at `where`
    unread    paths that could not be read, and their classes
    """

    leaves: dict[str, Leaf]
    released: tuple[str, ...]
    ended: str
    where: str = ""
    draws: tuple[NoiseDraw, ...]
    seeds: tuple[tuple[str, Any, str], ...]
    unread: dict[str, str]

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

    def ignores(self, path: str) -> bool:
        """Say whether a path is one of the ignored paths, or a part of one."""
        return any(path == name or path.startswith((f"{name}[", f"{name}.", f"{name}<")) for name in self.ignored)


def observe(release: AuditedRelease, data: Any, noise: FrozenNoise, replay: int) -> Observation:
    """Run a release once, on a copy of the data, with the noise of a replay."""
    with suppress(Exception):  # what cannot be copied is handed over as it is
        data = copy.deepcopy(data)
    noise.start(replay)
    ending, texts = _overhear(lambda: _call(release, data))
    leaves = [*ending.pop("leaves"), *texts]
    return Observation(
        leaves={leaf.path: leaf for leaf in leaves if not release.ignores(leaf.path)},
        released=tuple(path for path in ending.pop("released", ()) if not release.ignores(path)),
        draws=tuple(noise.draws),
        seeds=tuple(noise.seeds),
        **ending,
    )


def _call(release: AuditedRelease, data: Any) -> dict[str, Any]:
    """Call a release, read its output or what it raised, and return the fields of an observation.

    What is not an `Exception` goes on, except that of sys.exit: an interrupt by the user, or the time limit of a test
    runner, is not the release's.
    """
    of, unread = "", dict[str, str]()
    try:
        output = release.function(data)
        of = " of released="
        leaves = read_leaves(output, "output", unread)
        chosen = [] if release.released is None else read_leaves(release.released(output), "released", unread)
    except (Exception, SystemExit) as raised:
        frames = traceback.extract_tb(raised.__traceback__)
        places = [format_place(at.filename, at.lineno or 0) for at in frames if not is_of_a_library(at.filename)]
        traceback.clear_frames(raised.__traceback__)  # they hold a copy of the input
        text = "a text that cannot be read"
        with suppress(Exception):
            text = str(raised)
        ended, where = f"{type(raised).__qualname__}{of}", places[-1] if places else ""
        leaves = read_text(text, "exception")
        return {"ended": ended, "leaves": leaves, "unread": unread, "where": where}
    candidates = leaves if release.released is None else chosen
    sorts = {leaf.sort for leaf in candidates} - {"fact"}
    if release.released is None and "number" in sorts:
        sorts = {"number"}
    released = [leaf.path for leaf in candidates if leaf.sort in sorts]
    return {"ended": RETURNED, "leaves": leaves + chosen, "unread": unread, "released": released}


# What a call writes


class _Listener(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[tuple[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = "a message that cannot be formatted"
        with suppress(Exception):
            text = record.getMessage()
        self.lines.append((f"{record.levelname} {text}", format_place(record.pathname, record.lineno)))


def _overhear(block: Callable[[], dict[str, Any]]) -> tuple[dict[str, Any], list[Leaf]]:
    """Run a block, and return the leaves of what is printed, logged and warned, instead of showing it."""
    out, err, listener = io.StringIO(), io.StringIO(), _Listener()

    def listen(patches: Patches) -> tuple[dict[str, Any], list[warnings.WarningMessage]]:
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


def are_equal(first: Any, second: Any) -> bool:
    """Say whether two inputs are the same, as far as all of them can be read."""
    unread = dict[str, str]()
    looks = [[(leaf.path, leaf.looks) for leaf in read_leaves(data, "input", unread)] for data in (first, second)]
    return looks[0] == looks[1] and not unread


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
        keys = tuple((type(key).__name__, key if type(key) in _KEYS else None) for key in value)
        yield Leaf(path, "fact", (kind.__name__, keys))
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
        return str(value.schema), list(value.to_pydict().values())
    if library == "polars" and name in ("DataFrame", "Series"):
        columns = value.get_columns() if name == "DataFrame" else [value]
    elif library == "pandas" and name in ("DataFrame", "Series", "Index"):
        columns = [getattr(value, "index", value)]
        columns += [column for _, column in value.items()] if name == "DataFrame" else [value]
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


def _spelled(key: Any, place: int) -> str:
    """Return how a key is told: words as they are, anything else by its place."""
    return f"[{key!r}]" if type(key) is str and PLAIN_KEY.fullmatch(key) else f"[key {place}]"
