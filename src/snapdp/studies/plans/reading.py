"""How the cells of a file are read, as far as the declarations of a plan tell: it depends on no data.

Room: studies. It cannot see data. Names of columns and categories are anybody's text, and are made visible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from snapdp.display import exact_amount, one_line
from snapdp.studies.columns import AS_NUMBERS, CategoryColumn, NumberColumn
from snapdp.studies.readable import key_text

if TYPE_CHECKING:
    from snapdp.studies.plans.plan import Plan

MOST_TOLD = 40  # columns
MOST_NAMES = 12  # of the categories of one column


def reading_of(plan: Plan) -> list[str]:
    """Return everything as sentences: first what a reader must know, then what was declared."""
    return [*rules_of(plan), *filter(None, [bounds_of(plan)]), *declared_in(plan)]


def rules_of(plan: Plan) -> list[str]:
    """Return what happens to cells that are no number, or none of the categories."""
    told = list(dict.fromkeys(clause for line in plan.lines for clause in line.statistic.missing_in_words))
    told = [each for each in told if not any(other.startswith(f"{each}, ") for other in told)][:MOST_TOLD]
    others = list(dict.fromkeys(clause for line in plan.lines for clause in line.statistic.others_in_words))[:MOST_TOLD]
    told = [each for each in told if not any(other.startswith(f"{each},") for other in told)]  # one says it, and more
    found = [f"Missing and unreadable cells: {'; '.join(map(one_line, told))}."] if told else []
    found += [f"Other cells: {'; '.join(map(one_line, others))}."] if others else []
    categories = [each for each in _columns(plan) if isinstance(each, CategoryColumn)]
    plain = [each for each in categories if each.listed and each.compare != AS_NUMBERS]
    if any(looks_like_number(name) for each in plain for name in each.categories):
        found.append("Categories are compared as text: 1 is not 1.0.")
    if any(each.compare == AS_NUMBERS for each in categories):
        found.append("Categories that are numbers are compared as numbers: 1.0 is 1.")
    return found


def declared_in(plan: Plan) -> list[str]:
    """Return the groups that were declared, and what becomes of cells between and beyond bounds."""
    found = [f"Groups: {'; '.join(named)}."] if (named := _groups(plan)) else []
    return [*found, f"Numbers beyond a bound count as that bound.{_rounded(plan)}"] if _numbers(plan) else found


def bounds_of(plan: Plan) -> str:
    """Return the bounds that were declared, as one sentence; empty where there are none."""
    told = [_bounds(each) for each in _numbers(plan)[:MOST_TOLD]]
    return f"Bounds: {'; '.join(dict.fromkeys(told))}." if told else ""


def _rounded(plan: Plan) -> str:
    """Return to which steps numbers are rounded, as a sentence; empty where that moves none visibly."""
    steps = [one_line(f"{each.name} {exact_amount(each.step)}") for each in _numbers(plan) if each.is_coarse][
        :MOST_TOLD
    ]
    return f" Numbers are rounded to steps: {'; '.join(dict.fromkeys(steps))}." if steps else ""


def _numbers(plan: Plan) -> list[NumberColumn]:
    return [each for each in _columns(plan) if isinstance(each, NumberColumn)]


def _columns(plan: Plan) -> list[object]:
    return list(dict.fromkeys(column for line in plan.lines for column in line.statistic.every_column))


def _groups(plan: Plan) -> list[str]:
    """Return the declared names of groups as they will be looked for: one that nobody has costs as much."""
    by = (column for line in plan.lines if line.statistic.by is not None for column in line.statistic.by.columns)
    listed = [
        each for each in dict.fromkeys(by) if isinstance(each, CategoryColumn) and each.listed and each.categories
    ]
    return [one_line(f"{each.name} {_some(each.categories)}") for each in listed[:MOST_TOLD]]


def _some(names: Sequence[str]) -> str:
    """Return names, each in quotes where it could be taken for several; of many the first."""
    more = f", ... and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(map(key_text, names[:MOST_NAMES])) + more


def _bounds(column: NumberColumn) -> str:
    return one_line(f"{column.name} {exact_amount(column.lower)} to {exact_amount(column.upper)}")


def looks_like_number(text: str) -> bool:
    """Tell whether somebody may take a category for a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
