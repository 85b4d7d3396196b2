"""README.md is short, and what it says is so: its figures of speed, and the systems it names.

Its share of outputs that tell their value is compared in test_attack_shares.
"""

from __future__ import annotations

import re
import tomllib

import pytest
from click.testing import CliRunner

from snapdp import Snapping
from snapdp.cli.app import main
from tests import ROOT
from tests.docs.test_examples import commands_of

README = (ROOT / "README.md").read_text(encoding="utf-8")
BENCHMARKS = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
INSTALL = (ROOT / "docs" / "start" / "install.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CASES = {  # a column of README's table of speed, and the case of the benchmarks that it is
    "snapdp, default grid": "snapdp vector 1e6, fine grid",
    "numpy (insecure)": "numpy laplace + add 1e6 (insecure)",
    "python-dp": "python-dp Laplace float",
    "diffprivlib Snapping": "diffprivlib Snapping",
    "OpenDP, default": "OpenDP float vector, default grid",
    "OpenDP, grid 2^-20": "OpenDP float vector, grid 2^-20, size known",
}
ONE_BY_ONE = "snapdp scalar float"


@pytest.mark.parametrize(("step", "useless"), [("income=50", []), ("income=1", ["median(income)"])])
def test_nothing_that_the_four_commands_ask_for_is_useless_where_a_table_has_a_thousand_rows(
    step, useless, tmp_path, monkeypatch
):
    """With a step of 1, which stood there before, a median of 400 rows was anything between the bounds."""
    monkeypatch.chdir(tmp_path)
    (words,) = [words for words in commands_of(ROOT / "README.md") if words[:2] == ["snapdp", "init"]]
    smaller = {"10000": "1000", "income=50": step}
    done = CliRunner().invoke(main, [smaller.get(word, word) for word in words[1:]])
    assert done.exit_code == 0
    assert re.findall(r"^! (\S+)  ", done.output, re.MULTILINE) == useless


def test_the_figures_of_speed_are_those_that_were_measured():
    (table,) = re.findall(r"^\| snapdp, default grid.*\n\|[-:|]+\n.*$", README, re.MULTILINE)
    names, _, figures = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines())
    assert names == list(CASES)
    assert figures == [f"{median(CASES[name])} ns" for name in names]
    assert re.findall(r"one by one \(snapdp so: ([\d,.]+) ns\)", README) == [median(ONE_BY_ONE)]


def test_the_figure_of_snapdp_is_that_of_the_grid_that_is_taken_where_none_is_named():
    declared = {"epsilon": "0.5", "sensitivity": 1, "lower": 0, "upper": 1000}
    assert Snapping(**declared).parameters.grid == Snapping(**declared, grid="fine").parameters.grid
    assert CASES["snapdp, default grid"].endswith("fine grid")


def median(case: str) -> str:
    """Return the median time of a case, as the benchmarks print it."""
    return re.search(rf"^\| {re.escape(case)} \| [\d,.]+ \| ([\d,.]+) \|", BENCHMARKS, re.MULTILINE)[1]


@pytest.mark.parametrize("page", [README, INSTALL], ids=["README", "install"])
def test_the_pythons_that_pages_name_are_those_of_the_classifiers(page):
    told = re.findall(r"Programming Language :: Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    (said,) = re.findall(r"CPython ([\d., and]+)[:;]", page)
    assert re.findall(r"3\.\d+", said) == told


def test_no_address_of_a_host_is_in_the_metadata():
    assert "urls" not in PROJECT
    assert "://" not in README
