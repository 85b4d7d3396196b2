"""The questions of `snapdp init`: those of `snapdp start` where no file is opened. They end in a study.

Room: cli. Columns may have any name; a draft beside the study keeps the answers, as it does for a file.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from snapdp.cli.screen import echo
from snapdp.cli.start.columns import KnownColumns
from snapdp.cli.start.draft_file import DraftFile
from snapdp.cli.start.flow import Decided, Talk, conversation
from snapdp.cli.start.going_on import answers_of
from snapdp.cli.start.interview import Interview
from snapdp.cli.start.pages import KEYS, Stopped, paragraph
from snapdp.cli.start.questions import Flow, Question
from snapdp.display import one_line
from snapdp.ledger import label

STOPPED = 1


def asked_values(path: Path, dataset: str | None) -> dict[str, Any]:
    """Ask for a study; return its values. Whoever stops is told how to go on."""
    draft = DraftFile(path.with_suffix(".start.json"), path.name)
    try:
        paragraph(f"A study, by questions. With the file at hand, snapdp start FILE goes on to the report. {KEYS}")
        interview = Interview(answers_of(draft), draft.write)
        found = interview.run(lambda: _conversation(path, dataset, interview)).outline.values()
    except Stopped:
        paragraph("Stopped; no study was written.")
        if draft.exists:
            paragraph(f"Your answers are kept in {one_line(str(draft.path))}. To go on:")
            echo(f"  snapdp init {one_line(shlex.quote(str(path)))}", err=True)
        raise click.exceptions.Exit(STOPPED) from None
    draft.remove()
    return found


def _conversation(path: Path, dataset: str | None, interview: Interview) -> Flow[Decided]:
    name = dataset
    if name is None:
        name = yield Question(
            key=("dataset",),
            text="What is the dataset called?",
            hint="A short name for the ledger, such as people.",
            default=path.stem,
            check=lambda text: label(text, name="dataset"),
        )
    talk = Talk(dataset=name, columns=KnownColumns(), interview=interview)
    return (yield from conversation(talk))
