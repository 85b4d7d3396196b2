"""Which lines of the release's own code ran, and that it ends: a tracer, and an alarm where the system has one.

Room: testing. Steps from line to line are compared as a set: how often a loop turns is not compared, since every sum
over rows would differ; what a loop does for one row is. Tracers of before (of coverage, of a debugger) are put back.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from time import monotonic
from types import FrameType
from typing import Any, TypeVar

from snapdp.testing.frozen.noise import LimitReached
from snapdp.testing.patches import Patches, with_patches

AGAIN = 0.25  # seconds after which a release that swallowed the alarm gets another

Step = tuple[str, int, int]  # of a file, from line to line; 0 where a function begins

T = TypeVar("T")


class Flow:
    """Collects the steps of one run, and stops it when its time is over."""

    def __init__(self, *, is_own: Callable[[str], bool], seconds: float, watched: bool) -> None:
        self._is_own, self._seconds = is_own, seconds
        self._watched = watched or bool(why_no_alarm())
        self._ends = monotonic() + seconds
        self.overran = False
        self.steps: set[Step] = set()

    def follow(self, block: Callable[[], T]) -> T:
        """Run a block, trace it and stop it in time."""
        try:
            return with_patches(lambda patches: self._guarded(block, patches))
        finally:
            self.overran = monotonic() > self._ends

    def _guarded(self, block: Callable[[], T], patches: Patches) -> T:
        if not why_no_alarm():
            patches.later(partial(signal.signal, signal.SIGALRM, signal.getsignal(signal.SIGALRM) or signal.SIG_DFL))
            patches.later(partial(signal.setitimer, signal.ITIMER_REAL, 0))
            signal.signal(signal.SIGALRM, self._stop)
            signal.setitimer(signal.ITIMER_REAL, self._seconds, AGAIN)
        if not self._watched:
            return block()
        before = sys.gettrace()
        patches.later(partial(sys.settrace, before))
        sys.settrace(self._call)
        try:
            return block()
        finally:  # at once: the tracer would stop what puts things back, too
            sys.settrace(before)

    def _stop(self, *_: Any) -> None:
        raise LimitReached(f"more than {self._seconds:g} seconds in one call")

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        del event, argument
        if monotonic() > self._ends:
            self._stop()
        file = frame.f_code.co_filename
        if not self._is_own(file):
            frame.f_trace_lines = False
            return None
        last = 0
        steps, ends = self.steps, self._ends

        def line(inner: FrameType, what: str, _: Any) -> Any:
            nonlocal last
            if what == "line":
                steps.add((file, last, inner.f_lineno))
                last = inner.f_lineno
                if monotonic() > ends:
                    self._stop()
            return line

        return line


def why_no_alarm() -> str:
    """Return why no alarm can be set, or nothing: in the main thread, of a system that has them, where none is set."""
    if not hasattr(signal, "setitimer"):
        return "this system has none"
    if threading.current_thread() is not threading.main_thread():
        return "this is not the main thread"
    return "another one is set (signal.setitimer or signal.alarm)" if signal.getitimer(signal.ITIMER_REAL)[0] else ""
