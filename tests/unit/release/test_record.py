"""The record: a closed list of fields, canonical JSON, side files that belong to their statistic."""

from __future__ import annotations

import hashlib

import duckdb

from tests.unit.release.people import LONG, released


def cells_of(folder, file):
    with duckdb.connect() as connection:
        return connection.execute(f"SELECT cell, index FROM '{folder / file['name']}'").fetchall()


def test_two_long_histograms_of_one_column_have_a_side_file_each(tmp_path):
    """They have one title; the record once named the file of the last one for both."""
    other = {**LONG, "edges": list(range(1000, 2300))}
    parts = [each["parts"][0] for each in released(tmp_path, LONG, other).record["statistics"]]
    assert [part["cells"] for part in parts] == [part["file"]["rows"] for part in parts] == [1099, 1299]
    assert [cells_of(tmp_path, part["file"])[0][0] for part in parts] == ["[0, 1)", "[1000, 1001)"]
    for part in parts:
        content = (tmp_path / part["file"]["name"]).read_bytes()
        assert part["file"]["digest"] == "sha256:" + hashlib.sha256(content).hexdigest()
        assert part["file"]["name"] == f"snapdp-{part['file']['digest'][7:39]}.parquet"
