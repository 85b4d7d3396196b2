"""Flags of one statistic, translated to the values of a study: the study reader does all the checking.

Room: cli.
"""

from __future__ import annotations

import re
from typing import Any

import click

KINDS = ("mean", "sum", "variance", "covariance", "histogram")
_CONDITION = re.compile(r"^\s*(?P<column>[^<>=]+?)\s*(?P<operator>>=|<|=)\s*(?P<value>[^<>=]+?)\s*$")


def study_values(options: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a study with one statistic."""
    kind, names = _statistic(options)
    conditions = _conditions(options["where"])
    columns = names + [name for name in conditions if name not in names]
    statistic: dict[str, Any] = {"kind": kind}
    if kind == "covariance":
        statistic["columns"] = names
    elif kind != "count":
        statistic["column"] = names[0]
    if conditions:
        statistic["where"] = [{"column": name, **tests} for name, tests in conditions.items()]
    if conditions and kind != "count":
        raise click.UsageError("--where belongs to --count.")
    if options["edges"] and kind != "histogram":
        raise click.UsageError("--edges belongs to --histogram.")
    if options["edges"]:
        statistic["edges"] = options["edges"].split(",")
    statistic |= {key: options[key] for key in ("epsilon", "accuracy", "alpha") if options[key] is not None}
    return {
        "version": 1,
        "dataset": "from flags",
        **_relation(options),
        "columns": _columns(options, columns),
        "statistic": [statistic],
    }


def _statistic(options: dict[str, Any]) -> tuple[str, list[str]]:
    chosen = [(kind, options[kind].split(",")) for kind in KINDS if options[kind]]
    if options["count"]:
        chosen.append(("count", []))
    if len(chosen) != 1:
        raise click.UsageError(
            "Give a study file, or one of --count, --mean, --sum, --variance, --covariance, --histogram."
        )
    return chosen[0]


def _relation(options: dict[str, Any]) -> dict[str, Any]:
    if (options["n"] is None) == (options["n_max"] is None):
        raise click.UsageError(
            "Who is a neighbour? Give --n N (n is public, one row's values change) "
            "or --n-max N (n is private, one row comes or goes)."
        )
    if options["n"] is not None:
        return {"relation": "change-one", "n": options["n"]}
    return {"relation": "add-remove", "n_max": options["n_max"]}


def _columns(options: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return a declaration of every column named: categories for --categories, else the bounds in the order given."""
    if not names:  # a count of all rows names none, and a study needs one
        return {"row": {"kind": "integer", "lower": 0, "upper": 1}}
    if options["categories"]:
        return {name: {"kind": "category", "categories": options["categories"].split(",")} for name in names}
    bounds = [pair.split(",") for pair in options["bounds"]]
    if len(bounds) != len(names) or any(len(pair) != 2 for pair in bounds):
        raise click.UsageError(f"Give --bounds LOWER,UPPER for each of: {', '.join(names)} (or --categories A,B,...).")
    common: dict[str, Any] = {"kind": "integer" if options["integer"] else "number"}
    if options["step"] is not None:
        common["step"] = options["step"]
    return {
        name: {**common, "lower": lower, "upper": upper} for name, (lower, upper) in zip(names, bounds, strict=True)
    }


def _conditions(texts: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Return {column: {from, below, equals}} of conditions such as "age>=65"."""
    keys = {">=": "from", "<": "below", "=": "equals"}
    found: dict[str, dict[str, str]] = {}
    for text in texts:
        match = _CONDITION.match(text)
        if match is None:
            raise click.UsageError(f'--where "{text}" is not understood: write "age>=65", "age<70" or "region=north".')
        tests = found.setdefault(match["column"], {})
        if keys[match["operator"]] in tests:
            raise click.UsageError(f'--where "{text}" says a second time what {match["column"]} is tested for.')
        tests[keys[match["operator"]]] = match["value"]
    return found
