"""Mechanisms side by side: accuracy over epsilon, bias over guesses, distances to Laplace, clamps, mean errors.

Public numbers, or those of a made-up table. Each figure is an exact law's, none is sampled.
The mechanisms differ as people use them: exact arithmetic with its wide clamp on both grids, the natural grid with
the clamp at the range, and the notes' rule with its clamp from gamma = 1/20.

A grid that follows epsilon jumps at powers of two: in exact arithmetic at 2^k itself, where the new grid begins;
under the notes' rule, whose noise scale lies a hair above 1/epsilon, a hair above 2^k. So a power of two has three
rows of accuracy: the limit from below, itself, and the limit from above. Accuracies are in units of the sensitivity and
without a clamp, which the bound of the notes' rule is too wide to be.
Theory: docs/theory/planning.md, (6), (12)-(14), (20), (21), (27)-(29), (32).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product
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
from snapdp.exact.numbers import parameter, positive
from snapdp.lab.claims.formulas import get_accuracy2, laplace_accuracy, simple_accuracy
from snapdp.lab.claims.mechanism import printed_mechanism
from snapdp.mechanism.finite_precision import finite_parameters, required_bits
from snapdp.mechanism.parameters import FINE, FinitePrecision, SnappingParameters, exact_parameters
from snapdp.values import Value, replaced

MECHANISMS = ("Laplace", "exact, fine grid", "exact, natural grid", "notes' rule", "GetAccuracy2", "simple bound")
SIDES = ("below", "at", "above")
LEAST_BOUND = Fraction(1024)


class AccuracyRow(Value):
    """Accuracies at one epsilon, or as epsilon nears it from one side.

    laplace  accuracy of the Laplace mechanism, in sensitivities
    ratios   accuracy of each of MECHANISMS by that of Laplace, rounded up
    """

    epsilon: Fraction
    side: str
    laplace: Fraction
    ratios: tuple[Fraction, ...]


class AccuracyByEpsilon(Value):
    """Accuracies at level alpha; bound (in sensitivities) and bits are those of the notes' rule."""

    alpha: Fraction
    bound: Fraction
    bits: int
    rows: tuple[AccuracyRow, ...]


def accuracy_by_epsilon(
    *, epsilons: Iterable[Any] = TABLE_EPSILONS, alpha: Any = "0.05", bits: int | None = None
) -> AccuracyByEpsilon:
    """Return accuracies relative to Laplace at some epsilons, three rows where one is a power of two.

    bits  of the notes' rule; left out, as the notes choose them for the least epsilon, at least 118

    >>> found = accuracy_by_epsilon(epsilons=["0.9", 1])
    >>> [(row.side, *(f"{float(ratio):.3f}" for ratio in row.ratios[2:4])) for row in found.rows]
    [('at', '1.202', '1.202'), ('below', '1.304', '1.304'), ('at', '1.137', '1.304'), ('above', '1.137', '1.137')]
    """
    asked = sorted({positive(epsilon, name="epsilon") for epsilon in epsilons})
    if not asked:
        raise ParameterError("there is no epsilon to compare at.", "Give at least one.")
    level, least = confidence(alpha), asked[0]
    # One bound and one precision for all epsilons: no accuracy meets the bound, and every grid divides it.
    reached = published_accuracy("simple", noise_scale=1 / least, grid=1 / least, alpha=level)
    bound = max(LEAST_BOUND, 2 * power_of_two_at_least(reached))
    chosen = required_bits(epsilon=least, bound=bound) if bits is None else bits
    notes_rule, rows = FinitePrecision(bits=chosen, rule="notes"), []
    for epsilon in asked:
        for side in ("at",) if exponent_of_power(epsilon) is None else SIDES:
            # From below the exact grids are still the wide ones; from above the notes' are the narrow ones.
            natural = power_of_two_at_least(1 / epsilon) * (2 if side == "below" else 1)
            fine, own = price_table(alpha=level, epsilons=[epsilon], grids=(natural / FINE, natural))
            m = printed_mechanism(epsilon=epsilon, bound=bound, bits=chosen)
            m = m.at(epsilon=m.epsilon_at(1 / epsilon)) if side == "above" else m
            laplace = laplace_accuracy(m, alpha=level).enclosure.lower
            p = finite_parameters(
                epsilon=m.epsilon, sensitivity=1, lower=-bound, upper=bound, bound=bound, arithmetic=notes_rule
            )
            ratios = (
                Fraction(1),
                fine.accuracy_ratio,
                own.accuracy_ratio,
                price_of_snapping(p, alpha=level).accuracy_ratio,
                rounded_up(get_accuracy2(m, alpha=level).enclosure.upper / laplace),
                rounded_up(simple_accuracy(m, alpha=level).enclosure.upper / laplace),
            )
            rows.append(AccuracyRow(epsilon=epsilon, side=side, laplace=own.laplace_accuracy, ratios=ratios))
    return AccuracyByEpsilon(alpha=level, bound=bound, bits=chosen, rows=tuple(rows))


def accuracy_for_picture(*, first: Any, last: Any, alpha: Any = "0.05", bits: int | None = None) -> AccuracyByEpsilon:
    """Return rows from one epsilon to another, for lines: at the corners of the natural grid and some points between.

    The first power of two has no limit from below, the last none from above.
    """
    low, high = positive(first, name="epsilon"), positive(last, name="epsilon")
    if low >= high:
        raise ParameterError("a line needs two epsilons, the smaller one first.", "Give several epsilons.")
    corners = Curve(sensitivity=Fraction(1), alpha=confidence(alpha), grid="natural").points(low, high)
    epsilons = {low, high, *(min(max(Fraction(epsilon), low), high) for epsilon, _ in corners)}
    found = accuracy_by_epsilon(epsilons=epsilons, alpha=alpha, bits=bits)
    outside = ((low, "below"), (high, "above"))
    return replaced(found, rows=tuple(row for row in found.rows if (row.epsilon, row.side) not in outside))


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
    mechanisms = contenders(**declared)
    if guesses is None:
        d = mechanisms[0].declared
        guesses = [d.lower + (d.upper - d.lower) * i / GUESSES for i in range(GUESSES + 1)]
    values = [parameter(guess, name="value") for guess in guesses]
    rows = tuple(SideRow(at=(value,), figures=tuple(bias(p, value) for p in mechanisms)) for value in values)
    return SideBySide(names=CONTENDERS, rows=rows, mean=tuple(expected_bias(p, values) for p in mechanisms))


def distance_tails(*, if_value: Any, distances: Iterable[Any] | None = None, **declared: Any) -> SideBySide:
    """Return P(|Laplace - snapping| > z) on the same draw, for a guess and some z.

    The draw of the notes' rule is that of its own scale, a hair wider. Without distances, multiples of the noise scale.
    """
    mechanisms = contenders(**declared)
    quarter = mechanisms[0].noise_scale / 4
    chosen = [quarter * n for n in (0, 1, 2, 4, 8, 16, 32)] if distances is None else distances
    rows = tuple(
        SideRow(at=(z,), figures=tuple(distance_tail(p, if_value, distance=z) for p in mechanisms))
        for z in (parameter(distance, name="distance") for distance in chosen)
    )
    return SideBySide(names=CONTENDERS, rows=rows)


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


def errors_of_means(
    means: Mapping[int, tuple[Fraction, Fraction]], *, lower: Any, upper: Any, epsilons: Iterable[Any]
) -> SideBySide:
    """Return E |released - mean|, by the same of the Laplace mechanism, of {n: (mean of n rows, its sensitivity)}.

    What releasing the mean many times would show in the long run, for each n and epsilon. The rows must be made up, or
    public (`snapdp.tables.means.public_means`): their mean is not hidden here.
    """
    wanted = [parameter(each, name="epsilon") for each in epsilons]
    rows = []
    for (n, (mean, sensitivity)), epsilon in product(means.items(), wanted):
        mechanisms = contenders(epsilon=epsilon, sensitivity=sensitivity, lower=lower, upper=upper)
        laplace = sensitivity / epsilon  # E |Y| of the Laplace mechanism is its noise scale
        figures = tuple(expected_absolute_error(p, mean) / laplace for p in mechanisms)
        rows.append(SideRow(at=(Fraction(n), epsilon), figures=figures))
    return SideBySide(names=CONTENDERS, rows=tuple(rows))
