"""Pictures of a plan: the exact law of the output, and accuracy against epsilon.

Room: cli. matplotlib is imported when a picture is asked for; no window is opened.
"""

from __future__ import annotations

import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

from snapdp.display.text import shortened, visible
from snapdp.mechanism.law import Law, law_of
from snapdp.mechanism.parameters import SnappingParameters
from snapdp.planner.accuracy import accuracy as accuracy_of
from snapdp.planner.plan import Plan, part_accuracy
from snapdp.planner.report import Report
from snapdp.queries.base import Numerator, Part, mechanism

CURVE_POINTS = 33
LARGEST_TABLE = 400
MOST_ROWS = 8


def write(result: Plan | Report, path: Path) -> int:
    """Write the picture of a plan or of one mechanism; return how many rows had no room.

    The suffix of the path chooses the format.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    every = _rows(result)
    rows = every[:MOST_ROWS]
    figure = Figure(figsize=(11, 3.2 * len(rows)), layout="constrained")
    axes = figure.subplots(len(rows), 2, squeeze=False)
    for (left, right), row in zip(axes, rows, strict=True):
        _draw_law(left, **row["law"])
        _draw_curve(right, **row["curve"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of letters that the font lacks: they are drawn as boxes
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    return len(every) - len(rows)


def _rows(result: Plan | Report) -> list[dict[str, Any]]:
    if isinstance(result, Report):
        return [_mechanism_row(result)]
    return [_part_row(line, part) for line in result.lines for part in line.query.parts]


def _mechanism_row(report: Report) -> dict[str, Any]:
    from snapdp.mechanism.parameters import exact_parameters
    from snapdp.planner.cliff import grid_choice

    p = report.parameters

    def worth(epsilon: Fraction) -> float:
        q = exact_parameters(
            epsilon=epsilon, sensitivity=p.sensitivity, lower=p.lower, upper=p.upper, grid=grid_choice(p)
        )
        return float(accuracy_of(q, alpha=report.alpha))

    law = {"law": _middle(p), "values": lambda x: float(x), "title": "law of the output at the middle of the range"}
    curve = {"worth": worth, "epsilon": p.epsilon, "title": f"accuracy at alpha = {report.alpha}"}
    return {"law": law, "curve": curve}


def _part_row(line: Any, part: Part) -> dict[str, Any]:
    numerator: Numerator = part.numerator
    title = plain(line.query.title)
    name = title if len(line.query.parts) == 1 else f"{title}: {numerator.name}"
    p = mechanism(part, line.epsilon).parameters
    law = {"law": _middle(p), "values": lambda x: float(numerator.statistic(x)), "title": f"{name}: law of the output"}
    curve = {
        "worth": lambda epsilon: float(part_accuracy(part, epsilon, line.alpha)),
        "epsilon": line.epsilon,
        "title": f"{name}: accuracy at alpha = {line.alpha}",
    }
    return {"law": law, "curve": curve}


def plain(title: str) -> str:
    """Return a title that the picture shows as it is: nothing unseen in it, and no formula between two dollars."""
    return shortened(visible(title), 80).replace("$", "\\$")


def _middle(p: SnappingParameters) -> Law:
    """Return the law of the value in the middle of the public range."""
    return law_of(p.inner((p.lower + p.upper) / 2), p)


def _draw_law(axes: Any, *, law: Law, values: Any, title: str) -> None:
    first, last = law.quantile("0.0005"), law.quantile("0.9995")
    stride = max(1, (last - first) // LARGEST_TABLE)
    indices = range(first, last + 1, stride)
    x = [values(law.parameters.data_value(k)) for k in indices]
    y = [float(law.probability(k)) for k in indices]
    axes.vlines(x, 0, y, color="#2f6f9f", linewidth=1.2)
    axes.axvline(values(law.value), color="#c0392b", linewidth=0.8, linestyle="--", label="the value")
    axes.set(xlabel="released number", ylabel="probability", ylim=(0, None))
    axes.set_title(title, fontsize=10)
    axes.locator_params(axis="x", nbins=5)
    axes.legend(frameon=False)


def _draw_curve(axes: Any, *, worth: Any, epsilon: Fraction, title: str) -> None:
    exponents = (Fraction(i, CURVE_POINTS // 2) - 1 for i in range(CURVE_POINTS))
    epsilons = [epsilon * Fraction(10 ** float(e)).limit_denominator(10**6) for e in exponents]
    axes.loglog([float(e) for e in epsilons], [worth(e) for e in epsilons], color="#2f6f9f")
    axes.plot([float(epsilon)], [worth(epsilon)], "o", color="#c0392b", label=f"epsilon = {epsilon}")
    axes.set(xlabel="epsilon", ylabel="accuracy")
    axes.set_title(title, fontsize=10)
    axes.grid(True, which="both", linewidth=0.3)
    axes.legend(frameon=False)
