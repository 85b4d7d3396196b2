"""What `snapdp lab compare` shows but accuracies: bias, distance, clamp and errors, as tables and JSON.

Room: cli. One library call for each. The table of the errors is the made-up one of the demo: nobody's data.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import click

from snapdp.accuracy import SideBySide, bias_by_guess, clamp_by_gamma, distance_tails, mean_errors
from snapdp.cli.demo import people
from snapdp.cli.lab.published import figure as three_places
from snapdp.cli.screen import note, one_line, table
from snapdp.display import exact_amount, scientific_up
from snapdp.exact import Enclosure, to_float_down, to_float_up

EPSILONS, ROWS = ("0.1", "0.5", "1"), ("100", "1000", "5000")
OLDEST = 120
SMALLEST = 1e-30  # what is below it is shown as 0: rounding at 118 bits, or less


class View(NamedTuple):
    """A comparison and how it is told.

    of      what the rows are about        drawn  columns of the picture, with their names
    figure  what the figures are           scale  of the picture's second axis
    """

    show: str
    found: SideBySide
    title: str
    heads: tuple[str, ...]
    of: str
    figure: str
    drawn: tuple[tuple[int, str], ...]
    scale: str
    remark: str


FOUR = ("fine", "natural", "to range", "notes")
CLAMPS = ("fine, natural: exact arithmetic on these grids, with its wide clamp. to range: the natural grid, clamped to "
          "the range. notes: the notes' rule, with its clamp from gamma = 0.05.")  # fmt: skip


def view(show: str, given: dict[str, Any]) -> View:
    """Return what is to be shown, from the flags that were given."""
    return {"bias": _bias, "distance": _distance, "clamp": _clamp, "errors": _errors}[show](given)


def _declared(given: dict[str, Any]) -> dict[str, Any]:
    bounds = given.get("bounds", ("0", "10"))
    if len(bounds) != 2:
        raise click.UsageError("--bounds takes LOWER,UPPER.")
    return {
        "epsilon": given.get("epsilon", "1"),
        "sensitivity": given.get("sensitivity", "1"),
        "lower": bounds[0],
        "upper": bounds[1],
    }


def _bias(given: dict[str, Any]) -> View:
    declared = _declared(given)
    found = bias_by_guess(guesses=given.get("if_value"), **declared)
    return View(
        show="bias",
        found=found,
        title=f"Bias at a guess, {_said(declared)}",
        heads=("guess", *FOUR),
        of="guess of the statistic",
        figure="bias",
        drawn=tuple(enumerate(found.names)),
        scale="linear",
        remark=f"mean: over the guesses, each with the same weight. {CLAMPS}",
    )


def _distance(given: dict[str, Any]) -> View:
    declared = _declared(given)
    guess = given.get("if_value", (declared["upper"],))
    if len(guess) != 1:
        raise click.UsageError("--show distance takes one --if-value.")
    found = distance_tails(if_value=guess[0], **declared)
    return View(
        show="distance",
        found=found,
        title=f"P(distance to Laplace > z) if the value is {one_line(guess[0])}, {_said(declared)}",
        heads=("z", *FOUR),
        of="z",
        figure="P(distance > z)",
        drawn=tuple(enumerate(found.names)),
        scale="log",
        remark=f"Both mechanisms use the same draw. {CLAMPS}",
    )


def _clamp(given: dict[str, Any]) -> View:
    declared = _declared(given)
    found = clamp_by_gamma(**declared, **({"gammas": given["gammas"]} if "gammas" in given else {}))
    return View(
        show="clamp",
        found=found,
        title=f"Clamp that changes an output with probability gamma at most, {_said(declared)}",
        heads=("gamma", "tight: half width", "binds", "notes: half width", "binds"),
        of="gamma",
        figure="half width",
        drawn=((0, "tight"), (2, "notes' formula")),
        scale="linear",
        remark="Half widths around the middle of the range, before they are rounded outward to the grid. binds: the "
        "largest probability over the range. Exact arithmetic, natural grid.",
    )


def _errors(given: dict[str, Any]) -> View:
    rows = given.get("rows", ROWS)
    if not all(n.isascii() and n.isdigit() and len(n) < 10 for n in rows):
        raise click.UsageError("--rows takes whole numbers with commas between them.")
    ages = [age for age, _, _ in people()]
    epsilons = given.get("epsilons", EPSILONS)
    found = mean_errors(ages, lower=0, upper=OLDEST, epsilons=epsilons, rows=map(int, rows))
    return View(
        show="errors",
        found=found,
        title="Mean absolute error of the mean age of n made-up people, relative to Laplace",
        heads=("n", "epsilon", *FOUR),
        of="rows of the table, in turn",
        figure="mean error / that of Laplace",
        drawn=tuple(enumerate(found.names)),
        scale="linear",
        remark=f"What releasing it many times shows in the long run. It depends on where the mean lies on the grid, "
        f"so a coarse grid may be lucky. Ages are within 0 and {OLDEST}. {CLAMPS}",
    )


def _said(declared: dict[str, Any]) -> str:
    return one_line(f"epsilon {declared['epsilon']}, range {declared['lower']} to {declared['upper']}")


def show(view: View) -> None:
    """Print the table, and what its columns mean."""
    rows = [(*map(_exactly, row.at), *map(_figure, row.figures)) for row in view.found.rows]
    if view.found.mean is not None:
        rows.append(("mean", *map(_figure, view.found.mean)))
    labels = len(view.found.rows[0].at)
    table(view.heads, rows, numbers=range(labels, len(view.heads)), title=view.title)
    note(view.remark)


def document(view: View) -> dict[str, Any]:
    """Return the same for machines: [lower, upper] of each figure, as doubles rounded outward."""
    names = view.heads[: len(view.found.rows[0].at)]
    about = [dict(zip(names, map(str, row.at), strict=True)) for row in view.found.rows]
    rows = [
        {**said, "figures": [_ends(each) for each in row.figures]}
        for said, row in zip(about, view.found.rows, strict=True)
    ]
    mean = None if view.found.mean is None else [_ends(each) for each in view.found.mean]
    return {"ok": True, "show": view.show, "columns": list(view.found.names), "rows": rows, "mean": mean}


def _exactly(x: Any) -> str:
    return one_line(exact_amount(x))


def _figure(e: Enclosure) -> str:
    if max(abs(e.lower), abs(e.upper)) < SMALLEST:
        return "0"
    middle = (e.lower + e.upper) / 2
    return scientific_up(middle, 3) if abs(middle) < 1e-4 else three_places(e)


def _ends(e: Enclosure) -> list[float]:
    return [to_float_down(e.lower), to_float_up(e.upper)]
