"""`snapdp check`: whether certificates prove what they say, by the independent checkers. Opens no data.

Room: cli. Parse, one library call, render. Exit 0 all accepted, 1 one refused, 2 one unreadable.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from snapdp.cli.screen import echo, echo_json, folded
from snapdp.display import one_line

Examined = tuple[str | None, dict[str, list[str]] | None]  # why a certificate is refused, or what it proves

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
Exit: 0 all accepted, 1 one refused, 2 one unreadable.

\b
Examples:
  snapdp verify snap_half --certificate half.json
  snapdp check half.json
"""


@click.command("check", epilog=EXAMPLE)
@click.argument("certificates", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def check_command(ctx: click.Context, /, certificates: tuple[Path, ...], as_json: bool) -> None:
    """Check certificates of `snapdp verify`, of a program or of a release, without believing them."""
    ctx.meta["snapdp.json"] = as_json
    found = [(path, *_examined(path)) for path in certificates]
    if as_json:
        echo_json(_values(found))
    else:
        for path, reason, proved in found:
            _print(reason, proved, "" if len(found) == 1 else one_line(str(path)))
    ctx.exit(0 if all(reason is None for _, reason, _ in found) else 1)


def _examined(path: Path) -> Examined:
    from snapdp.audits import examined

    try:
        with path.open(encoding="utf-8") as file:
            return examined(file, os.path.dirname(path))
    except (OSError, ValueError, RecursionError) as problem:
        raise click.UsageError(f"{path} is no JSON: {problem}.") from None


def _print(reason: str | None, proved: dict[str, list[str]] | None, name: str) -> None:
    """Print what the checker says of a file; its name, where there are several."""
    from snapdp.verifier import conclusion_lines

    if proved is None:
        echo(f"REFUSED: {name and f'{name}: '}{reason}", colour="red")
        return
    echo(f"ACCEPTED{name and f': {name}'}", colour="green")
    for line in conclusion_lines(proved):
        echo(folded(line))


def _values(found: list[tuple[Path, str | None, dict[str, list[str]] | None]]) -> dict[str, Any]:
    """Return what is said of one file; of several, a list of that."""
    each = [{"accepted": reason is None, "reason": reason, "proved": proved} for _, reason, proved in found]
    if len(each) == 1:
        return {"ok": each[0]["accepted"], **each[0]}
    named = [{"file": str(path), **said} for (path, _, _), said in zip(found, each, strict=True)]
    return {"ok": all(said["accepted"] for said in each), "certificates": named}
