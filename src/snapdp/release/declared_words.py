"""What is declared of a statistic, as clauses for people: between which numbers, in which bins, and which rows count.

Room: release. Functions of a declaration, as requests and records have it: the same words before a release and after
it. Names are anybody's text, and are made visible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from snapdp.display import exact_amount, listed, one_line
from snapdp.errors import SnapdpError
from snapdp.studies import (
    BinnedColumn,
    CategoryColumn,
    Column,
    DateColumn,
    NumberColumn,
    Unlisted,
    binned,
    column_from,
    condition_from,
    key_text,
    stated_groups,
)

MOST_NAMED, LONGEST = 12, 400  # names or edges in a clause, and its characters


def declared_clauses(statistic: Mapping[str, Any], *, cells: bool = True) -> list[str]:
    """Return what is declared of a statistic, and which rows are left out of it; nothing where that cannot be read.

    cells   with the names of its groups, categories and bins, which a table of its numbers has by itself
    """
    try:
        columns, tested = _counted(statistic), [condition_from(each).column for each in statistic.get("where", ())]
        found = [*_declared(columns, cells=cells), *_rules(columns), *map(_untested, tested)]
    except (SnapdpError, LookupError, TypeError, AttributeError):  # a record may be anybody's
        return []
    return list(dict.fromkeys(one_line(each, LONGEST) for each in found if each))


def _counted(statistic: Mapping[str, Any]) -> list[Column]:
    """Return the columns that decide in which number a row counts, and as what; a histogram may have its own edges."""
    own = [column_from(each) for each in statistic.get("columns", ())]
    if "edges" in statistic and isinstance(own[0], NumberColumn):
        own[0] = binned(own[0], edges=statistic["edges"], outside=statistic["outside"], null=statistic["missing"])
    groups = stated_groups(statistic)
    return own if groups is None else [*own, *groups.columns]


def _declared(columns: list[Column], *, cells: bool) -> Iterator[str]:
    for each in columns:
        if isinstance(each, BinnedColumn):
            edges = listed([_grouped(edge) for edge in each.edges], MOST_NAMED)
            yield f"{each.cells} bins of {each.name} with the edges {edges}" if cells else ""
        elif isinstance(each, NumberColumn):
            yield f"{each.name} from {_grouped(each.lower)} to {_grouped(each.upper)}"
        elif isinstance(each, DateColumn):
            yield f"{each.name} from {each.first} to {each.last}, by {each.each}"
        elif cells and each.listed and each.categories:
            yield f"{len(each.categories):,} {each.called} of {each.name}{_names(each)}"


def _names(column: CategoryColumn) -> str:
    """Return the first categories of a column; of a list that is named by its digest nothing."""
    if isinstance(column.categories, Unlisted):
        return ""
    more = len(column.categories) - MOST_NAMED
    names = ", ".join(map(key_text, column.categories[:MOST_NAMED]))
    return f": {names} and {more:,} more" if more > 0 else f": {names}"


def _rules(columns: list[Column]) -> Iterator[str]:
    for each in columns:
        if isinstance(each, BinnedColumn):
            yield from (each.bins_in_words, each.others_in_words)
        elif isinstance(each, NumberColumn):
            yield each.missing_in_words
        else:
            yield each.others_in_words


def _untested(column: Column) -> str:
    """Return which rows meet no condition on a column."""
    if isinstance(column, CategoryColumn):
        return f"a row whose {column.name} is none of its {column.called}, or empty, meets no condition"
    return column.missing_in_conditions


def _grouped(number: Fraction) -> str:
    """Return a number with commas between its thousands where it is whole.

    >>> _grouped(Fraction(100000)), _grouped(Fraction(5, 2))
    ('100,000', '2.5')
    """
    return f"{number.numerator:,}" if number.denominator == 1 else exact_amount(number)
