"""`snapdp check`: whether a certificate proves what it says, by the independent checker. Opens no data.

Room: cli. Parse, one library call, render. Exit 0 accepted, 1 refused, 2 unreadable.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TextIO

import click

from snapdp.cli.screen import echo, echo_json

EXAMPLE = """\b
The checker is one file of the standard library: python src/snapdp/verifier/check.py half.json says the same.
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
    try:
        with certificate.open(encoding="utf-8") as file:
            reason = _reason(file)
    except (OSError, ValueError, RecursionError) as problem:
        raise click.UsageError(f"{certificate} is no JSON: {problem}.") from None
    if as_json:
        echo_json({"accepted": reason is None, "reason": reason})
    elif reason is None:
        echo("ACCEPTED", colour="green")
    else:
        echo(f"REFUSED: {reason}", colour="red")
    ctx.exit(0 if reason is None else 1)


def _reason(file: TextIO) -> str | None:
    """Return why a certificate is refused, or None: asked of the checker of its format."""
    from snapdp.verifier import check, check_release

    text = file.read(check_release.MOST_BYTES)
    if f'"{check_release.FORMAT}"' not in text:
        return check.check(text[: check.LARGEST_TEXT + 1])
    try:
        faults = check_release.check(json.loads(text, object_pairs_hook=check_release.unrepeated))
    except check_release.Refused as refusal:
        faults = [str(refusal)]
    return faults[0] if faults else None
