"""What one line asks for, released: the study that a call means, charged to the account that a ledger holds.

Room: api. Who is protected, and how many rows there are, is read from the account. Without a ledger nothing is read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from snapdp.api.given_columns import GivenColumns, told, written
from snapdp.api.study import Study, study
from snapdp.display import is_address
from snapdp.errors import LedgerError, ParameterError, SnapdpError
from snapdp.ledger import Ledger
from snapdp.release import Release
from snapdp.studies import (
    KINDS,
    PersonCount,
    Relation,
    bounded_in,
    person_in_words,
    relation_of_account,
    relation_table,
)

if TYPE_CHECKING:
    from snapdp.exact import Parameter

Where = str | os.PathLike[str]


def cost_of(epsilon: Parameter | None, accuracy: Parameter | None, alpha: Parameter | None) -> dict[str, Any]:
    """Return what a statistic may cost, by the keys of a study."""
    said = {"epsilon": epsilon, "accuracy": accuracy, "alpha": alpha}
    return {key: written(each) for key, each in said.items() if each is not None}


def released(
    kind: str,
    given: GivenColumns,
    statistic: dict[str, Any],
    cost: dict[str, Any],
    ledger: Where | Ledger | None,
    account: str | None,
    directory: Where = ".",
) -> Release:
    """Release one statistic, charged to an account of the ledger."""
    check_ledger(ledger)
    asked = {"kind": kind, **statistic, **cost}
    given.check_conditions(asked.get("where", []))
    study_keys = {"columns": given.declared, "statistic": [asked]}
    return released_study(study_keys, given, ledger, account, directory)[1]


def check_ledger(ledger: Where | Ledger | None) -> None:
    """Refuse to go on without a ledger."""
    if ledger is None or not (isinstance(ledger, Ledger) or is_address(ledger) or _exists(ledger)):
        raise _no_ledger(ledger)


def released_study(
    study_keys: dict[str, Any],
    given: GivenColumns,
    ledger: Where | Ledger | None,
    account: str | None,
    directory: Where = ".",
) -> tuple[Study, Release]:
    """Return the study that some keys mean under the relation of an account, and its release, charged to that account.

    How many rows of each person count, the first statistic says for all of them.
    """
    check_ledger(ledger)
    assert ledger is not None
    if isinstance(ledger, Ledger):
        return _charged(study_keys, given, ledger, account, directory)
    with Ledger.open(ledger) as book:
        return _charged(study_keys, given, book, account, directory)


def _charged(
    study_keys: dict[str, Any], given: GivenColumns, ledger: Ledger, account: str | None, directory: Where
) -> tuple[Study, Release]:
    holder = ledger.only_account() if account is None else ledger.account(account)
    relation = relation_of_account(kind=holder.relation, rows=holder.rows, unit=holder.unit)
    given.check_person(relation.person_columns)
    unit = relation_table(relation) | _bound_of(study_keys["statistic"][0], relation, holder.unit)
    with _free():
        meant = study(dataset=holder.name, **unit, **study_keys)
    return meant, meant.release(given.table, ledger=ledger, directory=directory)


@contextmanager
def _free() -> Iterator[None]:
    """Say of a refusal, with a ledger at hand, that nothing was spent, unless it says so itself."""
    try:
        yield
    except SnapdpError as refusal:
        if "spent" in refusal.advice:
            raise
        raise type(refusal)(refusal.problem, f"{refusal.advice} Nothing was spent.", **refusal.numbers) from None


def _bound_of(asked: dict[str, Any], relation: Relation, unit: str) -> dict[str, Any]:
    """Return how many rows of each person count, as the key of the whole study that it is by flags.

    An account may fix it. Where none does it has no default here: who counts one row of each where people have many
    should have said so.
    """
    most, kind = asked.pop("rows_per_person", None), KINDS[asked["kind"]]
    if relation.person is None:
        if most is not None or kind is PersonCount:
            raise ParameterError(
                f"{'rows_per_person is given' if most is not None else 'persons are counted'}, and the account "
                "protects rows: no column of it names persons.",
                'An account for persons is opened by create_account(..., relation="add-remove", person="id"). '
                "Nothing was spent.",
            )
        return {}
    if most is None and bounded_in(unit) is None and "rows_per_person" in kind.details:
        raise ParameterError(
            f"the account protects persons ({person_in_words(relation.person)}), and it is not said how many rows of "
            "each count.",
            "Give rows_per_person=1, 2, 3, ...: noise grows in proportion to it, and further rows of a person are left "
            "out. Nothing was spent.",
        )
    return {} if most is None else {"rows_per_person": most}


def _exists(ledger: Where) -> bool:
    return isinstance(ledger, (str, os.PathLike)) and os.path.exists(ledger)  # of a number it would ask an open file


def _path(given: Any) -> Any:
    return os.fspath(given) if isinstance(given, os.PathLike) else given


def _no_ledger(given: Where | None) -> LedgerError:
    lacking = "no ledger is named" if given is None else f"there is no ledger {told(_path(given))}"
    return LedgerError(
        f"{lacking}, and every release is charged to one.",
        'Make it once, and say in it who is protected: snapdp.Ledger.create("people.ledger").create_account("people", '
        'cap=1, relation="change-one", rows=5000), where rows is the public number of rows; with relation="add-remove" '
        'it is private, and rows a public bound on it. Then give ledger="people.ledger". Nothing was read or spent.',
    )
