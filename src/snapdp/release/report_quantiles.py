"""Quantiles in a report: the quantiles first, then a picture and a table of the distribution they are read off.

Room: release. Made from the numbers of the record alone; every text passes through the escape of the page. The picture
has how many rows there are up to every value, as a step curve with its band, and each quantile at its rank. The counts
of the tree, which both follow from, are folded away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from snapdp.display import Chart, Html, escape, folded, html_table, scale, shortened, visible
from snapdp.errors import SnapdpError
from snapdp.exact import parameter
from snapdp.release.numbers import Number, NumberBlock, shown_interval, shown_value
from snapdp.release.remarks import bound_lines, unknown_line, unknown_places
from snapdp.studies import BETWEEN, DISTRIBUTION, DROPPED, QUANTILE, readable_number

WIDTH, HEIGHT, LEFT, RIGHT, TOP, FOOT = 520, 260, 70, 20, 12, 36
MOST_PICTURES = 12  # of groups
MOST_OPEN, LONGEST = 20, 1000  # rows of a table that is unfolded at once; characters of a text


def quantiles_section(blocks: Sequence[NumberBlock]) -> str:
    """Return the section of one statistic of quantiles: all of its blocks that the record holds."""
    asked = next((each for each in blocks if each.name == QUANTILE and each.derived), None)
    curve = next((each for each in blocks if each.name == DISTRIBUTION and each.derived), None)
    first = asked or blocks[0]
    found = [f'<h2>{_text(first.readable_title)}</h2><p class="dim">{_text(_about(first))}</p>']
    if asked is not None:
        lines = (unknown_line(asked), *bound_lines(asked))
        found += [f"<p>{_text(line)}</p>" for line in lines if line]
        found.append("" if asked.is_single else _table(asked, is_open=len(asked.numbers) <= 5 * MOST_OPEN))
    if curve is not None:
        found.append(_distribution(curve, asked))
    found += [_table(each, title=each.part or each.name) for each in blocks if not each.derived]
    return "".join(found)


def _about(block: NumberBlock) -> str:
    """Return what quantiles cost, and of which values they are."""
    column: Mapping[str, str] = next(iter(block.declared.get("columns", ())), {})
    if not {"name", "lower", "upper", "step"} <= {*column}:  # a record may be anybody's
        return f"epsilon {block.cost}."
    lower, upper, step = (readable_number(column[key]) for key in ("lower", "upper", "step"))
    values = f"Of {column['name']} between {lower} and {upper}, rounded to steps of {step}"
    return f"epsilon {block.cost}. {values}; {_missing(column)}. {_tree(block)}"


def _missing(column: Mapping[str, str]) -> str:
    if column.get("missing") == DROPPED:
        return f"rows without {column['name']} are left out"
    number = column.get("missing_in_sums", column.get("missing"))
    return f"missing cells count as {readable_number(number)}"


def _tree(block: NumberBlock) -> str:
    depths = f"a tree of {len(block.parts)} depths" if len(block.parts) > 1 else "every level by itself"
    return f"They are read off noisy counts of its levels ({depths}), and so is the distribution, free of charge."


def _table(block: NumberBlock, *, title: str = "table", is_open: bool = False) -> str:
    names, unknown = [name for name, _ in block.numbers[0].keys] or [block.own_key or "levels"], unknown_places(block)
    rows = (
        (*_names(each), "-" if place in unknown else shown_value(each), shown_interval(each))
        for place, each in enumerate(block.readable)
    )
    return str(folded(_text(title), html_table((*map(_text, names), "value", "interval"), rows), is_open=is_open))


def _names(number: Number) -> tuple[Html, ...]:
    return tuple(map(_text, number.label)) or (_text(number.cell),)


def _distribution(curve: NumberBlock, asked: NumberBlock | None) -> str:
    """Return a picture of every group, and the table of all."""
    pictures = []
    groups = [(name, list(each)) for name, each in groupby(curve.readable, key=lambda each: _group(each, curve))]
    for name, numbers in groups[:MOST_PICTURES]:
        there = () if asked is None else [each for each in asked.readable if _group(each, asked) == name]
        pictures.append(step_picture(numbers, there, name, _shares(curve)))
    more = len(groups) - MOST_PICTURES
    left = f'<p class="dim">{more} more groups have no picture; the table has them.</p>' if more > 0 else ""
    return f"<h3>{_text(DISTRIBUTION)}</h3>{''.join(pictures)}{left}{_table(curve)}"


def _group(number: Number, block: NumberBlock) -> str:
    """Return the group of a cell; empty where there are no groups."""
    if "by" not in block.declared:
        return ""
    texts = list(number.label) or number.cell.split(BETWEEN)
    return BETWEEN.join(texts if block.is_one_quantile else texts[:-1])


def _shares(block: NumberBlock) -> list[float]:
    try:
        return [float(parameter(each, name="at")) for each in block.declared.get("at", ())]
    except SnapdpError:  # a record may be anybody's
        return []


def step_picture(
    numbers: Sequence[Number], quantiles: Sequence[Number], group: str, shares: Sequence[float] = ()
) -> Html:
    """Return a distribution as a step curve with its band: how many rows there are up to each value.

    quantiles   drawn at their ranks, with their intervals; shares   of each
    """
    values = [_value(each) for each in numbers]
    points = [(x, each) for x, each in zip(values, numbers, strict=True) if x is not None]
    if len(points) < 2:
        return Html("")
    most = max(float(y) for _, each in points for y in (each.printed, each.high) if y is not None)
    x = scale(points[0][0], points[-1][0], start=LEFT, end=WIDTH - RIGHT)
    y = scale(0.0, max(most, 1.0), start=HEIGHT - FOOT, end=TOP)
    chart = Chart(width=WIDTH, height=HEIGHT)
    chart.band([(x(at), y(float(each.low or 0)), y(float(each.high or 0))) for at, each in points])
    chart.steps([(x(at), y(float(each.printed))) for at, each in points])
    total = float(points[-1][1].printed)
    for each, share in zip(quantiles, shares, strict=False):
        said = f"{each.cell or QUANTILE}: {shown_value(each)}, {shown_interval(each)}"
        with chart.together(shortened(visible(said), LONGEST)):
            if each.low is not None and each.high is not None:
                chart.interval(x(max(float(each.low), points[0][0])), x(float(each.high)), y=y(share * total))
            chart.point(x(float(each.printed)), y(share * total), look="second")
    _axes(chart, points, most)
    title = "rows up to each value; the band is made of their intervals, each of which holds by itself"
    title = f"{shortened(visible(group), 80)}: {title}" if group else title
    return chart.figure(title)


def _axes(chart: Chart, points: Sequence[tuple[float, Number]], most: float) -> None:
    """Draw both axes, with the ends of each in figures."""
    foot = HEIGHT - FOOT
    chart.horizontal(foot, start=LEFT, end=WIDTH - RIGHT)
    chart.vertical(LEFT, start=TOP, end=foot)
    middle = points[len(points) // 2]
    x = scale(points[0][0], points[-1][0], start=LEFT, end=WIDTH - RIGHT)
    for at, each in (points[0], middle, points[-1]):
        name = each.label[-1] if each.label else each.cell
        chart.label_inside(x(at), foot + 16, shortened(visible(name), 16), reach=30)
    chart.label(LEFT - 8, foot + 4, "0", anchor="end")
    chart.label(LEFT - 8, TOP + 6, f"{most:.4g}", anchor="end")
    chart.label(LEFT - 8, (TOP + foot) / 2, "rows", anchor="end")


def _value(number: Number) -> float | None:
    """Return the value up to which rows are counted, from the name of its cell."""
    text = number.label[-1] if number.label else number.cell
    try:
        return float(parameter(text, name="up to"))
    except (SnapdpError, OverflowError):  # a record may be anybody's
        return None


def _text(text: str) -> Html:
    return escape(text, LONGEST)
