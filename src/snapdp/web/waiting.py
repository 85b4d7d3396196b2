"""Who waits for what takes long: so many work at once, so many wait, and one more is refused.

Room: web. Those who wait are counted here, when they come: many may come before the first of them is seen to wait.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

T = TypeVar("T")
QUICK, SLOW, MOST_WAITING = 4, 1, 128  # at once, and who waits


class Busy(Exception):
    """So many wait for something slow that one more is refused."""


class Queue:
    """Work in threads, so much of it at once; a few more may wait."""

    def __init__(self, *, at_once: int, waiting: int) -> None:
        self._limiter, self._most, self._here = CapacityLimiter(at_once), at_once + waiting, 0

    async def done(self, work: Callable[[], T]) -> T:
        """Return what the work returns; what was begun is finished, whoever has gone."""
        if self._here >= self._most:
            raise Busy
        self._here += 1
        try:
            return await to_thread.run_sync(work, limiter=self._limiter)
        finally:
            self._here -= 1


class Desk:
    """Where work is done: quick work beside slow work, each with its own limit.

    had_ledger   a ledger was there since the page runs: where it is gone, none is made anew
    """

    def __init__(self, *, had_ledger: bool) -> None:
        self.had_ledger = had_ledger
        self._quick = Queue(at_once=QUICK, waiting=MOST_WAITING)
        self._slow = Queue(at_once=SLOW, waiting=MOST_WAITING)

    async def quick(self, work: Callable[[], T]) -> T:
        return await self._quick.done(work)

    async def slow(self, work: Callable[[], T]) -> T:
        return await self._slow.done(work)
