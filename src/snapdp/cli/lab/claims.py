"""`snapdp lab claims` and `snapdp lab bits`: the formulas of the notes as printed, and what p-bit arithmetic costs.

Each command parses, makes one library call and prints.
"""

from __future__ import annotations

import textwrap
from typing import Any

import click

from snapdp.cli.flags.numbers import NUMBER, NUMBERS, WHOLE
from snapdp.cli.screen import echo, echo_json, line_width, note, table
from snapdp.display.numbers import SURELY_DOUBLES, figure
from snapdp.exact.dyadic import floor_log10
from snapdp.exact.enclosure import Enclosure
from snapdp.lab.claims import BesideExact, PrintedClaim, beside_exact

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
HOLDS = {True: "Valid", False: "Invalid", None: "Not settled"}


@click.command("claims", epilog=EXAMPLE)
@click.argument("formulas", nargs=-1, metavar="[FORMULA]...")
@click.option("--epsilon", type=NUMBER, metavar="NUMBER", required=True, help="Privacy loss of one release.")
@click.option("--bound", type=NUMBER, metavar="NUMBER", required=True, help="The clamp: outputs lie within +-bound.")
@click.option("--if-value", type=NUMBER, metavar="NUMBER", required=True, help="A guess of the statistic.")
@click.option("--alpha", type=NUMBER, metavar="NUMBER", default="0.05", show_default=True, help="How often to miss.")
@click.option("--gamma", type=NUMBER, metavar="NUMBER", default="0.05", show_default=True, help="How often to clamp.")
@click.option("--accuracy", type=NUMBER, metavar="NUMBER", help="Target of an epsilon.  [default: GetAccuracy2's]")
@click.option("--sensitivity", type=NUMBER, metavar="NUMBER", default="1", show_default=True, help="In data units.")
@click.option(
    "--bounds",
    type=NUMBERS,
    default="-10,30",
    show_default=True,
    metavar="LOWER,UPPER",
    help="A range, for 6.1 and 7.2.",
)
@click.option("--n", "rows", type=WHOLE, default=3, show_default=True, help="Rows, for the largest variance (7.2).")
@click.option(
    "--arithmetic", type=click.Choice(["notes", "exact"]), default="notes", show_default=True, help="Of eps'."
)
@click.option("--bits", type=WHOLE, metavar="BITS", help="Of the notes' arithmetic.  [default: as they choose, >= 118]")
@click.option("--grid", type=NUMBER, metavar="NUMBER", help="In data units.  [default: the power of two of the notes]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def claims_command(
    ctx: click.Context, /, formulas: tuple[str, ...], bounds: tuple[str, ...], as_json: bool, **options: Any
) -> None:
    """Compare the formulas of the notes, as printed, with the exact answers.

    These are the published formulas, right or wrong; no plan and no release computes with them. First come the
    constants in the notes' notation. FORMULA is a name as it is printed, such as "Algorithm 1" (GetAccuracy) or
    GetAccuracy2; without one you see them all.
    """
    ctx.meta["snapdp.json"] = as_json
    if len(bounds) != 2:
        raise click.UsageError("--bounds takes LOWER,UPPER.")
    found = beside_exact(*formulas, bounds=(bounds[0], bounds[1]), **options)
    if as_json:
        echo_json(_document(found, options), indent=2)
        return
    asked = ", ".join(f"{name.replace('if_', '')} {options[name]}" for name in ASKED)
    of_rows = f"range {bounds[0]} to {bounds[1]}, n {options['rows']}"
    note(f"As printed in the notes of {DATES}; not what snapdp uses. {asked.capitalize()}, {of_rows}.", style="")
    names = [(name, figure(number), formula) for name, number, formula in found.notation]
    table(("in the notes' notation", "", "in sensitivities"), names, numbers=(1,))
    width = max(40, line_width() - 1)
    for claim in found.claims:
        echo("\n" + "\n".join(_lines(claim, width)))
    for name, reason in found.left_out:
        echo("\n" + textwrap.fill(f"{name}: left out, {reason}", width, subsequent_indent="  "))


def _lines(claim: PrintedClaim, width: int) -> list[str]:
    numbers = [f"{claim.name} says {figure(claim.says)}"]
    if claim.measured is not None:
        numbers.append(f"{claim.measured[0]} {figure(claim.measured[1])}")
    numbers.append(f"{claim.answer} {figure(claim.exact)}")
    verdict = HOLDS[claim.valid] if claim.misses_by is None else f"Invalid by {figure(claim.misses_by)}"
    texts = [
        "; ".join(numbers),
        f"  {claim.formula}: {claim.claim}",
        f"  {claim.source}, {claim.date}",
        f"  {verdict}: {claim.why}" if claim.why else f"  {verdict}.",
    ]
    return [textwrap.fill(text, width, subsequent_indent="    ", break_on_hyphens=False) for text in texts]


def _document(found: BesideExact, options: dict[str, Any]) -> dict[str, Any]:
    m = found.mechanism
    return {
        "ok": True,
        **{name: options[name] for name in ASKED},
        "mechanism": {
            "bits": m.bits,
            "effective_epsilon": str(m.effective_epsilon),
            "noise_scale": str(m.noise_scale),
            "grid": str(m.grid),
        },
        "notation": {name: _ends(number) for name, number, _ in found.notation},
        "claims": [_claim_values(claim) for claim in found.claims],
        "left_out": [{"name": name, "reason": reason} for name, reason in found.left_out],
    }


def _claim_values(claim: PrintedClaim) -> dict[str, Any]:
    measured, misses_by = claim.measured, claim.misses_by
    return {
        **claim._asdict(),
        "says": _ends(claim.says),
        "exact": _ends(claim.exact),
        "measured": None if measured is None else {"what": measured[0], **_ends(measured[1])},
        "misses_by": None if misses_by is None else _ends(misses_by),
    }


def _ends(e: Enclosure) -> dict[str, Any]:
    """Return a number as it is shown, as a double where it is one, and exactly where it is a rational."""
    within = e.upper == 0 or abs(floor_log10(max(abs(e.lower), abs(e.upper)))) <= SURELY_DOUBLES
    number = {"shown": figure(e), "value": float(e) if within else None}
    return {**number, "exact": str(e.lower)} if e.is_exact else number
