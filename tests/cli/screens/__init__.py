"""The screens that matter as they are seen on a terminal of 80 columns without colour, one text file a screen.

The noise is drawn from recorded bytes and the clock stands still, so the same call shows the same screen on every
machine. `python -m tests.cli.screens` writes all files anew; tests/cli/test_golden_screens.py compares them.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import click
from click.testing import CliRunner

from snapdp.cli.app import main
from snapdp.randomness.bits import RecordedBits

FOLDER = Path(__file__).parent
WIDTH = 80
MOST_WORDS = 2000  # of a part of a release: one for each of its numbers
TERMINAL = {"COLUMNS": str(WIDTH), "TERM": "dumb", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
NOON = "2026-01-01T12:00:00Z"
ALONE = "--missing dropped --n 5000 --epsilon 0.5"
MEAN = f"--mean age --bounds 0,120 {ALONE}"
CALLS = {  # name of a screen: the command, run one after the other in one directory
    "demo": "snapdp demo .",
    "map": "snapdp --help",
    "help": "snapdp help",
    "inspect-table": "snapdp inspect people.csv",
    "inspect-study": "snapdp inspect study.toml",
    "plan-study": "snapdp plan study.toml",
    "plan-over-budget": "snapdp plan study.toml --budget 1/2",
    "plan-mean": "snapdp plan --mean age --bounds 0,120 --missing middle --n 5000 --epsilon 0.5",
    "plan-groups": f"snapdp plan --mean income --by region --categories north,south,east,west --bounds 0,9999 {ALONE}",
    "plan-margins": "snapdp plan --count --by region,sex --categories region=north,south --categories sex=f,m "
    "--margins all --n 5000 --epsilon 1",
    "plan-persons": "snapdp plan --count --persons --person name --rows-per-person 3 --n-max 9000 --epsilon 1",
    "plan-details": "snapdp plan study.toml --details --if-rows 2000",
    "plan-useless": "snapdp plan --mean income --by region --categories north,south,east,west --bounds 0,9999 "
    "--missing dropped --n-max 5000 --epsilon 0.01",
    "lab-plan": "snapdp lab plan --sensitivity 1 --bounds 0,1000 --epsilon 0.5",
    "ledger-composed": "snapdp ledger composed people.ledger",
    "ledger-create": "snapdp ledger create more.ledger --dataset people --cap 2 --relation change-one --n 5000",
    "plan-ledger-fits": "snapdp plan study.toml --ledger more.ledger",
    "init": f"snapdp init ages.toml --dataset people {MEAN}",
    "release-again": "snapdp release study.toml --ledger people.ledger --yes",
    "release-study": "snapdp release study.toml --ledger more.ledger --yes --record r.json --report r.html "
    "--values v.csv",
    "release-flags": f"snapdp release people.csv {MEAN} --ledger more.ledger --yes",
    "init-budget": "snapdp init firms.toml --dataset firms --data people.csv --median income --by region --categories "
    "north,south,east,west --bounds 0,9999 --step 101 --missing dropped --n-max 9999 --budget 4",
    "ledger-create-from": "snapdp ledger create firms.ledger --from firms.toml",
    "release-quantiles-by-group": "snapdp release firms.toml --ledger firms.ledger --fit --budget 1 --yes",
    "release-margins": "snapdp release people.csv --count --by region,age --edges age=0,18,65,120 --bounds age=0,120 "
    "--categories region=north,south --missing dropped --margins all --n-max 9999 --epsilon 1 --ledger firms.ledger "
    "--yes",
    "release-moments": "snapdp release people.csv --variance age --covariance age,income --correlation --bounds "
    "age=0,120 --bounds income=0,9999 --missing dropped --n-max 9999 --epsilon 1 --ledger firms.ledger --yes",
    "ledger-amend": "snapdp ledger amend firms.ledger --cap 5 --reason 'a second survey was agreed with the council'",
    "explore": "snapdp explore people.csv --columns age,income --epsilon 0.2 --n 5000 --ledger more.ledger --yes",
    "ledger-show": "snapdp ledger show more.ledger",
    "ledger-history": "snapdp ledger history more.ledger",
    "ledger-verify": "snapdp ledger verify more.ledger --against r.json",
    "verify-record": "snapdp verify record.json --ledger people.ledger --certificate release.json",
    "lab-verify": "snapdp lab verify snap_half --certificate half.json",
    "lab-verify-refuted": "snapdp lab verify snap_half --claim 0.49",
    "verify-certificates": "snapdp verify half.json release.json",
    "lab-attack": "snapdp lab attack precision --target numpy --target snapdp --seed 1 --trials 1000",
    "lab-compare": "snapdp lab compare",
    "lab-claims": "snapdp lab claims GetAccuracy2 --epsilon 1 --bound 10 --if-value 0",
    "refused-command": "snapdp relase people.csv",
    "refused-no-bounds": f"snapdp plan --mean age {ALONE}",
    "refused-missing-unsaid": "snapdp plan --mean age --bounds 0,120 --n 5000 --epsilon 1",
    "refused-column": "snapdp release people.csv --mean size --bounds 0,9 --missing 0 --n 5000 --epsilon 1/10 "
    "--ledger more.ledger --yes",
    "refused-altered": "snapdp verify altered.json",
}


def commands_below(group: click.Command, ctx: click.Context, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield every command of a group, and of the groups in it, with the words that call it."""
    if isinstance(group, click.Group):
        for name in group.list_commands(ctx):
            command = group.get_command(ctx, name)
            assert command is not None
            yield f"{path}{name}", command
            yield from commands_below(command, ctx, f"{path}{name} ")


def all_screens() -> Iterator[tuple[str, str]]:
    """Yield every screen: its name, and its text."""
    with TemporaryDirectory() as place, chdir(place), same_every_time():
        for name, command in CALLS.items():
            if name == "refused-altered":
                text = Path("record.json").read_text(encoding="utf-8")
                Path("altered.json").write_text(text.replace('"charged":"1"', '"charged":"1/2"'), encoding="utf-8")
            yield name, screen(command)


def screen(command: str) -> str:
    """Return what a command shows, below the line that was typed; a code that is not 0 stands at the end."""
    done = CliRunner(env=TERMINAL).invoke(main, shlex.split(command)[1:], prog_name="snapdp")
    assert "Traceback" not in done.output, done.output
    assert done.exit_code != 70, (command, done.output)
    shown = re.sub(r"^(Try '.*) -h' for help\.$", r"\1 --help' for help.", done.output, flags=re.MULTILINE)  # click 8.2
    shown = re.sub(r"(report states it:\s+sha256:)[0-9a-f]{64}", rf"\g<1>{'0' * 64}", shown)  # a record has a time
    lines = [f"$ {typed(command)}", *(each.rstrip() for each in shown.splitlines())]
    return "\n".join(lines + ([f"[exit code {done.exit_code}]"] if done.exit_code else [])) + "\n"


def typed(command: str) -> str:
    """Return a command as it is typed: on several lines where it is long."""
    lines, rest = [], ""
    for word in command.split(" "):
        if len(f"{rest} {word}") > WIDTH - 4:
            lines.append(f"{rest} \\")
            rest = f"      {word}"
        else:
            rest = f"{rest} {word}" if rest else word
    return "\n".join([*lines, rest])


@contextmanager
def same_every_time() -> Iterator[None]:
    """Let the noise come from recorded bytes, the clock stand still, and messages be wrapped as on a terminal."""
    dice = Random(1)

    def recorded(statistic: int, part: int) -> RecordedBits:
        own = Random(f"{statistic} {part}")
        return RecordedBits([own.getrandbits(64) - (1 << 63) for _ in range(MOST_WORDS)])

    import snapdp.ledger.ledger
    import snapdp.randomness.bits
    import snapdp.release.release

    clock: Any = {name: getattr(snapdp.ledger.ledger.time, name) for name in ("monotonic", "sleep")}
    still = SimpleNamespace(**clock, gmtime=lambda: None, strftime=lambda *_: NOON)
    with ExitStack() as stack:
        stack.enter_context(patch.object(snapdp.randomness.bits, "urandom", dice.randbytes))
        stack.enter_context(patch.object(snapdp.release.release, "system_bits", recorded))
        stack.enter_context(patch.object(snapdp.ledger.ledger, "time", still))
        stack.enter_context(patch("snapdp.cli.screen.is_read_by_people", lambda **_: True))
        stack.enter_context(patch.dict(os.environ, TERMINAL))
        yield


def written() -> dict[str, str]:
    """Return the screens that are kept."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.txt"))}


def write_all() -> None:
    """Write every screen anew, and leave no other."""
    found = dict(all_screens())
    for name in written().keys() - found.keys():
        (FOLDER / f"{name}.txt").unlink()
    for name, text in found.items():
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")
