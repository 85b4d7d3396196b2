"""Branch and bound: boxes are halved where their bound is largest, until that hardly helps.

Room: rounding. The result is the largest bound of any box that is left, so it holds whatever is halved and when; only
how near it comes to the supremum depends on that. No clock is read: the same question has the same answer everywhere.
Theory: docs/theory/error-bounds.md, (9).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

BATCH = 512
FEW = 64  # boxes of a batch that are also evaluated at points, to know how low the bound can get
TOLERANCE = 1e-3  # the answer is this near to the largest value met at a point, where boxes suffice
STALL = 20_000  # boxes after which a bound that got no better by TOLERANCE / 10 is left as it is

Snap = Callable[[Any], tuple[Any, Any]]  # points -> where lower halves end and where upper halves begin
Objective = Callable[[Any, Any], Any]  # lower ends, upper ends -> a bound for each box
Progress = Callable[[int, float, float], None]  # boxes so far, bound so far, largest value met at a point


class Supremum(NamedTuple):
    """An upper bound of an objective over a box; the largest value met at a point, and that point; the box left whose
    bound is largest; how many boxes were made."""

    upper: float
    met: float
    point: tuple[float, ...]
    worst: tuple[tuple[float, ...], tuple[float, ...]]
    boxes: int


def supremum(
    objective: Objective,
    lower: Sequence[float],
    upper: Sequence[float],
    *,
    most_boxes: int,
    snap: Snap = lambda x: (x, x),
    progress: Progress | None = None,
) -> Supremum:
    """Return an upper bound of an objective over a box, by halving it into at most so many boxes.

    Where only some points of the box matter, `snap` may leave a gap between two halves that holds none of them.

    >>> wave = supremum(lambda low, high: high[0] * (1 - low[0]), [0.0], [1.0], most_boxes=1000)
    >>> wave.met, round(wave.upper, 3)
    (0.25, 0.25)
    """
    left = _Boxes(objective, lower, upper, snap)
    improved, since = left.upper, 0
    while left.bound.size and left.made < most_boxes and left.made - since < STALL:
        left.halve()
        if not left.upper > improved - abs(improved) * TOLERANCE / 10:
            improved, since = left.upper, left.made
        if progress is not None:
            progress(left.made, left.upper, left.met)
    return Supremum(left.upper, left.met, tuple(left.point.tolist()), left.worst(), left.made)


class _Boxes:
    """The boxes still to be halved, and the largest bound of those that are done."""

    def __init__(self, objective: Objective, lower: Sequence[float], upper: Sequence[float], snap: Snap) -> None:
        import numpy as np

        self.objective, self.snap = objective, snap
        self.low, self.high = (np.array(ends, dtype=float)[:, None] for ends in (lower, upper))
        self.bound = objective(self.low, self.high)
        self.made = 1
        self.done, self.done_box = -np.inf, (self.low[:, 0], self.high[:, 0])
        self.met, self.point = -np.inf, self.low[:, 0]
        self._meet(np.concatenate([self.low, self.high], axis=1))
        self._settle()

    @property
    def upper(self) -> float:
        return max(float(self.done), float(self.bound.max(initial=-float("inf"))))

    def worst(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        box = self.done_box
        if self.bound.size and self.bound.max() > self.done:
            place = int(self.bound.argmax())
            box = self.low[:, place], self.high[:, place]
        return tuple(box[0].tolist()), tuple(box[1].tolist())

    def halve(self) -> None:
        """Halve the boxes with the largest bounds."""
        import numpy as np

        size = self.bound.size
        chosen = np.argpartition(-self.bound, BATCH)[:BATCH] if size > BATCH else np.arange(size)
        low, high, parents = self.low[:, chosen], self.high[:, chosen], self.bound[chosen]
        first, second = self.snap(_middle(low, high))
        few = np.argsort(-parents, kind="stable")[:FEW]
        self._meet(np.concatenate([first[:, few], low[:, few], high[:, few]], axis=1))
        children = self._halves(low, high, first, second)
        bounds = np.minimum(self.objective(*children), np.tile(parents, 2))
        self.low = np.concatenate([np.delete(self.low, chosen, axis=1), children[0]], axis=1)
        self.high = np.concatenate([np.delete(self.high, chosen, axis=1), children[1]], axis=1)
        self.bound = np.concatenate([np.delete(self.bound, chosen), bounds])
        self.made += bounds.size
        self._settle()

    def _meet(self, points: Any) -> None:
        values = self.objective(points, points)
        place = int(values.argmax())
        if values[place] > self.met:
            self.met, self.point = float(values[place]), points[:, place]

    def _settle(self) -> None:
        """Put boxes aside that cannot matter, or that no halving changes."""
        settled = (self.bound <= self.met + abs(self.met) * TOLERANCE) | self._single()
        if settled.any():
            place = int(self.bound[settled].argmax())
            if self.bound[settled][place] > self.done:
                self.done = float(self.bound[settled][place])
                self.done_box = self.low[:, settled][:, place], self.high[:, settled][:, place]
            self.low, self.high, self.bound = self.low[:, ~settled], self.high[:, ~settled], self.bound[~settled]

    def _single(self) -> Any:
        """Return which boxes cannot be cut."""
        first, second = self.snap(_middle(self.low, self.high))
        return ((first >= self.high) | (second <= self.low)).all(axis=0)

    def _halves(self, low: Any, high: Any, first: Any, second: Any) -> tuple[Any, Any]:
        """Return both halves of each box, cut across the side without which its bound would be smallest."""
        import numpy as np

        sides, count = low.shape
        without = np.zeros((sides, count))
        for side in range(sides) if sides > 1 else ():
            flat_low, flat_high = low.copy(), high.copy()
            flat_low[side] = flat_high[side] = first[side]
            without[side] = np.minimum(self.objective(flat_low, flat_high), np.finfo(float).max)
        without[(first >= high) | (second <= low)] = np.inf  # no cut there
        cut = without.argmin(axis=0), np.arange(count)
        first_high, second_low = high.copy(), low.copy()
        first_high[cut], second_low[cut] = first[cut], second[cut]
        return np.concatenate([low, second_low], axis=1), np.concatenate([first_high, high], axis=1)


def _middle(low: Any, high: Any) -> Any:
    """Return points between the ends: the geometric mean where the ends have one sign and differ much in size."""
    import numpy as np

    with np.errstate(all="ignore"):
        ratio = high / low
        geometric = np.sign(low) * np.sqrt(abs(low)) * np.sqrt(abs(high))
    far = (np.sign(low) == np.sign(high)) & ((ratio > 4) | (ratio < 0.25))
    return np.clip(np.where(far, geometric, low / 2 + high / 2), low, high)
