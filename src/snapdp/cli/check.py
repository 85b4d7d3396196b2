"""`snapdp check`: whether a certificate proves what it says, by the independent checker. Opens no data.

Room: cli. Parse, one library call, render. Exit 0 accepted, 1 refused, 2 unreadable.
"""

from __future__ import annotations

from pathlib import Path

import click

from snapdp.cli.screen import echo, echo_json

EXAMPLE = """\b
Each kind of certificate has a checker of its own, one file of the standard library that can be run alone:
  python -m snapdp.verifier.certificate.check half.json     of a program (snapdp verify PROGRAM --certificate)
  python -m snapdp.audits.check_release release.json        of a release (snapdp verify RECORD --certificate)
To run one without the rest of snapdp, copy its file out: check.py, check_release.py.
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
    from snapdp.audits import examined
    from snapdp.verifier import conclusion_lines

    ctx.meta["snapdp.json"] = as_json
    try:
        with certificate.open(encoding="utf-8") as file:
            reason, proved = examined(file, str(certificate.parent))
    except (OSError, ValueError, RecursionError) as problem:
        raise click.UsageError(f"{certificate} is no JSON: {problem}.") from None
    if as_json:
        echo_json({"ok": reason is None, "accepted": reason is None, "reason": reason, "proved": proved})
    elif proved is not None:
        echo("ACCEPTED", colour="green")
        for line in conclusion_lines(proved):
            echo(line)
    else:
        echo(f"REFUSED: {reason}", colour="red")
    ctx.exit(0 if reason is None else 1)
