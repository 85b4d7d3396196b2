"""The flags of a mechanism that `snapdp verify` judges instead of a program.

Room: cli. The words are those of `snapdp.Snapping`; the library reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.flags.arguments import NUMBER

if TYPE_CHECKING:
    from snapdp.mechanism import SnappingParameters

NEEDED = ("epsilon", "sensitivity", "bounds")


def judged_mechanism_options(command: Any) -> Any:
    """Add the flags to a command."""
    number: Any = {"type": NUMBER, "metavar": "NUMBER"}
    options = [
        click.option("--epsilon", **number, help="Of a mechanism, instead of PROGRAM: its epsilon."),
        click.option("--sensitivity", **number, help="The most that neighbours differ."),
        click.option("--bounds", metavar="LOWER,UPPER", help="The public range of the statistic."),
        click.option("--arithmetic", metavar="NAME", help="proved or notes: the rule by which it computes in bits."),
        click.option("--bits", type=int, metavar="P", help="Bits of its numbers.  [default: the fewest allowed]"),
        click.option("--grid", metavar="GRID", help="natural, fine, or a power of two, in sensitivities."),
        click.option("--bound", **number, help="Its clamp, in sensitivities around the middle of the range."),
        click.option("--gamma", **number, help="Probability with which its clamp may change an output."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def judged_parameters(options: dict[str, Any]) -> SnappingParameters | None:
    """Return the mechanism that the flags describe; None where there are none of them."""
    from snapdp.mechanism import declared

    given = {name: value for name, value in options.items() if value is not None}
    if not given:
        return None
    missing = [f"--{name}" for name in NEEDED if name not in given]
    if missing:
        raise click.UsageError(f"A mechanism needs {', '.join(missing)} too.")
    if len(ends := given.pop("bounds").split(",")) != 2:
        raise click.UsageError("Give --bounds LOWER,UPPER: the public range of the statistic.")
    return declared(**given, lower=ends[0], upper=ends[1]).parameters
