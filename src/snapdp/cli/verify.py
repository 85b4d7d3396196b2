"""`snapdp verify` and `snapdp check`: what a program or mechanism loses at most, audits, certificates.

Opens no data. `verify` of a record reads the record, its files and its ledger; `check` asks the independent checkers.
Each parses, makes one library call and renders. Exit codes of programs and mechanisms: 0 VERIFIED or BOUNDED, 1
REFUTED, 2 wrong usage, 3 UNBOUNDED, 4 INCONCLUSIVE; of a record: 0 SOUND, 1 ALTERED, 3 could not check; of
certificates: 0 all accepted, 1 one refused, 2 wrong usage, 3 one not checked.
"""

from __future__ import annotations

import json
import os
import shlex
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.flags.mechanism import judged_mechanism_options, judged_parameters, machine_option, program_and_machine
from snapdp.cli.screen import echo, echo_json, folded, note, say, table
from snapdp.display.text import hides_nothing, one_line
from snapdp.errors import DataError, PremiseError, SnapdpError
from snapdp.exact.numbers import parameter
from snapdp.ledger.statements import amended_in_words

if TYPE_CHECKING:
    from snapdp.audits.certificates import Examination
    from snapdp.audits.reports import ComparedReport
    from snapdp.lab.loss.verdict import Verdict
    from snapdp.lab.report.page import CertificateFile
    from snapdp.mechanism.parameters import SnappingParameters

EXIT = {"VERIFIED": 0, "BOUNDED": 0, "REFUTED": 1, "UNBOUNDED": 3, "INCONCLUSIVE": 4}
WIDTH = 79  # of a sentence under a verdict
COLOURS = {"VERIFIED": "green", "BOUNDED": "green", "REFUTED": "red", "UNBOUNDED": "yellow", "INCONCLUSIVE": "yellow"}
MISUSED = 2
EXAMPLE = """\b
Exit: 0 VERIFIED, or BOUNDED where nothing is claimed, 1 REFUTED, 2 wrong usage
or a bad program, 3 UNBOUNDED, 4 INCONCLUSIVE. A record: 0 SOUND, 1 ALTERED or
another report than it gives, 3 could not check.

\b
Examples:
  snapdp verify snap_half
  snapdp verify snap_bigB --machine p=53,sampler=nearest,ln=2
  snapdp verify snap_tenth --claim note
  snapdp verify snap_half --claim 0.51 --json
  snapdp verify snap_half --pair 3,4
  snapdp verify --epsilon 0.9 --sensitivity 1 --bounds -1000,1000 \\
      --arithmetic notes --bits 118
  snapdp verify record.json --ledger people.ledger \\
      --certificate release.json
  snapdp verify record.json --report report.html
"""
HTML = (b"<!doctype html", b"<html")


@click.command("verify", epilog=EXAMPLE)
@click.argument("program", metavar="[PROGRAM]", required=False)
@judged_mechanism_options
@machine_option
@click.option(
    "--claim", metavar="CLAIM", help="note, mironov, tight, or the total loss.  [default: the program's, if any]"
)
@click.option(
    "--pair", metavar="F,F'", help="Add the table of cases at two values of the query, or at 'all' telling ones."
)
@click.option("--certificate", type=click.Path(dir_okay=False, path_type=Path), help="Write the certificate: JSON.")
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a report of the verdict: one page of HTML. Of a record: compare the report of the release with it.",
)
@click.option("--ledger", metavar="PATH", help="Of a record: the ledger that must hold it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def verify_command(
    ctx: click.Context,
    /,
    program: str | None,
    machine_text: str,
    claim: str | None,
    pair: str | None,
    certificate: Path | None,
    report: Path | None,
    ledger: str | None,
    as_json: bool,
    **mechanism: Any,
) -> None:
    """Judge a claim about the privacy loss of a floating-point program, or audit the record of a release.

    PROGRAM is a file in the language of the verifier (.imp), the name of a bundled program, a record (.json), or
    FILE.py:function, a Python function with @snapdp.audit: the file is run, so judge only files that you would run.
    Without it the flags of a mechanism say what is judged: that it keeps its epsilon in the arithmetic it runs in.
    """
    ctx.meta["snapdp.json"] = as_json
    ctx.meta["snapdp.refused"] = MISUSED  # 1 is a verdict here
    flags = [f"--{name.replace('_', '-')}" for name, value in mechanism.items() if value is not None]
    if program is not None and flags:
        raise click.UsageError(f"PROGRAM says itself what is judged: leave out {', '.join(flags)}, or PROGRAM.")
    parameters = judged_parameters(mechanism)
    if parameters is not None and (machine_text or ledger is not None):
        raise click.UsageError("A mechanism has its own program and machine: leave out --machine, --ledger.")
    if parameters is None and program is None:
        raise click.UsageError("Give a PROGRAM, or a mechanism by --epsilon, --sensitivity and --bounds.")
    if program is not None and Path(program).suffix == ".json":  # the one place that tells a record from a program
        if machine_text or claim or pair is not None:
            raise click.UsageError("--machine, --claim and --pair belong to a program, not to a record.")
        if report is not None and not os.path.exists(report):
            raise click.UsageError(
                f"--report {report}: there is no such file. Of a record, --report compares the report of the release, "
                "which `snapdp release --report` writes."
            )
        files = {"certificate": certificate, "report": report}
        ctx.exit(audit_file(Path(program), ledger=ledger, as_json=as_json, **files))
    if ledger is not None:
        raise click.UsageError("--ledger belongs to a record, not to a program.")
    ends = _ends(pair)
    _require_directories(certificate=certificate, report=report)
    found = _verdict(program, parameters, machine_text, claim)
    pairs, lacking = _pairs(found, ends, parameters)
    written = _files(found, pairs, certificate=certificate, report=report, parameters=parameters)
    _show(found, pairs, parameters, lacking, as_json=as_json)
    for each in written:
        say(each)
    ctx.exit(EXIT[found.kind])


def _verdict(program: str | None, parameters: SnappingParameters | None, machine: str, claim: str | None) -> Verdict:
    """Return the verdict on a program or a function, or on a mechanism."""
    from snapdp.lab.language.audited import audited_function, names_a_function
    from snapdp.lab.loss.verdict import verify

    if parameters is not None:
        from snapdp.lab.mechanism import verify_mechanism

        return verify_mechanism(parameters, claim=claim)
    assert program is not None
    if names_a_function(program):
        return audited_function(program).verify(machine=machine, claim=claim)
    with _saying_what_it_takes(program):
        judged = program_and_machine(program, machine)
    return verify(*judged, claim=claim)


@contextmanager
def _saying_what_it_takes(reference: str) -> Iterator[None]:
    """Say what the command takes, if what was given is there and does not call itself a program."""
    from snapdp.drafts import open_regular
    from snapdp.errors import ProgramError

    if Path(reference).suffix == ".imp" or not os.path.exists(reference):
        yield
        return
    beginning = b""
    with suppress(OSError), open_regular(reference) as file:
        beginning = file.read(1000).removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if beginning.startswith(HTML):
        name = one_line(str(reference))
        advice = f"Compare a report with the record that it was written from: snapdp verify record.json --report {name}"
        raise ProgramError(f"{name} is a page of HTML, not a program.", advice)
    try:
        yield
    except ProgramError as problem:
        raise ProgramError(problem.problem, TAKES, **problem.numbers) from None


def _ends(pair: str | None) -> list[str]:
    """Return the two values of --pair, or the word all; nothing where there is none. No verdict is needed for it."""
    ends = [] if pair is None else pair.split(",")
    if len(ends) != 2 and ends not in ([], ["all"]):
        raise click.UsageError("--pair takes two values of the query, as 3,4, or all.")
    for end in ends if len(ends) == 2 else ():
        parameter(end, name="a value of the pair")
    return ends


def _require_directories(**files: Path | None) -> None:
    """Refuse a file that cannot be written because its directory is missing, before a verdict is looked for."""
    for name, path in files.items():
        if path is not None and not os.path.isdir(path.absolute().parent):
            raise click.UsageError(f"--{name} {path}: there is no such directory.")


def _pairs(
    found: Verdict, ends: list[str], parameters: SnappingParameters | None
) -> tuple[list[tuple[Fraction, Fraction]], str]:
    """Return the pairs of a table of cases, and why there is none: a verdict is one without a table, too.

    Those of a mechanism are given in data units.
    """
    from snapdp.errors import PremiseError
    from snapdp.lab.loss.verdict import asked_pair, require_cases, telling_pairs
    from snapdp.lab.mechanism import mechanism_pair

    if not ends:
        return [], ""
    try:
        if ends == ["all"]:
            require_cases(found)
            return list(telling_pairs(found)), ""
        one, two = ends
        pair = asked_pair(found, one, two) if parameters is None else mechanism_pair(parameters, one, two)
        require_cases(found)
    except PremiseError as problem:
        said = f"{problem.problem} {problem.advice}"
        return [], f"\n{textwrap.fill(said, WIDTH, break_on_hyphens=False)}\n"
    return [pair], ""


def _show(
    found: Verdict,
    pairs: list[tuple[Fraction, Fraction]],
    parameters: SnappingParameters | None,
    lacking: str,
    *,
    as_json: bool,
) -> None:
    """Print a verdict and the cases of pairs of values; the program that reproduces it is left as it is.

    lacking   why there is no table of cases, where one was asked for
    """
    from snapdp.lab.report.cases import cases_text, cases_values
    from snapdp.lab.report.mechanism import mechanism_text, mechanism_values
    from snapdp.lab.report.verdict import REPRODUCTION, verdict_text, verdict_values

    if as_json:
        values = verdict_values(found) if parameters is None else mechanism_values(parameters, found)
        cases: dict[str, Any] = {"cases": None, "no_cases": " ".join(lacking.split())} if lacking else {}
        if pairs:
            cases = {"cases": cases_values(found, pairs, parameters=parameters)}
        echo_json({**values, **cases}, indent=2)
        return
    text = verdict_text(found) if parameters is None else mechanism_text(parameters, found)
    shown = f"\n{cases_text(found, pairs, parameters=parameters)}" if pairs else lacking
    echo(folded(text, until=REPRODUCTION) + folded(shown), nl=False, colour=COLOURS[found.kind])


def _files(
    found: Verdict,
    pairs: list[tuple[Fraction, Fraction]],
    *,
    certificate: Path | None,
    report: Path | None,
    parameters: SnappingParameters | None,
) -> list[str]:
    """Write the files that are asked for; return what is to be said about them."""
    said, made = ([], None) if certificate is None else _write_certificate(certificate, found)
    if report is not None:
        from snapdp.lab.report.page import verdict_page

        beside = None if made is None else _certificate_file(made, report)
        said.append(_write(report, verdict_page(found, beside, parameters=parameters, pairs=pairs), "--report"))
    return said


def _certificate_file(certificate: Path, report: Path) -> CertificateFile | None:
    """Return where the certificate lies as seen from the report; None where it lies elsewhere."""
    from hashlib import sha256

    from snapdp.lab.report.page import CertificateFile

    folder = report.resolve().parent
    if not certificate.resolve().is_relative_to(folder):
        return None
    place = certificate.resolve().relative_to(folder).as_posix()
    return CertificateFile(place, sha256(certificate.read_bytes()).hexdigest())


def _write_certificate(path: Path, verdict: Verdict) -> tuple[list[str], Path | None]:
    """Write the certificate of a verdict; return what is to be said, and the file, or None where there is none."""
    from snapdp.errors import PremiseError
    from snapdp.lab.loss.certificate import certificate_text

    try:
        text = certificate_text(verdict)
    except PremiseError as problem:
        return [f"no certificate: {problem.problem} {problem.advice}"], None
    return [_write(path, text, "--certificate")], path


def _write(path: Path, text: str, flag: str) -> str:
    from snapdp.drafts import write_text
    from snapdp.errors import DataError

    try:
        write_text(text, path)
    except DataError as problem:
        raise click.UsageError(f"{flag} {path} cannot be written: {problem.numbers['reason']}.") from None
    return f"{flag.removeprefix('--')}: {one_line(str(path))}"


# Records

SOUND, ALTERED, COULD_NOT_CHECK = 0, 1, 3
MOST_FINDINGS = 40  # on a terminal
AUDIT_COLOURS = {"ACCEPTED": "green", "REFUSED": "red", "COULD NOT CHECK": "yellow"}
TAKES = (
    "`snapdp verify` takes the record of a release (.json), a program (.imp, or the name of a bundled one), or "
    "FILE.py:function. It compares a report with its record: snapdp verify record.json --report report.html. A ledger "
    "is for: snapdp ledger verify"
)


def audit_file(path: Path, *, ledger: str | None, certificate: Path | None, report: Path | None, as_json: bool) -> int:
    """Audit a record, print what was found, write the certificate of a sound one; return the exit code.

    report   the report of the release, which is compared with what the record gives
    """
    from snapdp.audits.release_audit import audit, audit_values, is_certificate
    from snapdp.audits.reports import compare_report
    from snapdp.ledger.ledger import Ledger
    from snapdp.release.result import Release, load_record
    from snapdp.studies.declarations import digest

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
        refused = _write_release_certificate(record, certificate)
        shown = f"wrote {one_line(str(certificate))}; check it: snapdp check {one_line(shlex.quote(str(certificate)))}"
        say(refused or shown)
    stated = digest(Release(record).to_json()) if found.sound else ""
    if as_json:
        told = None if compared is None else {"verdict": compared.verdict, "reason": compared.reason or None}
        echo_json({**audit_values(found), "ok": code == SOUND, "digest": stated or None, "report": told}, indent=2)
    else:
        if compared is not None:
            echo(_compared_in_words(compared, one_line(str(report))), colour=AUDIT_COLOURS[compared.verdict])
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


def _write_release_certificate(record: dict[str, Any], path: Path) -> str:
    """Write the certificate of a sound record; return why it is not written, if the checker does not accept it."""
    from snapdp.audits.certificates import accepted_certificate
    from snapdp.drafts import write_text

    try:
        made = accepted_certificate(record)
    except PremiseError as problem:
        return f"no certificate: {one_line(problem.problem)} {problem.advice}"
    # As short as the record: with blanks between its numbers it might outgrow what `snapdp check` reads.
    write_text(json.dumps(made, sort_keys=True, separators=(",", ":")) + "\n", path)
    return ""


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

CHECK_EXIT = {"ACCEPTED": 0, "REFUSED": 1, "COULD NOT CHECK": 3}
CHECK_COLOURS = {"ACCEPTED": "green", "REFUSED": "red", "COULD NOT CHECK": "yellow"}
CHECK_EXAMPLE = """\b
Each kind of certificate has a checker of its own, one file of the standard
library that can be run alone:
  of a program (snapdp verify PROGRAM --certificate)
    python -m snapdp.audits.check_program half.json
  of a release (snapdp verify RECORD --certificate)
    python -m snapdp.audits.check_release release.json
To run one without the rest of snapdp, copy its file out: check.py,
check_release.py. What was accepted is printed: program, machine, claim, and
what is assumed beside; of a release, claim and premises.
Exit: 0 all accepted, 1 one refused, 2 wrong usage, 3 one could not be
checked: its file cannot be read, or the checker itself failed.

\b
Examples:
  snapdp verify snap_half --certificate half.json
  snapdp check half.json
"""


@click.command("check", epilog=CHECK_EXAMPLE)
@click.argument("certificates", nargs=-1, required=True, type=click.Path(exists=True, readable=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def check_command(ctx: click.Context, /, certificates: tuple[Path, ...], as_json: bool) -> None:
    """Check certificates of `snapdp verify`, of a program or of a release, without believing them."""
    from snapdp.audits.certificates import examine_file

    ctx.meta["snapdp.json"] = as_json
    found = [(path, examine_file(path)) for path in certificates]
    if as_json:
        echo_json(_values(found))
    else:
        for path, examination in found:
            _print_examination(examination, "" if len(found) == 1 else one_line(str(path)))
    codes = {CHECK_EXIT[examination.verdict] for _, examination in found}
    ctx.exit(1 if 1 in codes else max(codes))


def _print_examination(found: Examination, name: str) -> None:
    """Print what the checker says of a file; its name, if there are several."""
    from snapdp.audits.check_program import conclusion_lines

    said = ": ".join(filter(None, (found.verdict, name, found.reason)))
    echo(said, colour=CHECK_COLOURS[found.verdict])
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
