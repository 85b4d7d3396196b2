"""How much of its history a ledger reads: no more for a release, on the page and elsewhere, as the history grows."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import snapdp
from snapdp.cli.app import main
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.storage.sqlite import SqliteStorage
from snapdp.ledger.storage.storage import Entry
from snapdp.web.ledger import charge_answer, ledger_answer
from snapdp.web.plans import plan_answer
from snapdp.web.releases import Progress, file_content, release_answer, what_runs
from snapdp.web.schema import OfStudy, ToPlan, ToRelease
from tests.unit.release.support import fingerprint, record_of
from tests.unit.web.books_client import STUDY, workplace

RECENT = 10  # entries, here


def charge_often(place, times):
    with Ledger.open(place.ledger) as ledger:
        version = ledger.dataset_version("people", fingerprint("other rows"))
        about = {"version": version, "relation": "change-one", "rows": 6}
        for number in range(times):
            held = ledger.reserve("people", epsilon="1/1000", request={"ask": number}, **about)
            ledger.commit(held, record_of(held))


@pytest.fixture
def entries_read(monkeypatch):
    """Count the entries that are read of a ledger."""
    monkeypatch.setattr("snapdp.ledger.book.RECENT", RECENT)
    seen, select = [0], SqliteStorage._select

    def counting(self, kind, *where):
        found = select(self, kind, *where)
        seen[0] += len(found) if kind is Entry else 0
        return found

    monkeypatch.setattr(SqliteStorage, "_select", counting)

    def count(action, *given):
        before = seen[0]
        return action(*given), seen[0] - before

    return count


def work_of(place, times, count):
    """Return how many entries each step of a release reads after so many charges."""
    charge_often(place, times)
    study, read = dict(STUDY), {}
    before, read["before"] = count(what_runs, place, OfStudy(study=study))
    _, read["plan"] = count(plan_answer, place, ToPlan(study=study))
    agreed = {"cost": before["cost"], "agreed": before["agreed"]}
    done, read["release"] = count(release_answer, place, ToRelease(study=study, **agreed), Progress())
    _, read["again"] = count(release_answer, place, ToRelease(study=study, cost="0", agreed=""), Progress())
    _, read["ledger page"] = count(ledger_answer, place)
    _, read["one charge"] = count(charge_answer, place, "people", done["number"])
    _, read["a file"] = count(file_content, place, "people", done["number"], "record.json")
    asked = snapdp.study({**STUDY, "statistic": [{"kind": "mean", "column": "x", "epsilon": "1/7"}]})
    _, read["library"] = count(lambda: asked.release(place.data, ledger=place.ledger, directory=place.directory))
    words = [
        "release",
        place.data,
        "--mean",
        "x",
        "--bounds",
        "0,9",
        "--missing",
        "0",
        "--n",
        "6",
        "--epsilon",
        "1/9",
        "--ledger",
        place.ledger,
        "--yes",
    ]
    shown, read["command"] = count(CliRunner().invoke, main, words)
    assert shown.exit_code == 0, shown.stderr
    return read


def test_a_release_reads_as_many_entries_of_a_long_history_as_of_a_short_one(tmp_path, entries_read):
    found = []
    for times in (RECENT, 5 * RECENT):
        folder = tmp_path / str(times)
        folder.mkdir()
        found.append(work_of(workplace(folder), times, entries_read))
    assert found[0] == found[1]
    assert max(found[0].values()) < 100


def test_a_record_that_bounds_come_from_is_found_without_reading_what_came_after_it(
    tmp_path, entries_read, monkeypatch
):
    from snapdp.ledger.chain import canonical
    from snapdp.studies.declarations import digest

    monkeypatch.setattr("snapdp.ledger.storage.sqlite.PAGE", 5)
    place = workplace(tmp_path)
    charge_often(place, 20)
    with Ledger.open(place.ledger) as ledger:
        looks = [digest(canonical(charge.answer.record)) for charge in ledger.history("people")]
        assert all(ledger.holds("people", each) for each in looks)
        assert not ledger.holds("people", digest("none"))
        assert (
            entries_read(ledger.holds, "people", looks[0])[1] < 15 < entries_read(ledger.holds, "people", looks[-1])[1]
        )


def test_one_charge_is_the_same_by_its_number_by_its_record_and_in_the_history(tmp_path):
    place = workplace(tmp_path)
    charge_often(place, 3)
    with Ledger.open(place.ledger) as ledger:
        version = ledger.dataset_version("people", fingerprint("other rows"))
        about = {"version": version, "relation": "change-one", "rows": 6}
        ledger.abandon(ledger.reserve("people", epsilon="1/3", request={"ask": "given up"}, **about))
        ledger.reserve("people", epsilon="1/3", request={"ask": "open"}, **about)
        history = ledger.history("people")
        assert [each.state for each in history] == ["committed"] * 3 + ["abandoned", "in progress"]
        assert ledger.recent("people") == history
        for each in history:
            assert ledger.charge("people", each.number) == each
            if each.answer is not None:
                assert ledger.charge_of(each.answer.record) == each
        record = history[0].answer.record
        assert ledger.charge_of({**record, "request": "sha256:none"}) is None
        entries = ledger.account("people").entries
        others = {*range(entries + 1)} - {each.number for each in history}
        assert all(ledger.charge("people", number) is None for number in others)
