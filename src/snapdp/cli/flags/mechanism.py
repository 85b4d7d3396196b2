"""The flags of a bare mechanism: in which arithmetic it runs, how wide its clamp is, and a guess to look at.

Room: cli. Flag = study key = Python keyword; the library reads them.
"""

from __future__ import annotations

from typing import Any

import click

from snapdp.cli.flags.arguments import NUMBER


def mechanism_options(command: Any) -> Any:
    """Add the flags to a command."""
    for option in reversed(
        [
            click.option(
                "--arithmetic",
                metavar="NAME",
                help="Of a bare mechanism: exact (default), proved or notes; the last two compute with --bits bits.",
            ),
            click.option("--bits", type=int, metavar="P", help="Bits of proved and notes; else the fewest they allow."),
            click.option(
                "--gamma", type=NUMBER, metavar="NUMBER", help="Probability with which the clamp may change an output."
            ),
            click.option(
                "--if-value", type=NUMBER, metavar="NUMBER", help="Show accuracy, bias and errors at this guess, too."
            ),
        ]
    ):
        command = option(command)
    return command
