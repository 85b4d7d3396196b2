"""`snapdp lab selftest`: this machine against known answers. Opens no data and charges nothing.

Parse, one library call, print. Exit 0 where nothing differs, 1 where something does.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.lab.options import json_option
from snapdp.cli.screen import echo, echo_json, note, stepping, table
from snapdp.display.text import one_line
from snapdp.lab.selftest.suite import CHECKS

if TYPE_CHECKING:
    from snapdp.lab.selftest.suite import SelfTest

EXAMPLE = """\b
All values, tables and ledgers are made up, so nothing printed is private.
PostgreSQL takes part where SNAPDP_POSTGRES is the address of a server, which
is only read. TMPDIR chooses the disk for the ledger.
Exit: 0 nothing differs, 1 something does.

\b
Examples:
  snapdp lab selftest --list
  snapdp lab selftest --quick --only sampler --only cipher
  snapdp lab selftest --only cipher --seed 1
"""
ADVICE = (
    "Do not release with this installation. Install snapdp and its libraries anew, in a fresh environment, and run "
    "snapdp lab selftest again. If it still differs, report it as a vulnerability, with all of this output: nothing in "
    "it is private."
)
BROKEN = (
    "A check that broke has not compared everything: look first whether something else is in its way, such as a "
    "temporary directory (TMPDIR) that is full or may not be written to."
)
ENDED = 128 + signal.SIGTERM  # what a shell reports for it
COLOURS = {"same": "green", "DIFFERENT": "red"}


@click.command("selftest", epilog=EXAMPLE)
@click.option("--quick", is_flag=True, help="Compare less.")
@click.option("--only", "only", multiple=True, type=click.Choice([*CHECKS]), metavar="NAME", help="Only this check.")
@click.option("--seed", type=click.IntRange(0), metavar="NUMBER", help="Compare what a run with this seed compared.")
@click.option("--list", "listing", is_flag=True, help="List the checks and end.")
@json_option
@click.pass_context
def selftest_command(
    ctx: click.Context, /, quick: bool, only: tuple[str, ...], seed: int | None, listing: bool, as_json: bool
) -> None:
    """Compare this installation with answers that are known.

    What releases rest on is compared with integers, published answers and the definition of the mechanism: logarithms,
    the cipher of the noise, single releases and arrays on the same bits, an engine, and locks of files. It takes some
    seconds.
    """
    from snapdp.lab.selftest.suite import run_selftest

    if listing:
        checks = [{"check": each.name, "about": each.about} for each in CHECKS.values()]
        if as_json:
            echo_json({"ok": True, "checks": checks})
        else:
            table(("check", "what is compared"), [tuple(check.values()) for check in checks], unbroken=0)
        return
    with _ending_in_order(), stepping("self-test", len(only) or len(CHECKS)) as step:
        found = run_selftest(only=only, quick=quick, seed=seed, tell=lambda check: step(check.name))
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


def _print(found: SelfTest) -> None:
    rows = [(check.name, check.about, f"{each.comparisons:,}", each.verdict) for check, each in found.found]
    table(("check", "what was compared", "times", "result"), rows, numbers=(2,), unbroken=0)
    for check, each in found.found:
        for line in each.differences:
            note(f"{check.name}: {one_line(line)}", style="")
        if each.verdict == "DIFFERENT" and not each.differences:
            echo(f"{check.name}: nothing was compared")
    names = [check.name for check, _ in found.found]
    only = "" if len(names) == len(CHECKS) else "".join(f" --only {name}" for name in names)
    again = f"snapdp lab selftest{' --quick' if found.quick else ''}{only} --seed {found.seed}"
    note(f"checked: {', '.join(f'{name} {version}' for name, version in found.versions.items())}.")
    note(f"{found.comparisons:,} comparisons. The same again: {again}")
    if found.is_sound:
        echo("SAME: nothing differs.", colour=COLOURS["same"])
    else:
        echo(f"DIFFERENT: {', '.join(found.differing)}.", colour=COLOURS["DIFFERENT"])
        note(_advice(found), style="")


def _advice(found: SelfTest) -> str:
    return f"{BROKEN} {ADVICE}" if any(each.broke for _, each in found.found) else ADVICE


def _values(found: SelfTest) -> dict[str, Any]:
    checks = [
        {
            "check": check.name,
            "about": check.about,
            "verdict": each.verdict.lower(),
            "comparisons": each.comparisons,
            "differences": list(each.differences),
        }
        for check, each in found.found
    ]
    said = {"ok": found.is_sound, "seed": found.seed, "quick": found.quick, "checks": checks}
    if found.differing:
        said["error"], said["advice"] = f"different: {', '.join(found.differing)}.", _advice(found)
    return {**said, "versions": found.versions}
