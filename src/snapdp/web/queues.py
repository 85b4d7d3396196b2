"""Who waits for what takes long: so many work at once, so many wait, and one more is refused.

Those who wait are counted here, when they come: many may come before the first of them is seen to wait.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

T = TypeVar("T")
QUICK, SLOW, MOST_WAITING = 4, 1, 128  # at once, and who waits
MOMENT = 0.05  # seconds
_COUNT = Lock()


class Busy(Exception):
    """So many wait for something slow that one more is refused."""


class Queue:
    """Work in threads, so much of it at once; a few more may wait.

    is_left   work that nobody waits for any longer is left to itself
    """

    def __init__(self, *, at_once: int, waiting: int, is_left: bool) -> None:
        self._limiter, self._most, self._here = CapacityLimiter(at_once), at_once + waiting, 0
        self._is_left, self._working = is_left, 0

    @property
    def works(self) -> bool:
        """Tell whether something is being done, whoever waits for it."""
        return self._working > 0

    async def done(self, work: Callable[[], T]) -> T:
        """Return what the work returns."""
        if self._here >= self._most:
            raise Busy
        self._here += 1
        try:
            return await to_thread.run_sync(self._counted, work, limiter=self._limiter, abandon_on_cancel=self._is_left)
        finally:
            self._here -= 1

    def _counted(self, work: Callable[[], T]) -> T:
        with _COUNT:
            self._working += 1
        try:
            return work()
        finally:
            with _COUNT:
                self._working -= 1


class Desk:
    """Where work is done: quick work beside slow work, each with its own limit. Slow work is finished in any case."""

    def __init__(self) -> None:
        self._quick = Queue(at_once=QUICK, waiting=MOST_WAITING, is_left=True)
        self._slow = Queue(at_once=SLOW, waiting=MOST_WAITING, is_left=False)

    async def quick(self, work: Callable[[], T]) -> T:
        return await self._quick.done(work)

    async def slow(self, work: Callable[[], T]) -> T:
        return await self._slow.done(work)

    def finish(self) -> bool:
        """Wait for slow work, such as a release; tell whether quick work, such as a plan, is still being done."""
        while self._slow.works:
            time.sleep(MOMENT)
        return self._quick.works
