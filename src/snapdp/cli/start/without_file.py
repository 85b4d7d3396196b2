"""The questions of `snapdp init`: those of `snapdp start`, which end in a study. A file need not be there.

Room: cli. Columns may have any name where no file says them; a draft beside the study keeps the answers, as it does for
a file.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from snapdp.cli.flags.csv_dialect import CSV_FLAGS, csv_values
from snapdp.cli.screen import STOPPED, echo
from snapdp.cli.start.columns import KnownColumns
from snapdp.cli.start.draft_file import DraftFile
from snapdp.cli.start.flow import Decided, Talk, conversation
from snapdp.cli.start.going_on import about_columns, answers_of
from snapdp.cli.start.interview import Interview
from snapdp.cli.start.pages import KEYS, Stopped, paragraph, show_columns
from snapdp.cli.start.questions import MORE_DATASET, Flow, Question
from snapdp.cli.start.table_file import Opened, TableFile
from snapdp.display import one_line
from snapdp.ledger import label

GOES_ON = ("dataset", "data", *CSV_FLAGS, "budget")  # what the command that goes on has to name


def asked_values(path: Path, options: Mapping[str, Any], file: Path | None, *, dataset: str) -> dict[str, Any]:
    """Ask for a study; return its values. Whoever stops is told how to go on.

    file      the table, where its names can be read
    dataset   what it is called unless somebody says otherwise
    """
    draft = DraftFile(path.with_suffix(".start.json"), path.name)
    table = None if file is None else TableFile(file, table=None, csv=csv_values(dict(options)))
    try:
        paragraph(f"A study, by questions. With the file at hand, snapdp start FILE goes on to the report. {KEYS}")
        interview = Interview(answers_of(draft), draft.write)
        names = None if table is None else interview.run(table.ask).columns.names
        interview = Interview(about_columns(interview.answers, names, draft), draft.write)
        if names is not None:
            show_columns(names)
        found = interview.run(lambda: _conversation(options["dataset"], dataset, table, interview)).outline.values()
    except Stopped:
        paragraph("Stopped; no study was written.")
        if draft.exists:
            paragraph(f"Your answers are kept in {one_line(str(draft.path))}. To go on:")
            echo(f"  {_to_go_on(path, options)}", err=True)
        raise click.exceptions.Exit(STOPPED) from None
    draft.remove()
    return found


def _to_go_on(path: Path, options: Mapping[str, Any]) -> str:
    named = [f"--{name}={options[name]}" for name in GOES_ON if options[name] is not None]
    return one_line(shlex.join(["snapdp", "init", str(path), *named]))


def _conversation(named: str | None, usual: str, table: TableFile | None, interview: Interview) -> Flow[Decided]:
    opened = Opened(columns=KnownColumns()) if table is None else (yield from table.ask())
    name = named
    if name is None:
        name = yield Question(
            key=("dataset",),
            text="What is the dataset called?",
            hint="A short name for the ledger, such as people.",
            more=MORE_DATASET,
            default=usual,
            check=lambda text: label(text, name="dataset"),
        )
    more = {"csv": opened.csv} if opened.csv else {}
    talk = Talk(dataset=name, columns=opened.columns, interview=interview, more=more)
    return (yield from conversation(talk))
