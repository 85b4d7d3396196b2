"""Who waits for what: quick work is left to itself when nobody waits for it, slow work is finished in any case."""

from __future__ import annotations

import asyncio
from threading import Event, Thread

import pytest

from snapdp.web.queues import Busy, Desk, Queue


async def given_up(work) -> None:
    """Begin some work, and stop waiting for it."""
    asked = asyncio.create_task(work)
    await asyncio.sleep(0.05)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked


def test_a_plan_that_nobody_waits_for_goes_on_alone_and_is_told_at_the_end():
    desk, go_on, done = Desk(), Event(), Event()

    def plan() -> None:
        go_on.wait()
        done.set()

    asyncio.run(given_up(desk.quick(plan)))
    assert desk.finish()
    go_on.set()
    assert done.wait(60)
    while desk.finish():
        pass  # the thread is about to say that it is done


def test_a_release_is_waited_for_whoever_has_gone():
    desk, go_on, begun, ended = Desk(), Event(), Event(), []

    def release() -> None:
        begun.set()
        go_on.wait()
        ended.append("charged and written")

    asyncio.run(given_up(desk.slow(release)))
    assert begun.is_set()
    Thread(target=go_on.set).start()
    assert desk.finish() is False
    assert ended == ["charged and written"]


def test_one_more_than_may_wait_is_refused():
    async def crowd() -> None:
        queue, go_on = Queue(at_once=1, waiting=1, is_left=True), Event()
        waiting = [asyncio.create_task(queue.done(go_on.wait)) for _ in range(2)]
        await asyncio.sleep(0.05)
        with pytest.raises(Busy):
            await queue.done(go_on.wait)
        go_on.set()
        assert await asyncio.gather(*waiting) == [True, True]

    asyncio.run(crowd())
