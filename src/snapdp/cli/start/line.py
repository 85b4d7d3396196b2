"""A statistic that is said in one line: "average income by region", "2 3 by 1", or a word of the menu alone.

Room: cli. The words of the menu stand for the kinds of the library. A line that says nearly what can be done is refused
with the one that was meant, which Enter takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from snapdp.cli.flags.by_name import as_item
from snapdp.cli.start.columns import KnownColumns
from snapdp.cli.start.questions import Choice, listed
from snapdp.display import one_line
from snapdp.errors import ParameterError, SnapdpError
from snapdp.values import Value

NOTHING, NUMBERS, GROUPS, PAIR, SIZES = "nothing", "numbers", "groups", "pair", "sizes"
ONE_COLUMN = (NUMBERS, GROUPS, SIZES)
DONE = ("done", "no", "none", "that is all")


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


def is_line(text: str, columns: KnownColumns) -> bool:
    """Tell whether a text would be taken for a statistic, or for the end of them."""
    try:
        said_in(text, KINDS, columns)
    except SnapdpError:
        return False
    return True


def said_in(text: str, kinds: Sequence[Kind], columns: KnownColumns) -> Said | None:
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
        raise _no_column_of(kind, about, by, columns)
    if kind.about != NOTHING and not about:
        raise ParameterError("no column is named before by.", f"Such as: {kind.choice.word} age by region.")
    try:
        _refuse_several(kind, about, by, columns)
        named = CHECKS[kind.about](columns, about) if about else ()
        return Said(kind=kind, about=named, by=tuple(columns.groups(by, named)))
    except ParameterError as refusal:
        if "nearest" not in refusal.numbers:
            raise
        given, nearest = (str(refusal.numbers[key]) for key in ("given", "nearest"))
        is_line = refusal.numbers.get("line", False)
        meant = nearest if is_line else f"{word} {rest}".replace(given, nearest)  # the whole line, as it was meant
        raise ParameterError(refusal.problem, refusal.advice, nearest=meant) from None


def _no_column_of(kind: Kind, about: str, by: str, columns: KnownColumns) -> ParameterError:
    """Return the refusal of a column for a count of rows; where it can be meant for groups, so it is offered."""
    word = kind.choice.word
    try:
        columns.groups(about)
    except ParameterError:
        return ParameterError(f"{word} takes no column.", f"Such as: {word} by region.")
    return _offer(f"{word} takes no column.", f"{word} by {', '.join(filter(None, (about, by)))}")


def _refuse_several(kind: Kind, about: str, by: str, columns: KnownColumns) -> None:
    """Refuse several columns where a statistic is about one: of others it can give the groups, so that is offered."""
    names = several(about, columns) if kind.about in ONE_COLUMN else []
    if not names:
        return
    CHECKS[kind.about](columns, names[0])
    word, first = kind.choice.word, names[0]
    if kind.about == SIZES:
        raise _offer(f"{word} takes one column; another gets a line of its own.", f"{word} {first}")
    groups = [*names[1:], *(listed(by) if by else [])]
    columns.groups(", ".join(map(as_item, groups)))
    raise _offer(f"{word} takes one column.", f"{word} {first} by {', '.join(map(as_item, groups))}")


def several(text: str, columns: KnownColumns) -> list[str]:
    """Return the columns that a text with commas names; none where it is one name."""
    names = listed(text) if "," in text and text not in columns.names else []
    return names if len(names) > 1 else []


def _offer(problem: str, line: str) -> ParameterError:
    return ParameterError(
        problem, f'Did you mean "{one_line(line)}"? Enter takes it.', nearest=line, given=line, line=True
    )


def _parted(rest: str) -> tuple[str, str, str]:
    if rest.startswith("by "):
        return "", "by", rest.removeprefix("by ").strip()
    about, by, groups = rest.partition(" by ")
    return about.strip(), by, groups.strip()


def _pair(columns: KnownColumns, text: str) -> tuple[str, ...]:
    names = tuple(columns.of_numbers(each) for each in listed(text))
    if len(set(names)) != 2 or len(names) != 2:
        raise ParameterError("these are not two different columns.", "Name two, with a comma: age, income.")
    return names


def _plain(columns: KnownColumns, text: str) -> str:
    """Return a name that holds a comma without the double quotes that it stands in."""
    names = listed(text) if "," in text and text not in columns.names else []
    return names[0] if len(names) == 1 else text


CHECKS: Mapping[str, Callable[[KnownColumns, str], tuple[str, ...]]] = {
    NUMBERS: lambda columns, text: (columns.of_numbers(_plain(columns, text)),),
    GROUPS: lambda columns, text: (columns.of_groups(_plain(columns, text)),),
    SIZES: lambda columns, text: (columns.of_sizes(_plain(columns, text)),),
    PAIR: _pair,
}
