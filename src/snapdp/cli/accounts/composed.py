"""`snapdp ledger composed`: what weaker measures say of everything that an account was charged.

Room: cli. Parse, one library call, render. Shown beside the sum that is charged, never in its place.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.accounts.views import paragraph
from snapdp.cli.flags.arguments import NUMBER
from snapdp.cli.screen import echo, echo_json
from snapdp.display import decimal_up, exact_amount, four_digits_up, one_line, scientific_up
from snapdp.errors import LedgerError
from snapdp.exact import shown

if TYPE_CHECKING:
    from snapdp.interop import Spend
    from snapdp.ledger import Account, Ledger

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
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the events of dp-accounting.")
@click.pass_context
def composed_command(
    ctx: click.Context, /, path: str, delta: Any, dataset: str | None, second_opinion: bool, as_json: bool
) -> None:
    """Show what (epsilon, delta) and zCDP say of all charges.

    The sum of all epsilons is what is charged and what counts. These figures are smaller where there are many releases,
    and promise less: they are shown beside it, rounded up, and nothing is charged by them.
    """
    from snapdp.exact import probability
    from snapdp.interop import event_values, has_events, spends_of
    from snapdp.ledger import Ledger

    ctx.meta["snapdp.json"] = as_json
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


def _values(account: Account, spends: tuple[Spend, ...], delta: Fraction, second_opinion: bool) -> dict[str, Any]:
    """Return what is shown of one account; amounts as exact fractions, bounds rounded up."""
    from snapdp.interop import composed, epsilon_by_package

    found: dict[str, Any] = {"dataset": account.name, "spent": str(account.spent), "delta": str(delta)}
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


def _show(found: dict[str, Any], delta: Fraction) -> None:
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
