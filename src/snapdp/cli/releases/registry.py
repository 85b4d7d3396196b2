"""`snapdp registry`: a record as a sheet for the registry of deployments.

Room: cli. Parse, one library call, render. It reads a record, which is public, and no data.
"""

from __future__ import annotations

import json
from pathlib import Path

import click

from snapdp.cli.screen import echo, echo_json, say
from snapdp.display import one_line

EXAMPLES = """\b
Examples:
  snapdp registry record.json
  snapdp registry record.json --output sheet.yaml
"""


@click.command("registry", epilog=EXAMPLES)
@click.argument("record", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the sheet to this new file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def registry_command(ctx: click.Context, /, record: Path, output: Path | None, as_json: bool) -> None:
    """Make a sheet of a record for OpenDP's registry of deployments.

    What the record says is filled in: whom epsilon protects, what was charged, how it was computed. What only people
    know is marked FILL IN. Nothing is sent anywhere.
    """
    from snapdp.drafts import write_new_text
    from snapdp.interop import sheet, sheet_values
    from snapdp.release import load_record

    ctx.meta["snapdp.json"] = as_json
    content = load_record(record)
    text = sheet(content)
    if output is not None:
        write_new_text(text, output)
        say(f"wrote {one_line(str(output))}; fill in what is marked, then submit it yourself.")
    if as_json:
        values = json.loads(json.dumps(sheet_values(content), default=str))  # epsilon as an exact fraction
        echo_json({"ok": True, "sheet": values, "written": None if output is None else str(output)})
    elif output is None:
        echo(text.rstrip("\n"))
