"""A process that uses a ledger, for tests that run many of them and kill some. Run with -m; logs what was acknowledged.

many PATH LOG SEED EPSILON...    new requests, one after the other, until killed or until nothing fits any more
twin PATH LOG SEED EPSILON       one request, the same in every process; after DRAW it waits for the file crowd.drawn

PATH is a file or the address of a database. All wait for the file crowd.go beside their logs.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path

from snapdp.errors import BudgetError
from snapdp.ledger.accounts import Answer
from snapdp.ledger.ledger import Ledger
from tests.unit.release.support import NAME, ask, fingerprint, record_of


def main(job: str, path: str, log: str, seed: str, *epsilons: str) -> None:
    with Ledger.open(path) as ledger, open(log, "a", encoding="utf-8") as file:

        def say(*words: object) -> None:
            """Hand a line to the kernel: it survives the death of this process."""
            os.write(file.fileno(), (json.dumps(words) + "\n").encode())

        version = ledger.dataset_version(NAME, fingerprint("rows of " + NAME))
        say("ready")
        wait_for(Path(log).with_name("crowd.go"))
        if job == "many":
            many(ledger, version, say, random.Random(seed), epsilons)
        else:
            twin(ledger, version, say, epsilons[0], Path(log).with_name("crowd.drawn"))


def wait_for(file):
    while not file.exists():
        time.sleep(0.005)


def many(ledger, version, say, dice, epsilons):
    while True:
        epsilon = dice.choice(epsilons)
        try:
            held = ask(ledger, version, dice.getrandbits(100), epsilon)
        except BudgetError:
            if epsilon == epsilons[0]:  # the smallest: nothing fits any more
                break
            continue
        say("reserved", held.number, epsilon)
        ledger.commit(held, record_of(held, held.number))
        say("committed", held.number)


def twin(ledger, version, say, epsilon, drawn):
    got = ask(ledger, version, "the same", epsilon, wait=60)
    if not isinstance(got, Answer):
        say("DRAW", os.getpid())
        wait_for(drawn)
        ledger.commit(got, record_of(got, os.getpid()))
        got = ask(ledger, version, "the same", epsilon)
    say("answer", got.record["value"], os.getpid())


if __name__ == "__main__":
    main(*sys.argv[1:])
