"""From what people say to a study: declarations in the keys of a study, and lines that share a budget by weight.

Room: api. Holds no data. For conversations and pages, which ask for one thing after the other: what is said so far
can be judged before all of it is there. Shares are exact: epsilon of a line = budget * weight / sum of all weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from snapdp.errors import ParameterError, SnapdpError
from snapdp.exact import positive
from snapdp.studies import (
    DROPPED,
    INTEGER,
    NUMBER,
    STUDY_FORMAT,
    STUDY_KEYS,
    DeclaredStudy,
    plan_of,
    study_from_values,
)
from snapdp.values import Value

ABOUT_KEYS = ("title", "publisher", "contact")  # for the readers of a report
NO_COLUMN = {"row": {"kind": INTEGER, "lower": 0, "upper": 1, "missing": DROPPED}}  # a study declares a column at least
PLACEHOLDER = "nobody"  # the dataset of a study that is only judged


def shared_out(budget: Any, weights: Sequence[Any]) -> tuple[Fraction, ...]:
    """Return what each line gets of a budget, by weight; together it is the budget, exactly.

    >>> shared_out(1, [1, 1, 2])
    (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))
    """
    whole, parts = positive(budget, name="budget"), [positive(each, name="weight") for each in weights]
    if not parts:
        raise ParameterError("there is no line to share a budget.", "Add a statistic.")
    return tuple(whole * each / sum(parts) for each in parts)


def about_keys() -> tuple[str, ...]:
    """Return the texts for readers of a report that a study may hold."""
    return tuple(key for key in ABOUT_KEYS if key in STUDY_KEYS)


class OutlineLine(Value):
    """A statistic by the keys of a study, without its cost; `weight` says its part of the budget."""

    statistic: Mapping[str, Any]
    weight: Fraction = Fraction(1)

    @property
    def about(self) -> tuple[str, ...]:
        """Return the columns that it is about."""
        return (*_listed(self.statistic.get("column")), *_listed(self.statistic.get("columns")))

    @property
    def by(self) -> tuple[str, ...]:
        """Return the columns that it is grouped by."""
        return tuple(_listed(self.statistic.get("by")))


class Outline(Value):
    """A study that is being made: everything but epsilons, which follow from the budget.

    relation   the keys of a study that say who is a neighbour
    columns    what is declared of each column, by the keys of a study; one that no line names is left out of the study
    more       other keys: data, csv, title, publisher, contact
    """

    dataset: str
    relation: Mapping[str, Any]
    budget: Fraction
    columns: Mapping[str, Mapping[str, Any]]
    lines: tuple[OutlineLine, ...]
    more: Mapping[str, Any]

    def values(self) -> dict[str, Any]:
        """Return the values of the study, as `study_from_values` takes them."""
        used = {name for line in self.lines for name in (*line.about, *line.by)}
        epsilons = shared_out(self.budget, [line.weight for line in self.lines])
        declared = {name: _complete(values) for name, values in self.columns.items() if name in used}
        return {
            "format": STUDY_FORMAT,
            "dataset": self.dataset,
            **self.relation,
            "budget": str(self.budget),
            **self.more,
            "columns": declared or dict(NO_COLUMN),
            "statistic": [
                {**line.statistic, "epsilon": str(epsilon)} for line, epsilon in zip(self.lines, epsilons, strict=True)
            ],
        }

    def study(self) -> DeclaredStudy:
        """Return the study; nonsense is refused."""
        return study_from_values(self.values())


def check_relation(relation: Mapping[str, Any]) -> DeclaredStudy:
    """Return a study under a relation, to read it; refuse keys that make none."""
    return study_from_values(_judged(relation, {}, [{"kind": "sum", "column": next(iter(NO_COLUMN))}]))


def check_column(name: str, declared: Mapping[str, Any]) -> None:
    """Refuse a declaration that no study could have; what is not said yet may be left out."""
    relation = {"relation": "add-remove", "n_max": 1}
    study_from_values(_judged(relation, {name: _complete(declared)}, [{"kind": "count"}]))


def line_problem(
    relation: Mapping[str, Any], columns: Mapping[str, Mapping[str, Any]], statistics: Sequence[Mapping[str, Any]]
) -> SnapdpError | None:
    """Return why the last of some statistics cannot be planned under a relation; None where all can."""
    complete = {name: _complete(values) for name, values in columns.items()}
    try:
        plan_of(study_from_values(_judged(relation, complete, statistics)))
    except SnapdpError as refusal:
        return refusal
    return None


def _judged(
    relation: Mapping[str, Any], columns: Mapping[str, Any], statistics: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    return {
        "format": STUDY_FORMAT,
        "dataset": PLACEHOLDER,
        **relation,
        "columns": dict(columns) or dict(NO_COLUMN),
        "statistic": [{**each, "epsilon": 1} for each in statistics],
    }


def _complete(declared: Mapping[str, Any]) -> dict[str, Any]:
    """Return a declaration with a rule for missing cells: where no number is made of them they are in no bin."""
    found = dict(declared)
    if found.get("kind") in (NUMBER, INTEGER):
        found.setdefault("missing", DROPPED)
    return found


def _listed(names: Any) -> Iterator[str]:
    if isinstance(names, str):
        yield names
    elif names is not None:
        yield from names
