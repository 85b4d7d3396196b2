"""One run of a release with frozen noise, and everything about it that somebody could see.

Room: testing. Seen are the returned value, what is printed, logged and warned, an exception and its text, the draws,
the seeds, the lines that ran, changes of the input, and threads that are left. Nothing of a run reaches the caller.
"""

from __future__ import annotations

import copy
import functools
import gc
import io
import logging
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from itertools import islice
from types import GeneratorType
from typing import Any

from snapdp.testing.flow import Flow, Step
from snapdp.testing.frozen.noise import FrozenNoise, LimitReached, NoiseDraw, place
from snapdp.testing.leaves import MOST_LEAVES, Leaf, Reader, text_leaves
from snapdp.testing.patches import Patches, with_patches
from snapdp.values import Value

RETURNED = "returned"
OUTPUT, EXCEPTION = "output", "exception"
LONGEST_TEXT = 200_000


class AuditedRelease(Value):
    """What is audited and how: the function, which of its output is released, and where an audit looks.

    is_own     whether a file is code of the release
    ignored    paths of the output that are not compared
    """

    function: Callable[[Any], Any]
    released: Callable[[Any], Any] | None
    is_own: Callable[[str], bool]
    watched: bool
    seconds: float
    ignored: tuple[str, ...]


class Observation(Value):
    """What one run showed. `leaves` by their paths; `released` are the paths of the released numbers.

    ignored   those of the ignored paths that there were
    problem   what was raised
    """

    leaves: dict[str, Leaf]
    released: tuple[str, ...]
    ended: str
    where: str
    limit: str
    draws: tuple[NoiseDraw, ...]
    seeds: tuple[tuple[str, Any, str], ...]
    steps: frozenset[Step]
    input_changed: bool
    in_threads: bool
    unread: dict[str, str]
    places: dict[str, str]
    ignored: frozenset[str]
    problem: BaseException | None

    @property
    def has_returned(self) -> bool:
        """Whether there is an output."""
        return self.ended == RETURNED

    @property
    def asked(self) -> tuple[tuple[str, int], ...]:
        """The kinds and sizes of the draws, in order."""
        return tuple((draw.kind, draw.size) for draw in self.draws)


class Ending(Value):
    """How a call ended, and what it left: the leaves of its output, or of the text of what it raised."""

    ended: str = RETURNED
    where: str = ""
    limit: str = ""
    problem: BaseException | None = None
    leaves: tuple[Leaf, ...] = ()
    released: tuple[str, ...] = ()


class AuditedInput:
    """An input, and its leaves as they were before any run."""

    def __init__(self, data: Any) -> None:
        self.data = data

    @functools.cached_property
    def leaves(self) -> list[tuple[str, str]]:
        """What the input holds, read once."""
        return _plain_leaves(self.data)


def observed(release: AuditedRelease, data: AuditedInput, noise: FrozenNoise, replay: int) -> Observation:
    """Run a release once, on a copy of the data, with the noise of a replay."""
    given, is_copy = _copied(data.data)
    before = data.leaves if is_copy else None
    threads = set(threading.enumerate())
    reader = Reader()
    flow = Flow(is_own=release.is_own, seconds=release.seconds, watched=release.watched)
    noise.start(replay)
    ending, heard = _overheard(lambda: _called(release, given, flow, reader))
    texts, places = _heard_leaves(heard)
    leaves = [*ending.leaves, *texts]
    left = any(each.is_alive() for each in set(threading.enumerate()) - threads)
    return Observation(
        leaves={leaf.path: leaf for leaf in leaves if not ignored_by(release.ignored, leaf.path)},
        released=tuple(path for path in ending.released if not ignored_by(release.ignored, path)),
        ended=ending.ended,
        where=ending.where,
        limit=ending.limit,
        draws=tuple(noise.draws),
        seeds=tuple(noise.seeds),
        steps=frozenset(flow.steps),
        input_changed=is_copy and before != _plain_leaves(given),
        in_threads=noise.drawn_elsewhere or left,
        unread=reader.unread,
        places=places,
        ignored=frozenset(each for leaf in leaves for each in ignored_by(release.ignored, leaf.path)),
        problem=ending.problem,
    )


def _called(release: AuditedRelease, given: Any, flow: Flow, reader: Reader) -> Ending:
    """Call a release and read its output, whatever it raises.

    What is no `Exception` goes on, but that of sys.exit and of generators: an interrupt of the person, or the time
    limit of a test runner, is not the release's.
    """
    of = ""
    try:
        output = flow.follow(lambda: _answer(release, given))
        if flow.overran:
            said = f"more than {release.seconds:g} seconds in one call, which kept the alarm from ending it"
            return Ending(ended="limit", limit=said)
        of = " of released="
        leaves, released = _output_leaves(release, output, reader)
    except LimitReached as reached:
        return Ending(ended="limit", limit=str(reached), where=_raised_in(release, reached))
    except (Exception, SystemExit, GeneratorExit) as raised:
        ended, where = type(raised).__qualname__ + of, _raised_in(release, raised)
        _forget_locals(raised)
        return Ending(ended=ended, where=where, problem=raised, leaves=tuple(text_leaves(_text_of(raised), EXCEPTION)))
    return Ending(leaves=tuple(leaves), released=released)


def _answer(release: AuditedRelease, given: Any) -> Any:
    output = release.function(given)
    return list(islice(output, MOST_LEAVES)) if isinstance(output, GeneratorType) else output


def _heard_leaves(heard: dict[str, list[tuple[str, str]]]) -> tuple[list[Leaf], dict[str, str]]:
    """Return the leaves of what was printed, logged and warned, and where it was."""
    leaves: list[Leaf] = []
    places: dict[str, str] = {}
    for name, texts in heard.items():
        for number, (text, at) in enumerate(texts):
            path = f"{name}[{number}]"
            places[path] = at
            leaves += text_leaves(text[:LONGEST_TEXT], path)
    return leaves, places


def ignored_by(ignored: tuple[str, ...], path: str) -> list[str]:
    """Return which of the ignored paths a path is, or is a part of.

    >>> ignored_by(("output.a",), "output.a[0]"), ignored_by(("output.a",), "output.age")
    (['output.a'], [])
    """
    return [each for each in ignored if path == each or path.startswith((f"{each}[", f"{each}.", f"{each}<"))]


def are_equal(first: Any, second: Any) -> bool:
    """Say whether two inputs are the same, as far as all of them can be read."""
    one, other = Reader(), Reader()
    same = [
        [(leaf.path, bits_of(leaf)) for leaf in each.leaves(data, "input")]
        for each, data in ((one, first), (other, second))
    ]
    return same[0] == same[1] and not one.unread and not other.unread


def bits_of(leaf: Leaf) -> tuple[str, str]:
    """Return a leaf's type and how it is written."""
    return type(leaf.value).__name__, repr(leaf.value)


def _output_leaves(release: AuditedRelease, output: Any, reader: Reader) -> tuple[list[Leaf], tuple[str, ...]]:
    """Return all leaves of an output, and the paths of the numbers that are released."""
    leaves = reader.leaves(output, OUTPUT)
    if release.released is None:
        numbers = [leaf.path for leaf in leaves if leaf.sort == "number"]
        return leaves, tuple(numbers or [leaf.path for leaf in leaves if leaf.sort == "printed"])
    chosen = reader.leaves(release.released(output), "released")
    return leaves + chosen, tuple(leaf.path for leaf in chosen if leaf.sort in ("number", "printed"))


def _copied(data: Any) -> tuple[Any, bool]:
    try:
        return copy.deepcopy(data), True
    except Exception:  # what cannot be copied is handed over as it is
        return data, False


def _plain_leaves(data: Any) -> list[tuple[str, str]]:
    return [(leaf.path, repr(leaf.value)) for leaf in Reader().leaves(data, "input")]


def _text_of(problem: BaseException) -> str:
    try:
        return str(problem)
    except Exception:
        return "a text that cannot be read"


def _raised_in(release: AuditedRelease, problem: BaseException) -> str:
    """Return where the release's own code was when an exception left it."""
    frames = traceback.extract_tb(problem.__traceback__)
    own = [frame for frame in frames if release.is_own(frame.filename)]
    return place(own[-1].filename, own[-1].lineno or 0) if own else ""


def _forget_locals(problem: BaseException | None) -> None:
    """Let frames that an exception holds go on without what the call made: a generator among it would look kept."""
    seen: set[int] = set()
    while problem is not None and id(problem) not in seen:
        seen.add(id(problem))
        traceback.clear_frames(problem.__traceback__)
        problem = problem.__cause__ or problem.__context__


class _Listener(logging.Handler):
    def __init__(self, heard: list[tuple[str, str]]) -> None:
        super().__init__(logging.NOTSET)
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = record.getMessage()
        except Exception:
            text = "a message that cannot be formatted"
        self._heard.append((f"{record.levelname} {text}", place(record.pathname, record.lineno)))


def _overheard(block: Callable[[], Ending]) -> tuple[Ending, dict[str, list[tuple[str, str]]]]:
    """Run a block, and collect what is printed, logged and warned, as (text, where), instead of showing it."""
    heard: dict[str, list[tuple[str, str]]] = {"stdout": [], "stderr": [], "log": [], "warning": []}
    out, err = io.StringIO(), io.StringIO()

    def listening(patches: Patches) -> tuple[Ending, list[warnings.WarningMessage] | None]:
        patches.later(gc.unfreeze)
        gc.freeze()  # what others left to be collected is not of this call, whenever it is
        patches.keep(sys, "unraisablehook", "stdout", "stderr")
        patches.keep(warnings, "filters", "showwarning")
        root = logging.getLogger()
        patches.later(partial(_log_as_before, root.handlers[:], root.level, root.manager.disable))
        root.handlers[:] = [_Listener(heard["log"])]
        root.setLevel(1)
        logging.disable(logging.NOTSET)
        sys.stdout, sys.stderr = out, err
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            ended = block()
            gc.collect()  # what the call itself left says what it has to say in every run, not in one of them
            return ended, warned

    ending, warned = with_patches(listening)
    for name, stream in (("stdout", out), ("stderr", err)):
        if text := stream.getvalue():
            heard[name].append((text, ""))
    for each in warned or ():
        heard["warning"].append((f"{each.category.__name__} {each.message}", place(each.filename, each.lineno)))
    return ending, heard


def _log_as_before(handlers: list[logging.Handler], level: int, disabled: int) -> None:
    root = logging.getLogger()
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.disable(disabled)
