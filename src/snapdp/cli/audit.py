"""`snapdp verify RECORD.json`: the audit of a release. Reads the record, its files and its ledger, never data.

Room: cli. Called by `snapdp verify` where the file is a record.
"""

from __future__ import annotations

import json
import os
import shlex
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snapdp.cli.screen import echo, echo_json, note, say, table
from snapdp.display import hides_nothing, one_line
from snapdp.errors import DataError, PremiseError, SnapdpError
from snapdp.ledger import amended_in_words

if TYPE_CHECKING:
    from snapdp.audits import ComparedReport

SOUND, ALTERED, COULD_NOT_CHECK = 0, 1, 3
MOST_FINDINGS = 40  # on a terminal
COLOURS = {"ACCEPTED": "green", "REFUSED": "red", "COULD NOT CHECK": "yellow"}
TAKES = (
    "`snapdp verify` takes the record of a release (.json), a program (.imp, or the name of a bundled one), or "
    "FILE.py:function. It compares a report with its record: snapdp verify record.json --report report.html. A ledger "
    "is for: snapdp ledger verify"
)


def audit_file(path: Path, *, ledger: str | None, certificate: Path | None, report: Path | None, as_json: bool) -> int:
    """Audit a record, print what was found, write the certificate of a sound one; return the exit code.

    report   the report of the release, which is compared with what the record gives
    """
    from snapdp.audits import audit, audit_values, compare_report, is_certificate
    from snapdp.ledger import Ledger
    from snapdp.release import Release, load_record
    from snapdp.studies import digest

    try:
        record = load_record(path)
    except DataError as problem:
        if not os.path.exists(path):
            raise  # a misspelt name
        return _could_not_check(f"{problem.problem} {problem.advice}", as_json=as_json)
    if is_certificate(record):
        name = one_line(shlex.quote(str(path)))
        raise DataError("this is a certificate, not the record of a release.", f"Check it: snapdp check {name}")
    if "statistics" not in record:
        raise DataError("this is not the record of a release.", TAKES)
    try:
        if ledger is None:
            found = audit(record, directory=path.parent)
        else:
            with Ledger.open(ledger) as book:
                found = audit(record, book, directory=path.parent)
        compared = compare_report(record, report) if report is not None and found.sound else None
    except SnapdpError:
        raise
    except Exception as problem:  # of any kind: only a finding accuses
        if os.environ.get("SNAPDP_TRACEBACK"):
            raise
        name = one_line(str(path))
        reason = f"the audit of {name} itself failed ({type(problem).__name__}), which says nothing about the record."
        return _could_not_check(reason, as_json=as_json)
    code = SOUND if found.sound else ALTERED
    if compared is not None:
        code = {"ACCEPTED": code, "REFUSED": ALTERED, "COULD NOT CHECK": COULD_NOT_CHECK}[compared.verdict]
    if certificate is not None and found.sound:
        refused = _write_certificate(record, certificate)
        shown = f"wrote {one_line(str(certificate))}; check it: snapdp check {one_line(shlex.quote(str(certificate)))}"
        say(refused or shown)
    stated = digest(Release(record).to_json()) if found.sound else ""
    if as_json:
        told = None if compared is None else {"verdict": compared.verdict, "reason": compared.reason or None}
        echo_json({**audit_values(found), "ok": code == SOUND, "digest": stated or None, "report": told}, indent=2)
    else:
        if compared is not None:
            echo(_compared_in_words(compared, one_line(str(report))), colour=COLOURS[compared.verdict])
        _print(found, path, stated)
        if report is not None and compared is None:
            note(f"{one_line(str(report))} was not compared with a record that was altered.", style="bold yellow")
    return code


def _could_not_check(reason: str, *, as_json: bool) -> int:
    """Say why nothing can be told about a record; return the exit code."""
    if as_json:
        echo_json({"ok": False, "verdict": "COULD NOT CHECK", "reason": reason}, indent=2)
    else:
        echo(f"COULD NOT CHECK: {reason}", colour="yellow")
    return COULD_NOT_CHECK


def _compared_in_words(found: ComparedReport, name: str) -> str:
    reason = "is byte for byte what snapdp writes from this record" if found.accepted else found.reason
    return f"{found.verdict}: {name} {reason}."


def _write_certificate(record: dict[str, Any], path: Path) -> str:
    """Write the certificate of a sound record; return why it is not written, if the checker does not accept it."""
    from snapdp.audits import accepted_certificate
    from snapdp.drafts import write_text

    try:
        made = accepted_certificate(record)
    except PremiseError as problem:
        return f"no certificate: {one_line(problem.problem)} {problem.advice}"
    # As short as the record: with blanks between its numbers it might outgrow what `snapdp check` reads.
    write_text(json.dumps(made, sort_keys=True, separators=(",", ":")) + "\n", path)
    return ""


def _print(found: Any, path: Path, stated: str) -> None:
    from snapdp.audits import audit_in_words, look_in_words, unseen_in_words

    name = one_line(str(path))
    echo(audit_in_words(found, name, ask=" (--ledger PATH)"), colour="green" if found.sound else "red")
    if not found.sound:
        rows = [
            (one_line(each.field), one_line(each.says), one_line(each.should))
            for each in found.findings[:MOST_FINDINGS]
        ]
        table(("field", "says", "should be"), rows, unbroken=0)
        if len(found.findings) > MOST_FINDINGS:
            note(f"... and {len(found.findings) - MOST_FINDINGS} more: --json lists them.")
        if all(each.about for each in found.findings):
            note(f"What {name} itself holds follows from what it declares.")
        return
    note(f"Digest of the record, as its report states it: {stated}", style="")
    for each in found.unseen[:MOST_FINDINGS]:
        why = unseen_in_words(os.path.exists(path.parent / each))
        note(f"Not looked at: {one_line(each)}. {why}", style="bold yellow")
    if len(found.unseen) > MOST_FINDINGS:
        note(f"... and {len(found.unseen) - MOST_FINDINGS} more files: --json lists them.")
    for amendment in found.amendments:
        note(
            f"The account of {one_line(found.dataset)} was amended. {amended_in_words(amendment)}", style="bold yellow"
        )
    if found.look is not None:
        note(look_in_words(found.look), style="" if found.look else "bold yellow")
    note(
        f"The release of {one_line(found.dataset)} is {one_line(found.epsilon)}-differentially private, if these hold:",
        style="",
    )
    table(("premise", "", "why"), [(each.name, each.status, one_line(each.why)) for each in found.premises])
    note("Pages of docs/theory come with the source of snapdp, not with an installed package.")
    if warning := hides_nothing(Fraction(found.epsilon)):
        note(warning, style="bold red")
