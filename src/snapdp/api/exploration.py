"""A first look at a table that nobody has documented: the study that asks for it, what was found, a study to go on.

A look is a release like any other: a statistic of magnitudes for each column of numbers, a histogram for
each column with public categories, at equal shares of epsilon. What was found is read from the record; bounds in it are
public, because they were paid for.
Theory: docs/theory/exploring.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from snapdp.api.study import Study
from snapdp.display.numbers import exact_amount
from snapdp.display.text import confidence, one_line, percent, visible
from snapdp.errors import BoundError, ParameterError
from snapdp.exact.dyadic import floor_log2, power_of_two
from snapdp.exact.numbers import parameter, positive
from snapdp.release.numbers import Number, NumberBlock
from snapdp.release.result import Release
from snapdp.studies.columns import BINNED, CATEGORY, DROPPED, MAGNITUDE, Column, number_column
from snapdp.studies.csv_dialect import CsvDialect
from snapdp.studies.declarations import digest
from snapdp.studies.plans.lines import ask
from snapdp.studies.quantiser import quantiser_of
from snapdp.studies.statistics.counts import count_query
from snapdp.studies.statistics.histogram import Histogram, histogram_query
from snapdp.studies.statistics.magnitudes import BOUNDS, LOWER, UPPER, WITHOUT, Magnitudes
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.parts import SHARE
from snapdp.studies.study_file import DeclaredStudy, study_to_toml
from snapdp.values import Value, Values

MOSTLY = 0.5  # from so large a share of cells that are no numbers on, a column is text
LEVELS = 1000  # of a column whose step nobody has said


class ExploredNumbers(Value):
    """What was found of a column of numbers; None where nothing can be said at this epsilon.

    lower, upper   all but the share `outside` of its numbers lie between them, with confidence 1 - alpha
    quartiles      for each of the three an estimate and the ends of its interval
    missing, unreadable   of all rows, with an interval where the number of rows is public
    missing_rows, unreadable_rows   how many they are, each with its interval
    """

    name: str
    lower: float | None
    upper: float | None
    quartiles: tuple[Number, ...]
    missing: Number
    unreadable: Number
    missing_rows: Number
    unreadable_rows: Number
    outside: Fraction
    alpha: Fraction
    epsilon: Fraction

    def __str__(self) -> str:
        low, high = ("none" if each is None else f"{each:g}" for each in (self.lower, self.upper))
        return f"bounds from {low} to {high}"

    @property
    def is_text(self) -> bool:
        """Tell whether most cells are no numbers, and not by the noise alone: no epsilon helps then."""
        rows = self.unreadable_rows
        return self.unreadable.printed >= MOSTLY and rows.low is not None and rows.low > rows.printed / 2

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Return both bounds, where both are known and lie apart."""
        if self.lower is None or self.upper is None or self.lower >= self.upper:
            return None
        return self.lower, self.upper


class ExploredCategories(Value):
    """What was found of a column with public categories: the number of rows of each.

    readable   the same, with the names that people read: (empty), where the record has (null)
    """

    name: str
    counts: tuple[Number, ...]
    readable: tuple[Number, ...]

    def __str__(self) -> str:
        return f"{len(self.counts)} counts"


def exploring_values(
    columns: Sequence[str],
    categories: Mapping[str, Sequence[str]],
    *,
    epsilon: Any,
    alpha: Any = None,
    outside: Any = None,
    exponents: Sequence[Any] | None = None,
) -> Values:
    """Return the columns and statistics of a look, with the keys of a study; epsilon is that of all together."""
    if not columns:
        raise ParameterError("no column is named.", "Name those to look at.")
    stray = next((name for name in categories if name not in columns), None)
    if stray is not None:
        raise ParameterError(f"categories are for column {stray!r}, which is not looked at.", "Name it in columns.")
    twice = next((name for place, name in enumerate(columns) if name in columns[:place]), None)
    if twice is not None:
        raise ParameterError(f"column {twice!r} is named twice.", "Asking twice costs twice: name each column once.")
    share = positive(epsilon, name="epsilon") / len(columns)
    cost = {"epsilon": str(share), **({} if alpha is None else {"alpha": alpha})}
    said = {} if outside is None else {"outside": outside}
    powers = {} if exponents is None else {"exponents": list(exponents)}
    declared = {}
    statistics = []
    for name in columns:
        if name in categories:
            rules = {"unknown": BINNED, "null": BINNED}  # how many rows are none of them is part of a first look
            declared[name] = {"kind": CATEGORY, "categories": list(categories[name]), **rules}
            statistics.append({"kind": Histogram.kind, "column": name, **cost})
        else:
            declared[name] = {"kind": MAGNITUDE, **powers}
            statistics.append({"kind": Magnitudes.kind, "column": name, **said, **cost})
    return {"columns": declared, "statistic": statistics}


class Exploration:
    """What a look has found: read from the record of its release.

    looked       the study of the look itself
    numbers      what was found of each column of numbers
    categories   what was found of each column with public categories
    """

    def __init__(self, looked: Study, release: Release) -> None:
        self.looked, self.release = looked, release
        blocks: dict[int, list[NumberBlock]] = {}
        for block in release.blocks():
            blocks.setdefault(block.place, []).append(block)
        found = [_explored(each) for each in blocks.values()]
        self.numbers = tuple(each for each in found if isinstance(each, ExploredNumbers))
        self.categories = tuple(each for each in found if isinstance(each, ExploredCategories))

    @property
    def digest(self) -> str:
        """Return the digest of the record: that of its canonical text, which `--json` prints."""
        return digest(self.release.to_json())

    def __repr__(self) -> str:
        lines = [
            f"look: epsilon {self.release.charged}",
            *(f"  {one_line(each.name)}: {each}" for each in self.numbers),
        ]
        return "\n".join([*lines, *(f"  {one_line(each.name)}: {each}" for each in self.categories)])

    def study_text(self, *, data: str | None = None, csv: CsvDialect | None = None) -> str:
        """Return a study file to edit, with the bounds that were found."""
        looked = self.looked
        listed = [column for column in looked.columns if column.name in {each.name for each in self.categories}]
        relation, epsilon = looked.relation, {each.statistic.columns[0].name: each.epsilon for each in looked.asked}
        columns = [column for each in self.numbers if (column := _bounded(each)) is not None]
        asked = [
            *(ask(mean_query(column, relation), epsilon=epsilon[column.name]) for column in columns),
            *(ask(histogram_query(column, relation), epsilon=epsilon[column.name]) for column in listed),
        ]
        known = [*columns, *listed]
        if not asked and relation.is_change_one:  # a study asks for something: how many rows there are is known here
            asked, known = [looked.asked[0]], [*looked.asked[0].statistic.columns]
        study = DeclaredStudy(
            dataset=looked.dataset,
            relation=relation,
            columns=tuple(known),
            asked=tuple(asked) or (ask(count_query(relation), epsilon=looked.asked[0].epsilon),),
            data=data,
            csv=csv,
            publisher=looked.declared.publisher,  # the title is that of the look
            contact=looked.declared.contact,
            bounds_from=self.digest if columns else None,
        )
        return "".join(f"# {line}\n" for line in self._remarks()) + "\n" + study_to_toml(study)

    def _remarks(self) -> Iterator[str]:
        """Yield what a reader of the study must know: where its bounds come from, and which columns have none."""
        yield "A study to edit. Its bounds are public: they were released, and paid for, by a look at the table."
        yield "Records of its releases name the look they come from, by bounds_from."
        yield f"charge {visible(str(self.release.record['previous']))}"
        if any(_bounded(each) is not None for each in self.numbers):
            yield "step: numbers are rounded to multiples of it, here about a thousandth of their range. Write the one"
            yield '  that a column has: 1 for whole numbers. For a median: kind = "quantiles", at = ["0.5"].'
        for each in self.numbers:
            name, share, sure = one_line(each.name), percent(each.outside), confidence(each.alpha)
            if _bounded(each) is not None:
                yield f"{name}: at most {share} of its numbers lie outside of the bounds, with confidence {sure}."
            elif each.bounds is not None:
                yield f"{name}: its bounds lie where no step is exact; declare [columns.{name}] in another unit."
            elif each.is_text:
                yield f"{name}: most of its cells are no numbers; declare [columns.{name}] with its categories, or say"
                yield "  in [csv] how the file writes numbers and missing cells (decimal, thousands, null)."
            else:
                yield f"{name}: no bounds were found at epsilon {exact_amount(each.epsilon)}; declare [columns.{name}]"
                yield "  with bounds that are public, or look again with more epsilon, or at a larger share outside."


def _explored(blocks: Sequence[NumberBlock]) -> ExploredNumbers | ExploredCategories | None:
    declared = blocks[0].declared
    if declared["kind"] == Histogram.kind:
        name, block = declared["columns"][0]["name"], blocks[0]
        return ExploredCategories(name=name, counts=block.numbers, readable=block.readable)
    if declared["kind"] != Magnitudes.kind:
        return None
    named = {block.name: {each.cell: each for each in block.numbers} for block in blocks}
    bounds, shares, rows = named[BOUNDS], list(named[SHARE].values()), list(named[WITHOUT].values())
    return ExploredNumbers(
        name=declared["columns"][0]["name"],
        lower=bounds[LOWER].low,
        upper=bounds[UPPER].high,
        quartiles=tuple(each for cell, each in bounds.items() if cell not in (LOWER, UPPER)),
        unreadable=shares[0],
        missing=shares[1],
        unreadable_rows=rows[0],
        missing_rows=rows[1],
        outside=parameter(declared["outside"], name="outside"),
        alpha=parameter(declared["alpha"], name="alpha"),
        epsilon=parameter(declared["epsilon"], name="epsilon"),
    )


def _bounded(found: ExploredNumbers) -> Column | None:
    """Return the column with the bounds that were found; None where there are none, or none that sums could take."""
    if found.bounds is None:
        return None
    lower, upper = (Fraction(each) for each in found.bounds)
    try:
        column = number_column(found.name, lower=lower, upper=upper, step=_step(upper - lower), missing=DROPPED)
        quantiser_of(column)
    except BoundError:
        return None
    return column


def _step(width: Fraction) -> Fraction:
    """Return a step for a range of which nothing else is known: a power of two, about a thousandth of it."""
    return power_of_two(floor_log2(width / LEVELS))
