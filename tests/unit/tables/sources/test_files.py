"""Files: each is counted once, a database with rows that wait beside it, and names that stand twice."""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import duckdb
import pyarrow
import pyarrow.parquet
import pytest

from snapdp.errors import DataError
from snapdp.studies.aggregates import Count, Sum
from snapdp.studies.columns import integer_column
from snapdp.tables.engines.opening import open_table
from snapdp.tables.sources.source import OTHER_PROGRAMS

AGE = integer_column("age", lower=0, upper=120, missing="middle")
ASKED = [Count(), Sum(column=AGE)]


def parquet(path, **columns):
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return path


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_file_is_counted_once_whatever_its_names(link, tmp_path):
    path = parquet(tmp_path / "a.parquet", age=[1, 2])
    link(path, tmp_path / "b.parquet")
    for given in ([path, path], [path, tmp_path / "b.parquet"], tmp_path / "*.parquet", [path, tmp_path / "a.*"]):
        with pytest.raises(DataError, match="one file, named twice"):
            open_table(given)
    assert open_table(tmp_path / "b.parquet").aggregates(ASKED).rows == 2


def test_a_folder_that_is_reached_twice_is_counted_once(tmp_path):
    (tmp_path / "one").mkdir()
    parquet(tmp_path / "one" / "a.parquet", age=[1, 2])
    os.symlink(tmp_path / "one", tmp_path / "two")
    with pytest.raises(DataError, match="one file, named twice"):
        open_table(tmp_path / "*" / "*.parquet")


@pytest.mark.parametrize(
    "name", ["people.parquet", "people.csv", "people.csv.gz", "people.duckdb", "people", "[ab]*?.pq"]
)
def test_a_directory_is_refused_whatever_its_name_and_told_how_its_files_are_read(name, tmp_path, monkeypatch):
    """A directory d.parquet was said not to be there."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / name
    folder.mkdir()
    for place in (2, 10, 1):
        parquet(folder / f"part-{place}.parquet", age=[place])
    (folder / "_SUCCESS").touch()
    table = "people" if name.endswith(".duckdb") else None
    for given in (name, folder):
        with pytest.raises(DataError, match="is a directory") as refused:
            open_table(given, table=table)
        pattern = ast.literal_eval(refused.value.advice.partition(": ")[2].removesuffix("."))
        told = open_table(pattern)
        assert [path.name for path in told.source.paths] == ["part-1.parquet", "part-10.parquet", "part-2.parquet"]
        assert (
            told.fingerprint() == open_table([folder / f"part-{place}.parquet" for place in (1, 10, 2)]).fingerprint()
        )
        assert told.aggregates(ASKED)[ASKED[1]] == (13,)


def test_a_table_in_a_directory_is_not_left_out_of_a_pattern(tmp_path):
    """The rows of 2025.parquet, a directory as Spark writes them, would be missing from every number."""
    parquet(tmp_path / "2024.parquet", age=[1, 2])
    (tmp_path / "2025.parquet").mkdir()
    parquet(tmp_path / "2025.parquet" / "part-0.parquet", age=[3])
    with pytest.raises(DataError, match=r"2025\.parquet' is a directory"):
        open_table(tmp_path / "*.parquet")
    assert open_table(tmp_path / "**" / "*.parquet").aggregates(ASKED).rows == 3


LEFT_OPEN = """
import duckdb, os, sys
connection = duckdb.connect(sys.argv[1], config={"checkpoint_threshold": "1TB"})
connection.execute("CREATE TABLE IF NOT EXISTS people AS SELECT 1 AS age")
connection.execute("CHECKPOINT")
for statement in sys.argv[2:]:
    connection.execute(statement)
os._exit(0)  # as a process dies: what was committed is beside the file
"""


def written_and_left(path, *statements):
    subprocess.run([sys.executable, "-c", LEFT_OPEN, str(path), *statements], check=True)
    return path


def test_rows_that_wait_beside_a_database_are_part_of_it(tmp_path):
    """They were counted, but the content was recognised as the old one: its answer came back free."""
    path = written_and_left(tmp_path / "people.duckdb")
    table = open_table(path, table="people")
    before, state = table.fingerprint(), table.state()
    assert table.aggregates(ASKED).rows == 1
    written_and_left(path, "INSERT INTO people SELECT 50 FROM range(95)")
    assert (tmp_path / "people.duckdb.wal").stat().st_size > 0
    assert table.aggregates(ASKED).rows == 96
    assert table.fingerprint() != before
    assert table.state() != state
    os.symlink(path, tmp_path / "link.duckdb")  # under another name the rows beside it are found too
    assert open_table(tmp_path / "link.duckdb", table="people").aggregates(ASKED).rows == 96
    with duckdb.connect(str(path)):
        pass
    assert table.aggregates(ASKED).rows == 96


def test_a_database_in_the_midst_of_a_checkpoint_is_refused(tmp_path):
    path = written_and_left(tmp_path / "people.duckdb")
    (tmp_path / "people.duckdb.wal.checkpoint").write_bytes(b"")
    for action in (lambda t: t.aggregates(ASKED), lambda t: t.fingerprint()):
        with pytest.raises(DataError, match="checkpoint"):
            action(open_table(path, table="people"))


def twice(*names):
    return pyarrow.table([pyarrow.array([number]) for number in range(1, len(names) + 1)], names=list(names))


def test_two_columns_of_one_name_are_refused_in_every_format(tmp_path):
    import pandas

    table = twice("age", "age", "x")
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text("age,age,x\n1,2,3\n")
    frame = pandas.DataFrame([[1, 2, 3]], columns=["age", "age", "x"])
    for data in (table, tmp_path / "t.parquet", [tmp_path / "t.parquet"], tmp_path / "t.csv", frame):
        with pytest.raises(DataError, match="several columns named 'age'"):
            open_table(data).aggregates(ASKED)


def test_names_that_differ_in_capitals_are_other_columns_and_refused_in_parquet_files(tmp_path):
    """Spark takes one for the other there, or not, as its session is set."""
    table = twice("AGE", "age", "Age_1", "age_1", "b")
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    for name, cell in (("AGE", 1), ("age", 2), ("Age_1", 3), ("age_1", 4), ("b", 5)):
        column = integer_column(name, lower=0, upper=120, missing="middle")
        assert open_table(table).aggregates([Sum(column=column)])[Sum(column=column)] == (cell,)
        if name == "b":
            assert open_table(tmp_path / "t.parquet").aggregates([Sum(column=column)])[Sum(column=column)] == (5,)
        else:
            with pytest.raises(DataError, match="beside the declared"):
                open_table(tmp_path / "t.parquet").aggregates([Sum(column=column)])


def test_nested_columns_do_not_disturb_the_names_of_the_others(tmp_path):
    struct = pyarrow.array([{"age": 1, "b": [{"c": 2}]}])
    table = pyarrow.table([struct, pyarrow.array([[1, 2]]), pyarrow.array([7])], names=["s", "l", "age"])
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    assert open_table(tmp_path / "t.parquet").aggregates(ASKED)[Sum(column=AGE)] == (7,)


def test_a_link_that_is_set_to_another_file_meanwhile_changes_nothing(tmp_path):
    """The file is found once, when the table is opened; its checks and its scan are then of one file."""
    for name, other in (("a.csv", "b.csv"), ("a.parquet", "b.parquet")):
        for each, cell in ((name, 1), (other, 90)):
            if each.endswith(".csv"):
                (tmp_path / each).write_text(f"age\n{cell}\n")
            else:
                pyarrow.parquet.write_table(pyarrow.table({"age": [cell]}), tmp_path / each)
        link = tmp_path / f"link-{name}"
        link.symlink_to(tmp_path / name)
        table = open_table(link)
        link.unlink()
        link.symlink_to(tmp_path / other)
        assert table.aggregates(ASKED)[Sum(column=AGE)] == (1,)


@pytest.mark.parametrize("ending", OTHER_PROGRAMS)
def test_what_is_not_read_says_how_to_save_it_as_csv(ending):
    for options in ({}, {"spark": "local[1]"}):
        with pytest.raises(DataError, match=r"'people.*' is an? .*, which is not read here\.\n.*(?i:csv)"):
            open_table(f"people{ending.upper()}", **options)
