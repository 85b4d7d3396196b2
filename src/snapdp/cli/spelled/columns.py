"""The flags that declare the columns of a study as it does.

Room: cli. The inverse of `flags.columns`, from the values of a study. A flag has the name of its column wherever
another could be meant.
"""

from __future__ import annotations

from typing import Any

from snapdp.cli.flags.by_name import as_item, in_quotes
from snapdp.cli.spelled.statistics import Values, about, conditions, groups
from snapdp.cli.spelled.unsayable import Unsayable, by_name, flag, number, numbers
from snapdp.exact import nearest_multiple
from snapdp.studies import BINNED, DROPPED, HIERARCHY, INTEGER, KINDS, MIDDLE, NUMBER, DeclaredStudy, NumberColumn


def column_words(study: DeclaredStudy, values: Values, used: list[str]) -> list[str]:
    """Return the flags of the columns that are used."""
    declared = {name: values["columns"][name] for name in used}
    asked = values["statistic"]
    edges = _edges(declared, asked)
    measured = {name for each in asked if KINDS[each["kind"]].numbers for name in about(each)} | {*edges}
    lists = {name: each for name, each in declared.items() if each["kind"] not in (NUMBER, INTEGER)}
    tested = {name for each in asked for name in conditions(each)}
    is_one_list = len({*lists, *tested}) == 1
    found = _number_words({name: each for name, each in declared.items() if name not in lists}, measured)
    found += by_name("edges", edges, is_alone=_is_one_cut(asked))
    found += _missing_words(study, declared, asked)
    found += _list_words(lists, is_alone=is_one_list)
    return found + (_parents_words(declared[groups(asked[0])[0]]) if asked[0].get("margins") == HIERARCHY else [])


def _number_words(columns: Values, measured: set[str]) -> list[str]:
    """Return bounds, steps, and whether columns hold whole numbers: those of statistics do, all or none."""
    whole = {name for name, each in columns.items() if each["kind"] == INTEGER}
    if others := sorted(whole - measured):
        raise Unsayable(
            f"{others[0]} holds whole numbers and only conditions speak of it: flags say that of columns of statistics"
        )
    if whole and whole != measured & {*columns}:
        raise Unsayable("some of its columns hold whole numbers and others do not, and flags say that of all or none")
    is_alone = len(columns) == 1
    bounds = {name: f"{number(each['lower'])},{number(each['upper'])}" for name, each in columns.items()}
    steps = {name: number(each["step"]) for name, each in columns.items() if "step" in each}
    steps = {name: step for name, step in steps.items() if name not in whole or step != "1"}
    found = by_name("bounds", bounds, is_alone=is_alone) + (["--integer"] if whole else [])
    return found + by_name("step", steps, is_alone=is_alone and {*columns} <= measured)


def _edges(columns: Values, asked: list[Values]) -> dict[str, str]:
    """Return {column: its bin edges}, of histograms and of groups."""
    said = [(each["column"], each) for each in asked if "edges" in each]
    said += [(name, columns[name]) for each in asked for name in groups(each) if "edges" in columns.get(name, {})]
    found: dict[str, str] = {}
    for name, cut in said:
        if cut.get("outside") == BINNED:
            raise Unsayable(f"{name} has groups for what lies outside its edges: no flag says that")
        if found.setdefault(name, numbers(cut["edges"])) != numbers(cut["edges"]):
            raise Unsayable(f"{name} is cut by several lists of edges, and flags say one")
    return found


def _is_one_cut(asked: list[Values]) -> bool:
    """Tell whether edges can be meant for one column alone."""
    kinds = (each for each in asked if "edges" in KINDS[each["kind"]].details)
    return len({*(each["column"] for each in kinds), *groups(asked[0])}) == 1


def _missing_words(study: DeclaredStudy, columns: Values, asked: list[Values]) -> list[str]:
    """Return what missing cells count as: one rule for all numbers where it is one, others by name."""
    rules, nulls, cut = {}, {}, {name for each in asked for name in groups(each)}
    for name, each in columns.items():
        if each["kind"] in (NUMBER, INTEGER):
            bins = [each] if name in cut else []
            bins += [{"null": line.get("missing")} for line in asked if line.get("column") == name]
            rules[name] = _rule(study.column(name), each, is_binned=any(each.get("null") == BINNED for each in bins))
        elif each.get("null") == BINNED:
            nulls[name] = BINNED
    if len({*rules.values()}) == 1:
        return [*flag("missing", next(iter(rules.values()))), *by_name("missing", nulls, is_alone=False)]
    return by_name("missing", {**rules, **nulls}, is_alone=False)


def _rule(column: Any, declared: Values, *, is_binned: bool) -> str:
    """Return what a missing number counts as; in bins it may have one of its own."""
    if is_binned:
        return BINNED
    if declared["missing"] == DROPPED or not isinstance(column, NumberColumn):
        return DROPPED
    is_middle = column.missing == nearest_multiple(column.middle, column.step)
    return MIDDLE if is_middle else number(declared["missing"])


def _list_words(columns: Values, *, is_alone: bool) -> list[str]:
    """Return categories, dates and booleans."""
    found = []
    for name, each in columns.items():
        if each.get("unknown") == BINNED:
            raise Unsayable(f"cells of {name} that are not in its list have a group of their own: no flag says that")
        if each["kind"] == "category":
            listed = ",".join(map(as_item, each["categories"]))
            found += by_name("categories", {name: listed}, is_alone=is_alone and "=" not in listed)
            found += flag("compare", f"{as_item(name)}={each['compare']}") if "compare" in each else []
        elif each["kind"] == "date":
            found += by_name("date", {name: f"{each['from']},{each['to']},{each['each']}"}, is_alone=is_alone)
        elif each["kind"] == "boolean":
            found += flag("boolean", name)
    return found


def _parents_words(column: Values) -> list[str]:
    """Return the levels above the categories of a column, from these up."""
    found = []
    for level, nodes in column["parents"].items():
        pairs = (f"{as_item(node)}={','.join(map(as_item, below))}" for node, below in nodes.items())
        name = in_quotes(level) if ":" in level else as_item(level)
        found += flag("parents", f"{name}:{';'.join(pairs)}")
    return found
