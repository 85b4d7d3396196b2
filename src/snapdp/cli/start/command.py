"""`snapdp start`: questions, from a file to a study, a ledger, a plan, a release and its report.

Room: cli. It asks, and hands what was answered to the library. The conversation is on stderr, the numbers on stdout.
"""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from snapdp.cli.accounts.places import told_beside
from snapdp.cli.flags.arguments import NUMBER
from snapdp.cli.flags.csv_dialect import csv_options, csv_values, to_declare
from snapdp.cli.help.pages import SectionedCommand
from snapdp.cli.screen import STOPPED, echo, echo_json, to_copy
from snapdp.cli.start import finish
from snapdp.cli.start.draft_file import DraftFile
from snapdp.cli.start.flow import SAVE, Decided, Talk, conversation
from snapdp.cli.start.going_on import about_columns, answers_of, command_to_go_on, named_in, near, with_named
from snapdp.cli.start.interview import Interview
from snapdp.cli.start.known_table import existing_account
from snapdp.cli.start.looking import Looking
from snapdp.cli.start.pages import KEYS, Stopped, paragraph, show_columns, show_problem
from snapdp.cli.start.place import STUDY, Place, unused_study
from snapdp.cli.start.questions import MORE_DATASET, Flow, Key, Question
from snapdp.cli.start.relation import BUDGET, answered_by_flag, told_account
from snapdp.cli.start.spent import is_wanted_again
from snapdp.cli.start.table_file import Opened, TableFile
from snapdp.display import is_address, one_line
from snapdp.errors import DataError, SnapdpError
from snapdp.ledger import Account, label

EXAMPLE = """\b
Examples:
  snapdp start people.csv
  snapdp start visits.parquet --budget 1/2 --ledger visits.ledger
"""


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
    begun = Conversation(file, _place(file, options), options)
    try:
        begun.begin()
        begun.run(yes=yes, as_json=as_json)
    except (Stopped, KeyboardInterrupt):
        _say_stopped(ctx, begun, as_json=as_json)
        ctx.exit(STOPPED)


class Conversation:
    """One call of the command: the file, its draft, and the conversation about it."""

    def __init__(self, file: Path, place: Place, options: dict[str, Any]) -> None:
        self.file, self.place, self._options = file, place, options
        path = _draft(place.data, place.stem, options["directory"])
        about = os.path.relpath(os.path.realpath(place.data), os.path.realpath(path.parent))
        self.draft = DraftFile(path, about, named_in(options, path.parent))
        self.table = TableFile(place.data, table=options["table"], csv=csv_values(options))
        self.interview = Interview({}, self._save_draft)
        self.looking = Looking(lambda key: self.interview.place_of(key))  # of the interview that there then is
        self._is_kept = True
        self.opened: Opened | None = None
        self.account: Account | None = None

    def begin(self) -> None:
        """Say what this is; take up the answers of a draft, where there is one and they are wanted."""
        paragraph(f"From {one_line(self.file.name)} to a published report, by questions.")
        paragraph(f"Nothing is charged before you say so. {KEYS}")
        if self.place.data != self.file:
            paragraph(f"{one_line(str(self.file))} is a link: the table is {one_line(str(self.place.data))}.")
        kept = answers_of(self.draft)
        self._take_up(kept)
        self.interview = Interview(kept, self._save_draft)
        opened, dataset = self.interview.run(self._opening)
        self._check_names(opened.columns.names)
        self.account = existing_account(self.place.ledger, dataset)
        self._welcome(opened)
        held = self.account
        if held is not None and not held.left and not is_wanted_again(held, self.place, table=opened.table):
            raise Stopped

    def _take_up(self, kept: dict[Key, str]) -> None:
        """Let hold what was named before; another budget that is named now is the one that counts."""
        goes_on, budget, then = bool(kept), self._options["budget"], kept.get(BUDGET)
        if budget is not None:
            if then not in (None, budget):
                paragraph(f"The budget is {one_line(budget)} now; it was {one_line(str(then))}.")
            kept |= answered_by_flag(budget)
        if goes_on:
            self._save_draft(kept)
        self._options = with_named(self._options, self.draft)
        self.place = _place(self.file, self._options)
        self.table = TableFile(self.place.data, table=self._options["table"], csv=csv_values(self._options))

    def _check_names(self, names: list[str]) -> None:
        """Let answers go that speak of other columns: some of them name a column by its number."""
        answers = about_columns(self.interview.answers, names, self.draft)
        if answers is not self.interview.answers:
            if self._options["budget"] is not None:
                answers |= answered_by_flag(self._options["budget"])
            self.interview = Interview(answers, self._save_draft)

    def run(self, *, yes: bool, as_json: bool) -> None:
        """Ask until something is released or saved."""
        while True:
            decided = self.interview.run(self._conversation)
            assert self.opened is not None
            try:
                if decided.action == SAVE:
                    self._save(decided, as_json=as_json)
                    return
                told = {"yes": yes, "as_json": as_json}
                if finish.release(decided.outline, self.opened, self.place, self.looking, rows=decided.rows, **told):
                    self.draft.remove()
                    return
            except SnapdpError as refusal:
                if "spent" in refusal.numbers:
                    raise
                show_problem(self._in_words(refusal))
                if command := to_declare(refusal):
                    echo(to_copy(f"  Try: {command}"), err=True)
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
            look=lambda outline: self.looking.show(outline, opened, self.place),
        )
        return (yield from conversation(talk))

    def _opening(self) -> Flow[tuple[Opened, str]]:
        opened = yield from self.table.ask()
        dataset = yield from self._ask_dataset()
        return opened, dataset

    def _ask_dataset(self) -> Flow[str]:
        """Return the name of the dataset: that of the file, unless it is none that a ledger takes."""
        name = self._options["dataset"] or self.place.stem
        try:
            return label(name, name="dataset")
        except SnapdpError:
            pass
        found: str = yield Question(
            key=("dataset",),
            text="What is the dataset called?",
            hint="A short name for the ledger, such as people.",
            more=MORE_DATASET,
            check=lambda text: label(text, name="dataset"),
        )
        return found

    def _welcome(self, opened: Opened) -> None:
        """Show the columns; and what the ledger has of this dataset, where it knows it."""
        show_columns(opened.columns.names)
        if self.account is not None:
            paragraph(told_account(self.account, one_line(os.path.basename(self.place.ledger))))
        elif not self.place.is_named and (told := told_beside(self.place.ledger)):
            paragraph(told)

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
        self.say_command()

    def say_command(self) -> None:
        """Print the command that goes on."""
        echo(f"  {command_to_go_on(self.file, self._options['directory'], self.draft)}", err=True)


def _place(file: Path, options: dict[str, Any]) -> Place:
    """Return where things are; refuse a directory in which something would be overwritten, before anything is asked."""
    data = _real(file)
    stem = data.name.split(".")[0] or "table"
    directory: Path | None = options["directory"]
    study = STUDY
    if directory is not None:
        is_ours = os.path.exists(_draft(data, stem, directory))  # and a study there, which was saved from it
        taken = [name for name in (*finish.FILES, *finish.BESIDE) if os.path.lexists(directory / name)]
        there = next((name for name in taken if name != STUDY or not is_ours), None)
        if there is not None:
            raise click.UsageError(f"{directory} has a {there} already; name another directory.")
        study = unused_study(directory)
    ledger = options["ledger_path"] or str(data.parent / f"{stem}.ledger")
    if not is_address(ledger) and not os.path.isdir(Path(ledger).absolute().parent):
        raise click.UsageError(f"--ledger {ledger}: there is no such directory.")
    is_named = options["ledger_path"] is not None
    return Place(data=data, ledger=ledger, stem=stem, directory=directory, study=study, is_named=is_named)


def _real(file: Path) -> Path:
    """Return the file that a link leads to: one table has one ledger, by whatever name it is opened."""
    with suppress(OSError, RuntimeError):
        real = file.resolve()
        return file if file.parent.resolve() / file.name == real else Path(near(real))
    return file


def _draft(data: Path, stem: str, directory: Path | None) -> Path:
    return (data.parent if directory is None else directory) / f"{stem}.start.json"


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
        begun.say_command()
