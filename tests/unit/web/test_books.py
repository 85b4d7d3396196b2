"""The ledger page: what it says of balances, charges, altered ledgers and earlier releases."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from snapdp.ledger.ledger import Ledger
from snapdp.web import apart
from tests.properties.observing import chosen_targets, exact_numerators, observed, request_of
from tests.unit.ledger.test_chain import tampered
from tests.unit.web.books_client import STUDY, Reader, charged_in_vain, released, workplace

HOSTILE = "<img src=x onerror=alert(1)>'\"&{{7*7}}"


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Return a page whose ledger has a release and two charges in vain, and the record of the release."""
    place = workplace(tmp_path_factory.mktemp("books"))
    record = released(place)
    charged_in_vain(place, abandoned=True)
    charged_in_vain(place, abandoned=False)
    return Reader(place), record


def text_of(record):
    return json.dumps(record)


# What was spent


def test_charges_that_were_interrupted_or_given_up_are_shown_as_spent(kept):
    page, _ = kept
    [account] = page.get("/api/ledger").json()["accounts"]
    assert Fraction(account["spent"]) == Fraction(3, 10) + 2 * Fraction(1, 4)
    assert Fraction(account["spent"]) == sum(Fraction(each["epsilon"]) for each in account["entries"])
    assert account["says"] == "0.8 of 2 spent, 1.2 left"
    assert (account["parts"], account["of_parts"]) == (400, 1000)
    assert [each["became"] for each in account["entries"]] == [
        "interrupted, and spent all the same",
        "given up, and spent all the same",
        "released",
    ]
    assert [each["has_record"] for each in account["entries"]] == [False, False, True]
    assert account["entries"][-1]["titles"] == "mean(x), histogram(g)"


def test_of_a_long_account_the_newest_charges_are_shown_and_where_all_are_is_said(kept, monkeypatch):
    page, _ = kept
    monkeypatch.setattr("snapdp.web.ledger.MOST_ENTRIES", 1)
    [account] = page.get("/api/ledger").json()["accounts"]
    assert ([each["state"] for each in account["entries"]], account["more"]) == (["orphaned"], True)


def test_without_a_ledger_the_page_says_so_and_nothing_is_made(tmp_path):
    page = Reader(workplace(tmp_path, cap=None))
    found = page.get("/api/ledger").json()
    assert (found["ok"], found["is_there"], found["accounts"]) == (True, False, [])
    assert "there is no ledger yet" in page.refusal("/api/ledger/verify", {})["error"]
    assert not (tmp_path / "people.ledger").exists()


def test_amendments_are_told_with_their_reason(tmp_path):
    place = workplace(tmp_path)
    with Ledger.open(place.ledger) as book:
        book.amend("people", cap=3, reason=HOSTILE)
    [account] = Reader(place).get("/api/ledger").json()["accounts"]
    [amended] = account["amended"]
    assert amended["says"].startswith("Cap raised from 2 to 3")
    assert amended["says"].endswith(HOSTILE)  # as text: the page puts it in as text


# Whether anything was altered


def test_a_sound_ledger_is_verified_in_the_words_of_the_command(kept):
    page, record = kept
    found = page.post("/api/ledger/verify", {}).json()
    assert found["says"].endswith("people.ledger is sound: 1 account, 7 entries.")
    held = page.post("/api/ledger/verify", {"record": text_of(record)}).json()
    assert held["says"].endswith("7 entries. It holds this record.")


def test_a_ledger_is_verified_in_a_process_of_its_own(kept):
    page, record = kept
    found = Reader(page.place, apart=True).post("/api/ledger/verify", {"record": text_of(record)}).json()
    assert found["says"].endswith("It holds this record.")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1, "a": 2}', "NaN", '"\ud800"', "{}", "[" * 10_000])
def test_what_is_no_record_is_refused_in_words(text, kept):
    page, _ = kept
    for path in ("/api/ledger/verify", "/api/audit"):
        assert page.refusal(path, {"record": text})["advice"]


# Earlier releases


def test_the_numbers_of_an_earlier_release_are_shown_again_with_its_files(kept):
    page, record = kept
    found = page.get("/api/ledger/release", dataset="people", number=_released(page)["number"]).json()
    assert [block["title"] for block in found["blocks"]] == ["mean(x)", "histogram(g)"]
    assert found["charged"] == record["charged"]
    assert "report.html" in found["files"]
    assert [each["title"] for each in found["asked"]["statistics"]] == ["mean(x)", "histogram(g)"]
    file = page.get("/api/file", dataset="people", number=_released(page)["number"], name="record.json")
    assert file.json() == record


def test_a_charge_in_vain_has_a_request_and_no_numbers(kept):
    page, _ = kept
    entry = page.get("/api/ledger").json()["accounts"][0]["entries"][0]
    found = page.get("/api/ledger/release", dataset="people", number=entry["number"]).json()
    assert (found["blocks"], found["files"]) == ([], [])
    assert found["asked"]["statistics"][0]["title"] == "mean(x)"


@pytest.mark.parametrize(("dataset", "number"), [("people", 99), ("nobody", 1), ("../people", 0), ("\x00", 0)])
def test_a_charge_that_is_not_there_is_refused(dataset, number, kept):
    page, _ = kept
    answer = page.get("/api/ledger/release", dataset=dataset, number=number)
    assert (answer.status_code, answer.json()["ok"]) == (409, False)
    assert "no " in page.refusal("/api/ledger/certificate", {"dataset": dataset, "number": number})["error"]


def test_the_independent_checker_accepts_the_certificate_of_a_release(kept):
    page, _ = kept
    asked = {"dataset": "people", "number": _released(page)["number"]}
    found = page.post("/api/ledger/certificate", asked).json()
    assert (found["accepted"], found["says"]) == (True, "ACCEPTED")
    claims = {part["topic"]: part["lines"] for part in found["proved"]}
    assert claims["claim"] == ["the release is 3/10-differentially private, if the premises hold"]


# Names, and what is private


def test_hostile_names_come_as_text_and_never_in_the_markup_of_a_page(tmp_path):
    study = {**STUDY, "dataset": HOSTILE}
    study["columns"] = {**STUDY["columns"], "g": {**STUDY["columns"]["g"], "categories": ["a", HOSTILE]}}
    place = workplace(tmp_path, study=study)
    record = released(place, study)
    page = Reader(place)
    found = page.get("/api/ledger")
    assert found.headers["content-type"] == "application/json"
    assert found.headers["x-content-type-options"] == "nosniff"
    [account] = found.json()["accounts"]
    assert account["name"] == HOSTILE
    shown = page.get("/api/ledger/release", dataset=HOSTILE, number=account["entries"][0]["number"])
    assert f"histogram(g) [{HOSTILE}]" in [row["name"] for block in shown.json()["blocks"] for row in block["rows"]]
    assert page.post("/api/audit", {"record": text_of(record)}).json()["sound"]
    for path in ("/ledger", "/verify"):
        assert HOSTILE not in page.get(path).text


def test_texts_go_into_the_page_as_text_alone():
    folder = Path(apart.__file__).parent / "static"
    for name in ("ledger.js", "verify.js", "pieces.js", "blocks.js", "words.js", "ask.js"):
        script = (folder / name).read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|srcdoc", script), name


def test_nothing_that_the_page_answers_depends_on_the_rows(tmp_path, capfd):
    """Neighbours with bits that give the same indices: every answer is the same, byte for byte."""
    study = {**STUDY, "n": 3}
    request = request_of(study)
    seen = []
    for last in ("999,a", "777.25,b"):
        write = _writer(["512.25,a", ",?", last])
        if not seen:
            (tmp_path / "first").mkdir()
            targets = chosen_targets(request, exact_numerators(request, write(tmp_path / "first")))
        seen.append(observed(study, write, tmp_path / "home", targets, capfd, act=_read_everything))
    one, two = seen
    assert {key: one[key] for key in one if key.startswith("page")} == {
        key: two[key] for key in two if key.startswith("page")
    }
    assert sum(key.startswith("page") for key in one) == len(READ)
    assert not any(b"777.25" in answer or b"512.25" in answer for answer in one.values())


READ = ("ledger", "release", "certificate", "verify", "audit")


def _writer(rows):
    def write(folder):
        (folder / "people.csv").write_text("\n".join(["x,g", *rows, ""]), encoding="utf-8")
        import snapdp

        asked = snapdp.study({**STUDY, "n": 3})
        return asked.table(str(folder / "people.csv"))

    return write


def _read_everything(study, table, home):
    """Release, and ask the page everything that it tells of a ledger."""
    from snapdp.web.work import audit_record, verify_ledger
    from snapdp.web.workplace import Workplace

    ledger = str(home / "book.ledger")
    record = study.release(table, ledger=ledger, directory=home / "out").to_json()
    page = Reader(Workplace(directory=home / "out", ledger=ledger))
    number = page.get("/api/ledger").json()["accounts"][0]["entries"][0]["number"]
    asked = {"dataset": "people", "number": number}
    return {
        "page ledger": page.get("/api/ledger").content,
        "page release": page.get("/api/ledger/release", **asked).content,
        "page certificate": page.post("/api/ledger/certificate", asked).content,
        "page verify": json.dumps(verify_ledger(ledger=ledger, record=record)).encode(),
        "page audit": json.dumps(audit_record(record=record, ledger=ledger, directory=str(home / "out"))).encode(),
    }


def _released(page):
    return page.get("/api/ledger").json()["accounts"][0]["entries"][-1]


def test_an_altered_ledger_is_refused_in_words(tmp_path):
    place = workplace(tmp_path)
    released(place)
    tampered(place.ledger, "UPDATE entry SET body = replace(body, '3/10', '1/10') WHERE kind = 'reserve'")
    page = Reader(place)
    refused = page.refusal("/api/ledger/verify", {})
    assert "the ledger is not sound" in refused["error"]
    assert "Release nothing from it" in refused["advice"]
    shown = page.get("/api/ledger").json()
    assert shown["accounts"] == []
    assert any("people" in each and "Verify the ledger." in each for each in shown["unsound"])
