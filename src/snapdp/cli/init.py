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

from snapdp.cli.flags.arguments import NUMBER
from snapdp.cli.flags.csv_dialect import csv_options, csv_values
from snapdp.cli.flags.options import given, statistic_options
from snapdp.cli.flags.statistics import study_values
from snapdp.cli.flags.texts import said_texts, text_options
from snapdp.cli.help.pages import SectionedCommand
from snapdp.cli.screen import echo_json, say
from snapdp.display import one_line

EXAMPLE = """\b
Examples:
  snapdp init study.toml
  snapdp init six.toml --data people.csv --count --mean age --mean income \\
      --median income --histogram region --sum income \\
      --bounds age=0,120 --bounds income=0,10000 --step income=1 \\
      --missing dropped --categories north,south,east,west \\
      --n-max 10000 --budget 1
  snapdp init ages.toml --dataset people --mean age --bounds 0,120 \\
      --missing dropped --n 5000 --epsilon 0.5
"""


@click.command("init", cls=SectionedCommand, epilog=EXAMPLE)
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--dataset", metavar="NAME", help="The name of the dataset: its account in the ledger.")
@click.option("--data", help="Where the table is; it is not opened.")
@csv_options
@statistic_options
@click.option(
    "--budget",
    type=NUMBER,
    metavar="NUMBER",
    help="What may ever be spent on the dataset; without --epsilon the statistics share all of it.",
)
@text_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def init_command(ctx: click.Context, /, path: Path, as_json: bool, **options: Any) -> None:
    """Write a study file: what is public about a dataset and what will be asked of it.

    Without flags it asks the questions of `snapdp start`, which goes on to the report. Bounds, categories and row
    counts are what you declare, never taken from the data.
    """
    from snapdp.drafts import write_new_text
    from snapdp.studies import keys_beside, plan_of, study_from_values, study_to_toml
    from snapdp.tables import read_keys

    ctx.meta["snapdp.json"] = as_json
    if path.suffix != ".toml":
        raise click.UsageError(f"A study file ends in .toml, not '{path.suffix}'.")
    if os.path.lexists(path):
        raise click.UsageError(f"{path} exists; it is not overwritten. Edit it, or give another name.")
    asked = not given(options)
    if asked:
        from snapdp.cli.start.without_file import asked_values

        values = asked_values(path, options["dataset"])
    else:
        if options["epsilon"] is None and options["accuracy"] is None:
            options["epsilon"] = options["budget"]
        values = study_values(options, dataset=options["dataset"] or path.stem)
    if options["budget"] is not None:
        values["budget"] = options["budget"]
    if options["data"]:
        values["data"] = options["data"]
    if said := csv_values(options):
        values["csv"] = said
    values |= said_texts(options)
    study = study_from_values(values, read_keys=keys_beside(path, read_keys))  # relative to the study, as data are
    plan = plan_of(study)
    write_new_text(study_to_toml(study), path)
    if as_json:
        echo_json({"ok": True, "study": str(path), "total": str(plan.total)})
        return
    if not asked:
        from snapdp.cli.render import show

        show(plan)
    then = "plan" if study.budget is None else "ledger create --from"
    say(f"wrote {one_line(str(path))}; next: snapdp {then} {one_line(shlex.quote(str(path)))}")
