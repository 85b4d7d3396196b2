"""Addresses of servers: what one is, and how one is shown, without its password.

Room: display. Tables and ledgers on a server are named by such addresses; no message, record or screen repeats one as
it was given. Leaves ordinary text alone, and applying a function twice changes nothing.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

ADDRESSES = ("postgresql://", "postgres://")
_CREDENTIALS = re.compile(r"(?P<scheme>\b(?:postgres(?:ql)?:/*|[A-Za-z][A-Za-z0-9+.-]+:/+))(?P<user>[^\n]*)@")
_CLOSED = r"(?!['\"](?:[\s.,;:)]|$))"  # a message goes on after the quote that closes an address
_KEY = r"(?P<mark>[?&])(?P<key>[^=&?\s'\"]+)="
_QUERY, _QUERY_QUOTED = re.compile(rf"{_KEY}[^&\n]*"), re.compile(rf"{_KEY}(?:{_CLOSED}[^&\n])*")
_SETTING = re.compile(
    r"(?i)\b(?P<key>\w*(?:password|passfile|sslkey)\w*)\s*=\s*"
    rf"(?:'(?:\\.|[^'\\])*'|(?:\\.|{_CLOSED}[^\s&\\])+)"
)
_SECRET = ("password", "passfile", "sslkey", "passwd", "pwd", "secret", "token", "sig", "credential", "key")


def is_address(data: object) -> bool:
    """Return whether some data are the address of a server."""
    return isinstance(data, str) and data.startswith(ADDRESSES)


def shown_address(address: str) -> str:
    """Return an address, or the path of a file, without its password, whichever way it was given.

    Between the scheme and the last @ only the user stays: what stands there may be any part of a password.

    >>> shown_address("postgresql://ann:s3cr@t@db/people?sslmode=require&password=x")
    'postgresql://ann@db/people?sslmode=require'
    >>> shown_address("host=db user=ann password='a b' dbname=people")
    'host=db user=ann password=... dbname=people'
    """
    return _bare(address, _QUERY)


def without_secrets(text: str) -> str:
    """Return a message in which addresses, between quotes or at its end, have no password.

    >>> without_secrets("the ledger 'postgresql:/db/people?password=x' is not there.")
    "the ledger 'postgresql:/db/people' is not there."
    """
    return _bare(text, _QUERY_QUOTED)


def _bare(text: str, query: re.Pattern[str]) -> str:
    while (less := query.sub(_query, text)) != text:
        text = less
    return _SETTING.sub(r"\g<key>=...", _CREDENTIALS.sub(_named, text.replace("?&", "?")))


def _named(found: re.Match[str]) -> str:
    """Return scheme and user of an address: a colon, encoded or not, begins the password."""
    user = re.split(r":|%3[Aa]|[/?#@\s]", found["user"], maxsplit=1)[0]
    return f"{found['scheme']}{user}@"


def _query(found: re.Match[str]) -> str:
    secret = any(word in unquote(found["key"]).lower() for word in _SECRET)
    if not secret:
        return found[0]
    return "?" if found["mark"] == "?" and found.string[found.end() : found.end() + 1] == "&" else ""
