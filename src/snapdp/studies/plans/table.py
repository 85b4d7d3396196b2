"""The table of a plan as lines of text: one line a number, at any width; the same for terminals, Python and notebooks.

Room: studies. It cannot see data. A title that leaves no room for its figures stands on a line of its own above them;
a text that is longer than what is left goes on below itself. No line is wider than asked, whatever names there are.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from snapdp.display import confidence, decimal_nearest, exact_amount, four_digits_up, one_line
from snapdp.studies.statistics.number_errors import NumberError
from snapdp.values import Value

if TYPE_CHECKING:
    from snapdp.studies.plans.lines import Line
    from snapdp.studies.plans.plan import Plan
    from snapdp.studies.statistics.margin_figures import MarginFigures
    from snapdp.studies.statistics.statistic import Statistic

MOST_SHOWN = 50  # lines of a plan that is printed
BAR_WIDTH = 6
LONGEST_EPSILON = 10  # characters; a longer fraction is shown to six places
MARK = "!"
GAP = "  "
_EIGHTHS = " ▏▎▍▌▋▊▉█"


class PlanRow(Value):
    """One line of the table of a plan.

    mark   the line is one that says little
    """

    title: str
    epsilon: str = ""
    bar: str = ""
    error: str = ""
    mark: bool = False


def bar(share: Fraction, width: int = BAR_WIDTH) -> str:
    """Return a bar of Unicode blocks for a share between 0 and 1."""
    eighths = max(0, min(8 * width, round(share * 8 * width)))
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")


def rows_of(plan: Plan, marked: Iterable[int] = (), *, most: int = MOST_SHOWN) -> list[PlanRow]:
    """Return the table of the first lines of a plan; `marked` are places of lines that say little."""
    errors, titles, marks = plan.errors, plan.titles, set(marked)
    alphas = {line.alpha for line in plan.lines}
    found: list[PlanRow] = []
    for place, line in enumerate(plan.lines[:most]):
        sure = f" ({confidence(line.alpha)})" if len(alphas) > 1 else ""
        found += _line_rows(plan, line, titles[place], errors[place], sure=sure, mark=place in marks)
    return found


def _line_rows(
    plan: Plan, line: Line, title: str, errors: Sequence[NumberError], *, sure: str, mark: bool
) -> Iterator[PlanRow]:
    """Yield the row of a line, and those of numbers that have names of their own."""
    own = [each for each in errors if not each.name]
    text = error_in_words(line.statistic, own[0]) + sure if own else ""
    yield PlanRow(
        title=one_line(title),
        epsilon=_epsilon(line.epsilon) + (" locked" if line.lock else ""),
        bar=bar(line.epsilon / plan.total),
        error=text,
        mark=mark,
    )
    for each in line.margins:
        yield _margin_row(each, plan.total)
    for number in errors if not line.margins else ():
        if number.name:
            told = error_in_words(line.statistic, number, rows_told=bool(own)) + sure
            yield PlanRow(title=f"{GAP}{one_line(number.name)}", error=told)


def _margin_row(figures: MarginFigures, total: Fraction) -> PlanRow:
    title, alone = f"{GAP}{one_line(figures.text)}", figures.alone
    if figures.measured is None:
        return PlanRow(title=title, epsilon="0", error="known")
    beside = "" if alone is None else f" (alone ± {four_digits_up(alone.accuracy)})"
    told = f"± {four_digits_up(figures.adjusted.accuracy)}{beside}"
    return PlanRow(title=title, epsilon=_epsilon(figures.epsilon), bar=bar(figures.epsilon / total), error=told)


def error_in_words(statistic: Statistic, number: NumberError, *, rows_told: bool = False) -> str:
    """Return how far a number may be off, and at which guesses: "± 190.0 if a group has 1,250 rows".

    rows_told   the guess of rows stands beside it already
    """
    guesses = []
    if not number.promised and not rows_told:
        where = f"{rows_in_words(number.rows)} count{'s' if number.rows == 1 else ''}"
        guesses.append(where if statistic.by is None else f"a group has {rows_in_words(number.rows)}")
    shown = list(map(exact_amount, number.spreads))
    if len(shown) == 1:
        guesses.append(f"it is {shown[0]} or more")
    elif shown:
        guesses.append(f"deviations reach {' and '.join(shown)}")
    unit = " rows" if number.in_rows else ""
    return f"± {four_digits_up(number.error)}{unit}" + (f" if {' and '.join(guesses)}" if guesses else "")


def rows_in_words(rows: int) -> str:
    """Return a number of rows.

    >>> rows_in_words(1), rows_in_words(1250)
    ('1 row', '1,250 rows')
    """
    return f"{rows:,} row{'' if rows == 1 else 's'}"


def _epsilon(epsilon: Fraction) -> str:
    """Return an epsilon exactly, or to six places where it is a long fraction."""
    exact = exact_amount(epsilon)
    return exact if len(exact) <= LONGEST_EPSILON else f"~{decimal_nearest(epsilon, 6)}"


def heads_of(plan: Plan) -> tuple[str, str, str, str]:
    """Return what stands above the columns."""
    alphas = {line.alpha for line in plan.lines}
    sure = f" ({confidence(next(iter(alphas)))})" if len(alphas) == 1 else ""
    return "statistic", "epsilon", "share", f"± error{sure}"


def lines_of(heads: tuple[str, str, str, str], rows: Sequence[PlanRow], width: int) -> list[str]:
    """Return the table as lines of at most so many columns of a terminal: the heads first."""
    costs = max(columns_of(each) for each in (heads[1], *(row.epsilon for row in rows)))
    bars = max(len(each) for each in (heads[2], *(row.bar for row in rows)))
    beside = len(MARK) + 1 + 3 * len(GAP) + costs + bars  # what stands beside title and error
    room = max(len(heads[0]), width - beside)
    titles = _title_width(heads, rows, room)
    found = []
    for row in (PlanRow(title=heads[0], epsilon=heads[1], bar=heads[2], error=heads[3]), *rows):
        title, left = row.title, max(8, room - titles)
        mark = MARK if row.mark else " "
        pieces = _pieces(row.error, left)
        if columns_of(title) > titles and (row.epsilon or row.error):
            found.append(f"{mark} {cut(title, width - 2)}")
            mark, title = " ", ""
        elif columns_of(title) > titles:
            title = cut(title, width - 2)
        figures = GAP.join((_padded(title, titles), row.epsilon.rjust(costs), row.bar.ljust(bars), pieces[0]))
        found.append(f"{mark} {figures}".rstrip())
        found += [" " * (width - left) + piece for piece in pieces[1:]]
    return found


def _title_width(heads: tuple[str, str, str, str], rows: Sequence[PlanRow], room: int) -> int:
    """Return the width of the column of titles with which most rows are one line; of several the widest."""
    widths = [(columns_of(row.title), columns_of(row.error)) for row in rows]
    least = columns_of(heads[0])
    longest = max(least, *(error for _, error in widths), columns_of(heads[3])) if rows else least
    candidates = {max(least, title) for title, _ in widths} | {least, max(least, room - longest)}
    possible = [each for each in candidates if least <= each <= max(least, room - columns_of(heads[3]))] or [least]

    def fitting(titles: int) -> int:
        return sum(title <= titles and error <= room - titles for title, error in widths)

    most = max(map(fitting, possible))
    return min(each for each in possible if fitting(each) == most)


def _pieces(text: str, width: int) -> list[str]:
    """Return a text as lines of a width, broken between words."""
    found = [""]
    for word in text.split(" "):
        longer = f"{found[-1]} {word}" if found[-1] else word
        if columns_of(longer) <= width or not found[-1]:
            found[-1] = cut(longer, width)
        else:
            found.append(cut(word, width))
    return found


def columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    >>> columns_of("north"), columns_of("東京")
    (5, 4)
    """
    return sum(_columns(each) for each in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, width: int) -> str:
    """Return a text of at most so many columns, with dots where something is left out."""
    if columns_of(text) <= width:
        return text
    kept, used = "", 0
    for each in text:
        used += _columns(each)
        if used > width - 3:
            break
        kept += each
    return f"{kept}..."


def _padded(text: str, width: int) -> str:
    return text + " " * (width - columns_of(text))
