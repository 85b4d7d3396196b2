"""Plans on the page: what an edit does to other lines, what comes back as it was typed, and forms for everything."""

from __future__ import annotations

import copy
import random
from fractions import Fraction
from typing import Any

import pytest

import snapdp
from snapdp.api.outline import study_values_of
from snapdp.studies.categories import BOOLEAN_WORDS, KIND_KEYS
from snapdp.studies.statistics.registry import KINDS
from snapdp.studies.study_file import study_from_values, study_to_toml
from snapdp.web.plans import COLUMNS, FIELDS, STATISTICS, forms
from tests.unit.audits.releases import random_study
from tests.unit.web.pages import STUDY, Page, workplace


def with_costs(*costs: Any, **more: Any) -> dict[str, Any]:
    """Return the study with other costs: an epsilon, or a table of keys."""
    study = copy.deepcopy({**STUDY, **more})
    for line, cost in zip(study["statistic"], costs, strict=True):
        line.pop("epsilon")
        line.update(cost if isinstance(cost, dict) else {"epsilon": cost})
    return study


def planned(page: Page, study: dict[str, Any], **how: Any) -> Any:
    return page.write("/api/plan", {"study": study, **how}).json


def epsilons(answer: Any) -> list[Fraction]:
    return [Fraction(each["epsilon"]) for each in answer["lines"]]


def test_the_form_of_yes_and_no_says_its_words():
    hints = {each["kind"]: each["hint"] for each in forms()["columns"]}
    assert BOOLEAN_WORDS in hints["boolean"]
    assert "ja and nein, are two categories" in hints["boolean"]
    assert hints.keys() == COLUMNS.keys()


# Edits


def test_the_others_share_what_an_edited_line_leaves_of_the_budget(page):
    found = planned(page, with_costs("1/2", "1/10", "3/10"), edited=0)
    assert epsilons(found) == [Fraction(1, 2), Fraction(1, 8), Fraction(3, 8)]
    assert found["total"] == "1"
    assert [each["epsilon"] for each in found["study"]["statistic"]] == ["1/2", "1/8", "3/8"]


def test_locked_lines_keep_theirs_and_what_did_not_change_stays_as_it_was_typed(page):
    study = with_costs("0.50", {"epsilon": "0.10", "lock": True}, "3/10")
    found = planned(page, study, edited=0)
    assert epsilons(found) == [Fraction(1, 2), Fraction(1, 10), Fraction(2, 5)]
    assert [each["epsilon"] for each in found["study"]["statistic"]] == ["0.50", "0.10", "2/5"]


def test_a_line_that_is_set_by_its_error_keeps_it_while_it_is_edited_and_has_an_epsilon_afterwards(page):
    study = with_costs("1/5", {"accuracy": "4"}, "1/10", n=6)
    found = planned(page, study, edited=1)
    own = epsilons(found)[1]
    assert found["study"]["statistic"][1] == study["statistic"][1]
    assert found["lines"][1]["meets_target"]
    again = planned(page, {**found["study"]}, edited=0)
    assert "accuracy" not in again["study"]["statistic"][1] or epsilons(again)[1] == own
    assert sum(epsilons(again)) == 1


def test_without_a_budget_and_without_an_edit_nothing_is_rescaled(page):
    study = with_costs("1/2", "1/10", "3/10")
    assert epsilons(planned(page, study)) == [Fraction(1, 2), Fraction(1, 10), Fraction(3, 10)]
    del study["budget"]
    assert epsilons(planned(page, study, edited=0)) == [Fraction(1, 2), Fraction(1, 10), Fraction(3, 10)]


def test_an_edit_that_leaves_nothing_for_the_others_is_shown_as_too_much(page):
    found = planned(page, with_costs("2", "1/10", "3/10"), edited=0)
    assert epsilons(found)[0] == 2
    assert found["over"]["epsilon"] == "7/5"
    fitted = planned(page, with_costs("2", "1/10", "3/10"), fit=True)
    assert (fitted["total"], fitted["over"]) == ("1", None)


def test_a_line_whose_error_cannot_be_promised_says_why_it_cannot_be_set_by_it(page):
    study = with_costs("1/5", "1/10", "1/10")
    study["statistic"][0] |= {"column": "k"}  # rows without it are left out: how many there are is private
    line, count, _ = planned(page, study)["lines"]
    assert (count["settable"], count["why_not"]) == (True, "")
    assert not line["settable"]
    assert "computed from a sum and a count" in line["why_not"]
    assert line["offer"].startswith("10 % more epsilon: ")


def test_how_the_account_stands_comes_with_the_plan(page):
    found = planned(page, with_costs("1/5", "1/10", "1/10"))["account"]
    assert (found["spent"], found["left"], found["affordable"], found["contradiction"]) == ("0", "1", True, "")
    other = planned(page, with_costs("1/5", "1/10", "1/10", n=7))["account"]
    assert "7" in other["contradiction"]
    nobody = planned(page, with_costs("1/5", "1/10", "1/10", dataset="others"))
    assert nobody["account"] is None


# Studies in and out


def test_a_study_file_is_opened_and_written_as_it_was(page):
    text = study_to_toml(study_from_values(STUDY))
    opened = page.write("/api/study", {"toml": text}).json["study"]
    copied = page.write("/api/copy", {"study": opened}).json
    assert copied["toml"] == text
    made: dict[str, Any] = {}
    exec(copied["python"].partition("# What follows charges")[0], made)
    assert made["study"].request() == snapdp.study(STUDY).request()


def test_where_the_rows_are_is_never_sent_and_never_taken(page):
    text = 'data = "/etc/passwd"\n' + study_to_toml(study_from_values(STUDY))
    opened = page.write("/api/study", {"toml": text}).json["study"]
    assert "data" not in opened
    assert page.write("/api/plan", {"study": {**STUDY, "data": "/etc/passwd"}}).status == 200


def test_whole_numbers_that_a_browser_would_round_are_sent_as_text(page):
    study = copy.deepcopy(STUDY)
    study["columns"]["k"] |= {"lower": 2**60 + 1, "upper": 2**60 + 41, "step": 1}
    opened = page.write("/api/study", {"toml": study_to_toml(study_from_values(study))}).json["study"]
    assert opened["columns"]["k"]["lower"] == str(2**60 + 1)
    assert opened["columns"]["x"]["upper"] == 1000
    assert study_from_values(opened) == study_from_values(study)


@pytest.mark.parametrize("seed", range(6))
def test_random_studies_are_planned_with_consequences_of_every_line(page, seed):
    study = random_study(random.Random(seed))
    values = study_values_of(study.declared)
    answer = page.write("/api/plan", {"study": values})
    if not answer.json["ok"]:
        assert answer.status == 400
        return
    assert [each["epsilon"] for each in answer.json["lines"]] == [str(each.epsilon) for each in study.plan().lines]
    for place in range(len(study.asked)):
        shown = page.write("/api/consequence", {"study": values, "place": place}).json
        assert shown["ok"], shown
        assert {*shown["pictures"]} == {"law", "odds", "interval", "curve"}


def test_names_of_columns_are_read_as_the_file_is_said_to_be_written(tmp_path):
    page = Page(workplace(tmp_path))
    (tmp_path / "people.csv").write_bytes("Größe;Ort\n1,5;a\n".encode("latin-1"))
    assert page.read("/api/state").json["data"]["columns"] == []
    found = page.write("/api/columns", {"csv": {"encoding": "latin-1", "delimiter": ";"}}).json["data"]
    assert [each["name"] for each in found["columns"]] == ["Größe", "Ort"]
    for wrong in ({"": None}, {"encoding": 7}, {"delimiter": "ab"}, {"more": 1}):
        told = page.write("/api/columns", {"csv": wrong})
        assert told.json["data"]["problem"]
        assert told.json["data"]["columns"] == []
    page.close()


# Accounts


def test_an_account_is_opened_from_the_study_in_a_new_ledger(tmp_path):
    page = Page(workplace(tmp_path, cap=None))
    assert not (tmp_path / "people.ledger").exists()
    found = page.write("/api/open", {"study": STUDY, "cap": "3/2"}).json
    assert (found["account"]["cap"], found["account"]["relation"], found["account"]["rows"]) == (
        "3/2",
        "change-one",
        6,
    )
    again = page.write("/api/open", {"study": STUDY, "cap": "3/2"})
    assert (again.status, again.json["ok"]) == (409, False)
    assert "exists already" in again.json["error"]
    page.close()


# Forms


def test_every_kind_and_every_key_of_the_library_has_a_field_in_words():
    assert [*STATISTICS] == [*KINDS]
    found = forms()
    keys = {key for each in (*found["statistics"], *found["columns"]) for key in each["keys"]}
    assert keys <= {*FIELDS}
    assert {each["kind"] for each in found["columns"]} == {*COLUMNS} == {"number", "integer", *KIND_KEYS}


# What a page can plan while somebody types

DAYS = {"kind": "date", "from": "1900-01-01", "to": "2170-12-31", "each": "day"}


def test_a_study_of_very_many_days_or_groups_is_refused_before_it_is_worked_on(page):
    days = {**STUDY, "columns": {**STUDY["columns"], **{f"d{place}": DAYS for place in range(60)}}}
    found = page.write("/api/plan", {"study": days})
    assert (found.status, "periods" in found.json["error"]) == (400, True)
    years = {**STUDY, "columns": {**STUDY["columns"], "d": {**DAYS, "each": "year"}}}
    assert page.write("/api/plan", {"study": years}).status == 200
    many = {name: {"kind": "category", "categories": [f"{name}{number}" for number in range(1001)]} for name in "uv"}
    asked = [{"kind": "count", "by": ["u", "v"], "epsilon": "1/10"}]
    found = page.write("/api/plan", {"study": {**STUDY, "columns": many, "statistic": asked}})
    assert (found.status, "more than 1000000 numbers" in found.json["error"]) == (400, True)


def test_rows_are_counted_without_declaring_a_column(new_page):
    study = {key: value for key, value in STUDY.items() if key not in ("columns", "n")}
    study |= {"relation": "add-remove", "n_max": 100, "dataset": "rows", "statistic": [{"kind": "count", "epsilon": 1}]}
    assert new_page.write("/api/plan", {"study": study}).json["lines"][0]["title"] == "count"
    toml = new_page.write("/api/copy", {"study": study}).json["toml"]
    assert "columns" not in toml
    assert new_page.write("/api/study", {"toml": toml}).json["ok"]
    assert new_page.write("/api/open", {"study": study, "cap": "1"}).json["ok"]
    found = new_page.release(study).json
    assert found["blocks"][0]["title"] == "count"


def test_a_plan_stays_as_typed_where_the_others_cannot_follow(page):
    """A huge error of one statistic would give a table with margins an epsilon of too many digits."""
    lines = [
        {"kind": "count", "accuracy": "1e9"},
        {"kind": "count", "by": ["g"], "margins": "all", "epsilon": "1/3"},
    ]
    study = {**STUDY, "relation": "add-remove", "n_max": 10**10, "statistic": lines}
    del study["n"]
    found = page.write("/api/plan", {"study": study, "edited": 0}).json
    assert [each["epsilon"] for each in found["study"]["statistic"][1:]] == ["1/3"]
    refused = page.write("/api/plan", {"study": study, "fit": True}).json
    assert refused["field"] in ("/statistic/0/epsilon", "/statistic/1/epsilon"), refused["error"]
