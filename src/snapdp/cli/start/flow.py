"""The whole conversation: the file, who is protected, the budget, the statistics, the report, and the plan to change.

Room: cli. A generator of questions; what it returns is the outline of a study and what is to be done with it. It holds
no data: of a file it knows the names of its columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from snapdp.api.outline import Outline, OutlineLine, about_keys, check_relation, shared_out
from snapdp.cli.screen import echo
from snapdp.cli.start.columns import KnownColumns
from snapdp.cli.start.interview import ADDED, PLAN, Interview
from snapdp.cli.start.line import KINDS, is_line
from snapdp.cli.start.pages import name_of, show_problem
from snapdp.cli.start.questions import Choice, Flow, Key, Question, above_zero, counted, one_of
from snapdp.cli.start.relation import BUDGET as ASKED_BUDGET, ask_budget, ask_relation
from snapdp.cli.start.statistics import ask_statistic
from snapdp.display import exact_amount, one_line
from snapdp.errors import ParameterError, SnapdpError
from snapdp.studies import plan_of
from snapdp.values import Value, replaced

if TYPE_CHECKING:
    from snapdp.ledger import Account

RELEASE, SAVE, MORE, REMOVE, ADD, BUDGET, CHANGE, LOOK, ROWS = (
    "release", "save", "more", "remove", "add", "budget", "change", "look", "rows",
)  # fmt: skip
MENU = (
    Choice(word=RELEASE, means="publish it: the ledger is charged, after one more question"),
    Choice(word=MORE, means="a larger part of the budget for one line"),
    Choice(word=REMOVE, means="take a line out"),
    Choice(word=ADD, means="add a statistic"),
    Choice(word=BUDGET, means="another budget"),
    Choice(word=CHANGE, means="answer one of the questions again"),
    Choice(word=LOOK, means="see how the cells are read: free, for you alone"),
    Choice(word=SAVE, means="write the study file and stop; nothing is charged"),
    Choice(word=ROWS, means="errors for fewer rows than the most there may be"),
)
MOST_TIMES = Fraction(1_000_000)  # as much for one line as for another
QUOTED = re.compile(r'"(.+)"')
ABOUT = {
    "title": ("What is the title of the report?", "Such as: Incomes in the north, 2026."),
    "publisher": ("Who publishes it?", "Such as: Statistical office of Northland."),
    "contact": ("Whom may readers ask?", "An address, such as statistics@example.org."),
}
MORE_ABOUT = (
    "Readers see it in the report, and it stands in the record, which never changes: write nothing there that is not "
    "public. It costs nothing. What would be a statistic is taken in double quotes."
)
MORE_LINES = (
    "The lines of the plan, from above. All share one budget: what one gets more the others get less, and one that is "
    "taken out leaves its part to them."
)


class Talk(Value):
    """What a conversation is about.

    columns   of the table, with nothing declared yet
    account   of the ledger, where it has one for the dataset
    more      other keys of the study: csv
    can_release   a file is at hand: it may be looked at, and released
    look      shows how the cells are read, of an outline; for whoever answers alone
    """

    dataset: str
    columns: KnownColumns
    interview: Interview
    account: Account | None = None
    more: Mapping[str, Any] = {}
    can_release: bool = False
    look: Callable[[Outline], None] | None = None


class Decided(Value):
    """The end of a conversation: an outline, what is to be done with it, and the question that decided it.

    rows   for how many rows errors were shown, where somebody guessed; no part of the study
    """

    outline: Outline
    action: str
    key: Key
    rows: int | None = None


def conversation(talk: Talk) -> Flow[Decided]:
    """Ask for everything that a study needs; then show the plan until it is taken."""
    columns, account = talk.columns, talk.account
    relation = yield from ask_relation(columns, account)
    budget = yield from ask_budget(relation, account, again=lambda: talk.interview.forget(ASKED_BUDGET))
    lines: list[OutlineLine] = []
    yield from _ask_lines(("statistic",), columns, relation, lines)
    about = (yield from _ask_about(relation, columns)) if talk.can_release else {}
    step, rows = 0, None
    while True:
        step += 1
        outline = Outline(
            dataset=talk.dataset,
            relation=relation,
            budget=budget,
            columns=columns.declared,
            lines=tuple(lines),
            more={**talk.more, **about},
        )
        key = (PLAN, str(step))
        word = yield _plan_question(key, talk, outline, rows)
        if word in (RELEASE, SAVE):
            return Decided(outline=outline, action=word, key=key, rows=rows)
        if word == ROWS:
            rows = yield _rows_question(key, outline)
            continue
        if word == ADD:
            yield from _ask_lines((*key, ADDED), columns, relation, lines, most=1)
        else:
            yield from _changed(lines, word, key)


def _ask_lines(
    key: Key, columns: KnownColumns, relation: dict[str, Any], lines: list[OutlineLine], most: int | None = None
) -> Flow[None]:
    """Ask for statistics until there are no more, or as many as are wanted."""
    notice, added, number = "", 0, 0
    while most is None or added < most:
        before, number = [line.statistic for line in lines], number + 1
        found = yield from ask_statistic((*key, str(number)), columns, relation, before, notice)
        if found is None:
            break
        notice = found if isinstance(found, str) else ""
        if not isinstance(found, str):
            lines.append(OutlineLine(statistic=found))
            added += 1


def _ask_about(relation: dict[str, Any], columns: KnownColumns) -> Flow[dict[str, str]]:
    """Ask for the texts that readers of the report see, where studies have them."""
    found: dict[str, str] = {}
    for key in about_keys():
        text, hint = ABOUT[key]
        said = yield Question(
            key=("about", key),
            text=text,
            hint=f"{hint} Enter: none.",
            more=MORE_ABOUT,
            default="",
            check=lambda text, key=key: _about(relation, columns, key, text),  # type: ignore[misc]
        )
        if said:
            found[key] = said
    return found


def _about(relation: dict[str, Any], columns: KnownColumns, key: str, text: str) -> str:
    """Return a text for readers; one that is a line of the question before is taken in double quotes only.

    A text with a capital letter is meant for readers: "Average age by region" is a title.
    """
    quoted = QUOTED.fullmatch(text)
    if quoted is None and text and not text[0].isupper() and is_line(text, columns):
        raise ParameterError(
            f'"{one_line(text)}" would be a statistic.', "< goes back to these; in double quotes it is taken as it is."
        )
    text = quoted[1] if quoted else text
    if text:
        check_relation({**relation, key: text})
    return text


def _plan_question(key: Key, talk: Talk, outline: Outline, rows: int | None) -> Question:
    shown = {RELEASE: talk.can_release, LOOK: talk.can_release, ROWS: "n_max" in outline.relation}
    menu = tuple(each for each in MENU if shown.get(each.word, True))
    acts: dict[str, Callable[[], None]] = {
        BUDGET: lambda: talk.interview.reopen(ASKED_BUDGET),
        CHANGE: talk.interview.choose_again,
    }
    look = talk.look
    return Question(
        key=key,
        text="This is the plan. What now?",
        menu=menu,
        more="Nothing was charged yet. A line that is marked or too rough gets better by a "
        "larger part of the budget, by fewer groups, or by taking another line out.",
        before=lambda: _shown(talk, outline, rows),
        check=lambda text: _decided(outline, one_of(menu)(text)),
        acts=acts,
        shows={} if look is None else {LOOK: lambda: look(outline)},
        ends=(RELEASE, SAVE),
    )


def _rows_question(key: Key, outline: Outline) -> Question:
    """Return the question for how many rows errors are shown, where it is secret how many there are."""
    most = outline.relation["n_max"]
    return Question(
        key=(*key, "rows"),
        text="Errors for how many rows in the table?",
        hint=f"A guess without looking, such as 2000. Enter: the most there may be, {most}.",
        more="Averages, medians and the like are rougher where there are fewer rows, and how many there are is secret: "
        "the plan shows errors for a guess, of which every group has an equal share. It changes what is shown, and "
        "nothing that is released. Take no number that you counted in the table.",
        default="",
        check=lambda text: _guessed(text, most) if text else None,
    )


def _guessed(text: str, most: int) -> int:
    rows = counted(text)
    if rows > most:
        raise ParameterError(f"{rows} is more than the {most} that there may be.", f"Type {most} or less.")
    return rows


def _shown(talk: Talk, outline: Outline, rows: int | None) -> None:
    """Show the plan; its notes only where it is not the one that was shown last."""
    stated = repr((outline.values(), rows))
    notes, talk.interview.shown = stated != talk.interview.shown, stated
    echo("", err=True)
    try:
        show_outline(outline, talk.account, notes=notes, rows=rows, interview=talk.interview)
    except SnapdpError as refusal:
        show_problem(refusal)


def _decided(outline: Outline, word: str) -> str:
    """Return what was chosen; a plan that the library refuses is neither released nor saved."""
    if word in (RELEASE, SAVE):
        plan_of(outline.study())
    if word == REMOVE and len(outline.lines) == 1:
        raise ParameterError("there is one line only.", "Add another first, or stop by typing quit.")
    if word == MORE and len(outline.lines) == 1:
        raise ParameterError("the one line has all of the budget.", "Type budget to give it a larger one.")
    return word


def _changed(lines: list[OutlineLine], word: str, key: Key) -> Flow[None]:
    """Ask which line is to get more, or to go."""
    titles = tuple(_title(line) for line in lines)
    asked = "Which line gets more?" if word == MORE else "Which line is taken out?"
    place = yield Question(
        key=(*key, "line"), text=asked, menu=titles, more=MORE_LINES, check=lambda text: _line(text, len(lines))
    )
    if word == REMOVE:
        del lines[place]
        return
    times = yield Question(
        key=(*key, "times"),
        text="How many times as much as now, beside each other line?",
        hint="2: it then weighs twice as much beside the others as it does now.",
        more="All lines share one budget by weight, so what one gets more the others get less, all in proportion.",
        default="2",
        check=lambda text: _times(text, lines[place].weight),
        after=lambda times: _shift(lines, place, times),
    )
    lines[place] = _weighted(lines, place, times)


def _weighted(lines: list[OutlineLine], place: int, times: Fraction) -> OutlineLine:
    return replaced(lines[place], weight=lines[place].weight * times)


def _shift(lines: list[OutlineLine], place: int, times: Fraction) -> str:
    """Return which part of the budget a line has, and will have."""
    then = [*lines[:place], _weighted(lines, place, times), *lines[place + 1 :]]
    before, after = (shared_out(1, [line.weight for line in each])[place] for each in (lines, then))
    return f"Its part of the budget: {exact_amount(after)}, up to now {exact_amount(before)}."


def _line(text: str, many: int) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) <= many):
        told = f"Type a number from 1 to {many}." if many > 1 else "There is one line: type 1."
        raise ParameterError(f'"{one_line(text)}" is the number of no line.', told)
    return int(text) - 1


def _times(text: str, weight: Fraction) -> Fraction:
    """Return how many times as much a line gets; a weight beyond all use would be a number of any length."""
    times = above_zero(text)
    if not 1 / MOST_TIMES <= weight * times <= MOST_TIMES:
        raise ParameterError("this leaves nothing to one line or the others.", "Type a number such as 2, or 1/2.")
    return times


def _title(line: OutlineLine) -> Choice:
    """Return a line in the words of the menu: average, income by region."""
    word = next(each.choice.word for each in KINDS if each.kind == line.statistic["kind"])
    return Choice(word=word, means=" by ".join(filter(None, map(_named, (line.about, line.by)))) or "all rows")


def _named(names: tuple[str, ...]) -> str:
    return ", ".join(map(name_of, names))


def show_outline(
    outline: Outline, account: Account | None, *, notes: bool, rows: int | None, interview: Interview
) -> None:
    """Print the plan of an outline, its table last, for so many rows; for notes see `show_plan_below`."""
    from snapdp.cli.plans.screen import show_plan_below

    plan, say_step = plan_of(outline.study(), if_rows=rows), partial(_step_to_type, interview)
    show_plan_below(plan, account=account, notes=notes, say_step=say_step)


def _step_to_type(interview: Interview, column: str, step: str) -> str:
    """Return a wider step, and where it is typed: the question that was asked last about the step of the column."""
    asked = (interview.place_of(("column", column, key)) for key in ("coarser", "step"))
    number = next(filter(None, asked), None)
    return step if number is None else f"{step} (type change, then {number}, then {step})"
