"""Releases on the page: what is shown before is what is refused and paid, and numbers come with what is to be known."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from snapdp.ledger import Ledger
from tests.unit.web.pages import ROWS, STUDY, Page, workplace


def test_what_is_shown_before_is_what_a_release_does(new_page: Page):
    before = new_page.write("/api/before", {"study": STUDY}).json
    assert (before["cost"], before["free"], before["remains_shown"]) == ("2/5", False, "0.6")
    assert before["sql"].startswith("SELECT")
    done = new_page.write("/api/release", {"study": STUDY, "cost": before["cost"]}).json
    assert (done["charged"], done["free"]) == ("2/5", False)
    again = new_page.write("/api/before", {"study": STUDY}).json
    assert (again["cost"], again["free"], again["remains_shown"]) == ("0", True, "0.6")
    repeated = new_page.write("/api/release", {"study": STUDY, "cost": "0"}).json
    assert (repeated["free"], repeated["blocks"]) == (True, done["blocks"])


def test_who_was_told_that_it_is_free_pays_nothing(tmp_path: Path):
    page = Page(workplace(tmp_path))
    assert page.write("/api/release", {"study": STUDY, "cost": "2/5"}).status == 200
    assert page.write("/api/before", {"study": STUDY}).json["free"]
    rows = ["700,1,a", *ROWS[1:]]  # exported again meanwhile
    (tmp_path / "people.csv").write_text("\n".join(["x,k,g", *rows, ""]), encoding="utf-8")
    refused = page.write("/api/release", {"study": STUDY, "cost": "0"})
    assert (refused.status, refused.json["spent"]) == (409, "0")
    assert "not what was shown" in refused.json["error"]
    with Ledger.open(tmp_path / "people.ledger") as book:
        assert str(book.account("people").spent) == "2/5"
    page.close()


@pytest.mark.parametrize("cost", ["1/5", "1", "0.39"])
def test_another_cost_than_was_shown_is_refused(page: Page, cost: str):
    refused = page.write("/api/release", {"study": STUDY, "cost": cost})
    assert (refused.status, refused.json["spent"]) == (409, "0")


@pytest.mark.parametrize(
    "changes", [{"n": 7}, {"dataset": "others"}, {"relation": "add-remove", "n": None, "n_max": 6}]
)
def test_what_a_release_would_refuse_is_refused_before(page: Page, changes: dict[str, object]):
    study = {key: value for key, value in {**copy.deepcopy(STUDY), **changes}.items() if value is not None}
    before = page.write("/api/before", {"study": study})
    release = page.write("/api/release", {"study": study, "cost": "2/5"})
    assert not before.json["ok"]
    assert before.json == release.json


def test_numbers_say_how_sure_their_intervals_are_and_what_is_to_be_known(new_page: Page):
    study = copy.deepcopy(STUDY)
    study["statistic"][0]["alpha"] = "1/10"
    found = new_page.write("/api/release", {"study": study, "cost": "2/5"}).json
    assert [each["level"] for each in found["blocks"]] == ["90 %", "95 %", "95 %"]
    assert isinstance(found["remarks"], list)


def test_a_ledger_that_is_gone_is_not_made_anew(tmp_path: Path):
    page = Page(workplace(tmp_path))
    assert page.write("/api/plan", {"study": STUDY}).json["account"]["left"] == "1"
    (tmp_path / "people.ledger").rename(tmp_path / "moved.ledger")
    refused = page.write("/api/open", {"study": STUDY})
    assert (refused.status, "is gone" in refused.json["error"]) == (409, True)
    assert not (tmp_path / "people.ledger").exists()
    page.close()


def test_half_a_character_in_a_name_is_refused_in_words(page: Page):
    study = copy.deepcopy(STUDY)
    study["columns"]["x\udc00"] = study["columns"]["x"]
    found = page.write("/api/plan", {"study": study})
    assert (found.status, found.json["ok"]) == (400, False)
    assert found.content.isascii()


def test_a_spent_budget_is_refused_before_anything_is_read(tmp_path: Path):
    page = Page(workplace(tmp_path, cap="1/3"))
    (tmp_path / "people.csv").write_text("x,k,g\nnot,three", encoding="utf-8")  # nobody gets as far as its rows
    for path, more in (("/api/before", {}), ("/api/release", {"cost": "2/5"})):
        refused = page.write(path, {"study": STUDY, **more})
        assert (refused.status, refused.json["spent"]) == (409, "0")
        assert "has 1/3 left of 1/3" in refused.json["error"]
    page.close()


def test_a_plan_that_was_released_is_counted_once_among_all_that_was_charged(new_page: Page):
    assert new_page.write("/api/release", {"study": STUDY, "cost": "2/5"}).status == 200
    asked = {"study": STUDY, "place": 0}
    later = new_page.write("/api/consequence", asked).json["odds"][-1]
    paid = new_page.write("/api/consequence", {**asked, "paid": True}).json["odds"][-1]
    assert (later["epsilon"], paid["epsilon"]) == ("4/5", "2/5")
    assert paid["name"] == "all that was ever charged"


def test_what_is_declared_is_said_before_a_release_and_beside_its_numbers(new_page: Page):
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
    done = new_page.write("/api/release", {"study": STUDY, "cost": "2/5"}).json
    assert done["blocks"][0]["says"] == before["asked"][0]["says"]
    assert done["blocks"][2]["says"] == before["asked"][2]["says"][1:]


def test_groups_by_two_columns_stand_in_a_cross_table(new_page: Page):
    study = copy.deepcopy(STUDY)
    study["columns"]["k"] |= {"edges": [0, 10, 40]}
    study["statistic"] = [{"kind": "count", "by": ["g", "k"], "epsilon": "1/5"}]
    (block,) = new_page.write("/api/release", {"study": study, "cost": "1/5"}).json["blocks"]
    cross = block["cross"]
    assert (cross["down"], cross["across"], cross["heads"]) == ("g", "k", ["[0, 10)", "[10, 40]"])
    names = [block["rows"][at]["name"] for row in cross["rows"] for at in row["places"]]
    assert names == [each["name"] for each in block["rows"]]
