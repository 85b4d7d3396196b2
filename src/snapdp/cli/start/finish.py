"""What is done at the end of a conversation: the study is written, the ledger opened, the release made and reported.

Room: cli. Each step is one library call. The table is read once before anything is opened, so that what a release would
refuse is told while everything can still be changed; then it is asked once whether the ledger is charged.
"""

from __future__ import annotations

import os
import shlex
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.release import LOOK, saved
from snapdp.cli.screen import confirm, echo, echo_json, is_conversation, one_line, watch
from snapdp.cli.start.pages import paragraph
from snapdp.cli.start.table_file import Opened
from snapdp.display import exact_amount, is_address, shown_address
from snapdp.errors import BudgetError, DataError, ParameterError, SnapdpError
from snapdp.exact import parameter
from snapdp.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from snapdp.api.outline import Outline
    from snapdp.api.study import Study
    from snapdp.ledger import Account, Ledger
    from snapdp.release import Release
    from snapdp.tables import Engine

STUDY = "study.toml"
FILES = {
    "report.html": "the report, to be published",
    "values.csv": "its numbers, as a table",
    "record.json": "the record: anybody can check the report by it",
    STUDY: "what was declared and asked",
}
FOR_YOU = (
    "This is for you alone, and not public: change no bound or category because of it. One that you mistyped may be "
    "corrected to what you knew before."
)


class Place(Value):
    """Where things are: the table, the ledger, and where the files of the release go, unless that is to be chosen."""

    data: Path
    ledger: str
    stem: str
    directory: Path | None = None

    @property
    def new_directory(self) -> Path:
        """Return where files go: the one asked for, or a new one beside the table; nothing is overwritten."""
        if self.directory is not None:
            return self.directory
        number, found = 1, self.data.parent / f"{self.stem}-release"
        while os.path.lexists(found):
            number += 1
            found = self.data.parent / f"{self.stem}-release-{number}"
        return found


def existing_account(path: str, dataset: str) -> Account | None:
    """Return the account of a dataset, where a ledger is there and has one."""
    from snapdp.ledger import Ledger

    if not is_address(path) and not os.path.exists(path):
        return None
    with Ledger.open(path) as ledger:
        found = next((each for each in ledger.accounts() if each.name == dataset), None)
    if found is not None and found.left <= 0:
        raise BudgetError(
            f"nothing is left for {dataset!r}: all of {exact_amount(found.cap)} was spent.",
            "What was released before stays free: snapdp ledger history shows it.",
        )
    return found


def look(outline: Outline, opened: Opened, place: Place) -> None:
    """Show how the cells are read, to whoever answers; not where it would go into a file."""
    from snapdp.cli.inspect import show_look

    if not is_conversation():
        raise ParameterError("a look is shown on a terminal only: it is not to be kept.", "Choose something else.")
    show_look(_study(outline).inspect(_table(opened, place), watch=watch), to_stderr=True)
    paragraph(FOR_YOU)


def save_study(outline: Outline, place: Place) -> Path:
    """Write the study file into a directory of its own; return it."""
    with _new_directory(place) as directory:
        return write_study(outline, place, directory)


def write_study(outline: Outline, place: Place, directory: Path) -> Path:
    """Write the study file into a directory; return it."""
    from snapdp.drafts import write_new_text
    from snapdp.studies import study_to_toml
    from snapdp.values import replaced

    path = directory / STUDY
    if os.path.lexists(path):
        raise ParameterError(f"{path} exists, and is not overwritten.", "Name another directory.")
    data = os.path.relpath(place.data.absolute(), directory.absolute())  # relative to the study
    text = study_to_toml(replaced(outline, more={**outline.more, "data": data}).study())
    write_new_text(text, path)
    return path


def release(outline: Outline, opened: Opened, place: Place, *, yes: bool, as_json: bool) -> bool:
    """Release what was planned; return whether it was made. Refusals come before anything is charged."""
    study, table = _study(outline), _table(opened, place)
    study.check(table, watch=watch)
    if not yes and is_conversation() and confirm(LOOK, default=True):
        look(outline, opened, place)
    if not yes and not _is_wanted(outline, place):
        paragraph("Nothing was charged.")
        return False
    with _opened_ledger(outline, study, place) as ledger, _new_directory(place) as directory:
        result = _released(study, table, ledger, directory)
        left = ledger.account(study.dataset).left
        context = click.get_current_context()
        if not result.free:
            context.meta["snapdp.charges"] = False
            context.meta["snapdp.spent"] = exact_amount(parameter(result.charged, name="charged"))
        unwritten = _unwritten(result, outline, place, directory)
    _say_result(result, left, place, directory, table=opened.table, as_json=as_json)
    if unwritten:
        raise unwritten[0]
    return True


def _unwritten(result: Release, outline: Outline, place: Place, directory: Path) -> list[click.FileError]:
    """Write all files; return why some could not be written. The numbers are in the ledger already."""
    found = [problem for name in FILES if name != STUDY and (problem := saved(result, directory / name)) is not None]
    try:
        write_study(outline, place, directory)
    except SnapdpError as problem:
        told = f"{problem.problem} The release was made; asking again is free."
        found.append(click.FileError(str(directory / STUDY), told))
    return found


def _released(study: Study, table: Engine, ledger: Ledger, directory: Path) -> Release:
    """Release; whoever stops it is told what is left."""
    try:
        return study.release(table, ledger=ledger, directory=directory, watch=watch)
    except KeyboardInterrupt:
        account = ledger.account(study.dataset)
        paragraph(f"Stopped: {exact_amount(account.left)} of {exact_amount(account.cap)} left.")
        raise click.exceptions.Exit(1) from None


@contextmanager
def _new_directory(place: Place) -> Iterator[Path]:
    """Make the directory of the release; where nothing comes into it, it goes again."""
    directory = place.new_directory
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise DataError(f"{str(directory)!r} cannot be made: {problem.strerror}.", "Name another directory.") from None
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


def _is_wanted(outline: Outline, place: Place) -> bool:
    """Ask, once, whether the ledger is charged."""
    where, name = one_line(shown_address(place.ledger)), one_line(outline.dataset)
    account = existing_account(place.ledger, outline.dataset)
    cap = outline.budget if account is None else account.left
    new = "a new ledger" if not is_address(place.ledger) and not os.path.exists(place.ledger) else where
    paragraph(f"In {new}: {exact_amount(outline.budget)} of {exact_amount(cap)} is spent on {name}, for good.")
    return confirm("Release it, and charge the ledger?")


@contextmanager
def _opened_ledger(outline: Outline, study: Study, place: Place) -> Iterator[Ledger]:
    """Open the ledger, with an account for the dataset; both are made where they are not there."""
    from snapdp.ledger import Ledger

    is_new = not is_address(place.ledger) and not os.path.exists(place.ledger)
    with Ledger.create(place.ledger) if is_new else Ledger.open(place.ledger) as ledger:
        if all(each.name != study.dataset for each in ledger.accounts()):
            whom = study.relation
            unit: dict[str, Any] = {"person": list(whom.person_columns)} if whom.person is not None else {}
            unit |= {"unit_rows": whom.unit_rows} if whom.unit_rows > 1 else {}
            ledger.create_account(study.dataset, cap=outline.budget, relation=whom.kind, rows=whom.rows, **unit)
        yield ledger


def _say_result(
    result: Release, left: Fraction, place: Place, where: Path, *, table: str | None, as_json: bool
) -> None:
    """Show the numbers, where the files are, and the commands that check and repeat the release."""
    from snapdp.studies import digest

    named = {Path(name).stem: str(where / name) for name in FILES}
    if as_json:
        charged = {"charged": result.charged, "digest": digest(result.to_json())}
        echo_json({"ok": True, **named, "ledger": shown_address(place.ledger), **charged})
        click.get_current_context().meta["snapdp.json"] = False  # one result is printed, whatever follows
        return
    from snapdp.cli.render import show_release

    echo("", err=True)
    show_release(result, left=left)
    echo("", err=True)
    paragraph(f"Written to {one_line(_near(where))}:")
    for name, means in FILES.items():
        paragraph(f"{name:<12} {means}", indent=" " * 15, first="  ")
    paragraph(f"The ledger is {one_line(_near(place.ledger))}: keep it, it says what may still be spent.")
    ledger, record = (one_line(shlex.quote(_near(each))) for each in (place.ledger, where / "record.json"))
    study = one_line(shlex.quote(_near(where / STUDY)))
    of_table = "" if table is None else f" --table {one_line(shlex.quote(table))}"
    paragraph("To check it, as anybody can:")
    echo(f"  snapdp verify {record}", err=True)
    paragraph("To get the same again, free of charge:")
    echo(f"  snapdp release {study} --ledger {ledger}{of_table}", err=True)


def _near(path: str | Path) -> str:
    """Return a path as it is shortest from here."""
    if is_address(str(path)):
        return shown_address(str(path))
    beside = os.path.relpath(path)
    return str(path) if beside.startswith("..") else beside
