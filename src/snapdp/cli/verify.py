"""`snapdp verify`: what a floating-point program loses at most, or where it loses too much. Opens no data.

Room: cli. Parse, one library call, render. Exit 0 VERIFIED, 1 REFUTED, 2 wrong usage, 3 UNBOUNDED, 4 INCONCLUSIVE.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from snapdp.cli.screen import echo, echo_json, one_line, say

if TYPE_CHECKING:
    from snapdp.verifier import Verdict

EXIT = {"VERIFIED": 0, "REFUTED": 1, "UNBOUNDED": 3, "INCONCLUSIVE": 4}
COLOURS = {"VERIFIED": "green", "REFUTED": "red", "UNBOUNDED": "yellow", "INCONCLUSIVE": "yellow"}
MISUSED = 2
EXAMPLE = """\b
Exit: 0 VERIFIED, 1 REFUTED, 2 wrong usage or a bad program, 3 UNBOUNDED, 4 INCONCLUSIVE. A record: 0 SOUND, 1 ALTERED.

\b
Examples:
  snapdp verify snap_half
  snapdp verify snap_bigB --machine p=53,sampler=nearest,ln=2
  snapdp verify snap_tenth --claim note
  snapdp verify snap_half --claim 0.51 --json
  snapdp verify record.json --ledger people.ledger --certificate release.json
"""


@click.command("verify", epilog=EXAMPLE)
@click.argument("program", metavar="PROGRAM")
@click.option(
    "--machine", "machine_text", default="", metavar="KEYS", help="E.g. p=53,sampler=ulp,umin=-1074,ln=1,sum=exact."
)
@click.option(
    "--claim", metavar="CLAIM", help="note, mironov, tight, or the total loss.  [default: the program's, or note]"
)
@click.option("--certificate", type=click.Path(dir_okay=False, path_type=Path), help="Write the certificate: JSON.")
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), help="Write a report: one page of HTML.")
@click.option("--ledger", metavar="PATH", help="Of a record: the ledger that must hold it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def verify_command(
    ctx: click.Context,
    /,
    program: str,
    machine_text: str,
    claim: str | None,
    certificate: Path | None,
    report: Path | None,
    ledger: str | None,
    as_json: bool,
) -> None:
    """Judge a claim about the privacy loss of a floating-point program, or audit the record of a release.

    PROGRAM is a file in the language of the verifier (.imp), the name of a bundled program, or a record (.json).
    """
    from snapdp.verifier import load_program, parse_machine, verdict_text, verdict_values, verify

    ctx.meta["snapdp.json"] = as_json
    ctx.meta["snapdp.refused"] = MISUSED  # 1 is a verdict here
    if is_record(program):
        from snapdp.cli.audit import audit_file

        if machine_text or claim:
            raise click.UsageError("--machine and --claim belong to a program, not to a record.")
        files = {"certificate": certificate, "report": report}
        ctx.exit(audit_file(Path(program), ledger=ledger, as_json=as_json, **files))
    if ledger is not None:
        raise click.UsageError("--ledger belongs to a record, not to a program.")
    found = verify(load_program(program), parse_machine(machine_text), claim=claim)
    written = [] if certificate is None else [_write_certificate(certificate, found)]
    if report is not None:
        from snapdp.verifier import verdict_page

        written.append(_write(report, verdict_page(found), "--report"))
    if as_json:
        echo_json(verdict_values(found), indent=2)
    else:
        echo(verdict_text(found), nl=False, colour=COLOURS[found.kind])
    for each in written:
        say(each)
    ctx.exit(EXIT[found.kind])


def is_record(reference: str) -> bool:
    """Tell a record from a program: the one place that tells kinds of files apart."""
    return Path(reference).suffix == ".json"


def _write_certificate(path: Path, verdict: Verdict) -> str:
    from snapdp.errors import PremiseError
    from snapdp.verifier import certificate_text

    try:
        text = certificate_text(verdict)
    except PremiseError as problem:
        return f"no certificate: {problem.problem} {problem.advice}"
    return _write(path, text, "--certificate")


def _write(path: Path, text: str, flag: str) -> str:
    from snapdp.drafts import write_text
    from snapdp.errors import DataError

    try:
        write_text(text, path)
    except DataError as problem:
        raise click.UsageError(f"{flag} {path} cannot be written: {problem.numbers['reason']}.") from None
    return f"{flag.removeprefix('--')}: {one_line(str(path))}"
