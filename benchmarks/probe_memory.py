"""Peak extra memory of one `release(values, out=out)`, measured in this process alone; prints one JSON object.

    python probe_memory.py COUNT

Input and output are touched, and a small release has loaded everything that is loaded lazily. Resident growth is
what the large call needs beyond the small one (freed scratch is used again); the traced peak, taken in a second
call, is all that Python and numpy allocate during it.
"""

from __future__ import annotations

import json
import resource
import sys
import tracemalloc
from pathlib import Path

import gmpy2  # noqa: F401  loaded here, because a release loads it only when a value needs the exact path
import numpy as np

from cases_ours import inputs, mechanism

BYTES_PER_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024
WARM_UP_VALUES = 40_000


def peak_resident_bytes() -> int:
    """Return the largest resident size so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES_PER_MAXRSS_UNIT


def resident_bytes() -> int:
    """Return the resident size now, or the peak where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return peak_resident_bytes()


def main() -> None:
    """Measure one size."""
    count = int(sys.argv[1])
    m, values, out = mechanism("natural"), inputs(count), np.zeros(count)
    out.fill(0.0)
    m.release(values[:WARM_UP_VALUES], out=out[:WARM_UP_VALUES])
    before = resident_bytes()
    m.release(values, out=out)
    resident_growth = max(0, peak_resident_bytes() - before)
    tracemalloc.start()
    m.release(values, out=out)
    traced_peak = tracemalloc.get_traced_memory()[1]
    print(json.dumps({"values": count, "resident_growth_bytes": resident_growth, "traced_peak_bytes": traced_peak}))


if __name__ == "__main__":
    main()
