"""`snapdp lab plan`: what one mechanism is worth: its accuracy, what it does to guesses, what an output says of itself.

Parse, one library call, render. Figures are rounded to the safe side: up, and ranges outward; noise scales and
comparisons to nearest.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from snapdp.accuracy.summary import AfterRelease, Guess, Worth
from snapdp.cli.flags.files import picture_option, write_picture
from snapdp.cli.flags.numbers import NUMBER
from snapdp.cli.lab.options import json_option, mechanism_keywords, mechanism_options, read_clamp, read_guesses
from snapdp.cli.screen import echo_json, note, say, table
from snapdp.display.numbers import exact_amount, four_digits, four_digits_up, short_decimal, six_digits, two_digits
from snapdp.display.text import above_or_below, hides_nothing, how_often
from snapdp.exact.enclosure import Enclosure
from snapdp.exact.functions import sqrt_enclosure
from snapdp.exact.numbers import to_float_down, to_float_up

EXAMPLE = """\b
Examples:
  snapdp lab plan --sensitivity 1 --bounds 0,1000 --epsilon 0.49 \\
      --grid natural
  snapdp lab plan --sensitivity 1 --bounds 0,1000 --accuracy 7 \\
      --arithmetic notes --bits 118
  snapdp lab plan --sensitivity 1 --bounds 0,10 --epsilon 1 \\
      --if-value 0:2,5:6,10:2
  snapdp lab plan --sensitivity 1 --bounds 0,10 --epsilon 1 --if-output 9.5
"""
KNOWN = Fraction(1, 10**6)  # relative: ends that differ less are one number
KNOWN_SURE = Fraction(1, 100)  # a probability nearer to 1 is shown by what is missing
CASES = {
    1: "no clamp binds",
    2: "the inner clamp binds",
    3: "the outer clamp binds",
    4: "both clamps bind",
}


@click.command("plan", epilog=EXAMPLE)
@mechanism_options
@click.option(
    "--accuracy", type=NUMBER, metavar="NUMBER", help="Instead of --epsilon: how accurate the output must be."
)
@click.option(
    "--alpha",
    type=NUMBER,
    default="0.05",
    show_default=True,
    help="In this share of releases the output may be further off than its ± says.",
)
@click.option(
    "--clamp",
    type=read_clamp,
    metavar="CLAMP",
    help="Of exact arithmetic: where outputs end: wide (default), range, or LOW,HIGH.",
)
@click.option(
    "--if-value",
    type=read_guesses,
    metavar="NUMBER[,...]",
    help="Show accuracy, bias and errors at this guess, too, or over several: 3,4 or, weighed, 3:2,4:1.",
)
@click.option(
    "--if-output",
    type=NUMBER,
    metavar="NUMBER",
    help="Show what this output, once released, says about its own error. Nothing is charged for that.",
)
@json_option
@picture_option
def plan_command(as_json: bool, plot: Path | None, **mechanism: Any) -> None:
    """Show what a mechanism is worth: one release of a number whose sensitivity and range are known.

    `snapdp plan --json` shows both for every statistic, as sensitivity and range. No data is opened.
    """
    from snapdp.accuracy.summary import worth_of_mechanism

    worth = worth_of_mechanism(**mechanism_keywords(mechanism, needed=("sensitivity", "bounds")))
    said = None if plot is None else write_picture(worth, plot)
    if as_json:
        echo_json(mechanism_values(worth), indent=2)
    else:
        show_mechanism(worth)
    if said is not None:
        say(said)


def _outward(range_of: Enclosure) -> str:
    """Return the two ends of a range, each rounded away from the other."""
    return f"{two_digits(range_of.lower, ROUND_FLOOR)} ... {two_digits(range_of.upper, ROUND_CEILING)}"


def show_mechanism(worth: Worth) -> None:
    """Print what one mechanism is worth."""
    p, price = worth.parameters, worth.price
    # An end is shown with as many digits as the accuracy calls for.
    low, high = (six_digits(float(p.released(k)), half_width=Decimal(float(worth.tight))) for k in p.ends)
    # A noise scale that is rounded up is told: a grid may be twice as wide for it.
    hair = "; a hair above sensitivity/epsilon" if p.unit * p.noise_scale > p.sensitivity / p.epsilon else ""
    beside = f"{above_or_below(worth.over_laplace)} the pure Laplace mechanism"
    published = ("... as published", "none", "the notes' mechanism does not exist here")
    if worth.published is not None:
        published = ("... as published", f"± {four_digits_up(worth.published)}", "the notes' mechanism and formula")
    rows = [
        ("noise scale", four_digits(p.unit * p.noise_scale), f"data units{hair}"),
        ("grid of the outputs", str(p.data_grid), ""),
        ("outputs are clamped to", f"{low} ... {high}", ""),
        ("accuracy", f"± {four_digits_up(worth.tight)}", f"{how_often(worth.alpha)}; {beside}"),
        published,
        ("root mean square error", four_digits_up(price.rmse), "on average over where a value lies on the grid"),
        ("bias", _outward(worth.bias), "over the public range"),
        ("clamp changes an output", _likely(worth.binding), "probability, at the upper end"),
    ]
    arithmetic = "" if p.precision is None else f", arithmetic {p.rule}, {p.precision.uniform} bits"
    title = f"One release at epsilon = {exact_amount(p.epsilon)}{arithmetic}"
    table(("", "", ""), rows, numbers=(1,), dim=(2,), title=title)
    _show_guesses(worth)
    if worth.after is not None:
        _show_after(worth.after)
    for hint in worth.hints:
        better, now = (
            f"{exact_amount(epsilon)} gives ± {four_digits_up(accuracy)}"
            for epsilon, accuracy in ((hint.better_epsilon, hint.better_accuracy), (hint.epsilon, hint.accuracy))
        )
        note(f"Hint ({hint.kind}): epsilon = {better}; {now}.", style="yellow")
    if warning := hides_nothing(p.epsilon):
        note(warning, style="bold red")


def _show_guesses(worth: Worth) -> None:
    """Print what the mechanism does to one guess, or to several in a table, with the bias expected over them."""
    rows = []
    for guess in worth.guesses:
        rms, mean = sqrt_enclosure(guess.mse.upper, 64).upper, guess.absolute_error.upper
        figures = (f"± {four_digits_up(guess.accuracy)}", point(guess.bias), four_digits_up(rms), four_digits_up(mean))
        rows.append((exact_amount(guess.value), exact_amount(guess.weight), *figures))
    if len(worth.guesses) == 1:
        (guess,) = worth.guesses
        end = f" (errors: at the end of the range, {exact_amount(guess.inside)})" if guess.inside != guess.value else ""
        names = ("accuracy", "bias", "root mean square error", "mean absolute error")
        remarks = ("more epsilon may do worse at one value", "", "", "")
        title = f"If the value were {rows[0][0]}{end}"
        lines = [*zip(names, rows[0][2:], remarks, strict=True), *_distance_rows(guess)]
        table(("", "", ""), lines, numbers=(1,), dim=(2,), title=title)
    elif worth.expected_bias is not None:
        heads = ("value", "weight", "accuracy", "bias", "rms error", "mean error")
        expected = ("expected", "", "", point(worth.expected_bias), "", "")
        table(heads, [*rows, expected], numbers=range(1, 6), title="If the value were one of these")


def _distance_rows(guess: Guess) -> Iterator[tuple[str, str, str]]:
    """Yield how far the output is from that of the Laplace mechanism on the same draw: cases, tails, excess."""
    far, most = guess.beyond, short_decimal(guess.beyond.distance)
    yield "distance to Laplace", f"at most {most}", f"same draw; except with probability {_likely(far.probability)}"
    cases = guess.distance.cases
    for case, shown in zip(cases, _both(*(case.probability for case in cases)), strict=True):
        yield f"... case {case.number}", shown, f"{CASES[case.number]}, probability"
    for z, tail in guess.tails:
        yield f"... above {short_decimal(z)}", _likely(tail), "probability"
    yield "... expected excess", _at_most(far.excess), f"of it over {most}"


def point(figure: Enclosure) -> str:
    """Return a number that is known far better than it is shown: two digits, away from zero; a range as a range."""
    size = max(abs(figure.lower), abs(figure.upper))
    if figure.lower <= 0 <= figure.upper:
        return f"within ± {two_digits(size, ROUND_CEILING)}" if size else "0"
    shown = f"{'-' if figure.upper < 0 else ''}{two_digits(size, ROUND_CEILING)}"
    return shown if figure.upper - figure.lower <= KNOWN * size else _outward(figure)


def _likely(probability: Enclosure) -> str:
    """Return a probability: up, or down from 1 by what is missing; where only that is known, that it is below or above.

    So small a number that no enclosure shows it is not the end of its enclosure.
    """
    if 1 - KNOWN_SURE < probability.lower < 1:
        above = "above " if probability.upper >= 1 else ""
        return f"{above}1 - {two_digits(1 - probability.lower, ROUND_CEILING)}"
    return _at_most(probability)


def _at_most(figure: Enclosure) -> str:
    """Return a figure that is not negative, rounded up."""
    below = "below " if figure.lower <= 0 < figure.upper else ""
    return f"{below}{two_digits(figure.upper, ROUND_CEILING)}"


def _both(one: Enclosure, other: Enclosure) -> tuple[str, str]:
    """Return two probabilities that add up to 1 so that what is shown does, too: the smaller one is rounded up."""
    if one.upper > other.upper:
        shown, rest = _both(other, one)
        return rest, shown
    shown = _likely(one)
    is_sure = other.lower > 1 - KNOWN_SURE
    return shown, _likely(other) if is_sure else exact_amount(1 - Fraction(shown))


def _show_after(after: AfterRelease) -> None:
    """Print what an output says about its own error: functions of the output, so telling it costs nothing."""
    interval, often = after.interval, how_often(after.interval.alpha)
    half = Decimal(float(after.accuracy))
    low = six_digits(to_float_down(interval.lower), ROUND_FLOOR, half)
    high = six_digits(to_float_up(interval.upper), ROUND_CEILING, half)
    rows = [
        ("the statistic lies in", f"{low} ... {high}", often),
        ("accuracy in there", f"± {four_digits_up(after.accuracy)}", "as often, or more"),
        ("bias in there", _outward(after.bias), "whatever the statistic is"),
    ]
    table(("", "", ""), rows, numbers=(1,), dim=(2,), title=f"If the output were {exact_amount(interval.output)}")
    if after.is_missed:
        note(
            f"This output is further than ± {four_digits_up(after.accuracy)} from every such value: it is itself "
            f"one of the rare ones, for which what is said does not hold; it holds {often}."
        )


def _ends(range_of: Enclosure) -> list[float]:
    return [to_float_down(range_of.lower), to_float_up(range_of.upper)]


def _guess_values(guess: Guess) -> dict[str, Any]:
    far = guess.distance
    return {
        "value": str(guess.value),
        "inside": str(guess.inside),
        "weight": str(guess.weight),
        "accuracy": str(guess.accuracy),
        "bias": _ends(guess.bias),
        "mse": to_float_up(guess.mse.upper),
        "absolute_error": to_float_up(guess.absolute_error.upper),
        "laplace_distance": {
            "bound": str(far.bound),
            "beyond": to_float_up(far.cases[1].probability.upper),
            "excess": to_float_up(far.excess.upper),
            "cases": [
                {"case": case.number, "says": CASES[case.number], "probability": _ends(case.probability)}
                for case in far.cases
            ],
            "tails": [{"distance": str(z), "probability": _ends(tail)} for z, tail in guess.tails],
        },
    }


# For machines


def mechanism_values(worth: Worth) -> dict[str, Any]:
    """Return what one mechanism is worth as plain values."""
    p, price = worth.parameters, worth.price
    values: dict[str, Any] = {
        "ok": True,
        "epsilon": str(p.epsilon),
        "alpha": str(worth.alpha),
        "sensitivity": str(p.sensitivity),
        "arithmetic": p.rule or "exact",
        "bits": None if p.precision is None else p.precision.uniform,
        "noise_scale": str(p.unit * p.noise_scale),
        "grid": str(p.data_grid),
        "clamp": [p.released(p.low), p.released(p.high)],
        "accuracy": {
            "tight": str(worth.tight),
            "notes": str(worth.notes),
            "simple": None if worth.simple is None else str(worth.simple),
            "published": None if worth.published is None else str(worth.published),
            "shown": four_digits_up(worth.tight),
        },
        "rmse": str(price.rmse),
        "laplace": {"accuracy": str(price.laplace_accuracy), "rmse": str(price.laplace_rmse)},
        "bias": _ends(worth.bias),
        "binding_probability": to_float_up(worth.binding.upper),
        "warning": hides_nothing(p.epsilon),
        "hints": [
            {
                "kind": hint.kind,
                "epsilon": str(hint.better_epsilon),
                "accuracy": str(hint.better_accuracy),
            }
            for hint in worth.hints
        ],
    }
    if len(worth.guesses) == 1:
        values["if_value"] = _guess_values(worth.guesses[0])
    elif worth.expected_bias is not None:
        values["if_values"] = [_guess_values(guess) for guess in worth.guesses]
        values["expected_bias"] = _ends(worth.expected_bias)
    if worth.after is not None:
        interval = worth.after.interval
        values["if_output"] = {
            "output": str(interval.output),
            "interval": [str(interval.lower), str(interval.upper)],
            "accuracy": str(worth.after.accuracy),
            "missed": worth.after.is_missed,
            "bias": _ends(worth.after.bias),
        }
    return values
