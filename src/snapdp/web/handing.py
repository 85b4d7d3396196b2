"""Files of a release, handed out: to requests of the page, and to links, which carry a seal.

Room: web. A link cannot send what the page's script keeps. So the page asks for addresses, each with a seal that opens
one file; a report is shown in the browser where it can do nothing, everything else is saved under a name of ours.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import FastAPI, Query
from fastapi.responses import Response

from snapdp.errors import DataError
from snapdp.web.bodies import OfAccount
from snapdp.web.releasing import FILES, file_content, found_charge
from snapdp.web.tokens import Tokens
from snapdp.web.waiting import Desk
from snapdp.web.workplace import Workplace

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
    async def addresses(body: OfAccount) -> dict[str, Any]:
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


def _addresses(place: Workplace, body: OfAccount, tokens: Tokens) -> dict[str, Any]:
    _, result = found_charge(place, body.dataset, body.number)

    def address(name: str, *, shown: bool = False) -> str:
        about: dict[str, Any] = {"dataset": body.dataset, "number": body.number, "name": name}
        seal = tokens.seal(body.dataset, body.number, name, shown)
        return f"{LINK}?{urlencode({**about, **({'shown': 'true'} if shown else {}), 'seal': seal})}"

    names = (*FILES, *result.files())
    return {"ok": True, "report": address(REPORT, shown=True), "files": {name: address(name) for name in names}}
