"""The flags of a bare mechanism, and of commands about a floating-point program.

Each flag is a study key and a Python keyword, which the library reads. All flags are in data units. In Python `grid`
and `bound` of proved and notes arithmetic are in sensitivities: `in_library_units` converts them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.flags.numbers import NUMBER, NUMBERS, WHOLE
from snapdp.cli.screen import say
from snapdp.display.numbers import exact_amount
from snapdp.errors import BoundError
from snapdp.exact.dyadic import exponent_of_power, power_of_two_at_least
from snapdp.exact.numbers import parameter, positive

if TYPE_CHECKING:
    from snapdp.lab.language.syntax import Program
    from snapdp.lab.semantics.machine import Machine
    from snapdp.mechanism.parameters import SnappingParameters

NEEDED = ("epsilon", "sensitivity", "bounds")
GRIDS = ("fine", "natural")


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


class GridWord(click.types.StringParamType):
    """A name of a grid, or its width."""

    name = "grid"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if value in GRIDS else NUMBER.convert(value, param, ctx)


GUESSES, CLAMP_WORDS, GRID = GuessWords(), ClampWords(), GridWord()
_NUMBER: Any = {"type": NUMBER, "metavar": "NUMBER"}
ARITHMETIC = (
    click.option(
        "--arithmetic",
        metavar="NAME",
        help="exact (default), proved or notes; the last two compute with --bits bits.",
    ),
    click.option(
        "--bits",
        type=WHOLE,
        metavar="P",
        help="Of proved and notes.  [default: 118, or more where the range asks for it]",
    ),
)
SHAPE = (
    click.option(
        "--grid",
        type=GRID,
        metavar="GRID",
        help="Distance of two outputs: fine, natural, or in data units; a power of two, with proved and notes times "
        "the sensitivity.",
    ),
    click.option("--gamma", **_NUMBER, help="How rarely outputs stand at an end of the clamp that is chosen."),
    click.option("--bound", **_NUMBER, help="The clamp instead: so far from the middle of the range, in data units."),
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


def mechanism_options(command: Any) -> Any:
    """Add the flags of `plan`, which has its own epsilon and range."""
    return _added(command, (*ARITHMETIC, *SHAPE, CLAMP, *WHAT_IF))


def judged_mechanism_options(command: Any) -> Any:
    """Add the flags of a mechanism that `verify` judges instead of a program."""
    return _added(command, (*DECLARED, *ARITHMETIC, *SHAPE))


def _added(command: Any, options: tuple[Any, ...]) -> Any:
    for option in reversed(options):
        command = option(command)
    return command


def judged_parameters(options: dict[str, Any]) -> SnappingParameters | None:
    """Return the mechanism that the flags describe; None where there are none of them."""
    from snapdp.mechanism.mechanism import declared

    given = {name: value for name, value in options.items() if value is not None}
    if not given:
        return None
    missing = [f"--{name}" for name in NEEDED if name not in given]
    if missing:
        raise click.UsageError(f"A mechanism needs {', '.join(missing)} too.")
    lower, upper = range_ends(given.pop("bounds"))
    return declared(**in_library_units({**given, "lower": lower, "upper": upper})).parameters


def range_ends(bounds: str) -> tuple[str, str]:
    """Return the two ends of a public range."""
    if len(ends := bounds.split(",")) != 2:
        raise click.UsageError("Give --bounds LOWER,UPPER: the public range of the statistic.")
    return ends[0], ends[1]


def in_library_units(said: dict[str, Any]) -> dict[str, Any]:
    """Return the words of a mechanism as the library takes them: grid and bound in its units, a bound as its clamp."""
    found = dict(said)
    is_finite = said.get("arithmetic") not in (None, "exact")
    if is_finite and said.get("grid") not in (None, *GRIDS):
        found["grid"] = _grid_in_sensitivities(said["grid"], positive(said["sensitivity"], name="sensitivity"))
    if said.get("gamma") is not None and said.get("bound") is not None:
        raise click.UsageError("--gamma chooses the clamp that --bound says: give one of them.")
    if said.get("bound") is not None:
        lower, upper, bound = _bound_of_range(said)
        if is_finite:
            found["bound"] = bound / positive(said["sensitivity"], name="sensitivity")
        elif said.get("clamp") is not None:
            raise click.UsageError("--bound and --clamp both say where outputs end: give one of them.")
        else:
            middle = (lower + upper) / 2
            found |= {"bound": None, "clamp": (middle - bound, middle + bound)}
    return found


def _grid_in_sensitivities(asked: Any, sensitivity: Fraction) -> Fraction:
    grid = positive(asked, name="grid") / sensitivity
    if exponent_of_power(grid) is None:
        above = power_of_two_at_least(grid) * sensitivity
        raise BoundError(
            f"grid = {exact_amount(grid * sensitivity)} is not a power of two times the sensitivity, "
            f"{exact_amount(sensitivity)}.",
            f"In proved and notes arithmetic outputs are counted in sensitivities: take {exact_amount(above / 2)} or "
            f"{exact_amount(above)}.",
            grid=grid,
        )
    return grid


def _bound_of_range(said: dict[str, Any]) -> tuple[Fraction, Fraction, Fraction]:
    """Return the ends of the range, and a bound that holds it."""
    lower, upper = (parameter(said[name], name=name) for name in ("lower", "upper"))
    bound, half = positive(said["bound"], name="bound"), (upper - lower) / 2
    if bound < half:
        raise BoundError(
            f"bound = {exact_amount(bound)} is below half the width of the range, {exact_amount(half)}.",
            f"Outputs must be able to reach the whole range: give a bound of {exact_amount(half)} at least.",
            bound=bound,
        )
    return lower, upper, bound


# Programs: the machine, and the rules by which bounds are derived

machine_option = click.option(
    "--machine", "machine_text", default="", metavar="KEYS", help="E.g. p=53,sampler=ulp,umin=-1074,ln=1,sum=exact."
)
rules_option = click.option(
    "--rules",
    type=click.Choice(["sound", "printed", "repaired"]),
    default="sound",
    show_default=True,
    help="Those of Liu's note are unsound.",
)


def program_and_machine(reference: str, machine_text: str) -> tuple[Program, Machine]:
    """Return a program and its machine: that of --machine, or the one its file names, which is said."""
    from snapdp.lab.language.audited import audited_function, names_a_function
    from snapdp.lab.language.parser import load_program, stated_machine
    from snapdp.lab.semantics.machine import parse_machine

    if names_a_function(reference):
        return audited_function(reference).program, parse_machine(machine_text)
    program = load_program(reference)
    if machine_text:
        return program, parse_machine(machine_text)
    stated = stated_machine(reference)
    if stated:
        say(f"machine: {stated}, as the file says (--machine takes another)")
    return program, parse_machine(stated)
