"""A page in this process: requests go to it as a server would hand them over, header by header and byte by byte."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from snapdp.ledger.ledger import Ledger
from snapdp.web.app import application
from snapdp.web.gate import SECRET, Tokens
from snapdp.web.schema import ANSWERS
from snapdp.web.workplace import Workplace

HOST = "127.0.0.1:8765"
COOKIE = "snapdp-8765"
Headers = list[tuple[bytes, bytes]]
STUDY: dict[str, Any] = {
    "format": 1,
    "dataset": "people",
    "relation": "change-one",
    "n": 6,
    "budget": "1",
    "columns": {
        "x": {"kind": "number", "lower": 500, "upper": 1000, "step": "1/4", "missing": 700},
        "k": {"kind": "integer", "lower": -3, "upper": 40, "missing": "dropped"},
        "g": {"kind": "category", "categories": ["a", "b", "c"], "unknown": "binned", "null": "dropped"},
    },
    "statistic": [
        {"kind": "mean", "column": "x", "epsilon": "1/5"},
        {"kind": "count", "where": [{"column": "x", "from": 600, "below": 900}], "epsilon": "1/10"},
        {"kind": "histogram", "column": "g", "epsilon": "1/10"},
    ],
}
ROWS = ["512.25,7,a", "750,0,b", "999,40,a", ",,", "500,-3,?", "613,6,b"]


class Answer(NamedTuple):
    """What came back, and what the application raised beside it, if anything."""

    status: int
    headers: Headers
    content: bytes
    raised: BaseException | None = None

    def header(self, name: str) -> str | None:
        found = [value.decode() for key, value in self.headers if key.decode().lower() == name]
        assert len(found) <= 1, f"{name} stands there twice"
        return found[0] if found else None

    @property
    def json(self) -> Any:
        assert self.header("content-type") == "application/json"
        return json.loads(self.content)

    @property
    def text(self) -> str:
        return self.content.decode()


class Page:
    """An application, whoever asks it, and one loop that it lives in."""

    def __init__(self, place: Workplace, *, as_command: Any = None) -> None:
        self.place, self.tokens, self.cookie = place, Tokens(), COOKIE
        said = as_command or (lambda _: {"command": "", "reason": "-"})
        self.app = application(place, self.tokens, cookie=COOKIE, as_command=said)
        self.runner = asyncio.Runner()

    def close(self) -> None:
        self.runner.close()

    # Requests

    def read(self, path: str, **how: Any) -> Answer:
        return self.ask("GET", path, **how)

    def write(self, path: str, body: Any, **how: Any) -> Answer:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.ask("POST", path, content=[content], **how)

    def release(self, study: Any, **instead: Any) -> Answer:
        """Release a study as who looks before: what is shown is agreed to, unless something else is said instead."""
        shown = self.write("/api/before", {"study": study}).json
        agreed = {"cost": shown.get("cost", "1"), "agreed": shown.get("agreed", "")}
        return self.write("/api/release", {"study": study, **agreed, **instead})

    def ask(
        self, method: str, path: str, *, content: Iterable[bytes] = (), length: bool = True, **headers: Any
    ) -> Answer:
        """Send a request. A header is replaced by a keyword, left out where it is None, repeated where it is a list."""
        return self.runner.run(self.asked(method, path, content=content, length=length, **headers))

    async def asked(
        self, method: str, path: str, *, content: Iterable[bytes] = (), length: bool = True, **headers: Any
    ) -> Answer:
        parts = list(content)
        said: dict[str, Any] = {"host": HOST, "cookie": f"{self.cookie}={self.tokens.entry.session}"}
        said |= {SECRET: self.tokens.entry.secret}
        if method == "POST":
            said |= {"origin": f"http://{HOST}", "content-type": "application/json", "sec-fetch-site": "same-origin"}
            said |= {"content-length": str(sum(map(len, parts)))} if length else {"transfer-encoding": "chunked"}
        said |= {name.replace("_", "-"): value for name, value in headers.items()}
        found = await _answered(self.app, method, path, _spelled(said), parts)
        if found.status == 200 and (address := path.partition("?")[0]) in ANSWERS:
            assert not (other := undocumented(address, found.json)), f"{address}: {other}"
        return found


TYPES: dict[str, Any] = {
    "string": str, "integer": int, "boolean": bool, "array": list, "object": dict, "number": (int, float),
    "null": type(None),
}  # fmt: skip


def undocumented(address: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of an answer that /openapi.json does not have so, and those that are lacking."""
    keys = ANSWERS[address]
    other = dict.fromkeys(keys.keys() - answer.keys(), "lacking")
    for key in answer.keys() - {"ok"}:
        kinds = keys.get(key, {}).get("type", [])
        if not any(isinstance(answer[key], TYPES[each]) for each in ([kinds] if isinstance(kinds, str) else kinds)):
            other[key] = type(answer[key]).__name__
    return other


def _spelled(said: dict[str, Any]) -> Headers:
    found: Headers = []
    for name, value in said.items():
        for each in [] if value is None else value if isinstance(value, list) else [value]:
            found.append((name.encode(), each if isinstance(each, bytes) else each.encode("latin-1")))
    return found


async def _answered(app: Any, method: str, path: str, headers: Headers, parts: list[bytes]) -> Answer:
    from urllib.parse import unquote

    address, _, query = path.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": unquote(address), "raw_path": address.encode(), "query_string": query.encode(), "root_path": "",
        "headers": headers, "client": ("127.0.0.1", 50000), "server": ("127.0.0.1", 8765),
    }  # fmt: skip
    coming = [{"type": "http.request", "body": each, "more_body": True} for each in parts]
    coming.append({"type": "http.request", "body": b"", "more_body": False})
    sent: list[Any] = []

    async def receive() -> Any:
        return coming.pop(0) if coming else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    raised = None
    try:
        await app(scope, receive, send)
    except Exception as problem:  # a server logs it; what was sent is what counts
        raised = problem
    begun = [each for each in sent if each["type"] == "http.response.start"]
    assert len(begun) == 1, "one answer, no more and no less"
    body = b"".join(each.get("body", b"") for each in sent if each["type"] == "http.response.body")
    return Answer(begun[0]["status"], list(begun[0]["headers"]), body, raised)


def workplace(folder: Path, *, rows: list[str] | None = None, cap: str | None = "1", **named: Any) -> Workplace:
    """Return a place with a table, and with a ledger that has an account of it unless there is no cap."""
    data, ledger = folder / "people.csv", folder / "people.ledger"
    data.write_text("\n".join(["x,k,g", *(ROWS if rows is None else rows), ""]), encoding="utf-8")
    if cap is not None:
        with Ledger.create(ledger) as book:
            book.create_account("people", cap=cap, relation="change-one", rows=6)
    return Workplace(**{"directory": folder, "data": str(data), "ledger": str(ledger), **named})
