"""What a release that fails says of its cost: a number that the ledger holds, or "unknown"; and of asking again.

Every statement of a release is made to fail in turn, before it runs and after it ran, and every message to a server is
lost on its way there or its answer on the way back.
"""

from __future__ import annotations

import tempfile
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import snapdp
from snapdp.audits.release_audit import is_sound
from snapdp.errors import SnapdpError, cost_of
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.storage.sqlite_connection import SENTENCES, SqliteLink
from snapdp.release import release as engine
from tests.services import missing, new_database, postgres_server
from tests.tiers import first_of
from tests.unit.ledger.proxy import Proxy
from tests.unit.ledger.teams import psycopg
from tests.unit.release.people import MEAN, ROWS, new_book, study
from tests.unit.release.support import F

UNKNOWN, AGAIN, FREE = "unknown", "the same request would be charged again", "the same request is free."
IO_ERROR = next(words for words in SENTENCES.values() if "reports an error" in words[0])


def release(ledger, epsilon="1/2"):
    request = study({**MEAN, "epsilon": epsilon}).request()
    return engine.released(request, snapdp.open_table(ROWS), ledger, directory=Path(), is_sound=is_sound)


def attempt(where, epsilon="1/2", **more):
    """Return what a release says that it cost, in a word and in a sentence."""
    try:
        with Ledger.open(where, **more) as ledger:
            outcome = release(ledger, epsilon)
    except SnapdpError as problem:
        spent, sentence = cost_of(problem)
        return spent or "0", sentence
    except KeyboardInterrupt as stop:
        return cost_of(stop)  # nothing is said of one that came before the release, or after it
    return ("0" if outcome.free else outcome.record["charged"]), FREE


def held(where):
    with Ledger.open(where, patience=1) as ledger:
        return ledger.account("people").spent


def check(said, sentence, truth, where, epsilon="1/2"):
    """Compare what was said with what the ledger holds, and with what the same request costs when it is repeated."""
    assert said in (None, UNKNOWN) or F(said) == truth, (said, truth)
    if said == UNKNOWN:
        assert "snapdp ledger history" in sentence
    if said in (None, UNKNOWN, "0"):
        return
    with Ledger.open(where) as ledger:
        free = release(ledger, epsilon).free
    if sentence.endswith(FREE):
        assert free
    if AGAIN in sentence:
        assert not free
    assert "the same request" in sentence


class Failing:
    """Lets the statement of a given number fail: an error of the disk, or an interrupt.

    whole   counts all statements of a release, else those from the reservation to the end of the commit
    """

    def __init__(self, monkeypatch, number, *, after, stop, whole):
        self.calls, self.counts = 0, whole
        plain, reserve, close = SqliteLink._run_on, Ledger.reserve, Ledger.close

        def begin(*given, **named):
            self.counts = True
            return reserve(*given, **named)

        def end(ledger):
            self.counts = whole
            close(ledger)

        monkeypatch.setattr(Ledger, "reserve", begin)
        monkeypatch.setattr(Ledger, "close", end)

        def run_on(link, connection, statement, fields=()):
            self.calls += self.counts
            fails = self.counts and self.calls == number
            if fails and not after:
                self._fail(link, stop)
            rows = plain(link, connection, statement, fields)
            if fails:
                self._fail(link, stop)
            return rows

        monkeypatch.setattr(SqliteLink, "_run_on", run_on)

    def _fail(self, link, stop):
        raise KeyboardInterrupt if stop else link.refused(*IO_ERROR)


@pytest.mark.parametrize(("whole", "after", "stop"), first_of(product([False, True], repeat=3)))
def test_whichever_statement_fails_no_cost_is_stated_that_the_ledger_does_not_hold(
    tmp_path, monkeypatch, whole, after, stop
):
    seen, number = set(), 0
    while True:
        number += 1
        folder = tmp_path / str(number)
        folder.mkdir()
        new_book(folder).close()
        where = folder / "people.ledger"
        with monkeypatch.context() as broken:
            failing = Failing(broken, number, after=after, stop=stop, whole=whole)
            said, sentence = attempt(where)
        truth = held(where)
        seen.add((said, truth))
        if failing.calls < number:
            break
        check(said, sentence, truth, where)
    assert number > 15
    # An interrupt within the charge may have come before or after it; a statement that fails is told by its place.
    assert {(UNKNOWN if stop else "0", F(0)), (UNKNOWN, F(1, 2) if after else F(0)), ("1/2", F(1, 2))} <= seen


@pytest.fixture
def server():
    if psycopg is None:
        missing("postgres", "psycopg is not installed")
    with new_database(postgres_server()) as where:
        with Ledger.create(where) as ledger:
            ledger.create_account("people", cap=10, relation="change-one", rows=4)
        yield where


@pytest.mark.parametrize("reply", first_of([False, True]), ids=["before it arrives", "after it was done"])
def test_whichever_message_is_lost_no_cost_is_stated_that_the_server_does_not_hold(server, reply):
    parts = psycopg.conninfo.conninfo_to_dict(server)
    seen, cut, before = set(), 0, Fraction(0)
    while True:
        epsilon = str(F(1, 100 + cut))
        with tempfile.TemporaryDirectory(prefix="p") as folder:
            through = f"postgresql://postgres@/{parts['dbname']}?host={folder}"
            with Proxy(Path(folder), parts["host"], cut=cut, reply=reply) as proxy:
                said, sentence = attempt(through, epsilon, patience=5)
                messages = proxy.messages
        truth = held(server) - before
        seen.add((said if said in ("0", UNKNOWN) else "charged", bool(truth)))
        if messages <= cut:
            break
        check(said, sentence, truth, server, epsilon)
        before, cut = held(server), cut + 1
    assert cut > 20
    assert {("0", False), (UNKNOWN, reply), ("charged", True)} <= seen
