"""Margins adjusted: the least squares tables of what was measured, which add up exactly, and what they are worth.

Functions of released indices and public parameters only, so they cost nothing. Adjusting starts from the indices, as
they were drawn, never from numbers moved to what is possible; nothing rounds before a cell is printed.

    cell = factor * (adjusted numerator);  interval = cell +- factor * radius, inside the public range

Radius and deviation are those of the whole margin, of a hierarchy those of every kind of cell: they depend on no draw,
and are known before anything is paid. `Tabulated` is the base of the statistics that have margins: counts and sums, and
persons where each has one group. Theory: docs/theory/adjusted-tables.md (4), (7)-(11), (13), (27)-(30);
docs/theory/sensitivities.md (22).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from snapdp.display.numbers import four_digits_up
from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.exact.dyadic import round_up
from snapdp.exact.enclosure import Enclosure
from snapdp.exact.numbers import ratio_nearest, ratios_down, ratios_up, to_float_down, to_float_nearest, to_float_up
from snapdp.mechanism.parameters import EXACT_GAMMA, SnappingParameters
from snapdp.studies.grouping.margins import TOTAL, Hierarchy, Margin, Margins
from snapdp.studies.statistics.parts import Columns, Derived, DrawnPart, Part, mechanism
from snapdp.studies.statistics.statistic import Detail, DrawnStudy, MarginsDetail, NumbersDetail, Statistic, WholeDetail
from snapdp.values import Value, replaced

if TYPE_CHECKING:
    from snapdp.accuracy.adjusted.figures import MarginWorth, NumberWorth
    from snapdp.accuracy.adjusted.margins import MarginFamily
    from snapdp.accuracy.adjusted.noise import SnappedNoise
    from snapdp.studies.statistics.parts import Numerator

ADJUSTED = "adjusted"
LARGEST_RATIO = 512  # of a unit of the numerator to the noise scale: beyond it nothing is hidden, and laws are points
LEAST_LEVEL = Fraction(1, 1 << 63)
LONGEST_EPSILON = 10**12  # of a cell, above and below the line: adjusted numbers have so many times its digits
DEVIATION_BITS = 24  # of a deviation that is published, rounded up: seven digits
Noises = tuple["SnappedNoise", ...]  # of the measured margins, in order


class Tabulated(Statistic):
    """A statistic whose table by several columns may be released with margins.

    One table is asked of the data, that by all columns of the groups; every margin is a sum of its cells, in exact
    integers. So a row that has no cell in one column is in no margin, the total included. Each margin is a part of its
    own, and what is derived are the same tables adjusted, so that they add up.
    """

    adds_up = True
    details: ClassVar[Mapping[str, Detail]] = {
        "rows_per_person": WholeDetail(),
        "margins": MarginsDetail(),
        "shares": NumbersDetail(),
    }

    @abstractmethod
    def margin_part(self, margin: Margin, share: Fraction) -> Part:
        """Return the part of one margin, at a share of epsilon; its name is without that of the margin."""

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        (cells,) = answers
        return (cells,) if self.margins is None else self.margins.sums(cells)

    def margin_parts(self, margins: Margins) -> tuple[Part, ...]:
        """Return the parts of measured margins: each with its share of epsilon, and named by its columns."""
        found = []
        for margin, share in zip(margins.measured, margins.shares, strict=True):
            part = self.margin_part(margin, share)
            name = f"{part.numerator.name} {margins.text(margin)}"
            found.append(replaced(part, margin=margin, numerator=replaced(part.numerator, name=name)))
        return tuple(found)

    @property
    def stated(self) -> dict[str, Any]:
        chosen = {} if self.margins is None else {"margins": self.margins, "shares": self.margins.shares}
        return {**super().stated, **chosen}

    def derived(
        self,
        parts: Sequence[DrawnPart],
        study: DrawnStudy,  # noqa: ARG002
    ) -> Iterator[Derived]:
        """Yield the margins adjusted."""
        if self.margins is not None:
            yield from adjusted_blocks(self, parts)


# What adjusted tables are worth, and what they hold


def noise_of(p: SnappingParameters) -> SnappedNoise:
    """Return the noise of a measured margin: its numerators are whole numbers, which lie on its grid."""
    from snapdp.accuracy.adjusted.noise import SnappedNoise

    assert (1 / p.data_grid).denominator == 1, "a grid of at most one unit"
    return SnappedNoise(noise_scale=Fraction(p.noise_scale), grid=Fraction(p.data_grid))


class TableWorth(Value):
    """What the cells of one margin are worth, in units of the numerator.

    measured   None where the margin is known        adjusted   of every kind of cell
    kinds      of each cell which kind it is; nothing where all of them are of the first
    """

    margin: Margin
    cells: int
    measured: NumberWorth | None
    adjusted: tuple[NumberWorth, ...]
    kinds: tuple[int, ...] = ()

    @property
    def radius(self) -> Fraction:
        """Return the largest radius of an adjusted cell."""
        return max(each.radius.radius for each in self.adjusted)

    def deviations(self, factor: Fraction) -> tuple[float, ...]:
        """Return the deviation of every kind of cell, as it is published."""
        return tuple(published_deviation(each.deviation, factor) for each in self.adjusted)


def worth_of_margins(margins: Margins, noises: Noises, alpha: Fraction) -> tuple[TableWorth, ...]:
    """Return what the margins asked for are worth, as they are measured and adjusted, in units of the numerator."""
    if isinstance(margins, Hierarchy):
        return _worth_of_levels(margins, noises, alpha)
    found = _worth(margins.sizes, margins.asked, margins.measured, margins.known_total, noises, alpha)
    return tuple(
        TableWorth(margin=each.margin, cells=each.cells, measured=each.measured, adjusted=(each.adjusted,))
        for each in found
    )


@lru_cache(maxsize=64)
def _worth_of_levels(levels: Hierarchy, noises: Noises, alpha: Fraction) -> tuple[TableWorth, ...]:
    from snapdp.accuracy.adjusted.figures import worth_of_kinds

    by_level = dict(zip(levels.measured, noises, strict=True))
    tree = levels.tree({margin: noise.weight for margin, noise in by_level.items()})
    every = worth_of_kinds(tree, by_level, alpha=alpha)
    found = []
    for margin in levels.asked:
        here = list(dict.fromkeys(levels.level(margin, tree.kinds)))
        own = {kind: place for place, kind in enumerate(here)}
        found.append(
            TableWorth(
                margin=margin,
                cells=levels.cells(margin),
                measured=every[here[0]].measured,
                adjusted=tuple(every[kind].adjusted for kind in here),
                kinds=tuple(own[kind] for kind in levels.level(margin, tree.kinds)) if len(here) > 1 else (),
            )
        )
    return tuple(found)


@lru_cache(maxsize=64)  # a plan, its request, the release and its audit ask for the same
def _worth(
    sizes: tuple[int, ...],
    asked: tuple[Margin, ...],
    measured: tuple[Margin, ...],
    known_total: bool,
    noises: Noises,
    alpha: Fraction,
) -> tuple[MarginWorth, ...]:
    from snapdp.accuracy.adjusted.figures import margins_worth

    by_margin = dict(zip(measured, noises, strict=True))
    return tuple(margins_worth(sizes, by_margin, alpha=alpha, known_total=known_total, margins=asked))


def check_margins(statistic: Statistic, epsilon: Fraction, alpha: Fraction) -> None:
    """Refuse an alpha that the clamps of all numbers which enter a cell take up, and an epsilon without any noise.

    So is one of many digits: those of all margins multiply, in every coefficient.              adjusted-tables (30)
    """
    margins = statistic.margins
    assert margins is not None
    numbers = sum(map(margins.cells, margins.measured))
    least = max(2 * numbers * EXACT_GAMMA, LEAST_LEVEL)
    if alpha < least:
        raise ParameterError(
            f"alpha = {alpha} is too small for {statistic.shown}: {numbers} numbers enter each adjusted cell.",
            f"Give alpha >= {math.ceil(least * 10**12)}e-12. Nothing was read and nothing spent.",
            alpha=alpha,
        )
    largest = max(epsilon * part.share / part.numerator.sensitivity for part in statistic.parts)
    if largest > LARGEST_RATIO:
        raise BoundError(
            f"epsilon = {epsilon} is too large for {statistic.shown}: there would be no noise to speak of.",
            f"Give at most {math.floor(epsilon * LARGEST_RATIO / largest)}. Nothing was read and nothing spent.",
            epsilon=epsilon,
        )
    cells = [epsilon * part.share for part in statistic.parts]
    if max(max(each.numerator, each.denominator) for each in cells) > LONGEST_EPSILON:
        raise BoundError(
            f"epsilon and shares of {statistic.shown} have too many digits to be adjusted in bounded time.",
            "Give shorter ones: the epsilon of each margin is a fraction of numbers of at most 12 digits, such as 0.25 "
            "or 3/7. Nothing was read and nothing spent.",
            epsilon=epsilon,
        )


def adjusted_blocks(statistic: Statistic, parts: Sequence[DrawnPart]) -> Iterator[Derived]:
    """Yield every margin that is asked for, adjusted; a known total is among them."""
    margins = statistic.margins
    assert margins is not None
    noises = tuple(noise_of(part.mechanism.parameters) for part in parts)
    tables = _adjusted(margins, parts, statistic.relation.rows)
    numerators = {part.part.margin: part.part.numerator for part in parts}
    for worth in worth_of_margins(margins, noises, parts[0].alpha):
        margin = worth.margin
        numerator = numerators.get(margin)
        like = numerator or parts[0].part.numerator  # of a known total: counts have one factor
        name = (numerator.name if numerator else f"count {margins.text(TOTAL)}").strip()
        known = None if numerator else (statistic.relation.rows, statistic.relation.rows)
        yield Derived(
            name=f"{ADJUSTED} {name}",
            title=f"{ADJUSTED} {statistic.title_of(margin)}",
            columns=_columns(tables[margin], like, worth, known),
            margin=margin,
            deviation=_deviation(worth, like.factor),
        )


def _deviation(worth: TableWorth, factor: Fraction) -> float | tuple[float, ...]:
    """Return the deviation of all cells, or one for each where they differ."""
    found = worth.deviations(factor)
    return found[0] if len({*found}) == 1 else tuple(found[kind] for kind in worth.kinds)


def _adjusted(margins: Margins, parts: Sequence[DrawnPart], rows: int) -> dict[Margin, Any]:
    """Return the adjusted tables of numerators, exactly."""
    if isinstance(margins, Hierarchy):
        # The adjusted levels of numerators, exactly: every node is the sum of those below it.
        from snapdp.accuracy.adjusted.trees import adjusted_values

        noises = (noise_of(part.mechanism.parameters) for part in parts)
        tree = margins.tree({margin: noise.weight for margin, noise in zip(margins.measured, noises, strict=True)})
        measured: list[Fraction | None] = [None] * margins.known_total
        for part in parts:  # in the order of the levels, from the root on
            grid = Fraction(part.mechanism.parameters.data_grid)
            measured += (grid * index for index in part.indices)
        found = adjusted_values(tree, measured, total=rows if margins.known_total else None)
        return {margin: margins.level(margin, found) for margin in margins.asked}
    from snapdp.accuracy.adjusted.margins import adjusted_tables, exact_table

    family = family_of(margins, tuple(noise_of(part.mechanism.parameters) for part in parts))
    tables = {}
    for margin, part in zip(margins.measured, parts, strict=True):
        sizes = [margins.sizes[i] for i in margin]
        tables[margin] = exact_table(_whole(part.indices), sizes, unit=part.mechanism.parameters.data_grid)
    return adjusted_tables(family, tables, total=rows if margins.known_total else None, margins=margins.asked)


def _whole(indices: Sequence[int]) -> Any:
    import numpy as np

    return np.fromiter(indices, np.int64, len(indices))  # an index is below 2**52


def family_of(margins: Margins, noises: Noises) -> MarginFamily:
    """Return the measured margins with the variances that least squares reckon with."""
    from snapdp.accuracy.adjusted.margins import margin_family

    weights = {margin: noise.weight for margin, noise in zip(margins.measured, noises, strict=True)}
    return margin_family(margins.sizes, weights, known_total=margins.known_total)


def _columns(table: Any, numerator: Numerator, worth: TableWorth, known: tuple[int, int] | None) -> Columns:
    """Return the cells of an adjusted table or level and their intervals as they print."""
    if not isinstance(table, list):
        return _printed(table, numerator, worth.radius, known)
    factor, radii = numerator.factor, [each.radius.radius for each in worth.adjusted]
    low, high = (factor * end for end in known or (numerator.lower, numerator.upper))
    cells = [factor * cell for cell in table]
    reach = [factor * radii[kind] for kind in worth.kinds] or [factor * radii[0]] * len(cells)
    lows = [min(max(cell - each, low), high) for cell, each in zip(cells, reach, strict=True)]
    highs = [max(min(cell + each, high), low) for cell, each in zip(cells, reach, strict=True)]
    return [*map(to_float_nearest, cells)], [*map(to_float_down, lows)], [*map(to_float_up, highs)]


def _printed(table: Any, numerator: Numerator, radius: Fraction, known: tuple[int, int] | None) -> Columns:
    """Return the cells of an adjusted table and their intervals as they print: rounded once, intervals outward."""
    import numpy as np

    factor = numerator.factor
    low, high = (Fraction(end) for end in known or (numerator.lower, numerator.upper))
    common = math.lcm(table.denominator, radius.denominator)
    cells = table.numerators.ravel().astype(object) * (common // table.denominator * factor.numerator)
    reach, least, most = (int(x * common) * factor.numerator for x in (radius, low, high))
    below = common * factor.denominator
    lows = np.minimum(np.maximum(cells - reach, least), most)
    highs = np.maximum(np.minimum(cells + reach, most), least)
    bottom = np.full(len(cells), below, dtype=object)
    values = [ratio_nearest(int(cell), below) + 0.0 for cell in cells.tolist()]
    return values, ratios_down(lows, bottom).tolist(), ratios_up(highs, bottom).tolist()


def published_deviation(deviation: Enclosure, factor: Fraction) -> float:
    """Return a deviation in units of the statistic, rounded up to 24 bits; 0 where nothing is random.

    It is enclosed 2**70 times as narrowly: the two ends round to one number, or nothing is planned.
    """
    if deviation.upper == 0:
        return 0.0
    low, high = (round_up(factor * end, DEVIATION_BITS) for end in (deviation.lower, deviation.upper))
    if low != high:
        raise PremiseError("a deviation lies too near to a number of 24 bits to be rounded.", "Give another epsilon.")
    return float(high)


# What margins will be worth, before anything is paid. Of every margin, in units of the statistic: a cell as it is
# measured, as it is adjusted, and as the sum of cells of the whole table, were that released alone at the same epsilon.
# The last tells what margins cost, and what they bring. Of a level of a hierarchy it is the cell that errs most.


class CellError(Value):
    """How far a cell is from the truth: more than `accuracy` with probability alpha at most; its standard deviation."""

    accuracy: Fraction
    deviation: float

    @property
    def text(self) -> str:
        """Return both in short."""
        return f"± {four_digits_up(self.accuracy)} (standard deviation {four_digits_up(Fraction(self.deviation))})"


class MarginFigures(Value):
    """One margin of a line of a plan.

    epsilon    that neighbours may lose in it; 0 where it is known
    measured   None where it is known, and not measured
    alone      as a sum of cells of the whole table, at the epsilon of the line; None where alpha is too small for it
    """

    margin: Margin
    text: str
    cells: int
    epsilon: Fraction
    measured: CellError | None
    adjusted: CellError
    alone: CellError | None


def margin_figures(statistic: Statistic, epsilon: Fraction, alpha: Fraction) -> tuple[MarginFigures, ...]:
    """Return the figures of every margin that is asked for, in order."""
    assert statistic.margins is not None
    parts = {part.margin: part for part in statistic.parts}
    title = statistic.title
    noises = tuple(noise_of(mechanism(part, epsilon, title=title).parameters) for part in statistic.parts)
    worths = worth_of_margins(statistic.margins, noises, alpha)
    return tuple(_figures(statistic, worth, parts.get(worth.margin), epsilon, alpha) for worth in worths)


def _figures(
    statistic: Statistic, worth: TableWorth, part: Part | None, epsilon: Fraction, alpha: Fraction
) -> MarginFigures:
    margins = statistic.margins
    assert margins is not None
    factor = statistic.parts[0].numerator.factor
    return MarginFigures(
        margin=worth.margin,
        text=margins.text(worth.margin),
        cells=worth.cells,
        epsilon=Fraction(0) if part is None else epsilon * part.share * part.moving,
        measured=None if worth.measured is None else _error(worth.measured, factor),
        adjusted=CellError(accuracy=factor * worth.radius, deviation=max(worth.deviations(factor))),
        alone=None if part is None else _alone(statistic, margins.cells_within(worth.margin), epsilon, alpha),
    )


def _error(worth: NumberWorth, factor: Fraction) -> CellError:
    deviation = published_deviation(worth.deviation, factor)
    return CellError(accuracy=factor * worth.radius.radius, deviation=deviation)


def _alone(statistic: Statistic, cells: int, epsilon: Fraction, alpha: Fraction) -> CellError | None:
    """Return the error of a sum of so many cells of the whole table, if that were all that is released."""
    from snapdp.accuracy.adjusted.figures import worth_of_terms
    from snapdp.accuracy.adjusted.noise import NoiseTerm

    (table,) = replaced(statistic, margins=None).parts
    places = tuple(range(len(statistic.margins.sizes))) if statistic.margins is not None else ()
    noise = noise_of(mechanism(replaced(table, margin=places), epsilon, title=statistic.title).parameters)
    term = NoiseTerm(coefficient=Fraction(1), noise=noise, count=cells)
    try:
        return _error(worth_of_terms([term], alpha=alpha), table.numerator.factor)
    except ParameterError:  # the clamps of so many cells take up alpha
        return None
