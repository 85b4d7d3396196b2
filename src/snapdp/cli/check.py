"""`snapdp check`: whether certificates prove what they say, by the independent checkers. Opens no data.

Room: cli. Parse, one library call, render. Exit 0 all accepted, 1 one refused, 2 wrong usage, 3 one not checked.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.screen import echo, echo_json, folded
from snapdp.display import one_line

if TYPE_CHECKING:
    from snapdp.audits import Examination

EXIT = {"ACCEPTED": 0, "REFUSED": 1, "COULD NOT CHECK": 3}
COLOURS = {"ACCEPTED": "green", "REFUSED": "red", "COULD NOT CHECK": "yellow"}
EXAMPLE = """\b
Each kind of certificate has a checker of its own, one file of the standard
library that can be run alone:
  of a program (snapdp verify PROGRAM --certificate)
    python -m snapdp.verifier.certificate.check half.json
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


@click.command("check", epilog=EXAMPLE)
@click.argument("certificates", nargs=-1, required=True, type=click.Path(exists=True, readable=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def check_command(ctx: click.Context, /, certificates: tuple[Path, ...], as_json: bool) -> None:
    """Check certificates of `snapdp verify`, of a program or of a release, without believing them."""
    from snapdp.audits import examine_file

    ctx.meta["snapdp.json"] = as_json
    found = [(path, examine_file(path)) for path in certificates]
    if as_json:
        echo_json(_values(found))
    else:
        for path, examination in found:
            _print(examination, "" if len(found) == 1 else one_line(str(path)))
    codes = {EXIT[examination.verdict] for _, examination in found}
    ctx.exit(1 if 1 in codes else max(codes))


def _print(found: Examination, name: str) -> None:
    """Print what the checker says of a file; its name, if there are several."""
    from snapdp.verifier import conclusion_lines

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
