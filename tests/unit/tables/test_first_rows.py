"""Means of a public table: exact, of the first rows in the order of the file; never a source for a release."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.errors import DataError, ParameterError
from snapdp.studies.columns import integer_column, number_column
from snapdp.tables.engines.opening import open_table
from snapdp.tables.engines.postgres import PostgresEngine, PostgresSource
from snapdp.tables.means import FirstRows, public_means

F = Fraction
AGE = integer_column("age", lower=0, upper=100, missing="middle")


def test_rows_are_the_first_ones_of_a_file_that_is_read_in_parallel(tmp_path):
    """Far more rows than one thread reads at a time; the first n are all 1, the others 99."""
    n, others = 70_001, 250_000
    path = tmp_path / "people.csv"
    path.write_text("age\n" + "1\n" * n + "99\n" * others, encoding="utf-8")
    table = open_table(path, threads=4)
    assert public_means(table, AGE, rows=[n]) == {n: (F(1), F(100, n))}
    assert public_means(table, AGE, rows=[n + 1])[n + 1][0] == F(n + 99, n + 1)  # one more row is another mean


def test_cells_are_read_as_a_release_reads_them_and_without_rows_all_of_them_are():
    table = open_table({"age": [31, None, 200, -5]})
    assert public_means(table, AGE) == {4: (F(31 + 50 + 100 + 0, 4), F(25))}
    assert public_means(table, AGE, rows=[3, 1]) == {3: (F(181, 3), F(100, 3)), 1: (F(31), F(100))}
    half = number_column("age", lower=0, upper=100, step="1/2", missing=7)
    assert public_means(open_table({"age": ["0.6", ""]}), half)[2][0] == F(15, 4)  # 0.5 and 7


def test_what_has_no_first_rows_or_no_mean_is_refused():
    table = open_table({"age": [31, 40]})
    for rows, problem in ([3], DataError), ([0], ParameterError):
        with pytest.raises(problem):
            public_means(table, AGE, rows=rows)
    with pytest.raises(ParameterError, match="sum and a count"):
        public_means(table, integer_column("age", lower=0, upper=9, missing="dropped"))
    with pytest.raises(ParameterError, match="no order"):
        public_means(PostgresEngine(PostgresSource("postgresql://host/base", "people")), AGE)
    with pytest.raises(DataError, match="no table"):
        FirstRows(table.source, 1).fingerprint()  # which every release asks for
