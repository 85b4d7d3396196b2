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


# Fields

NUMBERS = {  # every field of a number, what is no number in it, and what to write instead
    "/n": "Write a whole number, such as 5000.",
    "/budget": "Write a number above 0, such as 0.1 or 1/3.",
    "/statistic/0/epsilon": "Write a number above 0, such as 0.1 or 1/3.",
    "/statistic/0/accuracy": "Write a number above 0, such as 10 or 0.5.",
    "/columns/age/lower": "Write a number, such as 100 or 0.5.",
    "/columns/age/upper": "Write a number, such as 100 or 0.5.",
    "/columns/age/step": "Write a number, such as 100 or 0.5.",
    "/columns/age/missing": "Write a number between the bounds.",
    "/columns/age/edges": "Write numbers with commas between them, such as 0, 0.5, 100.",
    "/statistic/1/at": "Write numbers with commas between them, such as 0, 0.5, 100.",
    "/statistic/1/branching": "Write a whole number: 1, 2, 3, ...",
    "/statistic/1/rows_per_person": "Write a whole number: 1, 2, 3, ...",
    "/if_rows": "Write a whole number, such as 5000.",
}
MEANT = {  # in a field, and what is said
    ("/n", "5,000"): "Write 5000.",
    ("/n", "5'000"): "Write 5000.",
    ("/n", "1.234.567"): "Write 1234567.",
    ("/n", "1,5"): "Write a whole number, such as 5000.",
    ("/columns/age/upper", "100,000"): "Write 100000.",
    ("/columns/age/upper", "4.567,02"): "Write 4567.02.",
    ("/columns/age/upper", "1,234"): "Write 1234. If the comma is a decimal sign, write 1.234.",
    ("/columns/age/upper", "1,5"): "Write 1.5, with a point.",
    ("/statistic/0/epsilon", "0,5"): "Write 0.5, with a point.",
    ("/statistic/0/epsilon", "1,500"): "Write 1.5, with a point.",
    ("/statistic/0/epsilon", "0"): "Write a number above 0, such as 0.1 or 1/3.",
    ("/statistic/0/epsilon", "-1"): "Write a number above 0, such as 0.1 or 1/3.",
}
ADVICE = """async ([field, text, forms]) => {
    const { toWrite } = await import("/static/words.js");
    const value = /edges|at$/.test(field) ? [0, text] : text;
    const age = { kind: "number" };
    const study = { columns: { age }, statistic: [{ kind: "sum" }, { kind: "quantiles" }] };
    const names = field.split("/").slice(1);
    names.slice(0, -1).reduce((held, name) => held[name], study)[names.at(-1)] = value;
    return toWrite(field, { study, state: { forms }, ifRows: text });
}"""
DOUBLED = """() => {
    const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
    return ids.filter((id, place) => ids.indexOf(id) !== place);
}"""


def until(tab: Any, expression: str) -> None:
    """Wait until something is so on the page, whose own rules let it evaluate nothing itself."""
    for _ in range(200):
        if tab.evaluate(expression):
            return
        tab.wait_for_timeout(50)
    raise AssertionError(expression)


def test_what_to_write_goes_by_the_kind_of_the_field(demo: str):
    from snapdp.web.forms import forms

    with browser() as program:
        tab = Visit(program.new_context(), demo).tab
        asked = [*((field, "abc", words) for field, words in NUMBERS.items())]
        asked += [(field, text, words) for (field, text), words in MEANT.items()]
        for field, text, words in asked:
            assert tab.evaluate(ADVICE, [field, text, forms()]) == words, (field, text)
        read = [("/n", "5000"), ("/columns/age/upper", "1e5"), ("/columns/age/missing", "dropped"), ("/dataset", "abc")]
        for field, text in read:
            assert tab.evaluate(ADVICE, [field, text, forms()]) is None, (field, text)


def test_a_number_that_may_be_meant_in_thousands_is_asked_back_everywhere(tmp_path: Path):
    table(tmp_path)
    with served(tmp_path, ["--data", "people.csv", "--ledger", "people.ledger"]) as address, browser() as program:
        visit = Visit(program.new_context(viewport={"width": 1280, "height": 900}), address)
        form, tab = Form(visit.tab), visit.tab
        form.protect_rows(500)
        form.add("histogram", "income")
        form.choose("/columns/income/kind", "integer")
        form.write("/columns/income/lower", "0")
        form.write("/columns/income/upper", "20.000")
        form.choose("/columns/income/missing", "number")
        form.follows(".fault.asking", "Please fill this in.")  # the number, in blue, at itself
        assert tab.locator("input.asked").first.get_attribute("data-field") == "/columns/income/missing/number"
        form.write("/columns/income/missing/number", "1.000")
        form.follows(".asked-back", "20.000 is read as 20; the point is a decimal sign.")
        tab.get_by_role("button", name="Make it 20000").first.click()
        tab.get_by_role("button", name="Make it 1000").first.click()
        tab.locator("#columns > summary").click()
        assert tab.evaluate(DOUBLED) == []
        tab.get_by_role("button", name="Done with income").first.click()
        assert tab.evaluate("document.activeElement.dataset.field") == "/statistic/0/column"
        assert tab.locator("input.asked").first.get_attribute("data-field") == "/statistic/0/edges"
        form.write("/statistic/0/edges", "0, 5.000, 20000")
        form.follows(".asked-back", "5.000 is read as 5;")
        tab.get_by_role("button", name="Make it 5000").first.click()
        tab.get_by_role("button", name="Add a condition").click()
        form.follows(".fault.asking", "Please choose.")
        assert tab.locator("select.asked").first.get_attribute("data-field") == "/statistic/0/where/0/column"
        tab.get_by_role("button", name="Remove condition 1").click()
        form.write("/statistic/0/epsilon", "0.30059")
        form.follows("p.total", "epsilon 0.30059")
        for pointer in ("/columns/income/upper", "/statistic/0/epsilon"):
            field = form.field(pointer)
            if pointer.endswith("upper"):
                field.fill("1000000")
            assert field.evaluate("field => field.scrollWidth <= field.clientWidth"), pointer
        field = form.field("/columns/income/upper")
        field.fill("20000")
        form.write("/cap", "1.000")
        form.follows("#account .asked-back", "1.000 is read as 1;")
        form.write("/cap", "1")
        tab.get_by_role("button", name="Open the account").click()
        form.follows("#account .key .free", "Left 1 of 1")
        tab.get_by_role("button", name="Release ...").click()
        form.follows("#release", "2 bins of income with the edges 0, 5,000 and 20,000")
        tab.locator("#release button.primary").click()
        form.follows("#results", "rows without income are in no bin")
        visit.check()


def test_the_other_end_follows_under_the_cursor(tmp_path: Path):
    table(tmp_path)
    with served(tmp_path, ["--data", "people.csv"]) as address, browser() as program:
        visit = Visit(program.new_context(), address)
        form, tab = Form(visit.tab), visit.tab
        tab.get_by_label("Each row; the number of rows is private").check()
        form.write("/n_max", "500")
        tab.locator("#add").click()
        form.choose("/statistic/0/kind", "count")  # rows are counted without any column
        form.follows("p.total", "epsilon 1 of a budget of 1")
        value = "document.querySelector('[data-field=\"/statistic/0/{}\"]').value"
        form.field("/statistic/0/epsilon").focus()
        tab.keyboard.press("ControlOrMeta+a")
        tab.keyboard.type("0.1")
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.dataset.field") == "/statistic/0/accuracy"
        until(tab, f"{value.format('accuracy')} === '30'")
        tab.keyboard.type("15")  # all of it was selected, and still is
        tab.keyboard.press("Shift+Tab")
        until(tab, f"!['0.1', '1', ''].includes({value.format('epsilon')})")
        assert tab.evaluate(value.format("accuracy")) == "15"
        tab.keyboard.press("Tab")
        tab.keyboard.press("ControlOrMeta+a")
        tab.keyboard.type("1e9")
        form.follows("p.total", "of a budget of 1")
        visit.check()
