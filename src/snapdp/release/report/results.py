"""Results in a report: single numbers in one table, groups in tables with a bar or a dot beside every number.

Made from the numbers of the record alone. Nothing is cut: a table has a row for every number, with value and interval
as text; shares stand beside the counts that they are shares of. What a mean was drawn as is in the annex. Of every
margin the adjusted numbers stand beside the measured ones; margins of two columns are a cross table as well, and the
levels of a hierarchy are one table, every parent above what it holds. Quantiles come first, then a picture and a table
of the distribution they are read off: how many rows there are up to every value, as a step curve with its band, and
each quantile at its rank. Pictures of groups are small, on the same axes.

Every text of a record passes through `text`: names are the data holder's, and a record may be anybody's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import groupby

from snapdp.display.html import Html, data_table, escape
from snapdp.display.numbers import four_digits_up, noise_digits
from snapdp.display.pictures import Axis, Mark, Marked, Real, RowPicture, Step, step_figure
from snapdp.display.text import confidence, one_line
from snapdp.errors import SnapdpError
from snapdp.exact.numbers import parameter
from snapdp.release.numbers import (
    CUT_MARK,
    FREE,
    Number,
    NumberBlock,
    are_alike,
    crossed,
    half_width,
    part_in_words as plain_part,
    shown_amount,
    shown_interval,
    shown_pair,
    shown_value,
)
from snapdp.release.remarks import NO_INTERVAL, bound_lines, counted_clauses, unknown_line, unknown_places
from snapdp.studies.columns import DROPPED
from snapdp.studies.declarations import groups_from
from snapdp.studies.grouping.margins import HIERARCHY, Hierarchy, hierarchy_of
from snapdp.studies.labels import BETWEEN, readable_number, readable_title
from snapdp.studies.protection import COUNTED
from snapdp.studies.statistics.magnitudes import BOUNDS, LOWER, UPPER, Magnitudes
from snapdp.studies.statistics.parts import SHARE
from snapdp.studies.statistics.quantiles import DISTRIBUTION, QUANTILE
from snapdp.studies.statistics.registry import KINDS
from snapdp.values import Facts

BELONGING = "Such files belong to the record: they are published, or kept, together with it."
PART_OF_ALL = "The cost of each is part of the epsilon that all of this page cost."


def results(record: Facts, blocks: Sequence[NumberBlock]) -> list[str]:
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
        return _heading(block, block.readable_title)
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
    counts = [each for each in shown if shares is not None and not each.derived and are_alike(each, shares)]
    found = []
    for block in shown:
        if not (block is shares and counts):  # else they stand beside their counts
            found.append(_titled(block, clauses) + numbers_table(block, shares=shares if block in counts else None))
    return "".join(found)


def _titled(block: NumberBlock, clauses: Sequence[str]) -> str:
    """Return the heading of a table, what its numbers cost and who counts in them, and of which nothing is known."""
    said = sentences(_cost(block), *clauses)
    return f'<h3>{text(name_of(block))}</h3><p class="dim">{text(said)}</p>{_unknown(block)}'


def _cost(block: NumberBlock) -> str:
    said = cost_in_words(block)
    return f"{said}; each is a share of {block.share_of}" if block.share_of else said


def _unknown(block: NumberBlock) -> str:
    line = unknown_line(block) if block.is_first else ""
    return f"<p>{text(line)}</p>" if line else ""


def numbers_table(block: NumberBlock, *, shares: NumberBlock | None = None) -> str:
    """Return a table of a block: names, value, interval, a track, and the shares of counts; a cross table before it."""
    numbers = block.readable
    picture = None if block.name == BOUNDS else rows_of(block)
    keys, names = named_rows(block)
    heads, kinds = [*keys, _value_head(block), interval_head(block)], [*[""] * len(keys), "r", "i"]
    columns = [known_values(block), [shown_interval(x) for x in numbers]]
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
    marks = (_mark(each, each.cell, is_known=place not in unknown) for place, each in enumerate(block.readable))
    return RowPicture.of(marks, bars=is_added)


def _mark(number: Number, name: str, *, is_known: bool = True) -> Mark:
    value, interval = shown_pair(number)
    said = f"{one_line(name, LONGEST)}: {', '.join(filter(None, (value * is_known, interval)))}"
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


def side_file_lines(files: Iterable[tuple[str, str]]) -> str:
    """Return which numbers are in files beside the record."""
    lines = "".join(f"<p>{text(title)}: in <code>{text(name)}</code>.</p>" for name, title in files)
    return f"{lines}<p>{BELONGING}</p>" if lines else ""


# Margins

MOST_ACROSS = 12  # columns of a cross table
NO_CELL = ("unknown", "null", "outside")  # what a column says of rows that mean none of its cells
NARROW = 6  # so many cells stand side by side before the longer of two columns goes down the page
INDENT = "&emsp;"
HEADS = ("adjusted", "measured")
BARS = "; the bars are those of the adjusted numbers"
Blocks = dict[tuple[str, ...], NumberBlock]  # by the columns that tell their cells apart
ROUNDED = "Sums of printed numbers agree up to the rounding of printing."
MOVED = (
    "Noise takes some of them beyond what is possible: the tables with intervals show the nearest possible number "
    "instead, and so do not add up as they are printed"
)


def margins_section(blocks: Sequence[NumberBlock], clauses: Sequence[str] = ()) -> str:
    """Return the section of one statistic with margins: measured and adjusted blocks, as the record has them."""
    measured = {_columns(block): block for block in blocks if not block.derived}
    adjusted = {_columns(block): block for block in blocks if block.derived}
    first = blocks[0]
    title = text(_heading(first, readable_title(first.statistic, first.declared)))
    nested = _nested(adjusted, measured)
    crossed = "" if nested else _cross_table(adjusted)
    about = " ".join(filter(None, (_about(first, clauses), _added_up(adjusted, bool(crossed)), _left_out(blocks))))
    start = f'<h3>{title}</h3><p class="dim">{text(about)}</p>'
    if nested is not None:
        return f"{start}{nested}"
    margins = dict.fromkeys([*adjusted, *measured])
    tables = (_margin(adjusted.get(each), measured.get(each)) for each in sorted(margins, key=len, reverse=True))
    return f"{start}{crossed}{''.join(tables)}"


def _heading(block: NumberBlock, title: str) -> str:
    return heading(title, block.declared, are_kept=block.are_kept, units=block.units)


def _about(first: NumberBlock, clauses: Sequence[str]) -> str:
    follow = "they are computed from the measured ones, at no extra cost"
    return sentences(cost_in_words(first), *clauses, f"adjusted numbers add up: {follow}")


def _added_up(adjusted: Blocks, is_crossed: bool) -> str:
    """Return which printed numbers add up: not those that are shown as the nearest possible ones."""
    if not any(each.moved for block in adjusted.values() for each in block.numbers):
        return ROUNDED
    where = "the table with totals does, up to the rounding of printing" if is_crossed else "files of values do"
    return f"{MOVED}; {where}."


def _left_out(blocks: Sequence[NumberBlock]) -> str:
    """Return which rows are in none of the tables, where the columns leave any out: readers take totals for all."""
    by = [block.declared.get("by", ()) for block in blocks]
    columns = [column for each in by for column in ([each] if isinstance(each, Mapping) else each)]
    names = dict.fromkeys(str(each["name"]) for each in columns if DROPPED in (each.get(rule) for rule in NO_CELL))
    return f"A row without a group of {' or '.join(names)} is in none of them, nor in the total." if names else ""


def _margin(adjusted: NumberBlock | None, measured: NumberBlock | None) -> str:
    """Return one margin as a table; a side may be in a file."""
    block = adjusted or measured
    assert block is not None
    left, right = (() if each is None else each.readable for each in (adjusted, measured))
    heads, names = named_rows(block) if block.numbers[0].keys else ((Html(""),), [(Html("in total"),)])
    picture = RowPicture.of((_mark(each, each.cell or "in total") for each in block.readable), bars=True)
    rows = [
        (*name, _with_interval(left, place), _with_interval(right, place), picture.track(picture.marks[place]))
        for place, name in enumerate(names)
    ]
    said = f"; standard deviation of the adjusted: {_deviation(block)}" if block.deviation is not None else ""
    cut = cut_note((*left, *right))
    table = data_table(
        text(
            f"{'one number' if len(names) == 1 else f'{len(names)} groups'}, each above its "
            f"{level(block.numbers[0].alpha)} interval{said}{BARS * bool(left)}{'.' * bool(cut)}{cut}"
        ),
        (*heads, *HEADS, picture.scale),
        rows,
        (*[""] * len(heads), "r sum", "r", "t"),
        names=len(heads),
        is_long=len(rows) > LONG_TABLE,
    )
    name = _heading(block, block.readable_title.removeprefix("adjusted "))
    return f"<h4>{text(name)}</h4>{table}"


def _cross_table(adjusted: Blocks) -> str:
    """Return the adjusted table by two columns with its totals at the sides; nothing where one of them is not there.

    Its numbers are those that add up, whatever is possible, all with the same digits.
    """
    pair = next((columns for columns in adjusted if len(columns) == 2), None)
    if pair is None or set(adjusted) != {(), (pair[0],), (pair[1],), pair}:
        return ""
    total, down, across, cells = (adjusted[each].readable for each in ((), (pair[0],), (pair[1],), pair))
    rows = [cells[place * len(across) :][: len(across)] for place in range(len(down))]
    if len(across) > max(NARROW, len(down)):
        pair, down, across, rows = (pair[1], pair[0]), across, down, list(zip(*rows, strict=True))
    if len(across) > MOST_ACROSS or len(down) > 5 * MOST_ACROSS:
        return ""
    # Half the length of an interval in the most accurate of some tables; one cut at what is possible is no measure of
    # it, hence the longest of each.
    blocks = adjusted.values()
    longest = (max(map(half_width, block.numbers)) for block in blocks)
    finest = min(filter(None, longest), default=Decimal(0))

    def printed(number: Number) -> str:
        return noise_digits(number.value, half_width=finest)

    heads = (text(f"{pair[0]} / {pair[1]}"), *(text(each.cell) for each in across), "in total")
    body = [(text(each.cell), *map(printed, row), printed(each)) for each, row in zip(down, rows, strict=True)]
    rows_of_text = [*body, ("in total", *map(printed, across), printed(total[0]))]
    caption = text("Adjusted numbers, with totals.")
    return str(data_table(caption, heads, rows_of_text, ("", *"r" * len(across), "r sum")))


def _nested(adjusted: Blocks, measured: Blocks) -> str | None:
    """Return all levels of a hierarchy as one table; None where there is none, or not all of it is in the record."""
    tree = _tree(adjusted)
    if tree is None:
        return None
    every = [row for level, block in adjusted.items() for row in _level_rows(level, block, measured.get(level))]
    if len(every) != len(tree.node_parents):
        return None
    rows = [(Html(INDENT * depth + every[node][0]), *every[node][1:]) for node, depth in _from_the_root(tree)]
    heads = ("", "level", "adjusted", "standard deviation", "measured")
    kinds = ("c", "", "r sum", "r", "r")
    sure = level(next(iter(adjusted.values())).numbers[0].alpha)
    said = f"Every group above what it holds, every number above its {sure} interval; the deviation is that of the"
    cut = cut_note(each for block in (*adjusted.values(), *measured.values()) for each in block.numbers)
    caption = text(f"{said} adjusted number.{cut}")
    return str(data_table(caption, heads, rows, kinds, is_long=len(rows) > LONG_TABLE))


def _tree(adjusted: Blocks) -> Hierarchy | None:
    """Return the hierarchy of blocks, which the block of the categories declares."""
    declared = [block.declared for block in adjusted.values() if "parents" in block.declared.get("by", ())]
    if not declared or declared[0]["margins"] != HIERARCHY:
        return None
    try:
        return hierarchy_of(groups_from(declared[0]["by"]), None, known_total=False)
    except SnapdpError:  # a record may be anybody's
        return None


def _level_rows(level: tuple[str, ...], block: NumberBlock, measured: NumberBlock | None) -> Iterator[tuple[str, ...]]:
    """Yield what is shown of every cell of a level: its name, and its numbers."""
    left, right = block.readable, () if measured is None else measured.readable
    for place, number in enumerate(left):
        figures = (_with_interval(left, place), _deviation(block, place), _with_interval(right, place))
        yield text(number.cell if level else "in total"), text(", ".join(level)), *figures


def _from_the_root(tree: Hierarchy) -> Iterator[tuple[int, int]]:
    """Yield the nodes of a hierarchy and how deep they are, every parent before what it holds."""
    below: list[list[int]] = [[] for _ in tree.node_parents]
    for node, parent in enumerate(tree.node_parents[1:], 1):
        below[parent].append(node)
    waiting = [(0, 0)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        waiting += ((child, depth + 1) for child in reversed(below[node]))


def _deviation(block: NumberBlock, place: int | None = None) -> str:
    """Return the deviation of a cell; without one of all cells, the largest where they differ."""
    found = block.deviation
    if found is None:
        return ""
    if isinstance(found, float):
        return four_digits_up(Fraction(found))
    return (
        f"at most {four_digits_up(Fraction(max(found)))}" if place is None else four_digits_up(Fraction(found[place]))
    )


def _columns(block: NumberBlock) -> tuple[str, ...]:
    return tuple(name for name, _ in block.numbers[0].keys)


def _with_interval(numbers: Sequence[Number], place: int) -> str:
    """Return a number above its interval; a side that is not there is known."""
    if place >= len(numbers):
        return "" if numbers else "known"
    return over(*shown_pair(numbers[place]))


# Quantiles

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
        f'<p class="dim">{text(_quantiles_about(first, clauses))}</p>',
    ]
    if asked is not None:
        lines = (unknown_line(asked), *bound_lines(asked))
        found += [f"<p>{text(line)}</p>" for line in lines if line]
        found.append("" if asked.is_single else _quantiles(asked))
    if curve is not None:
        found.append(_distribution(curve, asked))
    return "".join(found)


def _quantiles_about(block: NumberBlock, clauses: Sequence[str]) -> str:
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


# Words: headings, costs, parts

LONGEST = 1000  # characters of one text on the page; the record holds it whole
LONG_TABLE = 60  # rows from which a table scrolls by itself
UNKNOWN = "-"  # in place of a number of which nothing is known
NO_EXTRA_COST = "computed from the numbers above, at no extra cost"
CUT_NOTE = f"{CUT_MARK} The noise went beyond what the number can be: no certainty, see how to read this."
COUNT = "count"  # the name of a part
ROWS, PERSONS = "rows", "persons"
TITLE_WORDS = {  # others are "mean of", "variance of"
    "histogram": "rows by",
    "shares of histogram": "shares of rows by",
    "magnitudes": "first look at",
    "shares without a number of magnitudes": "missing and unreadable values of",
}
LOOKED_AT = {LOWER: "lower bound", UPPER: "upper bound"}  # others are quartiles
CENTRED = (
    ("centred squares of ", "sum of squared distances from {middle}, of "),
    ("centred squares", "sum of squared distances from {middle}"),
    ("centred products", "sum of products of distances from the middles"),
    ("centred sum of ", "sum of distances from {middle}, of "),
    ("centred sum", "sum of distances from {middle}"),
    ("sum above lower", "sum of distances from the lower bound"),
    ("variance numerator", "sum that the variance follows from"),
    ("covariance numerator", "sum that the covariance follows from"),
)


def text(given: str) -> Html:
    """Return a text of the record as the page shows it."""
    return escape(given, LONGEST)


def adds_up(declared: Facts) -> bool:
    """Tell whether numbers of a statistic add up: bars of these begin at zero; of a kind that is none, they do not."""
    kind = KINDS.get(str(declared.get("kind")))
    return kind is not None and kind.adds_up


def of_what(declared: Facts, units: str = PERSONS) -> str:
    """Return what a statistic counts, rows or privacy units; empty where it is no count."""
    kind = KINDS.get(str(declared.get("kind")))
    return "" if kind is None else kind.of_what.replace(PERSONS, units)


def heading(title: str, declared: Facts, *, are_kept: bool = False, units: str = PERSONS) -> str:
    """Return the title of a statistic, or of what is computed from it, as a heading.

    are_kept   not all rows of the table count: no more than so many of each person
    units      what a count of persons counts

    >>> heading("mean(pay) by sex", {"kind": "mean", "columns": [{"name": "pay"}]}), heading("count", {"kind": "count"})
    ('Mean of pay by sex', 'Number of rows')
    >>> heading("shares of histogram(sex)", {"kind": "histogram", "columns": [{"name": "sex"}]})
    'Shares of rows by sex'
    >>> heading("count", {"kind": "count"}, are_kept=True)
    'Number of rows that count'
    >>> heading("persons by sex", {"kind": "persons"}, units="combinations of user and day")
    'Number of combinations of user and day by sex'
    """
    names = [str(each.get("name", "")) for each in declared.get("columns", ())]
    head, found, tail = title.partition(f"({', '.join(names)})") if names else ("", "", "")
    kind, rows = str(declared.get("kind")), COUNTED if are_kept else ROWS
    if found:
        if head in TITLE_WORDS and tail.startswith(" by "):
            tail = f" and {tail.removeprefix(' by ')}"
        said = f"{TITLE_WORDS.get(head, f'{head} of').replace(ROWS, rows)} {' and '.join(names)}{tail}"
    elif (counted := of_what(declared, units).replace(ROWS, rows)) and title.startswith(kind):
        said = f"number of {counted}{title.removeprefix(kind)}"
    else:
        return title
    said = said.replace("<=", "\u2264") if "where" in declared else said
    return said[:1].upper() + said[1:]


def part_in_words(name: str, declared: Facts) -> str:
    """Return what a part of a statistic is.

    >>> part_in_words("centred sum", {"columns": [{"name": "pay", "lower": "0", "upper": "100"}]})
    'sum of distances from 50'
    >>> part_in_words("count of each 361 levels", {})
    'rows in each 361 steps'
    """
    columns = declared.get("columns", ())
    for former, words in CENTRED:
        if name.startswith(former):
            of = name.removeprefix(former)
            column: Facts = next((each for each in columns if not of or each.get("name") == of), {})
            return words.format(middle=_middle(column)) + of
    return plain_part(name)


def _middle(column: Facts) -> str:
    try:
        lower, upper = (parameter(column[key], name=key) for key in ("lower", "upper"))
    except (SnapdpError, KeyError):  # a record may be anybody's
        return "the middle of the bounds"
    return str(readable_number((lower + upper) / 2))


def over(value: str, interval: str) -> Html:
    """Return a number above its interval."""
    return Html(f'{text(value)}<span class="under">{text(interval)}</span>' if interval else text(value))


def cost_in_words(block: NumberBlock) -> str:
    """Return what the numbers of a block cost, all groups and parts together."""
    if block.epsilon == FREE:
        return NO_EXTRA_COST
    together = ""
    if block.is_margin and len(block.parts) > 1:
        together = " for all margins together"
    elif block.mean_of is not None:
        together = " for all means together"
    elif len(block.parts) > 1 and COUNT in block.parts:
        sums = len(block.parts) - 1
        together = f", spent on {'a sum' if sums == 1 else f'{sums} sums'} and a count"
    return f"cost: epsilon {shown_amount(block.epsilon)}{together}"


def sentences(*clauses: str) -> str:
    """Return clauses as a line of sentences.

    >>> sentences("cost: epsilon 1", "rows without pay are left out")
    'Cost: epsilon 1. Rows without pay are left out.'
    """
    return " ".join(f"{each[:1].upper()}{each[1:]}." for each in clauses if each)


def cut_note(numbers: Iterable[Number]) -> str:
    """Return what the mark at intervals means, for the caption of their table; empty where none has it."""
    return f" {CUT_NOTE}" if any(each.is_cut for each in numbers) else ""


def level(alpha: str) -> str:
    """Return the probability with which an interval holds, of an alpha of the record."""
    try:
        return confidence(parameter(alpha, name="alpha"))
    except SnapdpError:  # a record may be anybody's
        return f"1 - {alpha}"


def interval_head(block: NumberBlock) -> Html:
    return text(f"{level(block.numbers[0].alpha)} interval")


def named_rows(block: NumberBlock) -> tuple[tuple[Html, ...], list[tuple[Html, ...]]]:
    """Return the heads of what names the numbers of a block, and the names of each: a text for each of its columns.

    One column names all of them where theirs are not alike, as in a record of somebody.
    """
    numbers = block.readable
    keys = tuple(name for name, _ in numbers[0].keys)
    if keys and all(tuple(name for name, _ in each.keys) == keys for each in numbers):
        return tuple(map(text, keys)), [tuple(map(text, each.label)) for each in numbers]
    columns = block.declared.get("columns", ())
    if block.name == BOUNDS:
        return (text(""),), [(text(LOOKED_AT.get(each.cell, f"quartile {each.cell}")),) for each in numbers]
    is_counted = len(columns) == 1 and bool(of_what(block.declared))
    head = str(columns[0].get("name", "")) if is_counted else block.own_key or "group"
    return (text(head),), [(text(each.cell),) for each in numbers]
