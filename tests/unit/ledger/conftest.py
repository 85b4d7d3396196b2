"""A ledger in a file, a database of its own, and a team's ledger in it."""

from __future__ import annotations

import pytest

from snapdp.ledger.ledger import Ledger
from tests.services import missing, new_database, postgres_server
from tests.unit.ledger.teams import Team, psycopg
from tests.unit.release.support import NAME, TERMS, new_ledger


@pytest.fixture
def path(tmp_path):
    return tmp_path / "people.ledger"


@pytest.fixture
def book(path):
    ledger, version = new_ledger(path)
    with ledger:
        yield ledger, version


@pytest.fixture
def database():
    if psycopg is None:
        missing("postgres", "psycopg is not installed")
    with new_database(postgres_server()) as where:
        yield where


@pytest.fixture
def team(database):
    """A ledger with an account of 1, and ann and bob admitted; eve is not."""
    found = Team(database)
    try:
        with Ledger.create(found.at("keeper")) as ledger:
            ledger.create_account(NAME, cap=1, **TERMS)
        for each in ("ann", "bob"):
            found.sql("keeper", f"SELECT snapdp.admit('{found.roles[each]}')")
        yield found
    finally:
        found.drop()
