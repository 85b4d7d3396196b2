"""`snapdp start`: questions, from a file to a study, a ledger, a plan, a release and its report.

Room: cli. It asks, and hands what was answered to the library. The conversation is on stderr, the numbers on stdout.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from snapdp.cli.flags.arguments import NUMBER
from snapdp.cli.flags.csv_dialect import CSV_FLAGS, csv_options, csv_values, to_declare
from snapdp.cli.help.pages import SectionedCommand
from snapdp.cli.screen import echo, echo_json, one_line
from snapdp.cli.start import finish
from snapdp.cli.start.draft_file import DraftFile
from snapdp.cli.start.flow import SAVE, Decided, Talk, conversation
from snapdp.cli.start.going_on import answers_of
from snapdp.cli.start.interview import Interview
from snapdp.cli.start.pages import KEYS, Stopped, paragraph, show_names, show_problem
from snapdp.cli.start.questions import Flow, Key, Question
from snapdp.cli.start.relation import told_account
from snapdp.cli.start.table_file import Opened, TableFile
from snapdp.display import is_address, shown_address
from snapdp.errors import DataError, SnapdpError
from snapdp.ledger import Account, label

EXAMPLE = """\b
Examples:
  snapdp start people.csv
  snapdp start visits.parquet --budget 1/2 --ledger visits.ledger
"""
STOPPED = 1
READING = ("table", *CSV_FLAGS, "dataset")  # flags that a draft keeps
PLACES = ("budget", "ledger_path", "directory")


@click.command("start", cls=SectionedCommand, epilog=EXAMPLE)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--table", metavar="NAME", help="The table in a DuckDB file.")
@csv_options
@click.option("--dataset", metavar="NAME", help="The account of the ledger.  [default: the name of FILE]")
@click.option("--budget", type=NUMBER, metavar="NUMBER", help="The epsilon that all statistics share.")
@click.option("--ledger", "ledger_path", metavar="PATH", help="The ledger.  [default: beside FILE]")
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the files of the release go.  [default: a new one beside FILE]",
)
@click.option("--yes", is_flag=True, help="Do not ask before the ledger is charged.")
@click.option("--json", "as_json", is_flag=True, help="At the end, print where everything is as JSON.")
@click.pass_context
def start_command(ctx: click.Context, /, file: Path, yes: bool, as_json: bool, **options: Any) -> None:
    """Charged: questions, from a file to a published report. Asks once before the ledger is charged.

    FILE is a CSV, Parquet or DuckDB file. Of it only the names of columns are looked at, until you release. Answers are
    kept in a draft beside it: the same command goes on where it was stopped.
    """
    ctx.meta["snapdp.json"], ctx.meta["snapdp.charges"], ctx.meta["snapdp.try"] = as_json, True, to_declare
    place = _place(file, options)
    begun = Conversation(file, place, options)
    try:
        begun.begin()
        begun.run(yes=yes, as_json=as_json)
    except (Stopped, KeyboardInterrupt):
        _say_stopped(ctx, begun, as_json=as_json)
        ctx.exit(STOPPED)


class Conversation:
    """One call of the command: the file, its draft, and the conversation about it."""

    def __init__(self, file: Path, place: finish.Place, options: dict[str, Any]) -> None:
        self.file, self.place, self.options = file, place, options
        home = file.parent if options["directory"] is None else options["directory"]
        self.draft = DraftFile(home / f"{place.stem}.start.json", file.name)
        self.interview = Interview({}, self._save_draft)
        self._is_kept = True
        self.opened: Opened | None = None
        self.account: Account | None = None

    def begin(self) -> None:
        """Say what this is; take up the answers of a draft, where there is one and they are wanted."""
        paragraph(f"From {one_line(self.file.name)} to a published report, by questions.")
        paragraph(f"Nothing is charged before you say so. {KEYS}")
        kept = answers_of(self.draft)
        if self.options["budget"] is not None:
            kept[("budget",)] = self.options["budget"]
        self._take_reading()
        self.interview = Interview(kept, self._save_draft)
        opened, dataset = self.interview.run(self._opening)
        self._check_names(opened.columns.names)
        self.account = finish.existing_account(self.place.ledger, dataset)
        self._welcome(opened)

    def _take_reading(self) -> None:
        """Read the file as the flags say, and where they say nothing, as those of before did."""
        given = {name: self.options[name] for name in READING if self.options[name] is not None}
        before = {name: text for name, text in self.draft.reading.items() if name in READING and name not in given}
        if before:
            paragraph(f"Read as before: {one_line(_flags(before))}.")
        self.draft.reading = {**before, **given}
        self.options = {**self.options, **self.draft.reading}
        self.table = TableFile(self.file, table=self.options["table"], csv=csv_values(self.options))

    @property
    def command(self) -> str:
        """Return the command that goes on, with all flags that were given."""
        said = {name: self.options[name] for name in (*READING, *PLACES) if self.options[name] is not None}
        ledger = said.get("ledger_path")
        said |= {"ledger_path": shown_address(ledger)} if ledger is not None else {}
        return one_line(f"snapdp start {shlex.quote(str(self.file))} {_flags(said)}".rstrip())

    def _check_names(self, names: list[str]) -> None:
        """Let answers go that speak of other columns: some of them name a column by its number."""
        if self.draft.names not in (None, names) and self.interview.answers:
            paragraph("The file has other columns than before: the questions begin anew.")
            self.interview = Interview({}, self._save_draft)
        self.draft.names = names

    def run(self, *, yes: bool, as_json: bool) -> None:
        """Ask until something is released or saved."""
        while True:
            decided = self.interview.run(self._conversation)
            assert self.opened is not None
            try:
                if decided.action == SAVE:
                    self._save(decided, as_json=as_json)
                    return
                if finish.release(decided.outline, self.opened, self.place, yes=yes, as_json=as_json):
                    self.draft.remove()
                    return
            except SnapdpError as refusal:
                if "spent" in refusal.numbers:
                    raise
                show_problem(self._in_words(refusal))
                if command := to_declare(refusal):
                    paragraph(f"Try: {command}", indent="  ", first="  ")
            self.interview.forget(decided.key)

    def _in_words(self, refusal: SnapdpError) -> SnapdpError:
        """Return a refusal with what can be done here: a wrong number of rows is answered again."""
        if not isinstance(refusal, DataError) or "n" not in refusal.numbers:
            return refusal
        place = self.interview.place_of(("n",))
        told = (
            "The ledger knows it with so many: with another number it is another dataset, which --dataset NAME names."
            if place is None
            else f"Type change, then {place}, and the right number; or another answer to the question before it."
        )
        return DataError(f"the table does not have {refusal.numbers['n']} rows.", told)

    def _save_draft(self, answers: dict[Key, str]) -> None:
        """Keep the answers; where they cannot be kept that is said once, and the conversation goes on."""
        try:
            self.draft.write(answers)
        except SnapdpError as refusal:
            if self._is_kept:
                show_problem(refusal)
                paragraph("Your answers cannot be kept: whoever stops begins anew.", indent="  ", first="  ")
            self._is_kept = False

    def _conversation(self) -> Flow[Decided]:
        """Ask about the file; then about everything else."""
        opened, dataset = yield from self._opening()
        self.opened = opened
        talk = Talk(
            dataset=dataset,
            columns=opened.columns,
            interview=self.interview,
            account=self.account,
            more={"csv": opened.csv} if opened.csv else {},
            can_release=True,
            look=lambda outline: finish.look(outline, opened, self.place),
        )
        return (yield from conversation(talk))

    def _opening(self) -> Flow[tuple[Opened, str]]:
        opened = yield from self.table.ask()
        dataset = yield from self._ask_dataset()
        return opened, dataset

    def _ask_dataset(self) -> Flow[str]:
        """Return the name of the dataset: that of the file, unless it is none that a ledger takes."""
        name = self.options["dataset"] or self.place.stem
        try:
            return label(name, name="dataset")
        except SnapdpError:
            pass
        found: str = yield Question(
            key=("dataset",),
            text="What is the dataset called?",
            hint="A short name for the ledger, such as people.",
            check=lambda text: label(text, name="dataset"),
        )
        return found

    def _welcome(self, opened: Opened) -> None:
        """Show the columns; and what the ledger has of this dataset, where it knows it."""
        echo("", err=True)
        paragraph("The columns of the table, by name. No row is read.")
        show_names(opened.columns.names)
        if self.account is not None:
            paragraph(told_account(self.account, one_line(os.path.basename(self.place.ledger))))

    def _save(self, decided: Decided, *, as_json: bool) -> None:
        path = finish.save_study(decided.outline, self.place)
        if as_json:
            echo_json({"ok": True, "study": str(path), "draft": str(self.draft.path)})
            return
        self.interview.forget(decided.key)
        self._save_draft(self.interview.answers)
        paragraph(f"Wrote {one_line(str(path))}; nothing was charged. To see its plan, also after editing it:")
        echo(f"  snapdp plan {one_line(shlex.quote(str(path)))}", err=True)
        paragraph("To go on with these questions, and release:")
        echo(f"  {self.command}", err=True)


def _flags(said: Mapping[str, Any]) -> str:
    """Return flags as they are typed."""
    return " ".join(f"--{name.removesuffix('_path')} {shlex.quote(str(value))}" for name, value in said.items())


def _place(file: Path, options: dict[str, Any]) -> finish.Place:
    """Return where things are; refuse a directory in which something would be overwritten, before anything is asked."""
    stem = file.name.split(".")[0] or "table"
    directory: Path | None = options["directory"]
    if directory is not None:
        there = next((name for name in (*finish.FILES, *finish.BESIDE) if os.path.lexists(directory / name)), None)
        if there is not None:
            raise click.UsageError(f"{directory} has a {there} already; name another directory.")
    ledger = options["ledger_path"] or str(file.parent / f"{stem}.ledger")
    if not is_address(ledger) and not os.path.isdir(Path(ledger).absolute().parent):
        raise click.UsageError(f"--ledger {ledger}: there is no such directory.")
    return finish.Place(data=file, ledger=ledger, stem=stem, directory=directory)


def _say_stopped(ctx: click.Context, begun: Conversation, *, as_json: bool) -> None:
    """Say what was charged, and how to go on."""
    kept, spent = begun.draft.exists, ctx.meta.get("snapdp.spent")
    if as_json and ctx.meta["snapdp.json"]:
        where = {"draft": str(begun.draft.path)} if kept else {}
        echo_json({"ok": False, "error": "Stopped.", "advice": "", "spent": spent or "0", **where})
        ctx.meta["snapdp.json"] = False
        return
    charged = f"Epsilon {spent} was charged: the same again is free." if spent else "Nothing was charged."
    paragraph(f"Stopped. {charged}")
    if kept:
        paragraph(f"Your answers are kept in {one_line(str(begun.draft.path))}. To go on:")
        echo(f"  {begun.command}", err=True)
