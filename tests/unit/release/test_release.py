"""The engine: the ledger before the noise, and whatever fails afterwards stays spent and is not released."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import snapdp
from snapdp.audits.release_audit import is_sound
from snapdp.errors import BoundError, BudgetError, DataError, LedgerError, PremiseError, SnapdpError
from snapdp.ledger.accounts import ABANDONED, COMMITTED, IN_PROGRESS, ORPHANED
from snapdp.ledger.ledger import Ledger
from snapdp.randomness import bits
from snapdp.randomness.bits import SystemBits
from snapdp.release import release as engine
from snapdp.tables.engines.engine import Engine
from tests import ROOT
from tests.unit.ledger.test_failures import largest_file
from tests.unit.release.people import COLUMNS, LONG, MEAN, ROWS, new_book, study

F = Fraction


@pytest.fixture
def book(tmp_path):
    with new_book(tmp_path) as ledger:
        yield ledger


def release(book, *statistics, data=ROWS, folder=Path("."), bits=None, **declared):
    request = study(*statistics, **declared).request()
    return engine.released(request, snapdp.open_table(data), book, directory=folder, is_sound=is_sound, bits=bits)


def states(book):
    return [charge.state for charge in book.history("people")]


def spent(book):
    return book.account("people").spent


# The ledger before the noise


def test_a_reservation_is_on_the_disk_before_a_bit_is_drawn(book, tmp_path):
    seen = []

    def bits(statistic, part):
        with Ledger.open(tmp_path / "people.ledger") as other:  # as anybody else would see it
            (charge,) = other.history("people")
            seen.append((statistic, part, charge.state, charge.epsilon, other.account("people").spent))
        return SystemBits()

    release(book, MEAN, {"kind": "histogram", "column": "region", "epsilon": 1}, bits=bits)
    assert seen == [(0, 0, IN_PROGRESS, F(3, 2), F(3, 2)), (1, 0, IN_PROGRESS, F(3, 2), F(3, 2))]
    assert states(book) == [COMMITTED]


def test_the_steps_come_in_their_order(book, tmp_path, monkeypatch):
    steps = []

    def watched(where, name):
        plain = getattr(where, name)

        def step(*given, **more):
            steps.append(name)
            return plain(*given, **more)

        monkeypatch.setattr(where, name, step)

    watched(Engine, "fingerprint")
    watched(Engine, "aggregates")
    for name in ("answered", "dataset_version", "reserve", "commit"):
        watched(Ledger, name)
    for name in ("draw", "_side_files", "record_values"):
        watched(engine, name)
    release(book, LONG, folder=tmp_path)
    before = ["fingerprint", "answered", "aggregates", "dataset_version", "reserve"]
    assert steps == [*before, "draw", "_side_files", "record_values", "commit"]
    steps.clear()
    assert release(book, LONG, folder=tmp_path).free
    assert steps == before[:2]  # an answer given again reads no row


def test_side_files_are_there_before_the_commit(book, tmp_path, monkeypatch):
    plain, seen = Ledger.commit, []

    def commit(self, reservation, record):
        seen.append([path.name for path in tmp_path.glob("snapdp-*.parquet")])
        return plain(self, reservation, record)

    monkeypatch.setattr(Ledger, "commit", commit)
    outcome = release(book, LONG, folder=tmp_path)
    assert seen == [[outcome.record["statistics"][0]["parts"][0]["file"]["name"]]]


# What fails before the charge costs nothing


def nothing_happened(book):
    assert spent(book) == 0
    assert states(book) == []
    assert book.account("people").entries == 1  # not even a version of the dataset


@pytest.mark.parametrize("count", [3, 5])
def test_a_wrong_declared_n_costs_nothing_and_does_not_tell_the_right_one(book, count):
    data = {name: (cells * 2)[:count] for name, cells in ROWS.items()}
    with pytest.raises(DataError, match="declared n = 4 rows") as refused:
        release(book, data=data)
    assert str(count) not in str(refused.value).replace("n = 4", "")
    nothing_happened(book)


def test_a_mixed_relation_or_row_count_is_refused(book):
    with pytest.raises(PremiseError, match="relation"):
        release(book, relation="add-remove")
    with pytest.raises(PremiseError, match="n = 5"):
        release(book, rows=5)
    nothing_happened(book)


def test_more_than_is_left_is_refused_before_the_table_is_read(book, monkeypatch):
    monkeypatch.setattr(Engine, "_run", None)
    with pytest.raises(BudgetError, match=r"needs epsilon = 11"):
        release(book, {**MEAN, "epsilon": 11})
    nothing_happened(book)


def test_a_missing_column_and_a_wrong_type_are_told_before_a_budget_that_does_not_suffice(book, tmp_path):
    """A misspelt column was answered "over budget", and found out once the budget had been raised for it."""
    (tmp_path / "people.csv").write_text("pay\n1\n2\n3\n4\n")
    pyarrow.parquet.write_table(pyarrow.table({"age": [[1], [2], [3], [4]]}), tmp_path / "people.parquet")
    for data, told in (
        ({"pay": [1, 2, 3, 4]}, "no column named 'age'"),
        (tmp_path / "people.csv", "no column named 'age'"),
        (tmp_path / "people.parquet", "column 'age' is declared as integer but stored as"),
    ):
        with pytest.raises(DataError, match=told):
            release(book, {**MEAN, "epsilon": 11}, data=data)
    nothing_happened(book)


def test_an_unknown_account_a_missing_column_and_a_broken_file_cost_nothing(book, tmp_path):
    with pytest.raises(LedgerError, match="no account"):
        snapdp.study(format=1, dataset="other", relation="change-one", n=4, columns=COLUMNS, statistic=[MEAN]).release(
            ROWS, ledger=book
        )
    with pytest.raises(DataError, match="no column named 'age'"):
        release(book, data={"pay": [1, 2, 3, 4]})
    broken = tmp_path / "people.parquet"
    broken.write_bytes(b"PAR1 and no more")
    with pytest.raises(DataError, match="engine could not read"):
        release(book, data=broken)
    nothing_happened(book)


def test_files_that_change_while_they_are_read_cost_nothing(book, tmp_path, monkeypatch):
    path = tmp_path / "people.csv"
    path.write_text("age\n1\n2\n3\n4\n")
    plain = Engine.aggregates

    def aggregates(self, *given, **more):
        found = plain(self, *given, **more)
        path.write_text("age\n1\n2\n3\n4444\n")
        return found

    monkeypatch.setattr(Engine, "aggregates", aggregates)
    with pytest.raises(DataError, match="changed while"):
        release(book, data=path)
    nothing_happened(book)


def test_a_directory_that_takes_no_side_file_is_refused_before_the_charge(book, tmp_path):
    """It once was found out after the charge."""
    for folder in (tmp_path / "absent", tmp_path / "people.ledger"):
        with pytest.raises(DataError, match="cannot be written"):
            release(book, LONG, folder=folder)
    nothing_happened(book)
    release(book, MEAN, folder=tmp_path / "absent")  # without a long block no directory is needed
    assert states(book) == [COMMITTED]


@pytest.mark.parametrize(
    ("kind", "upper", "more"),
    [("variance", 2**931, {}), ("sum", 2**931, {"epsilon": f"1/1{'0' * 40}"}), ("mean", 2**999, {})],
)
def test_numbers_that_no_record_could_hold_are_refused_before_anything_is_read(book, kind, upper, more):
    """A variance of cells near 2**931 is no double: it was once charged and could not be written down."""
    column = {"kind": "number", "lower": -upper, "upper": upper, "step": str(upper // 2**30), "missing": "middle"}
    refused = []
    try:
        values = snapdp.study(
            format=1, dataset="people", relation="change-one", n=4, columns={"age": column},
            statistic=[{"kind": kind, "column": "age", "epsilon": 1, **more}],
        )  # fmt: skip
        values.release({"age": [1.0, 2.0, 3.0, 4.0]}, ledger=book)
    except BoundError as error:
        refused.append(error)
    assert refused
    nothing_happened(book)


# What fails after the charge stays spent


class Unforeseen(Exception):
    pass


def failing(error):
    def bits(*_):
        raise error

    return bits


@pytest.mark.parametrize("error", [Unforeseen("8675309"), DataError("no.", "Why."), MemoryError()])
def test_a_failure_after_the_charge_stays_spent_and_the_same_request_pays_again(book, error):
    with pytest.raises(SnapdpError, match="1/2 that was charged stays spent") as refused:
        release(book, bits=failing(error))
    assert refused.value.numbers["spent"] == F(1, 2)
    assert "8675309" not in str(refused.value)
    assert refused.value.__context__ is None
    assert refused.value.__cause__ is None
    assert (states(book), spent(book)) == ([ABANDONED], F(1, 2))
    assert not release(book).free
    assert (states(book), spent(book)) == ([ABANDONED, COMMITTED], F(1))
    book.verify()


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_an_interruption_after_the_charge_stays_spent_and_goes_on_up(book, stop):
    with pytest.raises(stop):
        release(book, bits=failing(stop()))
    assert (states(book), spent(book)) == ([ABANDONED], F(1, 2))


def test_an_interruption_while_the_table_is_read_costs_nothing(book, monkeypatch):
    monkeypatch.setattr(engine, "exact_values", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        release(book)
    nothing_happened(book)


def test_a_library_that_rounds_wrongly_is_refused_before_the_charge(book, monkeypatch):
    def wrong():
        raise PremiseError("the installed gmpy2 (MPFR) does not round as it is told.")

    monkeypatch.setattr(engine, "require_directed_rounding", wrong)
    with pytest.raises(PremiseError, match="does not round"):
        release(book)
    nothing_happened(book)


def test_a_cipher_that_cannot_be_loaded_is_met_before_the_charge(book, tmp_path, monkeypatch):
    def broken():
        raise ImportError("a shared library that does not load")

    monkeypatch.setattr(bits, "_ciphers", broken)
    with pytest.raises(ImportError):
        release(book, LONG, folder=tmp_path)
    nothing_happened(book)


@pytest.mark.parametrize("statistic", [MEAN, LONG], ids=["commit", "side file"])
def test_a_full_disk_after_the_charge_releases_nothing(book, tmp_path, statistic):
    limit = largest_file(0)
    try:
        with pytest.raises(SnapdpError, match="stays spent"):
            release(book, statistic, folder=tmp_path, bits=lambda *_: limit.__enter__() or SystemBits())
    finally:
        limit.__exit__(None, None, None)
    assert spent(book) == F(1, 2)
    assert states(book) == [IN_PROGRESS]  # nothing could be written: not even that it was given up
    assert not list(tmp_path.glob("*snapdp-*"))
    book.close()
    with Ledger.open(tmp_path / "people.ledger") as again:
        assert states(again) == [ORPHANED]
        again.verify()
        assert not release(again, statistic, folder=tmp_path).free
        assert (states(again), spent(again)) == ([ORPHANED, COMMITTED], F(1))


def test_a_directory_that_is_gone_after_the_charge_releases_nothing(book, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    with pytest.raises(DataError, match=r"cannot be written.*\n.*stays spent"):
        release(book, LONG, folder=folder, bits=lambda *_: folder.rmdir() or SystemBits())
    assert (states(book), spent(book)) == ([ABANDONED], F(1, 2))


def test_a_record_with_a_field_beyond_the_list_is_not_committed(book, monkeypatch):
    from snapdp.release import record

    monkeypatch.setattr(record, "relation_values", lambda relation: {"private_n": 4, "relation": relation.kind})
    with pytest.raises(DataError, match="private_n"):
        release(book)
    assert (states(book), spent(book)) == ([ABANDONED], F(1, 2))


# Twins and versions


def test_the_same_request_is_answered_free_of_charge_and_in_the_same_words(book, tmp_path):
    first, second = release(book, LONG, MEAN, folder=tmp_path), release(book, LONG, MEAN, folder=tmp_path)
    assert (first.free, second.free) == (False, True)
    assert first.record == second.record
    assert first.head == second.head
    assert spent(book) == F(1)


def test_an_empty_account_still_repeats_its_answers(book):
    full = {**MEAN, "epsilon": 10}
    first = release(book, full)
    assert release(book, full).record == first.record
    with pytest.raises(BudgetError, match="has 0 left"):
        release(book, {**full, "epsilon": "1/1000000"})


def test_a_request_that_differs_in_anything_public_pays(book):
    asked = [MEAN, {**MEAN, "epsilon": "1/4"}, {**MEAN, "alpha": "1/10"}, {**MEAN, "kind": "sum"}]
    outcomes = [release(book, each) for each in asked]
    assert [outcome.free for outcome in outcomes] == [False] * 4
    assert len({outcome.record["request"] for outcome in outcomes}) == 4
    assert spent(book) == F(7, 4)


def test_a_changed_file_is_a_new_version_and_pays(book, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age\n1\n2\n3\n4\n")
    first = release(book, data=path)
    path.write_text("age\n1\n2\n3\n5\n")
    second = release(book, data=path)
    path.write_text("age\n1\n2\n3\n4\n")
    third = release(book, data=path)
    assert [each.free for each in (first, second, third)] == [False, False, True]
    assert first.record["dataset_version"] == third.record["dataset_version"] != second.record["dataset_version"]
    assert spent(book) == F(1)


def test_a_known_file_under_another_account_is_refused_before_it_is_read(book, tmp_path, monkeypatch):
    path = tmp_path / "people.csv"
    path.write_text("age\n1\n2\n3\n4\n")
    release(book, data=path)
    book.create_account("copy", cap=1, relation="change-one", rows=4)
    copy = tmp_path / "renamed.csv"
    copy.write_bytes(path.read_bytes())
    monkeypatch.setattr(Engine, "aggregates", None)
    twin = snapdp.study(format=1, dataset="copy", relation="change-one", n=4, columns=COLUMNS, statistic=[MEAN])
    with pytest.raises(LedgerError, match="known under the account 'people'"):
        twin.release(copy, ledger=book)
    assert book.account("copy").entries == 1


TWIN = """
import json, sys, time
from fractions import Fraction
from pathlib import Path
from snapdp.release import release as engine
from tests.unit.release.people import study

folder, name = Path(sys.argv[1]), sys.argv[2]
plain = engine.draw

def draw(*given):
    (folder / f"drawing-{name}").touch()
    while not (folder / "go").exists():
        time.sleep(0.01)
    return plain(*given)

engine.draw = draw
(folder / f"ready-{name}").touch()
result = study().release(folder / "people.csv", ledger=folder / "people.ledger")
print(json.dumps([result.free, result.to_json()]))
"""


def wait_until(true):
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_concurrent_twins_draw_once(tmp_path):
    new_book(tmp_path).close()
    (tmp_path / "people.csv").write_text("age\n1\n2\n3\n4\n")
    twins = [
        subprocess.Popen([sys.executable, "-c", TWIN, str(tmp_path), name], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for name in "ab"
    ]
    wait_until(lambda: len(list(tmp_path.glob("drawing-*"))) == 1 and len(list(tmp_path.glob("ready-*"))) == 2)
    time.sleep(0.3)  # the other one is waiting by now, or it will find the answer: it draws in neither case
    (tmp_path / "go").touch()
    told = [json.loads(twin.communicate(timeout=60)[0]) for twin in twins]
    assert [twin.returncode for twin in twins] == [0, 0]
    assert sorted(free for free, _ in told) == [False, True]
    assert told[0][1] == told[1][1]
    assert len(list(tmp_path.glob("drawing-*"))) == 1
    with Ledger.open(tmp_path / "people.ledger") as ledger:
        assert (states(ledger), spent(ledger)) == ([COMMITTED], F(1, 2))


# Tables that once were refused, or lost, by the look of their cells


def test_a_list_in_a_cell_is_a_missing_number_and_no_traceback(book):
    """The digest of the columns once tripped over it."""
    assert release(book, data={"age": [1, [2], {"a": 3}, None]}).record["charged"] == "1/2"


def test_lists_whose_objects_differ_are_two_versions(book):
    """1 is a number and True is a missing one; numpy makes the same array of both."""
    first, second = release(book, data={"age": [1, 2, 3, 1]}), release(book, data={"age": [1, 2, 3, True]})
    assert first.record["dataset_version"] != second.record["dataset_version"]


@pytest.mark.parametrize("kind", ["pyarrow", "polars"])
def test_a_column_without_a_single_cell_is_all_missing(book, kind):
    """Such a column has no type; it was refused, so that one cell decided whether there is a release."""
    frame = pytest.importorskip(kind)
    data = {"age": [None] * 4, "region": [None] * 4}
    table = frame.table(data) if kind == "pyarrow" else frame.DataFrame(data)
    counted = {"kind": "histogram", "column": "region", "epsilon": 1}
    assert release(book, MEAN, counted, data=table).record["charged"] == "3/2"


def test_a_category_that_engines_cannot_store_is_refused_in_long_lists_too(book):
    categories = [f"key {i}" for i in range(100)]
    for wrong in ("\x00", "a\x00b", "\ud800"):
        column = {"kind": "category", "categories": [*categories, wrong]}
        with pytest.raises(SnapdpError):
            snapdp.study(
                format=1, dataset="people", relation="change-one", n=4, columns={"many": column},
                statistic=[{"kind": "histogram", "column": "many", "epsilon": 1}],
            ).release({"many": [object(), None, "key 1", "key 2"]}, ledger=book)  # fmt: skip
    nothing_happened(book)


def test_writing_a_side_file_leaves_no_draft_behind(book, tmp_path):
    release(book, LONG, folder=tmp_path)
    assert sorted(path.suffix for path in tmp_path.iterdir() if "snapdp" in path.name) == [".parquet"]
