"""Releases on the page: what will run, the preview before it, the charge, and the numbers with their files.

Each answer is one library call. What a release answers is read from its record alone: two neighbouring tables that lead
to one record lead to one answer. The preview is a request of its own. Files are made from what the ledger holds, and
named by us. A link cannot send the secret of the page's script, so the page asks for addresses with a seal, each of
which opens one file. A report is shown in the browser where it can do nothing; everything else is saved.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import FastAPI, Query
from fastapi.responses import Response

from snapdp.api.study import Study
from snapdp.audits.certificates import accepted_certificate
from snapdp.display.numbers import exact_amount
from snapdp.display.text import confidence, one_line, visible_lines
from snapdp.errors import BudgetError, DataError, LedgerError, SnapdpError
from snapdp.exact.numbers import parameter
from snapdp.ledger.accounts import Account, Charge
from snapdp.ledger.chain import canonical
from snapdp.ledger.rules import identical
from snapdp.release.numbers import Number, NumberBlock, crossed, shown_row
from snapdp.release.remarks import declared_clauses, remarks_on
from snapdp.release.request import Request
from snapdp.release.result import Release
from snapdp.studies.declarations import digest
from snapdp.studies.labels import told_apart
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import Values
from snapdp.web.gate import Tokens
from snapdp.web.plans import repeated
from snapdp.web.queues import Desk
from snapdp.web.schema import OfAccount, OfStudy, ToRelease
from snapdp.web.workplace import Workplace

MOST_ROWS = 200  # of one statistic on the page; files hold all
VALUES = ("values.csv", "values.parquet")
FILES = ("report.html", "record.json", *VALUES, "datapackage.json", "certificate.json")
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".parquet": "application/vnd.apache.parquet",
}
COST_CHANGED = "Look at the plan again, and release what it shows. Nothing was spent."
LOOK_AGAIN = "Look at what is shown now, and agree to that. Nothing was spent."


class Progress:
    """How far the scan of a release is, in percent; None while nothing is read."""

    def __init__(self) -> None:
        self._connection: Any = None
        self._lock = Lock()

    @contextmanager
    def watch(self, connection: Any) -> Iterator[None]:
        """Keep a connection in view until its scan ends; other engines do not tell."""
        with self._lock:
            self._connection = connection if hasattr(connection, "query_progress") else None
        try:
            yield
        finally:
            with self._lock:
                self._connection = None

    @property
    def percent(self) -> float | None:
        with self._lock:
            return None if self._connection is None else max(0.0, float(self._connection.query_progress()))


def what_runs(place: Workplace, body: OfStudy) -> Values:
    """Return what a release would do: the statement, its cost, what would remain, and whether it was answered before.

    It is the release itself, which ends where it would charge: what that refuses is refused here, before rows are read.
    """
    asked = place.asked(body.study)
    request, table = asked.request(), place.opened_table(asked)
    with place.opened_ledger() as ledger:
        account = ledger.account(asked.dataset)
        try:
            asked.release(table, ledger=ledger, directory=place.directory, ask=_end)
            is_free = True
        except _WouldCharge:
            is_free = False
    left = account.left if is_free else account.left - request.epsilon
    sql, earlier = asked.sql(table), repeated(place, account, asked, request.plan)[1]
    return {
        "ok": True,
        "account_shown": one_line(account.name),
        "table_shown": place.table_shown,
        "asked": _asked(request),
        "sql": sql,
        "sql_shown": visible_lines(sql),
        "cost": "0" if is_free else str(request.epsilon),  # what is agreed to: see `release_answer`
        "cost_shown": exact_amount(request.epsilon),
        "left": str(account.left),
        "left_shown": exact_amount(account.left),
        "remains_shown": exact_amount(left),
        "free": is_free,
        "agreed": agreement(request, sql, account),
        "released": [None if is_free else each for each in earlier],
    }


def agreement(request: Request, sql: str, account: Account) -> str:
    """Return what is agreed to when a release is charged: what is asked, by which statement, and from what is left."""
    said = {"request": identical(request.epsilon, request.declaration), "sql": sql}
    return digest(canonical({**said, "account": account.name, "left": str(account.left)}))


def _asked(request: Request) -> list[Values]:
    """Return what is asked for and what is declared of it, in words."""
    titles = told_apart(line.statistic.readable_title for line in request.lines)
    return [
        {"title": one_line(title), "says": declared_clauses(each), "numbers": _how_many(line.statistic)}
        for title, line, each in zip(titles, request.lines, request.declaration["statistics"], strict=True)
    ]


def _how_many(statistic: Statistic) -> int:
    """Return how many numbers are drawn in its table, and in those of its margins."""
    margins = statistic.margins
    return statistic.cells if margins is None else sum(map(margins.cells, margins.measured))


class _WouldCharge(Exception):
    """A release has come to where it charges."""


def _end() -> None:
    raise _WouldCharge


def looked_at(place: Workplace, body: OfStudy, progress: Progress) -> Values:
    """Return how the cells are read, in classes and shapes: for whoever may read the table, and not to be kept."""
    asked = place.asked(body.study)
    look = asked.inspect(place.opened_table(asked), watch=progress.watch)
    return {"ok": True, "heads": list(look.heads), "lines": [list(each) for each in look.lines], "notes": look.notes}


def release_answer(place: Workplace, body: ToRelease, progress: Progress) -> Values:
    """Release, and return the numbers. What was shown is agreed to: who was told that it is free pays nothing.

    Where something is charged, request, statement, account and what it has left are those that were shown. The very
    same that was answered meanwhile is free, whoever agreed to pay.
    """
    asked = place.asked(body.study)
    request, agreed = asked.request(), parameter(body.cost, name="cost")
    if agreed not in (0, request.epsilon):
        raise _costs_other(request.epsilon)

    table = place.opened_table(asked)
    with place.opened_ledger() as ledger:

        def charge() -> None:
            if agreed == 0:
                raise _costs_other(request.epsilon)
            if body.agreed != agreement(request, asked.sql(table), ledger.account(asked.dataset)):
                raise BudgetError("this is not what was shown: the study or the account is another now.", LOOK_AGAIN)

        result = asked.release(table, ledger=ledger, directory=place.directory, watch=progress.watch, ask=charge)
        try:
            found = ledger.charge_of(result.record)
            assert found is not None
            return {**release_values(result, asked, found), "free": result.free}
        except SnapdpError as problem:  # the release was made all the same
            told = "The release was made: the same request again is free, and the ledger page shows its numbers."
            spent = "0" if result.free else result.charged
            failure = type(problem)(problem.problem, told, spent=spent)
        raise failure


def _costs_other(epsilon: Fraction) -> BudgetError:
    told = f"this costs epsilon {exact_amount(epsilon)}, and not what was shown."
    return BudgetError(told, COST_CHANGED, cost=epsilon)


def release_values(result: Release, asked: Study | None, charge: Charge) -> Values:
    """Return the numbers of a release as the page shows them, and where its files are."""
    every = list(result.blocks())
    blocks = [block for block in every if block.is_first]
    return {
        "ok": True,
        "dataset": str(result.record["dataset"]),
        "number": charge.number,
        "charged": result.charged,
        "charged_shown": exact_amount(parameter(result.charged, name="charged")),
        "blocks": [_block(block) for block in blocks],
        "remarks": remarks_on(result.record, every, most=MOST_ROWS),
        "files": list(FILES),
        "beside": result.files(),
        "keeps_texts": asked is not None and result.free and _has_other_texts(result, asked),
    }


def _has_other_texts(result: Release, asked: Study) -> bool:
    from snapdp.display.text import PUBLIC_TEXTS

    return any(asked.declared.texts.get(key) != result.record.get(key) for key in PUBLIC_TEXTS)


def _block(block: NumberBlock) -> Values:
    numbers = block.readable
    return {
        "title": one_line(block.title),
        "says": declared_clauses(block.declared, cells=False),
        "rows": [_number(each) for each in numbers[:MOST_ROWS]],
        "more": max(len(numbers) - MOST_ROWS, 0),
        "cross": _cross(block) if len(numbers) <= MOST_ROWS else None,
        "single": block.is_single,
        "level": _level(numbers[0]),
    }


def _cross(block: NumberBlock) -> Values | None:
    """Return which of the rows stands where in a cross table; None where it is none."""
    found = crossed(block)
    if found is None:
        return None
    names = {key: one_line(getattr(found, key)) for key in ("down", "across")}
    rows = [{"name": one_line(name), "places": list(at)} for name, at in zip(found.rows, found.places, strict=True)]
    return {**names, "heads": list(map(one_line, found.heads)), "rows": rows}


def _number(number: Number) -> dict[str, str]:
    title, value, interval = shown_row(number)
    return {"name": one_line(title), "value": value, "interval": interval}


def _level(number: Number) -> str:
    """Return how sure the interval of a number is, such as "95 %"."""
    return confidence(parameter(number.alpha, name="alpha"))


# Files


def found_charge(place: Workplace, dataset: str, number: int) -> tuple[Charge, Release]:
    """Return a charge that was answered, and its release."""
    with place.opened_ledger() as ledger:
        charge = ledger.charge(dataset, number)
    if charge is None or charge.answer is None:
        raise LedgerError("the ledger has no such release.", "Choose one of its list.")
    return charge, Release(charge.answer.record)


def file_content(place: Workplace, dataset: str, number: int, name: str) -> tuple[bytes, str]:
    """Return a file of a release and its type: made of what the ledger holds, or one that lies beside its record."""
    _, result = found_charge(place, dataset, number)
    kind = TYPES.get(Path(name).suffix, "application/octet-stream")
    if name == "certificate.json":
        import json

        return json.dumps(accepted_certificate(result.record), sort_keys=True).encode(), kind
    if name in FILES:
        return _made(result, name), kind
    return result.bytes_beside(name, place.directory), kind


def _made(result: Release, name: str) -> bytes:
    """Return a file as `save` writes it."""
    with tempfile.TemporaryDirectory() as directory:
        wanted = Path(directory) / name
        result.save(wanted if name != "datapackage.json" else wanted.with_name(VALUES[0]))
        return wanted.read_bytes()


# Files

REPORT, LINK = "report.html", "/file"
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'"
Dataset = Annotated[str, Query(max_length=10_000, description="The name of the account.")]
EntryNumber = Annotated[int, Query(ge=0, lt=1 << 62, description="Of the charge, in the chain of its entries.")]
FileName = Annotated[str, Query(max_length=300, description="One of the files that the release names.")]
Seal = Annotated[str, Query(max_length=100)]


def add_files(app: FastAPI, place: Workplace, desk: Desk, tokens: Tokens) -> None:
    """Add the requests for files to the application."""

    @app.get("/api/file", response_class=Response)
    async def file(dataset: Dataset, number: EntryNumber, name: FileName) -> Response:
        """A file of a release, to be saved."""
        return _saved(name, *await desk.slow(partial(file_content, place, dataset, number, name)))

    @app.post("/api/addresses")
    async def addresses(body: OfAccount) -> Values:
        """Where links find the files of a release: each opens one file, as long as the page runs."""
        return await desk.quick(partial(_addresses, place, body, tokens))

    @app.get(LINK, include_in_schema=False)
    async def linked(
        dataset: Dataset, number: EntryNumber, name: FileName, seal: Seal, shown: bool = False
    ) -> Response:
        if not tokens.is_seal(seal, dataset, number, name, shown):
            raise DataError("this link opens nothing any longer.", "Go back to the page, and take the link from there.")
        content, kind = await desk.slow(partial(file_content, place, dataset, number, name))
        if shown and name == REPORT:
            return Response(content, media_type=kind, headers={"content-security-policy": REPORT_POLICY})
        return _saved(name, content, kind)


def _saved(name: str, content: bytes, kind: str) -> Response:
    return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})


def _addresses(place: Workplace, body: OfAccount, tokens: Tokens) -> Values:
    _, result = found_charge(place, body.dataset, body.number)

    def address(name: str, *, shown: bool = False) -> str:
        about = {"dataset": body.dataset, "number": body.number, "name": name}
        seal = tokens.seal(body.dataset, body.number, name, shown)
        return f"{LINK}?{urlencode({**about, **({'shown': 'true'} if shown else {}), 'seal': seal})}"

    names = (*FILES, *result.files())
    return {"ok": True, "report": address(REPORT, shown=True), "files": {name: address(name) for name in names}}
