"""The report of a release: one self-contained HTML page, made from the record alone.

Room: release. Tables and inline SVG; no script, no outside host, nothing that is not in the record. Every text of the
record passes through `escape`: names of columns and categories are the data holder's, and a record may be anybody's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape as _escaped
from itertools import groupby
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from snapdp.display.text import shortened, visible
from snapdp.display.words import hides_nothing
from snapdp.errors import SnapdpError
from snapdp.exact.numbers import parameter

if TYPE_CHECKING:
    from snapdp.release.result import Number, Release

WIDTH, LABEL, RIGHT, ROW = 680, 190, 20, 22
MOST_BARS = 60
LONGEST = 1000  # of one text on the page; the record holds it whole

STYLE = """
.snapdp { font: 15px/1.5 system-ui, sans-serif; color: #1c2733; max-width: 760px; }
.snapdp h1 { font-size: 1.5em; margin: 0 0 .2em; } .snapdp h2 { font-size: 1.12em; margin: 1.8em 0 .4em; }
.snapdp p { margin: .4em 0; } .snapdp .dim { color: #5b6875; }
.snapdp table { border-collapse: collapse; margin: .5em 0; font-variant-numeric: tabular-nums; }
.snapdp th, .snapdp td { text-align: left; padding: .2em .9em .2em 0; border-bottom: 1px solid #dde3e8; }
.snapdp th { font-weight: 600; } .snapdp td.number { text-align: right; }
.snapdp .charge { display: inline-block; background: #e8f1ee; border-radius: 4px; padding: .1em .5em; }
.snapdp svg { display: block; margin: .5em 0; max-width: 100%; height: auto; }
.snapdp details { margin: .5em 0; } .snapdp summary { cursor: pointer; color: #2b5d8a; }
.snapdp code { font-size: .86em; overflow-wrap: anywhere; }
"""


def report_page(release: Release, *, certificate: str | None = None) -> str:
    """Return the whole page; `certificate` is the address of a certificate beside it."""
    title = f"Release of {escape(release.record['dataset'])}"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>body {{ margin: 2em auto; max-width: 760px; padding: 0 1em; }}</style></head>\n"
        f"<body>\n{report_body(release, certificate=certificate)}\n</body></html>\n"
    )


def report_body(release: Release, *, certificate: str | None = None) -> str:
    """Return the report as a fragment, as notebooks show it."""
    record = release.record
    numbers = list(release.numbers())
    parts = [
        f"<h1>{escape(record['dataset'])}</h1>",
        f'<p><span class="charge">epsilon {escape(record["charged"])}</span> <span class="dim">'
        f"was charged for everything on this page. {escape(_neighbours(record))}</span></p>",
        _warned(record),
        _drawn_by(release.author),
        _summary(numbers),
        *(_section(title, list(group)) for title, group in groupby(numbers, key=lambda each: each.statistic)),
        *(f"<p>The cells of a long statistic are in <code>{escape(name)}</code>.</p>" for name in release.files()),
        _meaning(record),
        _mechanisms(record),
        _origin(record),
        _certified(certificate),
    ]
    return f'<div class="snapdp"><style>{STYLE}</style>\n' + "\n".join(parts) + "\n</div>"


def escape(text: str) -> str:
    """Return a text from outside as a page shows it: no tag, no character that turns or hides the text around it."""
    return _escaped(shortened(visible(text), LONGEST))


def _neighbours(record: dict[str, Any]) -> str:
    if record["relation"] == "change-one":
        return f"It protects the values of one row; the number of rows, {record['n']}, is public."
    who = "one row" if "person" not in record else f"one person ({record['person']}, {record['rows_per_person']} rows)"
    return f"It protects the presence of {who}; the number of rows is private, at most {record['n_max']} are counted."


def _warned(record: dict[str, Any]) -> str:
    """Return what an epsilon means that protects nobody; a charge that is no number is for the audit to find."""
    try:
        warning = hides_nothing(parameter(record["charged"], name="charged"))
    except SnapdpError:
        return ""
    return f"<p><strong>{escape(warning)}</strong></p>" if warning else ""


def _drawn_by(author: str | None) -> str:
    if author is None:
        return ""
    return (
        f"<p>Answered before: drawn by <b>{escape(visible(author))}</b>, another role of the team ledger. The ledger "
        "proves that it was paid for, not that the numbers were drawn at random.</p>"
    )


def _summary(numbers: Sequence[Number]) -> str:
    """Return a table of the statistics that are one number each."""
    single = [each for each in numbers if not each.cell]
    if not single:
        return ""
    rows = (
        (_named(each), _shown(each), _interval(each), "derived" if each.derived else escape(each.epsilon))
        for each in single
    )
    return "<h2>Numbers</h2>" + _table(("statistic", "value", "interval", "epsilon"), rows)


def _section(title: str, numbers: Sequence[Number]) -> str:
    """Return a picture and a table for a statistic with cells; nothing for a single number."""
    if not any(each.cell for each in numbers):
        return ""
    found = [f"<h2>{escape(title)}</h2>"]
    in_order = sorted(numbers, key=lambda each: bool(each.part))  # what is derived from parts stands before them
    for part, group in groupby(in_order, key=lambda each: each.part):
        cells = list(group)
        name = part or ("derived, free of charge" if cells[0].derived else f"epsilon {cells[0].epsilon}")
        rows = ((escape(each.cell), _shown(each), _interval(each)) for each in cells)
        table = _table(("cell", "value", "interval"), rows)
        picture = bars(cells[:MOST_BARS]) if not part else ""
        found.append(f'<p class="dim">{escape(name)}</p>{picture}<details><summary>table</summary>{table}</details>')
    return "".join(found)


def bars(numbers: Sequence[Number]) -> str:
    """Return an SVG of values as bars, with their intervals as lines."""
    ends = [0.0, *(float(x) for each in numbers for x in (each.value, each.low, each.high) if x is not None)]
    low, high = min(ends), max(ends)
    span = (high - low) or 1.0
    height = ROW * len(numbers) + 8

    def x(value: float) -> float:
        return round(LABEL + (value - low) / span * (WIDTH - LABEL - RIGHT), 1)

    drawn = []
    for row, each in enumerate(numbers):
        top = 4 + row * ROW
        left, right = sorted((x(0.0), x(float(each.value))))
        label = shortened(visible(each.cell), 24)
        drawn.append(
            f'<text x="{LABEL - 8}" y="{top + 15}" text-anchor="end">{escape(label)}</text>'
            f'<rect x="{left}" y="{top + 3}" width="{round(max(right - left, 0.5), 1)}" height="{ROW - 7}" '
            f'fill="#8fb7d3"><title>{escape(each.cell)}: {_shown(each)}</title></rect>'
        )
        if each.low is not None and each.high is not None:
            a, b, y = x(float(each.low)), x(float(each.high)), top + ROW / 2
            drawn.append(
                f'<path d="M{a} {y - 4}v8M{a} {y}H{b}M{b} {y - 4}v8" stroke="#1c4966" stroke-width="1.4" fill="none"/>'
            )
    axis = f'<line x1="{x(0.0)}" x2="{x(0.0)}" y1="0" y2="{height}" stroke="#5b6875" stroke-width="1"/>'
    return (
        f'<svg role="img" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="#1c2733">'
        f"<title>values with noise intervals</title>{''.join(drawn)}{axis}</svg>"
    )


def _meaning(record: dict[str, Any]) -> str:
    alphas = ", ".join(sorted({each["alpha"] for each in record["statistics"]}))
    return (
        "<h2>How to read this</h2>"
        "<p>Each number was moved by random noise on purpose, so that nobody can tell from this page whether a "
        "given row is in the table or what it says, beyond the factor that epsilon allows.</p>"
        f"<p>An interval holds the statistic of the table with probability at least 1 &minus; {escape(alphas)}. It "
        "speaks of the noise alone: it says nothing about how the rows were sampled. Cells were clamped to the "
        "declared bounds and rounded to the declared step first; the statistic is that of these values.</p>"
        "<p>Derived numbers follow from released ones and cost nothing.</p>"
    )


def _mechanisms(record: dict[str, Any]) -> str:
    rows = (
        (
            escape(statistic["title"]) + (f", {escape(part['name'])}" if len(statistic["parts"]) > 1 else ""),
            *(escape(part[name]) for name in ("epsilon", "sensitivity", "noise_scale", "grid", "factor", "shift")),
        )
        for statistic in record["statistics"]
        for part in statistic["parts"]
    )
    heads = ("statistic", "epsilon of a cell", "sensitivity", "noise scale", "grid", "factor", "shift")
    return (
        "<h2>What was done</h2><p>Exact integer sums, exact Laplace noise, rounded to a grid (the snapping mechanism). "
        "Sensitivity, noise scale and grid are those of an integer numerator; value = shift + factor &times; grid "
        f"&times; index.</p><details><summary>parameters</summary>{_table(heads, rows)}"
        f"<h3>columns</h3>{_columns(record)}</details>"
    )


def _columns(record: dict[str, Any]) -> str:
    found: dict[str, str] = {}
    for statistic in record["statistics"]:
        declared = [*statistic.get("columns", []), *([statistic["by"]] if "by" in statistic else [])]
        for column in (*declared, *(each["column"] for each in statistic.get("where", []))):
            found[column["name"]] = _declared(column)
    return _table(("column", "declared"), ((escape(name), text) for name, text in found.items()))


def _declared(column: dict[str, Any]) -> str:
    if "categories" in column:
        listed = column["categories"]
        text = f"{listed['count']} categories" if isinstance(listed, dict) else ", ".join(listed)
        return escape(f"{text}; unknown {column['unknown']}, null {column['null']}")
    return escape(
        f"{column['kind']} from {column['lower']} to {column['upper']} in steps of {column['step']} "
        "(rounding moves a cell, and a mean, by at most half a step); "
        f"missing cells count as {column['missing']}"
    )


def _origin(record: dict[str, Any]) -> str:
    rows = (
        ("dataset version", record["dataset_version"]),
        ("request", record["request"]),
        ("charge in the ledger", record["previous"]),
        ("arithmetic", record["arithmetic"]),
        ("engine", record.get("engine", "not named in a record of version 1")),
        *([("drawn anew for", record["own"])] if "own" in record else []),
        ("versions", ", ".join(f"{name} {version}" for name, version in sorted(record["versions"].items()))),
    )
    cells = ((name, f"<code>{escape(text)}</code>") for name, text in rows)
    return f"<details><summary>record</summary>{_table(('field', 'value'), cells)}</details>"


def _certified(certificate: str | None) -> str:
    if certificate is None:
        return ""
    return (
        "<h2>Audit</h2><p>Everything on this page was derived again from the record: "
        f'<a href="{_address(certificate)}">certificate</a>. '
        f"Check it independently: <code>snapdp check {escape(certificate)}</code></p>"
    )


def _address(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"))


def _named(each: Number) -> str:
    return escape(each.statistic + (f", {each.part}" if each.part else ""))


def _shown(each: Number) -> str:
    from snapdp.release.result import shown_value

    return shown_value(each)


def _interval(each: Number) -> str:
    from snapdp.release.result import shown_interval

    return shown_interval(each)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{name}</th>" for name in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
