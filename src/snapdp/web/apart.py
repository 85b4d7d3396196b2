"""Work on what somebody else wrote, a program or a record, done in a process of its own with an end.

A thread cannot be stopped, a process can: after SECONDS it is ended, and the request refused in words. Work
is named, not sent; it is given plain values as JSON and answers with plain values as JSON, refusals too. The process
reads no more of the disk than the work names, and has no more memory than MOST_MEMORY.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import NamedTuple, TypeVar

from fastapi.responses import Response

from snapdp.errors import PremiseError, SnapdpError
from snapdp.values import Values
from snapdp.web.queues import Queue
from snapdp.web.refusals import status_of, told

SECONDS = 60
MOST_MEMORY = 1 << 32  # bytes of addresses
NO_MEMORY = 75  # how the process ends where that is all it can say
MOST_WAITING = 8
WORK = "snapdp.web.work"  # the module whose functions are the work
COMMAND = ("-P", "-m", "snapdp.web.apart")  # -P: nothing is loaded from the directory that the page is started in
T = TypeVar("T")


class Bench:
    """Where such work is done, one at a time; releases and plans do not wait for it."""

    def __init__(self, *, seconds: float = SECONDS) -> None:
        self.seconds, self.process = seconds, answered_apart
        self._queue = Queue(at_once=1, waiting=MOST_WAITING, is_left=True)

    async def answer(self, work: str, given: Values, *, instead: str) -> Answered:
        """Return the answer of a function of WORK; `instead` is the command to take where it takes too long."""
        return await self.thread(partial(self.process, work, given, seconds=self.seconds, instead=instead))

    async def thread(self, work: Callable[[], T]) -> T:
        """Return what a thread of this process answers: for work on what is our own."""
        return await self._queue.done(work)


class Answered(NamedTuple):
    """What was answered, and with which status: a refusal has its own."""

    status: int
    values: Values

    @property
    def response(self) -> Response:
        """Return it as it is sent: in ASCII, because texts of records may hold what no encoding has."""
        return Response(json.dumps(self.values), status_code=self.status, media_type="application/json")


def answered_apart(work: str, given: Values, *, seconds: float = SECONDS, instead: str = "") -> Answered:
    """Return the answer of a piece of work that another process does; refuse where it takes longer."""
    asked = json.dumps({"work": work, "given": given, "seconds": seconds}).encode()
    try:
        done = subprocess.run(
            [sys.executable, *COMMAND],
            input=asked,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _stopped(f"this took longer than {seconds:g} s, and was stopped", instead) from None
    if done.returncode == NO_MEMORY or done.returncode < 0:
        raise _stopped("this needed more memory or time than the page gives it, and was stopped", instead)
    if done.returncode:
        raise RuntimeError("a process of the page broke")
    return Answered(*json.loads(done.stdout))


def _stopped(what: str, instead: str) -> PremiseError:
    return PremiseError(f"{what}.", f"On the command line {instead} has no such limit. Nothing was spent.")


def main() -> None:
    """Do the work that standard input names, and write its answer."""
    asked = json.loads(sys.stdin.buffer.read())
    _limit(asked["seconds"])
    try:
        found = 200, getattr(import_module(WORK), asked["work"])(**asked["given"])
    except SnapdpError as refusal:
        found = status_of(refusal), told(refusal)
    except MemoryError:
        sys.exit(NO_MEMORY)
    sys.stdout.buffer.write(json.dumps(found).encode())


def _limit(seconds: float) -> None:
    """Bound memory and time of this process, where the system can: also if nobody waits for it any longer."""
    try:
        import resource
    except ModuleNotFoundError:
        return
    whole = int(seconds) + 1
    for what, most in ((resource.RLIMIT_AS, MOST_MEMORY), (resource.RLIMIT_CPU, whole)):
        _, hard = resource.getrlimit(what)
        resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    main()
