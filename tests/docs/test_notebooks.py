"""Notebooks of the guide run from top to bottom, and are kept without outputs."""

from __future__ import annotations

import json

import pytest

from tests import ROOT

NOTEBOOKS = sorted((ROOT / "docs").rglob("*.ipynb"))


def code_of(notebook):
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_there_is_a_notebook():
    assert [notebook.name for notebook in NOTEBOOKS] == ["compare.ipynb"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_the_cells_of_a_notebook_run_in_order(notebook, capsys):
    namespace: dict[str, object] = {}
    for number, cell in enumerate(code_of(notebook), 1):
        exec(compile("".join(cell["source"]), f"{notebook.name}, cell {number}", "exec"), namespace)
    assert "expected" in capsys.readouterr().out


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_kept_without_what_it_printed(notebook):
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code_of(notebook))
