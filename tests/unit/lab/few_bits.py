"""The law of a snapping program at few bits for all inputs at once, in whole numbers: a second way to compute it.

The noise does not depend on the input, so it is run once for every draw; the draws below a boundary are then counted
for all inputs by one sorted search. With few bits every sum of an input and a noise is a double.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from snapdp.exact.dyadic import round_nearest
from snapdp.lab.loss.exact_loss import float_at_most
from snapdp.lab.loss.universal_bound import Shape
from snapdp.lab.semantics.execution import Execution
from snapdp.lab.semantics.machine import Machine
from tests.unit.lab.snaps import snap

BITS = 52  # masses are whole multiples of 2**-(BITS + 1): draws are multiples of 2**-BITS, and a sign is one of two


@lru_cache(maxsize=4)
def noises(eps: str, p: int, furthest: Fraction) -> tuple[Any, Any]:
    """Return, for rising draws, the noise with S = 1 and the draw in units of 2**-BITS; the first is beyond furthest.

    One draw more, 1, stands at the end of the draws.
    """
    execution = Execution(snap(eps, 1, 1, output="y"), Machine(p=p))
    run, draw = execution.function(Fraction(0), 1), execution.draw
    found, ordinal = [], draw.last
    while not found or -found[-1] <= furthest:
        found.append(Fraction(*map(int, run(draw.number(ordinal)).as_integer_ratio())))
        ordinal -= 1
    draws = [draw.value(o) * 2**BITS for o in range(ordinal + 1, draw.last + 2)]
    assert all(u.denominator == 1 for u in draws)
    values = np.array([float(x) for x in reversed(found)])
    assert (np.diff(values) >= 0).all()
    return values, np.array([int(u) for u in draws], dtype=np.int64)


def masses(eps: str, shape: Shape, inputs: list[Fraction], machine: Machine, furthest: Fraction) -> Any:
    """Return, for every input and output, the probability of the output in units of 2**-(BITS + 1)."""
    noise, draws = noises(eps, machine.p, furthest)
    low, high = shape.boundaries
    ends = [low + i * shape.grid for i in range(int((high - low) / shape.grid) + 1)]
    values, below = np.array([float(f) for f in inputs]), []
    for end in ends:
        assert round_nearest(end, machine.p) == end
        middle = (end + float_at_most(end - abs(end) / 2 ** (machine.p + 2), machine.p)) / 2
        reaches = round_nearest(middle, machine.p) == end  # a sum in the middle goes to the even one of the two
        first = np.searchsorted(noise, float(middle) - values, "left" if reaches else "right")
        mirrored = np.searchsorted(noise, values - float(middle), "right" if reaches else "left")
        assert first.min() > 0
        assert mirrored.min() > 0
        below.append(draws[first] + (2**BITS - draws[mirrored]))
    nothing = np.zeros(len(inputs), dtype=np.int64)
    return np.diff(np.stack([nothing, *below, nothing + 2 ** (BITS + 1)]), axis=0).T


def largest_ratio(near: Any, far: Any) -> Fraction:
    """Return the largest ratio of two probabilities of one output, either way; masses are exact as doubles."""
    worst = Fraction(1)
    for a, b in ((near, far), (far, near)):
        ratios = a / b
        rows = np.argwhere(ratios >= ratios.max() * (1 - 2.0**-50))
        worst = max(worst, *(Fraction(int(a[i, j]), int(b[i, j])) for i, j in rows))
    return worst
