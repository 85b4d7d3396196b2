"""`snapdp verify`: what was published, checked again: a record with its report and its ledger, or certificates.

Parse, one library call, render. Of a record: exit 0 SOUND, 1 ALTERED, 3 could not check; of certificates, which go to
the independent checkers: 0 all accepted, 1 one refused, 3 one could not be checked. Wrong usage is 2.
"""

from __future__ import annotations

import json
import os
import shlex
from contextlib import ExitStack, suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.screen import echo, echo_json, folded, note, say, table
from snapdp.display.text import hides_nothing, one_line
from snapdp.drafts import open_regular, write_text
from snapdp.errors import DataError, PremiseError, SnapdpError
from snapdp.ledger.statements import amended_in_words

if TYPE_CHECKING:
    from snapdp.audits.certificates import Examination

MISUSED = 2
SOUND, ALTERED, COULD_NOT_CHECK = 0, 1, 3
EXIT = {"ACCEPTED": 0, "REFUSED": 1, "COULD NOT CHECK": 3}
COLOURS = {"ACCEPTED": "green", "REFUSED": "red", "COULD NOT CHECK": "yellow"}
MOST_FINDINGS = 40  # on a terminal
HTML = (b"<!doctype html", b"<html")
TAKES = (
    "`snapdp verify` takes the record of a release, or certificates (.json). It compares a report with its record: "
    "snapdp verify record.json --report report.html. A ledger is for: snapdp ledger verify. A program is for: snapdp "
    "lab verify"
)
EXAMPLE = """\b
A certificate of a program or of a release is checked without believing it.
Each kind has a checker of its own, one file of the standard library that can
be run alone:
  python -m snapdp.audits.check_program half.json
  python -m snapdp.audits.check_release release.json
What was accepted is printed: program, machine, claim, and what is assumed
beside; of a release, claim and premises.
Exit: 0 SOUND or all accepted, 1 ALTERED, one refused, or another report than
the record gives, 2 wrong usage, 3 something could not be checked.

\b
Examples:
  snapdp verify record.json --ledger people.ledger \\
      --certificate release.json
  snapdp verify record.json --report report.html
  snapdp lab verify snap_half --certificate half.json
  snapdp verify release.json half.json
"""


@click.command("verify", epilog=EXAMPLE)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), help="Compare this report with the record.")
@click.option("--ledger", metavar="PATH", help="The ledger that must hold the record.")
@click.option(
    "--certificate", type=click.Path(dir_okay=False, path_type=Path), help="Write the certificate of a sound record."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def verify_command(
    ctx: click.Context,
    /,
    files: tuple[Path, ...],
    report: Path | None,
    ledger: str | None,
    certificate: Path | None,
    as_json: bool,
) -> None:
    """Check what was published: the record of a release, its report, or certificates.

    A record is derived again from what it declares. With --ledger its charge must be there, with --report the report
    must be what snapdp writes from it. No data is opened.
    """
    from snapdp.audits.certificates import examine_file, is_certificate_file

    ctx.meta["snapdp.json"] = as_json
    ctx.meta["snapdp.refused"] = MISUSED  # 1 is a verdict here
    if len(files) == 1 and not is_certificate_file(files[0]):
        ctx.exit(audit_file(files[0], ledger=ledger, certificate=certificate, report=report, as_json=as_json))
    if ledger is not None or certificate is not None or report is not None:
        raise click.UsageError("--ledger, --report and --certificate belong to a record, of which one is given.")
    if missing := [path for path in files if not os.path.exists(path)]:
        raise click.UsageError(f"there is no file {one_line(str(missing[0]))}.")
    examinations = [(path, examine_file(path)) for path in files]
    if as_json:
        echo_json(_values(examinations))
    else:
        for path, examination in examinations:
            _print_examination(examination, "" if len(files) == 1 else one_line(str(path)))
    codes = {EXIT[examination.verdict] for _, examination in examinations}
    ctx.exit(1 if 1 in codes else max(codes))


def audit_file(path: Path, *, ledger: str | None, certificate: Path | None, report: Path | None, as_json: bool) -> int:
    """Audit a record, print what was found, write the certificate of a sound one; return the exit code.

    report   the report of the release, which is compared with what the record gives
    """
    from snapdp.audits.certificates import accepted_certificate
    from snapdp.audits.release_audit import audit, audit_values
    from snapdp.audits.reports import compare_report
    from snapdp.ledger.ledger import Ledger
    from snapdp.release.result import Release, load_record
    from snapdp.studies.declarations import digest

    if report is not None and not os.path.exists(report):
        raise click.UsageError(
            f"--report {report}: there is no such file. It is the report of the release, which `snapdp release "
            "--report` writes."
        )
    try:
        record = load_record(path)
    except DataError as problem:
        if not os.path.exists(path):
            raise DataError(problem.problem, TAKES) from None  # a misspelt name, or that of a program
        if path.suffix != ".json":
            raise _other_file(path, problem) from None
        return _could_not_check(f"{problem.problem} {problem.advice}", as_json=as_json)
    if "statistics" not in record:
        raise DataError("this is not the record of a release.", TAKES)
    try:
        with ExitStack() as opened:
            book = None if ledger is None else opened.enter_context(Ledger.open(ledger))
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
        code = EXIT[compared.verdict]  # it is compared with a sound record
    if certificate is not None and found.sound:
        try:
            made = accepted_certificate(record)
        except PremiseError as problem:
            say(f"no certificate: {one_line(problem.problem)} {problem.advice}")
        else:
            # As short as the record: with blanks between its numbers it might outgrow what is read again.
            write_text(json.dumps(made, sort_keys=True, separators=(",", ":")) + "\n", certificate)
            command = f"snapdp verify {one_line(shlex.quote(str(certificate)))}"
            say(f"wrote {one_line(str(certificate))}; check it: {command}")
    stated = digest(Release(record).to_json()) if found.sound else ""
    if as_json:
        told = None if compared is None else {"verdict": compared.verdict, "reason": compared.reason or None}
        echo_json({**audit_values(found), "ok": code == SOUND, "digest": stated or None, "report": told}, indent=2)
    else:
        if compared is not None:
            reason = "is byte for byte what snapdp writes from this record" if compared.accepted else compared.reason
            echo(f"{compared.verdict}: {one_line(str(report))} {reason}.", colour=COLOURS[compared.verdict])
        _print(found, path, stated)
        if report is not None and compared is None:
            note(f"{one_line(str(report))} was not compared with a record that was altered.", style="bold yellow")
    return code


def _other_file(path: Path, problem: DataError) -> DataError:
    """Return the refusal of a file that is neither record nor certificate: what the command takes."""
    name, beginning = one_line(str(path)), b""
    with suppress(OSError), open_regular(path) as file:
        beginning = file.read(1000).removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if beginning.startswith(HTML):
        advice = f"Compare a report with the record that it was written from: snapdp verify record.json --report {name}"
        return DataError(f"{name} is a page of HTML, not a record.", advice)
    return DataError(problem.problem, TAKES)


def _could_not_check(reason: str, *, as_json: bool) -> int:
    """Say why nothing can be told about a file; return the exit code."""
    from snapdp.audits.certificates import Examination

    examination = Examination(verdict="COULD NOT CHECK", reason=reason)
    if as_json:
        echo_json(_values([(Path(), examination)]), indent=2)
    else:
        _print_examination(examination, "")
    return COULD_NOT_CHECK


def _print(found: Any, path: Path, stated: str) -> None:
    from snapdp.audits.release_audit import audit_in_words, look_in_words, unseen_in_words

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


# Certificates


def _print_examination(found: Examination, name: str) -> None:
    """Print what the checker says of a file; its name, if there are several."""
    from snapdp.audits.check_program import conclusion_lines

    said = ": ".join(filter(None, (found.verdict, name, found.reason)))
    echo(said, colour=COLOURS[found.verdict])
    for line in conclusion_lines(found.proved or {}):
        echo(folded(line))


def _values(found: list[tuple[Path, Examination]]) -> dict[str, Any]:
    """Return what is said of one file; of several, a list of that."""
    each = [
        {"accepted": said.accepted, "verdict": said.verdict, "reason": said.reason, "proved": said.proved}
        for _, said in found
    ]
    if len(each) == 1:
        return {"ok": each[0]["accepted"], **each[0]}
    named = [{"file": str(path), **said} for (path, _), said in zip(found, each, strict=True)]
    return {"ok": all(said["accepted"] for said in each), "certificates": named}
