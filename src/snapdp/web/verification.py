"""The verify page: programs and records, judged.

Nothing of the disk can be named here: a program is one of the library's, by its name, or a text. The work is
done apart (`apart`, `work`). Reports of the last verdicts are kept for a while, under a name that nobody guesses.
"""

from __future__ import annotations

import secrets
from typing import Annotated, Any

from fastapi import FastAPI, Query
from fastapi.responses import HTMLResponse, Response

from snapdp.errors import DataError
from snapdp.lab.language.parser import comment_of, machine_in, program_names, program_text
from snapdp.web.apart import Answered, Bench
from snapdp.web.queues import Desk
from snapdp.web.releases import REPORT_POLICY
from snapdp.web.schema import OfRecord, ToJudge
from snapdp.web.workplace import Workplace

KEPT = 8  # reports
BYTES = 16
CLAIMS = {
    "": "what the program itself claims",
    "tight": "the smallest that is proved",
    "note": "the bound of the notes",
    "mironov": "Mironov's bound",
}


class Reports:
    """The reports of the last verdicts.

    >>> kept = Reports()
    >>> names = [kept.keep(str(number)) for number in range(KEPT + 1)]
    >>> kept.page(names[-1]), len(set(names))
    ('8', 9)
    """

    def __init__(self) -> None:
        self._pages: dict[str, str] = {}

    def keep(self, page: str) -> str:
        """Keep a report; return its name. The oldest goes where there are many."""
        name = secrets.token_urlsafe(BYTES)
        self._pages[name] = page
        while len(self._pages) > KEPT:
            del self._pages[next(iter(self._pages))]
        return name

    def page(self, name: str) -> str:
        if name not in self._pages:
            raise DataError("this report is not kept any longer.", "Judge the program again.")
        return self._pages[name]


def add_to(app: FastAPI, place: Workplace, desk: Desk) -> None:
    """Add its requests to the application."""
    del desk  # what is slow here has a bench of its own
    reports = Reports()
    app.state.judging = bench = Bench()

    @app.get("/api/programs")
    async def programs() -> dict[str, Any]:
        """The programs of the library, with their texts, and the claims that have a name."""
        texts = {name: program_text(name) for name in program_names()}
        listed = [
            {
                "name": name,
                "text": text,
                "about": _about(text),
                "machine": machine_in(text),
            }
            for name, text in texts.items()
        ]
        claims = [{"name": name, "label": label} for name, label in CLAIMS.items()]
        return {"ok": True, "programs": listed, "claims": claims}

    @app.post("/api/verify")
    async def judge(body: ToJudge) -> Response:
        """What a program loses at most, or where it loses too much."""
        found = await bench.answer("judge_program", body.model_dump(), instead="snapdp lab verify")
        return with_report(found, reports).response

    @app.get("/verdict", include_in_schema=False)
    async def report(id: Annotated[str, Query(max_length=100)]) -> HTMLResponse:
        """The report of a verdict, shown in the browser, where it can do nothing."""
        return HTMLResponse(reports.page(id), headers={"content-security-policy": REPORT_POLICY})

    @app.post("/api/audit")
    async def audit(body: OfRecord) -> Response:
        """Everything public in a record derived again, and the charge behind it where there is a ledger."""
        given = {"record": body.record, "ledger": _ledger(place, body), "directory": str(place.directory)}
        return (await bench.answer("audit_record", given, instead="snapdp verify RECORD")).response


def _about(text: str) -> str:
    """Return what the comment of a program says, with the field of the page instead of the flag."""
    return comment_of(text).replace("--machine ", "machine ")


def with_report(found: Answered, reports: Reports) -> Answered:
    """Return a verdict with the name of its report instead of the report; refusals have none."""
    if "page" not in found.values:
        return found
    kept = {key: value for key, value in found.values.items() if key != "page"}
    page = found.values["page"]
    return Answered(found.status, {**kept, "report": reports.keep(page) if page else None})


def _ledger(place: Workplace, body: OfRecord) -> str | None:
    return place.ledger if place.has_ledger and not body.alone else None
