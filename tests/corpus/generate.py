"""Makes the inputs of the corpus: studies that cover every pair of features, sources, mechanisms, programs, forgeries.

    python -m tests.corpus.generate

The same every time: all choices come from seeds. What it makes is stored in tests/corpus/inputs and read from there, so
a replay does not need it; it may be changed, or go, when the inputs have been converted by other means.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

from tests import VECTORS
from tests.corpus import adapter
from tests.corpus.sources import Table, table_of
from tests.unit.audits.mutations import at, others as record_others, places as record_places
from tests.unit.verifier.certificate.certificates import genuine
from tests.unit.verifier.certificate.mutation import changes, places as certificate_places

INPUTS = Path(__file__).parent / "inputs"
ROWS = 60
Case = dict[str, Any]
TOWNS = ["Aachen", "Bonn", "Essen", "Mainz", "Trier"]
PARENTS = {
    "county": {"NRW": ["Aachen", "Bonn", "Essen"], "RLP": ["Mainz", "Trier"]},
    "country": {"Germany": ["NRW", "RLP"]},
}


# Tables


def tables() -> list[Case]:
    dice = random.Random("people")
    types = {
        "id": "text", "house": "integer", "age": "integer", "pay": "double", "score": "double", "region": "text",
        "sick": "text", "flag": "boolean", "day": "date", "seen": "timestamp", "kids": "integer", "town": "text",
        "amount": "decimal",
    }  # fmt: skip
    owners = [f"p{i:02}" for i in range(24) for _ in range(1 + i % 4)]
    rows = []
    for place in range(ROWS):
        level = dice.randint(0, 80)
        rows.append([
            None if place % 19 == 7 else owners[place],
            None if place % 23 == 3 else dice.randint(1, 4),
            dice.choice([None, dice.randint(0, 120), dice.randint(0, 120), dice.randint(18, 65), -4, 130]),
            dice.choice([None, level * 12.5, level * 12.5 + 0.125, level * 12.5 - 1e-9, 999.875, -3.0, 1e12]),
            dice.choice([None, dice.random() * 2.6 - 0.1, dice.randint(0, 20) / 8]),
            dice.choice(["north", "south", "east", "west", "north", "south", "centre", "North", None]),
            dice.choice(["yes", "no", "TRUE", "f", "1", "0", "maybe", None]),
            dice.choice([True, False, True, None]),
            dice.choice([None, f"2024-{dice.randint(1, 5):02}-{dice.randint(1, 28):02}", "2024-02-29", "2023-12-31"]),
            dice.choice(
                [None, f"2024-{dice.randint(1, 3):02}-{dice.randint(1, 28):02}T{dice.randint(0, 23):02}:59:59"]
            ),
            dice.choice([None, 0, 1, 1, 2, 3, 7]),
            dice.choice([*TOWNS, *TOWNS, "Ulm", None]),
            dice.choice([None, "0.05", "12.3456", "99.9950", "-1.0000", str(dice.randint(0, 100))]),
        ])  # fmt: skip
    people = {"name": "people", "types": types, "rows": rows}
    cut = {"name": "five", "types": types, "rows": rows[:5]}
    empty = {"name": "empty", "types": types, "rows": []}
    # What Parquet statistics, engines and text say about these cells differs; the numbers may not.
    odd_doubles = [
        "nan", "nan", "inf", "-inf", "-0.0", "0.0", "5e-324", "11.0", "5.0", "10.0", "9.999999999999998", "0.5",
        "0.49999999999999994", None, "1e308", "-1e-300", "2.5", "nan", "1.5", None,
    ]  # fmt: skip
    odd = {
        "name": "odd",
        "types": {"x": "double", "whole": "integer", "word": "text", "person": "text"},
        "rows": [
            [cell, dice.choice([None, 2**62, -(2**62), 7, 0]), dice.choice(["a", "A", "ä", "it's", '"q"', "x,y", None]),
             dice.choice(["u", "v", "w", "1:u", None])]
            for cell in odd_doubles
        ],
    }  # fmt: skip
    nan = {
        "name": "nan",
        "types": {"x": "double", "word": "text"},
        "rows": [["nan", "a"]] * 9 + [["11.0", "b"], ["nan", "b"], ["5.0", "a"]],
    }
    return [people, cut, empty, odd, nan]


# Studies


def columns(dice: random.Random) -> dict[str, Any]:
    """Return a declaration of every column; a study keeps those that it needs."""
    missing = dice.choice(["dropped", "middle", "value"])
    rules = {"unknown": dice.choice(["dropped", "binned"]), "null": dice.choice(["dropped", "binned"])}
    outside = {"outside": dice.choice(["dropped", "binned"]), "null": dice.choice(["dropped", "binned"])}

    def stands_in(value: Any) -> Any:
        return value if missing == "value" else missing

    age: Case = {"kind": "integer", "lower": 0, "upper": 120, "missing": stands_in(40)}
    age |= dice.choice([{}, {}, {"step": 5}, {"step": 20}])
    pay: Case = {"kind": "number", "lower": 0, "upper": 1000, "missing": stands_in(250)}
    pay |= dice.choice([{"step": "1/4"}, {"step": 1}, {"step": 50}, {}])
    score: Case = {"kind": "number", "lower": "-1/7", "upper": "2.5", "missing": stands_in("0.5")}
    score |= dice.choice([{"step": "1/10"}, {"step": "1/3"}, {}])
    amount: Case = {"kind": "number", "lower": 0, "upper": 100, "step": dice.choice(["1/100", "1/2", 10])}
    each = dice.choice(["week", "month", "year", "day"])
    last = {"day": "2024-02-05", "week": "2024-03-20"}.get(each, "2024-04-20")
    return {
        "age": age,
        "aged": {**age, "step": 1, "edges": dice.choice([[0, 18, 65, 120], [20, 60], [0, 120]]), **outside},
        "pay": pay,
        "score": score,
        "amount": {**amount, "missing": stands_in(0)},
        "region": {"kind": "category", "categories": ["north", "south", "east", "west"], **rules},
        "sick": {"kind": "boolean", **rules},
        "flag": {"kind": "boolean", **rules},
        "day": {"kind": "date", "from": "2024-01-17", "to": last, "each": each, **rules},
        "seen": {"kind": "date", "from": "2024-01-01", "to": "2024-03-31", "each": "month", **rules},
        "kids": {"kind": "category", "categories": ["0", "1", "2", "3"], **rules},
        "town": {"kind": "category", "categories": TOWNS, "parents": PARENTS, **rules},
        "size": {"kind": "magnitude", "exponents": [-4, 12]},
    }


NUMBERS = ["age", "pay", "score", "amount"]
GROUPS = ["region", "sick", "flag", "day", "seen", "kids", "town", "aged"]
BY = ["none", "none", "one", "one", "two", "three", "bins", "keys", "two keys"]
KINDS = [
    "count", "persons", "histogram", "bins", "sum", "mean", "means", "variance", "covariance", "correlation",
    "quantiles", "median", "magnitudes", "margins", "some margins", "hierarchy", "sums with margins",
]  # fmt: skip
UNITS = ["change-one", "rows", "person", "person of two", "unit rows"]
WHERE = ["all", "all", "range", "equals", "yes", "dates", "two conditions", "number equals"]
SOURCES: list[Case] = [
    {"writer": "arrow"}, {"writer": "csv"}, {"writer": "pandas"}, {"writer": "polars"}, {"writer": "lists"},
    {"writer": "duckdb"}, {"writer": "pyarrow", "group": 7}, {"writer": "polars parquet"},
    {"writer": "duckdb parquet"}, {"writer": "pandas parquet"}, {"writer": "csv", "file": "rows.csv.gz"},
    {"writer": "csv", "csv": {"delimiter": ";", "decimal": ",", "thousands": "."}},
]  # fmt: skip


def unit_of(dice: random.Random, kind: str) -> Case:
    if kind == "change-one":
        return {"relation": "change-one", "n": ROWS}
    n_max = dice.choice([60, 75, 1000, 10**6, 40])
    said: Case = {"relation": "add-remove", "n_max": n_max}
    if kind.startswith("person"):
        said |= {"person": "id" if kind == "person" else ["id", "house"], "rows_per_person": dice.choice([1, 2, 4, 4])}
    return said | ({"unit_rows": dice.choice([2, 30])} if kind == "unit rows" else {})


def condition(dice: random.Random, kind: str, every: Case) -> list[Case]:
    if kind == "range":
        return [dice.choice([{"column": "age", "from": 20}, {"column": "pay", "below": 500},
                             {"column": "pay", "from": 100, "below": 900}])]  # fmt: skip
    if kind == "equals":
        return [{"column": "region", "equals": dice.choice(["north", "west"])}]
    if kind == "number equals":
        return [{"column": "kids", "equals": "1"}]
    if kind == "yes":
        return [{"column": dice.choice(["sick", "flag"]), "equals": dice.choice([True, False])}]
    if kind == "dates":
        return [{"column": "seen", "from": "2024-02"}]
    if kind == "two conditions":
        return [condition(dice, "range", every)[0], condition(dice, "equals", every)[0]]
    return []


def candidate(dice: random.Random) -> tuple[Case, set[str]]:
    """Return a study and its features; it may be one that is refused."""
    every = columns(dice)
    unit = dice.choice(UNITS)
    relation = unit_of(dice, unit)
    asked, features = [], {f"unit {unit}"}
    files: Case = {}
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        statistic, told = one_statistic(dice, every, unit, files)
        if statistic not in asked:
            asked.append(statistic)
            features |= told
    needed = {name for each in asked for name in names_in(each)}
    said = {name: every[name] for name in every if name in needed}
    renamed = {"aged": "age", "size": "amount"}
    for other, name in renamed.items():
        if other in said and name in said and other == "aged":
            said[name] = said.pop(other)  # with its edges
        elif other in said:
            said[name] = said.pop(other)
    asked = json.loads(json.dumps(asked).replace('"aged"', '"age"').replace('"size"', '"amount"'))
    study: Case = {"format": 1, "dataset": "people", **relation, "columns": said, "statistic": asked}
    if dice.random() < 0.06:
        study |= {"title": "People", "publisher": "An office", "contact": "office@example.org"}
        features.add("titled")
    case: Case = {"table": dice.choice(["people"] * 11 + ["five", "empty"])}
    if case["table"] != "people" and relation["relation"] == "change-one":
        study["n"] = {"five": 5}.get(case["table"], 60)
        case["table"] = "five" if study["n"] == 5 else "people"
    features.add(f"table {case['table']}")
    source = dice.choice([each for each in SOURCES if case["table"] == "people" or each["writer"] != "pandas parquet"])
    if "csv" in source:
        study["csv"] = source["csv"]
    features.add("source " + " ".join(map(str, [source["writer"], "csv" in source, source.get("file", "")])))
    for column in said.values():
        shown = {**column, "missing": column.get("missing") in ("dropped", "middle") and column["missing"]}
        rules = ("missing", "unknown", "null", "outside", "each", "step")
        features |= {f"{key} {shown[key]}" for key in rules if shown.get(key)}
    case |= {"source": source, "study": study}
    if files:
        case["files"] = files
    if dice.random() < 0.1 and len(asked) > 1:
        study["budget"] = "2"
        case["fit"] = True
        asked[0]["lock"] = dice.choice([True, False])
        features.add("fitted to a budget")
    return case, features


def names_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for each in value.values():
            yield from names_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from names_in(each)
    elif isinstance(value, str):
        yield value


def one_statistic(dice: random.Random, every: Case, unit: str, files: Case) -> tuple[Case, set[str]]:
    kind = dice.choice(KINDS)
    said: Case
    name, other = dice.sample(NUMBERS, 2)
    if kind == "histogram":
        said = {"kind": "histogram", "column": dice.choice(GROUPS)}
    elif kind == "bins":
        edges = {"age": [0, 20, 60, 120], "pay": [0, 50, 500, 1000], "score": None, "amount": [10, 50, 100]}[name]
        said = {"kind": "histogram", "column": name if edges else "pay", "edges": edges or [100, 200, 950]}
        said |= {key: dice.choice(["dropped", "binned"]) for key in ("outside", "missing")}
    elif kind == "means":
        said = {"kind": "mean", "columns": [name, other], "complete": True}
    elif kind in ("covariance", "correlation"):
        said = {"kind": "covariance", "columns": [name, other]}
        said |= {"correlation": True} if kind == "correlation" else {}
    elif kind in ("quantiles", "median"):
        name = dice.choice(["age", "amount", "score"])
        every["age"] |= {"step": dice.choice([5, 20])}
        every["score"] |= {"step": "1/3"}
        every["amount"] |= {"step": 10}
        said = {"kind": "quantiles", "column": name}
        said |= {} if kind == "median" else {"at": dice.choice([["1/4", "1/2", "3/4"], ["0.9"], ["1/3", "2/3"]])}
        said |= dice.choice([{}, {}, {"branching": 3}])
    elif kind == "magnitudes":
        said = {"kind": "magnitudes", "column": "size", **dice.choice([{}, {"outside": "1/10"}])}
    elif kind in ("margins", "some margins", "hierarchy", "sums with margins"):
        said = {"kind": "count"} if kind != "sums with margins" else {"kind": "sum", "column": name}
        if unit.startswith("person") and kind == "margins" and dice.random() < 0.5:
            said = {"kind": "persons", "groups_per_person": 1}
    else:
        said = {"kind": kind, **({} if kind in ("count", "persons") else {"column": name})}
    by = dice.choice(BY)
    if kind in ("margins", "some margins", "sums with margins"):
        by = "two"
    if kind == "hierarchy":
        said |= {"by": "town", "margins": "hierarchy"}
        by = "levels"
    elif by == "one":
        said["by"] = dice.choice(GROUPS)
    elif by == "two":
        said["by"] = dice.sample(["region", "sick", "kids"], 2)
    elif by == "three":
        said["by"] = dice.sample(["region", "sick", "kids", "flag", "aged"], 3)
    elif by == "bins":
        said["by"] = "aged"
    elif by == "keys":
        files["keys.csv"] = "region\nnorth\nsouth\nabsent\n"
        said |= {"by": ["region"], "keys": "keys.csv"}
    elif by == "two keys":
        files["two.csv"] = "region,kids\nnorth,1\nsouth,0\nwest,2\nnowhere,1\n"
        said |= {"by": ["region", "kids"], "keys": "two.csv"}
    if kind == "some margins":
        said["margins"] = dice.choice([[[]], [[said["by"][0]]], [[], [said["by"][1]], said["by"]]])
    elif kind in ("margins", "sums with margins"):
        said["margins"] = "all"
    if kind == "hierarchy" and unit != "change-one":
        said |= dice.choice([{}, {"shares": ["1/6", "1/3", "1/2"]}])
    if kind == "persons" and "by" in said:
        said["groups_per_person"] = dice.choice([1, 2, 9])
    where = dice.choice(WHERE)
    conditions = condition(dice, where, every)
    said |= {"where": conditions} if conditions else {}
    if kind in ("mean", "means", "variance", "correlation", "covariance") and dice.random() < 0.25:
        said["count_share"] = "1/4"
    if unit.startswith("person") and said["kind"] != "persons" and dice.random() < 0.3:
        said["rows_per_person"] = dice.choice([1, 2, 4])
    cost = dice.choice(["1", "0.5", "1/3", "0.31", "2", "5"])
    target = kind in ("count", "histogram", "sum", "bins") and dice.random() < 0.12
    said |= {"accuracy": "30"} if target else {"epsilon": cost}
    said |= dice.choice([{}, {}, {}, {"alpha": "0.01"}, {"alpha": "1/3"}])
    features = {f"kind {kind}", f"by {by}", f"where {where}"}
    features |= {key for key in ("count_share", "rows_per_person", "groups_per_person", "shares", "alpha", "accuracy",
                                 "branching", "complete") if key in said}  # fmt: skip
    return said, features


def studies(count: int) -> list[Case]:
    """Return studies that are accepted, each chosen of several for the pairs of features that it adds."""
    dice = random.Random("studies")
    found: list[Case] = []
    covered: set[tuple[str, str]] = set()
    while len(found) < count:
        drawn = [candidate(dice) for _ in range(25)]
        gain = [len({*combinations(sorted(features), 2)} - covered) for _, features in drawn]
        for place in sorted(range(len(drawn)), key=lambda i: -gain[i])[:6]:
            case, features = drawn[place]
            case = {"name": f"study-{len(found) + 1:03}", **case}
            if adapter.is_accepted(case):
                covered |= {*combinations(sorted(features), 2)}
                found.append(case)
                break
    return found


def plain_studies() -> list[Case]:
    """Return every kind by itself, under every unit and missing rule: the shortest studies, which are read first."""
    each_kind: list[Case] = [
        {"kind": "count", "where": [{"column": "age", "from": 65}]},
        {"kind": "count", "by": "region"},
        {"kind": "histogram", "column": "region"},
        {"kind": "histogram", "column": "day"},
        {"kind": "histogram", "column": "age", "edges": [0, 18, 65, 120], "missing": "binned"},
        {"kind": "sum", "column": "pay"},
        {"kind": "mean", "column": "pay"},
        {"kind": "mean", "column": "age", "by": "region"},
        {"kind": "mean", "column": "age", "where": [{"column": "sick", "equals": True}]},
        {"kind": "mean", "columns": ["age", "pay"], "complete": True},
        {"kind": "mean", "columns": ["age", "pay"]},
        {"kind": "variance", "column": "age"},
        {"kind": "covariance", "columns": ["age", "pay"]},
        {"kind": "covariance", "columns": ["age", "pay"], "correlation": True},
        {"kind": "quantiles", "column": "tens", "at": ["1/4", "1/2", "3/4"]},
        {"kind": "quantiles", "column": "tens", "by": "sick"},
        {"kind": "persons"},
        {"kind": "persons", "by": "region", "groups_per_person": 5},
    ]
    units: list[Case] = [
        {"relation": "change-one", "n": ROWS},
        {"relation": "add-remove", "n_max": 100},
        {"relation": "add-remove", "n_max": 100, "person": "id", "rows_per_person": 4},
        {"relation": "add-remove", "n_max": 100, "person": ["id", "house"], "rows_per_person": 4},
        {"relation": "add-remove", "n_max": 100, "unit_rows": 3},
    ]
    found = []
    for missing in ("dropped", "middle", 30):
        every: Case = {
            "age": {"kind": "integer", "lower": 0, "upper": 120, "missing": missing},
            "pay": {"kind": "number", "lower": 0, "upper": 1000, "step": "1/4", "missing": missing},
            "tens": {"kind": "number", "lower": 0, "upper": 100, "step": 10, "missing": missing},
            "region": {"kind": "category", "categories": ["north", "south", "east", "west"], "null": "binned"},
            "sick": {"kind": "boolean"},
            "day": {"kind": "date", "from": "2024-01-17", "to": "2024-04-20", "each": "month"},
        }
        for relation in units:
            for asked in each_kind:
                if missing != "dropped" and asked["kind"] in ("count", "histogram", "persons"):
                    continue
                said = {name: column for name, column in every.items() if name in {*names_in(asked)}}
                text = json.dumps({"columns": said, "statistic": [{**asked, "epsilon": 1}]}).replace(
                    '"tens"', '"amount"'
                )
                study = {"format": 1, "dataset": "people", **relation, **json.loads(text)}
                case: Case = {"table": "people", "source": {"writer": "arrow"}, "study": study}
                case = {"name": f"plain-{len(found) + 1:03}", **case}
                if adapter.is_accepted(case):
                    found.append(case)
    for person, asked in (  # columns that are part of a person, and are declared
        (["id", "day"], {"kind": "histogram", "column": "day"}), (["id", "day"], {"kind": "persons", "by": "day",
                                                                                  "groups_per_person": 1}),
        (["id", "kids"], {"kind": "count", "by": "kids"}), ("region", {"kind": "persons", "where": [
            {"column": "region", "equals": "north"}]}),
    ):  # fmt: skip
        said = {name: column for name, column in PLAIN_STUDY["columns"].items() if name in {*names_in(asked)}}
        study = {"format": 1, "dataset": "people", "relation": "add-remove", "n_max": 100, "person": person,
                 "rows_per_person": 2, "columns": said, "statistic": [{**asked, "epsilon": 1}]}  # fmt: skip
        for source in ({"writer": "csv"}, {"writer": "pyarrow"}):
            found.append({"name": f"plain-{len(found) + 1:03}", "table": "people", "source": source, "study": study})
    return found


# Sources


ODD_STUDY: Case = {
    "format": 1, "dataset": "odd", "relation": "add-remove", "n_max": 100,
    "columns": {
        "x": {"kind": "number", "lower": 0, "upper": 10, "step": 1, "missing": "dropped"},
        "whole": {"kind": "integer", "lower": -100, "upper": 100, "missing": "dropped"},
        "word": {"kind": "category", "categories": ["a", "A", "ä", "it's", '"q"'], "unknown": "binned"},
    },
    "statistic": [
        {"kind": "mean", "column": "x", "epsilon": 1},
        {"kind": "sum", "column": "x", "epsilon": 1},
        {"kind": "count", "where": [{"column": "x", "from": 10}], "epsilon": 1},
        {"kind": "count", "where": [{"column": "x", "below": 5}], "epsilon": 1},
        {"kind": "histogram", "column": "x", "edges": [0, 1, 5, 10], "missing": "binned", "epsilon": 1},
        {"kind": "sum", "column": "whole", "by": "word", "epsilon": 1},
        {"kind": "histogram", "column": "word", "epsilon": 1},
    ],
}  # fmt: skip
NAN_STUDY: Case = {
    **{key: ODD_STUDY[key] for key in ("format", "dataset", "relation", "n_max")},
    "columns": {"x": ODD_STUDY["columns"]["x"], "word": ODD_STUDY["columns"]["word"]},
    "statistic": [*ODD_STUDY["statistic"][:5], {"kind": "sum", "column": "x", "by": "word", "epsilon": 1},
                  {"kind": "variance", "column": "x", "epsilon": 1}],
}  # fmt: skip
PLAIN_STUDY: Case = {
    "format": 1, "dataset": "people", "relation": "change-one", "n": ROWS,
    "columns": {
        "age": {"kind": "integer", "lower": 0, "upper": 120, "missing": 40},
        "pay": {"kind": "number", "lower": 0, "upper": 1000, "step": "1/4", "missing": "dropped"},
        "region": {"kind": "category", "categories": ["north", "south", "east", "west"], "unknown": "binned"},
        "sick": {"kind": "boolean", "null": "binned"},
        "day": {"kind": "date", "from": "2024-01-17", "to": "2024-04-20", "each": "month", "unknown": "binned"},
        "kids": {"kind": "category", "categories": ["0", "1", "2", "3"], "null": "binned"},
        "amount": {"kind": "number", "lower": 0, "upper": 100, "step": "1/100", "missing": "middle"},
    },
    "statistic": [
        {"kind": "mean", "column": "age", "epsilon": "0.5"},
        {"kind": "mean", "column": "pay", "by": "sick", "epsilon": "0.5"},
        {"kind": "histogram", "column": "region", "epsilon": "0.5"},
        {"kind": "histogram", "column": "day", "by": "kids", "epsilon": "0.5"},
        {"kind": "sum", "column": "amount", "where": [{"column": "sick", "equals": True}], "epsilon": "0.5"},
    ],
}  # fmt: skip


def sources() -> list[Case]:
    """Return the same few studies from every kind of source: the noise-free numbers alone."""
    frames: list[Case] = [{"writer": each} for each in ("lists", "arrow", "pandas", "polars", "duckdb")]
    parquet: list[Case] = [
        {"writer": by, **({} if group is None else {"group": group}), **more}
        for by in ("pyarrow", "polars parquet", "pandas parquet", "duckdb parquet")
        for group in (1, 3, None)
        for more in ({}, {"files": 3})
    ]
    parquet += [{"writer": by, "statistics": False} for by in ("pyarrow", "polars parquet")]
    dialects: list[Case] = [
        {}, {"delimiter": ";"}, {"delimiter": "tab"}, {"delimiter": "|", "quote": "'"}, {"null": ["NA"]},
        {"delimiter": ";", "decimal": ","}, {"delimiter": ";", "decimal": ",", "thousands": "."},
        {"thousands": ",", "null": ["NA", "."]}, {"thousands": "space"}, {"thousands": "'"}, {"encoding": "latin-1"},
        {"delimiter": "^", "null": ["999"]}, {"thousands": "no-break space", "encoding": "latin-1"}, {"quote": "`"},
    ]  # fmt: skip
    forms: list[Case] = [{}, {"lines": "\r\n"}, {"quoted": True}, {"mark": True}, {"file": "rows.csv.gz"}]
    found = []
    for table, study in (("people", PLAIN_STUDY), ("odd", ODD_STUDY), ("nan", NAN_STUDY)):
        for source in [*frames, *parquet]:
            found.append({"table": table, "source": source, "study": study})
    for dialect in dialects:
        said = {**PLAIN_STUDY, **({"csv": dialect} if dialect else {})}
        found.append({"table": "people", "source": {"writer": "csv", "csv": dialect}, "study": said})
    for form in [*forms, {"file": "rows.tsv"}, {"file": "rows.tsv.gz", "lines": "\r\n"}]:
        found.append({"table": "people", "source": {"writer": "csv", **form}, "study": PLAIN_STUDY})
    return [{"name": f"source-{number:03}", **each} for number, each in enumerate(found, start=1)]


def engines(chosen: list[Case]) -> list[Case]:
    """Return the studies that Spark and PostgreSQL answer as well: every n-th without keys."""
    plain = [each for each in chosen if "files" not in each and "fit" not in each]
    found = []
    for engine, step in (("postgresql", 12), ("spark", 24)):
        for place, each in enumerate(plain[::step]):
            study = {key: value for key, value in each["study"].items() if key != "csv"}
            source: Case = {"engine": engine}
            if engine == "spark" and place % 3:
                source["writer"] = "csv" if place % 3 == 1 else "pyarrow"
            found.append({"name": f"{engine}-{len(found) + 1:03}", "table": each["table"], "source": source,
                          "study": study})  # fmt: skip
        for table, study in (("people", PLAIN_STUDY), ("odd", ODD_STUDY), ("nan", NAN_STUDY)):
            for source in [{"engine": engine}] + (
                [{"engine": engine, "writer": "pyarrow"}] if engine == "spark" else []
            ):
                found.append({"name": f"{engine}-{len(found) + 1:03}", "table": table, "source": source,
                              "study": study})  # fmt: skip
    return found


# The mechanism by itself


def mechanisms() -> list[Case]:
    """Return mechanisms in both arithmetics, each with values, first words of bits, and values whose law is asked."""
    dice = random.Random("mechanisms")
    found: list[Case] = []
    ranges: list[Case] = [
        {"sensitivity": 1, "lower": 0, "upper": 1000}, {"sensitivity": 1, "lower": 0, "upper": 10},
        {"sensitivity": "1/10", "lower": "-1/2", "upper": "1/2"}, {"sensitivity": 120, "lower": -6000, "upper": 6000},
        {"sensitivity": "1/3", "lower": "1/7", "upper": "22/7"}, {"sensitivity": 1000000, "lower": 0, "upper": 10**12},
        {"sensitivity": "0.001", "lower": 10, "upper": 11},
    ]  # fmt: skip
    exact: list[Case] = [
        {},
        {"grid": "natural"},
        {"grid": "fine"},
        {"clamp": "range"},
        {"gamma": "1/100"},
        {"grid": "1/1024"},
    ]
    finite: list[Case] = [
        {"arithmetic": "proved"}, {"arithmetic": "notes"}, {"arithmetic": "proved", "bits": 64},
        {"arithmetic": "notes", "bits": 53}, {"arithmetic": "notes", "bits": 128, "gamma": "1/100"},
        {"arithmetic": "proved", "bits": 200},
    ]  # fmt: skip
    for more in [*exact, *finite]:
        for said in ranges:
            epsilon = dice.choice(["1", "0.5", "1/10", "3", "0.01"])
            found.append({"mechanism": {"epsilon": epsilon, **said, **more}})
    for said in ranges:
        for step in ("1/4", 5):
            found.append({"mechanism": {"epsilon": "0.9", **said, "step": step}})
        found.append({"mechanism": {"epsilon": "100", **said}})
        found.append({"mechanism": {"epsilon": "1/1000", **said, "clamp": "range"}})
    words = [0, 1 << 63, (1 << 64) - 1, 1, (1 << 63) - 1, (1 << 63) + 1, 1 << 52, (1 << 63) + (1 << 52) - 1]
    for place, case in enumerate(found):
        m = case["mechanism"]
        low, high = (float(Fraction(str(m[key]))) for key in ("lower", "upper"))
        values: list[Any] = [low, high, (low + high) / 2, low - 1, high + 1e9, low + (high - low) / 3]
        values += [dice.uniform(low, high) for _ in range(6)]
        values = [each.hex() for each in values] + [int(high)]
        drawn = [*dice.sample(words, 4), *(dice.getrandbits(64) for _ in range(len(values) - 4))]
        case |= {"values": values, "words": [f"{word:016x}" for word in drawn], "law": [m["lower"], m["upper"]]}
        case |= {"name": f"mechanism-{place + 1:03}", "alpha": dice.choice(["0.05", "1/3", "1/1000"])}
    return found


# Formulas, programs and certificates


def formulas() -> list[Case]:
    text = (VECTORS / "cores.fpcore").read_text(encoding="utf-8")
    cores = ["(FPCore" + each.split("\n; ")[0] for each in text.split("(FPCore")[1:]]
    found: list[Case] = [{"core": core.strip(), "boxes": 300} for core in cores]
    for p in (11, 24, 53, 113):
        for formula, ranges in (
            ("ln(U)/0.1", ["U=exp(-40),0.999"]), ("f + ln(U)/0.5", ["f=-64,64", "U=exp(-40),0.999"]),
            ("(f + ln(U)/0.1)/16", ["f=-1000,1000", "U=exp(-40),0.999"]), ("x*x - 2*x + 1", ["x=-3,3"]),
        ):  # fmt: skip
            found.append({"formula": formula, "ranges": ranges, "p": p, "boxes": 300})
    return [{"name": f"formula-{place:03}", **case} for place, case in enumerate(found, start=1)]


SNAP = """program snap {
  param eps = EPS; param Lambda = GRID; param B = BOUND;
  query f in [-B, B] sensitivity 1;
  U <-$ unif; S <-$ {-1,1};
  y = PRIVATE + NOISE;
  z = OUTPUT;
  return z;
}"""
USUAL = {"EPS": "1/2", "GRID": "2", "BOUND": "64", "PRIVATE": "f(D)", "NOISE": "S * ln(U) / eps",
         "OUTPUT": "clamp[B](round[Lambda](y))"}  # fmt: skip
TRACED = """@audit(query=QUERY, CLAIM)
def release(f, U, S, *, eps=EPS, B=64):
    y = f + NOISE
    return clamp(round_to(y, GRID), B)
"""


def programs() -> list[Case]:
    """Return the bundled programs on several machines, variations of snapping, random shapes, and Python functions."""
    found: list[Case] = []
    bundled = adapter.bundled_programs()
    found += [{"text": text, "machine": machine} for text, machine in bundled.values()]
    for name in ("snap_half", "snap_tenth", "snap_bigB", "diffprivlib", "snap_inner_clamp"):
        for machine in ("sum=exact", "ln=2", "sampler=nearest", "sampler=grid53", "umin=-1074", "p=24"):
            found.append({"text": bundled[name][0], "machine": machine})
    for more in (
        {"GRID": "1"}, {"GRID": "4"}, {"GRID": "3"}, {"GRID": "1/1024"},
        {"EPS": "1/10", "GRID": "16", "BOUND": "1000"},
        {"EPS": "1"}, {"BOUND": "100"}, {"NOISE": "eps * S * ln(U)"}, {"NOISE": "ln(U) / eps"},
        {"NOISE": "S * U / eps"},
        {"OUTPUT": "round[Lambda](clamp[B](y))"}, {"OUTPUT": "clamp[B](y)"}, {"OUTPUT": "round[Lambda](y)"},
        {"PRIVATE": "2 * f(D)"}, {"PRIVATE": "f(D) / 3"}, {"PRIVATE": "-f(D)"}, {"NOISE": "S * (ln(U) / eps)"},
        {"NOISE": "S * ln(U / 2) / eps"}, {"OUTPUT": "2 * clamp[B](round[Lambda](y))"}, {"EPS": "3"},
    ):  # fmt: skip
        text = SNAP
        for key, value in {**USUAL, **more}.items():
            text = text.replace(key, value)
        for claim in ("note", None):
            found.append({"text": text, **({} if claim is None else {"claim": claim})})
    for query, noise, claim, eps, grid in (
        ("(-64, 64)", "S * ln(U) / eps", "epsilon=0.5", "0.5", "2"),
        ("(-64, 64)", "S * np.log(U) / eps", 'claim="eps + 23*B*eps*eta"', "0.5", "2"),
        ("(-64, 64)", "(1 / eps) * S * ln(U)", 'claim="eps + 23*B*eps*eta"', "0.3", "4"),
        ("None", "S * ln(U) / eps", "claim=1", "0.5", "2"),
        ("(-64, 64)", "ln(U) / eps", "claim=1", "0.5", "2"),
        ("(-64, 64)", "S * ln(U) / eps + 0.1", "claim=1", "1", "1"),
        ("(0, 64)", "S * ln(1 - U) / eps", "claim=2", "1", "1"),
        ("(-64, 64)", "S * ln(U) / eps if f > 0 else 0", "claim=2", "1", "1"),
    ):
        text = TRACED
        for key, value in {"QUERY": query, "NOISE": noise, "CLAIM": claim, "EPS": eps, "GRID": grid}.items():
            text = text.replace(key, value)
        found.append({"python": text})
    found += [
        {"text": "program"}, {"text": SNAP.replace("EPS", "1/2").replace("GRID", "2")}, {"text": ""},
        {"text": bundled["snap_half"][0], "machine": "p=1"}, {"text": bundled["snap_half"][0], "claim": "-1"},
    ]  # fmt: skip
    return [{"name": f"program-{place:03}", **case} for place, case in enumerate(found, start=1)]


def bases() -> list[Case]:
    """Return what is forged and spoilt: certificates made by hand for the tests of the checker, and a study."""
    made = [{"name": name, "certificate": certificate} for name, certificate in genuine().items()]
    return [*made, {"name": "rich", "study": RICH}]


def certificates(made: list[Case]) -> list[Case]:
    """Return each certificate as it is, and with each place changed in one or two of the ways of its kind."""
    dice = random.Random("certificates")
    found: list[Case] = []
    for base in made:
        if "certificate" not in base:
            continue
        certificate = base["certificate"]
        found.append({"of": base["name"], "path": []})
        everywhere = [(path, value) for path, value in certificate_places(certificate) if path]
        for path, value in dice.sample(everywhere, min(len(everywhere), 28)):
            others = [
                other
                for _, other in changes(value, certificate["machine"]["p"])
                if len(json.dumps(other)) < 400 and (other != value or type(other) is not type(value))
            ]
            found.append({"of": base["name"], "path": list(path), "value": dice.choice(others)})
        for key in certificate:
            found.append({"of": base["name"], "path": [key], "drop": True})
    return [{"name": f"certificate-{place:03}", **case} for place, case in enumerate(found, start=1)]


def records(chosen: list[Case], made: dict[str, Table]) -> list[Case]:
    """Return the records of some studies as they are, and with each kind of place changed, dropped or added."""
    dice = random.Random("records")
    found: list[Case] = []
    for base in chosen:
        record = adapter.base_record(base, made[base["table"]])
        found.append({"of": base["name"], "path": []})
        everywhere = [
            path for path in record_places(record) if "dataset_version" not in path and "previous" not in path
        ]
        for path in dice.sample(everywhere, min(len(everywhere), 25)):
            value = at(record, path)
            how, other = dice.choice(record_others(value))
            if how == "changed" and path[0] in ("date", "request"):  # the day it was made is no part of the corpus
                other = "2001-01-01"
            small = len(json.dumps(other)) < 400 and path[0] not in ("date", "request", "versions")
            change = {"value": other} if small else {"value": "x"}
            found.append({"of": base["name"], "path": list(path), **change})
        for key in record:
            found.append({"of": base["name"], "path": [key], "drop": True})
        for key, value in (("n", 7), ("n_max", 7), ("person", "id"), ("more", 1), ("unit_rows", 2), ("own", "ann")):
            if key not in record:
                found.append({"of": base["name"], "path": [key], "value": value})
    return [{"name": f"record-{place:03}", **case} for place, case in enumerate(found, start=1)]


# Refusals


RICH: Case = {
    "format": 1, "dataset": "people", "title": "People", "relation": "add-remove", "n_max": 100,
    "person": ["id", "house"],
    "rows_per_person": 2, "budget": "5", "csv": {"delimiter": ";", "decimal": ",", "null": ["NA"]},
    "columns": {
        **{name: PLAIN_STUDY["columns"][name] for name in ("age", "region", "sick", "day", "kids")},
        "pay": {"kind": "number", "lower": 0, "upper": 1000, "step": 50, "missing": "dropped", "edges": [0, 500, 1000],
                "outside": "binned", "null": "binned"},
        "town": {"kind": "category", "categories": TOWNS, "parents": PARENTS},
        "amount": {"kind": "magnitude", "exponents": [-4, 12]},
    },
    "statistic": [
        {"kind": "mean", "column": "age", "by": "region", "count_share": "1/4", "epsilon": "0.5", "alpha": "0.01"},
        {"kind": "persons", "by": "sick", "groups_per_person": 2, "epsilon": "0.5", "lock": True},
        {"kind": "histogram", "column": "age", "edges": [0, 18, 120], "outside": "binned", "missing": "binned",
         "accuracy": "40"},
        {"kind": "count", "by": ["region", "kids"], "margins": [["region"], []], "shares": ["1/4", "3/4"], "epsilon": 1,
         "where": [{"column": "pay", "from": 100, "below": 900}, {"column": "day", "from": "2024-02"}]},
        {"kind": "covariance", "columns": ["age", "pay"], "correlation": True, "epsilon": 1},
        {"kind": "mean", "columns": ["age", "pay"], "complete": True, "epsilon": 1},
        {"kind": "quantiles", "column": "age", "at": ["1/4", "1/2"], "branching": 11,
         "rows_per_person": 1, "epsilon": 1},
        {"kind": "count", "by": "town", "margins": "hierarchy", "epsilon": "0.1"},
        {"kind": "magnitudes", "column": "amount", "outside": "1/10", "epsilon": 1},
    ],
}  # fmt: skip
WRONG: list[Any] = [
    None, True, 0, -1, 7, 10**30, 0.5, "", " ", "0", "-1", "1/0", "nan", "1e400", "x", "age", "region",
    "dropped", "binned",
    "change-one", "mean", "count", "\u0000", "a\nb", [], {}, [1], ["x"], ["age", "age"], [None], [1000, 500], {"x": 1},
    [{"column": "x", "from": 1}], "2024-13-01", "1/3",
]  # fmt: skip


def refusals() -> list[Case]:
    """Return a study spoilt in each of its places, one at a time; studies as text; and tables that do not fit."""
    dice = random.Random("refusals")
    found: list[Case] = []
    everywhere = [path for path in record_places(RICH) if path]
    for path in everywhere:
        value = at(RICH, path)
        if isinstance(path[-1], str):
            found.append({"of": "rich", "path": list(path), "drop": True})
        wrong = dice.choice([each for each in WRONG if each != value])
        found.append({"of": "rich", "path": list(path), "value": wrong})
        if isinstance(value, dict):
            found.append({"of": "rich", "path": [*path, "lowr"], "value": 1})
    for more in (
        {"format": 2},
        {"format": 3},
        {"relation": "change-one"},
        {"n": 60},
        {"person": "region"},
        {"unit_rows": 2},
        {"statistic": []},
        {"statistic": [RICH["statistic"][0]] * 2},
        {"columns": {}},
        {"budget": "0"},
        {"more": 1},
    ):
        found += [{"of": "rich", "path": [key], "value": value} for key, value in more.items()]
    plain = {**PLAIN_STUDY, "statistic": PLAIN_STUDY["statistic"][:2]}
    for source in (
        {"writer": "text", "file": "rows.csv", "text": ""},
        {"writer": "text", "file": "rows.csv", "text": "age,pay\n1,2\n3\n"},
        {"writer": "text", "file": "rows.csv", "text": "age,pay,sick\n1,2,3\n"},
        {"writer": "text", "file": "rows.csv", "text": 'age,pay,sick\n1,"2,3\n'},
        {"writer": "text", "file": "rows.csv", "text": "age,age,pay,sick\n1,2,3,4\n"},
        {"writer": "text", "file": "rows.csv", "hex": b"age,pay,sick\n1,2,\xff\n".hex()},
        {"writer": "text", "file": "rows.parquet", "text": "PAR1"},
        {"writer": "text", "file": "rows.xlsx", "text": "PK"},
        {"writer": "text", "file": "rows.csv.gz", "text": "no gzip"},
    ):  # fmt: skip
        found.append({"study": plain, "source": source})
    found += [
        {"study": {**plain, "n": 59}}, {"study": {**plain, "n": 61}, "source": {"writer": "csv"}},
        {"study": plain, "table": "five"}, {"study": plain, "table": "odd"}, {"study": plain, "table": "empty"},
        {"study": {**plain, "csv": {"delimiter": ";"}}},
        {"study": {**plain, "csv": {"delimiter": ";"}}, "source": {"writer": "csv"}},
        {"study": json.loads(json.dumps(plain).replace('"age"', '"agee"'))},
        {"study": json.loads(json.dumps(plain).replace('"pay"', '"region"'))},
        {"study": json.loads(json.dumps(plain).replace('"sick"', '"score"'))},
    ]  # fmt: skip
    sound = "format = 1\ndataset = 'people'\nrelation = 'add-remove'\nn_max = 100\n"
    column = "[columns.age]\nkind = 'integer'\nlower = 0\nupper = 120\nmissing = 'dropped'\n"
    asked = "[[statistic]]\nkind = 'mean'\ncolumn = 'age'\nepsilon = 1\n"
    for text in (
        "", "format = 1", "nothing", sound, sound + column, sound + asked, sound + column + asked,
        sound + column + asked.replace("age", "agee"), sound + column + asked + "epsilon = 2\n",
        "\ufeff" + sound + column + asked,
        sound + column.replace("'integer'", "integer") + asked, sound + column.replace("120", "1_20") + asked,
        sound + column.replace("120", "nan") + asked, sound + column.replace("120", "2024-01-01") + asked,
    ):  # fmt: skip
        found.append({"text": text})
    return [{"name": f"refusal-{place:03}", "table": "people", **case} for place, case in enumerate(found, start=1)]


# Accounts


def accounts(chosen: dict[str, Case]) -> list[Case]:
    """Return series of releases from one account, with what may be spent in all."""
    first, other, private = "plain-006", "plain-004", None
    private = next(name for name, case in chosen.items() if case["study"].get("n_max") == 100
                   and "person" not in case["study"] and "unit_rows" not in case["study"])  # fmt: skip
    person = next(name for name, case in chosen.items() if case["study"].get("person") == "id")
    public: Case = {"name": "people", "relation": "change-one", "rows": 60}
    hidden: Case = {"name": "people", "relation": "add-remove", "rows": 100}
    again = {"with": {"source": {"writer": "csv"}}}
    found: list[Case] = [
        {"account": {**public, "cap": 1}, "steps": [{"study": first}, {"study": first}, {"study": other}]},
        {"account": {**public, "cap": 2}, "steps": [
            {"study": first}, {"study": other}, {"study": first}, {"study": other}]},
        {"account": {**public, "cap": "1/2"}, "steps": [{"study": first}]},
        {"account": {**public, "cap": 3}, "steps": [
            {"study": first}, {"study": first, **again}, {"study": first, **again}]},
        {"account": {**public, "cap": 1}, "steps": [
            {"study": first}, {"study": other}, {"amend": {"account": "people", "cap": 2, "reason": "more"}},
            {"study": other}]},
        {"account": {**public, "cap": 1}, "steps": [{"amend": {"account": "people", "cap": 1, "reason": "more"}}]},
        {"account": {**public, "cap": 9, "rows": 59}, "steps": [{"study": first}]},
        {"account": {**public, "cap": 9}, "steps": [{"study": private}, {"study": person}]},
        {"account": {**hidden, "cap": 9}, "steps": [{"study": private}, {"study": person}, {"study": first}]},
        {"account": {**hidden, "cap": 9, "rows": 99}, "steps": [{"study": private}]},
        {"account": {**hidden, "cap": 9, "person": "id"}, "steps": [{"study": person}, {"study": private}]},
        {"account": {**hidden, "cap": 9, "person": "house"}, "steps": [{"study": person}]},
        {"account": {**public, "cap": 9, "name": "others"}, "steps": [{"study": first}]},
        {"account": {**hidden, "cap": 9, "unit_rows": 2}, "steps": [{"study": private}]},
        {"account": {**public, "cap": 9}, "steps": [{"study": first, "with": {"table": "five"}}, {"study": first}]},
    ]  # fmt: skip
    return [{"name": f"account-{place:02}", **case} for place, case in enumerate(found, start=1)]


# Writing


def write(family: str, cases: list[Any]) -> None:
    lines = [json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in cases]
    (INPUTS / f"{family}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{family}: {len(cases)} inputs, {sum(map(len, lines)) // 1000} kB")


def _persons_of(case: Case) -> list[str]:
    person = case["study"].get("person", [])
    return [person] if isinstance(person, str) else person


def main() -> None:
    INPUTS.mkdir(exist_ok=True)
    made = tables()
    write("tables", made)
    chosen = [*plain_studies(), *studies(340)]
    by_name = {case["name"]: case for case in chosen}
    write("studies", chosen)
    write("sources", sources())
    write("engines", engines(chosen))
    write("mechanisms", mechanisms())
    write("formulas", formulas())
    write("programs", programs())
    write("bases", bases())
    write("certificates", certificates(bases()))
    short = [case for case in chosen if len(case["study"]["statistic"]) == 1 and case["table"] == "people"]
    short = [case for case in short if not {*_persons_of(case)} & {*case["study"]["columns"]}]
    forged = [case for case in short if case["name"].startswith("plain")][::18] + short[-4:]
    write("records", records(forged, {each["name"]: table_of(each) for each in made}))
    write("refusals", refusals())
    write("accounts", accounts(by_name))


if __name__ == "__main__":
    main()
