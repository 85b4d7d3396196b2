"""`snapdp lab claims`: the formulas of the notes as printed, beside the exact answers."""

from __future__ import annotations

import textwrap
from functools import partial
from typing import Any

import click

from snapdp.cli.flags.numbers import NUMBER, WHOLE
from snapdp.cli.groups import json_option
from snapdp.cli.screen import echo, echo_json, line_width
from snapdp.display.numbers import SURELY_DOUBLES, figure
from snapdp.exact.dyadic import floor_log10
from snapdp.exact.enclosure import Enclosure, enclose
from snapdp.lab.claims import beside_exact

EXAMPLE = """\b
Examples:
  snapdp lab claims --epsilon 5/3 --bound 4 --if-value 4
  snapdp lab claims GetAccuracy2 "(6.4)" --epsilon 1 \\
      --bound 10 --if-value 0
  snapdp lab claims "B from gamma" --epsilon 1 --bound 1000 \\
      --sensitivity 100 --if-value 0
  snapdp lab claims Bias+ --epsilon 1 --bound 10 --if-value 10 \\
      --grid 1/16 --json
"""
DATES = "26 August 2019, 31 August 2019 and 26 August 2020"
ASKED = ("epsilon", "sensitivity", "bound", "if_value", "alpha", "gamma")
number_option = partial(click.option, type=NUMBER, metavar="NUMBER")
epsilon_option = number_option("--epsilon", required=True, help="Privacy loss of one release.")
alpha_option = number_option("--alpha", default="0.05", show_default=True, help="How often to miss.")
HOLDS = {True: "Valid", None: "Not settled"}


@click.command("claims", epilog=EXAMPLE)
@click.argument("formulas", nargs=-1, metavar="[FORMULA]...")
@epsilon_option
@number_option("--bound", required=True, help="The clamp: outputs lie within +-bound.")
@number_option("--if-value", required=True, help="A guess of the statistic.")
@alpha_option
@number_option("--gamma", default="0.05", show_default=True, help="How often to clamp.")
@number_option("--sensitivity", default="1", show_default=True, help="In data units.")
@click.option(
    "--arithmetic", type=click.Choice(["notes", "exact"]), default="notes", show_default=True, help="Of eps'."
)
@click.option("--bits", type=WHOLE, metavar="BITS", help="Of the notes' arithmetic.  [default: as they choose, >= 118]")
@number_option("--grid", help="In data units.  [default: the power of two of the notes]")
@json_option()
def claims_command(formulas: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Compare the formulas of the notes, as printed, with the exact answers.

    These are the published formulas, right or wrong; no plan and no release computes with them. First come the
    constants in the notes' notation, in sensitivities. FORMULA is a name as it is printed, such as "Algorithm 1"
    (GetAccuracy) or GetAccuracy2; without one you see them all.
    """
    found = beside_exact(*formulas, **options)
    asked = {name: options[name] for name in ASKED}
    if as_json:
        claims = [
            {key: _ends(x) if isinstance(x, Enclosure) else x for key, x in claim._asdict().items()}
            for claim in found.claims.values()
        ]
        notation = {name: _ends(enclose(number)) for name, number in found.notation.items()}
        left_out = [{"name": name, "reason": reason} for name, reason in found.left_out.items()]
        echo_json({"ok": True, **asked, "notation": notation, "claims": claims, "left_out": left_out}, indent=2)
        return
    wrapped = partial(textwrap.fill, width=max(40, line_width() - 1), subsequent_indent="    ", break_on_hyphens=False)
    setting = ", ".join(f"{name.replace('if_', '')} {number}" for name, number in asked.items())
    echo(wrapped(f"As printed in the notes of {DATES}; not what snapdp uses. {setting.capitalize()}."))
    echo(wrapped(", ".join(f"{name} = {figure(enclose(number))}" for name, number in found.notation.items())))
    for claim in found.claims.values():
        verdict = HOLDS[claim.valid] if claim.misses_by is None else f"Invalid by {figure(claim.misses_by)}"
        echo(f"\n{claim.name} says {figure(claim.says)}; exact {figure(claim.exact)}. {verdict}.")
        echo(wrapped(f"  {claim.formula}"))
        echo(wrapped(f"  {claim.source}, {claim.date}"))
    for name, reason in found.left_out.items():
        echo("\n" + wrapped(f"{name}: left out, {reason}"))


def _ends(e: Enclosure) -> dict[str, Any]:
    """Return a number as it is shown, as a double where it is one, and exactly where it is a rational."""
    within = e.upper == 0 or abs(floor_log10(max(abs(e.lower), abs(e.upper)))) <= SURELY_DOUBLES
    number = {"shown": figure(e), "value": float(e) if within else None}
    return {**number, "exact": str(e.lower)} if e.is_exact else number
