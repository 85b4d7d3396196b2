"""snapdp's cost per value as the vector grows, on touched memory: 1e8 values need 1.6 GB."""

from __future__ import annotations

from functools import partial

from case import Case
from cases_ours import reused

SIZES = (3, 4, 5, 6, 7, 8)

CASES = [Case(f"growth 1e{power}", "growth", 10**power, partial(reused, 10**power, "natural")) for power in SIZES]
