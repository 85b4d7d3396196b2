"""The pages of messages: what the package refuses, by classes and rooms, with what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import groupby

from snapdp_reference.api import SOURCE
from snapdp_reference.markdown import plain, table
from snapdp_reference.message_texts import CLOSED
from snapdp_reference.messages import MISUSE, ErrorClass, Message, error_classes, messages

ROOMS = {  # what those who read messages call the rooms
    "studies": "Studies, columns, statistics and plans",
    "tables": "Tables, files and databases",
    "ledger": "The ledger",
    "release": "Releases and records",
    "audits": "Audits of records",
    "api": "Python calls",
    "cli": "Commands",
    "web": "The page",
    "display": "Texts and addresses",
    "drafts": "Files that are written",
    "mechanism": "The mechanism",
    "accuracy": "Accuracy",
    "exact": "Numbers",
    "randomness": "Random bits",
    "verifier": "Programs and their verdicts",
    "rounding": "Bounds of rounding errors",
    "testing": "Audits of your own release",
    "interop": "Other tools",
    "attacks": "The gallery of attacks",
    "selftest": "The self-test",
}
ADVICE = {  # where a message has no advice of its own
    "ParameterError": "Give the named parameter a value that the message allows.",
    "BoundError": "Give bounds, a clamp or a grid that the message allows.",
    "BudgetError": "Ask for less epsilon, or let the keeper of the account raise its cap.",
    "DataError": "Give the table, file or record in the form that the message names.",
    "PremiseError": "Change what the message names so that the premise holds; there is no way around it.",
    "LedgerError": "Look at the ledger: `snapdp ledger verify PATH`.",
    "ProgramError": "Correct the program at the place that the message names.",
    "InProgressError": "Wait until the release that is running has ended, and ask again.",
    "UnavailableError": "Ask again when server or disk can be reached.",
    "FileError": "Give another name, or make room: what was released is in the ledger.",
    "OutputError": "Make room, or send the output elsewhere; where epsilon was charged, the same request is free.",
}
PAGES = {  # the page of each class; the first of a page is its main one, and those of others are marked
    "ParameterError": "parameter",
    "BoundError": "bound",
    "BudgetError": "budget",
    "DataError": "data",
    "PremiseError": "premise",
    "LedgerError": "ledger",
    "InProgressError": "ledger",
    "UnavailableError": "ledger",
    "ProgramError": "program",
    **dict.fromkeys(MISUSE, "usage"),
}


BREAK = "\\\n  "  # within an item


@cache
def every_message() -> list[Message]:
    """Return every refusal of the package."""
    return messages(SOURCE)


def messages_page(page: str) -> str:
    """Return the messages of a page, by rooms: first that of most messages."""
    names = [name for name, of in PAGES.items() if of == page]
    found = [each for each in every_message() if each.error in names]
    many, order = Counter(each.room for each in found), [*ROOMS]
    for room in many.keys() - ROOMS.keys():
        raise LookupError(f"the room {room!r} has no line in ROOMS")
    found.sort(key=lambda each: (-many[each.room], order.index(each.room), each.place.partition(":")[0], each.problem))
    parts = []
    for room, lines in groupby(found, key=lambda each: each.room):
        parts.append(f"## {ROOMS[room]}\n\n" + "\n".join(_lines(list(lines), main=names[0])))
    return "\n\n".join(parts)


def _lines(found: Sequence[Message], *, main: str) -> list[str]:
    """Return messages as items, what to do below each, and of which class one is that is not of the page's main one."""
    lines = []
    for each in found:
        of = "" if each.error in (main, *MISUSE) else f" *({each.error})*"
        told = plain(each.advice) or ADVICE.get(each.error, "")
        lines.append(f"- **{plain(_sentence(each.problem))}**{of}{told and f'{BREAK}{told}'}")
    return lines


def _sentence(text: str) -> str:
    """Return a message as a command prints it: it begins as it is, and ends with a full stop or its own sign."""
    return text if text.endswith((".", "?", "!", ")", CLOSED, ":")) else f"{text}."


def classes_table() -> str:
    """Return the classes of the family, with what they mean and how many messages each has."""
    classes = [each for each in error_classes(SOURCE).values() if each.name != "SnapdpError"]
    return table(["class", "what it means", "derived from", "messages"], [_row(each) for each in classes])


def _row(each: ErrorClass) -> tuple[str, ...]:
    count = sum(1 for one in every_message() if one.error == each.name)
    told = plain(" ".join(each.told.split()))
    return f"[`{each.name}`](messages/{PAGES[each.name]}.md)", told, f"`{each.base}`", str(count)


def page_refusals() -> str:
    """Return what the page refuses by itself, before the library is asked."""
    from snapdp.web.refusals import REFUSED

    lines = [(str(each.status), f"**{plain(each.error)}**", plain(each.advice)) for each in REFUSED.values()]
    return table(["status", "message", "what to do"], lines)
