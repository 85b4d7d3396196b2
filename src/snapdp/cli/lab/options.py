"""What commands of the laboratory share: the flags of a mechanism, of a machine and of JSON, and how files are written.

Each flag of a mechanism is a study key and a Python keyword, which the library reads. All are in data units. In Python
`grid` and `bound` of proved and notes arithmetic are in sensitivities: `in_library_units` converts them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.flags.numbers import NUMBER, NUMBERS, WHOLE
from snapdp.cli.screen import say
from snapdp.display.numbers import exact_amount
from snapdp.errors import BoundError, DataError
from snapdp.exact.dyadic import exponent_of_power, power_of_two_at_least
from snapdp.exact.numbers import parameter, positive

if TYPE_CHECKING:
    from snapdp.lab.verification import MechanismProgram

GRIDS = ("fine", "natural")


def _remember_json(ctx: click.Context, _: click.Parameter, as_json: bool) -> bool:
    ctx.meta["snapdp.json"] = as_json
    return as_json


json_option = click.option("--json", "as_json", is_flag=True, callback=_remember_json, help="Print JSON.")


# A mechanism by its flags


def read_clamp(text: str) -> Any:
    """Return a name of a clamp, or its two ends."""
    return NUMBERS.convert(text, None, None) if "," in text else text


def read_grid(text: str) -> str:
    """Return a name of a grid, or its width."""
    return text if text in GRIDS else NUMBER.convert(text, None, None)


def read_guesses(text: str) -> Any:
    """Return one number or several with commas between them as a tuple, with weights as {guess: weight}."""
    pairs = [each.strip().partition(":") for each in text.split(",")]
    guesses = [NUMBER.convert(guess.strip(), None, None) for guess, _, _ in pairs]
    if not any(colon for _, colon, _ in pairs):
        return tuple(guesses)
    if len(set(guesses)) < len(guesses):
        raise click.BadParameter("a guess is given twice: add up its weights.")
    weights = [NUMBER.convert(weight.strip() if colon else "1", None, None) for _, colon, weight in pairs]
    return dict(zip(guesses, weights, strict=True))


_NUMBER: Any = {"type": NUMBER, "metavar": "NUMBER"}
_MECHANISM = (
    click.option("--epsilon", **_NUMBER, help="The privacy loss of one release."),
    click.option("--sensitivity", **_NUMBER, help="The most that neighbours differ."),
    click.option("--bounds", metavar="LOWER,UPPER", help="The public range of the statistic."),
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
    click.option(
        "--grid",
        type=read_grid,
        metavar="GRID",
        help="Distance of two outputs: fine, natural, or in data units; a power of two, with proved and notes times "
        "the sensitivity.",
    ),
    click.option("--gamma", **_NUMBER, help="How rarely outputs stand at an end of the clamp that is chosen."),
    click.option("--bound", **_NUMBER, help="The clamp instead: so far from the middle of the range, in data units."),
)


def mechanism_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the flags of a mechanism."""
    for option in reversed(_MECHANISM):
        command = option(command)
    return command


def mechanism_keywords(options: dict[str, Any], *, needed: Sequence[str]) -> dict[str, Any]:
    """Return the flags of a mechanism as the library takes them: units of its own, and a bound as its clamp."""
    given = {name: value for name, value in options.items() if value is not None}
    if missing := [f"--{name}" for name in needed if name not in given]:
        raise click.UsageError(f"A mechanism needs {', '.join(missing)} too.")
    lower, comma, upper = given.pop("bounds").partition(",")
    if not comma or "," in upper:
        raise click.UsageError("Give --bounds LOWER,UPPER: the public range of the statistic.")
    given |= {"lower": lower, "upper": upper}
    is_finite = given.get("arithmetic") not in (None, "exact")
    sensitivity = positive(given["sensitivity"], name="sensitivity")
    if is_finite and given.get("grid") not in (None, *GRIDS):
        given["grid"] = _grid_in_sensitivities(given["grid"], sensitivity)
    if "bound" not in given:
        return given
    if "gamma" in given:
        raise click.UsageError("--gamma chooses the clamp that --bound says: give one of them.")
    middle, bound = _middle_and_bound(given)
    if is_finite:
        return {**given, "bound": bound / sensitivity}
    if "clamp" in given:
        raise click.UsageError("--bound and --clamp both say where outputs end: give one of them.")
    return {**given, "bound": None, "clamp": (middle - bound, middle + bound)}


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


def _middle_and_bound(given: dict[str, Any]) -> tuple[Fraction, Fraction]:
    """Return the middle of the range, and a bound that holds it."""
    lower, upper = (parameter(given[name], name=name) for name in ("lower", "upper"))
    bound, half = positive(given["bound"], name="bound"), (upper - lower) / 2
    if bound < half:
        raise BoundError(
            f"bound = {exact_amount(bound)} is below half the width of the range, {exact_amount(half)}.",
            f"Outputs must be able to reach the whole range: give a bound of {exact_amount(half)} at least.",
            bound=bound,
        )
    return (lower + upper) / 2, bound


# A program, its machine, and the rules by which bounds are derived

program_argument = click.argument("reference", metavar="PROGRAM")
machine_option = click.option(
    "--machine", default="", metavar="KEYS", help="E.g. p=53,sampler=ulp,umin=-1074,ln=1,sum=exact."
)
rules_option = click.option(
    "--rules",
    type=click.Choice(["sound", "printed", "repaired"]),
    default="sound",
    show_default=True,
    help="Those of Liu's note are unsound.",
)


def load_program(reference: str, machine: str) -> MechanismProgram:
    """Return a program and its machine: the one that is given, or the one its file states, which is said."""
    from snapdp.lab.verification import program

    judged = program(reference, machine=machine)
    say_stated_machine(reference, machine)
    return judged


def say_stated_machine(reference: str, machine: str) -> None:
    """Say on which machine a program is judged, if its file decides it."""
    from snapdp.lab.language.audited import names_a_function
    from snapdp.lab.language.parser import stated_machine

    if not machine and not names_a_function(reference) and (stated := stated_machine(reference)):
        say(f"machine: {stated}, as the file says (--machine takes another)")


# Files


def require_directories(**files: Path | None) -> None:
    """Refuse a file that cannot be written because its directory is missing, before anything is computed."""
    for name, path in files.items():
        if path is not None and not os.path.isdir(path.absolute().parent):
            raise click.UsageError(f"--{name} {path}: there is no such directory.")


def write_file(path: Path, text: str, flag: str) -> str:
    """Write the file of a flag; return what is to be said about it."""
    from snapdp.display.text import one_line
    from snapdp.drafts import write_text

    try:
        write_text(text, path)
    except DataError as problem:
        raise click.UsageError(f"--{flag} {path} cannot be written: {problem.numbers['reason']}.") from None
    return f"{flag}: {one_line(str(path))}"
