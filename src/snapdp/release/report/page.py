"""The report of a release: one self-contained HTML page, made from the record alone.

Tables and inline SVG; no script, no outside host, nothing that is not in the record. Every number stands in the open,
in the order in which people ask: what is protected, what is in it, the results, how to read them, how to check them,
and an annex for whoever checks a release, with what numbers were computed from and where the record comes from. Nothing
of a page is folded, since paper cannot be unfolded; a notebook folds the annex. Columns are put into words plainly at
the front and in full in the annex. What a record does not say is not said, and every text of a record, which may be
anybody's, is escaped.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from snapdp.display.html import Html, data_table, folded, html_fragment, html_page
from snapdp.display.text import hides_nothing
from snapdp.errors import SnapdpError
from snapdp.exact.dyadic import nearest_multiple
from snapdp.exact.numbers import parameter, positive
from snapdp.release.numbers import NumberBlock, counts_kept_rows, shown_amount, shown_interval, shown_value
from snapdp.release.remarks import (
    bounds_from_line,
    by_itself_line,
    complete_lines,
    cut_line,
    moved_line,
    person_lines,
    protected_line,
    relation_stated,
    wide_lines,
)
from snapdp.release.report.results import (
    LONG_TABLE,
    cut_note,
    heading,
    interval_head,
    is_technical,
    level,
    named_rows,
    part_in_words,
    results,
    side_file_lines,
    text,
)
from snapdp.studies.categories import BOOLEAN, DATE
from snapdp.studies.columns import AS_NUMBERS, DEFAULT_LEVELS, DROPPED, INTEGER, MAGNITUDE
from snapdp.studies.csv_dialect import dialect_words
from snapdp.studies.declarations import digest
from snapdp.studies.grouping.keys import KEY
from snapdp.studies.labels import readable_number, readable_title, told_apart
from snapdp.studies.protection import explain_protection, unit_noun, unit_nouns
from snapdp.studies.statistics.counts import PersonCount
from snapdp.values import Facts, Values

if TYPE_CHECKING:
    from snapdp.release.result import Release

ANNEX = "Technical annex"
_WRITTEN_BY = re.compile("This page was written by snapdp <code>([^<]{1,100})</code>")


def report_page(release: Release) -> str:
    """Return the whole page: a function of the record and of this version of snapdp, so that it can be compared."""
    blocks = list(release.blocks())
    parts = [*_parts(release, blocks), f"<h2>{ANNEX}</h2>", _annex(release.record, blocks)]
    return html_page(text(title_of(release.record)), parts, kind="snapdp")


def report_body(release: Release) -> str:
    """Return the report as a fragment, as notebooks show it."""
    blocks = list(release.blocks())
    folds = folded(ANNEX, _annex(release.record, blocks))
    return html_fragment([*_parts(release, blocks), folds])


def _annex(record: Values, blocks: Sequence[NumberBlock]) -> Html:
    sections = [_computed_from(blocks), *_mechanisms(record), _annex_columns(record), _origin(record)]
    return Html('<div class="tucked">{}</div>'.format("\n".join(sections)))


def _parts(release: Release, blocks: Sequence[NumberBlock]) -> list[str]:
    record = release.record
    return [
        *front(record),
        "<h2>Results</h2>",
        *results(record, blocks),
        side_file_lines(release.long_blocks()),
        _meaning(record, blocks),
        _checking(release),
    ]


def _meaning(record: Values, blocks: Sequence[NumberBlock]) -> str:
    levels = " or ".join(sorted({level(each["alpha"]) for each in record["statistics"]}))
    asked = ", as was asked for each" if " or " in levels else ""
    by_itself = f" {each}" if (each := by_itself_line(blocks, "It")) else ""
    numbers = [each for block in blocks if block.derived or not block.is_ranked for each in block.numbers]
    of_noise = filter(None, (moved_line(numbers), cut_line(numbers)))  # the counts behind ranks are not on the page
    told = (*of_noise, *person_lines(record), *complete_lines(record), *wide_lines(record))
    return (
        "<h2>How to read this</h2>"
        "<p>Random noise was added to every result to protect the people in the table.</p>"
        f"<p>An interval holds the statistic of the table with probability at least {text(levels + asked)}."
        f"{by_itself} It speaks of the noise alone: it says nothing about how the rows were sampled."
        f"{_counted(record)}</p>"
        "<p>What was computed from other numbers of this page costs nothing beyond these. A number has the digits "
        "that its noise leaves meaningful; the record and files of values have all.</p>"
        f"{''.join(f'<p>{text(line)}</p>' for line in told)}"
    )


def _counted(record: Values) -> str:
    """Return of which values and rows a statistic is one, where these are not all of the table as it stands."""
    clamped = any("lower" in column for _, column in every_column(record))
    said = "Values were moved into the declared bounds and rounded to the declared step first" if clamped else ""
    bounded = ""
    if "person" in record:
        bounded = f"of each {unit_noun(record['person'])} no more rows or groups count than is said below"
    told = " and ".join(filter(None, (said, bounded)))
    of_what = "what is left" if bounded else "these values"
    return f" {text(told[0].upper() + told[1:])}; the statistic is that of {of_what}." if told else ""


def snapdp_version() -> str:
    """Return the version of the code that runs, whatever is installed beside it."""
    return str(sys.modules["snapdp"].__version__)


def stated_versions(page: str) -> set[str]:
    """Return the versions of snapdp that a report says it was written by: one, unless it was edited."""
    return set(_WRITTEN_BY.findall(page))


def _checking(release: Release) -> str:
    """Return how you check the page: by the record, whose digest it states."""
    return (
        "<h2>How to check this</h2>"
        f"<p>This page was written by snapdp <code>{text(snapdp_version())}</code> from the record of the release, a "
        "file that is published beside it. In that version, <code>snapdp verify record.json --report report.html"
        "</code> checks that this page, saved as report.html, is byte for byte what snapdp writes from the record, and "
        "computes everything in the record again from what was declared and drawn. With <code>--ledger</code> the data "
        "holder finds its charge as well. <code>snapdp verify record.json --certificate certificate.json</code> writes "
        "a certificate, and <code>snapdp verify certificate.json</code> checks that by a program of its own.</p>"
        f"<p>Digest of the record: <code>{text(digest(release.to_json()))}</code></p>"
    )


# The front: what it is, who publishes it, what is protected and how well, and what is in it

WITHOUT_BOUNDS = "the results without the bounds of columns"


def title_of(record: Facts) -> str:
    """Return the title that the study gave, or one made of the name of the dataset."""
    return str(record.get("title") or f"Statistics of {record['dataset']}")


def front(record: Facts) -> list[str]:
    """Return title, publisher, contact and date; what is protected; what is in it."""
    # Who publishes it, whom to ask, and the day of the charge.
    said = [
        text(record["publisher"]) if "publisher" in record else "",
        f"contact: {text(record['contact'])}" if "contact" in record else "",
        f"charged on {text(record['date'])} (UTC)",
        f"table: {text(record['dataset'])}" if "title" in record else "",
    ]
    line = " &middot; ".join(filter(None, said))
    # What an epsilon means that protects nobody.
    charged = _charged(record)
    warning = "" if charged is None else hides_nothing(charged)
    # That the page tells more than its epsilon pays for, where bounds come from an earlier look.
    source = bounds_from_line(record)
    more = "They tell something about the table, too: the page as a whole tells more than this epsilon says."
    return [
        f"<h1>{text(title_of(record))}</h1>",
        f'<p class="by dim">{line}</p>' if line else "",
        f"<h2>What is protected</h2><p>{text(protected_line(record, subject='This report'))}</p>",
        f"<p>Together, {_paid_for(record)} use an "
        f'<span class="charge">epsilon of {text(shown_amount(record["charged"]))}</span> from the table\'s budget.'
        f"{_odds(record)} Other releases from the table add to this.</p>",
        f"<p><strong>{text(source)}</strong> {more}</p>" if source else "",
        f"<p><strong>{text(warning)}</strong></p>" if warning else "",
        f"<h2>What is in it</h2>{_columns(record)}{_statistics(record)}",
    ]


def _charged(record: Facts) -> Fraction | None:
    """Return what was charged; a charge that is no number is for the audit to find."""
    try:
        found = parameter(record["charged"], name="charged")
    except SnapdpError:
        return None
    return found if found >= 0 else None


def _paid_for(record: Facts) -> str:
    """Return what the charge was for: bounds that an earlier look has found stand here, and were paid for before."""
    return WITHOUT_BOUNDS if bounds_from_line(record) else "the results"


def _odds(record: Facts) -> str:
    """Return how well it is protected: the protection sentence of the charge."""
    charged, relation = _charged(record), relation_stated(record)
    if charged is None or relation is None:  # a record may be anybody's
        return ""
    return f" {text(explain_protection(relation, charged, results=_paid_for(record)))}"


def _columns(record: Facts) -> str:
    """Return a line for every column that was read: bounds, and what missing cells count as."""
    found = _described(record, column_in_words)
    lines = "".join(f"<li><strong>{text(name)}</strong>: {text(said)}.</li>" for name, said in found)
    return f"<ul>{lines}</ul>" if lines else ""


def _statistics(record: Facts) -> str:
    """Return every statistic with its cost, and what they cost together."""
    titles: Sequence[str] = told_apart(each["title"] for each in record["statistics"])
    rows: list[Sequence[str]] = [
        (text(_heading(record, title, each)), text(readable_title(title, each)), _amount(each["epsilon"]))
        for title, each in zip(titles, record["statistics"], strict=True)
    ]
    rows.append((Html("<strong>all together</strong>"), "", Html(f"<strong>{_amount(record['charged'])}</strong>")))
    heads = ("statistic", "its name in record and files", "cost in epsilon")
    caption = "What is not listed was computed from these numbers, at no extra cost."
    return str(data_table(caption, heads, rows, ("l", "l", "r"), is_long=len(rows) > LONG_TABLE))


def _heading(record: Facts, title: str, statistic: Facts) -> str:
    units = unit_nouns(record.get("person", ""))
    kept = counts_kept_rows(record, statistic)
    return heading(readable_title(title, statistic), statistic, are_kept=kept, units=units)


def _amount(given: str) -> str:
    return text(shown_amount(given))


# The annex: names are those of the record, with a word on what each of them is

PARAMETERS = ("epsilon", "sensitivity", "noise_scale", "grid", "factor", "shift")  # of a part
EXACTLY = (
    "Exact integer sums, exact Laplace noise, rounded to a grid (the snapping mechanism). Sensitivity, noise scale and "
    "grid are those of the whole number that was drawn; value = shift + factor &times; grid &times; index."
)


def _computed_from(blocks: Sequence[NumberBlock]) -> str:
    """Return the numbers that results were computed from: a sum and a count behind a mean; very many are in files."""
    behind = [each for each in blocks if is_technical(each) and not each.is_ranked]
    single, several = ([each for each in behind if each.is_single is is_one] for is_one in (True, False))
    found = (
        [
            _table(
                text("Drawn numbers behind single ones." + cut_note(x for each in single for x in each.numbers)),
                ("statistic", "drawn", "value", interval_head(single[0])),
                [
                    (text(each.readable_title), text(part_of(each)), shown_value(x), shown_interval(x))
                    for each in single
                    for x in each.numbers
                ],
                ("l", "l", "r", "i"),
            )
        ]
        if single
        else []
    )
    found += [_drawn_table(each) for each in several]
    said = "A mean is made of a sum and a count, both with noise of their own." if found else ""
    if any(each.is_ranked and not each.derived for each in blocks):
        said += " Quantiles are read off counts of rows, which are in the record and in files of values."
    return f"<h3>Numbers behind the results</h3><p>{said.strip()}</p>{''.join(found)}" if said else ""


def part_of(block: NumberBlock) -> str:
    """Return which part of a statistic a block is, in words, and its name in the record."""
    said = part_in_words(block.name, block.declared)
    return said if said == block.name else f"{said} ({block.name})"


def _drawn_table(block: NumberBlock) -> str:
    keys, names = named_rows(block)
    heads = (*keys, text("value"), interval_head(block))
    rows = [(*name, shown_value(x), shown_interval(x)) for name, x in zip(names, block.readable, strict=True)]
    caption = f"{block.readable_title}: {part_of(block)}"
    caption += cut.replace(" ", ". ", 1) if (cut := cut_note(block.numbers)) else ""
    return _table(text(caption), heads, rows, (*[""] * len(keys), "r", "i"), names=len(keys))


def _table(
    caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], kinds: Sequence[str], *, names: int = 1
) -> str:
    return str(data_table(caption, heads, rows, kinds, names=names, is_long=len(rows) > LONG_TABLE / 3))


def _mechanisms(record: Values) -> Iterable[str]:
    """Yield what was done to every number, and with which parameters."""
    yield f"<h3>What was done</h3><p>{EXACTLY}</p>"
    heads = ("statistic", "epsilon of each group", "sensitivity", "noise scale", "grid", "factor", "shift")
    titles = told_apart(each["title"] for each in record["statistics"])
    named = [{**each, "title": title} for each, title in zip(record["statistics"], titles, strict=True)]
    rows = [
        (_part_named(each, part), *(text(part[name]) for name in PARAMETERS))
        for each in named
        for part in each["parts"]
    ]
    yield _table("Parameters of every part.", heads, rows, ("l", *"r" * len(PARAMETERS)))


def _part_named(statistic: Facts, part: Facts) -> Html:
    title = text(readable_title(statistic["title"], statistic))
    return Html(title + (f", {text(part['name'])}" if len(statistic["parts"]) > 1 else ""))


def _annex_columns(record: Values) -> str:
    """Return a table of every column that was read."""
    rows = [(text(name), text(said)) for name, said in _described(record, declared)]
    return f"<h3>Columns</h3>{_table('As they were declared.', ('column', 'declared'), rows, ('l', ''))}"


def _origin(record: Values) -> str:
    rows = (
        ("dataset version", record["dataset_version"]),
        ("request", record["request"]),
        ("charge in the ledger", record["previous"]),
        ("engine", record["engine"]),
        *([("CSV files", dialect_words(record["csv"]))] if "csv" in record else []),
        *([("drawn anew for", record["own"])] if "own" in record else []),
        ("versions", ", ".join(f"{name} {version}" for name, version in sorted(record["versions"].items()))),
    )
    cells = [(name, Html(f"<code>{text(said)}</code>")) for name, said in rows]
    return f"<h3>Record</h3>{_table('What the record says of its origin.', ('field', 'value'), cells, ('', ''))}"


# Columns in words

MOST_EDGES = 20  # of bins that are named
LEFT_OUT = "rows without it are left out"
MOST_CATEGORIES = 30  # that are named at the front; one more is named, too


def every_column(record: Facts) -> Iterator[tuple[Facts, Facts]]:
    """Yield the declaration of every column that a statistic is about, is grouped by, or has a condition on."""
    for statistic in record["statistics"]:
        by = statistic.get("by", [])
        tested = (each["column"] for each in statistic.get("where", []))
        for column in (*statistic.get("columns", []), *([by] if isinstance(by, Mapping) else by), *tested):
            yield statistic, column


def _described(record: Facts, describe: Callable[..., str]) -> Iterable[tuple[str, str]]:
    """Return every column that was read with what is said of it, each declaration once: one column may have two."""
    found = [(str(each["name"]), describe(each, statistic)) for statistic, each in every_column(record)]
    return dict.fromkeys([*found, *((name, naming(record, name)) for name in person_columns(record))])


def person_columns(record: Facts) -> Sequence[str]:
    """Return the columns that name persons; none where rows are protected."""
    person = record.get("person", [])
    return [person] if isinstance(person, str) else person


def naming(record: Facts, name: str) -> str:
    """Return what a column that names persons does, how many rows of each count where rows are counted, and its values.

    They are stated where the column is declared.
    """
    statistics = [each for each in record["statistics"] if each["kind"] != PersonCount.kind]
    most = sorted({each.get("rows_per_person", record.get("rows_per_person", 1)) for each in statistics})
    person = record["person"]
    what = "names persons" if isinstance(person, str) else f"part of the unit, {unit_noun(person)}"
    rows = f"; at most {' or '.join(map(str, most))} rows of each count" if most else ""
    declared = [each for each in record.get("person_columns", ()) if each["name"] == name and "unknown" in each]
    return "; ".join([f"{what}{rows}", *map(_shortly, declared)])


def declared(column: Facts, statistic: Facts) -> str:
    """Return all that is declared of a column, in the words of a study."""
    if column["kind"] == KEY and "keys" in statistic:
        keys, compared = statistic["keys"], "numbers" if "compare" in column else "text"
        return f"one of {keys['count']} public keys, compared as {compared} ({keys['digest']}); others are left out"
    if column["kind"] == MAGNITUDE:
        least, most = column["exponents"]
        return f"numbers by powers of two, from 2^{least} to 2^{most} on both sides of zero; no bounds are declared"
    if "unknown" in column:
        return f"{_values_in_words(column)}; {_others(column)}"
    lower, upper, step = (readable_number(column[key]) for key in ("lower", "upper", "step"))
    return (
        f"{column['kind']} from {lower} to {upper} in steps of {step} "
        f"(rounding moves a cell, and a mean, by at most half a step); {_missing(column)}{_bins(column)}"
    )


def _bins(column: Facts) -> str:
    """Return how a column of numbers is cut into bins, where groups are by it."""
    if "edges" not in column:
        return ""
    return f"; grouped by {_cut(column)}; outside {column['outside']}, null {column['null']}"


def _missing(column: Facts) -> str:
    """Return what a missing cell of a column of numbers counts as."""
    if column.get("missing") == DROPPED:
        return LEFT_OUT
    number = column["missing_in_sums"]
    try:
        lower, upper = (parameter(column[key], name=key) for key in ("lower", "upper"))
        step = positive(column["step"], name="step")
        middle = " (middle)" if number == str(nearest_multiple((lower + upper) / 2, step)) else ""
    except SnapdpError:  # a record may be anybody's
        middle = ""
    return f"missing cells count as {readable_number(number)}{middle} in sums"


def _values_in_words(column: Facts) -> str:
    if column["kind"] == DATE:
        return f"dates from {column['from']} to {column['to']}, by {column['each']}"
    if column["kind"] == BOOLEAN:
        return "true or false"
    listed = column["categories"]
    text = f"{listed['count']} categories" if isinstance(listed, dict) else ", ".join(listed)
    return f"{text}, compared as numbers" if column.get("compare") == AS_NUMBERS else text


def column_in_words(column: Facts, statistic: Facts) -> str:
    """Return what of a column is counted, and what becomes of its missing cells, plainly.

    >>> age = {"name": "age", "kind": "integer", "lower": "0", "upper": "120", "step": "1", "missing": "dropped"}
    >>> column_in_words(age, {})
    'whole numbers between 0 and 120, others count as the nearest of these; rows without it are left out'

    A step as small as the one that a column has where none is declared is not worth a word here.
    """
    if column["kind"] == MAGNITUDE or (column["kind"] == KEY and "keys" in statistic):
        return declared(column, statistic)
    if "unknown" in column:
        return f"{_shortly(column)}; {_others(column)}"
    if not {"lower", "upper", "step"} <= {*column}:  # of keys
        return "names groups"
    lower, upper, step = (readable_number(column[key]) for key in ("lower", "upper", "step"))
    stepped = f"numbers in steps of {step}" if _is_coarse(column) else "numbers"
    kind = "whole numbers" if column["kind"] == INTEGER else stepped
    dropped = column.get("missing") == DROPPED
    without = f"missing values count as {readable_number(column['missing_in_sums'])}" if not dropped else LEFT_OUT
    binned = f"; groups are {_cut(column)}" if "edges" in column else ""
    return f"{kind} between {lower} and {upper}, others count as the nearest of these; {without}{binned}"


def _is_coarse(column: Facts) -> bool:
    """Tell whether a column of numbers has fewer levels than one without a declared step."""
    try:
        lower, upper, step = (parameter(column[key], name=key) for key in ("lower", "upper", "step"))
    except SnapdpError:  # a record may be anybody's
        return True
    return upper - lower < DEFAULT_LEVELS * step


def _shortly(column: Facts) -> str:
    listed = column.get("categories")
    if not isinstance(listed, (list, tuple)) or len(listed) <= MOST_CATEGORIES + 1:
        return _values_in_words(column)
    return f"{', '.join(listed[:MOST_CATEGORIES])} and {len(listed) - MOST_CATEGORIES} other categories"


def _others(column: Facts) -> str:
    """Return what becomes of rows that mean none of the categories, or have none."""
    unknown, null = ("left out" if column[key] == DROPPED else "counted by themselves" for key in ("unknown", "null"))
    if unknown == null:
        return f"rows with another value or none are {unknown}"
    return f"rows with another value are {unknown}, those without one are {null}"


def _cut(column: Facts) -> str:
    """Return between which numbers the bins of a column lie."""
    edges = column["edges"]
    shown = ", ".join(str(readable_number(each)) for each in edges[:MOST_EDGES])
    more = f" and {len(edges) - MOST_EDGES} more" if len(edges) > MOST_EDGES else ""
    return f"bins between {shown}{more}"
