"""What a reader should know of a line of a plan beside its figures: what it is made of, how persons and ranks count.

Room: studies. It cannot see data. Names of columns are anybody's text, and are made visible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import count
from typing import TYPE_CHECKING

from snapdp.display import exact_amount, four_digits_up, listed, one_line
from snapdp.studies.columns import CategoryColumn, Column, NumberColumn
from snapdp.studies.grouping.margins import HIERARCHY, TOTAL, WIDER, Margins
from snapdp.studies.ranks.magnitudes import Magnitudes
from snapdp.studies.statistics.centred.sums import CentredSums, Term
from snapdp.studies.statistics.margin_figures import MarginFigures
from snapdp.studies.statistics.statistic import Statistic

if TYPE_CHECKING:
    from snapdp.studies.plans.lines import Line

NO_GAIN = "sums of the table alone would be as accurate: margins bring nothing here"
MOST_PARTS = 12
FEW_LEVELS = 2000  # of quantiles: how many an example of a step leaves at most


def remarks_of(line: Line) -> Iterator[str]:
    """Yield everything as clauses for people."""
    if line.lock:
        yield "locked"
    yield from advice_of(line)
    yield from counting_of(line)
    if line.ranks is not None:
        yield line.ranks.in_words
    elif (made := made_of(line)) is not None:
        yield made
    if line.statistic.margins is not None:
        yield _in_margins(line.statistic.margins)


def counting_of(line: Line) -> Iterator[str]:
    """Yield what is counted: how many combinations of groups there are, and how persons count."""
    if line.statistic.keys and line.statistic.margins is None:
        yield f"{line.statistic.cells:,} combinations"
    if line.statistic.persons_in_words:
        yield line.statistic.persons_in_words


def advice_of(line: Line) -> Iterator[str]:
    """Yield the clauses after which somebody may want to change the line."""
    yield from _rounded_away(line.statistic.columns)
    if not line.meets_target and line.target is not None:
        yield f"misses the accuracy {exact_amount(line.target)} asked for"
    if line.margins and all(map(_is_no_gain, line.margins)):
        yield NO_GAIN
    if line.ranks is not None and (advice := line.ranks.advice(_wider_step(line.statistic.columns[0]))):
        yield advice
    if isinstance(line.statistic, Magnitudes):
        rows = line.statistic.rows_for_bounds(line.epsilon, line.alpha)
        yield f"bounds are found for columns of about {rows:,} numbers or more; quartiles for fewer"


def _wider_step(column: Column) -> str:
    """Return how to declare a step of a column that leaves few levels, ten, a hundred, ... times its own; empty where
    they are few.
    """
    if not isinstance(column, NumberColumn) or column.levels <= FEW_LEVELS:
        return ""
    step = exact_amount(column.step * 10 ** next(k for k in count(1) if column.levels <= FEW_LEVELS * 10**k))
    return f'step = "{step}" (--step {one_line(column.name)}={step})'


def _rounded_away(columns: Iterable[Column]) -> Iterator[str]:
    """Yield whose cells are rounded to more than the whole range that is declared."""
    for each in columns:
        if isinstance(each, NumberColumn) and each.step > each.declared_upper - each.declared_lower:
            wide = f"{exact_amount(each.step)}, more than from bound to bound"
            ends = f"{exact_amount(each.lower)} or {exact_amount(each.upper)}"
            yield f"cells of {one_line(each.name)} are rounded to {wide}: each becomes {ends}"


def made_of(line: Line) -> str | None:
    """Return from which released numbers its own is computed, how far each is off, and how they share epsilon.

    None where its number is released itself.
    """
    statistic = line.statistic
    if isinstance(statistic, CentredSums) and statistic.count_share is not None:
        pairs = zip(part_names(statistic), line.accuracies, strict=True)
        told = [f"a {name} (± {four_digits_up(a)})" for name, a in pairs]
        return f"computed from {listed(told, MOST_PARTS)}; {statistic.split}"
    if statistic.derivation is not None:
        return f"{statistic.derivation}; {statistic.split}"
    if len(statistic.parts) > 1 and statistic.margins is None:
        return f"n is public, so no count is released; {statistic.split}"
    return None


def part_names(statistic: Statistic) -> list[str]:
    """Return the names of what is released, as people read them; records have names of their own."""
    if isinstance(statistic, CentredSums) and statistic.count_share is not None:
        return [*(_summed(term, several=len(statistic.columns) > 1) for term in statistic.terms), "count"]
    return [part.numerator.name for part in statistic.parts]


def called_groups(statistic: Statistic) -> str:
    """Return what its rows are divided into: a group, a category or a bin."""
    if statistic.by is not None:
        return "group"
    return "category" if isinstance(statistic.columns[0], CategoryColumn) else "bin"


def _summed(term: Term, *, several: bool) -> str:
    """Return what is summed, in words: distances from the middle of the bounds."""
    if term.second is not None and not term.is_square:
        return "sum of products of distances"
    name = f" in {one_line(term.first.name)}" if several else ""
    return f"sum of {'squared ' if term.is_square else ''}distances from {exact_amount(term.first.middle)}{name}"


def _in_margins(margins: Margins) -> str:
    """Return what is released of a table with margins, in short."""
    known = ", and the total, which is public" if margins.known_total and TOTAL in margins.asked else ""
    numbers, tables = sum(map(margins.cells, margins.measured)), len(margins.measured)
    kind = "level" if margins.stated == HIERARCHY else "margin"
    wider = f"; {WIDER}" if margins.is_wide else ""
    if tables > 1:
        return f"{tables} {kind}s with {numbers} numbers together{known}; adjusted so that they add up{wider}"
    alone = f"1 {kind} with {numbers} number{'s' if numbers > 1 else ''}"
    return f"{alone}{known}; adjusted so that they add up{wider}" if known else alone


def _is_no_gain(figures: MarginFigures) -> bool:
    """Tell whether a margin would be as accurate as a sum of groups of the table alone, or is known."""
    alone = figures.alone
    return figures.measured is None or (alone is not None and alone.deviation <= figures.adjusted.deviation)


def share_in_words(share: Fraction) -> str:
    """Return an error as a part of a range, in whole percent and rounded up; of more than all of it, that.

    >>> share_in_words(Fraction(1001, 10000)), share_in_words(Fraction(1)), share_in_words(Fraction(7))
    ('11 % of', '100 % of', 'more than')
    """
    percent = -(-100 * share.numerator // share.denominator)
    return f"{percent} % of" if percent <= 100 else "more than"
