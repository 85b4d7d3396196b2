"""The annex of a report: what numbers were computed from, what was done to them, and where the record comes from.

Room: release. For whoever checks a release; names are those of the record, with a word on what each of them is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from snapdp.display import Html, data_table
from snapdp.release.digits import shown_interval, shown_value
from snapdp.release.numbers import NumberBlock
from snapdp.release.report.declared import declared, every_column, naming, person_columns
from snapdp.release.report.results import is_technical
from snapdp.release.report.words import LONG_TABLE, cut_note, interval_head, named_rows, part_in_words, text
from snapdp.studies import dialect_words, readable_title, told_apart

PARAMETERS = ("epsilon", "sensitivity", "noise_scale", "grid", "factor", "shift")  # of a part
EXACTLY = (
    "Exact integer sums, exact Laplace noise, rounded to a grid (the snapping mechanism). Sensitivity, noise scale and "
    "grid are those of the whole number that was drawn; value = shift + factor &times; grid &times; index."
)


def annex(record: dict[str, Any], blocks: Sequence[NumberBlock]) -> list[str]:
    """Return the sections of the annex."""
    return [_computed_from(blocks), *_mechanisms(record), _columns(record), _origin(record)]


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


def _mechanisms(record: dict[str, Any]) -> Iterable[str]:
    """Yield what was done to every number, and with which parameters."""
    yield f"<h3>What was done</h3><p>{EXACTLY}</p>"
    heads = ("statistic", "epsilon of each group", "sensitivity", "noise scale", "grid", "factor", "shift")
    titles = told_apart(each["title"] for each in record["statistics"])
    named = [{**each, "title": title} for each, title in zip(record["statistics"], titles, strict=True)]
    parts = [(each, part) for each in named for part in each["parts"]]
    rows = [(_part_named(*each), *(text(each[1][name]) for name in PARAMETERS)) for each in parts]
    yield _table("Parameters of every part.", heads, rows, ("l", *"r" * len(PARAMETERS)))


def _part_named(statistic: Mapping[str, Any], part: Mapping[str, Any]) -> Html:
    title = text(readable_title(statistic["title"], statistic))
    return Html(title + (f", {text(part['name'])}" if len(statistic["parts"]) > 1 else ""))


def _columns(record: dict[str, Any]) -> str:
    """Return a table of every column that was read, each declaration once: one column may have two."""
    found = {(str(each["name"]), declared(each, statistic)): None for statistic, each in every_column(record)}
    for name in person_columns(record):
        found[name, naming(record, name)] = None
    rows = [(text(name), text(said)) for name, said in found]
    return f"<h3>Columns</h3>{_table('As they were declared.', ('column', 'declared'), rows, ('l', ''))}"


def _origin(record: dict[str, Any]) -> str:
    rows = (
        ("dataset version", record["dataset_version"]),
        ("request", record["request"]),
        ("charge in the ledger", record["previous"]),
        ("arithmetic", record["arithmetic"]),
        ("engine", record["engine"]),
        *([("CSV files", dialect_words(record["csv"]))] if "csv" in record else []),
        *([("drawn anew for", record["own"])] if "own" in record else []),
        ("versions", ", ".join(f"{name} {version}" for name, version in sorted(record["versions"].items()))),
    )
    cells = [(name, Html(f"<code>{text(said)}</code>")) for name, said in rows]
    return f"<h3>Record</h3>{_table('What the record says of its origin.', ('field', 'value'), cells, ('', ''))}"
