"""Find the ledger of a table by its name, and say what a study can do with the account that is there.

The ledger is named like its dataset and lies beside the study or the table. A table has one account, so a second study
of it is led to the ledger that is there. This is a convenience and not a guarantee: a second ledger can exist
elsewhere. Only names of files and accounts are read, never a row, and nothing is charged. `init`, `ledger create` and
`release` all show the same commands.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from snapdp.display.numbers import exact_amount
from snapdp.display.text import is_address, one_line, shown_address
from snapdp.errors import LedgerError, SnapdpError

if TYPE_CHECKING:
    from snapdp.ledger.accounts import Account
    from snapdp.studies.plans.plan import Plan
    from snapdp.studies.study_file import DeclaredStudy

FILE_NAME = re.compile(r"\w[\w.-]{0,99}")
WITH_BLANKS = re.compile(r"\w(?:[\w .,()+&'-]{0,98}[\w)])?")  # as files of tables are often called
MOST_LEDGERS = 50  # beside another, that are looked into
MOST_NAMED = 5


def table_name(data: str | Path) -> str:
    """Return what the table of a file is called: the name of the file, or of the one that a link leads to.

    >>> table_name("school/teachers.csv"), table_name("visits.2026.csv.gz")
    ('teachers', 'visits')
    """
    return Path(os.path.realpath(data)).name.split(".")[0]


def ledger_of_table(data: str) -> str:
    """Return the natural place of the ledger of a table that is a file: beside it, named like it.

    >>> ledger_of_table("school/teachers.csv.gz")
    'school/teachers.ledger'
    """
    here, before = Path(data).with_name(f"{table_name(data) or 'table'}.ledger"), Path(data).with_suffix(".ledger")
    return str(before if os.path.exists(before) and not os.path.exists(here) else here)


def ledger_beside(study: str, dataset: str, data: str | None = None) -> str:
    """Return the ledger of a study: named like the dataset, or like the study where that is no name of a file.

    data   where the study's table is, as seen from here
    One that is there beside the study or the table is the one; a new one has its place beside the study.

    >>> ledger_beside("surveys/first.toml", "people-2026"), ledger_beside("first.toml", "people / 2026")
    ('surveys/people-2026.ledger', 'first.ledger')
    """
    like_it = Path(study).with_suffix(".ledger")
    if not WITH_BLANKS.fullmatch(dataset):
        return str(like_it)
    places = [Path(study).with_name(f"{dataset}.ledger")]
    if data is not None and not is_address(data):
        places.append(Path(os.path.normpath(Path(data).with_name(places[0].name))))
    if not FILE_NAME.fullmatch(dataset):
        places.append(like_it)  # where ledgers of such names were proposed before
    return str(next((each for each in places if os.path.exists(each)), places[0]))


def ledgers_beside(ledger: str | Path) -> list[Path]:
    """Return the other ledgers in the directory of one, by their names."""
    path = Path(ledger)
    others = [each for each in sorted(path.parent.glob("*.ledger")) if os.path.isfile(each) and each != path]
    return others[:MOST_LEDGERS]


def account_in(ledger: str, dataset: str) -> Account | None:
    """Return how a dataset stands in a ledger that is a file; None where it is not there, or cannot be read."""
    return next((each for each in _accounts(ledger) if each.name == dataset), None)


def refuse_second(ledger: str, study: str, data: str | None) -> None:
    """Refuse to make a ledger that nobody has named where others are: the table may have its account in one of them."""
    if is_address(ledger) or os.path.exists(ledger) or not (others := ledgers_beside(ledger)):
        return
    are = "is" if len(others) == 1 else "are"
    raise LedgerError(
        f"{_names(others)} {are} here, and {one_line(Path(ledger).name)} would be one more.",
        f"Is {one_line(study)} about a table that has its account there? Then it is charged there: two ledgers for "
        "one table spend more than either shows. Nothing was spent.",
        beside=tuple(map(str, others)),
        ledger=ledger,
        data=data,
    )


def told_beside(ledger: str) -> str:
    """Return what is said where a ledger named like its table is yet to be made, and others are there."""
    if is_address(ledger) or os.path.exists(ledger) or not (others := ledgers_beside(ledger)):
        return ""
    return f"Here already: {_names(others)}. If that has the account of this table, stop, and name it by --ledger."


def to_share(ledgers: Sequence[str | Path], *, study: str | None, otherwise: str, data: str | None = None) -> str:
    """Return what to type where other ledgers may have the account of a table, and where none has.

    study       the file that asks; None where flags do
    otherwise   the command for a table of its own
    data        the table's file: an account that is named like it is its account, and there is no otherwise
    """
    there = [(account.name, each) for each in ledgers for account in _accounts(each)]
    named = None if data is None or is_address(data) else table_name(data)
    own = [(name, each) for name, each in there if name == named]
    lines = [f"same table: {named_account(name, study=study)}, --ledger {_quoted(each)}" for name, each in own or there]
    if own:
        return "\n".join(lines[:MOST_NAMED])
    return "\n".join((*lines[:MOST_NAMED], f"another table: {otherwise}")) if lines else otherwise


def named_account(dataset: str, *, study: str | None) -> str:
    """Return what names an account: a line of a study, and where it stands; or a flag.

    >>> named_account("teachers", study="more.toml"), named_account("teachers", study=None)
    ('dataset = "teachers" in more.toml', '--dataset teachers')
    """
    from snapdp.studies.study_file import quoted_text

    return f"--dataset {_quoted(dataset)}" if study is None else f"dataset = {quoted_text(dataset)} in {_quoted(study)}"


def _names(ledgers: Sequence[Path]) -> str:
    return ", ".join(one_line(each.name) for each in ledgers[:MOST_NAMED]) + ", ..." * (len(ledgers) > MOST_NAMED)


def _accounts(ledger: str | Path) -> tuple[Account, ...]:
    from snapdp.ledger.ledger import Ledger

    if os.path.isfile(ledger):
        with suppress(SnapdpError), Ledger.open(ledger) as found:
            return found.accounts()
    return ()


def _quoted(path: str | Path) -> str:
    return one_line(shlex.quote(str(path)))


# What a study can do with the account of its table

OTHER_TABLE = "another table, such as next month's: a dataset and a ledger of its own"
MAY_RAISE = "to raise the cap, a decision of who answers for the data:"


def amend_command(ledger: str, account: str, cap: Fraction) -> str:
    """Return the command that raises the cap of an account; its reason is for people to say.

    >>> amend_command("people.ledger", "people", Fraction(3, 2))
    'snapdp ledger amend people.ledger --dataset people --cap 1.5 --reason TEXT'
    """
    where = [shown_address(ledger), "--dataset", account, "--cap", exact_amount(cap)]
    return one_line(f"snapdp ledger amend {shlex.join(where)} --reason TEXT")


def to_raise(ledger: str, account: str, cap: Fraction) -> list[str]:
    """Return what can be done where nothing is left, in lines: who may raise the cap, and what needs no higher one."""
    return [OTHER_TABLE, MAY_RAISE, amend_command(ledger, account, cap)]


def fitting_command(source: str, ledger: str, left: Fraction, kept: Sequence[str] = ()) -> str:
    """Return the release of a study that fits what is left: it shows its plan and asks before it charges."""
    return _release(source, ledger, [*kept, "--fit", "--budget", exact_amount(left)])


def affordable_command(
    path: str, study: DeclaredStudy, account: Account, ledger: str, kept: Sequence[str] = ()
) -> str | None:
    """Return the release of a study that its account can pay, made to fit where less is left; None where there is none.

    path   the file of the study
    kept   other words of the command
    """
    from snapdp.studies.study_file import plan_of

    plan = plan_of(study)
    if not account.left or _contradiction(study, account):
        return None
    if plan.total <= account.left:
        return _release(path, ledger, kept)
    return fitting_command(path, ledger, account.left, kept) if _fits(plan, account.left) else None


def with_account(path: str, study: DeclaredStudy, account: Account, ledger: str) -> tuple[str, list[str]]:
    """Return how an account stands to a study, as the end of a sentence, and what can be done, in lines."""
    from snapdp.studies.study_file import plan_of

    total, named = plan_of(study).total, one_line(shlex.quote(path))
    if account.closed:
        return "which is closed: nothing new can be released", []
    if problem := _contradiction(study, account):
        # How a study is written as an account says, and what else may have been meant.
        from snapdp.cli.spelling import relation_words
        from snapdp.studies.relation import relation_of_account

        instead = one_line(shlex.quote(path))
        try:
            relation = relation_of_account(kind=account.relation, rows=account.rows, unit=account.unit)
            flags = one_line(f" with {shlex.join(relation_words(relation))}")
        except SnapdpError:  # its unit is somebody else's word
            flags = ""
        lines = [
            f"same table: remove {instead}, and write it again{flags}",
            "another table: write it with --dataset NAME",
        ]
        if not account.spent:
            where = one_line(shlex.quote(shown_address(ledger)))
            lines.append(f"opened by mistake, and nothing else in it: remove {where}, and open it as meant")
        return "opened otherwise: a release would be refused", [one_line(problem), *lines]
    if not account.left:
        return "with nothing left: nothing new can be released", to_raise(ledger, account.name, account.cap + total)
    left = f"with {exact_amount(account.left)} of {exact_amount(account.cap)} left"
    left += f", and the study asks for {exact_amount(total)}" if total > account.left else ""
    release = affordable_command(path, study, account, ledger)
    if release is None:
        return left, [f"next: ask for at most {exact_amount(account.left)}, in {named}"]
    look = [] if study.data is None else [f"snapdp inspect {named}"]
    return left, [*map(": ".join, zip(("next", "then"), [*look, release], strict=False))]


def _release(source: str, ledger: str, words: Sequence[str]) -> str:
    return one_line(f"snapdp release {shlex.join([source, '--ledger', shown_address(ledger), *words])}")


def _contradiction(study: DeclaredStudy, account: Account) -> str:
    """Return in what an account protects something else than a study; empty where it does not."""
    from snapdp.api.study import Study
    from snapdp.ledger.accounts import agree, unit_for
    from snapdp.ledger.rules import units_of

    whom = study.relation
    try:
        unit = unit_for(account, units_of(Study(study).request().declaration))
        agree(account, relation=whom.kind, rows=whom.rows, unit=unit)
    except SnapdpError as refusal:
        return refusal.problem
    return ""


def _fits(plan: Plan, left: Fraction) -> bool:
    try:
        plan.fit(left)
    except SnapdpError:
        return False
    return True
