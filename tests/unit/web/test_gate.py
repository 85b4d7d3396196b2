"""Who may ask what of the page: hosts, sessions, origins, content types and sizes; and what every answer carries."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from snapdp.web.gate import CONTENT_POLICY, HEADERS, MOST_BYTES, SECRET
from tests.unit.web.pages import COOKIE, HOST, STUDY, Answer, Page

BODY = {"study": STUDY}
REFUSAL = {"ok", "error", "advice", "field", "spent"}
FOREIGN_HOSTS = [
    None, "", "evil.example", "evil.example:8765", "127.0.0.1.evil.example", "localhost.evil.example", "localhost.",
    "localhost.:8765", "localhost@evil.example", "evil.example@localhost", "127.0.0.1:8765@evil.example", "[::1]",
    "[::1]:8765", "::1", "0.0.0.0", "127.0.0.2", "127.1", "2130706433", "0x7f.1", "localhost:80:80", "localhost:x",
    "localhost:-1", "localhost:²", "localhost,evil.example", " localhost", "localhost ", "http://localhost",
    "localhost/", "local\u00adhost", [HOST, HOST], [HOST, "evil.example"], ["evil.example", HOST],
]  # fmt: skip
FOREIGN_ORIGINS = [
    None, "", "null", "http://evil.example", "https://127.0.0.1:8765", "http://127.0.0.1", "http://127.0.0.1:9999",
    "http://127.0.0.1:8765/", "http://127.0.0.1:8765.evil.example", "http://localhost:8765", "127.0.0.1:8765",
    "http://127.0.0.1:8765 http://evil.example", [f"http://{HOST}", f"http://{HOST}"],
    [f"http://{HOST}", "http://evil.example"],
]  # fmt: skip
OTHER_KINDS = [
    None, "", "text/plain", "text/plain;application/json", "application/x-www-form-urlencoded", "multipart/form-data",
    "application/jsonp", "application/json, text/plain", "text/json", "application", ["application/json"] * 2,
]  # fmt: skip


def routes(page: Page, method: str) -> list[str]:
    """Return the addresses of all requests that there are, as the documentation has them."""
    return [path for path, how in page.read("/openapi.json").json["paths"].items() if method in how]


def is_refused(answer: Answer, status: int) -> bool:
    found = answer.json
    return answer.status == status and set(found) == REFUSAL and found["ok"] is False and found["spent"] == "0"


# Hosts


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_a_name_that_is_not_of_this_machine_is_refused(page, host):
    for path in ("/", "/start", "/static/page.css", "/api/state", "/nothing"):
        assert is_refused(page.read(path, host=host), 400)
    assert is_refused(page.write("/api/plan", BODY, host=host), 400)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LocalHost:8765", "127.0.0.1:1", "localhost:65535"])
def test_a_tunnel_may_have_another_port(page, host):
    assert page.read("/api/state", host=host).status == 200
    assert page.write("/api/plan", BODY, host=host, origin=f"http://{host}").status == 200


def test_a_refused_host_uses_no_token_up(page):
    token = page.tokens.token
    assert page.read(f"/start?token={token}", host="evil.example", cookie=None).status == 400
    assert page.tokens.token == token


# Sessions


@pytest.mark.parametrize(
    "cookie",
    [
        None, "", COOKIE, f"{COOKIE}=", f"{COOKIE}=guess", f"{COOKIE}=é", "snapdp-8766={session}", "x={session}",
        f"{COOKIE}={{session}}x", f" {COOKIE} ={{session}}", f"{COOKIE.upper()}={{session}}", f'{COOKIE}="{{session}}"',
        [f"{COOKIE}=guess", f"{COOKIE}=other"],
    ],
)  # fmt: skip
def test_whoever_has_no_session_gets_nothing(page, cookie):
    def told(text: str) -> str:
        return text.replace("{session}", page.tokens.entry.session)

    given = [told(each) for each in cookie] if isinstance(cookie, list) else cookie and told(cookie)
    reads = ["/", "/ledger", "/verify", "/openapi.json", "/static/plan.js", "/nothing", *routes(page, "get")]
    assert all(is_refused(page.read(path, cookie=given), 403) for path in reads)
    assert all(is_refused(page.write(path, BODY, cookie=given), 403) for path in routes(page, "post"))


def test_a_session_stands_among_other_cookies(page):
    """Another port of this host may have set some, of the same name too: nobody is locked out by them."""
    own = f"{COOKIE}={page.tokens.entry.session}"
    for others in (f"a=b; snapdp-9999=other; {own}; c", f"{COOKIE}=tossed; {own}", [f"{COOKIE}=tossed", own]):
        assert page.read("/api/state", cookie=others).status == 200


@pytest.mark.parametrize("secret", [None, "", "guess", "{secret}x", "{session}", ["{secret}", "{secret}"]])
def test_the_cookie_alone_asks_for_nothing(page, secret):
    """A browser sends it to every port of this host, hence to whoever else listens on this machine."""

    def told(text: str) -> str:
        entry = page.tokens.entry
        return text.replace("{secret}", entry.secret).replace("{session}", entry.session)

    given = {SECRET: [told(each) for each in secret] if isinstance(secret, list) else secret and told(secret)}
    assert all(is_refused(page.read(path, **given), 403) for path in routes(page, "get"))
    assert all(is_refused(page.write(path, BODY, **given), 403) for path in routes(page, "post"))
    assert page.read("/", **given).status == 200
    assert page.tokens.entry.secret not in page.read("/", **given).text


# Writes


def test_every_request_that_changes_something_is_documented_and_there_are_some(page):
    assert {"/api/plan", "/api/release", "/api/open", "/api/inspect"} <= set(routes(page, "post"))
    found = page.read("/openapi.json").json["paths"]
    assert {method for how in found.values() for method in how} == {"get", "post"}


SITES = ["cross-site", "same-site", "none", "", "SAME-ORIGIN", ["same-origin", "same-origin"]]
NOT_OURS = {"origin": (FOREIGN_ORIGINS, 403), "sec_fetch_site": (SITES, 403), "content_type": (OTHER_KINDS, 415)}


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [(header, value, status) for header, (values, status) in NOT_OURS.items() for value in values],
)
def test_no_other_page_writes_whatever_its_browser_or_its_form_says(page, header, value, status):
    assert all(is_refused(page.write(path, BODY, **{header: value}), status) for path in routes(page, "post"))


def test_a_browser_that_does_not_say_which_page_asks_is_asked_for_the_origin(page):
    assert page.write("/api/plan", BODY, sec_fetch_site=None).status == 200


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "Application/JSON;x=y"])
def test_json_may_say_its_characters(page, kind):
    assert page.write("/api/plan", BODY, content_type=kind).status == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "BREW", ""])
def test_there_are_no_other_methods(page, method):
    paths = ["/", "/start", "/static/page.css", "/nothing", *routes(page, "get"), *routes(page, "post")]
    assert all(is_refused(page.ask(method, path), 405) for path in paths)


def test_what_is_read_cannot_be_written_and_what_is_written_cannot_be_read(page):
    both = set(routes(page, "get")) & set(routes(page, "post"))
    assert all(is_refused(page.read(path), 405) for path in set(routes(page, "post")) - both)
    assert all(is_refused(page.write(path, BODY), 405) for path in set(routes(page, "get")) - both)
    assert is_refused(page.write("/start", BODY), 405)


def test_no_address_leads_to_another(page):
    for path in ("/api/state/", "/start/", "/static", "//evil.example/", "/ledger/"):
        assert page.read(path).status == 404


# Sizes


@pytest.mark.parametrize(
    "length", [str(MOST_BYTES + 1), "9" * 30, "9" * 5000, "-1", "+1", "1.5", "0x10", "", " 5", "٣", "²", ["5", "5"]]
)
def test_a_body_that_says_to_be_too_large_is_refused_unread(page, length):
    said = [each.encode() for each in length] if isinstance(length, list) else length.encode()
    assert is_refused(page.write("/api/plan", BODY, content_length=said), 413)


@pytest.mark.parametrize("length", [True, False])
def test_a_body_that_grows_too_large_is_refused_whatever_it_said(page, length):
    part = b" " * (1 << 20)
    parts = [json.dumps(BODY).encode(), *[part] * 33]
    said = {} if not length else {"content_length": "5"}
    assert is_refused(page.ask("POST", "/api/plan", content=parts, length=length, **said), 413)


def test_a_body_may_come_in_pieces(page):
    text = json.dumps(BODY).encode()
    parts = [text[at : at + 7] for at in range(0, len(text), 7)]
    assert page.ask("POST", "/api/plan", content=parts, length=False).status == 200


def test_a_body_that_breaks_off_is_not_taken_for_a_whole_one(page):
    """Its text may be whole JSON by itself: whoever sent it meant to send more."""
    waiting = [{"type": "http.request", "body": json.dumps(BODY).encode(), "more_body": True}]
    scope = {"type": "http", "method": "POST", "path": "/api/plan", "query_string": b"", "headers": [
        (b"host", HOST.encode()), (b"origin", f"http://{HOST}".encode()), (b"content-type", b"application/json"),
        (b"cookie", f"{COOKIE}={page.tokens.entry.session}".encode()), (b"transfer-encoding", b"chunked"),
        (SECRET.encode(), page.tokens.entry.secret.encode()),
    ]}  # fmt: skip
    sent = []

    async def receive():
        return waiting.pop(0) if waiting else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    page.runner.run(page.app(scope, receive, send))
    assert sent == []
    waiting += [{"type": "http.request", "body": json.dumps(BODY).encode(), "more_body": False}]
    page.runner.run(page.app({**scope, "raw_path": b"/api/plan", "root_path": ""}, receive, send))
    assert sent[0]["status"] == 200  # the same, to its end


# Headers


def every_kind_of_answer(page: Page) -> Iterator[tuple[int, Answer]]:
    yield 200, page.read("/")
    yield 200, page.read("/api/state")
    yield 200, page.read("/openapi.json")
    yield 200, page.read("/static/page.css")
    yield 200, page.ask("HEAD", "/static/page.css")
    yield 200, page.read(f"/start?token={page.tokens.token}", cookie=None)
    yield 400, page.read("/", host="evil.example")
    yield 400, page.write("/api/plan", {"study": {}})
    yield 400, page.write("/api/plan", b"[" * 100_000)
    yield 403, page.read("/", cookie=None)
    yield 403, page.read("/start?token=guess", cookie=None)
    yield 404, page.read("/nothing")
    yield 404, page.read("/static/nothing")
    yield 405, page.read("/api/plan")
    yield 409, page.read("/api/file?dataset=nobody&number=1&name=record.json")
    yield 413, page.write("/api/plan", BODY, content_length="99999999999")
    yield 415, page.write("/api/plan", BODY, content_type="text/plain")
    yield 422, page.write("/api/plan", {})
    yield 422, page.write("/api/plan", b"{")


def test_every_answer_forbids_scripts_guesses_of_types_and_copies(page):
    for status, answer in every_kind_of_answer(page):
        assert answer.status == status
        assert all(answer.header(name) == value for name, value in HEADERS.items())
        assert answer.header("set-cookie") is None or b"entered" not in answer.content
        if status >= 400 and not answer.content.startswith(b"<!doctype html>"):
            assert is_refused(answer, status)


def test_the_policy_allows_no_script_or_style_inside_a_page_and_no_other_host():
    rules = dict(each.strip().split(" ", 1) for each in CONTENT_POLICY.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == rules["frame-ancestors"] == "'none'"
    assert {value for name, value in rules.items() if value != "'none'"} == {"'self'"}


def test_a_defect_says_so_and_tells_nothing_of_itself(page, monkeypatch):
    def broken(*_: object) -> None:
        raise RuntimeError("kanarienvogel in a cell")

    for name in ("plan_answer", "release_answer", "what_runs", "looked_at", "_state"):
        monkeypatch.setattr(f"snapdp.web.app.{name}", broken)
    monkeypatch.setattr("snapdp.web.releases.file_content", broken)
    asked = [page.write(path, BODY) for path in ("/api/plan", "/api/before", "/api/inspect")]
    asked += [page.write("/api/release", {**BODY, "cost": "1", "agreed": ""}), page.read("/api/state")]
    asked += [page.read("/api/file?dataset=people&number=1&name=record.json")]
    for answer in asked:
        assert answer.status == 500
        assert set(answer.json) == REFUSAL
        assert answer.json["spent"] == "unknown"
        assert b"kanarien" not in answer.content
        assert b"Traceback" not in answer.content
        assert b"RuntimeError" not in answer.content
        assert all(answer.header(name) == value for name, value in HEADERS.items())


# Addresses of files


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static/..%5capp.py", "/static/%00",
        "/static/page.css%00.js", "/static//etc/passwd", "/static/%2fetc%2fpasswd", "/static/", "/static/.",
        "/static/" + "a" * 5000, "/static/é", "/static/%ff", "/static/..", "/..%2f..%2fetc/passwd",
        "/static/%2e%2e%2f%2e%2e%2f%2e%2e%2fpyproject.toml", "/start%2f..%2fstatic%2fplan.js",
    ],
)  # fmt: skip
def test_no_address_leads_out_of_the_files_of_the_page(page, path):
    assert is_refused(page.read(path), 404)
