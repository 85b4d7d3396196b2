"""A plan in words: its table, what should be changed, what its figures mean, what is protected and how well.

It cannot see data. The same sentences serve terminals, Python and notebooks; how you ask for something else differs,
and is a `Spelling`. Sentences come in order of importance, each short; what explains at length is among the details.
Names of columns and categories are anybody's text, and are made visible.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from snapdp.display.numbers import decimal_nearest, exact_amount, four_digits_up
from snapdp.display.text import confidence, each_by_itself, hides_nothing, how_often, listed, one_line
from snapdp.studies.columns import AS_NUMBERS, CategoryColumn, NumberColumn
from snapdp.studies.grouping.margins import Hierarchy
from snapdp.studies.labels import key_text
from snapdp.studies.plans.advice import BEYOND, TENTH, Useless, errors_with_more, other_way
from snapdp.studies.plans.lines import advice_of, called_groups, counting_of, remarks_of, share_in_words
from snapdp.studies.plans.plan import excess_of
from snapdp.studies.protection import (
    describe_protected,
    explain_protection,
    groups_clause,
    rows_clause,
    rows_that_count,
)
from snapdp.studies.statistics.magnitudes import Magnitudes
from snapdp.studies.statistics.parts import NumberError
from snapdp.values import Value

if TYPE_CHECKING:
    from snapdp.studies.plans.lines import Line
    from snapdp.studies.plans.plan import Plan
    from snapdp.studies.statistics.adjusted import MarginFigures
    from snapdp.studies.statistics.statistic import Statistic

# The table: one line for each number, at any width. A title that is too wide for the figures beside it is on a line of
# its own above them; a text that is longer than what is left goes on below itself. No line is wider than asked.

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


# How values are read, as far as declarations tell

MOST_TOLD = 40  # columns
MOST_NAMES = 12  # of the categories of one column


def reading_of(plan: Plan) -> list[str]:
    """Return everything as sentences: first what a reader must know, then what was declared."""
    return [*rules_of(plan), *filter(None, [bounds_of(plan)]), *declared_in(plan)]


def rules_of(plan: Plan) -> list[str]:
    """Return what happens to cells that are no number, or none of the categories."""
    told = list(dict.fromkeys(clause for line in plan.lines for clause in line.statistic.missing_in_words))
    told = [each for each in told if not any(other.startswith(f"{each}, ") for other in told)][:MOST_TOLD]
    others = list(dict.fromkeys(clause for line in plan.lines for clause in line.statistic.others_in_words))[:MOST_TOLD]
    told = [each for each in told if not any(other.startswith(f"{each},") for other in told)]  # one says it, and more
    found = [f"Missing and unreadable cells: {'; '.join(map(one_line, told))}."] if told else []
    found += [f"Other cells: {'; '.join(map(one_line, others))}."] if others else []
    categories = [each for each in _columns_read(plan) if isinstance(each, CategoryColumn)]
    plain = [each for each in categories if each.listed and each.compare != AS_NUMBERS]
    if any(looks_like_number(name) for each in plain for name in each.categories):
        found.append("Categories are compared as text: 1 is not 1.0.")
    if any(each.compare == AS_NUMBERS for each in categories):
        found.append("Categories that are numbers are compared as numbers: 1.0 is 1.")
    return found


def declared_in(plan: Plan) -> list[str]:
    """Return the groups that were declared, and what becomes of cells between and beyond bounds."""
    found = [f"Groups: {'; '.join(named)}."] if (named := _groups(plan)) else []
    return [*found, f"Numbers beyond a bound count as that bound.{_rounded(plan)}"] if _number_columns(plan) else found


def bounds_of(plan: Plan) -> str:
    """Return the bounds that were declared, as one sentence; empty where there are none."""
    numbers = _number_columns(plan)[:MOST_TOLD]
    told = [one_line(f"{each.name} {exact_amount(each.lower)} to {exact_amount(each.upper)}") for each in numbers]
    return f"Bounds: {'; '.join(dict.fromkeys(told))}." if told else ""


def _rounded(plan: Plan) -> str:
    """Return to which steps numbers are rounded, as a sentence; empty where that moves none visibly."""
    steps = [one_line(f"{each.name} {exact_amount(each.step)}") for each in _number_columns(plan) if each.is_coarse][
        :MOST_TOLD
    ]
    return f" Numbers are rounded to steps: {'; '.join(dict.fromkeys(steps))}." if steps else ""


def _number_columns(plan: Plan) -> list[NumberColumn]:
    return [each for each in _columns_read(plan) if isinstance(each, NumberColumn)]


def _columns_read(plan: Plan) -> list[object]:
    return list(dict.fromkeys(column for line in plan.lines for column in line.statistic.every_column))


def _groups(plan: Plan) -> list[str]:
    """Return the declared names of groups as they will be looked for: one that nobody has costs as much."""
    by = (column for line in plan.lines if line.statistic.by is not None for column in line.statistic.by.columns)
    listed = [
        each for each in dict.fromkeys(by) if isinstance(each, CategoryColumn) and each.listed and each.categories
    ]
    return [one_line(f"{each.name} {_some(each.categories)}") for each in listed[:MOST_TOLD]]


def _some(names: Sequence[str]) -> str:
    """Return names, each in quotes where it could be taken for several; of many the first."""
    more = f", ... and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(map(key_text, names[:MOST_NAMES])) + more


def looks_like_number(text: str) -> bool:
    """Tell whether somebody may take a category for a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


# The words of a plan

WIDTH = 80
MOST_NAMED = 3  # lines that are named in one sentence
MOST_ADVISED = 8  # lines that say little, each with what would help
PLURALS = {"group": "groups", "category": "categories", "bin": "bins"}


class Spelling(Value):
    """How somebody who reads the plan asks for something else; empty where that cannot be asked for."""

    fit: str
    if_rows: str


IN_PYTHON = Spelling(fit="plan.fit()", if_rows="study.plan(if_rows=N)")


class PlanWords(Value):
    """Everything that is said about a plan.

    lines     the table
    advice    what should be changed, the most important first
    legend    what the figures mean
    bounds    between which every number is taken, as declared; empty where none is
    promise   what is protected, and what epsilon means
    reading   what happens to cells that are no number, or none of the categories
    warning   of an epsilon that hides nothing; empty for any other
    """

    title: str
    lines: tuple[str, ...]
    advice: tuple[str, ...]
    legend: tuple[str, ...]
    bounds: str
    promise: tuple[str, ...]
    reading: tuple[str, ...]
    warning: str


def plan_words(plan: Plan, *, width: int = WIDTH, most: int = MOST_SHOWN, spelling: Spelling = IN_PYTHON) -> PlanWords:
    """Return what is said about a plan, its table at most so wide, and of so many lines."""
    useless = plan.useless
    lines = lines_of(heads_of(plan), rows_of(plan, (each.place for each in useless), most=most), width)
    left = len(plan.lines) - most
    return PlanWords(
        title=_title(plan),
        lines=(*lines, *([f"{GAP}... and {left} more"] if left > 0 else [])),
        advice=tuple(_advice(plan, useless, spelling)),
        legend=tuple(_legend(plan, spelling)),
        bounds=bounds_of(plan),
        promise=(describe_protected(plan.relation), explain_protection(plan.relation, plan.total)),
        reading=tuple(rules_of(plan)),
        warning=hides_nothing(plan.total),
    )


def plan_text(plan: Plan) -> str:
    """Return a plan as Python shows it: the table, what should be changed, and what the figures mean."""
    said = plan_words(plan)
    notes = (textwrap.fill(each, WIDTH, subsequent_indent=GAP) for each in (*said.advice, *said.legend))
    return "\n".join([said.title, *said.lines, *notes])


def plan_html(plan: Plan) -> str:
    """Return a plan as a notebook shows it."""
    from snapdp.display.html import html_card

    said = plan_words(plan)
    marked = [each.place for each in plan.useless]
    rows = [(f"{MARK} " * row.mark + row.title, row.epsilon, row.bar, row.error) for row in rows_of(plan, marked)]
    left = len(plan.lines) - MOST_SHOWN
    more = [(f"... and {left} more",)] if left > 0 else []
    told = (*said.advice, *said.legend, said.bounds, *said.promise, *said.reading, said.warning)
    notes = [(each,) for each in told if each]
    return html_card(said.title, [(heads_of(plan), [*rows, *more]), ((), notes)])


def _title(plan: Plan) -> str:
    total = exact_amount(plan.total)
    if plan.budget is None:
        return f"Plan: epsilon {total} in total"
    over = f", {exact_amount(plan.total - plan.budget)} too much" if plan.total > plan.budget else ""
    return f"Plan: epsilon {total} of a budget of {exact_amount(plan.budget)}{over}"


# What should be changed


def _advice(plan: Plan, useless: Sequence[Useless], spelling: Spelling) -> Iterator[str]:
    titles = [one_line(title) for title in plan.titles]
    if (excess := excess_of(plan)) is not None:
        # What to cut from a plan that is over its budget.
        if excess.fitted is not None:
            free = [place for place, line in enumerate(plan.lines) if not line.lock]
            factor = excess.fitted.lines[free[0]].epsilon / plan.lines[free[0]].epsilon
            errors = excess.fitted.errors
            worth = [
                f"{titles[place]} "
                + (error_in_words(excess.fitted.lines[place].statistic, errors[place][0]) if errors[place] else "")
                for place in free
            ]
            kept = ", the locked ones as they are" if len(free) < len(plan.lines) else ""
            told = listed(worth, MOST_NAMED + 3)
            share = f"{float(100 * factor):.3g} %"
            yield f"Too much. {spelling.fit} makes every epsilon {share} of what it is{kept}: {told}."
        else:
            yield f"Too much: the locked lines alone cost {exact_amount(plan.locked)}. Unlock one, or leave one out."
        if excess.enough:
            named = [f"{titles[place]} ({exact_amount(plan.lines[place].epsilon)})" for place in excess.enough]
            yield f"Or leave out {_one_of(named)}: the others fit."
        elif len(plan.lines) > 1:
            yield "No single statistic left out would make the others fit."
    for each in useless[:MOST_ADVISED]:
        yield f"{MARK} {titles[each.place]}: {useless_in_words(each)}"
    if len(useless) > MOST_ADVISED:
        yield f"{MARK} So is the error of {len(useless) - MOST_ADVISED} more: above a tenth of the range."
    advised = [f"{title}: {c}." for title, line in zip(titles, plan.lines, strict=True) for c in advice_of(line)]
    yield from advised[:MOST_ADVISED]
    for sharing in plan.sharings:
        yield sharing.in_words


def _one_of(named: Sequence[str]) -> str:
    shown = list(named[:MOST_NAMED])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def useless_in_words(useless: Useless) -> str:
    """Return how bad the error of a line is, and what would help."""
    number, line = useless.number, useless.line
    error = f"± {four_digits_up(number.error)}" + (" rows" if number.in_rows else "")
    name = f"{one_line(number.name)} " if number.name else ""
    divided = line.margins or line.statistic.divisions > 1
    where = f" of a {called_groups(line.statistic)}" if divided else ""
    of = f"the {rows_in_words(number.rows)}{where}" if number.is_of_rows else "its range"
    says = f"{name}{error} is {share_in_words(number.share)} {of}"
    if useless.epsilon is not None:
        return f"{says}; epsilon {exact_amount(useless.epsilon)} would make it a tenth."
    helps = f"fewer {PLURALS[called_groups(line.statistic)]} or more rows" if divided else "more rows"
    return f"{says}, and no epsilon below {BEYOND} would make it a tenth: it takes {helps}."


# What the figures mean


def _legend(plan: Plan, spelling: Spelling) -> Iterator[str]:
    told: dict[str, list[str]] = {}
    for title, line in zip(plan.titles, plan.lines, strict=True):
        for clause in counting_of(line):
            told.setdefault(clause, []).append(one_line(title))
    for clause, titles in told.items():
        yield f"{listed(titles, MOST_NAMED)}: {clause}."
    errors = [each for line in plan.errors for each in line]
    if any(not each.promised for each in errors):
        another = f" Another: {spelling.if_rows}." if spelling.if_rows else ""
        yield f"{_guess(plan)}.{another}"
    if any(line.margins for line in plan.lines):
        yield "Margins are adjusted so that they add up. alone: from the finest table by itself, at the same epsilon."
    if any(not each.in_rows for each in errors):
        yield f"± x: {_often(plan)} the number is within ± x of {_compared(plan)}."
    if any(each.in_rows for each in errors):
        yield (
            f"± x rows: {_often(plan)} the number of rows at or below any one given value is known to ± x. This "
            "does not hold for the value that is released as a quantile, which has an interval of its own."
        )
    if by_itself := each_by_itself("±", [many for place in range(len(plan.lines)) for many in _numbers(plan, place)]):
        yield by_itself


def _numbers(plan: Plan, place: int) -> list[int]:
    """Return how many numbers each ± of a line stands for; none of a first look, whose claim is one of a column."""
    line = plan.lines[place]
    if isinstance(line.statistic, Magnitudes):
        return []
    return [each.cells for each in line.margins] or [line.statistic.cells] * len(plan.errors[place])


def _guess(plan: Plan) -> str:
    """Return for how many rows errors are guessed: where n is private, for the most there may be, the best case."""
    pairs = zip(plan.lines, plan.errors, strict=True)
    divided = [line for line, found in pairs if line.statistic.divisions > 1 and not all(x.promised for x in found)]
    if plan.if_rows is None and not plan.relation.is_change_one:
        shares = ", in equal shares" if divided else ""
        return (
            f'Errors with "if" are for the most rows allowed, {plan.relation.rows:,}{shares}: fewer rows, larger errors'
        )
    shares = f": equal shares of {plan.if_rows or plan.relation.rows:,}" if divided else ""
    return f'Errors with "if" hold for so many rows or more, a guess{shares}'


def _compared(plan: Plan) -> str:
    """Return what numbers are compared with: those of the table, or of what counts where persons have more rows."""
    person = plan.relation.person
    told = {line.statistic.persons_in_words for line in plan.lines} - {"", groups_clause(person, None)}
    if not told:
        return "the table's"
    kept = {line.statistic.neighbours.rows_per_person for line in plan.lines if line.statistic.persons_in_words in told}
    if len(told) == 1 and told == {rows_clause(person, each) for each in kept}:
        return f"that of {rows_that_count(person, *kept)}"
    return "that of the rows and groups that count, as said above"


def _often(plan: Plan) -> str:
    """Return how often an error holds: "in 95 of 100 releases"."""
    alphas = {line.alpha for line in plan.lines}
    if len(alphas) > 1:
        return "as often as it says,"
    return how_often(alphas.pop())


# Details


def details_of(plan: Plan) -> list[str]:
    """Return what explains figures at length: what numbers are made of, what more epsilon buys, what is declared."""
    found = []
    for line, title in zip(plan.lines, plan.titles, strict=True):
        name = one_line(title)
        clauses = list(remarks_of(line))
        if (way := other_way(line)) is not None:
            clauses.append(way.in_words)
        found += [f"{name}: {'; '.join(clauses)}"] if clauses else []
        found += [f"{name}, {text}" for text in _margins(line)]
    return [*found, *_more(plan), *declared_in(plan)]


def _more(plan: Plan) -> Iterator[str]:
    """Yield what a tenth more epsilon would buy for the first number of each line."""
    pairs = zip(plan.lines[:MOST_SHOWN], plan.titles, strict=False)
    found = [(title, errors_with_more(line, TENTH, plan.if_rows)) for line, title in pairs]
    told = [f"{one_line(title)} ± {four_digits_up(e.error)}" for title, then in found for e in then[:1]]
    if told:
        yield f"With 10 % more epsilon each: {', '.join(told)}."


def _margins(line: Line) -> Iterator[str]:
    """Yield what every margin is worth: accuracy and standard deviation, measured, adjusted and alone."""
    for each in line.margins:
        if each.measured is None:
            continue
        alone = "" if each.alone is None else f"; alone {each.alone.text}"
        numbers = f"{each.cells} number{'s' if each.cells > 1 else ''}"
        yield f"{each.text}, {numbers}: measured {each.measured.text}, adjusted {each.adjusted.text}{alone}"
    if isinstance(line.statistic.margins, Hierarchy):
        yield "numbers of one level err by different amounts: the figures are those of the one that errs most"
