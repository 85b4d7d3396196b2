"""A database with a team's ledger and roles, for these tests."""

from __future__ import annotations

import contextlib
import uuid

import pytest

from snapdp.errors import LedgerError
from snapdp.ledger import chain
from snapdp.ledger.ledger import Ledger
from tests.services import SERVER, address
from tests.unit.release.support import NAME, fingerprint

try:
    import psycopg
except ImportError:
    psycopg = None


@contextlib.contextmanager
def refused(words):
    """Expect a LedgerError that says so, and carries nothing of the error it came from."""
    with pytest.raises(LedgerError, match=words) as caught:
        yield caught
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


class Team:
    """A database with a ledger, and roles: a keeper who owns it, analysts who were admitted."""

    def __init__(self, database):
        self.name = psycopg.conninfo.conninfo_to_dict(database)["dbname"]
        self.roles = {each: f"{each}_{uuid.uuid4().hex[:12]}" for each in ("keeper", "ann", "bob", "eve")}
        self._super = database
        self.sql(None, *(f"CREATE ROLE {role} LOGIN" for role in self.roles.values()))
        self.sql(None, f"GRANT CREATE ON DATABASE {self.name} TO {self.roles['keeper']}")

    def at(self, who):
        return self._super if who is None else address(SERVER, database=self.name, role=self.roles[who])

    def sql(self, who, *statements):
        """Run statements as somebody who speaks SQL to the server; returns the rows of the last."""
        with psycopg.connect(self.at(who), autocommit=True) as connection:
            for each in statements:
                cursor = connection.execute(each)
            return cursor.fetchall() if cursor.description else []

    def drop(self):
        for role in self.roles.values():
            self.sql(None, f"DROP OWNED BY {role}", f"DROP ROLE {role}")


def opened(where):
    """Return a ledger and the version of its dataset."""
    ledger = Ledger.open(where)
    return ledger, ledger.dataset_version(NAME, fingerprint("rows of " + NAME))


def forged(standing, kind, **fields):
    """Return an entry as the library would write it, with whatever it says, and its columns."""
    told = {"spent": standing.spent, **fields}
    entry, _ = chain.link(standing, kind, **told)
    return entry


def insert(connection, entry):
    columns = ", ".join(entry._fields)
    connection.execute(f"INSERT INTO snapdp.entry ({columns}) VALUES ({', '.join(['%s'] * 8)})", entry._values())
