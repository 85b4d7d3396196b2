"""`snapdp lab verify`: what a program, a Python function or a mechanism loses at most. Opens no data.

Parse, one library call, render. Exit codes: 0 VERIFIED, or BOUNDED where nothing is claimed, 1 REFUTED, 2
wrong usage, 3 UNBOUNDED, 4 INCONCLUSIVE.
"""

from __future__ import annotations

import os
import textwrap
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.lab.options import (
    json_option,
    machine_option,
    mechanism_keywords,
    mechanism_options,
    require_directories,
    say_stated_machine,
    write_file,
)
from snapdp.cli.screen import echo, echo_json, folded, say
from snapdp.errors import PremiseError, ProgramError
from snapdp.exact.numbers import parameter

if TYPE_CHECKING:
    from snapdp.lab.loss.verdict import Verdict
    from snapdp.lab.report.page import CertificateFile
    from snapdp.mechanism.parameters import SnappingParameters

EXIT = {"VERIFIED": 0, "BOUNDED": 0, "REFUTED": 1, "UNBOUNDED": 3, "INCONCLUSIVE": 4}
COLOURS = {"VERIFIED": "green", "BOUNDED": "green", "REFUTED": "red", "UNBOUNDED": "yellow", "INCONCLUSIVE": "yellow"}
MISUSED = 2
WIDTH = 79  # of a sentence under a verdict
TAKES = (
    "`snapdp lab verify` takes a program (.imp, or the name of a bundled one), or FILE.py:function. A record, a report "
    "or a certificate is for: snapdp verify"
)
EXAMPLE = """\b
Exit: 0 VERIFIED, or BOUNDED where nothing is claimed, 1 REFUTED, 2 wrong
usage or a bad program, 3 UNBOUNDED, 4 INCONCLUSIVE.

\b
Examples:
  snapdp lab verify snap_half
  snapdp lab verify snap_bigB --machine p=53,sampler=nearest,ln=2
  snapdp lab verify snap_tenth --claim note
  snapdp lab verify snap_half --claim 0.51 --json
  snapdp lab verify snap_half --pair 3,4
  snapdp lab verify --epsilon 0.9 --sensitivity 1 --bounds -1000,1000 \\
      --arithmetic notes --bits 118
"""


@click.command("verify", epilog=EXAMPLE)
@click.argument("reference", metavar="[PROGRAM]", required=False)
@mechanism_options
@machine_option
@click.option(
    "--claim", metavar="CLAIM", help="note, mironov, tight, or the total loss.  [default: the program's, if any]"
)
@click.option(
    "--pair", metavar="F,F'", help="Add the table of cases at two values of the query, or at 'all' telling ones."
)
@click.option("--certificate", type=click.Path(dir_okay=False, path_type=Path), help="Write the certificate: JSON.")
@click.option(
    "--report", type=click.Path(dir_okay=False, path_type=Path), help="Write a report of the verdict: a page of HTML."
)
@json_option
@click.pass_context
def verify_command(
    ctx: click.Context,
    /,
    reference: str | None,
    machine: str,
    claim: str | None,
    pair: str | None,
    certificate: Path | None,
    report: Path | None,
    as_json: bool,
    **mechanism: Any,
) -> None:
    """Judge a claim about the privacy loss of a floating-point program.

    PROGRAM is a file in the language of the verifier (.imp), the name of a bundled program, or FILE.py:function, a
    Python function with @snapdp.lab.audit: the file is run, so judge only files that you would run. Without it the
    flags of a mechanism say what is judged: that it keeps its epsilon in the arithmetic it runs in.
    """
    from snapdp.api.snapping import Snapping
    from snapdp.lab.report.page import verdict_page
    from snapdp.lab.verification import certificate as certificate_of, verify

    ctx.meta["snapdp.refused"] = MISUSED  # 1 is a verdict here
    flags = [f"--{name}" for name, value in mechanism.items() if value is not None]
    if reference is not None and flags:
        raise click.UsageError(f"PROGRAM says itself what is judged: leave out {', '.join(flags)}, or PROGRAM.")
    if reference is None and not flags:
        raise click.UsageError("Give a PROGRAM, or a mechanism by --epsilon, --sensitivity and --bounds.")
    if flags and machine:
        raise click.UsageError("A mechanism has its own program and machine: leave out --machine.")
    ends = _ends(pair)
    require_directories(certificate=certificate, report=report)
    if reference is None:
        snapping = Snapping(**mechanism_keywords(mechanism, needed=("epsilon", "sensitivity", "bounds")))
        parameters, verdict = snapping.parameters, verify(snapping, claim=claim)
    else:
        parameters, verdict = None, _verdict_on(reference, machine, claim)
    pairs, lacking = _pairs(verdict, ends, parameters)
    said, beside, code = [], None, EXIT[verdict.kind]
    if certificate is not None:
        try:
            said.append(write_file(certificate, certificate_of(verdict), "certificate"))
            beside = None if report is None else _certificate_file(certificate, report)
        except PremiseError as problem:
            said.append(f"no certificate, and nothing was written: {problem.problem} {problem.advice}")
            code = code or 1  # a script must not take an older file for this one
    if report is not None:
        page = verdict_page(verdict, beside, parameters=parameters, pairs=pairs)
        said.append(write_file(report, page, "report"))
    _show(verdict, pairs, parameters, lacking, as_json=as_json)
    for sentence in said:
        say(sentence)
    ctx.exit(code)


def _verdict_on(reference: str, machine: str, claim: str | None) -> Verdict:
    """Return the verdict on a program or a function; a file that is neither is told what the command takes."""
    from snapdp.lab.verification import verify

    try:
        say_stated_machine(reference, machine)
        return verify(reference, machine=machine, claim=claim)
    except ProgramError as problem:
        if reference.endswith(".imp") or not os.path.exists(reference):
            raise
        raise ProgramError(problem.problem, TAKES, **problem.numbers) from None


def _ends(pair: str | None) -> list[str]:
    """Return the two values of --pair, or the word all; nothing where there is none. No verdict is needed for it."""
    ends = [] if pair is None else pair.split(",")
    if len(ends) != 2 and ends not in ([], ["all"]):
        raise click.UsageError("--pair takes two values of the query, as 3,4, or all.")
    for end in ends if len(ends) == 2 else ():
        parameter(end, name="a value of the pair")
    return ends


def _pairs(
    verdict: Verdict, ends: list[str], parameters: SnappingParameters | None
) -> tuple[list[tuple[Fraction, Fraction]], str]:
    """Return the pairs of a table of cases, and why there is none: a verdict is one without a table, too.

    Those of a mechanism are given in data units.
    """
    from snapdp.lab.loss.verdict import asked_pair, require_cases, telling_pairs
    from snapdp.lab.verification import mechanism_pair

    if not ends:
        return [], ""
    pairs = []
    try:
        if len(ends) == 2:
            one, two = ends
            pairs.append(asked_pair(verdict, one, two) if parameters is None else mechanism_pair(parameters, one, two))
        require_cases(verdict)
        return pairs or list(telling_pairs(verdict)), ""
    except PremiseError as problem:
        return [], f"{problem.problem} {problem.advice}"


def _show(
    verdict: Verdict,
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
    from snapdp.lab.report.verdict import REPRODUCTION, mechanism_text, mechanism_values, verdict_text, verdict_values

    if as_json:
        values = verdict_values(verdict) if parameters is None else mechanism_values(parameters, verdict)
        if pairs:
            values["cases"] = cases_values(verdict, pairs, parameters=parameters)
        elif lacking:
            values |= {"cases": None, "no_cases": " ".join(lacking.split())}
        echo_json(values, indent=2)
        return
    text = verdict_text(verdict) if parameters is None else mechanism_text(parameters, verdict)
    cases = cases_text(verdict, pairs, parameters=parameters) if pairs else ""
    if lacking:
        cases = f"{textwrap.fill(lacking, WIDTH, break_on_hyphens=False)}\n"
    shown = folded(text, until=REPRODUCTION) + (cases and folded(f"\n{cases}"))
    echo(shown, nl=False, colour=COLOURS[verdict.kind])


def _certificate_file(certificate: Path, report: Path) -> CertificateFile | None:
    """Return where the certificate lies as seen from the report; None where it lies elsewhere."""
    from hashlib import sha256

    from snapdp.lab.report.page import CertificateFile

    folder, place = report.resolve().parent, certificate.resolve()
    if not place.is_relative_to(folder):
        return None
    return CertificateFile(place.relative_to(folder).as_posix(), sha256(certificate.read_bytes()).hexdigest())
