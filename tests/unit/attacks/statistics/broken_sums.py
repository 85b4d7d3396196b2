"""Our releases with the exact sum taken out: everything else, from the study to the record, stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from snapdp.attacks.statistics.equal_columns import Cells, Releases
from snapdp.release import release as releasing


def with_sum(total: Callable[[Any], float], releases: Releases, monkeypatch: pytest.MonkeyPatch) -> Releases:
    """Return the releases with integers that are off by as much as another sum of the column is."""
    exact = releasing.exact_values

    def broken(cells: Cells, times: int) -> Any:
        error = int(Fraction(total(np.array(cells))) - sum(map(Fraction, cells)))

        def off(*given: Any, **named: Any) -> Any:
            return [[[n + error for n in part] for part in parts] for parts in exact(*given, **named)]

        monkeypatch.setattr(releasing, "exact_values", off)
        return releases(cells, times)

    return broken
