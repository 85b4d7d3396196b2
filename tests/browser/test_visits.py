"""More visits in a real browser: two tabs, narrow and dark, every statistic, the keyboard alone, and many clicks."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.browser.driven import Form, table, visiting
from tests.unit.api.test_consequence import COLUMNS, EVERYTHING, PERSONS

pytestmark = pytest.mark.long
PAGES = ("/", "/ledger", "/verify")
DRAFT = "Object.entries(sessionStorage).filter(([key]) => key.startsWith('snapdp draft')).map(([, study]) => study)[0]"


DEMO = ("study.toml", "--ledger", "people.ledger")


def demo_study(folder: Path) -> Path:
    """Write the demo's table, study and ledger."""
    from snapdp.cli.demo import STUDY, people, table_text
    from snapdp.ledger.ledger import Ledger

    (folder / "people.csv").write_text(table_text(people()), encoding="utf-8")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    with Ledger.create(folder / "people.ledger") as ledger:
        ledger.create_account("people", cap=2, relation="change-one", rows=5000)
    return folder


@pytest.fixture
def demo(tmp_path):
    with visiting(demo_study(tmp_path), *DEMO) as (visit, _, _):
        yield visit


def released(tab: Any) -> None:
    tab.get_by_role("button", name="Release ...").click()
    tab.locator("#release button.primary").click()
    tab.locator("#results table.numbers").first.wait_for()


def test_another_tab_sees_the_new_balance_when_it_is_looked_at(demo):
    other = demo.opened(f"http://{demo.host}/")
    Form(other).follows("#account .key .free", "Left 2 of 2")
    demo.tab.bring_to_front()
    released(demo.tab)
    other.bring_to_front()
    other.evaluate("window.dispatchEvent(new Event('focus'))")
    Form(other).follows("#account .key .free", "Left 1 of 2")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [420, 1280])
def test_nothing_serious_stands_in_anybodys_way(tmp_path, scheme, width):
    from axe_playwright_python.sync_playwright import Axe

    context = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme, "bypass_csp": True}
    with visiting(demo_study(tmp_path), *DEMO, **context) as (visit, _, first):
        released(first)
        for path in PAGES:
            tab = first if path == "/" else visit.opened(f"http://{visit.host}{path}")
            tab.wait_for_load_state("networkidle")
            found = Axe().run(tab).response["violations"]
            serious = [each for each in found if each["impact"] in ("serious", "critical")]
            assert {each["id"]: each["nodes"][0]["html"] for each in serious} == {}, path
            assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path


def test_a_release_needs_no_mouse(demo):
    tab = demo.tab
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
    to("Charge epsilon 1 and release")
    tab.keyboard.press("Enter")
    tab.locator("#results table.numbers").first.wait_for()


def test_no_plan_is_refused_without_a_word_and_a_way(tmp_path):
    """A column that only a condition names lacks its rule for missing cells; nothing is chosen for anybody."""
    table(tmp_path)
    with visiting(tmp_path, "--data", "people.csv") as (_, form, tab):
        tab.get_by_label("Each person, who may have several rows; a column names the person").check()
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
        form.follows("#why", "Open the account first")


def test_a_study_of_every_statistic_is_shown_imagined_and_released(tmp_path):
    from snapdp.studies.study_file import study_from_values, study_to_toml

    lines = [{"epsilon": "1/2", **each} for each in EVERYTHING]
    values = {"format": 1, "dataset": "people", **PERSONS, "budget": 6, "data": "people.csv", "columns": COLUMNS}
    (tmp_path / "study.toml").write_text(study_to_toml(study_from_values({**values, "statistic": lines})), "utf-8")
    rows = [f"{at // 2},{at % 90},{at % 1000},{2 ** (at % 20)},{'ns'[at % 2]}orth,{'fm'[at % 2]}" for at in range(1500)]
    (tmp_path / "people.csv").write_text("\n".join(["id,age,pay,size,region,sex", *rows, ""]), encoding="utf-8")
    with visiting(tmp_path, "study.toml") as (_, form, tab):
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


def test_a_hundred_clicks_charge_once(demo):
    tab = demo.tab
    tab.get_by_role("button", name="Release ...").click()
    tab.locator("#release button.primary").wait_for()
    tab.evaluate("for (let n = 0; n < 100; n++) document.querySelector('#release button.primary')?.click()")
    tab.locator("#results table.numbers").first.wait_for()
    Form(tab).follows("#account .key .free", "Left 1 of 2")


@pytest.fixture
def people(tmp_path):
    """Return a visit with a plan of two means that cost 0.2 each, and an account with epsilon 1."""
    with visiting(two_means(tmp_path), *DEMO) as (visit, form, _):
        form.follows("#account .key .free", "Left 1 of 1")
        yield visit


def two_means(folder: Path) -> Path:
    from snapdp.ledger.ledger import Ledger
    from snapdp.studies.study_file import study_from_values, study_to_toml

    number = {"kind": "integer", "missing": "dropped", "lower": 0}
    columns = {"age": {**number, "upper": 120}, "income": {**number, "upper": 5000}}
    lines = [{"kind": "mean", "column": each, "epsilon": "1/5"} for each in columns]
    study = {"format": 1, "dataset": "people", "relation": "change-one", "n": 500, "data": "people.csv"}
    (folder / "study.toml").write_text(
        study_to_toml(study_from_values({**study, "columns": columns, "statistic": lines})), encoding="utf-8"
    )
    table(folder)
    with Ledger.create(folder / "people.ledger") as ledger:
        ledger.create_account("people", cap=1, relation="change-one", rows=500)
    return folder


RELEASE, CHARGE = "Release ...", "#release button.primary"


def test_what_another_opening_of_the_dialog_asked_is_dropped(people):
    form, tab, held = Form(people.tab), people.tab, []
    tab.route("**/api/before", lambda route: held.append(route))
    tab.get_by_role("button", name=RELEASE).click()
    tab.wait_for_function("document.activeElement.id === 'release-title'")  # no button is pressed by a second Enter
    wait_until(lambda: len(held) == 1, tab)
    tab.keyboard.press("Escape")
    form.write("/columns/age/upper", "119")
    tab.get_by_role("button", name=RELEASE).click()
    wait_until(lambda: len(held) == 2, tab)
    with_answer(held[0])
    tab.wait_for_timeout(300)
    assert tab.locator(CHARGE).count() == 0
    assert tab.locator("#release pre").count() == 0
    held[1].continue_()
    form.follows("#release", "Charged to the account people. Read from people.csv.")
    assert tab.locator("#release pre").text_content().count("119") > 0


def with_answer(route: Any) -> None:
    """Let a request go on that may have been given up."""
    from playwright.sync_api import Error

    with suppress(Error):
        route.continue_()


def wait_until(test: Any, tab: Any) -> None:
    for _ in range(100):
        if test():
            return
        tab.wait_for_timeout(50)
    raise AssertionError("it did not happen")


def test_a_release_is_not_lost_by_closing_and_its_numbers_are_its_own(people):
    form, tab, held = Form(people.tab), people.tab, []
    tab.route("**/api/release", lambda route: held.append(route))
    tab.get_by_role("button", name=RELEASE).click()
    tab.locator(CHARGE).click()
    wait_until(lambda: len(held) == 1, tab)
    for _ in range(4):
        tab.keyboard.press("Escape")
        tab.wait_for_timeout(100)
    assert tab.evaluate("document.getElementById('release').open")
    held[0].continue_()
    form.follows("#results", "Epsilon 0.4 was charged")
    assert not tab.evaluate("document.getElementById('release').open")
    form.follows("#account .key .planned", "the same again is free")
    tab.reload()
    tab.get_by_role("button", name="Show its numbers").click()
    form.follows("#results h3", "mean(age)")


def test_the_look_is_gone_when_the_dialog_closes(people):
    tab, held = people.tab, []
    tab.route("**/api/inspect", lambda route: held.append(route))
    tab.get_by_role("button", name=RELEASE).click()
    tab.get_by_role("button", name="Look at how the cells are read").click()
    wait_until(lambda: len(held) == 1, tab)
    tab.keyboard.press("Escape")
    with_answer(held[0])
    tab.wait_for_timeout(500)
    assert tab.locator("#release").text_content() == ""


def test_a_release_without_an_answer_may_have_been_charged_and_is_asked_anew(people):
    form, tab = Form(people.tab), people.tab
    tab.get_by_role("button", name=RELEASE).click()
    tab.locator(CHARGE).wait_for()

    def lost(route: Any) -> None:
        route.fetch()  # charged, and nobody hears of it
        route.abort()

    tab.route("**/api/release", lost)
    tab.locator(CHARGE).click()
    form.follows("#release", "it may have been charged")
    form.follows("#release", "the same numbers again, free of charge")
    tab.unroute("**/api/release")
    tab.get_by_role("button", name="Get it again, free of charge").click()
    form.follows("#results", "Nothing was charged")
    form.follows("#account .key .free", "Left 0.6 of 1")
    people.complaints.clear()  # of the request that was lost


def test_what_was_released_before_is_marked_and_can_be_left_out(people):
    form, tab = Form(people.tab), people.tab
    released(tab)
    form.choose("/statistic/1/kind", "sum")
    form.follows(".said .mark", "Already released in entry 2 with epsilon 0.2; it would be charged again.")
    tab.get_by_role("button", name=RELEASE).click()
    form.follows("#release .repeated", "mean(age): released in entry 2 with epsilon 0.2")
    tab.locator("#release").get_by_role("button", name="Leave out mean(age)").click()
    form.follows("#release", "This costs epsilon 0.2. The ledger has 0.6 left")
    assert tab.locator("#release .repeated").count() == 0
    tab.locator(CHARGE).click()
    form.follows("#results h3", "sum(income)")


def test_another_tab_takes_from_the_account_whom_it_protects(tmp_path):
    two_means(tmp_path)
    with visiting(tmp_path, "--data", "people.csv", "--ledger", "people.ledger") as (_, form, tab):
        form.follows("fieldset.protection", "Fixed when the account people was opened.")
        form.follows("#account .key .free", "Left 1 of 1")
        assert (form.field("/n").input_value(), form.field("/n").is_disabled()) == ("500", True)
        form.write("/dataset", "others")
        tab.get_by_label("Each row; the number of rows is private").check()
        form.write("/n_max", "600")
        form.write("/dataset", "people")
        form.add("mean", "age")
        form.declare_numbers("age", "0", "120")
        form.follows("#why", "Who is protected?: The account says something else.")
        assert tab.get_by_role("button", name=RELEASE).is_disabled()
        form.follows("fieldset.protection .refusal", "Each row; the number of rows is public. Rows in the table: 500.")
        tab.get_by_role("button", name="Ask as the account says").click()
        form.follows("fieldset.protection", "Fixed when the account people was opened.")
        tab.locator("#why").wait_for(state="hidden")
        tab.get_by_role("button", name="Start again").click()
        assert tab.locator("tbody[data-row]").count() == 0
        tab.reload()
        tab.get_by_role("button", name="Bring back what was here").click()
        form.follows("tbody[data-row] .title", "mean(age)")


def test_the_way_to_a_first_release_is_said_and_an_empty_cap_is_asked_for(tmp_path):
    two_means(tmp_path)
    (tmp_path / "people.ledger").unlink()
    with visiting(tmp_path, "study.toml", "--ledger", "people.ledger") as (_, form, tab):
        form.follows("#why", "Cap: Open the account first")
        assert tab.get_by_role("button", name=RELEASE).is_disabled()
        tab.get_by_role("button", name="Go there").click()
        tab.wait_for_function("document.activeElement.dataset.field === '/cap'")
        tab.get_by_role("button", name="Open the account").click()
        form.follows("#account .refusal", "The cap is empty.")
        form.write("/cap", "1")
        tab.get_by_role("button", name="Open the account").click()
        form.follows("#account .key .free", "Left 1 of 1")
        tab.locator("#why").wait_for(state="hidden")


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


def test_what_to_write_goes_by_the_kind_of_the_field(demo):
    from snapdp.web.plans import forms

    tab = demo.tab
    asked = [*((field, "abc", words) for field, words in NUMBERS.items())]
    asked += [(field, text, words) for (field, text), words in MEANT.items()]
    for field, text, words in asked:
        assert tab.evaluate(ADVICE, [field, text, forms()]) == words, (field, text)
    read = [("/n", "5000"), ("/columns/age/upper", "1e5"), ("/columns/age/missing", "dropped"), ("/dataset", "abc")]
    for field, text in read:
        assert tab.evaluate(ADVICE, [field, text, forms()]) is None, (field, text)


def test_a_number_that_may_be_meant_in_thousands_is_asked_back_everywhere(tmp_path):
    table(tmp_path)
    with visiting(
        tmp_path, "--data", "people.csv", "--ledger", "people.ledger", viewport={"width": 1280, "height": 900}
    ) as (_, form, tab):
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
        until(tab, "document.activeElement.dataset.field === '/statistic/0/column'")
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


def test_the_other_end_follows_under_the_cursor(tmp_path):
    table(tmp_path)
    with visiting(tmp_path, "--data", "people.csv") as (_, form, tab):
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


def test_bounds_and_missing_cells_have_one_place_each(tmp_path):
    """While a column is filled in its declaration holds them, then the rows do; the card of columns leads there."""
    table(tmp_path)
    with visiting(tmp_path, "--data", "people.csv") as (_, form, tab):

        def held(key: str) -> tuple[int, int]:
            fields = f'select[data-field="/columns/age/{key}"], input[data-field="/columns/age/{key}"]'
            declared, in_rows = tab.locator(f".declaration :is({fields})"), tab.locator(f"tr:not(.about) :is({fields})")
            return declared.count(), in_rows.count()

        form.protect_rows(500)
        form.add("quantiles", "age")
        form.choose("/columns/age/kind", "number")
        form.write("/columns/age/lower", "0")
        form.write("/columns/age/upper", "120")
        form.choose("/columns/age/missing", "dropped")
        form.add("mean", "age")
        assert [held(key) for key in ("lower", "upper", "missing")] == [(1, 0), (1, 0), (1, 0)]
        assert tab.locator("td.bounds").all_inner_texts() == ["0 to 120", "0 to 120"]
        form.follows("#why", "Rounded to of age")
        form.write("/columns/age/step", "1")
        form.follows("p.total", "epsilon 1 of a budget of 1")
        tab.get_by_role("button", name="Done with age").click()
        assert [held(key) for key in ("lower", "upper", "missing")] == [(0, 2), (0, 2), (0, 2)]
        tab.locator("#columns > summary").click()
        tab.locator("#columns").get_by_role("button", name="Go there").click()
        until(tab, FOCUS.format("/columns/age/lower"))
        tab.locator('#columns [data-field="/columns/age/step"]').fill("")
        form.follows("#why", "Rounded to of age")
        assert tab.locator("#plan .declaration").count() == 1  # opened unasked: no field of a row goes away
        assert [held(key) for key in ("lower", "upper", "missing")] == [(0, 2), (0, 2), (0, 2)]


def test_a_histogram_of_categories_asks_for_no_bins(tmp_path):
    table(tmp_path)
    with visiting(tmp_path, "--data", "people.csv") as (_, form, tab):
        of_bins = [f'[data-field="/statistic/0/{key}"]' for key in ("edges", "outside", "missing")]
        form.add("histogram", "region")
        form.choose("/columns/region/kind", "integer")
        assert [tab.locator(each).count() for each in of_bins] == [1, 1, 1]
        form.choose("/columns/region/kind", "category")
        assert [tab.locator(each).count() for each in of_bins] == [0, 0, 0]


NAMES = "[...document.querySelectorAll('#column-names option')].map((each) => each.value).join()"
FOCUS = "document.activeElement.dataset.field === '{}'"


def semicolons(folder: Path) -> None:
    """Write the table with semicolons between its cells."""
    written = table(folder).read_text(encoding="utf-8")
    (folder / "people.csv").write_text(written.replace(",", ";"), encoding="utf-8")


def test_semicolons_between_the_names_are_asked_about_and_taken_by_one_click(tmp_path):
    """What was chosen of the only column is chosen anew, and the decimal sign is asked for at once."""
    semicolons(tmp_path)
    with visiting(tmp_path, "--data", "people.csv") as (_, form, tab):
        chosen = "document.querySelector('select[data-field=\"/statistic/0/column\"]').selectedOptions[0].text"
        assert tab.evaluate(NAMES) == "age;income;region"
        form.add("mean", "age;income;region")
        form.choose("/columns/age;income;region/kind", "integer")
        tab.get_by_role("button", name="There are semicolons between its cells").click()
        until(tab, FOCUS.format("/csv/decimal"))
        until(tab, f"{NAMES} === 'age,income,region'")
        assert tab.locator("#table-name .asked-back").count() == 0
        assert (tab.evaluate(chosen), tab.locator(".declaration").count()) == ("choose", 0)
        form.choose("/statistic/0/column", "age")
        form.choose("/columns/age/kind", "integer")
        for sign, told in (("|", "age (not in the table)"), (";", "age")):  # a slip costs nothing
            form.choose("/csv/delimiter", sign)
            until(tab, f"{chosen} === '{told}'")
            assert form.field("/columns/age/kind").input_value() == "integer"


def test_a_release_of_a_table_with_semicolons_is_refused_in_words_of_the_page(tmp_path):
    """The person is in no column, the name of the only column is typed; the button leads to the field that is named."""
    semicolons(tmp_path)
    with visiting(tmp_path, "--data", "people.csv", viewport={"width": 420, "height": 900}) as (_, form, tab):
        tab.get_by_label("Each person, who may have several rows; no column names the person").check()
        form.write("/unit_rows", "3")
        form.write("/n_max", "600")
        form.add("mean", "\n")  # another column ...
        form.write("/statistic/0/column", "age")
        form.field("/statistic/0/column").press("Tab")
        form.declare_numbers("age", "0", "120")
        tab.get_by_role("button", name="Open the account").click()
        form.follows("#account .key .free", "Left 1 of 1")
        tab.get_by_role("button", name=RELEASE).click()
        form.follows("#release .refusal", 'Are there semicolons between its cells? Choose them in "Between cells"')
        tab.locator("#release").get_by_role("button", name="Say how the file is written").click()
        until(tab, FOCUS.format("/csv/delimiter"))
        assert "Between cells" in tab.evaluate("document.activeElement.closest('.field').innerText")
        assert tab.locator("#study details[open] > summary").all_inner_texts() == ["How the file is written"]
        form.choose("/csv/delimiter", ";")
        until(tab, f"{NAMES} === 'age,income,region'")
        tab.get_by_role("button", name=RELEASE).click()
        tab.get_by_role("button", name="Look at how the cells are read").click()
        form.follows("#release", "For you alone")
        assert tab.locator("#release").evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
        tab.get_by_role("button", name="Cancel").click()
        released(tab)
