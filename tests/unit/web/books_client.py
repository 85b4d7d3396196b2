"""A page in this process, on a ledger with a release, a charge that was interrupted, and one that was given up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

import snapdp
from snapdp.errors import SnapdpError
from snapdp.ledger.ledger import Ledger
from snapdp.web import work as works
from snapdp.web.apart import Answered
from snapdp.web.app import application
from snapdp.web.gate import SECRET, Tokens
from snapdp.web.refusals import status_of, told
from snapdp.web.workplace import Workplace

ADDRESS = "http://127.0.0.1:8765"
COOKIE = "snapdp-8765"
ROWS = ["512.25,a", "750,b", "999,a", ",", "500,?", "613,b"]
STUDY: dict[str, Any] = {
    "format": 1,
    "dataset": "people",
    "relation": "change-one",
    "n": 6,
    "columns": {
        "x": {"kind": "number", "lower": 500, "upper": 1000, "step": "1/4", "missing": 700},
        "g": {"kind": "category", "categories": ["a", "b"], "unknown": "binned", "null": "dropped"},
    },
    "statistic": [
        {"kind": "mean", "column": "x", "epsilon": "1/5"},
        {"kind": "histogram", "column": "g", "epsilon": "1/10"},
    ],
}


class Reader:
    """Who reads the page: with the session, from the page itself.

    apart   programs and records are judged in a process of their own, as always; else, for tests, in this one
    """

    def __init__(self, place: Workplace, *, apart: bool = False) -> None:
        self.place, tokens = place, Tokens()
        found = application(place, tokens, cookie=COOKIE, as_command=lambda _: {"command": "", "reason": ""})
        self.benches = [found.app.state.books, found.app.state.judging]
        for bench in () if apart else self.benches:
            bench.process = answered_here
        self._transport = httpx.ASGITransport(found, raise_app_exceptions=False)
        self._cookies = {COOKIE: tokens.entry.session}
        self._secret = {SECRET: tokens.entry.secret}

    def get(self, path: str, **query: Any) -> httpx.Response:
        return self._ask("GET", path, params=query)

    def post(self, path: str, body: Mapping[str, Any]) -> httpx.Response:
        sent = {"origin": ADDRESS, "content-type": "application/json"}
        return self._ask("POST", path, content=json.dumps(body), headers=sent)

    def _ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        async def asked() -> httpx.Response:
            own: Any = {"transport": self._transport, "cookies": self._cookies, "base_url": ADDRESS, "timeout": 100}
            own["headers"] = self._secret
            async with httpx.AsyncClient(**own) as client:
                return await client.request(method, path, **more)

        return asyncio.run(asked())

    def refusal(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a request is refused with, in the one shape of refusals."""
        answer = self.post(path, body)
        found: dict[str, Any] = answer.json()
        assert 400 <= answer.status_code < 500
        assert set(found) == {"ok", "error", "advice", "field", "spent"}
        assert found["ok"] is False
        return found


def answered_here(work: str, given: dict[str, Any], **_: Any) -> Answered:
    """Do in this process what another one does."""
    try:
        return Answered(200, json.loads(json.dumps(getattr(works, work)(**given))))
    except SnapdpError as refusal:
        return Answered(status_of(refusal), told(refusal))


def workplace(folder: Path, *, study: Mapping[str, Any] = STUDY, cap: str | None = "2") -> Workplace:
    """Return a place with a table, and a ledger with an account of it unless there is no cap."""
    data, ledger = folder / "people.csv", folder / "people.ledger"
    data.write_text("\n".join(["x,g", *ROWS, ""]), encoding="utf-8")
    if cap is not None:
        with Ledger.create(ledger) as book:
            book.create_account(study["dataset"], cap=cap, relation="change-one", rows=6)
    return Workplace(directory=folder, data=str(data), ledger=str(ledger))


def released(place: Workplace, study: Mapping[str, Any] = STUDY) -> dict[str, Any]:
    """Release the study; return the record."""
    assert place.ledger is not None
    asked = snapdp.study(dict(study))
    result = asked.release(place.opened_table(asked), ledger=place.ledger, directory=place.directory)
    return dict(result.record)


def charged_in_vain(place: Workplace, *, abandoned: bool) -> None:
    """Charge 1/4 for a count that nobody gets: whoever asked went away, or gave it up."""
    assert place.ledger is not None
    asked = snapdp.study({**STUDY, "statistic": [{"kind": "mean", "column": "x", "epsilon": "1/4"}]})
    with Ledger.open(place.ledger) as book:
        version = book.dataset_version("people", asked.table(place.opened_table(asked)).fingerprint())
        about = {"version": version, "relation": "change-one", "rows": 6}
        reserved = book.reserve("people", epsilon="1/4", request=asked.request().declaration, **about)
        if abandoned:
            book.abandon(reserved)
