"""What a look asks for, what it has found, and the study that it leaves to edit."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.api.exploring import Exploration, exploring_values
from snapdp.api.study import study
from snapdp.errors import ParameterError
from snapdp.ledger.ledger import Ledger
from snapdp.studies.declarations import digest
from snapdp.studies.reader import study_from_toml


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "l.ledger") as made:
        made.create_account("people", cap=1000, relation="add-remove", rows=5000)
        yield made


def look(table, ledger, columns, categories=None, **details):
    values = exploring_values(columns, categories or {}, **{"epsilon": 100, **details})
    looked = study(dataset="people", relation="add-remove", n_max=5000, **values)
    return looked, Exploration(looked.release(table, ledger=ledger))


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
    looked, found = look(table, ledger, ["a", "b"], {"b": ["x"]}, exponents=(0, 10), outside="0.1")
    (numbers,) = found.numbers
    assert numbers.bounds == (16.0, 32.0)
    assert [(each.value, each.low, each.high) for each in numbers.quartiles] == [(24.0, 16.0, 32.0)] * 3
    assert (numbers.outside, numbers.alpha, numbers.epsilon) == (Fraction(1, 10), Fraction(1, 20), 50)
    assert abs(numbers.missing.value - 0.1) < 0.01  # epsilon 50: beyond a few rows by e**-100
    assert numbers.unreadable.value < 0.01
    (listed,) = found.categories
    assert [each.cell for each in listed.counts] == ["x", "(unknown)", "(null)"]
    assert found.digest == digest(found.release.to_json())
    assert found.digest in found.study_text(looked)


def test_the_study_to_edit_is_one_with_the_bounds_that_were_found(ledger):
    table = {"a": [20.0, -3.0] * 500, "b": ["x", "y"] * 500}
    looked, found = look(table, ledger, ["a", "b"], {"b": ["x", "y"]})
    written = study_from_toml(found.study_text(looked, data="people.csv"))
    assert (written.column("a").lower, written.column("a").upper) == (-4, 32)
    assert (written.dataset, written.relation, written.data) == ("people", looked.relation, "people.csv")
    assert [each.statistic.title for each in written.asked] == ["mean(a)", "histogram(b)"]


def test_a_column_without_bounds_has_a_comment_and_no_declaration(ledger):
    looked, found = look({"a": [1.0] * 50}, ledger, ["a"], epsilon="0.001", outside="0.001")
    text = found.study_text(looked)
    assert "# a: no bounds were found at epsilon 0.001" in text
    assert "[columns" not in "\n".join(line for line in text.splitlines() if not line.startswith("#"))


def test_names_of_columns_do_not_leave_their_comment(ledger):
    name = "a\nb = 1 # \x1b[31m"
    for epsilon in ("0.001", 100):
        looked, found = look({name: [1.0] * 1000}, ledger, [name], epsilon=epsilon)
        text = found.study_text(looked)
        assert "\x1b" not in text
        assert not any(line.startswith("b = 1") for line in text.splitlines())
        assert (found.numbers[0].bounds is None) == (epsilon == "0.001")


def test_bounds_that_no_sum_could_take_are_told_and_not_declared(ledger):
    looked, found = look({"a": [1e300] * 1000}, ledger, ["a"], exponents=(980, 1023))
    assert found.numbers[0].bounds is not None
    text = found.study_text(looked)
    assert "# a: its bounds lie where no step is exact" in text
    assert 'kind = "number"' not in text
