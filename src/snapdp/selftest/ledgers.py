"""A throw-away ledger: its settings as SQLite tells them, and what is left of it when those who charge it are killed.

Room: selftest. In a temporary directory, which should be on the kind of disk that ledgers are kept on: TMPDIR chooses
it. A killed process is not a power failure: what the kernel has taken is safe from the one, and only fsync from the
other. So settings are read back, and that the disk obeys them is believed. Theory: docs/theory/ledger.md.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from snapdp.errors import SnapdpError
from snapdp.ledger import Ledger, settings_in_force
from snapdp.selftest.charging import ACCOUNT, EPSILON, TERMS
from snapdp.selftest.check import Checked, Comparison, Effort
from snapdp.selftest.processes import command, environment

FULL = 2  # PRAGMA synchronous: a commit is on the disk when it returns; EXTRA is 3
EXPECTED = {
    "journal_mode": "wal",
    "fullfsync": 1,
    "checkpoint_fullfsync": 1,
    "trusted_schema": 0,
    "wal_autocheckpoint": 0,
}
CAP = 1000


def compare_settings(_: Effort) -> Checked:
    """Read back what a ledger asks of SQLite: on a new file, and on the same file opened again."""
    comparison = Comparison()
    with _new_ledger() as path:
        for moment in ("opened again", "opened once more"):
            with Ledger.open(path) as ledger:
                found = settings_in_force(ledger)
            synchronous = found.pop("synchronous")
            told = f"a ledger {moment}: synchronous is {synchronous}, should be {FULL} (FULL) or more"
            comparison.holds(int(synchronous) >= FULL, told)
            for name, value in EXPECTED.items():
                comparison.same(found.pop(name), value, f"a ledger {moment}: {name} is")
            comparison.same(found, {}, "settings that nobody expects:")
    return comparison.checked()


def compare_crashes(effort: Effort) -> Checked:
    """Kill processes in the middle of charges; then every acknowledged charge must be there, be spent, and verify."""
    comparison, dice = Comparison(), effort.dice("crashes")
    with _new_ledger() as path:
        acknowledged: list[int] = []
        kills = effort.size(8, 2)
        for _ in range(kills):
            acknowledged += _killed(path, dice)
            _compare_ledger(path, acknowledged, kills, comparison)
    return comparison.checked()


def _killed(path: Path, dice: Random) -> list[int]:
    """Start a process that charges, kill it behind one of its first charges, and return those it was told of."""
    charging = command("charging", str(path), str(dice.getrandbits(64)))
    piped = subprocess.PIPE
    with subprocess.Popen(charging, env=environment(), stdout=piped, stderr=piped, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        numbers, enough = [], dice.randint(1, 6)
        for line in process.stdout:
            numbers.append(int(line))
            if len(numbers) == enough:
                break
        process.kill()
        told = process.stdout.read()  # what it was told of between the line and its death; the last may be cut off
        failed = process.stderr.read()
    if len(numbers) < enough:
        raise RuntimeError(f"the process that charges ended by itself: {failed.strip().splitlines()[-1:]}")
    return numbers + [int(line) for line in told.splitlines(keepends=True) if line.endswith("\n")]


def _compare_ledger(path: Path, acknowledged: list[int], kills: int, comparison: Comparison) -> None:
    with Ledger.open(path) as ledger:
        try:
            ledger.verify()
            verdict = "sound"
        except SnapdpError as refusal:
            verdict = refusal.problem
        history, account = ledger.history(ACCOUNT), ledger.account(ACCOUNT)
    comparison.same(verdict, "sound", "the ledger after a kill is")
    numbers = {charge.number for charge in history}
    for number in acknowledged:
        comparison.holds(number in numbers, f"the acknowledged charge {number} is lost")
    for charge in history:
        comparison.same((charge.state, charge.epsilon), ("orphaned", Fraction(EPSILON)), f"charge {charge.number}:")
    comparison.same(account.spent, len(history) * Fraction(EPSILON), "spent:")
    comparison.holds(
        len(numbers) <= len(acknowledged) + kills, "more than one charge of a killed process is unknown to it"
    )


@contextmanager
def _new_ledger() -> Iterator[Path]:
    with TemporaryDirectory(prefix="snapdp-selftest-") as place:
        path = Path(place) / "throw-away.ledger"
        with Ledger.create(path) as ledger:
            ledger.create_account(ACCOUNT, cap=CAP, relation=TERMS["relation"], rows=TERMS["rows"])
        yield path
