"""People, groups and units: by study file, by flags and in Python alike, released or refused."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

import snapdp
from snapdp.cli.app import main
from snapdp.errors import PremiseError, SnapdpError
from snapdp.studies.study_file import study_from_values
from tests.cli.running import run

VISITS = pd.DataFrame(
    {
        "id": ["ann", "ann", "ann", "bob", "bob", "cy", None],
        "land": ["x", "x", "y", "x", "x", "x", "x"],
        "region": ["north", "north", "south", "north", "south", "south", "north"],
        "minutes": [10, 20, 30, 40, 50, 60, 5],
    }
)
MINUTES = {"kind": "integer", "lower": 0, "upper": 60, "missing": "dropped"}
REGION = {"kind": "category", "categories": ["north", "south"]}
PERSON = {"relation": "add-remove", "n_max": 20, "person": "id"}
TOGETHER = {"relation": "add-remove", "n_max": 20, "unit_rows": 3}
PEOPLE = {"kind": "persons", "by": "region", "groups_per_person": 2}
SURE = "1000000"  # an epsilon at which nothing is hidden: what is counted is seen
GROUPED = "--persons --by region --categories north,south"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    VISITS.to_csv("visits.csv", index=False)
    for name, unit in {"person": "--person id", "several": "--person id,land", "rows": "--unit-rows 3"}.items():
        opened = f"ledger create {name}.ledger --dataset visits --cap 10000000 --relation add-remove --n-max 20 {unit}"
        run(opened)
    return tmp_path


def spent() -> list[Fraction]:
    found = []
    for name in ("person", "several", "rows"):
        with snapdp.Ledger.open(f"{name}.ledger") as ledger:
            found.append(ledger.account("visits").spent)
    return found


def study(relation: dict[str, Any], *statistics: dict[str, Any]) -> Any:
    asked = [{"epsilon": "1", **each} for each in statistics]
    return snapdp.study(dataset="visits", columns={"region": REGION, "minutes": MINUTES}, statistic=asked, **relation)


def values(line: str) -> dict[str, Any]:
    """Return what a command publishes at an epsilon that hides nothing."""
    run(f"release visits.csv --n-max 20 --epsilon {SURE} --yes --record r.json {line}")
    return snapdp.load_release("r.json").values


# What is counted


# One request, however it is asked


def test_columns_that_name_persons_are_a_list_or_a_tuple_in_python():
    assert study({**PERSON, "person": ("id", "land")}, PEOPLE) == study({**PERSON, "person": ["id", "land"]}, PEOPLE)
    with pytest.raises(SnapdpError, match="person is a list of other things"):
        study({**PERSON, "person": ("id", 3)}, PEOPLE)


# Accounts that exist already


def bounded(rows: int = 3) -> None:
    opened = "ledger create old.ledger --dataset visits --cap 9 --relation add-remove --n-max 20 --person id"
    run(f"{opened} --rows-per-person {rows}")


def test_an_account_that_fixes_a_bound_takes_what_it_took():
    bounded()
    relation = {**PERSON, "rows_per_person": 3}
    result = study(relation, {"kind": "count"}).release("visits.csv", ledger="old.ledger")
    assert result.record["rows_per_person"] == 3
    for refused in (
        study(PERSON, {"kind": "count"}),
        study(relation, {"kind": "count", "rows_per_person": 2}),
        study(relation, PEOPLE),
        study({**relation, "person": ["id", "land"]}, {"kind": "count"}),
        study({**TOGETHER}, {"kind": "count"}),
    ):
        with pytest.raises(PremiseError, match="the account 'visits' was opened with 'person") as told:
            refused.release("visits.csv", ledger="old.ledger")
        assert "This account fixes rows_per_person = 3: no statistic says another bound" in told.value.advice
    with snapdp.Ledger.open("old.ledger") as ledger:
        assert ledger.account("visits").spent == 1
        ledger.verify()


def test_one_line_takes_the_bound_of_the_account_and_asks_for_one_where_it_fixes_none():
    bounded()
    about = {"column": "minutes", "bounds": (0, 60), "missing": "dropped", "epsilon": 1}
    assert snapdp.sum("visits.csv", **about, ledger="old.ledger").record["rows_per_person"] == 3
    with pytest.raises(SnapdpError, match="at most 2 rows"):
        snapdp.sum("visits.csv", **about, rows_per_person=2, ledger="old.ledger")
    with pytest.raises(SnapdpError, match="it is not said how many rows of each count"):
        snapdp.sum("visits.csv", **about, ledger="person.ledger")
    assert snapdp.sum("visits.csv", **about, rows_per_person=2, ledger="person.ledger").record["rows_per_person"] == 2


# Refused, whoever asks, and nothing is spent

BAD: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {  # study keys, statistic, what is said
    "no group": (
        PERSON,
        {**PEOPLE, "groups_per_person": 0},
        "groups_per_person = 0 is not a positive whole number",
    ),
    "more groups than there are": (
        PERSON,
        {**PEOPLE, "groups_per_person": 3},
        "groups_per_person = 3 is more than there are groups: 2",
    ),
    "groups that are not said": (
        PERSON,
        {"kind": "persons", "by": "region"},
        "in how many groups a person counts at most is not said",
    ),
    "groups where there are none": (
        PERSON,
        {"kind": "persons", "groups_per_person": 1},
        "groups_per_person is given, and there are no groups",
    ),
    "persons without a column": (
        {"relation": "add-remove", "n_max": 20},
        {"kind": "persons"},
        "no column names them",
    ),
    "persons of several rows together": (
        TOGETHER,
        {"kind": "persons"},
        "no column names them",
    ),
    "persons under change-one": (
        {"relation": "change-one", "n": 7},
        {"kind": "persons"},
        "no column names them",
    ),
    "two units": (
        {**PERSON, "unit_rows": 3},
        {"kind": "count"},
        "unit_rows = 3 and person are both given",
    ),
    "two units, one of them a row": (
        {**PERSON, "unit_rows": 1},
        {"kind": "count"},
        "unit_rows = 1 and person are both given",
    ),
    "a unit of no rows": (
        {**TOGETHER, "unit_rows": 0},
        {"kind": "count"},
        "unit_rows = 0 is not a positive whole number",
    ),
    "a unit of rows under change-one": (
        {"relation": "change-one", "n": 7, "unit_rows": 3},
        {"kind": "histogram", "column": "region"},
        "unit_rows belongs to add-remove",
    ),
    "a person column twice": (
        {**PERSON, "person": ["id", "id"]},
        {"kind": "count"},
        "names a column twice",
    ),
    "a person column without a name": (
        {**PERSON, "person": ["id", ""]},
        {"kind": "count"},
        "person is empty",
    ),
    "no row of each person": (
        {**PERSON, "rows_per_person": 0},
        {"kind": "count"},
        "rows_per_person = 0 is not a positive whole number",
    ),
    "rows of persons without a column": (
        {"relation": "add-remove", "n_max": 20, "rows_per_person": 3},
        {"kind": "count"},
        "rows_per_person = 3 needs the column that names the person",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bound_that_makes_no_sense_is_refused(name):
    relation, asked, said = BAD[name]
    columns = {"region": REGION, "minutes": MINUTES}
    keys = {"format": 1, "dataset": "visits", **relation, "columns": columns, "statistic": [{"epsilon": 1, **asked}]}
    with pytest.raises(SnapdpError, match=re.escape(said)) as refused:
        study_from_values(keys)
    assert refused.value.advice


def test_a_bound_that_makes_no_sense_is_refused_by_flags_and_nothing_is_spent():
    flags = f"{GROUPED} --person id --groups-per-person 3 --n-max 20 --epsilon 1 --ledger person.ledger --yes"
    done = run(f"release visits.csv {flags}", code=1)
    assert done.stdout == ""
    assert "groups_per_person = 3 is more than there are groups: 2" in " ".join(done.stderr.split())
    assert spent() == [0, 0, 0]


@pytest.mark.parametrize(
    "own", [{"rows_per_person": 0}, {"rows_per_person": "1/2"}, {"groups_per_person": 2}, {"unit_rows": 3}]
)
def test_a_statistic_says_a_bound_that_is_one_of_its_own(own):
    with pytest.raises(SnapdpError, match=next(iter(own))):
        study(PERSON, {"kind": "count", **own})
    with pytest.raises(SnapdpError, match="rows_per_person = 2 needs the column"):
        study(TOGETHER, {"kind": "count", "rows_per_person": 2})
    with pytest.raises(SnapdpError, match="rows_per_person"):
        study(PERSON, {"kind": "persons", "rows_per_person": 2})


def test_one_line_counts_persons_where_the_account_names_them():
    with pytest.raises(SnapdpError, match="the account protects rows"):
        snapdp.persons(VISITS, epsilon=1, ledger="rows.ledger")
    with pytest.raises(SnapdpError, match="rows_per_person is given, and the account protects rows"):
        snapdp.count(VISITS, rows_per_person=2, epsilon=1, ledger="rows.ledger")
    with pytest.raises(SnapdpError, match="in a table"):
        snapdp.persons(VISITS["id"], epsilon=1, ledger="person.ledger")
    with pytest.raises(SnapdpError, match="rows_per_person = 0"):
        snapdp.count(VISITS, rows_per_person=0, epsilon=1, ledger="person.ledger")
    assert spent() == [0, 0, 0]


def test_a_name_with_a_flag_of_its_own_is_the_unit_as_it_stands():
    opened = ["ledger", "create", "spaces.ledger", "--dataset", "visits", "--cap", "1", "--relation", "add-remove"]
    run(*opened, "--n-max", "20", "--person", " id")
    with snapdp.Ledger.open("spaces.ledger") as ledger:
        assert ledger.account("visits").unit == "person ( id)"
    run(*opened, "--n-max", "20", "--person", "\tid", code=1)  # no unit has a tab, and none loses it


def test_people_see_a_person_of_several_columns_by_their_names_and_programs_the_unit():
    shown = CliRunner(env={"COLUMNS": "120"}).invoke(main, ["ledger", "show", "several.ledger"])
    assert "the presence of any one id and land, with all rows of that id and land" in shown.stdout
    (account,) = json.loads(run("ledger show several.ledger --json").stdout)["accounts"]
    assert account["unit"] == 'person (["id","land"])'
    asked = "release visits.csv --persons --n-max 20 --epsilon 1 --yes --ledger several.ledger"
    turned = run(f"{asked} --person land,id", code=1)
    told = " ".join(turned.stderr.split())
    assert (turned.exit_code, "unit = 'land and id'" in told, "'id and land'" in told) == (1, True, True)
    assert "Columns that name a person have an order" in told
    other = " ".join(run(f"{asked} --person id", code=1).stderr.split())
    assert "unit = 'person (id)'" in other
    assert "have an order" not in other
    assert spent() == [0, 0, 0]


def test_groups_per_person_belongs_to_persons():
    done = run("plan --count --n-max 5 --person id --groups-per-person 2 --epsilon 1", code=2)
    assert "--groups-per-person belongs to --persons" in done.stderr
