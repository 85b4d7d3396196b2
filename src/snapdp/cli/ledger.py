"""`snapdp ledger`: create, show, history, composed, verify, amend, backup, restore. Budgets, never data.

Room: cli. Parse, one library call, render.
"""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.accounts.amend import amend_command
from snapdp.cli.accounts.composed import composed_command
from snapdp.cli.accounts.opening import opening_by_flags, opening_of
from snapdp.cli.accounts.places import ledger_beside, refuse_second, to_share
from snapdp.cli.accounts.standing import with_account
from snapdp.cli.accounts.views import paragraph, show_account, show_history
from snapdp.cli.flags.arguments import NUMBER, StudyFile
from snapdp.cli.flags.two_readings import WHOLE
from snapdp.cli.help.late import NotingGroup
from snapdp.cli.screen import echo, echo_json, say
from snapdp.display import exact_amount, is_address, one_line, shown_address
from snapdp.ledger import (
    account_values,
    amended_in_words,
    amendment_values,
    charge_values,
    extent_in_words,
    protected_by,
    spent_in_words,
)

if TYPE_CHECKING:
    from snapdp.errors import SnapdpError


CREATE = """\b
Examples:
  snapdp ledger create --from study.toml
  snapdp ledger create firms.ledger --dataset firms --cap 1 \\
      --relation change-one --n 5000
"""


@click.group("ledger", cls=NotingGroup)
def ledger_group() -> None:
    """Keep budgets: open accounts, see what was spent, check that nothing was altered."""


@ledger_group.command("create", epilog=CREATE)
@click.argument("path", required=False)
@click.option("--from", "study", type=StudyFile(exists=True, dir_okay=False), help="Open the account of this study.")
@click.option("--dataset", metavar="NAME", help="The account: one for each dataset.")
@click.option("--cap", type=NUMBER, metavar="NUMBER", help="What may ever be spent on it.  [default: a study's budget]")
@click.option(
    "--relation",
    type=click.Choice(["change-one", "add-remove"]),
    help="The number of rows is public (change-one) or private (add-remove).",
)
@click.option("--n", type=WHOLE, help="The public number of rows (change-one).")
@click.option("--n-max", type=WHOLE, help="A public bound on the private number of rows (add-remove).")
@click.option(
    "--person",
    multiple=True,
    metavar="COLUMN,...",
    help="Protect persons, named by this column, or what several name together.",
)
@click.option(
    "--rows-per-person", type=WHOLE, help="Fix for all requests how many rows of each are kept.  [default: they say it]"
)
@click.option("--unit-rows", type=WHOLE, help="Protect so many rows together, where no column names persons.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def create_command(ctx: click.Context, /, path: str | None, study: str | None, as_json: bool, **flags: Any) -> None:
    """Open an account for a dataset, in a new ledger or an old one.

    With --from everything is taken from the study: its dataset, whom it protects, its budget as the cap. PATH is then
    a ledger beside it, unless you give one. Whom an account protects is fixed for good; its cap can only be raised.
    """
    from snapdp.api.study import study as load
    from snapdp.ledger import Ledger

    ctx.meta["snapdp.json"] = as_json
    found = None if study is None else load(study)
    terms = opening_by_flags(flags) if found is None or study is None else opening_of(found, study, flags)
    place = path or (None if found is None else ledger_beside(str(study), found.dataset, found.data))
    if place is None:
        raise click.UsageError("Which file is the ledger? Give PATH, or --from STUDY.toml.")
    ctx.meta["snapdp.try"] = lambda refusal: _to_go_on(refusal, place, study, flags["cap"])
    if path is None:
        refuse_second(place, str(study), None if found is None else found.data)
    is_new = not _is_there(place)
    with Ledger.create(place) if is_new else Ledger.open(place) as ledger:
        account = ledger.create_account(**terms)
    if as_json:
        echo_json({"ok": True, "ledger": shown_address(place), **account_values(account)})
        return
    where, name = one_line(shown_address(place)), one_line(account.name)
    echo(f"{where}: account {name} opened with a cap of epsilon {exact_amount(account.cap)}.")
    paragraph(protected_by(account), err=True)
    paragraph(spent_in_words(account), err=True)
    if is_new and not is_address(place):
        paragraph(f"Wrote {where}. Keep it: it knows what was spent.", err=True)
    if study is not None:
        say(f"Next: snapdp inspect {_quoted(study)}")
        say(f"Then: snapdp release {_quoted(study)} --ledger {_quoted(shown_address(place))}")


@ledger_group.command("show", epilog="\b\nExample:\n  snapdp ledger show people.ledger")
@click.argument("path")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def show_command(ctx: click.Context, /, path: str, as_json: bool) -> None:
    """Show what is spent and left of every account, and what it means."""
    from snapdp.ledger import Ledger

    ctx.meta["snapdp.json"] = as_json
    with Ledger.open(path) as ledger:
        accounts, unsound = ledger.accounts(), ledger.unsound()
        shown = [(each, ledger.amendments(each.name)) for each in accounts]
    if as_json:
        problems = {"unsound": [str(each.problem) for each in unsound]} if unsound else {}
        echo_json({"ok": not unsound, "accounts": [account_values(*each) for each in shown], **problems})
        ctx.exit(1 if unsound else 0)
    for account, amendments in shown:
        show_account(account, amendments)
    if not accounts and not unsound:
        echo("The ledger has no account yet.")
    for each in unsound:
        say(f"not shown: {one_line(each.problem)} Verify the ledger.")
    ctx.exit(1 if unsound else 0)


@ledger_group.command("history", epilog="\b\nExample:\n  snapdp ledger history people.ledger")
@click.argument("path")
@click.option("--dataset", metavar="NAME", help="One account only.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def history_command(ctx: click.Context, /, path: str, dataset: str | None, as_json: bool) -> None:
    """Show every charge, what became of it, and every amendment. All charges are spent."""
    from snapdp.ledger import Ledger

    ctx.meta["snapdp.json"] = as_json
    with Ledger.open(path) as ledger:
        names = [account.name for account in ledger.accounts()] if dataset is None else [dataset]
        found = [(name, ledger.history(name), ledger.amendments(name)) for name in names]
    if as_json:
        charges = [charge_values(name, each) for name, charges, _ in found for each in charges]
        amended = [amendment_values(each) for _, _, amendments in found for each in amendments]
        echo_json({"ok": True, "charges": charges, "amendments": amended})
        return
    for each in found:
        show_history(*each)


@ledger_group.command("verify", epilog="\b\nExample:\n  snapdp ledger verify people.ledger --against record.json")
@click.argument("path")
@click.option("--against", type=click.Path(exists=True, dir_okay=False), help="A record: finds an old copy put back.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def verify_command(ctx: click.Context, /, path: str, against: str | None, as_json: bool) -> None:
    """Check that nothing was altered; with a record, that it is there.

    Every digest and sum is computed again, and every amendment of an account is told.
    """
    from snapdp.audits import verified_ledger
    from snapdp.ledger import Ledger
    from snapdp.release import load_release

    ctx.meta["snapdp.json"] = as_json
    ctx.meta["snapdp.try"] = lambda refusal: _to_audit(refusal, path, against)
    record = None if against is None else load_release(against).record
    with Ledger.open(path) as ledger:
        found = verified_ledger(ledger, record)
    if as_json:
        amended = [amendment_values(each) for each in found.amendments]
        echo_json({"ok": True, "accounts": found.accounts, "entries": found.entries, "amendments": amended})
        return
    held = "" if against is None else f" It holds {one_line(against)}."
    echo(f"{one_line(shown_address(path))} is sound: {extent_in_words(found)}.{held}")
    for each in found.amendments:
        paragraph(f"{one_line(each.account)}: {amended_in_words(each)}")


def _to_go_on(refusal: SnapdpError, path: str, study: str | None, cap: str | None) -> str | None:
    """Return the commands for an account that is there already, or that may be in another ledger beside this one."""
    where = _quoted(shown_address(path))
    if "existing" in refusal.numbers:
        return "\n".join((f"snapdp ledger show {where}", *_to_use(path, study)))
    others: Any = refusal.numbers.get("beside")
    data: Any = refusal.numbers.get("data")
    if others is None or study is None:
        return None
    capped = "" if cap is None else f" --cap {_quoted(cap)}"
    create = f"snapdp ledger create {where} --from {_quoted(study)}{capped}"
    return to_share(others, study=study, otherwise=create, data=data)


def _to_use(path: str, study: str | None) -> list[str]:
    """Return what a study can do with the account that is there, in lines."""
    from snapdp.api.study import study as load
    from snapdp.errors import SnapdpError
    from snapdp.ledger import Ledger

    if study is None:
        return []
    with suppress(SnapdpError), Ledger.open(path) as ledger:
        declared = load(study).declared
        return with_account(study, declared, ledger.account(declared.dataset), path)[1]
    return []


def _quoted(path: str) -> str:
    return one_line(shlex.quote(path))


def _is_there(path: str) -> bool:
    """Tell whether there is a ledger already: a file, or the one of a server's database."""
    if not is_address(path):
        return os.path.exists(path)
    from snapdp.ledger import has_ledger

    return has_ledger(path)


@ledger_group.command("backup", epilog="\b\nExample:\n  snapdp ledger backup people.ledger people-monday.ledger")
@click.argument("path")
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def backup_command(ctx: click.Context, /, path: str, file: str, as_json: bool) -> None:
    """Copy a ledger into a new file, even while it is in use. A backup can be read and verified, never charged."""
    from snapdp.ledger import back_up

    ctx.meta["snapdp.json"] = as_json
    found = back_up(path, file)
    if as_json:
        echo_json({"ok": True, "backup": shown_address(file), "accounts": found.accounts, "entries": found.entries})
    else:
        echo(
            f"{one_line(shown_address(file))} is a backup of {one_line(shown_address(path))}: {extent_in_words(found)}."
        )
        say("It cannot be charged. To put it to use: snapdp ledger restore, with the newest record.")


@ledger_group.command(
    "restore",
    epilog="\b\nExamples:\n  snapdp ledger backup people.ledger people-monday.ledger\n"
    "  snapdp ledger restore people-monday.ledger people-again.ledger \\\n      --against record.json",
)
@click.argument("file")
@click.argument("path")
@click.option("--against", type=click.Path(exists=True, dir_okay=False), help="The newest record that was published.")
@click.option("--no-record", is_flag=True, help="There is none: what was spent after the copy was made is forgotten.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def restore_command(
    ctx: click.Context, /, file: str, path: str, against: str | None, no_record: bool, as_json: bool
) -> None:
    """Make a new ledger of a backup, when the ledger itself is lost.

    A copy of the file will do as well. Never use both, the lost one and the new one.
    """
    from snapdp.audits import refuse_altered
    from snapdp.ledger import restore
    from snapdp.release import load_release

    ctx.meta["snapdp.json"] = as_json
    if against is not None and no_record:
        raise click.UsageError("Give --against RECORD or --no-record, not both.")
    ctx.meta["snapdp.try"] = lambda refusal: _to_audit(refusal, file, against)
    record = None if against is None else load_release(against).record
    if record is not None:
        refuse_altered(record)
    found = restore(file, path, against=record, none_was_published=no_record)
    if as_json:
        echo_json({"ok": True, "ledger": shown_address(path), "accounts": found.accounts, "entries": found.entries})
    else:
        echo(f"{one_line(shown_address(path))} is a ledger again: {extent_in_words(found)}.")


def _to_audit(refusal: SnapdpError, path: str, record: str | None) -> str | None:
    """Return the command that names the fields of a record that was altered."""
    if "altered" not in refusal.numbers or record is None:
        return None
    return f"snapdp verify {shlex.quote(record)} --ledger {shlex.quote(shown_address(path))}"


ledger_group.add_command(amend_command)
ledger_group.add_command(composed_command)
