"""The flags of statistics, groups, conditions, neighbours and cost that ask for what a study asks.

Room: cli. The inverse of `flags.statistics`, from the values of a study. What flags say once for all statistics must be
the same in all of them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from snapdp.cli.flags.by_name import as_item
from snapdp.cli.flags.columns import statistics_in_order
from snapdp.cli.flags.statistics import person_words
from snapdp.cli.spelled.unsayable import Unsayable, flag, number, numbers
from snapdp.display import exact_amount
from snapdp.exact import parameter
from snapdp.studies import ALL, HIERARCHY, KINDS, QUARTILES, DeclaredStudy, Quantiles, Relation

SHARED = {  # what flags say once, and how people call it
    "where": "conditions",
    "by": "groups",
    "keys": "files of keys",
    "margins": "margins",
    "shares": "shares of their margins",
    "alpha": "levels of confidence",
}
MEDIAN = Fraction(1, 2)
Values = dict[str, Any]


def used_columns(values: Values) -> list[str]:
    """Return the declared columns that statistics, conditions and groups name, as they come."""
    named = [name for each in values["statistic"] for name in (*about(each), *conditions(each), *groups(each))]
    return [name for name in dict.fromkeys(named) if name in values.get("columns", {})]


def about(statistic: Values) -> list[str]:
    """Return the columns that a statistic is about."""
    return [statistic["column"]] if "column" in statistic else list(statistic.get("columns", ()))


def conditions(statistic: Values) -> list[str]:
    """Return the columns that its conditions are on."""
    return [each["column"] for each in statistic.get("where", ())]


def groups(statistic: Values) -> list[str]:
    """Return the columns that it is grouped by."""
    by = statistic.get("by", [])
    return [by] if isinstance(by, str) else list(by)


def statistic_words(statistics: list[Values], *, is_brief: bool) -> list[str]:
    """Return the flags of statistics, conditions and groups.

    is_brief   leave out what is chosen where nothing is said: branches of trees, shares of margins
    """
    for key, called in SHARED.items():
        if any(each.get(key) != statistics[0].get(key) for each in statistics):
            raise Unsayable(f"its statistics have several {called}, and flags say them once for all")
    _check_order(statistics)
    found = [word for each in statistics for word in _kind_words(each)]
    found += _quantile_words(statistics, is_brief=is_brief)
    found += ["--complete"] if any(each.get("complete") for each in statistics) else []
    found += ["--correlation"] if any(each.get("correlation") for each in statistics) else []
    first = statistics[0]
    for each in first.get("where", ()):
        found += _condition_words(each)
    found += flag("by", ",".join(map(as_item, groups(first)))) if groups(first) else []
    found += flag("keys", first["keys"]) if "keys" in first else []
    found += flag("margins", _margins(first["margins"])) if "margins" in first else []
    found += flag("shares", numbers(first["shares"])) if "shares" in first and not is_brief else []
    most = [each["groups_per_person"] for each in statistics if "groups_per_person" in each]
    found += flag("groups_per_person", str(most[0])) if most else []
    return found


def _kind_words(statistic: Values) -> list[str]:
    """Return the flag of one statistic."""
    kind, names = KINDS[statistic["kind"]], about(statistic)
    if not kind.takes:
        return [f"--{kind.kind}"]
    if _is_median(statistic):
        return flag("median", names[0])
    if len(names) == kind.takes == 1:
        return flag(kind.kind, names[0])
    return flag(kind.kind if kind.takes > 1 else f"{kind.kind}s", ",".join(map(as_item, names)))


def _check_order(statistics: list[Values]) -> None:
    """Refuse another order than that of flags: it is part of a request."""
    kinds = [each.kind for each in statistics_in_order()]
    places = [(kinds.index(each["kind"]), _stands_later(each)) for each in statistics]
    if places != sorted(places):
        order = ", ".join(dict.fromkeys(kinds[place] for place, _ in sorted(places)))
        raise Unsayable(
            f"its statistics stand in another order than flags put them in ({order}): it would be another request"
        )


def _stands_later(statistic: Values) -> bool:
    """Tell whether it stands behind others of its kind: means of several columns, and medians."""
    several = KINDS[statistic["kind"]].several and len(about(statistic)) > 1
    return several or _is_median(statistic)


def _is_median(statistic: Values) -> bool:
    return statistic["kind"] == Quantiles.kind and [*map(Fraction, statistic["at"])] == [MEDIAN]


def _quantile_words(statistics: list[Values], *, is_brief: bool) -> list[str]:
    """Return the shares of quantiles, and the branches of trees."""
    shares = {numbers(each["at"]) for each in statistics if "at" in each and not _is_median(each)}
    branches = {each["branching"] for each in statistics if "branching" in each}
    if len(shares) > 1:
        raise Unsayable("its quantiles are at several lists of shares, and flags say one for all")
    found = [word for each in shares if each != numbers(QUARTILES) for word in flag("at", each)]
    if is_brief or not branches:
        return found
    if len(branches) > 1:
        raise Unsayable("its quantiles are counted by several trees, and flags say one for all")
    return [*found, *flag("branching", str(branches.pop()))]


def _condition_words(condition: Values) -> list[str]:
    """Return the flags of a condition: one for each end."""
    signs = {"equals": "=", "from": ">=", "below": "<"}
    ends = ((signs[key], _end(condition[key])) for key in signs if key in condition)
    return [word for sign, end in ends for word in flag("where", f"{condition['column']}{sign}{end}")]


def _end(value: Any) -> str:
    """Return an end of a range, or a category; a number that is no fraction stands as people write it."""
    text = str(value)
    is_fraction = "/" in text and all(part.lstrip("-").isdecimal() for part in text.split("/", 1))
    return number(text) if is_fraction else text


def _margins(margins: Any) -> str:
    """Return margins as flags say them: a word, or lists with semicolons between them; an empty one is the total."""
    if margins in (ALL, HIERARCHY):
        return str(margins)
    return ";".join(",".join(map(as_item, each)) for each in margins)


def relation_words(relation: Relation) -> list[str]:
    """Return the flags that say whom epsilon protects."""
    found = flag("n" if relation.is_change_one else "n_max", str(relation.rows))
    found += person_words(relation.person_columns)
    found += flag("rows_per_person", str(relation.rows_per_person)) if relation.rows_per_person > 1 else []
    return found + (flag("unit_rows", str(relation.unit_rows)) if relation.unit_rows > 1 else [])


def cost_words(study: DeclaredStudy, statistics: list[Values]) -> list[str]:
    """Return the flags of what everything together costs, in equal shares, or of the accuracy of one statistic."""
    asked = study.asked
    found = flag("alpha", number(statistics[0]["alpha"])) if "alpha" in statistics[0] else []
    if any(each.accuracy is not None for each in asked):
        if len(asked) > 1:
            raise Unsayable("one of its statistics has an accuracy, and flags say that of one statistic alone")
        return [*flag("accuracy", number(asked[0].accuracy)), *found]
    costs = {parameter(each.epsilon, name="epsilon") for each in asked}
    if len(costs) > 1:
        raise Unsayable("its statistics cost different amounts, and flags share epsilon equally")
    return [*flag("epsilon", exact_amount(costs.pop() * len(asked))), *found]
