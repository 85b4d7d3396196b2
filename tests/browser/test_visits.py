"""More visits in a real browser: two tabs, narrow and dark, every statistic, the keyboard alone, and many clicks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.driven import Form, Visit, browser, served, table
from tests.unit.api.test_consequence import COLUMNS, EVERYTHING, PERSONS

pytestmark = pytest.mark.long
PAGES = ("/", "/ledger", "/verify")
DRAFT = "Object.entries(sessionStorage).filter(([key]) => key.startsWith('snapdp draft')).map(([, study]) => study)[0]"


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[str]:
    """Return the address of a page on the demo's table, study and ledger."""
    from snapdp.cli.learn.demo import STUDY, people, table_text
    from snapdp.ledger import Ledger

    (tmp_path / "people.csv").write_text(table_text(people()), encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    with Ledger.create(tmp_path / "people.ledger") as ledger:
        ledger.create_account("people", cap=2, relation="change-one", rows=5000)
    with served(tmp_path, ["study.toml", "--ledger", "people.ledger"]) as address:
        yield address


def released(tab: Any) -> None:
    tab.get_by_role("button", name="Release ...").click()
    tab.locator("#release button.primary").click()
    tab.locator("#results table.numbers").first.wait_for()


def test_another_tab_sees_the_new_balance_when_it_is_looked_at(demo: str):
    with browser() as program:
        visit = Visit(program.new_context(), demo)
        other = visit.opened(f"http://{visit.host}/")
        Form(other).follows("#account .key .free", "Left 2 of 2")
        visit.tab.bring_to_front()
        released(visit.tab)
        other.bring_to_front()
        other.evaluate("window.dispatchEvent(new Event('focus'))")
        Form(other).follows("#account .key .free", "Left 1 of 2")
        visit.check()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [420, 1280])
def test_nothing_serious_stands_in_anybodys_way(demo: str, scheme: str, width: int):
    from axe_playwright_python.sync_playwright import Axe

    with browser() as program:
        context = program.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
        visit = Visit(context, demo)
        released(visit.tab)
        for path in PAGES:
            tab = visit.tab if path == "/" else visit.opened(f"http://{visit.host}{path}")
            tab.wait_for_load_state("networkidle")
            found = Axe().run(tab).response["violations"]
            serious = {
                each["id"]: each["nodes"][0]["html"] for each in found if each["impact"] in ("serious", "critical")
            }
            assert serious == {}, path
            assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path


def test_a_release_needs_no_mouse(demo: str):
    with browser() as program:
        visit = Visit(program.new_context(), demo)
        tab = visit.tab
        tab.locator("p.total").wait_for()

        def to(words: str) -> None:
            for _ in range(200):
                tab.keyboard.press("Tab")
                if words in tab.evaluate("document.activeElement.innerText ?? ''"):
                    return
            raise AssertionError(f"{words} cannot be reached by the keyboard")

        to("Release ...")
        tab.keyboard.press("Enter")
        tab.locator("#release button.primary").wait_for()
        tab.wait_for_function("document.activeElement.matches('#release button.primary')")
        tab.keyboard.press("Enter")
        tab.locator("#results table.numbers").first.wait_for()
        visit.check()


def test_no_plan_is_refused_without_a_word_and_a_way(tmp_path: Path):
    """A column that only a condition names lacks its rule for missing cells; nothing is chosen for anybody."""
    table(tmp_path)
    with served(tmp_path, ["--data", "people.csv"]) as address, browser() as program:
        visit = Visit(program.new_context(), address)
        form, tab = Form(visit.tab), visit.tab
        tab.get_by_label("Each person, who may have several rows").check()
        tab.locator("#add").click()
        form.choose("/statistic/0/kind", "count")
        form.choose("/person", "region")
        form.write("/n_max", "2.000")
        form.follows("#why", "Rows kept of each person")
        tab.get_by_role("button", name="Make it 2000").click()
        form.write("/rows_per_person", "1")
        tab.locator('tbody[data-row] summary:has-text("of statistic 1")').click()
        tab.get_by_role("button", name="Add a condition").click()
        form.choose("/statistic/0/where/0/column", "age")
        form.choose("/columns/age/kind", "integer")
        form.write("/columns/age/lower", "0")
        form.write("/columns/age/upper", "120")
        form.write("/statistic/0/where/0/from", "35")
        form.follows("#why", "Missing cells of age")
        tab.get_by_role("button", name="Done with age").click()
        tab.wait_for_function("document.activeElement.dataset.field === '/columns/age/missing'")
        assert form.field("/columns/age/missing").is_visible()
        tab.locator("#add").focus()
        tab.get_by_role("button", name="Go there").click()
        tab.wait_for_function("document.activeElement.dataset.field === '/columns/age/missing'")
        form.choose("/columns/age/missing", "dropped")
        form.follows("p.total", "epsilon 1 of a budget of 1")
        assert tab.locator("#why").is_hidden()
        visit.check()


def test_a_study_of_every_statistic_is_shown_imagined_and_released(tmp_path: Path):
    from snapdp.studies import study_from_values, study_to_toml

    lines = [{"epsilon": "1/2", **each} for each in EVERYTHING]
    values = {"version": 2, "dataset": "people", **PERSONS, "budget": 6, "data": "people.csv", "columns": COLUMNS}
    (tmp_path / "study.toml").write_text(study_to_toml(study_from_values({**values, "statistic": lines})), "utf-8")
    rows = [f"{at // 2},{at % 90},{at % 1000},{2 ** (at % 20)},{'ns'[at % 2]}orth,{'fm'[at % 2]}" for at in range(1500)]
    (tmp_path / "people.csv").write_text("\n".join(["id,age,pay,size,region,sex", *rows, ""]), encoding="utf-8")
    with served(tmp_path, ["study.toml"]) as address, browser() as program:
        visit = Visit(program.new_context(), address)
        form, tab = Form(visit.tab), visit.tab
        assert tab.locator("tbody[data-row]").count() == len(EVERYTHING)
        form.follows("p.total", "epsilon 5.5 of a budget of 6")
        before = tab.evaluate(DRAFT)
        for place in range(len(EVERYTHING)):
            form.field(f"/statistic/{place}/epsilon").focus()
            tab.locator(f"tbody[data-row].selected:nth-of-type({place + 1})").wait_for()
            tab.locator("#consequence svg").nth(3).wait_for()
        assert tab.evaluate(DRAFT) == before
        assert tab.locator(".fault:visible").count() == 0
        tab.get_by_role("button", name="Open the account").click()
        form.follows("#account .key .free", "Left 6 of 6")
        released(tab)
        assert tab.locator("#results table.numbers").count() >= len(EVERYTHING)
        visit.check()


def test_a_hundred_clicks_charge_once(demo: str):
    with browser() as program:
        visit = Visit(program.new_context(), demo)
        tab = visit.tab
        tab.get_by_role("button", name="Release ...").click()
        tab.locator("#release button.primary").wait_for()
        tab.evaluate("for (let n = 0; n < 100; n++) document.querySelector('#release button.primary')?.click()")
        tab.locator("#results table.numbers").first.wait_for()
        Form(tab).follows("#account .key .free", "Left 1 of 2")
        visit.check()
