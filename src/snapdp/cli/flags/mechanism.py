"""The flags of a bare mechanism: what it is declared for, in which arithmetic it runs, and a guess to look at.

Room: cli. Flag = study key = Python keyword; the library reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.flags.arguments import NUMBER

if TYPE_CHECKING:
    from snapdp.mechanism import SnappingParameters

NEEDED = ("epsilon", "sensitivity", "bounds")
_NUMBER: Any = {"type": NUMBER, "metavar": "NUMBER"}
ARITHMETIC = (
    click.option(
        "--arithmetic",
        metavar="NAME",
        help="Of a bare mechanism: exact (default), proved or notes; the last two compute with --bits bits.",
    ),
    click.option("--bits", type=int, metavar="P", help="Bits of proved and notes; else the fewest they allow."),
    click.option("--gamma", **_NUMBER, help="Probability with which the clamp may change an output."),
)
GUESS = (click.option("--if-value", **_NUMBER, help="Show accuracy, bias and errors at this guess, too."),)
DECLARED = (
    click.option("--epsilon", **_NUMBER, help="Of a bare mechanism, instead of PROGRAM: its epsilon."),
    click.option("--sensitivity", **_NUMBER, help="The most that neighbours differ."),
    click.option("--bounds", metavar="LOWER,UPPER", help="The public range of the statistic."),
)
SHAPE = (
    click.option("--grid", metavar="GRID", help="natural, fine, or a power of two, in sensitivities."),
    click.option("--bound", **_NUMBER, help="Its clamp, in sensitivities around the middle of the range."),
)


def mechanism_options(command: Any) -> Any:
    """Add the flags of `plan`, which has its own epsilon and range."""
    return _added(command, (*ARITHMETIC, *GUESS))


def judged_mechanism_options(command: Any) -> Any:
    """Add the flags of a mechanism that `verify` judges instead of a program."""
    return _added(command, (*DECLARED, *ARITHMETIC, *SHAPE))


def _added(command: Any, options: tuple[Any, ...]) -> Any:
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
