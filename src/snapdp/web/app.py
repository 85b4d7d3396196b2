"""The application: its pages, its JSON requests, and the gate around both.

Every request is read, given to one function and answered; refusals have one shape. Work that takes long has
a limit of its own, so that plans stay quick beside it, and so many wait for it at most.
"""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, PackageLoader, select_autoescape
from starlette.exceptions import HTTPException

from snapdp import __version__
from snapdp.api.consequence import consequence
from snapdp.api.outline import python_text, study_values_of
from snapdp.errors import UNKNOWN, ParameterError, SnapdpError
from snapdp.studies.study_file import DeclaredStudy, study_from_toml, study_to_toml
from snapdp.values import Values
from snapdp.web.gate import ENTRANCE, Gate, Tokens
from snapdp.web.plans import account_answer, account_standing, forms, plan_answer, planned
from snapdp.web.queues import Busy, Desk
from snapdp.web.refusals import REFUSED, PageRefusal, refusal_values, shape_problem, status_of, told
from snapdp.web.releases import Progress, add_files, looked_at, release_answer, what_runs
from snapdp.web.schema import (
    FromFile,
    OfDataset,
    OfForm,
    OfStudy,
    RefusalBody,
    ToImagine,
    ToOpen,
    ToPlan,
    ToRelease,
    document,
)
from snapdp.web.workplace import Workplace

PAGES = {"/": "plan.html", "/ledger": "ledger.html", "/verify": "verify.html"}
LARGEST_EXACT = 1 << 53  # a browser rounds larger whole numbers
REFUSALS: dict[int | str, Values] = {
    status: {"model": RefusalBody} for status in sorted({409, *(each.status for each in REFUSED.values())})
}
AsCommand = Callable[[DeclaredStudy], dict[str, Any]]


class AsciiResponse(JSONResponse):
    """JSON in ASCII: half a character that somebody pasted is written out, like everything else beyond it."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def application(place: Workplace, tokens: Tokens, *, cookie: str, as_command: AsCommand) -> Any:
    """Return the whole application, gate included.

    as_command   returns a study as a command, {"command": ..., "reason": ...}: the command line knows its flags
    """
    app = FastAPI(
        default_response_class=AsciiResponse,
        title="snapdp",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        responses=REFUSALS,
        redirect_slashes=False,
    )
    desk, progress = Desk(), Progress()
    with suppress(SnapdpError), place.opened_ledger():  # none yet, or one that cannot be reached: told on the page
        pass
    app.state.place, app.state.desk, app.state.progress = place, desk, progress
    _pages(app, tokens, cookie)
    _requests(app, place, desk, progress, as_command)
    add_files(app, place, desk, tokens)
    for name in ("ledger", "verification"):
        import_module(f"snapdp.web.{name}").add_to(app, place, desk)
    _refusals(app)
    document(app)
    here = Path(__file__).parent
    app.mount("/static", StaticFiles(directory=here / "static"), name="static")
    return Gate(app, tokens=tokens, cookie=cookie)


# Pages


def _pages(app: FastAPI, tokens: Tokens, cookie: str) -> None:
    templates = Environment(
        loader=PackageLoader("snapdp.web"), autoescape=select_autoescape(default=True, default_for_string=True)
    )

    def shown(name: str, status: int = 200, **values: Any) -> HTMLResponse:
        return HTMLResponse(templates.get_template(name).render(version=__version__, **values), status_code=status)

    @app.get(ENTRANCE, include_in_schema=False)
    def enter(request: Request, token: str = "") -> HTMLResponse:
        """Exchange the token for a session, by a page that moves on: a redirect would lose the cookie."""
        entry = tokens.exchanged(token)
        if entry is None and not tokens.opens(request.cookies.get(cookie, "")):
            return shown("refused.html", 403)
        found = shown("entered.html", secret="" if entry is None else entry.secret)
        if entry is not None:
            found.set_cookie(cookie, entry.session, httponly=True, samesite="strict", path="/")
        return found

    for path, name in PAGES.items():

        def page(name: str = name, path: str = path) -> HTMLResponse:
            return shown(name, path=path)

        app.get(path, include_in_schema=False)(partial(page, name, path))


# Requests


def _requests(app: FastAPI, place: Workplace, desk: Desk, progress: Progress, as_command: AsCommand) -> None:
    @app.get("/api/state")
    async def state() -> Values:
        """What was named on the command line, and what forms can hold."""
        return await desk.quick(partial(_state, place))

    @app.post("/api/plan")
    async def plan(body: ToPlan) -> Values:
        """What a study costs and is worth, after an edit."""
        return await desk.quick(partial(plan_answer, place, body))

    @app.post("/api/consequence")
    async def imagined(body: ToImagine) -> Values:
        """What would follow from one statistic, if its true value were a number: pictures and sentences."""
        return await desk.quick(partial(_consequence, place, body))

    @app.post("/api/columns")
    async def columns(body: OfForm) -> Values:
        """The names of the table's columns, if its file is written so; never a cell."""
        return await desk.quick(lambda: {"ok": True, "data": place.known_columns(body.csv)})

    @app.post("/api/study")
    async def opened(body: FromFile) -> Values:
        """A study file as the page holds it."""
        return await desk.quick(partial(_opened, place, body))

    @app.post("/api/copy")
    async def copied(body: OfStudy) -> Values:
        """A study as a command, as Python, and as a study file."""
        return await desk.quick(partial(_copied, place, body, as_command))

    @app.post("/api/account")
    async def account(body: OfDataset) -> Values:
        """How an account stands, and what a study must say to ask it; null where there is none."""
        return await desk.quick(partial(_account, place, body))

    @app.post("/api/open")
    async def open_account(body: ToOpen) -> Values:
        """Open the account of a study, in a new ledger or an old one."""
        return await desk.quick(partial(_opened_account, place, body))

    @app.post("/api/before")
    async def before(body: OfStudy) -> Values:
        """What a release would do and cost; refused where it cannot be paid."""
        return await desk.slow(partial(what_runs, place, body))

    @app.post("/api/inspect")
    async def look(body: OfStudy) -> Values:
        """How the cells of the table are read, in classes: for whoever may read it, and not to be kept."""
        return await desk.slow(partial(looked_at, place, body, progress))

    @app.post("/api/release")
    async def release(body: ToRelease) -> Values:
        """Charged: release a study."""
        return await desk.slow(partial(release_answer, place, body, progress))

    @app.get("/api/progress")
    async def how_far() -> Values:
        """How far the scan of a release is, in percent; null while nothing is read."""
        return {"ok": True, "percent": progress.percent}


def _state(place: Workplace) -> Values:
    opened = place.opened_study()
    values = None if opened is None else _for_browser(opened.declared)
    return {
        "ok": True,
        "version": __version__,
        "study": values,
        "data": place.known_columns((values or {}).get("csv")),
        "ledger": {"path": place.ledger_shown, "is_there": place.has_ledger},
        "forms": forms(),
    }


def _for_browser(study: DeclaredStudy) -> Values:
    """Return a study as the page holds it: without its data, and with whole numbers that no double holds as text."""
    return {key: _exact(value) for key, value in study_values_of(study).items() if key != "data"}


def _exact(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _exact(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_exact(each) for each in value]
    return str(value) if type(value) is int and abs(value) > LARGEST_EXACT else value


def _consequence(place: Workplace, body: ToImagine) -> Values:
    asked, _, plan = planned(place, body)
    account = place.account(asked.dataset)
    found = consequence(plan, body.place, part=body.part, value=body.value, account=account, paid=body.paid)
    return {"ok": True, **found.values()}


def _opened(place: Workplace, body: FromFile) -> Values:
    return {"ok": True, "study": _for_browser(study_from_toml(body.toml, read_keys=place.read_keys))}


def _copied(place: Workplace, body: OfStudy, as_command: AsCommand) -> Values:
    asked = place.asked(body.study)
    python = python_text(asked.declared, data=place.data, ledger=place.ledger, table=place.table)
    return {"ok": True, **as_command(asked.declared), "python": python, "toml": study_to_toml(asked.declared)}


def _account(place: Workplace, body: OfDataset) -> Values:
    found = place.account(body.dataset)
    return {"ok": True, "account": None if found is None else account_standing(found)}


def _opened_account(place: Workplace, body: ToOpen) -> Values:
    asked = place.asked(body.study)
    if not body.cap.strip():
        raise ParameterError("the cap is empty.", "Say what may ever be spent on this dataset. Nothing was changed.")
    account = place.open_account(asked, cap=body.cap)
    return {"ok": True, "account": account_answer(account, asked, asked.plan())}


# Refusals


def _refusals(app: FastAPI) -> None:
    def refused(why: PageRefusal, **how: str) -> AsciiResponse:
        return AsciiResponse(refusal_values(why.error, why.advice, **how), status_code=why.status)

    @app.exception_handler(SnapdpError)
    async def of_library(_: Request, refusal: SnapdpError) -> AsciiResponse:
        return AsciiResponse(told(refusal), status_code=status_of(refusal))

    @app.exception_handler(RequestValidationError)
    async def of_shape(_: Request, problem: RequestValidationError) -> AsciiResponse:
        return refused(REFUSED["another shape"]._replace(error=shape_problem(problem.errors()[0])))

    @app.exception_handler(HTTPException)
    async def of_address(_: Request, problem: HTTPException) -> AsciiResponse:
        if problem.status_code == 400:  # a body that no reader of JSON takes: too deep, or a number too long
            return refused(REFUSED["unreadable"])
        return refused(REFUSED["no such page"]._replace(status=problem.status_code))

    @app.exception_handler(Busy)
    async def of_busy(_: Request, __: Busy) -> AsciiResponse:
        return refused(REFUSED["busy"])

    @app.exception_handler(Exception)
    async def of_defect(_: Request, broken: Exception) -> AsciiResponse:
        if os.environ.get("SNAPDP_TRACEBACK"):
            traceback.print_exception(broken)
        return refused(REFUSED["defect"], spent=UNKNOWN)
