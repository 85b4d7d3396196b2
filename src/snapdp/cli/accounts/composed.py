"""`snapdp ledger composed`: what weaker measures say of everything that an account was charged.

Room: cli. Parse, one library call, render. Shown beside the sum that is charged, never in its place.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.accounts.views import paragraph
from snapdp.cli.flags.arguments import NUMBER
from snapdp.cli.screen import echo, echo_json
from snapdp.display import decimal_up, exact_amount, four_digits_up, one_line

if TYPE_CHECKING:
    from snapdp.interop import Spend
    from snapdp.ledger import Account

EXAMPLES = """\b
Examples:
  snapdp ledger composed people.ledger
  snapdp ledger composed people.ledger --delta 1e-9
"""
PLACES = 2
ONLY_SHOWN = (
    "Shown, never charged. These figures promise less than the sum, and hold only where it was settled before the "
    "first answer how often would be asked, what, and at which epsilon."
)


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
    from snapdp.interop import spends_of
    from snapdp.ledger import Ledger

    ctx.meta["snapdp.json"] = as_json
    allowed = probability(delta, name="delta")
    with Ledger.open(path) as ledger:
        accounts = ledger.accounts() if dataset is None else (ledger.account(dataset),)
        spends = [spends_of(ledger.history(each.name)) for each in accounts]
    found = [_values(*each, allowed, second_opinion) for each in zip(accounts, spends, strict=True)]
    if as_json:
        echo_json({"ok": True, "charged_by_this": "0", "accounts": found})
        return
    for each in found:
        _show(each, allowed)
    if not found:
        echo("The ledger has no account yet.")


def _values(account: Account, spends: tuple[Spend, ...], delta: Fraction, second_opinion: bool) -> dict[str, Any]:
    """Return what is shown of one account; amounts as exact fractions, bounds rounded up."""
    from snapdp.interop import composed, epsilon_by_package, event_values

    found: dict[str, Any] = {"dataset": account.name, "spent": str(account.spent), "delta": str(delta)}
    if not spends:
        return {**found, "epsilon": "0", "rho": "0", "releases": 0, "events": []}
    together = composed(spends)
    found |= {
        "epsilon": decimal_up(together.epsilon(delta), 2 * PLACES),
        "rho": str(together.rho),
        "releases": sum(each.times for each in spends),
        "events": event_values(spends),
    }
    return found | ({"dp_accounting": epsilon_by_package(spends, delta=delta)} if second_opinion else {})


def _show(found: dict[str, Any], delta: Fraction) -> None:
    spent = exact_amount(Fraction(found["spent"]))
    echo(f"{one_line(found['dataset'])}: epsilon {spent} spent. The sum is what counts.")
    if not found["releases"]:
        return
    epsilon, rho = decimal_up(Fraction(found["epsilon"]), PLACES), four_digits_up(Fraction(found["rho"]))
    paragraph(f"Composed otherwise: epsilon {epsilon} with delta {exact_amount(delta)}; or zCDP with rho {rho}.")
    if "dp_accounting" in found:
        paragraph(f"dp-accounting, in floating point: epsilon {found['dp_accounting']:.4f} with the same delta.")
    paragraph(ONLY_SHOWN)
