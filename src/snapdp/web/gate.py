"""What a request must be before anything looks at it: from this machine, from this page, with its token.

One ASGI layer around the application; it refuses with the one shape of errors, and puts the same headers on every
answer. Names of hosts are listed, so that no name of another site leads here (DNS rebinding); ports are not, because a
tunnel may use another. Whatever changes something is JSON, from the page itself.

    Host            one of ours, once                                       every request
    session         the cookie                                              all but reads of the entrance
    secret          the header that the page's own script sends             every request for JSON
    Origin          http://Host                                             writes
    Sec-Fetch-Site  same-origin, where a browser sends it                   writes; reads may come from nowhere
    Sec-Fetch-Mode  navigate, where a browser sends it                      the entrance
    Content-Type    application/json                                        writes
    size            at most MOST_BYTES, counted while it comes              writes

The terminal prints a token once. It opens the page once, and is exchanged for a cookie that no script reads, which
shows the pages, and a secret that the page's script keeps and sends, which alone asks for anything. A browser sends a
cookie to every port of a host, hence to any other program that listens on this machine; what a script keeps belongs to
one port. Files that a link opens have a seal instead. All are 256 random bits, or keyed by such, and compared in
constant time. A new exchange ends the one before.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Iterable
from hashlib import sha256
from threading import Lock
from typing import Any, NamedTuple

from snapdp.web.refusals import MOST_BYTES, REFUSED, PageRefusal, refusal_values

HOSTS = ("127.0.0.1", "localhost")
WRITES = ("POST",)
READS = ("GET", "HEAD")
ENTRANCE = "/start"
API, SECRET = "/api/", "x-snapdp-secret"
OPEN_TO_ALL = (ENTRANCE, "/static/page.css")
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
Scope = dict[str, Any]


class Gate:
    """The layer around an application."""

    def __init__(self, app: Any, *, tokens: Tokens, cookie: str) -> None:
        self.app, self.tokens, self.cookie = app, tokens, cookie

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there is no socket here
            return
        refused = self._refused(scope)
        if refused is not None:
            await _answer(send, refused)
            return
        if scope["method"] in WRITES:
            try:
                whole = await _whole(receive)
            except ConnectionError:  # nobody is there to be answered, and what came was not all
                return
            if whole is None:
                await _answer(send, REFUSED["too large"])
                return
            receive = _again(whole, receive)
        await self.app(scope, receive, _with_headers(send))

    def _refused(self, scope: Scope) -> PageRefusal | None:
        """Return why a request is refused; None where it may pass."""
        host = _only(scope, b"host")
        if host is None or _name(host) not in HOSTS:
            return REFUSED["not this machine"]
        method = scope["method"]
        if method not in (*READS, *WRITES):
            return REFUSED["no such request"]
        is_open = method in READS and scope["path"] in OPEN_TO_ALL  # the body of a write is kept in memory
        if not is_open and not (self._has_session(scope) and _is_own(scope)):
            return REFUSED["not yours"]
        if scope["path"] == ENTRANCE and not _is_visit(scope):
            return REFUSED["not yours"]
        if scope["path"].startswith(API) and not self.tokens.asks(_only(scope, SECRET.encode()) or ""):
            return REFUSED["not yours"]
        return self._refused_write(scope, host) if method in WRITES else None

    def _has_session(self, scope: Scope) -> bool:
        """Tell whether one of the cookies is the session: another port of this host may have set others."""
        return any(name == self.cookie and self.tokens.opens(value) for name, value in _cookies(scope))

    def _refused_write(self, scope: Scope, host: str) -> PageRefusal | None:
        site = _only(scope, b"sec-fetch-site", absent="same-origin")
        if _only(scope, b"origin") != f"http://{host}" or site != "same-origin":
            return REFUSED["another page"]
        kind = (_only(scope, b"content-type") or "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return REFUSED["no JSON"]
        length = _only(scope, b"content-length", absent="0")
        return None if length is not None and _is_small(length) else REFUSED["too large"]


async def _whole(receive: Any) -> bytes | None:
    """Return a body, counted while it comes, whatever its headers say; None where it is longer than it may be."""
    found, is_there_more = bytearray(), True
    while is_there_more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionError
        found += message.get("body", b"")
        is_there_more = message.get("more_body", False)
        if len(found) > MOST_BYTES:
            return None
    return bytes(found)


def _again(body: bytes, receive: Any) -> Any:
    """Return what a body that came is received by, and then whatever comes after it."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Any:
        return waiting.pop() if waiting else await receive()

    return received


def _is_own(scope: Scope) -> bool:
    """Tell whether a request comes from the page itself, or from nowhere, as an address that is typed."""
    return _only(scope, b"sec-fetch-site", absent="none") in ("same-origin", "none")


def _is_visit(scope: Scope) -> bool:
    """Tell whether somebody visits the entrance: no script of whatever page uses a token up."""
    return _only(scope, b"sec-fetch-mode", absent="navigate") == "navigate"


def _is_small(length: str) -> bool:
    """Tell whether a length is one that a body may have.

    >>> _is_small("120"), _is_small(str(MOST_BYTES + 1)), _is_small("9" * 5000), _is_small("-1")
    (True, False, False, False)
    """
    return _is_whole(length) and len(length) <= len(str(MOST_BYTES)) and int(length) <= MOST_BYTES


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _with_headers(send: Any) -> Any:
    """Return what sends an answer with the headers of every answer; those that it has itself stay."""

    async def sent(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in own]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return sent


async def _answer(send: Any, refused: PageRefusal) -> None:
    content = json.dumps(refusal_values(refused.error, refused.advice)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    sent = _with_headers(send)
    await sent({"type": "http.response.start", "status": refused.status, "headers": headers})
    await sent({"type": "http.response.body", "body": content})


def _only(scope: Scope, name: bytes, absent: str | None = None) -> str | None:
    """Return a header that stands there once; what is said of one that is absent; None where it stands there twice."""
    found = [value for key, value in scope["headers"] if key == name]
    if len(found) > 1:
        return None
    return found[0].decode("latin-1") if found else absent


def _name(host: str) -> str:
    """Return the name of a host without its port.

    >>> _name("127.0.0.1:8765"), _name("localhost"), _name("localhost:80:80")
    ('127.0.0.1', 'localhost', '')
    """
    name, _, port = host.partition(":")
    return name.lower() if _is_whole(port) or not port else ""


def _cookies(scope: Scope) -> Iterable[tuple[str, str]]:
    for key, value in scope["headers"]:
        if key == b"cookie":
            for each in value.decode("latin-1").split(";"):
                name, _, text = each.strip().partition("=")
                yield name, text


# Token, session, secret and seals

BYTES = 32


class Admission(NamedTuple):
    """What a token is exchanged for."""

    session: str
    secret: str


class Tokens:
    """The token of the next address, and what those hold who came in last.

    >>> tokens = Tokens()
    >>> first = tokens.token
    >>> tokens.exchanged("guess"), tokens.exchanged(first) == tokens.entry, tokens.exchanged(first)
    (None, True, None)
    """

    def __init__(self) -> None:
        self.entry = _admitted()
        self._token: str | None = secrets.token_urlsafe(BYTES)
        self._key = secrets.token_bytes(BYTES)
        self._lock = Lock()

    @property
    def token(self) -> str:
        """Return the token of the next address; a new one where the last was used."""
        with self._lock:
            if self._token is None:
                self._token = secrets.token_urlsafe(BYTES)
            return self._token

    def exchanged(self, given: str) -> Admission | None:
        """Return what the token is exchanged for, once; None for anything else, which uses nothing up."""
        with self._lock:
            if self._token is None or not _same(given, self._token):
                return None
            self._token, self.entry = None, _admitted()
            return self.entry

    def opens(self, session: str) -> bool:
        """Tell whether a cookie is the session."""
        return _same(session, self.entry.session)

    def asks(self, secret: str) -> bool:
        """Tell whether a request has the secret."""
        return _same(secret, self.entry.secret)

    def seal(self, *names: object) -> str:
        """Return what makes a link to a file work: it opens this one alone, as long as the page runs."""
        return hmac.new(self._key, json.dumps(names).encode(), sha256).hexdigest()

    def is_seal(self, given: str, *names: object) -> bool:
        return _same(given, self.seal(*names))


def _admitted() -> Admission:
    return Admission(secrets.token_urlsafe(BYTES), secrets.token_urlsafe(BYTES))


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode("utf-8", "replace"), other.encode())
