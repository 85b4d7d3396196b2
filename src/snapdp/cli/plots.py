"""Pictures of a plan: the exact law of the output, and accuracy against epsilon.

Room: cli. matplotlib is imported when a picture is asked for; no window is opened.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

from snapdp.accuracy import Curve, Worth, curve_of, law_heights
from snapdp.display import confidence, exact_amount, one_line
from snapdp.drafts import draft, finish
from snapdp.errors import PremiseError
from snapdp.mechanism import ExactLaw, SnappingParameters
from snapdp.studies import Line, Plan, RankCurve, ReleasedPart

Points = list[tuple[float, float]]
LARGEST_TABLE = 400
MOST_ROWS = 8
RANKS = "Quantiles are read off many counts at once.\nRight: to how many rows the rank of a given value is known."


def write(result: Plan | Worth, path: Path) -> int:
    """Write the picture of a plan or of one mechanism; return how many rows had no room.

    The suffix of the path chooses the format.
    """
    figure_of = library()
    every = _rows(result)
    rows = every[:MOST_ROWS]
    figure = figure_of(figsize=(11, 3.2 * len(rows)), layout="constrained")
    axes = figure.subplots(len(rows), 2, squeeze=False)
    drawn = [
        (_draw_law(left, **row["law"]) if row["law"] else _say_ranks(left), _draw_curve(right, **row["curve"]))
        for (left, right), row in zip(axes, rows, strict=True)
    ]
    save(figure, path, drawn)
    return len(every) - len(rows)


def save(figure: Any, path: Path, drawn: Any) -> None:
    """Write a figure whole or not at all; the suffix of the path chooses the format.

    An SVG has texts as texts and names that stay the same, so that it is small; it tells what is drawn in it.
    """
    import matplotlib

    about = {"Date": None, "Description": f"points sha256 {digest(drawn)}"} if path.suffix == ".svg" else None
    with warnings.catch_warnings(), matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "snapdp"}):
        warnings.simplefilter("ignore", UserWarning)  # of letters that the font lacks: they are drawn as boxes
        with draft(path.parent, path.suffix) as made:
            figure.savefig(made, metadata=about)
            finish(made, path)


def digest(drawn: Any) -> str:
    """Return a digest of what is drawn, to nine digits: two pictures with the same one show the same."""
    return hashlib.sha256(json.dumps(_nine_digits(drawn)).encode()).hexdigest()


def _nine_digits(drawn: Any) -> Any:
    if isinstance(drawn, float):
        return f"{drawn:.9g}"
    return [_nine_digits(each) for each in drawn] if isinstance(drawn, (list, tuple)) else drawn


def library() -> Any:
    """Return the figures of matplotlib, made for files and not for windows; refuse where it is not installed."""
    try:
        import matplotlib
    except ImportError:
        raise PremiseError(
            "matplotlib, which draws pictures, is not installed.", "pip install 'matplotlib>=3.8'"
        ) from None
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    return Figure


def _rows(result: Plan | Worth) -> list[dict[str, Any]]:
    if isinstance(result, Worth):
        return [_mechanism_row(result, guess.inside) for guess in result.guesses] or [_mechanism_row(result)]
    return [row for line in result.lines for row in _line_rows(line)]


def _line_rows(line: Line) -> list[dict[str, Any]]:
    """Return a row for each part; of quantiles, which are read off very many counts, one with the radius of ranks."""
    title = plain(line.statistic.readable_title)
    if line.ranks is None:
        return [_part_row(ReleasedPart(line=line, place=place), title) for place in range(len(line.statistic.parts))]
    told = f"{title}: ± rows of a rank ({confidence(line.alpha)})"
    return [{"law": None, "curve": {**_curve_of(ReleasedPart(line=line)), "title": told, "unit": "± rows"}}]


def _mechanism_row(worth: Worth, value: Fraction | None = None) -> dict[str, Any]:
    """Return the pictures of a mechanism, its law at a guess or in the middle of the range."""
    p = worth.parameters
    where = "at the middle of the range" if value is None else f"if the value were {exact_amount(value)}"
    law = {"law": _law(p, value), "values": lambda x: float(x), "title": f"law of the output {where}"}
    curve = {
        "curve": curve_of(p, worth.alpha),
        "here": (p.epsilon, float(worth.tight)),
        "title": f"± error ({confidence(worth.alpha)})",
    }
    return {"law": law, "curve": curve}


def _part_row(released: ReleasedPart, title: str) -> dict[str, Any]:
    line, numerator = released.line, released.part.numerator
    name = title if len(line.statistic.parts) == 1 else f"{title}: {plain(released.name)}"
    values = lambda x: float(numerator.statistic(x))  # noqa: E731
    law = {"law": released.law(), "values": values, "title": f"{name}: law of the output"}
    return {"law": law, "curve": {**_curve_of(released), "title": f"{name}: ± error ({confidence(line.alpha)})"}}


def _curve_of(released: ReleasedPart) -> dict[str, Any]:
    epsilon, error = released.here
    return {"curve": released.curve, "here": (epsilon, float(error))}


def plain(title: str) -> str:
    """Return a title that the picture shows as it is: nothing unseen in it, and no formula between two dollars."""
    return one_line(title, 80).replace("$", "\\$")


def _law(p: SnappingParameters, value: Fraction | None = None) -> ExactLaw:
    """Return the exact law of a value, or of the middle of the public range: nobody could see what p bits change."""
    return ExactLaw(p.inner((p.lower + p.upper) / 2 if value is None else value), p)


def _draw_law(axes: Any, *, law: ExactLaw, values: Any, title: str) -> Points:
    first, last = law.quantile_index("0.0005"), law.quantile_index("0.9995")
    stride = max(1, (last - first) // LARGEST_TABLE)
    indices = range(first, last + 1, stride)
    x = [values(law.parameters.data_value(k)) for k in indices]
    y = law_heights(law, indices)
    axes.vlines(x, 0, y, color="#2f6f9f", linewidth=1.2)
    axes.axvline(values(law.value), color="#c0392b", linewidth=0.8, linestyle="--", label="the value")
    axes.set(xlabel="released number", ylabel="probability", ylim=(0, None))
    axes.set_title(title, fontsize=10)
    axes.locator_params(axis="x", nbins=5)
    axes.legend(frameon=False)
    return list(zip(x, y, strict=True))


def _say_ranks(axes: Any) -> Points:
    """Leave the left picture out, with a word: no one number has a law to draw."""
    axes.axis("off")
    axes.text(0.5, 0.5, RANKS, ha="center", va="center", wrap=True, transform=axes.transAxes)
    return []


def _draw_curve(
    axes: Any, *, curve: Curve | RankCurve, here: tuple[Fraction, float], title: str, unit: str = "± error"
) -> Points:
    epsilon, accuracy = here
    points = list(curve.points(epsilon / 10, epsilon * 10))
    places, values = zip(*points, strict=True)
    axes.loglog(places, values, color="#2f6f9f")
    axes.plot([float(epsilon)], [accuracy], "o", color="#c0392b", label=f"epsilon = {epsilon}")
    axes.set(xlabel="epsilon", ylabel=unit)
    axes.set_title(title, fontsize=10)
    axes.grid(True, which="both", linewidth=0.3)
    axes.legend(frameon=False)
    return points
