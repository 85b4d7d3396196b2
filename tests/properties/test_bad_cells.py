"""Cells that cannot be: each is refused in the same words by a study, by flags and in one line of Python, for nothing.

A category in two parents, a margin of a column that is not in by, shares that are not all of epsilon, persons in no
group, a key that stands twice, and more cells than can be released.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import snapdp
from snapdp.cli.app import main

TABLE = "id,town,sex\n1,Dover,f\n2,Deal,m\n"
TOWNS = ["Dover", "Deal", "Truro"]
TWO_PARENTS = {"county": {"Kent": ["Dover", "Deal"], "Cornwall": ["Deal", "Truro"]}}
MANY = [f"c{i}" for i in range(4000)]
SEX, TOWN = {"kind": "category", "categories": ["f", "m"]}, {"kind": "category", "categories": TOWNS}
MARGINS = {"by": ["town", "sex"], "margins": [["town"], []]}
BY_FLAGS = ["--by", "town,sex", "--categories", f"town={','.join(TOWNS)}", "--categories", "sex=f,m"]

Case = tuple[dict[str, Any], dict[str, Any], list[str], str]  # what is asked, columns, the same by flags; what is said
CASES: dict[str, Case] = {
    "a category in two parents": (
        {"kind": "count", "by": "town", "margins": "hierarchy"},
        {"town": {**TOWN, "parents": TWO_PARENTS}},
        [
            *("--count", "--by", "town", "--categories", ",".join(TOWNS), "--margins", "hierarchy"),
            *("--parents", "county:Kent=Dover,Deal;Cornwall=Deal,Truro"),
        ],
        "'Deal' is in two parents at level 'county' of column 'town': 'Kent' and 'Cornwall'.",
    ),
    "a margin of a column that is not in by": (
        {"kind": "count", "by": ["town", "sex"], "margins": [["age"]]},
        {"town": TOWN, "sex": SEX},
        ["--count", *BY_FLAGS, "--margins", "age"],
        "a margin names column 'age', which is not in by.",
    ),
    "shares that are not all of epsilon": (
        {"kind": "count", **MARGINS, "shares": ["1/2", "1/4"]},
        {"town": TOWN, "sex": SEX},
        ["--count", *BY_FLAGS, "--margins", "town;", "--shares", "1/2,1/4"],
        "the shares 1/4, 1/2 are not positive parts of 1: they add up to 3/4.",
    ),
    "persons in no group": (
        {"kind": "persons", "by": "sex", "groups_per_person": 0},
        {"sex": SEX},
        ["--persons", "--by", "sex", "--categories", "f,m", "--groups-per-person", "0"],
        "groups_per_person = 0",
    ),
    "a key that stands twice": (
        {"kind": "count", "by": "town", "keys": "keys.csv"},
        {},
        ["--count", "--by", "town", "--keys", "keys.csv"],
        "the key Dover stands twice in 'keys.csv', in rows 1 and 3.",
    ),
    "more cells than can be released": (
        {"kind": "count", "by": ["town", "sex"]},
        {"town": {**TOWN, "categories": MANY}, "sex": {**SEX, "categories": MANY}},
        [
            *("--count", "--by", "town,sex"),
            *("--categories", f"town={','.join(MANY)}", "--categories", f"sex={','.join(MANY)}"),
        ],
        "groups by town, sex: there are 16000000 cells, more than 10000000.",
    ),
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(TABLE)
    Path("keys.csv").write_text("town\nDover\nDeal\nDover\n")
    with snapdp.Ledger.create("people.ledger") as ledger:
        ledger.create_account("people", cap=10, relation="add-remove", rows=100, person="id")
    return tmp_path


def in_toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {in_toml(each)}' for key, each in value.items())}}}"
    return f"[{', '.join(map(in_toml, value))}]" if isinstance(value, list) else json.dumps(value)


def by_study(case: Case) -> str:
    asked, columns, _, _ = case
    rows = {"dataset": "people", "relation": "add-remove", "n_max": 100, "person": "id", "rows_per_person": 1}
    said = {"format": 1, **rows, "data": "people.csv", "columns": columns, "statistic": [{**asked, "epsilon": 1}]}
    Path("study.toml").write_text("".join(f"{key} = {in_toml(value)}\n" for key, value in said.items()))
    return by_command(["study.toml"])


def by_flags(case: Case) -> str:
    asked, _, flags, _ = case
    bound = [] if asked["kind"] == "persons" else ["--rows-per-person", "1"]
    return by_command(["people.csv", *flags, "--n-max", "100", "--person", "id", *bound, "--epsilon", "1"])


def by_command(words: list[str]) -> str:
    ledger = ["--ledger", "people.ledger", "--yes"]
    answer = CliRunner().invoke(main, ["release", *words, *ledger], env={"COLUMNS": "400"})
    assert answer.exit_code == 1, answer.output
    assert not answer.stdout
    return answer.stderr


def in_one_line(case: Case) -> str:
    asked, columns, _, _ = case
    said = {key: value for key, value in asked.items() if key != "kind"}
    bound = {} if asked["kind"] == "persons" else {"rows_per_person": 1}
    with pytest.raises(snapdp.SnapdpError) as refusal:
        getattr(snapdp, asked["kind"])(
            "people.csv", columns=columns, **said, **bound, epsilon=1, ledger="people.ledger"
        )
    return str(refusal.value)


@pytest.mark.parametrize("way", [by_study, by_flags, in_one_line])
@pytest.mark.parametrize("name", CASES)
def test_cells_that_cannot_be_are_refused_and_nothing_is_spent(name, way, place):
    before = Path("people.ledger").read_bytes()
    said = way(CASES[name])
    assert CASES[name][-1] in said
    assert "othing was" in said
    assert Path("people.ledger").read_bytes() == before
    assert sorted(path.name for path in place.iterdir()) == sorted(
        {"keys.csv", "people.csv", "people.ledger", *(["study.toml"] if way is by_study else [])}
    )
    with snapdp.Ledger.open("people.ledger") as ledger:
        assert ledger.account("people").spent == 0
