"""`snapdp init`: write a study file, from flags or from questions. It never looks at data.

Room: cli. The questions are those of `snapdp start`, without a file; what is answered becomes the values of a study,
which the study reader checks and its writer writes.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import click

from snapdp.cli.flags.csv_dialect import csv_options, csv_values
from snapdp.cli.flags.options import given, statistic_options
from snapdp.cli.flags.statistics import study_values
from snapdp.cli.flags.texts import said_texts, text_options
from snapdp.cli.help.pages import SectionedCommand
from snapdp.cli.screen import echo_json, one_line, say

EXAMPLE = """\b
Examples:
  snapdp init study.toml
  snapdp init ages.toml --dataset people --mean age --bounds 0,120 \\
      --missing dropped --n 5000 --epsilon 0.5
"""


@click.command("init", cls=SectionedCommand, epilog=EXAMPLE)
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--dataset", metavar="NAME", help="The name of the dataset: its account in the ledger.")
@click.option("--data", help="Where the table is; it is not opened.")
@csv_options
@statistic_options
@text_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def init_command(ctx: click.Context, /, path: Path, as_json: bool, **options: Any) -> None:
    """Write a study file: what is public about a dataset and what will be asked of it.

    Without flags it asks the questions of `snapdp start`, which goes on to the report. Bounds, categories and row
    counts are what you declare, never taken from the data.
    """
    from snapdp.drafts import write_text
    from snapdp.studies import keys_beside, plan_of, study_from_values, study_to_toml
    from snapdp.tables import read_keys

    ctx.meta["snapdp.json"] = as_json
    if path.suffix != ".toml":
        raise click.UsageError(f"A study file ends in .toml, not '{path.suffix}'.")
    if os.path.exists(path):
        raise click.UsageError(f"{path} exists; it is not overwritten.")
    asked = not given(options)
    if asked:
        from snapdp.cli.start.without_file import asked_values

        values = asked_values(path, options["dataset"])
    else:
        values = study_values(options, dataset=options["dataset"] or path.stem)
    if options["data"]:
        values["data"] = options["data"]
    if said := csv_values(options):
        values["csv"] = said
    values |= said_texts(options)
    study = study_from_values(values, read_keys=keys_beside(path, read_keys))  # relative to the study, as data are
    plan = plan_of(study)
    write_text(study_to_toml(study), path)
    if as_json:
        echo_json({"ok": True, "study": str(path), "total": str(plan.total)})
        return
    if not asked:
        from snapdp.cli.render import show

        show(plan)
    say(f"wrote {one_line(str(path))}; next: snapdp plan {one_line(shlex.quote(str(path)))}")
