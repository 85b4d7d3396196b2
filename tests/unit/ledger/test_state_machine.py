"""The ledger against a plain list, with a crash before any step of the storage and after the last one."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from snapdp.errors import BudgetError, LedgerError
from snapdp.ledger.accounts import Answer, InProgressError, Reservation
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.storage.sqlite import SqliteStorage
from tests.tiers import first_of
from tests.unit.release.support import TERMS, F, ask, fingerprint, new_ledger, record_of

CAP = F(1)
NAMES = ("survey", "wages")
EPSILONS = st.sampled_from([F(1, 3), F(1, 7), F(2, 5), F(1, 100)])
STEPS = 16  # more than any operation takes
FUSES = st.none() | st.integers(0, STEPS)


class Crash(BaseException):
    """The process is gone."""


class Mortal:
    """A storage that dies when its fuse burns down; the connection is dropped, nothing is rolled back by hand."""

    def __init__(self, path):
        self._inner = SqliteStorage(path, patience=5)
        self.fuse = None
        self.durable = False  # whether a writing transaction of this operation was committed

    def __getattr__(self, name):
        method = getattr(self._inner, name)

        def call(*given, **named):
            if not self._inner._file.is_open:
                assert name in ("rollback", "close")
                return None
            self._burn()
            result = method(*given, **named)
            if name == "commit":
                self.durable = True
                if self.fuse == 0:
                    self._burn()
            return result

        return call

    def _burn(self):
        if self.fuse == 0:
            self.die()
            raise Crash
        if self.fuse is not None:
            self.fuse -= 1

    def die(self):
        """Drop connection and lock as a killed process does; its session file stays behind."""
        self._inner._file.drop()
        self._inner._file.is_open = False
        self._inner._file.inode.close()
        if self._inner._session is not None:
            os.close(self._inner._session._file)
            self._inner._session = None


class LedgerMachine(RuleBasedStateMachine):
    """The list holds, per charge: account, key, epsilon, state, record. Caps rise, and an account may be closed."""

    def __init__(self):
        super().__init__()
        self.directory = Path(tempfile.mkdtemp())
        self.charges = []
        self.pending = []  # (position in the list, reservation)
        self.versions = {}
        self.contents = dict.fromkeys(NAMES, 0)
        self.last_record = None
        self.caps = {name: [CAP] for name in NAMES}
        self.closed = set()

    @initialize()
    def create(self):
        path = self.directory / "x.ledger"
        ledger, version = new_ledger(path, cap=CAP, name=NAMES[0])
        ledger.create_account(NAMES[1], cap=CAP, **TERMS)
        self.versions = {
            (NAMES[0], "rows of " + NAMES[0]): version,
            (NAMES[1], "rows of " + NAMES[1]): ledger.dataset_version(NAMES[1], fingerprint("rows of " + NAMES[1])),
        }
        ledger.close()
        self.reopen()

    def teardown(self):
        if hasattr(self, "ledger"):
            self.ledger.close()
        shutil.rmtree(self.directory)

    def reopen(self):
        self.storage = Mortal(self.directory / "x.ledger")
        self.ledger = Ledger(self.storage)

    def after_death(self):
        """All that was pending is an orphan: spent, and nobody will commit it."""
        for position, _ in self.pending:
            self.charges[position]["state"] = "orphaned"
        self.pending = []
        self.reopen()

    def lit(self, fuse, operation):
        """Run an operation that may die; return its result, or None, and whether it became durable."""
        self.storage.fuse, self.storage.durable = fuse, False
        try:
            result = operation()
        except Crash:
            return None, self.storage.durable, True
        self.storage.fuse = None
        return result, True, False

    def current(self, name):
        return [version for (account, _), version in self.versions.items() if account == name]

    @rule(name=st.sampled_from(NAMES), what=st.integers(0, 3), newest=st.booleans(), epsilon=EPSILONS, fuse=FUSES)
    def reserve(self, name, what, newest, epsilon, fuse):
        version = self.current(name)[-1 if newest else 0]
        key = (name, version, what, epsilon)
        twins = [charge for charge in self.charges if charge["key"] == key]
        spent = sum(charge["epsilon"] for charge in self.charges if charge["name"] == name)
        left = F(0) if name in self.closed else self.caps[name][-1] - spent
        expected = (
            Answer if any(twin["state"] == "committed" for twin in twins)
            else InProgressError if any(twin["state"] == "in progress" for twin in twins)
            else BudgetError if epsilon > left
            else Reservation
        )  # fmt: skip

        def operation():
            try:
                return ask(self.ledger, version, what, epsilon, name=name)
            except (InProgressError, BudgetError) as error:
                return error

        got, durable, dead = self.lit(fuse, operation)
        if expected is Reservation and durable:
            self.charges.append({"name": name, "key": key, "epsilon": epsilon, "state": "in progress", "record": None})
            self.pending.append((len(self.charges) - 1, got))
        if dead:
            self.after_death()
            return
        assert type(got) is expected
        if expected is Answer:
            assert got.record == next(twin["record"] for twin in twins if twin["state"] == "committed")

    @precondition(lambda self: self.pending)
    @rule(data=st.data(), fuse=FUSES, give_up=st.booleans())
    def close_a_reservation(self, data, fuse, give_up):
        chosen = data.draw(st.integers(0, len(self.pending) - 1))
        position, held = self.pending[chosen]
        record = record_of(held, position)
        close = (lambda: self.ledger.abandon(held)) if give_up else (lambda: self.ledger.commit(held, record))
        _, durable, dead = self.lit(fuse, close)
        if durable:
            del self.pending[chosen]
            self.charges[position]["state"] = "abandoned" if give_up else "committed"
            self.charges[position]["record"] = None if give_up else record
            self.last_record = self.last_record if give_up else record
        if dead:
            self.after_death()

    @rule(name=st.sampled_from(NAMES), content=st.integers(0, 2), fuse=FUSES)
    def show_data(self, name, content, fuse):
        rows = f"{name}, version {content}"
        version, durable, dead = self.lit(fuse, lambda: self.ledger.dataset_version(name, fingerprint(rows)))
        if dead:
            self.after_death()
            version = self.ledger.dataset_version(name, fingerprint(rows)) if durable else None
        if version is not None:
            assert self.versions.setdefault((name, rows), version) == version

    @rule(name=st.sampled_from(NAMES), cap=st.sampled_from([F(1), F(5, 4), F(2), F(7, 3)]), fuse=FUSES)
    def raise_the_cap(self, name, cap, fuse):
        expected = None if name not in self.closed and cap > self.caps[name][-1] else LedgerError
        _, durable, dead = self.lit(fuse, lambda: self.refusal(lambda: self.ledger.amend(name, cap=cap, reason="x")))
        if expected is None and durable:
            self.caps[name].append(cap)
        if dead:
            self.after_death()
        else:
            assert self.said is expected

    @precondition(lambda self: len(self.charges) > 4)
    @rule(fuse=FUSES)
    def close_an_account(self, fuse):
        expected = LedgerError if NAMES[1] in self.closed else None
        close = lambda: self.ledger.close_account(NAMES[1], reason="y")  # noqa: E731
        _, durable, dead = self.lit(fuse, lambda: self.refusal(close))
        if durable:
            self.closed.add(NAMES[1])
        if dead:
            self.after_death()
        else:
            assert self.said is expected

    def refusal(self, operation):
        try:
            operation()
        except LedgerError:
            self.said = LedgerError
        else:
            self.said = None

    @rule()
    def die(self):
        self.storage.die()
        self.after_death()

    @rule()
    def close_and_open(self):
        self.ledger.close()
        self.after_death()

    @invariant()
    def the_ledger_is_the_list(self):
        if not hasattr(self, "ledger"):
            return
        for name in NAMES:
            mine = [charge for charge in self.charges if charge["name"] == name]
            history = self.ledger.history(name)
            account = self.ledger.account(name)
            assert [(charge.epsilon, charge.state, charge.answer and charge.answer.record) for charge in history] == [
                (charge["epsilon"], charge["state"], charge["record"]) for charge in mine
            ]
            assert account.spent == sum(charge["epsilon"] for charge in mine) <= account.cap == self.caps[name][-1]
            assert account.closed is (name in self.closed)
            raised = [each for each in self.ledger.amendments(name) if not each.closes]
            assert [CAP, *(each.cap for each in raised)] == self.caps[name]
            assert [each.before for each in raised] == self.caps[name][:-1]
        self.ledger.verify(against=self.last_record)


COMMON = {"deadline": None, "suppress_health_check": list(HealthCheck)}


def test_the_ledger_behaves_like_a_list_whatever_dies_when():
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(LedgerMachine, settings=settings(max_examples=3, stateful_step_count=25, **COMMON))


@pytest.mark.long
def test_the_ledger_behaves_like_a_list_for_a_long_time():
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(LedgerMachine, settings=settings(max_examples=150, stateful_step_count=50, **COMMON))


@pytest.mark.parametrize(
    "operation",
    first_of(["reserve", "commit", "abandon", "dataset_version", "create_account", "amend", "close_account"]),
)
def test_a_crash_before_each_step_leaves_all_or_nothing(tmp_path, operation):
    """Every fuse length in turn, until the operation outlives it."""
    outcomes = []
    for fuse in range(STEPS + 10):
        path = tmp_path / f"{fuse}.ledger"
        ledger, version = new_ledger(path)
        ledger.close()
        storage = Mortal(path)
        ledger = Ledger(storage)
        held = ask(ledger, version, "before", "1/4")
        work = {
            "reserve": lambda: ask(ledger, version, "a", "1/4"),  # noqa: B023
            "commit": lambda: ledger.commit(held, record_of(held)),  # noqa: B023
            "abandon": lambda: ledger.abandon(held),  # noqa: B023
            "dataset_version": lambda: ledger.dataset_version("survey", fingerprint("new")),  # noqa: B023
            "create_account": lambda: ledger.create_account("wages", cap=1, **TERMS),  # noqa: B023
            "amend": lambda: ledger.amend("survey", cap=2, reason="more"),  # noqa: B023
            "close_account": lambda: ledger.close_account("survey", reason="done"),  # noqa: B023
        }[operation]
        storage.fuse, storage.durable = fuse, False
        try:
            work()
        except Crash:
            alive = False
        else:
            alive = True
            ledger.close()
        with Ledger.open(path) as ledger:
            entries = sum(account.entries for account in ledger.accounts())
            assert entries == 3 + storage.durable
            ledger.verify()
        outcomes.append((storage.durable, alive))
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {(False, False), (True, False), (True, True)}
