"""The table of released numbers: one row each, and the same columns in CSV, Parquet, pandas and Polars.

Read from the record alone. A row is named by its statistic, by what the number is (`measure`), by the column it is
about, and by one column for each key: the columns that groups are by, the column of a histogram, the share of a
quantile. Bins have two numbers beside their name, so that no text has to be cut apart: the texts are those that bins,
levels of quantiles and magnitudes have in a record, such as [18, 65), above 65, below 5, 586 to 602, from 1024, to -1.
A record may be anybody's, and what is no such text has no ends. Where a key does not apply to a row it is missing. What
you asked for, and screens show first, is `asked`; what it is made of, or comes with it, is in the same table and not
asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from snapdp.display.text import confidence, how_often
from snapdp.errors import SnapdpError
from snapdp.exact.dyadic import nearest_multiple, power_of_two
from snapdp.exact.numbers import parameter, positive, to_float_down, to_float_nearest, to_float_up
from snapdp.release.numbers import PART_WORDS, Number, NumberBlock, part_in_words
from snapdp.release.remarks import unknown_places
from snapdp.studies.statistics.counts import RowCount
from snapdp.studies.statistics.histogram import Histogram
from snapdp.studies.statistics.magnitudes import BOUNDS, Magnitudes
from snapdp.studies.statistics.parts import SHARE
from snapdp.studies.statistics.quantiles import DISTRIBUTION, QUANTILE, Quantiles
from snapdp.values import Value

Ends = tuple[Fraction | None, Fraction | None]
NO_ENDS: Ends = (None, None)
MOST_POWER = 1100  # of two, of an edge: beyond it no double is
_NUMBER = r"(-?(?:[0-9]{1,400}(?:/[0-9]{1,400}|\.[0-9]{1,400})?|2\^-?[0-9]{1,4}))"
_FORMS = (
    re.compile(rf"[\[(]{_NUMBER}, {_NUMBER}[)\]]"),
    re.compile(rf"{_NUMBER} to {_NUMBER}"),
    re.compile(rf"(?:from|above) {_NUMBER}()"),
    re.compile(rf"()(?:to|below) {_NUMBER}"),
)
_LEVEL = re.compile(_NUMBER)


def ends_of(label: str) -> Ends:
    """Return between which numbers the rows of a bin lie; None where it is open, or the text is no bin.

    >>> [tuple(map(str, ends_of(each))) for each in ("[18, 65)", "below 1/2", "-3 to -1", "7", "(missing)")]
    [('18', '65'), ('None', '1/2'), ('-3', '-1'), ('7', '7'), ('None', 'None')]
    """
    if _LEVEL.fullmatch(label):
        level = number_of(label)
        return level, level
    for form in _FORMS:
        if found := form.fullmatch(label):
            low, high = found.groups()
            return number_of(low), number_of(high)
    return NO_ENDS


def number_of(text: str) -> Fraction | None:
    """Return the number that a text of a record is, also a power of two: 2^70; None where it is none."""
    base, is_power, exponent = text.partition("^")
    try:
        if not is_power:
            return parameter(text, name="number") if text else None
        power = int(exponent)
        sign = -1 if base.startswith("-") else 1
        return sign * power_of_two(power) if abs(power) <= MOST_POWER else None
    except (SnapdpError, ValueError):
        return None


TEXT, NUMBER, TRUTH = "string", "number", "boolean"  # types of columns, as dictionaries call them
MEASURED, ADJUSTED, DERIVED = "measured", "adjusted", "derived"
SOURCES = (MEASURED, ADJUSTED, DERIVED)
UP_TO, FROM, TO = "up_to", "_from", "_to"
BOUND, UNNAMED = " bound", "cell"  # of a look; what names a cell where a record does not say which column does
ENDS = {"low": to_float_down, "high": to_float_up}  # each end of an interval, and how doubles move it outward
_OF = " of "
_ALONE = {Histogram.kind: "count"}  # what the only numbers of a statistic are, where that is not its kind


class ValueField(Value):
    """A column of the table, with what a dictionary says of it.

    kind      its type, as dictionaries call it
    allowed   what can stand in it, where that is a short list
    is_key    whether it names rows: no two of them have the same keys
    """

    name: str
    kind: str
    title: str
    description: str
    allowed: tuple[str, ...] = ()
    is_key: bool = False
    always: bool = True


class ValueTable(Value):
    """Columns of released numbers, each under the field that describes it."""

    fields: tuple[ValueField, ...]
    columns: Mapping[str, Sequence[Any]]

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the names of the columns that name a row together."""
        return tuple(field.name for field in self.fields if field.is_key)


class _Key(NamedTuple):
    """What names rows, beside statistic and measure: two of one name may be of different kinds."""

    name: str
    kind: str
    about: str


class _Row(NamedTuple):
    block: NumberBlock
    number: Number
    measure: str
    keys: dict[_Key, Any]
    known: bool


def value_table(blocks: Iterable[NumberBlock]) -> ValueTable:
    """Return the table of the numbers that a record holds: of every statistic first what was asked for."""
    ordered = sorted(blocks, key=lambda block: (block.place, not block.is_first))
    rows = [row for block in ordered for row in _rows(block)]
    keys = list(dict.fromkeys(key for row in rows for key in row.keys))
    fixed = _fixed_fields(rows)
    names = key_columns([key.name for key in keys], (field.name for field in fixed))
    named = [
        ValueField(name=name, kind=key.kind, title=key.name, description=key.about, is_key=True, always=False)
        for key, name in zip(keys, names, strict=True)
    ]
    before = [field for field in fixed if field.is_key]
    columns = {field.name: [_cell(row, field.name) for row in rows] for field in before}
    columns |= {name: [row.keys.get(key) for row in rows] for key, name in zip(keys, names, strict=True)}
    others = [field for field in fixed if not field.is_key]
    columns |= {field.name: [_cell(row, field.name) for row in rows] for field in others}
    return ValueTable(fields=(*before, *named, *others), columns=columns)


def key_columns(keys: Sequence[str], fields: Iterable[str]) -> list[str]:
    """Return the names of the columns of keys: those of the columns of the table, unless a file has them already.

    Engines compare names of columns without capitals.

    >>> key_columns(["region", "Value", "VALUE"], ["cell", "value"])
    ['region', 'Value (key)', 'VALUE (key) (key)']
    """
    taken, found = {name.casefold() for name in fields}, []
    for name in keys:
        while name.casefold() in taken:
            name += " (key)"
        taken.add(name.casefold())
        found.append(name)
    return found


# Rows


def _rows(block: NumberBlock) -> Iterator[_Row]:
    unknown = unknown_places(block)
    names = _key_names(block)
    for place, number in enumerate(block.numbers):
        measure, keys = measure_of(block, number), dict(_keys(block, number, names))
        yield _Row(block=block, number=number, measure=measure, keys=keys, known=place not in unknown)


def _cell(row: _Row, name: str) -> Any:
    block, number = row.block, row.number
    if name == "statistic":
        return statistic_of(block)
    if name == "measure":
        return row.measure
    if name == "column":
        return column_of(block)
    if name == "shown":
        return number.shown if row.known else None
    if name in ENDS and number.places is not None:
        return on_the_grid(block.declared["columns"][0], getattr(number, name), ENDS[name])
    if name == "epsilon":
        return str(block.declared["epsilon"])
    if name == "asked":
        return block.is_first
    if name == "source":
        return (ADJUSTED if block.is_margin else DERIVED) if block.derived else MEASURED
    return getattr(number, name) or None if name == "share_of" else getattr(number, name)


def on_the_grid(column: Mapping[str, Any], end: Any, outward: Callable[[Fraction], float]) -> Any:
    """Return the end of an interval as the multiple of a column's step that it stands for; else the double as it is.

    Only where the double is that very number, moved outward to a double, and a text can have the number itself. A text
    that is exact is no end moved inward; what needs doubles moves it outward again.

    >>> x = {"lower": "-1", "step": "0.1"}
    >>> on_the_grid(x, -0.30000000000000004, to_float_down), on_the_grid(x, -0.30000000000000004, to_float_up)
    (Fraction(-3, 10), -0.30000000000000004)
    """
    if not isinstance(end, float):
        return end
    try:
        lower, step = parameter(column["lower"], name="lower"), positive(column.get("step", "1"), name="step")
        found = lower + nearest_multiple(Fraction(end) - lower, step)
        is_written = Fraction(repr(to_float_nearest(found))) == found
        return found if is_written and Fraction(end) != found and outward(found) == end else end
    except (SnapdpError, LookupError, OverflowError, ValueError):  # a record may be anybody's
        return end


def statistic_of(block: NumberBlock) -> str:
    """Return the statistic that numbers belong to; of a table with margins the margin, measured or adjusted."""
    return block.title.removeprefix(f"{ADJUSTED} ") if block.is_margin else block.statistic


def measure_of(block: NumberBlock, number: Number) -> str:
    """Return what a number is, in a word or a few: mean, count, share, quantile, lower bound."""
    kind = block.declared["kind"]
    if block.name == BOUNDS and block.derived:
        return QUANTILE if number_of(number.cell) is not None else f"{number.cell}{BOUND}"
    if block.is_margin:
        return str(kind) if block.derived else f"{MEASURED} {kind}"
    if block.mean_of is not None:
        return "mean"
    if block.derived:
        return "rows up to" if block.name == DISTRIBUTION else block.name
    if len(block.parts) == 1 and not block.is_ranked:
        return str(_ALONE.get(kind, kind))
    column = column_of(block)
    return part_in_words(block.name.removesuffix(f"{_OF}{column}") if _is_of(block) else block.name)


def column_of(block: NumberBlock) -> str | None:
    """Return the column of the table that numbers are about; None where they are about rows, or about two columns."""
    names = [column["name"] for column in block.declared.get("columns", ())]
    if block.mean_of is not None:
        return block.mean_of
    if len(names) == 1:
        is_count = not block.derived and block.name == RowCount.kind and len(block.parts) > 1
        return None if is_count else str(names[0])
    return block.name.partition(_OF)[2] if _is_of(block) else None


def _is_of(block: NumberBlock) -> bool:
    """Tell whether it is a sum of one of several columns, whose name stands in its own."""
    name, _, column = block.name.partition(_OF)
    return name in PART_WORDS and column in [each["name"] for each in block.declared.get("columns", ())]


def _key_names(block: NumberBlock) -> list[tuple[str, bool]]:
    """Return the columns that name cells, groups first, each with whether it has bins."""
    by = block.declared.get("by", ())
    found = [(str(column["name"]), "edges" in column) for column in ([by] if isinstance(by, Mapping) else by)]
    if block.declared["kind"] == Histogram.kind:
        own = block.declared["columns"][0]
        return [*found, (str(own["name"]), "edges" in block.declared)]
    return found


def _keys(block: NumberBlock, number: Number, names: Sequence[tuple[str, bool]]) -> Iterator[tuple[_Key, Any]]:
    kind = block.declared["kind"]
    labels = _labels(block, number)
    if labels is None:
        yield _Key(UNNAMED, TEXT, "The cell, as the record names it."), number.cell
        return
    for (name, has_bins), label in zip(names, labels, strict=False):
        yield _Key(name, TEXT, _about(name, has_bins)), label
        if has_bins:
            yield from _ends(name, label)
    own = labels[len(names) :]
    if kind == Quantiles.kind:
        column = str(block.declared["columns"][0]["name"])
        if block.name == QUANTILE:
            shares = block.declared.get("at", ())
            share = own[0] if own else shares[0] if len(shares) == 1 else None
            yield _quantile_key(), None if share is None else number_of(share)
        elif block.name == DISTRIBUTION:
            about = "The number up to which rows are counted, where the number is a point of a distribution."
            yield _Key(UP_TO, NUMBER, about), number_of(own[0]) if own else None
        else:
            yield from _ends(column, own[0] if own else "")
    elif kind == Magnitudes.kind:
        column, label = str(block.declared["columns"][0]["name"]), own[0] if own else ""
        if block.name == BOUNDS:
            if (share := number_of(label)) is not None:
                yield _quantile_key(), share
        elif block.name == SHARE or (label.startswith("(") and ends_of(label) == (None, None)):
            yield _Key(column, TEXT, f"Which cells of {column}: those that are missing, or no numbers."), label
        else:
            yield from _ends(column, label)


def _labels(block: NumberBlock, number: Number) -> Sequence[str] | None:
    """Return the texts that name a cell, groups first; None where a record, which may be anybody's, does not tell."""
    if number.keys or not ("by" in block.declared or number.cell or block.declared["kind"] == Histogram.kind):
        return number.label
    if "by" not in block.declared and block.declared["kind"] in (Histogram.kind, Quantiles.kind, Magnitudes.kind):
        return (number.cell,)
    return None


def _quantile_key() -> _Key:
    return _Key(QUANTILE, NUMBER, "The share of the rows that lie up to the number: 0.5 for a median.")


def _ends(name: str, label: str) -> Iterator[tuple[_Key, Any]]:
    low, high = ends_of(label)
    yield _Key(name + FROM, NUMBER, f"Where the bin of {name} begins; missing where it is open."), low
    yield _Key(name + TO, NUMBER, f"Where the bin of {name} ends; missing where it is open."), high


def _about(name: str, has_bins: bool) -> str:
    what = "bin" if has_bins else "category"
    special = "" if has_bins else " (null) are its empty cells, (unknown) those that mean none of the categories."
    return f"The {what} of {name} that the number is about; missing where the number is not by {name}.{special}"


# What a dictionary says of the columns that every file has


def _fixed_fields(rows: Sequence[_Row]) -> tuple[ValueField, ...]:
    alphas = sorted({row.number.alpha for row in rows})
    sure = _said(confidence, alphas[0]) if len(alphas) == 1 else None
    often = _said(how_often, alphas[0]) if len(alphas) == 1 else None
    holds = f"{often or 'with probability 1 - alpha'} or more"
    ends = f"{holds}, low to high holds what the table itself has. Missing where no interval is known."
    about = {
        "statistic": (TEXT, "The statistic that was asked for, as the record names it."),
        "measure": (
            TEXT,
            "What the number is: a mean, a count, a share, a quantile, or a sum that a mean is made of. Distances are "
            "those of the values from the middle of the bounds of their column.",
        ),
        "column": (
            TEXT,
            "The column of the table that the number is about; missing where it is about rows, or about two columns.",
        ),
        "value": (NUMBER, "The number as it was drawn, in the unit of its column. Take it for sums and averages."),
        "shown": (
            NUMBER,
            "The same, moved to what the statistic can be: a count is not negative. Take it to print. Missing where "
            "nothing is known, because low to high is all that the number can be.",
        ),
        "low": (NUMBER, f"The lower end of the interval: {ends}"),
        "high": (NUMBER, f"The upper end of the interval: {ends}"),
        "alpha": (
            NUMBER,
            "How often, at most, an interval does not hold what the table has: 0.05 for intervals of 95 %.",
        ),
        "epsilon": (
            NUMBER,
            "What the statistic cost, all its rows together. Do not add this column: `charged` adds up.",
        ),
        "charged": (
            NUMBER,
            "The same on the first row of a statistic and 0 on its others: the column adds up to what was charged.",
        ),
        "source": (
            TEXT,
            "Where the number comes from. measured: drawn with noise. adjusted: measured, then changed so that tables "
            "add up. derived: computed from measured numbers, at no extra cost.",
        ),
        "asked": (
            TRUTH,
            "Whether it is what was asked for; false for what it was computed from, and for shares and distributions.",
        ),
        "share_of": (TEXT, "Of what the number is a share; missing where it is none."),
        "deviation": (NUMBER, "The standard deviation of the error of an adjusted number; missing for others."),
    }
    titles = {"shown": "value to show", "low": f"lower end{_of(sure)}", "high": f"upper end{_of(sure)}"}
    keys, some = ("statistic", "measure", "column"), ("column", "shown", "low", "high", "share_of", "deviation")
    return tuple(
        ValueField(
            name=name,
            kind=kind,
            title=titles.get(name, name.replace("_", " ")),
            description=text,
            allowed=SOURCES if name == "source" else (),
            is_key=name in keys,
            always=name not in some,
        )
        for name, (kind, text) in about.items()
    )


def _of(sure: str | None) -> str:
    return "" if sure is None else f", {sure}"


def _said(how: Callable[[Fraction], str], alpha: str) -> str | None:
    """Return what is said of an alpha; None where that, which may be anybody's, is none."""
    try:
        return how(parameter(alpha, name="alpha"))
    except SnapdpError:
        return None


VALUE_FIELDS = tuple(field.name for field in _fixed_fields(()))
