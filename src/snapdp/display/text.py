"""Text from outside, made safe to show: names of columns, categories, titles, paths, fields of records.

Room: display. Such text is anybody's: it may move the cursor, hide what stands before it, look like another text, or
not fit the encoding of the screen.

    visible        what a screen would obey or not show is written out, as Python writes it: \\x1b, \\u202e, \\ud800
    encodable      what an encoding lacks is replaced: the signs that snapdp itself prints by ASCII, others written out

All of them leave ordinary text alone, and applying one twice changes nothing.
"""

from __future__ import annotations

import codecs

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
    """Return anybody's text as it can stand in a sentence: visible, and not too long.

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
