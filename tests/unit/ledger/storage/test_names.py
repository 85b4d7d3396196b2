"""One ledger with two names, a log that is lost, a copy put to use: the cap holds, and no charge is gone unseen."""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from snapdp.errors import LedgerError
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.storage import sqlite_file
from tests.services import missing
from tests.tiers import first_of
from tests.unit.ledger.colleague import Colleague
from tests.unit.release.support import NAME, F, new_ledger, release

NO_LOG = "needs its log"
OTHER_NAME = "in use through another name"
COPY = "is a copy"
MOUNT = ["unshare", "-m", "sh", "-c", 'mount --bind "$0" "$1" && shift && shift && exec "$@"']


def bind_mounts_work(directory: Path) -> bool:
    one, two = directory / "one", directory / "two"
    for path in (one, two):
        path.write_text(path.name)
    try:
        seen = subprocess.run([*MOUNT, one, two, "-", "cat", two], capture_output=True, text=True, check=False).stdout
    except OSError:
        return False
    return seen == "one"


@pytest.fixture(scope="session")
def can_bind(tmp_path_factory):
    return bind_mounts_work(tmp_path_factory.mktemp("bind"))


@pytest.fixture
def path(tmp_path):
    (tmp_path / "home").mkdir()
    return tmp_path / "home" / "people.ledger"


@contextlib.contextmanager
def reaching(path, way, can_bind):
    """Start a colleague who knows the ledger by another name."""
    other = path.with_name("other.ledger")
    if way == "bind mount":
        if not can_bind:
            missing("mounts", "unshare and mount are not allowed")
        other.touch()
        with Colleague(*MOUNT, str(path), str(other), "-") as colleague:
            yield colleague, other
        return
    if way == "symbolic link":
        other.symlink_to(path)
    else:
        os.link(path, other)
    with Colleague() as colleague:
        yield colleague, other


def log_of(path):
    return path.with_name(path.name + "-wal")


def spent(path):
    with Ledger.open(path) as ledger:
        ledger.verify()
        return ledger.account(NAME).spent


def spent_or_said(path):
    try:
        return spent(path)
    except LedgerError as error:
        return error.problem


def copied(path, target, *suffixes):
    """Copy by another process: closing a file here would drop the locks that SQLite has on it."""
    for suffix in ("", *suffixes):
        subprocess.run(["cp", f"{path}{suffix}", f"{target}{suffix}"], check=True)
    return target


# Two names


@pytest.mark.parametrize("way", ["hard link", "bind mount"])
def test_a_second_name_of_a_ledger_in_use_is_refused_and_works_afterwards(path, way, can_bind):
    ledger, version = new_ledger(path)
    with reaching(path, way, can_bind) as (colleague, other):
        release(ledger, version, "a", "3/4")
        assert OTHER_NAME in colleague("open", other, 0.1)
        ledger.close()
        assert colleague("open", other) is None
        assert colleague("spent") == "3/4"
        assert "has 1/4 left" in colleague("release", "b", "3/4")
        assert colleague("release", "b", "1/8") == 0.5
        with pytest.raises(LedgerError, match=OTHER_NAME):
            Ledger.open(path, patience=0.1)
        assert colleague("close") is None
        assert spent(path) == F(7, 8)


@pytest.mark.parametrize("way", ["hard link", "bind mount"])
def test_two_open_ledgers_under_two_names_never_both_charge(path, way, can_bind):
    """Both were opened while the file was idle, and both keep it open."""
    ledger, version = new_ledger(path)
    ledger.close()
    with reaching(path, way, can_bind) as (colleague, other), Ledger.open(path) as ledger:
        colleague("open", other, 0.1)
        assert colleague("spent") == "0"
        assert ledger.account(NAME).spent == 0
        release(ledger, version, "a", "3/4")
        assert OTHER_NAME in colleague("release", "b", "3/4")
        assert OTHER_NAME in colleague("spent")
        ledger.close()
        assert colleague("spent") == "3/4"
        assert "has 1/4 left" in colleague("release", "b", "3/4")


def test_a_symbolic_link_is_the_same_name(path):
    ledger, version = new_ledger(path)
    with ledger, reaching(path, "symbolic link", False) as (colleague, other):
        release(ledger, version, "a", "1/2")
        assert colleague("open", other) is None
        assert colleague("spent") == "1/2"
        assert colleague("release", "b", "1/4") == 0.5
        assert ledger.account(NAME).spent == F(3, 4)


def test_two_names_in_one_process_are_one_ledger(path):
    """SQLite itself would keep two logs for them."""
    other = path.with_name("other.ledger")
    ledger, version = new_ledger(path)
    os.link(path, other)
    with ledger, Ledger.open(other) as twin:
        for turn in range(3):
            release(ledger, version, f"a{turn}", "1/8")
            release(twin, version, f"b{turn}", "1/8")
        assert ledger.account(NAME).spent == twin.account(NAME).spent == F(3, 4)
    assert spent(other) == F(3, 4)


def test_a_killed_user_of_one_name_keeps_the_other_name_out_until_the_log_is_brought_in(path):
    new_ledger(path)[0].close()
    with reaching(path, "hard link", False) as (colleague, other):
        colleague("open", other)
        colleague("release", "a", "3/4")
    with pytest.raises(LedgerError, match=NO_LOG):
        Ledger.open(path)
    assert spent(other) == F(3, 4)
    assert spent(path) == F(3, 4)


@pytest.mark.parametrize("rounds", [4, pytest.param(40, marks=pytest.mark.long)])
def test_many_processes_under_three_names_spend_exactly_what_they_were_told(path, can_bind, rounds):
    """They open, charge and close, all at once; whoever finds the file in use under another name waits."""
    ledger, _ = new_ledger(path, cap=rounds)
    ledger.close()
    hard = path.with_name("hard.ledger")
    os.link(path, hard)
    with contextlib.ExitStack() as stack:
        crowd = [(stack.enter_context(Colleague()), name) for name in (path, hard, path)]
        way = "bind mount" if can_bind else "hard link"
        crowd.append(stack.enter_context(reaching(path, way, can_bind)))
        told = []
        for turn in range(rounds):
            for colleague, name in crowd:
                for words in (["open", name], ["release", f"{turn} {name} {id(colleague)}", "1/8"], ["close"]):
                    colleague.say(*words)
            told += [[colleague.answer() for _ in range(3)] for colleague, _ in crowd]
    assert told == [[None, 0.5, None]] * (4 * rounds)
    assert spent(path) == F(rounds, 2)


def test_a_ledger_that_was_moved_while_it_was_open_is_not_charged_any_more(path):
    ledger, version = new_ledger(path)
    with ledger:
        release(ledger, version, "a", "1/4")
        path.rename(path.with_name("moved.ledger"))
        with pytest.raises(LedgerError, match="moved or replaced"):
            release(ledger, version, "b", "1/4")
    assert spent(path.with_name("moved.ledger")) == F(1, 4)


# The log is lost


def killed_after(path, *words):
    with Colleague() as colleague:
        colleague("open", path)
        for what, epsilon in words:
            assert colleague("release", what, epsilon) == 0.5


def test_a_log_lost_after_a_kill_is_found(path):
    new_ledger(path)[0].close()
    killed_after(path, ("a", "3/4"))
    kept = log_of(path).rename(path.with_name("kept"))
    for _ in range(2):
        with pytest.raises(LedgerError, match=NO_LOG):
            Ledger.open(path)
        assert not log_of(path).exists()
    kept.rename(log_of(path))
    assert spent(path) == F(3, 4)


def test_after_a_kill_the_ledger_is_whole_and_goes_on(path):
    new_ledger(path)[0].close()
    for turn in range(3):
        killed_after(path, (f"{turn}a", "1/8"), (f"{turn}b", "1/8"))
    assert spent(path) == F(3, 4)
    assert not log_of(path).exists()


def test_a_log_removed_while_the_ledger_is_in_use_loses_nothing_if_it_is_closed(path):
    ledger, version = new_ledger(path)
    with ledger:
        release(ledger, version, "a", "1/4")
        log_of(path).unlink()
        with Colleague() as colleague:
            assert OTHER_NAME in colleague("open", path, 0.1)
        release(ledger, version, "b", "1/4")
    assert spent(path) == F(1, 2)


# Copies


def test_a_copy_without_the_log_is_refused_and_one_with_it_is_read(path):
    ledger, version = new_ledger(path)
    with ledger:
        release(ledger, version, "a", "3/4")
        bare = copied(path, path.with_name("bare"))
        whole = copied(path, path.with_name("whole"), "-wal")
    with pytest.raises(LedgerError, match=NO_LOG):
        Ledger.open(bare)
    assert spent(whole) == F(3, 4)
    with Ledger.open(whole) as ledger, pytest.raises(LedgerError, match=COPY):
        release(ledger, version, "b", "1/8")


def test_a_copy_of_an_idle_ledger_is_read_but_not_charged(path):
    ledger, version = new_ledger(path)
    with ledger:
        first = release(ledger, version, "a", "1/4")
    copy = path.with_name("copy.ledger")
    shutil.copy(path, copy)
    assert spent(copy) == F(1, 4)
    with Ledger.open(copy) as ledger, pytest.raises(LedgerError, match=COPY):
        release(ledger, version, "b", "1/4")
    with Ledger.open(copy) as ledger:
        assert ledger.history(NAME)[0].answer.record == first
    with Ledger.open(path) as ledger:
        release(ledger, version, "b", "1/4")
    assert (spent(path), spent(copy)) == (F(1, 2), F(1, 4))


def test_a_log_of_another_time_beside_an_idle_ledger_changes_nothing(path):
    ledger, version = new_ledger(path)
    with ledger:
        release(ledger, version, "a", "1/4")
        old = copied(path, path.with_name("old"), "-wal")
        release(ledger, version, "b", "1/4")
    log_of(old).rename(log_of(path))
    assert spent(path) == F(1, 2)


def test_a_log_of_another_time_beside_a_ledger_that_needs_its_own_is_found_and_not_taken_in(path):
    new_ledger(path)[0].close()
    killed_after(path, ("a", "1/4"))
    early = copied(path, path.with_name("early"), "-wal")
    assert spent(path) == F(1, 4)
    killed_after(path, ("b", "1/4"))
    right = log_of(path).rename(path.with_name("right"))
    shutil.copy(log_of(early), log_of(path))
    before = path.read_bytes()
    with pytest.raises(LedgerError, match=f"{NO_LOG}|damaged"):
        Ledger.open(path)
    assert path.read_bytes() == before
    right.replace(log_of(path))
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
    assert spent(path) == F(1, 2)


def test_another_program_that_opens_and_closes_the_ledger_does_no_harm(path):
    """It brings the log into the file when it is the last; the file is complete then, and is found to be."""
    new_ledger(path)[0].close()
    killed_after(path, ("a", "1/4"))
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("SELECT * FROM place").fetchall()
    assert not log_of(path).exists()
    assert spent(path) == F(1, 4)
    killed_after(path, ("b", "1/4"))
    log_of(path).unlink()
    with pytest.raises(LedgerError, match=NO_LOG):
        Ledger.open(path)


def test_a_ledger_taken_away_while_it_is_open_can_still_be_closed(path):
    ledger, version = new_ledger(path)
    with ledger:
        release(ledger, version, "a", "1/4")
        shutil.rmtree(path.parent)
        with pytest.raises(LedgerError, match="moved or replaced"):
            release(ledger, version, "b", "1/4")


@pytest.mark.parametrize("used", [False, True])
def test_a_program_that_reads_the_file_beside_its_open_ledger_loses_nothing(path, used):
    """Closing the file drops the locks that SQLite has on it in this process; others then take it for unused."""
    ledger, version = new_ledger(path)
    ledger.close()
    with Ledger.open(path) as ledger, Colleague() as colleague:
        if used:
            release(ledger, version, "before", "1/8")
        assert ledger.account(NAME).spent == F(used, 8)
        path.read_bytes()
        colleague("open", path)
        assert colleague("release", "a", "1/8") == 0.5 if used else colleague("spent") == "0"
        colleague("close")
        release(ledger, version, "b", "1/8")
        colleague("open", path)
        assert F(colleague("spent")) == F(1 + 2 * used, 8)
        assert colleague("release", "c", "1/8") == 0.5
        colleague.kill()
        release(ledger, version, "d", "1/8")
    assert spent(path) == F(3 + 2 * used, 8)


# A kill at every step


class Watched:
    """Keeps the files as they were before every statement, together with what was acknowledged until then."""

    def __init__(self, path, monkeypatch):
        self.path = path
        self.told = F(0)
        self.moments = []
        self.said = set()
        whole, synced = sqlite_file.SqliteFile._run_on, sqlite_file.SqliteFile._synced

        def run_on(file, connection, statement, fields=()):
            self.look(statement)
            return whole(file, connection, statement, fields)

        def sync(file):
            self.look("sync")
            synced(file)

        monkeypatch.setattr(sqlite_file.SqliteFile, "_run_on", run_on)
        monkeypatch.setattr(sqlite_file.SqliteFile, "_synced", sync)

    def look(self, statement):
        if not statement.startswith(("SELECT", "PRAGMA busy", "PRAGMA sync", "PRAGMA full", "PRAGMA appl")):
            here = self.path.with_name("moment")
            if here.exists():
                shutil.rmtree(here)
            here.mkdir()
            copied(self.path, here / self.path.name, *(["-wal"] if log_of(self.path).exists() else []))
            self.said.add(statement)
            files = {each.name: each.read_bytes() for each in here.iterdir()}
            if not self.moments or self.moments[-1] != (self.told, files):
                self.moments.append((self.told, files))


def pages(content):
    return [content[start : start + 4096] for start in range(0, len(content), 4096)]


def in_between(old, new):
    """Yield the files that a checkpoint passes through on its way from one to the other: pages are written in order."""
    before, after = pages(old), pages(new)
    before += [bytes(4096)] * (len(after) - len(before))
    changed = [number for number, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]]
    for count in range(1, len(changed)):
        yield b"".join(after[n] if n in changed[:count] else before[n] for n in range(len(after)))


def put(directory, files):
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    for name, content in files.items():
        (directory / name).write_bytes(content)
    return directory / "people.ledger"


@pytest.mark.parametrize("turns", first_of([1, 4]))
def test_wherever_a_process_is_killed_nothing_is_lost_and_a_lost_log_is_found(path, monkeypatch, tmp_path, turns):
    ledger, version = new_ledger(path)
    ledger.close()
    monkeypatch.setattr(sqlite_file, "LARGEST_LOG", 60_000)  # brought into the file on the way, too
    with monkeypatch.context() as patched:
        watched = Watched(path, patched)
        with Ledger.open(path) as ledger:
            for turn in range(turns):
                release(ledger, version, turn, "1/8")
                watched.told += F(1, 8)
        with Ledger.open(path) as ledger:
            watched.look("the end")
    moments = watched.moments
    assert {"COMMIT", "sync", "the end", "PRAGMA wal_checkpoint(TRUNCATE)"} <= watched.said
    lost = 0
    for (told, files), (_, later) in zip(moments, [*moments[1:], moments[-1]], strict=True):
        assert spent(put(tmp_path / "killed", files)) >= told
        ways = [files["people.ledger"], *in_between(files["people.ledger"], later["people.ledger"])]
        for main in ways:
            if log_of(path).name in files:
                assert spent(put(tmp_path / "torn", {**files, "people.ledger": main})) >= told
            found = spent_or_said(put(tmp_path / "bare", {"people.ledger": main}))
            assert NO_LOG in str(found) or found >= told
            lost += NO_LOG in str(found)
    assert lost >= 2 * turns


# While it is idle


def test_an_open_ledger_that_does_nothing_keeps_nobody_waiting(path):
    ledger, version = new_ledger(path)
    with ledger, Colleague() as colleague:
        release(ledger, version, "a", "1/4")
        assert colleague("open", path, 0) is None
        assert colleague("release", "b", "1/4") == 0.5
        assert ledger.account(NAME).spent == F(1, 2)
        assert colleague("release", "c", "1/4") == 0.5
    assert spent(path) == F(3, 4)


def test_a_ledger_that_nobody_closed_is_closed_with_its_last_name(path):
    ledger, version = new_ledger(path)
    release(ledger, version, "a", "1/4")
    del ledger
    gc.collect()
    assert [each.name for each in path.parent.iterdir() if "session" not in each.name] == ["people.ledger"]
    assert spent(path) == F(1, 4)


def test_a_reader_that_takes_its_time_keeps_no_writer_waiting(path):
    ledger, version = new_ledger(path)
    with ledger, Colleague() as colleague:
        release(ledger, version, "a", "1/4")
        colleague("open", path, 0)
        with ledger._transaction(writing=False):
            assert ledger._storage.standing(NAME).spent == "1/4"
            assert colleague("release", "b", "1/4") == 0.5
            assert ledger._storage.standing(NAME).spent == "1/4"
        assert ledger.account(NAME).spent == F(1, 2)


def test_the_log_stays_short_however_long_the_ledger_is_open(path, monkeypatch):
    monkeypatch.setattr(sqlite_file, "LARGEST_LOG", 100_000)
    ledger, version = new_ledger(path)
    with ledger, Ledger.open(path) as other:
        longest = 0
        for turn in range(40):
            release((ledger, other)[turn % 2], version, turn, "1/64")
            longest = max(longest, log_of(path).stat().st_size)
    assert 100_000 < longest < 200_000
    assert spent(path) == F(40, 64)


def test_a_reader_in_the_log_puts_off_its_end_and_nothing_else(path, monkeypatch):
    monkeypatch.setattr(sqlite_file, "LARGEST_LOG", 50_000)
    ledger, version = new_ledger(path)
    with ledger, Ledger.open(path) as reader:
        release(ledger, version, "first", "1/64")
        with reader._transaction(writing=False):
            for turn in range(20):
                release(ledger, version, turn, "1/64")
            assert reader._storage.standing(NAME).spent == "1/64"
        bare = copied(path, path.with_name("bare"))
        release(ledger, version, "last", "1/64")
    assert spent(path) == F(22, 64)
    with pytest.raises(LedgerError, match=NO_LOG):
        Ledger.open(bare)
