"""The report of a release: one self-contained HTML page, made from the record alone.

Room: release. Tables and inline SVG; no script, no outside host, nothing that is not in the record. Every number stands
in the open, in the order in which people ask: what is protected, what is in it, the results, how to read them, how to
check them, and an annex. Nothing of a page is folded, since paper cannot be unfolded; a notebook folds the annex.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from snapdp.display import Html, folded, html_fragment, html_page
from snapdp.release.numbers import NumberBlock
from snapdp.release.remarks import by_itself_line, complete_lines, cut_line, moved_line, person_lines, wide_lines
from snapdp.release.report.annex import annex
from snapdp.release.report.declared import every_column
from snapdp.release.report.front import front, title_of
from snapdp.release.report.results import results, side_file_lines
from snapdp.release.report.words import level, text
from snapdp.studies import digest, unit_noun

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


def _annex(record: dict[str, Any], blocks: Sequence[NumberBlock]) -> Html:
    sections = "\n".join(annex(record, blocks))
    return Html(f'<div class="tucked">{sections}</div>')


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


def _of_noise(blocks: Sequence[NumberBlock]) -> list[str]:
    """Return what is to be known where noise went beyond what a number can be; the counts behind ranks are not here."""
    numbers = [each for block in blocks if block.derived or not block.is_ranked for each in block.numbers]
    return [line for line in (moved_line(numbers), cut_line(numbers)) if line]


def _meaning(record: dict[str, Any], blocks: Sequence[NumberBlock]) -> str:
    levels = " or ".join(sorted({level(each["alpha"]) for each in record["statistics"]}))
    asked = ", as was asked for each" if " or " in levels else ""
    by_itself = f" {each}" if (each := by_itself_line(blocks, "It")) else ""
    told = (*_of_noise(blocks), *person_lines(record), *complete_lines(record), *wide_lines(record))
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


def _counted(record: dict[str, Any]) -> str:
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
        "a certificate, and <code>snapdp check certificate.json</code> checks that by a program of its own.</p>"
        f"<p>Digest of the record: <code>{text(digest(release.to_json()))}</code></p>"
    )
