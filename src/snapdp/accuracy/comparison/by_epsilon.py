"""Accuracy relative to the Laplace mechanism over epsilon: what snapping costs, in each arithmetic and by each formula.

Room: accuracy. A grid that follows epsilon jumps at powers of two: in exact arithmetic at 2^k itself, where the new
grid begins; under the notes' rule, whose noise scale lies a hair above 1/epsilon, a hair above 2^k. So a power of two
has three rows: the limit from below, itself, and the limit from above; and the line of a mechanism comes in pieces, one
for each grid, whose ends are on both sides of the jump. Units of the sensitivity; no clamp, which the bound of the
notes' rule is too wide to be.
Theory: docs/theory/planning.md, (6), (29), (32).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

from snapdp.accuracy.curve import Curve
from snapdp.accuracy.error import published_accuracy
from snapdp.accuracy.price import TABLE_EPSILONS, price_of_snapping, price_table
from snapdp.accuracy.published.formulas import get_accuracy2, laplace_accuracy, simple_accuracy
from snapdp.accuracy.published.printed_mechanism import PrintedMechanism, printed_mechanism
from snapdp.accuracy.published.printed_number import PrintedNumber
from snapdp.accuracy.tails import confidence
from snapdp.errors import ParameterError
from snapdp.exact import exponent_of_power, positive, power_of_two_at_least, rounded_up, to_float_up
from snapdp.mechanism import (
    FINE,
    FinitePrecision,
    SnappingParameters,
    finite_parameters,
    mironov_formula,
    required_bits,
)
from snapdp.values import Value

MECHANISMS = ("Laplace", "exact, fine grid", "exact, natural grid", "notes' rule", "GetAccuracy2", "simple bound")
TAKEN = {"exact, natural grid": "first", "notes' rule": "last"}
SIDES = ("below", "at", "above")
LEAST_BOUND = Fraction(1024)
Point = tuple[float, float]
Progress = Callable[[int, int], None]


class AccuracyRow(Value):
    """Accuracies at one epsilon, or as epsilon nears it from one side.

    laplace  accuracy of the Laplace mechanism, in sensitivities
    ratios   accuracy of each of MECHANISMS by that of Laplace, rounded up
    """

    epsilon: Fraction
    side: str
    laplace: Fraction
    ratios: tuple[Fraction, ...]


class AccuracyLine(Value):
    """The line of one mechanism: (epsilon, ratio) in pieces, with a jump after each but the last.

    taken  which point of a piece is the mechanism's own where two pieces meet: the "first" or the "last" one; None
           where nothing jumps, or too little to be seen
    """

    name: str
    pieces: tuple[tuple[Point, ...], ...]
    taken: str | None = None

    @property
    def taken_points(self) -> tuple[Point, ...]:
        """Return the points that are the mechanism's own where pieces meet."""
        if self.taken is None or len(self.pieces) == 1:
            return ()
        return tuple(piece[0 if self.taken == "first" else -1] for piece in self.pieces)


class AccuracyByEpsilon(Value):
    """Accuracies at level alpha; bound (in sensitivities) and bits are those of the notes' rule."""

    alpha: Fraction
    bound: Fraction
    bits: int
    rows: tuple[AccuracyRow, ...]


class _Notes(Value):
    """The notes' rule with one bound and one precision for all epsilons, so that they alone make the difference."""

    alpha: Fraction
    bound: Fraction
    bits: int

    def parameters(self, epsilon: Fraction) -> SnappingParameters:
        return finite_parameters(
            epsilon=epsilon,
            sensitivity=1,
            lower=-self.bound,
            upper=self.bound,
            bound=self.bound,
            arithmetic=FinitePrecision(bits=self.bits, rule="notes"),
        )

    def jump(self, power: Fraction) -> Fraction:
        """Return the epsilon from which on the grid is 1/power: there the effective epsilon is that power of two."""
        return mironov_formula(effective_epsilon=power, bound=self.bound, eta=Fraction(1, 1 << self.bits))

    def ratios(self, epsilon: Fraction) -> tuple[Fraction, Fraction, Fraction]:
        """Return the mechanism's own accuracy, GetAccuracy2 and the simple bound, relative to Laplace."""
        own = price_of_snapping(self.parameters(epsilon), alpha=self.alpha).accuracy_ratio
        printed = printed_mechanism(epsilon=epsilon, bound=self.bound, bits=self.bits)
        return own, self._relative(printed, get_accuracy2), self._relative(printed, simple_accuracy)

    def _relative(self, m: PrintedMechanism, formula: Callable[..., PrintedNumber]) -> Fraction:
        laplace = laplace_accuracy(m, alpha=self.alpha).enclosure
        return rounded_up(formula(m, alpha=self.alpha).enclosure.upper / laplace.lower)


def accuracy_by_epsilon(
    *, epsilons: Iterable[Any] = TABLE_EPSILONS, alpha: Any = "0.05", bits: int | None = None
) -> AccuracyByEpsilon:
    """Return accuracies relative to Laplace at some epsilons, three rows where one is a power of two.

    bits  of the notes' rule; left out, as the notes choose them for the least epsilon, at least 118

    >>> found = accuracy_by_epsilon(epsilons=["0.9", 1])
    >>> [(row.side, *(f"{float(ratio):.3f}" for ratio in row.ratios[2:4])) for row in found.rows]
    [('at', '1.202', '1.202'), ('below', '1.304', '1.304'), ('at', '1.137', '1.304'), ('above', '1.137', '1.137')]
    """
    asked = sorted({positive(each, name="epsilon") for each in epsilons})
    if not asked:
        raise ParameterError("there is no epsilon to compare at.", "Give at least one.")
    notes = _notes(asked[0], alpha, bits)
    rows = tuple(_row(notes, epsilon, side) for epsilon in asked for side in _sides(epsilon))
    return AccuracyByEpsilon(alpha=notes.alpha, bound=notes.bound, bits=notes.bits, rows=rows)


def accuracy_lines(
    *, first: Any, last: Any, alpha: Any = "0.05", bits: int | None = None, progress: Progress | None = None
) -> tuple[AccuracyLine, ...]:
    """Return the lines of all mechanisms from one epsilon to another, for a picture; never below the true ones."""
    low, high = positive(first, name="epsilon"), positive(last, name="epsilon")
    if low >= high:
        raise ParameterError("a line needs two epsilons, the smaller one first.", "Give several epsilons.")
    notes = _notes(low, alpha, bits)
    flat: Point = (to_float_up(low), 1.0)
    natural = _exact_pieces("natural", low, high, notes.alpha)
    exact = (((flat, (to_float_up(high), 1.0)),), _exact_pieces("fine", low, high, notes.alpha), natural)
    places = [list(piece) for piece in _notes_places(notes, natural, low, high)]
    finite = _notes_pieces(notes, places, progress)
    return tuple(
        AccuracyLine(name=name, pieces=pieces, taken=TAKEN.get(name))
        for name, pieces in zip(MECHANISMS, (*exact, *finite), strict=True)
    )


def _notes(least: Fraction, alpha: Any, bits: int | None) -> _Notes:
    """Return the notes' rule with a bound that no accuracy meets, and that every grid of these epsilons divides."""
    level = confidence(alpha)
    reached = published_accuracy("simple", noise_scale=1 / least, grid=1 / least, alpha=level)
    bound = max(LEAST_BOUND, 2 * power_of_two_at_least(reached))
    chosen = required_bits(epsilon=least, bound=bound) if bits is None else bits
    return _Notes(alpha=level, bound=bound, bits=chosen)


def _sides(epsilon: Fraction) -> tuple[str, ...]:
    return SIDES if exponent_of_power(epsilon) is not None else ("at",)


def _row(notes: _Notes, epsilon: Fraction, side: str) -> AccuracyRow:
    """Return one row. From below the exact grids are still the wide ones; from above the notes' are the narrow ones."""
    natural = power_of_two_at_least(1 / epsilon) * (2 if side == "below" else 1)
    fine, own = price_table(alpha=notes.alpha, epsilons=[epsilon], grids=(natural / FINE, natural))
    finite = notes.ratios(notes.jump(epsilon) if side == "above" else epsilon)
    ratios = (Fraction(1), fine.accuracy_ratio, own.accuracy_ratio, *finite)
    return AccuracyRow(epsilon=epsilon, side=side, laplace=own.laplace_accuracy, ratios=ratios)


def _exact_pieces(grid: str, first: Fraction, last: Fraction, alpha: Fraction) -> tuple[tuple[Point, ...], ...]:
    """Return the line of exact arithmetic, cut at its jumps; one at the very end has its second point, too."""
    laplace = price_table(alpha=alpha, epsilons=[1], grids=["natural"])[0].laplace_accuracy
    points = [
        (epsilon, to_float_up(Fraction(accuracy) * Fraction(epsilon) / laplace))
        for epsilon, accuracy in Curve(sensitivity=Fraction(1), alpha=alpha, grid=grid).points(first, last)
    ]
    cuts = [i for i, (left, right) in enumerate(pairwise(points), 1) if left[0] == right[0]]
    pieces = [tuple(points[start:stop]) for start, stop in pairwise([0, *cuts, len(points)])]
    if exponent_of_power(last) is not None:
        end = price_table(alpha=alpha, epsilons=[last], grids=[grid])[0].accuracy_ratio
        pieces.append(((to_float_up(last), to_float_up(end)),))
    return tuple(pieces)


def _notes_places(
    notes: _Notes, natural: tuple[tuple[Point, ...], ...], first: Fraction, last: Fraction
) -> Iterator[list[Fraction]]:
    """Yield the epsilons of each piece of the notes' rule: those of the natural grid, with jumps at their own places.

    A power of two still belongs to the piece below it.
    """
    for piece in natural:
        epsilons = [min(max(Fraction(epsilon), first), last) for epsilon, _ in piece]
        if exponent_of_power(epsilons[0]) is None:
            yield epsilons
            continue
        if epsilons[0] == first:
            yield epsilons[:1]
        if (jump := notes.jump(epsilons[0])) < last:
            yield [jump, *(epsilon for epsilon in epsilons if epsilon > jump)]


def _notes_pieces(
    notes: _Notes, places: list[list[Fraction]], progress: Progress | None
) -> Iterator[tuple[tuple[Point, ...], ...]]:
    """Yield the pieces of the rule, of GetAccuracy2 and of the simple bound."""
    total, done = sum(map(len, places)), 0
    found: list[list[tuple[float, list[float]]]] = []
    for piece in places:
        found.append([])
        for epsilon in piece:
            found[-1].append((to_float_up(epsilon), [to_float_up(ratio) for ratio in notes.ratios(epsilon)]))
            done += 1
            if progress is not None:
                progress(done, total)
    for each in range(2):
        yield tuple(tuple((epsilon, ratios[each]) for epsilon, ratios in piece) for piece in found)
    yield (tuple((epsilon, ratios[2]) for piece in found for epsilon, ratios in piece),)  # no grid, so no jump
