"""Questions about statistics: which, of which column, for which groups. A whole one may be said in one line (`line`).

Room: cli. A statistic that cannot be planned with those before it is left out, and said so with the next question;
nothing else is lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from snapdp.api.outline import line_problem
from snapdp.cli.start.columns import KnownColumns, which
from snapdp.cli.start.declarations import declare_groups, declare_numbers, with_levels, with_step
from snapdp.cli.start.line import (
    CHECKS,
    DONE,
    GROUPS,
    KINDS,
    NOTHING,
    ONE_COLUMN,
    PAIR,
    SIZES,
    Kind,
    Said,
    said_in,
    several,
)
from snapdp.cli.start.pages import flowing, name_of, paragraph, sentence
from snapdp.cli.start.questions import Flow, Key, Question, counted, numbers
from snapdp.errors import ParameterError, SnapdpError
from snapdp.studies import MAGNITUDE, statistic_class

FEW_LEVELS = 1000  # which no statistic finds too many
PLACE = re.compile(r"statistic \d+ \(\w+\): ")
SPENT = re.compile(r" ?Nothing was (read and nothing )?spent\.")


def ask_statistic(
    key: Key, columns: KnownColumns, relation: Mapping[str, Any], before: Sequence[Mapping[str, Any]], notice: str
) -> Flow[dict[str, Any] | str | None]:
    """Ask for one statistic; return it by the keys of a study, None at the end, or a text why it is left out."""
    kinds = tuple(each for each in KINDS if "person" in relation or not each.persons)
    words = [f"{place} {each.choice.word}" for place, each in enumerate(kinds, start=1)]
    said: Said | None = yield Question(
        key=key,
        text="And what else?" if before else "What is published?",
        menu=() if before else tuple(each.choice for each in kinds),
        listing=None if not before else lambda: flowing(words, gap="  "),
        hint="A number, or a line such as: average income by region.",
        more="Each statistic gets a part of the budget: fewer are more accurate. Conditions, margins and other shares "
        "can be written into the study file afterwards. When there are no more: done.",
        default=DONE[0] if before else None,
        before=(lambda: paragraph(notice, indent="  ", first="! ")) if notice else None,
        check=lambda text: said_in(text, kinds, columns),
    )
    if said is None:
        return None
    about = said.about
    if about is None:
        about = yield from _ask_about(key, said.kind, columns)
    found: dict[str, Any] = {"kind": said.kind.kind}
    found |= yield from _declared(key, said.kind, about, columns, relation)
    by = said.by
    if by is None and said.kind.about != SIZES:
        by = yield _groups_question(key, columns, about, needed="n" in relation and said.kind.about == NOTHING)
    if by:
        yield from declare_groups(columns, by)
        found["by"] = list(by) if len(by) > 1 else by[0]
        if said.kind.persons:
            found["groups_per_person"] = yield Question(
                key=(*key, "groups_per_person"),
                text="In at most how many of these groups does one person count?",
                hint="Such as 1, where nobody is in two. The noise grows with it.",
                more="Somebody who is in more of these groups counts in so many of them, chosen by chance. A larger "
                "number leaves out fewer and makes every group rougher; 1 is right where everybody is in one group.",
                check=counted,
            )
    refused = _problem(json.dumps([dict(relation), columns.declared, [*before, found]]))
    return found if refused is None else f"{refused} This one is left out; the others are kept."


def _groups_question(key: Key, columns: KnownColumns, about: Sequence[str], *, needed: bool) -> Question:
    """Return the question for groups; a number of all rows that is public anyway is counted in groups only."""
    enter = "Of all rows it is public already." if needed else "Enter: no, of all rows together."
    return which(
        columns,
        key=(*key, "by"),
        text="In the groups of which column?" if needed else "For each group of a column?",
        hint=f"A name or number, several with commas. {enter}",
        why="There is then one number for each group, or for each combination of groups. The smaller these are, the "
        "more the noise matters.",
        default=None if needed else "",
        check=lambda text: tuple(columns.groups(text, about)),
    )


def _ask_about(key: Key, kind: Kind, columns: KnownColumns) -> Flow[tuple[str, ...]]:
    if kind.about == NOTHING:
        return ()
    found: tuple[str, ...] = yield which(
        columns,
        key=(*key, "column"),
        text=kind.asks,
        why="The statistic is about what stands in it. What is public of it is asked for next, once for each column.",
        after=lambda names: f"Taken: {', '.join(map(name_of, names))}.",
        check=lambda text: _column(kind, columns, text),
        **({"hint": "Two names or numbers, with a comma: age, income."} if kind.about == PAIR else {}),
    )
    return found


def _column(kind: Kind, columns: KnownColumns, text: str) -> tuple[str, ...]:
    """Return the columns of an answer: as many as the statistic is about."""
    names = several(text, columns) if kind.about in ONE_COLUMN else []
    if names:
        (first,) = CHECKS[kind.about](columns, names[0])
        more = "another gets a line of its own." if kind.about == SIZES else "groups of another are asked for next."
        told = f"{kind.choice.word} takes one column; {more}"
        raise ParameterError(told, f'Enter takes "{name_of(first)}".', nearest=first, given=text)
    return CHECKS[kind.about](columns, text)


def _declared(
    key: Key, kind: Kind, about: Sequence[str], columns: KnownColumns, relation: Mapping[str, Any]
) -> Flow[dict[str, Any]]:
    """Ask what is public about the columns of a statistic; return its keys."""
    if kind.about == NOTHING:
        return {}
    if kind.about == SIZES:
        columns.declared.setdefault(about[0], {"kind": MAGNITUDE})
        return {"column": about[0]}
    if kind.about == GROUPS:
        yield from declare_groups(columns, about)
        return {"column": about[0]}
    is_ranked = "at" in statistic_class(kind.kind).details
    for name in about:
        yield from declare_numbers(columns, name, ranked=is_ranked)
    if kind.about == PAIR:
        private = "n_max" in relation or any(columns.declared[name]["missing"] == "dropped" for name in about)
        return {"columns": list(about), **({"correlation": True} if private else {})}
    if is_ranked:
        yield from _ask_coarser(kind, about[0], columns, relation)
        shares = yield Question(
            key=(*key, "at"),
            text="At which shares of the rows?",
            hint="Rising, with commas: 0.5 is the median, 0.9 what nine of ten do not exceed.",
            more="0.25, 0.5 and 0.75 are the quartiles. All of them follow from the same counts: as many as you like "
            "cost as much as one. Those near 0 and 1 say little, because few rows lie beyond them.",
            default="0.25, 0.5, 0.75",
            check=_shares,
        )
        return {"column": about[0], "at": shares}
    return {"column": about[0]}


def _ask_coarser(kind: Kind, name: str, columns: KnownColumns, relation: Mapping[str, Any]) -> Flow[None]:
    """Ask for a wider step where values are too many to be counted one by one."""

    def refused(declared: Mapping[str, Any]) -> str | None:
        return _problem(json.dumps([dict(relation), {name: declared}, [{"kind": kind.kind, "column": name}]]))

    def coarser(text: str) -> dict[str, Any]:
        found = with_step(name, known, text)
        if refused(found) is not None:
            raise ParameterError("this is still too fine.", "Type a wider step, such as 10 or 100.")
        return found

    known = columns.declared[name]
    if refused(known) is not None and refused(with_levels(known, FEW_LEVELS)) is None:
        columns.declared[name] = yield Question(
            key=("column", name, "coarser"),
            text=f"Too many values to count. To what may those of {name_of(name)} be rounded?",
            hint="For all statistics of this column, such as 10 or 100.",
            more="Medians and quartiles are read off counts of all values there can be. The fewer, the more accurate.",
            check=coarser,
        )


def _shares(text: str) -> list[str]:
    found = numbers(text)
    if not all(0 < each < 1 for each in found) or sorted(set(found)) != found:
        raise ParameterError("these are no shares between 0 and 1 that rise.", "Such as 0.25, 0.5, 0.75.")
    return [str(each) for each in found]


@lru_cache(maxsize=256)
def _problem(stated: str) -> str | None:
    """Return why the last of some statistics cannot be planned; a conversation asks it again with every answer."""
    relation, columns, statistics = json.loads(stated)
    used = {name for each in statistics for key in ("column", "columns", "by") for name in _names(each.get(key))}
    found: SnapdpError | None = line_problem(
        relation, {name: columns[name] for name in columns if name in used}, statistics
    )
    if found is None:
        return None
    return sentence(SPENT.sub("", PLACE.sub("", f"{found.problem} {found.advice}", count=1)))


def _names(stated: Any) -> Sequence[str]:
    return () if stated is None else (stated,) if isinstance(stated, str) else stated
