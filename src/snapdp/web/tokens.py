"""Who may use the page: a token that is printed once, and what it is exchanged for.

Room: web. The token stands in the address that the terminal prints; it opens the page once. It is exchanged for two
things: a cookie that no script reads, which shows the pages; and a secret that the page's own script keeps and sends
with every request, which alone asks for anything. A browser sends a cookie to every port of a host, hence to whoever
else listens on this machine; what a script keeps belongs to one port. Files that a link opens have a seal instead.
All are 256 random bits, or keyed by such, and compared in constant time. A new exchange ends what was before.
"""

from __future__ import annotations

import hmac
import json
import secrets
from hashlib import sha256
from threading import Lock
from typing import NamedTuple

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
