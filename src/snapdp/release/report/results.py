"""Results in a report: single numbers in one table, groups in tables with a bar or a dot beside every number.

Room: release. Made from the numbers of the record alone. Nothing is cut: a table has a row for every number, with value
and interval as text; shares stand beside the counts that they are shares of. What a mean was drawn as is in the annex.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from snapdp.display import Html, Mark, RowPicture, data_table, one_line
from snapdp.release.cross_tables import crossed
from snapdp.release.digits import shown_interval, shown_pair, shown_value
from snapdp.release.numbers import FREE, Number, NumberBlock, shown_amount
from snapdp.release.remarks import NO_INTERVAL, counted_clauses, unknown_line, unknown_places
from snapdp.release.report.margins import margins_section
from snapdp.release.report.quantiles import quantiles_section
from snapdp.release.report.words import (
    LONG_TABLE,
    LONGEST,
    UNKNOWN,
    adds_up,
    cost_in_words,
    cut_note,
    heading,
    interval_head,
    named_rows,
    of_what,
    over,
    sentences,
    text,
)
from snapdp.studies import BOUNDS, SHARE, Magnitudes

BELONGING = "Such files belong to the record: they are published, or kept, together with it."
PART_OF_ALL = "The cost of each is part of the epsilon that all of this page cost."


def results(record: Mapping[str, Any], blocks: Sequence[NumberBlock]) -> list[str]:
    """Return a section for everything that was asked for, single numbers first, in the order of the record."""
    clauses = [counted_clauses(record, each) for each in record["statistics"]]
    sections = (section(list(group), clauses[place]) for place, group in groupby(blocks, key=lambda each: each.place))
    return [_singles(blocks, clauses), *sections]


def is_technical(block: NumberBlock) -> bool:
    """Tell whether a block belongs in the annex: what other numbers were computed from."""
    return block.is_made_of or (not block.derived and block.declared["kind"] == Magnitudes.kind)


def _singles(blocks: Sequence[NumberBlock], clauses: Sequence[Sequence[str]]) -> str:
    """Return a table of the statistics that are one number each."""
    found = [each for each in blocks if each.is_single and not each.is_margin and not is_technical(each)]
    if not found:
        return ""
    rows = [
        (over(name_of(each), "; ".join(clauses[each.place])), *_known(each), text(_short_cost(each))) for each in found
    ]
    levels = dict.fromkeys(interval_head(each) for each in found)
    head = next(iter(levels)) if len(levels) == 1 else Html("interval")
    table = data_table(
        text(f"{PART_OF_ALL}{cut_note(x for each in found for x in each.numbers)}"),
        ("", "value", head, "cost in epsilon"),
        rows,
        ("l", "r", "i", "r"),
    )
    return f"<h3>Single numbers</h3>{table}{''.join(map(_unknown, found))}"


def _known(block: NumberBlock) -> tuple[str, str]:
    """Return a single number and its interval; of which nothing is known, is no result."""
    value, interval = shown_pair(block.numbers[0])
    return UNKNOWN if unknown_places(block) else value, interval


def name_of(block: NumberBlock) -> str:
    """Return what a block of numbers is, as people read it: of several means which."""
    if block.mean_of is None:
        return heading(block.readable_title, block.declared, are_kept=block.are_kept, units=block.units)
    names = ", ".join(str(each.get("name", "")) for each in block.declared.get("columns", ()))
    tail = block.readable_title.partition(f"({names})")[2]
    return f"Mean of {block.mean_of}{tail}"


def _short_cost(block: NumberBlock) -> str:
    if block.epsilon == FREE:
        return "no extra cost"
    return f"{shown_amount(block.epsilon)} for all means" if block.mean_of is not None else shown_amount(block.epsilon)


def section(blocks: Sequence[NumberBlock], clauses: Sequence[str] = ()) -> str:
    """Return the section of one statistic with groups; nothing where all of it are single numbers."""
    if blocks[0].is_margin:
        return margins_section(blocks, clauses)
    if blocks[0].is_ranked:
        return quantiles_section(blocks, clauses)
    shown = [each for each in blocks if not each.is_single and not is_technical(each)]
    shares = next((each for each in shown if each.name == SHARE and each.derived), None)
    found: list[str] = []
    for block in shown:
        beside = shares if shares is not None and not block.derived and _are_alike(block, shares) else None
        if block is shares and any(not each.derived and _are_alike(each, block) for each in shown):
            continue  # they stand beside their counts
        found.append(_titled(block, clauses) + numbers_table(block, shares=beside))
    return "".join(found)


def _titled(block: NumberBlock, clauses: Sequence[str]) -> str:
    """Return the heading of a table, what its numbers cost and who counts in them, and of which nothing is known."""
    said = sentences(_cost(block), *clauses)
    return f'<h3>{text(name_of(block))}</h3><p class="dim">{text(said)}</p>{_unknown(block)}'


def _cost(block: NumberBlock) -> str:
    said = cost_in_words(block)
    return f"{said}; each is a share of {block.share_of}" if block.share_of else said


def _are_alike(block: NumberBlock, other: NumberBlock) -> bool:
    return [each.cell for each in block.numbers] == [each.cell for each in other.numbers]


def _unknown(block: NumberBlock) -> str:
    line = unknown_line(block) if block.is_first else ""
    return f"<p>{text(line)}</p>" if line else ""


def numbers_table(block: NumberBlock, *, shares: NumberBlock | None = None) -> str:
    """Return a table of a block: names, value, interval, a track, and the shares of counts; a cross table before it."""
    numbers = block.readable
    picture = None if block.name == BOUNDS else rows_of(block)
    keys, names = named_rows(block)
    heads, kinds = [*keys, _value_head(block), interval_head(block)], [*[""] * len(keys), "r", "i"]
    columns: list[Sequence[str]] = [known_values(block), [shown_interval(x) for x in numbers]]
    said = ""
    if picture is not None:
        heads, kinds = [*heads, picture.scale], [*kinds, "t"]
        columns.append([picture.track(mark) for mark in picture.marks])
        said = "Bars begin at zero" if picture.are_bars else "A dot is the number, on an axis that need not begin at 0"
        said += "; the line is its interval."
    if shares is not None:
        heads, kinds = [*heads, Html("share")], [*kinds, "r"]
        columns.append([over(*shown_pair(x)) for x in shares.numbers])
        said += f" Shares cost nothing extra; each is a share of {shares.share_of}"
        said += ", above its interval." if any(map(shown_interval, shares.numbers)) else f": {NO_INTERVAL}."
    rows = [(*name, *cells) for name, *cells in zip(names, *columns, strict=True)]
    said += cut_note(numbers)
    table = data_table(text(said), heads, rows, kinds, names=len(keys), is_long=len(rows) > LONG_TABLE)
    return f"{cross_table(block)}{table}"


def rows_of(block: NumberBlock) -> RowPicture:
    """Return the picture of a block: bars for what adds up, dots for all else."""
    is_added = adds_up(block.declared) or block.name == SHARE
    unknown = unknown_places(block)
    marks = (_mark(each, is_known=place not in unknown) for place, each in enumerate(block.readable))
    return RowPicture.of(marks, bars=is_added)


def _mark(number: Number, *, is_known: bool) -> Mark:
    shown = _shown(number) if is_known else _shown(number)[1:]
    said = f"{one_line(number.cell, LONGEST)}: {', '.join(filter(None, shown))}"
    return Mark(number.printed if is_known else None, number.low, number.high, said)


def known_values(block: NumberBlock) -> list[str]:
    """Return the values of a block as they are printed; of which nothing is known, is no result."""
    unknown = unknown_places(block)
    return [UNKNOWN if place in unknown else shown_value(each) for place, each in enumerate(block.readable)]


def _value_head(block: NumberBlock) -> Html:
    name = block.name if block.derived else of_what(block.declared, block.units) or str(block.declared.get("kind"))
    return text("mean" if block.mean_of is not None else "value" if name == BOUNDS else name)


def cross_table(block: NumberBlock) -> str:
    """Return the values of groups by two columns, one down and one across; nothing where they are no such table."""
    found = crossed(block)
    if found is None:
        return ""
    values = known_values(block)
    heads = (text(f"{found.down} / {found.across}"), *map(text, found.heads))
    lines = [
        (text(name), *(values[at] for at in places)) for name, places in zip(found.rows, found.places, strict=True)
    ]
    said = text(f"{found.down} down, {found.across} across; the intervals stand below.")
    return str(data_table(said, heads, lines, ("", *"r" * len(found.heads))))


def _shown(number: Number) -> tuple[str, str]:
    return shown_value(number), shown_interval(number)


def side_file_lines(files: Iterable[tuple[str, str]]) -> str:
    """Return which numbers are in files beside the record."""
    lines = "".join(f"<p>{text(title)}: in <code>{text(name)}</code>.</p>" for name, title in files)
    return f"{lines}<p>{BELONGING}</p>" if lines else ""
