"""A process that charges a throw-away ledger until it is killed. Run with -m; prints the number of every charge.

Room: selftest. It never commits: whenever it dies, it dies in the middle of a charge.
"""

from __future__ import annotations

import os
import sys
from itertools import count
from typing import Any

from snapdp.ledger import Answer, Ledger

ACCOUNT = "made up"
EPSILON = "1/1000"
TERMS: dict[str, Any] = {"relation": "add-remove", "rows": 1000}
MOST = 2000  # an orphan ends by itself


def main(path: str, name: str) -> None:
    with Ledger.open(path) as ledger:
        version = ledger.dataset_version(ACCOUNT, b"no rows")
        for number in count():
            asked = {"ask": f"{name} {number}"}
            held = ledger.reserve(ACCOUNT, epsilon=EPSILON, request=asked, version=version, **TERMS)
            assert not isinstance(held, Answer), "every request is a new one"
            os.write(1, f"{held.number}\n".encode())  # to the kernel at once: it survives this process
            if number == MOST:
                break


if __name__ == "__main__":
    main(*sys.argv[1:])
