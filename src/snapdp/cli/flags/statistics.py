"""Flags of statistics, translated to the values of a study: the study reader does all the checking.

The columns that they speak of are declared in `columns`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from snapdp.cli.flags.columns import (
    NO_COLUMN,
    declared_by_name,
    declared_columns,
    declared_groups,
    group_names,
    names_of,
    several_told,
    statistics_in_order,
)
from snapdp.cli.flags.files import said_texts
from snapdp.cli.flags.lists import items, lists, name_before, named_columns
from snapdp.cli.flags.numbers import plain_number
from snapdp.errors import ParameterError, SnapdpError
from snapdp.exact.numbers import positive
from snapdp.studies.columns import BINNED, DROPPED
from snapdp.studies.grouping.margins import ALL, HIERARCHY
from snapdp.studies.relation import ADD_REMOVE, CHANGE_ONE
from snapdp.studies.statistics.counts import PersonCount
from snapdp.studies.statistics.quantiles import QUARTILES
from snapdp.studies.statistics.registry import KINDS
from snapdp.studies.study_file import STUDY_FORMAT, study_from_values
from snapdp.values import Values

if TYPE_CHECKING:
    from snapdp.studies.study_file import DeclaredStudy

STUDY = "study: "  # where the reader of studies says that something stands
_CONDITION = re.compile(r"^\s*(?P<column>[^<>=]+?)\s*(?P<operator>>=|<|=)\s*(?P<value>[^<>=]+?)\s*$")


def study_values(options: Values, *, dataset: str = "from flags") -> Values:
    """Return the values of a study that flags declare."""
    with several_told(options):
        conditions, edges = _conditions(options["where"]), _edges(options)
        statistics = _statistics(options, conditions, edges)
        columns = declared_columns(options, conditions, edges)
    _bin_missing(statistics, columns)
    return {
        "format": STUDY_FORMAT,
        "dataset": dataset,
        **stated_relation(options),
        "columns": columns,
        "statistic": [
            {**each, **cost} for each, cost in zip(statistics, _costs(options, len(statistics)), strict=True)
        ],
    }


@contextmanager
def by_flags() -> Iterator[None]:
    """Say nothing of a study where there is none: refusals of what flags declare are about flags."""
    try:
        yield
    except SnapdpError as refusal:
        if not refusal.problem.startswith(STUDY):
            raise
        raise type(refusal)(refusal.problem.removeprefix(STUDY), refusal.advice, **refusal.numbers) from None


def declared_by_flags(options: Values, *, dataset: str = "from flags") -> DeclaredStudy:
    """Return the study that flags declare, with its texts for readers; a file of keys is read."""
    from snapdp.tables.keys import read_keys

    with by_flags():
        values = {**study_values(options, dataset=dataset), **said_texts(options)}
        return study_from_values(values, read_keys=read_keys)


def column_values(options: Values) -> Values:
    """Return the columns that flags declare, for a look at them: what a missing cell counts as may be left out."""
    with several_told(options):
        conditions, edges = _conditions(options["where"]), _edges(options)
        statistics = _statistics(options, conditions, edges)
        found = declared_columns(options, conditions, edges, missing=DROPPED)
    _bin_missing(statistics, found)
    return {} if found == NO_COLUMN else found


def _edges(options: Values) -> dict[str, str]:
    """Return {column: its bin edges}; edges without a name are for a histogram, where there is one."""
    binned = [name for each in KINDS.values() if "edges" in each.details for name in options[each.kind]]
    grouped = declared_groups(options)
    if options["edges"] and not (binned or grouped):
        raise click.UsageError("--edges belongs to --histogram or --by.")
    listed = {name_before(text) for key in ("categories", "date", "boolean") for text in options[key]}
    left = [name for name in grouped if name not in listed]
    return declared_by_name(options, "edges", binned or left, others=grouped)


def _bin_missing(statistics: list[Values], columns: Values) -> None:
    """Give histograms the rule "binned", which is theirs: elsewhere rows without the number are left out."""
    about = [(KINDS[each["kind"]], each, columns.get(each.get("column", ""), {})) for each in statistics]
    binned = [column for kind, _, column in about if kind.numbers and column.get("missing") == BINNED]
    for kind, statistic, column in about:
        if "missing" in kind.details and column.get("missing") == BINNED and column not in binned:
            statistic["missing"] = BINNED
    for statistic in statistics:
        if statistic.get("missing") == BINNED:
            columns[statistic["column"]]["missing"] = DROPPED


def _statistics(options: Values, conditions: Values, edges: dict[str, str]) -> list[Values]:
    where = [{"column": name, **tests} for name, tests in conditions.items()]
    found = []
    for statistic in statistics_in_order():
        for place, names in enumerate(names_of(statistic, options)):
            about = {"column": names[0]} if statistic.takes == len(names) == 1 else {"columns": names} if names else {}
            cut = [plain_number(each, "edges") for each in items(edges.get(names[0], ""))] if names else []
            details = {"edges": cut if any(cut) else None, "groups_per_person": options["groups_per_person"]}
            details |= {"at": _shares_at(options, place), "branching": options["branching"]}
            said = {key: each for key, each in details.items() if key in statistic.details and each is not None}
            said |= {"complete": True} if options["complete"] and statistic.several and len(names) > 1 else {}
            said |= {"correlation": True} if options["correlation"] and "correlation" in statistic.details else {}
            found.append({"kind": statistic.kind, **about, **said, **({"where": where} if where else {})})
    # Refuse one column where several are meant.
    for text in options["means"]:
        if len(items(text)) < 2:
            raise click.UsageError(f'--means "{text}" names one column: for one give --mean.')
    if options["complete"] and not options["means"]:
        raise click.UsageError("--complete belongs to --means.")
    if options["correlation"] and not any("correlation" in each for each in found):
        raise click.UsageError("--correlation belongs to --covariance.")
    # Refuse what speaks of quantiles where none are asked for.
    if options["at"] is not None and not options["quantiles"]:
        more = " --median needs none: it is the quantile at 0.5." if options["median"] else ""
        raise click.UsageError(f"--at belongs to --quantiles: name the column there.{more}")
    if options["branching"] is not None and not (options["quantiles"] or options["median"]):
        raise click.UsageError("--branching belongs to --quantiles or --median.")
    if options["groups_per_person"] is not None and not options["persons"]:
        raise click.UsageError("--groups-per-person belongs to --persons.")
    if options["rows_per_person"] is not None and {each["kind"] for each in found} == {PersonCount.kind}:
        raise click.UsageError("--rows-per-person belongs to other statistics: --persons counts each person once.")
    if not found:
        flags = ", ".join(f"--{kind}" for kind in (*KINDS, "median"))
        raise click.UsageError(f"Give a study file, or one or more of {flags}.")
    by, margins = group_names(options), _margins(options)
    keys = {} if options["keys"] is None else {"keys": options["keys"]}
    if keys and not by:
        raise click.UsageError("--keys belongs to --by: name the columns of the file that are keys.")
    return [{**each, **({"by": by if len(by) > 1 else by[0]} if by else {}), **keys, **margins} for each in found]


def _shares_at(options: Values, place: int) -> list[str] | None:
    """Return the shares of --quantiles, which stand before medians; None for these."""
    if place >= len(options["quantiles"]):
        return None
    return list(QUARTILES) if options["at"] is None else items(options["at"])


def _margins(options: Values) -> Values:
    """Return the margins that are asked for, and their shares: a word, or lists of columns between semicolons."""
    texts = [text.strip() for text in options["margins"]]
    listed = [items(piece) if piece.strip() else [] for text in texts for piece in lists(text)]
    found = {"margins": texts[0] if texts in ([ALL], [HIERARCHY]) else listed} if texts else {}
    return found if options["shares"] is None else {**found, "shares": items(options["shares"])}


def _costs(options: Values, count: int) -> list[Values]:
    """Return the cost keys of each statistic: what is typed is charged, in equal shares."""
    common = {key: options[key] for key in ("accuracy", "alpha") if options[key] is not None}
    plain_number(common.get("accuracy", ""), "accuracy")
    if count > 1 and options["accuracy"] is not None:
        raise click.UsageError("--accuracy is for one statistic; give --epsilon, or a study file.")
    if options["epsilon"] is None and options["accuracy"] is None:
        raise click.UsageError("What may it cost? Give --epsilon NUMBER, or for one statistic --accuracy NUMBER.")
    if options["epsilon"] is None:
        return [common] * count
    try:
        share = positive(options["epsilon"], name="epsilon") / count
    except ParameterError:
        share = None  # the study reader says what is wrong with it
    return [{**common, "epsilon": options["epsilon"] if share is None or count == 1 else str(share)}] * count


def stated_relation(options: Values) -> Values:
    """Return who is a neighbour, by the keys of a study."""
    if options["n"] is not None and options["n_max"] is not None:
        raise click.UsageError(
            "--n and --n-max exclude each other: --n N says that the number of rows is public, --n-max N that it is "
            "private and at most N. Give one."
        )
    if options["n"] is None and options["n_max"] is None:
        raise click.UsageError(
            "Who is protected? Give --n N (the number of rows is public, and nobody learns the values of a row) or "
            "--n-max N (it is private and at most N, and whether a row is there is protected). More: snapdp help "
            "neighbours"
        )
    persons = {key: options[key] for key in ("rows_per_person", "unit_rows") if options[key] is not None}
    persons |= {"person": named_columns(options["person"])} if options["person"] else {}
    if options["n"] is not None:
        return {"relation": CHANGE_ONE, "n": options["n"], **persons}
    return {"relation": ADD_REMOVE, "n_max": options["n_max"], **persons}


def _conditions(texts: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Return {column: {from, below, equals}} of conditions such as "age>=65"."""
    keys = {">=": "from", "<": "below", "=": "equals"}
    found: dict[str, dict[str, str]] = {}
    for text in texts:
        match = _CONDITION.match(text)
        if match is None or match["column"].endswith("!"):
            raise click.UsageError(
                f'--where "{text}" is not understood: it takes >=, < or =, as in "age>=65", "age<70", "region=north".'
            )
        tests = found.setdefault(match["column"], {})
        if keys[match["operator"]] in tests:
            raise click.UsageError(f'--where "{text}" says a second time what {match["column"]} is tested for.')
        is_number = match["operator"] != "="  # else it may be a category of that name
        tests[keys[match["operator"]]] = plain_number(match["value"], "where") if is_number else match["value"]
    return found
