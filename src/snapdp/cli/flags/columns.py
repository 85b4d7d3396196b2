"""Columns that flags declare: bounds, steps and rules for missing cells; categories, booleans and dates.

Room: cli. Every column that a statistic, a condition or the groups name is declared, and none besides: a flag that
belongs to no column is refused. What a declaration may say is checked by the study reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from snapdp.cli.flags.by_name import (
    belongs,
    declared_by_name,
    items,
    lists,
    name_before,
    named_list,
    once,
    rules_for_missing,
    words_by_name,
)
from snapdp.cli.flags.two_readings import plain_number
from snapdp.studies import BINNED, DROPPED, INTEGER, KINDS, Quantiles, Statistic

NO_COLUMN = {"row": {"kind": INTEGER, "lower": 0, "upper": 1, "missing": DROPPED}}  # a study declares a column at least
PARENTS_OF = "--parents belongs to the one column of --by, with its --categories."


def statistics_in_order() -> list[type[Statistic]]:
    """Return the kinds of statistics, those about columns before those about the whole table."""
    return sorted(KINDS.values(), key=lambda statistic: not statistic.takes)


def names_of(statistic: type[Statistic], options: dict[str, Any]) -> list[list[str]]:
    """Return for each statistic of a kind that is asked for the names of its columns."""
    if not statistic.takes:
        return [[]] if options[statistic.kind] else []
    together = [items(text) for text in options[f"{statistic.kind}s"]] if statistic.several else []
    medians = [[text] for text in options["median"]] if statistic is Quantiles else []
    alone = (items(text) if statistic.takes > 1 else [text] for text in options[statistic.kind])
    return [*alone, *together, *medians]


def declared_columns(
    options: dict[str, Any], conditions: dict[str, Any], edges: dict[str, str], *, missing: str | None = None
) -> dict[str, Any]:
    """Return a declaration of every column named: categories for those that need them, else bounds.

    missing   what a missing number counts as where no flag says it; None where one must
    """
    named = [(each, name) for each in statistics_in_order() for names in names_of(each, options) for name in names]
    grouped = declared_groups(options)
    if options["parents"] and len(grouped) != 1:
        raise click.UsageError(PARENTS_OF)
    numbers = [name for each, name in named if each.numbers or name in edges]
    numbers += [name for name in grouped if name in edges]
    categories = [name for each, name in named if not each.numbers and name not in edges]
    categories += [*conditions, *(name for name in grouped if name not in edges)]
    kinds = _kind_columns(options, once(categories))
    kinds |= {name: {"kind": each.column_kind} for each, name in named if each.column_kind is not None}
    numbers += [name for name, tests in conditions.items() if "equals" not in tests and name not in kinds]
    if not numbers and not categories:  # a count of all rows names none, and a study needs one
        return {} if options["keys"] is not None else dict(NO_COLUMN)
    lists = [name for name in once(categories) if name not in kinds and name not in once(numbers)]
    told = _category_columns(options, lists)  # first: without it a histogram of numbers has no bounds
    measured = [name.strip() for each, name in named if each.numbers or name in edges]
    measured += [name for name in grouped if name in edges]
    found = _number_columns(options, once(numbers), once(measured))
    rules = rules_for_missing(options["missing"], once(numbers), missing, others=[*kinds, *told])
    for rule in rules.values():
        plain_number(rule, "missing")
    found = {name: {**declared, "missing": rules[name]} for name, declared in found.items()}
    counted = {name: {**declared, **_null(name, rules)} for name, declared in {**kinds, **told}.items()}
    summed = [name for each, name in named if each.numbers]
    for name in (each for each in grouped if each in edges):
        found[name] = _cut(found[name], edges[name], is_summed=name in summed)
    return {**found, **counted}


def _null(name: str, rules: dict[str, str]) -> dict[str, str]:
    """Return what happens to rows without a category, boolean or date, where a flag says it."""
    if name not in rules:
        return {}
    if rules[name] not in (BINNED, DROPPED):
        raise click.UsageError(
            f'--missing "{name}={rules[name]}": {name} is no column of numbers. Rows without it have a cell of their '
            f"own with {name}=binned, or are left out with {name}=dropped."
        )
    return {"null": rules[name]}


def group_names(options: dict[str, Any]) -> list[str]:
    """Return the columns that statistics are grouped by; --by region,sex is --by region --by sex."""
    return [name for text in options["by"] for name in items(text)]


def declared_groups(options: dict[str, Any]) -> list[str]:
    """Return those of them that flags declare: none where a file has the keys."""
    return [] if options["keys"] is not None else group_names(options)


def _cut(column: dict[str, Any], edges: str, *, is_summed: bool) -> dict[str, Any]:
    """Return a column of numbers with the edges of its bins; rows without the number may have a bin of their own."""
    rule = {"missing": DROPPED, "null": BINNED} if column["missing"] == BINNED and not is_summed else {}
    return {**column, "edges": [plain_number(each, "edges") for each in items(edges)], **rule}


def _number_columns(options: dict[str, Any], names: list[str], measured: list[str]) -> dict[str, Any]:
    """Return the columns of numbers, with bounds and steps; those that only conditions speak of keep the finest step
    unless they are named.
    """
    if options["integer"] and not measured:
        raise click.UsageError("--integer belongs to no column: it is for those of statistics. Leave it out.")
    steps = words_by_name(options, "step", names, measured)
    for step in steps.values():
        plain_number(step, "step")
    found = {}
    for name, text in declared_by_name(options, "bounds", names).items():
        pair = [plain_number(each, "bounds") for each in items(text)]
        if len(pair) != 2:
            raise click.UsageError(f'--bounds "{text}" is not LOWER,UPPER.')
        found[name] = {"kind": "integer" if options["integer"] and name in measured else "number"}
        found[name] |= {"lower": pair[0], "upper": pair[1], **({"step": steps[name]} if name in steps else {})}
    unbounded = [name for name in names if name not in found]
    if unbounded:
        raise click.UsageError(f"Give --bounds LOWER,UPPER for each of: {', '.join(unbounded)}.")
    return found


def _kind_columns(options: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the columns that flags declare as booleans and dates."""
    for name in once(list(options["boolean"])):
        if name not in names:
            raise click.UsageError(f"--boolean {name} belongs to no column: {belongs(names)}.")
    found: dict[str, Any] = {name: {"kind": "boolean"} for name in once(list(options["boolean"]))}
    listed = {name_before(text) for text in options["categories"]}
    left = [name for name in names if name not in found and name not in listed]
    for name, text in declared_by_name(options, "date", left).items():
        parts = items(text)
        if len(parts) != 3:
            raise click.UsageError(f'--date "{text}" is not FROM,TO,EACH, such as 2020-01-01,2024-12-31,month.')
        found[name] = {"kind": "date", "from": parts[0], "to": parts[1], "each": parts[2]}
    return found


def _category_columns(options: dict[str, Any], names: list[str]) -> dict[str, Any]:
    compare = words_by_name(options, "compare", names, names)
    found: dict[str, dict[str, Any]] = {
        name: {
            "kind": "category",
            "categories": items(text, any_text=True),
            **({"compare": compare[name]} if name in compare else {}),
        }
        for name, text in declared_by_name(options, "categories", names).items()
    }
    missing = [name for name in names if name not in found]
    if missing:
        raise click.UsageError(_without_categories(options, missing))
    for name in group_names(options) if options["parents"] else ():
        if name not in found:
            raise click.UsageError(PARENTS_OF)
        found[name]["parents"] = _parents(options["parents"])
    return found


def _parents(texts: Sequence[str]) -> dict[str, Any]:
    """Return the levels above a column, one of each flag: LEVEL:PARENT=A,B;PARENT=C,D; names may be in quotes."""
    found: dict[str, Any] = {}
    for text in texts:
        level, rest = named_list(text, ":") or ("", "")
        pairs = [named_list(piece, "=") for piece in lists(rest) if piece.strip()]
        told = [pair for pair in pairs if pair is not None]
        is_sure = "=" not in level or text.lstrip().startswith('"')  # else it may begin like the other flags, NAME=
        if not level or not told or len(told) < len(pairs) or not is_sure:
            raise click.UsageError(
                f'--parents "{text}" is not LEVEL:PARENT=A,B;PARENT=C,D. A name with one of the signs : ; = or a comma '
                "in it stands in double quotes, and a quote in there twice."
            )
        names = [name for name, _ in told]
        if level in found or len(set(names)) != len(names):
            raise click.UsageError(f'--parents "{text}" says something twice: name each level and parent once.')
        found[level] = {name: items(below, any_text=True) for name, below in told}
    return found


def _without_categories(options: dict[str, Any], names: list[str]) -> str:
    """Return what to give for columns of which neither categories nor edges are known."""
    binned = [name for name in names if any(name in options[each.kind] for each in KINDS.values() if each.takes)]
    grouped = [name for name in declared_groups(options) if name in names]
    tested = [name for name in names if name not in (*binned, *grouped)]
    said = f"Give --categories A,B,... for each of: {', '.join(names)} (dates: --date; true and false: --boolean)."
    binned += grouped
    if binned:
        said += f" If {binned[0]} holds numbers, give --edges E1,E2,... (and --bounds) for {binned[0]}."
    if tested:
        said += f' If {tested[0]} holds numbers, test it by ">=" and "<": "{tested[0]}>=65".'
    return said
