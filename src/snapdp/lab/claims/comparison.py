"""Mechanisms side by side: accuracy over epsilon, bias over guesses, distances to Laplace, clamps, mean errors.

Public numbers, or those of a made-up table. Each figure is an exact law's, none is sampled.
The mechanisms differ as people use them: exact arithmetic with its wide clamp on both grids, the natural grid with
the clamp at the range, and the notes' rule with its clamp from gamma = 1/20.

A grid that follows epsilon jumps at powers of two: in exact arithmetic at 2^k itself, where the new grid begins;
under the notes' rule, whose noise scale lies a hair above 1/epsilon, a hair above 2^k. So a power of two has three
rows of accuracy: the limit from below, itself, and the limit from above; and the line of a mechanism comes in pieces,
one for each grid, whose ends are on both sides of the jump. Accuracies are in units of the sensitivity and without a
clamp, which the bound of the notes' rule is too wide to be.
Theory: docs/theory/planning.md, (6), (12)-(14), (20), (21), (27)-(29), (32).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from snapdp.accuracy.clamping import bound_for
from snapdp.accuracy.curve import Curve
from snapdp.accuracy.error import confidence, published_accuracy
from snapdp.accuracy.moments import bias, expected_absolute_error, expected_bias
from snapdp.accuracy.price import TABLE_EPSILONS, distance_tail, price_of_snapping, price_table
from snapdp.errors import ParameterError
from snapdp.exact.dyadic import exponent_of_power, power_of_two_at_least
from snapdp.exact.enclosure import Enclosure, enclose
from snapdp.exact.functions import rounded_up
from snapdp.exact.numbers import parameter, positive, to_float_up
from snapdp.lab.claims.formulas import (
    get_accuracy2,
    laplace_accuracy,
    printed_mechanism,
    simple_accuracy,
)
from snapdp.mechanism.finite_precision import finite_parameters, required_bits
from snapdp.mechanism.law.finite import mironov_formula
from snapdp.mechanism.parameters import FINE, Declaration, FinitePrecision, SnappingParameters, exact_parameters
from snapdp.values import Value

MECHANISMS = ("Laplace", "exact, fine grid", "exact, natural grid", "notes' rule", "GetAccuracy2", "simple bound")
TAKEN = {"exact, natural grid": "first", "notes' rule": "last"}
SIDES = ("below", "at", "above")
LEAST_BOUND = Fraction(1024)
Point = tuple[float, float]


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

    def jump(self, power: Fraction) -> Fraction:
        """Return the epsilon from which on the grid is 1/power: there the effective epsilon is that power of two."""
        return mironov_formula(effective_epsilon=power, bound=self.bound, eta=Fraction(1, 1 << self.bits))

    def ratios(self, epsilon: Fraction) -> tuple[Fraction, Fraction, Fraction]:
        """Return the mechanism's own accuracy, GetAccuracy2 and the simple bound, relative to Laplace."""
        declared = {"sensitivity": 1, "lower": -self.bound, "upper": self.bound, "bound": self.bound}
        p = finite_parameters(epsilon=epsilon, **declared, arithmetic=FinitePrecision(bits=self.bits, rule="notes"))
        m = printed_mechanism(epsilon=epsilon, bound=self.bound, bits=self.bits)
        laplace = laplace_accuracy(m, alpha=self.alpha).enclosure.lower
        second, simple = (formula(m, alpha=self.alpha).enclosure.upper for formula in (get_accuracy2, simple_accuracy))
        own = price_of_snapping(p, alpha=self.alpha).accuracy_ratio
        return own, rounded_up(second / laplace), rounded_up(simple / laplace)


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
    sides = {epsilon: ("at",) if exponent_of_power(epsilon) is None else SIDES for epsilon in asked}
    rows = tuple(_row(notes, epsilon, side) for epsilon in asked for side in sides[epsilon])
    return AccuracyByEpsilon(alpha=notes.alpha, bound=notes.bound, bits=notes.bits, rows=rows)


def accuracy_lines(*, first: Any, last: Any, alpha: Any = "0.05", bits: int | None = None) -> tuple[AccuracyLine, ...]:
    """Return the lines of all mechanisms from one epsilon to another, for a picture; never below the true ones."""
    low, high = positive(first, name="epsilon"), positive(last, name="epsilon")
    if low >= high:
        raise ParameterError("a line needs two epsilons, the smaller one first.", "Give several epsilons.")
    notes = _notes(low, alpha, bits)
    flat: tuple[Point, ...] = ((to_float_up(low), 1.0), (to_float_up(high), 1.0))
    fine, natural = (_exact_pieces(grid, low, high, notes.alpha) for grid in ("fine", "natural"))
    found = [
        [(to_float_up(epsilon), *map(to_float_up, notes.ratios(epsilon))) for epsilon in piece]
        for piece in _notes_places(notes, natural, low, high)
    ]
    rule, second = (tuple(tuple((point[0], point[i]) for point in piece) for piece in found) for i in (1, 2))
    simple = (tuple((point[0], point[3]) for piece in found for point in piece),)  # no grid, so no jump
    return tuple(
        AccuracyLine(name=name, pieces=pieces, taken=TAKEN.get(name))
        for name, pieces in zip(MECHANISMS, ((flat,), fine, natural, rule, second, simple), strict=True)
    )


def _notes(least: Fraction, alpha: Any, bits: int | None) -> _Notes:
    """Return the notes' rule with a bound that no accuracy meets, and that every grid of these epsilons divides."""
    level = confidence(alpha)
    reached = published_accuracy("simple", noise_scale=1 / least, grid=1 / least, alpha=level)
    bound = max(LEAST_BOUND, 2 * power_of_two_at_least(reached))
    chosen = required_bits(epsilon=least, bound=bound) if bits is None else bits
    return _Notes(alpha=level, bound=bound, bits=chosen)


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


# At one declaration: bias, distance, clamp, mean errors

CONTENDERS = ("exact, fine grid", "exact, natural grid", "clamped to the range", "notes' rule")
CLAMPS = ("tight clamp", "it binds", "notes' clamp", "it binds")
GAMMAS = ("0.2", "0.05", "0.01", "0.001", "1e-6")
GUESSES = 10


class SideRow(Value):
    """One row: what it is about, and a figure of each mechanism."""

    at: tuple[Fraction, ...]
    figures: tuple[Enclosure, ...]


class SideBySide(Value):
    """Figures of several mechanisms; `mean` is their average over the rows, where it makes sense."""

    names: tuple[str, ...]
    rows: tuple[SideRow, ...]
    mean: tuple[Enclosure, ...] | None = None


def contenders(*, epsilon: Any, sensitivity: Any, lower: Any, upper: Any) -> tuple[SnappingParameters, ...]:
    """Return the mechanisms of CONTENDERS with one declaration."""
    declared = {"epsilon": epsilon, "sensitivity": sensitivity, "lower": lower, "upper": upper}
    return (
        exact_parameters(**declared),
        exact_parameters(**declared, grid="natural"),
        exact_parameters(**declared, grid="natural", clamp="range"),
        finite_parameters(**declared, arithmetic=FinitePrecision(rule="notes")),
    )


def bias_by_guess(*, guesses: Iterable[Any] | None = None, **declared: Any) -> SideBySide:
    """Return the bias at guesses of the statistic, and its average over them; data units.

    Without guesses, the ends of the range and what divides it into ten.
    """
    values = _spread(**declared) if guesses is None else [parameter(each, name="value") for each in guesses]
    mechanisms = contenders(**declared)
    rows = tuple(SideRow(at=(value,), figures=tuple(bias(p, value) for p in mechanisms)) for value in values)
    return SideBySide(names=CONTENDERS, rows=rows, mean=tuple(expected_bias(p, values) for p in mechanisms))


def distance_tails(*, if_value: Any, distances: Iterable[Any] | None = None, **declared: Any) -> SideBySide:
    """Return P(|Laplace - snapping| > z) on the same draw, for a guess and some z.

    The draw of the notes' rule is that of its own scale, a hair wider. Without distances, multiples of the noise scale.
    """
    mechanisms = contenders(**declared)
    scale = mechanisms[0].noise_scale
    asked = [scale * n / 4 for n in (0, 1, 2, 4, 8, 16, 32)] if distances is None else distances
    wanted = [parameter(z, name="distance") for z in asked]
    rows = [SideRow(at=(z,), figures=tuple(distance_tail(p, if_value, distance=z) for p in mechanisms)) for z in wanted]
    return SideBySide(names=CONTENDERS, rows=tuple(rows))


def clamp_by_gamma(*, gammas: Iterable[Any] = GAMMAS, **declared: Any) -> SideBySide:
    """Return the half width of the clamp that binds with probability gamma at most, tight and by the notes' formula.

    Beside each, the largest probability over the range with which it binds. Exact arithmetic, natural grid.
    """
    p = exact_parameters(**declared, grid="natural")
    rows = []
    for gamma in gammas:
        clamps = [bound_for(p, gamma=gamma, method=method) for method in ("tight", "notes")]
        figures = tuple(enclose(figure) for clamp in clamps for figure in (clamp.bound, clamp.binding))
        rows.append(SideRow(at=(clamps[0].gamma,), figures=figures))
    return SideBySide(names=CLAMPS, rows=tuple(rows))


def mean_errors(
    values: Sequence[int], *, lower: Any, upper: Any, epsilons: Iterable[Any], rows: Iterable[int]
) -> SideBySide:
    """Return E |released - mean| of the first n values, by the same of the Laplace mechanism, for each n and epsilon.

    What releasing the mean many times would show in the long run. The values must be made up, or public: their mean is
    not hidden here.
    """
    means = means_of_first(values, lower=lower, upper=upper, rows=rows)
    return errors_of_means(means, lower=lower, upper=upper, epsilons=epsilons)


def means_of_first(
    values: Sequence[int], *, lower: Any, upper: Any, rows: Iterable[int]
) -> dict[int, tuple[Fraction, Fraction]]:
    """Return {n: (mean of the first n values, its sensitivity)}: one row changed moves it by (upper - lower)/n."""
    low, high = parameter(lower, name="lower"), parameter(upper, name="upper")
    means = {}
    for n in rows:
        if not 1 <= n <= len(values):
            raise ParameterError(f"{n} rows are asked for of {len(values)}.", "Ask for at least one, and for no more.")
        inside = (min(max(Fraction(value), low), high) for value in values[:n])
        means[n] = sum(inside) / Fraction(n), (high - low) / n
    return means


def errors_of_means(
    means: Mapping[int, tuple[Fraction, Fraction]], *, lower: Any, upper: Any, epsilons: Iterable[Any]
) -> SideBySide:
    """Return the same for means and sensitivities that are known, by their n."""
    wanted = [parameter(each, name="epsilon") for each in epsilons]
    rows = []
    for (n, (mean, sensitivity)), epsilon in product(means.items(), wanted):
        mechanisms = contenders(epsilon=epsilon, sensitivity=sensitivity, lower=lower, upper=upper)
        laplace = sensitivity / epsilon  # E |Y| of the Laplace mechanism is its noise scale
        figures = tuple(expected_absolute_error(p, mean) / laplace for p in mechanisms)
        rows.append(SideRow(at=(Fraction(n), epsilon), figures=figures))
    return SideBySide(names=CONTENDERS, rows=tuple(rows))


def _spread(*, lower: Any, upper: Any, **others: Any) -> list[Fraction]:
    d = Declaration.parse(lower=lower, upper=upper, **others)
    return [d.lower + (d.upper - d.lower) * i / GUESSES for i in range(GUESSES + 1)]
