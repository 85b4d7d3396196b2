"""The flags of a bare mechanism: in which arithmetic it runs, how wide its clamp is, and what if: a guess, an output.

Room: cli. Flag = study key = Python keyword; the library reads them.
"""

from __future__ import annotations

from typing import Any

import click

from snapdp.cli.flags.arguments import NUMBER, NUMBERS


class GuessWords(click.types.StringParamType):
    """One number, several with commas between them, or several with a weight each: a tuple, or {guess: weight}."""

    name = "guesses"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        pairs = [each.strip().partition(":") for each in str(value).split(",")]
        guesses = [NUMBER.convert(guess.strip(), param, ctx) for guess, _, _ in pairs]
        if not any(colon for _, colon, _ in pairs):
            return tuple(guesses)
        weights = [NUMBER.convert(weight.strip() if colon else "1", param, ctx) for _, colon, weight in pairs]
        if len(set(guesses)) < len(guesses):
            self.fail("a guess is given twice: add up its weights.", param, ctx)
        return dict(zip(guesses, weights, strict=True))


class ClampWords(click.types.StringParamType):
    """A name of a clamp, or its two ends."""

    name = "clamp"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return NUMBERS.convert(value, param, ctx) if "," in str(value) else value


GUESSES, CLAMP = GuessWords(), ClampWords()


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
                "--clamp",
                type=CLAMP,
                metavar="CLAMP",
                help="Of exact arithmetic: where outputs end: wide (default), range, or LOW,HIGH.",
            ),
            click.option(
                "--if-value",
                type=GUESSES,
                metavar="NUMBER[,...]",
                help="Show accuracy, bias and errors at this guess, too, or over several: 3,4 or, weighed, 3:2,4:1.",
            ),
            click.option(
                "--if-output",
                type=NUMBER,
                metavar="NUMBER",
                help="Show what this output, once released, says about its own error. Nothing is charged for that.",
            ),
        ]
    ):
        command = option(command)
    return command
