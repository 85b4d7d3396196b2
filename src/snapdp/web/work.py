"""What is asked of a process of its own: a program judged, a record audited, a ledger verified.

Each function is given plain values and returns plain values; each is one call of the library. A program is
one of the library's or a text: no file is read, and no code is run but the verifier's. Files beside a record are looked
for in the directory of the page alone, by names that follow from their digests.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from fractions import Fraction

from snapdp.display.numbers import decimal_down, exact_amount
from snapdp.display.text import hides_nothing, one_line, shown_address
from snapdp.values import Values

MOST_FINDINGS = 100
MOST_PAGE = 1 << 22  # characters of a report
DIGITS = 20  # of a loss
PASTED = "the program"
THIS_RECORD = "this record"


def judge_program(*, name: str | None, text: str | None, machine: str, claim: str | None) -> Values:
    """Return the verdict on a program, and its report."""
    from snapdp.errors import ParameterError
    from snapdp.lab.language.parser import machine_in, parse, program_text
    from snapdp.lab.loss.verdict import verify
    from snapdp.lab.report.page import verdict_page
    from snapdp.lab.report.verdict import headline, verdict_values
    from snapdp.lab.semantics.machine import parse_machine

    if name is not None and text is None:
        source, asked = name, program_text(name)
    elif text is not None and name is None:
        source, asked = PASTED, text
    else:
        raise ParameterError("a name or a text is asked for, one of them.", "Choose a program, or paste one.")
    runs_on = machine.strip() or machine_in(asked)
    found = verify(parse(asked, name=source), parse_machine(runs_on), claim=(claim or "").strip() or None)
    page = verdict_page(found)
    return {
        **verdict_values(found),
        "headline": f"{headline(found)}.",
        "claimed": None if found.claim.value is None else _claimed(found.claim.value),
        "runs_on": runs_on,
        "page": page if len(page) <= MOST_PAGE else "",
    }


def _claimed(loss: Fraction) -> str:
    """Return a claimed loss: as it is where that is short, else as a decimal below it, so that none seems larger."""
    exact = exact_amount(loss)
    return exact if len(exact) <= DIGITS else decimal_down(loss, DIGITS)


def audit_record(*, record: str, ledger: str | None, directory: str) -> Values:
    """Return the audit of a record, with its ledger where there is one."""
    from snapdp.audits.release_audit import (
        audit,
        audit_in_words,
        audit_values,
        is_certificate,
        look_in_words,
        unseen_in_words,
    )
    from snapdp.errors import DataError
    from snapdp.ledger.ledger import Ledger
    from snapdp.ledger.statements import amended_in_words

    kept = _parsed(record)
    if is_certificate(kept):
        raise DataError("this is a certificate, not the record of a release.", "Check it: snapdp verify FILE.")
    with ExitStack() as opened:
        book = None if ledger is None else opened.enter_context(Ledger.open(ledger))
        found = audit(kept, book, directory=directory)
    values = audit_values(found)
    warning = hides_nothing(Fraction(found.epsilon)) if found.sound else ""
    claim = f"The release of {to_line(found.dataset)} is {found.epsilon}-differentially private, if these hold:"
    amended = f"The account of {to_line(found.dataset)} was amended."
    return {
        **values,
        "ok": True,
        "sound": found.sound,
        "dataset": to_line(found.dataset),
        "epsilon": to_line(found.epsilon),
        "epsilon_shown": exact_amount(Fraction(found.epsilon)) if found.sound else to_line(found.epsilon),
        "amendments": [_seen(each) for each in values["amendments"]],
        "findings": [_seen(each) for each in values["findings"][:MOST_FINDINGS]],
        "more_findings": max(len(found.findings) - MOST_FINDINGS, 0),
        "premises": [_seen(each) for each in values["premises"]],
        "files": {key: list(map(to_line, names)) for key, names in values["files"].items()},
        "says": audit_in_words(found, THIS_RECORD),
        "claim": claim if found.sound else "",
        "notes": [
            *(f"Not looked at: {to_line(each)}. {unseen_in_words(_beside(directory, each))}" for each in found.unseen),
            *(f"{amended} {amended_in_words(each)}" for each in found.amendments),
            *([] if found.look is None else [look_in_words(found.look)]),
            *([warning] if warning else []),
        ],
    }


def verify_ledger(*, ledger: str, record: str | None) -> Values:
    """Return how much of a ledger was found sound; with a record, that it is there."""
    from snapdp.audits.release_audit import verified_ledger
    from snapdp.ledger.ledger import Ledger
    from snapdp.ledger.statements import amended_in_words, extent_in_words
    from snapdp.release.result import Release

    kept = None if record is None else Release(_parsed(record)).record
    with Ledger.open(ledger) as book:
        found = verified_ledger(book, kept)
    held = "" if kept is None else " It holds this record."
    return {
        "ok": True,
        "accounts": found.accounts,
        "entries": found.entries,
        "says": f"{to_line(shown_address(ledger))} is sound: {extent_in_words(found)}.{held}",
        "amended": [f"{to_line(each.account)}: {amended_in_words(each)}" for each in found.amendments],
    }


def _parsed(text: str) -> Values:
    from snapdp.release.result import record_from

    return record_from(text.encode("utf-8", "surrogatepass"))  # half a character is then no JSON


def _beside(directory: str, name: str) -> bool:
    return os.path.exists(os.path.join(directory, os.path.basename(name)))


def _seen(values: Values) -> Values:
    """Return values whose texts can be shown; what a record says is anybody's text."""
    return {key: to_line(each) if isinstance(each, str) else each for key, each in values.items()}


def to_line(text: str) -> str:
    """Return a text of a record or a ledger as the page shows it."""
    return one_line(text, 1000)
