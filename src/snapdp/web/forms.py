"""What the forms of the page can hold: every kind of statistic and of column, with its keys, in words.

Room: web. Which keys there are is the library's: a kind that is new there, or a new key, has a field here at once; only
its words are kept here. A field's type says how it is typed, not what is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snapdp.studies import (
    BOOLEAN,
    BOOLEAN_WORDS,
    CATEGORY,
    DATE,
    INTEGER,
    KIND_KEYS,
    KINDS,
    NUMBER,
    Statistic,
)

NUMBER_FIELDS = ("lower", "upper", "step", "missing", "edges", "outside", "null")
STATISTICS = {
    "count": ("Count of rows", "How many rows there are, or how many meet the conditions."),
    "persons": ("Count of persons", "How many different persons there are; each counts once."),
    "mean": ("Mean", "The average of a column."),
    "sum": ("Sum", "The total of a column."),
    "variance": ("Variance", "How far values are spread; the standard deviation comes with it."),
    "covariance": ("Covariance", "How two columns move together; a correlation where you ask for it."),
    "histogram": ("Histogram", "How many rows there are of each category, or in each bin."),
    "quantiles": ("Median and quantiles", "The value below which a share of the rows lies."),
    "magnitudes": ("First look", "Rough bounds of a column of which nothing is known, by powers of two."),
}
COLUMNS = {
    NUMBER: "Numbers",
    INTEGER: "Whole numbers",
    CATEGORY: "Categories",
    BOOLEAN: "Yes or no",
    DATE: "Dates",
    "magnitude": "Numbers of unknown size",
}
COLUMN_HINTS = {
    BOOLEAN: f"Read are {BOOLEAN_WORDS}, in any capitals. Other words, such as ja and nein, are two categories.",
}
FIELDS: dict[str, tuple[str, str, str]] = {  # type, label, hint
    "column": ("column", "Column", ""),
    "columns": ("columns", "Columns", "Two or more."),
    "by": ("columns", "For each", "One number for each group of these columns."),
    "where": ("conditions", "Only rows where", "Public conditions; a row must meet them all."),
    "keys": ("text", "File of groups", "A public file that lists the groups; the study of the command line names it."),
    "at": ("numbers", "At the shares", "0.5 is the median; 0.25, 0.5, 0.75 are the quartiles."),
    "edges": ("numbers", "Bin edges", "Public numbers such as 0, 18, 65, 120; never taken from the rows."),
    "outside": ("dropped", "Values outside the edges", "Left out, or counted in bins of their own."),
    "missing": ("missing", "Missing cells", "Left out, or a public number that stands in for them."),
    "null": ("dropped", "Empty cells", "Left out, or counted by themselves."),
    "unknown": ("dropped", "Cells of no category", "Left out, or counted by themselves."),
    "rows_per_person": ("whole", "Rows kept of each person", ""),
    "groups_per_person": ("whole", "Groups in which a person counts", ""),
    "margins": ("margins", "Also totals", "Every total of the table, adjusted so that they add up."),
    "shares": ("numbers", "Shares of the margins", "How the margins divide the cost; equal where left out."),
    "count_share": ("number", "Share of the count", "How much of the cost goes to the count of rows."),
    "complete": ("flag", "Only rows with all of the columns", ""),
    "correlation": ("flag", "Correlation as well", ""),
    "branching": ("whole", "Branches of the tree", "Chosen by the plan where left out."),
    "lower": ("number", "Lowest", "A public bound: smaller values count as this one."),
    "upper": ("number", "Highest", "A public bound: larger values count as this one."),
    "step": ("number", "Rounded to", "Chosen where left out; a median needs it."),
    "categories": ("texts", "Categories", "All that count, one in each line."),
    "compare": ("compare", "Compared as", "Text, or numbers: then 1.0 is 1."),
    "parents": ("parents", "Levels above", "Which larger group each category belongs to."),
    "from": ("text", "First day", "2026-01-31"),
    "to": ("text", "Last day", "2026-12-31"),
    "each": ("each", "By", "day, week, month or year"),
    "exponents": ("numbers", "Powers of two", "The least and the largest, such as -10, 40."),
}
OWN_FIELDS: dict[str, dict[str, tuple[str, str, str]]] = {  # where a key means something else to one statistic
    "mean": {"columns": ("columns", "Several columns instead", "Their means share one count of rows.")},
    "histogram": {"missing": ("dropped", "Rows without a number", "In no bin, or in one of their own.")},
    "magnitudes": {
        "outside": ("number", "Share outside", "Of the numbers that bounds may leave outside, such as 0.05.")
    },
}


def forms() -> dict[str, Any]:
    """Return all of it, for the page."""
    return {
        "statistics": [_statistic(kind, found) for kind, found in KINDS.items()],
        "columns": [
            {
                "kind": kind,
                "label": COLUMNS.get(kind, kind),
                "hint": COLUMN_HINTS.get(kind, ""),
                "keys": list(_column_keys(kind)),
            }
            for kind in (NUMBER, INTEGER, *KIND_KEYS)
        ],
        "fields": _fields(FIELDS),
    }


def _statistic(kind: str, found: type[Statistic]) -> dict[str, Any]:
    label, hint = STATISTICS.get(kind, (kind, ""))  # one that is new has no words yet
    return {
        "kind": kind,
        "label": label,
        "hint": hint,
        "takes": found.takes,
        "several": found.several,
        "numbers": found.numbers,
        "column_kind": found.column_kind,
        "keys": list(found.toml_keys()),
        "fields": _fields(OWN_FIELDS.get(kind, {})),
    }


def _fields(words: Mapping[str, tuple[str, str, str]]) -> dict[str, dict[str, str]]:
    return {key: {"type": kind, "label": label, "hint": hint} for key, (kind, label, hint) in words.items()}


def _column_keys(kind: str) -> tuple[str, ...]:
    if kind in (NUMBER, INTEGER):
        return NUMBER_FIELDS
    return tuple(key for key in KIND_KEYS[kind] if key != "kind")
