"""What `snapdp lab compare` shows but accuracies: bias, distance, clamp and errors, as tables and JSON.

Room: cli. One library call for each.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import click

from snapdp.accuracy import SideBySide, bias_by_guess, clamp_by_gamma, contenders, distance_tails, errors_of_means
from snapdp.cli.lab import errors
from snapdp.cli.screen import note, table
from snapdp.display import exact_amount, figure, one_line, scientific_up
from snapdp.exact import Enclosure, to_float_down, to_float_up

SMALLEST = Fraction(1, 10**30)  # what is below it is not told apart: rounding at 118 bits, or less


class View(NamedTuple):
    """A comparison and how it is told.

    of      what the rows are about        drawn  columns of the picture, with their names
    figure  what the figures are           scale  of the picture's second axis
    notice  what must be known before the figures are shown to others
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
    notice: str = ""


FOUR = ("fine", "natural", "to range", "notes")
GRIDS_AND_CLAMPS = (
    "fine, natural: exact arithmetic on these grids, with its wide clamp. to range: the natural grid, clamped to the "
    "range. notes: the notes' rule, with its clamp from gamma = 0.05."
)


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


def _of_four(
    show: str,
    found: SideBySide,
    *,
    at: tuple[str, ...],
    title: str,
    of: str,
    figure: str,
    remark: str,
    scale: str = "linear",
    notice: str = "",
) -> View:
    """Return the view of figures of the four mechanisms, all of which are drawn."""
    drawn = tuple(enumerate(found.names))
    return View(show, found, title, (*at, *FOUR), of, figure, drawn, scale, f"{remark} {GRIDS_AND_CLAMPS}", notice)


def _bias(given: dict[str, Any]) -> View:
    declared = _declared(given)
    return _of_four(
        "bias",
        bias_by_guess(guesses=given.get("if_value"), **declared),
        at=("guess",),
        title=f"Bias at a guess, {_said(declared)}",
        of="guess of the statistic",
        figure="bias",
        remark="mean: over the guesses, each with the same weight.",
    )


def _distance(given: dict[str, Any]) -> View:
    declared = _declared(given)
    guess = given.get("if_value", (declared["upper"],))
    if len(guess) != 1:
        raise click.UsageError("--show distance takes one --if-value.")
    return _of_four(
        "distance",
        distance_tails(if_value=guess[0], **declared),
        at=("z",),
        title=f"P(distance to Laplace > z) if the value is {one_line(guess[0])}, {_said(declared)}",
        of="z",
        figure="P(distance > z)",
        scale="log",
        remark=f"Both mechanisms use the same draw. {_inner_clamps(declared)}",
    )


def _inner_clamps(declared: dict[str, Any]) -> str:
    """Return where values are clamped first, where that is not the range itself but wider, on a coarse grid."""
    mechanisms = dict(zip(FOUR, contenders(**declared), strict=True))
    wider = [(name, p.value_clamp) for name, p in mechanisms.items() if p.value_clamp != (p.lower, p.upper)]
    ends = ", ".join(f"{name} {_exactly(low)} to {_exactly(high)}" for name, (low, high) in wider)
    return "Values are clamped to the range first" + (f"; widened to the grid, {ends}." if wider else ".")


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
    table = errors.studied(given)
    epsilons = given.get("epsilons", errors.EPSILONS)
    return _of_four(
        "errors",
        errors_of_means(table.means, lower=table.lower, upper=table.upper, epsilons=epsilons),
        at=("n", "epsilon"),
        title=f"Mean absolute error of the mean {table.of}, relative to Laplace",
        of="rows of the table, in turn",
        figure="mean error / that of Laplace",
        remark="What releasing it many times shows in the long run. It depends on where the mean lies on the grid, so "
        f"a coarse grid may be lucky. Cells are within {_exactly(table.lower)} and {_exactly(table.upper)}.",
        notice=table.notice,
    )


def _said(declared: dict[str, Any]) -> str:
    return one_line(f"epsilon {declared['epsilon']}, range {declared['lower']} to {declared['upper']}")


def show(view: View) -> None:
    """Print the table, and what its columns mean."""
    rows = [(*map(_exactly, row.at), *map(_figure, row.figures)) for row in view.found.rows]
    if view.found.mean is not None:
        rows.append(("mean", *map(_figure, view.found.mean)))
    labels = len(view.found.rows[0].at)
    if view.notice:
        note(view.notice, style="bold red")
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
