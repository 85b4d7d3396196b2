"""Another process at a ledger, which does what it is told line by line, and can be killed at any moment.

Run with -m: reads JSON lists from its input and answers each with a JSON list on its output. With the path of a ledger
and a verb it does that with the ledger first, forks, closes it in the parent, and goes on in the child.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

from snapdp.errors import SnapdpError
from snapdp.ledger.ledger import Ledger
from tests import ROOT
from tests.unit.release.support import NAME, fingerprint, release


class Colleague:
    """The other process, seen from the test."""

    def __init__(self, *before: str, forked: tuple[object, ...] = ()) -> None:
        """Start it, by way of a command that ends in running another one, if given."""
        command = [*before, sys.executable, "-m", "tests.unit.ledger.colleague", *map(str, forked)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def __call__(self, *words):
        """Have it do something; return what came of it, or the problem it met."""
        self.say(*words)
        return self.answer()

    def say(self, *words):
        print(json.dumps([*map(_plain, words)]), file=self._process.stdin, flush=True)

    def answer(self):
        return json.loads(self._process.stdout.readline())

    def end(self):
        """Let it come to its end."""
        self._process.communicate()
        return self._process.returncode

    def kill(self):
        """End it as kill -9 does."""
        self._process.kill()
        self._process.communicate()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


def _plain(word):
    return str(word) if isinstance(word, Path) else word


def main() -> None:
    with contextlib.ExitStack() as stack:
        ledger: Ledger | None = None
        for line in sys.stdin:
            verb, *words = json.loads(line)
            answer: object = None
            try:
                if verb == "open":
                    ledger = None
                    ledger = stack.enter_context(Ledger.open(words[0], patience=words[1] if words[1:] else 5))
                elif ledger is None:
                    answer = "not open"
                elif verb == "close":
                    ledger.close()
                elif verb == "spent":
                    answer = str(ledger.account(NAME).spent)
                elif verb == "verify":
                    answer = ledger.verify().entries
                else:
                    version = ledger.dataset_version(NAME, fingerprint("rows of " + NAME))
                    answer = release(ledger, version, words[0], words[1])["value"]
            except SnapdpError as error:
                answer = error.problem
            print(json.dumps(answer), flush=True)


def fork(path: str, verb: str) -> None:
    ledger = Ledger.open(path)
    if verb == "release":
        release(ledger, ledger.dataset_version(NAME, fingerprint("rows of " + NAME)), "before the fork", "1/10")
    ledger.account(NAME)
    waits, goes = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(waits, 1)
        main()
    else:
        ledger.close()
        os.write(goes, b".")
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    fork(*sys.argv[1:]) if sys.argv[1:] else main()
