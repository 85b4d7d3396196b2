"""Releases on the page: what is shown before is what is refused and paid, and numbers come with what is to be known."""

from __future__ import annotations

import copy
import os

import pytest

from snapdp.ledger.ledger import Ledger
from tests.unit.web.pages import ROWS, STUDY, Page, workplace


def test_what_is_shown_before_is_what_a_release_does(new_page):
    before = new_page.write("/api/before", {"study": STUDY}).json
    assert (before["cost"], before["free"], before["remains_shown"]) == ("2/5", False, "0.6")
    assert before["sql"].startswith("SELECT")
    agreed = {"cost": before["cost"], "agreed": before["agreed"]}
    done = new_page.write("/api/release", {"study": STUDY, **agreed}).json
    assert (done["charged"], done["free"]) == ("2/5", False)
    again = new_page.write("/api/before", {"study": STUDY}).json
    assert (again["cost"], again["free"], again["remains_shown"]) == ("0", True, "0.6")
    for shown in (agreed, {"cost": again["cost"], "agreed": again["agreed"]}):  # the answer may have been lost
        repeated = new_page.write("/api/release", {"study": STUDY, **shown}).json
        assert (repeated["free"], repeated["blocks"]) == (True, done["blocks"])


OTHER = {
    "another column": {"statistic": [{**STUDY["statistic"][0], "column": "k"}, *STUDY["statistic"][1:]]},
    "another bound": {"columns": {**STUDY["columns"], "x": {**STUDY["columns"]["x"], "upper": 1001}}},
    "another share": {"statistic": [{**each, "epsilon": "2/15"} for each in STUDY["statistic"]]},
}


@pytest.mark.parametrize("name", OTHER)
def test_what_was_not_shown_is_not_charged_even_where_it_costs_as_much(page, name):
    shown = page.write("/api/before", {"study": STUDY}).json
    agreed = {"cost": shown["cost"], "agreed": shown["agreed"]}
    other = {**STUDY, **OTHER[name]}
    assert page.write("/api/before", {"study": other}).json["cost"] == shown["cost"]
    refused = page.write("/api/release", {"study": other, **agreed})
    assert (refused.status, refused.json["spent"]) == (409, "0")
    assert "not what was shown" in refused.json["error"]
    assert page.write("/api/plan", {"study": STUDY}).json["account"]["spent"] == "0"


def test_what_is_left_is_part_of_what_is_agreed_to(new_page):
    other = {**STUDY, "statistic": [{"kind": "mean", "column": "k", "epsilon": "1/10"}]}
    shown = new_page.write("/api/before", {"study": STUDY}).json
    assert new_page.release(other).status == 200  # in another tab
    refused = new_page.write("/api/release", {"study": STUDY, "cost": shown["cost"], "agreed": shown["agreed"]})
    assert (refused.status, refused.json["spent"]) == (409, "0")
    again = new_page.write("/api/before", {"study": STUDY}).json
    assert (again["left"], again["agreed"] == shown["agreed"]) == ("9/10", False)
    assert new_page.release(STUDY).json["charged"] == "2/5"


def test_the_dialog_says_which_account_is_charged_and_which_table_is_read(page):
    shown = page.write("/api/before", {"study": STUDY}).json
    assert (shown["account_shown"], shown["table_shown"]) == ("people", "people.csv")


def test_the_statement_is_shown_so_that_nothing_turns_it_round(page):
    study = copy.deepcopy(STUDY)
    study["columns"]["g"]["categories"] = ["a", "b\u202e')) THEN 0 ELSE"]
    shown = page.write("/api/before", {"study": study}).json
    assert "\u202e" in shown["sql"]
    assert "\u202e" not in shown["sql_shown"]
    assert shown["sql_shown"] == shown["sql"].replace("\u202e", "\\u202e")


def test_a_statistic_that_was_released_before_says_so_and_the_very_same_is_free(new_page):
    first = new_page.write("/api/plan", {"study": STUDY}).json
    assert (first["released_as"], {each["released"] for each in first["lines"]}) == (None, {None})
    number = new_page.release(STUDY).json["number"]
    same = new_page.write("/api/plan", {"study": {**STUDY, "title": "The same"}}).json
    assert (same["released_as"], {each["released"] for each in same["lines"]}) == (number, {None})
    assert new_page.write("/api/before", {"study": STUDY}).json["released"] == [None] * 3
    other = copy.deepcopy(STUDY)
    other["statistic"][2]["column"], other["columns"]["g"]["categories"] = "g", ["a", "b"]
    told = f"released in entry {number} with epsilon 0.2; it would be charged again"
    later = new_page.write("/api/plan", {"study": other}).json
    assert (later["released_as"], [each["released"] for each in later["lines"]][::2]) == (None, [told, None])
    assert new_page.write("/api/before", {"study": other}).json["released"] == [
        each["released"] for each in later["lines"]
    ]


def test_who_was_told_that_it_is_free_pays_nothing(tmp_path):
    page = Page(workplace(tmp_path))
    assert page.release(STUDY).status == 200
    assert page.write("/api/before", {"study": STUDY}).json["free"]
    rows = ["700,1,a", *ROWS[1:]]  # exported again meanwhile
    (tmp_path / "people.csv").write_text("\n".join(["x,k,g", *rows, ""]), encoding="utf-8")
    refused = page.release(STUDY, cost="0")
    assert (refused.status, refused.json["spent"]) == (409, "0")
    assert "not what was shown" in refused.json["error"]
    with Ledger.open(tmp_path / "people.ledger") as book:
        assert str(book.account("people").spent) == "2/5"
    page.close()


@pytest.mark.parametrize("cost", ["1/5", "1", "0.39"])
def test_another_cost_than_was_shown_is_refused(page, cost):
    refused = page.release(STUDY, cost=cost)
    assert (refused.status, refused.json["spent"]) == (409, "0")


@pytest.mark.parametrize(
    "changes", [{"n": 7}, {"dataset": "others"}, {"relation": "add-remove", "n": None, "n_max": 6}]
)
def test_what_a_release_would_refuse_is_refused_before(page, changes):
    study = {key: value for key, value in {**copy.deepcopy(STUDY), **changes}.items() if value is not None}
    before = page.write("/api/before", {"study": study})
    release = page.write("/api/release", {"study": study, "cost": "2/5", "agreed": ""})
    assert not before.json["ok"]
    assert before.json == release.json


def test_numbers_say_how_sure_their_intervals_are_and_what_is_to_be_known(new_page):
    study = copy.deepcopy(STUDY)
    study["statistic"][0]["alpha"] = "1/10"
    found = new_page.release(study).json
    assert [each["level"] for each in found["blocks"]] == ["90 %", "95 %", "95 %"]
    assert "The interval holds for each number by itself, not for all at once." in found["remarks"]


def test_a_ledger_that_is_gone_is_not_made_anew(tmp_path):
    page = Page(workplace(tmp_path))
    assert page.write("/api/plan", {"study": STUDY}).json["account"]["left"] == "1"
    (tmp_path / "people.ledger").rename(tmp_path / "moved.ledger")
    refused = page.write("/api/open", {"study": STUDY, "cap": "1"})
    assert (refused.status, "is gone" in refused.json["error"]) == (409, True)
    assert not (tmp_path / "people.ledger").exists()
    page.close()


def test_another_ledger_in_the_place_of_the_first_is_not_charged(tmp_path):
    page = Page(workplace(tmp_path))
    (tmp_path / "people.ledger").rename(tmp_path / "moved.ledger")
    workplace(tmp_path)
    for path, more in (
        ("/api/before", {}),
        ("/api/release", {"cost": "2/5", "agreed": ""}),
        ("/api/open", {"cap": "1"}),
    ):
        refused = page.write(path, {"study": STUDY, **more})
        assert (refused.status, "another ledger" in refused.json["error"]) == (409, True), path
    (tmp_path / "people.ledger").unlink()
    (tmp_path / "moved.ledger").rename(tmp_path / "people.ledger")
    assert page.write("/api/before", {"study": STUDY}).json["left"] == "1"
    page.close()


def test_a_file_beside_a_record_is_handed_out_as_it_was_released_or_not_at_all(tmp_path):
    page = Page(workplace(tmp_path))
    study = copy.deepcopy(STUDY)
    study["columns"]["g"]["categories"] = [f"c{number}" for number in range(1100)]
    found = page.release(study).json
    (name,) = found["beside"]
    asked = f"/api/file?dataset=people&number={found['number']}&name={name}"
    beside = tmp_path / name
    released = beside.read_bytes()
    assert page.read(asked).content == released
    beside.write_bytes(released[:-1] + b"?")
    assert "was altered" in page.read(asked).json["error"]
    beside.unlink()
    (tmp_path / "secret").write_text("cells", encoding="utf-8")
    beside.symlink_to(tmp_path / "secret")
    assert "was altered" in page.read(asked).json["error"]
    beside.unlink()
    os.mkfifo(beside)  # nobody ever writes there: whoever reads would wait
    assert "cannot be read" in page.read(asked).json["error"]
    page.close()


def test_half_a_character_in_a_name_is_refused_in_words(page):
    study = copy.deepcopy(STUDY)
    study["columns"]["x\udc00"] = study["columns"]["x"]
    found = page.write("/api/plan", {"study": study})
    assert (found.status, found.json["ok"]) == (400, False)
    assert found.content.isascii()


@pytest.mark.parametrize("cap", ["", " "])
def test_an_empty_cap_is_asked_for(tmp_path, cap):
    page = Page(workplace(tmp_path, cap=None))
    refused = page.write("/api/open", {"study": STUDY, "cap": cap})
    assert (refused.status, refused.json["error"]) == (400, "the cap is empty.")
    assert not (tmp_path / "people.ledger").exists()
    page.close()


def test_an_account_says_what_a_study_must_say_to_ask_it(page):
    found = page.write("/api/account", {"dataset": "people"}).json["account"]
    assert (found["terms"], found["left_shown"]) == ({"relation": "change-one", "n": 6}, "1")
    assert page.write("/api/account", {"dataset": "others"}).json["account"] is None


@pytest.mark.parametrize(
    ("changes", "field"), [({"n": 7}, "/n"), ({"relation": "add-remove", "n": None, "n_max": 6}, "/relation")]
)
def test_a_study_that_contradicts_its_account_says_at_which_field(page, changes, field):
    study = {key: value for key, value in {**copy.deepcopy(STUDY), **changes}.items() if value is not None}
    assert page.write("/api/plan", {"study": study}).json["account"]["contradicts"] == field


def test_what_is_declared_is_said_before_a_release_and_beside_its_numbers(new_page):
    study = copy.deepcopy(STUDY)
    study["columns"]["x"]["upper"] = "1.000"  # read as 1
    assert new_page.write("/api/before", {"study": study}).json["field"] == "/columns/x/lower"
    before = new_page.write("/api/before", {"study": STUDY}).json
    assert before["asked"][0] == {
        "title": "mean(x)",
        "says": ["x from 500 to 1,000", "missing cells of x count as 700"],
        "numbers": 1,
    }
    assert before["asked"][2]["numbers"] == 4
    assert "3 categories of g: a, b, c" in before["asked"][2]["says"]
    done = new_page.release(STUDY).json
    assert done["blocks"][0]["says"] == before["asked"][0]["says"]
    assert done["blocks"][2]["says"] == before["asked"][2]["says"][1:]


def test_groups_by_two_columns_stand_in_a_cross_table(new_page):
    study = copy.deepcopy(STUDY)
    study["columns"]["k"] |= {"edges": [0, 10, 40]}
    study["statistic"] = [{"kind": "count", "by": ["g", "k"], "epsilon": "1/5"}]
    (block,) = new_page.release(study).json["blocks"]
    cross = block["cross"]
    assert (cross["down"], cross["across"], cross["heads"]) == ("g", "k", ["[0, 10)", "[10, 40]"])
    names = [block["rows"][at]["name"] for row in cross["rows"] for at in row["places"]]
    assert names == [each["name"] for each in block["rows"]]


def test_a_spent_budget_is_refused_before_anything_is_read(tmp_path):
    page = Page(workplace(tmp_path, cap="1/3"))
    (tmp_path / "people.csv").write_text("x,k,g\nnot,three", encoding="utf-8")  # nobody gets as far as its rows
    for path, more in (("/api/before", {}), ("/api/release", {"cost": "2/5", "agreed": ""})):
        refused = page.write(path, {"study": STUDY, **more})
        assert (refused.status, refused.json["spent"]) == (409, "0")
        assert "has 1/3 left of 1/3" in refused.json["error"]
    page.close()
