"""`snapdp verify RECORD.json`: the audit of a release. Reads the record and its ledger, never data.

Room: cli. Called by `snapdp verify` where the file is a record.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

SOUND, ALTERED = 0, 1


def audit_file(path: Path, *, ledger: str | None, certificate: Path | None, report: Path | None, as_json: bool) -> int:
    """Audit a record, print what was found, write certificate and report of a sound one; return the exit code."""
    from snapdp.release import audit as audits
    from snapdp.release.files import write_text
    from snapdp.release.ledger import Ledger
    from snapdp.release.report import report_page
    from snapdp.release.result import Release, load_record

    record = load_record(path)
    if ledger is None:
        found = audits.audit(record)
    else:
        with Ledger.open(ledger) as book:
            found = audits.audit(record, book)
    if certificate is not None and found.sound:
        write_text(json.dumps(audits.certificate(record), sort_keys=True, indent=1) + "\n", certificate)
        click.echo(f"wrote {certificate}; check it: snapdp check {certificate}", err=True)
    if report is not None and found.sound:
        address = None if certificate is None else Path(os.path.relpath(certificate, report.parent)).as_posix()
        write_text(report_page(Release(record), certificate=address), report)
        click.echo(f"wrote {report}", err=True)
    if as_json:
        click.echo(json.dumps(_values(found), indent=2))
    else:
        _print(found, path)
    return SOUND if found.sound else ALTERED


def _print(found: Any, path: Path) -> None:
    from snapdp.cli.render import table

    if not found.sound:
        click.secho(f"ALTERED: {len(found.findings)} fields of {path} are not what they must be.", fg="red", bold=True)
        table(("field", "says", "should be"), [(each.field, each.says, each.should) for each in found.findings])
        return
    where = "and its ledger holds it" if found.in_ledger else "its ledger was not asked (--ledger PATH)"
    click.secho(f"SOUND: {path} follows from what it declares, {where}.", fg="green", bold=True)
    click.echo(f"The release of {found.dataset} is {found.epsilon}-differentially private, if these hold:")
    table(("premise", "", "why"), [(each.name, each.status, each.why) for each in found.premises])


def _values(found: Any) -> dict[str, Any]:
    return {
        "ok": found.sound,
        "verdict": "SOUND" if found.sound else "ALTERED",
        "dataset": found.dataset,
        "epsilon": found.epsilon,
        "in_ledger": found.in_ledger,
        "findings": [{"field": each.field, "says": each.says, "should": each.should} for each in found.findings],
        "premises": [{"name": each.name, "status": each.status, "why": each.why} for each in found.premises],
    }
