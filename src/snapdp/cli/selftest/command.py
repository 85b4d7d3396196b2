"""`snapdp selftest`: this machine against a second arithmetic. Opens no data and charges nothing.

Room: cli. Parse, one library call, print. Exit 0 where nothing differs, 1 where something does.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.screen import echo, echo_json, note, say, table, watched
from snapdp.display import one_line
from snapdp.selftest import CHECKS

if TYPE_CHECKING:
    from snapdp.selftest import Check, SelfTest

EXAMPLE = """\b
All tables, values and ledgers are made up, in a temporary directory; nothing
that is printed is private. Spark takes part where Java and PySpark are there,
PostgreSQL where SNAPDP_POSTGRES is the address of a server, which is only
read; otherwise they are "absent". TMPDIR chooses the disk for the ledger.
Exit: 0 nothing differs, 1 something does, or nothing was compared.

\b
Examples:
  snapdp selftest --list
  snapdp selftest --quick --only law --only aes
  snapdp selftest --only aes --seed 1
"""
ADVICE = (
    "Do not release with this installation. Install snapdp and its libraries anew, in a fresh environment, and run "
    "snapdp selftest again. If it still differs, report it as a vulnerability, with all of this output: nothing in it "
    "is private."
)
BROKEN = (
    "A check that broke has not compared everything: look first whether something else is in its way, such as a "
    "temporary directory (TMPDIR) that is full or may not be written to."
)
NOTHING = "NOTHING was compared: what was asked for is absent here."
ENDED = 128 + signal.SIGTERM  # what a shell reports for it
COLOURS = {"same": "green", "DIFFERENT": "red"}


@click.command("selftest", epilog=EXAMPLE)
@click.option("--quick", is_flag=True, help="Compare less, in a few seconds.")
@click.option("--only", "only", multiple=True, type=click.Choice([*CHECKS]), metavar="NAME", help="Only this check.")
@click.option("--seed", type=click.IntRange(0), metavar="NUMBER", help="Compare what a run with this seed compared.")
@click.option("--list", "listing", is_flag=True, help="List the checks and end.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def selftest_command(
    ctx: click.Context, /, quick: bool, only: tuple[str, ...], seed: int | None, listing: bool, as_json: bool
) -> None:
    """Compare this installation with a second arithmetic.

    What releases rest on is computed again in plain Python and compared: logarithms, single releases and arrays on the
    same bits, stated probabilities, the cipher and the bits of noise, sums of the engines, a ledger whose users are
    killed. Without a flag everything is compared, in about a minute.
    """
    from snapdp.selftest import run_selftest

    ctx.meta["snapdp.json"] = as_json
    if listing:
        _list(as_json)
        return
    with _ending_in_order(), _progress(len(only) or len(CHECKS)) as tell:
        found = run_selftest(only=only, quick=quick, seed=seed, tell=tell)
    if as_json:
        echo_json(_values(found), indent=2)
    else:
        _print(found)
    ctx.exit(0 if found.is_sound else 1)


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """Let SIGTERM end a run as Ctrl-C does: temporary directories are removed, and processes that were started end."""

    def end(*_: object) -> None:
        raise SystemExit(ENDED)

    before = signal.signal(signal.SIGTERM, end) if threading.current_thread() is threading.main_thread() else None
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[Check], None]]:
    """Yield what says how far it is: one line that changes on a terminal, a line a check elsewhere."""
    begun = 0
    with watched("self-test") as status:

        def tell(check: Check) -> None:
            nonlocal begun
            begun += 1
            line = f"{check.name}, {begun} of {total}"
            say(line) if status is None else status(line)

        yield tell


def _list(as_json: bool) -> None:
    if as_json:
        echo_json({"ok": True, "checks": [{"check": each.name, "about": each.about} for each in CHECKS.values()]})
    else:
        table(("check", "what is compared"), [(each.name, each.about) for each in CHECKS.values()], unbroken=0)


def _print(found: SelfTest) -> None:
    rows = [(check.name, check.about, f"{each.comparisons:,}", each.verdict) for check, each in found.found]
    table(("check", "what was compared", "times", "result"), rows, numbers=(2,), unbroken=0)
    for check, each in found.found:
        if each.absent:
            note(f"{check.name} is absent: {each.absent}.")
        for line in each.differences:
            note(f"{check.name}: {one_line(line)}", style="")
        if each.verdict == "DIFFERENT" and not each.differences:
            echo(f"{check.name}: nothing was compared")
    if any(check.name == "entropy" for check, _ in found.found):
        note("entropy: sound bits are suspected less than once in 1,000,000,000 runs.")
    note(f"checked: {', '.join(f'{name} {version}' for name, version in found.versions.items())}.")
    note(f"{found.comparisons:,} comparisons. The same again: {_again(found)}")
    if found.is_sound:
        echo("SAME: nothing differs.", colour=COLOURS["same"])
    elif found.differing:
        echo(f"DIFFERENT: {', '.join(found.differing)}.", colour=COLOURS["DIFFERENT"])
        note(_advice(found), style="")
    else:
        echo(NOTHING, colour=COLOURS["DIFFERENT"])


def _advice(found: SelfTest) -> str:
    return f"{BROKEN} {ADVICE}" if any(each.broke for _, each in found.found) else ADVICE


def _again(found: SelfTest) -> str:
    names = [check.name for check, _ in found.found]
    only = "" if len(names) == len(CHECKS) else "".join(f" --only {name}" for name in names)
    return f"snapdp selftest{' --quick' if found.quick else ''}{only} --seed {found.seed}"


def _values(found: SelfTest) -> dict[str, Any]:
    checks = [
        {
            "check": check.name,
            "about": check.about,
            "verdict": each.verdict.lower(),
            "comparisons": each.comparisons,
            "differences": list(each.differences),
            "absent": each.absent or None,
        }
        for check, each in found.found
    ]
    said = {"ok": found.is_sound, "seed": found.seed, "quick": found.quick, "checks": checks}
    if found.differing:
        said["error"], said["advice"] = f"different: {', '.join(found.differing)}.", _advice(found)
    elif not found.is_sound:
        said["error"] = NOTHING
    return {**said, "versions": found.versions}
