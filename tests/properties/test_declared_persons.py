"""Persons that are told apart by declared values: on every engine, and from every source, as the definition says.

A column of the person that is declared as a date, a number or a boolean counts as its declared value; a row without
one names nobody. docs/theory/persons.md, (12).
"""

from __future__ import annotations

import datetime
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

import snapdp
from snapdp.audits import check_release
from snapdp.errors import ParameterError, PremiseError, SnapdpError
from snapdp.ledger.chain import canonical
from snapdp.release.release import exact_values
from snapdp.release.request import Request
from snapdp.studies.categories import boolean_column, compared, date_column, place_of
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.declarations import column_from, column_values
from snapdp.studies.plans.lines import ask
from snapdp.studies.plans.plan import plan
from snapdp.studies.protection import unit_in_words
from snapdp.studies.relation import add_remove, person_in, person_unit, with_identifiers
from snapdp.studies.statistics.counts import count_query, persons_query
from snapdp.tables.engines.opening import open_table

JANUARY = [f"2024-01-{day:02}" for day in range(1, 11)]
YEAR = {"start": "2024-01-01", "end": "2024-12-31"}
DECLARED = {
    **{each: date_column("part", each=each, **YEAR) for each in ("day", "week", "month", "year")},
    "integer": integer_column("part", lower=0, upper=9, step=3, missing="dropped"),
    "number": number_column("part", lower=0, upper=4, step="0.5", missing=2),
    "boolean": boolean_column("part"),
    "numbers": compared(category_column("part", categories=["1", "2.5", "10"]), "numbers"),
}
TEXTS = [
    "2024-01-01",
    "2024-01-31T23:59",
    " 2024-02-01 ",
    "2024-12-31",
    "2023-12-31",
    "2024-02-30",
    "1",
    "1.0",
    "01",
    "2.5",
]
TEXTS += ["10", "4", "-3", "99", "true", "YES", "no", "0", "", "x", "nan", "1e300"]


def value_of(column: Any, cell: str | None) -> Any:
    """Return the declared value of a cell of text, by the definition; None where it has none."""
    if not hasattr(column, "levels"):
        return None if cell is None else place_of(column, cell)
    try:
        number = float(cell) if cell is not None and "_" not in cell else float("nan")
    except ValueError:
        return None
    if number != number:
        return None
    levels = (max(min(number, float(column.upper)), float(column.lower)) - float(column.lower)) / float(column.step)
    return int(levels + 0.5)


def rows_kept(rows: list[tuple[str | None, str | None]], column: Any, most: int) -> tuple[int, int]:
    """Return how many persons there are, and how many rows of theirs are kept."""
    units = Counter((user, value_of(column, cell)) for user, cell in rows)
    named = {unit: size for unit, size in units.items() if None not in unit}
    return len(named), sum(min(size, most) for size in named.values())


def answered(data: Any, column: Any, most: int, **options: Any) -> tuple[int, int]:
    relation = with_identifiers(add_remove(n_max=10**6, person=["user", "part"], rows_per_person=most), [column])
    ((people,),), ((count,),) = exact_values(
        [persons_query(relation), count_query(relation)], open_table(data, **options)
    )
    return people, count


ROWS = st.lists(st.tuples(st.sampled_from(["ann", "bob", "7", None]), st.sampled_from([None, *TEXTS])), max_size=12)


@pytest.mark.parametrize("kind", DECLARED)
@given(rows=ROWS, most=st.integers(1, 3))
@settings(max_examples=8, deadline=None)
def test_persons_are_told_apart_by_declared_values_in_every_source(kind, rows, most):
    column, want = DECLARED[kind], None
    columns = {"user": [user for user, _ in rows], "part": [cell for _, cell in rows]}
    want = rows_kept(rows, column, most)
    assert answered(columns, column, most) == want
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        lines = [",".join("" if each is None else f'"{each}"' for each in row) for row in rows]
        path.write_text("\n".join(["user,part", *lines]) + "\n")
        assert answered(path, column, most) == want
        if kind not in ("integer", "number"):  # text by its schema is no number
            frame = pl.DataFrame(columns, schema={"user": pl.String, "part": pl.String})
            frame.write_parquet(f"{folder}/t.parquet")
            assert answered(frame, column, most) == answered(f"{folder}/t.parquet", column, most) == want


@given(days=st.lists(st.tuples(st.integers(0, 3), st.dates(datetime.date(2023, 12, 25), datetime.date(2025, 1, 5)))))
@settings(max_examples=8, deadline=None)
def test_a_stored_date_and_its_text_are_one_part_of_a_person(days):
    users, dates = [f"u{user}" for user, _ in days], [day for _, day in days]
    for each in ("week", "month"):
        want = rows_kept([(user, day.isoformat()) for user, day in zip(users, dates, strict=True)], DECLARED[each], 1)
        frame = pl.DataFrame({"user": users, "part": dates}, schema={"user": pl.String, "part": pl.Date})
        moments = frame.with_columns(pl.col("part").cast(pl.Datetime("us")) + pl.duration(hours=23))
        for table in (frame, moments, {"user": users, "part": dates}):
            assert answered(table, DECLARED[each], 1) == want


def test_a_thousand_users_on_ten_days_of_a_month_are_a_thousand_users_of_that_month():
    rows = [(f"u{user}", day) for user in range(1000) for day in JANUARY]
    table = {"user": [user for user, _ in rows], "part": [day for _, day in rows]}
    assert answered(table, DECLARED["month"], 1) == (1000, 1000)
    assert answered(table, DECLARED["day"], 1) == (10_000, 10_000)


# What is declared is what is promised


def study_of(part: dict[str, Any], **more: Any) -> Any:
    return snapdp.study(
        dataset="people",
        relation="add-remove",
        n_max=100,
        person=["user", "part"],
        columns={"part": part},
        statistic=[{"kind": "persons", "epsilon": 1, **more}],
    )


BY = {
    each: {"kind": "date", "from": "2024-01-01", "to": "2024-12-31", "each": each} for each in ("day", "week", "month")
}
ROW = {"user": ["ann", "ann", "bob"], "part": ["2024-01-01", "2024-01-02", "2024-02-01"]}


def test_an_account_holds_what_tells_persons_apart_and_takes_no_other_declaration(tmp_path):
    monthly, daily = study_of(BY["month"]), study_of(BY["day"])
    assert monthly.request().declaration != daily.request().declaration
    with snapdp.Ledger.create(tmp_path / "l.ledger") as book:
        book.create_account("people", cap=10, relation="add-remove", rows=100, unit=monthly.relation.unit_in_full)
        released = monthly.release(ROW, ledger=book, directory=tmp_path)
        with pytest.raises(PremiseError, match="declared of the columns that name a person"):
            daily.release(ROW, ledger=book, directory=tmp_path)
        assert book.account("people").spent == 1
        again = snapdp.persons(ROW, columns={"part": BY["month"]}, epsilon=1, ledger=book)
        assert book.account("people").spent == 1  # the same request
        assert again.value == released.values["persons"]


def test_a_unit_of_declared_values_is_read_back_and_told():
    for kind, column in DECLARED.items():
        unit = with_identifiers(add_remove(n_max=5, person=["user", "part"]), [column]).unit_in_full
        assert unit.startswith('person (["user","part"], declared ')
        assert person_in(unit) == ("user", "part"), kind
        assert unit_in_words(unit).startswith("user and part, as declared (")
        assert column_from(column_values(column)) == column
    text = category_column("part", categories=["a", "b"])
    assert with_identifiers(add_remove(n_max=5, person="part"), [text]).unit_in_full == person_unit("part")


def test_what_has_a_cell_for_rows_without_a_value_tells_no_persons_apart():
    for part in ({**BY["month"], "unknown": "binned"}, {"kind": "boolean", "null": "binned"}):
        with pytest.raises(SnapdpError, match="names nobody"):
            study_of(part)


def test_a_statistic_whose_column_names_persons_otherwise_is_refused():
    relation = add_remove(n_max=100, person=["user", "part"])
    asked = plan([ask(count_query(relation, by=DECLARED["month"]), epsilon=1)])
    with pytest.raises(ParameterError, match="do not tell persons apart"):
        Request(dataset="people", plan=asked)


def test_records_state_what_tells_persons_apart_and_the_checker_reads_it(tmp_path):
    study = study_of(BY["week"], by="part", groups_per_person=1)
    with snapdp.Ledger.create(tmp_path / "l.ledger") as book:
        book.create_account("people", cap=10, relation="add-remove", rows=100, unit=study.relation.unit_in_full)
        record = study.release(ROW, ledger=book, directory=tmp_path).record
    assert record["person_columns"] == [column_values(DECLARED["week"])]
    stated = json.loads(canonical(record))
    check_release.check_record(check_release.At(stated, "record"))
    for wrong in ([], [{**stated["person_columns"][0], "name": "other"}], [{**BY["day"], "name": "part"}], "part"):
        with pytest.raises(check_release.Refused):
            check_release.check_record(check_release.At({**stated, "person_columns": wrong}, "record"))
