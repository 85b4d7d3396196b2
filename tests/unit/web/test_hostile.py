"""What somebody hostile may send or own: paths, names with scripts, JSON that no form sends, files without names."""

from __future__ import annotations

import copy
import html
import json
import os
import random
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import pytest

from snapdp.ledger.ledger import Ledger
from snapdp.web.gate import SECRET
from snapdp.web.releases import FILES
from snapdp.web.workplace import Workplace
from tests.properties.badness import NUMBER, TRACES, WORD, bad_study
from tests.unit.web.pages import STUDY, Answer, Page, workplace

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&{{7*7}}"
SCRIPTED: dict[str, Any] = {
    **STUDY,
    "dataset": f"people {SCRIPT}",
    "title": f"title {SCRIPT}",
    "publisher": f"publisher {SCRIPT}",
    "contact": f"contact {SCRIPT}",
    "columns": {
        f"x {SCRIPT}": {"kind": "number", "lower": 500, "upper": 1000, "step": "1/4", "missing": 700},
        f"g {SCRIPT}": {"kind": "category", "categories": [f"a {SCRIPT}", "b"], "unknown": "binned"},
    },
    "statistic": [
        {"kind": "mean", "column": f"x {SCRIPT}", "by": f"g {SCRIPT}", "epsilon": "1/5"},
        {"kind": "count", "where": [{"column": f"g {SCRIPT}", "equals": f"a {SCRIPT}"}], "epsilon": "1/10"},
        {"kind": "histogram", "column": f"g {SCRIPT}", "epsilon": "1/10"},
    ],
}
opened: list[str] | None = None


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if opened is not None and event == "open":
        opened.append(os.fsdecode(arguments[0]) if isinstance(arguments[0], (str, bytes)) else "")


sys.addaudithook(_watch)


@contextmanager
def files_opened() -> Iterator[list[str]]:
    """Yield the names of all files that this process opens meanwhile."""
    global opened
    opened = found = []
    try:
        yield found
    finally:
        opened = None


def changed(**values: Any) -> dict[str, Any]:
    return {**copy.deepcopy(STUDY), **values}


def everything(page: Page, study: Any, cost: str = "2/5") -> Iterator[Answer]:
    """Ask everything that can be asked of a study."""
    yield page.read("/api/state")
    for path in ("/api/plan", "/api/copy", "/api/open", "/api/before", "/api/inspect"):
        yield page.write(path, {"study": study, **({"cap": "1"} if path == "/api/open" else {})})
    yield page.write("/api/consequence", {"study": study, "place": 0})
    yield page.release(study, cost=cost)


# Files


@pytest.mark.parametrize("path", ["/etc/passwd", "../../../../etc/passwd", "people.csv", "./people.ledger", "x\0y", ""])
def test_a_study_of_the_page_reads_no_file_that_it_names(page, path):
    keyed = {"kind": "count", "by": ["g"], "keys": path, "epsilon": "2/5"}
    study = changed(data=path, statistic=[keyed])
    with files_opened() as found:
        for answer in everything(page, study):
            assert answer.status in (200, 400, 409)
            assert b"root:" not in answer.content
    assert not [name for name in found if name.endswith("passwd")]
    text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in study.items() if key in ("version", "data"))
    assert page.write("/api/study", {"toml": text}).status == 400


def test_the_table_is_the_one_of_the_command_line_whatever_a_study_says(new_page, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("x,k,g\n" + f"{NUMBER},1,{WORD}\n" * 6, encoding="utf-8")
    with files_opened() as found:
        answers = list(everything(new_page, changed(data=str(other))))
    assert {each.status for each in answers} <= {200, 409}
    assert str(other) not in found
    assert not any(b"other.csv" in each.content for each in answers)


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd", "/etc/passwd", "..\\..\\etc\\passwd", "record.json\0", "\0", "people.csv", "people.ledger",
        "./record.json", "record.json/..", "Record.json", "", ".", "..", "a" * 301, 'x"; filename="y.exe', "a\r\nb: c",
    ],
)  # fmt: skip
def test_a_download_is_one_of_our_own_names(released, name):
    answer = released.read(f"/api/file?dataset=people&number=2&name={quote(name)}")
    assert answer.status in (400, 422)
    assert answer.json["ok"] is False


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """Return a page that has released."""
    page = Page(workplace(tmp_path_factory.mktemp("released")))
    found = page.release(STUDY)
    assert (found.status, found.json["number"]) == (200, 2)
    yield page
    page.close()


@pytest.mark.parametrize("name", FILES)
def test_every_file_of_a_release_is_a_download_of_its_own_name(released, name):
    answer = released.read(f"/api/file?dataset=people&number=2&name={name}")
    assert answer.status == 200
    assert answer.header("content-disposition") == f'attachment; filename="{name}"'
    assert answer.header("x-content-type-options") == "nosniff"
    links = released.write("/api/addresses", {"dataset": "people", "number": 2}).json
    linked = released.read(links["files"][name], **{SECRET: None})  # a link sends the cookie alone
    assert (linked.status, linked.header("content-disposition")) == (200, answer.header("content-disposition"))


def test_a_link_opens_the_file_that_it_was_made_for_and_no_other(released):
    links = released.write("/api/addresses", {"dataset": "people", "number": 2}).json
    report = links["report"]
    wrong = [
        report.replace("report.html", "record.json"),
        report.replace("number=2", "number=3"),
        report.replace("shown=true", "shown=false"),
        report.replace("dataset=people", "dataset=others"),
        report[:-1] + ("0" if report[-1] != "0" else "1"),
        report.partition("&seal=")[0],
    ]
    assert [released.read(each).status for each in wrong] == [400] * 5 + [422]
    assert released.read(report, cookie=None).status == 403


def test_a_report_that_is_shown_can_do_nothing(released):
    links = released.write("/api/addresses", {"dataset": "people", "number": 2}).json
    answer = released.read(links["report"], **{SECRET: None})
    assert answer.header("content-disposition") is None
    policy = answer.header("content-security-policy") or ""
    assert "default-src 'none'" in policy
    assert re.search(r"\bsandbox(;|$)", policy)  # no script, no form, no origin
    assert "script-src" not in policy


# Names


def test_a_script_in_a_name_stays_text(tmp_path):
    place = workplace(tmp_path, cap=None)
    rows = ["512.25,b", "750,b", "999,b", ",", "500,?", "613,b"]
    heads = ",".join('"' + name.replace('"', '""') + '"' for name in SCRIPTED["columns"])
    (tmp_path / "people.csv").write_text("\n".join([heads, *rows, ""]), encoding="utf-8")
    page = Page(place)
    answers = list(everything(page, SCRIPTED))
    assert [each.status for each in answers] == [200] * len(answers)
    assert {each.header("content-type") for each in answers} == {"application/json"}
    number = answers[-1].json["number"]
    for path in ("/", "/ledger", "/verify"):
        assert SCRIPT not in page.read(path).text
    links = page.write("/api/addresses", {"dataset": SCRIPTED["dataset"], "number": number}).json
    for name in FILES:
        found = page.read(links["report"] if name == "report.html" else links["files"][name])
        assert found.status == 200
        if name.endswith(".html"):
            assert "<script" not in found.text
            assert "<img" not in found.text
            assert html.escape(SCRIPT, quote=False)[:20] in found.text
    for picture in page.write("/api/consequence", {"study": SCRIPTED, "place": 0}).json["pictures"].values():
        assert "<script" not in picture
        assert "<img" not in picture
    page.close()


# Cells


def test_a_file_without_a_line_of_names_does_not_show_its_first_row(tmp_path):
    page = Page(workplace(tmp_path))
    (tmp_path / "people.csv").write_text(f"{WORD},{NUMBER},1956-02-03\n" * 6, encoding="utf-8")
    answers = list(everything(page, STUDY))
    assert answers[0].json["data"]["columns"] == []
    for answer in answers:
        assert not any(trace in answer.text for trace in (*TRACES, "1956"))
    page.close()


def test_no_answer_but_the_look_is_about_cells_and_the_look_shows_none(tmp_path):
    rows = [f"{NUMBER},{NUMBER},{WORD}", *[f"{WORD},{WORD},{WORD.upper()}"] * 5]
    page = Page(workplace(tmp_path, rows=rows))
    for answer in everything(page, STUDY):
        assert answer.status in (200, 409)
        assert not any(trace in answer.text for trace in TRACES)
    for name in FILES:
        content = page.read(f"/api/file?dataset=people&number=2&name={name}").content
        assert not any(trace.encode() in content for trace in TRACES)
    page.close()


@pytest.mark.parametrize("named", ["data", "ledger"])
def test_a_password_in_an_address_is_never_shown(tmp_path, named):
    from snapdp.cli.serve import _as_command

    secret = "postgresql://holder:kanarienvogel@127.0.0.1:1/x?password=kanarienvogel&sslpassword=kanarienvogel"
    kept: dict[str, Any] = {"directory": tmp_path, named: secret, "table": "people" if named == "data" else None}
    if named == "data":
        kept["ledger"] = str(tmp_path / "x.ledger")
        with Ledger.create(kept["ledger"]) as book:
            book.create_account("people", cap=1, relation="change-one", rows=6)
    place = Workplace(**kept)
    page = Page(place, as_command=lambda study: _as_command(study, place))
    for answer in everything(page, STUDY):
        assert "kanarienvogel" not in answer.text
    page.close()


# JSON


@pytest.mark.parametrize(
    "body",
    [
        b"", b"null", b"[]", b"1", b'"study"', b"{", b"\xff", b'{"study": {}}\0', b'{"study": NaN}', b"NaN",
        b'{"study": {"n": NaN, "format": 1, "budget": Infinity}}', b'{"study": {"format": 1}, "study": {}}',
        b'{"study": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", b'{"study": ' + b'{"columns":' * 50_000,
        b'{"study": {"format": 1, "columns": ' + b'{"a":' * 900 + b"1" + b"}" * 902,
        b'{"study": {"format": 1, "n": ' + b"9" * 1_000_000 + b"}}", b'{"study": {"format": 1e999999}}',
        b'{"study": {"format": 1, "n": ' + b"9" * 4000 + b"}}", b'{"\\ud800": 1, "study": {}}',
        b'{"study": {"\\ud800": 1}}', b'{"study": {"format": 1, "dataset": "\\ud800"}}',
        b'{"study": [["version", 2]]}',
        b'{"' + b"a" * 1_000_000 + b'": 1}', '{"study": {}}'.encode("utf-16"), b'\xef\xbb\xbf{"study": {}}',
        b'{"study": {"version": true}}', b'{"study": {"version": 2.0}}', b'{"study": {"version": "2"}}',
    ],
)  # fmt: skip
def test_json_that_no_form_sends_is_refused_in_words(page, body):
    for path in page.read("/openapi.json").json["paths"]:
        answer = page.ask("POST", path, content=[body])
        if answer.status != 405:
            assert answer.status in (400, 422), path
            assert set(answer.json) == {"ok", "error", "advice", "field", "spent"}
            assert len(answer.content) < 4000


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("/api/consequence", {"place": 3}), ("/api/consequence", {"place": 999}), ("/api/consequence", {"place": -1}),
        ("/api/consequence", {"place": 0, "value": "1e999999999"}), ("/api/consequence", {"place": 0, "value": "1/0"}),
        ("/api/consequence", {"place": 0, "value": "nan"}), ("/api/consequence", {"place": 0, "value": "x"}),
        ("/api/consequence", {"place": 0, "part": 99_999}), ("/api/consequence", {"place": 0, "part": -1}),
        ("/api/plan", {"edited": -1}), ("/api/plan", {"if_rows": 0}), ("/api/plan", {"if_rows": 1 << 61}),
        ("/api/plan", {"if_rows": "x"}), ("/api/plan", {"fit": "yes please"}), ("/api/plan", {"more": 1}),
        ("/api/release", {"cost": "1e999999999"}), ("/api/release", {"cost": "-1"}), ("/api/release", {"cost": "1/0"}),
        ("/api/release", {"cost": "0.39999999"}), ("/api/release", {"cost": "9" * 4000}),
        ("/api/release", {"cost": ""}),
        ("/api/release", {"cost": "2/5", "agreed": ""}), ("/api/release", {"cost": "2/5", "agreed": "0" * 64}),
        ("/api/release", {"cost": "2/5", "agreed": "x" * 101}), ("/api/open", {}),
        ("/api/release", {}), ("/api/release", {"cost": 0.4}), ("/api/open", {"cap": "0"}),
        ("/api/open", {"cap": "-1"}),
        ("/api/open", {"cap": "x" * 4000}), ("/api/open", {"cap": "1"}),
    ],
)  # fmt: skip
def test_numbers_beside_a_study_are_refused_where_they_cannot_be_meant(page, path, more):
    agreed = page.write("/api/before", {"study": STUDY}).json["agreed"]
    answer = page.write(path, {"study": STUDY, **({"agreed": agreed} if path == "/api/release" else {}), **more})
    assert answer.status in (400, 409, 422)
    assert answer.json["spent"] == "0"


def spoilt_studies(page: Page, seed: int, tries: int) -> None:
    dice = random.Random(seed)
    for _ in range(tries):
        try:
            body = json.dumps({"study": bad_study(dice)}).encode()
        except TypeError:
            continue  # what only Python has
        for path in ("/api/plan", "/api/copy", "/api/before"):
            answer = page.write(path, body)
            assert answer.status in (200, 400, 409, 422), body
            assert answer.json["ok"] == (answer.status == 200)


def test_a_study_that_was_spoilt_breaks_nothing(page):
    spoilt_studies(page, seed=18, tries=25)


@pytest.mark.long
def test_many_studies_that_were_spoilt_break_nothing(page):
    spoilt_studies(page, seed=random.randrange(1 << 30), tries=2000)


def test_a_study_of_very_many_statistics_is_left_to_the_command_line(page):
    lines = [{"kind": "count", "where": [{"column": "k", "from": 0, "below": at}], "epsilon": "1"} for at in range(61)]
    answer = page.write("/api/plan", {"study": changed(statistic=lines)})
    assert answer.status == 400
    assert "more than 60 statistics" in answer.json["error"]
    listed = changed(statistic=[{"kind": "histogram", "column": "g", "epsilon": "1"}])
    listed["columns"]["g"]["categories"] = [f"c{number}" for number in range(20_000)]
    answer = page.write("/api/plan", {"study": listed})
    assert (answer.status, "more than 20000 together" in answer.json["error"]) == (400, True)
