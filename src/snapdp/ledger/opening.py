"""What an account is opened with: from what somebody types, or from what a study declares.

Room: ledger. Opens nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

from snapdp.errors import ParameterError
from snapdp.exact import Parameter, positive, shown
from snapdp.ledger.accounts import Account, label
from snapdp.studies import (
    Relation,
    bounded_in,
    bounded_unit,
    named_person,
    person_names,
    person_unit,
    relation_of_account,
    rows_unit,
    stated_person,
    whole,
)


class Declared(Protocol):
    """What a study says about its account."""

    @property
    def dataset(self) -> str: ...
    @property
    def relation(self) -> Relation: ...
    @property
    def budget(self) -> Fraction | None: ...


def terms_of(study: Declared, *, cap: Parameter | None = None) -> dict[str, Any]:
    """Return what the account of a study is opened with: its own words, and as cap its budget or a higher one."""
    most = study.budget if cap is None else positive(cap, name="cap")
    if most is None:
        raise ParameterError(
            f"the study of {study.dataset!r} has no budget that could be the cap of its account.",
            "Give a cap: what may ever be spent on this dataset. Nothing was changed.",
            lacking="cap",
        )
    if study.budget is not None and most < study.budget:
        raise ParameterError(
            f"cap = {shown(most)} is below the study's budget of {shown(study.budget)}.",
            "The study could not be released from such an account: give a cap that holds its budget, or change the "
            "budget. Nothing was changed.",
        )
    relation = study.relation
    terms = {"relation": relation.kind, "rows": relation.rows, "unit": relation.unit_in_full}
    return {"name": study.dataset, "cap": most, **terms}


def declared_terms(account: Account) -> dict[str, Any]:
    """Return what a study says that asks an account, by the keys of a study file: what was fixed when it was opened.

    How many rows of each person count stands there only where the account fixes it. Nothing stands there where its unit
    is a word of somebody else's.
    """
    try:
        relation = relation_of_account(kind=account.relation, rows=account.rows, unit=account.unit)
    except ParameterError:
        return {}
    found: dict[str, Any] = {"relation": relation.kind, "n" if relation.is_change_one else "n_max": relation.rows}
    if relation.person is not None:
        found["person"] = stated_person(relation.person)
    if bounded_in(account.unit) is not None:
        found["rows_per_person"] = relation.rows_per_person
    return found if relation.unit_rows == 1 else {**found, "unit_rows": relation.unit_rows}


def unit_of(
    unit: str, *, person: str | Sequence[str] | None, rows_per_person: Parameter | None, unit_rows: Parameter | None
) -> str:
    """Return the unit of an account: as it is given, a person by the columns of names, or several rows."""
    most = None if rows_per_person is None else whole(rows_per_person, name="rows_per_person")
    together = None if unit_rows is None else whole(unit_rows, name="unit_rows")
    if unit != "row" and (person is not None or together is not None):
        raise ParameterError(
            "the unit is given, and what makes it as well.", "Give person or unit_rows alone: they make the unit."
        )
    named = named_person(person)
    if named is None:
        if most is not None:
            raise ParameterError("rows_per_person is given, and no person.", 'Give person="id", the column of names.')
        return unit if together is None or together == 1 else rows_unit(together)
    if together is not None:
        raise ParameterError("person and unit_rows are both given.", "Give one: the unit is a person, or several rows.")
    for each in person_names(named):
        label(each, name="person")
    if most is None:
        return person_unit(named)
    if not isinstance(named, str):
        raise ParameterError(
            "an account fixes the rows of persons whom one column names only.",
            "Leave rows_per_person out: each statistic says how many rows of each person it keeps.",
        )
    return bounded_unit(named, most)
