"""Random studies and their records, without a ledger: any indices inside the clamp, its ends too."""

from __future__ import annotations

import datetime
import random
from contextlib import suppress
from typing import Any

import snapdp
from snapdp.errors import BoundError
from snapdp.ledger.rules import identical
from snapdp.release.draw import Drawn, derived_blocks
from snapdp.release.record import EngineUsed, SideFile, is_long, key_of, record_values
from snapdp.studies.categories import date_column
from snapdp.studies.columns import NumberColumn, integer_column, number_column

STEPS = ["1", "1/100", "1/3", "7", "0.25", "1e-6"]
EPSILONS = ["1", "0.1", "0.31", "1/3", "2.5", "40", "3e-9"]
ALPHAS = ["0.05", "0.05", "0.01", "0.5", "0.97", "1e-12"]
LABELS = ["north", "süd", "a / b", "é\n", "\U0001f71a", ""]
NUMBERS = ("x", "y")


def random_study(dice: random.Random) -> Any:
    """Return a study of a few statistics over columns of every kind, under either relation."""
    relation: dict[str, Any] = {"relation": "change-one", "n": dice.choice([1, 2, 3, 90, 4999])}
    if dice.random() < 0.4:
        relation = {"relation": "add-remove", "n_max": dice.choice([1, 5, 120, 10**6])}
        if dice.random() < 0.5:
            relation |= _unit(dice)
    columns = {name: _numbers(dice) for name in NUMBERS}
    if dice.random() < 0.6:  # groups by bins
        columns["y"] |= _bins(dice, columns["y"])
    for name in ("g", "h"):
        special = {key: dice.choice(["dropped", "binned"]) for key in ("unknown", "null")}
        columns[name] = {**_categories(dice), **special}
    pairs = relation.get("n", 0) > 1 and all(columns[name].get("missing") != "dropped" for name in NUMBERS)
    kinds = ["count", "histogram", "sum", "mean"] + ["variance", "covariance"] * pairs
    kinds += ["persons"] * ("person" in relation)
    asked = [_statistic(dice, dice.choice(kinds), columns, relation) for _ in range(dice.randint(1, 3))]
    if pairs and dice.random() < 0.3:
        asked += [{"kind": "variance", "column": "x"}, {"kind": "variance", "column": "y"}]
        asked += [{"kind": "covariance", "columns": ["x", "y"]}]
    asked += _moments(random.Random(repr((columns, relation))), columns, relation)
    asked += _magnitudes(random.Random(repr((columns, asked, relation))), columns, relation)
    once = {repr(each): {**each, "epsilon": dice.choice(EPSILONS), "alpha": dice.choice(ALPHAS)} for each in asked}
    for each in once.values():
        summed = "margins" in each or each["kind"] in ("quantiles", "magnitudes")
        each["alpha"] = "0.05" if summed and each["alpha"] == "1e-12" else each["alpha"]
    return snapdp.study(dataset="people", columns=columns, statistic=list(once.values()), **relation)


def _unit(dice: random.Random) -> dict[str, Any]:
    """Return a person of one column or of several, or several rows together."""
    if dice.random() < 0.25:
        return {"unit_rows": dice.choice([2, 30])}
    several = [["id", "land"], ["a, b", "c"], ["[", "]", "é\u200b"]]
    return {"person": dice.choice(["id", "id", *several]), "rows_per_person": dice.choice([1, 2, 5])}


def random_record(dice: random.Random, study: Any = None) -> dict[str, Any]:
    """Return the record of a release of a study in which the draws are arbitrary."""
    return request_record(_random_request(dice) if study is None else study.request(), dice)


def _random_request(dice: random.Random) -> Any:
    """Return the request of a random study; one whose ranges are too wide for its epsilons is drawn again."""
    while True:
        with suppress(BoundError):
            request = random_study(dice).request()
            assert request.mechanisms
            return request


def request_record(request: Any, dice: random.Random) -> dict[str, Any]:
    """Return the record of a request in which the draws are arbitrary."""
    drawn = [
        [
            Drawn(line=line, part=part, mechanism=m, indices=[_index(dice, m.parameters) for _ in range(part.cells)])
            for part, m in zip(line.statistic.parts, mechanisms, strict=True)
        ]
        for line, mechanisms in zip(request.lines, request.mechanisms, strict=True)
    ]
    derived = list(derived_blocks(drawn))
    blocks = [(number, part.block) for number, parts in enumerate(drawn) for part in parts] + derived
    files = {}
    for number, block in blocks:
        if is_long(block):
            digest = f"{dice.getrandbits(256):064x}"
            name = f"snapdp-{digest[:32]}.parquet"
            files[key_of(number, block)] = SideFile(name=name, digest=f"sha256:{digest}", rows=len(block.cells))
    binding = {
        "dataset": "people",
        "dataset_version": f"{dice.getrandbits(64):016x}",
        "charged": str(request.epsilon),
        "request": identical(request.epsilon, request.declaration),
        "previous": f"sha256:{dice.getrandbits(256):064x}",
        "date": "2026-01-31",
    }
    return record_values(request, binding, drawn, derived, files, EngineUsed(name="duckdb"))


def _index(dice: random.Random, p: Any) -> int:
    if dice.random() < 0.1:
        return int(dice.choice([p.low, p.high, 0]))
    low, high = (p.low, p.high) if dice.random() < 0.3 else (int(p.value_lower / p.grid), int(p.value_upper / p.grid))
    return dice.randint(low, high)


def _numbers(dice: random.Random) -> dict[str, Any]:
    if dice.random() < 0.5:
        lower = dice.choice([0, -40, 500])
        rule = {"missing": dice.choice(["dropped", "middle", lower])}
        return {"kind": "integer", "lower": lower, "upper": lower + dice.choice([1, 102, 7000]), **rule}
    lower, upper = dice.choice([("0", "1.3"), ("-1/7", "2.5"), ("999.5", "1001.1"), ("-120", "-118.7")])
    rule = {"missing": dice.choice(["dropped", "middle", upper])}
    return {"kind": "number", "lower": lower, "upper": upper, "step": dice.choice(STEPS), **rule}


def _categories(dice: random.Random) -> dict[str, Any]:
    kind = dice.choice(["category", "category", "numbers", "boolean", "date"])
    if kind == "date":
        first = datetime.date(dice.choice([1, 1999, 2024]), dice.randint(1, 12), dice.randint(1, 28))
        last = first + datetime.timedelta(days=dice.choice([0, 1, 40, 800]))
        each = dice.choice(["day", "week", "month", "year"])
        return {"kind": kind, "from": str(first), "to": str(last), "each": each}
    if kind == "boolean":
        return {"kind": kind}
    listed = ["0", "1.0", "-2.50", "12"] if kind == "numbers" else LABELS
    return {"kind": "category", "categories": listed[: dice.randint(1, 6)]}


def _condition(dice: random.Random, values: dict[str, Any]) -> dict[str, Any]:
    if values["kind"] == "boolean":
        return {"equals": dice.choice([True, False, "yes"])}
    if values["kind"] == "category":
        return {"equals": values["categories"][0]}
    periods = date_column("g", start=values["from"], end=values["to"], each=values["each"]).categories
    ends = sorted({dice.choice(periods[1:]), dice.choice(periods[1:])}) if len(periods) > 1 else []
    choices = [{"equals": periods[-1]}, *({key: end} for end in ends for key in ("from", "below"))]
    return dice.choice([*choices, *([{"from": ends[0], "below": ends[1]}] if len(ends) > 1 else [])])


def _declared(values: dict[str, Any]) -> NumberColumn:
    build = integer_column if values["kind"] == "integer" else number_column
    return build("x", **{key: each for key, each in values.items() if key not in ("kind", "edges", "outside", "null")})


def _edges(dice: random.Random, values: dict[str, Any]) -> list[str]:
    column = _declared(values)
    levels = sorted({dice.randint(0, column.levels) for _ in range(4)} | {dice.randint(0, 1), column.levels})
    levels = levels if len(levels) > 1 else [0, column.levels]
    return [str(column.lower + level * column.step) for level in levels]


def _bins(dice: random.Random, values: dict[str, Any]) -> dict[str, Any]:
    rules = {key: dice.choice(["dropped", "binned"]) for key in ("outside", "null")}
    return {"edges": _edges(dice, values), **rules}


def _groups(dice: random.Random, columns: dict[str, Any]) -> str | list[str]:
    """Return one column, or several in any order."""
    known = ["g", "h", *(["y"] if "edges" in columns["y"] else [])]
    if "missing" not in columns["x"] or dice.random() < 0.5:
        return dice.choice(known if "missing" in columns["x"] else ["g", "h"])
    return dice.sample(known, dice.randint(2, len(known)))


def _margins(dice: random.Random, by: str | list[str], columns: dict[str, Any]) -> dict[str, Any]:
    """Return no margins, all of them, the table and some of its columns, or a hierarchy, whose column has parents."""
    names = [by] if isinstance(by, str) else by
    if dice.random() < 0.6 and len(names) == 1 and columns[names[0]]["kind"] == "category":
        columns[names[0]].setdefault("parents", _parents(dice, columns[names[0]]["categories"]))
        return {"margins": "hierarchy"}
    if dice.random() < 0.7:
        return {}
    if dice.random() < 0.5:
        return {"margins": "all"}
    some = dice.sample(names, dice.randint(0, len(names) - 1))
    shares = {"shares": ["0.3", "7/10"]} if some else {}  # a total may be public, and has no share then
    return {"margins": [names, some], **shares}


def _parents(dice: random.Random, names: list[str]) -> dict[str, Any]:
    """Return one level above categories or two, with names that may be those of categories."""
    found: dict[str, Any] = {}
    for level in ("county", 'a "country"')[: dice.randint(1, 2)]:
        nodes: dict[str, list[str]] = {}
        for name in names:
            nodes.setdefault(dice.choice([*LABELS[:2], "p, q"]), []).append(name)
        found[level], names = nodes, list(nodes)
    return found


def _statistic(dice: random.Random, kind: str, columns: dict[str, Any], relation: dict[str, Any]) -> dict[str, Any]:
    if kind == "sum" and "missing" in columns["x"] and random.Random(repr(columns)).random() < 0.5:
        return _quantiles(dice, columns, relation)
    found: dict[str, Any] = {"kind": kind}
    if kind not in ("variance", "covariance") and dice.random() < 0.4:
        found["by"] = _groups(dice, columns)
    if kind not in ("variance", "covariance", "count") and dice.random() < 0.3:
        found["where"] = _where(dice, columns)
    private = "n_max" in relation or "by" in found
    if kind == "covariance":
        found["columns"] = list(dice.choice([NUMBERS, NUMBERS[::-1]]))
    elif kind == "histogram":
        found["column"] = dice.choice([name for name in ("x", "y", "g") if name not in found.get("by", [])])
        if found["column"] in NUMBERS:
            found["edges"] = _edges(dice, columns[found["column"]])
            found["outside"] = dice.choice(["dropped", "binned"])
            if "missing" in columns[found["column"]]:
                found["missing"] = dice.choice(["dropped", "binned"])
    elif kind == "mean" and "missing" in columns["x"] and random.Random(repr((found, columns))).random() < 0.4:
        found["columns"] = list(NUMBERS)
        found |= {"complete": True} if "dropped" in [columns[name]["missing"] for name in NUMBERS] else {}
    elif kind not in ("count", "persons"):
        found["column"] = dice.choice(NUMBERS)
    elif not private or dice.random() < 0.5:
        found["where"] = _where(dice, columns)
    if kind in ("count", "sum") and "by" in found and "missing" in columns["x"]:
        found |= _margins(random.Random(repr((found, columns))), found["by"], columns)
    if kind == "mean" and dice.random() < 0.5:
        about = found.get("columns", [found.get("column")])
        some = "where" in found or "dropped" in [columns[name].get("missing") for name in about]
        found |= {"count_share": "0.25"} if private else {"count_share": "0.75"} if some else {}
    if kind == "persons" and "by" in found:
        groups = [columns[name] for name in (found["by"] if isinstance(found["by"], list) else [found["by"]])]
        several = any(_has_several_cells(column) for column in groups)
        found["groups_per_person"] = dice.choice([1, 1 + several])
        if found["groups_per_person"] == 1 and "missing" in columns["x"]:
            found |= _margins(random.Random(repr((found, columns))), found["by"], columns)
    elif kind != "persons" and "person" in relation and dice.random() < 0.3:
        most = dice.choice([1, 2, 7])
        found |= {} if most == relation["rows_per_person"] else {"rows_per_person": most}  # the default, said again
    return found


def _moments(dice: random.Random, columns: dict[str, Any], relation: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a variance or a covariance, often one of rows whose number is private."""
    if dice.random() < 0.6 or max(relation.get("n", 0), relation.get("n_max", 0)) < 2:
        return []
    kind = dice.choice(["variance", "covariance"])
    about = list(NUMBERS) if kind == "covariance" else [dice.choice(NUMBERS)]
    found: dict[str, Any] = {"kind": kind, **({"columns": about} if len(about) > 1 else {"column": about[0]})}
    found |= {"by": _groups(dice, columns)} if dice.random() < 0.5 else {}
    found |= {"where": _where(dice, columns)} if dice.random() < 0.3 else {}
    private = "n_max" in relation or "by" in found
    some = "where" in found or "dropped" in [columns[name].get("missing") for name in about]
    if private or some:
        found |= {"count_share": "0.25" if private else "0.75"} if dice.random() < 0.5 else {}
        found |= {"correlation": True} if kind == "covariance" and dice.random() < 0.5 else {}
    return [found]


def _magnitudes(dice: random.Random, columns: dict[str, Any], relation: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a first look at a column of its own, which is declared then, with any exponents and by any tree."""
    if dice.random() < 0.7:
        return []
    lowest = dice.choice([-10, 0, -1022, 1021])
    highest = lowest + dice.choice([0, 1, 2, 50] if lowest < 1000 else [0, 2])
    places = 2 * (highest - lowest + 2)
    columns["m"] = {"kind": "magnitude", **dice.choice([{}, {"exponents": [lowest, highest]}])}
    places = places if "exponents" in columns["m"] else 104
    found: dict[str, Any] = {"kind": "magnitudes", "column": "m"}
    found |= dice.choice([{}, {"outside": "1/2"}, {"outside": "1e-6"}, {"outside": "1/7"}])
    found |= dice.choice([{}, {"branching": dice.randint(2, places)}])
    found |= {"where": _where(dice, columns)} if dice.random() < 0.3 else {}
    if "person" in relation and dice.random() < 0.3:
        found |= {} if relation["rows_per_person"] == 7 else {"rows_per_person": 7}
    return [found]


def _quantiles(dice: random.Random, columns: dict[str, Any], relation: dict[str, Any]) -> dict[str, Any]:
    """Return quantiles of a column, by any tree; sums, where it has very many levels."""
    name = dice.choice(NUMBERS)
    levels = _declared(columns[name]).levels + 1
    found: dict[str, Any] = {"kind": "quantiles" if levels <= 200 else "sum", "column": name}
    if dice.random() < 0.4:
        by = _groups(dice, columns)
        found |= {"by": by} if name not in by else {}  # no column is its own group
    if dice.random() < 0.3:
        found["where"] = _where(dice, columns)
    if "person" in relation and dice.random() < 0.3:
        found |= {} if relation["rows_per_person"] == 7 else {"rows_per_person": 7}
    if levels <= 200:
        found |= dice.choice([{}, {"branching": dice.randint(2, levels)}])
        found |= dice.choice([{}, {"at": ["0.9"]}, {"at": ["1e-9", "1/7", "0.5", "0.999999"]}])
    return found


def _has_several_cells(column: dict[str, Any]) -> bool:
    return column["kind"] == "boolean" or len(column.get("categories", [])) > 1 or len(column.get("edges", [])) > 2


def _where(dice: random.Random, columns: dict[str, Any]) -> list[dict[str, Any]]:
    found = [{"column": "x", dice.choice(["from", "below"]): str(_declared(columns["x"]).upper)}]
    return [*found, {"column": "g", **_condition(dice, columns["g"])}] if dice.random() < 0.5 else found
