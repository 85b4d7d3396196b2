"""The front of a report: what it is, who publishes it, what is protected and how well, and what is in it.

Room: release. Everything is read from the record; what a record does not say is not said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from snapdp.display import Html, data_table, hides_nothing
from snapdp.errors import SnapdpError
from snapdp.exact import parameter
from snapdp.release.numbers import counts_kept_rows, shown_amount
from snapdp.release.remarks import bounds_from_line, protected_line, relation_stated
from snapdp.release.report.declared import column_in_words, every_column, naming, person_columns
from snapdp.release.report.words import LONG_TABLE, heading, text
from snapdp.studies import explain_protection, readable_title, told_apart, unit_nouns

WITHOUT_BOUNDS = "the results without the bounds of columns"


def title_of(record: Mapping[str, Any]) -> str:
    """Return the title that the study gave, or one made of the name of the dataset."""
    return str(record.get("title") or f"Statistics of {record['dataset']}")


def front(record: Mapping[str, Any]) -> list[str]:
    """Return title, publisher, contact and date; what is protected; what is in it."""
    return [
        f"<h1>{text(title_of(record))}</h1>",
        _imprint(record),
        f"<h2>What is protected</h2><p>{text(protected_line(record, subject='This report'))}</p>",
        f"<p>Together, {_paid_for(record)} use an "
        f'<span class="charge">epsilon of {text(shown_amount(record["charged"]))}</span> from the table\'s budget.'
        f"{_odds(record)} Other releases from the table add to this.</p>",
        _found_before(record),
        _warned(record),
        f"<h2>What is in it</h2>{_columns(record)}{_statistics(record)}",
    ]


def _imprint(record: Mapping[str, Any]) -> str:
    """Return who publishes it, whom to ask, and the day of the charge."""
    said = [
        text(record["publisher"]) if "publisher" in record else "",
        f"contact: {text(record['contact'])}" if "contact" in record else "",
        f"charged on {text(record['date'])} (UTC)",
        f"table: {text(record['dataset'])}" if "title" in record else "",
    ]
    line = " &middot; ".join(filter(None, said))
    return f'<p class="by dim">{line}</p>' if line else ""


def _charged(record: Mapping[str, Any]) -> Fraction | None:
    """Return what was charged; a charge that is no number is for the audit to find."""
    try:
        found = parameter(record["charged"], name="charged")
    except SnapdpError:
        return None
    return found if found >= 0 else None


def _paid_for(record: Mapping[str, Any]) -> str:
    """Return what the charge was for: bounds that an earlier look has found stand here, and were paid for before."""
    return WITHOUT_BOUNDS if bounds_from_line(record) else "the results"


def _found_before(record: Mapping[str, Any]) -> str:
    """Return that the page tells more than its epsilon pays for, where bounds come from an earlier look."""
    line = bounds_from_line(record)
    more = "They tell something about the table, too: the page as a whole tells more than this epsilon says."
    return f"<p><strong>{text(line)}</strong> {more}</p>" if line else ""


def _odds(record: Mapping[str, Any]) -> str:
    """Return how well it is protected: the protection sentence of the charge."""
    charged, relation = _charged(record), relation_stated(record)
    if charged is None or relation is None:  # a record may be anybody's
        return ""
    return f" {text(explain_protection(relation, charged, results=_paid_for(record)))}"


def _warned(record: Mapping[str, Any]) -> str:
    """Return what an epsilon means that protects nobody."""
    charged = _charged(record)
    warning = "" if charged is None else hides_nothing(charged)
    return f"<p><strong>{text(warning)}</strong></p>" if warning else ""


def _columns(record: Mapping[str, Any]) -> str:
    """Return a line for every column that was read, each declaration once: bounds, and what missing cells count as."""
    found = {(str(each["name"]), column_in_words(each, statistic)): None for statistic, each in every_column(record)}
    for name in person_columns(record):
        found[name, naming(record, name)] = None
    lines = "".join(f"<li><strong>{text(name)}</strong>: {text(said)}.</li>" for name, said in found)
    return f"<ul>{lines}</ul>" if lines else ""


def _statistics(record: Mapping[str, Any]) -> str:
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


def _heading(record: Mapping[str, Any], title: str, statistic: Mapping[str, Any]) -> str:
    units = unit_nouns(record.get("person", ""))
    kept = counts_kept_rows(record, statistic)
    return heading(readable_title(title, statistic), statistic, are_kept=kept, units=units)


def _amount(given: str) -> str:
    return text(shown_amount(given))
