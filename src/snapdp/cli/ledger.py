"""`snapdp ledger`: create, show, history, verify, migrate, backup, restore. Budgets, never data.

Room: cli. Parse, one library call, render.
"""

from __future__ import annotations

import json
import os
import shlex
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.flags.arguments import NUMBER
from snapdp.cli.flags.statistics import named_columns
from snapdp.cli.help.late import HintingGroup
from snapdp.cli.screen import echo, echo_json, one_line, say, table
from snapdp.display import exact_amount, shown_address

if TYPE_CHECKING:
    from snapdp.errors import SnapdpError
    from snapdp.ledger import Ledger


@click.group("ledger", cls=HintingGroup)
def ledger_group() -> None:
    """Keep budgets: open accounts, see what was spent, check that nothing was altered."""


@ledger_group.command(
    "create",
    epilog="\b\nExample:\n  snapdp ledger create people.ledger --dataset people --cap 1 "
    "\\\n      --relation change-one --n 5000",
)
@click.argument("path")
@click.option("--dataset", required=True, metavar="NAME", help="The account: one for each dataset.")
@click.option("--cap", type=NUMBER, required=True, metavar="NUMBER", help="What may ever be spent on it.")
@click.option("--relation", required=True, type=click.Choice(["change-one", "add-remove"]), help="Who is a neighbour.")
@click.option("--n", type=int, help="The public number of rows (change-one).")
@click.option("--n-max", type=int, help="A public bound on the private number of rows (add-remove).")
@click.option(
    "--person", multiple=True, metavar="COLUMN,...", help="Protect persons, named by this column, or several together."
)
@click.option(
    "--rows-per-person", type=int, help="Fix for all requests how many rows of each are kept.  [default: they say it]"
)
@click.option("--unit-rows", type=int, help="Protect so many rows together, where no column names persons.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def create_command(
    ctx: click.Context, /, path: str, dataset: str, cap: str, relation: str, as_json: bool, **rows: Any
) -> None:
    """Open an account for a dataset, in a new ledger or in one that exists. What it promises is fixed for good."""
    from snapdp.ledger import Ledger, label
    from snapdp.studies import add_remove, change_one

    ctx.meta["snapdp.json"] = as_json
    ctx.meta["snapdp.try"] = lambda refusal: _to_see(refusal, path)
    if (rows["n"] is None) == (relation == "change-one") or (rows["n_max"] is None) == (relation == "add-remove"):
        raise click.UsageError("Give --n N with change-one (n is public), --n-max N with add-remove (n is private).")
    unit = {key: rows[key] for key in ("rows_per_person", "unit_rows") if rows[key] is not None}
    unit |= {"person": named_columns(rows["person"])} if rows["person"] else {}
    if relation == "change-one" and unit:
        raise click.UsageError(f"--{next(iter(unit)).replace('_', '-')} belongs to add-remove.")
    whom = change_one(n=rows["n"]) if relation == "change-one" else add_remove(n_max=rows["n_max"], **unit)
    label(dataset, name="dataset")
    with Ledger.open(path) if _is_there(path) else Ledger.create(path) as ledger:
        account = ledger.create_account(dataset, cap=cap, relation=whom.kind, rows=whom.rows, **unit)
    if as_json:
        echo_json({"ok": True, **_account_values(account)})
    else:
        where, name = one_line(shown_address(path)), one_line(account.name)
        echo(f"{where}: account {name} opened with a cap of epsilon {exact_amount(account.cap)}.")
        say(f"Neighbours: {one_line(whom.in_words)}")


@ledger_group.command("show", epilog="\b\nExample:\n  snapdp ledger show people.ledger")
@click.argument("path")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def show_command(ctx: click.Context, /, path: str, as_json: bool) -> None:
    """Show every account: cap, spent, left."""
    from snapdp.ledger import Ledger
    from snapdp.studies import unit_in_words

    ctx.meta["snapdp.json"] = as_json
    with Ledger.open(path) as ledger:
        accounts, unsound = ledger.accounts(), ledger.unsound()
    if as_json:
        problems = {"unsound": [str(each.problem) for each in unsound]} if unsound else {}
        echo_json({"ok": not unsound, "accounts": [_account_values(each) for each in accounts], **problems})
        ctx.exit(1 if unsound else 0)
    rows = [
        (
            one_line(each.name),
            exact_amount(each.cap),
            exact_amount(each.spent),
            exact_amount(each.left),
            each.relation,
            str(each.rows),
            one_line(unit_in_words(each.unit)),
        )
        for each in accounts
    ]
    table(("dataset", "cap", "spent", "left", "relation", "n or n_max", "unit"), rows, numbers=(1, 2, 3, 5))
    for each in unsound:
        say(f"not shown: {one_line(each.problem)} Verify the ledger.")
    ctx.exit(1 if unsound else 0)


@ledger_group.command("history", epilog="\b\nExample:\n  snapdp ledger history people.ledger")
@click.argument("path")
@click.option("--dataset", metavar="NAME", help="One account only.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def history_command(ctx: click.Context, /, path: str, dataset: str | None, as_json: bool) -> None:
    """Show every charge, and what became of it. All of them are spent."""
    from snapdp.ledger import Ledger

    ctx.meta["snapdp.json"] = as_json
    with Ledger.open(path) as ledger:
        names = [account.name for account in ledger.accounts()] if dataset is None else [dataset]
        charges = [(name, each) for name in names for each in ledger.history(name)]
    if as_json:
        echo_json({"ok": True, "charges": [_charge_values(name, each) for name, each in charges]})
        return
    rows = [
        (one_line(name), one_line(each.time), exact_amount(each.epsilon), each.state, _titles(each.asked))
        for name, each in charges
    ]
    table(("dataset", "time", "epsilon", "state", "statistics"), rows, numbers=(2,))


@ledger_group.command("verify", epilog="\b\nExample:\n  snapdp ledger verify people.ledger --against record.json")
@click.argument("path")
@click.option("--against", type=click.Path(exists=True, dir_okay=False), help="A record: finds an old copy put back.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def verify_command(ctx: click.Context, /, path: str, against: str | None, as_json: bool) -> None:
    """Recompute every digest and sum; with a record, make sure that the ledger holds it."""
    from snapdp.ledger import Ledger
    from snapdp.release import load_release

    ctx.meta["snapdp.json"] = as_json
    ctx.meta["snapdp.try"] = lambda refusal: _to_audit(refusal, path, against)
    record = None if against is None else load_release(against).record
    with Ledger.open(path) as ledger:
        found = _verified(ledger, record)
    if as_json:
        echo_json({"ok": True, "accounts": found.accounts, "entries": found.entries})
    else:
        held = "" if against is None else f" It holds {one_line(against)}."
        echo(f"{one_line(shown_address(path))} is sound: {_extent(found)}.{held}")


@ledger_group.command("migrate", epilog="\b\nExample:\n  snapdp ledger migrate postgresql://keeper@server/budgets")
@click.argument("address")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def migrate_command(ctx: click.Context, /, address: str, as_json: bool) -> None:
    """Bring a team ledger that an older version made up to date, as its keeper: all steps or none."""
    from snapdp.display import is_address

    ctx.meta["snapdp.json"] = as_json
    if not is_address(address):
        raise click.UsageError("A team ledger has an address: postgresql://... A file needs no such step.")
    from snapdp.ledger import migrate

    steps = migrate(address)
    if as_json:
        echo_json({"ok": True, "steps": steps})
    else:
        done = f"{steps} steps" if steps != 1 else "1 step"
        echo(f"{one_line(shown_address(address))} is up to date: {done} applied.")


def _to_see(refusal: SnapdpError, path: str) -> str | None:
    """Return the command that shows the account which is there already."""
    shown = shlex.quote(shown_address(path))
    return f"snapdp ledger show {shown}" if "existing" in refusal.numbers else None


def _is_there(path: str) -> bool:
    """Tell whether there is a ledger already: a file, or the one of a server's database."""
    from snapdp.display import is_address

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
        echo(f"{one_line(shown_address(file))} is a backup of {one_line(shown_address(path))}: {_extent(found)}.")
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
    """Make a new ledger of a backup or copy, when the ledger itself is lost. Never use both."""
    from snapdp.ledger import restore
    from snapdp.release import load_release

    ctx.meta["snapdp.json"] = as_json
    if against is not None and no_record:
        raise click.UsageError("Give --against RECORD or --no-record, not both.")
    ctx.meta["snapdp.try"] = lambda refusal: _to_audit(refusal, file, against)
    record = None if against is None else load_release(against).record
    if record is not None:
        _refuse_altered(record)
    found = restore(file, path, against=record, none_was_published=no_record)
    if as_json:
        echo_json({"ok": True, "ledger": shown_address(path), "accounts": found.accounts, "entries": found.entries})
    else:
        echo(f"{one_line(shown_address(path))} is a ledger again: {_extent(found)}.")


def _verified(ledger: Ledger, record: dict[str, Any] | None) -> Any:
    """Return how much was found sound; where the record does not fit, tell whether it is the one that was altered."""
    from snapdp.errors import LedgerError

    try:
        return ledger.verify(record)
    except LedgerError:
        if record is not None:
            ledger.verify()
            _refuse_altered(record, ledger)
        raise


def _refuse_altered(record: dict[str, Any], ledger: Ledger | None = None) -> None:
    """Refuse a record that was edited before it says anything about a ledger: that one may be as it should."""
    from snapdp.audits import audit
    from snapdp.errors import DataError

    judged = "" if ledger is None else "The ledger itself is sound. "
    if not audit(record).sound:
        raise DataError(
            "the record given is not what any release wrote: it was altered.",
            f"{judged}Audit the record to see which fields; take the one that was published.",
            altered=True,
        )
    if ledger is not None and ledger.record_of(record) not in (None, record):
        raise DataError(
            "the record given is not the one that the ledger holds of this charge: it was altered.",
            f"{judged}Audit the record with its ledger to see which fields; take the one that was published.",
            altered=True,
        )


def _to_audit(refusal: SnapdpError, path: str, record: str | None) -> str | None:
    """Return the command that names the fields of a record that was altered."""
    if "altered" not in refusal.numbers or record is None:
        return None
    return f"snapdp verify {shlex.quote(record)} --ledger {shlex.quote(shown_address(path))}"


def _extent(found: Any) -> str:
    """Return how much was found sound, in words."""
    accounts, entries = found.accounts, found.entries
    return f"{accounts} account{'s' * (accounts != 1)}, {entries} entr{'y' if entries == 1 else 'ies'}"


def _account_values(account: Any) -> dict[str, Any]:
    return {
        "dataset": account.name,
        "cap": str(account.cap),
        "spent": str(account.spent),
        "left": str(account.left),
        "relation": account.relation,
        "rows": account.rows,
        "unit": account.unit,
        "opened": account.opened,
    }


def _charge_values(name: str, charge: Any) -> dict[str, Any]:
    return {
        "dataset": name,
        "time": charge.time,
        "epsilon": str(charge.epsilon),
        "state": charge.state,
        "version": charge.version,
        "request": charge.request,
        "asked": json.loads(charge.asked),
    }


def _titles(asked: str) -> str:
    """Return the statistics of a request, as far as this version of the library knows how to read it."""
    known = json.loads(asked)
    statistics = known.get("statistics") if isinstance(known, dict) else None
    listed = statistics if isinstance(statistics, list) else []
    return ", ".join(one_line(str(each.get("title", "?"))) for each in listed if isinstance(each, dict))
