"""`snapdp ledger`: create, show, history, composed, verify, amend, backup, restore. Budgets, never data.

Each command parses, makes one library call and renders. What (epsilon, delta) and zCDP say is shown beside the sum that
is charged, never in its place. `amend` says what a raised cap means before it raises it, and asks on a terminal;
elsewhere the reason is enough, because it is not typed by accident.
"""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.accounts import ledger_beside, refuse_second, to_share, with_account
from snapdp.cli.flags.lists import as_item, named_columns
from snapdp.cli.flags.numbers import NUMBER, WHOLE, StudyFile
from snapdp.cli.groups import NotingGroup, json_option
from snapdp.cli.screen import STOPPED, confirm, echo, echo_json, is_conversation, line_width, note, say, table
from snapdp.display.numbers import decimal_up, exact_amount, four_digits_up, scientific_up
from snapdp.display.text import hides_nothing, is_address, one_line, shown_address
from snapdp.errors import LedgerError
from snapdp.exact.numbers import shown
from snapdp.ledger.statements import (
    BECAME,
    OF_CAP,
    account_values,
    amended_in_words,
    amendment_values,
    charge_values,
    explain_spending,
    extent_in_words,
    moment,
    protected_by,
    spent_in_words,
    titles_of,
)
from snapdp.values import Values

if TYPE_CHECKING:
    from snapdp.api.study import Study
    from snapdp.errors import SnapdpError
    from snapdp.interop.composition import Spend
    from snapdp.ledger.accounts import Account, Amendment
    from snapdp.ledger.ledger import Ledger

# amend

EXAMPLE = """\b
Examples:
  snapdp ledger amend people.ledger --dataset people --cap 3 \\
      --reason "A second wave of the survey"
  snapdp ledger amend people.ledger --close --reason "The table was deleted"
"""
KEPT = (
    "This stays in the ledger for good, with the time and your reason: everybody who verifies the ledger, or a release "
    "with it, reads it."
)


@click.command("amend", epilog=EXAMPLE)
@click.argument("path")
@click.option("--dataset", metavar="NAME", help="The account, where the ledger has several.")
@click.option("--cap", type=NUMBER, metavar="NUMBER", help="The new cap, higher than the one in force.")
@click.option("--close", "closes", is_flag=True, help="Accept no further charge; what was answered stays free.")
@click.option("--reason", required=True, metavar="TEXT", help="Why, in one line. It is public.")
@json_option()
def amend_command(path: str, dataset: str | None, cap: str | None, closes: bool, reason: str, as_json: bool) -> None:
    """Raise the cap of an account or close it, with a reason.

    The reason stays in the ledger. A raised cap weakens what the people in the table were promised. No cap is ever
    lowered, and a closed account is never opened again. On a team ledger the keeper alone may do this.
    """
    from snapdp.exact.numbers import positive
    from snapdp.ledger.accounts import given_reason
    from snapdp.ledger.ledger import Ledger

    if (cap is None) == (not closes):
        raise click.UsageError("Give --cap NUMBER to raise the cap, or --close to close the account.")
    given_reason(reason)
    wanted = None if cap is None else positive(cap, name="cap")
    with Ledger.open(path) as ledger:
        account = ledger.only_account() if dataset is None else ledger.account(dataset)
        if not as_json and not account.closed and (wanted is None or wanted > account.cap):
            _explain(account, wanted)
        if wanted is None:
            after = ledger.close_account(account.name, reason=reason)
        else:
            after = ledger.amend(account.name, cap=wanted, reason=reason)
        amendments = ledger.amendments(after.name)
    if as_json:
        echo_json({"ok": True, **account_values(after, amendments)})
        return
    where, name = one_line(shown_address(path)), one_line(after.name)
    if after.closed:
        note(f"{where}: account {name} is closed, {_standing(after)}.", style="")
    else:
        told = f"account {name} has a cap of epsilon {exact_amount(after.cap)} now, {_standing(after)}."
        note(f"{where}: {told}", style="")


def _standing(account: Account) -> str:
    left = "nothing" if not account.left else exact_amount(account.left)
    return f"{exact_amount(account.spent)} spent, {left} left"


def _explain(account: Account, wanted: Fraction | None) -> None:
    """Say what an amendment means; on a terminal, ask once."""
    from snapdp.studies.protection import describe_chance

    name = one_line(account.name)
    if wanted is None:
        unspent = exact_amount(account.left)
        say(f"{name}: to be closed. {unspent} of its cap of {exact_amount(account.cap)} will never be spent.")
        question = "Close the account?"
    else:
        say(f"{name}: the cap is to rise from epsilon {exact_amount(account.cap)} to {exact_amount(wanted)}.")
        paragraph(f"Promised so far. {explain_spending(account.cap, account, results=OF_CAP)}", err=True)
        paragraph(f"From now on {describe_chance(wanted)}. {hides_nothing(wanted)}".rstrip(), err=True)
        paragraph("That weakens what the people in the table were promised.", err=True)
        question = "Raise the cap?"
    paragraph(KEPT, err=True)
    if is_conversation() and not confirm(question):
        say("Nothing was changed.")
        raise click.exceptions.Exit(STOPPED)


# composed

EXAMPLES = """\b
Examples:
  snapdp ledger composed people.ledger
  snapdp ledger composed people.ledger --delta 1e-9
"""
PLACES = 4
NO_GAIN = "Nothing to speak of is gained here: the sum is as good."
ONLY_SHOWN = (
    "Shown, never charged. These figures promise less than the sum, and hold only where it was settled before the "
    "first answer how often would be asked, which kinds of statistics, and at which epsilon. What delta means: "
    "snapdp help delta"
)
WORTH_IT = Fraction(99, 100)  # of the sum: a figure above it gains nothing to speak of
MOST_NAMES = 10
PRINTED_BITS = 13_000  # of a whole number: Python prints no longer ones


@click.command("composed", epilog=EXAMPLES)
@click.argument("path")
@click.option("--delta", type=NUMBER, default="1e-6", show_default=True, metavar="NUMBER", help="Show epsilon at this.")
@click.option("--dataset", metavar="NAME", help="One account only.")
@click.option("--second-opinion", is_flag=True, help="Ask Google's dp-accounting as well, where it is installed.")
@json_option("Print JSON, with the events of dp-accounting.")
def composed_command(path: str, delta: Any, dataset: str | None, second_opinion: bool, as_json: bool) -> None:
    """Show what (epsilon, delta) and zCDP say of all charges.

    The sum of all epsilons is what is charged and what counts. These figures are smaller where there are many releases,
    and promise less: they are shown beside it, rounded up, and nothing is charged by them.
    """
    from snapdp.exact.numbers import probability
    from snapdp.interop.dp_accounting import event_values, has_events, spends_of
    from snapdp.ledger.ledger import Ledger

    allowed = probability(delta, name="delta")
    with Ledger.open(path) as ledger:
        accounts = _accounts(ledger, dataset)
        spends = [spends_of(ledger.history(each.name)) for each in accounts]
    found = [_values(*each, allowed, second_opinion) for each in zip(accounts, spends, strict=True)]
    if as_json:
        for each, behind in zip(found, spends, strict=True):
            each["events"] = event_values(behind) if has_events(behind) else None
        echo_json({"ok": True, "charged_by_this": "0", "accounts": found})
        return
    for each in found:
        _show(each, allowed)
    if not found:
        echo("The ledger has no account yet.")


def _values(account: Account, spends: tuple[Spend, ...], delta: Fraction, second_opinion: bool) -> Values:
    """Return what is shown of one account; amounts as exact fractions, bounds rounded up."""
    from snapdp.interop.composition import composed
    from snapdp.interop.dp_accounting import epsilon_by_package

    found: Values = {"dataset": account.name, "spent": str(account.spent), "delta": str(delta)}
    if not spends:
        return {**found, "epsilon": "0", "rho": "0", "spends": 0}
    together = composed(spends)
    found |= {
        "epsilon": decimal_up(together.epsilon(delta), PLACES),
        "rho": _exact_or_up(together.rho),
        "spends": sum(each.times for each in spends),
    }
    if second_opinion:
        opinion = epsilon_by_package(spends, delta=delta)
        found["dp_accounting"] = opinion if math.isfinite(opinion) else None  # an infinity is no JSON
    return found


def _accounts(ledger: Ledger, dataset: str | None) -> tuple[Account, ...]:
    """Return the accounts that are asked for; one that is not there is refused with the names of those that are."""
    every = ledger.accounts()
    names = [each.name for each in every]
    if dataset is None or dataset in names or not names:
        return every if dataset is None else (ledger.account(dataset),)
    listed = ", ".join(one_line(each) for each in names[:MOST_NAMES]) + ", ..." * (len(names) > MOST_NAMES)
    raise LedgerError(f"the ledger has no account {shown(dataset)}.", f"It has: {listed}. Nothing was spent.")


def _exact_or_up(amount: Fraction) -> str:
    """Return an amount exactly; one of thousands of digits rounded up."""
    is_long = max(amount.numerator.bit_length(), amount.denominator.bit_length()) > PRINTED_BITS
    return scientific_up(amount, 17) if is_long else str(amount)


def _show(found: Values, delta: Fraction) -> None:
    spent = Fraction(found["spent"])
    echo(f"{one_line(found['dataset'])}: epsilon {exact_amount(spent)} spent. The sum is what counts.")
    if not found["spends"]:
        return
    epsilon, rho = Fraction(found["epsilon"]), four_digits_up(Fraction(found["rho"]))
    paragraph(
        f"Composed otherwise: epsilon {_placed_up(epsilon)} with delta {exact_amount(delta)}; or zCDP with rho {rho}."
    )
    if "dp_accounting" in found:
        opinion = found["dp_accounting"]
        told = "no epsilon" if opinion is None else f"epsilon {_placed_up(Fraction(opinion))}"
        paragraph(f"dp-accounting, in floating point: {told} with the same delta.")
    if epsilon > spent * WORTH_IT:
        paragraph(NO_GAIN)
    paragraph(ONLY_SHOWN)


def _placed_up(x: Fraction) -> str:
    """Return a decimal rounded up, with all of its places: figures beside each other have equally many."""
    whole, part = divmod(math.ceil(x * 10**PLACES), 10**PLACES)
    return f"{whole}.{part:0{PLACES}}"


# Accounts on a screen

BAR = 40  # marks
INDENT = "  "


def show_account(account: Account, amendments: Sequence[Amendment]) -> None:
    """Print how an account stands: what is spent and left, whom it protects, what that means, how it was amended."""
    state = "closed, " if account.closed else ""
    left = f"{exact_amount(account.left)} left" if account.left else "nothing left"
    echo(f"{one_line(account.name)}: {state}{exact_amount(account.spent)} of {exact_amount(account.cap)} spent, {left}")
    echo(f"{INDENT}[{bar(account.spent, account.cap)}]")
    paragraph(protected_by(account))
    paragraph(spent_in_words(account))
    for each in amendments:
        paragraph(amended_in_words(each))


def bar(spent: Fraction, cap: Fraction) -> str:
    """Return a bar that is empty only where nothing is spent, and full only where all is.

    >>> bar(Fraction(1, 4), Fraction(1)), bar(Fraction(1, 10**9), Fraction(1))[:3], bar(Fraction(1), Fraction(1))[-1]
    ('##########..............................', '#..', '#')
    """
    marks = BAR * spent // cap
    filled = BAR if spent == cap else max(min(marks, BAR - 1), int(spent > 0))
    return "#" * filled + "." * (BAR - filled)


def show_history(name: str, charges: Sequence[Any], amendments: Sequence[Amendment]) -> None:
    """Print what happened to an account, in order."""
    rows = [(each.number, _charge_row(each)) for each in charges]
    rows += [(each.number, (moment(each.time), "", amended_in_words(each, timed=False))) for each in amendments]
    heads = ("when (UTC)", "epsilon", "what")
    table(heads, [row for _, row in sorted(rows)], numbers=(1,), title=one_line(name), unbroken=0)


def _charge_row(charge: Any) -> tuple[str, str, str]:
    titles = titles_of(charge.asked)
    return moment(charge.time), exact_amount(charge.epsilon), f"{BECAME[charge.state]}{f': {titles}' if titles else ''}"


def paragraph(text: str, *, err: bool = False) -> None:
    """Print a text below a heading, broken between words to the width of the terminal."""
    import textwrap

    width = line_width(err=err)
    indents = {"initial_indent": INDENT, "subsequent_indent": INDENT}
    echo(textwrap.fill(text, width, break_on_hyphens=False, **indents), err=err)  # type: ignore[arg-type]


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
@json_option()
@click.pass_context
def create_command(ctx: click.Context, /, path: str | None, study: str | None, as_json: bool, **flags: Any) -> None:
    """Open an account for a dataset, in a new ledger or an old one.

    With --from everything is taken from the study: its dataset, whom it protects, its budget as the cap. PATH is then
    a ledger beside it, unless you give one. Whom an account protects is fixed for good; its cap can only be raised.
    """
    from snapdp.ledger.ledger import Ledger

    found = None
    if study is None:
        # What `create_account` is given, of flags alone.
        from snapdp.exact.numbers import positive
        from snapdp.ledger.accounts import label
        from snapdp.studies.relation import add_remove, change_one

        lacking = [f"--{name}" for name in ("dataset", "cap", "relation") if flags[name] is None]
        if lacking:
            raise click.UsageError(f"Give {', '.join(lacking)} as well, or --from STUDY.toml, which says all of it.")
        relation, person = flags["relation"], flags["person"]
        if (flags["n"] is None) == (relation == "change-one") or (flags["n_max"] is None) == (relation == "add-remove"):
            raise click.UsageError(
                "Give --n N with change-one (n is public), --n-max N with add-remove (n is private)."
            )
        unit = {key: flags[key] for key in ("rows_per_person", "unit_rows") if flags[key] is not None}
        unit |= {"person": named_columns(person)} if person else {}
        if relation == "change-one" and unit:
            raise click.UsageError(f"--{next(iter(unit)).replace('_', '-')} belongs to add-remove.")
        whom = change_one(n=flags["n"]) if relation == "change-one" else add_remove(n_max=flags["n_max"], **unit)
        label(flags["dataset"], name="dataset")
        positive(flags["cap"], name="cap")
        terms = {"name": flags["dataset"], "cap": flags["cap"], "relation": whom.kind, "rows": whom.rows, **unit}
    else:
        from snapdp.api.study import study as load

        found = load(study)
        terms = opening_of(found, study, flags)
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


def opening_of(found: Study, path: str, flags: Values) -> Values:
    """Return what `create_account` is given, of a study; refuse flags that say something else than it does.

    path   the file of the study, for what is said of it
    """
    from snapdp.ledger.accounts import label, terms_of

    relation = found.relation
    most = flags["rows_per_person"]
    if most is not None and relation.person is None:
        raise click.UsageError(f"--rows-per-person {most}: {one_line(path)} protects no persons.")
    said = {
        "dataset": found.dataset,
        "relation": relation.kind,
        "n": relation.rows if relation.is_change_one else None,
        "n_max": None if relation.is_change_one else relation.rows,
        "person": list(relation.person_columns),
        "rows_per_person": relation.rows_per_person,
        "unit_rows": relation.unit_rows,
    }
    given = {**flags, "person": named_columns(flags["person"]) if flags["person"] else None}
    for name, declared in said.items():
        asked = [given[name]] if isinstance(given[name], str) and name == "person" else given[name]
        if asked is not None and asked != declared:
            raise click.UsageError(_refused_flag(path, name, asked, declared))
    if found.budget is None and flags["cap"] is None:
        total = exact_amount(found.plan().total)
        raise click.UsageError(
            f"{one_line(path)} has no budget: give --cap NUMBER, what may ever be spent on {one_line(found.dataset)}. "
            f"The study asks for epsilon {total}."
        )
    label(found.dataset, name="dataset")
    terms = terms_of(found, cap=flags["cap"])
    if most is not None:
        terms |= {"unit": "row", "person": relation.person, "rows_per_person": most}
    return terms


def _refused_flag(path: str, name: str, asked: Any, declared: Any) -> str:
    """Return what is wrong with a flag beside a study."""

    def words(value: Any) -> str:
        return one_line(",".join(map(as_item, value)) if isinstance(value, list) else str(value))

    says = f"says {name} = {words(declared)}" if declared not in (None, []) else f"has no {name}"
    return (
        f"--{name.replace('_', '-')} {words(asked)}: {one_line(path)} {says}. Leave the flag out, or change the study."
    )


@ledger_group.command("show", epilog="\b\nExample:\n  snapdp ledger show people.ledger")
@click.argument("path")
@json_option()
@click.pass_context
def show_command(ctx: click.Context, /, path: str, as_json: bool) -> None:
    """Show what is spent and left of every account, and what it means."""
    from snapdp.ledger.ledger import Ledger

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
@json_option()
def history_command(path: str, dataset: str | None, as_json: bool) -> None:
    """Show every charge, what became of it, and every amendment. All charges are spent."""
    from snapdp.ledger.ledger import Ledger

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
@json_option()
@click.pass_context
def verify_command(ctx: click.Context, /, path: str, against: str | None, as_json: bool) -> None:
    """Check that nothing was altered; with a record, that it is there.

    Every digest and sum is computed again, and every amendment of an account is told.
    """
    from snapdp.audits.release_audit import verified_ledger
    from snapdp.ledger.ledger import Ledger
    from snapdp.release.result import load_release

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
    from snapdp.ledger.ledger import Ledger

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
    from snapdp.ledger.storage.postgres import has_ledger

    return has_ledger(path)


@ledger_group.command("backup", epilog="\b\nExample:\n  snapdp ledger backup people.ledger people-monday.ledger")
@click.argument("path")
@click.argument("file")
@json_option()
def backup_command(path: str, file: str, as_json: bool) -> None:
    """Copy a ledger into a new file, even while it is in use. A backup can be read and verified, never charged."""
    from snapdp.ledger.ledger import back_up

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
@json_option()
@click.pass_context
def restore_command(
    ctx: click.Context, /, file: str, path: str, against: str | None, no_record: bool, as_json: bool
) -> None:
    """Make a new ledger of a backup, when the ledger itself is lost.

    A copy of the file will do as well. Never use both, the lost one and the new one.
    """
    from snapdp.audits.release_audit import refuse_altered
    from snapdp.ledger.ledger import restore
    from snapdp.release.result import load_release

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
