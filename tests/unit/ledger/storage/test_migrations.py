"""The steps of a ledger's schema: published ones never change, and a file gets those it lacks when it is written to."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3

import pytest

from snapdp.errors import LedgerError
from snapdp.ledger import book, chain
from snapdp.ledger.backup import back_up, restore
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.migrations import Migration, migrations
from snapdp.ledger.storage import sqlite
from snapdp.ledger.storage.sqlite_schema import schema_of, statements
from snapdp.ledger.storage.storage import FORMAT, READABLE
from tests import VECTORS
from tests.unit.ledger.teams import refused
from tests.unit.release.support import NAME, F, fingerprint, new_ledger, release

PUBLISHED = {  # databases record those of a server; the texts of a file's are in the files
    "postgres": [
        (1, "ledger", "f29da35df4b6c1f56c1d101eacdb488e5621d10484dca354ef75b4b46e195cb6"),
        (2, "rules", "abc4dc9289bd4b684bea549977671d3ba15f940f1e977e5b5e40caf786c40d3f"),
        (3, "persons", "a673160f8affde4e8dd0e50019805a25703eddfdbcb9cede2481c445f499ab31"),
        (4, "amend", "4eddfc2da6cdca0318cfac0ab862a818f17b120c99e7100e4e422344ac7d5f52"),
    ],
    "sqlite": [
        (1, "ledger", "8c98af59727e76569dde0f4f7b849b6c8bfd99cab01a3821e5c8de9db11d5393"),
        (2, "place", "f6b137ed1c250fb072d3201daa6f350a129e0a3327507dcfce293ee0c60c7ef9"),
        (3, "amend", "7ec0aa08cc8ea99441f0d54dcd5ea98f144f5fc320a23aff410c9c5e639c4b76"),
    ],
}
NEXT = FORMAT + 1
RULE = schema_of(migrations("sqlite"))["no_update_of_ledger"]
SEALED = f"DROP TRIGGER no_update_of_ledger;\nUPDATE ledger SET format = {NEXT}, seal = :seal;\n{RULE};\n"
NOTE = "CREATE TABLE note (text TEXT NOT NULL);\n"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "people.ledger"


@pytest.fixture
def newer(monkeypatch):
    """A library with one format more; call it with the text of its step."""

    def with_step(text):
        steps = [*migrations("sqlite"), Migration(f"{NEXT:04}_note.sql", text)]
        monkeypatch.setattr(sqlite, "migrations", lambda _: steps)
        monkeypatch.setattr(chain, "READABLE", (*READABLE, NEXT))
        for module in (chain, book):
            monkeypatch.setattr(module, "FORMAT", NEXT)

    return with_step


def schema_in(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return dict(database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))


def format_in(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT format FROM ledger").fetchone()[0]


def golden(version, path):
    """Make the file of a version of the library again."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript((VECTORS / "golden" / version / "people.ledger.sql").read_text())
    path.chmod(0o600)
    return path


# The steps


@pytest.mark.parametrize("store", PUBLISHED)
def test_a_published_step_never_changes(store):
    assert [step.row for step in migrations(store)][: len(PUBLISHED[store])] == PUBLISHED[store]


@pytest.mark.parametrize("store", PUBLISHED)
def test_steps_are_numbered_without_a_gap(store):
    assert [step.number for step in migrations(store)] == list(range(1, len(migrations(store)) + 1))


def test_each_step_of_a_file_is_a_format():
    assert len(migrations("sqlite")) == FORMAT
    assert tuple(range(1, FORMAT + 1)) == READABLE


def test_a_step_is_taken_apart_at_the_ends_of_its_statements():
    table, end = "-- said;\nCREATE TABLE a (x);", "SELECT ';'"
    rule = "CREATE TRIGGER t BEFORE DELETE ON a\nBEGIN\n  SELECT 1;\nEND;"
    assert statements(f"{table}\n\n{rule}\n{end}") == [table, rule, end]
    for step in migrations("sqlite"):
        assert all(each.endswith(";") for each in statements(step.text))


# What they make


def test_every_way_to_the_newest_format_makes_the_same_tables_and_rules(path):
    """New; of the files that earlier versions wrote, the one of this format as it is, the others when written to."""
    new_ledger(path)[0].close()
    first, second, third = (golden(version, path.with_name(version)) for version in ("v1", "v2", "v3"))
    again = path.with_name("again")  # since format 2 a file knows where it was made: this one is a copy
    restore(second, again, against=None, none_was_published=True)
    for number, old in ((1, first), (2, again)):
        assert schema_in(old) == schema_of(migrations("sqlite")[:number])
        with Ledger.open(old) as ledger:
            ledger.verify()
            assert format_in(old) == number
            ledger.create_account("wages", cap=1, relation="change-one", rows=10)
            ledger.verify()
        assert format_in(old) == FORMAT
    made = schema_of(migrations("sqlite"))
    assert schema_in(path) == schema_in(first) == schema_in(again) == schema_in(third) == made


def test_a_file_with_a_table_of_a_later_step_is_not_sound(path):
    new_ledger(path)[0].close()
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute(NOTE)
    with Ledger.open(path) as ledger, refused("tables or rules of the database were changed"):
        ledger.verify()


@pytest.mark.parametrize(
    "change", ["UPDATE place SET home = ''", "UPDATE place SET home = '12' || char(0)", "UPDATE place SET home = x'31'",
               "UPDATE place SET log = 'x'", "DELETE FROM place", "INSERT INTO place VALUES (0, 0, '1')"],
)  # fmt: skip
def test_a_file_that_does_not_say_where_it_is_is_not_sound(path, change):
    """The table is the last page of a new file: one that is cut short by a byte has lost the end of its name."""
    new_ledger(path)[0].close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(change)
    with Ledger.open(path) as ledger, refused("place does not say where the ledger is"):
        ledger.verify()


# A format to come


def test_a_file_gets_the_step_that_it_lacks_at_its_first_write(path, newer):
    ledger, version = new_ledger(path)
    with ledger:
        first = release(ledger, version, "a", "1/4")
    before = path.read_bytes()
    newer(NOTE + SEALED)
    with Ledger.open(path) as ledger:
        ledger.verify(against=first)
    assert path.read_bytes() == before  # who only reads changes nothing
    with Ledger.open(path) as ledger, Ledger.open(path) as other:
        release(ledger, version, "b", "1/4")
        release(other, version, "c", "1/4")
        for each in (ledger, other):
            each.verify(against=first)
    assert format_in(path) == NEXT
    assert "note" in schema_in(path)
    with Ledger.open(path) as ledger:
        assert ledger.account(NAME).spent == F(3, 4)


def test_a_file_of_the_first_format_gets_all_the_steps_that_it_lacks_at_once(path, newer):
    golden("v1", path)
    newer(NOTE + SEALED)
    with Ledger.open(path) as ledger:
        ledger.create_account("wages", cap=1, relation="change-one", rows=10)
        ledger.verify()
    assert format_in(path) == NEXT
    assert schema_in(path) == schema_of([*migrations("sqlite"), Migration(f"{NEXT:04}_note.sql", NOTE + SEALED)])


def test_an_older_version_refuses_a_file_of_a_format_to_come(path, newer, monkeypatch):
    golden("v1", path)
    newer(NOTE + SEALED)
    with Ledger.open(path) as ledger:
        ledger.dataset_version("people", fingerprint("rows"))
    monkeypatch.undo()
    with refused(f"has format {NEXT}; this version of snapdp reads formats up to {FORMAT}"):
        Ledger.open(path)


def test_a_step_that_fails_leaves_the_file_as_it_was(path, newer):
    ledger, version = new_ledger(path)
    ledger.close()
    newer(NOTE + SEALED + "INSERT INTO nothing VALUES (1);\n")
    with Ledger.open(path) as ledger:
        with pytest.raises(LedgerError, match="failed in its database"):
            release(ledger, version, "a", "1/4")
        ledger.verify()
    assert format_in(path) == FORMAT
    assert "note" not in schema_in(path)
    newer(NOTE + SEALED)
    with Ledger.open(path) as ledger:
        release(ledger, version, "a", "1/4")
        ledger.verify()


def test_a_copy_of_an_older_format_is_brought_up_when_it_was_restored(path, newer):
    ledger, version = new_ledger(path)
    with ledger:
        record = release(ledger, version, "a", "1/4")
    backup, plain, again = (path.with_name(name) for name in ("backup", "plain", "again"))
    shutil.copy(path, plain)
    back_up(path, backup)
    newer(NOTE + SEALED)
    for copy in (backup, plain):
        with Ledger.open(copy) as ledger, refused("is a copy"):
            release(ledger, version, "b", "1/4")
        assert format_in(copy) == FORMAT
    restore(backup, again, against=record)
    with Ledger.open(again) as ledger:
        release(ledger, version, "b", "1/4")
        ledger.verify(against=record)
    assert format_in(again) == NEXT
