"""What an audit found, in words. For the command line and the page.

Room: audits. Everything here is public. A name is shown as it is given: whoever gives one has made it visible.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from snapdp.audits.findings import LEDGER

if TYPE_CHECKING:
    from snapdp.audits.release_audit import Audit


def is_certificate(record: Mapping[str, Any]) -> bool:
    """Tell a certificate from the record of a release."""
    return "record" in record or "program" in record


def audit_in_words(found: Audit, name: str, *, ask: str = "") -> str:
    """Return the verdict of an audit, the word first.

    name   what the record is called
    ask    how its ledger can be asked, where it was not
    """
    if not found.sound:
        return f"ALTERED: {_altered(found, name)} must be."
    files = {0: "", 1: " with the file beside it"}.get(len(found.seen), f" with the {len(found.seen)} files beside it")
    where = "and its ledger holds it" if found.in_ledger else f"its ledger was not asked{ask}"
    return f"SOUND: {name}{files} follows from what it declares, {where}."


def look_in_words(held: bool) -> str:
    """Return whether the look that bounds come from is in the ledger."""
    where = "is in the ledger, and was charged there" if held else "is not in this account of the ledger"
    return f"The look at the table that bounds come from {where}."


def unseen_in_words(is_there: bool) -> str:
    """Return why a file beside a record was not looked at."""
    if not is_there:
        return "It is not beside the record: of its numbers, and of those that follow from them, nothing is said."
    return "It is whole; of what the record does not tell, or only with another file, nothing is said."


def _altered(found: Audit, name: str) -> str:
    """Return what is not as it must be: fields of the record, files beside it, the ledger; up to the verb."""
    fields = sum(not each.about for each in found.findings)
    files = len({each.about for each in found.findings} - {"", LEDGER})
    counted = ((fields, "field", f" of {name}"), (files, "file", f" beside {name}"))
    things = [f"{number} {what}{'s' * (number > 1)}{where}" for number, what, where in counted if number]
    things += [f"the ledger of {name}"] * any(each.about == LEDGER for each in found.findings)
    is_one = len(things) == 1 and fields + files < 2
    return f"{' and '.join(things)} {'is not what it' if is_one else 'are not what they'}"
