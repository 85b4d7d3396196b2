"""The flags of a plan that name an account: what is left there, and whether the plan fits. Nothing is charged.

The ledger is read, not written.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from snapdp.cli.screen import note
from snapdp.display.numbers import exact_amount
from snapdp.display.text import one_line, shown_address
from snapdp.errors import PremiseError

if TYPE_CHECKING:
    from fractions import Fraction
    from pathlib import Path

    from snapdp.ledger.accounts import Account
    from snapdp.studies.plans.plan import Plan
    from snapdp.studies.relation import Relation


ASKED_BEFORE = "The same was released before: of a table that has not changed since, it is free."


class PlannedCharge(NamedTuple):
    """A plan beside the account that would be charged for it."""

    ledger: str
    account: Account
    needed: Fraction
    relation: Relation
    other: str  # why this account cannot be charged for it: "" where it can
    before: bool  # whether the same request was charged and answered before, of this table or of another state of it
    repeated: list[str]  # statistics that were released before, each with where

    @property
    def fits(self) -> bool:
        return not self.other and self.needed <= self.account.left

    @property
    def values(self) -> dict[str, Any]:
        """Return what machines read."""
        held = {name: str(getattr(self.account, name)) for name in ("cap", "spent", "left")}
        told = {"needed": str(self.needed), "fits": self.fits, "asked_before": self.before}
        return {"dataset": self.account.name, **held, **told}


def account_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the flags that name an account."""
    command = click.option("--dataset", metavar="NAME", help="The ledger's account, where it has several.")(command)
    told = "Show what is left in this ledger, and whether the plan fits. Nothing is charged."
    return click.option("--ledger", "ledger_path", metavar="PATH", help=told)(command)


def planned_charge(plan: Plan, ledger_path: str, dataset: str | None, *, study: Path | None) -> PlannedCharge:
    """Return a plan beside the account that would be charged for it: that of its study, or the one that is named."""
    from snapdp.cli.release import account_named
    from snapdp.ledger.accounts import agree, unit_for
    from snapdp.ledger.book import earlier_releases
    from snapdp.ledger.ledger import Ledger
    from snapdp.ledger.rules import units_of
    from snapdp.release.request import Request

    if study is not None and dataset is not None:
        raise click.UsageError("--dataset is not read together with a study file: it names its dataset itself.")
    with Ledger.open(ledger_path) as ledger:
        account = ledger.account(account_named(dataset, ledger) if study is None else _dataset_of(study))
        declared = Request(dataset=account.name, plan=plan).declaration
        earlier = earlier_releases(ledger.recent(account.name)).of(plan.total, declared)
    before = earlier.same is not None
    repeated = [f"{title}: {each.in_words}." for title, each in zip(plan.titles, earlier.lines, strict=True) if each]
    whom = plan.lines[0].statistic.relation
    unit = unit_for(account, units_of(declared))
    try:
        agree(account, relation=whom.kind, rows=whom.rows, unit=unit)
    except PremiseError as refusal:
        return PlannedCharge(ledger_path, account, plan.total, whom, refusal.problem, before, repeated)
    return PlannedCharge(ledger_path, account, plan.total, whom, "", before, repeated)


def _dataset_of(study: Path) -> str:
    """Return the dataset of a study that was read already, without reading its files of keys again."""
    import tomllib

    values: dict[str, str] = tomllib.loads(study.read_text(encoding="utf-8-sig"))
    return values["dataset"]


def show_charge(found: PlannedCharge) -> None:
    """Print what is left, whether the plan fits, and what all of it would mean."""
    from snapdp.studies.protection import explain_protection

    held, name = found.account, one_line(found.account.name)
    it = "Otherwise it" if found.before else "This plan"
    where = one_line(shown_address(found.ledger))
    note(
        f"{where}: of the budget of {name}, epsilon {exact_amount(held.cap)}, {exact_amount(held.spent)} is spent and "
        f"{exact_amount(held.left)} is left.",
        style="",
    )
    if found.before:
        note(ASKED_BEFORE, style="")
    for told in found.repeated:
        note(one_line(told), style="")
    if found.other:
        note(f"{it} cannot be charged there: {one_line(found.other)}", style="")
    elif found.fits:
        after = held.spent + found.needed
        means = explain_protection(found.relation, after)
        note(
            f"{it} needs {exact_amount(found.needed)}: it fits, and leaves {exact_amount(held.cap - after)}. "
            f"All of it together is epsilon {exact_amount(after)}. {means}",
            style="",
        )
    else:
        over = exact_amount(found.needed - held.left)
        fit = f" To make it fit: --fit --budget {shlex.quote(exact_amount(held.left))}" if held.left else ""
        note(f"{it} needs {exact_amount(found.needed)}: that is {over} more than is left.{fit}", style="")
