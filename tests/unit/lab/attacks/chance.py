"""How often one sample refutes a release whose probabilities are known."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cache

from snapdp.lab.attacks.attack import probability_at_least

least = cache(probability_at_least)


def chance_of_refutation(p: float, q: float, *, trials: int, claimed: float) -> float:
    """Return a bound of P(least(more) > e^claimed most(less)), for counts of probability p and q.

    Whatever the cut c, then least(more) > c, or most(less) < c e^-claimed. Both are tails of a count, bounded by
    Chernoff's inequality; c lies half way between p and q e^claimed, which is above p.
    """
    cut = math.sqrt(p * q * math.exp(claimed))
    return _often_above(cut, p, trials) + _often_above(1 - cut * math.exp(-claimed), 1 - q, trials)


def _often_above(cut: float, p: float, trials: int) -> float:
    """Return a bound of P(least > cut)."""
    hits = bisect_left(range(trials + 1), True, key=lambda k: least((k, trials)) > cut)
    if hits > trials:
        return 0.0
    share = hits / trials
    assert share > p
    missed = (1 - share) * math.log((1 - share) / (1 - p)) if share < 1 else 0.0
    return math.exp(-trials * (share * math.log(share / p) + missed))
