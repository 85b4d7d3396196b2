"""What is done at the end of a conversation: the study is written, the ledger opened, the release made and reported.

Room: cli. Each step is one library call. The table is read once before anything is opened, so that what a release would
refuse is told while everything can still be changed; then it is asked once whether the ledger is charged. The study is
written before the charge, under a name that nothing had: with it a release that was paid can be had again, free.
"""

from __future__ import annotations

import os
import shlex
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from snapdp.cli.release import LOOK, saved, say_texts_kept
from snapdp.cli.screen import STOPPED, echo, echo_json, is_conversation, watch
from snapdp.cli.start.going_on import near
from snapdp.cli.start.interview import Back, asked_once
from snapdp.cli.start.known_table import existing_account, is_free
from snapdp.cli.start.looking import Looking
from snapdp.cli.start.pages import paragraph
from snapdp.cli.start.place import STUDY, Place
from snapdp.cli.start.questions import Question, yes_or_no
from snapdp.cli.start.table_file import Opened
from snapdp.display import exact_amount, hides_nothing, one_line, shown_address
from snapdp.errors import DataError, ParameterError, SnapdpError
from snapdp.exact import parameter

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from snapdp.api.outline import Outline
    from snapdp.api.study import Study
    from snapdp.ledger import Ledger
    from snapdp.release import Release
    from snapdp.tables import Engine

LONGEST_FILE = 16  # the name of a file, before what it is
FILES = {
    "report.html": "the report, to be published",
    "values.csv": "its numbers, as a table",
    "record.json": "the record: anybody can check the report by it",
    STUDY: "what was declared and asked",
}
FLAGS = {"report.html": "--report", "values.csv": "--values", "record.json": "--record"}  # of `snapdp release`
BESIDE = {"datapackage.json": "what the columns of values.csv mean"}  # written with them
LOOK_AT = Question(
    key=("look",),
    text=LOOK,
    hint="y or n. It is free, and for you alone.",
    more="Shows how many cells are numbers, missing, outside the bounds or in no category, as rough shares.",
    default="y",
    check=yes_or_no,
)
CHARGE = Question(
    key=("charge",),
    text="Release it, and charge the ledger?",
    hint="y or n.",
    more="y: the numbers are drawn and published, and what they cost is spent for good. n, and < too: back to the "
    "plan, and nothing is charged.",
    default="n",
    check=yes_or_no,
)


def save_study(outline: Outline, place: Place) -> Path:
    """Write the study file into a directory of its own; return it."""
    with _new_directory(place) as directory:
        return write_study(outline, place, directory)


def write_study(outline: Outline, place: Place, directory: Path) -> Path:
    """Write the study file into a directory; return it."""
    from snapdp.drafts import write_new_text
    from snapdp.studies import study_to_toml
    from snapdp.values import replaced

    path = directory / place.study
    there = next((name for name in (*FLAGS, place.study) if os.path.lexists(directory / name)), None)
    if there is not None:
        raise ParameterError(f"{directory / there} exists, and is not overwritten.", "Name another directory.")
    data = os.path.relpath(place.data.absolute(), directory.absolute())  # relative to the study
    text = study_to_toml(replaced(outline, more={**outline.more, "data": data}).study())
    write_new_text(text, path)
    return path


def release(
    outline: Outline,
    opened: Opened,
    place: Place,
    looking: Looking,
    *,
    yes: bool,
    as_json: bool,
    rows: int | None = None,
) -> bool:
    """Release what was planned; return whether it was made. Refusals come before anything is charged.

    looking  what was looked at in this conversation, where a look is not offered again
    rows     for how many rows errors were shown, where somebody guessed
    """
    study, table = _study(outline), _table(opened, place)
    if is_free(study, table, place):
        paragraph("This was released before: it is given again, and nothing is charged.")
    else:
        study.check(table, watch=watch)
        if yes:
            _say_last(outline)
        elif not _is_wanted(outline, opened, place, looking, rows):
            paragraph("Nothing was charged.")
            return False
    with _claimed(outline, place) as directory, _opened_ledger(study, place) as ledger:
        result = _released(study, table, ledger, directory)
        left = ledger.account(study.dataset).left
        context = click.get_current_context()
        if not result.free:
            context.meta["snapdp.charges"] = False
            context.meta["snapdp.spent"] = exact_amount(parameter(result.charged, name="charged"))
        unwritten = _unwritten(result, directory)
    _say_result(result, left, place, directory, table=opened.table, unwritten=unwritten, as_json=as_json)
    say_texts_kept(result, study)
    if unwritten:
        raise next(iter(unwritten.values()))
    return True


def _say_last(outline: Outline) -> None:
    """Say what nobody may miss before the charge, whether it is asked for or not."""
    from snapdp.api.outline import about_keys

    if warning := hides_nothing(outline.budget):
        paragraph(warning, indent="  ", first="! ")
    if texts := ", ".join(f'{key} "{one_line(str(outline.more[key]))}"' for key in about_keys() if key in outline.more):
        paragraph(f"Readers of the report are told: {texts}.")


def _unwritten(result: Release, directory: Path) -> dict[str, click.FileError]:
    """Write all files but the study; return why some could not be written. The numbers are in the ledger already."""
    found = {}
    for name in FLAGS:
        if os.path.lexists(directory / name):
            problem: click.FileError | None = click.FileError(str(directory / name), "it exists; not overwritten.")
        else:
            problem = saved(result, directory / name)
        if problem is not None:
            found[name] = problem
    return found


def _released(study: Study, table: Engine, ledger: Ledger, directory: Path) -> Release:
    """Release; whoever stops it is told what is left."""
    try:
        return study.release(table, ledger=ledger, directory=directory, watch=watch)
    except KeyboardInterrupt:
        account = ledger.account(study.dataset)
        paragraph(f"Stopped: {exact_amount(account.left)} of {exact_amount(account.cap)} left.")
        raise click.exceptions.Exit(STOPPED) from None


@contextmanager
def _claimed(outline: Outline, place: Place) -> Iterator[Path]:
    """Take the directory of a release by writing the study into it; what was refused without a charge leaves none."""
    with _new_directory(place) as directory:
        study = write_study(outline, place, directory)
        try:
            yield directory
        except SnapdpError as refusal:
            if "spent" not in refusal.numbers:
                study.unlink(missing_ok=True)
            raise


@contextmanager
def _new_directory(place: Place) -> Iterator[Path]:
    """Make the directory of the release; where nothing comes into it, it goes again."""
    try:
        directory = place.made_directory()
    except OSError as problem:
        wanted = str(place.directory or place.data.parent)
        raise DataError(f"{wanted!r} cannot be made: {problem.strerror}.", "Name another directory.") from None
    try:
        yield directory
    finally:
        with suppress(OSError):  # it is not empty
            directory.rmdir()


def _study(outline: Outline) -> Study:
    from snapdp.api.study import study

    return study(outline.values())


def _table(opened: Opened, place: Place) -> Engine:
    from snapdp.tables import open_table

    return open_table(str(place.data), table=opened.table, dialect=opened.dialect)


def _is_wanted(outline: Outline, opened: Opened, place: Place, looking: Looking, rows: int | None) -> bool:
    """Offer a look that is a new one, and ask, once, whether the ledger is charged; going back is no."""
    try:
        if is_conversation() and looking.is_new(outline, opened) and asked_once(LOOK_AT):
            looking.show(outline, opened, place)
        echo("", err=True)
        _say_last(outline)
        paragraph(_what_is_spent(outline, place, rows))
        return bool(asked_once(CHARGE))
    except Back:
        return False


def _what_is_spent(outline: Outline, place: Place, rows: int | None) -> str:
    """Return what will be spent and where, and how many lines say little: the plan may have scrolled away."""
    from snapdp.cli.plans.screen import weak_lines
    from snapdp.ledger import later_in_words, together_in_words

    name, cost = one_line(outline.dataset), exact_amount(outline.budget)
    account = existing_account(place.ledger, outline.dataset)
    where = one_line(shown_address(place.ledger))
    if not place.has_ledger:
        where = f"a new ledger, {where}" if place.is_named else "a new ledger"
    left, cap = (outline.budget,) * 2 if account is None else (account.left, account.cap)
    of = f"of {cost}" if left == cap == outline.budget else f"of the {exact_amount(left)} that is left"
    of += f" of {exact_amount(cap)}" if left != cap else ""
    before = "" if account is None else together_in_words(outline.budget, account)
    told = f"In {where}: {cost} {of} will be spent on {name}, for good."
    later = later_in_words(outline.budget, left)
    return " ".join(filter(None, (told, later, before, weak_lines(_study(outline).plan(if_rows=rows)))))


@contextmanager
def _opened_ledger(study: Study, place: Place) -> Iterator[Ledger]:
    """Open the ledger, with an account for the dataset; both are made where they are not there."""
    from snapdp.ledger import Ledger

    with Ledger.open(place.ledger) if place.has_ledger else Ledger.create(place.ledger) as ledger:
        if all(each.name != study.dataset for each in ledger.accounts()):
            ledger.create_account_for(study)
        yield ledger


def _say_result(
    result: Release,
    left: Fraction,
    place: Place,
    where: Path,
    *,
    table: str | None,
    unwritten: Collection[str],
    as_json: bool,
) -> None:
    """Show the numbers, where the files are, and the commands that check and repeat the release."""
    from snapdp.studies import digest

    named = {Path(name).stem: str(where / name) for name in (*FLAGS, *BESIDE) if name not in unwritten}
    named["study"] = str(where / place.study)
    if as_json:
        charged = {"charged": result.charged, "digest": digest(result.to_json())}
        echo_json({"ok": True, **named, "ledger": shown_address(place.ledger), **charged})
        click.get_current_context().meta["snapdp.json"] = False  # one result is printed, whatever follows
        return
    from snapdp.cli.render import show_release

    echo("", err=True)
    show_release(result, left=left)
    echo("", err=True)
    paragraph(f"Written to {one_line(near(where))}:")
    for name, means in _written(result, where, place.study, unwritten).items():
        head, below = f"  {one_line(name):<{LONGEST_FILE}}  ", " " * (LONGEST_FILE + 4)
        if len(head) > len(below):
            echo(head.rstrip(), err=True)
            head = below
        paragraph(means, indent=below, first=head)
    paragraph(f"The ledger is {one_line(near(place.ledger))}: keep it, it says what may still be spent.")
    ledger, record = (one_line(shlex.quote(near(each))) for each in (place.ledger, where / "record.json"))
    study = one_line(shlex.quote(near(where / place.study)))
    lacking = "".join(f" {FLAGS[name]} {one_line(shlex.quote(near(_free_name(where, name))))}" for name in unwritten)
    of_table = "" if table is None else f" --table {one_line(shlex.quote(table))}"
    if "record.json" not in unwritten:
        paragraph("To check it, as anybody can:")
        echo(f"  snapdp verify {record}", err=True)
    paragraph("To get the same again, free of charge:" if not lacking else "To have what is missing, free of charge:")
    echo(f"  snapdp release {study} --ledger {ledger}{of_table}{lacking}", err=True)


def _free_name(where: Path, name: str) -> Path:
    return where / (f"new-{name}" if os.path.lexists(where / name) else name)


def _written(result: Release, where: Path, study: str, unwritten: Collection[str]) -> dict[str, str]:
    """Return the files of a release, and what each is."""
    tables = {name: "a table too long for the record: keep it beside it" for name, _ in result.long_blocks()}
    ours = {study if name == STUDY else name: means for name, means in FILES.items() if name not in unwritten}
    found = {**ours, **BESIDE, **tables}
    return {name: means for name, means in found.items() if os.path.exists(where / name)}
