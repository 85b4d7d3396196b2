"""Files that other programs write meanwhile: whatever happens to one, and whenever, one sentence says so."""

from __future__ import annotations

import gzip
import os
from contextlib import contextmanager

import pyarrow
import pyarrow.parquet
import pytest

from snapdp.errors import DataError
from snapdp.studies.aggregates import Categories, Count, Persons, Sum
from snapdp.studies.columns import category_column, integer_column
from snapdp.tables.engines.duckdb import DuckdbEngine
from snapdp.tables.engines.opening import open_table
from snapdp.tables.keys import read_keys
from snapdp.tables.sources import csv as csv_bytes
from tests.tiers import first_of

AGE = integer_column("age", lower=0, upper=120, missing="middle")
PLACE = category_column("place", categories=["a", "b"])
TEXT = "age,place\n" + "31,a\n" * 50 + "x,\n"


def append(path):
    with path.open("ab") as file:
        file.write(gzip.compress(b"32,b\n") if path.suffix == ".gz" else b"32,b\n")


def write_again(path):
    """Write the same bytes once more: nobody knows what was read of which."""
    content = path.read_bytes()
    path.write_bytes(content)


def cut(path):
    os.truncate(path, path.stat().st_size // 2 - 1)


def replace(path):
    other = path.with_name("other")
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(pyarrow.table({"elsewhere": [1.5, 2.5]}), other)
    else:
        content = b'elsewhere\n"1.5\n'
        other.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    os.replace(other, path)


def forbid(path):
    path.chmod(0o200)


def delete(path):
    path.unlink()


CHANGES = [append, delete, write_again, cut, replace, forbid]
CHANGED = "the file changed while it was being read."
READS = {
    "aggregates": lambda table: table.aggregates([Count(), Sum(column=AGE), Categories(column=PLACE)]),
    "persons": lambda table: table.aggregates([Count(persons=Persons(columns=("place",), most=1))]),
    "check": lambda table: table.check([AGE, PLACE]),
    "inspect": lambda table: table.inspect([AGE, PLACE]),
    "all": lambda table: table.inspect(),
    "statement": lambda table: table.statement([Sum(column=AGE)]),
    "fields": lambda table: table.fields(),
}


def written(folder, ending):
    path = folder / f"people{ending}"
    if ending == ".parquet":
        cells = {"age": [31] * 50 + [None], "place": ["a"] * 50 + [None]}
        pyarrow.parquet.write_table(pyarrow.table(cells), path, row_group_size=7)
    else:
        path.write_bytes(gzip.compress(TEXT.encode()) if ending.endswith(".gz") else TEXT.encode())
    return path


class Connection:
    """A connection that changes a file just before one of its statements."""

    def __init__(self, connection, before, change):
        self.connection, self.left, self.change = connection, before, change

    def execute(self, *words):
        if self.left == 0:
            self.change()
        self.left -= 1
        return self.connection.execute(*words)

    def __getattr__(self, name):
        return getattr(self.connection, name)


def refusal_of(read, table):
    """Return what a table is refused with; None where it is read."""
    try:
        read(table)
    except DataError as refused:
        return refused
    return None


@pytest.mark.parametrize(("ending", "read"), [
    *((ending, read) for ending in (".csv", ".parquet") for read in list(READS)[:5]),
    (".csv.gz", "aggregates"), (".parquet", "statement"), (".parquet", "fields"),
])  # fmt: skip
@pytest.mark.parametrize("change", first_of(CHANGES, 2), ids=lambda each: each.__name__)
def test_a_file_that_changes_before_any_statement_is_refused_in_one_sentence(
    change, read, ending, tmp_path, monkeypatch
):
    """A CSV that grew was called a defect of ours, and a file that was cut off one that its owner wrote badly."""
    plain, changed = DuckdbEngine._connected, True
    for place in range(100):
        folder = tmp_path / str(place)
        folder.mkdir()
        table = open_table(path := written(folder, ending))
        done = []

        @contextmanager
        def connected(self, path=path, place=place, done=done):
            with plain(self) as connection:
                yield Connection(connection, place, lambda: done.append(change(path)))

        with monkeypatch.context() as patched:
            patched.setattr(DuckdbEngine, "_connected", connected)
            refused = refusal_of(READS[read], table)
        changed = bool(done)
        assert (refused.problem if refused else None) == (CHANGED if changed else None)
        assert refused is None or refused.__context__ is None
        if not changed:
            break
    assert place > 0
    assert not changed


@pytest.mark.parametrize("change", CHANGES, ids=lambda each: each.__name__)
def test_a_csv_file_that_changes_while_its_bytes_are_looked_at_is_refused_so(change, tmp_path, monkeypatch):
    path = written(tmp_path, ".csv")
    table, plain = open_table(path), csv_bytes.scanned

    def scanned(raw, dialect):
        monkeypatch.setattr(csv_bytes, "scanned", plain)
        change(path)
        return plain(raw, dialect)

    monkeypatch.setattr(csv_bytes, "scanned", scanned)
    with pytest.raises(DataError, match=CHANGED):
        table.aggregates([Sum(column=AGE)])


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("change", CHANGES, ids=lambda each: each.__name__)
def test_a_file_that_changes_while_its_digest_is_taken_is_refused_so(change, ending, tmp_path, monkeypatch):
    path = written(tmp_path, ending)
    table = open_table(path)
    plain = table.source.fingerprint
    monkeypatch.setattr(table.source, "fingerprint", lambda: (change(path), plain())[1])
    with pytest.raises(DataError, match=CHANGED):
        table.fingerprint()


def test_keys_that_change_while_they_are_read_are_refused_so(tmp_path, monkeypatch):
    path = tmp_path / "keys.csv"
    path.write_text("place\na\nb\n")
    plain = csv_bytes.scanned

    def scanned(raw, dialect):
        found = plain(raw, dialect)
        path.write_text("place\na\nb\nc\n")
        return found

    monkeypatch.setattr(csv_bytes, "scanned", scanned)
    with pytest.raises(DataError, match=CHANGED):
        read_keys(path, ["place"])


def test_a_file_that_cannot_be_read_before_or_after_is_told_as_what_it_is(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text('age\n"1\n')
    with pytest.raises(DataError, match="not well formed"):
        open_table(path).aggregates([Sum(column=AGE)])
