"""Releases of tables with margins: what is adjusted is the least squares solution, adds up, and is checked twice."""

from __future__ import annotations

import contextlib
import copy
import json
import random
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import snapdp
from snapdp.audits import check_release
from snapdp.audits.release_audit import audit, is_sound, release_certificate
from snapdp.display.numbers import four_digits_up
from snapdp.errors import BoundError, DataError, ParameterError
from snapdp.exact.dyadic import floor_log10
from snapdp.randomness.bits import RecordedBits
from snapdp.release import release as engine
from snapdp.release.record import checked
from snapdp.release.result import Release, load_release

F = Fraction
LISTS: dict[str, list[Any]] = {"region": ["north", "south", "east"], "sex": ["f", "m"], "age": ["young", "old"]}
EVERY = {"unknown": "binned", "null": "binned"}
COLUMNS: dict[str, Any] = {
    **{name: {"kind": "category", "categories": listed} for name, listed in LISTS.items()},
    "pay": {"kind": "number", "lower": -2, "upper": 10, "step": "1/2", "missing": "dropped"},
    "years": {"kind": "integer", "lower": 0, "upper": 9, "missing": 4},
    "smokes": {"kind": "boolean", **EVERY},
    "full": {"kind": "category", "categories": ["x", "y"], **EVERY},
    "many": {"kind": "category", "categories": [f"key {i}" for i in range(600)]},
}
DICE = random.Random(7)
ROWS: dict[str, list[Any]] = {
    **{name: [DICE.choice([*listed, "?", None]) for _ in range(60)] for name, listed in LISTS.items()},
    "pay": [DICE.choice([None, *range(-3, 12)]) for _ in range(60)],
    "years": [DICE.choice([None, *range(10)]) for _ in range(60)],
    "smokes": [DICE.choice([True, False, None]) for _ in range(60)],
    "full": [DICE.choice(["x", "y", "?", None]) for _ in range(60)],
    "many": [f"key {DICE.randrange(700)}" for _ in range(60)],
}
ADD, ONE = {"relation": "add-remove", "n_max": 100}, {"relation": "change-one", "n": 60}
COUNT = {"kind": "count", "by": ["region", "sex"], "margins": "all", "epsilon": 1}
SUM = {"kind": "sum", "column": "pay", "by": ["sex", "region"], "margins": [["sex"], ["region", "sex"]], "epsilon": 2}
KNOWN = {"kind": "count", "by": ["smokes", "full"], "margins": "all", "shares": ["1/2", "1/4", "1/4"], "epsilon": 1}
PAIRS = {**COUNT, "by": ["region", "sex", "age"], "margins": [["region", "sex"], ["sex", "age"], []]}


def study_of(*statistics: dict[str, Any], rows: dict[str, Any] = ADD, columns: dict[str, Any] = COLUMNS) -> Any:
    return snapdp.study(dataset="people", columns=columns, statistic=list(statistics), **rows)


WHO = [f"p{number % 23}" for number in range(60)]
PEOPLE = {"kind": "persons", "by": ["region", "sex"], "groups_per_person": 1, "margins": "all", "epsilon": 1}
BOUNDED = {**ADD, "person": "who", "rows_per_person": 3}


def words(seed: int) -> Callable[[int, int], RecordedBits]:
    """Return recorded bits: those of each part of each statistic from a generator of their own."""

    def bits(statistic: int, part: int) -> RecordedBits:
        dice = random.Random(f"{seed} {statistic} {part}")
        return RecordedBits([dice.getrandbits(64) - (1 << 63) for _ in range(2000)])

    return bits


def released(
    folder: Path,
    *statistics: dict[str, Any],
    rows: dict[str, Any] = ADD,
    seed: int = 1,
    columns: dict[str, Any] = COLUMNS,
    table: dict[str, list[Any]] = ROWS,
) -> Release:
    with snapdp.Ledger.create(folder / "l.ledger") as book:
        unit = {"person": rows["person"]} if "person" in rows else {}
        size = rows.get("n", rows.get("n_max"))
        book.create_account("people", cap=1000, relation=rows["relation"], rows=size, **unit)
        request, table = (
            study_of(*statistics, rows=rows, columns=columns).request(),
            snapdp.open_table({**table, "who": WHO}),
        )
        out = engine.released(request, table, book, directory=folder, is_sound=is_sound, bits=words(seed))
        assert book.account("people").spent == request.epsilon
    return Release(json.loads(json.dumps(out.record)))


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return released(tmp_path_factory.mktemp("margins"), COUNT, SUM, PAIRS)


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return released(tmp_path_factory.mktemp("known"), KNOWN, rows=ONE)


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    return released(tmp_path_factory.mktemp("people"), PEOPLE, {**COUNT, "rows_per_person": 2}, rows=BOUNDED)


def altered(record: dict[str, Any], path: tuple[Any, ...], change: Any) -> dict[str, Any]:
    """Return a copy of a record in which one thing is changed, by a function, or to another value."""
    found = at = copy.deepcopy(record)
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = change(at[path[-1]]) if callable(change) else change
    return found


def accept(record: dict[str, Any]) -> None:
    """Find nothing wrong with a record, by the audit and by the independent checker."""
    assert audit(record).findings == ()
    assert check_release.check(json.loads(json.dumps(release_certificate(record)))) == []
    assert checked(record)


# Persons


def test_neither_audit_nor_checker_takes_margins_of_persons_who_count_in_several_cells(people):
    record = copy.deepcopy(people.record)
    record["statistics"][0]["groups_per_person"] = 2
    assert not audit(record).sound
    found = check_release.check({**release_certificate(people.record), "record": record})
    assert found == ["record.statistics[0]: margins of persons who count in several cells"]
    record = copy.deepcopy(people.record)
    record["statistics"][0]["kind"] = "count"
    assert not audit(record).sound
    assert check_release.check({**release_certificate(people.record), "record": record})


# Least squares


def test_a_known_total_is_published_without_noise_and_is_no_part(known):
    (statistic,) = known.record["statistics"]
    assert [part["margin"] for part in statistic["parts"]] == [["smokes"], ["full"], ["smokes", "full"]]
    total = known.record["derived"][0]
    assert (total["margin"], total["value"], total["low"], total["high"]) == ([], [60.0], [60.0], [60.0])
    assert (total["deviation"], total["title"]) == (0.0, "adjusted count in total")
    assert abs(sum(known.record["derived"][1]["value"]) - 60) < 1e-9


# Records, audit, checker


def test_a_row_without_a_cell_in_one_column_is_in_no_margin(tmp_path):
    loud = {**COUNT, "epsilon": 400}
    found = released(tmp_path, loud)
    kept = [r in LISTS["region"] and s in LISTS["sex"] for r, s in zip(ROWS["region"], ROWS["sex"], strict=True)]
    assert found.values["count in total"] == sum(kept) < 60
    assert sum(found.values["count by region"].values()) == sum(found.values["count by sex"].values()) == sum(kept)
    assert found.values["adjusted count in total"] == sum(kept)


@pytest.mark.parametrize("which", ["result", "known"])
def test_audit_and_independent_checker_derive_margins_again(which, request):
    accept(request.getfixturevalue(which).record)


ALTERED: dict[str, tuple[tuple[Any, ...], Any]] = {
    "an adjusted cell": (("derived", 1, "value", 0), lambda value: value + 0.5),
    "an adjusted cell by one place of a double": (("derived", 1, "value", 1), lambda value: value * (1 + 2**-52)),
    "an interval": (("derived", 2, "high", 0), lambda value: value - 0.25),
    "a deviation": (("derived", 0, "deviation"), lambda value: value * 0.5),
    "what is shown": (("derived", 1, "shown", 0), lambda value: value + 0.5),
    "a margin": (("derived", 1, "margin"), ["sex"]),
    "a margin of a part": (("statistics", 0, "parts", 1, "margin"), ["sex"]),
    "a share": (("statistics", 0, "shares"), ["1/8", "3/8", "1/4", "1/4"]),
    "a share more": (("statistics", 0, "shares"), lambda value: [*value, "0"]),
    "the epsilon of a margin": (("statistics", 0, "parts", 1, "epsilon"), "1/2"),
    "an index": (("statistics", 0, "parts", 1, "index", 0), lambda value: value + 1),
    "a grid": (("statistics", 1, "parts", 0, "grid"), "2"),
    "a margin less": (("statistics", 0, "margins"), lambda value: value[1:]),
    "another order": (("statistics", 0, "margins"), lambda value: value[::-1]),
    "a name": (("derived", 1, "name"), "adjusted count by sex"),
    "a title": (("statistics", 0, "title"), "count by region, sex"),
    "a margin of a column that is not there": (("statistics", 0, "margins", 1), ["age"]),
}


@pytest.mark.parametrize("name", ALTERED)
def test_audit_and_checker_refuse_a_change_of(name, result):
    path, change = ALTERED[name]
    record = altered(result.record, path, change)
    certificate = {**release_certificate(result.record), "record": record}
    assert check_release.check(certificate)
    with contextlib.suppress(DataError):
        assert not audit(record).sound


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("statistics", 0, "margins"), ["region"]),
        (("statistics", 0, "margins"), [["region"], [7]]),
        (("statistics", 0, "shares"), [0.25]),
        (("statistics", 0, "parts", 0, "margin"), "region"),
        (("derived", 0, "deviation"), "7"),
        (("derived", 0, "deviation"), 7),
        (("derived", 0, "deviation"), float("inf")),
        (("statistics", 0, "parts", 0, "deviation"), 7.0),
    ],
)
def test_what_no_record_of_margins_has_is_refused(path, value, result):
    with pytest.raises(DataError):
        checked(altered(result.record, path, value))


@pytest.mark.parametrize("change", ["1/2", "2", "0", "-1/4"])
def test_a_record_whose_shares_are_no_parts_of_one_could_not_have_been_declared(change, result):
    record = copy.deepcopy(result.record)
    record["statistics"][0]["shares"][0] = change
    assert not audit(record).sound
    assert check_release.check({**release_certificate(result.record), "record": record})


def test_a_request_is_the_same_by_study_flags_and_python(tmp_path):
    from snapdp.cli.flags.options import NAMES
    from snapdp.cli.flags.statistics import study_values
    from snapdp.studies.study_file import study_from_values

    typed = {**COUNT, "margins": [["sex"], ["sex", "region"], []], "shares": ["1/2", "1/4", "1/4"]}
    study = study_of(typed, columns={name: COLUMNS[name] for name in ("region", "sex")})
    options: dict[str, Any] = dict.fromkeys(NAMES) | {name: () for name in NAMES if name not in ("n", "n_max")}
    options |= {"count": True, "by": ("region,sex",), "n_max": 100, "epsilon": "1", "accuracy": None, "alpha": None}
    options |= {"categories": ("region=north,south,east", "sex=f,m"), "integer": False, "n": None}
    options |= {"person": (), "rows_per_person": None}
    options |= {"persons": False, "groups_per_person": None, "unit_rows": None, "keys": None}
    options |= {"at": None, "branching": None}
    for margins in (("sex;region,sex;",), ("sex", "region,sex", "")):
        flags = study_from_values(study_values({**options, "margins": margins, "shares": "1/2, 1/4,1/4"}))
        assert [each.statistic.declaration() for each in flags.asked] == [
            each.statistic.declaration() for each in study.asked
        ]
    with snapdp.Ledger.create(tmp_path / "l.ledger") as book:
        book.create_account("people", cap=2, relation="add-remove", rows=100)
        first = study.release(ROWS, ledger=book)
        again = snapdp.count(
            ROWS,
            by=["region", "sex"],
            groups={name: LISTS[name] for name in ("region", "sex")},
            margins=[["sex"], ("sex", "region"), []],
            shares=[F(1, 2), "1/4", 0.25],
            epsilon=1,
            ledger=book,
        )
        assert again.free
        assert again.record == first.record
        with pytest.raises(ParameterError, match="no list"):
            snapdp.count(ROWS, by=["sex"], groups={"sex": ["f"]}, margins=7, epsilon=1, ledger=book)


# Long tables


LONG = {"kind": "count", "by": ["many", "sex"], "margins": "all", "epsilon": 4}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("long")
    released(place, LONG).save(place / "record.json")
    return place


def test_a_long_table_is_in_files_and_its_short_margins_are_in_the_record(folder):
    record = load_release(folder / "record.json").record
    parts = record["statistics"][0]["parts"]
    assert ["file" in part for part in parts] == [False, False, False, True]
    assert ["file" in block for block in record["derived"]] == [False, False, False, True]
    stored = pl.read_parquet(folder / record["derived"][3]["file"]["name"])
    assert stored.columns == ["cell", "many", "sex", "value", "shown", "low", "high"]
    assert stored["value"].sum() == pytest.approx(record["derived"][0]["value"][0])
    found = audit(record, directory=folder)
    assert (found.findings, len(found.seen), found.unseen) == ((), 2, ())


def test_without_the_file_short_margins_are_not_derived_and_it_is_said(folder):
    record = json.loads((folder / "record.json").read_text())
    found = audit(record)
    assert (found.findings, found.seen, len(found.unseen)) == ((), (), 2)
    certificate = json.loads(json.dumps(release_certificate(record)))
    assert check_release.check(certificate) == []
    assert "nor adjusted tables that follow from them" in check_release.unopened(record)
    for change in ({"deviation": 1.0}, {"margin": ["many"]}, {"cell": ["x", "y"]}, {"value": [1.0]}, {"low": None}):
        other = copy.deepcopy(record)
        other["derived"][2] |= change
        assert check_release.check({**certificate, "record": other})


def test_a_forged_number_in_a_file_changes_all_margins(folder, tmp_path):
    from tests.unit.audits.test_beside import forged

    record = load_release(folder / "record.json").record
    changed = forged(
        record, ("derived", 3), folder, tmp_path, "SELECT * REPLACE (if(rowid = 5, value + 1, value) AS value) FROM t"
    )
    for name in load_release(folder / "record.json").files():
        if not (tmp_path / name).exists() and (folder / name).exists():
            (tmp_path / name).write_bytes((folder / name).read_bytes())
    assert [each.field for each in audit(changed, directory=tmp_path).findings] == ["derived[3].value[5]"]


# What people see


def test_values_and_frames_tell_measured_from_adjusted(result):
    values = result.values
    assert set(values["count by region, sex"]) == set(product(LISTS["region"], LISTS["sex"]))
    assert list(values["adjusted sum(pay) by sex"]) == LISTS["sex"]
    frame = result.to_polars()
    counts = frame.filter(pl.col("statistic") == "count by region")
    assert counts["source"].to_list() == ["adjusted"] * 3 + ["measured"] * 3
    assert counts["region"].to_list() == LISTS["region"] * 2
    assert counts["sex"].is_null().all()
    charged = frame.filter(pl.col("charged") > 0)
    assert charged["charged"].sum() == 4
    assert charged["asked"].all()
    assert set(frame["epsilon"]) == {float(Fraction(each["epsilon"])) for each in result.record["statistics"]}
    with pytest.raises(ParameterError, match="statistics"):
        _ = result.value


def test_a_report_has_adjusted_beside_measured_and_a_cross_table_with_totals(result, known):
    page = result.to_html()
    assert page.count("<h3>Number of rows by region, sex with margins</h3>") == 1
    numbers = '<th scope="col" class="r sum">adjusted</th><th scope="col" class="r">measured</th>'  # end at one line
    assert f'<th scope="col">region</th><th scope="col">sex</th>{numbers}' in page
    across = "".join(f'<th scope="col" class="r">{head}</th>' for head in ("f", "m"))
    assert f'<th scope="col">region / sex</th>{across}<th scope="col" class="r sum">in total</th>' in page
    assert "standard deviation of the adjusted" in page
    assert '<td class="r">known</td>' in known.to_html()
    printed = repr(result)
    assert "adjusted count by region, sex [north, f]" in printed
    assert printed.index("adjusted count by region, sex") < printed.index("measured count in total")
    assert "\n  count" not in printed  # what was measured says so


def cross_table(page: str) -> list[list[str]]:
    """Return the texts of the table with totals, its heads first."""
    plain = re.sub(' (class|scope)="[a-z ]*"', "", page)
    tables = re.findall("<table>.*?</table>", plain, re.DOTALL)
    (table,) = (each for each in tables if "<th>in total</th></tr></thead>" in each)
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    return [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in rows]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_table_with_totals_adds_up_where_cells_were_drawn_below_what_is_possible(seed, tmp_path):
    found = released(tmp_path, {**COUNT, "epsilon": "1/10"}, seed=seed)
    assert any(each.moved for each in found.numbers() if each.derived)
    page = found.to_html()
    _, *rows = cross_table(page)
    numbers = [[F(each) for each in row[1:]] for row in rows]
    widths = [
        max(F(each.high) - F(each.low) for each in block.numbers) / 2 for block in found.blocks() if block.derived
    ]
    unit = F(10) ** (floor_log10(min(widths)) - 1)  # the second digit of the noise
    assert any(each < 0 for row in numbers for each in row)
    for line in (*numbers, *zip(*numbers, strict=True)):
        assert abs(sum(line[:-1]) - line[-1]) <= len(line) * unit / 2
    assert "do not add up as they are printed; the table with totals does" in page
    assert "Sums of printed numbers agree" not in page


def test_a_report_says_whom_a_total_leaves_out_and_calls_it_no_total_of_all_rows(result, known):
    page = result.to_html()
    assert "A row without a group of region or sex is in none of them, nor in the total." in page
    assert "A row without a group" not in known.to_html()  # every row has one
    assert '<th scope="row">in total</th>' in page
    assert "all rows" not in page
    assert ">one number, each above its 95 % interval; standard deviation" in page


def test_tables_that_share_a_margin_do_not_share_its_name(tmp_path):
    """Each of them once had a `count by sex` in files of values, and nothing told them apart."""
    other = {**COUNT, "by": ["sex", "age"], "margins": [["sex"], ["sex", "age"]]}
    alone = {"kind": "count", "by": "sex", "epsilon": 1}
    found = released(tmp_path, COUNT, other, alone)
    titles = [each for each in found.values if each.partition(" (")[0].endswith("count by sex")]
    assert titles == [
        "count by sex (1)", "adjusted count by sex", "count by sex (2)", "adjusted count by sex (2)", "count by sex"
    ]  # fmt: skip
    assert {each.statistic for each in found.numbers()} == set(found.values)
    assert "<h4>Number of rows by sex (2)</h4>" in found.to_html()


def test_a_plan_shows_measured_and_adjusted_errors_that_the_release_then_has(result):
    lines = study_of(COUNT, SUM, PAIRS).plan().lines
    for number, line in enumerate(lines):
        blocks = [block for block in result.record["derived"] if block["statistic"] == number]
        assert [each.adjusted.deviation for each in line.margins] == [block["deviation"] for block in blocks]
        for figures, block in zip(line.margins, blocks, strict=True):
            widths = [F(high) - F(low) for low, high in zip(block["low"], block["high"], strict=True)]
            assert max(widths) <= 2 * figures.adjusted.accuracy * (1 + F(1, 2**40))
            assert figures.adjusted.deviation <= figures.measured.deviation
    shown = repr(study_of(COUNT).plan())
    assert "by region" in shown
    for each in lines[0].margins:
        assert f"± {four_digits_up(each.adjusted.accuracy)} (alone ± {four_digits_up(each.alone.accuracy)})" in shown
    assert "from the finest table by itself" in " ".join(shown.split())


# Limits


def test_an_epsilon_without_noise_and_too_many_margins_are_refused():
    with pytest.raises(BoundError, match="too large"):
        study_of({**COUNT, "epsilon": 10**6}).plan()
    five = {name: {"kind": "boolean"} for name in "abcde"}
    many = [
        {"kind": "count", "by": list(five), "margins": "all", "epsilon": 1, "where": [{"column": "y", "below": i}]}
        for i in range(1, 7)
    ]
    columns = {**five, "y": {"kind": "integer", "lower": 0, "upper": 9, "missing": "dropped"}}
    study = study_of(*many, columns=columns)
    with pytest.raises(BoundError, match="too many margins"):
        study.request()


MANY_DIGITS = "0." + "3" * 28 + "7"  # what an account can be charged, and adjusted tables do not end with


@pytest.mark.parametrize(
    "said", [{"epsilon": MANY_DIGITS}, {"shares": ["1/7", "1/7", MANY_DIGITS, str(F(5, 7) - F(MANY_DIGITS))]}]
)
def test_margins_of_long_numbers_are_refused_before_anything_is_adjusted(said, result):
    with pytest.raises(BoundError, match="too many digits"):
        study_of({**COUNT, **said}).plan()
    assert study_of({**COUNT, "epsilon": "0.123456", "shares": ["1/7", "1/7", "2/7", "3/7"]}).plan()
    forged = copy.deepcopy(result.record)
    forged["statistics"] = [{**forged["statistics"][0], **said}]
    assert not is_sound(forged)


def test_the_checker_derives_no_adjusted_tables_of_long_numbers(result, monkeypatch):
    """The first work that grows with digits is the weights: they are never asked for."""
    monkeypatch.setattr(check_release, "LONGEST_EPSILON", 3)
    monkeypatch.delattr(check_release, "Adjusted")
    (reason,) = check_release.check(release_certificate(result.record))
    assert "too many digits" in reason
