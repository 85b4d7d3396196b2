"""Notebooks run from top to bottom, in a directory of their own, and what they tell their readers is so."""

from __future__ import annotations

import traceback

import pytest

from tests import ROOT
from tests.docs.programs import module_of

NOTEBOOKS = sorted(
    path for path in (ROOT / "docs").rglob("*.md") if "\n```{code-cell}" in path.read_text(encoding="utf-8")
)
HEAD = "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n  display_name: Python 3\n---\n\n# "
every_notebook = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)


cells = module_of("docs/_ext/cells.py")  # by which the site runs notebooks


def data_holder(found, printed):
    assert {"record.json", "report.html", "values.csv"} <= set(printed.split())
    assert found["again"].free
    assert "has 0 left of 1" in printed
    assert found["release"].charged == "1"
    assert "budget of 1" in printed


def engineer(found, printed):
    assert "between 1/2 and 1/2" in printed
    assert "float-noise, sensitivity: total_hours" in printed
    assert "total_hours: nothing was found" in printed
    assert "a multiple of 1/8: True" in printed
    assert len(found["published"]) == 10_000


def auditor(found, printed):
    assert found["found"].sound
    assert "noise_scale says 1, and should be 2\n" in printed
    assert "ACCEPTED" in printed
    assert "numpy: claims 1/2, loses at least 4.61: refuted" in printed
    assert "snapdp: claims 1/2, loses at least 0.00: not refuted" in printed
    assert "naive_laplace REFUTED\nsnap_half VERIFIED" in printed
    assert found["telling"] > 700  # README: 81 %


def mechanisms_compared(found, printed):
    assert "expected" in printed
    assert set(found["average"]) == {"fine", "natural"}


SAYS = {
    "auditor": auditor,
    "data-holder": data_holder,
    "engineer": engineer,
    "mechanisms-compared": mechanisms_compared,
}


@every_notebook
def test_a_notebook_says_what_runs_it_and_every_block_of_it_is_run(notebook):
    source = notebook.read_text(encoding="utf-8")
    found = cells.CELL.findall(source)
    assert source.startswith(HEAD)
    assert len(found) == source.count("\n```{code-cell}") > 5
    assert source.count("\n```") == 2 * len(found)  # no block that is only shown


@every_notebook
def test_the_cells_of_a_notebook_run_in_order_and_say_what_they_should(notebook):
    outputs, names = cells.run_cells(notebook.read_text(encoding="utf-8"), notebook.stem)
    SAYS[notebook.stem](names, "".join(each.printed + each.text + each.html for each in outputs))


def page_of(*sources: str) -> str:
    return "".join(f"```{{code-cell}} python\n{source}\n```\n" for source in sources)


def test_a_cell_shows_what_it_prints_and_what_its_last_line_is():
    outputs, names = cells.run_cells(page_of("x = 1\nprint('one')\nx + 1", "x", "x = 2"), "page")
    assert outputs == [
        ("x = 1\nprint('one')\nx + 1\n", "one\n", "2", ""),
        ("x\n", "", "1", ""),
        ("x = 2\n", "", "", ""),
    ]
    assert names["x"] == 2


def test_what_is_said_on_the_side_is_shown_too_and_html_takes_the_place_of_text():
    shown = "class Shown:\n    def _repr_html_(self): return '<b>it</b>'\nShown()"
    outputs, names = cells.run_cells(page_of("import sys\nprint('aside', file=sys.stderr)", shown), "page")
    assert [each[1:] for each in outputs] == [("aside\n", "", ""), ("", "", "<b>it</b>")]
    assert names["__name__"] == "__main__"


def test_cells_write_into_a_directory_of_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells.run_cells(page_of("open('left', 'w').close()"), "page")
    assert list(tmp_path.iterdir()) == []


def test_a_cell_that_fails_stops_the_page_and_is_named():
    with pytest.raises(ZeroDivisionError) as failure:
        cells.run_cells(page_of("1", "1 / 0"), "page")
    assert traceback.extract_tb(failure.tb)[-1].filename == "page, cell 2"


@pytest.mark.parametrize("page", ["", page_of("x = 1", "print(1)"), page_of("# nothing")])
def test_an_output_of_another_cell_is_not_shown_below_this_one(page):
    """A cell that is written in another way than those that are run would shift the outputs of all that follow."""
    with pytest.raises(ValueError, match="page, cell 1 was not run"):
        cells.output_of("print(1)", 1, cells.run_cells(page, "page")[0], "page")
    found = cells.run_cells(page_of("print(1)"), "page")[0]
    assert cells.output_of("print(1)", 1, found, "page").printed == "1\n"
