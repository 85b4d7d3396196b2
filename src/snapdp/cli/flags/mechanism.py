"""The flags of a bare mechanism: what it is declared for, its arithmetic, its clamp, and what if: a guess, an output.

Room: cli. Flag = study key = Python keyword; the library reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.flags.arguments import NUMBER, NUMBERS

if TYPE_CHECKING:
    from snapdp.mechanism import SnappingParameters

NEEDED = ("epsilon", "sensitivity", "bounds")


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


GUESSES, CLAMP_WORDS = GuessWords(), ClampWords()
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
CLAMP = click.option(
    "--clamp",
    type=CLAMP_WORDS,
    metavar="CLAMP",
    help="Of exact arithmetic: where outputs end: wide (default), range, or LOW,HIGH.",
)
WHAT_IF = (
    click.option(
        "--if-value",
        type=GUESSES,
        metavar="NUMBER[,...]",
        help="Show accuracy, bias and errors at this guess, too, or over several: 3,4 or, weighed, 3:2,4:1.",
    ),
    click.option(
        "--if-output",
        **_NUMBER,
        help="Show what this output, once released, says about its own error. Nothing is charged for that.",
    ),
)
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
    return _added(command, (*ARITHMETIC, CLAMP, *WHAT_IF))


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
