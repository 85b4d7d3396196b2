"""The page of CSV files says how a category may be spelt, and so it is."""

from __future__ import annotations

import re

import snapdp
from snapdp.release.release import exact_values
from snapdp.studies.categories import boolean_column
from snapdp.studies.columns import category_column
from snapdp.studies.relation import add_remove
from snapdp.studies.statistics.histogram import histogram_query
from tests import ROOT

PAGE = (ROOT / "docs" / "guide" / "csv-files.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (`.*) \| (the category|another text|unknown).* \|$", re.MULTILINE)
SECTION = PAGE[PAGE.index("## How categories are spelt") : PAGE.index("## What a refusal says")]


def is_known(column, cell, tmp_path):
    """Tell whether a cell, as it stands in a file, is one of the categories that a column declares."""
    path = tmp_path / "region.csv"
    path.write_text(f"region,pay\n{cell},1\n", encoding="utf-8")
    ((*known, other),), *_ = exact_values([histogram_query(column, add_remove(n_max=9))], snapdp.open_table(path))
    return (sum(known), other) == (1, 0)


def test_cells_of_the_table_are_the_category_or_another_text_as_it_says(tmp_path):
    column = category_column("region", categories=["north", "south"], unknown="binned")
    told = {
        cell: means == "the category" for cells, means in ROW.findall(SECTION) for cell in re.findall(r"`(.*?)`", cells)
    }
    assert len(told) >= 6
    assert {cell: is_known(column, cell, tmp_path) for cell in told} == told


def test_blanks_at_the_ends_count_without_quotes_too(tmp_path):
    column = category_column("region", categories=["north", "south"], unknown="binned")
    assert [is_known(column, cell, tmp_path) for cell in ("north", "north ", " north", "north\t")] == [
        True,
        False,
        False,
        False,
    ]


def test_yes_and_no_have_any_capitals(tmp_path):
    column = boolean_column("region", unknown="binned")
    assert all(is_known(column, cell, tmp_path) for cell in ("TRUE", "Yes", " y ", "NO"))
