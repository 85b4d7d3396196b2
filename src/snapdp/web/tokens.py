"""Who may use the page: a token that is printed once, and the session that it is exchanged for.

Room: web. The token stands in the address that the terminal prints; it opens the page once. The session is a cookie
that no script reads and no other site sends. Both are 256 random bits, compared in constant time.
"""

from __future__ import annotations

import secrets
from threading import Lock

BYTES = 32


class Tokens:
    """The token of the next address, and the session of those who came in.

    >>> tokens = Tokens()
    >>> first = tokens.token
    >>> tokens.exchanged("guess"), tokens.exchanged(first) == tokens.session, tokens.exchanged(first)
    (None, True, None)
    """

    def __init__(self) -> None:
        self.session = secrets.token_urlsafe(BYTES)
        self._token: str | None = secrets.token_urlsafe(BYTES)
        self._lock = Lock()

    @property
    def token(self) -> str:
        """Return the token of the next address; a new one where the last was used."""
        with self._lock:
            if self._token is None:
                self._token = secrets.token_urlsafe(BYTES)
            return self._token

    def exchanged(self, given: str) -> str | None:
        """Return the session for the token, once; None for anything else, which uses nothing up."""
        with self._lock:
            if self._token is None or not _same(given, self._token):
                return None
            self._token = None
            return self.session

    def opens(self, session: str) -> bool:
        """Tell whether a cookie is the session."""
        return _same(session, self.session)


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode("utf-8", "replace"), other.encode())
