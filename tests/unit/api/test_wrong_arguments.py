"""Whatever stands in an argument of a line or a study is taken, or refused with an advice: never a bare error."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import snapdp
from snapdp.errors import SnapdpError

FRAME = pd.DataFrame({"age": [31, 62, 7, 45], "pay": [512.5, 999.0, 700.0, 1200.0], "region": ["north", "south"] * 2})
REGION = {"kind": "category", "categories": ["north", "south"]}
AGE = {"bounds": (0, 120), "missing": 50}
LINES: dict[str, dict[str, Any]] = {  # sound arguments, of a table and of columns
    "count": {"data": FRAME, "where": {"region": "north"}, "columns": {"region": REGION}},
    "sum": {"data": FRAME, "column": "age", "by": "region", "groups": ["north"], **AGE},
    "mean": {"data": FRAME["age"], "by": FRAME["region"], "groups": ["north"], **AGE},
    "variance": {"data": FRAME, "column": "age", **AGE},
    "covariance": {"data": FRAME["age"], "other": FRAME["pay"], "bounds": ((0, 120), (0, 2000)), "missing": (50, 70)},
    "histogram": {"data": FRAME, "column": "age", "bounds": (0, 120), "edges": [0, 18, 65]},
    "quantiles": {"data": FRAME["age"], "by": FRAME["region"], "groups": ["north"], "integer": True, **AGE},
    "median": {"data": FRAME, "column": "age", "integer": True, **AGE},
    "explore": {"data": FRAME, "columns": ["age", "region"], "categories": {"region": ["north"]}},
    "persons": {"data": FRAME, "by": "region", "groups": ["north", "south"], "groups_per_person": 2},
}
PERSONS: dict[str, Any] = {"relation": "add-remove", "n_max": 9, "person": ["id", "land"], "rows_per_person": 2}
STUDY: dict[str, Any] = {
    "format": 1,
    "dataset": "people",
    "relation": "change-one",
    "n": 4,
    "budget": 1,
    "data": "people.csv",
    "csv": {"delimiter": ";"},
    "columns": {"region": REGION},
    "statistic": [{"kind": "histogram", "column": "region", "epsilon": 1}],
}


class Hostile:
    """A value that answers no question."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __repr__(self) -> str:
        raise RuntimeError

    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError

    def __len__(self) -> int:
        raise RuntimeError


WRONG: list[Any] = [3, None, "abc", [1], {"x": 3}, object(), float("nan"), np.array([15, 100]), b"abc", Hostile()]
MORE: list[Any] = [
    0, -1, True, 1j, 10**400, float("inf"), "", "\0", "\ud800", "1e99999", [], ["a"], [None], ["a", "a"], [[1]], (1,),
    (1, 2), {1, 2}, range(2), {}, {"x": {}}, {3: 4}, {"region": {"kind": 3}}, [{}], [{"column": []}], object, len,
    [{"column": "region", "equals": []}], np.array([]), np.array(3), np.zeros((2, 2)), np.datetime64("2024-01-01"),
    pd.NA, pd.NaT, pd.Series([1, 2]), FRAME, iter([1, 2]),
]  # fmt: skip


OF_PERSONS = {"persons"}  # lines that need an account for persons


@pytest.fixture
def ledger(tmp_path, request):
    with snapdp.Ledger.create(tmp_path / "people.ledger") as book:
        if getattr(request.node, "callspec", None) and request.node.callspec.params.get("name") in OF_PERSONS:
            book.create_account("people", cap=10**9, relation="add-remove", rows=9, person=["age", "region"])
        else:
            book.create_account("people", cap=10**9, relation="change-one", rows=4)
        yield book


def bare(call: Callable[..., Any], arguments: dict[str, Any]) -> str:
    """Return the name of an error that is none of the family; nothing where the call is taken or refused."""
    try:
        call(**arguments)
    except SnapdpError as refusal:
        return "" if refusal.problem and refusal.advice else "a refusal without an advice"
    except Exception as error:
        return type(error).__name__
    return ""


def findings(call: Callable[..., Any], sound: dict[str, Any], names: Any, values: list[Any]) -> list[tuple[str, ...]]:
    assert bare(call, sound) == ""
    tried = [(name, value) for name in names for value in values]
    found = [(name, type(value).__name__, bare(call, {**sound, name: value})) for name, value in tried]
    return [each for each in found if each[-1]]


@pytest.mark.parametrize("name", LINES)
def test_a_wrong_argument_of_a_line_is_refused_with_an_advice(name, ledger):
    call, sound = getattr(snapdp, name), {**LINES[name], "epsilon": 1, "ledger": ledger}
    assert findings(call, sound, inspect.signature(call).parameters, WRONG) == []


@pytest.mark.long
@pytest.mark.parametrize("name", LINES)
def test_two_wrong_arguments_of_a_line_are_refused_with_an_advice(name, ledger):
    call, dice = getattr(snapdp, name), random.Random(name)
    names = list(inspect.signature(call).parameters)
    for _ in range(60):
        other = {dice.choice(names): dice.choice([*WRONG, *MORE])}
        sound = {**LINES[name], "epsilon": 1, "ledger": ledger, **other}
        if bare(call, sound) == "":
            assert findings(call, sound, names, dice.sample([*WRONG, *MORE], 5)) == [], other
    assert findings(call, {**LINES[name], "epsilon": 1, "ledger": ledger}, names, MORE) == []


def test_a_wrong_value_of_a_study_is_refused_with_an_advice():
    assert findings(snapdp.study, STUDY, STUDY, [*WRONG, *MORE]) == []
    for given in (*WRONG, *MORE):
        assert bare(snapdp.study, {"given": given}) == ""


def test_a_wrong_unit_of_a_study_or_an_account_is_refused_with_an_advice(ledger):
    rows = {key: each for key, each in STUDY.items() if key not in ("relation", "n")}
    for sound in (PERSONS, {"relation": "add-remove", "n_max": 9, "unit_rows": 3}):
        assert findings(snapdp.study, {**rows, **sound}, sound, [*WRONG, *MORE]) == []
    own = [{"kind": "count", "epsilon": 1, "rows_per_person": value} for value in (*WRONG, *MORE)]
    own += [{"kind": "persons", "by": "region", "epsilon": 1, "groups_per_person": value} for value in (*WRONG, *MORE)]
    assert [bare(snapdp.study, {**rows, **PERSONS, "statistic": [each]}) for each in own] == [""] * len(own)
    for name in ("person", "rows_per_person", "unit_rows"):
        for place, value in enumerate((*WRONG, *MORE)):
            told = {"name": f"{name} {place}", "cap": 1, "relation": "add-remove", "rows": 9, name: value}
            assert bare(ledger.create_account, told) == "", (name, value)


def test_a_wrong_argument_of_a_release_is_refused_with_an_advice(ledger):
    asked = {key: each for key, each in STUDY.items() if key not in ("data", "csv")}
    release = snapdp.study(**asked).release
    assert findings(release, {"table": FRAME, "ledger": ledger}, ("table", "ledger", "plan", "directory"), WRONG) == []


def test_a_function_that_lets_a_bare_error_out_is_noticed():
    def careless(where: Any = "1") -> int:
        return int(where)

    found = findings(careless, {"where": "1"}, ["where"], ["abc", [1]])
    assert found == [("where", "str", "ValueError"), ("where", "list", "TypeError")]
