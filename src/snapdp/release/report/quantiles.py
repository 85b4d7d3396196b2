"""Quantiles in a report: the quantiles first, then a picture and a table of the distribution they are read off.

Room: release. Made from the numbers of the record alone; every text passes through the escape of the page. The picture
has how many rows there are up to every value, as a step curve with its band, and each quantile at its rank; those of
groups are small, on the same axes. Quantiles of groups are one table: groups down, quantiles across.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from snapdp.display import Axis, Marked, Real, Step, data_table, one_line, step_figure
from snapdp.errors import SnapdpError
from snapdp.exact import parameter
from snapdp.release.digits import shown_pair
from snapdp.release.numbers import Number, NumberBlock
from snapdp.release.remarks import bound_lines, unknown_line, unknown_places
from snapdp.release.report.words import (
    LONG_TABLE,
    LONGEST,
    UNKNOWN,
    cost_in_words,
    cut_note,
    heading,
    interval_head,
    level,
    named_rows,
    over,
    sentences,
    text,
)
from snapdp.studies import BETWEEN, DISTRIBUTION, QUANTILE, readable_number

MOST_PICTURES = 16  # of groups
MOST_POINTS, FEWEST_POINTS = 50, 6  # of a distribution in its table, all groups together; of one of very many groups
READ_OFF = (
    "Quantiles and distribution are read off noisy counts of rows, at no extra cost; the record and files of values "
    "have these."
)
FEW_TICKS, MANY_TICKS = 3, 6  # of heights
Shown = tuple[str, str]


def quantiles_section(blocks: Sequence[NumberBlock], clauses: Sequence[str] = ()) -> str:
    """Return the section of one statistic of quantiles: its quantiles and their distribution, which the record holds.

    The counts that both are read off are not asked for, and very many: the record has them, and files of values.
    """
    asked = next((each for each in blocks if each.name == QUANTILE and each.derived), None)
    curve = next((each for each in blocks if each.name == DISTRIBUTION and each.derived), None)
    first = asked or blocks[0]
    found = [
        f"<h3>{text(heading(first.readable_title, first.declared))}</h3>",
        f'<p class="dim">{text(_about(first, clauses))}</p>',
    ]
    if asked is not None:
        lines = (unknown_line(asked), *bound_lines(asked))
        found += [f"<p>{text(line)}</p>" for line in lines if line]
        found.append("" if asked.is_single else _quantiles(asked))
    if curve is not None:
        found.append(_distribution(curve, asked))
    return "".join(found)


def _about(block: NumberBlock, clauses: Sequence[str]) -> str:
    """Return what quantiles cost, and of which values they are."""
    cost = sentences(cost_in_words(block), *clauses)
    column: Mapping[str, str] = next(iter(block.declared.get("columns", ())), {})
    if not {"name", "lower", "upper", "step"} <= {*column}:  # a record may be anybody's
        return cost
    lower, upper, step = (readable_number(column[key]) for key in ("lower", "upper", "step"))
    values = f"Of {column['name']} between {lower} and {upper}, rounded to steps of {step}"
    return f"{cost} {values}. {READ_OFF}"


def _quantiles(block: NumberBlock) -> str:
    """Return the quantiles: of groups one row each, with the quantiles across where all groups have the same."""
    unknown, numbers = unknown_places(block), block.readable
    every = (shown_pair(each) for each in numbers)
    shown = [(UNKNOWN if place in unknown else value, ends) for place, (value, ends) in enumerate(every)]
    groups = [list(each) for _, each in groupby(zip(numbers, shown, strict=True), key=lambda x: _group(x[0], block))]
    across = [x.label[-1] if x.label else x.cell for x, _ in groups[0]]
    if "by" in block.declared and not block.is_one_quantile and all(len(each) == len(across) for each in groups):
        return _across(block, groups, across)
    keys, names = named_rows(block)
    heads = (*keys, text("value"), interval_head(block))
    rows = [(*name, *texts) for name, texts in zip(names, shown, strict=True)]
    caption = text(
        "An estimate of the value that this share of the rows does not exceed; the interval holds that value."
    )
    return str(data_table(caption, heads, rows, ("",) * len(keys) + ("r", "i"), names=len(keys)))


def _across(block: NumberBlock, groups: Sequence[Sequence[tuple[Number, Shown]]], across: Sequence[str]) -> str:
    keys, every = named_rows(block)
    starts = range(0, len(every), len(across))
    names = [
        every[place][:-1] or (text(_group(each[0][0], block)),) for place, each in zip(starts, groups, strict=True)
    ]
    heads = (*(keys[:-1] or (text("group"),)), *(text(f"{QUANTILE} {share}") for share in across))
    rows = [(*name, *(over(*texts) for _, texts in each)) for name, each in zip(names, groups, strict=True)]
    caption = f"Each with its {level(block.numbers[0].alpha)} interval."
    kinds = ("",) * len(names[0]) + ("r",) * len(across)
    is_long = len(rows) > LONG_TABLE
    return str(data_table(text(caption), heads, rows, kinds, names=len(names[0]), is_long=is_long))


def _distribution(curve: NumberBlock, asked: NumberBlock | None) -> str:
    """Return a picture of every group, all on the same axis of values, and the table of all."""
    groups = [(name, list(each)) for name, each in groupby(curve.readable, key=lambda each: _group(each, curve))]
    steps = [(name, found) for name, each in groups[:MOST_PICTURES] if len(found := _steps(each)) > 1]
    pictures = []
    if steps:
        x = Axis.within(each.at for _, found in steps for each in found)
        for name, found in steps:
            marked = [] if asked is None else _marked(asked, name, _shares(curve), found[-1].height)
            heights = (end for each in found for end in (each.low, each.height, each.high))
            is_small = len(groups) > 1
            y = Axis.within((0, *heights), most=FEW_TICKS if is_small else MANY_TICKS)
            pictures.append(step_figure(found, marked, _title(name), x=x, y=y, small=is_small))
    drawn = "".join(pictures)
    drawn = f'<div class="multiples">{drawn}</div>' if len(pictures) > 1 else drawn
    more = len(groups) - MOST_PICTURES
    left = f'<p class="dim">{more} more groups have no picture; the table has them.</p>' if more > 0 else ""
    name = heading(curve.readable_title.removeprefix(f"{DISTRIBUTION} of "), curve.declared)
    title = f"<h4>Distribution behind {text(name[:1].lower() + name[1:])}</h4>"
    return f'{title}{drawn}{left}<div class="tucked">{_curve_table(curve)}</div>'


def _curve_table(curve: NumberBlock) -> str:
    keys, names = named_rows(curve)
    heads = (*keys, text("rows"), interval_head(curve))
    numbers, places = curve.readable, table_places(curve)
    rows = [(*names[place], *shown_pair(numbers[place])) for place in places]
    some = f" {len(places)} of {len(names)} points: every number is in the record and in files of values."
    said = "How many rows there are up to each value; each interval holds by itself."
    said += some * (len(places) < len(names)) + cut_note(numbers[place] for place in places)
    kinds = ("",) * len(keys) + ("r", "i")
    is_long = len(rows) > LONG_TABLE / 3
    return str(data_table(text(said), heads, rows, kinds, names=len(keys), is_long=is_long))


def table_places(curve: NumberBlock) -> list[int]:
    """Return which points of a distribution its table has, of every group the first, the last, and some between."""
    numbers = curve.readable
    groups = [list(each) for _, each in groupby(range(len(numbers)), key=lambda place: _group(numbers[place], curve))]
    most = max(FEWEST_POINTS, MOST_POINTS // len(groups))
    return [place for group in groups for place in _spread(group, most)]


def _spread(places: Sequence[int], most: int) -> list[int]:
    """Return so many of some places, at equal distances, with both ends."""
    if len(places) <= most:
        return list(places)
    return [places[number * (len(places) - 1) // (most - 1)] for number in range(most)]


def _title(group: str) -> str:
    title = "rows up to each value; the band is made of their intervals, each of which holds by itself"
    return one_line(group, 80) if group else title


def _steps(numbers: Sequence[Number]) -> list[Step]:
    """Return the corners of the curve; a value that is none is left out, as records of somebody may have it."""
    found = []
    for each in numbers:
        at = _value(each)
        if at is not None:
            low, high = (each.printed if end is None else end for end in (each.low, each.high))
            found.append(Step(at, each.printed, low, high))
    return found


def _marked(asked: NumberBlock, group: str, shares: Sequence[float], total: Real) -> list[Marked]:
    """Return the quantiles of a group at their ranks."""
    found = []
    there = [each for each in asked.readable if _group(each, asked) == group]
    for each, share in zip(there, shares, strict=False):
        said = one_line(f"{each.cell or QUANTILE}: {', '.join(shown_pair(each))}", LONGEST)
        found.append(Marked(each.printed, share * total, each.low, each.high, said))
    return found


def _group(number: Number, block: NumberBlock) -> str:
    """Return the group of a number; empty where there are no groups."""
    if "by" not in block.declared:
        return ""
    texts = list(number.label) or number.cell.split(BETWEEN)
    return BETWEEN.join(texts if block.is_one_quantile else texts[:-1])


def _shares(block: NumberBlock) -> list[float]:
    try:
        return [float(parameter(each, name="at")) for each in block.declared.get("at", ())]
    except (SnapdpError, OverflowError):  # a record may be anybody's
        return []


def _value(number: Number) -> float | None:
    """Return the value up to which rows are counted, from the name of its row."""
    said = number.label[-1] if number.label else number.cell
    try:
        return float(parameter(said, name="up to"))
    except (SnapdpError, OverflowError):  # a record may be anybody's
        return None
