"""`snapdp registry`: a record as a sheet for the registry of deployments.

Parse, one library call, render. It reads a record, which is public, and no data.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snapdp.cli.groups import json_option
from snapdp.cli.screen import echo, echo_json, say
from snapdp.display.text import one_line

EXAMPLES = """\b
Examples:
  snapdp registry record.json
  snapdp registry record.json --output sheet.yaml
"""


@click.command("registry", epilog=EXAMPLES)
@click.argument("record", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the sheet to this new file.")
@json_option()
def registry_command(record: Path, output: Path | None, as_json: bool) -> None:
    """Make a sheet of a record for OpenDP's registry of deployments.

    What the record says is filled in: whom epsilon protects, what was charged, how it was computed. What only people
    know is marked FILL IN. Nothing is sent anywhere.
    """
    from snapdp.drafts import write_new_text
    from snapdp.interop.registry import sheet, sheet_values

    content = _content(record)
    text = sheet(content)
    if output is not None:
        write_new_text(text, output)
        say(f"wrote {one_line(str(output))}; fill in what is marked, then submit it yourself.")
    if as_json:
        echo_json({"ok": True, "sheet": sheet_values(content), "written": None if output is None else str(output)})
    elif output is None:
        echo(text.rstrip("\n"))


def _content(path: Path) -> dict[str, Any]:
    """Return what a file holds; refuse by its name one that does not call itself a record."""
    from snapdp.errors import DataError
    from snapdp.release.result import load_record

    found = load_record(path)
    if "statistics" not in found:
        raise DataError(
            f"{one_line(str(path))} is no record of a release.", "Give the record.json that a release wrote."
        )
    return found
