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
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.release import LOOK, saved, say_texts_kept
from snapdp.cli.screen import confirm, echo, echo_json, is_conversation, one_line, watch
from snapdp.cli.start.going_on import near
from snapdp.cli.start.pages import paragraph
from snapdp.cli.start.table_file import Opened
from snapdp.display import exact_amount, hides_nothing, is_address, shown_address
from snapdp.errors import BudgetError, DataError, LedgerError, ParameterError, SnapdpError
from snapdp.exact import parameter
from snapdp.values import Value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

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
FLAGS = {"report.html": "--report", "values.csv": "--values", "record.json": "--record"}  # of `snapdp release`
MOST_LEDGERS = 50  # beside a table, that are asked whether they know it
FOR_YOU = "This is for you alone, and not public: change no bound or category because of it."


class Place(Value):
    """Where things are: the table, the ledger, and where the files of the release go, unless that is to be chosen.

    study      the name of the study file there, which nothing had when the conversation began
    is_named   somebody named the ledger
    """

    data: Path
    ledger: str
    stem: str
    directory: Path | None = None
    study: str = STUDY
    is_named: bool = False

    @property
    def has_ledger(self) -> bool:
        """Tell whether the ledger is there; of an address only its server knows."""
        return is_address(self.ledger) or os.path.exists(self.ledger)

    def made_directory(self) -> Path:
        """Make the directory that was asked for, or a new one beside the table, which nobody else can have made."""
        if self.directory is not None:
            self.directory.mkdir(parents=True, exist_ok=True)
            return self.directory
        for number in count(1):
            found = self.data.parent / (f"{self.stem}-release" + (f"-{number}" if number > 1 else ""))
            with suppress(FileExistsError):
                found.mkdir()
                return found
        raise AssertionError


def unused_study(directory: Path) -> str:
    """Return a name for a study file that nothing in a directory has."""
    names = (STUDY, *(f"study-{number}.toml" for number in range(2, 1000)))
    return next((name for name in names if not os.path.lexists(directory / name)), STUDY)


def existing_account(path: str, dataset: str) -> Account | None:
    """Return the account of a dataset, where a ledger is there and has one; refuse one that never gives a number."""
    from snapdp.ledger import Ledger

    if not is_address(path) and not os.path.exists(path):
        return None
    with Ledger.open(path) as ledger:
        found = next((each for each in ledger.accounts() if each.name == dataset), None)
    if found is not None and found.amendment is not None and found.closed and not found.spent:
        raise BudgetError(
            f"the account {dataset!r} was closed on {found.amendment.time[:10]}: {found.amendment.reason}.",
            "It takes no charge, and nothing was released from it. Nothing was spent.",
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

    path = directory / place.study
    there = next((name for name in (*FLAGS, place.study) if os.path.lexists(directory / name)), None)
    if there is not None:
        raise ParameterError(f"{directory / there} exists, and is not overwritten.", "Name another directory.")
    data = os.path.relpath(place.data.absolute(), directory.absolute())  # relative to the study
    text = study_to_toml(replaced(outline, more={**outline.more, "data": data}).study())
    write_new_text(text, path)
    return path


def release(outline: Outline, opened: Opened, place: Place, *, yes: bool, as_json: bool) -> bool:
    """Release what was planned; return whether it was made. Refusals come before anything is charged."""
    study, table = _study(outline), _table(opened, place)
    is_free = _is_free(study, table, place)
    if is_free:
        paragraph("This was released before: it is given again, and nothing is charged.")
    else:
        study.check(table, watch=watch)
        if not yes and is_conversation() and confirm(LOOK, default=True):
            look(outline, opened, place)
        _say_last(outline)
        if not yes and not _is_wanted(outline, place):
            paragraph("Nothing was charged.")
            return False
    with _claimed(outline, place) as directory, _opened_ledger(outline, study, place) as ledger:
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


def _is_free(study: Study, table: Engine, place: Place) -> bool:
    """Tell whether the ledger has the answer; refuse, before anything is opened, what it would refuse to charge."""
    from snapdp.ledger import Ledger, payable, too_much

    if not place.has_ledger:
        payable(study.request().epsilon)
        _refuse_known_beside(table, place)
        return False
    request, fingerprint = study.request(), table.fingerprint()
    with Ledger.open(place.ledger) as ledger:
        known = ledger.known_as(fingerprint)
        if known not in (None, study.dataset):
            raise LedgerError(
                f"this data is known under the account {known!r}, not {study.dataset!r}.",
                f"Type quit, and start with --dataset {known}: two accounts would spend more than either shows.",
            )
        account = next((each for each in ledger.accounts() if each.name == study.dataset), None)
        asked: dict[str, Any] = {"epsilon": request.epsilon, "request": request.declaration}
        if account is not None and ledger.answered(account.name, fingerprint=fingerprint, **asked) is not None:
            return True
    if account is not None and request.epsilon > account.left:
        raise too_much(account, request.epsilon)
    payable(request.epsilon)
    return False


def _refuse_known_beside(table: Engine, place: Place) -> None:
    """Look into the ledgers where a new one would be opened: content that one of them knows has a budget already."""
    from snapdp.ledger import Ledger

    home, fingerprint = Path(place.ledger).absolute().parent, table.fingerprint()
    for path in [each for each in sorted(home.glob("*.ledger")) if os.path.isfile(each)][:MOST_LEDGERS]:
        known = None
        with suppress(SnapdpError), Ledger.open(path) as ledger:
            known = ledger.known_as(fingerprint)
        if known is None:
            continue
        told = f"{one_line(near(path))} knows this data already, under the account {known!r}"
        if not place.is_named:
            raise LedgerError(
                f"{told}.", f"Type quit, and start with --ledger {shlex.quote(near(path))} --dataset {known}."
            )
        paragraph(f"{told}: what both ledgers spend adds up, and neither shows it.")


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
        raise click.exceptions.Exit(1) from None


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


def _is_wanted(outline: Outline, place: Place) -> bool:
    """Ask, once, whether the ledger is charged."""
    where, name = one_line(shown_address(place.ledger)), one_line(outline.dataset)
    account = existing_account(place.ledger, outline.dataset)
    cap = outline.budget if account is None else account.left
    new = where if place.has_ledger else "a new ledger"
    paragraph(f"In {new}: {exact_amount(outline.budget)} of {exact_amount(cap)} is spent on {name}, for good.")
    return confirm("Release it, and charge the ledger?")


@contextmanager
def _opened_ledger(outline: Outline, study: Study, place: Place) -> Iterator[Ledger]:
    """Open the ledger, with an account for the dataset; both are made where they are not there."""
    from snapdp.ledger import Ledger

    with Ledger.open(place.ledger) if place.has_ledger else Ledger.create(place.ledger) as ledger:
        if all(each.name != study.dataset for each in ledger.accounts()):
            whom = study.relation
            unit: dict[str, Any] = {"person": list(whom.person_columns)} if whom.person is not None else {}
            unit |= {"unit_rows": whom.unit_rows} if whom.unit_rows > 1 else {}
            ledger.create_account(study.dataset, cap=outline.budget, relation=whom.kind, rows=whom.rows, **unit)
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

    named = {Path(name).stem: str(where / name) for name in FLAGS if name not in unwritten}
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
    for name, means in FILES.items():
        if name not in unwritten:
            paragraph(f"{place.study if name == STUDY else name:<12} {means}", indent=" " * 15, first="  ")
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
