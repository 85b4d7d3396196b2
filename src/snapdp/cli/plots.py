"""Pictures of a plan as an SVG file: the exact law of each output, and accuracy against epsilon.

They are those of the page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path

from snapdp.accuracy.curve import curve_of
from snapdp.accuracy.summary import Worth
from snapdp.api.consequence import Fall, curve_drawn, law_drawn, law_picture
from snapdp.display.numbers import decimal_down, exact_amount, four_digits_up, noise_digits
from snapdp.display.pictures import Chosen, Look, Mark, RowPicture, curve_picture, sheet
from snapdp.display.text import confidence, how_often, one_line
from snapdp.drafts import write_text
from snapdp.exact.numbers import to_float_down, to_float_nearest, to_float_up
from snapdp.lab.attacks.gallery import AttackRow
from snapdp.mechanism.law.exact import ExactLaw
from snapdp.mechanism.law.law import law_of
from snapdp.studies.plans.lines import Line, ReleasedPart
from snapdp.studies.plans.plan import Plan

Panel = tuple[str, str]  # a heading, and the picture
MOST_ROWS = 8
WIDTH, TALL = 480, 330


def write(result: Plan | Worth, path: Path) -> int:
    """Write the picture of a plan or of one mechanism; return how many rows had no room."""
    every = _rows(result)
    title = "What a release is worth: the law of each output, and accuracy against epsilon"
    write_text(sheet([row() for row in every[:MOST_ROWS]], title=title, width=WIDTH, tall=TALL), path)
    return max(0, len(every) - MOST_ROWS)


def _rows(result: Plan | Worth) -> list[Callable[[], list[Panel]]]:
    if isinstance(result, Worth):
        guesses: list[Fraction | None] = [guess.inside for guess in result.guesses]
        return [partial(_mechanism_row, result, guess) for guess in guesses or [None]]
    return [row for line in result.lines for row in _line_rows(line)]


def _line_rows(line: Line) -> list[Callable[[], list[Panel]]]:
    """Return a row for each part; of quantiles, which are read off very many counts, one with the radius of ranks."""
    title = one_line(line.statistic.readable_title, 40)
    if line.ranks is not None:
        return [lambda: [(f"{title}: to how many rows a rank is known", curve_drawn(line, 0))]]
    parts = [ReleasedPart(line=line, place=place) for place in range(len(line.statistic.parts))]
    return [partial(_part_row, part, title) for part in parts]


def _part_row(released: ReleasedPart, title: str) -> list[Panel]:
    """Return the pictures of a part, its law in the middle of the range."""
    name = title if len(released.line.statistic.parts) == 1 else f"{title}: {one_line(released.name, 40)}"
    fall = Fall(released=released, guess=released.possible(sum(released.range) / Fraction(2)))
    return [
        (f"{name}: law of the output", law_drawn(fall)),
        (f"{name}: error", curve_drawn(released.line, released.place)),
    ]


def _mechanism_row(worth: Worth, value: Fraction | None) -> list[Panel]:
    """Return the pictures of a mechanism, its law at a guess or in the middle of the range."""
    p, often, error = worth.parameters, confidence(worth.alpha), four_digits_up(worth.tight)
    where = "at the middle of the range" if value is None else f"if the value were {exact_amount(value)}"
    at, height = to_float_nearest(p.epsilon), to_float_nearest(worth.tight)
    curve = curve_picture(
        curve_of(p, worth.alpha).points(p.epsilon / 10, p.epsilon * 10) or [(at, height)],
        Chosen(at, height, f"± {error}"),
        heights=f"± error ({often}), both axes in logarithms",
        title="Error against epsilon",
        said=f"At epsilon {exact_amount(p.epsilon)} the error is ± {error}.",
    )
    return [(f"law of the output {where}", _law(worth, value)), ("error", curve)]


def _law(worth: Worth, value: Fraction | None) -> str:
    p, alpha = worth.parameters, worth.alpha
    guess = (p.lower + p.upper) / 2 if value is None else value
    printed, shown = law_of(p.inner(guess), p), partial(_shown, worth)
    low, high = (p.data_value(printed.quantile_index(share)) for share in (alpha / 2, 1 - alpha / 2))
    between = dict.fromkeys((shown(low, rounding=ROUND_FLOOR), shown(high, rounding=ROUND_CEILING)))
    return law_picture(
        ExactLaw(p.inner(guess), p),  # nobody could see what p bits change
        p.data_value,
        p.data_grid / 2,
        {k: printed.index_probability(k).upper for k in p.ends},
        value=(guess, exact_amount(guess)),
        band=(low, high, " to ".join(between)),
        range=(p.lower, p.upper, exact_amount(p.lower), exact_amount(p.upper)),
        often=(confidence(alpha), how_often(alpha)),
        name="output",
    )


def _shown(worth: Worth, x: Fraction, *, rounding: str) -> str:
    """Return an output with the digits that its error leaves meaningful."""
    return noise_digits(to_float_nearest(x), half_width=Decimal(to_float_nearest(worth.tight)), rounding=rounding)


# The picture of `snapdp lab attack` as an SVG file: claimed against shown loss, a bar for each row.

TITLE = "Privacy loss, at least; red: more than was claimed"
LONGEST_NAME, PICTURE_WIDTH = 32, 760


def write_rows(found: Sequence[AttackRow], path: Path) -> None:
    """Write a bar as long as the loss that was shown, with a stroke at the claim; absent targets have none."""
    marks, texts = [], []
    for row in found:
        if row.outcome is not None:
            claimed, shown = to_float_up(row.outcome.claimed), to_float_down(row.outcome.lower_bound)
            look: Look = "hit" if row.verdict == "refuted" else "first"
            marks.append(Mark(shown, claimed, claimed, look=look))
            texts.append(
                (
                    f"{row.attack.name}: {row.target}",
                    f"shown {decimal_down(row.outcome.lower_bound, 2)}, claimed {claimed:.3g}",
                )
            )
    picture = RowPicture.of(marks, bars=True).svg(TITLE, texts, longest=LONGEST_NAME)
    write_text(sheet([[(TITLE, picture)]], title=TITLE, width=PICTURE_WIDTH, tall=24 * len(marks) + 24), path)
