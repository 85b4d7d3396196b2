"""A process that draws, forks twice, and draws in all three: prints every word. Run with -m.

Room: selftest. Sources of bits are made, and used, before the fork, as in a server that forks its workers.
"""

from __future__ import annotations

import os

from snapdp.selftest.entropy import drawn

EACH = 8


def main() -> None:
    drawn(EACH)
    for _ in range(2):
        child = os.fork()
        if child == 0:
            tell()
            os._exit(0)
        os.waitpid(child, 0)
    tell()


def tell() -> None:
    words = [word for kind in drawn(EACH).values() for word in kind]
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


if __name__ == "__main__":
    main()
