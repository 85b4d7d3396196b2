"""`snapdp ledger amend`: raise a cap, or close an account, for a reason that stays in the ledger.

Room: cli. Parse, one library call, render. It says what a raised cap means before it raises it, and asks on a terminal;
elsewhere the reason, which nobody types by accident, is enough.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import click

from snapdp.cli.accounts.views import paragraph
from snapdp.cli.flags.arguments import NUMBER
from snapdp.cli.screen import STOPPED, confirm, echo_json, is_conversation, note, say
from snapdp.display import exact_amount, hides_nothing, one_line, shown_address
from snapdp.ledger import OF_CAP, account_values, explain_spending

if TYPE_CHECKING:
    from snapdp.ledger import Account

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
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def amend_command(
    ctx: click.Context, /, path: str, dataset: str | None, cap: str | None, closes: bool, reason: str, as_json: bool
) -> None:
    """Raise the cap of an account or close it, with a reason.

    The reason stays in the ledger. A raised cap weakens what the people in the table were promised. No cap is ever
    lowered, and a closed account is never opened again. On a team ledger the keeper alone may do this.
    """
    from snapdp.exact import positive
    from snapdp.ledger import Ledger, given_reason

    ctx.meta["snapdp.json"] = as_json
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
    from snapdp.studies import describe_chance

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
