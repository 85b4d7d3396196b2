"""A plan in words: its title, what should be changed, what its figures mean, what is protected and how well.

Room: studies. It cannot see data. The same sentences serve terminals, Python and notebooks; how something is asked for
differs, and is a `Spelling`. Ordered by importance, each short; what explains at length is among the details.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from snapdp.display import (
    each_by_itself,
    exact_amount,
    four_digits_up,
    hides_nothing,
    how_often,
    listed,
    one_line,
)
from snapdp.studies.grouping.hierarchies import Hierarchy
from snapdp.studies.plans.cuts import Excess, excess_of
from snapdp.studies.plans.offers import TENTH, errors_with_more
from snapdp.studies.plans.reading import bounds_of, declared_in, rules_of
from snapdp.studies.plans.remarks import (
    advice_of,
    called_groups,
    counting_of,
    remarks_of,
    share_in_words,
)
from snapdp.studies.plans.table import GAP, MARK, MOST_SHOWN, error_in_words, heads_of, lines_of, rows_in_words, rows_of
from snapdp.studies.plans.usefulness import BEYOND, Useless
from snapdp.studies.plans.variance_ways import other_way
from snapdp.studies.protection import (
    describe_protected,
    explain_protection,
    groups_clause,
    rows_clause,
    rows_that_count,
)
from snapdp.studies.ranks.magnitudes import Magnitudes
from snapdp.studies.statistics.number_errors import NumberError
from snapdp.values import Value

if TYPE_CHECKING:
    from snapdp.studies.plans.lines import Line
    from snapdp.studies.plans.plan import Plan

WIDTH = 80
MOST_NAMED = 3  # lines that are named in one sentence
MOST_ADVISED = 8  # lines that say little, each with what would help
HUNDRED = 100
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
        promise=_promise(plan),
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
    from snapdp.display import html_card

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
        yield from _cuts(plan, excess, titles, spelling)
    for each in useless[:MOST_ADVISED]:
        yield f"{MARK} {titles[each.place]}: {useless_in_words(each)}"
    if len(useless) > MOST_ADVISED:
        yield f"{MARK} So is the error of {len(useless) - MOST_ADVISED} more: above a tenth of the range."
    advised = [f"{title}: {c}." for title, line in zip(titles, plan.lines, strict=True) for c in advice_of(line)]
    yield from advised[:MOST_ADVISED]
    for sharing in plan.sharings:
        yield sharing.in_words


def _cuts(plan: Plan, excess: Excess, titles: Sequence[str], spelling: Spelling) -> Iterator[str]:
    """Yield what to cut from a plan that is over its budget."""
    if excess.fitted is not None:
        free = [place for place, line in enumerate(plan.lines) if not line.lock]
        factor = excess.fitted.lines[free[0]].epsilon / plan.lines[free[0]].epsilon
        errors = excess.fitted.errors
        worth = [f"{titles[place]} {_worth(excess.fitted.lines[place], errors[place])}" for place in free]
        kept = ", the locked ones as they are" if len(free) < len(plan.lines) else ""
        told = listed(worth, MOST_NAMED + 3)
        yield f"Too much. {spelling.fit} makes every epsilon {_percent(factor)} of what it is{kept}: {told}."
    else:
        yield f"Too much: the locked lines alone cost {exact_amount(plan.locked)}. Unlock one, or leave one out."
    if excess.enough:
        named = [f"{titles[place]} ({exact_amount(plan.lines[place].epsilon)})" for place in excess.enough]
        yield f"Or leave out {_one_of(named)}: the others fit."
    elif len(plan.lines) > 1:
        yield "No single statistic left out would make the others fit."


def _worth(line: Line, errors: Sequence[NumberError]) -> str:
    return error_in_words(line.statistic, errors[0]) if errors else ""


def _one_of(named: Sequence[str]) -> str:
    shown = list(named[:MOST_NAMED])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def _percent(factor: Fraction) -> str:
    return f"{float(HUNDRED * factor):.3g} %"


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


def _promise(plan: Plan) -> tuple[str, ...]:
    return describe_protected(plan.relation), explain_protection(plan.relation, plan.total)


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
