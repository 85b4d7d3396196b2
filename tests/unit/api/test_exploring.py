"""What a look asks for, what it has found, and the study that it leaves to edit."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest

import snapdp
from snapdp.api.exploration import Exploration, ExploredNumbers, exploring_values
from snapdp.api.study import study
from snapdp.errors import ParameterError
from snapdp.ledger.ledger import Ledger
from snapdp.studies.declarations import digest
from snapdp.studies.study_file import study_from_toml


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "l.ledger") as made:
        made.create_account("people", cap=1000, relation="add-remove", rows=5000)
        yield made


def look(table, ledger, columns, categories=None, **details):
    values = exploring_values(columns, categories or {}, **{"epsilon": 100, **details})
    looked = study(dataset="people", relation="add-remove", n_max=5000, **values)
    return Exploration(looked, looked.release(table, ledger=ledger))


def test_epsilon_is_shared_equally_and_every_column_is_asked_for_once():
    values = exploring_values(["a", "b", "c"], {"b": ["x", "y"]}, epsilon="0.2", alpha="0.1", outside="0.01")
    assert [(each["kind"], each["epsilon"], each["alpha"]) for each in values["statistic"]] == [
        ("magnitudes", "1/15", "0.1"),
        ("histogram", "1/15", "0.1"),
        ("magnitudes", "1/15", "0.1"),
    ]
    assert values["columns"]["b"] == {
        "kind": "category", "categories": ["x", "y"], "unknown": "binned", "null": "binned",
    }  # fmt: skip
    for columns in ([], ["a", "a"]):
        with pytest.raises(ParameterError):
            exploring_values(columns, {}, epsilon=1)
    with pytest.raises(ParameterError, match="epsilon"):
        exploring_values(["a"], {}, epsilon=0)


def test_what_was_found_is_read_from_the_record(ledger):
    table = {"a": [20.0] * 900 + [None] * 100, "b": ["x"] * 600 + ["?"] * 400}
    found = look(table, ledger, ["a", "b"], {"b": ["x"]}, exponents=(0, 10), outside="0.1")
    (numbers,) = found.numbers
    assert numbers.bounds == (16.0, 32.0)
    assert [(each.value, each.low, each.high) for each in numbers.quartiles] == [(24.0, 16.0, 32.0)] * 3
    assert (numbers.outside, numbers.alpha, numbers.epsilon) == (Fraction(1, 10), Fraction(1, 20), 50)
    assert abs(numbers.missing.value - 0.1) < 0.01  # epsilon 50: beyond a few rows by e**-100
    assert numbers.unreadable.value < 0.01
    (listed,) = found.categories
    assert [each.cell for each in listed.counts] == ["x", "(unknown)", "(null)"]
    assert found.digest == digest(found.release.to_json())
    assert found.digest in found.study_text()


def test_the_study_to_edit_is_one_with_the_bounds_that_were_found(ledger):
    table = {"a": [20.0, -3.0] * 500, "b": ["x", "y"] * 500}
    found = look(table, ledger, ["a", "b"], {"b": ["x", "y"]})
    written = study_from_toml(found.study_text(data="people.csv"))
    assert (written.column("a").lower, written.column("a").upper) == (-4, 32)
    assert (written.dataset, written.relation, written.data) == ("people", found.looked.relation, "people.csv")
    assert [each.statistic.title for each in written.asked] == ["mean(a)", "histogram(b)"]


def test_a_column_without_bounds_has_a_comment_and_no_declaration(ledger, monkeypatch):
    monkeypatch.setattr(ExploredNumbers, "is_text", False)  # which the noise decides at so small an epsilon
    found = look({"a": [1.0] * 50}, ledger, ["a"], epsilon="0.001", outside="0.001")
    text = found.study_text()
    assert "# a: no bounds were found at epsilon 0.001" in text
    assert "[columns" not in "\n".join(line for line in text.splitlines() if not line.startswith("#"))


def test_names_of_columns_do_not_leave_their_comment(ledger):
    name = "a\nb = 1 # \x1b[31m"
    for epsilon in ("0.001", 100):
        found = look({name: [1.0] * 1000}, ledger, [name], epsilon=epsilon)
        text = found.study_text()
        assert "\x1b" not in text
        assert not any(line.startswith("b = 1") for line in text.splitlines())
        assert (found.numbers[0].bounds is None) == (epsilon == "0.001")


def test_bounds_that_no_sum_could_take_are_told_and_not_declared(ledger):
    found = look({"a": [1e300] * 1000}, ledger, ["a"], exponents=(980, 1023))
    assert found.numbers[0].bounds is not None
    text = found.study_text()
    assert "# a: its bounds lie where no step is exact" in text
    assert 'kind = "number"' not in text


def test_a_share_and_a_confidence_without_a_short_percentage_are_told_as_fractions(ledger):
    found = look({"a": [20.0] * 900}, ledger, ["a"], outside="1/3", alpha="1/7")
    assert "# a: at most 1/3 of its numbers lie outside of the bounds, with confidence 1 - 1/7." in found.study_text()


def test_a_look_in_one_line_is_the_same_request_and_free_the_second_time(ledger):
    table = {"a": [20.0] * 900, "b": ["x"] * 900}
    looked = look(table, ledger, ["a", "b"], {"b": ["x"]}, exponents=(0, 10)).looked
    frame = pd.DataFrame(table)
    said = {"columns": ["a", "b"], "categories": {"b": ["x"]}, "exponents": (0, 10), "epsilon": 100}
    found = snapdp.explore(frame, ledger=ledger, **said)
    assert found.looked.request().declaration == looked.request().declaration
    assert snapdp.explore(frame, ledger=ledger, **said).release.free
    assert found.numbers[0].bounds == (16.0, 32.0)
    assert repr(found) == "look: epsilon 100\n  a: bounds from 16 to 32\n  b: 3 counts"
    assert study_from_toml(found.study_text()).column("a").upper == 32


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"columns": "a"}, "columns"),
        ({"columns": []}, "no column is named"),
        ({"columns": [1]}, "no name of a column"),
        ({"columns": ["a"], "categories": {"b": ["x"]}}, "which is not looked at"),
        ({"columns": ["a"], "categories": ["x"]}, "does not say of which column"),
        ({"columns": ["a"], "epsilon": None}, "what the look may cost"),
        ({"columns": ["a"], "rows_per_person": 2}, "the account protects rows"),
    ],
)
def test_a_look_in_one_line_that_says_too_little_is_refused_and_costs_nothing(ledger, said, message):
    with pytest.raises(ParameterError, match=message):
        snapdp.explore(pd.DataFrame({"a": [1.0]}), **{"epsilon": 1, "ledger": ledger, **said})
    with pytest.raises(ParameterError, match="one column is given"):
        snapdp.explore([1.0], columns=["a"], epsilon=1, ledger=ledger)
    assert ledger.account("people").left == 1000


def test_a_look_that_finds_nothing_leaves_a_study_also_where_the_number_of_rows_is_public(tmp_path):
    with snapdp.Ledger.create(tmp_path / "public.ledger") as book:
        book.create_account("people", cap=1, relation="change-one", rows=50)
        found = snapdp.explore({"a": [1.0] * 50}, columns=["a"], epsilon="0.001", ledger=book)
    assert found.numbers[0].bounds is None
    assert [each.statistic.kind for each in study_from_toml(found.study_text()).asked] == ["magnitudes"]
