"""`snapdp serve`: plan, release and audit on a page in the browser. Listens on this machine alone.

Parse, one library call.
"""

from __future__ import annotations

import os
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.accounts import ledger_beside, ledger_of_table, refuse_second, to_share, told_beside
from snapdp.cli.flags.numbers import StudyFile
from snapdp.cli.groups import json_option
from snapdp.cli.screen import echo, echo_json, say
from snapdp.display.text import is_address, one_line, shown_address
from snapdp.values import Values

if TYPE_CHECKING:
    from snapdp.errors import SnapdpError
    from snapdp.studies.study_file import DeclaredStudy
    from snapdp.web.workplace import Workplace

EXAMPLE = """\b
Examples:
  snapdp serve study.toml
  snapdp serve --data people.csv --ledger people.ledger
"""


@click.command("serve", epilog=EXAMPLE)
@click.argument("study", required=False, type=StudyFile(exists=True, dir_okay=False, path_type=Path))
@click.option("--data", metavar="FILE", help="The table.  [default: the study's]")
@click.option("--table", metavar="NAME", help="Of a file or server that has several: the table.")
@click.option("--ledger", metavar="PATH", help="The ledger.  [default: beside the study, or the table]")
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where long tables go.  [default: beside the study, or here]",
)
@click.option("--port", type=click.IntRange(0, 65535), metavar="NUMBER", help="0: any.  [default: 8765, or the next]")
@click.option("--no-browser", is_flag=True, help="Print the address only.")
@json_option("Print the address as JSON, and open no browser.")
@click.pass_context
def serve_command(
    ctx: click.Context, /, study: Path | None, no_browser: bool, as_json: bool, port: int | None, **options: Any
) -> None:
    """Plan, release and audit on a page in your browser.

    The page listens on this machine alone and asks nobody else for anything. It charges the ledger only when you say so
    on the page. Without --data it plans.
    """
    try:
        from snapdp.web.serving import served
    except ModuleNotFoundError as problem:
        needed = "pip install 'fastapi>=0.133' 'h11>=0.16' 'jinja2>=3.1.6' 'starlette>=1.3.1' 'uvicorn>=0.30'"
        raise click.UsageError(f"The page needs {problem.name}, which is not installed: {needed}") from None
    ctx.meta["snapdp.try"] = lambda refusal: _to_name(refusal, study)
    place = _place(study, options)
    if place.ledger is not None:
        made = "" if place.has_ledger else ", which is made when you open an account"
        say(f"The ledger is {one_line(shown_address(place.ledger))}{made}.")
        if options["ledger"] is None and (told := told_beside(place.ledger)):
            say(told)

    def announce(address: str) -> None:
        if as_json:
            ledger = None if place.ledger is None else shown_address(place.ledger)
            echo_json({"ok": True, "address": address, "ledger": ledger})
            return
        echo(f"The page is at {address}")
        echo("It opens the page once. Enter prints a new one, which ends the one before; Ctrl-C ends the page.")

    browser = _opens(no_browser or as_json)
    as_command = partial(_as_command, place=place)
    still_plans = served(place, port=port, as_command=as_command, announce=announce, browser=browser)
    if place.ledger is not None:
        say(
            f"Stopped. The ledger is {one_line(shown_address(place.ledger))}: keep it, it says what may still be spent."
        )
    if still_plans:  # threads that compute what nobody will see; no release is among them
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(0)


def _place(study: Path | None, options: Values) -> Workplace:
    from snapdp.api.study import study as load
    from snapdp.web.workplace import Workplace

    found = None if study is None else load(study)
    data = options["data"] or (None if found is None else found.data)
    if data is not None and not is_address(data) and not os.path.exists(data):
        raise click.UsageError(f"--data {one_line(data)}: there is no such file.")
    ledger = options["ledger"]
    if ledger is None and found is not None:
        ledger = ledger_beside(str(study), found.dataset, found.data)
        if data is not None:
            refuse_second(ledger, str(study), data)
    elif ledger is None and data is not None and not is_address(data):
        ledger = ledger_of_table(data)
    directory = options["directory"] or (Path() if study is None else study.parent)
    if not os.path.isdir(directory):
        raise click.UsageError(f"--directory {one_line(str(directory))}: there is no such directory.")
    return Workplace(study=study, data=data, table=options["table"], ledger=ledger, directory=directory)


def _to_name(refusal: SnapdpError, study: Path | None) -> str | None:
    """Return what to type where the table may have its account in another ledger that is there."""
    others: Any = refusal.numbers.get("beside")
    if others is None:
        return None
    words = shlex.join(["snapdp", "serve", str(study), "--ledger", str(refusal.numbers["ledger"])])
    data: Any = refusal.numbers["data"]
    return to_share(others, study=str(study), otherwise=one_line(words), data=data)


def _opens(no_browser: bool) -> bool:
    """Tell whether a browser is to be opened: not where nobody would see it."""
    has_screen = sys.platform in ("darwin", "win32") or any(os.environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY"))
    return has_screen and not no_browser


def _as_command(study: DeclaredStudy, place: Workplace) -> Values:
    """Return a study as a command of this program; where flags cannot say it, why, and the one with a study file."""
    from snapdp.cli.spelling import plan_words, release_file_words, release_words

    if place.data is None:
        found = plan_words(study)
        return {"command": found.text or "snapdp plan study.toml", "reason": found.reason}
    where: Values = {"data": place.data, "ledger": place.ledger, "table": place.table}
    found = release_words(study, **where)
    return {"command": found.text or release_file_words("study.toml", **where).text, "reason": found.reason}
