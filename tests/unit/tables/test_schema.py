"""Names and stored types of a table are told from no row; a first line of cells, or another delimiter, is noticed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from snapdp.errors import DataError
from snapdp.studies.categories import BOOLEAN, DATE
from snapdp.studies.columns import CATEGORY, NUMBER, integer_column
from snapdp.studies.csv_dialect import CsvDialect
from snapdp.tables.engines.opening import StoredColumn, check_columns, is_readable, may_be_cells, stored_columns
from snapdp.tables.sources.csv import CsvSource, delimiter_seen, encoding_seen

SELECT = "SELECT 1 AS whole, 0.5 AS part, 'x' AS word, true AS truth, DATE '2024-01-02' AS day, [1] AS list"
KINDS = (NUMBER, NUMBER, CATEGORY, BOOLEAN, DATE, None)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_csv_file_has_names_and_no_types(tmp_path, monkeypatch):
    monkeypatch.setattr(CsvSource, "prepare", None)  # what reads the rows
    path = written(tmp_path / "a.csv", 'age,"a, b",\n1,2,3\nbroken "row\n')
    assert stored_columns(path) == tuple(StoredColumn(name=name) for name in ("age", "a, b", ""))


def test_a_parquet_file_says_what_its_columns_are(tmp_path):
    path = tmp_path / "a.parquet"
    duckdb.sql(SELECT).write_parquet(str(path))
    found = stored_columns(path)
    assert [each.name for each in found] == ["whole", "part", "word", "truth", "day", "list"]
    assert tuple(each.kind for each in found) == KINDS


def test_a_table_of_a_database_says_what_its_columns_are(tmp_path):
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute(f"CREATE TABLE t AS {SELECT}; CREATE TABLE a (x INT); CREATE VIEW v AS SELECT * FROM t")
    assert tuple(each.kind for each in stored_columns(path, table="t")) == KINDS


def other_delimiter(path: Path, dialect: CsvDialect | None = None) -> str | None:
    source = CsvSource(path, dialect=dialect)
    return delimiter_seen(source.start(), source.dialect)


def other_encoding(path: Path, dialect: CsvDialect | None = None) -> str | None:
    source = CsvSource(path, dialect=dialect)
    return encoding_seen(source.start(), source.dialect)


OTHERS = {
    "Ann;12,5;1.234,5": ";",
    "12,5|x": "|",
    "a;b": ";",
    "a\tb": "\t",
    "a|b": "|",
    '"a";"b"': ";",
    "a,b;c": None,
    "a": None,
    '"a;b",c': None,
}


@pytest.mark.parametrize(("line", "found"), OTHERS.items())
def test_another_delimiter_is_seen_in_the_first_line_alone(tmp_path, line, found):
    path = written(tmp_path / "a.csv", f"{line}\n1;2\n")
    assert other_delimiter(path) == found


def test_a_delimiter_that_is_declared_is_no_other_one(tmp_path):
    assert other_delimiter(written(tmp_path / "a.csv", "a;b\n"), CsvDialect(delimiter=";")) is None


@pytest.mark.parametrize("line", ["Größe", "Größe,Alter", '"Größe";"Alter"', "Größe\tAlter"])
def test_latin_1_is_seen_in_the_first_line_alone(tmp_path, line):
    path = tmp_path / "a.csv"
    path.write_bytes(f"{line}\n1;2\n".encode("latin-1"))
    assert other_encoding(path) == "latin-1"
    assert other_encoding(path, CsvDialect(encoding="latin-1")) is None
    assert other_encoding(written(path, f"{line}\n1;2\n")) is None
    path.write_bytes(b"a;b\n\xe4;2\n")  # a row is not looked at
    assert other_encoding(path) is None


NAMES = ("age,pay", "a1,b2", "income_2020,q4", "größe,名前", "unit (kg)", '"a b","c d"', "x")
CELLS = (
    "31,north", "-0.5", "a1,2b", "4111111111111111,x", "Alice,1e5,x", "x,2020-01-01", '"45,000",x', "x,$12", "x,12 €",
    "x,12%", "x,ann@example.org", "x,+44 20 7946 0000", "x,May 5 2020", "x,.5", "x,١٢", "x,AB123456", "x, 5",
)  # fmt: skip


@pytest.mark.parametrize(("line", "doubt"), [*((each, False) for each in NAMES), *((each, True) for each in CELLS)])
def test_a_number_is_hardly_a_name(tmp_path, line, doubt):
    assert may_be_cells(stored_columns(written(tmp_path / "a.csv", f"{line}\nx,y\n"))) == doubt


def refused(path: Path, *names: str, dialect: CsvDialect | None = None) -> DataError:
    with pytest.raises(DataError) as refusal:
        check_columns(
            path, [integer_column(name, lower=0, upper=9, missing="middle") for name in names], dialect=dialect
        )
    return refusal.value


def test_declared_columns_are_compared_with_the_first_line_and_no_row_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(CsvSource, "prepare", None)
    path = written(tmp_path / "a.csv", 'age,income,income\nbroken "row\n')
    check_columns(path, [integer_column("age", lower=0, upper=9, missing="middle")])
    assert "It has 3 columns: 'age', 'income', 'income'.\n  Did you mean 'age'?" in str(refused(path, "aeg"))
    assert "several columns named 'income'" in str(refused(path, "age", "income"))


def test_a_first_line_that_may_be_one_of_cells_is_not_told(tmp_path):
    told = str(refused(written(tmp_path / "a.csv", "31,anna,1200.50\n"), "age"))
    assert "It has 3 columns.\n  Names are compared exactly" in told
    assert "anna" not in told


@pytest.mark.parametrize(("mark", "word"), [(";", "a semicolon"), ("\t", "a tab"), ("|", "a bar")])
def test_another_sign_between_the_names_is_told_unless_it_is_declared(tmp_path, mark, word):
    path = written(tmp_path / "a.csv", f"age{mark}income\n")
    for names in (["age"], []):  # a count of rows names no column
        found = refused(path, *names)
        assert f"'a.csv' seems to have {word} between its cells." in str(found)
        assert found.numbers["delimiter"] == mark
    check_columns(
        path, [integer_column(f"age{mark}income", lower=0, upper=9, missing="middle")]
    )  # which is its name, then
    check_columns(path, [], dialect=CsvDialect(delimiter=","))
    check_columns(path, [integer_column("age", lower=0, upper=9, missing="middle")], dialect=CsvDialect(delimiter=mark))


def test_another_encoding_of_the_names_is_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("größe;alter\n".encode("latin-1"))
    both = refused(path, "alter")
    assert both.numbers == {"encoding": "latin-1", "delimiter": ";"}  # told at once
    assert "It seems to have a semicolon between its cells: declare that too." in str(both)
    assert "delimiter" not in refused(path, "alter", dialect=CsvDialect(delimiter=",")).numbers
    assert refused(path, "alter", dialect=CsvDialect(encoding="latin-1")).numbers["delimiter"] == ";"


def test_a_schema_is_compared_too(tmp_path):
    path = tmp_path / "a.parquet"
    duckdb.sql(SELECT).write_parquet(str(path))
    check_columns(path, [integer_column("whole", lower=0, upper=9, missing="middle")])
    assert "Did you mean 'whole'?" in str(refused(path, "wole"))
    assert "is declared as integer but stored as" in str(refused(path, "day"))


def test_what_is_no_file_of_rows_here_is_not_asked(tmp_path):
    assert is_readable(written(tmp_path / "a.CSV", "x\n"))
    (tmp_path / "b.csv").mkdir()
    for name in ("b.csv", "none.csv", "a.duckdb", "*.csv"):
        assert not is_readable(tmp_path / name)


def test_a_small_file_is_answered_without_numpy_and_without_the_other_engines(tmp_path):
    """Loading numpy takes longer than all that is done with such a file; lists of categories are loaded without it."""
    rows = "".join(f'"{i % 7}",c{i % 99}\r\n' for i in range(1000))
    (tmp_path / "people.csv").write_text(f"x,c\r\n{rows}", encoding="utf-8", newline="")
    program = """
import sys
from snapdp.studies.aggregates import Categories, Sum
from snapdp.studies.columns import category_column, integer_column
from snapdp.tables.engines.opening import open_table
asked = [Sum(column=integer_column("x", lower=0, upper=6, missing="middle"))]
asked.append(Categories(column=category_column("c", categories=[f"c{i}" for i in range(99)])))
found = open_table("people.csv").aggregates(asked)
assert found.rows == 1000 and min(found[asked[1]]) == 10
heavy = ("numpy", "pandas", "pyarrow", "snapdp.tables.engines.spark", "snapdp.tables.engines.postgres")
print([name for name in heavy if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
