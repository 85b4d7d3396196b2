"""A statistic that exists here only: one class and one line in the registry, and everything that statistics do works.

It is the sum of squares of a column. Nothing outside this file knows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import pytest
from click.testing import CliRunner

import snapdp
from snapdp.audits.release_audit import audit
from snapdp.cli.app import main
from snapdp.errors import ParameterError, SnapdpError
from snapdp.exact.numbers import parameter
from snapdp.release.result import load_record
from snapdp.studies.aggregates import Aggregate, Products
from snapdp.studies.columns import integer_column
from snapdp.studies.conditions import joined
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.parts import Numerator, Part, numbers_of
from snapdp.studies.statistics.registry import KINDS, statistic_class
from snapdp.studies.statistics.statistic import Detail, NumberDetail, Statistic
from snapdp.studies.study_file import study_from_values, study_to_toml
from snapdp.values import replaced


class SumOfSquares(Statistic):
    """The sum of unit * (x - lower)**2."""

    kind = "squares"
    takes = 1
    details: ClassVar[Mapping[str, Detail]] = {"unit": NumberDetail()}
    flag = "Sums of squares."

    unit: Fraction = Fraction(1)

    @classmethod
    def of(cls, column, *, relation, by=None, where=(), unit: Any = 1) -> Self:
        if by is not None:
            raise ParameterError("squares are not grouped.", "Leave out by.")
        columns, factor = (numbers_of(column, cls.kind),), parameter(unit, name="unit")
        return cls(columns=columns, relation=relation, where=joined(where), unit=factor)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        column = self.columns[0]
        square = column.levels**2
        numerator = Numerator(
            name="squares",
            sensitivity=square * self.relation.rows_per_person,
            lower=0,
            upper=self.relation.rows * square,
            factor=self.unit * column.step**2,
        )
        return (Part(numerator=numerator),)

    @property
    def aggregates(self) -> list[Aggregate]:
        column = self.columns[0]
        return [Products(first=column, second=column, where=self.tests, persons=self.persons)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        return (answers[0],)

    @property
    def stated(self) -> dict[str, Any]:
        return {"unit": self.unit}


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setitem(KINDS, SumOfSquares.kind, SumOfSquares)


VALUES = {
    "format": 1,
    "dataset": "people",
    "relation": "change-one",
    "n": 4,
    "columns": {"age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"}},
    "statistic": [{"kind": "squares", "column": "age", "unit": "1/2", "epsilon": "100"}],
}


@pytest.mark.usefixtures("registered")
def test_it_is_planned_written_read_released_and_audited(tmp_path):
    study = snapdp.study(VALUES)
    assert study.plan().lines[0].accuracy < 144 * 10
    assert study_from_values(VALUES) == study.declared
    text = study_to_toml(study.declared)
    assert 'unit = "1/2"' in text
    (tmp_path / "study.toml").write_text(text)
    assert snapdp.study(tmp_path / "study.toml") == study
    (tmp_path / "people.csv").write_text("age\n10\n20\n30\n40\n")
    with snapdp.Ledger.create(tmp_path / "people.ledger") as ledger:
        ledger.create_account("people", cap=100, relation="change-one", rows=4)
        released = study.release(tmp_path / "people.csv", ledger=ledger)
        found = audit(released.record, ledger)
    assert found.sound
    assert abs(released.values["squares(age)"] - 1500) < 144 * 20  # noise scale 14400/100/2 = 72: e**-40 to miss
    released.save(tmp_path / "record.json")
    record = load_record(tmp_path / "record.json")
    assert record["statistics"][0]["unit"] == "1/2"
    assert audit(record).sound
    files = ["--certificate", str(tmp_path / "c.json")]
    done = CliRunner().invoke(main, ["verify", str(tmp_path / "record.json"), *files])
    assert done.exit_code == 0, done.output
    assert "no certificate: the independent checker does not accept" in " ".join(done.output.split())
    assert not (tmp_path / "c.json").exists()  # the checker shares no code: it has not heard of this kind
    record["statistics"][0]["unit"] = "1/3"
    assert not audit(record).sound


@pytest.mark.usefixtures("registered")
def test_a_command_plans_it_from_a_study_file(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(study_to_toml(study_from_values(VALUES)))
    done = CliRunner().invoke(main, ["plan", str(path), "--json"])
    assert done.exit_code == 0, done.output
    assert "squares(age)" in done.output


@pytest.mark.usefixtures("registered")
def test_its_sensitivity_is_that_of_all_tables_of_two_rows():
    column = integer_column("x", lower=0, upper=3, missing="middle")
    for relation in (change_one(n=2), add_remove(n_max=2)):
        statistic = SumOfSquares.of(column, relation=relation)
        (part,) = statistic.parts
        totals = {(a, b): a * a + b * b for a in range(4) for b in range(4)}
        moved = max(abs(totals[a, b] - totals[c, b]) for a, b in totals for c in range(4))
        assert part.numerator.sensitivity == moved == 9
        assert part.numerator.upper == max(totals.values())


class Forgetful(SumOfSquares):
    """It asks about all rows, also where persons keep a few each."""

    kind = "forgetful"

    @property
    def aggregates(self) -> list[Aggregate]:
        return [replaced(each, persons=None) for each in super().aggregates]


class Careless(SumOfSquares):
    """It asks about all rows, also where conditions name some."""

    kind = "careless"

    @property
    def aggregates(self) -> list[Aggregate]:
        return [replaced(each, where=()) for each in super().aggregates]


class Short(SumOfSquares):
    """It has another number of values than of cells."""

    kind = "short"

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        return ([*answers[0], 0],)


@pytest.mark.parametrize(
    ("made", "words"),
    [(Forgetful, "other rows than"), (Careless, "other rows than"), (Short, "another number of values")],
)
def test_a_class_that_forgets_something_is_refused_before_the_charge(monkeypatch, tmp_path, made, words):
    monkeypatch.setitem(KINDS, made.kind, made)
    persons = {"relation": "add-remove", "n_max": 9, "person": "who", "rows_per_person": 1}
    values = {key: value for key, value in VALUES.items() if key not in ("relation", "n")} | persons
    asked = {"kind": made.kind, "column": "age", "where": [{"column": "age", "from": 3}], "epsilon": "1"}
    study = snapdp.study({**values, "statistic": [asked]})
    with snapdp.Ledger.create(tmp_path / "people.ledger") as ledger:
        ledger.create_account("people", cap=1, relation="add-remove", rows=9, unit="person (who, at most 1 rows)")
        with pytest.raises(SnapdpError, match=words):
            study.release({"age": [10, 20], "who": ["a", "b"]}, ledger=ledger)
        assert ledger.account("people").spent == 0


def test_a_class_that_lacks_a_facet_cannot_be_made():
    class Unfinished(Statistic):
        kind, takes = "unfinished", 0

    with pytest.raises(TypeError, match="abstract"):
        Unfinished(relation=change_one(n=2))


def test_an_unknown_kind_is_refused_wherever_it_is_named():
    with pytest.raises(SnapdpError, match="kind = 'squares' is not known"):
        statistic_class("squares")
    asked = {"kind": "squares", "column": "age", "epsilon": "1"}
    with pytest.raises(SnapdpError, match="kind = 'squares' is not known"):
        study_from_values({**VALUES, "statistic": [asked]})
