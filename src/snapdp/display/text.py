"""Text made safe to show, addresses without passwords, and numbers in words.

Names of columns, categories, titles, paths and fields of records come from outside: such text may move the cursor, hide
what stands before it, look like another text, or not fit the encoding of the screen.

    visible        what a screen would obey or not show is written out, as Python writes it: \\x1b, \\u202e, \\ud800
    encodable      what an encoding lacks is replaced: the signs that snapdp itself prints by ASCII, others written out

Tables and ledgers on a server are named by addresses; no message, record or screen repeats one as it was given. All of
these functions leave ordinary text alone, and applying one twice changes nothing.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from fractions import Fraction
from urllib.parse import unquote

from snapdp.display.numbers import exact_amount
from snapdp.exact.enclosure import Enclosure, decided_ceil, enclose
from snapdp.exact.functions import exp_enclosure

LONGEST = 200  # of one text on a screen: files and --json hold it whole
PUBLIC_TEXTS = ("title", "publisher", "contact")  # of a study, for readers of its report
LONGEST_TEXT = 200  # characters of one of them
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


def is_public_text(text: object) -> bool:
    """Tell whether a text can stand in a record for readers of a report: one line, of printable characters.

    >>> is_public_text("Income in 2026"), is_public_text(" "), is_public_text("two\\nlines"), is_public_text(7)
    (True, False, False, False)
    """
    return isinstance(text, str) and text.isprintable() and bool(text.strip()) and len(text) <= LONGEST_TEXT


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


def one_line(text: str, most: int = LONGEST) -> str:
    """Return text from outside as it can stand in a sentence: visible, and not too long.

    >>> one_line("a\\n" + "b" * 30, most=10)
    'a\\\\nbbbb...'
    """
    return shortened(visible(text), most)


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

# Addresses of servers

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


# What a number means, in words, where people might not see it.

HIDES_NOTHING = 20  # e**20 is more than 480 million


def hides_nothing(epsilon: Fraction) -> str:
    """Return a warning for an epsilon that does not protect; empty for any other.

    >>> hides_nothing(Fraction(20)), hides_nothing(Fraction(41, 2))[:29]
    ('', 'Epsilon 20.5 hides nothing: w')
    """
    if epsilon <= HIDES_NOTHING:
        return ""
    return (
        f"Epsilon {exact_amount(epsilon)} hides nothing: what is published can be more than 480 million times likelier "
        "for one of two neighbouring tables than for the other."
    )


def confidence(alpha: Fraction) -> str:
    """Return the probability 1 - alpha: in percent where that is a short decimal.

    >>> confidence(Fraction(1, 20)), confidence(Fraction(1, 1000)), confidence(Fraction(1, 3))
    ('95 %', '99.9 %', '1 - 1/3')
    """
    found = percent(1 - alpha)
    return found if found.endswith("%") else f"1 - {exact_amount(alpha)}"


def how_often(alpha: Fraction) -> str:
    """Return how often something holds that may fail with alpha.

    >>> how_often(Fraction(1, 20)), how_often(Fraction(1, 1000)), how_often(Fraction(1, 3))
    ('in 95 of 100 releases', 'in 999 of 1000 releases', 'with probability 1 - 1/3')
    """
    for cases in (100, 1000, 10_000):
        holds = cases * (1 - alpha)
        if holds.denominator == 1:
            return f"in {holds} of {cases} releases"
    return f"with probability {confidence(alpha)}"


def each_by_itself(what: str, numbers: Sequence[int]) -> str:
    """Return that what is said of several numbers holds for each of them, not for all at once; empty where none is.

    numbers   so many stand behind each line, or in each table, that it is said of

    >>> each_by_itself("±", [1, 1]), each_by_itself("±", [6])
    ('', '± holds for each of the 6 numbers by itself, not for all at once.')
    >>> each_by_itself("The interval", [4, 1])
    'The interval holds for each number by itself, not for all at once.'
    """
    if max(numbers, default=1) == 1:
        return ""
    each = f"each of the {numbers[0]:,} numbers" if len(numbers) == 1 else "each number"
    return f"{what} holds for {each} by itself, not for all at once."


def percent(share: Fraction) -> str:
    """Return a share in percent where that is a short decimal, else the share itself.

    >>> percent(Fraction(1, 20)), percent(Fraction(1, 1000)), percent(Fraction(1, 3))
    ('5 %', '0.1 %', '1/3')
    """
    found = exact_amount(100 * share)
    return exact_amount(share) if "/" in found else f"{found} %"


def above_or_below(share: Fraction) -> str:
    """Return by how much something differs from what it is compared with, in percent and to nearest.

    >>> above_or_below(Fraction(21, 1000)), above_or_below(Fraction(-1, 3))
    ('2.1 % above', '33.3 % below')
    """
    return f"{float(100 * abs(share)):.1f} % {'above' if share >= 0 else 'below'}"


def listed(names: Sequence[str], most: int) -> str:
    """Return names as a sentence has them; of very many the first, and how many others there are.

    >>> listed(["a"], most=3), listed(["a", "b", "c"], most=3), listed(["a", "b", "c", "d", "e"], most=3)
    ('a', 'a, b and c', 'a, b and 3 more')
    """
    shown = list(names) if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


# Epsilon as guessing accuracy: if two neighbouring tables are equally likely beforehand, no output makes either more
# likely than e**epsilon / (1 + e**epsilon). The sentences about it are in snapdp.studies.protection.      planning (39)

CASES = 100
SURE = 5  # e**5 / (1 + e**5) > 99/100: from here on 100


def guessed_right(epsilon: Fraction) -> int:
    """Return the percentage, rounded up, to which the results may raise an even chance of guessing right.

    >>> [guessed_right(Fraction(each)) for each in ("1/2", "1", "5", "0")]
    [63, 74, 100, 50]
    """
    assert epsilon >= 0
    if epsilon >= SURE:
        return CASES

    def cases(precision: int) -> Enclosure:  # irrational but for 0, where it is a point
        return enclose(CASES) / (1 + exp_enclosure(-epsilon, precision))

    return decided_ceil(cases)
