"""People, groups and units: by study file, by flags and in Python alike, released, shown, audited, or refused."""

from __future__ import annotations

import json
import re
import shlex
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

import snapdp
from snapdp.audits import audit, check_release, release_certificate
from snapdp.cli.app import main
from snapdp.errors import PremiseError, SnapdpError
from snapdp.studies.reader import load_study, study_from_values
from tests.cli.conversing import refusals

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


def run(*arguments: str) -> Any:
    done = CliRunner().invoke(main, list(arguments))
    assert "broke" not in done.stderr
    return done


def say(line: str) -> Any:
    return run(*shlex.split(line))


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    VISITS.to_csv("visits.csv", index=False)
    for name, unit in {"person": "--person id", "several": "--person id,land", "rows": "--unit-rows 3"}.items():
        opened = f"ledger create {name}.ledger --dataset visits --cap 10000000 --relation add-remove --n-max 20 {unit}"
        assert say(opened).exit_code == 0
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
    done = say(f"release visits.csv --n-max 20 --epsilon {SURE} --yes --record r.json {line}")
    assert done.exit_code == 0, done.stderr
    return snapdp.load_release("r.json").values


# What is counted


def test_people_are_counted_once_and_rows_as_often_as_there_are():
    ledger = "--ledger person.ledger --person id"
    assert values(f"--persons {ledger}") == {"persons": 3}  # a row that names nobody is nobody's
    assert values(f"--count --rows-per-person 9 {ledger}") == {"count": 6}
    assert values(f"--count {ledger}") == {"count": 3}
    assert values(f"{GROUPED} --groups-per-person 2 {ledger}") == {"persons by region": {"north": 2, "south": 3}}
    assert values(f'--persons --where "minutes>=30" --bounds 0,60 --integer --missing dropped {ledger}'.replace(
        " --integer", "")) == {"persons where 30 <= minutes": 3}  # fmt: skip


def test_each_person_counts_in_at_most_so_many_groups():
    found = values(f"{GROUPED} --groups-per-person 1 --ledger person.ledger --person id")["persons by region"]
    assert sum(found.values()) == 3  # ann and bob, who were in both, are in one of them


def test_conditions_come_before_the_choice_of_groups_and_after_that_of_rows():
    """All of ann's rows in the south are late: with the condition she is there, in the one group that she counts in."""
    late = '--where "minutes>=25" --bounds 0,60 --missing dropped'
    ledger = "--ledger person.ledger --person id"
    found = values(f"{GROUPED} --groups-per-person 1 {late} {ledger}")
    assert sum(found["persons where 25 <= minutes by region"].values()) == 3
    rows = values(f"--count {late} {ledger}")["count where 25 <= minutes"]
    assert rows <= 3  # of the one row that each keeps, those that are late


def test_several_columns_name_a_person_together():
    ledger = "--ledger several.ledger"
    assert values(f"--persons --person id,land {ledger}") == {"persons": 4}  # ann of x and ann of y
    assert values(f"--persons --person id --person land {ledger}") == {"persons": 4}
    record = snapdp.load_release("r.json").record
    assert (record["person"], record["unit"]) == (["id", "land"], "person")


def test_statistics_of_one_study_keep_rows_of_their_own():
    asked = [{"kind": "count"}, {"kind": "sum", "column": "minutes", "rows_per_person": 9}, {"kind": "persons"}]
    made = study(PERSON, *({"epsilon": SURE, **each} for each in asked))
    result = made.release("visits.csv", ledger="person.ledger")
    assert result.values == {"count": 3, "sum(minutes)": 210, "persons": 3}
    assert [each.get("rows_per_person") for each in result.record["statistics"]] == [None, 9, None]
    sensitivities = [part["sensitivity"] for each in result.record["statistics"] for part in each["parts"]]
    assert sensitivities == ["1", "540", "1"]


def test_several_rows_together_make_the_noise_of_so_many():
    asked = {"kind": "sum", "column": "minutes"}
    plan = study(TOGETHER, asked).plan()
    (part,) = plan.lines[0].statistic.parts
    assert (part.numerator.sensitivity, part.steps) == (180, 3)
    result = study(TOGETHER, {**asked, "epsilon": SURE}).release("visits.csv", ledger="rows.ledger")
    assert result.values == {"sum(minutes)": 215}  # every row counts: nothing is enforced
    assert (result.record["unit"], result.record["unit_rows"]) == ("rows", 3)


# One request, however it is asked


def test_study_file_flags_and_one_line_are_one_request():
    study(PERSON, PEOPLE)
    Path("study.toml").write_text(_toml(PERSON, PEOPLE), encoding="utf-8")
    first = run("release", "study.toml", "--data", "visits.csv", "--ledger", "person.ledger", "--yes", "--json")
    flags = f"release visits.csv {GROUPED} --groups-per-person 2 --n-max 20 --person id --epsilon 1"
    second = say(f"{flags} --ledger person.ledger --yes --json")
    third = snapdp.persons(
        "visits.csv", by="region", groups=["north", "south"], groups_per_person=2, epsilon=1, ledger="person.ledger"
    )
    assert first.stdout == second.stdout == third.to_json() + "\n"
    assert third.free
    assert spent()[0] == 1


def test_a_bound_by_flags_and_in_one_line_is_that_of_the_study():
    sums = "--sum minutes --bounds 0,60 --integer --missing dropped --rows-per-person 2"
    first = say(f"release visits.csv {sums} --n-max 20 --person id --epsilon 1 --ledger person.ledger --yes --json")
    asked = {"column": "minutes", "bounds": (0, 60), "integer": True, "missing": "dropped", "rows_per_person": 2}
    second = snapdp.sum("visits.csv", **asked, epsilon=1, ledger="person.ledger")
    assert (second.to_json() + "\n", second.free) == (first.stdout, True)
    assert second.record["rows_per_person"] == 2
    assert "rows_per_person" not in second.record["statistics"][0]


def test_a_study_is_written_and_read_again():
    several = {**PERSON, "person": ["id", "land"]}
    for relation, asked in (
        (PERSON, [PEOPLE, {"kind": "persons"}, {"kind": "mean", "column": "minutes", "rows_per_person": 4}]),
        (several, [{"kind": "histogram", "column": "region", "rows_per_person": 2}]),
        (TOGETHER, [{"kind": "count", "by": "region"}]),
    ):
        Path("again.toml").write_text(_toml(relation, *asked), encoding="utf-8")
        assert load_study("again.toml") == study(relation, *asked).declared


def test_init_asks_who_a_person_is_and_in_how_many_groups_one_counts():
    """In brackets what is refused."""
    answers = "visits\ny\n[id,id]\nid, land\n[0]\n2\n20\n1\npeople\nregion\n1\nnorth,south\n\n[0]\n2\n"
    answers += "people by region\n9\ncount\n\n\nsave\n"
    done = CliRunner().invoke(main, ["init", "asked.toml"], input=re.sub(r"[][]", "", answers))
    assert done.exit_code == 0, done.stderr
    assert refusals(done.stderr) == answers.count("[") + 1
    told = " ".join(done.stderr.split())
    assert "groups_per_person = 9 is more than there are groups: 2." in told
    assert "This one is left out" in told
    found = load_study("asked.toml")
    assert (found.relation.person, found.relation.rows_per_person) == (("id", "land"), 2)
    assert [each.statistic.title for each in found.asked] == ["persons by region", "count"]
    several = "visits\nn\nn\n20\n1\n[people]\ncount\n\n\nsave\n"  # without a column that names them there are none
    done = CliRunner().invoke(main, ["init", "other.toml"], input=re.sub(r"[][]", "", several))
    assert (done.exit_code, refusals(done.stderr)) == (0, 1)


def test_columns_that_name_persons_are_a_list_or_a_tuple_in_python():
    assert study({**PERSON, "person": ("id", "land")}, PEOPLE) == study({**PERSON, "person": ["id", "land"]}, PEOPLE)
    with pytest.raises(SnapdpError, match="person is a list of other things"):
        study({**PERSON, "person": ("id", 3)}, PEOPLE)


def _toml(relation: dict[str, Any], *asked: dict[str, Any]) -> str:
    from snapdp.studies import study_to_toml

    return study_to_toml(study(relation, *asked).declared)


# What people see


def test_the_plan_says_how_persons_count_and_what_is_believed():
    told = say(f"plan {GROUPED} --groups-per-person 2 --n-max 20 --person id --epsilon 1").stdout
    assert "each person counts once in each of at most 2 groups" in " ".join(told.split())
    assert "Protects the presence of any one person (id), with all rows of that person" in " ".join(told.split())
    stray = say("plan --persons --n-max 20 --person id --rows-per-person 3 --epsilon 1")
    assert (stray.exit_code, "--persons counts each person once" in stray.stderr) == (2, True)
    told = say("plan --count --n-max 20 --person id --rows-per-person 3 --epsilon 1").stdout
    assert "count: at most 3 rows of each person count; rows beyond are left out of every number." in " ".join(
        told.split()
    )
    assert "within ± x of that of the rows that count: at most 3 of each person." in " ".join(told.split())
    told = say("plan --count --n-max 20 --unit-rows 30 --epsilon 1").stdout
    assert "snapdp cannot check that nobody has more than 30 rows." in " ".join(told.split())


def test_terminal_and_report_say_how_persons_count():
    line = f"{GROUPED} --groups-per-person 2 --count --person id --rows-per-person 2 --n-max 20 --epsilon 2"
    done = say(f"release visits.csv {line} --ledger person.ledger --yes --report report.html")
    assert done.exit_code == 0
    page = Path("report.html").read_text(encoding="utf-8")
    for text in (" ".join(done.stderr.split()), page):
        assert "persons by region: each person counts once in each of at most 2 groups, which do not add up." in text
        assert "count by region: at most 2 rows of each person count; rows beyond are left out of every number." in text
    assert "names persons; at most 2 rows of each count" in page
    assert "<h3>Number of rows that count by region</h3>" in page
    assert "<h3>Number of persons by region</h3>" in page
    assert "umber of rows by" not in page
    assert "This report protects the presence of any one person (id), with all rows of that person" in page


def test_the_report_and_the_premises_say_that_nothing_is_enforced():
    done = say("release visits.csv --count --n-max 20 --unit-rows 3 --epsilon 1 --ledger rows.ledger --yes "
               "--report report.html --record r.json")  # fmt: skip
    assert done.exit_code == 0
    assert "snapdp cannot check that nobody has more than 3 rows." in Path("report.html").read_text("utf-8")
    premise = next(each for each in audit(snapdp.load_release("r.json").record).premises if each.name == "unit")
    assert premise.why == "nobody has more than 3 rows: declared, and not enforced"


def test_ledger_show_names_the_unit():
    units = {"person": "person (id)", "several": 'person (["id","land"])', "rows": "3 rows"}
    for name, unit in units.items():
        (account,) = json.loads(say(f"ledger show {name}.ledger --json").stdout)["accounts"]
        assert account["unit"] == unit
    assert "3 rows" in say("ledger show rows.ledger").stdout


# Checked


@pytest.mark.parametrize(
    ("ledger", "relation", "asked"),
    [
        ("person", PERSON, [PEOPLE, {"kind": "persons"}, {"kind": "sum", "column": "minutes", "rows_per_person": 4}]),
        ("several", {**PERSON, "person": ["id", "land"]}, [PEOPLE]),
        ("rows", TOGETHER, [{"kind": "mean", "column": "minutes"}]),
    ],
)
@pytest.mark.parametrize("arithmetic", [None, "proved"])
def test_the_audit_and_the_checker_accept_what_was_released(ledger, relation, asked, arithmetic, place):
    declared = {**relation, **({} if arithmetic is None else {"arithmetic": arithmetic})}
    result = study(declared, *asked).release("visits.csv", ledger=f"{ledger}.ledger")
    with snapdp.Ledger.open(f"{ledger}.ledger") as book:
        found = audit(result.record, book, directory=place)
    assert found.findings == ()
    made = json.loads(json.dumps(release_certificate(result.record)))
    assert check_release.check(made) == []
    result.save("r.json")
    done = run("verify", "r.json", "--ledger", f"{ledger}.ledger", "--certificate", "c.json")
    assert done.exit_code == 0, done.stderr
    assert run("check", "c.json").exit_code == 0
    if arithmetic is not None:
        certificates = list(place.glob("snapdp-*.certificate.json"))
        assert certificates
        assert all(run("check", str(path)).exit_code == 0 for path in certificates)


@pytest.mark.parametrize("number", range(4))
def test_a_bound_that_was_changed_or_removed_is_refused_by_both(number):
    relation, asked, field, other = [
        (PERSON, PEOPLE, ("statistics", 0, "groups_per_person"), 1),
        (PERSON, {"kind": "count", "rows_per_person": 4}, ("statistics", 0, "rows_per_person"), 3),
        (PERSON, {"kind": "count", "rows_per_person": 4}, ("rows_per_person",), 4),
        (TOGETHER, {"kind": "count"}, ("unit_rows",), None),
    ][number]
    ledger = "rows.ledger" if relation is TOGETHER else "person.ledger"
    record = json.loads(study(relation, asked).release("visits.csv", ledger=ledger).to_json())
    inner = record
    for step in field[:-1]:
        inner = inner[step]
    if other is None:
        del inner[field[-1]]
    else:
        inner[field[-1]] = other
    assert not audit(record).sound
    assert check_release.check(release_certificate(record)) != []


# Accounts of before


def bounded(rows: int = 3) -> None:
    opened = "ledger create old.ledger --dataset visits --cap 9 --relation add-remove --n-max 20 --person id"
    assert say(f"{opened} --rows-per-person {rows}").exit_code == 0


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

BAD: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {  # study keys, statistic, flags, what is said
    "no group": (
        PERSON, {**PEOPLE, "groups_per_person": 0}, f"{GROUPED} --person id --groups-per-person 0",
        "groups_per_person = 0 is not a positive whole number",
    ),
    "more groups than there are": (
        PERSON, {**PEOPLE, "groups_per_person": 3}, f"{GROUPED} --person id --groups-per-person 3",
        "groups_per_person = 3 is more than there are groups: 2",
    ),
    "groups that are not said": (
        PERSON, {"kind": "persons", "by": "region"}, f"{GROUPED} --person id",
        "in how many groups a person counts at most is not said",
    ),
    "groups where there are none": (
        PERSON, {"kind": "persons", "groups_per_person": 1}, "--persons --person id --groups-per-person 1",
        "groups_per_person is given, and there are no groups",
    ),
    "persons without a column": (
        {"relation": "add-remove", "n_max": 20}, {"kind": "persons"}, "--persons", "no column names them",
    ),
    "persons of several rows together": (
        TOGETHER, {"kind": "persons"}, "--persons --unit-rows 3", "no column names them",
    ),
    "persons under change-one": (
        {"relation": "change-one", "n": 7}, {"kind": "persons"}, "--persons --n 7", "no column names them",
    ),
    "two units": (
        {**PERSON, "unit_rows": 3}, {"kind": "count"}, "--count --person id --unit-rows 3",
        "unit_rows = 3 and person are both given",
    ),
    "two units, one of them a row": (
        {**PERSON, "unit_rows": 1}, {"kind": "count"}, "--count --person id --unit-rows 1",
        "unit_rows = 1 and person are both given",
    ),
    "a unit of no rows": (
        {**TOGETHER, "unit_rows": 0}, {"kind": "count"}, "--count --unit-rows 0",
        "unit_rows = 0 is not a positive whole number",
    ),
    "a unit of rows under change-one": (
        {"relation": "change-one", "n": 7, "unit_rows": 3}, {"kind": "histogram", "column": "region"},
        "--histogram region --categories north,south --n 7 --unit-rows 3", "unit_rows belongs to add-remove",
    ),
    "a person column twice": (
        {**PERSON, "person": ["id", "id"]}, {"kind": "count"}, "--count --person id,id", "names a column twice",
    ),
    "a person column without a name": (
        {**PERSON, "person": ["id", ""]}, {"kind": "count"}, "--count --person id,", "person is empty",
    ),
    "no row of each person": (
        {**PERSON, "rows_per_person": 0}, {"kind": "count"}, "--count --person id --rows-per-person 0",
        "rows_per_person = 0 is not a positive whole number",
    ),
    "rows of persons without a column": (
        {"relation": "add-remove", "n_max": 20, "rows_per_person": 3}, {"kind": "count"}, "--count --rows-per-person 3",
        "rows_per_person = 3 needs the column that names the person",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bound_that_makes_no_sense_is_refused_by_study_file_and_flags_and_in_python_alike(name):
    relation, asked, flags, said = BAD[name]
    columns = {"region": REGION, "minutes": MINUTES}
    keys = {"format": 1, "dataset": "visits", **relation, "columns": columns, "statistic": [{"epsilon": 1, **asked}]}
    for declare in (lambda: study_from_values(keys), lambda: snapdp.study(keys), lambda: snapdp.study(**keys)):
        with pytest.raises(SnapdpError, match=re.escape(said)) as refused:
            declare()
        assert refused.value.advice
    Path("study.toml").write_text(_file(keys), encoding="utf-8")
    by_file = run("release", "study.toml", "--data", "visits.csv", "--ledger", "person.ledger", "--yes")
    rows = "" if "--n " in flags else "--n-max 20"
    by_flags = say(f"release visits.csv {flags} {rows} --epsilon 1 --ledger person.ledger --yes")
    for done in (by_file, by_flags):
        assert done.exit_code == 1
        assert said in " ".join(done.stderr.split())
        assert done.stdout == ""
    assert spent() == [0, 0, 0]


def _file(keys: dict[str, Any]) -> str:
    """Return keys as TOML, nonsense included: the writer would refuse it."""

    def value(each: Any) -> str:
        if isinstance(each, dict):
            return "{" + ", ".join(f"{key} = {value(one)}" for key, one in each.items()) + "}"
        return json.dumps(each)

    top = [f"{key} = {value(each)}" for key, each in keys.items() if key not in ("columns", "statistic")]
    tables = [f"[columns.{name}]\n" + "\n".join(f"{k} = {value(v)}" for k, v in column.items())
              for name, column in keys["columns"].items()]  # fmt: skip
    asked = ["[[statistic]]\n" + "\n".join(f"{k} = {value(v)}" for k, v in each.items()) for each in keys["statistic"]]
    return "\n".join([*top, *tables, *asked])


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


@pytest.mark.parametrize(
    "wrong",
    [
        {"groups_per_person": 0, "by": "region", "groups": ["north"]},
        {"groups_per_person": 2, "by": "region", "groups": ["north"]},
        {"by": "region", "groups": ["north"]},
        {"groups_per_person": 1},
    ],
)
def test_one_line_refuses_groups_that_make_no_sense(wrong):
    with pytest.raises(SnapdpError, match="group"):
        snapdp.persons(VISITS, **wrong, epsilon=1, ledger="person.ledger")
    assert spent() == [0, 0, 0]


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


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        ("--relation change-one --n 5 --unit-rows 3", 2),
        ("--relation change-one --n 5 --rows-per-person 3", 2),
        ("--relation add-remove --n-max 5 --unit-rows 0", 1),
        ("--relation add-remove --n-max 5 --unit-rows 3 --person id", 1),
        ("--relation add-remove --n-max 5 --person id,id", 1),
        ("--relation add-remove --n-max 5 --person id --person land --rows-per-person 2", 1),
        ("--relation add-remove --n-max 5 --rows-per-person 2", 1),
    ],
)
def test_an_account_of_a_unit_that_makes_no_sense_is_not_opened(flags, code):
    done = say(f"ledger create new.ledger --dataset d --cap 1 {flags}")
    assert done.exit_code == code, done.stderr
    if Path("new.ledger").exists():  # the file, without an account
        assert json.loads(say("ledger show new.ledger --json").stdout)["accounts"] == []


def test_a_name_with_a_flag_of_its_own_is_the_unit_as_it_stands():
    opened = ["ledger", "create", "spaces.ledger", "--dataset", "visits", "--cap", "1", "--relation", "add-remove"]
    assert run(*opened, "--n-max", "20", "--person", " id").exit_code == 0
    with snapdp.Ledger.open("spaces.ledger") as ledger:
        assert ledger.account("visits").unit == "person ( id)"
    assert run(*opened, "--n-max", "20", "--person", "\tid").exit_code == 1  # no unit has a tab, and none loses it


def test_people_see_a_person_of_several_columns_by_their_names_and_programs_the_unit():
    shown = CliRunner(env={"COLUMNS": "120"}).invoke(main, ["ledger", "show", "several.ledger"])
    assert "the presence of any one id and land, with all rows of that id and land" in shown.stdout
    (account,) = json.loads(say("ledger show several.ledger --json").stdout)["accounts"]
    assert account["unit"] == 'person (["id","land"])'
    asked = "release visits.csv --persons --n-max 20 --epsilon 1 --yes --ledger several.ledger"
    turned = say(f"{asked} --person land,id")
    told = " ".join(turned.stderr.split())
    assert (turned.exit_code, "unit = 'land and id'" in told, "'id and land'" in told) == (1, True, True)
    assert "Columns that name a person have an order" in told
    other = " ".join(say(f"{asked} --person id").stderr.split())
    assert "unit = 'person (id)'" in other
    assert "have an order" not in other
    assert spent() == [0, 0, 0]


def test_groups_per_person_belongs_to_persons():
    done = say("plan --count --n-max 5 --person id --groups-per-person 2 --epsilon 1")
    assert (done.exit_code, "--groups-per-person belongs to --persons" in done.stderr) == (2, True)
