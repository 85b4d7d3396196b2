"""`snapdp lab compare`: what it prints, draws and refuses."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from functools import partial

import pytest

from snapdp.cli.demo import people
from tests.cli.running import run as run_command

SVG = "{http://www.w3.org/2000/svg}"


run = partial(run_command, "lab", "compare")


def test_accuracies_are_a_table_of_80_columns_with_both_sides_of_a_jump():
    done = run("--epsilons", "0.9,1")
    assert max(map(len, done.output.splitlines())) <= 80
    assert cells_of(done) == [
        ["0.9", "± 3.329", "1.014", "1.202", "1.202", "1.301", "1.334"],
        ["< 1", "± 2.996", "1.002", "1.305", "1.305", "1.334", "1.334"],
        ["1", "± 2.996", "1.002", "1.138", "1.305", "1.334", "1.334"],
        ["> 1", "± 2.996", "1.002", "1.138", "1.138", "1.167", "1.334"],
    ]


def test_json_has_the_same_rows():
    found = json.loads(run("--epsilons", "1", "--alpha", "0.01", "--json").output)
    assert (found["ok"], found["alpha"], found["bits"]) == (True, "1/100", 118)
    assert [row["side"] for row in found["rows"]] == ["below", "at", "above"]
    assert found["rows"][1]["Laplace"] == 1
    assert found["rows"][1]["notes' rule"] > found["rows"][1]["exact, natural grid"]


def test_a_picture_is_written(tmp_path):
    path = tmp_path / "compare.svg"
    done = run("--epsilons", "0.999,1", "--plot", str(path))
    drawn = ET.parse(path).getroot()
    assert {"Laplace", "notes' rule"} <= {each.text for each in drawn.iter(f"{SVG}text")}
    assert "picture: " in done.stderr


def cells_of(done):
    return [
        [cell.strip() for cell in line.split("│")[1:-1]] for line in done.output.splitlines() if line.startswith("│")
    ]


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        (
            ["bias", "--if-value", "0,5,10"],
            ["0", "4.44e-13", "3.32e-13", "0.48", "0.00287"],
            ["mean", "0", "0", "0", "< 1e-30"],
        ),
        (
            ["distance", "--if-value", "9"],
            ["0", "1", "1", "1", "1"],
            ["8", "5.49e-17", "4.27e-17", "6.18e-05", "4.16e-07"],
        ),
        (
            ["clamp", "--gammas", "0.05,0.01"],
            ["0.05", "6.803", "0.041", "11.991", "0.000277"],
            ["0.01", "8.412", "0.00555", "15.21", "5.07e-06"],
        ),
        (
            ["errors", "--epsilons", "0.5", "--rows", "100"],
            ["100", "0.5", "1", "0.998", "0.998", "1.297"],
            ["100", "0.5", "1", "0.998", "0.998", "1.297"],
        ),
    ],
)
def test_the_other_comparisons_are_tables_and_json_of_the_same_rows(words, first, last):
    done = run("--show", *words)
    assert max(map(len, done.output.splitlines())) <= 80
    cells = cells_of(done)
    assert (cells[0], cells[-1]) == (first, last)
    found = json.loads(run("--show", *words, "--json").output)
    assert len(found["rows"]) == len(cells)
    ends = [figure for figure in found["rows"][0].values() if isinstance(figure, list)]
    shown = [float(cell) for cell in cells[0][-len(ends) :]]
    assert all(low <= high for low, high in ends)
    # A cell has three places or three digits, rounded to nearest.
    assert all(abs(cell - low) <= 0.0005 * max(1, abs(cell)) for cell, (low, _) in zip(shown, ends, strict=True))


@pytest.mark.parametrize("show", ["bias", "distance", "clamp"])
def test_they_are_pictures_as_well(show, tmp_path):
    path = tmp_path / "p.svg"
    run("--show", show, "--plot", str(path))
    assert len(list(ET.parse(path).getroot().iter(f"{SVG}text"))) > 10


def test_a_value_beyond_the_range_is_clamped_at_the_grid_and_the_page_says_where():
    def flat(*words):
        return " ".join(run("--show", "distance", "--if-value", "12", *words).output.split())

    assert "Values are clamped to the range first; widened to the grid, notes -1 to 11." in flat()
    assert "Values are clamped to the range first. fine" in flat("--bounds", "0,8")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--epsilons", "1,,2"], 2, "no number"),
        (["--epsilons", "0"], 1, "epsilon"),
        (["--epsilons", "1e-400"], 1, "the outputs leave the range of doubles"),
        (["--alpha", "2"], 1, "alpha"),
        (["--show", "bias", "--alpha", "0.1", "--rows", "3"], 2, "--alpha, --rows is not read"),
        (["--show", "bias", "--bounds", "1"], 2, "LOWER,UPPER"),
        (["--show", "bias", "--bounds", "1,0"], 1, "lower"),
        (["--show", "bias", "--if-value", "11"], 1, "outside the public range"),
        (["--show", "distance", "--if-value", "1,2"], 2, "one --if-value"),
        (["--show", "clamp", "--gammas", "1.5"], 1, "gamma"),
        (["--show", "errors", "--rows", "1/2"], 2, "whole numbers"),
        (["--show", "errors", "--rows", "0"], 1, "positive whole number"),
        (["--show", "errors", "--rows", "6000"], 1, "rows"),
        (["--epsilons", "1,2", "--plot", "x.gif"], 2, "--plot writes SVG, to a name that ends in .svg"),
        (["--epsilons", "1", "--plot", "x.svg"], 2, "two --epsilons"),
        (["--epsilons", "0.999,1", "--plot", "nowhere/x.svg"], 2, "cannot be written"),
    ],
)
def test_what_it_cannot_take_is_refused(words, code, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*words, code=code)
    assert said in done.stderr, done.output + done.stderr
    assert "defect" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def written(tmp_path, ages):
    path = tmp_path / "people.csv"
    path.write_text("age\n" + "".join(f"{age}\n" for age in ages), encoding="utf-8")
    return ("--show", "errors", "--public-table", str(path), "--column", "age", "--bounds", "0,120")


def test_errors_of_a_public_table_are_those_of_its_first_rows_and_say_that_they_are_not_private(tmp_path):
    """The people of the demo, written into a file, have the errors that they have without it."""
    table = written(tmp_path, [age for age, _, _ in people()])
    done = run(*table, "--rows", "100,1000", "--epsilons", "0.5")
    assert done.output.startswith("NOT PRIVATE: ")
    assert max(map(len, done.output.splitlines())) <= 80
    made_up = run("--show", "errors", "--rows", "100,1000", "--epsilons", "0.5")
    assert "NOT PRIVATE" not in made_up.output
    assert cells_of(done) == cells_of(made_up)
    found = json.loads(run(*table, "--epsilons", "0.5", "--json").output)
    assert [row["n"] for row in found["rows"]] == ["5000"]  # all of them
    assert found["notice"].startswith("NOT PRIVATE")


def test_a_picture_of_a_public_table_says_that_it_is_not_private(tmp_path):
    table, path = written(tmp_path, [31, 40, 55]), tmp_path / "p.svg"
    run(*table, "--epsilons", "1", "--plot", str(path))
    assert "NOT PRIVATE" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--rows", "4"], 1, "the table has fewer"),
        (["--rows", "0"], 1, "positive whole number"),
        (["--rows", "x"], 2, "no number"),
        (["--missing", "dropped"], 1, "a sum and a count"),
        (["--column", "Age"], 1, "Did you mean 'age'"),
        (["--bounds", "1"], 2, "needs --column NAME and --bounds"),
        (["--public-table", "postgresql://host/base"], 2, "a CSV or Parquet file"),
        (["--public-table", "people.duckdb"], 2, "a CSV or Parquet file"),
        (["--delimiter", "x"], 1, "delimiter"),
        (["--if-value", "3"], 2, "--if-value is not read"),
    ],
)
def test_what_is_no_public_table_is_refused_without_a_cell(words, code, said, tmp_path):
    done = run(*written(tmp_path, [31, 40, 7777]), *words, code=code)
    assert said in done.stderr, done.output + done.stderr
    assert "defect" not in done.stderr
    assert "7777" not in done.output + done.stderr


def test_flags_of_a_table_need_one():
    done = run("--show", "errors", "--column", "age", "--bounds", "0,9", code=2)
    assert "--bounds, --column belongs to --public-table" in done.stderr
    run("--public-table", "people.csv", code=2)  # accuracies read none
