"""`snapdp release`: publish statistics of a table. Shows the cost, asks once, charges the ledger, prints the numbers.

Parse, one library call, render.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.accounts import (
    fitting_command,
    ledger_beside,
    ledger_of_table,
    ledgers_beside,
    named_account,
    to_raise,
    to_share,
)
from snapdp.cli.flags.account import ASKED_BEFORE
from snapdp.cli.flags.files import (
    csv_dialect,
    is_study,
    refuse_strays,
    said_texts,
    source_options,
    text_options,
    to_declare,
    to_look,
)
from snapdp.cli.flags.lists import named_columns, person_words
from snapdp.cli.flags.numbers import NUMBER
from snapdp.cli.flags.options import SectionedCommand, given, statistic_options
from snapdp.cli.flags.statistics import by_flags, declared_by_flags
from snapdp.cli.groups import json_option
from snapdp.cli.screen import STOPPED, confirm, echo_json_text, is_conversation, say, watch
from snapdp.display.numbers import exact_amount
from snapdp.display.text import is_address, one_line, shown_address
from snapdp.errors import UNKNOWN, SnapdpError, cost_of
from snapdp.values import Values

if TYPE_CHECKING:
    from snapdp.api.study import Study
    from snapdp.ledger.accounts import Account
    from snapdp.ledger.ledger import Ledger
    from snapdp.release.request import Request
    from snapdp.release.result import Release
    from snapdp.studies.plans.plan import Plan
    from snapdp.tables.inspection import Look

EXAMPLE = """\b
Examples:
  snapdp release people.csv --mean age --bounds 0,99 --missing dropped \\
      --n 5000 --epsilon 1 --ledger people.ledger --yes
  snapdp release study.toml --ledger people.ledger --yes --report report.html
"""
FILE = click.Path(dir_okay=False, path_type=Path)
VALUES = (".csv", ".parquet")
LOOK = "Look at how the cells are read first?"


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the files that it writes of a release."""
    told = "Write the numbers: FILE.csv or FILE.parquet, and datapackage.json beside it."
    command = click.option("--values", type=FILE, help=told)(command)
    command = click.option("--record", type=FILE, help="Write the record: FILE.json.")(command)
    return click.option("--report", type=FILE, help="Write a self-contained page: FILE.html.")(command)


@click.command("release", cls=SectionedCommand, epilog=EXAMPLE)
@source_options
@statistic_options
@text_options
@click.option("--ledger", "ledger_path", metavar="PATH", help="The ledger that is charged.  [required]")
@click.option("--dataset", metavar="NAME", help="The ledger's account, where it has several.")
@click.option("--fit", is_flag=True, help="Rescale unlocked lines so that the total meets the budget.")
@click.option("--budget", type=NUMBER, metavar="NUMBER", help="The budget to fit to, instead of the study's.")
@click.option("--own", is_flag=True, help="On a team ledger: draw and pay anew, whatever another role was answered.")
@click.option("--yes", is_flag=True, help="Do not ask before the ledger is charged.")
@click.option("--no-inspect", is_flag=True, help="On a terminal: do not offer a look at how the cells are read.")
@output_options
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where long tables go.  [default: beside --record, or --values]",
)
@json_option("Print the record as JSON.")
@click.pass_context
def release_command(ctx: click.Context, /, as_json: bool, ledger_path: str | None, yes: bool, **options: Any) -> None:
    """Charged: publish statistics. Show the cost, ask once, charge the ledger, print the numbers.

    SOURCE is a study (.toml), or a table with the statistics as flags. The same request again is free.
    With --json the record is printed, as --record writes it; a refusal is an object with "ok": false.
    """
    from snapdp.ledger.ledger import Ledger

    ctx.meta["snapdp.charges"], ctx.meta["snapdp.study"] = True, is_study(options)
    if ledger_path is None:
        raise click.UsageError(f"Which ledger is charged? {ledger_to_give(options)}")
    ctx.meta["snapdp.try"] = lambda refusal: to_try(refusal, options, ledger_path)
    outputs = output_files(options)
    with Ledger.open(ledger_path) as ledger:
        study = _study(options, ledger)
        result = charged_release(study, ledger, options, yes=yes, quiet=as_json)
        account = ledger.account(study.dataset)
    unwritten = [problem for path in outputs if (problem := saved(result, path)) is not None]
    if as_json:
        echo_json_text(result.to_json())
        ctx.meta["snapdp.json"] = False  # one result is printed, whatever follows
    else:
        from snapdp.cli.release_screen import show_release

        show_release(result, left=account.left, spent=account.spent)
        say_written([path for path in outputs if not any(each.filename == str(path) for each in unwritten)])
        if options["record"] is not None and not unwritten:
            named = shlex.join([str(options["record"]), "--ledger", shown_address(ledger_path)])
            say(f"To check it: snapdp verify {one_line(named)}")
    if result.author is not None:
        name = one_line(result.author)
        say(f"drawn by {name}, another role of this ledger: it proves payment, not drawing. --own draws and pays anew.")
    say_texts_kept(result, study)
    if unwritten:
        raise unwritten[0]


def charged_release(study: Study, ledger: Ledger, options: Values, *, yes: bool, quiet: bool) -> Release:
    """Release a study after its cost was shown; the command knows from then on what was charged."""
    from snapdp.tables.engines.opening import open_table

    plan = _plan(study, options)
    request, account = study.request(plan), ledger.account(study.dataset)
    data = options["data"] or study.data if is_study(options) else options["source"]
    where = {"table": options["table"], "spark": options["spark"], "dialect": csv_dialect(options, study.csv)}
    table = study.table(None if data is None else open_table(data, **where))
    asked_before = not quiet and _show_cost(request, account, ledger)
    to = {"directory": _directory(options), "watch": watch, "own": options["own"]}
    look = None if quiet or options["no_inspect"] else lambda: study.inspect(table, watch=watch)
    file = options["source"] if is_study(options) else None
    ask = None if yes else lambda: _ask(plan, account, look, file, asked_before=asked_before)
    meta = click.get_current_context().meta
    meta["snapdp.spent"] = UNKNOWN
    result = study.release(table, ledger=ledger, plan=request.plan, ask=ask, **to)
    meta["snapdp.charges"], meta["snapdp.spent"] = result.free, "0" if result.free else result.charged
    return result


def say_texts_kept(result: Release, study: Study) -> None:
    """Say that an answer given again keeps the texts of its record, where others are asked for now."""
    from snapdp.display.text import PUBLIC_TEXTS

    now, then = study.declared.texts, result.record
    if result.free and any(now.get(key) != then.get(key) for key in PUBLIC_TEXTS):
        say("Answered before: record and report keep the title, publisher and contact of then. A record never changes.")


def _directory(options: Values) -> Path:
    """Return where files of the release go that lie beside its record, or its values: `verify` looks for them there."""
    beside = options["record"] or options["values"]
    return options["directory"] or (Path() if beside is None else beside.parent)


def say_written(paths: Sequence[Path]) -> None:
    """Say which files were written; beside values, their dictionary."""
    for path in paths:
        say(f"wrote {one_line(str(path))}")
        if path.suffix in VALUES:
            from snapdp.release.data_package import place_of

            if os.path.isfile(beside := place_of(path)):
                say(f"wrote {one_line(str(beside))}: what the columns of {one_line(path.name)} mean")


def saved(result: Release, path: Path) -> click.FileError | None:
    """Write a file of numbers that are in the ledger already; return why it could not be written."""
    try:
        result.save(path)
    except SnapdpError as problem:
        return click.FileError(str(path), f"{problem.problem} The release was made; asking again is free.")
    except Exception:  # whatever lies beside it: the others are still to be written, and what it cost to be said
        return click.FileError(str(path), "it could not be written. The release was made; asking again is free.")
    return None


def _study(options: Values, ledger: Ledger) -> Study:
    from snapdp.api.study import Study, study

    refuse_strays(options, given(options) + ["--dataset"] * (options["dataset"] is not None))
    if not is_study(options):
        return Study(declared_by_flags(options, dataset=account_named(options["dataset"], ledger)))
    found = study(options["source"])
    with by_flags():
        return found.with_texts(**said_texts(options))


def account_named(name: str | None, ledger: Ledger) -> str:
    """Return the account that is charged: the one that is named, or the only one."""
    names = [account.name for account in ledger.accounts()]
    names += [str(each.numbers["account"]) for each in ledger.unsound()]  # not the only one because others are broken
    if name is None and len(names) != 1:
        many = f"it has {len(names)}: {', '.join(names)}" if names else "it has none yet"
        raise click.UsageError(f"Which account of the ledger is charged? Give --dataset NAME; {many}.")
    return name or names[0]


def _plan(study: Study, options: Values) -> Plan:
    plan = study.plan()
    return plan.fit(options["budget"]) if options["fit"] or options["budget"] is not None else plan


def output_files(options: Values) -> list[Path]:
    """Return the files to write; names that cannot be written as asked are refused before anything is charged."""
    endings = {"report": (".html", ".htm"), "record": (".json",), "values": VALUES}
    found = []
    for name, allowed in endings.items():
        path = options[name]
        if path is None:
            continue
        if path.suffix not in allowed:
            raise click.UsageError(f"--{name} writes {' or '.join(allowed)}, not '{path.suffix}'.")
        if not os.path.isdir(path.absolute().parent):
            raise click.UsageError(f"--{name} {path}: there is no such directory.")
        if name == "values":
            from snapdp.release.data_package import place_of

            place_of(path)  # refused now, where its dictionary has no place
        found.append(path)
    return found


def _show_cost(request: Request, account: Account, ledger: Ledger) -> bool:
    """Show what a release costs and means, also with everything charged before; return whether the same was asked.

    Statistics that the account released before would be charged again. The same request is free, as long as the table
    is what it was: then nothing comes on top of what was charged.
    """
    from snapdp.cli.plan_screen import show_plan
    from snapdp.ledger.book import earlier_releases

    found = earlier_releases(ledger.recent(request.dataset)).of(request.epsilon, request.declaration)
    is_same = found.same is not None
    if is_same:
        say(ASKED_BEFORE)
    show_plan(request.plan, account=None if is_same else account, to_stderr=True)
    for title, each in zip(request.plan.titles, found.lines, strict=True):
        if each is not None:
            say(one_line(f"{title}: {each.in_words}."))
    return is_same


def _ask(
    plan: Plan, account: Account, look: Callable[[], Look] | None, file: str | None, *, asked_before: bool
) -> None:
    """Offer a look, and ask once whether the ledger is charged; a repeated request is free and never comes here.

    file           of the study, where one was given
    asked_before   whether the same was released, of a table that has changed since: what both mean was not said yet
    """
    from snapdp.cli.plan_screen import weak_lines
    from snapdp.ledger.statements import later_in_words, together_in_words

    if not sys.stdin.isatty():
        raise click.UsageError("Nobody can be asked here: give --yes to charge the ledger.")
    if look is not None and is_conversation() and confirm(LOOK, default=True):
        from snapdp.cli.inspect import show_look, what_to_type

        found = look()
        show_look(found, to_stderr=True)
        for told in what_to_type(found, file):
            say(told)
    together = together_in_words(plan.total, account) if asked_before else ""
    for told in filter(None, (together, later_in_words(plan.total, account.left), weak_lines(plan))):
        say(told)
    cost = f"epsilon {exact_amount(plan.total)} to {one_line(account.name)}"
    left = f"{exact_amount(account.left)} of {exact_amount(account.cap)} left"
    if not confirm(f"Charge {cost} ({left})?"):
        say("Nothing was charged.")
        raise click.exceptions.Exit(STOPPED)


def to_try(refusal: SnapdpError, options: Values, ledger_path: str) -> str | None:
    """Return the command that helps on, where there is one."""
    from snapdp.errors import BudgetError, LedgerError

    if cost_of(refusal)[0] == UNKNOWN:
        return f"snapdp ledger history {one_line(shlex.quote(shown_address(ledger_path)))}"
    if isinstance(refusal, BudgetError) and "left" in refusal.numbers:
        # The same release, made to fit what is left of the account; where nothing is, how its cap is raised.
        numbers: Values = refusal.numbers
        if numbers["left"]:
            kept = ("data", "table", "dataset", "report", "record", "values", "directory")
            typed = [word for key in kept if options.get(key) for word in (f"--{key}", str(options[key]))]
            return (
                fitting_command(options["source"], ledger_path, numbers["left"], typed) if is_study(options) else None
            )
        if numbers.get("closed"):
            return None
        return "\n".join(to_raise(ledger_path, numbers["account"], numbers["cap"] + numbers["needed"]))
    if "known" in refusal.numbers:  # the same content, under another account
        return to_charge(options, str(refusal.numbers["known"]))
    lacking = refusal.numbers.get("lacking")  # a ledger, or an account of it
    there = is_address(ledger_path) or os.path.exists(ledger_path)
    if not isinstance(refusal, LedgerError) or (lacking is None and there):
        study = options["source"] if is_study(options) else None
        return to_declare(refusal, look=to_look(options), study=study)
    if lacking == "ledger" and not is_address(ledger_path):  # the file is there, and something else
        path = Path(ledger_path).with_suffix(".ledger")
        return None if os.path.exists(path) else ledger_to_create(options, path=str(path))
    create = ledger_to_create(options, path=ledger_path)
    accounts: Any = refusal.numbers.get("accounts")
    if accounts:
        same = [f"same table: {to_charge(options, each)}" for each in accounts]
        return "\n".join((*same, f"another table: {create}"))
    others = [] if there else ledgers_beside(ledger_path)
    return to_share(others, study=options["source"] if is_study(options) else None, otherwise=create)


def to_charge(options: Values, account: str) -> str:
    """Return what names an account to be charged: a line of the study, or a flag."""
    return named_account(account, study=options["source"] if is_study(options) else None)


def ledger_to_give(options: Values) -> str:
    """Return what to give where no ledger was named: the one that is there, or how one is opened."""
    source = options["source"]
    found = _declared(source) if is_study(options) else None
    there = ledger_of_table(source) if found is None else ledger_beside(source, found.dataset, found.data)
    if not is_address(source) and os.path.exists(there):
        return f"Give --ledger PATH, such as the one that is here: --ledger {one_line(shlex.quote(there))}"
    return f"Give --ledger PATH. To open one: {ledger_to_create(options)}"


def ledger_to_create(options: Values, path: str | None = None) -> str:
    """Return the command that opens an account for what was asked, as far as that is known."""
    stem = Path(options["source"]).name.split(".")[0]
    name, cap = options["dataset"] or (stem if stem.isidentifier() else "NAME"), "1"
    whom = {"n": options["n"], "n_max": options["n_max"], "unit_rows": options["unit_rows"]}
    names = named_columns(options["person"])
    if is_study(options) and (declared := _declared(options["source"])) is not None:
        where = "" if path is None else f"{shlex.quote(shown_address(path))} "
        asked = "" if declared.budget else " --cap 1"
        return f"snapdp ledger create {where}--from {shlex.quote(options['source'])}{asked}"
    rows = f"add-remove --n-max {whom['n_max']}" if whom.get("n_max") else f"change-one --n {whom.get('n') or 'N'}"
    unit = f" {shlex.join(person_words(names))}" if names else ""
    unit += f" --unit-rows {whom['unit_rows']}" if whom.get("unit_rows") else ""
    where = shlex.quote(shown_address(path or f"{name}.ledger"))
    return f"snapdp ledger create {where} --dataset {shlex.quote(name)} --cap {cap} --relation {rows}{unit}"


def _declared(path: str) -> Study | None:
    """Return the study of a file, or None where it cannot be read: that is told when its turn comes."""
    from snapdp.api.study import study

    try:
        return study(path)
    except SnapdpError:
        return None
