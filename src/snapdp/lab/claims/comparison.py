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
from snapdp.exact.enclosure import enclose
from snapdp.exact.functions import rounded_up
from snapdp.exact.numbers import parameter, positive
from snapdp.lab.claims.formulas import get_accuracy2, laplace_accuracy, simple_accuracy
from snapdp.lab.claims.mechanism import printed_mechanism
from snapdp.mechanism.finite_precision import finite_parameters, required_bits
from snapdp.mechanism.parameters import FINE, FinitePrecision, SnappingParameters, exact_parameters

MECHANISMS = ("Laplace", "exact, fine grid", "exact, natural grid", "notes' rule", "GetAccuracy2", "simple bound")
SIDES = ("below", "at", "above")
LEAST_BOUND = Fraction(1024)
Row = dict[str, Any]  # what the row is about, then the figures by the names of their columns


def bound_and_bits(*, least: Fraction, alpha: Fraction, bits: int | None = None) -> tuple[Fraction, int]:
    """Return one bound (in sensitivities) and one precision of the notes' rule for all epsilons from the least on.

    No accuracy meets the bound, and every grid divides it.
    """
    reached = published_accuracy("simple", noise_scale=1 / least, grid=1 / least, alpha=alpha)
    bound = max(LEAST_BOUND, 2 * power_of_two_at_least(reached))
    return bound, required_bits(epsilon=least, bound=bound) if bits is None else bits


def accuracy_by_epsilon(
    *, epsilons: Iterable[Any] = TABLE_EPSILONS, alpha: Any = "0.05", bits: int | None = None
) -> list[Row]:
    """Return accuracies at some epsilons, three rows where one is a power of two.

    Of each the epsilon and the side from which it is neared, the accuracy of the Laplace mechanism in sensitivities,
    and the accuracy of each of MECHANISMS by that of Laplace, rounded up.

    bits  of the notes' rule; left out, as the notes choose them for the least epsilon, at least 118

    >>> rows = accuracy_by_epsilon(epsilons=["0.9", 1])
    >>> [(row["side"], f"{float(row['exact, natural grid']):.3f}", f"{float(row[MECHANISMS[3]]):.3f}") for row in rows]
    [('at', '1.202', '1.202'), ('below', '1.304', '1.304'), ('at', '1.137', '1.304'), ('above', '1.137', '1.137')]
    """
    asked = sorted({positive(epsilon, name="epsilon") for epsilon in epsilons})
    if not asked:
        raise ParameterError("there is no epsilon to compare at.", "Give at least one.")
    level, rows = confidence(alpha), []
    bound, chosen = bound_and_bits(least=asked[0], alpha=level, bits=bits)
    for epsilon in asked:
        for side in ("at",) if exponent_of_power(epsilon) is None else SIDES:
            # From below the exact grids are still the wide ones; from above the notes' are the narrow ones.
            natural = power_of_two_at_least(1 / epsilon) * (2 if side == "below" else 1)
            fine, own = price_table(alpha=level, epsilons=[epsilon], grids=(natural / FINE, natural))
            m = printed_mechanism(epsilon=epsilon, bound=bound, bits=chosen)
            m = m.at(epsilon=m.epsilon_at(1 / epsilon)) if side == "above" else m
            laplace = laplace_accuracy(m, alpha=level).enclosure.lower
            p = finite_parameters(
                epsilon=m.epsilon,
                sensitivity=1,
                lower=-bound,
                upper=bound,
                bound=bound,
                arithmetic=FinitePrecision(bits=chosen, rule="notes"),
            )
            ratios = (
                Fraction(1),
                fine.accuracy_ratio,
                own.accuracy_ratio,
                price_of_snapping(p, alpha=level).accuracy_ratio,
                rounded_up(get_accuracy2(m, alpha=level).enclosure.upper / laplace),
                rounded_up(simple_accuracy(m, alpha=level).enclosure.upper / laplace),
            )
            about = {"epsilon": epsilon, "side": side, "laplace_accuracy": own.laplace_accuracy}
            rows.append(about | dict(zip(MECHANISMS, ratios, strict=True)))
    return rows


def accuracy_for_picture(*, first: Any, last: Any, alpha: Any = "0.05", bits: int | None = None) -> list[Row]:
    """Return rows from one epsilon to another, for lines: at the corners of the natural grid and some points between.

    The first power of two has no limit from below, the last none from above.
    """
    low, high = positive(first, name="epsilon"), positive(last, name="epsilon")
    if low >= high:
        raise ParameterError("a line needs two epsilons, the smaller one first.", "Give several epsilons.")
    corners = Curve(sensitivity=Fraction(1), alpha=confidence(alpha), grid="natural").points(low, high)
    epsilons = {low, high, *(min(max(Fraction(epsilon), low), high) for epsilon, _ in corners)}
    rows = accuracy_by_epsilon(epsilons=epsilons, alpha=alpha, bits=bits)
    return [row for row in rows if (row["epsilon"], row["side"]) not in ((low, "below"), (high, "above"))]


# At one declaration: bias, distance, clamp, mean errors. A figure is an enclosure.

CONTENDERS = ("exact, fine grid", "exact, natural grid", "clamped to the range", "notes' rule")
GAMMAS = ("0.2", "0.05", "0.01", "0.001", "1e-6")
GUESSES = 10


def contenders(*, epsilon: Any, sensitivity: Any, lower: Any, upper: Any) -> dict[str, SnappingParameters]:
    """Return the mechanisms of CONTENDERS with one declaration."""
    declared = {"epsilon": epsilon, "sensitivity": sensitivity, "lower": lower, "upper": upper}
    mechanisms = (
        exact_parameters(**declared),
        exact_parameters(**declared, grid="natural"),
        exact_parameters(**declared, grid="natural", clamp="range"),
        finite_parameters(**declared, arithmetic=FinitePrecision(rule="notes")),
    )
    return dict(zip(CONTENDERS, mechanisms, strict=True))


def bias_by_guess(*, guesses: Iterable[Any] | None = None, **declared: Any) -> list[Row]:
    """Return the bias at guesses of the statistic, in the last row its average over them; data units.

    Without guesses, the ends of the range and what divides it into ten.
    """
    mechanisms = contenders(**declared)
    if guesses is None:
        d = mechanisms[CONTENDERS[0]].declared
        guesses = [d.lower + (d.upper - d.lower) * i / GUESSES for i in range(GUESSES + 1)]
    values = [parameter(guess, name="value") for guess in guesses]
    rows: list[Row] = [{"guess": value, **{name: bias(p, value) for name, p in mechanisms.items()}} for value in values]
    return [*rows, {"guess": "mean", **{name: expected_bias(p, values) for name, p in mechanisms.items()}}]


def distance_tails(*, if_value: Any, distances: Iterable[Any] | None = None, **declared: Any) -> list[Row]:
    """Return P(|Laplace - snapping| > z) on the same draw, for a guess and some z.

    The draw of the notes' rule is that of its own scale, a hair wider. Without distances, multiples of the noise scale.
    """
    mechanisms = contenders(**declared)
    quarter = mechanisms[CONTENDERS[0]].noise_scale / 4
    chosen = [quarter * n for n in (0, 1, 2, 4, 8, 16, 32)] if distances is None else distances
    return [
        {"z": z, **{name: distance_tail(p, if_value, distance=z) for name, p in mechanisms.items()}}
        for z in (parameter(distance, name="distance") for distance in chosen)
    ]


def clamp_by_gamma(*, gammas: Iterable[Any] = GAMMAS, **declared: Any) -> list[Row]:
    """Return the half width of the clamp that binds with probability gamma at most, tight and by the notes' formula.

    Beside each, the largest probability over the range with which it binds. Exact arithmetic, natural grid.
    """
    p, rows = exact_parameters(**declared, grid="natural"), []
    for gamma in gammas:
        tight, notes = (bound_for(p, gamma=gamma, method=method) for method in ("tight", "notes"))
        row = {"gamma": tight.gamma, "tight": enclose(tight.bound), "tight binds": enclose(tight.binding)}
        rows.append({**row, "notes' formula": enclose(notes.bound), "notes' formula binds": enclose(notes.binding)})
    return rows


def errors_of_means(
    means: Mapping[int, tuple[Fraction, Fraction]], *, lower: Any, upper: Any, epsilons: Iterable[Any]
) -> list[Row]:
    """Return E |released - mean|, by the same of the Laplace mechanism, of {n: (mean of n rows, its sensitivity)}.

    What releasing the mean many times would show in the long run, for each n and epsilon. The rows must be made up, or
    public (`snapdp.tables.means.public_means`): their mean is not hidden here.
    """
    rows = []
    for (n, (mean, sensitivity)), given in product(means.items(), list(epsilons)):
        epsilon = parameter(given, name="epsilon")
        mechanisms = contenders(epsilon=epsilon, sensitivity=sensitivity, lower=lower, upper=upper)
        laplace = sensitivity / epsilon  # E |Y| of the Laplace mechanism is its noise scale
        errors = {name: expected_absolute_error(p, mean) / laplace for name, p in mechanisms.items()}
        rows.append({"n": Fraction(n), "epsilon": epsilon, **errors})
    return rows
