"""The report of a release: one self-contained HTML page, made from the record alone.

Room: release. Tables and inline SVG; no script, no outside host, nothing that is not in the record. Every text of the
record passes through `_text`: names of columns and categories are the data holder's, and a record may be anybody's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from snapdp.display import (
    Chart,
    Html,
    confidence,
    escape,
    folded,
    hides_nothing,
    html_fragment,
    html_page,
    html_table,
    scale,
    shortened,
    visible,
)
from snapdp.errors import SnapdpError
from snapdp.exact import nearest_multiple, parameter, positive
from snapdp.release.numbers import (
    FREE,
    Number,
    NumberBlock,
    shown_amount,
    shown_interval,
    shown_value,
)
from snapdp.release.remarks import bits_in_words, complete_lines, moved_line, person_lines, unknown_line, wide_lines
from snapdp.release.report_margins import margins_section
from snapdp.release.report_quantiles import quantiles_section
from snapdp.studies import (
    AS_NUMBERS,
    BOOLEAN,
    DATE,
    DROPPED,
    KEY,
    MAGNITUDE,
    PersonCount,
    believed,
    dialect_words,
    person_in_words,
    readable_number,
    readable_title,
    told_apart,
)

if TYPE_CHECKING:
    from snapdp.release.result import Release

WIDTH, LABEL, RIGHT, ROW = 520, 160, 20, 22  # narrow enough that labels are still read on a telephone
MOST_BARS = 60
MOST_OPEN = 20  # rows of a table that is unfolded at once
MOST_EDGES = 20  # of bins that are named
LONGEST = 1000  # of one text on the page; the record holds it whole
PARAMETERS = ("epsilon", "sensitivity", "noise_scale", "grid", "factor", "shift")  # of a part
EXACTLY = (
    "Exact integer sums, exact Laplace noise, rounded to a grid (the snapping mechanism). Sensitivity, noise scale and "
    "grid are those of an integer numerator; value = shift + factor &times; grid &times; index."
)


def report_page(release: Release, *, certificate: str | None = None) -> str:
    """Return the whole page; `certificate` is the address of a certificate beside it."""
    title = Html(f"Release of {_text(release.record['dataset'])}")
    return html_page(title, _parts(release, certificate), kind="snapdp")


def report_body(release: Release) -> str:
    """Return the report as a fragment, as notebooks show it."""
    return html_fragment(_parts(release, None))


def _parts(release: Release, certificate: str | None) -> list[str]:
    record = release.record
    blocks = list(release.blocks())
    return [
        f"<h1>{_text(record['dataset'])}</h1>",
        f'<p><span class="charge">epsilon {_text(shown_amount(record["charged"]))}</span> <span class="dim">'
        f"was charged for everything on this page. {_text(_neighbours(record))}</span></p>",
        _warned(record),
        _drawn_by(release.author),
        _summary(blocks),
        *(_section(list(group)) for _, group in groupby(blocks, key=_section_of)),
        *(f"<p>{_text(title)}: in <code>{_text(name)}</code>.</p>" for name, title in release.long_blocks()),
        _meaning(record, moved_line(each for block in blocks for each in block.numbers)),
        _mechanisms(record),
        _origin(record),
        _certified(certificate),
    ]


def _text(text: str) -> Html:
    """Return a text of the record as the page shows it."""
    return escape(text, LONGEST)


def _neighbours(record: dict[str, Any]) -> str:
    if record["relation"] == "change-one":
        return f"It protects the values of one row; the number of rows, {record['n']}, is public."
    who, trust = "one row", ""
    if "person" in record:
        who = f"one person ({person_in_words(record['person'])}) with all rows of theirs"
    elif "unit_rows" in record:
        who = f"{record['unit_rows']} rows together"
        trust = f" {believed(record['unit_rows'])}"
    private = f"the number of rows is private, at most {record['n_max']} are counted."
    return f"It protects the presence of {who}; {private}{trust}"


def _warned(record: dict[str, Any]) -> str:
    """Return what an epsilon means that protects nobody; a charge that is no number is for the audit to find."""
    try:
        warning = hides_nothing(parameter(record["charged"], name="charged"))
    except SnapdpError:
        return ""
    return f"<p><strong>{_text(warning)}</strong></p>" if warning else ""


def _drawn_by(author: str | None) -> str:
    if author is None:
        return ""
    return (
        f"<p>Answered before: drawn by <b>{_text(author)}</b>, another role of the team ledger. The ledger "
        "proves that it was paid for, not that the numbers were drawn at random.</p>"
    )


def _summary(blocks: Sequence[NumberBlock]) -> str:
    """Return a table of the statistics that are one number each; what is derived from parts stands before them."""
    alone = (each for each in blocks if each.is_single and not each.is_margin)
    single = sorted(alone, key=lambda each: (each.place, each.is_made_of))
    if not single:
        return ""
    rows = ((_named(each), *_shown(each.numbers[0]), _text(each.cost)) for each in single)
    table = html_table(("statistic", "value", "interval", "epsilon"), rows, kinds=("", *"rrr"))
    return f"<h2>Numbers</h2>{table}{''.join(map(_unknown, single))}"


def _section_of(block: NumberBlock) -> tuple[int, str]:
    """Return what tells sections apart: the margins of one table are one, and all that belongs to quantiles."""
    return block.place, "" if block.is_margin or block.is_ranked else block.title


def _section(blocks: Sequence[NumberBlock]) -> str:
    """Return a picture and a table for a statistic with cells; nothing for a single number."""
    if blocks[0].is_margin:
        return margins_section(blocks)
    if blocks[0].is_ranked:
        return quantiles_section(blocks)
    found = []
    for block in sorted(blocks, key=lambda each: each.is_made_of):  # what is derived from parts stands before them
        if block.is_single:
            continue
        cells = block.readable
        heads, rows = _heads(block), ((*_names(each), *_shown(each)) for each in cells)
        table = html_table((*heads, "value", "interval"), rows, kinds=(*[""] * len(heads), *"rr"))
        picture = "" if block.is_made_of else bars(cells[:MOST_BARS])
        listed = folded("table", table, is_open=not block.is_made_of and len(cells) <= MOST_OPEN)
        found.append(f'<p class="dim">{_text(_about(block))}</p>{_unknown(block)}{picture}{listed}')
    return f"<h2>{_text(blocks[0].readable_title)}</h2>{''.join(found)}" if found else ""


def _heads(block: NumberBlock) -> tuple[Html, ...]:
    """Return the heads of what names a cell: one for each column where these are several."""
    return tuple(_text(name) for name, _ in block.numbers[0].keys) or (Html("cell"),)


def _names(number: Number) -> tuple[Html, ...]:
    return tuple(map(_text, number.label)) or (_text(number.cell),)


def _about(block: NumberBlock) -> str:
    """Return which part of a statistic a table is, or what it cost and of what it shows shares."""
    if block.mean_of is not None:
        return f"{block.part}; epsilon {block.cost}"
    if block.part or block.epsilon != FREE:
        return block.part or f"epsilon {block.cost_in_words}"
    return f"{block.cost}, free of charge" + (f"; each is a share of {block.share_of}" if block.share_of else "")


def _unknown(block: NumberBlock) -> str:
    line = unknown_line(block) if block.is_first else ""
    return f"<p>{_text(line)}</p>" if line else ""


def bars(numbers: Sequence[Number]) -> Html:
    """Return an SVG of values as bars, with their intervals as lines."""
    ends = [0.0, *(float(x) for each in numbers for x in (each.printed, each.low, each.high) if x is not None)]
    x = scale(min(ends), max(ends), start=LABEL, end=WIDTH - RIGHT)
    chart = Chart(width=WIDTH, height=ROW * len(numbers) + 8)
    for row, each in enumerate(numbers):
        top = 4 + row * ROW
        chart.label(LABEL - 8, top + 15, shortened(visible(each.cell), 24), anchor="end")
        said = f"{shortened(visible(each.cell), LONGEST)}: {', '.join(filter(None, _shown(each)))}"
        chart.bar(x(0.0), x(float(each.printed)), y=top + 3, height=ROW - 7, look="first", said=said)
        if each.low is not None and each.high is not None:
            chart.interval(x(float(each.low)), x(float(each.high)), y=top + ROW / 2)
    chart.vertical(x(0.0), start=0, end=chart.height)
    return chart.svg("values with noise intervals")


def _meaning(record: dict[str, Any], moved: str) -> str:
    levels = " or ".join(sorted({_level(each["alpha"]) for each in record["statistics"]}))
    asked = ", as was asked for each" if " or " in levels else ""
    told = (*person_lines(record), *complete_lines(record), *wide_lines(record))
    return (
        "<h2>How to read this</h2>"
        "<p>Each number was moved by random noise on purpose, so that nobody can tell from this page "
        f"{_text(_hidden(record))}, beyond the factor that epsilon allows.</p>"
        f"<p>An interval holds the statistic of the table with probability at least {_text(levels + asked)}. It "
        f"speaks of the noise alone: it says nothing about how the rows were sampled.{_counted(record)}</p>"
        "<p>Derived numbers follow from others on this page and cost nothing beyond these. A number has the digits "
        "that its noise leaves meaningful; the record and files of values have all.</p>"
        f"{f'<p>{_text(moved)}</p>' if moved else ''}"
        f"{''.join(f'<p>{_text(line)}</p>' for line in told)}"
    )


def _hidden(record: dict[str, Any]) -> str:
    """Return what a reader cannot tell: about a row, a person with all rows of theirs, or some rows together."""
    if "person" in record:
        return "whether a given person is in the table or what their rows say"
    if "unit_rows" in record:
        return f"whether given rows, up to {record['unit_rows']} together, are in the table or what they say"
    return "whether a given row is in the table or what it says"


def _counted(record: dict[str, Any]) -> str:
    """Return of which cells and rows a statistic is one, where these are not all of the table as it stands."""
    clamped = any("lower" in column for _, column in _every_column(record))
    said = "Cells were clamped to the declared bounds and rounded to the declared step first" if clamped else ""
    bounded = "of each person no more rows or groups count than is said below" if "person" in record else ""
    told = " and ".join(filter(None, (said, bounded)))
    of_what = "what is left" if bounded else "these values"
    return f" {told[0].upper()}{told[1:]}; the statistic is that of {of_what}." if told else ""


def _level(alpha: str) -> str:
    """Return the probability with which an interval holds, of an alpha of the record."""
    try:
        return confidence(parameter(alpha, name="alpha"))
    except SnapdpError:  # a record may be anybody's
        return f"1 - {alpha}"


def _mechanisms(record: dict[str, Any]) -> str:
    """Return what was done to every number, in the arithmetic of the record, and with which parameters."""
    is_exact = record["arithmetic"] == "exact"
    parameters = Html(f"{_parameters(record, is_exact)}<h3>columns</h3>{_columns(record)}")
    return (
        f"<h2>What was done</h2><p>{EXACTLY if is_exact else _text(_finitely(record))}</p>"
        f"{folded('parameters', parameters)}"
    )


def _parameters(record: dict[str, Any], is_exact: bool) -> Html:
    """Return a table of the mechanisms of all parts; in finite precision with middles, bits and certificates."""
    heads = ("statistic", "epsilon of a cell", "sensitivity", "noise scale", "grid", "factor", "shift")
    titles = told_apart(each["title"] for each in record["statistics"])
    named = [{**each, "title": title} for each, title in zip(record["statistics"], titles, strict=True)]
    parts = [(each, part) for each in named for part in each["parts"]]
    rows = [(_part_named(*each), *(_text(each[1][name]) for name in PARAMETERS)) for each in parts]
    if is_exact:
        return html_table(heads, rows, kinds=("", *"r" * len(PARAMETERS)))
    rows = [(*row, _text(_middle(part))) for row, (_, part) in zip(rows, parts, strict=True)]
    proofs = [
        (_part_named(*each), str(each[1].get("bits", "")), Html(f"<code>{_text(_certificate(each[1]))}</code>"))
        for each in parts
    ]
    proved = html_table(("statistic", "bits", "certificate"), proofs, kinds=("", "r"))
    parts_table = html_table((*heads, "middle"), rows, kinds=("", *"r" * len(heads)))
    return Html(f"{parts_table}<h3>certificates</h3>{proved}")


def _finitely(record: dict[str, Any]) -> str:
    """Return what was done in finite precision."""
    return (
        f"Exact integer sums, Laplace noise in numbers of {bits_in_words(record)}, rounded to a grid (the snapping "
        f"mechanism; arithmetic {record['arithmetic']}). Sensitivity, noise scale, grid and middle are those of an "
        "integer numerator, whose range the middle halves; value = shift + factor \u00d7 (middle + grid \u00d7 "
        "index). What a mechanism loses, rounding included, its certificate says, a file that the record names and "
        "snapdp check reads. It is about one step: where somebody moves a cell in k steps, by k rows or by one that "
        "goes from bound to bound, it claims a k-th part of the epsilon of the cell. snapdp verify of the record tells "
        "k."
    )


def _part_named(statistic: dict[str, Any], part: dict[str, Any]) -> Html:
    title = _text(readable_title(statistic["title"], statistic))
    return Html(title + (f", {_text(part['name'])}" if len(statistic["parts"]) > 1 else ""))


def _certificate(part: dict[str, Any]) -> str:
    return str(part["certificate"]["name"]) if "certificate" in part else ""


def _middle(part: dict[str, Any]) -> str:
    """Return the middle of the range of a numerator."""
    try:
        lower, upper = (parameter(part[key], name=key) for key in ("lower", "upper"))
    except SnapdpError:  # a record may be anybody's
        return ""
    return str((lower + upper) / 2)


def _columns(record: dict[str, Any]) -> Html:
    """Return a table of every column that was read, each declaration once: one column may have two."""
    found = {
        (each["name"], _keyed(each, statistic) or _declared(each)): None for statistic, each in _every_column(record)
    }
    for name in _listed(record["person"]) if "person" in record else ():
        found[name, _naming(record)] = None
    return html_table(("column", "declared"), ((_text(name), _text(declared)) for name, declared in found))


def _every_column(record: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Mapping[str, Any]]]:
    """Yield the declaration of every column that a statistic is about, is grouped by, or has a condition on."""
    for statistic in record["statistics"]:
        by = statistic.get("by", [])
        tested = (each["column"] for each in statistic.get("where", []))
        for column in (*statistic.get("columns", []), *([by] if isinstance(by, Mapping) else by), *tested):
            yield statistic, column


def _listed(person: str | list[str]) -> list[str]:
    return [person] if isinstance(person, str) else person


def _naming(record: dict[str, Any]) -> str:
    """Return what a column that names persons does, and how many rows of each count where rows are counted."""
    statistics = [each for each in record["statistics"] if each["kind"] != PersonCount.kind]
    most = sorted({each.get("rows_per_person", record.get("rows_per_person", 1)) for each in statistics})
    together = "" if isinstance(record["person"], str) else f", together: {person_in_words(record['person'])}"
    rows = f"; at most {' or '.join(map(str, most))} rows of each count" if most else ""
    return f"names persons{together}{rows}"


def _keyed(column: Mapping[str, Any], statistic: dict[str, Any]) -> str:
    """Return what is declared of a column of keys; nothing of any other."""
    if column["kind"] != KEY or "keys" not in statistic:
        return ""
    keys, compared = statistic["keys"], "numbers" if "compare" in column else "text"
    return f"one of {keys['count']} public keys, compared as {compared} ({keys['digest']}); others are left out"


def _declared(column: Mapping[str, Any]) -> str:
    if column["kind"] == MAGNITUDE:
        least, most = column["exponents"]
        return f"numbers by powers of two, from 2^{least} to 2^{most} on both sides of zero; no bounds are declared"
    if "unknown" in column:
        return f"{_values_in_words(column)}; unknown {column['unknown']}, null {column['null']}"
    lower, upper, step = (readable_number(column[key]) for key in ("lower", "upper", "step"))
    return (
        f"{column['kind']} from {lower} to {upper} in steps of {step} "
        f"(rounding moves a cell, and a mean, by at most half a step); {_missing(column)}{_bins(column)}"
    )


def _bins(column: Mapping[str, Any]) -> str:
    """Return how a column of numbers is cut into bins, where groups are by it."""
    if "edges" not in column:
        return ""
    edges = column["edges"]
    shown = ", ".join(str(readable_number(each)) for each in edges[:MOST_EDGES])
    more = f" and {len(edges) - MOST_EDGES} more" if len(edges) > MOST_EDGES else ""
    return f"; grouped by bins between {shown}{more}; outside {column['outside']}, null {column['null']}"


def _missing(column: Mapping[str, Any]) -> str:
    """Return what a missing cell of a column of numbers counts as."""
    if column.get("missing") == DROPPED:
        return "rows without it are left out"
    number = column.get("missing_in_sums", column.get("missing"))
    try:
        lower, upper = (parameter(column[key], name=key) for key in ("lower", "upper"))
        step = positive(column["step"], name="step")
        middle = " (middle)" if number == str(nearest_multiple((lower + upper) / 2, step)) else ""
    except SnapdpError:  # a record may be anybody's
        middle = ""
    return f"missing cells count as {readable_number(number)}{middle}" + (
        " in sums" if "missing_in_sums" in column else ""
    )


def _values_in_words(column: Mapping[str, Any]) -> str:
    if column["kind"] == DATE:
        return f"dates from {column['from']} to {column['to']}, by {column['each']}"
    if column["kind"] == BOOLEAN:
        return "true or false"
    listed = column["categories"]
    text = f"{listed['count']} categories" if isinstance(listed, dict) else ", ".join(listed)
    return f"{text}, compared as numbers" if column.get("compare") == AS_NUMBERS else text


def _origin(record: dict[str, Any]) -> str:
    rows = (
        ("dataset version", record["dataset_version"]),
        ("request", record["request"]),
        ("charge in the ledger", record["previous"]),
        ("arithmetic", record["arithmetic"]),
        ("engine", record.get("engine", "not named in a record of version 1")),
        *([("CSV files", dialect_words(record["csv"]))] if "csv" in record else []),
        *([("drawn anew for", record["own"])] if "own" in record else []),
        ("versions", ", ".join(f"{name} {version}" for name, version in sorted(record["versions"].items()))),
    )
    cells = ((name, Html(f"<code>{_text(text)}</code>")) for name, text in rows)
    return folded("record", html_table(("field", "value"), cells))


def _certified(certificate: str | None) -> str:
    if certificate is None:
        return ""
    return (
        "<h2>Audit</h2><p>Everything on this page was derived again from the record: "
        f'<a href="{_address(certificate)}">certificate</a>. '
        f"Check it independently: <code>snapdp check {_text(certificate)}</code></p>"
    )


def _address(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"))


def _named(block: NumberBlock) -> Html:
    return _text(block.readable_title + (f", {block.part}" if block.part else ""))


def _shown(each: Number) -> tuple[str, str]:
    return shown_value(each), shown_interval(each)
