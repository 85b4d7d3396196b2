"""One whole visit in a real browser: a plan from nothing, edited from both ends, released, and kept in the ledger."""

from __future__ import annotations

from tests.browser.driven import four_statistics, table, visiting


def test_a_plan_is_made_from_nothing_released_and_paid_for(tmp_path):
    table(tmp_path)
    with visiting(tmp_path, "--data", "people.csv", "--ledger", "people.ledger") as (visit, form, tab):
        assert tab.url == f"http://{visit.host}/"  # the token is gone from the address
        four_statistics(form)
        form.follows("p.total", "of a budget of 1")

        tab.locator("#add").click()
        form.follows("#why", "Kind of statistic 5: Please choose.")
        tab.get_by_role("button", name="Remove statistic 5").click()
        form.follows("p.total", "of a budget of 1")

        form.write("/statistic/0/accuracy", "3000")  # from the other end
        form.follows("p.total", "of a budget of 1")
        tab.get_by_role("button", name="Lock statistic 1").click()
        tab.locator('td.lock button[aria-pressed="true"]').wait_for()
        form.write("/statistic/2/epsilon", "0.3")
        form.follows("p.total", "epsilon 1 of a budget of 1")
        assert form.field("/statistic/0/accuracy").input_value() == "3000"

        tab.get_by_role("button", name="Open the account").click()
        form.follows("#account .key .free", "Left 1 of 1")
        tab.get_by_role("button", name="Release ...").click()
        form.follows("#release", "This costs epsilon 1")
        tab.get_by_role("button", name="Charge epsilon 1 and release").click()
        form.follows("#results", "Epsilon 1 was charged")
        assert tab.locator("#results table.numbers").count() >= 4
        value, interval = tab.locator("#results tbody tr").first.locator("td").all_inner_texts()
        assert value
        assert " to " in interval
        form.follows("#account .key .free", "Left 0 of 1")
        form.follows("#account .key .planned", "the same again is free")

        tab.reload()
        form.follows("#account .key .free", "Left 0 of 1")
        form.write("/statistic/2/epsilon", "0.25")
        form.follows("#account .key .planned", "more than is left")
        tab.get_by_role("button", name="Release ...").click()
        tab.locator("#release .refusal").wait_for()
        assert "0 left of 1" in tab.locator("#release .refusal").inner_text()
