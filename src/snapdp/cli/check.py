"""`snapdp check`: whether a certificate proves what it says, by the independent checker. Opens no data.

Room: cli. Parse, one library call, render. Exit 0 accepted, 1 refused, 2 unreadable.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TextIO

import click

from snapdp.cli.screen import echo, echo_json

EXAMPLE = """\b
Each kind of certificate has a checker of its own, one file of the standard library that can be run alone:
  python src/snapdp/verifier/check.py half.json               of a program (snapdp verify PROGRAM --certificate)
  python src/snapdp/verifier/check_release.py release.json    of a release (snapdp verify RECORD --certificate)
What was accepted is printed: program, machine, claim, and what is assumed beside; of a release, claim and premises.
Exit: 0 accepted, 1 refused, 2 unreadable.

\b
Examples:
  snapdp verify snap_half --certificate half.json
  snapdp check half.json
"""


@click.command("check", epilog=EXAMPLE)
@click.argument("certificate", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def check_command(ctx: click.Context, /, certificate: Path, as_json: bool) -> None:
    """Check a certificate of `snapdp verify`, of a program or of a release, without believing it."""
    from snapdp.verifier import check

    try:
        with certificate.open(encoding="utf-8") as file:
            reason, proved = _examined(file)
    except (OSError, ValueError, RecursionError) as problem:
        raise click.UsageError(f"{certificate} is no JSON: {problem}.") from None
    if as_json:
        echo_json({"accepted": reason is None, "reason": reason, "proved": proved})
    elif proved is not None:
        echo("ACCEPTED", colour="green")
        for line in check.lines_of(proved):
            echo(line)
    else:
        echo(f"REFUSED: {reason}", colour="red")
    ctx.exit(0 if reason is None else 1)


Proved = dict[str, list[str]]


def _examined(file: TextIO) -> tuple[str | None, Proved | None]:
    """Return why a certificate is refused, or what it proves: asked of the checker of its format."""
    from snapdp.verifier import check, check_release

    text = file.read(check_release.MOST_BYTES)
    try:
        found = json.loads(text, object_pairs_hook=check_release.unrepeated)
        if isinstance(found, dict) and "statistics" in found and "format" not in found:
            return "this is the record of a release, not a certificate: audit it with `snapdp verify`", None
        if not (isinstance(found, dict) and str(found.get("format")).startswith(check.RELEASES)):
            return None, check.examine(text[: check.LARGEST_TEXT + 1])
        faults = check_release.check(found)
    except (check.Refusal, check_release.Refused) as refusal:
        return str(refusal), None
    return (faults[0], None) if faults else (None, _of_a_release(found, check_release.PREMISES))


def _of_a_release(found: Any, premises: str) -> Proved:
    """Return what an accepted certificate of a release says; its names and titles follow from nothing: left out."""
    follows = "every number follows from the declarations of the record and its grid indices"
    claim = f"the release is {found['claim']}-differentially private, if the premises hold"
    return {"release": [follows], "claim": [claim], "premises": premises.split(", ")}
