"""What a study can do with the account that its table has: be released, in part, after an amendment, or not at all.

Room: cli. Reads a study and how an account stands; no row is read, and nothing is charged. The same lines stand behind
`snapdp init` and behind a second `snapdp ledger create`; the command that raises a cap, wherever nothing is left.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from snapdp.display import exact_amount, one_line, shown_address
from snapdp.errors import SnapdpError

if TYPE_CHECKING:
    from snapdp.ledger import Account
    from snapdp.studies import DeclaredStudy, Plan

OTHER_TABLE = "another table, such as next month's: a dataset and a ledger of its own"
MAY_RAISE = "to raise the cap, a decision of who answers for the data:"


def amend_command(ledger: str, account: str, cap: Fraction) -> str:
    """Return the command that raises the cap of an account; its reason is for people to say.

    >>> amend_command("people.ledger", "people", Fraction(3, 2))
    'snapdp ledger amend people.ledger --dataset people --cap 1.5 --reason TEXT'
    """
    where = [shown_address(ledger), "--dataset", account, "--cap", exact_amount(cap)]
    return one_line(f"snapdp ledger amend {shlex.join(where)} --reason TEXT")


def to_raise(ledger: str, account: str, cap: Fraction) -> list[str]:
    """Return what can be done where nothing is left, in lines: who may raise the cap, and what needs no higher one."""
    return [OTHER_TABLE, MAY_RAISE, amend_command(ledger, account, cap)]


def fitting_command(source: str, ledger: str, left: Fraction, kept: Sequence[str] = ()) -> str:
    """Return the release of a study that fits what is left: it shows its plan and asks before it charges."""
    return _release(source, ledger, [*kept, "--fit", "--budget", exact_amount(left)])


def affordable_command(
    path: str, study: DeclaredStudy, account: Account, ledger: str, kept: Sequence[str] = ()
) -> str | None:
    """Return the release of a study that its account can pay, made to fit where less is left; None where there is none.

    path   the file of the study
    kept   other words of the command
    """
    from snapdp.studies import plan_of

    plan = plan_of(study)
    if not account.left or _contradiction(study, account):
        return None
    if plan.total <= account.left:
        return _release(path, ledger, kept)
    return fitting_command(path, ledger, account.left, kept) if _fits(plan, account.left) else None


def with_account(path: str, study: DeclaredStudy, account: Account, ledger: str) -> tuple[str, list[str]]:
    """Return how an account stands to a study, as the end of a sentence, and what can be done, in lines."""
    from snapdp.studies import plan_of

    total, named = plan_of(study).total, one_line(shlex.quote(path))
    if account.closed:
        return "which is closed: nothing new can be released", []
    if problem := _contradiction(study, account):
        return "opened otherwise: a release would be refused", [one_line(problem), *_otherwise(path, account, ledger)]
    if not account.left:
        return "with nothing left: nothing new can be released", to_raise(ledger, account.name, account.cap + total)
    left = f"with {exact_amount(account.left)} of {exact_amount(account.cap)} left"
    left += f", and the study asks for {exact_amount(total)}" if total > account.left else ""
    release = affordable_command(path, study, account, ledger)
    if release is None:
        return left, [f"next: ask for at most {exact_amount(account.left)}, in {named}"]
    look = [] if study.data is None else [f"snapdp inspect {named}"]
    return left, [*map(": ".join, zip(("next", "then"), [*look, release], strict=False))]


def _release(source: str, ledger: str, words: Sequence[str]) -> str:
    return one_line(f"snapdp release {shlex.join([source, '--ledger', shown_address(ledger), *words])}")


def _contradiction(study: DeclaredStudy, account: Account) -> str:
    """Return in what an account protects something else than a study; empty where it does not."""
    from snapdp.api.study import Study
    from snapdp.ledger import agree, unit_for, units_of

    whom = study.relation
    try:
        unit = unit_for(account, units_of(Study(study).request().declaration))
        agree(account, relation=whom.kind, rows=whom.rows, unit=unit)
    except SnapdpError as refusal:
        return refusal.problem
    return ""


def _otherwise(path: str, account: Account, ledger: str) -> list[str]:
    """Return how a study is written as an account says, and what else may have been meant."""
    from snapdp.cli.spelled.statistics import relation_words
    from snapdp.studies import relation_of_account

    named = one_line(shlex.quote(path))
    try:
        relation = relation_of_account(kind=account.relation, rows=account.rows, unit=account.unit)
        flags = one_line(f" with {shlex.join(relation_words(relation))}")
    except SnapdpError:  # its unit is somebody else's word
        flags = ""
    lines = [f"same table: remove {named}, and write it again{flags}", "another table: write it with --dataset NAME"]
    if not account.spent:
        where = one_line(shlex.quote(shown_address(ledger)))
        lines.append(f"opened by mistake, and nothing else in it: remove {where}, and open it as meant")
    return lines


def _fits(plan: Plan, left: Fraction) -> bool:
    try:
        plan.fit(left)
    except SnapdpError:
        return False
    return True
