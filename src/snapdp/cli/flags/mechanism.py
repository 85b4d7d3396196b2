"""In which arithmetic a mechanism runs; and of a bare one, how wide its clamp is and a guess to look at.

Room: cli. Flag = study key = Python keyword; the library reads them.
"""

from __future__ import annotations

from typing import Any

import click

from snapdp.cli.flags.arguments import NUMBER


def arithmetic_options(command: Any) -> Any:
    """Add the flags of an arithmetic to a command."""
    bits = click.option("--bits", type=int, metavar="P", help="Bits of proved and notes; else the fewest they allow.")
    words = "exact (default), proved or notes (for plans only); the last two compute with --bits bits."
    return click.option("--arithmetic", metavar="NAME", help=words)(bits(command))


def stated_arithmetic(options: dict[str, Any]) -> dict[str, Any]:
    """Return what the flags say of the arithmetic, by the keys of a study."""
    return {key: options[key] for key in ("arithmetic", "bits") if options.get(key) is not None}


def mechanism_options(command: Any) -> Any:
    """Add the other flags of a bare mechanism to a command."""
    number: Any = {"type": NUMBER, "metavar": "NUMBER"}
    guess = click.option("--if-value", **number, help="Show accuracy, bias and errors at this guess, too.")
    gamma = click.option("--gamma", **number, help="Probability with which the clamp may change an output.")
    return gamma(guess(command))
