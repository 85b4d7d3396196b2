"""Text from outside, made safe to show: names of columns, categories, titles, paths, addresses, fields of records.

Room: display. Imports nothing of the package. Such text is anybody's: it may move the cursor, hide what stands before
it, look like another text, or not fit the encoding of the screen.

    visible        what a screen would obey or not show is written out, as Python writes it: \\x1b, \\u202e, \\ud800
    encodable      what an encoding lacks is replaced: the signs that snapdp itself prints by ASCII, others written out
    shown_address, without_secrets   an address, a message with addresses: the passwords are left out

All of them leave ordinary text alone, and applying one twice changes nothing.
"""

from __future__ import annotations

import codecs
import re
from urllib.parse import unquote

LONGEST = 200  # of one text on a screen: files and --json hold it whole
ESCAPED = "snapdp.escaped"  # the error handler of streams
# Characters that Python calls printable and that show nothing: joiners, fillers, variation selectors, a blank.
_UNSEEN = frozenset(
    chr(code)
    for first, last in (
        (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800), (0x3164, 0x3164),
        (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0100, 0xE01EF),
    )
    for code in range(first, last + 1)
)  # fmt: skip
_PLAIN = {"±": "+-", "…": "...", "█": "#", **dict.fromkeys("▏▎▍▌▋▊▉", "-")}
_CREDENTIALS = re.compile(r"(?P<scheme>\b(?:postgres(?:ql)?:/*|[A-Za-z][A-Za-z0-9+.-]+:/+))(?P<user>[^\n]*)@")
_CLOSED = r"(?!['\"](?:[\s.,;:)]|$))"  # a message goes on after the quote that closes an address
_KEY = r"(?P<mark>[?&])(?P<key>[^=&?\s'\"]+)="
_QUERY, _QUERY_QUOTED = re.compile(rf"{_KEY}[^&\n]*"), re.compile(rf"{_KEY}(?:{_CLOSED}[^&\n])*")
_SETTING = re.compile(
    r"(?i)\b(?P<key>\w*(?:password|passfile|sslkey)\w*)\s*=\s*"
    rf"(?:'(?:\\.|[^'\\])*'|(?:\\.|{_CLOSED}[^\s&\\])+)"
)
_SECRET = ("password", "passfile", "sslkey", "passwd", "pwd", "secret", "token", "sig", "credential", "key")


def visible(text: str) -> str:
    """Return one line of text in which nothing moves a cursor, turns direction or goes unseen.

    >>> visible("a\\x1b[2Jb\\n"), visible("caf\\u00e9")
    ('a\\\\x1b[2Jb\\\\n', 'café')
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(each if each.isprintable() and each not in _UNSEEN else _written(each) for each in text)


def visible_lines(text: str) -> str:
    """Return a text of several lines, each of them visible."""
    return "\n".join(map(visible, text.split("\n")))


def shortened(text: str, most: int = LONGEST) -> str:
    """Return a text cut where it is very long.

    >>> shortened("a" * 30, most=10)
    'aaaaaaa...'
    """
    return text if len(text) <= most else f"{text[: most - 3]}..."


def encodable(text: str, encoding: str | None) -> str:
    """Return a text that an encoding can write.

    >>> encodable("± 3 in Zürich, 東", "ascii"), encodable("± 3 in Zürich, 東", "cp1252")
    ('+- 3 in Z\\\\xfcrich, \\\\u6771', '± 3 in Zürich, \\\\u6771')
    """
    try:
        name = codecs.lookup(encoding or "ascii").name
    except LookupError:
        name = "ascii"
    return text.encode(name, ESCAPED).decode(name)


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


def _written(character: str) -> str:
    """Return a character as Python writes it."""
    shorthand = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    code = ord(character)
    width = ("x", 2) if code < 0x100 else ("u", 4) if code < 0x10000 else ("U", 8)
    return shorthand.get(character) or f"\\{width[0]}{code:0{width[1]}x}"


def _escaped(problem: UnicodeError) -> tuple[str, int]:
    """Replace what cannot be encoded: the error handler of every stream that snapdp prints to."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    lost = problem.object[problem.start : problem.end]
    return "".join(_PLAIN.get(each) or _written(each) for each in lost), problem.end


codecs.register_error(ESCAPED, _escaped)
