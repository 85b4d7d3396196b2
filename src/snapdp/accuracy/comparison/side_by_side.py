"""Bias over guesses, tails of the distance to Laplace, clamps from gamma, mean errors: mechanisms side by side.

Room: accuracy. Public numbers, or those of a table that is nobody's. Each figure is an exact law's, none is sampled.
The mechanisms differ as people use them: exact arithmetic with its wide clamp on both grids, the natural grid with the
clamp at the range, and the notes' rule with its clamp from gamma = 1/20.
Theory: docs/theory/planning.md, (12)-(14), (20), (21), (27), (28).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from snapdp.accuracy.clamping import bound_for
from snapdp.accuracy.laplace import distance_tail
from snapdp.accuracy.moments import bias, expected_absolute_error, expected_bias
from snapdp.errors import ParameterError
from snapdp.exact import Enclosure, enclose, parameter
from snapdp.mechanism import Declaration, FinitePrecision, SnappingParameters, exact_parameters, finite_parameters
from snapdp.values import Value

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

    What releasing the mean many times would show in the long run. The values must be nobody's, or public: their mean is
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
