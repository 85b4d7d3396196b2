"""What `snapdp lab compare` shows but accuracies: bias, distance, clamp and errors, as tables and JSON.

Room: cli. One library call for each.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import click

from snapdp.accuracy import (
    CONTENDERS,
    SideBySide,
    bias_by_guess,
    clamp_by_gamma,
    contenders,
    distance_tails,
    errors_of_means,
)
from snapdp.cli.lab import errors
from snapdp.cli.screen import note, table
from snapdp.display import exact_amount, figure, one_line, scientific_up
from snapdp.exact import Enclosure, to_float_down, to_float_up

SMALLEST = Fraction(1, 10**30)  # what is below it is not told apart: rounding at 118 bits, or less


FOUR = ("fine", "natural", "to range", "notes")
GRIDS_AND_CLAMPS = (
    "fine, natural: exact arithmetic on these grids, with its wide clamp. to range: the natural grid, clamped to the "
    "range. notes: the notes' rule, with its clamp from gamma = 0.05."
)


class View(NamedTuple):
    """A comparison and how it is told.

    at      heads of the columns that say what a row is about    drawn   columns of the picture, with their names
    of      what the rows are about                              scale   of the picture's second axis
    figure  what the figures are                                 heads   of the columns of figures
    notice  what must be known before the figures are shown to others
    """

    show: str
    found: SideBySide
    title: str
    at: tuple[str, ...]
    of: str
    figure: str
    remark: str
    heads: tuple[str, ...] = FOUR
    drawn: tuple[tuple[int, str], ...] = tuple(enumerate(CONTENDERS))
    scale: str = "linear"
    notice: str = ""


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
    remark = f"mean: over the guesses, each with the same weight. {GRIDS_AND_CLAMPS}"
    return View(
        "bias", found, f"Bias at a guess, {_said(declared)}", ("guess",), "guess of the statistic", "bias", remark
    )


def _distance(given: dict[str, Any]) -> View:
    declared = _declared(given)
    guess = given.get("if_value", (declared["upper"],))
    if len(guess) != 1:
        raise click.UsageError("--show distance takes one --if-value.")
    found = distance_tails(if_value=guess[0], **declared)
    title = f"P(distance to Laplace > z) if the value is {one_line(guess[0])}, {_said(declared)}"
    remark = f"Both mechanisms use the same draw. {_inner_clamps(declared)} {GRIDS_AND_CLAMPS}"
    return View("distance", found, title, ("z",), "z", "P(distance > z)", remark, scale="log")


def _inner_clamps(declared: dict[str, Any]) -> str:
    """Return where values are clamped first, where that is not the range itself but wider, on a coarse grid."""
    mechanisms = dict(zip(FOUR, contenders(**declared), strict=True))
    wider = [(name, p.value_clamp) for name, p in mechanisms.items() if p.value_clamp != (p.lower, p.upper)]
    ends = ", ".join(f"{name} {_exactly(low)} to {_exactly(high)}" for name, (low, high) in wider)
    return "Values are clamped to the range first" + (f"; widened to the grid, {ends}." if wider else ".")


def _clamp(given: dict[str, Any]) -> View:
    declared = _declared(given)
    found = clamp_by_gamma(**declared, **({"gammas": given["gammas"]} if "gammas" in given else {}))
    title = f"Clamp that changes an output with probability gamma at most, {_said(declared)}"
    heads = ("tight: half width", "binds", "notes: half width", "binds")
    remark = (
        "Half widths around the middle of the range, before they are rounded outward to the grid. binds: the largest "
        "probability over the range. Exact arithmetic, natural grid."
    )
    drawn = ((0, "tight"), (2, "notes' formula"))
    return View("clamp", found, title, ("gamma",), "gamma", "half width", remark, heads=heads, drawn=drawn)


def _errors(given: dict[str, Any]) -> View:
    table = errors.studied(given)
    epsilons = given.get("epsilons", errors.EPSILONS)
    found = errors_of_means(table.means, lower=table.lower, upper=table.upper, epsilons=epsilons)
    title = f"Mean absolute error of the mean {table.of}, relative to Laplace"
    remark = (
        "What releasing it many times shows in the long run. It depends on where the mean lies on the grid, so "
        f"a coarse grid may be lucky. Cells are within {_exactly(table.lower)} and {_exactly(table.upper)}. "
        f"{GRIDS_AND_CLAMPS}"
    )
    at, of, figure = ("n", "epsilon"), "rows of the table, in turn", "mean error / that of Laplace"
    return View("errors", found, title, at, of, figure, remark, notice=table.notice)


def _said(declared: dict[str, Any]) -> str:
    return one_line(f"epsilon {declared['epsilon']}, range {declared['lower']} to {declared['upper']}")


def show(view: View) -> None:
    """Print the table, and what its columns mean."""
    rows = [(*map(_exactly, row.at), *map(_figure, row.figures)) for row in view.found.rows]
    if view.found.mean is not None:
        rows.append(("mean", *map(_figure, view.found.mean)))
    heads = (*view.at, *view.heads)
    if view.notice:
        note(view.notice, style="bold red")
    table(heads, rows, numbers=range(len(view.at), len(heads)), title=view.title)
    note(view.remark)


def document(view: View) -> dict[str, Any]:
    """Return the same for machines: [lower, upper] of each figure, as doubles rounded outward."""
    rows = [
        {**dict(zip(view.at, map(str, row.at), strict=True)), "figures": [_ends(each) for each in row.figures]}
        for row in view.found.rows
    ]
    mean = None if view.found.mean is None else [_ends(each) for each in view.found.mean]
    told = {"notice": view.notice} if view.notice else {}
    return {"ok": True, "show": view.show, **told, "columns": list(view.found.names), "rows": rows, "mean": mean}


def _exactly(x: Any) -> str:
    return one_line(exact_amount(x))


def _figure(e: Enclosure) -> str:
    if max(abs(e.lower), abs(e.upper)) < SMALLEST:
        return "0" if e.lower <= 0 <= e.upper else "< 1e-30" if e.lower > 0 else "> -1e-30"
    middle = (e.lower + e.upper) / 2
    return scientific_up(middle, 3) if abs(middle) < 1e-4 else figure(e)


def _ends(e: Enclosure) -> list[float]:
    return [to_float_down(e.lower), to_float_up(e.upper)]
