"""A process that adds a made-up table up on Spark, and writes the integers beside it as JSON. Run with -m.

Room: selftest. In a process of its own: Spark talks on every stream, leaves a virtual machine behind, and writes where
it is started.
"""

from __future__ import annotations

import json
import sys

from snapdp.selftest.sums.made_up import BRIEFLY, SALT
from snapdp.tables import open_table


def main(path: str) -> None:
    told = []
    for asked in BRIEFLY:
        found = open_table(path, spark="local[1]").aggregates(asked, salt=SALT)
        told.append({"rows": found.rows, "answers": [[int(cell) for cell in found[each]] for each in asked]})
    with open(f"{path}.json", "w", encoding="utf-8") as file:
        json.dump(told, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
