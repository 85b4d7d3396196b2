"""Questions about statistics: which, of which column, for which groups. A whole one may be said in one line.

Room: cli. The words of the menu stand for the kinds of the library. A statistic that cannot be planned with those
before it is left out, and said so with the next question; nothing else is lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from snapdp.api.outline import line_problem
from snapdp.cli.start.columns import KnownColumns, which
from snapdp.cli.start.declarations import declare_groups, declare_numbers, with_levels, with_step
from snapdp.cli.start.pages import flowing, name_of, paragraph, sentence
from snapdp.cli.start.questions import Choice, Flow, Key, Question, counted, listed, numbers
from snapdp.display import one_line
from snapdp.errors import ParameterError, SnapdpError
from snapdp.studies import MAGNITUDE, statistic_class
from snapdp.values import Value

NOTHING, NUMBERS, GROUPS, PAIR, SIZES = "nothing", "numbers", "groups", "pair", "sizes"
DONE = ("done", "no", "none", "that is all")


FEW_LEVELS = 1000  # which no statistic finds too many
PLACE = re.compile(r"statistic \d+ \(\w+\): ")
SPENT = re.compile(r" ?Nothing was (read and nothing )?spent\.")


class Kind(Value):
    """A statistic as people call it.

    kind    as the library calls it
    about   what it takes: nothing, a column of numbers, one of groups, two of numbers, or one without bounds
    asks    how its column is asked for
    """

    choice: Choice
    kind: str
    about: str
    asks: str = ""
    persons: bool = False


def _kind(word: str, means: str, kind: str, about: str, asks: str = "", *others: str, persons: bool = False) -> Kind:
    return Kind(
        choice=Choice(word=word, means=means, others=(kind, *others)),
        kind=kind,
        about=about,
        asks=asks,
        persons=persons,
    )


KINDS = (
    _kind("count", "how many rows", "count", NOTHING, "", "rows"),
    _kind("average", "of a column of numbers", "mean", NUMBERS, "The average of which column?", "avg"),
    _kind("total", "of a column of numbers", "sum", NUMBERS, "The total of which column?"),
    _kind("table", "how many rows in each category", "histogram", GROUPS, "A table of which column?", "counts"),
    _kind("median", "the median and quartiles", "quantiles", NUMBERS, "The median of which column?", "quartiles"),
    _kind("spread", "the standard deviation", "variance", NUMBERS, "The spread of which column?", "deviation"),
    _kind("together", "how two columns vary together", "covariance", PAIR, "Of which two columns?", "correlation"),
    _kind("size", "rough size, where bounds are unknown", "magnitudes", SIZES, "The size of which column?"),
    _kind("people", "how many persons, each once", "persons", NOTHING, "", persons=True),
)


class Said(Value):
    """A statistic as far as one line says it. `about` and `by` are None where they are to be asked for."""

    kind: Kind
    about: tuple[str, ...] | None = None
    by: tuple[str, ...] | None = None


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
        check=lambda text: _said(text, kinds, columns),
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
        default=None if needed else "",
        check=lambda text: tuple(columns.groups(text, about)),
    )


def is_line(text: str, columns: KnownColumns) -> bool:
    """Tell whether a text would be taken for a statistic, or for the end of them."""
    try:
        _said(text, KINDS, columns)
    except SnapdpError:
        return False
    return True


def _said(text: str, kinds: Sequence[Kind], columns: KnownColumns) -> Said | None:
    """Return what a line says: "average", "2", or "average income by region"."""
    if text.lower() in DONE:
        return None
    word, _, rest = text.partition(" ")
    place = int(word) if word.isascii() and word.isdigit() and len(word) < 4 else 0
    kind = next(
        (
            each
            for number, each in enumerate(kinds, start=1)
            if number == place or word.lower() in (each.choice.word, *each.choice.others)
        ),
        None,
    )
    if kind is None:
        raise ParameterError(
            f'"{one_line(text)}" is none of them.',
            f"Type a number from 1 to {len(kinds)}, or a word of the list, such as average.",
        )
    rest = rest.strip().removeprefix("of ").strip()
    if not rest:
        return Said(kind=kind)
    whole = rest in columns.names and kind.about != NOTHING
    about, _, by = (rest, "", "") if whole else _parted(rest)
    if kind.about == NOTHING and about:
        raise ParameterError(f"{kind.choice.word} takes no column.", f"Such as: {kind.choice.word} by region.")
    if kind.about != NOTHING and not about:
        raise ParameterError("no column is named before by.", f"Such as: {kind.choice.word} age by region.")
    try:
        named = _CHECKS[kind.about](columns, about) if about else ()
        return Said(kind=kind, about=named, by=tuple(columns.groups(by, named)))
    except ParameterError as refusal:
        if "nearest" not in refusal.numbers:
            raise
        given, nearest = (str(refusal.numbers[key]) for key in ("given", "nearest"))
        meant = f"{word} {rest}".replace(given, nearest)  # the whole line, as it was meant
        raise ParameterError(refusal.problem, refusal.advice, nearest=meant) from None


def _parted(rest: str) -> tuple[str, str, str]:
    if rest.startswith("by "):
        return "", "by", rest.removeprefix("by ").strip()
    about, by, groups = rest.partition(" by ")
    return about.strip(), by, groups.strip()


def _ask_about(key: Key, kind: Kind, columns: KnownColumns) -> Flow[tuple[str, ...]]:
    if kind.about == NOTHING:
        return ()
    found: tuple[str, ...] = yield which(
        columns,
        key=(*key, "column"),
        text=kind.asks,
        after=lambda names: f"Taken: {', '.join(map(name_of, names))}.",
        check=lambda text: _CHECKS[kind.about](columns, text),
        **({"hint": "Two names or numbers, with a comma: age, income."} if kind.about == PAIR else {}),
    )
    return found


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
    for name in about:
        yield from declare_numbers(columns, name)
    if kind.about == PAIR:
        private = "n_max" in relation or any(columns.declared[name]["missing"] == "dropped" for name in about)
        return {"columns": list(about), **({"correlation": True} if private else {})}
    if "at" in statistic_class(kind.kind).details:
        yield from _ask_coarser(kind, about[0], columns, relation)
        shares = yield Question(
            key=(*key, "at"),
            text="At which shares of the rows?",
            hint="Rising, with commas: 0.5 is the median, 0.9 what nine of ten do not exceed.",
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


def _pair(columns: KnownColumns, text: str) -> tuple[str, ...]:
    names = tuple(columns.of_numbers(each) for each in listed(text))
    if len(set(names)) != 2 or len(names) != 2:
        raise ParameterError("these are not two different columns.", "Name two, with a comma: age, income.")
    return names


_CHECKS: Mapping[str, Callable[[KnownColumns, str], tuple[str, ...]]] = {
    NUMBERS: lambda columns, text: (columns.of_numbers(text),),
    GROUPS: lambda columns, text: (columns.of_groups(text),),
    SIZES: lambda columns, text: (columns.of_sizes(text),),
    PAIR: _pair,
}


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
